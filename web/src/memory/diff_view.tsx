/** Comparison of two steps: buffers held at only one of them. */
import type { Diff, DiffSide } from '../api/types';
import { exactBytes, formatBytes, formatCount, plural } from '../util/format';
import { hoverBuffer, pin } from './state';
import { diff } from './lower_state';
import { sizeText } from './bytes';
import { shortShape } from './live_rows';

export function DiffView() {
  const d = diff.value;
  if (!d) return <div class="m-diff" aria-busy="true" />;
  const change = d.b_bytes - d.a_bytes;
  return (
    <section class="m-diff" aria-label={`step ${d.a} compared with step ${d.b}`}>
      <p class="m-diff-line">
        step {formatCount(d.a)} holds {formatBytes(d.a_bytes)}, step {formatCount(d.b)} {formatBytes(d.b_bytes)} (<b>{formatBytes(change, { sign: true })}</b>);{' '}
        {formatBytes(d.both_bytes)} are held at both
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
          <li
            key={k}
            onMouseEnter={() => {
              hoverBuffer.value = side.buffer[k];
            }}
            onMouseLeave={() => {
              hoverBuffer.value = null;
            }}
          >
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
