// The Memory Viewer above its tabs: headline, step chart, scope strip, address map, minimap, mouse and keys.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';

import { becomes, coloured, copiesLink, eachLook, exact, gib, inAddress, inUnit, isDrawn, lookName, makeLogdir, mib, pictureOf, quit, read, serve, settled, sharedLogdir, shoot, testdata, until, viewOf, withPage } from './lib.mjs';
import { chartOf, drag, drawn, hoverOf, liveAt, mapOf, miniOf, own, peakLine, placeOf, pointAt, ready, stripOf, windowIs, windowLeaves, windowNear, windowOf, xOf } from './memory.mjs';

const DEMO = { run: 'demo/aot' };
const LAYERS = { run: 'layers/aot' };
const STEPS = 176;
const WHOLE = { from: 0, to: STEPS };

let server;
before(async () => {
  server = await serve(
    makeLogdir({
      demo: join(testdata, 'tpu_padded_demo/logdir'),
      text: join(testdata, 'cpu_text/jax_0.10.2'),
      layers: join(testdata, 'tpu_scan_layers/logdir'),
      mlp: join(testdata, 'cpu_mlp_train/logdir'),
      oom: join(testdata, 'tpu_padded_oom/xla_dump'),
      shard: join(testdata, 'cpu_sharded8/logdir'),
    }),
  );
});
after(async () => {
  await quit();
  await server?.stop();
});

const hash = (view) => `#${new URLSearchParams({ tool: 'memory', ...view })}`;

eachLook('headline: peak, place, sentence, bar and legend, against the API and XLA itself', async (look) => {
  const xla = (name) => JSON.parse(readFileSync(join(testdata, name, 'aot.json'), 'utf8')).memory_analysis;
  await withPage(server.url, look, async (page) => {
    for (const [run, peak, of, at] of [
      [DEMO.run, '591.6 MiB', null, 'at step 7 of 10, %pad.2'],
      [LAYERS.run, '6,616.1 MiB', null, 'at step 105 of 176, %fusion.349'],
      ['mlp/run0', '8.8 MiB', null, /^at step 47 of 54, %/],
      ['oom', '22.90 GiB', null, /^at step \d+ of 24, %/],
    ]) {
      const s = await server.api('memory/summary', { run });
      const unit = s.peak.held_bytes >= 10 * 2 ** 30 ? 'GiB' : 'MiB';
      await page.goto(`${server.url}#run=${run}&tool=memory`);
      await becomes(async () => (await peakLine(page).count()) && read(peakLine(page)), `Peak ${peak}`, run);
      assert.equal(peak, `${inUnit(s.peak.held_bytes, unit)} ${unit}`);
      assert.equal(await page.locator('.m-peak-of').count(), of ? 1 : 0, 'capacity unknown: no ratio');
      const place = await read(page.locator('.m-peak-at'));
      if (typeof at === 'string') assert.equal(place, at);
      else assert.match(place, at);
      assert.ok(place.includes(`step ${s.peak.step} of ${s.steps}`) && place.endsWith(`%${s.peak.instruction}`));
      assert.ok((await page.locator('.m-peak').getAttribute('title')).startsWith(`peak ${exact(s.peak.held_bytes)}`));
      const sentence = s.largest.sentence.map((part) => part.text).join('');
      assert.equal(await read(page.locator('.m-sentence')), `${sentence}${s.largest.advice ? `. ${s.largest.advice}` : '.'}`);
      // Bar: widths are bytes; what is in it makes up what is set aside.
      const parts = { param: s.split.argument_bytes, output: s.split.output_bytes, const: s.split.constant_bytes, temp: s.split.temp_bytes, frag: s.split.fragmentation_bytes };
      const whole = Object.values(parts).reduce((a, b) => a + b, 0);
      assert.equal(whole, s.reserved_bytes);
      const box = await page.locator('.m-bar').boundingBox();
      for (const [id, bytes] of Object.entries(parts)) {
        const segment = page.locator(`.m-bar .m-seg-${id}`);
        assert.equal(await segment.count(), bytes > 0 ? 1 : 0, id);
        if (bytes === 0) continue;
        const { width } = await segment.boundingBox();
        assert.ok(Math.abs(width - (bytes / whole) * box.width) < 2.5, `${run} ${id}: ${width} px for ${bytes} of ${whole}`);
        assert.ok((await segment.getAttribute('title')).includes(exact(bytes)), id);
      }
      // Legend: each class with its number, those without bytes too.
      const legend = await read(page.locator('.m-head-legend'));
      for (const [word, bytes] of [['Arguments', parts.param], ['Outputs', parts.output], ['Constants', parts.const], ['Temporaries', parts.temp], ['Fragmentation', parts.frag]]) {
        assert.ok(legend.includes(`${word} ${inUnit(bytes, unit)}`), `${word} ${inUnit(bytes, unit)} in: ${legend}`);
      }
      assert.match(legend, /capacity unknown, set it/);
      const badges = await read(page.locator('.m-badges'));
      assert.match(badges, new RegExp(`from the compiler, not measured.*${s.platform.toUpperCase()}`));
      await shoot(page, `memory-${run}-${lookName(look)}`);
    }
    // The other counts of the same memory, against what XLA wrote beside the capture.
    for (const [name, view] of [['tpu_padded_demo', DEMO], ['tpu_scan_layers', LAYERS]]) {
      await page.goto(`${server.url}${hash(view)}`);
      await ready(page);
      const s = await server.api('memory/summary', view);
      const m = xla(name);
      assert.equal(s.peak.held_bytes, m.peak_memory_in_bytes);
      await page.getByRole('button', { name: 'XProf, JAX …' }).click();
      const lines = await page.locator('.m-numbers tr').evaluateAll((all) => all.map((tr) => [tr.cells[0].textContent.trim(), tr.cells[1]?.title]));
      const titles = new Map(lines);
      for (const key of ['argument_size_in_bytes', 'output_size_in_bytes', 'alias_size_in_bytes', 'temp_size_in_bytes', 'peak_memory_in_bytes']) assert.equal(titles.get(key), exact(m[key]), `${name} ${key}`);
      assert.equal(titles.get('Peak memory allocation'), exact(s.xprof.peak_bytes));
      assert.match(await read(page.locator('.m-differs')), /unpadded peak/);
      await page.keyboard.press('Escape');
      await becomes(() => page.locator('.m-numbers').count(), 0);
    }
  });
});

eachLook('unit: GiB from 10 GiB on, MiB when asked for', async (look) => {
  await withPage(server.url, { ...look, hash: '#run=oom' }, async (page) => {
    await ready(page);
    await becomes(() => read(peakLine(page)), 'Peak 22.90 GiB');
    await page.getByRole('button', { name: /show MiB/ }).click();
    await inAddress(page, { unit: 'mib' });
    await becomes(() => read(peakLine(page)), 'Peak 23,451.3 MiB');
    await page.getByRole('button', { name: /show GiB/ }).click();
    await becomes(() => read(peakLine(page)), 'Peak 22.90 GiB');
  });
});

eachLook('chart: drawn, legend, hover box, click inspects', async (look) => {
  const s = await server.api('memory/summary', DEMO);
  const curve = await server.api('memory/curve', { ...DEMO, px: 1000 });
  const steps = await server.api('memory/steps', DEMO);
  const name = (at) => steps.names[at];
  await withPage(server.url, { ...look, hash: hash(DEMO) }, async (page) => {
    await drawn(page);
    const chart = chartOf(page);
    const window = { from: 0, to: s.steps };
    await until('the picture', () => isDrawn(chart));
    // The peak's dot stands over its step at the height of its bytes: the axis ends 6 % above what is set aside.
    const box = await chart.boundingBox();
    const y = box.height - 4 - (s.peak.held_bytes / (s.reserved_bytes * 1.06)) * (box.height - 4 - 16);
    const dot = await coloured(chart, '--peak', xOf(box, s.peak.step + 0.5, window));
    assert.ok(dot.length && dot.every((at) => Math.abs(at - y) < 6), `dot at ${dot}, should be at ${y}`);
    const legend = page.locator('.m-chart .m-legend');
    const at = (step) => `live ${inUnit(liveAt(curve, step), 'MiB')}`;
    assert.match(await read(legend), new RegExp(`^HBM in program order MiB ${at(7)} reserved 591.8 without padding 40.5 always there 200.9`));
    // What a person reads at each kind of step.
    for (const step of [0, 1, 4, 7, 9]) {
      await pointAt(page, chart, await placeOf(chart, step, window));
      const freed = steps.kind[step] === 1;
      const what = freed
        ? `freed %${name(steps.buffer_name[step])} (${own(steps.size_bytes[step])}) after %${name(steps.running[step])}`
        : `allocates ${own(steps.size_bytes[step])}, freed at step ${steps.other_step[step]}`;
      const live = liveAt(curve, step);
      const below = s.peak.held_bytes - live;
      const wanted = `step ${step} %${name(steps.running[step])} (${name(steps.opcode[step])}) ${what} live ${mib(live)}${below ? `, ${inUnit(below, 'MiB')} below the peak` : ', the peak'}`;
      await becomes(() => read(hoverOf(page)), wanted, `hover at ${step}`);
      const hover = await hoverOf(page).boundingBox();
      assert.ok(hover.x >= 0 && hover.x + hover.width <= look.size.width && hover.y + hover.height <= look.size.height, 'the box stays inside');
    }
    await becomes(() => read(hoverOf(page)), 'step 9 %pad.2 (pad) freed %pad.2 (195.4 MiB) after %pad.2 live 200.9 MiB, 390.7 below the peak');
    // Click: crosshair, legend, tab, address.
    await chart.click({ position: await placeOf(chart, 4, window) });
    await page.mouse.move(3, 3);
    await inAddress(page, { step: '4', tab: 'step' });
    await becomes(async () => (await read(legend)).includes(at(4)), true, 'legend at 4');
    assert.match(await read(page.getByRole('tab', { name: /^At step/ })), /^At step 4$/);
    const dashes = (await coloured(chart, '--cursor', Math.round(xOf(box, 4.5, window)))).length;
    assert.ok(dashes > box.height * 0.3, `crosshair of ${dashes} px in ${box.height}`);
    assert.ok((await coloured(mapOf(page), '--cursor', Math.round(xOf(box, 4.5, window)))).length > 8, 'one line through both charts');
    await page.getByRole('button', { name: /^Peak/ }).click();
    await inAddress(page, { step: '7' });
    await becomes(async () => (await read(legend)).includes(at(7)), true, 'legend at the peak');
    await page.locator('.m-peak-at .link').click();
    await inAddress(page, { step: '7' });
  });
});

eachLook('mouse: drag selects with totals, shift-drag pans, the wheel zooms at the cursor', async (look) => {
  await withPage(server.url, { ...look, hash: hash(LAYERS) }, async (page) => {
    await drawn(page);
    const chart = chartOf(page);
    const range = await server.api('memory/range', { ...LAYERS, from: 40, to: 121 });
    await drag(page, chart, await placeOf(chart, 40, WHOLE), await placeOf(chart, 120, WHOLE));
    const box = page.locator('.m-range');
    const names = (at) => range.names[at];
    await becomes(() => read(box),
      `steps 40 to 120 highest ${mib(range.max_bytes)} at step ${range.max_step} ${range.allocated.count} allocated, ${mib(range.allocated.size_bytes)} ` +
        `${range.freed.count} freed, ${mib(range.freed.size_bytes)} largest %${names(range.largest.name[0])} ${mib(range.largest.size_bytes[0])} Zoom F clear`);
    assert.equal(viewOf(page).step, undefined, 'a drag is no click');
    await box.getByRole('button', { name: /^highest/ }).click();
    await inAddress(page, { step: String(range.max_step) });
    await box.getByRole('button', { name: /^largest/ }).click();
    await inAddress(page, { pin: String(range.largest.buffer[0]) });
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await becomes(() => box.count(), 0, 'Escape clears');
    await drag(page, chart, await placeOf(chart, 120, WHOLE), await placeOf(chart, 40, WHOLE));
    await becomes(async () => (await read(box)).startsWith('steps 40 to 120'), true, 'dragged to the left');
    await box.getByRole('button', { name: 'clear the range' }).click();
    await becomes(() => box.count(), 0);
    // The same on the map, and F fits.
    const map = mapOf(page);
    await drag(page, map, await placeOf(map, 60, WHOLE, 0.1), await placeOf(map, 99, WHOLE, 0.1));
    await becomes(async () => (await box.count()) && (await read(box)).slice(0, 17), 'steps 60 to 99 hi');
    await page.keyboard.press('f');
    await windowIs(page, 60, 100);
    assert.equal(await box.count(), 0);
    // Shift-drag moves what is under the hand along.
    const w = { from: 60, to: 100 };
    await page.keyboard.down('Shift');
    await drag(page, chart, await placeOf(chart, 70, w), await placeOf(chart, 80, w));
    await page.keyboard.up('Shift');
    await windowNear(page, 50, 90);
    // Wheel: the step under the cursor stays under it; shift-wheel pans.
    const moved = await windowOf(page);
    const place = await placeOf(chart, 80, moved);
    await pointAt(page, chart, place);
    await page.mouse.wheel(0, -300);
    const zoomed = await windowLeaves(page, moved);
    assert.ok(zoomed.to - zoomed.from < 30, JSON.stringify(zoomed));
    assert.ok(Math.abs(xOf(await chart.boundingBox(), 80.5, zoomed) - place.x) < 50, 'zooms at the cursor');
    await page.mouse.wheel(0, 300);
    await windowNear(page, 50, 90, 2);
    const before = await windowOf(page);
    await page.keyboard.down('Shift');
    await page.mouse.wheel(0, 200);
    await page.keyboard.up('Shift');
    const panned = await windowLeaves(page, before);
    assert.ok(panned.from > before.from && Math.abs(panned.to - panned.from - (before.to - before.from)) <= 1, `${JSON.stringify(before)} to ${JSON.stringify(panned)}`);
    await page.keyboard.press('0');
    await windowIs(page, null, null);
    // Double click: a quarter of the window around that place.
    await chart.dblclick({ position: await placeOf(chart, 100, WHOLE) });
    await windowNear(page, 78, 122);
    const quarter = await windowOf(page);
    await page.reload();
    await drawn(page);
    assert.deepEqual(await windowOf(page), quarter);
    await page.getByRole('button', { name: /^Fit/ }).click();
    await windowIs(page, null, null);
  });
});

eachLook('keys: zoom, pan, fit, reset, back, peak, modes, fold the map', async (look) => {
  await withPage(server.url, { ...look, hash: hash(LAYERS) }, async (page) => {
    await drawn(page);
    const around = (from, to, share) => {
      const span = (to - from) * share;
      const middle = (from + to) / 2;
      const first = Math.round(middle - span / 2);
      return [first, first + Math.round(span)];
    };
    await page.keyboard.press('w');
    await windowIs(page, ...around(0, STEPS, 1 / 1.3));
    await page.keyboard.press('s');
    await windowIs(page, null, null);
    await page.keyboard.press('Shift+W');
    const near = around(0, STEPS, 1 / 2.4);
    await windowIs(page, ...near);
    const span = near[1] - near[0];
    await page.keyboard.press('d');
    const moved = Math.round(near[0] + 0.12 * span);
    await windowIs(page, moved, moved + span);
    const right = await windowOf(page);
    await page.keyboard.press('a');
    const left = await windowLeaves(page, right);
    assert.ok(left.from < right.from);
    await page.keyboard.press('Backspace');
    await windowIs(page, right.from, right.to);
    await page.keyboard.press('a');
    await windowIs(page, left.from, left.to);
    await page.keyboard.press('Shift+D');
    const wide = left.to - left.from;
    const far = Math.round(Math.min(left.from + 0.48 * wide, STEPS - wide));
    await windowIs(page, far, far + wide);
    await page.keyboard.press('f');
    await windowIs(page, null, null);
    await page.keyboard.press('Backspace');
    await until('previous range', () => viewOf(page).from !== undefined);
    await page.keyboard.press('z');
    await windowIs(page, null, null);
    // Keys zoom at the pointer.
    await pointAt(page, chartOf(page), await placeOf(chartOf(page), 0, WHOLE));
    await page.keyboard.press('Shift+W');
    const edge = await windowLeaves(page, { ...WHOLE, steps: STEPS });
    assert.equal(edge.from, 0);
    await page.keyboard.press('0');
    await windowIs(page, null, null);
    await page.mouse.move(2, 2);
    await page.goto(`${server.url}${hash({ ...LAYERS, step: 3 })}`);
    await becomes(() => read(page.getByRole('tab', { name: /^At step/ })), 'At step 3');
    await page.keyboard.press('p');
    await inAddress(page, { step: '105', tab: 'step' });
    // What a drag does: Alt+2 pans with a plain drag, Alt+3 zooms, Alt+1 selects again.
    const chart = chartOf(page);
    await page.goto(`${server.url}${hash({ ...LAYERS, from: 50, to: 90 })}`);
    await drawn(page);
    const w = { from: 50, to: 90 };
    await page.keyboard.press('Alt+Digit2');
    await drag(page, chart, await placeOf(chart, 60, w), await placeOf(chart, 70, w));
    await windowNear(page, 40, 80);
    const panned = await windowOf(page);
    assert.equal(await page.locator('.m-range').count(), 0);
    await page.keyboard.press('Alt+Digit3');
    await drag(page, chart, await placeOf(chart, 50, panned), await placeOf(chart, 69, panned));
    await windowNear(page, 50, 70);
    const now = await windowOf(page);
    await page.keyboard.press('Alt+Digit1');
    await drag(page, chart, await placeOf(chart, 55, now), await placeOf(chart, 60, now));
    await becomes(async () => (await page.locator('.m-range').count()) && (await page.locator('.m-range b').innerText()), 'steps 55 to 60');
    // The map folds to its title.
    const high = (await mapOf(page).boundingBox()).height;
    assert.ok(high > 60);
    await page.keyboard.press('Shift+M');
    await until('the map to fold', async () => !(await mapOf(page).isVisible()));
    await page.keyboard.press('Shift+M');
    await until('the map to open', async () => (await mapOf(page).isVisible()) && (await mapOf(page).boundingBox()).height > 60);
    // A key in a field is a letter.
    await page.goto(`${server.url}${hash(LAYERS)}`);
    await page.locator('.m-map-search').fill('');
    await page.locator('.m-map-search').press('w');
    assert.equal(viewOf(page).from, undefined);
  });
});

eachLook('minimap: handles, window, double click', async (look) => {
  await withPage(server.url, { ...look, hash: hash({ ...LAYERS, from: 40, to: 80 }) }, async (page) => {
    await drawn(page);
    const mini = miniOf(page);
    const box = await mini.boundingBox();
    const at = (step) => ({ x: xOf(box, step, WHOLE), y: box.height / 2 });
    assert.ok((await coloured(mini, '--peak', Math.round(xOf(box, 105.5, WHOLE)))).length > 8, 'the red tick of the peak');
    await drag(page, mini, at(80), at(120));
    await until('a wider window', () => Math.abs(Number(viewOf(page).to) - 120) <= 1);
    assert.equal(viewOf(page).from, '40');
    await drag(page, mini, at(40), at(100));
    await until('a window from 100', () => Math.abs(Number(viewOf(page).from) - 100) <= 1);
    const now = await windowOf(page);
    const span = now.to - now.from;
    await drag(page, mini, at((now.from + now.to) / 2), at((now.from + now.to) / 2 - 60));
    await until('the window moved', () => Math.abs(Number(viewOf(page).from) - (now.from - 60)) <= 1);
    assert.ok(Math.abs(Number(viewOf(page).to) - Number(viewOf(page).from) - span) <= 1, 'as wide as before');
    await mini.dblclick({ position: at(50) });
    await windowIs(page, null, null);
  });
});

eachLook('scope strip: landmarks of the program, double click zooms to one', async (look) => {
  await withPage(server.url, { ...look, hash: hash(LAYERS) }, async (page) => {
    await drawn(page);
    const strip = stripOf(page);
    const { width } = await strip.boundingBox();
    const scopes = await server.api('memory/scopes', { ...LAYERS, px: Math.round(width - 80) });
    assert.equal(await strip.getAttribute('aria-label'), `Scopes in view: ${scopes.name.slice(0, 12).map((at) => scopes.names[at]).join(', ')}`);
    await until('the strip', () => isDrawn(strip));
    const backward = scopes.name.findIndex((at) => scopes.names[at] === 'backward while');
    await strip.dblclick({ position: await placeOf(strip, (scopes.from[backward] + scopes.to[backward]) / 2, WHOLE) });
    await windowIs(page, scopes.from[backward], scopes.to[backward]);
    await page.goto(`${server.url}#run=oom`);
    await drawn(page);
  });
});

eachLook('address map: hover, pin, search, colours, full screen', async (look) => {
  const map = await server.api('memory/map', { ...LAYERS, px: 1000, py: 200 });
  const name = (at) => map.names[at];
  const find = (text) => map.name.findIndex((at) => name(at) === text);
  await withPage(server.url, { ...look, hash: hash(LAYERS) }, async (page) => {
    await drawn(page);
    const canvas = mapOf(page);
    assert.equal(await canvas.getAttribute('aria-label'), `Address map: ${map.n} boxes, heap of ${mib(map.heap_bytes)}`);
    /** The middle of a box on the picture. */
    const middle = async (k) => {
      const box = await canvas.boundingBox();
      const share = (map.offset_bytes[k] + map.size_bytes[k] / 2) / map.heap_bytes;
      return { x: xOf(box, (map.start_step[k] + map.end_step[k]) / 2, WHOLE), y: box.height - 2 - share * (box.height - 4) };
    };
    for (const text of ['broadcast_in_dim.84', 'convert.66', 'fusion.214{1}']) {
      const k = find(text);
      await pointAt(page, canvas, await middle(k));
      await becomes(() => read(hoverOf(page)),
        `%${text} ${name(map.shape[k])} ${own(map.size_bytes[k])} at offset ${exact(map.offset_bytes[k])} (0x${map.offset_bytes[k].toString(16)}) steps ${map.start_step[k]} to ${map.end_step[k]}${map.flags[k] & 4 ? ' other values share this storage at the same time' : ''}`);
      await canvas.click({ position: await middle(k) });
      await inAddress(page, { pin: String(map.buffer[k]) });
      await becomes(async () => (await page.locator('.m-card-title code').count()) && read(page.locator('.m-card-title code')), `%${text}`);
    }
    await page.keyboard.press('Escape');
    await inAddress(page, { pin: null });
    // Search: how many, others pale, Enter goes through them.
    const before = await pictureOf(canvas);
    const text = 'convert';
    const hits = new Set();
    for (let k = 0; k < map.n; k++) if ([map.name[k], map.shape[k], map.scope[k]].some((at) => at !== null && name(at).toLowerCase().includes(text))) hits.add(map.buffer[k]);
    const field = page.locator('.m-map-search');
    await field.fill(text);
    await becomes(() => page.locator('.m-map .m-count').allInnerTexts(), [`${hits.size} found`]);
    await until('pale boxes', async () => (await pictureOf(canvas)) !== before);
    await field.press('Enter');
    await inAddress(page, { pin: String([...hits][0]) });
    await field.press('Enter');
    await inAddress(page, { pin: String([...hits][1]) });
    await field.press('Shift+Enter');
    await inAddress(page, { pin: String([...hits][0]) });
    await field.fill('/^sort/');
    const sorts = new Set(map.buffer.filter((_, k) => [map.name[k], map.shape[k], map.scope[k]].some((at) => at !== null && /^sort/i.test(name(at)))));
    await becomes(() => page.locator('.m-map .m-count').allInnerTexts(), [sorts.size ? `${sorts.size} found` : 'no buffer matches']);
    await field.fill('zzzz');
    await becomes(() => page.locator('.m-map .m-count').allInnerTexts(), ['no buffer matches']);
    await field.press('Escape');
    await becomes(() => page.locator('.m-map .m-count').count(), 0);
    await canvas.focus();
    await page.keyboard.press('Escape');
    // Colours: the picture changes and the legend lists only what occurs.
    const words = () => page.locator('.m-map .m-legend .m-key').allInnerTexts().then((all) => all.map((word) => word.trim()).filter((word) => !/^hole/.test(word)).sort());
    const groups = { none: 'argument, no op', matmul: 'matmul / conv', elem: 'elementwise', reduce: 'reduce / sort', move: 'data movement', coll: 'collective', control: 'control', host: 'host transfer', custom: 'custom call' };
    const occurs = [...new Set(map.group.map((at) => groups[name(at)]))].sort();
    assert.deepEqual(await words(), occurs);
    const seen = new Set([await pictureOf(canvas)]);
    for (const [by, wanted] of [['class', ['temporary']], ['dtype', [...new Set(map.dtype.map(name))].sort()], ['scope', null], ['size', null]]) {
      await page.getByLabel('colour by').selectOption(by);
      await inAddress(page, { colour: by });
      if (wanted) assert.deepEqual(await words(), wanted.slice(0, 8));
      await until(`another picture by ${by}`, async () => !seen.has(await pictureOf(canvas)));
      seen.add(await pictureOf(canvas));
    }
    await page.getByLabel('colour by').selectOption('group');
    await inAddress(page, { colour: null });
    // Full screen and back.
    const small = await canvas.boundingBox();
    await page.getByRole('button', { name: 'full screen', exact: true }).click();
    await until('a large map', async () => (await canvas.boundingBox()).height > look.size.height * 0.6);
    await page.keyboard.press('Escape');
    await becomes(async () => (await canvas.boundingBox()).height, small.height);
    await page.getByRole('button', { name: 'full screen', exact: true }).click();
    await page.getByRole('button', { name: 'exit full screen' }).click();
    await becomes(async () => (await canvas.boundingBox()).height, small.height);
  });
});

eachLook('keys of buffers: arrows through the open order, [ and ] to who held the bytes, Escape unpins', async (look) => {
  const live = await server.api('memory/live', { ...LAYERS, order: 'size' });
  const order = live.buffer.map((buffer, k) => [buffer, live.size_bytes[k], k]).filter(([buffer]) => buffer !== null);
  await withPage(server.url, { ...look, hash: hash(LAYERS) }, async (page) => {
    await drawn(page);
    // The order that the arrows go through comes with the bars.
    await page.locator('.m-bar-canvas').first().waitFor();
    await settled(page);
    await page.keyboard.press('ArrowRight');
    await until('a pin', () => viewOf(page).pin !== undefined);
    const size = (pin) => order.find(([buffer]) => String(buffer) === pin)[1];
    const first = viewOf(page).pin;
    assert.equal(size(first), order[0][1], 'the largest first');
    await page.keyboard.press('ArrowRight');
    await until('the next', () => viewOf(page).pin !== first);
    assert.equal(size(viewOf(page).pin), order[1][1]);
    await page.keyboard.press('ArrowLeft');
    await inAddress(page, { pin: first });
    // A buffer whose bytes someone held before.
    let at;
    for (const [buffer] of order) {
      at = await server.api('memory/buffer', { ...LAYERS, buffer });
      if (at.before) break;
    }
    await page.goto(`${server.url}${hash({ ...LAYERS, pin: at.buffer })}`);
    await becomes(async () => (await page.locator('.m-card-title code').count()) && read(page.locator('.m-card-title code')), `%${at.name}`);
    assert.ok(at.before, 'the test wants a buffer whose bytes were held before');
    await page.keyboard.press('[');
    await inAddress(page, { pin: String(at.before.buffer) });
    const then = await server.api('memory/buffer', { ...LAYERS, buffer: at.before.buffer });
    await becomes(() => read(page.locator('.m-card-title code')), `%${then.name}`);
    await page.keyboard.press(']');
    await inAddress(page, { pin: String(then.after.buffer) });
    await page.keyboard.press('Escape');
    await inAddress(page, { pin: null });
    await copiesLink(page);
  });
});

eachLook('a module without a heap trace, one without temporaries, another memory space', async (look) => {
  // Not the default: it never ran.
  const FLAT = { run: 'shard/run0', module: 'jit__multi_slice(2)' };
  await withPage(server.url, { ...look, hash: hash(FLAT) }, async (page) => {
    await ready(page);
    await becomes(() => read(peakLine(page)), 'Peak 1.5 MiB');
    assert.equal(await read(page.locator('.m-peak-at')), 'live during the whole program');
    assert.match(await read(page.locator('.m-empty')), /^No temporaries in this memory space The curve would be flat/);
    assert.equal(await chartOf(page).count(), 0);
    // The tabs stay.
    const rows = await server.api('memory/live', FLAT);
    await page.goto(`${server.url}${hash({ ...FLAT, tab: 'buffers' })}`);
    await becomes(() => page.locator('.vt-row').count(), rows.n);
    for (const [space, peak, name] of [[1, mib(103135232), 'VMEM'], [2, 'Peak 0.0 MiB', 'SFLAG']]) {
      await page.goto(`${server.url}${hash({ ...DEMO, space })}`);
      await until(`the space ${name}`, async () => (await read(page.locator('.m-chart .m-legend b').first()).catch(() => '')).startsWith(name));
      if (space === 1) assert.equal(await read(peakLine(page)), `Peak ${peak}`);
    }
  });
});

eachLook('near peaks and merged boxes of a large program', async (look, _first, t) => {
  const root = sharedLogdir('tpu_big_transformer');
  if (!root) return t.skip('no shared data');
  const own = await serve(root);
  const { id: [run] } = await own.api('runs');
  const s = await own.api('memory/summary', { run });
  assert.ok(s.near_peaks.length > 1);
  await withPage(own.url, { ...look, hash: `#run=${run}` }, async (page) => {
    await drawn(page);
    const choice = page.getByLabel('separate peaks within 10 % of the highest');
    const options = await choice.locator('option').allInnerTexts();
    assert.deepEqual(options.slice(1), s.near_peaks.map((peak) => `step ${peak.step.toLocaleString('en-US')}: ${s.peak.held_bytes >= 10 * 2 ** 30 ? gib(peak.held_bytes) : mib(peak.held_bytes)}`));
    await choice.selectOption(String(s.near_peaks[1].step));
    await inAddress(page, { step: String(s.near_peaks[1].step) });
    const merged = page.getByRole('button', { name: /merged$/ });
    assert.match(await read(merged), /^[\d,]+ merged$/);
    await merged.click();
    await inAddress(page, { tab: 'buffers' });
  });
  await own.stop();
});

eachLook('left for another tool and come back to: the whole curve below the charts is there again', async (look) => {
  await withPage(server.url, { ...look, hash: hash(LAYERS) }, async (page) => {
    await ready(page);
    const mini = page.locator('.m-mini-canvas');
    await until('the curve', () => isDrawn(mini));
    await settled(page);
    const before = await pictureOf(mini);
    for (const tool of ['doctor', 'graph']) {
      await page.evaluate((to) => { location.hash = `${location.hash}&tool=${to}`; }, tool);
      await becomes(() => mini.count(), 0);
      await page.goBack();
      await ready(page);
      await becomes(() => pictureOf(mini), before, `after ${tool}`);
    }
  });
});

eachLook('a dump in text: the bar of the modes says that the events are from live ranges', async (look) => {
  await withPage(server.url, { ...look, hash: '#run=text&tool=memory' }, async (page) => {
    await becomes(() => read(page.locator('.m-badge', { hasText: 'not measured' })), 'from the compiler, from live ranges, not measured');
  });
});

test('a new height of the window asks for the address map alone: what it does not touch is not asked again', async () => {
  await withPage(server.url, { hash: hash(LAYERS) }, async (page) => {
    await drawn(page);
    const asked = new Set();
    // The list of runs is asked for by the clock.
    const note = (path) => /\/memory\//.test(path) && asked.add(path);
    page.on('request', (request) => note(new URL(request.url()).pathname));
    await page.setViewportSize({ width: 1366, height: 1000 });
    await until('the map is asked for', () => asked.has('/api/v1/memory/map'));
    await settled(page);
    assert.deepEqual([...asked], ['/api/v1/memory/map']);
  });
});
