/**
 * One depth of a row as pixels: boxes of two pixels and more as themselves, narrower ones added up per pixel column,
 * whose height is the true busy share. Pure on typed arrays.
 */
import { firstEndingAfter, firstStartingFrom, type Lane } from './boxes';
import type { Shade } from './colour_by';

export interface Paint {
  /** Fill, left edge and strong colour by colour index, as ABGR words of an ImageData. */
  fill: Uint32Array;
  edge: Uint32Array;
  strong: Uint32Array;
  /** Of a search hit. */
  hit: number;
}

/** A box wide enough to be written on or hatched, in device pixels of the strip. */
export interface Wide {
  index: number;
  x0: number;
  x1: number;
}

export class StripScratch {
  readonly line: Uint32Array;
  /** Busy pixels per column, of narrow boxes. */
  readonly share: Float32Array;
  /** Colour index with most time in the column. */
  readonly colour: Uint8Array;
  private readonly most: Float32Array;
  /** Columns less high than the lane: where, from which row of the image down, and in which colour. */
  readonly low: { x: Uint32Array; from: Int32Array; word: Uint32Array };

  constructor(readonly width: number) {
    this.low = { x: new Uint32Array(width), from: new Int32Array(width), word: new Uint32Array(width) };
    this.line = new Uint32Array(width);
    this.share = new Float32Array(width);
    this.colour = new Uint8Array(width);
    this.most = new Float32Array(width);
  }

  clear(): void {
    this.line.fill(0);
    this.share.fill(0);
    this.most.fill(0);
  }

  add(x: number, share: number, colour: number): void {
    this.share[x] += share;
    if (share > this.most[x]) {
      this.most[x] = share;
      this.colour[x] = colour;
    }
  }
}

/** Narrowest box that is drawn as itself, device pixels. */
const BOX_PIXELS = 2;

/**
 * Fills the scratch with the boxes of [from, to) and gives those of at least `wide` pixels. What each colour covers is
 * added to `seen`, in pixels; the answer counts events added up, and the boxes that stand for them.
 */
export function rasterLane(
  lane: Lane,
  from: number,
  to: number,
  scratch: StripScratch,
  paint: Paint,
  shade: Shade,
  wide: number,
  out: Wide[],
  seen: Float64Array,
): { merged: number; strips: number } {
  const { width, line } = scratch;
  const { key, colour: colours } = shade;
  const scale = width / (to - from);
  const last = firstStartingFrom(lane, to);
  const tally = { merged: 0, strips: 0 };
  for (let k = firstEndingAfter(lane, from); k < last; k++) {
    const x0 = (lane.start[k] - from) * scale;
    const x1 = (lane.end[k] - from) * scale;
    const colour = colours[key[k]];
    // Never nothing: what was drawn is in the legend.
    seen[colour] += Math.max(Math.min(x1, width) - Math.max(x0, 0), 1e-6);
    const whole = lane.count[k] === 1;
    if (!whole) {
      tally.merged += lane.count[k];
      tally.strips++;
    }
    if (whole && x1 - x0 >= BOX_PIXELS) {
      const left = Math.max(0, Math.round(x0));
      const right = Math.min(width, Math.max(left + 1, Math.round(x1)));
      line.fill(paint.fill[colour], left, right);
      if (x0 >= 0) line[left] = paint.edge[colour];
      if (right - left >= wide) out.push({ index: k, x0: left, x1: right });
      continue;
    }
    const density = x1 > x0 ? Math.min(1, lane.busy[k] / (lane.end[k] - lane.start[k])) : 1;
    const left = Math.max(0, Math.floor(x0));
    const right = Math.min(width - 1, Math.max(left, Math.ceil(x1) - 1));
    if (left === right) {
      scratch.add(left, Math.max((x1 - x0) * density, 1e-3), colour);
      continue;
    }
    for (let x = left; x <= right; x++) scratch.add(x, Math.max((Math.min(x1, x + 1) - Math.max(x0, x)) * density, 1e-3), colour);
  }
  return tally;
}

/**
 * Copies the lane into an image of `stride` pixels a row, `height` rows from `top` on. Row by row: columns of an image
 * lie far apart in memory. What is as high as the lane becomes part of the line that every row begins with.
 */
export function copyLane(scratch: StripScratch, paint: Paint, image: Uint32Array, stride: number, top: number, height: number, least: number): void {
  const { width, line, share, colour, low } = scratch;
  const rows = Math.floor(image.length / stride);
  const first = Math.max(0, top);
  const end = Math.min(rows, top + height);
  let lows = 0;
  for (let x = 0; x < width; x++) {
    if (share[x] === 0) continue;
    const part = Math.min(1, share[x]);
    // A box beside it keeps its pixels; what is narrow stands on its foot.
    const high = Math.min(height, Math.max(least, Math.round(part * height)));
    const word = line[x] === 0 && part > 0.75 ? paint.edge[colour[x]] : paint.strong[colour[x]];
    if (high === height) {
      line[x] = word;
      continue;
    }
    low.x[lows] = x;
    low.from[lows] = top + height - high;
    low.word[lows++] = word;
  }
  for (let y = first; y < end; y++) {
    const at = y * stride;
    image.set(line, at);
    for (let k = 0; k < lows; k++) if (low.from[k] <= y) image[at + low.x[k]] = low.word[k];
  }
}
