import assert from 'node:assert/strict';
import { test } from 'node:test';
import { densityCells, densePlace, freePlace } from '../../src/roofline/dense';
import { plainText, tickText } from '../../src/roofline/draw';
import { placeLabels, placeNote, touches } from '../../src/roofline/labels';
import {
  formatRange,
  fromX,
  fromY,
  levelLine,
  logTicks,
  moved,
  type Plane,
  parseRange,
  ridgeOf,
  slopeLine,
  toX,
  toY,
  wholeRange,
  zoomed,
} from '../../src/roofline/plane';
import { colourOf, type Point } from '../../src/roofline/points';
import { formatLens, notePlace, offWords, ofPeakText, parseLens, peakText, pointAt, type Roof, roofAt, sceneOf, shareText } from '../../src/roofline/scene';

const PLANE: Plane = { x0: -1, x1: 3, y0: 9, y1: 15, left: 50, top: 20, width: 400, height: 300 };
const near = (a: number, b: number) => assert.ok(Math.abs(a - b) < 1e-6 * Math.max(1, Math.abs(b)), `${a} ${b}`);

test('places in the plane and back', () => {
  assert.equal(toX(PLANE, 10), 250);
  assert.equal(toY(PLANE, 1e12), 170);
  near(fromX(PLANE, toX(PLANE, 37)), 37);
  near(fromY(PLANE, toY(PLANE, 4.2e13)), 4.2e13);
});

test('colours: all operations of a layer have one', () => {
  const c = { scope: ['decoder/block_3/mlp/up', 'decoder/block_3/attn', 'decoder/block_4/attn', 'embed', ''], group: [], bound: [], module: [] } as never;
  const of = (k: number) => colourOf(c, k, 'layer');
  assert.deepEqual(
    [0, 1, 2, 3, 4].map((k) => of(k).label),
    ['decoder/block_3', 'decoder/block_3', 'decoder/block_4', 'outside of layers', 'outside of layers'],
  );
  assert.equal(of(0).variable, of(1).variable);
  assert.equal(of(3).variable, of(4).variable);
});

// tpu-v6e-offload: 918 TFLOP/s, HBM 1,637.993, VMEM 23,296 and 16,128 GB/s.
test('ridge points are those of XProf', () => {
  assert.equal(ridgeOf(918e12, 1637.993152512e9).toFixed(1), '560.4');
  assert.equal(ridgeOf(918e12, 23296e9).toFixed(1), '39.4');
  assert.equal(ridgeOf(918e12, 16128e9).toFixed(1), '56.9');
});

test('roofs are clipped at the edges and end where they meet', () => {
  const slope = slopeLine(PLANE, 1e12, 1e14);
  assert.ok(slope);
  assert.deepEqual([slope.x0, slope.y1], [50, toY(PLANE, 1e14)]);
  near(slope.x1, toX(PLANE, 100));
  near(slope.y0, toY(PLANE, 1e11));
  const low = slopeLine(PLANE, 1e9, null);
  assert.ok(low && low.y0 === 320 && low.x0 === toX(PLANE, 1));
  assert.equal(slopeLine(PLANE, 1e18, null), null, 'above the plane');
  assert.equal(slopeLine(PLANE, 1e12, 1e10), null, 'its level is left of the plane');
  const level = levelLine(PLANE, 1e14, 1e13);
  assert.ok(level && level.x0 === toX(PLANE, 10) && level.x1 === 450);
  assert.equal(levelLine(PLANE, 1e16, null), null);
});

test('marks of axes: powers, 2 and 5 between them, even ones in a narrow window', () => {
  assert.deepEqual(logTicks(-1, 3, 8), [0.1, 1, 10, 100, 1000]);
  assert.deepEqual(logTicks(0, 1, 6), [1, 2, 5, 10]);
  const narrow = logTicks(Math.log10(160e9), Math.log10(175e9), 4);
  assert.ok(narrow.length >= 2 && narrow.every((value) => value >= 159e9 && value <= 176e9));
  assert.ok(logTicks(-30, 30, 6).length <= 12);
  assert.deepEqual([100e12, 1e15, 500e9, 2e9, 165e9].map(tickText), ['100T', '1P', '500G', '2G', '165G']);
  assert.deepEqual([0.1, 10, 1000].map(plainText), ['0.1', '10', '1,000']);
});

test('windows: zoom keeps the place under the pointer, addresses are read with care', () => {
  const closer = zoomed(PLANE, 0.25, 0.5, 0.5);
  near(closer.x0 + (closer.x1 - closer.x0) * 0.25, 0);
  near(closer.x1 - closer.x0, 2);
  assert.deepEqual(moved(PLANE, 1, -1), { x0: 0, x1: 4, y0: 8, y1: 14 });
  assert.deepEqual(parseRange(formatRange(-1.5, 3)), [-1.5, 3]);
  for (const wrong of [undefined, '', '3', '3,1', '1,1', 'a,b', '-1e9,1e9', 'NaN,3']) assert.equal(parseRange(wrong), null);
});

test('the whole shows what takes the time, not every outlier', () => {
  const points = [
    { x: 1, y: 1e12, weight: 1000 },
    { x: 1e-9, y: 1, weight: 1 },
  ];
  const whole = wholeRange(points, [{ x: 100, y: 1e14 }]);
  assert.ok(whole.x0 < 0 && whole.x0 > -2 && whole.x1 > 2 && whole.y0 > 10 && whole.y1 > 14);
  assert.ok(wholeRange([], []).x1 > wholeRange([], []).x0);
});

test('names stand inside the frame and touch nothing', () => {
  const frame = { left: 0, top: 0, right: 300, bottom: 200 };
  const names = Array.from({ length: 30 }, (_, k) => ({ x: 20 + (k % 6) * 50, y: 20 + Math.floor(k / 6) * 36, r: 8, width: 60 }));
  const lens = { left: 200, top: 100, right: 300, bottom: 200 };
  const boxes = placeLabels(names, frame, [lens]);
  const shown = boxes.filter((box) => box !== null);
  assert.ok(shown.length > 5 && shown.length < 30);
  for (const [a, one] of shown.entries()) {
    assert.ok(one.left >= 0 && one.right <= 300 && one.top >= 0 && one.bottom <= 200);
    assert.equal(touches(one, lens), false);
    for (const other of shown.slice(a + 1)) assert.equal(touches(one, other), false);
  }
  assert.ok(placeLabels([{ x: 50, y: 50, r: 5, width: 40 }], frame)[0]);
});

test('a dense place is three of the largest on each other; density counts every point', () => {
  const dots = [
    { x: 10, y: 10, r: 10 },
    { x: 12, y: 12, r: 9 },
    { x: 200, y: 10, r: 9 },
    { x: 14, y: 9, r: 8 },
    { x: 205, y: 10, r: 5 },
  ];
  assert.deepEqual(densePlace(dots), [0, 1, 3]);
  assert.deepEqual(densePlace(dots.slice(0, 3)), []);
  const cells = densityCells(Array.from({ length: 1000 }, (_, k) => ({ x: k % 40, y: k % 7, r: 1 })));
  assert.equal(
    cells.reduce((sum, { count }) => sum + count, 0),
    1000,
  );
  const chart = { left: 0, top: 0, right: 400, bottom: 300 };
  const box = freePlace(chart, 150, 100, dots, { left: 0, top: 0, right: 30, bottom: 30 });
  assert.ok(box.left >= 0 && box.right <= 400 && box.bottom <= 300 && !dots.some(({ x, y }) => x > box.left && x < box.right && y > box.top && y < box.bottom));
});

const point = (k: number, x: number, y: number, weight: number): Point => ({
  k,
  name: `op.${k}`,
  module: 'm',
  x,
  y,
  weight,
  colour: '--o-elem',
  beyond: false,
});
const ROOFS: Roof[] = [
  { limit: 'flops', text: '', colour: '', unit: true, per_s: 1e14, used: true, main: true },
  { limit: 'bandwidth', text: '', colour: '', unit: false, per_s: 1e12, used: true, main: true },
];
const sceneAt = (points: Point[], lens?: string) =>
  sceneOf({ plane: PLANE, points, size: 'self', roofs: ROOFS, diamonds: [{ x: 1, y: 1e11, text: 'program' }], width: (text) => text.length * 7, lens });

test('a scene: each point is in the plane or on an edge; the small one on top is hit; a roof is found', () => {
  const points = [point(0, 10, 1e12, 100), point(1, 10, 1.05e12, 4), point(2, 1, 10, 1), point(3, Number.POSITIVE_INFINITY, 1e10, 1), point(4, 1, 1e17, 1)];
  const scene = sceneAt(points);
  assert.deepEqual(
    scene.dots.map((dot) => dot.point.k),
    [0, 1],
  );
  assert.deepEqual(
    scene.off.map(({ side }) => side),
    ['below', 'right', 'above'],
  );
  assert.deepEqual(
    offWords(scene, (side) => side),
    ['1 right of right', '1 above above', '1 below below'],
  );
  assert.equal(pointAt(scene, toX(PLANE, 10), toY(PLANE, 1.05e12))?.k, 1);
  assert.equal(pointAt(scene, toX(PLANE, 10) + 15, toY(PLANE, 1e12))?.k, 0);
  assert.equal(pointAt(scene, 60, 30), null);
  assert.equal(roofAt(scene, toX(PLANE, 1), toY(PLANE, 1e12))?.limit, 'bandwidth');
  assert.equal(scene.roofs[1].ridge?.value, 100);
  assert.ok(scene.diamonds[0].box);
  // Area is time: a twenty-fifth of the time, a fifth of the radius.
  near(scene.dots[1].r / scene.dots[0].r, 0.2);
});

test('the lens: opens on a dense place, moves and closes by the address', () => {
  const wide = { ...PLANE, width: 800, height: 500 };
  const points = [point(0, 10, 1e12, 9), point(1, 10.2, 1.02e12, 8), point(2, 10.4, 0.99e12, 7)];
  const asked = { plane: wide, points, size: 'self' as const, roofs: ROOFS, diamonds: [], width: (text: string) => text.length * 7 };
  const scene = sceneOf({ ...asked, lens: undefined });
  assert.equal(scene.lens?.dots.length, 3);
  assert.ok(scene.lens?.labels.every(Boolean), 'every name finds room in the lens');
  assert.equal(sceneOf({ ...asked, lens: '-' }).lens, null);
  const chart = { left: 50, top: 20, right: 850, bottom: 520 };
  const said = '0.1,0.2,0.4,0.5';
  assert.equal(formatLens(parseLens(said, chart) as NonNullable<ReturnType<typeof parseLens>>, chart), said);
  assert.deepEqual(sceneOf({ ...asked, lens: said }).lens?.box, parseLens(said, chart));
  for (const wrong of ['', 'x', '1,2,3', '0,0,0,0', '0,0,2,2']) assert.equal(parseLens(wrong, chart), null);
});

test('above 2,000 points the rest is density, and none is lost', () => {
  const many = Array.from({ length: 2500 }, (_, k) => point(k, 1 + (k % 50), 1e10 * (1 + (k % 49)), 2500 - k));
  const scene = sceneAt(many);
  assert.deepEqual([scene.dots.length, scene.density.length, scene.off.length], [500, 2000, 0]);
});

test('numbers: rates in the unit of their peak; what is not zero never reads 0.0', () => {
  assert.equal(peakText(2516.5824e12, true), '2,516.6 TFLOP/s');
  assert.equal(peakText(8e12, false), '8,000 GB/s');
  assert.equal(peakText(201.7e9, true), '201.7 GFLOP/s');
  assert.equal(peakText(5e5, true), '500.0 kFLOP/s');
  assert.deepEqual(ofPeakText(601.2e12, 2516.5824e12, true), ['601.2', '2,516.6 TFLOP/s']);
  assert.deepEqual(ofPeakText(0.1646e12, 918e12, true), ['0.165', '918.0 TFLOP/s']);
  assert.equal(shareText(0.00018), '< 0.1 %');
  assert.equal(shareText(0.239), '23.9 %');
});

test('the distance to a roof does not stand on the names of roofs', () => {
  const roofs = [
    { ...ROOFS[0], text: 'matrix units 100.0 TFLOP/s, bf16' },
    { ...ROOFS[1], text: 'HBM 1,000 GB/s' },
  ];
  const plane = { ...PLANE, width: 800, height: 500 };
  // Near each end of the level, and near the middle of the slope.
  for (const { x, y, roof } of [
    { x: 300, y: 3e13, roof: 1e14 },
    { x: 800, y: 3e13, roof: 1e14 },
    { x: 1, y: 4e11, roof: 1e12 },
  ]) {
    const scene = sceneOf({ plane, points: [point(0, x, y, 1)], size: 'self', roofs, diamonds: [], width: (text) => text.length * 7, lens: '-' });
    const box = notePlace(scene, scene.dots[0], toY(plane, roof), 150);
    assert.ok(!scene.roofNames.some((name) => touches(name, box)), `${x} ${y}`);
  }
  const [level] = sceneOf({ plane, points: [], size: 'self', roofs, diamonds: [], width: (text) => text.length * 7, lens: '-' }).roofNames;
  const without = placeNote(
    { x: toX(plane, 300), from: toY(plane, 3e13), to: toY(plane, 1e14), width: 150 },
    { left: 50, top: 20, right: 850, bottom: 520 },
    [],
  );
  assert.ok(touches(level, without), 'the place that is best otherwise is on the name');
});

test('a note about a roof stands where no name is', () => {
  const frame = { left: 0, top: 0, right: 400, bottom: 300 };
  const line = { x: 200, from: 150, to: 140, width: 100 };
  const free = placeNote(line, frame, []);
  assert.deepEqual([free.left, free.right], [208, 308]);
  const beside = placeNote(line, frame, [free]);
  assert.equal(beside.right, 192, 'the other side');
  const below = placeNote(line, frame, [free, beside]);
  assert.ok(below.top > line.from && !touches(below, free) && !touches(below, beside));
  assert.ok(placeNote({ ...line, x: 390 }, frame, []).right <= 400, 'inside of the chart');
});
