import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answers } from '../../src/api/answers';
import type { Live } from '../../src/api/types';
import { pageUnit } from '../../src/util/format';
import { bufferItem, findingItems, formatChanges, groupItems, paddingItem, parseChanges, ranges } from '../../src/whatif/items';
import { roomyPeaks } from '../../src/whatif/overlay';
import { costText, timeText, workText } from '../../src/whatif/words';

const MIB = 2 ** 20;

test('what if: the changes of the address, and back; what is not understood is left out', () => {
  const text = 'D06:donate,g17:shard:4,1081:drop,D09.2:halve,pad:unpad';
  const changes = parseChanges(text);
  assert.deepEqual(
    changes.map(({ id, action, parts }) => [id, action, parts]),
    [
      ['D06', 'donate', 2],
      ['g17', 'shard', 4],
      ['1081', 'drop', 2],
      ['D09.2', 'halve', 2],
      ['pad', 'unpad', 2],
    ],
  );
  assert.equal(formatChanges(changes), text);
  assert.deepEqual(parseChanges('x:drop,7:explode,<b>:drop,,8'), []);
  assert.deepEqual(parseChanges(undefined), []);
});

test('what if: of one id the last change holds; a number of devices that cannot be is 2', () => {
  assert.equal(formatChanges(parseChanges('7:drop,7:halve')), '7:halve');
  for (const parts of ['1', '0', '-4', 'x', '70000']) assert.equal(formatChanges(parseChanges(`7:shard:${parts}`)), '7:shard:2', parts);
});

test('what if: indexes as ranges', () => {
  assert.equal(ranges([9, 3, 5, 6, 7, 8, 5]), '3+5-9');
  assert.equal(ranges([]), '');
});

/** Two parameters of one tree, two alike temporaries (one padded), one output without an index. */
const live = {
  n: 5,
  names: ['', 'params_0_w', 'params_1_w', 'fusion.1', 'fusion.2', 'out', 'parameter', 'temporary', 'output', 'f32[8,128]', 's8[16]', 'matmul'],
  name: [1, 2, 3, 4, 5],
  class: [6, 6, 7, 7, 8],
  shape: [9, 9, 10, 10, 9],
  group: [0, 0, 11, 11, 11],
  buffer: [40, 41, 12, 10, null],
  size_bytes: [4096, 4096, 1024, 1024, 4096],
  unpadded_bytes: [4096, 4096, 16, 1024, 4096],
} as unknown as Live;

test('what if: what is held at the peak, in groups of a kind', () => {
  assert.deepEqual(
    groupItems(live).map(({ id, count, code, action, buffers }) => ({ id, count, code, action, buffers })),
    [
      { id: 'g40', count: '2 ×', code: 'params…', action: 'halve', buffers: [40, 41] },
      { id: 'g10', count: '2 ×', code: 's8[16]', action: 'recompute', buffers: [12, 10] },
    ],
  );
  assert.deepEqual(groupItems(null), []);
});

test('what if: all padding is one item, and none where nothing is padded', () => {
  assert.deepEqual(paddingItem(live)?.buffers, [12]);
  assert.equal(paddingItem({ ...live, unpadded_bytes: live.size_bytes }), null);
  assert.equal(paddingItem(null), null);
});

test('what if: a buffer by its index, with what is known', () => {
  assert.deepEqual([bufferItem('41', live).code, bufferItem('41', live).from], ['%params_1_w', 'f32[8,128]']);
  assert.deepEqual([bufferItem('99', live).code, bufferItem('99', live).from], ['buffer 99', 'not held at the peak']);
});

test('what if: findings with an action in this memory, numbered when several have one rule', () => {
  const finding = { id: 'D09', name: 'large_temporary', action: 'recompute', buffers: [1, 2], buffers_left_out: 0, space: 0, silenced: null, source: null };
  const doctor = {
    findings: [
      { ...finding, largest_shape: 'f32[8,16]{1,0:T(8,128)}' },
      { ...finding, space: 1 },
      { ...finding, largest_shape: '(f32[2]{0}, f32[2]{0})', buffers: [3], source: { file: '/a/model.py', line: 7 } },
      { ...finding, id: 'D01', name: 'padding_waste', action: 'unpad', buffers_left_out: 3 },
      { ...finding, silenced: 'D09' },
      { ...finding, action: null },
    ],
  } as unknown as Answers['doctor'];
  assert.deepEqual(
    findingItems(doctor, 0).map(({ id, count, code, from }) => [id, count, code, from]),
    [
      ['D09', '2 ×', 'f32[8,16]', 'D09 large temporary'],
      ['D09.3', '', '(f32[2]{0}, f32[2]{0})', 'D09 large temporary, model.py:7'],
      ['D01', '2 buffers:', 'padding waste', 'D01, the largest 2'],
    ],
  );
  assert.deepEqual(findingItems(null, 0), []);
});

test('what if: costs in words; what is not known is not guessed', () => {
  pageUnit.value = 'MiB';
  const cost = { action: 'recompute', moved: 0, flops: 103e9, bytes: 0, parts: 2 };
  assert.equal(costText(cost, 6e12, null), '+103 GFLOP (1.7 %)');
  assert.equal(costText(cost, null, null), '+103 GFLOP');
  assert.equal(costText({ ...cost, flops: null }, 6e12, null), 'cost unknown');
  assert.equal(costText({ ...cost, action: 'offload', moved: 768 * MIB }, null, 16e9), 'out and back 768.0 MiB: 50 ms at 16 GB/s');
  assert.equal(costText({ ...cost, action: 'offload', moved: 768 * MIB }, null, null), 'out and back 768.0 MiB');
  assert.equal(costText({ ...cost, action: 'shard', bytes: 400 * MIB, parts: 4 }, null, null), '4 devices, gathers 300.0 MiB a step');
  assert.equal(costText({ ...cost, action: 'drop' }, null, null), '');
  assert.deepEqual([7, 2.5e6, 3.21e9, 4e12, 250e12].map(workText), ['+7 FLOP', '+2.5 MFLOP', '+3.2 GFLOP', '+4.0 TFLOP', '+250 TFLOP']);
  assert.deepEqual([2.25, 0.05, 12e-6].map(timeText), ['2.3 s', '50 ms', '12 µs']);
});

test('what if: a number that would be on a higher peak is left to the list', () => {
  const peaks = [
    { x: 0, y: 0 },
    { x: 15, y: 15 },
    { x: 15, y: 16 },
    { x: 16, y: 0 },
  ];
  assert.deepEqual(roomyPeaks(peaks), [peaks[0], peaks[2], peaks[3]]);
});
