/** The whole trace, a lane per device and one for each host, with a brush for the window and the search hits below. */
import { effect, signal } from '@preact/signals';
import type { TraceOverview } from '../api/answers';
import { call, isAborted } from '../api/client';
import { textWidth } from '../canvas/text';
import { formatCount } from '../util/format';
import { CanvasPart } from './canvas_part';
import { glideTo, all, frame, moveTo, rows, subject, windowNow } from './state';
import { laneNames } from './layout';
import { groupOn } from './groups';
import { palette } from './palette_now';
import { labelWidth } from './scale';
import { found } from './search_state';
import { durationText, spanText } from './time';
import { listen } from '../util/listen';

const overview = signal<TraceOverview | null>(null);
const HITS = 7;

export function startOverview(): () => void {
  let last = '';
  return effect(() => {
    const params = subject.value;
    const key = JSON.stringify(params);
    if (!rows.value || key === last) return;
    last = key;
    overview.value = null;
    call<TraceOverview>('trace/overview', { ...params, px: 1200 }, { key: 'trace/overview', quiet: true, part: 'the whole trace' })
      .then((answer) => {
        overview.value = answer;
      })
      .catch((error: unknown) => {
        if (!isAborted(error)) overview.value = null;
      });
  });
}

const right = 12;
const xOf = (time: number, width: number) => labelWidth() + ((time - all.peek().from) / (all.peek().to - all.peek().from)) * (width - labelWidth() - right);
const timeOf = (x: number, width: number) => all.peek().from + ((x - labelWidth()) / (width - labelWidth() - right)) * (all.peek().to - all.peek().from);

/** Narrow: devices into one lane. */
function lanes(): TraceOverview['lanes'] {
  return overview.peek()?.lanes ?? [];
}

/** The lanes as drawn last: while the brush moves they stay. */
const kept = { canvas: null as HTMLCanvasElement | null, key: [] as unknown[] };

function drawLanes(g: CanvasRenderingContext2D, width: number, height: number, bottom: number): void {
  const ratio = g.getTransform().a || 1;
  const key = [overview.peek(), rows.peek(), palette(), width, bottom, ratio];
  if (!kept.canvas || key.some((k, i) => k !== kept.key[i])) {
    kept.canvas ??= document.createElement('canvas');
    kept.canvas.width = Math.max(1, Math.round(width * ratio));
    kept.canvas.height = Math.max(1, Math.round(height * ratio));
    const own = kept.canvas.getContext('2d');
    if (!own) return;
    own.setTransform(ratio, 0, 0, ratio, 0, 0);
    paintLanes(own, width, bottom);
    kept.key = key;
  }
  g.drawImage(kept.canvas, 0, 0, width, height);
}

function paintLanes(g: CanvasRenderingContext2D, width: number, bottom: number): void {
  const o = overview.peek();
  const r = rows.peek();
  const p = palette();
  if (!o || !r) return;
  const list = lanes();
  const h = bottom / Math.max(list.length, 1);
  const scale = (xOf(o.to_ps, width) - xOf(o.from_ps, width)) / o.columns;
  list.forEach((lane, i) => {
    const thread = r.processes.kind[lane.process] === 'host';
    const base = Math.round((i + 1) * h);
    for (let c = 0; c < o.columns; c++) {
      if (!lane.level[c]) continue;
      const high = Math.max(1, (lane.level[c] / 255) * (h - 1));
      g.fillStyle = p.strong[groupOn(o.groups[lane.group[c]] ?? 'none', thread)];
      g.fillRect(xOf(o.from_ps, width) + c * scale, base - high, Math.max(scale, 0.7), high);
    }
  });
}

function draw(g: CanvasRenderingContext2D, width: number, height: number, font: string): void {
  const p = palette();
  const r = rows.peek();
  g.fillStyle = p.sunk;
  g.fillRect(0, 0, width, height);
  if (!r) return;
  const hits = found.peek()?.columns;
  const bottom = height - (hits ? HITS : 2) - 2;
  g.font = font;
  g.textBaseline = 'middle';
  drawLanes(g, width, height, bottom);
  if (hits) {
    g.fillStyle = p.hit;
    const w = (xOf(all.peek().to, width) - xOf(all.peek().from, width)) / hits.length;
    for (let c = 0; c < hits.length; c++) if (hits[c]) g.fillRect(xOf(all.peek().from, width) + c * w, height - HITS, Math.max(w, 1), HITS - 2);
  }
  brush(g, width, height);
  sideLabels(g, height, font, bottom);
}

function sideLabels(g: CanvasRenderingContext2D, height: number, font: string, bottom: number): void {
  const p = palette();
  const left = labelWidth();
  const r = rows.peek();
  g.fillStyle = p.bg;
  g.fillRect(0, 0, left - 1, height);
  g.fillStyle = p.rule;
  g.fillRect(left - 1, 0, 1, height);
  g.fillRect(0, height - 1, 4000, 1);
  g.textAlign = 'left';
  g.fillStyle = p.fg;
  g.font = `600 ${font}`;
  g.fillText('Whole trace', 10, 12);
  const title = textWidth(g, 'Whole trace');
  g.font = font;
  g.fillStyle = p.soft;
  const length = durationText(all.peek().to - all.peek().from);
  g.fillText(length, 10, 25);
  const f = found.peek();
  const count = f ? `${formatCount(f.count)} hits` : '';
  if (f) {
    g.fillStyle = p.hit;
    g.fillText(count, 10, height - 7);
  }
  const list = lanes();
  if (!r || !list.length) return;
  // Beside the words on the left, never over them.
  const room = left - 8 - (10 + Math.max(title, textWidth(g, length), textWidth(g, count)) + 8);
  const per = textWidth(g, 'abcdefghij:0123') / 15;
  g.textAlign = 'right';
  g.fillStyle = p.soft;
  const names = laneNames(
    r,
    list.map((l) => l.process),
    bottom / list.length >= 11,
    Math.floor(room / per),
  );
  for (const [k, name] of names.entries()) g.fillText(name, left - 8, Math.min(height - 7, Math.max(7, ((k + 0.5) * bottom) / names.length)));
}

function brush(g: CanvasRenderingContext2D, width: number, height: number): void {
  const p = palette();
  const x0 = Math.max(labelWidth(), xOf(frame.from, width));
  const x1 = Math.max(x0 + 3, Math.min(width - 2, xOf(frame.to, width)));
  g.fillStyle = p.accent;
  g.globalAlpha = 0.12;
  g.fillRect(x0, 0, x1 - x0, height);
  g.globalAlpha = 1;
  g.strokeStyle = p.accent;
  g.lineWidth = 1.5;
  g.strokeRect(x0 + 0.75, 0.75, x1 - x0 - 1.5, height - 2.5);
  g.fillStyle = p.accent;
  for (const x of [x0, x1]) g.fillRect(x - 2, height / 2 - 6, 4, 12);
}

function attach(canvas: HTMLCanvasElement): () => void {
  let grip: { kind: 'left' | 'right' | 'body'; x: number; from: number; to: number } | null = null;
  const at = (e: MouseEvent) => e.clientX - canvas.getBoundingClientRect().left;
  const press = (e: MouseEvent) => {
    const x = at(e);
    if (e.button || x < labelWidth()) return;
    const width = canvas.clientWidth;
    const x0 = xOf(frame.from, width);
    const x1 = xOf(frame.to, width);
    const whole = frame.from <= all.peek().from && frame.to >= all.peek().to;
    const kind = Math.abs(x - x0) < 6 && x1 - x0 > 8 ? 'left' : Math.abs(x - x1) < 6 && x1 - x0 > 8 ? 'right' : 'body';
    if (kind === 'body' && (whole || x < x0 - 4 || x > x1 + 4)) {
      const span = whole ? (frame.to - frame.from) / 4 : frame.to - frame.from;
      const middle = timeOf(x, width);
      moveTo({ from: middle - span / 2, to: middle + span / 2 }, true);
    }
    grip = { kind, x, from: frame.from, to: frame.to };
    e.preventDefault();
  };
  const move = (e: MouseEvent) => {
    if (!grip) return;
    const width = canvas.clientWidth;
    const by = timeOf(at(e), width) - timeOf(grip.x, width);
    const least = 100;
    if (grip.kind === 'body') moveTo({ from: grip.from + by, to: grip.to + by });
    else if (grip.kind === 'left') moveTo({ from: Math.min(grip.from + by, grip.to - least), to: grip.to });
    else moveTo({ from: grip.from, to: Math.max(grip.to + by, grip.from + least) });
  };
  const release = () => {
    grip = null;
  };
  const double = () => glideTo(all.peek(), true);
  return listen(canvas, { mousedown: press, dblclick: double }, { mousemove: move, mouseup: release });
}

export function Minimap() {
  const w = windowNow.value;
  return (
    <CanvasPart
      class="t-mini-canvas"
      label={`Whole trace; showing ${spanText(w.from, w.to)}`}
      title="drag the window or its edges; double click to show all"
      draw={draw}
      watch={() => void [overview.value, found.value, rows.value]}
      attach={attach}
    />
  );
}
