// The whole state of the graph is in the address: zoom and place of the drawing, of the text, what is folded and found;
// back returns to the view that was left, and a link opened elsewhere shows the same.
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';

import { ALL_LOOKS, becomes, inAddress, putFile, quit, read, serve, settled, temporary, until, viewOf, withPage } from './lib.mjs';
import { canvas, clickOn, isHere, painted, placeOf } from './graph.mjs';
import { xspace } from './hlo.mjs';
import { layered } from './layered.mjs';

const RUN = 'layers/1';
let server;
before(async () => {
  const root = temporary('browser');
  putFile(root, 'layers/plugins/profile/1/host0.xplane.pb', xspace([{ name: 'layered', id: 77, hlo: layered(700) }]));
  server = await serve(root);
});
after(async () => {
  await quit();
  await server?.stop();
});

const hash = (view) => `#${new URLSearchParams({ run: RUN, tool: 'graph', ...view })}`;
/** Where a node is, on screen, and how large: what a person sees of zoom and place. */
async function seen(page, name) {
  const [left, top] = await placeOf(page, name, [0, 0]);
  const [right, bottom] = await placeOf(page, name, [1, 1]);
  return [left, top, right - left, bottom - top].map(Math.round);
}
const near = (a, b) => a.every((v, i) => Math.abs(v - b[i]) <= 2);
const sees = (page, name, wanted, what) => until(`${what}: ${wanted}`, async () => near(await seen(page, name), wanted));
const saved = (page) => until('the look in the address', () => viewOf(page).gv);

test('zoom and place: in the address, on another page, and back and forward', async () => {
  await withPage(server.url, { hash: hash({ op: '%fusion.5', r: 1, merge: 1 }) }, async (page, { context }) => {
    await isHere(page, 'negate.5');
    const first = await seen(page, 'fusion.5');
    await settled(page);
    assert.equal(viewOf(page).gv, undefined, 'the first look is not written');
    // The wheel, then a drag.
    const frame = await canvas(page).boundingBox();
    await page.mouse.move(frame.x + 80, frame.y + 60);
    await page.mouse.wheel(0, -300);
    await page.keyboard.down('Shift');
    await page.mouse.down();
    await page.mouse.move(frame.x + 140, frame.y + 90, { steps: 4 });
    await page.mouse.up();
    await page.keyboard.up('Shift');
    await saved(page);
    const zoomed = await seen(page, 'fusion.5');
    assert.ok(zoomed[2] > first[2] * 1.3, 'it is larger');
    const other = await context.newPage();
    await other.goto(page.url());
    await isHere(other, 'negate.5');
    await sees(other, 'fusion.5', zoomed, 'the link opened elsewhere');
    await other.close();
    // Select, move on, and come back to what was left.
    await clickOn(page, 'fusion.5', {}, [0.3, 0.5]);
    await page.evaluate((at) => { location.hash = at; }, hash({ op: '%add.300', r: 1, merge: 1 }));
    await isHere(page, 'add.300');
    await page.mouse.wheel(0, -200);
    const away = await seen(page, 'add.300');
    await saved(page);
    await page.goBack();
    await isHere(page, 'fusion.5');
    await sees(page, 'fusion.5', zoomed, 'back');
    await page.goForward();
    await isHere(page, 'add.300');
    await sees(page, 'add.300', away, 'forward');
  });
});

test('what moved just before a step is kept, and a first look is one again', async () => {
  await withPage(server.url, { hash: hash({ op: '%fusion.5', r: 1, merge: 1 }) }, async (page) => {
    await isHere(page, 'negate.5');
    const first = await seen(page, 'fusion.5');
    await page.getByRole('button', { name: 'larger radius' }).click();
    await isHere(page, 'add.5');
    await sees(page, 'fusion.5', first, 'the middle stays where it was');
    await painted(page);
    // A key and at once another step: nothing has been written meanwhile.
    await canvas(page).focus();
    await page.keyboard.press('w');
    const zoomed = await seen(page, 'fusion.5');
    await page.keyboard.press('w');
    const more = await seen(page, 'fusion.5');
    assert.ok(more[2] > zoomed[2]);
    await page.keyboard.press('+');
    await inAddress(page, { r: '3' });
    await page.goBack();
    await inAddress(page, { r: '2' });
    await sees(page, 'fusion.5', more, 'back to radius 2');
    await page.goBack();
    await inAddress(page, { r: '1' });
    await sees(page, 'fusion.5', first, 'back to the first look');
  });
});

test('the text: its place, folded computations, the hit that is shown', async () => {
  await withPage(server.url, { hash: hash({ op: '%fusion.5', r: 1, merge: 1 }) }, async (page, { context }) => {
    const grid = page.getByRole('grid', { name: 'HLO text' });
    await grid.locator('.g-line.on').waitFor();
    const top = (on = grid) => on.evaluate((element) => element.scrollTop);
    await settled(page);
    assert.equal(viewOf(page).tl, undefined, 'where a line is shown is not written');
    const usual = await top();
    await grid.evaluate((element) => { element.scrollTop = 40 * 19; });
    await inAddress(page, { tl: '41' });
    await page.getByRole('button', { name: 'fold all' }).click();
    await inAddress(page, { tf: 'all-' });
    await page.getByRole('button', { name: 'open all' }).click();
    await inAddress(page, { tf: null });
    await grid.evaluate((element) => { element.scrollTop = 0; });
    // Its first lines are there a frame later; until then the first head is one further down.
    await grid.locator('[aria-rowindex="1"]').waitFor();
    const head = grid.getByRole('button', { name: 'fold the computation' }).first();
    const line = Number(await head.locator('xpath=ancestor::*[@aria-rowindex]').getAttribute('aria-rowindex'));
    await head.click();
    await inAddress(page, { tf: String(line) });
    await grid.evaluate((element) => { element.scrollTop = 30 * 19; });
    await until('the place', () => viewOf(page).tl);
    await page.getByLabel('find in the text').fill('exponential.');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    const says = (on) => on.locator('.g-find [role=status]').innerText();
    await until('two further', async () => viewOf(page).tn && (await says(page)).startsWith(`${viewOf(page).tn} of `));
    await settled(page);
    const here = { tn: viewOf(page).tn, words: await says(page), top: await top() };
    const other = await context.newPage();
    await other.goto(page.url());
    const twin = other.getByRole('grid', { name: 'HLO text' });
    await twin.locator('.g-line').first().waitFor();
    await becomes(() => says(other), here.words);
    await becomes(() => top(twin), here.top, 'the place of the text on another page');
    await twin.evaluate((element) => { element.scrollTop = 0; });
    await twin.locator(`[aria-rowindex="${line}"] .g-fold[aria-expanded=false]`).waitFor();
    await other.close();
    // A step elsewhere and back.
    await page.evaluate((at) => { location.hash = at; }, hash({ op: '%add.600', r: 1, merge: 1 }));
    await until('another line', async () => /add\.600 = /.test(await grid.locator('.g-line.on').innerText()));
    await page.goBack();
    await becomes(() => top(), here.top, 'back');
    assert.notEqual(here.top, usual);
  });
});

test('a closed overview stays closed in the link', async () => {
  await withPage(server.url, { hash: hash({ op: '%fusion.5', r: 1 }) }, async (page) => {
    await page.getByRole('img', { name: 'overview of the drawing' }).hover();
    await page.getByRole('button', { name: 'close the overview' }).click();
    await inAddress(page, { mini: '0' });
    await page.reload();
    await isHere(page, 'fusion.5');
    await page.getByRole('button', { name: 'overview', exact: true }).waitFor();
  });
});

const row = (page, name) => page.getByRole('tree', { name: 'computations' }).locator('.g-tree-row').filter({ hasText: name }).first();
const rowNames = (page) => page.locator('.g-tree-row .g-tree-name').evaluateAll((all) => all.map((one) => one.textContent));
const isSection = (page, id) => page.locator(`[data-section="${id}"] .x-fold`).getAttribute('aria-expanded');

test('rows of the tree, sections of Explain and column sizes are in the address, on another page, and after Back', async () => {
  await withPage(server.url, { hash: hash({ op: '%fusion.5', r: 1 }) }, async (page, { context }) => {
    await isHere(page, 'fusion.5');
    await row(page, 'fusion bodies').waitFor();
    assert.equal(viewOf(page).gt, undefined, 'what everybody sees is not written');
    const usual = await rowNames(page);
    // The tree: a group opened, then the entry computation folded.
    await row(page, 'fusion bodies').locator('.g-twist').click();
    await until('the bodies', async () => (await rowNames(page)).length > usual.length);
    await row(page, 'main').locator('.g-twist').click();
    await until('the address', () => /^g\d+$/.test(viewOf(page).gt ?? ''));
    const opened = await rowNames(page);
    // Explain: one section more, one less.
    await page.locator('[data-section="users"] .x-fold').click();
    await page.locator('[data-section="text"] .x-fold').click();
    await until('the sections', () => /users/.test(viewOf(page).xs ?? '') && !/text/.test(viewOf(page).xs));
    // The columns, by keys on their edges.
    const left = page.getByRole('separator', { name: 'width of the left column' });
    await left.focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('separator', { name: 'height of the text' }).focus();
    await page.keyboard.press('ArrowUp');
    await until('the sizes', () => /^260,,\d+$/.test(viewOf(page).gw ?? ''));
    // By link, in a browser that has seen nothing of this.
    const stranger = await context.browser().newContext();
    const other = await stranger.newPage();
    await other.goto(page.url());
    await isHere(other, 'fusion.5');
    await becomes(() => rowNames(other), opened, 'the rows by link');
    assert.deepEqual([await isSection(other, 'users'), await isSection(other, 'text')], ['true', 'false']);
    assert.equal(await other.getByRole('separator', { name: 'width of the left column' }).getAttribute('aria-valuenow'), '260');
    await stranger.close();
    // A step on, where everything is put back, and Back.
    await clickOn(page, 'negate.5');
    await inAddress(page, { op: '%negate.5' });
    await row(page, 'fusion bodies').locator('.g-twist').click();
    await inAddress(page, { gt: '-' });
    await page.locator('[data-section="users"] .x-fold').click();
    await page.locator('[data-section="text"] .x-fold').click();
    await left.dblclick();
    await until('as usual', () => /^,,\d+$/.test(viewOf(page).gw ?? ''));
    await page.goBack();
    await inAddress(page, { op: '%fusion.5' });
    await becomes(() => rowNames(page), opened, 'the rows by Back');
    assert.deepEqual([await isSection(page, 'users'), await isSection(page, 'text')], ['true', 'false']);
    assert.equal(await left.getAttribute('aria-valuenow'), '260');
  });
});

for (const look of ALL_LOOKS)
  test(`the bars show all their words, the header says what the text is (${look.theme} ${look.size.width})`, async () => {
    await withPage(server.url, { ...look, hash: hash({ op: '%fusion.5', r: 1 }) }, async (page) => {
      await isHere(page, 'fusion.5');
      const cut = () => page.locator('.g-options').evaluate((bar) => [...bar.querySelectorAll('.g-tool span, .g-switch, .g-select, .g-radius')].filter((one) => {
        const box = one.getBoundingClientRect();
        return box.width < 10 || box.right > bar.getBoundingClientRect().right;
      }).map((one) => one.textContent));
      await becomes(cut, [], 'what is cut');
      for (const word of ['Path', 'Fit', 'Export']) assert.ok(await page.locator('.g-options').getByText(word, { exact: true }).isVisible(), word);
      assert.match(await read(page.locator('.header-line')), /optimized HLO, shapes per device$/);
      // Between columns dragged wide the bar takes a second line.
      await page.evaluate((at) => { location.hash = at; }, hash({ op: '%fusion.5', r: 1, gw: '400,420,' }));
      await until('the columns', async () => (await page.locator('.g-left-box').boundingBox()).width === 400);
      await becomes(cut, [], 'what is cut between wide columns');
    });
  });
