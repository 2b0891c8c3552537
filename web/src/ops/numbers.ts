/** Numbers of Ops: one unit for a column, so that they compare by eye; the exact value is in the tooltip. Pure. */
import { durationText } from '../trace/time';
import { fixed, UNKNOWN } from '../util/format';

/** One unit of a column: what a value is divided by, its word, digits behind the point. */
export interface Unit {
  size: number;
  word: string;
  digits: number;
}

const NS: Unit = { size: 1e3, word: 'ns', digits: 1 };
const US: Unit = { size: 1e6, word: 'µs', digits: 1 };
const US3: Unit = { size: 1e6, word: 'µs', digits: 3 };
const MS: Unit = { size: 1e9, word: 'ms', digits: 3 };
const S: Unit = { size: 1e12, word: 's', digits: 3 };

/** Of times that add up to this. */
export function sumUnit(total_ps: number): Unit {
  return total_ps < 1e9 ? US3 : total_ps < 1e13 ? MS : S;
}

/** Of single executions, of which the longest mean takes this. */
export function runUnit(longest_ps: number): Unit {
  return longest_ps < 1e6 ? NS : longest_ps < 1e11 ? US : longest_ps < 1e13 ? MS : S;
}

/** Of amounts in a second: thousands, millions ... of `what`, so that the largest has five digits at the most. */
export function rateUnit(largest: number, what: string): Unit {
  const prefix = ['', 'k', 'M', 'G', 'T', 'P', 'E'];
  let at = 0;
  while (at < 6 && largest / 1000 ** at >= 10_000) at++;
  return { size: 1000 ** at, word: `${prefix[at]}${what}`, digits: 1 };
}

/** The unit of a column of rates: of those that were judged; of all where none was. */
export function rateUnitOf(rates: readonly (number | null)[], judged: readonly boolean[], what: string): Unit {
  const any = judged.includes(true);
  const largest = rates.reduce<number>((most, rate, k) => (rate !== null && (judged[k] || !any) ? Math.max(most, rate) : most), 0);
  return rateUnit(largest, what);
}

/** "39.4 GFLOP/s"; null: unknown. */
export function rateWords(rate: number | null, what: string): string {
  if (rate === null) return `${what} unknown`;
  const unit = rateUnit(rate, what);
  return `${rateText(rate, unit)} ${unit.word}`;
}

/** What stands in for unknown peaks. */
export function bestWords(flops_per_s: number | null, bytes_per_s: number | null): string {
  const seen = [flops_per_s === null ? '' : rateWords(flops_per_s, 'FLOP/s'), bytes_per_s === null ? '' : rateWords(bytes_per_s, 'B/s')].filter(Boolean);
  if (!seen.length) return 'no peaks known, and no operation takes 50 µs or more, so there is no best rate to compare with';
  return `no peaks known: shares are of the best seen, ${seen.join(' and ')}`;
}

export function inUnit(value: number | null | undefined, unit: Unit): string {
  return value === null || value === undefined ? UNKNOWN : fixed(value / unit.size, unit.digits);
}

/** A time in the unit of its column; what would read as nothing has its own. */
export function timeIn(ps: number | null | undefined, unit: Unit): string {
  const text = inUnit(ps, unit);
  return ps && !/[1-9]/.test(text) ? durationText(ps) : text;
}

/** What is not zero never reads as zero. */
function atLeast(value: number, digits: number): string {
  const text = fixed(value, digits);
  return value > 0 && !/[1-9]/.test(text) ? `< ${fixed(10 ** -digits, digits)}` : text;
}

/** A rate: two digits below 1, so that a little is not nothing; none from 1,000 on. */
export function rateText(value: number | null | undefined, unit: Unit): string {
  if (value === null || value === undefined) return UNKNOWN;
  const shown = value / unit.size;
  return atLeast(shown, shown !== 0 && shown < 1 ? 2 : shown < 1000 ? 1 : 0);
}

/** Three digits: "4.24", "42.4", "424", "1,419". */
export function threeText(value: number | null | undefined): string {
  if (value === null || value === undefined) return UNKNOWN;
  const size = Math.abs(value);
  return atLeast(value, size < 9.995 ? 2 : size < 99.95 ? 1 : 0);
}

/** With a sign: a difference says which way it goes. */
export function signedIn(value: number, unit: Unit): string {
  const text = timeIn(value, unit);
  return value > 0 && /[1-9]/.test(text) ? `+${text}` : text;
}

/** A longest execution that stands out: 1.3 times the median. */
export const OUTLIER = 1.3;
export const standsOut = (longest: number | null | undefined, median: number | null | undefined): boolean =>
  longest !== null && longest !== undefined && median !== null && median !== undefined && median > 0 && longest >= OUTLIER * median;

/** Half of the values are no larger; of an even number the mean of the middle two. */
export function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}
