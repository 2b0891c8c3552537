/** State of Compare: the baseline that the address names, the two answers, the window over aligned steps. */
import type { ComparedCurve } from '../api/answers';
import { computed, effect, signal } from '@preact/signals';
import { api, ApiError, call, isAborted, type Params, transport } from '../api/client';
import { follow } from '../api/follow';
import type { Modules, Run } from '../api/types';
import { setView, view } from '../app/router';
import { clampWindow, type Window1 } from '../canvas/view';
import { subject } from '../memory/state';
import type { Comparison } from '../memory/compare_types';

export const answer = signal<Comparison | null>(null);
export const problem = signal<ApiError | null>(null);
export const curve = signal<ComparedCurve | null>(null);
/** What the baseline's run holds, for the pickers and for candidates when nothing pairs. */
export const baseModules = signal<Modules | null>(null);
export const baseRun = signal<Run | null>(null);

export const params = computed<Params>(() => {
  const { base, base_module, base_host, base_space } = view.value;
  return { ...subject.value, base_run: base, base_module, base_host, base_space };
});
export const hasBase = computed(() => view.value.base !== undefined);

/** Slots, and the part of them on screen. */
export const slots = computed(() => curve.value?.slots ?? 0);
export const plotWidth = signal(800);
/** While a gesture is under way. */
const gesture = signal<Window1 | null>(null);
export const windowNow = computed<Window1>(() => {
  if (gesture.value) return gesture.value;
  const from = Number(view.value.from_slot ?? 0);
  const to = Number(view.value.to_slot ?? slots.value);
  return clampWindow({ from: Number.isFinite(from) ? from : 0, to: Number.isFinite(to) ? to : slots.value }, slots.value);
});
export const hoverSlot = signal<{ slot: number; x: number; y: number } | null>(null);

let rest = 0;
export function setWindow(next: Window1): void {
  const w = clampWindow(next, slots.peek());
  gesture.value = w;
  clearTimeout(rest);
  rest = window.setTimeout(() => {
    const from = Math.round(w.from);
    const to = Math.min(slots.peek(), from + Math.max(2, Math.round(w.to - w.from)));
    const all = from <= 0 && to >= slots.peek();
    setView({ from_slot: all ? null : from, to_slot: all ? null : to });
    gesture.value = null;
  }, 180);
}
export function showAll(): void {
  setWindow({ from: 0, to: slots.peek() });
}

/** Exchanges the two: every sign changes. */
export function swap(): void {
  const v = view.peek();
  const a = answer.peek();
  setView(
    {
      run: v.base,
      mode: 'compare',
      host: v.base_host,
      module: a?.before.module ?? v.base_module,
      space: v.base_space ?? v.space,
      base: v.run,
      base_module: a?.after.module ?? v.module,
      base_host: v.host,
      base_space: v.base_space === undefined ? null : v.space,
      from_slot: null,
      to_slot: null,
    },
    { push: true },
  );
}

function failed(error: unknown): void {
  if (!isAborted(error)) problem.value = error instanceof ApiError ? error : new ApiError('internal', String(error), 0);
}

const followAnswer = () =>
  follow({
    question: () => (hasBase.value && params.value.run ? params.value : null),
    ask: (asked) => call<Comparison>('compare', asked, { key: 'compare' }),
    take: (got) => {
      answer.value = got;
      if (got) return;
      curve.value = null;
      problem.value = null;
    },
    fail: failed,
  });

/** The curve of the window, once it rests; the first one is of everything. */
function followCurve(): () => void {
  let asked = '';
  return effect(() => {
    const a = answer.value;
    if (!a || gesture.value) return;
    const { from_slot, to_slot } = view.value;
    const px = Math.max(200, Math.round(plotWidth.value));
    const ask = { ...params.peek(), from: from_slot, to: to_slot, px };
    const key = JSON.stringify([ask, a.before.module, a.after.module]);
    if (key === asked && curve.peek()) return;
    asked = key;
    call<ComparedCurve>('compare/curve', ask, { key: 'compare/curve', quiet: true })
      .then((got) => {
        if (key === asked) curve.value = got;
      })
      .catch(failed);
  });
}

function followBaseRun(): () => void {
  let last: string | undefined;
  return effect(() => {
    const id = view.value.base;
    if (id === last) return;
    last = id;
    baseModules.value = null;
    baseRun.value = null;
    if (!id || !transport.holds(id)) return;
    api.run({ run: id }, { key: 'compare/run', quiet: true }).then(
      (got) => {
        baseRun.value = got;
      },
      () => {},
    );
    api.modules({ run: id }, { key: 'compare/modules', quiet: true }).then(
      (got) => {
        baseModules.value = got;
      },
      () => {},
    );
  });
}

export function startCompare(): () => void {
  const stops = [followBaseRun(), followAnswer(), followCurve()];
  return () => {
    for (const stop of stops) stop();
    // Running requests are no longer needed; kept answers would be out of date when Compare opens again.
    answer.value = null;
    curve.value = null;
    problem.value = null;
  };
}
