// Explain this op: the panel in Graph and Memory, its sections, peaks entered by hand, against /api/v1/graph/explain.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test, { after, before } from 'node:test';

import { becomes, copied, eachLook, inAddress, makeLogdir, matches, quit, read, serve, settled, sharedLogdir, testdata, toastSays, until, withPage } from './lib.mjs';

const DEMO = { run: 'demo/aot' };
const hash = (view) => `#${new URLSearchParams({ ...DEMO, ...view })}`;
let server;
let answer;
before(async () => {
  server = await serve(makeLogdir({ demo: join(testdata, 'tpu_padded_demo/logdir'), sharded: join(testdata, 'cpu_sharded8/logdir') }));
  answer = await server.api('graph/explain', { ...DEMO, node: 'fusion.3' });
});
after(async () => {
  await quit();
  await server?.stop();
});

const panel = (page) => page.locator('.x-panel');
const section = (page, id) => panel(page).locator(`[data-section=${id}]`);
/** Graph shows the panel beside the picture; elsewhere a button opens it. */
const open = async (page, byButton = false) => {
  if (byButton) await page.getByRole('button', { name: /^Explain %/ }).click();
  await section(page, 'text').waitFor();
};

eachLook('the text in parts, each with its sentence; sections fold and keep their answer', async (look) => {
  await withPage(server.url, { ...look, hash: hash({ tool: 'graph', op: '%fusion.3' }) }, async (page) => {
    await open(page);
    assert.deepEqual(await section(page, 'text').locator('dd').allInnerTexts(), answer.text.parts.sentence);
    // Pointing at a part lights its sentence.
    await section(page, 'text').locator('.x-part').first().hover();
    await becomes(() => section(page, 'text').locator('.x-parts .lit dd').innerText(), answer.text.parts.sentence[0]);
    // Closed, a header keeps the answer.
    const contains = section(page, 'contains');
    // On a wide screen all are open at first.
    assert.equal(await contains.locator('.x-body').count(), look.size.width >= 1800 ? 1 : 0);
    if (look.size.width >= 1800) await contains.getByRole('button').click();
    await matches(() => read(contains), /matmul 1001 × 1001 × 129/);
    await contains.getByRole('button').click();
    await matches(() => read(contains), /m 1,001, n 1,001, k 129; 259 MFLOP/);
    await contains.getByRole('button').click();
    await becomes(() => contains.locator('.x-body').count(), 0);
    // The tile: the first row of offsets as the answer has it.
    const cells = section(page, 'shape').locator('.x-cells tbody tr').first().locator('td');
    assert.deepEqual(await cells.allInnerTexts(), answer.layout.cells.offset[0].elements.map(String));
    await page.getByRole('button', { name: 'Copy', exact: true }).last().click();
    await toastSays(page, /^text copied$/);
    assert.match(await copied(page), /^%fusion\.3 = bf16\[1001,1001\]/);
  });
});

test('peaks: a chip, a number typed, kept in the link, and taken away', async () => {
  await withPage(server.url, { hash: hash({ tool: 'graph', op: '%fusion.3' }) }, async (page) => {
    await open(page);
    const expected = section(page, 'expected');
    assert.match(await read(expected), /No peaks:/);
    await expected.getByLabel('peaks of a chip').selectOption('TPU v5e');
    await inAddress(page, { peaks: '197,819,45,1.5' });
    // 2 x 1001 x 1001 x 129 FLOP over 197e12 is 1.312 µs.
    await becomes(async () => /1\.312 µs/.test(await read(expected)), true, 'the time of the work');
    const box = expected.getByLabel('peak in TFLOP/s bf16');
    await box.fill('98.5');
    await box.press('Enter');
    await inAddress(page, { peaks: '98.5,819,45,1.5' });
    await becomes(async () => /2\.625 µs/.test(await read(expected)), true, 'twice the time');
    await page.reload();
    await open(page);
    assert.equal(await section(page, 'expected').getByLabel('peak in TFLOP/s bf16').inputValue(), '98.5');
    await section(page, 'expected').getByRole('button', { name: 'clear' }).click();
    await until('no peaks again', async () => /No peaks:/.test(await read(section(page, 'expected'))));
  });
});

test('a mesh typed in says what the groups of a collective and a sharding mean; a link keeps it, and what is none is said', async () => {
  const run = 'sharded/run0';
  const { name, opcode } = await server.api('graph/search', { run, q: 'all-reduce', field: 'opcode' });
  assert.equal(opcode[0], 'all-reduce');
  const { contains } = await server.api('graph/explain', { run, node: name[0] });
  assert.match(contains.collective.groups, /^\{\{0,1,2,3\},\{4,5,6,7\}\}/);
  assert.equal(contains.collective.mesh, null);
  await withPage(server.url, { hash: hash({ run, tool: 'graph', op: `%${name[0]}` }) }, async (page, { context, forgive }) => {
    const part = section(page, 'mesh');
    await part.waitFor();
    const box = part.getByLabel('Mesh');
    const type = async (text) => {
      await box.fill(text);
      await box.press('Enter');
    };
    await type('data=2,model=4');
    await inAddress(page, { mesh: 'data=2,model=4' });
    await until('the axis of the groups', async () => /In the mesh data=2 × model=4, 8 devices: each group runs along model, one group for each place on data\./.test(await read(part)));
    await type('2x2');
    await until('too small', async () => /it is too small, the groups name device 7/.test(await read(part)));
    await type('data=');
    await until('what a mesh is', async () => /A mesh is at most 8 axes/.test(await read(part.getByRole('alert'))));
    forgive(/answer 400/);
    assert.match(await read(panel(page).locator('.x-title')), new RegExp(`^${name[0].replaceAll('.', '\\.')}`), 'the rest is explained all the same');
    await type('data=2,model=4');
    await inAddress(page, { mesh: 'data=2,model=4' });
    const other = await context.newPage();
    await other.goto(page.url());
    await until('by link', async () => /runs along model/.test(await read(section(other, 'mesh'))));
    // A parameter with devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate: its columns over four, two copies.
    await other.goto(`${server.url}${hash({ run, tool: 'graph', op: '%param', mesh: 'data=2,model=4' })}`);
    await until('the axes of the sharding', async () => /dimension 1 is cut along model, 2 copies along data\./.test(await read(section(other, 'mesh'))));
    await other.close();
    await part.getByRole('button', { name: 'clear' }).click();
    await inAddress(page, { mesh: null });
  });
});

test('what is typed stays while answers arrive', async () => {
  const run = 'sharded/run0';
  const { name } = await server.api('graph/search', { run, q: 'all-reduce', field: 'opcode' });
  await withPage(server.url, { hash: '#' }, async (page) => {
    const held = [];
    await page.route('**/graph/times*', (route) => new Promise((go) => held.push(() => go(route.continue()))));
    await page.evaluate((to) => { location.hash = to; }, hash({ run, tool: 'graph', op: `%${name[0]}` }));
    const box = section(page, 'mesh').getByLabel('Mesh');
    await box.fill('data=2,mod');
    await until('the question for times', () => held.length > 0);
    const answered = page.waitForResponse(/graph\/times/);
    for (const go of held.splice(0)) await go();
    await answered;
    await settled(page); // its result is drawn
    assert.equal(await box.inputValue(), 'data=2,mod');
    await box.press('End');
    await box.pressSequentially('el=4');
    await box.press('Enter');
    await inAddress(page, { mesh: 'data=2,model=4' });
  });
});

test('a sharding typed where the program says none: the shape in the whole job; of that op alone; what is none is said', async () => {
  await withPage(server.url, { hash: hash({ tool: 'graph', op: '%fusion.3', mesh: 'data=2,model=4', xs: 'whole' }) }, async (page, { forgive }) => {
    const part = section(page, 'whole');
    await until('that there is none', async () => /The op has no sharding, so its shape is for one device/.test(await read(part)));
    const box = part.getByLabel('Sharding');
    const type = async (text) => {
      await box.fill(text);
      await box.press('Enter');
    };
    // bf16[1001,1001] on each device, the columns cut along model.
    await type('P(None, model)');
    await inAddress(page, { shard: 'fusion.3 P(None, model)' });
    await until('the whole job', async () => /Global shape \[1001,4004\], here \[1001,1001\]\..*dimension 1 is cut along model, 2 copies along data\./.test(await read(part)));
    await type('P(rows)');
    await until('why not', async () => /names an axis that the mesh does not have/.test(await read(part.getByRole('alert'))));
    forgive(/answer 400/);
    await type('devices=[4,1,2]<=[8] last_tile_dim_replicate');
    await until('as HLO writes it', async () => /Global shape \[4004,1001\]/.test(await read(part)));
    // Another op has its own.
    await page.evaluate((at) => { location.hash = at; }, hash({ tool: 'graph', op: '%tuple.4', mesh: 'data=2,model=4', xs: 'whole', shard: 'fusion.3 P(None, model)' }));
    await until('none', async () => /^tuple\.4/.test(await read(panel(page).locator('.x-title'))) && /has no sharding/.test(await read(section(page, 'whole'))));
  });
});

test('a CPU has no HBM: its memory is called as it is; one op is one op', async () => {
  const run = 'sharded/run0';
  const { name } = await server.api('graph/search', { run, q: 'fusion', field: 'opcode' });
  const one = await (async () => {
    for (const node of name) {
      const e = await server.api('graph/explain', { run, node });
      if (e.contains.kinds?.count.length === 1 && e.contains.kinds.count[0] === 1 && !e.contains.matmul && e.expected.hbm_bytes > 0) return node;
    }
    return null;
  })();
  await withPage(server.url, { hash: hash({ run, tool: 'graph', op: `%${one ?? name[0]}`, xs: 'expected.contains' }) }, async (page) => {
    await until('the memory', async () => /÷ GB\/s Host RAM/.test(await read(section(page, 'expected')).catch(() => '')));
    if (one) assert.match(await read(section(page, 'contains')), /^▾ Contains 1 op /);
    const box = section(page, 'expected').getByLabel('peak in GB/s Host RAM');
    await box.fill('50');
    await box.press('Enter');
    await until('what binds', async () => /Host RAM bound:/.test(await read(section(page, 'expected'))));
  });
});

const pallas = sharedLogdir('tpu_pallas_matmul');
test('a kernel: a pill in the text leads to its MLIR in Explain, which is that of the API', { skip: !pallas }, async () => {
  const own = await serve(pallas);
  try {
    const { run, text } = await (async () => {
      const { id } = await own.api('runs', {});
      return { run: id[0], text: await (await fetch(`${own.url}api/v1/graph/kernel?run=${id[0]}&node=pallas_mlp.2`)).text() };
    })();
    assert.match(text, /^module attributes \{stable_mosaic\.version = 15 : i64\} \{\n/);
    await withPage(own.url, { hash: hash({ run, tool: 'graph', op: '%pallas_mlp.3', xs: 'text' }) }, async (page) => {
      const line = page.getByRole('grid', { name: 'HLO text' }).locator('.g-line', { hasText: '%pallas_mlp.2 = ' });
      await line.getByRole('button', { name: 'kernel' }).click();
      await inAddress(page, { op: '%pallas_mlp.2', xs: 'text.kernel' });
      await becomes(() => section(page, 'kernel').locator('pre').textContent(), text, 'the text of the kernel');
      await section(page, 'kernel').getByRole('button', { name: 'copy' }).click();
      await becomes(() => copied(page), text);
      assert.match(await section(page, 'kernel').getByRole('link', { name: 'bytecode' }).getAttribute('href'), /format=bytes/);
      // An op without one has no such section.
      await page.evaluate((at) => { location.hash = at; }, hash({ run, tool: 'graph', op: '%fusion.6', xs: 'text.kernel' }));
      await until('the other op', async () => /^fusion\.6/.test(await read(panel(page).locator('.x-title'))));
      assert.equal(await section(page, 'kernel').count(), 0);
    });
  } finally {
    await own.stop();
  }
});

test('from the Memory card to operands, and on to Graph', async () => {
  await withPage(server.url, { hash: hash({ pin: 66 }) }, async (page) => {
    const card = await server.api('memory/buffer', { ...DEMO, buffer: 66 });
    await open(page, true);
    assert.equal(await panel(page).locator('.x-title code').innerText(), card.instruction);
    await section(page, 'operands').getByRole('button').click();
    const operand = section(page, 'operands').locator('a.x-op').first();
    const name = await operand.innerText();
    await operand.click();
    await inAddress(page, { tool: 'graph', op: `%${name}` });
  });
});

test('a pasted line, from the palette: explained, and what is no line says what was expected', async () => {
  await withPage(server.url, { hash: hash({}) }, async (page, { forgive }) => {
    await page.locator('.x-toggle, .m-card').first().waitFor(); // the page has settled: its keys are there
    await settled(page);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('>explain');
    await page.getByText('explain an HLO line').click();
    const field = page.getByRole('textbox', { name: 'HLO line' });
    await field.fill('hello');
    await until('the problem', async () => /An instruction looks like/.test(await page.locator('.x-problem').innerText()));
    // The reduce-scatter of the book over a link of 120 GB/s: 8 MiB take 69.9 µs.
    await field.fill('%fusion.3 = bf16[32,32,4096]{2,1,0:T(8,128)(2,1)S(1)} fusion(bf16[32,32,8192]{2,1,0:T(8,128)(2,1)S(1)} %fusion.32), kind=kCustom, calls=%all-reduce-scatter.3');
    await section(page, 'text').waitFor();
    assert.match(await read(panel(page).locator('.x-title')), /collective · reduce-scatter pasted text/);
    const box = section(page, 'expected').getByLabel('peak in GB/s per link');
    await box.fill('120');
    await box.press('Enter');
    await becomes(async () => /69\.91 µs/.test(await read(section(page, 'expected'))), true, 'the time of the link');
    await page.keyboard.press('Escape');
    await becomes(() => panel(page).count(), 0);
    forgive(/answer 422: .*text=hello/);
  });
});
