/** The three scales of a map of values: relative, absolute, rank. Pure. */
export type ScaleId = 'relative' | 'absolute' | 'rank';

export interface MapScale {
  id: ScaleId;
  /** Values at the two ends of the key; of rank the last and the first place. */
  from: number;
  to: number;
  /** 0 to 1: place of a value on the key. */
  place: (value: number) => number;
  /** Place of the capacity, null when it is unknown or the scale has none. */
  capacityAt: number | null;
  /** What the ends are, in words. */
  note: string;
}

const share = (value: number, from: number, to: number) => (to > from ? Math.min(1, Math.max(0, (value - from) / (to - from))) : 1);

/** Places 0 to 1 of n different values evenly spaced; equal ones share a place. One value alone is at 1. */
function ranks(values: readonly number[]): Map<number, number> {
  const distinct = [...new Set(values)].sort((a, b) => a - b);
  return new Map(distinct.map((value, k) => [value, distinct.length > 1 ? k / (distinct.length - 1) : 1]));
}

export function makeScale(id: ScaleId, values: readonly number[], capacity: number | null): MapScale {
  const low = values.length ? Math.min(...values) : 0;
  const high = values.length ? Math.max(...values) : 0;
  if (id === 'rank') {
    const place = ranks(values);
    return {
      id,
      from: place.size,
      to: 1,
      place: (value) => place.get(value) ?? 0,
      capacityAt: null,
      note: `by rank: ${place.size} different values, evenly spaced; equal values share a colour`,
    };
  }
  if (id === 'absolute') {
    const to = Math.max(high, capacity ?? 0);
    const note =
      capacity === null
        ? 'capacity unknown: the scale ends at the largest'
        : high > capacity
          ? 'from 0 past the capacity to the largest'
          : 'from 0 to the capacity';
    return { id, from: 0, to, place: (value) => share(value, 0, to), capacityAt: capacity === null ? null : share(capacity, 0, to), note };
  }
  return { id, from: low, to: high, place: (value) => share(value, low, high), capacityAt: null, note: 'from the smallest to the largest here' };
}

/** Colour of a place on the key, in the theme; `read` gives a variable its value (a canvas knows no variables). */
export function placeColour(place: number, read: (variable: string) => string = (variable) => `var(${variable})`): string {
  return `color-mix(in oklab, ${read('--sel-a')} ${Math.round(8 + place * 92)}%, ${read('--bg-sunk')})`;
}

/** 1 = largest; equal values have one rank. */
export function rankOf(value: number, values: readonly number[]): number {
  return 1 + values.filter((other) => other > value).length;
}
