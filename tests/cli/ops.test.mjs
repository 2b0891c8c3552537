// xprofd ops and overlap: times, rooflines and hidden communication against the figures of the reference.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';

import { run, Server, shared, testdata } from '../support/program.mjs';
import { csv, demo, EXIT, fails, json, train } from './common.mjs';

const offload = shared && path.join(shared, 'data/tpu-v6e-offload/logdir');
const run_text = (args) => run(args).text;
const close = (value, wanted, share, what) => assert.ok(Math.abs(value / wanted - 1) <= share, `${what}: ${value}, wanted ${wanted}`);

test('ops: the operation of the reference is at 82.8 % of the bandwidth of its chip', { skip: !offload }, () => {
  const { ops } = json(['ops', offload, '--top=100', '--module=jit_f']);
  const at = ops.ops.name.indexOf('broadcast_add_fusion.2');
  const row = Object.fromEntries(Object.entries(ops.ops).filter(([, column]) => Array.isArray(column)).map(([name, column]) => [name, column[at]]));
  assert.equal(row.hbm_bytes, 10737418240); // the compiler's figure, features D
  assert.equal(row.count, 400); // 100 runs on each of four chips
  close(row.roofline_ps, 6.555e9, 0.001, '10,737,418,240 B at 1,637.993 GB/s');
  close(row.mean_ps, 7.916e9, 0.02, 'the median of chip 0 is 7.916 ms');
  close(row.roofline_share, 0.828, 0.02, 'share of the roofline');
  assert.equal(row.bound, 'HBM');
  assert.ok(Math.abs(row.lost_ps - (row.self_ps - 400 * row.roofline_ps)) <= 400, 'the roofline is rounded to a picosecond for each');
  close(ops.peaks.hbm_bytes_per_s, 1637.993e9, 1e-6, 'of the device plane');
  assert.deepEqual([row.group, row.category, row.dtype, row.chips, row.executions], ['elem', 'loop fusion', 'f32', 4, 400]);
  assert.equal(row.moved_bytes, row.hbm_bytes + row.vmem_bytes + row.other_bytes);
  close(row.hbm_bytes_per_s, row.hbm_bytes / row.mean_ps * 1e12, 1e-9, 'of the mean');
  assert.equal(row.lost_against, 'roofline');
  // What waits for a copy in flight has no roofline: all of it is lost at most. Its start only starts it.
  const done = ops.ops.name.findIndex((name) => name.startsWith('copy-done'));
  assert.deepEqual([ops.ops.bound[done], ops.ops.roofline_ps[done], ops.ops.roofline_share[done]], ['wait', null, null]);
  assert.deepEqual([ops.ops.lost_ps[done], ops.ops.lost_against[done]], [ops.ops.self_ps[done], 'nothing']);
  const start = ops.ops.name.findIndex((name) => name.startsWith('copy-start'));
  assert.deepEqual([ops.ops.bound[start], ops.ops.lost_ps[start]], ['unknown', null]);
  assert.match(ops.ops.bound_reason[start], /at its done/);
  // Parts add up: what is lost, what waits, what was judged.
  const sum = (of) => ops.ops.n === ops.total && ops.ops.self_ps.reduce((all, ps, i) => all + (of(i) ?? 0), 0);
  assert.equal(ops.lost_ps, sum((i) => ops.ops.lost_ps[i]));
  assert.equal(ops.wait_ps, sum((i) => ops.ops.bound[i] === 'wait' && ops.ops.self_ps[i]));
  close(ops.judged_share, sum((i) => ops.ops.bound[i] !== 'unknown' && ops.ops.self_ps[i]) / ops.self_ps, 1e-12, 'judged');
  // Either half carries the wait; other operations have none.
  const waitOf = (name) => ops.ops.wait_total_ps[ops.ops.name.indexOf(name)];
  assert.equal(waitOf('copy-start.2'), ops.ops.total_ps[ops.ops.name.indexOf('copy-done.2')]);
  assert.equal(waitOf('copy-done.2'), waitOf('copy-start.2'));
  assert.equal(waitOf('broadcast_add_fusion.2'), null);
  assert.match(run(['ops', offload, '--module=jit_f']).text, /^< 0\.001 .* 77\.643 .*copy-start\.2/m, 'self s, wait total s');
});

test('ops: halves of asynchronous work have no rates, alone and in a group; a wait that is over at once says no rate of its transfer', () => {
  const profile = path.join(testdata, 'tpu_run');
  const { ops } = json(['ops', profile, '--top=1000']).ops;
  const halves = ops.opcode.flatMap((opcode, i) => (/-(start|done)$/.test(opcode) ? [i] : []));
  assert.ok(halves.some((i) => ops.hbm_bytes[i] > 0), 'with bytes of their own');
  for (const i of halves) for (const key of ['flops_per_s', 'hbm_bytes_per_s', 'vmem_bytes_per_s']) assert.equal(ops[key][i], null, `${key} of ${ops.name[i]}`);
  const { ops: groups } = json(['ops', profile, '--by=opcode', '--top=1000']).ops;
  for (const [i, name] of groups.name.entries()) if (/-(start|done)$/.test(name)) assert.equal(groups.hbm_bytes_per_s[i], null, name);
  const { rows } = json(['trace', profile, '--by=name', '--top=1000']).totals;
  const named = rows.key.flatMap((name, i) => (/-(start|done)(\.\d+)?$/.test(name) ? [i] : []));
  assert.ok(named.length > 0);
  for (const i of named) assert.deepEqual([rows.flops_per_s[i], rows.bytes_per_s[i]], [null, null], rows.key[i]);
  const { wins } = json(['overview', profile]).overview;
  const executions = (i) => ops.count[ops.name.indexOf(wins.name[i])];
  const said = wins.name.flatMap((_, i) => (wins.moved_bytes_per_s[i] === null ? [] : [i]));
  for (const i of said) assert.ok(executions(i) > 0 && wins.moved_bytes_per_s[i] < 1.64e12, `${wins.name[i]}: ${wins.moved_bytes_per_s[i]} B/s`);
});

test('ops: one clock: the host-aligned one has the same time, shifted between operations (docs/NUMBERS.md)', { skip: !offload }, async () => {
  const { ops } = json(['ops', offload, '--top=10000']).ops;
  const sum = (column) => column.reduce((all, ps) => all + ps, 0);
  close(sum(ops.total_ps), 315.118e12, 1e-5, 'by the chips’ clocks');
  close(sum(ops.other_total_ps), 315.123e12, 1e-5, 'host-aligned');
  const own = Object.fromEntries(['min_ps', 'max_ps', 'roofline_ps', 'hbm_bytes'].map((key) => [key, ops[key][ops.name.indexOf('broadcast_add_fusion')]]));
  const { rows } = json(['trace', offload, '--by=name', '--clock=host', '--top=100']).totals;
  const k = rows.key.indexOf('broadcast_add_fusion');
  assert.equal(own.hbm_bytes, 10 * 2 ** 30);
  assert.ok(own.min_ps > own.roofline_ps && own.max_ps < 1.01 * own.min_ps, 'each execution takes what it moves');
  assert.deepEqual([rows.min_ps[k], rows.count[k]], [0, 400], 'host-aligned one takes no time: no chip moves 10 GiB in that');
  const step = (clock) => json(['steps', offload, `--clock=${clock}`]).steps.steps.duration_ps[0];
  close(step('device'), 784.1e9, 1e-3, 'step 0');
  close(step('host'), 867.7e9, 1e-3, 'step 0, host-aligned');
});

test('ops: by time, by what is lost, of one program or all; the forms agree', async () => {
  const { ops } = json(['ops', train, '--top=10000']);
  assert.equal(ops.known, true);
  assert.equal(ops.total, ops.ops.n);
  assert.ok(ops.ops.self_ps.every((ps, i, all) => i === 0 || all[i - 1] >= ps), 'by self time');
  assert.equal(ops.ops.self_ps.reduce((a, b) => a + b, 0), ops.self_ps);
  const rows = csv(run(['ops', train, '--csv']).text);
  assert.equal(rows.length, ops.total);
  assert.deepEqual(rows.slice(0, 5).map((row) => [row.name, Number(row.self_ps), Number(row.count)]), [0, 1, 2, 3, 4].map((i) => [ops.ops.name[i], ops.ops.self_ps[i], ops.ops.count[i]]));
  assert.doesNotMatch(run(['ops', train, '--top=10000']).text, /^ *[\d.]+ +0\.0 % +[1-9]/m, 'what ran has a share');
  const text = run(['ops', train, '--top=3']).text;
  assert.ok(text.includes(ops.ops.name[0]) && text.includes(`${ops.total - 3} more`), text);
  // The same instructions and times as graph/times has, which the tests hold against XProf.
  const server = await Server.start(train);
  const id = (await server.api('runs')).json.id[0];
  const times = (await server.api('graph/times', { run: id, module: ops.ops.module[0] })).json;
  await server.stop();
  const at = times.name.indexOf(ops.ops.name[0]);
  assert.equal(times.self_ps[at], ops.ops.self_ps[0]);
  const lost = json(['ops', train, '--sort=lost']).ops.ops;
  assert.ok(lost.lost_ps.every((ps, i, all) => i === 0 || (all[i - 1] ?? -1) >= (ps ?? -1)));
});

test('ops, roofline: a filter that is no valid expression is taken as plain text, and stderr says so', () => {
  const said = /^xprofd (ops|roofline): filter: taken as plain text: the regular expression is not valid at offset 1: missing closing parenthesis\n$/;
  for (const args of [['ops'], ['ops', '--csv'], ['roofline']]) assert.match(run([args[0], train, '--filter=/(/', ...args.slice(1)]).errors, said, args.join(' '));
  assert.match(json(['ops', train, '--filter=/(/']).ops.filter_note, /taken as plain text/);
  assert.equal(run(['ops', train, '--filter=/dot/']).errors, '');
});

test('ops: what is lost adds up to the same by every key, waits included', () => {
  const sum = (list) => list.reduce((all, ps) => all + (ps ?? 0), 0);
  for (const logdir of [path.join(testdata, 'tpu_run/logdir'), path.join(testdata, 'gpu_jax/logdir'), train]) {
    const { ops: all } = json(['ops', logdir, '--top=10000']);
    assert.ok(all.lost_ps > 0 && all.ops.n === all.total);
    assert.equal(all.lost_ps, sum(all.ops.lost_ps));
    for (const key of ['name', 'opcode', 'category', 'group', 'scope', 'phase', 'shape', 'dtype', 'source', 'bound', 'module']) {
      const { ops } = json(['ops', logdir, `--by=${key}`, '--top=10000']);
      assert.equal(sum(ops.ops.lost_ps), all.lost_ps, `${logdir} by ${key}`);
    }
  }
  const { ops } = json(['ops', path.join(testdata, 'tpu_run/logdir'), '--by=module']).ops;
  assert.deepEqual(ops.lost_against, ['several'], 'rooflines and waits');
});

test('ops: without peaks rows are ordered by the best rates of the run, and none is judged', () => {
  const { ops } = json(['ops', train, '--top=10000']);
  assert.deepEqual([ops.peaks, ops.judged_share, ops.lost_ps], [null, 0, ops.ops.lost_ps.reduce((all, ps) => all + (ps ?? 0), 0)]);
  assert.ok(ops.ops.bound.every((word) => word === 'unknown') && ops.ops.bound_reason.every((text) => text));
  assert.ok(ops.best_flops_per_s > 0 && ops.ops.lost_against.every((word) => word === 'best' || word === null));
  assert.ok(ops.ops.lost_ps.every((ps, i) => ps === null || (ps >= 0 && ps <= ops.ops.self_ps[i])));
  assert.ok(ops.ops.scope.some((scope) => scope) && ops.ops.scope.every((scope) => !/jvp|transpose|rematted/.test(scope)));
  assert.deepEqual([...new Set(ops.ops.phase)].filter(Boolean).sort(), ['backward', 'forward']);
  assert.equal(ops.busy_ps + ops.side_by_side_ps, ops.self_ps);
  assert.ok(ops.ops.p50_ps.every((ps, i) => ps >= ops.ops.min_ps[i] && ps <= ops.ops.p99_ps[i] && ops.ops.p99_ps[i] <= ops.ops.max_ps[i]));
  const byKey = json(['ops', train, '--sort=mean_ps', '--top=50']).ops.ops.mean_ps;
  assert.deepEqual(byKey, [...byKey].sort((a, b) => b - a));
});

test("ops: a GPU's kernels are counted beside the executions; sums, percentiles and what ran side by side", { skip: !shared }, () => {
  const { ops } = json(['ops', path.join(shared, 'data/gpu_te_fused_attn/logdir'), '--top=100']);
  const at = ops.ops.name.indexOf('te_fused_attn_backward_ffi.18');
  assert.deepEqual([ops.ops.count[at], ops.ops.executions[at]], [25, 5]);
  close(ops.ops.mean_ps[at] * 5, ops.ops.total_ps[at], 1e-12, 'a run of five kernels');
  assert.ok(ops.ops.min_ps[at] <= ops.ops.p50_ps[at] && ops.ops.p50_ps[at] <= ops.ops.p99_ps[at] && ops.ops.p99_ps[at] === ops.ops.max_ps[at]);
  // By hand: cuBLAS's product by its config, what Triton's product reads of operands that a fusion hands on; attention, causal: 2 x 2 x 16 heads x 2048 x 2049 / 2 pairs x 2 or 5 times 128.
  const of = (name) => [ops.ops.flops[ops.ops.name.indexOf(name)], ops.ops.hbm_bytes[ops.ops.name.indexOf(name)]];
  assert.deepEqual(of('custom-call.1'), [2 * 4096 * 2048 * 6144, 2 * (4096 * 6144 + 2048 * 6144 + 4096 * 2048)]);
  assert.deepEqual(of('gemm_fusion_dot.1'), [103079215104, 159383552]);
  assert.equal(of('te_fused_attn_forward_ffi.10')[0], 2 * 2 * 16 * ((2048 * 2049) / 2) * 2 * 128);
  assert.equal(of('te_fused_attn_backward_ffi.18')[0], 2 * 2 * 16 * ((2048 * 2049) / 2) * 5 * 128);
  assert.deepEqual([ops.self_ps, ops.busy_ps, ops.side_by_side_ps], [12133585000, 12133127000, 458000]); // the union of the stream, as overlap has it
});

test('ops: filters and groups: parts add up to the whole; a filter that cannot be read says where', () => {
  const all = json(['ops', train, '--top=10000']).ops;
  const sum = (rows, key = 'self_ps') => rows[key].reduce((a, b) => a + b, 0);
  for (const by of ['group', 'opcode', 'category', 'scope', 'phase', 'shape', 'dtype', 'source', 'bound', 'module', 'name']) {
    const { ops } = json(['ops', train, `--by=${by}`, '--top=10000']).ops;
    assert.deepEqual([sum(ops), sum(ops, 'count'), sum(ops, 'operations')], [all.self_ps, sum(all.ops, 'count'), all.total], by);
    assert.equal(new Set(ops.name).size, ops.n, `one row for each ${by}`);
  }
  const part = (filter) => json(['ops', train, `--filter=${filter}`, '--top=10000']).ops;
  for (const [yes, no] of [['group:matmul', '-group:matmul'], ['self>1%', 'self<=1%'], ['fusion', '-fusion'], ['name:/^d/ avg>1us', '-name:/^d/ | avg<=1us']]) {
    const [a, b] = [part(yes), part(no)];
    assert.ok(a.total > 0 && b.total > 0, yes);
    assert.equal(a.total + b.total, all.total, yes);
    assert.equal(a.matched_self_ps + b.matched_self_ps, all.self_ps, yes);
    assert.equal(a.matched_self_ps, sum(a.ops));
    assert.equal(a.self_ps, all.self_ps, 'shares are of all operations');
  }
  assert.ok(part('group:matmul').ops.group.every((group) => group === 'matmul'));
  assert.ok(part('phase:backward').ops.phase.every((phase) => phase === 'backward'));
  fails(['ops', train, '--filter=dot slef>1'], EXIT.USAGE, /Column 5 of the filter: there is no such key/);
  fails(['ops', train, '--by=colour'], EXIT.USAGE, /group/);
  assert.match(run(['ops', train, '--by=group']).text, /operations +count/);
});

const gpu = path.join(testdata, 'gpu_jax/logdir');
const sum = (list) => list.reduce((a, b) => a + b, 0);
/** Boxes add up to the box above them. */
function addsUp(tree, what) {
  const inside = tree.parent.map(() => 0);
  tree.parent.forEach((parent, i) => parent !== null && (inside[parent] += tree.self_ps[i]));
  assert.equal(tree.self_ps[0], tree.all_self_ps);
  assert.ok(tree.self_ps.every((ps, i) => inside[i] === 0 || inside[i] === ps), what);
}
/** A box as the parameter `in` has it. */
const textOf = (tree, at) => (tree.parent[at] === null ? '' : [textOf(tree, tree.parent[at]), tree.label[at]].filter(Boolean).join('/'));

test('ops: by kernel of a GPU: an operation is in each kernel that it launched, with what that took', async () => {
  const server = await Server.start(gpu);
  const run = (await server.api('runs')).json.id[0];
  const ask = (path, query) => server.api(path, { run, limit: 10000, ...query });
  const tree = (await ask('trace/ops/tree', { by: 'kernel', px: 0 })).json;
  const { ops, self_ps: all } = (await ask('trace/ops', {})).json;
  assert.equal(tree.kernels, true);
  assert.equal(tree.all_self_ps, all);
  addsUp(tree, 'kernel');
  const took = new Map();
  tree.label.forEach((label, i) => tree.is_op[i] && took.set(`${tree.module[i]} ${label}`, (took.get(`${tree.module[i]} ${label}`) ?? 0) + tree.self_ps[i]));
  for (let k = 0; k < ops.n; k++) assert.equal(took.get(`${ops.module[k]} ${ops.name[k]}`), ops.self_ps[k], ops.name[k]);
  // As the details of one operation have them.
  for (const k of [0, 1]) {
    const { kernels } = (await ask('trace/ops/one', { name: ops.name[k], module: ops.module[k] })).json;
    const parts = tree.label.flatMap((label, i) => (tree.is_op[i] && label === ops.name[k] && tree.module[i] === ops.module[k] ? [[tree.label[tree.parent[i]], tree.self_ps[i]]] : []));
    const wanted = new Map();
    kernels.name.forEach((name, i) => wanted.set(name, (wanted.get(name) ?? 0) + kernels.total_ps[i]));
    assert.deepEqual(new Map(parts.sort()), new Map([...wanted].sort()));
  }
  const listed = (await ask('trace/ops', { in_by: 'kernel', in: tree.label[1] })).json.ops;
  assert.equal(listed.n, tree.operations[1]);
  await server.stop();
});

test('ops: TensorFlow without XLA: kernels are of its operations, copies apart, work unknown with the reason', async () => {
  const root = path.join(testdata, 'gpu_tf/logdir');
  const server = await Server.start(root);
  const run = (await server.api('runs')).json.id[0];
  const ask = async (route, query) => (await server.api(route, { run, host: 'worker0', limit: 10000, ...query })).json;
  const all = await ask('trace/ops', { percentiles: 1 });
  assert.deepEqual([all.known, all.programs, all.host, all.other_hosts, all.hosts], [true, 0, 'worker0', ['worker1'], ['worker0']]);
  const rows = all.ops.name.map((name, k) => Object.fromEntries(Object.entries(all.ops).filter(([, column]) => Array.isArray(column)).map(([key, column]) => [key, column[k]])));
  const matmul = rows.find(({ name }) => name === 'model/dense/MatMul:MatMul');
  assert.deepEqual([matmul.module, matmul.opcode, matmul.category, matmul.group, matmul.scope, matmul.executions, matmul.chips], ['kernels without a program', 'MatMul', 'MatMul', 'matmul', 'model/dense', 6, 2]);
  assert.deepEqual([matmul.flops, matmul.hbm_bytes, matmul.roofline_ps, matmul.lost_ps, matmul.bound], [null, null, null, null, 'unknown']);
  assert.match(matmul.bound_reason, /to no XLA program/);
  const copy = rows.find(({ name }) => name === 'MemcpyH2D of IteratorGetNext');
  assert.deepEqual([copy.module, copy.category, copy.group, copy.bound, copy.total_ps], ['memory copies', 'host transfer', 'host', 'wait', 6 * 250e6]);
  for (const row of rows) {
    const one = await ask('trace/ops/one', { name: row.name, module: row.module });
    assert.deepEqual([one.op.self_ps, one.all_runs, sum(one.kernels.total_ps)], [row.self_ps, row.executions, row.total_ps]);
    assert.ok(one.runs.event.every((event) => event !== null) && one.first.event !== null, 'each run is an event of Trace');
  }
  for (const by of ['scope', 'program', 'group', 'layer', 'kernel', 'source']) {
    const tree = await ask('trace/ops/tree', { by, px: 0 });
    assert.equal(tree.all_self_ps, all.self_ps);
    addsUp(tree, by);
  }
  assert.equal((await ask('trace/ops', { group: 'module' })).total, 2);
  assert.equal((await ask('trace/ops', { module: 'memory copies' })).self_ps, 6 * 250e6);
  const none = await server.api('trace/ops', { run, module: 'none of them' });
  assert.equal(none.status, 404);
  const steps = await Promise.all([0, 1, 2].map((step) => ask('trace/ops', { steps: step })));
  assert.equal(sum(steps.map(({ self_ps: ps }) => ps)), all.self_ps, 'all of them begin in a step');
  // Of Overview: no compute without an operation, and the copies have names.
  const over = await ask('overview', {});
  assert.equal(over.losses.ops[over.losses.kind.indexOf('not_judged')], 7);
  assert.match(over.losses.why[over.losses.kind.indexOf('not_judged')], /to no XLA program/);
  assert.ok(over.wins.name.includes('MemcpyH2D of IteratorGetNext'));
  assert.deepEqual([over.programs.of_none, over.environment.find(({ what }) => what === 'programs run').value], [[true, true], 'none of XLA']);
  await server.stop();
  const text = run_text(['ops', root, '--by=opcode']);
  assert.match(text, /^8 operations; sums over 2 hosts, 4 chips; clock: host/);
  assert.match(text, / Conv2D\n/);
});

test('ops: compute is compared with the peak of the unit that does the work', () => {
  const sets = [[gpu], [train, '--peak-flops=1e12', '--peak-bandwidth=1e11'], ...(shared ? [[path.join(shared, 'data/gpu_te_fused_attn/logdir')]] : [])];
  for (const args of sets) {
    const { ops } = json(['ops', ...args, '--top=10000']).ops;
    let seen = 0;
    for (let k = 0; k < ops.n; k++) {
      if (ops.roofline_share[k] === null || !ops.flops[k]) continue;
      assert.ok(ops.flops_peak_per_s[k] > 0, ops.name[k]);
      // The share is that of the resource that is nearest to its peak: compute cannot be nearer.
      assert.ok(ops.flops_per_s[k] / ops.flops_peak_per_s[k] <= ops.roofline_share[k] * 1.001 + 1e-6, ops.name[k]);
      if (ops.roof[k] === 'compute') close(ops.flops_per_s[k] / ops.flops_peak_per_s[k], ops.roofline_share[k], 0.001, ops.name[k]);
      seen++;
    }
    assert.ok(seen > 0, args[0]);
  }
});

test('ops: steps: those of each step add up to those of all steps', async () => {
  const server = await Server.start(train);
  const id = (await server.api('runs')).json.id[0];
  const steps = [...new Set((await server.api('trace/steps', { run: id })).json.number)].sort((a, b) => a - b);
  const ask = (path, query) => server.api(path, { run: id, limit: 10000, ...query });
  assert.ok(steps.length > 2);
  const each = [];
  for (const step of steps) each.push((await ask('trace/ops', { steps: step })).json);
  const all = (await ask('trace/ops', { steps: `${steps[0]}-${steps.at(-1)}`, percentiles: 1 })).json;
  assert.equal(all.steps, steps.length);
  assert.equal(each.reduce((sum, one) => sum + one.self_ps, 0), all.self_ps);
  assert.ok(all.self_ps > 0 && all.self_ps <= (await ask('trace/ops', {})).json.self_ps);
  const none = (await ask('trace/ops', { steps: '7777777' })).json;
  assert.deepEqual([none.known, none.total], [false, 0]);
  assert.match(none.reason, /no marked step of the trace has one of these numbers/);
  assert.equal((await ask('trace/ops', { steps: '3-1' })).status, 400);
  // The icicle: boxes add up to the box above them, and all of it is what the table has.
  for (const by of ['program', 'scope', 'source', 'layer', 'group', 'kernel'])
    for (const px of [0, 50]) {
      const tree = (await ask('trace/ops/tree', { by, px })).json;
      addsUp(tree, `${by} ${px}`);
      assert.equal(tree.joined.some((n) => n > 0), px === 50, `${by} ${px}`);
      assert.equal(tree.all_self_ps, (await ask('trace/ops', {})).json.self_ps);
      // The table narrowed to a box has what the box has.
      for (let i = 1, seen = 0; i < tree.n && px === 0 && seen < 6; i++) {
        if (tree.is_op[i]) continue;
        const { ops: inside } = (await ask('trace/ops', { in_by: by, in: textOf(tree, i) })).json;
        assert.deepEqual([sum(inside.self_ps), inside.n], [tree.self_ps[i], tree.operations[i]], `${by}: ${textOf(tree, i)}`);
        seen++;
      }
    }
  // Groups add up to the table, and what is listed of one of them to it.
  for (const group of ['opcode', 'scope', 'source', 'module', 'shape']) {
    const { ops: groups, self_ps: whole } = (await ask('trace/ops', { group })).json;
    assert.equal(sum(groups.self_ps), whole);
    for (let k = 0; k < Math.min(groups.n, 3); k++) {
      const { ops: members } = (await ask('trace/ops', { group, of: groups[group === 'module' ? 'module' : 'name'][k] || '-' })).json;
      assert.deepEqual([sum(members.self_ps), members.n], [groups.self_ps[k], groups.operations[k]]);
    }
  }
  // One operation: its executions are those that the table counts.
  const name = all.ops.name[0];
  const row = (await ask('trace/ops', { percentiles: 1 })).json;
  const one = (await ask('trace/ops/one', { name, module: all.ops.module[0] })).json;
  const at = row.ops.name.findIndex((n, i) => n === name && row.ops.module[i] === all.ops.module[0]);
  assert.equal(one.all_runs, row.ops.executions[at]);
  assert.deepEqual([one.op.self_ps, one.op.p50_ps, one.op.p99_ps], [row.ops.self_ps[at], row.ops.p50_ps[at], row.ops.p99_ps[at]]);
  assert.equal(one.chips.total_ps.reduce((a, b) => a + b, 0), row.ops.total_ps[at]);
  if (one.histogram) assert.equal(one.histogram.count.reduce((a, b) => a + b, 0), one.all_runs);
  else assert.equal(one.runs.duration_ps.reduce((a, b) => a + b, 0), row.ops.total_ps[at]);
  assert.ok(one.alike.name.includes(name));
  assert.deepEqual((await ask('trace/ops/one', { name: 'nothing' })).json.known, false);
  await server.stop();
});

test('ops: what never ran says so; wrong options are named', () => {
  assert.match(run(['ops', demo]).text, /^No times: /);
  assert.equal(json(['ops', demo]).ops.known, false);
  fails(['ops', train, '--sort=speed'], EXIT.USAGE, /sort/);
  fails(['ops', train, '--module=nothing'], EXIT.INPUT, /nothing/);
  fails(['trace', train, '--module=x'], EXIT.USAGE, /--module works only with xprofd ops/);
  fails(['ops', train, '--top=0'], EXIT.USAGE, /--top/);
});

test('overlap: exposed copies of the reference (97 % of 78.4 s on the first chip)', { skip: !offload }, () => {
  const { overlap } = json(['overlap', offload]);
  const { devices } = overlap;
  assert.equal(devices.n, 4);
  const at = devices.device.indexOf(0);
  close(devices.exposed_copy_ps[at], 76.048e12, 0.002, 'exposed');
  close(devices.overlapped_copy_ps[at], 2.367e12, 0.05, 'hidden');
  for (let i = 0; i < devices.n; i++) // compute, what is exposed and idle time fill the range; only comm and copies can meet
    assert.ok(devices.compute_ps[i] + devices.exposed_comm_ps[i] + devices.exposed_copy_ps[i] + devices.idle_ps[i] >= overlap.to_ps - overlap.from_ps);
  assert.match(run(['overlap', offload]).text, / 97\.0 .*TPU:0/);
});

test('overlap: by step as trace/steps has it; threads of a run without chips compute', async () => {
  const { steps } = json(['overlap', train, '--by=step']);
  const server = await Server.start(train);
  const id = (await server.api('runs')).json.id[0];
  const served = (await server.api('trace/steps', { run: id })).json;
  await server.stop();
  assert.deepEqual(steps, served);
  const { overlap } = json(['overlap', train]);
  const { devices } = overlap;
  assert.deepEqual(devices.name, ['/host:CPU']);
  assert.ok(devices.compute_ps[0] > 0 && devices.compute_ps[0] < overlap.to_ps - overlap.from_ps);
  assert.ok(steps.compute_ps.every((ps, i) => ps > 0 && ps + steps.idle_ps[i] <= steps.end_ps[i] - steps.start_ps[i]));
  fails(['overlap', train, '--by=week'], EXIT.USAGE, /device, step or collective/);
  fails(['overlap', train, '--by=step', '--from=1ms'], EXIT.USAGE, /range goes with --by=device and --by=collective/);
  fails(['overlap', path.join(testdata, 'tpu_padded_demo/logdir')], EXIT.INPUT, /event/);
});

// By hand from the files' streams: unions of kernels and of copies, in nanoseconds.
const GPUS = [
  ['gpu_mi300/logdir/plugins/profile/gemm', { 'GPU:0': [3475484, 0] }],
  ['gpu_mi300/logdir/plugins/profile/conv', { 'GPU:0': [3995965, 0], 'GPU:1': [3345845, 0], 'GPU:7': [3502165, 0] }],
  ['gpu_te_fused_attn/logdir', { 'GPU:0': [12133127, 0] }],
  ['gpu_tf_multi_worker/logdir', { 'GPU:1': [0, 33792], 'GPU:4': [14825385, 198429], 'GPU:6': [14865363, 239136] }],
];
for (const [set, chips] of GPUS)
  test(`overlap: ${set}: compute is the union of what streams ran, copies are copies`, { skip: !shared }, () => {
    const overlap = json(['overlap', path.join(shared, 'data', set)]).overlap.devices;
    for (let i = 0; i < overlap.n; i++) {
      const of = chips[overlap.name[i].replace(/.*device:/, '')];
      if (!of) continue;
      assert.equal(overlap.compute_ps[i], of[0] * 1000);
      assert.equal(overlap.exposed_copy_ps[i] + overlap.overlapped_copy_ps[i], of[1] * 1000);
    }
    assert.ok(Object.keys(chips).every((chip) => overlap.name.some((name) => name.endsWith(chip))));
  });

// XProf's roofline_model: 1.30744e+06 GFLOP/s and 2479.55 GiB/s, 2.51658e+06 and 3814.7. The true bandwidth is twice that, as the
// table of chips has it, and operations prove it.
for (const [set, chip, flops, gib, bandwidth] of [
  ['gpu_mi300/logdir/plugins/profile/conv', 'MI300X', 1.30744e15, 2479.55, 5.3e12],
  ['gpu_te_fused_attn/logdir', 'MI355X', 2.51658e15, 3814.7, 8e12],
])
  test(`ops: ${set}: FLOP/s as XProf derives them, bandwidth of the table; operations beyond a peak are told`, { skip: !shared }, () => {
    const profile = path.join(shared, 'data', set);
    const { peaks, peaks_problem: none } = json(['ops', profile]).ops;
    assert.equal(peaks.device, chip);
    close(peaks.flops_per_s, flops, 1e-5, 'FLOP/s');
    assert.deepEqual([peaks.hbm_bytes_per_s, none], [bandwidth, null]);
    assert.match(peaks.source, /memory bandwidth of the table of chips, as the plane counts half of the transfers/);
    const plane = `--peak-bandwidth=${gib * 2 ** 30}`;
    const { peaks_problem: problem } = json(['ops', profile, plane]).ops;
    assert.match(problem, new RegExp(`above the peak of .* TB/s, so that peak is wrong.* For ${chip} the table of chips says .*--peak-bandwidth`));
    assert.match(run(['ops', profile, plane]).text, /^warning: .* above the peak/m);
    const typed = json(['ops', profile, '--peak-bandwidth=8.2e12']).ops;
    assert.deepEqual([typed.peaks.hbm_bytes_per_s, typed.peaks_problem], [8.2e12, null]);
    assert.equal(json(['ops', profile, `--device=${chip}`]).ops.peaks_problem, null);
    fails(['ops', profile, '--peak-flops=fast'], EXIT.USAGE, /--peak-flops takes a rate per second/);
  });

// A share of the roofline above 100 % by any limit is explained in words, with an option that exists.
for (const [set, limit, said] of [['tpu_run', 'vmem_read', 'read from VMEM'], ['tpu_run', 'vmem_write', 'written to VMEM'], ['gpu_jax', 'vector', 'FLOP/s']])
  test(`ops: operations beyond the peak of ${limit} are told, with the option that sets it`, () => {
    const args = ['ops', path.join(testdata, set, 'logdir'), '--peak-flops=1e15'];
    assert.equal(json(args).ops.peaks_problem, null);
    const { ops, peaks_problem: problem } = json([...args, `--peak=${limit}:1e9`]).ops;
    assert.ok(ops.roofline_share.some((share) => share > 1.01), 'the peak is too low');
    assert.match(problem, new RegExp(`${said}, above the peak of 0.001 T[^ ]*/s, so that peak is wrong. Set the peak of this device with --peak=${limit}:N \\(peak_${limit}=\\)`));
    assert.equal(json([...args, `--peak=${limit}:1e16`]).ops.peaks_problem, null);
  });

for (const [set, host] of [['gpu_mi300/xprof/gemm/tw003', 'gpu_mi300/logdir/plugins/profile/gemm'], ['gpu_mi300/xprof/conv/tw003', 'gpu_mi300/logdir/plugins/profile/conv'],
  ['gpu_te_fused_attn/xprof/te/934987a2fc2f', 'gpu_te_fused_attn/logdir']])
  test(`trace: ${host}: by module and category as hlo_stats has them`, { skip: !shared }, () => {
    const { cols, rows } = JSON.parse(fs.readFileSync(path.join(shared, 'data', set, 'hlo_stats.json'), 'utf8'));
    const [program, category, total] = ['program_id', 'category', 'total_time'].map((id) => cols.findIndex((c) => c.id === id));
    for (const [by, column, name] of [['module', program, (text) => /\((\d+)\)$/.exec(text)?.[1]], ['category', category, (text) => text]]) {
      const sums = {};
      for (const { c } of rows) sums[c[column].v] = (sums[c[column].v] ?? 0) + Math.round(c[total].v * 1e6);
      const ours = json(['trace', path.join(shared, 'data', host), `--by=${by}`, '--top=1000']).totals.rows;
      const found = Object.fromEntries(ours.key.map((key, i) => [name(key), ours.total_ps[i]]).filter(([key]) => key));
      assert.deepEqual(found, sums);
    }
  });

// XProf's overview says a step of 21.3 ms.
test("overlap --by=step: TensorFlow's steps are those of the line Steps, once each", { skip: !shared }, () => {
  const set = path.join(shared, 'data/gpu_tf_multi_worker/logdir');
  for (const host of ['--host=34.83.195.179_6003', '--host=all']) {
    const { steps } = json(['overlap', set, '--by=step', host]);
    const times = host === '--host=all' ? 2 : 1;
    assert.deepEqual(steps.number, Array(2 * times).fill(0));
    assert.deepEqual(steps.end_ps.map((end, i) => end - steps.start_ps[i]), Array(times).fill([19865491000, 21310352000]).flat());
    assert.ok(steps.compute_ps.every((ps) => ps > 14.8e9 && ps < 14.9e9));
  }
});

// The reference: 3 runs of all-reduce of 121.7 ms on each chip; nothing computes meanwhile, so all of it is exposed.
test('overlap --by=collective: each collective of each device, and its exposed part', { skip: !offload }, () => {
  const answer = json(['overlap', offload, '--by=collective']).overlap;
  const overlap = answer.collectives;
  const whole = json(['overlap', offload]).overlap.devices;
  assert.ok(overlap.n >= 4 && answer.left_out === 0);
  for (let d = 0; d < 4; d++) {
    const of = overlap.device.map((device, i) => (device === d ? i : -1)).filter((i) => i >= 0);
    const reduce = of.find((i) => overlap.name[i].startsWith('all-reduce'));
    assert.equal(overlap.count[reduce], 3);
    close(overlap.total_ps[reduce], 3 * 121.7e9, 0.002, 'three runs');
    assert.equal(overlap.exposed_ps[reduce], overlap.total_ps[reduce]);
    assert.ok(overlap.most_exposed_ps[reduce] * 3 >= overlap.exposed_ps[reduce]);
    // One after another, so that they add up to what the device had exposed.
    assert.equal(of.reduce((sum, i) => sum + overlap.exposed_ps[i], 0), whole.exposed_comm_ps[whole.device.indexOf(d)]);
  }
  const exposed = overlap.exposed_ps;
  assert.ok(exposed.every((value, i) => i === 0 || exposed[i - 1] >= value));
  const { text } = run(['overlap', offload, '--by=collective', '--top=2']);
  assert.match(text, /^ *365\.\d+ +365\.\d+ +100\.0 +3 +\d+\.\d+ +\d +all-reduce/m);
  assert.equal(text.trim().split('\n').length, 5, 'a head, two rows, what is left out, the clock');
  assert.match(run(['overlap', offload, '--by=collective', '--to=1ns']).text, /No device of this trace ran a collective/);
});

test('ops --layers: parts and layers as the route has them; the two lines that close the table add up', () => {
  const { layers } = json(['ops', train, '--layers']);
  assert.equal(layers.known, true);
  assert.equal(layers.ways.name[layers.way], 'dense_*');
  assert.deepEqual(layers.layers.name, ['dense_0', 'dense_1', 'dense_2']);
  assert.equal(layers.inside.self_ps + layers.outside.self_ps, layers.step.self_ps);
  const text = run(['ops', train, '--layers']).text;
  assert.match(text, /^part +dense_0 +dense_1 +dense_2 +mean/m);
  assert.match(text, /^all layers[^]*^outside of layers[^]*^all operations .* 100\.0 % +unknown$/m);
  // Passes in one part: what they add up to does not change, nor does any layer.
  const together = json(['ops', train, '--layers', '--passes=together', '--peak-flops=1e12', '--peak-bandwidth=1e11']).layers;
  assert.deepEqual(together.layers.self_ps, layers.layers.self_ps);
  assert.ok(together.parts.kind.every((kind) => kind !== 'phase'));
  assert.deepEqual(together.bars.self_ps, layers.bars.self_ps, 'bars keep the passes');
  const { roofline } = json(['roofline', train, '--peak-flops=1e12', '--peak-bandwidth=1e11', '--filter=scope:dense_*']);
  close(together.parts.roofline_share[0], roofline.roofline_share, 1e-9, 'share of the roofline, as xprofd roofline has it');
  assert.match(run(['ops', train, '--layers', '--peak-flops=1e12', '--peak-bandwidth=1e11']).text, /^all operations .* 100\.0 % +\d+\.\d %$/m);
  fails(['ops', train, '--passes=together'], EXIT.USAGE, /--passes needs --layers/);
  assert.equal(csv(run(['ops', train, '--layers', '--csv']).text).length, layers.parts.n);
  const one = json(['ops', train, '--layers', `--steps=${layers.steps[0]}`]).layers;
  assert.deepEqual([one.spans, one.steps], [1, [layers.steps[0]]]);
});

test('ops --diff: another profile, or other steps of one; changes add up', () => {
  const same = json(['ops', train, `--diff=${train}`]).comparison;
  assert.deepEqual([same.change_ps, same.unpaired_total], [0, 0]);
  const [first, second] = json(['ops', train, '--layers']).layers.steps;
  const steps = json(['ops', train, `--diff=${train}`, `--base-steps=${first}`, `--steps=${second}`, '--by=operation']).comparison;
  assert.equal(steps.rows.change_ps.reduce((a, b) => a + b, 0), steps.change_ps);
  assert.equal(steps.change_ps, steps.after.self_ps - steps.before.self_ps);
  for (const side of ['before', 'after']) assert.equal(sum(steps.kinds[`${side}_ps`]), steps[side].self_ps, 'op groups add up');
  assert.match(run(['ops', train, `--diff=${train}`, `--base-steps=${first}`, `--steps=${second}`]).text, /^change +[+-][\d.]+ ms$/m);
  fails(['ops', train, '--layers', `--diff=${train}`], EXIT.USAGE, /cannot be combined/);
  fails(['ops', train, '--base-steps=1'], EXIT.USAGE, /--base-steps needs --diff/);
});
