/** Steps of every chip and thread: for the band above the rows, the buttons and the table. */
import { computed, effect, type Signal, signal } from '@preact/signals';
import type { Answers, StepsChips } from '../api/answers';
import { call, isAborted, type Params } from '../api/client';
import { all, change, plot, rowIndex, rows, type Span, subject, windowNow } from './state';
import { view } from '../app/router';
import { formatCount } from '../util/format';
import { processName, rowTitle } from './layout';
import { isOf, type Lane, laneAt, lanesOf, laneText, type Mark } from './steps_rows';

/** Durations and their parts are by the clock of the table (of a host: host-aligned). */
export type Steps = Answers['trace/steps'];
/** The chips side by side, over the steps that all of them have. */
export type ChipSteps = StepsChips;

interface Marked extends Span {
  list: Mark[];
}

/** Steps of one answer: beyond it, those of a lane and the ruler's marks are asked for by window. */
const LISTED = 20_000;

/** Of all chips and threads, as many as one answer has. */
export const steps = signal<Steps | null>(null);
/** Of the lane alone, when the answer with all of them leaves some out; of a long lane those around the window. */
const laneSteps = signal<Steps | null>(null);
/** What the ruler draws then: of the whole trace, and of the window. */
const coarse = signal<Marked | null>(null);
const fine = signal<Marked | null>(null);

/** Chips and threads that have steps. */
export const stepLanes = computed(() => lanesOf(steps.value));
export const stepLane = computed<Lane | null>(() => laneAt(stepLanes.value, view.value.chipof ?? ''));
/** The answer that the table and the buttons read. */
export const listed = computed(() => laneSteps.value ?? steps.value);
/** Indexes of the lane's steps in it, in the order of time. */
export const ownSteps = computed(() => {
  const s = listed.value;
  const lane = stepLane.value;
  if (!s || !lane) return [];
  const out: number[] = [];
  for (let k = 0; k < s.n; k++) if (isOf(s, k, lane)) out.push(k);
  return out.sort((a, b) => s.start_ps[a] - s.start_ps[b]);
});

const ownMarks = computed<Mark[]>(() => {
  const s = listed.value;
  return s
    ? ownSteps.value.map((k) => ({
        start: s.start_ps[k],
        end: s.end_ps[k],
        count: 1,
        number: s.number[k],
        last: s.number[k],
        name: s.name[k],
        event: s.event[k],
        duration: s.duration_ps[k],
      }))
    : [];
});

/** The steps that a window may show, in the order of time; each of them is in a mark. */
export function marksOf(window: Span): Mark[] {
  const close = fine.value;
  const a = all.value;
  if (close && close.from <= Math.max(window.from, a.from) && close.to >= Math.min(window.to, a.to)) return close.list;
  return coarse.value?.list ?? ownMarks.value;
}

/** "TPU:0", "python 3117377". */
export function laneName(lane: Lane): string {
  const r = rows.value;
  if (!r) return '';
  if (lane.row === null) return processName(r, lane.process);
  const thread = rowTitle(r, rowIndex.value.get(lane.row) ?? -1)
    .filter(Boolean)
    .join(' ');
  return stepLanes.value.some((other) => other.row !== null && other.process !== lane.process) ? `${processName(r, lane.process)} ${thread}` : thread;
}

/** Whether the steps are runs of the program, as the profile has no line of steps for these. */
export const derivedSteps = computed(() => {
  const r = rows.value;
  const p = stepLane.value?.process ?? -1;
  return r !== null && p >= 0 && r.processes.kind[p] !== 'host' && !r.rows.kind.some((kind, k) => kind === 'steps' && r.rows.process[k] === p);
});

export function nextLane(): void {
  const list = stepLanes.peek();
  const lane = stepLane.peek();
  if (list.length < 2 || !lane) return;
  change({ chipof: laneText(list[(list.indexOf(lane) + 1) % list.length]) });
}

/** Asks, and keeps what was there when the answer does not come (a report file has only the first). */
function askInto<T>(into: Signal<T | null>, params: Params, read: (answer: unknown) => T, key: string): void {
  call<unknown>('trace/steps', { ...subject.peek(), ...params }, { key, quiet: true, part: 'the steps' })
    .then((answer) => {
      into.value = read(answer);
    })
    .catch((error: unknown) => {
      if (!isAborted(error)) into.value = null;
    });
}

function readMarks(answer: unknown): Marked {
  const m = (answer as Steps).marks;
  if (!m) return { from: 0, to: 0, list: [] };
  const list = m.start_ps.map((start, k) => ({
    start,
    end: m.end_ps[k],
    count: m.count[k],
    number: m.number[k],
    last: m.last[k],
    name: m.name[k],
    event: m.event[k],
    duration: m.duration_ps[k],
  }));
  return { from: m.from_ps, to: m.to_ps, list: list.sort((x, y) => x.start - y.start) };
}

/** The window and as much again on both sides, inside of the trace. */
function around(w: Span, a: Span): Span {
  const span = w.to - w.from;
  return { from: Math.floor(Math.max(a.from, w.from - span)), to: Math.ceil(Math.min(a.to, w.to + span)) };
}

/** Where one answer has not all steps: the lane's own, and what the pixels can show of them. */
function startLane(): () => void {
  let before = '';
  return effect(() => {
    const lane = stepLane.value;
    const a = all.value;
    if (!steps.value?.left_out || !lane) {
      laneSteps.value = coarse.value = fine.value = null;
      before = '';
      return;
    }
    const own: Params = { process: lane.process, row: lane.row };
    const wide = around(windowNow.value, a);
    const px = Math.min(16_384, Math.max(1, Math.round((plot.width * (wide.to - wide.from)) / (windowNow.value.to - windowNow.value.from))));
    const key = JSON.stringify([subject.value, laneText(lane)]);
    if (key !== before) {
      laneSteps.value = coarse.value = fine.value = null;
      askInto(coarse, { ...own, px: Math.max(1, Math.round(plot.width)) }, readMarks, 'trace/steps/all');
      if (lane.steps <= LISTED) askInto(laneSteps, { ...own, limit: LISTED }, (answer) => answer as Steps, 'trace/steps/lane');
    }
    before = key;
    if (lane.steps > LISTED) askInto(laneSteps, { ...own, ...wide, limit: LISTED }, (answer) => answer as Steps, 'trace/steps/lane');
    askInto(fine, { ...own, ...wide, px }, readMarks, 'trace/steps/window');
  });
}

export function startSteps(): () => void {
  let last = '';
  const stopLane = startLane();
  const stop = effect(() => {
    const params = subject.value;
    const key = JSON.stringify(params);
    if (!rows.value?.derived || key === last) return;
    last = key;
    steps.value = null;
    call<Steps>('trace/steps', params, { key: 'trace/steps', quiet: true, part: 'the steps' })
      .then((answer) => {
        steps.value = answer;
      })
      .catch((error: unknown) => {
        if (!isAborted(error)) steps.value = null;
      });
  });
  return () => {
    stop();
    stopLane();
  };
}

/** "100 × 4 chips": steps have one number on all chips. */
export const stepsText = computed(() => {
  const s = steps.value;
  if (!s?.n) return '';
  const lanes = stepLanes.value.length;
  const numbers = new Set(s.number).size;
  return lanes > 1 && !s.left_out && numbers < s.n ? `${formatCount(numbers)} \u00d7 ${formatCount(lanes)}` : formatCount(s.total);
});

export const clockWords = (clock: string): string => (clock === 'device' ? 'device clock' : 'host-aligned');
