/** Where a row of Compare leads: the buffer in the Viewer, the instruction in its program's text. */
import { hrefOf, view } from '../app/router';
import type { Comparison } from '../memory/compare_types';

/** What names the baseline as the open program. */
function baseView(a: Comparison) {
  const v = view.value;
  return { mode: null, run: v.base, module: a.before.module, host: v.base_host ?? null, space: v.base_space ?? v.space };
}

/** In the program after, else in the baseline. */
export function bufferHref(a: Comparison, before: number | null, after: number | null): string {
  if (after !== null) return hrefOf({ mode: null, by: null, pin: after, step: null });
  return hrefOf({ ...baseView(a), by: null, pin: before });
}

/** The instruction of a line in the text of its program. */
export function lineHref(a: Comparison, before: string | null, after: string | null): string {
  const more = { tool: 'graph', by: null };
  if (after !== null) return hrefOf({ ...more, mode: null, op: after });
  return hrefOf({ ...baseView(a), ...more, op: before });
}
