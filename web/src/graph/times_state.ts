/** How long instructions take: measured, or the compiler's cycles over the clock of the chip. */
import { computed, signal } from '@preact/signals';
import { view } from '../app/router';
import { peaksInUse } from '../explain/peaks';
import { formatCount } from '../util/format';
import type { Overview, Times } from './api';
import { measuredWords, NOTHING, type Said, timeText } from './words';

export const overview = signal<Overview | null>(null);
export const times = signal<Times | null>(null);

/** What the chip can do: of the profile or the table, or entered in Explain. */
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

/** Which half of an asynchronous pair an instruction is: all the time of a done is a wait. */
export function halfOf(ix: number): 'start' | 'done' | 'none' {
  const k = measuredAt.value.get(ix);
  const done = k === undefined ? null : (measured.value?.done[k] ?? null);
  return k === undefined || done === null ? 'none' : done === measured.value?.name[k] ? 'done' : 'start';
}

/** The badge of an instruction, or of a pair in one box. */
export function saidOf(ix: number, cycles: number | null, pairIx: number | null = null): Said {
  if (badgeBy.value === 'measured') {
    const t = measured.value;
    return t ? measuredWords(t, measuredAt.value.get(ix), pairIx === null ? undefined : measuredAt.value.get(pairIx)) : NOTHING;
  }
  if (cycles === null) return NOTHING;
  const ps = estimatePs(cycles);
  return ps === null ? { text: `${formatCount(cycles)} cycles`, ps, amount: cycles } : { text: timeText(ps), ps, amount: ps };
}
