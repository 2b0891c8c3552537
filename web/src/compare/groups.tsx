/** The groups that make the difference: state, shape, operation and scope, bytes before and after, in a table whose first row is
 *  their sum. Or the same by scope. */
import { useState } from 'preact/hooks';
import { broad } from '../app/media';
import { setView, view } from '../app/router';
import { VirtualTable, type Column } from '../table/virtual';
import { exactBytes, formatCount, plural } from '../util/format';
import { cellText } from '../memory/bytes';
import { csvText, fileName, saveText } from '../app/exports';
import { groupColour } from '../memory/group_colour';
import { baseName } from '../app/links';
import { signed } from './head';
import { bufferHref } from './link';
import type { Comparison, GroupState } from '../memory/compare_types';
import { groupPlace, signOf, STATE_TIPS, STATE_WORDS } from './words';

interface Row {
  kind: 'sum' | 'group' | 'same' | 'rest';
  /** Of the group. */
  at: number;
  title: string;
  beforeCount: number;
  afterCount: number;
  before: number;
  after: number;
}

function groupRow(a: Comparison, at: number): Row {
  const g = a.groups;
  return { kind: 'group', at, title: '', beforeCount: g.before_count[at], afterCount: g.after_count[at], before: g.before_bytes[at], after: g.after_bytes[at] };
}

function added(kind: Row['kind'], title: string, rows: Row[]): Row {
  const sum = { kind, title, at: -1, beforeCount: 0, afterCount: 0, before: 0, after: 0 };
  for (const row of rows) {
    sum.beforeCount += row.beforeCount;
    sum.afterCount += row.afterCount;
    sum.before += row.before;
    sum.after += row.after;
  }
  return sum;
}

const KEYS: Record<string, (row: Row) => number> = {
  difference: (row) => Math.abs(row.after - row.before),
  before: (row) => row.before,
  after: (row) => row.after,
};

/** Sum, what differs, what is the same as one row or as all its rows, what the answer left out. */
function rowsOf(a: Comparison, sort: string, all: boolean): Row[] {
  const groups = Array.from({ length: a.groups.n }, (_, at) => groupRow(a, at));
  const differ = groups.filter((row) => a.groups.state[row.at] !== 'same');
  const same = groups.filter((row) => a.groups.state[row.at] === 'same');
  const key = KEYS[sort] ?? KEYS.difference;
  const order = (x: Row, y: Row) => key(y) - key(x);
  const rows: Row[] = [{ ...added('sum', '', []), before: a.before.sum_bytes, after: a.after.sum_bytes }, ...differ.sort(order)];
  if (same.length > 0)
    rows.push(
      added(
        'same',
        `${plural(same.length, 'group')}, ${plural(
          same.reduce((n, row) => n + row.afterCount, 0),
          'buffer',
        )}`,
        same,
      ),
    );
  if (all) rows.push(...same.sort((x, y) => y.after - x.after));
  if (a.rest.count > 0)
    rows.push({ ...added('rest', `${plural(a.rest.count, 'smaller group')}, not listed`, []), before: a.rest.before_bytes, after: a.rest.after_bytes });
  return rows;
}

export const bytesCell = (bytes: number) => (bytes === 0 ? <span class="faint">none</span> : cellText(bytes));
const countCell = (row: Row, count: number) => (row.kind === 'group' && count > 0 ? <span class="faint">×{formatCount(count)}</span> : null);

export function Bar({ by, most }: { by: number; most: number }) {
  const share = most > 0 ? Math.min(1, Math.abs(by) / most) : 0;
  return <i class="cp-bar">{by === 0 ? null : <i class={by > 0 ? 'grow' : 'shrink'} style={{ width: `${Math.max(1.5, share * 46)}%` }} />}</i>;
}

/** Opens the buffer of a group in the Viewer: in the program after, else in the baseline. */
function bufferLink(a: Comparison, at: number): string {
  return bufferHref(a, a.groups.before_buffer[at], a.groups.after_buffer[at]);
}

export function StateWord({ state }: { state: GroupState }) {
  return (
    <span class={`cp-state cp-${state}`} title={STATE_TIPS[state]}>
      {STATE_WORDS[state]}
    </span>
  );
}

function State({ a, row }: { a: Comparison; row: Row }) {
  if (row.kind === 'same') return <span class="soft">same</span>;
  if (row.kind !== 'group') return null;
  return <StateWord state={a.groups.state[row.at]} />;
}

function Name({ a, row, open }: { a: Comparison; row: Row; open: boolean }) {
  if (row.kind === 'sum')
    return (
      <>
        <b>Sum of {plural(a.groups_total, 'group')}</b>{' '}
        {a.closes ? (
          <span class="soft">
            <b class="good">✓</b> = both peaks
          </span>
        ) : (
          <b class="bad">
            is not the peaks: {signed(a.before.sum_bytes - a.before.peak_bytes)} before, {signed(a.after.sum_bytes - a.after.peak_bytes)} after; please report
            this bug
          </b>
        )}
      </>
    );
  if (row.kind !== 'group')
    return (
      <span>
        {row.kind === 'same' ? <span class="faint">{open ? '▾' : '▸'} </span> : null}
        {row.title}
      </span>
    );
  const g = a.groups;
  return (
    <a class="cp-group cut" href={bufferLink(a, row.at)} onClick={(event) => event.stopPropagation()}>
      <i class="swatch" style={{ background: groupColour(g.group[row.at] ?? g.class[row.at] ?? '') }} /> <code>{a.names[g.shape[row.at]]}</code>{' '}
      <span class="soft">{broad.value ? '' : groupPlace(a, row.at)}</span>
    </a>
  );
}

function columns(a: Comparison, open: boolean): Column<Row>[] {
  const most = Math.max(1, ...a.groups.difference_bytes.slice(0, 200).map(Math.abs));
  const at = (step: number | null) => (step === null ? '' : `, step ${formatCount(step)}`);
  const tip = (row: Row) => `${exactBytes(row.before)} → ${exactBytes(row.after)}`;
  const list: Column<Row>[] = [
    { id: 'state', title: 'state', width: '122px', cell: (row) => <State a={a} row={row} /> },
    {
      id: 'group',
      title: broad.value ? 'group' : 'group: shape, operation, scope',
      width: 'minmax(180px, 3fr)',
      cell: (row) => <Name a={a} row={row} open={open} />,
      tip: (row) => (row.kind === 'group' ? `${a.names[a.groups.shape[row.at]]} ${groupPlace(a, row.at)}; ${a.groups.class[row.at] ?? ''}` : undefined),
    },
    { id: 'before', title: `before${at(a.before.peak_step)}`, width: '118px', number: true, sort: 'before', cell: (row) => bytesCell(row.before), tip },
    { id: 'before_count', title: '', width: '40px', cell: (row) => countCell(row, row.beforeCount) },
    { id: 'after', title: `after${at(a.after.peak_step)}`, width: '110px', number: true, sort: 'after', cell: (row) => bytesCell(row.after), tip },
    { id: 'after_count', title: '', width: '40px', cell: (row) => countCell(row, row.afterCount) },
    {
      id: 'difference',
      title: 'difference',
      width: '92px',
      number: true,
      sort: 'difference',
      cell: (row) => <span class={signOf(row.after - row.before)}>{signed(row.after - row.before)}</span>,
      tip,
    },
    { id: 'bar', title: '', width: 'minmax(50px, 90px)', cell: (row) => (row.kind === 'group' ? <Bar by={row.after - row.before} most={most} /> : null) },
  ];
  if (broad.value)
    list.splice(
      2,
      0,
      {
        id: 'place',
        title: 'operation, scope',
        width: 'minmax(160px, 3fr)',
        cell: (row) => (row.kind === 'group' ? <span class="cut">{groupPlace(a, row.at)}</span> : null),
      },
      {
        id: 'source',
        title: 'source',
        width: '130px',
        cell: (row) => {
          const line = row.kind === 'group' ? a.names[a.groups.source[row.at]] : '';
          return row.kind !== 'group' ? null : line ? (
            <span class="cut mono">{baseName(line)}</span>
          ) : (
            <span class="faint">{a.groups.class[row.at] === 'parameter' ? 'argument' : 'no source'}</span>
          );
        },
        tip: (row) => (row.kind === 'group' ? a.names[a.groups.source[row.at]] : undefined),
      },
    );
  return list;
}

interface ScopeRow {
  scope: string;
  before: number;
  after: number;
}

/** The same bytes by scope; what has none, by its class. */
function scopeRows(a: Comparison): ScopeRow[] {
  const sums = new Map<string, ScopeRow>();
  const g = a.groups;
  const add = (scope: string, before: number, after: number) => {
    const row = sums.get(scope) ?? { scope, before: 0, after: 0 };
    sums.set(scope, { scope, before: row.before + before, after: row.after + after });
  };
  for (let i = 0; i < g.n; i++)
    add(
      g.class[i] === 'parameter' ? 'arguments' : a.names[g.scope[i]] || (g.opcode[i] ? `no scope: ${a.names[g.opcode[i]]}` : 'no scope'),
      g.before_bytes[i],
      g.after_bytes[i],
    );
  if (a.rest.count > 0) add('not listed', a.rest.before_bytes, a.rest.after_bytes);
  const rows = [...sums.values()].sort((x, y) => Math.abs(y.after - y.before) - Math.abs(x.after - x.before) || y.after - x.after);
  return [{ scope: '', before: a.before.sum_bytes, after: a.after.sum_bytes }, ...rows];
}

export function ScopeTable({ a }: { a: Comparison }) {
  const rows = scopeRows(a);
  return (
    <VirtualTable<ScopeRow>
      label="difference by scope"
      count={rows.length}
      rowAt={(i) => rows[i]}
      columns={[
        {
          id: 'scope',
          title: 'scope',
          width: 'minmax(200px, 4fr)',
          cell: (row, i) => (i === 0 ? <b>Sum {a.closes ? <span class="good">✓</span> : null}</b> : <code class="cut">{row.scope}</code>),
          tip: (row) => row.scope,
        },
        { id: 'before', title: 'before', width: '110px', number: true, cell: (row) => bytesCell(row.before), tip: (row) => exactBytes(row.before) },
        { id: 'after', title: 'after', width: '110px', number: true, cell: (row) => bytesCell(row.after), tip: (row) => exactBytes(row.after) },
        {
          id: 'difference',
          title: 'difference',
          width: '110px',
          number: true,
          cell: (row) => <span class={signOf(row.after - row.before)}>{signed(row.after - row.before)}</span>,
          tip: (row) => exactBytes(row.after - row.before),
        },
      ]}
    />
  );
}

export function saveGroups(a: Comparison): void {
  const g = a.groups;
  const text = (i: number) => a.names[i] ?? '';
  const rows: (string | number | null)[][] = Array.from({ length: g.n }, (_, i) => [
    g.state[i],
    g.class[i],
    text(g.shape[i]),
    text(g.opcode[i]),
    text(g.scope[i]),
    text(g.source[i]),
    g.before_count[i],
    g.after_count[i],
    g.before_bytes[i],
    g.after_bytes[i],
    g.difference_bytes[i],
  ]);
  const { count, before_bytes, after_bytes } = a.rest;
  // Of what is not listed the answer has the sums: with them the table adds up to both peaks.
  if (count > 0) rows.push([`(${count} more)`, '', '', '', '', '', null, null, before_bytes, after_bytes, after_bytes - before_bytes]);
  const head = ['state', 'class', 'shape', 'opcode', 'scope', 'source', 'before_count', 'after_count', 'before_bytes', 'after_bytes', 'difference_bytes'];
  saveText(csvText(head, rows), fileName('comparison', 'csv'));
}

export function saveScopes(a: Comparison): void {
  const rows = scopeRows(a).map((row, i) => [i === 0 ? '(sum)' : row.scope, row.before, row.after, row.after - row.before]);
  saveText(csvText(['scope', 'before_bytes', 'after_bytes', 'difference_bytes'], rows), fileName('comparison.scopes', 'csv'));
}

/** Whether the rows that are the same are shown, and what turns it. */
export function sameShown(): boolean {
  return view.value.same === '1' || (broad.value && view.value.same !== '0');
}
export function turnSame(): void {
  setView({ same: sameShown() ? (broad.value ? '0' : null) : 1 });
}

export function GroupsTable({ a }: { a: Comparison }) {
  const [sort, setSort] = useState('difference');
  const all = sameShown();
  const rows = rowsOf(a, sort, all);
  return (
    <VirtualTable<Row>
      label="groups of buffers"
      count={rows.length}
      rowAt={(i) => rows[i]}
      columns={columns(a, all)}
      sort={sort}
      descending
      onSort={setSort}
      rowClass={(row) => `cp-row-${row.kind}${row.kind === 'sum' && !a.closes ? ' bad' : ''}`}
      onOpen={(row) => {
        if (row.kind === 'same') turnSame();
        else if (row.kind === 'group') location.hash = bufferLink(a, row.at);
      }}
    />
  );
}
