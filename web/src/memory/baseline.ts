/** The baseline: a run or a program that numbers are compared with. It lives in the address (base, base_module, base_host,
 *  base_space) and stays when run, module or space change. */
import { computed, effect, signal } from '@preact/signals';
import { api, call, isAborted } from '../api/client';
import type { Summary } from '../api/types';
import { setView, view } from '../app/router';
import type { Column } from '../table/virtual';
import type { BufferRow } from './buffers_data';
import type { Group } from './groups';
import type { ModuleRow } from './modules_tab';
import { subject, summary } from './state';

export const isPinned = computed(() => view.value.base !== undefined);

/** The pinned one is what is open. */
export const isOpen = computed(() => {
  const v = view.value;
  const at = summary.value?.module;
  return v.base === v.run && (v.base_module === undefined || v.base_module === v.module || v.base_module === at?.key) && v.base_host === v.host && v.base_space === v.space;
});

export function pinBaseline(run: string | undefined, module?: string | null, more: { host?: string; space?: string } = {}): void {
  setView({ base: run, base_module: module, base_host: more.host, base_space: more.space });
}

export function unpinBaseline(): void {
  setView({ base: null, base_module: null, base_host: null, base_space: null });
}

/** Key b: what is open becomes the baseline; when it is that already, it is one no longer. */
export function turnBaseline(): void {
  const { run, module, host, space } = view.peek();
  if (isOpen.peek()) unpinBaseline();
  else pinBaseline(run, module ?? summary.peek()?.module.key, { host, space });
}

/** What the tables of the Viewer carry while a baseline is pinned; made by base_tables.tsx, which is loaded then. */
export interface BaseTables {
  buffer: Column<BufferRow>;
  group: Column<Group>;
  /** Bytes of a part of the tree at the baseline's peak; 0: it has none there, null: this is not the peak. */
  part: (path: string[]) => number | null;
  module: Column<ModuleRow>;
}
export const baseTables = signal<BaseTables | null>(null);

/** The baseline's own summary, for the differences beside the open program's numbers. */
export const baseSummary = signal<Summary | null>(null);
export const baseProblem = signal('');

export function followBaseline(): () => void {
  let asked = '';
  return effect(() => {
    const { base, base_module, base_host, base_space, space } = view.value;
    const name = summary.value?.module.name;
    const open = isOpen.value;
    const key = base === undefined || name === undefined || open ? '' : JSON.stringify([subject.value, base, base_module, base_host, base_space]);
    if (key === asked) return;
    asked = key;
    baseSummary.value = null;
    baseProblem.value = '';
    if (!key) return;
    // Which of its programs is the pair is the server's rule, for Compare and here.
    call<{ before: { module: string } }>('compare', { ...subject.peek(), base_run: base, base_module, base_host, base_space }, { key: 'memory/pair', quiet: true })
      .then((pair) => api.summary({ run: base, module: pair.before.module, host: base_host, space: base_space ?? space }, { key: 'memory/base', quiet: true }))
      .then((answer) => {
        if (key === asked) baseSummary.value = answer;
      })
      .catch((error: unknown) => {
        if (!isAborted(error)) baseProblem.value = error instanceof Error ? error.message : String(error);
      });
  });
}
