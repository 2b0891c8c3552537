/** Search over the module's instructions: field, pattern, hits in program order, n of m. */
import { computed, effect, signal, untracked } from '@preact/signals';
import { ApiError, isAborted } from '../api/client';
import { setView, view } from '../app/router';
import { graphApi, type SearchAnswer } from './api';
import { drawing } from './graph_state';
import { picked } from './settings';
import { go, subject } from './state';

export const FIELDS = ['all', 'name', 'opcode', 'op_name', 'source', 'shape'] as const;
const PAGE = 200;

export const asked = computed(() => view.value.gq ?? '');
export const field = computed(() => ((FIELDS as readonly string[]).includes(view.value.gqf ?? '') ? (view.value.gqf as string) : 'all'));
export const isRegex = computed(() => view.value.gqre === '1');
export const hits = signal<SearchAnswer | null>(null);
export const why = signal('');

const questionOf = () => JSON.stringify([subject(), asked.peek().trim(), field.peek(), isRegex.peek()]);
/** The question whose answer `hits` is. */
let answered = '';

export function ask(text: string): void {
  setView({ gq: text || null });
}

async function load(after: number): Promise<void> {
  const q = asked.peek().trim();
  if (!q) {
    hits.value = null;
    why.value = '';
    answered = questionOf();
    owed = 0;
    return;
  }
  const of = questionOf();
  try {
    const answer = await graphApi.search({ ...subject(), q, field: field.peek(), regex: isRegex.peek() ? 1 : undefined, count: PAGE, after: after >= 0 ? after : undefined }, { key: 'graph/search', quiet: true });
    const before = hits.peek();
    hits.value = after >= 0 && before ? joined(before, answer) : answer;
    why.value = answer.problem ?? '';
    answered = of;
    if (owed && of === questionOf()) {
      const by = owed;
      owed = 0;
      stepHit(by);
    }
  } catch (error) {
    if (isAborted(error)) return;
    hits.value = null;
    answered = of;
    owed = 0;
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
  if (h?.ix.length) void load(h.ix.length);
}

export const hitAt = computed(() => hits.value?.name.indexOf(picked.value) ?? -1);

/** Enter was pressed before the answer was there: the step is made when it is. */
let owed: 1 | -1 | 0 = 0;

/** To the next or the previous hit, going round. */
export function stepHit(by: 1 | -1): boolean {
  const h = hits.peek();
  if (asked.peek() && answered !== questionOf()) {
    owed = by;
    return true;
  }
  if (!h?.name.length) return false;
  const at = hitAt.peek();
  const next = at < 0 ? (by > 0 ? 0 : h.name.length - 1) : (at + by + h.name.length) % h.name.length;
  go(h.name[next]);
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
  const end = effect(() => {
    void [asked.value, field.value, isRegex.value, subject()];
    clearTimeout(timer);
    timer = setTimeout(() => untracked(() => void load(-1)), 120);
  });
  return () => {
    end();
    clearTimeout(timer);
    hits.value = null;
  };
}
