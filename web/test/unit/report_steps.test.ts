// The steps box of the report: what is read, what is refused with which words, what a click makes of it.
import assert from 'node:assert/strict';
import test from 'node:test';
import { clickStep, readSteps } from '../../src/report/steps';

test('numbers and ranges, with or without spaces', () => {
  assert.deepEqual(readSteps('94, 167', 272), { parts: ['94', '167'] });
  assert.deepEqual(readSteps(' 1,2 , 3 - 7 ', 8), { parts: ['1', '2', '3-7'] });
  assert.deepEqual(readSteps('5-5', 8), { parts: ['5'] });
  assert.deepEqual(readSteps('', 8), { parts: [] });
});

test('what is wrong is said', () => {
  const wrong: [string, RegExp][] = [
    ['x', /"x" is not a step/],
    ['1,', /"" is not a step/],
    ['1 2', /"1 2" is not a step/],
    ['-3', /"-3" is not a step/],
    ['5-2', /ends before it begins/],
    ['8', /there is no step 8; the last is 7/],
    ['0-99', /there is no step 99/],
    ['0,1,2,3,4,5,6,7,0', /at most 8/],
  ];
  for (const [text, says] of wrong) {
    const read = readSteps(text, 8);
    assert.ok('wrong' in read && says.test(read.wrong), `${text}: ${JSON.stringify(read)}`);
  }
});

test('a click sets A; with Ctrl one more, or one less; never none, never more than eight', () => {
  assert.deepEqual(clickStep([], 3, false), ['3']);
  assert.deepEqual(clickStep(['1', '2'], 3, false), ['3', '2']);
  assert.deepEqual(clickStep(['1', '2'], 2, false), ['2']);
  assert.deepEqual(clickStep(['1'], 2, true), ['1', '2']);
  assert.deepEqual(clickStep(['1', '2'], 2, true), ['1']);
  assert.deepEqual(clickStep(['2'], 2, true), ['2']);
  assert.equal(clickStep(['0', '1', '2', '3', '4', '5', '6', '7'], 9, true).length, 8);
});
