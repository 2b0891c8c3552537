/** Parts of the view that have no answer: what is missing, why, and the way to ask again. */
import { useEffect } from 'preact/hooks';
import { missing } from '../api/client';
import { SeverityIcon } from '../ui/icons';
import { openTool } from './open_tool';
import { view } from './router';

export function MissingStrip() {
  const { run, module, mode } = view.value;
  const place = [run, openTool(), module, mode].join(' ');
  // Another view lacks other things.
  useEffect(
    () => () => {
      missing.value = new Map();
    },
    [place],
  );
  const reasons = [...new Set(missing.value.values())];
  return (
    <div class="strip error" role="alert">
      <SeverityIcon severity="error" />
      <div class="text">
        <span class="what">No answer for {[...missing.value.keys()].join(', ')}:</span> {reasons.join('; ')}
      </div>
      <div class="actions">
        <button type="button" class="btn" onClick={() => location.reload()}>
          Try again
        </button>
      </div>
    </div>
  );
}
