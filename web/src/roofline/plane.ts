/** The plane of the roofline: two logarithmic axes, roofs as lines in it, where they meet. Pure. */

/** Powers of ten at the edges; y grows upwards. */
export interface Range2 {
  x0: number;
  x1: number;
  y0: number;
  y1: number;
}

/** A range in a frame of pixels. */
export interface Plane extends Range2 {
  left: number;
  top: number;
  width: number;
  height: number;
}

export const toX = (p: Plane, value: number): number => p.left + ((Math.log10(value) - p.x0) / (p.x1 - p.x0)) * p.width;
export const toY = (p: Plane, value: number): number => p.top + ((p.y1 - Math.log10(value)) / (p.y1 - p.y0)) * p.height;
export const fromX = (p: Plane, x: number): number => 10 ** (p.x0 + ((x - p.left) / p.width) * (p.x1 - p.x0));
export const fromY = (p: Plane, y: number): number => 10 ** (p.y1 - ((y - p.top) / p.height) * (p.y1 - p.y0));
export const isInside = (p: Plane, x: number, y: number): boolean => x >= p.left && x <= p.left + p.width && y >= p.top && y <= p.top + p.height;

/** FLOP a byte at which a memory and a unit take equally long. */
export const ridgeOf = (flops_per_s: number, bytes_per_s: number): number => flops_per_s / bytes_per_s;

export interface Line {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

/** The slope of a memory, from where it enters the plane to the level `top` or the edge; null: it is outside. */
export function slopeLine(p: Plane, bytes_per_s: number, top: number | null): Line | null {
  const first = Math.max(10 ** p.x0, 10 ** p.y0 / bytes_per_s);
  const last = Math.min(10 ** p.x1, 10 ** p.y1 / bytes_per_s, top === null ? Number.POSITIVE_INFINITY : top / bytes_per_s);
  if (!(first < last)) return null;
  return { x0: toX(p, first), y0: toY(p, first * bytes_per_s), x1: toX(p, last), y1: toY(p, last * bytes_per_s) };
}

/** The level of a unit, from where the steepest memory reaches it; null: it is outside. */
export function levelLine(p: Plane, flops_per_s: number, steepest: number | null): Line | null {
  const height = Math.log10(flops_per_s);
  const first = Math.max(10 ** p.x0, steepest === null ? 0 : flops_per_s / steepest);
  if (height < p.y0 || height > p.y1 || first >= 10 ** p.x1) return null;
  const y = toY(p, flops_per_s);
  return { x0: toX(p, first), y0: y, x1: p.left + p.width, y1: y };
}

/** Marks of an axis between two powers of ten: powers, with 2 and 5 between them where few fit, evenly where not even those do. */
export function logTicks(from: number, to: number, most: number): number[] {
  const out: number[] = [];
  const span = to - from;
  const factors = span * 3 <= most ? [1, 2, 5] : [1];
  const skip = Math.max(1, Math.ceil(span / most));
  for (let power = Math.floor(from); power <= Math.ceil(to); power++) if (power % skip === 0) for (const factor of factors) out.push(factor * 10 ** power);
  const inside = out.filter((value) => Math.log10(value) >= from - 1e-9 && Math.log10(value) <= to + 1e-9);
  if (inside.length >= 2 || span <= 0) return inside;
  const [low, high] = [10 ** from, 10 ** to];
  const raw = (high - low) / Math.max(most, 1);
  const unit = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((k) => k * unit).find((size) => size >= raw) ?? raw;
  const even: number[] = [];
  for (let value = Math.ceil(low / step) * step; value <= high; value += step) even.push(value);
  return even;
}

const LEAST_SPAN = 0.02;
const MOST_SPAN = 40;

function grown(from: number, to: number, anchor: number, factor: number): [number, number] {
  const span = Math.min(MOST_SPAN, Math.max(LEAST_SPAN, (to - from) * factor));
  const at = from + (to - from) * anchor;
  return [at - span * anchor, at + span * (1 - anchor)];
}

/** Closer (factor below 1) or wider, with the place at the anchor (0 to 1 from the left and from below) where it was. */
export function zoomed(r: Range2, ax: number, ay: number, factor: number): Range2 {
  const [x0, x1] = grown(r.x0, r.x1, ax, factor);
  const [y0, y1] = grown(r.y0, r.y1, ay, factor);
  return { x0, x1, y0, y1 };
}

export const moved = (r: Range2, dx: number, dy: number): Range2 => ({ x0: r.x0 + dx, x1: r.x1 + dx, y0: r.y0 + dy, y1: r.y1 + dy });

/** "-1.5,3" of the address; null: it says no range. */
export function parseRange(text: string | undefined): [number, number] | null {
  const [from, to] = (text ?? '').split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  const ok = Number.isFinite(from) && Number.isFinite(to) && to - from >= LEAST_SPAN && to - from <= MOST_SPAN && Math.abs(from) < 60 && Math.abs(to) < 60;
  return ok ? [from, to] : null;
}

export const formatRange = (from: number, to: number): string => `${Number(from.toFixed(3))},${Number(to.toFixed(3))}`;

export interface Weighted {
  x: number;
  y: number;
  weight: number;
}

/** Share of the time that the first picture shows at least; what else there is lies at its edges. */
const SHOWN = 0.95;

/**
 * The whole: the points that take most of the time, the roofs' corners, and some room. What takes a twentieth of the time
 * together does not press all others into a corner.
 */
export function wholeRange(points: readonly Weighted[], corners: readonly { x: number; y: number }[]): Range2 {
  const sorted = [...points].sort((a, b) => b.weight - a.weight);
  const all = sorted.reduce((sum, point) => sum + point.weight, 0);
  const xs = corners.map(({ x }) => Math.log10(x));
  const ys = corners.map(({ y }) => Math.log10(y));
  let seen = 0;
  for (const { x, y, weight } of sorted) {
    if (seen >= all * SHOWN && xs.length) break;
    seen += weight;
    xs.push(Math.log10(x));
    ys.push(Math.log10(y));
  }
  if (!xs.length) return { x0: -2, x1: 4, y0: 9, y1: 15 };
  const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const room = (low: number, high: number) => Math.max(0.35, (high - low) * 0.12);
  return { x0: x0 - room(x0, x1), x1: x1 + room(x0, x1), y0: y0 - room(y0, y1), y1: y1 + room(y0, y1) };
}
