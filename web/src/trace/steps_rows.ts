/** Steps as lines of a table, by chip or thread, and as marks on the ruler. Pure. */
import type { Answers } from '../api/answers';

type StepColumns = Pick<Answers['trace/steps'], 'n' | 'process' | 'row' | 'number' | 'start_ps' | 'end_ps'>;

/** Whose steps are drawn side by side or one after the other: a device, or one thread of a host. */
export interface Lane {
  process: number;
  /** The thread; null for a device. */
  row: number | null;
  steps: number;
  /** Why what computed in its steps is not known. */
  unknown: string | null;
}

export function lanesOf(s: Pick<Answers['trace/steps'], 'lanes'> | null): Lane[] {
  return s ? s.lanes.process.map((process, k) => ({ process, row: s.lanes.row[k], steps: s.lanes.steps[k], unknown: s.lanes.compute_unknown[k] })) : [];
}

/** As the address has it: "3" is the device of that process, "0.17" the thread in row 17 of it. */
export const laneText = (lane: Pick<Lane, 'process' | 'row'>): string => (lane.row === null ? String(lane.process) : `${lane.process}.${lane.row}`);

/** The lane that the address names, else the first; of a process with several threads its first. */
export function laneAt(lanes: readonly Lane[], asked: string): Lane | null {
  return lanes.find((lane) => laneText(lane) === asked) ?? lanes.find((lane) => String(lane.process) === asked) ?? lanes[0] ?? null;
}

export const isOf = (s: StepColumns, k: number, lane: Pick<Lane, 'process' | 'row'>): boolean => s.process[k] === lane.process && s.row[k] === lane.row;

/** Steps further off the middle one than this are marked. */
const OFF = 0.05;
export const isOff = (length: number, usual: number): boolean => usual > 0 && Math.abs(length / usual - 1) > OFF;

export interface MatrixRow {
  number: number;
  start: number;
  end: number;
  /** By lane: index in the answer, -1 = it has no such step. */
  at: number[];
}

/** One line for each step number that touches the window, in the order of time. */
export function matrixRows(s: StepColumns, lanes: readonly Lane[], from: number, to: number): MatrixRow[] {
  const columnOf = new Map(lanes.map((lane, c) => [laneText(lane), c]));
  const lines = new Map<number, MatrixRow>();
  for (let k = 0; k < s.n; k++) {
    const column = columnOf.get(laneText({ process: s.process[k], row: s.row[k] }));
    if (column === undefined) continue;
    let line = lines.get(s.number[k]);
    if (!line) {
      line = { number: s.number[k], start: s.start_ps[k], end: s.end_ps[k], at: lanes.map(() => -1) };
      lines.set(s.number[k], line);
    }
    line.at[column] = k;
    line.start = Math.min(line.start, s.start_ps[k]);
    line.end = Math.max(line.end, s.end_ps[k]);
  }
  return [...lines.values()].filter((line) => line.end > from && line.start < to).sort((a, b) => a.start - b.start);
}

/** What the ruler draws: one step, or several that no pixel can tell apart. */
export interface Mark {
  start: number;
  end: number;
  count: number;
  /** Of the first and the last of them. */
  number: number;
  last: number;
  name: string;
  event: number;
  /** Of one step, by the clock of the steps; null for several. */
  duration: number | null;
}

/** Marks of a window in order: steps narrower than a pixel that touch in the picture are one mark, and none is left out. */
export function marksToDraw(marks: readonly Mark[], from: number, to: number, pixel: number): Mark[] {
  const out: Mark[] = [];
  let run: Mark | null = null;
  for (const m of marks) {
    if (m.end < from || m.start > to) continue;
    if (m.end - m.start >= pixel && m.count === 1) {
      run = null;
      out.push(m);
    } else if (run && m.start - run.end < pixel) {
      run.end = Math.max(run.end, m.end);
      run.count += m.count;
      run.last = m.last;
      run.duration = null;
    } else {
      run = { ...m };
      out.push(run);
    }
  }
  return out;
}
