// Sections and rows of the Trace Viewer, read as a person reads them: the pointer goes down the names and what it tells is
// noted. On profiles written by hand, and on a real run of four chips.
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';

import { field, number } from './hlo.mjs';
import { becomes, inAddress, makeLogdir, putFile, quit, read, serve, sharedLogdir, until, viewOf, withPage } from './lib.mjs';
import { drawn, overCanvas, pointAt, rowsCanvas, rulerOf, settled, tipOf, windowOf, xOf, yOfPinned } from './trace.mjs';

const MS = 1e9;
const real = sharedLogdir('tpu-v6e-offload');
const TALL = { theme: 'light', size: { width: 1366, height: 1800 } };

const text = (id, value) => field(4, [number(1, id), field(5, value)]);
const event = (id, at, length, ...stats) => field(4, [number(1, id), number(2, at * MS), number(3, length * MS), ...stats]);
const line = (id, title, events) => field(3, [number(1, id), field(2, title), ...events]);
const named = (id, name, display = '') => field(4, [number(1, id), field(2, [number(1, id), field(2, name), ...(display ? [field(4, display)] : [])])]);
const statNamed = (id, name) => field(5, [number(1, id), field(2, [number(1, id), field(2, name)])]);
const plane = (name, ...parts) => field(1, [field(2, name), ...parts]);

/** Chips out of order, one with a SparseCore; unknown lines; the profiler's own error. */
function tpuProfile() {
  const ops = (id) => line(id, 'XLA Ops', [event(1, 0, 4), event(1, 6, 4)]);
  const whole = [named(1, '%fusion.9 = f32[8]{0} fusion(%p)', 'fusion.9'), named(2, 'flag 3'), named(3, 'jit_f(7)')];
  const extra = [line(7, 'Tensor Core Sync Flag', [event(2, 1, 1), event(2, 3, 2)]), line(8, 'Scalar Unit', [event(2, 2, 1)]), line(9, 'an unknown line', [event(2, 5, 1)])];
  return Buffer.concat([
    plane('/device:TPU:10', ops(1), ...whole),
    plane('/device:TPU:2', line(2, 'XLA Modules', [event(3, 0, 10)]), ops(1), ...extra, ...whole),
    plane('/device:TPU:2 SparseCore 1', line(1, 'Sparse Core Ops', [event(1, 0, 3)]), ...whole),
    plane('/host:CPU', line(5, 'main', [event(1, 0, 10)]), line(6, 'never used', []), named(1, 'work')),
    field(2, 'TPU:3 did not answer'),
  ]);
}

/** Two streams; kernels that say their operation. */
function gpuProfile() {
  const kernel = (at) => event(1, at, 2, text(1, 'jit_step'), text(2, 'fusion.4'), text(3, 'layer/mlp/dot_general:MatMul'), text(4, 'regs:32'));
  return plane(
    '/device:GPU:0',
    line(20, 'Stream #20(Compute,MemcpyD2D)', [kernel(0), kernel(3), kernel(6)]),
    line(7, 'Stream #7(MemcpyH2D)', [event(2, 1, 1)]),
    named(1, 'gemm_kernel'),
    named(2, 'MemcpyH2D'),
    statNamed(1, 'hlo_module'),
    statNamed(2, 'hlo_op'),
    statNamed(3, 'tf_op'),
    statNamed(4, 'kernel_details'),
  );
}

/** Four threads that mark 40,000 steps each, every 10 us: on three of them 5 us long, on the last 1 ns. */
function stepsProfile() {
  const thread = (k) => line(700 + k, 'python', Array.from({ length: 40000 }, (_, i) =>
    field(4, [number(1, 1), number(2, i * 10e6), number(3, k < 3 ? 5e6 : 1000), field(4, [number(1, 1), number(4, 1)]), field(4, [number(1, 2), number(4, k * 40000 + i)])])));
  return plane('/host:CPU', ...[0, 1, 2, 3].map(thread), named(1, 'train'), statNamed(1, '_r'), statNamed(2, 'step_num'));
}

/** A thread sixteen deep: seven events over the whole time, then nine of a few microseconds inside each other. */
function deepProfile() {
  const outer = Array.from({ length: 7 }, () => event(1, 0, 10));
  const dots = Array.from({ length: 9 }, (_, k) => event(1, 5, (9 - k) / 1000));
  return plane('/host:CPU', line(5, 'main', [...outer, ...dots]), named(1, 'work'));
}

let server;
let own;
let run;
before(async () => {
  const root = makeLogdir({});
  putFile(root, 'tpu/plugins/profile/t/host.xplane.pb', tpuProfile());
  putFile(root, 'gpu/plugins/profile/g/host.xplane.pb', gpuProfile());
  putFile(root, 'steps/plugins/profile/s/host.xplane.pb', stepsProfile());
  putFile(root, 'deep/plugins/profile/d/host.xplane.pb', deepProfile());
  server = await serve(root);
  if (!real) return;
  own = await serve(real);
  run = (await own.api('runs')).id[0];
});
after(async () => {
  await quit();
  await server?.stop();
  await own?.stop();
});

const at = (name, view = {}) => `#${new URLSearchParams({ run: name, tool: 'trace', ...view })}`;

/** What the tip says at each name, from the top to the end of the rows: [title, line, ...]. */
async function names(page) {
  const box = await overCanvas(page).boundingBox();
  const rows = await page.locator('.trace .t-rows .t-space').evaluate((space) => space.getBoundingClientRect().bottom);
  const out = [];
  for (let y = 4; y < Math.min(box.height, rows - box.y) - 2; y += 9) {
    await page.mouse.move(box.x + 60, box.y + y);
    // In one question, when the frame after the move is painted.
    const said = await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => {
      const tip = document.querySelector('.t-tip');
      resolve(tip && [...tip.querySelectorAll(':scope > div')].map((line) => line.innerText.trim()));
    }))));
    if (said && said.join() !== out[out.length - 1]?.join()) out.push(said);
  }
  return out;
}
const titles = async (page) => (await names(page)).map(([title]) => title);

test('sections: chips by number, a SparseCore below its chip, the host last; the time axis starts at the first event', async () => {
  await withPage(server.url, { hash: at('tpu/t', { open: 'none' }) }, async (page) => {
    await drawn(page);
    await becomes(() => titles(page), ['/device:TPU:2', '/device:TPU:2 SparseCore 1', '/device:TPU:10', '/host:CPU'], 'sections');
    assert.match(await rulerOf(page).getAttribute('aria-label'), /^Time axis, 0\.0+ \u2013 10\.0+ ms/);
  });
});

test('unknown lines, sync flags and the scalar unit are ordinary rows; a thread without events has no row', async () => {
  await withPage(server.url, { ...TALL, hash: at('tpu/t', { open: '0-3' }) }, async (page) => {
    await drawn(page);
    const said = await names(page);
    const of = (title) => said.find(([t]) => t === title) ?? [];
    assert.match(of('Tensor Core Sync Flag').join(), /2 events, busy 3\.000 ms.*measured: as in the file/);
    assert.match(of('Scalar Unit').join(), /1 events?, busy 1\.000 ms.*measured/);
    assert.match(of('an unknown line').join(), /1 events?, busy 1\.000 ms.*measured/);
    assert.match(of('Sparse Core Ops').join(), /1 events?, busy 3\.000 ms/);
    assert.deepEqual(of('never used'), []);
    // No row for what the file does not have.
    assert.deepEqual(said.filter(([t]) => /TraceMe/.test(t)), []);
  });
});

test('an operation is shown by its display name; the full name is in the details', async () => {
  const rows = await server.api('trace/rows', { run: 'tpu/t' });
  const row = rows.rows.row[rows.rows.kind.indexOf('xla_ops')];
  await withPage(server.url, { hash: at('tpu/t', { top: row }) }, async (page) => {
    await drawn(page);
    await pointAt(page, await xOf(page, 2 * MS, windowOf(page, rows)), yOfPinned());
    await until('the tip', async () => (await tipOf(page).count()) > 0 && /^fusion\.9 4\.000 ms/.test(await read(tipOf(page))));
    await page.mouse.down();
    await page.mouse.up();
    await until('its whole name', async () => (await page.locator('.t-card h2').count()) > 0 && (await page.locator('.t-card h2').getAttribute('title')) === '%fusion.9 = f32[8]{0} fusion(%p)');
  });
});

test('what the profiler could not read is shown above the rows', async () => {
  await withPage(server.url, { hash: at('tpu/t') }, async (page) => {
    await drawn(page);
    await until('the banner', async () => /TPU:3 did not answer/.test(await read(page.locator('body'))));
  });
});

test('GPU: streams by number, named as in the file; derived rows state their source, and that operations are approximate', async () => {
  await withPage(server.url, { ...TALL, hash: at('gpu/g', { open: '0-9' }) }, async (page) => {
    await drawn(page);
    const said = await names(page);
    const list = said.map(([t]) => t);
    assert.deepEqual(list.filter((t) => t.startsWith('Stream')), ['Stream #7(MemcpyH2D)', 'Stream #20(Compute,MemcpyD2D)']);
    for (const kind of ['XLA Modules', 'XLA Ops', 'Framework Name Scope', 'Framework Ops']) {
      const row = said.find(([t]) => t.startsWith(`${kind} - from #20`)) ?? [];
      assert.match(row.join(), /derived: From the stats of the kernels of one stream/, kind);
      assert.equal(/Approximate/.test(row.join()), kind === 'XLA Ops', kind);
    }
    // Rows without data are not there: no source lines, no TraceMe.
    assert.deepEqual(list.filter((t) => /TraceMe|Source/.test(t)), []);
  });
});

test('each tool has its cursor; a click on empty space clears the selection', async () => {
  const rows = await server.api('trace/rows', { run: 'tpu/t' });
  const row = rows.rows.row[rows.rows.kind.indexOf('xla_ops')];
  const { hits } = await server.api('trace/search', { run: 'tpu/t', q: 'fusion', rows: row, limit: 1 });
  await withPage(server.url, { hash: at('tpu/t', { top: row, ev: hits.event[0] }) }, async (page) => {
    await drawn(page);
    const empty = await xOf(page, 5 * MS, windowOf(page, rows));
    await pointAt(page, empty, yOfPinned());
    const cursor = () => overCanvas(page).evaluate((e) => e.style.cursor);
    for (const [key, shape] of [['2', 'grab'], ['3', 'zoom-in'], ['4', 'ew-resize'], ['1', 'crosshair']]) {
      await page.keyboard.press(key);
      await until(`${shape} for ${key}`, async () => (await cursor()) === shape);
    }
    await pointAt(page, await xOf(page, 2 * MS, windowOf(page, rows)), yOfPinned());
    await until('a hand on an event', async () => (await cursor()) === 'pointer');
    await page.mouse.click((await overCanvas(page).boundingBox()).x + empty, (await overCanvas(page).boundingBox()).y + yOfPinned());
    await inAddress(page, { ev: null });
  });
});

test('measure: a drag from near one end of an event to near the other reads its exact duration', async () => {
  const rows = await server.api('trace/rows', { run: 'tpu/t' });
  const row = rows.rows.row[rows.rows.kind.indexOf('xla_ops')];
  const window = { t0: Math.round(-0.1 * MS), t1: Math.round(5.03 * MS) };
  await withPage(server.url, { hash: at('tpu/t', { ...window, top: row }) }, async (page) => {
    await drawn(page);
    const shown = { from: Number(viewOf(page).t0 ?? window.t0), to: Number(viewOf(page).t1 ?? window.t1) };
    const [x0, x1] = [await xOf(page, 0, shown), await xOf(page, 4 * MS, shown)];
    await page.keyboard.press('4');
    await pointAt(page, x0 + 3, yOfPinned());
    await page.mouse.down();
    await pointAt(page, (x0 + x1) / 2, yOfPinned());
    await pointAt(page, x1 - 3, yOfPinned());
    await page.mouse.up();
    await inAddress(page, { r0: '0', r1: String(4 * MS) });
  });
});

test('the old boxes stay until sharper ones arrive', async () => {
  await withPage(server.url, { hash: at('tpu/t') }, async (page) => {
    await drawn(page);
    let let_go = () => {};
    const held = new Promise((resolve) => { let_go = resolve; });
    await page.route('**/trace/window?*', async (route) => {
      await held;
      await route.continue();
    });
    const empty = await rowsCanvas(page).evaluate((canvas) => {
      // Pixels of the plot that are no white: boxes.
      const { data } = canvas.getContext('2d').getImageData(200, 25, canvas.width - 220, 60);
      let n = 0;
      for (let i = 0; i < data.length; i += 4) n += data[i] < 235 ? 1 : 0;
      return n;
    });
    assert.ok(empty > 500);
    await pointAt(page, 500, 60);
    await page.mouse.wheel(0, -2500);
    await until('the line that says so', async () => (await page.locator('.t-load.on').count()) === 1);
    const now = await rowsCanvas(page).evaluate((canvas) => {
      const { data } = canvas.getContext('2d').getImageData(200, 25, canvas.width - 220, 60);
      let n = 0;
      for (let i = 0; i < data.length; i += 4) n += data[i] < 235 ? 1 : 0;
      return n;
    });
    assert.ok(now > 500, `${now} pixels of boxes`);
    let_go();
    await settled(page);
    assert.equal(await page.locator('.t-load.on').count(), 0);
  });
});

test('derived rows of a real chip: name scopes, framework ops, source lines and host transfers state their source', { skip: !real }, async () => {
  await withPage(own.url, { ...TALL, hash: at(run) }, async (page) => {
    await drawn(page);
    const said = await names(page);
    for (const title of ['Framework Name Scope', 'Framework Ops', 'Source code', 'Host Offload', 'Live bytes HBM']) assert.match((said.find(([t]) => t === title) ?? []).join(), /derived: \S.*\S/, title);
    for (const title of ['XLA Modules', 'XLA Ops', 'Async XLA Ops', 'XLA TraceMe']) assert.match((said.find(([t]) => t === title) ?? []).join(), /measured: as in the file/, title);
  });
  // A scope over several operations: what it was made from is said without a number that is not theirs.
  const rows = await own.api('trace/rows', { run });
  const { hits } = await own.api('trace/search', { run, q: 'jit(f)', rows: rows.rows.row[rows.rows.kind.indexOf('name_scope')], limit: 1 });
  await withPage(own.url, { hash: at(run, { ev: hits.event[0] }) }, async (page) => {
    await until('the details', async () => /Derived From the stat tf_op/.test(await read(page.locator('.t-identity'))));
    assert.doesNotMatch(await read(page.locator('.t-identity')), /\(\d+ events\)/);
  });
});

test('an execution of a program links to Graph and Memory, and Back returns to the same window', { skip: !real }, async () => {
  const rows = await own.api('trace/rows', { run });
  const row = rows.rows.row[rows.rows.kind.indexOf('xla_modules')];
  const { hits } = await own.api('trace/search', { run, q: 'jit_f', rows: row, limit: 3 });
  const window = { t0: hits.start_ps[2] - MS, t1: hits.start_ps[2] + hits.duration_ps[2] + MS };
  const { links } = await own.api('trace/event', { run, event: hits.event[2] });
  await withPage(own.url, { hash: at(run, { ...window, ev: hits.event[2] }) }, async (page) => {
    await drawn(page);
    for (const tool of ['Memory', 'Graph']) {
      await page.locator('.t-links').getByRole('link', { name: tool }).click();
      await inAddress(page, { tool: tool.toLowerCase(), module: links.module });
      await page.goBack();
      await inAddress(page, { tool: 'trace', t0: String(window.t0), t1: String(window.t1), ev: String(hits.event[2]) });
      await drawn(page);
    }
  });
});

test('idle gaps: from the line of a chip, by key and from the palette; an opened gap becomes the selected range', async () => {
  const gaps = await server.api('trace/gaps', { run: 'tpu/t' });
  await withPage(server.url, { hash: at('tpu/t') }, async (page) => {
    await drawn(page);
    const box = await overCanvas(page).boundingBox();
    // The first head is that of an open chip: its line lists the gaps, and does not fold it.
    await page.mouse.click(box.x + 230, box.y + 10);
    await inAddress(page, { tt: 'gaps', open: null });
    assert.match(viewOf(page).gof ?? '', /^p\d+$/);
    await page.getByLabel('gaps of').selectOption('');
    const rowsOf = page.locator('.t-gaps .vt-row');
    await until('all gaps', async () => (await rowsOf.count()) === gaps.n);
    const first = await read(rowsOf.first());
    assert.ok(first.includes(gaps.before_name[0] || 'the trace begins') && first.includes(gaps.after_name[0] || 'the trace ends'), first);
    await rowsOf.first().click();
    await inAddress(page, { r0: String(gaps.start_ps[0]), r1: String(gaps.start_ps[0] + gaps.duration_ps[0]), tt: 'gaps' });
    await page.keyboard.press('Escape');
    await inAddress(page, { r0: null });
    await page.getByRole('tab', { name: /^Details/ }).click();
    await inAddress(page, { tt: null });
    await page.keyboard.press('g');
    await inAddress(page, { tt: 'gaps' });
    await page.getByRole('tab', { name: /^Details/ }).click();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('idle');
    await page.getByRole('option', { name: /idle gaps/ }).first().click();
    await inAddress(page, { tt: 'gaps' });
  });
});

test('a row of sixteen depths: levels of dots share a strip, a click beside it opens all', async () => {
  await withPage(server.url, { size: { width: 1366, height: 900 }, hash: at('deep/d', { top: '0' }) }, async (page) => {
    await drawn(page);
    await pointAt(page, 100, yOfPinned());
    await until('what the strip is', async () => (await tipOf(page).innerText()).includes('9 deeper levels share the strip'));
    const box = await overCanvas(page).boundingBox();
    await page.mouse.click(box.x + 60, box.y + yOfPinned(1));
    await inAddress(page, { h: '0.2' });
    await pointAt(page, 100, yOfPinned());
    await until('a lane for each', async () => /measured/.test(await tipOf(page).innerText()) && !(await tipOf(page).innerText()).includes('deeper'));
  });
});

test('160,000 steps on four threads: one thread at a time, by name and number; the ruler shows all steps at any zoom', async () => {
  const label = (page) => rulerOf(page).getAttribute('aria-label');
  // The marks that the page asks for, with how many steps they stand for.
  const asked = [];
  const stepsOf = async (address) => {
    const { marks } = await (await fetch(address)).json();
    return marks.count.reduce((n, k) => n + k, 0);
  };
  await withPage(server.url, { size: { width: 1366, height: 900 }, hash: at('steps/s', { tt: 'steps' }) }, async (page) => {
    page.on('response', (response) => {
      if (response.url().includes('trace/steps') && response.url().includes('px=')) asked.push(response.url());
    });
    await drawn(page);
    await until('the first thread', async () => /40,000 steps of python 700$/.test(await label(page)));
    const panel = page.locator('.t-fill');
    await until('which of them', async () => (await panel.innerText()).includes('20,000 of 40,000 steps, the first 20,000 around the window'));
    assert.match(await panel.innerText(), /the table and the ruler show one of 4 threads with 160,000 steps/);
    assert.equal(await page.locator('select[aria-label="steps of"] option').count(), 4);
    await page.locator('select[aria-label="steps of"]').selectOption({ label: 'python 703, 40,000 steps' });
    await inAddress(page, { chipof: '0.3' });
    await until('the last thread', async () => /40,000 steps of python 703$/.test(await label(page)));
    await until('its name in the table', async () => (await page.locator('[role="grid"][aria-label="steps"], table[aria-label="steps"], [aria-label="steps"]').first().innerText()).includes('python 703'));
    await until('all steps of it in marks', async () => (await Promise.all(asked.map(stepsOf))).includes(40000));
    // The buttons name what is in the window, also beyond the first 20,000.
    await until('first and last', async () => /steps 120000 \u2013 159999/.test(await page.locator('.t-steps').innerText()));
  });
  await withPage(server.url, { hash: at('steps/s', { tt: 'steps', chipof: '0.2', t0: 399_950_000_000, t1: 399_980_000_000 }) }, async (page) => {
    await drawn(page);
    await until('steps at the end', async () => /steps 11999\d \u2013 11999\d/.test(await page.locator('.t-steps').innerText()));
    await until('those of the table', async () => /of 40,000 steps, those around the window/.test(await page.locator('.t-fill').innerText()));
    const box = await rulerOf(page).boundingBox();
    // 119996 is drawn by itself: a click takes it.
    await page.mouse.click(box.x + (await xOf(page, 399_962_500_000, { from: 399_950_000_000, to: 399_980_000_000 })), box.y + 45);
    await inAddress(page, { r0: '399960000000', r1: '399965000000' });
  });
});
