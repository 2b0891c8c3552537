// Several hosts of one run side by side: a head for each that says where it stands and folds, tips that tell the host, search,
// totals and details over all of them, the picker, and hosts whose clocks do not help.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test, { after, before } from 'node:test';

import { field, number } from './hlo.mjs';
import { becomes, inAddress, makeLogdir, putFile, quit, read, said, serve, testdata, until, viewOf, withPage } from './lib.mjs';
import { drawn, overCanvas, pointAt, tipOf, xOf } from './trace.mjs';

const MS = 1e9;
const START = 1795230414168421774n;
const LATER = 12_300_000n; // ns
const HEAD = 21;

const name = (at, id, text) => field(at, [number(1, id), field(2, [number(1, id), field(2, text)])]);
const event = (id, offset, duration) => field(4, [number(1, id), number(2, offset), number(3, duration)]);
const line = (id, title, events) => field(3, [number(1, id), field(2, title), ...events]);
const started = (ns) => field(1, [field(2, 'Task Environment'), name(5, 1, 'profile_start_time'), field(6, [number(1, 1), number(3, ns)])]);

/** Three runs of a program of 20 ms on one chip: 10 ms of an operation, then a collective; and a thread. */
function hostProfile(start) {
  const runs = [0, 1, 2];
  const chip = field(1, [
    field(2, '/device:TPU:0'),
    line(1, 'XLA Modules', runs.map((k) => event(1, k * 20 * MS, 20 * MS - 1000))),
    line(2, 'XLA Ops', runs.flatMap((k) => [event(2, k * 20 * MS, 10 * MS), event(3, (k * 20 + 10) * MS, 10 * MS - 1000)])),
    name(4, 1, 'jit_f(7)'), name(4, 2, 'fusion.1'), name(4, 3, 'all-reduce.2'),
  ]);
  const host = field(1, [field(2, '/host:CPU'), line(1, 'main', [event(1, 5 * MS, 2 * MS)]), name(4, 1, 'launch')]);
  return Buffer.concat([chip, host, ...(start ? [started(start)] : [])]);
}

let server;
const RUN = 'two';
const at = (run, view) => `#${new URLSearchParams({ run, tool: 'trace', ...view })}`;
let rows;
before(async () => {
  const root = makeLogdir({ one: join(testdata, 'cpu_mlp_train/logdir') });
  putFile(root, `plugins/profile/${RUN}/alpha.xplane.pb`, hostProfile(START));
  putFile(root, `plugins/profile/${RUN}/beta.xplane.pb`, hostProfile(START + LATER));
  putFile(root, 'plugins/profile/apart/alpha.xplane.pb', hostProfile(START));
  putFile(root, 'plugins/profile/apart/beta.xplane.pb', hostProfile(START + 3_600_000_000_000n));
  putFile(root, 'plugins/profile/apart/gamma.xplane.pb', hostProfile(null));
  server = await serve(root);
  rows = await server.api('trace/rows', { run: RUN });
});
after(async () => {
  await quit();
  await server?.stop();
});

async function clickAt(page, x, y) {
  const box = await overCanvas(page).boundingBox();
  await page.mouse.click(box.x + x, box.y + y);
}
async function tipAt(page, x, y) {
  await pointAt(page, x, y);
  await until('the tip', async () => (await tipOf(page).count()) > 0);
  return read(tipOf(page));
}
/** A row of a process by its caption. */
const rowOf = (all, caption, process) => all.rows.row[all.rows.caption.findIndex((text, k) => text === caption && all.rows.process[k] === process)];

test('each host has a head that says where it stands, folds and opens; rows and events tell their host', async () => {
  await withPage(server.url, { hash: at(RUN, { open: '0,2' }) }, async (page) => {
    await drawn(page);
    assert.match(await tipAt(page, 60, HEAD / 2), /alpha \+0 ms by the profile's clock click to fold it/);
    await clickAt(page, 60, HEAD / 2);
    await inAddress(page, { folded: '0' });
    // Now the second host stands right below the head of the first.
    assert.match(await tipAt(page, 60, HEAD * 1.5), /beta \+12\.300 ms by the profile's clock click to fold it/);
    assert.match(await tipAt(page, 60, HEAD * 2.5), /beta \/device:TPU:0 9 events in 2 rows/);
    assert.match(await tipAt(page, 60, HEAD * 3 + 8), /XLA Modules on beta 3 events/);
    const x = await xOf(page, (12.3 + 25) * MS, { from: rows.first_ps, to: rows.end_ps });
    assert.match(await tipAt(page, x, HEAD * 3 + 8), /jit_f\(7\) on beta/);
    await clickAt(page, 60, HEAD / 2);
    await inAddress(page, { folded: null });
  });
});

test('a row that is jumped to opens its host', async () => {
  const row = rowOf(rows, 'XLA Ops', 2);
  const box = await server.api('trace/window', { run: RUN, rows: row, px: 1000 });
  const second = box.depths.first_event[0];
  await withPage(server.url, { hash: at(RUN, { folded: '1', find: 'fusion', tt: 'search' }) }, async (page) => {
    await drawn(page);
    await until('hits', async () => /6/.test(await read(page.locator('.t-search-left .t-sum').first())));
    const input = page.getByLabel('search events');
    await input.focus();
    for (let k = 0; k < 6 && viewOf(page).ev !== `${second}`; k++) {
      const before = viewOf(page).ev;
      await input.press('Enter');
      await until('the next hit', async () => viewOf(page).ev !== before);
    }
    await inAddress(page, { ev: `${second}`, folded: null });
  });
});

test('totals of a range are over all hosts, by chip with the host in front', async () => {
  await withPage(server.url, { hash: at(RUN, { r0: 0, r1: 90 * MS, tt: 'selection', tby: 'chip' }) }, async (page) => {
    await drawn(page);
    await until('both chips', async () => {
      const text = await said(page.locator('.t-fill').first());
      return text.includes('alpha TPU:0') && text.includes('beta TPU:0');
    });
  });
});

test('a collective over both hosts: by the profile\u2019s clock, the later host began last', async () => {
  const row = rowOf(rows, 'XLA Ops', 0);
  const box = await server.api('trace/window', { run: RUN, rows: row, px: 1000 });
  await withPage(server.url, { hash: at(RUN, { ev: box.depths.first_event[0] + 1 }) }, async (page) => {
    await drawn(page);
    const card = page.locator('.t-coll');
    await card.waitFor();
    const text = await said(card);
    assert.match(text, /Collective on 2 chips start skew 12\.300 ms/);
    assert.match(text, /hosts by the profile\u2019s clock/);
    assert.match(text, /alpha TPU:0waited 12\.300 ms/);
    assert.match(text, /beta TPU:0began last/);
  });
});

test('the picker: one host has no heads and its own numbers, all hosts are back with one pick', async () => {
  await withPage(server.url, { hash: at(RUN, { ev: 3, open: '0,2' }) }, async (page) => {
    await drawn(page);
    const host = page.locator('.picker', { hasText: 'host' }).last();
    await host.locator('.picker-button').click();
    await host.getByRole('option').nth(2).click();
    await inAddress(page, { host: 'beta', ev: null, open: null });
    await drawn(page);
    assert.match(await tipAt(page, 60, HEAD / 2), /^\/device:TPU:0 9 events/);
    await host.locator('.picker-button').click();
    await host.getByRole('option').first().click();
    await inAddress(page, { host: null });
    await drawn(page);
    await becomes(() => tipAt(page, 61, HEAD / 2).then((text) => text.startsWith('alpha')), true);
  });
});

test('all hosts that do not fit in memory: the reason, and one of them a click away', async () => {
  await withPage(server.url, { hash: at(RUN, {}) }, async (page, { forgive }) => {
    await page.route('**/trace/rows?*', (route) => {
      if (new URL(route.request().url()).searchParams.get('host')) return route.continue();
      return route.fulfill({ status: 413, contentType: 'application/json', body: JSON.stringify({ error: { code: 'limit', message: 'The events of 2 hosts side by side need more', where: 'host', offset: null } }) });
    });
    await page.reload();
    await page.getByRole('alert').waitFor();
    assert.match(await read(page.getByRole('alert')), /events of 2 hosts side by side need more/);
    await page.getByRole('button', { name: 'beta', exact: true }).click();
    await inAddress(page, { host: 'beta' });
    await drawn(page);
    forgive(/answer 413: .*trace\/rows/);
  });
});

test('hosts whose clocks do not help: the head and a strip say so, and what their clocks say', async () => {
  await withPage(server.url, { hash: at('apart', { open: 'none' }) }, async (page) => {
    await drawn(page);
    const strips = await read(page.locator('.t-strips'));
    assert.match(strips, /No start time in the profile of gamma: drawn from the same beginning/);
    assert.match(strips, /no instant in common with the others by the profile's clock: alpha and 1 more host\. Drawn from the same beginning/);
    // Heads: alpha, its two processes, beta.
    assert.match(await tipAt(page, 60, HEAD * 3.5), /beta its clock does not overlap the others: starts aligned, moved by \+0 ms, its clock says \+3600\.000 s/);
    assert.match(await tipAt(page, 60, HEAD * 6.5), /gamma its file has no start time/);
  });
});
