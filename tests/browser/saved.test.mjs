// What a page is saved as, opened again: named after run and program, pictures that stand alone, tables that are whole;
// and what pages say of programs and files about which nothing is known.
import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';

import { csv, download, eachLook, makeLogdir, matches, quit, read, serve, settled, sharedLogdir, sum, temporary, testdata, until, withPage } from './lib.mjs';
import { drawn } from './memory.mjs';

const LAYERS = 'ci/layers_v5e/aot';
const BEFORE = 'ci/layers_v4/aot';

let runs;
before(async () => {
  const scan = join(testdata, 'tpu_scan_layers/logdir/plugins/profile/aot');
  runs = await serve(
    makeLogdir({
      [LAYERS]: scan,
      [BEFORE]: scan,
      'ci/padded/aot': join(testdata, 'tpu_padded_demo/logdir/plugins/profile/aot'),
    }),
  );
});
after(async () => {
  await quit();
  await runs?.stop();
});

const idOf = (list, part) => list.id.find((id) => id.includes(part));

/** Width and height of a PNG and how many of its pixels in a strip of rows are not those of its first one. */
function inked(page, bytes, from, to) {
  return page.evaluate(
    async ([data, first, last]) => {
      // CSP lets the page make pictures of blobs only.
      const picture = await createImageBitmap(new Blob([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))]));
      const canvas = new OffscreenCanvas(picture.width, picture.height);
      const g = canvas.getContext('2d');
      g.drawImage(picture, 0, 0);
      const y = first < 0 ? picture.height + first : first;
      const high = last < 0 ? picture.height + last : last;
      const pixels = new Uint32Array(g.getImageData(0, y, picture.width, high - y).data.buffer);
      return { width: picture.width, height: picture.height, inked: pixels.filter((one) => one !== pixels[0]).length };
    },
    [Buffer.from(bytes).toString('base64'), from, to],
  );
}

eachLook('a picture stands alone: title above, step axis and the meaning of its colours below', async (look) => {
  const list = await runs.api('runs');
  await withPage(runs.url, { ...look, hash: `#run=${idOf(list, 'layers_v5e')}` }, async (page) => {
    await drawn(page);
    for (const [name, canvas] of [['memory in program order', '.m-chart-canvas'], ['addresses', '.m-map-canvas']]) {
      await page.getByRole('button', { name: 'PNG' }).first().click();
      const file = await download(page, () => page.locator('.m-menu').getByText(name).click());
      assert.match(file.name, /^ci_layers_v5e(_aot)?\.jit_\w+\.[a-z_]+\.png$/, 'named after run, program and picture');
      const [width, height, axis] = await page.evaluate((of) => [document.querySelector(of).width, document.querySelector(of).height, document.querySelector('.m-axis-canvas').height], canvas);
      const title = await inked(page, file.bytes, 0, 20);
      assert.equal(title.width, width, name);
      assert.ok(title.height >= height + axis + 40, `${name}: ${title.height} holds more than the canvas of ${height}`);
      assert.ok(title.inked > 200, `${name}: the title`);
      assert.ok((await inked(page, file.bytes, -24, -4)).inked > 200, `${name}: what the colours mean`);
    }
  });
});

test('two runs whose folders end alike, and their programs, are told apart by the names of what is saved', async () => {
  const list = await runs.api('runs');
  const names = [];
  for (const part of ['layers_v5e', 'layers_v4']) {
    await withPage(runs.url, { hash: `#run=${idOf(list, part)}&tab=buffers` }, async (page) => {
      await drawn(page);
      names.push((await download(page, () => page.locator('.m-exports').getByText('CSV', { exact: true }).click())).name);
      await page.getByRole('tab', { name: /^Findings/ }).click();
      names.push((await download(page, () => page.getByRole('link', { name: 'JSON' }).click())).name);
    });
  }
  assert.equal(new Set(names).size, 4, names.join(' '));
  for (const name of names) assert.match(name, /^ci_layers_v[45]e?(_aot)?\.jit_\w+\.(buffers\.csv|findings\.json)$/);
});

test('Report: the saved tables have the columns that the page shows, and all rows', async () => {
  const list = await runs.api('runs');
  const run = idOf(list, 'layers_v5e');
  await withPage(runs.url, { hash: `#run=${run}&mode=report&rtab=kinds` }, async (page) => {
    await settled(page);
    const save = () => download(page, () => page.locator('.m-exports').getByText('CSV', { exact: true }).click());
    const of = (by) => runs.api('report/groups', { run, by, limit: 5000 });
    const kinds = await of('signature');
    let lines = csv((await save()).text);
    const step = Object.keys(lines[0]).find((name) => /^step_\d+_buffers$/.test(name));
    assert.deepEqual(lines.map((line) => [line.name, Number(line[step]), Number(line.instructions)]), kinds.rows.map((row) => [row.name, row.held[0], row.instructions]));
    await page.getByRole('tab', { name: 'Buffers' }).click();
    const buffers = await of('buffer');
    lines = csv((await save()).text);
    assert.deepEqual(lines.map((line) => [line.name, line.shape, line.category]), buffers.rows.map((row) => [row.name, row.shape, row.row]));
    const heap = await runs.api('report/heap', { run });
    for (const k of heap.offset_bytes.keys()) {
      const line = lines.find((one) => one.name === heap.names[heap.name[k]] && one.offset_bytes !== '');
      assert.equal(Number(line?.offset_bytes), heap.offset_bytes[k], heap.names[heap.name[k]]);
    }
  });
});

test('Compare: each tab saves its own table, and they add up to the difference', async () => {
  const list = await runs.api('runs');
  await withPage(runs.url, { hash: `#run=${idOf(list, 'padded')}&mode=compare&base=${idOf(list, 'layers_v4')}` }, async (page) => {
    await page.locator('.cp-tabs').waitFor();
    const save = () => download(page, () => page.locator('.cp-tabs').getByRole('button', { name: 'CSV' }).click());
    const groups = csv((await save()).text);
    const difference = sum(groups.map((line) => line.difference_bytes));
    await page.locator('.cp-tabs').getByRole('tab', { name: 'By scope' }).click();
    const scopes = csv((await save()).text);
    assert.equal(scopes[0].scope, '(sum)');
    assert.equal(Number(scopes[0].difference_bytes), difference);
    assert.equal(sum(scopes.slice(1).map((line) => line.difference_bytes)), difference);
    await page.locator('.cp-tabs').getByRole('button', { name: 'PNG' }).click();
    const file = await download(page, () => page.locator('.m-menu').getByText('comparison').click());
    assert.ok((await inked(page, file.bytes, -24, -4)).inked > 200, 'what the curves are');
  });
});

test('narrow: while the details are closed, the pinned buffer keeps a row above the tabs', async () => {
  const list = await runs.api('runs');
  const run = idOf(list, 'layers_v5e');
  const largest = (await runs.api('memory/buffers', { run, limit: 1 })).buffer[0];
  const card = await runs.api('memory/buffer', { run, buffer: largest });
  await withPage(runs.url, { size: { width: 900, height: 1000 }, hash: `#run=${run}&pin=${largest}` }, async (page) => {
    await drawn(page);
    await page.locator('.m-card').waitFor();
    assert.equal(await page.locator('.m-pinned-row').count(), 0, 'the card says it all');
    await page.keyboard.press('i');
    const row = page.locator('.m-pinned-row');
    await row.waitFor();
    const text = await read(row);
    assert.ok(text.includes(`%${card.name}`), text);
    assert.match(text, /peak without it [\d,.]+/);
    const [box, tabs] = [await row.boundingBox(), await page.locator('.m-tab-row').boundingBox()];
    assert.ok(box.y + box.height <= tabs.y + 1 && box.height === 32, 'above the tabs');
    await row.getByRole('button', { name: /Details/ }).click();
    await page.locator('.m-card').waitFor();
    await settled(page);
    await page.keyboard.press('i');
    await row.getByRole('button', { name: 'unpin' }).click();
    await until('no row', async () => (await row.count()) === 0);
  });
});

const remat = sharedLogdir('tpu_transformer_remat');
test('a dump without buffer assignment: each page says that its memory is unknown, none calls it exact', { skip: !remat }, async () => {
  // The proto alone: the texts beside it hold the assignment.
  const folder = temporary('bare'), name = 'jit_train_step.after_codegen.hlo.pb.gz';
  copyFileSync(join(remat, '../xla', name), join(folder, name));
  const dump = await serve(folder);
  const [run] = (await dump.api('runs')).id;
  await withPage(dump.url, { hash: `#run=${run}` }, async (page, { forgive }) => {
    const empty = page.locator('.empty-state');
    await until('the sentence', async () => /^The memory of this program is not known This module has no buffer assignment/.test(await read(empty)));
    forgive(/answer 404/);
    const boxes = await empty.locator('a, button').evaluateAll((all) => all.map((one) => one.getBoundingClientRect()).map(({ left, right }) => [left, right]));
    for (let k = 1; k < boxes.length; k++) assert.ok(boxes[k][0] >= boxes[k - 1][1] + 6, 'ways out stand apart');
    await empty.getByText("What is in this run's files").click();
    const works = page.getByRole('table', { name: 'what works' });
    await until('the table', async () => /Memory not known these files have no buffer assignment, so peak and buffers are unknown/.test(await read(works)));
    assert.match(await read(page.locator('.file-bar')), /one program/);
    assert.doesNotMatch(await read(works), /exact| , whole/);
  });
  await dump.stop();
});

test('files of a run: heap files are files, no hosts with a program; Memory that works is not called missing; a peak is whole beside its state', async () => {
  const own = await serve(testdata);
  const { id } = await own.api('runs');
  const files = (start) => `#run=${id.find((one) => one.startsWith(start))}&tool=files`;
  const works = (page) => read(page.getByRole('table', { name: 'what works' }));
  await withPage(own.url, { hash: files('device_memory') }, async (page) => {
    await matches(() => read(page.locator('.files-top .row').first()), /\b\d+ files,/, 'files');
    assert.match(await read(page.locator('.file-bar').first()), /heap file what a process held/);
    assert.match(await works(page), /Memory (heap file )+what each process held/);
    assert.doesNotMatch(await read(page.locator('.files-page')), /missing bytes|could be read \bmodule\b/);
  });
  await withPage(own.url, { hash: files('tf_leak') }, async (page) => {
    await matches(() => works(page), /Memory (over time )+what the runtime allocated; no program in these files/, 'measured memory');
    await matches(() => read(page.locator('.saved h2')), /\d\.\d{3} m?s; a file/, 'as elsewhere');
  });
  await withPage(own.url, { hash: files('tpu_padded_oom') }, async (page) => {
    const cell = page.locator('.files-modules td.num').filter({ hasText: 'did not compile' });
    await cell.waitFor();
    assert.ok(await cell.evaluate((box) => box.scrollWidth <= box.clientWidth && box.getBoundingClientRect().left > box.previousElementSibling.getBoundingClientRect().left + 60));
    assert.ok(await page.locator('.files-right').evaluate((box) => box.scrollWidth <= box.clientWidth), 'nothing beside the column');
  });
  await own.stop();
});

const many = sharedLogdir('tpu_many_modules');
test('files of a run: the peak of each module is whole, however long its name', { skip: !many }, async () => {
  const own = await serve(many);
  const [run] = (await own.api('runs')).id;
  await withPage(own.url, { hash: `#run=${run}&tool=files` }, async (page) => {
    const right = page.locator('.files-right');
    await until('the peaks', async () => (await right.locator('td.num').count()) > 3);
    assert.ok(await right.evaluate((box) => box.scrollWidth <= box.clientWidth), 'nothing beside the column');
    for (const cell of await right.locator('td.num').all()) {
      const box = await cell.boundingBox();
      assert.ok(box.x + box.width <= 1366, await cell.innerText());
    }
  });
  await own.stop();
});
