import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesText, decimalText, timeText } from '../../src/explain/numbers';
import { atPeaks, expectation, formatPeaks, parsePeaks, verdict } from '../../src/explain/peaks';
import type { Expected } from '../../src/explain/types';

const BASE: Expected = {
  flops: 68_719_476_736,
  hbm_bytes: 80 * 2 ** 20,
  link_bytes: 0,
  cycles: 589_424,
  partial: false,
  collective: false,
  vector: false,
  work_peak_per_s: null,
  compute_s: null,
  hbm_s: null,
  vmem_s: null,
  cmem_s: null,
  link_s: null,
  cycles_s: null,
  roofline_s: null,
  bound: null,
  verdict: '',
  rule: '',
  traffic: { n: 0, space: [], read_bytes: [], written_bytes: [] },
  peaks: null,
  chips: [],
};

test('bytes are whole only when exact', () => {
  assert.equal(bytesText(8388608), '8 MiB');
  assert.equal(bytesText(16 * 2 ** 20 + 32 * 2 ** 10), '16.0 MiB');
  assert.equal(bytesText(0), '0 B');
  assert.equal(bytesText(96), '96 B');
  assert.equal(bytesText(null), 'unknown');
});

test('times and FLOP have three digits', () => {
  assert.equal(timeText(348.83e-6), '349 µs');
  assert.equal(timeText(348.83e-6, 1), '348.8 µs');
  assert.equal(timeText(95.61e-3), '95.6 ms');
  assert.equal(timeText(5e-8), '< 0.1 µs');
  assert.equal(timeText(0), '0 µs');
  assert.equal(timeText(null), 'unknown');
  assert.equal(decimalText(68_719_476_736, 'FLOP'), '68.7 GFLOP');
});

// graph.png: 197 TFLOP/s, 819 GB/s, 1.5 GHz.
test('the picture: 348.8, 102.4, 393.0 µs, compute bound, 1.13 of the roof', () => {
  const peaks = parsePeaks('197,819,,1.5');
  const x = expectation(BASE, peaks);
  assert.equal(timeText(x.compute, 1), '348.8 µs');
  assert.equal(timeText(x.hbm, 1), '102.4 µs');
  assert.equal(timeText(x.cycles), '393 µs');
  assert.equal(x.bound, 'compute');
  assert.deepEqual(verdict(BASE, peaks, x, null), ['Compute bound:', '819 FLOP/B, ridge 241; 1.13× roofline']);
  assert.match(verdict(BASE, peaks, x, (x.roofline as number) / 2)[1], /0\.50× roofline measured; faster than the peak, so this peak is wrong/);
  assert.equal(formatPeaks(peaks), '197,819,,1.5');
});

test("the book's matmul and reduce-scatter", () => {
  const x = expectation({ ...BASE, flops: 2 * 32 * 1024 * 8192 * 32768, hbm_bytes: null, cycles: null, link_bytes: 134217728 }, parsePeaks('184,,120,'));
  assert.equal(((x.compute ?? 0) * 1e3).toFixed(2), '95.61');
  assert.equal(((x.link ?? 0) * 1e3).toFixed(3), '1.118');
});

test('without peaks nothing is computed, and nonsense is no peak', () => {
  const none = parsePeaks('x,-3,0,1e99');
  const x = expectation(BASE, none);
  assert.deepEqual([x.compute, x.hbm, x.cycles, x.roofline, x.bound], [null, null, null, null, null]);
  assert.equal(verdict(BASE, none, x, null)[0], 'No peaks:');
});

test('half of an asynchronous pair is not said to take almost no time', () => {
  const nothing = { ...BASE, flops: 0, hbm_bytes: 0, link_bytes: null };
  const x = expectation(nothing, parsePeaks('1,1,1,1'));
  assert.equal(verdict(nothing, parsePeaks('1,1,1,1'), x, null, 'bitcast')[1], 'it should take almost no time');
  for (const opcode of ['copy-start', 'all-gather-done', 'send', 'async-update'])
    assert.match(verdict(nothing, parsePeaks('1,1,1,1'), x, null, opcode)[1], /the wait was not measured/);
});

test('an event of the trace is rated against the peaks that were typed in', () => {
  const f = {
    flops: 2e9,
    hbm_bytes: 1e9,
    duration_ps: 4e9,
    achieved_flops_per_s: 5e11,
    achieved_bytes_per_s: 2.5e11,
    peak_flops_per_s: 1e12,
    peak_bytes_per_s: 1e12,
    bound: 'compute' as const,
    at_roofline_ps: 2e9,
    share: 0.5,
    source: 'compiler estimate',
  };
  const use = (text: string, edited: boolean) => ({ values: parsePeaks(text), name: '', source: '', edited });
  assert.equal(atPeaks(f, use('1,1000', false)), f);
  const typed = atPeaks(f, use('2,500', true));
  assert.deepEqual([typed.bound, typed.at_roofline_ps, typed.share, typed.peak_flops_per_s, typed.peak_bytes_per_s], ['memory', 2e9, 0.5, 2e12, 5e11]);
  assert.deepEqual([atPeaks(f, use('4', true)).bound, atPeaks(f, use('4', true)).share], ['compute', 0.125]);
  const none = atPeaks({ ...f, flops: null, hbm_bytes: 0 }, use('4,4', true));
  assert.deepEqual([none.bound, none.at_roofline_ps, none.share], [null, null, null]);
});

test('the unit and the memory that bind, as the server judges them', () => {
  const peaks = parsePeaks('1,1,1,1,0.05,,30,15');
  assert.equal(formatPeaks(peaks), '1,1,1,1,0.05,,30,15');
  const vector = expectation({ ...BASE, vector: true, flops: 1e12, hbm_bytes: 1e9 }, peaks);
  assert.deepEqual([vector.compute, vector.bound], [20, 'compute']);
  const bytes = { n: 1, space: ['VMEM'], read_bytes: [30e9], written_bytes: [60e9] };
  const vmem = expectation({ ...BASE, flops: 1e12, hbm_bytes: 1e9, traffic: bytes }, peaks);
  assert.deepEqual([vmem.vmem, vmem.bound], [4, 'VMEM']);
  assert.equal(expectation({ ...BASE, flops: 1e12, hbm_bytes: 1e9, traffic: bytes }, parsePeaks('1,1')).vmem, null);
});
