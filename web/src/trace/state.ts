/**
 * State of the Trace Viewer. The address is the one source of what is shown; the window under the hand lives in `frame`
 * and reaches the address when it rests, so that zoom and pan render no component.
 */
import { batch, computed, effect, signal, untracked } from '@preact/signals';
import { type ApiError, abortCalls, isAborted, type Params } from '../api/client';
import type { TraceEvent, TraceRows } from '../api/answers';
import { standOf } from '../app/open_tool';
import { type Change, perRun, setView, view } from '../app/router';
import type { ViewKey } from '../app/view_keys';
import { type InUse, peaksInUse } from '../explain/peaks';
import { run, runError } from '../app/state';
import { begin, Delayed } from '../util/rest';
import { decodeWindow, type InView, inView, type Names, type RowBoxes } from './boxes';
import { COLOURED_BY, type ColouredBy } from './colour_by';
import { sizeOf, sizesOf } from './heights';
import { isTrack, type Layout, makeLayout, type RowOrder, type Settings } from './layout';
import { messageOf, traceApi } from './api';
import { numbersOf, numbersText } from './ranges';
import { listen } from '../util/listen';

export type TabId = 'details' | 'selection' | 'flame' | 'search' | 'steps' | 'gaps';
export interface Span {
  from: number;
  to: number;
}

export const rows = signal<TraceRows | null>(null);
export const failure = signal<ApiError | null>(null);
/** Answers are on their way for longer than half a second. */
export const sharpening = signal(false);
/** Counts up when boxes arrived: pictures draw again. */
export const boxesVersion = signal(0);
export const selected = signal<TraceEvent | null>(null);
/** Why the event that the address names cannot be told; '' while it can, or is on its way. */
export const eventFailed = signal('');
/** The row index of every row number. */
export const rowIndex = computed(() => new Map(rows.value?.rows.row.map((row, at) => [row, at])));

/** Boxes at the resolution of the window, and of the whole trace, by row. */
export const fine = new Map<number, RowBoxes>();
export const coarse = new Map<number, RowBoxes>();
export const names: Names = new Map();

/** The window as drawn now. */
export const frame: Span = { from: 0, to: 1 };
/** What a plain drag does. */
export type Mode = 'select' | 'pan' | 'zoom' | 'measure';
export const MODES: Mode[] = ['select', 'pan', 'zoom', 'measure'];
export const mode = perRun<Mode>('select');
/** The range while it is being dragged. */
export const dragRange = signal<Span | null>(null);
/** Pixels of the plot, and what of the rows is on screen. */
export const plot = { width: 1100, top: 0, height: 400 };

function text(key: ViewKey): string {
  return view.value[key] ?? '';
}
function whole(key: ViewKey): number | null {
  return /^-?\d{1,16}$/.test(text(key)) ? Number(text(key)) : null;
}

let subjectLeft: Params = {};
/** What names the events. It stays what it was when the page is left: its effects run once more before they are stopped. */
/** Of the run's device: typed in Explain, else known; what every rate of Trace is against. */
export const peaksOfRun = (): InUse => peaksInUse(rows.value?.peaks ?? null, rows.value?.device_type ?? '');

export const subject = computed<Params>(() => {
  const { run, tool } = view.value;
  if (run && tool === 'trace') subjectLeft = { run, only: text('only'), host: text('host') };
  return subjectLeft;
});
const subjectKey = computed(() => JSON.stringify(subject.value));

export const all = computed<Span>(() => {
  const r = rows.value;
  return r && r.end_ps > r.first_ps ? { from: r.first_ps, to: r.end_ps } : { from: 0, to: 1 };
});
/** The window at rest. */
export const windowNow = computed<Span>(() => {
  const from = whole('t0');
  const to = whole('t1');
  return clampSpan({ from: from ?? all.value.from, to: to ?? all.value.to }, all.value);
});
export const range = computed<Span | null>(() => {
  const from = whole('r0');
  const to = whole('r1');
  return from !== null && to !== null && to > from ? { from, to } : null;
});
export const picked = computed<number | null>(() => whole('ev'));
/** A place on a track of the page: its row, and a time. */
export const place = computed(() => {
  const [, row, time] = /^(\d{1,9})@(-?\d{1,16})$/.exec(text('place')) ?? [];
  return row === undefined || !isTrack(Number(row)) ? null : { row: Number(row), time: Number(time) };
});
/** Further events, added with Ctrl. */
export const alsoPicked = computed(() => numbersOf(text('also')));
export const marks = computed<number[]>(() =>
  text('marks')
    .split(',')
    .filter((t) => /^\d{1,16}$/.test(t))
    .map(Number)
    .slice(0, 26),
);
export const tab = computed<TabId>(() =>
  ['details', 'selection', 'flame', 'search', 'steps', 'gaps'].includes(text('tt')) ? (text('tt') as TabId) : 'details',
);
export const panelOpen = computed(() => text('panel') !== '0');
export const tableShown = computed(() => text('table') === '1');
export const find = computed(() => ({
  text: text('find'),
  regex: text('re') === '1',
  letters: text('case') === '1',
  args: text('args') === '1',
  here: text('in') === '1',
}));
export const clock = computed<'device' | 'host'>(() => (text('clk') === 'host' ? 'host' : 'device'));
/** What colours of boxes stand for. */
export const colouredBy = computed<ColouredBy>(() => COLOURED_BY.find((by) => by === text('colours')) ?? 'category');
export const flowsShown = computed(() => text('flows') || 'selection');

const toolHeight = signal(typeof innerHeight === 'number' ? innerHeight : 768);
/** Hosts with open processes at first; of the others the heads are shown. */
const OPEN_HOSTS = 4;
/** Processes open at first: all where they have room, else the first device, and hosts. */
function openAtFirst(r: TraceRows): Set<number> {
  const open = new Set<number>();
  const devices = r.processes.kind.filter((kind) => kind !== 'host').length;
  let first = true;
  for (let p = 0; p < r.processes.n; p++) {
    // Side by side each host shows as much as alone, as long as they are few.
    if (p > 0 && r.processes.host[p] !== r.processes.host[p - 1]) {
      if (r.processes.host[p] >= OPEN_HOSTS) break;
      first = true;
    }
    const host = r.processes.kind[p] === 'host';
    if (host || first || devices <= 1 || (toolHeight.value > 1200 && devices <= 8)) open.add(p);
    if (!host) first = false;
  }
  return open;
}

export const settings = computed<Settings>(() => {
  const r = rows.value;
  const open = view.value.open === undefined ? (r ? openAtFirst(r) : new Set<number>()) : new Set(numbersOf(text('open')));
  return {
    open,
    folded: new Set(numbersOf(text('folded'))),
    others: new Set(numbersOf(text('others'))),
    pinned: numbersOf(text('top')),
    hidden: new Set(numbersOf(text('hide'))),
    filter: text('rows'),
    order: (['busy', 'events', 'name'].includes(text('rowsby')) ? text('rowsby') : 'file') as RowOrder,
    internal: text('internal') === '1',
    size: sizeOf(text('high')),
    sizes: sizesOf(text('h')),
    kept: selected.value?.row,
    keptDepth: selected.value?.depth,
  };
});

/** What of each row lies in the window at rest. */
export const views = signal<ReadonlyMap<number, InView>>(new Map());
export const layout = computed<Layout | null>(() => (rows.value ? makeLayout(rows.value, settings.value, views.value) : null));

export function change(next: Change, push = false): void {
  setView(next, { push });
}

function clampSpan(w: Span, within: Span): Span {
  const most = within.to - within.from;
  const pad = most * 0.02;
  const least = Math.min(100, most);
  const span = Math.min(Math.max(w.to - w.from, least), most + 2 * pad);
  const from = Math.min(Math.max(w.from, within.from - pad), within.to + pad - span);
  return { from, to: from + span };
}

/* ---- pictures: each adds itself, and all are drawn again when the window moves ---- */
const painters = new Set<() => void>();
export function onPaint(work: () => void): () => void {
  painters.add(work);
  return () => painters.delete(work);
}
export function paint(): void {
  for (const work of painters) work();
}

/* ---- the window ---- */
const rest = new Delayed();
const moving = new Delayed();

/** Zoom or pan: draws in the next frame; the address and exact boxes follow when the hand rests. */
export function moveTo(next: Span, push = false): void {
  const clamped = clampSpan(next, all.peek());
  frame.from = clamped.from;
  frame.to = clamped.to;
  paint();
  rest.ask(160, () => settle(push));
  askWhileMoving();
}

function settle(push: boolean): void {
  const a = all.peek();
  const from = Math.round(frame.from);
  const to = Math.round(frame.to);
  const is = frame.from <= a.from && frame.to >= a.to;
  remember({ from, to });
  change({ t0: is ? null : from, t1: is ? null : to }, push);
  ask();
}

/** Set by the rows' picture: what was told of the place under the pointer is gone. */
export const hover: { end: () => void } = { end: () => {} };

let glide = 0;
/** Moves there in a few frames; at once where less motion is asked for. */
export function glideTo(next: Span, push = false): void {
  const target = clampSpan(next, all.peek());
  stopGlide();
  hover.end();
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) {
    moveTo(target, push);
    return;
  }
  const start = { from: frame.from, to: frame.to };
  const began = performance.now();
  goal = target;
  glideEnd = begin();
  const step = (now: number) => {
    const t = Math.min(1, (now - began) / 110);
    const e = t * (2 - t);
    // Widths change by factors: the eye sees even speed.
    const a = start.to - start.from;
    const b = target.to - target.from;
    const span = t === 1 ? b : a * (b / a) ** e;
    const share = Math.abs(b - a) > 1e-9 * a ? (span - a) / (b - a) : e;
    const from = t === 1 ? target.from : start.from + (target.from - start.from) * share;
    moveTo({ from, to: from + span }, push);
    if (t < 1) glide = requestAnimationFrame(step);
    else stopGlide();
  };
  glide = requestAnimationFrame(step);
}
let goal: Span | null = null;
let glideEnd = () => {};
/** Where the window is going: keys pressed in between add to it. */
export function aim(): Span {
  return goal ?? frame;
}
export function stopGlide(): void {
  cancelAnimationFrame(glide);
  goal = null;
  glideEnd();
}

/* ---- windows that one came through ---- */
export const crumbs = signal<Span[]>([]);
let lastRest: Span | null = null;
function remember(next: Span): void {
  const before = lastRest;
  lastRest = next;
  const holds = (a: Span, b: Span) => a.from <= b.from && a.to >= b.to;
  const kept = crumbs.peek().filter((c) => holds(c, next) && c.to - c.from > (next.to - next.from) * 1.5);
  const a = all.peek();
  if (before && holds(before, next) && before.to - before.from > (next.to - next.from) * 3 && before.to - before.from < (a.to - a.from) * 0.9)
    kept.push(before);
  crumbs.value = kept.sort((x, y) => y.to - y.from - (x.to - x.from)).slice(-4);
}

/* ---- asking for boxes ---- */
/** Up to so many rows, all are asked for; beyond it those on screen and a page on both sides. */
const ALL_ROWS = 300;
let inFlight = '';
/** The last question answered: one that did not bring what was hoped for is not put again. */
let answered = '';
let slow = 0;

function rowsToAsk(): number[] {
  const r = rows.peek();
  if (!r) return [];
  if (r.rows.n <= ALL_ROWS) return r.rows.row.filter((row, k) => !isTrack(row) && (!r.rows.hidden[k] || settings.peek().internal));
  const l = layout.peek();
  if (!l) return [];
  const top = plot.top - plot.height;
  const bottom = plot.top + 2 * plot.height;
  const wanted = l.items.filter((i) => i.row >= 0 && i.y + i.h >= top && i.y <= bottom);
  return [...new Set([...l.pinned, ...wanted].map((i) => i.row))].filter((row) => !isTrack(row));
}

function askWhileMoving(): void {
  if (!moving.waits) moving.ask(140, ask);
}

function enough(boxes: RowBoxes | undefined, w: Span, cell: number): boolean {
  if (colouredBy.peek() === 'scope' && !boxes?.scoped) return false;
  return boxes !== undefined && boxes.cell <= cell && boxes.from <= w.from && boxes.to >= w.to;
}

/** Asks for what the window lacks: half a window more on both sides, so that a pan finds it there. */
export function ask(): void {
  const r = rows.peek();
  if (!r) return;
  const a = all.peek();
  const w = { from: Math.max(frame.from, a.from), to: Math.min(frame.to, a.to) };
  const span = frame.to - frame.from;
  const pixel = span / Math.max(plot.width, 1);
  const lacking = rowsToAsk().filter((row) => !enough(fine.get(row), w, Math.max(pixel, 1)) && !enough(coarse.get(row), w, Math.max(pixel, 1)));
  if (!lacking.length) {
    measure();
    return;
  }
  const from = Math.floor(Math.max(a.from, frame.from - span / 2));
  const to = Math.ceil(Math.min(a.to, frame.to + span / 2));
  const px = Math.min(16_384, Math.max(1, Math.round((plot.width * (to - from)) / span)));
  const list = numbersText(lacking);
  const scope = colouredBy.peek() === 'scope' ? 1 : null;
  const key = `${subjectKey.peek()} ${from} ${to} ${px} ${list} ${scope}`;
  if (key === inFlight || key === answered) {
    measure();
    return;
  }
  inFlight = key;
  clearTimeout(slow);
  slow = window.setTimeout(() => {
    sharpening.value = true;
  }, 500);
  const asked = subjectKey.peek();
  traceApi
    .window({ ...subject.peek(), rows: list, from, to, px, scope }, { key: 'trace/window', quiet: true, part: 'the events of this window' })
    .then((answer) => {
      if (asked !== subjectKey.peek()) return;
      const isAll = from <= a.from && to >= a.to;
      const decoded = decodeWindow(answer, lacking, names);
      // A coarser answer than asked for is the best there is for so many rows: it counts as fine.
      for (const [row, boxes] of decoded) {
        if (answer.coarser) boxes.cell = Math.min(boxes.cell, pixel);
        (isAll ? coarse : fine).set(row, boxes);
        if (isAll) fine.delete(row);
      }
      done();
      answered = key;
      measure();
      boxesVersion.value++;
      paint();
      ask();
    })
    .catch((error: unknown) => {
      if (isAborted(error)) return;
      done();
      if (!coarse.size) failure.value = error as ApiError;
    });
}

function done(): void {
  inFlight = '';
  clearTimeout(slow);
  sharpening.value = false;
}

/** The boxes to draw a row from: the fine ones where they cover the window. */
export function boxesOf(row: number): RowBoxes | undefined {
  const f = fine.get(row);
  if (f && f.from <= Math.max(frame.from, all.peek().from) && f.to >= Math.min(frame.to, all.peek().to)) return f;
  return coarse.get(row) ?? f;
}

/** Counts what is in view; rows find their height by it. Only at rest: nothing moves under the hand. */
function measure(): void {
  if (rest.waits) return;
  const r = rows.peek();
  if (!r) return;
  const next = new Map<number, InView>();
  for (const row of r.rows.row) {
    const boxes = boxesOf(row);
    if (boxes) next.set(row, inView(boxes, frame.from, frame.to, (frame.to - frame.from) / Math.max(1, plot.width)));
  }
  views.value = next;
}

/* ---- events ---- */
export function pick(event: number | null, push = true): void {
  change({ ev: event, also: null, place: null, ...(event === null ? {} : { tt: null, panel: null }) }, push);
}

/** What a track says at a time is told in the panel, with the way to Memory. */
export function pickPlace(row: number, time: number): void {
  change({ place: `${row}@${Math.round(time)}`, ev: null, also: null, tt: null, panel: null }, true);
}

/** Brings an event into view and pins it. `push`: the window that was shown is a view to come back to. */
export function jumpTo(event: number, start: number, duration: number, row: number, push = true): void {
  const span = frame.to - frame.from;
  const middle = start + duration / 2;
  if (start < frame.from || start + duration > frame.to || duration < (span / Math.max(plot.width, 1)) * 3) {
    const wide = Math.max(duration * 6, 1000);
    const next = duration * 400 < span ? wide : Math.max(span, duration * 1.2);
    glideTo({ from: middle - next / 2, to: middle + next / 2 }, push);
  }
  hover.end();
  revealRow(row);
  change({ ev: event, also: null, place: null }, false);
}

/** Set by the rows' picture: scrolls to a row. */
export const reveal: { row: (row: number) => void } = { row: () => {} };
export function revealRow(row: number): void {
  const r = rows.peek();
  const at = rowIndex.peek().get(row);
  if (!r || at === undefined) return;
  const process = r.rows.process[at];
  const s = settings.peek();
  const next: Change = {};
  if (!s.open.has(process)) next.open = numbersText([...s.open, process]);
  const host = r.processes.host[process];
  if (s.folded?.has(host)) next.folded = numbersText([...s.folded].filter((k) => k !== host)) || null;
  if (s.hidden.has(row)) next.hide = numbersText([...s.hidden].filter((k) => k !== row)) || null;
  if (Object.keys(next).length) change(next);
  if (!layout.peek()?.items.some((i) => i.kind === 'row' && i.row === row) && !s.pinned.includes(row))
    change({ others: numbersText([...settings.peek().others, process]) });
  reveal.row(row);
}

function reset(): void {
  batch(() => {
    fine.clear();
    coarse.clear();
    names.clear();
    rows.value = null;
    failure.value = null;
    selected.value = null;
    views.value = new Map();
    crumbs.value = [];
    lastRest = null;
    inFlight = answered = '';
  });
}

function loadRows(params: Params, key: string, derived: 0 | 1): void {
  traceApi
    .rows({ ...params, derived }, { key: 'trace/rows' })
    .then((answer) => {
      if (key !== subjectKey.peek()) return;
      const first = rows.peek() === null;
      rows.value = answer;
      if (first) Object.assign(frame, windowNow.peek());
      ask();
      paint();
      if (!answer.derived && derived === 0) loadRows(params, key, 1);
    })
    .catch((error: unknown) => {
      if (!isAborted(error) && rows.peek() === null) failure.value = error as ApiError;
    });
}

/** Back, a link, a change of the address by hand: the picture follows. */
function followWindow(): void {
  const w = windowNow.value;
  if (!rows.value || rest.waits) return;
  if (Math.round(frame.from) === Math.round(w.from) && Math.round(frame.to) === Math.round(w.to)) return;
  stopGlide();
  hover.end();
  Object.assign(frame, w);
  remember({ ...w });
  paint();
  ask();
}

function loadEvent(event: number, shows: boolean): void {
  traceApi
    .event({ ...subject.peek(), event }, { key: 'trace/event' })
    .then((answer) => {
      selected.value = answer;
      if (shows) reveal.row(answer.row);
    })
    .catch((error: unknown) => {
      if (isAborted(error)) return;
      selected.value = null;
      eventFailed.value = messageOf(error);
    });
}

/** Keeps the answers in step with the address; the answer stops it. */
export function start(): () => void {
  let last = '';
  let lastPicked = -1;
  /** The event of a link is scrolled to, unless the link says what is on top. */
  let fromLink = false;
  const size = () => {
    toolHeight.value = innerHeight;
  };
  const stops = [
    listen(window, { resize: size }),
    effect(() => {
      const params = subject.value;
      // A run without events would answer 404; what it has is known a moment later.
      if (!params.run || (!run.value && !runError.value) || !standOf('trace').open || subjectKey.value === last) return;
      last = subjectKey.value;
      reset();
      lastPicked = -1;
      fromLink = true;
      loadRows(params, last, 0);
    }),
    effect(followWindow),
    effect(() => {
      const event = picked.value;
      if (!rows.value || event === lastPicked) return;
      lastPicked = event ?? -1;
      eventFailed.value = '';
      const shows = fromLink && untracked(() => text('y')) === '';
      fromLink = false;
      if (event === null) {
        abortCalls('trace/event');
        selected.value = null;
      } else loadEvent(event, shows);
    }),
    // Scopes come with the boxes, but only when asked for.
    effect(() => {
      if (colouredBy.value === 'scope') untracked(ask);
    }),
    effect(() => {
      void [layout.value, selected.value, place.value, range.value, marks.value, boxesVersion.value, alsoPicked.value, flowsShown.value];
      paint();
    }),
  ];
  return () => {
    for (const stop of stops) stop();
    rest.cancel();
    moving.cancel();
    stopGlide();
  };
}
