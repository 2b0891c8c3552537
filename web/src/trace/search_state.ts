/** Search over the whole trace: what the address asks, the answer, the hit one stands on. */
import { computed, effect, signal } from '@preact/signals';
import { isAborted } from '../api/client';
import type { TraceSearch } from '../api/types_trace';
import { traceApi } from './api';
import { change, find, jumpTo, paint, picked, rows, subject, windowNow } from './state';

export const found = signal<TraceSearch | null>(null);
export const searching = signal(false);
export const PAGE = 1000;

/** Numbers of the names that match: their boxes are marked. Hits in arguments alone mark no name. */
export const hitNames = computed<ReadonlySet<number>>(() => new Set(find.value.text ? (found.value?.names.id ?? []) : []));

/** Place of the selected event among the hits, or -1. */
export const hitAt = computed(() => (picked.value === null ? -1 : (found.value?.hits.event.indexOf(picked.value) ?? -1)));

export function askFor(text: string): void {
  change({ find: text || null, tt: text ? 'search' : null });
}

export function startSearch(): () => void {
  let timer = 0;
  const stop = effect(() => {
    const f = find.value;
    const params = subject.value;
    const here = f.here ? windowNow.value : null;
    if (!rows.value) return;
    clearTimeout(timer);
    if (!f.text) {
      found.value = null;
      searching.value = false;
      return;
    }
    searching.value = true;
    timer = window.setTimeout(() => {
      traceApi
        .search(
          {
            ...params,
            q: f.text,
            regex: f.regex || null,
            case: f.letters || null,
            args: f.args || null,
            from: here ? Math.max(0, Math.round(here.from)) : null,
            to: here ? Math.round(here.to) : null,
            limit: PAGE,
            px: here ? null : 1000,
          },
          { key: 'trace/search' },
        )
        .then((answer) => {
          found.value = answer;
          searching.value = false;
          paint();
        })
        .catch((error: unknown) => {
          if (isAborted(error)) return;
          searching.value = false;
          found.value = null;
        });
    }, 120);
  });
  return () => {
    clearTimeout(timer);
    stop();
  };
}

export function openHit(index: number): void {
  const hits = found.peek()?.hits;
  if (!hits || index < 0 || index >= hits.n) return;
  jumpTo(hits.event[index], hits.start[index], hits.duration[index], hits.row[index]);
}

/** The hit after or before the one that is selected; from the middle of the window when none is. */
export function stepHit(by: number): boolean {
  const hits = found.peek()?.hits;
  if (!hits?.n) return false;
  const at = hitAt.peek();
  if (at >= 0) openHit((at + by + hits.n) % hits.n);
  else {
    const from = windowNow.peek().from;
    const first = hits.start.findIndex((t) => t >= from);
    openHit(by > 0 ? Math.max(first, 0) : (first <= 0 ? hits.n : first) - 1);
  }
  return true;
}
