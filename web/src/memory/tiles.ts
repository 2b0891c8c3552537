/** Geometry and choice behind the padding bars. Pure. */

/** Pixels between tiles; with more tiles than there is room for, every n-th of them. */
export function tileMarks(padded: number, tile: number, width: number, least = 14): number[] {
  const tiles = tile > 0 ? padded / tile : 0;
  if (tiles <= 1) return [];
  const every = Math.max(1, Math.ceil((least * tiles) / width));
  const marks: number[] = [];
  for (let k = every; k < tiles; k += every) marks.push((k / tiles) * width);
  return marks;
}

interface Order {
  minor_to_major: number[];
  tiled_bytes: number;
}

/** The order of dimensions with the fewest bytes, if it is at least a tenth smaller than now. */
export function bestOrder<T extends Order>(orders: readonly T[], size: number): T | null {
  let best: T | null = null;
  for (const order of orders) if (!best || order.tiled_bytes < best.tiled_bytes) best = order;
  return best && best.tiled_bytes <= size * 0.9 ? best : null;
}
