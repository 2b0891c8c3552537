/** Times as a person reads them, and the ticks of a time axis. Picoseconds in. Pure. */
import { fixed, formatCount, UNKNOWN } from '../util/format';

export const NS = 1e3;
export const US = 1e6;
export const MS = 1e9;
export const S = 1e12;

/** Unit of a length of time, and digits behind the point. */
function unitOf(ps: number): [number, string, number] {
  const size = Math.abs(ps);
  if (size < NS) return [1, 'ps', size % 1 ? 1 : 0];
  if (size < US) return [NS, 'ns', size % NS ? (size < 100 * NS ? 2 : 1) : 0];
  if (size < MS) return [US, '\u00b5s', size < 100 * US ? 2 : 1];
  return size < S ? [MS, 'ms', 3] : [S, 's', 3];
}

/** What rounds to a thousand of a unit is one of the next: 999,990 ns are "1.000 ms", not "1,000.0 µs". */
function unitAfterRounding(ps: number): [number, string, number] {
  const [unit, word, digits] = unitOf(ps);
  const size = Math.abs(ps);
  return unit < S && Number((size / unit).toFixed(digits)) >= 1000 ? unitOf(unit * 1000) : [unit, word, digits];
}

/** A length of time: "189.173 ms", "22.93 µs", "680 ns". */
export function durationText(ps: number | null | undefined): string {
  if (ps === null || ps === undefined || !Number.isFinite(ps)) return UNKNOWN;
  if (ps === 0) return '0';
  const [unit, word, digits] = unitAfterRounding(ps);
  return `${fixed(ps / unit, digits)} ${word}`;
}

/** Digits behind the point that a multiple of the step needs. */
function digitsFor(step: number, unit: number): number {
  return Math.max(0, Math.ceil(-Math.log10(step / unit) - 1e-9));
}

/** The largest of 1, 2 and 5 times a power of ten that is no more than this: to so much a time is read. */
export function readStep(ps: number): number {
  if (!(ps > 1)) return 1;
  const power = 10 ** Math.floor(Math.log10(ps) + 1e-12);
  return power * (ps / power >= 5 ? 5 : ps / power >= 2 ? 2 : 1);
}

/** A length known to a step only, without the digits that are not known: "about 190 ms", "below 5 ms". */
export function roughText(ps: number, step: number): string {
  const rounded = Math.round(ps / step) * step;
  const [unit, word, digits] = unitOf(rounded || step);
  const text = `${fixed((rounded || step) / unit, Math.min(digits, digitsFor(step, unit)))} ${word}`;
  return `${rounded ? 'about' : 'below'} ${text}`;
}

/** A moment in groups of three, to the nanosecond or to the step that it is known to: "19.891 786 709 s", "19.89 s". */
export function momentText(ps: number, step = NS): string {
  const sign = ps < 0 ? '\u2212' : '';
  const digits = Math.min(12, digitsFor(step, S));
  const rounded = Math.round(Math.abs(ps) / step) * step;
  const whole = Math.floor(rounded / S);
  const part = String(Math.round(rounded - whole * S))
    .padStart(12, '0')
    .slice(0, digits);
  return `${sign}${fixed(whole, 0)}${digits > 0 ? `.${part.replace(/(\d{3})(?=\d)/g, '$1 ')}` : ''} s`;
}

/** The exact number, for tooltips and copies. */
export function exactPs(ps: number): string {
  return `${fixed(ps, 0)} ps`;
}

/** A window's edges with as many digits as tell them apart: "19.470 – 20.430 s". */
export function spanText(from: number, to: number): string {
  const span = Math.max(to - from, 1);
  const unit: [number, string] = to >= S ? [S, 's'] : to >= MS ? [MS, 'ms'] : to >= US ? [US, '\u00b5s'] : [NS, 'ns'];
  const digits = Math.min(12, Math.max(0, Math.ceil(-Math.log10(span / unit[0])) + 2));
  const text = (ps: number) => grouped(fixed(ps / unit[0], digits));
  return `${text(from)} \u2013 ${text(to)} ${unit[1]}`;
}

/** Digits behind the point in threes. */
function grouped(text: string): string {
  const at = text.indexOf('.');
  return at < 0 ? text : text.slice(0, at + 1) + text.slice(at + 1).replace(/(\d{3})(?=\d)/g, '$1 ');
}

export interface Ticks {
  step: number;
  at: number[];
  /** Times are written as distance from here; null: from the start of the trace. */
  base: number | null;
}

/** Ticks every 1, 2 or 5 times a power of ten. */
export function timeTicks(from: number, to: number, want: number): Ticks {
  const span = to - from;
  if (!(span > 0)) return { step: 1, at: [], base: null };
  const raw = span / Math.max(want, 1);
  const power = 10 ** Math.floor(Math.log10(raw));
  const factor = raw / power <= 1 ? 1 : raw / power <= 2 ? 2 : raw / power <= 5 ? 5 : 10;
  const step = Math.max(1, factor * power);
  const at: number[] = [];
  for (let k = Math.ceil(from / step); k * step <= to; k++) at.push(k * step);
  const coarse = 10 ** Math.ceil(Math.log10(step * 10));
  if (step >= MS || from <= coarse) return { step, at, base: null };
  // A round moment in the window, where there is one.
  const inside = Math.ceil(from / coarse) * coarse;
  return { step, at, base: inside < from + span * 0.6 ? inside : Math.floor(from / coarse) * coarse };
}

export function tickText(ticks: Ticks, at: number): string {
  const { step, base } = ticks;
  const value = base === null ? at : at - base;
  const wide = base === null ? Math.max(Math.abs(ticks.at[ticks.at.length - 1] ?? 0), step) : step;
  const [size, word] = wide >= S ? [S, 's'] : wide >= MS ? [MS, 'ms'] : wide >= US ? [US, '\u00b5s'] : wide >= NS ? [NS, 'ns'] : [1, 'ps'];
  const digits = Math.max(0, Math.ceil(-Math.log10(step / size) - 1e-9));
  if (base !== null && value === 0) return baseText(base);
  return `${base === null || value < 0 ? '' : '+'}${fixed(value / size, digits)} ${word}`;
}

/** "19.500 s": the moment that ticks are counted from. */
export function baseText(base: number): string {
  const size = base >= S ? S : base >= MS ? MS : US;
  const word = size === S ? 's' : size === MS ? 'ms' : '\u00b5s';
  return `${grouped(fixed(base / size, size === S ? 6 : 3)).replace(/(\.\d{3}) 000$/, '$1')} ${word}`;
}

/** Behind a sum over several rows; of one row nothing has to be said. */
export const summedOver = (rows: number): string => (rows > 1 ? `, summed over ${formatCount(rows)} rows` : '');
