// The pure parts of Ops: units of columns, the order of rows, what stands out, what is said where no peaks are known.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boundOf, COLUMNS, lookOf, shareOf, sumsOf } from '../../src/ops/columns';
import { groupName, keyOf } from '../../src/ops/groups_state';
import { passesOf } from '../../src/ops/layers_bars';
import { cellTimes, heat, type Layers, listed } from '../../src/ops/layers_state';
import { bestWords, inUnit, medianOf, rateText, rateUnit, rateUnitOf, runUnit, signedIn, standsOut, sumUnit, threeText, timeIn } from '../../src/ops/numbers';
import { layerOf } from '../../src/ops/scopes';
import { ordered } from '../../src/ops/table_state';
import type { OpColumns, Ops } from '../../src/ops/state';
import { below, nodeAt, type OpTree, pathTo, rowsIn, textOf, type TreeAnswer, treeOf } from '../../src/ops/tree';

const ROW = {
  name: '',
  module: 'jit_f',
  opcode: 'fusion',
  category: '',
  group: 'elem',
  scope: '',
  phase: null,
  shape: '',
  source: '',
  operations: 1,
  count: 1,
  executions: 1,
  total_ps: 0,
  self_ps: 0,
  self_share: 0,
  mean_ps: 0,
  p50_ps: null,
  p99_ps: null,
  min_ps: 0,
  max_ps: 0,
  other_total_ps: null,
  wait_total_ps: null,
  chips: 1,
  chip_spread: null,
  flops: null,
  dtype: '',
  moved_bytes: null,
  hbm_bytes: null,
  vmem_bytes: null,
  other_bytes: null,
  flops_per_s: null,
  hbm_bytes_per_s: null,
  vmem_bytes_per_s: null,
  intensity: null,
  bound: 'unknown',
  bound_reason: null,
  roof: null,
  roofline_ps: null,
  roofline_share: null,
  lost_ps: null,
  lost_against: null,
  cycles: null,
};

/** An answer with these rows. */
function answer(rows: Partial<Record<keyof typeof ROW, unknown>>[], more: Partial<Ops> = {}): Ops {
  const columns: Record<string, unknown> = { n: rows.length };
  for (const key of Object.keys(ROW) as (keyof typeof ROW)[]) columns[key] = rows.map((row) => (key in row ? row[key] : ROW[key]));
  const self_ps = rows.reduce((sum, row) => sum + Number(row.self_ps ?? 0), 0);
  return {
    known: true,
    self_ps,
    total: rows.length,
    lost_ps: 0,
    judged_share: 1,
    best_flops_per_s: null,
    best_hbm_bytes_per_s: null,
    ops: columns as unknown as OpColumns,
    ...more,
  } as unknown as Ops;
}

test('a column has one unit, by what it adds up to or by its longest mean', () => {
  assert.equal(sumUnit(12_133_585_000).word, 'ms');
  assert.equal(sumUnit(315e12).word, 's');
  assert.equal(sumUnit(999_999_999).word, 'µs');
  assert.equal(runUnit(466_124_000).word, 'µs');
  assert.equal(runUnit(194e9).word, 'ms');
  assert.equal(runUnit(999_999).word, 'ns');
  assert.equal(inUnit(12_133_585_000, sumUnit(12_133_585_000)), '12.134');
  assert.equal(inUnit(null, sumUnit(1)), 'unknown');
});

test('what would read as nothing is told in its own unit', () => {
  const ms = sumUnit(12e9);
  assert.equal(timeIn(27_000_000, ms), '0.027');
  assert.equal(timeIn(27_000, ms), '27 ns');
  assert.equal(timeIn(0, ms), '0.000');
});

test('a rate has four digits before the point at the most, and a little is not nothing', () => {
  const unit = rateUnit(1.062e15, 'FLOP/s');
  assert.equal(unit.word, 'TFLOP/s');
  assert.equal(rateText(1.062e15, unit), '1,062');
  assert.equal(rateText(6.012e14, unit), '601.2');
  assert.equal(rateText(5.4e11, unit), '0.54');
  assert.equal(rateText(0, unit), '0.0');
  assert.equal(rateText(4e9, unit), '< 0.01');
  assert.equal(threeText(0.001), '< 0.01');
  assert.equal(threeText(0), '0.00');
  assert.equal(rateUnit(7.056e12, 'B/s').word, 'GB/s');
  assert.equal(rateUnit(1.2e13, 'B/s').word, 'TB/s');
  assert.equal(threeText(614.4), '614');
  assert.equal(threeText(null), 'unknown');
});

test('without peaks: the unit of rates is that of all operations, and what stands in is named', () => {
  const rates = [3.9e10, null, 6e8];
  assert.equal(rateUnitOf(rates, [false, false, true], 'FLOP/s').word, 'MFLOP/s');
  assert.equal(rateUnitOf(rates, [false, false, false], 'FLOP/s').word, 'GFLOP/s');
  assert.equal(rateUnitOf([null], [false], 'B/s').word, 'B/s');
  assert.equal(bestWords(3.94e10, null), 'no peaks known: shares are of the best seen, 39.4 GFLOP/s');
  assert.equal(bestWords(null, null), 'no peaks known, and no operation takes 50 µs or more, so there is no best rate to compare with');
});

test('a difference has its sign', () => {
  const ms = sumUnit(12e9);
  assert.equal(signedIn(9_534_000_000, ms), '+9.534');
  assert.equal(signedIn(-9_534_000_000, ms), '\u22129.534');
  assert.equal(signedIn(0, ms), '0.000');
});

test('a longest execution stands out from 1.3 times the median on, and only where both are known', () => {
  assert.ok(standsOut(130, 100));
  assert.ok(!standsOut(129, 100));
  assert.ok(!standsOut(130, null) && !standsOut(null, 100) && !standsOut(5, 0));
});

test('rows by any column: unknown last either way, equal ones by self time', () => {
  const look = lookOf(
    answer([
      { name: 'b', self_ps: 5, lost_ps: 3, lost_against: 'roofline' },
      { name: 'a', self_ps: 9 },
      { name: 'a', self_ps: 10, lost_ps: 4, lost_against: 'roofline' },
    ]),
  );
  const by = (id: string, down: boolean) => [...ordered(look, COLUMNS.find((column) => column.id === id) ?? COLUMNS[0], down)];
  assert.deepEqual(by('self', true), [2, 1, 0]);
  assert.deepEqual(by('self', false), [0, 1, 2]);
  assert.deepEqual(by('name', false), [2, 1, 0]);
  assert.deepEqual(by('lost', true), [2, 0, 1]);
  assert.deepEqual(by('lost', false), [0, 2, 1]);
});

test('31 columns, 13 of them on a usual window', () => {
  assert.equal(COLUMNS.length, 31);
  assert.equal(new Set(COLUMNS.map(({ id }) => id)).size, 31);
  assert.equal(COLUMNS.filter(({ from }) => from === 0).length, 13);
  assert.ok(COLUMNS.every(({ hint, title }) => hint && title));
});

test('the head of p99 says so where all of them are the longest; a layer ends in a number', () => {
  const head = (executions: number[]) => COLUMNS.find(({ id }) => id === 'p99')?.head?.(lookOf(answer(executions.map((n) => ({ executions: n })))));
  assert.deepEqual([head([19, 3]), head([19, 20])], ['p99 (max)', 'p99']);
  assert.deepEqual(['decoder/block_3/mlp', 'conv2d/kernel', 'jvp(layer_1)/x', ''].map(layerOf), ['decoder/block_3', '', 'jvp(layer_1)', '']);
});

test('without peaks: share and what it is nearer to, against the best rates of the run', () => {
  const look = lookOf(
    answer(
      [
        { self_ps: 1000, lost_ps: 988, lost_against: 'best', flops_per_s: 1, hbm_bytes_per_s: 5 },
        { self_ps: 1000, lost_ps: 0, lost_against: 'best', flops_per_s: 100, hbm_bytes_per_s: 5 },
        { self_ps: 1000, bound: 'wait', lost_ps: 1000, lost_against: 'nothing' },
        { self_ps: 1000 },
      ],
      { best_flops_per_s: 100, best_hbm_bytes_per_s: 50 },
    ),
  );
  assert.ok(look.best);
  const sums = sumsOf(look, [0, 1, 2, 3]);
  assert.deepEqual([sums.lost_ps, sums.waits], [1988, true], 'as the rows, waits included');
  assert.equal(sumsOf(look, [0, 1]).waits, false);
  assert.deepEqual(
    [0, 1, 2, 3].map((k) => boundOf(look, k)),
    ['memory', 'compute', 'wait', 'unknown'],
  );
  assert.equal(shareOf(look, 0)?.toFixed(3), '0.012');
  assert.equal(shareOf(look, 1), 1);
  assert.equal(shareOf(look, 3), null);
});

const OPS = answer([
  { name: 'dot.1', module: 'jit_f(1)' },
  { name: 'add', module: 'jit_f(1)' },
  { name: 'done', module: 'jit_g(2)', group: 'none' },
]).ops;
/** A box a line: depth by its dots, label, self time, module of an operation. */
function boxes(lines: string[], by: TreeAnswer['by']): TreeAnswer {
  const out = {
    n: lines.length,
    by,
    parent: [] as (number | null)[],
    depth: [] as number[],
    label: [] as string[],
    module: [] as string[],
    is_op: [] as boolean[],
    self_ps: [] as number[],
    wait_ps: [] as number[],
    operations: [] as number[],
    group: [] as string[],
  };
  const above: number[] = [];
  lines.forEach((line, i) => {
    const [, dots, label, size, module] = /^(\.*)(\S*) (\d+) ?(\S*)$/.exec(line) as RegExpExecArray;
    above[dots.length] = i;
    out.parent.push(i ? above[dots.length - 1] : null);
    out.depth.push(dots.length);
    out.label.push(label);
    out.module.push(module);
    out.is_op.push(Boolean(module));
    out.self_ps.push(Number(size));
    out.wait_ps.push(0);
    out.operations.push(1);
    out.group.push('none');
  });
  return out as unknown as TreeAnswer;
}
const lines = (tree: OpTree) => Array.from({ length: tree.n }, (_, i) => `${'.'.repeat(tree.depth[i])}${tree.name[i]} ${tree.size[i]} ${tree.row[i]}`);
const plain = (module: string) => module.replace(/\(\d+\)$/, '');

test('boxes of the server: names for people, rows of the table, a box by the text that the server takes', () => {
  const tree = treeOf(
    boxes(
      [
        ' 100',
        '.jit_f(1)/backward 90',
        '..a 60',
        '...a/b 10',
        '....add 10 jit_f(1)',
        '...dot.1 50 jit_f(1)',
        '..a/b 30',
        '...add 30 jit_f(1)',
        '.jit_g(2) 10',
        '..done 10 jit_g(2)',
      ],
      'scope',
    ),
    OPS,
    plain,
  );
  assert.deepEqual(lines(tree).slice(0, 3), ['all operations 100 -1', '.jit_f/backward 90 -1', '..a 60 -1']);
  assert.deepEqual(
    tree.row.filter((row) => row >= 0),
    [1, 0, 1, 2],
  );
  assert.deepEqual([tree.group[1], tree.group[9]], ['', 'none']);
  for (let i = 1; i < tree.n; i++) assert.equal(nodeAt(tree, textOf(tree, i)), i, textOf(tree, i));
  assert.equal(nodeAt(tree, 'jit_f(1)/backward/a/b/add'), 7, 'a/b is not a');
  assert.equal(nodeAt(tree, 'nothing'), 0);
  assert.deepEqual(
    pathTo(tree, 4).map((i) => tree.name[i]),
    ['jit_f/backward', 'a', 'a/b', 'add'],
  );
  assert.deepEqual([...rowsIn(tree, 2)].sort(), [0, 1]);
  assert.deepEqual(lines(below(tree, 8)), ['jit_g 10 -1', '.done 10 2']);
  assert.deepEqual(lines(treeOf(boxes([' 5', '.matmul/fusion 5', '..dot.1 5 jit_f(1)'], 'group'), OPS, plain)).slice(0, 2), [
    'jit_f 5 -1',
    '.matmul / conv/fusion 5 -1',
  ]);
});

const REPEATS = {
  spans: 4,
  parts: {
    n: 5,
    parent: [null, 0, 1, 2, 0],
    depth: [0, 1, 2, 3, 1],
    kind: ['layer', 'phase', 'part', 'op', 'phase'],
    name: ['', 'forward', 'mlp', 'dot', 'backward'],
  },
  layers: { n: 2 },
  cells: { n: 2, part: [0, 0], layer: [0, 1], ops: [3, 2], self_ps: [400, 200] },
  bars: { n: 3, layer: [0, 0, 0], phase: ['forward', 'forward', 'backward'], group: ['matmul', 'elem', 'elem'], self_ps: [100, 50, 250] },
} as unknown as Layers;

test('layers: a part is listed where all around it are open; a layer without a part has no cell', () => {
  assert.deepEqual(
    listed(REPEATS, () => true),
    [0, 1, 2, 3, 4],
  );
  assert.deepEqual(
    listed(REPEATS, (part) => part < 1),
    [0, 1, 4],
  );
  assert.deepEqual(
    listed(REPEATS, (part) => part !== 1),
    [0, 1, 4],
  );
  assert.deepEqual(cellTimes(REPEATS).get('0.1'), { mean_ps: 50, ops: 2 });
  assert.equal(cellTimes(REPEATS).get('1.0'), undefined);
  assert.deepEqual(
    passesOf(REPEATS, 0).map(({ phase, self, parts }) => [phase, self, parts.length]),
    [
      ['forward', 150, 2],
      ['backward', 250, 1],
    ],
  );
  assert.deepEqual(passesOf(REPEATS, 1), []);
});

test('colour of a cell: how far it is from the median of its row, twice is all', () => {
  assert.equal(heat(10, 10), 0);
  assert.equal(heat(15, 10), 0.5);
  assert.equal(heat(50, 10), 1);
  assert.equal(heat(5, 10), -0.5);
  assert.equal(heat(5, 0), 0);
  assert.equal(medianOf([3, 1, 2]), 2);
  assert.equal(medianOf([4, 1, 2, 3]), 2.5);
});

test('the word that a row is grouped by, and what the group is called', () => {
  const { ops: c } = answer([{ module: 'jit_f(1)', group: 'matmul', opcode: '' }]);
  assert.deepEqual([keyOf(c, 0, 'program'), keyOf(c, 0, 'group'), keyOf(c, 0, 'opcode')], ['jit_f(1)', 'matmul', '-']);
  assert.deepEqual([groupName('-', 'opcode'), groupName('matmul', 'group'), groupName('a/b', 'scope')], ['none recorded', 'matmul / conv', 'a/b']);
});
