/** The rows: a canvas that stays while its scroller moves, and a second one above it for what follows the pointer. */
import { effect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { run } from '../app/state';
import { cssColor, themeVersion } from '../app/theme';
import { Surface } from '../canvas/surface';
import { registerPicture } from '../app/exports';
import { formatCount } from '../util/format';
import { listen, together } from '../util/listen';
import { Delayed } from '../util/rest';
import { colouring, MOST_TOLD, told, seen } from './colour_state';
import { asideOf, drawOver } from './draw_over';
import { legendGroups, RowsPainter, type Scene } from './draw_rows';
import {
  attachMouse,
  hideRow,
  hovers,
  leadsToGaps,
  pointer,
  resizeRow,
  rowUnderPointer,
  toggleHost,
  toggleOthers,
  togglePinned,
  toggleProcess,
} from './gestures';
import { placeAt } from './hits';
import { isTrack, LANE, rowTitle, usableRows } from './layout';
import { palette } from './palette_now';
import { atLabelEdge, labelWidth } from './scale';
import { ScrollPlace } from './scroll_place';
import { hits } from './search_state';
import {
  ask,
  boxesOf,
  frame,
  hover,
  layout,
  marks,
  names,
  onPaint,
  plot,
  range,
  reveal,
  rowIndex,
  rows,
  settings,
  views,
  dragRange,
  type Mode,
  mode,
} from './state';
import { insideOf, sentenceOf } from './sentence';
import { timeTicks } from './time';
import { showTip, Tip } from './tip';

const FONT_SIZE = 11;
let clockFor: unknown = null;
let clockSteps = new Map<number, { at: number; extra: number }[]>();

function clockStepsNow(): typeof clockSteps {
  const r = rows.peek();
  if (clockFor === r || !r) return clockSteps;
  clockFor = r;
  clockSteps = new Map();
  const c = r.clock_steps;
  for (let k = 0; k < c.n; k++) {
    const list = clockSteps.get(c.row[k]) ?? [];
    list.push({ at: c.at_ps[k], extra: c.extra_ps[k] });
    clockSteps.set(c.row[k], list);
  }
  return clockSteps;
}

function sceneNow(g: CanvasRenderingContext2D, width: number, font: string): Scene | null {
  const r = rows.peek();
  const l = layout.peek();
  if (!r || !l) return null;
  return {
    rows: r,
    layout: l,
    views: views.peek(),
    names,
    colouring: colouring.peek(),
    boxesOf,
    from: frame.from,
    to: frame.to,
    top: plot.top,
    left: labelWidth(),
    ticks: timeTicks(frame.from, frame.to, Math.max(3, plot.width / 118)).at,
    range: dragRange.peek() ?? range.peek(),
    hits: hits.peek(),
    clockSteps: clockStepsNow(),
    sentence: sentenceOf,
    inside: insideOf,
    marks: marks.peek(),
    deviceType: run.peek()?.device_type ?? '',
    aside: asideOf(g, width, font),
    font,
  };
}

const legendSoon = new Delayed();
function tellLegend(painter: RowsPainter): void {
  legendSoon.ask(200, () => {
    const s = painter.seen;
    const next = { groups: legendGroups(s.colours), wait: s.wait, clock: s.clock, merged: s.merged, strips: s.strips };
    if (JSON.stringify(next) !== JSON.stringify(seen.peek())) seen.value = next;
    const by = colouring.peek();
    const met = by.by === 'category' ? [] : by.met(s.lanes, frame.from, frame.to);
    const telling = { by: by.by, list: met.slice(0, MOST_TOLD), more: Math.max(0, met.length - MOST_TOLD) };
    if (JSON.stringify(telling) !== JSON.stringify(told.peek())) told.value = telling;
  });
}

/** Clicks on names: heads fold, rows pin and hide by the words that appear on hover. */
function labelClick(x: number, y: number): void {
  const { item, y: top } = placeAt(x, y);
  if (!item) return;
  if (item.kind === 'host') toggleHost(item.process);
  else if (item.kind === 'process') toggleProcess(item.process);
  else if (item.kind === 'others') toggleOthers(item.process);
  else if (x >= labelWidth() - 34) hideRow(item.row);
  else if (x >= labelWidth() - 66) togglePinned(item.row);
  else if (x >= labelWidth() - 84) resizeRow(item.row, 1);
  else if (x >= labelWidth() - 102) resizeRow(item.row, -1);
  else if (item.deeper > 0 && y - top >= LANE) resizeRow(item.row, 1);
}

/** The picture of the rows; its size says how much is asked for. */
function rowsSurface(canvas: HTMLCanvasElement, font: string): Surface {
  const painter = new RowsPainter();
  return new Surface(
    canvas,
    (g, width, height) => {
      const scene = sceneNow(g, width, font);
      if (!scene) {
        g.fillStyle = cssColor('--bg');
        g.fillRect(0, 0, width, height);
        return;
      }
      const begin = performance.now();
      painter.draw(g, width, height, scene, palette());
      drawMs.last = performance.now() - begin;
      tellLegend(painter);
    },
    (width, height) => {
      plot.width = Math.max(1, width - labelWidth());
      plot.height = height;
      ask();
    },
  );
}

/** The scroller of the rows and what its height comes from: `changed` is called when another part of the rows is in view. */
function followScroll(box: HTMLElement, space: HTMLElement, changed: () => void): () => void {
  const rest = new Delayed();
  const place = new ScrollPlace(box);
  const scroll = () => {
    plot.top = box.scrollTop;
    changed();
    rest.ask(90, () => {
      ask();
      place.rest();
    });
  };
  // The row at the top of the view, or under the pointer, stays where it is when heights change.
  let before = layout.peek();
  return together([
    listen(box, { scroll }),
    effect(() => {
      const l = layout.value;
      if (!l) return;
      const old = before;
      before = l;
      const anchor = old ? placeAnchor(old, box.scrollTop) : null;
      space.style.height = `${l.height + l.pinnedHeight}px`;
      if (anchor) {
        const now = l.items.find((i) => i.kind === anchor.kind && i.row === anchor.row && i.process === anchor.process);
        if (now && now.y !== anchor.y) box.scrollTop += now.y - anchor.y;
      }
      place.laid(l);
      plot.top = box.scrollTop;
      changed();
    }),
    place.stop,
    () => rest.cancel(),
  ]);
}

/** Scrolls until a row is in view. */
function revealIn(box: HTMLElement, row: number): void {
  const item = layout.peek()?.items.find((i) => i.row === row && (i.kind === 'row' || !i.open));
  if (!item) return;
  const high = box.clientHeight - (layout.peek()?.pinnedHeight ?? 0);
  if (item.y < box.scrollTop + 21) box.scrollTop = Math.max(0, item.y - 30);
  else if (item.y + item.h > box.scrollTop + high) box.scrollTop = item.y + Math.min(item.h, high / 2) - high + 10;
}

/** The rows in their two canvases, until the answer is called. */
function attachRows(box: HTMLElement, space: HTMLElement, main: HTMLCanvasElement, over: HTMLCanvasElement): () => void {
  const font = `${FONT_SIZE}px ${getComputedStyle(document.body).fontFamily}`;
  const surface = rowsSurface(main, font);
  const top = new Surface(over, (g, width, height) => drawOver(g, width, height, font));
  const both = () => {
    surface.dirty();
    top.dirty();
  };
  const pointed = () => {
    top.dirty();
    showTip();
    over.style.cursor = cursorOf();
  };
  reveal.row = (row) => revealIn(box, row);
  hover.end = () => {
    pointer.quiet = true;
    top.dirty();
    showTip();
  };
  const stops = [
    followScroll(box, space, both),
    onPaint(() => {
      both();
      // The wheel moves the picture under a pointer that stays.
      if (hovers()) showTip();
    }),
    effect(() => {
      void [themeVersion.value, colouring.value, hits.value, dragRange.value, range.value];
      both();
    }),
    attachMouse(over, box, pointed, labelClick),
    effect(() => {
      void mode.value;
      over.style.cursor = cursorOf();
    }),
    registerPicture('trace', () => joined(main, over)),
  ];
  return () => {
    for (const stop of stops) stop();
    reveal.row = () => {};
    hover.end = () => {};
    surface.close();
    top.close();
  };
}

export function RowsView() {
  const scroller = useRef<HTMLDivElement>(null);
  const spacer = useRef<HTMLDivElement>(null);
  const main = useRef<HTMLCanvasElement>(null);
  const over = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    if (scroller.current && spacer.current && main.current && over.current) return attachRows(scroller.current, spacer.current, main.current, over.current);
  }, []);
  const r = rows.value;
  const l = layout.value;
  return (
    <div class="t-rows" ref={scroller}>
      <div class="t-stick">
        <canvas ref={main} class="t-canvas" aria-hidden="true" />
        <canvas
          ref={over}
          class="t-canvas t-over"
          tabIndex={0}
          role="application"
          aria-label={
            r
              ? `Timeline, ${formatCount(r.event_count)} events, ${formatCount(l?.shown ?? 0)} of ${formatCount(usableRows(r, settings.value.internal))} rows shown. Arrows step through events, T shows a table.`
              : 'Timeline'
          }
        />
      </div>
      <div ref={spacer} class="t-space" />
      <Tip />
    </div>
  );
}

/** Milliseconds of the last drawing, for the measure of smoothness. */
const drawMs = { last: 0 };

const CURSORS: Partial<Record<Mode, string>> = { pan: 'grab', zoom: 'zoom-in', measure: 'ew-resize' };

/** Tells what a press does here. */
function cursorOf(): string {
  if (atLabelEdge(pointer.x)) return 'col-resize';
  const { label, hit, item } = placeAt(pointer.x, pointer.y);
  const tool = CURSORS[mode.peek()];
  if (!label && item?.kind === 'process' && item.open && leadsToGaps(item.process)) return 'pointer';
  if (!label && tool) return tool;
  if (!label && item && item.kind === 'row' && isTrack(item.row)) return 'pointer';
  if (label) return item ? 'pointer' : 'default';
  return hit ? 'pointer' : 'crosshair';
}

function placeAnchor(l: NonNullable<typeof layout.value>, top: number) {
  const under = rowUnderPointer();
  return (under === null ? null : l.items.find((i) => i.kind === 'row' && i.row === under)) ?? l.items.find((i) => i.y + i.h > top) ?? null;
}

function joined(a: HTMLCanvasElement, b: HTMLCanvasElement): HTMLCanvasElement {
  const out = document.createElement('canvas');
  const ruler = document.querySelector<HTMLCanvasElement>('.t-ruler-canvas');
  const head = ruler?.height ?? 0;
  out.width = a.width;
  out.height = a.height + head;
  const g = out.getContext('2d');
  if (g) {
    g.fillStyle = cssColor('--bg');
    g.fillRect(0, 0, out.width, out.height);
    if (ruler) g.drawImage(ruler, 0, 0);
    g.drawImage(a, 0, head);
    g.drawImage(b, 0, head);
  }
  return out;
}

export function rowName(row: number): string {
  const r = rows.peek();
  const at = rowIndex.peek().get(row);
  if (!r || at === undefined) return `row ${row}`;
  return rowTitle(r, at).filter(Boolean).join(' ');
}
