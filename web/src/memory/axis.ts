/** Places of steps on an axis other than heap events: knots of (step, place) from the server's columns, straight
 *  lines between them. A column is one step, or several within one pixel, so the lines are right to a pixel. Pure. */
import type { Curve } from '../api/types';
import type { Axis } from '../canvas/view';
import { formatCount } from '../util/format';
import { lastAtOrBelow } from '../util/bisect';

export type AxisId = 'event' | 'instruction' | 'time';

function between(from: Float64Array, to: Float64Array, value: number): number {
  const last = from.length - 1;
  if (value >= from[last]) return to[last];
  const k = Math.max(0, lastAtOrBelow(from, value));
  const span = from[k + 1] - from[k];
  return span > 0 ? to[k] + ((value - from[k]) / span) * (to[k + 1] - to[k]) : to[k];
}

export function axisOf(step: Float64Array, place: Float64Array): Axis {
  return {
    placeOf: (at) => between(step, place, Math.max(at, step[0])),
    stepOf: (at) => between(place, step, Math.max(at, place[0])),
  };
}

/** Knots of the whole program, with the finer ones of the window in their place; null when the answers have none. */
export function axisFrom(whole: Curve | null, part: Curve | null, id: AxisId): Axis | null {
  if (id === 'event' || !whole?.x || whole.axis !== id || whole.n === 0) return null;
  const fine = part?.x && part.axis === id && part.n > 0 ? part : null;
  const knots: [number, number][] = [];
  const add = (c: Curve, from: number, to: number) => {
    for (let k = 0; k < c.n; k++) if (c.step[k] >= from && c.step[k] < to) knots.push([c.step[k], c.x?.[k] ?? 0]);
  };
  add(whole, 0, fine ? fine.from : whole.to);
  if (fine) {
    add(fine, fine.from, fine.to);
    knots.push([fine.to, fine.x_end ?? 0]);
    add(whole, fine.to + 1, whole.to);
  }
  if (!fine || fine.to < whole.to) knots.push([whole.to, whole.x_end ?? 0]);
  return axisOf(
    Float64Array.from(knots, (k) => k[0]),
    Float64Array.from(knots, (k) => k[1]),
  );
}

/** Numbers on the axis; `unit` is the answer's. */
export function placeText(place: number, unit: string | undefined, span: number): string {
  if (unit !== 'ns') return formatCount(place);
  const [size, word] = span >= 5e8 ? [1e9, 's'] : span >= 5e5 ? [1e6, 'ms'] : span >= 500 ? [1e3, '\u00b5s'] : [1, 'ns'];
  return `${(place / size).toLocaleString('en-US', { maximumFractionDigits: 3 })} ${word}`;
}
