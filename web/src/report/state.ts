/** State of the report: steps, split, hidden groups, the open tab; all in the address. Answers follow it. */
import { computed, effect, signal, type Signal } from '@preact/signals';
import { api, call, isAborted, type ApiError, type Params } from '../api/client';
import { view } from '../app/router';
import { change, inspected, plot, settled, stepCount, subject, summary, windowNow } from '../memory/state';
import { tree, treeParams } from '../memory/lower_state';
import { clickStep, readSteps } from './steps';
import type { Areas, Details, Groups, Transfers } from './types';
import { toggled } from '../util/toggled';

export type ReportTab = 'details' | 'ops' | 'kinds' | 'transfers' | 'buffers';
export type SplitBy = 'op' | 'kind' | 'class' | 'dtype' | 'scope' | 'computation' | 'opcode';
export type GraphId = 'total' | 'plot' | 'map' | 'modules' | 'scope';
const GRAPH_IDS = new Set(['plot', 'map', 'modules', 'scope']);

export const SPLITS: Record<SplitBy, string> = {
  op: 'op group',
  kind: 'category',
  class: 'class',
  dtype: 'dtype',
  scope: 'scope',
  computation: 'computation',
  opcode: 'opcode',
};

export const details = signal<Details | null>(null);
export const areas = signal<(Areas & { from: number; to: number }) | null>(null);
export const groups = signal<Groups | null>(null);
export const transfers = signal<Transfers | null>(null);
/** Groups of transfers that are listed; undefined: as many as the server lists of itself. */
export const transfersLimit = signal<number | undefined>(undefined);
export const failed = signal('');

/** The asked steps as texts: numbers and ranges. */
export const asked = computed<string[]>(() => {
  const read = readSteps(view.value.steps ?? '', Math.max(stepCount.value, 1));
  if ('parts' in read && read.parts.length > 0) return read.parts;
  return inspected.value === null ? [] : [String(inspected.value)];
});
/** One number each: the highest step of a range, once the server has said which it is. */
export const chosen = computed<(number | null)[]>(() => {
  const answer = [details, groups, transfers]
    .map((one) => one.value)
    .find((one) => one && one.steps.length === asked.value.length && asked.value.every((part, n) => !/^\d+$/.test(part) || one.steps[n].step === Number(part)));
  return asked.value.map((part, k) => (/^\d+$/.test(part) ? Number(part) : (answer?.steps[k]?.step ?? null)));
});
export const stepA = computed(() => chosen.value[0] ?? null);

export const reportTab = computed<ReportTab>(() =>
  ['ops', 'kinds', 'transfers', 'buffers'].includes(view.value.rtab ?? '') ? (view.value.rtab as ReportTab) : 'details',
);
export const graphNow = computed<GraphId>(() => (GRAPH_IDS.has(view.value.graph ?? '') ? (view.value.graph as GraphId) : 'total'));
export const splitBy = computed<SplitBy>(() => (view.value.split && view.value.split in SPLITS ? (view.value.split as SplitBy) : 'op'));
export const level = computed(() => (/^[1-9]\d?$/.test(view.value.level ?? '') ? Number(view.value.level) : 2));
export const hidden = computed<ReadonlySet<string>>(() => new Set((view.value.hide ?? '').split('|').filter(Boolean)));
export const totalHidden = computed(() => view.value.total === '0');
export const onlyDifferences = computed(() => view.value.diffs === '1');
export const opsBy = computed<SplitBy>(() => (view.value.rby && view.value.rby in SPLITS ? (view.value.rby as SplitBy) : 'op'));
export const originFilter = computed(() => view.value.origin ?? '');
export const nameFilter = computed(() => view.value.rname ?? '');
/** The filter is about what is inside of instructions; the word, or ''. */
export const filterInner = computed(() => view.value.rfilter === 'inner');
export const inner = computed(() => (filterInner.value ? nameFilter.value.trim() : ''));
/** Small charts, one for each memory space, in place of stacked areas. */
export const bySpace = computed(() => view.value.split === 'space');

export function setSteps(parts: readonly string[]): void {
  change({ steps: parts.join(','), step: /^\d+$/.test(parts[0] ?? '') ? parts[0] : undefined });
}
export function chooseStep(step: number, add: boolean): void {
  setSteps(clickStep(asked.peek(), step, add));
}
export function swapSteps(): void {
  const [a, b, ...more] = asked.peek();
  if (b !== undefined) setSteps([b, a, ...more]);
}
export function toggleHidden(name: string): void {
  change({ hide: [...toggled(hidden.peek(), name)].join('|') });
}

export const stepsParam = computed(() => asked.value.join(','));
export const reportParams = computed<Params>(() => ({ ...subject.value, steps: stepsParam.value }));

/** Whose failure `failed` tells: the answer of another one does not take it back. */
let failedRoute = '';

function load<T>(route: string, params: Params, into: Signal<T | null>, made: (answer: T) => T = (answer) => answer): void {
  call<T>(`report/${route}`, params, { key: `report/${route}`, part: `the ${route} of the report` })
    .then((answer) => {
      into.value = made(answer);
      if (failedRoute === route) failed.value = failedRoute = '';
    })
    .catch((error: unknown) => {
      if (isAborted(error)) return;
      failedRoute = route;
      failed.value = (error as ApiError).message;
    });
}

export function startReport(): () => void {
  let wait = 0;
  const stops = [
    // What the Viewer, the axis and the maps inspect is A.
    effect(() => {
      const a = stepA.value;
      if (settled.value && view.value.steps && a !== null && view.value.step !== String(a)) change({ step: a });
    }),
    effect(() => {
      if (settled.value) return;
      details.value = null;
      groups.value = null;
      transfers.value = null;
      transfersLimit.value = undefined;
      areas.value = null;
    }),
    effect(() => {
      if (settled.value && reportTab.value === 'details') load('details', { ...reportParams.value, px: 150 }, details);
    }),
    effect(() => {
      if (settled.value && reportTab.value === 'transfers') load('transfers', { ...reportParams.value, px: 150, limit: transfersLimit.value }, transfers);
    }),
    effect(() => {
      const by = reportTab.value === 'ops' ? opsBy.value : reportTab.value === 'kinds' ? 'signature' : '';
      if (settled.value && by) load('groups', { ...reportParams.value, by, level: level.value, inner: inner.value, px: 150, limit: 500 }, groups);
      else groups.value = null;
    }),
    effect(() => {
      // the tab By scope of the Viewer is not here, and only that tab asks for it
      if (!settled.value || graphNow.value !== 'scope') return;
      api
        .tree(treeParams.value, { key: 'memory/tree', part: 'the scopes' })
        .then((answer) => {
          tree.value = answer;
        })
        .catch((error: unknown) => {
          if (!isAborted(error)) failed.value = (error as ApiError).message;
        });
    }),
    effect(() => {
      if (!settled.value || stepCount.value === 0) return;
      const w = windowNow.value;
      const params = {
        ...subject.value,
        by: splitBy.value,
        level: level.value,
        from: Math.floor(w.from),
        to: Math.ceil(w.to),
        px: Math.max(1, Math.round(plot.value.width)),
      };
      clearTimeout(wait);
      wait = window.setTimeout(() => load('areas', params, areas, (answer) => ({ ...answer, from: params.from, to: params.to })), 25);
    }),
  ];
  return () => {
    clearTimeout(wait);
    for (const stop of stops) stop();
  };
}

export const hasSteps = computed(() => (summary.value?.steps ?? 0) > 0);
