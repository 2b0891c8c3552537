// What the Memory Viewer has to show, row by row (rows.mjs), and the tests of rows that no other file holds.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test, { after, before } from 'node:test';

import { testsExist } from '../support/named.mjs';
import { hloProto, xspace } from './hlo.mjs';
import { becomes, coloured, copied, eachLook, exact, inAddress, inUnit, isDrawn, makeLogdir, mib, pictureOf, putFile, quit, read, said, serve, settled, sum, temporary, testdata, until, viewOf, visit, withPage } from './lib.mjs';
import { chartOf, drawn, foldOf, hoverOf, mapOf, openTab, own, peakLine, pointAt, ready, xOf } from './memory.mjs';
import { ROWS } from './rows.mjs';

const DEMO = { run: 'demo/aot' };
const LAYERS = { run: 'layers/aot' };
const MLP = { run: 'mlp/run0' };
const hash = (view) => `#${new URLSearchParams({ tool: 'memory', ...view })}`;
const cardName = async (page) => (await page.locator('.m-card-title code').count()) && said(page.locator('.m-card-title code'));

let server;
before(async () => {
  server = await serve(makeLogdir({
    demo: join(testdata, 'tpu_padded_demo/logdir'),
    layers: join(testdata, 'tpu_scan_layers/logdir'),
    mlp: join(testdata, 'cpu_mlp_train/logdir'),
  }));
});
after(async () => {
  await quit();
  await server?.stop();
});

test('each row has a test, and each test that is named exists', () => {
  assert.deepEqual(Object.keys(ROWS).map((row) => row.split(' ')[0]), Array.from({ length: 30 }, (_, i) => `S0.${i + 1}`));
  testsExist(ROWS);
});

eachLook('capacity: a line on the chart where one is known, none where not', async (look) => {
  const s = await server.api('memory/summary', DEMO);
  const capacity = 700 * 2 ** 20;
  await withPage(server.url, { ...look, hash: hash(DEMO) }, async (page) => {
    await drawn(page);
    const chart = chartOf(page);
    await until('the picture', () => isDrawn(chart));
    const box = await chart.boundingBox();
    const x = Math.round(xOf(box, 1.5, { from: 0, to: s.steps }));
    assert.deepEqual(await coloured(chart, '--bad', x), [], 'unknown: no line');
    assert.equal(await page.locator('.m-peak-of').count(), 0);
    await page.goto(`${server.url}${hash({ ...DEMO, hbm: capacity })}`);
    await becomes(async () => (await page.locator('.m-peak-of').count()) && read(page.locator('.m-peak-of')), 'of 700 MiB (85 %)');
    assert.ok((await read(page.locator('.m-head-legend'))).includes(`Free ${inUnit(capacity - s.reserved_bytes, 'MiB')}`));
    // The axis ends 6 % above the capacity.
    const y = box.height - 4 - (1 / 1.06) * (box.height - 4 - 16);
    await until('the line', async () => (await coloured(chart, '--bad', x)).some((at) => Math.abs(at - y) < 2.5));
  });
});

eachLook('from the compiler: a way to what was measured, or why there is none', async (look) => {
  await withPage(server.url, { ...look, hash: hash(DEMO) }, async (page) => {
    const badge = page.locator('.m-badge', { hasText: 'from the compiler, not measured' });
    await ready(page);
    assert.equal(await badge.evaluate((element) => element.tagName), 'SPAN');
    assert.match(await badge.getAttribute('title'), /was not measured: .*no events/s);
    await page.goto(`${server.url}${hash(MLP)}`);
    await until('the link', async () => (await badge.evaluate((element) => element.tagName)) === 'A');
    await badge.click();
    await inAddress(page, { tool: 'trace', run: MLP.run });
  });
});

eachLook('a GPU: its own memory spaces, and no names of a TPU', async (look) => {
  const root = temporary('gpu');
  const buffers = [
    { name: 'fusion.1', elements: 3 << 20 },
    { name: 'all-gather.1', opcode: 'all-gather', elements: 1 << 20, color: 1 },
    { name: 'fusion.2', elements: 1 << 20 },
  ];
  putFile(root, 'plugins/profile/gpu/host0.xplane.pb', xspace([{ name: 'jit_step', id: 3, hlo: hloProto('jit_step', buffers) }], ['/device:GPU:0']));
  const gpu = await serve(root);
  await withPage(gpu.url, { ...look, hash: '#run=gpu' }, async (page) => {
    await drawn(page);
    assert.equal(await read(peakLine(page)), 'Peak 16.0 MiB');
    assert.match(await read(page.locator('.m-badges')), /GPU/);
    assert.match(await read(page.locator('.m-chart .m-legend b').first()), /^Device memory/);
    await page.locator('.picker', { hasText: 'memory' }).click();
    const list = page.locator('.popup-list').getByRole('option');
    await becomes(() => list.count(), 2);
    const names = (await list.allInnerTexts()).join();
    assert.match(names, /Device memory.*Collective memory/s);
    assert.doesNotMatch(names, /VMEM|CMEM|SFLAG|HBM/);
    await list.nth(1).click();
    await inAddress(page, { space: '1' });
    await becomes(() => read(peakLine(page)), 'Peak 4.0 MiB');
  });
  await gpu.stop();
});

eachLook('scoped scratch stands beside the classes, with its operation', async (look) => {
  const { scoped } = await server.api('memory/summary', { ...DEMO, space: 1 });
  assert.ok(scoped.size_bytes > 0);
  await withPage(server.url, { ...look, hash: hash({ ...DEMO, space: 1 }) }, async (page) => {
    await ready(page);
    await becomes(async () => (await read(page.locator('.m-head-legend'))).includes(`Scoped scratch ${mib(scoped.size_bytes)} %${scoped.instruction}`), true);
    await page.goto(`${server.url}${hash(DEMO)}`);
    await until('HBM', async () => (await read(page.locator('.m-chart .m-legend b').first())).startsWith('HBM'));
    assert.doesNotMatch(await read(page.locator('.m-head-legend')), /Scoped/);
  });
});

eachLook('padding: of all that is held, of temporaries as XProf counts it, and a hint above a tenth', async (look) => {
  // Both sums from the buffers themselves; argument 4 of this program, `state`, is padded 16 times.
  const s = await server.api('memory/summary', DEMO);
  const live = await server.api('memory/live', { ...DEMO, fold_bytes: 0 });
  const padding = live.size_bytes.map((size, k) => size - (live.unpadded_bytes[k] ?? size));
  const all = sum(padding);
  const temporary = sum(padding.filter((_, k) => live.names[live.class[k]] === 'temporary'));
  assert.ok(all > temporary && temporary > 0, `${all} of which ${temporary}`);
  await withPage(server.url, { ...look, hash: hash(DEMO) }, async (page) => {
    await ready(page);
    const key = page.locator('.m-key-pad');
    await becomes(() => key.locator('b').innerText(), inUnit(all, 'MiB'));
    const title = await key.getAttribute('title');
    assert.ok(title.includes(`arguments included: ${exact(all)}`), title);
    assert.ok(title.includes(`padding of temporaries only, as XProf counts it: ${exact(temporary)}`), title);
    const hint = key.getByRole('button');
    assert.equal(await read(hint), `${Math.round((100 * all) / s.peak.held_bytes)} % of the peak`);
    await hint.click();
    await inAddress(page, { tab: 'buffers', sort: 'padding' });
    await openTab(page, /^Buffers/);
    await until('the most padded first', async () => (await page.locator('.vt-row .m-name code').count()) > 3);
    const table = await server.api('memory/buffers', { ...DEMO, at: s.peak.step, sort: 'padding', desc: 1, fold_bytes: s.fold_bytes });
    assert.equal(await page.locator('.vt-row .m-name code').first().innerText(), table.names[table.name[0]]);
    await page.getByRole('button', { name: 'XProf, JAX …' }).click();
    const rows = page.locator('.m-numbers tr', { has: page.locator('th', { hasText: /^padding$/ }) });
    await becomes(() => rows.locator('td.num').evaluateAll((cells) => cells.map((cell) => cell.title)), [exact(all), exact(temporary)]);
    await page.keyboard.press('Escape');
    // Where padding is little there is a number, and no hint.
    await page.goto(`${server.url}${hash(LAYERS)}`);
    await becomes(() => read(peakLine(page)), 'Peak 6,616.1 MiB');
    assert.equal(await page.locator('.m-pad-hint').count(), 0);
    assert.equal(await page.locator('.m-key-pad').count(), 1);
  });
});

eachLook('the band is the sum of what is always there, and says that other programs are not in it', async (look) => {
  const live = await server.api('memory/live', { ...LAYERS, step: 0, fold_bytes: 0 });
  const resident = sum(live.size_bytes.filter((_, k) => ['parameter', 'output', 'constant'].includes(live.names[live.class[k]])));
  await withPage(server.url, { ...look, hash: hash(LAYERS) }, async (page) => {
    await ready(page);
    const key = page.locator('.m-chart .m-key', { hasText: 'always there' });
    assert.equal(await key.locator('b').innerText(), inUnit(resident, 'MiB'));
    assert.match(await key.getAttribute('title'), /other loaded programs are not counted/);
    // Its upper edge in the picture: the colour of what is above changes there.
    const s = await server.api('memory/summary', LAYERS);
    await until('the picture', () => isDrawn(chartOf(page)));
    const edge = await chartOf(page).evaluate((canvas, share) => {
      const ratio = canvas.height / canvas.clientHeight;
      const g = canvas.getContext('2d');
      const at = (y) => g.getImageData(Math.round(300 * ratio), Math.round(y * ratio), 1, 1).data.join();
      const y = canvas.clientHeight - 4 - share * (canvas.clientHeight - 20);
      return at(y + 6) !== at(y - 6) && at(y + 6) === at(y + 9);
    }, resident / (s.reserved_bytes * 1.06));
    assert.ok(edge, 'the band ends at its bytes');
    // The other programs of the run are in their own table.
    await page.goto(`${server.url}${hash({ ...MLP, tab: 'modules' })}`);
    const { n } = await server.api('modules', MLP);
    await becomes(() => page.locator('.vt[aria-label="all modules"] .vt-row').count(), n);
  });
});

/** What the boxes of a bar say from left to right, at so many places: names and sizes, or paddings. */
async function sweep(page, bar, pattern, places) {
  const box = await bar.boundingBox();
  const seen = [];
  await page.mouse.move(3, 300);
  await hoverOf(page).waitFor({ state: 'detached' });
  for (let x = 2; x < box.width - 2; x += box.width / places) {
    await page.mouse.move(box.x + x, box.y + box.height / 2);
    // What the pointer is over is told within the frame that follows.
    const lines = await page.evaluate(() => new Promise((told) => requestAnimationFrame(() => requestAnimationFrame(() => told([...document.querySelectorAll('.m-hover div')].map((line) => line.innerText))))));
    const found = lines.map((line) => pattern.exec(line)).find(Boolean);
    if (!lines[0]?.startsWith('%') || !found || seen.at(-1)?.name === lines[0]) continue;
    seen.push({ name: lines[0], bytes: Number(found[1].replaceAll(',', '')) });
  }
  return seen;
}

eachLook('three orders: as allocated, sizes never rise, paddings never rise', async (look) => {
  // By hand: what is there before the program runs stands first, by allocation; temporaries follow as they are allocated.
  const live = await server.api('memory/live', { ...LAYERS, fold_bytes: 0 });
  const temporary = live.class.map((at) => live.names[at] === 'temporary');
  const own = temporary.indexOf(true);
  assert.ok(own > 0 && temporary.slice(own).every(Boolean), 'temporaries behind the others');
  const starts = live.start_step.slice(own);
  assert.deepEqual(starts, [...starts].sort((a, b) => a - b), 'in the order of their steps');
  await withPage(server.url, { ...look, hash: hash(LAYERS) }, async (page) => {
    await drawn(page);
    const bar = (i) => page.locator('.m-bar-canvas').nth(i);
    const places = 60;
    const [program, size, padding] = [await sweep(page, bar(0), /, ([\d,]+) bytes$/, places), await sweep(page, bar(1), /, ([\d,]+) bytes$/, places), await sweep(page, bar(2), /^including padding: .*, ([\d,]+) bytes$/, places)];
    const place = (name) => live.name.findIndex((at) => `%${live.names[at]}` === name);
    const order = program.map(({ name }) => place(name));
    assert.ok(order.length > 5);
    assert.deepEqual(order, [...order].sort((a, b) => a - b));
    for (const [what, seen] of [['size', size], ['padding', padding]]) {
      assert.ok(seen.length > 2, `${what}: ${seen.length} boxes`);
      for (let i = 1; i < seen.length; i++) assert.ok(seen[i].bytes <= seen[i - 1].bytes, `${what}: ${JSON.stringify(seen.slice(i - 1, i + 1))}`);
    }
    for (let i = 1; i < size.length; i++) if (size[i].bytes === size[i - 1].bytes) assert.ok(place(size[i].name) > place(size[i - 1].name), 'equal sizes in program order');
  });
});

eachLook('a filter that takes long: progress is shown, the page goes on, and the last question is the one answered', async (look) => {
  const wanted = await server.api('memory/buffers', { ...LAYERS, at: 105, filter: 'blocks', fold_bytes: await foldOf(server, LAYERS), sort: 'saving' });
  await withPage(server.url, { ...look, hash: hash({ ...LAYERS, tab: 'buffers' }) }, async (page) => {
    await drawn(page);
    await page.locator('.vt-row').first().waitFor();
    // As if the expression took seconds: its answer is held back.
    let held = 0;
    let late = 0;
    let letGo = () => {};
    const answered = new Promise((done) => { letGo = done; });
    await page.route((url) => url.pathname.endsWith('/memory/buffers') && (url.searchParams.get('filter') ?? '').includes('\\w'), async (route) => {
      held++;
      await answered;
      await route.continue().catch(() => {});
      late++;
    });
    const rows = () => page.locator('.vt-row .m-name code').allInnerTexts();
    const before = await rows();
    await page.locator('.m-filter').fill('/\\w+\\d\\>/');
    await until('the line that something is under way', async () => held > 0 && (await page.locator('.load-line').count()) > 0);
    assert.deepEqual(await rows(), before, 'the rows before stay');
    // Meanwhile: the chart answers the pointer, and another question is asked.
    const chart = await chartOf(page).boundingBox();
    await page.mouse.move(chart.x + 300, chart.y + 60);
    await hoverOf(page).waitFor();
    await page.mouse.move(3, 300);
    await page.locator('.m-filter').fill('blocks');
    const names = wanted.name.map((at) => wanted.names[at]);
    await becomes(async () => (await rows()).slice(0, 4), names.slice(0, 4), 'the new answer');
    letGo();
    await until('the late one', () => late === held);
    await settled(page);
    assert.deepEqual((await rows()).slice(0, 4), names.slice(0, 4), 'the late one changes nothing');
    await until('rest', async () => (await page.locator('.load-line').count()) === 0);
  });
});

/** The colour at a place of a canvas, as [r, g, b]. */
const pixel = (canvas, x, y) =>
  canvas.evaluate((element, [px, py]) => {
    const ratio = element.width / element.clientWidth;
    return [...element.getContext('2d').getImageData(Math.round(px * ratio), Math.round(py * ratio), 1, 1).data].slice(0, 3);
  }, [x, y]);
const swatch = (locator) => locator.evaluate((element) => getComputedStyle(element).backgroundColor.match(/\d+/g).slice(0, 3).map(Number));

eachLook('a buffer has one colour in bars, map, table and card, after a reload too', async (look) => {
  const live = await server.api('memory/live', { ...LAYERS, order: 'size' });
  const map = await server.api('memory/map', { ...LAYERS, px: 1000, py: 200 });
  const temporary = live.buffer.findIndex((buffer, k) => buffer !== null && live.names[live.class[k]] === 'temporary' && map.buffer.includes(buffer));
  const [buffer, name] = [live.buffer[temporary], live.names[live.name[temporary]]];
  const at = map.buffer.indexOf(buffer);
  await withPage(server.url, { ...look, hash: hash({ ...LAYERS, pin: buffer }) }, async (page) => {
    const colours = async () => {
      await drawn(page);
      await becomes(() => cardName(page), `%${name}`);
      const canvas = mapOf(page);
      await until('the map', () => isDrawn(canvas));
      const box = await canvas.boundingBox();
      const x = xOf(box, map.end_step[at] - 0.7, { from: 0, to: 176 });
      const y = box.height - 2 - ((map.offset_bytes[at] + map.size_bytes[at] * 0.3) / map.heap_bytes) * (box.height - 4);
      const bar = page.locator('.m-bar-canvas').nth(1);
      await until('the bars', () => isDrawn(bar));
      const width = (await bar.boundingBox()).width / sum([...live.size_bytes, live.small.size_bytes, live.rest.size_bytes]);
      const left = sum(live.size_bytes.slice(0, temporary)) * width;
      const inBar = await pixel(bar, left + live.size_bytes[temporary] * width - 6, 7);
      const inMap = await pixel(canvas, x, y);
      const inCard = await swatch(page.locator('.m-card-chips .swatch'));
      return { inBar, inMap, inCard };
    };
    const before = await colours();
    assert.deepEqual(before.inMap, before.inBar);
    assert.deepEqual(before.inCard, before.inBar);
    await page.goto(`${server.url}${hash({ ...LAYERS, pin: buffer, tab: 'buffers', sort: 'size' })}`);
    const row = page.locator('.vt-row', { hasText: name }).first();
    await row.waitFor();
    assert.deepEqual(await swatch(row.locator('.swatch, .m-dot, i').first()), before.inBar);
    await visit(page, `${server.url}${hash({ ...LAYERS, pin: buffer })}`);
    await becomes(() => colours(), before);
  });
});

/** Pixels of the outline of a life, by column: before it, at its left edge, inside, at its right edge, behind it. The
 *  edges lie between two columns or on one: the fuller of those around counts. */
async function lifeOf(page, from, to) {
  const columns = [];
  for (const [x, reach] of [[from - 6, 0], [from, 2], [(from + to) / 2, 0], [to, 2], [to + 6, 0]]) {
    let fullest = [];
    for (let dx = -reach; dx <= reach; dx++) {
      const found = await coloured(chartOf(page), '--accent', Math.round(x) + dx);
      if (found.length > fullest.length) fullest = found;
    }
    columns.push(fullest);
  }
  return columns;
}

eachLook('the life of what is hovered: where it begins and ends, as high as its size; arguments and buffer 0 too', async (look) => {
  const s = await server.api('memory/summary', LAYERS);
  const live = await server.api('memory/live', { ...LAYERS, order: 'size' });
  const temporary = live.class.findIndex((at) => live.names[at] === 'temporary');
  const argument = live.class.findIndex((at) => live.names[at] === 'parameter');
  await withPage(server.url, { ...look, hash: hash(LAYERS) }, async (page) => {
    await drawn(page);
    const bar = page.locator('.m-bar-canvas').nth(1);
    const chart = await chartOf(page).boundingBox();
    const total = sum([...live.size_bytes, live.small.size_bytes, live.rest.size_bytes]);
    const y = (bytes) => chart.height - 4 - (bytes / (s.reserved_bytes * 1.06)) * (chart.height - 20);
    for (const k of [temporary, argument]) {
      const bars = await bar.boundingBox();
      const left = (sum(live.size_bytes.slice(0, k)) / total) * bars.width;
      await pointAt(page, bar, { x: left + (live.size_bytes[k] / total) * bars.width * 0.5, y: 12 });
      await becomes(async () => (await hoverOf(page).locator('.m-hover-head').allInnerTexts())[0], `%${live.names[live.name[k]]}`);
      const [start, end] = k === argument ? [0, s.steps] : [live.start_step[k], live.end_step[k]];
      const place = (step) => xOf(chart, step, { from: 0, to: s.steps });
      await until('the outline', async () => (await lifeOf(page, place(start), place(end)))[2].length > 0);
      const [before, first, , last, behind] = await lifeOf(page, place(start), place(end));
      assert.ok(first.length > 5 && last.length > 5, 'its edges are upright lines');
      if (k === temporary) assert.ok(before.length < 4 && behind.length < 4, 'nothing outside');
      assert.ok(Math.abs(Math.min(...last) - y(live.size_bytes[k])) < 4, `${Math.min(...last)} is not ${y(live.size_bytes[k])}`);
      await page.mouse.move(3, 300);
    }
  });
  // Of buffer 0 (XProf takes it for none), here one with id 0 that is a temporary.
  const root = temporary0();
  const zero = await serve(root);
  await withPage(zero.url, { ...look, hash: '#run=zero&pin=0' }, async (page) => {
    await drawn(page);
    await becomes(() => cardName(page), '%first');
    const chart = await chartOf(page).boundingBox();
    const place = (step) => xOf(chart, step, { from: 0, to: 4 });
    await until('its outline', async () => (await lifeOf(page, place(0), place(2)))[3].length > 5);
    await page.keyboard.press('Escape');
    await inAddress(page, { pin: null });
    await page.locator('.m-bar-canvas').nth(0).click({ position: { x: 8, y: 12 } });
    await inAddress(page, { pin: '0' });
  });
  await zero.stop();
});

function temporary0() {
  const root = temporary('zero');
  putFile(root, 'plugins/profile/zero/host0.xplane.pb', xspace([{ name: 'jit_zero', id: 1, hlo: hloProto('jit_zero', [{ name: 'first', elements: 1 << 20 }, { name: 'second', elements: 1 << 19 }]) }]));
  return root;
}

eachLook('details: of the hovered buffer, of the pinned one, Escape lets go', async (look) => {
  const live = await server.api('memory/live', { ...LAYERS, order: 'size' });
  const name = (k) => `%${live.names[live.name[k]]}`;
  await withPage(server.url, { ...look, hash: hash(LAYERS) }, async (page) => {
    await drawn(page);
    const bar = page.locator('.m-bar-canvas').nth(1);
    const title = page.locator('.m-card-title').first();
    await becomes(() => read(title), 'Largest savings at the peak');
    const second = (live.size_bytes[0] / sum([...live.size_bytes, live.small.size_bytes, live.rest.size_bytes])) * (await bar.boundingBox()).width + 6;
    await pointAt(page, bar, { x: 6, y: 12 });
    await becomes(() => cardName(page), name(0));
    assert.match(await read(title), /click to pin$/);
    await pointAt(page, bar, { x: second, y: 12 });
    await becomes(() => cardName(page), name(1));
    assert.equal(viewOf(page).pin, undefined, 'hovering pins nothing');
    await page.mouse.move(3, 300);
    await becomes(() => read(title), 'Largest savings at the peak');
    // What is hovered in the card itself leaves the card as it is.
    await page.locator('.m-savings li').first().hover();
    await settled(page);
    await becomes(() => read(title), 'Largest savings at the peak');
    await bar.click({ position: { x: 6, y: 12 } });
    await inAddress(page, { pin: String(live.buffer[0]) });
    await pointAt(page, bar, { x: second, y: 12 });
    await settled(page);
    await becomes(() => cardName(page), name(0), 'a pin stays');
    await page.mouse.move(3, 300);
    await page.keyboard.press('Escape');
    await becomes(() => read(title), 'Largest savings at the peak');
  });
});

eachLook('a copied name is found in the search of the graph', async (look) => {
  await withPage(server.url, { ...look, hash: hash({ ...DEMO, pin: 66 }) }, async (page) => {
    await becomes(() => cardName(page), '%pad.2');
    await page.getByLabel('copy the name').click();
    await becomes(() => copied(page), '%pad.2');
    await page.keyboard.press('Shift+Digit4');
    await inAddress(page, { tool: 'graph', module: viewOf(page).module ?? null });
    await page.keyboard.press('Control+k');
    await page.keyboard.press('Control+v');
    await until('the op', async () => (await page.locator('.palette-title').allInnerTexts()).includes('pad.2'));
  });
});

eachLook('a part of the op path narrows bars, map and table, and says how much that is', async (look) => {
  const scope = 'jit(padded_step)';
  const of = await server.api('memory/buffers', { ...DEMO, at: 'all', scope });
  await withPage(server.url, { ...look, hash: hash({ ...DEMO, pin: 40 }) }, async (page) => {
    await drawn(page);
    await becomes(async () => (await cardName(page)) !== 0, true);
    await openTab(page, /^At step/);
    const pictures = async () => [await pictureOf(mapOf(page)), await pictureOf(page.locator('.m-bar-canvas').nth(0)), await pictureOf(page.locator('.m-bar-canvas').nth(1))];
    const before = await pictures();
    await page.locator('.m-card').getByRole('button', { name: scope }).click();
    await inAddress(page, { scope });
    await page.mouse.move(3, 300);
    await until('all three to pale', async () => (await pictures()).every((picture, k) => picture !== before[k]));
    await becomes(async () => (await read(page.locator('.m-step .m-controls'))).includes(`${own(of.matched_bytes).replace(/\d{4,}\.\d MiB/, mib(of.matched_bytes))} over all steps`), true);
    await openTab(page, /^Buffers/);
    const held = await server.api('memory/buffers', { ...DEMO, at: 7, scope, fold_bytes: await foldOf(server, DEMO) });
    await until('the rows of that scope', async () => (await page.locator('.vt[aria-label="buffers"] .vt-row').count()) === held.matched - held.folded.count);
  });
});

eachLook('a value of a called computation is thread local, and not in the peak', async (look) => {
  const all = await server.api('memory/buffers', { ...DEMO, at: 'all', class: 'thread_local', limit: 1 });
  const held = await server.api('memory/live', { ...DEMO, fold_bytes: 0 });
  assert.ok(all.matched > 0 && !held.buffer.includes(all.buffer[0]));
  await withPage(server.url, { ...look, hash: hash({ ...DEMO, pin: all.buffer[0] }) }, async (page) => {
    await becomes(() => cardName(page), `%${all.names[all.name[0]]}`);
    assert.equal((await page.locator('.m-card-chips .m-chip').first().textContent()).trim(), 'thread local');
    await page.locator('.m-card-chips .m-chip').first().click();
    await inAddress(page, { tab: 'buffers', class: 'thread_local' });
  });
});

test('a source line is a link where a template is given', async () => {
  const linked = await serve(join(testdata, 'tpu_padded_demo/logdir'), '--source-url=https://host.example/x/{path}?a=1#L{line}');
  await withPage(linked.url, { hash: '#run=aot&pin=40' }, async (page) => {
    await becomes(async () => (await cardName(page)) !== 0, true);
    const open = page.locator('.m-card').getByRole('link', { name: 'open' });
    const href = await open.getAttribute('href');
    assert.match(href, /^https:\/\/host\.example\/x\/.*tpu_aot\.py\?a=1#L176$/);
    assert.match(await open.getAttribute('rel'), /noreferrer/);
  });
  await linked.stop();
});

/** Numbers that stick out of what shows them. Words may be cut for room, numbers never. */
const cutNumbers = (page) =>
  page.evaluate(() => {
    const isCut = (element) => {
      const box = element.getBoundingClientRect();
      if (box.width === 0) return false;
      for (let around = element.parentElement; around && around.id !== 'app'; around = around.parentElement) {
        const edge = around.getBoundingClientRect();
        if (getComputedStyle(around).overflowX !== 'visible' && (box.right > edge.right + 1 || box.left < edge.left - 1)) return true;
      }
      return false;
    };
    return [...document.querySelectorAll('.m-legend b, .m-head-legend b, .m-step-line > span > span:not(.m-cut)')].filter(isCut).map((element) => element.textContent);
  });

test('numbers are whole at 1366, 1100 and 900 pixels; a low window with an error strip: nothing overlaps', async () => {
  for (const [width, height] of [[1366, 768], [1100, 700], [900, 1000]]) {
    await withPage(server.url, { size: { width, height }, hash: hash(LAYERS) }, async (page) => {
      await drawn(page);
      await page.locator('.m-bar-canvas').first().waitFor();
      assert.deepEqual(await cutNumbers(page), [], `${width} pixels`);
    });
  }
  const failed = await serve(join(testdata, 'tpu_padded_oom'));
  await withPage(failed.url, { size: { width: 1100, height: 620 } }, async (page) => {
    await drawn(page);
    await page.locator('.m-oom').waitFor();
    const box = (name) => page.locator(name).first().boundingBox();
    const [chart, map, mini, tabs] = [await box('.m-chart-canvas'), await box('.m-map-canvas'), await box('.m-mini-canvas'), await box('.m-tab-row')];
    assert.ok(chart.height >= 50 && map.height >= 36, `chart ${chart.height}, map ${map.height}`);
    assert.ok(chart.y + chart.height <= map.y && map.y + map.height <= mini.y + 1 && mini.y + mini.height <= tabs.y + 1, 'one below the other');
    assert.deepEqual(await cutNumbers(page), []);
  });
  await failed.stop();
});

eachLook('buffers: the head of each column is whole, also with its arrow', async (look) => {
  await withPage(server.url, { ...look, hash: hash({ ...DEMO, tab: 'buffers' }) }, async (page) => {
    await ready(page);
    const heads = page.getByRole('table', { name: 'buffers' }).or(page.getByRole('grid', { name: 'buffers' })).getByRole('columnheader');
    await until('the columns', async () => (await heads.count()) > 6);
    const cut = () => heads.evaluateAll((all) => all.filter((head) => head.scrollWidth > head.clientWidth).map((head) => head.textContent));
    for (const button of await heads.getByRole('button').all()) {
      await button.click();
      const name = (await button.textContent()).replace(/ [▾▴]$/, '');
      await becomes(() => heads.evaluateAll((all) => all.find((head) => head.ariaSort)?.textContent.replace(/ [▾▴]$/, '')), name);
      assert.deepEqual(await cut(), [], `sorted by ${name}`);
    }
  });
});

test('a program of 1,500 equal buffers: blocks of one shape and scope have names, and no list opens empty', async () => {
  const root = temporary('crowded');
  const buffers = Array.from({ length: 1500 }, (_, i) => ({ name: `fusion.${i}`, elements: i % 5 === 4 ? 512 : 1024, opName: `jit(f)/layer_${i % 48}/${i % 5 === 4 ? 'norm' : 'mlp'}/add` }));
  putFile(root, 'crowded.hlo_proto.pb', hloProto('crowded', buffers));
  const here = await serve(root);
  const [run] = (await here.api('runs')).id;
  await withPage(here.url, { theme: 'light', width: 1366, height: 768, hash: hash({ run }) }, async (page) => {
    await drawn(page);
    await becomes(() => page.locator('.m-block').allInnerTexts().then((all) => all.map((text) => text.replace(/\s+/g, ' '))), ['1,200 × f32[1024] layer_*/mlp 89 %', '300 × f32[512] layer_*/norm 11 %']);
    const bar = page.locator('.m-bar-canvas').nth(1);
    const box = await bar.boundingBox();
    await pointAt(page, bar, { x: box.width / 3, y: box.height / 2 });
    await until('the block by name', async () => /1,200 × f32\[1024\] layer_\*\/mlp, 4\.7 MiB/.test(await read(hoverOf(page))));
    // All that is held is below the fold that a link asks for: it is listed.
    await page.evaluate(() => { location.hash += '&tab=buffers&fold=1048576'; });
    await until('rows', async () => (await page.locator('.vt-row .m-name code').count()) > 3);
  });
  await here.stop();
});
