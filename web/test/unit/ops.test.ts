// The pure parts of Ops: units of columns, the order of rows, what stands out, what is said where no peaks are known.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boundOf, COLUMNS, lookOf, shareOf, sumsOf } from '../../src/ops/columns';
import { exactTerm, groupsOf } from '../../src/ops/groups';
import { passesOf } from '../../src/ops/layers_bars';
import { cellTimes, heat, type Layers, listed } from '../../src/ops/layers_state';
import { inUnit, medianOf, rateText, rateUnit, runUnit, signedIn, standsOut, sumUnit, threeText, timeIn } from '../../src/ops/numbers';
import { equalsOf, ordered } from '../../src/ops/table_state';
import type { OpColumns, Ops } from '../../src/ops/state';
import { below, nodeAt, type OpTree, pathTo, rowsIn, treeOf, withoutNumber } from '../../src/ops/tree';

const ROW = {
  name: '', module: 'jit_f', opcode: 'fusion', category: '', group: 'elem', scope: '', phase: null, shape: '', source: '', operations: 1, count: 1, executions: 1,
  total_ps: 0, self_ps: 0, self_share: 0, mean_ps: 0, p50_ps: null, p99_ps: null, min_ps: 0, max_ps: 0, other_total_ps: null, wait_total_ps: null, chips: 1, chip_spread: null,
  flops: null, dtype: '', moved_bytes: null, hbm_bytes: null, vmem_bytes: null, other_bytes: null, flops_per_s: null, hbm_bytes_per_s: null, vmem_bytes_per_s: null,
  intensity: null, bound: 'unknown', bound_reason: null, roof: null, roofline_ps: null, roofline_share: null, lost_ps: null, lost_against: null, cycles: null,
};

/** An answer with these rows. */
function answer(rows: Partial<Record<keyof typeof ROW, unknown>>[], more: Partial<Ops> = {}): Ops {
  const columns: Record<string, unknown> = { n: rows.length };
  for (const key of Object.keys(ROW) as (keyof typeof ROW)[]) columns[key] = rows.map((row) => (key in row ? row[key] : ROW[key]));
  const self_ps = rows.reduce((sum, row) => sum + Number(row.self_ps ?? 0), 0);
  return { known: true, self_ps, total: rows.length, lost_ps: 0, judged_share: 1, best_flops_per_s: null, best_hbm_bytes_per_s: null, ops: columns as unknown as OpColumns, ...more } as unknown as Ops;
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
  assert.equal(rateUnit(7.056e12, 'B/s').word, 'GB/s');
  assert.equal(rateUnit(1.2e13, 'B/s').word, 'TB/s');
  assert.equal(threeText(614.4), '614');
  assert.equal(threeText(null), 'unknown');
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
  const look = lookOf(answer([{ name: 'b', self_ps: 5, lost_ps: 3, lost_against: 'roofline' }, { name: 'a', self_ps: 9 }, { name: 'a', self_ps: 10, lost_ps: 4, lost_against: 'roofline' }]));
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
  assert.equal(sumsOf(look, [0, 1, 2, 3]).lost_ps, 988);
  assert.deepEqual([0, 1, 2, 3].map((k) => boundOf(look, k)), ['memory', 'compute', 'wait', 'unknown']);
  assert.equal(shareOf(look, 0)?.toFixed(3), '0.012');
  assert.equal(shareOf(look, 1), 1);
  assert.equal(shareOf(look, 3), null);
});

const OPS = answer([
  { name: 'dot.1', self_ps: 60, group: 'matmul', scope: 'block_0/mlp', phase: 'backward', source: 'a.py:10', opcode: 'fusion', category: 'convolution' },
  { name: 'dot.2', self_ps: 30, group: 'matmul', scope: 'block_1/mlp', phase: 'forward', source: 'a.py:10', opcode: 'fusion', category: 'convolution' },
  { name: 'add', self_ps: 9, group: 'elem', scope: 'head', phase: 'forward', source: 'b.py:7', opcode: 'add', category: 'add' },
  { name: 'done', self_ps: 1, group: 'host', bound: 'wait', opcode: 'copy-done', category: 'copy-done' },
]).ops;
const lines = (tree: OpTree) => Array.from({ length: tree.n }, (_, i) => `${'.'.repeat(tree.depth[i])}${tree.name[i]} ${tree.size[i]}`);

test('operations as trees: passes before scopes, a part that holds one other is one box with it, children add up', () => {
  const tree = treeOf(OPS, [0, 1, 2, 3], 'scope');
  assert.deepEqual(lines(tree), ['jit_f 100', '.backward/block_0/mlp 60', '..dot.1 60', '.forward 39', '..block_1/mlp 30', '...dot.2 30', '..head 9', '...add 9', '.no pass 1', '..done 1']);
  assert.deepEqual([tree.group[0], tree.group[1], tree.group[3]], ['', 'matmul', '']);
  assert.deepEqual([tree.wait[0], tree.wait[8], tree.ops[0]], [1, 1, 4]);
  for (let i = 0; i < tree.n; i++) {
    const inside = tree.parent.flatMap((parent, k) => (parent === i ? [tree.size[k]] : []));
    if (inside.length) assert.equal(inside.reduce((a, b) => a + b, 0), tree.size[i]);
  }
});

test('the other hierarchies, and what lies below a box', () => {
  assert.deepEqual(lines(treeOf(OPS, [0, 1, 2, 3], 'source')).slice(0, 4), ['jit_f 100', '.a.py/line 10 90', '..dot.1 60', '..dot.2 30']);
  assert.deepEqual(lines(treeOf(OPS, [0, 1, 2, 3], 'layer')).slice(0, 3), ['jit_f 100', '.block_* 90', '..block_0/backward/mlp 60']);
  assert.deepEqual(lines(treeOf(OPS, [2], 'program')), ['jit_f 9', '.add 9', '..add 9']);
  assert.deepEqual(lines(treeOf(OPS, [3], 'group')), ['jit_f 1', '.host transfer/copy-done 1', '..done 1']);
  assert.equal(withoutNumber('block_12'), 'block_*');
  assert.equal(withoutNumber('head'), null);
  const tree = treeOf(OPS, [0, 1, 2, 3], 'scope');
  const at = nodeAt(tree, ['forward']);
  assert.deepEqual(pathTo(tree, at + 1), ['forward', 'block_1/mlp']);
  assert.deepEqual([...rowsIn(tree, at)], [1, 2]);
  assert.deepEqual(lines(below(tree, at)), ['forward 39', '.block_1/mlp 30', '..dot.2 30', '.head 9', '..add 9']);
  assert.equal(nodeAt(tree, ['nothing']), 0);
});

const REPEATS = {
  spans: 4,
  parts: { n: 5, parent: [null, 0, 1, 2, 0], depth: [0, 1, 2, 3, 1], kind: ['layer', 'phase', 'part', 'op', 'phase'], name: ['', 'forward', 'mlp', 'dot', 'backward'] },
  layers: { n: 2 },
  cells: { n: 2, part: [0, 0], layer: [0, 1], ops: [3, 2], self_ps: [400, 200] },
  bars: { n: 3, layer: [0, 0, 0], phase: ['forward', 'forward', 'backward'], group: ['matmul', 'elem', 'elem'], self_ps: [100, 50, 250] },
} as unknown as Layers;

test('layers: a part is listed where all around it are open; a layer without a part has no cell', () => {
  assert.deepEqual(listed(REPEATS, () => true), [0, 1, 2, 3, 4]);
  assert.deepEqual(listed(REPEATS, (part) => part < 1), [0, 1, 4]);
  assert.deepEqual(listed(REPEATS, (part) => part !== 1), [0, 1, 4]);
  assert.deepEqual(cellTimes(REPEATS).get('0.1'), { mean_ps: 50, ops: 2 });
  assert.equal(cellTimes(REPEATS).get('1.0'), undefined);
  assert.deepEqual(passesOf(REPEATS, 0).map(({ phase, self, parts }) => [phase, self, parts.length]), [['forward', 150, 2], ['backward', 250, 1]]);
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

test('equal operations: same pass, opcode, shape and work, in a scope that differs by its numbers', () => {
  const dot = { self_ps: 1, opcode: 'fusion', shape: 'f32[8]', flops: 64, phase: 'forward' };
  const c = answer([
    { ...dot, scope: 'block_0/mlp' },
    { ...dot, scope: 'block_1/mlp' },
    { ...dot, scope: 'block_2/mlp', flops: 65 },
    { ...dot, scope: 'block_3/mlp', phase: 'backward' },
    { ...dot, scope: 'head' },
    { ...dot, scope: '' },
    { ...dot, scope: '' },
  ]).ops;
  assert.deepEqual(equalsOf(c, 0), [1]);
  assert.deepEqual(equalsOf(c, 4), []);
  assert.deepEqual(equalsOf(c, 5), []);
});

test('groups: their sums are those of the rows, most time first; what has no word is a group', () => {
  const look = lookOf(answer([{ self_ps: 5, opcode: 'fusion', count: 2, lost_ps: 1, lost_against: 'roofline', bound: 'HBM' }, { self_ps: 9, opcode: 'add' }, { self_ps: 6, opcode: 'fusion' }, { self_ps: 1, opcode: '' }]));
  const groups = groupsOf(look, [0, 1, 2, 3], 'opcode');
  assert.deepEqual(groups.map(({ key, sums }) => [key, sums.rows, sums.self_ps, sums.lost_ps, sums.judged_ps]), [['fusion', 2, 11, 1, 5], ['add', 1, 9, 0, 0], ['none recorded', 1, 1, 0, 0]]);
  assert.equal(groups.reduce((sum, group) => sum + group.sums.self_ps, 0), sumsOf(look, [0, 1, 2, 3]).self_ps);
});

test('the filter of one group: exactly its word, whatever is in it; what has none is what holds no letter', () => {
  assert.equal(exactTerm('scope', 'block_1/mlp'), 'scope:/^block_1\\/mlp$/');
  assert.equal(exactTerm('shape', 'f32[2,4]'), 'shape:/^f32\\[2,4\\]$/');
  assert.equal(exactTerm('src', 'none recorded'), '-src:/./');
});
