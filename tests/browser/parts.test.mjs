// A run in parts: what is shown while it is read, one host alone, stopping, a damaged file among good ones.
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';

import { becomes, captured, cutProfile, eachLook, launch, makeLogdir, putFile, quit, read, serve, SIZES, until, withPage } from './lib.mjs';

const RUN = 'three/run0';
const CUT = 'cut/run1';
let root;
let server;
before(async () => {
  root = makeLogdir({});
  const whole = readFileSync(captured('cpu_mlp_train'));
  for (const host of ['a', 'b', 'c']) putFile(root, `three/plugins/profile/run0/${host}.xplane.pb`, whole);
  cutProfile(root, 'cut/plugins/profile/run1/host0.xplane.pb', 0.6);
  putFile(root, 'cut/plugins/profile/run1/host1.xplane.pb', whole);
  server = await serve(root);
  await launch();
});
after(async () => {
  await quit();
  await server?.stop();
});

const GB = 1e9;
/** What the server says of a run that is being read: a whole, b at 48 %, c not begun. */
const ANSWER = {
  state: 'loading',
  what: 'reading b.xplane.pb',
  memory_bytes: 214e6,
  memory_limit_bytes: 8.2 * GB,
  resident_bytes: 302e6,
  files: {
    n: 3,
    left_out: 0,
    name: ['a.xplane.pb', 'b.xplane.pb', 'c.xplane.pb'],
    host: ['a', 'b', 'c'],
    size_bytes: [1.21 * GB, 1.2 * GB, 1.19 * GB],
    done_bytes: [1.21 * GB, 0.576 * GB, 0],
    state: ['read', 'reading', 'waits'],
    events: [41_900_000, 19_800_000, null],
    modules: [4, 2, null],
    events_done_bytes: [0, 0, 0],
    events_total_bytes: [0, 0, 0],
    events_read: [false, false, false],
  },
};
const hash = (page) => decodeURIComponent(new URL(page.url()).hash);
const strip = (page) => page.locator('.strip.reading').first();
const table = (page) => page.getByRole('table', { name: 'files being read' });
const cells = (page, at) => table(page).locator('tbody tr').nth(at).locator('td').allInnerTexts();

/** Keeps the whole run "being read": every request about it except those about its parts. */
async function hold(page, answer = ANSWER) {
  let done = 1.5 * GB;
  await page.route(/api\/v1\/(memory|run\?|modules|trace|doctor)/, (route) => {
    if (/[?&]only=/.test(route.request().url())) return route.continue();
    done += 1e7;
    return route.fulfill({ status: 202, contentType: 'application/json', body: JSON.stringify({ state: 'loading', what: answer.what, done_bytes: done, total_bytes: 3.6 * GB, percent: (done / 3.6e9) * 100 }) });
  });
  await page.route(/api\/v1\/loading/, (route) => (/[?&]only=/.test(route.request().url()) ? route.continue() : route.fulfill({ status: 200, contentType: 'application/json', body: JSON.stringify(answer) })));
}

eachLook('while a run is read: a row for each file, memory in use, and what the numbers cover', async (look) => {
  await withPage(server.url, look, async (page) => {
    await hold(page);
    await page.goto(`${server.url}#run=${RUN}&tool=memory`);
    await table(page).waitFor();
    assert.deepEqual(await table(page).locator('th').allInnerTexts(), ['host', 'size', 'read', 'events', 'modules', 'state']);
    assert.deepEqual(await cells(page, 0), ['a', '1.2 GB', '', '100 %', '41,900,000', '4', 'read']);
    assert.deepEqual(await cells(page, 1), ['b', '1.2 GB', '', '48 %', '19,800,000', '2', 'being read']);
    assert.deepEqual(await cells(page, 2), ['c', '1.2 GB', '', '0 %', '–', '–', 'waits']);
    const bars = await table(page).locator('.read-bar').evaluateAll((all) => all.map((bar) => bar.firstElementChild.getBoundingClientRect().width / bar.getBoundingClientRect().width));
    for (const [i, share] of [1, 0.48, 0].entries()) assert.ok(Math.abs(bars[i] - share) < 0.01, `bar ${i}: ${bars[i]}`);
    assert.match(await read(page.locator('.reading-files p')), /^Memory: 214\.0 MB of 8\.2 GB \(--memory-limit\) held by loaded runs, xprofd uses 302\.0 MB in total\./);
    // What can be opened already, with the server's words about it.
    const usable = page.getByRole('region', { name: 'usable now' });
    const words = (await usable.locator('li').allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim());
    assert.deepEqual(words, ['Memory 4 modules of a', 'Graph 4 modules of a', 'Trace 41,900,000 events of a, read when Trace opens']);
    // It is above the page, and no part is cut.
    const [box, main] = [await page.locator('.reading-files').boundingBox(), await page.locator('.main').boundingBox()];
    assert.ok(box.y + box.height <= main.y + 1 && box.x + box.width <= look.size.width);
  });
});

test('Usable now: Memory of the host that is read opens while the others are waited for', async () => {
  await withPage(server.url, { size: SIZES[0] }, async (page) => {
    await hold(page);
    await page.goto(`${server.url}#run=${RUN}&tool=memory`);
    const usable = page.getByRole('region', { name: 'usable now' });
    await usable.getByRole('link', { name: 'Memory' }).press('Enter');
    await page.locator('.m-peak-big').waitFor();
    assert.match(hash(page), new RegExp(`run=${RUN}&only=a(&|$)`));
    assert.equal(await usable.count(), 0);
  });
});

test('Usable now says why there is nothing yet', async () => {
  await withPage(server.url, { size: SIZES[0] }, async (page) => {
    const none = structuredClone(ANSWER);
    none.files.state = ['reading', 'waits', 'waits'];
    none.files.modules = [2, null, null];
    await hold(page, none);
    await page.goto(`${server.url}#run=${RUN}&tool=memory`);
    const usable = page.getByRole('region', { name: 'usable now' });
    await becomes(() => read(usable), 'Usable now nothing yet: a file opens once its directory has been read, 2 modules found so far');
    none.files.name = ['a.xplane.pb.gz', 'b.xplane.pb', 'c.xplane.pb'];
    none.files.modules = [null, null, null];
    await becomes(() => read(usable), 'Usable now nothing yet: a compressed file must be unpacked before its modules can be read');
  });
});

for (const [name, button, only, rest, hosts] of [
  ['Only a: the others are not read', 'Only a', 'a', 'Not read: b, c.', 'Only a of 3 hosts: every number here covers this host alone.'],
  ['Stop here: what is read whole is used, the rest is named', 'Stop here', 'a', 'Not read: b, c.', 'Only a of 3 hosts: every number here covers this host alone.'],
]) {
  eachLook(name, async (look) => {
    await withPage(server.url, look, async (page) => {
      await hold(page);
      await page.goto(`${server.url}#run=${RUN}&tool=memory`);
      const asked = [];
      await table(page).waitFor();
      await strip(page).getByRole('button', { name: button, exact: true }).click();
      await page.locator('.m-peak-big').waitFor();
      assert.match(hash(page), new RegExp(`run=${RUN}&only=${only}(&|$)`));
      await becomes(() => read(page.locator('.strip.part .text')), `${hosts} ${rest}`); // what is left out is known with the run
      await becomes(() => strip(page).count(), 0);
      // Opened from its address it is the same part.
      const note = (request) => /api\/v1\/.*[?&]run=/.test(request.url()) && asked.push(request.url());
      page.on('request', note);
      await page.reload();
      await page.locator('.m-peak-big').waitFor();
      await page.locator('.strip.part').waitFor();
      assert.ok(asked.length >= 3);
      assert.deepEqual(asked.filter((url) => !url.includes(`only=${only}`)), [], 'every question names the hosts');
      page.off('request', note);
      // The rest comes when it is asked for.
      await page.unroute(/api\/v1\/(memory|run\?|modules|trace|doctor)/);
      await page.unroute(/api\/v1\/loading/);
      await page.getByRole('button', { name: 'Read the rest' }).click();
      await becomes(() => page.locator('.strip.part').count(), 0);
      await until('the whole run', async () => (await read(page.locator('header'))).includes('all 3'));
      assert.doesNotMatch(hash(page), /only=/);
      // Back leads to the part again.
      await page.goBack();
      await page.locator('.strip.part').waitFor();
      await until('one host', async () => !(await read(page.locator('header'))).includes('all 3'));
    });
  });
}

test('Stop here waits for the first whole file; a name in the table reads that host alone', async () => {
  await withPage(server.url, { size: SIZES[0] }, async (page) => {
    const none = structuredClone(ANSWER);
    none.files.state = ['reading', 'waits', 'waits'];
    none.files.done_bytes = [1e6, 0, 0];
    await hold(page, none);
    await page.goto(`${server.url}#run=${RUN}&tool=memory`);
    await table(page).waitFor();
    assert.equal(await strip(page).getByRole('button', { name: 'Stop here' }).isDisabled(), true);
    assert.equal(await strip(page).getByRole('button', { name: /^Only / }).innerText(), 'Only a');
    await table(page).getByRole('button', { name: 'c', exact: true }).click();
    await page.locator('.m-peak-big').waitFor();
    assert.match(await read(page.locator('.strip.part .text')), /^Only c of 3 hosts: .* Not read: a, b\.$/);
  });
});

test('events of all hosts: one that is read can be looked at alone, the run stays whole', async () => {
  await withPage(server.url, { size: SIZES[0] }, async (page) => {
    const events = structuredClone(ANSWER);
    Object.assign(events, { state: 'loaded', what: null });
    Object.assign(events.files, { done_bytes: events.files.size_bytes, state: ['read', 'read', 'read'], events: [5, 6, 0], modules: [1, 1, 1], events_total_bytes: [100, 100, 0], events_done_bytes: [30, 100, 0], events_read: [false, true, false] });
    await page.route(/api\/v1\/trace\/(?!.*host=)/, (route) => route.fulfill({ status: 202, contentType: 'application/json', body: JSON.stringify({ state: 'loading', what: 'reading the events of 3 hosts', done_bytes: 30, total_bytes: 100, percent: 30 }) }));
    await page.route(/api\/v1\/loading/, (route) => route.fulfill({ status: 200, contentType: 'application/json', body: JSON.stringify(events) }));
    await page.goto(`${server.url}#run=${RUN}&tool=trace`);
    await table(page).waitFor();
    assert.deepEqual(await cells(page, 0), ['a', '1.2 GB', '', '30 %', '5', '1', 'events being read']);
    assert.deepEqual(await cells(page, 1), ['b', '1.2 GB', '', '100 %', '6', '1', 'events read']);
    assert.deepEqual(await cells(page, 2), ['c', '1.2 GB', '', '0 %', '0', '1', 'no events']);
    // The programs of the run need no events.
    const usable = page.getByRole('region', { name: 'usable now' });
    const words = (await usable.locator('li').allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim());
    const modules = (await server.api('run', { run: RUN })).modules.n;
    assert.deepEqual(words, [`Memory complete: ${modules} module${modules === 1 ? '' : 's'}`, `Graph complete: ${modules} module${modules === 1 ? '' : 's'}`, 'Trace 6 events of b']);
    await usable.getByRole('link', { name: 'Memory' }).click();
    await page.locator('.m-peak-big').waitFor();
    await page.goBack();
    await table(page).waitFor();
    await strip(page).getByRole('button', { name: 'Only b' }).click();
    await until('the rows of b', async () => (await page.locator('.strip.reading').count()) === 0);
    assert.match(hash(page), /host=b/);
    assert.doesNotMatch(hash(page), /only=/);
  });
});

eachLook('a damaged file among good ones: a row for each file with bytes and offsets, and the whole one alone', async (look, first) => {
  await withPage(server.url, { ...look, hash: `#run=${CUT}&tool=files` }, async (page) => {
    const rows = page.getByRole('table', { name: 'files of this run' });
    await rows.waitFor();
    const sizes = ['host0', 'host1'].map((host) => statSync(join(root, `cut/plugins/profile/run1/${host}.xplane.pb`)).size);
    const [cut, whole] = (await server.api('run', { run: CUT })).hosts;
    const n = (bytes) => bytes.toLocaleString('en-US');
    // The file is a part of the other: it cannot have ended after it, and its directory says at least how long it was.
    assert.ok(cut.read_until_bytes <= sizes[0] && cut.whole_bytes > sizes[0] && cut.whole_bytes <= sizes[1]);
    const line = (at) => rows.locator('tbody tr').nth(at).locator('td').allInnerTexts().then((all) => all.map((text) => text.trim()));
    const [bad, good] = [await line(0), await line(1)];
    assert.deepEqual(bad.slice(0, 4), ['host0.xplane.pb', n(sizes[0]), n(cut.whole_bytes), n(cut.read_until_bytes)]);
    assert.equal(bad.at(-1), `truncated: at least ${n(cut.whole_bytes - sizes[0])} bytes are missing`);
    assert.deepEqual(good.slice(0, 4), ['host1.xplane.pb', n(sizes[1]), '', n(sizes[1])]);
    assert.equal(good.at(-1), 'whole');
    assert.equal(good[5], n(whole.planes.reduce((sum, plane) => sum + plane.events, 0)));
    assert.match(await read(page.locator('.strip.error')), /host0\.xplane\.pb is truncated/);
    if (!first) return;
    await page.getByRole('link', { name: 'Use host1 only' }).click();
    await becomes(() => read(page.locator('.strip.part .text')), 'Only host1 of 2 hosts: every number here covers this host alone. Not read: host0.');
    await becomes(() => page.locator('.strip.error').count(), 0);
    await becomes(() => rows.locator('tbody tr').count(), 1);
    assert.match(hash(page), /only=host1/);
    await page.getByRole('button', { name: 'Read the rest' }).click();
    await page.locator('.strip.error').waitFor();
  });
});
