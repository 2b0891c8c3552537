/** The colouring in force: the address says by what, the steps come from their own answer. */
import { computed, signal } from '@preact/signals';
import { Colouring, type ColouredBy, type Met, type StepTable } from './colour_by';
import { colouredBy, names, rows } from './state';
import { type Steps, steps } from './steps_state';

function tablesOf(s: Steps): Map<number, StepTable> {
  const out = new Map<number, { start: number[]; end: number[]; number: number[] }>();
  for (const k of [...s.start_ps.keys()].sort((a, b) => s.start_ps[a] - s.start_ps[b])) {
    const table = out.get(s.process[k]) ?? { start: [], end: [], number: [] };
    table.start.push(s.start_ps[k]);
    table.end.push(s.end_ps[k]);
    table.number.push(s.number[k]);
    out.set(s.process[k], table);
  }
  return out;
}

const tables = computed(() => (steps.value ? tablesOf(steps.value) : new Map<number, StepTable>()));

/** A new one for other rows, too: numbers of names are those of one run. */
export const colouring = computed(() => {
  void rows.value;
  return new Colouring(colouredBy.value, names, tables.value);
});

/** Told in the legend; beyond it only their number. */
export const MOST_TOLD = 40;
/** What colours mean in the picture as drawn last, unless they are categories. */
export const told = signal<{ by: ColouredBy; list: Met[]; more: number }>({ by: 'category', list: [], more: 0 });
/** What else that picture holds, for the legend. */
export const seen = signal({ groups: [] as string[], wait: false, clock: false, merged: 0, strips: 0 });
/** Entries of the legend in the bar that found no room there. */
export const dropped = signal(0);
