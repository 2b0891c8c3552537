// xprofd trace and export: text, JSON and CSV say the same; the export is a trace Perfetto can read.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';

import { captured, run, Server, shared, temporary, testdata, withoutOperations } from '../support/program.mjs';
import { csv, dump, EXIT, fails, json, sum, train } from './common.mjs';

test('the JSON has its keys and adds up', () => {
  const answer = json(['trace', train, '--top=100000']);
  assert.deepEqual(Object.keys(answer), ['schema', 'command', 'exit', 'covers', 'totals']);
  const { rows, all } = answer.totals;
  const { n } = rows;
  for (const [name, column] of Object.entries(rows).slice(1)) assert.equal(column.length, n, name);
  assert.equal(sum(rows.count), all.count);
  assert.equal(sum(rows.self_ps), all.self_ps);
  assert.equal(answer.totals.left_out, 0);
  assert.ok(rows.self_ps.every((self, i) => i === 0 || self <= rows.self_ps[i - 1]), 'largest first');
  assert.ok(rows.min_ps.every((min, i) => min <= rows.p50_ps[i] && rows.p50_ps[i] <= rows.p99_ps[i] && rows.p99_ps[i] <= rows.max_ps[i]));
  const some = json(['trace', train, '--top=3']);
  assert.equal(some.totals.rows.n, 3);
  assert.equal(some.totals.left_out, n - 3);
});

test('CSV has the rows of the JSON', () => {
  for (const by of ['name', 'category', 'module', 'step', 'chip', 'row']) {
    const { rows } = json(['trace', train, `--by=${by}`, '--top=100000']).totals;
    const done = run(['trace', train, `--by=${by}`, '--csv']);
    assert.equal(done.code, EXIT.OK);
    const table = csv(done.text);
    assert.deepEqual(table.map((row) => Number(row.self_ps)), rows.self_ps, by);
    assert.deepEqual(table.map((row) => Number(row.count)), rows.count, by);
  }
});

test('text names the largest and how many more there are', () => {
  const { rows, all_n: all } = json(['trace', train]).totals;
  const done = run(['trace', train, '--top=2']);
  assert.equal(done.code, EXIT.OK);
  assert.match(done.text, /events in \d+ rows/);
  assert.ok(done.text.includes(rows.key[0]));
  assert.ok(done.text.includes(`${all - 2} more`));
});

test('a run whose events name no operation: what it computed is unknown, with the reason; never 0', () => {
  const tf = withoutOperations();
  const why = /^unknown: no event is an operation: neither of a program \(stat hlo_op\) nor of TensorFlow's executor/m;
  for (const by of ['device', 'step', 'collective']) assert.match(run(['overlap', tf, `--by=${by}`]).text, why, by);
  const steps = run(['overlap', tf, '--by=step']).text.split('\n').filter((line) => /train/.test(line));
  assert.ok(steps.length > 0 && steps.every((line) => (line.match(/ - /g) ?? []).length >= 3 && !/0\.000/.test(line)), steps.join('\n'));
  const { overlap } = json(['overlap', tf]);
  assert.equal(overlap.devices.n, 0);
  assert.match(`unknown: ${overlap.compute_unknown}`, why);
  assert.equal(json(['overlap', train]).overlap.compute_unknown, null);
});

test('TensorFlow on a CPU without XLA: Ops lists what its executor ran, and that is what overlap calls compute', async () => {
  for (const logdir of [path.join(testdata, 'cpu_tf/logdir'), ...(shared ? [path.join(shared, 'data/tf_data_leak/logdir')] : [])]) {
    const server = await Server.start(logdir);
    try {
      const id = (await server.api('runs')).json.id[0];
      const get = async (route, query = {}) => (await server.api(route, { run: id, ...query })).json;
      const ops = await get('trace/ops', { percentiles: 1, limit: 10000 }), { devices } = await get('trace/overlap');
      assert.ok(ops.known && ops.ops.n > 0, ops.reason);
      assert.equal(ops.busy_ps, devices.compute_ps[0], logdir);
      assert.equal(ops.self_ps - ops.side_by_side_ps, ops.busy_ps);
      assert.equal(ops.ops.self_ps.reduce((all, one) => all + one, 0), ops.self_ps);
      assert.ok(ops.ops.opcode.every(Boolean) && ops.ops.module.every((name) => name === 'operations without a program'));
      assert.ok(ops.ops.bound_reason.every((why) => /no XLA program/.test(why)), 'why their work is unknown');
      // XProf counts the same events; those of tf.data's threads it counts, too.
      const [table] = JSON.parse((await server.get(`/data?${new URLSearchParams({ run: id, tag: 'framework_op_stats', host: '' })}`)).text);
      const column = (name) => table.cols.findIndex((one) => one.id === name);
      const theirs = new Map(table.rows.map(({ c }) => [c[column('operation')].v, c]));
      ops.ops.name.forEach((name, row) => {
        const of = theirs.get(name.slice(0, name.lastIndexOf(':')));
        assert.ok(of, `${name} is an operation of XProf's`);
        assert.ok(of[column('occurrences')].v >= ops.ops.count[row], name);
      });
    } finally {
      await server.stop();
    }
  }
});

test('operations of CPU threads are of their program and category', () => {
  const of = (by) => json(['trace', train, `--by=${by}`]).totals.rows;
  assert.ok(of('module').key.some((key) => /^jit_.*\(\d+\)$/.test(key)), of('module').key.join(' '));
  assert.ok(of('category').key.some((key) => /fusion|dot/.test(key)), of('category').key.join(' '));
});

test('a CSV that lacks rows says so on stderr, over HTTP in a header; one that is whole, or as long as it was asked for, says nothing', async () => {
  const gaps = path.join(testdata, 'gpu_jax/logdir');
  const cut = run(['trace', gaps, '--by=gap', '--csv']);
  const all = Number(/^xprofd trace: the first 100 of ([0-9]+); --top=N shows more\n$/.exec(cut.errors)?.[1]);
  assert.equal(csv(cut.text).length, 100);
  const whole = run(['trace', gaps, '--by=gap', '--csv', '--top=5000']);
  assert.deepEqual([csv(whole.text).length, whole.errors], [all, '']);
  for (const args of [['trace', '--by=gap', '--top=3'], ['ops'], ['overlap', '--by=step'], ['steps']]) assert.equal(run([args[0], train, ...args.slice(1), '--csv']).errors, '', args.join(' '));
  const server = await Server.start(train);
  const run_id = (await server.api('runs')).json.id[0];
  const noteOf = async (query) => (await server.get(`/api/v1/trace/ops?${new URLSearchParams({ run: run_id, format: 'csv', ...query })}`)).headers['x-xprofd-note'];
  assert.match(await noteOf({ limit: 2 }), /^the first 2 of \d+$/);
  assert.match(await noteOf({ limit: 2, offset: 1 }), /^2 of \d+$/);
  assert.equal(await noteOf({ limit: 5000 }), undefined);
  await server.stop();
});

test('what a step computed on CPU threads is in the step, too, when events are added up by step', () => {
  const { steps } = json(['overlap', train, '--by=step']);
  assert.deepEqual(csv(run(['overlap', train, '--by=step', '--csv']).text).map((row) => Number(row.duration_ps)), steps.duration_ps);
  const { rows } = json(['trace', train, '--by=step', '--top=1000']).totals;
  assert.ok(steps.n > 1);
  steps.name.forEach((name, k) => {
    const at = rows.key.indexOf(name);
    assert.ok(at >= 0 && steps.compute_ps[k] > 0 && rows.total_ps[at] >= steps.compute_ps[k], `${name}: ${rows.total_ps[at]} of ${steps.compute_ps[k]}`);
  });
});

test('every line of a GPU that is not made from others is a stream', () => {
  const overlap = json(['overlap', path.join(testdata, 'gpu_tf/logdir')]).overlap.devices;
  assert.ok(overlap.n === 4 && overlap.compute_ps.every((ps) => ps > 5e9) && overlap.exposed_copy_ps.every((ps) => ps > 5e8), overlap.compute_ps.join(' '));
});

test('a range takes part of the trace', () => {
  const whole = json(['trace', train]).totals.all;
  const part = json(['trace', train, '--from=1ms', '--to=2ms']).totals;
  assert.equal(part.from_ps, 1e9);
  assert.equal(part.to_ps, 2e9);
  assert.ok(part.all.count > 0 && part.all.count < whole.count);
  assert.deepEqual(json(['trace', train, '--from=1000us', '--to=2000000000']).totals.all, part.all);
  assert.equal(json(['trace', train, '--from=0.5ms']).totals.from_ps, 5e8);
});

test('a cut profile: the numbers of what is there, and beside them that something is missing', () => {
  const whole = fs.readFileSync(captured('cpu_mlp_train'));
  const cut = path.join(temporary('cut'), 'cut.xplane.pb');
  fs.writeFileSync(cut, whole.subarray(0, Math.floor(whole.length * 0.6)));
  for (const more of [['trace'], ['trace', '--csv'], ['export', '--format=chrome']]) {
    const [command, ...options] = more;
    const done = run([command, cut, ...options]);
    assert.equal(done.code, EXIT.OK);
    assert.match(done.errors, /^xprofd: warning: cut\.xplane\.pb: The file is cut short: it has [\d]+ bytes/, more.join(' '));
  }
  const answer = json(['trace', cut]);
  assert.equal(answer.covers.skipped[0].what, 'file_cut');
  assert.equal(run(['trace', train]).errors, '');
});

test('wrong options end with a sentence', () => {
  // The error lists every value that there is, as the help does.
  const values = /--by=([a-z|]+)/.exec(run(['trace', '--help']).text)[1].split('|').join(' ');
  assert.match(values, /\bgap\b/);
  for (const bad of ['colour', 'na', 'name category', '']) fails(['trace', train, `--by=${bad}`], EXIT.USAGE, new RegExp(`one of: ${values}, not "${bad}"`));
  fails(['trace', train, '--from=soon'], EXIT.USAGE, /1\.5ms/);
  fails(['trace', train, '--from=1.0000001us'], EXIT.USAGE, /--from/);
  fails(['trace', train, '--top=0'], EXIT.USAGE, /--top/);
  fails(['trace', train, '--clock=wall'], EXIT.USAGE, /device host/);
  fails(['trace', train, '--host=nobody'], EXIT.INPUT, /nobody/);
  fails(['trace', train, '--rows=9999'], EXIT.INPUT, /9999/);
  fails(['trace', dump], EXIT.INPUT, /no events/);
  fails(['trace'], EXIT.USAGE, /PROFILE|profile/);
  fails(['export', train, '--format=pdf'], EXIT.USAGE, /chrome/);
  fails(['export', train, '-o', '/nonexistent/folder/file'], EXIT.INPUT, /cannot write/);
});

/** Reads what the format demands of every event, and gives them by phase. */
function byPhase(text) {
  const trace = JSON.parse(text);
  assert.equal(trace.displayTimeUnit, 'ns');
  const phases = { M: [], X: [], b: [], e: [], C: [], s: [], f: [] };
  const threads = new Set();
  for (const event of trace.traceEvents) {
    assert.ok(event.ph in phases, event.ph);
    assert.equal(typeof event.name, 'string');
    assert.ok(Number.isInteger(event.pid));
    if (event.ph !== 'M') assert.equal(typeof event.ts, 'number');
    if (event.ph === 'X') assert.ok(event.dur >= 0);
    if ('besf'.includes(event.ph)) assert.equal(typeof event.id, 'string');
    if (event.ph === 'f') assert.equal(event.bp, 'e');
    if (event.name === 'thread_name') threads.add(`${event.pid} ${event.tid}`);
    phases[event.ph].push(event);
  }
  for (const event of [...phases.X, ...phases.b, ...phases.s]) assert.ok(threads.has(`${event.pid} ${event.tid}`));
  return phases;
}

test('the export is whole: every event, async ends, flows in pairs', () => {
  const done = run(['export', train]);
  assert.equal(done.code, EXIT.OK);
  const phases = byPhase(done.text);
  assert.equal(phases.X.length + phases.b.length, json(['trace', train, '--by=row', '--rows=0-3']).totals.all.count);
  const ids = (list) => list.map((event) => event.id).sort();
  assert.deepEqual(ids(phases.b), ids(phases.e));
  assert.deepEqual(ids(phases.s), ids(phases.f));
  const at = new Map(phases.s.map((event) => [event.id, event.ts]));
  assert.ok(phases.f.every((event) => event.ts >= at.get(event.id)), 'no arrow goes back in time');
  assert.ok(phases.X.some((event) => Object.keys(event.args).length > 1), 'arguments');
  assert.ok(done.text.includes('.000000,"dur"') || /"ts":\d+\.\d{6},/.test(done.text), 'six decimals');
});

test('slices of a thread nest', () => {
  const { X } = byPhase(run(['export', train, '--no-args']).text);
  const rows = new Map();
  for (const event of X) {
    const key = `${event.pid} ${event.tid}`;
    rows.set(key, [...rows.get(key) ?? [], [Math.round(event.ts * 1e6), Math.round((event.ts + event.dur) * 1e6)]]);
  }
  for (const [key, row] of rows) {
    row.sort((a, b) => a[0] - b[0] || b[1] - a[1]);
    const open = [];
    for (const [start, end] of row) {
      while (open.length && open.at(-1) <= start + 1) open.pop();
      assert.ok(!open.length || end <= open.at(-1) + 1, `thread ${key} at ${start}`); // + 1: doubles
      open.push(end);
    }
  }
});

test('-o writes the same, and nothing when it fails', () => {
  const folder = temporary('trace');
  const file = path.join(folder, 'trace.json');
  const options = ['export', train, '--from=1ms', '--to=2ms', '--derived'];
  assert.equal(run([...options, '-o', file]).code, EXIT.OK);
  assert.equal(fs.readFileSync(file, 'utf8'), run(options).text);
  fails(['export', train, '--rows=9999', '-o', path.join(folder, 'none.json')], EXIT.INPUT, /9999/);
  assert.ok(!fs.existsSync(path.join(folder, 'none.json')));
});
