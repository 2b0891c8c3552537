import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parts } from '../../src/compare/draw';
import { changedPart, groupPlace, largestChange, signOf } from '../../src/compare/words';
import type { Comparison } from '../../src/memory/compare_types';

const marked = (text: string, other: string) => text.slice(...changedPart(text, other));

test('compare: what is different in two texts, in whole words', () => {
  assert.equal(marked('f32[8,128]{1,0}', 'f32[8,256]{1,0}'), '128');
  assert.equal(marked('f32[8,256]{1,0}', 'f32[8,128]{1,0}'), '256');
  assert.equal(marked('add.12 of x', 'add.17 of x'), 'add.12');
  assert.equal(marked('same', 'same'), '');
  assert.equal(marked('a, b', 'a, b, c'), '');
  assert.equal(marked('a, b, c', 'a, b'), ', c');
  assert.equal(marked('aaa', ''), 'aaa');
});

test('compare: growth is bad, shrinkage good, unless it says nothing', () => {
  assert.deepEqual(
    [1, -1, 0].map((by) => signOf(by)),
    ['bad', 'good', 'soft'],
  );
  assert.equal(signOf(1, true), 'soft');
});

function group(
  before: number,
  after: number,
  state: string,
  by: number,
  more: { shape?: number[]; class?: (string | null)[]; before?: number[] } = {},
): Comparison {
  const n = more.shape?.length ?? 1;
  const rest = Array.from({ length: n - 1 }, () => 0);
  return {
    names: ['', 'f32[8]', 'fusion', 'layer_0/mlp', 'w'],
    groups: {
      before_count: more.before ?? [before, ...rest],
      after_count: [after, ...rest],
      difference_bytes: [by, ...rest],
      shape: more.shape ?? [1],
      class: more.class ?? ['temporary'],
      state: [state, ...rest],
      name: [4],
      scope: [3],
      opcode: [2],
    },
  } as unknown as Comparison;
}
const sentence = (a: Comparison) => `${largestChange(a).what} ${largestChange(a).verb}`;

test('compare: how the largest group changed', () => {
  assert.equal(sentence(group(6, 1, 'changed', -9)), '5 of 6 are no longer at the peak');
  assert.equal(sentence(group(5, 0, 'left_the_peak', -9)), 'All 5 are no longer at the peak');
  assert.equal(sentence(group(1, 0, 'only_before', -9)), 'The one is gone');
  assert.equal(sentence(group(4, 0, 'only_before', -9)), 'All 4 are gone');
  assert.equal(sentence(group(3, 6, 'changed', 9)), '3 more are new at the peak');
  assert.equal(sentence(group(0, 1, 'only_after', 9)), 'One is new');
  assert.equal(sentence(group(0, 2, 'only_after', 9)), '2 are new');
  assert.equal(sentence(group(2, 2, 'changed', 9)), '2 became larger');
  assert.equal(sentence(group(2, 2, 'changed', -9)), '2 became smaller');
  assert.equal(sentence(group(0, 1, 'only_after', 9, { class: [null] })), 'Overlapping bytes differ');
});

test('compare: a new group beside one of its shape is a larger number of the same', () => {
  const a = group(0, 2, 'only_after', 9, { shape: [1, 1], class: ['temporary', 'temporary'], before: [0, 3] });
  assert.equal(sentence(a), '2 more are at the peak');
});

test('compare: where a group is from; an argument without a scope by its name', () => {
  assert.equal(groupPlace(group(1, 1, 'same', 0), 0), 'fusion, layer_0/mlp');
  const a = group(1, 1, 'same', 0, { class: ['parameter'] });
  a.groups.scope = [0];
  assert.equal(groupPlace(a, 0), 'fusion, w');
});

test('compare: the parts of the chart do not overlap, however low it is', () => {
  for (const height of [120, 200, 460, 900]) {
    const { curves, strip, diff, steps } = parts(height);
    assert.ok(curves.top < curves.bottom && curves.bottom < strip.top && strip.bottom < diff.top && diff.bottom < steps, String(height));
  }
});
