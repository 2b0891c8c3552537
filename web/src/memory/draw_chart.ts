/** The step chart: live line with its fill, the resident band, reserved and unpadded lines, peak and capacity.
 *  One column of the answer is one pixel column (min and max) or one step (exact). */
import type { Curve } from '../api/types';
import { byteTicks } from '../canvas/axis';
import { stepToX, type Scale } from '../canvas/view';

export interface ChartColors {
  fg: string;
  soft: string;
  faint: string;
  rule: string;
  band: string;
  bandLine: string;
  live: string;
  pad: string;
  peak: string;
  bad: string;
  hatch: string;
  accent: string;
  bg: string;
}

export interface Life {
  start: number;
  end: number;
  bytes: number;
  label: string;
}

export interface ChartInput {
  curve: Curve;
  scale: Scale;
  top: number;
  bottom: number;
  /** Highest value of the y axis, bytes. */
  maxBytes: number;
  capacityBytes: number | null;
  peakBytes: number;
  life: Life | null;
  range: { from: number; to: number } | null;
  /** Another curve is drawn over this one. */
  under: boolean;
  font: string;
  bytesText: (bytes: number) => string;
  /** Shorter: no decimals on a round value. */
  tickText: (bytes: number) => string;
}

export function chartTop(peakBytes: number, reservedBytes: number | null, capacityBytes: number | null): number {
  const highest = Math.max(peakBytes, reservedBytes ?? 0, 1);
  const withCapacity = capacityBytes !== null && capacityBytes < highest * 1.35 ? Math.max(highest, capacityBytes) : highest;
  return withCapacity * 1.06;
}

export function yOf(i: ChartInput, bytes: number): number {
  return i.bottom - (bytes / i.maxBytes) * (i.bottom - i.top);
}

type Pick = (column: number) => number;

/** A step path over the columns. Leading and trailing columns are drawn to the window's edges. */
function stepPath(g: CanvasRenderingContext2D, i: ChartInput, value: Pick): void {
  const { curve, scale } = i;
  g.beginPath();
  for (let c = 0; c < curve.n; c++) {
    const from = curve.step[c] ?? 0;
    const x0 = stepToX(scale, from);
    const x1 = stepToX(scale, from + (curve.count[c] ?? 1));
    const y = yOf(i, value(c) + curve.resident_bytes);
    if (c === 0) g.moveTo(x0, y);
    else g.lineTo(x0, y);
    g.lineTo(x1, y);
  }
}

function drawAxis(g: CanvasRenderingContext2D, i: ChartInput, c: ChartColors): void {
  g.font = i.font;
  g.textAlign = 'right';
  g.textBaseline = 'middle';
  const ticks = byteTicks(i.maxBytes, Math.max(2, Math.floor((i.bottom - i.top) / 26)));
  for (const tick of ticks) {
    const y = Math.round(yOf(i, tick)) + 0.5;
    g.strokeStyle = c.rule;
    g.lineWidth = 1;
    g.beginPath();
    g.moveTo(i.scale.left, y);
    g.lineTo(i.scale.left + i.scale.width, y);
    g.stroke();
    g.fillStyle = c.soft;
    g.fillText(i.tickText(tick), i.scale.left - 8, y);
  }
}

function drawBand(g: CanvasRenderingContext2D, i: ChartInput, c: ChartColors): void {
  const y = yOf(i, i.curve.resident_bytes);
  g.fillStyle = c.band;
  g.fillRect(i.scale.left, y, i.scale.width, i.bottom - y);
}

function fillUnder(g: CanvasRenderingContext2D, i: ChartInput, c: ChartColors): void {
  const { curve, scale } = i;
  const base = yOf(i, curve.resident_bytes);
  stepPath(g, i, (k) => curve.max_bytes[k] ?? 0);
  const last = curve.n - 1;
  g.lineTo(stepToX(scale, (curve.step[last] ?? 0) + (curve.count[last] ?? 1)), base);
  g.lineTo(stepToX(scale, curve.step[0] ?? 0), base);
  g.closePath();
  g.fillStyle = c.live;
  g.fill();
}

function strokeCurve(g: CanvasRenderingContext2D, i: ChartInput, color: string, width: number, min: Pick, max: Pick): void {
  g.strokeStyle = color;
  g.lineWidth = width;
  stepPath(g, i, max);
  g.stroke();
  if (i.curve.exact) return;
  // several steps in a pixel: the full height between the lowest and the highest, so no spike is lost
  g.beginPath();
  for (let k = 0; k < i.curve.n; k++) {
    if (min(k) === max(k)) continue;
    const x = stepToX(i.scale, (i.curve.step[k] ?? 0) + (i.curve.count[k] ?? 1) / 2);
    g.moveTo(x, yOf(i, max(k) + i.curve.resident_bytes));
    g.lineTo(x, yOf(i, min(k) + i.curve.resident_bytes));
  }
  g.stroke();
}

/** A line over the whole width; it stops for words at its height. */
function horizontal(g: CanvasRenderingContext2D, i: ChartInput, bytes: number, color: string, dash: number[], words: Words | null): void {
  const y = Math.round(yOf(i, bytes)) + 0.5;
  const right = i.scale.left + i.scale.width;
  g.strokeStyle = color;
  g.lineWidth = 1.4;
  g.setLineDash(dash);
  g.beginPath();
  g.moveTo(i.scale.left, y);
  if (words && Math.abs(words.y - y) < 8) {
    g.lineTo(words.left - 3, y);
    g.moveTo(words.left + words.width + 3, y);
  }
  g.lineTo(right, y);
  g.stroke();
  g.setLineDash([]);
}

/** Where the peak's words stand: right of its dot where there is room. */
interface Words {
  x: number;
  y: number;
  left: number;
  width: number;
}

function peakWords(g: CanvasRenderingContext2D, i: ChartInput, label: string): Words | null {
  const step = i.curve.peak_step;
  if (step === null || step < i.scale.window.from || step >= i.scale.window.to) return null;
  const x = stepToX(i.scale, step + 0.5);
  g.font = `600 ${i.font}`;
  const width = g.measureText(label).width;
  return { x, y: yOf(i, i.peakBytes), left: i.scale.left + i.scale.width - x > 150 ? x + 8 : x - 8 - width, width };
}

/** Height of a line of words in the chart, with the room around it. */
const LABEL_PX = 16;

/** The capacity is named below its line, where nothing is hatched, unless that is too near to the axis: a program of many
 *  times the capacity has it at the bottom. */
export function capacityLabelBelow(y: number, bottom: number): boolean {
  return y + LABEL_PX <= bottom;
}

function drawCapacity(g: CanvasRenderingContext2D, i: ChartInput, c: ChartColors, words: Words | null): void {
  if (i.capacityBytes === null || i.capacityBytes > i.maxBytes) return;
  const y = yOf(i, i.capacityBytes);
  g.save();
  g.beginPath();
  g.rect(i.scale.left, i.top, i.scale.width, Math.max(0, y - i.top));
  g.clip();
  g.strokeStyle = c.hatch;
  g.globalAlpha = 0.28;
  g.lineWidth = 1;
  g.beginPath();
  for (let x = i.scale.left - 200; x < i.scale.left + i.scale.width; x += 7) {
    g.moveTo(x, y);
    g.lineTo(x + (y - i.top), i.top);
  }
  g.stroke();
  g.restore();
  horizontal(g, i, i.capacityBytes, c.bad, [], words);
  g.fillStyle = c.bad;
  g.textAlign = 'right';
  const below = capacityLabelBelow(y, i.bottom);
  g.textBaseline = below ? 'top' : 'bottom';
  g.font = `600 ${i.font}`;
  g.lineWidth = 3;
  g.strokeStyle = c.bg;
  const label = `capacity ${i.bytesText(i.capacityBytes)}`;
  const right = i.scale.left + i.scale.width - 6;
  // On the hatch the words need a ground of their own.
  if (!below) g.strokeText(label, right, y - 3);
  g.fillText(label, right, below ? y + 4 : y - 3);
}

function drawPeak(g: CanvasRenderingContext2D, i: ChartInput, c: ChartColors, label: string, words: Words): void {
  const { x, y, left } = words;
  g.fillStyle = c.peak;
  g.beginPath();
  g.arc(x, y, 3.5, 0, Math.PI * 2);
  g.fill();
  g.font = `600 ${i.font}`;
  g.textBaseline = 'middle';
  g.textAlign = 'left';
  g.lineWidth = 3;
  g.strokeStyle = c.bg;
  g.strokeText(label, left, y);
  g.fillText(label, left, y);
}

function drawLife(g: CanvasRenderingContext2D, i: ChartInput, c: ChartColors, life: Life): void {
  const left = Math.max(i.scale.left, stepToX(i.scale, life.start));
  const right = Math.min(i.scale.left + i.scale.width, stepToX(i.scale, life.end));
  if (right <= left) return;
  const top = yOf(i, life.bytes);
  g.fillStyle = c.bandLine;
  g.globalAlpha = 0.25;
  g.fillRect(left, top, right - left, i.bottom - top);
  g.globalAlpha = 1;
  g.strokeStyle = c.accent;
  g.lineWidth = 1.5;
  g.strokeRect(left + 0.75, top, Math.max(1, right - left - 1.5), i.bottom - top);
  if (right - left > 60) {
    g.font = i.font;
    g.textAlign = 'left';
    g.textBaseline = 'bottom';
    g.lineWidth = 3;
    g.strokeStyle = c.bg;
    g.fillStyle = c.accent;
    const y = Math.max(i.top + 12, top - 2);
    g.strokeText(life.label, left + 6, y);
    g.fillText(life.label, left + 6, y);
  }
}

export function drawChart(g: CanvasRenderingContext2D, i: ChartInput, c: ChartColors, peakLabel: string): void {
  const words = peakWords(g, i, peakLabel);
  drawAxis(g, i, c);
  g.save();
  g.beginPath();
  g.rect(i.scale.left, i.top - 14, i.scale.width, i.bottom - i.top + 14);
  g.clip();
  drawBand(g, i, c);
  if (i.curve.n > 0) {
    const { curve } = i;
    const paddingAtRest = curve.resident_bytes - (curve.resident_unpadded_bytes ?? curve.resident_bytes);
    fillUnder(g, i, c);
    g.setLineDash([2, 3]);
    strokeCurve(
      g,
      i,
      c.pad,
      1.2,
      (k) => (curve.min_unpadded_bytes[k] ?? 0) - paddingAtRest,
      (k) => (curve.max_unpadded_bytes[k] ?? 0) - paddingAtRest,
    );
    g.setLineDash([]);
    strokeCurve(
      g,
      i,
      i.under ? c.soft : c.fg,
      i.under ? 1 : 1.7,
      (k) => curve.min_bytes[k] ?? 0,
      (k) => curve.max_bytes[k] ?? 0,
    );
  }
  if (i.curve.reserved_bytes !== null) horizontal(g, i, i.curve.reserved_bytes, c.soft, [6, 4], words);
  drawCapacity(g, i, c, words);
  if (i.range) {
    const x0 = stepToX(i.scale, i.range.from);
    const x1 = stepToX(i.scale, i.range.to);
    g.fillStyle = c.accent;
    g.globalAlpha = 0.14;
    g.fillRect(x0, i.top, x1 - x0, i.bottom - i.top);
    g.globalAlpha = 1;
  }
  if (i.life) drawLife(g, i, c, i.life);
  g.restore();
  if (words) drawPeak(g, i, c, peakLabel, words);
}
