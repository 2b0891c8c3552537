// Controls of the graph that the other files do not use: the way back out of a scope, notes, the end of a path, a layout that is
// cancelled, edges of columns by mouse, drawers where the window is narrow, the twin as a table.
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';

import { becomes, inAddress, putFile, quit, read, serve, settled, temporary, until, viewOf, withPage } from './lib.mjs';
import { canvas, isHere, painted, twin } from './graph.mjs';
import { field, number, xspace } from './hlo.mjs';
import { layered } from './layered.mjs';

const RUN = 'layers/1';
const BAD = 'bad/1';

/** Two negates that take each other, and a constant of four values of which one is there. */
function damaged() {
  const shape = (at) => field(at, [number(2, 4), field(3, [Buffer.from([4])]), field(5, [field(1, [Buffer.from([0])])])]);
  const op = (id, name, opcode, more) => field(2, [field(1, name), field(2, opcode), shape(3), ...more, number(35, id)]);
  const main = field(3, [
    field(1, 'main'),
    op(1, 'short', 'constant', [field(8, [field(4, [Buffer.from([7])])])]),
    op(2, 'turn', 'negate', [number(36, 3)]),
    op(3, 'back', 'negate', [number(36, 2)]),
    number(5, 1), number(6, 3),
  ]);
  return field(1, [field(1, 'damaged'), field(2, 'main'), main, number(5, 9), number(6, 1)]);
}

let server;
before(async () => {
  const root = temporary('browser');
  putFile(root, 'layers/plugins/profile/1/host0.xplane.pb', xspace([{ name: 'layered', id: 77, hlo: layered(700) }]));
  putFile(root, 'bad/plugins/profile/1/host0.xplane.pb', xspace([{ name: 'damaged', id: 9, hlo: damaged() }]));
  server = await serve(root);
});
after(async () => {
  await quit();
  await server?.stop();
});

const hash = (view) => `#${new URLSearchParams({ run: RUN, tool: 'graph', ...view })}`;

test('the path above the drawing: a scope finds its ops, the computation draws all ops', async () => {
  await withPage(server.url, { hash: hash({ op: '%negate.5', r: 1 }) }, async (page) => {
    await isHere(page, 'negate.5');
    const crumbs = page.getByRole('navigation', { name: 'where this is' });
    await crumbs.getByRole('button', { name: 'layer_5' }).click();
    await until('what is looked for', () => /layer_5$/.test(viewOf(page).gq ?? ''));
    await until('its ops', async () => /hits/.test(await read(page.locator('.g-search-line'))));
    await crumbs.getByRole('button', { name: 'main' }).click();
    await inAddress(page, { comp: 'main', op: null });
    await page.goBack();
    await inAddress(page, { comp: null, op: '%negate.5' });
  });
});

test('notes: problems in the file is listed, and the rest is drawn', async () => {
  await withPage(server.url, { hash: hash({ run: BAD, op: '%turn', r: 2 }) }, async (page) => {
    await isHere(page, 'turn');
    await isHere(page, 'back');
    await page.locator('.g-count').getByRole('button', { name: /notes?$/ }).click();
    const list = page.getByRole('dialog', { name: 'notes' });
    await until('the circle', async () => /%turn depends on its own result, in a cycle of 2 instructions/.test(await read(list)));
    assert.match(await read(list), /the literal of %short is cut short: 1 of 4 values/);
    await page.keyboard.press('Escape');
    await until('the text', async () => /constant\(\{7, \? \/\*literal cut short: 1 of 4 values\*\/\}\)/.test(await page.getByRole('grid', { name: 'HLO text' }).innerText()));
  });
});

test('buttons clear a path and cancel a layout', async () => {
  await withPage(server.url, { hash: hash({ op: '%fusion.2', r: 1, pathto: '%add.2' }) }, async (page) => {
    const path = page.getByRole('region', { name: 'path' });
    await until('the steps', async () => /2 steps: fusion\.2 →/.test(await read(path)));
    await page.getByTitle(/^path to another op/).click();
    await path.getByRole('button', { name: 'Clear' }).click();
    await inAddress(page, { pathto: null });
  });
  // The engine is held back, so that the layout is still under way.
  await withPage(server.url, {}, async (page) => {
    let letGo = () => {};
    const held = new Promise((done) => { letGo = done; });
    await page.route(/layout|worker/, async (route) => { await held; await route.continue().catch(() => {}); });
    await page.evaluate((at) => { location.hash = at; }, hash({ op: '%fusion.40', r: 2 }));
    const cancel = page.locator('.g-progress-words').getByRole('button', { name: 'Cancel' });
    await cancel.click();
    await until('program order', async () => /^Layout cancelled\. Showing program order/.test(await read(page.locator('.g-reason'))));
    letGo();
    await page.locator('.g-reason').getByRole('button', { name: 'Try anyway' }).click();
    await isHere(page, 'fusion.40');
    await painted(page);
  });
});

test('column edges are dragged; a double click resets them', async () => {
  await withPage(server.url, { hash: hash({ op: '%fusion.5', r: 1 }) }, async (page) => {
    await isHere(page, 'fusion.5');
    for (const [name, dx, dy] of [['width of the left column', 60, 0], ['width of the details', -50, 0], ['height of the text', 0, -40]]) {
      const edge = page.getByRole('separator', { name });
      const size = async () => Number(await edge.getAttribute('aria-valuenow'));
      const usual = await size();
      const box = await edge.boundingBox();
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width / 2 + dx, box.y + box.height / 2 + dy, { steps: 3 });
      await page.mouse.up();
      await becomes(size, usual + Math.abs(dx + dy), name);
      await edge.dblclick();
      await becomes(size, usual, `${name} as at first`);
    }
    await becomes(() => viewOf(page).gw ?? ',,', ',,');
  });
});

test('a narrow window: the columns open over the drawing', async () => {
  await withPage(server.url, { size: { width: 980, height: 700 }, hash: hash({ op: '%fusion.5', r: 1 }) }, async (page) => {
    await isHere(page, 'fusion.5');
    assert.equal(await page.locator('.g-left-box').count(), 0);
    await page.getByRole('button', { name: 'find ops', exact: true }).click();
    await page.locator('.g-left-box').waitFor();
    await page.getByLabel('find ops in the module').fill('far.99');
    await page.keyboard.press('Enter');
    await inAddress(page, { op: '%far.99' });
    await page.locator('.g-open-left').click();
    await becomes(() => page.locator('.g-left-box').count(), 0);
    await canvas(page).focus();
    const shown = await page.locator('.g-right-box').count();
    await page.keyboard.press('i');
    await becomes(() => page.locator('.g-right-box').count(), 1 - shown, 'the details by their key');
  });
});

test('T shows the list in program order, and the drawing again', async () => {
  await withPage(server.url, { hash: hash({ op: '%fusion.5', r: 1 }) }, async (page) => {
    await isHere(page, 'fusion.5');
    await canvas(page).focus();
    await page.keyboard.press('t');
    await inAddress(page, { table: '1' });
    await page.locator('.g-list').waitFor();
    await until('the rows', async () => /fusion\.5/.test(await read(page.locator('.g-list'))));
    await page.keyboard.press('t');
    await inAddress(page, { table: null });
    await canvas(page).waitFor();
    assert.ok(await twin(page).locator('button').count() > 3);
  });
});

test('leaving the graph asks for nothing without a run, wherever it leads', async () => {
  for (const where of ['#', `#${new URLSearchParams({ folder: 'bad' })}`]) {
    await withPage(server.url, { hash: hash({ op: '%negate.5', r: 1 }) }, async (page) => {
      await isHere(page, 'negate.5');
      const without = [];
      page.on('request', (request) => {
        const url = new URL(request.url());
        if (url.pathname.includes('/graph/') && !url.searchParams.get('run')) without.push(url.pathname);
      });
      await page.evaluate((to) => { location.hash = to; }, where);
      await page.locator('.run-table').waitFor();
      await settled(page);
      assert.deepEqual(without, []);
    });
  }
});

test('the list shows a larger graph than the drawing had: selecting and drawing from it', async () => {
  await withPage(server.url, { hash: hash({ op: '%fusion.5', r: 0 }) }, async (page) => {
    await isHere(page, 'fusion.5');
    await canvas(page).focus();
    await page.keyboard.press('t');
    const list = page.getByRole('grid', { name: 'program order' });
    await list.waitFor();
    // The address is written a moment later: without the list in it, the one that is typed here closes the list.
    await inAddress(page, { table: '1' });
    // The drawing of one op stays as it was while the list knows all that is near.
    await page.evaluate(() => { location.hash = location.hash.replace('r=0', 'r=6'); });
    // The list goes to the selected op once it knows its line: what is under the pointer moves until then.
    await until('what is near', async () => (await list.locator('.vt-row.near').count()) > 5);
    await settled(page);
    const names = await list.locator('.vt-row.near .g-list-name').allInnerTexts();
    const name = names[names.length - 1];
    await list.locator('.vt-row.near').last().click({ position: { x: 120, y: 8 } });
    await until(`the selection of ${name}`, async () => (await list.locator('.vt-row.on .g-list-name').allInnerTexts()).join() === name);
    await page.keyboard.press('f');
    await list.locator('.vt-row.near').last().getByRole('button', { name: 'draw' }).click();
    await page.keyboard.press('t');
    await canvas(page).waitFor();
    await until('the drawing', async () => (await twin(page).locator('button').count()) > 5);
  });
});
