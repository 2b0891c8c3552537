// Graph: the text of a program, its names to jump to, the card, find, forms, links.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test, { after, before } from 'node:test';

import { becomes, copied, download, eachLook, inAddress, makeLogdir, quit, read, serve, sharedLogdir, testdata, toastSays, until, visit, withPage } from './lib.mjs';

const DEMO = { run: 'demo/aot', tool: 'graph' };
let server;
let lines; // the long text as the server has it
before(async () => {
  server = await serve(makeLogdir({ demo: join(testdata, 'tpu_padded_demo/logdir'), layers: join(testdata, 'tpu_scan_layers/logdir') }));
  lines = (await (await fetch(`${server.url}api/v1/graph/text?run=${DEMO.run}&format=long&metadata=1`)).text()).split('\n');
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
/** The colour that the page gives a group of operations, as the browser writes it. */
const colourOf = (page, group) => page.evaluate((name) => {
  const box = document.body.appendChild(document.createElement('i'));
  box.style.background = `var(--o-${name})`;
  const { backgroundColor } = getComputedStyle(box);
  box.remove();
  return backgroundColor;
}, group);
/** An instruction of the entry computation with an operand, and that operand. */
function pair() {
  const from = lines.findIndex((line) => line.startsWith('ENTRY '));
  const at = lines.findIndex((line, i) => i > from && / fusion\(%[\w.-]+/.test(line));
  return { user: /%([\w.-]+) = /.exec(lines[at])[1], operand: / fusion\(%([\w.-]+)/.exec(lines[at])[1] };
}

eachLook('names lead to definitions, the details to operands and users, back comes back', async (look) => {
  const { user, operand } = pair();
  await withPage(server.url, { ...look, hash: hash({ ...DEMO, op: `%${user}` }) }, async (page) => {
    await ready(page);
    await becomes(async () => (await read(on(page))).startsWith(`${lineOf(user) + 1}`), true, 'the line of the link');
    // Beside the text: the operands with their lines.
    const side = page.getByRole('region', { name: 'uses and operands' });
    await becomes(async () => (await side.locator('section', { hasText: /^Operands/ }).locator('li').first().innerText()).replace(/\s+/g, ' '), `${operand} ${lineOf(operand) + 1}`);
    // Each with the square of its group.
    const { operands, users } = await server.api('graph/node', { run: DEMO.run, node: user });
    for (const [title, list] of [['Operands', operands], ['Uses', users]]) {
      const squares = () => side.locator('section', { hasText: new RegExp(`^${title}`) }).locator('li').evaluateAll((all) => all.map((li) => [li.querySelector('button').textContent, getComputedStyle(li.querySelector('.swatch')).backgroundColor]));
      await until('the squares', async () => (await squares()).length && (await squares()).every(([, colour]) => colour !== 'rgba(0, 0, 0, 0)'));
      for (const [name, colour] of await squares()) assert.equal(colour, await colourOf(page, list.group[list.name.indexOf(name)]), name);
    }
    // What a name is stands beside the pointer.
    await on(page).getByRole('button', { name: `%${operand}`, exact: true }).first().hover();
    await until('the box beside the pointer', async () => (await page.locator('.m-hover').innerText()).startsWith(`${operand} line ${lineOf(operand) + 1}`));
    assert.equal(await grid(page).getAttribute('aria-rowcount'), String(lines.length));
    await until('what it is', async () => (await card(page).innerText()).startsWith(user));
    await side.getByRole('button', { name: operand, exact: true }).click();
    await inAddress(page, { op: `%${operand}` });
    await until('its user', async () => (await side.locator('section', { hasText: /^Uses/ }).innerText()).includes(user));
    await page.goBack();
    await inAddress(page, { op: `%${user}` });
    // A name in the text itself.
    await page.goto(`${server.url}${hash({ ...DEMO, op: `%${user}` })}`);
    await on(page).getByRole('button', { name: `%${operand}`, exact: true }).first().click();
    await inAddress(page, { op: `%${operand}` });
    // The line of a computation: who calls it, and its picture.
    await page.evaluate(([at, line]) => { location.hash = `${at}&line=${line}`; }, [hash(DEMO), lines.findIndex((line) => line.startsWith('ENTRY ')) + 1]);
    await until('the entry computation', async () => /the entry computation of \d+ instructions/.test(await card(page).innerText()));
    await card(page).getByRole('button', { name: 'draw it' }).click();
    await until('the computation in the address', async () => new URLSearchParams(new URL(page.url()).hash.slice(1)).get('comp'));
  });
});

eachLook('find: n of m, on and back, a pattern, no hit, a broken pattern', async (look) => {
  const hits = lines.filter((line) => line.toLowerCase().includes('fusion(')).length;
  await withPage(server.url, { ...look, hash: hash(DEMO) }, async (page) => {
    await ready(page);
    const field = page.getByLabel('find in the text');
    // In the text, and only there, "/" means the text.
    await grid(page).focus();
    await page.keyboard.press('/');
    const says = () => page.locator('.g-find [role=status]').innerText();
    await page.keyboard.type('fusion(');
    await becomes(says, `${hits} lines`);
    await inAddress(page, { tfind: 'fusion(' });
    await page.keyboard.press('Enter');
    await becomes(says, `1 of ${hits}`);
    await page.getByRole('button', { name: 'next hit' }).click();
    await becomes(says, `2 of ${hits}`);
    await field.press('Shift+Enter');
    await becomes(says, `1 of ${hits}`);
    await page.getByRole('button', { name: 'previous hit' }).click();
    await becomes(says, `${hits} of ${hits}`);
    await becomes(async () => /fusion\(/.test(await read(page.locator('.g-line.at'))), true);
    await field.fill('/^ENTRY/');
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

eachLook('computations fold, by themselves and all; the first line stays at the top', async (look) => {
  const heads = lines.flatMap((line, i) => (/^%[\w.-]+ .*\{$/.test(line) ? [i] : []));
  const end = lines.findIndex((line, i) => i > heads[0] && line.startsWith('}'));
  const name = /^%([\w.-]+)/.exec(lines[heads[0]])[1];
  await withPage(server.url, { ...look, hash: hash({ ...DEMO, line: String(heads[0] + 1) }) }, async (page) => {
    const row = (line) => grid(page).locator(`[aria-rowindex="${line + 1}"]`);
    await row(heads[0]).waitFor();
    assert.match(await read(row(heads[0])), new RegExp(`${end - heads[0] - 1} instructions$`));
    await row(heads[0]).getByRole('button', { name: 'fold the computation' }).click();
    await row(heads[0] + 1).waitFor({ state: 'detached' });
    await row(end + 1).waitFor();
    // A link into it opens it again.
    const inside = /^ {2}(?:ROOT )?%([\w.-]+) = /.exec(lines[heads[0] + 1])[1];
    await page.evaluate(([at, op]) => { location.hash = `${at}&op=%25${op}`; }, [hash(DEMO), inside]);
    await row(heads[0] + 1).waitFor();
    await page.getByRole('button', { name: 'fold all' }).click();
    await page.getByRole('button', { name: 'open all' }).waitFor();
    await until('only heads and the entry', async () => (await grid(page).locator('.g-fold[aria-expanded=false]').count()) > 2);
    await page.getByRole('button', { name: 'open all' }).click();
    if (look.size.height > 1000) return; // all of it is on screen at once
    // Deep in the entry computation its first line stands at the top.
    const entry = lines.findIndex((line) => line.startsWith('ENTRY '));
    const last = lines.findIndex((line, i) => i > entry && line.startsWith('  ROOT '));
    await page.evaluate(([at, line]) => { location.hash = `${at}&line=${line}`; }, [hash(DEMO), last + 1]);
    await until('the first line of the computation', async () => (await page.locator('.g-sticky').innerText()).replace(/\s+/g, ' ').includes(`${entry + 1} ▾ ENTRY %`));
    assert.ok(name);
  });
});

eachLook('short, and what is folded to pills; every form can be saved', async (look) => {
  const { user } = pair();
  await withPage(server.url, { ...look, hash: hash({ ...DEMO, op: `%${user}` }) }, async (page) => {
    await ready(page);
    const pill = on(page).getByRole('button', { name: 'metadata', exact: true });
    await pill.click();
    await until('what the pill holds', async () => /metadata=\{op_name=/.test(await on(page).innerText()));
    await page.getByLabel('Metadata folded').uncheck();
    await inAddress(page, { meta: '1' });
    await becomes(() => grid(page).locator('.g-pill').count(), 0);
    await page.getByRole('button', { name: 'Short', exact: true }).click();
    await inAddress(page, { form: 'short' });
    await until('names without their sign', async () => (await on(page).innerText()).includes(` ${user} = `));
    await page.getByRole('button', { name: 'Long', exact: true }).click();
    await inAddress(page, { form: null });
    for (const [form, params] of [['long, as XLA prints it', 'format=long'], ['long with metadata', 'format=long&metadata=1'], ['long without backend configs', 'format=long&config=0'], ['short', 'format=short'], ['short with metadata', 'format=short&metadata=1'], ['expressions with operand shapes', 'format=expression']]) {
      const want = await (await fetch(`${server.url}api/v1/graph/text?run=${DEMO.run}&${params}`)).text();
      await page.getByTitle('save the text').first().click();
      const saved = await download(page, () => page.getByRole('link', { name: form, exact: true }).click());
      assert.equal(saved.text, want, form);
    }
    await page.getByTitle('save the text').first().click();
    const proto = await download(page, () => page.getByRole('link', { name: /HloProto/ }).click());
    assert.ok(proto.bytes.length > 1000 && proto.bytes.includes(Buffer.from(user)), 'a HloProto with the instruction');
    await page.locator('.g-text-bar').getByTitle('copy', { exact: true }).click();
    await page.getByRole('button', { name: /^line \d+/ }).click();
    await toastSays(page, /line copied/);
    assert.equal(await copied(page), lines[lineOf(user)].trim());
  });
});

eachLook('what is not there is said; copies and links carry the instruction', async (look) => {
  const { user } = pair();
  await withPage(server.url, { ...look, hash: hash({ ...DEMO, op: '%nothing.1' }) }, async (page, { forgive }) => {
    await ready(page);
    await until('which op', async () => /No op named nothing\.1/.test(await read(page.locator('.g-empty'))));
    forgive(/404/);
    await page.goto(`${server.url}${hash({ ...DEMO, op: `%${user}` })}`);
    await card(page).getByRole('button', { name: 'Copy', exact: true }).click();
    await toastSays(page, /copied/);
    assert.equal(await card(page).getByRole('link', { name: 'Memory', exact: true }).getAttribute('href').then((href) => new URLSearchParams(href.slice(1)).get('op')), `%${user}`);
    await visit(page, `${server.url}${hash({ ...DEMO, module: 'no_such(1)' })}`);
    await until('why not', async () => /cannot be shown|no module|not/.test(await page.locator('main').innerText()));
    forgive(/404/);
  });
});

const big = sharedLogdir('tpu_big_transformer');
test('54,323 instructions: scrolling to the end, a find, a definition and its uses take no wait', { skip: !big }, async () => {
  const other = await serve(big);
  try {
    const all = (await (await fetch(`${other.url}api/v1/graph/text?run=aot&format=long&metadata=1`)).text()).split('\n');
    const entry = all.findIndex((line) => line.startsWith('ENTRY '));
    const last = all.findIndex((line, i) => i > entry && line.startsWith('  ROOT '));
    await withPage(other.url, { hash: hash({ run: 'aot', tool: 'graph' }) }, async (page) => {
      await ready(page);
      assert.equal(await grid(page).getAttribute('aria-rowcount'), String(all.length));
      await page.evaluate((at) => { location.hash = at; }, hash({ run: 'aot', tool: 'graph', line: String(last + 1) }));
      await until('the last line', async () => (await read(on(page))).startsWith(`${last + 1}`));
      const root = /ROOT %([\w.-]+) = /.exec(all[last])[1];
      await grid(page).focus();
      await page.keyboard.press('/');
      await page.keyboard.type(`%${root} = `);
      await becomes(() => page.locator('.g-find [role=status]').innerText(), '1 line');
      const operand = /\(%([\w.-]+)/.exec(all[last].slice(all[last].indexOf(' tuple(')))[1];
      await page.getByRole('region', { name: 'uses and operands' }).getByRole('button', { name: operand, exact: true }).click();
      await inAddress(page, { op: `%${operand}` });
      await until('its definition', async () => (await on(page).innerText()).includes(`%${operand} = `));
    });
  } finally {
    await other.stop();
  }
});
