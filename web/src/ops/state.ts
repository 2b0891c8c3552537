/** Ops: what the address says, and what the server answered about the operations that ran. */
import { batch, computed, signal } from '@preact/signals';
import type { Answers } from '../api/answers';
import { ApiError, type Params } from '../api/client';
import { follow } from '../api/follow';
import { type Change, perRun, setView, view } from '../app/router';
import type { ViewKey } from '../app/view_keys';
import { run } from '../app/state';
import { peakParams } from '../explain/peaks';
import { traceApi } from '../trace/api';

export type Ops = Answers['trace/ops'];
export type OpColumns = Ops['ops'];

/** Maximum of rows in one answer; the page shows how many are missing. */
export const MOST_ROWS = 10_000;

const text = (key: ViewKey): string => view.value[key] ?? '';

export function change(next: Change, push = false): void {
  setView(next, { push });
}

export const layersShown = computed(() => text('oview') === 'layers');
/** The icicle as a table. */
export const twin = computed(() => text('table') === '1');

/** Peaks of the address or of this browser; those of the profile need none. */
export const typedPeaks = computed<Params>(() => peakParams(ops.value?.peaks ?? null, run.value?.device_type ?? ''));

/** Whose operations: the run, a host, a program; all programs where the address names none. */
export const subject = computed<Params>(() => ({ run: text('run'), host: text('host'), module: text('module') }));

export const question = computed<Params>(() => ({
  ...subject.value,
  ...typedPeaks.value,
  filter: text('ofilter'),
  steps: text('osteps'),
  limit: MOST_ROWS,
}));

export const ops = perRun<Ops | null>(null);
/** Why there is no answer. */
export const failure = perRun<ApiError | null>(null);
/** Why the filter is invalid, in the server's words; the previous rows stay. */
export const filterProblem = signal('');

/** The answer holds percentiles: they are read after names and times, from each execution. */
export const hasPercentiles = signal(false);

/** What the newest answer without percentiles, and with them, was asked with. */
const answered = { plain: '', spread: '' };

function asking(percentiles: boolean): () => void {
  return follow({
    question: () => (text('run') ? (percentiles ? { ...question.value, percentiles: 1 } : question.value) : null),
    ask: async (params) => {
      const key = JSON.stringify(question.peek());
      const answer = await traceApi.ops(params, { key: percentiles ? 'trace/ops/percentiles' : 'trace/ops', quiet: percentiles });
      answered[percentiles ? 'spread' : 'plain'] = key;
      return answer;
    },
    take: (answer) => {
      // Names and times that come after the whole answer say nothing new.
      if (!answer || (!percentiles && answered.spread === answered.plain)) return;
      batch(() => {
        ops.value = answer;
        hasPercentiles.value = percentiles;
        failure.value = null;
        filterProblem.value = '';
      });
    },
    fail: (error) => {
      const why = error instanceof ApiError ? error : new ApiError('internal', String(error), 0);
      if (why.where === 'filter') filterProblem.value = why.message;
      else failure.value = why;
    },
    keep: true,
  });
}

/** Asks for the operations when what the address says of them changes; the old ones stay until the new ones are here. */
export function startOps(): () => void {
  const stops = [asking(false), asking(true)];
  return () => {
    for (const stop of stops) stop();
    ops.value = null;
    answered.plain = answered.spread = '';
  };
}

/** An operation as the address names it: programs may have one of the same name each. */
export interface Chosen {
  name: string;
  module: string;
}

const SEPARATOR = ':';

/** The chosen operation, or that of a link from another tool (of any program where it names none); null: the first of the table is shown. */
export const chosen = computed<Chosen | null>(() => {
  const said = text('osel');
  const at = said.lastIndexOf(SEPARATOR); // names of TensorFlow's operations have one: dense/MatMul:MatMul
  if (at >= 0) return { name: said.slice(0, at), module: said.slice(at + 1) };
  const linked = text('op').replace(/^%/, '');
  return linked ? { name: linked, module: text('module') } : null;
});
/** The card was closed. */
export const cardClosed = computed(() => text('osel') === '-');

export const choose = (op: Chosen): void => change({ osel: `${op.name}${SEPARATOR}${op.module}` });
export const closeCard = (): void => change({ osel: '-' });

/** A program without the compiler's number, where no other has its name. */
export function programName(key: string): string {
  const known = run.value?.modules;
  const at = known?.key.indexOf(key) ?? -1;
  if (!known || at < 0) return key;
  const name = known.name[at];
  return known.name.filter((other) => other === name).length === 1 ? name : key;
}
