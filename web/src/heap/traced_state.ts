/** Whether a trace beside the heap files has the line on the card: the Python tracer names a call by the first line of its function. */
import { computed, signal } from '@preact/signals';
import type { Answers } from '../api/answers';
import { call, isAborted } from '../api/client';
import { follow } from '../api/follow';
import { runs } from '../app/state';
import { view } from '../app/router';
import { formatCount } from '../util/format';
import { type Lines, stacks } from './state';

interface Traced {
  /** The run that has it; null: none. */
  run: string | null;
  /** Its first event there. */
  event: number | null;
  why: string;
}

export const traced = signal<Traced | null>(null);

/** Keys of the address that only heap files have. */
export const HEAP_KEYS_OFF = {
  heap: null,
  against: null,
  hbase: null,
  hdev: null,
  hkind: null,
  htype: null,
  hown: null,
  hline: null,
  htab: null,
  hby: null,
  horder: null,
  hopen: null,
  hzoom: null,
  hpair: null,
  hfold: null,
  hsort: null,
  hdesc: null,
  hfilter: null,
} as const;

/** Runs that are searched: the newest of the folder. */
export const RUNS_MAX = 3;

interface Run {
  id: string;
  folder: string;
  kind: string;
  mtime_ms: number;
}

/** Profiles below the heap files, or in their folder, newest first. In the logdir itself all experiments stand side by side:
 *  a run there is that of the heap files only where the logdir has no other. Pure. */
export function runsBeside(list: readonly Run[], heap: string): string[] {
  const own = list.find((one) => one.id === heap);
  if (!own) return [];
  const inside = own.id === '.' ? '' : `${own.id}/`;
  const profiles = list.filter((one) => one.kind === 'profile');
  const alone = profiles.filter((one) => !one.id.startsWith(inside)).length === 1;
  return profiles
    .filter((one) => one.id.startsWith(inside) || (one.folder === own.folder && (own.folder !== '' || alone)))
    .sort((a, b) => b.mtime_ms - a.mtime_ms)
    .map((one) => one.id);
}

/** "$train.py:39 step": the innermost own frame as the Python tracer writes it; null: the file does not say where its function begins. Pure. */
export function tracerName(stack: Lines['rows']['stack'][number] | undefined): string | null {
  const frame = stack?.find((one) => one.own) ?? stack?.[0];
  const file = frame?.file?.split('/').at(-1);
  return frame && file && frame.start_line ? `$${file}:${frame.start_line} ${frame.function.split('.').at(-1)}` : null;
}

export const beside = computed<string[]>(() => {
  const list = runs.value;
  if (!list || !view.value.run) return [];
  return runsBeside(
    list.id.map((id, i) => ({ id, folder: list.folder[i], kind: list.kind[i], mtime_ms: list.mtime_ms[i] })),
    view.value.run,
  );
});

/** Of a run that cannot be asked, to go on with the next one. A question that was replaced ends: its next call would abort the new one's. */
export function noAnswer(error: unknown): null {
  if (isAborted(error)) throw error;
  return null;
}

async function search(among: readonly string[], name: string): Promise<Traced> {
  for (const run of among.slice(0, RUNS_MAX)) {
    const hits = await call<Answers['trace/search']>('trace/search', { run, q: name, case: 1, limit: 1 }, { key: 'heap/traced', quiet: true }).catch(noAnswer);
    if (hits && hits.count > 0)
      return { run, event: hits.hits.event[0] ?? null, why: `opens ${run} at the first of its ${formatCount(hits.count)} events ${name}` };
  }
  return {
    run: null,
    event: null,
    why: `no event of ${among.length > 1 ? `the ${Math.min(among.length, RUNS_MAX)} newest runs` : 'the run'} of this folder is ${name}: the Python tracer was off, or it ran at another time`,
  };
}

export function followTraced(): () => void {
  const end = follow({
    question: () => {
      const l = stacks.value;
      if (l?.rows.n !== 1) return null;
      const name = tracerName(l.rows.stack[0]);
      return { name, among: beside.value };
    },
    ask: ({ name, among }): Promise<Traced> => {
      if (among.length === 0)
        return Promise.resolve({ run: null, event: null, why: 'no trace belongs to these heap files: a profile in their folder would show when the line ran' });
      return name
        ? search(among, name)
        : Promise.resolve({ run: null, event: null, why: 'a trace names a function by its first line, which this file does not record' });
    },
    take: (answer) => {
      traced.value = answer;
    },
    fail: () => {
      traced.value = null;
    },
  });
  return () => {
    end();
    traced.value = null;
  };
}
