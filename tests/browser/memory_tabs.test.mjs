// The tabs below the charts: bars, buffers, scopes, modules, findings, and what they export.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test, { after, before } from 'node:test';

import { becomes, copied, csv, download, eachLook, exact, inAddress, inUnit, isDrawn, makeLogdir, mib, pictureOf, quit, read, said, serve, sharedLogdir, sum, testdata, toastSays, until, viewOf, withPage, settled } from './lib.mjs';
import { cell, drawn, foldOf, hoverOf, openTab, own, peakLine, pointAt, ready } from './memory.mjs';

const DEMO = { run: 'demo/aot' };
const LAYERS = { run: 'layers/aot' };
const MLP = { run: 'mlp/run0' };
const hash = (view) => `#${new URLSearchParams({ tool: 'memory', ...view })}`;

let server;
before(async () => {
  server = await serve(
    makeLogdir({ demo: join(testdata, 'tpu_padded_demo/logdir'), layers: join(testdata, 'tpu_scan_layers/logdir'), mlp: join(testdata, 'cpu_mlp_train/logdir') }),
  );
});
after(async () => {
  await quit();
  await server?.stop();
});

const bars = (page) => page.locator('.m-bar-canvas');
/** Rows of the table on screen: the first column and the others, as texts. */
const table = (page, label) =>
  page.locator(`.vt[aria-label="${label}"]`).evaluate((grid) => {
    const titles = [...grid.querySelectorAll('.vt-head > *')].map((head) => head.textContent.replace(/ [▾▴]$/, '').trim());
    return [...grid.querySelectorAll('.vt-row')].map((row) => Object.fromEntries([...row.children].map((child, i) => [titles[i], child.textContent.trim()])));
  });
const buffers = (page) => table(page, 'buffers');
const names = async (page) => (await buffers(page)).map((row) => row.buffer);
const namesOf = (answer) => answer.name.map((at) => answer.names[at]);
/** The rows of the table are those of the answer: as many as there is room for, in its order. */
async function rowsAre(page, answer, what) {
  const wanted = namesOf(answer);
  let got = [];
  await until(what, async () => {
    got = await names(page);
    return got.length >= Math.min(wanted.length, 6) && got.join('\n') === wanted.slice(0, got.length).join('\n');
  }).catch(() => assert.deepEqual(got, wanted.slice(0, Math.max(got.length, Math.min(wanted.length, 6))), what));
}
const headOf = (page, title) => page.locator('.vt-head').getByRole('button', { name: title });
const choice = (page, label) => page.locator('.m-controls label', { hasText: new RegExp(`^${label} `) }).locator('select');

eachLook('bars: three orders whose widths are bytes; hover marks, click pins, folding keeps the sums', async (look) => {
  const live = await server.api('memory/live', { ...LAYERS, order: 'size' });
  const total = live.live_bytes;
  await withPage(server.url, { ...look, hash: hash(LAYERS) }, async (page) => {
    await drawn(page);
    await becomes(() => bars(page).count(), 3);
    const padding = live.size_bytes.reduce((all, size, k) => all + Math.max(0, size - (live.unpadded_bytes[k] ?? size)), 0) + live.small.size_bytes - live.small.unpadded_bytes;
    const labels = () => page.locator('.m-bar-label').allInnerTexts().then((all) => all.map((text) => text.replace(/\s+/g, ' ')));
    const titles = () => page.locator('.m-bar-label span').evaluateAll((all) => all.map((label) => label.title));
    assert.deepEqual(await labels(), [`by program order ${mib(total)}`, `by size ${mib(total)}`, `by padding ${own(padding)}`]);
    assert.deepEqual(await titles(), [exact(total), exact(total), exact(padding)]);
    for (let i = 0; i < 3; i++) await until(`bar ${i}`, () => isDrawn(bars(page).nth(i)));
    assert.match(await read(page.locator('.m-step-line, .m-tab-row').first()), new RegExp(`${live.count} buffers, ${mib(live.live_bytes)}`));
    // By size: the first box is the largest; hover names it, marks it in the map and in the other bars.
    const bySize = bars(page).nth(1);
    const box = await bySize.boundingBox();
    const before = [await pictureOf(page.locator('.m-map-canvas')), await pictureOf(bars(page).nth(0))];
    await pointAt(page, bySize, { x: 10, y: box.height / 2 });
    const first = live.names[live.name[0]];
    await becomes(async () => (await hoverOf(page).locator('.m-hover-head').allInnerTexts())[0], `%${first}`);
    assert.ok((await read(hoverOf(page))).includes(`${mib(live.size_bytes[0])}, ${exact(live.size_bytes[0])}`));
    await until('the mark in the bar by program order', async () => (await pictureOf(bars(page).nth(0))) !== before[1]);
    // The second box begins where the first one's bytes end.
    const width = (live.size_bytes[0] / total) * box.width;
    await pointAt(page, bySize, { x: width + 6, y: box.height / 2 });
    await becomes(async () => (await hoverOf(page).locator('.m-hover-head').allInnerTexts())[0], `%${live.names[live.name[1]]}`);
    await bySize.click({ position: { x: width + 6, y: box.height / 2 } });
    await inAddress(page, { pin: String(live.buffer[1]) });
    await becomes(() => read(page.locator('.m-card-title code')), `%${live.names[live.name[1]]}`);
    await bySize.click({ position: { x: width + 6, y: box.height / 2 } });
    await inAddress(page, { pin: null });
    // What is too narrow stands as one box with its count; a click opens the table.
    await pointAt(page, bySize, { x: box.width - 2, y: box.height / 2 });
    await until('the small ones', async () => /buffers too narrow to draw individually/.test(await read(hoverOf(page))));
    // Fold: the number of boxes changes, the sums do not.
    const fold = page.locator('.m-tab-row').first().getByRole('button', { name: /folded|fold below/ });
    await fold.click();
    const slider = page.getByRole('slider');
    for (const [key, bytes] of [['Home', 0], ['End', 32 * (await foldOf(server, LAYERS))]]) {
      await slider.press(key);
      await inAddress(page, { fold: String(bytes) });
      const now = await server.api('memory/live', { ...LAYERS, order: 'size', fold_bytes: bytes });
      assert.equal(sum(now.size_bytes) + now.small.size_bytes + now.rest.size_bytes - now.overlap_bytes, total);
      await until('the answer', async () => (await slider.getAttribute('aria-valuetext')) === (bytes ? own(bytes).replace('.0 ', ' ') : '0'));
      assert.deepEqual(await titles(), [exact(total), exact(total), exact(padding)], `folded below ${bytes}`);
    }
    await page.keyboard.press('Escape');
    await becomes(() => slider.count(), 0);
  });
});

eachLook('compare with another step', async (look) => {
  const diff = await server.api('memory/diff', { ...LAYERS, a: 105, b: 20 });
  await withPage(server.url, { ...look, hash: hash(LAYERS) }, async (page) => {
    await drawn(page);
    await page.getByRole('button', { name: 'compare …' }).click();
    const field = page.locator('.m-cap-form input');
    await field.fill('999');
    await becomes(() => field.getAttribute('aria-invalid'), 'true');
    await field.fill('20');
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await inAddress(page, { b: '20' });
    const line = page.locator('.m-diff-line');
    await becomes(async () => (await line.count()) && read(line),
      `step 105 holds ${mib(diff.a_bytes)}, step 20 ${mib(diff.b_bytes)} (${inUnit(diff.b_bytes - diff.a_bytes, 'MiB', { plus: true })} MiB); ${mib(diff.both_bytes)} are held at both`);
    const sides = await page.locator('.m-diff-sides h3').allInnerTexts();
    assert.deepEqual(sides.map((text) => text.replace(/\s+/g, ' ')), [
      `only at step 105: ${mib(diff.only_a_bytes)}, ${diff.only_a.n} buffer${diff.only_a.n === 1 ? '' : 's'}`,
      `only at step 20: ${mib(diff.only_b_bytes)}, ${diff.only_b.n} buffer${diff.only_b.n === 1 ? '' : 's'}`,
    ]);
    const first = page.locator('.m-diff-sides li button').first();
    assert.equal(await read(first), `%${diff.names[diff.only_a.name[0]]}`);
    await first.click();
    await inAddress(page, { pin: String(diff.only_a.buffer[0]) });
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'stop comparing' }).click();
    await inAddress(page, { b: null });
    assert.equal(await line.count(), 0);
  });
});

eachLook('buffers: sort, filter, regex, group, class, dtype, columns', async (look) => {
  const ask = async (more) => server.api('memory/buffers', { ...LAYERS, at: 105, fold_bytes: await foldOf(server, LAYERS), sort: 'saving', desc: 1, ...more });
  await withPage(server.url, { ...look, hash: hash({ ...LAYERS, tab: 'buffers' }) }, async (page) => {
    await drawn(page);
    const first = await ask({});
    await rowsAre(page, first, 'by saving');
    assert.deepEqual((await buffers(page))[0], {
      buffer: namesOf(first)[0], shape: first.names[first.shape[0]].replace(/\{.*\}/, ''), scope: first.names[first.scope[0]] || first.names[first.op_name[0]], size: cell(first.size_bytes[0]),
      padding: cell(first.padding_bytes[0]), 'saving at peak': cell(first.saving_bytes[0]), life: '', source: first.class[0] !== null && first.names[first.class[0]] === 'parameter' ? 'argument' : (first.names[first.source[0]].split('/').at(-1) || 'none'),
    });
    assert.match(await said(page.locator('.m-total')), new RegExp(`^${first.total} buffers, ${mib(first.matched_bytes)}; ${first.folded.count} folded`));
    assert.equal(await page.locator('.m-total span').first().getAttribute('title'), exact(first.matched_bytes));
    // Every head sorts, a second click the other way round.
    for (const [title, sort, desc] of [['size', 'size', 1], ['size', 'size', 0], ['padding', 'padding', 1], ['buffer', 'name', 0], ['buffer', 'name', 1], ['shape', 'shape', 0], ['scope', 'scope', 0], ['source', 'source', 0], ['life', 'life', 1], ['saving at peak', 'saving', 1]]) {
      await headOf(page, title).click();
      await inAddress(page, { sort: sort === 'saving' ? null : sort, desc: desc ? null : '0' });
      await rowsAre(page, await ask({ sort, desc }), `${title} ${desc}`);
    }
    // Filters.
    const field = page.locator('.m-filter');
    const counts = async (more, what) => {
      const answer = await ask(more);
      const folded = answer.folded.count > 0 ? `; ${answer.folded.count} folded` : '';
      const shown = answer.matched === answer.total ? `${answer.total} buffers` : `${answer.matched} of ${answer.total} buffers`;
      await becomes(async () => (await read(page.locator('.m-total span').first())), `${shown}, ${answer.matched_bytes ? mib(answer.matched_bytes) : '0'}${folded}`, what);
      if (answer.n) await rowsAre(page, answer, what);
      return answer;
    };
    await field.fill('blocks');
    await inAddress(page, { filter: 'blocks' });
    assert.ok((await counts({ filter: 'blocks' }, 'text')).matched > 3);
    await field.fill('/^params.*up/');
    assert.ok((await counts({ filter: '/^params.*up/' }, 'regex')).matched > 0);
    await field.fill('f32[24,');
    await counts({ filter: 'f32[24,' }, 'shape');
    await field.fill('/((/');
    const note = (await ask({ filter: '/((/' })).filter_note;
    assert.ok(note);
    await becomes(() => page.locator('.m-note.warn').allInnerTexts(), [note], 'what is wrong with it');
    await becomes(async () => (await read(page.locator('.vt-empty'))).startsWith('no buffer matches'), true);
    await field.fill('');
    await inAddress(page, { filter: null });
    await choice(page, 'class').selectOption('parameter');
    await inAddress(page, { class: 'parameter' });
    await counts({ class: 'parameter' }, 'class');
    await page.getByRole('button', { name: 'remove the filter class parameter' }).first().click();
    await inAddress(page, { class: null });
    await choice(page, 'dtype').selectOption('bf16');
    await counts({ dtype: 'bf16' }, 'dtype');
    await page.locator('.vt[aria-label="buffers"]').focus();
    await page.keyboard.press('Escape');
    await inAddress(page, { dtype: null });
    // Of all steps.
    await page.locator('.m-total select').selectOption('all');
    await inAddress(page, { at: 'all' });
    await counts({ at: 'all' }, 'all steps');
    await page.locator('.m-total select').selectOption('105');
    await inAddress(page, { at: null });
    // Groups: each sums to the same bytes; opening one shows its buffers.
    for (const by of ['scope', 'source', 'opcode', 'dtype', 'class', 'group', 'shape']) {
      await choice(page, 'group by').selectOption(by);
      await inAddress(page, { by });
      const answer = await ask({ by });
      const groups = Array.from({ length: answer.groups.n }, (_, k) => [answer.groups.count[k], answer.groups.size_bytes[k]]);
      await becomes(async () => {
        const rows = await table(page, `buffers by ${by}`).catch(() => []);
        return rows.slice(0, 1).map((row) => [row.buffers, row.size]);
      }, [[String(groups[0][0]), cell(groups[0][1])]], by);
      if (answer.groups.left_out === 0) assert.equal(sum(groups.map(([, bytes]) => bytes)) + answer.folded.size_bytes, answer.matched_bytes, by);
    }
    await choice(page, 'group by').selectOption('dtype');
    const dtype = await ask({ by: 'dtype' });
    const name = (k) => (typeof dtype.groups.name[k] === 'number' ? dtype.names[dtype.groups.name[k]] : dtype.groups.name[k]);
    await becomes(async () => (await table(page, 'buffers by dtype').catch(() => [])).slice(0, 1).map((row) => row.buffers), [String(dtype.groups.count[0])], 'the rows of types');
    await page.locator('.vt-row', { hasText: name(0) }).first().click();
    await inAddress(page, { dtype: name(0) });
    await counts({ dtype: name(0) }, 'the group that was opened');
    await choice(page, 'group by').selectOption('none');
    await choice(page, 'dtype').selectOption('all');
    // Columns: chosen, kept, as at first again.
    await page.getByRole('button', { name: 'columns' }).click();
    const boxes = page.locator('.m-columns');
    for (const title of ['opcode', 'address', 'from step', 'to step', 'first use', 'last use', 'class', 'dtype', 'without padding']) await boxes.getByLabel(title, { exact: true }).check();
    await boxes.getByLabel('scope', { exact: true }).uncheck();
    const heads = () => page.locator('.vt-head > *').evaluateAll((all) => all.map((head) => head.textContent.replace(/ [▾▴]$/, '').trim()));
    await becomes(async () => ((await heads()).includes('address') && !(await heads()).includes('scope')), true);
    await until('rows', async () => (await buffers(page)).length > 5);
    const row = (await buffers(page))[0];
    assert.deepEqual([row.dtype, row.class, row['without padding']], [first.names[first.dtype[0]], 'argument', cell(first.unpadded_bytes[0])]);
    await page.keyboard.press('Escape');
    await page.reload();
    await drawn(page);
    await becomes(async () => (await heads()).includes('address'), true, 'kept per browser');
    await page.getByRole('button', { name: 'columns' }).click();
    await boxes.getByRole('button', { name: 'reset' }).click();
    await becomes(heads, ['buffer', 'shape', 'scope', 'size', 'padding', 'saving at peak', 'life', 'source']);
  });
});

test('buffers: ticks ask what the peak would be; keys; a click pins', async () => {
  await withPage(server.url, { hash: hash({ ...LAYERS, tab: 'buffers', sort: 'size' }) }, async (page) => {
    await drawn(page);
    const answer = await server.api('memory/buffers', { ...LAYERS, at: 105, fold_bytes: await foldOf(server, LAYERS), sort: 'size' });
    await rowsAre(page, answer, 'by size');
    const line = page.locator('.m-whatif');
    const without = async (list) => {
      const w = await server.api('memory/whatif', { ...LAYERS, buffers: list.join(',') });
      const start = list.length === 1 ? 'without this one' : `without these ${list.length}`;
      await becomes(async () => (await line.count()) && said(line), `${start}: peak ${mib(w.new_peak_bytes)} (${w.saving_bytes ? inUnit(-w.saving_bytes, 'MiB') : 'no change'}) at step ${w.new_step}clear`);
      assert.equal(await line.locator('b').getAttribute('title'), exact(w.new_peak_bytes));
    };
    await page.locator('.vt-row input').nth(0).check();
    await without([answer.buffer[0]]);
    await page.locator('.vt-row').nth(2).click({ modifiers: ['Control'] });
    await without([answer.buffer[0], answer.buffer[2]]);
    await page.locator('.vt-row input').nth(0).uncheck();
    await without([answer.buffer[2]]);
    await line.getByRole('button', { name: 'clear' }).click();
    await becomes(() => line.count(), 0);
    assert.equal(viewOf(page).pin, undefined, 'ticking is not pinning');
    // Keys of the table, when the line above it has gone and the rows have moved.
    await settled(page);
    await page.locator('.vt-row').nth(1).click();
    await inAddress(page, { pin: String(answer.buffer[1]) });
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await inAddress(page, { pin: String(answer.buffer[2]) });
    const grid = page.locator('.vt[aria-label="buffers"]');
    await grid.focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('Space');
    await inAddress(page, { pin: String(answer.buffer[0]) });
    // Enter and Home before the page has drawn the pin: the cursor stays where Home put it.
    await grid.evaluate((table) => {
      for (const key of ['ArrowDown', 'Enter', 'Home']) table.dispatchEvent(new KeyboardEvent('keydown', { key, code: key, bubbles: true, cancelable: true }));
    });
    await inAddress(page, { pin: String(answer.buffer[1]) });
    await settled(page);
    await page.keyboard.press('Space');
    await inAddress(page, { pin: String(answer.buffer[0]) });
    await page.keyboard.press('Shift+C');
    await toastSays(page, /^row copied$/);
    const [name, , size] = (await copied(page)).split('\t');
    assert.deepEqual([name, Number(size)], [`%${namesOf(answer)[0]}`, answer.size_bytes[0]]);
    await page.keyboard.press('End');
    await until('the last row', async () => (await names(page)).at(-1) === namesOf(answer).at(-1));
    await page.keyboard.press('g');
    await inAddress(page, { by: 'scope' });
    // Right and left: through the rows.
    await page.goto(`${server.url}${hash({ ...LAYERS, tab: 'buffers', sort: 'size', pin: answer.buffer[0] })}`);
    await rowsAre(page, answer, 'again');
    await page.locator('.m-chart-canvas').focus();
    await page.keyboard.press('ArrowRight');
    await inAddress(page, { pin: String(answer.buffer[1]) });
    await page.keyboard.press('ArrowLeft');
    await inAddress(page, { pin: String(answer.buffer[0]) });
  });
});

eachLook('buffers: thousands of rows, few elements, all of them reachable', async (look, _first, t) => {
  const root = sharedLogdir('tpu_big_transformer');
  if (!root) return t.skip('no shared data');
  const big = await serve(root);
  const { id: [run] } = await big.api('runs');
  await withPage(big.url, { ...look, hash: hash({ run, tab: 'buffers', at: 'all', fold: 0, sort: 'name', desc: '0' }) }, async (page) => {
    await ready(page);
    const head = await big.api('memory/buffers', { run, at: 'all', sort: 'name', desc: 0, limit: 1 });
    assert.ok(head.total > 5000, `${head.total} buffers`);
    const grid = page.locator('.vt[aria-label="buffers"]');
    await becomes(() => grid.getAttribute('aria-rowcount'), String(head.total + 1), 'rows', 15000);
    for (const place of [0, 0.5, 1]) {
      await grid.evaluate((element, share) => { element.scrollTop = share * (element.scrollHeight - element.clientHeight); }, place);
      const shown = await until(`rows at ${place}`, async () => {
        const rows = await page.locator('.vt-row').evaluateAll((all) => all.map((row) => [Number(row.getAttribute('aria-rowindex')) - 2, row.querySelector('code')?.textContent ?? null]));
        const there = rows.length > 5 && rows.every(([, name]) => name !== null) && (place === 0 ? rows[0][0] === 0 : rows.at(-1)[0] >= place * (head.total - 1));
        return there && rows;
      }, 15000);
      assert.ok(shown.length < 100, `${shown.length} elements`);
      const answer = await big.api('memory/buffers', { run, at: 'all', sort: 'name', desc: 0, offset: shown[0][0], limit: shown.length });
      assert.deepEqual(shown.map(([, name]) => name), namesOf(answer), `at ${place}`);
    }
    assert.equal((await page.locator('.vt-row').last().getAttribute('aria-rowindex')), String(head.total + 1), 'the last one');
    // All of them are saved, in both forms.
    const saved = (kind) => download(page, () => page.locator('.m-exports').getByText(kind, { exact: true }).last().click()).then(({ text }) => text);
    const json = JSON.parse(await saved('JSON'));
    assert.deepEqual([json.n, json.buffer.length], [head.total, head.total]);
    assert.equal(csv(await saved('CSV')).length, head.total);
  });
  await big.stop();
});

eachLook('by scope: an icicle whose widths are bytes; a click narrows, the chip ends it', async (look) => {
  const tree = await server.api('memory/tree', { ...LAYERS, by: 'scope', at: 105 });
  const name = (k) => tree.names[tree.name[k]];
  await withPage(server.url, { ...look, hash: hash({ ...LAYERS, tab: 'scope' }) }, async (page) => {
    await drawn(page);
    const icicle = page.locator('.m-icicle-canvas');
    await until('the icicle', async () => (await icicle.count()) === 1 && isDrawn(icicle));
    const width = (await icicle.boundingBox()).width;
    // The first child begins at the left and is as wide as its bytes.
    const first = tree.parent.indexOf(0);
    await icicle.hover({ position: { x: 4, y: 30 } });
    await becomes(async () => read(hoverOf(page).locator('.m-hover-head')), name(first));
    assert.ok((await read(hoverOf(page))).includes(exact(tree.size_bytes[first])));
    const second = tree.parent.indexOf(0, first + 1);
    await icicle.hover({ position: { x: (tree.size_bytes[first] / tree.total_bytes) * width + 4, y: 30 } });
    await becomes(async () => read(hoverOf(page).locator('.m-hover-head')), name(second));
    const map = await pictureOf(page.locator('.m-map-canvas'));
    await icicle.click({ position: { x: (tree.size_bytes[first] / tree.total_bytes) * width + 4, y: 30 } });
    await inAddress(page, { scope: name(second) });
    const narrowed = await server.api('memory/buffers', { ...LAYERS, at: 'all', scope: name(second) });
    assert.ok(narrowed.matched > 0 && narrowed.matched < narrowed.total);
    await until('bars or map to pale', async () => (await pictureOf(page.locator('.m-map-canvas'))) !== map).catch(() => {
      throw new Error('a click in the icicle narrows every chart: the address map does not change');
    });
    await page.locator('.m-chip', { hasText: name(second) }).first().getByRole('button').click();
    await inAddress(page, { scope: null });
    for (const by of ['source', 'class']) {
      await page.locator('.m-scope select').selectOption(by);
      await inAddress(page, { treeby: by });
      const other = await server.api('memory/tree', { ...LAYERS, by, at: 105 });
      await icicle.hover({ position: { x: 4, y: 10 } });
      await becomes(() => read(hoverOf(page).locator('.m-hover-head')), 'everything held');
      await icicle.hover({ position: { x: 4, y: 30 } });
      await becomes(() => read(hoverOf(page).locator('.m-hover-head')), other.names[other.name[other.parent.indexOf(0)]]);
    }
    await page.locator('.m-scope select').selectOption('scope');
    // The table twin has the same parts.
    await page.mouse.move(2, 2);
    await page.keyboard.press('t');
    await inAddress(page, { table: '1' });
    await becomes(async () => (await table(page, 'held at step 105, by scope').catch(() => [])).slice(0, 2).map((row) => [row.part, row.size, row.buffers]), [
      ['all', mib(tree.size_bytes[0]), String(tree.count[0])],
      [name(first), mib(tree.size_bytes[first]), String(tree.count[first])],
    ]);
    await page.keyboard.press('t');
    await inAddress(page, { table: null });
  });
});

eachLook('all modules: sort, open another, two of one name stay apart', async (look) => {
  const modules = await server.api('modules', MLP);
  await withPage(server.url, { ...look, hash: hash({ ...MLP, tab: 'modules' }) }, async (page) => {
    await ready(page);
    const rows = () => table(page, 'all modules').catch(() => []);
    await becomes(async () => (await rows()).length > 0, true);
    const order = modules.key.map((_, k) => k).sort((a, b) => modules.peak_bytes[b] - modules.peak_bytes[a]);
    const shown = await rows();
    assert.deepEqual(shown.slice(0, 5).map((row) => [row.module, row['program id'], row.peak]), order.slice(0, 5).map((k) => [modules.name[k], modules.program_id[k], cell(modules.peak_bytes[k])]));
    assert.deepEqual([shown[0].arguments, shown[0].temporaries, shown[0].fragmentation, shown[0].buffers], [cell(6831740), cell(modules.temp_bytes[order[0]]), cell(modules.fragmentation_bytes[order[0]]), '104']);
    await headOf(page, 'module').click();
    await becomes(async () => (await rows())[0].module, 'jit_broadcast_in_dim');
    await headOf(page, 'peak').click();
    await headOf(page, 'peak').click();
    await becomes(async () => (await rows())[0].peak, cell(Math.min(...modules.peak_bytes)));
    await headOf(page, 'peak').click();
    // Opening another changes every number (XProf issue 1569: it kept those of the module before).
    await becomes(() => read(peakLine(page)), 'Peak 8.8 MiB');
    const seen = new Set();
    for (const key of ['jit_broadcast_in_dim(8)', 'jit_broadcast_in_dim(10)', 'jit_train_step(18)']) {
      const at = modules.key.indexOf(key);
      const id = modules.program_id[at];
      await page.locator('.vt-row', { has: page.locator('code', { hasText: modules.name[at] }) }).filter({ has: page.locator('.vt-cell', { hasText: new RegExp(`^${id}$`) }) }).click();
      await inAddress(page, { module: key });
      const s = await server.api('memory/summary', { ...MLP, module: key });
      assert.equal(s.peak.held_bytes, modules.peak_bytes[at]);
      await becomes(() => page.locator('.m-peak').getAttribute('title').then((title) => title.split('\n')[0]), `peak ${exact(s.peak.held_bytes)}`, key);
      assert.ok((await page.locator('.m-head-legend .m-key').first().getAttribute('title')).startsWith(`Arguments: ${exact(s.split.argument_bytes)}`), key);
      await becomes(() => read(page.locator('.vt-row.pinned').first()).then((text) => text.includes(modules.name[at]) && text.includes(id)), true, `${key} is marked`);
      seen.add(s.peak.held_bytes);
    }
    assert.equal(seen.size, 3);
  });
});

eachLook('findings are counted on their tab; the table twin of the bars', async (look) => {
  const live = await server.api('memory/live', { ...DEMO, order: 'size' });
  await withPage(server.url, { ...look, hash: hash(DEMO) }, async (page) => {
    await drawn(page);
    const findings = page.getByRole('tab', { name: 'Findings' });
    const { found } = await server.api('doctor', DEMO);
    await becomes(() => read(findings), `Findings ${found}`);
    await findings.click();
    await inAddress(page, { tab: 'findings' });
    await becomes(() => page.locator('.d-row').count(), found);
    await page.getByRole('tab', { name: 'At step' }).click();
    await page.keyboard.press('t');
    await becomes(async () => (await table(page, 'held at this step, by size').catch(() => [])).slice(0, 3).map((row) => [row.buffer, row.size]), live.size_bytes.slice(0, 3).map((size, k) => [`%${live.names[live.name[k]]}`, own(size)]));
    await page.locator('.vt[aria-label="held at this step, by size"] .vt-row').nth(1).click();
    await inAddress(page, { pin: String(live.buffer[1]) });
  });
});

eachLook('exports: CSV, JSON and PNG of each tab hold what the page shows', async (look) => {
  await withPage(server.url, { ...look, hash: hash(LAYERS) }, async (page) => {
    await drawn(page);
    // A wide page shows the step, the scopes and the buffers at once, each with its own.
    const wide = look.size.width > 2000;
    const save = (name, pane = 0) => download(page, () => page.locator('.m-exports').nth(wide ? pane : 0).getByText(name, { exact: true }).click());
    const s = await server.api('memory/summary', LAYERS);
    // At step: rows, small and rest make up the live bytes.
    let file = await save('CSV');
    assert.equal(file.name, 'layers_aot.jit_train_step.step105.csv');
    assert.equal(sum(csv(file.text).map((line) => line.size_bytes)), s.peak.held_bytes);
    file = await save('JSON');
    assert.equal(JSON.parse(file.text).live_bytes, s.peak.held_bytes);
    // Buffers, as filtered.
    await openTab(page, /^Buffers/);
    await page.locator('.m-filter').fill('blocks');
    await until('the filter', async () => /\d of \d/.test(await read(page.locator('.m-total'))));
    const answer = await server.api('memory/buffers', { ...LAYERS, at: 105, filter: 'blocks', fold_bytes: await foldOf(server, LAYERS) });
    file = await save('CSV', 2);
    assert.equal(sum(csv(file.text).map((line) => line.size_bytes)), answer.matched_bytes); // what is folded has a line of its own
    file = await save('JSON', 2);
    assert.deepEqual([JSON.parse(file.text).matched, JSON.parse(file.text).matched_bytes], [answer.matched, answer.matched_bytes]);
    // By scope: children add up to their parent.
    await openTab(page, 'By scope');
    await until('the icicle', async () => (await page.locator('.m-icicle-canvas').count()) === 1);
    const tree = await server.api('memory/tree', { ...LAYERS, at: 105, fold: 'numbers' });
    file = await save('CSV', 1);
    const lines = csv(file.text);
    assert.equal(lines.length, tree.n);
    assert.equal(Number(lines[0].bytes), tree.total_bytes);
    assert.equal(sum(lines.filter((line) => !/^\u2003/.test(line.part)).slice(1).map((line) => line.bytes)), tree.total_bytes);
    file = await save('JSON', 1);
    assert.deepEqual([JSON.parse(file.text).n, JSON.parse(file.text).total_bytes], [tree.n, tree.total_bytes]);
    // The picture: a PNG of the canvas.
    await page.getByRole('button', { name: 'PNG' }).first().click();
    const picture = await download(page, () => page.locator('.m-menu').getByRole('button', { name: 'by scope' }).click());
    assert.equal(picture.bytes.subarray(1, 4).toString(), 'PNG');
    const [width] = await page.locator('.m-icicle-canvas').evaluate((canvas) => [canvas.width]);
    assert.equal(picture.bytes.readUInt32BE(16), width);
    // All modules.
    await openTab(page, /^All modules/);
    await until('the table', async () => (await page.locator('.vt-row').count()) > 0);
    file = await save('CSV', 2);
    assert.ok(csv(file.text).some((line) => Number(line.peak_bytes) === s.peak.held_bytes));
  });
});

test('buffers of one name but for its end, and lines of one file, are told apart where they are cut', async () => {
  await withPage(server.url, { hash: hash({ ...MLP, tab: 'buffers', at: 'all' }) }, async (page) => {
    await drawn(page);
    const rows = page.locator('.vt-row');
    await rows.first().waitFor();
    /** Names, and sources, whose end is beyond the edge of their cell. */
    const lost = () =>
      rows.evaluateAll((all) =>
        all.flatMap((row) => [...row.querySelectorAll('.middle, .cut-front > bdi')]).filter((one) => {
          const range = document.createRange();
          range.selectNodeContents(one.lastChild);
          return range.getBoundingClientRect().right > one.closest('.vt-cell').getBoundingClientRect().right + 1;
        }).length,
      );
    await until('long names and sources', async () => (await rows.locator('.middle').count()) > 0 && (await rows.locator('.cut-front').count()) > 0);
    await becomes(lost, 0, 'ends that are cut');
  });
});
