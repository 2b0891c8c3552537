/** What lies under a place of the rows' picture, and where a box lies in it. */
import { hitLane, type Hit } from './boxes';
import { HEAD, type Item, itemAt, depthAt, type Layout } from './layout';
import { labelWidth, pixelTime, xToTime } from './scale';
import { boxesOf, layout, plot, rowIndex, rows } from './state';

export interface Place {
  item: Item | null;
  /** Left of the plot. */
  label: boolean;
  /** Top of the item on the canvas. */
  y: number;
  time: number;
  depth: number;
  hit: Hit | null;
}

export function placeAt(x: number, y: number): Place {
  const l = layout.peek();
  const out: Place = { item: null, label: x < labelWidth(), y: 0, time: xToTime(x), depth: 0, hit: null };
  if (!l) return out;
  const inPinned = y < l.pinnedHeight;
  out.item = inPinned ? itemAt(l.pinned, y) : itemAt(l.items, y - l.pinnedHeight + plot.top);
  const { item } = out;
  if (!item) return out;
  out.y = inPinned ? item.y : item.y - plot.top + l.pinnedHeight;
  if (out.label || item.row < 0 || (item.kind === 'process' && item.open)) return out;
  const folded = item.kind === 'process';
  out.depth = folded ? 0 : Math.floor((y - out.y - 2) / item.lane);
  if (folded && (y - out.y < 3 || y - out.y > HEAD - 3)) return out;
  if (out.depth < 0 || (out.depth >= item.lanes && !item.deeper)) return out;
  // Below the lanes is the strip of the deeper ones: what is nearest to them first.
  const end = out.depth < item.lanes ? out.depth + 1 : item.lanes + item.deeper;
  for (out.depth = Math.min(out.depth, item.lanes); out.depth < end && !out.hit; out.depth += out.hit ? 0 : 1)
    out.hit = hitAt(item.row, out.depth, x, out.time);
  if (!out.hit) out.depth = Math.min(out.depth, end) - 1;
  return out;
}

/** What of one depth is at a pixel, or right beside it. */
function hitAt(row: number, depth: number, x: number, time: number): Hit | null {
  const lane = boxesOf(row)?.lanes[depth];
  if (!lane) return null;
  const pixel = pixelTime();
  const from = xToTime(Math.floor(x));
  return hitLane(lane, time, from, from + pixel) ?? hitLane(lane, time, from - pixel, from + 2 * pixel);
}

/** The time itself, or the edge of a box under the pointer within five pixels. */
export function snap(x: number, y: number): number {
  const { hit, time } = placeAt(x, y);
  if (!hit) return time;
  const near = pixelTime() * 5;
  for (const edge of [hit.lane.start[hit.index], hit.lane.end[hit.index]]) if (Math.abs(edge - time) < near) return Math.round(edge);
  return time;
}

/** Items by the row they show, made once per layout: arrows ask a thousand times a frame. */
const folded = (process: number) => -process - 2;
const places = new WeakMap<Layout, Map<number, Item>>();
function placesOf(l: Layout): Map<number, Item> {
  let found = places.get(l);
  if (!found) {
    found = new Map();
    for (const i of l.items) {
      if (i.kind === 'row') found.set(i.row, i);
      // A folded process stands for all of its rows.
      else if (i.kind === 'process' && !i.open) found.set(folded(i.process), i);
    }
    places.set(l, found);
  }
  return found;
}

/** Where a box of a row stands on the canvas, or null when its row is not shown. */
export function boxPlace(row: number, depth: number): { y: number; h: number; item: Item } | null {
  const l = layout.peek();
  if (!l) return null;
  const top = l.pinned.find((i) => i.row === row);
  if (top) return { ...depthAt(top, depth, top.y), item: top };
  const at = rowIndex.peek().get(row);
  const item = placesOf(l).get(row) ?? (at === undefined ? undefined : placesOf(l).get(folded(rows.peek()?.rows.process[at] ?? -1)));
  if (!item) return null;
  const y = item.y - plot.top + l.pinnedHeight;
  if (y + item.h < l.pinnedHeight) return null;
  return item.kind === 'process' ? { y: y + 3, h: 15, item } : { ...depthAt(item, depth, y), item };
}
