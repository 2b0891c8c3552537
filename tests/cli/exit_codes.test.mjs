// Exit codes (features 4.4): a test for each, that provokes it for real with the commands that can end so.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';

import { binary, run, temporary, testdata } from '../support/program.mjs';
import { demo, dump, EXIT, layers, reportPage } from './common.mjs';

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

test('1: a limit is broken, a finding is at --fail-on, not judged with --strict', () => {
  ends(EXIT.BROKEN, [['check', demo, tight], ['diff', dump, packed, tight], ['diff', packed, dump, growth], ['doctor', path.dirname(dump), '--fail-on=error'], ['doctor', demo, '--fail-on=info'], ['check', demo, growth, '--strict']]);
});

test('2: usage, and mistakes in a file of ours', () => {
  ends(EXIT.USAGE, [['check', demo], ['check'], ['--nothing'], ['diff', demo], ['doctor', demo, '--fail-on=never'], ['doctor', demo, '--hbm=much'], ['check', demo, `--budget=${file('wrong', '[*]\npeak <= 1\n')}`],
    ['report', demo], ['report', demo, '-o', '-', page, '--diff='], ['memory', demo, '--json', '--csv']]);
});

test('3: the input is not there, cannot be read, or holds no program', () => {
  const noise = file('noise.xplane.pb', 'this is no profile, whatever its name says');
  ends(EXIT.INPUT, [['check', path.join(folder, 'nowhere'), wide], ['check', demo, `--budget=${path.join(folder, 'nofile')}`], ['doctor', noise], ['diff', demo, noise], ['diff', noise, demo],
    ['memory', temporary('empty')], ['report', demo, `--diff=${noise}`, '-o', '-', page]]);
});

test('4: not judged, a number is missing', () => {
  ends(EXIT.UNJUDGED, [['check', demo, growth], ['check', demo, `--budget=${file('else', '[jit_else]\npeak_bytes <= 1G\n')}`]]);
});

test('5: an answer that cannot be written', { skip: !fs.existsSync('/dev/full') }, () => {
  for (const args of [['check', demo, wide], ['diff', dump, packed], ['doctor', dump], ['memory', demo], ['buffers', demo, '--csv']]) {
    const full = fs.openSync('/dev/full', 'w');
    const done = spawnSync(binary, args, { stdio: ['ignore', full, 'pipe'], encoding: 'utf8' });
    fs.closeSync(full);
    assert.equal(done.status, EXIT.INTERNAL, `${args.join(' ')}: ${done.stderr}`);
    assert.match(done.stderr, /cannot be written|could not be written/, args.join(' '));
  }
});

// A program that is built with a sanitizer needs more room than any limit leaves before it does anything.
const limited = (kib, args) => spawnSync('bash', ['-c', `ulimit -v ${kib} && exec "$0" "$@"`, binary, ...args], { encoding: 'utf8' });
const ROOMS = Array.from({ length: 12 }, (_, i) => (4 + 4 * i) << 10); // 4 to 48 MiB
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
