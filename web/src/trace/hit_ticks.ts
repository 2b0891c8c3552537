/** Marks of search hits on boxes too narrow for one of their own: the pixel columns in which one lies. Pure. */
import { firstEndingAfter, firstStartingFrom, type Lane } from './boxes';
import { firstThat } from '../util/bisect';

export interface Hits {
  names: ReadonlySet<number>;
  /** Listed occurrences by their number, ascending: they are found inside of added up boxes, too. */
  events: Float64Array;
}

/** Whether one of the ascending numbers lies in [from, to). */
function anyWithin(list: Float64Array, from: number, to: number): boolean {
  const first = firstThat(list.length, (i) => list[i] >= from);
  return first < list.length && list[first] < to;
}

/** Events of a box have numbers in a row. */
export function boxHit(lane: Lane, k: number, hits: Hits): boolean {
  return hits.names.has(lane.name[k]) || (hits.events.length > 0 && anyWithin(hits.events, lane.event[k], lane.event[k] + lane.count[k]));
}

/** Paints the columns of all hits of the lane into rows [first, end) of an image; the image begins at `from` and ends at `to`. */
export function paintHits(
  lane: Lane,
  from: number,
  to: number,
  hits: Hits,
  colour: number,
  image: Uint32Array,
  width: number,
  first: number,
  end: number,
): void {
  if (!hits.names.size && !hits.events.length) return;
  const scale = width / (to - from);
  const last = firstStartingFrom(lane, to);
  // Columns side by side are one run: however many boxes there are, little is filled.
  let left = 0;
  let painted = 0;
  const fill = () => {
    for (let y = first; painted > left && y < end; y++) image.fill(colour, y * width + left, y * width + painted);
  };
  for (let k = firstEndingAfter(lane, from); k < last; k++) {
    const right = Math.min(width, Math.max(Math.ceil((lane.end[k] - from) * scale), Math.floor((lane.start[k] - from) * scale) + 1));
    if (right <= painted || !boxHit(lane, k, hits)) continue;
    const at = Math.max(painted, Math.floor((lane.start[k] - from) * scale), 0);
    if (at > painted) {
      fill();
      left = at;
    }
    painted = right;
  }
  fill();
}
