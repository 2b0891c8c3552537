/** Search over the module's instructions: field, pattern, hits in program order, n of m. */
import { batch, computed, signal, untracked } from '@preact/signals';
import { ApiError, abortCalls, isAborted } from '../api/client';
import { setView, view } from '../app/router';
import { graphApi, type SearchAnswer } from './api';
import { drawing } from './graph_state';
import { picked } from './settings';
import { go, effectHere, subject } from './state';

export const FIELDS = ['all', 'name', 'opcode', 'op_name', 'source', 'shape'] as const;
const PAGE = 200;
/** Hits that are kept and listed; those before them have to be asked for again. */
const KEPT = 1000;

export const asked = computed(() => view.value.gq ?? '');
export const field = computed(() => ((FIELDS as readonly string[]).includes(view.value.gqf ?? '') ? (view.value.gqf as string) : 'all'));
export const isRegex = computed(() => view.value.gqre === '1');
/** Hits one after the other, from `hitsFrom` of all on: those that are listed. */
export const hits = signal<SearchAnswer | null>(null);
export const hitsFrom = signal(0);
export const why = signal('');

const questionOf = () => JSON.stringify([subject(), asked.peek().trim(), field.peek(), isRegex.peek()]);
/** The question whose answer `hits` is. */
let answered = '';

export function ask(text: string): void {
  setView({ gq: text || null });
}

/** Hits from `after` on; behind those that are there when they begin where these end. */
async function load(after: number): Promise<void> {
  const q = asked.peek().trim();
  if (!q) {
    abortCalls('graph/search');
    hits.value = null;
    why.value = '';
    answered = questionOf();
    owed = 0;
    wanted = -1;
    return;
  }
  const of = questionOf();
  try {
    const answer = await graphApi.search(
      { ...subject(), q, field: field.peek(), regex: isRegex.peek() ? 1 : undefined, count: PAGE, after: after || undefined },
      { key: 'graph/search', quiet: true },
    );
    const before = hits.peek();
    const isNext = after > 0 && before && answered === of && hitsFrom.peek() + before.ix.length === after && before.ix.length < KEPT;
    batch(() => {
      hits.value = isNext ? joined(before, answer) : answer;
      if (!isNext) hitsFrom.value = after;
      why.value = answer.problem ?? '';
    });
    answered = of;
    if (of === questionOf()) settleSteps();
  } catch (error) {
    if (isAborted(error)) return;
    hits.value = null;
    answered = of;
    owed = 0;
    wanted = -1;
    why.value = error instanceof ApiError ? error.message : String(error);
  }
}

function joined(a: SearchAnswer, b: SearchAnswer): SearchAnswer {
  const out = { ...b } as unknown as Record<string, unknown>;
  for (const [key, value] of Object.entries(b)) if (Array.isArray(value)) out[key] = [...(a as unknown as Record<string, unknown[]>)[key], ...value];
  return out as unknown as SearchAnswer;
}

export function moreHits(): void {
  const h = hits.peek();
  if (h?.ix.length) void load(hitsFrom.peek() + h.ix.length);
}

export function earlierHits(): void {
  void load(Math.max(0, hitsFrom.peek() - PAGE));
}

export const hitAt = computed(() => hits.value?.name.indexOf(picked.value) ?? -1);

/** Enter was pressed before the answer was there: the step is made when it is. */
let owed: 1 | -1 | 0 = 0;
/** The hit, of all, that a step leads to and that is on its way; -1: none. */
let wanted = -1;

function settleSteps(): void {
  if (owed) {
    const by = owed;
    owed = 0;
    stepHit(by);
  } else if (wanted >= 0) {
    const name = hits.peek()?.name[wanted - hitsFrom.peek()];
    wanted = -1;
    if (name) go(name);
  }
}

/** To the next or the previous hit of all, going round. */
export function stepHit(by: 1 | -1): boolean {
  const h = hits.peek();
  if (asked.peek() && answered !== questionOf()) {
    owed = by;
    return true;
  }
  if (!h?.total) return false;
  const from = hitsFrom.peek();
  const at = wanted >= 0 ? wanted : hitAt.peek() < 0 ? -1 : from + hitAt.peek();
  const next = at < 0 ? (by > 0 ? 0 : h.total - 1) : (at + by + h.total) % h.total;
  const name = h.name[next - from];
  if (name !== undefined) {
    wanted = -1;
    go(name);
  } else {
    wanted = next;
    void load(next === from + h.ix.length ? next : Math.floor(next / PAGE) * PAGE);
  }
  return true;
}

const NONE: ReadonlySet<number> = new Set();
/** Hits that are drawn. */
export const foundNodes = computed<ReadonlySet<number>>(() => {
  const d = drawing.value;
  const h = hits.value;
  if (!d || !h?.ix.length) return NONE;
  return new Set(h.ix.map((ix) => d.scene.nodeOfIx.get(ix) ?? -1).filter((k) => k >= 0));
});

export function startSearch(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let question = '';
  const end = effectHere(() => {
    // Another selection is another view, and the same question.
    const now = JSON.stringify([subject(), asked.value.trim(), field.value, isRegex.value]);
    if (now === question) return;
    question = now;
    clearTimeout(timer);
    timer = setTimeout(() => untracked(() => void load(0)), 120);
  });
  return () => {
    end();
    clearTimeout(timer);
    hits.value = null;
  };
}
