// The Memory Viewer's x axis, repeated layers folded, and the edge between charts and tabs.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test, { after, before } from 'node:test';

import { becomes, coloured, eachLook, inAddress, isDrawn, makeLogdir, mib, pictureOf, quit, read, serve, testdata, until, viewOf, withPage } from './lib.mjs';
import { chartOf, drawn, hoverOf, mapOf, pointAt, windowOf } from './memory.mjs';

const LAYERS = { run: 'layers/aot' };
const MLP = { run: 'mlp/run0' };
const LEFT = 66;
const RIGHT = 14;

let server;
before(async () => {
  server = await serve(
    makeLogdir({ layers: join(testdata, 'tpu_scan_layers/logdir'), mlp: join(testdata, 'cpu_mlp_train/logdir') }),
  );
});
after(async () => {
  await quit();
  await server?.stop();
});

const hash = (view) => `#${new URLSearchParams({ tool: 'memory', ...view })}`;
const axisOf = (page) => page.getByLabel('x axis');

/** Places of every step, and of the end: asked for so finely that each step is a column. */
async function placesOf(run, axis = 'instruction') {
  const steps = (await server.api('memory/summary', run)).steps;
  const places = [];
  for (let step = 0; step < steps; step++) {
    const one = await server.api('memory/curve', { ...run, axis, from: step, to: step + 1, px: 1 });
    places.push(one.x[0]);
    if (step === steps - 1) places.push(one.x_end);
  }
  return places;
}

/** Pixels from the canvas's left at which the middle of a step lies when all is shown. */
function middleOf(places, step, width) {
  const [first, last] = [places[0], places.at(-1)];
  return LEFT + (((places[step] + places[step + 1]) / 2 - first) / (last - first)) * (width - LEFT - RIGHT);
}

eachLook('x axis: instructions, with the same maximum; one scale for chart, map and minimap', async (look) => {
  const s = await server.api('memory/summary', LAYERS);
  const places = await placesOf(LAYERS);
  for (let k = 1; k < places.length; k++) assert.ok(places[k] >= places[k - 1], 'places never fall');
  const highest = async (axis) => Math.max(...(await server.api('memory/curve', { ...LAYERS, axis })).max_bytes);
  assert.equal(await highest('instruction'), await highest(null));
  assert.equal(await highest('time'), await highest(null));
  await withPage(server.url, { ...look, hash: hash(LAYERS) }, async (page) => {
    await drawn(page);
    const chart = chartOf(page);
    await until('the picture', () => isDrawn(chart));
    const events = await pictureOf(chart);
    await axisOf(page).selectOption('instruction');
    await inAddress(page, { axis: 'instruction' });
    await until('another picture', async () => (await pictureOf(chart)) !== events);
    const width = (await chart.boundingBox()).width;
    const x = middleOf(places, s.peak.step, width);
    await until('the peak at its instruction', async () => (await coloured(chart, '--peak', x)).length > 0);
    assert.match(await chart.getAttribute('aria-label'), new RegExp(`peak ${mib(s.peak.held_bytes)}`));
    // A click at a place inspects the step that lies there.
    const wide = places.map((at, k) => [places[k + 1] - at, k]).filter(([w]) => w > 8).map(([, k]) => k);
    assert.ok(wide.length > 2, 'steps that are wide enough to point at');
    for (const step of [wide[0], wide.at(-1)]) {
      await pointAt(page, chart, { x: middleOf(places, step, width), y: 60 });
      await becomes(async () => (await read(hoverOf(page))).split(' %')[0], `step ${step}`);
      await page.mouse.down();
      await page.mouse.up();
      await inAddress(page, { step: String(step) });
    }
    // The wheel keeps the place under the pointer.
    const at = wide[Math.floor(wide.length / 2)];
    const place = { x: middleOf(places, at, width), y: 60 };
    await pointAt(page, chart, place);
    await page.mouse.wheel(0, -400);
    await until('a narrower window', async () => viewOf(page).from !== undefined);
    await pointAt(page, chart, { ...place, y: 62 });
    await becomes(async () => (await read(hoverOf(page))).split(' %')[0], `step ${at}`);
    const window = await windowOf(page);
    assert.ok(window.to - window.from < s.steps);
    await page.reload();
    await drawn(page);
    assert.equal(await axisOf(page).inputValue(), 'instruction');
    assert.deepEqual(await windowOf(page), window);
    await page.keyboard.press('0');
    await inAddress(page, { from: null });
    await axisOf(page).selectOption('event');
    await inAddress(page, { axis: null });
  });
});

eachLook('x axis: measured time', async (look) => {
  const times = await server.api('graph/times', MLP);
  const curve = await server.api('memory/curve', { ...MLP, axis: 'time', px: 8192 });
  assert.equal(curve.axis, 'time');
  assert.equal(curve.unit, 'ns');
  assert.equal(curve.measured, times.n);
  assert.ok(times.n > 10 && times.n < curve.scheduled);
  // The end: the mean self times of all instructions, each once.
  const end = times.self_ps.reduce((sum, ps, k) => sum + ps / times.count[k] / 1000, 0);
  assert.ok(Math.abs(curve.x_end - end) < 0.01, `${curve.x_end} is not ${end}`);
  // Steps of one instruction share its time: behind them lies the next instruction that allocates.
  const steps = await server.api('memory/steps', MLP);
  const places = await placesOf(MLP, 'time');
  assert.equal(curve.moved, 0);
  const of = new Map(times.name.map((name, k) => [name, times.self_ps[k] / times.count[k] / 1000]));
  let widths = 0;
  for (let step = 0; step + 1 < steps.n; step++) {
    const running = steps.names[steps.running[step]];
    if (running !== steps.names[steps.running[step + 1]] || !of.get(running)) continue;
    const share = steps.running.filter((name) => name === steps.running[step]).length;
    const width = places[step + 1] - places[step];
    assert.ok(Math.abs(width - of.get(running) / share) < 0.01, `step ${step}: ${width} of ${of.get(running)}`);
    widths++;
  }
  assert.ok(widths > 5, `${widths} widths`);
  await withPage(server.url, { ...look, hash: hash(MLP) }, async (page) => {
    await drawn(page);
    const chart = chartOf(page);
    await until('the picture', () => isDrawn(chart));
    const events = await pictureOf(chart);
    await axisOf(page).selectOption('time');
    await inAddress(page, { axis: 'time' });
    await until('another picture', async () => (await pictureOf(chart)) !== events);
    await becomes(() => axisOf(page).inputValue(), 'time');
    const says = new RegExp(`host clock.*${times.n} of `);
    await until('what the time is of', async () => says.test(await axisOf(page).locator('..').getAttribute('title')));
  });
});

eachLook('x axis: an axis that a module does not have is greyed with the reason', async (look) => {
  const { axes } = await server.api('memory/curve', LAYERS);
  assert.equal(axes.instruction, null);
  assert.ok(axes.time);
  await withPage(server.url, { ...look, hash: hash({ ...LAYERS, axis: 'time' }) }, async (page) => {
    await drawn(page);
    const time = axisOf(page).locator('option[value=time]');
    await becomes(() => time.evaluate((option) => option.disabled), true);
    assert.equal(await time.textContent(), `measured time: ${axes.time}`);
    assert.equal(await axisOf(page).inputValue(), 'event', 'what is shown');
    assert.match(await axisOf(page).locator('..').getAttribute('title'), /^showing heap events: /);
  });
});

eachLook('By scope: repeated layers are one, can be opened, and narrow the page', async (look) => {
  const folded = await server.api('memory/tree', { ...MLP, fold: 'numbers' });
  const row = folded.repeats.findIndex((count) => count > 1);
  const path = [];
  for (let k = row; k > 0; k = folded.parent[k]) path.unshift(folded.names[folded.name[k]]);
  const scope = path.join('/');
  const matched = (await server.api('memory/buffers', { ...MLP, scope })).matched_bytes;
  // The sum by hand: the parts of the same path with a number in the pattern's place.
  const plain = await server.api('memory/tree', { ...MLP });
  const paths = plain.name.map(() => '');
  let sum = 0;
  for (let k = 1; k < plain.n; k++) {
    paths[k] = `${paths[plain.parent[k]]}${plain.parent[k] ? '/' : ''}${plain.names[plain.name[k]]}`;
    if (paths[k].replace(/\d+$/, '*') === scope && paths[k] !== scope) sum += plain.size_bytes[k];
  }
  assert.equal(folded.size_bytes[row], sum);
  assert.equal(folded.size_bytes[0], plain.size_bytes[0]);
  await withPage(server.url, { ...look, hash: hash({ ...MLP, tab: 'scope', table: 1 }) }, async (page) => {
    await drawn(page);
    const tab = page.locator('.m-scope');
    const title = `${path.at(-1)} \u00d7 ${folded.repeats[row]}`;
    const found = tab.getByText(title, { exact: true }).first();
    await found.waitFor();
    const fold = tab.getByRole('button', { name: 'fold layers' });
    assert.equal(await fold.getAttribute('aria-pressed'), 'true');
    await fold.click();
    await inAddress(page, { layers: 'each' });
    await until('each by itself', async () => (await tab.getByText(title, { exact: true }).count()) === 0);
    await fold.click();
    await inAddress(page, { layers: null });
    await found.click();
    await inAddress(page, { scope });
    await until('the chip', async () => (await page.locator('.m-chip').allInnerTexts()).some((text) => text.includes(path.at(-1))));
    assert.ok(matched > 0);
  });
});

eachLook('splitter: what is kept is the height that was reached', async (look) => {
  await withPage(server.url, { ...look, hash: hash(LAYERS) }, async (page) => {
    await drawn(page);
    const high = async () => Math.round((await page.locator('.m-charts').boundingBox()).height);
    const split = await page.locator('.m-split').boundingBox();
    await page.mouse.move(split.x + 200, split.y + split.height / 2);
    await page.mouse.down();
    await page.mouse.move(split.x + 200, 766);
    await page.mouse.up();
    const reached = await high();
    const kept = await page.evaluate(() => Number(localStorage.getItem('xprofd.memory.split')));
    assert.ok(Math.abs(kept - reached) <= 1, `kept ${kept}, reached ${reached}`);
    assert.ok((await mapOf(page).boundingBox()).height > 100);
  });
});

eachLook('lines of text have no stray gaps', async (look) => {
  await withPage(server.url, { ...look, hash: hash({ ...LAYERS, tab: 'buffers' }) }, async (page) => {
    await drawn(page);
    await page.locator('.m-table input[type=checkbox]').first().check();
    const line = page.locator('.m-whatif > span').first();
    await until('the answer', async () => /peak/.test(await line.innerText()));
    assert.match(await read(line), /^without this one: peak [\d,.]+ MiB \((\u2212[\d,.]+|no change)\) at step [\d,]+$/);
    assert.match(await read(page.locator('.m-total > span').first()), /^[\d,]+ buffers, [\d,.]+ MiB(; [\d,]+ folded)?$/);
  });
});

test('an address without a run: what it says besides stays when the only run opens; the x axis is not cut at 1366', async () => {
  const alone = await serve(join(testdata, 'cpu_mlp_train/logdir'));
  try {
    await withPage(alone.url, { size: { width: 1366, height: 768 }, hash: '#tool=memory&hbm=16GiB&axis=time' }, async (page) => {
      await drawn(page);
      await inAddress(page, { run: 'run0', hbm: '16GiB', axis: 'time' });
      await until('the capacity', async () => (await read(page.locator('.m-peak'))).includes('of 16,384 MiB'));
      const room = await axisOf(page).evaluate((select) => {
        const has = select.clientWidth;
        select.style.maxWidth = 'none';
        return select.clientWidth - has;
      });
      assert.ok(room <= 0, `cut by ${room} px`);
    });
  } finally {
    await alone.stop();
  }
});
