// The modes of the memory tool, and Compare: two programs at their peaks, as the server has them.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';

import { captured } from '../support/program.mjs';
import { becomes, coloured, download, eachLook, exact, inAddress, inUnit, isDrawn, makeLogdir, mib, putFile, quit, read, serve, settled, sharedLogdir, shoot, testdata, until, viewOf, withPage } from './lib.mjs';
import { cell, peakLine, xOf } from './memory.mjs';

let server;
before(async () => {
  const real = Object.fromEntries(['remat', 'noremat', 'nodonate'].map((name) => [name, sharedLogdir(`tpu_transformer_${name}`)]).filter(([, path]) => path));
  const root = makeLogdir({ demo: join(testdata, 'tpu_padded_demo/logdir'), layers: join(testdata, 'tpu_scan_layers/logdir'), again: join(testdata, 'tpu_scan_layers/logdir'), mlp: join(testdata, 'cpu_mlp_train/logdir'), ...real });
  // One run of two hosts, and two files without a run folder, the second as another compiler wrote it.
  const bytes = readFileSync(captured('cpu_mlp_train'));
  const folder = join(root, 'hosts/plugins/profile/run');
  mkdirSync(folder, { recursive: true });
  for (const host of ['east', 'west']) writeFileSync(join(folder, `${host}.xplane.pb`), bytes);
  for (const name of ['one', 'other']) mkdirSync(join(root, name));
  writeFileSync(join(root, 'one/a.xplane.pb'), bytes);
  const at = bytes.lastIndexOf('0.10.2'); // that of jax: the stats of this file stand the other way round
  assert.ok(at > bytes.indexOf('0.10.2'));
  writeFileSync(join(root, 'other/b.xplane.pb'), Buffer.concat([bytes.subarray(0, at), Buffer.from('0.10.3'), bytes.subarray(at + 6)]));
  // HLO text alone: a program without a buffer assignment.
  putFile(root, 'bare/bare.txt', 'HloModule jit_bare, is_scheduled=true\n\nENTRY main.1 {\n  x = f32[2]{0} parameter(0)\n  ROOT y = f32[2]{0} negate(x)\n}\n');
  server = await serve(root);
});
after(async () => {
  await quit();
  await server?.stop();
});

const hash = (view) => `#${new URLSearchParams(view)}`;
const runOf = async (part) => (await server.api('runs', {})).id.find((id) => id.startsWith(part));
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
    await settled(page);
    await page.keyboard.press('2');
    await inAddress(page, { mode: 'report' });
    await page.goBack();
    await inAddress(page, { mode: null });
    await page.goBack();
    await inAddress(page, { mode: 'compare' });
    assert.equal(viewOf(page).run, RUN);
  });
});

const signed = (bytes) => (bytes === 0 ? '0' : `${bytes > 0 ? '+' : ''}${cell(bytes)}`);
const rows = (page) => page.locator('.cp-tabs .vt-row');
const headline = (page) => page.locator('.cp-head h1');
const sumRow = (page) => page.locator('.cp-row-sum');
const canvas = (page) => page.locator('.cp-canvas');
const picker = (page, label) => page.locator('.cp-pickers .picker').filter({ hasText: label });

/** Before, after and their difference, as the headline has them; "no change" when they are equal. */
async function headSays(page, before, after) {
  const by = after - before;
  await becomes(async () => {
    const text = await read(headline(page));
    return [text.includes(`${inUnit(before, 'MiB')} → ${mib(after)}`), text.includes(by === 0 ? 'no change' : `${by > 0 ? '+' : ''}${cell(by)} (`)];
  }, [true, true], `${before} → ${after}`);
}

/** The rows of the table that the window shows, against the answer: state, bytes, counts, difference. */
async function groupsSay(page, answer) {
  const g = answer.groups;
  const shown = Math.min(answer.groups_different, 5);
  for (let i = 0; i < shown; i++) {
    const text = await read(rows(page).nth(i + 1));
    const words = { left_the_peak: 'no longer at peak', into_the_peak: 'new at peak', only_before: 'only before', only_after: 'only after', changed: 'changed' };
    assert.ok(text.startsWith(words[g.state[i]]), text);
    assert.ok(text.includes(signed(g.difference_bytes[i])), `${text} has not ${signed(g.difference_bytes[i])}`);
    for (const side of ['before', 'after']) {
      assert.ok(text.includes(g[`${side}_bytes`][i] === 0 ? 'none' : cell(g[`${side}_bytes`][i])), text);
      if (g[`${side}_count`][i] > 0) assert.ok(text.includes(`×${g[`${side}_count`][i]}`), text);
    }
  }
}

eachLook('no run to compare with: which run; one click pins it, the numbers of the answer, a sum that closes, two programs that are not one workload', async (look) => {
  const [layers, demo] = [await runOf('layers'), await runOf('demo')];
  const answer = await server.api('compare', { run: layers, base_run: demo });
  await withPage(server.url, { ...look, hash: hash({ run: layers, mode: 'compare' }) }, async (page) => {
    await until('runs with the same program first', async () => /^With .*, as this run$/.test(await read(page.locator('.cp-none h2').first())));
    const twin = await runOf('again');
    await until('the other run of it', async () => (await page.locator('.cp-candidates').first().locator('li').allTextContents()).some((text) => twin.includes(text)));
    await until('others after them', async () => (await page.locator('.cp-none h2').count()) === 2);
    await page.locator('.cp-candidates').getByText(demo).click();
    await inAddress(page, { base: demo, mode: 'compare' });
    await headSays(page, answer.before.peak_bytes, answer.after.peak_bytes);
    assert.match(await read(page.locator('.cp-amber')), /Not the same workload: arguments or results have different types or shapes/);
    assert.equal(await page.locator('.cp-check').count(), 0);
    const sum = await read(sumRow(page));
    assert.ok(answer.closes && sum.includes(`Sum of ${answer.groups_total} groups ✓`), sum);
    assert.ok(sum.includes(inUnit(answer.before.peak_bytes, 'MiB')) && sum.includes(inUnit(answer.after.peak_bytes, 'MiB')) && sum.includes(signed(answer.difference_bytes)), sum);
    await groupsSay(page, answer);
    // The differences of all groups add up, by themselves.
    const added = answer.groups.difference_bytes.reduce((a, b) => a + b, 0) + answer.rest.after_bytes - answer.rest.before_bytes;
    assert.equal(added, answer.difference_bytes);
    // Findings and opcodes.
    const findings = await read(page.locator('.cp-sec[aria-label="findings"]'));
    const states = (state) => answer.findings.filter((finding) => finding.state === state).length;
    assert.ok(findings.includes(`${states('gone')} gone, ${states('new')} new, ${states('stays')} stay`), findings);
    const operations = await read(page.locator('.cp-sec[aria-label="changed operations"]'));
    const by = answer.opcodes.after[0] - answer.opcodes.before[0];
    assert.ok(operations.includes(`${answer.opcodes.opcode[0]} ${answer.opcodes.before[0]} ${answer.opcodes.after[0]} ${by > 0 ? '+' : '\u2212'}${Math.abs(by)}`), operations);
    // A group leads to its buffer.
    const at = answer.groups.after_buffer.findIndex((buffer) => buffer !== null);
    await rows(page).nth(at + 1).locator('a').click();
    await inAddress(page, { mode: null, pin: String(answer.groups.after_buffer[at]), base: demo });
    await shoot(page, `compare-pinned-${look.theme}`);
  });
});

eachLook('exchange: every sign changes; unpin; the pickers choose another run as before', async (look) => {
  const [layers, demo, again] = [await runOf('layers'), await runOf('demo'), await runOf('again')];
  const there = await server.api('compare', { run: layers, base_run: demo });
  const back = await server.api('compare', { run: demo, base_run: layers });
  assert.equal(there.difference_bytes, -back.difference_bytes);
  await withPage(server.url, { ...look, hash: hash({ run: layers, mode: 'compare', base: demo }) }, async (page) => {
    await headSays(page, there.before.peak_bytes, there.after.peak_bytes);
    await page.getByRole('button', { name: 'swap before and after' }).click();
    await inAddress(page, { run: demo, base: layers, module: there.before.module, base_module: there.after.module });
    await headSays(page, there.after.peak_bytes, there.before.peak_bytes);
    assert.ok((await read(sumRow(page))).includes(signed(-there.difference_bytes)));
    await groupsSay(page, back);
    await picker(page, 'after').locator('.picker-button').click();
    await page.getByRole('option').filter({ hasText: layers }).click();
    await inAddress(page, { run: layers, base: layers });
    await becomes(() => read(page.locator('.cp-head p')), `No difference, ${(await server.api('compare', { run: layers, base_run: layers })).groups_total} groups equal.`);
    await picker(page, 'before').locator('.picker-button').click();
    await page.getByRole('option').filter({ hasText: again }).click();
    await inAddress(page, { base: again, base_module: null });
    await becomes(() => page.locator('.cp-check').count(), 1);
    await page.getByRole('button', { name: 'Unpin' }).click();
    await inAddress(page, { base: null });
    await becomes(() => read(page.locator('.cp-none h1')), 'Compare with which run?');
  });
});

eachLook('the same program twice: no difference anywhere; the same groups unfold', async (look) => {
  const [layers, again] = [await runOf('layers'), await runOf('again')];
  const answer = await server.api('compare', { run: layers, base_run: again });
  const curve = await server.api('compare/curve', { run: layers, base_run: again });
  assert.deepEqual([curve.only_before, curve.only_after, curve.matched, curve.lowest.difference_bytes, curve.highest.difference_bytes], [0, 0, answer.after.steps, 0, 0]);
  await withPage(server.url, { ...look, hash: hash({ run: layers, mode: 'compare', base: again, same: 0 }) }, async (page) => {
    await headSays(page, answer.before.peak_bytes, answer.after.peak_bytes);
    assert.equal(await read(page.locator('.cp-head p')), `No difference, ${answer.groups_total} groups equal.`);
    await becomes(() => rows(page).count(), 2);
    await page.locator('.cp-row-same').click();
    await until('the rows that are the same', async () => (await rows(page).count()) > 3);
    assert.match(await read(rows(page).nth(2)), /^same /);
    await page.getByLabel('only differences').check();
    await becomes(() => rows(page).count(), 2);
  });
});

eachLook('chart: drawn; wheel, drag, keys and double click choose the window; hover; table in its place; scopes; files', async (look) => {
  const [layers, demo] = [await runOf('layers'), await runOf('demo')];
  const asked = { run: layers, base_run: demo };
  const answer = await server.api('compare', asked);
  const curve = await server.api('compare/curve', { ...asked, px: 8000 });
  assert.equal(curve.columns.n, curve.slots);
  assert.equal(Math.max(...curve.columns.after_max_bytes), answer.after.peak_bytes);
  assert.equal(Math.max(...curve.columns.before_max_bytes), answer.before.peak_bytes);
  assert.equal(curve.matched + curve.only_before, answer.before.steps);
  assert.equal(curve.matched + curve.only_after, answer.after.steps);
  await withPage(server.url, { ...look, hash: hash({ run: layers, mode: 'compare', base: demo }) }, async (page) => {
    await until('the curves', async () => (await canvas(page).getAttribute('aria-label'))?.includes(`${curve.slots} aligned steps`));
    await until('pixels', () => isDrawn(canvas(page)));
    const box = await canvas(page).boundingBox();
    const all = { from: 0, to: curve.slots };
    const middle = { x: xOf(box, Math.floor(curve.slots / 2) + 0.5, all), y: box.height / 4 };
    // Red below: more than before, at the middle of the program.
    await until('the difference', async () => (await coloured(canvas(page), '--grow', Math.floor(middle.x))).length > 10);
    await page.mouse.move(box.x + middle.x, box.y + middle.y);
    const slot = Math.floor(curve.slots / 2);
    const hover = await read(page.locator('.m-hover'));
    assert.ok(hover.includes(`after: step ${curve.columns.after_step[slot]}, ${mib(curve.columns.after_max_bytes[slot])}`), hover);
    await page.mouse.wheel(0, -400);
    await until('a closer window', () => viewOf(page).from_slot !== undefined);
    await page.keyboard.press('f');
    await inAddress(page, { from_slot: null, to_slot: null });
    await page.mouse.move(box.x + xOf(box, 20, all), box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + xOf(box, 60, all), box.y + 40, { steps: 4 });
    await page.mouse.up();
    await until('the dragged window', () => Math.abs(Number(viewOf(page).from_slot) - 20) <= 1 && Math.abs(Number(viewOf(page).to_slot) - 61) <= 1);
    await canvas(page).dblclick({ position: { x: middle.x, y: 30 } });
    await inAddress(page, { from_slot: null });
    await page.keyboard.press('p');
    await until('both peaks', () => Number(viewOf(page).from_slot ?? 0) <= curve.before_peak_slot && Number(viewOf(page).to_slot ?? curve.slots) > curve.after_peak_slot);
    await page.keyboard.press('z');
    await inAddress(page, { from_slot: null, to_slot: null });
    await page.keyboard.press('t');
    await inAddress(page, { table: '1' });
    await until('the first row of the table', async () => {
      const first = await read(page.locator('.cp-chart .vt-row').first());
      return first.includes(mib(curve.columns.before_max_bytes[0])) && first.includes(mib(curve.columns.after_max_bytes[0]));
    });
    await page.keyboard.press('t');
    // By scope: the same sum.
    await page.getByRole('tab', { name: 'By scope' }).click();
    await inAddress(page, { by: 'scope' });
    assert.ok((await read(rows(page).first())).includes(signed(answer.difference_bytes)));
    await page.getByRole('tab', { name: 'Groups' }).click();
    const file = await download(page, () => page.locator('.cp-tabs').getByRole('button', { name: 'CSV' }).click());
    assert.equal(file.text.trim().split('\r\n').length, answer.groups.n + 1);
    assert.ok(file.text.startsWith('state,class,shape,opcode,scope,source,'));
    const json = await download(page, () => page.locator('.cp-tabs').getByText('JSON').click());
    assert.equal(JSON.parse(json.text).difference_bytes, answer.difference_bytes);
  });
});

eachLook('the pin: by key, in the lists; the Viewer then carries the differences of its headline', async (look) => {
  const [layers, demo] = [await runOf('layers'), await runOf('demo')];
  const [here, base] = await Promise.all([server.api('memory/summary', { run: layers }), server.api('memory/summary', { run: demo })]);
  await withPage(server.url, { ...look, hash: hash({ run: demo }) }, async (page) => {
    await peakLine(page).waitFor();
    await settled(page);
    await page.keyboard.press('b');
    await inAddress(page, { base: demo, base_module: base.module.key });
    await becomes(() => read(page.locator('.m-base')), 'this is “before”');
    await page.keyboard.press('b');
    await inAddress(page, { base: null, base_module: null });
    // In the list of runs; the list stays open, so that a run can be chosen as well.
    await page.locator('.header .picker-button').first().click();
    await page.getByRole('button', { name: /^use .* as “before”$/ }).nth((await page.getByRole('option').allInnerTexts()).findIndex((text) => text.includes('demo'))).click();
    await inAddress(page, { base: demo, run: demo });
    await page.getByRole('option').filter({ hasText: 'layers' }).click();
    await inAddress(page, { base: demo, run: layers });
    const delta = (at) => at.locator('.m-delta');
    const by = here.peak.held_bytes - base.peak.held_bytes;
    await becomes(async () => (await read(delta(page.locator('.m-peak')))).split(' ')[0], `${by > 0 ? '+' : ''}${inUnit(by, 'MiB')}`);
    assert.equal(await delta(page.locator('.m-peak')).getAttribute('title'), `before ${exact(base.peak.held_bytes)}, now ${exact(here.peak.held_bytes)}`);
    const keys = page.locator('.m-head-legend > .m-key');
    for (const [i, name] of [[0, 'argument_bytes'], [1, 'output_bytes'], [2, 'constant_bytes'], [3, 'temp_bytes']]) {
      const change = here.split[name] - base.split[name];
      assert.equal(await read(delta(keys.nth(i)).first()), change === 0 ? '±0' : signed(change), name);
    }
    // The tables: each row against its partner; buffers that the baseline has not are new.
    const compared = await server.api('compare/buffers', { run: layers, base_run: demo, of: 'program', same: 0, limit: 20000 });
    const isNew = new Set(compared.buffers.after_buffer.filter((_, i) => compared.buffers.state[i] === 'only_after'));
    const table = page.locator('.m-tab-body .m-table');
    const listed = await server.api('memory/buffers', { run: layers, at: here.peak.step, sort: 'saving', desc: 1, fold_bytes: here.fold_bytes, limit: 5 });
    await page.getByRole('tab', { name: /^Buffers/ }).click();
    await until('the column', async () => (await table.locator('.vt-head').innerText()).includes('vs before'));
    await becomes(async () => (await read(table.locator('.vt-row').first())).includes(isNew.has(listed.buffer[0]) ? ' new ' : ' ±0 '), true);
    await table.getByLabel('group by').selectOption('class');
    const groupsOf = async (run, step) => {
      const answer = await server.api('memory/buffers', { run, at: step, by: 'class', fold_bytes: here.fold_bytes, limit: 1 });
      return Object.fromEntries(answer.groups.name.map((name, k) => [typeof name === 'number' ? answer.names[name] : name, answer.groups.size_bytes[k]]));
    };
    const [ours, theirs] = [await groupsOf(layers, here.peak.step), await groupsOf(demo, base.peak.step)];
    const change = ours.parameter - (theirs.parameter ?? 0);
    await until('the group of arguments', async () => (await table.locator('.vt-row').allInnerTexts()).some((text) => /argument/i.test(text) && text.replace(/\s+/g, ' ').includes(change === 0 ? '±0' : signed(change))));
    // The baseline stays when the module or the mode changes.
    await page.keyboard.press('3');
    await inAddress(page, { mode: 'compare', base: demo });
  });
});

eachLook('two programs of one run; one that has no pair is chosen from the list', async (look) => {
  const mlp = await runOf('mlp');
  const modules = await server.api('modules', { run: mlp });
  const demo = await runOf('demo');
  assert.ok(modules.n > 2 && !modules.name.includes('jit_padded_step'));
  const order = modules.key.map((_, i) => i).sort((a, b) => modules.peak_bytes[b] - modules.peak_bytes[a]);
  const [first, second] = [modules.key[order[0]], modules.key[order[1]]];
  const answer = await server.api('compare', { run: mlp, module: first, base_run: mlp, base_module: second });
  await withPage(server.url, { ...look, hash: hash({ run: mlp, module: first, mode: 'compare', base: mlp, base_module: second }) }, async (page) => {
    await until('the headline', async () => (await headline(page).count()) > 0);
    const sum = await read(sumRow(page));
    assert.ok(answer.closes && sum.includes(`Sum of ${answer.groups_total} group`) && sum.includes('✓'), sum);
  });
  await withPage(server.url, { ...look, hash: hash({ run: demo, mode: 'compare', base: mlp }) }, async (page, { forgive }) => {
    await page.locator('.cp-none').getByText('Nothing to compare with in the “before” run').waitFor();
    await becomes(() => page.locator('.cp-candidates li').count(), Math.min(40, modules.n));
    await page.locator('.cp-candidates').getByRole('button', { name: second, exact: true }).click();
    await inAddress(page, { base_module: second });
    await headline(page).waitFor();
    forgive(/answer 404/);
  });
});

eachLook('a program after without memory is the one that is named, and its run offers others', async (look) => {
  const demo = await runOf('demo');
  const bare = await runOf('bare');
  await withPage(server.url, { ...look, hash: hash({ run: bare, mode: 'compare', base: demo }) }, async (page, { forgive }) => {
    forgive(/answer 404/);
    await becomes(() => read(page.locator('.cp-none h1')), 'The “after” run has nothing to compare');
    assert.match(await read(page.locator('.cp-none')), /no buffer assignment/);
    const modules = await server.api('modules', { run: bare });
    await becomes(async () => (await page.locator('.cp-candidates button').allInnerTexts()).sort(), [...modules.key].sort());
  });
});

eachLook('real: checkpointing against none, donation against none', async (look, _first, t) => {
  const [remat, noremat, nodonate] = [await runOf('remat'), await runOf('noremat'), await runOf('nodonate')];
  if (!remat || !noremat || !nodonate) return t.skip('no shared data');
  await withPage(server.url, { ...look, hash: hash({ run: remat, mode: 'compare', base: noremat }) }, async (page) => {
    // The numbers of the reference's model, written down there before this page was.
    await becomes(async () => (await read(headline(page))).startsWith('6,226.3 → 2,940.7 MiB −3,285.6 (−53 %)'), true);
    assert.match(await read(page.locator('.cp-head p')), /^5 of 6 f32\[8,16,1024,1024\] are no longer at the peak: −2,560\.0\./);
    assert.match(await read(page.locator('.cp-facts')), /Heap 5,147\.8 → 1,749\.8 −3,398\.0/);
    assert.match(await read(page.locator('.cp-facts')), /Work, TFLOP 5\.98 → 7\.02 \+1\.04/);
    assert.match(await read(rows(page).nth(1)), /^changed f32\[8,16,1024,1024\].* 3,072\.0 ×6 512\.0 ×1 −2,560\.0/);
    assert.match(await read(rows(page).nth(2)), /^no longer at peak bf16\[8,1024,4096\].* 320\.0 ×5 none −320\.0/);
    assert.match(await read(page.locator('.cp-sec[aria-label="changed operations"]')), /fusion 197 245 \+48/);
    assert.match(await read(page.locator('.cp-sec[aria-label="recomputed"]')), /block\/attention\/dot_general 12 fusions more/);
    await becomes(() => page.locator('.cp-check').count(), 1);
    await shoot(page, `compare-${look.theme}-${look.size.width}`);
  });
  await withPage(server.url, { ...look, hash: hash({ run: nodonate, mode: 'compare', base: noremat }) }, async (page) => {
    await becomes(async () => (await read(headline(page))).startsWith('6,226.3 → 7,465.6 MiB +1,239.2 (+20 %)'), true);
    assert.match(await read(sumRow(page)), /✓.*\+1,239\.2/);
  });
});

const tab = (page, name) => page.locator('.cp-tabs').getByRole('tab', { name });
const stateWords = { left_the_peak: 'no longer at peak', into_the_peak: 'new at peak', only_before: 'only before', only_after: 'only after', changed: 'changed', same: 'same' };

eachLook('buffers: one with one, the rows add up to the difference of the peaks; states narrow, a row opens its buffer', async (look) => {
  const [layers, demo] = [await runOf('layers'), await runOf('demo')];
  const [before, after] = [(await runOf('noremat')) ?? demo, (await runOf('remat')) ?? layers];
  const answer = await server.api('compare/buffers', { run: after, base_run: before, limit: 5000 });
  const whole = await server.api('compare', { run: after, base_run: before });
  const b = answer.buffers;
  const by = (i) => (b.after_bytes[i] ?? 0) - (b.before_bytes[i] ?? 0);
  assert.equal(answer.difference_bytes, whole.difference_bytes);
  assert.equal(b.state.reduce((sum, _, i) => sum + by(i), 0), whole.difference_bytes);
  await withPage(server.url, { ...look, hash: hash({ run: after, mode: 'compare', base: before, same: 0, unit: 'mib' }) }, async (page) => {
    await tab(page, 'Buffers').click();
    await inAddress(page, { by: 'buffers' });
    await until('rows', async () => (await rows(page).count()) > 3);
    const sum = await read(page.locator('.cp-states'));
    assert.ok(sum.includes(`rows = ${signed(whole.difference_bytes)} ✓`), sum);
    for (let i = 0; i < 4; i++) {
      const text = await read(rows(page).nth(i));
      assert.ok(text.startsWith(stateWords[b.state[i]]) && text.includes(signed(by(i))), `${text}: ${b.state[i]} ${signed(by(i))}`);
      const shape = answer.names[b.after_shape[i]] || answer.names[b.before_shape[i]];
      assert.ok(text.includes(shape), `${text}: ${shape}`);
    }
    // A state narrows the list; the address has it.
    const state = Object.keys(stateWords).find((one) => one !== 'same' && answer.states[one] > 0);
    await page.locator('.cp-states').getByRole('button', { name: `${stateWords[state]} ` }).click();
    await inAddress(page, { state });
    await until('only these', async () => (await rows(page).allInnerTexts()).every((text) => text.trim().startsWith(stateWords[state])));
    await page.locator('.cp-states').getByRole('button', { name: `${stateWords[state]} ` }).click();
    const file = await download(page, () => page.locator('.cp-tabs').getByRole('button', { name: 'CSV' }).click());
    assert.equal(file.text.trim().split('\r\n').length, b.n + 1);
    await shoot(page, `compare-buffers-${look.theme}`);
    const at = b.state.findIndex((one, i) => one !== 'same' && (b.after_buffer[i] ?? b.before_buffer[i]) !== null);
    await rows(page).nth(at).locator('a').click();
    await inAddress(page, { mode: null, pin: String(b.after_buffer[at] ?? b.before_buffer[at]), run: b.after_buffer[at] === null ? before : after });
  });
});

eachLook('HLO text: both programs in one order; folds, fusions, a changed line marked; lines lead to the graph', async (look) => {
  const [layers, demo] = [await runOf('layers'), await runOf('demo')];
  const [before, after] = [(await runOf('noremat')) ?? demo, (await runOf('remat')) ?? layers];
  const ask = { run: after, base_run: before };
  const answer = await server.api('compare/text', { ...ask, limit: 100 });
  // Every line of both programs stands somewhere, once: counted in the texts themselves.
  const lines = async (run) => (await (await fetch(`${server.url}api/v1/graph/text?${new URLSearchParams({ run })}`)).text()).split('\n').filter((line) => / = |\{$/.test(line) && !line.startsWith('HloModule')).length;
  const inside = await server.api('compare/text', { ...ask, inside: 1, limit: 1 });
  assert.deepEqual([inside.before_lines, inside.after_lines], [await lines(before), await lines(after)]);
  for (const one of [answer, inside]) {
    assert.equal(one.same + one.renumbered + one.changed + one.only_before, one.before_lines);
    assert.equal(one.same + one.renumbered + one.changed + one.only_after, one.after_lines);
  }
  const self = await server.api('compare/text', { run: after, base_run: after });
  assert.deepEqual([self.total, self.rows.state[0], self.same], [1, 'folded', self.after_lines]);
  await withPage(server.url, { ...look, hash: hash({ run: after, mode: 'compare', base: before, by: 'text' }) }, async (page) => {
    await until('rows', async () => (await rows(page).count()) > 5);
    const summary = await read(page.locator('.cp-states'));
    assert.ok(summary.includes(`${answer.only_before.toLocaleString('en')} only before, ${answer.only_after.toLocaleString('en')} only after`), summary);
    const shown = await rows(page).allInnerTexts();
    const r = answer.rows;
    for (let i = 0; i < 5; i++) assert.ok(r.state[i] === 'folded' ? shown[i].includes('equal line') : shown[i].replace(/\s+/g, ' ').includes(r.text[i].trim().slice(0, 40).replace(/\s+/g, ' ')), `${shown[i]}: ${r.text[i]}`);
    await shoot(page, `compare-text-${look.theme}`);
    await page.getByLabel('fold equal lines').uncheck();
    await inAddress(page, { lines: 'all' });
    await until('all lines', async () => !(await rows(page).first().innerText()).includes('equal line'));
    await page.getByLabel('inside fusions').check();
    await inAddress(page, { inside: '1' });
    await page.getByLabel('fold equal lines').check();
    const at = r.state.findIndex((state, i) => state === 'only_after' && r.after_name[i] !== null);
    if (at >= 0 && at < 15) {
      await page.getByLabel('inside fusions').uncheck();
      await until('the line', async () => (await rows(page).nth(at).locator('a').count()) === 1);
      await rows(page).nth(at).locator('a').click();
      await inAddress(page, { tool: 'graph' });
    }
  });
});

eachLook('two hosts of one run: another host as before; one that lacks the program shows the reason', async (look) => {
  const hosts = await runOf('hosts');
  const modules = await server.api('modules', { run: hosts });
  const run = await server.api('run', { run: hosts });
  assert.equal(run.hosts.length, 2);
  const key = modules.key[modules.peak_bytes.indexOf(Math.max(...modules.peak_bytes))];
  await withPage(server.url, { ...look, hash: hash({ run: hosts, host: run.hosts[0].name, module: key, mode: 'compare', base: hosts, base_module: key }) }, async (page) => {
    await until('the headline', async () => (await headline(page).count()) > 0);
    await picker(page, 'before').locator('.picker-button').click();
    await page.getByRole('option').filter({ hasText: run.hosts[1].name }).click();
    await inAddress(page, { base_host: run.hosts[1].name });
    await becomes(async () => (await read(page.locator('.cp-head p'))).startsWith('No difference'), true);
    assert.equal(await page.locator('.cp-check').count(), 1);
  });
  await withPage(server.url, { ...look, hash: hash({ run: hosts, module: key, mode: 'compare', base: hosts, base_module: key, base_host: 'nowhere' }) }, async (page, { forgive }) => {
    await page.locator('.cp-none').getByText('Nothing to compare with in the “before” run').waitFor();
    assert.match(await read(page.locator('.cp-none')), /before: host nowhere does not have module/);
    forgive?.(/404/);
  });
});

eachLook('two files: profiles without a run folder; other compilers are named', async (look) => {
  const [one, other] = ['one', 'other'];
  const answer = await server.api('compare', { run: one, base_run: other });
  assert.ok(answer.closes && answer.difference_bytes === 0);
  assert.match(answer.mismatches.join(), /^different compilers: jax 0\.10\.3, jaxlib 0\.10\.2 before, jax 0\.10\.2, jaxlib 0\.10\.2 after$/);
  await withPage(server.url, { ...look, hash: hash({ run: one, mode: 'compare', base: other }) }, async (page) => {
    await until('the headline', async () => (await headline(page).count()) > 0);
    await becomes(async () => (await read(page.locator('.cp-amber'))).includes('different compilers: jax 0.10.3, jaxlib 0.10.2 before, jax 0.10.2, jaxlib 0.10.2 after'), true);
    assert.equal(await page.locator('.cp-check').count(), 0);
  });
});

test('a what-if of the open program is not applied to the pinned run, which has other buffers', async () => {
  const [run, base] = [await runOf('layers'), await runOf('demo')];
  const last = async (of) => Math.max(...(await server.api('modules', { run: of })).buffers) - 1;
  const buffer = await last(run);
  assert.ok(buffer > (await last(base)), 'the baseline has fewer buffers');
  await withPage(server.url, { hash: hash({ run, base, tab: 'scope', w: `${buffer}:drop` }) }, async (page) => {
    const asked = [];
    page.on('response', (response) => {
      const url = new URL(response.url());
      if (url.pathname.endsWith('/memory/tree') && url.searchParams.get('run') === base) asked.push([response.status(), url.searchParams.get('plan')]);
    });
    await page.reload();
    await until('the tree of the baseline', () => asked.length > 0);
    assert.deepEqual(asked[0], [200, null]);
  });
});
