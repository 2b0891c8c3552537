// Hands on the Trace Viewer that the other files leave: the middle button, edges that are dragged, the wheel and drags over
// names, the chip of the steps, and the second of each pair of keys. On a run of two chips written by hand.
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';

import { field, number } from './hlo.mjs';
import { coloured, inAddress, makeLogdir, putFile, quit, read, serve, toastSays, until, viewOf, withPage } from './lib.mjs';
import { drawn, LABELS, miniOf, overCanvas, pointAt, rulerOf, settled, tipOf, windowOf, xOf, yOfPinned } from './trace.mjs';

const MS = 1e9;
const RUN = 'two/t';
const STEPS_BAND = 45;

const name = (id, text) => field(4, [number(1, id), field(2, [number(1, id), field(2, text)])]);
const event = (id, at, length) => field(4, [number(1, id), number(2, at * MS), number(3, length * MS)]);
const line = (id, title, events) => field(3, [number(1, id), field(2, title), ...events]);

/** Two chips that run a program three times, each run two operations; 20 threads with an event in each run. */
function profile() {
  const runs = [0, 20, 40];
  const chip = (k) =>
    field(1, [
      field(2, `/device:TPU:${k}`),
      line(1, 'XLA Modules', runs.map((at) => event(1, at + k, 15))),
      line(2, 'XLA Ops', runs.flatMap((at) => [event(2, at + k, 5), event(3, at + k + 6, 8)])),
      name(1, 'jit_f(7)'),
      name(2, 'fusion.1'),
      name(3, 'dot.2'),
    ]);
  const threads = Array.from({ length: 20 }, (_, k) => line(k + 1, `worker-${k}`, runs.map((at) => event(1, at, 15))));
  return Buffer.concat([chip(0), chip(1), field(1, [field(2, '/host:CPU'), ...threads, name(1, 'work')])]);
}

let server;
let rows;
before(async () => {
  const root = makeLogdir({});
  putFile(root, 'two/plugins/profile/t/host.xplane.pb', profile());
  server = await serve(root);
  rows = await server.api('trace/rows', { run: RUN, derived: 1 });
});
after(async () => {
  await quit();
  await server?.stop();
});

const hash = (view) => `#${new URLSearchParams({ run: RUN, tool: 'trace', ...view })}`;
const rowOf = (kind, process = 0) => rows.rows.row[rows.rows.kind.findIndex((k, at) => k === kind && rows.rows.process[at] === process)];
const near = (got, want, by) => Math.abs(got - want) <= by;
const scrolled = (page) => page.locator('.t-rows').evaluate((box) => box.scrollTop);
/** The k-th event of a name in a row. */
async function eventOf(row, text, k) {
  const { hits } = await server.api('trace/search', { run: RUN, q: text, rows: row, limit: k + 1 });
  return { event: hits.event[k], start: hits.start_ps[k], duration: hits.duration_ps[k] };
}
async function dragRows(page, [x0, y0], [x1, y1], button = 'left') {
  await pointAt(page, x0, y0);
  await page.mouse.down({ button });
  await pointAt(page, (x0 + x1) / 2, (y0 + y1) / 2);
  await pointAt(page, x1, y1);
  await page.mouse.up({ button });
  await settled(page);
}

test('the middle button pans time and rows in every mode, and selects nothing', async () => {
  await withPage(server.url, { hash: hash({ t0: 10 * MS, t1: 30 * MS, high: 4 }) }, async (page) => {
    await drawn(page);
    for (const mode of ['1', '4']) {
      await page.keyboard.press(mode);
      const before = { ...windowOf(page, rows), top: await scrolled(page) };
      await dragRows(page, [700, 200], [600, 120], 'middle');
      const after = { ...windowOf(page, rows), top: await scrolled(page) };
      const pixel = (before.to - before.from) / ((await overCanvas(page).boundingBox()).width - LABELS);
      assert.ok(near(after.from - before.from, 100 * pixel, 2 * pixel) && near(after.to - before.to, 100 * pixel, 2 * pixel), `${after.from - before.from}`);
      assert.ok(near(after.top - before.top, 80, 1), `${after.top - before.top}`);
      assert.deepEqual([viewOf(page).r0, viewOf(page).ev], [undefined, undefined]);
    }
  });
});

test('the edge of the label column: a drag is remembered, a double click resets it', async () => {
  const row = rowOf('xla_ops');
  await withPage(server.url, { hash: hash({ top: row }) }, async (page) => {
    await drawn(page);
    const isName = async (x) => {
      await pointAt(page, x, yOfPinned());
      return (await tipOf(page).count()) > 0 && /measured: as in the file/.test(await read(tipOf(page)));
    };
    assert.equal(await isName(LABELS + 40), false);
    const window = windowOf(page, rows);
    await dragRows(page, [LABELS, 150], [LABELS + 80, 150]);
    assert.deepEqual(windowOf(page, rows), window);
    assert.deepEqual([viewOf(page).r0, viewOf(page).hide], [undefined, undefined]);
    await until('a wider column', () => isName(LABELS + 40));
    // The plot begins behind it: the first event stands there.
    await pointAt(page, LABELS + 84, yOfPinned());
    await until('the first event', async () => (await tipOf(page).count()) > 0 && /^fusion\.1/.test(await read(tipOf(page))));
    await page.reload();
    await drawn(page);
    await until('as wide after a reload', () => isName(LABELS + 40));
    const box = await overCanvas(page).boundingBox();
    await page.mouse.dblclick(box.x + LABELS + 80, box.y + 150);
    await until('as wide as at first', async () => !(await isName(LABELS + 40)) && (await isName(LABELS - 120)));
    assert.deepEqual(viewOf(page).hide, undefined);
  });
});

test('tooltip and time at the pointer: to a quarter of a pixel, gone after keys that move the picture, back with the pointer', async () => {
  await withPage(server.url, { hash: hash({ top: rowOf('xla_ops') }) }, async (page) => {
    await drawn(page);
    const at = page.locator('.t-at');
    const told = async () => (await tipOf(page).count()) > 0 && (await at.isVisible());
    await pointAt(page, LABELS + 4, yOfPinned());
    await until('the tip', told);
    const window = windowOf(page, rows);
    const { width } = await overCanvas(page).boundingBox();
    const pixel = (window.to - window.from) / (width - LABELS);
    const seconds = Number((await at.innerText()).replace(/[^\d.]/g, ''));
    assert.ok(near(seconds * 1e12, window.from + 4 * pixel, pixel), `${seconds}`);
    // Its last digit stands for no less than an eighth of a pixel.
    const digits = (await at.innerText()).replace(/[^\d.]/g, '').split('.')[1]?.length ?? 0;
    assert.ok(10 ** (12 - digits) > pixel / 50, await at.innerText());
    await page.keyboard.press('w');
    await until('nothing told after a key', async () => !(await at.isVisible()) && (await tipOf(page).count()) === 0);
    await settled(page);
    await pointAt(page, LABELS + 5, yOfPinned());
    await until('the tip again', told);
    await page.keyboard.press('0');
    await until('nothing told after another', async () => !(await at.isVisible()) && (await tipOf(page).count()) === 0);
  });
});

test('over row names the wheel and a drag scroll the rows and keep the window', async () => {
  await withPage(server.url, { hash: hash({ high: 4 }) }, async (page) => {
    await drawn(page);
    await pointAt(page, 60, 150);
    await page.mouse.wheel(0, 200);
    await until('rows further down', async () => near(await scrolled(page), 200, 2));
    await dragRows(page, [60, 100], [60, 250]);
    assert.ok(near(await scrolled(page), 50, 2), `${await scrolled(page)}`);
    assert.deepEqual([viewOf(page).t0, viewOf(page).open], [undefined, undefined]);
  });
});

test('mode 3: a drag up zooms in and back down out, and the event under the pointer stays there', async () => {
  await withPage(server.url, { hash: hash({ top: rowOf('xla_ops') }) }, async (page) => {
    await drawn(page);
    await page.keyboard.press('3');
    const before = windowOf(page, rows);
    const at = (w, x, width) => w.from + ((x - LABELS) / (width - LABELS)) * (w.to - w.from);
    const { width } = await overCanvas(page).boundingBox();
    await dragRows(page, [620, 200], [622, 100]);
    const closer = windowOf(page, rows);
    assert.ok(near((before.to - before.from) / (closer.to - closer.from), 1.011 ** 100, 0.1));
    assert.ok(near(at(closer, 620, width), at(before, 620, width), (closer.to - closer.from) / 500));
    await dragRows(page, [620, 100], [620, 200]);
    await until('as before', async () => { const w = windowOf(page, rows); return near(w.to - w.from, before.to - before.from, (before.to - before.from) / 50); });
    assert.equal(viewOf(page).r0, undefined);
  });
});

test('all rows can be scrolled to: at the end the last thread is at the bottom', async () => {
  await withPage(server.url, { hash: hash({ high: 4, others: 2 }) }, async (page) => {
    await drawn(page);
    const box = await overCanvas(page).boundingBox();
    await pointAt(page, 60, 150);
    await page.mouse.wheel(0, 10_000);
    await settled(page);
    const last = await page.locator('.t-rows').evaluate((e) => [e.scrollTop + e.clientHeight, document.querySelector('.t-space').clientHeight]);
    assert.equal(last[0], last[1]);
    await pointAt(page, 60, box.height - 30);
    await until('the last thread', async () => (await tipOf(page).count()) > 0 && /^worker-19/.test(await read(tipOf(page))));
  });
});

test('the first visible row is in the address: a reload shows the same rows; a link to an event scrolls to its row', async () => {
  await withPage(server.url, { hash: hash({ high: 4, others: 2 }) }, async (page) => {
    await drawn(page);
    await pointAt(page, 60, 150);
    await page.mouse.wheel(0, 333);
    await until('the place in the address', async () => viewOf(page).y !== undefined);
    await settled(page);
    const top = await scrolled(page);
    assert.equal(top, 333);
    await page.reload();
    await drawn(page);
    await until('the same rows', async () => (await scrolled(page)) === top);
    await page.mouse.wheel(0, -5000);
    await inAddress(page, { y: null });
  });
  // The last thread is none of the eight that are shown at first.
  const row = rows.rows.row[rows.rows.caption.indexOf('worker-19')];
  const e = await eventOf(row, 'work', 1);
  await withPage(server.url, { hash: hash({ high: 4, ev: e.event }) }, async (page) => {
    await drawn(page);
    const x = await xOf(page, e.start + e.duration / 2, windowOf(page, rows));
    await until('its outline', async () => (await coloured(overCanvas(page), '--accent', x)).length >= 2);
    assert.ok((await scrolled(page)) > 0);
  });
});

test('the bar above the panel: a drag resizes it and is remembered; a double click folds and opens it', async () => {
  await withPage(server.url, { hash: hash({}) }, async (page) => {
    await drawn(page);
    const panel = page.locator('.t-panel');
    const high = async () => (await panel.boundingBox()).height;
    const before = await high();
    const bar = await page.locator('.t-handle').boundingBox();
    await page.mouse.move(bar.x + 300, bar.y + 2);
    await page.mouse.down();
    await page.mouse.move(bar.x + 300, bar.y - 60);
    await page.mouse.move(bar.x + 300, bar.y - 98);
    await page.mouse.up();
    await until('100 pixels more', async () => near(await high(), before + 100, 3));
    await page.reload();
    await drawn(page);
    await until('as high after a reload', async () => near(await high(), before + 100, 3));
    for (const [open, bodies] of [['0', 0], [null, 1]]) {
      await page.locator('.t-handle').dblclick();
      await inAddress(page, { panel: open });
      await until('the panel', async () => (await page.locator('.t-body').count()) === bodies);
    }
  });
});

test('a click on the chip beside the steps shows the next chip, and wraps around to the first', async () => {
  const steps = await server.api('trace/steps', { run: RUN });
  const chips = [...new Set(steps.process)].sort((a, b) => a - b);
  assert.equal(chips.length, 2);
  await withPage(server.url, { hash: hash({}) }, async (page) => {
    await drawn(page);
    const box = await rulerOf(page).boundingBox();
    const click = () => page.mouse.click(box.x + 150, box.y + STEPS_BAND);
    for (const chip of [chips[1], chips[0]]) {
      await click();
      await inAddress(page, { chipof: String(chip) });
      // The band is that chip's: a click on it takes the step to the picosecond.
      const k = steps.process.findIndex((p) => p === chip) + 1;
      assert.equal(steps.process[k], chip);
      await page.mouse.click(box.x + (await xOf(page, (steps.start_ps[k] + steps.end_ps[k]) / 2, windowOf(page, rows))), box.y + STEPS_BAND);
      await inAddress(page, { r0: String(steps.start_ps[k]), r1: String(steps.end_ps[k]) });
    }
  });
});

test('ArrowDown and ArrowUp: the event of the row below and above at that time', async () => {
  const [modules, ops] = [rowOf('xla_modules'), rowOf('xla_ops')];
  const module = await eventOf(modules, 'jit_f', 1);
  // The operation that covers the middle of the run.
  const op = await eventOf(ops, 'dot', 1);
  await withPage(server.url, { hash: hash({ ev: module.event, top: `${modules},${ops}` }) }, async (page) => {
    await drawn(page);
    await page.keyboard.press('ArrowDown');
    await inAddress(page, { ev: String(op.event) });
    await settled(page);
    await page.keyboard.press('ArrowUp');
    await inAddress(page, { ev: String(module.event) });
    await settled(page);
    await page.keyboard.press('ArrowUp');
    await settled(page);
    assert.equal(viewOf(page).ev, String(module.event), 'above the first there is none');
  });
});

test('the second key of each pair: , and Z, Shift with A, D and S, −, and 1 to select again', async () => {
  const ops = rowOf('xla_ops');
  const [first, second] = [await eventOf(ops, 'dot', 0), await eventOf(ops, 'dot', 1)];
  await withPage(server.url, { hash: hash({ ev: second.event, top: ops }) }, async (page) => {
    await drawn(page);
    await page.keyboard.press(',');
    await inAddress(page, { ev: String(first.event) });
    await page.keyboard.press('.');
    await inAddress(page, { ev: String(second.event) });
    await pointAt(page, 600, yOfPinned());
    await page.keyboard.press('-');
    await inAddress(page, { h: `${ops}.0` });
    await page.keyboard.press('+');
    await inAddress(page, { h: null });
  });
  const window = { t0: 20 * MS, t1: 21 * MS };
  await withPage(server.url, { hash: hash(window) }, async (page) => {
    await drawn(page);
    const span = 1 * MS;
    const pressed = async (key) => {
      await page.keyboard.press(key);
      await settled(page);
      return windowOf(page, rows);
    };
    const right = await pressed('Shift+d');
    assert.ok(near(right.from, 20 * MS + 0.6 * span, 2) && near(right.to, 21 * MS + 0.6 * span, 2), `${right.from}`);
    const back = await pressed('Shift+a');
    assert.ok(near(back.from, 20 * MS, 2), `${back.from}`);
    const out = await pressed('Shift+s');
    assert.ok(near(out.to - out.from, span * 1.4 ** 4, 4), `${out.to - out.from}`);
    await pressed('z');
    await inAddress(page, { t0: null, t1: null });
    await page.keyboard.press('4');
    await page.keyboard.press('1');
    await dragRows(page, [500, 300], [600, 300]);
    assert.equal(viewOf(page).tt, 'selection', 'a drag selects, and shows the totals');
  });
});

test('M marks the ends of a range or of the selected event; Delete removes the marks in the range', async () => {
  const op = await eventOf(rowOf('xla_ops'), 'dot', 1);
  const range = { r0: 3 * MS, r1: 8 * MS };
  await withPage(server.url, { hash: hash({ ...range, ev: op.event }) }, async (page) => {
    await drawn(page);
    await page.mouse.move(5, 5);
    await page.keyboard.press('m');
    await inAddress(page, { marks: `${range.r0},${range.r1}` });
    await page.keyboard.press('Escape');
    await inAddress(page, { r0: null, ev: String(op.event) });
    await page.keyboard.press('m');
    await inAddress(page, { marks: [range.r0, range.r1, op.start, op.start + op.duration].join() });
  });
  await withPage(server.url, { hash: hash({ r0: 2 * MS, r1: 9 * MS, marks: [3, 8, 30].map((t) => t * MS).join() }) }, async (page) => {
    await drawn(page);
    await page.keyboard.press('Delete');
    await inAddress(page, { marks: String(30 * MS) });
  });
});

test('M marks the ends of the selected event; of several: the first start and the last end, with their durations', async () => {
  const ops = rowOf('xla_ops');
  const [a, b] = [await eventOf(ops, 'fusion', 1), await eventOf(ops, 'dot', 1)];
  await withPage(server.url, { hash: hash({ ev: a.event, top: ops }) }, async (page) => {
    await drawn(page);
    const window = windowOf(page, rows);
    await pointAt(page, await xOf(page, a.start + a.duration / 2, window), yOfPinned());
    await page.keyboard.press('m');
    await inAddress(page, { marks: `${a.start},${a.start + a.duration}` });
    await page.keyboard.press('Delete');
    await page.keyboard.press('Delete');
    await inAddress(page, { marks: null });
    await pointAt(page, await xOf(page, b.start + b.duration / 2, window), yOfPinned());
    await page.keyboard.down('Control');
    await page.mouse.down();
    await page.mouse.up();
    await page.keyboard.up('Control');
    await inAddress(page, { also: String(b.event) });
    // 5 ms, one between, 8 ms.
    await until('the sums', async () => /from first start to last end 14\.000 ms, with at least one running for 13\.000 ms/.test(await read(page.locator('.t-picked'))));
    await page.keyboard.press('m');
    await inAddress(page, { marks: `${a.start},${b.start + b.duration}` });
  });
});

test('F again leaves room on both sides of a range; keys without a target report it', async () => {
  const last = await eventOf(rowOf('xla_ops'), 'dot', 2);
  await withPage(server.url, { hash: hash({ r0: 20 * MS, r1: 40 * MS, ev: last.event }) }, async (page) => {
    await drawn(page);
    await page.keyboard.press('f');
    await inAddress(page, { t0: String(20 * MS), t1: String(40 * MS) });
    await settled(page);
    await page.keyboard.press('f');
    await until('room', async () => Number(viewOf(page).t0) < 20 * MS);
    const w = windowOf(page, rows);
    assert.ok(near((20 * MS) / (w.to - w.from), 0.9, 0.01));
    await page.keyboard.press('ArrowRight');
    await toastSays(page, /no next event on this row/);
    await page.keyboard.press('.');
    await toastSays(page, /no next event of this name/);
    await page.keyboard.press(']');
    await toastSays(page, /no flow leads on from this event/);
    await page.keyboard.press('[');
    await toastSays(page, /no flow leads to this event/);
  });
});

test('Escape clears one thing at a time: range, event, search, filter', async () => {
  const op = await eventOf(rowOf('xla_ops'), 'dot', 1);
  await withPage(server.url, { hash: hash({ r0: MS, r1: 2 * MS, ev: op.event, tt: 'search', find: 'dot', rows: 'XLA' }) }, async (page) => {
    await drawn(page);
    for (const gone of ['r0', 'ev', 'find', 'rows']) {
      assert.notEqual(viewOf(page)[gone], undefined, gone);
      await page.keyboard.press('Escape');
      await inAddress(page, { [gone]: null });
    }
  });
});

test('with nothing selected the panel lists what takes the time in the window, with a link to each', async () => {
  const first = await eventOf(rowOf('xla_ops'), 'dot', 0);
  await withPage(server.url, { hash: hash({}) }, async (page) => {
    await drawn(page);
    const lines = page.locator('.t-top li');
    // Three runs on two chips: dot.2 takes 8 ms of each, fusion.1 five.
    assert.match(await read(lines.nth(0)), /^dot\.2 61\.5 % 48\.000 ms 6 times$/);
    assert.match(await read(lines.nth(1)), /^fusion\.1 38\.5 % 30\.000 ms 6 times$/);
    assert.equal(await lines.count(), 2);
    await lines.nth(0).getByRole('button').click();
    await inAddress(page, { ev: String(first.event) });
  });
  await withPage(server.url, { hash: hash({ t0: 16 * MS, t1: 19 * MS }) }, async (page) => {
    await drawn(page);
    assert.equal(await page.locator('.t-top').count(), 0, 'nothing runs there');
    assert.match(await read(page.getByRole('tabpanel')), /^Click an event/);
  });
});

test('minimap: the left edge narrows the window, a click beside the brush moves it there', async () => {
  await withPage(server.url, { hash: hash({ t0: 10 * MS, t1: 30 * MS }) }, async (page) => {
    await drawn(page);
    const box = await miniOf(page).boundingBox();
    // The minimap ends 12 pixels before the edge.
    const x = (time) => box.x + LABELS + ((time - rows.first_ps) / (rows.end_ps - rows.first_ps)) * (box.width - LABELS - 12);
    const pixel = (rows.end_ps - rows.first_ps) / (box.width - LABELS - 12);
    await page.mouse.move(x(10 * MS), box.y + 20);
    await page.mouse.down();
    await page.mouse.move(x(15 * MS), box.y + 20);
    await page.mouse.move(x(20 * MS), box.y + 20);
    await page.mouse.up();
    await settled(page);
    const narrow = windowOf(page, rows);
    assert.ok(near(narrow.from, 20 * MS, 3 * pixel) && near(narrow.to, 30 * MS, 2), `${narrow.from} ${narrow.to}`);
    await page.mouse.click(x(45 * MS), box.y + 20);
    await settled(page);
    const there = windowOf(page, rows);
    assert.ok(near((there.from + there.to) / 2, 45 * MS, 3 * pixel) && near(there.to - there.from, narrow.to - narrow.from, 2), `${there.from} ${there.to}`);
  });
});
