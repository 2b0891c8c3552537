// The report beside a pinned baseline: who meets whom, what is only on one side, sums that close; by hand.
import type { ComparedSteps } from '../../src/api/answers';
import assert from 'node:assert/strict';
import test from 'node:test';
import { csvBeside, jsonBeside, restLine, type Sheet } from '../../src/report/base_export';
import { heldBeforeWords, asksOf, baseOf, differs, joinRows, nothing, restOf, sideWords, sumOf } from '../../src/report/base_join';
import type { Values } from '../../src/report/types';

type Row = Values & { name: string };
const row = (name: string, at: number[], peak: number): Row => ({ name, at_bytes: at, peak_bytes: peak, curve_bytes: [] });
const key = ({ name }: Row) => name;
const blank = (one: Row): Row => ({ ...one, ...nothing({ at_bytes: [0, 0], peak_bytes: 0, curve_bytes: [] }) });
const side = { run: '', module: '', space: 0, steps: 9, peak_step: 3, peak_bytes: 1 };
const steps = (list: ComparedSteps['steps']): ComparedSteps => ({ before: side, after: side, whole: true, steps: list });

test('steps: those with a partner are requested, the others have none; a run before without a heap trace has its peak', () => {
  const mixed = steps([
    { after: 5, before: 3, how: 'peak' },
    { after: 0, before: null, how: null },
    { after: 7, before: 3, how: 'last_before' },
  ]);
  assert.deepEqual(asksOf(mixed), { steps: '3,3', place: [0, null, 1] });
  assert.deepEqual(
    asksOf(
      steps([
        { after: 5, before: null, how: 'peak' },
        { after: 6, before: null, how: null },
      ]),
    ),
    { steps: '', place: [0, null] },
  );
});

test('rows meet by their words; what one side lacks is 0 there, so that the differences add up', () => {
  const after = [row('a', [10, 4], 12), row('new', [3, 0], 5)];
  const before = [row('a', [7, 4], 12), row('old', [2, 1], 1)];
  const joined = joinRows(after, before, [0, 1], key, blank);
  assert.deepEqual(
    joined.map(({ row: { name, at_bytes: at, peak_bytes: peak }, base }) => [name, at, peak, base.at, base.peak, base.side]),
    [
      ['a', [10, 4], 12, [7, 4], 12, undefined],
      ['new', [3, 0], 5, [0, 0], 0, 'after'],
      ['old', [0, 0], 0, [2, 1], 1, 'before'],
    ],
  );
  assert.deepEqual(
    joined.map(({ base }) => sideWords(base)),
    ['', 'only after', 'only before'],
  );
  assert.deepEqual(
    joined.map(({ row: one, base }) => differs(one, base)),
    [true, true, true],
  );
  assert.equal(differs(row('', [7, 4], 12), joined[0].base), false);
  assert.equal(differs(row('', [7, 4], 12), undefined), false);
  const total = sumOf(
    joined.map(({ base }) => base),
    2,
  );
  assert.deepEqual([total.at, total.peak], [[9, 5], 13]);
});

test('a list that was cut: a row that is not found may be in its rest, and no difference is made up', () => {
  const after = [row('a', [10, 4], 12), row('b', [1, 1], 1)];
  const before = [row('a', [7, 4], 12), row('c', [2, 1], 1)];
  const joined = joinRows(after, before, [0, 1], key, blank, { after: true, before: true });
  assert.deepEqual(
    joined.map(({ row: { name }, base }) => [name, base.at, base.peak, base.side]),
    [
      ['a', [7, 4], 12, undefined],
      ['b', [null, null], null, undefined],
    ],
  );
  // The rest has what the total of the baseline has beyond the rows that were found.
  const rest = restOf(
    baseOf(row('total', [30, 20], 40), [0, 1]),
    joined.map(({ base }) => base),
  );
  assert.deepEqual([rest.at, rest.peak], [[23, 16], 28]);
  assert.equal(
    sumOf(
      joined.map(({ base }) => base),
      2,
    ).at[0],
    null,
  );
});

test('a step without a partner has no difference', () => {
  const [{ base }] = joinRows([row('a', [10, 4], 12)], [row('a', [7], 9)], [null, 0], key, blank);
  assert.deepEqual([base.at, base.peak], [[null, 7], 9]);
  assert.deepEqual(baseOf(null, [null, 0]), { at: [null, 0], peak: 0 });
});

test('a file beside the run before: three columns a number; a step that run lacks, and a row it does not tell apart, stay empty; the rest closes', () => {
  const pair = steps([
    { after: 5, before: 3, how: 'peak' },
    { after: 7, before: null, how: null },
  ]);
  const place = [0, null];
  const sheet: Sheet<Row> = { texts: [['name', ({ name }) => name]], held: (step) => `step_${step}_bytes`, peak: true };
  const rows = joinRows([row('a', [10, 4], 12), row('new', [3, 0], 5)], [row('a', [7], 8)], place, key, blank, { after: true, before: true });
  const rest = restLine(rows, row('', [15, 6], 20), row('', [9], 11), place, (left) => ({ ...left, name: '(rest)' }));
  const [head, lines] = csvBeside(sheet, [...rows, ...rest], pair);
  assert.deepEqual(head, [
    'name',
    'step_5_bytes',
    'baseline_step_3_bytes',
    'step_5_bytes_difference',
    'step_7_bytes',
    'baseline_step_none_bytes',
    'step_7_bytes_difference',
    'peak_bytes',
    'baseline_peak_bytes',
    'peak_bytes_difference',
    'side',
  ]);
  assert.deepEqual(lines, [
    ['a', 10, 7, 3, 4, null, null, 12, 8, 4, ''],
    ['new', 3, null, null, 0, null, null, 5, null, null, ''],
    ['(rest)', 2, 2, 0, 2, null, null, 3, 3, 0, ''],
  ]);
  const closed = joinRows([row('a', [10, 4], 12)], [row('a', [7], 8)], place, key, blank);
  assert.deepEqual(
    restLine(closed, row('', [10, 4], 12), row('', [7], 8), place, (left) => ({ ...left, name: '' })),
    [],
  );
  const { rows: listed } = jsonBeside(sheet, { n: 1 }, closed, pair) as { rows: unknown[] };
  assert.deepEqual(listed, [{ ...row('a', [10, 4], 12), baseline: { at: [7, null], peak: 8 }, difference: { at: [3, null], peak: 4 }, side: null }]);
});

test('a buffer that the run before holds and this program does not: it is in both, or only in the run before', () => {
  assert.deepEqual([true, false].map(heldBeforeWords), ['held before, not now', 'only before']);
});
