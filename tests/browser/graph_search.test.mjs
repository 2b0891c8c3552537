// Search over the module by each of its fields, counted in the program as it was written; a line's number is a link.
import test, { after, before } from 'node:test';

import { becomes, inAddress, putFile, quit, read, serve, temporary, until, withPage } from './lib.mjs';
import { drawn, isHere } from './graph.mjs';
import { xspace } from './hlo.mjs';
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

/** "2 of 700 hits" where the selected op is one of them. */
const counted = async (line) => Number(/(?:[\d,]+ of )?([\d,]+) hits?/.exec(await read(line))?.[1].replaceAll(',', ''));

test('search by name, opcode, op name, source and shape, as text and as a pattern', async () => {
  await withPage(server.url, { hash: hash({ op: '%fusion.1', r: 1 }) }, async (page) => {
    await isHere(page, 'fusion.1');
    const box = page.getByLabel('find ops in the module');
    const line = page.locator('.g-search-line [role=status]');
    const regex = page.getByRole('button', { name: 'regular expression' });
    // Per layer: a fusion of four ops (two parameters, multiply, add), negate, exponential, add; every 100th a far add.
    for (const [field, typed, hits] of [
      ['name', 'negate.', LAYERS],
      ['opcode', 'add', 2 * LAYERS + LAYERS / 100],
      ['opcode', 'fusion', LAYERS],
      ['op_name', '/neg', LAYERS],
      ['source', 'model.py:21', LAYERS],
      ['shape', 'f32[1048576]', countOf(LAYERS)],
    ]) {
      await page.getByLabel('field', { exact: true }).selectOption(field);
      await box.fill(typed);
      await until(`${hits} with ${field} ${typed}`, async () => (await counted(line)) === hits);
    }
    await regex.click();
    for (const [field, typed, hits] of [['name', '^(negate|add)\\.69[0-9]$', 20], ['opcode', '^exp', LAYERS], ['source', 'model\\.py:2[12]$', 2 * LAYERS]]) {
      await page.getByLabel('field', { exact: true }).selectOption(field);
      await box.fill(typed);
      await until(`${hits} with the pattern ${typed}`, async () => (await counted(line)) === hits);
    }
    // Hits that are drawn are marked there: Enter goes to the first, which is.
    await box.fill('^fusion\\.1$');
    await page.getByLabel('field', { exact: true }).selectOption('name');
    await until('one', async () => (await counted(line)) === 1);
    await box.press('Enter');
    await inAddress(page, { op: '%fusion.1' });
    await becomes(async () => (await drawn(page)).includes('fusion.1'), true);
  });
});

test('a line number links to its line', async () => {
  await withPage(server.url, { hash: hash({ op: '%fusion.1', r: 1 }) }, async (page, { context }) => {
    const grid = page.getByRole('grid', { name: 'HLO text' });
    const on = grid.locator('.g-line.on');
    await on.waitFor();
    const next = Number(await on.getAttribute('aria-rowindex')) + 1;
    await grid.locator(`[aria-rowindex="${next}"] .g-number`).click();
    await inAddress(page, { line: String(next) });
    await becomes(() => on.getAttribute('aria-rowindex'), String(next));
    const words = await read(on);
    const other = await context.newPage();
    await other.goto(page.url());
    await becomes(() => read(other.locator('.g-line.on')), words);
    await other.close();
  });
});
