// Input: runs by hand for each thing that may be missing or many: a verdict that cannot be told, no thread that loads, several of them, one
// without a name, no device, infeed, no marks, more steps than bars, tf.data.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';

import { putRun } from '../support/program.mjs';
import { plane, step } from '../support/space.mjs';
import { becomes, eachLook, inAddress, makeLogdir, matches, quit, read, serve, settled, until, withPage } from './lib.mjs';

const US = 1_000_000;
const STEPS = 450;
/** [name, from, to] in microseconds. */
const events = (...list) => list.map(([name, from, to, stats]) => ({ name, at: from * US, ps: (to - from) * US, stats }));
const times = (count, make) => Array.from({ length: count }, (_, i) => make(i)).flat();
const marked = (count, inside) => times(count, (i) => [step(i, i * 1000 * US, 1000 * US), ...inside(i, i * 1000)]);
const op = { hlo_op: 'dot.1', hlo_module: 'jit_f' };
const python = (list) => ({ name: 'python', events: list });
/** Work of a device on the CPU. */
const computing = (count, length) => ({ name: 'tf_XLAEigen/1', events: times(count, (i) => events(['dot.1', i * 1000 + 20, i * 1000 + 20 + length, op])) });
const loader = (name, count, share) => ({
  name,
  events: [
    ...times(count, (i) => events(['$loader.py:10 work', i * 1000 + 40, i * 1000 + 210 + share], ['$loader.py:19 read', i * 1000 + 50, i * 1000 + 150], ['$zlib decompress', i * 1000 + 60, i * 1000 + 140],
      ['$loader.py:24 augment', i * 1000 + 200, i * 1000 + 200 + share], ['$queue.py:122 put', i * 1000 + 900, i * 1000 + 980])),
  ],
});

const RUNS = {
  blind: () => [plane('/host:CPU', [python(marked(10, (i, at) => events(['PjitFunction(f)', at + 10, at + 30]))), computing(10, 100)])],
  own: () => [plane('/host:CPU', [python(marked(10, (i, at) =>
    events(['$data.py:7 __next__', at + 100, at + 600], ['$io open', at + 150, at + 250], ['$data.py:20 crop', at + 300, at + 500])))])],
  many: () => [plane('/host:CPU', [
    // The third of three steps is the slowest of them.
    python(times(STEPS, (i) => [step(i, i * 1000 * US, (900 + (i % 3) * 40) * US), ...events(['$loader.py:49 next', i * 1000 + 10, i * 1000 + 700],
      ['$queue.py:154 get', i * 1000 + 20, i * 1000 + 690], ['PjitFunction(f)', i * 1000 + 710, i * 1000 + 730])])),
    loader('', STEPS, 100), loader('Thread-2', STEPS, 300), loader('Thread-3', STEPS, 600), computing(STEPS, 100)])],
  infeed: () => [
    plane('/device:TPU:0', [
      { name: 'XLA Modules', events: times(10, (i) => events(['jit_f(7)', i * 1000 + 50, i * 1000 + 980])) },
      { name: 'XLA Ops', events: times(10, (i) => events(['infeed.1', i * 1000 + 50, i * 1000 + 650], ['fusion.2', i * 1000 + 650, i * 1000 + 980])) },
    ]),
    plane('/host:CPU', [python(marked(10, (i, at) => events(['PjitFunction(f)', at + 10, at + 30])))])],
  unmarked: () => [plane('/host:CPU', [python(times(8, (i) =>
    events(['PjitFunction(f)', i * 1000, i * 1000 + 200], ['$queue.py:154 get', i * 1000 + 300, i * 1000 + 800])))])],
  tfdata: () => [plane('/host:CPU', [
    python(marked(10, (i, at) => events(['Iterator::Root', at + 10, at + 90], ['Iterator::Root::Prefetch', at + 20, at + 80, { buffer_size: 8, buffered_elements: 3 }]))),
    { name: 'tf_data_iterator_get_next/1', events: times(10, (i) => events(['Iterator::Root::Prefetch::Map', i * 1000 + 200, i * 1000 + 700, { parallelism: 4 }])) },
    computing(10, 800)])],
};

let server;
before(async () => {
  const root = makeLogdir({});
  for (const [name, make] of Object.entries(RUNS)) putRun(root, name, Buffer.concat(make()));
  server = await serve(root);
});
after(async () => {
  await quit();
  await server?.stop();
});

const head = (page) => read(page.locator('.in-head'));
const card = (page) => read(page.locator('.in-card'));
const table = (page) => read(page.locator('.in-table'));

async function withInput(look, name, body) {
  const run = (await server.api('runs', {})).id.find((id) => id.split('/').at(-1) === name);
  await withPage(server.url, { ...look, hash: `#${new URLSearchParams({ tool: 'input', run })}` }, async (page) => {
    await page.locator('.in-head h1').waitFor();
    await settled(page);
    await body(page, run);
  });
}

eachLook('neither Python’s calls nor annotations: cannot tell, with what to record', async (look) => {
  await withInput(look, 'blind', async (page, run) => {
    assert.equal((await server.api('input/verdict', { run })).says, 'unknown');
    assert.match(await head(page), /^Cannot tell whether the input keeps up .*Python tracer off.*The recording has no event about input, .*the program may wait, or compute/);
    assert.match(await card(page), /^Verdict cannot tell Record Python's calls: jax\.profiler\.ProfileOptions\(\)\.python_tracer_level = 1/);
    assert.match(await card(page), /tf\.data none No Iterator:: events/);
  });
});

eachLook('no thread that loads, no device: the program’s own bar has it, and what is unknown is said', async (look) => {
  await withInput(look, 'own', async (page) => {
    assert.match(await head(page), /^50 % of each step goes into the program's own input .*no work of a device was recorded/);
    assert.match(await read(page.locator('.in-steps .ov-legend')), /load preprocess .*no work of a device was recorded$/);
    assert.match(await card(page), /The program's own thread loads and prepares each batch/);
    assert.match(await card(page), /Device idle No work of a device was recorded: whether it idles is unknown/);
    assert.doesNotMatch(await card(page), /Loaders running/);
    assert.match(await table(page), /preprocess program .*load program/);
  });
});

eachLook('several loaders: their mean and the busiest; one without a name has that of its call; a bar is the slowest of several steps', async (look) => {
  await withInput(look, 'many', async (page, run) => {
    const bars = await server.api('input/steps', { run, bars: 200, limit: 200 });
    assert.deepEqual([bars.loaders, bars.total, bars.n, bars.steps[0]], [3, STEPS, STEPS / 3, 3]);
    assert.match(await read(page.locator('.in-steps')), /a bar is the slowest of 3 steps .*load preprocess device busy below: mean of the loaders, the tick is the busiest/);
    assert.match(await card(page), /Loaders running 3/);
    const chart = page.locator('.in-chart');
    const box = await chart.boundingBox();
    const at = { x: 92 + ((box.width - 92 - 14) / bars.n) * 10.5, y: 60 };
    await chart.hover({ position: at });
    const tip = await read(page.locator('.ov-tip'));
    assert.match(tip, /^step 32 980\.0 µs the slowest of 3 steps/);
    assert.match(tip, /all loaders: load \d.* all loaders: preprocess .*busiest loader \d/);
    assert.ok(bars.loader_most_ps[10] > (bars.loader_load_ps[10] + bars.loader_preprocess_ps[10]) / 3, 'the busiest does more than the mean');
    await chart.click({ position: at });
    await inAddress(page, { step: '32' });
    await page.getByRole('tab', { name: 'Threads' }).click();
    await matches(() => table(page), /loader loader\.py:10 work/, 'named after its call');
    assert.match(await table(page), /Thread-2.*Thread-3|Thread-3.*Thread-2/);
    await page.getByRole('tab', { name: `Steps ${STEPS}` }).click();
    await becomes(() => page.locator('.in-table [role=grid]').getAttribute('aria-rowcount'), String(STEPS + 1));
    // With little room headings are cut, numbers are not.
    await page.setViewportSize({ width: 1000, height: 768 });
    await becomes(() => page.locator('.in-table .vt-row').first().locator('.vt-cell').evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.innerText)), [], 'numbers that are cut');
  });
});

eachLook('what a stage is known by opens Trace with its events marked', async (look) => {
  await withInput(look, 'many', async (page) => {
    const link = page.locator('.in-table a.mono', { hasText: /augment/ }).first();
    const name = await read(link);
    await link.click();
    await inAddress(page, { tool: 'trace', find: name, tt: 'search', tab: null });
    await until('its events', async () => (await read(page.locator('main'))).includes('1,350'));
  });
});

eachLook('infeed on a TPU counts as waiting', async (look) => {
  await withInput(look, 'infeed', async (page, run) => {
    const verdict = await server.api('input/verdict', { run });
    assert.deepEqual([verdict.says, verdict.side, verdict.wait_ps], ['yes', 'infeed', 10 * 600 * US]);
    assert.match(await head(page), /^60 % of each step waits for input/);
    assert.match(await card(page), /^Verdict input bound The chips wait in infeed: the host sends batches too late\./);
    assert.match(await card(page), /Chips wait 6\.000 ms in infeed on average/);
  });
});

eachLook('no marks: steps are launches, and how to mark them is said', async (look) => {
  await withInput(look, 'unmarked', async (page) => {
    assert.match(await head(page), /Nothing marks steps, and no operation of a program was recorded: .*Annotate with jax\.profiler\.StepTraceAnnotation/);
  });
});

eachLook('stages of tf.data: what bounds is marked, with what the events say of buffers and threads', async (look) => {
  await withInput(look, 'tfdata', async (page, run) => {
    const tf = await server.api('input/tfdata', { run });
    assert.equal(tf.stage[tf.bounds], 'Map');
    await page.getByRole('tab', { name: 'tf.data 3' }).click();
    await inAddress(page, { tab: 'tfdata' });
    await matches(() => table(page), /Root .*Prefetch .*3 of 8 .*Map .* 4 /, 'the stages');
    const marked = page.locator('.in-table .vt-row.on');
    assert.match(await read(marked), /^Map/);
    assert.notEqual(await marked.evaluate((row) => getComputedStyle(row).backgroundColor), 'rgba(0, 0, 0, 0)');
    assert.match(await read(page.locator('#in-tab')), /Marked: most self time\./);
  });
});
