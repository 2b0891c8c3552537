/** Overview: what the address says, and what the server answered about the run's steps. */
import { computed, signal } from '@preact/signals';
import { api, ApiError, call, type Params } from '../api/client';
import { follow } from '../api/follow';
import { perRun, setView, view } from '../app/router';
import { run } from '../app/state';
import { peakParams } from '../explain/peaks';
import { isOpen } from '../memory/baseline_state';
import { hostsOf, rowsOf } from '../start/reading_state';
import { rowOfStep } from './columns';
import type { Loading, Overview, Stepsplit } from '../api/answers';
import type { Summary } from '../api/types';
import { together } from '../util/listen';

/** The answer covers all steps, or the one in the address. */
export const overview = perRun<Overview | null>(null);
export const failure = signal('');
/** The same of the run that this one is compared with. */
export const base = signal<Overview | null>(null);
export const baseProblem = signal('');
/** The steps themselves, for the chart. */
export const split = perRun<Stepsplit | null>(null);
export const splitProblem = signal('');
/** Width of the chart: no more columns than that are asked for. */
export const pixels = signal(900);

const text = (key: 'run' | 'only' | 'host' | 'module' | 'program' | 'step' | 'chip' | 'clk' | 'base' | 'base_module' | 'base_host') => view.value[key] ?? '';

/** Whose steps: the run, a host, a program; by the clock that was asked for. */
const subject = computed<Params>(() => ({
  run: text('run'),
  only: text('only'),
  host: text('host'),
  module: text('module'),
  program: text('program'),
  clock: text('clk'),
}));

export const step = computed<number | null>(() => (/^-?\d+$/.test(text('step')) ? Number(text('step')) : null));
/** 'mean' and 'slowest' of the chips, or the number of one. */
export const choice = computed(() => text('chip') || 'mean');
const oneChip = computed(() => (/^\d+$/.test(choice.value) ? choice.value : null));
export const twin = computed(() => view.value.table === '1');

const peaks = computed<Params>(() => peakParams(null, run.value?.device_type ?? ''));

const words = (error: unknown) => (error instanceof Error ? error.message : String(error));

function followOverview(): () => void {
  return follow({
    question: () => (text('run') ? { ...subject.value, ...peaks.value, step: step.value, chip: oneChip.value } : null),
    ask: (params) => {
      failure.value = '';
      soFar.value = null;
      return call<Overview>('overview', params, { key: 'overview', onProgress: ({ percent }) => beforeEvents(percent) });
    },
    take: (answer) => {
      if (answer) soFar.value = null;
      overview.value = answer;
    },
    fail: (error) => {
      soFar.value = null;
      if (error instanceof ApiError && error.where === 'step') setView({ step: null }, { push: false });
      else if (error instanceof ApiError && error.where === 'module' && text('program'))
        setView({ program: null }, { push: false }); // of another run
      else failure.value = words(error);
    },
    keep: true,
  });
}

/** Events are still being read: how many percent, and the hosts that are read of those that have any. */
export const soFar = signal<{ percent: number | null; hosts: readonly string[]; of: number } | null>(null);
/** What needs no events: the program's peak. */
export const early = perRun<Summary | null>(null);

function beforeEvents(percent: number | null): void {
  const now = soFar.peek();
  soFar.value = { hosts: [], of: 0, ...now, percent };
  if (text('host') || text('only')) return;
  call<Loading>('loading', { run: text('run') }, { key: 'overview/loading', quiet: true }).then(
    (loading) => {
      const all = hostsOf(rowsOf(loading)).filter((row) => row.events !== 0);
      const hosts = all.filter((row) => row.whole).map((row) => row.host);
      const before = soFar.peek();
      if (before && loading.state === 'loaded' && hosts.length > before.hosts.length && hosts.length < all.length)
        soFar.value = { ...before, hosts, of: all.length };
    },
    () => {}, // the answer itself says what is wrong
  );
}

/** The hosts that are read, until all are. */
const followPart = () =>
  follow({
    question: () => (soFar.value?.hosts.length ? { ...subject.value, ...peaks.value, only: soFar.value.hosts.join(',') } : null),
    ask: (params) =>
      Promise.all([
        call<Overview>('overview', params, { key: 'overview/part', quiet: true }),
        call<Stepsplit>('trace/stepsplit', { ...params, px: pixels.peek() }, { key: 'trace/stepsplit/part', quiet: true }),
      ]),
    take: (answers) => {
      if (answers && soFar.peek()) [overview.value, split.value] = answers;
    },
    keep: true,
    fail: () => {}, // the whole is asked for all the same
  });

const followEarly = () =>
  follow({
    question: () =>
      soFar.value && !overview.value && run.value?.modules.n ? { run: text('run'), only: text('only'), host: text('host'), module: text('module') } : null,
    ask: (params) => api.summary(params, { key: 'overview/early', quiet: true }),
    take: (answer) => {
      early.value = answer;
    },
    fail: () => {}, // the whole is asked for all the same
  });

const followBase = () =>
  follow({
    question: () => (text('base') && !isOpen.value ? { run: text('base'), host: text('base_host'), module: text('base_module'), clock: text('clk') } : null),
    ask: (params) => {
      baseProblem.value = '';
      return call<Overview>('overview', params, { key: 'overview/base', quiet: true });
    },
    take: (answer) => {
      base.value = answer?.known ? answer : null;
      if (answer && !answer.known) baseProblem.value = answer.reason ?? '';
    },
    fail: (error) => {
      baseProblem.value = words(error);
    },
  });

let splitOf = '';
const followSplit = () =>
  follow({
    question: () => (text('run') ? { ...subject.value, chip: choice.value, ...(twin.value ? {} : { px: pixels.value }) } : null),
    ask: (params) => {
      if (splitOf !== text('run')) split.value = null;
      splitOf = text('run');
      splitProblem.value = '';
      return call<Stepsplit>('trace/stepsplit', params, { key: 'trace/stepsplit', quiet: true, part: 'the steps' });
    },
    take: (answer) => {
      split.value = answer;
    },
    keep: true,
    fail: (error) => {
      splitProblem.value = words(error);
    },
  });

export function startOverview(): () => void {
  return together([followOverview(), followPart(), followEarly(), followBase(), followSplit()]);
}

/** The row of the chart with the step that the address names. */
export const chosen = computed<number | null>(() => {
  const at = step.value === null || !split.value ? -1 : rowOfStep(split.value, step.value);
  return at < 0 ? null : at;
});

/** A second time: all steps again. */
export function selectRow(row: number | null): void {
  const number = row === null ? undefined : split.peek()?.steps.number[row];
  setView({ step: number === undefined || number === step.peek() ? null : number }, { push: false });
}
