/** The pinned baseline's side of the report: its steps and its answers, asked for as the open program's are. */
import type { ComparedSteps } from '../api/answers';
import { computed, signal, type Signal } from '@preact/signals';
import { call, type Params } from '../api/client';
import { follow } from '../api/follow';
import { view } from '../app/router';
import { isOpen, isPinned } from '../memory/baseline_state';
import { settled, subject, summary } from '../memory/state';
import { asksOf } from './base_join';
import { asked, inner, level, opsBy, reportTab, stepsParam, transfersLimit } from './state';
import type { Details, Groups, Transfers } from './types';

export const baseSteps = signal<ComparedSteps | null>(null);
/** Why the baseline has no answer: tables and their files are without it, and the files' tips say so. */
export const baseWhy = signal('');
export const baseDetails = signal<Details | null>(null);
export const baseGroups = signal<Groups | null>(null);
export const baseTransfers = signal<Transfers | null>(null);

/** Another program is pinned. */
export const isCompared = computed(() => isPinned.value && !isOpen.value);
/** The pair is one of other steps while the new one is under way. */
export const basePlace = computed<(number | null)[] | null>(() =>
  baseSteps.value && baseSteps.value.steps.length === asked.value.length ? asksOf(baseSteps.value).place : null,
);
/** The baseline as a subject, at its steps. */
export const baseSubject = computed<Params | null>(() => {
  const b = baseSteps.value?.before;
  return b ? { run: b.run, host: view.value.base_host, module: b.module, space: b.space } : null;
});
export const baseParams = computed<Params | null>(() =>
  baseSteps.value && baseSubject.value ? { ...baseSubject.value, steps: asksOf(baseSteps.value).steps || undefined } : null,
);

/** Of which step of the baseline a difference is, in words. */
export function stepWords(index: number): string {
  const step = baseSteps.value?.steps[index];
  if (!step || step.how === null) return 'no matching step before';
  if (step.how === 'peak') return `compared with the peak before${step.before === null ? '' : `, step ${step.before}`}`;
  return step.how === 'same'
    ? `compared with the same event before, step ${step.before}`
    : `compared with the nearest preceding step of the “before” program, step ${step.before}`;
}

/** `name`: of calls that ask a route of the tables above for something else. */
export function followBase<A>(question: () => { route: string; params: Params } | null, into: Signal<A | null>, name = ''): () => void {
  return follow({
    question,
    ask: ({ route, params }) => call<A>(route, params, { key: `report/base/${name}${route}`, quiet: true }),
    take: (answer) => {
      into.value = answer;
      if (answer) baseWhy.value = '';
    },
    fail: (error) => {
      baseWhy.value = error instanceof Error ? error.message : String(error);
    },
  });
}

export function startReportBase(): () => void {
  const onTab = (tab: string, route: string, more: () => Params) => () =>
    reportTab.value === tab && baseParams.value ? { route, params: { ...baseParams.value, ...more() } } : null;
  const stops = [
    followBase<ComparedSteps>(() => {
      if (!isCompared.value || !settled.value) return null;
      const { base, base_module, base_host, base_space } = view.value;
      const peak = String(summary.value?.peak.step ?? '');
      const onlyPeak = asked.value.every((part) => part === peak);
      return {
        route: 'compare/steps',
        params: {
          ...subject.value,
          base_run: base,
          base_module,
          base_host,
          base_space,
          steps: onlyPeak && asked.value.length < 2 ? undefined : stepsParam.value,
        },
      };
    }, baseSteps),
    followBase(
      onTab('details', 'report/details', () => ({ px: 150 })),
      baseDetails,
    ),
    followBase(
      onTab('transfers', 'report/transfers', () => ({ px: 150, limit: transfersLimit.value })),
      baseTransfers,
    ),
    followBase<Groups>(() => {
      const by = reportTab.value === 'ops' ? opsBy.value : reportTab.value === 'kinds' ? 'signature' : '';
      return by && baseParams.value
        ? { route: 'report/groups', params: { ...baseParams.value, by, level: level.value, inner: inner.value, px: 150, limit: 500 } }
        : null;
    }, baseGroups),
  ];
  return () => {
    for (const stop of stops) stop();
    baseSteps.value = null;
  };
}
