// Measured times of instructions against XProf's recorded answers. TPU and GPU: count, total and self time of
// every row of hlo_stats. CPU: the recorded events (trace_viewer@) that are called like an
// instruction, added up by name over all programs of the run. Prints "n of n equal".
import fs from 'node:fs';
import path from 'node:path';

import { Server } from '../support/program.mjs';
import { recordedSets } from './recorded.mjs';

let equal = 0;
let compared = 0;
function check(what, ours, theirs) {
  compared++;
  if (ours === theirs) equal++;
  else console.log(`${what}: ${ours}, recorded ${theirs}`);
}

const ps = (us) => Math.round((us ?? 0) * 1e6);

/** The first recorded answer of a tool for a host of a run, parsed; null without one. */
function recorded(answers, run, tag, host) {
  for (const { url, status, text } of answers) {
    const at = new URL(url, 'http://x'), q = at.searchParams;
    const bare = [...q.keys()].every((k) => ['run', 'tag', 'host', 'resolution'].includes(k));
    if (status === 200 && at.pathname.endsWith('/data') && q.get('tag') === tag && bare
      && q.get('run') === run && q.get('host') === host && (q.get('resolution') ?? '0') === '0')
      return JSON.parse(text());
  }
  return null;
}

/** [{program, name, count, total, self}] of all programs of a host. */
async function measured(server, run, host) {
  const list = [];
  for (const module of (await server.api('modules', { run })).json.key) {
    const times = (await server.api('graph/times', { run, host, module })).json;
    if (!times.known) continue;
    check(`${run} ${module} joined`, times.not_joined, 0);
    for (let i = 0; i < times.n; i++)
      list.push({
        program: /\((\d+)\)$/.exec(module)?.[1], name: times.name[i], count: times.count[i],
        total: times.total_ps[i], self: times.self_ps[i],
      });
  }
  return list;
}

function compareStats(where, ours, table) {
  const column = (id) => table.cols.findIndex((c) => c.id === id);
  const [program, name, count, total, self] = ['program_id', 'hlo_op_name', 'occurrences', 'total_time',
    'total_self_time'].map(column);
  const of = new Map(ours.map((op) => [`${op.program}/${op.name}`, op]));
  for (const { c } of table.rows) {
    const key = `${c[program].v}/${c[name].v}`, op = of.get(key);
    if (!op) { // its program is not in the file: nothing to join
      if (ours.some((o) => o.program === c[program].v)) check(`${where} ${key}`, 'missing', 'there');
      continue;
    }
    check(`${where} ${key} count`, op.count, c[count].v);
    check(`${where} ${key} total`, op.total, ps(c[total].v));
    check(`${where} ${key} self`, op.self, ps(c[self].v));
    of.delete(key);
  }
  for (const key of of.keys()) check(`${where} ${key}`, 'there', 'missing');
}

function compareEvents(where, ours, answer) {
  const sums = new Map();
  for (const e of answer.traceEvents) {
    if (e.ph !== 'X') continue;
    const sum = sums.get(e.name) ?? { count: 0, total: 0 };
    sums.set(e.name, { count: sum.count + 1, total: sum.total + ps(e.dur) });
  }
  const byName = new Map();
  for (const op of ours) {
    const sum = byName.get(op.name) ?? { count: 0, total: 0 };
    byName.set(op.name, { count: sum.count + op.count, total: sum.total + op.total });
  }
  for (const [name, sum] of byName) {
    check(`${where} ${name} count`, sum.count, sums.get(name)?.count);
    check(`${where} ${name} total`, sum.total, sums.get(name)?.total);
  }
}

for (const { name: data, logdir, answers } of recordedSets()) {
  const runs = path.join(logdir, 'plugins/profile');
  if (!fs.existsSync(runs)) continue;
  const server = await Server.start(logdir);
  for (const run of fs.readdirSync(runs)) {
    const hosts = fs.readdirSync(path.join(runs, run)).map((file) => file.replace(/\.xplane\.pb$/, '')).sort();
    for (const host of hosts) {
      const before = compared;
      const ours = await measured(server, run, host);
      if (ours.length === 0) continue;
      // XProf tells of every host what it was asked first, of one host
      const stats = recorded(answers, run, 'hlo_stats', hosts[0]);
      const events = recorded(answers, run, 'trace_viewer@', host);
      if (stats?.rows?.length && host !== hosts[0]) continue;
      if (stats?.rows?.length) compareStats(`${data}/${host}`, ours, stats);
      else if (events?.traceEvents) compareEvents(`${data}/${host}`, ours, events);
      console.log(`${data}/${host}: ${compared - before}`);
    }
  }
  await server.stop();
}
console.log(`${equal} of ${compared} equal`);
process.exit(equal === compared && compared > 400 ? 0 : 1);
