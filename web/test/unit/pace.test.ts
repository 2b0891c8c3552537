import assert from 'node:assert/strict';
import test from 'node:test';
import { leftWords, paceOf } from '../../src/app/pace';
import { pathEnd } from '../../src/start/path_cut';

const at = (done: number, what = 'reading a') => ({ state: 'loading' as const, what, done_bytes: done, total_bytes: 1000, percent: null });

test('pace: bytes since first seen, nothing before a second, anew for another file', () => {
  assert.equal(paceOf(at(100), 0), null);
  assert.equal(paceOf(at(150), 900), null, 'less than a second');
  assert.deepEqual(paceOf(at(300), 2000), { perSecond: 100, secondsLeft: 7 });
  assert.equal(paceOf(at(10, 'reading b'), 3000), null, 'another file');
  assert.equal(paceOf(at(10, 'reading b'), 9000), null, 'nothing moves');
  assert.equal(leftWords(0.2), 'about 1 s left');
  assert.equal(leftWords(89.4), 'about 89 s left');
  assert.equal(leftWords(200), 'about 3 min left');
});

test('path: cut in front and between folders only', () => {
  const width = (text: string) => text.length;
  assert.equal(pathEnd('ci/train/8b02f7a', 16, width), 'ci/train/8b02f7a');
  assert.equal(pathEnd('ci/train/8b02f7a', 15, width), '…/train/8b02f7a');
  assert.equal(pathEnd('ci/train/8b02f7a', 14, width), '…/8b02f7a');
  assert.equal(pathEnd('ci/train/8b02f7a', 8, width), '');
  assert.equal(pathEnd('one', 2, width), '');
});
