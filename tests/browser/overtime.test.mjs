// Memory, Over time: the headline, lists and card have the numbers of the API; clicks, keys and the address do what they say; what was
// not recorded is said with its reason.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before } from 'node:test';

import { becomes, eachLook, inAddress, isDrawn, makeLogdir, quit, read, serve, settled, testdata, until, withPage } from './lib.mjs';

let server;
before(async () => {
  const runs = { leak: 'tf_leak', tpu: 'tpu_run', cpu: 'cpu_mlp_train' };
  server = await serve(makeLogdir(Object.fromEntries(Object.entries(runs).map(([name, from]) => [name, join(testdata, from, 'logdir')]))));
});
after(async () => {
  await quit();
  await server?.stop();
});

const runOf = async (part) => (await server.api('runs', {})).id.find((id) => id.includes(part));
const canvas = (page) => page.locator('.ot-canvas');
const A = 406_000_000_000;
const B = 1_602_000_000_000;

async function withLeak(look, view, body) {
  const run = await runOf('leak');
  const hash = `#${new URLSearchParams({ run, tool: 'memory', mode: 'time', ...view })}`;
  await withPage(server.url, { ...look, hash }, async (page) => {
    await page.locator('.ot-head p').waitFor();
    await page.locator('.ot-card section').first().waitFor();
    await settled(page);
    await body(page, run);
  });
}

eachLook('a run without programs opens on what its allocators reported; the leak takes the headline', async (look) => {
  await withLeak(look, {}, async (page, run) => {
    const steps = await server.api('trace/allocators/steps', { run });
    await becomes(() => read(page.locator('.ot-head h1')), steps.headline);
    assert.equal(await read(page.locator('.ot-head p')), steps.sentence);
    assert.equal(await read(page.locator('.m-switch [aria-current]')), 'Over time');
    await until('the strip is drawn', () => isDrawn(canvas(page)));
    await page.goto(`${server.url}#${new URLSearchParams({ run, tool: 'overview' })}`);
    await page.locator('.sidebar-item', { hasText: 'Memory' }).click();
    await becomes(() => read(page.locator('.ot-head h1')), steps.headline);
    const card = await read(page.locator('.ot-card'));
    assert.match(card, /\+2\.40 MiB a step/);
    assert.match(card, /fill up in 10,001 steps/);
    assert.match(card, /51 of 336 made in steps/);
    assert.match(card, /Before the capture 16\.0 MiB/);
    const { asked_by: by } = await server.api('trace/allocators', { run, px: 100, allocator: 0 });
    const box = await canvas(page).boundingBox();
    await canvas(page).hover({ position: { x: box.width * 0.5, y: box.height - 30 } });
    await becomes(async () => (await read(page.locator('.ot-tip'))).replace(/\s+/g, ' ').includes(`${by[0].thread} ${by[0].count}`), true, 'who asked');
  });
});

eachLook('a click sets A, with Ctrl B; card and list are the API’s, and L goes through them', async (look) => {
  await withLeak(look, { a: A }, async (page, run) => {
    const box = await canvas(page).boundingBox();
    await canvas(page).click({ position: { x: box.width * 0.5, y: 60 } });
    await becomes(async () => Number(await page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get('a'))) !== A, true);
    await canvas(page).click({ position: { x: box.width * 0.8, y: 60 }, modifiers: ['Control'] });
    await page.locator('.ot-card h2', { hasText: 'B compared with A' }).waitFor();
    await page.goto(`${server.url}#${new URLSearchParams({ run, tool: 'memory', mode: 'time', a: A, b: B })}`);
    await page.locator('.ot-card', { hasText: '238 allocated, 204 freed' }).waitFor();
    await page.locator('.ot-closing').first().waitFor();
    assert.match(await read(page.locator('.ot-closing')), /^A listed 56\.0 MiB \+ still there from before the capture 0 = heap 56\.0 MiB .*✓$/);
    await page.keyboard.press('l');
    await inAddress(page, { at: 'b' });
    await becomes(async () => /^B listed 134\.1 MiB/.test(await read(page.locator('.ot-closing'))), true);
    await page.keyboard.press('l');
    await inAddress(page, { at: 'diff' });
    await becomes(() => page.locator('.ot-closing').count(), 2);
    // A drag sums up what it covers; fit takes it as the window; a column sorts.
    const strip = await canvas(page).boundingBox();
    await page.mouse.move(strip.x + strip.width * 0.4, strip.y + 60);
    await page.mouse.down();
    await page.mouse.move(strip.x + strip.width * 0.6, strip.y + 60, { steps: 3 });
    await page.mouse.up();
    const range = page.locator('.ot-range');
    await becomes(async () => /allocations?, .* frees?, .*; net .*; highest .*iB/.test(await read(range)), true);
    await range.getByRole('button', { name: 'fit' }).click();
    await becomes(() => page.evaluate(() => new URLSearchParams(location.hash.slice(1)).has('from')), true);
    const [from, to] = await page.evaluate(() => ['from', 'to'].map((key) => new URLSearchParams(location.hash.slice(1)).get(key)));
    const sums = await server.api('trace/allocators/events', { run, allocator: 0, from, to, limit: 1 });
    // The answer to a range that the drag passed may have come first.
    await becomes(async () => {
      const said = await read(range);
      return said.includes(`${sums.allocated} allocations`) && said.includes(`${sums.freed} frees`);
    }, true, 'the sums of the range');
    await page.keyboard.press('Escape');
    const diff = await server.api('trace/allocators/diff', { run, a: A, b: B, allocator: 0 });
    await becomes(() => page.locator('.ot-list [role="grid"]').getAttribute('aria-rowcount'), String(diff.n + 1));
  });
});

eachLook('events: filter, order; steps; never freed; keys', async (look) => {
  await withLeak(look, { tab: 'events' }, async (page, run) => {
    const rows = () => page.locator('.ot-list [role="grid"]').getAttribute('aria-rowcount');
    await becomes(rows, '624');
    await page.getByLabel('filter of the events').fill('Conv2D_2');
    await becomes(rows, '49');
    await inAddress(page, { filter: 'Conv2D_2' });
    await page.getByRole('tab', { name: /By step/ }).click();
    await becomes(rows, '49');
    await page.getByRole('tab', { name: /Never freed/ }).click();
    await becomes(rows, '3');
    assert.match(await read(page.locator('.ot-listhead')), /240 were freed in their step, 45 later/);
    await page.locator('.ot-head').click();
    await page.keyboard.press('p');
    await inAddress(page, { a: '1715374325000' });
    await page.keyboard.press('ArrowLeft');
    await becomes(async () => Number(await page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get('a'))) < 1715374325000, true);
    await page.keyboard.press('w');
    await becomes(() => page.evaluate(() => new URLSearchParams(location.hash.slice(1)).has('from')), true);
    await page.keyboard.press('f');
    await inAddress(page, { from: null, to: null });
    await page.keyboard.press('t');
    await page.locator('.ot-twin th', { hasText: 'mklcpu' }).waitFor();
    // What holds at A, not what a pixel of the curve holds there.
    const at = await page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get('a'));
    const { held } = await server.api('trace/allocators/live', { run, at });
    await becomes(() => read(page.locator('.ot-twin td').nth(4)), `${(held.in_use_bytes[0] / 2 ** 20).toFixed(1)} MiB`);
  });
});

eachLook('several hosts: a strip for each chip of each, and a list that does not close says by how much', async (look) => {
  const run = await runOf('tpu/');
  await withPage(server.url, { ...look, hash: `#${new URLSearchParams({ run, tool: 'memory', mode: 'time' })}` }, async (page) => {
    await page.locator('.ot-head p').waitFor();
    const { tracks } = await server.api('trace/allocators', { run, px: 100 });
    assert.deepEqual(await page.getByLabel('allocator in focus').locator('option').allTextContents(), tracks.map((t) => t.title));
    await page.locator('.ot-closing').waitFor();
    const { held } = await server.api('trace/allocators/live', { run, allocator: 0 });
    assert.ok(held.closes_by_bytes[0] !== 0, 'the generated events leave something out');
    await becomes(async () => (await read(page.locator('.ot-closing'))).includes(`${Math.abs(held.closes_by_bytes[0]).toLocaleString('en-US')} bytes`), true);
    assert.equal(await page.locator('.ot-closing').getAttribute('role'), 'alert');
    await page.locator('.m-badge', { hasText: 'one scale' }).click();
    await inAddress(page, { scale: 'own' });
    await page.locator('.m-badge', { hasText: 'own scale' }).click();
    await inAddress(page, { scale: null });
    await page.locator('.ot-list [role="columnheader"]').getByRole('button', { name: 'size', exact: true }).click();
    await inAddress(page, { sort: 'size_bytes' });
    await page.getByLabel('allocator in focus').selectOption('2');
    await inAddress(page, { al: '2,0,1,3' });
    await page.locator('.ot-card h2', { hasText: `Peak of ${tracks[2].title}` }).waitFor();
    // The name of the row of modules goes through the devices; the mouse says which program ran.
    const box = await canvas(page).boundingBox();
    const row = { y: box.height - 30 };
    const { rows } = await server.api('trace/rows', { run });
    const k = rows.kind.findIndex((kind, i) => kind === 'xla_modules' && rows.process[i] === tracks[2].process);
    await canvas(page).hover({ position: { x: box.width * 0.5, ...row } });
    await becomes(async () => /jit_\w+ .*s$|^[0-9,]+ runs|^no program runs here$/.test(await read(page.locator('.ot-tip'))), rows.events[k] > 0);
    await canvas(page).click({ position: { x: 20, ...row } });
    await inAddress(page, { al: '3,0,1,2' });
    await canvas(page).click({ position: { x: 20, ...row } });
    await inAddress(page, { al: '0,1,2,3' });
  });
});

eachLook('modes keep to themselves what they call by one name; nothing recorded says why', async (look) => {
  const cpu = await runOf('cpu');
  await withPage(server.url, { ...look, hash: `#${new URLSearchParams({ run: cpu, tool: 'memory', mode: 'time', from: 0, to: 100000 })}` }, async (page) => {
    await becomes(() => read(page.locator('.empty-state h1')), 'No allocations were recorded');
    assert.match(await read(page.locator('.empty-state')), /host tracer level 2 and a TPU or GPU .* The curve that the compiler planned is in Trace and in the Viewer ?: compiled, not measured/);
    assert.match(await page.locator('.empty-state').getByRole('link', { name: 'Trace' }).getAttribute('href'), /tool=trace/);
    await page.keyboard.press('Digit1');
    await page.locator('.m-peak-big').waitFor();
    await inAddress(page, { mode: null, from: null });
    await page.keyboard.press('Digit4');
    await inAddress(page, { mode: 'time' });
  });
});
