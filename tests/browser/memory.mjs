// What the tests of the Memory Viewer share: where things are drawn, and how to point at them.
import assert from 'node:assert/strict';
import { inUnit, settled, until, viewOf } from './lib.mjs';

/** The plot begins and ends so many pixels inside its canvas, in every chart. */
const LEFT = 66;
const RIGHT = 14;

export const peakLine = (page) => page.locator('.m-peak-big');
export const chartOf = (page) => page.locator('.m-chart-canvas');
export const mapOf = (page) => page.locator('.m-map-canvas');
export const stripOf = (page) => page.locator('.m-strip-canvas');
export const miniOf = (page) => page.locator('.m-mini-canvas');
export const hoverOf = (page) => page.locator('.m-hover');

/** The page with its numbers and charts. */
export async function ready(page) {
  await peakLine(page).waitFor();
  await until('the tabs', async () => (await page.locator('.m-tab-row').count()) > 0);
}

/** Waits until the charts have data: the map says how many boxes it has. */
export async function drawn(page) {
  await ready(page);
  await until('the map', async () => /boxes/.test((await mapOf(page).getAttribute('aria-label')) ?? ''));
  await settled(page);
}

/** Pixels from the left edge of a chart at which a step (may be a fraction) lies. */
export function xOf(box, step, window) {
  return LEFT + ((step - window.from) / (window.to - window.from)) * (box.width - LEFT - RIGHT);
}

/** A place inside a canvas: the middle of a step, at a share of the height. */
export async function placeOf(canvas, step, window, y = 0.5) {
  const box = await canvas.boundingBox();
  return { x: xOf(box, step + 0.5, window), y: box.height * y };
}

/** Moves the pointer there; `place` is inside the canvas. */
export async function pointAt(page, canvas, place) {
  const box = await canvas.boundingBox();
  await page.mouse.move(box.x + place.x, box.y + place.y);
}

/** Drags from one place of a canvas to another. */
export async function drag(page, canvas, from, to) {
  await pointAt(page, canvas, from);
  await page.mouse.down();
  await pointAt(page, canvas, { x: (from.x + to.x) / 2, y: to.y });
  await pointAt(page, canvas, to);
  await page.mouse.up();
}

/** The window that the page shows, as the minimap says it. */
export async function windowOf(page) {
  const label = await miniOf(page).getAttribute('aria-label');
  const [, from, to, steps] = /showing steps (\d+) to (\d+) of (\d+)/.exec(label).map(Number);
  return { from, to, steps };
}

/** Waits until the window in the address is this one (the whole: null, null). */
export async function windowIs(page, from, to) {
  let got;
  await until(`the window ${from} to ${to}`, () => {
    const view = viewOf(page);
    got = [view.from ?? null, view.to ?? null];
    return got[0] === (from === null ? null : String(from)) && got[1] === (to === null ? null : String(to));
  }).catch(() => assert.deepEqual(got, [from, to], 'window'));
}

/** The same to a step or so: what is dragged lies on pixels, and windows are rounded outwards. */
export async function windowNear(page, from, to, by = 1) {
  let got;
  await until(`a window near ${from} to ${to}`, () => {
    const view = viewOf(page);
    got = [Number(view.from ?? -9), Number(view.to ?? -9)];
    return Math.abs(got[0] - from) <= by && Math.abs(got[1] - to) <= by;
  }).catch(() => assert.deepEqual(got, [from, to], `window, give or take ${by}`));
}

/** Waits until the window rests at one that is not this, and gives it. */
export async function windowLeaves(page, before) {
  let now;
  await until('another window', async () => {
    const view = viewOf(page);
    now = { from: Number(view.from ?? 0), to: Number(view.to ?? before.steps), steps: before.steps };
    return now.from !== before.from || now.to !== before.to;
  });
  return now;
}

/** Opens a tab; from 1920 pixels on some stand open side by side and have no button. */
export async function openTab(page, name) {
  const tab = page.getByRole('tab', { name });
  if (await tab.count()) await tab.click();
}

/** Curve value (always there and temporaries) after a step. */
export function liveAt(curve, step) {
  assert.ok(curve.exact);
  return curve.max_bytes[step - curve.from] + curve.resident_bytes;
}

/** As the page writes a size whose unit stands once for the page: small ones in their own. */
export function cell(bytes, unit = 'MiB') {
  if (bytes === 0) return '0';
  return Math.abs(bytes) < (unit === 'GiB' ? 2 ** 30 / 10 : 2 ** 20) ? own(bytes) : inUnit(bytes, unit);
}

/** A size in the unit that suits it alone. */
export function own(bytes) {
  const size = Math.abs(bytes);
  const unit = size < 2 ** 10 ? 'B' : size < 2 ** 20 ? 'KiB' : size < 10 * 2 ** 30 ? 'MiB' : 'GiB';
  return bytes === 0 ? '0' : `${inUnit(bytes, unit)} ${unit}`;
}

/** What lists of this program fold below, unless a link says something else. */
export async function foldOf(server, subject) {
  return (await server.api('memory/summary', subject)).fold_bytes;
}
