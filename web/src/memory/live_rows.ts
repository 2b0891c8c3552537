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
  /** Place in the list of blocks; null in none of it. */
  block: number | null;
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
    start: live.start_step[k],
    end: live.end_step[k],
    block: live.block[k],
  }));
}

/** Rows in program order come from the server; the other orders keep it among equals. */
export function ordered(rows: readonly LiveRow[], order: BarOrder): LiveRow[] {
  if (order === 'program') return [...rows];
  const key = (row: LiveRow) => (order === 'size' ? row.size : row.padding);
  const kept = order === 'padding' ? rows.filter((row) => row.padding > 0) : [...rows];
  return kept.sort((a, b) => key(b) - key(a));
}

/** Buffers of one shape in one scope: what a program with too many to draw is made of. */
export interface Block {
  shape: string;
  scope: string;
  class: string;
  group: string;
  /** Of its largest buffer. */
  largest: number;
  count: number;
  bytes: number;
}

export function blocksOf(live: Live): Block[] {
  const b = live.blocks;
  const text = (index: number) => live.names[index] ?? '';
  return b.size_bytes.map((bytes, k) => ({
    shape: text(b.shape[k]),
    scope: text(b.scope[k]),
    class: text(b.class[k]),
    group: text(b.group[k]),
    largest: b.largest_bytes[k],
    count: b.count[k],
    bytes,
  }));
}

export interface TailPart {
  /** null: of blocks beyond those that are named. */
  block: number | null;
  count: number;
  bytes: number;
}

/** What the rows leave out, folded or beyond the limit, by block. */
export function tailOf(live: Live, order: BarOrder): TailPart[] {
  const b = live.blocks;
  const part = (block: number | null, count: number, bytes: number, unpadded: number): TailPart => {
    const own = order === 'padding' ? paddingOf(bytes, unpadded) : bytes;
    return { block, count: own > 0 ? count : 0, bytes: own };
  };
  const out = b.unlisted_count.map((count, k) => part(k, count, b.unlisted_bytes[k], b.unlisted_unpadded_bytes[k]));
  const left = b.left_out;
  return [...out, part(null, left.unlisted_count, left.unlisted_bytes, left.unlisted_unpadded_bytes)].filter((one) => one.bytes > 0);
}

/** A bar of this many pixels shows a buffer by itself when it is wide enough for a box. */
const SEEN_SHARE = 150;

/** Most of what is held is in buffers too small to be told apart in a picture. */
export function isCrowded(live: Live): boolean {
  let seen = 0;
  for (let k = 0; k < live.n; k++) if (live.size_bytes[k] * SEEN_SHARE >= live.live_bytes) seen += live.size_bytes[k];
  return live.live_bytes > 0 && seen * 2 < live.live_bytes;
}

export const blockKey = (shape: string, scope: string) => `${scope} ${shape}`;

/** "363 x f32[2048,512]". */
export function blockWords(block: { shape: string; count: number }, count: (n: number) => string): string {
  const shape = block.shape || 'no shape';
  return block.count === 1 ? shape : `${count(block.count)} × ${shape}`;
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

/** Members of a joined box by block, those with most bytes first. */
interface BoxGroup {
  shape: string;
  scope: string;
  count: number;
  bytes: number;
}

export function byBlock(members: readonly { block: number | null; count: number; bytes: number }[], blocks: readonly Block[]): BoxGroup[] {
  const groups = new Map<number | null, BoxGroup>();
  for (const one of members) {
    const block = one.block === null ? null : blocks[one.block];
    const group = groups.get(one.block) ?? { shape: block?.shape ?? '', scope: block?.scope ?? '', count: 0, bytes: 0 };
    groups.set(one.block, { ...group, count: group.count + one.count, bytes: group.bytes + one.bytes });
  }
  return [...groups.values()].sort((a, b) => b.bytes - a.bytes);
}

/** What a box of joined buffers is called, longest first: "363 x f32[2048,512] layer_0/mlp", or with "n others" behind the largest. */
export function blockNames(groups: readonly BoxGroup[], count: (n: number) => string): string[] {
  const all = groups.reduce((sum, group) => sum + group.count, 0);
  if (groups.length === 0) return ['0'];
  const first = blockWords(groups[0], count);
  const scoped = groups[0].scope ? `${first} ${groups[0].scope}` : first;
  const left = all - groups[0].count;
  const short = [`${count(all)} buffers`, count(all)];
  if (left === 0) return [scoped, first, ...short];
  return [`${scoped}, ${count(left)} others`, `${first}, ${count(left)} others`, first, ...short];
}
