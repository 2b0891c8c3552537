/** Two steps against each other: what only one of them holds. */
import { useState } from 'preact/hooks';
import type { Diff, DiffSide } from '../api/types';
import { exactBytes, formatBytes, formatCount, plural } from '../util/format';
import { change, hoverBuffer, inspected, pin, stepCount, summary } from './state';
import { compareStep, diff } from './views';
import { sizeText } from './bytes';
import { Pop } from './pop';
import { shortShape } from './live_rows';

/** The control: a step by number, the peak, or another maximum. */
export function CompareControl() {
  const b = compareStep.value;
  const steps = stepCount.value;
  if (steps === 0) return null;
  return (
    <>
      <Pop class={`btn-s${b === null ? '' : ' on'}`} title="what another step holds that this one does not" label={b === null ? 'compare …' : `against step ${formatCount(b)}`}>
        {(close) => <CompareForm close={close} />}
      </Pop>
      {b !== null ? (
        <button type="button" class="btn-s" aria-label="end the comparison" onClick={() => change({ b: null })}>
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
        Step {formatCount(inspected.value)} against step{' '}
        <input inputMode="numeric" value={text} aria-invalid={text !== '' && !good} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      <button type="submit" class="btn" aria-disabled={!good}>
        Compare
      </button>
      <p class="faint">0 to {formatCount(last)}</p>
      {peaks.map((peak) => (
        <button key={peak.step} type="button" class="link" onClick={() => take(peak.step)}>
          maximum at step {formatCount(peak.step)}, {formatBytes(peak.bytes)}
        </button>
      ))}
    </form>
  );
}

export function DiffView() {
  const d = diff.value;
  if (compareStep.value === null) return null;
  if (!d) return <div class="m-diff" aria-busy="true" />;
  const change = d.bytes_b - d.bytes_a;
  return (
    <section class="m-diff" aria-label={`step ${d.a} against step ${d.b}`}>
      <p class="m-diff-line">
        step {formatCount(d.a)} holds {formatBytes(d.bytes_a)}, step {formatCount(d.b)} {formatBytes(d.bytes_b)} (
        <b>{formatBytes(change, { sign: true })}</b>); {formatBytes(d.both_bytes)} are held at both
      </p>
      <div class="m-diff-sides">
        <Side d={d} side={d.only_a} step={d.a} bytes={d.only_a_bytes} />
        <Side d={d} side={d.only_b} step={d.b} bytes={d.only_b_bytes} />
      </div>
    </section>
  );
}

function Side({ d, side, step, bytes }: { d: Diff; side: DiffSide; step: number; bytes: number }) {
  return (
    <div>
      <h3 title={exactBytes(bytes)}>
        only at step {formatCount(step)}: {formatBytes(bytes)}, {plural(side.n, 'buffer')}
      </h3>
      {side.n === 0 ? <p class="faint">nothing</p> : null}
      <ul>
        {Array.from({ length: Math.min(side.n, 200) }, (_, k) => (
          <li key={k} onMouseEnter={() => { hoverBuffer.value = side.buffer[k]; }} onMouseLeave={() => { hoverBuffer.value = null; }}>
            <button type="button" class="m-op cut" onClick={() => pin(side.buffer[k])}>
              %{d.names[side.name[k]]}
            </button>
            <code class="cut faint">{shortShape(d.names[side.shape[k]] ?? '')}</code>
            <span class="num" title={exactBytes(side.size_bytes[k])}>
              {sizeText(side.size_bytes[k])}
            </span>
          </li>
        ))}
      </ul>
      {side.n > 200 ? <p class="faint">showing 200 of {formatCount(side.n)}, the largest</p> : null}
    </div>
  );
}
