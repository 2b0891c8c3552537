/** Boxes of a bar whose width is bytes. What is too narrow joins its neighbours, so that nothing is cut. Pure. */

export interface BarItem {
  bytes: number;
  /** Colour variable; neighbours of one colour stay together. */
  colour: string;
  /** What it belongs to; narrow neighbours of one block stay together. */
  block?: number | null;
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

const keyOf = (item: BarItem): unknown => item.block ?? item.colour;

/**
 * The order in which items are drawn. Those too narrow to be told apart stand, within their stretch, block by block and the
 * largest block first, so that a block that is wide enough can have a box and a name.
 */
export function arrange(items: readonly BarItem[], total: number, width: number): number[] {
  const order = items.map((_, k) => k);
  const narrow = (k: number) => items[k].bytes * width < LEAST_PIXELS * total;
  for (let i = 0, end = 0; i < items.length; i = end + 1) {
    for (end = i; end < items.length && narrow(end); ) end++;
    const bytes = new Map<unknown, number>();
    for (let k = i; k < end; k++) bytes.set(keyOf(items[k]), (bytes.get(keyOf(items[k])) ?? 0) + items[k].bytes);
    if (bytes.size < 2) continue;
    const place = new Map([...bytes].sort((a, b) => b[1] - a[1]).map(([key], at) => [key, at]));
    const at = (k: number) => place.get(keyOf(items[k])) ?? 0;
    const stretch = order.slice(i, end).sort((a, b) => at(a) - at(b) || a - b);
    for (let k = i; k < end; k++) order[k] = stretch[k - i];
  }
  return order;
}

/** Consecutive narrow items as runs: one block (without one: one colour) where that is wide enough to see, mixed otherwise. */
function joinNarrow(items: readonly BarItem[], from: number, to: number, scale: number): Run[] {
  const byKey: Run[] = [];
  for (let i = from; i < to; i++) {
    const last = byKey[byKey.length - 1];
    const one = { from: i, to: i + 1, bytes: items[i].bytes, colour: items[i].colour };
    if (last && keyOf(items[i - 1]) === keyOf(items[i])) byKey[byKey.length - 1] = join(last, one);
    else byKey.push(one);
  }
  const out: Run[] = [];
  let mixed: Run | null = null;
  for (const run of byKey) {
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
