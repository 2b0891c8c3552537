// Report: the steps box, the stacked chart with its legend, the tree of categories, Ops and Kinds; every number is the server's.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before } from 'node:test';

import { becomes, csv, download, eachLook, inAddress, inUnit, isDrawn, makeLogdir, quit, serve, settled, temporary, testdata, until, viewOf, withPage } from './lib.mjs';
import { hloProto, xspace } from './hlo.mjs';
import { chartOf, placeOf, pointAt } from './memory.mjs';

const RUN = { run: 'layers/aot' };
let server;
let steps;
before(async () => {
  server = await serve(makeLogdir({ layers: join(testdata, 'tpu_scan_layers/logdir'), mlp: join(testdata, 'cpu_mlp_train/logdir') }));
  steps = (await server.api('memory/summary', RUN)).steps;
});
after(async () => {
  await quit();
  await server?.stop();
});

const hash = (view) => `#${new URLSearchParams({ ...RUN, mode: 'report', ...view })}`;
const row = (page, id) => page.locator(`[data-row="${id}"]`);
const cells = (page, id) => row(page, id).getByRole('gridcell').allInnerTexts();
const stepsBox = (page) => page.locator('.r-steps input');
const letters = (page) => page.locator('.r-line-head .r-letter');
const small = (bytes) => Math.abs(bytes) < 2 ** 20;
/** As a cell prints bytes: in MiB, small ones in their own unit. */
const cell = (bytes) => (bytes === 0 ? '0' : small(bytes) ? (Math.abs(bytes) < 1024 ? `${bytes} B` : `${inUnit(bytes, 'KiB')} KiB`) : inUnit(bytes, 'MiB'));
/** The same in the words of a key: with its unit. */
const cellOf = (bytes) => (small(bytes) ? cell(bytes) : `${inUnit(bytes, 'MiB')} MiB`);
const ready = (page) => row(page, 'reserved').waitFor();

eachLook('the tree shows the numbers of the server at both steps, with signed differences', async (look) => {
  const [a, b] = [Math.floor(steps / 4), Math.floor(steps / 2)];
  const answer = await server.api('report/details', { ...RUN, steps: `${a},${b}` });
  await withPage(server.url, { ...look, hash: hash({ steps: `${a},${b}` }) }, async (page) => {
    await ready(page);
    assert.equal(await letters(page).count(), 2);
    await inAddress(page, { step: String(a) });
    for (const wanted of answer.rows) {
      const texts = await cells(page, wanted.id);
      const difference = wanted.at_bytes[1] - wanted.at_bytes[0];
      assert.ok(texts.includes(cell(wanted.at_bytes[0])), `${wanted.id} at A: ${texts}, not ${cell(wanted.at_bytes[0])}`);
      assert.ok(texts.includes(cell(wanted.at_bytes[1])), `${wanted.id} at B: ${texts}`);
      const signed = difference === 0 ? '0' : `${difference > 0 ? '+' : '\u2212'}${cell(Math.abs(difference))}`;
      assert.ok(texts.includes(signed), `${wanted.id} B - A: ${texts}, not ${signed}`);
    }
    await page.getByText('only differences').click();
    await inAddress(page, { diffs: '1' });
    const differing = answer.rows.filter((wanted) => wanted.at_bytes[0] !== wanted.at_bytes[1]).length;
    await becomes(() => page.locator('[data-row]').count(), differing, 'rows that differ');
    await page.getByRole('button', { name: 'swap' }).click();
    await inAddress(page, { steps: `${b},${a}` });
    await becomes(() => stepsBox(page).inputValue(), `${b}, ${a}`);
    await until('the chart', () => isDrawn(chartOf(page)));
  });
});

eachLook('the steps box takes steps and ranges; wrong text is named and the old steps stay', async (look) => {
  await withPage(server.url, { ...look, hash: hash({ steps: '3' }) }, async (page) => {
    await ready(page);
    const box = stepsBox(page);
    await box.fill(`2, 0-${steps - 1}`);
    await box.press('Enter');
    await inAddress(page, { steps: `2,0-${steps - 1}` });
    await becomes(() => letters(page).count(), 2, 'columns');
    const peak = (await server.api('memory/summary', RUN)).peak.step;
    await until('the highest step of the range', async () => (await page.locator('.r-line-head').innerText()).includes(String(peak)));
    for (const [text, says] of [['x', /"x" is not a step/], ['5-2', /ends before it begins/], [String(steps), /there is no step/], ['1,2,3,4,5,6,7,8,9', /at most 8/]]) {
      await box.fill(text);
      await until(text, async () => says.test((await page.getByRole('alert').allInnerTexts()).join()));
      assert.equal(await box.getAttribute('aria-invalid'), 'true');
      await box.press('Enter');
      assert.equal(viewOf(page).steps, `2,0-${steps - 1}`);
    }
    await box.press('Escape');
    await becomes(() => box.inputValue(), `2, 0-${steps - 1}`);
  });
});

eachLook('a click on the chart sets A, with Ctrl one more; keys walk, P goes to the peak, Esc leaves one', async (look) => {
  await withPage(server.url, { ...look, hash: hash({}) }, async (page) => {
    await ready(page);
    const peak = String((await server.api('memory/summary', RUN)).peak.step);
    const chart = chartOf(page);
    const whole = { from: 0, to: steps };
    const [a, b] = [Math.floor(steps / 3), Math.floor((steps * 2) / 3)];
    await pointAt(page, chart, await placeOf(chart, a, whole));
    await until('the tip', async () => (await page.locator('.m-hover').count()) > 0);
    await chart.click({ position: await placeOf(chart, a, whole) });
    await until('A', () => Math.abs(Number(viewOf(page).steps) - a) <= 1);
    await chart.click({ position: await placeOf(chart, b, whole), modifiers: ['Control'] });
    await becomes(() => letters(page).count(), 2, 'columns');
    const [first] = viewOf(page).steps.split(',').map(Number);
    await page.keyboard.press('ArrowRight');
    await until('one step on', () => Number(viewOf(page).steps.split(',')[0]) === first + 1);
    await page.keyboard.press('p');
    await until('the peak', () => viewOf(page).steps.split(',')[0] === peak);
    await page.keyboard.press('Escape');
    await becomes(() => letters(page).count(), 1, 'columns');
  });
});

eachLook('areas: each split adds up to the peak, unticked groups leave the stack, all of it is in the address', async (look) => {
  await withPage(server.url, { ...look, hash: hash({}) }, async (page) => {
    await ready(page);
    const legend = page.locator('.r-legend');
    const peak = (await server.api('memory/summary', RUN)).peak.held_bytes;
    for (const by of ['kind', 'class', 'dtype', 'scope', 'computation', 'opcode', 'op']) {
      await page.getByLabel('split by').selectOption(by);
      await inAddress(page, { split: by === 'op' ? null : by });
      const areas = await server.api('report/areas', { ...RUN, by, px: 1 });
      assert.equal(areas.groups.reduce((sum, group) => sum + group.peak_bytes, 0), peak);
      await becomes(() => legend.locator('.r-legend-list input').count(), areas.groups.length, `groups by ${by}`);
      await until('sum = live', async () => (await legend.locator('.r-sum').innerText()).replace(/\s+/g, ' ').includes(`sum = live ${cell(peak)}`));
    }
    await legend.locator('.r-legend-list input').first().uncheck();
    await until('a sum of fewer', async () => /sum of \d+ of \d+/.test(await legend.locator('.r-sum').innerText()));
    await until('the hidden group in the address', () => viewOf(page).hide !== undefined);
    await legend.locator('.r-legend-list input').first().check();
    await legend.locator('.r-sum input').uncheck();
    await inAddress(page, { total: '0' });
    for (const [name, graph] of [['Addresses', 'map'], ['By scope', 'scope'], ['Total', null]]) {
      await page.getByRole('group', { name: 'graph' }).getByText(name).click();
      await inAddress(page, { graph });
    }
    await until('the chart', () => isDrawn(chartOf(page)));
  });
});

eachLook('the tree opens down to buffers, by mouse and by keys, and closes', async (look) => {
  await withPage(server.url, { ...look, hash: hash({}) }, async (page) => {
    await ready(page);
    const answer = await server.api('report/details', RUN);
    const leaf = answer.rows.find((item) => item.opens && item.id.startsWith('compute.'));
    const buffers = await server.api('report/groups', { ...RUN, by: 'buffer', within: leaf.id, limit: 12 });
    await row(page, leaf.id).getByRole('button').click();
    await row(page, `${leaf.id}/0`).waitFor();
    assert.ok((await row(page, `${leaf.id}/0`).innerText()).includes(buffers.rows[0].name));
    await row(page, 'temporaries').getByRole('button').click();
    await becomes(() => row(page, leaf.id).count(), 0, 'closed');
    await page.locator('.r-lines').focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowLeft');
    await becomes(() => row(page, 'live').count(), 0, 'closed by keys');
    await page.keyboard.press('Enter');
    await row(page, 'live').waitFor();
  });
});

eachLook('Ops and Kinds add up to what is live, filter by name and origin, open to buffers; CSV has the same', async (look) => {
  await withPage(server.url, { ...look, hash: hash({ rtab: 'ops' }) }, async (page) => {
    const live = (await server.api('report/groups', RUN)).live_bytes[0];
    for (const by of ['scope', 'computation', 'opcode', 'op']) {
      await page.locator('.m-tab-row label', { hasText: /^by/ }).locator('select').selectOption(by);
      const groups = await server.api('report/groups', { ...RUN, by, limit: 500 });
      await becomes(() => page.locator('[data-row]').count(), groups.rows.length + 1, by);
      assert.ok((await cells(page, '(sum)')).includes(cell(live)), by);
    }
    const saved = await download(page, () => page.getByRole('link', { name: 'CSV' }).click());
    assert.equal(csv(saved.text).length > 1, true);
    await page.getByRole('tab', { name: 'Kinds' }).click();
    await inAddress(page, { rtab: 'kinds' });
    const kinds = await server.api('report/groups', { ...RUN, by: 'signature', limit: 500 });
    await becomes(() => page.locator('[data-row]').count(), kinds.rows.length + 1, 'kinds');
    await page.getByLabel('only rows whose name contains this').fill('fusion');
    const fusions = kinds.rows.filter((item) => item.name.includes('fusion'));
    await becomes(() => page.locator('[data-row]').count(), fusions.length + 1, 'fusions');
    const held = fusions.find((item) => item.at_bytes[0] > 0);
    await row(page, held.name).getByRole('button').first().click();
    await row(page, `${held.name}/0`).waitFor();
    await row(page, held.name).getByRole('button').first().click();
    await page.getByLabel('only rows whose name contains this').fill('');
    const origin = kinds.rows.at(-1).origin;
    await page.getByLabel('origin').selectOption(origin);
    await becomes(() => page.locator('[data-row]').count(), kinds.rows.filter((item) => item.origin === origin).length + 1, origin);
  });
});

const mapOf = (page) => page.locator('.r-map-canvas');
/** Middle of a box of the heap map, inside the canvas: rows as the page wraps them, as high as its height gives them. */
function spotOf(heap, k, { width, height }) {
  let bytes = 64;
  while (heap.heap_bytes / bytes > 24) bytes *= 2;
  const at = heap.offset_bytes[k] + Math.floor(heap.size_bytes[k] / 2);
  const rows = Math.ceil(heap.heap_bytes / bytes), always = heap.residents.n > 0;
  const high = Math.round((height - 12 - (always ? 4 : 0)) / (rows + (always ? 1 : 0)));
  return { x: 66 + ((at % bytes) / bytes) * (width - 80), y: 4 + (Math.floor(at / bytes) + 0.5) * high, address: at };
}

eachLook('the address map: hover says all tenants, a click pins, conflicts and predecessors are those of the server', async (look) => {
  const peak = (await server.api('memory/summary', RUN)).peak.step;
  await withPage(server.url, { ...look, hash: hash({ rtab: 'buffers', steps: String(peak) }) }, async (page) => {
    const map = mapOf(page);
    await map.waitFor();
    await until('the map', () => isDrawn(map));
    const heap = await server.api('report/heap', { ...RUN, at: peak });
    const k = heap.size_bytes.indexOf(Math.max(...heap.size_bytes));
    await map.scrollIntoViewIfNeeded();
    const box = await map.boundingBox();
    const spot = spotOf(heap, k, box);
    await map.hover({ position: spot });
    const name = heap.names[heap.name[k]];
    await until('the tip', async () => (await page.locator('.m-hover').allInnerTexts()).join().includes(name));
    await map.click({ position: spot });
    await inAddress(page, { rpin: String(heap.tenancy[k]) });
    const place = await server.api('report/place', { ...RUN, tenancy: heap.tenancy[k], address: viewOf(page).rat, at: peak });
    const card = page.locator('.r-place');
    await until('the card', async () => (await card.innerText()).includes(place.pinned.shape));
    const text = await card.innerText();
    assert.ok(text.includes(`${place.conflicts.count} buffer`), 'conflicts');
    assert.ok(text.includes(`0x${place.pinned.offset_bytes.toString(16).padStart(9, '0')}`), 'address');
    await card.getByRole('button', { name: 'Show conflicts' }).click();
    await inAddress(page, { rmode: 'conflicts' });
    await page.getByRole('group', { name: 'what is shown' }).getByRole('button', { name: 'What held these bytes' }).click();
    await inAddress(page, { rmode: 'before' });
    await page.keyboard.press('Escape');
    await inAddress(page, { rpin: null });
  });
});

eachLook('the table of the heap, search, types, row size, steps by key, full window', async (look) => {
  const peak = (await server.api('memory/summary', RUN)).peak.step;
  await withPage(server.url, { ...look, hash: hash({ rtab: 'buffers', steps: String(peak) }) }, async (page) => {
    await mapOf(page).waitFor();
    const heap = await server.api('report/heap', { ...RUN, at: peak });
    await page.keyboard.press('t');
    await inAddress(page, { rview: 'table' });
    await becomes(async () => (await page.getByRole('grid').or(page.locator('.vt')).first().getAttribute('aria-rowcount')) ?? 'none', String(heap.n + 1));
    const name = heap.names[heap.name[0]];
    const search = page.getByLabel('find buffers of this step');
    await search.fill(`/^${name.replace(/[.{}]/g, '\\$&')}/`);
    await until('the count', async () => /1? ?match/.test(await page.locator('.r-controls').innerText()));
    await search.fill('/(/');
    await becomes(() => search.getAttribute('aria-invalid'), 'true');
    await search.fill('');
    await page.keyboard.press('Escape');
    await page.locator('.r-types input').first().uncheck();
    await until('a hidden type', () => viewOf(page).rhide !== undefined);
    await page.getByRole('button', { name: 'Map', exact: true }).click();
    await inAddress(page, { rview: null });
    await page.getByLabel('addresses').selectOption('hex');
    await inAddress(page, { raddr: 'hex' });
    await page.getByRole('button', { name: 'next step' }).click();
    await inAddress(page, { steps: String(peak + 1) });
    await page.locator('.r-map-canvas').focus();
    await page.keyboard.press('Shift+F');
    await inAddress(page, { rfull: '1' });
    await page.keyboard.press('Escape');
    await inAddress(page, { rfull: null });
  });
});

eachLook('blocks of the address map coloured by bytes, padding, age and reuse, each with a key that has units; a right-click plots', async (look) => {
  const peak = (await server.api('memory/summary', RUN)).peak.step;
  await withPage(server.url, { ...look, hash: hash({ rtab: 'buffers', steps: String(peak) }) }, async (page) => {
    const map = mapOf(page);
    await map.waitFor();
    const heap = await server.api('report/heap', { ...RUN, at: peak });
    const colour = page.locator('.r-controls label', { hasText: /^colour/ }).locator('select');
    const scale = page.locator('.r-controls label', { hasText: /^scale/ }).locator('select');
    const key = page.locator('.r-controls .r-key');
    const pixels = () => map.evaluate((canvas) => canvas.toDataURL().length);
    const byType = await pixels();
    const padding = heap.size_bytes.map((bytes, k) => (bytes > 0 ? (100 * (bytes - heap.unpadded_bytes[k])) / bytes : 0));
    const ends = { bytes: [cellOf(Math.min(...heap.size_bytes)), cellOf(Math.max(...heap.size_bytes))], padding: [' %', ' %'], age: [String(peak - Math.max(...heap.start_step)), `${peak - Math.min(...heap.start_step)} steps`], reuse: ['tenant', `${Math.max(...heap.tenants)} tenant`] };
    for (const [by, [low, high]] of Object.entries(ends)) {
      await colour.selectOption(by);
      await inAddress(page, { rcol: by });
      await until(`the key of ${by}`, async () => {
        const text = await key.innerText();
        return text.includes(low) && text.includes(high);
      });
    }
    await until('other colours', async () => (await pixels()) !== byType);
    await scale.selectOption('rank');
    await inAddress(page, { rscale: 'rank' });
    await until('ranks', async () => (await key.innerText()).includes(`rank ${new Set(heap.tenants).size}`));
    await colour.selectOption('padding');
    await scale.selectOption('absolute');
    await until('a whole', async () => (await key.innerText()).includes('100 %'));
    assert.ok(Math.max(...padding) <= 100);
    const k = heap.size_bytes.indexOf(Math.max(...heap.size_bytes));
    await map.scrollIntoViewIfNeeded();
    const box = await map.boundingBox();
    await map.hover({ position: spotOf(heap, k, box) });
    await until('the tick of the key', async () => (await key.locator('.r-key-tick').count()) === 1);
    await map.click({ position: spotOf(heap, k, box), button: 'right' });
    await inAddress(page, { graph: 'plot', plot: String(heap.buffer[k]) });
  });
});

eachLook('S1.60: what is there at one of two steps only has a tag and no difference; what is there at both has one', async (look) => {
  const by = 'opcode';
  const [a, b] = [1, Math.floor(steps / 2)];
  const groups = await server.api('report/groups', { ...RUN, by, steps: `${a},${b}`, limit: 500 });
  const sided = groups.rows.find((item) => item.at_bytes[0] === 0 && item.at_bytes[1] > 0);
  const both = groups.rows.find((item) => item.at_bytes[0] > 0 && item.at_bytes[1] > 0);
  await withPage(server.url, { ...look, hash: hash({ rtab: 'ops', rby: by, steps: `${a},${b}` }) }, async (page) => {
    await row(page, sided.name).waitFor();
    const texts = await cells(page, sided.name);
    assert.ok(texts.includes(cell(sided.at_bytes[1])) && !texts.includes(`+${cell(sided.at_bytes[1])}`), `${texts}`);
    assert.match(texts.join(' '), /only at B/);
    const difference = both.at_bytes[1] - both.at_bytes[0];
    assert.ok((await cells(page, both.name)).includes(difference === 0 ? '0' : `${difference > 0 ? '+' : '\u2212'}${cell(Math.abs(difference))}`));
  });
});

eachLook('a filter by what is inside fusions finds others than one by name; a fusion opens to its instructions, which have no bytes', async (look) => {
  await withPage(server.url, { ...look, hash: hash({ rtab: 'ops', rby: 'opcode' }) }, async (page) => {
    await page.locator('[data-row="(sum)"]').waitFor();
    const filter = page.locator('.m-tab-row label', { hasText: /^filter/ }).locator('select');
    await page.getByLabel('only rows whose name contains this').fill('multiply');
    const all = await server.api('report/groups', { ...RUN, by: 'opcode', limit: 500 });
    const byName = all.rows.filter((item) => item.name.includes('multiply'));
    await becomes(() => page.locator('[data-row]').count(), byName.length + 1, 'by name');
    await filter.selectOption('inner op');
    await inAddress(page, { rfilter: 'inner' });
    const inner = await server.api('report/groups', { ...RUN, by: 'opcode', inner: 'multiply', limit: 500 });
    await becomes(() => page.locator('[data-row]').count(), inner.rows.length + 1, 'by what is inside');
    assert.notDeepEqual(inner.rows.map((item) => item.name), byName.map((item) => item.name));
    await until('its sum', async () => (await cells(page, '(sum)')).includes(cell(inner.total.at_bytes[0])));
    const name = inner.rows.find((item) => item.at_bytes[0] > 0).name;
    await row(page, name).getByRole('button', { name: /^open/ }).click();
    const buffers = await server.api('report/groups', { ...RUN, by: 'buffer', within: name, within_by: 'opcode', inner: 'multiply', limit: 20 });
    const k = buffers.rows.findIndex((item) => item.body);
    await row(page, `${name}/${k}`).getByRole('button', { name: /^open/ }).click();
    const list = await server.api('graph/list', { ...RUN, computation: buffers.rows[k].body, count: 100 });
    assert.equal(list.total, buffers.rows[k].fused);
    await row(page, `${name}/${k}/inside/${list.n - 1}`).waitFor();
    const text = await row(page, `${name}/${k}/inside/0`).innerText();
    assert.ok(text.includes('no buffer (fused)') && !/\d (B|KiB|MiB|GiB)/.test(text), text);
  });
});

eachLook('a small chart for each memory space; a click opens it; what the words mean is in the page', async (look) => {
  await withPage(server.url, { ...look, hash: hash({ split: 'space' }) }, async (page) => {
    const summary = await server.api('memory/summary', RUN);
    const spaces = summary.spaces.filter((space) => space.peak_bytes > 0 || space.reserved_bytes > 0);
    const canvas = page.locator('.r-spaces-canvas');
    await until('the charts', () => isDrawn(canvas));
    const label = await canvas.getAttribute('aria-label');
    for (const space of spaces) assert.ok(label.includes(space.name), label);
    const box = await canvas.boundingBox();
    const k = spaces.findIndex((space) => space.color !== summary.space.color);
    const position = { x: box.width / 2, y: ((k + 0.5) / spaces.length) * box.height };
    await canvas.hover({ position });
    await until('its peak', async () => (await page.locator('.m-hover').innerText()).includes(`${spaces[k].peak_bytes.toLocaleString('en-US')} bytes`));
    await canvas.click({ position });
    await inAddress(page, { space: String(spaces[k].color), split: 'space', mode: 'report' });
    await page.getByRole('button', { name: '?', exact: true }).click();
    await until('words', async () => /Not in XLA/.test(await page.locator('.r-help').innerText()));
    await page.keyboard.press('Escape');
    await becomes(() => page.locator('.r-help').count(), 0, 'closed');
  });
});

eachLook('Transfers: one row a group with count, bytes and where from; it opens to the instructions', async (look) => {
  await withPage(server.url, { ...look, hash: hash({ rtab: 'transfers' }) }, async (page) => {
    const transfers = await server.api('report/transfers', RUN);
    assert.ok(transfers.rows.length > 0);
    await becomes(() => page.locator('[data-row]').count(), transfers.rows.length + 1, 'rows');
    const [first] = transfers.rows;
    const line = page.locator('[data-row]').first();
    assert.ok((await line.innerText()).includes(`${first.from} to ${first.to}`) || first.from === first.to);
    await line.getByRole('button').click();
    await becomes(() => page.locator('[data-row]').count(), transfers.rows.length + 1 + first.each.length, 'opened');
  });
});

eachLook('Transfers: what is not listed is one row with its sums, a click lists it; CSV and JSON are whole', async (look) => {
  const name = (i) => `r${String.fromCharCode(97 + Math.floor(i / 26), 97 + (i % 26))}`;
  const hlo = hloProto('many', Array.from({ length: 250 }, (_, i) => ({ name: name(i), opcode: 'all-reduce', opName: 'a', elements: 1 + i })));
  const folder = temporary('browser');
  const at = join(folder, 'plugins/profile/many');
  mkdirSync(at, { recursive: true });
  writeFileSync(join(at, 'host0.xplane.pb'), xspace([{ name: 'many', id: 1, hlo }]));
  const many = await serve(folder);
  const bytes = (from, to) => Array.from({ length: to - from }, (_, i) => 4 * (1 + from + i)).reduce((all, one) => all + one, 0);
  await withPage(many.url, { ...look, hash: `#${new URLSearchParams({ run: 'many', mode: 'report', rtab: 'transfers', unit: 'mib' })}` }, async (page) => {
    await becomes(() => page.locator('[data-row]').count(), 202, 'rows');
    const rest = row(page, '(rest)');
    assert.match(await rest.innerText(), /50 other groups[^]*200 of 250 are listed, those that move the most bytes/);
    assert.deepEqual((await cells(page, '(rest)')).slice(1, 2), ['50']);
    assert.deepEqual((await cells(page, '(sum)')).slice(1, 2), ['250']);
    const saved = csv((await download(page, () => page.locator('.m-exports').getByText('CSV', { exact: true }).click())).text);
    assert.equal(saved.length, 250);
    assert.equal(saved.reduce((all, line) => all + Number(line.result_bytes), 0), bytes(0, 250));
    const json = JSON.parse((await download(page, () => page.locator('.m-exports').getByText('JSON', { exact: true }).click())).text);
    assert.deepEqual([json.rows.length, json.left_out, json.total.count, json.total.result_bytes], [250, 0, 250, bytes(0, 250)]);
    await rest.getByRole('button', { name: 'list all' }).click();
    await becomes(() => page.locator('[data-row]').count(), 251, 'all rows');
    assert.equal(await rest.count(), 0);
  });
  await many.stop();
});

eachLook('S1.68: where the program ran, Ops and Kinds have its measured times, which add up; where it did not, no column', async (look) => {
  const mlp = { run: 'mlp/run0' };
  const groups = await server.api('report/groups', { ...mlp, by: 'opcode', times: 1, limit: 5000 });
  assert.ok(groups.times.known);
  const all = await server.api('graph/times', { ...mlp });
  assert.equal(groups.rows.reduce((sum, item) => sum + item.self_ps, 0), all.self_ps.reduce((sum, ps) => sum + ps, 0));
  const ran = [...groups.rows].sort((a, b) => b.self_ps - a.self_ps)[0];
  const unit = ran.self_ps < 1e9 ? ['\u00b5s', 1e6] : ['ms', 1e9];
  await withPage(server.url, { ...look, hash: `#${new URLSearchParams({ ...mlp, mode: 'report', rtab: 'ops', rby: 'opcode' })}` }, async (page) => {
    await until('the time', async () => {
      const cell = (await cells(page, ran.name)).find((text) => text.endsWith(unit[0]));
      return cell && Math.abs(Number(cell.split(' ')[0]) - ran.self_ps / unit[1]) < 0.06;
    });
    assert.ok((await page.locator('.r-line-head').innerText()).includes('time'));
    await page.getByRole('tab', { name: 'Kinds' }).click();
    await until('times of kinds', async () => /time/.test(await page.locator('.r-line-head').innerText()) && / (µs|ms)/.test(await row(page, '(sum)').innerText()));
  });
  await withPage(server.url, { ...look, hash: hash({ rtab: 'ops' }) }, async (page) => {
    await row(page, '(sum)').waitFor();
    await settled(page);
    assert.ok(!/\btime\b/.test(await page.locator('.r-line-head').innerText()));
  });
});

eachLook('a space without a heap trace says why there is no map, and the tree is there', async (look) => {
  const mlp = { run: 'mlp/run0' };
  const modules = await server.api('modules', mlp);
  for (const module of modules.key) {
    const summary = await server.api('memory/summary', { ...mlp, module });
    if (summary.steps > 0) continue;
    await withPage(server.url, { ...look, hash: `#${new URLSearchParams({ ...mlp, module, mode: 'report' })}` }, async (page) => {
      await ready(page);
      await page.getByRole('tab', { name: 'Buffers' }).click();
      await until('the reason', async () => /has no heap trace/.test(await page.locator('.report').innerText()));
    });
    return;
  }
});
