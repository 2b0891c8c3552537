import { signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { announce } from '../app/toast';
import { narrow } from '../app/media';
import { hrefOf, setView, view } from '../app/router';
import { openRun } from '../app/state';
import { SeverityIcon } from '../ui/icons';
import { exactBytes, formatAge, formatCount, formatFileSize, formatTime } from '../util/format';
import { ChangeCell, changeWords, deviceShort, Holds, isOver, PeakBar, peakText } from './cells';
import { allRows, marked, onScreen, selectedRow, shownRows, textRows, toggleMark } from './model';
import { type Order, parseOrder, type RunRow } from './rows';

const ROW = 24;
const ROW_WITH_PROBLEM = 44;
const OVERSCAN = 8;

export interface Column {
  id: Order | 'holds';
  title: string;
  num?: boolean;
}

export const COLUMNS: Column[] = [
  { id: 'when', title: 'when' },
  { id: 'name', title: 'run and path' },
  { id: 'hosts', title: 'hosts', num: true },
  { id: 'size', title: 'size', num: true },
  { id: 'holds', title: 'holds' },
  { id: 'module', title: 'largest module' },
  { id: 'device', title: 'device' },
  { id: 'peak', title: 'peak', num: true },
  { id: 'change', title: 'change', num: true },
];

/** First and last row on screen, counted from 1, for the foot. */
export const visibleRange = signal<[number, number]>([0, 0]);

/** Columns left out: by choice, and "device" below 1024, where it joins the module. */
export function hiddenColumns(): Set<string> {
  const hidden = new Set((view.value.hide ?? '').split(',').filter(Boolean));
  if (narrow.value) hidden.add('device');
  return hidden;
}

const heightOf = (row: RunRow) => (row.problem ? ROW_WITH_PROBLEM : ROW);

/** Top of every row, and the whole height at the end. */
export function topsOf(rows: RunRow[]): number[] {
  const tops = [0];
  for (const row of rows) tops.push(tops[tops.length - 1] + heightOf(row));
  return tops;
}

/** Last row whose top is at or above y. */
export function rowAt(tops: number[], y: number): number {
  let low = 0;
  let high = tops.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (tops[middle] <= y) low = middle;
    else high = middle - 1;
  }
  return Math.max(0, low);
}

function HeadCell({ column }: { column: Column }) {
  const { by, down } = parseOrder(view.value.order);
  const on = by === column.id;
  const sorts = column.id !== 'holds';
  const turn = () => {
    if (column.id === 'holds') return;
    const flipped = on && !view.value.order?.startsWith('-') ? `-${column.id}` : column.id;
    setView({ order: flipped === 'when' ? null : flipped });
  };
  const sort = on ? (down ? 'descending' : 'ascending') : 'none';
  return (
    <span role="columnheader" class={`c-${column.id}${column.num ? ' num' : ''}`} aria-sort={sort}>
      {sorts ? (
        <button type="button" class={on ? 'on' : ''} onClick={turn}>
          {column.title}
          {on ? (down ? ' ▾' : ' ▴') : ''}
        </button>
      ) : (
        column.title
      )}
    </span>
  );
}

function ModuleCell({ row }: { row: RunRow }) {
  const card = row.card;
  if (row.cardError) return <span class="soft">no module readable</span>;
  if (!card) return <span class="faint">…</span>;
  if (!card.module_name) return <span class="soft">none</span>;
  return (
    <>
      <span class="mono cut" title={card.module ?? undefined}>
        {card.module_name}
      </span>
      {card.other_modules > 0 && <span class="faint small">+{formatCount(card.other_modules)}</span>}
      {narrow.value && <span class="soft small">{deviceShort(card)}</span>}
    </>
  );
}

function Cell({ column, row, now }: { column: Column; row: RunRow; now: number }) {
  const card = row.card;
  switch (column.id) {
    case 'when':
      return <span title={formatTime(row.time)}>{formatAge(row.time, now)}</span>;
    case 'name':
      return (
        <>
          <a class="run-name cut" href={hrefOf({ run: row.id, tool: null })} tabIndex={-1} title={row.id}>
            {row.name}
          </a>
          <span class="soft small cut cut-front" title={row.folder}>
            <bdi>{row.folder}</bdi>
          </span>
        </>
      );
    case 'hosts':
      return <span title={row.hosts.join(', ')}>{row.kind === 'dump' ? 'dump' : row.hosts.length || 'file'}</span>;
    case 'size':
      return <span title={exactBytes(row.size)}>{formatFileSize(row.size)}</span>;
    case 'holds':
      return <Holds card={card} />;
    case 'module':
      return <ModuleCell row={row} />;
    case 'device':
      return card ? <span class="cut">{deviceShort(card)}</span> : null;
    case 'peak':
      if (!card) return <span class="faint">{row.cardError ? 'unknown' : '…'}</span>;
      return (
        <>
          <span class={`${isOver(card) ? 'bad ' : ''}${card.peak_bytes === null ? 'soft' : 'strong'}`} title={exactBytes(card.peak_bytes)}>
            {peakText(card.peak_bytes)}
          </span>
          <PeakBar card={card} />
        </>
      );
    default:
      return <ChangeCell row={row} />;
  }
}

function ProblemLine({ row }: { row: RunRow }) {
  if (!row.problem) return null;
  const { severity, text, more } = row.problem;
  // What in bold, then numbers and the way out.
  const cut = /^(.{4,90}?)(?=[:;,] )/.exec(text)?.[1] ?? '';
  return (
    <div class={`problem ${severity === 'error' ? 'bad' : 'warn'}`} title={text}>
      <SeverityIcon severity={severity} size={11} />
      <span class="cut">
        <b>{cut}</b>
        {text.slice(cut.length)}
      </span>
      {more > 0 && <span class="small">+{formatCount(more)} more</span>}
    </div>
  );
}

interface RowProps {
  row: RunRow;
  index: number;
  top: number;
  selected: boolean;
  isMarked: boolean;
  columns: Column[];
  now: number;
}

function TableRow({ row, index, top, selected, isMarked, columns, now }: RowProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid's key handler acts on the selected row
    <div
      class={`run-row${selected ? ' selected' : ''}${isMarked ? ' marked' : ''}${row.gone ? ' gone' : ''}`}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={selected}
      id={`run-${index}`}
      tabIndex={-1}
      ref={(element) => {
        if (element) element.style.transform = `translateY(${top}px)`;
      }}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey) {
          event.preventDefault();
          toggleMark(row.id);
        } else setView({ sel: row.id });
      }}
      onDblClick={() => openRun(row.id)}
    >
      <div class="run-cells">
        {columns.map((column) => (
          <div key={column.id} role="gridcell" class={`c-${column.id}${column.num ? ' num' : ''}`}>
            <Cell column={column} row={row} now={now} />
          </div>
        ))}
      </div>
      <ProblemLine row={row} />
    </div>
  );
}

function speak(row: RunRow): void {
  const peak = row.card ? `peak ${peakText(row.card.peak_bytes)}` : 'not read yet';
  announce(`${row.name}, ${peak}, change ${changeWords(row.change).text}${row.problem ? `, ${row.problem.text}` : ''}`);
}

/** Moves the selection; used by the grid and by keys of the page. */
export function moveSelection(to: number): void {
  const rows = shownRows.value;
  const row = rows[Math.max(0, Math.min(rows.length - 1, to))];
  if (!row) return;
  setView({ sel: row.id });
  speak(row);
}

export function selectedIndex(): number {
  const row = selectedRow.value;
  return row ? shownRows.value.indexOf(row) : -1;
}

const scrollTop = signal(0);
const height = signal(600);

function NoRows() {
  const elsewhere = textRows.value.length;
  return (
    <p class="no-rows soft">
      no run matches
      {elsewhere > 0 && (
        <>
          ;{' '}
          <button type="button" class="link" onClick={() => setView({ folder: null, chip: null })}>
            {formatCount(elsewhere)} {elsewhere === 1 ? 'does' : 'do'} without folder and chip
          </button>
        </>
      )}
      {!elsewhere && allRows.value.length > 0 && (
        <>
          ;{' '}
          <button type="button" class="link" onClick={() => setView({ q: null, folder: null, chip: null })}>
            show all {formatCount(allRows.value.length)}
          </button>
        </>
      )}
    </p>
  );
}

export function RunTable() {
  const box = useRef<HTMLDivElement>(null);
  const rows = shownRows.value;
  const tops = topsOf(rows);
  const whole = tops[tops.length - 1];
  const first = Math.max(0, rowAt(tops, scrollTop.value) - OVERSCAN);
  const last = Math.min(rows.length, rowAt(tops, scrollTop.value + height.value) + 1 + OVERSCAN);
  const hidden = hiddenColumns();
  const columns = COLUMNS.filter((column) => !hidden.has(column.id));
  const marks = marked();
  const chosen = selectedIndex();
  const now = Date.now();

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = () => {
      height.value = element.clientHeight;
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    onScreen.value = rows.slice(rowAt(tops, scrollTop.value), last).map((row) => row.id);
    const end = rowAt(tops, scrollTop.value + height.value - 1) + 1;
    visibleRange.value = rows.length ? [rowAt(tops, scrollTop.value) + 1, Math.min(end, rows.length)] : [0, 0];
  }, [rows, scrollTop.value, height.value]);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || chosen < 0 || !view.value.sel) return;
    if (tops[chosen] < element.scrollTop) element.scrollTop = tops[chosen];
    else if (tops[chosen + 1] > element.scrollTop + element.clientHeight) element.scrollTop = tops[chosen + 1] - element.clientHeight;
  }, [view.value.sel]);

  return (
    <div
      class="run-table"
      role="grid"
      // One stop for Tab; arrows move inside it.
      tabIndex={0}
      aria-label="runs"
      aria-rowcount={rows.length + 1}
      aria-activedescendant={chosen >= 0 ? `run-${chosen}` : undefined}
    >
      <div class="run-head run-cells" role="row" tabIndex={-1}>
        {columns.map((column) => (
          <HeadCell key={column.id} column={column} />
        ))}
      </div>
      <div
        class="run-body"
        role="rowgroup"
        ref={box}
        onScroll={(event) => {
          scrollTop.value = event.currentTarget.scrollTop;
        }}
      >
        <div
          class="run-space"
          role="presentation"
          ref={(element) => {
            if (element) element.style.height = `${whole}px`;
          }}
        >
          {rows.slice(first, last).map((row, i) => (
            <TableRow
              key={row.id}
              row={row}
              index={first + i}
              top={tops[first + i]}
              selected={first + i === chosen}
              isMarked={marks.includes(row.id)}
              columns={columns}
              now={now}
            />
          ))}
        </div>
        {!rows.length && <NoRows />}
      </div>
    </div>
  );
}
