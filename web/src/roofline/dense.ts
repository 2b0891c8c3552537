/** Places where points lie on each other: which of them the lens shows, where it stands, and density where there are very many. Pure. */
import type { Box } from './labels';
import { touches } from './labels';

export interface Dot {
  x: number;
  y: number;
  r: number;
}

/** Of the largest points so many are looked at, and so many on each other make a dense place. */
const LOOKED_AT = 40;
const DENSE = 3;
/** Two points are on each other when their centres are nearer than this share of their radii together. */
const NEAR = 0.75;

/** The dense place with the most points among the largest, as indices; dots come largest first. Empty: there is none. */
export function densePlace(dots: readonly Dot[]): number[] {
  const n = Math.min(dots.length, LOOKED_AT);
  const group = Array.from({ length: n }, (_, k) => k);
  const root = (k: number): number => {
    while (group[k] !== k) k = group[k];
    return k;
  };
  for (let a = 0; a < n; a++)
    for (let b = a + 1; b < n; b++) if (Math.hypot(dots[a].x - dots[b].x, dots[a].y - dots[b].y) < (dots[a].r + dots[b].r) * NEAR) group[root(b)] = root(a);
  const members = new Map<number, number[]>();
  for (let k = 0; k < n; k++) members.set(root(k), [...(members.get(root(k)) ?? []), k]);
  let best: number[] = [];
  for (const some of members.values()) if (some.length >= DENSE && some.length > best.length) best = some;
  return best;
}

/** Around the points, with some room. */
export function frameOf(dots: readonly Dot[], room = 6): Box {
  return {
    left: Math.min(...dots.map(({ x, r }) => x - r)) - room,
    top: Math.min(...dots.map(({ y, r }) => y - r)) - room,
    right: Math.max(...dots.map(({ x, r }) => x + r)) + room,
    bottom: Math.max(...dots.map(({ y, r }) => y + r)) + room,
  };
}

/** A place for a box of that size in the chart that covers the fewest points, away from `source`. */
export function freePlace(chart: Box, width: number, height: number, dots: readonly Dot[], source: Box): Box {
  const margin = 10;
  const below = 52; // the words of the ridge points
  const xs = [chart.right - width - margin, chart.left + margin, (chart.left + chart.right - width) / 2];
  const ys = [chart.bottom - height - below, chart.top + margin, (chart.top + chart.bottom - height) / 2];
  let best: Box | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const top of ys)
    for (const left of xs) {
      const box = { left, top, right: left + width, bottom: top + height };
      const covered = dots.reduce(
        (sum, { x, y, r }) => sum + (touches(box, { left: x - r, top: y - r, right: x + r, bottom: y + r }) ? r * r : 0),
        touches(box, source) ? 1e9 : 0,
      );
      if (covered < least) {
        least = covered;
        best = box;
      }
    }
  return best as Box;
}

/** From so many points on the rest is drawn as density; the largest stay points. */
export const MANY = 2000;
export const STAY = 500;
const CELL = 4;

/** Cells of four pixels with how many points lie in each. */
export function densityCells(dots: readonly Dot[]): { x: number; y: number; size: number; count: number }[] {
  const cells = new Map<string, { x: number; y: number; size: number; count: number }>();
  for (const { x, y } of dots) {
    const [cx, cy] = [Math.floor(x / CELL) * CELL, Math.floor(y / CELL) * CELL];
    const key = `${cx},${cy}`;
    const cell = cells.get(key);
    if (cell) cell.count++;
    else cells.set(key, { x: cx, y: cy, size: CELL, count: 1 });
  }
  return [...cells.values()];
}
