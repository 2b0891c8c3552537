/** Steps as lines of a table, chips as its columns. Pure. */
export interface StepColumns {
  n: number;
  process: number[];
  number: number[];
  start: number[];
  end: number[];
}

export interface MatrixRow {
  number: number;
  start: number;
  end: number;
  /** By chip: index in the answer, -1 = this chip has no such step. */
  at: number[];
}

/** One line for each step number that touches the window, in the order of time. */
export function matrixRows(s: StepColumns, chips: readonly number[], from: number, to: number): MatrixRow[] {
  const lines = new Map<number, MatrixRow>();
  for (let k = 0; k < s.n; k++) {
    const chip = chips.indexOf(s.process[k]);
    if (chip < 0) continue;
    let line = lines.get(s.number[k]);
    if (!line) {
      line = { number: s.number[k], start: s.start[k], end: s.end[k], at: chips.map(() => -1) };
      lines.set(s.number[k], line);
    }
    line.at[chip] = k;
    line.start = Math.min(line.start, s.start[k]);
    line.end = Math.max(line.end, s.end[k]);
  }
  return [...lines.values()].filter((line) => line.end > from && line.start < to).sort((a, b) => a.start - b.start);
}
