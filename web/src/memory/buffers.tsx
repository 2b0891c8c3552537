/** The table of buffers with its filters, groups, columns and what-if. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { narrow } from '../app/media';
import { view } from '../app/router';
import { announce, copyText } from '../app/toast';
import { type Column, VirtualTable } from '../table/virtual';
import { Later } from '../ui/later';
import { NameCut } from '../ui/name_cut';
import { exactBytes, formatBytes, formatCount, plural } from '../util/format';
import { baseTables } from './baseline_state';
import { chooseColumn, COLUMNS, resetColumns, rowColour } from './buffer_columns';
import {
  type BufferRow,
  ensureRows,
  followTable,
  GROUPS,
  groupBy,
  head,
  indexOf,
  problem,
  rowAt,
  rowCount,
  sortBy,
  TABLE_KEYS,
  tableAt,
  tableBy,
  tableDescending,
  tableSort,
  groupsShown,
} from './buffers_state';
import { FilterChips } from './chips';
import { CLASS_WORDS } from '../charts/colours';
import { Pop } from './pop';
import { FoldControl } from './step_tab';
import { change, hoverBuffer, inspected, pin, pinned } from './state';
import { openOrder, tick, ticked, chosenColumns } from './lower_state';
import { whatIfColumn } from './what_if_state';
import { WhatIfLine } from './whatif';

const GROUP_TITLES: Record<string, string> = { source: 'source line', group: 'op group' };

export function BuffersTab() {
  useEffect(followTable, []);
  // The server's word on a regular expression that it took as plain text.
  const note = (head.value as { filter_note?: string | null } | null)?.filter_note;
  return (
    <div class="m-table">
      <Controls />
      <WhatIfLine />
      {note ? <p class="m-note warn">{note}</p> : null}
      {problem.value ? <p class="m-note bad">{problem.value}</p> : null}
      {groupsShown.value ? <Later part="Groups" /> : <Rows />}
    </div>
  );
}

function Rows() {
  const chosen = chosenColumns.value;
  const thin = narrow.value;
  const more = [baseTables.value?.buffer, whatIfColumn.value].filter((one) => !!one);
  const columns = useMemo(
    () => [
      FIRST,
      ...COLUMNS.filter(({ id }) => chosen.includes(id) && !(thin && (id === 'scope' || id === 'source'))).flatMap((one) =>
        one.id === 'size' ? [one, ...more] : [one],
      ),
    ],
    [chosen, thin, ...more],
  );
  const count = rowCount.value;
  const at = pinned.value;
  useEffect(() => {
    // The arrow keys follow the loaded rows.
    const order: number[] = [];
    for (let i = 0; i < Math.min(count, 4000); i++) {
      const buffer = rowAt(i)?.buffer;
      if (buffer !== null && buffer !== undefined) order.push(buffer);
    }
    openOrder.value = order;
  }, [head.value, count]);
  return (
    <VirtualTable<BufferRow>
      label="buffers"
      columns={columns}
      count={count}
      rowAt={rowAt}
      onWindow={ensureRows}
      sort={tableSort.value}
      descending={tableDescending.value}
      onSort={sortBy}
      keys={TABLE_KEYS}
      reveal={indexOf(at)}
      onHover={(row) => {
        hoverBuffer.value = row?.buffer ?? null;
      }}
      onCursor={(row) => {
        hoverBuffer.value = row?.buffer ?? null;
        if (row) announce(`${row.name}, ${row.shape}, ${formatBytes(row.size)}`);
      }}
      onOpen={(row, _, event) => {
        if ((event.target as HTMLElement).closest?.('input, a, button')) return;
        if ((event as MouseEvent).ctrlKey && row.buffer !== null) tick(row.buffer, !ticked.peek().has(row.buffer));
        else if (row.buffer !== null) pin(row.buffer === pinned.peek() ? null : row.buffer);
      }}
      onCopy={(row) => copyText(`%${row.name}\t${row.shape}\t${row.size}\t${row.padding ?? ''}\t${row.saving ?? ''}\t${row.opName}\t${row.source}`, 'row')}
      rowClass={(row) => (row.buffer !== null && row.buffer === at ? 'pinned' : '')}
      empty={<NoRows />}
    />
  );
}

const FIRST: Column<BufferRow> = {
  id: 'name',
  title: 'buffer',
  width: 'minmax(150px, 1.6fr)',
  sort: 'name',
  cell: (row) => (
    <span class="m-name">
      <input
        type="checkbox"
        aria-label={`without ${row.name}`}
        title="tick to see the peak without it"
        disabled={row.buffer === null}
        checked={row.buffer !== null && ticked.value.has(row.buffer)}
        // The click has drawn the row again by now, so the box itself may show the old state.
        onChange={() => row.buffer !== null && tick(row.buffer, !ticked.peek().has(row.buffer))}
      />
      <i class="swatch" style={{ background: rowColour(row) }} />
      <code class="cut">
        <NameCut name={row.name} css="" />
      </code>
    </span>
  ),
  tip: (row) => `%${row.name}, ${CLASS_WORDS[row.class] ?? row.class}`,
};

function NoRows() {
  if (!head.value) return <>reading …</>;
  const folded = head.value.folded.count;
  return (
    <>
      no buffer matches
      <Later part="Elsewhere" optional />
      {folded > 0 ? (
        <>
          {' '}
          above the fold{' '}
          <button type="button" class="link" onClick={() => change({ fold: 0 })}>
            show the {plural(folded, 'buffer')} below it
          </button>{' '}
        </>
      ) : null}
      {folded > 0 || tableAt.value === 'all' ? null : (
        <button type="button" class="link" onClick={() => change({ at: 'all' })}>
          search all steps
        </button>
      )}
    </>
  );
}

function Controls() {
  const [text, setText] = useState(view.value.filter ?? '');
  useEffect(() => setText(view.value.filter ?? ''), [view.value.filter]);
  useEffect(() => {
    if (text === (view.peek().filter ?? '')) return;
    const timer = setTimeout(() => change({ filter: text }), 150);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <div class="m-controls">
      <input
        class="m-filter"
        type="search"
        placeholder="text or /regex/"
        aria-label="filter buffers by name, shape, op name, opcode or source"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <Choice label="group by" value={tableBy.value} options={GROUPS} titles={GROUP_TITLES} onChange={groupBy} />
      <Choice
        label="class"
        value={view.value.class ?? 'all'}
        options={['all', ...Object.keys(CLASS_WORDS)]}
        titles={CLASS_WORDS}
        onChange={(name) => change({ class: name === 'all' ? null : name })}
      />
      <Choice label="dtype" value={view.value.dtype ?? 'all'} options={dtypes()} onChange={(name) => change({ dtype: name === 'all' ? null : name })} />
      <FoldControl words={false} />
      <Columns />
      <FilterChips />
    </div>
  );
}

/** Types of the rows that were read; a chosen one stays in the list. */
function dtypes(): string[] {
  const answer = head.value;
  const seen = new Set<string>();
  for (const name of answer?.dtype ?? []) if (name !== null) seen.add(answer?.names[name] ?? '');
  if (view.value.dtype) seen.add(view.value.dtype);
  seen.delete('');
  return ['all', ...[...seen].sort()];
}

interface ChoiceProps {
  label: string;
  /** What a screen reader says where there is no label. */
  name?: string;
  value: string;
  options: string[];
  titles?: Record<string, string>;
  onChange: (value: string) => void;
}

export function Choice({ label, name, value, options, titles, onChange }: ChoiceProps) {
  return (
    <label class="btn-s">
      {label}{' '}
      <select aria-label={name} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map((option) => (
          <option key={option} value={option}>
            {titles?.[option] ?? option}
          </option>
        ))}
      </select>
    </label>
  );
}

function Columns() {
  return (
    <Pop label="columns" title="choose columns">
      {() => (
        <fieldset class="m-columns">
          {COLUMNS.map((column) => (
            <label key={column.id}>
              <input
                type="checkbox"
                checked={chosenColumns.value.includes(column.id)}
                onChange={(event) => chooseColumn(column.id, event.currentTarget.checked)}
              />{' '}
              {column.title}
            </label>
          ))}
          <button type="button" class="link" onClick={resetColumns}>
            reset
          </button>
        </fieldset>
      )}
    </Pop>
  );
}

/** "167 buffers, 6,226.3 MiB, held at step 115", and the way to all steps. */
export function BuffersLine() {
  const answer = head.value;
  if (!answer) return null;
  const all = tableAt.value === 'all';
  const part = answer.matched === answer.total ? plural(answer.total, 'buffer') : `${formatCount(answer.matched)} of ${plural(answer.total, 'buffer')}`;
  return (
    <span class="m-total">
      <span title={exactBytes(answer.matched_bytes)}>
        <span class="m-cut">{part}, </span>
        <span>
          {formatBytes(answer.matched_bytes)}
          {answer.folded.count > 0 ? ';' : ''}
        </span>
        {answer.folded.count > 0 ? <span class="m-cut faint"> {formatCount(answer.folded.count)} folded</span> : null}
      </span>
      {inspected.value === null ? null : (
        <Choice
          label=""
          name="which buffers"
          value={all ? 'all' : tableAt.value}
          options={[all ? String(inspected.value) : tableAt.value, 'all']}
          titles={{
            all: 'of all steps',
            [all ? String(inspected.value) : tableAt.value]: `held at step ${formatCount(all ? inspected.value : tableAt.value)}`,
          }}
          onChange={(at) => change({ at: at === String(inspected.peek()) ? null : at })}
        />
      )}
    </span>
  );
}
