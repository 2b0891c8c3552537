// Both sizes and both themes: nothing sticks out, what matters is on the first screen, text is legible.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before } from 'node:test';

import { ALL_LOOKS, becomes, eachLook, isDrawn, lookName, makeLogdir, quit, serve, shoot, temporary, testdata, until, withPage } from './lib.mjs';
import { chartOf, drawn, mapOf } from './memory.mjs';

let runs;
let none;
before(async () => {
  runs = await serve(
    makeLogdir({
      'team/demo': join(testdata, 'tpu_padded_demo/logdir'),
      'team/layers': join(testdata, 'tpu_scan_layers/logdir'),
      train: join(testdata, 'cpu_mlp_train/logdir'),
      oom: join(testdata, 'tpu_padded_oom'),
    }),
  );
  none = await serve(temporary('none'));
});
after(async () => {
  await quit();
  await runs?.stop();
  await none?.stop();
});

/** Width and height of the page, and elements that reach beyond the window without a scroller around them. */
async function fits(page, { size }, what) {
  const got = await page.evaluate(() => [document.scrollingElement.scrollWidth, document.scrollingElement.scrollHeight]);
  assert.ok(got[0] <= size.width && got[1] <= size.height, `${what}: ${got.join(' x ')} in ${size.width} x ${size.height}`);
}

/** Contrast of two colours as WCAG counts it, of the tokens of this theme; the second one may be thin: over the ground with the alpha of areas. */
function contrasts(page, pairs) {
  return page.evaluate((list) => {
    const g = document.createElement('canvas').getContext('2d');
    const value = (token) => getComputedStyle(document.documentElement).getPropertyValue(token).trim();
    const light = (token, thin) => {
      for (const [colour, alpha] of thin ? [['--bg', 1], [token, Number(value('--area-alpha'))]] : [[token, 1]]) {
        g.globalAlpha = alpha;
        g.fillStyle = value(colour);
        g.fillRect(0, 0, 1, 1);
      }
      const [r, gr, b] = [...g.getImageData(0, 0, 1, 1).data].map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * gr + 0.0722 * b;
    };
    return list.map(([a, b, thin]) => {
      const [x, y] = [light(a), light(b, thin)].sort((p, q) => q - p);
      return [`${a} on ${thin ?? ''}${b}`, Math.round(((x + 0.05) / (y + 0.05)) * 100) / 100];
    });
  }, pairs);
}

async function legible(page) {
  const pairs = ['--bg', '--bg-sunk', '--bg-raised'].flatMap((ground) => ['--fg', '--fg-soft', '--fg-faint'].map((ink) => [ink, ground]));
  pairs.push(...['--accent', '--bad', '--warn', '--good'].map((ink) => [ink, '--bg']), ['--bad', '--bad-soft'], ['--warn', '--warn-soft'], ['--fg', '--accent-soft']);
  const strong = ['--o-matmul', '--o-reduce', '--o-coll', '--o-custom', '--m-param', '--m-output'];
  const pale = ['--o-elem', '--o-move', '--o-control', '--o-host', '--m-const', '--m-local', '--m-temp', '--m-frag', '--m-pad'];
  for (const fill of strong) pairs.push(['--on-fill', fill]);
  for (const fill of pale) pairs.push(['--on-fill-light', fill]);
  for (const fill of [...strong, ...pale]) pairs.push([fill === '--m-param' || fill === '--m-output' ? '--on-fill' : '--on-fill-light', fill, 'thin ']);
  pairs.push(['--on-none', '--o-none'], ['--on-none', '--o-none', 'thin ']);
  const low = (await contrasts(page, pairs)).filter(([, ratio]) => !(ratio >= 4.5));
  assert.deepEqual(low, [], 'contrast below 4.5');
}

const inside = async (locator, { size }, what) => {
  const box = await locator.boundingBox();
  assert.ok(box && box.width > 20 && box.height > 8, `${what} is there: ${JSON.stringify(box)}`);
  assert.ok(box.x >= 0 && box.y >= 0 && box.x + box.width <= size.width + 0.5 && box.y + box.height <= size.height + 0.5, `${what} at ${JSON.stringify(box)} in ${size.width} x ${size.height}`);
};

eachLook('memory page', async (look) => {
  await withPage(runs.url, { ...look, hash: '#run=team/layers/aot' }, async (page) => {
    await drawn(page);
    await becomes(() => page.locator('.m-bar-canvas').count(), 3);
    // Headline, both charts, tabs and the three bars without scrolling.
    for (const selector of ['.m-peak', '.m-sentence', '.m-bar', '.m-head-legend', '.m-chart-canvas', '.m-strip-canvas', '.m-map-canvas', '.m-axis-canvas', '.m-mini-canvas', '.m-tab-list', '.m-card']) {
      await inside(page.locator(selector).first(), look, selector);
    }
    for (let i = 0; i < 3; i++) await inside(page.locator('.m-bar-canvas').nth(i), look, `bar ${i}`);
    for (const canvas of [chartOf(page), mapOf(page)]) await until('a picture', () => isDrawn(canvas));
    const [chart, map] = [await chartOf(page).boundingBox(), await mapOf(page).boundingBox()];
    assert.ok(chart.height >= 90 && map.height >= 80, `chart ${chart.height} px, map ${map.height} px`);
    assert.deepEqual([chart.x, chart.width], [map.x, map.width], 'one x axis');
    assert.equal(await page.locator('.m-tab-row').count(), look.size.width >= 1920 ? 2 : 1);
    await fits(page, look, 'memory');
    await legible(page);
    await shoot(page, `theme-memory-${lookName(look)}`);
    // The canvas takes the colours of the theme.
    const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.equal(ground, look.theme === 'dark' ? 'rgb(20, 23, 27)' : 'rgb(255, 255, 255)');
    for (const tab of ['buffers', 'scope', 'modules']) {
      await page.goto(`${runs.url}#run=team/layers/aot&tab=${tab}&pin=471`);
      await page.locator('.m-card-title code').waitFor();
      await until('the tab', async () => (await page.locator(tab === 'scope' ? '.m-icicle-canvas' : '.vt-row').count()) > 0);
      await fits(page, look, tab);
      await shoot(page, `theme-${tab}-${lookName(look)}`);
    }
    await page.goto(`${runs.url}#run=oom/xla_dump`);
    await page.locator('.m-oom').waitFor();
    await drawn(page);
    await becomes(() => page.locator('.m-bar-canvas').count(), 3);
    await inside(page.locator('.m-bar-canvas').nth(1), look, 'the second bar below an error strip');
    await fits(page, look, 'oom');
    await shoot(page, `theme-oom-${lookName(look)}`);
  });
}, ALL_LOOKS);

eachLook('start page, help, palette', async (look) => {
  await withPage(runs.url, look, async (page) => {
    await until('the list', async () => (await page.locator('.run-row').count()) === 4 && !(await page.locator('.start-headline').innerText()).includes('still to be read'));
    await fits(page, look, 'start');
    await legible(page);
    for (const selector of ['.start-headline', '.start-filter', '.start-tree', '.run-table', '.start-card', '.foot']) await inside(page.locator(selector), look, selector);
    await shoot(page, `theme-start-${lookName(look)}`);
    await page.keyboard.press('?');
    await inside(page.getByRole('dialog'), look, 'help');
    await shoot(page, `theme-help-${lookName(look)}`);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await inside(page.getByRole('dialog'), look, 'palette');
    await shoot(page, `theme-palette-${lookName(look)}`);
  });
}, ALL_LOOKS);

eachLook('empty page, page of a tool that is not there', async (look) => {
  await withPage(none.url, look, async (page) => {
    await page.locator('.empty-page').waitFor();
    await fits(page, look, 'empty');
    await shoot(page, `theme-empty-${lookName(look)}`);
  });
  await withPage(runs.url, { ...look, hash: '#run=team/layers/aot&tool=ops' }, async (page) => {
    await page.locator('.empty-state:not(.opening) h1').waitFor();
    await inside(page.locator('.empty-state'), look, 'the page of Ops');
    await fits(page, look, 'ops');
  });
}, ALL_LOOKS);
