import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boxAt, layoutBar, LEAST_PIXELS, paddingOf } from '../../src/memory/bar_runs';
import { blockNames, byShape, dtypeOf, ordered, shortName, shortShape, tailOf, type LiveRow } from '../../src/memory/live_rows';
import type { Live } from '../../src/api/types';

const item = (bytes: number, colour = 'a') => ({ bytes, colour });
const sum = (list: { bytes: number }[]) => list.reduce((total, one) => total + one.bytes, 0);

test('wide items stand alone, narrow neighbours become one run', () => {
  const items = [item(500), ...Array.from({ length: 78 }, () => item(5)), item(110)];
  const boxes = layoutBar(items, 1000, 1000);
  assert.deepEqual(
    boxes.map((box) => [box.from, box.to, box.bytes]),
    [[0, 1, 500], [1, 79, 390], [79, 80, 110]],
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
  assert.deepEqual(boxes.map((box) => box.colour), ['grey', 'sand']);
  const few = layoutBar([item(2, 'grey'), item(2, 'sand'), item(140, 'grey')], 144, 144);
  assert.deepEqual(few.map((box) => box.colour), ['grey', 'grey']);
});

test('a block of joined buffers has the colour with most bytes and the name of its shapes', () => {
  const [mixed] = layoutBar([item(2, 'grey'), item(3, 'sand'), item(1, '')], 6, 12);
  assert.equal(mixed.colour, 'sand');
  const row = (shape: string, size: number) => ({ shape, size }) as LiveRow;
  const rows = [...Array.from({ length: 1440 }, () => row('f32[2048,512]{1,0:T(8,128)}', 4)), row('f32[8]', 1)];
  const groups = byShape(rows, (one) => one.size);
  assert.deepEqual(groups, [{ shape: 'f32[2048,512]', count: 1440, bytes: 5760 }, { shape: 'f32[8]', count: 1, bytes: 1 }]);
  assert.equal(blockNames(groups.slice(0, 1), 0, String)[0], '1440 x f32[2048,512]');
  assert.deepEqual(blockNames(groups, 3, String), ['1440 x f32[2048,512], 4 others', '1440 x f32[2048,512]', '1444 buffers', '1444']);
  assert.deepEqual(blockNames([], 7, String), ['7 small', '7']);
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
  assert.deepEqual(ordered(rows, 'program').map((r) => r.name), ['a', 'b', 'c']);
  assert.deepEqual(ordered(rows, 'size').map((r) => r.name), ['b', 'a', 'c']);
  assert.deepEqual(ordered(rows, 'padding').map((r) => r.name), ['c', 'b']);
});

test('folded and left-out buffers are the tail of a bar', () => {
  const live = { small: { count: 44, bytes: 900, unpadded_bytes: 400 }, rest: { count: 2, bytes: 50 } } as Live;
  assert.deepEqual(tailOf(live, 'size'), { count: 46, bytes: 950 });
  assert.deepEqual(tailOf(live, 'padding'), { count: 44, bytes: 500 });
});

test('short forms of names and shapes', () => {
  assert.equal(shortName('fusion.757{1}'), 'fusion.757');
  assert.equal(shortName('sort.6{1,0}'), 'sort.6');
  assert.equal(shortShape('bf16[8,128]{1,0:T(8,128)(2,1)}'), 'bf16[8,128]');
  assert.equal(shortShape('(f32[2]{0}, s32[])'), '(f32[2], s32[])');
  assert.equal(dtypeOf('f8e4m3fn[16]'), 'f8e4m3fn');
  assert.equal(dtypeOf('(f32[2])'), '');
});
