// xprofd roofline: roofs with their sources, ridge points, programs, and figures that operations prove wrong.
import assert from 'node:assert/strict';
import path from 'node:path';
import test from 'node:test';

import { run, shared, testdata } from '../support/program.mjs';
import { csv, EXIT, fails, json, train } from './common.mjs';

const data = (name) => shared && path.join(shared, 'data', name, 'logdir');
const transformer = data('transformer_train');
const close = (value, wanted, share, what) => assert.ok(Math.abs(value / wanted - 1) <= share, `${what}: ${value}, wanted ${wanted}`);
const sum = (list) => list.reduce((a, b) => a + b, 0);
/** Rows of a table in columns, by a column. */
const by = (table, key) => Object.fromEntries(table[key].map((name, at) => [name, Object.fromEntries(Object.entries(table).filter(([, column]) => Array.isArray(column)).map(([k, column]) => [k, column[at]]))]));

test('roofline: units, memories and ridge points of a TPU v6e, as XProf has them', { skip: !shared }, () => {
  const { roofline: r } = json(['roofline', data('tpu-v6e-offload'), '--module=jit_f']);
  const roof = by(r.roofs, 'limit');
  close(roof.vmem_read.peak_per_s / 2 ** 30, 21696.1, 1e-5, 'VMEM read, GiB/s');
  close(roof.vmem_write.peak_per_s / 2 ** 30, 15020.4, 1e-5, 'VMEM write, GiB/s');
  for (const [limit, ridge] of [['bandwidth', 560.44], ['vmem_read', 39.4], ['vmem_write', 56.9]]) close(roof[limit].ridge, ridge, 2e-3, `ridge of ${limit}`);
  assert.deepEqual([roof.flops.source, roof.bandwidth.source, roof.vmem_read.source, roof.link.source], ['profile', 'profile', 'profile', 'table']);
  assert.deepEqual([roof.bandwidth.operations, roof.bandwidth.reached_by, roof.vmem_read.operations], [3, 'broadcast_add_fusion.2', 0]);
  close(r.programs.all_flops_per_s[0], 5.135e9, 1e-3, 'a step of 784 ms with its waits');
  const place = by(r.places, 'place');
  assert.deepEqual([place.point.operations, place.wait.operations, place.none.operations], [3, 6, 6]);
  assert.equal(sum(r.places.self_ps), r.self_ps);
  assert.equal(r.proof, null);
});

test('roofline: a GPU has vector units and shared memory; the bandwidth of the table; a typed figure that five operations are beyond', { skip: !shared }, () => {
  const gpu = data('gpu_te_fused_attn');
  const { roofline: r } = json(['roofline', gpu]);
  const roof = by(r.roofs, 'limit');
  close(roof.flops.peak_per_s, 2516.58e12, 1e-5, 'matrix units');
  assert.deepEqual([roof.flops.dtype, roof.flops.source, roof.vector.dtype, roof.shared.source], ['bf16', 'derived', 'f32', 'derived']);
  close(roof.vector.peak_per_s, 157.2864e12, 1e-9, 'vector units');
  close(roof.shared.peak_per_s, 157286.4e9, 1e-9, 'shared memory');
  assert.deepEqual([roof.bandwidth.source, roof.bandwidth.peak_per_s, roof.bandwidth.said_beyond, roof.bandwidth.beyond], ['table', 8e12, 0, 0]);
  assert.equal(r.proof, null);
  close(roof.bandwidth.ridge, 314.6, 1e-3, 'ridge with 8,000 GB/s');
  // By the figure of the device plane, half of the chip's, five operations are beyond it.
  const typed = json(['roofline', gpu, '--peak-bandwidth=4.096e12', '--peak=shared:1e14']).roofline;
  const then = by(typed.roofs, 'limit');
  assert.deepEqual([then.bandwidth.source, then.bandwidth.said_source, then.bandwidth.beyond, then.bandwidth.said_beyond], ['typed', 'table', 5, 0]);
  assert.deepEqual([then.shared.source, then.shared.peak_per_s], ['typed', 1e14]);
  const low = json(['roofline', gpu, '--peak=shared:1e14']).roofline;
  close(low.lost_ps, 3.3768e9 + 6.2635e9, 1e-4, 'lost with 8,000 GB/s: 2.997 ms, 0.380 ms of the product by cuBLAS, 6.263 ms of attention');
  const same = by(json(['roofline', gpu, `--peak-bandwidth=${roof.bandwidth.peak_per_s}`]).roofline.roofs, 'limit');
  assert.equal(same.bandwidth.source, 'table', 'a figure typed as it was is not typed');
});

test('roofline: the rate of all is that of the programs together, without waits; loops are in no program', () => {
  for (const name of ['tpu_run', 'cpu_sharded8', 'cpu_scan_while']) {
    const { roofline: r } = json(['roofline', path.join(testdata, name, 'logdir')]);
    const work = sum(r.programs.work_ps), [rest] = r.places.self_ps.filter((_, k) => r.places.place[k] === 'none');
    assert.ok(work > 0, name);
    close(r.flops_per_s, sum(r.programs.total_flops) / work * 1e12, 1e-9, name);
    close(r.hbm_bytes_per_s, sum(r.programs.total_hbm_bytes) / work * 1e12, 1e-9, name);
    assert.equal(sum(r.programs.self_ps) + rest, r.self_ps, name);
  }
});

test('roofline: without peaks the best rates of the run; parts are the sums of xprofd ops; forms agree', () => {
  const { roofline: r } = json(['roofline', train]);
  const { ops } = json(['ops', train, '--top=10000']);
  assert.equal(r.peaks, null);
  assert.deepEqual([r.best_flops_per_s, r.best_hbm_bytes_per_s], [ops.best_flops_per_s, ops.best_hbm_bytes_per_s]);
  assert.equal(sum(r.places.self_ps), ops.self_ps);
  assert.equal(sum(r.places.operations), ops.total);
  for (const [at, place] of r.places.place.entries()) assert.equal(r.places.self_ps[at], sum(ops.ops.self_ps.filter((_, k) => ops.ops.place[k] === place)), place);
  assert.equal(r.lost_ps, sum(ops.ops.lost_ps.filter((_, k) => ['roofline', 'best'].includes(ops.ops.lost_against[k]))));
  assert.equal(r.programs.n, ops.programs);
  assert.deepEqual(csv(run(['roofline', train, '--csv']).text).map((row) => row.limit), r.roofs.limit);
  assert.match(run(['roofline', train]).text, /peaks: of this device unknown[^]*lost against the best rates of this run/);
  const against = json(['roofline', train, '--peak-flops=1e15', '--peak-bandwidth=1e15']).roofline;
  const lost = json(['ops', train, '--peak-flops=1e15', '--peak-bandwidth=1e15']).ops.lost_ps;
  assert.equal(against.lost_ps, lost);
});

test('roofline: what --peak does not know is named', () => {
  fails(['roofline', train, '--peak=l2:3'], EXIT.USAGE, /--peak takes LIMIT:N/);
  fails(['roofline', train, '--peak=vector:-3'], EXIT.USAGE, /a rate per second/);
});

// "How to profile TPU programs", question 2: how long a layer takes, what of it is attention and what MLP, and how near to the roofline they are.
test('roofline: a layer, its attention against its MLP, and their share of the roofline', { skip: !transformer }, () => {
  const peaks = ['--peak-flops=4e11', '--peak-bandwidth=1e11'];
  const { layers: table } = json(['ops', transformer, '--module=jit_train_step', '--layers']);
  const { parts, layers, spans } = table;
  assert.deepEqual(layers.name, ['block_0', 'block_1', 'block_2', 'block_3']);
  const ofPart = (name) => parts.self_ps.reduce((all, ps, k) => all + (parts.kind[k] === 'part' && parts.name[k] === name ? ps : 0), 0);
  const mean = parts.self_ps[0] / spans / layers.n;
  assert.ok(Math.abs(mean - layers.mean_ps.reduce((a, b) => a + b, 0) / 4) < 1, 'a layer takes the mean of the four');
  const share = {};
  for (const part of ['attention', 'mlp']) {
    const filter = `--filter=scope:block_*/${part}`;
    const { roofline } = json(['roofline', transformer, '--module=jit_train_step', filter, ...peaks]);
    assert.equal(roofline.self_ps, ofPart(part), `${part}: as in the table of layers`);
    assert.equal(roofline.places.self_ps.reduce((a, b) => a + b, 0), roofline.self_ps);
    // By hand, from the operations: what each should take at these peaks, over what it takes.
    const { ops } = json(['ops', transformer, '--module=jit_train_step', filter, ...peaks, '--top=10000']).ops;
    let [ideal, took] = [0, 0];
    for (let k = 0; k < ops.n; k++) {
      if (ops.roofline_ps[k] === null) continue;
      ideal += ops.roofline_ps[k] * ops.executions[k];
      took += ops.total_ps[k];
    }
    close(roofline.roofline_share, ideal / took, 1e-9, part);
    share[part] = roofline.self_ps / parts.self_ps[0];
    assert.ok(roofline.roofline_share > 0.01 && roofline.roofline_share < 1, `${part} is at ${roofline.roofline_share}`);
  }
  close(share.attention, 0.463, 0.002, 'attention of a layer');
  close(share.mlp, 0.453, 0.002, 'MLP of a layer');
  const all = json(['roofline', transformer, '--module=jit_train_step', ...peaks]).roofline;
  assert.equal(all.operations, all.all_operations);
  assert.equal(all.self_ps, all.all_self_ps);
  assert.match(run(['roofline', transformer, '--module=jit_train_step', '--filter=scope:block_*/mlp', ...peaks]).text, /^\d+ of 510 operations match, 35\.\d % of the time\nat \d+\.\d % of their roofline/);
});
