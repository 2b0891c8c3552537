/** What of the graph is in the address: open rows of the tree, sizes of columns. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sizesOf, sizesText } from '../../src/graph/sizes';
import { openOf, openText } from '../../src/graph/tree_state';

test('open rows: nothing when it is as usual, "-" for none, signs of their own inside of keys', () => {
  assert.equal(openText(new Set(['c1']), ['c1']), '');
  assert.equal(openText(new Set(), ['c1']), '-');
  assert.equal(openText(new Set(), []), '');
  const keys = ['c1/jvp(a;b)', 'c1/50%3B', 'g2', '-x'];
  const text = openText(new Set(keys), ['c1']);
  assert.equal(text, 'c1/jvp(a%3Bb);c1/50%253B;g2;-x');
  assert.deepEqual([...openOf(text, ['c1'])], keys);
  assert.deepEqual([...openOf(undefined, ['c1'])], ['c1']);
  assert.deepEqual([...openOf('-', ['c1'])], []);
  assert.equal(openOf(Array.from({ length: 5000 }, (_, k) => `g${k}`).join(';'), []).size, 200, 'a link asks for 200 levels at most');
});

test('sizes: left, right, text; what is none is as usual', () => {
  assert.deepEqual(sizesOf('260,,193'), { left: 260, text: 193 });
  assert.deepEqual(sizesOf('x,-5,1e3'), { text: 1000 });
  assert.deepEqual(sizesOf(''), {});
  assert.equal(sizesText({ left: 260, text: 193 }), '260,,193');
  assert.equal(sizesText({}), ',,');
});
