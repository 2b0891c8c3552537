import type { Status } from '../api/answers';
import { effect, signal, untracked } from '@preact/signals';
import { ApiError, api, isAborted, lost, parts } from '../api/client';
import type { Card, Modules, Run, Runs } from '../api/types';
import { cards } from './cards';
import { meant, setView, view } from './router';
import { keepWord, keptWord } from '../util/this_tab';

/** What the whole page shares: the list of runs, the open run, its modules. */

export const status = signal<Status | null>(null);
export const runs = signal<Runs | null>(null);
/** A newer list than the one shown: the table never moves by itself. */
export const newerRuns = signal<Runs | null>(null);
export const runsError = signal<ApiError | null>(null);
export const lookedAt = signal(0);

export const run = signal<Run | null>(null);
export const runError = signal<ApiError | null>(null);
export const modules = signal<Modules | null>(null);
export const modulesError = signal<ApiError | null>(null);

const POLL_MS = 4000;
/** One run is opened at once, but only when the page starts: "back to the runs" must not lead forward again. */
let mayOpenSingle = true;
let pollTimer: ReturnType<typeof setTimeout> | undefined;

function asApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError('internal', String(error), 0);
}

function generation(): number | undefined {
  return (newerRuns.value ?? runs.value)?.generation;
}

function take(list: Runs): void {
  const shown = runs.value;
  if (!shown || shown.n === 0 || sameRuns(shown, list)) {
    const wasEmpty = shown !== null && shown.n === 0;
    runs.value = list;
    newerRuns.value = null;
    // A profile that appears on the empty page opens by itself.
    if (list.n > 0 && wasEmpty && !view.value.run) openRun(list.id[newestIndex(list)], false);
  } else {
    newerRuns.value = list;
  }
  const alone = list.n === 1 && !list.problem[0];
  // An address without a run speaks of the only one: what it says besides stays.
  if (mayOpenSingle && alone && !view.value.run) setView({ ...view.value, run: list.id[0] }, { push: false });
  mayOpenSingle = false;
}

export function newestIndex(list: Runs): number {
  let best = 0;
  for (let i = 1; i < list.n; i++) if (list.mtime_ms[i] > list.mtime_ms[best]) best = i;
  return best;
}

function sameRuns(a: Runs, b: Runs): boolean {
  return a.n === b.n && a.id.every((id, i) => id === b.id[i] && a.mtime_ms[i] === b.mtime_ms[i]);
}

/** The run's name from the server; its id until the server has answered. */
export function labelOf(id: string): string {
  const list = newerRuns.value ?? runs.value;
  const at = list ? list.id.indexOf(id) : -1;
  if (list && at >= 0) return list.label[at];
  return run.value?.id === id ? run.value.label : id;
}

export async function loadRuns(quiet = false): Promise<void> {
  try {
    const list = await api.runs(quiet ? { since: generation() } : {}, { key: 'runs', quiet });
    if (!list.unchanged) take(list);
    followFiles();
    runsError.value = null;
    lookedAt.value = Date.now();
  } catch (error) {
    if (!isAborted(error)) runsError.value = asApiError(error);
  }
}

/** Which state of which run's files was tried: the page that is loaded for it must know, else it could be loaded again and again. */
const TRIED = 'xprofd.tried';

/**
 * The open run's files changed: a cut copy may be whole now, a host may have come. The views hold numbers of the old files, and what they ask now would
 * be of the new ones, so the page is loaded anew at its address. A run that is gone says so, and may come back. What was read is compared with the newest
 * list, not list with list: the first list comes after the run. Each state of the files is tried once. A run that was away between two lists is the same
 * in both, but a part that was asked for meanwhile is missing.
 */
function followFiles(): void {
  const list = newerRuns.peek() ?? runs.peek();
  const open = run.peek();
  if (!list || !open || list.samples.some(({ id }) => id === open.id) || open.id !== view.peek().run) return;
  const now = list.fingerprint[list.id.indexOf(open.id)];
  const state = `${open.id} ${now}${lost.has(open.id) ? ' lost' : ''}`;
  if (now === open.fingerprint && !runError.peek() && !lost.has(open.id)) keepWord(TRIED, null);
  else if (keptWord(TRIED) !== state && keepWord(TRIED, state)) {
    if (now === undefined) void readAgain();
    else location.reload();
  }
}

/** For what shows the list of runs while a run is open: it is read later than the run, or now. */
export function needRuns(): void {
  if (!runs.peek()) void loadRuns(true);
}

export function showNewRuns(): void {
  if (!newerRuns.value) return;
  runs.value = newerRuns.value;
  newerRuns.value = null;
}

/** How many runs the newer list has that the shown one lacks. */
export function newCount(): number {
  const shown = new Set(runs.value?.id ?? []);
  return (newerRuns.value?.id ?? []).filter((id) => !shown.has(id)).length;
}

function poll(): void {
  clearTimeout(pollTimer);
  pollTimer = setTimeout(async () => {
    // A hidden page sends no requests.
    if (!document.hidden) await loadRuns(true);
    poll();
  }, POLL_MS);
}

/** What a run opens on by its card: Overview where it was measured, else Memory; one with neither, on what its files hold. */
export function opensOn(card: Card | undefined): { tool: 'files' | null; title: string } {
  if (card?.holds.trace === null) return { tool: null, title: 'Overview' };
  return card?.holds.memory ? { tool: 'files', title: 'Files' } : { tool: null, title: 'Memory' };
}

export function openRun(id: string, push = true): void {
  setView({ run: id, tool: opensOn(cards.peek().get(id)).tool }, { push });
}

let loadedRun = '';

async function loadRun(id: string): Promise<void> {
  const what = `${id} ${view.peek().only ?? ''}`;
  const fresh = what !== loadedRun;
  loadedRun = what;
  if (fresh) {
    run.value = null;
    modules.value = null;
  }
  runError.value = null;
  modulesError.value = null;
  try {
    const answer = await api.run({ run: id }, { key: 'run' });
    if (loadedRun !== what) return;
    run.value = answer;
  } catch (error) {
    if (!isAborted(error)) runError.value = asApiError(error);
    return;
  }
  if (run.value.modules.n === 0) return;
  try {
    const answer = await api.modules({ run: id }, { key: 'modules', quiet: true });
    if (loadedRun === what) modules.value = answer;
  } catch (error) {
    if (!isAborted(error)) modulesError.value = asApiError(error);
  }
}

/** Reads the open run again, after its file changed. */
export async function readAgain(): Promise<void> {
  const id = view.value.run;
  if (id) await loadRun(id);
  else await loadRuns();
}

function leaveRun(): void {
  run.value = null;
  modules.value = null;
  runError.value = null;
  loadedRun = '';
  // A list that was read while a run was open may be old.
  if (newerRuns.value) showNewRuns();
  void loadRuns(runs.value !== null);
}

/** What a page needs beside its subject comes after the first pixels: over a tunnel every request counts. */
const LATER_MS = 1200;

function loadStatus(): void {
  api
    .status({}, { quiet: true })
    .then((answer) => {
      status.value = answer;
    })
    .catch(() => {
      // The list of runs reports the same failure, with words.
    });
}

export function startState(): void {
  setTimeout(loadStatus, LATER_MS);
  meant.module = () => modules.peek()?.default_module;
  parts.of = (id) => (view.peek().run === id ? view.peek().only : undefined);
  let last: string | undefined | null = null;
  effect(() => {
    const { run: id, only } = view.value;
    const what = id && `${id} ${only ?? ''}`;
    if (what === last) return;
    last = what;
    untracked(() => {
      if (id) void loadRun(id);
      else leaveRun();
    });
  });
  if (view.value.run) setTimeout(() => void loadRuns(true), LATER_MS);
  poll();
}
