// Input: what a stage is, in words.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { titleOf, whatItIs } from '../../src/input/classes';

test('a stage says what it is, a call inside a stage its share', () => {
  const a = { class: ['preprocess', 'preprocess', 'wait', 'wait'], parent: [null, 0, null, 2], total_ps: [200, 104, 0, 0] } as unknown as Parameters<
    typeof whatItIs
  >[0];
  assert.deepEqual(
    [0, 1, 2, 3].map((row) => whatItIs(a, row)),
    ['other Python, numpy, map functions', '52 % of it', 'idle until a batch arrives', ''],
  );
  assert.equal(titleOf('full'), 'queue full');
});
