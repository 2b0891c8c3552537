/** What the chart shows in a frame of pixels: roofs, dots, names, the lens. Everything drawn and everything hit comes from here. Pure. */
import { fixed, formatPercent } from '../util/format';
import { densePlace, type Dot, frameOf, freePlace, MANY, STAY } from './dense';
import { type Box, type Named, placeLabels, placeNote } from './labels';
import { isInside, type Line, levelLine, type Plane, type Range2, ridgeOf, slopeLine, toX, toY, type Weighted } from './plane';
import { type Point, radiusOf, type Size } from './points';

export interface PlacedDot extends Dot {
  point: Point;
}

export interface Roof {
  limit: string;
  text: string;
  colour: string;
  unit: boolean;
  per_s: number;
  /** Drawn through: operations have work or bytes for it. */
  used: boolean;
  /** The level or slope that all is held against. */
  main: boolean;
}

export interface DrawnRoof extends Roof {
  line: Line;
  /** Where it meets the first level; null for levels and beyond the edge. */
  ridge: { x: number; y: number; value: number } | null;
}

export interface Diamond {
  x: number;
  y: number;
  text: string;
}

export interface Lens {
  box: Box;
  source: Box;
  plane: Plane;
  dots: PlacedDot[];
  labels: (Box | null)[];
}

export interface Scene {
  plane: Plane;
  dots: PlacedDot[];
  /** Of the dots, those that are drawn as density. */
  density: PlacedDot[];
  labels: (Box | null)[];
  roofs: DrawnRoof[];
  /** Where the names of the roofs stand. */
  roofNames: Box[];
  /** With where the words stand; null: there is no room. */
  diamonds: (Diamond & { px: number; py: number; box: Box | null })[];
  /** Points beyond the edges, on the edge. */
  off: { x: number; y: number; point: Point; side: 'left' | 'right' | 'above' | 'below' }[];
  lens: Lens | null;
}

/** "2,516.6 TFLOP/s", "8,000 GB/s". */
export function peakText(per_s: number, unit: boolean): string {
  if (!unit && per_s >= 1e7) return `${fixed(per_s / 1e9, per_s >= 1e12 ? 0 : per_s >= 1e9 ? 1 : 2)} GB/s`;
  const [size, prefix] = per_s >= 1e12 ? [1e12, 'T'] : per_s >= 1e9 ? [1e9, 'G'] : per_s >= 1e6 ? [1e6, 'M'] : [1e3, 'k'];
  return `${fixed(per_s / size, 1)} ${prefix}${unit ? 'FLOP/s' : 'B/s'}`;
}

/** "601.2 of 2,516.6 TFLOP/s": both in the unit of the peak. */
export function ofPeakText(per_s: number, peak: number, unit: boolean): [string, string] {
  const said = peakText(peak, unit);
  const at = said.indexOf(' ');
  const size = peak / Number(said.slice(0, at).replaceAll(',', ''));
  const share = per_s / size;
  return [fixed(share, share < 1 ? 3 : share < 1000 ? 1 : 0), said];
}

/** A share of a peak; what is not zero never reads 0.0. */
export const shareText = (share: number | null): string => (share !== null && share > 0 && share < 0.0005 ? '< 0.1 %' : formatPercent(share, 1));

export const ridgeText = (value: number): string => fixed(value, value < 1000 ? 1 : 0);

interface Asked {
  plane: Plane;
  points: readonly Point[];
  size: Size;
  roofs: readonly Roof[];
  diamonds: readonly Diamond[];
  width: (text: string) => number;
  /** Of the address: '-' closed, "left,top,width,height" as shares of the chart, absent: where there is room. */
  lens: string | undefined;
}

const NAMED = 40;

function drawnRoofs(p: Plane, roofs: readonly Roof[]): DrawnRoof[] {
  const slopes = roofs.filter(({ unit }) => !unit).map(({ per_s }) => per_s);
  const steepest = slopes.length ? Math.max(...slopes) : null;
  const level = roofs.find(({ unit }) => unit)?.per_s ?? null;
  const out: DrawnRoof[] = [];
  for (const roof of roofs) {
    const line = roof.unit ? levelLine(p, roof.per_s, steepest) : slopeLine(p, roof.per_s, level);
    if (!line) continue;
    const value = roof.unit || level === null ? 0 : ridgeOf(level, roof.per_s);
    const corner = { x: value > 0 ? toX(p, value) : -1, y: level === null ? -1 : toY(p, level), value };
    out.push({ ...roof, line, ridge: value > 0 && isInside(p, corner.x, corner.y) ? corner : null });
  }
  return out;
}

/** How far along its line the middle of a slope's name is; a short line keeps the start of its name: the edge of the plane would cut it. */
export function slopeMiddle({ x0, y0, x1, y1 }: Line, k: number, width: number): number {
  const length = Math.max(Math.hypot(x1 - x0, y1 - y0), 1);
  return Math.max(0.36 + 0.12 * (k % 3), (width / 2 + 12) / length);
}

const BEAD = 10;

/** The name of a slope as a row of small boxes above its line: one box around it would take half of the plane. */
function slopeNameBoxes(line: Line, k: number, width: number): Box[] {
  const { x0, y0, x1, y1 } = line;
  const length = Math.max(Math.hypot(x1 - x0, y1 - y0), 1);
  const [dx, dy] = [(x1 - x0) / length, (y1 - y0) / length];
  const middle = slopeMiddle(line, k, width) * length;
  const out: Box[] = [];
  for (let along = middle - width / 2; along <= middle + width / 2; along += BEAD) {
    // The words stand 4 to 15 pixels above the line.
    const [x, y] = [x0 + dx * along + dy * BEAD, y0 + dy * along - dx * BEAD];
    out.push({ left: x - BEAD / 2, top: y - BEAD / 2, right: x + BEAD / 2, bottom: y + BEAD / 2 });
  }
  return out;
}

const levelNameBox = ({ line, text }: DrawnRoof, width: Asked['width']): Box => ({
  left: line.x1 - 6 - width(text),
  top: line.y1 - 17,
  right: line.x1,
  bottom: line.y1 - 2,
});

function offEdge(p: Plane, point: Point): Scene['off'][number] | null {
  const [x, y] = [point.x === Number.POSITIVE_INFINITY ? Number.POSITIVE_INFINITY : toX(p, point.x), toY(p, point.y)];
  const side = x < p.left ? 'left' : x > p.left + p.width ? 'right' : y < p.top ? 'above' : y > p.top + p.height ? 'below' : null;
  if (!side) return null;
  const within = (value: number, low: number, high: number) => Math.min(Math.max(value, low), high);
  return { x: within(x, p.left, p.left + p.width), y: within(y, p.top, p.top + p.height), point, side };
}

function namesOf(dots: readonly PlacedDot[], width: Asked['width'], frame: Box, taken: readonly Box[]): (Box | null)[] {
  const named: Named[] = dots.slice(0, NAMED).map(({ x, y, r, point }) => ({ x, y, r, width: width(point.name) }));
  const boxes = placeLabels(named, frame, taken);
  return dots.map((_, k) => boxes[k] ?? null);
}

export const boxOf = (p: Plane): Box => ({ left: p.left, top: p.top, right: p.left + p.width, bottom: p.top + p.height });

const LENS_HEAD = 20;
const LENS_ROOM = 0.12;
const LENS_SCALE = 40;

/** The range of the points, with room for their circles. */
function lensRange(points: readonly Weighted[], width: number, height: number): Range2 {
  const xs = points.map(({ x }) => Math.log10(x));
  const ys = points.map(({ y }) => Math.log10(y));
  const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const roomX = Math.max((x1 - x0) * (LENS_ROOM + 130 / width), 0.03);
  const roomY = Math.max((y1 - y0) * (LENS_ROOM + 60 / height), 0.02);
  return { x0: x0 - roomX, x1: x1 + roomX, y0: y0 - roomY, y1: y1 + roomY };
}

/** "0.5,0.5,0.4,0.4" as a box in the chart; null: it says none. */
export function parseLens(said: string | undefined, chart: Box): Box | null {
  const [left, top, width, height] = (said ?? '').split(',').map(Number);
  if (![left, top, width, height].every((share) => Number.isFinite(share) && share >= 0 && share <= 1)) return null;
  if (width < 0.1 || height < 0.1) return null;
  const [wide, high] = [chart.right - chart.left, chart.bottom - chart.top];
  const x = Math.min(left, 1 - width) * wide + chart.left;
  const y = Math.min(top, 1 - height) * high + chart.top;
  return { left: x, top: y, right: x + width * wide, bottom: y + height * high };
}

export function formatLens(box: Box, chart: Box): string {
  const [wide, high] = [chart.right - chart.left, chart.bottom - chart.top];
  const shares = [(box.left - chart.left) / wide, (box.top - chart.top) / high, (box.right - box.left) / wide, (box.bottom - box.top) / high];
  return shares.map((share) => String(Number(Math.min(Math.max(share, 0), 1).toFixed(3)))).join(',');
}

function lensOf(a: Asked, dots: readonly PlacedDot[], roofBoxes: readonly Box[]): Lens | null {
  if (a.lens === '-' || a.plane.width < 480) return null;
  const members = densePlace(dots);
  if (!members.length) return null;
  const source = frameOf(members.map((k) => dots[k]));
  const chart = boxOf(a.plane);
  const [wide, high] = [Math.min(460, a.plane.width * 0.45), Math.min(260, a.plane.height * 0.42)];
  const box =
    parseLens(a.lens, chart) ??
    freePlace(chart, wide, high, [...dots, ...roofBoxes.map((b) => ({ x: (b.left + b.right) / 2, y: (b.top + b.bottom) / 2, r: 30 }))], source);
  const inside = dots.filter(({ x, y }) => x >= source.left && x <= source.right && y >= source.top && y <= source.bottom);
  const frame = { left: box.left, top: box.top + LENS_HEAD, width: box.right - box.left, height: box.bottom - box.top - LENS_HEAD };
  const plane = {
    ...frame,
    ...lensRange(
      inside.map(({ point }) => point),
      frame.width,
      frame.height,
    ),
  };
  const own = inside.map(({ point, r }) => ({ x: toX(plane, point.x), y: toY(plane, point.y), r: Math.min(r, 18), point }));
  const scale = { ...boxOf(plane), left: plane.left + plane.width - LENS_SCALE }; // its numbers stand there
  return { box, source, plane, dots: own, labels: namesOf(own, a.width, boxOf(plane), [scale]) };
}

/** Diamonds and their words, which then are taken. */
function placedDiamonds({ plane, diamonds, width }: Asked, taken: Box[]): Scene['diamonds'] {
  const placed = diamonds
    .map((diamond) => ({ ...diamond, px: toX(plane, diamond.x), py: toY(plane, diamond.y) }))
    .filter(({ px, py }) => isInside(plane, px, py));
  const boxes = placeLabels(
    placed.map(({ px, py, text }) => ({ x: px, y: py, r: 7, width: width(text) })),
    boxOf(plane),
    taken,
  );
  for (const box of boxes) if (box) taken.push(box);
  for (const { px, py } of placed) taken.push({ left: px - 7, top: py - 7, right: px + 7, bottom: py + 7 });
  return placed.map((diamond, k) => ({ ...diamond, box: boxes[k] }));
}

export function sceneOf(a: Asked): Scene {
  const { plane } = a;
  const largest = a.points[0]?.weight ?? 0;
  const dots: PlacedDot[] = [];
  const off: Scene['off'] = [];
  for (const point of a.points) {
    const edge = offEdge(plane, point);
    if (edge) off.push(edge);
    else dots.push({ x: toX(plane, point.x), y: toY(plane, point.y), r: radiusOf(point.weight, largest, a.size), point });
  }
  const roofs = drawnRoofs(plane, a.roofs);
  const lens = lensOf(a, dots, []);
  const many = dots.length > MANY;
  const shown = many ? dots.slice(0, STAY) : dots;
  const levelNames = roofs.filter(({ unit }) => unit).map((roof) => levelNameBox(roof, a.width));
  const slopeNames = roofs.filter(({ unit }) => !unit).flatMap(({ line, text }, k) => slopeNameBoxes(line, k, a.width(text)));
  const taken = [...levelNames];
  if (lens) taken.push(lens.box);
  const diamonds = placedDiamonds(a, taken);
  if (lens) taken.push(lens.source);
  const labels = namesOf(shown, a.width, boxOf(plane), taken);
  return { plane, dots: shown, density: many ? dots.slice(STAY) : [], labels, roofs, roofNames: [...levelNames, ...slopeNames], diamonds, off, lens };
}

/** Where the note about the distance of a point to its roof stands: clear of names, diamonds, other points and the names of the roofs. */
export function notePlace(scene: Scene, chosen: PlacedDot, roofY: number, width: number): Box {
  const others = scene.dots.filter((one) => one !== chosen).map(({ x, y, r }) => ({ left: x - r, top: y - r, right: x + r, bottom: y + r }));
  const taken = [...scene.labels, ...scene.diamonds.map(({ box }) => box), ...others, ...scene.roofNames].filter((box) => box !== null);
  return placeNote({ x: chosen.x, from: chosen.y, to: roofY, width }, boxOf(scene.plane), taken);
}

export const inBox = (box: Box, x: number, y: number): boolean => x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;

function nearest(dots: readonly PlacedDot[], x: number, y: number): Point | null {
  // The smallest lies on top.
  for (let k = dots.length - 1; k >= 0; k--) if (Math.hypot(dots[k].x - x, dots[k].y - y) <= Math.max(dots[k].r, 4)) return dots[k].point;
  return null;
}

export function pointAt(scene: Scene, x: number, y: number): Point | null {
  const { lens } = scene;
  if (lens && inBox(lens.box, x, y)) return nearest(lens.dots, x, y);
  return nearest(scene.dots, x, y) ?? scene.off.find((one) => Math.hypot(one.x - x, one.y - y) <= 6)?.point ?? null;
}

/** The roof of a memory under the pointer. */
export function roofAt(scene: Scene, x: number, y: number): DrawnRoof | null {
  return (
    scene.roofs.find(({ unit, line: { x0, y0, x1, y1 } }) => {
      if (unit || x < x0 - 4 || x > x1 + 4) return false;
      const on = y0 + ((x - x0) / Math.max(x1 - x0, 1)) * (y1 - y0);
      return Math.abs(y - on) <= 6;
    }) ?? null
  );
}

const WORDS = { left: 'left of', right: 'right of', above: 'above', below: 'below' } as const;

/** "4 below 100 GFLOP/s", of each side that has any. */
export function offWords(scene: Scene, edge: (side: keyof typeof WORDS) => string): string[] {
  return (Object.keys(WORDS) as (keyof typeof WORDS)[]).flatMap((side) => {
    const n = scene.off.filter((one) => one.side === side).length;
    return n ? [`${n} ${WORDS[side]} ${edge(side)}`] : [];
  });
}
