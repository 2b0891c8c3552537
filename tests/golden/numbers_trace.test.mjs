// One number asked of two routes, on every profile there is: testdata, then the shared sets. What docs/NUMBERS.md promises of
// Trace. Prints "n of n equal".
import fs from 'node:fs';
import path from 'node:path';

import { run as program, Server, shared, testdata } from '../support/program.mjs';

let equal = 0;
let compared = 0;
const same = (what, ours, other) => {
  compared++;
  if (ours === other) equal++;
  else console.log(`${what}: ${ours} and ${other}`);
};
const holds = (what, fact) => same(what, fact, true);
const sum = (list) => list.reduce((all, x) => all + x, 0);
const times = (list) => [...list.keys()];

/** Folders of runs: [{name, root}]. */
function sets() {
  const out = [];
  for (const data of [testdata, shared && path.join(shared, 'data')])
    for (const name of data ? fs.readdirSync(data).sort() : []) {
      const root = path.join(data, name, 'logdir');
      if (fs.existsSync(root)) out.push({ name, root });
    }
  return out;
}

/** Asks about one run, in one window. */
class Window {
  constructor(server, root, where, run, range) {
    Object.assign(this, { server, root, where, run, range });
  }

  /** The window as the command line takes it: in ns, to the picosecond. */
  options() {
    return Object.entries(this.range).map(([edge, ps]) => `--${edge}=${Math.floor(ps / 1000)}.${String(ps % 1000).padStart(3, '0')}ns`);
  }

  /** Rows of the run, without the window. */
  async rows() {
    return (await this.server.api('trace/rows', { run: this.run })).json;
  }

  async ask(route, more = {}) {
    const { status, json } = await this.server.api(`trace/${route}`, { run: this.run, ...this.range, ...more });
    if (status !== 200) throw new Error(`${this.where} ${route}: HTTP ${status}`);
    return json;
  }
}

/** Gaps of a chip are what overlap calls idle; those of rows are the window less what is busy. */
async function gaps(w) {
  const { devices: overlap } = await w.ask('overlap');
  const chips = await w.ask('gaps', { by: 'chip', limit: 10000 });
  for (const k of times(chips.of.process)) {
    const at = overlap.process.indexOf(chips.of.process[k]);
    same(`${w.where} idle of chip ${chips.of.process[k]}`, chips.of.idle_ps[k], overlap.idle_ps[at]);
  }
  if (chips.left_out === 0) same(`${w.where} gaps of chips`, sum(chips.duration_ps), sum(chips.of.idle_ps));
  const rows = await w.ask('gaps', { by: 'row' });
  const busy = (await w.ask('totals', { by: 'row', limit: 1 })).all.busy_ps;
  same(`${w.where} gaps of rows`, sum(rows.of.idle_ps), rows.of.n * (rows.to_ps - rows.from_ps) - busy);
  holds(`${w.where} longest first`, rows.duration_ps.every((d, k) => k === 0 || d <= rows.duration_ps[k - 1]));
  holds(`${w.where} gaps in the window`, rows.start_ps.every((s, k) => s >= rows.from_ps && s + rows.duration_ps[k] <= rows.to_ps));
  const { gap, self_ps: self } = rows.meanwhile;
  holds(`${w.where} meanwhile`, self.every((ps, k) => ps > 0 && gap[k] < rows.n));
}

/** Sums by one thing or another are of the same events; what is cut at the window fits into it. */
async function totals(w, whole) {
  const by = {};
  for (const name of ['name', 'category', 'module', 'step', 'chip', 'row']) by[name] = await w.ask('totals', { by: name, limit: 100000 });
  const { all, of_rows: of, from_ps: from, to_ps: to } = by.row;
  const length = (Math.min(to, whole) - Math.max(from, 0)) * of.length;
  holds(`${w.where} busy ${all.busy_ps} in ${length}`, all.busy_ps <= length);
  for (const [name, t] of Object.entries(by)) {
    for (const column of ['count', 'total_ps', 'self_ps', 'host_total_ps', 'device_count']) {
      same(`${w.where} ${column} by ${name}`, t.all[column], all[column]);
      same(`${w.where} sum of ${column} by ${name}`, sum(t.rows[column]), all[column]);
    }
    same(`${w.where} clock by ${name}`, t.clock, by.row.clock);
    holds(`${w.where} one clock by ${name}`, t.clock === 'host' || t.all.device_count === t.all.count);
    holds(`${w.where} self within total by ${name}`, t.rows.self_ps.every((self, k) => self <= t.rows.total_ps[k]));
  }
  same(`${w.where} busy by name`, by.name.all.busy_ps, all.busy_ps);
  // Sums do not rank chips: trace/steps says which one holds the others up.
  holds(`${w.where} chips in their order`, by.chip.rows.first_event.every((event, k) => k === 0 || event > by.chip.rows.first_event[k - 1]));
  // What runs in a row one after another: an event nested in another one, or beside it, counts again.
  const { rows: r } = await w.rows();
  const flat = of.every((row) => r.depths[r.row.indexOf(row)] <= 1);
  const host = await w.ask('totals', { by: 'name', clock: 'host', limit: 100000 });
  same(`${w.where} host-aligned by either clock`, host.all.total_ps, all.host_total_ps);
  if (flat) same(`${w.where} host-aligned and busy`, host.all.total_ps, host.all.busy_ps);
  const flame = await w.ask('flame');
  if (flame.folded === 0) same(`${w.where} flame`, flame.total_all_ps, sum(flame.total_ps.filter((_, k) => flame.parent[k] === null)));
  if (flat) same(`${w.where} flame and busy`, flame.total_all_ps, host.all.busy_ps);
  const text = program(['trace', w.root, `--run=${w.run}`, ...w.options(), '--json', '--top=100000']);
  same(`${w.where} xprofd trace`, JSON.stringify(JSON.parse(text.text).totals.all), JSON.stringify(by.name.all));
}

/** Of the whole run: what the minimap shows as busy is what the rows say, the operations are the sums by name. */
async function whole(w) {
  const { rows: r, processes, hosts } = await w.rows();
  const o = await w.ask('overview', { px: 50 });
  for (const lane of o.lanes) {
    const kind = ['stream', 'xla_ops', 'xla_modules', 'steps'].find((k) => r.kind.some((own, at) => own === k && r.process[at] === lane.process));
    if (processes.kind[lane.process] === 'host' || !kind) continue;
    const of = times(r.row).filter((k) => r.process[k] === lane.process && r.kind[k] === kind && !r.derived[k] && r.depths[k] > 0);
    same(`${w.where} rows of lane ${lane.process}`, lane.rows, of.length);
    // Levels are bytes: half of one a column is lost at most, and what is not nothing is not 0.
    const busy = sum(lane.level) / 255 * o.column_ps * lane.rows;
    if (of.every((k) => r.depths[k] <= 1)) holds(`${w.where} minimap of ${lane.process}: ${busy}, rows ${sum(of.map((k) => r.busy_ps[k]))}`, Math.abs(busy - sum(of.map((k) => r.busy_ps[k]))) <= lane.level.length * o.column_ps * lane.rows / 255);
  }
  if (processes.kind.includes('gpu')) for (const { name } of hosts.filter((h) => h.has_events)) await streams(w, name);
  if (processes.kind.every((kind) => kind !== 'tpu')) return;
  for (const { name } of hosts.filter((h) => h.has_events)) await operations(w, name);
}

/** Operations of a host's GPUs are all that their streams ran: what fills the chips in overlap, and in Overview's steps. */
async function streams(w, host) {
  const ops = await w.ask('ops', { limit: 10000, host, percentiles: 1 });
  const { devices: o } = await w.ask('overlap', { host });
  const busy = sum(times(o.process).map((k) => o.compute_ps[k] + o.exposed_comm_ps[k] + o.exposed_copy_ps[k]));
  same(`${w.where} operations of ${host} and what its streams ran`, ops.known ? ops.busy_ps : 0, busy);
  same(`${w.where} self of ${host} less side by side`, sum(ops.ops.self_ps) - (ops.side_by_side_ps ?? 0), busy);
}

/** The times of operations are those of one host: the same that its rows add up to. */
async function operations(w, host) {
  const ops = await w.ask('ops', { limit: 10000, host });
  if (!ops.known) return;
  const t = await w.ask('totals', { by: 'name', limit: 100000, clock: ops.clock, host });
  same(`${w.where} clock of ops`, ops.clock, t.clock);
  const at = new Map(times(t.rows.key).map((k) => [`${t.rows.program[k]} ${t.rows.key[k]}`, k]));
  for (const k of times(ops.ops.name)) {
    const own = at.get(`${ops.ops.module[k]} ${ops.ops.name[k]}`);
    if (own === undefined) continue;
    for (const [column, of] of [['count', 'count'], ['total_ps', 'total_ps'], ['self_ps', 'self_ps']]) same(`${w.where} ${column} of ${ops.ops.name[k]}`, ops.ops[column][k], t.rows[of][own]);
  }
  const known = new Set(ops.ops.module.map((module) => (module.startsWith('(') ? '' : module))); // a number alone: no event or HLO names it
  same(`${w.where} self of all operations`, ops.self_ps, sum(times(t.rows.key).filter((k) => known.has(t.rows.program[k])).map((k) => t.rows.self_ps[k])));
}

const PARTS = ['compute_ps', 'exposed_comm_ps', 'exposed_copy_ps', 'idle_ps'];

/** A step is what filled it, on one clock; by the host's it is what overlap says of the same window. */
async function steps(server, root, where, run) {
  const ask = async (route, more) => (await server.api(`trace/${route}`, { run, ...more })).json;
  const s = await ask('steps');
  const host = await ask('steps', { clock: 'host' });
  same(`${where} host clock of steps`, host.clock, 'host');
  const parts = (t, k) => sum(PARTS.map((part) => t[part][k]));
  const differ = (t) => times(t.process).filter((k) => t.idle_ps[k] !== null && (parts(t, k) !== t.duration_ps[k] || PARTS.some((part) => t[part][k] < 0)));
  same(`${where} steps that are not what filled them`, differ(s).length, 0);
  same(`${where} the same, host-aligned`, differ(host).length, 0);
  if (s.clock === 'device') {
    const chips = times(s.process).filter((k) => s.idle_ps[k] !== null);
    same(`${where} steps off the device clock`, chips.filter((k) => s.duration_ps[k] !== s.device_ps[k] || s.clock_of[k] !== 'device').length, 0);
    same(`${where} drift`, chips.filter((k) => s.drift_ps[k] !== s.end_ps[k] - s.start_ps[k] - s.device_ps[k]).length, 0);
  }
  const some = times(s.process).filter((k) => host.idle_ps[k] !== null && k % Math.ceil(s.n / 10) === 0);
  for (const k of some) {
    const { devices: o } = await ask('overlap', { from: host.start_ps[k], to: host.end_ps[k] });
    const at = o.process.indexOf(host.process[k]);
    for (const part of [...PARTS, 'overlapped_comm_ps', 'overlapped_copy_ps']) same(`${where} step ${k} ${part}`, host[part][k], o[part][at]);
  }
  const { chips: c } = s;
  const own = (process, column, numbers) => sum(times(s.process).filter((k) => s.process[k] === process && numbers.has(s.number[k])).map((k) => s[column][k]));
  const common = new Set(s.number.filter((number) => c.process.every((p) => s.process.filter((q, k) => q === p && s.number[k] === number).length === 1)));
  if (c.n > 0) same(`${where} common steps`, c.common, common.size);
  for (const k of times(c.process))
    for (const column of ['duration_ps', ...PARTS]) same(`${where} chip ${c.process[k]} ${column}`, c[column][k], own(c.process[k], column, common));
  same(`${where} who came last`, sum(c.came_last), c.n > 0 ? c.common : 0);
  holds(`${where} a reason for or against a straggler`, c.why.length > 10);
  const text = JSON.parse(program(['overlap', root, `--run=${run}`, '--by=step', '--json']).text).steps;
  for (const part of [...PARTS, 'duration_ps']) same(`${where} xprofd overlap --by=step ${part}`, JSON.stringify(text[part]), JSON.stringify(s[part]));
}

/** Of a whole chip in a window. */
async function overlap(w) {
  const answer = await w.ask('overlap');
  const o = answer.devices;
  for (const k of times(o.process)) same(`${w.where} what fills chip ${o.process[k]}`, sum(PARTS.map((part) => o[part][k])), answer.to_ps - answer.from_ps);
  const text = JSON.parse(program(['overlap', w.root, `--run=${w.run}`, ...w.options(), '--json']).text).overlap.devices;
  for (const part of PARTS) same(`${w.where} xprofd overlap ${part}`, JSON.stringify(text[part]), JSON.stringify(o[part]));
}

/** The programs that ran are those of Overview's table; Ops names no other. */
async function programs(server, where, run) {
  const { modules } = (await server.api('run', { run })).json;
  const ran = modules.key.filter((_, k) => modules.ran[k]).sort();
  const { programs: table } = (await server.api('overview', { run })).json;
  same(`${where} programs that ran`, table.module.filter((_, k) => table.held[k]).sort().join(), ran.join());
  const ops = (await server.api('trace/ops', { run, limit: 10000 })).json;
  const others = (ops.known ? ops.ops.module : []).filter((key) => modules.key.includes(key) && !ran.includes(key));
  same(`${where} programs of Ops that did not run`, others.join(), '');
}

/** An operation is one kind of work, on Trace and on Ops. A name that no row of Trace has is that of a framework's operation. */
async function kinds(server, where, run) {
  const { json: o } = await server.api('trace/ops', { run, limit: 10000 });
  const { rows: t } = (await server.api('trace/totals', { run, by: 'name', limit: 100000 })).json;
  for (const k of o.known ? times(o.ops.name) : []) {
    const of = times(t.key).filter((at) => t.key[at] === o.ops.name[k] && (t.program[at] === o.ops.module[k] || (t.program[at] === '' && o.ops.opcode[k] === '')));
    for (const column of ['group', 'category']) for (const at of of) same(`${where} ${column} of ${o.ops.name[k]} of ${o.ops.module[k]}`, o.ops[column][k], t[column][at]);
  }
}

async function ofWindow(w, whole) {
  await overlap(w);
  await totals(w, whole);
  await gaps(w);
}

async function ofRun(server, root, where, run) {
  const { status, json: rows } = await server.api('trace/rows', { run });
  if (status === 404) return; // no events
  const length = rows.end_ps - rows.first_ps;
  await steps(server, root, where, run);
  await programs(server, where, run);
  await kinds(server, where, run);
  const part = (from, to) => ({ from: Math.floor(length * from), to: Math.floor(length * to) });
  const windows = [{}, part(0.1, 0.9), part(0.4, 0.401), part(0.5, 0.6)];
  await whole(new Window(server, root, where, run, {}));
  for (const [k, range] of windows.entries()) await ofWindow(new Window(server, root, `${where} window ${k}`, run, range), length);
}

const list = sets();
for (const { name, root } of list) {
  const server = await Server.start(root);
  try {
    for (const run of (await server.api('runs')).json.id) await ofRun(server, root, `${name}/${run}`, run);
  } finally {
    await server.stop();
  }
}
console.log(`${equal} of ${compared} equal, ${list.length} sets`);
process.exit(equal === compared && compared > 0 ? 0 : 1);
