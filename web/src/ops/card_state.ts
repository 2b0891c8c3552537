/** The program's side of the operation on the card: its text in parts, the matrix multiplication in it, its source. */
import { computed, signal } from '@preact/signals';
import type { Answers } from '../api/answers';
import { traceApi } from '../trace/api';
import { call } from '../api/client';
import { follow } from '../api/follow';
import { type Change, view } from '../app/router';
import type { ToolId } from '../api/types';
import { run } from '../app/state';
import type { Explanation } from '../explain/types';
import { current, table } from './table_state';

export const explained = signal<Explanation | null>(null);
/** The reason why there is none, in the server's words. */
const refused = signal('');
/** The profile holds the program; else there are only events that name it. */
export const hasHlo = (module: string) => run.value?.modules.key.includes(module) ?? true;
export const unexplained = computed(() => {
  const t = table.value;
  const k = current.value;
  return t && k >= 0 && !hasHlo(t.look.c.module[k])
    ? (t.look.c.bound_reason[k] ?? 'it belongs to no XLA program, or the profile has no HLO for its program')
    : refused.value;
});

/** The operation in another tool. What is of no program of the run is found by its event (`opev`), as no instruction has its name. */
export const linkTo = (tool: ToolId, name: string, module: string): Change => ({ tool, op: `%${name}`, ...(hasHlo(module) ? { module } : {}) });

export function startExplained(): () => void {
  return follow({
    question: () => {
      const t = table.value;
      const k = current.value;
      const { run: id, host } = view.value;
      // Which modules have HLO is only known with the run: an operation without would be asked for in vain.
      return t && k >= 0 && id && run.value && hasHlo(t.look.c.module[k]) ? { run: id, host, module: t.look.c.module[k], node: t.look.c.name[k] } : null;
    },
    ask: (params) => call<Explanation>('graph/explain', params, { key: 'ops/explain', quiet: true }),
    take: (answer) => {
      explained.value = answer;
      refused.value = '';
    },
    fail: (error) => {
      refused.value = error instanceof Error ? error.message : String(error);
    },
  });
}

export type One = Answers['trace/ops/one'];

/** Its executions. */
export const one = signal<One | null>(null);

export function startRuns(): () => void {
  return follow({
    question: () => {
      const t = table.value;
      const k = current.value;
      const { run, host, osteps } = view.value;
      return t && k >= 0 && run ? { run, host, steps: osteps, name: t.look.c.name[k], module: t.look.c.module[k] } : null;
    },
    ask: (params) => traceApi.oneOp(params, { key: 'ops/one', quiet: true }),
    take: (answer) => {
      one.value = answer;
    },
    // The numbers of the table stand without the single runs.
    fail: () => {},
  });
}
