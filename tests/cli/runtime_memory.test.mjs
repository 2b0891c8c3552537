// What the runtime's allocators reported beside what was compiled: D28 and D29 from the file to the finding.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';

import { putRun, Server, shared, temporary } from '../support/program.mjs';
import { plane, reported } from '../support/space.mjs';
import { demoFile, json } from './common.mjs';

const MIB = 2 ** 20;
/** The real program of testdata with a plane of allocator events behind it: messages of protobuf add up. */
function withEvents(events) {
  const dir = temporary('allocators');
  const line = { events: events.map((stats, i) => reported(i * 1000, false, stats)) };
  putRun(dir, 'run', Buffer.concat([fs.readFileSync(demoFile), plane('/host:CPU', [line])]));
  return dir;
}

const findings = (dir, ...more) => {
  const { doctor } = json(['doctor', dir, ...more]);
  return { doctor, of: (id) => doctor.findings.find((finding) => finding.id === id) };
};
const peak = json(['doctor', demoFile]).doctor.peak_bytes;

test('a measured peak that is another, free memory in pieces', () => {
  const { doctor, of } = findings(withEvents([
    { allocator_name: 'TPU_0', bytes_reserved: peak, bytes_allocated: 100 * MIB, bytes_available: 400 * MIB,
      requested_bytes: 1, fragmentation: 0.1 },
    { allocator_name: 'TPU_0', bytes_reserved: peak, bytes_allocated: 300 * MIB, bytes_available: 200 * MIB,
      requested_bytes: 64 * MIB, fragmentation: 0.75 },
    { allocator_name: 'host_pool', bytes_reserved: 0, bytes_allocated: 64 * 1024 * MIB, bytes_available: 1,
      requested_bytes: 1, fragmentation: 1 }, // memory of the host: not the device's peak
  ]));
  assert.equal(of('D28').size_bytes, 300 * MIB);
  assert.match(of('D28').claim, /^Measured peak .* \(allocator TPU_0\), this program /);
  assert.deepEqual(of('D28').numbers.map(({ value }) => value), [peak + 300 * MIB, peak]);
  const pieces = doctor.findings.filter(({ id }) => id === 'D29');
  assert.equal(pieces.length, 2);
  assert.ok(pieces.some(({ claim }) => claim.includes('75.0 % of the allocator')));
  const request = pieces.find(({ size_bytes }) => size_bytes === 64 * MIB); // 200 MiB are free, 50 of them in one piece
  assert.deepEqual(request.numbers.map(({ value }) => value / MIB), [64, 50, 200]);
  assert.ok(!(doctor.not_judged ?? '').includes('D29'));
});

test('as compiled, and in one piece: nothing is said; the capacity is what the allocators add up to', () => {
  const { doctor, of } = findings(withEvents([
    { allocator_name: 'TPU_0', bytes_reserved: peak, bytes_allocated: MIB, bytes_available: 2 ** 34, fragmentation: 0 }]));
  assert.equal(of('D28'), undefined);
  assert.equal(of('D29'), undefined);
  assert.equal(doctor.capacity_bytes, peak + MIB + 2 ** 34);
  assert.equal(doctor.capacity_from, 'memory allocation events');
});

test('an allocator that does not report fragmentation', () => {
  const { doctor, of } = findings(withEvents([{ allocator_name: 'cpu', bytes_reserved: 0, bytes_allocated: 8 },
    { allocator_name: 'GPU_0_bfc', bytes_reserved: 0, bytes_allocated: peak }]));
  assert.equal(of('D29'), undefined);
  assert.match(doctor.not_judged, /D29: the allocators do not report/);
});

test('the real run: the measured peak is the program that had it, and another for the others', { skip: !shared }, () => {
  const real = path.join(shared, 'data/tpu-v6e-offload/logdir');
  assert.equal(findings(real, '--module=jit_f').of('D28'), undefined); // 20.02 GiB measured, 20.00 compiled
  const other = findings(real, '--module=jit__psum').of('D28');
  assert.equal(other.numbers[0].value, 21492671104); // XProf's peakBytesInUse of allocators 1 and 2
  assert.match(other.claim, /allocator 1/);
});

test('the price of transfers in flight where the program ran; the server says the same', { skip: !shared }, async () => {
  const real = path.join(shared, 'data/tpu-v6e-offload/logdir');
  const flight = findings(real, '--module=jit_f').of('D14');
  const value = (name) => flight.numbers.find((number) => number.name === name).value;
  const server = await Server.start(real);
  const run = (await server.api('runs')).json.id[0], module = 'jit_f';
  const times = (await server.api('graph/times', { run, module })).json;
  const served = (await server.api('doctor', { run, module })).json;
  await server.stop();
  assert.deepEqual(served.findings.find(({ id }) => id === 'D14').numbers, flight.numbers);
  const sum = (wanted) => times.name.reduce((all, name, i) => all + (wanted(name) ? Number(times.self_ps[i]) : 0), 0);
  const ends = times.name.filter((name) => name.startsWith('copy-done'));
  assert.equal(value('measured_share'), Math.round(value('measured_ps') / sum(() => true) * 1000));
  assert.ok(ends.some((a) => ends.some((b) => a < b && sum((name) => name === a || name === b) === value('measured_ps'))),
    'what two of the copies took to end');
  assert.match(flight.claim, /waiting for their ends took 155\.416 s, .*2 of 2 ends/);
});

test('the price of computing twice where the program ran', { skip: !shared }, async () => {
  const real = path.join(shared, 'data/transformer_train/logdir');
  const server = await Server.start(real);
  const run = (await server.api('runs')).json.id[0], module = 'jit_train_step';
  const times = (await server.api('graph/times', { run, module })).json;
  const text = (await server.api('graph/text', { run, module, metadata: 1 })).text;
  const served = (await server.api('doctor', { run, module })).json;
  await server.stop();
  // From the program's text: names with .remat, op names with rematted_computation.
  const marked = new Set([...text.matchAll(/^ *(?:ROOT )?%?([\w.-]+) = (.*)$/gm)].filter(([, name, rest]) => name.includes('.remat') || /op_name="[^"]*rematted_computation/.test(rest)).map(([, name]) => name));
  const twice = findings(real, `--module=${module}`).of('D24');
  const value = (name) => twice.numbers.find((number) => number.name === name).value;
  assert.equal(value('instructions'), marked.size);
  const sum = (wanted) => times.name.reduce((all, name, i) => all + (wanted(name) ? Number(times.self_ps[i]) : 0), 0);
  assert.ok(sum((name) => marked.has(name)) > 0, 'some of them were timed');
  assert.equal(value('measured_ps'), sum((name) => marked.has(name)));
  assert.equal(value('measured_share'), Math.round((value('measured_ps') / sum(() => true)) * 1000));
  assert.match(twice.claim, /Measured: they took \d+\.\d{3} ms, \d+\.\d % of the \d+\.\d{3} ms of this program's operations/);
  assert.deepEqual(served.findings.find(({ id }) => id === 'D24').numbers, twice.numbers);
});
