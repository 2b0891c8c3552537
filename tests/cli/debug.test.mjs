// xprofd debug dump: one line for each thing, as many as fsck counts, the same every time.
import assert from 'node:assert/strict';
import test from 'node:test';

import { run } from '../support/program.mjs';
import { demo, EXIT, fails, train } from './common.mjs';

const count = (text, word) => text.split('\n').filter((line) => line.startsWith(`${word} `)).length;

test('each plane, line, event, instruction and lifetime is a line', () => {
  for (const profile of [train, demo]) {
    const done = run(['debug', 'dump', profile]);
    assert.equal(done.code, EXIT.OK, done.errors);
    const { files, programs, traces } = JSON.parse(run(['fsck', profile, '--json']).text).fsck;
    assert.equal(count(done.text, 'plane'), files.reduce((sum, file) => sum + file.planes, 0));
    assert.equal(count(done.text, 'line'), files.reduce((sum, file) => sum + file.lines, 0));
    assert.equal(count(done.text, 'instruction'), programs.reduce((sum, program) => sum + program.instructions, 0));
    assert.equal(count(done.text, 'event') > 0, traces.length > 0);
    assert.ok(count(done.text, 'lifetime') > 0 && count(done.text, 'buffer') > 0);
    assert.equal(run(['debug', 'dump', profile]).text, done.text, 'the same every time');
  }
});

test('the peak that the dump adds up is that of memory', () => {
  const { text } = run(['debug', 'dump', demo]);
  const space = Object.fromEntries(text.match(/^space 0 (.*)$/m)[1].split(' ').map((pair) => pair.split('=')));
  const { spaces } = JSON.parse(run(['memory', demo, '--json', '--space=0', '--top=1']).text);
  assert.equal(Number(space.peak_bytes), spaces[0].summary.peak.held_bytes);
  assert.equal(count(text, 'step'), [...text.matchAll(/^space .* steps=(\d+)/gm)].reduce((sum, [, n]) => sum + Number(n), 0));
});

test('a profile that is not there', () => fails(['debug', 'dump', '/no/such/profile'], EXIT.INPUT, /no\/such/));
