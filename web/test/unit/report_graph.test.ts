// The report's graphs: scales of the map, treemap, chosen buffers as a stack; each against a count by hand.
import assert from 'node:assert/strict';
import test from 'node:test';
import { boxScale, boxValues, boxValueText } from '../../src/report/box_colours';
import { meaningOf } from '../../src/report/glossary';
import { deviceTiles, spaceRows } from '../../src/report/map_state';
import { addressRange, stackOf } from '../../src/report/plot_stack';
import { readChosen } from '../../src/report/plot_state';
import { makeScale, rankOf } from '../../src/report/scales';
import { boxAt, layoutTreemap, squarify } from '../../src/report/treemap';
import { typeGroup } from '../../src/report/buffers_tab';
import { overflowOf } from '../../src/report/spaces_chart';
import type { Heap, Plot } from '../../src/report/types';

test('relative scale: smallest is the first colour, largest the last', () => {
  const scale = makeScale('relative', [4, 10, 7], 100);
  assert.equal(scale.place(4), 0);
  assert.equal(scale.place(10), 1);
  assert.equal(scale.place(7), 0.5);
  assert.equal(scale.capacityAt, null);
});

test('absolute scale: 0 to the capacity; beyond it to the largest with a tick; unknown is said', () => {
  const fits = makeScale('absolute', [4, 8], 16);
  assert.deepEqual([fits.place(0), fits.place(16), fits.place(8), fits.capacityAt], [0, 1, 0.5, 1]);
  const over = makeScale('absolute', [18, 9], 16);
  assert.deepEqual([over.from, over.to, over.place(9)], [0, 18, 0.5]);
  assert.equal(over.capacityAt, 16 / 18);
  const unknown = makeScale('absolute', [3, 6], null);
  assert.deepEqual([unknown.to, unknown.place(3), unknown.capacityAt], [6, 0.5, null]);
  assert.match(unknown.note, /ends at the largest/);
});

test('rank scale: n values are n evenly spaced places, equal ones share theirs', () => {
  const scale = makeScale('rank', [100, 1, 7, 7, 50], 16);
  assert.deepEqual([1, 7, 50, 100].map(scale.place), [0, 1 / 3, 2 / 3, 1]);
  assert.equal(makeScale('rank', [5], null).place(5), 1);
  assert.deepEqual(
    [100, 50, 7, 1].map((value) => rankOf(value, [100, 1, 7, 7, 50])),
    [1, 2, 3, 5],
  );
});

test('squarified boxes have the areas of their values, fill the box and do not overlap', () => {
  const values = [6, 6, 4, 3, 2, 2, 1];
  const boxes = squarify(values, { x: 10, y: 20, width: 600, height: 400 });
  for (const [k, box] of boxes.entries()) {
    assert.ok(Math.abs(box.width * box.height - (values[k] / 24) * 240_000) < 1e-6);
    assert.ok(box.x >= 10 - 1e-9 && box.y >= 20 - 1e-9 && box.x + box.width <= 610 + 1e-9 && box.y + box.height <= 420 + 1e-9);
  }
  for (let a = 0; a < boxes.length; a++)
    for (let b = a + 1; b < boxes.length; b++) {
      const wide = Math.min(boxes[a].x + boxes[a].width, boxes[b].x + boxes[b].width) - Math.max(boxes[a].x, boxes[b].x);
      const high = Math.min(boxes[a].y + boxes[a].height, boxes[b].y + boxes[b].height) - Math.max(boxes[a].y, boxes[b].y);
      assert.ok(wide < 1e-6 || high < 1e-6, `${a} and ${b} overlap`);
    }
  assert.deepEqual(
    squarify([0, 0], { x: 0, y: 0, width: 10, height: 10 }).map((box) => box.width),
    [0, 0],
  );
});

test('a treemap opens what has room, children lie inside of their parent, the innermost is hit', () => {
  const tree = { n: 5, parent: [-1, 0, 0, 1, 1], size_bytes: [10, 7, 3, 4, 3] };
  const boxes = layoutTreemap(tree, 0, 400, 300);
  assert.deepEqual(boxes.map((box) => box.node).sort(), [0, 1, 2, 3, 4]);
  for (const box of boxes) {
    const parent = boxes.find((other) => other.node === tree.parent[box.node]);
    if (parent)
      assert.ok(
        box.x >= parent.x && box.y > parent.y && box.x + box.width <= parent.x + parent.width + 1e-9 && box.y + box.height <= parent.y + parent.height + 1e-9,
      );
  }
  const inner = boxes.find((box) => box.node === 3);
  assert.ok(inner);
  assert.equal(boxAt(boxes, inner.x + inner.width / 2, inner.y + inner.height / 2)?.node, 3);
  assert.deepEqual(
    layoutTreemap(tree, 1, 400, 300)
      .map((box) => box.node)
      .sort(),
    [1, 3, 4],
  );
  assert.equal(layoutTreemap(tree, 0, 20, 10).length, 1);
});

function plot(pieces: [of: number, from: number, to: number, size: number, offset: number | null][], rows: number): Plot {
  return {
    rows: Array.from({ length: rows }, () => ({})),
    pieces: {
      n: pieces.length,
      of: pieces.map((p) => p[0]),
      from_step: pieces.map((p) => p[1]),
      to_step: pieces.map((p) => p[2]),
      size_bytes: pieces.map((p) => p[3]),
      offset_bytes: pieces.map((p) => p[4]),
    },
    pieces_left_out: 0,
  } as unknown as Plot;
}

test('the stack has each buffer inside of its life only, and no maximum is lost between pixels', () => {
  const p = plot(
    [
      [0, 10, 20, 5, 0],
      [1, 15, 16, 100, 64],
      [2, 0, 100, 1, null],
    ],
    3,
  );
  const fine = stackOf(p, 0, 100, 100);
  for (let step = 0; step < 100; step++) {
    assert.equal(fine.bytes[0][step], step >= 10 && step < 20 ? 5 : 0);
    assert.equal(fine.bytes[1][step], step === 15 ? 100 : 0);
    assert.equal(fine.total[step], 1 + fine.bytes[0][step] + fine.bytes[1][step]);
  }
  const coarse = stackOf(p, 0, 100, 4);
  assert.deepEqual([...coarse.total], [106, 1, 1, 1]);
  assert.equal(coarse.step[0], 15);
  assert.deepEqual(addressRange(p), { low: 0, high: 164 });
  assert.equal(addressRange(plot([[0, 0, 5, 9, null]], 1)), null);
});

test('chosen buffers of the address: whole numbers, each once, in their order, 32 at most', () => {
  assert.deepEqual(readChosen('7, 3,7,x,-1,1.5'), [7, 3]);
  assert.deepEqual(readChosen(''), []);
  assert.equal(readChosen(Array.from({ length: 40 }, (_, k) => k).join()).length, 32);
});

test('rows of the module map: outputs over arguments count once', () => {
  const spaces = {
    n: 1,
    module: [0],
    color: [0],
    name: ['HBM'],
    peak_bytes: [100],
    reserved_bytes: [130],
    argument_bytes: [60],
    output_bytes: [50],
    alias_bytes: [45],
    constant_bytes: [5],
    heap_bytes: [60],
    temp_bytes: [30],
    fragmentation_bytes: [30],
    thread_local_bytes: [9],
  };
  const [row] = spaceRows({ spaces, key: ['m'], name: ['m'], failed_to_compile: [false], run_count: [null] } as never);
  assert.equal(row.arguments + row.outputs + row.constants + (row.temporaries ?? 0), row.peak);
  assert.deepEqual([row.fragmentation, row.threadLocal], [30, 9]);
});

test('S1.22, S1.23: tiles of devices: a strip for each host, peak in use and capacity as reported', () => {
  const track = (allocator: string, most: number, capacity: number | null) => ({
    allocator,
    process: 0,
    events: 3,
    most_bytes: most,
    capacity_bytes: capacity,
  });
  const tiles = deviceTiles([
    { host: 'a', answer: { tracks: [track('0', 7, 16), track('1', 9, 16)] } },
    { host: 'b', answer: { tracks: [track('GPU_0_bfc', 5, null)] } },
  ] as never);
  assert.deepEqual(
    tiles.map(({ strip, label, bytes, capacity }) => [strip, label, bytes, capacity]),
    [
      ['a', 'device 0', 7, 16],
      ['a', 'device 1', 9, 16],
      ['b', 'GPU_0_bfc', 5, null],
    ],
  );
  assert.equal(new Set(tiles.map((tile) => tile.id)).size, 3);
});

test('S1.37: blocks by bytes, padding, age and reuse', () => {
  const heap = { step: 10, heap_bytes: 400, size_bytes: [100, 300], unpadded_bytes: [25, 300], start_step: [4, 10], tenants: [7, 1] } as unknown as Heap;
  assert.deepEqual(boxValues(heap, 'padding'), [75, 0]);
  assert.deepEqual(boxValues(heap, 'age'), [6, 0]);
  assert.deepEqual(boxValues(heap, 'reuse'), [7, 1]);
  assert.equal(boxScale(heap, 'padding', 'absolute').to, 100);
  assert.equal(boxScale(heap, 'bytes', 'absolute').place(100), 0.25);
  assert.deepEqual(
    ['padding', 'age', 'reuse'].map((by) => boxValueText(by as never, 1, String)),
    ['1.0 %', '1 step', '1 tenant'],
  );
});

test('S1.100: names that come again and again have a sentence each', () => {
  for (const name of [
    'tuple.3',
    'get-tuple-element.9',
    'copy.137',
    'fusion.2.remat',
    'all-gather.1',
    'while.4',
    'param.2',
    'xor_convert_fusion',
    'cutlass_gemm_f16',
    'Arg_0.1',
    'small (<16384 bytes)',
    '%copy-start.1',
  ])
    assert.ok(meaningOf(name).length > 20, name);
  assert.match(meaningOf('copy-done.2'), /copy-start/);
  assert.equal(meaningOf('add.3'), '');
});

test('S1.95: every type of a buffer falls in one group', () => {
  assert.deepEqual(['compute.matmul', 'space_copy', 'relayout', 'collectives', 'host', 'arguments', 'constants', 'tuples', 'holes'].map(typeGroup), [
    'results',
    'moved',
    'moved',
    'moved',
    'moved',
    'user',
    'user',
    'other',
    'free',
  ]);
});

test('S1.8: what is over the capacity', () => {
  assert.deepEqual([overflowOf(18, 16), overflowOf(16, 16), overflowOf(3, null)], [2, 0, 0]);
});
