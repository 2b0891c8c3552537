/** The chart: a canvas with roofs and points, what the pointer does on it, and the box beside the pointer. */
import { computed, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { view } from '../app/router';
import { textWidth } from '../canvas/text';
import { timeText } from '../explain/numbers';
import { Drawing } from '../charts/drawing';
import { change, choose, ops } from '../ops/state';
import { listen } from '../util/listen';
import { drawScene, plainText, type Selected } from './draw';
import { fromX, fromY, isInside, moved, type Plane, type Range2, zoomed } from './plane';
import type { Memory, Point } from './points';
import { boxOf, formatLens, inBox, offWords, parseLens, peakText, pointAt, type Roof, roofAt, type Scene, sceneOf, shareText } from './scene';
import { current, diamonds, limitOf, memory, memoryOf, points, programs, range, roofline, roofs, type Roofline, setRange, size } from './state';

const MEMORY_WORDS: Record<Memory, string> = {
  hbm: 'the first memory',
  vmem_read: 'VMEM read',
  vmem_write: 'VMEM written',
  cmem_read: 'CMEM read',
  cmem_write: 'CMEM written',
};
const ROOF_COLOURS: Record<string, string> = {
  flops: '--fg',
  vector: '--fg-soft',
  bandwidth: '--o-host',
  shared: '--o-move',
  vmem_read: '--o-reduce',
  vmem_write: '--o-move',
  cmem_read: '--o-elem',
  cmem_write: '--o-custom',
};

/** The roofs of the answer; of a figure that a person replaced also the one that it had. */
function roofsOf(r: Roofline): Roof[] {
  if (!r.peaks) return bestRoofs(r);
  const { roofs: t } = r;
  const out: Roof[] = [];
  t.limit.forEach((limit, k) => {
    const per_s = t.peak_per_s[k];
    if (per_s === null || limit === 'link') return;
    const unit = t.unit[k];
    const main = limit === 'flops' ? k === 0 : limit === limitOf(memory.peek());
    const name = `${t.name[k]} ${peakText(per_s, unit)}`;
    const more = [t.dtype[k], t.source[k] === 'typed' ? 'typed' : '', !unit && !t.operations[k] ? 'no bytes known' : ''].filter(Boolean);
    const colour = ROOF_COLOURS[limit] ?? '--fg-soft';
    out.push({ limit, text: [name, ...more].join(', '), colour, unit, per_s, used: t.operations[k] > 0, main });
    const before = t.said_per_s[k];
    if (t.source[k] === 'typed' && before !== null)
      out.push({
        limit: '',
        text: `${t.name[k]} ${peakText(before, unit)}, as the ${t.said_source[k] === 'table' ? 'table' : 'profile'} says`,
        colour: '--fg-faint',
        unit,
        per_s: before,
        used: false,
        main: false,
      });
  });
  return out;
}

function bestRoofs(r: Roofline): Roof[] {
  const out: Roof[] = [];
  const best = (limit: string, per_s: number | null, by: string, unit: boolean) => {
    if (per_s) out.push({ limit, text: `best seen ${peakText(per_s, unit)}: ${by}`, colour: ROOF_COLOURS[limit], unit, per_s, used: false, main: true });
  };
  best('flops', r.best_flops_per_s, r.best_flops_by, true);
  if (memory.peek() === 'hbm') best('bandwidth', r.best_hbm_bytes_per_s, r.best_hbm_by, false);
  return out;
}

const EDGE = { left: 46, right: 14, top: 20, bottom: 40 };
const frame = signal({ width: 0, height: 0 });
/** What is hit and drawn; null until there is an answer and a frame. */
const scene = computed<Scene | null>(() => {
  const r = roofline.value;
  const { width, height } = frame.value;
  if (!r || width < 120 || height < 120) return null;
  const plane: Plane = { ...range.value, left: EDGE.left, top: EDGE.top, width: width - EDGE.left - EDGE.right, height: height - EDGE.top - EDGE.bottom };
  const measure = document.createElement('canvas').getContext('2d');
  if (measure) measure.font = `11px ${fonts().mono}`;
  return sceneOf({
    plane,
    points: points.value,
    size: size.value,
    roofs: roofsOf(r),
    diamonds: diamonds.value,
    width: (text) => (measure ? textWidth(measure, text) : text.length * 7),
    lens: view.value.rlens,
  });
});

function fonts(): { font: string; mono: string } {
  const style = getComputedStyle(document.body);
  return { font: style.fontFamily, mono: style.getPropertyValue('--mono').trim() || 'monospace' };
}

/** "4.2x to the roof" of the chosen operation. */
const selected = computed<Selected | null>(() => {
  const o = ops.value;
  const k = current.value;
  if (!o || k < 0 || programs.value) return null;
  const c = o.ops;
  const rate = c.flops_per_s[k];
  const { flops, bytes, best } = roofs.value;
  const share = c.roofline_share[k];
  const seen = best && flops && c.intensity[k] ? Math.min(flops, bytes ? bytes * (c.intensity[k] as number) : flops) : null;
  const roof = rate === null ? null : (seen ?? (share ? rate / share : null));
  const far = roof && rate ? roof / rate : 0;
  const words =
    far >= 1
      ? `${far >= 100 ? Math.round(far) : far.toFixed(1)} × below ${best ? 'best seen' : 'the roof'}`
      : far
        ? `${(1 / far).toFixed(1)} × above ${best ? 'the best of 50 µs or more' : 'its roof'}`
        : '';
  return { k, roof, text: words };
});

const hover = signal<{ point: Point; x: number; y: number } | null>(null);

function Tip() {
  const at = hover.value;
  const o = ops.value;
  if (!at || !o) return null;
  const c = o.ops;
  const { point } = at;
  const { k } = point;
  const place = (element: HTMLDivElement | null) => {
    if (!element) return;
    element.style.left = `${Math.min(at.x + 14, Math.max(frame.value.width - element.offsetWidth - 4, 0))}px`;
    element.style.top = `${Math.min(at.y + 14, Math.max(frame.value.height - element.offsetHeight - 4, 0))}px`;
  };
  const rates = `${peakText(point.y, true)}${Number.isFinite(point.x) ? ` at ${plainText(point.x)} FLOP a byte` : ', no byte of this memory'}`;
  return (
    <div class="rf-tip" ref={place}>
      <b class="mono">{point.name}</b>
      <span>{rates}</span>
      {programs.value ? null : (
        <>
          <span>
            {c.roofline_share[k] === null ? `bound: ${c.bound[k]}` : `${shareText(c.roofline_share[k])} of its roof, bound by ${c.roof[k] ?? c.bound[k]}`}
          </span>
          <span>
            {timeText(c.self_ps[k] / 1e12)} in {c.executions[k].toLocaleString('en-US')} runs
            {c.chip_spread[k] === null ? '' : `; slowest chip ${(c.chip_spread[k] as number).toFixed(2)} × the fastest`}
          </span>
        </>
      )}
    </div>
  );
}

/** Closer or wider around a place of the frame, the middle where none is given. */
export function zoomBy(factor: number, at?: { x: number; y: number }): boolean {
  const p = scene.peek()?.plane;
  if (!p) return false;
  const ax = at ? (at.x - p.left) / p.width : 0.5;
  const ay = at ? 1 - (at.y - p.top) / p.height : 0.5;
  setRange(zoomed(range.peek(), ax, ay, factor));
  return true;
}

export function panBy(share: number): boolean {
  const r = range.peek();
  setRange(moved(r, (r.x1 - r.x0) * share, 0));
  return true;
}

const FIT_SPAN = 0.6;

/** The chart around one point. */
export function fitPoint(point: Point | undefined): boolean {
  if (!point || !Number.isFinite(point.x)) return false;
  const [x, y] = [Math.log10(point.x), Math.log10(point.y)];
  setRange({ x0: x - FIT_SPAN, x1: x + FIT_SPAN, y0: y - FIT_SPAN, y1: y + FIT_SPAN });
  return true;
}

export function lensToZoom(): boolean {
  const lens = scene.peek()?.lens;
  if (!lens) return false;
  const { x0, x1, y0, y1 } = lens.plane;
  setRange({ x0, x1, y0, y1 });
  return true;
}

export function closeLens(): boolean {
  if (!scene.peek()?.lens) return false;
  change({ rlens: '-' });
  return true;
}

const DRAG = 4;
const HEAD = 22;
const CORNER = 14;

type Held = { kind: 'zoom' | 'pan' | 'lens' | 'corner'; x: number; y: number; range: Range2; moved: boolean };

/** What a press at a place takes hold of. */
function kindAt(s: Scene, x: number, y: number, e: MouseEvent): Held['kind'] | null {
  const lens = s.lens?.box;
  if (lens && x >= lens.right - CORNER && x <= lens.right && y >= lens.bottom - CORNER && y <= lens.bottom) return 'corner';
  if (lens && inBox({ ...lens, bottom: lens.top + HEAD }, x, y)) return 'lens';
  if (lens && inBox(lens, x, y)) return null;
  return isInside(s.plane, x, y) ? (e.shiftKey || e.button === 1 ? 'pan' : 'zoom') : null;
}

function dragPlane({ plane }: Scene, { range: r, ...h }: Held, x: number, y: number): void {
  setRange(moved(r, ((h.x - x) / plane.width) * (r.x1 - r.x0), ((y - h.y) / plane.height) * (r.y1 - r.y0)));
}

/** The lens, or its corner, goes with the pointer. */
function dragLens(s: Scene, h: Held, x: number, y: number): void {
  if (!s.lens) return;
  const chart = boxOf(s.plane);
  const [dx, dy] = [x - h.x, y - h.y];
  const { left, top, right, bottom } = s.lens.box;
  const next =
    h.kind === 'lens'
      ? { left: left + dx, top: top + dy, right: right + dx, bottom: bottom + dy }
      : { left, top, right: Math.max(left + 160, right + dx), bottom: Math.max(top + 110, bottom + dy) };
  const said = formatLens(next, chart);
  if (parseLens(said, chart)) change({ rlens: said });
  h.x = x;
  h.y = y;
}

/** The part of the chart between two places fills it. */
function zoomInto({ plane }: Scene, h: Held, x: number, y: number): void {
  if (Math.abs(x - h.x) <= DRAG || Math.abs(y - h.y) <= DRAG) return;
  setRange({
    x0: Math.log10(fromX(plane, Math.min(h.x, x))),
    x1: Math.log10(fromX(plane, Math.max(h.x, x))),
    y0: Math.log10(fromY(plane, Math.max(h.y, y))),
    y1: Math.log10(fromY(plane, Math.min(h.y, y))),
  });
}

function hoverAt(canvas: HTMLCanvasElement, s: Scene, x: number, y: number): void {
  const point = pointAt(s, x, y);
  hover.value = point ? { point, x, y } : null;
  canvas.style.cursor = point || (roofAt(s, x, y) && !programs.peek()) ? 'pointer' : '';
}

function attach(canvas: HTMLCanvasElement, mark: (box: { x0: number; y0: number; x1: number; y1: number } | null) => void): () => void {
  let held: Held | null = null;
  const place = (e: MouseEvent) => {
    const box = canvas.getBoundingClientRect();
    return { x: e.clientX - box.left, y: e.clientY - box.top };
  };
  const press = (e: PointerEvent) => {
    const s = scene.peek();
    const { x, y } = place(e);
    const kind = s && e.button <= 1 ? kindAt(s, x, y, e) : null;
    if (!kind) return;
    held = { kind, x, y, range: range.peek(), moved: false };
    canvas.setPointerCapture(e.pointerId);
  };
  const move = (e: PointerEvent) => {
    const s = scene.peek();
    if (!s) return;
    const { x, y } = place(e);
    if (!held) {
      hoverAt(canvas, s, x, y);
      return;
    }
    if (!held.moved && Math.hypot(x - held.x, y - held.y) < DRAG) return;
    held.moved = true;
    hover.value = null;
    if (held.kind === 'zoom') mark({ x0: Math.min(held.x, x), y0: Math.min(held.y, y), x1: Math.max(held.x, x), y1: Math.max(held.y, y) });
    else if (held.kind === 'pan') dragPlane(s, held, x, y);
    else dragLens(s, held, x, y);
  };
  const release = (e: PointerEvent) => {
    const s = scene.peek();
    const h = held;
    held = null;
    mark(null);
    if (!s) return;
    const { x, y } = place(e);
    if (!h?.moved) click(s, x, y);
    else if (h.kind === 'zoom') zoomInto(s, h, x, y);
  };
  const wheel = (e: WheelEvent) => {
    e.preventDefault();
    if (e.shiftKey) panBy((e.deltaY || e.deltaX) / 1000);
    else zoomBy(1.0018 ** e.deltaY, place(e));
  };
  const double = (e: MouseEvent) => {
    const s = scene.peek();
    const { x, y } = place(e);
    if (s) fitPoint(pointAt(s, x, y) ?? undefined);
  };
  const leave = () => {
    hover.value = null;
  };
  return listen(canvas, { pointerdown: press, pointermove: move, pointerup: release, dblclick: double, pointerleave: leave, wheel });
}

function click(s: Scene, x: number, y: number): void {
  const point = pointAt(s, x, y);
  if (point && programs.peek()) change({ module: point.module, rkind: null });
  else if (point) choose(point);
  else if (!programs.peek()) {
    const next = memoryOf(roofAt(s, x, y)?.limit ?? '');
    if (next) change({ rmem: next === 'hbm' ? null : next, rx: null });
  }
}

/** What lies beyond the edges, for the title. */
export function beyondEdges(): string[] {
  const s = scene.value;
  if (!s) return [];
  const edge = {
    left: () => plainText(10 ** s.plane.x0),
    right: () => plainText(10 ** s.plane.x1),
    above: () => peakText(10 ** s.plane.y1, true),
    below: () => peakText(10 ** s.plane.y0, true),
  };
  return offWords(s, (side) => edge[side]());
}

export function Chart() {
  const root = useRef<HTMLDivElement>(null);
  const band = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const canvas = root.current?.querySelector('canvas');
    if (!canvas) return;
    return attach(canvas, (box) => {
      const element = band.current;
      if (!element) return;
      element.hidden = !box;
      if (box) Object.assign(element.style, { left: `${box.x0}px`, top: `${box.y0}px`, width: `${box.x1 - box.x0}px`, height: `${box.y1 - box.y0}px` });
    });
  }, []);
  const s = scene.value;
  const title = `operational intensity, FLOP per byte of ${MEMORY_WORDS[memory.value]}`;
  return (
    <div class="rf-chart" ref={root}>
      <Drawing
        class="rf-canvas"
        label={`roofline: ${points.value.length} ${programs.value ? 'programs' : 'operations'}; T shows them as a table`}
        picture="roofline"
        tabIndex={0}
        onResize={(width, height) => {
          frame.value = { width, height };
        }}
        watch={() => void [scene.value, selected.value]}
        draw={(g) => {
          const now = scene.peek();
          if (now) drawScene(g, now, { ...fonts(), selected: selected.peek() }, title);
        }}
      />
      <div ref={band} class="rf-band" hidden />
      <Tip />
      {s?.lens ? (
        <span class="rf-lens-said" role="status">
          lens over {s.lens.dots.length} operations close together; Z zooms there, Esc closes it
        </span>
      ) : null}
    </div>
  );
}
