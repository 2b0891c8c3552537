// What the first view does not need comes later: how much comes first, and what is said when the rest does not come.
import assert from 'node:assert/strict';
import http from 'node:http';
import { join } from 'node:path';
import test, { after } from 'node:test';

import { becomes, eachLook, makeLogdir, quit, serve, testdata, until, visit, withPage } from './lib.mjs';

const server = await serve(makeLogdir({ train: join(testdata, 'cpu_mlp_train/logdir/plugins/profile/run0') }));
after(async () => {
  await quit();
  await server.stop();
});

const PARTS = /\/parts\.[0-9a-f]+\.js$/;
const help = (page) => page.getByRole('dialog', { name: 'keys' });

// What is asked for beside it (curve, modules, the icon) is held back here, so that the figure does not hang on the machine's speed.
test('the headline of a deep link needs at most 6 requests and 300,000 bytes', async () => {
  await withPage(server.url, {}, async (_, { context }) => {
    const page = await context.newPage();
    const needed = [];
    let bytes = 0;
    await page.route(/./, (route) => {
      const { pathname } = new URL(route.request().url());
      if (!/^\/$|^\/app\.|\/run$|\/memory\/summary$/.test(pathname)) return;
      needed.push(pathname);
      return route.continue();
    });
    const cdp = await context.newCDPSession(page);
    await cdp.send('Network.enable');
    cdp.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
    await page.goto(`${server.url}#run=train&tool=memory`, { waitUntil: 'commit' });
    await page.locator('.m-peak').waitFor();
    assert.ok(needed.length <= 6, needed.join(' '));
    assert.ok(bytes > 50_000 && bytes <= 300_000, `${bytes} bytes`);
    console.log(`# ${needed.length} requests, ${bytes} bytes until the headline`);
  });
});

eachLook('a slow line: the shell is there before the code of its view, and the view says what it waits for', async (look) => {
  await withPage(server.url, { ...look }, async (page) => {
    let release;
    const held = new Promise((done) => {
      release = done;
    });
    const early = [];
    await page.route(PARTS, async (route) => {
      await held;
      await route.continue().catch(() => {});
    });
    page.on('request', (request) => early.push(new URL(request.url()).pathname));
    for (const [tool, title] of [['graph', 'Graph'], ['trace', 'Trace'], ['doctor', 'Doctor'], ['files', 'Files of this run']]) {
      await page.goto('about:blank');
      early.length = 0;
      await page.goto(`${server.url}#run=train&tool=${tool}`, { waitUntil: 'commit' });
      await until(`words of ${tool}`, async () => (await page.locator('main h1').allInnerTexts())[0] === title);
      assert.ok(await page.locator('.sidebar-item').count() > 1);
      assert.match(await page.locator('.header').innerText(), /train/);
    }
    release();
    await page.locator('.files-page').waitFor();
  });
});

eachLook('the text of a program comes by itself when the server answers again', async (look) => {
  await withPage(server.url, { ...look }, async (page, { forgive }) => {
    let away = true;
    let asked = 0;
    await page.route('**/graph/text?*', async (route) => {
      asked++;
      await (away ? route.abort() : route.continue()).catch(() => {});
    });
    await page.goto(`${server.url}#run=train&tool=graph`);
    await until('asked twice', () => asked >= 2);
    assert.doesNotMatch(await page.locator('.g-text-part').innerText(), /Failed to fetch|cannot be shown/);
    away = false;
    await until('its lines', async () => / = /.test(await page.locator('.g-lines').innerText()));
    forgive(/net::ERR_FAILED/);
  });
});

eachLook('a part that does not arrive says so, and comes when it is tried again', async (look) => {
  await withPage(server.url, { ...look }, async (page, { forgive }) => {
    let broken = true;
    // The page also tries again by itself when it is idle: an answer waits for the click.
    let said = false;
    let click = () => {};
    const clicked = new Promise((done) => { click = done; });
    await page.route(PARTS, async (route) => {
      if (said) await clicked;
      await (broken ? route.abort() : route.continue()).catch(() => {});
    });
    await visit(page, `${server.url}#run=train&tool=files`);
    const message = page.getByRole('alert');
    await message.waitFor();
    said = true;
    assert.match(await page.locator('main').innerText(), /did not load/);
    await page.getByRole('button', { name: 'Try again' }).dispatchEvent('click');
    broken = false;
    click();
    await until('the files page', async () => (await page.getByRole('alert').count()) === 0 && /host/i.test(await page.locator('main').innerText()));
    await page.keyboard.press('?');
    await help(page).waitFor();
    forgive(/net::ERR_FAILED/);
  });
});

test('what is typed after Ctrl+K before its list is there, Enter included, is done when the list comes', async () => {
  await withPage(server.url, {}, async (page) => {
    const held = [];
    await page.route(PARTS, (route) => new Promise((go) => held.push(() => go(route.continue()))));
    await visit(page, `${server.url}#run=train&tool=memory`);
    await page.locator('.m-peak').waitFor();
    const paste = page.getByRole('dialog', { name: 'paste an error' });
    await page.keyboard.press('Control+k');
    await page.keyboard.type('>paste an error');
    await page.keyboard.press('Enter');
    await becomes(() => paste.count(), 0);
    await until('the part to be asked for', () => held.length > 0);
    for (const go of held) go();
    await paste.waitFor();
  });
});

test('Enter before the answer opens its first entry, not what stood there; typing on calls it off', async () => {
  await withPage(server.url, { hash: '#run=train&tool=memory' }, async (page) => {
    await page.locator('.m-peak').waitFor();
    // Slow typing may ask for beginnings of a word too: what is waited for is the question of the whole one.
    let held = [];
    let questions = [];
    await page.route(/\/search\?/, (route) => {
      questions.push(new URL(route.request().url()).searchParams.get('q'));
      return new Promise((go) => held.push(() => go(route.continue())));
    });
    const found = await server.api('search', { run: 'train', q: 'fusion', limit: 60 });
    const first = found.buffer[found.kind.indexOf('buffer')];
    const box = page.getByRole('dialog', { name: 'search' });
    const asked = (q) => until(`the question for ${q}`, () => questions.includes(q));
    const letGo = () => {
      for (const go of held) go();
      held = [];
    };
    const ask = async () => {
      questions = [];
      await page.keyboard.press('Control+k');
      await box.waitFor();
      await page.keyboard.type('#fusion');
      await page.keyboard.press('Enter');
      await asked('fusion');
    };
    await ask();
    await page.keyboard.type('x');
    letGo();
    await asked('fusionx');
    letGo();
    await until('its answer', async () => (await box.locator('.palette-none').count()) === 1);
    await page.keyboard.press('Escape');
    await ask();
    assert.equal(await box.count(), 1, 'nothing is opened before the answer');
    letGo();
    await until('the first buffer', () => page.evaluate((number) => new URLSearchParams(location.hash.slice(1)).get('pin') === String(number), first));
    assert.equal(await box.count(), 0);
  });
});

/** The server, but for one route that is never answered: what a browser ends when the page is left. */
async function without(route) {
  const front = http.createServer((ask, answer) => {
    if (ask.url.includes(`/${route}?`)) {
      front.asked++;
      return;
    }
    const back = http.request({ host: '127.0.0.1', port: server.port, path: ask.url, headers: { ...ask.headers, host: `127.0.0.1:${server.port}` } }, (got) => {
      answer.writeHead(got.statusCode, got.headers);
      got.pipe(answer);
    });
    back.on('error', () => answer.destroy());
    back.end();
  });
  front.asked = 0;
  await new Promise((resolve) => front.listen(0, '127.0.0.1', resolve));
  return front;
}

test('a page left while it waits for answers takes them for cancelled: no warning', async () => {
  // Each of these says itself what it could not get.
  const ROUTES = { 'trace/allocators': { tool: 'trace' }, 'memory/curve': { mode: 'report' }, 'report/groups': { mode: 'report', rtab: 'ops' } };
  for (const [route, view] of Object.entries(ROUTES)) {
    const front = await without(route);
    const hash = `#${new URLSearchParams({ run: 'train', ...view })}`;
    try {
      await withPage(`http://127.0.0.1:${front.address().port}/`, { hash }, async (page) => {
        await until(`${route} to be asked`, () => front.asked > 0);
        await page.reload();
      });
    } finally {
      front.closeAllConnections();
      front.close();
    }
  }
});
