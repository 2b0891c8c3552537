/** Numbers of this panel: three digits, a whole number only when it is exact; the exact value goes into the title. */
import { fixed, UNKNOWN } from '../util/format';

const POWERS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

export function three(value: number, more = 0): string {
  const size = Math.abs(value);
  return fixed(value, (size < 9.995 ? 2 : size < 99.95 ? 1 : 0) + more);
}

/** "8 MiB" when that is exact, else "16.0 MiB". */
export function bytesText(bytes: number | null | undefined): string {
  if (bytes === null || bytes === undefined) return UNKNOWN;
  let at = 0;
  while (at < 5 && bytes >= 1024 ** (at + 1)) at++;
  const value = bytes / 1024 ** at;
  return `${Number.isInteger(value) ? fixed(value, 0) : three(value)} ${POWERS[at]}`;
}

/** Value and decimal prefix: 68.7 and "G". */
export function decimal(value: number): [string, string] {
  const prefix = ['', 'k', 'M', 'G', 'T', 'P', 'E'];
  let at = 0;
  while (at < 6 && value / 1000 ** at >= 999.5) at++;
  const scaled = value / 1000 ** at;
  return [at === 0 && Number.isInteger(scaled) ? fixed(scaled, 0) : three(scaled), prefix[at]];
}

export function decimalText(value: number | null | undefined, unit: string): string {
  if (value === null || value === undefined) return UNKNOWN;
  const [number, prefix] = decimal(value);
  return `${number} ${prefix}${unit}`;
}

/** Three digits, µs under 1 ms; `more` digits in the calculator. */
export function timeText(seconds: number | null, more = 0): string {
  if (seconds === null) return UNKNOWN;
  if (seconds === 0) return '0 µs';
  if (seconds < 1e-7) return '< 0.1 µs';
  const [scale, unit] = seconds * 1.0005 >= 1 ? [1, 's'] : seconds * 1.0005 >= 1e-3 ? [1e3, 'ms'] : [1e6, 'µs'];
  return `${three(seconds * scale, more)} ${unit}`;
}
