import { csvText } from '../app/exports';
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
  ['label', (row) => row.label],
  ['lead', (row) => row.lead],
];

export const rowsToCsv = (rows: RunRow[]): string =>
  csvText(
    COLUMNS.map(([name]) => name),
    rows.map((row) => COLUMNS.map(([, read]) => read(row))),
  );

export function rowsToJson(rows: RunRow[]): string {
  return JSON.stringify(
    rows.map((row) => Object.fromEntries(COLUMNS.map(([name, read]) => [name, read(row)]))),
    null,
    1,
  );
}
