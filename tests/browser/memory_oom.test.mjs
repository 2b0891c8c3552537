// A program that does not fit: the error beside its dump, an error that is pasted, a capacity set by hand.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test, { after, before } from 'node:test';

import { becomes, eachLook, exact, gib, inAddress, lookName, makeLogdir, matches, mib, quit, read, said, serve, sharedLogdir, shoot, testdata, until, viewOf, withPage } from './lib.mjs';
import { ready } from './memory.mjs';

const ERROR = `RESOURCE_EXHAUSTED: E1000: CompileTimeHbmOom: Ran out of memory on HBM, the total memory required for HLO temporaries (22.90G) exceeds available HBM (15.75G). HLO module: jit_padded_step.
See https://openxla.org/xla/errors/error_1000 for more details.
`;
const OTHER = ERROR.replace('jit_padded_step', 'jit_train_step');
const PADDED = `XlaRuntimeError: RESOURCE_EXHAUSTED: XLA:TPU compile permanent error. Ran out of memory in memory space hbm. Used 22.90G of 15.75G hbm. Exceeded hbm capacity by 7.15G.

Total hbm usage >= 23.15G:
    reserved        258.00M
    program          15.26G
    arguments         7.64G

  Largest program allocations in hbm:

  1. Size: 7.63G
     Shape: f32[8,1,16000512]{0,2,1:T(8,128)}
     Unpadded size: 488.30M
     Extra memory due to padding: 7.15G (16.0x expansion)
     XLA label: pad.2 = pad(...)
     Allocation type: HLO temp
     ==========================
`;
const CAPACITY = 15.75 * 2 ** 30;

let withError;
let plain;
before(async () => {
  withError = await serve(makeLogdir({ oom: join(testdata, 'tpu_padded_oom') }));
  plain = await serve(
    makeLogdir({ dump: join(testdata, 'tpu_padded_oom/xla_dump'), layers: join(testdata, 'tpu_scan_layers/logdir'), demo: join(testdata, 'tpu_padded_demo/logdir') }),
  );
});
after(async () => {
  await quit();
  await withError?.stop();
  await plain?.stop();
});

const strip = (page) => page.locator('.m-oom');
const peak = (page) => page.locator('.m-peak');
/** The box of the palette. */
const box = (page) => page.getByRole('dialog', { name: 'paste an error' });
/** As a person does it: open the box, paste. What it held before gives way. */
async function paste(page, text) {
  await page.keyboard.press('Control+k');
  await page.keyboard.type('>paste an error');
  await page.keyboard.press('Enter');
  await box(page).waitFor();
  await page.evaluate((words) => navigator.clipboard.writeText(words), text);
  await page.keyboard.press('Control+v');
  await becomes(() => box(page).getByLabel('error message').inputValue(), text);
}

eachLook('the error beside a dump: what is bold, capacity from it, does not fit', async (look) => {
  const s = await withError.api('memory/summary');
  assert.equal(s.capacity_bytes, CAPACITY);
  await withPage(withError.url, look, async (page) => {
    await ready(page);
    await becomes(() => read(page.locator('.m-peak-big')), 'Peak 22.90 GiB does not fit');
    assert.equal(await read(page.locator('.m-peak-of')), `needs ${gib(s.peak.held_bytes - CAPACITY)} more than the 15.75 GiB available (145 %)`);
    assert.ok((await peak(page).getAttribute('title')).startsWith(`peak ${exact(s.peak.held_bytes)}, capacity ${exact(CAPACITY)}`));
    assert.equal(await read(strip(page).locator('.what')), 'Did not fit');
    assert.deepEqual(await strip(page).locator('.m-oom-text b').allTextContents(), ['HBM', '22.90G', '15.75G', 'jit_padded_step']);
    assert.equal((await strip(page).locator('.m-oom-text').textContent()).trim(), ERROR.trim());
    assert.match(await said(strip(page)), /matches jit_padded_step: its peak in HBM is 22\.90 GiB/);
    assert.match(await read(page.locator('.m-badges')), /did not compile/);
    const legend = await read(page.locator('.m-head-legend'));
    assert.match(legend, new RegExp(`over capacity ${gib(s.peak.held_bytes - CAPACITY).replace(' GiB', '')}`));
    assert.match(legend, /capacity from the error text/);
    // The bar: capacity ends where its bytes end; the rest is framed.
    const bar = await page.locator('.m-bar').boundingBox();
    const limit = await page.locator('.m-bar-limit').boundingBox();
    assert.ok(Math.abs(limit.x - bar.x - (CAPACITY / s.reserved_bytes) * bar.width) < 3, `limit at ${limit.x - bar.x} of ${bar.width}`);
    await shoot(page, `oom-${lookName(look)}`);
    await strip(page).getByRole('button', { name: 'close' }).click();
    await becomes(() => strip(page).count(), 0);
  });
});

eachLook('an error that is pasted into the palette: read, matched, opened with its capacity', async (look) => {
  await withPage(plain.url, { ...look, hash: '#run=dump' }, async (page) => {
    await ready(page);
    await becomes(() => read(page.locator('.m-peak-big')), 'Peak 22.90 GiB');
    await paste(page, ERROR);
    await until('the answer', async () => /matches/.test(await said(box(page))));
    assert.match(await said(box(page)), /jit_padded_step in HBM · needed 22\.90 GiB · capacity 15\.75 GiB/);
    assert.match(await said(box(page)), /matches jit_padded_step: its peak in HBM is 22\.90 GiB/);
    await box(page).getByRole('button', { name: 'Open it in Memory' }).click();
    await inAddress(page, { hbm: String(CAPACITY) });
    await becomes(() => read(page.locator('.m-peak-big')), 'Peak 22.90 GiB does not fit');
    assert.equal(await box(page).count(), 0);
    // With a list of allocations: the buffer that is meant.
    const oom = await plain.api('oom', { text: PADDED, run: 'dump' });
    assert.ok(oom.items[0].buffers.includes(69), JSON.stringify(oom.items));
    await paste(page, PADDED);
    await until('the items', async () => (await box(page).locator('.oom-items tbody tr').count()) === oom.items.length);
    assert.match(await said(box(page).locator('.oom-items tbody tr').first()), /^7\.63 GiB|^7,813\.\d MiB/);
    await box(page).locator('.oom-items a').first().click();
    await inAddress(page, { pin: String(oom.items[0].buffers[0]) });
  });
});

test('a message pasted where names are searched is read; any other text is searched', async () => {
  await withPage(plain.url, { hash: '#run=dump' }, async (page) => {
    await ready(page);
    const pasted = async (text) => {
      await page.evaluate((words) => navigator.clipboard.writeText(words), text);
      await page.keyboard.press('Control+k');
      await page.getByPlaceholder('name of an op, buffer, module, run or action').waitFor();
      await page.keyboard.press('Control+v');
    };
    await pasted(`a line of the log before it\n${ERROR}`);
    await until('the answer', async () => /matches jit_padded_step: its peak in HBM is 22\.90 GiB/.test(await said(box(page))));
    await becomes(() => box(page).getByLabel('error message').inputValue(), ERROR);
    await page.keyboard.press('Escape');
    await becomes(() => box(page).count(), 0);
    await pasted('zoom memory');
    await becomes(() => page.getByLabel('search everything').inputValue(), 'zoom memory');
    assert.equal(await box(page).count(), 0);
  });
});

eachLook('an error of another module, one that is no error, one that is too long', async (look) => {
  await withPage(plain.url, { ...look, hash: '#run=dump' }, async (page, { forgive }) => {
    await ready(page);
    const other = await plain.api('oom', { text: OTHER, run: 'dump' });
    assert.equal(other.match.matches, false);
    await paste(page, OTHER);
    await until('the sentence', async () => (await said(box(page))).includes(other.match.sentence));
    assert.equal(await box(page).getByRole('button', { name: 'Open it in Memory' }).count(), 0);
    await page.keyboard.press('Escape');
    await paste(page, 'Segmentation fault (core dumped)');
    await until('the reason', async () => /This is not a known out-of-memory error/.test(await said(box(page))));
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('>paste');
    await page.keyboard.press('Enter');
    const field = box(page).getByLabel('error message');
    await field.fill(`${ERROR}${'x'.repeat(9000)}`);
    await until('what is left out', async () => new RegExp(`the first 8,000 bytes are read, ${(ERROR.length + 1000).toLocaleString('en-US')} are left out`).test(await said(box(page))));
    await field.press('Control+Enter');
    await until('the answer', async () => /matches jit_padded_step/.test(await said(box(page))));
    // A program opens; it is a run of the list from then on.
    await page.evaluate((words) => navigator.clipboard.writeText(words), 'HloModule jit_pasted, is_scheduled=true\n\nENTRY %main (p: f32[8]) -> f32[8] {\n  %p = f32[8]{0} parameter(0)\n  ROOT %n = f32[8]{0} negate(%p)\n}\n');
    await field.press('Control+v');
    await becomes(async () => /^pasted:jit_pasted-[0-9a-f]{8}$/.test((await viewOf(page)).run), true, 'the run is open');
    // A text holds no buffer assignment: Memory does not find what it asks for, and the page says so.
    forgive(/answer 404: .*\/memory\/.*pasted/);
    await until('its graph', async () => /negate/.test(await page.locator('main').innerText()));
    const { id } = await plain.api('runs');
    assert.ok(id.includes((await viewOf(page)).run));
  });
});

eachLook('pasting anywhere on the list of runs opens the box and finds the run', async (look) => {
  await withPage(plain.url, look, async (page) => {
    await page.locator('.run-row').first().waitFor();
    await until('the cards', async () => !(await page.locator('.start-headline').innerText()).includes('still to be read'));
    await page.evaluate((words) => navigator.clipboard.writeText(words), ERROR);
    await page.locator('.run-table').focus();
    await page.keyboard.press('Control+v');
    await box(page).waitFor();
    // One needs as much as the message says; the other of that name is behind a line.
    await becomes(() => box(page).getByRole('link').allInnerTexts(), ['dump']);
    await becomes(() => read(box(page).locator('summary')), '1 more run with a module of this name and another peak');
    await box(page).getByRole('link', { name: 'dump' }).click();
    await inAddress(page, { run: 'dump', hbm: String(CAPACITY) });
    await becomes(async () => (await page.locator('.m-peak-big').count()) && read(page.locator('.m-peak-big')), 'Peak 22.90 GiB does not fit');
  });
});

eachLook('capacity set by hand, as found again, and one that is none', async (look) => {
  const s = await plain.api('memory/summary', { run: 'layers/aot' });
  await withPage(plain.url, { ...look, hash: '#run=layers/aot' }, async (page) => {
    await ready(page);
    await page.getByRole('button', { name: 'capacity unknown, set it' }).click();
    const field = page.locator('.m-cap-form input');
    await field.fill('lots');
    await becomes(() => field.getAttribute('aria-invalid'), 'true');
    assert.match(await read(page.locator('.m-cap-form')), /not a valid size/);
    await field.press('Enter');
    assert.equal(viewOf(page).hbm, undefined);
    await field.fill('16GiB');
    await matches(() => read(page.locator('.m-cap-form')), new RegExp(exact(2 ** 34)));
    await field.press('Enter');
    await inAddress(page, { hbm: String(2 ** 34) });
    await becomes(async () => (await page.locator('.m-peak-of').count()) && read(page.locator('.m-peak-of')), 'of 16,384 MiB (40 %)');
    const legend = () => read(page.locator('.m-head-legend'));
    await becomes(async () => (await legend()).includes(`Free ${mib(2 ** 34 - s.reserved_bytes).replace(' MiB', '')}`), true);
    // Smaller than the peak.
    await page.getByRole('button', { name: 'capacity set by you' }).click();
    await field.fill('4G');
    await page.getByRole('button', { name: 'Set', exact: true }).click();
    await inAddress(page, { hbm: String(2 ** 32) });
    await becomes(() => read(page.locator('.m-peak-big')), `Peak ${mib(s.peak.held_bytes)} does not fit`);
    assert.equal(await read(page.locator('.m-peak-of')), `needs ${mib(s.peak.held_bytes - 2 ** 32)} more than the 4,096 MiB available (162 %)`);
    await page.getByRole('button', { name: 'capacity set by you' }).click();
    await page.getByRole('button', { name: 'as found' }).click();
    await inAddress(page, { hbm: null });
    await becomes(() => read(page.locator('.m-peak-big')), `Peak ${mib(s.peak.held_bytes)}`);
  });
});

eachLook('a capacity in the address that is none: said, not guessed', async (look) => {
  await withPage(plain.url, { ...look, hash: '#run=layers/aot&hbm=lots' }, async (page, { forgive }) => {
    await until('what is wrong', async () => /hbm/i.test(await said(page.locator('main'))));
    forgive(/answer 400/);
  });
});

test('a message about another memory space than the one below says so, and leads to what explains it', async (t) => {
  const logdir = sharedLogdir('tpu_vmem_oom');
  if (!logdir) return t.skip('no shared data');
  const vmem = await serve(join(logdir, '..'));
  await withPage(vmem.url, { hash: '#run=xla/xla_dump' }, async (page) => {
    const side = page.locator('.m-oom-side');
    await side.waitFor();
    assert.match(await read(side), /below is HBM. No buffer is in VMEM: a single operation needs that much \(findings\)/);
    await side.getByRole('link', { name: 'findings' }).click();
    await inAddress(page, { tab: 'findings' });
    await page.locator('.d-row', { hasText: 'on-chip memory' }).waitFor();
  });
  await vmem.stop();
});
