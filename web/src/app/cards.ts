import { signal } from '@preact/signals';
import { api, isAborted } from '../api/client';
import type { Card } from '../api/types';

/** Cards of runs that are wanted, read two at a time: a card costs the server a file. */
export const cards = signal<ReadonlyMap<string, Card>>(new Map());
export const cardErrors = signal<ReadonlyMap<string, string>>(new Map());

const AT_ONCE = 2;
/** Of what is wanted at once; who sorts thousands of runs by their peaks gets those of the first. */
const WANTED_MOST = 300;

/** The stamp a card was read with: a run written anew is read again. */
const asked = new Map<string, string>();
let wanted: readonly string[] = [];
let stamps: ReadonlyMap<string, string> = new Map();
let running = 0;
let flushTimer: ReturnType<typeof setTimeout> | undefined;
const arrived = new Map<string, Card>();
const failed = new Map<string, string>();

function flush(): void {
  flushTimer = undefined;
  if (arrived.size) cards.value = new Map([...cards.peek(), ...arrived]);
  if (failed.size || [...arrived.keys()].some((id) => cardErrors.peek().has(id))) {
    const errors = new Map([...cardErrors.peek(), ...failed]);
    for (const id of arrived.keys()) errors.delete(id);
    cardErrors.value = errors;
  }
  arrived.clear();
  failed.clear();
}

function next(): string | undefined {
  const open = (id: string) => stamps.has(id) && asked.get(id) !== stamps.get(id);
  return wanted.find(open);
}

async function read(id: string): Promise<void> {
  asked.set(id, stamps.get(id) ?? '');
  try {
    arrived.set(id, await api.card({ run: id }, { quiet: true }));
  } catch (error) {
    if (isAborted(error)) asked.delete(id);
    else failed.set(id, error instanceof Error ? error.message : String(error));
  } finally {
    running--;
  }
  // Together, so that fifty cards do not draw the table fifty times.
  if (flushTimer === undefined) flushTimer = setTimeout(flush, 60);
  pump();
}

function pump(): void {
  while (running < AT_ONCE) {
    const id = next();
    if (id === undefined) return;
    running++;
    void read(id);
  }
}

/** Sets what exists (id to stamp), and what is wanted, the most wanted first. */
export function wantCards(all: ReadonlyMap<string, string>, ids: readonly string[]): void {
  stamps = all;
  wanted = ids.slice(0, WANTED_MOST);
  pump();
}
