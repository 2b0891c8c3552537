// Exit codes (features 4.4): a test for each, that provokes it for real with the commands that can end so.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';

import { binary, run, temporary, testdata } from '../support/program.mjs';
import { demo, dump, EXIT, layers, reportPage, train } from './common.mjs';

const folder = temporary('exit');
const file = (name, text) => {
  const to = path.join(folder, name);
  fs.writeFileSync(to, text);
  return to;
};
const packed = path.join(testdata, 'tpu_findings/padded_packed');
const wide = `--budget=${file('wide', '[*]\npeak_bytes <= 64GiB\n')}`;
const tight = `--budget=${file('tight', '[*]\npeak_bytes <= 1MiB\n')}`;
const growth = `--budget=${file('growth', '[*]\ngrowth <= 2%\n')}`;
const page = `--web-dir=${reportPage()}`;
/** Each ends so, and says why unless its answer does. */
function ends(code, lists) {
  for (const args of lists) {
    const done = run(args);
    assert.equal(done.signal, null, args.join(' '));
    assert.equal(done.code, code, `${args.join(' ')}: ${done.errors}`);
    assert.ok(code === EXIT.OK || done.errors + done.text !== '', args.join(' '));
  }
}

test('0: inside the budget, nothing at --fail-on', () => {
  ends(EXIT.OK, [['check', demo, wide], ['diff', dump, packed, wide], ['diff', demo, demo, growth], ['doctor', packed, '--hbm=16GiB', '--fail-on=error'], ['doctor', dump],
    ['report', packed, `--diff=${dump}`, '-o', path.join(folder, 'out.html'), page]]);
});

test('1: a limit is broken, a finding is at --fail-on, something is not checked with --strict', () => {
  ends(EXIT.BROKEN, [['check', demo, tight], ['diff', dump, packed, tight], ['diff', packed, dump, growth], ['doctor', path.dirname(dump), '--fail-on=error'], ['doctor', demo, '--fail-on=info'], ['check', demo, growth, '--strict']]);
});

test('2: usage, and mistakes in a file of ours', () => {
  ends(EXIT.USAGE, [['check', demo], ['check'], ['--nothing'], ['diff', demo], ['doctor', demo, '--fail-on=never'], ['doctor', demo, '--hbm=much'], ['check', demo, `--budget=${file('wrong', '[*]\npeak <= 1\n')}`],
    ['report', demo], ['report', demo, '-o', '-', page, '--diff='], ['memory', demo, '--json', '--csv']]);
});

test('3: the input is not there, cannot be read, or holds no program', () => {
  const noise = file('noise.xplane.pb', 'this is no profile, whatever its name says');
  ends(EXIT.INPUT, [['check', path.join(folder, 'nowhere'), wide], ['check', demo, `--budget=${path.join(folder, 'nofile')}`], ['doctor', noise], ['diff', demo, noise], ['diff', noise, demo],
    ['memory', temporary('empty')], ['report', demo, `--diff=${noise}`, '-o', '-', page], ['report', noise, '-o', '-', page]]);
});

test('4: not checked, a number is missing', () => {
  ends(EXIT.UNJUDGED, [['check', demo, growth], ['check', demo, `--budget=${file('else', '[jit_else]\npeak_bytes <= 1G\n')}`]]);
});

/** The program of `file` as a dump before buffers were assigned has it: HloProto without field 3. */
function withoutAssignment(bytes) {
  const kept = [];
  for (let at = 0; at < bytes.length;) {
    const from = at;
    const varint = () => {
      let value = 0n, shift = 0n, byte;
      do {
        byte = bytes[at++];
        value |= BigInt(byte & 127) << shift;
        shift += 7n;
      } while (byte & 128);
      return Number(value);
    };
    const tag = varint();
    assert.equal(tag & 7, 2, 'an HloProto has messages only');
    const size = varint();
    at += size;
    if (tag >> 3 !== 3) kept.push(bytes.subarray(from, at));
  }
  return Buffer.concat(kept);
}

test('4: two dumps without buffers have nothing to compare; that is not "no difference"', () => {
  const proto = fs.readFileSync(path.join(dump, fs.readdirSync(dump).find((name) => name.endsWith('after_optimizations.hlo.pb'))));
  const bare = path.join(folder, 'bare.hlo.pb');
  fs.writeFileSync(bare, withoutAssignment(proto));
  for (const [before, after, why] of [[bare, bare, /neither program has a buffer assignment/], [bare, dump, /the program before has no buffer assignment/], [dump, bare, /the program after has no buffer assignment/]])
    for (const form of [[], ['--md'], ['--json'], ['--ascii']]) {
      const done = run(['diff', before, after, ...form]);
      const what = `${form}: ${done.text}${done.errors}`;
      assert.equal(done.code, EXIT.UNJUDGED, what);
      assert.match(done.text, why, what);
      assert.doesNotMatch(done.text, /[Nn]o difference|sum of all groups|Sum of all groups/, what);
      if (form[0] !== '--json') assert.match(done.text, before === bare ? /HBM unknown -/ : /MiB -\\?> unknown/, what);
      if (form[0] !== '--json') continue;
      const answer = JSON.parse(done.text);
      assert.deepEqual(answer.exit, { code: EXIT.UNJUDGED, word: 'not_judged' });
      assert.match(answer.diff.nothing_to_compare, why);
      for (const [key, file] of [['before', before], ['after', after]]) assert.equal(answer.diff[key].peak_bytes === null, file === bare, `${key} of ${what}`);
      assert.equal(answer.diff.difference_bytes, null);
      assert.deepEqual([answer.diff.groups_total, answer.diff.groups.n, answer.diff.findings], [0, 0, []]);
    }
  ends(EXIT.BROKEN, [['diff', bare, bare, '--strict']]);
  ends(EXIT.UNJUDGED, [['diff', bare, bare, wide], ['diff', bare, bare, growth]]);
  assert.match(run(['diff', bare, bare, wide, '--md']).text, /^### Memory budget not checked/);
  assert.match(run(['report', bare, `--diff=${bare}`, '-o', path.join(folder, 'bare.html'), page]).errors, /nothing to compare in .*: neither program/);
  assert.equal(JSON.parse(run(['diff', dump, packed, '--json']).text).diff.nothing_to_compare, null);
});

test('5: an answer that cannot be written', { skip: !fs.existsSync('/dev/full') }, () => {
  for (const args of [['check', demo, wide], ['diff', dump, packed], ['doctor', dump], ['memory', demo], ['buffers', demo, '--csv'],
    ['report', demo, '-o', '-', page], ['export', train, '-o', '-'], ['doctor', demo, '--sarif=-'], ['doctor', demo, '--junit=-'], ['trace', train], ['guide']]) {
    const full = fs.openSync('/dev/full', 'w');
    const done = spawnSync(binary, args, { stdio: ['ignore', full, 'pipe'], encoding: 'utf8' });
    fs.closeSync(full);
    assert.equal(done.status, EXIT.INTERNAL, `${args.join(' ')}: ${done.stderr}`);
    assert.match(done.stderr, /cannot be written|could not be written|cannot write/, args.join(' '));
  }
  // The same of a file that is named; what is no file of ours is not removed (through a link, lest a mistake takes the device).
  const link = path.join(folder, 'full');
  fs.symlinkSync('/dev/full', link);
  ends(EXIT.INTERNAL, [['report', demo, page, '-o', link], ['export', train, '-o', link], ['doctor', demo, `--sarif=${link}`], ['check', demo, wide, `--junit=${link}`]]);
  assert.ok(fs.lstatSync(link).isSymbolicLink(), 'a device stays');
});

// A program that is built with a sanitizer needs more room than any limit leaves before it does anything.
const limited = (kib, args) => spawnSync('bash', ['-c', `ulimit -v ${kib} && exec "$0" "$@"`, binary, ...args], { encoding: 'utf8' });
// Most of what a plain one needs is the addresses of the libraries it is linked to.
const ROOMS = Array.from({ length: 64 }, (_, i) => (4 + 4 * i) << 10); // 4 to 256 MiB
const starts = ROOMS.find((kib) => limited(kib, ['--version']).status === EXIT.OK);

test('5: no memory for it; never a signal, and never an answer that is not whole', { skip: starts === undefined }, () => {
  const whole = run(['buffers', layers, '--csv']).text;
  let short = 0;
  for (let kib = starts; kib <= starts + (256 << 10); kib += 4 << 10) {
    const done = limited(kib, ['buffers', layers, '--csv']);
    assert.equal(done.signal, null, `${kib} KiB: ${done.stderr}`);
    if (done.status === EXIT.OK) {
      assert.equal(done.stdout, whole, `${kib} KiB`);
      break;
    }
    short++;
    assert.equal(done.status, EXIT.INTERNAL, `${kib} KiB: ${done.stderr}`);
    assert.match(done.stderr, /memory|A thread .* cannot be started/, `${kib} KiB`);
  }
  assert.ok(short > 0, 'some room was too small');
});
