/** One line that says what a process did in the window: compute, exposed copies and communication, idle; as `xprofd overlap` has it. */
import type { Answers, Columns, OverlapRow, TraceRows } from '../api/answers';
import { call, isAborted } from '../api/client';
import { Delayed } from '../util/rest';
import { frame, paint, rows, subject, views } from './state';
import { durationText } from './time';

/** What the devices did, and by which clock. */
type Overlap = Pick<Columns<OverlapRow>, 'n' | 'process' | 'compute_ps' | 'exposed_comm_ps' | 'exposed_copy_ps' | 'idle_ps'> & { clock: string };

/** Events of devices in view above which nothing is added up: it would hold up what is drawn. */
const EVENTS_MOST = 2_000_000;
const ASK_MS = 120;

let askedFor = '';
let made: string[] = [];
let inside: number[] = [];
const soon = new Delayed();

/** Sums of the window are taken at rest; while it moves the last ones stand. */
export function sentenceOf(process: number): string {
  return made[process] ?? '';
}

/** Measured events of a process in the window. */
export function insideOf(process: number): number {
  return inside[process] ?? 0;
}

/** Parts of events that the device did not measure, as the host-aligned clock jumped; of each process. */
function clockSteps(from: number, to: number): Map<number, number> {
  const r = rows.peek();
  const sums = new Map<number, number>();
  if (!r) return sums;
  const processOf = new Map(r.rows.row.map((row, k) => [row, r.rows.process[k]]));
  const c = r.clock_steps;
  for (let k = 0; k < c.n; k++) {
    const length = Math.min(c.at_ps[k], to) - Math.max(c.at_ps[k] - c.extra_ps[k], from);
    const process = processOf.get(c.row[k]);
    if (length > 0 && process !== undefined) sums.set(process, (sums.get(process) ?? 0) + length);
  }
  return sums;
}

/** "in view, host-aligned: computes 3 ms, ...": what process k of the answer did, and by which clock. Pure. */
export function words(o: Overlap, k: number, jumped: number): string {
  const parts = [`computes ${durationText(o.compute_ps[k])}`];
  const exposed = [];
  if (o.exposed_copy_ps[k] > 0) exposed.push(`copies ${durationText(o.exposed_copy_ps[k])}`);
  if (o.exposed_comm_ps[k] > 0) exposed.push(`comm. ${durationText(o.exposed_comm_ps[k])}`);
  if (exposed.length > 0) parts.push(`exposed ${exposed.join(', ')}`);
  parts.push(`idle ${durationText(o.idle_ps[k])}`);
  return `in view, ${o.clock === 'device' ? 'device clock' : 'host-aligned'}: ${parts.join(', ')}${jumped > 0 ? `; ${durationText(jumped)} of this is clock drift` : ''}`;
}

function ask(from: number, to: number): void {
  const r = rows.peek();
  if (!r) return;
  // The whole trace is asked for as such: that answer stands in a report file, too.
  const range = from <= r.first_ps && to >= r.end_ps ? {} : { from: Math.round(from), to: Math.round(to) };
  call<Answers['trace/overlap']>('trace/overlap', { ...subject.peek(), ...range }, { key: 'trace/overlap', quiet: true, part: 'what the devices did in view' })
    .then((answer) => {
      const jumped = clockSteps(from, to);
      made = [...r.processes.name];
      const o = { ...(answer.devices as Columns<OverlapRow>), clock: answer.clock };
      for (let k = 0; k < o.n; k++) made[o.process[k]] = words(o, k, jumped.get(o.process[k]) ?? 0);
      paint();
    })
    .catch((error: unknown) => {
      if (!isAborted(error)) made = [...r.processes.name];
    });
}

/** Of what is not added up; that nothing of the trace says what it computed is said of each host. */
function restWords(r: TraceRows, name: string, process: number, devices: number): string {
  if (r.processes.computes[process] && devices > 0) return 'compute is summed below 2,000,000 events in view';
  return r.processes.computes.some(Boolean) ? name : `${name}: ${r.processes.compute_unknown[process]}`;
}

export function makeSentences(): void {
  const r = rows.peek();
  if (!r) return;
  inside = r.processes.name.map(() => 0);
  for (let k = 0; k < r.rows.n; k++) if (!r.rows.derived[k]) inside[r.rows.process[k]] += views.peek().get(r.rows.row[k])?.events ?? 0;
  const [from, to] = [frame.from, frame.to];
  const key = `${JSON.stringify(subject.peek())} ${from} ${to} ${r.derived}`;
  const devices = inside.reduce((sum, events, process) => (r.processes.computes[process] ? sum + events : sum), 0);
  if (devices === 0 || devices > EVENTS_MOST) {
    askedFor = '';
    soon.cancel();
    made = r.processes.name.map((name, process) => restWords(r, name, process, devices));
    return;
  }
  if (key === askedFor) return;
  askedFor = key;
  if (made.length !== r.processes.n) made = [...r.processes.name];
  soon.ask(ASK_MS, () => ask(from, to));
}
