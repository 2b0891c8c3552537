import { batch, computed, effect, signal } from '@preact/signals';
import { ApiError, apiUrl, isAborted } from '../api/client';
import { setView, view } from '../app/router';
import { type HloText, matcher, parseText, usesOf } from './text';

export const text = signal<HloText | null>(null);
export const failed = signal('');
export const loading = signal(false);
export const bytes = signal(0);

export function params(): Record<string, string | undefined> {
  const { run, host, module } = view.value;
  return {
    run, host, module,
    format: view.value.form === 'short' ? 'short' : 'long',
    metadata: view.value.meta,
    config: view.value.config === '0' ? '0' : undefined,
  };
}

let asked = '';
let stop: AbortController | null = null;

async function fetchText(url: string, signal: AbortSignal): Promise<string> {
  for (let attempt = 0; ; attempt++) {
    const response = await fetch(url, { signal });
    if (response.status === 202) {
      await new Promise((done) => setTimeout(done, Math.min(500, 60 * 1.5 ** attempt)));
      continue;
    }
    const body = await response.text();
    if (response.ok) return body;
    let message = `the server answered ${response.status}`;
    try {
      message = JSON.parse(body).error.message;
    } catch {
      // The status is all we know.
    }
    throw new ApiError('failed', message, response.status);
  }
}

async function load(url: string): Promise<void> {
  stop?.abort();
  stop = new AbortController();
  const mine = stop;
  loading.value = true;
  try {
    const body = await fetchText(url, mine.signal);
    if (mine.signal.aborted) return;
    batch(() => {
      bytes.value = body.length;
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
  const end = effect(() => {
    if (!view.value.run || view.value.tool !== 'graph') return;
    const url = apiUrl('graph/text', params());
    if (url === asked) return;
    asked = url;
    void load(url);
  });
  return () => {
    end();
    stop?.abort();
    asked = '';
    text.value = null;
  };
}

export function retry(): void {
  void load(apiUrl('graph/text', params()));
}

/** Made when the first card asks for it. */
export const uses = computed(() => (text.value ? usesOf(text.value) : new Map<string, number[]>()));

/** Line that the address names: an instruction, a computation, or a number. */
export const here = computed(() => {
  const all = text.value;
  if (!all) return -1;
  const { op, line } = view.value;
  if (op) return all.defined.get(op.replace(/^%/, '')) ?? -1;
  const number = Number(line);
  return line && Number.isInteger(number) && number >= 1 && number <= all.lines.length ? number - 1 : -1;
});

export function go(name: string): void {
  setView({ op: `%${name.replace(/^%/, '')}`, line: null }, { push: true });
}

export function goLine(line: number): void {
  setView({ line: line + 1, op: null }, { push: true });
}

export const find = signal('');
export const found = computed<{ lines: number[]; error: string }>(() => {
  const all = text.value;
  const wanted = matcher(find.value.trim());
  if (!all || !wanted) return { lines: [], error: '' };
  if ('error' in wanted) return { lines: [], error: wanted.error };
  const lines: number[] = [];
  all.lines.forEach((line, i) => {
    if (wanted.test(line)) lines.push(i);
  });
  return { lines, error: '' };
});
/** Which of the found lines is shown. */
export const foundAt = signal(-1);

export function step(by: number): boolean {
  const { lines } = found.value;
  if (!lines.length) return false;
  foundAt.value = (foundAt.value + by + lines.length) % lines.length;
  return true;
}
