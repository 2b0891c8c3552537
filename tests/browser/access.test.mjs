// For everybody: no rule of axe is broken on any page, no page needs a wide window, chosen things are told apart in forced colours,
// and what is printed is whole.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test, { after, before } from 'node:test';

import { makeLogdir, quit, read, serve, testdata, until, withPage, settled } from './lib.mjs';

const axe = readFileSync(join(dirname(dirname(process.env.XPD_PLAYWRIGHT)), 'axe-core/axe.min.js'), 'utf8');

let server;
before(async () => {
  server = await serve(
    makeLogdir({ demo: join(testdata, 'tpu_padded_demo/logdir'), mlp: join(testdata, 'cpu_mlp_train/logdir'), layers: join(testdata, 'tpu_scan_layers/logdir'), found: join(testdata, 'tpu_findings'), leak: join(testdata, 'tf_leak/logdir') }),
  );
});
after(async () => {
  await quit();
  await server?.stop();
});

/** Every view, and what is there once it is drawn. */
const PAGES = {
  start: ['', '.start'],
  files: ['#run=mlp/run0&tool=files', '.files-left'],
  overview: ['#run=mlp/run0', '.ov-losses'],
  'overview, as a table': ['#run=mlp/run0&tool=overview&table=1', '.ov-twin'],
  memory: ['#run=demo/aot', '.m-bar-canvas'],
  buffers: ['#run=demo/aot&tab=buffers', '.vt-row'],
  modules: ['#run=mlp/run0&tab=modules', '.m-tab-body'],
  report: ['#run=demo/aot&mode=report', '.r-line-row'],
  compare: ['#run=demo/aot&mode=compare&base=layers/aot', '.cp-main'],
  'compare with nothing': ['#run=demo/aot&mode=compare', '.cp-none'],
  'over time': ['#run=leak/leak&tool=memory&mode=time&a=406000000000&b=1602000000000', '.ot-list .vt-row'],
  'over time, events': ['#run=leak/leak&tool=memory&mode=time&tab=events', '.ot-list .vt-row'],
  'over time, as a table': ['#run=leak/leak&tool=memory&mode=time&table=1', '.ot-twin'],
  'what if': ['#run=demo/aot&whatif=1', '.m-head'],
  doctor: ['#run=demo/aot&tool=doctor', '.d-row'],
  trace: ['#run=mlp/run0&tool=trace', '.t-top'],
  steps: ['#run=mlp/run0&tool=trace&tab=steps', '.t-panel'],
  graph: ['#run=demo/aot&tool=graph', '.g-line'],
  ops: ['#run=mlp/run0&tool=ops', '.vt-row'],
  roofline: ['#run=mlp/run0&tool=roofline', '.rf-lost'],
  'roofline as a table': ['#run=mlp/run0&tool=roofline&table=1', '.vt-row'],
  unreadable: ['#run=nothing', '.empty-state'],
};

/** Opens each page in turn, in one window; `look` lists what is wrong with it. */
async function eachPage(options, look) {
  const wrong = {};
  await withPage(server.url, options, async (page, more) => {
    for (const [name, [hash, drawn]] of Object.entries(PAGES)) {
      await page.goto(server.url + hash);
      await page.locator(drawn).first().waitFor();
      await settled(page); // the page before may have had a part of the same name
      const found = await look(page);
      if (found.length) wrong[name] = found;
    }
    more.forgive(/404/); // of the run that is not there
  });
  assert.deepEqual(wrong, {});
}

async function broken(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  return violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 120)).join(' | ')}`);
}

test('no rule of axe is broken, light and wide', () => eachPage({ size: { width: 1366, height: 768 } }, broken));

/** What reaches beyond the window and cannot be scrolled to. */
function beyond(page) {
  return page.evaluate(() => {
    const clipped = (element) => {
      for (let at = element.parentElement; at && at !== document.body; at = at.parentElement) if (getComputedStyle(at).overflowX !== 'visible') return true;
      return false;
    };
    const outside = ({ left, right, width }) => width > 1 && (right > innerWidth + 1 || left < -1); // what only a reader hears is 1 wide
    return [...document.querySelectorAll('.shell *')]
      .filter((element) => outside(element.getBoundingClientRect()) && !clipped(element))
      .map((element) => `${element.tagName}.${element.className} reaches from ${['left', 'right'].map((edge) => Math.round(element.getBoundingClientRect()[edge])).join(' to ')}`);
  });
}

/** What is taller than its room, so that it covers what is below. */
function spilled(page) {
  return page.evaluate(() =>
    [...document.querySelectorAll('.main *')]
      .filter((element) => {
        const { overflowY, display } = getComputedStyle(element);
        return overflowY === 'visible' && !display.startsWith('inline') && element.clientHeight > 0 && element.scrollHeight > element.clientHeight + 20;
      })
      .map((element) => `${element.tagName}.${element.className} is ${element.clientHeight} high, with content of ${element.scrollHeight}`),
  );
}

test('every page fits a phone, in dark, and breaks no rule of axe there', () =>
  eachPage({ size: { width: 390, height: 844 }, theme: 'dark' }, async (page) => [...(await beyond(page)), ...(await spilled(page)), ...(await broken(page))]));

/** Columns of a table whose text is cut although others of its columns have room that they do not use. */
function clipped(page) {
  return page.evaluate(() => {
    const needOf = (cell) => {
      const range = document.createRange();
      range.selectNodeContents(cell.querySelector('.cut') ?? cell);
      const text = range.getBoundingClientRect(), style = getComputedStyle(cell);
      const before = style.textAlign === 'right' ? Number.parseFloat(style.paddingLeft) : text.left - cell.getBoundingClientRect().left;
      return before + text.width + Number.parseFloat(style.paddingRight);
    };
    return [...document.querySelectorAll('.vt')].flatMap((table) => {
      const rows = [...table.querySelectorAll('.vt-head, .vt-row:not(.waiting)')];
      const room = [...(rows[0]?.children ?? [])].map((cell, k) => cell.getBoundingClientRect().width - Math.max(...rows.map((row) => (row.children[k] ? needOf(row.children[k]) : 0))));
      const spare = room.reduce((sum, px) => sum + Math.max(0, px), 0);
      return room.flatMap((px, k) => (px < -2 && spare > 2 * room.length ? [`${table.getAttribute('aria-label')}: ${rows[0].children[k].textContent} lacks ${Math.round(-px)} px, others have ${Math.round(spare)}`] : []));
    });
  });
}

test('no column of a table is cut at 1920 x 1080 while others have room', () =>
  eachPage({ size: { width: 1920, height: 1080 } }, async (page) => {
    // Rows come a moment after the table.
    for (const table of await page.locator('.vt').all()) await table.locator('.vt-row:not(.waiting), .vt-empty').first().waitFor();
    let left = await clipped(page);
    await until('the columns are fitted', async () => (left = await clipped(page)).length === 0).catch(() => {});
    return left;
  }));

test('a table has nine rows in a window of 1366 x 768', async () => {
  await withPage(server.url, { size: { width: 1366, height: 768 }, hash: '#run=layers/aot&tab=buffers&at=all' }, async (page) => {
    await page.locator('.vt-row').first().waitFor();
    const seen = () => page.locator('.vt').evaluate((table) => Math.floor((Math.min(table.getBoundingClientRect().bottom, innerHeight) - table.getBoundingClientRect().top - 24) / 22));
    await until('nine rows', async () => (await seen()) >= 9);
  });
});

test('every page fits 1366 x 768 enlarged to 200 %', () => eachPage({ size: { width: 683, height: 384 } }, beyond));

test('in forced colours the open tab has an outline and colours that say something stay', async () => {
  await withPage(server.url, { hash: '#run=mlp/run0&tool=trace', context: { forcedColors: 'active' } }, async (page) => {
    await page.locator('.t-top').waitFor();
    const outlines = (selector) => page.locator(selector).evaluateAll((all) => all.map((one) => getComputedStyle(one).outlineStyle));
    assert.deepEqual(new Set(await outlines('.t-tab-list .on')), new Set(['solid']));
    assert.deepEqual(new Set(await outlines('.t-tab-list button:not(.on)')), new Set(['none']));
    assert.deepEqual(await outlines('.sidebar-item.here'), ['solid']);
    await page.locator('.swatch').first().waitFor();
    // In one look: the legend grows while the answers come.
    const [kept, all] = await page.locator('.swatch').evaluateAll((swatches) => [swatches.filter((one) => getComputedStyle(one).forcedColorAdjust === 'none').length, swatches.length]);
    assert.ok(kept > 0 && kept === all, `${kept} of ${all} swatches keep their colour`);
  });
});

test('all findings are printed, on as many sheets as they need, and the run is named', async () => {
  await withPage(server.url, { size: { width: 1366, height: 300 }, hash: '#run=demo/aot&tool=doctor' }, async (page) => {
    await page.locator('.d-row').first().waitFor();
    await page.emulateMedia({ media: 'print' });
    await until('the list at its whole height', () => page.evaluate(() => {
      const list = document.querySelector('.d-list').getBoundingClientRect();
      return document.scrollingElement.scrollHeight >= list.bottom && getComputedStyle(document.querySelector('.main')).overflowY === 'visible';
    }));
    assert.match(await read(page.locator('.header')), /demo/);
    const sheets = (await page.pdf({ landscape: true, height: '300px', width: '1000px' })).toString('latin1').match(/\/Type\s*\/Page\b/g);
    assert.ok(sheets.length > 1, `${sheets.length} sheets`);
  });
});
