/** Findings of the open program: requested once it is known, kept until another one is opened. */
import { computed, effect, signal } from '@preact/signals';
import { api, isAborted, type Params } from '../api/client';
import type { Answers } from '../api/answers';
import { view } from './router';

export const doctor = signal<Answers['doctor'] | null>(null);
export const doctorError = signal('');

/** Peaks that were typed on a page (explain/peaks.ts). */
export const typedPeaks = signal<Params>({});

/** Overview can be about the runs of one program: then the findings there are, too. */
const program = computed(() => (view.value.tool === 'overview' ? view.value.program : undefined));

/** All memory spaces are looked at: the space that is open does not matter. */
export const doctorParams = computed<Params>(() => ({
  run: view.value.run,
  only: view.value.only,
  host: view.value.host,
  module: view.value.module,
  program: program.value,
  hbm: view.value.hbm,
  config: view.value.config,
  ...typedPeaks.value,
}));
const key = computed(() => JSON.stringify(doctorParams.value));
let asked = '';

const tries = signal(0);

/** After a failure: the same question once more. */
export function askAgain(): void {
  doctorError.value = '';
  tries.value++;
}

export function startDoctor(): () => void {
  return effect(() => {
    const now = `${key.value} ${tries.value}`;
    const params = doctorParams.peek();
    if (now === asked && (doctor.peek() || doctorError.peek())) return;
    asked = now;
    doctor.value = null;
    doctorError.value = '';
    if (!params.run) return;
    api
      .doctor(params, { key: 'doctor', quiet: true })
      .then((answer) => {
        doctor.value = answer;
      })
      .catch((error: unknown) => {
        if (isAborted(error)) asked = '';
        else doctorError.value = error instanceof Error ? error.message : String(error);
      });
  });
}

/** Findings that are not muted. */
export const foundCount = computed(() => doctor.value?.found ?? null);
