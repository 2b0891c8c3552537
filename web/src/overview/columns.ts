/** The columns of the chart of steps: what each is made of, from the bottom up. Pure. */
import type { Stepsplit } from '../api/answers';

export interface Part {
  /** 'compute', 'wait' or 'idle'. */
  kind: 'compute' | 'wait' | 'idle';
  /** Group of operations, for the colour. */
  group: string;
  title: string;
  key: PartKey;
}

type PartKey =
  | 'elem_ps'
  | 'matmul_ps'
  | 'reduce_ps'
  | 'move_ps'
  | 'control_ps'
  | 'host_ps'
  | 'custom_ps'
  | 'none_ps'
  | 'copies_in_ps'
  | 'copies_out_ps'
  | 'copies_ps'
  | 'collectives_ps'
  | 'infeed_ps'
  | 'waits_ps'
  | 'idle_ps';

const compute = (group: string, title: string): Part => ({ kind: 'compute', group, title, key: `${group}_ps` as PartKey });
const wait = (key: PartKey, group: string, title: string): Part => ({ kind: 'wait', group, title, key });

/** All that a step may be made of; the parts of a row add up to its duration. */
export const PARTS: readonly Part[] = [
  compute('matmul', 'matmul / conv'),
  compute('elem', 'elementwise'),
  compute('reduce', 'reduce / sort'),
  compute('move', 'data movement'),
  compute('custom', 'custom call'),
  compute('control', 'control'),
  compute('host', 'host transfer'),
  compute('none', 'other compute'),
  wait('copies_in_ps', 'host', 'waits, host memory → device'),
  wait('copies_out_ps', 'host', 'waits, device → host memory'),
  wait('copies_ps', 'host', 'waits, copies'),
  wait('collectives_ps', 'coll', 'waits, collectives'),
  wait('infeed_ps', 'host', 'waits, infeed'),
  wait('waits_ps', 'control', 'waits, other'),
  { kind: 'idle', group: 'none', title: 'idle', key: 'idle_ps' },
];

export const partOf = (s: Stepsplit, part: Part, row: number): number => s.steps[part.key][row];

/** Mean of each part over the rows. */
export function meansOf(s: Stepsplit): number[] {
  return PARTS.map((part) => s.steps[part.key].reduce((sum, ps) => sum + ps, 0) / Math.max(1, s.steps.n));
}

/** Group of the operations that a step spends most compute on: its colour stands for all of them. */
export function mainGroup(s: Stepsplit | null): string {
  const means = s ? meansOf(s) : [];
  let most = -1;
  for (const [k, part] of PARTS.entries()) if (part.kind === 'compute' && means[k] > (means[most] ?? 0)) most = k;
  return PARTS[most]?.group ?? 'none';
}

/** The row that shows a step: its own, or the one that stands for it and its neighbours. */
export function rowOfStep(s: Stepsplit, number: number): number {
  const exact = s.steps.number.indexOf(number);
  if (exact >= 0 || s.a_column === 1) return exact;
  // Rows are in order of time, each with the same number of steps.
  let at = -1;
  for (let k = 0; k < s.steps.n; k++) if (s.steps.number[k] <= number) at = k;
  return at;
}

/** The next row in a direction that is an outlier, or the next at all; -1: there is none. */
export function nextRow(s: Stepsplit, from: number | null, by: 1 | -1, outliers: boolean): number {
  for (let k = from === null ? (by > 0 ? 0 : s.steps.n - 1) : from + by; k >= 0 && k < s.steps.n; k += by) if (!outliers || s.steps.outlier[k]) return k;
  return -1;
}

/** Round values of an axis from 0 to `top`, about `want` of them above 0. */
export function valueTicks(top: number, want: number): number[] {
  if (!(top > 0)) return [0];
  const raw = top / Math.max(1, want);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((k) => k * power).find((size) => size >= raw * (1 - 1e-9)) ?? 10 * power;
  const out: number[] = [];
  for (let k = 0; k * step <= top * (1 + 1e-9); k++) out.push(k * step);
  return out;
}
