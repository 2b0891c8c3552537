/** Which lines are on screen when computations are folded. Pure. */
import type { HloText } from './text';

export interface Rows {
  count: number;
  /** Line of a row. */
  lineOf(row: number): number;
  /** Row of a line; a line inside a folded computation has the row of its head. */
  rowOf(line: number): number;
}

/** `folded`: lines of the heads of the folded computations. */
export function rowsOf(text: HloText, folded: ReadonlySet<number>): Rows {
  const all = text.lines.length;
  if (!folded.size) return { count: all, lineOf: (row) => row, rowOf: (line) => line };
  const rows = new Int32Array(all);
  const lines: number[] = [];
  let head = 0;
  for (let line = 0; line < all; ) {
    while (head < text.heads.length && text.heads[head].line < line) head++;
    const here = text.heads[head];
    const end = here?.line === line && folded.has(line) ? here.end : line;
    rows.fill(lines.length, line, end + 1);
    lines.push(line);
    line = end + 1;
  }
  return { count: lines.length, lineOf: (row) => lines[row] ?? all - 1, rowOf: (line) => rows[line] ?? 0 };
}
