/** Which rows of a long list are on screen. Pure. */

/** Browsers stop growing an element somewhere above this many pixels. */
export const MAX_HEIGHT = 12_000_000;

interface TableWindow {
  /** Rows [first, last) to draw. */
  first: number;
  last: number;
  /** Pixels from the top of the list to the top of row `first`. */
  offset: number;
  /** Height of the whole list. */
  height: number;
}

/**
 * Rows for a scroll position. Lists that would be higher than a browser allows are squeezed: the scroll bar then moves
 * over rows faster than the wheel says, and the last row stays reachable.
 */
export function windowOf(scrollTop: number, view: number, count: number, row: number, spare = 6): TableWindow {
  const full = count * row;
  const height = Math.min(full, MAX_HEIGHT);
  const shown = Math.ceil(view / row) + 1;
  const top = Math.min(Math.max(scrollTop, 0), Math.max(0, height - view));
  const share = height > view ? top / (height - view) : 0;
  const at = full > height ? share * (full - view) : top;
  const from = Math.floor(at / row);
  const first = Math.max(0, from - spare);
  const last = Math.min(count, from + shown + spare);
  // Rows stay where the scroll position is, also when rows are squeezed.
  const offset = full > height ? top - (at - first * row) : first * row;
  return { first, last, offset, height };
}

/** Scroll position that shows a row, moving as little as possible. */
export function scrollFor(index: number, scrollTop: number, view: number, count: number, row: number): number {
  const full = count * row;
  const height = Math.min(full, MAX_HEIGHT);
  const squeeze = full > height && full > view ? (height - view) / (full - view) : 1;
  const at = scrollTop / squeeze;
  if (index * row < at) return index * row * squeeze;
  // Downwards to a whole row, so that none hangs under the head.
  if ((index + 1) * row > at + view) return Math.ceil(index + 1 - view / row) * row * squeeze;
  return scrollTop;
}

/** Page numbers that hold rows [first, last). */
export function pagesFor(first: number, last: number, size: number): number[] {
  const pages: number[] = [];
  for (let page = Math.floor(first / size); page * size < last; page++) pages.push(page);
  return pages;
}

/**
 * Whether a row that is to be revealed was opened in the table itself: the cursor was there, may have gone on, and is not
 * fetched back. `opened` holds such rows in their order; the page may pass over some and show only the last, so those
 * before it go with it, and all go when something else is revealed.
 */
export function wasOpened(opened: number[], row: number): boolean {
  const at = opened.indexOf(row);
  opened.splice(0, at < 0 ? opened.length : at + 1);
  return at >= 0;
}
