/** A against B: another run, another program, or other steps of this run, and what became of the time of their operations. */
import { computed, effect, signal } from '@preact/signals';
import type { Answers } from '../api/answers';
import { ApiError, type Params } from '../api/client';
import { follow } from '../api/follow';
import { perRun, view } from '../app/router';
import { run } from '../app/state';
import { traceApi } from '../trace/api';
import { change, subject } from './state';

export type OpsComparison = Answers['trace/ops/compare'];

export const WAYS = ['scope', 'group', 'operation', 'source'] as const;
export type Way = (typeof WAYS)[number];

export const comparison = perRun<OpsComparison | null>(null);
/** The same, operation by operation: for the lists of what fell and grew most. */
export const operations = perRun<OpsComparison | null>(null);
/** All steps of both sides, for the menus. */
export const allSteps = signal<{ before: number[]; after: number[] }>({ before: [], after: [] });
export const comparisonFailure = perRun<ApiError | null>(null);

export const comparing = computed(() => view.value.oview === 'compare');
export const way = computed<Way>(() => WAYS.find((one) => one === view.value.cby) ?? 'scope');
/** What A is beside B: steps, program or run. */
export const kind = computed<'steps' | 'program' | 'run'>(() =>
  view.value.base && view.value.base !== view.value.run ? 'run' : view.value.base_module && view.value.base_module !== view.value.module ? 'program' : 'steps',
);

const sides = computed<Params>(() => ({ ...subject.value, base_run: view.value.base, base_module: view.value.base_module, base_host: view.value.base_host }));
export const compareQuestion = computed<Params>(() => ({
  ...sides.value,
  steps: view.value.osteps,
  base_steps: view.value.asteps,
  by: way.value,
  limit: 20_000,
}));

interface Asking {
  key: string;
  /** null: not requested. */
  params: () => Params;
  take: (answer: OpsComparison | null) => void;
}

function asking({ key, params, take }: Asking): () => void {
  return follow<Params, OpsComparison>({
    question: () => (view.value.run && comparing.value ? params() : null),
    ask: (asked) => traceApi.compareOps(asked, { key: `trace/ops/compare/${key}`, quiet: key !== 'rows' }),
    take,
    fail: (error) => {
      comparisonFailure.value = error instanceof ApiError ? error : new ApiError('internal', String(error), 0);
    },
    keep: true,
  });
}

export function startComparison(): () => void {
  const stops = [
    chooseSteps(),
    asking({
      key: 'rows',
      params: () => compareQuestion.value,
      take: (answer) => {
        comparison.value = answer;
        if (answer) comparisonFailure.value = null;
      },
    }),
    asking({
      key: 'operations',
      params: () => ({ ...compareQuestion.value, by: 'operation' }),
      take: (answer) => {
        operations.value = answer;
      },
    }),
    asking({
      key: 'steps',
      params: () => ({ ...sides.value, limit: 1 }),
      take: (answer) => {
        allSteps.value = { before: answer?.before?.steps ?? [], after: answer?.after?.steps ?? [] };
      },
    }),
  ];
  return () => {
    for (const stop of stops) stop();
    comparison.value = operations.value = null;
  };
}

export const startComparing = (): void => change({ oview: 'compare' }, true);

/** Two sets of all steps of one program are the same: the first step and the last are taken, where nothing was chosen. */
function chooseSteps(): () => void {
  return effect(() => {
    const { asteps, osteps } = view.value;
    const steps = allSteps.value.after;
    if (comparing.value && kind.value === 'steps' && !asteps && !osteps && steps.length > 1) change({ asteps: steps[0], osteps: steps[steps.length - 1] });
  });
}

export function stopComparing(): void {
  change({ oview: null, asteps: null, osteps: null, base: null, base_module: null, base_host: null }, true);
}

/** Programs that ran, for the menu. */
export const programs = computed(() => {
  const known = run.value?.modules;
  return known ? known.key.filter((_, i) => known.ran[i]) : [];
});
