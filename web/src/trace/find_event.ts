/**
 * The first event of an instruction. A search by name also finds others, fusion.12 for fusion.1, and fusion.1 of another program: of what it
 * finds, the event whose program and instruction are those that are asked for.
 */
import type { TraceSearch } from '../api/answers';
import type { Params } from '../api/client';
import { traceApi } from './api';

const HITS = 10_000;
/** Names that are looked at: those that are the instruction by themselves come first. */
const NAMES = 24;

/** First hits of the names, the best first. */
function candidates(found: TraceSearch, op: string): number[] {
  const { id, caption } = found.by_name;
  const exact = (k: number) => Number(caption[k] === op || caption[k] === `%${op}` || caption[k].startsWith(`%${op} = `));
  const order = id.map((_, k) => k).sort((a, b) => exact(b) - exact(a));
  return order
    .slice(0, NAMES)
    .map((k) => found.hits.id.indexOf(id[k]))
    .filter((hit) => hit >= 0);
}

interface FoundEvent {
  event: number;
  start_ps: number;
  duration_ps: number;
  row: number;
}

export async function eventOf(params: Params, event: number, key: string): Promise<FoundEvent> {
  const { start_ps, duration_ps, row } = await traceApi.event({ ...params, event }, { key: `${key}/event`, quiet: true });
  return { event, start_ps, duration_ps, row };
}

/** `key`: of the calls, a newer search with it ends an older one. `module` absent: of any program. */
export async function firstEvent(params: Params, op: string, module: string | undefined, key: string): Promise<FoundEvent | null> {
  const { hits, ...found } = await traceApi.search({ ...params, q: op, case: 1, limit: HITS }, { key, quiet: true });
  for (const k of candidates({ hits, ...found }, op)) {
    const event = hits.event[k];
    const { links } = await traceApi.event({ ...params, event }, { key: `${key}/event`, quiet: true });
    if (links?.instruction === op && (!module || links.module === module))
      return { event, start_ps: hits.start_ps[k], duration_ps: hits.duration_ps[k], row: hits.row[k] };
  }
  // Kernels of a GPU are not called as their operation is.
  const { run, host } = params;
  const { first } = await traceApi.oneOp({ run, host, name: op, module }, { key: `${key}/one`, quiet: true });
  return typeof first?.event === 'number' ? eventOf(params, first.event, key) : null;
}
