/** Boxes of rows as typed arrays, decoded from the columns of trace/window. Pure. */
import type { TraceWindow } from '../api/types_trace';
import { groupIndex } from './groups';
import { firstThat } from '../util/bisect';

interface NameInfo {
  id: number;
  caption: string;
  group: string;
  wait: boolean;
  /** Name scopes, outer first; known when they were asked for. */
  scope?: string;
}

/** Names of a run by their number; answers bring those that they use. */
export type Names = Map<number, NameInfo>;

/** Boxes of one depth of a row: sorted, never overlapping. Picoseconds after the start of the trace. */
export interface Lane {
  n: number;
  start: Float64Array;
  end: Float64Array;
  /** Time in which something ran; less than the length only where events were added up. */
  busy: Float64Array;
  name: Uint32Array;
  /** Of the name: number of its group, whether it only waits. */
  group: Uint8Array;
  wait: Uint8Array;
  event: Float64Array;
  /** Events in the box: 1 unless added up. */
  count: Uint32Array;
  /** The longest of them. */
  longest: Float64Array;
  /** By index: the end of an asynchronous operation in which the core waits for it. */
  waits: ReadonlyMap<number, Wait> | null;
}

export interface Wait {
  /** Picoseconds before the end of the box, as drawn. */
  drawn: number;
  /** By the device clock where there is one. */
  wait: number;
  hidden: 'fully' | 'partly' | 'exposed';
}

export interface Counter {
  at: Float64Array;
  value: Float64Array;
  /** The highest and the lowest of all. */
  most: number;
  lowest?: number;
  /** Where a value is the highest of several: the lowest of them. */
  least?: Float64Array;
  /** Values are bytes. */
  bytes?: boolean;
  /** Of the memory that they are bytes of. */
  capacity?: number;
}

export interface RowBoxes {
  row: number;
  from: number;
  to: number;
  cell: number;
  /** What times are whole multiples of, but for wide boxes. */
  q: number;
  lanes: Lane[];
  counter: Counter | null;
  /** The scopes of its names came with it. */
  scoped?: boolean;
}

function emptyLane(n: number): Lane {
  return {
    n,
    start: new Float64Array(n),
    end: new Float64Array(n),
    busy: new Float64Array(n),
    name: new Uint32Array(n),
    group: new Uint8Array(n),
    wait: new Uint8Array(n),
    event: new Float64Array(n),
    count: new Uint32Array(n),
    longest: new Float64Array(n),
    waits: null,
  };
}

interface Piece {
  row: number;
  depth: number;
  firstEvent: number;
  firstBox: number;
  boxes: number;
}

function piecesOf(w: TraceWindow): Piece[] {
  const pieces: Piece[] = [];
  let firstBox = 0;
  for (let k = 0; k < w.depths.n; k++) {
    const boxes = w.depths.boxes[k];
    pieces.push({ row: w.depths.row[k], depth: w.depths.depth[k], firstEvent: w.depths.first_event[k], firstBox, boxes });
    firstBox += boxes;
  }
  return pieces;
}

interface Merged {
  count: Uint32Array;
  busy: Float64Array;
  longest: Uint32Array;
}

function mergedOf(w: TraceWindow): Merged {
  const out = { count: new Uint32Array(w.box.n).fill(1), busy: new Float64Array(w.box.n).fill(-1), longest: new Uint32Array(w.box.n) };
  let at = 0;
  for (let k = 0; k < w.merged.n; k++) {
    at += w.merged.at[k];
    out.count[at] = w.merged.count[k];
    out.busy[at] = w.merged.busy[k] * w.merged.busy_q;
    out.longest[at] = w.merged.longest[k];
  }
  return out;
}

function fill(lane: Lane, at: number, w: TraceWindow, piece: Piece, merged: Merged, groups: Uint8Array): void {
  let start = w.from_ps;
  let event = piece.firstEvent;
  for (let i = 0; i < piece.boxes; i++) {
    const box = piece.firstBox + i;
    const k = at + i;
    start += w.box.start[box] * w.quantum_ps;
    const length = w.box.length[box] * w.quantum_ps;
    const count = merged.count[box];
    lane.start[k] = start;
    lane.end[k] = start + length;
    lane.busy[k] = merged.busy[box] < 0 ? length : Math.max(merged.busy[box], 1);
    const name = w.box.name[box];
    lane.name[k] = w.names.id[name];
    lane.group[k] = groups[name];
    lane.wait[k] = w.names.wait[name] ? 1 : 0;
    lane.event[k] = event;
    lane.count[k] = count;
    lane.longest[k] = event + merged.longest[box];
    event += count;
  }
}

/** Steps of a counter as they are found. */
interface Steps {
  at: number[];
  most: number[];
  least: number[];
}

/** NaN: the sample has no number. */
function step(steps: Steps, at: number, most: number | null, least: number | null): void {
  steps.at.push(at);
  steps.most.push(most ?? Number.NaN);
  steps.least.push(least ?? Number.NaN);
}

function counterFrom({ at, most, least }: Steps): Counter {
  return {
    at: Float64Array.from(at),
    value: Float64Array.from(most),
    least: Float64Array.from(least),
    most: most.reduce((a, b) => (b > a ? b : a), 0),
    lowest: least.reduce((a, b) => (b < a ? b : a), 0),
  };
}

/** What holds where the window begins, then its samples: of several in one box the extremes, and what the last one left. */
function countersOf(w: TraceWindow, pieces: Piece[]): Map<number, Counter> {
  const out = new Map<number, Steps>();
  const stepsOf = (row: number) => {
    const steps = out.get(row) ?? { at: [], most: [], least: [] };
    out.set(row, steps);
    return steps;
  };
  for (let i = 0; i < w.held.n; i++) step(stepsOf(w.held.row[i]), w.held.at[i], w.held.value[i], w.held.value[i]);
  let k = 0;
  for (const piece of pieces) {
    for (; k < w.counters.n && w.counters.box[k] < piece.firstBox + piece.boxes; k++) {
      const steps = stepsOf(piece.row);
      step(steps, w.counters.at[k], w.counters.most[k], w.counters.least[k]);
      const last = w.counters.value[k];
      if (last !== w.counters.most[k] || last !== w.counters.least[k])
        step(steps, w.counters.at[k] + Math.max(1, w.box.length[w.counters.box[k]]) * w.quantum_ps, last, last);
    }
  }
  return new Map([...out].map(([row, steps]) => [row, counterFrom(steps)]));
}

/** Puts the waits of asynchronous operations to their boxes: both come in the order of the answer. */
function fillWaits(w: TraceWindow, pieces: readonly Piece[], places: readonly { lane: Lane; at: number }[]): void {
  let p = 0;
  for (let k = 0; k < w.waits.n; k++) {
    const box = w.waits.box[k];
    while (p < pieces.length && box >= pieces[p].firstBox + pieces[p].boxes) p++;
    if (p === pieces.length) return;
    const { lane, at } = places[p];
    const waits = (lane.waits as Map<number, Wait> | null) ?? new Map<number, Wait>();
    waits.set(at + box - pieces[p].firstBox, { drawn: w.waits.drawn[k] * w.quantum_ps, wait: w.waits.wait_ps[k], hidden: w.waits.hidden[k] });
    lane.waits = waits;
  }
}

/** Wide boxes begin and last to the picosecond; the others are as exact as they are drawn. */
function fillExact(w: TraceWindow, pieces: readonly Piece[], places: readonly { lane: Lane; at: number }[]): void {
  let p = 0;
  for (let i = 0; i < w.exact.n; i++) {
    const box = w.exact.box[i];
    while (p < pieces.length && box >= pieces[p].firstBox + pieces[p].boxes) p++;
    if (p === pieces.length) return;
    const { lane, at } = places[p];
    const k = at + box - pieces[p].firstBox;
    lane.start[k] += w.exact.beyond_ps[i];
    lane.end[k] = lane.start[k] + w.exact.duration_ps[i];
    lane.busy[k] = w.exact.duration_ps[i];
  }
}

/** A length as far as the box's picture knows it: to the picosecond, or about. */
export function isRough(boxes: RowBoxes | undefined, length: number): boolean {
  return boxes !== undefined && boxes.q > 1 && length < boxes.q * 32;
}

/** Boxes by row; rows that were asked for and have none get an empty entry, so that they count as answered. */
export function decodeWindow(w: TraceWindow, asked: readonly number[], names: Names): Map<number, RowBoxes> {
  for (let k = 0; k < w.names.n; k++) {
    const id = w.names.id[k];
    const name: NameInfo = names.get(id) ?? { id, caption: w.names.caption[k], group: w.names.group[k], wait: Boolean(w.names.wait[k]) };
    if (w.names.scope) name.scope = w.names.names?.[w.names.scope[k]] ?? '';
    names.set(id, name);
  }
  const out = new Map<number, RowBoxes>();
  const rowOf = (row: number) => {
    let found = out.get(row);
    if (!found) {
      found = { row, from: w.from_ps, to: w.to_ps, cell: w.cell_ps, q: w.quantum_ps, lanes: [], counter: null, scoped: w.names.scope !== null };
      out.set(row, found);
    }
    return found;
  };
  for (const row of asked) rowOf(row);
  const pieces = piecesOf(w);
  const merged = mergedOf(w);
  const groups = Uint8Array.from(w.names.group, groupIndex);
  const sizes = new Map<string, number>();
  for (const p of pieces) sizes.set(`${p.row} ${p.depth}`, (sizes.get(`${p.row} ${p.depth}`) ?? 0) + p.boxes);
  const filled = new Map<Lane, number>();
  const places: { lane: Lane; at: number }[] = [];
  for (const p of pieces) {
    const { lanes } = rowOf(p.row);
    while (lanes.length <= p.depth) lanes.push(emptyLane(0));
    const size = sizes.get(`${p.row} ${p.depth}`) ?? 0;
    if (lanes[p.depth].n !== size) lanes[p.depth] = emptyLane(size);
    const at = filled.get(lanes[p.depth]) ?? 0;
    fill(lanes[p.depth], at, w, p, merged, groups);
    filled.set(lanes[p.depth], at + p.boxes);
    places.push({ lane: lanes[p.depth], at });
  }
  fillWaits(w, pieces, places);
  fillExact(w, pieces, places);
  for (const [row, counter] of countersOf(w, pieces)) rowOf(row).counter = counter;
  return out;
}

/** Index of the first box that ends after `time`; `n` when none does. */
export function firstEndingAfter(lane: Lane, time: number): number {
  // A box without length ends where it starts.
  return firstThat(lane.n, (i) => lane.end[i] > time || (lane.end[i] === lane.start[i] && lane.start[i] >= time));
}

/** Index of the first box that starts at or after `time`. */
export function firstStartingFrom(lane: Lane, time: number): number {
  return firstThat(lane.n, (i) => lane.start[i] >= time);
}

export interface InView {
  events: number;
  busy: number;
  /** Depths with a box in the window. */
  depths: number;
  /** Those down to the deepest in which more than dots can be seen. */
  readable: number;
}

/** Pixels that boxes must fill side by side somewhere: below it a depth holds dots. */
const READABLE = 4;

/** What of a row lies in a window; `pixel`: the time that one shows, 0 = every depth is readable. */
export function inView(boxes: RowBoxes | undefined, from: number, to: number, pixel = 0): InView {
  const out = { events: 0, busy: 0, depths: 0, readable: 0 };
  if (!boxes) return out;
  boxes.lanes.forEach((lane, depth) => {
    const last = firstStartingFrom(lane, to);
    let any = 0;
    // The longest stretch that boxes fill without a pixel between them.
    let since = 0;
    let until = Number.NEGATIVE_INFINITY;
    let longest = 0;
    for (let k = firstEndingAfter(lane, from); k < last; k++) {
      const start = Math.max(lane.start[k], from);
      const end = Math.min(lane.end[k], to);
      any += lane.count[k];
      if (start > until + pixel) since = start;
      until = Math.max(until, end);
      longest = Math.max(longest, until - since);
      if (depth === 0) {
        const length = lane.end[k] - lane.start[k];
        out.busy += length > 0 ? lane.busy[k] * Math.min(1, (end - start) / length) : lane.busy[k];
      }
    }
    if (any) out.depths = depth + 1;
    if (any && longest >= READABLE * pixel) out.readable = depth + 1;
    out.events += any;
  });
  return out;
}

export interface Hit {
  lane: Lane;
  index: number;
  /** Added up over all boxes in the pixel when it is not one event. */
  events: number;
  busy: number;
  longest: number;
  longestEnd: number;
}

/**
 * The box at a time, or those in the pixel [from, to) around it: one that covers the time wins, else the longest in the
 * pixel; the others are counted with it.
 */
export function hitLane(lane: Lane, time: number, from: number, to: number): Hit | null {
  const first = firstEndingAfter(lane, from);
  const last = firstStartingFrom(lane, to);
  if (first >= last) return null;
  let best = first;
  let events = 0;
  let busy = 0;
  for (let k = first; k < last; k++) {
    events += lane.count[k];
    busy += Math.min(lane.busy[k], Math.max(1, Math.min(lane.end[k], to) - Math.max(lane.start[k], from)));
    const covers = lane.start[k] <= time && time < lane.end[k] && lane.end[k] - lane.start[k] >= to - from;
    if (covers) {
      return { lane, index: k, events: lane.count[k], busy: lane.busy[k], longest: lane.longest[k], longestEnd: lane.end[k] };
    }
    if (lane.busy[k] > lane.busy[best]) best = k;
  }
  return { lane, index: best, events, busy, longest: lane.longest[best], longestEnd: lane.end[best] };
}
