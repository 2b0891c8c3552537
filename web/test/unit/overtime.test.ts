// Over time: windows, points of a curve, what arrows go to, slopes in words.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AllocatorTrack, AllocStepsAnswer } from '../../src/api/answers';
import { belowAt, frameOf, heightFor, laneAt, programWord, timeAt, xOf } from '../../src/overtime/draw';
import { clampWindow, hostNotes, nextChange, numbersOf, showsCapacity, topOf, zoomed } from '../../src/overtime/window';
import { bytes, fitText, growthLine, instant, shorterTitles, signedBytes, slopeText } from '../../src/overtime/words';
import { lastAtOrBelow } from '../../src/util/bisect';
import { pageUnit, unitFor } from '../../src/util/format';

const track = (more: Partial<AllocatorTrack>): AllocatorTrack =>
  ({ n: 0, at_ps: [], last_bytes: [], most_here_bytes: [], most_bytes: 100, capacity_bytes: null, ...more }) as AllocatorTrack;

test('numbers of the address', () => {
  assert.deepEqual(numbersOf('2,0,2,x,-1,1'), [2, 0, 1]);
  assert.deepEqual(numbersOf(undefined), []);
});

test('a window stays within the trace and at least a nanosecond wide', () => {
  const bounds = { from: 0, to: 1e12 };
  assert.deepEqual(clampWindow({ from: -5, to: 10 }, bounds), { from: 0, to: 1000 });
  assert.deepEqual(clampWindow({ from: 2e12, to: 3e12 }, bounds), bounds);
  assert.deepEqual(clampWindow({ from: 9.99e11, to: 1.009e12 }, bounds), { from: 9.9e11, to: 1e12 });
  assert.deepEqual(zoomed({ from: 0, to: 100 }, 0.5, 50), { from: 25, to: 75 });
});

test('the point that holds', () => {
  assert.equal(lastAtOrBelow([], 3), -1);
  assert.equal(lastAtOrBelow([5, 7, 7, 9], 4), -1);
  assert.equal(lastAtOrBelow([5, 7, 7, 9], 7), 2);
  assert.equal(lastAtOrBelow([5, 7, 7, 9], 100), 3);
});

test('arrows go to the next event, with Shift to the next that matters', () => {
  const t = track({ n: 4, at_ps: [10, 20, 30, 40], most_here_bytes: [10, 10.5, 60, 60], last_bytes: [10, 10.5, 60, 60] });
  assert.equal(nextChange(t, 10, 1, 0), 20);
  assert.equal(nextChange(t, 10, 1, 0.01), 30);
  assert.equal(nextChange(t, 40, 1, 0), null);
  assert.equal(nextChange(t, 40, -1, 0), 30);
  assert.equal(nextChange(t, 5, -1, 0), null);
  assert.equal(nextChange(t, 25, -1, 0.05), 10);
});

test('a scale ends at the capacity only where that is near', () => {
  assert.equal(topOf(track({ most_bytes: 50, capacity_bytes: 100 })), 100);
  assert.equal(topOf(track({ most_bytes: 10, capacity_bytes: 1000 })), 10 * 1.08);
  assert.equal(topOf(track({ most_bytes: 0 })), 1);
  assert.equal(showsCapacity(track({ capacity_bytes: 1000 }), 100), false);
  assert.equal(showsCapacity(track({ capacity_bytes: null }), 100), false);
});

test('pixels and times are each other, strips are found', () => {
  const f = frameOf(1000, heightFor(4), 4);
  const w = { from: 100, to: 300 };
  assert.ok(Math.abs(timeAt(f, w, xOf(f, w, 250)) - 250) < 1e-9);
  assert.equal(laneAt(f, 4, f.strip * 2 + 1), 2);
  assert.equal(laneAt(f, 4, f.strip * 4 + 1), -1);
  assert.ok(frameOf(1000, heightFor(20), 20).strip >= 24);
});

test('a host without allocations has its reason in place of a strip, one without a clock says so', () => {
  const host = (name: string, more = {}) => ({ name, error: null, placed: 'clock', said: null, ...more });
  const hosts = [
    host('a'),
    host('b', { placed: 'no_clock', said: 'its file has no clock: it begins where the others begin' }),
    host('c'),
    host('d', { error: 'damaged' }),
  ];
  const rows = (names: string) => ({ host: names, hosts }) as unknown as Parameters<typeof hostNotes>[0];
  const notes = hostNotes(rows('ALL'), [{ host: 0 }, { host: 1 }]);
  assert.deepEqual(
    notes.map(({ name, strip }) => [name, strip]),
    [
      ['b', true],
      ['c', false],
      ['d', false],
    ],
  );
  assert.deepEqual(
    [notes[0].note, notes[1].note, notes[2].note],
    ['its file has no clock: it begins where the others begin', 'the runtime recorded no allocations on this host', 'damaged'],
  );
  assert.deepEqual(hostNotes(rows('a'), [{ host: 0 }]), [], 'one host is asked about');
});

test('rows of modules and threads stand between the steps and the axis, and take no room of the strips', () => {
  const [bare, more] = [frameOf(1000, heightFor(4), 4), frameOf(1000, heightFor(4, 2), 4, 124, 2)];
  assert.equal(more.strip, bare.strip);
  assert.equal(more.stepsTop, bare.stepsTop);
  assert.equal(bare.belowTop, bare.axisTop);
  const high = (more.axisTop - more.belowTop) / 2;
  assert.deepEqual(
    [-1, 0.5, 1.5, 2.5].map((row) => belowAt(more, 2, more.belowTop + row * high)),
    [-1, 0, 1, -1],
  );
  assert.equal(belowAt(bare, 0, bare.belowTop + 1), -1);
  assert.equal(programWord('jit_f(16183187187487)'), 'jit_f');
  assert.equal(programWord('jit_f(x)'), 'jit_f(x)');
});

test('words', () => {
  const growth = { slope_bytes: [2.4 * 2 ** 20], r2: [0.99] };
  assert.equal(growthLine({ what: 'steps', growth } as unknown as AllocStepsAnswer, 0), 'lowest of each step grows by 2.40 MiB a step, R\u00b2 0.99');
  assert.equal(instant(15180524445000), '15.181 s');
  assert.equal(instant(2e9), '2.000 ms');
  assert.equal(instant(null), 'unknown');
  assert.equal(slopeText(2.4 * 2 ** 20), '+2.40 MiB');
  assert.equal(slopeText(-27.2), '\u221227 B');
  assert.equal(slopeText(null), 'unknown');
  assert.equal(fitText(2.4 * 2 ** 20, 'step', 0.994, 2), '+2.40 MiB a step, R² 0.99');
  assert.equal(fitText(null, 'run', 0.5, 2), 'R² 0.50');
  assert.equal(fitText(null, 'run', null, 2), '');
  const short = shorterTitles('34.83.195.179_6003 GPU_6_bfc');
  assert.deepEqual(
    [short[0], short[1], short.at(-2), short.at(-1)],
    ['34.83.195.179_6003 GPU_6_bfc', 'GPU_6_bfc …4.83.195.179_6003', 'GPU_6_bfc …6003', 'GPU_6_bfc'],
  );
  assert.deepEqual(shorterTitles('GPU_6_bfc'), ['GPU_6_bfc']);
});

test('sizes that stand beside each other have one unit, small ones their own', () => {
  pageUnit.value = unitFor(20 * 2 ** 30);
  assert.equal(bytes(5 * 2 ** 30), '5.00 GiB');
  assert.equal(bytes(20 * 2 ** 30), '20.00 GiB');
  assert.equal(bytes(5.3 * 2 ** 20), '5.3 MiB');
  assert.equal(bytes(undefined), 'unknown');
  assert.equal(signedBytes(-5 * 2 ** 30), '\u22125.00 GiB');
  assert.equal(signedBytes(5 * 2 ** 30), '+5.00 GiB');
  assert.equal(signedBytes(0), '0');
  pageUnit.value = unitFor(2 ** 30);
  assert.equal(bytes(5 * 2 ** 30), '5,120.0 MiB');
});
