/** Items of a what-if: what the address names (a finding, a group, a buffer, all padding), with its buffers and its words. Pure. */
import type { Answers } from '../api/answers';
import type { Live } from '../api/types';

export const ACTIONS = ['drop', 'halve', 'unpad', 'donate', 'offload', 'shard', 'recompute'] as const;
export type Action = (typeof ACTIONS)[number];

export const ACTION_WORDS: Record<Action, string> = {
  drop: 'drop',
  halve: 'halve precision',
  unpad: 'remove padding',
  donate: 'donate',
  offload: 'offload',
  shard: 'shard into',
  recompute: 'recompute',
};

export interface Change {
  id: string;
  action: Action;
  parts: number;
}

/** "D06:donate,g17:shard:4,1081:drop"; what is not understood is left out. */
export function parseChanges(text: string | undefined): Change[] {
  const out = new Map<string, Change>();
  for (const item of (text ?? '').split(',')) {
    const [id, action, parts] = item.split(':');
    if (!/^(D\d\d(\.\d+)?|g\d+|\d+|pad)$/.test(id) || !(ACTIONS as readonly string[]).includes(action)) continue;
    const count = Math.round(Number(parts ?? 2));
    out.set(id, { id, action: action as Action, parts: count >= 2 && count <= 65_536 ? count : 2 });
  }
  return [...out.values()];
}

export function formatChanges(changes: readonly Change[]): string {
  return changes.map(({ id, action, parts }) => `${id}:${action}${action === 'shard' ? `:${parts}` : ''}`).join(',');
}

export interface Item {
  id: string;
  /** "6 ×", "57 buffers:", or "" for one. */
  count: string;
  /** Shape or name, as code. */
  code: string;
  /** Where it is from: the finding, or what kind of buffer. */
  from: string;
  buffers: number[];
  action: Action;
}

/** "3+5-9": indexes as the server reads them. */
export function ranges(buffers: readonly number[]): string {
  const sorted = [...new Set(buffers)].sort((a, b) => a - b);
  const parts: string[] = [];
  for (let i = 0; i < sorted.length; ) {
    let k = i;
    while (sorted[k + 1] === sorted[k] + 1) k++;
    parts.push(k > i ? `${sorted[i]}-${sorted[k]}` : String(sorted[i]));
    i = k + 1;
  }
  return parts.join('+');
}

/** Findings whose buffers all have one shape; the others go by their name. */
const ALIKE: ReadonlySet<string> = new Set(['D02', 'D08', 'D09']);

/** "f32[8,16]{1,0:T(8,128)}" is "f32[8,16]" here; a tuple keeps its layouts. */
function withoutLayout(shape: string): string {
  return shape.startsWith('(') ? shape : shape.replace(/\{.*$/, '');
}

/** Findings with an action in this memory space: D09, D09.2, ... */
export function findingItems(doctor: Answers['doctor'] | null, space: number | undefined): Item[] {
  const seen = new Map<string, number>();
  const out: Item[] = [];
  for (const finding of doctor?.findings ?? []) {
    const at = (seen.get(finding.id) ?? 0) + 1;
    seen.set(finding.id, at);
    if (finding.action === null || finding.buffers.length === 0 || finding.space !== space || finding.silenced !== null) continue;
    const action = (ACTIONS as readonly string[]).includes(finding.action) ? (finding.action as Action) : 'drop';
    const line = finding.source ? `, ${finding.source.file.slice(finding.source.file.lastIndexOf('/') + 1)}:${finding.source.line ?? '?'}` : '';
    out.push({
      id: at > 1 ? `${finding.id}.${at}` : finding.id,
      count: finding.buffers.length > 1 ? `${finding.buffers.length} ${ALIKE.has(finding.id) ? '×' : 'buffers:'}` : '',
      code: ALIKE.has(finding.id) && finding.largest_shape ? withoutLayout(finding.largest_shape) : finding.name.replace(/_/g, ' '),
      from: `${finding.id}${ALIKE.has(finding.id) ? ` ${finding.name.replace(/_/g, ' ')}` : ''}${line}${finding.buffers_left_out > 0 ? `, the largest ${finding.buffers.length}` : ''}`,
      buffers: finding.buffers,
      action,
    });
  }
  return out;
}

const FLOATS = /^(f32|f64|f16|bf16|s32|s64|u32|u64|c64)\b/;

/** What is held at the peak, in groups of one class, shape and kind of operation; arguments by the first word of their name. */
export function groupItems(live: Live | null): Item[] {
  if (!live) return [];
  const groups = new Map<string, number[]>();
  for (let i = 0; i < live.n; i++) {
    const name = live.names[live.name[i]] ?? '';
    const parameter = live.names[live.class[i]] === 'parameter';
    const key = parameter ? `parameter ${name.match(/^[a-zA-Z]+/)?.[0] ?? name}` : `${live.class[i]} ${live.shape[i]} ${live.group[i]}`;
    if (live.buffer[i] !== null) groups.set(key, [...(groups.get(key) ?? []), i]);
  }
  return [...groups.entries()].map(([key, rows]) => {
    const first = rows[0];
    const parameter = key.startsWith('parameter ');
    const shape = live.names[live.shape[first]] ?? '';
    const buffers = rows.map((i) => live.buffer[i]).filter((buffer) => buffer !== null);
    const kind = live.names[live.class[first]] ?? '';
    return {
      id: `g${Math.min(...buffers)}`,
      count: rows.length > 1 ? `${rows.length} ×` : '',
      code: parameter && rows.length > 1 ? `${key.slice(10)}…` : rows.length > 1 ? shape : `%${live.names[live.name[first]]}`,
      from: `${parameter ? 'arguments' : kind} held at the peak${rows.length > 1 ? '' : `, ${shape}`}`,
      buffers,
      action: parameter ? (FLOATS.test(shape) ? 'halve' : 'shard') : kind === 'temporary' ? 'recompute' : 'drop',
    };
  });
}

/** Everything at the peak that is padded. */
export function paddingItem(live: Live | null): Item | null {
  if (!live) return null;
  const buffers: number[] = [];
  live.buffer.forEach((buffer, i) => {
    if (buffer !== null && live.unpadded_bytes[i] < live.size_bytes[i]) buffers.push(buffer);
  });
  return buffers.length === 0
    ? null
    : { id: 'pad', count: '', code: 'all padding', from: `${buffers.length} buffers held at the peak`, buffers, action: 'unpad' };
}

/** A buffer by its index, with what is known of it at the peak. */
export function bufferItem(id: string, live: Live | null): Item {
  const at = live ? live.buffer.indexOf(Number(id)) : -1;
  const name = live && at >= 0 ? `%${live.names[live.name[at]]}` : `buffer ${id}`;
  const shape = live && at >= 0 ? (live.names[live.shape[at]] ?? '') : 'not held at the peak';
  return { id, count: '', code: name, from: shape, buffers: [Number(id)], action: 'drop' };
}
