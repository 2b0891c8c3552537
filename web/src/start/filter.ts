import type { RunRow } from './rows';

/** The text filter of the list: words that must all hold, such as `noremat peak>10GiB warn host:worker-0`. */
type Test = (row: RunRow) => boolean;

const UNITS: Record<string, number> = {
  '': 1,
  b: 1,
  k: 2 ** 10,
  kib: 2 ** 10,
  kb: 1e3,
  m: 2 ** 20,
  mib: 2 ** 20,
  mb: 1e6,
  g: 2 ** 30,
  gib: 2 ** 30,
  gb: 1e9,
  t: 2 ** 40,
  tib: 2 ** 40,
  tb: 1e12,
};

/** "10GiB", "1.5 mib", "100": bytes, or null. */
export function parseSize(text: string): number | null {
  const match = /^(\d+(?:\.\d+)?|\.\d+)\s*([a-z]*)$/i.exec(text.trim());
  if (!match) return null;
  const factor = UNITS[match[2].toLowerCase()];
  return factor === undefined ? null : Number(match[1]) * factor;
}

const NUMBERS: Record<string, (row: RunRow) => number | null> = {
  peak: (row) => row.card?.peak_bytes ?? null,
  size: (row) => row.size,
  hosts: (row) => row.hosts.length,
  change: (row) => (row.change.kind === 'delta' ? row.change.bytes : null),
};

const TEXTS: Record<string, (row: RunRow) => string> = {
  host: (row) => row.hosts.join(' '),
  name: (row) => row.name,
  path: (row) => `${row.folder}/${row.name}`,
  module: (row) => row.card?.module_name ?? '',
  device: (row) => deviceText(row),
  kind: (row) => row.kind,
};

function deviceText(row: RunRow): string {
  return `${row.card?.device_type ?? ''} ${row.card?.platform ?? ''}`;
}

function compare(value: number, sign: string, than: number): boolean {
  if (sign === '>') return value > than;
  if (sign === '<') return value < than;
  if (sign === '>=') return value >= than;
  if (sign === '<=') return value <= than;
  return value === than;
}

function testOf(word: string): Test {
  const number = /^(peak|size|hosts|change)(>=|<=|>|<|=)(-?)(.+)$/i.exec(word);
  if (number) {
    const size = parseSize(number[4]);
    const value = NUMBERS[number[1].toLowerCase()];
    if (size !== null) {
      const than = number[3] ? -size : size;
      return (row) => {
        const have = value(row);
        return have !== null && compare(have, number[2], than);
      };
    }
  }
  const field = /^([a-z]+):(.*)$/i.exec(word);
  const read = field && Object.hasOwn(TEXTS, field[1].toLowerCase()) ? TEXTS[field[1].toLowerCase()] : null;
  if (field && read) {
    const part = field[2].toLowerCase();
    return (row) => read(row).toLowerCase().includes(part);
  }
  const lower = word.toLowerCase();
  if (lower === 'warn' || lower === 'problem') return (row) => row.problem !== null;
  if (lower === 'error') return (row) => row.problem?.severity === 'error';
  return (row) => haystack(row).includes(lower);
}

function haystack(row: RunRow): string {
  return `${row.name} ${row.folder} ${row.card?.module_name ?? ''} ${deviceText(row)}`.toLowerCase();
}

export function parseFilter(text: string | undefined): Test {
  // "peak > 10 GiB" is one word.
  const joined = (text ?? '').replace(/\s*(>=|<=|>|<)\s*/g, '$1').replace(/([><=]-?[\d.]+)\s+([kmgt]i?b)\b/gi, '$1$2');
  const tests = joined.split(/\s+/).filter(Boolean).map(testOf);
  return (row) => tests.every((test) => test(row));
}

/** One of the chips, by the name that stands in the URL. */
export interface Chip {
  id: string;
  title: string;
  test: Test;
}

const device = (name: string): Test => {
  const wanted = name.toLowerCase();
  return (row) => deviceText(row).toLowerCase().includes(wanted);
};

export const CHIPS: Chip[] = [
  { id: '', title: 'All', test: () => true },
  { id: 'trace', title: 'Trace', test: (row) => row.card?.holds.trace === null },
  { id: 'memory', title: 'Memory', test: (row) => row.card?.holds.memory === null },
  { id: 'tpu', title: 'TPU', test: device('tpu') },
  { id: 'gpu', title: 'GPU', test: (row) => device('gpu')(row) || device('cuda')(row) },
  { id: 'cpu', title: 'CPU', test: (row) => device('cpu')(row) || device('host')(row) },
  { id: 'problem', title: 'Problem', test: (row) => row.problem !== null },
  { id: 'changed', title: 'Peak changed', test: (row) => row.change.kind === 'delta' && row.change.bytes !== 0 },
];

export function inFolder(row: RunRow, folder: string | undefined): boolean {
  return !folder || row.folder === folder || row.folder.startsWith(`${folder}/`);
}
