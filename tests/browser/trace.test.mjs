// The Trace Viewer: rows, window, mouse and keys, details, selection, search, steps, flame, table twin, address.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test, { after, before } from 'node:test';

import { download, eachLook, inAddress, isDrawn, makeLogdir, pictureOf, quit, read, serve, sharedLogdir, shoot, testdata, until, viewOf, withPage } from './lib.mjs';
import { drawn, LABELS, miniOf, overCanvas, pointAt, rowsCanvas, rulerOf, settled, tipOf, windowOf, xOf, yOfFirst, yOfPinned } from './trace.mjs';

const MLP = { run: 'mlp/run0' };
const hash = (view) => `#${new URLSearchParams({ ...MLP, tool: 'trace', ...view })}`;

let server;
let rows;
let python;
before(async () => {
  server = await serve(makeLogdir({ mlp: join(testdata, 'cpu_mlp_train/logdir') }));
  rows = await server.api('trace/rows', MLP);
  python = rows.rows.row[rows.rows.caption.findIndex((c) => /^python/.test(c))];
});
after(async () => {
  await quit();
  await server?.stop();
});

/** The first event of a row at a depth that is longer than so much of the trace. */
async function longest(row, depth = 0, from = rows.first_ps, to = rows.end_ps) {
  const w = await server.api('trace/window', { ...MLP, rows: row, from, to, px: 16384 });
  let at = 0;
  let best = null;
  for (let k = 0; k < w.depths.n; k++) {
    let start = w.from_ps;
    let event = w.depths.first_event[k];
    const merged = new Map();
    let m = 0;
    for (let i = 0; i < w.merged.n; i++) merged.set((m += w.merged.at[i]), w.merged.count[i]);
    for (let i = 0; i < w.depths.boxes[k]; i++) {
      start += w.box.start[at] * w.quantum_ps;
      const length = w.box.length[at] * w.quantum_ps;
      const count = merged.get(at) ?? 1;
      if (w.depths.depth[k] === depth && count === 1 && (!best || length > best.length)) best = { start, length, event };
      event += count;
      at++;
    }
  }
  return best;
}

eachLook('rows, minimap, ruler and legend are drawn', async (look) => {
  await withPage(server.url, { ...look, hash: hash({}) }, async (page) => {
    await drawn(page);
    for (const canvas of [rowsCanvas(page), miniOf(page), rulerOf(page)]) await until('the picture', () => isDrawn(canvas));
    assert.match(await overCanvas(page).getAttribute('aria-label'), new RegExp(`${rows.event_count.toLocaleString('en-US')} events`));
    assert.match(await rulerOf(page).getAttribute('aria-label'), /6 steps/);
    assert.match(await read(page.locator('.t-legend')), /matmul/);
    await shoot(page, `trace-mlp-${look.theme}-${look.size.width}`);
  });
});

test('wheel zooms at the cursor and pans with shift; the address follows; 0 shows all', async () => {
  await withPage(server.url, { hash: hash({}) }, async (page) => {
    await drawn(page);
    const time = rows.first_ps + (rows.end_ps - rows.first_ps) * 0.4;
    const whole = windowOf(page, rows);
    const x = await xOf(page, time, whole);
    await pointAt(page, x, 60);
    await page.mouse.wheel(0, -500);
    await until('a narrower window', async () => viewOf(page).t0 !== undefined);
    const near = windowOf(page, rows);
    assert.ok(near.to - near.from < (whole.to - whole.from) / 2);
    assert.ok(Math.abs((await xOf(page, time, near)) - x) < 2, 'the time under the pointer stays');
    await page.keyboard.down('Shift');
    await page.mouse.wheel(0, 200);
    await page.keyboard.up('Shift');
    await until('a window further right', async () => windowOf(page, rows).from > near.from);
    const panned = windowOf(page, rows);
    assert.ok(Math.abs(panned.to - panned.from - (near.to - near.from)) <= 2, 'same width');
    await page.keyboard.press('0');
    await inAddress(page, { t0: null, t1: null });
  });
});

test('W and S, A and D: ten steps and ten back restore the window', async () => {
  await withPage(server.url, { hash: hash({ t0: 5_000_000_000, t1: 9_000_000_000 }) }, async (page) => {
    await drawn(page);
    const keys = async (key, times) => {
      for (let k = 0; k < times; k++) await page.keyboard.press(key);
      await settled(page);
    };
    await keys('w', 10);
    const close = windowOf(page, rows);
    assert.ok(close.to - close.from < 4e9 / 20, `${close.to - close.from}`);
    await keys('s', 10);
    const back = windowOf(page, rows);
    assert.ok(Math.abs(back.from - 5e9) < 2e6 && Math.abs(back.to - 9e9) < 2e6, `${back.from} ${back.to}`);
    await keys('d', 2);
    assert.ok(windowOf(page, rows).from > back.from);
    await keys('a', 2);
    assert.ok(Math.abs(windowOf(page, rows).from - back.from) < 2e6);
    await keys('Shift+w', 1);
    assert.ok(windowOf(page, rows).to - windowOf(page, rows).from < (back.to - back.from) / 3);
  });
});

test('hover shows name and time, a click pins the details, Escape clears the selection', async () => {
  const e = await longest(python, 1);
  const answer = await server.api('trace/event', { ...MLP, event: e.event });
  // Pinned, the row is at the top.
  await withPage(server.url, { hash: hash({ top: python }) }, async (page) => {
    await drawn(page);
    await pointAt(page, await xOf(page, e.start + e.length / 2, windowOf(page, rows)), yOfPinned(1));
    await until('the tip', async () => (await tipOf(page).count()) > 0);
    const tip = await read(tipOf(page));
    // A step's event is named with its number in the details.
    assert.ok(answer.caption.startsWith(tip.split(' ')[0]), `${tip} is of ${answer.caption}`);
    await page.mouse.down();
    await page.mouse.up();
    await inAddress(page, { ev: String(e.event) });
    await until('the details', async () => (await page.locator('.t-card h2').count()) > 0);
    assert.ok((await read(page.locator('.t-card').first())).includes(answer.caption));
    await page.keyboard.press('Escape');
    await inAddress(page, { ev: null });
    await until('no details', async () => (await page.locator('.t-card h2').count()) === 0);
  });
});

test('arrows and , . step through events in the order of trace/near', async () => {
  const e = await longest(python, 1);
  const { found: next } = await server.api('trace/near', { ...MLP, event: e.event, dir: 'next' });
  const { found: same } = await server.api('trace/near', { ...MLP, event: e.event, dir: 'next', by: 'name' });
  await withPage(server.url, { hash: hash({ ev: e.event }) }, async (page) => {
    await drawn(page);
    await page.keyboard.press('ArrowRight');
    await inAddress(page, { ev: String(next.event) });
    await page.keyboard.press('ArrowLeft');
    await inAddress(page, { ev: String(e.event) });
    await page.keyboard.press('.');
    await inAddress(page, { ev: String(same?.event ?? e.event) });
    await page.keyboard.press('ArrowDown');
    await until('an event of another row', async () => Number(viewOf(page).ev) !== (same?.event ?? e.event));
  });
});

test('a drag selects a range with totals; F fits it; CSV; Escape clears it', async () => {
  await withPage(server.url, { hash: hash({ tof: 'host' }) }, async (page) => {
    await drawn(page);
    const box = await overCanvas(page).boundingBox();
    await pointAt(page, 400, box.height - 10);
    await page.mouse.down();
    await pointAt(page, 500, box.height - 10);
    await pointAt(page, 620, box.height - 10);
    await page.mouse.up();
    await until('the range', async () => viewOf(page).r0 !== undefined);
    const { r0, r1, tt } = viewOf(page);
    assert.equal(tt, 'selection');
    await until('the totals', async () => (await page.locator('.t-sum').count()) > 0 && / events, self/.test(await read(page.locator('.t-sum').first())));
    const host = rows.rows.row.filter((_, k) => !rows.rows.derived[k] && !rows.rows.hidden[k]);
    const totals = await server.api('trace/totals', { ...MLP, from: r0, to: r1, rows: host.join(',') });
    assert.match(await read(page.locator('.t-sum').first()), new RegExp(`${totals.all.count.toLocaleString('en-US')} events`));
    // The line behind the last is the sum, as the server states it.
    const table = page.getByRole('grid', { name: 'totals' });
    await table.evaluate((e) => { e.scrollTop = e.scrollHeight; });
    const sum = page.locator('.t-total');
    await until('the sum', async () => (await sum.count()) === 1);
    const cells = await sum.getByRole('gridcell').allInnerTexts();
    assert.equal(cells[0], 'Total');
    const column = (await table.getByRole('columnheader').allInnerTexts()).findIndex((title) => title.startsWith('Count'));
    assert.equal(cells[column], totals.all.count.toLocaleString('en-US'));
    assert.match(await sum.getByRole('gridcell').nth(column + 1).getAttribute('title'), new RegExp(`^${totals.all.total_ps.toLocaleString('en-US')} ps`));
    const csv = await download(page, () => page.getByRole('link', { name: 'CSV' }).click());
    assert.match(csv.text.split('\r\n')[0], /count/);
    await page.getByRole('button', { name: 'category' }).click();
    await inAddress(page, { tby: 'category' });
    await overCanvas(page).focus();
    await page.keyboard.press('f');
    await settled(page);
    const w = windowOf(page, rows);
    assert.ok(Math.abs(w.from - Number(r0)) <= 2 && Math.abs(w.to - Number(r1)) <= 2);
    await page.keyboard.press('Escape');
    await inAddress(page, { r0: null, r1: null });
  });
});

test('shift-drag pans; mode 2 pans, mode 3 zooms, mode 4 measures', async () => {
  await withPage(server.url, { hash: hash({ t0: 5_000_000_000, t1: 15_000_000_000 }) }, async (page) => {
    await drawn(page);
    const drag = async (from, to) => {
      const box = await overCanvas(page).boundingBox();
      await pointAt(page, from, box.height - 8);
      await page.mouse.down();
      await pointAt(page, (from + to) / 2, box.height - 8);
      await pointAt(page, to, box.height - 8);
      await page.mouse.up();
      await settled(page);
    };
    await page.keyboard.down('Shift');
    await drag(600, 500);
    await page.keyboard.up('Shift');
    const panned = windowOf(page, rows);
    assert.ok(panned.from > 5e9);
    assert.equal(viewOf(page).r0, undefined);
    await page.keyboard.press('2');
    await drag(500, 600);
    assert.ok(Math.abs(windowOf(page, rows).from - 5e9) < 5e6);
    await page.keyboard.press('4');
    await drag(400, 600);
    assert.notEqual(viewOf(page).r0, undefined);
    assert.equal(viewOf(page).tt, undefined);
    await page.keyboard.press('3');
    await drag(400, 600);
    const zoomed = windowOf(page, rows);
    assert.ok(zoomed.to - zoomed.from < 3e9, `${zoomed.to - zoomed.from}`);
    await page.keyboard.press('Backspace');
    await settled(page);
    assert.ok(windowOf(page, rows).to - windowOf(page, rows).from > 3e9);
  });
});

test('/ searches the whole trace: n of m, Enter and Shift+Enter, marks in the minimap', async () => {
  const want = await server.api('trace/search', { ...MLP, q: 'dot', limit: 1000 });
  assert.ok(want.count > 2);
  await withPage(server.url, { hash: hash({}) }, async (page) => {
    await drawn(page);
    const before = await pictureOf(miniOf(page));
    await page.keyboard.press('/');
    await page.getByLabel('search events').fill('dot');
    await until('the hits', async () => new RegExp(`^${want.count.toLocaleString('en-US')}$`).test(await read(page.locator('.t-n-of-m'))));
    await until('the hits marked in the minimap', async () => (await pictureOf(miniOf(page))) !== before);
    await page.keyboard.press('Enter');
    await until('1 of m', async () => /^\d+ of /.test(await read(page.locator('.t-n-of-m'))));
    const first = await read(page.locator('.t-n-of-m'));
    await until('a hit in the address', async () => want.hits.event.includes(Number(viewOf(page).ev)));
    await page.keyboard.press('Enter');
    await until('the next', async () => (await read(page.locator('.t-n-of-m'))) !== first);
    await page.keyboard.press('Shift+Enter');
    await until('the first again', async () => (await read(page.locator('.t-n-of-m'))) === first);
    await page.getByLabel('search events').fill('(bad');
    await page.getByRole('button', { name: '.*' }).click();
    await until('why it is taken as text', async () => /plain|text|expression|paren|\(/i.test(await read(page.locator('.t-search-left .t-sum').first())));
  });
});

test('fold, pin, hide, filter and order of rows; all of it in the address', async () => {
  const first = String(rows.rows.row[0]);
  await withPage(server.url, { hash: hash({}) }, async (page) => {
    await drawn(page);
    await pointAt(page, 60, 10);
    await page.mouse.down();
    await page.mouse.up();
    await inAddress(page, { open: 'none' });
    await page.mouse.down();
    await page.mouse.up();
    await inAddress(page, { open: '0' });
    await pointAt(page, 500, yOfFirst(0));
    await page.keyboard.press('p');
    await inAddress(page, { top: first });
    await settled(page);
    await pointAt(page, 500, 8);
    await page.keyboard.press('v');
    await inAddress(page, { hide: first, top: null });
    const label = () => overCanvas(page).getAttribute('aria-label');
    const hidden = /(\d+) of \d+ rows/.exec(await label())[1];
    await page.getByRole('button', { name: /^Rows/ }).click();
    await page.getByLabel('filter rows by name').fill('nothing has this name');
    await until('why it is empty', async () => /hidden by the filter/.test(await read(page.locator('.t-empty'))));
    await page.getByLabel('filter rows by name').fill('');
    await page.getByLabel('order of rows').selectOption('busy');
    await inAddress(page, { rowsby: 'busy', rows: null });
    await page.getByRole('button', { name: 'reset' }).click();
    await inAddress(page, { rowsby: null, hide: null, open: null });
    await until('the row again', async () => Number(/(\d+) of \d+ rows/.exec(await label())[1]) === Number(hidden) + 1);
  });
});

test('height of rows: + and − by key and at the name, all rows from the menu; in the address; boxes and hits follow', async () => {
  const e = await longest(python, 1);
  await withPage(server.url, { hash: hash({ top: python }) }, async (page) => {
    await drawn(page);
    const x = await xOf(page, e.start + e.length / 2, windowOf(page, rows));
    const tipAt = async (y) => {
      await pointAt(page, x, y);
      return (await tipOf(page).count()) > 0 ? read(tipOf(page)) : '';
    };
    // With lanes of 14 pixels the second begins at 16, with 34 at 36, with 8 at 10.
    await until('the event of depth 1', async () => (await tipAt(yOfPinned(1))) !== '');
    const wanted = await tipAt(yOfPinned(1));
    await page.keyboard.press('+');
    await inAddress(page, { h: `${python}.2` });
    await page.keyboard.press('+');
    await inAddress(page, { h: `${python}.3` });
    await until('it lower on the page', async () => (await tipAt(36 + 30)) === wanted);
    // At the name: the signs stand left of pin and hide.
    await pointAt(page, LABELS - 92, 8);
    for (const size of ['2', null, '0']) {
      await page.mouse.down();
      await page.mouse.up();
      await inAddress(page, { h: size && `${python}.${size}` });
    }
    await until('it higher on the page', async () => (await tipAt(10 + 4)) === wanted);
    await page.reload();
    await drawn(page);
    await until('the same after a reload', async () => (await tipAt(10 + 4)) === wanted);
    await pointAt(page, LABELS - 75, 5);
    await page.mouse.down();
    await page.mouse.up();
    await inAddress(page, { h: null });
    await page.getByRole('button', { name: /^Rows/ }).click();
    await page.getByLabel('height of rows').selectOption({ label: 'highest' });
    await inAddress(page, { high: '4' });
    await page.getByRole('button', { name: 'reset' }).click();
    await inAddress(page, { high: null });
  });
});

test('marks: M at the pointer, their distance, Delete', async () => {
  await withPage(server.url, { hash: hash({}) }, async (page) => {
    await drawn(page);
    const box = await overCanvas(page).boundingBox();
    await pointAt(page, 400, box.height - 8);
    await page.keyboard.press('m');
    await pointAt(page, 600, box.height - 8);
    await page.keyboard.press('m');
    await until('two marks', async () => (viewOf(page).marks ?? '').split(',').length === 2);
    assert.match(await rulerOf(page).getAttribute('aria-label'), /2 marks/);
    await page.keyboard.press('Delete');
    await until('one mark', async () => (viewOf(page).marks ?? '').split(',').length === 1);
  });
});

test('steps: band, buttons, table', async () => {
  const steps = await server.api('trace/steps', MLP);
  await withPage(server.url, { hash: hash({}) }, async (page) => {
    await drawn(page);
    await page.getByRole('button', { name: 'next step' }).click();
    await settled(page);
    const first = windowOf(page, rows);
    assert.ok(first.from <= steps.start_ps[0] && first.to >= steps.end_ps[0]);
    await page.getByRole('button', { name: 'next step' }).click();
    await settled(page);
    const second = windowOf(page, rows);
    assert.ok(second.from <= steps.start_ps[1] && second.to >= steps.end_ps[1] && second.from > first.from);
    await page.getByRole('tab', { name: /Steps/ }).click();
    const table = page.getByRole('grid', { name: 'steps' });
    await table.waitFor();
    assert.equal(await table.getAttribute('aria-rowcount'), String(steps.n + 1));
    // Each line has its words: the first is line 0 of the answer, which is a line like the others.
    await until('all lines', async () => (await table.locator('.vt-row').count()) >= Math.min(steps.n, 3));
    for (const [k, words] of (await table.locator('.vt-row').allInnerTexts()).entries()) assert.match(words, new RegExp(`^step ${steps.number[k]}\\b`));
    const csv = await download(page, () => page.getByRole('button', { name: 'CSV' }).click());
    assert.equal(csv.text.trim().split('\r\n').length, steps.n + 1);
  });
});

test('flame graph of the window; a click opens a path', async () => {
  await withPage(server.url, { hash: hash({ tt: 'flame', tof: 'host' }) }, async (page) => {
    await drawn(page);
    const canvas = page.locator('.t-flame-canvas');
    await until('the call tree', () => isDrawn(canvas));
    const before = await pictureOf(canvas);
    await canvas.click({ position: { x: 80, y: 8 } });
    await until('one path', async () => (await pictureOf(canvas)) !== before);
    await settled(page);
    const path = await pictureOf(canvas);
    assert.match(viewOf(page).path, /^\d+$/);
    await page.reload();
    await drawn(page);
    await until('the same path', async () => (await pictureOf(canvas)) === path);
    await page.getByRole('button', { name: 'all again' }).click();
    await until('all paths', async () => (await pictureOf(canvas)) === before);
  });
});

test('flame graph: CSV and JSON have every path; a path opens its first event; another window resets it', async () => {
  await withPage(server.url, { hash: hash({ tt: 'flame', tof: 'host', t0: 1_000_000_000, t1: 12_000_000_000 }) }, async (page) => {
    await drawn(page);
    const panel = page.getByRole('tabpanel', { name: 'flame' });
    const csv = await download(page, () => panel.getByRole('button', { name: 'CSV' }).click());
    const json = JSON.parse((await download(page, () => panel.getByRole('button', { name: 'JSON' }).click())).text).flame;
    const threads = rows.rows.row.filter((_, k) => !rows.rows.derived[k] && !rows.rows.hidden[k]);
    const want = await server.api('trace/flame', { ...MLP, from: 1_000_000_000, to: 12_000_000_000, rows: threads.join() });
    assert.equal(csv.text.trim().split('\r\n').length, want.n + 1);
    assert.deepEqual(json.map((path) => path.total_ps), want.total_ps);
    const deep = want.parent.findIndex((p) => p !== null && want.parent[p] !== null);
    const ways = [deep, want.parent[deep], want.parent[want.parent[deep]]].map((k) => want.name[k]);
    assert.equal(json[deep].path, ways.reverse().join(';'));
    await page.locator('.t-flame-canvas').click({ position: { x: 80, y: 8 } });
    await until('a path', async () => viewOf(page).path !== undefined);
    await page.getByRole('button', { name: /^first of / }).click();
    await inAddress(page, { ev: String(want.first_event[Number(viewOf(page).path)]) });
    await page.keyboard.press('w');
    await inAddress(page, { path: null });
  });
});

test('T shows a table of what is in view, and the picture again; I folds the panel', async () => {
  await withPage(server.url, { hash: hash({}) }, async (page) => {
    await drawn(page);
    await page.keyboard.press('t');
    const table = page.getByRole('grid', { name: 'boxes in the window' });
    await table.waitFor();
    assert.ok(Number(await table.getAttribute('aria-rowcount')) > 50);
    await page.keyboard.press('t');
    await drawn(page);
    await page.keyboard.press('i');
    await inAddress(page, { panel: '0' });
    await until('the panel is folded', async () => (await page.locator('.t-body').count()) === 0);
  });
});

test('the address holds all of it: reload shows the same picture; Back goes to the event before', async () => {
  const e = await longest(python, 1);
  const view = { t0: 4_000_000_000, t1: 12_000_000_000, ev: e.event, marks: '5000000000,6000000000', r0: 7_000_000_000, r1: 8_000_000_000, tt: 'selection', top: python };
  await withPage(server.url, { hash: hash(view) }, async (page) => {
    await drawn(page);
    await page.mouse.move(5, 5);
    await settled(page);
    const before = await pictureOf(rowsCanvas(page));
    await page.reload();
    await drawn(page);
    await until('the same picture', async () => (await pictureOf(rowsCanvas(page))) === before);
    await pointAt(page, 700, yOfPinned(1));
    await page.mouse.down();
    await page.mouse.up();
    await until('another event', async () => viewOf(page).ev !== String(e.event));
    await page.goBack();
    await inAddress(page, { ev: String(e.event) });
  });
});

test('the minimap moves the window; its edges narrow it', async () => {
  await withPage(server.url, { hash: hash({}) }, async (page) => {
    await drawn(page);
    const box = await miniOf(page).boundingBox();
    await page.mouse.click(box.x + box.width / 2, box.y + 20);
    await settled(page);
    const w = windowOf(page, rows);
    assert.ok(w.to - w.from < (rows.end_ps - rows.first_ps) / 3);
    await page.mouse.dblclick(box.x + box.width / 2, box.y + 20);
    await settled(page);
    await inAddress(page, { t0: null });
  });
});

test('picture and export of the window are saved', async () => {
  await withPage(server.url, { hash: hash({ t0: 5_000_000_000, t1: 6_000_000_000 }) }, async (page) => {
    await drawn(page);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const png = await download(page, () => page.getByRole('button', { name: 'picture (PNG)' }).click());
    assert.equal(png.bytes.subarray(1, 4).toString(), 'PNG');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const json = await download(page, () => page.getByRole('link', { name: /all rows/ }).click());
    assert.ok(JSON.parse(json.text).traceEvents.length > 10);
  });
});

const tpu = sharedLogdir('tpu-v6e-offload');
test('a real run of four chips: op, roofline, chips, histogram, flows', { skip: !tpu }, async () => {
  const own = await serve(tpu);
  const run = (await own.api('runs')).id[0];
  const all = await own.api('trace/rows', { run });
  const ops = all.rows.row[all.rows.kind.indexOf('xla_ops')];
  const hits = (await own.api('trace/search', { run, q: 'broadcast_add_fusion.1', rows: ops, limit: 10 })).hits;
  try {
    for (const theme of ['light', 'dark']) {
      const at = `#${new URLSearchParams({ run, tool: 'trace', ev: hits.event[3], t0: hits.start_ps[3] - 4e11, t1: hits.start_ps[3] + 4e11 })}`;
      await withPage(own.url, { theme, hash: at }, async (page) => {
        await drawn(page);
        await until('the details', async () => (await page.locator('.t-card').count()) >= 5);
        const said = await read(page.locator('.t-details'));
        assert.match(said, /Roofline/);
        assert.match(said, /Same op, other chips/);
        assert.match(said, /Duration, 400 runs/);
        for (const chip of ['TPU:0', 'TPU:1', 'TPU:2', 'TPU:3']) assert.match(said, new RegExp(chip));
        assert.match(await read(page.locator('.t-legend')), /waiting/);
        await shoot(page, `trace-tpu-${theme}`);
        await page.locator('.t-chip', { hasText: 'TPU:2' }).click();
        await until('the event on another chip', async () => viewOf(page).ev !== String(hits.event[3]));
      });
    }
  } finally {
    await own.stop();
  }
});
