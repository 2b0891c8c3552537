// What must be readable and reachable at every size of window: heads of columns, and the buttons of a bar that is too narrow.
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { join } from 'node:path';

import { becomes, makeLogdir, quit, serve, settled, sharedLogdir, testdata, withPage } from './lib.mjs';

let server;
const tpu = sharedLogdir('tpu-v6e-offload');
before(async () => {
  server = await serve(makeLogdir({ layers: join(testdata, 'tpu_scan_layers/logdir'), ran: join(testdata, 'tpu_run/logdir'), ...(tpu ? { tpu } : {}) }));
});
after(async () => {
  await quit();
  await server?.stop();
});

test('a bar that is too narrow drops its last words, never What if', async () => {
  for (const width of [1024, 1280, 1366, 1600]) {
    await withPage(server.url, { size: { width, height: 700 }, hash: '#run=layers/aot&mode=report' }, async (page) => {
      const button = page.getByRole('button', { name: 'What if' });
      await button.waitFor();
      await page.locator('.r-steps').waitFor();
      const [own, box] = [await button.boundingBox(), await page.locator('.m-badges').boundingBox()];
      assert.ok(own.x >= box.x && own.x + own.width <= box.x + box.width && own.y + own.height <= box.y + box.height + 1, `${width}: ${JSON.stringify([own, box])}`);
      await button.click();
      await page.locator('aside.wi').waitFor(); // in the viewer: the button of the report opened nothing
    });
  }
});

/** Texts of what is beyond the right edge of the window. */
const outside = (locator) => locator.evaluateAll((all) => all.filter((one) => one.getClientRects().length > 0 && one.getBoundingClientRect().right > innerWidth + 0.5).map((one) => one.innerText));

test('buttons of the start page and of Ops are on the screen', async () => {
  await withPage(server.url, { hash: '#mark=layers/aot%7Cran/train' }, async (page) => {
    await page.getByRole('button', { name: 'Unmark both' }).waitFor();
    await becomes(() => outside(page.locator('.card-actions > *')), []);
  });
  const size = { width: 1024, height: 700 };
  await withPage(server.url, { size, hash: '' }, async (page) => {
    await page.locator('.run-row, .chip').first().waitFor();
    await becomes(() => page.locator('.start-filter .chips').evaluate((box) => box.scrollWidth <= box.clientWidth), true, 'each chip');
    await becomes(() => outside(page.locator('.start-filter > *')), []);
  });
  await withPage(server.url, { size, hash: '#run=ran/train&tool=ops' }, async (page) => {
    await page.locator('.op-table .vt-row').first().waitFor();
    await becomes(() => outside(page.locator('.op-toolbar > *')), []);
  });
});

test('on a phone Files does not scroll sideways, and names of Trace have a line', async () => {
  const size = { width: 390, height: 844 };
  await withPage(server.url, { size, hash: '#run=ran/train&tool=files' }, async (page) => {
    await page.locator('.files-top .grow').first().waitFor();
    await becomes(() => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, 'nothing beside the page');
    await becomes(() => page.locator('.files-top > .row > .grow').evaluate((one) => one.clientWidth > 200), true, 'more than a word a line');
    const [bytes, next] = await page.locator('.file-host > .row > .soft').evaluateAll((all) => all.slice(0, 2).map((one) => one.getBoundingClientRect()));
    assert.ok(bytes.right <= next.left || bytes.bottom <= next.top, 'sizes are beside nothing');
  });
  await withPage(server.url, { size, hash: '#run=ran/train&tool=trace' }, async (page) => {
    await page.locator('.t-top li .link').first().waitFor();
    await becomes(() => page.locator('.t-top li .link').first().evaluate((one) => one.getBoundingClientRect().width > 250), true, 'the name has the line');
  });
});

test('heads of the steps table are whole', { skip: !tpu }, async () => {
  await withPage(server.url, { hash: '#run=tpu/2025_03_11_19_41_39&tool=trace' }, async (page) => {
    await page.getByRole('tab', { name: /Steps/ }).click();
    await becomes(() => page.locator('.vt-head .vt-cell').evaluateAll((all) => all.filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.innerText)), [], 'clipped heads');
    assert.match(await page.locator('.vt-head').innerText(), /Exposed copies/);
  });
});

test('at 150 % on a small screen no part of the head and the bars overlaps another or is outside the screen', async () => {
  const size = { width: 911, height: 512 };
  for (const view of ['tool=graph', 'mode=report', 'tool=memory'])
    await withPage(server.url, { size, hash: `#run=${tpu ? 'tpu/2025_03_11_19_41_39' : 'layers/aot'}&${view}`, context: { deviceScaleFactor: 1.5 } }, async (page) => {
      await page.locator('.header .picker-button').first().waitFor();
      await page.locator(view === 'tool=graph' ? '.g-crumbs' : view === 'mode=report' ? '.r-tools button' : '.m-peak-big').first().waitFor();
      const overlaps = () => page.evaluate(() => {
        const seen = [...document.querySelectorAll('.header .picker-button > *, .header-line, .header .icon-btn, .r-tools button, .r-tools select')].filter((e) => e.getClientRects().length > 0);
        // What is cut with an ellipsis shows no more than its box.
        const box = (e) => { const r = e.getBoundingClientRect(), p = e.parentElement.getBoundingClientRect(); return { left: r.left, right: e.parentElement.matches('.picker-button') ? Math.min(r.right, p.right) : r.right, top: r.top, bottom: r.bottom, text: e.innerText }; };
        const all = seen.map(box), out = [];
        for (const [i, a] of all.entries()) {
          if (a.right > innerWidth) out.push(`outside: ${a.text}`);
          for (const b of all.slice(i + 1)) if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1) out.push(`${a.text} over ${b.text}`);
        }
        return out;
      });
      await becomes(overlaps, [], view);
    });
});

test('the map of the report fills the height there is: few rows are high ones; the graph above it is a low one', async () => {
  for (const [size, most] of [[{ width: 1366, height: 768 }, 170], [{ width: 2560, height: 1440 }, 300]])
    await withPage(server.url, { size, hash: '#run=layers/aot&mode=report&rtab=buffers' }, async (page) => {
      await page.locator('.r-map-canvas').waitFor();
      // What is left empty is less than a row: each is as high as there is room for.
      const left = () => page.locator('.r-map').evaluate((map) => {
        const high = map.querySelector('canvas').getBoundingClientRect().height;
        return high > map.clientHeight ? 'scrolls' : map.clientHeight - high < 0.15 * map.clientHeight ? 'fills' : `${high} of ${map.clientHeight}`;
      });
      await becomes(left, size.height > 1000 ? 'fills' : 'scrolls', `${size.height}`);
      const { height } = await page.locator('.m-charts').boundingBox();
      assert.ok(height <= most, `${size.height}: the graph has ${height}`);
    });
});

test('the buffer that the Viewer pins is pinned in the map of the report; one that is not there is said', async () => {
  const summary = await server.api('memory/summary', { run: 'layers/aot' });
  const heap = await server.api('report/heap', { run: 'layers/aot', at: summary.peak.step });
  const k = heap.size_bytes.indexOf(Math.max(...heap.size_bytes));
  const view = (buffer) => ({ hash: `#run=layers/aot&mode=report&rtab=buffers&pin=${buffer}` });
  await withPage(server.url, view(heap.buffer[k]), async (page) => {
    await becomes(async () => (await page.locator('.r-place h2').innerText()).includes(heap.names[heap.name[k]].replace(/\{.*/, '')), true, 'its place');
    await page.keyboard.press('Escape');
    await becomes(() => page.locator('.r-place').count(), 0);
    await becomes(() => page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get('pin')), null);
  });
  await withPage(server.url, view(heap.residents.buffer.find((buffer) => buffer !== null)), async (page) => {
    await becomes(async () => /the pinned buffer is always there/.test(await page.locator('.r-line-text').innerText()), true);
  });
});

test('a window narrower than the page stays where it is when the mode changes', async () => {
  await withPage(server.url, { size: { width: 683, height: 768 }, hash: '#run=layers/aot' }, async (page) => {
    await page.locator('.m-peak-big').waitFor();
    const sideways = () => page.evaluate(() => document.scrollingElement.scrollLeft);
    await page.keyboard.press('2');
    await page.locator('[data-row]').first().waitFor();
    assert.equal(await sideways(), 0);
    await page.getByRole('tab', { name: 'Kinds' }).click();
    await page.locator('[data-row="(sum)"]').waitFor();
    await page.locator('.r-lines').press('End');
    await settled(page);
    assert.equal(await sideways(), 0, 'by keys');
    const seen = await page.locator('.r-line-row.cursor').evaluate((row) => row.getBoundingClientRect().bottom <= row.parentElement.getBoundingClientRect().bottom + 1);
    assert.ok(seen, 'the row of the cursor is in sight');
    await page.keyboard.press('3');
    await page.keyboard.press('2');
    await page.locator('[data-row]').first().waitFor();
    assert.equal(await sideways(), 0, 'back again');
  });
});
