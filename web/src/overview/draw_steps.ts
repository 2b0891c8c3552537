/** Draws the steps as stacked columns from 0, and below them on a scale of its own how far the chips are apart. */
import { stepTicks } from '../canvas/axis';
import { fitText, textWidth } from '../canvas/text';
import { groupIndex } from '../trace/groups';
import { type Palette, pattern } from '../trace/palette';
import { fixed } from '../util/format';
import { type Part, PARTS, valueTicks } from './columns';
import { inUnit, type TimeUnit } from './numbers';
import type { Stepsplit } from '../api/answers';

export interface Scene {
  rows: Stepsplit['steps'];
  /** Mean of each part, for the words at the left. */
  means: readonly number[];
  p50: number;
  unit: TimeUnit;
  /** What a step is called, and its parts. */
  word: string;
  titles: readonly string[];
  /** Several chips and steps: their spread is drawn. */
  lens: boolean;
  /** Several steps: p50 and outliers mean something. */
  spread: boolean;
  /** Rows. */
  selected: number | null;
  hover: number | null;
  font: string;
}

/** Where things are on the canvas. */
export interface Frame {
  left: number;
  right: number;
  top: number;
  bottom: number;
  lensTop: number;
  lensBottom: number;
}

const LEFT = 44;
const RIGHT = 14;
const AXIS = 16;
const FOOT = 3;
/** From this width on a column is named by itself. */
const WIDE = 64;

export function frameOf(width: number, height: number, lens: boolean): Frame {
  const lensHigh = lens ? Math.min(110, Math.max(34, height * 0.18)) : 0;
  const lensBottom = height - AXIS - 2;
  const lensTop = lensBottom - lensHigh;
  return { left: LEFT, right: Math.max(LEFT + 1, width - RIGHT), top: 18, bottom: (lens ? lensTop - 20 : height - AXIS) - FOOT - 1, lensTop, lensBottom };
}

/** Index of the column under a pixel, or -1. */
export function columnAt(f: Frame, count: number, x: number): number {
  if (x < f.left || x >= f.right || !count) return -1;
  return Math.min(count - 1, Math.floor(((x - f.left) / (f.right - f.left)) * count));
}

interface Box {
  x: number;
  width: number;
}

function boxOf(f: Frame, count: number, k: number): Box {
  const each = (f.right - f.left) / count;
  const gap = each > 40 ? Math.min(36, each * 0.2) : each > 8 ? 2 : each > 3 ? 1 : 0;
  return { x: f.left + k * each + gap / 2, width: Math.max(each - gap, 0.75) };
}

function fillOf(g: CanvasRenderingContext2D, p: Palette, part: Part, wide: boolean, ratio: number): CanvasPattern | string {
  const at = groupIndex(part.group);
  if (part.kind === 'idle') return p.bg;
  if (part.kind !== 'compute') return pattern(g, 'hatch', p.bg, p.strong[at], ratio);
  return wide ? p.fill[at] : p.strong[at];
}

export function drawSteps(g: CanvasRenderingContext2D, width: number, height: number, s: Scene, p: Palette): void {
  const f = frameOf(width, height, s.lens);
  const count = s.rows.n;
  if (!count) return;
  const { most, ticks } = scaleOf(s, f);
  const y = (ps: number) => f.bottom - (ps / Math.max(most, 1)) * (f.bottom - f.top);
  g.font = s.font;
  g.textBaseline = 'middle';
  axis(g, f, s, p, ticks, y);
  const wide = boxOf(f, count, 0).width >= WIDE;
  drawColumns(g, f, s, p, y, wide);
  axis(g, f, s, p, ticks, y, true);
  if (s.spread) middleLine(g, f, s, p, y, wide);
  if (wide) columnWords(g, f, s, p, y);
  else partWords(g, f, s, p, y);
  if (s.lens) drawLens(g, f, s, p);
  stepNumbers(g, f, s, p);
}

/** From 0 to a little above the highest column; to the next round value where that is near. */
function scaleOf(s: Scene, f: Frame): { most: number; ticks: number[] } {
  const most = s.rows.duration_ps.reduce((high, ps) => Math.max(high, ps), s.spread ? s.p50 : 0) * 1.02;
  const ticks = valueTicks(most / s.unit.per, Math.max(2, Math.min(5, Math.floor((f.bottom - f.top) / 20))));
  const next = ticks.length > 1 ? ticks[ticks.length - 1] + ticks[1] : 0;
  return next * s.unit.per <= most * 1.05 && next > 0 ? { most: next * s.unit.per, ticks: [...ticks, next] } : { most, ticks };
}

/** Lines and their numbers; a second time over the columns, so that they shine through. */
function axis(g: CanvasRenderingContext2D, f: Frame, s: Scene, p: Palette, ticks: readonly number[], y: (ps: number) => number, over = false): void {
  g.strokeStyle = p.rule;
  g.fillStyle = p.soft;
  g.textAlign = 'right';
  g.lineWidth = 1;
  g.globalAlpha = over ? 0.5 : 1;
  for (const tick of ticks) {
    const at = Math.round(y(tick * s.unit.per)) + 0.5;
    g.beginPath();
    g.moveTo(f.left, at);
    g.lineTo(f.right, at);
    g.stroke();
    if (!over) g.fillText(fixed(tick, tick < 10 && ticks.some((t) => t % 1) ? 1 : 0), f.left - 7, at);
  }
  g.globalAlpha = 1;
}

function drawColumns(g: CanvasRenderingContext2D, f: Frame, s: Scene, p: Palette, y: (ps: number) => number, wide: boolean): void {
  const ratio = g.getTransform().a || 1;
  const fills = PARTS.map((part) => fillOf(g, p, part, wide, ratio));
  for (let k = 0; k < s.rows.n; k++) {
    const { x, width } = boxOf(f, s.rows.n, k);
    const top = y(s.rows.duration_ps[k]);
    if (s.selected === k || s.hover === k) {
      g.fillStyle = s.selected === k ? p.accentSoft : p.sunk;
      g.fillRect(x - 1, f.top - 8, width + 2, f.bottom - f.top + 8);
    }
    let base = 0;
    for (const [at, part] of PARTS.entries()) {
      const ps = s.rows[part.key][k];
      if (ps <= 0) continue;
      const high = y(base) - y(base + ps);
      g.fillStyle = fills[at];
      g.fillRect(x, y(base + ps), width, high);
      if (part.kind === 'idle' && width > 4) outline(g, p.ruleStrong, x, y(base + ps), width, high);
      base += ps;
    }
    if (s.spread && s.rows.outlier[k]) {
      g.fillStyle = p.warn;
      g.fillRect(x, f.bottom + 1, Math.max(width, 2), FOOT);
    }
    if (s.selected === k) outline(g, p.accent, x - 1, top - 1, width + 2, f.bottom - top + 2);
  }
}

function outline(g: CanvasRenderingContext2D, colour: string, x: number, y: number, width: number, height: number): void {
  g.strokeStyle = colour;
  g.lineWidth = 1;
  g.strokeRect(x + 0.5, y + 0.5, Math.max(width - 1, 1), Math.max(height - 1, 1));
}

/** Position of the label of the median: above its line. */
const middleLabel = (at: number): number => Math.max(7, at - 8);

function middleLine(g: CanvasRenderingContext2D, f: Frame, s: Scene, p: Palette, y: (ps: number) => number, wide: boolean): void {
  const at = Math.round(y(s.p50)) + 0.5;
  g.strokeStyle = p.fg;
  g.lineWidth = 1;
  g.setLineDash([4, 3]);
  g.beginPath();
  g.moveTo(f.left, at);
  g.lineTo(f.right, at);
  g.stroke();
  g.setLineDash([]);
  if (wide) return;
  g.font = `600 ${s.font}`;
  word(g, p, `p50 ${inUnit(s.p50, s.unit)} ${s.unit.word}`, f.left + 3, middleLabel(at), p.fg);
  g.font = s.font;
}

/** Text that stays readable on any background. */
function word(g: CanvasRenderingContext2D, p: Palette, text: string, x: number, y: number, colour: string): void {
  g.textAlign = 'left';
  g.fillStyle = p.bg;
  g.fillRect(x - 3, y - 7, textWidth(g, text) + 6, 14);
  g.fillStyle = colour;
  g.fillText(text, x, y + 0.5);
}

/** Few columns: each says how long it is, and its parts where they are high enough. */
function columnWords(g: CanvasRenderingContext2D, f: Frame, s: Scene, p: Palette, y: (ps: number) => number): void {
  for (let k = 0; k < s.rows.n; k++) {
    const { x, width } = boxOf(f, s.rows.n, k);
    g.font = `600 ${s.font}`;
    const whole = inUnit(s.rows.duration_ps[k], s.unit);
    word(g, p, whole, x + (width - textWidth(g, whole)) / 2, y(s.rows.duration_ps[k]) - 9, s.spread && s.rows.outlier[k] ? p.warn : p.fg);
    g.font = s.font;
    g.textAlign = 'left';
    let base = 0;
    for (const [at, part] of PARTS.entries()) {
      const ps = s.rows[part.key][k];
      const middle = y(base + ps / 2);
      base += ps;
      if (y(0) - y(ps) < 15) continue;
      const text = fitText(g, [`${s.titles[at]} ${inUnit(ps, s.unit)}`, inUnit(ps, s.unit)], width - 12);
      if (!text) continue;
      if (part.kind === 'compute') {
        g.fillStyle = p.fg;
        g.fillText(text, x + 6, middle + 0.5);
      } else word(g, p, text, x + 8, middle, p.fg);
    }
  }
}

/** Many columns: the parts are named once, at the left, with their mean. */
function partWords(g: CanvasRenderingContext2D, f: Frame, s: Scene, p: Palette, y: (ps: number) => number): void {
  let base = 0;
  let free = f.bottom + 2;
  const top = s.spread ? middleLabel(y(s.p50)) + 14 : f.top + 4;
  for (const [at, ps] of s.means.entries()) {
    const middle = y(base + ps / 2);
    base += ps;
    // A thin part at the bottom is named above itself; one that would read 0.0 is not seen, either.
    const place = Math.min(middle, free - 8);
    if (ps / s.unit.per < 0.05 || place < top || middle - place > 14) continue;
    word(g, p, `${s.titles[at]} ${fixed(ps / s.unit.per, 1)} ${s.unit.word}`, f.left + 10, place, p.fg);
    free = place - 8;
  }
}

function signed(ps: number, unit: TimeUnit): string {
  const size = Math.abs(ps / unit.per);
  const digits = size >= 10 ? 0 : size >= 0.1 ? 1 : 3;
  return `${ps > 0 ? '+' : ''}${fixed(ps / unit.per, digits)}`;
}

/** Slowest chip minus p50 as a dot, the bar reaches from the fastest to it. */
function drawLens(g: CanvasRenderingContext2D, f: Frame, s: Scene, p: Palette): void {
  const high = s.rows.slowest_ps.reduce((most, ps) => Math.max(most, ps - s.p50), 0);
  const low = s.rows.fastest_ps.reduce((least, ps) => Math.min(least, ps - s.p50), 0);
  const span = Math.max(high - low, 1);
  const y = (ps: number) => f.lensTop + 4 + ((high - ps) / span) * (f.lensBottom - f.lensTop - 8);
  g.textAlign = 'right';
  g.strokeStyle = p.rule;
  for (const value of [high, 0, low]) {
    const at = Math.round(y(value)) + 0.5;
    if (value !== 0 && Math.abs(at - y(0)) < 9) continue;
    g.beginPath();
    g.moveTo(f.left, at);
    g.lineTo(f.right, at);
    g.stroke();
    g.fillStyle = p.soft;
    g.fillText(value === 0 ? '0' : signed(value, s.unit), f.left - 7, at);
  }
  for (let k = 0; k < s.rows.n; k++) {
    const { x, width } = boxOf(f, s.rows.n, k);
    const middle = x + width / 2;
    const top = y(s.rows.slowest_ps[k] - s.p50);
    const thick = Math.min(4, Math.max(1, width * 0.3));
    g.fillStyle = p.ruleStrong;
    g.fillRect(middle - thick / 2, top, thick, Math.max(1, y(s.rows.fastest_ps[k] - s.p50) - top));
    g.fillStyle = p.fg;
    g.beginPath();
    g.arc(middle, top, Math.min(2.2, Math.max(1, width / 3)), 0, 2 * Math.PI);
    g.fill();
  }
}

/** The number of the step at the middle of its column. */
function stepNumbers(g: CanvasRenderingContext2D, f: Frame, s: Scene, p: Palette): void {
  const y = (s.lens ? f.lensBottom : f.bottom + FOOT) + 9;
  const count = s.rows.n;
  g.fillStyle = p.soft;
  g.textAlign = 'right';
  g.fillText(s.word, f.left - 7, y);
  const longest = s.rows.number.reduce((most, number) => Math.max(most, String(number).length), 1);
  const want = Math.max(1, Math.floor((f.right - f.left) / (longest * 7 + 40)));
  g.textAlign = 'center';
  for (const k of count <= want ? Array.from({ length: count }, (_, at) => at) : [0, ...stepTicks(1, count - 1, want)]) {
    const { x, width } = boxOf(f, count, k);
    g.fillText(String(s.rows.number[k]), x + width / 2, y);
  }
}
