// `xprofd report --diff`: opens from disk at the comparison, makes no request, and shows the differences that `xprofd diff` gives.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import test, { after } from 'node:test';

import { run } from '../support/program.mjs';
import { becomes, eachLook, exact, inAddress, inUnit, isDrawn, mib, quit, read, settled, sharedLogdir, temporary, testdata, until, withPage } from './lib.mjs';
import { cell, drawn, peakLine } from './memory.mjs';

const web = process.env.XPD_WEB_DIR ? [`--web-dir=${process.env.XPD_WEB_DIR}`] : [];
const folder = temporary('report-diff');
const layers = join(testdata, 'tpu_scan_layers/logdir');
const demo = join(testdata, 'tpu_padded_demo/logdir');
const train = join(testdata, 'cpu_mlp_train/logdir');
const oom = join(testdata, 'tpu_padded_oom/xla_dump');
const packed = join(testdata, 'tpu_findings/padded_packed');
let serial = 0;
after(quit);

/** Writes a report of both; its address and what `xprofd diff` says of the same. */
function pair(before, after, ...more) {
  const to = join(folder, `report ${serial++}.html`);
  const done = run(['report', after, `--diff=${before}`, '-o', to, ...web, ...more]);
  assert.equal(done.code, 0, done.errors);
  return { file: pathToFileURL(to).href, diff: JSON.parse(run(['diff', before, after, '--json', ...more]).text).diff };
}

const missed = (page) => page.locator('.r-missed').allInnerTexts();
const headline = (page) => page.locator('.cp-head h1');
const rows = (page) => page.locator('.cp-tabs .vt-row');
const signed = (bytes) => (bytes === 0 ? '0' : `${bytes > 0 ? '+' : ''}${cell(bytes)}`);
const go = (page, more) => page.evaluate((add) => {
  const view = new URLSearchParams(location.hash.slice(1));
  for (const [name, value] of Object.entries(add)) if (value === null) view.delete(name); else view.set(name, value);
  location.hash = `#${view}`;
}, more);

/** Opens it without a network; whatever is asked for outside the file is an error. */
async function offline(file, options, body) {
  await withPage(file, { ...options, context: { offline: true } }, async (page, more) => {
    const asked = [];
    page.on('request', (request) => {
      if (!/^(file|blob|data):/.test(request.url())) asked.push(request.url());
    });
    await body(page, more);
    assert.deepEqual(asked, [], 'makes no request');
  });
}

async function headSays(page, before, after) {
  const by = after - before;
  await becomes(async () => {
    const text = await read(headline(page));
    return [text.includes(`${inUnit(before, 'MiB')} → `), text.includes(mib(after)), text.includes(by === 0 ? 'no change' : `${signed(by)} (`)];
  }, [true, true, true], `${before} → ${after}`);
}

eachLook('opens at the comparison: peaks, groups, curves, buffers, texts; the other way round; all without a network', async (look) => {
  const { file, diff } = pair(demo, layers);
  await offline(file, look, async (page) => {
    await inAddress(page, { mode: 'compare', base: 'base:aot' });
    await go(page, { unit: 'mib' });
    await headSays(page, diff.before.peak_bytes, diff.after.peak_bytes);
    assert.match(await read(page.locator('.r-note')), /^Report by xprofd [\d.]+ of aot · \w+ \(.*\) compared with aot · \w+ \(/);
    assert.match(await read(page.locator('.cp-amber')), /Not the same workload: arguments or results/);
    await until('the curves', () => isDrawn(page.locator('.cp-canvas')));
    const g = diff.groups;
    for (let i = 0; i < 3; i++) await becomes(async () => (await read(rows(page).nth(i + 1))).includes(signed(g.difference_bytes[i])), true, `group ${i}`);
    assert.ok((await read(page.locator('.cp-row-sum'))).includes(signed(diff.difference_bytes)));
    const operations = await read(page.locator('.cp-side section[aria-label="changed operations"]'));
    assert.ok(operations.includes(`${diff.opcodes.opcode[0]} `), operations);
    // Zoomed: the recorded columns.
    await go(page, { from_slot: 3, to_slot: 20 });
    await settled(page);
    await until('the picture', () => isDrawn(page.locator('.cp-canvas')));
    await go(page, { from_slot: null, to_slot: null });
    await page.getByRole('tab', { name: 'Buffers' }).click();
    await until('buffers', async () => (await rows(page).count()) > 3);
    await page.getByRole('tab', { name: 'By scope' }).click();
    await until('scopes', async () => (await rows(page).count()) > 1);
    await page.getByRole('tab', { name: 'HLO text' }).click();
    await until('lines', async () => /changed/.test(await read(page.locator('.cp-states'))) && (await rows(page).count()) > 5);
    await page.getByLabel('fold equal lines').click();
    await inAddress(page, { lines: 'all' });
    await until('all lines', async () => (await rows(page).count()) > 5);
    await page.getByLabel('inside fusions').click();
    await inAddress(page, { inside: '1' });
    await until('insides', async () => (await rows(page).count()) > 5);
    assert.deepEqual(await missed(page), []);
    // Exchanged: every sign changes.
    await go(page, { by: null, lines: null, inside: null });
    await page.getByRole('button', { name: 'swap before and after' }).click();
    await inAddress(page, { run: 'base:aot', base: 'aot' });
    await headSays(page, diff.after.peak_bytes, diff.before.peak_bytes);
    await becomes(async () => (await read(rows(page).nth(1))).includes(signed(-g.difference_bytes[0])), true);
    assert.deepEqual(await missed(page), []);
  });
});

eachLook('the Viewer carries the differences while a run is pinned; that run opens too; a third run is not in the file', async (look) => {
  const { file, diff } = pair(demo, layers);
  const summary = (profile) => JSON.parse(run(['memory', profile, '--json', '--space=0', '--top=1']).text).spaces[0].summary;
  const [before, here] = [summary(demo), summary(layers)];
  await offline(file, look, async (page) => {
    await headline(page).waitFor();
    await go(page, { mode: null, unit: 'mib' });
    await drawn(page);
    const by = here.peak.held_bytes - before.peak.held_bytes;
    assert.equal(by, diff.difference_bytes);
    const delta = page.locator('.m-peak .m-delta');
    await becomes(async () => (await read(delta)).split(' ')[0], `${by > 0 ? '+' : ''}${inUnit(by, 'MiB')}`);
    assert.equal(await delta.getAttribute('title'), `before ${exact(before.peak.held_bytes)}, now ${exact(here.peak.held_bytes)}`);
    for (const [i, name] of ['argument_bytes', 'output_bytes', 'constant_bytes', 'temp_bytes'].entries()) {
      const change = here.split[name] - before.split[name];
      assert.equal(await read(page.locator('.m-head-legend > .m-key').nth(i).locator('.m-delta').first()), change === 0 ? '±0' : signed(change), name);
    }
    await page.getByRole('tab', { name: /^Buffers/ }).click();
    await until('the column', async () => (await page.locator('.m-tab-body .m-table .vt-head').innerText()).includes('vs before'));
    assert.deepEqual(await missed(page), []);
    await go(page, { mode: 'report' });
    await page.locator('[data-row]').first().waitFor();
    const change = `${by > 0 ? '+' : '\u2212'}${cell(Math.abs(by))}`;
    await becomes(() => page.locator('[data-row="live"] .r-to-base').allInnerTexts(), [change, change], 'Details carries it too');
    for (const tab of ['Kinds', 'Ops', 'Transfers']) {
      await page.getByRole('tab', { name: tab }).click();
      await becomes(() => page.locator('[data-row="(sum)"] .r-to-base').count(), 2, tab);
    }
    assert.deepEqual(await missed(page), []);
    // The baseline is a program like the other; its text too.
    await page.evaluate(() => { location.hash = '#run=base%3Aaot&unit=mib'; });
    await becomes(async () => (await read(peakLine(page))).includes(mib(before.peak.held_bytes)), true);
    assert.deepEqual(await missed(page), []);
    // Another run than the two, and a control whose data are not there.
    await page.evaluate(() => { location.hash = '#run=aot&mode=compare&base=other'; });
    await becomes(() => read(page.locator('.cp-none h1')), 'This comparison is not in the report');
    await page.evaluate(() => { location.hash = '#run=base%3Aaot&tool=trace'; });
    await until('a word', async () => /of the run before it holds the programs, not the trace|did not run|no events/i.test(await page.locator('body').innerText()));
  });
});

test('nothing differs; programs without a partner are named above the page, and say why', async () => {
  const same = pair(layers, layers);
  await offline(same.file, {}, async (page) => {
    await headSays(page, same.diff.before.peak_bytes, same.diff.after.peak_bytes);
    assert.match(await read(page.locator('.cp-head p')), new RegExp(`^No difference, ${same.diff.groups_total} groups equal\\.`));
    assert.deepEqual(await missed(page), []);
  });
  const several = pair(train, train);
  await offline(several.file, {}, async (page) => {
    await headSays(page, several.diff.before.peak_bytes, several.diff.after.peak_bytes);
    const note = await read(page.locator('.r-note'));
    const alone = /No match before: (\S+?)[, ]/.exec(note);
    if (!alone) return;
    await go(page, { module: alone[1] });
    await becomes(() => read(page.locator('.cp-none h1')), 'Nothing to compare with in the “before” run');
    await until('candidates', async () => (await page.locator('.cp-candidates li').count()) > 1);
  });
});

test('a program that did not fit against its mend: the numbers of docs/OOM.md, in the unit that the address names', async () => {
  const { file } = pair(oom, packed);
  await offline(file, { hash: '#unit=gib' }, async (page) => {
    await becomes(async () => (await read(headline(page))).startsWith('22.90 → 11.93 GiB −10.97 (−48 %)'), true);
    assert.deepEqual(await missed(page), []);
  });
});

test('real: without checkpoints against with them, as the reference model has it', async (t) => {
  const [before, after_] = [sharedLogdir('tpu_transformer_noremat'), sharedLogdir('tpu_transformer_remat')];
  if (!before || !after_) return t.skip('no shared data');
  const { file } = pair(before, after_);
  await offline(file, {}, async (page) => {
    await becomes(async () => (await read(headline(page))).startsWith('6,226.3 → 2,940.7 MiB −3,285.6 (−53 %)'), true);
    assert.match(await read(page.locator('.cp-head p')), /^5 of 6 f32\[8,16,1024,1024\] are no longer at the peak: −2,560\.0\./);
    assert.deepEqual(await missed(page), []);
  });
});
