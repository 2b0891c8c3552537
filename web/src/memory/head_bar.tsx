/** The bar of the headline: capacity, the classes in it, padding as hatch; every number again in the row below. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Summary } from '../api/types';
import { setView, view } from '../app/router';
import { exactBytes, formatBytes, formatPercent, pageUnit } from '../util/format';
import { cellText, sizeText } from './bytes';
import { baseSummary } from './baseline_state';
import { CapacityInput } from './capacity';
import { Delta } from './delta';
import { fitOf, fittingLabel, headBar, type Segment, xprofNote } from './head_parts';
import { OpName } from '../app/links';
import { change } from './state';

const plain = (bytes: number | null) => formatBytes(bytes, { withUnit: false });

export function HeadBarView({ s }: { s: Summary }) {
  const element = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(1200);
  useEffect(() => {
    if (!element.current) return;
    const observer = new ResizeObserver(([entry]) => setWidth(entry.contentRect.width));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  const bar = headBar(s);
  const words = bar.segments.map((segment) => `${segment.title} ${formatBytes(segment.bytes)}`).join(', ');
  return (
    <>
      <div ref={element} class="m-bar" role="img" aria-label={words}>
        {bar.segments.map((segment) => (segment.bytes > 0 ? <SegmentView key={segment.id} segment={segment} pixels={segment.width * width} s={s} /> : null))}
        {bar.limit !== null ? (
          <>
            <div class="m-bar-over" style={{ left: `${bar.limit * 100}%` }} />
            <div class="m-bar-limit" style={{ left: `${bar.limit * 100}%` }} />
          </>
        ) : null}
      </div>
      <LegendRow s={s} segments={bar.segments} />
    </>
  );
}

function tipOf(segment: Segment, s: Summary): string {
  const lines = [`${segment.title}: ${exactBytes(segment.bytes)}`];
  if (segment.padding > 0) lines.push(`including padding: ${exactBytes(segment.padding)}`);
  if (segment.id === 'param') lines.push('inputs of the program, live throughout');
  if (segment.id === 'output') lines.push(`results, except ${exactBytes(s.split.alias_bytes)} written into donated arguments`);
  if (segment.id === 'temp') lines.push('temporaries held at the peak');
  if (segment.id === 'frag') {
    lines.push('reserved and not live at the peak');
    if (s.split.fragmentation_bytes === null) lines[0] = 'Fragmentation unknown: no heap events show what is live';
    if (s.split.untraced_bytes) lines.push(`without heap events: ${exactBytes(s.split.untraced_bytes)}`);
  }
  if (segment.id === 'untraced') lines.push('the heap of temporaries; no heap events tell which bytes are live');
  const note = segment.id === 'temp' ? xprofNote(s, 'peak_bytes') : '';
  return lines.join('\n') + note;
}

function SegmentView({ segment, pixels, s }: { segment: Segment; pixels: number; s: Summary }) {
  const number = plain(segment.bytes);
  const padding = segment.padded >= 0.05 ? `, padding ${formatBytes(segment.padding, { withUnit: false })}` : '';
  const label = fittingLabel([`${segment.title} ${number}${padding}`, `${segment.title} ${number}`, number], pixels);
  return (
    <div class={`m-seg m-seg-${segment.id}`} style={{ width: `${segment.width * 100}%` }} title={tipOf(segment, s)}>
      {segment.padded > 0 ? <i class="m-seg-pad" style={{ width: `${segment.padded * 100}%` }} /> : null}
      {label ? <span>{label}</span> : null}
    </div>
  );
}

/** What only heap events could tell. */
const isUnknown = (segment: Segment, s: Summary) =>
  (segment.id === 'frag' && s.split.fragmentation_bytes === null) || (segment.id === 'temp' && s.split.temp_bytes === null);

/** Inside that of the temporaries: how much of all that is held is padding. */
function PaddingKey({ s, segments, base }: { s: Summary; segments: Segment[]; base: Segment[] }) {
  const sum = (of: Segment[]) => of.reduce((all, segment) => all + segment.padding, 0);
  const padding = sum(segments);
  return (
    <span class="m-key m-key-pad" title={paddingTip(s, padding)}>
      <i class="m-swatch m-swatch-pad" /> including padding <b>{cellText(padding)}</b> <PaddingHint share={padding / s.peak.held_bytes} />
      <Delta before={baseSummary.value ? sum(base) : null} after={padding} />
    </span>
  );
}

function LegendRow({ s, segments }: { s: Summary; segments: Segment[] }) {
  const fit = fitOf(s.peak.held_bytes, s.capacity_bytes);
  const byId = new Map(segments.map((segment) => [segment.id, segment]));
  const base = baseSummary.value ? headBar(baseSummary.value).segments : [];
  const before = (id: Segment['id']) => (baseSummary.value ? (base.find((segment) => segment.id === id)?.bytes ?? 0) : null);
  const frag = byId.get('frag');
  return (
    <div class="m-head-legend">
      {segments.map((segment) =>
        segment.id === 'free' ? null : (
          <span key={segment.id} class="m-key" title={tipOf(segment, s)}>
            <i class={`m-swatch m-seg-${segment.id}`} /> {segment.title} <b>{plain(isUnknown(segment, s) ? null : segment.bytes)}</b>{' '}
            <Delta before={before(segment.id)} after={segment.bytes} />
            {segment.id === 'output' && s.split.alias_bytes > 0 ? <span class="faint">+{plain(s.split.alias_bytes)} written into arguments</span> : null}
            {segment.id === 'frag' && frag && frag.bytes > 0 ? (
              <span class="faint">
                heap {plain(s.heap_bytes)}, live {plain(s.split.temp_bytes)}
                {s.split.untraced_bytes ? `, without heap events ${plain(s.split.untraced_bytes)}` : ''}
              </span>
            ) : null}
            {segment.id === 'temp' ? <PaddingKey s={s} segments={segments} base={base} /> : null}
          </span>
        ),
      )}
      {s.split.thread_local_bytes > 0 ? (
        <span
          class="m-key"
          title={`${exactBytes(s.split.thread_local_bytes)}, counted neither in the peak nor in reserved; each thread that runs the program takes one copy`}
        >
          <i class="m-swatch m-seg-local" /> Thread local <b>{sizeText(s.split.thread_local_bytes)}</b> <span class="faint">not in the peak</span>
        </span>
      ) : null}
      {fit.over > 0 ? (
        <span class="m-key bad" title={exactBytes(fit.over)}>
          over capacity <b>{plain(fit.over)}</b>
        </span>
      ) : byId.has('free') ? (
        <span class="m-key" title={tipOf(byId.get('free') as Segment, s)}>
          <i class="m-swatch m-seg-free" /> Free <b>{plain((byId.get('free') as Segment).bytes)}</b>{' '}
          <Delta before={before('free')} after={(byId.get('free') as Segment).bytes} plain />
        </span>
      ) : null}
      {s.scoped ? (
        <span
          class="m-key"
          title={`${exactBytes(s.scoped.size_bytes)}: the most scratch memory one operation takes besides the buffers, %${s.scoped.instruction}`}
        >
          Scoped scratch <b>{sizeText(s.scoped.size_bytes)}</b> <OpName name={s.scoped.instruction} />
        </span>
      ) : null}
      <CapacityInput s={s} />
      <UnitSwitch s={s} />
    </div>
  );
}

/** Padding of all that is held, and of temporaries alone, as XProf counts it. */
function paddingTip(s: Summary, padding: number): string {
  const { peak_bytes: peak, unpadded_peak_bytes: unpadded } = s.xprof;
  const alone = peak === null || unpadded === null ? '' : `\npadding of temporaries only, as XProf counts it: ${exactBytes(peak - unpadded)}`;
  return `padding of everything held at the peak, arguments included: ${exactBytes(padding)}${alone}`;
}

/** Part of the peak from which padding is worth a look. */
const PADDING_HINT = 0.1;

function PaddingHint({ share }: { share: number }) {
  if (!(share > PADDING_HINT)) return null;
  return (
    <button
      type="button"
      class="link m-pad-hint"
      title="more than 10 % of the peak is padding; show the buffers with most padding"
      onClick={() => change({ tab: 'buffers', sort: 'padding', desc: null })}
    >
      {formatPercent(share)} of the peak
    </button>
  );
}

/** Large programs read in GiB; people who compare with XProf want MiB. */
function UnitSwitch({ s }: { s: Summary }) {
  const mib = view.value.unit === 'mib';
  if (s.peak.held_bytes < 10 * 2 ** 30) return <span class="m-unit-switch faint">{pageUnit.value}</span>;
  return (
    <button type="button" class="link m-unit-switch" title="switch the unit of the page" onClick={() => setView({ unit: mib ? null : 'mib' })}>
      {pageUnit.value}, show {mib ? 'GiB' : 'MiB'}
    </button>
  );
}
