// The same instruction through all tools and back: an operation of the trace, its node in the graph, its line of text, its
// buffer in memory, and the trace again; each step of "back" shows the view that was left. On a real TPU run of four
// programs where it is, else on a captured CPU run.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test, { after, before } from 'node:test';

import { becomes, inAddress, makeLogdir, quit, read, serve, settled, sharedLogdir, testdata, until, viewOf, withPage } from './lib.mjs';
import { canvas, isHere, placeOf } from './graph.mjs';
import { drawn as traceDrawn } from './trace.mjs';

const real = sharedLogdir('tpu-v6e-offload');
let server;
let run;
let where; // {module, op, event, buffer, space}: an instruction that ran and defines a buffer
before(async () => {
  server = await serve(real ?? makeLogdir({ mlp: join(testdata, 'cpu_mlp_train/logdir') }));
  run = (await server.api('runs')).id[0];
  where = await find();
});
after(async () => {
  await quit();
  await server?.stop();
});

/** Not the first of its name, where names repeat between programs: found without the route under test. */
async function find() {
  const all = [];
  const modules = (await server.api('modules', { run })).key;
  for (const module of modules) {
    const times = await server.api('graph/times', { run, module });
    // A start and its done are one node of two names.
    for (const name of (times.known ? times.name : []).filter((one) => !/-(start|done)/.test(one)).slice(0, 40)) {
      const rows = await server.api('memory/buffers', { run, module, filter: `/^${name.replaceAll('.', '\\.')}$/`, sort: 'size' }).catch(() => null);
      if (rows?.n > 0) all.push({ module, op: name, buffer: rows.buffer[0], others: 0 });
    }
  }
  for (const one of all) one.others = all.filter((other) => other.op === one.op).length + all.filter((other) => other.op.startsWith(one.op)).length;
  return all.sort((a, b) => b.others - a.others)[0];
}

const details = (page) => page.locator('.t-details');
const selectedOp = async (page) => {
  const event = viewOf(page).ev;
  if (event === undefined) return null;
  const { links } = await server.api('trace/event', { run, event });
  return links && { module: links.module, op: links.instruction };
};

test('trace, graph, text, memory, trace: each opens the exact instruction, and Back returns through all of them', async () => {
  const { module, op } = where;
  await withPage(server.url, { hash: `#${new URLSearchParams({ run, tool: 'trace', module, op: `%${op}` })}` }, async (page) => {
    await traceDrawn(page);
    await until('an event of the instruction', async () => viewOf(page).ev !== undefined);
    await becomes(() => selectedOp(page), { module, op });
    await traceDrawn(page);
    await settled(page);
    const event = viewOf(page).ev;
    const window = [viewOf(page).t0, viewOf(page).t1];

    // Trace to Graph: the node in the middle, its line in the text.
    await details(page).getByRole('link', { name: 'Graph', exact: true }).click();
    await inAddress(page, { tool: 'graph', op: `%${op}`, module });
    await isHere(page, op);
    const on = page.getByRole('grid', { name: 'HLO text' }).locator('.g-line.on');
    await until('its line', async () => (await on.innerText()).includes(`${op} = `));
    // A node beside it, and from the text back to it.
    const { users, operands } = await server.api('graph/node', { run, module, node: op });
    const other = [...operands.name, ...users.name].find((name) => name !== op);
    await page.getByRole('region', { name: 'uses and operands' }).getByRole('button', { name: other, exact: true }).first().click();
    await inAddress(page, { op: `%${other}` });
    await page.goBack();
    await inAddress(page, { op: `%${op}` });
    await isHere(page, op);
    // Zoomed, so that the way back has something to keep. What comes after the node, its neighbours for one, may set the view once more.
    await settled(page);
    const frame = await canvas(page).boundingBox();
    await page.mouse.move(frame.x + 60, frame.y + 60);
    await page.mouse.wheel(0, -240);
    await until('the look in the address', () => viewOf(page).gv);
    await settled(page);
    const [gx, gy] = await placeOf(page, op);

    // Graph to Memory: the buffer it defines, pinned.
    const panel = page.getByRole('complementary', { name: 'details' });
    await panel.getByRole('link', { name: 'Memory', exact: true }).click();
    await until('the pinned buffer', async () => viewOf(page).pin !== undefined && (viewOf(page).tool ?? 'memory') === 'memory');
    const card = await server.api('memory/buffer', { run, module, buffer: viewOf(page).pin });
    assert.equal(card.instruction, op);
    await until('its card', async () => (await read(page.locator('.m-card-title').first())).includes(op));
    await becomes(() => viewOf(page).space ?? '0', String(card.space), 'its memory space');

    // Memory to Trace: the event.
    await page.locator('.m-card-chips').getByRole('link', { name: 'Trace', exact: true }).click();
    await until('an event again', async () => viewOf(page).tool === 'trace' && viewOf(page).ev !== undefined);
    await becomes(() => selectedOp(page), { module, op });
    // Memory to Graph, from the card.
    await page.goBack();
    await until('memory', async () => (viewOf(page).tool ?? 'memory') === 'memory');
    await becomes(() => viewOf(page).pin, String(card.buffer));
    await page.locator('.m-card-chips').getByRole('link', { name: 'Graph', exact: true }).click();
    await inAddress(page, { tool: 'graph', op: `%${op}` });
    await isHere(page, op);

    // And back, step by step, to what was left.
    await page.goBack();
    await until('memory', async () => (viewOf(page).tool ?? 'memory') === 'memory' && viewOf(page).pin === String(card.buffer));
    await page.goBack();
    await inAddress(page, { tool: 'graph', op: `%${op}` });
    await isHere(page, op);
    await until('the node where it was', async () => {
      const [x, y] = await placeOf(page, op);
      return Math.hypot(x - gx, y - gy) < 3;
    });
    await page.goBack();
    await inAddress(page, { tool: 'trace', ev: event });
    await traceDrawn(page);
    await becomes(() => [viewOf(page).t0, viewOf(page).t1], window);
    await becomes(() => selectedOp(page), { module, op });
  });
});
