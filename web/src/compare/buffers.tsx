/** The buffers of both peaks, one with one: what moved, what changed, what is in one program only; with size, padding and source. */
import { useEffect, useState } from 'preact/hooks';
import { call } from '../api/client';
import { setView, view } from '../app/router';
import { cellText } from '../memory/bytes';
import { csvText, fileName, saveText } from '../app/exports';
import { groupColour } from '../memory/group_colour';
import { baseName } from '../app/links';
import { type Column, VirtualTable } from '../table/virtual';
import { Pages } from '../table/pages';
import { exactBytes, formatCount } from '../util/format';
import { Bar, bytesCell, sameShown, StateWord } from './groups';
import { signed } from './head';
import { bufferHref } from './link';
import { params } from './state';
import type { ComparedBuffers, Comparison, GroupState } from '../memory/compare_types';
import { signOf, STATE_TIPS, STATE_WORDS } from './words';

/** Rows of one answer: with so many the order by another column is that of the whole list, almost always. */
const LIMIT = 5000;

/** One answer of at most LIMIT rows: the table sorts and narrows it by itself. */
const pages = new Pages<ComparedBuffers>(LIMIT, (offset, quiet) =>
  call<ComparedBuffers>('compare/buffers', { ...params.peek(), offset, limit: LIMIT }, { key: `compare/buffers/${offset}`, quiet }),
);

type Columns = ComparedBuffers['buffers'];

const SORTS: Record<string, (b: Columns, i: number) => number> = {
  difference: (b, i) => Math.abs((b.after_bytes[i] ?? 0) - (b.before_bytes[i] ?? 0)),
  before: (b, i) => b.before_bytes[i] ?? -1,
  after: (b, i) => b.after_bytes[i] ?? -1,
  padding: (b, i) => Math.max(b.before_padding_bytes[i] ?? 0, b.after_padding_bytes[i] ?? 0),
};

/** A row of the table is a row of the answer. */
interface Row {
  at: number;
}

/** Indexes of the rows to show. */
function rowsOf(answer: ComparedBuffers, sort: string, only: string, same: boolean): number[] {
  const b = answer.buffers;
  const shown = Array.from({ length: b.n }, (_, i) => i).filter((i) => (only ? b.state[i] === only : same || b.state[i] !== 'same'));
  if (sort === 'difference') return shown; // as the server has them
  const key = SORTS[sort];
  return shown.sort((x, y) => key(b, y) - key(b, x));
}

function shapeText(answer: ComparedBuffers, i: number): string {
  const b = answer.buffers;
  const [before, after] = [answer.names[b.before_shape[i]], answer.names[b.after_shape[i]]];
  return before && after && before !== after ? `${before} → ${after}` : after || before;
}

/** What a buffer is, in both programs. */
function whatColumns(a: Comparison, answer: ComparedBuffers): Column<Row>[] {
  const b = answer.buffers;
  const name = (i: number) => answer.names[i] ?? '';
  const names = (i: number) => [...new Set([name(b.before_name[i]), name(b.after_name[i])])].filter(Boolean).join(' → ');
  return [
    { id: 'state', title: 'state', width: '118px', cell: ({ at: i }) => <StateWord state={b.state[i]} /> },
    {
      id: 'buffer',
      title: 'buffer: shape, name',
      width: 'minmax(200px, 4fr)',
      cell: ({ at: i }) => (
        <a class="cp-group cut" href={bufferHref(a, b.before_buffer[i], b.after_buffer[i])} onClick={(event) => event.stopPropagation()}>
          <i class="swatch" style={{ background: groupColour(b.group[i] ?? b.class[i] ?? '') }} /> <code>{shapeText(answer, i)}</code>{' '}
          <span class="soft">{names(i)}</span>
        </a>
      ),
      tip: ({ at: i }) => `${shapeText(answer, i)} ${names(i)}; ${b.class[i] ?? ''}`,
    },
    {
      id: 'scope',
      title: 'operation, scope',
      width: 'minmax(80px, 2fr)',
      cell: ({ at: i }) => <span class="cut">{[name(b.opcode[i]), name(b.scope[i])].filter(Boolean).join(', ')}</span>,
      tip: ({ at: i }) => name(b.scope[i]),
    },
    {
      id: 'source',
      title: 'source',
      width: '116px',
      cell: ({ at: i }) =>
        name(b.source[i]) ? (
          <span class="cut mono">{baseName(name(b.source[i]))}</span>
        ) : (
          <span class="faint">{b.class[i] === 'parameter' ? 'argument' : 'not recorded'}</span>
        ),
      tip: ({ at: i }) => name(b.source[i]) || undefined,
    },
  ];
}

/** What it takes in each, and the difference. */
function byteColumns({ buffers: b }: ComparedBuffers): Column<Row>[] {
  const by = (i: number) => (b.after_bytes[i] ?? 0) - (b.before_bytes[i] ?? 0);
  const most = Math.max(1, ...Array.from({ length: Math.min(200, b.n) }, (_, i) => Math.abs(by(i))));
  const tip = ({ at: i }: Row) =>
    `${b.before_bytes[i] === null ? 'absent' : exactBytes(b.before_bytes[i])} → ${b.after_bytes[i] === null ? 'absent' : exactBytes(b.after_bytes[i])}`;
  const padding = ({ at: i }: Row) => {
    const [before, after] = [b.before_padding_bytes[i], b.after_padding_bytes[i]];
    if (before === after || before === null || after === null) return bytesCell(after ?? before ?? 0);
    return `${cellText(before)} → ${cellText(after)}`;
  };
  return [
    { id: 'before', title: 'before', width: '66px', number: true, sort: 'before', cell: ({ at: i }) => bytesCell(b.before_bytes[i] ?? 0), tip },
    { id: 'after', title: 'after', width: '66px', number: true, sort: 'after', cell: ({ at: i }) => bytesCell(b.after_bytes[i] ?? 0), tip },
    {
      id: 'padding',
      title: 'padding',
      width: '66px',
      number: true,
      sort: 'padding',
      hint: 'the part of the stored bytes that holds no data',
      cell: padding,
      tip: ({ at: i }) => `${exactBytes(b.before_padding_bytes[i] ?? 0)} → ${exactBytes(b.after_padding_bytes[i] ?? 0)}`,
    },
    {
      id: 'difference',
      title: 'difference',
      width: '80px',
      number: true,
      sort: 'difference',
      cell: ({ at: i }) => <span class={signOf(by(i))}>{signed(by(i))}</span>,
      tip,
    },
    { id: 'bar', title: '', width: 'minmax(24px, 50px)', cell: ({ at: i }) => <Bar by={by(i)} most={most} /> },
  ];
}

const columns = (a: Comparison, answer: ComparedBuffers): Column<Row>[] => [...whatColumns(a, answer), ...byteColumns(answer)];

const STATES: GroupState[] = ['changed', 'only_before', 'only_after', 'left_the_peak', 'into_the_peak', 'same'];

export function BuffersTable({ a }: { a: Comparison }) {
  const [sort, setSort] = useState('difference');
  const asked = JSON.stringify(params.value);
  useEffect(() => pages.open(asked), [asked]);
  useEffect(() => () => pages.close(), []);
  const answer = pages.at(0)?.answer;
  if (pages.problem.value)
    return (
      <p class="m-empty" role="alert">
        {pages.problem.value}
      </p>
    );
  if (!answer) return <div class="cp-wait" aria-busy="true" />;
  const only = STATES.find((state) => state === view.value.state) ?? '';
  const rows = rowsOf(answer, sort, only, sameShown());
  return (
    <>
      <div class="cp-states">
        {STATES.filter((state) => answer.states[state] > 0).map((state) => (
          <button
            key={state}
            type="button"
            class={`chip${only === state ? ' on' : ''}`}
            aria-pressed={only === state}
            title={STATE_TIPS[state]}
            onClick={() => setView({ state: only === state ? null : state })}
          >
            {STATE_WORDS[state]} <b>{formatCount(answer.states[state])}</b>
          </button>
        ))}
        <span class="soft">
          {formatCount(answer.total)} rows = {signed(answer.difference_bytes)}
          {answer.difference_bytes === a.difference_bytes ? (
            <b class="good"> ✓</b>
          ) : (
            <b class="bad"> is not the difference of the peaks; please report this bug</b>
          )}
          {answer.left_out > 0
            ? `; the ${formatCount(answer.left_out)} with the smallest difference (${signed(answer.rest_after_bytes - answer.rest_before_bytes)}) are not listed`
            : ''}
        </span>
      </div>
      <VirtualTable<Row>
        label="buffers of both peaks"
        count={rows.length}
        rowAt={(i) => ({ at: rows[i] })}
        columns={columns(a, answer)}
        sort={sort}
        descending
        onSort={setSort}
        onOpen={({ at: i }) => {
          location.hash = bufferHref(a, answer.buffers.before_buffer[i], answer.buffers.after_buffer[i]);
        }}
        empty={<p class="m-empty">{only ? `No buffer here is ${STATE_WORDS[only]}.` : 'Both peaks hold the same buffers.'}</p>}
      />
    </>
  );
}

export function saveBuffers(): void {
  const answer = pages.at(0)?.answer;
  if (!answer) return;
  const b = answer.buffers;
  const text = (i: number) => answer.names[i] ?? '';
  const rows = Array.from({ length: b.n }, (_, i) => [
    b.state[i],
    b.class[i],
    text(b.before_name[i]),
    text(b.after_name[i]),
    text(b.before_shape[i]),
    text(b.after_shape[i]),
    text(b.opcode[i]),
    text(b.scope[i]),
    text(b.source[i]),
    b.before_bytes[i],
    b.after_bytes[i],
    b.before_padding_bytes[i],
    b.after_padding_bytes[i],
    (b.after_bytes[i] ?? 0) - (b.before_bytes[i] ?? 0),
  ]);
  const head = [
    'state',
    'class',
    'before_name',
    'after_name',
    'before_shape',
    'after_shape',
    'opcode',
    'scope',
    'source',
    'before_bytes',
    'after_bytes',
    'before_padding_bytes',
    'after_padding_bytes',
    'difference_bytes',
  ];
  saveText(csvText(head, rows), fileName('compared-buffers', 'csv'));
}
