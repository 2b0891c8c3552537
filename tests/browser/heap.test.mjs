// Heap file: headline, boxes, tabs, card, keys, address; the numbers are the API's.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before } from 'node:test';

import { putRun } from '../support/program.mjs';
import { becomes, copied, download, eachLook, inAddress, isDrawn, makeLogdir, matches, quit, read, serve, settled, sum, testdata, until, withPage } from './lib.mjs';

const field = (number, content) => {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from([number * 8 + 2, bytes.length]), bytes]);
};
const number = (at, value) => Buffer.from([at * 8, value]);
const message = (at, ...parts) => field(at, Buffer.concat(parts));

/** A profile in which a thread calls a function once, as the Python tracer names it. */
const traceOf = (name) =>
  message(
    1,
    field(2, '/host:CPU'),
    message(3, number(1, 7), field(2, 'python'), number(3, 1), message(4, number(1, 1), number(2, 0), number(3, 100))),
    message(4, number(1, 1), message(2, number(1, 1), field(2, name))),
  );

let server, go, traced;
before(async () => {
  server = await serve(join(testdata, 'device_memory'));
  go = await serve(join(testdata, 'pprof'));
  const root = makeLogdir({ files: join(testdata, 'device_memory') });
  putRun(join(root, 'files'), 'beside', traceOf('$train.py:39 step'));
  traced = await serve(root);
});
after(async () => {
  await quit();
  await server?.stop();
  await go?.stop();
  await traced?.stop();
});

const canvas = (page) => page.locator('.hp-icicle .m-icicle-canvas');
const head = (page) => page.locator('.hp-head h1');
const card = (page) => page.locator('.hp-card h2 code');
const tab = (page, name) => page.getByRole('tab', { name });
const hash = (view) => `#${new URLSearchParams({ run: 'device_memory', tool: 'memory', mode: 'heap', ...view })}`;

async function withHeap(look, view, body, of = server) {
  await withPage(of.url, { ...look, hash: of === go ? hash({ run: 'pprof', ...view }) : hash(view) }, async (page) => {
    await head(page).waitFor();
    await settled(page);
    await body(page);
  });
}

eachLook('a mode of Memory that does not exist: no request fails', async (look) => {
  await withHeap(look, { mode: 'zzz' }, async (page) => {
    assert.match(await read(head(page)), /MiB live/);
    await inAddress(page, { mode: 'heap' });
  });
});

eachLook('a series: what is live, what grew, which lines grow', async (look) => {
  const s = await server.api('heap/summary', {});
  await withHeap(look, {}, async (page) => {
    assert.match(await read(head(page)), /705\.7 MiB live \+248\.3 MiB\s*since memory\.step20\.prof \(\+54 %\), 2,376 buffers on 4 devices/);
    assert.match(await read(page.locator('.hp-said')), /400\.8 MiB were made at train\.py:41 step, 2\.0 MiB more a step; 64\.0 MiB were made at train\.py:48 evaluate/);
    await isDrawn(canvas(page));
    assert.equal(await read(card(page)), 'train.py:41');
    assert.equal(s.value, sum(s.devices.value));
    assert.deepEqual(await page.locator('.hp-card .hp-badge').allTextContents(), ['buffer', 'grows']);
    assert.deepEqual(await page.locator('.hp-value').allTextContents(), ['280.8', '320.8', '360.8', '400.8']);
    const trace = page.locator('.hp-card').getByRole('button', { name: 'Trace' });
    assert.ok(await trace.isDisabled());
    await becomes(async () => /^no trace belongs to these heap files/.test(await trace.getAttribute('title')), true, 'why not');
    assert.match(await read(page.locator('.hp-table .hp-sum')), /^all rows ✓ 705\.7 MiB 100\.0 % \+248\.3 MiB \+2\.8 MiB 2,475/);
    assert.match(await read(page.locator('.hp-card')), /320 × 512\.0 KiB 160\.0 MiB/);
    await page.getByRole('button', { name: 'cpu:1' }).click();
    await inAddress(page, { hdev: 'cpu:1' });
    await becomes(() => read(head(page)).then((text) => text.includes('176.4 MiB')), true, 'one device');
  });
});

eachLook('a profile beside the files: Trace opens the first event of the line', async (look) => {
  const heap = (await traced.api('runs', {})).id.find((id) => !id.includes('beside'));
  await withPage(traced.url, { ...look, hash: hash({ run: heap }) }, async (page) => {
    await becomes(() => read(card(page)), 'train.py:41', 'the line of most');
    const link = page.locator('.hp-card').getByRole('link', { name: 'Trace', exact: true });
    await link.waitFor();
    assert.match(await link.getAttribute('title'), /at the first of its 1 events? \$train\.py:39 step/);
    await link.click();
    await until('the trace of the profile', async () => (await read(page.locator('main'))).includes('$train.py:39 step'));
    const { tool, run, ev, hline, mode } = Object.fromEntries(new URLSearchParams(new URL(page.url()).hash.slice(1)));
    assert.deepEqual([tool, run.includes('beside'), Number(ev) >= 0, hline, mode], ['trace', true, true, undefined, undefined]);
  });
});

eachLook('opened without its mode, nothing is asked that a heap file has no answer to', async (look) => {
  const wrong = [];
  const prepare = (page) => page.on('response', (answer) => answer.status() >= 400 && wrong.push(answer.url()));
  await withPage(server.url, { ...look, prepare, hash: `#${new URLSearchParams({ run: 'device_memory', tool: 'memory' })}` }, async (page) => {
    await head(page).waitFor();
    await settled(page);
    assert.deepEqual(wrong, []);
  });
});

eachLook('tabs, a row, the details, files, and keys', async (look) => {
  await withHeap(look, {}, async (page) => {
    await page.locator('.hp-table .vt-row', { hasText: 'train.py:48' }).click();
    await becomes(() => read(card(page)), 'train.py:48', 'the card follows');
    await inAddress(page, { hline: '/home/me/train/train.py:48' });
    for (const name of ['Functions', 'Stacks', 'Sizes', 'New and gone']) {
      await tab(page, name).click();
      await settled(page);
    }
    await tab(page, /^Files/).click();
    await page.locator('.hp-table .vt-row', { hasText: 'memory.step60.prof' }).click();
    await becomes(() => read(head(page)).then((text) => text.includes('649.7 MiB')), true, 'the file before');
    await page.keyboard.press(']');
    await inAddress(page, { heap: 'memory.step80.prof' });
    await page.keyboard.press('x');
    await becomes(() => read(head(page)).then((text) => text.startsWith('457.4 MiB')), true, 'swapped');
    await page.keyboard.press('t');
    await page.locator('.hp-icicle .vt-row').first().waitFor();
    await settled(page);
    await page.keyboard.press('t');
    for (const [key, address] of [['m', { hby: 'count' }], ['m', { hby: 'grown' }], ['m', { hby: null }], ['g', { htab: null }], ['b', { against: 'memory.step20.prof' }]]) {
      if (key === 'g') await tab(page, 'Sizes').click();
      await page.keyboard.press(key);
      await inAddress(page, address);
    }
    for (const [name, on] of [['Callers first', { horder: 'callees' }], ['Innermost first', { horder: null }], ['Library', { hfold: '0' }], ['Library', { hfold: null }]]) {
      await page.locator('.hp-icicle').getByRole('button', { name }).click();
      await inAddress(page, on);
    }
    await page.getByRole('button', { name: /^buffer / }).click();
    await inAddress(page, { hkind: 'buffer' });
    await page.getByRole('button', { name: /^buffer / }).click();
    await inAddress(page, { hkind: null });
    await tab(page, /^Lines/).click();
    await page.locator('.hp-table [role="columnheader"]').getByRole('button', { name: 'count', exact: true }).click();
    await inAddress(page, { hsort: 'count' });
    await page.getByLabel('filter').fill('state.py');
    await inAddress(page, { hfilter: 'state.py' });
    await becomes(() => page.locator('.hp-table [role="grid"]').getAttribute('aria-rowcount'), '2', 'one line and the head: no sum of a part');
    await page.getByLabel('filter').fill('');
    const file = await download(page, () => page.locator('.hp-tabline a', { hasText: 'CSV' }).click());
    assert.match(file.text ?? String(file), /train\.py:41/);
    const json = await download(page, () => page.locator('.hp-tabline a', { hasText: 'JSON' }).click());
    const lines = JSON.parse(json.text ?? String(json));
    assert.equal(sum(lines.rows.value), lines.value);
  });
});

eachLook('the order of the table turns, and that of the boxes', async (look) => {
  await withHeap(look, {}, async (page) => {
    const first = () => read(page.locator('.hp-table .vt-row:not(.hp-sum)').first());
    const column = page.locator('.hp-table [role="columnheader"]').getByRole('button', { name: 'count', exact: true });
    const lines = async (desc) => (await server.api('heap/lines', { sort: 'count', desc })).rows;
    await column.click();
    await inAddress(page, { hsort: 'count', hdesc: null });
    const [most] = (await lines()).label;
    await becomes(async () => (await first()).startsWith(most), true, 'the most at the top');
    await column.click();
    await inAddress(page, { hdesc: '0' });
    const [least] = (await lines(0)).label;
    assert.notEqual(least, most);
    await becomes(async () => (await first()).startsWith(least), true, 'the least at the top');
    await page.keyboard.press('t');
    await inAddress(page, { table: '1' });
    const rows = page.locator('.hp-icicle .vt-row');
    const top = async (order) => {
      const { nodes } = await server.api('heap/tree', { order });
      const below = nodes.parent.flatMap((parent, i) => (parent === 0 ? [i] : []));
      return nodes.label[below.reduce((a, b) => (nodes.value[b] > nodes.value[a] ? b : a))];
    };
    assert.notEqual(await top(), await top('callees'));
    await becomes(async () => (await read(rows.nth(1))).includes(await top()), true, 'callers on top');
    await page.locator('.hp-icicle').getByRole('button', { name: 'Callers first' }).click();
    await inAddress(page, { horder: 'callees' });
    await becomes(async () => (await read(rows.nth(1))).includes(await top('callees')), true, 'what allocates on top');
  });
});

eachLook('Ctrl and a click: two boxes beside each other, in the address, until Escape', async (look) => {
  await withHeap(look, { hfold: '0' }, async (page) => {
    const { nodes: c } = await server.api('heap/tree', { fold: 0 });
    const box = await canvas(page).boundingBox();
    const pairOf = () => (new URLSearchParams(new URL(page.url()).hash.slice(1)).get('hpair') ?? '').split(',').filter(Boolean);
    const click = (share, depth) => canvas(page).click({ position: { x: box.width * share, y: 26 * (depth + 0.5) }, modifiers: ['Control'] });
    await click(0.1, 1);
    await becomes(() => pairOf().length, 1);
    const table = page.getByRole('region', { name: 'two frames compared' });
    assert.match(await read(table), /Ctrl-click another box to compare the two/);
    assert.equal(new URLSearchParams(new URL(page.url()).hash.slice(1)).get('hline'), null, 'the card stays');
    await click(0.1, 3);
    await becomes(() => pairOf().length, 2);
    const [a, b] = pairOf().map((key) => c.key.indexOf(key));
    assert.ok(a >= 0 && b >= 0 && c.value[a] >= c.value[b]);
    const mib = (value) => `${(Math.abs(value) / 2 ** 20).toFixed(1)} MiB`;
    const wanted = new RegExp(`${mib(c.value[a])}.*${mib(c.value[b])}.*B \u2212 A (\u2212${mib(c.value[a] - c.value[b])}|0)`);
    await matches(() => read(table), wanted, 'both, and the difference');
    await click(0.1, 3);
    await becomes(() => pairOf().length, 1, 'once more takes it away');
    await click(0.1, 2);
    await becomes(() => pairOf().length, 2);
    await page.keyboard.press('Escape');
    await inAddress(page, { hpair: null });
    await becomes(() => table.count(), 0);
  });
});

eachLook('a heap profile of Go has its own values', async (look) => {
  await withHeap(look, { heap: 'heap.2.prof' }, async (page) => {
    assert.match(await read(head(page)), /MiB live/);
    assert.match(await read(page.locator('.m-modes')), /heap profile \(pprof\)/);
  }, go);
  await withHeap(look, { heap: 'cpu.prof' }, async (page) => {
    assert.match(await read(head(page)), / m?s in all/);
    assert.equal(await page.locator('.hp-card').getByText('Trace', { exact: true }).count(), 0, 'a CPU profile has no way to a trace');
  }, go);
});

eachLook('Doctor: the lines that grow are findings; each leads to the line in the heap file', async (look) => {
  const doctor = await server.api('doctor', { run: 'device_memory' });
  await withPage(server.url, { ...look, hash: hash({ tool: 'doctor' }) }, async (page) => {
    await becomes(() => page.locator('.d-claim').allInnerTexts(), doctor.findings.map((finding) => finding.claim));
    assert.equal(await read(page.locator('.d-title')), '2 lines grow');
    assert.match(await read(page.locator('.d-head')), /705\.7 MiB in memory\.step80\.prof, the last of 4 files of memory\.step#\.prof\. Heap file$/);
    assert.match(await read(page.locator('.d-row').first()), /H01 growing line .* \+120\.0 MiB 17\.0 % of what the last file holds train\.py:41 fact$/);
    await page.locator('.d-row').first().getByRole('link', { name: 'train.py:41' }).click();
    await inAddress(page, { tool: 'memory', hline: doctor.findings[0].line });
    await matches(() => read(card(page)), /train\.py:41/, 'the line');
    await page.goBack();
    await page.locator('.d-head').getByRole('link', { name: 'Heap file' }).click();
    await matches(() => read(head(page)), /^705\.7 MiB live/, 'the heap file');
    await page.getByRole('link', { name: 'Doctor' }).click();
    await matches(() => read(page.locator('.d-title')), /^2 lines grow$/, 'by its icon');
  });
  await withPage(go.url, { ...look, hash: `#${new URLSearchParams({ run: 'pprof', tool: 'doctor' })}` }, async (page) => {
    await matches(() => read(page.locator('.d-head')), /^Growth is unknown Growth is told from three or more readable files of one series, such as memory\.step#\.prof; heap\.#\.prof has 2\. 1 other series in this folder\. Heap file$/, 'why not');
    await matches(() => read(page.locator('.d-findings')), /No findings\. Not checked: H01: growth is told from/, 'and none is claimed');
  });
});

eachLook('the address alone: files, device, kind, boxes, tab, line', async (look) => {
  const of = { file: 'memory.step60.prof', against: 'memory.step40.prof', device: 'cpu:1', kind: 'buffer' };
  const view = { heap: of.file, against: of.against, hdev: of.device, hkind: of.kind, hby: 'count', horder: 'callees', hfold: '0', htab: 'functions', hline: '/home/me/train/train.py:48' };
  const [s, functions] = [await server.api('heap/summary', of), await server.api('heap/lines', { ...of, group: 'function' })];
  await withHeap(look, view, async (page) => {
    const mib = `${(s.value / 2 ** 20).toFixed(1)} MiB live`;
    await becomes(async () => (await read(head(page))).startsWith(mib), true, mib);
    assert.match(await read(head(page)), /since memory\.step40\.prof/);
    assert.equal(await read(card(page)), 'train.py:48');
    const pressed = page.locator('.hp-left [aria-pressed="true"]');
    assert.deepEqual((await pressed.allInnerTexts()).map((text) => text.trim().split(/\s/)[0]), ['Buffers', 'Innermost', 'Library', 'cpu:1', 'buffer']);
    const row = (k) => read(page.locator('.hp-table .vt-row:not(.hp-sum)').nth(k));
    for (const k of [0, 1]) assert.ok((await row(k)).startsWith(functions.rows.function[k]), `${await row(k)}: ${functions.rows.function[k]}`);
  });
});

eachLook('G goes through the groups, each with its rows; Escape and × close the details; the files have what each holds', async (look) => {
  await withHeap(look, {}, async (page) => {
    const first = () => read(page.locator('.hp-table .vt-row:not(.hp-sum)').first());
    for (const [tabs, group] of [['functions', 'function'], ['stacks', 'stack'], ['sizes', 'size'], [null, 'line']]) {
      await page.keyboard.press('g');
      await inAddress(page, { htab: tabs });
      const { rows } = await server.api('heap/lines', { group });
      const name = (group === 'function' && rows.function[0]) || rows.label[0];
      await becomes(async () => (await first()).startsWith(name) && (await first()).includes(`${(rows.value[0] / 2 ** 20).toFixed(1)} MiB`), true, `${group}: ${name}`);
    }
    assert.match(await read(page.locator('.hp-card')), /The file records where a buffer was made\. It does not record what holds the buffer, or shapes\./);
    await page.keyboard.press('Escape');
    await inAddress(page, { hline: '-' });
    await becomes(() => page.locator('.hp-card').count(), 0, 'Escape');
    await page.locator('.hp-table .vt-row', { hasText: 'train.py:48' }).click();
    await becomes(() => read(card(page)), 'train.py:48');
    await page.getByRole('button', { name: 'close the details' }).click();
    await becomes(() => page.locator('.hp-card').count(), 0, 'its button');
    await tab(page, /^Files/).click();
    const { files } = await server.api('heap/files', {});
    for (const [k, name] of files.name.entries()) {
      const row = () => read(page.locator('.hp-table .vt-row', { hasText: name }));
      await becomes(async () => (await row()).includes(`${(files.value[k] / 2 ** 20).toFixed(1)} MiB`) && (await row()).includes(files.count[k].toLocaleString('en-US')), true, name);
      if (k) assert.ok((await row()).includes(`+${(files.change[k] / 2 ** 20).toFixed(1)} MiB`), await row());
    }
  });
});

eachLook('the place of a line is copied, the boxes are saved as PNG', async (look) => {
  await withHeap(look, { hline: '/home/me/train/train.py:41' }, async (page) => {
    await page.getByRole('button', { name: 'copy the place' }).click();
    await becomes(() => copied(page), '/home/me/train/train.py:41');
    const png = await download(page, () => page.getByRole('button', { name: 'PNG', exact: true }).click());
    assert.equal(png.bytes.subarray(1, 4).toString(), 'PNG');
  });
});
