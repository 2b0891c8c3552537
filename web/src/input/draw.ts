/** Draws the steps as stacked bars, program above, loaders below on the same scale; and lanes of time. */
import { fitText } from '../canvas/text';
import { stepTicks } from '../canvas/axis';
import { valueTicks } from '../overview/columns';
import { type TimeUnit, unitOf } from '../overview/numbers';
import { durationText } from '../trace/time';
import { fixed } from '../util/format';
import type { InputLanesAnswer, InputStepsAnswer } from '../api/answers';
import { type Colours, LOADER, type Part, PROGRAM, titleOf } from './classes';

const LEFT = 92;
const RIGHT = 14;
const FOOT = 18;

export interface Bars {
  all: InputStepsAnswer;
  unit: TimeUnit;
  selected: number;
  hover: number;
  range: [number, number] | null;
  /** Names at the left: the program's thread, how many loaders. */
  program: string;
  loader: string;
  font: string;
}

export interface Frame {
  left: number;
  right: number;
}
export const frameOf = (width: number): Frame => ({ left: LEFT, right: Math.max(LEFT + 1, width - RIGHT) });

export function barAt(f: Frame, count: number, x: number): number {
  return x < f.left || x >= f.right || !count ? -1 : Math.min(count - 1, Math.floor(((x - f.left) / (f.right - f.left)) * count));
}

interface Panel {
  top: number;
  bottom: number;
  most: number;
}

const yOf = (panel: Panel, ps: number) => panel.bottom - (ps / Math.max(1, panel.most)) * (panel.bottom - panel.top);

function axis(g: CanvasRenderingContext2D, f: Frame, panel: Panel, s: Bars, c: Colours, title: string, detail: string): void {
  g.textAlign = 'right';
  g.strokeStyle = c.rule;
  g.fillStyle = c.soft;
  for (const tick of valueTicks(panel.most / s.unit.per, Math.max(1, Math.floor((panel.bottom - panel.top) / 40)))) {
    const at = Math.round(yOf(panel, tick * s.unit.per)) + 0.5;
    g.beginPath();
    g.moveTo(f.left, at);
    g.lineTo(f.right, at);
    g.stroke();
    g.fillText(fixed(tick, tick % 1 ? 1 : 0), f.left - 6, at);
  }
  g.textAlign = 'left';
  g.fillStyle = c.fg;
  g.fillText(fitText(g, [title], 84), 6, panel.top + 8);
  g.fillStyle = c.soft;
  g.fillText(fitText(g, [detail], 84), 6, panel.top + 22);
}

function stack(g: CanvasRenderingContext2D, f: Frame, panel: Panel, s: Bars, c: Colours, parts: Part[], share: number): void {
  const { all } = s;
  const each = (f.right - f.left) / all.n;
  const gap = each > 6 ? 2 : each > 3 ? 1 : 0;
  for (let row = 0; row < all.n; row++) {
    let sum = 0;
    for (const part of parts) {
      const ps = all[part.key] as number[];
      const from = yOf(panel, sum);
      sum += ps[row] * share;
      g.fillStyle = c[part.class];
      g.fillRect(f.left + row * each + gap / 2, yOf(panel, sum), Math.max(each - gap, 0.75), from - yOf(panel, sum));
    }
  }
}

/** A tick over each bar: when some device worked, or what the busiest loader did. */
function ticks(g: CanvasRenderingContext2D, f: Frame, panel: Panel, of: (number | null)[], c: Colours): void {
  const each = (f.right - f.left) / of.length;
  g.fillStyle = c.fg;
  of.forEach((ps, row) => {
    if (ps !== null) g.fillRect(f.left + row * each, Math.round(yOf(panel, ps)) - 1, Math.max(each - 1, 1), 2);
  });
}

function marks(g: CanvasRenderingContext2D, f: Frame, s: Bars, c: Colours, top: number, bottom: number): void {
  const each = (f.right - f.left) / s.all.n;
  const frame = (row: number, alpha: number) => {
    if (row < 0) return;
    g.globalAlpha = alpha;
    g.strokeRect(f.left + row * each + 0.5, top + 0.5, Math.max(2, each - 1), bottom - top - 1);
    g.globalAlpha = 1;
  };
  g.strokeStyle = c.mark;
  g.lineWidth = 1.5;
  frame(s.selected, 1);
  frame(s.hover, 0.5);
  g.lineWidth = 1;
  if (!s.range) return;
  g.fillStyle = c.mark;
  g.globalAlpha = 0.12;
  s.all.number.forEach((number, row) => {
    if (s.range && number >= s.range[0] && number <= s.range[1]) g.fillRect(f.left + row * each, top, each, bottom - top);
  });
  g.globalAlpha = 1;
}

function numbers(g: CanvasRenderingContext2D, f: Frame, s: Bars, c: Colours, height: number): void {
  g.fillStyle = c.soft;
  g.textAlign = 'center';
  const each = (f.right - f.left) / s.all.n;
  for (const row of stepTicks(0, s.all.n - 1, Math.max(2, (f.right - f.left) / 90)))
    g.fillText(String(s.all.number[Math.floor(row)]), f.left + (row + 0.5) * each, height - 8);
}

export function drawBars(g: CanvasRenderingContext2D, width: number, height: number, s: Bars, c: Colours): void {
  const { all } = s;
  if (!all.n) return;
  const f = frameOf(width);
  const most = all.duration_ps.reduce((high, ps) => Math.max(high, ps), 1) * 1.04;
  const loader = all.loaders > 0 ? Math.max(...all.loader_most_ps, most) : 0;
  const bottom = height - FOOT;
  const middle = loader ? 6 + (bottom - 14) * 0.58 : bottom;
  const program: Panel = { top: 6, bottom: middle, most };
  g.font = s.font;
  g.textBaseline = 'middle';
  axis(g, f, program, s, c, 'Program', s.program);
  stack(g, f, program, s, c, PROGRAM, 1);
  ticks(g, f, program, all.busy_ps, c);
  if (loader) {
    const panel: Panel = { top: middle + 10, bottom, most: loader };
    axis(g, f, panel, s, c, all.loaders > 1 ? 'Loaders' : 'Loader', s.loader);
    stack(g, f, panel, s, c, LOADER, 1 / all.loaders);
    if (all.loaders > 1) ticks(g, f, panel, all.loader_most_ps, c);
  }
  marks(g, f, s, c, 2, bottom + 1);
  numbers(g, f, s, c, height);
}

// ---- lanes ----

/** Loaders drawn below the program. */
export const LANES = 4;
const LANE = 20;

/** The program, the first loaders, the devices. */
function shownLanes(a: InputLanesAnswer): number[] {
  let loaders = 0;
  return a.lanes.flatMap((lane, k) => (lane.role !== 'loader' || loaders++ < LANES ? [k] : []));
}

function laneName(a: InputLanesAnswer, order: number[], lane: number): string {
  const { role } = a.lanes[order[lane]];
  const loaders = a.lanes.filter((one) => one.role === 'loader').length;
  return role === 'program'
    ? 'Program'
    : role === 'device'
      ? 'Device'
      : loaders > 1
        ? `Loader ${a.lanes.slice(0, order[lane] + 1).filter((one) => one.role === 'loader').length}`
        : 'Loader';
}

export const lanesHeight = (a: InputLanesAnswer): number => 22 + shownLanes(a).length * LANE + 20;

export function drawLanes(g: CanvasRenderingContext2D, width: number, a: InputLanesAnswer, font: string, c: Colours, selected: number | null): void {
  const f = frameOf(width);
  const x = (ps: number) => f.left + ((ps - a.from_ps) / Math.max(1, a.to_ps - a.from_ps)) * (f.right - f.left);
  g.font = font;
  g.textBaseline = 'middle';
  g.textAlign = 'left';
  for (let k = 0; k < a.steps.n; k++) {
    const from = x(a.steps.start_ps[k]),
      to = x(a.steps.start_ps[k] + a.steps.duration_ps[k]);
    g.fillStyle = a.steps.number[k] === selected ? c.mark : c.sunk;
    g.globalAlpha = a.steps.number[k] === selected ? 0.2 : 1;
    g.fillRect(from, 2, Math.max(1, to - from - 1), 15);
    g.globalAlpha = 1;
    g.fillStyle = c.fg;
    g.fillText(fitText(g, [`step ${a.steps.number[k]} ${durationText(a.steps.duration_ps[k])}`, `step ${a.steps.number[k]}`], to - from - 6), from + 4, 10);
  }
  const order = shownLanes(a);
  const shown = order.length;
  for (let lane = 0; lane < shown; lane++) {
    g.fillStyle = c.fg;
    g.fillText(laneName(a, order, lane), 6, 22 + lane * LANE + LANE / 2);
    g.fillStyle = c.sunk;
    g.fillRect(f.left, 22 + lane * LANE + 1, f.right - f.left, LANE - 3);
  }
  for (let k = 0; k < a.pieces.n; k++) {
    const lane = order.indexOf(a.pieces.lane[k]);
    if (lane < 0) continue;
    const kind = a.pieces.class[k];
    const from = x(a.pieces.start_ps[k]),
      to = x(a.pieces.start_ps[k] + a.pieces.duration_ps[k]);
    g.fillStyle = c[kind];
    g.fillRect(from, 22 + lane * LANE + 1, Math.max(0.75, to - from), LANE - 3);
    const text = to - from > 50 ? fitText(g, [`${titleOf(kind)} ${durationText(a.pieces.duration_ps[k])}`, titleOf(kind)], to - from - 8) : '';
    if (text) label(g, text, from + 4, 22 + lane * LANE + LANE / 2, c[kind]);
  }
  times(g, f, a, c, 22 + shown * LANE + 9);
}

/** Dark on light colours, light on dark ones. */
function label(g: CanvasRenderingContext2D, text: string, x: number, y: number, fill: string): void {
  const hex = /^#(..)(..)(..)/.exec(fill);
  const [red, green, blue] = hex ? hex.slice(1).map((two) => Number.parseInt(two, 16)) : [255, 255, 255];
  g.fillStyle = red * 0.3 + green * 0.59 + blue * 0.11 > 130 ? '#10141a' : '#ffffff';
  g.fillText(text, x, y);
}

/** Round distances from the left edge, which has the time itself. */
function times(g: CanvasRenderingContext2D, f: Frame, a: InputLanesAnswer, c: Colours, y: number): void {
  const span = Math.max(1, a.to_ps - a.from_ps);
  const unit = unitOf(span);
  g.fillStyle = c.soft;
  for (const tick of valueTicks(span / unit.per, Math.max(1, Math.min(8, Math.floor((f.right - f.left) / 110))))) {
    const at = f.left + ((tick * unit.per) / span) * (f.right - f.left);
    if (at < f.right - 60) g.fillText(tick === 0 ? durationText(a.from_ps) : `+${fixed(tick, Number.isInteger(tick) ? 0 : 1)} ${unit.word}`, at, y);
  }
}
