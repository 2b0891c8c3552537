/** Memory, Over time: what the address says, and what the server answered about the allocators of the run. */
import { computed, signal } from '@preact/signals';
import type { AllocatorTrack, AllocStepsAnswer, Answers, TraceAllocators } from '../api/answers';
import { call, type Params } from '../api/client';
import { follow } from '../api/follow';
import { setView, view } from '../app/router';
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
/** Why the list in the open tab is not there. */
export const listProblem = signal('');
export const pixels = signal(1000);
export const range = signal<Window | null>(null);
export const hover = signal<{ time: number; lane: number; x: number; y: number } | null>(null);

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
export const showAllStrips = (): void => setView({ al: [focus.peek(), ...tracks.peek().map((_, k) => k).filter((k) => k !== focus.peek())].join(',') }, { push: false });
export const focus = computed(() => listed.value[0] ?? steps.value?.allocator ?? 0);
export const focused = computed<AllocatorTrack | undefined>(() => tracks.value[focus.value]);
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
    question: () => (view.value.run ? { ...subject.value, from: view.value.from, to: view.value.to, px: Math.max(64, pixels.value) } : null),
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

const sorted = () => ({ sort: view.value.sort, order: view.value.sort ? (view.value.desc === '0' ? 'asc' : 'desc') : undefined });
export const ROWS = 2000;

export function startOverTime(): () => void {
  const stops = [
    followList<TraceAllocators>('', 'whole', () => (view.value.run ? { ...subject.value, px: 1200 } : null), (answer) => {
      whole.value = answer;
    }),
    followCurve(),
    followList<AllocStepsAnswer>('/steps', 'steps', () => (view.value.run ? { ...subject.value, allocator: listed.value[0] ?? (view.value.al ? number(view.value.al.split(',')[0]) : null) } : null), (answer) => {
      steps.value = answer;
    }),
    followList<AllocLive>('/live', 'live', () => (tracks.value.length && tab.value === 'live' && liveOf.value !== 'diff' && a.value !== null ? { ...subject.value, allocator: focus.value, at: liveOf.value === 'b' ? b.value : a.value, limit: ROWS, ...sorted() } : null), (answer) => {
      live.value = answer;
    }),
    followList<AllocDiff>('/diff', 'diff', () => (tracks.value.length && b.value !== null && a.value !== null ? { ...subject.value, allocator: focus.value, a: a.value, b: b.value, limit: ROWS, ...(tab.value === 'live' ? sorted() : {}) } : null), (answer) => {
      diff.value = answer;
    }),
    followList<AllocLive>('/live', 'peak', () => (tab.value === 'peak' && focused.value ? { ...subject.value, allocator: focus.value, at: focused.value.most_at_ps, limit: ROWS, ...sorted() } : null), (answer) => {
      atPeak.value = answer;
    }),
    followList<AllocEvents>('/events', 'events', () => (tracks.value.length && tab.value === 'events' ? { ...subject.value, from: view.value.from, to: view.value.to, filter: view.value.filter, limit: ROWS, ...sorted() } : null), (answer) => {
      events.value = answer;
    }),
    followList<AllocEvents>('/events', 'range', () => (range.value ? { ...subject.value, allocator: focus.value, from: Math.round(range.value.from), to: Math.round(range.value.to), limit: 1 } : null), (answer) => {
      ranged.value = answer;
    }),
  ];
  return () => {
    for (const stop of stops) stop();
    for (const one of [curve, whole, steps, live, diff, atPeak, events, ranged]) one.value = null;
    range.value = null;
    hover.value = null;
  };
}
