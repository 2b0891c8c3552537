/** The chart of Compare: canvas, legend, wheel and drag, the box at the pointer, the table in its place. */
import type { ComparedCurve } from '../api/answers';
import { effect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { cssColor, themeVersion } from '../app/theme';
import { registerKeys } from '../app/keys';
import { setView, view } from '../app/router';
import { Surface } from '../canvas/surface';
import { panBy, xToStep, zoomAt, type Scale } from '../canvas/view';
import { registerPicture } from '../app/exports';
import { GUTTER_LEFT, GUTTER_RIGHT } from '../memory/layout';
import { twin } from '../memory/lower_state';
import { VirtualTable } from '../table/virtual';
import { formatBytes, formatCount, pageUnit } from '../util/format';
import { drawCompared, type CompareColours, type CompareDrawing } from './draw';
import { signed } from './head';
import { curve, hoverSlot, plotWidth, setWindow, showAll, slots, windowNow } from './state';
import type { Comparison } from '../memory/compare_types';
import { listen, together } from '../util/listen';
import { lastAtOrBelow } from '../util/bisect';

function colours(): CompareColours {
  return {
    fg: cssColor('--fg'),
    soft: cssColor('--fg-soft'),
    faint: cssColor('--fg-faint'),
    rule: cssColor('--rule'),
    bg: cssColor('--bg'),
    base: cssColor('--base'),
    accent: cssColor('--accent'),
    sunk: cssColor('--bg-sunk'),
    grow: cssColor('--grow'),
    shrink: cssColor('--shrink'),
    growSoft: cssColor('--grow-soft'),
    shrinkSoft: `color-mix(in srgb, ${cssColor('--shrink-soft')} 55%, transparent)`,
    peak: cssColor('--peak'),
  };
}

function scaleOf(width: number): Scale {
  return { left: GUTTER_LEFT, width: Math.max(1, width - GUTTER_LEFT - GUTTER_RIGHT), window: windowNow.peek() };
}

/** The window from one peak to the other, with some room. */
export function showPeaks(): boolean {
  const c = curve.peek();
  const [a, b] = [c?.before_peak_slot ?? null, c?.after_peak_slot ?? null];
  if (a === null || b === null) return false;
  const room = Math.max(6, Math.abs(b - a) * 0.25);
  setWindow({ from: Math.min(a, b) - room, to: Math.max(a, b) + room + 1 });
  return true;
}

const DRAG_PIXELS = 4;

/** Wheel zooms at the pointer, shift-wheel pans, a drag zooms to the range, a double click shows all. */
function gestures(canvas: HTMLCanvasElement, scale: () => Scale): () => void {
  let down: number | null = null;
  const xOf = (e: MouseEvent) => e.clientX - canvas.getBoundingClientRect().left;
  const shareOf = (e: MouseEvent) => Math.min(1, Math.max(0, (xOf(e) - scale().left) / scale().width));
  const wheel = (e: WheelEvent) => {
    if (slots.peek() === 0) return;
    e.preventDefault();
    const sideways = Math.abs(e.deltaX) > Math.abs(e.deltaY);
    if (e.shiftKey || sideways) setWindow(panBy(windowNow.peek(), (sideways ? e.deltaX : e.deltaY) / scale().width, slots.peek()));
    else setWindow(zoomAt(windowNow.peek(), shareOf(e), 1.0018 ** e.deltaY, slots.peek()));
  };
  const press = (e: MouseEvent) => {
    down = e.button === 0 ? xOf(e) : null;
  };
  const move = (e: MouseEvent) => {
    if (e.target !== canvas && down === null) return;
    hoverSlot.value = slots.peek() > 0 ? { slot: xToStep(scale(), xOf(e)), x: e.clientX, y: e.clientY } : null;
  };
  const release = (e: MouseEvent) => {
    const from = down;
    down = null;
    if (from === null || Math.abs(xOf(e) - from) < DRAG_PIXELS) return;
    const [x, y] = [xToStep(scale(), from), xToStep(scale(), xOf(e))];
    setWindow({ from: Math.min(x, y), to: Math.max(x, y) + 1 });
  };
  const leave = () => {
    hoverSlot.value = null;
  };
  const deafen = listen(canvas, { wheel, mousedown: press, mouseleave: leave, dblclick: showAll }, { mousemove: move, mouseup: release });
  return () => {
    deafen();
    hoverSlot.value = null;
  };
}

function chartKeys(): () => void {
  const zoom = (closer: boolean, fast: boolean) => {
    const at = hoverSlot.peek();
    const w = windowNow.peek();
    const factor = fast ? 2.4 : 1.3;
    setWindow(zoomAt(w, at ? (at.slot - w.from) / (w.to - w.from) : 0.5, closer ? 1 / factor : factor, slots.peek()));
  };
  const pan = (right: boolean, fast: boolean) => setWindow(panBy(windowNow.peek(), (right ? 1 : -1) * (fast ? 0.48 : 0.12), slots.peek()));
  return together([
    registerKeys('charts', {
      zoom: (_, stroke) => zoom(stroke === 0, false),
      zoom_fast: (_, stroke) => zoom(stroke === 0, true),
      pan: (_, stroke) => pan(stroke === 1, false),
      pan_fast: (_, stroke) => pan(stroke === 1, true),
    }),
    registerKeys('everywhere', { table_twin: () => setView({ table: view.peek().table ? null : 1 }) }),
  ]);
}

/** Draws the curves and hears the mouse and the keys, until the answer is called. */
function attach(canvas: HTMLCanvasElement, compared: () => Comparison): () => void {
  const surface: Surface = new Surface(
    canvas,
    (g, width, height) => {
      const c = curve.peek();
      if (!c) return;
      const { before, after } = compared();
      const drawing: CompareDrawing = {
        curve: c,
        scale: scaleOf(width),
        height,
        beforePeak: before.peak_bytes,
        afterPeak: after.peak_bytes,
        beforeStep: before.peak_step,
        afterStep: after.peak_step,
        hover: hoverSlot.peek()?.slot ?? null,
        font: `11px ${getComputedStyle(g.canvas).fontFamily}`,
      };
      drawCompared(g, drawing, colours());
    },
    (width) => {
      plotWidth.value = scaleOf(width).width;
    },
  );
  return together([
    effect(() => {
      void [curve.value, windowNow.value, hoverSlot.value, themeVersion.value, pageUnit.value];
      surface.dirty();
    }),
    gestures(canvas, () => scaleOf(surface.width)),
    registerPicture('comparison', () => surface.canvas),
    chartKeys(),
    () => surface.close(),
  ]);
}

export function ComparedChart({ a }: { a: Comparison }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const now = useRef(a);
  now.current = a;
  useEffect(() => (canvas.current ? attach(canvas.current, () => now.current) : undefined), []);
  const c = curve.value;
  const flat = c !== null && c.slots === 0;
  return (
    <div class={`cp-chart${twin.value || flat ? ' m-twin' : ''}`}>
      <Legend a={a} />
      {flat ? (
        <p class="m-note">Neither program has a heap trace in this memory space: there are no curves. The groups below are complete.</p>
      ) : twin.value && c ? (
        <Twin c={c} />
      ) : null}
      <canvas
        ref={canvas}
        class="cp-canvas"
        tabIndex={0}
        role="application"
        aria-label={
          c
            ? `Two programs over ${formatCount(c.slots)} aligned steps: ${formatCount(c.matched)} in both, ${formatCount(c.only_before)} only before, ${formatCount(c.only_after)} only after. T shows a table.`
            : 'Two programs over aligned steps'
        }
      />
      <Hover c={c} />
    </div>
  );
}

function Legend({ a }: { a: Comparison }) {
  const c = curve.value;
  return (
    <div class="m-legend">
      <b title="aligned by the longest common sequence of events with the same kind, opcode, shape and scope">{a.space_name}, aligned program order</b>
      <span class="m-unit">{pageUnit.value}</span>
      <span class="m-key cp-key">
        <i class="k-line cp-line-before" /> <span>before</span>
      </span>
      <span class="m-key cp-key">
        <i class="k-line" /> <span>after</span>
      </span>
      {c ? (
        <>
          <span class="m-key cp-key">
            <i class="k-box cp-both" /> <span>{formatCount(c.matched)} in both</span>
          </span>
          <span class="m-key cp-key">
            <i class="k-box cp-only-before" /> <span>{formatCount(c.only_before)} only before</span>
          </span>
          <span class="m-key cp-key">
            <i class="k-box cp-only-after" /> <span>{formatCount(c.only_after)} only after</span>
          </span>
          {c.whole ? null : (
            <span class="m-key" title="parts longer than 8,192 steps on both sides without a unique event were not aligned">
              <b>partly aligned</b>
            </span>
          )}
        </>
      ) : null}
      <span class="m-grow" />
      <button type="button" class="btn-s" onClick={showPeaks} title="go from one peak to the other (P)">
        Peaks<kbd>P</kbd>
      </button>
      <button type="button" class="btn-s" onClick={showAll} title="show all of both (F)">
        Fit<kbd>F</kbd>
      </button>
    </div>
  );
}

/** The column of a slot: the last that begins at or before it. */
const columnAt = (c: ComparedCurve, slot: number) => Math.max(0, lastAtOrBelow(c.columns.first_slot, slot));

function where(c: ComparedCurve, k: number): string {
  const { both, only_before, only_after } = c.columns;
  if (!c.exact) return `${formatCount(both[k] + only_before[k] + only_after[k])} events in this pixel`;
  return both[k] ? 'in both programs' : only_before[k] ? 'only before' : 'only after';
}

function Hover({ c }: { c: ComparedCurve | null }) {
  const at = hoverSlot.value;
  if (!at || !c || c.columns.n === 0) return null;
  const k = columnAt(c, at.slot);
  const { before_step, after_step, before_max_bytes: before_max, after_max_bytes: after_max } = c.columns;
  const step = (value: number | null) => (value === null ? 'not started' : `step ${formatCount(value)}`);
  return (
    <div class="m-hover" style={{ left: `${Math.min(at.x + 16, innerWidth - 330)}px`, top: `${Math.min(at.y + 14, innerHeight - 90)}px` }}>
      <div>
        before: {step(before_step[k])}, <b>{formatBytes(before_max[k])}</b>
      </div>
      <div>
        after: {step(after_step[k])}, <b>{formatBytes(after_max[k])}</b>
      </div>
      <div class="soft">
        {where(c, k)}; difference {signed(after_max[k] - before_max[k])}
      </div>
    </div>
  );
}

function Twin({ c }: { c: ComparedCurve }) {
  const { columns } = c;
  const step = (value: number | null) => (value === null ? <span class="faint">not begun</span> : formatCount(value));
  return (
    <VirtualTable<{ k: number }>
      label="two programs over aligned steps"
      count={columns.n}
      rowAt={(k) => ({ k })}
      columns={[
        { id: 'where', title: 'event', width: '160px', cell: ({ k }) => where(c, k) },
        { id: 'bs', title: 'before step', width: '100px', number: true, cell: ({ k }) => step(columns.before_step[k]) },
        { id: 'as', title: 'after step', width: '100px', number: true, cell: ({ k }) => step(columns.after_step[k]) },
        { id: 'b', title: 'before', width: '120px', number: true, cell: ({ k }) => formatBytes(columns.before_max_bytes[k]) },
        { id: 'a', title: 'after', width: '120px', number: true, cell: ({ k }) => formatBytes(columns.after_max_bytes[k]) },
        { id: 'd', title: 'difference', width: '120px', number: true, cell: ({ k }) => signed(columns.after_max_bytes[k] - columns.before_max_bytes[k]) },
      ]}
    />
  );
}
