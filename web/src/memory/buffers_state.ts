/** The rows of the buffer table, fetched page by page as they come on screen. */
import { computed, effect, signal } from '@preact/signals';
import { api, isAborted, type Params } from '../api/client';
import type { Buffers, Name } from '../api/types';
import { view } from '../app/router';
import type { ViewKey } from '../app/view_keys';
import { pagesFor } from '../table/window';
import { change, foldBytes, inspected, pin, pinned, subject } from './state';
import { filterParams, settled } from './lower_state';

export const PAGE = 200;
/** Pages kept; older ones are fetched again. */
const MAX_PAGES = 60;

export interface BufferRow {
  buffer: number | null;
  id: string;
  name: string;
  shape: string;
  dtype: string;
  class: string;
  group: string;
  opcode: string;
  scope: string;
  opName: string;
  source: string;
  size: number;
  unpadded: number | null;
  padding: number | null;
  saving: number | null;
  start: number | null;
  end: number | null;
  firstUse: number | null;
  lastUse: number | null;
  offset: number | null;
}

/** Which steps: 'all', or the step that is shown; the URL may name another one. */
export const tableAt = computed<string>(() => view.value.at ?? (inspected.value === null ? 'all' : String(inspected.value)));
/** Texts read from A to Z first, sizes from the largest. */
const UP_FIRST = ['name', 'shape', 'scope', 'source', 'class', 'dtype', 'opcode', 'start', 'end', 'first_use', 'last_use', 'id'];
const SORTS = [...UP_FIRST, 'offset', 'saving', 'size', 'padding', 'life'];
/** An address may name an unknown order. */
export const tableSort = computed(() => (SORTS.includes(view.value.sort ?? '') ? (view.value.sort as string) : 'saving'));
export const tableDescending = computed(() => view.value.desc !== '0');
export const tableBy = computed(() => view.value.by ?? 'none');

/** Key of the filter that opening a group sets. */
export const GROUP_FILTER: Record<string, ViewKey> = {
  scope: 'scope',
  source: 'source',
  opcode: 'opcode',
  dtype: 'dtype',
  class: 'class',
  group: 'group',
  shape: 'shape',
};

/** Groups are listed until one is opened. */
export const groupsShown = computed(() => tableBy.value !== 'none' && !view.value[GROUP_FILTER[tableBy.value]]);

export const query = computed<Params>(() => ({
  ...subject.value,
  ...filterParams.value,
  at: tableAt.value,
  filter: view.value.filter || view.value.shape,
  sort: tableSort.value,
  desc: tableDescending.value ? 1 : 0,
  fold_bytes: foldBytes.value,
  by: groupsShown.value ? tableBy.value : undefined,
}));

/** The newest answer: totals, groups. */
export const head = signal<Buffers | null>(null);
export const problem = signal<string | null>(null);
const pages = signal<Map<number, Buffers>>(new Map());
let key = '';
const asked = new Set<number>();

function fetchPage(page: number): void {
  if (asked.has(page)) return;
  asked.add(page);
  const mine = key;
  api
    .buffers({ ...query.peek(), offset: page * PAGE, limit: PAGE }, { quiet: page > 0 })
    .then((answer) => {
      if (mine !== key) return;
      asked.delete(page);
      // The first answer of a new query replaces the old rows at once: nothing blinks.
      const next = new Map(head.peek() && loadedKey === mine ? pages.peek() : []);
      loadedKey = mine;
      next.set(page, answer);
      while (next.size > MAX_PAGES) next.delete(next.keys().next().value as number);
      pages.value = next;
      head.value = answer;
      problem.value = null;
    })
    .catch((error: unknown) => {
      if (mine !== key) return;
      asked.delete(page);
      if (!isAborted(error)) problem.value = error instanceof Error ? error.message : String(error);
    });
}
let loadedKey = '';

export function followTable(): () => void {
  return effect(() => {
    const next = JSON.stringify(query.value);
    if (!settled.value || next === key) return;
    key = next;
    asked.clear();
    fetchPage(0);
  });
}

/** Asks for what is missing of rows [first, last). */
export function ensureRows(first: number, last: number): void {
  for (const page of pagesFor(first, last, PAGE)) if (!pages.peek().has(page)) fetchPage(page);
}

/** Rows that the table has, without those folded away. */
export const rowCount = computed(() => (head.value ? head.value.matched - head.value.folded.count : 0));

export function rowAt(index: number): BufferRow | null {
  const page = pages.value.get(Math.floor(index / PAGE));
  const k = index % PAGE;
  return page && k < page.n ? rowOf(page, k) : null;
}

export function rowOf(page: Buffers, k: number): BufferRow {
  const text = (name: Name | null) => (name === null ? '' : (page.names[name] ?? ''));
  return {
    buffer: page.buffer[k],
    id: String(page.id[k] ?? ''),
    name: text(page.name[k]),
    shape: text(page.shape[k]),
    dtype: text(page.dtype[k]),
    class: text(page.class[k]),
    group: text(page.group[k]),
    opcode: text(page.opcode[k]),
    scope: text(page.scope[k]),
    opName: text(page.op_name[k]),
    source: text(page.source[k]),
    size: page.size_bytes[k],
    unpadded: page.unpadded_bytes[k],
    padding: page.padding_bytes[k],
    saving: page.saving_bytes[k],
    start: page.start_step[k],
    end: page.end_step[k],
    firstUse: page.first_use[k],
    lastUse: page.last_use[k],
    offset: page.offset_bytes[k],
  };
}

/** Index of a buffer in the loaded rows, or -1. */
export function indexOf(buffer: number | null): number {
  if (buffer === null) return -1;
  for (const [page, answer] of pages.value) {
    const at = answer.buffer.indexOf(buffer);
    if (at >= 0) return page * PAGE + at;
  }
  return -1;
}

/** Pins the row before or after the pinned one. */
export function stepRow(by: 1 | -1): void {
  const at = indexOf(pinned.peek());
  const next = at < 0 ? 0 : at + by;
  const row = next >= 0 && next < rowCount.peek() ? rowAt(next) : null;
  if (row) pin(row.buffer);
  else if (next >= 0) ensureRows(next, next + 1);
}

export function sortBy(sort: string): void {
  const same = tableSort.peek() === sort;
  const descending = same ? !tableDescending.peek() : !UP_FIRST.includes(sort);
  change({ sort: sort === 'saving' ? null : sort, desc: descending ? null : '0' });
}

export const GROUPS = ['none', 'scope', 'source', 'opcode', 'dtype', 'class', 'group', 'shape'];
/** What the key for the next order goes through. */
const KEY_SORTS = ['saving', 'size', 'padding', 'life', 'name', 'source'];

export function groupBy(by: string): void {
  change({ by: by === 'none' ? null : by });
}

function after(list: string[], value: string): string {
  return list[(list.indexOf(value) + 1) % list.length];
}

/** Keys of the table that go round: the next column to sort by, the next way to group. */
export const TABLE_KEYS = {
  sort: () => sortBy(after(KEY_SORTS, tableSort.peek())),
  group: () => groupBy(after(GROUPS, tableBy.peek())),
};
