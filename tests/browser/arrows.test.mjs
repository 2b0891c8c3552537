// Arrow keys in rows of tabs and in trees: they move and choose where the keyboard got there, and stay the picture's after a click.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test, { after, before } from 'node:test';

import { becomes, inAddress, makeLogdir, quit, serve, settled, testdata, until, viewOf, withPage } from './lib.mjs';
import { drawn, openTab } from './memory.mjs';
import { drawn as traceDrawn } from './trace.mjs';

let server;
before(async () => {
  server = await serve(
    makeLogdir({ 'team/demo': join(testdata, 'tpu_padded_demo/logdir'), 'team/layers': join(testdata, 'tpu_scan_layers/logdir'), mlp: join(testdata, 'cpu_mlp_train/logdir') }),
  );
});
after(async () => {
  await quit();
  await server?.stop();
});

const LAYERS = 'team/layers/aot';
const hash = (view) => `#${new URLSearchParams(view)}`;
/** Titles of the first row of tabs, without counts and steps: all, the open one, the one with the focus, those the Tab key stops at. */
const tabsOf = (page) =>
  page.getByRole('tablist').first().evaluate((list) => {
    const tabs = [...list.querySelectorAll('[role=tab]')];
    const place = (wanted) => tabs.flatMap((tab, k) => (wanted(tab) ? [k] : []));
    return { count: tabs.length, open: place((tab) => tab.getAttribute('aria-selected') === 'true'), focus: place((tab) => tab === document.activeElement), stops: place((tab) => tab.tabIndex === 0) };
  });

/** Goes along the whole row of tabs and around both ends. */
async function walk(page) {
  const list = page.getByRole('tablist').first();
  await list.waitFor();
  const { count, open, stops } = await tabsOf(page);
  assert.ok(count > 2);
  assert.deepEqual(stops, [open[0] ?? 0], 'one stop, the open one');
  await list.locator('[role=tab][tabindex="0"]').focus();
  const press = async (key, at) => {
    await page.keyboard.press(key);
    await becomes(() => tabsOf(page), { count, open: [at], focus: [at], stops: [at] }, `after ${key}`);
  };
  await press('Home', 0);
  for (let at = 1; at < count; at++) await press('ArrowRight', at);
  await press('ArrowRight', 0);
  await press('ArrowLeft', count - 1);
  await press('ArrowLeft', count - 2);
  await press('End', count - 1);
}

for (const [what, view, ready] of [
  ['memory', { run: LAYERS }, drawn],
  ['report', { run: LAYERS, mode: 'report' }, () => {}],
  ['compare', { run: LAYERS, mode: 'compare', base: 'team/demo/aot' }, () => {}],
  ['trace', { run: 'mlp/run0', tool: 'trace' }, traceDrawn],
])
  test(`tabs of ${what}: arrows, Home and End move and choose`, async () => {
    await withPage(server.url, { hash: hash(view) }, async (page) => {
      await ready(page);
      await walk(page);
    });
  });

test('after a click on a tab the arrows are the picture\'s; reached by keyboard they are the tabs\'', async () => {
  await withPage(server.url, { hash: hash({ run: LAYERS }) }, async (page) => {
    await drawn(page);
    await openTab(page, /^Buffers/);
    await inAddress(page, { tab: 'buffers' });
    await page.locator('.vt-row').first().waitFor(); // the key goes through them
    await settled(page);
    await page.keyboard.press('ArrowRight');
    await until('the next buffer', () => viewOf(page).pin !== undefined);
    assert.equal(viewOf(page).tab, 'buffers');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Shift+Tab');
    const { pin } = viewOf(page);
    await page.keyboard.press('ArrowRight');
    await inAddress(page, { tab: 'scope', pin });
    // With a modifier it is no key of the tabs.
    await page.keyboard.press('Shift+ArrowLeft');
    await becomes(async () => (await tabsOf(page)).open[0], 2);
  });
});

const focusIn = (page) => page.evaluate(() => document.activeElement.closest('[role=treeitem]')?.textContent.replace(/\s+/g, ' ').trim() ?? '');
/** Presses, and waits until the row with the focus begins so. */
async function press(page, key, begins) {
  await page.keyboard.press(key);
  await until(`${key} to ${begins}`, async () => (await focusIn(page)).replace(/^[▾▸]/, '').startsWith(begins));
}
const expanded = (page) => page.evaluate(() => document.activeElement.closest('[role=treeitem]').getAttribute('aria-expanded'));

test('tree of folders: up and down, open and close, in and out', async () => {
  await withPage(server.url, {}, async (page) => {
    await page.locator('.folder-name[title="team"]').waitFor();
    await page.locator('.folder.all').focus();
    await press(page, 'ArrowDown', 'mlp');
    await press(page, 'ArrowDown', 'team');
    if ((await expanded(page)) === 'false') await press(page, 'ArrowRight', 'team');
    assert.equal(await expanded(page), 'true');
    await press(page, 'ArrowRight', 'demo');
    await press(page, 'End', 'layers');
    await press(page, 'ArrowLeft', 'team');
    await press(page, 'ArrowLeft', 'team');
    await becomes(() => expanded(page), 'false');
    await press(page, 'ArrowRight', 'team');
    await becomes(() => expanded(page), 'true');
    await press(page, 'ArrowUp', 'mlp');
    await press(page, 'Home', 'All runs');
    await press(page, 'ArrowDown', 'mlp');
    await page.keyboard.press('Enter');
    await inAddress(page, { folder: 'mlp' });
    await press(page, 'ArrowDown', 'team');
    await page.keyboard.press('Space');
    await inAddress(page, { folder: 'team' });
  });
});

/** What the Tab key stops at inside of a tree, and what has the focus. */
const stopsOf = (page, name) =>
  page.getByRole('tree', { name }).evaluate((tree) => {
    const words = (one) => one.textContent.replace(/\s+/g, ' ').trim();
    const stops = [...tree.querySelectorAll('button, a, input, [tabindex]')].filter((one) => one.tabIndex >= 0);
    return { stops: stops.map((one) => `${one.getAttribute('role')} ${words(one)}`), focus: tree.contains(document.activeElement) ? words(document.activeElement) : null };
  });

for (const [name, view, ready] of [
  ['folders', {}, (page) => page.locator('.folder-name[title="team"]').waitFor()],
  ['computations', { run: LAYERS, tool: 'graph' }, (page) => page.getByRole('tree', { name: 'computations' }).getByRole('treeitem').nth(3).waitFor()],
])
  test(`tree of ${name}: one stop of the Tab key, the row that had the focus last`, async () => {
    await withPage(server.url, { hash: hash(view) }, async (page) => {
      await ready(page);
      const rows = page.getByRole('tree', { name }).getByRole('treeitem');
      const words = async (at) => (await rows.nth(at).textContent()).replace(/\s+/g, ' ').trim();
      await becomes(() => stopsOf(page, name), { stops: [`treeitem ${await words(0)}`], focus: null });
      for (let k = 0; k < 60 && (await stopsOf(page, name)).focus === null; k++) await page.keyboard.press('Tab');
      await becomes(() => stopsOf(page, name), { stops: [`treeitem ${await words(0)}`], focus: await words(0) });
      await page.keyboard.press('ArrowDown');
      const second = { stops: [`treeitem ${await words(1)}`], focus: await words(1) };
      await becomes(() => stopsOf(page, name), second);
      await page.keyboard.press('Tab');
      await becomes(async () => (await stopsOf(page, name)).focus, null);
      await page.keyboard.press('Shift+Tab');
      await becomes(() => stopsOf(page, name), second);
      for (const row of await rows.all()) assert.match(await row.getAttribute('aria-level'), /^[1-9]$/);
    });
  });

test('tree of computations: up and down, open and close, in and out', async () => {
  await withPage(server.url, { hash: hash({ run: LAYERS, tool: 'graph' }) }, async (page) => {
    const rows = page.getByRole('tree', { name: 'computations' }).getByRole('treeitem');
    await rows.nth(3).waitFor();
    await settled(page); // the sizes of computations come later
    const names = () => rows.locator('.g-tree-name').allTextContents();
    const all = await names();
    await rows.first().locator('.g-tree-name').focus();
    assert.equal(await expanded(page), 'true', 'the entry computation is open');
    await press(page, 'ArrowRight', all[1]);
    await press(page, 'ArrowDown', all[2]);
    await press(page, 'ArrowUp', all[1]);
    await press(page, 'ArrowLeft', all[0]);
    await press(page, 'ArrowLeft', all[0]);
    await becomes(() => expanded(page), 'false');
    await until('fewer rows', async () => (await names()).length < all.length);
    await press(page, 'ArrowRight', all[0]);
    await becomes(names, all);
    await press(page, 'End', all.at(-1));
    await press(page, 'Home', all[0]);
    assert.equal(viewOf(page).op, undefined, 'the graph did not move');
  });
});

test('tree of the report: one stop, the row under the cursor is said, and its buttons are the next stops', async () => {
  await withPage(server.url, { hash: hash({ run: LAYERS, mode: 'report' }) }, async (page) => {
    const grid = page.getByRole('treegrid', { name: 'memory by category' });
    await grid.getByRole('row').nth(3).waitFor();
    const at = () => grid.evaluate((all) => document.getElementById(all.getAttribute('aria-activedescendant') ?? '')?.dataset.row);
    const ids = () => grid.locator('[data-row]').evaluateAll((rows) => rows.map((one) => one.dataset.row));
    const stops = () => grid.locator('[data-row] a, [data-row] button').evaluateAll((all) => all.filter((one) => one.tabIndex >= 0).map((one) => one.textContent));
    await grid.focus();
    await becomes(at, 'reserved');
    for (const into of ['live', 'always', 'arguments']) {
      await page.keyboard.press('ArrowRight');
      await becomes(at, into);
    }
    await page.keyboard.press('ArrowLeft');
    await becomes(at, 'always', 'out of a closed row');
    await page.keyboard.press('ArrowLeft');
    await until('closed', async () => !(await ids()).includes('arguments'));
    await page.keyboard.press('ArrowRight');
    await until('open', async () => (await ids()).includes('arguments'));
    await page.keyboard.press('ArrowDown');
    await becomes(at, 'arguments');
    assert.deepEqual(await stops(), []);
    // A leaf lists its buffers.
    await page.keyboard.press('Enter');
    await grid.locator('[data-row="arguments/0"]').waitFor();
    await settled(page);
    await page.keyboard.press('ArrowRight');
    await becomes(at, 'arguments/0');
    const name = await grid.locator('[data-row="arguments/0"] .m-op').innerText();
    await becomes(stops, [name, '+']);
    await page.keyboard.press('Tab');
    await becomes(() => page.evaluate(() => document.activeElement.textContent), name);
    // The cursor takes the focus along.
    await page.keyboard.press('ArrowDown');
    await becomes(at, 'arguments/1');
    await becomes(() => grid.evaluate((all) => all === document.activeElement), true);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await until('it is on the graph', () => viewOf(page).plot !== undefined);
  });
});
