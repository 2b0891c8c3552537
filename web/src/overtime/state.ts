/** Memory, Over time: what the address says, and what the server answered about the allocators of the run. */
import { computed, type Signal, signal } from '@preact/signals';
import type { AllocatorTrack, AllocStepsAnswer, Answers, TraceAllocators, TraceRows } from '../api/answers';
import { call, type Params } from '../api/client';
import { follow } from '../api/follow';
import { setView, view } from '../app/router';
import { decodeWindow, type Lane, type Names } from '../trace/boxes';
import { boundsOf, clampWindow, numbersOf, type Window } from './window';

export type AllocLive = Answers['trace/allocators/live'];
export type AllocDiff = Answers['trace/allocators/diff'];
export type AllocEvents = Answers['trace/allocators/events'];

/** The curve of the window, and of the whole trace for the minimap. */
export const curve = signal<TraceAllocators | null>(null);
export const whole = signal<TraceAllocators | null>(null);
export const steps = signal<AllocStepsAnswer | null>(null);
export const live = signal<AllocLive | null>(null);
export const diff = signal<AllocDiff | null>(null);
export const atPeak = signal<AllocLive | null>(null);
export const events = signal<AllocEvents | null>(null);
/** Of a range that was dragged. */
export const ranged = signal<AllocEvents | null>(null);
export const problem = signal('');
/** In use at A and at B, by allocator: what holds at that instant, where the curve has what a pixel holds. Null: nothing is known there. */
export const heldAt = { a: signal<readonly (number | null)[]>([]), b: signal<readonly (number | null)[]>([]) };
export const rows = signal<TraceRows | null>(null);
/** Runs of programs on the device in focus, in the window. */
export const modules = signal<{ lane: Lane; names: Names } | null>(null);
/** Why the list in the open tab is not there. */
export const listProblem = signal('');
export const pixels = signal(1000);
export const range = signal<Window | null>(null);
/** Where the mouse is: in a strip, or in one of the rows below them. */
export type Below = 'modules' | 'asked';
export const hover = signal<{ time: number; lane: number; row?: Below; x: number; y: number } | null>(null);

export type Tab = 'live' | 'events' | 'peak' | 'steps' | 'never';
export const TABS: Tab[] = ['live', 'events', 'peak', 'steps', 'never'];
export type LiveOf = 'a' | 'b' | 'diff';

const number = (text: string | undefined): number | null => (text !== undefined && /^-?\d+$/.test(text) ? Number(text) : null);
const subject = computed<Params>(() => ({ run: view.value.run, only: view.value.only, host: view.value.host }));

export const tracks = computed<readonly AllocatorTrack[]>(() => whole.value?.tracks ?? []);
/** Places in the tracks, the one in focus first. */
const listed = computed(() => numbersOf(view.value.al).filter((k) => k < tracks.value.length));
/** Strips that are drawn: in the order of the tracks; above 8 by their peaks, and then the first 12 until more are asked for. */
export const MANY = 8;
const FIRST = 12;
export const shown = computed(() => {
  const all = tracks.value.map((_, k) => k);
  const chosen = listed.value.length > 0 ? [...listed.value].sort((x, y) => x - y) : all;
  if (chosen.length <= MANY) return chosen;
  const sorted = [...chosen].sort((x, y) => tracks.value[y].most_bytes - tracks.value[x].most_bytes);
  return listed.value.length > 0 ? sorted : sorted.slice(0, FIRST);
});
/** Allocators without a strip, when the address names none. */
export const hiddenStrips = computed(() => (listed.value.length > 0 ? 0 : tracks.value.length - shown.value.length));
export const showAllStrips = (): void =>
  setView(
    {
      al: [
        focus.peek(),
        ...tracks
          .peek()
          .map((_, k) => k)
          .filter((k) => k !== focus.peek()),
      ].join(','),
    },
    { push: false },
  );
export const focus = computed(() => listed.value[0] ?? steps.value?.allocator ?? 0);
export const focused = computed<AllocatorTrack | undefined>(() => tracks.value[focus.value]);
/** Whether memory of the allocator in focus grows from step to step. */
export const leaks = computed(() => !!steps.value && steps.value.growth.verdict[steps.value.growth.allocator.indexOf(focus.value)] === 'leak');
/** The row of the programs that ran on the device in focus; null: it has none. */
const modulesRow = computed(() => {
  const of = rows.value?.rows;
  const process = focused.value?.process ?? null;
  const k = of && process !== null ? of.kind.findIndex((kind, i) => kind === 'xla_modules' && of.process[i] === process && of.events[i] > 0) : -1;
  return of && k >= 0 ? of.row[k] : null;
});
/** Rows between the strips and the time axis, below the steps. */
export const below = computed<Below[]>(() => [...(modulesRow.value === null ? [] : (['modules'] as const)), ...(leaks.value ? (['asked'] as const) : [])]);
export const tab = computed<Tab>(() => TABS.find((one) => one === view.value.tab) ?? 'live');
export const a = computed(() => number(view.value.a) ?? focused.value?.most_at_ps ?? null);
export const b = computed(() => number(view.value.b));
export const liveOf = computed<LiveOf>(() => (b.value === null ? 'a' : view.value.at === 'b' ? 'b' : view.value.at === 'diff' ? 'diff' : 'a'));
export const ownScale = computed(() => view.value.scale === 'own');
export const twin = computed(() => view.value.table === '1');

export const bounds = computed<Window>(() => boundsOf(whole.value));
export const windowNow = computed<Window>(() => {
  const from = number(view.value.from);
  const to = number(view.value.to);
  return from === null || to === null || to <= from ? bounds.value : clampWindow({ from, to }, bounds.value);
});

export function setWindow(w: Window, push = false): void {
  const c = clampWindow(w, bounds.peek());
  const all = c.from <= bounds.peek().from && c.to >= bounds.peek().to;
  setView({ from: all ? null : Math.round(c.from), to: all ? null : Math.round(c.to) }, { push });
}

export function focusOn(lane: number): void {
  if (lane === focus.peek()) return;
  const rest = shown.peek().filter((k) => k !== lane);
  setView({ al: [lane, ...rest].join(',') }, { push: false });
}

export const words = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** A route that is asked whenever its question changes. */
function followList<A>(route: string, key: string, question: () => Params | null, take: (answer: A | null) => void): () => void {
  return follow({
    question,
    ask: (params) => {
      listProblem.value = '';
      return call<A>(`trace/allocators${route}`, params, { key: `overtime/${key}`, quiet: true });
    },
    take,
    keep: true,
    fail: (error) => {
      listProblem.value = words(error);
    },
  });
}

function followCurve(): () => void {
  return follow({
    question: () =>
      view.value.run
        ? { ...subject.value, from: view.value.from, to: view.value.to, px: Math.max(64, pixels.value), allocator: leaks.value ? focus.value : null }
        : null,
    ask: (params) => {
      problem.value = '';
      return call<TraceAllocators>('trace/allocators', params, { key: 'overtime/curve' });
    },
    take: (answer) => {
      curve.value = answer;
    },
    keep: true,
    fail: (error) => {
      problem.value = words(error);
    },
  });
}

function followModules(): () => void {
  const params = computed(() =>
    modulesRow.value === null
      ? null
      : {
          ...subject.value,
          rows: modulesRow.value,
          from: Math.round(windowNow.value.from),
          to: Math.round(windowNow.value.to),
          px: Math.max(64, pixels.value),
        },
  );
  return follow({
    question: () => params.value,
    ask: (asked) => call<Answers['trace/window']>('trace/window', asked, { key: 'overtime/modules', quiet: true }),
    take: (answer) => {
      const names: Names = new Map();
      const row = modulesRow.peek();
      const lane = answer && row !== null ? decodeWindow(answer, [row], names).get(row)?.lanes[0] : undefined;
      modules.value = lane ? { lane, names } : null;
    },
    keep: true,
    fail: () => {
      modules.value = null;
    },
  });
}

const followHeld = (letter: 'a' | 'b', time: () => number | null): (() => void) =>
  followList<TraceAllocators>(
    '',
    `held_${letter}`,
    () => (tracks.value.length && time() !== null ? { ...subject.value, from: time(), to: time(), px: 1 } : null),
    (answer) => {
      heldAt[letter].value = answer ? answer.tracks.map((t) => (t.n ? t.last_bytes[t.n - 1] : null)) : [];
    },
  );

const keepIn =
  <A>(one: Signal<A | null>) =>
  (answer: A | null): void => {
    one.value = answer;
  };

function followRows(): () => void {
  return follow({
    question: () => (tracks.value.length ? { ...subject.value, derived: 1 } : null),
    ask: (params) => call<TraceRows>('trace/rows', params, { key: 'overtime/rows', quiet: true }),
    take: keepIn(rows),
    fail: () => {
      rows.value = null;
    },
  });
}

const sorted = () => ({ sort: view.value.sort, order: view.value.sort ? (view.value.desc === '0' ? 'asc' : 'desc') : undefined });
export const ROWS = 2000;

function stepsQuestion(): Params | null {
  if (!view.value.run) return null;
  return { ...subject.value, allocator: listed.value[0] ?? (view.value.al ? number(view.value.al.split(',')[0]) : null) };
}

/** What holds at A or at B. */
function liveQuestion(): Params | null {
  if (!tracks.value.length || tab.value !== 'live' || liveOf.value === 'diff' || a.value === null) return null;
  return { ...subject.value, allocator: focus.value, at: liveOf.value === 'b' ? b.value : a.value, limit: ROWS, ...sorted() };
}

function diffQuestion(): Params | null {
  if (!tracks.value.length || b.value === null || a.value === null) return null;
  return { ...subject.value, allocator: focus.value, a: a.value, b: b.value, limit: ROWS, ...(tab.value === 'live' ? sorted() : {}) };
}

function peakQuestion(): Params | null {
  if (tab.value !== 'peak' || !focused.value) return null;
  return { ...subject.value, allocator: focus.value, at: focused.value.most_at_ps, limit: ROWS, ...sorted() };
}

function eventsQuestion(): Params | null {
  if (!tracks.value.length || tab.value !== 'events') return null;
  return { ...subject.value, from: view.value.from, to: view.value.to, filter: view.value.filter, limit: ROWS, ...sorted() };
}

function rangeQuestion(): Params | null {
  if (!range.value) return null;
  return { ...subject.value, allocator: focus.value, from: Math.round(range.value.from), to: Math.round(range.value.to), limit: 1 };
}

export function startOverTime(): () => void {
  const stops = [
    followList('', 'whole', () => (view.value.run ? { ...subject.value, px: 1200 } : null), keepIn(whole)),
    followCurve(),
    followRows(),
    followModules(),
    followHeld('a', () => a.value),
    followHeld('b', () => b.value),
    followList('/steps', 'steps', stepsQuestion, keepIn(steps)),
    followList('/live', 'live', liveQuestion, keepIn(live)),
    followList('/diff', 'diff', diffQuestion, keepIn(diff)),
    followList('/live', 'peak', peakQuestion, keepIn(atPeak)),
    followList('/events', 'events', eventsQuestion, keepIn(events)),
    followList('/events', 'range', rangeQuestion, keepIn(ranged)),
  ];
  return () => {
    for (const stop of stops) stop();
    for (const one of [curve, whole, steps, live, diff, atPeak, events, ranged, rows, modules]) one.value = null;
    heldAt.a.value = heldAt.b.value = [];
    range.value = null;
    hover.value = null;
  };
}
