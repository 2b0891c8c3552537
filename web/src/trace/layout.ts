/** Where rows stand: processes, open or folded, their rows, and the line that stands for the threads left out. Pure. */
import type { TraceRows } from '../api/answers';
import type { InView } from './boxes';
import { LANE, LANE_SIZES, NORMAL } from './heights';
import { firstThat } from '../util/bisect';

export { LANE };
export const HEAD = 21;
const PAD = 4;
/** Of the strip of depths that have no lane of their own. */
export const STRIP = 6;
/** Lanes that a row has at least before deeper ones are a strip, and at most; larger rows have all. */
const LANES_LEAST = 6;
const LANES_MOST = 24;
const COUNTER = 34;
/** Threads of a host that are shown before the rest is behind one line. */
export const THREADS = 8;

export type RowOrder = 'file' | 'busy' | 'events' | 'name';

export interface Settings {
  open: ReadonlySet<number>;
  /** Hosts of which only the head is shown. */
  folded?: ReadonlySet<number>;
  /** Processes whose further threads are shown. */
  others: ReadonlySet<number>;
  pinned: readonly number[];
  hidden: ReadonlySet<number>;
  filter: string;
  order: RowOrder;
  /** Rows that XProf does not show. */
  internal: boolean;
  /** Size of all rows, and of single ones: see heights.ts. */
  size?: number;
  sizes?: ReadonlyMap<number, number>;
  /** Of the selected event: shown as long as that is in view, however busy other threads are. */
  kept?: number;
  /** Its depth has a lane. */
  keptDepth?: number;
}

export interface Item {
  kind: 'host' | 'process' | 'row' | 'others';
  /** Of a host: its first. */
  process: number;
  /** Number of the row: of a folded process the one that stands for it; -1 none. */
  row: number;
  /** Column index of that row. */
  at: number;
  y: number;
  h: number;
  lanes: number;
  /** Depths below these that are one strip: they hold only dots, or there are too many. */
  deeper: number;
  /** Pixels of one of them. */
  lane: number;
  open: boolean;
  /** Of 'others': rows with events in view, and without. */
  more: number;
  idle: number;
}

export interface Layout {
  pinned: Item[];
  pinnedHeight: number;
  items: Item[];
  height: number;
  shown: number;
  filtered: number;
}

/** Rows from this number on are tracks of the page, which the server does not know; of live bytes: this plus the row of operations. */
export const TRACK = 1e8;
/** Tracks of allocators: this plus their place in the answer. */
export const ALLOCATOR = 2e8;
export function isTrack(row: number): boolean {
  return row >= TRACK;
}

/** What only devices have: a process with none of these is one of threads. */
const OF_DEVICES = ['steps', 'xla_modules', 'xla_ops', 'offload'];
const KIND_ORDER = [
  'steps',
  'xla_modules',
  'xla_ops',
  'memory',
  'offload',
  'async_ops',
  'counter',
  'name_scope',
  'framework_ops',
  'source',
  'line',
  'trace_me',
];

export function isCounter(kind: string): boolean {
  return kind === 'counter' || kind === 'counters' || kind === 'memory';
}

/** "TPU:0" of "/device:TPU:0", "Host" of "/host:CPU". */
export function processTitle(name: string): string {
  if (name === '/host:CPU') return 'Host';
  return name.replace(/^\/(device|host):/, '').replace(/^\//, '') || 'unnamed';
}

/** Whether hosts stand side by side: each has a head of its own then. */
export function severalHosts(r: TraceRows): boolean {
  return r.processes.host.some((h) => h !== r.processes.host[0]);
}

export function hostOf(r: TraceRows, process: number): string {
  return r.hosts[r.processes.host[process]]?.name ?? '';
}

/** "TPU:0"; of several hosts "host1 TPU:0". */
export function processName(r: TraceRows, process: number): string {
  const title = processTitle(r.processes.name[process] ?? '');
  return severalHosts(r) && process < r.processes.n ? `${hostOf(r, process)} ${title}` : title;
}

/** Longest number of a thread that is written whole: CPU profiles have some of 20 signs, of which the end is written. */
const DIGITS = 10;
const END_DIGITS = 4;

/** "main/3116817" is "main" and "3116817", "pool/-12: regions" is "pool: regions" and "-12"; a thread without a name is called one. */
function titleParts(caption: string, id: string, thread: boolean): [string, string] {
  const at = id ? caption.indexOf(`/${id}`) : -1;
  const tail = at < 0 ? '' : caption.slice(at + 1 + id.length);
  if (at >= 0 && (tail === '' || tail.startsWith(':'))) return [`${caption.slice(0, at)}${tail}` || 'thread', id];
  return [caption || (thread ? 'thread' : 'line'), thread || !caption ? id : ''];
}

/** Ends of long numbers, as long as they must be to tell these apart. */
function shortIds(ids: readonly string[]): Map<string, string> {
  const long = [...new Set(ids.filter((id) => id.length > DIGITS))];
  const most = Math.max(0, ...long.map((id) => id.length));
  let digits = END_DIGITS;
  while (digits < most && new Set(long.map((id) => id.slice(-digits))).size < long.length) digits++;
  return new Map(ids.map((id) => [id, id.length > Math.max(DIGITS, digits) ? `\u2026${id.slice(-digits)}` : id]));
}

function titlesOf(r: TraceRows): [string, string][] {
  const parts = r.rows.row.map((_, k) =>
    titleParts(r.rows.caption[k], r.rows.id[k], r.processes.kind[r.rows.process[k]] === 'host' && !isTrack(r.rows.row[k])),
  );
  const short = shortIds(parts.map(([, id]) => id));
  return parts.map(([name, id]) => [name, short.get(id) ?? '']);
}

const titles = new WeakMap<TraceRows['rows'], [string, string][]>();

/** Name and number of the row at a column index; the number tells threads of one name apart. */
export function rowTitle(r: TraceRows, at: number): [string, string] {
  let made = titles.get(r.rows);
  if (!made) {
    made = titlesOf(r);
    titles.set(r.rows, made);
  }
  return made[at] ?? ['', ''];
}

/** "thread id -8647700503980432553 (XProf: 2286396247)": XProf keeps the lower 32 bits. '' where a row is not a thread. */
export function threadWords(r: TraceRows, at: number): string {
  const id = r.rows.id[at];
  if (r.processes.kind[r.rows.process[at]] !== 'host' || isTrack(r.rows.row[at]) || !/^-?\d{1,20}$/.test(id)) return '';
  const low = BigInt.asUintN(32, BigInt(id)).toString();
  return low === id ? `thread id ${id}` : `thread id ${id} (XProf shows ${low})`;
}

/** Cut in the middle: the end of a host's name tells it from the next. */
export function cutMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const tail = Math.max(1, Math.ceil((most - 1) * 0.6));
  return most < 3 ? '' : `${text.slice(0, most - 1 - tail)}\u2026${text.slice(text.length - tail)}`;
}

/** What stands beside the lanes of the whole trace: each by its name where there is room for a line each, else how many; at most `most` signs. */
export function laneNames(r: TraceRows, processes: readonly number[], each: boolean, most: number): string[] {
  const title = (p: number) => processTitle(r.processes.name[p]).slice(0, 9);
  const of = (p: number) => (severalHosts(r) ? `${cutMiddle(hostOf(r, p), Math.max(3, most - title(p).length - 1))} ${title(p)}` : title(p));
  const devices = processes.filter((p) => r.processes.kind[p] !== 'host');
  if (each || devices.length < 3) return processes.map((p) => (of(p).length > most ? title(p) : of(p)));
  const hosts = new Set(devices.map((p) => r.processes.host[p])).size;
  const some = hosts > 1 ? `${hosts} hosts, ${devices.length} devices` : `${title(devices[0])}\u2013${title(devices[devices.length - 1]).replace(/^.*:/, '')}`;
  const short = hosts > 1 && some.length > most ? `${devices.length} devices` : some;
  return devices.length < processes.length ? [short, hosts > 1 ? 'and threads' : 'host'] : [short];
}

/** Whether a row can be shown: it has events, and is none of those XProf hides unless these are asked for. */
export function isUsable(r: TraceRows, at: number, internal: boolean): boolean {
  return (internal || !r.rows.hidden[at]) && r.rows.events[at] > 0;
}

/** Rows that can be shown, of all processes or of one. */
export function usableRows(r: TraceRows, internal: boolean, process = -1): number {
  return r.rows.row.reduce((n, _, at) => n + Number(isUsable(r, at, internal) && (process < 0 || r.rows.process[at] === process)), 0);
}

/** Threads of a host, each once: derived rows and those of internal events are of the same. */
export function threadCount(r: TraceRows, process: number): number {
  const ids = new Set<string>();
  for (let at = 0; at < r.rows.n; at++) if (r.rows.process[at] === process && !r.rows.derived[at] && !isTrack(r.rows.row[at])) ids.add(r.rows.id[at]);
  return ids.size;
}

/** Processes as they stand: as the file has them, a SparseCore behind the chip of its host that it is part of. */
export function processOrder(r: TraceRows): number[] {
  const { n, name, host } = r.processes;
  const chip = (p: number) => {
    const [, of] = /^(.+?) SparseCore \d+$/.exec(name[p]) ?? [];
    const at = of === undefined ? -1 : name.findIndex((x, q) => x === of && host[q] === host[p]);
    return at < 0 ? p : at;
  };
  return Array.from({ length: n }, (_, p) => p).sort((a, b) => chip(a) - chip(b) || a - b);
}

/** Rows of each process in their order; column indexes. */
function rowsByProcess(r: TraceRows, order: RowOrder): number[][] {
  const out: number[][] = Array.from({ length: r.processes.n }, () => []);
  for (let k = 0; k < r.rows.n; k++) out[r.rows.process[k]]?.push(k);
  const rank = (k: number) => {
    const at = KIND_ORDER.indexOf(r.rows.kind[k]);
    return at < 0 ? KIND_ORDER.indexOf('line') : at;
  };
  const by: Record<RowOrder, (a: number, b: number) => number> = {
    // By number, not by place: tracks are added in the order in which their answers came.
    file: (a, b) => rank(a) - rank(b) || r.rows.row[a] - r.rows.row[b],
    busy: (a, b) => r.rows.busy_ps[b] - r.rows.busy_ps[a] || a - b,
    events: (a, b) => r.rows.events[b] - r.rows.events[a] || a - b,
    name: (a, b) => r.rows.caption[a].localeCompare(r.rows.caption[b], 'en', { numeric: true }) || a - b,
  };
  for (const rows of out) rows.sort(by[order]);
  return out;
}

/** The row that shows a folded process: what it ran, else its first. */
export function mainRow(r: TraceRows, rows: readonly number[]): number {
  for (const kind of ['xla_ops', 'xla_modules', 'stream', 'steps']) {
    const found = rows.filter((k) => r.rows.kind[k] === kind);
    if (found.length) return found.reduce((busiest, k) => (kind === 'stream' && r.rows.busy_ps[k] > r.rows.busy_ps[busiest] ? k : busiest));
  }
  return rows.find((k) => !r.rows.hidden[k]) ?? -1;
}

/** Lanes of a row, and depths that share a strip below them. `least`: so many are lanes in any case. */
function lanesOf(r: TraceRows, at: number, view: InView | undefined, size: number, least: number): [number, number] {
  const all = Math.max(1, r.rows.depths[at]);
  const inside = view ? Math.max(1, Math.min(all, view.depths)) : all;
  const lanes = size > NORMAL ? inside : Math.min(inside, Math.max(least, Math.min(LANES_MOST, Math.max(LANES_LEAST, view ? view.readable : all))));
  return [lanes, inside - lanes];
}

function heightOf(r: TraceRows, at: number, lanes: number, deeper: number, lane: number): number {
  return isCounter(r.rows.kind[at]) ? Math.round((COUNTER * lane) / LANE) : lanes * lane + PAD + (deeper > 0 ? STRIP : 0);
}

interface Choice {
  shown: number[];
  more: number[];
  idle: number[];
}

/** Threads with most events in view stand out; what has none in view is idle. Counters, and rows of devices, are all shown. */
function choose(rows: readonly number[], r: TraceRows, views: ReadonlyMap<number, InView>, threads: boolean, kept?: number): Choice {
  if (!threads) return { shown: [...rows], more: [], idle: [] };
  const events = (k: number) => views.get(r.rows.row[k])?.events ?? r.rows.events[k];
  const stays = (k: number) => isCounter(r.rows.kind[k]);
  const live = rows.filter((k) => !stays(k) && events(k) > 0);
  const idle = rows.filter((k) => !stays(k) && events(k) === 0);
  const own = live.filter((k) => r.rows.row[k] === kept);
  const busiest = new Set(
    live.length <= THREADS + 1
      ? live
      : [...live]
          .sort((a, b) => events(b) - events(a) || a - b)
          .slice(0, THREADS)
          .concat(own),
  );
  return { shown: rows.filter((k) => stays(k) || busiest.has(k)), more: live.filter((k) => !busiest.has(k)), idle };
}

function rowItem(r: TraceRows, s: Settings, views: ReadonlyMap<number, InView>, at: number, y: number): Item {
  const row = r.rows.row[at];
  const size = s.sizes?.get(row) ?? s.size ?? NORMAL;
  const [lanes, deeper] = lanesOf(r, at, views.get(row), size, row === s.kept ? (s.keptDepth ?? 0) + 1 : 1);
  const lane = LANE_SIZES[size];
  return { kind: 'row', process: r.rows.process[at], row, at, y, h: heightOf(r, at, lanes, deeper, lane), lanes, deeper, lane, open: true, more: 0, idle: 0 };
}

export function makeLayout(r: TraceRows, s: Settings, views: ReadonlyMap<number, InView>): Layout {
  const needle = s.filter.toLowerCase();
  const pinnedSet = new Set(s.pinned);
  const out: Layout = { pinned: [], pinnedHeight: 0, items: [], height: 0, shown: 0, filtered: 0 };
  const byNumber = new Map(r.rows.row.map((row, at) => [row, at]));
  for (const row of s.pinned) {
    const at = byNumber.get(row);
    if (at === undefined) continue;
    const item = rowItem(r, s, views, at, out.pinnedHeight);
    out.pinned.push(item);
    out.pinnedHeight += item.h;
    out.shown++;
  }
  let y = 0;
  const put = (item: Item) => {
    out.items.push(item);
    y += item.h;
  };
  const putRows = (list: readonly number[]) => {
    for (const at of list) put(rowItem(r, s, views, at, y));
    out.shown += list.length;
  };
  const several = severalHosts(r);
  let headed = -1;
  const byProcess = rowsByProcess(r, s.order);
  processOrder(r).forEach((process) => {
    const all = byProcess[process];
    const usable = all.filter((k) => isUsable(r, k, s.internal));
    if (!usable.length) return;
    const title = processName(r, process).toLowerCase();
    const passing = needle && !title.includes(needle) ? usable.filter((k) => r.rows.caption[k].toLowerCase().includes(needle)) : usable;
    out.filtered += usable.length - passing.length;
    if (!passing.length) return;
    const free = passing.filter((k) => !s.hidden.has(r.rows.row[k]) && !pinnedSet.has(r.rows.row[k]));
    const open = s.open.has(process) || needle !== '';
    const main = mainRow(r, usable);
    const host = r.processes.host[process];
    const folded = several && needle === '' && s.folded?.has(host) === true;
    if (several && host !== headed)
      put({ kind: 'host', process, row: -1, at: -1, y, h: HEAD, lanes: 0, deeper: 0, lane: LANE, open: !folded, more: 0, idle: 0 });
    headed = host;
    if (folded) return;
    put({ kind: 'process', process, row: main < 0 ? -1 : r.rows.row[main], at: main, y, h: HEAD, lanes: 1, deeper: 0, lane: LANE, open, more: 0, idle: 0 });
    if (!open) return;
    const threads = free.length > THREADS && all.every((k) => !OF_DEVICES.includes(r.rows.kind[k]));
    const { shown, more, idle } = needle ? { shown: free, more: [], idle: [] } : choose(free, r, views, threads, s.others.has(process) ? undefined : s.kept);
    putRows(shown);
    if (more.length + idle.length === 0) return;
    const othersOpen = s.others.has(process);
    put({ kind: 'others', process, row: -1, at: -1, y, h: HEAD - 2, lanes: 0, deeper: 0, lane: LANE, open: othersOpen, more: more.length, idle: idle.length });
    if (othersOpen) putRows(more);
  });
  out.height = y;
  return out;
}

/** Where a depth of a row stands whose top is at `y`: its lane, or the strip. */
export function depthAt(item: Item, depth: number, y: number): { y: number; h: number } {
  if (depth < item.lanes || item.deeper === 0) return { y: y + 2 + Math.min(depth, item.lanes - 1) * item.lane, h: item.lane - 1 };
  return { y: y + 2 + item.lanes * item.lane, h: STRIP - 2 };
}

/** Index of the first item that ends below `y`. */
export function firstBelow(items: readonly Item[], y: number): number {
  return firstThat(items.length, (i) => items[i].y + items[i].h > y);
}

export function itemAt(items: readonly Item[], y: number): Item | null {
  const item = items[firstBelow(items, y)];
  return item && item.y <= y ? item : null;
}

/** Head of the process whose rows fill the top of the view at `y`, when it has left it. */
export function stickyHead(items: readonly Item[], y: number): { item: Item; shift: number } | null {
  const at = firstBelow(items, y);
  const top = items[at];
  if (!top || ((top.kind === 'process' || top.kind === 'host') && top.y >= y)) return null;
  let k = at;
  const isHead = (item: Item) => item.kind === 'process' || item.kind === 'host';
  while (k >= 0 && !isHead(items[k])) k--;
  if (k < 0 || !items[k].open || items[k].kind === 'host') return null;
  let next = at;
  while (next < items.length && (next === k || !isHead(items[next]))) next++;
  const end = items[next]?.y ?? Number.POSITIVE_INFINITY;
  return { item: items[k], shift: Math.min(0, end - y - HEAD) };
}
