/** Numbers and names as the graph writes them. Pure. */
import type { Times } from './api';
import { exactBytes, fixed, formatCount, UNKNOWN } from '../util/format';

/** Three digits: "97.0", "1.35", "589". */
function three(value: number): string {
  const size = Math.abs(value);
  return fixed(value, size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
}

/** A time: "393 µs", "14.6 ms", "< 0.1 µs"; null is a dash, as nothing is known. */
export function timeText(ps: number | null): string {
  if (ps === null) return '\u2013';
  if (ps === 0) return '0';
  const us = ps / 1e6;
  if (us < 0.1) return '< 0.1 \u00b5s';
  if (us < 9.95) return `${fixed(us, 1)} \u00b5s`;
  if (us < 999.5) return `${three(us)} \u00b5s`;
  return us < 999.5e3 ? `${three(us / 1e3)} ms` : `${three(us / 1e6)} s`;
}

export interface Said {
  text: string;
  /** Null where only cycles are known. */
  ps: number | null;
  /** For shares of the longest: picoseconds, or cycles where no clock is known; all of one kind. */
  amount: number | null;
}
export const NOTHING: Said = { text: '', ps: null, amount: null };

/** Measured times of an instruction. For half of an asynchronous pair, the wait of the chip; `inside`: the other half, where one box stands for both. */
export function measuredWords(t: Pick<Times, 'mean_ps' | 'count' | 'wait_mean_ps'>, k: number | undefined, inside: number | undefined): Said {
  const half = k ?? inside;
  if (half === undefined) return NOTHING;
  const wait = t.wait_mean_ps?.[half] ?? null;
  const own = k === undefined ? 0 : t.mean_ps[k];
  const ps = inside === undefined || inside === k ? own : own + (t.mean_ps[inside] ?? 0);
  return { text: `${wait === null ? timeText(ps) : `waits ${timeText(wait)}`} ×${formatCount(t.count[half])}`, ps, amount: ps };
}

const UNITS: [string, number][] = [
  ['B', 1],
  ['KiB', 2 ** 10],
  ['MiB', 2 ** 20],
  ['GiB', 2 ** 30],
  ['TiB', 2 ** 40],
];

/** Binary units; whole only when exact: 16 MiB is exact, 16.0 MiB is not. */
export function bytesText(bytes: number | null): string {
  if (bytes === null) return UNKNOWN;
  if (bytes === 0) return '0 B';
  let unit = UNITS[0];
  for (const next of UNITS) if (Math.abs(bytes) >= next[1]) unit = next;
  const value = bytes / unit[1];
  return `${Number.isInteger(value) ? formatCount(value) : three(value)} ${unit[0]}`;
}

export function bytesTip(bytes: number | null): string {
  return exactBytes(bytes);
}

/** FLOP and rates are decimal: "68.7 GFLOP". */
export function flopText(flops: number | null, unit = 'FLOP'): string {
  if (flops === null) return UNKNOWN;
  const steps: [number, string][] = [
    [1e15, 'P'],
    [1e12, 'T'],
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'k'],
    [1, ''],
  ];
  const [size, prefix] = steps.find(([least]) => flops >= least) ?? [1, ''];
  return `${size === 1 ? formatCount(flops) : three(flops / size)} ${prefix}${unit}`;
}

/** Cycles where columns are narrow: exact below 10,000, three digits above ("145 M"); the exact number is a tip. */
export function cyclesShort(cycles: number): string {
  return cycles < 10_000 ? formatCount(cycles) : flopText(cycles, '').trim();
}

/** The last two parts of an op name: "mlp/dot_general". A slash inside brackets does not divide. */
export function opTail(opName: string): string {
  let depth = 0;
  let seen = 0;
  for (let i = opName.length - 1; i >= 0; i--) {
    const c = opName[i];
    if (c === ')' || c === ']') depth++;
    else if (c === '(' || c === '[') depth--;
    else if (c === '/' && depth <= 0 && ++seen === 2) return opName.slice(i + 1);
  }
  return opName;
}

/** Arrays of a shape's text, without layouts, in order; nested tuples are flattened. */
function arraysOf(shape: string): string[] {
  return shape.replace(/\/\*.*?\*\//g, '').match(/[a-z]\w*\[[^\]]*\]/g) ?? [];
}

function elementsOf(array: string): number {
  const dims = /\[([^\]]*)\]/.exec(array)?.[1] ?? '';
  return dims === '' ? 1 : dims.split(',').reduce((product, dim) => product * (Number(dim.replace(/^<=/, '')) || 1), 1);
}

/** "bf16[8,1024]"; a tuple shows its count and largest part: "(2) bf16[8,1024,1024]". */
export function shapeText(shape: string): string {
  const arrays = arraysOf(shape);
  if (!shape.trim().startsWith('(')) return arrays[0] ?? shape;
  let largest = arrays[0] ?? '';
  for (const array of arrays) if (elementsOf(array) > elementsOf(largest)) largest = array;
  return `(${arrays.length}) ${largest}`.trim();
}

/** A start and its done as one name: "copy-start/done.137". */
export function pairName(name: string, pair: string): string {
  if (!pair) return name;
  const at = name.indexOf('-start');
  if (at >= 0 && pair.startsWith(`${name.slice(0, at)}-done`)) {
    const start = name.slice(at + 6);
    const done = pair.slice(at + 5);
    return `${name.slice(0, at)}-start/done${start === done ? start : `${start}/${done}`}`;
  }
  return `${name} / ${pair}`;
}

export const plainName = (text: string) => text.replace(/^%/, '');
