import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { zoomed } from '../../src/trace/gestures';
import { placeAt, snap } from '../../src/trace/hits';
import { HEAD, LANE } from '../../src/trace/layout';
import { atLabelEdge, labelWidth, pixelTime, timeToX, xToTime } from '../../src/trace/scale';
import { coarse, frame, layout, plot, rows } from '../../src/trace/state';
import { laneOf, rowsOf } from './trace_rows';

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

test('trace: the event at a point, and the edge that a mark snaps to', () => {
  Object.assign(frame, { from: 0, to: 1000 });
  Object.assign(plot, { width: 500, top: 0 });
  rows.value = rowsOf(1);
  const boxes = { row: 100, from: 0, to: 1000, cell: 1, q: 1, lanes: [laneOf([100, 400], [600, 602]), laneOf([200, 300])], counter: null };
  coarse.set(100, boxes);
  try {
    const item = layout.peek()?.items.find((one) => one.kind === 'row' && one.row === 100);
    assert.ok(item && item.lanes === 2 && item.y >= HEAD);
    const [first, second] = [item.y + 2 + LANE / 2, item.y + 2 + LANE * 1.5];
    const at = (time: number, y: number) => {
      const { hit, depth, label } = placeAt(timeToX(time), y);
      return { event: hit ? hit.lane.start[hit.index] : null, depth, label };
    };
    assert.deepEqual(at(250, first), { event: 100, depth: 0, label: false });
    assert.deepEqual(at(250, second), { event: 200, depth: 1, label: false });
    assert.deepEqual(at(350, second), { event: null, depth: 1, label: false }, 'beside the inner box');
    assert.deepEqual(at(601, first), { event: 600, depth: 0, label: false }, 'a box of one pixel');
    assert.deepEqual(at(603, first), { event: 600, depth: 0, label: false }, 'and the pixel beside it');
    assert.equal(at(700, first).event, null);
    assert.equal(placeAt(5, first).label, true);
    assert.equal(placeAt(5, first).hit, null);
    // Five pixels are ten picoseconds here.
    assert.deepEqual(
      [105, 115, 395].map((time) => snap(timeToX(time), first)),
      [100, 115, 400],
    );
    plot.top = item.y;
    assert.equal(placeAt(timeToX(250), 2 + LANE / 2).hit?.lane.start[0], 100, 'scrolled');
  } finally {
    rows.value = null;
    coarse.delete(100);
    plot.top = 0;
  }
});
