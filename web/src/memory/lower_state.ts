/** State that only the lower half of the page needs: answers for its tabs, what narrows everything, what is open. */
import { computed, effect, signal } from '@preact/signals';
import { blockVariables } from '../charts/colours';
import type { MapInput } from './draw_map';
import { blockKey, blocksOf } from './live_rows';
import { broad, compact } from '../app/media';
import { api, isAborted, type Params } from '../api/client';
import type { Diff, Tree } from '../api/types';
import { view } from '../app/router';
import type { ViewKey } from '../app/view_keys';
import { change, inspected, pinned, pin, settled, subject, tab, live } from './state';

import { whatIfPlan } from './what_if_state';
import { together } from '../util/listen';

export { settled } from './state';

/** Opened or closed by hand; null: by width. */
export const cardChoice = signal<boolean | null>(null);
export const cardOpen = computed(() => cardChoice.value ?? !compact.value);

export const twin = computed(() => view.value.table === '1');

/** Keys of the URL that narrow buffers, and the name that the table's route has for each. */
export const FILTERS: { key: ViewKey; param: string; title: string }[] = [
  { key: 'scope', param: 'scope', title: 'scope' },
  { key: 'source', param: 'source', title: 'source' },
  { key: 'class', param: 'class', title: 'class' },
  { key: 'dtype', param: 'dtype', title: 'dtype' },
  { key: 'opcode', param: 'opcode', title: 'opcode' },
  { key: 'group', param: 'group_name', title: 'group' },
];

export const filterParams = computed<Params>(() => {
  const out: Params = {};
  for (const { key, param } of FILTERS) if (view.value[key]) out[param] = view.value[key];
  return out;
});
export const isFiltered = computed(() => Object.keys(filterParams.value).length > 0);

export function clearFilters(): void {
  change({ ...Object.fromEntries(FILTERS.map(({ key }) => [key, null])), filter: null, shape: null });
}

/** Most buffers that a filter can mark in the charts; the table has no such limit. */
const NARROW_LIMIT = 10_000;
/** Buffers that the filters leave, for dimming the rest in bars and map; null: no filter. */
export const narrowed = signal<ReadonlySet<number> | null>(null);
export const narrowedBytes = signal<number | null>(null);

export const tree = signal<Tree | null>(null);
export const treeBy = computed(() => view.value.treeby ?? 'scope');
/** Repeated layers as one, unless the address says otherwise. */
export const treeFolded = computed(() => view.value.layers !== 'each');
/** What the tree on screen was asked for. */
export const treeParams = computed<Params>(() => ({
  ...subject.value,
  by: treeBy.value,
  at: inspected.value,
  fold: treeBy.value === 'scope' && treeFolded.value ? 'numbers' : null,
  plan: whatIfPlan.value,
}));
export const diff = signal<Diff | null>(null);
export const compareStep = computed(() => (/^\d+$/.test(view.value.b ?? '') ? Number(view.value.b) : null));

/** Buffers in the order of the open list, for the arrow keys; the open tab sets it. */
export const openOrder = signal<readonly number[]>([]);

/** Pins the buffer before or after the pinned one in the open order. */
export function stepBuffer(by: 1 | -1): boolean {
  const order = openOrder.peek();
  if (order.length === 0) return false;
  const at = pinned.peek() === null ? -1 : order.indexOf(pinned.peek() as number);
  const next = at < 0 ? (by > 0 ? 0 : order.length - 1) : at + by;
  if (next < 0 || next >= order.length) return true;
  pin(order[next]);
  return true;
}

export function scopeShown(): boolean {
  return tab.value === 'scope' || broad.value;
}

/** Takes the answer, null when there is none; what another question has overtaken changes nothing. */
function into<A>(asked: Promise<A>, take: (answer: A | null) => void): void {
  asked.then(take).catch((error: unknown) => {
    if (!isAborted(error)) take(null);
  });
}

function narrow(): void {
  if (!settled.value || !isFiltered.value) {
    narrowed.value = null;
    narrowedBytes.value = null;
    return;
  }
  const asked = { ...subject.value, ...filterParams.value, at: 'all', sort: 'size', limit: NARROW_LIMIT };
  into(api.buffers(asked, { key: 'memory/narrow', quiet: true }), (answer) => {
    narrowed.value = answer && new Set(answer.buffer.filter((buffer) => buffer !== null));
    if (answer) narrowedBytes.value = answer.matched_bytes;
  });
}

export function startViews(): () => void {
  return together([
    effect(narrow),
    effect(() => {
      if (!settled.value || !scopeShown()) return;
      into(api.tree(treeParams.value, { key: 'memory/tree' }), (answer) => {
        tree.value = answer;
      });
    }),
    effect(() => {
      const a = inspected.value;
      const b = compareStep.value;
      if (!settled.value || a === null || b === null) {
        diff.value = null;
        return;
      }
      into(api.diff({ ...subject.value, a, b }, { key: 'memory/diff' }), (answer) => {
        diff.value = answer;
      });
    }),
    // Nothing of one program may stay beside another.
    effect(() => {
      if (!settled.value) {
        tree.value = null;
        diff.value = null;
      }
    }),
  ]);
}

/** Blocks at the inspected step, largest first, and their colours. */
export const blocks = computed(() => (live.value ? blocksOf(live.value) : []));
export const blockColours = computed(() => blockVariables(blocks.value.map((block) => blockKey(block.shape, block.scope))));

/** Draws over the map where boxes are too low for names; comes with the names of blocks. */
export const overBoxes = signal<MapInput['over']>(null);

/** Rows of the table that are ticked, to see the peak without them. */
export const ticked = signal<ReadonlySet<number>>(new Set());
/** The list goes into one URL. */
export const TICKED_MOST = 400;

export function tick(buffer: number, on: boolean): void {
  const next = new Set(ticked.peek());
  if (on) next.add(buffer);
  else next.delete(buffer);
  ticked.value = next;
}

export function tickAll(buffers: readonly number[]): void {
  ticked.value = new Set(buffers.slice(0, TICKED_MOST));
}

const COLUMNS_STORE = 'xprofd.memory.columns';
export const DEFAULT_COLUMNS = ['shape', 'scope', 'size', 'padding', 'saving', 'life', 'source'];

function storedColumns(): string[] {
  try {
    const list: unknown = JSON.parse(localStorage.getItem(COLUMNS_STORE) ?? 'null');
    if (Array.isArray(list) && list.every((item) => typeof item === 'string')) return list;
  } catch {
    // Storage may be blocked or hold something else; the default columns are shown.
  }
  return DEFAULT_COLUMNS;
}

/** Columns of the table of buffers. */
export const chosenColumns = signal<string[]>(storedColumns());

export function keepColumns(list: string[]): void {
  chosenColumns.value = list;
  try {
    localStorage.setItem(COLUMNS_STORE, JSON.stringify(list));
  } catch {
    // As above: the choice then lasts for this page.
  }
}
