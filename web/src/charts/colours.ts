/** Colours of boxes: the same thing has the same colour in chart, map, bars, table and card. */
import { cssColor } from '../app/theme';

export type ColourBy = 'group' | 'class' | 'scope' | 'dtype' | 'size' | 'block';

const GROUP_VARS: Record<string, string> = {
  none: '--o-none',
  matmul: '--o-matmul',
  elem: '--o-elem',
  reduce: '--o-reduce',
  move: '--o-move',
  coll: '--o-coll',
  control: '--o-control',
  host: '--o-host',
  custom: '--o-custom',
};
export const GROUP_WORDS: Record<string, string> = {
  none: 'argument, no op',
  matmul: 'matmul / conv',
  elem: 'elementwise',
  reduce: 'reduce / sort',
  move: 'data movement',
  coll: 'collective',
  control: 'control',
  host: 'host transfer',
  custom: 'custom call',
};
const CLASS_VARS: Record<string, string> = {
  parameter: '--m-param',
  output: '--m-output',
  constant: '--m-const',
  thread_local: '--m-local',
  temporary: '--m-temp',
};
export const CLASS_WORDS: Record<string, string> = {
  parameter: 'argument',
  output: 'output',
  constant: 'constant',
  thread_local: 'thread local',
  temporary: 'temporary',
};
/** Fills that carry light text (tokens.css says which). */
const DARK_FILLS = new Set(['--o-matmul', '--o-reduce', '--o-coll', '--o-custom', '--m-param', '--m-output']);
/** For things without a fixed colour (scopes, dtypes): the op palette in turn, by hash of the name. */
const WHEEL = ['--o-matmul', '--o-elem', '--o-reduce', '--o-move', '--o-coll', '--o-host', '--o-custom', '--o-control'];

export function hashName(name: string): number {
  let h = 2166136261;
  for (let i = 0; i < name.length; i++) h = Math.imul(h ^ name.charCodeAt(i), 16777619);
  return h >>> 0;
}

export interface BoxWords {
  group: string;
  class: string;
  scope: string;
  dtype: string;
  sizeShare: number;
  /** Of its block, by shape and scope (blockVariables). */
  block?: string;
}

/** Colours of the largest blocks, in turn; the others share one. */
export function blockVariables(keys: readonly string[]): Map<string, string> {
  return new Map(keys.slice(0, WHEEL.length).map((key, k) => [key, WHEEL[k]]));
}

export function variableOf(by: ColourBy, w: BoxWords): string {
  switch (by) {
    case 'block':
      return w.block ?? '--o-none';
    case 'class':
      return CLASS_VARS[w.class] ?? '--o-none';
    case 'scope':
      return w.scope ? (WHEEL[hashName(w.scope) % WHEEL.length] ?? '--o-none') : '--o-none';
    case 'dtype':
      return w.dtype ? (WHEEL[hashName(w.dtype) % WHEEL.length] ?? '--o-none') : '--o-none';
    case 'size':
      return w.sizeShare > 0.05 ? '--o-coll' : w.sizeShare > 0.01 ? '--o-move' : w.sizeShare > 0.001 ? '--o-elem' : '--o-none';
    default:
      return GROUP_VARS[w.group] ?? '--o-none';
  }
}

export function fillColour(variable: string): string {
  return cssColor(variable);
}
/** So dark that light ink is the legible one even where the ground shines through. */
const DARK_WHEN_THIN = new Set(['--m-param', '--m-output']);

/** Ink for words on a fill; `thin` where the ground shines through the fill: paler in light, so that dark ink is mostly the legible one. */
export function inkColour(variable: string, thin = false): string {
  if (variable === '--o-none') return cssColor('--on-none');
  return cssColor((thin ? DARK_WHEN_THIN : DARK_FILLS).has(variable) ? '--on-fill' : '--on-fill-light');
}

/** Words and variables for the legend, of what occurs. */
export function legendOf(by: ColourBy, words: readonly BoxWords[]): { variable: string; label: string }[] {
  const seen = new Map<string, string>();
  for (const w of words) {
    const variable = variableOf(by, w);
    const label =
      by === 'group'
        ? (GROUP_WORDS[w.group] ?? w.group)
        : by === 'class'
          ? (CLASS_WORDS[w.class] ?? w.class)
          : by === 'scope'
            ? w.scope || 'no scope'
            : by === 'dtype'
              ? w.dtype || 'no type'
              : w.sizeShare > 0.05
                ? 'above 5 % of the heap'
                : w.sizeShare > 0.01
                  ? '1 to 5 %'
                  : w.sizeShare > 0.001
                    ? '0.1 to 1 %'
                    : 'below 0.1 %';
    const key = by === 'scope' || by === 'dtype' ? label : variable;
    if (!seen.has(key)) seen.set(key, `${variable}|${label}`);
  }
  return [...seen.values()].slice(0, 8).map((entry) => {
    const at = entry.indexOf('|');
    return { variable: entry.slice(0, at), label: entry.slice(at + 1) };
  });
}
