/** One-dimensional window over steps: the x scale that chart, scope strip, map and minimap share. Pure. */
export interface Window1 {
  readonly from: number;
  readonly to: number;
}

/** Narrowest window a person can zoom to, in steps. */
const MIN_STEPS = 2;

export function clampWindow(w: Window1, steps: number): Window1 {
  const max = Math.max(steps, 1);
  const span = Math.min(Math.max(w.to - w.from, Math.min(MIN_STEPS, max)), max);
  const from = Math.min(Math.max(w.from, 0), max - span);
  return { from, to: from + span };
}

/** What x counts: a place for each step (fractions between), never falling, and back. */
export interface Axis {
  placeOf(step: number): number;
  stepOf(place: number): number;
}

/** Heap events: the steps themselves. */
export const STEPS: Axis = { placeOf: (step) => step, stepOf: (place) => place };

/** The window between two places, moved inside the program. */
function windowAt(from: number, span: number, steps: number, axis: Axis): Window1 {
  const last = axis.placeOf(Math.max(steps, 1));
  const start = Math.max(axis.placeOf(0), Math.min(from, last - span));
  return clampWindow({ from: axis.stepOf(start), to: axis.stepOf(Math.min(start + span, last)) }, steps);
}

/** Zooms by `factor` (below 1 = closer) keeping the step under `anchor` (0..1 of the width) in place. */
export function zoomAt(w: Window1, anchor: number, factor: number, steps: number, axis: Axis = STEPS): Window1 {
  const first = axis.placeOf(w.from);
  const span = axis.placeOf(w.to) - first;
  const least = axis === STEPS ? Math.min(MIN_STEPS, steps) : 0;
  const next = Math.max(span * factor, least);
  return windowAt(first + (span - next) * anchor, next, steps, axis);
}

export function panBy(w: Window1, share: number, steps: number, axis: Axis = STEPS): Window1 {
  const first = axis.placeOf(w.from);
  const span = axis.placeOf(w.to) - first;
  return windowAt(first + span * share, span, steps, axis);
}

export function isAll(w: Window1, steps: number): boolean {
  return w.from <= 0 && w.to >= steps;
}

/** Pixel of a step's left edge, and back. `left` and `width` are CSS pixels. */
export interface Scale {
  readonly left: number;
  readonly width: number;
  readonly window: Window1;
  /** Heap events when absent. */
  readonly axis?: Axis;
  /** Places of the window's edges on that axis. */
  readonly places?: Window1;
}

export function stepToX(s: Scale, step: number): number {
  const { from, to } = s.places ?? s.window;
  return s.left + (((s.axis ? s.axis.placeOf(step) : step) - from) / (to - from)) * s.width;
}

export function placeToX(s: Scale, place: number): number {
  const { from, to } = s.places ?? s.window;
  return s.left + ((place - from) / (to - from)) * s.width;
}

/** The step whose column holds the pixel, clamped to the window. */
export function xToStep(s: Scale, x: number): number {
  const { from, to } = s.places ?? s.window;
  const place = from + ((x - s.left) / s.width) * (to - from);
  const at = Math.floor(s.axis ? s.axis.stepOf(place) : place);
  return Math.min(Math.max(at, Math.floor(s.window.from)), Math.ceil(s.window.to) - 1);
}
