// On paper: white whatever the theme, without what only a mouse needs; pictures are drawn again in the light colours, in time.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test, { after, before } from 'node:test';

import { becomes, isDrawn, makeLogdir, pictureOf, quit, serve, testdata, until, withPage } from './lib.mjs';
import { chartOf, drawn } from './memory.mjs';
import { drawn as traceDrawn, rowsCanvas } from './trace.mjs';

let server;
before(async () => {
  server = await serve(makeLogdir({ demo: join(testdata, 'tpu_padded_demo/logdir'), mlp: join(testdata, 'cpu_mlp_train/logdir') }));
});
after(async () => {
  await quit();
  await server?.stop();
});

const hash = (view) => `#${new URLSearchParams(view)}`;
const MEMORY = hash({ run: 'demo/aot' });
const TRACE = hash({ run: 'mlp/run0', tool: 'trace' });
const style = (page, selector, name) => page.locator(selector).first().evaluate((element, of) => getComputedStyle(element)[of], name);
const laterStyles = (page) => until('the later styles', () => page.evaluate(() => [...document.styleSheets].some(({ href }) => /\/parts\./.test(href ?? ''))));
const ink = (page) => style(page, 'body', 'color');
const WHITE = 'rgb(255, 255, 255)';

for (const [what, at, ready, canvasOf] of [
  ['memory', MEMORY, drawn, chartOf],
  ['trace', TRACE, traceDrawn, rowsCanvas],
])
  test(`${what} on paper: white, in light colours, without sidebar, buttons, toasts and dialogs; then as before`, async () => {
    await withPage(server.url, { hash: at, theme: 'dark' }, async (page) => {
      await ready(page);
      await laterStyles(page);
      await page.keyboard.press('y'); // a toast
      await page.locator('.toast').waitFor();
      await page.keyboard.press('?');
      await page.locator('.dialog.help').waitFor();
      const canvas = canvasOf(page);
      const dark = [await pictureOf(canvas), await ink(page)];
      assert.notEqual(await style(page, 'body', 'backgroundColor'), WHITE);
      await page.emulateMedia({ media: 'print' });
      await becomes(() => style(page, 'body', 'backgroundColor'), WHITE);
      assert.notEqual(await ink(page), dark[1]);
      for (const gone of ['.sidebar', '.header .tools', '.search-box', '.shade']) assert.equal(await style(page, gone, 'display'), 'none', gone);
      assert.deepEqual(await page.locator('.toast').evaluateAll((all) => all.map((one) => getComputedStyle(one).display).filter((display) => display !== 'none')), []);
      assert.equal(await style(page, '.main', 'scrollbarWidth'), 'none');
      assert.equal(await style(page, '.header', 'display'), 'flex', 'what it is of stays');
      assert.ok(await canvas.isVisible());
      await until('the picture in other colours', async () => (await isDrawn(canvas)) && (await pictureOf(canvas)) !== dark[0]);
      const box = await page.locator('.main').first().boundingBox();
      assert.equal(box.x, 0, 'the place of the sidebar is taken');
      await page.emulateMedia({ media: 'screen' });
      await becomes(async () => [await pictureOf(canvas), await ink(page)], dark, 'as before');
      assert.equal(await style(page, '.sidebar', 'display'), 'flex');
    });
  });

test('the pictures are those of the light theme before the event that announces printing is over', async () => {
  const light = [];
  await withPage(server.url, { hash: MEMORY, theme: 'light' }, async (page) => {
    await drawn(page);
    light.push(await pictureOf(chartOf(page)));
  });
  await withPage(server.url, { hash: MEMORY, theme: 'dark' }, async (page) => {
    await drawn(page);
    const dark = await pictureOf(chartOf(page));
    assert.notEqual(dark, light[0]);
    const seen = await page.evaluate(() => {
      const canvas = document.querySelector('.m-chart-canvas');
      const sum = () => {
        const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
        let h = 2166136261;
        for (let i = 0; i < data.length; i += 3) h = Math.imul(h ^ data[i], 16777619);
        return h >>> 0;
      };
      dispatchEvent(new Event('beforeprint'));
      return [sum(), document.documentElement.dataset.theme];
    });
    assert.deepEqual(seen, [light[0], 'light']);
    await page.evaluate(() => dispatchEvent(new Event('afterprint')));
    await becomes(() => pictureOf(chartOf(page)), dark, 'dark again');
  });
});
