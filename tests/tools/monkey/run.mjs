// One run of the monkey on a page: acts, looks, and keeps what was wrong with the actions that led there.
import { act } from './actions.mjs';
import { hooks, lookAround, wordsOfView } from './in_page.mjs';
import { Random } from './random.mjs';

const FRAME_MS = 5000, QUIET_MS = 2500, IDLE_REQUESTS = 60, KEPT_ACTIONS = 30, REST_EVERY = 25;

/** What the page says behind the scenes and asks for. `temper`: {wild, failing} say which answers are no fault. */
class Watch {
  constructor(page, base, temper) {
    this.wrong = [];
    this.refused = new Map();
    this.under = new Set();
    this.times = [];
    page.on('console', (message) => {
      if (message.type() !== 'error' && message.type() !== 'warning') return;
      // Answers with an error are named below, with their address.
      if (/^Failed to load resource/.test(message.text()) || /willReadFrequently/.test(message.text())) return;
      this.wrong.push(`console: ${message.text().slice(0, 600)}`);
    });
    page.on('pageerror', (error) => this.wrong.push(`exception: ${error.message} ${(error.stack ?? '').split('\n').slice(1, 5).join(' ').replaceAll(base, '')}`));
    page.on('crash', () => this.wrong.push('the page crashed'));
    page.on('dialog', (dialog) => {
      this.wrong.push(`dialog: ${dialog.message()}`);
      dialog.dismiss().catch(() => {});
    });
    page.on('request', (request) => {
      const at = request.url();
      if (!at.startsWith(base) && !/^(data|blob|about):/.test(at)) this.wrong.push(`request to another origin: ${at}`);
      // What the page before asked for has no end.
      if (request.isNavigationRequest()) this.under.clear();
      this.under.add(request);
      this.times.push(Date.now());
    });
    for (const end of ['requestfinished', 'requestfailed']) page.on(end, (request) => this.under.delete(request));
    page.on('response', async (response) => {
      const status = response.status();
      if (status < 400 || temper.failing) return;
      const body = (await response.text().catch(() => '')).slice(0, 200);
      const said = `answer ${status}: ${decodeURIComponent(response.url().replace(base, '')).slice(0, 300)}: ${body}`;
      // What is typed into Explain is refused with the place where it is wrong; a program may have no memory that is known.
      const usual = /\/explain\?text=|graph\/explain.*(sharding|mesh)=/.test(response.url()) || /has no buffer assignment|no buffer holds what/.test(body);
      if (usual || (temper.wild && [400, 404, 413, 414, 422].includes(status))) this.refused.set(said.replace(/run=[^&]*/, 'run='), 1 + (this.refused.get(said) ?? 0));
      else this.wrong.push(said);
    });
  }

  /** Nothing under way for a moment, or it takes too long. */
  async quiet(page, limit = QUIET_MS) {
    const end = Date.now() + limit;
    let since = Date.now();
    while (Date.now() < end) {
      if (this.under.size) since = Date.now();
      else if (Date.now() - since > 40) return true;
      await page.waitForTimeout(15);
    }
    return false;
  }
}

/** Answers late, and some of them wrong: 500, cut off, not at all. */
async function spoil(page, seed, temper, state) {
  if (!temper.slow && !temper.failing) return;
  const random = new Random(seed, 'answers');
  await page.route(/\/api\/v1\//, async (route) => {
    if (temper.slow) await new Promise((resolve) => { setTimeout(resolve, random.below(400)); });
    const how = temper.failing && state.spoils ? random.weighted({ well: 70, e500: 12, html: 4, abort: 10, cut: 4 }) : 'well';
    const json = { status: 500, contentType: 'application/json' };
    try {
      if (how === 'e500') await route.fulfill({ ...json, body: '{"error": {"code": "internal", "message": "the monkey took it", "where": null, "offset": null}}' });
      else if (how === 'html') await route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' });
      else if (how === 'abort') await route.abort();
      else if (how === 'cut') await route.fulfill({ ...json, status: 200, body: '{"n": 3, "name": ["a",' });
      else await route.continue();
    } catch { /* the page has left */ }
  });
}

/** A frame is painted within five seconds. */
async function paints(page) {
  const frame = page.evaluate(() => new Promise((resolve) => { requestAnimationFrame(() => setTimeout(() => resolve(true))); }));
  let timer;
  const late = new Promise((resolve) => { timer = setTimeout(() => resolve(false), FRAME_MS); });
  const done = await Promise.race([frame.catch(() => true), late]);
  clearTimeout(timer);
  return done;
}

/** Left alone, the page asks for little and what was loading is there. */
async function rest(page, watch, wrong, ms = 1500) {
  await watch.quiet(page, 8000);
  watch.times.length = 0;
  await page.waitForTimeout(ms);
  if (watch.times.length > (IDLE_REQUESTS * ms) / 1000) wrong.push(`${watch.times.length} requests in ${ms} ms with nothing done`);
  const waits = await page.evaluate(() => [...document.querySelectorAll('.load-line, [aria-busy=true]')].map((line) => line.className));
  if (waits.length && !(await becomesReady(page))) wrong.push(`still loading after 10 s: ${waits}`);
}

async function becomesReady(page) {
  for (let i = 0; i < 40; i++) {
    if (!(await page.evaluate(() => document.querySelectorAll('.load-line, [aria-busy=true]').length))) return true;
    await page.waitForTimeout(250);
  }
  return false;
}

/** The answers are well again: what said otherwise goes away by itself or by its button. */
async function recovers(page, watch, state, wrong) {
  state.spoils = false;
  await page.waitForTimeout(6000);
  await watch.quiet(page, 5000);
  for (let i = 0; i < 6; i++) {
    const again = page.getByRole('button', { name: /again|retry/i }).first();
    if (!(await again.isVisible().catch(() => false))) break;
    await again.click({ timeout: 1000 }).catch(() => {});
    await watch.quiet(page, 3000);
  }
  const left = await page.evaluate(() => (document.body.innerText.match(/[^\n]*(the monkey took it|does not answer|answered 50\d|is not JSON)[^\n]*/g) ?? []).join(' | '));
  if (left) wrong.push(`the answers are well again, the page still says: ${left.slice(0, 300)}`);
  const main = (await page.locator('main').first().innerText().catch(() => '')).trim();
  if (/^(reading|loading|…)?$/i.test(main) && !(await page.locator('main canvas').count())) wrong.push('the answers are well again, the page is empty');
  state.spoils = true;
}

/** Alike faults are one: numbers and names of chunks are left out. */
const kindOf = (text) => text.replace(/\b[a-z]+-[A-Z0-9]{8}\.js(:\d+)*/g, 'js').replace(/\d+/g, '0').slice(0, 160);

/**
 * Acts for so many ms, or so many actions. options: {seed, ms, actions, size, theme, hash, known, temper, base, say, shoot}.
 * Returns {actions, faults: [{text, after: [last actions], hash}], refused}.
 */
export async function monkey(browser, options) {
  const { seed, ms = Infinity, actions: most = Infinity, size, theme, hash, known, temper = {}, base, say = () => {}, shoot = () => {} } = options;
  const context = await browser.newContext({ viewport: size, colorScheme: theme, acceptDownloads: true });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await context.addInitScript(hooks);
  const page = await context.newPage();
  page.setDefaultTimeout(6000);
  context.on('page', (other) => other.close().catch(() => {}));
  page.on('download', (file) => file.cancel().catch(() => {}));
  page.on('filechooser', () => {});
  const watch = new Watch(page, base, temper);
  const state = { spoils: true };
  await spoil(page, seed, temper, state);
  const start = async (to) => {
    await page.goto('about:blank').catch(() => {});
    watch.under.clear();
    await page.goto(base + to);
    await watch.quiet(page);
  };
  await start(hash);
  const done = [];
  const faults = new Map();
  const end = Date.now() + ms;
  let n = 0;
  for (; n < most && Date.now() < end; n++) {
    const random = new Random(seed, n);
    const wrong = [];
    const before = Date.now();
    try {
      const { kind, words } = await act(page, random, known, temper);
      done.push(`${n} ${kind}: ${words}`);
      say(`${done.at(-1)}`);
      if (!(await paints(page))) wrong.push(`no frame within ${FRAME_MS} ms`);
      await watch.quiet(page);
      if (!page.url().startsWith(base)) {
        if (!page.url().startsWith('about:')) wrong.push(`the page was left for ${page.url()}`);
        await start(random.of(known.hashes));
      } else if (new URL(page.url()).pathname !== new URL(base).pathname) {
        wrong.push(`the page was left for ${page.url()}`);
        await start(hash);
      }
      wrong.push(...(await settled(page)));
      if (temper.reloads && n % 6 === 5) wrong.push(...(await sameAfterReload(page, watch)));
      if (n % REST_EVERY === REST_EVERY - 1) await (temper.failing ? recovers(page, watch, state, wrong) : rest(page, watch, wrong));
    } catch (error) {
      done.push(`${n}: ${error.message.split('\n')[0]}`);
      if (!/Execution context was destroyed|navigation|interrupted|Target page/.test(error.message)) wrong.push(`the action failed: ${error.message.split('\n').slice(0, 3).join(' ')}`);
    }
    wrong.push(...watch.wrong.splice(0));
    if (Date.now() - before > 20_000) wrong.push(`an action took ${Math.round((Date.now() - before) / 1000)} s`);
    if (!wrong.length) continue;
    const fresh = wrong.filter((text) => !faults.has(kindOf(text)));
    for (const text of fresh) faults.set(kindOf(text), { text, hash: new URL(page.url()).hash, after: done.slice(-KEPT_ACTIONS) });
    if (fresh.length) {
      await shoot(page, faults.size);
      say(`FAULT ${fresh.join('\n      ')}\n   at ${page.url()}`);
    }
    // What is wrong stays wrong: on from a good state.
    await start(random.of(known.hashes)).catch(() => {});
    watch.wrong.length = 0;
  }
  await context.close();
  return { actions: n, faults: [...faults.values()], refused: watch.refused };
}

/** What looks wrong now and still does a moment later: a view that is just coming is no fault. */
async function settled(page) {
  let wrong = await page.evaluate(lookAround);
  for (let i = 0; wrong.length && i < 8; i++) {
    await page.waitForTimeout(250);
    const now = await page.evaluate(lookAround);
    wrong = wrong.filter((text) => /canvas/.test(text) || now.includes(text));
  }
  return wrong;
}

/** The address holds the view: opened anew, it says the same. */
async function sameAfterReload(page, watch) {
  await page.keyboard.press('Escape');
  await page.mouse.move(1, 1);
  await page.waitForTimeout(700);
  await watch.quiet(page, 4000);
  const before = await page.evaluate(wordsOfView);
  const at = page.url();
  await page.reload();
  await page.mouse.move(1, 1);
  let missing = [];
  let more = [];
  for (let i = 0; i < 8; i++) {
    await page.waitForTimeout(500);
    await watch.quiet(page, 4000);
    const after = await page.evaluate(wordsOfView);
    missing = before.filter((line) => !after.includes(line));
    more = after.filter((line) => !before.includes(line));
    if (!missing.length && !more.length) return [];
  }
  if (new URL(at).hash !== new URL(page.url()).hash) missing.push(`(address ${at} became ${page.url()})`);
  return [`reload changes the view: gone: ${missing.slice(0, 6).join(' / ').slice(0, 300)}; new: ${more.slice(0, 6).join(' / ').slice(0, 300)}`];
}
