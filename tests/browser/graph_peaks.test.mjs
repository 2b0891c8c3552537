// What the chip can do, entered in Explain: cycles become times on every badge, FLOP/s a share of the peak.
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';

import { becomes, inAddress, pictureOf, putFile, quit, read, serve, settled, sharedLogdir, temporary, until, withPage } from './lib.mjs';
import { canvas, isHere, painted, says } from './graph.mjs';
import { xspace } from './hlo.mjs';
import { layered } from './layered.mjs';

const RUN = 'layers/1';
let server;
before(async () => {
  const root = temporary('browser');
  putFile(root, 'layers/plugins/profile/1/host0.xplane.pb', xspace([{ name: 'layered', id: 77, hlo: layered(700) }]));
  server = await serve(root);
});
after(async () => {
  await quit();
  await server?.stop();
});

const hash = (view) => `#${new URLSearchParams({ run: RUN, tool: 'graph', ...view })}`;
const legend = (page) => read(page.locator('.g-legend'));
const badge = async (page, name) => (await says(page, name).first().textContent()).split(', ');

test('no device: cycles with the reason; a clock and a peak entered in Explain change badges, columns, sums and colours', async () => {
  await withPage(server.url, { hash: hash({ op: '%fusion.0', r: 1, merge: 1, gc: 'flops' }) }, async (page, { context }) => {
    await isHere(page, 'negate.0');
    assert.ok((await badge(page, 'fusion.0')).includes('1,000 cycles'));
    await until('why there is no scale', async () => /^the device is unknown: enter its clock and peak in Explain/.test(await legend(page)));
    const type = async (unit, value) => {
      const box = page.getByLabel(`peak in ${unit}`);
      await box.fill(value);
      await box.press('Enter');
    };
    // 1,000 cycles at 2 GHz.
    await type('GHz', '2');
    await until('times on the badges', async () => (await badge(page, 'fusion.0')).includes('0.5 µs'));
    assert.ok((await badge(page, 'negate.0')).includes('0.1 µs'));
    await until('and in the columns', async () => /est\. time/.test(await read(page.locator('.g-heavy h3'))));
    assert.match(await read(page.locator('.g-order')), /est\.$/);
    // negate: 2^20 elements in 0.1 µs; without a peak the highest in view is the scale, and that is said.
    await until('the highest in view', async () => /FLOP\/s: 0 10\.5 TFLOP\/s, the highest in view; the peak is unknown, enter it in Explain/.test(await legend(page)));
    await painted(page);
    const relative = await pictureOf(canvas(page));
    await type('TFLOP/s bf16', '20.97152');
    await until('the share of the peak', async () => /FLOP\/s: 0 21\.0 TFLOP\/s, peak entered in Explain; highest in view 50 %/.test(await legend(page)));
    await inAddress(page, { peaks: '20.97152,,,2' });
    await until('paler', async () => (await pictureOf(canvas(page))) !== relative);
    // Sums of a selection are times now, and so is the scale by time.
    await page.getByLabel('colour', { exact: true }).selectOption('time');
    await until('a scale of time', async () => /^Time: 0 0\.5 µs/.test(await legend(page)));
    const other = await context.newPage();
    await other.goto(page.url());
    await isHere(other, 'negate.0');
    await until('the same peaks by link', async () => (await badge(other, 'fusion.0')).includes('0.5 µs'));
    await other.close();
    await page.getByRole('button', { name: 'clear' }).first().click();
    await until('cycles again', async () => (await badge(page, 'fusion.0')).includes('1,000 cycles'));
    await becomes(() => legend(page).then((words) => /^Time: 0 1,0\d\d cycles/.test(words)), true, 'the scale in cycles');
  });
});

test('the sum of selected ops is in cycles where no clock is known', async () => {
  await withPage(server.url, { hash: hash({ op: '%fusion.0', r: 1, merge: 1 }) }, async (page) => {
    await isHere(page, 'negate.0');
    await page.goto(`${server.url}${hash({ op: '%negate.0', c: '%fusion.0', r: 1, merge: 1, gsel: String((await server.api('graph/around', { run: RUN, node: 'exponential.0' })).center.ix) })}`);
    await until('cycles, not picoseconds', async () => /^2 ops 8 MiB of results, 500 cycles/.test(await read(page.locator('.g-sum'))));
  });
});

const real = sharedLogdir('tpu-v6e-offload');
test('a profile of a chip that is known: its peaks are the scale', { skip: !real }, async () => {
  const other = await serve(real);
  try {
    const run = (await other.api('runs')).id[0];
    const overview = await other.api('graph/overview', { run });
    assert.match(overview.peaks.device, /v6e/);
    assert.ok(overview.peaks.flops_per_s > 5e14 && overview.peaks.clock_hz > 1e9);
    // An asynchronous pair carries its wait: on its box, in the list of the heaviest, and where it is explained from either half.
    await withPage(other.url, { hash: hash({ run, tool: 'graph', module: 'jit_f', op: '%copy-done.2', r: 1 }) }, async (page) => {
      const heavy = page.locator('.g-heavy button').first();
      await until('the longest first', async () => /copy-done ×3, waits 578 ms/.test((await heavy.getAttribute('aria-label').catch(() => '')) ?? ''));
      await until('its time', async () => /Waits 194.1 ms: the chip waits this long here/.test(await read(page.locator('.x-verdict'))));
      await page.goto(`${other.url}${hash({ run, tool: 'graph', module: 'jit_f', op: '%copy-start.2', r: 1 })}`);
      await until('the start says so too', async () => /Waits 194.1 ms: the chip waits this long for this transfer, at copy-done.2/.test(await read(page.locator('.x-verdict'))));
    });
  } finally {
    await other.stop();
  }
});

test('a peak beyond all numbers is not taken', async () => {
  await withPage(server.url, { hash: hash({ op: '%fusion.0', r: 1 }) }, async (page) => {
    await isHere(page, 'negate.0');
    const box = page.getByLabel('peak in GHz');
    await box.fill('1e308');
    await box.press('Enter');
    await box.fill('2');
    await box.press('Enter');
    await inAddress(page, { peaks: ',,,2' });
    await page.getByLabel('peak in TFLOP/s bf16').fill('1e308');
    await page.getByLabel('peak in TFLOP/s bf16').press('Enter');
    await settled(page);
    await inAddress(page, { peaks: ',,,2' });
  });
});

test('the way to the details covers no button, in a narrow window too', async () => {
  for (const width of [1366, 1024, 900]) {
    await withPage(server.url, { size: { width, height: 700 }, hash: hash({ op: '%fusion.0', r: 1 }) }, async (page) => {
      await isHere(page, 'negate.0');
      const open = page.getByRole('button', { name: 'details', exact: true });
      await page.locator('.g-card, .g-open-card').first().waitFor();
      if (!(await open.count())) await page.keyboard.press('i');
      const details = await open.boundingBox();
      const under = await page.locator('.g-bar button, .g-bar select, .g-bar label').evaluateAll((all, box) => all.filter((one) => {
        const at = one.getBoundingClientRect();
        return at.right > box.x && at.left < box.x + box.width && at.bottom > box.y && at.top < box.y + box.height;
      }).map((one) => one.innerText), details);
      assert.deepEqual(under, [], `${width} px`);
    });
  }
});
