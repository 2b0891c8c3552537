/** A table of any length: only the rows on screen exist. Rows come from `rowAt`, which may not have them yet. */
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isTextField, type KeyHandlers, registerKeys, rowsFor } from '../app/keys';
import { partNow } from '../ui/later';
import { useMeasure } from '../ui/size';
import { scrollFor, wasOpened, windowOf } from './window';

export const ROW_HEIGHT = 22;

export interface Column<R> {
  id: string;
  title: ComponentChildren;
  /** A track of CSS grid, e.g. '90px' or 'minmax(120px, 2fr)'. */
  width: string;
  number?: boolean;
  /** Name the server sorts by; absent: not sortable. */
  sort?: string;
  hint?: string;
  cell: (row: R, index: number) => ComponentChildren;
  /** Tooltip of the cell: exact bytes, the whole text. */
  tip?: (row: R) => string | undefined;
  /** In the row of sums, which some tables have below their head. */
  sum?: ComponentChildren;
}

interface VirtualProps<R> {
  label: string;
  columns: Column<R>[];
  count: number;
  rowAt: (index: number) => R | null;
  /** Rows that came on screen. */
  onWindow?: (first: number, last: number) => void;
  sort?: string;
  descending?: boolean;
  onSort?: (sort: string) => void;
  /** Enter, Space or a click. */
  onOpen?: (row: R, index: number, event: Event) => void;
  onHover?: (row: R | null) => void;
  onCursor?: (row: R | null, index: number) => void;
  onCopy?: (row: R) => void;
  /** Further keys of the scope 'tables', by row id. */
  keys?: KeyHandlers;
  rowClass?: (row: R, index: number) => string;
  /** Changes when what is in the cells becomes wider or narrower without another order or count. */
  fit?: string;
  /** With a row of sums, which stays below the head. */
  sums?: boolean;
  /** Row to bring into view, e.g. the pinned one. */
  reveal?: number;
  empty?: ComponentChildren;
}

/** Pixels of a digit at the size of a table's text, and around a cell. */
const DIGIT = 7;
const ROUND = 18;

/** Width of a column of numbers: that of its longest text, so that no digit is ever cut; of its title at least. */
export function widthOf(texts: readonly string[], title: string): string {
  // A sorted column has an arrow behind its title.
  return `${Math.max(title.length + 2, ...texts.map((text) => text.length)) * DIGIT + ROUND}px`;
}

/** A row may be a number, and 0 is one. */
function isThere<R>(row: R | null | undefined): row is R {
  return row !== null && row !== undefined;
}

type Scroller = { readonly current: HTMLDivElement | null };

/** The row that keys act on, and the ways to another one. */
function useCursor<R>({ count, rowAt, onCursor, onOpen, reveal }: VirtualProps<R>, scroller: Scroller, head: number) {
  const [cursor, setCursor] = useState(-1);
  // A key acts on the row that the key before it went to, drawn or not.
  const here = useRef(-1);
  const place = (index: number) => {
    here.current = index;
    setCursor(index);
  };
  const show = (index: number) => {
    const element = scroller.current;
    if (!element) return;
    // Not the height known last: a row may be shown before the table was measured.
    const to = scrollFor(index, element.scrollTop, roomOf(element, head), count, ROW_HEIGHT);
    if (to !== element.scrollTop) element.scrollTop = to;
  };
  const opened = useRef<number[]>([]);
  useEffect(() => {
    const row = reveal ?? -1;
    if (wasOpened(opened.current, row) || row < 0) return;
    place(row);
    show(row);
  }, [reveal]);
  const move = (to: number) => {
    const next = Math.min(Math.max(to, 0), count - 1);
    if (next < 0) return;
    place(next);
    show(next);
    onCursor?.(rowAt(next), next);
  };
  /** A click, Enter or Space. */
  const open = (index: number, event: Event) => {
    place(index);
    opened.current.push(index);
    const row = rowAt(index);
    if (isThere(row)) onOpen?.(row, index, event);
  };
  return { cursor, here, move, open };
}

type Keyed = { here: { current: number }; move: (to: number) => void; open: (index: number, event: Event) => void };

function keysOf<R>(props: VirtualProps<R>, cursor: Keyed): KeyHandlers {
  const { here, move } = cursor;
  const act = (work: (row: R, index: number, event: KeyboardEvent) => void) => (event: KeyboardEvent) => {
    const row = here.current >= 0 ? props.rowAt(here.current) : null;
    if (!isThere(row)) return false;
    work(row, here.current, event);
  };
  const open = act((_, index, event) => cursor.open(index, event));
  return {
    row_step: (_, stroke) => move(here.current + (stroke === 0 ? -1 : 1)),
    row_ends: (_, stroke) => move(stroke === 0 ? 0 : props.count - 1),
    open_row: open,
    pin_row: open,
    copy_row: act((row) => props.onCopy?.(row)),
    ...props.keys,
  };
}

function onKey(event: KeyboardEvent, handlers: KeyHandlers): void {
  const control = event.target !== event.currentTarget;
  if (control && (event.code === 'Enter' || event.code === 'Space' || isTextField(event.target))) return;
  for (const { row, stroke } of rowsFor(event)) {
    const handler = row.scope === 'tables' ? handlers[row.id] : undefined;
    if (!handler || handler(event, stroke) === false) continue;
    // Charts use some of the same keys; here they mean the table.
    event.preventDefault();
    return;
  }
}

type Tracks = { gridTemplateColumns: string };

/** The columns' tracks: as they are given, until they are fitted to the rows on screen. */
function useTracks<R>(props: VirtualProps<R>, scroller: Scroller, wide: number, first: number): Tracks {
  const [fit, setFit] = useState<{ asked: string; template: string | null }>({ asked: '', template: null });
  const usual = props.columns.map((column) => column.width).join(' ');
  const fitColumns = partNow('fitColumns');
  // Fitted anew for other columns, another order, another width, and once there are rows.
  const asked = `${usual} ${props.sort} ${props.descending} ${props.count} ${wide} ${isThere(props.rowAt(first))} ${props.fit}`;
  useLayoutEffect(() => {
    if (fit.asked !== asked) setFit({ asked, template: null });
    else if (fit.template === null && scroller.current) {
      const template = fitColumns?.(scroller.current);
      if (template) setFit({ asked, template });
    }
  }, [asked, fit, fitColumns]);
  return { gridTemplateColumns: (fit.asked === asked && fit.template) || usual };
}

/** `place`: the row's place among all, from 1, the head's. */
function drawRow<R>(props: VirtualProps<R>, i: number, place: number, isCursor: boolean, style: Tracks, click: (event: Event) => void) {
  const row = props.rowAt(i);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys of the table act on the row under its cursor
    <div
      key={i}
      class={`vt-row${isCursor ? ' cursor' : ''}${isThere(row) ? ` ${props.rowClass?.(row, i) ?? ''}` : ' waiting'}`}
      role="row"
      aria-rowindex={place}
      style={style}
      onClick={click}
      onMouseEnter={isThere(row) && props.onHover ? () => props.onHover?.(row) : undefined}
    >
      {props.columns.map((column) => (
        <div key={column.id} role="gridcell" class={column.number ? 'vt-cell num' : 'vt-cell'} title={isThere(row) ? column.tip?.(row) : undefined}>
          {isThere(row) ? column.cell(row, i) : null}
        </div>
      ))}
    </div>
  );
}

/** The row of sums, below the head. */
function Sums<R>({ columns, style }: { columns: Column<R>[]; style: Tracks }) {
  return (
    <div class="vt-row vt-sums" role="row" aria-rowindex={2} style={style}>
      {columns.map((column) => (
        <div key={column.id} role="gridcell" class={column.number ? 'vt-cell num' : 'vt-cell'}>
          {column.sum}
        </div>
      ))}
    </div>
  );
}

export function VirtualTable<R>(props: VirtualProps<R>) {
  const { columns, count } = props;
  const head = HEAD_HEIGHT + (props.sums ? ROW_HEIGHT : 0);
  /** Place of the first row among all, from 1, the head's. */
  const first = props.sums ? 3 : 2;
  const scroller = useRef<HTMLDivElement>(null);
  const [scroll, setScroll] = useState(0);
  const [view, setView] = useState(300);
  const [wide, setWide] = useState(0);
  useMeasure(
    scroller,
    (element) => {
      setView(roomOf(element, head));
      setWide(element.clientWidth);
    },
    [head],
  );
  const w = windowOf(scroll, view, count, ROW_HEIGHT);
  useEffect(() => {
    props.onWindow?.(w.first, w.last);
  }, [w.first, w.last, count, props.onWindow]);
  const cursor = useCursor(props, scroller, head);
  // The help overlay shows which keys act; the keys themselves go to the table that has the focus.
  useEffect(() => registerKeys('tables', {}), []);
  const template = useTracks(props, scroller, wide, w.first);
  const rows = [];
  for (let i = w.first; i < w.last; i++) rows.push(drawRow(props, i, i + first, i === cursor.cursor, template, (event) => cursor.open(i, event)));
  return (
    <div
      ref={scroller}
      class="vt"
      role="grid"
      tabIndex={0}
      aria-label={props.label}
      aria-rowcount={count + first - 1}
      aria-colcount={columns.length}
      onKeyDown={(event) => onKey(event, keysOf(props, cursor))}
      onScroll={(event) => setScroll((event.currentTarget as HTMLDivElement).scrollTop)}
      onMouseLeave={() => props.onHover?.(null)}
    >
      <div class="vt-head" role="row" aria-rowindex={1} style={template}>
        {columns.map((column) => (
          <HeadCell key={column.id} column={column} {...props} />
        ))}
      </div>
      {props.sums ? <Sums columns={columns} style={template} /> : null}
      {count === 0 ? <div class="vt-empty">{props.empty}</div> : null}
      <div class="vt-body" style={{ height: `${w.height}px` }}>
        <div class="vt-rows" style={{ transform: `translateY(${w.offset}px)` }}>
          {rows}
        </div>
      </div>
    </div>
  );
}

const HEAD_HEIGHT = 24;
const roomOf = (element: Element, head: number) => Math.max(ROW_HEIGHT, element.clientHeight - head);

function HeadCell<R>({ column, sort, descending, onSort }: { column: Column<R> } & VirtualProps<R>) {
  const on = column.sort !== undefined && column.sort === sort;
  const by = column.sort;
  return (
    <div
      role="columnheader"
      class={`vt-cell${column.number ? ' num' : ''}${on ? ' on' : ''}`}
      aria-sort={on ? (descending ? 'descending' : 'ascending') : undefined}
      title={column.hint ?? (typeof column.title === 'string' ? column.title : undefined)}
    >
      {by !== undefined && onSort ? (
        <button type="button" onClick={() => onSort(by)}>
          {column.title}
          {on ? <span aria-hidden="true">{descending ? ' ▾' : ' ▴'}</span> : null}
        </button>
      ) : (
        column.title || <span class="off-screen">{column.hint ?? column.id}</span>
      )}
    </div>
  );
}
