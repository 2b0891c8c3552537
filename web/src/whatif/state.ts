/** State of What if: the changes of the address, what else could be changed, the server's answer. */
import { computed, effect, signal } from '@preact/signals';
import { api, call, isAborted } from '../api/client';
import type { Live } from '../api/types';
import { setView, view } from '../app/router';
import { doctor, startDoctor } from '../app/doctor_state';
import { plot, settled, subject, summary } from '../memory/state';
import { whatIfPeak } from '../memory/what_if_state';
import { type Action, type Change, bufferItem, findingItems, formatChanges, groupItems, type Item, paddingItem, parseChanges, ranges } from './items';
import type { ChangedSteps, Plan, Tried } from './types';

export const changes = computed(() => parseChanges(view.value.w));
/** What is held at the peak, every row of it. */
export const held = signal<Live | null>(null);
export const plan = signal<Plan | null>(null);
export const planProblem = signal('');
/** Largest groups by step, of the peaks that the plan leaves. */
export const groupsAt = signal<Map<number, NonNullable<ChangedSteps['steps'][number]['groups']>>>(new Map());
/** The row whose menu is open. */
export const menuOf = signal<string | null>(null);

const LISTED = 14;
/** Of one list of buffers in a request. */
const BUFFERS_MAX = 4096;

const known = computed<ReadonlyMap<string, Item>>(() => {
  const padding = paddingItem(held.value);
  const items = [...findingItems(doctor.value, summary.value?.space.color), ...groupItems(held.value), ...(padding ? [padding] : [])];
  return new Map(items.map((item) => [item.id, item]));
});

export function itemOf(id: string): Item | null {
  return known.value.get(id) ?? (/^\d+$/.test(id) ? bufferItem(id, held.value) : null);
}

export interface Row {
  item: Item;
  change: Change;
}

/** Ticked rows whose buffers are known; `missing` are ids of the address that name nothing here. */
export const tickedRows = computed<Row[]>(() => changes.value.flatMap((change) => (itemOf(change.id) ? [{ item: itemOf(change.id) as Item, change }] : [])));
export const missing = computed(() => (held.value && doctor.value ? changes.value.filter((change) => !itemOf(change.id)) : []));

function sizeAtPeak(item: Item): number {
  const live = held.value;
  if (!live) return 0;
  const set = new Set(item.buffers);
  let sum = 0;
  for (let i = 0; i < live.n; i++) if (set.has(live.buffer[i] ?? -1)) sum += live.size_bytes[i];
  return sum;
}

/** What is not ticked, largest first: tried on top. */
export const otherRows = computed<Row[]>(() => {
  const on = new Set(changes.value.map((change) => change.id));
  const others = [...known.value.values()].filter((item) => !on.has(item.id)).sort((a, b) => sizeAtPeak(b) - sizeAtPeak(a));
  const findings = others.filter((item) => item.id[0] === 'D');
  const rest = others.filter((item) => item.id[0] !== 'D').slice(0, Math.max(4, LISTED - findings.length));
  let buffers = 0;
  return [...findings, ...rest]
    .filter((item) => {
      const fits = buffers + item.buffers.length <= BUFFERS_MAX;
      if (fits) buffers += item.buffers.length;
      return fits;
    })
    .map((item) => ({ item, change: { id: item.id, action: item.action, parts: 2 } }));
});

function write(next: readonly Change[]): void {
  setView({ w: next.length > 0 ? formatChanges(next) : null });
}

export function tickChange(change: Change, on: boolean): void {
  const rest = changes.peek().filter((other) => other.id !== change.id);
  write(on ? [...rest, change] : rest);
  if (menuOf.peek() === change.id) menuOf.value = null;
}

/** Another action for a row; one that is not ticked is ticked with it, so that the row stays in sight. */
export function chooseAction(id: string, action: Action, parts = 2): void {
  const change = { id, action, parts };
  const list = changes.peek();
  write(list.some((other) => other.id === id) ? list.map((other) => (other.id === id ? change : other)) : [...list, change]);
}

export function resetChanges(): void {
  menuOf.value = null;
  write([]);
}

const text = (rows: readonly Row[]) =>
  rows.map(({ item, change }) => `${ranges(item.buffers)}:${change.action}${change.action === 'shard' ? `:${change.parts}` : ''}`).join(',');

/** Bytes of `try` in one request: the server takes lines of 32,768 bytes, in which a + is three. */
const REQUEST_BYTES = 12_000;

/** The rows as few requests, in their order: findings of large programs name thousands of buffers. */
function requestsOf(all: readonly Row[]): string[] {
  const out: string[] = [];
  for (const row of all) {
    const item = text([row]);
    const at = out.length - 1;
    if (at >= 0 && encodeURIComponent(`${out[at]},${item}`).length <= REQUEST_BYTES) out[at] += `,${item}`;
    else out.push(item);
  }
  return out;
}

/** Columns of several answers, one behind the other. */
function joined(parts: readonly Tried[]): Tried {
  if (parts.length === 1) return parts[0];
  const out = { ...parts[0] } as Record<string, unknown>;
  for (const [name, column] of Object.entries(parts[0])) if (Array.isArray(column)) out[name] = parts.flatMap((part) => part[name as keyof Tried] as unknown[]);
  out.n = parts.reduce((sum, part) => sum + part.n, 0);
  return out as unknown as Tried;
}

/** The ticked changes as the server reads them. */
export const planText = computed(() => text(tickedRows.value));

/** The program that `held` is of: until it is that of the view, its buffers are not asked about. */
let heldOf = '';

function followHeld(): () => void {
  let last = '';
  return effect(() => {
    const step = summary.value?.peak.step;
    if (!settled.value || step === undefined) return;
    const key = JSON.stringify([subject.value, step]);
    if (key === last) return;
    last = key;
    held.value = null;
    plan.value = null;
    const of = JSON.stringify(subject.peek());
    api
      .live({ ...subject.peek(), step, order: 'size', fold_bytes: 0, limit: 16_384 }, { key: 'whatif/held', quiet: true })
      .then((answer) => {
        heldOf = of;
        held.value = answer;
      })
      .catch((error: unknown) => {
        if (!isAborted(error)) planProblem.value = String(error);
      });
  });
}

function followPlan(): () => void {
  let last = '';
  return effect(() => {
    if (!held.value || !settled.value || heldOf !== JSON.stringify(subject.value)) return;
    const menu = menuOf.value === null ? null : itemOf(menuOf.value);
    const parts = tickedRows.value.concat(otherRows.value).find((row) => row.item.id === menu?.id)?.change.parts;
    const union = summary.value?.live_is_union === true;
    const pieces = union ? [] : requestsOf(otherRows.value);
    const asked = {
      ...subject.value,
      plan: planText.value,
      try: union ? null : (pieces[0] ?? null),
      menu: menu ? ranges(menu.buffers) : null,
      parts: menu ? parts : null,
      columns: Math.min(4000, Math.max(300, Math.round(plot.value.width))),
    };
    const key = JSON.stringify([asked, pieces]);
    if (key === last || (!asked.plan && !asked.try)) return;
    last = key;
    const more = pieces
      .slice(1)
      .map((piece, k) => call<Plan>('memory/whatif', { ...subject.peek(), plan: asked.plan, try: piece }, { key: `whatif/try${k}`, quiet: true }));
    Promise.all([call<Plan>('memory/whatif', asked, { key: 'whatif/plan', quiet: true }), ...more])
      .then(([answer, ...others]) => {
        if (key !== last) return;
        plan.value = { ...answer, try: joined([answer.try, ...others.map((other) => other.try)]) };
        planProblem.value = '';
      })
      .catch((error: unknown) => {
        if (!isAborted(error)) planProblem.value = error instanceof Error ? error.message : String(error);
      });
  });
}

/** The crosshair stands at the peak of the program that is shown. */
function followPeak(): () => void {
  return effect(() => {
    whatIfPeak.value = tickedRows.value.length > 0 ? (plan.value?.new_step ?? null) : null;
  });
}

let users = 0;
let stops: (() => void)[] = [];
/** Several parts of the page need it; the first starts it and the last stops it. */
export function startWhatIf(): () => void {
  if (users++ === 0) stops = [startDoctor(), followHeld(), followPlan(), followPeak()];
  return () => {
    if (--users > 0) return;
    for (const stop of stops) stop();
    stops = [];
    plan.value = null;
    held.value = null;
    whatIfPeak.value = null;
  };
}

/** Bytes a second between device and host, as typed; null: not known, and no time is shown. */
export const rate = signal<number | null>(null);
