/** Rows that the page adds to those of the file: what they hold comes from routes of their own. Pure. */
import type { TraceRows } from '../api/types_trace';
import { isTrack } from './layout';

export interface Track {
  row: number;
  process: number;
  caption: string;
  derived: boolean;
  how: string;
  /** Values that there are: more than none, or the row is not shown. */
  events: number;
}

/** The rows with these behind them; those that are there already stay as they are. */
export function withTracks(r: TraceRows, tracks: readonly Track[]): TraceRows {
  const known = new Set(r.rows.row.filter(isTrack));
  const next = tracks.filter((t) => !known.has(t.row) && t.events > 0 && t.process >= 0);
  if (!next.length) return r;
  const columns = { ...r.rows } as unknown as Record<string, unknown[]>;
  const values: Record<string, (t: Track) => unknown> = {
    row: (t) => t.row,
    process: (t) => t.process,
    host: (t) => r.processes.host[t.process] ?? 0,
    caption: (t) => t.caption,
    kind: () => 'memory',
    derived: (t) => (t.derived ? 1 : 0),
    how: (t) => t.how,
    depths: () => 1,
    events: (t) => t.events,
    end: () => r.end,
    first: () => r.first,
    device_busy: () => -1,
    id: () => '',
  };
  for (const key of Object.keys(columns)) if (Array.isArray(columns[key])) columns[key] = [...columns[key], ...next.map((t) => values[key]?.(t) ?? 0)];
  return { ...r, rows: { ...(columns as unknown as TraceRows['rows']), n: r.rows.n + next.length } };
}

/** Index of the value that holds at a time; -1 before the first. */
export function valueAt(at: ArrayLike<number>, time: number): number {
  let low = 0;
  let high = at.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (at[middle] <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
