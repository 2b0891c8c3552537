// What the tests of the Trace Viewer share: where things are drawn, and how to point at them.
import { settled, until, viewOf } from './lib.mjs';

export { settled } from './lib.mjs';

export const LABELS = 190;
const LANE = 14;
const HEAD = 21;

export const rowsCanvas = (page) => page.locator('.t-canvas').first();
export const overCanvas = (page) => page.locator('.t-over');
export const rulerOf = (page) => page.locator('.t-ruler-canvas');
export const miniOf = (page) => page.locator('.t-mini-canvas');
export const tipOf = (page) => page.locator('.t-tip');

/** Waits until rows and boxes are drawn. */
export async function drawn(page) {
  await page.locator('.trace .t-over').waitFor();
  await settled(page);
  // What holds none of these has drawn nothing, however calm it is.
  await until('rows', () => page.evaluate(() => document.querySelector('.trace .t-rows .t-space')?.clientHeight > 0));
  await settled(page);
}

/** The window that the address holds; the whole trace when it holds none. */
export function windowOf(page, rows) {
  const view = viewOf(page);
  return { from: view.t0 === undefined ? rows.first_ps : Number(view.t0), to: view.t1 === undefined ? rows.end_ps : Number(view.t1) };
}

/** Pixels from the canvas's left at which a time lies. */
export async function xOf(page, time, window) {
  const box = await overCanvas(page).boundingBox();
  const left = box.width < 1500 ? LABELS : 230;
  return left + ((time - window.from) / (window.to - window.from)) * (box.width - left);
}

/** A place of the rows: in the window, `y` pixels below their top. */
export async function pointAt(page, x, y) {
  const box = await overCanvas(page).boundingBox();
  await page.mouse.move(box.x + x, box.y + y);
}

/** Middle of a depth of the k-th row below a head that is at the top. */
export function yOfFirst(depth = 0) {
  return HEAD + 2 + depth * LANE + LANE / 2;
}

/** Middle of a depth of the first pinned row. */
export function yOfPinned(depth = 0) {
  return 2 + depth * LANE + LANE / 2;
}
