/** Steps of every chip: for the band above the rows, the buttons and the table. */
import { computed, effect, signal } from '@preact/signals';
import { call, isAborted } from '../api/client';
import { change, rows, subject } from './state';
import { view } from '../app/router';
import { formatCount } from '../util/format';

export interface Steps {
  clock: string;
  n: number;
  left_out: number;
  process: number[];
  number: number[];
  name: string[];
  event: number[];
  start: number[];
  end: number[];
  /** By the clock of the table (of a host: host-aligned); what filled the step adds up to it. */
  clock_of: string[];
  duration: number[];
  device: number[];
  /** Host-aligned less device: time that the alignment put in, null where the device did not measure. */
  drift: (number | null)[];
  compute: (number | null)[];
  overlapped_comm: (number | null)[];
  exposed_comm: (number | null)[];
  overlapped_copy: (number | null)[];
  exposed_copy: (number | null)[];
  idle: (number | null)[];
  chips?: ChipSteps;
}

/** The chips side by side, over the steps that all of them have. */
export interface ChipSteps {
  n: number;
  common: number;
  straggler: number | null;
  why: string;
  process: number[];
  duration: number[];
  work: number[];
  compute: number[];
  exposed_comm: number[];
  exposed_copy: number[];
  idle: number[];
  most_work: number[];
  came_last: number[];
  skew: number[];
}

export const steps = signal<Steps | null>(null);

/** Chips that have steps. */
export const stepProcesses = computed(() => [...new Set(steps.value?.process ?? [])].sort((a, b) => a - b));
export const stepProcess = computed(() => {
  const asked = Number(view.value.chipof ?? Number.NaN);
  return stepProcesses.value.includes(asked) ? asked : (stepProcesses.value[0] ?? -1);
});
/** Indexes of its steps in the order of time. */
export const ownSteps = computed(() => {
  const s = steps.value;
  if (!s) return [];
  const out: number[] = [];
  for (let k = 0; k < s.n; k++) if (s.process[k] === stepProcess.value) out.push(k);
  return out.sort((a, b) => s.start[a] - s.start[b]);
});

/** Whether the steps are runs of the program, as the profile has no line of steps for these. */
export const derivedSteps = computed(() => {
  const r = rows.value;
  const p = stepProcess.value;
  return r !== null && p >= 0 && r.processes.kind[p] !== 'host' && !r.rows.kind.some((kind, k) => kind === 'steps' && r.rows.process[k] === p);
});

export function nextChip(): void {
  const list = stepProcesses.peek();
  if (list.length < 2) return;
  change({ chipof: list[(list.indexOf(stepProcess.peek()) + 1) % list.length] });
}

export function startSteps(): () => void {
  let last = '';
  return effect(() => {
    const params = subject.value;
    const key = JSON.stringify(params);
    if (!rows.value?.derived || key === last) return;
    last = key;
    steps.value = null;
    call<Steps>('trace/steps', params, { key: 'trace/steps', quiet: true, part: 'the steps' })
      .then((answer) => {
        steps.value = answer;
      })
      .catch((error: unknown) => {
        if (!isAborted(error)) steps.value = null;
      });
  });
}

/** "100 × 4 chips": steps have one number on all chips. */
export const stepsText = computed(() => {
  const s = steps.value;
  if (!s?.n) return '';
  const numbers = new Set(s.number).size;
  return stepProcesses.value.length > 1 && numbers < s.n ? `${formatCount(numbers)} \u00d7 ${formatCount(stepProcesses.value.length)}` : formatCount(s.n);
});

export const clockWords = (clock: string): string => (clock === 'device' ? 'device clock' : 'host-aligned');
