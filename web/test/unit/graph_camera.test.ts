import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { camera, firstLook, fitAll, fitBox, lookAt, moved, onScreen, panBy, reveal, screen, toPicture, toScreen, zoomAt } from '../../src/graph/camera_state';
import type { Drawing } from '../../src/graph/drawing';

beforeEach(() => {
  Object.assign(camera, { x: 0, y: 0, zoom: 1 });
  Object.assign(screen, { width: 800, height: 400 });
});

function near(got: readonly number[], want: readonly number[]): void {
  for (const [k, value] of got.entries()) assert.ok(Math.abs(value - want[k]) < 1e-9, `${got} is not ${want}`);
}

test('a place of the picture is where it is on screen, and back', () => {
  lookAt(1000, 500, 2);
  assert.deepEqual(toScreen(1000, 500), [400, 200]);
  near(toPicture(...toScreen(123, 456)), [123, 456]);
  assert.deepEqual(onScreen(), { x: 800, y: 400, width: 400, height: 200 });
});

test('a zoom keeps what is under the pointer, and ends at its limits', () => {
  const before = toPicture(200, 100);
  zoomAt(200, 100, 1.7);
  near(toPicture(200, 100), before);
  for (let k = 0; k < 40; k++) zoomAt(200, 100, 2);
  assert.equal(camera.zoom, 4);
  near(toPicture(200, 100), before);
  for (let k = 0; k < 40; k++) zoomAt(200, 100, 0.5);
  assert.equal(camera.zoom, 0.02);
});

test('a pan is by pixels of the screen, and is told', () => {
  lookAt(0, 0, 2);
  const { x, y } = camera;
  const told = moved.peek();
  panBy(30, -10);
  assert.deepEqual([camera.x - x, camera.y - y], [15, -5]);
  assert.equal(moved.peek(), told + 1);
});

test('a drawing is fitted whole with its edge, never larger than it is', () => {
  fitAll({ width: 4000, height: 100 } as Drawing);
  near([camera.zoom], [(800 - 44) / 4000]);
  near(toScreen(2000, 50), [400, 200]);
  fitAll({ width: 10, height: 10 } as Drawing);
  assert.equal(camera.zoom, 1);
  fitBox({ x: 0, y: 0, width: 10, height: 10 });
  assert.equal(camera.zoom, 1.5);
});

test('the first look at a drawing too large to read is at its middle', () => {
  const d = { width: 40_000, height: 9000, boxes: [{ x: 30_000, y: 4000, width: 100, height: 40 }] } as unknown as Drawing;
  firstLook(d, 0);
  assert.equal(camera.zoom, 0.75);
  near(toScreen(30_050, 4020), [400, 200]);
  firstLook(d, -1);
  near(toScreen(30_050, 4020), [400, 200]); // its highest box, as nothing is in the corner
  firstLook({ ...d, boxes: [...d.boxes, { x: 10, y: 10, width: 90, height: 40 }] } as unknown as Drawing, -1);
  near(toScreen(0, 0), [22 * 0.75, 22 * 0.75]);
});

test('a box comes on screen by as little as possible', () => {
  const told = moved.peek();
  reveal({ x: 100, y: 100, width: 50, height: 50 });
  assert.deepEqual([camera.x, camera.y, moved.peek()], [0, 0, told], 'it is there');
  reveal({ x: 1000, y: 100, width: 50, height: 50 });
  assert.deepEqual([camera.x, camera.y], [1000 + 50 + 22 - 800, 0], 'its right edge at the right');
  reveal({ x: 0, y: -300, width: 50, height: 50 });
  assert.deepEqual([camera.x, camera.y], [-22, -322], 'its corner at the left and at the top');
  Object.assign(camera, { x: 0, y: 0 });
  reveal({ x: 1000, y: 0, width: 5000, height: 10 });
  assert.equal(camera.x, 1000 - 22, 'of one wider than the screen its left part');
});
