// xprofd roofline: roofs with their sources, ridge points, programs, and figures that operations prove wrong.
import assert from 'node:assert/strict';
import path from 'node:path';
import test from 'node:test';

import { run, shared } from '../support/program.mjs';
import { csv, EXIT, fails, json, train } from './common.mjs';

const data = (name) => shared && path.join(shared, 'data', name, 'logdir');
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

test('roofline: a GPU has vector units and shared memory; a figure that five operations prove wrong; a typed one', { skip: !shared }, () => {
  const gpu = data('gpu_te_fused_attn');
  const { roofline: r } = json(['roofline', gpu]);
  const roof = by(r.roofs, 'limit');
  close(roof.flops.peak_per_s, 2516.58e12, 1e-5, 'matrix units');
  assert.deepEqual([roof.flops.dtype, roof.flops.source, roof.vector.dtype, roof.shared.source], ['bf16', 'derived', 'f32', 'derived']);
  close(roof.vector.peak_per_s, 157.2864e12, 1e-9, 'vector units');
  close(roof.shared.peak_per_s, 157286.4e9, 1e-9, 'shared memory');
  assert.deepEqual([roof.bandwidth.said_beyond, roof.bandwidth.beyond], [5, 5]);
  close(roof.bandwidth.said_least_share, 1.558, 1e-3, 'the least');
  close(roof.bandwidth.said_most_share, 1.723, 1e-3, 'the most');
  assert.match(r.proof, /HBM: the profile says 4\.096 TB\/s\. 5 operations reached 155\.8 to 172\.3 % of it, so it cannot be right/);
  const typed = json(['roofline', gpu, '--peak-bandwidth=8e12', '--peak=shared:1e14']).roofline;
  const then = by(typed.roofs, 'limit');
  assert.deepEqual([then.bandwidth.source, then.bandwidth.said_source, then.bandwidth.beyond, then.bandwidth.said_beyond], ['typed', 'profile', 0, 5]);
  assert.deepEqual([then.shared.source, then.shared.peak_per_s], ['typed', 1e14]);
  close(then.bandwidth.ridge, 314.6, 1e-3, 'ridge with 8,000 GB/s');
  close(typed.lost_ps, 3.3768e9, 1e-3, 'lost with 8,000 GB/s: 2.997 ms and 0.380 ms of the product by cuBLAS');
  const same = by(json(['roofline', gpu, `--peak-bandwidth=${roof.bandwidth.peak_per_s}`]).roofline.roofs, 'limit');
  assert.equal(same.bandwidth.source, 'profile', 'a figure typed as it was is not typed');
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
  assert.match(run(['roofline', train]).text, /peaks: of this device not known[^]*lost against the best rates of this run/);
  const against = json(['roofline', train, '--peak-flops=1e15', '--peak-bandwidth=1e15']).roofline;
  const lost = json(['ops', train, '--peak-flops=1e15', '--peak-bandwidth=1e15']).ops.lost_ps;
  assert.equal(against.lost_ps, lost);
});

test('roofline: what --peak does not know is named', () => {
  fails(['roofline', train, '--peak=l2:3'], EXIT.USAGE, /--peak takes LIMIT:N/);
  fails(['roofline', train, '--peak=vector:-3'], EXIT.USAGE, /a number a second/);
});
