/** Times of a page in one unit, and what a share says. Pure. */
import { durationText } from '../trace/time';
import { fixed, formatPercent } from '../util/format';

export interface TimeUnit {
  per: number;
  word: string;
  digits: number;
}

const UNITS: TimeUnit[] = [
  { per: 1e12, word: 's', digits: 3 },
  { per: 1e9, word: 'ms', digits: 3 },
  { per: 1e6, word: 'µs', digits: 3 },
  { per: 1e3, word: 'ns', digits: 1 },
  { per: 1, word: 'ps', digits: 0 },
];

/** The unit in which a step is told, and so its parts: 784.133 ms, not 0.784 s. */
export function unitOf(ps: number): TimeUnit {
  return UNITS.find(({ per }) => Math.abs(ps) >= per) ?? UNITS[UNITS.length - 1];
}

/** Without the unit's word; what would read as zero is told in its own unit, which is then written. */
export function inUnit(ps: number, unit: TimeUnit): string {
  if (ps === 0) return '0';
  const text = fixed(ps / unit.per, unit.digits);
  return /[1-9]/.test(text) ? text : durationText(ps);
}

/** "73.7 %"; '' of what is not known. */
export const shareText = (share: number | null): string => (share === null ? '' : formatPercent(share, 1));

/** A signed difference to the baseline: "+1.250", "−0.031", "±0". */
export function differenceText(by: number, unit: TimeUnit): string {
  return by === 0 ? '±0' : `${by > 0 ? '+' : ''}${inUnit(by, unit)}`;
}

export interface Bar {
  from: number;
  to: number;
}

/** Bars of a waterfall as shares of the whole: each ends where the one before began; the last stands on 0. */
export function waterfall(parts: readonly number[], whole: number): Bar[] {
  let top = whole;
  return parts.map((part) => {
    const bar = { from: Math.max(0, (top - part) / whole), to: Math.min(1, top / whole) };
    top -= part;
    return bar;
  });
}
