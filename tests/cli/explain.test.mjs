// xprofd explain: one instruction, of a profile or pasted. Sentences are checked in tests/unit/explain.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';

import { run, testdata } from '../support/program.mjs';
import { demo, EXIT, fails } from './common.mjs';

const answer = (args) => {
  const done = run(['explain', ...args]);
  assert.equal(done.code, EXIT.OK, done.errors);
  if (!args.includes('--json')) return done.text;
  const { schema, command, exit, covers, answer: d } = JSON.parse(done.text);
  assert.deepEqual([schema, command, exit], [1, 'explain', { code: 0, word: 'ok' }]);
  // A pasted line is of no file; a profile says which files were read.
  if (args.some((arg) => arg.startsWith('--text'))) assert.equal(covers, null);
  else assert.ok(covers.hosts.length > 0 && covers.hosts.every((host) => host.read));
  return d;
};

const SCATTER =
  '%fusion.3 = bf16[32,32,4096]{2,1,0:T(8,128)(2,1)S(1)} fusion(bf16[32,32,8192]{2,1,0:T(8,128)(2,1)S(1)} %fusion.32), kind=kCustom, calls=%all-reduce-scatter.3';

test('of two dimensions the cheaper order is the opposite one: it is said once', () => {
  // [16000480, 8] by hand: 8 of 128 lanes used, 16,000,480 rows x 128 x 4 B; the other way 16,000,512 x 8 x 4 B.
  const d = answer(['--text=%a = f32[16000480,8]{1,0:T(8,128)} parameter(0)', '--json']);
  assert.deepEqual(d.layout.steps.map((step) => [step.label, step.size_bytes]), [['logical', 512015360], ['T(8,128)', 8192245760], ['if {0,1}', 512016384]]);
});

test('a pasted line: bytes, padding, the ring of the hidden reduce-scatter', () => {
  const d = answer([`--text=${SCATTER}`, '--device=TPU v5e', '--json']);
  assert.equal(d.output.size_bytes, 8388608);
  assert.deepEqual(d.layout.steps.map((step) => [step.label, step.size_bytes]), [['logical', 8388608], ['T(8,128)', null], ['(2,1)', 8388608], ['if {0,1,2}', 33554432]]);
  assert.deepEqual(d.layout.cells.offset[1].elements, [1, 3, 5, 7, 9, 11, 253, 255]);
  assert.equal(d.contains.collective.kind, 'reduce-scatter');
  assert.equal(d.contains.collective.hidden, true);
  assert.equal(d.expected.link_bytes, 8388608); // half of 16 MiB: two devices
  assert.equal(d.expected.flops, null);
  assert.equal(d.expected.bound, 'link');
});

test('the tiles of a small array, cell by cell (by hand)', () => {
  const d = answer(['--text=a = f32[3,5]{1,0:T(2,2)} parameter(0)', '--json']);
  assert.equal(d.layout.tiled_bytes, 96);
  assert.deepEqual(d.layout.cells.offset.map((row) => row.elements), [
    [0, 1, 4, 5, 8, 9],
    [2, 3, 6, 7, 10, 11],
    [12, 13, 16, 17, 20, 21],
    [14, 15, 18, 19, 22, 23],
  ]);
  assert.deepEqual([d.layout.cells.row_size, d.layout.cells.column_size], [3, 5]);
});

test('a pasted dot has m, n, k and 2bmnk FLOPs', () => {
  const d = answer(['--text=%d = f32[8,64,32]{2,1,0} dot(f32[8,64,128]{2,1,0} %a, f32[8,32,128]{2,1,0} %b), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={2}', '--json']);
  const { batch, m, n, k, flops } = d.contains.matmul;
  assert.deepEqual([batch, m, n, k, flops], [8, 64, 32, 128, 2 * 8 * 64 * 32 * 128]);
  assert.equal(d.expected.flops, flops);
});

test('an instruction of a profile knows its body, its users and its cycles', () => {
  // From the compiler's dump of this program: bf16[1001,129] x its transpose, one convolution.
  const d = answer([demo, '--node=fusion.3', '--json', '--device=TPU v5e']);
  assert.deepEqual([d.contains.matmul.m, d.contains.matmul.n, d.contains.matmul.k], [1001, 1001, 129]);
  assert.equal(d.contains.matmul.flops, 2 * 1001 * 1001 * 129);
  assert.deepEqual(d.operands.name, ['copy-done']);
  assert.deepEqual(d.users.name, ['tuple.4']);
  assert.equal(d.expected.peaks.device, 'TPU v5e');
  const text = answer([demo, '--node=%fusion.3', '--device=TPU v5e']);
  assert.match(text, /matmul +1 x \(m 1001, n 1001, k 129\)/);
  assert.match(text, /Expected time on TPU v5e/);
});

const REDUCE = '%r = f32[8,64] all-reduce(f32[8,64] %x), replica_groups=[4,2]<=[8], to_apply=%add';

test('a mesh and a sharding on the command line: groups along axes, the shape of the whole job (by hand)', () => {
  const d = answer([`--text=${REDUCE}`, '--mesh=data=4,model=2', '--sharding=P(data, None)', '--json']);
  assert.match(d.contains.collective.mesh, /each group runs along model, one group for each place on data\./);
  // [8,64] on each device, dimension 0 cut along data: 4 x 8 rows in the whole job, 2 copies along model.
  assert.deepEqual([d.sharding.typed, d.sharding.text, d.sharding.global_dims], [true, '{devices=[4,1,2]<=[4,2]T(0,1) last_tile_dim_replicate}', [32, 64]]);
  assert.match(d.sharding.mesh, /dimension 0 is cut along data, 2 copies along model\./);
  const text = answer([`--text=${REDUCE}`, '--mesh=4x2', '--sharding=devices=[1,2,4]<=[4,2]T(1,0) last_tile_dim_replicate']);
  assert.match(text, /Across devices\n.*Cuts dimension 1 into 2; 4 devices hold the same part\. Global shape \[8,128\], here \[8,64\]\./s);
  const op = answer([demo, '--node=fusion.3', '--mesh=a=2', '--sharding=P(a)', '--json']);
  assert.deepEqual(op.sharding.global_dims, [2002, 1001]);
  fails(['explain', `--text=${REDUCE}`, '--mesh=nothing'], EXIT.USAGE, /A mesh is at most/);
  fails(['explain', `--text=${REDUCE}`, '--sharding=P(data)'], EXIT.USAGE, /needs a mesh/);
  fails(['explain', `--text=${REDUCE}`, '--mesh=data=8', '--sharding=P(x)'], EXIT.USAGE, /an axis that the mesh does not have/);
  fails(['explain', demo, '--node=fusion.3', '--mesh=a=2', '--sharding=P(a,None,None)'], EXIT.USAGE, /more dimensions than the array/);
});

test('what does not exist or is no instruction says so', () => {
  fails(['explain', demo, '--node=no.such.op'], EXIT.INPUT, /No op named no\.such\.op/);
  fails(['explain', demo], EXIT.USAGE, /--node/);
  fails(['explain', '--text=hello'], EXIT.INPUT, /An instruction looks like/);
  fails(['explain', '--text=x = f32[2] add(a)', demo], EXIT.USAGE, /no profile/);
});

test('work of a call: from its config where that tells, else unknown with what would tell', () => {
  const expected = (set, node) => answer([join(testdata, set, 'logdir'), `--node=${node}`, '--json']).expected;
  const gemm = expected('gpu_jax', 'cublas-gemm.1');
  assert.ok(gemm.flops > 0);
  assert.equal(gemm.rule, 'computed here from the shapes and the config of the call');
  const kernel = expected('tpu_pallas_matmul', 'pallas_mlp.2');
  assert.equal(kernel.flops, null);
  assert.match(kernel.rule, /^unknown: the called code is not HLO; pallas_call\(cost_estimate=/);
});
