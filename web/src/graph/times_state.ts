/** How long instructions take: measured, or the compiler's cycles over the clock of the chip. */
import { computed, signal } from '@preact/signals';
import { view } from '../app/router';
import { peaksInUse } from '../explain/peaks';
import { formatCount } from '../util/format';
import type { Overview, Times } from './api';
import { timeText } from './words';

export const overview = signal<Overview | null>(null);
export const times = signal<Times | null>(null);

/** What the chip can do: of the profile or the table, or typed in Explain. */
export const peaks = computed(() => {
  const o = overview.value;
  return o ? peaksInUse(o.peaks, o.device_type) : null;
});
/** Ticks of the compiler's estimate in a second; null: no chip is known, and nothing was typed. */
export const clockHz = computed(() => peaks.value?.values.clock_hz ?? null);

/** Compiler's estimate in picoseconds; null: no cycles, or a clock that is not known. */
export function estimatePs(cycles: number | null): number | null {
  const clock = clockHz.value;
  return cycles === null || !clock ? null : (cycles / clock) * 1e12;
}

/** Null until something is known: an answer that the program did not run changes no badge. */
export const measured = computed(() => (times.value?.known && times.value.ix.length ? times.value : null));
const measuredAt = computed(() => new Map(measured.value?.ix.map((ix, k) => [ix, k])));
export const hasMeasured = computed(() => measured.value !== null);
export const badgeBy = computed(() => (hasMeasured.value && view.value.gb !== 'estimate' ? 'measured' : 'estimate'));

export interface Said {
  text: string;
  /** Null where only cycles are known. */
  ps: number | null;
  /** For shares of the longest: picoseconds, or cycles where no clock is known; all of one kind. */
  amount: number | null;
}
const NOTHING: Said = { text: '', ps: null, amount: null };

/** The badge of an instruction. */
export function saidOf(ix: number, cycles: number | null): Said {
  if (badgeBy.value === 'measured') {
    const k = measuredAt.value.get(ix);
    const t = measured.value;
    if (k === undefined || !t) return NOTHING;
    return { text: `${timeText(t.mean_ps[k])} ×${formatCount(t.count[k])}`, ps: t.mean_ps[k], amount: t.mean_ps[k] };
  }
  if (cycles === null) return NOTHING;
  const ps = estimatePs(cycles);
  return ps === null ? { text: `${formatCount(cycles)} cycles`, ps, amount: cycles } : { text: timeText(ps), ps, amount: ps };
}
