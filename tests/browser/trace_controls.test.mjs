// Controls of the Trace Viewer that trace.test.mjs and trace_keys.test.mjs leave: counters, the ruler's steps and marks,
// breadcrumbs, edges of the minimap, folding by key, the menus Rows and Save, idle threads, the banner of a cut file. Every
// wait is for a condition.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test, { after, before } from 'node:test';

import { field, number } from './hlo.mjs';
import { becomes, cutProfile, download, inAddress, makeLogdir, pictureOf, putFile, quit, read, serve, settled, testdata, until, viewOf, withPage } from './lib.mjs';
import { drawn, miniOf, overCanvas, pointAt, rowsCanvas, rulerOf, tipOf, windowOf, xOf, yOfFirst, yOfPinned } from './trace.mjs';

const RULER = { marks: 27, steps: 45 };
const MS = 1e9;

const name = (at, id, text) => field(at, [number(1, id), field(2, [number(1, id), field(2, text)])]);
const event = (id, offset, duration, ...stats) => field(4, [number(1, id), number(2, offset), number(3, duration), ...stats]);
const line = (id, title, events) => field(3, [number(1, id), field(2, title), ...events]);

/** A counter with four levels, 12 threads of which one is busy in the first half only and the others in the second. */
function counterProfile() {
  const levels = [10, 30, 20, 40];
  const samples = levels.map((value, k) => event(2, k * 10 * MS, 0, field(4, [number(1, 1), number(3, value)])));
  const threads = Array.from({ length: 12 }, (_, k) => line(k + 2, `worker-${k}`, [event(1, k ? 30 * MS : 0, 5 * MS)]));
  return field(1, [field(2, '/host:CPU'), line(1, '_counters_', samples), ...threads, name(4, 1, 'work'), name(4, 2, 'queue length'), name(5, 1, 'value')]);
}

/** A counter that goes below zero, and a thread with an event whose metadata is not in the file. */
function signedProfile() {
  const real = (value) => {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleLE(value);
    return Buffer.concat([Buffer.from([0x11]), bytes]);
  };
  const samples = [15, -25, 5].map((value, k) => event(2, k * 10 * MS, 0, field(4, [number(1, 1), real(value)])));
  const thread = line(2, 'worker', [event(1, 0, 10 * MS), event(99, 12 * MS, 10 * MS), event(1, 25 * MS, 5 * MS)]);
  return field(1, [field(2, '/host:CPU'), line(1, '_counters_', samples), thread, name(4, 1, 'work'), name(4, 2, 'balance'), name(5, 1, 'value')]);
}

let server;
const MLP = { run: 'mlp/run0' };
const at = (run, view) => `#${new URLSearchParams({ run, tool: 'trace', ...view })}`;
const hash = (view) => at(MLP.run, view);
let rows;
let steps;
before(async () => {
  const root = makeLogdir({ mlp: join(testdata, 'cpu_mlp_train/logdir') });
  putFile(root, 'counters/plugins/profile/c/host.xplane.pb', counterProfile());
  putFile(root, 'signed/plugins/profile/s/host.xplane.pb', signedProfile());
  cutProfile(root, 'cut/plugins/profile/c/host.xplane.pb', 0.6);
  server = await serve(root);
  rows = await server.api('trace/rows', MLP);
  steps = await server.api('trace/steps', MLP);
});
after(async () => {
  await quit();
  await server?.stop();
});

/** Presses and lets go at a place of a canvas. */
async function click(page, canvas, x, y) {
  const box = await canvas.boundingBox();
  await page.mouse.click(box.x + x, box.y + y);
}
async function dragOn(page, canvas, from, to, y) {
  const box = await canvas.boundingBox();
  await page.mouse.move(box.x + from, box.y + y);
  await page.mouse.down();
  await page.mouse.move(box.x + (from + to) / 2, box.y + y);
  await page.mouse.move(box.x + to, box.y + y);
  await page.mouse.up();
}
/** Waits until the window in the address satisfies this: the hand has come to rest there. */
const window = (page, what, check) => until(what, async () => check(windowOf(page, rows)));
const near = (got, want, by) => Math.abs(got - want) <= by;

test('a counter is an area of steps: each level as high as its value, and written in it', async () => {
  const run = 'counters/c';
  const all = await server.api('trace/rows', { run });
  const row = all.rows.row[all.rows.kind.indexOf('counter')];
  await withPage(server.url, { hash: at(run, { top: row }) }, async (page) => {
    await drawn(page);
    const whole = { from: all.first_ps, to: all.end_ps };
    /** Pixels of a column that differ from the column's top, in a row of 34 pixels. */
    const high = async (time) => {
      const x = await xOf(page, time, whole);
      return rowsCanvas(page).evaluate((canvas, left) => {
        const ratio = canvas.width / canvas.clientWidth;
        const { data } = canvas.getContext('2d').getImageData(Math.round(left * ratio), 0, 1, Math.round(31 * ratio));
        const same = (k) => [0, 1, 2].every((c) => Math.abs(data[k * 4 + c] - data[c]) < 3);
        let n = 0;
        for (let k = 0; k < data.length / 4; k++) n += same(k) ? 0 : 1;
        return n / ratio;
      }, x);
    };
    // 26 pixels stand for 40. The right part of a level is free of its number.
    for (const [k, value] of [10, 30, 20].entries()) {
      await until(`level ${value}`, async () => near(await high((k * 10 + 9) * MS), (26 * value) / 40, 2.5));
    }
  });
});

test('a counter below zero is drawn down from the zero line; a window between samples shows the current value, also on hover', async () => {
  const run = 'signed/s';
  const all = await server.api('trace/rows', { run });
  const row = all.rows.row[all.rows.kind.indexOf('counter')];
  await withPage(server.url, { hash: at(run, { top: row }) }, async (page) => {
    await drawn(page);
    const whole = { from: all.first_ps, to: all.end_ps };
    // From -30 to 20 by tens: 26 pixels from 6 to 32, so zero lies at 16.4.
    const zero = 6 + (26 * 20) / 50;
    const filled = async (time) => {
      const x = await xOf(page, time, whole);
      return rowsCanvas(page).evaluate((canvas, left) => {
        const ratio = canvas.width / canvas.clientWidth;
        const { data } = canvas.getContext('2d').getImageData(Math.round(left * ratio), 0, 1, Math.round(33 * ratio));
        const rows = [];
        for (let k = 0; k < data.length / 4; k++) {
          // The area is greener than it is red; lines of the scale are grey.
          if (data[k * 4 + 1] - data[k * 4] > 8) rows.push(k / ratio);
        }
        return [rows[0], rows[rows.length - 1]];
      }, x);
    };
    const drawnAs = (value, from, to) => until(`${value}`, async () => {
      const [top, bottom] = await filled(value === 15 ? 9 * MS : value === -25 ? 19 * MS : 29 * MS);
      return near(top, from, 2) && near(bottom, to, 2);
    });
    await drawnAs(15, zero - (26 * 15) / 50, zero);
    await drawnAs(-25, zero, zero + (26 * 25) / 50);
    await drawnAs(5, zero - (26 * 5) / 50, zero);
    await pointAt(page, await xOf(page, 15 * MS, whole), 25);
    await until('what it holds', async () => (await tipOf(page).count()) && /^balance \u221225 since 0\.010 000 000 s$/.test(await read(tipOf(page))));
  });
  const inside = { t0: 14 * MS, t1: 16 * MS };
  await withPage(server.url, { hash: at(run, { ...inside, top: row }) }, async (page) => {
    await drawn(page);
    await pointAt(page, 700, 25);
    await until('what held before', async () => (await tipOf(page).count()) && /^balance \u221225/.test(await read(tipOf(page))));
  });
});

test('an event whose metadata is missing has a word: on its box, beside the pointer, in details and table', async () => {
  const run = 'signed/s';
  const all = await server.api('trace/rows', { run });
  const row = all.rows.row[all.rows.caption.findIndex((c) => /^worker/.test(c))];
  const w = await server.api('trace/window', { run, rows: row, px: 1000 });
  const event = w.depths.first_event[0] + 1;
  const words = `event ${event}, no metadata`;
  await withPage(server.url, { hash: at(run, { top: row }) }, async (page) => {
    await drawn(page);
    const whole = { from: all.first_ps, to: all.end_ps };
    await pointAt(page, await xOf(page, 17 * MS, whole), yOfPinned(0));
    await until('its word', async () => (await tipOf(page).count()) && (await read(tipOf(page))).startsWith(words));
    await page.mouse.down();
    await page.mouse.up();
    await inAddress(page, { ev: String(event) });
    await until('its details', async () => (await page.locator('.t-card h2').count()) && (await read(page.locator('.t-card').first())).startsWith(words));
    assert.match(await read(page.locator('.t-card').first()), /metadata is missing or empty/);
    await page.keyboard.press('t');
    const table = page.getByRole('grid', { name: 'boxes in the window' });
    await table.getByText(words).first().waitFor();
  });
});

test('threads without events in the window fold into one line that says how many; a click opens those with events', async () => {
  const run = 'counters/c';
  const all = await server.api('trace/rows', { run });
  const shown = async (page) => Number(/(\d+) of \d+ rows/.exec(await overCanvas(page).getAttribute('aria-label'))[1]);
  await withPage(server.url, { hash: at(run, { t0: 0, t1: 4 * MS }) }, async (page) => {
    await drawn(page);
    // The counter and the one thread that works there.
    await until('two rows', async () => (await shown(page)) === 2);
    const under = async (k) => {
      await pointAt(page, 60, 21 + 34 + 18 + k);
      return (await tipOf(page).count()) ? read(tipOf(page)) : '';
    };
    await until('the line of idle threads', async () => /^Other threads 11 without events in view$/.test(await under(8)));
    assert.equal(all.rows.n, 13);
  });
  await withPage(server.url, { hash: at(run, {}) }, async (page) => {
    await drawn(page);
    // 12 threads with events: eight and a line for the other four.
    await until('nine rows', async () => (await shown(page)) === 9);
    const box = await overCanvas(page).boundingBox();
    await page.mouse.click(box.x + 60, box.y + 21 + 34 + 8 * 18 + 8);
    await inAddress(page, { others: '0' });
    await until('all of them', async () => (await shown(page)) === 13);
  });
});

test('ruler: a click on a step selects it, a double click fits it; a drag selects; the wheel zooms', async () => {
  await withPage(server.url, { hash: hash({}) }, async (page) => {
    await drawn(page);
    await until('the steps', async () => /6 steps/.test(await rulerOf(page).getAttribute('aria-label')));
    const x = await xOf(page, (steps.start_ps[2] + steps.end_ps[2]) / 2, windowOf(page, rows));
    await click(page, rulerOf(page), x, RULER.steps);
    await inAddress(page, { r0: String(steps.start_ps[2]), r1: String(steps.end_ps[2]), tt: 'selection' });
    await page.keyboard.press('Escape');
    await inAddress(page, { r0: null, r1: null });
    const box = await rulerOf(page).boundingBox();
    await page.mouse.dblclick(box.x + x, box.y + RULER.steps);
    const length = steps.end_ps[2] - steps.start_ps[2];
    await window(page, 'the window of the step', (w) => near(w.from, steps.start_ps[2] - 0.06 * length, 2) && near(w.to, steps.end_ps[2] + 0.06 * length, 2));
    await dragOn(page, rulerOf(page), 400, 700, 8);
    await until('a range', async () => viewOf(page).r0 !== undefined);
    const before = windowOf(page, rows);
    await page.mouse.move(box.x + 600, box.y + 8);
    await page.mouse.wheel(0, -300);
    await window(page, 'a narrower window', (w) => w.to - w.from < 0.8 * (before.to - before.from));
  });
});

test('next and previous step: from one to the next and back', async () => {
  const isAt = (k) => (w) => near(w.from, steps.start_ps[k] - 0.06 * (steps.end_ps[k] - steps.start_ps[k]), 2);
  await withPage(server.url, { hash: hash({}) }, async (page) => {
    await drawn(page);
    for (const k of [0, 1, 2]) {
      await page.getByRole('button', { name: 'next step' }).click();
      await window(page, `step ${k}`, isAt(k));
    }
    for (const k of [1, 0, 0]) {
      await page.getByRole('button', { name: 'previous step' }).click();
      await window(page, `step ${k} again`, isAt(k));
    }
  });
});

test('marks: dragged along the ruler, removed by Alt+click, all in the address', async () => {
  const marks = [5 * MS, 9 * MS];
  const view = { t0: 0, t1: 15 * MS, marks: marks.join() };
  await withPage(server.url, { hash: hash(view) }, async (page) => {
    await drawn(page);
    const w = windowOf(page, rows);
    const to = await xOf(page, 12 * MS, w);
    await dragOn(page, rulerOf(page), await xOf(page, marks[0], w), to, RULER.marks);
    await until('the mark behind the other', async () => {
      const [a, b] = (viewOf(page).marks ?? '').split(',').map(Number);
      return a === marks[1] && near(b, 12 * MS, ((w.to - w.from) / 1000) * 3);
    });
    await page.keyboard.down('Alt');
    await click(page, rulerOf(page), await xOf(page, marks[1], w), RULER.marks);
    await page.keyboard.up('Alt');
    await until('one mark', async () => !(viewOf(page).marks ?? '').includes(','));
    assert.match(await rulerOf(page).getAttribute('aria-label'), /1 marks/);
  });
});

test('breadcrumbs: earlier windows; a click returns to one, the first shows everything', async () => {
  await withPage(server.url, { hash: hash({ t0: 4 * MS, t1: 14 * MS }) }, async (page) => {
    await drawn(page);
    const crumbs = page.getByRole('navigation', { name: 'windows' });
    await page.keyboard.press('Shift+w');
    const first = await until('a quarter of it', async () => (Number(viewOf(page).t0) !== 4 * MS ? windowOf(page, rows) : null));
    await until('the window before as a crumb', async () => (await crumbs.getByRole('button').count()) === 2);
    assert.match(await read(crumbs), /^Trace ›/);
    await crumbs.getByRole('button').nth(1).click();
    await window(page, 'the window before', (w) => near(w.from, 4 * MS, 2) && near(w.to, 14 * MS, 2));
    await page.goBack();
    await window(page, 'the quarter by Back', (w) => near(w.from, first.from, 2));
    await crumbs.getByRole('button', { name: 'Trace' }).click();
    await inAddress(page, { t0: null, t1: null });
  });
});

test('minimap: an edge narrows the window, the middle moves it', async () => {
  const whole = { from: rows.first_ps, to: rows.end_ps };
  const view = { from: whole.from + (whole.to - whole.from) * 0.25, to: whole.from + (whole.to - whole.from) * 0.75 };
  await withPage(server.url, { hash: hash({ t0: Math.round(view.from), t1: Math.round(view.to) }) }, async (page) => {
    await drawn(page);
    const x = (share) => xOf(page, whole.from + share * (whole.to - whole.from), whole);
    const pixel = (whole.to - whole.from) / 1000;
    await dragOn(page, miniOf(page), await x(0.75), await x(0.5), 20);
    await window(page, 'half of it', (w) => near(w.to, whole.from + 0.5 * (whole.to - whole.from), 3 * pixel) && near(w.from, view.from, 2));
    await dragOn(page, miniOf(page), await x(0.3), await x(0.4), 20);
    await window(page, 'further right', (w) => near(w.from, whole.from + 0.35 * (whole.to - whole.from), 3 * pixel));
  });
});

test('Space folds the group under the pointer; double click on an event fits it', async () => {
  await withPage(server.url, { hash: hash({}) }, async (page) => {
    await drawn(page);
    await pointAt(page, 60, yOfFirst(0));
    await page.keyboard.press(' ');
    await inAddress(page, { open: 'none' });
    await pointAt(page, 60, 10);
    await page.keyboard.press(' ');
    await inAddress(page, { open: '0' });
  });
  const row = rows.rows.row[rows.rows.caption.findIndex((c) => /^python/.test(c))];
  const w = await server.api('trace/window', { ...MLP, rows: row, px: 16384 });
  const first = { start: w.from_ps + w.box.start[0] * w.quantum_ps, event: w.depths.first_event[0] };
  const whole = await server.api('trace/event', { ...MLP, event: first.event });
  const view = { t0: Math.round(whole.start_ps - whole.duration_ps), t1: Math.round(whole.start_ps + 2 * whole.duration_ps), top: row };
  await withPage(server.url, { hash: hash(view) }, async (page) => {
    await drawn(page);
    const box = await overCanvas(page).boundingBox();
    await page.mouse.dblclick(box.x + (await xOf(page, whole.start_ps + whole.duration_ps / 2, windowOf(page, rows))), box.y + yOfPinned(0));
    const slack = whole.duration_ps / 100;
    await window(page, 'the event fills the window', (n) => near(n.from, whole.start_ps - 0.06 * whole.duration_ps, slack) && near(n.to, whole.start_ps + 1.06 * whole.duration_ps, slack));
    await inAddress(page, { ev: String(first.event) });
  });
});

test('pin and hide at the name; the menu Rows opens and folds all rows and restores hidden ones', async () => {
  const first = String(rows.rows.row[0]);
  await withPage(server.url, { hash: hash({}) }, async (page) => {
    await drawn(page);
    await click(page, overCanvas(page), 190 - 50, yOfFirst(0));
    await inAddress(page, { top: first });
    await click(page, overCanvas(page), 190 - 18, yOfPinned(0));
    await inAddress(page, { hide: first, top: null });
    await page.getByRole('button', { name: /^Rows/ }).click();
    await page.getByRole('button', { name: /^show / }).click();
    await inAddress(page, { hide: null });
    await page.getByRole('button', { name: 'fold all' }).click();
    await inAddress(page, { open: 'none' });
    await page.getByRole('button', { name: 'open all' }).click();
    await inAddress(page, { open: rows.processes.name.map((_, k) => k).length > 1 ? `0-${rows.processes.n - 1}` : '0' });
    await page.getByRole('checkbox', { name: /rows XProf does not show/ }).check();
    await inAddress(page, { internal: '1' });
  });
});

test('export of this window and the rows shown has exactly their events; the picture has the size of the view', async () => {
  const row = rows.rows.row[rows.rows.caption.findIndex((c) => /^python/.test(c))];
  const window = { t0: 5 * MS, t1: 6 * MS };
  const hidden = rows.rows.row.filter((r) => r !== row).join();
  await withPage(server.url, { hash: hash({ ...window, hide: hidden }) }, async (page) => {
    await drawn(page);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const json = await download(page, () => page.getByRole('link', { name: /rows shown/ }).click());
    const totals = await server.api('trace/totals', { ...MLP, rows: row, from: window.t0, to: window.t1 });
    // Whole events, and beginnings of those that overlap.
    const begun = JSON.parse(json.text).traceEvents.filter((e) => e.ph === 'X' || e.ph === 'b');
    assert.equal(begun.length, totals.all.count);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const png = await download(page, () => page.getByRole('button', { name: 'picture (PNG)' }).click());
    const [width, height] = [png.bytes.readUInt32BE(16), png.bytes.readUInt32BE(20)];
    const box = await rowsCanvas(page).boundingBox();
    const ruler = await rulerOf(page).boundingBox();
    // Above it the title, below it what the colours mean.
    assert.ok(near(width, box.width, 1) && near(height, box.height + ruler.height + 60, 38), `${width} x ${height}`);
  });
});

test('tables are saved as CSV and JSON: steps, names found, occurrences, boxes in the window', async () => {
  const hits = await server.api('trace/search', { ...MLP, q: 'dot', limit: 1000 });
  await withPage(server.url, { hash: hash({ tt: 'steps' }) }, async (page) => {
    await drawn(page);
    const saved = async (within, role) => {
      const csv = await download(page, () => within.getByRole('button', { name: 'CSV' }).click());
      const json = JSON.parse((await download(page, () => within.getByRole('button', { name: 'JSON' }).click())).text);
      const list = Object.values(json)[0];
      assert.equal(csv.text.trim().split('\r\n').length, list.length + 1, role);
      assert.deepEqual(csv.text.split('\r\n')[0].split(','), Object.keys(list[0]), role);
      return list;
    };
    const list = await saved(page.getByRole('tabpanel'), 'steps');
    assert.deepEqual(list.map((s) => s.start_ps), steps.start_ps);
    await page.keyboard.press('/');
    await page.getByLabel('search events').fill('dot');
    await until('the hits', async () => (await read(page.locator('.t-n-of-m'))) === String(hits.count));
    assert.deepEqual((await saved(page.locator('.t-search-left'), 'names')).map((n) => n.count), hits.by_name.count);
    assert.deepEqual((await saved(page.locator('.t-search-right'), 'occurrences')).map((h) => h.event), hits.hits.event);
    await page.getByLabel('search events').blur();
    await page.keyboard.press('t');
    await page.getByRole('grid', { name: 'boxes in the window' }).waitFor();
    assert.ok((await saved(page.locator('.t-twin'), 'window')).length > 50);
  });
});

test('a cut file: all that is whole is shown, the banner and the row say that it is cut, and the strip closes', async () => {
  const run = 'cut/c';
  const cut = await server.api('trace/rows', { run });
  assert.ok(cut.rows.cut.includes(true));
  await withPage(server.url, { hash: at(run, {}) }, async (page) => {
    await until('the banner', async () => /is truncated/.test(await read(page.locator('.strip').first())));
    const strip = page.locator('.t-strips p', { hasText: /1 row ends early/ });
    await strip.waitFor();
    assert.match(await overCanvas(page).getAttribute('aria-label'), new RegExp(`${cut.event_count.toLocaleString('en-US')} events`));
    await settled(page); // the strip may stand there before the last picture
    const before = await pictureOf(miniOf(page));
    await strip.getByRole('button', { name: 'close this warning' }).click();
    await until('the strip closed', async () => (await strip.count()) === 0);
    await becomes(() => pictureOf(miniOf(page)), before, 'the minimap stays as it was');
  });
});

test('leaving the trace asks for nothing without a run', async () => {
  await withPage(server.url, { hash: hash({ tt: 'steps', t0: 1e9, t1: 9e9 }) }, async (page) => {
    await drawn(page);
    const without = [];
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.pathname.includes('/trace/') && !url.searchParams.get('run')) without.push(url.pathname);
    });
    await page.locator('.brand').click();
    await page.locator('.run-table').waitFor();
    await settled(page);
    assert.deepEqual(without, []);
  });
});
