/** One line that says what a process did in the window: busy and waiting shares, by the row of its operations. */
import { firstEndingAfter, firstStartingFrom } from './boxes';
import { boxesOf, boxesVersion, frame, rows, views } from './state';
import { mainRow, rowsByProcess } from './layout';
import { durationText } from './time';

let madeFor = '';
let made: string[] = [];
let inside: number[] = [];

/** Sums of the window are taken at rest; while it moves the last ones stand. */
export function sentenceOf(process: number): string {
  return made[process] ?? '';
}

/** Measured events of a process in the window. */
export function insideOf(process: number): number {
  return inside[process] ?? 0;
}

export function makeSentences(): void {
  const r = rows.peek();
  if (!r) return;
  inside = r.processes.name.map(() => 0);
  for (let k = 0; k < r.rows.n; k++) if (!r.rows.derived[k]) inside[r.rows.process[k]] += views.peek().get(r.rows.row[k])?.events ?? 0;
  const key = `${frame.from} ${frame.to} ${boxesVersion.peek()} ${r.derived}`;
  if (key === madeFor) return;
  madeFor = key;
  const groups = rowsByProcess(r, 'file');
  const jumps = new Map<number, Jump[]>();
  const c = r.clock_steps;
  for (let k = 0; k < c.n; k++) {
    const end = Math.min(c.at[k], frame.to);
    const length = end - Math.max(c.at[k] - c.extra[k], frame.from);
    if (length > 0) jumps.set(c.row[k], [...(jumps.get(c.row[k]) ?? []), { middle: end - length / 2, length }]);
  }
  made = r.processes.name.map((name, process) => {
    if (r.processes.kind[process] === 'host') return name;
    const main = mainRow(r, groups[process]);
    return main < 0 ? name : deviceSentence(r.rows.row[main], jumps.get(r.rows.row[main]) ?? []);
  });
}

/** A part of an event that the device did not measure: the host-aligned clock jumped. */
interface Jump {
  middle: number;
  length: number;
}

function deviceSentence(row: number, jumps: Jump[]): string {
  const lane = boxesOf(row)?.lanes[0];
  if (!lane) return '';
  let work = 0;
  let wait = 0;
  const last = firstStartingFrom(lane, frame.to);
  for (let k = firstEndingAfter(lane, frame.from); k < last; k++) {
    const length = lane.end[k] - lane.start[k];
    const part = Math.min(lane.end[k], frame.to) - Math.max(lane.start[k], frame.from);
    const busy = length > 0 ? lane.busy[k] * Math.max(0, Math.min(1, part / length)) : 0;
    if (lane.wait[k]) wait += busy;
    else work += busy;
  }
  const idle = Math.max(0, frame.to - frame.from - work - wait);
  let clockStep = 0;
  for (const jump of jumps) {
    clockStep += jump.length;
    const k = Math.min(lane.n - 1, firstEndingAfter(lane, jump.middle));
    if (k >= 0 && lane.wait[k]) wait = Math.max(0, wait - jump.length);
    else work = Math.max(0, work - jump.length);
  }
  const parts = [`computes ${durationText(work)}`];
  if (wait > 0) parts.unshift(`core waits ${durationText(wait)}`);
  parts.push(`idle ${durationText(idle)}`);
  return `in view: ${parts.join(', ')}${clockStep > 0 ? `; ${durationText(clockStep)} clock step` : ''}`;
}
