// Doctor: the findings as the server has them, on their page and in the Memory Viewer's tab; where their links lead.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test, { after, before } from 'node:test';

import { becomes, eachLook, gib, inAddress, makeLogdir, mib, quit, read, serve, settled, sharedLogdir, testdata, until, viewOf, withPage } from './lib.mjs';
import { peakLine } from './memory.mjs';

let server;
before(async () => {
  server = await serve(makeLogdir({ demo: join(testdata, 'tpu_padded_demo/logdir'), layers: join(testdata, 'tpu_scan_layers/logdir'), oom: join(testdata, 'tpu_padded_oom') }));
});
after(async () => {
  await quit();
  await server?.stop();
});

const hash = (view) => `#${new URLSearchParams(view)}`;
const rows = (page) => page.locator('.d-row');
const claims = (page) => page.locator('.d-claim').allInnerTexts();
const runOf = async (part) => (await server.api('runs', {})).id?.find((id) => id.includes(part)) ?? `${part}/xla_dump`;

eachLook('a program that does not fit: verdict, findings by saving, and what fits then', async (look) => {
  const OOM = { run: await runOf('oom') };
  const doctor = await server.api('doctor', OOM);
  await withPage(server.url, { ...look, hash: hash({ ...OOM, tool: 'doctor' }) }, async (page) => {
    await becomes(() => claims(page), doctor.findings.map((finding) => finding.claim));
    assert.match(await read(page.locator('.d-title')), new RegExp(`^Peak ${gib(doctor.peak_bytes)} does not fit$`));
    const longest = rows(page).first().locator('.d-mark .faint');
    assert.ok(await longest.evaluate((name) => { name.textContent = 'D29 runtime fragmentation'; return name.scrollWidth <= name.clientWidth; }), 'the longest name of a rule has room');
    const padded = doctor.findings.findIndex((finding) => finding.id === 'D04');
    const text = await read(rows(page).nth(padded));
    assert.ok(text.includes(gib(doctor.findings[padded].saving_bytes)), text);
    assert.match(text, /fits: peak 11\.93 GiB at step 4/);
    assert.match(text, /no source recorded/);
    // The step it would peak at then, in the Memory Viewer; and back.
    await rows(page).nth(padded).getByRole('link', { name: 'step 4' }).click();
    await inAddress(page, { step: '4', tool: 'memory' });
    await peakLine(page).waitFor();
    await page.goBack();
    // Its buffers, one by one, by name.
    await rows(page).nth(padded).getByRole('button', { name: '3 buffers' }).click();
    await becomes(() => rows(page).nth(padded).locator('.d-buffers a').count(), 3);
    assert.deepEqual(await rows(page).nth(padded).locator('.d-buffers a').allInnerTexts(), doctor.findings[padded].listed.name);
    await rows(page).nth(padded).locator('.d-buffers a').first().click();
    await inAddress(page, { pin: String(doctor.findings[padded].buffers[0]), tool: 'memory' });
  });
});

eachLook('thresholds and muted rules in the address: what they change is shown, a mistake is named and can be mended', async (look) => {
  const OOM = { run: await runOf('oom') };
  await withPage(server.url, { ...look, hash: hash({ ...OOM, tool: 'doctor' }) }, async (page, { forgive }) => {
    const before = await server.api('doctor', OOM);
    await becomes(() => claims(page), before.findings.map((finding) => finding.claim));
    await page.getByRole('button', { name: 'Thresholds and muted rules' }).click();
    const field = page.locator('#d-config');
    await field.fill('giant_share = 99%\nsilence D12 looked at');
    await page.getByRole('button', { name: 'Apply' }).click();
    await inAddress(page, { config: 'giant_share = 99%\nsilence D12 looked at' });
    const after = await server.api('doctor', { ...OOM, config: 'giant_share = 99%\nsilence D12 looked at' });
    assert.ok(after.findings.length < before.findings.length && after.silenced === 1);
    await becomes(() => claims(page), after.findings.filter((finding) => finding.silenced === null).map((finding) => finding.claim));
    assert.match(await read(page.locator('.d-settings')), /giant_share 99 % \(usually 25 %\)/);
    await field.fill('giant_share = lots');
    await page.getByRole('button', { name: 'Apply' }).click();
    await becomes(async () => /not|percent|share/i.test(await read(page.locator('.d-settings [role=alert]'))), true);
    forgive(/400/);
    await page.getByRole('button', { name: 'Reset' }).click();
    await inAddress(page, { config: null });
    await becomes(() => claims(page), before.findings.map((finding) => finding.claim));
  });
});

eachLook('the tab of the Memory Viewer has the same findings; a source line leads to its buffers', async (look) => {
  const LAYERS = { run: await runOf('layers') };
  const doctor = await server.api('doctor', LAYERS);
  await withPage(server.url, { ...look, hash: hash({ ...LAYERS, tab: 'findings' }) }, async (page) => {
    await becomes(() => claims(page), doctor.findings.slice(0, doctor.shown).map((finding) => finding.claim));
    for (const [i, finding] of doctor.findings.slice(0, doctor.shown).entries()) {
      const text = await read(rows(page).nth(i));
      assert.ok(text.includes(finding.id) && text.includes(finding.severity) && text.includes(finding.advice), text);
      if (finding.saving_bytes > 0 && finding.action) assert.ok(text.includes(mib(finding.saving_bytes)), text);
    }
    const at = doctor.findings.findIndex((finding) => finding.source);
    await rows(page).nth(at).locator('.d-source').click();
    const { file, line } = doctor.findings[at].source;
    await inAddress(page, { tab: 'buffers', source: `${file}:${line}` });
  });
});

eachLook('the sidebar opens Doctor; another program has its own findings; the capacity changes the verdict', async (look) => {
  const DEMO = { run: await runOf('demo') };
  const tight = await server.api('doctor', { ...DEMO, hbm: 500 * 2 ** 20 });
  await withPage(server.url, { ...look, hash: hash(DEMO) }, async (page) => {
    await peakLine(page).waitFor();
    await settled(page);
    await page.keyboard.press('Shift+Digit8');
    await inAddress(page, { tool: 'doctor' });
    const before = await until('findings', async () => { const all = await claims(page); return all.length > 0 ? all : null; });
    assert.ok(!(await read(page.locator('.d-title'))).includes('fit'), 'nothing is claimed without a capacity');
    await page.evaluate(() => { location.hash += '&hbm=524288000'; });
    await becomes(() => claims(page), tight.findings.slice(0, tight.shown).map((finding) => finding.claim));
    assert.equal(tight.findings[0].id, 'D01');
    await becomes(() => read(page.locator('.d-title')), `Peak ${mib(tight.peak_bytes)} does not fit`);
    assert.notDeepEqual(await claims(page), before);
    assert.equal(viewOf(page).hbm, '524288000');
  });
});

const offload = sharedLogdir('tpu-v6e-offload');
test('a run that waits: time is ranked beside memory, with what each share is of; savings that overlap say so', { skip: !offload }, async () => {
  const other = await serve(offload);
  try {
    await withPage(other.url, { hash: hash({ tool: 'doctor', module: 'jit_f' }) }, async (page) => {
      const first = rows(page).first();
      await until('waits come first', async () => /T01/.test(await read(first)));
      assert.match(await read(first), /−760\.1 ms at most, of the 784\.1 ms of a run 96\.9 % of a run/);
      const all = await read(page.locator('.d-findings'));
      assert.match(all, /ranked by share: of a run or step for time, of the device’s memory for bytes/);
      assert.match(all, /Saving: less than the full 20\.00 GiB/);
      assert.match(all, /Overlaps with D14 .*: they change the same buffers, so their savings do not add up/);
      await first.getByRole('link', { name: '%copy-done.4' }).click();
      await inAddress(page, { tool: 'graph', op: '%copy-done.4' });
    });
  } finally {
    await other.stop();
  }
});
