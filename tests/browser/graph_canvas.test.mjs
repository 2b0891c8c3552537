// The drawn graph, on a program of 5,609 instructions written here: every control, by mouse and by keys.
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';

import { becomes, download, eachLook, inAddress, isDrawn, pictureOf, putFile, quit, read, serve, settled, temporary, until, viewOf, withPage } from './lib.mjs';
import { xspace } from './hlo.mjs';
import { canvas, clickOn, drawn, isHere, painted, placeOf, says, twin } from './graph.mjs';
import { countOf, layered } from './layered.mjs';

const LAYERS = 700;
const RUN = 'layers/1';

let server;
before(async () => {
  const root = temporary('browser');
  putFile(root, 'layers/plugins/profile/1/host0.xplane.pb', xspace([{ name: 'layered', id: 77, hlo: layered(LAYERS) }]));
  server = await serve(root);
});
after(async () => {
  await quit();
  await server?.stop();
});

const hash = (view) => `#${new URLSearchParams({ run: RUN, tool: 'graph', ...view })}`;
test('the program has the size that is claimed', async () => {
  const text = await (await fetch(`${server.url}api/v1/graph/text?run=${RUN}&format=long`)).text();
  assert.equal(text.split('\n').filter((line) => /^ {2}(ROOT )?%/.test(line)).length, countOf(LAYERS));
  assert.ok(countOf(LAYERS) >= 5000);
});

eachLook('a neighbourhood is drawn: the opened fusion, its operands and users, chips, a far user', async (look) => {
  await withPage(server.url, { ...look, hash: hash({ op: '%fusion.0', r: 1 }) }, async (page) => {
    await isHere(page, 'fusion.0');
    await until('pixels', () => isDrawn(canvas(page)));
    assert.deepEqual((await drawn(page)).sort(), ['exponential.0', 'fusion.0', 'multiply.0', 'negate.0', 'sum.0', 'w', 'x'].sort());
    assert.match(await says(page, 'fusion.0').textContent(), /opened/);
    assert.match(await says(page, 'sum.0').textContent(), /ROOT/);
    assert.match(await says(page, 'multiply.0').textContent(), /0\/mul, f32\[1048576\], 4 MiB/);
    // w is used by every layer: what is not shown is said.
    assert.match(await says(page, 'w').textContent(), new RegExp(`${LAYERS} users, showing 1`));
    await becomes(async () => /^7( of 5,609)? ops/.test(await read(page.locator('.g-count'))), true);
    assert.match(await read(page.locator('.g-count')), /laid out in \d+ ms/);
    assert.deepEqual(await read(page.getByRole('navigation', { name: 'where this is' })), 'main layer_0 fusion.0');
    // The far user of the first layer's negate is a stub that can be followed.
    await clickOn(page, 'negate.0');
    await inAddress(page, { op: '%negate.0', c: '%fusion.0' });
    await page.mouse.dblclick(...(await placeOf(page, 'negate.0')));
    await inAddress(page, { op: '%negate.0', c: null });
    const stub = twin(page).locator('button', { hasText: /^→ far\.99, line \d+, far user of negate\.0/ });
    await stub.waitFor({ state: 'attached' });
    await clickOn(page, '→ far.99');
    await inAddress(page, { op: '%far.99' });
    await isHere(page, 'far.99');
    await page.getByRole('button', { name: 'back', exact: true }).click();
    await inAddress(page, { op: '%negate.0' });
    await page.getByRole('button', { name: 'forward', exact: true }).click();
    await inAddress(page, { op: '%far.99' });
    await page.goBack();
    await isHere(page, '→ far.99');
    // With Shift the arrow is drawn instead.
    await page.keyboard.down('Shift');
    await clickOn(page, '→ far.99');
    await page.keyboard.up('Shift');
    await until('the op at the end of the far arrow', async () => (await drawn(page)).includes('far.99'));
    assert.match(viewOf(page).keep, /^\d+:\d+$/);
  });
});

eachLook('radius, merged fusions, every op, opening and folding, more users', async (look) => {
  await withPage(server.url, { ...look, hash: hash({ op: '%fusion.5', r: 1 }) }, async (page) => {
    await isHere(page, 'multiply.5');
    await page.getByRole('button', { name: 'larger radius' }).click();
    await inAddress(page, { r: '2' });
    await isHere(page, 'add.5');
    await page.keyboard.press('-');
    await inAddress(page, { r: '1' });
    await until('one step less', async () => !(await drawn(page)).includes('add.5'));
    await page.keyboard.press('+');
    await inAddress(page, { r: '2' });
    await page.getByRole('button', { name: 'smaller radius' }).click();
    await page.getByRole('switch', { name: 'Merge fusions' }).check({ force: true });
    await inAddress(page, { merge: '1' });
    await until('one box', async () => !(await drawn(page)).includes('multiply.5'));
    await page.keyboard.press('e');
    await isHere(page, 'multiply.5');
    assert.match(viewOf(page).x, /^\d+$/);
    await clickOn(page, 'fusion.5', {}, [0.02, 0.04]);
    await until('folded by its triangle', async () => !(await drawn(page)).includes('multiply.5'));
    await inAddress(page, { x: 'none' });
    await page.getByRole('switch', { name: 'Merge fusions' }).uncheck({ force: true });
    await isHere(page, 'multiply.5');
    await page.getByRole('switch', { name: 'Every op' }).check({ force: true });
    await inAddress(page, { all: '1' });
    await isHere(page, 'p0.5');
    await page.getByRole('switch', { name: 'Every op' }).uncheck({ force: true });
    await until('parameters of the body folded away', async () => !(await drawn(page)).includes('p0.5'));
    // 16 users of 700, then 32.
    await page.goto(`${server.url}${hash({ op: '%w', r: 1, merge: 1 })}`);
    await until('users', async () => /700 users, showing 16/.test(await says(page, 'w').textContent()));
    await clickOn(page, 'w', {}, [0.5, 1]);
    await until('16 more', async () => /700 users, showing 32/.test(await says(page, 'w').textContent()));
    assert.match(viewOf(page).more, /^\d+:32$/);
  });
});

eachLook('keys walk operands and users and the nearest nodes; zoom, pan, fit, reset', async (look) => {
  await withPage(server.url, { ...look, hash: hash({ op: '%add.3', r: 2, merge: 1 }) }, async (page) => {
    await isHere(page, 'negate.3');
    await canvas(page).focus();
    await page.keyboard.press('[');
    await inAddress(page, { op: '%negate.3' });
    // Again: the other operand, and round to the first.
    await page.keyboard.press('[');
    await inAddress(page, { op: '%exponential.3' });
    await page.keyboard.press('[');
    await inAddress(page, { op: '%negate.3' });
    await page.keyboard.press(']');
    await inAddress(page, { op: '%add.3' });
    await page.keyboard.press('ArrowUp');
    await until('one above', async () => viewOf(page).op !== '%add.3');
    const camera = async () => (await canvas(page).getAttribute('data-camera')).split(' ').map(Number);
    const changes = async (what, act) => {
      const was = (await camera()).join();
      await act();
      await until(what, async () => (await camera()).join() !== was);
    };
    const zoom = (await camera())[2];
    await changes('closer', () => page.keyboard.press('w'));
    assert.ok((await camera())[2] > zoom);
    await changes('further', () => page.keyboard.press('s'));
    await changes('to the right', () => page.keyboard.press('d'));
    await changes('to the left', () => page.keyboard.press('a'));
    await changes('the selection', () => page.keyboard.press('f'));
    await changes('everything', () => page.keyboard.press('0'));
    await changes('fit by its button', () => page.getByTitle(/^fit the selection/).click());
    const frame = await canvas(page).boundingBox();
    await page.mouse.move(frame.x + frame.width / 3, frame.y + frame.height / 3);
    // The wheel zooms at the cursor: what is under it stays there.
    const under = async () => { const [x, y, z] = await camera(); return [x + frame.width / 3 / z, y + frame.height / 3 / z]; };
    const before = await under();
    await changes('wheel', () => page.mouse.wheel(0, -200));
    const now = await under();
    assert.ok(Math.hypot(now[0] - before[0], now[1] - before[1]) < 0.5, 'the place under the cursor stays');
    await page.keyboard.down('Shift');
    await changes('wheel with Shift', () => page.mouse.wheel(0, 120));
    await changes('drag with Shift', async () => {
      await page.mouse.down();
      await page.mouse.move(frame.x + frame.width / 3 + 90, frame.y + frame.height / 3 + 40, { steps: 4 });
      await page.mouse.up();
    });
    await page.keyboard.up('Shift');
    await page.keyboard.press('0');
    // The overview: a click goes there, it can be closed.
    const mini = page.getByRole('img', { name: 'overview of the drawing' });
    await changes('closer', () => page.keyboard.press('Shift+W'));
    await changes('a click on the overview', () => mini.click({ position: { x: 20, y: 50 } }));
    await mini.hover();
    await page.getByRole('button', { name: 'close the overview' }).click();
    await mini.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'overview' }).click();
    await mini.waitFor();
  });
});

eachLook('hover, selecting several and their sums, colours with a legend', async (look) => {
  await withPage(server.url, { ...look, hash: hash({ op: '%fusion.7', r: 1, merge: 1 }) }, async (page) => {
    await isHere(page, 'negate.7');
    await page.mouse.move(...(await placeOf(page, 'negate.7')));
    await until('the box beside the pointer', async () => /^negate\.7 negate · line \d+ jit\(f\)\/layer_7\/neg f32\[1048576\]\{0\} 4 MiB/.test(await read(page.locator('.m-hover')).catch(() => '')), 2000);
    await until('the source line', async () => /model\.py:21/.test(await read(page.locator('.m-hover'))));
    await page.keyboard.down('Control');
    await clickOn(page, 'negate.7');
    await clickOn(page, 'exponential.7');
    await page.keyboard.up('Control');
    const sum = page.locator('.g-sum');
    await becomes(async () => (await read(sum)).replace(/ clear$/, '').split(' of results')[0], '3 ops 12 MiB');
    await until('both in the address', async () => viewOf(page).gsel?.split(',').length === 2);
    await sum.getByRole('button', { name: 'clear' }).click();
    await inAddress(page, { gsel: null });
    // A rectangle over everything.
    const frame = await canvas(page).boundingBox();
    await page.mouse.move(frame.x + 3, frame.y + 3);
    await page.mouse.down();
    await page.mouse.move(frame.x + frame.width - 130, frame.y + frame.height - 4, { steps: 5 });
    await page.mouse.up();
    const count = (await drawn(page)).length;
    await until('all of them', async () => Number(/^(\d+) ops/.exec(await read(sum))[1]) >= count - 1);
    await page.keyboard.press('Escape');
    await inAddress(page, { gsel: null });
    // With nothing under the pointer, as later when it is on the buttons, and nothing left to be drawn.
    await page.mouse.move(2, 2);
    await settled(page);
    const plain = await pictureOf(canvas(page));
    for (const by of ['Time', 'Bytes', 'FLOP/s', 'Memory at peak']) {
      const name = { Time: 'time', Bytes: 'bytes', 'FLOP/s': 'flops', 'Memory at peak': 'peak' }[by];
      if (look.size.width > 1800) await page.getByRole('button', { name: by, exact: true }).click();
      else await page.getByLabel('colour', { exact: true }).selectOption(name);
      await inAddress(page, { gc: name });
      const legend = page.locator('.g-legend');
      if (name === 'time') await until('a scale', async () => /^Time: 0 1,007 cycles/.test(await read(legend)));
      if (name === 'bytes') await until('a scale', async () => /^Bytes: 0 4 MiB/.test(await read(legend)));
      if (name === 'flops') await until('why there is no scale', async () => /^the device is unknown: enter its clock and peak in Explain/.test(await read(legend)));
      if (name === 'peak') await until('what is held', async () => /^Memory at peak: 0|nothing here is live|is not known/.test(await read(legend)));
    }
    if (look.size.width > 1800) await page.getByRole('button', { name: 'Op group', exact: true }).click();
    else await page.getByLabel('colour', { exact: true }).selectOption('group');
    await becomes(() => pictureOf(canvas(page)), plain, 'the picture as it was');
    assert.match(await read(page.locator('.g-legend')), /elementwise/);
  });
});

eachLook('search over the module: field, pattern, n of m, marked in the drawing', async (look) => {
  await withPage(server.url, { ...look, hash: hash({ op: '%fusion.1', r: 1 }) }, async (page) => {
    await isHere(page, 'fusion.1');
    await page.keyboard.press('/');
    await page.keyboard.type('exponential');
    const line = page.locator('.g-search-line [role=status]');
    await until('all of them', async () => /^700 hits/.test(await read(line)));
    await page.keyboard.press('Enter');
    await inAddress(page, { op: '%exponential.0' });
    await until('one of many', async () => /^1 of 700 hits/.test(await read(line)));
    await page.keyboard.press('Enter');
    await inAddress(page, { op: '%exponential.1' });
    await page.keyboard.press('Shift+Enter');
    await inAddress(page, { op: '%exponential.0' });
    const field = page.getByLabel('find ops in the module');
    await field.fill('^far\\.[0-9]+$');
    await page.getByRole('button', { name: 'regular expression' }).click();
    await page.getByLabel('field', { exact: true }).selectOption('name');
    await inAddress(page, { gqre: '1', gqf: 'name' });
    await until('seven', async () => /^7 hits/.test(await read(line)));
    await page.locator('.g-hits').getByRole('button', { name: /far\.199/ }).click();
    await inAddress(page, { op: '%far.199' });
    await field.fill('layer_12/');
    await page.getByRole('button', { name: 'regular expression' }).click();
    await page.getByLabel('field', { exact: true }).selectOption('op_name');
    await until('the six of layer 12', async () => /^6 hits/.test(await read(line)));
    await field.fill('nothing like it');
    await until('none', async () => /^0 hits/.test(await read(line)));
    await field.press('Escape');
    await inAddress(page, { gq: null });
  });
});

eachLook('path to another op, and the reason when none exists', async (look) => {
  await withPage(server.url, { ...look, hash: hash({ op: '%fusion.2', r: 2, merge: 1 }) }, async (page) => {
    await isHere(page, 'negate.2');
    await page.keyboard.press('p');
    await page.getByLabel('end of the path').fill('add.3');
    await page.getByRole('button', { name: 'Find', exact: true }).click();
    await inAddress(page, { pathto: '%add.3' });
    const path = page.getByRole('region', { name: 'path' });
    // fusion.2 → negate or exponential → add.2 → fusion.3 → one of two → add.3
    await until('five steps', async () => /^5 steps: fusion\.2 → (negate|exponential)\.2 → add\.2 → fusion\.3 → (negate|exponential)\.3 → add\.3$/.test(await read(path)));
    await path.getByRole('button', { name: 'add.2' }).click();
    await inAddress(page, { op: '%add.2' });
    await path.getByRole('button', { name: 'close the path' }).click();
    await path.waitFor({ state: 'detached' });
    await page.goto(`${server.url}${hash({ op: '%w', r: 1, pathto: '%x' })}`);
    await until('why not', async () => (await read(path)).length > 20 && !/steps/.test(await read(path)));
  });
});

eachLook('program order instead of a drawing: too many nodes, a radius that fits, try anyway, the list', async (look) => {
  await withPage(server.url, { ...look, alone: true, hash: hash({ comp: 'main' }) }, async (page) => {
    await until('300 of them', async () => /300 of 2,8\d\d nodes/.test(await read(page.locator('.g-count'))));
    await until('why a list', async () => /^2,8\d\d nodes: too many to lay out\. Showing program order · Try anyway$/.test(await read(page.locator('.g-reason'))));
    await page.getByRole('button', { name: 'Show 300 more' }).click();
    await inAddress(page, { lim: '600', try: '1' });
    // It lays out for longer than anybody waits: the page's own clock is put on, to the end of the time that it may take.
    const cancel = page.getByRole('button', { name: 'Cancel', exact: true });
    const why = page.locator('.g-reason');
    await cancel.click();
    await until('that it was cancelled', async () => /^Layout cancelled\. Showing program order/.test(await read(why)));
    await page.clock.install();
    await page.goto(`${server.url}${hash({ comp: 'main', lim: 900, try: 1 })}`);
    await cancel.waitFor();
    await until('that it took too long', async () => {
      await page.clock.fastForward(20_000);
      return /nodes: the layout took longer than 20 s\. Showing program order/.test((await why.allInnerTexts()).join());
    });
    await page.clock.resume();
    const w = await server.api('graph/around', { run: RUN, node: 'w', radius: 0 });
    await page.goto(`${server.url}${hash({ op: '%w', r: 1, merge: 1, lim: 2000, more: `${w.center.ix}:500` })}`);
    const reason = why;
    await until('the reason', async () => /nodes: too many to lay out\. Showing program order/.test(await read(reason)));
    const list = page.getByRole('grid', { name: 'program order' });
    await list.locator('.vt-row').nth(3).waitFor();
    await until('an offer', async () => /Radius 0 has 1/.test(await read(reason)));
    await reason.getByRole('button', { name: /^Radius/ }).click();
    await until('it is drawn', async () => (await drawn(page)).includes('w'));
    // T: the list for whoever wants it; a row selects, the arrow keys move.
    await page.keyboard.press('t');
    await inAddress(page, { table: '1' });
    await list.locator('.vt-row.on', { hasText: /^w/ }).or(list.locator('.vt-row.on')).first().waitFor();
    assert.match(await read(page.locator('.g-list-foot')), /^2,809 ops in program order/);
    await list.locator('.vt-row', { hasText: 'negate.0' }).first().click();
    await inAddress(page, { op: '%negate.0' });
    await list.press('ArrowDown');
    await until('the next in program order', async () => viewOf(page).op === '%exponential.0');
    await list.locator('.vt-row', { hasText: 'fusion.1' }).first().getByRole('button', { name: 'draw' }).click();
    await inAddress(page, { op: '%fusion.1', c: null });
    await page.keyboard.press('t');
    await isHere(page, 'fusion.1');
  });
});

eachLook('an answer under way is not dropped when the list is closed meanwhile', async (look) => {
  await withPage(server.url, { ...look, hash: hash({ op: '%w', r: 0, merge: 1, table: '1' }) }, async (page) => {
    const list = page.getByRole('grid', { name: 'program order' });
    const row = list.locator('.vt-row', { hasText: 'fusion.1' }).first();
    await row.waitFor();
    let asked = 0;
    let letGo = () => {};
    const closed = new Promise((done) => { letGo = done; });
    await page.route(/graph\/around/, async (route) => {
      asked++;
      await closed;
      await route.continue();
    });
    await row.getByRole('button', { name: 'draw' }).click();
    await inAddress(page, { op: '%fusion.1' });
    await until('the question', () => asked > 0);
    await page.keyboard.press('t');
    await inAddress(page, { table: null });
    letGo();
    await isHere(page, 'fusion.1');
    assert.ok(!(await drawn(page)).includes('w'), 'the old drawing is gone');
  });
});

eachLook('an unknown op: the nearest names are offered', async (look) => {
  await withPage(server.url, { ...look, hash: hash({ op: '%fusion.9999' }) }, async (page, { forgive }) => {
    const words = page.locator('.g-empty');
    await until('the sentence', async () => /^No op named fusion\.9999 in layered/.test(await read(words)));
    assert.equal(await words.locator('li').count(), 5);
    await words.getByRole('button', { name: 'fusion.699' }).click();
    await inAddress(page, { op: '%fusion.699' });
    await isHere(page, 'fusion.699');
    forgive(/404/);
  });
});

eachLook('computations as a tree whose rows add up, the heaviest; without an op in the link the heaviest is drawn', async (look) => {
  const overview = await server.api('graph/overview', { run: RUN });
  await withPage(server.url, { ...look, hash: hash({}) }, async (page) => {
    await inAddress(page, { op: `%${overview.heaviest.name[0]}` });
    await isHere(page, overview.heaviest.name[0]);
    const tree = page.getByRole('tree', { name: 'computations' });
    const entry = tree.getByRole('treeitem').first();
    await until('the entry computation with its 2,809 ops', async () => /main ENTRY 2,809/.test(await read(entry)));
    assert.equal(await entry.getAttribute('aria-expanded'), 'true');
    const rows = await tree.getByRole('treeitem').count();
    await entry.getByRole('button', { name: 'fold' }).click();
    await until('folded', async () => (await tree.getByRole('treeitem').count()) < rows);
    await entry.getByRole('button', { name: 'open' }).click();
    await until('open', async () => (await tree.getByRole('treeitem').count()) === rows);
    await entry.getByRole('button', { name: /^main/ }).click();
    await inAddress(page, { comp: 'main', op: null });
    await page.locator('.g-heavy').getByRole('button').first().click();
    await inAddress(page, { op: `%${overview.heaviest.name[0]}` });
  });
});

eachLook('saved as SVG, PNG and DOT', async (look) => {
  await withPage(server.url, { ...look, hash: hash({ op: '%fusion.4', r: 1 }) }, async (page) => {
    await isHere(page, 'multiply.4');
    const save = async (name) => {
      await page.getByTitle('save the drawing').first().click();
      return download(page, () => page.locator('.m-menu').getByText(name).click());
    };
    const svg = await save(/^SVG/);
    assert.match(svg.name, /\.svg$/);
    for (const name of ['fusion.4', 'multiply.4', 'sum.4', 'w']) assert.ok(svg.text.includes(`>${name}</text>`), name);
    assert.ok(!/<script|href|onload/.test(svg.text));
    const png = await save(/^PNG/);
    assert.equal(png.bytes.subarray(1, 4).toString(), 'PNG');
    const dot = await save(/^DOT/);
    assert.match(dot.text, /^digraph G \{/);
    assert.ok(dot.text.includes('fusion.4'));
  });
});

eachLook('text, strip and drawing follow each other; links open the same thing', async (look) => {
  await withPage(server.url, { ...look, hash: hash({ op: '%fusion.6', r: 1, merge: 1 }) }, async (page, { context }) => {
    await isHere(page, 'negate.6');
    const on = page.getByRole('grid', { name: 'HLO text' }).locator('.g-line.on');
    await until('the line', async () => /%fusion\.6 = /.test(await on.innerText()));
    await clickOn(page, 'negate.6');
    await until('the line of the clicked node', async () => /%negate\.6 = /.test(await on.innerText()));
    // A name in the text that is drawn is selected there; another one moves to the middle.
    await on.getByRole('button', { name: '%fusion.6', exact: true }).click();
    await inAddress(page, { op: '%fusion.6' });
    await page.evaluate((at) => { location.hash = at; }, hash({ op: '%add.650', c: '%fusion.6', r: 1, merge: 1 }));
    await inAddress(page, { op: '%add.650', c: null });
    await isHere(page, 'add.650');
    const other = await context.newPage();
    await other.goto(page.url());
    await isHere(other, 'add.650');
    await other.close();
    await page.locator('.g-order-canvas').click({ position: { x: 4, y: 12 } });
    await until('the beginning of the program', async () => /%(x|w|fusion\.\d|negate\.\d|exponential\.\d|add\.\d)$/.test(viewOf(page).op));
  });
});
