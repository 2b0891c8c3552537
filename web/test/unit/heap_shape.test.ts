import assert from 'node:assert/strict';
import { test } from 'node:test';
import { grownShare, shapeOf } from '../../src/heap/shape';
import type { Tree } from '../../src/heap/state';

/** all(100) > a(70) > a1(30), b(30); base: a(20). */
function nodes(): Tree['nodes'] {
  return {
    n: 4,
    key: ['1', '2', '3', '4'],
    parent: [null, 0, 0, 1],
    value: [100, 30, 70, 10],
    count: [9, 3, 6, 1],
    grown: [50, 0, 50, 0],
    base_value: [50, 30, 20, 10],
    base_count: [9, 3, 2, 1],
  } as unknown as Tree['nodes'];
}

test('heap: the largest child first, depth first', () => {
  const h = shapeOf(nodes(), 'value', undefined);
  assert.deepEqual(h.at, [0, 2, 1, 3]);
  assert.deepEqual(h.parent, [-1, 0, 0, 2]);
  assert.deepEqual(h.depth, [0, 1, 1, 2]);
  assert.deepEqual(h.size, [100, 70, 30, 10]);
});

test('heap: by growth only what grew has a box; a zoom is its own root', () => {
  assert.deepEqual(shapeOf(nodes(), 'grown', undefined).at, [0, 2]);
  const zoomed = shapeOf(nodes(), 'value', '2');
  assert.deepEqual([zoomed.at, zoomed.depth], [[1, 3], [0, 1]]);
});

test('heap: values below 0 never make a box wider than its parent', () => {
  const c = nodes();
  c.value = [40, -30, 70, 10];
  const h = shapeOf(c, 'value', undefined);
  assert.deepEqual([h.at, h.size], [[0, 2], [40, 40]]);
});

test('heap: the share that grew', () => {
  const c = nodes();
  assert.equal(grownShare(c, 0, 'value'), 0.5);
  assert.equal(grownShare(c, 1, 'value'), 0);
  assert.equal(grownShare(c, 2, 'count'), 4 / 6);
  assert.equal(grownShare(c, 2, 'grown'), 0);
});
