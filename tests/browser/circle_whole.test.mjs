// Every way between the four places of an instruction, on a program of 5,143: an operation clicked in Trace, a buffer in
// Memory, a node in Graph, a line of text; each opens each other one with the exact instruction, and Back shows what was left.
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';

import { becomes, inAddress, quit, read, until, viewOf, withPage } from './lib.mjs';
import { canvas, clickOn, drawn, isHere, painted } from './graph.mjs';
import { drawn as traceDrawn, overCanvas, settled, xOf, yOfPinned } from './trace.mjs';
import { countOf, LAYERS, MODULE, RUN, serveWhole } from './whole.mjs';

/** Names that begin others: exact means exact. */
const OP = 'fusion.6';
const OTHER = 'negate.6';
let server;
before(async () => {
  server = await serveWhole();
});
after(async () => {
  await quit();
  await server?.stop();
});

const hash = (view) => `#${new URLSearchParams({ run: RUN, module: MODULE, ...view })}`;
const textLine = (page) => page.getByRole('grid', { name: 'HLO text' }).locator('.g-line.on');
const details = (page) => page.getByRole('complementary', { name: 'details' });

/** Places: how to get there as a person does, and what has to be seen there of an instruction. */
const places = {
  trace: {
    async open(page, op) {
      const hit = await firstEvent(op);
      const window = { from: hit.start_ps - 2e6, to: hit.start_ps + 4e6 };
      await page.goto(`${server.url}${hash({ tool: 'trace', top: 1, t0: window.from, t1: window.to })}`);
      await traceDrawn(page);
      const box = await overCanvas(page).boundingBox();
      await page.mouse.click(box.x + (await xOf(page, hit.start_ps + hit.duration_ps / 2, window)), box.y + yOfPinned());
    },
    async shows(page, op) {
      await until('an event in Trace', async () => viewOf(page).tool === 'trace' && viewOf(page).ev !== undefined);
      const { links } = await server.api('trace/event', { run: RUN, event: viewOf(page).ev });
      assert.deepEqual([links.module, links.instruction], [MODULE, op]);
      await becomes(async () => (await read(page.locator('.t-details h2, .t-details .t-title').first())).split(' ')[0], op);
    },
    link: (page, tool) => page.locator('.t-details').getByRole('link', { name: tool, exact: true }),
  },
  memory: {
    async open(page, op) {
      await page.goto(`${server.url}${hash({ tab: 'buffers' })}`);
      await page.locator('.m-filter').fill(`/^${op.replaceAll('.', '\\.')}$/`);
      // It is not held at the peak.
      await page.getByText('search all steps', { exact: true }).click();
      const row = page.getByRole('grid', { name: 'buffers' }).locator('.vt-row', { hasText: op });
      await becomes(() => row.count(), 1, 'the buffer of exactly this name');
      await row.click();
    },
    async shows(page, op) {
      await until('a pinned buffer', async () => (viewOf(page).tool ?? 'memory') === 'memory' && viewOf(page).pin !== undefined);
      const card = await server.api('memory/buffer', { run: RUN, module: MODULE, buffer: viewOf(page).pin });
      assert.equal(card.instruction, op);
      await until('its card', async () => (await read(page.locator('.m-card-title').first())).includes(op));
    },
    link: (page, tool) => page.locator('.m-card-chips').getByRole('link', { name: tool, exact: true }),
  },
  graph: {
    async open(page, op) {
      // In the middle is another one.
      const { operands } = await server.api('graph/node', { run: RUN, module: MODULE, node: op });
      await page.goto(`${server.url}${hash({ tool: 'graph', op: `%${operands.name[0]}`, r: 1, merge: 1 })}`);
      await isHere(page, op);
      await clickOn(page, op);
    },
    async shows(page, op) {
      await inAddress(page, { tool: 'graph', op: `%${op}`, module: MODULE });
      await isHere(page, op);
      await becomes(() => page.locator('[aria-label="drawn ops"] [aria-current=true]').innerText().then((text) => text.split(',')[0]), op, 'the selected node');
      await until('Explain', async () => (await read(details(page).locator('.x-title'))).startsWith(op));
    },
    link: (page, tool) => details(page).locator('.x-links').getByRole('link', { name: tool, exact: true }),
  },
  text: {
    async open(page, op) {
      const { users } = await server.api('graph/node', { run: RUN, module: MODULE, node: op });
      await page.goto(`${server.url}${hash({ tool: 'graph', op: `%${users.name[0]}`, r: 1, merge: 1 })}`);
      await isHere(page, users.name[0]);
      await textLine(page).waitFor();
      const line = (await server.api('graph/node', { run: RUN, module: MODULE, node: op })).node.line[0];
      await page.getByRole('grid', { name: 'HLO text' }).locator(`[aria-rowindex="${line}"] .g-number`).click();
      await inAddress(page, { line: String(line) });
    },
    async shows(page, op) {
      await until('its line', async () => new RegExp(`^\\d+ (ROOT )?%${op.replaceAll('.', '\\.')} = `).test(await read(textLine(page))));
      await until('Explain', async () => (await read(details(page).locator('.x-title'))).startsWith(op));
    },
    link: (page, tool) => details(page).locator('.x-links').getByRole('link', { name: tool, exact: true }),
  },
};

async function firstEvent(op) {
  const { hits } = await server.api('trace/search', { run: RUN, q: op, rows: 1, limit: 5000 });
  for (let k = 0; k < hits.event.length; k++) {
    const event = await server.api('trace/event', { run: RUN, event: hits.event[k] });
    if (event.links?.instruction === op) return event;
  }
  throw new Error(`${op} did not run`);
}

/** What a person sees of where the view stands: place and zoom of the drawing, of the text, the cards. */
async function look(page) {
  await settled(page);
  if (await canvas(page).count()) await painted(page);
  return page.evaluate(() => [
    ...(document.querySelector('.g-canvas > canvas')?.dataset.camera.split(' ').map(Number) ?? []),
    document.querySelector('.g-lines')?.scrollTop ?? '',
    document.querySelector('.m-card-title')?.textContent ?? '',
    document.querySelector('.t-details h2')?.textContent ?? '',
  ]);
}
/** The address keeps the drawing's place by whole pixels. */
const alike = (a, b) => a.length === b.length && a.every((part, k) => (typeof part === 'number' ? Math.abs(part - b[k]) < 1 : part === b[k]));
const looks = (page, wanted, what) => until(`${what}: ${wanted}`, async () => alike(await look(page), wanted));

const WORDS = { trace: 'Trace', memory: 'Memory', graph: 'Graph' };

test('the program has the size that is claimed, and its instructions ran and have buffers', async () => {
  const overview = await server.api('graph/overview', { run: RUN, module: MODULE });
  assert.equal(overview.instructions, countOf(LAYERS));
  assert.ok(overview.instructions >= 5000);
});

for (const from of ['trace', 'memory', 'graph', 'text'])
  test(`from ${from} to the other pages, and Back`, async () => {
    await withPage(server.url, { hash: hash({ tool: 'graph' }) }, async (page) => {
      const here = places[from];
      await here.open(page, OP);
      await here.shows(page, OP);
      // Graph and text are one page: what is selected in one is in the other at once.
      if (from === 'graph') await places.text.shows(page, OP);
      for (const tool of Object.keys(WORDS).filter((one) => one !== (from === 'text' ? '' : from))) {
        const seen = await look(page);
        const address = page.url();
        await here.link(page, WORDS[tool]).click();
        await places[tool].shows(page, OP);
        if (tool === 'graph') await places.text.shows(page, OP);
        await page.goBack();
        await becomes(() => page.url(), address, `the address after ${tool} and Back`);
        await here.shows(page, OP);
        await looks(page, seen, `the view after ${tool} and Back`);
      }
    });
  });

test('a line of text selects the nodes that it names, and Back returns to the line', async () => {
  await withPage(server.url, { hash: hash({ tool: 'graph', op: `%${OP}`, r: 1, merge: 1 }) }, async (page) => {
    await places.text.shows(page, OP);
    await isHere(page, OP);
    const seen = await look(page);
    const grid = page.getByRole('grid', { name: 'HLO text' });
    await grid.locator('.g-line', { hasText: `%${OTHER} = ` }).getByRole('button', { name: `%${OTHER}`, exact: true }).click();
    await places.graph.shows(page, OTHER);
    await places.text.shows(page, OTHER);
    assert.ok((await drawn(page)).includes(OP));
    await page.goBack();
    await places.graph.shows(page, OP);
    await looks(page, seen, 'the view of before');
  });
});
