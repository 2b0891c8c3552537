import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byteTicks, stepTicks } from '../../src/canvas/axis';
import { hitBox, makeRaster, markBox } from '../../src/canvas/boxes';
import { fitText } from '../../src/canvas/text';
import { clampWindow, isAll, placeToX, type Scale, stepToX, xToStep } from '../../src/canvas/view';
import { rasterOf, rectOf } from '../../src/memory/draw_map';
import { centredAt, gripAt, resizedBy } from '../../src/memory/minimap';
import { tickText } from '../../src/memory/ticks';
import { pageUnit } from '../../src/util/format';

const MIB = 2 ** 20;

test('axis of bytes: powers of two from 0, no more than were asked for', () => {
  assert.deepEqual(byteTicks(4 * MIB, 4), [0, MIB, 2 * MIB, 3 * MIB, 4 * MIB]);
  assert.deepEqual(byteTicks(5 * MIB, 4), [0, 2 * MIB, 4 * MIB]);
  assert.deepEqual(byteTicks(0, 4), [0]);
  assert.deepEqual(byteTicks(Number.NaN, 4), [0]);
  for (const top of [1, 7, 1000, 31.24 * 2 ** 30, 2 ** 50]) for (const want of [2, 3, 9]) assert.ok(byteTicks(top, want).length <= want + 1, `${top} ${want}`);
});

test('axis of steps: 1, 2 or 5 times a power of ten, whole steps at least, inside the window', () => {
  assert.deepEqual(stepTicks(0, 100, 10), [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
  assert.deepEqual(stepTicks(13, 58, 5), [20, 30, 40, 50]);
  assert.deepEqual(stepTicks(0, 44, 10), [0, 5, 10, 15, 20, 25, 30, 35, 40]);
  // Nothing lies between two steps.
  assert.deepEqual(stepTicks(2.5, 5, 40), [3, 4, 5]);
  assert.deepEqual(stepTicks(5, 5, 3), []);
});

test('numbers on an axis of bytes have no empty decimals', () => {
  pageUnit.value = 'MiB';
  assert.deepEqual([0, 4096 * MIB, 1.5 * MIB].map(tickText), ['0', '4,096', '1.5']);
});

test('a hit is the last box drawn at the pixel, else the nearest beside it', () => {
  const r = makeRaster(20.2, 10);
  assert.deepEqual([r.width, r.height], [21, 10]);
  markBox(r, 0, 2, 2, 10, 8);
  markBox(r, 1, 4, 4, 6, 6);
  assert.equal(hitBox(r, 3, 3), 0);
  assert.equal(hitBox(r, 4.9, 5.9), 1);
  assert.equal(hitBox(r, 12, 5), -1, 'three pixels away');
  assert.equal(hitBox(r, 11, 5), 0, 'two pixels away');
  assert.equal(hitBox(r, 11, 5, 1), -1, 'with less slack');
  assert.equal(hitBox(r, -50, 5), -1);
});

test('a box of no width has a pixel; one beyond the edge has none elsewhere', () => {
  const r = makeRaster(10, 10);
  markBox(r, 4, 5.2, 5.2, 5.2, 5.2);
  assert.equal(hitBox(r, 5, 5, 0), 4);
  assert.equal(r.ids.filter(Boolean).length, 1);
  markBox(r, 5, -20, 0, -10, 3);
  assert.equal(hitBox(r, 0, 1, 0), 5, 'left of the edge: at the edge');
  assert.equal(hitBox(r, 9, 1, 0), -1);
});

test('of several texts the first that has room, else the last cut', () => {
  const g = { font: '11px x', measureText: (text: string) => ({ width: text.length * 10 }) } as unknown as CanvasRenderingContext2D;
  assert.equal(fitText(g, ['name shape', 'name'], 100), 'name shape');
  assert.equal(fitText(g, ['name shape', 'name'], 99), 'name');
  assert.equal(fitText(g, ['long_name_of_it'], 80), 'long_na…');
  assert.equal(fitText(g, ['long_name_of_it'], 30), '', 'less than three letters say nothing');
  assert.equal(fitText(g, [], 30), '');
});

test('a window stays in the program and holds two steps', () => {
  assert.deepEqual(clampWindow({ from: -5, to: 5 }, 100), { from: 0, to: 10 });
  assert.deepEqual(clampWindow({ from: 95, to: 120 }, 100), { from: 75, to: 100 });
  assert.deepEqual(clampWindow({ from: 50, to: 50 }, 100), { from: 50, to: 52 });
  assert.deepEqual(clampWindow({ from: 0, to: 9 }, 1), { from: 0, to: 1 });
  assert.ok(isAll({ from: 0, to: 100 }, 100) && !isAll({ from: 1, to: 100 }, 100));
});

test('places on a scale: a step has its left edge, a pixel its step, never one outside', () => {
  const s: Scale = { left: 66, width: 100, window: { from: 10, to: 20 } };
  assert.deepEqual(
    [10, 15, 20].map((step) => stepToX(s, step)),
    [66, 116, 166],
  );
  assert.equal(placeToX(s, 15), 116);
  assert.deepEqual(
    [0, 66, 75.9, 76, 165.9, 999].map((x) => xToStep(s, x)),
    [10, 10, 10, 11, 19, 19],
  );
});

/** 1,000 steps on 500 pixels from 100 on: two steps a pixel. */
const WHOLE: Scale = { left: 100, width: 500, window: { from: 0, to: 1000 } };

test('minimap: a press takes an end of the window, the window, or nothing', () => {
  const w = { from: 200, to: 600 };
  assert.deepEqual(
    [200, 206, 207, 300, 393, 394, 406, 407, 150].map((x) => gripAt(x, WHOLE, w, 1000)),
    ['left', 'left', 'body', 'body', 'body', 'right', 'right', null, null],
  );
  assert.deepEqual(
    [100, 300, 600].map((x) => gripAt(x, WHOLE, { from: 0, to: 1000 }, 1000)),
    ['left', null, 'right'],
    'all is not moved',
  );
});

test('minimap: a press beside the window brings its middle there; where all is shown, a quarter of it', () => {
  const centred = (x: number, w: { from: number; to: number }) => Object.values(centredAt(x, WHOLE, w, 1000)).map(Math.round);
  assert.deepEqual(centred(500, { from: 200, to: 600 }), [600, 1000]);
  assert.deepEqual(centred(350, { from: 0, to: 1000 }), [375, 625]);
});

test('minimap: an end goes with the pointer, and two steps remain', () => {
  const w = { from: 200, to: 600 };
  assert.deepEqual(resizedBy(50, 'left', WHOLE, w), { from: 300, to: 600 });
  assert.deepEqual(resizedBy(-50, 'right', WHOLE, w), { from: 200, to: 500 });
  assert.deepEqual(resizedBy(400, 'left', WHOLE, w), { from: 598, to: 600 });
  assert.deepEqual(resizedBy(-400, 'right', WHOLE, w), { from: 200, to: 202 });
});

/** Two boxes of 10 steps over each other in 100 bytes, and one joined from several. */
const map = {
  n: 2,
  heap_bytes: 100,
  buffer: [7, 8],
  start_step: [0, 4],
  end_step: [10, 6],
  offset_bytes: [0, 0],
  size_bytes: [50, 50],
  merged: { n: 1, start_step: [0], end_step: [10], offset_bytes: [90], size_bytes: [10] },
};
const input = { map, scale: { left: 0, width: 100, window: { from: 0, to: 10 } }, top: 0, bottom: 100, least: 1 } as unknown as Parameters<typeof rectOf>[0];

test('address map: a box is at its steps and bytes, the bottom is offset 0', () => {
  assert.deepEqual(rectOf(input, 0), { x: 0, y: 50, w: 100, h: 50 });
  assert.deepEqual(rectOf(input, 1), { x: 40, y: 50, w: 20, h: 50 });
});

test('address map: a small box over a large one is hit, joined boxes come after all others', () => {
  const raster = rasterOf(100, 100, input);
  assert.equal(hitBox(raster, 10, 75), 0);
  assert.equal(hitBox(raster, 50, 75), 1);
  assert.equal(hitBox(raster, 50, 5), 2);
  assert.equal(hitBox(raster, 50, 30), -1);
});
