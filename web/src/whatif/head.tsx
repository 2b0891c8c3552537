/** The headline of the changed program: both peaks, the sentence, both bars. */
import { useEffect } from 'preact/hooks';
import { exactBytes, formatBytes, formatCount, formatPercent, plural } from '../util/format';
import { cellText } from '../memory/bytes';
import { fitOf } from '../memory/head_parts';
import { Headline, roundBytes } from '../memory/headline';
import { OpName } from '../app/links';
import { inspect, summary } from '../memory/state';
import { ACTION_WORDS } from './items';
import { startOverlay } from './overlay';
import { startRows } from './rows';
import { plan, startWhatIf, tickedRows } from './state';
import type { Plan } from './types';
import { together } from '../util/listen';

function NewPeakAt({ p }: { p: Plan }) {
  const at = p.new_step;
  const instruction = p.peaks.find((peak) => peak.step === at)?.instruction;
  return (
    <span class="m-peak-at">
      {at === null ? null : (
        <>
          new peak at{' '}
          <button type="button" class="link" onClick={() => inspect(at)}>
            step {formatCount(at)}
          </button>
          {instruction ? (
            <>
              , <OpName name={instruction} />
            </>
          ) : null}
        </>
      )}
    </span>
  );
}

export function WhatIfHead() {
  useEffect(() => together([startWhatIf(), startOverlay(), startRows()]), []);
  const s = summary.value;
  const p = plan.value;
  if (!s || !p || tickedRows.value.length === 0) return <Headline />;
  const by = -p.saving_bytes;
  const share = s.peak.held_bytes > 0 ? ` (${by > 0 ? '+' : ''}${formatPercent(by / s.peak.held_bytes)})` : '';
  const scale = Math.max(s.capacity_bytes ?? 0, s.peak.held_bytes, p.new_peak_bytes, 1);
  return (
    <section class="m-head wi-peak" aria-label="peak with the changes">
      <h1 class="m-peak">
        <span class="m-peak-big">
          <span class="wi-now" title={exactBytes(s.peak.held_bytes)}>
            {formatBytes(s.peak.held_bytes, { withUnit: false })}
          </span>{' '}
          → <span title={exactBytes(p.new_peak_bytes)}>{formatBytes(p.new_peak_bytes)}</span>
        </span>
        <b class={`wi-by ${by < 0 ? 'good' : by > 0 ? 'bad' : 'soft'}`}>{by === 0 ? 'no change' : `${by > 0 ? '+' : ''}${cellText(by)}${share}`}</b>
        <NewPeakAt p={p} />
        <Verdict peak={p.new_peak_bytes} before={s.peak.held_bytes} capacity={s.capacity_bytes} />
      </h1>
      <p class="m-sentence">
        With {plural(tickedRows.value.length, 'change')}:{' '}
        {tickedRows.value.map(({ item, change }, i) => (
          <span key={item.id}>
            {i > 0 ? ', ' : ''}
            <b>
              {item.count} <code>{item.code}</code>
            </b>{' '}
            {ACTION_WORDS[change.action]}
            {change.action === 'shard' ? ` ${change.parts}` : ''}
          </span>
        ))}
        . <AsNow union={s.live_is_union} />
      </p>
      <Bar title="now" resident={s.resident_bytes} peak={s.peak.held_bytes} scale={scale} capacity={s.capacity_bytes} />
      <Bar title="what if" resident={p.resident_bytes} peak={p.new_peak_bytes} scale={scale} capacity={s.capacity_bytes} />
    </section>
  );
}

/** Whether that is enough, where the capacity is known: what somebody who is out of memory asks first. */
function Verdict({ peak, before, capacity }: { peak: number; before: number; capacity: number | null }) {
  const fit = fitOf(peak, capacity);
  if (fit.fits === null || capacity === null) return null;
  const tip = `capacity ${exactBytes(capacity)}`;
  if (!fit.fits)
    return (
      <b class="wi-fit bad" title={tip}>
        {before > capacity ? 'still ' : ''}
        {formatBytes(fit.over)} more than the {roundBytes(capacity)} available
      </b>
    );
  return (
    <span class={`wi-fit ${before > capacity ? 'good strong' : 'soft'}`} title={`${tip}; packing is unknown`}>
      {before > capacity ? 'fits in' : 'of'} {roundBytes(capacity)}, {formatBytes(capacity - peak)} left
    </span>
  );
}

/** What on the page the changes do not reach. */
function AsNow({ union }: { union: boolean }) {
  return union ? (
    <span
      class="faint"
      title="Addresses overlap in this memory space, so rows do not add up to the curve. Only the curve, peak and next peaks show the changes."
    >
      Map, bars and scopes below show the program without changes.
    </span>
  ) : (
    <span
      class="faint"
      title="Curve, bars, scopes and the column “what if” of Buffers show the changes. How the changed heap would be packed is unknown, so the address map does not."
    >
      The map below does not show the changes.
    </span>
  );
}

function Bar({ title, resident, peak, scale, capacity }: { title: string; resident: number; peak: number; scale: number; capacity: number | null }) {
  const part = (cls: string, name: string, bytes: number) => (
    <i class={cls} style={{ width: `${(bytes / scale) * 100}%` }} title={`${name} ${exactBytes(bytes)}`}>
      {bytes / scale > 0.07 ? cellText(bytes) : ''}
    </i>
  );
  return (
    <div class="wi-bar" role="img" aria-label={`${title}: always there ${formatBytes(resident)}, temporaries ${formatBytes(peak - resident)}`}>
      <span>{title}</span>
      <div>
        {part('m-seg-param', 'always there', resident)}
        {part('m-seg-temp', 'temporaries', peak - resident)}
        {capacity === null || capacity >= scale ? null : (
          <u class="wi-capacity" style={{ left: `${(capacity / scale) * 100}%` }} title={`capacity ${exactBytes(capacity)}`} />
        )}
      </div>
      <b>{cellText(peak)}</b>
    </div>
  );
}
