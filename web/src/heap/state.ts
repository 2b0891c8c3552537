/** Heap file: what the address says, and the answers that the page is drawn from. */
import { computed, type Signal, signal } from '@preact/signals';
import type { Answers } from '../api/answers';
import { ApiError, call } from '../api/client';
import { follow } from '../api/follow';
import { setView, view } from '../app/router';

export type Files = Answers['heap/files'];
export type Summary = Answers['heap/summary'];
export type Tree = Answers['heap/tree'];
export type Lines = Answers['heap/lines'];
export type Rows = Lines['rows'];

export const TABS = ['lines', 'functions', 'stacks', 'sizes', 'files', 'changed'] as const;
export type Tab = (typeof TABS)[number];
const GROUP: Partial<Record<Tab, string>> = { functions: 'function', stacks: 'stack', sizes: 'size' };
export const METRICS = ['value', 'count', 'grown'] as const;
export type Metric = (typeof METRICS)[number];

export const files = signal<Files | null>(null);
export const summary = signal<Summary | null>(null);
export const tree = signal<Tree | null>(null);
export const lines = signal<Lines | null>(null);
export const failure = signal<ApiError | null>(null);
/** Of the line on the card. */
export const sizes = signal<Lines | null>(null);
export const stacks = signal<Lines | null>(null);

export const tab = computed<Tab>(() => TABS.find((one) => one === view.value.htab) ?? 'lines');
export const metric = computed<Metric>(() => {
  const said = METRICS.find((one) => one === view.value.hby) ?? 'value';
  return said === 'grown' && summary.value && summary.value.against === null ? 'value' : said;
});
export const calleesFirst = computed(() => view.value.horder === 'callees');
export const unfolded = computed(() => view.value.hfold === '0');
export const opened = computed(() => (view.value.hopen ? view.value.hopen.split(',') : []));
/** Keys of the frames beside each other: none, one or two. */
export const pair = computed(() => (view.value.hpair ? view.value.hpair.split(',').slice(0, 2) : []));
export const twin = computed(() => view.value.table === '1');

/** On the way to another page nothing is asked of its run. */
const here = computed(() => view.value.run && view.value.mode === 'heap');
/** What every question names: the file, what it is compared with, and the samples that count. */
const asked = computed(() => {
  const { run, heap, against, hbase, hdev, hkind, htype, hown } = view.value;
  return run && here.value ? { run, file: heap, against, base_run: hbase, device: hdev, kind: hkind, type: htype, own: hown } : null;
});

const fail = (error: unknown) => {
  failure.value = error instanceof ApiError ? error : new ApiError('internal', String(error), 0);
};

function ask<A>(route: string, key: string, more: () => Record<string, unknown> | null, into: Signal<A | null>): () => void {
  return follow({
    question: () => {
      const common = asked.value;
      const own = more();
      return common && own ? { ...common, ...own } : null;
    },
    ask: (params) => call<A>(route, params as never, { key }),
    take: (answer) => {
      if (!answer) return;
      into.value = answer;
      failure.value = null;
    },
    fail,
    keep: true,
  });
}

const treeQuestion = () => ({
  order: view.value.horder,
  fold: unfolded.value ? 0 : undefined,
  open: view.value.hopen,
  zoom: view.value.hzoom,
  by: metric.value === 'grown' ? 'grown' : undefined,
});

const linesQuestion = () =>
  tab.value === 'files'
    ? null
    : {
        group: GROUP[tab.value],
        sort: view.value.hsort,
        desc: view.value.hdesc,
        filter: view.value.hfilter,
        limit: 10000,
        stacks: tab.value === 'stacks' ? 1 : undefined,
      };

export function startHeap(): () => void {
  const ends = [
    follow({
      question: () => (here.value ? { run: view.value.run, type: view.value.htype } : null),
      ask: (params) => call<Files>('heap/files', params, { key: 'heap/files', quiet: true }),
      take: (answer) => {
        files.value = answer;
      },
      fail,
    }),
    ask('heap/summary', 'heap/summary', () => ({}), summary),
    ask('heap/tree', 'heap/tree', treeQuestion, tree),
    ask('heap/lines', 'heap/lines', linesQuestion, lines),
    ask('heap/lines', 'heap/sizes', () => (current.value ? { group: 'size', line: current.value.key, limit: 8 } : null), sizes),
    ask('heap/lines', 'heap/card', () => (current.value ? { line: current.value.key, limit: 1, stacks: 1 } : null), stacks),
  ];
  return () => {
    for (const end of ends) end();
    files.value = summary.value = tree.value = lines.value = sizes.value = stacks.value = null;
  };
}

/** The line in the details: the one in the address, else the one that grows most, else the largest. */
export const current = computed<Summary['top'][number] | { key: string; label: string } | null>(() => {
  const s = summary.value;
  const key = view.value.hline;
  if (!s || key === '-') return null;
  if (!key) return s.growing[0] ?? s.top[0] ?? null;
  return [...s.growing, ...s.top].find((row) => row.key === key) ?? { key, label: key.slice(key.lastIndexOf('/') + 1) };
});

export const change = (to: Parameters<typeof setView>[0], push = false): void => setView(to, { push });

/** The file before or after in the series. */
export function stepFile(by: -1 | 1): boolean {
  const to = by < 0 ? summary.peek()?.previous : summary.peek()?.next;
  if (!to) return false;
  change({ heap: to });
  return true;
}

export function swap(): boolean {
  const s = summary.peek();
  if (!s?.against || s.against_run) return false;
  change({ heap: s.against, against: s.file });
  return true;
}

export function pinHere(): void {
  const s = summary.peek();
  if (s) change({ against: s.against === s.file ? null : s.file });
}
