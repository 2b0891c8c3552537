// Memory, Over time: where its links lead, and the keys and lists that overtime.test.mjs leaves out.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before } from 'node:test';

import { putRun } from '../support/program.mjs';
import { plane, reported, stacked } from '../support/space.mjs';
import { becomes, download, eachLook, inAddress, makeLogdir, matches, quit, read, serve, settled, testdata, viewOf, withPage } from './lib.mjs';

const MIB = 2 ** 20;
const SHAPE = 'f32[1001,129]';

/** A program of ours, and a launch of it by a line of Python that allocates one of its outputs. */
function launch() {
  const program = readFileSync(join(testdata, 'tpu_padded_demo/logdir/plugins/profile/aot/host0.xplane.pb'));
  const said = { allocator_name: 'TPU_0', bytes_allocated: 16 * MIB, allocation_bytes: 16 * MIB, addr: 4096 };
  const events = [{ name: '$train.py:41 step', at: 500, ps: 12000 }, { name: 'PjitFunction(padded_step)', at: 1000, ps: 9000 }, reported(2000, false, { ...said, shape: `${SHAPE}{1,0}`, region_type: 'output' })];
  return Buffer.concat([program, plane('/host:CPU', [{ name: 'python', events }])]);
}

let server;
before(async () => {
  const runs = { leak: 'tf_leak', tpu: 'tpu_run' };
  const root = makeLogdir(Object.fromEntries(Object.entries(runs).map(([name, from]) => [name, join(testdata, from, 'logdir')])));
  putRun(root, 'launch', launch());
  putRun(root, 'stacked', stacked(400 * MIB));
  server = await serve(root);
});
after(async () => {
  await quit();
  await server?.stop();
});

const runOf = async (part) => (await server.api('runs', {})).id.find((id) => id.includes(part));
const rows = (page) => page.locator('.ot-list [role="grid"]').getAttribute('aria-rowcount');

async function withTime(look, part, view, body) {
  const run = await runOf(part);
  await withPage(server.url, { ...look, hash: `#${new URLSearchParams({ run, tool: 'memory', mode: 'time', ...view })}` }, async (page) => {
    await page.locator('.ot-head p').waitFor();
    await page.locator('.ot-card section').first().waitFor();
    await settled(page);
    await body(page, run);
  });
}

eachLook('a time opens Trace at its event', async (look) => {
  await withTime(look, 'leak', {}, async (page, run) => {
    const live = await server.api('trace/allocators/live', { run, allocator: 0 });
    const link = page.locator('.ot-list a[title$="opens Trace at the event"]').first();
    await link.click();
    await inAddress(page, { tool: 'trace', ev: String(live.event[0]), mode: null });
  });
});

eachLook('a program opens Memory Viewer of its module', async (look) => {
  await withTime(look, 'tpu/', {}, async (page) => {
    const link = page.locator('.ot-list [role="row"] a.mono, .ot-list [role="row"] a').filter({ hasText: /^jit_/ }).first();
    const name = await read(link);
    await link.click();
    await inAddress(page, { tool: 'memory', mode: null });
    assert.match(viewOf(page).module ?? '', new RegExp(`^${name.replace(/[^\w]/g, '.')}`));
  });
});

eachLook('the program of an output opens the buffers of its shape', async (look) => {
  await withTime(look, 'launch', {}, async (page) => {
    await page.locator('.ot-list [role="row"] a').filter({ hasText: /^jit_/ }).click();
    await inAddress(page, { tool: 'memory', mode: null, tab: 'buffers', class: 'output', shape: SHAPE });
    await matches(() => read(page.getByRole('grid', { name: 'buffers' }).locator('[role="row"]').nth(1)), /f32\[1001,129\]/, 'a buffer of that shape');
  });
});

eachLook('an allocation says the line of Python that made it, to be copied', async (look) => {
  await withTime(look, 'launch', {}, async (page) => {
    const place = page.locator('.ot-list [role="row"] button').filter({ hasText: 'train.py:41' });
    assert.match(await place.getAttribute('title'), /^train\.py:41 step; copies train\.py:41$/);
    await place.click();
    await becomes(() => page.evaluate(() => navigator.clipboard.readText()), 'train.py:41');
  });
  await withTime(look, 'leak', {}, async (page) => {
    assert.deepEqual(await page.locator('.ot-list [role="columnheader"]').filter({ hasText: 'source' }).count(), 0, 'no column where no line is known');
  });
});

eachLook('a free names what it frees, with its life', async (look) => {
  await withTime(look, 'leak', { tab: 'events', filter: 'Conv2D_1' }, async (page, run) => {
    const e = await server.api('trace/allocators/events', { run, filter: 'Conv2D_1', limit: 500 });
    const k = e.kind.indexOf('free');
    assert.equal(e.life_ps[k], 16_882_881_000);
    const free = page.locator('.ot-list [role="row"]').nth(1 + k);
    const names = [e.op[k], e.shape[k], e.what[k]].map((i) => e.names[i]);
    assert.ok(names.every((name) => name), 'the file tells all three');
    await matches(() => read(free), / free .*16\.88\d* ms/, 'its life');
    for (const said of [...names, e.address[k]]) await matches(() => read(free), new RegExp(said.replace(/[[\]]/g, '\\$&')), said);
  });
});

eachLook('what was live at the peak; an expression as filter; Shift goes to the next large change', async (look) => {
  await withTime(look, 'leak', { tab: 'events' }, async (page, run) => {
    const { total } = await server.api('trace/allocators/events', { run, filter: '/Conv2D_[12]$/', limit: 1 });
    await page.getByLabel('filter of the events').fill('/Conv2D_[12]$/');
    await becomes(() => rows(page), String(total + 1));
    await page.getByRole('tab', { name: 'At the peak' }).click();
    await inAddress(page, { tab: 'peak' });
    const peak = await server.api('trace/allocators/live', { run, allocator: 0 });
    await becomes(() => rows(page), String(peak.n + 1));
    await matches(() => read(page.locator('.ot-closing')), /listed 165\.5 MiB .* ✓/, 'the sum');
    await page.locator('.ot-head').click();
    await page.keyboard.press('p');
    await inAddress(page, { a: String(peak.at_ps) });
    await page.keyboard.press('ArrowLeft');
    await becomes(() => Number(viewOf(page).a) < peak.at_ps, true, 'the event before');
    const one = Number(viewOf(page).a);
    await page.keyboard.press('p');
    await inAddress(page, { a: String(peak.at_ps) });
    await page.keyboard.press('Shift+ArrowLeft');
    await becomes(() => Number(viewOf(page).a) < peak.at_ps, true, 'a large change before');
    assert.ok(Number(viewOf(page).a) <= one, 'no nearer than the event before');
  });
});

eachLook('a row of the events sets A, with Ctrl B; List of the details opens what differs, and what is never freed', async (look) => {
  await withTime(look, 'leak', { tab: 'events' }, async (page, run) => {
    const e = await server.api('trace/allocators/events', { run, limit: 20 });
    const cell = (k) => page.locator('.ot-list [role="row"]').nth(1 + k).getByText(/^(alloc|free)$/);
    assert.ok(e.at_ps[9] > e.at_ps[3]);
    await cell(3).click();
    await inAddress(page, { a: String(e.at_ps[3]), b: null });
    await cell(9).click({ modifiers: ['Control'] });
    await inAddress(page, { a: String(e.at_ps[3]), b: String(e.at_ps[9]) });
    const list = (title) => page.locator('.ot-card section').filter({ has: page.getByRole('heading', { name: title }) }).getByRole('button', { name: 'List' });
    await list('B compared with A').click();
    await inAddress(page, { at: 'diff' });
    await becomes(() => page.locator('.ot-closing').count(), 2, 'both instants');
    await list('Never freed').click();
    await inAddress(page, { tab: 'never' });
    const { never } = await server.api('trace/allocators/steps', { run });
    await becomes(() => rows(page), String(never.n + 1));
  });
});

eachLook('the address alone: the instant that is listed, its order, the window, the table', async (look) => {
  const b = 1_602_000_000_000, window = { from: 400_000_000_000, to: 900_000_000_000 };
  await withTime(look, 'leak', { a: 406_000_000_000, b, at: 'b', sort: 'count', desc: '0', ...window }, async (page, run) => {
    await matches(() => read(page.locator('.ot-closing')), /^B listed 134\.1 MiB/, 'B');
    const first = () => read(page.locator('.ot-list [role="row"]').nth(1));
    const op = async (order) => {
      const live = await server.api('trace/allocators/live', { run, allocator: 0, at: b, sort: 'count', order });
      return live.names[live.op[0]] || 'not recorded';
    };
    assert.notEqual(await op('asc'), await op('desc'));
    await becomes(async () => (await first()).includes(await op('asc')), true, 'the fewest first');
    await page.locator('.ot-list [role="columnheader"]').getByRole('button', { name: '×', exact: true }).click();
    await inAddress(page, { sort: 'count', desc: null });
    await becomes(async () => (await first()).includes(await op('desc')), true, 'the most first');
    await page.getByRole('tab', { name: /^Events/ }).click();
    const inside = await server.api('trace/allocators/events', { run, ...window, limit: 1 });
    await matches(() => read(page.locator('.ot-listhead')), new RegExp(`${inside.allocated} allocated, ${inside.freed} freed in the window`), 'of the window');
    await page.keyboard.press('0');
    await inAddress(page, { from: null, to: null });
    await becomes(() => rows(page), '624', 'all of them');
  });
  await withTime(look, 'tpu/', { al: '2,0', scale: 'own' }, async (page, run) => {
    const { tracks } = await server.api('trace/allocators', { run, px: 64 });
    await page.locator('.m-badge', { hasText: 'own scale' }).waitFor();
    await becomes(() => page.getByLabel('allocator in focus').inputValue(), '2');
    await page.keyboard.press('t');
    await becomes(() => page.locator('.ot-twin tbody th').allInnerTexts(), [tracks[0].title, tracks[2].title], 'those alone');
  });
});

eachLook('the buttons Peak and Fit; the time near the peak; the list as CSV and JSON', async (look) => {
  await withTime(look, 'leak', { tab: 'events', from: 1_000_000_000_000, to: 1_100_000_000_000 }, async (page, run) => {
    await page.getByRole('button', { name: 'Peak', exact: true }).click();
    await inAddress(page, { a: '1715374325000' });
    await page.getByRole('button', { name: 'Fit', exact: true }).click();
    await inAddress(page, { from: null, to: null });
    const { tracks } = await server.api('trace/allocators', { run });
    const near = tracks[0].near_peak_ps;
    await matches(() => read(page.locator('.ot-card')), new RegExp(`Time within 1 % of the peak ${(near / 1e9).toFixed(3)} ms`), 'near the peak');
    const { total } = await server.api('trace/allocators/events', { run, limit: 1 });
    const save = (form) => download(page, () => page.locator('.ot-left').getByText(form, { exact: true }).click());
    const csv = (await save('CSV')).text.trimEnd().split('\n');
    assert.equal(csv.length, total + 1);
    assert.match(csv[0], /^at_ps,/);
    const [json] = Object.values(JSON.parse((await save('JSON')).text));
    assert.equal(json.length, total);
    assert.equal(Number(json[0].at_ps), Number(csv[1].split(',')[0]));
  });
});

eachLook('the stack beside what was compiled for it, and the way to the program', async (look) => {
  await withTime(look, 'stacked', {}, async (page, run) => {
    const { stack } = await server.api('trace/allocators/steps', { run });
    const part = page.locator('.ot-card section').filter({ has: page.getByRole('heading', { name: 'Stack and the compiler' }) });
    const mib = (size) => `${(size / MIB).toFixed(1)} MiB`;
    const beyond = stack.beyond_bytes < 0 ? 'Less than compiled' : 'Reserved beyond them';
    await becomes(() => read(part), `Stack and the compiler jit_padded_step Stack, measured ${mib(stack.measured_bytes)} Temporaries, compiled ${mib(stack.compiled_bytes)} ${beyond} ${mib(Math.abs(stack.beyond_bytes))}`);
    await part.getByRole('link', { name: 'compiled' }).click();
    await inAddress(page, { mode: null, module: 'jit_padded_step' });
  });
});
