/** The baseline: a run or a program that numbers are compared with. It lives in the address (base, base_module, base_host,
 *  base_space) and stays when run, module or space change. */
import { computed, signal } from '@preact/signals';
import { api, call, type Params } from '../api/client';
import { follow } from '../api/follow';
import type { Summary } from '../api/types';
import { setView, view } from '../app/router';
import type { Column } from '../table/virtual';
import type { BufferRow } from './buffers_state';
import type { Group } from './groups';
import type { ModuleRow } from './modules_tab';
import { subject, summary } from './state';

export const isPinned = computed(() => view.value.base !== undefined);

/** The pinned one is what is open. */
export const isOpen = computed(() => {
  const v = view.value;
  const at = summary.value?.module;
  return (
    v.base === v.run &&
    (v.base_module === undefined || v.base_module === v.module || v.base_module === at?.key) &&
    v.base_host === v.host &&
    v.base_space === v.space
  );
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

export const followBaseline = () =>
  follow({
    question: (): Params | null => {
      const { base, base_module, base_host, base_space } = view.value;
      return base === undefined || !summary.value || isOpen.value ? null : { ...subject.value, base_run: base, base_module, base_host, base_space };
    },
    // Which of its programs is the pair is the server's rule, for Compare and here.
    ask: (pair) =>
      call<{ before: { module: string } }>('compare', pair, { key: 'memory/pair', quiet: true }).then(({ before }) =>
        api.summary(
          { run: pair.base_run, module: before.module, host: pair.base_host, space: pair.base_space ?? pair.space },
          { key: 'memory/base', quiet: true },
        ),
      ),
    take: (answer) => {
      baseSummary.value = answer;
      baseProblem.value = '';
    },
    fail: (error) => {
      baseProblem.value = error instanceof Error ? error.message : String(error);
    },
  });
