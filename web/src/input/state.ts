/** Input: what the address says, and what the server answered about what the program waited for. */
import { computed, signal } from '@preact/signals';
import type { InputLanesAnswer, InputStagesAnswer, InputStepsAnswer, InputTfdataAnswer, InputThreadsAnswer, InputVerdictAnswer } from '../api/answers';
import { call, type Params } from '../api/client';
import { follow } from '../api/follow';
import { perRun, setView, view } from '../app/router';
import { together } from '../util/listen';

/** Bars of the picture; of more steps each is the slowest of several. */
export const BARS = 200;
/** Rows of the table of steps. */
export const ROWS = 1000;

export const verdict = perRun<InputVerdictAnswer | null>(null);
export const failure = perRun('');
/** All steps, regardless of the chosen range. */
export const bars = perRun<InputStepsAnswer | null>(null);
export const lanes = perRun<InputLanesAnswer | null>(null);
export const stages = perRun<InputStagesAnswer | null>(null);
export const threads = perRun<InputThreadsAnswer | null>(null);
export const steps = perRun<InputStepsAnswer | null>(null);
export const tfdata = perRun<InputTfdataAnswer | null>(null);
/** What could not be read of the parts below the headline. */
export const problem = perRun('');
export const pixels = signal(900);

export const TABS = ['stages', 'threads', 'steps', 'tfdata'] as const;
export type Tab = (typeof TABS)[number];
export const tab = computed<Tab>(() => TABS.find((name) => name === view.value.tab) ?? 'stages');

const subject = computed<Params>(() => ({ run: view.value.run ?? '', host: view.value.host ?? '', rules: view.value.rules ?? '' }));
const inRange = computed<Params>(() => ({ ...subject.value, steps: view.value.steps ?? '' }));

/** First and last number of the range of steps; null: all. */
export const range = computed<[number, number] | null>(() => {
  const match = /^(\d+)(?:-(\d+))?$/.exec(view.value.steps ?? '');
  return match ? [Number(match[1]), Number(match[2] ?? match[1])] : null;
});

/** Row of the bars with the longest step. */
function slowest(all: InputStepsAnswer): number {
  let most = 0;
  for (let row = 1; row < all.n; row++) if (all.duration_ps[row] > all.duration_ps[most]) most = row;
  return most;
}

/** Number of the step in the middle of the lanes: that of the address, else the slowest. */
export const chosen = computed<number | null>(() => {
  const all = bars.value;
  if (!all?.n) return null;
  return /^-?\d+$/.test(view.value.step ?? '') ? Number(view.value.step) : all.number[slowest(all)];
});

/** The bar that holds a step: bars are in order of time, and so of numbers. */
export function rowOf(all: InputStepsAnswer, number: number): number {
  let row = all.number.indexOf(number);
  if (row < 0) row = all.number.findIndex((_, k) => k + 1 === all.n || all.number[k + 1] > number);
  return row;
}

const words = (error: unknown) => (error instanceof Error ? error.message : String(error));

function following<A>(path: string, into: { value: A | null }, question: () => Params | null, quiet: string | null) {
  return follow<Params, A>({
    question: () => (view.value.run ? question() : null),
    ask: (params) => {
      (quiet ? problem : failure).value = '';
      return call<A>(path, params, quiet ? { key: `${path} ${quiet}`, quiet: true, part: quiet } : { key: path });
    },
    take: (answer) => {
      into.value = answer;
    },
    fail: (error) => {
      (quiet ? problem : failure).value = words(error);
    },
    keep: true,
  });
}

export function startInput(): () => void {
  const when = (name: Tab) => () => (tab.value === name ? inRange.value : null);
  return together([
    following<InputVerdictAnswer>('input/verdict', verdict, () => inRange.value, null),
    following<InputStepsAnswer>('input/steps', bars, () => ({ ...subject.value, bars: BARS, limit: BARS }), 'the steps'),
    following<InputLanesAnswer>(
      'input/lanes',
      lanes,
      () => (chosen.value === null ? null : { ...subject.value, step: chosen.value, px: pixels.value }),
      'the steps around the chosen one',
    ),
    following<InputStagesAnswer>('input/stages', stages, when('stages'), 'the stages'),
    following<InputThreadsAnswer>('input/threads', threads, when('threads'), 'the threads'),
    following<InputStepsAnswer>('input/steps', steps, () => (tab.value === 'steps' ? { ...inRange.value, limit: ROWS } : null), 'the table of steps'),
    following<InputTfdataAnswer>('input/tfdata', tfdata, when('tfdata'), 'the stages of tf.data'),
  ]);
}

export const selectStep = (number: number): void => setView({ step: number }, { push: false });
export const selectRange = (from: number, to: number): void =>
  setView({ steps: from === to ? null : `${Math.min(from, to)}-${Math.max(from, to)}` }, { push: false });

/** The next step of the bars by the time it took: `by` 1 slower, -1 faster. */
export function byTime(by: 1 | -1): boolean {
  const all = bars.peek(),
    now = chosen.peek();
  if (!all?.n || now === null) return false;
  const order = all.number.map((_, row) => row).sort((a, b) => all.duration_ps[a] - all.duration_ps[b]);
  const next = order[order.indexOf(rowOf(all, now)) + by];
  if (next === undefined) return false;
  selectStep(all.number[next]);
  return true;
}

export function inOrder(by: 1 | -1): boolean {
  const all = bars.peek(),
    now = chosen.peek();
  const next = all && now !== null ? rowOf(all, now) + by : -1;
  if (!all || next < 0 || next >= all.n) return false;
  selectStep(all.number[next]);
  return true;
}

/** Trace, at a step of the bars. */
export function openTrace(): void {
  const all = bars.peek(),
    now = chosen.peek();
  if (!all || now === null) return;
  const row = rowOf(all, now);
  setView({ tool: 'trace', t0: all.start_ps[row], t1: all.start_ps[row] + all.duration_ps[row] }, { push: true });
}
