// The start page with a thousand runs: rows first, peaks as they come, and no more drawn or asked for than needed.
import assert from 'node:assert/strict';
import { copyFileSync, linkSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';

import { becomes, captured, quit, read, serve, settled, temporary, until, withPage } from './lib.mjs';

const RUNS = 1000;
const idOf = (i) => `r${String(i).padStart(4, '0')}/run`;

let server;
before(async () => {
  const root = temporary('many');
  const file = join(root, 'one.bytes');
  copyFileSync(captured('cpu_mlp_train'), file);
  for (let i = 1; i <= RUNS; i++) {
    const folder = join(root, `r${String(i).padStart(4, '0')}/plugins/profile/run`);
    mkdirSync(folder, { recursive: true });
    linkSync(file, join(folder, 'host.xplane.pb'));
  }
  server = await serve(root);
});
after(async () => {
  await quit();
  await server?.stop();
});

test('back from a run the list is where it was left', async () => {
  await withPage(server.url, {}, async (page) => {
    const body = page.locator('.run-body');
    await page.locator('.run-row').first().waitFor();
    await body.evaluate((at) => at.scrollTo(0, 3000));
    // At one moment: rows come and go while the list scrolls.
    const inView = () => page.evaluate(() => {
      const box = document.querySelector('.run-body')?.getBoundingClientRect();
      return [...document.querySelectorAll('.run-row')].filter((row) => {
        const at = row.getBoundingClientRect();
        return box && at.bottom > box.top && at.top < box.bottom;
      }).map((row) => row.querySelector('.run-name').title);
    });
    await until('rows far down', async () => (await inView()).length > 3);
    await settled(page);
    const before = await inView();
    await page.evaluate((run) => { location.hash = `#run=${run}&tool=files`; }, before[2]);
    await page.locator('.files-page').waitFor();
    await page.goBack();
    await page.locator('.run-row').first().waitFor();
    await becomes(inView, before);
  });
});

test('a thousand runs: the rows need one request, the peaks come after, two at a time', async () => {
  const asked = [];
  const cards = [];
  let release;
  const held = new Promise((done) => {
    release = done;
  });
  const prepare = (page) =>
    page.route('**/api/v1/**', async (route) => {
      const at = new URL(route.request().url());
      asked.push(at.pathname.split('/').pop());
      if (at.pathname.endsWith('/card')) {
        const run = at.searchParams.get('run');
        cards.push(run);
        await held;
        const response = await route.fetch();
        if (response.status() === 202) cards.splice(cards.lastIndexOf(run), 1); // still being read: it is asked again
        await route.fulfill({ response });
        return;
      }
      await route.continue();
    });
  await withPage(server.url, { prepare }, async (page) => {
    const rows = page.locator('.run-row');
    await rows.first().waitFor();
    await until('two cards', () => cards.length >= 2);
    assert.deepEqual(asked.filter((route) => route !== 'status').slice(0, 3), ['runs', 'card', 'card'], 'one request before the rows, then cards');
    assert.match(await read(page.locator('.start-headline')), /^1,000 runs in 1,000 folders, newest/);
    assert.ok((await rows.count()) < 80, 'rows on screen');
    assert.deepEqual(new Set(await page.locator('.run-row .c-peak').allInnerTexts()), new Set(['…']));
    assert.equal(await rows.first().locator('.run-name').getAttribute('title'), cards[0], 'what is on screen first');
    assert.equal(cards.length, 2, 'two at a time');

    // The tree draws what is on screen, and all of it can be reached.
    const folders = page.locator('.folder[role=treeitem]');
    assert.ok((await folders.count()) < 80, 'folders on screen');
    assert.equal(await page.locator('.folder-name').first().getAttribute('title'), 'r0001');
    await page.locator('.folders').evaluate((tree) => {
      tree.scrollTop = tree.scrollHeight;
    });
    const last = page.locator('.folder', { has: page.locator('.folder-name[title=r1000]') });
    await last.waitFor();
    const [tree, box] = await Promise.all([page.locator('.folders').boundingBox(), last.boundingBox()]);
    assert.ok(box.y >= tree.y && box.y + box.height <= tree.y + tree.height + 1, 'the last folder is in the tree');
    await last.locator('.folder-name').click();
    await until('one row', async () => (await rows.count()) === 1);
    assert.equal(await rows.locator('.run-name').getAttribute('title'), idOf(RUNS));
    await page.locator('.folders').evaluate((all) => {
      all.scrollTop = 0;
    });
    await page.locator('.folder.all').click();
    // With the keyboard, too: the tree draws what the focus goes to.
    const focused = () => page.evaluate(() => [document.activeElement.querySelector('.folder-name')?.title, document.activeElement.getAttribute('aria-posinset'), document.activeElement.getAttribute('aria-setsize')]);
    await page.locator('.run-table').focus();
    await page.locator('.folder.all').focus();
    await page.keyboard.press('End');
    await becomes(focused, ['r1000', '1001', '1001']);
    await page.keyboard.press('ArrowUp');
    await becomes(focused, ['r0999', '1000', '1001']);
    await page.keyboard.press('Home');
    await becomes(() => page.evaluate(() => document.activeElement.className), 'folder all on');

    release();
    const waits = () => page.locator('.run-body').evaluate((body) => {
      const end = body.getBoundingClientRect().bottom;
      return [...body.querySelectorAll('.run-row')].filter((row) => row.getBoundingClientRect().top < end && row.querySelector('.c-peak').textContent.includes('…')).length;
    });
    await until('peaks of the rows on screen', async () => (await waits()) === 0, 120000);
    // Those that were seen, and no others, until a filter means all; of thousands the first 300.
    assert.ok(cards.length <= 80, `${cards.length} cards`);
    await page.locator('.chip', { hasText: 'Memory' }).click();
    await until('cards of the filter', () => cards.length >= 300, 240000);
    await settled(page);
    assert.ok(cards.length <= 300 + 80, `${cards.length} cards`);
    assert.equal(new Set(cards).size, cards.length, 'each run once');
  });
});
