/**
 * The tree of computations: its levels as they come, and which rows are open. What is open is in the address as `gt`: keys of rows
 * with ";" between them, "-" for none; absent: the entry computation alone.
 */
import { computed, signal, untracked } from '@preact/signals';
import { isAborted } from '../api/client';
import { setView, view } from '../app/router';
import { graphApi, type TreeRows } from './api';
import { effectHere, subject } from './state';
import { toggled } from '../util/toggled';

/** A link cannot ask for more levels than this. */
const OPEN_MOST = 200;

const escaped = (key: string) => key.replace(/[%;]/g, encodeURIComponent);
const plain = (word: string) => word.replace(/%(25|3B)/g, decodeURIComponent);

export function openText(open: Iterable<string>, usual: readonly string[]): string {
  const keys = [...open];
  if (keys.length === usual.length && usual.every((key) => keys.includes(key))) return '';
  return keys.slice(0, OPEN_MOST).map(escaped).join(';') || '-';
}

export function openOf(text: string | undefined, usual: readonly string[]): ReadonlySet<string> {
  if (text === undefined) return new Set(usual);
  return new Set(text === '-' ? [] : text.split(';').filter(Boolean).slice(0, OPEN_MOST).map(plain));
}

const levels = signal<ReadonlyMap<string, TreeRows>>(new Map());
export const levelOf = (parent: string) => levels.value.get(parent);

/** Open when the address says nothing: the entry computation. */
const usual = computed(() => {
  const top = levels.value.get('');
  return top?.key.length && top.has_children[0] ? [top.key[0]] : [];
});
export const openRows = computed(() => openOf(view.value.gt, usual.value));

const NOTHING: TreeRows = {
  parent: '',
  limit: 0,
  n: 0,
  key: [],
  label: [],
  kind: [],
  repeat: [],
  ops: [],
  ops_each: [],
  cycles: [],
  moved_bytes: [],
  flops: [],
  id: [],
  ix: [],
  line: [],
  group: [],
  has_children: [],
  left_out: 0,
};
const asked = new Set<string>();

async function load(parent: string, of: string): Promise<void> {
  if (asked.has(parent)) return;
  asked.add(parent);
  let rows = NOTHING;
  try {
    rows = await graphApi.tree({ ...subject(), parent }, { key: `graph/tree/${parent}`, quiet: true });
  } catch (error) {
    if (isAborted(error)) return;
  }
  if (of === JSON.stringify(subject())) levels.value = new Map(levels.peek()).set(parent, rows);
}

export function toggleRow(key: string): void {
  setView({ gt: openText(toggled(openRows.peek(), key), usual.peek()) || null }, { push: false });
}

/** Follows the program and what is open of it; the answer stops it. */
export function startTree(): () => void {
  let askedFor = '';
  return effectHere(() => {
    const key = JSON.stringify(subject());
    if (key !== askedFor) {
      askedFor = key;
      asked.clear();
      untracked(() => {
        levels.value = new Map();
      });
      void load('', key);
    }
    for (const row of openRows.value) void load(row, key);
  });
}
