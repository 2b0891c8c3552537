/** Size, padding, and the honest number: the peak without it. */
import type { BufferCard } from '../api/types';
import { exactBytes, formatBytes, formatCount, formatFactor, formatPercent } from '../util/format';
import { change, inspect, summary } from './state';
import { tickAll } from './whatif';

/** Small values in their own unit, the rest in the page's. */
export function cardBytes(bytes: number | null): string {
  if (bytes === null) return 'unknown';
  return formatBytes(bytes, Math.abs(bytes) < 2 ** 20 ? { unit: 'own' } : {});
}

export function CardSizes({ c }: { c: BufferCard }) {
  const xprof = c.xprof && c.xprof.unpadded_bytes !== c.unpadded_bytes ? `\nXProf shows ${exactBytes(c.xprof.unpadded_bytes)}: it counts without the layout of this buffer` : '';
  const heavy = c.expansion !== null && c.expansion > 2;
  const assigned = c.assigned_bytes !== null && c.assigned_bytes !== c.size_bytes;
  return (
    <section class="m-sec">
      <dl class="m-dl">
        <dt>Size</dt>
        <dd title={exactBytes(c.size_bytes)}>{cardBytes(c.size_bytes)}</dd>
        <dd class="side">{c.share_of_peak === null ? '' : `${formatPercent(c.share_of_peak, 1)} of peak`}</dd>
        <dt>Without padding</dt>
        <dd title={exactBytes(c.unpadded_bytes) + xprof}>{cardBytes(c.unpadded_bytes)}</dd>
        <dd class="side" />
        <dt>Padding</dt>
        <dd class={heavy ? 'bad' : ''} title={exactBytes(c.padding_bytes)}>
          {c.padding_bytes === 0 ? '0 B' : cardBytes(c.padding_bytes)}
        </dd>
        <dd class={`side${heavy ? ' bad' : ''}`}>{formatFactor(c.expansion)}</dd>
        <Saving c={c} />
        {assigned ? (
          <>
            <dt>Set aside</dt>
            <dd title={exactBytes(c.assigned_bytes)}>{cardBytes(c.assigned_bytes)}</dd>
            <dd class="side">at its address</dd>
          </>
        ) : null}
      </dl>
      <Equal c={c} />
    </section>
  );
}

function Saving({ c }: { c: BufferCard }) {
  const saves = c.saving_bytes !== null && c.saving_bytes > 0;
  const moves = c.peak_without_step !== null && c.peak_without_step !== summary.value?.peak.step;
  return (
    <>
      <dt>Peak without it</dt>
      <dd title={exactBytes(c.peak_without_bytes)}>{cardBytes(c.peak_without_bytes)}</dd>
      <dd class={`side${saves ? ' good strong' : ''}`} title={exactBytes(c.saving_bytes)}>
        {c.saving_bytes === null ? 'unknown' : saves ? cardBytes(-c.saving_bytes) : 'no change'}
      </dd>
      {moves ? (
        <dd class="m-dl-wide">
          the highest step is then{' '}
          <button type="button" class="link" onClick={() => inspect(c.peak_without_step)}>
            {formatCount(c.peak_without_step)}
          </button>
        </dd>
      ) : null}
    </>
  );
}

function Equal({ c }: { c: BufferCard }) {
  if (!c.equal || c.equal.count < 2) return null;
  const { count, buffers } = c.equal;
  return (
    <p class="m-equal">
      1 of{' '}
      <button
        type="button"
        class="link"
        title="ticks them in the table"
        onClick={() => {
          tickAll(buffers);
          change({ tab: 'buffers', filter: c.shape.replace(/\{.*$/, '') });
        }}
      >
        {formatCount(count)} equal buffers
      </button>
      {c.equal.peak_without_bytes === null ? '' : `; without all ${formatCount(count)}: ${formatBytes(c.equal.peak_without_bytes)}`}
    </p>
  );
}
