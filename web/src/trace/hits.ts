/** What lies under a place of the rows' picture. */
import { hitLane, type Hit } from './boxes';
import { HEAD, type Item, itemAt } from './layout';
import { labelWidth, pixelTime, xToTime } from './scale';
import { boxesOf, layout, plot } from './state';

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
  const lane = boxesOf(item.row)?.lanes[out.depth];
  if (!lane || out.depth < 0 || out.depth >= item.lanes) return out;
  const pixel = pixelTime();
  const from = xToTime(Math.floor(x));
  out.hit = hitLane(lane, out.time, from, from + pixel) ?? hitLane(lane, out.time, from - pixel, from + 2 * pixel);
  return out;
}

/** The time itself, or the edge of a box under the pointer within five pixels. */
export function snap(x: number, y: number): number {
  const { hit, time } = placeAt(x, y);
  if (!hit) return time;
  const near = pixelTime() * 5;
  for (const edge of [hit.lane.start[hit.index], hit.lane.end[hit.index]]) if (Math.abs(edge - time) < near) return Math.round(edge);
  return time;
}
