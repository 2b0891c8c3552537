// Graph: the text of a program, its names to jump to, the card, find, forms, links.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test, { after, before } from 'node:test';

import { becomes, download, eachLook, inAddress, makeLogdir, quit, read, serve, testdata, toastSays, until, withPage } from './lib.mjs';

const DEMO = { run: 'demo/aot', tool: 'graph' };
let server;
let lines; // the long text as the server has it
before(async () => {
  server = await serve(makeLogdir({ demo: join(testdata, 'tpu_padded_demo/logdir'), layers: join(testdata, 'tpu_scan_layers/logdir') }));
  lines = (await (await fetch(`${server.url}api/v1/graph/text?run=${DEMO.run}&format=long`)).text()).split('\n');
});
after(async () => {
  await quit();
  await server?.stop();
});

const hash = (view) => `#${new URLSearchParams(view)}`;
const grid = (page) => page.getByRole('grid', { name: 'HLO text' });
const card = (page) => page.getByRole('complementary', { name: 'details' });
const on = (page) => grid(page).locator('.g-line.on');
const ready = (page) => grid(page).locator('.g-line').first().waitFor();
const lineOf = (name) => lines.findIndex((line) => new RegExp(`^ {2}(ROOT )?%${name.replaceAll('.', '\\.')} = `).test(line));
/** An instruction of the entry computation with an operand, and that operand. */
function pair() {
  const from = lines.findIndex((line) => line.startsWith('ENTRY '));
  const at = lines.findIndex((line, i) => i > from && / fusion\(%[\w.-]+/.test(line));
  return { user: /%([\w.-]+) = /.exec(lines[at])[1], operand: / fusion\(%([\w.-]+)/.exec(lines[at])[1] };
}

eachLook('names lead to definitions, the card to operands and users, back comes back', async (look) => {
  const { user, operand } = pair();
  await withPage(server.url, { ...look, hash: hash({ ...DEMO, op: `%${user}` }) }, async (page) => {
    await ready(page);
    await becomes(async () => (await read(on(page))).startsWith(`${lineOf(user) + 1}`), true, 'the line of the link');
    assert.equal(await grid(page).getAttribute('aria-rowcount'), String(lines.length));
    assert.match(await card(page).innerText(), new RegExp(`^%${user.replaceAll('.', '\\.')}`));
    await card(page).locator('section', { hasText: /^Operands/ }).getByRole('button').first().click();
    await inAddress(page, { op: `%${operand}` });
    await becomes(async () => (await read(on(page))).includes(`%${operand} = `), true);
    assert.ok((await card(page).locator('section', { hasText: /^Used by/ }).innerText()).includes(`%${user}`));
    await page.goBack();
    await inAddress(page, { op: `%${user}` });
    // The same by keys: to an operand, to a user.
    await page.keyboard.press('[');
    await inAddress(page, { op: `%${operand}` });
    await page.keyboard.press(']');
    await until('a user', async () => new URLSearchParams(new URL(page.url()).hash.slice(1)).get('op') !== `%${operand}`);
    // A name in the text itself.
    await page.goto(`${server.url}${hash({ ...DEMO, op: `%${user}` })}`);
    await on(page).getByRole('button', { name: `%${operand}`, exact: true }).first().click();
    await inAddress(page, { op: `%${operand}` });
    // Esc takes the selection away: the outline of computations comes.
    await page.keyboard.press('Escape');
    await until('the outline', async () => /^Computations/.test(await card(page).innerText()));
    await card(page).getByRole('button').first().click();
    await until('the entry computation', async () => /the entry computation/.test(await card(page).innerText()));
  });
});

eachLook('find: n of m, on and back, a pattern, no hit, a broken pattern', async (look) => {
  const hits = lines.filter((line) => line.toLowerCase().includes('fusion(')).length;
  await withPage(server.url, { ...look, hash: hash(DEMO) }, async (page) => {
    await ready(page);
    await page.keyboard.press('/');
    const field = page.getByLabel('find in the text');
    const says = () => page.locator('.g-find [role=status]').innerText();
    await page.keyboard.type('fusion(');
    await becomes(says, `${hits} lines`);
    await page.keyboard.press('Enter');
    await becomes(says, `1 of ${hits} lines`);
    await page.keyboard.press('Enter');
    await becomes(says, `2 of ${hits} lines`);
    await page.keyboard.press('Shift+Enter');
    await becomes(says, `1 of ${hits} lines`);
    assert.match(await read(on(page)), /fusion\(/);
    await field.fill('/^ENTRY/');
    await becomes(says, '1 lines');
    await field.fill('nosuchthing');
    await becomes(says, '0 lines');
    await field.fill('/(/');
    await until('why', async () => /not a pattern/.test(await says()));
    await page.keyboard.press('Escape');
    assert.equal(await field.inputValue(), '');
  });
});

eachLook('short, metadata and configs change the text; it can be saved', async (look) => {
  await withPage(server.url, { ...look, hash: hash(DEMO) }, async (page) => {
    await ready(page);
    await page.getByLabel('form of the text').selectOption('short');
    await inAddress(page, { form: 'short' });
    await page.getByLabel('metadata').check();
    await inAddress(page, { meta: '1' });
    await page.getByLabel('configs').uncheck();
    await inAddress(page, { config: '0' });
    const want = await (await fetch(`${server.url}api/v1/graph/text?run=${DEMO.run}&format=short&metadata=1&config=0`)).text();
    await becomes(() => grid(page).getAttribute('aria-rowcount'), String(want.split('\n').length));
    const saved = await download(page, () => page.getByRole('link', { name: 'text', exact: true }).click());
    assert.equal(saved.text, want);
  });
});

eachLook('what is not there is said; copies and links carry the instruction', async (look) => {
  const { user } = pair();
  await withPage(server.url, { ...look, hash: hash({ ...DEMO, op: '%nothing.1' }) }, async (page, { forgive }) => {
    await ready(page);
    assert.match(await read(card(page).getByRole('alert')), /nothing called %nothing\.1/);
    await page.goto(`${server.url}${hash({ ...DEMO, op: `%${user}` })}`);
    await card(page).getByRole('button', { name: 'copy' }).click();
    await toastSays(page, /instruction/);
    assert.equal(await card(page).getByRole('link', { name: 'its buffers' }).getAttribute('href').then((href) => new URLSearchParams(href.slice(1)).get('filter')), user);
    const dot = await download(page, () => card(page).getByRole('link', { name: /DOT/ }).click());
    assert.match(dot.text, /^digraph G \{/);
    await page.goto(`${server.url}${hash({ ...DEMO, module: 'no_such(1)' })}`);
    await page.reload();
    await until('why not', async () => /cannot be shown|no module|not/.test(await page.locator('main').innerText()));
    forgive(/404/);
  });
});
