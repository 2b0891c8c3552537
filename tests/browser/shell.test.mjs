// The shell around every tool: pickers, sidebar, theme, link, help, palette, history, the proxy.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, renameSync, rmSync } from 'node:fs';
import http from 'node:http';
import test, { after, before } from 'node:test';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

import { run, source } from '../support/program.mjs';
import { becomes, captured, copied, copiesLink, cutProfile, download, eachLook, inAddress, makeLogdir, matches, mib, quit, read, serve, settled, sharedLogdir, temporary, testdata, toastSays, until, viewOf, visit, withPage } from './lib.mjs';

let server;
before(async () => {
  server = await serve(
    makeLogdir({
      'train/mlp': join(testdata, 'cpu_mlp_train/logdir'),
      'tpu/demo': join(testdata, 'tpu_padded_demo/logdir'),
      'tpu/layers': join(testdata, 'tpu_scan_layers/logdir'),
    }),
  );
});
after(async () => {
  await quit();
  await server?.stop();
});

const DEMO = '#run=tpu/demo/aot';
const MLP = '#run=train/mlp/run0&tool=memory';
const peakLine = (page) => page.locator('.m-peak-big');
const ready = async (page) => peakLine(page).waitFor();
const picker = (page, label) => page.locator('.picker', { has: page.locator('.picker-button .label', { hasText: new RegExp(`^${label}$`) }) });
const palette = (page) => page.getByRole('dialog', { name: 'search' });

test('where the header lacks room, the run’s name alone is cut', async () => {
  await withPage(server.url, { size: { width: 1366, height: 768 }, hash: MLP }, async (page) => {
    await ready(page);
    const values = page.locator('.header .picker-button .value');
    // A run with a longer name than any in the data, as folders of dates have.
    await values.first().evaluate((value) => { value.textContent = 'experiment-with-a-long-name/2026_11_28_10_58_00'; });
    const cut = () => values.evaluateAll((all) => all.map((value) => {
      const range = document.createRange();
      range.selectNodeContents(value);
      return range.getBoundingClientRect().width > value.getBoundingClientRect().width;
    }));
    await becomes(cut, [true, false, false, false]);
  });
});

test('no page holds more than a wheel reaches', async () => {
  await withPage(server.url, { size: { width: 1024, height: 500 }, hash: '#run=train/mlp/run0&tool=overview' }, async (page) => {
    await page.locator('.ov-head h1').waitFor();
    await settled(page);
    const main = page.locator('main');
    await main.hover();
    await page.mouse.wheel(0, 5000);
    await becomes(() => main.evaluate((at) => at.scrollHeight > at.clientHeight + 100 && at.scrollTop + at.clientHeight >= at.scrollHeight - 1), true, 'Overview is at its end');
    for (const tool of ['memory', 'trace', 'graph', 'ops', 'roofline', 'input', 'doctor', 'files']) {
      await visit(page, `${server.url}#run=train/mlp/run0&tool=${tool}`);
      await settled(page);
      const out = await main.evaluate((at) => (/auto|scroll/.test(getComputedStyle(at).overflowY) ? 0 : at.scrollHeight - at.clientHeight));
      assert.ok(out <= 1, `${tool}: ${out} px out of reach`);
    }
  });
});

test('numbers of one run do not stand below the name of another', async () => {
  let slow = false, release;
  const held = new Promise((done) => { release = done; });
  const prepare = (page) =>
    page.route('**/api/v1/**', async (route) => {
      const { pathname } = new URL(route.request().url());
      if (slow && /trace\/ops$|roofline$|input\/verdict$|memory\/summary$/.test(pathname)) await held;
      await route.continue();
    });
  await withPage(server.url, { prepare, hash: '#run=train/mlp/run0&tool=ops' }, async (page) => {
    const shown = () => page.locator('main').innerText();
    await until('operations', async () => /ynn_fusion|dot/.test(await shown()));
    await page.goto(`${server.url}${MLP}`);
    await ready(page);
    slow = true;
    await page.goto(`${server.url}${DEMO}&tool=memory`);
    await until('the other run', () => page.url().includes('tpu/demo'));
    await becomes(() => peakLine(page).count(), 0, 'the peak of the run before');
    release();
    await ready(page);
    await settled(page);
  });
});

eachLook('pickers open, filter, choose by mouse and by keyboard', async (look) => {
  const modules = await server.api('modules', { run: 'train/mlp/run0' });
  await withPage(server.url, { ...look, hash: MLP }, async (page) => {
    await ready(page);
    // Module: sorted by peak, told apart by program id.
    const module = picker(page, 'module');
    await becomes(() => read(module.locator('.picker-button')), 'module jit_train_step 8.8 MiB');
    await module.locator('.picker-button').click();
    const options = module.getByRole('option');
    const order = modules.key.map((_, i) => i).sort((a, b) => modules.peak_bytes[b] - modules.peak_bytes[a]);
    assert.equal(await options.count(), modules.n);
    const names = await options.locator('.title').allInnerTexts();
    assert.equal(names[0], 'jit_train_step');
    assert.equal(names[1], modules.key[order[1]], 'modules of one name are listed by their key');
    await page.keyboard.type('element_type');
    await becomes(() => options.locator('.title').allInnerTexts(), ['jit_convert_element_type(0)', 'jit_convert_element_type(14)']);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await inAddress(page, { module: 'jit_convert_element_type(14)' });
    const bytes = modules.peak_bytes[modules.key.indexOf('jit_convert_element_type(14)')];
    assert.ok(bytes > 0 && bytes < 1024);
    await becomes(() => read(peakLine(page)), `Peak ${bytes} B`);
    assert.equal(await module.getByRole('option').count(), 0, 'the list closes');
    // A text that nothing has, and Escape gives the focus back.
    await module.locator('.picker-button').click();
    await page.keyboard.type('zzz');
    await becomes(() => read(module.getByRole('listbox')), 'nothing has this name');
    await page.keyboard.press('Escape');
    await becomes(() => module.getByRole('listbox').count(), 0);
    assert.ok(await module.locator('.picker-button').evaluate((b) => b === document.activeElement));
    // Click beside it closes.
    await module.locator('.picker-button').click();
    await page.locator('.m-peak').click({ position: { x: 2, y: 2 } });
    await becomes(() => module.getByRole('listbox').count(), 0);
    // Host: one only.
    await picker(page, 'host').locator('.picker-button').click();
    await becomes(() => picker(page, 'host').getByRole('option').locator('.title').allInnerTexts(), ['host0']);
    await picker(page, 'host').getByRole('option').click();
    await inAddress(page, { host: 'host0', module: 'jit_convert_element_type(14)' });
    // Run: choosing one drops what hung on the old.
    const run = picker(page, 'run');
    await run.locator('.picker-button').click();
    await becomes(() => run.getByRole('option').count(), 3, 'runs');
    await page.keyboard.type('demo');
    await run.getByRole('option').click();
    await inAddress(page, { run: 'tpu/demo/aot', module: null, host: null });
    await becomes(() => read(peakLine(page)), `Peak ${mib(620361728)}`);
    // Memory space: only what occurs, sorted by peak, with its peak.
    const space = picker(page, 'memory');
    await becomes(() => read(space.locator('.picker-button')), `memory HBM ${mib(620361728)}`);
    await space.locator('.picker-button').click();
    await becomes(() => space.getByRole('option').allInnerTexts().then((all) => all.map((t) => t.replace(/\s+/g, ' '))), [
      `HBM ${mib(620361728)}`,
      `VMEM ${mib(103135232)}`,
      'SFLAG 16 B',
      'SparseCore 0',
    ]);
    await space.getByRole('option').nth(1).click();
    await inAddress(page, { space: '1' });
    await becomes(() => read(peakLine(page)), `Peak ${mib(103135232)}`);
  });
});

/** Tools that this run, a compiled program that did not run, can show. */
const OPEN = ['Memory', 'Graph', 'Doctor'];

eachLook('sidebar: tools that are not there are greyed, reachable by keyboard, and say why', async (look) => {
  await withPage(server.url, { ...look, hash: DEMO }, async (page) => {
    await ready(page);
    const tools = page.locator('.sidebar .sidebar-item');
    const titles = (await (await fetch(`${server.url}api/v1/status`)).json()).tools.map(({ title }) => title);
    assert.deepEqual([titles[0], titles[1]], ['Overview', 'Memory']);
    assert.equal(await tools.count(), titles.length);
    for (const [i, title] of titles.entries()) {
      const tool = tools.nth(i);
      assert.equal(await tool.getAttribute('aria-disabled'), String(!OPEN.includes(title)), title);
      await tool.focus();
      assert.ok(await tool.evaluate((element) => element === document.activeElement), `${title} takes the focus`);
      const tip = tool.getByRole('tooltip');
      await until(`the tip of ${title}`, () => tip.evaluate((element) => getComputedStyle(element).visibility === 'visible' && Number(getComputedStyle(element).opacity) > 0.9));
      const text = await read(tip);
      assert.match(text, OPEN.includes(title) ? new RegExp(`^${title}: `) : new RegExp(`^${title}: this run has no events`));
      assert.ok(text.endsWith(`(Shift+${i + 1})`), text);
    }
    // By key: the page of a tool that is not there says so and keeps the address.
    for (const digit of [1, 3, 5, 6, 7]) {
      await page.keyboard.press(`Shift+Digit${digit}`);
      await becomes(() => read(page.locator('.empty-state h1')), `No data for ${titles[digit - 1]} in this run`);
      assert.equal(await page.locator('.sidebar-item.here').innerText().then((t) => t.split('\n')[0].trim()), titles[digit - 1]);
    }
    await page.keyboard.press('Shift+Digit2');
    await ready(page);
    await inAddress(page, { tool: 'memory' });
    // By mouse, and back by the page's own button.
    await tools.nth(4).click({ force: true });
    await inAddress(page, { tool: 'ops' });
    assert.match(await read(page.locator('.empty-state')), /This run has no events: the program did not run during the capture/);
    await page.goBack();
    await ready(page);
  });
});

eachLook('hosts: all, one, and what a host holds', async (look, _first, t) => {
  const root = sharedLogdir('mlp_train_two_hosts');
  if (!root) return t.skip('no shared data');
  const two = await serve(root);
  const { id: [run], hosts: [names] } = await two.api('runs');
  assert.equal(names.length, 2);
  await withPage(two.url, { ...look, hash: `#run=${run}&tool=memory` }, async (page) => {
    await ready(page);
    const host = picker(page, 'host');
    await becomes(() => read(host.locator('.value')), 'all 2');
    await host.locator('.picker-button').click();
    await becomes(() => host.getByRole('option').locator('.title').allInnerTexts(), ['all hosts', ...names]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await inAddress(page, { host: names[1] });
    await becomes(() => read(host.locator('.value')), names[1]);
    await page.goBack();
    await inAddress(page, { host: null });
  });
  await two.stop();
});

test('theme: the system decides, the button turns, the choice outlives a reload', async () => {
  await withPage(server.url, { hash: DEMO, theme: 'dark' }, async (page) => {
    await ready(page);
    const theme = () => page.evaluate(() => [document.documentElement.dataset.theme, getComputedStyle(document.body).backgroundColor]);
    assert.deepEqual(await theme(), ['dark', 'rgb(20, 23, 27)']);
    await page.emulateMedia({ colorScheme: 'light' });
    await becomes(theme, ['light', 'rgb(255, 255, 255)']);
    await page.emulateMedia({ colorScheme: 'dark' });
    await becomes(theme, ['dark', 'rgb(20, 23, 27)']);
    const button = page.getByRole('button', { name: /^colours: / });
    await button.click();
    await toastSays(page, /^light colours$/);
    assert.deepEqual(await theme(), ['light', 'rgb(255, 255, 255)']);
    await page.reload();
    await ready(page);
    assert.deepEqual(await theme(), ['light', 'rgb(255, 255, 255)']);
    await button.click();
    await toastSays(page, /^dark colours$/);
    assert.deepEqual((await theme())[0], 'dark');
    await button.click();
    await toastSays(page, /colours follow the system/);
    assert.deepEqual((await theme())[0], 'dark');
  });
});

eachLook('copy link: the address, exact, by key and by button', async (look) => {
  await withPage(server.url, { ...look, hash: DEMO }, async (page) => {
    await ready(page);
    await page.keyboard.press('p');
    await page.keyboard.press('y');
    await toastSays(page, /^link copied; it only works on this machine; use Save as one file/);
    assert.equal(await copied(page), `${server.url}#run=tpu/demo/aot&step=7&tab=step`);
    await page.evaluate(() => navigator.clipboard.writeText('else'));
    await page.getByRole('button', { name: 'copy link' }).click();
    await becomes(async () => (await copied(page)) === page.url(), true, 'the address is copied');
    // The line goes away by itself.
    await until('the line to go', async () => (await page.locator('.toast').count()) === 0);
  });
});

eachLook('save as one file: the bytes of the route, by the button and by what people call it in the palette', async (look) => {
  await withPage(server.url, { ...look, hash: DEMO }, async (page) => {
    await ready(page);
    const served = await (await fetch(`${server.url}api/v1/report_file?run=tpu/demo/aot`)).text();
    const file = await download(page, () => page.getByRole('button', { name: 'save as one file' }).click());
    assert.ok(file.text === served, 'the same bytes');
    assert.match(file.name, /demo_aot.*report\.html$/);
    await toastSays(page, /^report saved, \d/);
    for (const word of ['export', 'share', 'send', 'report']) {
      await page.keyboard.press('Control+k');
      await page.keyboard.type(`>${word}`);
      await page.locator('.palette-row', { hasText: 'Save as one file' }).waitFor();
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      await becomes(() => palette(page).count(), 0);
    }
  });
});

eachLook('what belongs to one run or one mode: Report is come back to from Graph, and does not follow into another run', async (look) => {
  await withPage(server.url, { ...look, hash: `${DEMO}&mode=report&rtab=ops` }, async (page) => {
    const mode = page.getByRole('navigation', { name: 'modes of Memory' });
    await becomes(() => mode.locator('[aria-current]').innerText(), 'Report');
    await page.evaluate(() => { location.hash += '&tool=graph&op=%25sort.6'; });
    await inAddress(page, { tool: 'graph', mode: 'report' });
    await page.locator('.g-main').waitFor();
    await page.locator('.sidebar .sidebar-item', { hasText: 'Memory' }).click();
    await inAddress(page, { tool: 'memory', mode: 'report', rtab: 'ops', op: null, pin: null });
    await becomes(() => mode.locator('[aria-current]').innerText(), 'Report');
    // The button of What if, by hand, and the mode: another run starts as runs start.
    await page.keyboard.press('1');
    await becomes(() => mode.locator('[aria-current]').innerText(), 'Viewer');
    await ready(page);
    await settled(page); // the keys of a mode are there once its view is at rest
    await page.keyboard.press('Alt+KeyW');
    await page.locator('.m-card.wi').waitFor();
    await settled(page);
    await page.keyboard.press('2');
    await inAddress(page, { mode: 'report' });
    await picker(page, 'run').locator('.picker-button').click();
    await picker(page, 'run').getByRole('option', { name: /layers/ }).click();
    await inAddress(page, { run: 'tpu/layers/aot', mode: null });
    await ready(page);
    assert.equal(await page.locator('.m-card.wi').count(), 0, 'What if is shut');
  });
});

eachLook('help: lists keys, marks what works here, narrows, marks a pressed key', async (look) => {
  await withPage(server.url, { ...look, hash: DEMO }, async (page) => {
    await ready(page);
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'keys' });
    await help.waitFor();
    const live = () => help.locator('h3.live').allInnerTexts().then((all) => all.map((t) => t.split('\n')[0].split(' ')[0].replace(/,.*$/, '').trim()));
    assert.deepEqual(await live(), ['Everywhere', 'Charts', 'Memory'].concat((await live()).includes('Tables') ? ['Tables'] : []));
    // Keys of these groups that this page has nothing for are grey.
    const off = (await help.locator('.help-row.off').allInnerTexts()).join();
    assert.match(off, /mark; press again to measure/);
    assert.doesNotMatch(off, /previous range|this help|copy a link|the details panel|table or picture|Overview …/);
    // Version and commit are those of `xprofd --version`; processor and linking come when the pointer rests on them.
    const [, version, build] = /^xprofd (\S+) \((.+)\)\n$/.exec(run(['--version']).text);
    const hasGit = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: source }).status === 0;
    assert.match(build, hasGit ? /^[0-9a-f]{12} \d{4}-\d\d-\d\d, / : /^unknown commit, /, 'a build of a clone knows its commit, if git is there to ask');
    assert.equal(await read(help.locator('.help-version')), `xprofd ${version} (${build.split(',')[0]})`);
    assert.equal(await help.locator('.help-version').getAttribute('title'), build);
    const rows = help.locator('.help-row');
    const all = await rows.count();
    assert.ok(all > 40, `${all} rows`);
    await page.keyboard.type('peak');
    await becomes(async () => (await rows.allInnerTexts()).map((t) => t.replace(/\s+/g, ' ')), ['P go to the peak', 'P edit peaks']);
    await page.keyboard.press('Escape');
    await becomes(() => help.count(), 0);
    // The button opens it as well; what the numbers mean is its second page.
    await page.getByRole('button', { name: 'keys and help' }).click();
    await help.getByRole('button', { name: 'what the numbers mean' }).click();
    await matches(() => read(help), /Memory Definition .*fragmentation Reserved minus live:/);
    await help.getByRole('button', { name: 'copy as text' }).click();
    await toastSays(page, /^definitions copied$/);
    assert.match(await copied(page), /^Memory\n[^]*\n {2}fragmentation \(.*\): Reserved minus live:/);
    await help.getByRole('button', { name: 'keys', exact: true }).click();
    await help.getByRole('button', { name: 'copy as text' }).click();
    await toastSays(page, /^keys copied$/);
    assert.match(await copied(page), /\n {2}W S +zoom in, out at the pointer\n/);
    // With the focus out of the field, a key marks its row and does nothing else.
    await help.locator('.help-body').click({ position: { x: 3, y: 3 } });
    await help.getByRole('button', { name: 'close' }).focus();
    await page.keyboard.press('p');
    await becomes(() => help.locator('.help-row.pressed').allInnerTexts().then((t) => t.length > 0), true, 'a marked row');
    assert.equal(viewOf(page).step, undefined, 'the page below does not act');
    await help.getByRole('button', { name: 'close' }).click();
    await becomes(() => help.count(), 0);
  });
});

eachLook('palette: a buffer of the peak says how far the peak falls without it', async (look) => {
  const demo = { run: 'tpu/demo/aot', module: 'jit_padded_step(7506317489879146938)' };
  const found = await server.api('search', { ...demo, q: 'pad.2' });
  const at = found.kind.findIndex((kind, i) => kind === 'buffer' && found.saving_bytes[i] > 0);
  const { saving_bytes } = await server.api('memory/buffer', { ...demo, buffer: found.buffer[at] });
  const gone = await server.api('memory/whatif', { ...demo, buffers: found.buffer[at] });
  assert.ok(saving_bytes > 2 ** 20 && gone.saving_bytes === saving_bytes, `${saving_bytes}: what the peak falls by when it is gone`);
  await withPage(server.url, { ...look, hash: DEMO }, async (page) => {
    await ready(page);
    await page.keyboard.press('Control+k');
    await palette(page).waitFor();
    await page.keyboard.type('pad.2');
    const saves = palette(page).locator('.palette-row', { hasText: found.name[at] }).locator('.palette-saves.good');
    await becomes(() => saves.first().innerText(), `saves ${mib(saving_bytes)}`);
  });
});

eachLook('palette: an instruction without a buffer of its own leads to the one that holds it', async (look) => {
  // Which copy a copy-done ends: from the text that XLA printed.
  const text = gunzipSync(readFileSync(join(testdata, 'tpu_scan_layers/xla/jit_train_step.after_codegen.txt.gz'))).toString();
  const [, done, start] = /%(copy-done\.\d+) = [^\n]* copy-done\(%(copy-start\.\d+)\)/.exec(text);
  await withPage(server.url, { ...look, hash: '#run=tpu/layers/aot' }, async (page) => {
    await ready(page);
    await page.keyboard.press('Control+k');
    await palette(page).waitFor();
    await page.keyboard.type(done);
    const group = (title) => palette(page).locator('.palette-list > div', { has: page.locator('.palette-group .strong', { hasText: title }) });
    await becomes(() => group('Ops').locator('.palette-title').first().innerText(), done);
    assert.match(await group('Ops').locator('.palette-row').first().innerText(), new RegExp(`in ${start}\\{0\\}`));
    assert.match(await read(group('Buffers').locator('.palette-group')), /^Buffers hold the result of an operation of that name/);
    assert.match(await read(group('Buffers').locator('.palette-row').first()), new RegExp(`^${start}\\{0\\} .* holds ${done}`));
    assert.deepEqual(await palette(page).locator('.palette-group .strong').allInnerTexts().then((all) => all.slice(0, 2)), ['Ops', 'Buffers'], 'what has the name first');
    const says = group('Actions').locator('.palette-row', { hasText: 'What is a copy-done?' });
    assert.match(await says.innerText(), /Waits until the asynchronous copy has arrived\./);
    await page.keyboard.press('Enter');
    await becomes(() => page.locator('.m-card-title code').first().innerText(), `%${start}{0}`);
    await page.keyboard.press('Control+k');
    await page.keyboard.type(done);
    // Half a name has an answer, too.
    await becomes(() => group('Ops').locator('.palette-title').first().innerText(), done);
    await says.click();
    await inAddress(page, { tool: 'graph', op: done });
  });
});

eachLook('palette: searches, narrows by prefix, opens, reports what is not found', async (look) => {
  const found = await server.api('search', { run: 'tpu/demo/aot', module: 'jit_padded_step(7506317489879146938)', q: 'sort' });
  await withPage(server.url, { ...look, hash: DEMO }, async (page) => {
    await ready(page);
    const groups = () => palette(page).locator('.palette-group .strong').allInnerTexts();
    const rows = palette(page).locator('.palette-row');
    const titles = () => rows.locator('.palette-title').allInnerTexts();
    await page.keyboard.press('Control+k');
    await palette(page).waitFor();
    await becomes(groups, ['Actions and tools', 'Runs']);
    await page.keyboard.type('sort');
    await until('hits', async () => (await groups()).includes('Buffers'));
    assert.match(await read(palette(page).locator('.palette-head')), /^\d+ in \d+ ms/);
    const wanted = found.name.filter((_, i) => found.kind[i] === 'buffer').slice(0, 4);
    const group = palette(page).locator('.palette-list > div', { has: page.locator('.palette-group', { hasText: 'Buffers' }) });
    // Letters typed slowly have answers of their own before the last one.
    await becomes(() => group.locator('.palette-title').allInnerTexts(), wanted);
    // What each would save, as its own card says.
    const demo = { run: 'tpu/demo/aot', module: 'jit_padded_step(7506317489879146938)' };
    const cards = await Promise.all(wanted.map((_, k) => server.api('memory/buffer', { ...demo, buffer: found.buffer[found.kind.indexOf('buffer') + k] })));
    assert.deepEqual(
      await group.locator('.palette-saves').allInnerTexts(),
      cards.map(({ saving_bytes }) => (saving_bytes > 0 ? `saves ${mib(saving_bytes)}` : 'saves 0 at the peak')),
    );
    assert.deepEqual([...new Set((await rows.locator('mark').allInnerTexts()).map((t) => t.toLowerCase()))], ['sort']);
    // What there is of each kind; one alone by its chip.
    const kinds = () => palette(page).locator('.palette-scope .chip:has(b)').allInnerTexts().then((all) => all.map((text) => text.replace(/\s+/g, ' ').trim()));
    await until('kinds', async () => (await kinds()).includes(`Buffers ${found.total_buffers}`) && (await kinds()).includes(`Ops ${found.total_ops}`));
    const all = (await kinds()).map((text) => Number(/\d+$/.exec(text)[0]));
    assert.equal(all[0], all.slice(1).reduce((sum, count) => sum + count, 0), 'the kinds add up');
    await palette(page).getByRole('button', { name: `Ops ${found.total_ops}` }).click();
    await becomes(groups, ['Ops']);
    await until('the ops', async () => (await rows.count()) === found.total_ops);
    await palette(page).getByRole('button', { name: /^All \d+$/ }).click();
    await until('hits again', async () => (await groups()).includes('Buffers'));
    if (found.total_buffers > 4) {
      await group.getByRole('button', { name: `all ${found.total_buffers}` }).click();
      await until('all of them', async () => (await rows.count()) === found.total_buffers);
      await palette(page).getByRole('button', { name: /^All \d+$/ }).click();
    }
    // Prefixes.
    const field = palette(page).getByLabel('search everything');
    for (const [text, only] of [['%sort', 'Ops'], ['#sort', 'Buffers'], ['@jit', 'Modules'], ['>theme', 'Actions and tools']]) {
      await field.fill(text);
      await becomes(groups, [only], text);
    }
    assert.deepEqual(await titles(), ['theme: light', 'theme: dark', 'theme: system']);
    await field.fill(':7');
    await becomes(titles, ['step 7']);
    await field.press('Enter');
    await inAddress(page, { step: '7', tab: 'step' });
    assert.equal(await palette(page).count(), 0, 'Enter opens and closes');
    // A buffer by name: pins it. The box is opened by its button this time.
    await page.locator('.search-box').click();
    await field.fill('#sort.6{1}');
    await becomes(async () => (await titles())[0], 'sort.6{1}');
    await field.press('Enter');
    await inAddress(page, { pin: String(found.buffer[found.name.indexOf('sort.6{1}')]) });
    // Every way to open it; those that are not there say why.
    await page.keyboard.press('Control+k');
    await field.fill('#sort.6{1}');
    await becomes(async () => (await titles())[0], 'sort.6{1}');
    await field.press('ArrowRight');
    const ways = palette(page).locator('.palette-ways .option');
    assert.deepEqual(await ways.locator('.title').allInnerTexts(), ['Memory', 'Graph', 'Trace', 'Ops', 'copy the name', 'copy a link to it in Graph']);
    assert.equal(await ways.nth(1).getAttribute('aria-disabled'), 'false');
    for (let i = 0; i < 4; i++) await field.press('ArrowDown');
    await field.press('Enter');
    await becomes(() => copied(page), 'sort.6{1}');
    // No match says where it looked, and Ctrl+Enter filters the table.
    await page.keyboard.press('Control+k');
    await field.fill('nosuchthing');
    await becomes(() => palette(page).locator('.palette-none').allInnerTexts(), ['nothing named nosuchthing in this module']);
    await field.press('Control+Enter');
    await inAddress(page, { tab: 'buffers', filter: 'nosuchthing' });
    // Tools that are not there: listed, greyed, with the reason; Enter on one does nothing.
    await page.keyboard.press('Control+k');
    await field.fill('>roofline');
    await becomes(titles, ['Roofline']);
    assert.equal(await rows.first().getAttribute('aria-disabled'), 'true');
    assert.match(await read(rows.first()), /this run has no events/);
    await field.press('Enter');
    await becomes(() => palette(page).count(), 1);
    // An action.
    await field.fill('>theme: dark');
    await becomes(async () => (await titles())[0], 'theme: dark');
    await field.press('Enter');
    await becomes(() => page.evaluate(() => document.documentElement.dataset.theme), 'dark');
    // Ctrl+K shuts what Ctrl+K opened; so does a click beside it.
    await page.keyboard.press('Control+k');
    await palette(page).waitFor();
    await page.keyboard.press('Control+k');
    await becomes(() => palette(page).count(), 0);
    await page.keyboard.press('/');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.mouse.click(5, look.size.height - 5);
    await becomes(() => palette(page).count(), 0);
  });
});

eachLook('the whole run or one module: the scope of the palette', async (look) => {
  const module = 'jit_convert_element_type(14)';
  const q = 'broadcast_maximum';
  const here = await server.api('search', { run: 'train/mlp/run0', module, q });
  const all = await server.api('search', { run: 'train/mlp/run0', q });
  assert.ok(here.total === 0 && here.other_modules > 0 && all.total === here.other_modules);
  await withPage(server.url, { ...look, hash: `${MLP}&module=${module}` }, async (page) => {
    await ready(page);
    await page.keyboard.press('Control+k');
    await page.keyboard.type(q);
    await becomes(() => palette(page).locator('.palette-none').allInnerTexts(), [`nothing named ${q} in this module; ${here.other_modules} in other modules`]);
    await palette(page).getByRole('button', { name: 'this run' }).click();
    await until('hits of other modules', async () => (await palette(page).locator('.palette-row').count()) > 0);
    await page.locator('.palette-row', { hasText: 'jit_train_step(18)' }).first().click();
    await inAddress(page, { module: 'jit_train_step(18)' });
  });
});

eachLook('back, forward, reload: the whole view is in the address', async (look) => {
  await withPage(server.url, look, async (page) => {
    await page.getByRole('row', { name: /demo/ }).locator('.run-name').click();
    await ready(page);
    await page.keyboard.press('Shift+Digit5');
    await page.locator('.empty-state').waitFor();
    await page.goBack();
    await ready(page);
    await page.goBack();
    await page.locator('.start-headline').waitFor();
    assert.equal(viewOf(page).run, undefined);
    await page.goForward();
    await ready(page);
    await page.goForward();
    await becomes(() => read(page.locator('.empty-state h1')), 'No data for Ops in this run');
    // A whole view, and what it shows after a reload.
    const wanted = { run: 'tpu/demo/aot', space: '0', from: '2', to: '9', step: '4', pin: '37', tab: 'buffers', sort: 'size', filter: 'sort', colour: 'class' };
    await page.goto(`${server.url}#${new URLSearchParams(wanted)}`);
    await ready(page);
    await page.reload();
    await ready(page);
    assert.deepEqual(viewOf(page), wanted);
    await becomes(() => read(page.locator('.m-card-title code')), '%sort.6{1}');
    assert.equal(await page.getByLabel('colour by').inputValue(), 'class');
    assert.equal(await page.locator('.m-filter').inputValue(), 'sort');
    assert.match(await page.locator('.m-mini-canvas').getAttribute('aria-label'), /showing steps 2 to 9 of 10/);
    assert.equal(await page.locator('.vt-head .on').first().innerText().then((t) => t.trim()), 'size ▾');
    await becomes(() => page.title(), 'demo/aot · jit_padded_step · Memory · xprofd');
    // Module by key: previous and next by peak.
    await page.goto(`${server.url}${MLP}`);
    await ready(page);
    await becomes(() => read(picker(page, 'module').locator('.detail')), '8.8 MiB');
    await page.keyboard.press('Alt+ArrowDown');
    await inAddress(page, { module: 'jit_broadcast_in_dim(8)' });
    await page.keyboard.press('Alt+ArrowUp');
    await inAddress(page, { module: 'jit_train_step(18)' });
    await page.keyboard.press('u');
    await page.locator('.start-headline').waitFor();
  });
});

/** A proxy that shows the server below a path, as Jupyter and Cloud proxies do; without the path it answers 404. */
async function proxy(prefix) {
  const strays = [];
  const front = http.createServer((ask, answer) => {
    if (!ask.url.startsWith(prefix)) {
      strays.push(ask.url);
      answer.writeHead(404).end();
      return;
    }
    const path = ask.url.slice(prefix.length - 1);
    const back = http.request({ host: '127.0.0.1', port: server.port, path, method: ask.method, headers: { ...ask.headers, host: `127.0.0.1:${server.port}` } }, (got) => {
      answer.writeHead(got.statusCode, got.headers);
      got.pipe(answer);
    });
    back.on('error', () => answer.destroy());
    ask.pipe(back);
  });
  await new Promise((resolve) => front.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${front.address().port}${prefix}`, strays, stop: () => new Promise((resolve) => { front.closeAllConnections(); front.close(resolve); }) };
}

eachLook('below a proxy path every request stays below it', async (look) => {
  const front = await proxy('/user/someone/proxy/8791/');
  try {
    await withPage(front.url, look, async (page) => {
      await page.getByRole('row', { name: /demo/ }).locator('.run-name').click();
      await ready(page);
      assert.equal(await read(peakLine(page)), `Peak ${mib(620361728)}`);
      await page.reload();
      await ready(page);
      const file = page.locator('.m-exports a').first();
      assert.ok((await file.evaluate((a) => a.href)).startsWith(`${front.url}api/v1/`));
      await copiesLink(page);
      assert.ok(page.url().startsWith(`${front.url}#run=tpu/demo/aot`));
    });
    assert.deepEqual(front.strays, []);
  } finally {
    await front.stop();
  }
});

eachLook('a server that goes away: the page says so, keeps what it shows, and comes back', async (look) => {
  const own = await serve(join(testdata, 'tpu_padded_demo/logdir'));
  await withPage(own.url, { ...look, hash: '#run=aot' }, async (page, { forgive }) => {
    await ready(page);
    await own.stop();
    await page.keyboard.press('Shift+Digit4');
    await page.keyboard.press('Shift+Digit2');
    await becomes(() => page.locator('.strip.error .what').allInnerTexts(), ['The server does not answer.'], 'strip', 9000);
    forgive(/ERR_CONNECTION_REFUSED|Failed to load resource/);
  });
});

eachLook('addresses that name nothing: no run, no tool, no module', async (look) => {
  await withPage(server.url, { ...look, hash: '#run=no/such' }, async (page, { forgive }) => {
    await becomes(() => read(page.locator('.empty-state h1')), 'This run could not be opened');
    // Once: not in a strip above it too.
    assert.equal((await read(page.locator('.shell'))).split('There is no run').length - 1, 1);
    assert.equal(await page.locator('.strip').count(), 0);
    forgive(/answer 404/);
    const again = page.waitForResponse(/api\/v1\/run\?/);
    await page.getByRole('button', { name: 'Read again' }).click();
    assert.equal((await again).status(), 404);
    forgive(/answer 404/);
    await page.goto(`${server.url}${DEMO}&tool=nonsense`);
    await becomes(() => read(page.locator('.empty-state h1')), 'No such page');
    await page.goto(`${server.url}${DEMO}&module=jit_other`);
    await until('what failed', async () => /jit_other/.test(await read(page.locator('.m-empty'))));
    await page.waitForLoadState('networkidle'); // the headline and its curve are asked for at once
    forgive(/answer 404/);
    await page.getByRole('link', { name: 'Its largest module' }).click();
    await becomes(() => read(peakLine(page)), `Peak ${mib(620361728)}`);
  });
});

eachLook('the list of runs is there as soon as the picker is opened', async (look) => {
  await withPage(server.url, { ...look, alone: true, hash: DEMO }, async (page) => {
    // The list that comes by itself, after LATER_MS, never does.
    await page.addInitScript(() => {
      const real = window.setTimeout;
      window.setTimeout = (what, ms, ...more) => (ms === 1200 ? 0 : real(what, ms > 1200 ? 1e8 : ms, ...more));
    });
    await page.reload();
    await ready(page);
    await picker(page, 'run').locator('.picker-button').click();
    await becomes(() => picker(page, 'run').getByRole('option').count(), 3, 'runs');
  });
});

eachLook('a cut file that is written anew before the list of runs came is read again', async (look) => {
  const own = temporary('anew');
  cutProfile(own, 'plugins/profile/run1/host0.xplane.pb', 0.6);
  const second = await serve(own);
  // The first list comes only after the file is whole.
  await withPage(second.url, look, async (page, { allow }) => {
    // What was asked before and is answered after the file changed is refused, and asked again.
    allow(/answer 409/);
    await page.route(/api\/v1\/runs/, async (route) => {
      await held;
      await route.continue();
    });
    let release;
    const held = new Promise((done) => {
      release = done;
    });
    await visit(page, `${second.url}#run=run1`);
    await page.locator('.strip.error', { hasText: 'is truncated' }).waitFor();
    cutProfile(own, 'plugins/profile/run1/host0.xplane.pb', 1);
    release();
    await becomes(() => page.locator('.strip.error').count(), 0, 'the strip of the cut file goes');
    await settled(page);
    await becomes(() => page.locator('.ov-head h1').count(), 1, 'what the whole file says');
  });
  await second.stop();
});

eachLook('a run that grows, is replaced, goes and comes back while it is shown: the page follows without a reload', async (look) => {
  const own = temporary('grows'), folder = join(own, 'plugins/profile/run1');
  cutProfile(own, 'plugins/profile/run1/host0.xplane.pb', 1);
  const second = await serve(own);
  await withPage(second.url, { ...look, hash: '#run=run1&tool=memory' }, async (page, { allow }) => {
    allow(/answer (404|409|422)/); // what was asked while a file changed, also of steps that the other program lacks
    await ready(page);
    const before = await read(peakLine(page));
    const hosts = () => picker(page, 'host').locator('.picker-button').innerText();
    await matches(hosts, /host0/);
    cpSync(join(folder, 'host0.xplane.pb'), join(folder, 'host1.xplane.pb'));
    await matches(hosts, /all 2/);
    rmSync(join(folder, 'host1.xplane.pb'));
    await matches(hosts, /host0/);
    cpSync(captured('tpu_scan_layers'), join(folder, 'host0.xplane.pb'));
    await until('the peak of the other program', async () => (await read(peakLine(page)).catch(() => before)) !== before);
    renameSync(folder, join(own, 'aside'));
    const gone = page.getByText('was deleted or moved');
    await gone.first().waitFor();
    renameSync(join(own, 'aside'), folder);
    await becomes(() => gone.count(), 0, 'it is back');
  });
  await second.stop();
});

eachLook('a run that was away when one part was asked for: the page reads it again', async (look) => {
  let asked = 0;
  const error = { code: 'not_found', message: 'The run was deleted or moved while xprofd was running.', where: 'run' };
  const away = (route) => (asked++ === 0 ? route.fulfill({ status: 404, contentType: 'application/json', body: JSON.stringify({ error }) }) : route.continue());
  const prepare = (page) => page.route(/memory\/buffers\?/, away);
  await withPage(server.url, { ...look, hash: `${DEMO}&tool=memory&tab=buffers`, prepare }, async (page, { forgive }) => {
    forgive(/answer 404/);
    await page.getByText('was deleted or moved').first().waitFor();
    await becomes(() => page.getByText('was deleted or moved').count(), 0);
    await ready(page);
    assert.ok(asked > 1, 'asked again');
  });
});

/** What a person does with a file from the desktop. */
const drop = (page, ...files) =>
  page.evaluate((all) => {
    const data = new DataTransfer();
    for (const { name, text, type, size } of all) data.items.add(new File([text ?? new Uint8Array(size ?? 4)], name, { type: type ?? '' }));
    document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
  }, files);

eachLook('a dropped file: how to open it; a text with an error is read', async (look) => {
  await withPage(server.url, { ...look, hash: DEMO }, async (page) => {
    await ready(page);
    const strip = page.locator('.strip.dropped');
    await drop(page, { name: "it's <b>host0</b>.xplane.pb" });
    await matches(() => read(strip), /^it's <b>host0<\/b>\.xplane\.pb was not opened: .*nothing is uploaded\. On the machine that has the file: xprofd 'it'\\''s <b>host0<\/b>\.xplane\.pb'/);
    await strip.getByRole('button', { name: 'Copy command' }).click();
    await becomes(() => copied(page), "xprofd 'it'\\''s <b>host0</b>.xplane.pb'");
    await strip.getByRole('button', { name: 'close' }).click();
    await becomes(() => strip.count(), 0);
    // An option is no file name; the others are counted.
    await drop(page, { name: '-v.pb' }, { name: 'b.pb' }, { name: 'c.pb' });
    await matches(() => read(strip), /2 other files dropped with it were not opened either\. .* xprofd \.\/-v\.pb/);
    await drop(page, { name: 'big.txt', type: 'text/plain', size: 2 ** 20 + 1 });
    await matches(() => read(strip), /^big\.txt was not opened: texts above 1 MiB are not accepted/);
    // A log: the text before the message is not part of it.
    const message = 'XlaRuntimeError: RESOURCE_EXHAUSTED: Ran out of memory in memory space hbm. Used 22.90G of 15.75G hbm. Exceeded hbm capacity by 7.15G.';
    await drop(page, { name: 'train.log', text: `${'step done\n'.repeat(2000)}${message}\n` });
    const box = page.getByRole('dialog', { name: 'paste an error' });
    await becomes(() => box.getByLabel('error message').inputValue(), `${message}\n`);
    await until('the numbers', async () => /22\.90 GiB/.test(await read(box)));
    await becomes(() => strip.count(), 0);
  });
});

eachLook('all runs: the palette searches the others too, says how far, and opens the hit in its run', async (look) => {
  const q = 'broadcast_maximum';
  const there = await server.api('search', { run: 'train/mlp/run0', q, limit: 20 });
  const counts = await Promise.all(['tpu/demo/aot', 'tpu/layers/aot'].map(async (run) => (await server.api('search', { run, q })).total));
  assert.ok(there.total > 0 && there.buffer[0] !== undefined);
  await withPage(server.url, { ...look, hash: DEMO }, async (page) => {
    await ready(page);
    await page.keyboard.press('Control+k');
    await page.keyboard.type(q);
    await palette(page).getByRole('button', { name: 'all runs' }).click();
    await becomes(() => read(palette(page).locator('.palette-scope [role=status]')), '3 runs searched');
    assert.match(await read(palette(page).locator('.palette-head')), new RegExp(`^${there.total + counts[0] + counts[1]} in \\d+ ms`));
    const row = palette(page).locator('.palette-row', { hasText: 'in train/mlp/run0' }).first();
    const name = await row.locator('.palette-title').innerText();
    assert.ok(there.name.includes(name), name);
    await row.click();
    await inAddress(page, { run: 'train/mlp/run0' });
  });
});

eachLook('all runs from the list of runs: at most the 8 newest, and the rest is named', async (look) => {
  const root = makeLogdir(Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`job${i}`, join(testdata, 'tpu_padded_demo/logdir')])));
  const many = await serve(root);
  await withPage(many.url, look, async (page) => {
    await page.getByRole('row', { name: /job10/ }).first().waitFor();
    await settled(page);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('%sort');
    await palette(page).getByRole('button', { name: 'all runs' }).click();
    await becomes(() => read(palette(page).locator('.palette-scope [role=status]')), '8 runs searched, 3 not searched: only the 8 newest are');
    assert.ok((await palette(page).locator('.palette-row').count()) > 0);
  });
  await many.stop();
});

/** Fields on screen that show no ring, of their own or around them, when they have the focus: their labels. */
const withoutRing = (root) =>
  root.evaluate(async (within) => {
    const ring = (field) => {
      for (let at = field, up = 0; at && up < 3; at = at.parentElement, up++) {
        const style = getComputedStyle(at);
        if (style.outlineStyle !== 'none' && Number.parseFloat(style.outlineWidth) > 0) return true;
      }
      return false;
    };
    const without = [];
    let fields = 0;
    for (const field of within.querySelectorAll('input, textarea, select')) {
      if (field.getClientRects().length === 0 || field.disabled) continue;
      fields++;
      field.blur();
      const before = ring(field);
      field.focus({ focusVisible: true });
      await new Promise((done) => requestAnimationFrame(done));
      if (before || !ring(field)) without.push(field.getAttribute('aria-label') ?? field.className);
    }
    return { fields, without };
  });

eachLook('every field shows that it has the focus', async (look) => {
  await withPage(server.url, { ...look, hash: `${DEMO}&tab=buffers` }, async (page) => {
    await ready(page);
    await page.getByRole('tab', { name: /^Buffers/, selected: true }).waitFor();
    let { fields, without } = await withoutRing(page.locator('body'));
    assert.ok(fields > 3, `${fields} fields`);
    assert.deepEqual(without, []);
    await page.keyboard.press('Control+k');
    await palette(page).locator('.palette-head input').waitFor();
    ({ fields, without } = await withoutRing(palette(page)));
    assert.ok(fields > 0);
    assert.deepEqual(without, []);
  });
});

eachLook('palette: another program that comes up below it shuts it, as its hits are of the one before', async (look) => {
  await withPage(server.url, { ...look, hash: MLP }, async (page) => {
    await ready(page);
    await page.evaluate(() => { location.hash = '#run=tpu/layers/aot'; });
    await until('the other run', async () => (await read(picker(page, 'run').locator('.picker-button'))).includes('layers'));
    await ready(page);
    for (const [open, dialog] of [['copy-done', palette(page)], ['>paste an error', page.getByRole('dialog', { name: 'paste an error' })]]) {
      await page.keyboard.press('Control+k');
      await page.keyboard.type(open);
      if (open.startsWith('>')) await page.keyboard.press('Enter');
      await dialog.waitFor();
      await (open.startsWith('>') ? page.goForward() : page.goBack());
      await becomes(() => page.getByRole('dialog').count(), 0, open);
    }
  });
});

eachLook('a filter of an operation without buffers: where its bytes are is one click away', async (look) => {
  await withPage(server.url, { ...look, hash: '#run=tpu/layers/aot&tab=buffers&filter=copy-done&at=all' }, async (page) => {
    await ready(page);
    const none = page.locator('.m-buffers, .m-tabs, main').getByText('are in buffers with other names').first();
    await none.waitFor();
    await page.getByRole('button', { name: 'list them' }).first().click();
    await becomes(() => page.getByLabel('search everything').inputValue(), '#copy-done');
    await until('its buffers', async () => /^copy-start/.test((await palette(page).locator('.palette-title').allInnerTexts())[0] ?? ''));
  });
});

eachLook('below a prefix and with a token: the form lets in, the address keeps its view and loses the token, all files come', async (look) => {
  const token = 'a-token-of-this-test';
  const own = await serve(join(testdata, 'tpu_padded_demo/logdir'), '--base-path=/people/profiles', `--token=${token}`);
  const base = `http://127.0.0.1:${own.port}/`;
  await withPage(base, { ...look, hash: 'people/profiles#run=aot&tab=buffers' }, async (page, { forgive }) => {
    forgive(/401/);
    const box = page.getByLabel('Token');
    await box.fill('wrong');
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByText('This token is wrong').waitFor();
    await box.fill(token);
    await box.press('Enter');
    await ready(page);
    const at = new URL(page.url());
    assert.equal(at.pathname + at.search, '/people/profiles/');
    assert.equal(new URLSearchParams(at.hash.slice(1)).get('tab'), 'buffers');
    await page.reload();
    await ready(page);
  });
  await own.stop();
});
