/** Search over the whole trace: what the address asks, the answer, the hit one stands on. */
import { computed, effect, signal, untracked } from '@preact/signals';
import { abortCalls, isAborted, type Params } from '../api/client';
import { pageSearch } from '../app/page_search';
import { formatCount } from '../util/format';
import { Delayed } from '../util/rest';
import { messageOf, traceApi, type TraceSearch } from './api';
import { isThread } from './swatch';
import type { Hits } from './hit_ticks';
import { change, find, jumpTo, paint, picked, rows, subject, windowNow } from './state';

export const found = signal<TraceSearch | null>(null);
export const searching = signal(false);
/** The pass over the args of single events: percent of the file, null = none under way. */
export const argsPercent = signal<number | null>(null);
/** Why there is no answer at all. */
export const searchFailed = signal<string | null>(null);
/** Why that pass came to nothing. */
export const argsFailed = signal<string | null>(null);
/** Counts the presses of the key "/", which puts the cursor into the field. */
export const wantsFocus = signal(0);
export const PAGE = 1000;
/** Calls for another part of what is shown: a pass over the args goes on beside them. */
const PART = 'trace/search part';

/** What the rows mark: boxes of the names that match, and of the occurrences that are listed (some match by an arg of their own). */
export const hits = computed<Hits>(() => {
  const s = find.value.text ? found.value : null;
  return { names: new Set(s?.by_name.id.filter((_, k) => !s.by_name.single[k])), events: Float64Array.from(s?.hits.event ?? []).sort() };
});

/** Place of the selected event among the hits, or -1. */
export const hitAt = computed(() => (picked.value === null ? -1 : (found.value?.hits.event.indexOf(picked.value) ?? -1)));

export function askFor(text: string): void {
  change({ find: text || null, tt: text ? 'search' : null });
}

function paramsNow(): Params {
  const f = find.value;
  const here = f.here ? windowNow.value : null;
  return {
    ...subject.value,
    q: f.text,
    regex: f.regex || null,
    case: f.letters || null,
    from: here ? Math.max(0, Math.round(here.from)) : null,
    to: here ? Math.round(here.to) : null,
    limit: PAGE,
    px: here ? null : 1000,
  };
}

/** The parameter `args` of the answer shown: other parts of it are asked for with the same. */
let shownArgs: 1 | 2 | null = null;

function show(answer: TraceSearch, args = shownArgs): void {
  shownArgs = args;
  found.value = answer;
  searching.value = false;
  paint();
}

/** Names at once; args of single events, which take a pass over the file, when they are there. */
async function search(params: Params, args: boolean): Promise<void> {
  try {
    show(await traceApi.search({ ...params, args: args || null }, { key: 'trace/search' }), args ? 1 : null);
  } catch (error) {
    if (isAborted(error)) return;
    searching.value = false;
    found.value = null;
    searchFailed.value = messageOf(error);
    return;
  }
  if (!args) return;
  argsPercent.value = 0;
  try {
    const all = await traceApi.search(
      { ...params, args: 2 },
      {
        key: 'trace/search',
        quiet: true,
        onProgress: (p) => {
          argsPercent.value = p.percent;
        },
      },
    );
    argsPercent.value = null;
    show(all, 2);
  } catch (error) {
    if (isAborted(error)) return;
    argsPercent.value = null;
    argsFailed.value = messageOf(error);
  }
}

export function startSearch(): () => void {
  const soon = new Delayed();
  // As text: the address changes with every step, what is asked does not.
  const asked = computed(() => (rows.value ? JSON.stringify([paramsNow(), find.value.args]) : ''));
  const stop = effect(() => {
    if (!asked.value) return;
    const [f, params] = untracked(() => [find.value, paramsNow()] as const);
    soon.cancel();
    abortCalls('trace/search');
    abortCalls(PART);
    argsPercent.value = null;
    argsFailed.value = searchFailed.value = null;
    if (!f.text) {
      found.value = null;
      searching.value = false;
      return;
    }
    searching.value = true;
    soon.ask(120, () => void search(params, f.args));
  });
  const stopSaying = effect(() => {
    const s = found.value;
    const at = hitAt.value;
    const count = s ? `${at >= 0 ? `${formatCount(s.offset + at + 1)} of ` : ''}${formatCount(s.count)}` : '';
    pageSearch.value = find.value.text ? { text: find.value.text, count, open: () => change({ tt: 'search', panel: null }) } : null;
  });
  return () => {
    soon.cancel();
    stop();
    stopSaying();
    pageSearch.value = null;
  };
}

export function openHit(index: number): void {
  const hits = found.peek()?.hits;
  if (!hits || index < 0 || index >= hits.n) return;
  jumpTo(hits.event[index], hits.start_ps[index], hits.duration_ps[index], hits.row[index]);
}

/** The same question for another part of its answer; null when that came to nothing. */
async function more(part: Params): Promise<TraceSearch | null> {
  try {
    return await traceApi.search({ ...paramsNow(), args: shownArgs, ...part }, { key: PART, quiet: true });
  } catch (error) {
    if (!isAborted(error)) argsFailed.value = messageOf(error);
    return null;
  }
}

/** Lists the page that begins with this occurrence; false when it did not come. */
async function toPage(offset: number): Promise<boolean> {
  const s = found.peek();
  if (offset === s?.offset) return true;
  const page = await more({ offset });
  // Another answer may have come in between: this is not a part of it.
  if (!page || found.peek() !== s) return false;
  show(page);
  return true;
}

/** The occurrences listed are a page of all: the page after or before it, round from the last to the first. */
export async function turn(by: number, open = true): Promise<void> {
  const s = found.peek();
  if (!s) return;
  const pages = Math.max(1, Math.ceil(s.count / PAGE));
  const offset = ((Math.floor(s.offset / PAGE) + by + pages) % pages) * PAGE;
  if ((await toPage(offset)) && open) openHit(by > 0 ? 0 : (found.peek()?.hits.n ?? 0) - 1);
}

/**
 * Place among all hits of the first that begins at or after `from`, as the page that is listed tells it; null when that
 * lies on another page.
 */
export function placeOnPage(s: Pick<TraceSearch, 'count' | 'offset'> & { hits: { n: number; start_ps: number[] } }, from: number): number | null {
  const at = s.hits.start_ps.findIndex((t) => t >= from);
  if (at > 0 || (at === 0 && s.offset === 0)) return s.offset + at;
  return at < 0 && s.offset + s.hits.n >= s.count ? s.count : null;
}

/**
 * The same from the hits that end behind `from`: those that began before it come first among them. All others of `count`
 * are over by then.
 */
export function placeAmong(count: number, behind: { count: number; hits: { n: number; start_ps: number[] } }, from: number): number {
  const at = behind.hits.start_ps.findIndex((t) => t >= from);
  return count - behind.count + (at < 0 ? behind.hits.n : at);
}

/** The hit that begins in the window or behind it, or the last before it; round from the last to the first. */
async function fromWindow(s: TraceSearch, by: number): Promise<void> {
  const from = Math.floor(windowNow.peek().from);
  let next = placeOnPage(s, from);
  if (next === null) {
    const behind = await more({ from, px: null });
    if (!behind || found.peek() !== s) return;
    next = placeAmong(s.count, behind, from);
  }
  const wanted = ((by > 0 ? next : next - 1) + s.count) % s.count;
  const offset = Math.floor(wanted / PAGE) * PAGE;
  if (await toPage(offset)) openHit(wanted - offset);
}

/** Numbers of the names that threads have: as an occurrence in the list says, else what belongs to no program. */
export function threadNames({ by_name: names, hits }: TraceSearch): Set<number> {
  const row = new Map(hits.id.map((id, k) => [id, hits.row[k]]));
  return new Set(
    names.id.filter((id, k) => {
      const known = row.get(id);
      return known === undefined ? !names.program[k] : isThread(known);
    }),
  );
}

/** Names that stand for the same: each chip has its own of an operation. Most time first. */
export interface FoundName {
  caption: string;
  program: string;
  group: string;
  /** What it names ran on threads. */
  thread: boolean;
  count: number;
  total: number;
}
export function sameNames(names: TraceSearch['by_name'], threads: ReadonlySet<number> = new Set()): FoundName[] {
  const by = new Map<string, FoundName>();
  for (let k = 0; k < names.n; k++) {
    const key = JSON.stringify([names.caption[k], names.program[k], names.group[k]]);
    const known = by.get(key);
    if (known) {
      known.count += names.count[k];
      known.total += names.total_ps[k];
    } else
      by.set(key, {
        caption: names.caption[k],
        program: names.program[k],
        group: names.group[k],
        thread: threads.has(names.id[k]),
        count: names.count[k],
        total: names.total_ps[k],
      });
  }
  return [...by.values()].sort((a, b) => b.total - a.total);
}

/** The hit after or before the one that is selected; from the start of the window when none is. */
export function stepHit(by: number): boolean {
  const s = found.peek();
  if (!s?.hits.n) return false;
  const at = hitAt.peek();
  if (at < 0) void fromWindow(s, by);
  else if (at + by < 0 || at + by >= s.hits.n) void turn(by);
  else openHit(at + by);
  return true;
}
