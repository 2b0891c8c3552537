/** Draws the strips: stack and heap up to what is in use, free memory up to the capacity, fragmentation on a scale of its own, the
 *  growth line, steps and instants. */
import type { AllocatorTrack, AllocStepsAnswer, TraceAllocators } from '../api/answers';
import { cssColor } from '../app/theme';
import { byteTicks } from '../canvas/axis';
import { fitText, textWidth } from '../canvas/text';
import type { Lane, Names } from '../trace/boxes';
import { durationText, tickText, timeTicks } from '../trace/time';
import type { Below } from './state';
import { showsCapacity, topOf, type Window } from './window';
import { bytes, growthLine, instant, peakLine, shorterTitles } from './words';

export interface Scene {
  tracks: readonly AllocatorTrack[];
  shown: readonly number[];
  focus: number;
  window: Window;
  ownScale: boolean;
  steps: AllocStepsAnswer | null;
  /** Rows below the steps, and what is in them. */
  below: readonly Below[];
  modules: { lane: Lane; names: Names } | null;
  askers: TraceAllocators['asked_by'];
  a: number | null;
  b: number | null;
  /** In use at A, by track. */
  heldAtA: readonly (number | null)[];
  range: Window | null;
  hover: { time: number; lane: number } | null;
  cut: boolean;
  font: string;
}
export interface Frame {
  left: number;
  right: number;
  strip: number;
  /** Height of the row of fragmentation, with one strip. */
  row: number;
  stepsTop: number;
  /** Of the first row below the steps; each is as high as they are. */
  belowTop: number;
  axisTop: number;
}

const STRIP_SMALL = 24;
const STEPS = 18;
const AXIS = 20;
const GAP = 4;

/** Room for the longest name beside the numbers of the scale. */
export const roomFor = (names: readonly string[]): number =>
  Math.min(210, Math.max(136, names.reduce((most, name) => Math.max(most, name.length), 0) * 7 + 76));

export function frameOf(width: number, height: number, count: number, room = 124, below = 0): Frame {
  const left = width < 560 ? 76 : room;
  const single = count === 1;
  const row = single ? Math.min(48, height * 0.16) : 0;
  const belowTop = height - STEPS * below - AXIS;
  const stepsTop = belowTop - STEPS;
  const high = stepsTop - row - GAP;
  return {
    left,
    right: Math.max(left + 10, width - (width < 560 ? 10 : 44)),
    strip: Math.max(STRIP_SMALL, high / Math.max(1, count)),
    row,
    stepsTop,
    belowTop,
    axisTop: height - AXIS,
  };
}

export const heightFor = (count: number, below = 0): number =>
  (count <= 1 ? 300 : Math.min(8, count) * 60 + Math.max(0, count - 8) * STRIP_SMALL + STEPS + AXIS + GAP) + below * STEPS;
/** Below it strips would be lower than they may: the charts scroll. */
export const leastHeight = (count: number, below = 0): number => count * STRIP_SMALL + STEPS + AXIS + GAP + below * STEPS;
export const xOf = (f: Frame, w: Window, time: number): number => f.left + ((time - w.from) / (w.to - w.from)) * (f.right - f.left);
export const timeAt = (f: Frame, w: Window, x: number): number => w.from + ((x - f.left) / (f.right - f.left)) * (w.to - w.from);
/** Which strip a pixel is in: place among those shown; -1 = none. */
export const laneAt = (f: Frame, count: number, y: number): number => (y >= 0 && y < f.strip * count ? Math.floor(y / f.strip) : -1);

/** Which row below the steps a pixel is in; -1 = none. */
export const belowAt = (f: Frame, count: number, y: number): number => {
  const k = Math.floor((y - f.belowTop) / STEPS);
  return k < count ? Math.max(-1, k) : -1;
};

type G = CanvasRenderingContext2D;

function hatch(g: G, x: number, y: number, width: number, height: number): void {
  if (width <= 0) return;
  g.save();
  g.beginPath();
  g.rect(x, y, width, height);
  g.clip();
  g.strokeStyle = cssColor('--rule-strong');
  g.lineWidth = 1;
  g.beginPath();
  for (let k = -height; k < width + height; k += 6) {
    g.moveTo(x + k, y + height);
    g.lineTo(x + k + height, y);
  }
  g.stroke();
  g.restore();
}

interface Strip {
  f: Frame;
  w: Window;
  t: AllocatorTrack;
  top: number;
  bottom: number;
  /** Bytes at the top. */
  most: number;
}
const yOf = (s: Strip, size: number): number => s.bottom - (Math.min(size, s.most) / s.most) * (s.bottom - s.top);

/** Calls with each span of the curve that is in the window. */
function spans(s: Strip, each: (k: number, x: number, end: number) => void): void {
  const { at_ps: at, n } = s.t;
  const last = xOf(s.f, s.w, s.w.to);
  for (let k = 0; k < n; k++) {
    // Whole pixels, so that neighbours share an edge.
    const x = Math.round(Math.max(s.f.left, xOf(s.f, s.w, at[k])));
    const end = Math.round(Math.min(last, k + 1 < n ? xOf(s.f, s.w, at[k + 1]) : last));
    if (end >= s.f.left && x < last) each(k, x, Math.max(end, x + 1));
  }
}

function drawAreas(g: G, s: Strip): void {
  // One path each: what overlaps by a pixel is not painted twice.
  const heap = new Path2D();
  const stack = new Path2D();
  spans(s, (k, x, end) => {
    const used = s.t.most_here_bytes[k];
    const reserved = Math.min(used, s.t.reserved_bytes[k] ?? 0);
    heap.rect(x, yOf(s, used), end - x, yOf(s, reserved) - yOf(s, used));
    stack.rect(x, yOf(s, reserved), end - x, s.bottom - yOf(s, reserved));
  });
  g.fillStyle = cssColor('--m-param');
  g.globalAlpha = 0.75;
  g.fill(heap);
  g.globalAlpha = 1;
  g.fillStyle = cssColor('--m-temp');
  g.fill(stack);
  g.strokeStyle = cssColor('--fg');
  g.lineWidth = 1;
  g.beginPath();
  let begun = false;
  spans(s, (k, x, end) => {
    const y = Math.round(yOf(s, s.t.most_here_bytes[k])) + 0.5;
    if (begun) g.lineTo(x, y);
    else g.moveTo(x, y);
    begun = true;
    g.lineTo(end, y);
  });
  g.stroke();
}

/** From `bottom` (0) to `top` (1); a gap where it is not said. */
function drawFragmentation(g: G, s: Strip, top: number, bottom: number): void {
  g.strokeStyle = cssColor('--m-pad');
  g.setLineDash([3, 2]);
  g.beginPath();
  let open = false;
  spans(s, (k, x, end) => {
    const share = s.t.fragmentation[k];
    if (share === null) {
      open = false;
      return;
    }
    const y = Math.round(bottom - share * (bottom - top)) + 0.5;
    if (open) g.lineTo(x, y);
    else g.moveTo(x, y);
    g.lineTo(end, y);
    open = true;
  });
  g.stroke();
  g.setLineDash([]);
  // Its own scale, on the right.
  if (bottom - top < 28 || s.f.left < 100 || s.t.fragmentation.every((share) => share === null)) return;
  g.fillStyle = cssColor('--fg-soft');
  g.textAlign = 'left';
  g.fillText('100 %', s.f.right + 4, top + 6);
  g.fillText('0', s.f.right + 4, bottom - 6);
}

function drawLevels(g: G, s: Strip): void {
  g.fillStyle = cssColor('--fg');
  g.textAlign = 'left';
  const high = s.bottom - s.top;
  if (high < 30) return;
  let level: { x: number; end: number; used: number; reserved: number } | null = null;
  const put = () => {
    if (!level || level.end - level.x < 60 || level.used < s.most * 0.3) return;
    const stack = level.reserved > level.used / 2;
    const label = fitText(g, [`${stack ? 'stack ' : ''}${bytes(stack ? level.reserved : level.used)}`, bytes(level.used)], level.end - level.x - 8);
    if (!label) return;
    g.fillStyle = cssColor('--bg');
    g.globalAlpha = 0.8;
    g.fillRect(level.x + 3, s.bottom - 19, textWidth(g, label) + 6, 15);
    g.globalAlpha = 1;
    g.fillStyle = cssColor('--fg');
    g.fillText(label, level.x + 6, s.bottom - 11);
  };
  spans(s, (k, x, end) => {
    const used = s.t.most_here_bytes[k];
    const reserved = s.t.reserved_bytes[k] ?? 0;
    // What differs by less than a line's width is one level.
    if (level && Math.abs(level.used - used) < s.most / high) level.end = end;
    else {
      put();
      level = { x, end, used, reserved };
    }
  });
  put();
}

function drawGrowth(g: G, s: Strip, answer: AllocStepsAnswer, lane: number, a: number | null): void {
  const at = answer.growth.allocator.indexOf(lane);
  const slope = answer.growth.slope_bytes[at];
  const start = answer.growth.intercept_bytes[at];
  if (answer.allocator !== lane || answer.growth.verdict[at] !== 'leak' || slope === null || start === null || answer.n < 2) return;
  const red = cssColor('--bad');
  const x = (k: number) => xOf(s.f, s.w, (answer.from_ps[k] + answer.to_ps[k]) / 2);
  g.save();
  g.beginPath();
  g.rect(s.f.left, s.top, s.f.right - s.f.left, s.bottom - s.top);
  g.clip();
  for (const [colour, width] of [
    [cssColor('--bg'), 4],
    [red, 2],
  ] as const) {
    g.strokeStyle = colour;
    g.lineWidth = width;
    g.beginPath();
    g.moveTo(x(0), yOf(s, start + slope * answer.number[0]));
    g.lineTo(x(answer.n - 1), yOf(s, start + slope * answer.number[answer.n - 1]));
    g.stroke();
  }
  g.lineWidth = 1;
  g.fillStyle = red;
  for (let k = 0; k < answer.n; k++) {
    const least = answer.least_bytes[k];
    if (least === null) continue;
    g.beginPath();
    g.arc(x(k), yOf(s, least), 2, 0, 2 * Math.PI);
    g.fill();
  }
  g.textAlign = 'left';
  // Behind what stands at A, where they would meet.
  const said = growthLine(answer, at);
  const held = a === null ? -1 : xOf(s.f, s.w, a);
  const left = held >= s.f.left && held < s.f.left + textWidth(g, said) + 24 ? held + 76 : s.f.left + 12;
  g.fillText(fitText(g, [said], s.f.right - left - 12), left, s.top + 10);
  g.restore();
}

function drawNames(g: G, s: Strip, focus: boolean): void {
  const small = s.bottom - s.top < 34;
  g.textAlign = 'left';
  g.fillStyle = cssColor('--fg');
  const font = g.font;
  g.font = `${focus ? '700' : '600'} ${font}`;
  g.fillText(fitText(g, shorterTitles(s.t.title), s.f.left - (s.f.left > 100 ? 68 : 12)), 8, s.top + 8);
  g.font = font;
  g.fillStyle = cssColor('--fg-soft');
  const peak = fitText(g, [peakLine(s.t), bytes(s.t.most_bytes)], s.f.left - (s.f.left > 100 ? 68 : 10));
  if (!small) g.fillText(peak, 8, s.top + 23);
  if (small || s.f.left < 100) return;
  g.textAlign = 'right';
  const high = s.bottom - s.top;
  for (const tick of byteTicks(s.most, Math.max(2, high / 40))) {
    const y = yOf(s, tick);
    if (tick > 0 && y < s.top + 5) continue;
    const [label, at] = [bytes(tick), Math.min(s.bottom - 5, Math.max(s.top + 6, y))];
    const meetsPeak = Math.abs(at - s.top - 23) < 13 && 8 + textWidth(g, peak) + 8 > s.f.left - 5 - textWidth(g, label);
    if (!meetsPeak) g.fillText(label, s.f.left - 5, at);
    g.strokeStyle = cssColor('--rule');
    g.beginPath();
    g.moveTo(s.f.left, Math.round(y) + 0.5);
    g.lineTo(s.f.right, Math.round(y) + 0.5);
    g.stroke();
  }
}

function drawStrip(g: G, s: Strip, scene: Scene, lane: number): void {
  const { f, t } = s;
  const capacity = showsCapacity(t, s.most);
  g.fillStyle = cssColor(capacity ? '--m-free' : '--bg-sunk');
  g.fillRect(f.left, s.top, f.right - f.left, s.bottom - s.top);
  const first = xOf(f, s.w, t.first_at_ps);
  if (first > f.left) hatch(g, f.left, s.top, Math.min(first, f.right) - f.left, s.bottom - s.top);
  drawNames(g, s, lane === scene.focus && scene.shown.length > 1);
  drawAreas(g, s);
  if (capacity) {
    g.strokeStyle = cssColor('--bad');
    g.beginPath();
    const y = Math.round(yOf(s, t.capacity_bytes ?? 0)) + 0.5;
    g.moveTo(f.left, y);
    g.lineTo(f.right, y);
    g.stroke();
  }
  if (scene.steps) drawGrowth(g, s, scene.steps, lane, scene.a);
  if (scene.shown.length > 1) drawFragmentation(g, s, s.top, s.bottom);
  drawLevels(g, s);
}

function drawSteps(g: G, f: Frame, scene: Scene): void {
  const answer = scene.steps;
  const y = f.stepsTop;
  g.textAlign = 'left';
  g.fillStyle = cssColor('--fg-soft');
  g.fillText(answer ? { steps: 'Steps', runs: 'Runs', tenths: 'Tenths' }[answer.what] : 'Steps', 8, y + 9);
  if (!answer) return;
  for (let k = 0; k < answer.n; k++) {
    const x = Math.max(f.left, xOf(f, scene.window, answer.from_ps[k]));
    const end = Math.min(f.right, xOf(f, scene.window, answer.to_ps[k]));
    if (end <= f.left || x >= f.right) continue;
    g.fillStyle = cssColor(k % 2 ? '--bg-sunk' : '--rule-strong');
    g.fillRect(x, y + 2, Math.max(0.75, end - x), STEPS - 5);
    const label = String(answer.number[k]);
    if (end - x > textWidth(g, label) + 4) {
      g.fillStyle = cssColor('--fg');
      g.fillText(label, x + 3, y + 9);
    }
  }
}

function drawModules(g: G, f: Frame, scene: Scene, y: number): void {
  g.textAlign = 'left';
  g.fillStyle = cssColor('--fg-soft');
  g.fillText(fitText(g, [`Modules ${scene.shown.length > 1 ? (scene.tracks[scene.focus]?.title ?? '') : ''}`, 'Modules'], f.left - 12), 8, y + 9);
  if (!scene.modules) return;
  const { lane, names } = scene.modules;
  // The program with most time is grey, so that the others stand out.
  const times = new Map<number, number>();
  for (let k = 0; k < lane.n; k++) times.set(lane.name[k], (times.get(lane.name[k]) ?? 0) + lane.busy[k]);
  const order = [...times].sort((x, z) => z[1] - x[1]).map(([name]) => name);
  const colours = ['--m-const', '--m-pad', '--m-temp', '--m-output', '--m-local'];
  let free = f.left;
  for (let k = 0; k < lane.n; k++) {
    const x = Math.max(f.left, xOf(f, scene.window, lane.start[k]));
    const end = Math.min(f.right, Math.max(x + 1, xOf(f, scene.window, lane.end[k])));
    if (end <= f.left || x >= f.right) continue;
    g.fillStyle = cssColor(colours[Math.min(order.indexOf(lane.name[k]), colours.length - 1)]);
    g.fillRect(x, y + 2, end - x - (end - x > 3 ? 0.5 : 0), STEPS - 5);
    // In the box where it fits, else behind it as far as the next one.
    const name = lane.count[k] > 1 ? '' : programWord(names.get(lane.name[k])?.caption ?? '');
    const width = textWidth(g, name) + 6;
    const next = k + 1 < lane.n ? Math.min(f.right, xOf(f, scene.window, lane.start[k + 1])) : f.right;
    const at = end - x >= width ? x : end;
    if (!name || at < free || next - at < width) continue;
    g.fillStyle = cssColor('--fg');
    g.fillText(name, at + 3, y + 9);
    free = at + width;
  }
}

const ASKER_LINES = 4;

/** A tick for each column in which a thread asked for memory, the threads that asked most below each other. */
function drawAskers(g: G, f: Frame, scene: Scene, y: number): void {
  g.textAlign = 'left';
  g.fillStyle = cssColor('--fg-soft');
  g.fillText('Requested by', 8, y + 9);
  const lines = Math.min(ASKER_LINES, scene.askers.length);
  const high = (STEPS - 4) / Math.max(1, lines);
  scene.askers.slice(0, lines).forEach((asker, line) => {
    g.fillStyle = cssColor(line % 2 ? '--m-pad' : '--accent');
    for (const at of asker.at_ps) {
      const x = xOf(f, scene.window, at);
      if (x >= f.left && x <= f.right) g.fillRect(x, y + 2 + line * high, 1.5, Math.max(1, high - 1));
    }
  });
}

/** "jit_f(123)" without the number of the program. */
export const programWord = (caption: string): string => caption.replace(/\(\d+\)$/, '');

function drawAxis(g: G, f: Frame, w: Window, taken: readonly (number | null)[]): void {
  g.textAlign = 'left';
  g.fillStyle = cssColor('--fg-soft');
  g.fillText('Time', 8, f.axisTop + 10);
  g.textAlign = 'center';
  const ticks = timeTicks(w.from, w.to, Math.max(2, (f.right - f.left) / 130));
  for (const tick of ticks.at) {
    const x = xOf(f, w, tick);
    const free = taken.every((time) => time === null || Math.abs(xOf(f, w, time) - x) > 70);
    if (free && x > f.left + 20 && x < f.right - 20) g.fillText(tickText(ticks, tick), x, f.axisTop + 10);
  }
}

function drawInstant(g: G, f: Frame, scene: Scene, letter: 'A' | 'B'): void {
  const time = letter === 'A' ? scene.a : scene.b;
  if (time === null) return;
  const x = Math.round(xOf(f, scene.window, time)) + 0.5;
  if (x < f.left || x > f.right) return;
  const colour = cssColor(letter === 'A' ? '--accent' : '--m-output');
  g.strokeStyle = colour;
  g.lineWidth = 1.5;
  g.setLineDash(letter === 'A' ? [] : [4, 3]);
  g.beginPath();
  g.moveTo(x, 0);
  g.lineTo(x, f.axisTop);
  g.stroke();
  g.setLineDash([]);
  g.lineWidth = 1;
  const label = `${letter} ${instant(time)}`;
  const width = textWidth(g, label) + 10;
  const left = Math.min(Math.max(f.left, x - width / 2), f.right - width);
  g.fillStyle = colour;
  g.fillRect(left, f.axisTop + 2, width, 16);
  g.fillStyle = cssColor('--bg');
  g.textAlign = 'left';
  g.fillText(label, left + 5, f.axisTop + 10);
  if (letter !== 'A' || f.strip < 34) return;
  for (const [lane, of] of scene.shown.entries()) drawHeld(g, f, scene.heldAtA[of] ?? null, x, lane);
}

/** What is in use at A, beside its line. */
function drawHeld(g: G, f: Frame, size: number | null, x: number, lane: number): void {
  if (size === null) return;
  const held = bytes(size);
  const width = textWidth(g, held);
  const at = Math.min(x + 5, f.right - width - 2);
  g.fillStyle = cssColor('--bg');
  g.globalAlpha = 0.8;
  g.fillRect(at - 2, lane * f.strip + 5, width + 4, 14);
  g.globalAlpha = 1;
  g.fillStyle = cssColor('--fg');
  g.fillText(held, at, lane * f.strip + 12);
}

export function drawScene(g: G, width: number, height: number, scene: Scene): void {
  const f = frameOf(width, height, scene.shown.length, roomFor(scene.shown.map((k) => scene.tracks[k].title)), scene.below.length);
  const w = scene.window;
  g.font = scene.font;
  g.textBaseline = 'middle';
  const common = Math.max(1, ...scene.shown.map((k) => topOf(scene.tracks[k])));
  scene.shown.forEach((k, place) => {
    const t = scene.tracks[k];
    const strip: Strip = { f, w, t, top: place * f.strip + 2, bottom: (place + 1) * f.strip - GAP, most: scene.ownScale ? topOf(t) : common };
    drawStrip(g, strip, scene, k);
    if (f.row > 0) {
      const top = f.strip + 6;
      g.fillStyle = cssColor('--bg-sunk');
      g.fillRect(f.left, top, f.right - f.left, f.row - 10);
      g.fillStyle = cssColor('--fg-soft');
      g.textAlign = 'left';
      g.fillText('Fragmented', 8, top + 8);
      drawFragmentation(g, strip, top + 1, top + f.row - 11);
    }
  });
  if (scene.range) {
    const x = Math.max(f.left, xOf(f, w, scene.range.from));
    g.fillStyle = cssColor('--accent');
    g.globalAlpha = 0.15;
    g.fillRect(x, 0, Math.min(f.right, xOf(f, w, scene.range.to)) - x, f.stepsTop);
    g.globalAlpha = 1;
  }
  drawSteps(g, f, scene);
  for (const [k, row] of scene.below.entries()) (row === 'modules' ? drawModules : drawAskers)(g, f, scene, f.belowTop + k * STEPS);
  drawAxis(g, f, w, [scene.a, scene.b]);
  drawInstant(g, f, scene, 'B');
  drawInstant(g, f, scene, 'A');
}

/** All of the trace, the window in a frame. */
export function drawMinimap(g: G, width: number, height: number, track: AllocatorTrack | undefined, all: Window, w: Window, room: number, font: string): void {
  const f = frameOf(width, 200, 2, room);
  g.font = font;
  g.textBaseline = 'middle';
  g.textAlign = 'left';
  g.fillStyle = cssColor('--fg-soft');
  g.fillText(`all ${durationText(all.to - all.from)}`, 8, height / 2);
  g.fillStyle = cssColor('--bg-sunk');
  g.fillRect(f.left, 0, f.right - f.left, height);
  if (track) {
    const s: Strip = { f, w: all, t: track, top: 1, bottom: height, most: Math.max(1, track.most_bytes) };
    g.fillStyle = cssColor('--m-const');
    spans(s, (k, x, end) => g.fillRect(x, yOf(s, track.most_here_bytes[k]), end - x, height - yOf(s, track.most_here_bytes[k])));
  }
  g.strokeStyle = cssColor('--accent');
  g.lineWidth = 2;
  g.strokeRect(xOf(f, all, w.from) + 1, 1, Math.max(2, xOf(f, all, w.to) - xOf(f, all, w.from) - 2), height - 2);
}
