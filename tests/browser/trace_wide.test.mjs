// The Trace Viewer on a wide screen: panes side by side; and its header, and pages of runs without events.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test, { after, before } from 'node:test';

import { makeLogdir, quit, read, serve, settled, sharedLogdir, testdata, until, viewOf, withPage } from './lib.mjs';
import { drawn } from './trace.mjs';

const tpu = sharedLogdir('tpu-v6e-offload');
const WIDE = { theme: 'light', size: { width: 2560, height: 1440 } };

let server;
before(async () => {
  server = await serve(
    makeLogdir({
      mlp: join(testdata, 'cpu_mlp_train/logdir'),
      oom: join(testdata, 'tpu_padded_oom/xla_dump'),
      aot: join(testdata, 'tpu_padded_demo/logdir'),
      ...(tpu ? { tpu } : {}),
    }),
  );
});
after(async () => {
  await quit();
  await server?.stop();
});

test('from 2,200 px on, totals and steps by chip are side by side; details replace them', { skip: !tpu }, async () => {
  const run = 'tpu/2025_03_11_19_41_39';
  const hash = `#${new URLSearchParams({ run, tool: 'trace', tt: 'selection', t0: 19300000000000, t1: 24700000000000 })}`;
  await withPage(server.url, { ...WIDE, hash }, async (page) => {
    await drawn(page);
    const side = page.locator('.t-side');
    await page.getByRole('tabpanel').getByText('copy-done.4').first().waitFor();
    await until('eight steps', async () => (await side.locator('.vt-row').count()) === 8);
    // 783.8 to 784.4 ms by the device, as a few lines of Python over the file say (tests/http/test_trace.c).
    assert.match(await read(side.locator('.vt-row').first()), /step \d+(.*78[34]\.\d){4}.*78[34]\.\d – 784\.\d/);
    assert.equal(await side.locator('.warn').count(), 0); // what the alignment put in is no slow step
    // 10 GiB and 65 MB in 8.15 ms are 80 % of 1,638 GB/s (mock-up of the page); a start of a copy moves nothing itself.
    const row = (name) => page.getByRole('tabpanel').locator('.vt-row', { hasText: name }).first();
    assert.match(await read(row('broadcast_add_fusion.1')), /80\.\d % HBM$/);
    assert.match(await read(row('copy-start.4')), / [\d.]+ ns$/); // ends with its times: no rate
    await side.getByRole('button', { name: 'all 100' }).click();
    await until('all steps', async () => viewOf(page).allsteps === '1');
    await side.getByRole('button', { name: 'Details' }).click();
    await until('details beside', async () => /Click an event/.test(await read(side)));
    await until('it in the address', async () => viewOf(page).side === 'details');
    await page.setViewportSize({ width: 1366, height: 768 });
    await until('one pane', async () => (await side.count()) === 0);
  });
});

test('a trace is of a host: no pickers of module and memory; the search of the page stands in the header', async () => {
  const hash = `#${new URLSearchParams({ run: 'mlp/run0', tool: 'trace', find: 'dot' })}`;
  await withPage(server.url, { hash }, async (page) => {
    await drawn(page);
    const header = page.locator('.header');
    assert.doesNotMatch(await read(header), /module|memory/);
    await until('the search in the header', async () => /dot\s*[\d,]+/.test(await read(header.locator('.search-box'))));
    await header.locator('.search-box').click();
    await page.getByLabel('search events').waitFor();
    await until('the tab in the address', async () => viewOf(page).tt === 'search');
  });
});

for (const [run, why] of [['oom', /Compiler output has no events.*jax\.profiler\.trace/], ['aot/aot', /did not run during the capture.*to fill this page/]]) {
  test(`${run}: a run without events says why and what would fill the page; nothing fails`, async () => {
    await withPage(server.url, { hash: `#${new URLSearchParams({ run, tool: 'trace' })}` }, async (page) => {
      const bad = [];
      page.on('response', (response) => { if (response.status() >= 400) bad.push(`${response.status()} ${response.url()}`); });
      page.on('console', (message) => { if (message.type() === 'error') bad.push(message.text()); });
      await page.reload();
      await until('the reason', async () => why.test(await read(page.locator('main'))));
      await settled(page);
      assert.deepEqual(bad, []);
    });
  });
}
