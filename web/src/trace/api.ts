/** The routes of the trace. */
import type { Answers, TraceEvent, TraceNear, TraceRows, TraceSame, TraceTotals } from '../api/answers';
import { ApiError, call, type CallOptions, isAborted, type Params } from '../api/client';
import type { TraceWindow } from '../api/types_trace';
import { toast } from '../app/toast';

/** With the names that captions of hits are numbers of. */
export type TraceSearch = Answers['trace/search'];

function route<T>(name: string) {
  return (params: Params, options: CallOptions = {}) =>
    params.run ? call<T>(`trace/${name}`, params, options) : Promise.reject<T>(new ApiError('aborted', 'no run is open', 0));
}

export const traceApi = {
  rows: route<TraceRows>('rows'),
  window: route<TraceWindow>('window'),
  event: route<TraceEvent>('event'),
  near: route<TraceNear>('near'),
  same: route<TraceSame>('same'),
  search: route<TraceSearch>('search'),
  totals: route<TraceTotals>('totals'),
  ops: route<Answers['trace/ops']>('ops'),
  opsTree: route<Answers['trace/ops/tree']>('ops/tree'),
  oneOp: route<Answers['trace/ops/one']>('ops/one'),
  layers: route<Answers['trace/layers']>('layers'),
  compareOps: route<Answers['trace/ops/compare']>('ops/compare'),
};

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What a key or a click asked for and did not get is said at the foot. */
export function tellFailure(error: unknown): void {
  if (!isAborted(error)) toast(messageOf(error));
}
