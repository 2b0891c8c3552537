import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyChange } from '../../src/app/router';
import type { Stepsplit } from '../../src/api/answers';
import { meansOf, nextRow, PARTS, partOf, rowOfStep, valueTicks } from '../../src/overview/columns';
import { columnAt, frameOf } from '../../src/overview/draw_steps';
import { differenceText, inUnit, shareText, unitOf, waterfall } from '../../src/overview/numbers';
import { rowsOf } from '../../src/overview/words';

/** Steps with these numbers, all parts 0 but those given. */
function split(numbers: number[], given: Partial<Record<string, (number | boolean)[]>> = {}, a_column = 1): Stepsplit {
  const columns = Object.fromEntries(PARTS.map((part) => [part.key, numbers.map(() => 0)]));
  const steps = { n: numbers.length, number: numbers, outlier: numbers.map(() => false), ...columns, ...given };
  return { steps, a_column } as unknown as Stepsplit;
}

test('every part of a step has a key, a colour and a name of its own', () => {
  assert.equal(new Set(PARTS.map((part) => part.key)).size, PARTS.length);
  assert.equal(new Set(PARTS.map((part) => part.title)).size, PARTS.length);
  assert.equal(PARTS[PARTS.length - 1].key, 'idle_ps', 'idle is on top');
  assert.ok(PARTS.every((part, k) => k === 0 || part.kind === 'compute' || PARTS[k - 1].kind !== 'idle'));
});

test('means of the parts', () => {
  const s = split([0, 1], { matmul_ps: [10, 30], idle_ps: [2, 0] });
  const means = Object.fromEntries(PARTS.map((part, k) => [part.key, meansOf(s)[k]]));
  assert.equal(means.matmul_ps, 20);
  assert.equal(means.idle_ps, 1);
  assert.equal(means.elem_ps, 0);
  assert.equal(partOf(s, PARTS[0], 1), 30);
  assert.deepEqual(
    meansOf(split([])),
    PARTS.map(() => 0),
  );
});

test('a step is found in its own row, or in the one that stands for it', () => {
  assert.equal(rowOfStep(split([7, 8, 9]), 8), 1);
  assert.equal(rowOfStep(split([7, 8, 9]), 3), -1);
  const folded = split([4, 13, 21], {}, 10);
  assert.equal(rowOfStep(folded, 13), 1);
  assert.equal(rowOfStep(folded, 15), 1);
  assert.equal(rowOfStep(folded, 2), -1);
});

test('arrows go from step to step, with Shift to the next that is off; they stop at the ends', () => {
  const s = split([0, 1, 2, 3], { outlier: [false, true, false, true] });
  assert.equal(nextRow(s, null, 1, false), 0);
  assert.equal(nextRow(s, null, -1, false), 3);
  assert.equal(nextRow(s, 1, 1, false), 2);
  assert.equal(nextRow(s, 1, 1, true), 3);
  assert.equal(nextRow(s, 1, -1, true), -1);
  assert.equal(nextRow(s, 3, 1, false), -1);
  assert.equal(nextRow(split([]), null, 1, false), -1);
});

test('ticks are round and begin at 0', () => {
  assert.deepEqual(valueTicks(800, 4), [0, 200, 400, 600, 800]);
  assert.deepEqual(valueTicks(2.9, 3), [0, 1, 2]);
  assert.deepEqual(valueTicks(0, 4), [0]);
  assert.deepEqual(
    valueTicks(0.03, 3).map((tick) => Number(tick.toFixed(3))),
    [0, 0.01, 0.02, 0.03],
  );
});

test('columns under the pointer', () => {
  const f = frameOf(900, 200, true);
  assert.equal(columnAt(f, 10, f.left), 0);
  assert.equal(columnAt(f, 10, f.right - 0.01), 9);
  assert.equal(columnAt(f, 10, f.left - 1), -1);
  assert.equal(columnAt(f, 0, f.left + 5), -1);
  assert.ok(f.bottom < f.lensTop && f.top < f.bottom);
  assert.ok(frameOf(900, 200, false).bottom > f.bottom, 'without a lens the columns have its room');
});

test('a waterfall ends where it began: each bar begins where the one before ended, the last stands on 0', () => {
  const bars = waterfall([10, 0, 60, 30], 100);
  assert.deepEqual(bars, [
    { from: 0.9, to: 1 },
    { from: 0.9, to: 0.9 },
    { from: 0.3, to: 0.9 },
    { from: 0, to: 0.3 },
  ]);
});

test('times stand in the unit of the step; what would read 0 in its own', () => {
  const ms = unitOf(784.133e9);
  assert.equal(ms.word, 'ms');
  assert.equal(inUnit(784.133e9, ms), '784.133');
  assert.equal(inUnit(7600, ms), '7.60 ns');
  assert.equal(inUnit(-7600, ms), '−7.60 ns');
  assert.equal(inUnit(0, ms), '0');
  assert.equal(unitOf(2.4e12).word, 's');
  assert.equal(unitOf(0).word, 'ps');
  assert.equal(shareText(0.9693), '96.9 %');
  assert.equal(shareText(1e-8), '< 0.1 %');
  assert.equal(shareText(0), '0 %');
  assert.equal(differenceText(1.25e9, ms), '+1.250');
  assert.equal(differenceText(-1.25e9, ms), '−1.250');
  assert.equal(differenceText(0, ms), '±0');
});

test('rows of a table', () => {
  assert.deepEqual(rowsOf<{ a: number; b: string }>({ n: 2, a: [1, 2], b: ['x', 'y'] }), [
    { a: 1, b: 'x' },
    { a: 2, b: 'y' },
  ]);
});

test('a step of the run is none of Memory’s chart: it does not follow there', () => {
  const state = { run: 'a', tool: 'overview', step: '5', host: 'h' };
  assert.deepEqual(applyChange(state, { tool: 'memory' }), { run: 'a', tool: 'memory', host: 'h' });
  assert.deepEqual(applyChange(state, { tool: 'ops' }), { ...state, tool: 'ops' });
  assert.deepEqual(applyChange(state, { tool: 'memory', step: 9 }), { run: 'a', tool: 'memory', host: 'h', step: '9' });
  assert.deepEqual(applyChange({ run: 'a', step: '7' }, { tool: 'trace' }), { run: 'a', tool: 'trace', step: '7' });
  assert.deepEqual(applyChange({ run: 'a', tool: 'trace', step: '7' }, { tool: 'overview' }), { run: 'a', tool: 'overview' });
});
