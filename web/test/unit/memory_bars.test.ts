import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrange, boxAt, layoutBar, LEAST_PIXELS, paddingOf } from '../../src/memory/bar_runs';
import { covering } from '../../src/memory/blocks';
import {
  type Block,
  blockNames,
  blocksOf,
  byBlock,
  dtypeOf,
  isCrowded,
  ordered,
  shortName,
  shortShape,
  tailOf,
  type LiveRow,
} from '../../src/memory/live_rows';
import type { Live } from '../../src/api/types';

const item = (bytes: number, colour = 'a') => ({ bytes, colour });
const sum = (list: { bytes: number }[]) => list.reduce((total, one) => total + one.bytes, 0);

test('wide items stand alone, narrow neighbours become one run', () => {
  const items = [item(500), ...Array.from({ length: 78 }, () => item(5)), item(110)];
  const boxes = layoutBar(items, 1000, 1000);
  assert.deepEqual(
    boxes.map((box) => [box.from, box.to, box.bytes]),
    [
      [0, 1, 500],
      [1, 79, 390],
      [79, 80, 110],
    ],
  );
});

test('nothing is cut: every item is in exactly one box, widths add up', () => {
  const items = Array.from({ length: 300 }, (_, k) => item(((k * 7919) % 97) ** 2 + 1, 'abc'[k % 3]));
  const total = sum(items);
  const boxes = layoutBar(items, total, 868);
  assert.equal(sum(boxes), total);
  assert.equal(boxes[0].from, 0);
  assert.equal(boxes[boxes.length - 1].to, 300);
  for (let k = 1; k < boxes.length; k++) {
    assert.equal(boxes[k].from, boxes[k - 1].to);
    assert.ok(Math.abs(boxes[k].x - boxes[k - 1].x - boxes[k - 1].width) < 1e-6);
  }
  assert.ok(Math.abs(boxes.reduce((w, box) => w + box.width, 0) - 868) < 1e-6);
});

test('runs of one colour that are wide enough stay apart, the others mix', () => {
  const grey = Array.from({ length: 36 }, () => item(2, 'grey'));
  const sand = Array.from({ length: 36 }, () => item(2, 'sand'));
  const boxes = layoutBar([...grey, ...sand], 144, 144);
  assert.deepEqual(
    boxes.map((box) => box.colour),
    ['grey', 'sand'],
  );
  const few = layoutBar([item(2, 'grey'), item(2, 'sand'), item(140, 'grey')], 144, 144);
  assert.deepEqual(
    few.map((box) => box.colour),
    ['grey', 'grey'],
  );
});

test('a block of joined buffers has the colour with most bytes and the name of what it joins', () => {
  const [mixed] = layoutBar([item(2, 'grey'), item(3, 'sand'), item(1, '')], 6, 12);
  assert.equal(mixed.colour, 'sand');
  const blocks = [
    { shape: 'f32[2048,512]', scope: 'layer_*/mlp' },
    { shape: 'f32[8]', scope: '' },
  ] as Block[];
  const members = [
    ...Array.from({ length: 1440 }, () => ({ block: 0, count: 1, bytes: 4 })),
    { block: 1, count: 1, bytes: 1 },
    { block: null, count: 3, bytes: 2 },
  ];
  const groups = byBlock(members, blocks);
  assert.deepEqual(
    groups.map((group) => [group.shape, group.count, group.bytes]),
    [
      ['f32[2048,512]', 1440, 5760],
      ['', 3, 2],
      ['f32[8]', 1, 1],
    ],
  );
  assert.deepEqual(blockNames(groups.slice(0, 1), String), ['1440 × f32[2048,512] layer_*/mlp', '1440 × f32[2048,512]', '1440 buffers', '1440']);
  assert.equal(blockNames(groups, String)[0], '1440 × f32[2048,512] layer_*/mlp, 4 others');
  assert.equal(blockNames(groups.slice(2), String)[0], 'f32[8]');
});

test('within a stretch of narrow items blocks stand together, the largest first; wide ones stay where they are', () => {
  const items = [0, 1, 0, 1, 1].map((block) => ({ ...item(1), block }));
  items.splice(2, 0, { ...item(100), block: 0 });
  const order = arrange(items, 105, 105);
  assert.deepEqual(order, [0, 1, 2, 4, 5, 3]);
  const many = Array.from({ length: 600 }, (_, k) => ({ ...item(1, 'abc'[k % 3]), block: k % 2 }));
  const boxes = layoutBar(
    arrange(many, 600, 600).map((k) => many[k]),
    600,
    600,
  );
  assert.deepEqual(
    boxes.map((box) => [box.from, box.to]),
    [
      [0, 300],
      [300, 600],
    ],
  );
});

test('an item exactly as wide as the limit is drawn by itself', () => {
  assert.equal(layoutBar([item(LEAST_PIXELS), item(LEAST_PIXELS)], 14, 14).length, 2);
});

test('no bytes, no boxes', () => {
  assert.deepEqual(layoutBar([], 0, 100), []);
  assert.deepEqual(layoutBar([item(0)], 0, 100), []);
});

test('the box under a pixel', () => {
  const boxes = layoutBar([item(50), item(30), item(20)], 100, 1000);
  assert.equal(boxAt(boxes, 0), 0);
  assert.equal(boxAt(boxes, 499.9), 0);
  assert.equal(boxAt(boxes, 500), 1);
  assert.equal(boxAt(boxes, 999), 2);
  assert.equal(boxAt(boxes, 1400), -1);
  assert.equal(boxAt([], 5), -1);
});

test('padding is never negative: int4 is smaller than its plain size', () => {
  assert.equal(paddingOf(100, 60), 40);
  assert.equal(paddingOf(64, 100), 0);
  assert.equal(paddingOf(64, null), 0);
});

const row = (name: string, size: number, padding: number) => ({ name, size, padding }) as LiveRow;

test('orders: equal sizes stay in program order, unpadded buffers leave the padding bar', () => {
  const rows = [row('a', 5, 0), row('b', 9, 2), row('c', 5, 7)];
  assert.deepEqual(
    ordered(rows, 'program').map((r) => r.name),
    ['a', 'b', 'c'],
  );
  assert.deepEqual(
    ordered(rows, 'size').map((r) => r.name),
    ['b', 'a', 'c'],
  );
  assert.deepEqual(
    ordered(rows, 'padding').map((r) => r.name),
    ['c', 'b'],
  );
});

const held = {
  n: 2,
  live_bytes: 1000,
  size_bytes: [40, 10],
  names: ['', 'f32[8]', 's8[4]', 'layer_*/mlp', 'temporary', 'elem'],
  small: { count: 46, size_bytes: 930, unpadded_bytes: 500 },
  rest: { count: 1, size_bytes: 20 },
  blocks: {
    n: 2,
    shape: [1, 2],
    scope: [3, 0],
    class: [4, 4],
    group: [5, 5],
    largest_bytes: [40, 10],
    count: [40, 5],
    size_bytes: [840, 60],
    unlisted_count: [39, 4],
    unlisted_bytes: [800, 50],
    unlisted_unpadded_bytes: [400, 50],
    left_out: { blocks: 3, count: 4, size_bytes: 100, unlisted_count: 4, unlisted_bytes: 100, unlisted_unpadded_bytes: 90 },
  },
} as unknown as Live;

test('folded and left-out buffers are the tail of a bar, by block', () => {
  assert.deepEqual(tailOf(held, 'size'), [
    { block: 0, count: 39, bytes: 800 },
    { block: 1, count: 4, bytes: 50 },
    { block: null, count: 4, bytes: 100 },
  ]);
  assert.deepEqual(tailOf(held, 'padding'), [
    { block: 0, count: 39, bytes: 400 },
    { block: null, count: 4, bytes: 10 },
  ]);
});

test('blocks that cover most of what is held, and the rest in one', () => {
  const blocks = blocksOf(held);
  assert.deepEqual(blocks[0], { shape: 'f32[8]', scope: 'layer_*/mlp', class: 'temporary', group: 'elem', largest: 40, count: 40, bytes: 840 });
  const { named, left } = covering(held, blocks, 8);
  assert.deepEqual(
    named.map((block) => block.bytes),
    [840, 60],
  );
  assert.deepEqual(left, { blocks: 3, bytes: 100 });
  assert.deepEqual(covering(held, blocks, 1).left, { blocks: 4, bytes: 160 });
  assert.ok(isCrowded(held));
  assert.ok(!isCrowded({ ...held, n: 1, size_bytes: [700] }));
});

test('short forms of names and shapes', () => {
  assert.equal(shortName('fusion.757{1}'), 'fusion.757');
  assert.equal(shortName('sort.6{1,0}'), 'sort.6');
  assert.equal(shortShape('bf16[8,128]{1,0:T(8,128)(2,1)}'), 'bf16[8,128]');
  assert.equal(shortShape('(f32[2]{0}, s32[])'), '(f32[2], s32[])');
  assert.equal(dtypeOf('f8e4m3fn[16]'), 'f8e4m3fn');
  assert.equal(dtypeOf('(f32[2])'), '');
});
