/** Hands on the rows: wheel, drags by mode, clicks; keys that move the window. */
import { NORMAL, resized, sizesText } from './heights';
import { placeAt, snap } from './hits';
import { isTrack } from './layout';
import { atLabelEdge, labelWidth, pixelTime, setLabelWidth, xToTime } from './scale';
import {
  aim,
  all,
  alsoPicked,
  ask,
  change,
  frame,
  paint,
  glideTo,
  layout,
  marks,
  moveTo,
  type Span,
  pick,
  picked,
  pickPlace,
  plot,
  range,
  rows,
  settings,
  stopGlide,
  dragRange,
  mode,
} from './state';
import { numbersText } from './ranges';
import { listen } from '../util/listen';

/** Where the pointer is, in the rows' picture; not a signal: pictures only. */
export const pointer = {
  x: -1,
  y: -1,
  inside: false,
  /** The picture moved by a key or a jump, and the pointer has not since: so what is under it is not meant. */
  quiet: false,
};

/** Whether what is under the pointer is told and marked. */
export const hovers = () => pointer.inside && !pointer.quiet;

const DRAG_PIXELS = 4;
/** What a pixel of a drag up or down does to the window's length: 100 of them a factor of three. */
const ZOOM_A_PIXEL = 1.011;

export function zoomed(w: Span, anchor: number, factor: number): Span {
  const span = (w.to - w.from) * factor;
  const at = w.from + (w.to - w.from) * anchor;
  return { from: at - span * anchor, to: at + span * (1 - anchor) };
}

function shareAt(x: number): number {
  return Math.min(1, Math.max(0, (x - labelWidth()) / plot.width));
}

/** Wheel over the plot: zoom at the cursor, with shift or sideways pan. Over names it scrolls the rows. */
export function wheel(event: WheelEvent, x: number): void {
  if (x < labelWidth()) return;
  event.preventDefault();
  stopGlide();
  pointer.quiet = false;
  if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
    const by = (Math.abs(event.deltaX) > Math.abs(event.deltaY) ? event.deltaX : event.deltaY) * pixelTime();
    moveTo({ from: frame.from + by, to: frame.to + by });
  } else moveTo(zoomed(frame, shareAt(x), 1.0018 ** Math.max(-600, Math.min(600, event.deltaY))));
}

/** A press and what became of it. */
interface Press {
  x: number;
  y: number;
  time: number;
  from: number;
  to: number;
  top: number;
  pan: boolean;
  label: boolean;
  edge: boolean;
  zoom: boolean;
  moved: boolean;
}

function pressed(x: number, y: number, event: MouseEvent, top: number): Press {
  return {
    x,
    y,
    time: snap(x, y),
    from: frame.from,
    to: frame.to,
    top,
    pan: event.shiftKey || event.button === 1 || mode.peek() === 'pan',
    label: x < labelWidth(),
    edge: event.button === 0 && atLabelEdge(x),
    zoom: false,
    moved: false,
  };
}

/** Whether a press became a drag, which one that zooms decides once. */
function isDrag(down: Press, x: number, y: number): boolean {
  if (down.moved) return true;
  const [dx, dy] = [Math.abs(x - down.x), Math.abs(y - down.y)];
  if (dx < DRAG_PIXELS && dy < DRAG_PIXELS) return false;
  // The tool that zooms: up and down at the pointer, sideways into a range.
  if (mode.peek() === 'zoom' && !down.pan && !down.label) down.zoom = dy > dx;
  // A range has a width; names are dragged up and down.
  return down.pan || down.label || down.zoom || dx >= DRAG_PIXELS;
}

function drag(down: Press, x: number, y: number, scroller: HTMLElement): void {
  if (down.edge) widen(x);
  else if (down.zoom) moveTo(zoomed({ from: down.from, to: down.to }, shareAt(down.x), ZOOM_A_PIXEL ** (y - down.y)));
  else if (down.label) scroller.scrollTop = down.top - (y - down.y);
  else if (down.pan) {
    const by = (down.x - x) * ((down.to - down.from) / plot.width);
    moveTo({ from: down.from + by, to: down.to + by });
    scroller.scrollTop = down.top - (y - down.y);
  } else {
    const end = Math.min(Math.max(snap(x, y), frame.from), frame.to);
    dragRange.value = { from: Math.min(down.time, end), to: Math.max(down.time, end) };
  }
}

/** What a range that was dragged is for. */
function takeRange(dragged: Span | null): void {
  if (!dragged || dragged.to - dragged.from < 1) return;
  if (mode.peek() === 'zoom') glideTo(dragged, true);
  else select(dragged, mode.peek() === 'measure');
}

/** An event fills the window; the edge of the names goes back to its usual place. */
function doubleClick(x: number, y: number): void {
  if (atLabelEdge(x)) {
    widen(null);
    return;
  }
  const { hit, label } = placeAt(x, y);
  if (!label && hit && hit.events === 1) fit(hit.lane.start[hit.index], hit.lane.end[hit.index]);
}

/** Drags and clicks of the rows' canvas; the answer takes the listeners away. */
export function attachMouse(
  element: HTMLElement,
  scroller: HTMLElement,
  moved: () => void,
  labelClick: (x: number, y: number, event: MouseEvent) => void,
): () => void {
  let down: Press | null = null;
  const at = (event: MouseEvent) => {
    const box = element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const press = (event: MouseEvent) => {
    if (event.button > 1) return;
    const { x, y } = at(event);
    if (event.button === 1) event.preventDefault();
    stopGlide();
    down = pressed(x, y, event, scroller.scrollTop);
  };
  const move = (event: MouseEvent) => {
    const { x, y } = at(event);
    // Browsers tell of a pointer that rests, too, when something moves under it.
    if (x !== pointer.x || y !== pointer.y) pointer.quiet = false;
    pointer.x = x;
    pointer.y = y;
    pointer.inside = event.target === element;
    if (!down) {
      if (pointer.inside) moved();
      return;
    }
    if (!isDrag(down, x, y)) return;
    down.moved = true;
    drag(down, x, y, scroller);
    moved();
  };
  const release = (event: MouseEvent) => {
    if (!down) return;
    const was = down;
    const dragged = dragRange.peek();
    down = null;
    dragRange.value = null;
    if (was.moved) takeRange(dragged);
    else if (event.target !== element || was.edge) return;
    else if (was.label) labelClick(was.x, was.y, event);
    else if (event.button === 0) click(was.x, was.y, event);
  };
  const leave = () => {
    pointer.inside = false;
    if (!down) moved();
  };
  const double = (event: MouseEvent) => doubleClick(at(event).x, at(event).y);
  const roll = (event: WheelEvent) => wheel(event, at(event).x);
  return listen(element, { mousedown: press, mouseleave: leave, dblclick: double, wheel: roll }, { mousemove: move, mouseup: release });
}

/** The label column ends here; null: where it usually does. */
function widen(x: number | null): void {
  setLabelWidth(x);
  paint();
  ask();
}

/** A range of time; measuring leaves the panel as it is. */
export function select(w: Span, quiet = false): void {
  change({ r0: Math.round(w.from), r1: Math.round(w.to), ...(quiet ? {} : { tt: 'selection', panel: null }) });
}

export function fit(from: number, to: number): void {
  const room = Math.max((to - from) * 0.06, 1);
  glideTo({ from: from - room, to: to + room }, true);
}

function click(x: number, y: number, event: MouseEvent): void {
  const { hit, item } = placeAt(x, y);
  if (!hit) {
    if (item?.kind === 'row' && isTrack(item.row)) pickPlace(item.row, xToTime(x));
    else if (item?.kind === 'host') toggleHost(item.process);
    else if (item?.kind === 'process' && leadsToGaps(item.process)) openGaps(item.process);
    else if (item?.kind === 'process') toggleProcess(item.process);
    else if (item?.kind === 'others') toggleOthers(item.process);
    else if (picked.peek() !== null || range.peek()) change({ ev: null, also: null, r0: null, r1: null }, true);
    return;
  }
  if (hit.events > 1) {
    // What is added up parts when it is wide enough.
    const { lane, index } = hit;
    const from = Math.min(lane.start[index], xToTime(x - 1));
    const to = Math.max(lane.end[index], xToTime(x + 1));
    glideTo({ from: from - (to - from), to: to + (to - from) }, true);
    return;
  }
  const which = hit.lane.event[hit.index];
  if ((event.ctrlKey || event.metaKey) && picked.peek() !== null) {
    const also = alsoPicked.peek();
    if (which !== picked.peek())
      change({ also: numbersText(also.includes(which) ? also.filter((k) => k !== which) : [...also, which]) || null, tt: 'selection', panel: null });
    return;
  }
  pick(which);
}

/** The line of a chip says how long it was idle; its name folds it. */
export function leadsToGaps(process: number): boolean {
  const r = rows.peek();
  return r !== null && r.processes.kind[process] !== 'host' && settings.peek().open.has(process);
}

/** The list of gaps of a chip, or of the threads of a process, in the window: where its line leads. */
function openGaps(process: number): void {
  const part = frame.from > all.peek().from || frame.to < all.peek().to;
  change({ tt: 'gaps', gof: `p${process}`, gin: part ? 1 : null, panel: null }, true);
}

export function toggleProcess(process: number): void {
  const open = settings.peek().open;
  const next = open.has(process) ? [...open].filter((k) => k !== process) : [...open, process];
  // An empty list would mean the default.
  change({ open: numbersText(next) || 'none' });
}

/** The host of a process: folded to its head, or opened. */
export function toggleHost(process: number): void {
  const host = rows.peek()?.processes.host[process];
  const folded = settings.peek().folded ?? new Set<number>();
  if (host !== undefined) change({ folded: numbersText(folded.has(host) ? [...folded].filter((k) => k !== host) : [...folded, host]) || null });
}

export function toggleOthers(process: number): void {
  const { others } = settings.peek();
  change({ others: numbersText(others.has(process) ? [...others].filter((k) => k !== process) : [...others, process]) || null });
}

export function togglePinned(row: number): void {
  const { pinned } = settings.peek();
  // In the order in which they were pinned; "top" is a plain list.
  const next = pinned.includes(row) ? pinned.filter((k) => k !== row) : [...pinned, row];
  change({ top: next.join(',') || null });
}

export function hideRow(row: number): void {
  const { hidden, pinned } = settings.peek();
  change({ hide: numbersText([...hidden, row]), top: pinned.filter((k) => k !== row).join(',') || null });
}

/** One size higher or lower; false at the ends of what there is. */
export function resizeRow(row: number, by: number): boolean {
  const { sizes, size } = settings.peek();
  const next = resized(sizes ?? new Map(), size ?? NORMAL, row, by);
  if (next) change({ h: sizesText(next) || null });
  return next !== null;
}

/** The row that keys act on: under the pointer, else that of the selected event. */
export function rowUnderPointer(): number | null {
  if (!pointer.inside || !layout.peek()) return null;
  const row = placeAt(pointer.x, pointer.y).item;
  return row && row.kind === 'row' ? row.row : null;
}

/* ---- keys ---- */
export function zoomByKey(closer: boolean, fast: boolean): void {
  const factor = fast ? 1.4 ** 4 : 1.4;
  const anchor = pointer.inside && pointer.x >= labelWidth() ? shareAt(pointer.x) : 0.5;
  glideTo(zoomed(aim(), anchor, closer ? 1 / factor : factor));
}

export function panByKey(right: boolean, fast: boolean): void {
  const w = aim();
  const by = (w.to - w.from) * (fast ? 0.6 : 0.15) * (right ? 1 : -1);
  glideTo({ from: w.from + by, to: w.to + by });
}

export function showAll(): void {
  glideTo(all.peek(), true);
}

/** Whether the pointer is on one of the events that are picked. */
function onPicked(): boolean {
  const { hit } = placeAt(pointer.x, pointer.y);
  if (hit?.events !== 1) return false;
  const event = hit.lane.event[hit.index];
  return event === picked.peek() || alsoPicked.peek().includes(event);
}

/** A mark at the pointer; on what is picked, or away from the rows, marks at both ends of the range or of what is picked. */
export function markHere(selectedSpan: Span | null): void {
  const r = range.peek();
  const inside = pointer.inside && pointer.x >= labelWidth();
  const at =
    inside && onPicked() && selectedSpan
      ? [selectedSpan.from, selectedSpan.to]
      : inside
        ? [snap(pointer.x, pointer.y)]
        : r
          ? [r.from, r.to]
          : selectedSpan
            ? [selectedSpan.from, selectedSpan.to]
            : [(frame.from + frame.to) / 2];
  setMarks([...marks.peek(), ...at.map((t) => Math.max(0, Math.round(t)))]);
}

export function setMarks(next: number[]): void {
  change({
    marks:
      [...new Set(next)]
        .sort((a, b) => a - b)
        .slice(0, 26)
        .join(',') || null,
  });
}
