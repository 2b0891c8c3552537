/** Chosen buffers as a stack over pixel columns. Pure: pieces in, the fullest step of each column out. */
import type { Plot } from './types';
import { firstThat } from '../util/bisect';

export interface Stack {
  /** Step at which each column is fullest. */
  step: Float64Array;
  /** By chosen and column. */
  bytes: Float64Array[];
  total: Float64Array;
}

/** Edges of the stretches inside a window in which nothing changes. */
function edgesOf(plot: Plot, from: number, to: number): number[] {
  const edges = new Set<number>([from, to]);
  const { pieces } = plot;
  for (let i = 0; i < pieces.n; i++) {
    if (pieces.from_step[i] > from && pieces.from_step[i] < to) edges.add(pieces.from_step[i]);
    if (pieces.to_step[i] > from && pieces.to_step[i] < to) edges.add(pieces.to_step[i]);
  }
  return [...edges].sort((a, b) => a - b);
}

const placeOf = (edges: readonly number[], step: number) => firstThat(edges.length, (i) => edges[i] >= step);

/** What each column shows is the state at its fullest step, so that no maximum is lost between pixels. */
export function stackOf(plot: Plot, from: number, to: number, columns: number): Stack {
  const edges = edgesOf(plot, from, to);
  const parts = edges.length - 1;
  const { pieces } = plot;
  const held = plot.rows.map(() => new Float64Array(parts));
  const sum = new Float64Array(parts);
  for (let i = 0; i < pieces.n; i++) {
    const last = placeOf(edges, Math.min(to, pieces.to_step[i]));
    for (let p = placeOf(edges, Math.max(from, pieces.from_step[i])); p < last; p++) {
      held[pieces.of[i]][p] += pieces.size_bytes[i];
      sum[p] += pieces.size_bytes[i];
    }
  }
  const out: Stack = { step: new Float64Array(columns), bytes: plot.rows.map(() => new Float64Array(columns)), total: new Float64Array(columns) };
  let first = 0;
  for (let c = 0; c < columns; c++) {
    const low = from + ((to - from) * c) / columns;
    const high = from + ((to - from) * (c + 1)) / columns;
    while (first + 1 < parts && edges[first + 1] <= low) first++;
    let best = first;
    for (let p = first + 1; p < parts && edges[p] < high; p++) if (sum[p] > sum[best]) best = p;
    out.step[c] = Math.max(low, edges[best]);
    out.total[c] = parts > 0 ? sum[best] : 0;
    for (let k = 0; k < held.length; k++) out.bytes[k][c] = parts > 0 ? held[k][best] : 0;
  }
  return out;
}

/** Addresses that the chosen ones have together, or null when none has any. */
export function addressRange(plot: Plot): { low: number; high: number } | null {
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < plot.pieces.n; i++) {
    const offset = plot.pieces.offset_bytes[i];
    if (offset === null) continue;
    low = Math.min(low, offset);
    high = Math.max(high, offset + plot.pieces.size_bytes[i]);
  }
  return low < high ? { low, high } : null;
}
