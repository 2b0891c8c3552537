// What the tests of the graph share: what is drawn, and where on screen it is.
import { until } from './lib.mjs';

export const canvas = (page) => page.locator('.g-canvas > canvas');
export const twin = (page) => page.getByRole('list', { name: 'drawn ops' });
/** Names in the drawing, in its own order. */
export const drawn = (page) => twin(page).locator('button').evaluateAll((all) => all.map((one) => one.textContent.split(',')[0]));
export const isHere = (page, name) => until(`${name} in the drawing`, async () => (await drawn(page)).includes(name));
export const says = (page, name) => twin(page).locator('button').filter({ hasText: new RegExp(`^${name.replaceAll('.', '\\.')}(,|$)`) });

/** Waits until what the list of drawn ops says is also what is painted: the canvas follows a frame later, or some. */
export async function painted(page) {
  const look = () => page.evaluate(() => new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(() => resolve([
      document.querySelector('.g-canvas:not(.waiting) > canvas')?.dataset.camera,
      ...[...document.querySelectorAll('[aria-label="drawn ops"] button')].map((one) => one.dataset.box),
    ].join())));
  }));
  let last = '';
  await until('the painted drawing', async () => {
    const now = await look();
    const same = now === last && !now.startsWith(',');
    last = now;
    return same;
  });
}

/** Where a drawn thing is on screen. */
export async function placeOf(page, name, at = [0.5, 0.5]) {
  await painted(page);
  const box = (await says(page, name).first().getAttribute('data-box')).split(' ').map(Number);
  const [x, y, zoom] = (await canvas(page).getAttribute('data-camera')).split(' ').map(Number);
  const frame = await canvas(page).boundingBox();
  return [frame.x + (box[0] + box[2] * at[0] - x) * zoom, frame.y + (box[1] + box[3] * at[1] - y) * zoom];
}
export async function clickOn(page, name, options = {}, at) {
  await page.mouse.click(...(await placeOf(page, name, at)), options);
}
