// Details of an operation: operands and consumers of its program to jump to, its measured times, its HLO text.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before } from 'node:test';

import { eachLook, makeLogdir, quit, read, serve, testdata, until, viewOf, withPage } from './lib.mjs';
import { drawn } from './trace.mjs';

const RUN = 'mlp/run0';
const MODULE = 'jit_train_step(18)';
let server;
before(async () => {
  server = await serve(makeLogdir({ mlp: join(testdata, 'cpu_mlp_train/logdir') }));
});
after(async () => {
  await quit();
  await server?.stop();
});

/** An operation with an operand that was measured before it, found without the route under test. */
async function measuredPair() {
  const times = await server.api('graph/times', { run: RUN, module: MODULE });
  const known = new Set(times.name);
  for (const name of times.name) {
    const node = await server.api('graph/node', { run: RUN, module: MODULE, node: name });
    const at = node.operands.name.findIndex((operand) => known.has(operand));
    if (at < 0 || at >= 12) continue;
    const hits = (await server.api('trace/search', { run: RUN, q: name, limit: 2000 })).hits;
    const mine = [];
    for (let k = 0; k < hits.event.length; k++) {
      const e = await server.api('trace/event', { run: RUN, event: hits.event[k] });
      if (e.links?.instruction === name && e.links.module === MODULE) mine.push(e);
      if (mine.length > 1) break;
    }
    if (mine.length > 1) return { name, operand: node.operands.name[at], node, event: mine[1], count: times.count[times.name.indexOf(name)] };
  }
  return null;
}

eachLook('operands and consumers of an operation', async (look) => {
  const pair = await measuredPair();
  assert.ok(pair, 'an operation whose operand was measured');
  const { name, operand, node, event, count } = pair;
  const { found: back } = await server.api('trace/near', { run: RUN, event: event.event, instruction: operand, dir: 'previous' });
  const found = await server.api('trace/event', { run: RUN, event: back.event });
  assert.equal(found.links.instruction, operand);
  assert.ok(found.start_ps <= event.start_ps);
  // And forward again: the consumer that comes next is not before its operand.
  const { found: forth } = await server.api('trace/near', { run: RUN, event: back.event, instruction: name, dir: 'next' });
  assert.ok(forth.start_ps > found.start_ps && forth.start_ps <= event.start_ps);
  const none = await server.api('trace/near', { run: RUN, event: event.event, instruction: 'no.such', dir: 'next' });
  assert.equal(none.found, null);
  const hash = `#${new URLSearchParams({ run: RUN, tool: 'trace', ev: event.event, t0: Math.max(0, event.start_ps - 1e9), t1: event.start_ps + 1e9 })}`;
  await withPage(server.url, { ...look, hash }, async (page) => {
    await drawn(page);
    const card = page.locator('.t-operands');
    await card.waitFor();
    await until('the times', async () => new RegExp(`${count} times, mean`).test(await read(card)));
    const said = await read(card);
    assert.ok(said.includes(`Operands ${node.operands.total}`), said);
    assert.ok(said.includes(`Consumers ${node.users.total}`), said);
    // All that is said of an event stands side by side, without scrolling sideways.
    const body = page.locator('.t-body');
    assert.ok(await body.evaluate((e) => e.scrollWidth <= e.clientWidth), 'no column is cut off');
    const summary = card.locator('summary');
    await summary.click();
    await until('the text', async () => (await read(card.locator('pre'))).includes(`%${name} = `));
    await card.getByTitle(`${operand}: its nearest event before`).first().click();
    await until('the operand', async () => viewOf(page).ev === String(back.event));
    await until('its details', async () => (await read(page.locator('.t-operands h3'))).includes(operand.slice(0, 12)));
  });
});
