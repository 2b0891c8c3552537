/** The step axis with the flag of the inspected step, and the whole curve below with a brush for the window. */
import { effect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { cssColor, themeVersion } from '../app/theme';
import { stepTicks } from '../canvas/axis';
import { Surface } from '../canvas/surface';
import { isAll, placeToX, type Scale, stepToX, type Window1 } from '../canvas/view';
import { formatCount } from '../util/format';
import { scaleOf } from './layout';
import { placeText } from './axis';
import { panned } from './gestures';
import { axisNow, inspected, overview, setWindow, stepCount, summary, windowNow } from './state';
import { listen } from '../util/listen';

export function StepAxis() {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    if (!canvas.current) return;
    const surface: Surface = new Surface(canvas.current, (g, width, height) => {
      const scale = scaleOf(width, windowNow.peek());
      const style = getComputedStyle(g.canvas);
      g.font = `11px ${style.fontFamily}`;
      g.textBaseline = 'middle';
      g.fillStyle = cssColor('--fg-soft');
      g.textAlign = 'right';
      const unit = scale.axis ? (overview.peek()?.unit ?? undefined) : undefined;
      g.fillText(unit === 'ns' ? 'time' : unit ? 'instr.' : 'step', scale.left - (unit === 'ns' ? 14 : 8), height / 2 + 1);
      g.textAlign = 'center';
      const step = inspected.peek();
      const label = `step ${formatCount(step)}`;
      const shown = step !== null && step >= scale.window.from && step < scale.window.to;
      const flagWidth = shown ? g.measureText(label).width * 1.08 + 12 : 0;
      const flagX = shown
        ? Math.min(Math.max(stepToX(scale, step + 0.5), scale.left + flagWidth / 2), scale.left + scale.width - flagWidth / 2)
        : Number.NEGATIVE_INFINITY;
      const { from, to } = scale.places ?? scale.window;
      for (const tick of stepTicks(from, to, Math.max(3, scale.width / 110))) {
        const x = placeToX(scale, tick);
        g.fillStyle = cssColor('--rule-strong');
        g.fillRect(Math.round(x), 0, 1, 4);
        g.fillStyle = cssColor('--fg-soft');
        const text = placeText(tick, unit, to - from);
        // the flag stands over a number or beside it, never across
        if (Math.abs(x - flagX) < flagWidth / 2 + g.measureText(text).width / 2 + 2) continue;
        g.fillText(text, x, height / 2 + 2);
      }
      if (step === null || !flagWidth) return;
      g.font = `600 11px ${style.fontFamily}`;
      const w = flagWidth;
      const x = flagX;
      g.fillStyle = cssColor('--cursor');
      g.beginPath();
      g.roundRect(x - w / 2, 1, w, height - 2, 3);
      g.fill();
      g.fillStyle = cssColor('--bg');
      g.fillText(label, x, height / 2 + 1);
    });
    const stop = effect(() => {
      void [windowNow.value, inspected.value, axisNow.value, themeVersion.value];
      surface.dirty();
    });
    return () => {
      stop();
      surface.close();
    };
  }, []);
  return <canvas ref={canvas} class="m-axis-canvas" aria-hidden="true" />;
}

/** Step (with its fraction) at a share of the width. */
function stepAt(scale: Scale, share: number): number {
  const { from, to } = scale.places ?? scale.window;
  const place = from + share * (to - from);
  return scale.axis ? scale.axis.stepOf(place) : place;
}

const wholeScale = (width: number) => scaleOf(width, { from: 0, to: Math.max(1, stepCount.peek()) });

/** How many steps the window has, left of the minimap. */
function drawCount(g: CanvasRenderingContext2D, height: number, scale: Scale): void {
  const w = windowNow.peek();
  g.font = `11px ${getComputedStyle(g.canvas).fontFamily}`;
  g.textBaseline = 'middle';
  g.textAlign = 'right';
  g.fillStyle = cssColor('--fg-soft');
  g.fillText(isAll(w, stepCount.peek()) ? 'all' : formatCount(Math.round(w.to - w.from)), scale.left - 8, height / 2);
}

function drawCurve(g: CanvasRenderingContext2D, height: number, scale: Scale): void {
  const c = overview.peek();
  const s = summary.peek();
  g.fillStyle = cssColor('--bg-sunk');
  g.fillRect(scale.left, 0, scale.width, height);
  if (!c || !s) return;
  g.fillStyle = cssColor('--o-none');
  const top = Math.max(s.peak.held_bytes, 1);
  for (let k = 0; k < c.n; k++) {
    const x0 = stepToX(scale, c.step[k]);
    const x1 = stepToX(scale, c.step[k] + c.count[k]);
    const h = ((c.max_bytes[k] + c.resident_bytes) / top) * (height - 3);
    g.fillRect(x0, height - h, x1 - x0 + 0.5, h);
  }
  if (s.peak.step === null) return;
  g.fillStyle = cssColor('--peak');
  g.fillRect(Math.round(stepToX(scale, s.peak.step + 0.5)), 0, 1.5, height);
}

/** The window with its two handles. */
function drawBrush(g: CanvasRenderingContext2D, height: number, scale: Scale): void {
  const w = windowNow.peek();
  const x0 = stepToX(scale, w.from);
  const x1 = stepToX(scale, w.to);
  g.fillStyle = cssColor('--accent');
  g.globalAlpha = 0.14;
  g.fillRect(x0, 0, x1 - x0, height);
  g.globalAlpha = 1;
  g.strokeStyle = cssColor('--accent');
  g.lineWidth = 1.5;
  g.strokeRect(x0 + 0.75, 0.75, Math.max(2, x1 - x0 - 1.5), height - 1.5);
  for (const x of [x0, x1]) {
    g.fillStyle = cssColor('--bg');
    g.beginPath();
    g.roundRect(x - 3, 3, 6, height - 6, 2);
    g.fill();
    g.stroke();
  }
}

type Grip = 'left' | 'right' | 'body';

/** What a press at `x` takes hold of; null is outside of the window. */
export function gripAt(x: number, scale: Scale, w: Window1, steps: number): Grip | null {
  const left = stepToX(scale, w.from);
  const right = stepToX(scale, w.to);
  if (Math.abs(x - left) < 7) return 'left';
  if (Math.abs(x - right) < 7) return 'right';
  return x > left && x < right && !isAll(w, steps) ? 'body' : null;
}

/** The window, or a quarter of all, with its middle under the pointer. */
export function centredAt(x: number, scale: Scale, w: Window1, steps: number): Window1 {
  const at = (x - scale.left) / scale.width;
  const span = isAll(w, steps) ? 0.125 : (stepToX(scale, w.to) - stepToX(scale, w.from)) / scale.width / 2;
  return { from: stepAt(scale, at - span), to: stepAt(scale, at + span) };
}

/** The window `from` after one of its ends went `by` pixels; two steps at least remain. */
export function resizedBy(by: number, grip: 'left' | 'right', scale: Scale, from: Window1): Window1 {
  const moved = (step: number) => stepAt(scale, (stepToX(scale, step) + by - scale.left) / scale.width);
  return grip === 'left' ? { from: Math.min(moved(from.from), from.to - 2), to: from.to } : { from: from.from, to: Math.max(moved(from.to), from.from + 2) };
}

/** The mouse on the minimap: drags a handle or the window; a double click shows all. */
function attachBrush(element: HTMLCanvasElement, whole: () => Scale): () => void {
  let grip: Grip | null = null;
  let from = { x: 0, from: 0, to: 0 };
  const xOf = (e: MouseEvent) => e.clientX - element.getBoundingClientRect().left;
  const press = (e: MouseEvent) => {
    const x = xOf(e);
    grip = gripAt(x, whole(), windowNow.peek(), stepCount.peek());
    if (!grip) {
      setWindow(centredAt(x, whole(), windowNow.peek(), stepCount.peek()));
      grip = 'body';
    }
    const now = windowNow.peek();
    from = { x, from: now.from, to: now.to };
    e.preventDefault();
  };
  const move = (e: MouseEvent) => {
    if (!grip) return;
    const scale = whole();
    const by = xOf(e) - from.x;
    if (grip === 'body') setWindow(panned(from, by / Math.max(1, stepToX(scale, from.to) - stepToX(scale, from.from))));
    else setWindow(resizedBy(by, grip, scale, from));
  };
  const release = () => {
    grip = null;
  };
  const all = () => setWindow({ from: 0, to: stepCount.peek() });
  return listen(element, { mousedown: press, dblclick: all }, { mousemove: move, mouseup: release });
}

export function Minimap() {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    if (!canvas.current) return;
    const surface: Surface = new Surface(canvas.current, (g, width, height) => {
      const scale = wholeScale(width);
      drawCount(g, height, scale);
      drawCurve(g, height, scale);
      drawBrush(g, height, scale);
    });
    const deafen = attachBrush(canvas.current, () => wholeScale(surface.width));
    const stop = effect(() => {
      void [overview.value, summary.value, windowNow.value, axisNow.value, themeVersion.value];
      surface.dirty();
    });
    return () => {
      deafen();
      stop();
      surface.close();
    };
  }, []);
  const w = windowNow.value;
  return (
    <canvas
      ref={canvas}
      class="m-mini-canvas"
      role="img"
      aria-label={`Whole program; showing steps ${Math.floor(w.from)} to ${Math.ceil(w.to)} of ${stepCount.value}`}
      title="drag the handles or the window; double click to show all"
    />
  );
}
