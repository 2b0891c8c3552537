import assert from 'node:assert/strict';
import { test } from 'node:test';
import { capacityLabelBelow, chartTop } from '../../src/memory/draw_chart';

const GIB = 2 ** 30;

test('the name of the capacity is never cut at the bottom', () => {
  // 15.75 GiB in a chart of 90 pixels up to 97 GiB: the line is 14 pixels above the axis, words need 16.
  const bottom = 100;
  const yOf = (bytes: number, top: number) => bottom - (bytes / chartTop(top, null, bytes)) * (bottom - 10);
  assert.equal(capacityLabelBelow(yOf(15.75 * GIB, 96.96 * GIB), bottom), false);
  assert.equal(capacityLabelBelow(yOf(15.75 * GIB, 22.9 * GIB), bottom), true);
  for (let y = 0; y <= bottom; y++) assert.equal(capacityLabelBelow(y, bottom), bottom - y >= 16);
});
