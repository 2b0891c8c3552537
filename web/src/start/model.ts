import { computed, effect, signal } from '@preact/signals';
import { setView, view } from '../app/router';
import { newerRuns, runs } from '../app/state';
import { cardErrors, cards, wantCards } from './cards';
import { CHIPS, inFolder, parseFilter } from './filter';
import { changesOf, type RunRow, rowsOf, sortRows } from './rows';

/** All runs, with cards and changes; recomputed when cards arrive (in batches). */
export const allRows = computed<RunRow[]>(() => {
  const list = runs.value;
  if (!list) return [];
  const newer = newerRuns.value;
  const rows = rowsOf(list, cards.value, cardErrors.value, newer ? new Set(newer.id) : null);
  changesOf(rows);
  return rows;
});

/** Rows of the folder and text filter, before the chip: the chips count these. */
export const textRows = computed<RunRow[]>(() => {
  const test = parseFilter(view.value.q);
  return allRows.value.filter((row) => test(row));
});

export const folderRows = computed<RunRow[]>(() => textRows.value.filter((row) => inFolder(row, view.value.folder)));

export const shownRows = computed<RunRow[]>(() => {
  const chip = CHIPS.find((item) => item.id === (view.value.chip ?? '')) ?? CHIPS[0];
  return sortRows(
    folderRows.value.filter((row) => chip.test(row)),
    view.value.order,
  );
});

/** Cards that are still to come: counts are "so far" until then. */
export const cardsMissing = computed(() => allRows.value.filter((row) => !row.card && !row.cardError).length);

/** Runs that were new when "show" was pressed: a dot in the tree. */
export const freshRuns = signal<ReadonlySet<string>>(new Set());

export const selectedRow = computed<RunRow | undefined>(() => {
  const id = view.value.sel;
  return (id && shownRows.value.find((row) => row.id === id)) || shownRows.value[0];
});

export function marked(): string[] {
  return (view.value.mark ?? '').split('|').filter(Boolean);
}

/** Marks or unmarks a run; at most two stay, the older mark goes. */
export function toggleMark(id: string): void {
  const now = marked();
  const next = now.includes(id) ? now.filter((other) => other !== id) : [...now, id].slice(-2);
  setView({ mark: next.join('|') });
}

/** What opens the Compare page: what the program of `b` has more than that of `a`. */
export const comparison = (a: string, b: string) => ({ run: b, tool: null, mode: 'compare', base: a });

export const onScreen = signal<string[]>([]);

/** The state of the files of every run, newest first; the list's own, not that of what has been read of it. */
const stamps = computed<ReadonlyMap<string, string>>(() => {
  const list = runs.value;
  if (!list) return new Map();
  const order = list.id.map((_, i) => i).sort((a, b) => list.mtime_ms[b] - list.mtime_ms[a]);
  return new Map(order.map((i) => [list.id[i], `${list.mtime_ms[i]} ${list.size_bytes[i]}`]));
});

/** Keeps the reading of cards going: what is on screen first, then newest first. */
export function followCards(): () => void {
  return effect(() => {
    if (!runs.value) return;
    const selected = selectedRow.value?.id;
    wantCards(stamps.value, selected ? [selected, ...onScreen.value] : onScreen.value);
  });
}
