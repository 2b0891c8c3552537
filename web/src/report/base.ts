/** The pinned baseline's side of the report: its steps and its answers, asked for as the open program's are. */
import { computed, effect, signal, type Signal } from '@preact/signals';
import { call, isAborted, type Params } from '../api/client';
import { view } from '../app/router';
import { isOpen, isPinned } from '../memory/baseline';
import { settled, subject, summary } from '../memory/state';
import { asksOf, type BaseSteps } from './base_join';
import { asked, inner, level, opsBy, reportTab, stepsParam } from './state';
import type { Details, Groups, Transfers } from './types';

export const baseSteps = signal<BaseSteps | null>(null);
/** Why the baseline has no answer: said in the tables' heads. */
export const baseWhy = signal('');
export const baseDetails = signal<Details | null>(null);
export const baseGroups = signal<Groups | null>(null);
export const baseTransfers = signal<Transfers | null>(null);

const wanted = computed(() => isPinned.value && !isOpen.value);
/** The pair is one of other steps while the new one is under way. */
export const basePlace = computed<(number | null)[] | null>(() => (baseSteps.value && baseSteps.value.steps.length === asked.value.length ? asksOf(baseSteps.value).place : null));
/** The baseline as a subject, at its steps. */
export const baseSubject = computed<Params | null>(() => {
  const b = baseSteps.value?.before;
  return b ? { run: b.run, host: view.value.base_host, module: b.module, space: b.space } : null;
});
export const baseParams = computed<Params | null>(() => (baseSteps.value && baseSubject.value ? { ...baseSubject.value, steps: asksOf(baseSteps.value).steps || undefined } : null));

/** Of which step of the baseline a difference is, in words. */
export function stepWords(index: number): string {
  const step = baseSteps.value?.steps[index];
  if (!step || step.how === null) return 'the baseline has no step there';
  if (step.how === 'peak') return `against the baseline's peak${step.before === null ? '' : ` at its step ${step.before}`}`;
  return step.how === 'same' ? `against the same event of the baseline, its step ${step.before}` : `against the baseline's last step before it, ${step.before}`;
}

/** Asks when what is asked changes, and forgets the answer to another question at once. */
export function follow<A>(ask: () => { route: string; params: Params } | null, into: Signal<A | null>, name = ''): () => void {
  let last = '';
  return effect(() => {
    const now = ask();
    const key = now ? JSON.stringify([now.route, now.params]) : '';
    if (key === last) return;
    last = key;
    into.value = null;
    if (!now) return;
    call<A>(now.route, now.params, { key: `report/base/${name}${now.route}`, quiet: true })
      .then((answer) => {
        if (key !== last) return;
        into.value = answer;
        baseWhy.value = '';
      })
      .catch((error: unknown) => {
        if (!isAborted(error) && key === last) baseWhy.value = error instanceof Error ? error.message : String(error);
      });
  });
}

export function startReportBase(): () => void {
  const onTab = (tab: string, route: string, more: () => Params) => () => (reportTab.value === tab && baseParams.value ? { route, params: { ...baseParams.value, ...more() } } : null);
  const stops = [
    follow<BaseSteps>(() => {
      if (!wanted.value || !settled.value) return null;
      const { base, base_module, base_host, base_space } = view.value;
      const peak = String(summary.value?.peak.step ?? '');
      const onlyPeak = asked.value.every((part) => part === peak);
      return { route: 'compare/steps', params: { ...subject.value, base_run: base, base_module, base_host, base_space, steps: onlyPeak && asked.value.length < 2 ? undefined : stepsParam.value } };
    }, baseSteps),
    follow(onTab('details', 'report/details', () => ({ px: 150 })), baseDetails),
    follow(onTab('transfers', 'report/transfers', () => ({ px: 150 })), baseTransfers),
    follow<Groups>(() => {
      const by = reportTab.value === 'ops' ? opsBy.value : reportTab.value === 'kinds' ? 'signature' : '';
      return by && baseParams.value ? { route: 'report/groups', params: { ...baseParams.value, by, level: level.value, inner: inner.value, px: 150, limit: 500 } } : null;
    }, baseGroups),
  ];
  return () => {
    for (const stop of stops) stop();
    baseSteps.value = null;
  };
}
