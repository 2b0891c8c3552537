/** What is selected, added up: the totals of the dragged range (or of the window), and the events picked one by one. */
import { effect, signal } from '@preact/signals';
import type { TraceEvent, TraceTotals } from '../api/answers';
import { abortCalls, isAborted, type Params } from '../api/client';
import { follow } from '../api/follow';
import { view } from '../app/router';
import { Delayed } from '../util/rest';
import { traceApi } from './api';
import { numbersText } from './ranges';
import { alsoPicked, clock, picked, range, rows, selected, type Span, subject, tab, windowNow } from './state';

export const totals = signal<TraceTotals | null>(null);
/** Why there are no totals. */
export const problem = signal('');
/** The events picked one by one. */
export const pickedEvents = signal<TraceEvent[]>([]);

export const GROUPINGS = ['name', 'category', 'module', 'step', 'chip', 'row'];
export const groupedBy = () => (GROUPINGS.includes(view.value.tby ?? '') ? (view.value.tby as string) : 'name');
const LIMIT = 2000;
/** Events picked one by one that are added up: each is a question of its own. */
const PICKED_MOST = 501;

/** The question of the totals. */
export function totalsQuestion(): Params {
  const r = range.value ?? windowNow.value;
  const own = view.value.trows === '1' && view.value.top ? view.value.top : null;
  return {
    ...subject.value,
    from: Math.max(0, Math.round(r.from)),
    to: Math.max(1, Math.round(r.to)),
    by: groupedBy(),
    clock: clock.value,
    clip: view.value.clip === '0' ? 0 : null,
    rows: rowsAsked() ?? own,
    sort: view.value.tsort ?? null,
  };
}

/** "all threads", or the rows pinned to the top, or (default) the operations of devices. */
function rowsAsked(): string | null {
  const r = rows.value;
  if (!r || view.value.tof !== 'host') return null;
  const found: number[] = [];
  for (let k = 0; k < r.rows.n; k++) if (!r.rows.derived[k] && !r.rows.hidden[k] && r.processes.kind[r.rows.process[k]] === 'host') found.push(r.rows.row[k]);
  return found.length ? numbersText(found) : null;
}

export function startTotals(): () => void {
  const soon = new Delayed();
  const stops = [
    effect(() => {
      const params = totalsQuestion();
      const wanted = range.value !== null || tab.value === 'selection';
      if (!rows.value || !wanted) {
        if (!wanted) {
          soon.cancel();
          abortCalls('trace/totals');
          totals.value = null;
        }
        return;
      }
      soon.ask(120, () => {
        traceApi
          .totals({ ...params, limit: LIMIT }, { key: 'trace/totals', quiet: true })
          .then((answer) => {
            totals.value = answer;
            problem.value = '';
          })
          .catch((error: unknown) => {
            if (isAborted(error)) return;
            totals.value = null;
            problem.value = (error as Error).message;
          });
      });
    }),
    follow({
      question: () => {
        const first = picked.value;
        if (!alsoPicked.value.length || first === null) return null;
        return [first, ...alsoPicked.value.slice(0, PICKED_MOST - 1)].map((event) => ({ ...subject.value, event }));
      },
      ask: (events) => Promise.all(events.map((params) => traceApi.event(params, { quiet: true, part: 'the events picked' }))),
      take: (events) => {
        pickedEvents.value = events ?? [];
      },
      fail: () => {
        pickedEvents.value = [];
      },
      keep: true,
    }),
  ];
  return () => {
    soon.cancel();
    for (const stop of stops) stop();
  };
}

/** From the first start to the last end of what is picked. */
export function pickedSpan(): Span | null {
  const one = selected.peek();
  const list = pickedEvents.peek().length ? pickedEvents.peek() : one ? [one] : [];
  if (!list.length) return null;
  return { from: Math.min(...list.map((e) => e.start_ps)), to: Math.max(...list.map((e) => e.start_ps + e.duration_ps)) };
}
