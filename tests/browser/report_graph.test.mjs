// Graphs of the Report: chosen buffers by size and by address, the map of modules with its scales, bars, the treemap; every number is the server's.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before } from 'node:test';

import { becomes, csv, download, eachLook, exact, inAddress, inUnit, isDrawn, makeLogdir, quit, serve, sharedLogdir, testdata, toastSays, until, viewOf, withPage } from './lib.mjs';
import { chartOf, pointAt } from './memory.mjs';

const RUN = { run: 'layers/aot' };
let server;
let peak;
/** Buffers in the heap at the peak, largest first. */
let live;
before(async () => {
  server = await serve(makeLogdir({ layers: join(testdata, 'tpu_scan_layers/logdir'), mlp: join(testdata, 'cpu_mlp_train/logdir') }));
  peak = (await server.api('memory/summary', RUN)).peak.step;
  const heap = await server.api('report/heap', { ...RUN, at: peak });
  live = heap.buffer.map((buffer, k) => ({ buffer, tenancy: heap.tenancy[k], size: heap.size_bytes[k], name: heap.names[heap.name[k]] })).sort((a, b) => b.size - a.size);
});
after(async () => {
  await quit();
  await server?.stop();
});

const hash = (view, run = RUN) => `#${new URLSearchParams({ ...run, mode: 'report', ...view })}`;
const small = (bytes) => Math.abs(bytes) < 2 ** 20;
const cell = (bytes) => (bytes === 0 ? '0' : small(bytes) ? (Math.abs(bytes) < 1024 ? `${bytes} B` : `${inUnit(bytes, 'KiB')} KiB`) : inUnit(bytes, 'MiB'));
const graph = (page) => page.getByRole('group', { name: 'graph', exact: true });
const choice = (page, label) => page.locator('.r-tools label', { hasText: new RegExp(`^${label}`) }).locator('select');
const listed = (page) => page.locator('.r-chosen[data-buffer]');
const sum = (page) => page.locator('.r-chosen.r-sum');

eachLook('S1.15-S1.21: chosen buffers are found by name, added with keys, drawn by size and by address, taken away, kept in the address', async (look, first) => {
  await withPage(server.url, { ...look, hash: hash({ steps: String(peak) }) }, async (page) => {
    await graph(page).getByText('Chosen buffers').click();
    await inAddress(page, { graph: 'plot' });
    await until('what to do', async () => /No buffer is chosen/.test(await page.locator('.r-empty').innerText()));
    const box = page.getByLabel('add buffers to the graph');
    const all = await server.api('memory/buffers', { ...RUN, at: 'all', filter: 'fusion', sort: 'size', desc: 1, limit: 12 });
    await box.fill('fusion');
    await becomes(() => page.locator('.r-found').getByRole('option').count(), all.buffer.length, 'found');
    await until('how many', async () => (await page.locator('.r-found').innerText()).includes(all.matched.toLocaleString('en-US')));
    await box.press('ArrowDown');
    await box.press('Enter');
    await inAddress(page, { plot: String(all.buffer[1]) });
    await box.press('ArrowUp');
    await box.press('Enter');
    await inAddress(page, { plot: `${all.buffer[1]},${all.buffer[0]}` });
    await becomes(() => listed(page).count(), 2, 'chosen');
    await until('the graph', () => isDrawn(chartOf(page)));
    const plot = await server.api('report/plot', { ...RUN, steps: peak, buffers: `${all.buffer[1]},${all.buffer[0]}` });
    await until('the sum', async () => (await sum(page).innerText()).includes(cell(plot.total.at_bytes[0])));
    await box.fill('/(/');
    await until('a wrong expression is named', async () => (await page.locator('.r-found .r-grow').count()) === 1);
    await box.press('Escape');
    await listed(page).first().getByRole('button', { name: /^remove / }).click();
    await inAddress(page, { plot: String(all.buffer[0]) });
    await page.getByRole('group', { name: 'chosen buffers by' }).getByText('by address').click();
    await inAddress(page, { plotby: 'address' });
    await until('the bands', () => isDrawn(chartOf(page)));
    if (!first) return;
    const saved = await download(page, () => page.locator('.r-plot-legend').getByRole('link', { name: 'CSV' }).click());
    const [row] = csv(saved.text);
    const only = await server.api('report/plot', { ...RUN, buffers: String(all.buffer[0]) });
    assert.deepEqual([row.buffer, row.from_step, row.size_bytes].map(Number), [all.buffer[0], only.pieces.from_step[0], only.pieces.size_bytes[0]]);
  });
});

eachLook('S1.19, S1.86: "Plot" in the details of the address map draws the buffer; at its step the band and the sum are its own', async (look) => {
  const [most] = live;
  await withPage(server.url, { ...look, hash: hash({ rtab: 'buffers', steps: String(peak), rpin: String(most.tenancy) }) }, async (page) => {
    await page.locator('.r-place').getByRole('button', { name: 'Plot' }).click();
    await inAddress(page, { graph: 'plot', plot: String(most.buffer) });
    await until('its bytes', async () => (await sum(page).innerText()).includes(cell(most.size)));
    await page.getByRole('group', { name: 'chosen buffers by' }).getByText('by address').click();
    const chart = chartOf(page);
    await until('the band', () => isDrawn(chart));
    const size = await chart.boundingBox();
    const plot = await server.api('report/plot', { ...RUN, buffers: String(most.buffer) });
    const [from, to] = [plot.pieces.from_step[0], plot.pieces.to_step[0]];
    const x = 66 + (((from + to) / 2) / plot.step_count) * (size.width - 80);
    await pointAt(page, chart, { x, y: size.height / 2 });
    await until('the tip', async () => (await page.locator('.m-hover').allInnerTexts()).join().includes(most.name));
  });
});

eachLook('S1.19: "Plot" in the details of the Viewer opens the graph with the buffer', async (look) => {
  await withPage(server.url, { ...look, hash: `#${new URLSearchParams({ ...RUN, pin: live[0].buffer })}` }, async (page) => {
    await page.getByRole('button', { name: 'Plot', exact: true }).click();
    await inAddress(page, { mode: 'report', graph: 'plot' });
    await until('the buffer', async () => (await listed(page).allInnerTexts()).join().includes(live[0].name));
  });
});

eachLook('S1.17: the 33rd buffer is refused with a text; two values of one storage count once', async (look) => {
  const many = Array.from({ length: 32 }, (_, k) => k).join(',');
  await withPage(server.url, { ...look, hash: hash({ graph: 'plot', plot: many }) }, async (page) => {
    await becomes(() => listed(page).count(), 32, 'chosen');
    const plot = await server.api('report/plot', { ...RUN, steps: peak, buffers: many });
    await until('the sum', async () => (await sum(page).innerText()).includes(cell(plot.total.at_bytes[0])));
    const box = page.getByLabel('add buffers to the graph');
    const [found] = (await server.api('memory/buffers', { ...RUN, at: 'all', sort: 'size', desc: 1, limit: 60 })).buffer.filter((id) => id > 31).slice(0, 1);
    assert.ok(found !== undefined);
    await box.fill('a');
    await page.locator('.r-found').getByRole('option').first().waitFor();
    for (let k = 0; k < 12; k++) {
      await box.press('Enter');
      if (/32 buffers/.test(await page.locator('body').innerText())) break;
      await box.press('ArrowDown');
    }
    await toastSays(page, /32 buffers are on the graph/);
    assert.equal(viewOf(page).plot, many);
  });
});

eachLook('S1.22-S1.37: the map of modules: bytes, scales, key with a tick, rank, a click opens, Ctrl-click stands beside', async (look, first, t) => {
  const folder = sharedLogdir('tpu_many_modules');
  if (!folder) return t.skip('no shared data');
  const other = await serve(folder);
  try {
    const runs = await other.api('runs');
    const run = { run: runs.id[0] };
    const modules = await other.api('modules', run);
    const { spaces } = modules;
    const order = spaces.module.map((_, j) => j).filter((j) => spaces.peak_bytes[j] > 0 || spaces.reserved_bytes[j] > 0).sort((a, b) => spaces.peak_bytes[b] - spaces.peak_bytes[a]);
    const id = (j) => `${modules.key[spaces.module[j]]}@${spaces.color[j]}`;
    await withPage(other.url, { ...look, hash: hash({ graph: 'modules' }, run) }, async (page) => {
      const tile = (j) => page.locator(`.r-tile[data-tile="${id(j)}"]`);
      await tile(order[0]).waitFor();
      assert.equal(await page.locator('.r-tile').count(), order.length);
      // S1.32: the tiles fill their area
      const strips = await page.locator('.r-strips').boundingBox();
      const lowest = await page.locator('.r-strip').last().boundingBox();
      assert.ok(Math.abs(strips.y + strips.height - lowest.y - lowest.height) < 24 || lowest.y + lowest.height > strips.y + strips.height, 'an empty border below the tiles');
      await tile(order[1]).hover();
      const tip = page.locator('.m-hover');
      await until('the tip', async () => {
        const text = await tip.innerText();
        return text.includes(exact(spaces.peak_bytes[order[1]])) && text.includes(`rank 2 of ${order.length}`) && /capacity/.test(text);
      });
      const share = (spaces.peak_bytes[order[1]] - spaces.peak_bytes[order.at(-1)]) / (spaces.peak_bytes[order[0]] - spaces.peak_bytes[order.at(-1)]);
      const at = await page.locator('.r-key-tick').evaluate((tick) => (tick.getBoundingClientRect().left - tick.parentElement.getBoundingClientRect().left) / tick.parentElement.getBoundingClientRect().width);
      assert.ok(Math.abs(at - share) < 0.02, `tick at ${at}, not ${share}`);
      const colour = (j) => tile(j).evaluate((element) => getComputedStyle(element).backgroundColor);
      const before = await colour(order[1]);
      await choice(page, 'scale').selectOption('rank');
      await inAddress(page, { scale: 'rank' });
      await until('another colour', async () => (await colour(order[1])) !== before);
      await choice(page, 'scale').selectOption('absolute');
      await until('where it ends', async () => /capacity|largest/.test(await page.locator('.r-key').innerText()));
      await choice(page, 'space').selectOption('1');
      await becomes(() => page.locator('.r-tile').count(), order.filter((j) => spaces.color[j] === 1).length, 'tiles of VMEM');
      await choice(page, 'space').selectOption('all');
      await tile(order[1]).click({ modifiers: ['Control'] });
      await inAddress(page, { mods: id(order[1]) });
      await becomes(() => page.locator('.r-compare-modules thead th').count(), 2, 'columns');
      await tile(order[1]).click();
      await until('another program', () => viewOf(page).module === modules.key[spaces.module[order[1]]]);
      await inAddress(page, { graph: 'modules', scale: 'absolute' });
      await page.getByRole('group', { name: 'shape of the map' }).getByText('bars').click();
      await inAddress(page, { mapshape: 'bars' });
      await page.locator('.r-modbar').first().waitFor();
      await becomes(() => page.locator('.r-modbar').count(), order.length, 'bars');
      const title = await page.locator('.r-modbar').first().getAttribute('title');
      assert.ok(title.includes(`peak ${exact(spaces.peak_bytes[order[0]])}`), title);
      assert.equal(await page.getByRole('group', { name: 'map of' }).getByText('devices').isDisabled(), true);
      if (!first) return;
      await page.getByRole('group', { name: 'shape of the map' }).getByText('map', { exact: true }).click();
      const saved = await download(page, () => page.locator('.r-key').getByRole('button', { name: 'CSV' }).click());
      assert.equal(csv(saved.text).length, order.length);
    });
  } finally {
    await other.stop();
  }
});

eachLook('By scope: a treemap whose root is what is held; a click goes inside, the way leads back, the icicle is a click away', async (look) => {
  await withPage(server.url, { ...look, hash: hash({ graph: 'scope', steps: String(peak) }) }, async (page) => {
    const canvas = page.locator('.r-treemap-canvas');
    await until('the treemap', () => isDrawn(canvas));
    const tree = await server.api('memory/tree', { ...RUN, by: 'scope', at: peak, fold: 'numbers' });
    await until('its bytes', async () => (await page.locator('.r-way').innerText()).includes(`${inUnit(tree.size_bytes[0], 'MiB')} MiB`));
    const box = await canvas.boundingBox();
    await pointAt(page, canvas, { x: box.width / 4, y: box.height / 2 });
    await until('the tip', async () => /buffer/.test((await page.locator('.m-hover').allInnerTexts()).join()));
    await canvas.click({ position: { x: box.width / 4, y: box.height / 2 } });
    await until('inside', () => viewOf(page).troot !== undefined);
    await until('a shorter sum', async () => !(await page.locator('.r-way').innerText()).includes(`${inUnit(tree.size_bytes[0], 'MiB')} MiB`));
    await page.locator('.r-way').getByRole('button').first().click();
    await inAddress(page, { troot: null });
    await choice(page, 'by').selectOption('class');
    await inAddress(page, { treeby: 'class' });
    await page.getByRole('group', { name: 'shape of the tree' }).getByText('icicle').click();
    await until('the icicle', () => isDrawn(page.locator('.m-icicle-canvas')));
  });
});

eachLook('a space without a heap trace keeps the map and the treemap; graphs over steps say why they are off', async (look) => {
  const mlp = { run: 'mlp/run0' };
  const modules = await server.api('modules', mlp);
  for (const module of modules.key) {
    const summary = await server.api('memory/summary', { ...mlp, module });
    if (summary.steps > 0) continue;
    await withPage(server.url, { ...look, hash: hash({ module, graph: 'modules' }, mlp) }, async (page) => {
      await page.locator('.r-tile').first().waitFor();
      const off = graph(page).getByText('Chosen buffers');
      await until('chosen buffers are off', () => off.isDisabled());
      assert.match(await off.getAttribute('title'), /no heap trace/);
      await graph(page).getByText('By scope').click();
      await until('the treemap', async () => (await page.locator('.r-treemap').count()) + (await page.locator('.m-note').count()) > 0);
    });
    return;
  }
});

eachLook('the map of devices of a real run: in their order, how far apart, rank; the row Measured; no button of the bar is cut', async (look, _first, t) => {
  const folder = sharedLogdir('tpu-v6e-offload');
  if (!folder) return t.skip('no shared data');
  const other = await serve(folder);
  try {
    const run = { run: (await other.api('runs')).id[0], module: 'jit_f(12190760917235803885)' };
    const { tracks } = await other.api('trace/allocators', { run: run.run });
    await withPage(other.url, { ...look, hash: hash({ graph: 'modules', mapof: 'devices' }, run) }, async (page) => {
      const tiles = page.locator('.r-tile');
      await becomes(() => tiles.count(), tracks.length);
      assert.deepEqual((await tiles.allInnerTexts()).map((text) => text.split('\n')[0]), tracks.map((track) => `device ${track.allocator}`));
      const bytes = tracks.map((track) => track.most_bytes);
      const apart = Math.max(...bytes) - Math.min(...bytes);
      await becomes(async () => (await page.locator('.r-key').innerText()).includes(`, ${inUnit(apart, 'KiB')} KiB apart`), true);
      await tiles.nth(0).hover();
      await until('the tip', async () => {
        const text = await page.locator('.m-hover').innerText();
        return text.includes(exact(bytes[0])) && text.includes(`rank ${1 + bytes.filter((one) => one > bytes[0]).length} of ${bytes.length}`) && /% of 31\.25 GiB/.test(text);
      });
      const measured = page.locator('.r-line-row', { hasText: 'Stack' }).first();
      await measured.waitFor();
      const button = page.getByRole('button', { name: /^What if/ });
      const [box, bar] = [await button.boundingBox(), await page.locator('.m-badges').boundingBox()];
      assert.ok(box.x >= bar.x - 1 && box.x + box.width <= bar.x + bar.width + 1 && box.y < bar.y + 12, `the button stands at ${JSON.stringify(box)} in ${JSON.stringify(bar)}`);
    });
  } finally {
    await other.stop();
  }
});
