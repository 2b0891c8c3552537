import type { Card, RunKind, Runs } from '../api/types';

/** A run of the list with what is known of it; `card` is undefined until it has been read. */
export interface RunRow {
  id: string;
  name: string;
  folder: string;
  /** What it is called beside the others (app/state: labelOf). */
  label: string;
  /** Of a dump: id of the run of the same experiment. */
  lead: string | null;
  /** Stands below its lead, whose line tells the verdict of both. */
  under: boolean;
  kind: RunKind;
  time: number;
  size: number;
  hosts: string[];
  card: Card | undefined;
  /** Why the card could not be read. */
  cardError: string | undefined;
  problem: Problem | null;
  /** Peak minus that of the run before; filled in by changesOf. */
  change: Change;
  gone: boolean;
}

interface Problem {
  severity: string;
  text: string;
  more: number;
  detail?: string | null;
  /** The entry of the experiment that has it, where that is not the row itself. */
  of?: string;
}

/** What stands in the column "change". */
export type Change =
  | { kind: 'first' | 'unknown' }
  /** `waits`: the run whose card decides; absent: this run's own. */
  | { kind: 'reading'; waits?: string }
  | { kind: 'other'; before: RunRow; reason: string }
  | { kind: 'delta'; before: RunRow; bytes: number };

export function rowsOf(list: Runs, cards: ReadonlyMap<string, Card>, errors: ReadonlyMap<string, string>, alive: ReadonlySet<string> | null): RunRow[] {
  return list.id.map((id, i) => ({
    id,
    name: list.name[i],
    folder: list.folder[i],
    label: list.label[i],
    lead: list.lead[i],
    under: false,
    kind: list.kind[i],
    time: list.mtime_ms[i],
    size: list.size_bytes[i],
    hosts: list.hosts[i],
    card: cards.get(id),
    cardError: errors.get(id),
    problem: problemOf(list.problem[i], cards.get(id), errors.get(id)),
    change: { kind: 'reading' },
    gone: alive !== null && !alive.has(id),
  }));
}

/** The worst problem, and how many more there are. */
function problemOf(found: string | null, card: Card | undefined, error: string | undefined): RunRow['problem'] {
  if (card?.problem) return { ...card.problem, more: Math.max(0, card.problems - 1) };
  if (error) return { severity: 'error', text: error, more: 0 };
  return found ? { severity: 'error', text: found, more: 0 } : null;
}

/** A part of a path that only says when or from which commit: a time stamp, a date, a hash. */
export function namesMoment(part: string): boolean {
  if (/^\d{4}[-_]?\d{2}[-_]?\d{2}([-_T ]?\d{2}([-_:]?\d{2}){0,2}.*)?$/.test(part)) return true;
  if (/^\d{6,}$/.test(part)) return true;
  return /^[0-9a-f]{7,40}$/.test(part) && /\d/.test(part);
}

/** The path without the parts that name a moment: runs with the same one follow each other. */
export function pathKey(folder: string): string {
  return folder
    .split('/')
    .filter((part) => part && !namesMoment(part))
    .join('/');
}

/** Runs of one path key, oldest first, as far as they have been gone through. */
interface Path {
  rows: RunRow[];
  names: Map<string, { moment: boolean; count: number }>;
}

/** Whether a run of the same path key is "the run before": its name counts only where it is not a moment itself. */
function follows(row: RunRow, older: RunRow, names: Path['names']): boolean {
  if (row.name === older.name) return true;
  if (names.get(row.name)?.moment && names.get(older.name)?.moment) return true;
  // Two programs in one folder are not before and after; in folders of two commits they are.
  return row.folder !== older.folder;
}

/** What stands in the column, or the run to compare with. */
type Before = { run: RunRow } | Change;

/**
 * The newest older run of the same name and module; without one, the newest of the same module. Goes back no further than
 * that needs: runs that are not read yet matter only where they could be the one.
 */
function runBefore(row: RunRow, module: string | null, { rows, names }: Path): Before {
  const sameName = (names.get(row.name)?.count ?? 0) > 0;
  let newest: RunRow | undefined;
  let other: RunRow | undefined;
  for (let i = rows.length - 1; i >= 0; i--) {
    const older = rows[i];
    if (!follows(row, older, names)) continue;
    newest ??= older;
    const named = older.name === row.name;
    if (other && !named) continue;
    if (!older.card && !older.cardError) return { kind: 'reading', waits: older.id };
    if (older.card?.module_name !== module) continue;
    if (named || !sameName) return { run: older };
    other = older;
  }
  return other ? { run: other } : { kind: newest?.cardError ? 'unknown' : 'first' };
}

function changeOf(row: RunRow, path: Path): Change {
  if (row.cardError) return { kind: 'unknown' };
  if (!row.card) return { kind: 'reading' };
  const card = row.card;
  if (card.peak_bytes === null) return { kind: 'unknown' };
  const found = runBefore(row, card.module_name, path);
  if (!('run' in found)) return found;
  const before = found.run;
  if (!before.card || before.card.peak_bytes === null) return { kind: 'unknown' };
  const reason = notComparable(card, before.card);
  if (reason) return { kind: 'other', before, reason };
  return { kind: 'delta', before, bytes: card.peak_bytes - before.card.peak_bytes };
}

function notComparable(card: Card, before: Card): string | null {
  if (card.device_type !== before.device_type && card.device_type && before.device_type) {
    return `different device: ${before.device_type} before, ${card.device_type} now`;
  }
  if (card.peak_space !== before.peak_space) return 'the peak is in a different memory space';
  return null;
}

function pathOf(byPath: Map<string, Path>, key: string): Path {
  const path = byPath.get(key) ?? { rows: [], names: new Map() };
  byPath.set(key, path);
  return path;
}

/** Fills in `change` of every row. */
export function changesOf(rows: RunRow[]): void {
  const byPath = new Map<string, Path>();
  for (const row of [...rows].sort((a, b) => a.time - b.time)) {
    const path = pathOf(byPath, pathKey(row.folder));
    const name = path.names.get(row.name) ?? { moment: namesMoment(row.name), count: 0 };
    path.names.set(row.name, name);
    row.change = changeOf(row, path);
    path.rows.push(row);
    name.count++;
  }
}

export type Order = 'when' | 'name' | 'hosts' | 'size' | 'module' | 'device' | 'peak' | 'change' | 'path';

const VALUE: Record<Order, (row: RunRow) => string | number> = {
  when: (row) => row.time,
  name: (row) => row.name,
  hosts: (row) => (row.kind === 'dump' ? 0 : row.hosts.length),
  size: (row) => row.size,
  module: (row) => row.card?.module_name ?? '',
  device: (row) => row.card?.device_type ?? '',
  peak: (row) => row.card?.peak_bytes ?? -1,
  change: (row) => (row.change.kind === 'delta' ? row.change.bytes : Number.NEGATIVE_INFINITY),
  path: (row) => `${row.folder}/${row.name}`,
};

/** The order of the URL: "peak" downwards, "-peak" upwards; texts start upwards. */
export function parseOrder(text: string | undefined): { by: Order; down: boolean } {
  const name = (text ?? '').replace(/^-/, '');
  const by = (Object.hasOwn(VALUE, name) ? name : 'when') as Order;
  const texts = ['name', 'module', 'device', 'path'].includes(by);
  return { by, down: text?.startsWith('-') ? texts : !texts };
}

export function sortRows(rows: RunRow[], order: string | undefined): RunRow[] {
  const { by, down } = parseOrder(order);
  const value = VALUE[by];
  const sign = down ? -1 : 1;
  return [...rows].sort((a, b) => {
    const x = value(a);
    const y = value(b);
    return x < y ? -sign : x > y ? sign : b.time - a.time || (a.id < b.id ? -1 : 1);
  });
}

/** A dump stands below the run that lies beside it until it is read; then only if both hold the same program. */
const isOfLead = (dump: RunRow): boolean => (dump.card ? dump.card.same_program === true : !dump.cardError);

const worse = (a: Problem | null, b: Problem): boolean => !a || (a.severity !== 'error' && b.severity === 'error');

/** One line for all entries of an experiment: the worst problem, and how many more there are. */
function verdictOf(rows: readonly RunRow[]): Problem | null {
  let worst: Problem | null = null;
  const texts = new Set<string>();
  let more = 0;
  for (const { problem, label } of rows) {
    if (!problem) continue;
    more += problem.more;
    if (texts.has(problem.text)) continue;
    texts.add(problem.text);
    if (worse(worst, problem)) worst = { ...problem, of: label };
  }
  if (!worst) return null;
  const of = worst.of === rows[0].label ? undefined : worst.of;
  return { ...worst, of, more: more + texts.size - 1 };
}

/** The rows in their order, the dumps of an experiment below its run, where that is among them; the run's line tells what is wrong with any. */
export function together(rows: readonly RunRow[]): RunRow[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const below = new Map<RunRow, RunRow[]>();
  const headOf = (row: RunRow): RunRow => {
    const lead = row.lead ? byId.get(row.lead) : undefined;
    return lead && isOfLead(row) ? lead : row;
  };
  for (const row of rows) {
    const head = headOf(row);
    if (head !== row) below.set(head, [...(below.get(head) ?? []), row]);
  }
  const out: RunRow[] = [];
  const done = new Set<RunRow>();
  for (const row of rows) {
    const head = headOf(row);
    if (done.has(head)) continue;
    done.add(head);
    const group = [head, ...(below.get(head) ?? [])];
    if (group.length === 1) out.push(head);
    else out.push(...group.map((entry) => ({ ...entry, under: entry !== head, problem: entry === head ? verdictOf(group) : null })));
  }
  return out;
}
