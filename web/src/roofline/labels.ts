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
