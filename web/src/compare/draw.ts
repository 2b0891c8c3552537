/** The picture of two programs over one order of steps: both curves, the strip of events, the difference, two rows of steps. */
import type { ComparedCurve } from '../api/answers';
import { byteTicks, stepTicks } from '../canvas/axis';
import { stepToX, type Scale } from '../canvas/view';
import { formatBytes, formatCount } from '../util/format';
import { tickText } from '../memory/ticks';

export interface CompareColours {
  fg: string;
  soft: string;
  faint: string;
  rule: string;
  bg: string;
  base: string;
  accent: string;
  sunk: string;
  grow: string;
  shrink: string;
  growSoft: string;
  shrinkSoft: string;
  peak: string;
}

export interface CompareDrawing {
  curve: ComparedCurve;
  scale: Scale;
  height: number;
  beforePeak: number;
  afterPeak: number;
  beforeStep: number | null;
  afterStep: number | null;
  hover: number | null;
  font: string;
}

const STRIP = 14;
const STEPS_ROWS = 30;

/** Heights of the three parts; fractions of what the strip and the two rows of steps leave. */
export function parts(height: number) {
  const free = Math.max(60, height - STRIP - STEPS_ROWS - 18);
  const curves = { top: 14, bottom: 14 + free * 0.66 };
  const strip = { top: curves.bottom + 6, bottom: curves.bottom + 6 + STRIP };
  return { curves, strip, diff: { top: strip.bottom + 6, bottom: height - STEPS_ROWS - 4 }, steps: height - STEPS_ROWS };
}

interface Plot {
  top: number;
  bottom: number;
  least: number;
  most: number;
  /** Stands at the lower end of the axis. */
  title?: string;
}

const yOf = (p: Plot, bytes: number) => p.bottom - ((bytes - p.least) / Math.max(1, p.most - p.least)) * (p.bottom - p.top);

/** Pixels of the columns: left edges, and the end of the last; whole ones, so that fills neither overlap nor leave gaps. */
function edges(d: CompareDrawing): Float64Array {
  const { columns, to } = d.curve;
  const out = new Float64Array(columns.n + 1);
  for (let k = 0; k < columns.n; k++) out[k] = Math.round(stepToX(d.scale, columns.first_slot[k]));
  out[columns.n] = Math.round(stepToX(d.scale, to));
  return out;
}

function path(g: CanvasRenderingContext2D, x: Float64Array, p: Plot, values: number[]): void {
  g.beginPath();
  for (let k = 0; k < values.length; k++) {
    const y = yOf(p, values[k]);
    if (k === 0) g.moveTo(x[k], y);
    else g.lineTo(x[k], y);
    g.lineTo(x[k + 1], y);
  }
}

function axis(g: CanvasRenderingContext2D, d: CompareDrawing, c: CompareColours, p: Plot): void {
  const step = byteTicks(p.most - p.least, Math.max(1, Math.floor((p.bottom - p.top) / 30)))[1] ?? 0;
  const ticks = [0];
  for (let v = step; step > 0 && v <= p.most; v += step) ticks.push(v);
  for (let v = -step; step > 0 && v >= p.least; v -= step) ticks.push(v);
  g.font = d.font;
  g.textAlign = 'right';
  g.textBaseline = 'middle';
  for (const tick of ticks) {
    const y = Math.round(yOf(p, tick)) + 0.5;
    g.strokeStyle = c.rule;
    g.lineWidth = 1;
    g.beginPath();
    g.moveTo(d.scale.left, y);
    g.lineTo(d.scale.left + d.scale.width, y);
    g.stroke();
    g.fillStyle = c.soft;
    if (!p.title || y < p.bottom - 9) g.fillText(tickText(tick), d.scale.left - 8, y);
  }
  if (p.title) g.fillText(p.title, d.scale.left - 8, p.bottom);
}

/** Between the curves: green where the program needs less now, red where more. */
function between(g: CanvasRenderingContext2D, d: CompareDrawing, c: CompareColours, p: Plot, x: Float64Array): void {
  const { before_max_bytes: before, after_max_bytes: after, n } = d.curve.columns;
  for (let k = 0; k < n; k++) {
    if (before[k] === after[k]) continue;
    g.fillStyle = after[k] > before[k] ? c.growSoft : c.shrinkSoft;
    const [y0, y1] = [yOf(p, Math.max(before[k], after[k])), yOf(p, Math.min(before[k], after[k]))];
    g.fillRect(x[k], y0, Math.max(1, x[k + 1] - x[k]), y1 - y0);
  }
}

function spread(g: CanvasRenderingContext2D, x: Float64Array, p: Plot, low: number[], high: number[]): void {
  g.beginPath();
  for (let k = 0; k < low.length; k++) {
    if (low[k] === high[k]) continue;
    const at = (x[k] + x[k + 1]) / 2;
    g.moveTo(at, yOf(p, high[k]));
    g.lineTo(at, yOf(p, low[k]));
  }
  g.stroke();
}

function label(
  g: CanvasRenderingContext2D,
  d: CompareDrawing,
  c: CompareColours,
  at: { x: number; y: number; text: string; colour: string; bold?: boolean; boxed?: boolean },
): void {
  g.font = at.bold ? `600 ${d.font}` : d.font;
  const room = d.scale.left + d.scale.width - at.x;
  g.textAlign = room > 190 ? 'left' : 'right';
  g.textBaseline = 'middle';
  g.lineWidth = 4;
  g.strokeStyle = c.bg;
  const x = room > 190 ? at.x + 9 : at.x - 9;
  if (at.boxed) {
    const width = g.measureText(at.text).width;
    g.fillStyle = c.bg;
    g.fillRect((room > 190 ? x : x - width) - 3, at.y - 7, width + 6, 14);
  } else g.strokeText(at.text, x, at.y);
  g.fillStyle = at.colour;
  g.fillText(at.text, x, at.y);
}

function dot(g: CanvasRenderingContext2D, x: number, y: number, colour: string): void {
  g.fillStyle = colour;
  g.beginPath();
  g.arc(x, y, 3.5, 0, Math.PI * 2);
  g.fill();
}

const inWindow = (d: CompareDrawing, slot: number | null): slot is number => slot !== null && slot >= d.scale.window.from && slot < d.scale.window.to;

function peaks(g: CanvasRenderingContext2D, d: CompareDrawing, c: CompareColours, p: Plot): void {
  const { before_peak_slot: b, after_peak_slot: a } = d.curve;
  // Two labels at one place: the lower one goes below its dot.
  const near =
    b !== null && a !== null && Math.abs(stepToX(d.scale, b) - stepToX(d.scale, a)) < 200 && Math.abs(yOf(p, d.beforePeak) - yOf(p, d.afterPeak)) < 16;
  if (inWindow(d, b)) {
    const at = { x: stepToX(d.scale, b + 0.5), y: yOf(p, d.beforePeak) };
    dot(g, at.x, at.y, c.base);
    label(g, d, c, {
      ...at,
      y: near && d.beforePeak < d.afterPeak ? at.y + 14 : at.y,
      text: `before ${formatBytes(d.beforePeak, { withUnit: false })}, step ${formatCount(d.beforeStep)}`,
      colour: c.base,
      bold: true,
    });
  }
  if (inWindow(d, a)) {
    const at = { x: stepToX(d.scale, a + 0.5), y: yOf(p, d.afterPeak) };
    dot(g, at.x, at.y, c.peak);
    label(g, d, c, {
      ...at,
      y: at.y - (near && d.beforePeak < d.afterPeak ? 0 : near ? -14 : 10),
      text: `after ${formatBytes(d.afterPeak, { withUnit: false })}, step ${formatCount(d.afterStep)}`,
      colour: c.peak,
      bold: true,
    });
  }
}

function strip(g: CanvasRenderingContext2D, d: CompareDrawing, c: CompareColours, x: Float64Array): void {
  const { strip: at } = parts(d.height);
  const { both, only_before, only_after, n } = d.curve.columns;
  const half = (at.bottom - at.top) / 2;
  for (let k = 0; k < n; k++) {
    const width = Math.max(1, x[k + 1] - x[k]);
    if (both[k] > 0) {
      g.fillStyle = c.rule;
      g.fillRect(x[k], at.top, width, at.bottom - at.top);
    }
    if (only_before[k] > 0) {
      g.fillStyle = c.base;
      g.fillRect(x[k], at.top, width, half);
    }
    if (only_after[k] > 0) {
      g.fillStyle = c.accent;
      g.fillRect(x[k], at.top + half, width, half);
    }
  }
  g.font = d.font;
  g.fillStyle = c.soft;
  g.textAlign = 'right';
  g.textBaseline = 'middle';
  g.fillText('events', d.scale.left - 8, (at.top + at.bottom) / 2);
}

function difference(g: CanvasRenderingContext2D, d: CompareDrawing, c: CompareColours, x: Float64Array): void {
  const { diff } = parts(d.height);
  const { difference_min_bytes: low, difference_max_bytes: high, n } = d.curve.columns;
  const { lowest, highest } = d.curve;
  // One scale for every window: the extremes of the whole.
  const p = { ...diff, least: Math.min(0, lowest?.difference_bytes ?? 0), most: Math.max(0, highest?.difference_bytes ?? 0), title: 'difference' };
  if (p.least === 0 && p.most === 0) {
    g.font = d.font;
    g.fillStyle = c.soft;
    g.textAlign = 'left';
    g.textBaseline = 'middle';
    g.fillText('no difference at any step', d.scale.left, (diff.top + diff.bottom) / 2);
    return;
  }
  axis(g, d, c, p);
  const zero = yOf(p, 0);
  for (let k = 0; k < n; k++) {
    const width = Math.max(1, x[k + 1] - x[k]);
    if (high[k] > 0) {
      g.fillStyle = c.grow;
      g.fillRect(x[k], yOf(p, high[k]), width, zero - yOf(p, high[k]));
    }
    if (low[k] < 0) {
      g.fillStyle = c.shrink;
      g.fillRect(x[k], zero, width, yOf(p, low[k]) - zero);
    }
  }
  for (const [at, colour] of [
    [lowest, c.shrink],
    [highest, c.grow],
  ] as const) {
    if (!at || at.difference_bytes === 0 || !inWindow(d, at.slot) || (at === lowest) !== at.difference_bytes < 0) continue;
    const y = Math.min(Math.max(yOf(p, at.difference_bytes), diff.top + 7), diff.bottom - 7);
    label(g, d, c, {
      x: stepToX(d.scale, at.slot + 0.5),
      y,
      text: formatBytes(at.difference_bytes, { withUnit: false, sign: true }),
      colour,
      bold: true,
      boxed: true,
    });
  }
}

/** Round step numbers of one program, where they stand in the common order. */
function stepRow(g: CanvasRenderingContext2D, d: CompareDrawing, colour: string, y: number, title: string, steps: (number | null)[]): void {
  const { first_slot, n } = d.curve.columns;
  g.font = d.font;
  g.fillStyle = colour;
  g.textAlign = 'right';
  g.textBaseline = 'middle';
  g.fillText(title, d.scale.left - 8, y);
  const known = steps.filter((step) => step !== null);
  if (known.length === 0) return;
  const ticks = stepTicks(known[0], known[known.length - 1] + 1, Math.max(2, Math.floor(d.scale.width / 80)));
  g.textAlign = 'center';
  let k = 0;
  let free = 0;
  for (const tick of ticks) {
    while (k < n && (steps[k] === null || (steps[k] as number) < tick)) k++;
    if (k === n) break;
    const x = stepToX(d.scale, first_slot[k]);
    if (x < free) continue;
    g.fillText(formatCount(tick), Math.max(x, d.scale.left + 4), y);
    free = x + 44;
  }
}

export function drawCompared(g: CanvasRenderingContext2D, d: CompareDrawing, c: CompareColours): void {
  const { curves, steps } = parts(d.height);
  const p: Plot = { ...curves, least: 0, most: Math.max(d.beforePeak, d.afterPeak, 1) * 1.06 };
  const x = edges(d);
  const { columns } = d.curve;
  axis(g, d, c, p);
  g.save();
  g.beginPath();
  g.rect(d.scale.left, 0, d.scale.width, d.height);
  g.clip();
  if (columns.n > 0) {
    between(g, d, c, p, x);
    g.lineWidth = 1.4;
    g.strokeStyle = c.base;
    path(g, x, p, columns.before_max_bytes);
    g.stroke();
    spread(g, x, p, columns.before_min_bytes, columns.before_max_bytes);
    g.lineWidth = 1.8;
    g.strokeStyle = c.fg;
    path(g, x, p, columns.after_max_bytes);
    g.stroke();
    spread(g, x, p, columns.after_min_bytes, columns.after_max_bytes);
  }
  peaks(g, d, c, p);
  g.restore();
  strip(g, d, c, x);
  difference(g, d, c, x);
  stepRow(g, d, c.soft, steps + 7, 'before', columns.before_step);
  stepRow(g, d, c.fg, steps + 22, 'after', columns.after_step);
  if (d.hover !== null && inWindow(d, d.hover)) {
    const at = Math.round(stepToX(d.scale, d.hover + 0.5)) + 0.5;
    g.strokeStyle = c.faint;
    g.lineWidth = 1;
    g.beginPath();
    g.moveTo(at, 0);
    g.lineTo(at, steps);
    g.stroke();
  }
}
