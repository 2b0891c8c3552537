/** One-dimensional window over steps: the x scale that chart, scope strip, map and minimap share. Pure. */
export interface Window1 {
  readonly from: number;
  readonly to: number;
}

/** Narrowest window a person can zoom to, in steps. */
export const MIN_STEPS = 2;

export function clampWindow(w: Window1, steps: number): Window1 {
  const max = Math.max(steps, 1);
  const span = Math.min(Math.max(w.to - w.from, Math.min(MIN_STEPS, max)), max);
  const from = Math.min(Math.max(w.from, 0), max - span);
  return { from, to: from + span };
}

/** Zooms by `factor` (below 1 = closer) keeping the step under `anchor` (0..1 of the width) in place. */
export function zoomAt(w: Window1, anchor: number, factor: number, steps: number): Window1 {
  const span = w.to - w.from;
  const next = Math.min(Math.max(span * factor, Math.min(MIN_STEPS, steps)), Math.max(steps, 1));
  const at = w.from + span * anchor;
  return clampWindow({ from: at - next * anchor, to: at - next * anchor + next }, steps);
}

export function panBy(w: Window1, share: number, steps: number): Window1 {
  const by = (w.to - w.from) * share;
  return clampWindow({ from: w.from + by, to: w.to + by }, steps);
}

export function isAll(w: Window1, steps: number): boolean {
  return w.from <= 0 && w.to >= steps;
}

/** Pixel of a step's left edge, and back. `left` and `width` are CSS pixels. */
export interface Scale {
  readonly left: number;
  readonly width: number;
  readonly window: Window1;
}

export function stepToX(s: Scale, step: number): number {
  return s.left + ((step - s.window.from) / (s.window.to - s.window.from)) * s.width;
}

/** The step whose column holds the pixel, clamped to the window. */
export function xToStep(s: Scale, x: number): number {
  const span = s.window.to - s.window.from;
  const at = Math.floor(s.window.from + ((x - s.left) / s.width) * span);
  return Math.min(Math.max(at, Math.floor(s.window.from)), Math.ceil(s.window.to) - 1);
}
