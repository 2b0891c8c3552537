import assert from 'node:assert/strict';
import { test } from 'node:test';
import { grownShare, shapeOf } from '../../src/heap/shape';
import type { Lines, Tree } from '../../src/heap/state';
import { withSum } from '../../src/heap/table';
import { heldBy } from '../../src/heap/beside_state';
import { runsBeside, tracerName } from '../../src/heap/traced_state';
import { joinedWords } from '../../src/heap/words';

/** all(100) > a(70) > a1(30), b(30); base: a(20). */
function nodes(): Tree['nodes'] {
  return {
    n: 4,
    key: ['1', '2', '3', '4'],
    parent: [null, 0, 0, 1],
    value: [100, 30, 70, 10],
    count: [9, 3, 6, 1],
    grown: [50, 0, 50, 0],
    base_value: [50, 30, 20, 10],
    base_count: [9, 3, 2, 1],
  } as unknown as Tree['nodes'];
}

test('heap: the largest child first, depth first', () => {
  const h = shapeOf(nodes(), 'value', undefined);
  assert.deepEqual(h.at, [0, 2, 1, 3]);
  assert.deepEqual(h.parent, [-1, 0, 0, 2]);
  assert.deepEqual(h.depth, [0, 1, 1, 2]);
  assert.deepEqual(h.size, [100, 70, 30, 10]);
});

test('heap: by growth only what grew has a box; a zoom is its own root', () => {
  assert.deepEqual(shapeOf(nodes(), 'grown', undefined).at, [0, 2]);
  const zoomed = shapeOf(nodes(), 'value', '2');
  assert.deepEqual(
    [zoomed.at, zoomed.depth],
    [
      [1, 3],
      [0, 1],
    ],
  );
});

test('heap: values below 0 never make a box wider than its parent', () => {
  const c = nodes();
  c.value = [40, -30, 70, 10];
  const h = shapeOf(c, 'value', undefined);
  assert.deepEqual(
    [h.at, h.size],
    [
      [0, 2],
      [40, 40],
    ],
  );
});

test('heap: the share that grew', () => {
  const c = nodes();
  assert.equal(grownShare(c, 0, 'value'), 0.5);
  assert.equal(grownShare(c, 1, 'value'), 0);
  assert.equal(grownShare(c, 2, 'count'), 4 / 6);
  assert.equal(grownShare(c, 2, 'grown'), 0);
});

/** Two lines on two devices over two files, 20 steps apart. */
function lines(more: Partial<Lines> = {}): Lines {
  return {
    value: 100,
    count: 7,
    base_value: 40,
    change: 60,
    rest_value: 0,
    steps: true,
    devices: ['cpu:0', 'cpu:1'],
    rows: {
      n: 2,
      key: ['a', 'b'],
      label: ['a', 'b'],
      value: [70, 30],
      change: [50, 10],
      last_per_step: [2, 1],
      mean: [10, null],
      values: [
        [20, 70],
        [20, 30],
      ],
      devices: [
        [35, 35],
        [20, 10],
      ],
    },
    series: { n: 2, name: ['1', '2'], step: [20, 40], value: [40, 100] },
    ...more,
  } as unknown as Lines;
}

test('heap: the sum of the rows has a tick where it is what the file holds', () => {
  const { rows } = withSum(lines());
  assert.deepEqual([rows.label[2], rows.value[2], rows.change[2], rows.last_per_step[2], rows.mean[2]], ['all rows \u2713', 100, 60, 3, 14]);
  assert.deepEqual(
    [rows.devices[2], rows.values[2]],
    [
      [55, 45],
      [40, 100],
    ],
  );
  assert.equal(rows.n, 2, 'it is behind the rows');
  assert.match(withSum(lines({ value: 101 })).rows.label[2], /do not add up/);
  assert.equal(withSum(lines({ value: 130, rest_value: 30 })).rows.label[2], 'all rows \u2713', 'rows that are not listed count');
  assert.equal(withSum(lines({ steps: false })).rows.last_per_step[2], 60, 'without steps a file is one');
});

test('heap: a trace of the same folder, the name under which it would have the line', () => {
  const one = (id: string, kind = 'profile', mtime_ms = 1) => ({ id, folder: id.includes('/') ? id.slice(0, id.lastIndexOf('/')) : '', kind, mtime_ms });
  const list = [
    one('exp/heap', 'heap'),
    one('exp/old', 'profile', 1),
    one('exp/new', 'profile', 9),
    one('exp/heap/inner', 'profile', 5),
    one('other/run'),
    one('exp/dump', 'dump'),
  ];
  assert.deepEqual(runsBeside(list, 'exp/heap'), ['exp/new', 'exp/heap/inner', 'exp/old']);
  assert.deepEqual(runsBeside(list, 'gone'), []);
  const root = [one('memory', 'heap'), one('run'), one('memory/inner')];
  assert.deepEqual(runsBeside(root, 'memory'), ['run', 'memory/inner']);
  assert.deepEqual(runsBeside([...root, one('exp/run')], 'memory'), ['memory/inner'], 'which of two is its run is unknown');
  const frame = (own: boolean, file: string | null, start_line: number | null, name: string) => ({
    own,
    file,
    start_line,
    function: name,
    label: '',
    line: 41,
  });
  assert.equal(tracerName([frame(false, '/lib/jax/api.py', 7, 'cache_miss'), frame(true, '/home/me/train.py', 39, 'Trainer.step')]), '$train.py:39 step');
  assert.equal(tracerName([frame(true, '/home/me/train.py', null, 'step')]), null);
  assert.equal(tracerName([]), null);
});

test('heap: the allocator of a device, where it once held as much to within 1 %', () => {
  const track = (title: string, heap_near_bytes: number | null, heap_near_at_ps: number | null = 7) => ({ title, heap_near_bytes, heap_near_at_ps });
  const tracks = [track('TPU:0', 1010), track('TPU:1', 990)];
  assert.deepEqual(heldBy('TPU_1(process=0,(0,1,0,0))', 1000, tracks), {
    device: 'TPU_1(process=0,(0,1,0,0))',
    bytes: 1000,
    allocator: 1,
    title: 'TPU:1',
    heap: 990,
    at_ps: 7,
  });
  assert.equal(heldBy('tpu:0', 1000, tracks)?.allocator, 0);
  assert.equal(heldBy('tpu:0', 999, tracks), null, 'more than 1 % apart');
  assert.equal(heldBy('tpu:2', 1000, tracks), null);
  assert.equal(heldBy('cpu:0', 1000, tracks), null, 'memory of the host');
  assert.equal(heldBy('cuda:0', 1000, [track('host1 GPU:0', 1000)])?.title, 'host1 GPU:0');
  assert.equal(heldBy('cuda:0', 1000, [track('host1 GPU:0', 1000), track('host2 GPU:0', 1000)]), null, 'which of two is unknown');
  assert.equal(heldBy('tpu:0', 0, [track('TPU:0', 0)]), null, 'nothing is equal to nothing');
  assert.equal(heldBy('tpu:0', 1000, [track('TPU:0', null, null)]), null, 'no heap is recorded');
});

test('heap: boxes that are drawn as one are counted', () => {
  assert.deepEqual(joinedWords(1234), ['1,234 more', '…']);
});
