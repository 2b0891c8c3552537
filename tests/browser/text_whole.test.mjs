// The text of a program of 5,143 instructions: its names, lists, find, folds, forms, copies and files, as a person uses them.
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';

import { becomes, copied, download, inAddress, quit, read, toastSays, until, viewOf, withPage } from './lib.mjs';
import { isHere } from './graph.mjs';
import { countOf, LAYERS, MODULE, RUN, serveWhole } from './whole.mjs';

const SUBJECT = { run: RUN, module: MODULE };
let server;
let lines; // the long text as the server has it
const textOf = async (more) => (await fetch(`${server.url}api/v1/graph/text?${new URLSearchParams({ ...SUBJECT, ...more })}`)).text();
before(async () => {
  server = await serveWhole();
  lines = (await textOf({ format: 'long', metadata: 1 })).split('\n');
});
after(async () => {
  await quit();
  await server?.stop();
});

const hash = (view) => `#${new URLSearchParams({ ...SUBJECT, tool: 'graph', r: 1, ...view })}`;
const grid = (page) => page.getByRole('grid', { name: 'HLO text' });
const on = (page) => grid(page).locator('.g-line.on');
const rowOf = (page, line) => grid(page).locator(`[aria-rowindex="${line + 1}"]`);
const side = (page) => page.getByRole('region', { name: 'uses and operands' });
const list = (page, title) => side(page).locator('section', { hasText: new RegExp(`^${title}`) });
const lineOf = (name) => lines.findIndex((line) => new RegExp(`^ {2}(ROOT )?%${name.replaceAll('.', '\\.')} = `).test(line));
const headOf = (name) => lines.findIndex((line) => line.startsWith(`${name} `));
const opened = async (page) => {
  await on(page).waitFor();
  await isHere(page, viewOf(page).op.slice(1));
};

test('the program has the size that is claimed', () => {
  assert.equal(lines.filter((line) => /^ {2}(ROOT )?%/.test(line)).length, countOf(LAYERS));
  assert.ok(countOf(LAYERS) >= 5000);
});

test('names: a tooltip on hover, a click opens the definition; uses, operands and callees with their lines', async () => {
  await withPage(server.url, { hash: hash({ op: '%fusion.300' }) }, async (page) => {
    await opened(page);
    assert.equal(await grid(page).getAttribute('aria-rowcount'), String(lines.length));
    await on(page).getByRole('button', { name: '%add.299', exact: true }).hover();
    // Its line, shape, op name and the stack of its source.
    await until('the box', async () => new RegExp(`^add\\.299 line ${lineOf('add.299') + 1} add f32\\[1024,1024\\]\\{1,0:T\\(8,128\\)\\} jit\\(step\\)/layer_299/out model\\.py:23 layer train\\.py:40 train`).test(await read(page.locator('.m-hover')).catch(() => '')));
    await becomes(async () => (await list(page, 'Uses').locator('li').allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim()), ['negate.300', 'exponential.300'].map((name) => `${name} ${lineOf(name) + 1}`));
    await becomes(async () => (await list(page, 'Operands').locator('li').allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim()), ['add.299', 'w'].map((name) => `${name} ${lineOf(name) + 1}`));
    await list(page, 'Uses').getByRole('button', { name: 'negate.300', exact: true }).click();
    await inAddress(page, { op: '%negate.300' });
    await becomes(async () => (await read(on(page))).split(' ')[0], String(lineOf('negate.300') + 1));
    await list(page, 'Operands').getByRole('button', { name: 'fusion.300', exact: true }).click();
    await inAddress(page, { op: '%fusion.300' });
    // What it calls: the line where that computation begins, and its callers.
    await list(page, 'Calls').getByRole('button', { name: 'fused.300', exact: true }).click();
    await becomes(async () => (await read(on(page))).startsWith(`${headOf('%fused.300') + 1} `), true, 'the computation');
    await list(page, 'Uses').getByRole('button', { name: 'fusion.300', exact: true }).click();
    await inAddress(page, { op: '%fusion.300' });
    await on(page).getByRole('button', { name: '%add.299', exact: true }).click();
    await inAddress(page, { op: '%add.299' });
    await page.goBack();
    await inAddress(page, { op: '%fusion.300' });
    // A value of very many uses: as many as are listed, and how many more.
    await on(page).getByRole('button', { name: '%w', exact: true }).click();
    await until('the uses of w', async () => new RegExp(`^Uses ${LAYERS + 2} .* ${LAYERS + 2 - 200} more; find %w in the text$`).test(await read(list(page, 'Uses'))));
  });
});

test('find: n of m, next and previous by keys and buttons, a pattern, no hit, an invalid pattern', async () => {
  const hits = lines.filter((line) => line.toLowerCase().includes('tanh(')).length;
  const many = lines.filter((line) => line.includes('exponential(')).length;
  assert.deepEqual([hits, many], [1, LAYERS]);
  await withPage(server.url, { hash: hash({ op: '%fusion.300' }) }, async (page) => {
    await opened(page);
    const field = page.getByLabel('find in the text');
    const says = () => page.locator('.g-find [role=status]').innerText();
    await grid(page).focus();
    await page.keyboard.press('/');
    await page.keyboard.type('exponential(');
    await becomes(says, `${LAYERS} lines`);
    await inAddress(page, { tfind: 'exponential(' });
    // From the selected line on.
    await page.keyboard.press('Enter');
    await becomes(says, `301 of ${LAYERS}`);
    await until('the line', async () => /%exponential\.300 = /.test(await read(grid(page).locator('.g-line.at'))));
    await page.getByRole('button', { name: 'next hit' }).click();
    await becomes(says, `302 of ${LAYERS}`);
    await page.getByRole('button', { name: 'previous hit' }).click();
    await becomes(says, `301 of ${LAYERS}`);
    await field.press('Shift+Enter');
    await becomes(says, `300 of ${LAYERS}`);
    // With the focus in the text itself the same keys go on.
    await grid(page).focus();
    await page.keyboard.press('Enter');
    await becomes(says, `301 of ${LAYERS}`);
    await page.keyboard.press('Shift+Enter');
    await becomes(says, `300 of ${LAYERS}`);
    await field.fill('/^ENTRY|ROOT %result/');
    await becomes(says, '2 lines');
    await field.fill('TANH(');
    await becomes(says, '1 line');
    await field.fill('nosuchthing');
    await becomes(says, '0 lines');
    await field.fill('/(/');
    await until('why', async () => /not a pattern/.test(await says()));
    await field.press('Escape');
    await becomes(() => field.inputValue(), '');
    await inAddress(page, { tfind: null });
  });
});

test('computations fold at their first line and at its sticky copy; all at once; the sticky line jumps to the beginning', async () => {
  const head = headOf('%fused.300');
  await withPage(server.url, { hash: hash({ op: '%fusion.300', line: head + 1 }) }, async (page) => {
    await rowOf(page, head).waitFor();
    assert.match(await read(rowOf(page, head)), /4 instructions$/);
    await rowOf(page, head).getByRole('button', { name: 'fold the computation' }).click();
    await rowOf(page, head + 1).waitFor({ state: 'detached' });
    await rowOf(page, head).getByRole('button', { name: 'open the computation' }).click();
    await rowOf(page, head + 1).waitFor();
    // Deep in the entry computation its first line is on top, with its number to go there.
    const entry = headOf('ENTRY');
    await page.evaluate((at) => { location.hash = at; }, hash({ op: '%fusion.300' }));
    const sticky = page.locator('.g-sticky');
    await until('the first line', async () => (await read(sticky)).startsWith(`${entry + 1} ▾ ENTRY %main (2 parameters) -> bf16[1024,1024]`));
    await sticky.getByRole('button', { name: String(entry + 1), exact: true }).click();
    await rowOf(page, entry).waitFor();
    await rowOf(page, lineOf('x')).waitFor();
    await grid(page).evaluate((element, by) => { element.scrollTop += by; }, 60 * 19);
    await until('deep again', async () => (await read(sticky)).startsWith(`${entry + 1} `));
    await sticky.getByRole('button', { name: 'fold the computation' }).click();
    await rowOf(page, entry).getByRole('button', { name: 'open the computation' }).waitFor();
    await page.getByRole('button', { name: 'open all' }).click();
    await inAddress(page, { tf: null });
    await page.getByRole('button', { name: 'fold all' }).click();
    await grid(page).evaluate((element, at) => { element.scrollTop = at * 19; }, headOf('%fused.0'));
    await until('one line for each computation', async () => (await grid(page).locator('.g-fold[aria-expanded=false]').count()) > 3);
    await page.getByRole('button', { name: 'open all' }).click();
    await inAddress(page, { tf: null });
  });
});

test('short, long, metadata and configs as pills; a line and a computation copied', async () => {
  await withPage(server.url, { hash: hash({ op: '%fusion.300' }) }, async (page) => {
    await opened(page);
    await on(page).getByRole('button', { name: 'metadata', exact: true }).click();
    await until('the metadata', async () => /metadata=\{op_name="jit\(step\)\/layer_300\/fused"/.test(await on(page).innerText()));
    await on(page).getByRole('button', { name: 'backend_config', exact: true }).click();
    await until('the config', async () => /backend_config=\{"window_config":\{"estimated_cycles":"1300"\}\}/.test(await on(page).innerText()));
    await page.getByLabel('Metadata folded').uncheck();
    await inAddress(page, { meta: '1' });
    await becomes(() => grid(page).locator('.g-pill').count(), 0);
    await page.getByLabel('Metadata folded').check();
    await inAddress(page, { meta: null });
    await page.getByRole('button', { name: 'Short', exact: true }).click();
    await inAddress(page, { form: 'short' });
    await until('names without their sign', async () => (await on(page).innerText()).includes(' fusion.300 = '));
    await page.getByRole('button', { name: 'Long', exact: true }).click();
    await inAddress(page, { form: null });
    await until('the long text', async () => (await on(page).innerText()).includes(' %fusion.300 = '));
    const menu = page.locator('.g-text-bar').getByTitle('copy', { exact: true });
    await menu.click();
    await page.getByRole('button', { name: `line ${lineOf('fusion.300') + 1}`, exact: true }).click();
    await toastSays(page, /line copied/);
    assert.equal(await copied(page), lines[lineOf('fusion.300')].trim());
    await page.evaluate(() => navigator.clipboard.writeText(''));
    await grid(page).focus();
    await page.keyboard.press('Shift+C');
    await becomes(() => copied(page), lines[lineOf('fusion.300')].trim(), 'by the key');
    const from = headOf('%fused.300');
    await page.evaluate((at) => { location.hash = at; }, hash({ op: '%sum.300' }));
    await until('in the body', async () => (await on(page).innerText()).includes('%sum.300 = '));
    await menu.click();
    await page.getByRole('button', { name: 'computation fused.300, 6 lines', exact: true }).click();
    await becomes(() => copied(page), lines.slice(from, from + 6).join('\n'), 'the computation');
  });
});

test('files: each form of the text, and the program as bytes', async () => {
  await withPage(server.url, { hash: hash({ op: '%fusion.300' }) }, async (page) => {
    await opened(page);
    for (const [name, more] of [
      ['long, as XLA prints it', { format: 'long' }],
      ['long with metadata', { format: 'long', metadata: 1 }],
      ['long without backend configs', { format: 'long', config: 0 }],
      ['short', { format: 'short' }],
      ['short with metadata', { format: 'short', metadata: 1 }],
      ['expressions with operand shapes', { format: 'expression' }],
    ]) {
      await page.getByTitle('save the text').first().click();
      const saved = await download(page, () => page.getByRole('link', { name, exact: true }).click());
      assert.equal(saved.text, await textOf(more), name);
    }
    await page.getByTitle('save the text').first().click();
    const proto = await download(page, () => page.getByRole('link', { name: /HloProto/ }).click());
    for (const name of ['fusion.639', 'kernel_call', 'while_body']) assert.ok(proto.bytes.includes(Buffer.from(name)), name);
  });
});

test('a kernel in the text: its pill opens the MLIR in Explain', async () => {
  await withPage(server.url, { hash: hash({ op: '%result', xs: 'text' }) }, async (page) => {
    await opened(page);
    await grid(page).locator('.g-line', { hasText: '%kernel_call = ' }).getByRole('button', { name: 'kernel', exact: true }).click();
    await inAddress(page, { op: '%kernel_call', xs: 'text.kernel' });
    const mlir = await (await fetch(`${server.url}api/v1/graph/kernel?${new URLSearchParams({ ...SUBJECT, node: 'kernel_call' })}`)).text();
    assert.match(mlir, /^module attributes/);
    await becomes(() => page.locator('[data-section=kernel] pre').textContent(), mlir.split('\n').slice(0, 400).join('\n'));
  });
});
