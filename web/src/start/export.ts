import type { RunRow } from './rows';

/** The list as files: exact numbers, one row a run. */
const COLUMNS: [string, (row: RunRow) => string | number | null][] = [
  ['id', (row) => row.id],
  ['folder', (row) => row.folder],
  ['name', (row) => row.name],
  ['kind', (row) => row.kind],
  ['modified', (row) => new Date(row.time).toISOString()],
  ['size_bytes', (row) => row.size],
  ['hosts', (row) => row.hosts.join(' ')],
  ['module', (row) => row.card?.module ?? null],
  ['other_modules', (row) => row.card?.other_modules ?? null],
  ['device', (row) => row.card?.device_type ?? null],
  ['devices', (row) => row.card?.device_count ?? null],
  ['peak_bytes', (row) => row.card?.peak_bytes ?? null],
  ['capacity_bytes', (row) => row.card?.capacity_bytes ?? null],
  ['change_bytes', (row) => (row.change.kind === 'delta' ? row.change.bytes : null)],
  ['change_against', (row) => ('before' in row.change ? row.change.before.id : null)],
  ['problem', (row) => row.problem?.text ?? null],
];

function csvField(value: string | number | null): string {
  const text = value === null ? '' : String(value);
  // A leading sign would be a formula for a spreadsheet; names of runs come from disk.
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
}

export function rowsToCsv(rows: RunRow[]): string {
  const lines = [COLUMNS.map(([name]) => name).join(',')];
  for (const row of rows) lines.push(COLUMNS.map(([, read]) => csvField(read(row))).join(','));
  return `${lines.join('\r\n')}\r\n`;
}

export function rowsToJson(rows: RunRow[]): string {
  return JSON.stringify(
    rows.map((row) => Object.fromEntries(COLUMNS.map(([name, read]) => [name, read(row)]))),
    null,
    1,
  );
}

/** Hands a text to the browser as a file. */
export function saveText(text: string, name: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
