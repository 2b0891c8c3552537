import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowVariable, areaWords, isResident, leafWords } from '../../src/report/colours';
import { addressAt, addressText, heightOf, piecesOf, rowHighOf, rowsOf } from '../../src/report/draw_heap';
import { stackOf } from '../../src/report/draw_areas';
import { hitByAddress } from '../../src/report/draw_plot';
import type { Areas, Heap, Plot } from '../../src/report/types';
import { pageUnit } from '../../src/util/format';

const heap = { heap_bytes: 1000, residents: { n: 0 } } as unknown as Heap;

test('heap map: rows of bytes, at least one; what is always there has a row of its own', () => {
  assert.deepEqual(
    [1, 256, 1000, 4096].map((bytes) => rowsOf(heap, bytes)),
    [1000, 4, 1, 1],
  );
  const more = { ...heap, residents: { n: 3 } } as unknown as Heap;
  assert.equal(heightOf(more, 256, 20) - heightOf(heap, 256, 20), 24);
});

test('heap map: rows are as high as the room allows, within limits', () => {
  assert.equal(rowHighOf(heap, 256, 116), 25);
  assert.ok(rowHighOf(heap, 1, 100) > 0, 'a thousand rows scroll');
  assert.equal(rowHighOf(heap, 256, 1e6), rowHighOf(heap, 256, 1e5), 'few rows do not become walls');
});

test('heap map: a range is drawn in pieces of rows that have all its bytes, and each pixel finds its address', () => {
  const view = { heap, rowBytes: 256, rowHigh: 20, width: 700 };
  const pieces = piecesOf(view, 200, 400);
  assert.equal(pieces.length, 3);
  assert.deepEqual(
    pieces.map(({ first }) => first),
    [true, false, false],
  );
  const whole = piecesOf(view, 0, 256)[0].width;
  const drawn = pieces.reduce((sum, piece) => sum + piece.width, 0);
  assert.ok(Math.abs(drawn - (400 / 256) * whole) < 1e-9);
  for (const address of [200, 255, 256, 511, 512, 599]) {
    const [at] = piecesOf(view, address, 1);
    assert.equal(addressAt(view, at.x + at.width / 2, at.y + 10), address);
  }
});

test('heap map: beside the rows and behind the end there is no address', () => {
  const view = { heap, rowBytes: 256, rowHigh: 20, width: 700 };
  const [last] = piecesOf(view, 999, 1);
  assert.equal(addressAt(view, last.x + last.width / 2, last.y + 1), 999);
  assert.equal(addressAt(view, last.x + 3 * last.width, last.y + 1), null);
  assert.equal(addressAt(view, 0, 10), null);
  assert.equal(addressAt(view, 699, 10), null);
  assert.equal(addressAt(view, 300, 3), null);
  assert.equal(addressAt(view, 300, 4 + 4 * 20), null);
});

test('addresses: hexadecimal of one width, or in the unit of the page', () => {
  pageUnit.value = 'MiB';
  assert.equal(addressText(0x1f00, true), '0x000001f00');
  assert.equal(addressText(3 * 2 ** 20, false), '3');
});

test('report: rows and areas have the words and colours of their kind', () => {
  assert.deepEqual(['compute.matmul', 'relayout', 'holes', 'sum'].map(rowVariable), ['--o-matmul', '--o-custom', '--hole', '']);
  assert.equal(leafWords('space_copy'), 'copies between spaces');
  assert.equal(areaWords('op', 'arguments', 0), 'arguments');
  assert.equal(areaWords('op', 'none', 0), 'other');
  assert.equal(areaWords('scope', '', 3), '3 others');
  assert.equal(areaWords('scope', '', 0), 'none');
});

test('report: at the bottom of the stack is what is always there, then the largest at the peak', () => {
  const areas = {
    by: 'op',
    groups: [
      { name: 'matmul', peak_bytes: 5 },
      { name: 'outputs', peak_bytes: 1 },
      { name: 'elem', peak_bytes: 9 },
      { name: 'arguments', peak_bytes: 3 },
    ],
  } as unknown as Areas;
  assert.deepEqual(
    stackOf(areas).map((k) => areas.groups[k].name),
    ['arguments', 'outputs', 'elem', 'matmul'],
  );
  assert.ok(isResident('class', 'parameter') && !isResident('class', 'temporary') && !isResident('scope', 'arguments'));
});

test('plot by address: a click hits the buffer there at the step, the last drawn first', () => {
  const plot = {
    rows: [{}, {}],
    pieces: { n: 3, of: [0, 1, 1], offset_bytes: [0, 500, null], from_step: [0, 5, 0], to_step: [10, 10, 10], size_bytes: [1000, 500, 7] },
  } as unknown as Plot;
  // 1,000 bytes with 2 % around them on 104 pixels: ten bytes a pixel, and 0 is at the bottom.
  const frame = { top: 0, bottom: 104 };
  assert.equal(hitByAddress(plot, frame, 2, 104 - 60), 0);
  assert.equal(hitByAddress(plot, frame, 6, 104 - 60), 1);
  assert.equal(hitByAddress(plot, frame, 6, 104 - 20), 0);
  assert.equal(hitByAddress(plot, frame, 10, 104 - 60), null);
  assert.equal(hitByAddress(plot, frame, 6, 1), null);
});
