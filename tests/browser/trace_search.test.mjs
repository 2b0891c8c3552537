// Search of the Trace Viewer: args of single events.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test, { after, before } from 'node:test';

import { field, number } from './hlo.mjs';
import { inAddress, makeLogdir, pictureOf, putFile, quit, read, serve, sharedLogdir, testdata, until, viewOf, withPage } from './lib.mjs';
import { drawn, rowsCanvas, settled } from './trace.mjs';

const real = sharedLogdir('tpu-v6e-offload');

const MLP = { run: 'mlp/run0' };
const hash = (view) => `#${new URLSearchParams({ ...MLP, tool: 'trace', ...view })}`;

/** 2,500 events of one millisecond, one after the other, and one of the same name beside them from the start on. */
const MANY = 2500;
const MS = 1e9;
function manyHits() {
  const event = (at, length) => field(4, [number(1, 1), number(2, at * MS), number(3, length * MS)]);
  const line = (id, events) => field(3, [number(1, id), field(2, `thread-${id}`), ...events]);
  const short = Array.from({ length: MANY }, (_, k) => event(k, 1));
  return field(1, [field(2, '/host:CPU'), line(1, short), line(2, [event(0, MANY)]), field(4, [number(1, 1), field(2, [number(1, 1), field(2, 'hit')])])]);
}

let server;
before(async () => {
  const root = makeLogdir({ mlp: join(testdata, 'cpu_mlp_train/logdir') });
  putFile(root, 'many/plugins/profile/m/host.xplane.pb', manyHits());
  server = await serve(root);
});
after(async () => {
  await quit();
  await server?.stop();
});

test('hits narrower than a pixel are marked in the rows; thread names have the grey of their boxes', async () => {
  const q = 'Wait for donation holds';
  const { by_name: names } = await server.api('trace/search', { ...MLP, q });
  const { by_name: copied } = await server.api('trace/search', { ...MLP, q: 'Execute', limit: 1000 });
  assert.equal(names.count[0], 120);
  assert.ok(copied.group.includes('host'));
  await withPage(server.url, { hash: hash({ find: q, tt: 'search' }) }, async (page) => {
    await drawn(page);
    await until('the hits', async () => (await read(page.locator('.t-n-of-m'))) === '120');
    await settled(page);
    assert.ok((await hitPixels(page)) >= 12, 'six places, two pixels high');
    await page.getByLabel('search events').fill('Execute');
    await until('names of threads', async () => (await page.locator('.t-search-left .vt-row .swatch').count()) > 2);
    const grey = await page.evaluate(() => { const i = document.body.appendChild(document.createElement('i')); i.style.background = 'var(--o-none)'; const { backgroundColor } = getComputedStyle(i); i.remove(); return backgroundColor; });
    await until('grey', async () => (await page.locator('.t-search-left .vt-row .swatch').evaluateAll((list) => list.map((x) => getComputedStyle(x).backgroundColor))).every((colour) => colour === grey));
  });
});

/** Pixels of the rows in the colour of a hit. */
function hitPixels(page) {
  return rowsCanvas(page).evaluate((canvas) => {
    const probe = document.createElement('canvas').getContext('2d');
    probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--hit').trim();
    probe.fillRect(0, 0, 1, 1);
    const [word] = new Uint32Array(probe.getImageData(0, 0, 1, 1).data.buffer);
    return new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer).filter((w) => w === word).length;
  });
}

test('a link to the n-th hit shows it in the list of occurrences', async () => {
  const { hits } = await server.api('trace/search', { ...MLP, q: 'Wait', limit: 200 });
  await withPage(server.url, { hash: hash({ find: 'Wait', tt: 'search', ev: hits.event[90] }) }, async (page) => {
    await drawn(page);
    const line = page.locator('.t-search-right .vt-row.on');
    await line.waitFor();
    assert.match(await read(line), /^91 /);
    const [row, list] = [await line.boundingBox(), await page.locator('.t-search-right .vt').boundingBox()];
    assert.ok(row.y >= list.y && row.y + row.height <= list.y + list.height, `${row.y} in ${list.y} + ${list.height}`);
  });
});

test('args: names immediately, args of single events after the pass over the file; marked in the rows; text and regex', async () => {
  // 324 events carry device_ordinal=0, counted by an independent reader (tests/http/test_trace.c).
  await withPage(server.url, { hash: hash({ find: 'device_ordinal=0', tt: 'search' }) }, async (page) => {
    await drawn(page);
    const count = page.locator('.t-n-of-m');
    await until('no name has it', async () => (await read(count)) === '0');
    const plain = await pictureOf(rowsCanvas(page));
    await page.getByRole('button', { name: 'arguments' }).click();
    await until('324 hits', async () => (await read(count)) === '324');
    assert.equal(viewOf(page).args, '1');
    assert.match(await read(page.locator('.t-search-left .t-sum').first()), /324 events.*all args/);
    await until('the events marked in the rows', async () => (await pictureOf(rowsCanvas(page))) !== plain);
    await page.getByLabel('search events').press('Enter');
    await until('1 of 324', async () => /^\d+ of 324$/.test(await read(count)));
    await page.getByLabel('search events').fill('^device_ordinal=[1-9]');
    await page.getByRole('button', { name: '.*' }).click();
    await until('none on other devices', async () => (await read(count)) === '0');
    await page.getByLabel('search events').fill('^device_ordinal=[0-9]$');
    await until('324 by a regular expression', async () => /324$/.test(await read(count)));
  });
});

test('while the file is read the names stand there with the percent', async () => {
  await withPage(server.url, { hash: hash({}) }, async (page) => {
    let [asked, seen] = [0, false];
    await page.route('**/trace/search?*args=2*', async (route) => {
      asked++;
      if (seen) return route.continue();
      return route.fulfill({ status: 202, contentType: 'application/json', body: JSON.stringify({ state: 'loading', what: 'searching the args of a', done_bytes: 42, total_bytes: 100, percent: 42 }) });
    });
    await drawn(page);
    await page.keyboard.press('/');
    await page.getByLabel('search events').fill('dot');
    await page.getByRole('button', { name: 'arguments' }).click();
    await until('the percent', async () => /42 %/.test(await read(page.locator('.t-search-left .t-sum').first())));
    assert.match(await read(page.locator('.t-n-of-m')), /\d/);
    seen = true;
    await until('all of it', async () => /all args/.test(await read(page.locator('.t-search-left .t-sum').first())));
    assert.ok(asked >= 2);
  });
});

test('Enter from a window far behind the first thousand hits: the next hit, not the first of a page; Shift+Enter the one before', async () => {
  const run = 'many/m';
  // The long one begins with the first: hit number k + 2 begins k milliseconds after it.
  const third = await server.api('trace/search', { run, q: 'hit', limit: 1000, offset: 2000 });
  assert.equal(third.count, MANY + 1);
  const at = (ms) => third.hits.event[third.hits.start_ps.indexOf(ms * MS)];
  const view = (ms, more = {}) => `#${new URLSearchParams({ run, tool: 'trace', tt: 'search', find: 'hit', t0: ms * MS, t1: (ms + 10) * MS, ...more })}`;
  for (const [key, ms, event, place] of [['Enter', 2200, at(2200), '2,202'], ['Shift+Enter', 2200, at(2199), '2,201'], ['Enter', 2200.5, at(2201), '2,203']]) {
    await withPage(server.url, { hash: view(ms) }, async (page) => {
      await drawn(page);
      const count = page.locator('.t-n-of-m');
      await until('the hits', async () => (await read(count)) === '2,501');
      await page.getByLabel('search events').press(key);
      await inAddress(page, { ev: String(event) });
      await until('its place', async () => (await read(count)) === `${place} of 2,501`);
    });
  }
});

test('more hits than one page: Enter continues to the next thousand and wraps around; a name on all chips is one line', { skip: !real }, async () => {
  const own = await serve(real);
  try {
    const run = (await own.api('runs')).id[0];
    const first = await own.api('trace/search', { run, q: 'fusion', limit: 1000 });
    const rest = await own.api('trace/search', { run, q: 'fusion', limit: 1000, offset: 1000 });
    assert.ok(first.count > 1000 && rest.hits.n === first.count - 1000);
    const all = first.count.toLocaleString('en-US');
    await withPage(own.url, { hash: `#${new URLSearchParams({ run, tool: 'trace', tt: 'search', find: 'fusion', ev: first.hits.event[999] })}` }, async (page) => {
      await drawn(page);
      const count = page.locator('.t-n-of-m');
      const field = page.getByLabel('search events');
      await until('the last of the page', async () => (await read(count)) === `1,000 of ${all}`);
      await field.press('Enter');
      await inAddress(page, { ev: String(rest.hits.event[0]) });
      await until('the first of the next', async () => (await read(count)) === `1,001 of ${all}`);
      assert.match(await read(page.locator('.t-search-right')), new RegExp(`1,001 to ${all} of ${all}`));
      await field.press('Shift+Enter');
      await inAddress(page, { ev: String(first.hits.event[999]) });
      await until('back on the first page', async () => (await read(count)) === `1,000 of ${all}`);
      await page.getByRole('button', { name: 'next 1,000' }).click();
      await until('the next page', async () => new RegExp(`1,001 to ${all} of`).test(await read(page.locator('.t-search-right'))));
      await page.getByRole('button', { name: 'next 1,000' }).click();
      await until('round to the first', async () => /^1 to 1,000 of/.test((await page.locator('.t-search-right .t-sum').last().innerText()).trim()));
      // Each chip has its own name of the operation; 100 runs on 4 chips are one line.
      const grid = page.getByRole('grid', { name: 'names found' });
      await until('one line', async () => (await grid.getByText('broadcast_add_fusion.1', { exact: true }).count()) === 1);
      assert.match(await read(grid.locator('.vt-row', { hasText: 'broadcast_add_fusion.1' }).first()), /400/);
    });
  } finally {
    await own.stop();
  }
});
