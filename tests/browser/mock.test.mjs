// The pages around the tools as a person sees them: nothing cut, nothing beside the window, the words of the mock-ups.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test, { after, before } from 'node:test';

import { becomes, cutProfile, makeLogdir, makeOld, putFile, quit, read, serve, sharedLogdir, SIZES, temporary, testdata, until, withPage } from './lib.mjs';
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
      await withPage(server.url, { size, theme }, async (page) => {
        await drawn(page);
        const keys = page.locator('.m-keys > .m-key');
        await until('the colours', async () => (await keys.count()) > 4);
        assert.deepEqual(await cutOf(keys), [], `${size.width} ${theme}`);
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
      await page.keyboard.press('?');
      const rows = page.locator('.help-row');
      await until('the keys', async () => (await rows.count()) > 60);
      if (size.width >= 1366) assert.deepEqual(await cutOf(rows), [], `${size.width}`);
      const beside = await rows.evaluateAll((all) => all.filter((row) => row.getBoundingClientRect().right > innerWidth || row.scrollWidth > row.clientWidth + 1).map((row) => row.textContent));
      assert.deepEqual(beside, [], `${size.width}`);
    });
  }
});

test('list of runs: paths are cut between folders only, and what the card says is whole', async () => {
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
      await page.locator('.run-row', { hasText: 'layers_in_a_loop' }).first().locator('.c-size').click();
      const pane = page.getByLabel('selected run');
      await becomes(() => read(pane.locator('.card-title')), 'layers_in_a_loop');
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
