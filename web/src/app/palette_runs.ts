import { signal } from '@preact/signals';
import { api, isAborted } from '../api/client';
import type { Runs, Search } from '../api/types';
import { formatCount, plural } from '../util/format';
import { view } from './router';

/** The palette's search in runs that are not open. The server must read each, so there is a limit, which the palette shows. */

/** Runs searched beside the open one: the newest. */
const RUNS_LIMIT = 8;
/** Searches under way at once; a browser has six connections, and the page needs some of them. */
const AT_ONCE = 3;
/** Hits of each kind and run. */
const HITS_LIMIT = 20;

interface RunHits {
  id: string;
  hit: Search;
}

interface Covered {
  asked: number;
  done: number;
  failed: number;
  leftOut: number;
}

export const elsewhere = signal<RunHits[]>([]);
export const covered = signal<Covered | null>(null);
let stop: AbortController | null = null;

/** The newest runs beside the open one, and how many are left out. */
function runsToSearch(list: Runs, open: string | undefined): { ids: string[]; leftOut: number } {
  const others = list.id.map((_, i) => i).filter((i) => list.id[i] !== open);
  others.sort((a, b) => list.mtime_ms[b] - list.mtime_ms[a] || a - b);
  const leftOut = Math.max(0, others.length - RUNS_LIMIT) + (list.left_out ?? 0);
  return { ids: others.slice(0, RUNS_LIMIT).map((i) => list.id[i]), leftOut };
}

export function stopElsewhere(): void {
  stop?.abort();
  stop = null;
  elsewhere.value = [];
  covered.value = null;
}

async function searchOne(id: string, q: string, mine: AbortController): Promise<void> {
  try {
    const hit = await api.search({ run: id, q, limit: HITS_LIMIT }, { signal: mine.signal, quiet: true });
    if (stop === mine) elsewhere.value = [...elsewhere.value, { id, hit }];
  } catch (error) {
    if (!isAborted(error) && stop === mine && covered.value) covered.value = { ...covered.value, failed: covered.value.failed + 1 };
  }
  if (stop === mine && covered.value) covered.value = { ...covered.value, done: covered.value.done + 1 };
}

/** Searches runs, a few at once; answers appear as they arrive. */
export function searchElsewhere(list: Runs, q: string): void {
  stopElsewhere();
  const mine = new AbortController();
  stop = mine;
  const { ids, leftOut } = runsToSearch(list, view.peek().run);
  covered.value = { asked: ids.length, done: 0, failed: 0, leftOut };
  const waiting = [...ids];
  const worker = async () => {
    for (let id = waiting.shift(); id !== undefined && !mine.signal.aborted; id = waiting.shift()) await searchOne(id, q, mine);
  };
  for (let i = 0; i < AT_ONCE; i++) void worker();
}

/** "12 runs searched, 3 left out (the newest 8 are searched)". */
export function coverText(): string {
  const now = covered.value;
  if (!now) return '';
  const open = view.value.run ? 1 : 0;
  const parts = [
    now.done < now.asked
      ? `${formatCount(now.done + open)} of ${formatCount(now.asked + open)} runs searched`
      : `${plural(now.asked - now.failed + open, 'run')} searched`,
  ];
  if (now.failed) parts.push(`${formatCount(now.failed)} not readable`);
  if (now.leftOut) parts.push(`${formatCount(now.leftOut)} not searched: only the ${RUNS_LIMIT} newest${open ? ' others' : ''} are`);
  return parts.join(', ');
}

export function elsewhereSettled(): boolean {
  return !covered.value || covered.value.done === covered.value.asked;
}

/** The first rows of each kind are listed; the rest is counted. */
export function elsewhereTotal(kind: 'total' | 'total_ops' | 'total_buffers' | 'total_modules'): number {
  return elsewhere.value.reduce((sum, { hit }) => sum + (hit[kind] ?? 0), 0);
}
