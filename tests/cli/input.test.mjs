// Bad input on the command line: what is wrong, with which file, and where; never raw control
// characters; exit code 3.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import zlib from 'node:zlib';

import { brokenProfiles, putRun, run, shared, temporary, testdata } from '../support/program.mjs';
import { csv, demoFile, EXIT, fails, json, sum, train } from './common.mjs';

const good = fs.readFileSync(demoFile);
const pprof = zlib.gzipSync(Buffer.from('0a040801100212060a01011201053200320373706c', 'hex'));
const trace = JSON.stringify({ displayTimeUnit: 'ns', traceEvents: [{ ph: 'X', pid: 1, ts: 0, dur: 1, name: 'a' }] });

/** Bytes that are no profile, and what the message has to say about them. */
const wrong = {
  'empty.xplane.pb': [Buffer.alloc(0), /empty|0 bytes/i],
  'page.xplane.pb': [Buffer.from('<!DOCTYPE html><html><body>404</body></html>'), /HTML/],
  'text.xplane.pb': [Buffer.from('this is a text, not a profile\n'.repeat(9)), /text/i],
  'trace.xplane.pb': [Buffer.from(trace), /trace|JSON/i],
  'trace.xplane.pb.gz': [zlib.gzipSync(trace), /trace|JSON/i],
  'memory.xplane.pb': [pprof, /pprof/],
  'noise.xplane.pb': [Buffer.from(Array.from({ length: 4000 }, (_, i) => (i * i * 31 + i * 7) >> 3 & 255)), /./],
};

test('a file that is no profile is named, and so is what it is', () => {
  const dir = temporary('wrong');
  for (const [name, [bytes, words]] of Object.entries(wrong)) {
    const file = path.join(dir, name);
    fs.writeFileSync(file, bytes);
    for (const command of ['memory', 'modules']) {
      const done = fails([command, file], EXIT.INPUT, words);
      assert.ok(done.errors.includes(name), `${name} is named: ${done.errors}`);
      assert.equal(done.text, '');
      const { error } = json([command, file], EXIT.INPUT);
      assert.ok(`${error.where} ${error.message}`.includes(name));
      assert.doesNotMatch(error.message, /capture (it )?with/, `${name}: not a question of capturing`);
    }
  }
});

test('the same in a run folder', () => {
  for (const [name, [bytes, words]] of Object.entries(wrong)) {
    if (name.endsWith('.gz')) continue;
    const dir = temporary('run');
    putRun(dir, 'r', bytes);
    const done = fails(['memory', dir], EXIT.INPUT, words);
    assert.match(done.errors, /host0\.xplane\.pb/, name);
  }
});

test('a mangled profile is recognised', { skip: !shared && 'XPD_SHARED is not there' }, () => {
  const name = 'utf8-mangled.xplane.pb', file = path.join(temporary('mangled'), name);
  fs.copyFileSync(path.join(shared, 'data/broken', name), file);
  const done = fails(['memory', file], EXIT.INPUT, /UTF-8|text/);
  assert.match(done.errors, /utf8-mangled\.xplane\.pb/);
  // A folder of its own: beside a file that can be read, the command would answer.
  fails(['modules', path.dirname(file)], EXIT.INPUT, /utf8-mangled/);
});

test('a cut file gives what is whole, and says that it is cut', () => {
  const dir = temporary('cut'), file = path.join(dir, 'cut.xplane.pb');
  fs.writeFileSync(file, good.subarray(0, good.length - 10)); // behind the HloProto
  const { covers, spaces } = json(['memory', file]);
  assert.equal(spaces[0].summary.peak.held_bytes, 620361728);
  assert.equal(covers.hosts[0].complete, false);
  fs.writeFileSync(file, good.subarray(0, 20000)); // inside of it
  const done = fails(['memory', file], EXIT.INPUT, /cut|ends|complete/);
  assert.match(done.errors, /cut\.xplane\.pb/);
  const { error } = json(['memory', file], EXIT.INPUT);
  assert.doesNotMatch(error.message, /capture (it )?with/);
});

test('a cut gzip', () => {
  const dir = temporary('gzip'), file = path.join(dir, 'cut.xplane.pb.gz'), packed = zlib.gzipSync(good);
  fs.writeFileSync(file, packed.subarray(0, packed.length / 2));
  fails(['memory', file], EXIT.INPUT, /cut\.xplane\.pb\.gz/);
  fs.writeFileSync(file, Buffer.from('1f8b0800', 'hex'));
  fails(['memory', file], EXIT.INPUT, /cut\.xplane\.pb\.gz/);
});

test('two hosts of which one is damaged: the other is read, the damage is told', () => {
  const dir = temporary('hosts');
  putRun(dir, 'r', good, 'a.xplane.pb');
  putRun(dir, 'r', Buffer.from('<html></html>'.repeat(20)), 'b.xplane.pb');
  const { covers, spaces } = json(['memory', dir]);
  assert.equal(spaces[0].summary.peak.held_bytes, 620361728);
  assert.deepEqual(covers.hosts.map((host) => host.read), [true, false]);
  assert.equal(covers.skipped.length, 1);
  assert.match(covers.skipped[0].what + covers.skipped[0].why, /b\b/);
  assert.match(covers.skipped[0].why, /HTML/);
});

test('no program, no buffer assignment', () => {
  const dir = brokenProfiles('--flat'), file = (name) => path.join(dir, `${name}.xplane.pb`);
  for (const name of ['no_hlo', 'no_planes', 'empty_plane'])
    fails(['memory', file(name)], EXIT.INPUT, /contains no compiled program.*capture it with HLO protos enabled/);
  const two = temporary('two');
  for (const host of ['a', 'b']) putRun(two, 'both', fs.readFileSync(file('no_hlo')), `${host}.xplane.pb`);
  // Of two files neither is at fault: the run is named.
  for (const command of ['memory', 'query'])
    fails([command, two, ...(command === 'query' ? ['opcodes'] : [])], EXIT.INPUT, new RegExp(`^xprofd ${command}: both: This profile contains no compiled program`));
  for (const name of ['no_assignment', 'empty_module', 'scoped_alone']) {
    const done = fails(['memory', file(name)], EXIT.INPUT, /no buffer assignment/);
    assert.match(done.errors, new RegExp(name));
  }
  // What it does name, the scratch memory of a kernel, is no peak.
  fails(['memory', file('scoped_alone')], EXIT.INPUT, /scoped_alone.*its memory is unknown.*4\.0 KiB of scratch memory.*\(space 1\).*kernel/);
  for (const name of ['no_assignment', 'scoped_alone']) {
    const { modules } = json(['modules', file(name)]);
    assert.deepEqual(modules.peak_bytes, [null], 'unknown is null, not 0');
    assert.match(run(['modules', file(name)]).text, /unknown.*\(no buffer assignment\)/);
    assert.match(run(['doctor', file(name)]).text, /^memory {3}unknown$/m);
  }
});

/** Control characters of C0 and C1 other than the end of a line, and bytes that are no UTF-8. */
function dangerous(bytes) {
  const text = bytes.toString('utf8');
  // eslint-disable-next-line no-control-regex
  return /[\x00-\x09\x0b-\x1f\x7f-\x9f]/.exec(text)?.[0].codePointAt(0)
    ?? (Buffer.from(text, 'utf8').equals(bytes) ? undefined : 'no UTF-8');
}

test('names with control characters do not reach the terminal raw', () => {
  const dir = brokenProfiles('--flat');
  for (const name of ['name_control', 'name_invalid_utf8', 'name_markup']) {
    const file = path.join(dir, `${name}.xplane.pb`);
    for (const args of [['memory', file], ['memory', file, '--space=all', '--step=0'], ['modules', file],
      ['memory', file, '--module=nobody'], ['memory', file, '--space=99']]) {
      const done = run(args);
      const where = `${args.slice(0, 1)} ${name} ${args.slice(2)}`;
      assert.equal(dangerous(done.stdout), undefined, `${where}: stdout`);
      assert.equal(dangerous(done.stderr), undefined, `${where}: stderr`);
    }
    assert.equal(dangerous(run(['memory', file, '--json']).stdout), undefined, `${name}: JSON`);
  }
});

test('control characters in a path or an option are not repeated raw', () => {
  const dir = path.join(temporary('odd'), 'a\x1b[31mb\nc');
  fs.mkdirSync(dir);
  putRun(dir, 'r\x1b[32m', good);
  for (const args of [['memory', dir], ['memory', `${dir}/none`], ['memory', dir, '--run=\x1b[1m'],
    ['modules', dir], ['memory', dir, '--top=\x1b[2J'], ['memory', dir, '--space=\x1b[2J']]) {
    const done = run(args);
    assert.equal(dangerous(done.stdout), undefined, `${args.slice(2)}: stdout`);
    assert.equal(dangerous(done.stderr), undefined, `${args.slice(2)}: stderr`);
  }
});

test('every broken profile ends with 0 or 3, quickly, and CSV agrees with JSON', () => {
  const dir = brokenProfiles();
  const runs = path.join(dir, 'plugins/profile');
  for (const name of fs.readdirSync(runs).sort()) {
    const profile = path.join(runs, name);
    const done = run(['memory', profile, '--json', '--top=4096']);
    assert.ok([EXIT.OK, EXIT.INPUT].includes(done.code), `${name}: ${done.code} ${done.signal} ${done.errors}`);
    assert.ok(done.ms < 20000, `${name}: ${done.ms} ms`);
    if (done.code !== EXIT.OK) continue;
    const { buffers } = JSON.parse(done.text).spaces[0];
    const rows = csv(run(['memory', profile, '--csv']).text);
    assert.equal(rows.length, buffers.count, name);
    if (buffers.size_bytes.every((value) => Number.isSafeInteger(value)))
      assert.equal(sum(rows.map((row) => row.size_bytes)), sum(buffers.size_bytes), name);
  }
});

test('formulas in names do not run in a spreadsheet', () => {
  const file = path.join(brokenProfiles('--flat'), 'name_formula.xplane.pb');
  for (const args of [['memory', file, '--csv'], ['modules', file, '--csv']])
    for (const row of csv(run(args).text))
      for (const cell of Object.values(row)) assert.doesNotMatch(cell, /^[=+@\t\r]/);
});

test('the profile is left as it was', () => {
  const file = path.join(temporary('same'), 'a.xplane.pb');
  fs.writeFileSync(file, good);
  fs.chmodSync(path.dirname(file), 0o555);
  run(['memory', file]);
  run(['modules', file, '--json']);
  assert.deepEqual(fs.readdirSync(path.dirname(file)), ['a.xplane.pb']);
  assert.ok(fs.readFileSync(file).equals(good));
  fs.chmodSync(path.dirname(file), 0o755);
  assert.equal(run(['modules', train]).code, EXIT.OK);
});

test('an archive of a logdir answers as the folder does; a damaged one says so; nothing is written beside it', () => {
  const dir = temporary('archive'), folder = path.join(dir, 'kept');
  putRun(folder, 'first', good);
  putRun(folder, 'second', good);
  const before = fs.readdirSync(dir).length;
  for (const [name, flags] of [['kept.tar', '-cf'], ['kept.tar.gz', '-czf'], ['kept.tgz', '-czf']]) {
    const file = path.join(dir, name);
    execFileSync('tar', [flags, file, '-C', folder, '.']);
    assert.deepEqual(json(['modules', file, '--run=first']).modules, json(['modules', folder, '--run=first']).modules);
    assert.equal(run(['memory', file, '--run=second']).text, run(['memory', folder, '--run=second']).text);
    fails(['memory', file, '--run=third'], EXIT.INPUT, /first, second|second, first/);
    const cut = path.join(dir, `cut-${name}`);
    fs.writeFileSync(cut, fs.readFileSync(file).subarray(0, 700));
    fails(['memory', cut], EXIT.INPUT, /archive|bytes|early/);
    fs.rmSync(cut);
    fs.rmSync(file);
  }
  assert.equal(fs.readdirSync(dir).length, before);
  const none = path.join(dir, 'none.zip');
  fs.writeFileSync(none, 'no archive');
  fails(['memory', none], EXIT.INPUT, /not a readable archive/);
  fs.writeFileSync(none, 'PK\x03\x04 and then not the end');
  fails(['memory', none], EXIT.INPUT, /begins as a zip, but the list of its files, which ends one, is missing; it is probably cut\./);
});

test('an archive with the logdir in a folder of its own, as CI hands artifacts out', () => {
  const dir = temporary('artifact'), file = path.join(dir, 'artifact.tar.gz');
  for (const name of ['first', 'second']) putRun(path.join(dir, 'artifact'), name, good);
  execFileSync('tar', ['-czf', file, '-C', dir, 'artifact']);
  fails(['memory', file, '--run=third'], EXIT.INPUT, /artifact\/(first|second), artifact\/(first|second)\.$/m);
  assert.deepEqual(json(['modules', file, '--run=artifact/second']).modules, json(['modules', path.join(dir, 'artifact'), '--run=second']).modules);
});

test('what xprofd does not read is called what it is, with what to do, alone and in a folder', () => {
  // The first bytes of a file of Riegeli chunks, and what JAX gives for x @ x with x of f32[64,64].
  const kinds = {
    'step.xplane.riegeli': ['83af70d10d884a3f0000000000000000', /Riegeli chunks .* Save it as \.xplane\.pb .* or convert it/],
    'assignment.xplane.pb': ['0a0c108080011a062081808080100a0e0801108080011a062080828080101a0e1080800138014a060801188080011a0e08011080800128014a0418808001', /BufferAssignmentProto .* Save the program's HloProto/],
  };
  for (const [name, [hex, words]] of Object.entries(kinds)) {
    const dir = temporary('kinds');
    fs.writeFileSync(path.join(dir, name), Buffer.from(hex, 'hex'));
    fails(['modules', path.join(dir, name)], EXIT.INPUT, words);
    fails(['modules', dir], EXIT.INPUT, words);
  }
});

test('a heap file has no program: where it is shown', () => {
  const heaps = path.join(testdata, 'device_memory');
  for (const command of ['hlo', 'memory', 'modules']) fails([command, heaps], EXIT.INPUT, /heap file .* `xprofd heap` shows it, and with --fail-on-growth/);
});
