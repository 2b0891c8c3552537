/** Stacked areas over program order: groups, the total as a line, reserved, the chosen steps with their flags. */
import { cssColor } from '../app/theme';
import { byteTicks } from '../canvas/axis';
import { fitText } from '../canvas/text';
import { type Scale, stepToX } from '../canvas/view';
import { inkColour } from '../charts/colours';
import { formatBytes } from '../util/format';
import { tickText } from '../memory/ticks';
import { areaVariable, areaWords, isResident } from './colours';
import { letterOf } from './steps';
import type { SplitBy } from './state';
import type { Areas } from './types';

/** Where a chart over program order is drawn, and the steps marked in it. */
export interface Frame {
  scale: Scale;
  top: number;
  bottom: number;
  maxBytes: number;
  chosen: readonly (number | null)[];
  /** Height of the mark on a chosen step; null: none. */
  valueAt: (step: number) => number | null;
  hover: number | null;
  font: string;
}

interface AreasInput extends Frame {
  areas: Areas & { from: number; to: number };
  hidden: ReadonlySet<string>;
  withTotal: boolean;
}

function selectionColour(index: number): string {
  return cssColor(index === 0 ? '--sel-a' : index === 1 ? '--sel-b' : '--fg-soft');
}

export const yOf = (i: Frame, bytes: number) => i.bottom - (bytes / i.maxBytes) * (i.bottom - i.top);

/** Left edges of the columns, and the right edge of the last: columns share the asked window evenly. */
function edges(i: AreasInput): number[] {
  const n = i.areas.columns.length;
  const span = i.areas.to - i.areas.from;
  return Array.from({ length: n + 1 }, (_, k) => stepToX(i.scale, i.areas.from + (k * span) / Math.max(n, 1)));
}

export function byteAxis(g: CanvasRenderingContext2D, i: Frame): void {
  g.font = i.font;
  g.textAlign = 'right';
  g.textBaseline = 'middle';
  for (const tick of byteTicks(i.maxBytes, Math.max(2, Math.floor((i.bottom - i.top) / 34)))) {
    const y = Math.round(yOf(i, tick)) + 0.5;
    g.strokeStyle = cssColor('--rule');
    g.beginPath();
    g.moveTo(i.scale.left, y);
    g.lineTo(i.scale.left + i.scale.width, y);
    g.stroke();
    g.fillStyle = cssColor('--fg-soft');
    g.fillText(tickText(tick), i.scale.left - 8, y);
  }
}

/** Order of the stack: what is always there, then by size at the peak. */
export function stackOf(areas: Areas): number[] {
  const by = areas.by as SplitBy;
  return areas.groups
    .map((_, k) => k)
    .sort(
      (a, b) =>
        Number(isResident(by, areas.groups[b].name)) - Number(isResident(by, areas.groups[a].name)) || areas.groups[b].peak_bytes - areas.groups[a].peak_bytes,
    );
}

function stack(g: CanvasRenderingContext2D, i: AreasInput, x: number[]): void {
  const by = i.areas.by as SplitBy;
  const n = i.areas.columns.length;
  const base = new Float64Array(n);
  for (const k of stackOf(i.areas)) {
    const group = i.areas.groups[k];
    if (i.hidden.has(group.name)) continue;
    const variable = areaVariable(by, group.name, k);
    g.fillStyle = cssColor(variable);
    g.globalAlpha = Number(cssColor('--area-alpha'));
    g.beginPath();
    g.moveTo(x[0], yOf(i, base[0]));
    for (let c = 0; c < n; c++) {
      const y = yOf(i, base[c] + group.curve_bytes[c]);
      g.lineTo(x[c], y);
      g.lineTo(x[c + 1], y);
    }
    for (let c = n; c-- > 0; ) {
      const y = yOf(i, base[c]);
      g.lineTo(x[c + 1], y);
      g.lineTo(x[c], y);
    }
    g.fill();
    g.globalAlpha = 1;
    label(g, i, x, base, k, variable);
    for (let c = 0; c < n; c++) base[c] += group.curve_bytes[c];
  }
}

/** The name inside an area, where it is high enough over enough columns. */
function label(g: CanvasRenderingContext2D, i: AreasInput, x: number[], base: Float64Array, k: number, variable: string): void {
  const group = i.areas.groups[k];
  const least = (15 / (i.bottom - i.top)) * i.maxBytes;
  let best = { from: 0, to: 0 };
  for (let c = 0; c < group.curve_bytes.length; ) {
    const from = c;
    let low = -Infinity;
    let high = Infinity;
    while (c < group.curve_bytes.length) {
      const nextLow = Math.max(low, base[c]);
      const nextHigh = Math.min(high, base[c] + group.curve_bytes[c]);
      if (nextHigh - nextLow < least) break;
      low = nextLow;
      high = nextHigh;
      c++;
    }
    if (c > from && x[c] - x[from] > x[best.to] - x[best.from]) best = { from, to: c };
    if (c === from) c++;
  }
  const width = x[best.to] - x[best.from];
  if (width < 50) return;
  let low = 0;
  let high = Infinity;
  for (let c = best.from; c < best.to; c++) {
    low = Math.max(low, base[c]);
    high = Math.min(high, base[c] + group.curve_bytes[c]);
  }
  const name = areaWords(i.areas.by as SplitBy, group.name, group.joined);
  g.font = i.font;
  // Its bytes are those at the peak: they stand where the words lie over it.
  const peak = i.areas.peak_step;
  const at = peak === null ? -1 : stepToX(i.scale, peak + 0.5);
  const held = at >= x[best.from] && at <= x[best.to] ? [`${name} ${formatBytes(group.peak_bytes, { withUnit: false })}`] : [];
  const text = fitText(g, [...held, name], width - 12);
  g.textAlign = 'center';
  g.textBaseline = 'middle';
  g.fillStyle = inkColour(variable, true);
  if (text) g.fillText(text, (x[best.from] + x[best.to]) / 2, yOf(i, (low + high) / 2));
}

function totalLine(g: CanvasRenderingContext2D, i: AreasInput, x: number[]): void {
  g.strokeStyle = cssColor('--fg');
  g.lineWidth = 1.7;
  g.beginPath();
  i.areas.total_bytes.forEach((value, c) => {
    if (c === 0) g.moveTo(x[0], yOf(i, value));
    else g.lineTo(x[c], yOf(i, value));
    g.lineTo(x[c + 1], yOf(i, value));
  });
  g.stroke();
}

function level(g: CanvasRenderingContext2D, i: AreasInput): void {
  const y = Math.round(yOf(i, i.areas.reserved_bytes)) + 0.5;
  g.strokeStyle = cssColor('--fg-soft');
  g.setLineDash([6, 4]);
  g.lineWidth = 1.2;
  g.beginPath();
  g.moveTo(i.scale.left, y);
  g.lineTo(i.scale.left + i.scale.width, y);
  g.stroke();
  g.setLineDash([]);
  words(g, i, `reserved ${formatBytes(i.areas.reserved_bytes, { withUnit: false })}`, i.scale.left + i.scale.width - 4, y - 8, 'right', '--fg-soft');
}

export function words(g: CanvasRenderingContext2D, i: Frame, text: string, x: number, y: number, align: CanvasTextAlign, variable: string): void {
  g.font = i.font;
  g.textAlign = align;
  g.textBaseline = 'middle';
  g.lineWidth = 3;
  g.strokeStyle = cssColor('--bg');
  g.strokeText(text, x, y);
  g.fillStyle = cssColor(variable);
  g.fillText(text, x, y);
}

/** A box with light text; returns nothing: drawn around x, kept inside the plot. */
function flag(g: CanvasRenderingContext2D, i: Frame, text: string, at: number, y: number, colour: string, filled: boolean): void {
  g.font = `600 ${i.font}`;
  const width = g.measureText(text).width + 14;
  const x = Math.max(i.scale.left, Math.min(at - width / 2, i.scale.left + i.scale.width - width));
  g.beginPath();
  g.roundRect(x, y, width, 16, 3);
  g.fillStyle = filled ? colour : cssColor('--bg');
  g.fill();
  g.strokeStyle = colour;
  g.lineWidth = 1.2;
  g.stroke();
  g.fillStyle = filled ? cssColor('--bg') : colour;
  g.textAlign = 'center';
  g.textBaseline = 'middle';
  g.fillText(text, x + width / 2, y + 8.5);
}

export function chosenSteps(g: CanvasRenderingContext2D, i: Frame): void {
  i.chosen.forEach((step, k) => {
    if (step === null || step < i.scale.window.from || step >= i.scale.window.to) return;
    const x = stepToX(i.scale, step + 0.5);
    const colour = selectionColour(k);
    const value = i.valueAt(step);
    g.strokeStyle = colour;
    g.lineWidth = 2;
    g.beginPath();
    g.moveTo(x, 18);
    g.lineTo(x, i.bottom);
    g.stroke();
    if (value !== null) {
      g.beginPath();
      g.arc(x, yOf(i, value), 3, 0, 7);
      g.fillStyle = colour;
      g.fill();
    }
    flag(g, i, value === null ? letterOf(k) : `${letterOf(k)} ${formatBytes(value, { withUnit: false })}`, x, 2, colour, false);
    flag(g, i, `${letterOf(k)} step ${step}`, x, i.bottom + 3, colour, true);
  });
}

export function hoverLine(g: CanvasRenderingContext2D, i: Frame): void {
  if (i.hover === null) return;
  const at = Math.round(stepToX(i.scale, i.hover + 0.5)) + 0.5;
  g.strokeStyle = cssColor('--fg-faint');
  g.lineWidth = 1;
  g.beginPath();
  g.moveTo(at, 0);
  g.lineTo(at, i.bottom);
  g.stroke();
}

export function drawAreas(g: CanvasRenderingContext2D, i: AreasInput): void {
  byteAxis(g, i);
  const x = edges(i);
  g.save();
  g.beginPath();
  g.rect(i.scale.left, 0, i.scale.width, i.bottom);
  g.clip();
  if (i.areas.columns.length > 0) {
    stack(g, i, x);
    if (i.withTotal) totalLine(g, i, x);
  }
  level(g, i);
  const peak = i.areas.peak_step;
  if (peak !== null && peak >= i.scale.window.from && peak < i.scale.window.to) {
    const at = stepToX(i.scale, peak + 0.5);
    const y = yOf(i, i.areas.peak_bytes);
    g.fillStyle = cssColor('--peak');
    g.beginPath();
    g.arc(at, y, 3.5, 0, 7);
    g.fill();
    const right = i.scale.left + i.scale.width - at > 160;
    // In a low chart the words would lie across the curve; the flag of the step has the number there.
    if (i.bottom - y > 60)
      words(
        g,
        i,
        `peak ${formatBytes(i.areas.peak_bytes, { withUnit: false })}, step ${peak}`,
        right ? at + 8 : at - 8,
        y + 9,
        right ? 'left' : 'right',
        '--peak',
      );
  }
  hoverLine(g, i);
  g.restore();
  chosenSteps(g, i);
}
