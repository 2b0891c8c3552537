// Keys and mouse of the Trace Viewer that need what a real run of chips has: flows, several picked events, collectives;
// and marks that come with the address.
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';

import { download, inAddress, matches, pictureOf, quit, read, serve, sharedLogdir, until, viewOf, withPage } from './lib.mjs';
import { drawn, overCanvas, pointAt, rowsCanvas, rulerOf, settled, xOf } from './trace.mjs';

const logdir = sharedLogdir('tpu-v6e-offload');
const skip = !logdir;

let server;
let run;
let all;
before(async () => {
  if (!logdir) return;
  server = await serve(logdir);
  run = (await server.api('runs')).id[0];
  all = await server.api('trace/rows', { run });
});
after(async () => {
  await quit();
  await server?.stop();
});

const rowOf = (kind) => all.rows.row[all.rows.kind.indexOf(kind)];
const hash = (view) => `#${new URLSearchParams({ run, tool: 'trace', ...view })}`;
/** The k-th event that a search finds in a row. */
async function found(q, row, k = 0) {
  const { hits } = await server.api('trace/search', { run, q, rows: row, limit: k + 1 });
  return { event: hits.event[k], start: hits.start_ps[k], duration: hits.duration_ps[k] };
}

test('] and [ follow a flow from the launch to the module and back; its ends are listed', { skip }, async () => {
  const module = await found('jit_f', rowOf('xla_modules'), 4);
  const { flows } = await server.api('trace/flows', { run, event: module.event });
  const launches = flows.flatMap((flow) => flow.out.map((end) => end.event));
  assert.ok(launches.length > 0 && !launches.includes(module.event));
  await withPage(server.url, { hash: hash({ ev: module.event, t0: module.start - 1e12, t1: module.start + 1e12 }) }, async (page) => {
    await drawn(page);
    await until('the flows', async () => /from/.test(await read(page.locator('.t-flow').first())));
    await pointAt(page, 700, 120);
    // The flows of the launch come late: a key that is pressed before is followed when they are there.
    let asked = false;
    let letGo = () => {};
    const answered = new Promise((done) => { letGo = done; });
    await page.route(/trace\/flows/, async (route) => {
      asked = true;
      await answered;
      await route.continue();
    });
    await page.keyboard.press('[');
    await until('the launch', async () => launches.includes(Number(viewOf(page).ev)));
    const there = viewOf(page).ev;
    await until('the question for its flows', () => asked);
    await page.keyboard.press(']');
    assert.deepEqual(await page.locator('.toast').allInnerTexts(), [], 'nothing is said of what is not known yet');
    letGo();
    await until('an event it started', async () => viewOf(page).ev !== there);
    const onwards = (await server.api('trace/flows', { run, event: there })).flows.flatMap((flow) => flow.in.map((end) => end.event));
    assert.ok(onwards.includes(Number(viewOf(page).ev)));
  });
});

test('flows: with arrows off the ends are still listed, and ] and [ follow them', { skip }, async () => {
  const module = await found('jit_f', rowOf('xla_modules'), 4);
  await withPage(server.url, { hash: hash({ ev: module.event, flows: 'off' }) }, async (page) => {
    await drawn(page);
    await until('the flows', async () => /from/.test(await read(page.locator('.t-flow').first())));
    await page.locator('.t-over').focus();
    await page.keyboard.press('[');
    await until('another event', async () => Number(viewOf(page).ev) !== module.event);
  });
});

test('flows: of the selection, all, off', { skip }, async () => {
  const module = await found('jit_f', rowOf('xla_modules'), 4);
  const window = { from: module.start - 2e11, to: module.start + 8e11 };
  // An arrow that lies wholly in the window; its row on top, for chips and their tracks may fill the picture.
  const { arrows } = await server.api('trace/flows', { run, ...window, limit: 1000 });
  const inside = (start) => start > window.from && start < window.to;
  const whole = arrows.from_row.findIndex((_, k) => inside(arrows.from_start_ps[k]) && inside(arrows.to_start_ps[k]) && arrows.from_row[k] < arrows.to_row[k]);
  assert.ok(whole >= 0);
  await withPage(server.url, { hash: hash({ t0: window.from, t1: window.to, top: arrows.from_row[whole] }) }, async (page) => {
    await drawn(page);
    const none = await pictureOf(overCanvas(page));
    const button = page.getByRole('button', { name: /^Flows/ });
    await button.click();
    await inAddress(page, { flows: 'all' });
    await until('arrows', async () => (await pictureOf(overCanvas(page))) !== none);
    await button.click();
    await inAddress(page, { flows: 'off' });
    await until('no arrows', async () => (await pictureOf(overCanvas(page))) === none);
    await button.click();
    await inAddress(page, { flows: null });
  });
});

test('Ctrl+click selects several events: sum, mean, minimum, maximum', { skip }, async () => {
  const ops = rowOf('xla_ops');
  const first = await found('copy-done', ops, 40);
  const { hits } = await server.api('trace/search', { run, q: '^copy-done(.2|.4)?$', regex: 1, rows: ops, from: first.start, limit: 2 });
  const window = { from: hits.start_ps[0] - 2e10, to: hits.start_ps[1] + hits.duration_ps[1] + 2e10 };
  await withPage(server.url, { hash: hash({ t0: Math.round(window.from), t1: Math.round(window.to), top: ops }) }, async (page) => {
    await drawn(page);
    for (let k = 0; k < 2; k++) {
      await pointAt(page, await xOf(page, hits.start_ps[k] + hits.duration_ps[k] / 2, window), 9);
      if (k) await page.keyboard.down('Control');
      await page.mouse.down();
      await page.mouse.up();
      if (k) await page.keyboard.up('Control');
      await settled(page);
    }
    await page.getByRole('tab', { name: /Selection/ }).click();
    await until('two events', async () => /^2 events picked: sum/.test(await read(page.locator('.t-picked'))));
    const device = await Promise.all([...hits.event].slice(0, 2).map(async (event) => (await server.api('trace/event', { run, event })).device_duration_ps));
    const sum = (device[0] + device[1]) / 1e9;
    assert.ok((await read(page.locator('.t-picked'))).includes(`sum ${sum.toFixed(3)} ms`), `${sum} in ${await read(page.locator('.t-picked'))}`);
    const json = await download(page, () => page.getByRole('link', { name: 'JSON', exact: true }).click());
    assert.equal(JSON.parse(json.text).by, 'name');
  });
});

test('a collective on all chips: skew, who began last, what the others waited', { skip }, async () => {
  const op = await found('all-reduce', rowOf('xla_ops'));
  const want = await server.api('trace/collective', { run, event: op.event });
  assert.equal(want.chips.n, 4);
  await withPage(server.url, { hash: hash({ ev: op.event, t0: op.start - op.duration, t1: op.start + 2 * op.duration }) }, async (page) => {
    await drawn(page);
    const card = page.locator('.t-chips');
    await until('the card', async () => /Collective on 4 chips/.test(await read(card)));
    const said = await read(card);
    assert.match(said, /start skew/);
    assert.equal((said.match(/began last/g) ?? []).length, 1);
    assert.equal((said.match(/waited/g) ?? []).length, 3);
    await card.locator('.t-chip').nth(2).click();
    await until('that chip', async () => viewOf(page).ev === String(want.chips.event[2]));
  });
});

test('a collective whose chips got no answer: the strip above says so', { skip }, async () => {
  const op = await found('all-reduce', rowOf('xla_ops'));
  await withPage(server.url, {}, async (page, { forgive }) => {
    await page.route(/trace\/collective/, (asked) => asked.fulfill({ status: 500, contentType: 'application/json', body: '{"error":{"code":"io","message":"the disk is gone"}}' }));
    await page.goto(server.url + hash({ ev: op.event }));
    await until('the strip', async () => /No answer for the collective on the other chips: the disk is gone/.test(await read(page.locator('.strip.error'))));
    forgive(/answer 500/);
  });
});

test('the waits of a collective stand on the rows of all chips, up to where the last one joins', { skip }, async () => {
  const op = await found('all-reduce', rowOf('xla_ops'));
  const { chips } = await server.api('trace/collective', { run, event: op.event });
  const last = Math.max(...chips.start_ps);
  const first = Math.min(...chips.start_ps);
  const window = { from: first - 1_000_000, to: last + 1_000_000 };
  await withPage(server.url, { hash: hash({ ev: op.event, t0: window.from, t1: window.to, top: chips.row.join(',') }) }, async (page) => {
    await drawn(page);
    /** Share of the pixels of a chip's bar, between two times, that the picture above the rows covers. */
    const covered = async (k, from, to) => {
      const [x0, x1] = [await xOf(page, from, window), await xOf(page, to, window)];
      return overCanvas(page).evaluate((canvas, [left, width, top]) => {
        const ratio = canvas.width / canvas.clientWidth;
        const { data } = canvas.getContext('2d').getImageData(Math.ceil(left * ratio), Math.ceil(top * ratio), Math.max(1, Math.floor(width * ratio)), Math.floor(7 * ratio));
        let solid = 0;
        for (let i = 3; i < data.length; i += 4) solid += data[i] === 255 ? 1 : 0;
        return solid / (data.length / 4);
      }, [x0 + 3, x1 - x0 - 6, 18 * k + 5]);
    };
    for (let k = 0; k < chips.n; k++) {
      if (chips.start_ps[k] === last) await until('no hatch on the one that came last', async () => (await covered(k, first, last)) < 0.02);
      else await until(`the wait of chip ${k}`, async () => (await covered(k, chips.start_ps[k], last)) > 0.98);
      // From there on the box itself is seen.
      await until('the operation itself', async () => (await covered(k, last + 600_000, window.to)) < 0.02);
    }
    await page.getByRole('button', { name: 'show the end' }).click();
    await until('the window of the end', async () => Number(viewOf(page).t0) > last && Number(viewOf(page).t1) >= Math.max(...chips.end_ps));
  });
});

test('marks come with the address, and say how far apart they are', { skip }, async () => {
  await withPage(server.url, { hash: hash({ t0: 19e12, t1: 21e12, marks: '19500000000000,20383608000000' }) }, async (page) => {
    await drawn(page);
    assert.match(await rulerOf(page).getAttribute('aria-label'), /2 marks/);
    await page.reload();
    await drawn(page);
    assert.match(await rulerOf(page).getAttribute('aria-label'), /2 marks/);
    assert.equal(viewOf(page).marks, '19500000000000,20383608000000');
  });
});

test('the bar of a copy and its details show how long the core waited', { skip }, async () => {
  const row = rowOf('offload');
  const w = await server.api('trace/window', { run, rows: row, px: 16384, from: 19e12, to: 21e12 });
  const k = w.waits.hidden.indexOf('partly');
  assert.ok(k >= 0);
  const { hits } = await server.api('trace/search', { run, q: 'offload-copy.2', rows: row, from: 19.4e12, limit: 1 });
  await withPage(server.url, { hash: hash({ ev: hits.event[0], t0: 19.4e12, t1: 20.5e12, top: row }) }, async (page) => {
    await drawn(page);
    const said = await read(page.locator('.t-details'));
    const event = await server.api('trace/event', { run, event: hits.event[0] });
    assert.equal(event.async.hidden, 'partly');
    assert.match(said, /Core waits.*of.*device:.*partly hidden/);
    assert.match(said, /Computes.*meanwhile/);
    await page.getByRole('button', { name: event.async.done.caption, exact: true }).click();
    await until('its done', async () => viewOf(page).ev === String(event.async.done.event));
    assert.ok(await rowsCanvas(page).isVisible());
  });
});

test('details: every table can be saved, the links are in sight, the skew is shown by both clocks', { skip }, async () => {
  const op = await found('broadcast_add_fusion.1', rowOf('xla_ops'), 3);
  const want = await server.api('trace/event', { run, event: op.event });
  const same = await server.api('trace/same', { run, event: op.event });
  const raw = want.chips.device_start_ps.map(Number);
  await withPage(server.url, { hash: hash({ ev: op.event }) }, async (page) => {
    await drawn(page);
    const saved = async (within) => {
      const csv = await download(page, () => within.getByRole('button', { name: 'CSV' }).click());
      const list = Object.values(JSON.parse((await download(page, () => within.getByRole('button', { name: 'JSON' }).click())).text))[0];
      assert.equal(csv.text.trim().split('\r\n').length, list.length + 1);
      return list;
    };
    const chips = await saved(page.locator('.t-chips'));
    assert.deepEqual(chips.map((c) => c.device_start_ps).sort(), [...want.chips.device_start_ps].sort());
    assert.deepEqual((await saved(page.locator('.t-hist'))).map((s) => s.event), same.slowest.event);
    assert.deepEqual((await saved(page.locator('.t-stats'))).map((s) => s.value), want.stats.map((s) => s.value));
    const event = await download(page, () => page.locator('.t-tabs').getByRole('link', { name: 'JSON' }).click());
    assert.equal(JSON.parse(event.text).event, op.event);
    const device = Math.max(...raw) - Math.min(...raw);
    const host = Math.max(...want.chips.start_ps) - Math.min(...want.chips.start_ps);
    assert.ok(device < host);
    assert.match(await read(page.locator('.t-chips h3')), new RegExp(`start skew ${(device / 1e9).toFixed(3)} ms device, ${(host / 1e9).toFixed(3)} ms host`));
    // All of the ways to other tools stand above the foot of the window, and no number of the stats is cut.
    const foot = page.viewportSize().height;
    for (const way of await page.locator('.t-links > *').all()) {
      const box = await way.boundingBox();
      assert.ok(box.y + box.height <= foot, await way.innerText());
    }
    const cut = await page.locator('.t-stats dd').evaluateAll((list) => list.filter((x) => /^[\d,]+$/.test(x.textContent) && x.scrollWidth > x.clientWidth).map((x) => x.textContent));
    assert.deepEqual(cut, []);
  });
});

test('1,024 pixels: the legend is behind a button, and all details are reachable', { skip }, async () => {
  const op = await found('broadcast_add_fusion.1', rowOf('xla_ops'), 3);
  await withPage(server.url, { hash: hash({ ev: op.event }), size: { width: 1024, height: 768 } }, async (page) => {
    await drawn(page);
    assert.equal(await page.locator('.t-bar-legend').isVisible(), false);
    await page.getByRole('button', { name: 'Legend' }).click();
    await matches(() => read(page.getByRole('dialog')), /host transfer.*waiting.*measured.*derived/);
    await page.keyboard.press('Escape');
    const wide = await page.locator('.t-body').evaluate((body) => [body.scrollWidth, body.clientWidth]);
    assert.equal(wide[0], wide[1]);
    await page.locator('.t-stats').scrollIntoViewIfNeeded();
    assert.ok(await page.locator('.t-stats').isVisible());
  });
});
