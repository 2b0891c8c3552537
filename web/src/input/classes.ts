/** Classes of time of the input: their names and colours, the same in bars, lanes, tables and legend. */
import type { InputStagesAnswer, InputStepsAnswer } from '../api/answers';
import { formatPercent } from '../util/format';

type InputClass = InputStagesAnswer['class'][number];

/** A part of a step: its class, and its column in the answer about steps. */
export interface Part {
  class: InputClass;
  title: string;
  key: Extract<keyof InputStepsAnswer, `${string}_ps`>;
}

export const PROGRAM: Part[] = [
  { class: 'wait', title: 'wait for a batch', key: 'wait_ps' },
  { class: 'load', title: 'load', key: 'load_ps' },
  { class: 'preprocess', title: 'preprocess', key: 'preprocess_ps' },
  { class: 'transfer', title: 'transfer', key: 'transfer_ps' },
  { class: 'launch', title: 'launch', key: 'launch_ps' },
  { class: 'result', title: 'fetch a result', key: 'result_ps' },
  { class: 'compute', title: 'device computes', key: 'compute_ps' },
  { class: 'other', title: 'other', key: 'other_ps' },
];
export const LOADER: Part[] = [
  { class: 'load', title: 'load', key: 'loader_load_ps' },
  { class: 'preprocess', title: 'preprocess', key: 'loader_preprocess_ps' },
];

const TITLES: Partial<Record<InputClass, string>> = { full: 'queue full', rest: 'waits, passes on' };
export const titleOf = (kind: InputClass): string => TITLES[kind] ?? PROGRAM.find((part) => part.class === kind)?.title ?? kind;

const WHAT: Record<InputClass, string> = {
  wait: 'idle until a batch arrives',
  load: 'reads and decompresses files',
  preprocess: 'other Python, numpy, map functions',
  transfer: 'copies arrays to the device',
  launch: 'launches the program',
  result: 'waits for a value from the device',
  compute: 'operations and copies',
  other: 'unknown: nothing recorded explains it',
  full: 'waits for room in its queue',
  rest: 'waits for something else, or passes data on',
};

/** Description of a stage; for a call inside, its share. */
export function whatItIs(a: Pick<InputStagesAnswer, 'class' | 'parent' | 'total_ps'>, row: number): string {
  const parent = a.parent[row];
  return parent === null ? WHAT[a.class[row]] : a.total_ps[parent] > 0 ? `${formatPercent(a.total_ps[row] / a.total_ps[parent])} of it` : '';
}

/** Tokens of tokens.css; the classes of input.css have the same. */
const TOKENS: Record<InputClass, string> = {
  wait: '--o-move',
  load: '--o-matmul',
  preprocess: '--o-reduce',
  transfer: '--o-host',
  launch: '--m-param',
  result: '--o-custom',
  compute: '--o-elem',
  other: '--o-none',
  full: '--o-control',
  rest: '--rule-strong',
};

export type Colours = Record<InputClass, string> & { soft: string; rule: string; fg: string; sunk: string; mark: string };

/** As the theme has them now. */
export function colours(): Colours {
  const style = getComputedStyle(document.documentElement);
  const of = (token: string) => style.getPropertyValue(token).trim();
  const classes = Object.fromEntries(Object.entries(TOKENS).map(([kind, token]) => [kind, of(token)])) as Record<InputClass, string>;
  return { ...classes, soft: of('--fg-soft'), rule: of('--rule'), fg: of('--fg'), sunk: of('--bg-sunk'), mark: of('--accent') };
}
