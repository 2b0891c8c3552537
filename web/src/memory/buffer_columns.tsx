/** Columns of the buffer table: what each shows, exact values in the tooltip. */
import type { Column } from '../table/virtual';
import { exactBytes, formatCount } from '../util/format';
import { cellText } from './bytes';
import { CLASS_WORDS, fillColour, GROUP_WORDS, variableOf } from '../charts/colours';
import { LifeBar } from './life';
import { baseName } from '../app/links';
import { shortShape } from './live_rows';
import { colourBy, summary } from './state';
import type { BufferRow } from './buffers_state';
import { chosenColumns, DEFAULT_COLUMNS, keepColumns } from './lower_state';

export function chooseColumn(id: string, on: boolean): void {
  const set = new Set(chosenColumns.value);
  if (on) set.add(id);
  else set.delete(id);
  keepColumns(COLUMNS.map((column) => column.id).filter((name) => set.has(name)));
}

export function resetColumns(): void {
  keepColumns(DEFAULT_COLUMNS);
}

/** Small parts take their own unit; the rest the page's, without repeating it. */
function size(bytes: number | null) {
  if (bytes === null) return <span class="faint">unknown</span>;
  if (bytes === 0) return <span class="faint">0</span>;
  return cellText(bytes);
}

function step(value: number | null) {
  return value === null ? <span class="faint">none</span> : formatCount(value);
}

export function rowColour(row: BufferRow): string {
  return fillColour(
    variableOf(colourBy.value === 'block' ? 'group' : colourBy.value, {
      group: row.group,
      class: row.class,
      scope: row.scope.split('/')[0] ?? '',
      dtype: row.dtype,
      sizeShare: row.size / Math.max(summary.value?.heap_bytes ?? 0, 1),
    }),
  );
}

function scopeText(row: BufferRow): string {
  // An argument is named by the user's expression; there is no path to cut.
  return row.scope || row.opName;
}

export const COLUMNS: Column<BufferRow>[] = [
  {
    id: 'shape',
    title: 'shape',
    width: 'minmax(110px, 1.5fr)',
    sort: 'shape',
    cell: (row) => <code class="cut soft">{shortShape(row.shape)}</code>,
    tip: (row) => row.shape,
  },
  {
    id: 'scope',
    title: 'scope',
    width: 'minmax(110px, 2fr)',
    sort: 'scope',
    hint: 'its place in the program, from the op name',
    cell: (row) => (scopeText(row) ? <span class="cut soft">{scopeText(row)}</span> : <span class="faint">no scope</span>),
    tip: (row) => row.opName || undefined,
  },
  { id: 'class', title: 'class', width: '84px', sort: 'class', cell: (row) => CLASS_WORDS[row.class] ?? row.class },
  { id: 'dtype', title: 'dtype', width: '64px', sort: 'dtype', cell: (row) => <code>{row.dtype}</code> },
  {
    id: 'opcode',
    title: 'opcode',
    width: 'minmax(80px, 1fr)',
    sort: 'opcode',
    cell: (row) => <span class="cut">{row.opcode || 'none'}</span>,
    tip: (row) => GROUP_WORDS[row.group],
  },
  {
    id: 'size',
    title: 'size',
    width: '90px',
    number: true,
    sort: 'size',
    cell: (row) => <span class="strong">{size(row.size)}</span>,
    tip: (row) => exactBytes(row.size),
  },
  {
    id: 'unpadded',
    title: 'without padding',
    width: '106px',
    number: true,
    cell: (row) => size(row.unpadded),
    tip: (row) => exactBytes(row.unpadded),
  },
  {
    id: 'padding',
    title: 'padding',
    width: '88px',
    number: true,
    sort: 'padding',
    cell: (row) => <span class={row.padding !== null && row.padding > row.size / 2 && row.padding >= 2 ** 20 ? 'bad' : ''}>{size(row.padding)}</span>,
    tip: (row) => exactBytes(row.padding),
  },
  {
    id: 'saving',
    title: 'saving at peak',
    width: '138px',
    number: true,
    sort: 'saving',
    hint: 'how far the peak falls without it; 0 if another step is as high',
    cell: (row) => size(row.saving),
    tip: (row) => exactBytes(row.saving),
  },
  {
    id: 'life',
    title: 'life',
    width: '112px',
    sort: 'life',
    hint: 'from the step that allocates it to the step that frees it; the tick is the peak',
    cell: (row) => <LifeBar start={row.start} end={row.end} colour={rowColour(row)} />,
    tip: (row) => (row.start === null ? 'live during the whole program' : `steps ${formatCount(row.start)} to ${formatCount(row.end)}`),
  },
  { id: 'start', title: 'from step', width: '76px', number: true, sort: 'start', cell: (row) => step(row.start) },
  { id: 'end', title: 'to step', width: '76px', number: true, sort: 'end', cell: (row) => step(row.end) },
  { id: 'first_use', title: 'first use', width: '76px', number: true, sort: 'first_use', cell: (row) => step(row.firstUse) },
  { id: 'last_use', title: 'last use', width: '76px', number: true, sort: 'last_use', cell: (row) => step(row.lastUse) },
  {
    id: 'offset',
    title: 'address',
    width: '96px',
    number: true,
    sort: 'offset',
    hint: 'offset in the heap',
    cell: (row) => (row.offset === null ? <span class="faint">none</span> : <code>0x{row.offset.toString(16)}</code>),
    tip: (row) => (row.offset === null ? undefined : exactBytes(row.offset)),
  },
  { id: 'id', title: 'id', width: '70px', number: true, sort: 'id', hint: 'logical buffer id from the compiler', cell: (row) => row.id || 'none' },
  {
    id: 'source',
    title: 'source',
    width: 'minmax(90px, 1fr)',
    sort: 'source',
    cell: (row) =>
      row.source ? (
        // Its end has the line, and tells files of one folder apart.
        <span class="cut cut-front soft">
          <bdi>{baseName(row.source)}</bdi>
        </span>
      ) : (
        <span class="faint">{row.class === 'parameter' ? 'argument' : 'none'}</span>
      ),
    tip: (row) => row.source || undefined,
  },
];
