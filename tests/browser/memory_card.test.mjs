// The card: everything about one buffer, against /api/v1/memory/buffer.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test, { after, before } from 'node:test';

import { becomes, copied, eachLook, exact, inAddress, inUnit, isDrawn, makeLogdir, mib, quit, read, said, serve, testdata, toastSays, until, viewOf, withPage } from './lib.mjs';
import { drawn, foldOf, own, ready } from './memory.mjs';

const DEMO = { run: 'demo/aot' };
const hash = (view) => `#${new URLSearchParams(view)}`;
const size = (bytes) => (bytes < 2 ** 20 ? own(bytes) : mib(bytes));

let server;
before(async () => {
  server = await serve(makeLogdir({ demo: join(testdata, 'tpu_padded_demo/logdir'), layers: join(testdata, 'tpu_scan_layers/logdir') }));
});
after(async () => {
  await quit();
  await server?.stop();
});

const cardOf = (page) => page.locator('.m-card');
const section = (page, title) => cardOf(page).locator('.m-sec', { has: page.locator('h3', { hasText: title }) });

async function pinned(page, buffer) {
  const card = await server.api('memory/buffer', { ...DEMO, buffer });
  await page.goto(`${server.url}${hash({ ...DEMO, pin: buffer })}`);
  await becomes(async () => (await page.locator('.m-card-title code').count()) && said(page.locator('.m-card-title code')), `%${card.name}`);
  return card;
}

/** The rows of sizes, as title: [text, exact text, side]. */
const sizes = (page) =>
  cardOf(page).locator('.m-dl').first().evaluate((list) => {
    const out = {};
    let at = '';
    for (const child of list.children) {
      if (child.tagName === 'DT') out[(at = child.textContent.trim())] = [];
      else out[at].push(child.textContent.replace(/\s+/g, ' ').trim(), child.title.split('\n')[0]);
    }
    return out;
  });

async function sizesAre(page, card) {
  const got = await sizes(page);
  assert.deepEqual(got.Size.slice(0, 2), [size(card.size_bytes), exact(card.size_bytes)]);
  assert.deepEqual(got['Without padding'].slice(0, 2), [size(card.unpadded_bytes), exact(card.unpadded_bytes)]);
  assert.deepEqual(got.Padding.slice(0, 3), [card.padding_bytes ? size(card.padding_bytes) : '0 B', exact(card.padding_bytes), `${card.expansion.toFixed(2)}x`]);
  assert.deepEqual(got['Peak without it'].slice(0, 3), [mib(card.peak_without_bytes), exact(card.peak_without_bytes), card.saving_bytes ? (card.saving_bytes < 2 ** 20 ? own(-card.saving_bytes) : `${inUnit(-card.saving_bytes, 'MiB')} MiB`) : 'no change']);
  assert.equal(card.size_bytes, card.unpadded_bytes + card.padding_bytes);
}

eachLook('a padded temporary: every item', async (look) => {
  const s = await server.api('memory/summary', DEMO);
  await withPage(server.url, { ...look, hash: hash(DEMO) }, async (page, { context }) => {
    const card = await pinned(page, 66);
    // Name, shape with its reading help, class, group.
    await page.getByLabel('copy the name').click();
    await toastSays(page, /^name copied$/);
    assert.equal(await copied(page), '%pad.2');
    const shape = cardOf(page).locator('.m-shape');
    assert.equal(await said(shape), card.shape);
    await shape.click();
    await becomes(() => cardOf(page).locator('.m-shape-words li').allInnerTexts(), card.shape_words);
    assert.deepEqual((await cardOf(page).locator('.m-card-chips .m-chip').allTextContents()).map((t) => t.trim()), ['temporary', 'data movement']);
    await sizesAre(page, card);
    const got = await sizes(page);
    assert.equal(got.Size[2], '33.0 % of peak');
    assert.match(got['Peak without it'].join(' '), /the highest step is then 3/);
    assert.equal(s.peak.held_bytes - card.saving_bytes, card.peak_without_bytes);
    // Padding: each tiled dimension, the rule in words, the best other order.
    const padding = section(page, /^Padding/);
    assert.match(await said(padding.locator('h3')), /^Padding: 183\.2 MiB ?tile 8 × 128$/);
    const lines = await padding.locator('.m-dim-line').evaluateAll((all) => all.map((line) => [...line.children].map((part) => part.textContent.replace(/\s+/g, ' ').trim())));
    assert.deepEqual(lines[1], ['dim 2 → rows of 8', '400,128 = 50,016 × 8']);
    assert.equal(lines[0][0], 'dim 0 → lanes of 128');
    assert.match(lines[0][1], /^8 → 128, (costs )?183\.2 MiB$/);
    const rules = (await padding.locator('.m-rule').allTextContents()).map((t) => t.replace(/\s+/g, ' ').trim());
    assert.equal(rules[0], '8 stored as 128 = 1 x 128, 16 times the data');
    assert.equal(rules[1], `As {2,0,1}, dim 2 in the lanes: ${mib(12804096)}`);
    await until('the picture', () => isDrawn(padding.locator('canvas').first()));
    // Life, uses.
    const life = section(page, /^Lifetime/);
    assert.match(await said(life.locator('h3')), /2 of 10 steps$/);
    assert.equal(await life.locator('canvas').getAttribute('aria-label'), 'held from step 7 to 9 of 10');
    await until('the picture', () => isDrawn(life.locator('canvas')));
    assert.match(await said(life), /first use %copy\.13 · last %copy\.13/);
    if (look.size.width < 1920) await life.locator('summary').click();
    await becomes(async () => (await life.locator('.m-users li').allTextContents()).map((t) => t.replace(/\s+/g, ' ').trim()), ['%copy.13copynone']);
    // What held these bytes.
    const bytes = section(page, /^These bytes/);
    assert.match(await said(bytes.locator('h3')), /195\.3 – 390\.7 MiB$/);
    assert.match(await said(bytes), /before ?sort\.6\{0\} 3–5 ?after ?none$/);
    assert.equal(await bytes.locator('h3 .side').getAttribute('title'), `offset ${exact(card.offset_bytes)} (0x${card.offset_bytes.toString(16)}) in allocation 42`);
    await bytes.getByRole('button', { name: 'sort.6{0}' }).click();
    await inAddress(page, { pin: String(card.before.buffer) });
    await page.goBack();
    await inAddress(page, { pin: '66' });
    await becomes(() => said(page.locator('.m-card-title code')), '%pad.2');
    assert.match(await said(section(page, /^Source/)), /none recorded: made by the compiler/);
    // Links carry the instruction; a tool without data says why.
    const graph = cardOf(page).locator('.m-tool-links').getByText('Graph');
    assert.match(await cardOf(page).locator('.m-tool-links').getByText('Trace').getAttribute('title'), new RegExp(`^Trace: ${card.links.trace_reason.split(':')[0]}`));
    const elsewhere = await context.newPage();
    await elsewhere.goto(`${server.url}${await graph.getAttribute('href')}`);
    await becomes(async () => new URLSearchParams(new URL(elsewhere.url()).hash.slice(1)).get('op'), '%pad.2');
    await until('its line', async () => /%pad\.2 = /.test(await elsewhere.locator('.g-line.on').innerText()));
    await elsewhere.close();
    // Chips lead to the table.
    await cardOf(page).locator('.m-card-chips .m-chip').first().click();
    await inAddress(page, { tab: 'buffers', class: 'temporary' });
    await cardOf(page).getByRole('button', { name: 'unpin' }).click();
    await inAddress(page, { pin: null });
    // Nothing pinned: the five largest savings; a click pins.
    const savings = cardOf(page).locator('.m-savings li');
    assert.deepEqual((await savings.allTextContents()).map((t) => t.replace(/\s+/g, ' ').trim()), s.savings.map((item) => `%${item.name}${size(item.saving_bytes).replace(/^/, '\u2212')}${item.shape}of ${size(item.size_bytes)}`));
    await savings.nth(1).getByRole('button').click();
    await inAddress(page, { pin: String(s.savings[1].buffer) });
  });
});

eachLook('an aliased parameter, a constant, an output, a temporary with a source', async (look) => {
  await withPage(server.url, { ...look, hash: hash(DEMO) }, async (page) => {
    let card = await pinned(page, 27);
    assert.deepEqual([card.parameter_name, card.donated, card.aliased_output], ['state', true, [0]]);
    assert.equal(await said(cardOf(page).locator('.m-param-name')), 'state');
    assert.equal((await cardOf(page).locator('.m-card-chips .m-chip').first().textContent()).trim(), 'argument 4');
    await sizesAre(page, card);
    assert.match(await said(section(page, /^Aliases/)), /^Aliases donated ?reused for output \{0\}$/);
    assert.match(await said(section(page, /^Allocation/)), /^Allocation 1 ?195\.3 MiB ?2 values share it$/);
    const rules = (await section(page, /^Padding/).locator('.m-rule').allTextContents()).slice(0, 2);
    assert.deepEqual(rules, ['8 stored as 128 = 1 x 128, 16 times the data', '400,012 stored as 400,016 = 50,002 x 8']);
    assert.match(await said(section(page, /^Lifetime/)), /the whole program|10 of 10 steps/);

    card = await pinned(page, 65);
    assert.equal((await cardOf(page).locator('.m-card-chips .m-chip').first().textContent()).trim(), 'constant');
    await sizesAre(page, card);
    assert.equal((await sizes(page)).Padding[2], '128.00x');
    assert.equal(await section(page, /^Aliases/).count(), 0);
    assert.match(await said(section(page, /^Padding/)), /^Padding: 508 B ?tile 128 ?a value without dimensions takes a whole tile$/);

    card = await pinned(page, 46);
    assert.equal((await cardOf(page).locator('.m-card-chips .m-chip').first().textContent()).trim(), 'output');
    await sizesAre(page, card);

    card = await pinned(page, 40);
    const source = section(page, /^Source/);
    assert.match(await said(source), /tpu_aot\.py:176 in jit\(padded_step\) \/ mul/);
    assert.match(await said(source.locator('.m-frames li').first()), /^tpu_aot\.py:176:18 padded\.<locals>\.padded_step$/);
    // A wide card shows the stack at once.
    if (look.size.width < 2000) await source.getByRole('button', { name: `+${card.source.frames.length - 1} frames` }).click();
    await becomes(() => source.locator('.m-frames li').count(), card.source.frames.length);
    await source.getByRole('button', { name: 'copy' }).click();
    await becomes(() => copied(page), 'tpu_aot.py:176');
    // The op path narrows, the source line shows what it holds.
    await source.getByRole('button', { name: 'jit(padded_step)' }).click();
    await inAddress(page, { scope: 'jit(padded_step)' });
    await source.getByRole('button', { name: 'tpu_aot.py:176' }).click();
    await inAddress(page, { tab: 'buffers', source: 'tpu_aot.py:176', scope: null });
    const line = await server.api('memory/buffers', { ...DEMO, at: 7, source: 'tpu_aot.py:176', fold_bytes: await foldOf(server, DEMO) });
    await becomes(() => page.locator('.vt[aria-label="buffers"] .vt-row').count(), line.matched - line.folded.count);
    assert.ok(line.matched > 0);
  });
});

eachLook('equal buffers are ticked together', async (look) => {
  const view = { run: 'layers/aot' };
  const s = await server.api('memory/summary', view);
  let card;
  for (const { buffer } of s.savings) {
    card = await server.api('memory/buffer', { ...view, buffer });
    if (card.equal?.count > 1) break;
  }
  if (!(card.equal?.count > 1)) {
    const all = await server.api('memory/buffers', { ...view, at: 105, limit: 75 });
    for (const buffer of all.buffer) {
      card = await server.api('memory/buffer', { ...view, buffer });
      if (card.equal?.count > 1) break;
    }
  }
  assert.ok(card.equal.count > 1);
  await withPage(server.url, { ...look, hash: hash({ ...view, pin: card.buffer }) }, async (page) => {
    await drawn(page);
    const line = cardOf(page).locator('.m-equal');
    await becomes(async () => (await line.count()) && read(line), `1 of ${card.equal.count} equal buffers; without all ${card.equal.count}: ${mib(card.equal.peak_without_bytes)}`);
    await line.getByRole('button').click();
    await inAddress(page, { tab: 'buffers' });
    const w = await server.api('memory/whatif', { ...view, buffers: card.equal.buffers.join(',') });
    assert.equal(w.new_peak_bytes, card.equal.peak_without_bytes);
    await becomes(async () => (await page.locator('.m-whatif b').count()) && page.locator('.m-whatif b').getAttribute('title'), exact(w.new_peak_bytes));
  });
});

test('a link that names what is not there: the message is beside the savings, an unknown tab is the first', async () => {
  const asked = await fetch(`${server.url}api/v1/memory/buffer?${new URLSearchParams({ ...DEMO, buffer: 99999 })}`);
  assert.equal(asked.status, 404);
  const said404 = (await asked.json()).error.message;
  assert.match(said404, /^this module has \d+ buffers/);
  await withPage(server.url, { hash: hash({ ...DEMO, pin: 99999, tab: 'nothing' }) }, async (page, { forgive }) => {
    await ready(page);
    await becomes(() => read(cardOf(page).getByRole('status')), said404);
    assert.equal(await cardOf(page).locator('[aria-busy=true]').count(), 0);
    assert.ok((await cardOf(page).locator('.m-savings li').count()) > 0, 'what could be pinned');
    assert.deepEqual(await page.locator('.m-tab-list [aria-selected=true]').allTextContents(), [`At step ${(await server.api('memory/summary', DEMO)).peak.step}`]);
    assert.equal(await page.getByText('reading every module').count(), 0);
    // A pin that is there takes the message away.
    await cardOf(page).locator('.m-savings button').first().click();
    await becomes(() => page.locator('.m-card-title code').count(), 1);
    assert.equal(await cardOf(page).locator('.m-savings').count(), 0);
    forgive(/404/);
  });
});

test('below 1280 the details are a drawer: opens on a pin and by key, closes by its cross', async () => {
  await withPage(server.url, { size: { width: 1200, height: 800 }, hash: hash(DEMO) }, async (page) => {
    await ready(page);
    assert.equal(await cardOf(page).count(), 0);
    await page.keyboard.press('i');
    await becomes(() => page.locator('.m-card.drawer').count(), 1);
    await page.keyboard.press('i');
    await becomes(() => cardOf(page).count(), 0);
    const width = (await page.locator('.m-left').boundingBox()).width;
    await page.goto(`${server.url}${hash({ ...DEMO, pin: 66 })}`);
    await becomes(async () => (await page.locator('.m-card-title code').count()) && said(page.locator('.m-card-title code')), '%pad.2');
    assert.equal((await page.locator('.m-left').boundingBox()).width, width, 'it covers part of the page');
    await cardOf(page).getByRole('button', { name: 'unpin' }).click();
    await inAddress(page, { pin: null });
    await becomes(() => cardOf(page).count(), 0);
    await page.getByRole('button', { name: 'open the details' }).click();
    await becomes(() => page.locator('.m-card.drawer').count(), 1);
  });
});

eachLook('the edges can be dragged, are kept, and go back by a double click', async (look) => {
  await withPage(server.url, { ...look, hash: hash(DEMO) }, async (page) => {
    await drawn(page);
    const width = async () => Math.round((await cardOf(page).boundingBox()).width);
    const usual = await width();
    assert.equal(usual, look.size.width < 2000 ? 320 : 380);
    const edge = await page.locator('.m-card-edge').boundingBox();
    await page.mouse.move(edge.x + edge.width / 2, edge.y + 200);
    await page.mouse.down();
    await page.mouse.move(edge.x - 60, edge.y + 200);
    await page.mouse.up();
    const wide = await width();
    assert.ok(Math.abs(wide - usual - 60) <= 6, `${wide}`);
    const chart = async () => Math.round((await page.locator('.m-charts').boundingBox()).height);
    const high = await chart();
    const split = await page.locator('.m-split').boundingBox();
    await page.mouse.move(split.x + 200, split.y + split.height / 2);
    await page.mouse.down();
    await page.mouse.move(split.x + 200, split.y + split.height / 2 - 60);
    await page.mouse.up();
    await until('lower charts', async () => Math.abs((await chart()) - high + 60) <= 8);
    const lower = await chart();
    await page.reload();
    await drawn(page);
    assert.equal(await width(), wide, 'kept');
    assert.ok(Math.abs((await chart()) - lower) <= 2, 'kept');
    await page.locator('.m-card-edge').dblclick();
    await page.locator('.m-split').dblclick();
    await becomes(width, usual);
    await until('the height at first', async () => Math.abs((await chart()) - high) <= 2);
    assert.equal(viewOf(page).pin, undefined);
  });
});
