// Memory, Over time: where its links lead, and the keys and lists that overtime.test.mjs leaves out.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before } from 'node:test';

import { becomes, eachLook, inAddress, makeLogdir, matches, quit, read, serve, settled, testdata, viewOf, withPage } from './lib.mjs';

let server;
before(async () => {
  const runs = { leak: 'tf_leak', tpu: 'tpu_run' };
  server = await serve(makeLogdir(Object.fromEntries(Object.entries(runs).map(([name, from]) => [name, join(testdata, from, 'logdir')]))));
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
