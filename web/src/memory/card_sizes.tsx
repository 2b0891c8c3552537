/** Size, padding, and the honest number: the peak without it. */
import type { BufferCard } from '../api/types';
import { broad } from '../app/media';
import { exactBytes, formatBytes, formatCount, formatFactor, formatPercent } from '../util/format';
import { sizeText } from './bytes';
import { BufferLink } from './card_tenants';
import { groupColour } from './group_colour';
import { LifeBar } from './life';
import { liveRows } from './live_rows';
import { change, inspect, live, summary } from './state';
import { tickAll } from './lower_state';
import { whatIfPlan } from './what_if_state';

export function CardSizes({ c }: { c: BufferCard }) {
  const xprof =
    c.xprof && c.xprof.unpadded_bytes !== c.unpadded_bytes ? `\nXProf shows ${exactBytes(c.xprof.unpadded_bytes)}: it ignores the layout of this buffer` : '';
  const heavy = c.expansion !== null && c.expansion > 2;
  const assigned = c.assigned_bytes !== null && c.assigned_bytes !== c.size_bytes;
  return (
    <section class="m-sec">
      <dl class="m-dl">
        <dt>Size</dt>
        <dd title={exactBytes(c.size_bytes)}>{sizeText(c.size_bytes)}</dd>
        <dd class="side">
          {c.share_of_peak === null
            ? ''
            : c.share_of_peak === 0
              ? 'not in the peak'
              : `${c.share_of_peak > 0 && c.share_of_peak < 0.0005 ? 'below 0.1 %' : formatPercent(c.share_of_peak, 1)} of peak`}
        </dd>
        <dt>Without padding</dt>
        <dd title={exactBytes(c.unpadded_bytes) + xprof}>{sizeText(c.unpadded_bytes)}</dd>
        <dd class="side" />
        <dt>Padding</dt>
        <dd class={heavy ? 'bad' : ''} title={exactBytes(c.padding_bytes)}>
          {c.padding_bytes === 0 ? '0 B' : sizeText(c.padding_bytes)}
        </dd>
        <dd class={`side${heavy ? ' bad' : ''}`}>{formatFactor(c.expansion)}</dd>
        <Saving c={c} />
        {assigned ? (
          <>
            <dt>Set aside</dt>
            <dd title={exactBytes(c.assigned_bytes)}>{sizeText(c.assigned_bytes)}</dd>
            <dd class="side">at its address</dd>
          </>
        ) : null}
      </dl>
      <Equal c={c} />
      {c.equal && c.equal.count > 1 ? <EqualList buffers={c.equal.buffers} /> : null}
    </section>
  );
}

function Saving({ c }: { c: BufferCard }) {
  const saves = c.saving_bytes !== null && c.saving_bytes > 0;
  const moves = c.peak_without_step !== null && c.peak_without_step !== summary.value?.peak.step;
  return (
    <>
      <dt>Peak without it</dt>
      <dd title={exactBytes(c.peak_without_bytes)}>{sizeText(c.peak_without_bytes)}</dd>
      <dd class={`side${saves ? ' good strong' : ''}`} title={exactBytes(c.saving_bytes)}>
        {c.saving_bytes === null ? 'unknown' : saves ? sizeText(-c.saving_bytes) : 'no change'}
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

/** The equal ones that are held at the inspected step, each with its life: there is room for them from 1920 pixels. */
function EqualList({ buffers }: { buffers: number[] }) {
  const answer = live.value;
  if (!broad.value || !answer || whatIfPlan.value !== null) return null;
  const set = new Set(buffers);
  const rows = liveRows(answer).filter((row) => row.buffer !== null && set.has(row.buffer));
  if (rows.length < 2) return null;
  return (
    <ul class="m-equal-list">
      {rows.slice(0, 8).map((row) => (
        <li key={row.buffer}>
          <BufferLink buffer={row.buffer as number} name={row.name} />
          <LifeBar start={row.start} end={row.end} colour={groupColour(row.group)} />
          <span class="num">{sizeText(row.size)}</span>
        </li>
      ))}
      {buffers.length > Math.min(rows.length, 8) ? (
        <li class="faint">
          showing {formatCount(Math.min(rows.length, 8))} of {formatCount(buffers.length)}
        </li>
      ) : null}
    </ul>
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
        title="tick them in the table"
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
