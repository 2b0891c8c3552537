import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fitted, shared } from '../../src/table/fit';
import { MAX_HEIGHT, pagesFor, scrollFor, wasOpened, windowOf } from '../../src/table/window';
import { idleWords, lifeSpan, stepShare, tickPixels } from '../../src/memory/life_bar';
import { boxAt, layoutIcicle } from '../../src/canvas/icicle';
import { filterOf, insideScope, pathOf, treeName } from '../../src/memory/icicle';
import { bestOrder, tileMarks } from '../../src/memory/tiles';
import { moduleRows, sortModules } from '../../src/memory/modules_tab';
import type { Modules, Tree } from '../../src/api/types';

test('rows on screen, with spare ones', () => {
  assert.deepEqual(windowOf(0, 220, 1000, 22), { first: 0, last: 17, offset: 0, height: 22000 });
  const middle = windowOf(2200, 220, 1000, 22);
  assert.deepEqual([middle.first, middle.last, middle.offset], [94, 117, 94 * 22]);
  const end = windowOf(22000 - 220, 220, 1000, 22);
  assert.equal(end.last, 1000);
  assert.deepEqual(windowOf(0, 220, 0, 22), { first: 0, last: 0, offset: 0, height: 0 });
  assert.equal(windowOf(99999, 220, 3, 22).first, 0);
});

test('250,000 rows need no squeeze, ten million reach their last row', () => {
  assert.equal(windowOf(0, 500, 250_000, 22).height, 5_500_000);
  const many = windowOf(MAX_HEIGHT - 500, 500, 10_000_000, 22);
  assert.equal(many.height, MAX_HEIGHT);
  assert.equal(many.last, 10_000_000);
  const half = windowOf((MAX_HEIGHT - 500) / 2, 500, 10_000_000, 22);
  assert.ok(Math.abs(half.first - 5_000_000) < 30);
  // The rows drawn cover the view.
  assert.ok(half.offset <= (MAX_HEIGHT - 500) / 2);
  assert.ok(half.offset + (half.last - half.first) * 22 >= (MAX_HEIGHT - 500) / 2 + 500);
});

test('scrolling to a row moves as little as possible', () => {
  assert.equal(scrollFor(5, 0, 220, 1000, 22), 0);
  assert.equal(scrollFor(10, 0, 220, 1000, 22), 22);
  assert.equal(scrollFor(2, 100, 220, 1000, 22), 44);
  for (const index of [0, 1234, 9_999_999]) {
    const top = scrollFor(index, 3_000_000, 500, 10_000_000, 22);
    const w = windowOf(top, 500, 10_000_000, 22);
    assert.ok(w.first <= index && index < w.last, String(index));
  }
});

test('the cursor is not fetched back to rows that were opened in the table', () => {
  const opened = [4, 2, 7];
  assert.equal(wasOpened(opened, 4), true, 'the first, while two more are on their way');
  assert.equal(wasOpened(opened, 7), true, 'the page passed over the one before it');
  assert.equal(opened.length, 0);
  assert.equal(wasOpened(opened, 7), false, 'revealed again, from elsewhere');
  opened.push(3);
  assert.equal(wasOpened(opened, -1), false, 'nothing is revealed');
  assert.equal(wasOpened(opened, 3), false, 'and what was opened before that no longer counts');
});

test('pages of a window', () => {
  assert.deepEqual(pagesFor(0, 17, 200), [0]);
  assert.deepEqual(pagesFor(190, 410, 200), [0, 1, 2]);
  assert.deepEqual(pagesFor(200, 200, 200), []);
});

test('a life on the line of the program', () => {
  assert.deepEqual(lifeSpan(0, 50, 100), { left: 0, width: 0.5 });
  assert.deepEqual(lifeSpan(null, null, 100), { left: 0, width: 1 });
  assert.deepEqual(lifeSpan(90, null, 100), { left: 0.9, width: 0.1 });
  assert.deepEqual(lifeSpan(-5, 500, 100), { left: 0, width: 1 });
  assert.deepEqual(lifeSpan(60, 40, 100), { left: 0.6, width: 0 });
  assert.deepEqual(lifeSpan(3, 4, 0), { left: 0, width: 1 });
});

test('the tick of the peak stands in the middle of its step', () => {
  assert.equal(stepShare(0, 2), 0.25);
  assert.equal(stepShare(null, 2), null);
  assert.equal(stepShare(5, 0), null);
});

test('use ticks: one a pixel, none outside', () => {
  assert.deepEqual(tickPixels([0, 1, 2, 3], 1000, 10), [0]);
  assert.deepEqual(tickPixels([999, 0], 1000, 10), [0, 9]);
  assert.deepEqual(tickPixels([1000], 1000, 10), [9]);
  assert.deepEqual(tickPixels([1], 0, 10), []);
});

test('idle in words', () => {
  assert.equal(idleWords(71, 134, 115), 'idle from step 71 to 134, across the peak');
  assert.equal(idleWords(71, 134, 200), 'idle from step 71 to 134');
  assert.equal(idleWords(null, 134, 1), null);
  assert.equal(idleWords(5, 5, 1), null);
});

const tree: Tree = {
  step: 1,
  total_bytes: 100,
  n: 6,
  name: [0, 1, 2, 3, 4, 5],
  parent: [-1, 0, 1, 1, 0, 0],
  depth: [0, 1, 2, 2, 1, 1],
  size_bytes: [100, 60, 40, 20, 39, 1],
  overlap_bytes: 0,
  nodes: 6,
  padding_bytes: [0, 0, 0, 0, 0, 0],
  count: [9, 5, 3, 2, 3, 1],
  group: [0, 0, 0, 0, 0, 0],
  repeats: [1, 1, 1, 1, 1, 1],
  names: ['', 'forward', 'attention', '[self]', 'arguments', '[3 smaller]'],
  limit: 2000,
};

test('an icicle: children stand under their parent, widths are bytes', () => {
  const shape = { n: tree.n, parent: tree.parent, depth: tree.depth, size: tree.size_bytes };
  const boxes = layoutIcicle(shape, 200);
  assert.deepEqual(
    boxes.map((box) => [box.node, box.x, box.width, box.depth]),
    [
      [0, 0, 200, 0],
      [1, 0, 120, 1],
      [2, 0, 80, 2],
      [3, 80, 40, 2],
      [4, 120, 78, 1],
      [5, 198, 2, 1],
    ],
  );
  assert.deepEqual(layoutIcicle({ ...shape, n: 0 }, 200), []);
  assert.equal(boxAt(boxes, 2, 90)?.node, 3);
  assert.equal(boxAt(boxes, 2, 150), null);
});

test('a click on a part means a filter', () => {
  assert.deepEqual(pathOf(tree, 2), ['forward', 'attention']);
  assert.equal(filterOf('scope', pathOf(tree, 2)).scope, 'forward/attention');
  assert.equal(filterOf('scope', pathOf(tree, 3)).scope, 'forward');
  assert.equal(filterOf('scope', pathOf(tree, 5)).scope, null);
  assert.equal(filterOf('source', ['a.py', ':92', 'fusion']).source, 'a.py:92');
  assert.equal(filterOf('source', ['[no source]', 'output']).class, 'output');
  assert.deepEqual(filterOf('class', ['temporary', 'matmul']).group, 'matmul');
});

test('the scopes above a scope and below it', () => {
  assert.deepEqual(insideScope(tree, 'forward'), [true, true, true, true, false, false]);
  assert.deepEqual(insideScope(tree, 'forward/attention'), [true, true, true, false, false, false]);
  assert.equal(insideScope(tree, 'forw'), null);
  const layers = { ...tree, names: ['', 'forward', 'layer_*', '[self]', 'layer_3', '[3 smaller]'], repeats: [1, 1, 6, 1, 1, 1] };
  assert.equal(treeName(layers, 2), 'layer_* \u00d7 6');
  assert.equal(treeName(layers, 4), 'layer_3');
  assert.deepEqual(insideScope(layers, 'forward/layer_2'), [true, true, true, false, false, false]);
  assert.deepEqual(insideScope(layers, 'layer_*'), [true, false, false, false, true, false]);
  assert.equal(insideScope(layers, 'layer_4'), null);
  assert.equal(insideScope(tree, ''), null);
});

test('lines between tiles: all of them, or every n-th when there is no room', () => {
  assert.deepEqual(tileMarks(1024, 128, 160), [20, 40, 60, 80, 100, 120, 140]);
  assert.ok(tileMarks(16_000_512, 8, 294).length <= 294 / 14);
  assert.deepEqual(tileMarks(128, 128, 100), []);
  assert.deepEqual(tileMarks(128, 0, 100), []);
});

test('another order of dimensions is worth a word from a tenth on', () => {
  const orders = [
    { minor_to_major: [1, 0], tiled_bytes: 100 },
    { minor_to_major: [0, 1], tiled_bytes: 50 },
  ];
  assert.deepEqual(bestOrder(orders, 100)?.minor_to_major, [0, 1]);
  assert.equal(bestOrder(orders, 52), null);
  assert.equal(bestOrder([], 52), null);
});

test('modules: one row a memory space, a failed one stays with its reason, unknown sorts last', () => {
  const m = {
    n: 2,
    key: ['a(1)', 'b(2)'],
    name: ['a', 'b'],
    program_id: ['1', '2'],
    run_count: [3, null],
    buffers: [10, null],
    peak_space: [0, null],
    error: [null, 'truncated'],
    failed_to_compile: [false, false],
    spaces: {
      n: 2,
      module: [0, 0],
      color: [0, 1],
      name: ['HBM', 'VMEM'],
      peak_bytes: [100, 20],
      reserved_bytes: [100, 25],
      argument_bytes: [1, 2],
      output_bytes: [1, 2],
      temp_bytes: [1, null],
      fragmentation_bytes: [7, null],
    },
  } as unknown as Modules;
  const rows = moduleRows(m);
  assert.deepEqual(
    rows.map((row) => [row.name, row.space, row.peak, row.fragmentation]),
    [
      ['a', 'HBM', 100, 7],
      ['a', 'VMEM', 20, null],
      ['b', '', null, null],
    ],
  );
  assert.deepEqual(
    sortModules(rows, 'peak', true).map((row) => row.peak),
    [100, 20, null],
  );
  assert.deepEqual(
    sortModules(rows, 'peak', false).map((row) => row.peak),
    [20, 100, null],
  );
});

test('columns that lack room get what others do not use, and no more', () => {
  assert.deepEqual(fitted([100, 50, 50], [60, 70, 50]), [80, 70, 50]);
  assert.deepEqual(
    fitted([100, 50, 50], [90, 70, 60]),
    [90, 50 + 20 / 3, 50 + 10 / 3].map((width) => width),
    'shared by what they lack',
  );
  assert.deepEqual(fitted([100, 50], [100, 80]), [100, 50]);
  assert.deepEqual(fitted([100, 50], [10, 20]), [100, 50], 'nothing is cut');
});

test('numbers are never cut; names share the rest', () => {
  assert.deepEqual(shared(200, [200, 100, 100], [300, 80, 40], [false, true, true]), [200 - 80 - 50 + 10, 80, 40]);
  assert.deepEqual(shared(400, [200, 100, 100], [100, 80, 40], [false, true, true]), [200, 100, 100], 'there is room for all');
});
