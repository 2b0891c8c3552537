/** Two steps against each other: the control that chooses the other one. */
import { useState } from 'preact/hooks';
import { formatBytes, formatCount } from '../util/format';
import { change, inspected, stepCount, summary } from './state';
import { compareStep } from './lower_state';
import { Pop } from './pop';

/** The control: a step by number, the peak, or another maximum. */
export function CompareControl() {
  const b = compareStep.value;
  const steps = stepCount.value;
  if (steps === 0) return null;
  return (
    <>
      <Pop
        class={`btn-s${b === null ? '' : ' on'}`}
        title="compare with another step"
        label={b === null ? 'compare …' : `compared with step ${formatCount(b)}`}
      >
        {(close) => <CompareForm close={close} />}
      </Pop>
      {b !== null ? (
        <button type="button" class="btn-s" aria-label="stop comparing" onClick={() => change({ b: null })}>
          ×
        </button>
      ) : null}
    </>
  );
}

function CompareForm({ close }: { close: () => void }) {
  const [text, setText] = useState(compareStep.peek() === null ? '' : String(compareStep.peek()));
  const last = stepCount.value - 1;
  const value = /^\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
  const good = value >= 0 && value <= last;
  const take = (step: number | null) => {
    change({ b: step, tab: null });
    close();
  };
  const peaks = (summary.value?.near_peaks ?? []).filter((peak) => peak.step !== inspected.value).slice(0, 6);
  return (
    <form
      class="m-cap-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (good) take(value);
      }}
    >
      <label>
        Step {formatCount(inspected.value)} compared with step{' '}
        <input inputMode="numeric" value={text} aria-invalid={text !== '' && !good} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      <button type="submit" class="btn" aria-disabled={!good}>
        Compare
      </button>
      <p class="faint">0 to {formatCount(last)}</p>
      {peaks.map((peak) => (
        <button key={peak.step} type="button" class="link" onClick={() => take(peak.step)}>
          maximum at step {formatCount(peak.step)}, {formatBytes(peak.held_bytes)}
        </button>
      ))}
    </form>
  );
}
