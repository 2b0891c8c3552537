// Ops: the table of operations as the API has it, its order, columns and sums; one operation on the card; what is said where something is not known.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test, { after, before } from 'node:test';

import { becomes, copied, download, eachLook, inAddress, makeLogdir, quit, read, serve, settled, testdata, until, withPage } from './lib.mjs';

let server;
before(async () => {
  const runs = { tpu: 'tpu_run', cpu: 'cpu_mlp_train', loops: 'cpu_scan_while', gpu: 'gpu_jax', tensorflow: 'gpu_tf', threads: 'cpu_tf', cut: 'cut', aot: 'tpu_padded_demo' };
  server = await serve(makeLogdir(Object.fromEntries(Object.entries(runs).map(([name, from]) => [name, join(testdata, from, 'logdir')]))));
});
after(async () => {
  await quit();
  await server?.stop();
});

const runOf = async (part) => (await server.api('runs', {})).id.find((id) => id.startsWith(part));
const hash = (view) => `#${new URLSearchParams({ tool: 'ops', ...view })}`;
const rows = (page) => page.locator('.op-table .vt-row:not(.vt-sums)');
const sums = (page) => page.locator('.op-table .vt-sums');
const card = (page) => page.locator('.op-card');
const heads = (page) => page.locator('.op-table .vt-head .vt-cell');
const names = (page) => page.locator('.op-table .op-name').allInnerTexts();
/** The rows on screen begin with the first of these. */
const begins = (page, wanted) => becomes(async () => {
  const got = await names(page);
  return got.length > 5 && got.every((name, k) => name === wanted[k]);
}, true, 'rows in their order');
/** Text of a row's cell under a head. */
async function cell(page, row, head) {
  const at = (await heads(page).allInnerTexts()).findIndex((text) => text.replace(/ [▾▴]$/, '') === head);
  assert.ok(at >= 0, `no column ${head}`);
  return read((row === 'sums' ? sums(page) : rows(page).nth(row)).locator('.vt-cell').nth(at));
}
const shown = (ps, size, digits) => (ps / size).toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
const MS = 1e9;

/** Opens Ops of a run and waits for its table. */
async function withOps(look, view, body) {
  const run = await runOf(view.run);
  await withPage(server.url, { ...look, hash: hash({ ...view, run }) }, async (page, more) => {
    await rows(page).first().waitFor();
    await settled(page);
    await body(page, run, more);
  });
}

eachLook('rows and sums are the API’s, and the rows add up', async (look) => {
  await withOps(look, { run: 'tpu' }, async (page, run) => {
    const o = await server.api('trace/ops', { run, limit: 10_000 });
    assert.equal(o.ops.self_ps.reduce((a, b) => a + b, 0), o.self_ps, 'self times add up');
    await begins(page, o.ops.name);
    assert.equal(await cell(page, 'sums', 'self'), `${shown(o.self_ps, MS, 3)} ms`);
    assert.equal(await cell(page, 'sums', 'operation'), `${o.total} operations`);
    assert.equal(await cell(page, 'sums', 'count'), o.ops.count.reduce((a, b) => a + b, 0).toLocaleString('en-US'));
    for (const k of [0, 3, 7]) {
      assert.equal(await cell(page, k, 'self'), shown(o.ops.self_ps[k], MS, 3));
      assert.equal(await cell(page, k, 'count'), o.ops.count[k].toLocaleString('en-US'));
      assert.equal(await cell(page, k, 'avg, µs'), shown(o.ops.mean_ps[k], 1e6, 1));
      assert.equal(await cell(page, k, 'bound'), o.ops.bound[k]);
      const share = o.ops.roofline_share[k];
      assert.equal(await cell(page, k, 'of roofline'), share === null ? 'unknown' : `${shown(share, 0.01, 1)} %`);
    }
  });
});

eachLook('any column sorts, both ways; the order stands in the address', async (look) => {
  await withOps(look, { run: 'tpu' }, async (page, run) => {
    const { ops: o } = await server.api('trace/ops', { run, limit: 10_000 });
    const by = (value, down) => o.name.map((_, k) => k).sort((a, b) => Number(value[a] === null) - Number(value[b] === null) || (down ? value[b] - value[a] : value[a] - value[b]) || o.self_ps[b] - o.self_ps[a] || a - b).map((k) => o.name[k]);
    await heads(page).filter({ hasText: /^count/ }).getByRole('button').click();
    await inAddress(page, { osort: 'count', odesc: null });
    await begins(page, by(o.count, true));
    await heads(page).filter({ hasText: /^count/ }).getByRole('button').click();
    await inAddress(page, { osort: 'count', odesc: '0' });
    await begins(page, by(o.count, false));
    await heads(page).filter({ hasText: /^operation/ }).getByRole('button').click();
    await inAddress(page, { osort: 'name', odesc: null });
    await becomes(async () => (await names(page))[0], [...o.name].sort()[0]);
  });
});

eachLook('all 32 columns of a run of several hosts can be shown; the choice stands in the address', async (look) => {
  await withOps(look, { run: 'tpu', ocols: 'name.self.cumulative.cycles' }, async (page, run) => {
    const { ops: o, self_ps: all } = await server.api('trace/ops', { run, limit: 10_000 });
    assert.equal(await heads(page).count(), 4);
    assert.equal(await cell(page, 1, 'cumulative %'), `${shown((o.self_ps[0] + o.self_ps[1]) / all, 0.01, 2)} %`);
    await page.getByRole('button', { name: /^Columns 4 of 32/ }).click();
    const boxes = page.locator('.op-columns input');
    assert.equal(await boxes.count(), 32);
    for (let k = 0; k < 32; k++) if (!(await boxes.nth(k).isChecked())) await boxes.nth(k).check();
    await becomes(() => heads(page).count(), 32);
    await page.locator('.op-columns').getByRole('button', { name: 'reset' }).click();
    await inAddress(page, { ocols: null });
  });
});

eachLook('one operation: rates, intensity, work and text are the API’s; keys go from row to row and to other tools', async (look) => {
  await withOps(look, { run: 'tpu' }, async (page, run) => {
    const { ops: o, peaks } = await server.api('trace/ops', { run, limit: 10_000 });
    const k = o.bound.indexOf('compute');
    await rows(page).nth(k).click();
    await inAddress(page, { osel: `${o.name[k]}:${o.module[k]}` });
    await becomes(() => read(card(page).locator('.m-card-title code')), o.name[k]);
    const text = await read(card(page));
    assert.ok(text.includes(`${shown(o.roofline_share[k], 0.01, 1)} %`), text);
    assert.ok(text.includes('compute bound'), text);
    assert.ok(text.includes(`of ${shown(peaks.flops_per_s, 1e12, 1)} TFLOP/s`), text);
    const explained = await server.api('graph/explain', { run, module: o.module[k], node: o.name[k] });
    await becomes(async () => (await card(page).locator('.op-hlo').textContent()), explained.text.segments.text.join(''));
    await card(page).locator('.op-hlo .x-part').first().click();
    await until('what the part is', async () => (await read(card(page).locator('.op-part'))).includes(explained.text.parts.sentence[0]));
    await card(page).getByRole('button', { name: 'copy the name' }).click();
    await becomes(() => copied(page), o.name[k]);
    await page.locator('.op-line').last().click();
    await page.keyboard.press('ArrowDown');
    await inAddress(page, { osel: `${o.name[k + 1]}:${o.module[k + 1]}` });
    await page.keyboard.press('ArrowUp');
    await inAddress(page, { osel: `${o.name[k]}:${o.module[k]}` });
    await page.keyboard.press('Escape');
    await inAddress(page, { osel: '-' });
    assert.equal(await card(page).count(), 0);
    await page.keyboard.press('i');
    await card(page).waitFor();
    for (const [key, tool] of [['Enter', 'trace'], ['g', 'graph'], ['m', 'memory']]) {
      await page.keyboard.press(key);
      await becomes(() => new URLSearchParams(new URL(page.url()).hash.slice(1)).get('tool'), tool, key);
      await page.goBack();
      await rows(page).first().waitFor();
    }
  });
});

eachLook('typed peaks judge every operation; they stand in the address and go again', async (look) => {
  await withOps(look, { run: 'cpu' }, async (page, run) => {
    assert.match(await read(page.locator('.op-peaks')), /no peaks known/);
    assert.equal(await cell(page, 0, 'of best seen').then((text) => /%|unknown/.test(text)), true);
    await page.getByRole('button', { name: 'set peaks' }).click();
    for (const [label, value] of [['matrix units, TFLOP/s', '0.5'], ['main memory, GB/s', '40']]) {
      await page.getByLabel(label).fill(value);
      await page.getByLabel(label).press('Enter');
    }
    await inAddress(page, { peaks: '0.5,40,,' });
    const o = await server.api('trace/ops', { run, limit: 10_000, peak_flops: 5e11, peak_bandwidth: 4e10 });
    const first = o.ops.roofline_share.findIndex((share) => share !== null);
    await becomes(() => cell(page, first, 'of roofline'), `${shown(o.ops.roofline_share[first], 0.01, 1)} %`);
    await page.getByRole('button', { name: 'as the profile says' }).click();
    await inAddress(page, { peaks: null });
    await becomes(() => read(page.locator('.op-peaks')).then((text) => /no peaks known/.test(text)), true);
  });
});

eachLook('CSV and JSON are the answer that is shown', async (look) => {
  await withOps(look, { run: 'gpu' }, async (page, run) => {
    const o = await server.api('trace/ops', { run, limit: 10_000 });
    const csv = await download(page, () => page.getByRole('link', { name: 'CSV' }).click());
    assert.equal(csv.text.trim().split('\r\n').length, o.total + 1);
    const json = await download(page, () => page.getByRole('link', { name: 'JSON' }).click());
    assert.deepEqual(JSON.parse(json.text).ops.self_ps, o.ops.self_ps);
  });
});

eachLook('a program with no HLO: names and times, and why there is no more; waits; several hosts', async (look) => {
  const [cut] = (await server.api('runs', {})).id.filter((id) => id.startsWith('cut') && id.endsWith('tpu'));
  await withPage(server.url, { ...look, hash: hash({ run: cut }) }, async (page) => {
    await rows(page).first().waitFor();
    assert.match(await read(page.locator('.op-note').first()), /no HLO in the profile: names, times and kernels only/);
    assert.equal(await cell(page, 0, 'bound'), 'unknown');
  });
  await withOps(look, { run: 'tpu' }, async (page, run) => {
    const { ops: o } = await server.api('trace/ops', { run, limit: 10_000 });
    const wait = o.bound.indexOf('wait');
    assert.equal(await cell(page, wait, 'bound'), 'wait');
    assert.match(await cell(page, wait, 'to win'), /^≤ /);
  });
});

eachLook('a program that did not run: why, and what was read instead', async (look) => {
  const run = await runOf('aot');
  await withPage(server.url, { ...look, hash: hash({ run }) }, async (page) => {
    await until('the reason', async () => /nothing was measured|did not run|no events|No data/i.test(await read(page.locator('.main'))));
    await page.getByRole('link', { name: 'Files of this run' }).waitFor();
  });
});

eachLook('the program picker narrows to one program, and back to all', async (look) => {
  await withOps(look, { run: 'loops' }, async (page, run) => {
    const all = await server.api('trace/ops', { run, limit: 10_000 });
    const [module] = all.ops.module;
    await page.getByRole('button', { name: /^program ./ }).click();
    await page.getByRole('option', { name: module.replace(/\(\d+\)$/, '') }).first().click();
    await inAddress(page, { module });
    const one = await server.api('trace/ops', { run, module, limit: 10_000 });
    assert.ok(one.total < all.total);
    await becomes(() => cell(page, 'sums', 'operation'), `${one.total} operations`);
    await page.getByRole('button', { name: /^program ./ }).click();
    await page.getByRole('option', { name: 'all programs' }).click();
    await becomes(() => cell(page, 'sums', 'operation'), `${all.total} operations`);
    assert.ok(all.programs > 1);
    await becomes(() => read(page.locator('.op-line').last().locator('.soft').first()), `${all.total} operations in ${all.programs} programs`);
  });
});

const icicle = (page) => page.locator('.op-icicle canvas');
/** Clicks a box: by its row and the share of the width that lies left of its middle. */
async function clickBox(page, row, share, options = {}) {
  const box = await icicle(page).boundingBox();
  await page.mouse.click(box.x + box.width * share, box.y + row * 22 + 11, options);
}

eachLook('the icicle: a box narrows the table to what is in it, a double click fills the width, keys go back and to the next hierarchy', async (look) => {
  await withOps(look, { run: 'tpu', oby: 'program' }, async (page, run) => {
    const { ops: o, self_ps: all, total } = await server.api('trace/ops', { run, limit: 10_000 });
    const sizes = new Map();
    for (const [k, category] of o.category.entries()) sizes.set(category, (sizes.get(category) ?? 0) + o.self_ps[k]);
    const [first, size] = [...sizes].sort((a, b) => b[1] - a[1])[0];
    const inside = o.category.filter((category) => category === first).length;
    const share = size / all / 2;
    await clickBox(page, 1, share);
    await inAddress(page, { obox: first });
    await becomes(() => cell(page, 'sums', 'operation'), `${inside} of ${total} operations`);
    assert.equal(await cell(page, 'sums', 'self'), `${shown(size, MS, 3)} ms`);
    assert.deepEqual([...(await names(page))].sort(), o.name.filter((_, k) => o.category[k] === first).sort());
    await page.getByRole('button', { name: `all operations, not only ${first}` }).click();
    await inAddress(page, { obox: null });
    await clickBox(page, 1, share, { clickCount: 2 });
    await inAddress(page, { ozoom: first, obox: null });
    assert.ok((await read(page.locator('.op-icicle .m-chip'))).includes(first));
    await page.keyboard.press('Backspace');
    await inAddress(page, { ozoom: null });
    for (const by of ['source', 'layer', 'group', 'scope']) {
      await page.keyboard.press('h');
      await inAddress(page, { oby: by });
    }
    await page.locator('.op-toolbar select').first().selectOption('program');
    await inAddress(page, { oby: 'program' });
    await page.keyboard.press('t');
    await until('its row in the table', async () => (await page.locator('.op-twin .vt-row').allInnerTexts()).some((line) => line.includes(first)));
    await page.keyboard.press('t');
    await icicle(page).waitFor();
  });
});

const layersOf = async (view) => server.api('trace/layers', view);
const layerRows = (page) => page.locator('.op-layers .vt-row');

eachLook('layers: bars, cells and the closing sums are the API’s; keys and clicks choose a cell; it stands in the address', async (look) => {
  const run = await runOf('loops');
  const known = [];
  for (const module of (await server.api('modules', { run })).key) {
    const a = await layersOf({ run, module });
    if (a.known) known.push([module, a]);
  }
  assert.ok(known.length > 0, 'a program with layers');
  const [module, a] = known.sort(([, x], [, y]) => y.layers.n - x.layers.n)[0];
  assert.equal(a.inside.self_ps + a.outside.self_ps, a.step.self_ps, 'layers and what is outside add up to the step');
  await withPage(server.url, { ...look, hash: hash({ run, module, oview: 'layers' }) }, async (page) => {
    await layerRows(page).first().waitFor();
    await settled(page);
    assert.equal(await page.locator('.op-bars-row .link').count(), a.layers.n);
    const unit = a.step.mean_ps < 1e9 ? [1e6, 3] : [MS, 3];
    const bars = await page.locator('.op-bars-row b').allInnerTexts();
    assert.deepEqual(bars, a.layers.mean_ps.map((ps) => shown(ps, ...unit)));
    const last = (await layerRows(page).last().innerText()).replace(/\s+/g, ' ');
    assert.match(last, /^All operations ✓/);
    assert.ok(last.includes(shown(a.step.mean_ps, ...unit)), last);
    const slowest = a.layers.mean_ps.indexOf(Math.max(...a.layers.mean_ps));
    assert.ok((await read(card(page).locator('.m-card-title'))).startsWith(a.layers.name[slowest]));
    await page.locator('.op-bars-row .link').first().click();
    await inAddress(page, { lcell: '0.0' });
    await page.keyboard.press(']');
    await inAddress(page, { lcell: '0.1' });
    await page.keyboard.press('[');
    await inAddress(page, { lcell: '0.0' });
    const one = await layersOf({ run, module, part: 0, layer: 0 });
    await becomes(() => card(page).locator('.op-largest .link').first().innerText(), one.chosen.largest.name[0]);
    // The first part that is open can be shut, and what is in it goes.
    const before = await layerRows(page).count();
    await page.locator('.op-arrow[aria-expanded=true]').first().click();
    await inAddress(page, { lopen: '0' });
    await until('fewer rows', async () => (await layerRows(page).count()) < before);
    await page.keyboard.press('Escape');
    await inAddress(page, { lcell: '-' });
    await page.keyboard.press('l');
    await inAddress(page, { oview: null });
    await rows(page).first().waitFor();
  });
});

eachLook('no layers: why', async (look) => {
  const run = await runOf('gpu');
  const { known, reason } = await layersOf({ run });
  assert.equal(known, false);
  await withPage(server.url, { ...look, hash: hash({ run, oview: 'layers' }) }, async (page) => {
    await becomes(() => read(page.locator('.op-empty p')), reason);
  });
});

eachLook('an operation of another page opens here: from the explanation in Graph', async (look) => {
  const run = await runOf('cpu');
  const { ops: o } = await server.api('trace/ops', { run, limit: 10_000 });
  const [name, module] = [o.name[4], o.module[4]];
  await withPage(server.url, { ...look, hash: hash({ run, module, tool: 'graph', op: `%${name}` }) }, async (page) => {
    await page.locator('.x-links').getByRole('link', { name: 'Ops' }).click();
    await becomes(() => read(card(page).locator('.m-card-title code')), name);
    await page.locator('.op-table .vt-row.pinned').waitFor();
  });
});

eachLook('A against B: the changes of the rows add up; steps, way and sides stand in the address', async (look) => {
  const run = await runOf('cpu');
  const { module } = await layersOf({ run });
  const ask = (more) => server.api('trace/ops/compare', { run, module, limit: 20_000, ...more });
  const { after } = await ask({});
  const [first, last] = [after.steps[0], after.steps.at(-1)].map(String);
  const changes = (page) => page.locator('.op-changes .vt-row');
  await withPage(server.url, { ...look, hash: hash({ run, module }) }, async (page) => {
    await rows(page).first().waitFor();
    await settled(page);
    await page.keyboard.press('b');
    await inAddress(page, { oview: 'compare', asteps: first, osteps: last });
    for (const by of ['scope', 'operation', 'source', 'group']) {
      if (by !== 'scope') await page.locator('.op-line').getByRole('button', { name: by === 'group' ? 'by scope, opcode, shape' : `by ${by}`, exact: true }).click();
      await inAddress(page, { cby: by === 'scope' ? null : by });
      const a = await ask({ base_steps: first, steps: last, by });
      assert.equal(a.rows.change_ps.reduce((x, y) => x + y, 0) + a.rest_ps, a.change_ps, `${by}: rows add up`);
      assert.equal(a.after.self_ps - a.before.self_ps, a.change_ps);
      await becomes(async () => (await read(page.locator('.op-changes .vt-sums'))).startsWith(`${a.total} row${a.total === 1 ? '' : 's'}`), true, by);
      assert.match(await read(page.locator('.op-changes .vt-sums')), /✓ adds up/);
      await becomes(async () => (await read(changes(page).nth(1))).includes(shown(Math.abs(a.rows.change_ps[0]), a.before.self_ps < 1e9 ? 1e6 : MS, 3)), true, by);
    }
    const { rows: rowsOf, before: whole } = await ask({ base_steps: first, steps: last, by: 'group' });
    const inOrder = (order) => becomes(async () => (await read(changes(page).nth(1))).includes(shown(Math.abs(order[0]), whole.self_ps < 1e9 ? 1e6 : MS, 3)), true, 'rows by what they were');
    await page.locator('.op-changes .vt-head').getByText(/^A /).click();
    await inAddress(page, { csort: 'before', cdesc: null });
    await inOrder([...rowsOf.before_ps].sort((x, y) => y - x));
    await page.locator('.op-changes .vt-head').getByText('B − A').click();
    await page.locator('.op-changes .vt-head').getByText('B − A').click();
    await inAddress(page, { csort: 'change', cdesc: '0' });
    await inOrder([...rowsOf.change_ps].sort((x, y) => x - y));
    await page.locator('.op-toolbar label').filter({ hasText: /^A/ }).locator('select').selectOption(last);
    await inAddress(page, { asteps: last });
    const same = await ask({ base_steps: last, steps: last, by: 'group' });
    assert.equal(same.change_ps, 0);
    await until('nothing changed', async () => /0\.000|\b0\b/.test(await read(page.locator('.op-change-head'))));
    await page.locator('.op-toolbar label').filter({ hasText: /^compare with/ }).locator('select').selectOption('none');
    await inAddress(page, { oview: null, asteps: null, osteps: null });
    await rows(page).first().waitFor();
  });
});

eachLook('groups add up, one opens to its operations; both stand in the address', async (look) => {
  await withOps(look, { run: 'tpu', ogroup: 'opcode' }, async (page, run) => {
    const { ops: o, self_ps: all } = await server.api('trace/ops', { run, limit: 10_000 });
    const sizes = new Map();
    for (const [k, opcode] of o.opcode.entries()) sizes.set(opcode, (sizes.get(opcode) ?? 0) + o.self_ps[k]);
    const groups = [...sizes].sort((a, b) => b[1] - a[1]);
    await becomes(() => names(page).then((list) => list.slice(0, 3)), groups.slice(0, 3).map(([key]) => key));
    assert.equal(await cell(page, 'sums', 'opcode'), `${groups.length} groups`);
    assert.equal(await cell(page, 'sums', 'self'), `${shown(all, MS, 3)} ms`);
    assert.equal(await cell(page, 0, 'self'), shown(groups[0][1], MS, 3));
    await rows(page).first().click();
    await inAddress(page, { oin: groups[0][0] });
    await becomes(() => cell(page, 'sums', 'self'), `${shown(groups[0][1], MS, 3)} ms`);
    await page.getByRole('button', { name: `back to the groups from ${groups[0][0]}` }).click();
    await inAddress(page, { oin: null });
    await page.locator('.op-toolbar label').filter({ hasText: /^group/ }).locator('select').selectOption('none');
    await inAddress(page, { ogroup: null });
  });
});

eachLook('the filter: expressions narrow the table, a mistake is said in place, no hit says where there are some', async (look) => {
  await withOps(look, { run: 'loops' }, async (page, run, { forgive }) => {
    const all = await server.api('trace/ops', { run, limit: 10_000 });
    const { ops: o, total } = all;
    const wanted = (test) => o.name.filter((_, k) => test(k)).length;
    const box = page.getByRole('searchbox');
    await page.keyboard.press('/');
    await box.fill(`group:${o.group[0]} self>1%`);
    await inAddress(page, { ofilter: `group:${o.group[0]} self>1%` });
    const hits = wanted((k) => o.group[k] === o.group[0] && o.self_ps[k] > all.self_ps / 100);
    assert.ok(hits > 0 && hits < total);
    await becomes(() => cell(page, 'sums', 'operation'), `${hits} of ${total} operations`);
    // No letter is lost while the address follows those before it.
    await box.fill('');
    await box.pressSequentially('scope:block_0/attention', { delay: 150 });
    await inAddress(page, { ofilter: 'scope:block_0/attention' });
    assert.equal(await box.inputValue(), 'scope:block_0/attention');
    await box.fill('self>x');
    await becomes(() => page.getByRole('alert').innerText().then((text) => /filter/.test(text)), true);
    forgive(/400/);
    // A name that one program has, asked for in another.
    const k = o.name.findIndex((name, i) => !o.name.some((other, j) => o.module[j] !== o.module[i] && other.includes(name)));
    const other = o.module.find((module) => module !== o.module[k]);
    await page.goto(`${server.url}${hash({ run, module: other, ofilter: `name:${o.name[k]}` })}`);
    const link = page.locator('.vt-empty a');
    await link.waitFor();
    assert.match(await read(page.locator('.vt-empty')), /^no operation matches; \d+ do(es)? in /);
    assert.doesNotMatch(await read(page.locator('.op-table')), /unknown judged/);
    await link.first().click();
    await inAddress(page, { module: o.module[k] });
    await becomes(() => names(page).then((list) => list.includes(o.name[k])), true);
    await page.keyboard.press('Escape');
    await inAddress(page, { ofilter: null });
  });
});

eachLook('runs of one operation: a bar each up to twelve, else a histogram', async (look) => {
  const run = await runOf('cpu');
  const { ops: o } = await server.api('trace/ops', { run, limit: 10_000 });
  const [name, module] = [o.name[0], o.module[0]];
  const one = await server.api('trace/ops/one', { run, name, module });
  assert.ok(one.all_runs > 1);
  await withPage(server.url, { ...look, hash: hash({ run, osel: `${name}:${module}` }) }, async (page) => {
    await becomes(() => card(page).locator(one.histogram ? '.t-bins i' : '.op-run-row').count(), one.histogram ? one.histogram.n : one.runs.n);
    assert.ok((await read(card(page))).includes(`${one.all_runs} runs`));
  });
});

eachLook('an execution in the details opens its event in Trace; on a GPU too, where events have names of kernels', async (look) => {
  for (const part of ['gpu', 'cpu']) {
    const run = await runOf(part);
    const { ops: o } = await server.api('trace/ops', { run, limit: 10_000 });
    const own = o.module.findIndex((key) => key !== 'memory copies'); // an instruction of a program
    const [name, module] = [o.name[own], o.module[own]];
    const one = await server.api('trace/ops/one', { run, name, module });
    assert.ok(one.runs.event.every((event) => event !== null), `${part}: each run has its event`);
    for (const k of [0, one.runs.n - 1]) {
      const event = await server.api('trace/event', { run, host: one.host, event: one.runs.event[k] });
      assert.equal(event.start_ps, one.runs.start_ps[k]);
      assert.equal(event.links.instruction, name);
    }
    await withPage(server.url, { ...look, hash: hash({ run, osel: `${name}:${module}` }) }, async (page) => {
      await page.locator('button.op-run-row').nth(1).click();
      await inAddress(page, { tool: 'trace', ev: String(one.runs.event[1]) });
      await page.goBack();
      await page.locator('button.op-run-row').first().waitFor();
      await page.locator('.op-line').last().click();
      await page.keyboard.press('Enter');
      await inAddress(page, { tool: 'trace' });
      await until('its first run', () => page.evaluate((event) => new URLSearchParams(location.hash.slice(1)).get('ev') === event, String(one.first.event)));
    });
  }
});

eachLook('by kernel of a GPU: boxes are kernels, and one narrows the table to what launched it; elsewhere the hierarchy is not offered', async (look) => {
  await withOps(look, { run: 'gpu', oby: 'kernel' }, async (page, run) => {
    const tree = await server.api('trace/ops/tree', { run, by: 'kernel', px: 0 });
    await icicle(page).waitFor();
    await clickBox(page, 1, tree.self_ps[1] / tree.self_ps[0] / 2);
    await inAddress(page, { obox: tree.label[1] });
    const inside = await server.api('trace/ops', { run, in_by: 'kernel', in: tree.label[1], limit: 10_000 });
    await becomes(async () => [...(await names(page))].sort().join(), [...inside.ops.name].sort().join());
    // Exports are of the same rows.
    const json = await download(page, () => page.getByRole('link', { name: 'JSON' }).click());
    assert.deepEqual(JSON.parse(json.text).ops.name, inside.ops.name);
  });
  await withOps(look, { run: 'cpu' }, async (page) => {
    await icicle(page).waitFor();
    assert.equal(await page.locator('.op-toolbar select').first().locator('option[value=kernel]').count(), 0);
  });
});

eachLook('an operation without HLO is not asked for in the program, also where the run is told after the table', async (look) => {
  const id = await runOf('tensorflow');
  await withPage(server.url, look, async (page) => {
    const asked = page.waitForRequest(/trace\/ops\/one/);
    await page.route(/\/api\/v1\/run\?/, async (route) => {
      await asked;
      await route.continue();
    });
    await page.evaluate((to) => { location.hash = to; }, hash({ run: id, tool: 'ops' }));
    await card(page).getByRole('region', { name: 'kernels' }).waitFor();
    await until('the reason', async () => /it belongs to no XLA program/.test(await read(card(page))));
    await settled(page); // a 404 would be an error of the page
  });
});

eachLook('TensorFlow without XLA: rows of its operations by the end of their names; the details have kernels, and open the first execution in Trace', async (look) => {
  await withOps(look, { run: 'tensorflow' }, async (page, run) => {
    const o = await server.api('trace/ops', { run, limit: 10_000 });
    assert.deepEqual(await names(page), o.ops.name.map((name) => name.split('/').at(-1)));
    assert.equal(await read(page.locator('.op-line').last().locator('.soft').first()), `${o.total} operations`);
    const at = o.ops.name.indexOf('model/dense/MatMul:MatMul');
    await rows(page).nth(at).click();
    await card(page).getByRole('region', { name: 'kernels' }).getByText('volta_sgemm_128x64_nn').waitFor();
    assert.match(await read(card(page)), /it belongs to no XLA program/);
    // A copy is no kernel, and has no grid.
    await rows(page).nth(o.ops.name.findIndex((name) => name.startsWith('MemcpyH2D'))).click();
    const copies = card(page).getByRole('region', { name: 'memory copies' });
    await copies.waitFor();
    assert.doesNotMatch(await read(copies), /kernel|grid/);
    await rows(page).nth(at).click();
    await card(page).getByRole('region', { name: 'kernels' }).waitFor();
    const { first } = await server.api('trace/ops/one', { run, name: o.ops.name[at], module: o.ops.module[at] });
    await becomes(() => card(page).getByRole('link', { name: 'Trace' }).getAttribute('href').then((href) => href.includes(`opev=${first.event}`)), true);
    await card(page).getByRole('link', { name: 'Trace' }).click();
    await inAddress(page, { tool: 'trace', ev: String(first.event) });
  });
});

eachLook('TensorFlow on a CPU without XLA: what its executor ran, by type and kind, and its runs in Trace', async (look) => {
  await withOps(look, { run: 'threads' }, async (page, run) => {
    const o = await server.api('trace/ops', { run, percentiles: 1 }), { devices } = await server.api('trace/overlap', { run });
    assert.deepEqual([o.ops.name, o.ops.opcode, o.ops.group, o.busy_ps], [['model/dense/MatMul:MatMul'], ['MatMul'], ['matmul'], devices.compute_ps[0]]);
    await rows(page).first().click();
    await until('what is not known', async () => /it belongs to no XLA program, so its shapes and work are unknown/.test(await read(card(page))));
    assert.equal(await card(page).getByRole('region', { name: 'kernels' }).count(), 0, 'a thread has no kernels');
    const { first } = await server.api('trace/ops/one', { run, name: o.ops.name[0], module: o.ops.module[0] });
    await becomes(() => card(page).getByRole('link', { name: 'Trace' }).getAttribute('href').then((href) => href.includes(`opev=${first.event}`)), true);
    await card(page).getByRole('link', { name: 'Trace' }).click();
    await inAddress(page, { tool: 'trace', ev: String(first.event) });
    await page.goto(`${server.url}#${new URLSearchParams({ tool: 'overview', run })}`);
    const { step } = await server.api('overview', { run });
    await becomes(async () => (await read(page.locator('.ov-head'))).includes(`of ${shown(step.mean_ps, MS, 1)} ms. Compute takes ${shown(devices.compute_ps[0] / step.count, 1e6, 1)} µs`), true, 'Overview says the same');
  });
});

eachLook('what starts a copy has no rate: it goes on beside it', async (look) => {
  await withOps(look, { run: 'tpu' }, async (page, run) => {
    const { ops: o } = await server.api('trace/ops', { run, limit: 10_000 });
    const starts = o.name.map((_, k) => k).filter((k) => o.opcode[k].endsWith('-start'));
    assert.ok(starts.length > 0);
    for (const k of starts) assert.deepEqual([o.flops_per_s[k], o.hbm_bytes_per_s[k], o.place[k]], [null, null, 'none']);
    assert.equal(await cell(page, o.name.indexOf(o.name[starts[0]]), 'bound'), 'unknown');
  });
});

// "How to profile TPU programs", question 2: how long a layer takes, what of it is attention and what MLP, how near to the roofline they are.
// Here the parts are those of a small network: two dense layers and what is in each.
eachLook('layers: time of a layer, its parts with all passes together, and their share of the roofline', async (look) => {
  const run = await runOf('cpu');
  const peaks = { peak_flops: 5e11, peak_bandwidth: 4e10 };
  const a = await layersOf({ run, passes: 'together', ...peaks });
  assert.ok(a.known && a.parts.kind.every((kind) => kind !== 'phase'));
  await withPage(server.url, { ...look, hash: hash({ run, oview: 'layers', peaks: '0.5,40,,' }) }, async (page) => {
    await layerRows(page).first().waitFor();
    await page.locator('.op-toolbar label').filter({ hasText: /^passes/ }).locator('select').selectOption('together');
    await inAddress(page, { lpass: 'together' });
    const percent = (share) => (share === null ? 'unknown' : `${shown(share, 0.01, 1)} %`);
    const lines = async () => (await layerRows(page).allInnerTexts()).map((line) => line.replace(/\s+/g, ' '));
    await until('each part with its share of the step and of the roofline', async () => {
      const got = await lines();
      const first = a.parts.depth.map((depth, part) => (depth < 2 ? part : -1)).filter((part) => part >= 0);
      return first.length > 1 && first.every((part) => got.some((line) => line.endsWith(`${percent(a.parts.share[part])} ${percent(a.parts.roofline_share[part])}`)));
    });
    // The same part in Roofline, by its filter.
    const of = await server.api('roofline', { run, filter: `scope:${a.ways.name[a.way]}`, ...peaks });
    assert.ok(Math.abs(of.roofline_share - a.parts.roofline_share[0]) < 1e-9);
    await page.goto(`${server.url}#${new URLSearchParams({ tool: 'roofline', run, ofilter: `scope:${a.ways.name[a.way]}`, peaks: '0.5,40,,' })}`);
    await until('the same share', async () => (await read(page.locator('.rf-main .op-line'))).includes(`${percent(of.roofline_share)} of the roofline`));
  });
});

eachLook('A against B by op group: two bars, each kind’s change; an operation of the lists opens', async (look) => {
  const run = await runOf('cpu');
  const { module } = await layersOf({ run });
  const { after } = await server.api('trace/ops/compare', { run, module, limit: 1 });
  const [base_steps, steps] = [after.steps[0], after.steps.at(-1)].map(String);
  const a = await server.api('trace/ops/compare', { run, module, base_steps, steps, limit: 20_000, by: 'operation' });
  const total = (list) => list.reduce((x, y) => x + y, 0);
  assert.deepEqual([total(a.kinds.before_ps), total(a.kinds.after_ps)], [a.before.self_ps, a.after.self_ps]);
  await withPage(server.url, { ...look, hash: hash({ run, module, oview: 'compare', asteps: base_steps, osteps: steps }) }, async (page) => {
    await page.locator('.op-kinds .op-mover').first().waitFor();
    assert.equal(await page.locator('.op-kinds .op-mover').count(), a.kinds.n);
    assert.equal(await page.locator('.op-kind-bar').count(), 2);
    const first = page.locator('.op-card .op-mover .link').first();
    const name = await read(first);
    await first.click();
    await inAddress(page, { oview: null, osel: `${name}:${module}` });
    await becomes(() => read(card(page).locator('.m-card-title code')), name);
  });
});

eachLook('several hosts: sums over all of them, and the slowest of each operation; one alone, and back', async (look) => {
  await withOps(look, { run: 'tpu' }, async (page, run) => {
    const note = page.locator('.op-note').last();
    const ask = (query) => server.api('trace/ops', { run, limit: 10_000, ...query });
    const all = await ask({});
    await becomes(() => read(note), `times are sums over ${all.hosts.length} hosts, ${all.chips} chips`);
    await heads(page).filter({ hasText: 'slowest host' }).waitFor();
    const k = all.ops.slowest_host.findIndex((host) => host !== null);
    assert.equal(await cell(page, k, 'slowest host'), `${all.ops.slowest_host[k]} ${all.ops.host_spread[k].toFixed(2)}x`);
    assert.match(await page.locator('.op-toolbar .op-badge').getAttribute('title'), /by the chips’ own clocks; the host-aligned clock/);

    const [host, other] = all.hosts;
    const one = await ask({ host });
    const picker = page.locator('.picker', { hasText: 'host' }).last();
    await picker.locator('.picker-button').click();
    await picker.getByRole('option').nth(1).click();
    await inAddress(page, { host });
    await becomes(() => read(note), `times of ${host} alone; ${other} ran it too: all hosts`);
    await becomes(() => heads(page).filter({ hasText: 'slowest host' }).count(), 0);
    await begins(page, one.ops.name);
    assert.equal(await cell(page, 'sums', 'self'), `${shown(one.self_ps, MS, 3)} ms`);
    await note.getByRole('button', { name: 'all hosts' }).click();
    await inAddress(page, { host: null });
    await becomes(() => read(note), `times are sums over ${all.hosts.length} hosts, ${all.chips} chips`);
  });
});

test('a name without room is cut in the middle: its end, which tells it from its like, is there', async () => {
  await withOps({ size: { width: 390, height: 844 } }, { run: 'gpu' }, async (page) => {
    const [head, tail] = await page.locator('.op-table .op-name.middle').first().evaluate((name) => {
      const inside = (node) => {
        const range = document.createRange();
        range.selectNodeContents(node);
        return range.getBoundingClientRect().right <= name.getBoundingClientRect().right + 1.5;
      };
      return [name.firstElementChild.scrollWidth > name.firstElementChild.clientWidth, inside(name.lastChild)];
    });
    assert.deepEqual([head, tail], [true, true]);
  });
});
