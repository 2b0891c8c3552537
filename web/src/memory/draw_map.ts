/** The address map: x program order, y heap offset; one box per tenancy; free bytes below the highest used one
 *  are sand, everything above stays empty. The id raster for hit tests is filled apart: only a pointer needs it. */
import type { Curve, MapBoxes } from '../api/types';
import { byteTicks } from '../canvas/axis';
import { makeRaster, markBox, type IdRaster } from '../canvas/boxes';
import { fitText } from '../canvas/text';
import { stepToX, type Scale } from '../canvas/view';

interface MapColors {
  soft: string;
  fg: string;
  rule: string;
  hole: string;
  accent: string;
  sunk: string;
}

export interface MapInput {
  map: MapBoxes;
  curve: Curve | null;
  scale: Scale;
  top: number;
  bottom: number;
  font: string;
  mono: string;
  bytesText: (bytes: number) => string;
  /** Shorter: no decimals on a round value. */
  tickText: (bytes: number) => string;
  fillOf: (box: number) => string;
  inkOf: (box: number) => string;
  mergedFillOf: (box: number) => string;
  /** Least height of a box: 1, that none is lost, less where the sum of many is to look right. */
  least: number;
  /** Writes what it knows over boxes that are too low for names. */
  over: ((g: CanvasRenderingContext2D, i: MapInput) => void) | null;
  pinned: number | null;
  hovered: number | null;
  /** Boxes that a search found; null = no search. */
  hits: ReadonlySet<number> | null;
}

export interface BoxRect {
  x: number;
  y: number;
  w: number;
  h: number;
}

function yOf(i: MapInput, offset: number): number {
  return i.bottom - (offset / Math.max(i.map.heap_bytes, 1)) * (i.bottom - i.top);
}

function boxRect(i: MapInput, start: number, end: number, offset: number, size: number): BoxRect {
  const x0 = Math.max(stepToX(i.scale, start), i.scale.left);
  const x1 = Math.min(stepToX(i.scale, end), i.scale.left + i.scale.width);
  const y1 = yOf(i, offset);
  const y0 = yOf(i, offset + size);
  return { x: x0, y: y0, w: Math.max(x1 - x0, 1), h: Math.max(y1 - y0, i.least) };
}

function drawAxis(g: CanvasRenderingContext2D, i: MapInput, c: MapColors): void {
  g.font = i.font;
  g.textAlign = 'right';
  g.textBaseline = 'middle';
  const ticks = byteTicks(i.map.heap_bytes, Math.max(2, Math.floor((i.bottom - i.top) / 26)));
  for (const tick of ticks) {
    const y = yOf(i, tick);
    if (y - yOf(i, i.map.heap_bytes) < 13 && tick > 0) continue;
    g.fillStyle = c.soft;
    g.fillText(i.tickText(tick), i.scale.left - 8, Math.min(y, i.bottom - 6));
  }
  g.fillStyle = c.fg;
  g.font = `600 ${i.font}`;
  g.fillText(i.tickText(i.map.heap_bytes), i.scale.left - 8, i.top + 6);
}

function drawHoles(g: CanvasRenderingContext2D, i: MapInput, c: MapColors): void {
  if (!i.curve) return;
  g.fillStyle = c.hole;
  for (let k = 0; k < i.curve.n; k++) {
    const top = i.curve.top_bytes[k] ?? 0;
    if (top <= 0) continue;
    const from = i.curve.step[k] ?? 0;
    const x0 = stepToX(i.scale, from);
    const x1 = stepToX(i.scale, from + (i.curve.count[k] ?? 1));
    const y = yOf(i, top);
    g.fillRect(x0, y, x1 - x0 + 0.6, i.bottom - y);
  }
}

export function rectOf(i: MapInput, k: number): BoxRect {
  const m = i.map;
  return boxRect(i, m.start_step[k], m.end_step[k], m.offset_bytes[k], m.size_bytes[k]);
}

export function mergedRectOf(i: MapInput, k: number): BoxRect {
  const j = i.map.merged;
  return boxRect(i, j.start_step[k], j.end_step[k], j.offset_bytes[k], j.size_bytes[k]);
}

/** Large ones first, so that what is small stays visible and can be hit. Sorted once for each answer. */
const orders = new WeakMap<MapBoxes, Uint32Array>();
function orderOf(m: MapBoxes): Uint32Array {
  let order = orders.get(m);
  if (!order) {
    const area = Float64Array.from(m.buffer, (_, k) => (m.end_step[k] - m.start_step[k]) * m.size_bytes[k]);
    order = Uint32Array.from(m.buffer, (_, k) => k).sort((a, b) => area[b] - area[a] || a - b);
    orders.set(m, order);
  }
  return order;
}

/** Box indexes by pixel, as they are drawn; merged boxes come after the others (index n + j). */
export function rasterOf(width: number, height: number, i: MapInput): IdRaster {
  const raster = makeRaster(width, height);
  const mark = (id: number, r: BoxRect) => markBox(raster, id, r.x, r.y, r.x + r.w, r.y + r.h);
  for (const k of orderOf(i.map)) mark(k, rectOf(i, k));
  for (let k = 0; k < i.map.merged.n; k++) mark(i.map.n + k, mergedRectOf(i, k));
  return raster;
}

function drawBox(g: CanvasRenderingContext2D, i: MapInput, k: number): void {
  const m = i.map;
  const r = rectOf(i, k);
  g.globalAlpha = i.hits && !i.hits.has(m.buffer[k] ?? -1) ? 0.25 : 1;
  g.fillStyle = i.fillOf(k);
  g.fillRect(r.x, r.y, r.w, r.h > 3 ? r.h - 0.8 : r.h);
  g.globalAlpha = 1;
}

function drawLabel(g: CanvasRenderingContext2D, i: MapInput, k: number): void {
  const m = i.map;
  const r = boxRect(i, m.start_step[k] ?? 0, m.end_step[k] ?? 0, m.offset_bytes[k] ?? 0, m.size_bytes[k] ?? 0);
  if (r.h < 11 || r.w < 34) return;
  const name = m.names[m.name[k] ?? 0] ?? '';
  const shape = m.names[m.shape[k] ?? 0] ?? '';
  const size = i.bytesText(m.size_bytes[k] ?? 0);
  const text = fitText(g, [`${name} ${shape.replace(/\{.*$/, '')} ${size}`, `${name} ${size}`, name], r.w - 10);
  if (!text) return;
  g.fillStyle = i.inkOf(k);
  g.fillText(text, r.x + 5, r.y + Math.min(r.h / 2, 8));
}

function frame(g: CanvasRenderingContext2D, i: MapInput, buffer: number | null, color: string, width: number): void {
  if (buffer === null) return;
  const m = i.map;
  g.strokeStyle = color;
  g.lineWidth = width;
  for (let k = 0; k < m.n; k++) {
    if (m.buffer[k] !== buffer) continue;
    const r = boxRect(i, m.start_step[k] ?? 0, m.end_step[k] ?? 0, m.offset_bytes[k] ?? 0, m.size_bytes[k] ?? 0);
    g.strokeRect(r.x + width / 2, r.y + width / 2, Math.max(1, r.w - width), Math.max(1, r.h - width));
  }
}

export function drawMap(g: CanvasRenderingContext2D, i: MapInput, c: MapColors): void {
  drawAxis(g, i, c);
  g.save();
  g.beginPath();
  g.rect(i.scale.left, i.top, i.scale.width, i.bottom - i.top);
  g.clip();
  g.fillStyle = c.sunk;
  g.fillRect(i.scale.left, i.top, i.scale.width, i.bottom - i.top);
  drawHoles(g, i, c);
  const m = i.map;
  const order = orderOf(m);
  for (const k of order) drawBox(g, i, k);
  for (let k = 0; k < m.merged.n; k++) {
    const r = mergedRectOf(i, k);
    g.fillStyle = i.mergedFillOf(k);
    g.fillRect(r.x, r.y, r.w, r.h);
  }
  g.font = i.mono;
  g.textAlign = 'left';
  g.textBaseline = 'middle';
  for (const k of order) drawLabel(g, i, k);
  i.over?.(g, i);
  frame(g, i, i.hovered, c.fg, 1.5);
  frame(g, i, i.pinned, c.accent, 2);
  g.restore();
}
