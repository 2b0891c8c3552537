import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { zoomed } from '../../src/trace/gestures';
import { atLabelEdge, labelWidth, pixelTime, timeToX, xToTime } from '../../src/trace/scale';
import { frame, plot } from '../../src/trace/state';

// Node has no window: the width of the names is asked of one, once.
const own = globalThis as { innerWidth?: number; addEventListener?: unknown };
const kept = { innerWidth: own.innerWidth, addEventListener: own.addEventListener };
before(() => {
  Object.assign(own, { innerWidth: 1400, addEventListener: () => {} });
  labelWidth();
});
after(() => {
  Object.assign(own, kept);
});

test('trace: a time is where its pixel is, and back; left of the plot are the names', () => {
  Object.assign(frame, { from: 1000, to: 2000 });
  plot.width = 500;
  assert.equal(labelWidth(), 190);
  assert.deepEqual([1000, 1500, 2000].map(timeToX), [190, 440, 690]);
  assert.equal(xToTime(timeToX(1234)), 1234);
  assert.equal(pixelTime(), 2);
  assert.deepEqual([186, 187, 190, 193, 194].map(atLabelEdge), [false, true, true, true, false]);
});

test('trace: a zoom keeps the time at its anchor', () => {
  const w = { from: 1000, to: 2000 };
  assert.deepEqual(zoomed(w, 0.5, 0.5), { from: 1250, to: 1750 });
  assert.deepEqual(zoomed(w, 0, 3), { from: 1000, to: 4000 });
  assert.deepEqual(zoomed(w, 1, 0.1), { from: 1900, to: 2000 });
  assert.deepEqual(zoomed(zoomed(w, 0.3, 0.5), 0.3, 2), w);
});
