import assert from 'node:assert/strict';
import test from 'node:test';
import type { Curve } from '../../src/api/types';
import { panBy, stepToX, xToStep, zoomAt } from '../../src/canvas/view';
import { axisFrom, axisOf, placeText } from '../../src/memory/axis';

function curve(from: number, to: number, step: number[], x: number[], xEnd: number): Curve {
  const none = step.map(() => 0);
  const answer: Curve = {
    from,
    to,
    steps: 10,
    exact: false,
    n: step.length,
    step,
    count: none,
    min_bytes: none,
    max_bytes: none,
    min_unpadded_bytes: none,
    max_unpadded_bytes: none,
    max_step: none,
    top_bytes: none,
    resident_bytes: 0,
    resident_unpadded_bytes: 0,
    reserved_bytes: 0,
    peak_step: null,
    axes: { instruction: null, time: null },
    axis: 'instruction',
    unit: 'instruction',
    x,
    x_end: xEnd,
    moved: 0,
    clock: null,
    measured: null,
    scheduled: null,
  };
  return answer;
}

test('straight lines between knots, and the way back', () => {
  const axis = axisOf(Float64Array.of(0, 2, 3), Float64Array.of(5, 6, 106));
  assert.equal(axis.placeOf(0), 5);
  assert.equal(axis.placeOf(1), 5.5);
  assert.equal(axis.placeOf(2.5), 56);
  assert.equal(axis.placeOf(3), 106);
  assert.equal(axis.placeOf(-1), 5);
  assert.equal(axis.placeOf(9), 106);
  for (const step of [0, 0.5, 2, 2.25, 3]) assert.ok(Math.abs(axis.stepOf(axis.placeOf(step)) - step) < 1e-9);
  assert.equal(axis.stepOf(0), 0);
  assert.equal(axis.stepOf(1000), 3);
});

test('the columns of the window are finer than those of all', () => {
  const whole = curve(0, 10, [0, 5], [0, 50], 100);
  const part = curve(4, 6, [4, 5], [44, 50], 59);
  const axis = axisFrom(whole, part, 'instruction');
  assert.ok(axis);
  assert.equal(axis.placeOf(4), 44);
  assert.equal(axis.placeOf(4.5), 47);
  assert.equal(axis.placeOf(6), 59);
  assert.equal(axis.placeOf(10), 100);
  assert.equal(axisFrom(whole, part, 'event'), null);
  assert.equal(axisFrom(whole, part, 'time'), null);
  assert.equal(axisFrom(null, part, 'instruction'), null);
  assert.equal(axisFrom({ ...whole, x: null }, part, 'instruction'), null);
});

test('zoom keeps the place under the pointer, pan stays inside', () => {
  const axis = axisOf(Float64Array.of(0, 50, 100), Float64Array.of(0, 10, 1000));
  const near = zoomAt({ from: 0, to: 100 }, 0.5, 0.5, 100, axis);
  assert.ok(Math.abs(axis.placeOf(near.from) - 250) < 1e-6 && Math.abs(axis.placeOf(near.to) - 750) < 1e-6);
  assert.deepEqual(zoomAt(near, 0.5, 9, 100, axis), { from: 0, to: 100 });
  const right = panBy(near, 9, 100, axis);
  assert.equal(right.to, 100);
  assert.ok(Math.abs(axis.placeOf(right.from) - 500) < 1e-6);
  const places = { from: 0, to: 1000 };
  const scale = { left: 0, width: 1000, window: { from: 0, to: 100 }, axis, places };
  assert.equal(stepToX(scale, 50), 10);
  assert.equal(xToStep(scale, 10), 50);
  assert.equal(xToStep(scale, 999), 99);
});

test('numbers of the axis', () => {
  assert.equal(placeText(1200, 'instruction', 5000), '1,200');
  assert.equal(placeText(1_500_000, 'ns', 4e6), '1.5 ms');
  assert.equal(placeText(1_500, 'ns', 4e4), '1.5 \u00b5s');
  assert.equal(placeText(2e9, 'ns', 4e9), '2 s');
});
