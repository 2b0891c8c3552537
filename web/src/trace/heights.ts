/** How high rows are drawn: pixels of one depth by size, and sizes of single rows as the address holds them. Pure. */
export const LANE_SIZES = [8, 14, 22, 34, 56] as const;
/** The size that rows have at first, and its pixels. */
export const NORMAL = 1;
export const LANE = LANE_SIZES[NORMAL];
export const SIZE_WORDS = ['low', 'normal', 'high', 'higher', 'highest'] as const;
/** Below so many pixels a box has no room for letters. */
export const LETTERS = 11;

function isSize(size: number): boolean {
  return Number.isInteger(size) && size >= 0 && size < LANE_SIZES.length;
}

/** "12.3,40.0": row 12 has size 3, row 40 size 0. What is not of this form is left out. */
export function sizesOf(text: string): Map<number, number> {
  const out = new Map<number, number>();
  for (const part of text.split(',')) {
    const [, row, size] = /^(\d{1,9})\.(\d)$/.exec(part) ?? [];
    if (row !== undefined && isSize(Number(size))) out.set(Number(row), Number(size));
  }
  return out;
}

export function sizesText(sizes: ReadonlyMap<number, number>): string {
  return [...sizes]
    .sort((a, b) => a[0] - b[0])
    .map(([row, size]) => `${row}.${size}`)
    .join(',');
}

/** The size of all rows from the address; what is none is the normal one. */
export function sizeOf(text: string): number {
  return /^\d$/.test(text) && isSize(Number(text)) ? Number(text) : NORMAL;
}

/** One size more or less of a row; null: there is none. */
export function resized(sizes: ReadonlyMap<number, number>, all: number, row: number, by: number): Map<number, number> | null {
  const next = (sizes.get(row) ?? all) + by;
  if (!isSize(next)) return null;
  const out = new Map(sizes);
  if (next === all) out.delete(row);
  else out.set(row, next);
  return out;
}
