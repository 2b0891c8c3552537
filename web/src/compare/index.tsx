/** Compare: this program against a baseline. */
import { hrefOf } from '../app/router';

/** What stands beside the switch of modes. */
export function CompareBar() {
  return null;
}

export function CompareView() {
  return (
    <div class="empty-state m-mode-page">
      <h1>The comparison is being built</h1>
      <p class="soft">It will show two programs at their peaks, and what makes the difference. xprofd diff says it in a terminal today.</p>
      <p class="row">
        <a class="btn" href={hrefOf({ mode: null })}>
          Viewer
        </a>
      </p>
    </div>
  );
}
