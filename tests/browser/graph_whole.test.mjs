// The Graph page on a program of 5,143 instructions that ran: the controls that the other files use on smaller programs, or not at
// all. What is clicked is what a person clicks; what is asserted is what they read.
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';

import { becomes, copied, download, eachLook, inAddress, isDrawn, quit, read, toastSays, until, viewOf, withPage } from './lib.mjs';
import { canvas, clickOn, drawn, isHere, painted, placeOf, says, twin } from './graph.mjs';
import { settled } from './trace.mjs';
import { countOf, LAYERS, MODULE, RUN, serveWhole } from './whole.mjs';

let server;
before(async () => {
  server = await serveWhole();
});
after(async () => {
  await quit();
  await server?.stop();
});

const hash = (view) => `#${new URLSearchParams({ run: RUN, tool: 'graph', module: MODULE, ...view })}`;
const camera = async (page) => (await canvas(page).getAttribute('data-camera')).split(' ').map(Number);
const card = (page) => page.getByRole('complementary', { name: 'details' });
const tree = (page) => page.getByRole('tree', { name: 'computations' });
const row = (page, name) => tree(page).locator('.g-tree-row').filter({ hasText: name }).first();
const searchSays = (page) => read(page.locator('.g-search-line [role=status]'));

test('the program has the size that is claimed', async () => {
  const { instructions } = await server.api('graph/overview', { run: RUN, module: MODULE });
  assert.equal(instructions, countOf(LAYERS));
  assert.ok(instructions >= 5000);
});

test('the badge: what was measured, or the compiler’s estimate', async () => {
  await withPage(server.url, { hash: hash({ op: '%matmul_fusion', r: 1 }) }, async (page) => {
    await isHere(page, 'all-reduce.1');
    // It ran twice, a microsecond each.
    await until('the mean of two runs', async () => /, 1\.0 µs ×2,/.test(await says(page, 'matmul_fusion').first().textContent()));
    await page.getByLabel('badge', { exact: true }).selectOption('estimate');
    await inAddress(page, { gb: 'estimate' });
    await until('the estimate', async () => /, 90,000 cycles,/.test(await says(page, 'matmul_fusion').first().textContent()));
    await page.getByLabel('badge', { exact: true }).selectOption({ label: 'Average, 2 runs' });
    await inAddress(page, { gb: null });
    await until('the mean again', async () => /, 1\.0 µs ×2,/.test(await says(page, 'matmul_fusion').first().textContent()));
  });
});

test('a search with more hits than one page: Enter and Shift+Enter visit all and wrap around; more hits, earlier hits', async () => {
  await withPage(server.url, { hash: hash({ op: '%fusion.1', r: 1 }) }, async (page) => {
    await isHere(page, 'fusion.1');
    const field = page.getByLabel('find ops in the module');
    await field.fill('exponential.');
    await page.getByLabel('field', { exact: true }).selectOption('name');
    await becomes(() => searchSays(page), '640 hits of 5,143');
    await field.press('Enter');
    await inAddress(page, { op: '%exponential.0' });
    // The one before the first is the last of all.
    await field.press('Shift+Enter');
    await inAddress(page, { op: '%exponential.639' });
    await becomes(() => searchSays(page), '640 of 640 hits');
    await page.locator('.g-hits').getByRole('button', { name: '600 before' }).click();
    await page.locator('.g-hits').getByRole('button', { name: /^exponential\.599 / }).click();
    await becomes(() => searchSays(page), '600 of 640 hits');
    // On from the last that was asked for.
    await field.press('Enter');
    await inAddress(page, { op: '%exponential.600' });
    await field.press('Shift+Enter');
    await inAddress(page, { op: '%exponential.599' });
    await page.evaluate((at) => { location.hash = at; }, hash({ op: '%exponential.639', gq: 'exponential.', gqf: 'name' }));
    await inAddress(page, { op: '%exponential.639' });
    await page.locator('.g-hits').getByRole('button', { name: 'before' }).waitFor();
    await field.press('Enter');
    await inAddress(page, { op: '%exponential.0' });
    await becomes(() => searchSays(page), '1 of 640 hits');
    // More and more of them, until all are listed.
    for (const left of ['440 more', '240 more', '40 more']) await page.locator('.g-hits').getByRole('button', { name: left, exact: true }).click();
    await page.locator('.g-hits').getByRole('button', { name: /^exponential\.639 / }).click();
    await inAddress(page, { op: '%exponential.639' });
    assert.equal(await page.locator('.g-hits').getByRole('button', { name: /more$/ }).count(), 0);
  });
});

test('rows of the tree: a group opens, a repeated scope opens, an op is drawn, a computation is drawn; the heaviest', async () => {
  await withPage(server.url, { hash: hash({ op: '%fusion.1', r: 1 }) }, async (page) => {
    await isHere(page, 'fusion.1');
    // The whole entry computation, and the layers folded to one row that says how many.
    await until('main', async () => /^▾ main ENTRY 2,57\d /.test(await read(row(page, 'main'))));
    await until('layers', async () => /layer_\* ×640 640 × 4/.test(await read(row(page, 'layer_'))));
    await row(page, 'layer_').locator('.g-tree-name').click();
    await until('what is in a layer', async () => (await tree(page).locator('.g-tree-row[aria-level="3"]').count()) > 0);
    await row(page, 'head').locator('.g-twist').click();
    await row(page, 'matmul_fusion').locator('.g-tree-name').click();
    await inAddress(page, { op: '%matmul_fusion' });
    await isHere(page, 'all-reduce.1');
    await row(page, 'called regions').locator('.g-tree-name').click();
    await row(page, 'region_sum').locator('.g-tree-name').click();
    await inAddress(page, { comp: 'region_sum', op: null });
    await isHere(page, 'plus');
    assert.deepEqual((await drawn(page)).sort(), ['left', 'plus', 'right']);
    await page.locator('.g-heavy').getByRole('button', { name: /^matmul_fusion/ }).click();
    await inAddress(page, { op: '%matmul_fusion', comp: null });
  });
});

test('details: of a computation and its callers, of nothing; closed and opened again', async () => {
  await withPage(server.url, { hash: hash({ op: '%while.1', r: 1 }) }, async (page) => {
    await isHere(page, 'while.1');
    const text = page.getByRole('grid', { name: 'HLO text' });
    await text.locator('.g-line.on').waitFor();
    const { lines } = await page.evaluate(async (at) => ({ lines: (await (await fetch(at)).text()).split('\n') }), `${server.url}api/v1/graph/text?${new URLSearchParams({ run: RUN, module: MODULE, format: 'long', metadata: 1 })}`);
    const head = lines.findIndex((line) => line.startsWith('%while_body '));
    await page.evaluate((at) => { location.hash = at; }, hash({ op: '%while.1', r: 1, line: head + 1 }));
    await until('what the line begins', async () => /^while_body a computation of 4 instructions/.test(await read(card(page))));
    await card(page).getByRole('button', { name: 'draw it' }).click();
    await inAddress(page, { comp: 'while_body', op: null, line: null });
    await isHere(page, 'turned');
    // Without an instruction: all computations.
    await until('the list', async () => /^Computations 645/.test(await read(card(page))));
    await card(page).getByRole('button', { name: 'region_sum', exact: true }).click();
    await inAddress(page, { comp: 'region_sum' });
    await card(page).getByRole('button', { name: 'close the details' }).click();
    await card(page).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'details', exact: true }).click();
    await card(page).waitFor();
    await page.goBack();
    await page.goBack();
    await inAddress(page, { line: String(head + 1) });
    await card(page).getByRole('button', { name: 'while.1', exact: true }).click();
    await inAddress(page, { op: '%while.1', line: null });
    await card(page).getByRole('button', { name: 'close the explanation' }).click();
    await card(page).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'details', exact: true }).click();
    await until('the op again', async () => (await read(card(page))).startsWith('while.1'));
  });
});

test('notes: problems in the file', async () => {
  await withPage(server.url, { hash: hash({ op: '%fusion.1', r: 1 }) }, async (page) => {
    await page.locator('.g-count').getByRole('button', { name: '1 note' }).click();
    const list = page.getByRole('dialog', { name: 'notes' });
    await until('the literal', async () => /the literal of %short is cut short: 1 of 4 values/.test(await read(list)));
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'detached' });
  });
});

test('without an op in the link, and the overview fails: said, and asked again', async () => {
  await withPage(server.url, { hash: '#tool=files' }, async (page, { forgive }) => {
    let fails = true;
    await page.route(/graph\/overview/, (route) => (fails ? route.fulfill({ status: 500, contentType: 'application/json', body: '{"error":{"code":"internal","message":"the disk is gone"}}' }) : route.continue()));
    await page.evaluate((at) => { location.hash = at; }, hash({}));
    await until('why there is no drawing', async () => /The graph cannot be drawn the disk is gone/.test(await read(page.locator('.g-empty'))));
    fails = false;
    await page.locator('.g-stage').getByRole('button', { name: 'Try again' }).click();
    await inAddress(page, { op: '%fusion.0' });
    await isHere(page, 'fusion.0');
    forgive(/500/);
  });
});

eachLook('gestures: the middle button and the horizontal wheel pan, a drag on the overview, a click on empty space clears the selection', async (look) => {
  await withPage(server.url, { ...look, hash: hash({ op: '%add.3', r: 2, merge: 1 }) }, async (page) => {
    await isHere(page, 'negate.3');
    await painted(page);
    const frame = await canvas(page).boundingBox();
    const moves = async (what, act, [dx, dy]) => {
      const [x, y, zoom] = await camera(page);
      await act();
      await until(what, async () => {
        const now = await camera(page);
        return Math.abs((now[0] - x) * zoom - dx) < 1.5 && Math.abs((now[1] - y) * zoom - dy) < 1.5 && now[2] === zoom;
      });
    };
    await page.mouse.move(frame.x + 40, frame.y + 40);
    await moves('a wheel sideways', () => page.mouse.wheel(90, 0), [90, 0]);
    await moves('the middle button', async () => {
      await page.mouse.down({ button: 'middle' });
      await page.mouse.move(frame.x + 110, frame.y + 70, { steps: 4 });
      await page.mouse.up({ button: 'middle' });
    }, [-70, -30]);
    await canvas(page).focus();
    for (const key of ['Shift+W', 'Shift+S']) {
      const [, , zoom] = await camera(page);
      await page.keyboard.press(key);
      await until(`${key}: four steps at once`, async () => Math.abs((await camera(page))[2] / zoom / (key === 'Shift+W' ? 1.25 ** 4 : 0.8 ** 4) - 1) < 0.02);
    }
    for (const key of ['Shift+D', 'Shift+A']) await moves(key, () => page.keyboard.press(key), [(key === 'Shift+D' ? 0.6 : -0.6) * frame.width, 0]);
    await page.keyboard.press('w');
    await page.keyboard.press('z');
    await until('all of it', async () => {
      const [x, y, zoom] = await camera(page);
      const boxes = await twin(page).locator('button').evaluateAll((all) => all.map((one) => one.dataset.box.split(' ').map(Number)));
      return boxes.every(([bx, by, w, h]) => bx >= x - 1 && by >= y - 1 && bx + w <= x + frame.width / zoom + 1 && by + h <= y + frame.height / zoom + 1);
    });
    // The overview, held and dragged.
    await page.keyboard.press('Shift+W');
    const mini = page.getByRole('img', { name: 'overview of the drawing' });
    const box = await mini.boundingBox();
    await page.mouse.move(box.x + 30, box.y + 30);
    await page.mouse.down();
    const held = await camera(page);
    await page.mouse.move(box.x + 60, box.y + 40, { steps: 3 });
    await until('it follows', async () => (await camera(page))[0] > held[0]);
    await page.mouse.up();
    // Two picked, then a click where nothing is.
    await page.keyboard.press('z');
    await page.keyboard.down('Control');
    await clickOn(page, 'negate.3');
    await page.keyboard.up('Control');
    await until('two', async () => /^2 ops/.test(await read(page.locator('.g-sum'))));
    await page.mouse.click(frame.x + 4, frame.y + frame.height - 4);
    await inAddress(page, { gsel: null });
    assert.equal(viewOf(page).op, '%add.3', 'what was selected before stays');
  });
});

test('keys: nearest nodes in four directions, text pane, Escape step by step, link, table, module', async () => {
  await withPage(server.url, { hash: hash({ op: '%fusion.7', r: 1, merge: 1 }) }, async (page) => {
    await isHere(page, 'negate.7');
    await canvas(page).focus();
    await page.keyboard.press('ArrowDown');
    await until('below', () => /%(negate|exponential)\.7$/.test(viewOf(page).op));
    const below = viewOf(page).op;
    const [here] = await placeOf(page, below.slice(1));
    const other = below === '%negate.7' ? '%exponential.7' : '%negate.7';
    const [there] = await placeOf(page, other.slice(1));
    await page.keyboard.press(there > here ? 'ArrowRight' : 'ArrowLeft');
    await inAddress(page, { op: other });
    await page.keyboard.press(there > here ? 'ArrowLeft' : 'ArrowRight');
    await inAddress(page, { op: below });
    await page.keyboard.press('ArrowUp');
    await inAddress(page, { op: '%fusion.7' });
    // The text: to its bar, and back.
    const height = async () => Number(await page.getByRole('separator', { name: 'height of the text' }).getAttribute('aria-valuenow'));
    const usual = await height();
    await page.keyboard.press('Shift+T');
    await becomes(height, 28);
    await page.keyboard.press('Shift+T');
    await becomes(height, usual);
    // Escape: the box of the path, the path, then the selection that is not the middle.
    await clickOn(page, 'negate.7');
    await inAddress(page, { op: '%negate.7', c: '%fusion.7' });
    await page.keyboard.press('p');
    await page.getByLabel('end of the path').fill('add.7');
    await page.getByLabel('end of the path').press('Enter');
    await inAddress(page, { pathto: '%add.7' });
    await canvas(page).focus();
    await page.keyboard.press('p');
    await page.getByLabel('end of the path').waitFor();
    await canvas(page).focus();
    await page.keyboard.press('Escape');
    await page.getByLabel('end of the path').waitFor({ state: 'detached' });
    await inAddress(page, { pathto: '%add.7' });
    await page.keyboard.press('Escape');
    await inAddress(page, { pathto: null, op: '%negate.7' });
    await page.keyboard.press('Escape');
    await inAddress(page, { op: '%fusion.7', c: null });
    // A link copied while the zoom is still to be written holds it.
    await settled(page);
    await page.keyboard.press('w');
    await page.keyboard.press('y');
    await toastSays(page, /link copied/);
    await settled(page);
    assert.match(viewOf(page).gv, /,\d/);
    assert.equal(await copied(page), page.url());
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: /help|keys/i });
    await until('the keys of this page', async () => /go to an operand, a user/.test(await read(help)));
    await page.keyboard.press('Escape');
    await page.keyboard.press('i');
    await card(page).waitFor({ state: 'detached' });
    await page.keyboard.press('i');
    await card(page).waitFor();
    await settled(page);
    await page.keyboard.press('Alt+ArrowDown');
    await inAddress(page, { module: 'other(78)' });
    await isHere(page, 'elsewhere.1');
    await page.goBack();
    await inAddress(page, { module: MODULE, op: '%fusion.7' });
    await isHere(page, 'negate.7');
  });
});

test('the list of drawn ops for screen readers: its buttons select and follow', async () => {
  await withPage(server.url, { hash: hash({ op: '%negate.0', r: 1, merge: 1 }) }, async (page) => {
    await isHere(page, 'fusion.0');
    const press = (name) => says(page, name).first().evaluate((button) => button.click());
    await press('add.0');
    await inAddress(page, { op: '%add.0', c: '%negate.0' });
    await twin(page).locator('button', { hasText: /^→ far, line \d+, far user of negate\.0/ }).evaluate((button) => button.click());
    await inAddress(page, { op: '%far', c: null });
    await isHere(page, 'far');
  });
});

test('a count at the outer ring centres its op', async () => {
  await withPage(server.url, { hash: hash({ op: '%fusion.9', r: 1, merge: 1 }) }, async (page) => {
    await isHere(page, 'add.8');
    assert.match(await says(page, 'add.8').first().textContent(), /operands? hidden/);
    await clickOn(page, 'add.8', {}, [0.5, 0]);
    await inAddress(page, { op: '%add.8', c: null });
    await isHere(page, 'negate.8');
  });
});

test('an op of another program: the palette searches all programs', async () => {
  await withPage(server.url, { hash: hash({ op: '%elsewhere.1' }) }, async (page, { forgive }) => {
    await until('the sentence', async () => /^No op named elsewhere\.1 in everything/.test(await read(page.locator('.g-empty'))));
    await page.getByRole('button', { name: 'search all 2 modules' }).click();
    const field = page.getByLabel('search everything');
    await becomes(() => field.inputValue(), '%elsewhere.1');
    await until('where it is', async () => /elsewhere\.1.*other/.test(await read(page.getByRole('dialog').filter({ has: field }))));
    await page.keyboard.press('Enter');
    await inAddress(page, { module: 'other(78)' });
    await until('the op of the other program', async () => /elsewhere\.1/.test(await read(page.locator('.m-card-title, .x-title').first())));
    forgive(/404/);
  });
});

test('a graph and a text that fail: each shows the error, and can be retried', async () => {
  await withPage(server.url, { hash: '#tool=files' }, async (page, { forgive }) => {
    let fails = true;
    await page.route(/graph\/(around|text)/, (route) => (fails ? route.fulfill({ status: 500, contentType: 'application/json', body: '{"error":{"code":"internal","message":"the disk is gone"}}' }) : route.continue()));
    await page.evaluate((at) => { location.hash = at; }, hash({ op: '%fusion.1', x: '5' }));
    await until('the drawing says why', async () => /The graph cannot be drawn the disk is gone/.test(await read(page.locator('.g-empty'))));
    await until('so does the text', async () => /cannot be shown the disk is gone/.test(await read(page.locator('.g-text-part'))));
    fails = false;
    await page.locator('.g-text-part').getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('grid', { name: 'HLO text' }).locator('.g-line').first().waitFor();
    await page.locator('.g-stage').getByRole('button', { name: 'Try again' }).click();
    await isHere(page, 'fusion.1');
    await until('a drawing', () => isDrawn(canvas(page)));
    fails = true;
    await page.evaluate((at) => { location.hash = at; }, hash({ op: '%fusion.2', x: '5' }));
    await page.getByRole('button', { name: 'Start over' }).waitFor();
    fails = false;
    await page.getByRole('button', { name: 'Start over' }).click();
    await inAddress(page, { x: null, op: '%fusion.0' });
    await isHere(page, 'fusion.0');
    forgive(/500/);
  });
});

test('saved: the drawing of a computation as SVG, PNG and DOT', async () => {
  await withPage(server.url, { hash: hash({ comp: 'while_body' }) }, async (page) => {
    await isHere(page, 'turned');
    await painted(page);
    const save = async (name) => {
      await page.getByTitle('save the drawing').first().click();
      return download(page, () => page.locator('.m-menu').getByText(name).click());
    };
    const svg = await save(/^SVG/);
    for (const name of ['carried', 'turned', 'next_state']) assert.ok(svg.text.includes(`>${name}</text>`), name);
    const dot = await save(/^DOT/);
    assert.match(dot.text, /^digraph G \{/);
    assert.ok(dot.text.includes('turned'), 'the ops of the computation');
    assert.equal((await save(/^PNG/)).bytes.subarray(1, 4).toString(), 'PNG');
  });
});

test('an overview that comes late chooses no op for the page that was opened meanwhile', async () => {
  await withPage(server.url, { hash: '#tool=files' }, async (page) => {
    let letGo = () => {};
    const held = new Promise((done) => { letGo = done; });
    let [asked, answered] = [0, 0];
    await page.route(/graph\/overview/, async (route) => {
      asked++;
      await held;
      await route.continue().catch(() => {});
      answered++;
    });
    await page.evaluate((at) => { location.hash = at; }, hash({}));
    await until('the question', () => asked > 0);
    await page.evaluate((at) => { location.hash = at; }, hash({ tool: 'trace' }));
    await page.locator('.trace').waitFor();
    letGo();
    await until('the answer', () => answered > 0);
    await settled(page);
    assert.deepEqual([viewOf(page).op, viewOf(page).find, viewOf(page).ev], [undefined, undefined, undefined]);
  });
});
