/** The answer of /memory/live as rows, in the three orders of the bars. Pure but for nothing: no signals here. */
import type { Live } from '../api/types';
import { paddingOf } from './bar_runs';

export type BarOrder = 'program' | 'size' | 'padding';

export interface LiveRow {
  buffer: number | null;
  name: string;
  shape: string;
  class: string;
  group: string;
  size: number;
  padding: number;
  saving: number | null;
  start: number | null;
  end: number | null;
}

export function liveRows(live: Live): LiveRow[] {
  const text = (index: number | null) => (index === null ? '' : (live.names[index] ?? ''));
  return Array.from({ length: live.n }, (_, k) => ({
    buffer: live.buffer[k],
    name: text(live.name[k]),
    shape: text(live.shape[k]),
    class: text(live.class[k]),
    group: text(live.group[k]),
    size: live.size_bytes[k],
    padding: paddingOf(live.size_bytes[k], live.unpadded_bytes[k]),
    saving: live.saving_bytes[k],
    start: live.start[k],
    end: live.end[k],
  }));
}

/** Rows in program order come from the server; the other orders keep it among equals. */
export function ordered(rows: readonly LiveRow[], order: BarOrder): LiveRow[] {
  if (order === 'program') return [...rows];
  const key = (row: LiveRow) => (order === 'size' ? row.size : row.padding);
  const kept = order === 'padding' ? rows.filter((row) => row.padding > 0) : [...rows];
  return kept.sort((a, b) => key(b) - key(a));
}

/** What the rows leave out: folded small ones and those beyond the limit. */
export function tailOf(live: Live, order: BarOrder): { count: number; bytes: number } {
  const { small, rest } = live;
  if (order === 'padding') {
    const padding = paddingOf(small.bytes, small.unpadded_bytes);
    return { count: padding > 0 ? small.count : 0, bytes: padding };
  }
  return { count: small.count + rest.count, bytes: small.bytes + rest.bytes };
}

/** "f32[8,128]{1,0:T(8,128)}" without the layout. */
export function shortShape(shape: string): string {
  return shape.replace(/\{[^}]*\}/g, '');
}

/** "fusion.757{1}" as it stands in a box: without the place in the tuple when there is no room. */
export function shortName(name: string): string {
  return name.replace(/\{[\d,]*\}$/, '');
}

export function dtypeOf(shape: string): string {
  return /^[a-z]+\d*[a-z\d]*/.exec(shape)?.[0] ?? '';
}

/** Rows of one shape that stand together, those with most bytes first. */
export interface ShapeGroup {
  shape: string;
  count: number;
  bytes: number;
}

export function byShape(rows: readonly LiveRow[], bytesOf: (row: LiveRow) => number): ShapeGroup[] {
  const groups = new Map<string, ShapeGroup>();
  for (const row of rows) {
    const shape = shortShape(row.shape);
    const group = groups.get(shape) ?? { shape, count: 0, bytes: 0 };
    groups.set(shape, { shape, count: group.count + 1, bytes: group.bytes + bytesOf(row) });
  }
  return [...groups.values()].sort((a, b) => b.bytes - a.bytes);
}

/** What a block of joined buffers is called, longest first: "1,440 x f32[2048,512]", or with "and others" behind the largest. */
export function blockNames(groups: readonly ShapeGroup[], others: number, count: (n: number) => string): string[] {
  const all = groups.reduce((sum, group) => sum + group.count, others);
  const short = count(all);
  if (groups.length === 0) return [`${short} small`, short];
  const first = `${count(groups[0].count)} x ${groups[0].shape}`;
  const left = all - groups[0].count;
  return left === 0 ? [first, short] : [`${first}, ${count(left)} others`, first, `${short} buffers`, short];
}
