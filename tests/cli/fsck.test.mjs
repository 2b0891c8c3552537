// xprofd fsck: what is whole, what is damaged, and where.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';

import { run, temporary } from '../support/program.mjs';
import { demo, demoFile, dump, EXIT, fails, train } from './common.mjs';

const answerOf = (args, code) => {
  const done = run(['fsck', ...args, '--json']);
  assert.equal(done.code, code, done.errors);
  const answer = JSON.parse(done.text);
  assert.deepEqual([answer.schema, answer.command, answer.exit.code], [1, 'fsck', code]);
  return answer.fsck;
};

test('whole profiles: nothing is missing, everything is counted', () => {
  const { files, programs, traces, errors } = answerOf([train], EXIT.OK);
  assert.equal(errors, 0);
  assert.equal(files.length, 1);
  assert.ok(files[0].complete && files[0].events > 0 && files[0].read_until_bytes === files[0].size_bytes);
  assert.ok(programs.length > 0 && programs.every((program) => program.instructions > 0));
  assert.equal(traces.length, 1);
  assert.match(run(['fsck', train]).text, /\n0 errors, \d+ doubtful, \d+ notes\n$/);
  assert.equal(answerOf([demo], EXIT.OK).programs[0].memory_spaces > 0, true);
  assert.equal(answerOf([dump], EXIT.OK).errors, 0);
});

test('a cut file: exit 1, the byte and what is left', () => {
  const whole = fs.readFileSync(demoFile);
  for (const share of [0.3, 0.9]) {
    const at = path.join(temporary('fsck'), `cut${share}.xplane.pb`);
    fs.writeFileSync(at, whole.subarray(0, Math.floor(whole.length * share)));
    const { files, errors } = answerOf([at], EXIT.BROKEN);
    assert.ok(errors > 0);
    assert.equal(files[0].complete, false);
    assert.ok(files[0].read_until_bytes <= files[0].size_bytes);
    const text = run(['fsck', at]).text;
    assert.match(text, /NOT COMPLETE/);
    assert.match(text, /^ {2}error +\w+ .*\(byte \d+\)/m);
  }
});

test('bytes that are no profile, a file that is not there, other forms', () => {
  const at = path.join(temporary('fsck'), 'noise.xplane.pb');
  fs.writeFileSync(at, Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 7919) % 251)));
  const done = run(['fsck', at]);
  assert.ok([EXIT.BROKEN, EXIT.INPUT].includes(done.code), String(done.code));
  assert.ok((done.text + done.errors).length > 20);
  fails(['fsck', '/no/such/profile'], EXIT.INPUT, /no\/such/);
  fails(['fsck', train, '--csv'], EXIT.USAGE, /takes no --csv; it has no such form/);
});
