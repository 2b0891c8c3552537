import { signal } from '@preact/signals';

/** Every number on the page is rounded and written here. */

export type Unit = 'B' | 'KiB' | 'MiB' | 'GiB' | 'TiB';

const POWER: Record<Unit, number> = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 };
const DIGITS: Record<Unit, number> = { B: 0, KiB: 1, MiB: 1, GiB: 2, TiB: 2 };
const MINUS = '\u2212';
const GIB_FROM = 10 * POWER.GiB;

export const UNKNOWN = 'unknown';

/** Unit of the open page, set by the page that knows the peak. */
export const pageUnit = signal<Unit>('MiB');

/** One unit per page, which suits the peak: MiB from 1 MiB on, GiB from 10 GiB on; `mibOnly` is the switch. */
export function unitFor(peakBytes: number | null | undefined, mibOnly = false): Unit {
  return mibOnly || !peakBytes ? 'MiB' : ownUnit(peakBytes);
}

/** Unit in which one value reads well by itself: 80.0 KiB, not 0.1 MiB. */
export function ownUnit(bytes: number): Unit {
  const size = Math.abs(bytes);
  if (size < POWER.KiB) return 'B';
  if (size < POWER.MiB) return 'KiB';
  return size < GIB_FROM ? 'MiB' : 'GiB';
}

/**
 * Decimal text with a fixed number of digits, half away from zero. Works on the shortest decimal form, because
 * (1.005).toFixed(2) is "1.00".
 */
export function fixed(value: number, digits: number): string {
  if (!Number.isFinite(value)) return UNKNOWN;
  const [mantissa, exponent = '0'] = String(Math.abs(value)).split('e');
  const scaled = Math.round(Number(`${mantissa}e${Number(exponent) + digits}`));
  // Beyond 2^53 there are no fractions left to round.
  const plain = Number.isSafeInteger(scaled) ? (scaled / 10 ** digits).toFixed(digits) : wide(Math.abs(value), digits);
  const [whole, part] = plain.split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  const text = part ? `${grouped}.${part}` : grouped;
  return value < 0 && /[1-9]/.test(text) ? `${MINUS}${text}` : text;
}

/** toFixed turns to exponents at 1e21; counters of 64 bits and their sums may come near. */
function wide(value: number, digits: number): string {
  if (value < 1e21) return value.toFixed(digits);
  return digits ? `${BigInt(value)}.${'0'.repeat(digits)}` : String(BigInt(value));
}

interface BytesOptions {
  /** Default: the page's unit. 'own' picks one for this value. */
  unit?: Unit | 'own';
  /** Default true. */
  withUnit?: boolean;
  /** Write a plus before a growth. */
  sign?: boolean;
}

/**
 * Device memory: "6,226.3 MiB", "22.90 GiB", "0", "unknown". What would read as zero is told in its own unit, which is
 * then always written: "512 B", never "0.0".
 */
export function formatBytes(bytes: number | string | null | undefined, options: BytesOptions = {}): string {
  if (bytes === null || bytes === undefined) return UNKNOWN;
  const value = Number(bytes);
  if (!Number.isFinite(value)) return UNKNOWN;
  if (value === 0) return '0';
  const asked = options.unit === 'own' ? ownUnit(value) : (options.unit ?? pageUnit.value);
  const textIn = (unit: Unit) => fixed(value / POWER[unit], DIGITS[unit]);
  const unit = /[1-9]/.test(textIn(asked)) ? asked : ownUnit(value);
  const text = textIn(unit);
  const signed = options.sign && value > 0 ? `+${text}` : text;
  return options.withUnit === false && unit === asked ? signed : `${signed} ${unit}`;
}

/** 0 with the digits that other values of the page have: "0.0", "0.00". */
export function zeroText(): string {
  return fixed(0, DIGITS[pageUnit.value]);
}

/** Below this a value in the page's unit would lose its digits. */
export function smallBytes(): number {
  return pageUnit.value === 'GiB' ? POWER.GiB / 10 : pageUnit.value === 'B' ? 0 : POWER[pageUnit.value];
}

/** For tooltips and copies: "6,528,761,856 bytes". */
export function exactBytes(bytes: number | string | null | undefined): string {
  if (bytes === null || bytes === undefined) return UNKNOWN;
  const digits = String(bytes);
  // Decimal strings beyond 2^53 keep every digit.
  const text = typeof bytes === 'string' ? digits.replace(/\B(?=(\d{3})+$)/g, ',') : fixed(bytes, 0);
  return `${text} ${text === '1' ? 'byte' : 'bytes'}`;
}

export function formatCount(count: number | string | null | undefined): string {
  if (count === null || count === undefined) return UNKNOWN;
  return typeof count === 'string' ? count.replace(/\B(?=(\d{3})+$)/g, ',') : fixed(count, 0);
}

/** A sentence whose numbers stay on one line with their units. */
export const unbroken = (text: string): string => text.replace(/(\d) (?=(%|[mnpµ]?s|[KMGT]iB|B)(?!\p{L}))/gu, '$1\u00a0');

/** `ratio` is a fraction: 0.38 is "38 %". Above 10 it is a factor: "36x". What is there but rounds to nothing is "< 0.1 %", nothing "0 %". */
export function formatPercent(ratio: number | null | undefined, digits = 0): string {
  if (ratio === null || ratio === undefined || !Number.isFinite(ratio)) return UNKNOWN;
  if (ratio === 0) return '0 %';
  if (Math.abs(ratio) > 10) return `${fixed(ratio, 0)}x`;
  const least = 10 ** -digits;
  if (Math.abs(ratio * 100) < least / 2) return `${ratio < 0 ? '> \u2212' : '< '}${fixed(least, digits)} %`;
  return `${fixed(ratio * 100, digits)} %`;
}

/** Padding expansion and the like: "16.00x". */
export function formatFactor(factor: number | null | undefined): string {
  return factor === null || factor === undefined ? UNKNOWN : `${fixed(factor, 2)}x`;
}

/** File sizes are decimal: "2.1 MB", "49.7 kB", "512 B". */
export function formatFileSize(bytes: number | null | undefined): string {
  if (bytes === null || bytes === undefined) return UNKNOWN;
  if (bytes < 1000) return `${fixed(bytes, 0)} B`;
  const steps: [number, string][] = [
    [1e3, 'kB'],
    [1e6, 'MB'],
    [1e9, 'GB'],
    [1e12, 'TB'],
  ];
  let best = steps[0];
  // 999,950 bytes round to 1,000.0 kB, which is 1.0 MB.
  for (const step of steps) if (bytes >= step[0] * 0.99995) best = step;
  return `${fixed(bytes / best[0], 1)} ${best[1]}`;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Age of a file: "now", "4 min", "9 h", "3 days", from 30 days the month. */
export function formatAge(thenMs: number, nowMs: number): string {
  const age = nowMs - thenMs;
  if (age < MINUTE) return age < -MINUTE ? 'in future' : 'now';
  if (age < HOUR) return `${Math.floor(age / MINUTE)} min`;
  if (age < DAY) return `${Math.floor(age / HOUR)} h`;
  const days = Math.floor(age / DAY);
  if (days < 30) return days === 1 ? '1 day' : `${days} days`;
  const date = new Date(thenMs);
  return `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, '0')}`;
}

/** "4 min ago", "now", "in 2025-03". */
export function formatAgo(thenMs: number, nowMs: number): string {
  const age = formatAge(thenMs, nowMs);
  if (age === 'now' || age === 'in future') return age;
  return /^\d{4}-/.test(age) ? `in ${age}` : `${age} ago`;
}

/** "2026-11-21 14:28:07", local time. */
export function formatTime(ms: number): string {
  const date = new Date(ms);
  const two = (value: number) => String(value).padStart(2, '0');
  return (
    `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ` + `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
  );
}

/** How often: 'once', '12 times'. */
export function timesText(count: number): string {
  return count === 1 ? 'once' : `${formatCount(count)} times`;
}

/** "1 run", "27 runs". */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** With a capital, as the first word of a line. */
export const upper = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** A reason as it stands alone. */
export const asSentence = (reason: string): string => (/[.!?]$/.test(reason) ? upper(reason) : `${upper(reason)}.`);
