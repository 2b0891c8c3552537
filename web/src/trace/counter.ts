/** The scale of a counter: round numbers around what it holds, and how they are written. Pure. */
import { fixed } from '../util/format';
import type { Counter } from './boxes';

export interface Scale {
  low: number;
  high: number;
  /** From low to high, both named; zero is among them. */
  ticks: number[];
  step: number;
}

const BINARY = 1024;
const PREFIX = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/** The next of 1, 2, 5 times a power of ten; of bytes: that many of a binary unit, below 1,024 of it. */
function roundStep(least: number, bytes: boolean): number {
  const unit = bytes ? BINARY ** unitPower(least) : 1;
  const raw = least / unit;
  const power = 10 ** Math.floor(Math.log10(raw));
  const factor = [1, 2, 5, 10].find((f) => f * power >= raw * (1 - 1e-12)) ?? 10;
  const step = exact(factor * power);
  // 1,000 KiB is not round: the next unit is.
  return bytes && step >= 1000 ? unit * BINARY : step * unit;
}

/** Three times 0.2 is 0.6. */
const exact = (value: number) => Number(value.toPrecision(15));

function unitPower(bytes: number): number {
  return Math.min(PREFIX.length - 1, Math.max(0, Math.floor(Math.log(Math.max(1, Math.abs(bytes))) / Math.log(BINARY) + 1e-12)));
}

/** About so many parts from the least to the most value and zero; each at a round number. */
export function scaleOf(least: number, most: number, parts: number, bytes = false): Scale {
  const low = Math.min(0, Number.isFinite(least) ? least : 0);
  const high = Math.max(0, Number.isFinite(most) ? most : 0);
  if (high - low <= 0 || !Number.isFinite(high - low)) return { low: 0, high: 1, ticks: [0, 1], step: 1 };
  let step = roundStep((high - low) / Math.max(1, parts), bytes);
  // Values of bytes are whole.
  if (bytes) step = Math.max(1, step);
  const from = Math.floor(low / step + 1e-9);
  const to = Math.ceil(high / step - 1e-9);
  const ticks: number[] = [];
  for (let k = from; k <= to; k++) ticks.push(exact(k * step));
  return { low: ticks[0], high: ticks[ticks.length - 1], ticks, step };
}

/** Parts of a scale: enough that it ends not far above the most. */
const PARTS = 5;

export function counterScale(c: Counter): Scale {
  return scaleOf(c.lowest ?? 0, c.most, PARTS, c.bytes);
}

/** Indexes of the ticks that get a number where they stand at these places: the ends and zero first, none nearer than `apart`. */
export function ticksToName(scale: Scale, places: readonly number[], apart: number): number[] {
  const last = places.length - 1;
  const named: number[] = [];
  const order = [last, 0, scale.ticks.indexOf(0), ...scale.ticks.keys()];
  for (const k of order) if (!named.includes(k) && named.every((j) => Math.abs(places[j] - places[k]) >= apart)) named.push(k);
  return named.sort((a, b) => a - b);
}

const digitsOf = (step: number) => Math.min(12, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));

/** Ticks as they are written: of bytes the outermost with the unit of all, "20 GiB", the others without. */
export function tickWords(scale: Scale, bytes = false): string[] {
  const far = Math.max(Math.abs(scale.low), Math.abs(scale.high));
  if (bytes) {
    const power = unitPower(far);
    const unit = BINARY ** power;
    return scale.ticks.map((t) =>
      t === 0 ? '0' : `${fixed(t / unit, digitsOf(Math.max(scale.step / unit, 1e-3)))}${t === scale.high || t === scale.low ? ` ${PREFIX[power]}B` : ''}`,
    );
  }
  const [size, letter] = sizeOf(far);
  return scale.ticks.map((t) => (t === 0 ? '0' : `${fixed(t / size, digitsOf(scale.step / size))}${letter}`));
}

function sizeOf(far: number): [number, string] {
  if (far >= 1e15 || (far > 0 && far < 1e-6)) return [10 ** Math.floor(Math.log10(far)), `e${Math.floor(Math.log10(far))}`];
  return far >= 1e12 ? [1e12, ' T'] : far >= 1e9 ? [1e9, ' G'] : far >= 1e6 ? [1e6, ' M'] : far >= 1e5 ? [1e3, ' k'] : [1, ''];
}

/** A value in four digits or as many as its whole part has: "40", "0.35", "−12.5", "1,234,567". */
export function valueText(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e15 || (size > 0 && size < 1e-6)) return value.toExponential(2).replace('-', '\u2212').replace('e+', 'e');
  const digits = size === 0 ? 0 : Math.max(0, Math.min(9, 3 - Math.floor(Math.log10(size))));
  const text = fixed(value, digits);
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}
