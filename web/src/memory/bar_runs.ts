/** Boxes of a bar whose width is bytes. What is too narrow joins its neighbours, so that nothing is cut. Pure. */

export interface BarItem {
  bytes: number;
  /** Colour variable; neighbours of one colour stay together. */
  colour: string;
}

export interface BarBox {
  /** Items [from, to). */
  from: number;
  to: number;
  x: number;
  width: number;
  bytes: number;
  /** Of several colours the one with most bytes, so that it is in the legend. */
  colour: string | null;
}

/** Boxes narrower than this join their neighbours. */
export const LEAST_PIXELS = 7;
/** A run of one colour this wide keeps its colour. */
const RUN_PIXELS = 24;

interface Run {
  from: number;
  to: number;
  bytes: number;
  colour: string | null;
}

function join(a: Run, b: Run): Run {
  return { from: a.from, to: b.to, bytes: a.bytes + b.bytes, colour: a.colour === b.colour ? a.colour : null };
}

/** Consecutive narrow items as runs: one colour where that is wide enough to see, mixed otherwise. */
function joinNarrow(items: readonly BarItem[], from: number, to: number, scale: number): Run[] {
  const byColour: Run[] = [];
  for (let i = from; i < to; i++) {
    const last = byColour[byColour.length - 1];
    const one = { from: i, to: i + 1, bytes: items[i].bytes, colour: items[i].colour };
    if (last && last.colour === one.colour) byColour[byColour.length - 1] = join(last, one);
    else byColour.push(one);
  }
  const out: Run[] = [];
  let mixed: Run | null = null;
  for (const run of byColour) {
    if (run.bytes * scale >= RUN_PIXELS) {
      if (mixed) out.push(mixed);
      mixed = null;
      out.push(run);
    } else mixed = mixed ? join(mixed, run) : run;
  }
  if (mixed) out.push(mixed);
  return out;
}

/** The colour that most bytes of the items have; '' (what is folded) only where there is no other. */
function mainColour(items: readonly BarItem[], from: number, to: number): string {
  const bytes = new Map<string, number>();
  for (let i = from; i < to; i++) bytes.set(items[i].colour, (bytes.get(items[i].colour) ?? 0) + items[i].bytes);
  let best = '';
  for (const [colour, sum] of bytes) if (colour !== '' && (best === '' || sum > (bytes.get(best) ?? 0))) best = colour;
  return best;
}

/** Boxes from left to right; `total` bytes are `width` pixels wide. */
export function layoutBar(items: readonly BarItem[], total: number, width: number): BarBox[] {
  if (!(total > 0) || !(width > 0)) return [];
  const scale = width / total;
  const runs: Run[] = [];
  for (let i = 0; i < items.length; ) {
    if (items[i].bytes * scale >= LEAST_PIXELS) {
      runs.push({ from: i, to: i + 1, bytes: items[i].bytes, colour: items[i].colour });
      i++;
      continue;
    }
    let end = i;
    while (end < items.length && items[end].bytes * scale < LEAST_PIXELS) end++;
    runs.push(...joinNarrow(items, i, end, scale));
    i = end;
  }
  let at = 0;
  return runs.map((run) => {
    const x = at * scale;
    at += run.bytes;
    return { ...run, colour: run.colour ?? mainColour(items, run.from, run.to), x, width: run.bytes * scale };
  });
}

/** Box under a pixel of the bar, or -1; a box under one pixel can still be hit from two pixels beside it. */
export function boxAt(boxes: readonly BarBox[], x: number): number {
  let low = 0;
  let high = boxes.length - 1;
  while (low < high) {
    const mid = (low + high + 1) >> 1;
    if (boxes[mid].x <= x) low = mid;
    else high = mid - 1;
  }
  const box = boxes[low];
  return box && x >= box.x - 2 && x < box.x + Math.max(box.width, 2) ? low : -1;
}

/** Bytes added by tiles; never below 0 (packed types are smaller than their plain size), unknown counts as none. */
export function paddingOf(size: number, unpadded: number | null): number {
  return unpadded === null ? 0 : Math.max(0, size - unpadded);
}
