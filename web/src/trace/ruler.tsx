/** Above the rows: ticks, marks and the range, the steps of one chip. */
import { textWidth } from '../canvas/text';
import { formatCount } from '../util/format';
import { CanvasPart } from './canvas_part';
import { fit, select, setMarks, wheel } from './gestures';
import { dot } from './draw_rows';
import { palette } from './palette_now';
import { labelWidth, timeToX, xToTime } from './scale';
import { totals } from './selection_state';
import { frame, marks, plot, range, rows, selected, type Span, views, windowNow, dragRange } from './state';
import { type Mark, marksToDraw } from './steps_rows';
import { derivedSteps, laneName, marksOf, nextLane, stepLane, steps } from './steps_state';
import { baseText, durationText, spanText, tickText, timeTicks } from './time';
import { cutMiddle } from './layout';
import { listen } from '../util/listen';

const TICKS = 18;
const MARKS = 18;
const STEPS = 18;

type G = CanvasRenderingContext2D;

function drawTicks(g: G, width: number): void {
  const p = palette();
  const left = labelWidth();
  const ticks = timeTicks(frame.from, frame.to, Math.max(3, plot.width / 118));
  g.textAlign = 'left';
  g.fillStyle = p.soft;
  g.fillText(ticks.base === null ? 'Time from start' : `From ${baseText(ticks.base)}`, 10, TICKS / 2 + 1);
  for (const at of ticks.at) {
    const x = Math.round(timeToX(at));
    if (x < left) continue;
    g.fillStyle = p.ruleStrong;
    g.fillRect(x, 0, 1, TICKS);
    g.fillStyle = p.soft;
    const text = tickText(ticks, at);
    if (x + 4 + textWidth(g, text) < width) g.fillText(text, x + 4, TICKS / 2 + 1);
  }
}

function line(g: G, x0: number, x1: number, y: number, colour: string): void {
  g.fillStyle = colour;
  g.fillRect(Math.min(x0, x1), y, Math.abs(x1 - x0), 1);
}

function pill(g: G, text: string, x0: number, x1: number, width: number): [number, number] {
  const p = palette();
  const left = labelWidth();
  const wide = textWidth(g, text) * 1.1 + 16;
  const middle = Math.min(Math.max((Math.max(x0, left) + Math.min(x1, width)) / 2, left + wide / 2), width - wide / 2);
  g.fillStyle = p.accent;
  g.beginPath();
  g.roundRect(middle - wide / 2, TICKS + 1, wide, MARKS - 3, 3);
  g.fill();
  g.fillStyle = p.bg;
  g.textAlign = 'center';
  g.fillText(text, middle, TICKS + MARKS / 2);
  return [middle - wide / 2, middle + wide / 2];
}

/** How many events the totals of exactly this range have. */
function eventsIn(r: Span): string {
  const t = totals.peek();
  return t && t.from_ps === Math.round(r.from) && t.to_ps === Math.round(r.to) ? ` \u00b7 ${formatCount(t.all.count)} events` : '';
}

function drawMarks(g: G, width: number, font: string): void {
  const p = palette();
  const left = labelWidth();
  const y = TICKS + MARKS / 2;
  g.textAlign = 'left';
  g.fillStyle = p.soft;
  g.fillText('Marks', 10, y);
  const list = marks.peek();
  g.save();
  g.beginPath();
  g.rect(left, 0, width - left, TICKS + MARKS);
  g.clip();
  const r = dragRange.peek() ?? range.peek();
  let taken: [number, number] = [-1, -1];
  for (let k = 0; k + 1 < list.length; k++) line(g, timeToX(list[k]), timeToX(list[k + 1]), y, p.mark);
  if (r) {
    const x0 = timeToX(r.from);
    const x1 = timeToX(r.to);
    g.globalAlpha = 0.12;
    g.fillStyle = p.accent;
    g.fillRect(x0, 0, x1 - x0, TICKS + MARKS);
    g.globalAlpha = 1;
    g.font = `600 ${font}`;
    if (x1 > left && x0 < width) taken = pill(g, `${durationText(r.to - r.from)}${eventsIn(r)}`, x0, x1, width);
    g.font = font;
  }
  for (let k = 0; k + 1 < list.length; k++) {
    const text = `${letter(k)} \u2013 ${letter(k + 1)}  ${durationText(list[k + 1] - list[k])}`;
    const x0 = Math.max(timeToX(list[k]) + 12, left);
    const x1 = Math.min(timeToX(list[k + 1]) - 12, width);
    const wide = textWidth(g, text) + 10;
    // Slides off the pill, never under it.
    let at = (x0 + x1 - wide) / 2;
    if (at < taken[1] && at + wide > taken[0]) at = x1 - taken[1] > wide ? taken[1] + 4 : taken[0] - wide - 4;
    if (x1 - x0 < wide || at < x0 - 1 || at + wide > x1 + 1) continue;
    g.fillStyle = p.bg;
    g.fillRect(at, TICKS + 1, wide, MARKS - 2);
    g.fillStyle = p.fg;
    g.textAlign = 'left';
    g.fillText(text, at + 5, y);
  }
  for (const [k, mark] of list.entries()) flag(g, timeToX(mark), letter(k));
  g.restore();
}

export const letter = (k: number) => String.fromCharCode(65 + k);

function flag(g: G, x: number, text: string): void {
  const p = palette();
  g.fillStyle = p.mark;
  g.beginPath();
  g.moveTo(x - 6, TICKS + 1);
  g.lineTo(x + 6, TICKS + 1);
  g.lineTo(x + 6, TICKS + 11);
  g.lineTo(x, TICKS + 17);
  g.lineTo(x - 6, TICKS + 11);
  g.fill();
  g.fillStyle = p.bg;
  g.textAlign = 'center';
  g.fillText(text, x, TICKS + 8);
}

/** What the window shows: each step that fills a pixel, the others together. */
function drawnMarks(): Mark[] {
  return marksToDraw(marksOf(frame), frame.from, frame.to, (frame.to - frame.from) / Math.max(plot.width, 1));
}

function drawStep(g: G, mark: Mark, width: number, y: number): void {
  const p = palette();
  const left = labelWidth();
  const x0 = timeToX(mark.start);
  const x1 = timeToX(mark.end);
  if (x1 < left || x0 > width) return;
  const one = mark.count === 1;
  g.fillStyle = one && selected.peek()?.step?.event === mark.event ? p.accentSoft : p.sunk;
  g.fillRect(x0, y + 1, Math.max(1, x1 - x0), STEPS - 3);
  g.fillStyle = p.ruleStrong;
  g.fillRect(Math.round(x0), y + 1, 1, STEPS - 3);
  const name = one ? (/^\d+$/.test(mark.name) || !mark.name ? `step ${mark.number}` : mark.name) : `${formatCount(mark.count)} steps`;
  const room = Math.min(x1, width) - Math.max(x0, left) - 8;
  const wide = textWidth(g, name);
  if (room < wide) return;
  const at = Math.max(x0, left) + 5;
  g.fillStyle = one ? p.fg : p.soft;
  g.fillText(name, at, y + STEPS / 2);
  const more = one ? durationText(mark.duration) : 'too narrow to draw each: zoom in';
  g.fillStyle = p.soft;
  if (room > wide + textWidth(g, '0') * more.length + 10) g.fillText(more, at + wide + 7, y + STEPS / 2);
}

function drawSteps(g: G, width: number): void {
  const p = palette();
  const left = labelWidth();
  const y = TICKS + MARKS;
  const s = steps.peek();
  const lane = stepLane.peek();
  g.fillStyle = p.rule;
  g.fillRect(0, y + STEPS - 1, width, 1);
  g.textAlign = 'left';
  g.fillStyle = p.fg;
  g.fillText('Steps', 34, y + STEPS / 2);
  dot(g, 25, y + STEPS / 2, derivedSteps.peek(), p);
  g.fillStyle = p.soft;
  g.textAlign = 'right';
  if (rows.peek() && lane) {
    const room = left - 52 - textWidth(g, 'Steps');
    const name = laneName(lane);
    const chip = textWidth(g, name) <= room ? name : cutMiddle(name, Math.floor(room / textWidth(g, '0')));
    const whole = `${chip}, ${derivedSteps.peek() ? 'program runs' : 'as recorded'}`;
    g.fillText(textWidth(g, whole) < left - 82 ? whole : chip, left - 10, y + STEPS / 2);
  }
  g.textAlign = 'left';
  g.save();
  g.beginPath();
  g.rect(left, y, width - left, STEPS);
  g.clip();
  if (!s || !lane) {
    if (s) g.fillText('no steps recorded', left + 8, y + STEPS / 2);
    g.restore();
    return;
  }
  for (const mark of drawnMarks()) drawStep(g, mark, width, y);
  g.restore();
}

function draw(g: G, width: number, height: number, font: string): void {
  const p = palette();
  g.fillStyle = p.bg;
  g.fillRect(0, 0, width, height);
  g.font = font;
  g.textBaseline = 'middle';
  drawTicks(g, width);
  drawMarks(g, width, font);
  drawSteps(g, width);
  g.fillStyle = p.rule;
  g.fillRect(labelWidth() - 1, 0, 1, height);
}

function attach(canvas: HTMLCanvasElement): () => void {
  let dragged: { mark: number; from: number; moved: boolean } | null = null;
  let start: number | null = null;
  const at = (e: MouseEvent) => {
    const box = canvas.getBoundingClientRect();
    return { x: e.clientX - box.left, y: e.clientY - box.top };
  };
  const press = (e: MouseEvent) => {
    if (e.button) return;
    const { x, y } = at(e);
    if (x < labelWidth()) {
      if (y > TICKS + MARKS) nextLane();
      return;
    }
    const near = marks.peek().findIndex((m) => Math.abs(timeToX(m) - x) < 8);
    if (y >= TICKS && y < TICKS + MARKS && near >= 0) dragged = { mark: near, from: x, moved: false };
    else start = x;
    e.preventDefault();
  };
  const move = (e: MouseEvent) => {
    const { x } = at(e);
    if (dragged) {
      dragged.moved ||= Math.abs(x - dragged.from) > 3;
      if (dragged.moved) {
        const next = [...marks.peek()];
        next[dragged.mark] = Math.max(0, Math.round(xToTime(x)));
        const value = next[dragged.mark];
        setMarks(next);
        dragged.mark = Math.max(0, marks.peek().indexOf(value));
      }
    } else if (start !== null && Math.abs(x - start) > 4) {
      dragRange.value = { from: Math.min(xToTime(start), xToTime(x)), to: Math.max(xToTime(start), xToTime(x)) };
    }
  };
  const release = (e: MouseEvent) => {
    if (!dragged && start === null) return;
    const { x, y } = at(e);
    if (dragged && !dragged.moved && e.altKey) setMarks(marks.peek().filter((_, k) => k !== dragged?.mark));
    if (start !== null) {
      const r = dragRange.peek();
      if (r) select(r);
      else if (y > TICKS + MARKS) {
        const mark = markAt(xToTime(x));
        if (mark?.count === 1) select({ from: mark.start, to: mark.end });
        else if (mark) fit(mark.start, mark.end);
      }
    }
    dragged = null;
    start = null;
    dragRange.value = null;
  };
  const double = (e: MouseEvent) => {
    const { x, y } = at(e);
    const mark = markAt(xToTime(x));
    if (y > TICKS + MARKS && mark) fit(mark.start, mark.end);
  };
  const roll = (e: WheelEvent) => wheel(e, at(e).x);
  return listen(canvas, { mousedown: press, dblclick: double, wheel: roll }, { mousemove: move, mouseup: release });
}

function markAt(time: number): Mark | null {
  return drawnMarks().find((mark) => mark.start <= time && time < mark.end) ?? null;
}

export function Ruler() {
  const w = windowNow.value;
  const lane = stepLane.value;
  return (
    <CanvasPart
      class="t-ruler-canvas"
      label={`Time axis, ${spanText(w.from, w.to)}, ${formatCount(marks.value.length)} marks, ${formatCount(lane?.steps ?? 0)} steps${lane ? ` of ${laneName(lane)}` : ''}`}
      draw={draw}
      watch={() =>
        void [marks.value, range.value, dragRange.value, steps.value, stepLane.value, marksOf(windowNow.value), selected.value, views.value, totals.value]
      }
      attach={attach}
    />
  );
}
