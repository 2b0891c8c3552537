/** Report: the program taken apart by every category. Its place is kept; the page itself is being built. */
import { hrefOf } from '../app/router';

/** What stands beside the switch of modes. */
export function ReportBar() {
  return null;
}

export function ReportView() {
  return (
    <div class="empty-state m-mode-page">
      <h1>The report is being built</h1>
      <p class="soft">
        It will take this program apart by every category, with totals that add up, at the steps that the address names. It is not part of this version.
      </p>
      <p class="row">
        <a class="btn" href={hrefOf({ mode: null })}>
          Viewer
        </a>
        <a class="btn" href={hrefOf({ mode: 'compare' })}>
          Compare
        </a>
      </p>
    </div>
  );
}
