/** Sizes shared by chart, scope strip, address map and minimap: one left gutter, one x scale. CSS pixels. */
import type { Scale, Window1 } from '../canvas/view';
import { axisNow } from './state';

export const GUTTER_LEFT = 66;
export const GUTTER_RIGHT = 14;

export function scaleOf(width: number, window: Window1): Scale {
  const size = { left: GUTTER_LEFT, width: Math.max(1, width - GUTTER_LEFT - GUTTER_RIGHT), window };
  const axis = axisNow.peek();
  if (!axis) return size;
  const from = axis.placeOf(window.from);
  // a window of no width (steps that took no time) must not divide by zero
  return { ...size, axis, places: { from, to: Math.max(axis.placeOf(window.to), from + 1e-6) } };
}
