/** Mouse on the charts: wheel zooms at the cursor, shift-wheel or sideways pans, drag selects a range,
 *  shift-drag pans, click inspects or pins, double click fits. Works on the shared x scale. */
import { panBy, STEPS, xToStep, zoomAt, type Scale, type Window1 } from '../canvas/view';
import { axisNow, change, range, setWindow, stepCount, windowNow, dragMode } from './state';
import { listen } from '../util/listen';

interface GestureTarget {
  scale: () => Scale;
  click: (event: MouseEvent, step: number) => void;
  doubleClick?: (step: number) => void;
  hover: (event: MouseEvent | null, step: number) => void;
}

const DRAG_PIXELS = 4;

function shareOf(scale: Scale, x: number): number {
  return Math.min(1, Math.max(0, (x - scale.left) / scale.width));
}

/** A window moved by a share of its width on the axis. */
export function panned(w: Window1, share: number): Window1 {
  return panBy(w, share, stepCount.peek(), axisNow.peek() ?? STEPS);
}

function zoomTo(anchor: number, factor: number): void {
  setWindow(zoomAt(windowNow.peek(), anchor, factor, stepCount.peek(), axisNow.peek() ?? STEPS));
}

export function attachGestures(canvas: HTMLCanvasElement, target: GestureTarget): () => void {
  let down: { x: number; step: number; pan: boolean; moved: boolean; from: number; to: number } | null = null;
  const xOf = (e: MouseEvent) => e.clientX - canvas.getBoundingClientRect().left;

  const wheel = (e: WheelEvent) => {
    if (stepCount.value === 0) return;
    e.preventDefault();
    const scale = target.scale();
    if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) {
      const delta = Math.abs(e.deltaX) > Math.abs(e.deltaY) ? e.deltaX : e.deltaY;
      setWindow(panned(windowNow.peek(), delta / scale.width));
    } else {
      zoomTo(shareOf(scale, xOf(e)), 1.0018 ** e.deltaY);
    }
  };
  const press = (e: MouseEvent) => {
    if (e.button > 1 || stepCount.value === 0) return;
    const w = windowNow.peek();
    const pan = e.shiftKey || e.button === 1 || dragMode.peek() === 'pan';
    down = { x: xOf(e), step: xToStep(target.scale(), xOf(e)), pan, moved: false, from: w.from, to: w.to };
    if (e.button === 1) e.preventDefault();
  };
  const move = (e: MouseEvent) => {
    const x = xOf(e);
    const scale = target.scale();
    if (!down) {
      if (e.target === canvas) target.hover(e, xToStep(scale, x));
      return;
    }
    if (!down.moved && Math.abs(x - down.x) < DRAG_PIXELS) return;
    down.moved = true;
    if (down.pan) {
      setWindow(panned(down, (down.x - x) / scale.width));
      return;
    }
    const at = xToStep(scale, x);
    range.value = { from: Math.min(down.step, at), to: Math.max(down.step, at) + 1 };
  };
  const release = (e: MouseEvent) => {
    if (!down) return;
    const was = down;
    down = null;
    if (!was.moved) {
      if (e.target === canvas) target.click(e, was.step);
      return;
    }
    if (!was.pan && dragMode.peek() === 'zoom' && range.value) {
      setWindow(range.value);
      range.value = null;
    }
  };
  const leave = () => {
    if (!down) target.hover(null, 0);
  };
  const double = (e: MouseEvent) => target.doubleClick?.(xToStep(target.scale(), xOf(e)));

  return listen(canvas, { wheel, mousedown: press, mouseleave: leave, dblclick: double }, { mousemove: move, mouseup: release });
}

/** Keys that move the window; factor 4 with shift. */
export function zoomByKey(closer: boolean, fast: boolean, anchor: number): void {
  const factor = fast ? 2.4 : 1.3;
  zoomTo(anchor, closer ? 1 / factor : factor);
}
export function panByKey(right: boolean, fast: boolean): void {
  const share = fast ? 0.48 : 0.12;
  setWindow(panned(windowNow.peek(), right ? share : -share));
}
export function showAll(): void {
  range.value = null;
  change({ from: null, to: null });
}
