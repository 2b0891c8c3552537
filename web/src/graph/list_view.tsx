/** A computation of any size in program order, with lanes for the ways between near rows: what shows when nothing is drawn. */
import { signal, untracked } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { isAborted } from '../api/client';
import { type Column, VirtualTable } from '../table/virtual';
import { pagesFor } from '../table/window';
import { NameCut } from '../ui/name_cut';
import { formatCount } from '../util/format';
import { graphApi, type ListRows } from './api';
import { around } from './graph_state';
import { Swatch } from './left';
import { centreOn, pick, picked, wholeComputation } from './settings';
import { effectHere, subject } from './state';
import { ListReason } from './states';
import { bytesText, bytesTip, opTail, shapeText } from './words';
import { saidOf } from './times_state';

const PAGE = 200;
/** Rows over which a lane is drawn; further ends are numbers. */
const NEAR = 40;
const LANES = 8;

interface Row {
  row: number;
  ix: number;
  name: string;
  opcode: string;
  opName: string;
  shape: string;
  bytes: number | null;
  group: string;
  cycles: number | null;
  line: number | null;
  operands: number[];
  users: number[];
}

const pages = signal<ReadonlyMap<number, ListRows>>(new Map());
/** Null: not answered yet. */
const total = signal<number | null>(null);
const at = signal(-1);
let of = '';
const asked = new Map<number, Promise<void>>();

function load(page: number): Promise<void> {
  const before = asked.get(page);
  if (before) return before;
  const now = read(page);
  asked.set(page, now);
  return now;
}

async function read(page: number): Promise<void> {
  const key = of;
  try {
    const rows = await graphApi.list({ ...JSON.parse(key), from: page * PAGE, count: PAGE }, { key: `graph/list/${page}`, quiet: true });
    if (key !== of) return;
    total.value = rows.total;
    pages.value = new Map(pages.peek()).set(page, rows);
  } catch (error) {
    asked.delete(page);
    if (!isAborted(error) && key === of) total.value = 0;
  }
}

/** Position of the selected instruction; the server finds it in the order of the computation. */
async function place(name: string): Promise<void> {
  if (!name) return;
  try {
    const found = await graphApi.list({ ...subject(), node: name, count: 3 }, { key: 'graph/list/at', quiet: true });
    await load(0);
    const k = found.name.indexOf(name);
    if (k >= 0 && found.computation === JSON.parse(of).computation) at.value = found.from + k;
  } catch {
    // Not in this computation: the list stays where it is.
  }
}

function start(): () => void {
  return effectHere(() => {
    const computation = wholeComputation.value || around.value?.computation;
    if (!computation) return;
    const key = JSON.stringify({ ...subject(), computation });
    const name = picked.value;
    untracked(() => {
      if (key !== of) {
        of = key;
        asked.clear();
        pages.value = new Map();
        total.value = null;
        at.value = -1;
        void load(0);
      }
      void place(name);
    });
  });
}

function rowAt(index: number): Row | null {
  const rows = pages.value.get(Math.floor(index / PAGE));
  const k = index % PAGE;
  if (!rows || rows.ix[k] === undefined) return null;
  return {
    row: index,
    ix: rows.ix[k],
    name: rows.name[k],
    opcode: rows.opcode[k],
    opName: rows.op_name[k],
    shape: rows.shape[k],
    bytes: rows.size_bytes[k],
    group: rows.group[k],
    cycles: rows.cycles[k],
    line: rows.line[k],
    operands: rows.operand_rows[k] ?? [],
    users: rows.user_rows[k] ?? [],
  };
}

/** Lanes that pass, begin or end at a row: each producer takes the lane of its number among LANES. */
function Lanes({ row }: { row: Row }) {
  const marks: preact.JSX.Element[] = [];
  const x = (producer: number) => 5 + (producer % LANES) * 8;
  for (let producer = Math.max(0, row.row - NEAR); producer <= row.row; producer++) {
    const from = rowAt(producer);
    if (!from) continue;
    const near = from.users.filter((user) => user > producer && user - producer <= NEAR);
    const last = Math.max(-1, ...near);
    if (last < row.row) continue;
    const on = from.name === picked.value || (row.name === picked.value && near.includes(row.row));
    const css = on ? 'on' : '';
    if (producer === row.row)
      marks.push(
        <path key={`s${producer}`} class={css} d={`M${x(producer)} 11V22`} />,
        <circle key={`c${producer}`} class={css} cx={x(producer)} cy={11} r={2.2} />,
      );
    else {
      marks.push(<path key={producer} class={css} d={`M${x(producer)} 0V${last === row.row ? 11 : 22}`} />);
      if (near.includes(row.row)) marks.push(<path key={`h${producer}`} class={css} d={`M${x(producer)} 11H72`} />);
    }
  }
  return (
    <svg class="g-lanes" width={72} height={22} aria-hidden="true">
      {marks}
    </svg>
  );
}

function far(row: Row): string {
  const before = row.operands.filter((other) => row.row - other > NEAR).length;
  const after = row.users.filter((other) => other - row.row > NEAR).length;
  return [before ? `${before} from far away` : '', after ? `${after} far ${after === 1 ? 'user' : 'users'}` : ''].filter(Boolean).join(', ');
}

const COLUMNS: Column<Row>[] = [
  { id: 'lanes', title: '', width: '76px', cell: (row) => <Lanes row={row} /> },
  {
    id: 'name',
    title: 'op',
    width: 'minmax(120px, 1.3fr)',
    cell: (row) => (
      <span class="g-list-name">
        <Swatch group={row.group} />
        <b class="cut">
          <NameCut name={row.name} />
        </b>
      </span>
    ),
    tip: (row) => row.opName,
  },
  {
    id: 'what',
    title: 'what',
    width: 'minmax(84px, 1fr)',
    cell: (row) => (
      <span class="cut soft">
        <NameCut name={opTail(row.opName) || row.opcode} css="" />
      </span>
    ),
    tip: (row) => `${row.opcode} ${row.opName}`,
  },
  {
    id: 'shape',
    title: 'shape',
    width: 'minmax(84px, 1fr)',
    cell: (row) => <span class="mono cut">{shapeText(row.shape)}</span>,
    tip: (row) => row.shape,
  },
  { id: 'bytes', title: 'bytes', width: '72px', number: true, cell: (row) => bytesText(row.bytes), tip: (row) => bytesTip(row.bytes) },
  { id: 'time', title: 'time', width: '84px', number: true, cell: (row) => saidOf(row.ix, row.cycles).text },
  {
    id: 'far',
    title: 'far edges',
    width: '104px',
    cell: (row) => <span class="faint cut">{far(row)}</span>,
    tip: () => `operands and users more than ${NEAR} rows away`,
  },
  { id: 'line', title: 'line', width: '54px', number: true, cell: (row) => row.line },
  {
    id: 'draw',
    title: '',
    width: '50px',
    cell: (row) => (
      <button
        type="button"
        class="link small"
        onClick={(event) => {
          event.stopPropagation();
          centreOn(row.name);
        }}
      >
        draw
      </button>
    ),
  },
];

export function ProgramList() {
  useEffect(start, []);
  const neighbours = around.value;
  const shown = useMemo(() => new Set(neighbours?.nodes.ix ?? []), [neighbours]);
  return (
    <div class="g-list">
      <ListReason />
      <VirtualTable<Row>
        label="program order"
        count={total.value ?? 0}
        rowAt={rowAt}
        reveal={at.value}
        onWindow={(first, last) => {
          for (const page of pagesFor(Math.max(0, first - NEAR), last, PAGE)) void load(page);
        }}
        onOpen={(row) => pick(row.name)}
        onCursor={(row) => row && pick(row.name)}
        rowClass={(row) => `${row.name === picked.value ? 'on' : ''}${shown.has(row.ix) ? ' near' : ''}`}
        empty={total.value === null ? 'Reading …' : 'this computation has no instructions'}
        columns={COLUMNS}
      />
      <div class="g-list-foot soft small">
        {total.value === null ? '' : formatCount(total.value)} ops in program order; lanes join rows up to {NEAR} apart
      </div>
    </div>
  );
}
