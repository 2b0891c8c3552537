// The modes of the memory tool, and Compare: two programs at their peaks, as the server has them.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test, { after, before } from 'node:test';

import { becomes, eachLook, inAddress, makeLogdir, quit, read, serve, testdata, viewOf, withPage } from './lib.mjs';
import { peakLine } from './memory.mjs';

let server;
before(async () => {
  server = await serve(makeLogdir({ demo: join(testdata, 'tpu_padded_demo/logdir'), layers: join(testdata, 'tpu_scan_layers/logdir') }));
});
after(async () => {
  await quit();
  await server?.stop();
});

const hash = (view) => `#${new URLSearchParams(view)}`;
const runOf = async (part) => (await server.api('runs', {})).id.find((id) => id.includes(part));
const mode = (page) => page.locator('.m-switch a[aria-current]');

eachLook('three modes of one object: switch, keys, address, back; run, module, space and step stay', async (look) => {
  const RUN = await runOf('layers');
  await withPage(server.url, { ...look, hash: hash({ run: RUN, step: 7, unit: 'mib' }) }, async (page) => {
    await peakLine(page).waitFor();
    assert.equal(await read(mode(page)), 'Viewer');
    const bar = await page.locator('.m-modes').boundingBox();
    assert.equal(bar.height, 36);
    await page.locator('.m-switch').getByText('Report').click();
    await inAddress(page, { mode: 'report', step: '7', run: RUN, unit: 'mib' });
    await becomes(() => read(mode(page)), 'Report');
    await page.keyboard.press('3');
    await inAddress(page, { mode: 'compare', step: '7' });
    await page.keyboard.press('1');
    await inAddress(page, { mode: null, step: '7' });
    await peakLine(page).waitFor();
    await page.keyboard.press('2');
    await inAddress(page, { mode: 'report' });
    await page.goBack();
    await inAddress(page, { mode: null });
    await page.goBack();
    await inAddress(page, { mode: 'compare' });
    assert.equal(viewOf(page).run, RUN);
  });
});
