import { signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { announce } from '../app/toast';
import { setView, view } from '../app/router';
import { setStyle, useMeasure } from '../ui/size';
import { formatCount } from '../util/format';
import { changeWords, peakText } from './cells';
import { allRows, marked, onScreen, selectedRow, shownRows, textRows, nameRoom, visibleRange } from './state';
import { type Column, COLUMNS, hiddenColumns, TableRow } from './run_row';
import { parseOrder, type RunRow } from './rows';

const ROW = 24;
const ROW_WITH_PROBLEM = 44;
const OVERSCAN = 8;

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

function speak(row: RunRow): void {
  const peak = row.card ? `peak ${peakText(row.card.peak_bytes)}` : 'not read yet';
  announce(`${row.label}, ${peak}, change ${changeWords(row.change).text}${row.problem ? `, ${row.problem.text}` : ''}`);
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

/** Says which rows are on screen. */
function useOnScreen(rows: RunRow[], tops: number[]): void {
  useEffect(() => {
    const end = rowAt(tops, scrollTop.value + height.value - 1) + 1;
    onScreen.value = rows.slice(rowAt(tops, scrollTop.value), end).map((row) => row.id);
    visibleRange.value = rows.length ? [rowAt(tops, scrollTop.value) + 1, Math.min(end, rows.length)] : [0, 0];
  }, [rows, scrollTop.value, height.value]);
}

/** Scrolls as far as the chosen row needs. */
function useChosenInView(box: { readonly current: HTMLDivElement | null }, tops: number[], chosen: number): void {
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || chosen < 0 || !view.value.sel) return;
    if (tops[chosen] < element.scrollTop) element.scrollTop = tops[chosen];
    else if (tops[chosen + 1] > element.scrollTop + element.clientHeight) element.scrollTop = tops[chosen + 1] - element.clientHeight;
  }, [view.value.sel]);
}

function DrawnRows({ rows, tops, columns, chosen }: { rows: RunRow[]; tops: number[]; columns: Column[]; chosen: number }) {
  const first = Math.max(0, rowAt(tops, scrollTop.value) - OVERSCAN);
  const last = Math.min(rows.length, rowAt(tops, scrollTop.value + height.value) + 1 + OVERSCAN);
  const marks = marked();
  const now = Date.now();
  return (
    <div class="run-space" role="presentation" ref={setStyle('height', `${tops[tops.length - 1]}px`)}>
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
  );
}

/** The list begins where it was left. */
function useKeptPlace(box: { readonly current: HTMLDivElement | null }): void {
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    element.scrollTop = scrollTop.peek();
    scrollTop.value = element.scrollTop;
  }, []);
}

export function RunTable() {
  const box = useRef<HTMLDivElement>(null);
  const rows = shownRows.value;
  const tops = topsOf(rows);
  const hidden = hiddenColumns();
  const columns = COLUMNS.filter((column) => !hidden.has(column.id));
  const chosen = selectedIndex();
  const measure = (element: HTMLElement) => {
    height.value = element.clientHeight;
    nameRoom.value = element.parentElement?.querySelector('.run-head .c-name')?.clientWidth ?? nameRoom.value;
  };
  useMeasure(box, measure, [columns.length]);
  useKeptPlace(box);
  useOnScreen(rows, tops);
  useChosenInView(box, tops, chosen);
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
      <div class="run-head run-cells" role="row">
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
        <DrawnRows rows={rows} tops={tops} columns={columns} chosen={chosen} />
        {!rows.length && <NoRows />}
      </div>
    </div>
  );
}
