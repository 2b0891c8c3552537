import type { Search } from '../api/types';
import type { IconName } from '../ui/icons';
import { transport } from '../api/client';
import { formatBytes, formatCount, plural } from '../util/format';
import { saveReport } from './header';
import { copyText, toast } from './toast';
import { hasAction, KEY_ROWS, runAction } from './keys';
import { openExplain, openOom } from './palette_state';
import { hrefOf, setView, type Change, view } from './router';
import { moduleKey } from './pickers';
import { openRun, runs } from './state';
import { setTheme } from './theme';
import { TOOLS } from './tools';
import { standOf } from './open_tool';

export type Group = 'ops' | 'buffers' | 'modules' | 'actions' | 'runs';
export type Scope = 'module' | 'run' | 'all';

export interface Way {
  title: string;
  off?: string | null;
  go: () => void;
}

export interface Item {
  group: Group;
  icon: IconName;
  title: string;
  mono?: boolean;
  detail: string;
  size?: string;
  /** How far the peak falls without it, bytes; null: unknown, or it holds nothing. */
  saves?: number | null;
  /** A buffer that is listed for what lies in it. */
  holds?: boolean;
  side?: string;
  caps?: string[];
  off?: string | null;
  /** Does something with the text as it is, whether anything has that name or not. */
  ofText?: boolean;
  go: () => void;
  /** Every way to open it. */
  ways?: Way[];
}

interface Asked {
  /** What narrows the answer to one group, or null. */
  only: Group | 'step' | null;
  /** Text without its prefix; a regex keeps its slashes. */
  text: string;
}

const PREFIX: Record<string, Asked['only']> = { '%': 'ops', '#': 'buffers', '@': 'modules', '>': 'actions', ':': 'step' };

export function parseAsked(raw: string): Asked {
  const trimmed = raw.trimStart();
  const only = PREFIX[trimmed[0]];
  if (!only) return { only: null, text: trimmed.trim() };
  // XLA writes %fusion.2; the API knows names without the sign.
  return { only, text: trimmed.slice(1).trim() };
}

/** Opens a hit of the search: its buffer, else its step, else its place in the graph. */
function openHit(hit: Search, i: number, otherRun?: string): void {
  // What hangs on the open run does not go along to another.
  const module = hit.module[i] ?? (otherRun ? undefined : view.value.module);
  const open = (change: Change) => setView(otherRun ? { run: otherRun, ...change } : change);
  const space = hit.space[i];
  if (hit.kind[i] === 'module') {
    open({ tool: 'memory', module: hit.module[i] ?? hit.name[i] });
  } else if (hit.buffer[i] !== null) {
    open({ tool: 'memory', module, space: space ?? (otherRun ? undefined : view.value.space), pin: hit.buffer[i] });
  } else if (hit.step[i] !== null) {
    open({ tool: 'memory', module, space: space ?? (otherRun ? undefined : view.value.space), step: hit.step[i], tab: 'step' });
  } else {
    open({ tool: 'graph', module, op: hit.name[i] });
  }
}

/** Enter: an instruction stays in the graph where that is open; all else where it is shown best. */
function goTo(hit: Search, i: number): void {
  if (view.value.tool !== 'graph' || hit.kind[i] !== 'op') openHit(hit, i);
  else setView({ module: hit.module[i] ?? view.value.module, op: hit.name[i] });
}

function waysOf(hit: Search, i: number): Way[] {
  const module = hit.module[i] ?? view.value.module;
  const memory = hit.buffer[i] !== null || hit.step[i] !== null || hit.kind[i] === 'module';
  const ways: Way[] = [{ title: 'Memory', off: memory ? standOf('memory').reason : 'no buffer of this program holds its result', go: () => openHit(hit, i) }];
  for (const id of ['graph', 'trace', 'ops']) {
    const title = TOOLS.find((tool) => tool.id === id)?.title ?? id;
    ways.push({ title, off: standOf(id).reason, go: () => setView({ tool: id, module, op: hit.name[i] }) });
  }
  ways.push({ title: 'copy the name', go: () => void copyText(hit.name[i], 'name') });
  const link = () => new URL(hrefOf({ tool: 'graph', module, op: hit.name[i] }), location.href).href;
  ways.push({ title: 'copy a link to it in Graph', go: () => void copyText(link(), 'link') });
  return ways;
}

const groups: Record<string, Group> = { op: 'ops', buffer: 'buffers', module: 'modules' };
const icons: Record<string, IconName> = { op: 'graph', buffer: 'buffer', module: 'module' };

function waysElsewhere(hit: Search, i: number, id: string): Way[] {
  const module = hit.module[i];
  const graph: Change = { run: id, tool: 'graph', module, op: hit.name[i] };
  const inGraph = hit.kind[i] === 'op' ? [{ title: 'Graph', go: () => setView(graph) }] : [];
  return [{ title: `open it in ${id}`, go: () => openHit(hit, i, id) }, ...inGraph, { title: 'copy the name', go: () => void copyText(hit.name[i], 'name') }];
}

/** The module of a hit where it is not the open one, without the compiler's long number. */
function moduleElsewhere(hit: Search, i: number): string {
  const key = hit.kind[i] === 'module' ? null : hit.module[i];
  return !key || key === moduleKey() ? '' : key.replace(/\(\d{6,}\)$/, '');
}

/** Shape, and where the bytes are when the name does not say it. */
function detailOf(hit: Search, i: number): string {
  const lies = hit.held_by[i] ? `, in ${hit.held_by[i]}` : hit.holds[i] ? `, holds ${hit.holds[i]}` : '';
  return `${hit.detail[i] ?? ''}${lies}`;
}

/** Where Enter leads, as its picture says: most operations are a buffer of Memory, except where the graph is open. */
const opensMemory = (hit: Search, i: number) => view.value.tool !== 'graph' && (hit.buffer[i] !== null || hit.step[i] !== null);

/** Hits in the open run, or in another one: each of those leads to that run. */
export function hitItems(hit: Search, other?: string): Item[] {
  return hit.kind.map((kind, i) => ({
    group: groups[kind],
    icon: kind === 'op' && opensMemory(hit, i) ? ('memory' as const) : icons[kind],
    title: hit.name[i],
    mono: true,
    detail: detailOf(hit, i),
    size: hit.size_bytes[i] === null ? '' : formatBytes(hit.size_bytes[i], { unit: 'own' }),
    saves: hit.saving_bytes[i],
    holds: Boolean(hit.holds[i]),
    side: other ? `in ${other}` : moduleElsewhere(hit, i),
    go: () => (other ? openHit(hit, i, other) : goTo(hit, i)),
    ways: other ? waysElsewhere(hit, i, other) : waysOf(hit, i),
  }));
}

function action(title: string, detail: string, go: () => void, caps?: string[]): Item {
  return { group: 'actions', icon: 'action', title, detail, caps, go };
}

/** Actions that work here; those of the key table by their keys. */
export function actionItems(): Item[] {
  const open = Boolean(view.value.run);
  const out: Item[] = [
    action('paste an error', 'out of memory: finds the module, the memory space and what is too large', openOom),
    action('explain an HLO line', 'pasted text: what each part means, tiles, expected time', () => setTimeout(openExplain)),
    action('theme: light', 'colours of the page', () => setTheme('light')),
    action('theme: dark', 'colours of the page', () => setTheme('dark')),
    action('theme: system', 'colours follow the system', () => setTheme('system')),
  ];
  for (const one of runs.value?.samples ?? []) {
    out.push(action(`open sample ${one.id.replace(/^sample:/, '')}`, one.title, () => openRun(one.id)));
  }
  for (const row of KEY_ROWS) {
    if (!row.action || !hasAction(row.scope, row.id)) continue;
    out.push(action(row.text, '', () => void runAction(row.scope, row.id), row.caps));
  }
  if (open) {
    const mib = view.value.unit === 'mib';
    out.push(action(mib ? 'GiB from 10 GiB on' : 'MiB only', 'unit of this page', () => setView({ unit: mib ? null : 'mib' })));
    if (!transport.inFile)
      out.push(action('Save as one file', 'export, share, send, download: the report as one HTML file that opens without a server', () => void saveReport()));
    if (standOf('trace').open)
      out.push(
        action(
          'idle gaps',
          'Trace: when chips or threads were idle, and what ran before, after and meanwhile',
          () => setView({ tool: 'trace', tt: 'gaps', panel: null }),
          ['G'],
        ),
      );
    out.push(action('files of this run', 'what was read, what is missing', () => setView({ tool: 'files' })));
  }
  for (const [i, tool] of TOOLS.entries()) {
    const { reason } = standOf(tool.id);
    out.push({
      group: 'actions',
      icon: tool.id,
      title: tool.title,
      detail: reason ?? tool.shows,
      off: reason,
      caps: ['Shift', String(i + 1)],
      go: () => (open ? setView({ tool: tool.id }) : toast('open a run first')),
    });
  }
  return out;
}

/** What can be done with any text in an open run, found or not. */
export function textItems(text: string): Item[] {
  const keys = (...caps: string[]) => caps;
  return [
    { ...action(`filter the buffers by “${text}”`, 'charts and table of Memory', () => filterBy(text), keys('Ctrl', 'Enter')), ofText: true },
    { ...action(`find “${text}” in the HLO text`, 'every line of this module, in Graph', () => findInText(text), keys('Shift', 'Enter')), ofText: true },
  ];
}

/** "What is a copy-done?": said beside it; it leads to the first one, explained in Graph. */
export function opcodeItems(hit: Search): Item[] {
  const { opcode, opcode_text: text } = hit;
  const first = hit.kind.findIndex((kind, i) => kind === 'op' && hit.detail[i]?.startsWith(`${opcode} `));
  if (!opcode || !text || first < 0) return [];
  const title = `What is ${/^[aeiou]/.test(opcode) ? 'an' : 'a'} ${opcode}?`;
  const go = () => setView({ tool: 'graph', module: hit.module[first] ?? view.value.module, op: hit.name[first] });
  return [{ ...action(title, text, go), icon: 'note', ofText: true, off: standOf('graph').reason }];
}

export function filterBy(text: string): void {
  setView({ tool: 'memory', filter: text, tab: 'buffers' });
}

export function findInText(text: string): void {
  setView({ tool: 'graph', tfind: text, tn: 1 });
}

/** Runs, the newest first. */
export function runItems(): Item[] {
  const list = runs.value;
  if (!list) return [];
  const newest = list.id.map((_, i) => i).sort((a, b) => list.mtime_ms[b] - list.mtime_ms[a] || a - b);
  return newest
    .map((i) => ({ id: list.id[i], i }))
    .map(({ id, i }) => ({
      group: 'runs' as const,
      icon: 'runs' as const,
      title: list.label[i],
      detail: list.folder[i],
      side: id === view.value.run ? 'open' : '',
      go: () => openRun(id),
    }));
}

export function matchItems(items: Item[], text: string): Item[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const rank = (item: Item): number => {
    const title = item.title.toLowerCase();
    const whole = words.join(' ');
    if (title === whole) return 0;
    if (title.startsWith(whole)) return 1;
    return title.includes(whole) ? 2 : 3;
  };
  return items
    .filter((item) => words.every((word) => `${item.title} ${item.detail}`.toLowerCase().includes(word)))
    .map((item, i) => ({ item, key: rank(item), i }))
    .sort((a, b) => a.key - b.key || a.i - b.i)
    .map(({ item }) => item);
}

const PLACE: Record<Scope, string> = { module: 'in this module', run: 'in this run', all: 'in the runs that were searched' };

/** "nothing named x in this module; 6 in jit_f". */
export function noMatch(text: string, hit: Search | null, scope: Scope): string {
  const where = view.value.run || scope === 'all' ? PLACE[scope] : 'among the runs';
  const others: string[] = [];
  for (const [list, word] of [
    [hit?.other_modules, 'other modules'],
    [hit?.other_spaces, 'other memory spaces'],
  ] as const) {
    if (typeof list === 'number' && list > 0) others.push(`${formatCount(list)} in ${word}`);
    else if (Array.isArray(list) && list.length) {
      const named = list as { module?: string; name?: string; space?: number; count: number }[];
      const first = named.slice(0, 3).map((item) => `${formatCount(item.count)} in ${item.module ?? item.name ?? `space ${item.space}`}`);
      others.push(...first);
      if (named.length > 3) others.push(plural(named.length - 3, 'more place'));
    }
  }
  return `nothing named ${text} ${where}${others.length ? `; ${others.join(', ')}` : ''}`;
}
