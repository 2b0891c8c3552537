/**
 * A link from Memory or Graph names an instruction (`op`): its first run is shown. A search by name also finds others,
 * fusion.12 for fusion.1, and fusion.1 of another program: of what it finds, the event whose program and instruction
 * are those of the link.
 */
import { effect, untracked } from '@preact/signals';
import type { TraceSearch } from '../api/answers';
import { view } from '../app/router';
import { toast } from '../app/toast';
import { tellFailure, traceApi } from './api';
import { change, jumpTo, rows, subject } from './state';

const HITS = 10_000;
/** Names that are looked at: those that are the instruction by themselves come first. */
const NAMES = 24;

/** First hits of the names, the best first. */
function candidates(found: TraceSearch, op: string): number[] {
  const { id, caption } = found.by_name;
  const exact = (k: number) => Number(caption[k] === op || caption[k] === `%${op}` || caption[k].startsWith(`%${op} = `));
  const order = id.map((_, k) => k).sort((a, b) => exact(b) - exact(a));
  return order.slice(0, NAMES).map((k) => found.hits.id.indexOf(id[k])).filter((hit) => hit >= 0);
}

async function follow(op: string, module: string | undefined): Promise<void> {
  try {
    const found = await traceApi.search({ ...subject.peek(), q: op, case: 1, limit: HITS }, { key: 'trace/follow', quiet: true });
    for (const k of candidates(found, op)) {
      const { hits } = found;
      const { links } = await traceApi.event({ ...subject.peek(), event: hits.event[k] }, { key: 'trace/followed', quiet: true });
      if (links?.instruction !== op || (module && links.module !== module)) continue;
      jumpTo(hits.event[k], hits.start_ps[k], hits.duration_ps[k], hits.row[k], false);
      return;
    }
    toast(`${op} has no event of its own in this trace`);
  } catch (error) {
    tellFailure(error);
  }
}

/** Follows the address; the answer stops it. */
export function followLink(): () => void {
  return effect(() => {
    const { op, module, tool } = view.value;
    // The link that leaves for another tool names an instruction as well.
    if (!op || tool !== 'trace' || !rows.value) return;
    const name = op.replace(/^%/, '');
    untracked(() => {
      change({ op: null, find: name, tt: null, ev: null });
      void follow(name, module);
    });
  });
}
