import { signal } from '@preact/signals';
import { api, isAborted } from '../api/client';
import type { Search } from '../api/types';
import { fixed, formatCount } from '../util/format';
import { actionItems, type Group, hitItems, type Item, matchItems, opcodeItems, parseAsked, runItems, type Scope, textItems, type Way } from './palette_items';
import { elsewhere, elsewhereTotal, searchElsewhere, stopElsewhere } from './palette_runs';
import { moduleKey } from './pickers';
import { setView, view } from './router';
import { runs } from './state';

/** What the palette asks for and what it shows, without its looks. */

const PER_GROUP = 4;
export const TITLES: Record<Group, string> = {
  ops: 'Ops',
  buffers: 'Buffers',
  modules: 'Modules',
  actions: 'Actions and tools',
  runs: 'Runs',
};

export const found = signal<Search | null>(null);
export const foundFor = signal('');
const tookMs = signal(0);
export const failedText = signal('');
export const scope = signal<Scope>('module');
/** The group shown alone ("all 276"), or null. */
export const only = signal<Group | null>(null);
export const active = signal(0);
/** Ways of the active item, open at its right. */
export const ways = signal<Way[] | null>(null);
export const activeWay = signal(0);

let timer: ReturnType<typeof setTimeout> | undefined;
let allTimer: ReturnType<typeof setTimeout> | undefined;
/** Other runs have to be read first: not for every letter that is typed. */
const ALL_WAIT_MS = 250;

function askAll(text: string): void {
  if (runs.value) searchElsewhere(runs.value, text);
}

/** What the page knows by itself. */
function asksNothing(raw: string): boolean {
  const { only: group, text } = parseAsked(raw);
  return !text || group === 'actions' || group === 'step';
}

/** The list is the one of this text, not of what stood there before. */
export function isAnswered(raw: string): boolean {
  return asksNothing(raw) || !view.value.run || foundFor.value === parseAsked(raw).text || Boolean(failedText.value);
}

export function ask(raw: string): void {
  clearTimeout(timer);
  clearTimeout(allTimer);
  const { only: group, text } = parseAsked(raw);
  const nothing = asksNothing(raw);
  stopElsewhere();
  if (!nothing && scope.value === 'all') allTimer = setTimeout(() => askAll(text), ALL_WAIT_MS);
  if (nothing || !view.value.run) {
    found.value = null;
    return;
  }
  // Of what is shown now: later another run may be open whose modules are not there yet.
  const narrowed = scope.value === 'module' && group !== 'modules';
  const where = { run: view.value.run, module: narrowed ? moduleKey() : undefined };
  timer = setTimeout(async () => {
    const started = performance.now();
    try {
      found.value = await api.search({ ...where, q: text, limit: only.value ? 500 : 60 }, { key: 'palette', quiet: true });
      foundFor.value = text;
      failedText.value = '';
      tookMs.value = performance.now() - started;
    } catch (error) {
      if (!isAborted(error)) failedText.value = error instanceof Error ? error.message : String(error);
    }
  }, 40);
}

function stepItem(text: string): Item[] {
  if (!/^\d+$/.test(text) || !view.value.run) return [];
  const go = () => setView({ tool: 'memory', step: Number(text), tab: 'step' });
  return [{ group: 'actions', icon: 'step', title: `step ${text}`, detail: 'what is held after it', go }];
}

/** All items for the text, best group first; a prefix narrows them. */
function everyItem(raw: string): Item[] {
  const { only: group, text } = parseAsked(raw);
  if (group === 'step') return stepItem(text);
  const here = found.value && text ? hitItems(found.value) : [];
  const named = [...here, ...(text ? elsewhere.value.flatMap(({ id, hit }) => hitItems(hit, id)) : [])];
  // What has the name comes before what only holds it.
  const hits = [...named.filter((item) => !item.holds), ...named.filter((item) => item.holds)];
  const actions = matchItems(actionItems(), text);
  const runList = matchItems(runItems(), text);
  const ofText = text && !group && view.value.run ? [...textItems(text), ...(found.value ? opcodeItems(found.value) : [])] : [];
  const all = text ? [...hits, ...ofText, ...actions, ...runList] : [...(view.value.run ? actions : runList), ...(view.value.run ? runList : actions)];
  return group ? all.filter((item) => item.group === group) : all;
}

/** Those of the chosen group. */
export function itemsFor(raw: string): Item[] {
  const all = everyItem(raw);
  return only.value ? all.filter((item) => item.group === only.value) : all;
}

/** How many there are of each group, counted by the server where it has more than the list. */
export function kindsOf(raw: string): { group: Group; count: number }[] {
  const counts = new Map<Group, number>();
  for (const { group } of everyItem(raw)) counts.set(group, (counts.get(group) ?? 0) + 1);
  return [...counts].map(([group, count]) => ({ group, count: Math.max(count, totalOf(group)) }));
}

export function grouped(items: Item[]): { group: Group; items: Item[]; total: number }[] {
  const out: { group: Group; items: Item[]; total: number }[] = [];
  for (const item of items) {
    let at = out.find((entry) => entry.group === item.group);
    if (!at) {
      at = { group: item.group, items: [], total: 0 };
      out.push(at);
    }
    at.total++;
    at.items.push(item);
  }
  const alone = out.length === 1;
  for (const entry of out) if (!alone && !only.value) entry.items = entry.items.slice(0, PER_GROUP);
  return out;
}

/** Hits of a group on the server, of which the list holds the best. */
export function totalOf(group: Group): number {
  const kind = group === 'ops' ? 'total_ops' : group === 'buffers' ? 'total_buffers' : group === 'modules' ? 'total_modules' : null;
  return kind ? (found.value?.[kind] ?? 0) + elsewhereTotal(kind) : 0;
}

export function summaryText(items: Item[], asked: string): string {
  if (failedText.value) return failedText.value;
  if (!found.value || !asked) return '';
  const total = Math.max(found.value.total + elsewhereTotal('total'), items.filter((item) => !item.ofText).length);
  return `${formatCount(total)} in ${fixed(tookMs.value, 0)} ms`;
}
