// Operations of several hosts together: the sums over hosts are the sums of each host's answer, column by column, in each
// table; hosts that number one program differently, that run different programs of one name and number, that ran nothing.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';

import { captured, putRun, run as command, Server, shared, temporary, testdata } from '../support/program.mjs';

const chips = path.join(testdata, 'tpu_run/logdir/plugins/profile/train');
const [first, second] = fs.readdirSync(chips).sort();
const fileOf = (name) => fs.readFileSync(path.join(chips, name));
const ID = 2547258679391418489n, OTHER = ID - 1n, KEY = `jit_collectives(${ID})`;

function varint(n) {
  const out = [];
  for (; n > 127n; n >>= 7n) out.push(Number(n & 127n) | 128);
  return Buffer.from([...out, Number(n)]).toString('latin1');
}

/** The second host with other texts and numbers of the same size. */
function changed(...pairs) {
  let bytes = fileOf(second).toString('latin1');
  for (const [from, to] of pairs) {
    assert.ok(from.length === to.length && bytes.includes(from));
    bytes = bytes.replaceAll(from, to);
  }
  return Buffer.from(bytes, 'latin1');
}

/** The second host without the planes of its chips. */
function withoutChips() {
  const from = fileOf(second), kept = [];
  for (let at = 0; at < from.length; ) {
    let size = 0, end = at + 1, scale = 1;
    for (let more = true; more; scale *= 128) {
      size += (from[end] & 127) * scale;
      more = from[end++] > 127;
    }
    end += size;
    if (!from.subarray(at, end).includes('/device:TPU:')) kept.push(from.subarray(at, end));
    at = end;
  }
  return Buffer.concat(kept);
}

const root = temporary('hosts');
function two(run, a, b) {
  putRun(root, run, a, 'a.xplane.pb');
  putRun(root, run, b, 'b.xplane.pb');
}
const cpu = fs.readFileSync(captured('cpu_mlp_train'));
two('chips', fileOf(first), fileOf(second));
two('threads', cpu, cpu);
two('numbers', fileOf(first), changed([`${ID}`, `${OTHER}`], [varint(ID), varint(OTHER)]));
two('programs', fileOf(first), changed(['fusion.16', 'fusion.61']));
two('quiet', fileOf(first), withoutChips());
two('none', withoutChips(), withoutChips());

const sets = [[root, 'chips'], [root, 'threads'], [root, 'quiet'], [path.join(testdata, 'gpu_tf/logdir')],
  ...(shared ? ['mlp_train_two_hosts', 'gpu_tf_multi_worker'].map((name) => [path.join(shared, `data/${name}/logdir`)]) : [])];

const sum = (list) => list.reduce((all, n) => all + n, 0);
const rowsOf = (table) => table.name.map((_, i) => Object.fromEntries(Object.entries(table).filter(([, c]) => Array.isArray(c)).map(([key, c]) => [key, c[i]])));

/** Questions about a run: of all hosts, and of each. */
async function open(logdir, wanted) {
  const server = await Server.start(logdir);
  const run = wanted ?? (await server.api('runs')).json.id[0];
  const ask = async (route, query = {}) => {
    const answer = await server.api(route, { run, ...query });
    assert.equal(answer.status, 200, JSON.stringify(answer.json));
    return answer.json;
  };
  const hosts = (await ask('trace/rows')).hosts.filter((host) => host.has_events).map((host) => host.name);
  return { server, run, hosts, ask, each: (route, query) => Promise.all(hosts.map((host) => ask(route, { host, ...query }))) };
}

/** Columns that sum, whatever a run is; those that not every host tells are of the hosts that do. */
const SUMS = ['count', 'executions', 'total_ps', 'self_ps', 'other_total_ps', 'wait_total_ps', 'chips'];

function addsUp(all, each, what) {
  const parts = new Map();
  each.forEach((answer) => rowsOf(answer.ops).forEach((row) => {
    const key = `${row.module} ${row.name}`;
    parts.set(key, [...(parts.get(key) ?? []), { ...row, host: answer.host }]);
  }));
  assert.equal(all.ops.n, parts.size, what);
  for (const row of rowsOf(all.ops)) {
    const of = parts.get(`${row.module} ${row.name}`), where = `${what} ${row.name}`;
    for (const column of SUMS) {
      const known = of.filter((part) => part[column] !== null);
      assert.equal(row[column], known.length === of.length ? sum(known.map((part) => part[column])) : null, `${where} ${column}`);
    }
    assert.deepEqual([row.min_ps, row.max_ps], [Math.min(...of.map((part) => part.min_ps)), Math.max(...of.map((part) => part.max_ps))], where);
    assert.ok(row.p50_ps >= Math.min(...of.map((part) => part.p50_ps)) && row.p50_ps <= Math.max(...of.map((part) => part.p50_ps)), where);
    assert.equal(row.mean_ps, row.total_ps / row.executions, where);
    for (const column of ['flops', 'hbm_bytes', 'moved_bytes', 'roofline_ps', 'shape', 'scope', 'group']) assert.equal(row[column], of[0][column], `${where} ${column}`);
    if (row.bound === 'wait') assert.equal(row.lost_ps, sum(of.map((part) => part.lost_ps)), where);
    const means = of.map((part) => part.mean_ps), most = Math.max(...means);
    assert.equal(row.slowest_host, of.length > 1 ? of[means.indexOf(most)].host : null, where);
    if (of.length > 1) assert.ok(Math.abs(row.host_spread / (most / Math.min(...means)) - 1) < 1e-9, where);
  }
  for (const key of ['self_ps', 'side_by_side_ps', 'wait_ps', 'chips', 'matched_self_ps'])
    assert.equal(all[key], each.some((one) => one[key] === null) ? null : sum(each.map((one) => one[key])), `${what} ${key}`);
}

for (const [logdir, wanted] of sets)
  test(`the sum over hosts is the sum of each host's answer: ${wanted ?? path.basename(path.dirname(logdir))}`, async () => {
    const { server, run, hosts, ask, each } = await open(logdir, wanted);
    const query = { limit: 10000, percentiles: 1 };
    const all = await ask('trace/ops', query), of = await each('trace/ops', query);
    assert.ok(hosts.length > 1);
    assert.deepEqual([all.host, all.other_hosts], [null, []]);
    assert.deepEqual(all.hosts, hosts.filter((_, k) => of[k].known), 'whose operations are in it');
    assert.deepEqual(all.quiet_hosts, hosts.filter((_, k) => !of[k].known), 'and whose are not');
    addsUp(all, of.filter((one) => one.known), run);
    for (const name of ['ALL', 'all_hosts']) assert.deepEqual((await ask('trace/ops', { ...query, host: name })).ops, all.ops, name);
    for (const group of ['module', 'opcode', 'group']) assert.equal(sum((await ask('trace/ops', { group, limit: 10000 })).ops.self_ps), all.self_ps, group);
    for (const by of ['program', 'group', 'layer']) assert.equal((await ask('trace/ops/tree', { by, px: 0 })).all_self_ps, all.self_ps, by);

    const roofline = await ask('roofline'), lines = await each('roofline');
    assert.deepEqual([roofline.self_ps, roofline.hosts, roofline.chips], [all.self_ps, all.hosts, all.chips]);
    assert.deepEqual(roofline.places.self_ps, roofline.places.place.map((_, i) => sum(lines.map((line) => (line.known ? line.places.self_ps[i] : 0)))));

    const [top] = rowsOf(all.ops), one = await ask('trace/ops/one', { name: top.name, module: top.module });
    assert.deepEqual([one.host, one.op.self_ps, one.chips.n, sum(one.chips.total_ps)], [null, top.self_ps, top.chips, top.total_ps]);
    assert.ok(one.runs.event.every((event) => event !== null), 'each run is an event of all hosts together');
    await server.stop();
  });

test('steps of several hosts: executions in a step of that number on any host; the slowest host is that of the step', async () => {
  const { server, ask, each } = await open(root, 'chips');
  const steps = (await ask('trace/steps')).number;
  const step = String(Math.max(...steps));
  const query = { steps: step, limit: 10000 };
  const all = await ask('trace/ops', query), of = await each('trace/ops', query);
  assert.equal(all.self_ps, sum(of.map((one) => one.self_ps)));
  assert.ok(all.self_ps > 0 && all.self_ps < (await ask('trace/ops')).self_ps);
  for (const row of rowsOf(all.ops).filter((row) => row.slowest_host !== null)) {
    const means = of.map((one) => one.ops.mean_ps[one.ops.name.indexOf(row.name)]);
    assert.equal(row.slowest_host, of[means.indexOf(Math.max(...means))].host, row.name);
  }
  await server.stop();
});

test('the same program is the same time on every page: Graph, Ops, Layers, Overview', async () => {
  for (const run of ['chips', 'threads']) {
    const { server, ask, each } = await open(root, run);
    const module = (await ask('trace/ops')).ops.module[0];
    const ops = await ask('trace/ops', { module, limit: 10000 });
    const times = await ask('graph/times', { module });
    assert.deepEqual([times.host, times.other_hosts, times.all_self_ps], [null, [], sum((await each('graph/times', { module })).map((one) => one.all_self_ps))]);
    for (const row of rowsOf(times)) assert.equal(row.self_ps, ops.ops.self_ps[ops.ops.name.indexOf(row.name)], row.name);
    const layers = await ask('trace/layers', { module });
    if (layers.known) {
      const spans = (await each('trace/layers', { module })).map((one) => one.spans);
      assert.deepEqual([layers.host, layers.spans], [null, sum(spans)], 'means are of one chip');
    }
    const programs = (await ask('overview')).programs;
    assert.equal(programs.self_ps[programs.module.indexOf(module)], ops.self_ps);
    const compared = await ask('trace/ops/compare', { module, base_module: module, base_host: 'a', host: 'b' });
    assert.deepEqual([compared.before.host, compared.after.host], ['a', 'b']);
    assert.equal((await ask('trace/ops/compare', { module, base_module: module, base_host: 'a' })).after.host, null);
    await server.stop();
  }
});

test('one program that hosts number differently is one; under either number', async () => {
  const { server, ask, each } = await open(root, 'numbers');
  const all = await ask('trace/ops', { limit: 10000 }), of = await each('trace/ops', { limit: 10000 });
  assert.deepEqual([all.programs, new Set(all.ops.module).size, of[0].ops.module[0]], [1, 1, KEY]);
  assert.equal(of[1].ops.module[0], `jit_collectives(${OTHER})`);
  assert.deepEqual(new Set(all.hosts), new Set(['a', 'b']));
  assert.equal(all.self_ps, of[0].self_ps + of[1].self_ps);
  for (const id of [ID, OTHER]) {
    const one = await ask('trace/ops', { module: `jit_collectives(${id})`, limit: 10000 });
    assert.deepEqual([one.self_ps, one.ops.n, one.chips], [all.self_ps, all.ops.n, 4]);
    assert.equal((await ask('graph/times', { module: `jit_collectives(${id})` })).all_self_ps, all.self_ps);
  }
  await server.stop();
});

test('programs of one name and number whose HLO differs stay apart, and are named by their hosts', async () => {
  const { server, ask, each } = await open(root, 'programs');
  const all = await ask('trace/ops', { limit: 10000 }), of = await each('trace/ops', { limit: 10000 });
  const other = `${KEY} on b`;
  assert.deepEqual([all.programs, new Set(all.ops.module)], [2, new Set([KEY, other])]);
  assert.equal(all.self_ps, of[0].self_ps + of[1].self_ps);
  for (const [module, k] of [[KEY, 0], [other, 1]]) {
    const one = await ask('trace/ops', { module, limit: 10000 });
    assert.deepEqual([one.self_ps, one.ops.n, one.hosts, one.chips], [of[k].self_ps, of[k].ops.n, [['a', 'b'][k]], 2]);
  }
  const why = rowsOf(all.ops).filter(({ module, bound }) => module === other && bound === 'unknown').map((row) => row.bound_reason);
  assert.ok(why.length > 0 && why.every((text) => /differs between hosts/.test(text)), why[0]);
  // Their HLO is read from the first host: its times are those of the first host alone.
  assert.equal((await ask('graph/times', { module: KEY })).all_self_ps, of[0].self_ps);
  await server.stop();
});

test('hosts in words: sums, one host alone, a host without operations, no host with any', async () => {
  const text = (run, ...more) => command(['ops', path.join(root, 'plugins/profile', run), ...more]).text;
  assert.match(text('chips'), /^30 operations of 1 program; sums over 2 hosts, 4 chips; clock: device/);
  assert.match(text('chips', '--host=b'), /^30 operations of 1 program; of b alone; clock: device/);
  assert.match(text('threads'), /; sums over 2 hosts, 2 CPU devices; clock: host/);
  assert.match(text('quiet'), /; sums over 1 host, 2 chips; no operation on b; clock/);
  assert.match(command(['roofline', path.join(root, 'plugins/profile/chips')]).text, /self time; sums over 2 hosts, 4 chips; clock/);
  const { server, run, ask } = await open(root, 'none');
  const none = await ask('trace/ops');
  assert.deepEqual([none.known, none.self_ps, none.ops.n, none.chips], [false, 0, 0, 0]);
  assert.match(none.reason, /no event of the trace is an operation|names an operation|names no operation/);
  assert.equal((await server.api('trace/ops', { run, host: 'c' })).status, 404);
  await server.stop();
});
