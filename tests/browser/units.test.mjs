// A program of a few KiB in its own unit; a legend that is not cut; the palette that stays in the graph.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test, { after, before } from 'node:test';

import { becomes, eachLook, inAddress, inUnit, launch, makeLogdir, quit, read, serve, SIZES, testdata, until, withPage } from './lib.mjs';

const CPU = 'cpu/run0';
const TPU = 'tpu/aot';
let server;
before(async () => {
  server = await serve(makeLogdir({ cpu: join(testdata, 'cpu_mlp_train/logdir'), tpu: join(testdata, 'tpu_scan_layers/logdir') }));
  await launch();
});
after(async () => {
  await quit();
  await server?.stop();
});

/** The unit by the rule of docs: GiB from 10 GiB, KiB where a MiB with one decimal would say 0.0, bytes below 1 KiB. */
const unitOf = (peak) => (peak >= 10 * 2 ** 30 ? 'GiB' : peak * 10 >= 2 ** 20 ? 'MiB' : peak >= 1024 ? 'KiB' : 'B');
const written = (bytes, unit) => (unit === 'B' ? `${bytes} B` : `${inUnit(bytes, unit)} ${unit}`);

eachLook('a small program is told in KiB or bytes, wherever the page has its numbers', async (look) => {
  const list = await server.api('modules', { run: CPU });
  const small = list.key.filter((_, i) => list.peak_bytes[i] > 0 && list.peak_bytes[i] * 10 < 2 ** 20);
  const kinds = new Set(small.map((key) => unitOf(list.peak_bytes[list.key.indexOf(key)])));
  assert.deepEqual([...kinds].sort(), ['B', 'KiB'], 'the capture has both');
  for (const unit of ['KiB', 'B']) {
    const key = small.find((one) => unitOf(list.peak_bytes[list.key.indexOf(one)]) === unit);
    const s = await server.api('memory/summary', { run: CPU, module: key });
    await withPage(server.url, { ...look, hash: `#${new URLSearchParams({ run: CPU, module: key })}` }, async (page) => {
      await becomes(async () => (await read(page.locator('.m-peak-big'))).slice(0, `Peak ${written(s.peak.held_bytes, unit)}`.length), `Peak ${written(s.peak.held_bytes, unit)}`);
      assert.equal(await page.locator('.m-unit-switch').innerText(), unit);
      const sentence = await read(page.locator('.m-sentence'));
      assert.doesNotMatch(sentence, /0\.0 MiB/);
      assert.match(sentence, new RegExp(` ${unit} \\(`));
      const legend = await read(page.locator('.m-head-legend'));
      for (const [word, bytes] of [['Arguments', s.split.argument_bytes], ['Outputs', s.split.output_bytes]]) {
        if (bytes > 0) assert.ok(legend.includes(`${word} ${unit === 'B' ? bytes : inUnit(bytes, unit)}`), `${word} ${bytes} in ${legend}`);
      }
    });
  }
});

test('report: at 1366 the legend has every group, none of them cut', async () => {
  await withPage(server.url, { size: SIZES[0], hash: `#run=${TPU}&mode=report` }, async (page) => {
    const list = page.locator('.r-legend-list');
    await list.locator('.r-check').first().waitFor();
    const answer = await server.api('report/areas', { run: TPU, by: 'op' });
    assert.equal(await list.locator('.r-check').count(), answer.groups.length);
    await until('all of them', () => list.evaluate((box) => box.scrollHeight <= box.clientHeight + 1));
    const [last, sum] = [await list.locator('.r-check').last().boundingBox(), await page.locator('.r-legend .r-sum').boundingBox()];
    assert.ok(last.y + last.height <= sum.y + 0.5, 'the last group is above the sum');
    const legend = await page.locator('.r-legend').boundingBox();
    assert.ok(sum.y + sum.height <= legend.y + legend.height + 0.5);
  });
});

test('palette: Enter on an operation stays in the graph where that is open, and leads to its buffer elsewhere', async () => {
  const found = await server.api('search', { run: TPU, q: 'while' });
  const at = found.kind.findIndex((kind, i) => kind === 'op' && found.instruction_id.some((id, j) => found.buffer[j] !== null && id === found.instruction_id[i]));
  assert.ok(at >= 0, 'an operation with a buffer');
  const pick = async (page) => {
    await page.keyboard.press('Control+k');
    await page.getByLabel('search everything').fill(`%${found.name[at]}`);
    const first = page.getByRole('dialog', { name: 'search' }).locator('.palette-list [role=option]').first();
    await until('the operation', async () => (await first.innerText()).includes(found.name[at]));
    await page.keyboard.press('Enter');
  };
  await withPage(server.url, { size: SIZES[0], hash: `#run=${TPU}&tool=graph` }, async (page) => {
    await page.getByRole('grid', { name: 'HLO text' }).waitFor();
    await pick(page);
    await inAddress(page, { tool: 'graph', op: found.name[at] });
    await page.keyboard.press('Shift+Digit2');
    await page.locator('.m-peak-big').waitFor();
    await pick(page);
    await until('a pinned buffer', () => /[#&]pin=\d+/.test(page.url()));
    await inAddress(page, { tool: 'memory' });
  });
});
