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
