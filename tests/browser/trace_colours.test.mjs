// Colours of the Trace Viewer's boxes by category, name, scope and step, read off the picture. Two chips, written by hand.
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';

import { field, number } from './hlo.mjs';
import { inAddress, makeLogdir, putFile, quit, read, serve, until, withPage } from './lib.mjs';
import { drawn, rowsCanvas, settled, xOf, yOfPinned } from './trace.mjs';

const MS = 1e9;
const TF_OP = 1;
const stat = (at, id, text) => field(at, [number(1, id), field(5, text)]);
const event = (id, at, length) => field(4, [number(1, id), number(2, at * MS), number(3, length * MS)]);
const line = (id, title, events) => field(3, [number(1, id), field(2, title), ...events]);
const named = (id, name, tfOp = '') => field(4, [number(1, id), field(2, [number(1, id), field(2, name), ...(tfOp ? [stat(5, TF_OP, tfOp)] : [])])]);
const statNamed = (id, name) => field(5, [number(1, id), field(2, [number(1, id), field(2, name)])]);

/** Two runs of a program, from 0 and from 12 ms: two operations of one scope, one of another, one without. */
const OPS = [['dot.1', 'jit(f)/attention/dot_general:', 0, 3], ['softmax.2', 'jit(f)/attention/exp:', 3, 6], ['dot.3', 'jit(f)/mlp/dot_general:', 6, 8], ['copy.4', '', 8, 10]];
const RUNS = [0, 12];
function chip(k) {
  const first = 10 + k;
  return field(1, [
    field(2, `/device:TPU:${k}`),
    line(1, 'XLA Modules', RUNS.map((at) => event(1, at, 10))),
    line(2, 'XLA Ops', RUNS.flatMap((at) => OPS.map(([, , from, to], i) => event(first + i, at + from, to - from)))),
    named(1, 'jit_f(7)'),
    ...OPS.map(([name, tfOp], i) => named(first + i, name, tfOp)),
    statNamed(TF_OP, 'tf_op'),
  ]);
}

const RUN = { run: 'two/c' };
let server;
let rows;
before(async () => {
  const root = makeLogdir({});
  putFile(root, 'two/plugins/profile/c/host.xplane.pb', Buffer.concat([chip(0), chip(1)]));
  server = await serve(root);
  rows = await server.api('trace/rows', RUN);
});
after(async () => {
  await quit();
  await server?.stop();
});

const hash = (view) => `#${new URLSearchParams({ ...RUN, tool: 'trace', ...view })}`;
const opRows = () => rows.rows.row.filter((_, k) => rows.rows.kind[k] === 'xla_ops');

/** Colours of the operations of the first row pinned, run by run: at the right foot of a box, where nothing is written. */
async function colours(page) {
  const whole = { from: rows.first_ps, to: rows.end_ps };
  const out = [];
  for (const at of RUNS) {
    for (const [, , , to] of OPS) {
      const x = (await xOf(page, (at + to) * MS, whole)) - 5;
      out.push(await rowsCanvas(page).evaluate((canvas, [left, top]) => {
        const ratio = canvas.width / canvas.clientWidth;
        return [...canvas.getContext('2d').getImageData(Math.round(left * ratio), Math.round(top * ratio), 1, 1).data].slice(0, 3).join();
      }, [x, yOfPinned() + 5]));
    }
  }
  return out;
}
const choice = (page) => page.getByLabel('colours of boxes');
const legend = async (page) => (await page.locator('.t-told .t-key').allInnerTexts()).map((text) => text.trim());

test('colours by scope, name and step: one meaning, one colour on every chip; the legend names each; in the address', async () => {
  const steps = await server.api('trace/steps', RUN);
  const [first, second] = opRows();
  assert.equal(opRows().length, 2);
  const asked = [];
  const other = {};
  await withPage(server.url, { hash: hash({ top: second, colours: 'scope' }) }, async (page) => {
    await drawn(page);
    other.scope = await colours(page);
    await choice(page).selectOption('name');
    await settled(page);
    other.name = await colours(page);
  });
  await withPage(server.url, { hash: hash({ top: first }) }, async (page) => {
    page.on('request', (request) => {
      if (request.url().includes('trace/window')) asked.push(new URL(request.url()).searchParams.get('scope'));
    });
    await page.reload();
    await drawn(page);
    const category = await colours(page);
    assert.ok(asked.length > 0 && asked.every((scope) => scope === null), 'scopes are sent only when asked for');
    assert.equal(await page.locator('.t-told').count(), 0);

    await choice(page).selectOption('scope');
    await inAddress(page, { colours: 'scope' });
    await until('the legend', async () => (await legend(page)).includes('mlp'));
    await settled(page);
    assert.equal(asked.at(-1), '1');
    const scope = await colours(page);
    const [dot, softmax, mlp, copy] = scope;
    assert.deepEqual(scope.slice(4), scope.slice(0, 4), 'both runs');
    assert.equal(dot, softmax);
    assert.equal(new Set([dot, mlp, copy]).size, 3);
    assert.deepEqual(other.scope, scope, 'the other chip');
    const told = await legend(page);
    for (const word of ['attention', 'mlp', 'no scope']) assert.equal(told.filter((text) => text === word).length, 1, `${word} in ${told}`);
    assert.equal(told[1], 'no scope');
    assert.equal(told[0], `${told.length - 2} scopes`);
    assert.match(await page.locator('.t-told .t-key', { hasText: 'mlp' }).getAttribute('title'), /^jit\(f\)\/mlp$/);
    assert.match(await page.locator('.t-told').getAttribute('title'), /12 colours.*the map above and the panel below are coloured by category/);

    await choice(page).selectOption('name');
    await inAddress(page, { colours: 'name' });
    await settled(page);
    const name = await colours(page);
    assert.deepEqual(name.slice(4), name.slice(0, 4));
    assert.notEqual(name[0], name[1]);
    assert.deepEqual(other.name, name);

    await choice(page).selectOption('step');
    await inAddress(page, { colours: 'step' });
    await until('steps in the legend', async () => (await legend(page)).includes('2 steps'));
    await settled(page);
    const step = await colours(page);
    assert.equal(new Set(step.slice(0, 4)).size, 1);
    assert.equal(new Set(step.slice(4)).size, 1);
    assert.notEqual(step[0], step[4]);
    const numbers = [...new Set(steps.number)].sort((a, b) => a - b);
    assert.deepEqual((await legend(page)).slice(1).filter((text) => text !== 'no step'), numbers.map((n) => `step ${n}`));
    assert.notDeepEqual(step, scope);

    // Keys are for the picture again, and the way back is the first picture.
    await page.keyboard.press('w');
    await until('W zooms', async () => (await page.locator('.t-crumbs b').count()) > 0);
    await page.keyboard.press('0');
    await choice(page).selectOption('category');
    await inAddress(page, { colours: null, t0: null });
    await settled(page);
    assert.deepEqual(await colours(page), category);
    assert.match(await read(page.locator('.t-legend')), /matmul|program|elementwise/);
  });
});
