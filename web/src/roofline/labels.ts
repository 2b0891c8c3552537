/** Where names stand beside their points: the largest point first, at eight places around it, where nothing is touched. Pure. */
export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export interface Named {
  x: number;
  y: number;
  /** Radius of the point. */
  r: number;
  /** Width of the name. */
  width: number;
}

const HIGH = 13;
const GAP = 3;

export const touches = (a: Box, b: Box): boolean => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** The eight places, the best first: beside, above and below, then the corners. */
function placesOf({ x, y, r, width }: Named): Box[] {
  const d = r * 0.71 + GAP;
  const at = (left: number, middle: number): Box => ({ left, top: middle - HIGH / 2, right: left + width, bottom: middle + HIGH / 2 });
  return [
    at(x + r + GAP, y),
    at(x - r - GAP - width, y),
    at(x - width / 2, y - r - GAP - HIGH / 2),
    at(x - width / 2, y + r + GAP + HIGH / 2),
    at(x + d, y - d - HIGH / 2),
    at(x - d - width, y - d - HIGH / 2),
    at(x + d, y + d + HIGH / 2),
    at(x - d - width, y + d + HIGH / 2),
  ];
}

const within = (box: Box, frame: Box): boolean => box.left >= frame.left && box.right <= frame.right && box.top >= frame.top && box.bottom <= frame.bottom;

/**
 * The box of each name, null where it finds no room; names come largest first. `taken` is what stands there already; a name
 * covers no other point that has a chance of a name either, but for its own.
 */
export function placeLabels(names: readonly Named[], frame: Box, taken: readonly Box[] = []): (Box | null)[] {
  const used = [...taken];
  const points = names.map(({ x, y, r }) => ({ left: x - r, top: y - r, right: x + r, bottom: y + r }));
  return names.map((name, k) => {
    const free = (box: Box) => within(box, frame) && !used.some((other) => touches(box, other)) && !points.some((other, at) => at !== k && touches(box, other));
    const box = placesOf(name).find(free) ?? null;
    if (box) used.push(box);
    return box;
  });
}

/**
 * The box of a note about the line from a point to its roof: beside the line, or above its end where that is short; further up or
 * down where names stand.
 */
export function placeNote({ x, from, to, width }: { x: number; from: number; to: number; width: number }, frame: Box, taken: readonly Box[]): Box {
  const high = Math.min(from, to);
  const low = Math.max(from, to);
  const middles = [...(low - high > 48 ? [(from + to) / 2 - 12] : []), ...[12, 26, 40, 54].flatMap((by) => [high - by, low + by])];
  const at = (left: number, middle: number): Box => ({ left, top: middle - HIGH / 2, right: left + width, bottom: middle + HIGH / 2 });
  const places = middles.flatMap((middle) => [at(x + 8, middle), at(x - 8 - width, middle)]).filter((box) => within(box, frame));
  return places.find((box) => !taken.some((other) => touches(box, other))) ?? places[0] ?? at(x + 8, high - 12);
}
