/** The HLO texts of both programs in one order: what is in one only, what changed in a line; equal lines fold. */
import { useEffect } from 'preact/hooks';
import { call } from '../api/client';
import { setView, view } from '../app/router';
import { Pages } from '../table/pages';
import { type Column, VirtualTable } from '../table/virtual';
import { formatCount, plural } from '../util/format';
import { lineHref } from './link';
import { params } from './state';
import { changedPart } from './words';
import type { ComparedText, Comparison, LineState } from '../memory/compare_types';

const PAGE = 500;

const asked = () => ({ ...params.value, inside: view.value.inside === '1' ? 1 : undefined, context: view.value.lines === 'all' ? -1 : undefined });
const pages = new Pages<ComparedText>(PAGE, (offset, quiet) =>
  call<ComparedText>('compare/text', { ...asked(), offset, limit: PAGE }, { key: `compare/text/${offset}`, quiet }),
);

const MARKS: Record<LineState, string> = { same: ' ', renumbered: ' ', changed: '±', only_before: '−', only_after: '+', folded: '⋯' };

interface Line {
  answer: ComparedText;
  row: number;
  index: number;
}

/** The other text of a changed line: the row before or after it. */
function otherText(line: Line): string | null {
  const { side } = line.answer.rows;
  if (line.answer.rows.state[line.row] !== 'changed') return null;
  const at = pages.at(line.index + (side[line.row] === 'before' ? 1 : -1));
  return at ? at.answer.rows.text[at.row] : null;
}

function Text({ a, line }: { a: Comparison; line: Line }) {
  const r = line.answer.rows;
  const i = line.row;
  if (r.state[i] === 'folded') return <span class="faint">{plural(r.count[i], 'equal line')}</span>;
  const text = r.text[i] ?? '';
  const other = otherText(line);
  const [from, to] = other === null ? [0, 0] : changedPart(text, other);
  const named = r.side[i] === 'before' ? r.before_name[i] : r.after_name[i];
  return (
    <a
      class="cp-line"
      href={named === null ? undefined : lineHref(a, r.side[i] === 'before' ? r.before_name[i] : null, r.side[i] === 'before' ? null : r.after_name[i])}
      onClick={(event) => event.stopPropagation()}
    >
      {text.slice(0, from)}
      {to > from ? <mark>{text.slice(from, to)}</mark> : null}
      {text.slice(to)}
      {r.cut_bytes[i] > 0 ? <span class="faint"> … {plural(r.cut_bytes[i], 'byte')} more</span> : null}
    </a>
  );
}

function columns(a: Comparison): Column<Line>[] {
  const number = (side: 'before' | 'after') => (line: Line) => {
    const r = line.answer.rows;
    const at = r[`${side}_line`][line.row];
    return r.state[line.row] === 'folded' || at === null || (r.side[line.row] !== side && r.side[line.row] !== 'both') ? null : (
      <span class="faint">{formatCount(at + 1)}</span>
    );
  };
  return [
    { id: 'before', title: 'before', width: '58px', number: true, cell: number('before') },
    { id: 'after', title: 'after', width: '58px', number: true, cell: number('after') },
    {
      id: 'mark',
      title: '',
      width: '14px',
      cell: (line) => {
        const state = line.answer.rows.state[line.row];
        return <b>{state === 'changed' ? (line.answer.rows.side[line.row] === 'before' ? '−' : '+') : MARKS[state]}</b>;
      },
    },
    {
      id: 'text',
      title: 'line',
      width: 'minmax(300px, 1fr)',
      cell: (line) => <Text a={a} line={line} />,
      tip: (line) => line.answer.rows.text[line.row] ?? undefined,
    },
  ];
}

function lineClass(line: Line): string {
  const state = line.answer.rows.state[line.row];
  const side = line.answer.rows.side[line.row];
  return state === 'changed'
    ? `cp-text-${side}`
    : state === 'only_before'
      ? 'cp-text-before'
      : state === 'only_after'
        ? 'cp-text-after'
        : state === 'renumbered'
          ? 'cp-text-renumbered'
          : '';
}

export function TextTable({ a }: { a: Comparison }) {
  const key = JSON.stringify(asked());
  useEffect(() => pages.open(key), [key]);
  useEffect(() => () => pages.close(), []);
  const head = pages.head.value;
  if (pages.problem.value)
    return (
      <p class="m-empty" role="alert">
        {pages.problem.value}
      </p>
    );
  if (!head) return <div class="cp-wait" aria-busy="true" />;
  const cut = head.before_lines_left_out + head.after_lines_left_out;
  return (
    <>
      <div class="cp-states">
        <label class="cp-only">
          <input type="checkbox" checked={view.value.lines !== 'all'} onChange={() => setView({ lines: view.value.lines === 'all' ? null : 'all' })} /> fold
          equal lines
        </label>
        <label class="cp-only">
          <input type="checkbox" checked={view.value.inside === '1'} onChange={() => setView({ inside: view.value.inside === '1' ? null : 1 })} /> inside
          fusions
        </label>
        <span class="soft" title="renumbered: equal except for the numbers the compiler appends to names">
          {formatCount(head.same + head.renumbered)} equal ({formatCount(head.renumbered)} renumbered), <b>{formatCount(head.changed)}</b> changed,{' '}
          <b>{formatCount(head.only_before)}</b> only before, <b>{formatCount(head.only_after)}</b> only after
          {head.whole ? '' : '; some parts were too long to align'}
          {cut > 0 ? `; ${plural(cut, 'line')} beyond ${formatCount(Math.max(head.before_lines, head.after_lines))} left out` : ''}
        </span>
      </div>
      <VirtualTable<Line>
        label="lines of both programs"
        count={head.total}
        rowAt={(index) => {
          const at = pages.at(index);
          return at && at.row < at.answer.rows.n ? { ...at, index } : null;
        }}
        onWindow={(first, last) => pages.need(Math.max(0, first - 1), last + 1)}
        columns={columns(a)}
        rowClass={lineClass}
        onOpen={(line) => {
          const r = line.answer.rows;
          if (r.state[line.row] === 'folded') setView({ lines: 'all' });
          else {
            const before = r.side[line.row] === 'before';
            location.hash = lineHref(a, before ? r.before_name[line.row] : null, before ? null : r.after_name[line.row]);
          }
        }}
      />
    </>
  );
}
