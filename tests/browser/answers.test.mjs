// Answers that do not come, or come wrong: the page says what is missing, and has it again when the server has.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test, { after, before } from 'node:test';

import { becomes, eachLook, inAddress, launch, makeLogdir, quit, read, serve, SIZES, testdata, toastSays, until, withPage } from './lib.mjs';
import { settled } from './trace.mjs';

let server;
before(async () => {
  server = await serve(makeLogdir({ demo: join(testdata, 'tpu_padded_demo/logdir'), ran: join(testdata, 'cpu_mlp_train/logdir'), sharded: join(testdata, 'cpu_sharded8/logdir') }));
  await launch();
});
after(async () => {
  await quit();
  await server?.stop();
});

const DEMO = '#run=demo/aot';
const RAN = '#run=ran/run0';
const GONE = { status: 500, contentType: 'application/json', body: '{"error":{"code":"io","message":"the disk is gone","where":null,"offset":null}}' };
const strips = (page) => page.locator('.strip.error').allInnerTexts();

eachLook('a tunnel that closes while a view is read: the page asks again by itself', async (look) => {
  await withPage(server.url, { ...look, hash: DEMO }, async (page, { forgive }) => {
    const bars = page.locator('.m-bar-canvas');
    await until('the contents', async () => (await bars.count()) > 0);
    let open = false;
    await page.route(/api\/v1\/memory/, (route) => (open ? route.continue() : route.abort()));
    await page.reload();
    await becomes(() => page.locator('.strip.error .what').allInnerTexts(), ['The server does not answer.'], 'strip');
    await page.evaluate(() => { window.same = true; });
    open = true;
    await until('the contents, again', async () => (await bars.count()) > 0);
    await becomes(() => strips(page), []);
    assert.equal(await page.evaluate(() => window.same), true, 'not loaded anew');
    forgive(/Failed to load resource|ERR_FAILED/);
  });
});

test('a proxy in front of a server that is not there yet counts as no answer, too', async () => {
  await withPage(server.url, { hash: DEMO, size: SIZES[0] }, async (page, { forgive }) => {
    const bars = page.locator('.m-bar-canvas');
    await until('the contents', async () => (await bars.count()) > 0);
    let asked = 0;
    await page.route(/api\/v1\/memory\/summary/, (route) => (asked++ < 3 ? route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' }) : route.continue()));
    await page.reload();
    await until('the contents, again', async () => (await bars.count()) > 0);
    assert.equal(asked, 4);
    forgive(/answer 502/);
  });
});

eachLook('an answer that failed: what is missing is named, with the way to ask again', async (look) => {
  for (const [hash, route, part, ready] of [
    [DEMO, /memory\/live/, 'what is live at the step', '.m-bar-canvas'],
    [`${DEMO}&mode=report`, /report\/details/, 'the details of the report', '.r-line-row'],
    [`${RAN}&tool=trace`, /trace\/totals/, 'where the time goes', '.t-top'],
  ]) {
    await withPage(server.url, { ...look, hash }, async (page, { forgive }) => {
      await page.locator(ready).first().waitFor();
      assert.deepEqual(await strips(page), []);
      let fails = true;
      await page.route(route, (asked) => (fails ? asked.fulfill(GONE) : asked.continue()));
      await page.reload();
      await becomes(() => page.locator('.strip.error .text').allInnerTexts(), [`No answer for ${part}: the disk is gone`], 'strip');
      // What else is on its way may ask for the part again, and heal it before the click.
      await settled(page);
      fails = false;
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.locator(ready).first().waitFor();
      await becomes(() => strips(page), []);
      forgive(/answer 500/);
    });
  }
});

/** First event of this name. */
async function eventOf(run, q) {
  const { hits } = await server.api('trace/search', { run, q, limit: 1 });
  assert.equal(hits.n, 1, q);
  return hits.event[0];
}

eachLook('trace: what an event lacks is named; an event that is not there, or a search that failed, says why', async (look) => {
  const all = `#run=sharded/run0&tool=trace&ev=${await eventOf('sharded/run0', 'all-reduce')}`;
  for (const [hash, route, part] of [
    [all, /trace\/flows/, 'the flows of the event'],
    [`${RAN}&tool=trace&flows=all`, /trace\/flows/, 'the arrows of the window'],
    [all, /trace\/same/, 'the other runs of the operation'],
  ]) {
    await withPage(server.url, { ...look }, async (page, { forgive }) => {
      await page.route(route, (asked) => asked.fulfill(GONE));
      await page.goto(server.url + hash);
      await becomes(() => page.locator('.strip.error .text').allInnerTexts(), [`No answer for ${part}: the disk is gone`], part);
      forgive(/answer 500/);
    });
  }
  await withPage(server.url, { ...look, hash: `${RAN}&tool=trace&ev=99999999` }, async (page, { forgive }) => {
    const panel = page.getByRole('tabpanel', { name: 'details' });
    await until('why', async () => /there is no event 99999999/.test(await read(panel)));
    await page.locator('.t-over').focus();
    await page.keyboard.press('Escape');
    await page.locator('.t-top').waitFor();
    forgive(/answer 404/);
  });
  await withPage(server.url, { ...look }, async (page, { forgive }) => {
    await page.route(/trace\/search/, (asked) => asked.fulfill(GONE));
    await page.goto(`${server.url}${RAN}&tool=trace&find=train&tt=search`);
    await until('why', async () => /the disk is gone/.test(await read(page.getByRole('tabpanel', { name: 'search' }))));
    forgive(/answer 500/);
  });
});

test('trace: a key that got no answer says so at the foot', async () => {
  await withPage(server.url, { hash: `${RAN}&tool=trace&ev=${await eventOf('ran/run0', 'train')}`, size: SIZES[0] }, async (page, { forgive }) => {
    await page.locator('.t-identity').waitFor();
    await page.route(/trace\/near/, (asked) => asked.fulfill(GONE));
    await page.locator('.t-over').focus();
    await page.keyboard.press('ArrowRight');
    await toastSays(page, /the disk is gone/);
    forgive(/answer 500/);
  });
});

eachLook('findings that could not be made are asked for again', async (look) => {
  await withPage(server.url, { ...look, hash: `${DEMO}&tool=doctor` }, async (page, { forgive }) => {
    await page.locator('.d-list').waitFor();
    let fails = true;
    await page.route(/api\/v1\/doctor/, (route) => (fails ? route.fulfill(GONE) : route.continue()));
    await page.reload();
    await until('what failed', async () => /The findings cannot be shown: the disk is gone/.test(await read(page.locator('main'))));
    fails = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.d-list').waitFor();
    forgive(/answer 500/);
  });
});

eachLook('the order of the list of runs is none of what is held', async (look) => {
  const alone = await serve(join(testdata, 'tpu_padded_demo/logdir'));
  // One run is opened by itself: what the address says of the list comes along.
  await withPage(alone.url, { ...look, hash: '#order=path' }, async (page) => {
    await inAddress(page, { run: 'aot' });
    await until('the contents', async () => (await page.locator('.m-bar-canvas').count()) > 0);
  });
  await alone.stop();
});

eachLook('a step that the program does not have: the last one', async (look) => {
  await withPage(server.url, { ...look, hash: `${DEMO}&step=999999` }, async (page) => {
    const { steps } = await server.api('memory/summary', { run: 'demo/aot' });
    await until('the contents', async () => (await page.locator('.m-bar-canvas').count()) > 0);
    assert.match(await read(page.getByRole('tab', { name: /^At step/ })), new RegExp(`^At step ${(steps - 1).toLocaleString('en-US')}`));
  });
});

eachLook('of the next program nothing is asked that was of the one before', async (look) => {
  const { key } = await server.api('modules', { run: 'ran/run0' });
  const small = key.find((name) => name.startsWith('jit_broadcast_in_dim'));
  const large = key.find((name) => name.startsWith('jit_train_step'));
  const at = (module) => `${RAN}&module=${encodeURIComponent(module)}`;
  await withPage(server.url, { ...look, hash: at(large) }, async (page) => {
    await page.locator('.m-map-canvas').waitFor();
    const go = (module) => page.evaluate((hash) => { location.hash = hash; }, at(module));
    for (const x of [100, 200, 300]) {
      // A pointer that rests on a buffer while the program changes: in the small one there is no such buffer.
      await page.locator('.m-map-canvas').hover({ position: { x, y: 30 } });
      await go(small);
      await settled(page);
      await go(large);
      await page.locator('.m-bar-canvas').first().waitFor();
      await page.locator('.m-chart-canvas').hover({ position: { x: x + 500, y: 60 } });
      await go(small);
      await settled(page);
      await go(large);
      await page.locator('.m-bar-canvas').first().waitFor();
    }
    await settled(page);
    await page.keyboard.press('Alt+KeyW');
    await page.locator('.m-card.wi').waitFor();
    for (let i = 0; i < 3; i++) {
      await go(small);
      await settled(page);
      await go(large);
      await settled(page);
    }
  });
});
