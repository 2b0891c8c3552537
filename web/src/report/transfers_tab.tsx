/** Transfers: collectives, copies between memory spaces, host: how often, how much, what they hold at the steps. */
import { signal } from '@preact/signals';
import { transport } from '../api/client';
import { cellText } from '../memory/bytes';
import { OpName } from '../app/links';
import { formatCount, plural } from '../util/format';
import { basePlace, baseTransfers } from './base_state';
import { baseOf, differs, type Joined, joinTransfers, restOf, sideWords, transferKey } from './base_join';
import { countCell, Lines, type Line } from './lines';
import { failed, onlyDifferences, transfers, transfersLimit } from './state';
import type { TransferRow, Transfers } from './types';
import { baseTransferTimes, sumCells, timeCells, timeColumns, transferTimes } from './times_state';
import { toggled } from '../util/toggled';

const opened = signal<ReadonlySet<string>>(new Set());

const MORE = [
  { title: 'count', hint: 'transfers of the program; an asynchronous transfer counts once', width: 60 },
  { title: 'moved', hint: 'bytes received: the results of all transfers, each counted once however often it runs', width: 86 },
];

type Shown = Pick<Joined<TransferRow>, 'row' | 'before'> & { base: Joined<TransferRow>['base'] | undefined };

/** Who asked for the transfers of a group. */
function originOf({ count, of_program }: TransferRow): string {
  if (of_program === count) return 'from program';
  return of_program === 0 ? 'added by compiler' : `${of_program} from program, ${count - of_program} added by compiler`;
}

function toggle(id: string): void {
  opened.value = toggled(opened.peek(), id);
}

function groupLine({ row, base, before }: Shown, id: string): Line {
  const was = (value: (row: TransferRow) => number) => (base ? (before ? value(before) : base.side ? 0 : undefined) : undefined);
  return {
    ...row,
    base,
    id,
    depth: 0,
    label: (
      <>
        {row.name} <span class="soft">{row.name === row.kind ? '' : row.kind}</span>
      </>
    ),
    text: row.name,
    variable: row.kind.startsWith('copy') || row.kind.startsWith('async') ? '--o-move' : '--o-coll',
    what: `${base?.side ? `${sideWords(base)}, ` : ''}${row.from === row.to ? `in ${row.from}` : `${row.from} to ${row.to}`}, ${originOf(row)}`,
    open: opened.value.has(id),
    more: [
      countCell(
        row.count,
        was((one) => one.count),
      ),
      countCell(
        row.result_bytes,
        was((one) => one.result_bytes),
        cellText,
      ),
      ...timeCells(transferTimes.value, baseTransferTimes.value, transferKey(row)),
    ],
    onToggle: () => toggle(id),
  };
}

/** Each transfer of an opened group. */
function transferLines(row: TransferRow, id: string, columns: number): Line[] {
  return row.each.map((one) => ({
    at_bytes: row.at_bytes.map(() => 0),
    peak_bytes: 0,
    curve_bytes: [],
    blank: true,
    id: `${id}/${one.name}`,
    depth: 1,
    label: <OpName name={one.name} />,
    text: one.name,
    variable: '',
    what: (
      <>
        {one.operand ? (
          <>
            from <code>%{one.operand}</code> ({row.from}) to {row.to},{' '}
          </>
        ) : null}
        {one.groups ? <span title={one.groups_words ?? 'from a device to a device'}>{one.groups}, </span> : null}
        <code>{one.shape}</code>, {one.of_program ? 'from program' : 'added by compiler'}
      </>
    ),
    open: null,
    more: Array.from({ length: columns }, () => ''),
  }));
}

function sumLine(t: Transfers, b: Transfers | null): Line {
  const times = transferTimes.value;
  return {
    ...t.total,
    base: b && basePlace.value ? baseOf(b.total, basePlace.value) : undefined,
    id: '(sum)',
    depth: 0,
    label: 'sum',
    text: 'sum',
    variable: '',
    strong: true,
    root: true,
    open: null,
    what: 'held by all transfers',
    more: [
      countCell(t.total.count, b?.total.count),
      countCell(t.total.result_bytes, b?.total.result_bytes, cellText),
      ...sumCells(times, times?.total_ps ?? 0, baseTransferTimes.value?.total_ps),
    ],
  };
}

export function TransfersTab() {
  const t = transfers.value;
  if (!t)
    return (
      <p class="m-note" aria-busy={failed.value === ''}>
        {failed.value || '…'}
      </p>
    );
  const joined = withBase(t);
  const counts = joined ? MORE.map((one) => ({ ...one, width: one.width + 50 })) : MORE;
  const columns = [...counts, ...timeColumns(transferTimes.value)];
  const shown: Shown[] = (joined ?? t.rows.map((row) => ({ row, base: undefined, before: null }))).filter(
    ({ row, base }) => !(onlyDifferences.value && row.at_bytes.every((value) => value === row.at_bytes[0]) && !differs(row, base)),
  );
  const lines = shown.flatMap((one, k) => {
    const { row } = one;
    const id = `${row.kind} ${row.name} ${row.from} ${row.to} ${k}`;
    return [groupLine(one, id), ...(opened.value.has(id) ? transferLines(row, id, columns.length) : [])];
  });
  const b = joined ? baseTransfers.value : null;
  if (t.left_out > 0 || (b && b.left_out > 0)) lines.push(restOfAll(t, b, columns.length));
  if (lines.length > 0) lines.push(sumLine(t, b));
  return (
    <Lines
      label="transfers"
      first="transfer"
      lines={lines}
      columns={t.columns}
      peakStep={t.peak_step}
      more={columns}
      last="from and to"
      empty="none: one device, no infeed, no callback, and no copies between memory spaces"
      baseline={joined !== null}
    />
  );
}

/** How many more a click lists. */
const STEP = 1000;
const sumOfRows = (t: Transfers, value: (row: TransferRow) => number) => t.rows.reduce((sum, row) => sum + value(row), 0);

/** The groups that are not listed, in one line, and the way to them. */
function restOfAll(t: Transfers, b: Transfers | null, columns: number): Line {
  const place = basePlace.value;
  const left = (of: Transfers, value: (row: TransferRow | Transfers['total']) => number) => value(of.total) - sumOfRows(of, value);
  const text = t.left_out > 0 ? plural(t.left_out, 'other group') : 'other groups before';
  const most = Math.max(t.n, b?.n ?? 0);
  const next = Math.min(most, (transfersLimit.value ?? t.rows.length) + STEP);
  return {
    at_bytes: t.total.at_bytes.map((value, s) => value - sumOfRows(t, (row) => row.at_bytes[s])),
    peak_bytes: left(t, ({ peak_bytes: peak }) => peak),
    curve_bytes: t.total.curve_bytes.map((value, c) => value - sumOfRows(t, (row) => row.curve_bytes[c])),
    base:
      b && place
        ? restOf(
            baseOf(b.total, place),
            b.rows.map((row) => baseOf(row, place)),
          )
        : undefined,
    id: '(rest)',
    depth: 0,
    label: <span class="soft">{text}</span>,
    text,
    variable: '',
    what: (
      <>
        {formatCount(t.rows.length)} of {formatCount(t.n)} are listed, those that move the most bytes;{' '}
        {transport.inFile ? null : (
          <button
            type="button"
            class="link"
            onClick={() => {
              transfersLimit.value = next;
            }}
          >
            {next === most ? 'list all' : `list ${formatCount(next - t.rows.length)} more`}
          </button>
        )}
        {transport.inFile ? 'the rest is in the profile' : ', CSV and JSON have all'}
      </>
    ),
    open: null,
    more: [
      countCell(
        left(t, ({ count }) => count),
        b ? left(b, ({ count }) => count) : undefined,
      ),
      countCell(
        left(t, (row) => row.result_bytes),
        b ? left(b, (row) => row.result_bytes) : undefined,
        cellText,
      ),
      ...Array.from({ length: columns - 2 }, () => ''),
    ],
  };
}

/** The transfers beside those of the baseline; null without one. */
function withBase(t: Transfers): Joined<TransferRow>[] | null {
  const b = baseTransfers.value;
  const place = basePlace.value;
  return b && place && place.length === t.steps.length ? joinTransfers(t, b, place) : null;
}
