// The pages around the tools as a person sees them: nothing cut, nothing beside the window, the words of the mock-ups.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test, { after, before } from 'node:test';

import { becomes, cutProfile, makeLogdir, makeOld, putFile, quit, read, serve, settled, sharedLogdir, SIZES, temporary, testdata, until, withPage } from './lib.mjs';
import { drawn } from './memory.mjs';

const SMALL = SIZES[0];
const NARROW = { width: 900, height: 1000 };
const PHONE = { width: 420, height: 900 };

let runs;
let none;
let empty;
before(async () => {
  const root = makeLogdir({
    'ci/train-v5e/8b02f7a/layers_in_a_loop': join(testdata, 'tpu_scan_layers/logdir/plugins/profile/aot'),
    'ci/train-v5e/c41d9e2/layers_in_a_loop': join(testdata, 'tpu_scan_layers/logdir/plugins/profile/aot'),
    'ci/padded-v5e/c41d9e2/padded': join(testdata, 'tpu_padded_oom'),
    local: join(testdata, 'cpu_mlp_train/logdir'),
  });
  cutProfile(root, 'cut/plugins/profile/run1/host0.xplane.pb', 0.6);
  makeOld(root, 'ci/train-v5e/8b02f7a', 90);
  runs = await serve(root);
  empty = temporary('none');
  putFile(empty, 'logs/events.out.tfevents.1762.vm', 'x');
  none = await serve(empty);
});
after(async () => {
  await quit();
  await runs?.stop();
  await none?.stop();
});

/** Texts whose box is cut: by their own overflow, by a scroller's edge, or by the window. */
const cutOf = (locator) =>
  locator.evaluateAll((all) =>
    all
      .filter((element) => {
        const box = element.getBoundingClientRect();
        if (!box.width || !box.height) return true;
        if (element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display !== 'inline') return true;
        for (let up = element.parentElement; up; up = up.parentElement) {
          const style = getComputedStyle(up);
          if (style.overflowX === 'visible' && style.overflowY === 'visible') continue;
          const edge = up.getBoundingClientRect();
          if (box.left < edge.left - 1 || box.right > edge.right + 1 || box.top < edge.top - 1 || box.bottom > edge.bottom + 1) return true;
        }
        return box.left < 0 || box.top < 0 || box.right > innerWidth + 0.5 || box.bottom > innerHeight + 0.5;
      })
      .map((element) => element.textContent.trim() || element.className));

const listed = (page) => until('all cards', async () => (await page.locator('.run-row').count()) > 0 && !(await page.locator('.start-headline').innerText()).includes('still to be read'));

test('address map: every word of the colours is whole, also where there are six', async (t) => {
  const logdir = sharedLogdir('tpu_transformer_oom');
  if (!logdir) return t.skip('shared/data/tpu_transformer_oom is not there');
  const server = await serve(join(logdir, '../xla'));
  for (const size of [SMALL, NARROW, { width: 1024, height: 768 }]) {
    for (const theme of ['light', 'dark']) {
      await withPage(server.url, { size, theme, hash: '#run=xla_dump' }, async (page) => {
        await drawn(page);
        const keys = page.locator('.m-keys > .m-key');
        await until('the colours', async () => (await keys.count()) > 4);
        assert.deepEqual(await cutOf(keys), [], `${size.width} ${theme}`);
        // Padding of a mebibyte beside a peak of 97 GiB reads as what it is, not as 0.00 GiB.
        await becomes(async () => (await page.locator('.m-bar-row', { hasText: 'by padding' }).innerText()).replace(/\s+/g, ' ').trim(), 'by padding 1.0 MiB');
        // What the numbers are, and of which device, stands at every width; shorter where it is tight.
        const badges = page.locator('.m-badges > *');
        assert.match((await badges.allInnerTexts()).join('; '), size === SMALL ? /from the compiler, not measured; did not compile; TPU$/ : /; not measured; did not compile; TPU$/);
        assert.deepEqual(await cutOf(badges), [], `${size.width} ${theme}`);
        assert.deepEqual(await cutOf(page.locator('.m-map > .m-legend').locator('input, button, select')), [], `${size.width} ${theme}`);
      });
    }
  }
  await server.stop();
});

test('keys: all of them without scrolling at 1366 x 768, none beside the window at any width', async () => {
  for (const size of [SMALL, SIZES[1], NARROW, PHONE]) {
    await withPage(runs.url, { size, hash: '#run=ci/padded-v5e/c41d9e2/padded/xla_dump' }, async (page) => {
      await page.locator('.m-peak-big').waitFor();
      await settled(page);
      await page.keyboard.press('?');
      const rows = page.locator('.help-row');
      await until('the keys', async () => (await rows.count()) > 60);
      if (size.width >= 1366) assert.deepEqual(await cutOf(rows), [], `${size.width}`);
      const beside = await rows.evaluateAll((all) => all.filter((row) => row.getBoundingClientRect().right > innerWidth || row.scrollWidth > row.clientWidth + 1).map((row) => row.textContent));
      assert.deepEqual(beside, [], `${size.width}`);
    });
  }
});

test('list of runs: paths are cut between folders only, and the details are whole', async () => {
  for (const size of [SMALL, NARROW]) {
    await withPage(runs.url, { size }, async (page) => {
      await listed(page);
      const paths = await page.locator('.run-path').evaluateAll((all) => all.map((path) => [path.title, path.textContent, path.scrollWidth > path.clientWidth + 1]));
      assert.ok(paths.length > 4);
      for (const [whole, shown, cut] of paths) {
        assert.equal(cut, false, `${shown} is cut again`);
        assert.ok(shown === '' || shown === whole || (shown.startsWith('…/') && whole.endsWith(shown.slice(1))), `${shown} of ${whole}`);
      }
      assert.ok(paths.some(([whole, shown]) => shown === whole), 'some stand whole');
      assert.deepEqual(await cutOf(page.locator('.run-name')), []);
      if (size === NARROW) return;
      await settled(page); // the order of the rows is theirs once all are read
      await page.locator('.run-row', { hasText: 'layers_in_a_loop' }).first().locator('.c-size').hover();
      const pane = page.getByLabel('selected run');
      await becomes(() => read(pane.locator('.card-title')), 'c41d9e2/layers_in_a_loop');
      await becomes(() => pane.locator('.sibling').count(), 2);
      for (const part of ['.card-where > :last-child', '.card-actions > *', '.card-peak', '.legend > *', '.in-it', '.sibling']) assert.deepEqual(await cutOf(pane.locator(part)), [], part);
      // The placeholder is read whole.
      const [text, room] = await page.getByLabel('filter the runs').evaluate((field) => {
        const pen = document.createElement('canvas').getContext('2d');
        pen.font = getComputedStyle(field).font;
        return [pen.measureText(field.placeholder).width, field.clientWidth];
      });
      assert.ok(text <= room, `placeholder of ${text} px in ${room}`);
    });
  }
});

test('empty logdir: recipes, the field for an error and the samples stand beside the diagnosis, on the first screen', async () => {
  await withPage(none.url, { size: SMALL }, async (page) => {
    await page.locator('.samples').waitFor();
    assert.deepEqual(await cutOf(page.locator('.empty-right h2, .empty-right .code-block, .empty-right textarea, .samples tr')), []);
    assert.deepEqual(await cutOf(page.locator('.empty-left h2, .empty-left .lies, .found')), []);
    assert.match(await read(page.locator('.found')), /events\.out\.tfevents\.1762\.vm This is a TensorBoard event file/);
  });
});

test('a file that is read slowly: percent, rate and time left are said, and what is not read yet is hatched, with nothing that would be untrue', async () => {
  await withPage(runs.url, { size: SMALL }, async (page) => {
    await listed(page);
    let done = 1.2e9;
    await page.route(/api\/v1\/(memory\/summary|run\?)/, (route) => {
      done += 2e7;
      const state = { state: 'loading', what: 'reading 4 files', done_bytes: done, total_bytes: 4.8e9, percent: (done / 4.8e9) * 100 };
      return route.fulfill({ status: 202, contentType: 'application/json', body: JSON.stringify(state) });
    });
    await page.goto(`${runs.url}#run=local/run0&tool=memory`);
    const strip = page.locator('.strip.reading');
    await until('the strip, though progress comes more often than twice a second', async () => (await strip.count()) === 1);
    await until('rate and time left', async () => /^Reading 4 files: \d\d % 1\.\d GB of 4\.8 GB, \d+\.\d [kM]B\/s, about \d+ (s|min) left\. Modules are read before events/.test(await read(strip)));
    const hatched = page.locator('.m-unread');
    await until('the hatching', async () => (await hatched.evaluate((box) => getComputedStyle(box).opacity)) === '1');
    const [box, main] = [await hatched.boundingBox(), await page.locator('.main').boundingBox()];
    assert.ok(Math.abs(box.width - main.width) < 2 && box.y + box.height >= main.y + main.height - 2, 'down to the foot');
    // Nothing shows through it: at each of these places is the hatching.
    const on = await page.evaluate(({ x, y, width, height }) =>
      [0.05, 0.3, 0.6, 0.95].flatMap((across) => [0.05, 0.4, 0.7, 0.95].map((down) => Boolean(document.elementFromPoint(x + width * across, y + height * down)?.closest('.m-unread')))), box);
    assert.ok(on.every(Boolean), JSON.stringify(on));
    assert.match(await read(hatched), /^Not read yet/);
    // The answer comes: the hatching and the strip go.
    await page.unroute(/api\/v1\/(memory\/summary|run\?)/);
    await becomes(() => hatched.count(), 0);
    await becomes(() => strip.count(), 0);
    await page.locator('.m-peak-big').waitFor();
  });
});

test('a file that is read slowly: every view is hatched where nothing is known yet, and claims no program without steps', async () => {
  await withPage(runs.url, { size: SMALL }, async (page) => {
    await listed(page);
    await page.route(/api\/v1\/(memory|run\?|modules|overview|trace|doctor|report|compare)/, (route) => {
      const state = { state: 'loading', what: 'reading 4 files', done_bytes: 3e9, total_bytes: 4.8e9, percent: 62.5 };
      return route.fulfill({ status: 202, contentType: 'application/json', body: JSON.stringify(state) });
    });
    for (const view of ['', '&tool=memory', '&mode=report', '&mode=compare&base=ci/train-v5e/c41d9e2/layers_in_a_loop', '&tool=trace', '&tool=doctor']) {
      await page.goto(`${runs.url}#run=local/run0${view}`);
      await until(`hatched: ${view}`, async () => (await page.locator('.m-unread').count()) === 1 && (await page.locator('.m-unread').evaluate((box) => getComputedStyle(box).opacity)) === '1');
      // Text covers nothing else.
      const said = await page.evaluate(() => {
        const { x, y, width, height } = document.querySelector('.main').getBoundingClientRect();
        const at = [0.1, 0.4, 0.7].flatMap((down) => [0.05, 0.3, 0.6, 0.95].map((across) => document.elementFromPoint(x + width * across, y + height * down)));
        return at.filter((element) => element && !element.closest('.m-unread, .strips')).map((element) => element.closest('p, span, div')?.innerText.trim()).filter((text) => /no scope|no heap|no event|checking|^0$/i.test(text ?? ''));
      });
      assert.deepEqual(said, [], view);
      assert.equal(await page.getByText('no scope recorded').evaluateAll((all) => all.filter((one) => { const { x, y } = one.getBoundingClientRect(); return !document.elementFromPoint(x + 2, y + 2)?.closest('.m-unread'); }).length), 0, view);
    }
  });
});

test('palette: a text can be filtered by and found in the HLO, whether anything has that name or not', async () => {
  const server = runs;
  const [run, module] = ['ci/train-v5e/c41d9e2/layers_in_a_loop', 'jit_train_step'];
  const found = await server.api('search', { run, q: 'while' });
  assert.ok(found.total_ops > 0, module);
  for (const size of [SMALL, PHONE]) {
    await withPage(server.url, { size, hash: `#run=${run}` }, async (page) => {
      await page.locator('.m-peak-big').waitFor();
      const box = page.getByRole('dialog', { name: 'search' });
      const group = (name) => box.locator('.palette-list > div', { has: page.locator('.palette-group', { hasText: name }) }).locator('.palette-title');
      await page.keyboard.press('Control+k');
      await box.waitFor();
      const field = page.getByLabel('search everything');
      await field.fill('while');
      await until('hits', async () => (await group('Ops').count()) > 0);
      // At most four of a kind while there are several kinds.
      assert.ok((await group('Ops').count()) <= 4);
      assert.deepEqual((await group('Actions').allInnerTexts()).slice(0, 2), ['filter the buffers by “while”', 'find “while” in the HLO text']);
      await field.fill('nosuchthing');
      await becomes(() => box.locator('.palette-none').allInnerTexts(), ['nothing named nosuchthing in this module']);
      assert.deepEqual(await group('Actions').allInnerTexts(), ['filter the buffers by “nosuchthing”', 'find “nosuchthing” in the HLO text']);
      const edge = await box.boundingBox();
      assert.ok(edge.x >= 0 && edge.x + edge.width <= size.width, JSON.stringify(edge));
      if (size !== SMALL) return;
      await field.fill('while');
      await field.press('Shift+Enter');
      await until('the find of the text', async () => (await page.getByLabel('find in the text').inputValue()) === 'while');
      await becomes(() => box.count(), 0);
    });
  }
});

test('a phone: list and empty page take the width there is, and nothing stands beside it', async () => {
  const fits = async (page, what) => {
    const wide = await page.evaluate(() => Math.max(document.scrollingElement.scrollWidth, ...[...document.querySelectorAll('.main, .main > *, .foot, .strip')].map((part) => part.getBoundingClientRect().right)));
    assert.ok(wide <= PHONE.width + 0.5, `${what}: ${wide} px in ${PHONE.width}`);
  };
  await withPage(runs.url, { size: PHONE }, async (page) => {
    await listed(page);
    await fits(page, 'list');
    await settled(page); // chips of what no run holds go as the runs are looked into
    assert.deepEqual(await cutOf(page.locator('.start-headline > *, .start-filter .chip, .start-filter .btn, .run-row .run-name, .run-row .c-peak > .strong')), []);
    assert.match(await read(page.getByRole('button', { name: /^Columns/ })), /Columns 3 of 9/);
  });
  await withPage(none.url, { size: PHONE }, async (page) => {
    await page.locator('.samples').waitFor();
    await fits(page, 'empty');
    const beside = await page.locator('.found > *, .empty-page h1, .empty-page .btn, .empty-page td, .code-block').evaluateAll((all) => all.filter((part) => part.getBoundingClientRect().right > innerWidth + 0.5).map((part) => part.textContent));
    assert.deepEqual(beside, []);
  });
});

test('Compare in a narrow window: the headline, its figures and the keys of the chart are whole, the findings below them', async () => {
  const list = await runs.api('runs');
  const idOf = (part) => list.id.find((id) => id.includes(part));
  await withPage(runs.url, { size: { width: 900, height: 800 }, hash: `#run=${idOf('c41d9e2/layers')}&mode=compare&base=${idOf('padded')}` }, async (page) => {
    await page.locator('.cp-side .cp-sec').first().waitFor();
    assert.deepEqual(await cutOf(page.locator('.cp-head h1, .cp-head p, .cp-facts dd, .cp-chart .m-key')), []);
    const side = page.locator('.cp-side');
    await side.locator('.cp-sec').last().scrollIntoViewIfNeeded();
    const [at, left] = [await side.boundingBox(), await page.locator('.cp-left').boundingBox()];
    assert.ok(at.y >= left.y + left.height - 1 && at.width > 700, 'below, as wide as the page');
    assert.ok(await page.locator('.cp-check, .cp-amber').first().evaluate((one) => one.title !== '' || one.innerText !== ''));
  });
});

test('letters twice as large: the list keeps path and program of each run in sight', async () => {
  await withPage(runs.url, { size: { width: 683, height: 384 } }, async (page) => {
    await listed(page);
    await settled(page);
    assert.deepEqual(await cutOf(page.locator('.run-head [role=columnheader]').first()), []);
    for (const row of await page.locator('.run-row').all()) {
      const name = row.locator('.run-name').first();
      const [width, whole] = await name.evaluate((one) => [one.clientWidth, one.scrollWidth]);
      assert.ok(width > 60 || width + 1 >= whole, `the name: ${await row.innerText()}`);
      const program = await row.locator('.c-module .mono').first().boundingBox().catch(() => null);
      if (program) assert.ok(program.width > 60, `the program: ${program.width} px`);
    }
  });
});
