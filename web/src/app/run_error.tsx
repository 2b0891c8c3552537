/** A run that cannot be opened: why, and where to go from there. */
import { formatCount } from '../util/format';
import { hrefOf } from './router';
import { readAgain, runError } from './state';

/** What the server said, with the place in the file where it knows it. */
export function runErrorText(): string {
  const error = runError.value;
  if (!error) return '';
  return error.offset === null ? error.message : `${error.message}, at byte ${formatCount(error.offset)}`;
}

export function ReadAgain() {
  return (
    <button type="button" class="btn" onClick={() => void readAgain()}>
      Read again
    </button>
  );
}

export function AllRuns() {
  return (
    <a class="btn" href={hrefOf({ run: null })}>
      All runs
    </a>
  );
}
