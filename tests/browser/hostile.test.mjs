// Names that are markup, control characters, no UTF-8, or a megabyte long: text on the page, never more.
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';

import { hloProto, xspace } from './hlo.mjs';
import { becomes, csv, download, eachLook, inAddress, putFile, quit, read, serve, settled, temporary, until, viewOf, withPage } from './lib.mjs';

const IMG = '<img src=x onerror="window.hacked=1">';
const SCRIPT = '</script><script>window.hacked=2</script>';
const CONTROL = 'nul\u0000bell\u0007esc\u001b[31mrtl\u202eevil\r\nline';
const FORMULA = '=HYPERLINK("http://example.com")';
const LONG = `long.${'x'.repeat(1 << 20)}.end`;
const INVALID = Buffer.concat([Buffer.from('bad'), Buffer.from([0xc3, 0x28, 0xff, 0xfe, 0xed, 0xa0, 0x80]), Buffer.from('utf8')]);
const MODULE = '<b onmouseover=alert(1)>jit_"step"&amp;</b>';

const BUFFERS = [
  { name: IMG, opName: `jit(f)/${IMG}/add`, source: `/src/${SCRIPT}.py`, elements: 4 << 20 },
  { name: SCRIPT, opName: 'jit(f)/"quoted"/\'single\'', source: 'a\\b.py', elements: 3 << 20 },
  { name: CONTROL, opName: CONTROL, source: 'c.py', elements: 2 << 20 },
  { name: FORMULA, opName: FORMULA, source: '@d.py', opcode: '<svg/onload=1>', elements: 1 << 20 },
  { name: INVALID, opName: INVALID, source: INVALID, elements: 1 << 19 },
  { name: LONG, opName: `jit(f)/${'y/'.repeat(5000)}z`, source: `${'d/'.repeat(4000)}e.py`, elements: 1 << 18 },
];
const PEAK = BUFFERS.reduce((sum, buffer) => sum + buffer.elements * 4, 0);

let server;
before(async () => {
  const root = temporary('hostile');
  const hlo = hloProto(MODULE, BUFFERS);
  putFile(root, `plugins/profile/${'<i>run&"1"<`i>'.replace('/', '')}/host<u>0.xplane.pb`, xspace([{ name: MODULE, id: 7, hlo }, { name: 'other', id: 8, hlo: hloProto('other', [{ name: 'a', elements: 8 }]) }]));
  server = await serve(root);
});
after(async () => {
  await quit();
  await server?.stop();
});

/** No element that a name could have made, nothing that a script of a name could have done. */
async function nothingMade(page) {
  const made = await page.evaluate(() => ({
    hacked: window.hacked ?? null,
    elements: document.querySelectorAll('img, b[onmouseover], u, svg[onload], #app script, iframe').length,
    handlers: [...document.querySelectorAll('*')].filter((element) => [...element.attributes].some((a) => /^on/i.test(a.name))).length,
  }));
  assert.deepEqual(made, { hacked: null, elements: 0, handlers: 0 });
}

eachLook('every view shows hostile names as text', async (look) => {
  const { id: [run] } = await server.api('runs');
  const summary = await server.api('memory/summary', { run });
  assert.equal(summary.peak.held_bytes, PEAK);
  const table = await server.api('memory/buffers', { run, at: 'all' });
  assert.equal(table.total, BUFFERS.length);
  await withPage(server.url, look, async (page) => {
    await page.locator('.m-peak-big').waitFor();
    await becomes(() => read(page.locator('.m-peak-big')), 'Peak 43.0 MiB');
    await becomes(() => page.locator('.picker', { hasText: 'module' }).locator('.value').innerText(), MODULE);
    await nothingMade(page);
    // Buffers: the names as in the answer, markup and all.
    if (await page.getByRole('tab', { name: /^Buffers/ }).count()) await page.getByRole('tab', { name: /^Buffers/ }).click();
    const names = page.locator('.vt-row .m-name code');
    await becomes(() => names.count(), BUFFERS.length, 'rows');
    const shown = await names.evaluateAll((all) => all.map((code) => code.textContent));
    assert.ok(shown.includes(IMG) && shown.includes(SCRIPT) && shown.includes(FORMULA), JSON.stringify(shown.map((name) => name.slice(0, 60))));
    assert.deepEqual(shown.sort(), table.name.map((at) => table.names[at]).sort());
    await nothingMade(page);
    const wide = await page.evaluate(() => document.scrollingElement.scrollWidth);
    assert.ok(wide <= look.size.width, `${wide} px in a window of ${look.size.width}`);
    // The card of each: name, scope, source.
    for (const buffer of table.buffer) {
      await page.goto(`${server.url}#${new URLSearchParams({ run, pin: buffer, tab: 'buffers' })}`);
      const card = await server.api('memory/buffer', { run, buffer });
      await becomes(async () => (await page.locator('.m-card-title code').count()) === 1 && page.locator('.m-card-title code').evaluate((code) => code.textContent), `%${card.name}`);
      await nothingMade(page);
    }
    await page.keyboard.press('Escape');
    // Scope, modules, palette, hover.
    if (await page.getByRole('tab', { name: 'By scope' }).count()) await page.getByRole('tab', { name: 'By scope' }).click();
    await page.locator('.m-icicle-canvas').hover({ position: { x: 60, y: 30 } });
    await page.locator('.m-hover').waitFor();
    await nothingMade(page);
    await page.locator('.m-map-canvas').hover({ position: { x: 300, y: 40 } });
    await nothingMade(page);
    await page.getByRole('tab', { name: /^All modules/ }).click();
    await until('both modules', async () => (await page.locator('.vt-row', { hasText: MODULE }).count()) === 1);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('#<img');
    await until('the hit', async () => (await page.locator('.palette-title').allInnerTexts()).includes(IMG));
    await nothingMade(page);
    await page.keyboard.press('Enter');
    await inAddress(page, { pin: String(table.buffer[table.name.findIndex((at) => table.names[at] === IMG)]) });
    // The list of runs: folder and file names come from disk.
    await page.keyboard.press('u');
    await page.locator('.run-row').waitFor();
    assert.equal(await page.locator('.run-name').innerText(), run.split('/').at(-1));
    await nothingMade(page);
  });
});

eachLook('the page keeps working: zoom, pin, filter with signs that mean something elsewhere', async (look) => {
  const { id: [run] } = await server.api('runs');
  await withPage(server.url, { ...look, hash: `#${new URLSearchParams({ run, tab: 'buffers' })}` }, async (page) => {
    await page.locator('.vt-row').first().waitFor();
    const matched = (filter) => server.api('memory/buffers', { run, at: 'all', filter }).then((answer) => answer.matched);
    for (const filter of ['<img', '"', '\\', '/(/', '%', '&run=other#x', '=HYPER']) {
      await page.locator('.m-filter').fill(filter);
      await inAddress(page, { filter });
      await becomes(() => page.locator('.vt-row').count(), await matched(filter), filter);
    }
    await page.reload();
    await becomes(() => page.locator('.m-filter').inputValue(), '=HYPER');
    // A spreadsheet must not run a name.
    const file = await download(page, () => page.getByRole('link', { name: 'CSV' }).last().click());
    const [line] = csv(file.text);
    assert.equal(line.name, `'${FORMULA}`);
    await nothingMade(page);
  });
});

eachLook('an address cannot inject either', async (look) => {
  const { id: [run] } = await server.api('runs');
  const evil = { run, filter: IMG, scope: SCRIPT, source: IMG, op: SCRIPT, tab: '<b>', colour: SCRIPT, __proto__x: '1', sort: '"><img src=x>' };
  await withPage(server.url, { ...look, hash: `#${new URLSearchParams(evil)}&__proto__=1&constructor=2&toString=3` }, async (page, { forgive }) => {
    const explained = [];
    page.on('request', (request) => {
      if (request.url().includes('/graph/explain')) explained.push(new URL(request.url()).searchParams.get('node'));
    });
    await page.locator('.m-peak-big').waitFor();
    await nothingMade(page);
    assert.equal(await page.evaluate(() => String({}.toString).includes('native')), true);
    // Memory has turned the op into the buffer it defines, whatever it is called.
    await inAddress(page, { op: null });
    assert.ok(/^\d+$/.test(viewOf(page).pin), 'a buffer by number');
    await page.goto(`${server.url}#${new URLSearchParams({ ...evil, tool: 'graph' })}`);
    // The program has an op of this name: it is drawn and explained by its id, whatever signs its name holds.
    await until('the op, drawn', async () => (await page.locator('.g-canvas > canvas').getAttribute('data-drawn').catch(() => '')) === SCRIPT);
    await until('the op, explained', async () => (await page.locator('.g-card').allTextContents()).some((text) => text.includes(`%${SCRIPT}`)));
    assert.equal(await page.locator('.g-card .x-problem').count(), 0);
    await nothingMade(page);
    // And none of this one: the nearest names, and nothing is asked about what is not there.
    const absent = `</b><script>window.hacked=3</script>${IMG}`;
    explained.length = 0;
    await page.goto(`${server.url}#${new URLSearchParams({ run, tool: 'graph', op: absent })}`);
    await becomes(() => page.locator('.g-empty[role=alert] h2').allInnerTexts(), [`No op named ${absent} in ${MODULE}.`], 'the sentence');
    assert.ok((await page.locator('.g-empty li').count()) > 0, 'nearest names');
    await nothingMade(page);
    await settled(page);
    assert.deepEqual(explained, []);
    forgive(/answer 404: .*graph\/around/);
    await nothingMade(page);
  });
});
