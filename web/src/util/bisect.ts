/** Binary search. */

/** The first index below `count` at which `reached` is true, and with it at all later ones; `count` when it is true at none. */
export function firstThat(count: number, reached: (i: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (reached(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The last index of a value at or below `wanted`; -1 before the first. The values never fall. */
export function lastAtOrBelow(values: ArrayLike<number>, wanted: number): number {
  return firstThat(values.length, (i) => values[i] > wanted) - 1;
}
