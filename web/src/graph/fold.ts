/** Which lines are on screen when computations are folded. Pure. */
import type { Head, HloText } from './text';

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

const OPEN = 'all-';

/** What `tf` of the address says: "12,40", or "all-40" for all but the entry computation and these. */
export function foldedOf(heads: readonly Head[], words: string): ReadonlySet<number> {
  const inverse = words.startsWith(OPEN);
  const named = new Set((inverse ? words.slice(OPEN.length) : words).split(',').map((part) => Number(part) - 1));
  return new Set(heads.filter((head) => (inverse ? !head.entry && !named.has(head.line) : named.has(head.line))).map((head) => head.line));
}

/** The shorter of the two ways to say it. */
export function foldText(heads: readonly Head[], folded: ReadonlySet<number>): string {
  if (!folded.size) return '';
  const lines = (which: readonly Head[]) => which.map((head) => head.line + 1).join(',');
  const open = heads.filter((head) => !head.entry && !folded.has(head.line));
  const entryOpen = heads.every((head) => !head.entry || !folded.has(head.line));
  return entryOpen && open.length < folded.size ? OPEN + lines(open) : lines(heads.filter((head) => folded.has(head.line)));
}
