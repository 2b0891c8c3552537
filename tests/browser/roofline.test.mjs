// Roofline: points, lane, losses, peaks and ridge points are the API's; keys, address, states; the two answers of the book.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before } from 'node:test';

import { becomes, download, eachLook, inAddress, isDrawn, makeLogdir, quit, read, serve, settled, sum, testdata, until, withPage } from './lib.mjs';

let server;
before(async () => {
  const runs = { tpu: 'tpu_run', gpu: 'gpu_jax', cpu: 'cpu_mlp_train', cut: 'cut', aot: 'tpu_padded_demo' };
  server = await serve(makeLogdir(Object.fromEntries(Object.entries(runs).map(([name, from]) => [name, join(testdata, from, 'logdir')]))));
});
after(async () => {
  await quit();
  await server?.stop();
});

const runOf = async (part) => (await server.api('runs', {})).id.find((id) => id.startsWith(part));
const hash = (view) => `#${new URLSearchParams({ tool: 'roofline', ...view })}`;
const canvas = (page) => page.locator('.rf-canvas');
const title = (page) => page.locator('.rf-title');
const list = (page) => page.locator('.rf-lost button').allInnerTexts();
const box = (page, label) => page.getByRole('textbox', { name: label });
const chosen = (page) => page.locator('.rf-chosen .m-card-title code');
const fixed = (value, digits) => value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** Opens Roofline of a run and waits until it is drawn. */
async function withRoofline(look, view, body) {
  const run = await runOf(view.run);
  await withPage(server.url, { ...look, hash: hash({ ...view, run }) }, async (page, more) => {
    await canvas(page).waitFor();
    await settled(page);
    await body(page, run, more);
  });
}
const answers = async (run, more = {}) => ({ o: await server.api('trace/ops', { run, limit: 10_000, ...more }), r: await server.api('roofline', { run, ...more }) });
const place = (o, word) => o.ops.name.filter((_, k) => o.ops.place[k] === word);

eachLook('a TPU: points, lane, losses and ridge points are the API’s and add up', async (look) => {
  await withRoofline(look, { run: 'tpu' }, async (page, run) => {
    const { o, r } = await answers(run);
    assert.equal(await read(title(page)), `${place(o, 'point').length} of ${o.total} operations`);
    assert.match(await read(page.locator('.op-line')), /device clock/);
    await isDrawn(canvas(page));
    // The lane: what has no place, with its share of the time.
    const beside = ['unknown', 'wait', 'no_flops'].flatMap((word) => place(o, word));
    assert.equal(await page.locator('.rf-lane li').count(), Math.min(beside.length, 24));
    const share = sum(r.places.self_ps.filter((_, k) => ['unknown', 'wait', 'no_flops'].includes(r.places.place[k]))) / r.self_ps;
    assert.ok((await read(page.locator('.rf-lane'))).includes(`${Math.round(100 * share)} % of time`));
    // Losses: what is faster than its roof first, then the largest; the closing sum is the server's.
    const rows = o.ops.name.map((_, k) => k).filter((k) => o.ops.lost_against[k] === 'roofline');
    const above = (k) => (o.ops.roofline_share[k] > 1.01 ? o.ops.roofline_share[k] : 0);
    rows.sort((a, b) => above(b) - above(a) || o.ops.lost_ps[b] - o.ops.lost_ps[a] || a - b);
    assert.equal(rows.length, r.judged);
    assert.deepEqual(await list(page), rows.slice(0, 12).map((k) => o.ops.name[k]));
    assert.ok((await read(page.locator('.rf-sum'))).includes(fixed(r.lost_ps / 1e9, 3)));
    assert.equal(await read(chosen(page)), o.ops.name[rows[0]]);
    // Peaks with their sources, ridge points as numbers.
    for (const [limit, label] of [['flops', 'matrix units, TFLOP/s'], ['bandwidth', 'HBM, GB/s'], ['vmem_read', 'VMEM read, GB/s'], ['link', 'link, GB/s']]) {
      const at = r.roofs.limit.indexOf(limit);
      assert.equal(Number(await box(page, label).inputValue()), Number((r.roofs.peak_per_s[at] / (limit === 'flops' ? 1e12 : 1e9)).toPrecision(6)));
    }
    const side = await read(page.locator('.rf-side'));
    for (const limit of ['bandwidth', 'vmem_read', 'vmem_write']) assert.ok(side.includes(fixed(r.roofs.ridge[r.roofs.limit.indexOf(limit)], 1)), limit);
    assert.ok((await read(page.locator('.rf-proof'))).includes(r.proof));
  });
});

eachLook('peaks: typed here, in the address, in every answer, and reset', async (look) => {
  await withRoofline(look, { run: 'gpu' }, async (page, run) => {
    const before = await server.api('roofline', { run });
    await page.keyboard.press('p');
    await until('the first box has the focus', () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') === 'matrix units, TFLOP/s'));
    await box(page, 'HBM, GB/s').fill('4800');
    await box(page, 'HBM, GB/s').press('Enter');
    const { r, o } = await answers(run, { peak_bandwidth: 4.8e12 });
    assert.notEqual(r.lost_ps, before.lost_ps);
    await becomes(async () => (await read(page.locator('.rf-sum'))).includes(fixed(r.lost_ps / 1e9, 3)), true);
    assert.match(new URLSearchParams((await page.evaluate(() => location.hash)).slice(1)).get('peaks'), /,4800,/);
    assert.equal(await page.locator('.x-typed').count(), 1);
    assert.equal(r.lost_ps, sum(o.ops.lost_ps.filter((_, k) => o.ops.lost_against[k] === 'roofline')));
    await page.getByRole('button', { name: 'as the profile says' }).click();
    await inAddress(page, { peaks: null });
    await becomes(async () => (await read(page.locator('.rf-sum'))).includes(fixed(before.lost_ps / 1e9, 3)), true);
    // A GPU has vector units and shared memory.
    for (const label of ['vector units, TFLOP/s', 'shared memory, GB/s']) await box(page, label).waitFor();
    assert.match(await read(page.locator('.op-line')), /host clock/);
  });
});

eachLook('keys: next by time lost, into other tools, zoom, whole, table, details', async (look) => {
  await withRoofline(look, { run: 'tpu' }, async (page, run) => {
    const { o } = await answers(run);
    const names = await list(page);
    await page.keyboard.press('ArrowDown');
    await becomes(() => read(chosen(page)), names[1]);
    await page.keyboard.press('ArrowLeft');
    await becomes(() => read(chosen(page)), names[0]);
    await page.keyboard.press('w');
    await until('a window in the address', () => page.evaluate(() => /rx=.*ry=/.test(location.hash)));
    await page.keyboard.press('0');
    await inAddress(page, { rx: null, ry: null });
    const k = o.ops.name.findIndex((_, at) => o.ops.place[at] === 'point' && o.ops.intensity[at] > 0);
    await page.goto(`${server.url}${hash({ run, osel: `${o.ops.name[k]}:${o.ops.module[k]}` })}`);
    await becomes(() => read(chosen(page)), o.ops.name[k]);
    await settled(page);
    await page.keyboard.press('f');
    await until('the point is in the middle', () =>
      page.evaluate((x) => {
        const [from, to] = (new URLSearchParams(location.hash.slice(1)).get('rx') ?? '0,0').split(',').map(Number);
        return Math.abs((from + to) / 2 - x) < 0.01;
      }, Math.log10(o.ops.intensity[k])),
    );
    await page.keyboard.press('t');
    await inAddress(page, { table: '1' });
    await page.locator('.op-table .vt-row').first().waitFor();
    assert.equal(await page.locator('.op-table [role=grid], .op-table .vt').first().getAttribute('aria-rowcount') !== '0', true);
    await page.keyboard.press('t');
    await inAddress(page, { table: null });
    await page.keyboard.press('/');
    await page.keyboard.type('group:matmul');
    await inAddress(page, { ofilter: 'group:matmul' });
    const few = await server.api('trace/ops', { run, filter: 'group:matmul', limit: 10_000 });
    await becomes(() => read(title(page)), `${place(few, 'point').length} of ${o.total} operations`);
    await page.locator('.op-filter input').fill('');
    await inAddress(page, { ofilter: null });
    await becomes(() => read(title(page)), `${place(o, 'point').length} of ${o.total} operations`);
    await page.locator('.rf-title').click();
    await page.keyboard.press('i');
    await inAddress(page, { osel: '-' });
    await page.keyboard.press('i');
    await inAddress(page, { osel: null });
    const first = await read(chosen(page));
    await page.keyboard.press('Enter');
    await until('Ops with the same operation', () => page.evaluate((name) => { const v = new URLSearchParams(location.hash.slice(1)); return v.get('tool') === 'ops' && v.get('osel')?.startsWith(`${name}:`); }, first));
  });
});

eachLook('address: programs, memory, colour, size, window; the wheel zooms; a picture and CSV', async (look) => {
  await withRoofline(look, { run: 'tpu', rmem: 'vmem_read', rcolour: 'bound', rsize: 'lost', rx: '-1,4', ry: '9,15' }, async (page, run) => {
    const { o, r } = await answers(run);
    const select = (name) => page.getByRole('combobox', { name });
    assert.deepEqual([await select(/bytes of/).inputValue(), await select(/colour/).inputValue(), await select(/size/).inputValue()], ['vmem_read', 'bound', 'lost']);
    const legend = await read(page.locator('.rf-legend'));
    for (const bound of new Set(o.ops.bound.filter((_, k) => o.ops.place[k] === 'point'))) assert.ok(legend.includes(bound), bound);
    await select(/bytes of/).selectOption('hbm');
    await inAddress(page, { rmem: null });
    await select(/size/).selectOption('none');
    await inAddress(page, { rsize: 'none' });
    await canvas(page).hover();
    await page.mouse.wheel(0, 300);
    await until('the window grows', () => page.evaluate(() => !/rx=-1,4(&|$)/.test(location.hash)));
    await page.getByRole('button', { name: 'Fit' }).click();
    await inAddress(page, { rx: null, ry: null });
    assert.match(await download(page, () => page.getByRole('button', { name: 'PNG' }).click()).then(({ name }) => name), /\.png$/);
    await page.getByRole('button', { name: 'Programs' }).click();
    await inAddress(page, { rkind: 'programs' });
    const drawn = r.programs.module.filter((_, k) => r.programs.intensity[k] > 0 && r.programs.flops_per_s[k] > 0).length;
    await becomes(() => read(title(page)), `${drawn} of ${r.programs.n} program${r.programs.n === 1 ? '' : 's'}`);
    for (const module of r.programs.module) assert.ok((await read(page.locator('.rf-side'))).includes(module));
    // What is of operations is not offered, and its keys do nothing unseen.
    for (const name of [/colour/, /size/, /bytes of/]) assert.equal(await select(name).count(), 0);
    assert.doesNotMatch(await read(page.locator('.op-foot')), /time lost|in Ops|lens/);
    await settled(page);
    const address = page.url();
    for (const key of ['ArrowDown', 'ArrowRight', 'i', 'f', 'Enter', 'g']) await page.keyboard.press(key);
    await settled(page);
    assert.equal(page.url(), address);
  });
});

eachLook('without peaks: the best that was seen, dashed and named; the lens opens, moves by its head, and closes', async (look) => {
  await withRoofline(look, { run: 'cpu' }, async (page, run) => {
    const { r } = await answers(run);
    const side = await read(page.locator('.rf-side'));
    assert.match(side, /Below the best seen/);
    assert.match(side, /This device is not in the table of chips/);
    assert.ok(side.includes(`${r.above_best} shorter operation`));
    assert.match(await read(page.locator('.op-line')), /no peaks known: against the best seen/);
    const lens = page.locator('.rf-lens-said');
    await lens.waitFor({ state: 'attached' });
    await page.goto(`${server.url}${hash({ run, rlens: '0.1,0.1,0.4,0.4' })}`);
    await settled(page);
    const at = await canvas(page).boundingBox();
    const wide = at.width - 60;
    const high = at.height - 60;
    const [x, y] = [at.x + 46 + 0.3 * wide, at.y + 20 + 0.1 * high + 9];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 60, y + 40, { steps: 4 });
    await page.mouse.up();
    await until('it moved', () => page.evaluate(() => { const said = new URLSearchParams(location.hash.slice(1)).get('rlens') ?? ''; return said !== '' && !said.startsWith('0.1,0.1'); }));
    await page.keyboard.press('z');
    await until('Z zooms there', () => page.evaluate(() => /rx=/.test(location.hash)));
    await page.keyboard.press('0');
    await inAddress(page, { rx: null });
    await page.keyboard.press('Escape');
    await inAddress(page, { rlens: '-' });
    await lens.waitFor({ state: 'detached' });
  });
});

eachLook('a program that did not run says so; one without HLO shows its times at the left', async (look) => {
  await withPage(server.url, { ...look, hash: hash({ run: await runOf('aot') }) }, async (page) => {
    await until('the reason', async () => /did not run|no events|was compiled|nothing was measured|No data/i.test(await read(page.locator('.main'))));
  });
  const [cut] = (await server.api('runs', {})).id.filter((id) => id.startsWith('cut') && id.endsWith('tpu'));
  await withPage(server.url, { ...look, hash: hash({ run: cut }) }, async (page) => {
    await page.locator('.rf-lane li').first().waitFor();
    const o = await server.api('trace/ops', { run: cut, limit: 10_000 });
    assert.equal(await read(title(page)), `0 of ${o.total} operations`);
    await page.locator('.rf-none').waitFor();
  });
});

// "How to profile TPU programs": 2·32·1024·8192·32768 FLOP at 8 x 23 TFLOP/s, and 2·8·1024·8192 B over a link of 1.2e11 B/s.
eachLook('the calculator gives the two answers of the book, 95.61 ms and 1.118 ms', async (look) => {
  await withRoofline(look, { run: 'tpu' }, async (page) => {
    await page.getByRole('button', { name: /^calculator/ }).click();
    const field = page.getByRole('textbox', { name: 'HLO line' });
    const expected = page.locator('.x-dialog');
    const peak = async (label, value) => {
      const one = page.locator('.x-dialog').getByLabel(label);
      await one.fill(value);
      await one.press('Enter');
    };
    await field.fill('%dot = bf16[32,1024,32768]{2,1,0} dot(bf16[32,1024,8192]{2,1,0} %a, bf16[8192,32768]{1,0} %b), lhs_contracting_dims={2}, rhs_contracting_dims={0}');
    await peak('peak in TFLOP/s bf16', '184');
    await becomes(async () => /95\.61 ms/.test(await read(expected)), true, 'the matrix multiplication');
    await field.fill('%scatter = bf16[8,1024,8192]{2,1,0} reduce-scatter(bf16[16,1024,8192]{2,1,0} %x), replica_groups={{0,1}}, dimensions={0}, to_apply=%add');
    await peak('peak in GB/s per link', '120');
    await becomes(async () => /1\.118 ms/.test(await read(expected)), true, 'the reduce-scatter');
  });
});

eachLook('an operation is compared with the peak of the unit that does its work; the program beside it is the sum of all rows shown', async (look) => {
  await withRoofline(look, { run: 'gpu' }, async (page, run) => {
    const { o, r } = await answers(run);
    const per = (value) => fixed(value / 1e12, 1);
    const units = new Set(o.ops.flops_peak_per_s.filter((peak) => peak !== null));
    assert.ok(units.size > 1, 'matrix and vector units');
    for (const peak of units) {
      const k = o.ops.flops_peak_per_s.indexOf(peak);
      await page.goto(`${server.url}${hash({ run, osel: `${o.ops.name[k]}:${o.ops.module[k]}` })}`);
      await becomes(() => read(chosen(page)), o.ops.name[k]);
      assert.ok((await read(page.locator('.rf-chosen'))).includes(`of ${per(peak)} TFLOP/s`), o.ops.name[k]);
    }
    assert.ok(r.programs.n >= 1);
    assert.equal(await page.locator('.crumbs, header').first().innerText().then((text) => /memory/.test(text)), false, 'no memory space: this is about time');
  });
});

eachLook('a program that waits has two diamonds, and both are in the picture', async (look) => {
  await withRoofline(look, { run: 'tpu' }, async (page, run) => {
    const { r } = await answers(run);
    const k = r.programs.self_ps.indexOf(Math.max(...r.programs.self_ps));
    assert.ok(r.programs.all_flops_per_s[k] < r.programs.flops_per_s[k]);
    // "0" is the whole: its range, as the keys that zoom from it leave it, holds the lower one.
    await page.keyboard.press('w');
    await until('a window in the address', () => page.evaluate(() => /ry=/.test(location.hash)));
    const low = await page.evaluate(() => Number(new URLSearchParams(location.hash.slice(1)).get('ry').split(',')[0]));
    await page.keyboard.press('s');
    await until('a wider one', () => page.evaluate((before) => Number(new URLSearchParams(location.hash.slice(1)).get('ry').split(',')[0]) < before, low));
    const whole = await page.evaluate(() => Number(new URLSearchParams(location.hash.slice(1)).get('ry').split(',')[0]));
    assert.ok(whole <= Math.log10(r.programs.all_flops_per_s[k]) + 0.02);
  });
});

eachLook('colour by layer, steps, the memory whose roof is clicked, and the size of the lens: each in the address', async (look) => {
  await withRoofline(look, { run: 'cpu', rcolour: 'layer' }, async (page, run) => {
    const { o } = await answers(run);
    const layers = new Set(o.ops.scope.filter((_, k) => o.ops.place[k] === 'point').map((scope) => {
      const parts = scope.split('/');
      const at = parts.findIndex((part) => /\d\)*$/.test(part));
      return at < 0 ? 'outside of layers' : parts.slice(0, at + 1).join('/');
    }));
    assert.ok(layers.size > 2);
    const legend = await read(page.locator('.rf-legend'));
    for (const layer of [...layers].slice(0, 8)) assert.ok(legend.includes(layer), `${layer} in ${legend}`);
    // One step: points are of it alone.
    const { number } = await server.api('trace/steps', { run });
    const step = String([...new Set(number)].sort((a, b) => a - b)[1]);
    await page.getByRole('button', { name: /^steps/ }).click();
    await page.getByRole('textbox', { name: 'steps that count' }).fill(step);
    await page.getByRole('textbox', { name: 'steps that count' }).press('Enter');
    await inAddress(page, { osteps: step });
    const one = await answers(run, { steps: step });
    assert.ok(one.r.self_ps < o.self_ps);
    await becomes(async () => (await read(page.locator('.rf-sum'))).includes(fixed(one.r.lost_ps / (one.r.lost_ps < 1e9 ? 1e6 : 1e9), 3)), true);
    await page.getByRole('button', { name: `all steps, not only ${step}` }).click();
    await inAddress(page, { osteps: null });
    // The lens by its corner.
    await page.goto(`${server.url}${hash({ run, rlens: '0.1,0.1,0.4,0.4' })}`);
    await settled(page);
    const at = await canvas(page).boundingBox();
    const [x, y] = [at.x + 46 + 0.5 * (at.width - 60) - 5, at.y + 20 + 0.5 * (at.height - 60) - 5];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 80, y + 30, { steps: 4 });
    await page.mouse.up();
    await until('it is larger', () => page.evaluate(() => { const [left, top, width, height] = (new URLSearchParams(location.hash.slice(1)).get('rlens') ?? '').split(',').map(Number); return left === 0.1 && top === 0.1 && width > 0.41 && height > 0.41; }));
  });
  await withRoofline(look, { run: 'tpu', rx: '-1,4', ry: '9,15' }, async (page, run) => {
    const { r } = await answers(run);
    const per_s = r.roofs.peak_per_s[r.roofs.limit.indexOf('vmem_read')];
    const at = await canvas(page).boundingBox();
    await page.mouse.click(at.x + 46 + (0.2 / 5) * (at.width - 60), at.y + 20 + (1 - (Math.log10(per_s) - 0.8 - 9) / 6) * (at.height - 60));
    await inAddress(page, { rmem: 'vmem_read', rx: null });
    assert.match(await page.getByRole('combobox', { name: /bytes of/ }).inputValue(), /vmem_read/);
  });
});
