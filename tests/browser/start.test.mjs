// The start page: a logdir with several runs, one without any, a file that is cut.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';

import { becomes, copied, csv, cutProfile, download, eachLook, exact, gib, inAddress, inUnit, isDrawn, launch, lookName, makeLogdir, makeOld, matches, mib, putFile, quit, read, serve, shoot, SIZES, temporary, testdata, toastSays, until, withPage } from './lib.mjs';

const LAYERS = 'layers/now/aot';
const DUMP = 'padded/2026_01_02/dump';
const DEMO = 'padded/2026_01_01/aot';
const MLP2 = 'train/2026_01_02/run0';
const MLP1 = 'train/2026_01_01/run0';
const CUT = 'cut/run1';
/** What each is called: the least of its path that no other has. */
const LABELS = { [LAYERS]: 'now/aot', [DUMP]: 'dump', [CUT]: 'run1', [MLP2]: '2026_01_02/run0', [DEMO]: 'padded/…/aot', [MLP1]: '2026_01_01/run0' };
/** As listed, newest first. */
const ORDER = [LAYERS, DUMP, CUT, MLP2, DEMO, MLP1];
const PEAKS = { [LAYERS]: 6937462272, [DUMP]: 24590436352, [CUT]: 9226032, [MLP2]: 9226032, [DEMO]: 620361728, [MLP1]: 9226032 };

let root;
let server;
before(async () => {
  root = makeLogdir({
    'layers/now': join(testdata, 'tpu_scan_layers/logdir'),
    [DUMP]: join(testdata, 'tpu_padded_oom/xla_dump'),
    'padded/2026_01_01': join(testdata, 'tpu_padded_demo/logdir'),
    'train/2026_01_01': join(testdata, 'cpu_mlp_train/logdir'),
    'train/2026_01_02': join(testdata, 'cpu_mlp_train/logdir'),
  });
  cutProfile(root, 'cut/plugins/profile/run1/host0.xplane.pb', 0.6);
  for (const [path, minutes] of [['layers', 5], [DUMP, 130], ['cut', 600], ['train/2026_01_02', 1500], ['padded/2026_01_01', 6000], ['train/2026_01_01', 60 * 24 * 40]]) makeOld(root, path, minutes);
  server = await serve(root);
});
after(async () => {
  await quit();
  await server?.stop();
});

const rows = (page) => page.locator('.run-row');
/** Ids of the rows, from top to bottom. */
const ids = (page) =>
  rows(page).evaluateAll((all) =>
    all.map((row) => [Number(row.getAttribute('aria-rowindex')), row.querySelector('.run-name').title]).sort((a, b) => a[0] - b[0]).map(([, id]) => id));
const row = (page, id) => page.locator('.run-row', { has: page.locator(`.run-name[title="${id}"]`) });
const cell = (page, id, column) => row(page, id).locator(`.c-${column}`);
/** All cards are there: the peaks are no longer dots. */
const settled = (page) => until('all cards', async () => (await page.locator('.run-row').count()) > 0 && !(await page.locator('.run-body .c-peak').allInnerTexts()).some((text) => text.includes('…')));

const CUT_TIMES = 'times are correct; events after the cut are missing';

eachLook('the list: order, numbers, changes, problems, as the API has them', async (look) => {
  const list = await server.api('runs');
  await withPage(server.url, look, async (page) => {
    await settled(page);
    assert.deepEqual(await ids(page), ORDER);
    assert.match(await read(page.locator('.start-headline')), /^6 runs in 6 folders, newest 5 min ago · 1 with a problem Open the newest O$/);
    const ages = { [LAYERS]: '5 min', [DUMP]: '2 h', [CUT]: '10 h', [MLP2]: '1 day', [DEMO]: '4 days' };
    for (const [i, id] of list.id.entries()) {
      const card = await server.api('card', { run: id });
      assert.equal(card.peak_bytes, PEAKS[id]);
      assert.equal(list.label[i], LABELS[id]);
      assert.equal(await read(row(page, id).locator('.run-name')), LABELS[id], 'its whole name has room');
      if (ages[id]) assert.equal(await read(cell(page, id, 'when')), ages[id], id);
      assert.equal(await read(cell(page, id, 'peak')), PEAKS[id] >= 10 * 2 ** 30 ? gib(PEAKS[id]) : mib(PEAKS[id]));
      assert.equal(await cell(page, id, 'peak').locator('span').first().getAttribute('title'), exact(PEAKS[id]));
      assert.equal(await cell(page, id, 'size').locator('span').getAttribute('title'), exact(list.size_bytes[i]));
      assert.equal(await read(cell(page, id, 'hosts')), id === DUMP ? 'dump' : '1');
      assert.equal(await cell(page, id, 'module').locator('.mono').innerText(), card.module_name);
      assert.equal(await read(cell(page, id, 'device')), card.platform.toUpperCase());
      const held = await cell(page, id, 'holds').locator('[aria-label]').evaluateAll((all) => all.map((icon) => icon.getAttribute('aria-label')));
      const wanted = ['memory', 'trace', 'graph'].map((part) => (card.holds[part] === null ? `holds ${part}: open` : `no ${part}: ${card.holds[part]}`));
      assert.deepEqual(held, wanted, id);
    }
    assert.match(await read(cell(page, MLP1, 'when')), /^\d{4}-\d{2}$/, 'from 30 days on the month');
    assert.equal(await read(cell(page, MLP2, 'module')), 'jit_train_step +9');
    // Change against the run before on the same path.
    assert.equal(await read(cell(page, LAYERS, 'change')), 'none before');
    assert.equal(await read(cell(page, MLP2, 'change')), '0');
    assert.equal(await read(cell(page, MLP1, 'change')), 'none before');
    const grown = PEAKS[DUMP] - PEAKS[DEMO];
    assert.equal(await read(cell(page, DUMP, 'change')), `${inUnit(grown, 'GiB', { plus: true })} GiB`);
    assert.equal(await cell(page, DUMP, 'change').locator('span').getAttribute('title'), `${exact(grown)} since ${DEMO}`);
    // The one with a problem says what, in one line.
    assert.match(await read(row(page, CUT).locator('.problem')), /^host0\.xplane\.pb is truncated: it has 80,986 of at least 134,821 bytes \(60 %\)$/);
    assert.match(await row(page, CUT).locator('.problem').getAttribute('title'), /The file is cut short: it has 80986 bytes of at least 134821/);
    assert.equal(await page.locator('.problem').count(), 1);
    assert.match(await read(page.locator('.foot')), /showing 1–6 of 6/);
    assert.match(await read(page.locator('.scan')), new RegExp(`${list.scan.folders} folders, ${list.scan.files} files`));
    await shoot(page, `start-${lookName(look)}`);
  });
});

eachLook('filter, chips, tree, order, columns: each is in the address and comes back', async (look) => {
  await withPage(server.url, look, async (page) => {
    await settled(page);
    const field = page.getByLabel('filter the runs');
    for (const [text, wanted] of [
      ['peak>1GiB', [LAYERS, DUMP]],
      ['peak > 1 GiB layers', [LAYERS]],
      ['peak<=9MiB', [CUT, MLP2, MLP1]],
      ['change>0', [DUMP]],
      ['warn', [CUT]],
      ['host:host0 tpu', [LAYERS, DEMO]],
      ['module:padded', [DUMP, DEMO]],
      ['kind:dump', [DUMP]],
      ['zzz', []],
    ]) {
      await field.fill(text);
      await becomes(() => ids(page), wanted, text);
    }
    assert.match(await read(page.locator('.no-rows')), /^no run matches; show all 6$/);
    await page.locator('.no-rows button').click();
    await becomes(() => ids(page), ORDER);
    // Chips count, and narrow.
    const chips = () => page.locator('.start-filter .chip').allInnerTexts().then((all) => all.map((t) => t.replace(/\s+/g, ' ').trim()));
    assert.deepEqual(await chips(), ['All 6', 'Trace 3', 'Memory 6', 'TPU 3', 'CPU 3', 'Problem 1', 'Peak changed 1']);
    for (const [name, wanted] of [['Trace', [CUT, MLP2, MLP1]], ['TPU', [LAYERS, DUMP, DEMO]], ['Problem', [CUT]], ['Peak changed', [DUMP]]]) {
      await page.locator('.chip', { hasText: name }).click();
      await becomes(() => ids(page), wanted, name);
      assert.equal(await page.locator('.chip', { hasText: name }).getAttribute('aria-pressed'), 'true');
    }
    await inAddress(page, { chip: 'changed' });
    await page.reload();
    await settled(page);
    assert.deepEqual(await ids(page), [DUMP], 'after a reload');
    await page.keyboard.press('Escape');
    await becomes(() => ids(page), ORDER);
    // Tree: folders as on disk, a click narrows, the arrow opens.
    const folder = (name) => page.locator('.folder', { has: page.locator(`.folder-name[title="${name}"]`) });
    assert.deepEqual(await page.locator('.folder-name').allInnerTexts(), ['cut', 'layers', 'now', 'padded', 'train'], 'the way to the newest is open');
    await folder('train').getByRole('button', { name: 'open' }).click();
    await becomes(() => page.locator('.folder-name').allInnerTexts(), ['cut', 'layers', 'now', 'padded', 'train', '2026_01_01', '2026_01_02']);
    await folder('train').locator('.folder-name').click();
    await becomes(() => ids(page), [MLP2, MLP1]);
    await inAddress(page, { folder: 'train' });
    assert.equal(await read(folder('train').locator('.num')), '2');
    await folder('train/2026_01_01').locator('.folder-name').click();
    await becomes(() => ids(page), [MLP1]);
    await page.locator('.folder.all').click();
    await becomes(() => ids(page), ORDER);
    // Sorting by a column, both ways, and the order by path.
    const head = (name) => page.getByRole('columnheader', { name }).getByRole('button');
    await head('peak').click();
    await becomes(() => ids(page), [DUMP, LAYERS, DEMO, CUT, MLP2, MLP1]);
    assert.equal(await page.getByRole('columnheader', { name: 'peak' }).getAttribute('aria-sort'), 'descending');
    await inAddress(page, { order: 'peak' });
    await head('peak').click();
    await becomes(() => ids(page), [CUT, MLP2, MLP1, DEMO, LAYERS, DUMP]);
    await head('largest module').click();
    await becomes(() => ids(page), [DUMP, DEMO, LAYERS, CUT, MLP2, MLP1]);
    await page.getByRole('button', { name: 'By path' }).click();
    await becomes(() => ids(page), [CUT, LAYERS, DEMO, DUMP, MLP1, MLP2]);
    await page.getByRole('button', { name: 'Newest', exact: true }).click();
    await becomes(() => ids(page), ORDER);
    // Columns.
    await page.getByRole('button', { name: /^Columns/ }).click();
    await page.getByRole('checkbox', { name: 'holds' }).uncheck();
    await inAddress(page, { hide: 'holds' });
    assert.equal(await page.locator('.c-holds').count(), 0);
    await page.keyboard.press('Escape');
    await matches(() => read(page.getByRole('button', { name: /^Columns/ })), /Columns 8 of 9/);
  });
});

eachLook('keyboard: select, mark, compare, open, filter, back as it was left', async (look) => {
  await withPage(server.url, look, async (page) => {
    await settled(page);
    const selected = () => page.locator('.run-row.selected .run-name').getAttribute('title');
    assert.equal(await selected(), LAYERS);
    await page.keyboard.press('ArrowDown');
    await becomes(selected, DUMP);
    await becomes(() => page.locator('[aria-live]').innerText(), `dump, peak ${gib(PEAKS[DUMP])}, change ${inUnit(PEAKS[DUMP] - PEAKS[DEMO], 'GiB', { plus: true })} GiB`, 'said aloud');
    await page.keyboard.press('End');
    await becomes(selected, MLP1);
    await page.keyboard.press('Home');
    await becomes(selected, LAYERS);
    // Mark two: the card compares them.
    await page.keyboard.press('c');
    await toastSays(page, /pick the second/);
    assert.match(await read(page.locator('.marked-runs')), /is marked: pick the second/);
    for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Space');
    await inAddress(page, { mark: `${LAYERS}|${DEMO}` });
    const pane = page.getByLabel('two marked runs');
    assert.match(await read(page.locator('.marked-runs')), /^Compare these two C/);
    assert.equal(await read(pane.locator('.card-change b')), `${inUnit(PEAKS[DEMO] - PEAKS[LAYERS], 'MiB')} MiB`);
    const lines = await pane.locator('.compare-line').allInnerTexts();
    assert.deepEqual(lines[2].split('\n').map((t) => t.trim()), ['peak', mib(PEAKS[LAYERS]), mib(PEAKS[DEMO])]);
    // The whole comparison, by the button and by the key.
    await pane.getByRole('link', { name: /Compare these two/ }).click();
    await inAddress(page, { run: DEMO, mode: 'compare', base: LAYERS });
    await becomes(() => page.locator('.cp-canvas').count(), 1, 'the curves of both');
    await page.goBack();
    await settled(page);
    await page.keyboard.press('c');
    await inAddress(page, { run: DEMO, mode: 'compare', base: LAYERS });
    await page.goBack();
    await settled(page);
    await pane.getByRole('button', { name: 'Unmark both' }).click();
    await inAddress(page, { mark: null });
    // "/" goes to the field, Escape leaves it.
    await page.keyboard.press('/');
    await page.keyboard.type('padded');
    await becomes(() => ids(page), [DUMP, DEMO]);
    await page.keyboard.press('Escape');
    await becomes(() => ids(page), ORDER);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Shift+S');
    await inAddress(page, { order: 'peak' });
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await inAddress(page, { run: DUMP });
    await becomes(() => read(page.locator('.m-peak-big')), `Peak ${gib(PEAKS[DUMP])}`);
    await page.keyboard.press('u');
    await settled(page);
    await inAddress(page, { run: null, order: 'peak', sel: DUMP });
    // The newest, by key and by button.
    await page.keyboard.press('o');
    await inAddress(page, { run: LAYERS });
    await page.goBack();
    await settled(page);
    await page.getByRole('button', { name: /Open the newest/ }).click();
    await inAddress(page, { run: LAYERS });
    await becomes(() => read(page.locator('.m-peak-big')), `Peak ${mib(PEAKS[LAYERS])}`);
  });
});

eachLook('a row opens wherever it is clicked, its icons open their tool, and the way back leads to the list as it was left', async (look) => {
  await withPage(server.url, look, async (page) => {
    await settled(page);
    await page.getByLabel('filter the runs').fill('train/2');
    await becomes(() => ids(page), [MLP2, MLP1]);
    await cell(page, MLP1, 'device').click();
    await inAddress(page, { run: MLP1, tool: 'overview' });
    await becomes(() => page.title(), `${LABELS[MLP1]} · jit_train_step · Overview · xprofd`);
    await page.keyboard.press('u');
    await inAddress(page, { run: null, q: 'train/2', sel: MLP1 });
    await becomes(() => ids(page), [MLP2, MLP1]);
    // By a link, as a middle click and a screen reader take it, and back by the browser.
    await cell(page, MLP2, 'holds').getByLabel(/holds graph/).click();
    await inAddress(page, { run: MLP2, tool: 'graph' });
    await page.getByTitle('all runs (U)').click();
    await inAddress(page, { run: null, q: 'train/2', sel: MLP2 });
    await cell(page, MLP2, 'holds').getByLabel(/holds trace/).click();
    await inAddress(page, { run: MLP2, tool: 'trace' });
    await page.goBack();
    await inAddress(page, { run: null, q: 'train/2' });
    // Marks with the mouse: one waits for the second, two are compared.
    await row(page, MLP2).locator('.run-mark').click();
    await inAddress(page, { mark: MLP2 });
    assert.equal(await read(page.locator('.marked-runs')), `${LABELS[MLP2]} is marked: pick the second`);
    await row(page, MLP1).locator('.run-mark').click();
    await page.locator('.marked-runs a').click();
    await inAddress(page, { run: MLP1, mode: 'compare', base: MLP2 });
  });
});

eachLook('card: numbers as /api/v1/card has them', async (look) => {
  const unit = (bytes) => (bytes >= 10 * 2 ** 30 ? 'GiB' : 'MiB');
  await withPage(server.url, look, async (page) => {
    await settled(page);
    for (const id of [LAYERS, DEMO, DUMP, MLP2]) {
      const card = await server.api('card', { run: id });
      await cell(page, id, 'size').hover();
      await inAddress(page, { sel: id });
      const pane = page.getByLabel('selected run');
      await becomes(() => read(pane.locator('.card-peak b')), `${inUnit(card.peak_bytes, unit(card.peak_bytes))} ${unit(card.peak_bytes)}`);
      assert.equal(await pane.locator('.card-peak b').getAttribute('title'), exact(card.peak_bytes));
      assert.equal(await read(pane.locator('.card-title')), LABELS[id]);
      // The parts of the bar: their exact bytes are those of the split, and make up the peak.
      // The small ones stand together, "4 others 0.7", each with its bytes on hover.
      const titles = await pane.locator('.legend span[title]').evaluateAll((all) =>
        all.flatMap((key) => (/^\d+ others /.test(key.textContent.trim())
          ? key.title.split('\n').map((line) => [line.split(' ')[0], line.slice(line.indexOf(' ') + 1)])
          : key.textContent.startsWith('capacity') ? [] : [[key.textContent.trim().split(' ')[0], key.title]])));
      const words = { args: 'argument_bytes', outputs: 'output_bytes', const: 'constant_bytes', temps: 'temp_bytes', 'fragm.': 'fragmentation_bytes', thread: 'thread_local_bytes' };
      let peak = 0;
      for (const [word, title] of titles) {
        assert.equal(title.split(',').slice(0, word === 'thread' ? -1 : undefined).join(), exact(card.split[words[word]]), `${id} ${word}`);
        if (['args', 'outputs', 'const', 'temps'].includes(word)) peak += card.split[words[word]];
      }
      assert.equal(peak, card.peak_bytes, id);
      const widths = await pane.locator('.split-bar i').evaluateAll((all) => all.map((part) => part.getBoundingClientRect().width));
      const whole = await pane.locator('.split-bar').evaluate((bar) => bar.clientWidth);
      const sum = titles.reduce((all, [word]) => all + (word === 'thread' ? 0 : card.split[words[word]]), 0);
      assert.equal(sum, card.peak_bytes + card.split.fragmentation_bytes, 'the bar is what is reserved, without thread-local memory');
      const first = card.split.argument_bytes / sum;
      assert.ok(Math.abs(widths[0] / whole - first) < 0.02, `${id}: arguments are ${first} of the bar, drawn ${widths[0] / whole}`);
      await until(`${id}: the curve`, () => isDrawn(pane.locator('canvas.curve')));
      const inIt = await pane.locator('.in-it').allInnerTexts().then((all) => all.map((t) => t.replace(/\s+/g, ' ').trim()));
      assert.equal(inIt[0], `Memory ${card.steps.toLocaleString('en-US')} steps`);
      assert.equal(inIt[1], `Graph ${card.other_modules + 1} module${card.other_modules ? 's' : ''}, ${card.instructions.toLocaleString('en-US')} instructions`);
      // A run with events leads to them; one without says why it has none.
      const { hosts } = await server.api('run', { run: id });
      const events = hosts.flatMap((host) => host.planes).reduce((all, plane) => all + plane.events, 0);
      if (card.holds.trace === null) assert.equal(inIt[2], `Trace ${events.toLocaleString('en-US')} events`);
      const ways = await pane.locator('.card-actions a').evaluateAll((all) => all.map((way) => new URLSearchParams(way.getAttribute('href').slice(1)).get('tool')));
      assert.deepEqual(ways, card.holds.trace === null ? [null, 'trace', 'graph'] : [null, 'graph'], id);
      assert.equal((await read(pane.locator('.card-actions a').first())).replace(/ Enter$/, ''), card.holds.trace === null ? 'Overview' : 'Memory', `${id}: what it opens on`);
    }
    // Peaks of all runs on one path.
    const pane = page.getByLabel('selected run');
    assert.deepEqual(await pane.locator('.sibling .mono').allInnerTexts(), ['2026_01_02/run0', '2026_01_01/run0']);
    await pane.locator('.sibling').nth(1).click();
    await inAddress(page, { sel: MLP1 });
    await page.getByLabel('copy the path').click();
    await becomes(() => copied(page), MLP1);
    const graph = new URLSearchParams((await pane.locator('.in-it a', { hasText: 'Graph' }).getAttribute('href')).slice(1));
    assert.deepEqual([graph.get('run'), graph.get('tool')], [MLP1, 'graph']);
    await pane.getByRole('button', { name: 'Mark', exact: true }).click();
    await inAddress(page, { mark: MLP1 });
    await pane.locator('.card-actions a').first().click();
    await inAddress(page, { run: MLP1, tool: 'overview' });
    await page.keyboard.press('Shift+Digit2');
    await becomes(() => read(page.locator('.m-peak-big')), `Peak ${mib(PEAKS[MLP1])}`);
  });
});

eachLook('what a run opens on is what its button says: heap files, a run without a program, one that was measured', async (look) => {
  const mixed = await serve(makeLogdir({ heap: join(testdata, 'device_memory'), leak: join(testdata, 'tf_leak/logdir') }));
  const opens = { heap: ['Memory', /Memory 4 heap files/, '.hp-head h1'], 'leak/run': ['Overview', /Memory over time/, '.ov-main'] };
  const { id } = await mixed.api('runs');
  for (const run of id) {
    const [word, inIt, shows] = opens[run] ?? opens['leak/run'];
    await withPage(mixed.url, { ...look, hash: `#sel=${encodeURIComponent(run)}` }, async (page) => {
      const pane = page.getByLabel('selected run');
      await matches(() => read(pane.locator('.card-actions')), new RegExp(`^${word} `), `${run}: its button`);
      await matches(() => read(pane), inIt, `${run}: what is in it`);
      if (run === 'heap') assert.doesNotMatch(await read(pane), /no module|unknown/, 'nothing of a program that it is not');
      const row = page.locator('.run-row', { has: page.locator(`.run-name[title="${run}"]`) });
      await row.getByRole('link', { name: 'holds memory: open' }).waitFor();
      await pane.locator('.card-actions a').first().click();
      await page.locator(shows).first().waitFor();
    });
  }
  await mixed.stop();
});

eachLook('exports: CSV and JSON of what is listed, with exact numbers', async (look) => {
  const list = await server.api('runs');
  await withPage(server.url, look, async (page) => {
    await settled(page);
    await page.getByLabel('filter the runs').fill('peak>100MiB');
    await becomes(() => ids(page), [LAYERS, DUMP, DEMO]);
    const table = await download(page, () => page.getByRole('button', { name: 'CSV' }).click());
    assert.equal(table.name, 'runs.csv');
    const lines = csv(table.text);
    assert.deepEqual(lines.map((line) => line.id), [LAYERS, DUMP, DEMO]);
    for (const line of lines) {
      assert.equal(Number(line.peak_bytes), PEAKS[line.id]);
      assert.equal(Number(line.size_bytes), list.size_bytes[list.id.indexOf(line.id)]);
    }
    assert.equal(Number(lines[1].change_bytes), PEAKS[DUMP] - PEAKS[DEMO]);
    assert.equal(lines[1].change_against, DEMO);
    const file = await download(page, () => page.getByRole('button', { name: 'JSON' }).click());
    assert.equal(file.name, 'runs.json');
    assert.deepEqual(JSON.parse(file.text).map((line) => [line.id, line.peak_bytes]), [LAYERS, DUMP, DEMO].map((id) => [id, PEAKS[id]]));
  });
});

eachLook('a run that appears waits behind a pill; the list does not move by itself', async (look) => {
  const own = makeLogdir({ 'a/one': join(testdata, 'tpu_padded_demo/logdir'), 'a/two': join(testdata, 'cpu_sharded8/logdir') });
  makeOld(own, 'a', 60);
  const second = await serve(own);
  await withPage(second.url, look, async (page) => {
    await settled(page);
    const before = await ids(page);
    cpSync(join(testdata, 'cpu_mlp_train/logdir'), join(own, 'b'), { recursive: true });
    await until('the pill', async () => (await page.locator('.pill').count()) === 1, 20000);
    assert.match(await read(page.locator('.pill')), /^1 new run, show N$/);
    assert.deepEqual(await ids(page), before);
    await page.keyboard.press('n');
    await becomes(() => ids(page), ['b/run0', ...before]);
    assert.equal(await page.locator('.folder .fresh').count(), 1);
    assert.equal(await page.locator('.pill').count(), 0);
  });
  await second.stop();
});

eachLook('samples: listed where there is no profile, opened as a run on every page, and from the palette', async (look) => {
  const own = temporary('samples');
  const second = await serve(own);
  const { samples } = await second.api('runs');
  assert.ok(samples.length > 0);
  const mlp = samples.find((one) => one.id === 'sample:cpu_mlp_train');
  await withPage(second.url, look, async (page) => {
    const rows = page.locator('.samples tbody tr');
    await becomes(() => rows.count(), samples.length);
    const kb = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;
    assert.deepEqual(await rows.evaluateAll((all) => all.map((tr) => [...tr.cells].map((td) => td.textContent))), samples.map((one) => [one.title, one.shows, kb(one.size_bytes)]));
    await shoot(page, `samples-${lookName(look)}`);
    await page.locator('.samples').getByRole('link', { name: mlp.title, exact: true }).click();
    // It ran: it opens on what its steps spend their time on.
    await inAddress(page, { run: mlp.id, tool: 'overview' });
    await becomes(() => page.title(), 'sample:cpu_mlp_train · jit_train_step · Overview · xprofd');
    await page.keyboard.press('Shift+Digit2');
    await inAddress(page, { tool: 'memory' });
    // The same bytes as the capture in tests/: XProf's peak of it.
    await becomes(() => read(page.locator('.m-peak-big')), `Peak ${mib(9226032)}`);
    await becomes(() => page.title(), 'sample:cpu_mlp_train · jit_train_step · Memory · xprofd');
    for (const [keys, tool, title] of [['Shift+Digit4', 'graph', 'Graph'], ['Shift+Digit3', 'trace', 'Trace']]) {
      await page.keyboard.press(keys);
      await inAddress(page, { run: mlp.id, tool });
      await becomes(() => page.title(), `sample:cpu_mlp_train · jit_train_step · ${title} · xprofd`);
      await becomes(() => page.locator('.empty-state').count(), 0, tool);
    }
    await page.reload();
    await inAddress(page, { run: mlp.id, tool: 'trace' });
    await becomes(() => page.title(), 'sample:cpu_mlp_train · jit_train_step · Trace · xprofd');
    // Another one, by the palette.
    await page.keyboard.press('Shift+Digit2');
    await page.locator('.m-peak-big').waitFor();
    const other = samples.find((one) => one.id !== mlp.id);
    await page.keyboard.press('Control+k');
    const field = page.getByLabel('search everything');
    await field.fill(`>open sample ${other.id.slice(7)}`);
    await becomes(() => page.locator('.palette-title').allInnerTexts(), [`open sample ${other.id.slice(7)}`]);
    await field.press('Enter');
    await inAddress(page, { run: other.id });
    await becomes(() => page.locator('.m-peak-big').count(), 1);
  });
  await second.stop();
});

eachLook('empty logdir: what was looked for, how to make a profile, and one that appears opens by itself', async (look, first) => {
  const own = temporary('empty');
  putFile(own, 'notes/trace.json.gz', 'not a profile');
  putFile(own, 'run/events.out.tfevents.1', 'x');
  const second = await serve(own);
  await withPage(second.url, look, async (page) => {
    await becomes(() => read(page.locator('h1')), `No profile in ${own} yet`);
    const list = await second.api('runs');
    const patterns = await page.locator('.empty-left section:not(.samples) table.plain tbody tr').evaluateAll((all) => all.map((tr) => [tr.cells[0].textContent, tr.cells[2].textContent]));
    // Each once: what is compressed counts with the plain one.
    const counts = {};
    for (const { pattern, count } of list.looked_for) counts[pattern.replace(/\.gz$/, '')] = (counts[pattern.replace(/\.gz$/, '')] ?? 0) + count;
    assert.deepEqual(patterns, Object.entries(counts).map(([pattern, count]) => [pattern, String(count)]));
    assert.match(await read(page.locator('.empty-left')), new RegExp(`Looked at ${list.scan.files} files in ${list.scan.folders} folders`));
    assert.deepEqual(await page.locator('.found .mono').allInnerTexts(), list.found.map((item) => item.name));
    // Every recipe copies, with this logdir in it.
    for (const [name, start] of [['JAX', `import jax\nwith jax.profiler.trace("${own}"):`], ['PyTorch/XLA', 'import torch_xla'], ['A program that fails to compile', `XLA_FLAGS="--xla_dump_to=${own}/dump`]]) {
      await page.getByRole('button', { name: `copy: ${name}` }).click();
      await becomes(async () => (await copied(page)).startsWith(start), true, name);
      assert.ok((await copied(page)).includes(own), name);
    }
    await page.getByRole('button', { name: 'Copy this report' }).click();
    await until('the report', async () => (await copied(page)).includes(`no profile in ${own}`));
    for (const item of list.looked_for) assert.ok((await copied(page)).includes(`looked for: ${item.pattern}: ${item.count}`));
    await page.getByRole('button', { name: /^Look again/ }).click();
    await shoot(page, `empty-${lookName(look)}`);
    // A profile that appears: seen within the seconds between two looks.
    if (!first) return;
    mkdirSync(join(own, 'plugins/profile'), { recursive: true });
    cpSync(join(testdata, 'tpu_padded_demo/logdir/plugins/profile/aot'), join(own, 'plugins/profile/fresh'), { recursive: true });
    await until('it opens by itself', async () => (await page.locator('.m-peak-big').count()) === 1, 20000);
    await inAddress(page, { run: 'fresh' });
    assert.equal(await read(page.locator('.m-peak-big')), `Peak ${mib(620361728)}`);
  });
  await second.stop();
});

eachLook('a logdir that goes away says so, on the same page', async (look) => {
  const gone = join(temporary('gone'), 'logdir');
  mkdirSync(gone);
  const second = await serve(gone);
  rmSync(gone, { recursive: true });
  await withPage(second.url, look, async (page) => {
    await page.keyboard.press('r');
    await becomes(() => read(page.locator('h1')), `${gone} cannot be read`);
    const list = await second.api('runs');
    assert.ok(list.root_problem);
    assert.ok((await page.locator('.empty-left').innerText()).includes(list.root_problem));
  });
  await second.stop();
  // One that was never there ends the program, with the path.
  await assert.rejects(serve(gone), new RegExp(`${gone} does not exist`));
});

eachLook('one run only is opened at once; back leads to the list', async (look) => {
  const second = await serve(join(testdata, 'tpu_padded_demo/logdir'));
  await withPage(second.url, look, async (page) => {
    await page.locator('.m-peak-big').waitFor();
    await inAddress(page, { run: 'aot' });
    await page.keyboard.press('u');
    await settled(page);
    assert.deepEqual(await ids(page), ['aot']);
  });
  await second.stop();
});

eachLook('a cut file: what is missing, what still works, and healing', async (look, first) => {
  const own = temporary('cut');
  cutProfile(own, 'plugins/profile/run1/host0.xplane.pb', 0.6);
  const second = await serve(own);
  const run = await second.api('run', { run: 'run1' });
  const [host] = run.hosts;
  assert.ok(host.whole_bytes > host.size_bytes && !host.complete);
  const n = (count) => count.toLocaleString('en-US');
  await withPage(second.url, { ...look, hash: '#run=run1&tool=memory' }, async (page) => {
    const strip = page.locator('.strip.error');
    await becomes(async () => (await strip.count()) === 1 && (await read(strip.locator('.what'))),
      `host0.xplane.pb is truncated: it has ${n(host.size_bytes)} of at least ${n(host.whole_bytes)} bytes (60 %).`);
    assert.match(await read(strip), new RegExp(`It can be read up to byte ${n(host.read_until_bytes)}\\..*10 modules read whole: Memory is not affected\\.`));
    // Memory does work, with the same numbers as the whole file.
    await becomes(() => read(page.locator('.m-peak-big')), `Peak ${mib(9226032)}`);
    await strip.getByRole('button', { name: 'Copy report' }).click();
    await until('the report', async () => (await copied(page)).includes('run run1\nerror: host0.xplane.pb is truncated'));
    await strip.getByRole('link', { name: 'What works' }).click();
    await inAddress(page, { tool: 'files' });
    const bar = page.locator('.file-host');
    await bar.waitFor();
    assert.match(await read(bar), new RegExp(`host0\\.xplane\\.pb ${n(host.size_bytes)} B 10 modules, 262 events`));
    assert.match(await read(bar.locator('.file-scale')), new RegExp(`cut at ${n(host.size_bytes)} ${n(host.whole_bytes)} at least$`));
    // Widths are bytes: the missing part is its share of the bar.
    const missing = await bar.locator('.file-part.missing').evaluate((part) => part.getBoundingClientRect().width / part.parentElement.getBoundingClientRect().width);
    assert.ok(Math.abs(missing - (host.whole_bytes - host.size_bytes) / host.whole_bytes) < 0.01, `${missing}`);
    const works = await page.getByRole('table', { name: 'what works' }).locator('tbody tr').evaluateAll((all) => all.map((tr) => [...tr.cells].map((td) => td.textContent.trim())));
    assert.deepEqual(works.map((line) => line.slice(0, 2)), [
      ['Overview', '262 events'], ['Memory', '10 of 10 modules'], ['Trace', '262 events'], ['Graph', '10 of 10 modules'],
      ['Ops', '262 events'], ['Roofline', '262 events'], ['Input', '262 events'],
    ]);
    assert.deepEqual(works.map((line) => line[2]), [
      CUT_TIMES, 'exact for the modules that were read', CUT_TIMES, 'HLO text, source lines and shapes are complete', CUT_TIMES, CUT_TIMES, CUT_TIMES,
    ]);
    // The byte where the modules end stands under the bar, left of the cut.
    const mark = await page.locator('.border-mark').first().boundingBox();
    const cutAt = await page.locator('.cut-at').boundingBox();
    assert.ok(mark && mark.x + mark.width < cutAt.x, JSON.stringify([mark, cutAt]));
    // Threads that were saved are drawn, on one axis; what is missing has a line of its own.
    await until('the saved events', async () => (await page.locator('.saved-bars').count()) > 0);
    const kept = await second.api('trace/rows', { run: 'run1', derived: 0 });
    const threads = kept.rows.row.filter((_, i) => !kept.rows.hidden[i] && kept.rows.events[i] > 0).length;
    assert.equal(await page.locator('.saved-bars').count(), Math.min(10, threads));
    await until('the bars of the first thread', () => page.locator('.saved-bars').first().evaluate((canvas) =>
      canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some((value, i) => i % 4 === 3 && value > 0)));
    assert.match(await read(page.locator('.saved-line.bad')), new RegExp(`^not there the ${n(host.whole_bytes - host.size_bytes)} bytes after the cut`));
    const stop = await page.locator('.stop-line').allInnerTexts();
    assert.match(stop.at(-1).replace(/\s+/g, ' '), new RegExp(`^${n(host.size_bytes)} the file ends here ${n(host.whole_bytes - host.size_bytes)} B$`));
    await shoot(page, `cut-${lookName(look)}`);
    // The copy is made again: the page, which looks every few seconds, picks it up.
    if (!first) return;
    await page.locator('.foot', { hasText: 'watching' }).waitFor();
    cutProfile(own, 'plugins/profile/run1/host0.xplane.pb', 1);
    await until('the strip turns', async () => (await page.locator('.strip.healed').count()) === 1, 20000);
    await becomes(() => page.locator('.strip').count(), 0, 'and goes', 9000);
    assert.match(await read(bar), /1,319 events, whole/);
    await page.getByRole('link', { name: 'Open Memory' }).click();
    await becomes(() => read(page.locator('.m-peak-big')), `Peak ${mib(9226032)}`);
  });
  await second.stop();
});

test('narrow, design size and wide: what folds away, and nothing sticks out', async () => {
  await launch();
  for (const [size, has] of [
    [{ width: 900, height: 1000 }, { tree: 0, card: 0, folder: 1, device: 0 }],
    [{ width: 1200, height: 800 }, { tree: 1, card: 0, folder: 0, device: 1 }],
    [SIZES[0], { tree: 1, card: 1, folder: 0, device: 1 }],
    [SIZES[1], { tree: 1, card: 1, folder: 0, device: 1 }],
  ]) {
    await withPage(server.url, { size }, async (page) => {
      await settled(page);
      const got = {
        tree: await page.locator('.start-tree').count(),
        card: await page.locator('.start-card').count(),
        folder: await page.locator('.start-filter .picker-button', { hasText: 'folder' }).count(),
        device: await page.getByRole('columnheader', { name: 'device' }).count(),
      };
      assert.deepEqual(got, has, `${size.width}`);
      const wide = await page.evaluate(() => document.scrollingElement.scrollWidth);
      assert.ok(wide <= size.width, `${wide} px wide in a window of ${size.width}`);
      if (has.folder) {
        await page.locator('.start-filter .picker-button', { hasText: 'folder' }).click();
        await page.getByRole('option', { name: /^train 2/ }).click();
        await becomes(() => ids(page), [MLP2, MLP1]);
        assert.match(await read(cell(page, MLP1, 'module')), /jit_train_step \+9 CPU/, 'the device joins the module');
      }
      await shoot(page, `start-${size.width}`);
    });
  }
});

eachLook('a pasted message on the list of runs: the run that needs as much comes first, others of that name stand behind a line', async (look) => {
  const message = readFileSync(join(testdata, 'tpu_padded_oom/error.txt'), 'utf8');
  const folder = makeLogdir({ fits: join(testdata, 'tpu_padded_demo/logdir'), 'job/dump': join(testdata, 'tpu_padded_oom/xla_dump') });
  const one = await serve(folder);
  const { id } = await one.api('runs');
  const card = async (run) => one.api('card', { run });
  const cards = await Promise.all(id.map(card));
  assert.deepEqual([...new Set(cards.map(({ module_name }) => module_name))], ['jit_padded_step'], 'both have a program of that name');
  // The message says what it needed in GiB.
  const needed = Number(/\((\d+\.\d+)G\)/.exec(message)[1]);
  const wanted = cards.find(({ peak_bytes }) => Math.abs(peak_bytes / 2 ** 30 - needed) < 0.01);
  const other = cards.find((one_) => one_ !== wanted);
  await withPage(one.url, look, async (page) => {
    await until('both cards', async () => (await page.locator('.main').innerText()).includes(mib(other.peak_bytes)));
    await page.evaluate((text) => {
      const data = new DataTransfer();
      data.setData('text/plain', text);
      document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
    }, message);
    const box = page.locator('.oom-box');
    const links = box.locator('a');
    await becomes(() => links.first().innerText(), wanted.id);
    assert.match(await read(box), new RegExp(`${wanted.id} has a module of this name; its peak is ${needed.toFixed(2)} GiB, the same as in the message 1 more run with a module of this name and another peak`));
    assert.equal(await links.nth(1).isVisible(), false);
    await box.locator('summary').click();
    await matches(() => read(box), new RegExp(`${other.id} has a module of this name; its peak is ${mib(other.peak_bytes)}$`));
    await links.first().click();
    await inAddress(page, { run: wanted.id });
  });
  await one.stop();
});
