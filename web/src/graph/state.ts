/** The text of the open program, the line that the address names, what is folded and what is found in it. */
import { batch, computed, effect, signal } from '@preact/signals';
import { apiUrl, callText, isAborted } from '../api/client';
import { setView, view } from '../app/router';
import { findLines, hitFrom } from './find';
import { foldedOf, foldText, rowsOf } from './fold';
import { type HloText, headAt, headOf, parseText } from './text';
import { toggled } from '../util/toggled';

export const text = signal<HloText | null>(null);
export const failed = signal('');
export const loading = signal(false);

/** What names the program in every request. */
export function subject(): Record<string, string | undefined> {
  const { run, only, host, module } = view.value;
  return { run, only, host, module };
}

/** An effect of this page. When the page is left its effects run once more before they are stopped; no program is named then, and nothing must be asked. */
export function effectHere(run: () => void): () => void {
  return effect(() => {
    if (view.value.run && view.value.tool === 'graph') run();
  });
}

export const isShort = computed(() => view.value.form === 'short');
/** Metadata and configs stand as pills unless the address says otherwise. */
export const isOpen = computed(() => view.value.meta === '1');

/** With metadata always: hovers read it, and lines keep their numbers. */
export function params(): Record<string, string | undefined> {
  return { ...subject(), format: isShort.value ? 'short' : 'long', metadata: '1' };
}

let asked = '';
let stop: AbortController | null = null;

async function load(): Promise<void> {
  stop?.abort();
  stop = new AbortController();
  const mine = stop;
  loading.value = true;
  try {
    const body = await callText('graph/text', params(), { signal: mine.signal, quiet: true });
    if (mine.signal.aborted) return;
    batch(() => {
      text.value = parseText(body);
      failed.value = '';
    });
  } catch (error) {
    if (mine.signal.aborted || isAborted(error)) return;
    batch(() => {
      text.value = null;
      failed.value = error instanceof Error ? error.message : String(error);
    });
  } finally {
    if (stop === mine) loading.value = false;
  }
}

/** Follows the view; the answer stops it. */
export function startText(): () => void {
  const end = effectHere(() => {
    const url = apiUrl('graph/text', params());
    if (url === asked) return;
    asked = url;
    void load();
  });
  return () => {
    end();
    stop?.abort();
    asked = '';
    text.value = null;
  };
}

export function retry(): void {
  void load();
}

/** Line that the address names: an instruction, a computation, or a number. */
export const here = computed(() => {
  const all = text.value;
  if (!all) return -1;
  const { op, line } = view.value;
  const number = Number(line);
  if (line && Number.isInteger(number) && number >= 1 && number <= all.lines.length) return number - 1;
  return op ? (all.defined.get(op.replace(/^%/, '')) ?? -1) : -1;
});

export function go(name: string): void {
  setView({ op: `%${name.replace(/^%/, '')}`, line: null }, { push: true });
}

/** A name of the text: an instruction is selected; of a computation the line where it begins is shown. */
export function goNamed(name: string): void {
  const all = text.peek();
  const bare = name.replace(/^%/, '');
  const line = all?.defined.get(bare);
  // A computation and an instruction may have one name: the instruction is meant.
  const isOp =
    !all || line === undefined || !headAt(all, line) || ['  %', '  ROOT %', '  ', '  ROOT '].some((before) => all.body.includes(`\n${before}${bare} = `));
  if (isOp) go(bare);
  else goLine(line);
}

/** A line of the text; the selected instruction stays what it is. */
export function goLine(line: number): void {
  setView({ line: line + 1 }, { push: true });
}

/* ---- folding: in the address as `tf`, numbers of first lines; "all-" and those that are open, where most are folded ---- */

/** Lines of the heads of the folded computations. */
export const folded = computed<ReadonlySet<number>>(() => foldedOf(text.value?.heads ?? [], view.value.tf ?? ''));
export const rows = computed(() => (text.value ? rowsOf(text.value, folded.value) : null));

function fold(next: ReadonlySet<number>): void {
  setView({ tf: foldText(text.peek()?.heads ?? [], next) || null }, { push: false });
}

export function toggleFold(head: number): void {
  fold(toggled(folded.peek(), head));
}

export function foldAll(): void {
  const all = text.peek();
  if (all) fold(new Set(all.heads.filter((head) => !head.entry).map((head) => head.line)));
}

export function unfoldAll(): void {
  fold(new Set());
}

/** Opens the computation around a line, so that the line can be shown. */
export function unfoldAt(line: number): void {
  const all = text.peek();
  const head = all && headOf(all, line);
  if (head && head.line !== line && folded.peek().has(head.line)) toggleFold(head.line);
}

/* ---- find ---- */

export const find = computed(() => view.value.tfind ?? '');
export const found = computed(() => (text.value ? findLines(text.value, find.value.trim()) : { lines: [], error: '' }));
/** Which of the found lines is shown, -1 none; in the address as `tn`, from 1. */
export const foundAt = computed(() => {
  const at = Number(view.value.tn);
  return Number.isInteger(at) && at >= 1 && at <= found.value.lines.length ? at - 1 : -1;
});

export function setFind(typed: string): void {
  setView({ tfind: typed || null, tn: null });
}

export function step(by: 1 | -1): boolean {
  const { lines } = found.value;
  if (!lines.length) return false;
  const at = foundAt.peek();
  const next = at < 0 ? hitFrom(lines, Math.max(0, here.peek()), by) : (at + by + lines.length) % lines.length;
  setView({ tn: next + 1 }, { push: false });
  unfoldAt(lines[next]);
  return true;
}
