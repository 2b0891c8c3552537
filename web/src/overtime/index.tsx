/** Memory, Over time: what the runtime's allocators had in use along the run. */
import { effect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { registerKeys } from '../app/keys';
import { hrefOf, setView } from '../app/router';
import { run } from '../app/state';
import { Splitter } from '../memory';
import { Unread } from '../ui/unread';
import { formatCount, pageUnit, plural, unitFor } from '../util/format';
import { CardPart } from './card';
import {
  a,
  bounds,
  curve,
  focus,
  focused,
  focusOn,
  hiddenStrips,
  ownScale,
  problem,
  range,
  rows,
  setWindow,
  showAllStrips,
  shown,
  startOverTime,
  steps,
  tracks,
  twin,
  whole,
} from './state';
import { Legend, panBy, Strips, stripsHeights, StripsTwin, zoomBy } from './strips';
import { nextLive, Tabs } from './tabs';
import { hostNotes, nextChange } from './window';
import { eventsWord } from './words';
import { together } from '../util/listen';

const CHANGE = 0.01; // of the peak: what Shift and an arrow go to

function goTo(by: 1 | -1, share: number): boolean {
  const t = (curve.peek() ?? whole.peek())?.tracks.find((one) => one.title === focused.peek()?.title);
  const time = t && a.peek() !== null ? nextChange(t, a.peek() as number, by, share) : null;
  if (time === null) return false;
  setView({ a: time }, { push: false });
  return true;
}

function showPeak(): void {
  const t = focused.peek();
  if (t) setView({ a: t.most_at_ps }, { push: false });
}

function fit(): void {
  const r = range.peek();
  setWindow(r ?? bounds.peek(), true);
  range.value = null;
}

const keys = (): (() => void)[] => [
  registerKeys('memory', {
    peak: showPeak,
    buffer_step: (_, stroke) => goTo(stroke === 0 ? -1 : 1, 0),
    change_step: (_, stroke) => goTo(stroke === 0 ? -1 : 1, CHANGE),
    live_of: nextLive,
  }),
  registerKeys('charts', {
    zoom: (_, stroke) => zoomBy(stroke === 0 ? 0.7 : 1 / 0.7),
    zoom_fast: (_, stroke) => zoomBy(stroke === 0 ? 0.24 : 1 / 0.24),
    pan: (_, stroke) => panBy(stroke === 0 ? -0.1 : 0.1),
    pan_fast: (_, stroke) => panBy(stroke === 0 ? -0.4 : 0.4),
    fit,
    reset: () => setWindow(bounds.peek(), true),
  }),
  registerKeys('everywhere', {
    table_twin: () => setView({ table: twin.peek() ? null : 1 }),
    escape: () => {
      if (!range.peek()) return false;
      range.value = null;
      return true;
    },
  }),
];

/** Beside the modes. */
export function OverTimeBar() {
  const all = tracks.value.reduce((sum, t) => sum + t.events, 0);
  if (!all) return <div class="m-badges" />;
  return (
    <div class="m-badges">
      {shown.value.length > 1 ? (
        <button
          type="button"
          class="m-badge"
          aria-pressed={ownScale.value}
          title="scale each strip by itself, or all alike"
          onClick={() => setView({ scale: ownScale.value ? null : 'own' }, { push: false })}
        >
          {ownScale.value ? 'own scale' : 'one scale'}
        </button>
      ) : null}
      <span class="m-badge" title={curve.value?.how}>
        {eventsWord(all)}
      </span>
      {run.value?.device_type ? <span class="m-badge">{run.value.device_type}</span> : null}
    </div>
  );
}

function Charts() {
  return (
    <section class="ot-charts" aria-label="in use, by allocator">
      <header class="ov-title">
        <h2>In use{tracks.value.length > 1 ? ', by allocator' : ''}</h2>
        <Legend />
        <span class="ot-buttons">
          {hiddenStrips.value > 0 ? (
            <button type="button" class="btn" onClick={showAllStrips}>
              {formatCount(hiddenStrips.value)} more
            </button>
          ) : null}
          {tracks.value.length > 1 ? <Chooser /> : null}
          <button type="button" class="btn" onClick={showPeak}>
            Peak
          </button>
          <button type="button" class="btn" onClick={fit}>
            Fit
          </button>
        </span>
      </header>
      {twin.value ? <StripsTwin /> : <Strips />}
      {hostNotes(rows.value, tracks.value).map(({ name, note, strip }) => (
        <p key={name} class={strip ? 'ot-range' : 'ot-range ot-nohost'}>
          <b>{name}</b> <span>{note}</span>
        </p>
      ))}
    </section>
  );
}

export function OverTimeView() {
  useEffect(
    () =>
      together([
        startOverTime(),
        ...keys(),
        effect(() => {
          pageUnit.value = unitFor(Math.max(0, ...tracks.value.map((t) => t.most_bytes)));
        }),
      ]),
    [],
  );
  const answer = whole.value;
  if (problem.value && !answer)
    return (
      <div class="empty-state m-mode-page">
        <h1>Memory over time cannot be shown</h1>
        <p role="alert">{problem.value}</p>
        <Compiled />
      </div>
    );
  if (!answer)
    return (
      <div class="ot-page memory-loading">
        <Unread what="what the allocators had in use, what is live and whether it grows" />
      </div>
    );
  if (answer.tracks.length === 0) return <Nothing />;
  return (
    <div class="ot-page">
      {answer.cut || answer.dropped ? <CutStrip /> : null}
      <Head />
      <div class="ot-main">
        <div class="ot-left" style={stripsHeights()}>
          <Charts />
          <Splitter name="overtime" />
          <Tabs />
        </div>
        <CardPart />
      </div>
    </div>
  );
}

function Head() {
  const s = steps.value;
  const leak = s ? s.growth.verdict[s.growth.allocator.indexOf(s.allocator ?? -1)] === 'leak' : false;
  const cutAt = s ? s.headline.search(leak ? / in use / : /,? (of|on|capacity) /) : -1;
  return (
    <header class="ot-head">
      <h1 class={leak ? 'bad' : ''}>
        {s ? (cutAt > 0 ? s.headline.slice(0, cutAt) : s.headline) : '…'} {s && cutAt > 0 ? <span class="ot-rest">{s.headline.slice(cutAt)}</span> : null}
      </h1>
      <p>{s?.sentence}</p>
    </header>
  );
}

/** Which strip is in focus, and the others. */
function Chooser() {
  return (
    <select class="ov-menu" aria-label="allocator in focus" value={String(focus.value)} onChange={(event) => focusOn(Number(event.currentTarget.value))}>
      {tracks.value.map((t, k) => (
        <option key={t.title} value={String(k)}>
          {t.title}
        </option>
      ))}
    </select>
  );
}

function CutStrip() {
  const answer = whole.value;
  if (!answer) return null;
  return (
    <div class="cp-amber" role="status">
      {answer.cut ? (
        <>
          <b>A file is cut:</b> events after the cut are missing. An allocation without a free may have been freed there; it is not a proven leak.{' '}
        </>
      ) : null}
      {answer.dropped
        ? `${plural(answer.dropped, 'event')} name neither an allocator nor a size, or exceed the limit of ${formatCount(4_000_000)}, and are left out.`
        : null}
    </div>
  );
}

function Compiled() {
  return (
    <p>
      The curve that the compiler planned is in <a href={hrefOf({ tool: 'trace', mode: null })}>Trace</a> and in the <a href={hrefOf({ mode: null })}>Viewer</a>
      : compiled, not measured.
    </p>
  );
}

function Nothing() {
  return (
    <div class="empty-state m-mode-page">
      <h1>No allocations were recorded</h1>
      <p>The runtime recorded no allocations. They need host tracer level 2 and a TPU or GPU (JAX on the CPU records none).</p>
      <Compiled />
    </div>
  );
}
