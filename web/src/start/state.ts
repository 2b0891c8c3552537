import { computed, effect, signal } from '@preact/signals';
import { setView, view } from '../app/router';
import { newerRuns, runs } from '../app/state';
import { cardErrors, cards, wantCards } from '../app/cards';
import { selectedRun } from '../app/open_tool';
import { CHIPS, inFolder, parseFilter } from './filter';
import { changesOf, parseOrder, pathKey, type RunRow, rowsOf, sortRows, together } from './rows';

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
  return together(
    sortRows(
      folderRows.value.filter((row) => chip.test(row)),
      view.value.order,
    ),
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
export const comparison = (a: string, b: string) => ({ run: b, tool: 'memory', mode: 'compare', base: a });

/** Ids of the rows on screen. */
export const onScreen = signal<string[]>([]);
/** First and last row on screen, counted from 1, for the foot. */
export const visibleRange = signal<[number, number]>([0, 0]);
/** Room of the column with names and paths, in px; the same in every row. */
export const nameRoom = signal(200);

/** The state of the files of every run; the list's own, not that of what has been read of it. */
const stamps = computed<ReadonlyMap<string, string>>(() => {
  const list = runs.value;
  if (!list) return new Map();
  return new Map(list.id.map((id, i) => [id, `${list.mtime_ms[i]} ${list.size_bytes[i]}`]));
});

/** What is asked for of the whole list: who sorts or filters by what a card says means all runs, seen or not. */
function asksAll({ q, chip, order }: { q?: string; chip?: string; order?: string }): boolean {
  return Boolean(q || (chip && chip !== 'problem')) || ['module', 'device', 'peak', 'change'].includes(parseOrder(order).by);
}

/** Runs whose peaks stand beside that of the selected one. */
const SIBLINGS = 8;

/** Ids of the runs whose cards are wanted, the most wanted first: what is seen, what a change seen waits for, the runs beside the selected one. */
export function wantedCards(rows: readonly RunRow[], seen: readonly string[], selected: RunRow | undefined, all: boolean): string[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const waits = seen.flatMap((id) => {
    const change = byId.get(id)?.change;
    return change?.kind === 'reading' && change.waits ? [change.waits] : [];
  });
  const key = selected && pathKey(selected.folder);
  const newest = all || selected ? [...rows].sort((a, b) => b.time - a.time) : [];
  const beside = selected ? newest.filter((row) => pathKey(row.folder) === key).slice(0, SIBLINGS) : [];
  return [...new Set([...(selected ? [selected.id] : []), ...seen, ...waits, ...beside.map((row) => row.id), ...(all ? newest.map((row) => row.id) : [])])];
}

/** Keeps the reading of cards going, and the icons of the tools showing what the selected run has. */
export function followCards(): () => void {
  return effect(() => {
    selectedRun.value = selectedRow.value ?? null;
    if (!runs.value) return;
    wantCards(stamps.value, wantedCards(allRows.value, onScreen.value, selectedRow.value, asksAll(view.value)));
  });
}
