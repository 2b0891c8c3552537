// xprofd memory and modules on good profiles: text, JSON and CSV say the same.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import zlib from 'node:zlib';

import { run, temporary, testdata } from '../support/program.mjs';
import { csv, demo, demoFile, dump, EXIT, fails, json, layers, sum, train } from './common.mjs';

const XLA_PEAK = 620361728; // compiled.memory_analysis() of tpu_padded_demo

test('the JSON has its keys', () => {
  const answer = json(['memory', demo]);
  assert.deepEqual(Object.keys(answer), ['schema', 'command', 'exit', 'covers', 'module', 'spaces']);
  assert.deepEqual(Object.keys(answer.covers), ['path', 'run', 'hosts', 'skipped']);
  assert.equal(answer.covers.path, demo);
  assert.equal(answer.covers.run, 'aot');
  assert.deepEqual(answer.covers.hosts, [{
    name: 'host0', file: 'host0.xplane.pb', size_bytes: fs.statSync(demoFile).size, read: true,
    complete: true,
  }]);
  assert.deepEqual(answer.covers.skipped, []);
  assert.match(answer.module, /^jit_padded_step\(\d+\)$/);
  assert.equal(answer.spaces.length, 1);
  assert.deepEqual(Object.keys(answer.spaces[0]), ['summary', 'buffers']);
  const { summary, buffers } = answer.spaces[0];
  assert.equal(summary.peak.held_bytes, XLA_PEAK);
  assert.equal(summary.jax.peak_bytes, XLA_PEAK);
  assert.equal(summary.capacity_bytes, null, 'unknown is null');
  for (const key of ['buffer', 'name', 'shape', 'class', 'size_bytes', 'unpadded_bytes', 'saving_bytes'])
    assert.equal(buffers[key].length, buffers.n, key);
});

test('CSV has the rows and the bytes of the JSON', () => {
  for (const [profile, more] of [[demo, []], [demo, ['--step=3']], [demo, ['--space=1']], [layers, []],
    [dump, []], [train, ['--module=jit_train_step']]]) {
    const { buffers } = json(['memory', profile, '--top=4096', ...more]).spaces[0];
    const done = run(['memory', profile, '--csv', ...more]);
    assert.equal(done.code, EXIT.OK);
    assert.ok(done.text.endsWith('\r\n'));
    const rows = csv(done.text);
    assert.equal(rows.length, buffers.count, `${profile} ${more}`);
    assert.equal(buffers.n + buffers.small.count, buffers.count);
    assert.equal(sum(rows.map((row) => row.size_bytes)), sum(buffers.size_bytes) + buffers.small.size_bytes);
    assert.equal(sum(rows.map((row) => row.size_bytes)), buffers.live_bytes + (buffers.overlap_bytes ?? 0));
    assert.equal(sum(rows.map((row) => row.unpadded_bytes)), sum(buffers.unpadded_bytes));
    assert.deepEqual(rows.map((row) => Number(row.size_bytes)), buffers.size_bytes, 'largest first');
    assert.deepEqual(rows.map((row) => row.name), buffers.name.map((index) => buffers.names[index]));
  }
  fails(['memory', demo, '--csv', '--space=all'], EXIT.USAGE, /one memory space/);
});

test('the text says the peak, where it is and what makes it', () => {
  const { text } = run(['memory', demo]);
  assert.match(text, /^module +jit_padded_step\(\d+\)$/m);
  assert.match(text, /^run +aot, host host0, no recorded run$/m);
  assert.match(text, /^program +187 instructions, 87 buffers, 72 heap events$/m);
  assert.match(text, /^HBM \(memory space 0\)$/m);
  assert.match(text, /^ +peak +591\.6 MiB +at step 7 of 10, %pad\.2$/m);
  assert.match(text, /^ +16 buffers, 591\.6 MiB, the 16 largest:$/m);
  assert.match(text, /^ +195\.4 MiB +183\.2 MiB +195\.4 MiB +temporary +pad\.2 +f32\[8,1,400128\]/m);
  assert.match(text, /^ +constants +512 B$/m);
  assert.doesNotMatch(text, /\b0\.0 /, 'nothing that is not zero reads as zero');
  assert.doesNotMatch(text, / $/m, 'no blanks at the ends of lines');
});

test('--top and --step', () => {
  const rows = (more) => {
    const { text } = run(['memory', demo, ...more]);
    return text.split('\n').filter((line) => / (temporary|parameter|output|constant) /.test(line)).length;
  };
  assert.equal(rows(['--top=3']), 3);
  assert.equal(rows(['--top=0']), 0);
  assert.equal(rows(['--top=4096']), 16);
  const first = json(['memory', demo, '--step=0']).spaces[0], peak = json(['memory', demo]).spaces[0];
  assert.equal(first.buffers.step, 0);
  assert.equal(peak.buffers.step, peak.summary.peak.step);
  assert.equal(peak.buffers.live_bytes, peak.summary.peak.held_bytes);
  assert.ok(first.buffers.live_bytes < peak.buffers.live_bytes);
  assert.equal(json(['memory', demo, '--top=2']).spaces[0].buffers.n, 2);
  assert.equal(run(['memory', demo, '--step=9']).code, EXIT.OK);
  fails(['memory', demo, '--step=10'], EXIT.USAGE, /step/);
  assert.equal(fails(['memory', demo, '--step=10'], EXIT.USAGE, /10 steps/).text, '', 'nothing on stdout');
  json(['memory', demo, '--step=10'], EXIT.USAGE);
});

test('--space takes a number, a name of the platform, or all', () => {
  const colors = (space) =>
    json(['memory', layers, `--space=${space}`]).spaces.map((one) => one.summary.space.color);
  assert.deepEqual(colors('all'), [0, 1, 2, 6]);
  assert.deepEqual(colors('1'), [1]);
  assert.deepEqual(colors('vmem'), [1]);
  assert.deepEqual(colors('HBM'), [0]);
  assert.deepEqual(colors('SparseCore'), [6]);
  const { text } = run(['memory', layers, '--space=all', '--top=0']);
  for (const name of ['HBM (memory space 0)', 'VMEM (memory space 1)', 'SFLAG (memory space 2)'])
    assert.ok(text.includes(`\n${name}\n`), name);
  for (const space of ['nonsense', '99', '-1', ''])
    fails(['memory', layers, `--space=${space}`], EXIT.INPUT, /no memory space/);
});

test('--hbm is the capacity', () => {
  const { summary } = json(['memory', demo, '--hbm=512M']).spaces[0];
  assert.equal(summary.capacity_bytes, 2 ** 29);
  assert.equal(summary.headroom_bytes, 2 ** 29 - XLA_PEAK);
  assert.match(run(['memory', demo, '--hbm=512M']).text, /capacity +512\.0 MiB/);
});

test('--module takes a key or a plain name that is the only one', () => {
  assert.match(json(['memory', train]).module, /^jit_train_step\(18\)$/, 'the default has the largest peak');
  assert.equal(json(['memory', train, '--module=jit_stage']).module, 'jit_stage(16)');
  assert.equal(json(['memory', train, '--module=jit_broadcast_in_dim(8)']).module, 'jit_broadcast_in_dim(8)');
  fails(['memory', train, '--module=jit_broadcast_in_dim'], EXIT.INPUT, /jit_broadcast_in_dim\(8\)/);
  fails(['memory', train, '--module=nobody'], EXIT.INPUT, /no module "nobody".*jit_train_step/s);
});

test('several runs need --run, which is told what there is', () => {
  const done = fails(['memory', testdata], EXIT.USAGE, /\d+ runs found; choose one with --run/);
  assert.match(done.errors, /tpu_scan_layers\/logdir\/aot/);
  const answer = json(['memory', testdata, '--run=tpu_padded_demo/logdir/aot']);
  assert.equal(answer.covers.run, 'tpu_padded_demo/logdir/aot');
  assert.equal(answer.spaces[0].summary.peak.held_bytes, XLA_PEAK);
  fails(['memory', testdata, '--run=nobody'], EXIT.INPUT, /nobody/);
});

test('every way to name a profile gives the same numbers', () => {
  const dir = temporary('ways');
  const bytes = fs.readFileSync(demoFile), file = path.join(dir, 'a.xplane.pb');
  fs.writeFileSync(file, bytes);
  fs.writeFileSync(`${path.join(dir, 'b.xplane.pb')}.gz`, zlib.gzipSync(bytes));
  const expected = json(['memory', demo]).spaces[0].buffers;
  for (const profile of [file, path.join(dir, 'b.xplane.pb.gz'), path.join(demo, 'plugins/profile'),
    path.join(demo, 'plugins/profile/aot'), path.join(demo, 'plugins'), demoFile, path.relative('.', demo)])
    assert.deepEqual(json(['memory', profile]).spaces[0].buffers, expected, profile);
});

test('a dump directory and the files in it', () => {
  const answer = json(['memory', dump]);
  assert.match(answer.module, /after_optimizations/, 'the one with a buffer assignment');
  assert.match(run(['memory', dump]).text, /^run +[^,]+, no recorded run$/m, 'a dump names no host');
  const { summary } = answer.spaces[0];
  assert.equal(summary.xla_report.total_bytes, 24590608384);
  assert.equal(summary.split.temp_bytes, 16384507904);
  const parent = json(['memory', path.dirname(dump)]);
  assert.deepEqual(parent.spaces[0].buffers, answer.spaces[0].buffers);
  assert.equal(parent.spaces[0].summary.module.failed_to_compile, true, 'error.txt mentions it');
  for (const name of fs.readdirSync(dump).filter((one) => one.endsWith('.hlo.pb'))) {
    const file = path.join(dump, name);
    if (name.includes('after_optimizations.')) json(['memory', file]);
    else fails(['memory', file], EXIT.INPUT, /no buffer assignment/);
  }
  const rows = csv(run(['modules', dump, '--csv']).text);
  assert.ok(rows.length >= 1);
});

test('modules: text, JSON and CSV list the same programs', () => {
  const { modules, covers } = json(['modules', train]);
  assert.equal(covers.run, 'run0');
  assert.equal(modules.n, 10);
  const rows = csv(run(['modules', train, '--csv']).text);
  assert.deepEqual([...new Set(rows.map((row) => row.key))].sort(), [...modules.key].sort());
  assert.equal(sum(rows.map((row) => row.peak_bytes)), sum(modules.spaces.peak_bytes));
  const lines = run(['modules', train]).text.trimEnd().split('\n');
  assert.equal(lines.length, 11);
  assert.match(lines[1], /jit_train_step\(18\)$/, 'largest peak first');
});

test('asking twice gives the same bytes', () => {
  for (const more of ['--json', '--csv', '--top=5'])
    assert.deepEqual(run(['memory', layers, more]).stdout, run(['memory', layers, more]).stdout);
});

test('heap events that are derived from live ranges are said to be', () => {
  assert.match(run(['memory', path.join(testdata, 'cpu_text/jax_0.10.2')]).text, /^program .* \d+ heap events from live ranges$/m);
});
