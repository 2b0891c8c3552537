/** The strips of the allocators with steps, time axis and minimap: wheel zooms, a click sets A, with Ctrl B, a drag selects. */
import { setView } from '../app/router';
import { CanvasPart } from '../trace/canvas_part';
import { durationText } from '../trace/time';
import { formatCount, plural } from '../util/format';
import { listen, together } from '../util/listen';
import { belowAt, drawMinimap, drawScene, frameOf, heightFor, laneAt, leastHeight, programWord, roomFor, type Scene, timeAt } from './draw';
import {
  a,
  b,
  below,
  bounds,
  curve,
  focus,
  focusOn,
  heldAt,
  hover,
  modules,
  ownScale,
  pixels,
  range,
  ranged,
  setWindow,
  shown,
  steps,
  tracks,
  whole,
  windowNow,
} from './state';
import { showsCapacity, topOf, type Window, zoomed } from './window';
import { bytes, instant, percent, signedBytes } from './words';
import { lastAtOrBelow } from '../util/bisect';

function sceneOf(font: string): Scene {
  const now = curve.peek();
  const same = now && now.tracks.length === tracks.peek().length;
  return {
    tracks: same ? now.tracks : tracks.peek(),
    shown: shown.peek(),
    focus: focus.peek(),
    window: windowNow.peek(),
    ownScale: ownScale.peek(),
    steps: steps.peek(),
    below: below.peek(),
    modules: modules.peek(),
    askers: now?.asked_by ?? [],
    a: a.peek(),
    b: b.peek(),
    heldAtA: heldAt.a.peek(),
    range: range.peek(),
    hover: hover.peek(),
    cut: !!now?.cut,
    font,
  };
}

const room = () => roomFor(shown.peek().map((k) => tracks.peek()[k].title));

const watch = () =>
  void [
    curve.value,
    tracks.value,
    shown.value,
    focus.value,
    windowNow.value,
    ownScale.value,
    steps.value,
    below.value,
    modules.value,
    a.value,
    b.value,
    heldAt.a.value,
    range.value,
    hover.value,
  ];

export function zoomBy(factor: number, at?: number): void {
  const w = windowNow.peek();
  setWindow(zoomed(w, factor, at ?? hover.peek()?.time ?? (w.from + w.to) / 2));
}
export function panBy(share: number): void {
  const w = windowNow.peek();
  const by = (w.to - w.from) * share;
  setWindow({ from: w.from + by, to: w.to + by });
}

interface Drag {
  x: number;
  window: Window;
  pans: boolean;
  moved: boolean;
}

const frameIn = (canvas: HTMLCanvasElement) => frameOf(canvas.clientWidth, canvas.clientHeight, shown.peek().length, room(), below.peek().length);

/** What is under the mouse. */
function placeOf(canvas: HTMLCanvasElement, event: MouseEvent) {
  const box = canvas.getBoundingClientRect();
  const f = frameIn(canvas);
  const x = Math.min(f.right, Math.max(f.left, event.clientX - box.left));
  return {
    f,
    x,
    inside: event.clientX - box.left >= f.left,
    time: timeAt(f, windowNow.peek(), x),
    lane: laneAt(f, shown.peek().length, event.clientY - box.top),
    row: below.peek()[belowAt(f, below.peek().length, event.clientY - box.top)],
  };
}
type Place = ReturnType<typeof placeOf>;

function click(at: Place, event: MouseEvent): void {
  const lane = shown.peek()[at.lane];
  if (lane !== undefined) focusOn(lane);
  // The name of the row goes through the devices.
  else if (!at.inside && at.row === 'modules') focusOn(shown.peek()[(shown.peek().indexOf(focus.peek()) + 1) % shown.peek().length]);
  range.value = null;
  if (at.inside) setView(event.ctrlKey || event.metaKey ? { b: Math.round(at.time) } : { a: Math.round(at.time) }, { push: false });
}

function dragTo(drag: Drag, at: Place): void {
  drag.moved ||= Math.abs(at.x - drag.x) > 3;
  if (!drag.moved || drag.x <= at.f.left) return;
  const w = drag.window;
  const from = timeAt(at.f, w, drag.x);
  const to = timeAt(at.f, w, at.x);
  if (drag.pans) setWindow({ from: w.from + from - to, to: w.to + from - to });
  else range.value = { from: Math.min(from, to), to: Math.max(from, to) };
}

/** The wheel zooms, with Shift it pans; over the names the charts scroll. */
function turn(event: WheelEvent, at: { inside: boolean; time: number }): void {
  if (!at.inside) return;
  event.preventDefault();
  if (event.shiftKey) panBy(Math.sign(event.deltaY || event.deltaX) * 0.1);
  else zoomBy(Math.exp(Math.max(-100, Math.min(100, event.deltaY)) * 0.003), at.time);
}

function attach(canvas: HTMLCanvasElement): () => void {
  let drag: Drag | null = null;
  const place = (event: MouseEvent) => placeOf(canvas, event);
  const measure = new ResizeObserver(() => {
    const f = frameIn(canvas);
    if (canvas.clientWidth) pixels.value = Math.max(64, Math.floor(f.right - f.left));
  });
  measure.observe(canvas);
  const stop = listen(
    canvas,
    {
      mousemove: (event) => {
        const at = place(event);
        canvas.style.cursor = !at.inside && at.row === 'modules' && shown.peek().length > 1 ? 'pointer' : '';
        hover.value =
          drag || !at.inside || (at.lane < 0 && !at.row)
            ? null
            : { time: at.time, lane: shown.peek()[at.lane] ?? -1, row: at.row, x: event.clientX, y: event.clientY };
      },
      mouseleave: () => {
        hover.value = null;
      },
      mousedown: (event) => {
        const at = place(event);
        if (event.button === 0) drag = { x: at.x, window: windowNow.peek(), pans: event.shiftKey, moved: false };
      },
      dblclick: () => setWindow(range.peek() ?? bounds.peek(), true),
      wheel: (event) => turn(event, place(event)),
    },
    {
      mousemove: (event) => {
        if (drag) dragTo(drag, place(event));
      },
      mouseup: (event) => {
        if (drag && !drag.moved) click(place(event), event);
        drag = null;
      },
    },
  );
  return together([() => measure.disconnect(), stop]);
}

function attachMinimap(canvas: HTMLCanvasElement): () => void {
  let from: number | null = null;
  const time = (event: MouseEvent) => {
    const box = canvas.getBoundingClientRect();
    const f = frameOf(canvas.clientWidth, 200, 2, room());
    return timeAt(f, bounds.peek(), Math.min(f.right, Math.max(f.left, event.clientX - box.left)));
  };
  return listen(
    canvas,
    {
      mousedown: (event) => {
        from = time(event);
      },
      dblclick: () => setWindow(bounds.peek(), true),
    },
    {
      mousemove: (event) => {
        if (from === null) return;
        const to = time(event);
        if (Math.abs(to - from) > (bounds.peek().to - bounds.peek().from) / 400) setWindow({ from: Math.min(from, to), to: Math.max(from, to) });
      },
      mouseup: (event) => {
        if (from === null) return;
        const to = time(event);
        const w = windowNow.peek();
        const half = (w.to - w.from) / 2;
        if (Math.abs(to - from) <= (bounds.peek().to - bounds.peek().from) / 400) setWindow({ from: to - half, to: to + half });
        from = null;
      },
    },
  );
}

/** What the picture says, in words. */
function label(): string {
  const list = shown.value.map((k) => tracks.value[k]).map((t) => `${t.title}: at most ${bytes(t.most_bytes)} at ${instant(t.most_at_ps)}`);
  return `Memory in use along the run. ${list.slice(0, 8).join('; ')}. The table (key T) has the numbers.`;
}

export function Strips() {
  return (
    <>
      <CanvasPart
        class="ot-canvas"
        label={label()}
        attach={attach}
        watch={watch}
        draw={(g, width, height, font) => drawScene(g, width, height, sceneOf(font))}
      />
      <CanvasPart
        class="ot-mini"
        label={`The whole trace, ${durationText(bounds.value.to - bounds.value.from)}; the window is framed`}
        attach={attachMinimap}
        watch={() => void [whole.value, focus.value, windowNow.value, bounds.value]}
        draw={(g, width, height, font) => drawMinimap(g, width, height, whole.peek()?.tracks[focus.peek()], bounds.peek(), windowNow.peek(), room(), font)}
      />
      <RangeLine />
      <Tip />
    </>
  );
}

/** As high as the strips would like to be, and as they have to be. */
export const stripsHeights = (): { '--strips': string; '--least': string } => ({
  '--strips': `${heightFor(shown.value.length, below.value.length)}px`,
  '--least': `${leastHeight(shown.value.length, below.value.length)}px`,
});

function RangeLine() {
  const r = range.value;
  const e = ranged.value;
  if (!r) return null;
  return (
    <p class="ot-range" role="status">
      <b>
        {instant(r.from)} – {instant(r.to)}
      </b>{' '}
      {e ? (
        <>
          {plural(e.allocated, 'allocation')}, {bytes(e.allocated_bytes)}; {plural(e.freed, 'free')}, {bytes(e.freed_bytes)}; net{' '}
          {signedBytes(e.allocated_bytes - e.freed_bytes)}; highest {e.most_bytes === null ? 'unknown' : bytes(e.most_bytes)}
        </>
      ) : (
        'counting …'
      )}{' '}
      <button type="button" class="link" onClick={() => setWindow(r, true)}>
        fit
      </button>{' '}
      <button
        type="button"
        class="link"
        onClick={() => {
          range.value = null;
        }}
      >
        clear
      </button>
    </p>
  );
}

/** What is in the rows below the strips. */
function RowTip({ row, time }: { row: 'modules' | 'asked'; time: number }) {
  if (row === 'asked') {
    const answer = curve.value;
    const askers = answer?.asked_by ?? [];
    return (
      <>
        <b>Threads that requested memory here</b>
        {askers.slice(0, 6).map((asker) => (
          <span key={asker.row ?? asker.thread}>
            <span class="cut">{asker.thread || 'not in the trace'}</span> <span class="num">{formatCount(asker.count)}</span>
          </span>
        ))}
        {askers.length > 6 || answer?.askers_left_out ? (
          <span class="soft">{plural(askers.length - 6 + (answer?.askers_left_out ?? 0), 'more thread')}</span>
        ) : null}
      </>
    );
  }
  const { lane, names } = modules.value ?? {};
  const k = lane ? lastAtOrBelow(lane.start, time) : -1;
  if (!lane || k < 0 || lane.end[k] < time) return <span class="soft">no program runs here</span>;
  return (
    <>
      <b>{lane.count[k] > 1 ? plural(lane.count[k], 'run') : programWord(names?.get(lane.name[k])?.caption ?? '')}</b>
      <span>
        {instant(lane.start[k])} <span class="num">{durationText(lane.end[k] - lane.start[k])}</span>
      </span>
    </>
  );
}

function Tip() {
  const at = hover.value;
  const t = at ? (curve.value ?? whole.value)?.tracks[at.lane] : undefined;
  if (!at || (!t && !at.row)) return null;
  const place = (element: HTMLElement | null) => {
    if (!element) return;
    element.style.left = `${Math.max(4, Math.min(at.x + 14, innerWidth - 260))}px`;
    element.style.top = `${Math.min(at.y + 14, innerHeight - 150)}px`;
  };
  if (!t || at.row)
    return (
      <div class="ot-tip" role="tooltip" ref={place}>
        {at.row ? <RowTip row={at.row} time={at.time} /> : null}
      </div>
    );
  const k = lastAtOrBelow(t.at_ps, at.time);
  const line = (name: string, size: number | null) =>
    size === null ? null : (
      <span>
        {name} <span class="num">{bytes(size)}</span>
      </span>
    );
  return (
    <div class="ot-tip" role="tooltip" ref={place}>
      <b>
        {t.title} <span class="num">{instant(at.time)}</span>
      </b>
      {k < 0 ? (
        <span class="soft">unknown before {instant(t.first_at_ps)}</span>
      ) : (
        <>
          {line('in use', t.most_here_bytes[k])}
          {line('stack', t.reserved_bytes[k])}
          {line('heap', t.allocated_bytes[k])}
          {line('free', t.available_bytes[k])}
          {t.fragmentation[k] === null ? null : (
            <span>
              fragmented <span class="num">{percent(t.fragmentation[k])}</span>
            </span>
          )}
        </>
      )}
    </div>
  );
}

/** What is drawn with its colour. */
export function Legend() {
  const list = shown.value.map((k) => tracks.value[k]);
  const has = (test: (t: (typeof list)[number]) => boolean) => list.some(test);
  const stack = has((t) => t.reserved_bytes.some((size) => (size ?? 0) > 0));
  const capacity = list.find((t) => showsCapacity(t, topOf(t)));
  const unknown = has((t) => t.capacity_bytes === null);
  return (
    <span class="ot-legend">
      {stack ? (
        <span>
          <i class="swatch ot-stack" /> stack
        </span>
      ) : null}
      <span>
        <i class="swatch ot-heap" /> heap
      </span>
      {capacity ? (
        <>
          <span>
            <i class="swatch ot-free" /> free
          </span>
          <span>
            <i class="ot-line ot-capacity" /> capacity <b>{bytes(capacity.capacity_bytes)}</b>
          </span>
        </>
      ) : null}
      {unknown ? <span class="soft">capacity unknown</span> : null}
      {steps.value?.growth.verdict.includes('leak') ? (
        <span>
          <i class="ot-dot" /> lowest of a step
        </span>
      ) : null}
      {has((t) => t.fragmentation.some((share) => share !== null)) ? (
        <span>
          <i class="ot-line ot-frag" /> fragmentation, right scale
        </span>
      ) : null}
      <span>
        <i class="swatch ot-hatch" /> nothing known yet
      </span>
    </span>
  );
}

/** The same as a table: one row an allocator at A and B. */
export function StripsTwin() {
  const rows = shown.value.map((k) => ({ t: tracks.value[k], a: heldAt.a.value[k], b: heldAt.b.value[k] }));
  return (
    <section class="ot-twin" aria-label="the allocators as a table" tabIndex={0}>
      <table class="ov-table">
        <thead>
          <tr>
            {['allocator', 'peak', 'at', 'capacity', 'heap peak', 'at A', 'at B', 'events', 'before the capture'].map((title, k) => (
              <th key={title} scope="col" class={k ? 'num' : ''}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ t, a: atA, b: atB }) => (
            <tr key={t.title}>
              <th scope="row">{t.title}</th>
              {[
                bytes(t.most_bytes),
                instant(t.most_at_ps),
                bytes(t.capacity_bytes),
                bytes(t.heap_most_bytes),
                bytes(atA),
                bytes(atB),
                formatCount(t.events),
                bytes(t.before_bytes),
              ].map((cell, k) => (
                <td key={k} class="num">
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
