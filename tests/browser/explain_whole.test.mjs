// Explain on a program of 5,143 instructions that ran: every part, link, box and copy, in Graph, in Trace and in Memory.
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';

import { becomes, copied, download, inAddress, quit, read, toastSays, until, viewOf, withPage } from './lib.mjs';
import { drawn as traceDrawn } from './trace.mjs';
import { countOf, LAYERS, MODULE, RUN, serveWhole } from './whole.mjs';

const SUBJECT = { run: RUN, module: MODULE };
const ALL = 'text.expected.contains.kernel.mesh.operands.users.shape.repeats.whole.source';
let server;
before(async () => {
  server = await serveWhole();
});
after(async () => {
  await quit();
  await server?.stop();
});

const hash = (view) => `#${new URLSearchParams({ ...SUBJECT, tool: 'graph', r: 1, ...view })}`;
const panel = (page) => page.locator('.x-panel');
const section = (page, id) => panel(page).locator(`[data-section=${id}]`);
const opened = async (page, name) => {
  await until(`${name} explained`, async () => (await read(panel(page).locator('.x-title')).catch(() => '')).startsWith(name));
  await section(page, 'text').waitFor();
};
const goTo = (page, at) => page.evaluate((to) => { location.hash = to; }, at);

test('the program has the size that is claimed', async () => {
  const { instructions } = await server.api('graph/overview', SUBJECT);
  assert.equal(instructions, countOf(LAYERS));
  assert.ok(instructions >= 5000);
});

test('sections: each opens and closes and keeps its answer in the header; a part of the text highlights its sentence, and the reverse', async () => {
  const answer = await server.api('graph/explain', { ...SUBJECT, node: 'matmul_fusion' });
  await withPage(server.url, { hash: hash({ op: '%matmul_fusion', xs: '-' }) }, async (page) => {
    await opened(page, 'matmul_fusion');
    const heads = { text: 'Text in 9 parts', contains: 'Contains matmul 1024 × 1024 × 1024', operands: 'Operands 2 · 8 MiB', users: 'Users 1', shape: 'Shape and layout 128·8 tiles of 8×128, padding 1.00×', source: 'Source model.py:30' };
    for (const [id, words] of Object.entries(heads)) {
      const fold = section(page, id).locator('.x-fold');
      await becomes(async () => (await read(fold)).replace(/^[▸▾] /, ''), words);
      await fold.click();
      await until(`${id} open`, async () => (await section(page, id).locator('.x-body').count()) === 1 && viewOf(page).xs?.split('.').includes(id));
    }
    const text = section(page, 'text');
    assert.deepEqual(await text.locator('dd').allInnerTexts(), answer.text.parts.sentence);
    await text.locator('.x-part').nth(2).hover();
    await becomes(() => text.locator('.x-parts .lit dd').innerText(), answer.text.parts.sentence[2]);
    await text.locator('.x-parts > div').nth(4).hover();
    await becomes(() => text.locator('.x-part.lit').innerText().then((part) => part.replace(/^\d+/, '')), 'T(8,128)');
    // 2 x 1024^3 FLOP of the matmul.
    assert.match(await read(section(page, 'contains')), /Matmul: m 1,024, n 1,024, k 1,024; 2\.15 GFLOP\./);
    for (const id of Object.keys(heads)) await section(page, id).locator('.x-fold').click();
    await inAddress(page, { xs: '-' });
    assert.equal(await panel(page).locator('.x-body').count(), 0);
  });
});

test('operands, users and repeats open their ops, and Back returns; text and source are copied', async () => {
  const { repeats } = await server.api('graph/explain', { ...SUBJECT, node: 'fusion.300' });
  assert.deepEqual([repeats.total, /^fusion\.\d+$/.test(repeats.name[0])], [LAYERS - 1, true]);
  await withPage(server.url, { hash: hash({ op: '%fusion.300', xs: ALL }) }, async (page) => {
    await opened(page, 'fusion.300');
    for (const [id, name] of [['operands', 'add.299'], ['users', 'exponential.300'], ['repeats', repeats.name[0]]]) {
      await section(page, id).getByRole('link', { name, exact: true }).click();
      await inAddress(page, { op: `%${name}` });
      await opened(page, name);
      await page.goBack();
      await inAddress(page, { op: '%fusion.300' });
      await opened(page, 'fusion.300');
    }
    assert.match(await read(section(page, 'repeats').locator('.x-fold')), /639 similar in this computation/);
    await panel(page).getByRole('button', { name: 'Copy', exact: true }).click();
    await toastSays(page, /^text copied$/);
    assert.equal(await copied(page), '%fusion.300 = f32[1024,1024]{1,0:T(8,128)} fusion(f32[1024,1024]{1,0:T(8,128)} %add.299, f32[1024,1024]{1,0:T(8,128)} %w), kind=kLoop, calls=%fused.300');
    await panel(page).locator('.x-links').getByRole('button', { name: 'model.py:20' }).click();
    await toastSays(page, /source line copied/);
    assert.equal(await copied(page), '/home/user/model.py:20');
    await page.evaluate(() => navigator.clipboard.writeText(''));
    await section(page, 'source').getByRole('button', { name: 'copy', exact: true }).click();
    await becomes(() => copied(page), '/home/user/model.py:20');
    // The stack, the innermost frame first.
    await becomes(() => section(page, 'source').locator('.x-frames li').allInnerTexts(), ['model.py:20 layer', 'train.py:40 train', 'train.py:90 main']);
    await panel(page).locator('.x-links').getByRole('link', { name: 'Graph', exact: true }).click();
    await inAddress(page, { tool: 'graph', op: '%fusion.300' });
  });
});

test('peaks: from a chip, entered, cleared; the measured values are shown beside them', async () => {
  await withPage(server.url, { hash: hash({ op: '%matmul_fusion', xs: 'expected' }) }, async (page) => {
    await until('the panel', async () => (await section(page, 'expected').count()) === 1);
    const expected = section(page, 'expected');
    await until('measured', async () => /Measured mean of 2, 1\.0+ µs to 1\.0+ µs 1\.0+ µs/.test(await read(expected)));
    await expected.getByLabel('peaks of a chip').selectOption('TPU v5e');
    await inAddress(page, { peaks: '197,819,45,1.5' });
    // 2 x 1024^3 FLOP over 197e12 are 10.90 µs; 10 MiB over 819e9 are 12.80 µs; 90,000 cycles at 1.5 GHz are 60 µs.
    await until('the three times', async () => /10\.90 µs/.test(await read(expected)) && /12\.80 µs/.test(await read(expected)) && /60\.00 µs/.test(await read(expected)));
    const box = expected.getByLabel('peak in TFLOP/s bf16');
    await box.fill('98.5');
    await box.press('Enter');
    await inAddress(page, { peaks: '98.5,819,45,1.5' });
    await until('twice the time', async () => /21\.80 µs/.test(await read(expected)));
    await expected.getByRole('button', { name: 'clear' }).click();
    await inAddress(page, { peaks: null });
    await until('none', async () => /No peaks:/.test(await read(expected)));
  });
});

test('a mesh and a sharding are entered and cleared', async () => {
  await withPage(server.url, { hash: hash({ op: '%all-reduce.1', xs: 'mesh' }) }, async (page, { forgive }) => {
    await until('the groups', async () => /2 groups of 2 neighbouring devices/.test(await read(section(page, 'mesh')).catch(() => '')));
    const type = async (part, label, text) => {
      const box = part.getByLabel(label);
      await box.fill(text);
      await box.press('Enter');
    };
    await type(section(page, 'mesh'), 'Mesh', 'data=2,model=2');
    await inAddress(page, { mesh: 'data=2,model=2' });
    await until('the axis', async () => /In the mesh data=2 × model=2, 4 devices: each group runs along model/.test(await read(section(page, 'mesh'))));
    await goTo(page, hash({ op: '%w', xs: 'mesh', mesh: 'data=4' }));
    await until('the sharding of the file', async () => /Cuts dimension 0 into 4\. Global shape \[4096,1024\], here \[1024,1024\]\..*dimension 0 is cut along data/.test(await read(section(page, 'mesh')).catch(() => '')));
    await type(section(page, 'mesh'), 'Sharding', 'P(None, data)');
    await inAddress(page, { shard: 'w P(None, data)' });
    await until('the other way', async () => /Global shape \[1024,4096\]/.test(await read(section(page, 'mesh'))));
    await type(section(page, 'mesh'), 'Sharding', 'P(rows)');
    await until('why not', async () => /names an axis that the mesh does not have/.test(await read(section(page, 'mesh').getByRole('alert'))));
    forgive(/answer 400/);
    await section(page, 'mesh').getByTitle('clear the sharding').click();
    await inAddress(page, { shard: null });
    await section(page, 'mesh').getByTitle('clear the mesh').click();
    await inAddress(page, { mesh: null });
  });
});

test('a kernel: its MLIR as text and on the clipboard, its bytecode as a file', async () => {
  await withPage(server.url, { hash: hash({ op: '%kernel_call', xs: 'kernel' }) }, async (page, { context }) => {
    const kernel = section(page, 'kernel');
    const mlir = await (await fetch(`${server.url}api/v1/graph/kernel?${new URLSearchParams({ ...SUBJECT, node: 'kernel_call' })}`)).text();
    await becomes(() => kernel.locator('pre').textContent().catch(() => ''), mlir.split('\n').slice(0, 400).join('\n'));
    await kernel.getByRole('button', { name: 'copy', exact: true }).click();
    await becomes(() => copied(page), mlir);
    const [other] = await Promise.all([context.waitForEvent('page'), kernel.getByRole('link', { name: 'open as text' }).click()]);
    await other.waitForLoadState();
    assert.equal((await other.evaluate(() => document.body.textContent)).trim(), mlir.trim());
    await other.close();
    const bytes = await download(page, () => kernel.getByRole('link', { name: 'bytecode' }).click());
    assert.equal(bytes.bytes.subarray(0, 4).toString('latin1'), 'ML\u00efR');
    assert.equal(bytes.name, 'kernel_call.mlirbc');
  });
});

test('Explain in Trace and in Memory: its button opens and closes it', async () => {
  await withPage(server.url, { hash: hash({ tool: 'trace', op: '%fusion.300', r: '' }) }, async (page) => {
    await traceDrawn(page);
    await page.getByRole('button', { name: /Explain %fusion\.300$/ }).click();
    await opened(page, 'fusion.300');
    await page.getByRole('button', { name: /Explain %fusion\.300$/ }).click();
    await becomes(() => panel(page).count(), 0);
    await goTo(page, hash({ tool: 'memory', op: '%fusion.300' }));
    await until('the pin', () => viewOf(page).pin !== undefined);
    await page.getByRole('button', { name: /Explain %fusion\.300$/ }).click();
    await opened(page, 'fusion.300');
    await section(page, 'users').locator('.x-fold').click();
    await section(page, 'users').getByRole('link', { name: 'negate.300', exact: true }).click();
    await inAddress(page, { tool: 'graph', op: '%negate.300' });
    await page.goBack();
    await until('memory', () => (viewOf(page).tool ?? 'memory') === 'memory' && viewOf(page).pin !== undefined);
  });
});

test('a pasted line of this program is explained like the op; the example; the close button', async () => {
  const answer = await server.api('graph/explain', { ...SUBJECT, node: 'all-reduce.1' });
  await withPage(server.url, { hash: hash({ op: '%all-reduce.1', xs: 'text' }) }, async (page) => {
    await opened(page, 'all-reduce.1');
    await panel(page).getByRole('button', { name: 'Copy', exact: true }).click();
    await toastSays(page, /copied/);
    const line = await copied(page);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('>explain');
    await page.getByText('explain an HLO line').click();
    const sheet = page.getByRole('dialog', { name: 'explain an HLO line' });
    await sheet.getByRole('button', { name: 'an example' }).click();
    await until('the example', async () => (await read(sheet.locator('.x-title'))).startsWith('fusion.3'));
    await sheet.getByRole('textbox', { name: 'HLO line' }).fill(line);
    await until('this op', async () => (await read(sheet.locator('.x-title'))).startsWith('all-reduce.1'));
    // What is in the text is said alike; what needs the module is not there.
    const same = answer.text.parts.label.map((label, k) => [label, answer.text.parts.sentence[k]]).filter(([label]) => ['type', 'dimensions', 'order', 'tiling', 'groups'].includes(label)).map(([, sentence]) => sentence);
    const said = await sheet.locator('[data-section=text] dd').allInnerTexts();
    for (const sentence of same) assert.ok(said.includes(sentence), sentence);
    await sheet.getByRole('button', { name: 'close the explanation' }).click();
    await sheet.waitFor({ state: 'detached' });
  });
});
