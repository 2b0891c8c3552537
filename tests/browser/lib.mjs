// What the browser tests share: the server on a free port, a page that fails on console errors, CSP violations and
// requests to any other origin, and small helpers that do what a person does.
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';

import { captured, query, Server, shared, temporary, testdata } from '../support/program.mjs';
import { slowPage, slowTest } from './slow.mjs';

export { csv, sum } from '../cli/common.mjs';
export { captured, temporary, testdata } from '../support/program.mjs';

const { chromium } = await import(process.env.XPD_PLAYWRIGHT);

export const SIZES = [
  { width: 1366, height: 768 },
  { width: 2560, height: 1440 },
];
export const THEMES = ['light', 'dark'];
export const ALL_LOOKS = SIZES.flatMap((size) => THEMES.map((theme) => ({ size, theme })));
/**
 * A test sees one of the four looks, the next one another, a file of six tests all four: what a page costs is its looks times
 * its tests, and a large one costs half as much again as a small one. XPD_LOOKS=4 takes all four for each, for a change that
 * touches every page; what must hold in each look by itself names its looks.
 */
const TURNS = process.env.XPD_LOOKS === '4' ? [ALL_LOOKS] : [0, 1, 3, 0, 1, 2].map((k) => [ALL_LOOKS[k]]);
let asked = 0;
export const lookName = ({ size, theme }) => `${theme} ${size.width} x ${size.height}`;

/** One test for each look: the body gets it, whether it is the first (for what no look changes), and the test (to skip it). */
export function eachLook(name, body, looks = TURNS[asked++ % TURNS.length]) {
  for (const [k, look] of looks.entries()) test(`${name} (${lookName(look)})`, (t) => body(look, k === 0, t));
}

/**
 * Starts xprofd on a free port: its address, its API as a function, and how to stop it. XPD_WEB_DIR (a folder that
 * web/build.mjs filled) takes the place of the page in the program, for work on the page.
 */
export async function serve(root, ...more) {
  const web = process.env.XPD_WEB_DIR ? [`--web-dir=${process.env.XPD_WEB_DIR}`] : [];
  const server = await Server.start(root, ...web, ...more);
  // A test that failed has not stopped its own.
  process.on('exit', () => server.child.kill());
  return {
    url: `http://127.0.0.1:${server.port}/`,
    port: server.port,
    stop: () => server.stop(),
    /** The answer of a route, as the page would get it. */
    async api(route, parameters = {}) {
      const given = Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null));
      const answer = await server.get(`/api/v1/${route}?${query(given)}`);
      assert.equal(answer.status, 200, `${route}: ${answer.text.slice(0, 300)}`);
      return answer.json ?? answer.text;
    },
  };
}

/** A logdir of copies of captures: {folder below the logdir: folder to copy}. Removed when the process ends. */
export function makeLogdir(entries) {
  const root = temporary('browser');
  for (const [folder, from] of Object.entries(entries)) {
    mkdirSync(join(root, folder), { recursive: true });
    cpSync(from, join(root, folder), { recursive: true });
  }
  return root;
}

/** A file below a logdir; bytes or text. */
export function putFile(root, path, content) {
  const at = join(root, path);
  mkdirSync(join(at, '..'), { recursive: true });
  writeFileSync(at, content);
  return at;
}

/** Makes every file below a folder so many minutes old. */
export function makeOld(root, path, minutes) {
  const at = join(root, path);
  const time = Date.now() / 1000 - minutes * 60;
  for (const name of readdirSync(at, { recursive: true })) if (statSync(join(at, name)).isFile()) utimesSync(join(at, name), time, time);
}

/** The first part of a capture on the CPU: a copy that stopped. */
export function cutProfile(root, path, share) {
  const whole = readFileSync(captured('cpu_mlp_train'));
  return putFile(root, path, whole.subarray(0, Math.floor(whole.length * share)));
}

/** A data set that is only there where ../shared is; null with a sentence when it is not. */
export function sharedLogdir(name) {
  const path = shared && join(shared, 'data', name, 'logdir');
  if (path && existsSync(path)) return path;
  console.log(`# ${name} is not here (XPD_SHARED): what needs it is skipped`);
  return null;
}

/** How long a state is waited for at the most: what comes, comes at once; a machine that does other work beside it is no failure. */
const PATIENCE_MS = 60_000;

let browser = null;
export async function launch() {
  // There is no GPU where tests run: drawing without one is cheaper than one in software (a seventh of what a page costs). A page of a
  // test is gone before optimised code pays for its compilation (a twentieth).
  if (!browser) {
    browser = await chromium.launch({ executablePath: process.env.XPD_CHROMIUM, args: ['--no-sandbox', '--disable-gpu', '--js-flags=--no-opt,--no-maglev'] });
    slowTest(browser);
  }
  return browser;
}
export async function quit() {
  await browser?.close();
  browser = null;
  spare = null;
}

/** Everything that went wrong behind the scenes of a page. */
function watch(page, base) {
  const wrong = [];
  page.on('console', (message) => {
    // The answers with an error are named below, with their address.
    if (/^Failed to load resource: the server responded/.test(message.text())) return;
    // The tests read pixels back; the page does not.
    if (/willReadFrequently/.test(message.text())) return;
    if (message.type() === 'error' || message.type() === 'warning') wrong.push(`console: ${message.text()}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) wrong.push(`answer ${response.status()}: ${response.url()}`);
  });
  page.on('pageerror', (error) => wrong.push(`exception: ${error.message}`));
  page.on('crash', () => wrong.push('the page crashed'));
  page.on('request', (request) => {
    const at = request.url();
    if (!at.startsWith(base) && !/^(data|blob):/.test(at)) wrong.push(`request to another origin or path: ${at}`);
  });
  return wrong;
}

/** A page in a context of its own. */
async function newPage({ size, theme, more }) {
  const context = await (await launch()).newContext({ viewport: size, colorScheme: theme, acceptDownloads: true, ...more });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await context.addInitScript(() => {
    addEventListener('securitypolicyviolation', (e) => console.error(`CSP: ${e.violatedDirective} ${e.blockedURI}`));
    // Timers that will soon run, for settled().
    const [set, clear, soon] = [window.setTimeout, window.clearTimeout, new Set()];
    window.xpdTimers = soon;
    window.xpdSoon = set;
    window.setTimeout = (work, ms = 0, ...given) => {
      const timer = set(() => {
        soon.delete(timer);
        work(...given);
      }, ms);
      if (ms < 1000) soon.add(timer);
      return timer;
    };
    window.clearTimeout = (timer) => {
      soon.delete(timer);
      clear(timer);
    };
  });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  await slowPage(page);
  return page;
}

/** The page that the last test left, for the next: half of what a page costs is its process. */
let spare = null;
const HEARD = ['console', 'response', 'pageerror', 'request', 'requestfinished', 'requestfailed', 'download', 'dialog', 'popup', 'filechooser', 'framenavigated', 'worker'];

/** The spare page as a new one would be: nothing stored, nothing listened to, the mouse away, another document of the same origin. */
async function asNew(page, base, { size, theme }) {
  for (const event of HEARD) page.removeAllListeners(event);
  for (const other of page.context().pages()) if (other !== page) await other.close();
  await page.mouse.move(0, 0);
  await page.context().clearCookies();
  await page.setViewportSize(size);
  await page.emulateMedia({ media: null, colorScheme: theme, forcedColors: null, reducedMotion: null });
  await page.goto(`${base}favicon.svg`);
  await page.evaluate(() => {
    localStorage.clear();
    sessionStorage.clear();
  });
  return page;
}

/**
 * Opens `base` (with `hash`) after `prepare` has seen the empty page, and runs the body with it. Fails when the body fails, and when the page met an
 * exception, a console error, a CSP violation or a request elsewhere that was not forgiven. `alone`: the page is a new one and no other test gets it,
 * as also where the body uses its context or `prepare` and `context` ask for something of their own.
 */
export async function withPage(base, options, body) {
  const { size = SIZES[0], theme = 'light', hash = '', prepare, context: more = {}, alone = prepare || options.context || !base.startsWith('http') } = options;
  const taken = alone ? null : spare;
  if (taken) spare = null;
  const page = (taken && (await asNew(taken, base, { size, theme }).catch(() => taken.context().close()))) || (await newPage({ size, theme, more }));
  const context = page.context();
  const wrong = watch(page, base);
  const forgiven = [];
  const allowed = [];
  let again = !alone;
  try {
    await prepare?.(page);
    await page.goto(base + hash);
    await body(page, {
      get context() {
        again = false;
        return context;
      },
      look: { size, theme },
      /** Errors that the test provokes (the server goes away, say), whenever they come; there must be some. */
      forgive: (pattern) => forgiven.push(pattern),
      /** The same where it depends on the moment whether there are any. */
      allow: (pattern) => allowed.push(pattern),
    });
    for (const pattern of forgiven) assert.ok(wrong.some((one) => pattern.test(one)), `expected ${pattern} among the errors of the page`);
    const left = wrong.filter((one) => ![...forgiven, ...allowed].some((pattern) => pattern.test(one)));
    assert.deepEqual(left, [], 'errors of the page');
  } catch (error) {
    again = false;
    if (wrong.length) error.message += `\nthe page said: ${wrong.join('\n')}`;
    error.message += `\nthe page: ${await seen(page)}`;
    await shoot(page, `failed-${Date.now()}`).catch(() => {});
    throw error;
  } finally {
    // A handler of a route may still be at work: its page is gone then, which is no error of the test.
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    if (again && !spare) spare = page;
    else await context.close();
  }
}

/** Where a page is and what it shows, for the message of a failure: a race in CI leaves nothing else to look at. */
async function seen(page) {
  const text = await page.evaluate(() => document.body?.innerText ?? '').catch((error) => `(${error.message})`);
  return `${page.url()}\n${text.replace(/\s+/g, ' ').slice(0, 600)}`;
}

/** A picture of the page, where XPD_SCREENSHOTS says; nothing without it. */
export async function shoot(page, name) {
  const folder = process.env.XPD_SCREENSHOTS;
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name.replace(/[^\w.-]+/g, '-')}.png`) });
}

export async function until(what, check, ms = PATIENCE_MS) {
  const end = Date.now() + ms;
  // Each look costs the page and the machine some milliseconds: what is not there at once is looked for less and less often.
  for (let pause = 10; ; pause = Math.min(pause + 10, 100)) {
    const got = await check();
    if (got) return got;
    if (Date.now() > end) throw new Error(`waited ${ms} ms for: ${what}`);
    await new Promise((r) => setTimeout(r, pause));
  }
}

/**
 * Waits until the page is at rest: no call, drawing, delayed work or write of the address is under way (`data-busy`, see
 * web/src/util/rest.ts), and no timer below a second, for a few frames, since what a component asks for when it appears
 * begins a frame later. In place of a time to wait: what has not happened then does not happen. The page looks by itself,
 * and asks for frames only when nothing is under way: each of them is drawn.
 */
export async function settled(page, ms = PATIENCE_MS) {
  const rests = await page.evaluate((patience) => new Promise((resolve) => {
    const end = performance.now() + patience;
    let frames = 0;
    const look = () => {
      const busy = document.documentElement.hasAttribute('data-busy') || window.xpdTimers?.size > 0;
      frames = busy ? 0 : frames + 1;
      if (frames > 5) resolve(true);
      else if (performance.now() > end) resolve(false);
      else if (busy) (window.xpdSoon ?? setTimeout)(look, 15);
      else requestAnimationFrame(look);
    };
    look();
  }), ms);
  assert.ok(rests, `waited ${ms} ms for: the page to be at rest`);
}

/** Waits until the value is deeply equal; the message then has both. */
export async function becomes(read, wanted, what = 'value', ms = PATIENCE_MS) {
  let last;
  try {
    await until(what, async () => {
      try {
        last = await read();
        assert.deepEqual(last, wanted);
        return true;
      } catch {
        return false;
      }
    }, ms);
  } catch {
    assert.deepEqual(last, wanted, what);
  }
}

/** Waits until the text that is read matches. */
export async function matches(read, pattern, what = 'text') {
  let last = '';
  await until(what, async () => {
    last = await read().catch(() => '');
    return pattern.test(last);
  }).catch(() => assert.match(last, pattern, what));
}

/**
 * Loads the page anew at this address. From one fragment to another it would go on in the same document, and `goto` and
 * `reload` then end at whatever address the page itself writes meanwhile.
 */
export async function visit(page, address) {
  await page.goto('about:blank');
  await page.goto(address);
}

/** The view that the address holds. */
export function viewOf(page) {
  const at = new URL(page.url());
  return Object.fromEntries(new URLSearchParams(at.hash.slice(1)));
}

/** Waits until the address holds these; null: the key is not in it. */
export async function inAddress(page, wanted, ms = PATIENCE_MS) {
  const read = () => {
    const view = viewOf(page);
    return Object.fromEntries(Object.keys(wanted).map((key) => [key, view[key] ?? null]));
  };
  await becomes(read, wanted, 'address', ms).catch((error) => {
    error.message += `\nthe address: ${page.url()}`;
    throw error;
  });
}

/** One line of text: what a person reads. */
export async function read(locator) {
  return (await locator.innerText()).replace(/\s+/g, ' ').trim();
}

/** The same, without regard to the gaps that layout puts between the parts. */
export async function said(locator) {
  return (await locator.textContent()).replace(/\s+/g, ' ').trim();
}

/** What is on the clipboard. */
export function copied(page) {
  return page.evaluate(() => navigator.clipboard.readText());
}

/**
 * Presses the key that copies the link, and checks that it is the address. Waits for the page to rest first: until then
 * the address may still change after the copy (when one drawing replaces another, say).
 */
export async function copiesLink(page) {
  await settled(page);
  await page.keyboard.press('y');
  await becomes(async () => (await copied(page)) === page.url(), true, 'the address is copied');
}

/** Waits for the line at the foot that says this. */
export async function toastSays(page, pattern) {
  await until(`the line at the foot to say ${pattern}`, async () => pattern.test((await page.locator('.toast').allInnerTexts()).join()));
}

/** Runs the action and returns the file it downloads: {name, text, bytes}. */
export async function download(page, action) {
  // A browser makes the PNG of a large canvas when it is idle: on a busy machine that is seconds.
  const [got] = await Promise.all([page.waitForEvent('download', { timeout: 30_000 }), action()]);
  const bytes = readFileSync(await got.path());
  return { name: got.suggestedFilename(), bytes, text: bytes.toString('utf8') };
}

/** True when the canvas shows more than three colours. */
export async function isDrawn(locator) {
  return locator.evaluate((canvas) => {
    if (!canvas.width || !canvas.height) return false;
    const data = new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer);
    return new Set(data.filter((_, i) => i % 7 === 0)).size > 3;
  });
}

/** Pixels of a column of a canvas that have this colour (as CSS writes it), from the top, in CSS pixels. */
export async function coloured(locator, colour, x) {
  return locator.evaluate(
    (canvas, [wanted, at]) => {
      const probe = document.createElement('canvas').getContext('2d');
      probe.fillStyle = wanted.startsWith('--') ? getComputedStyle(document.documentElement).getPropertyValue(wanted).trim() : wanted;
      probe.fillRect(0, 0, 1, 1);
      const [r, g, b] = probe.getImageData(0, 0, 1, 1).data;
      const ratio = canvas.width / canvas.clientWidth;
      const data = canvas.getContext('2d').getImageData(Math.floor(at * ratio), 0, 1, canvas.height).data;
      const rows = [];
      for (let y = 0; y < canvas.height; y++) {
        if (Math.abs(data[y * 4] - r) + Math.abs(data[y * 4 + 1] - g) + Math.abs(data[y * 4 + 2] - b) < 12) rows.push(y / ratio);
      }
      return rows;
    },
    [colour, x],
  );
}

/** A fingerprint of what a canvas shows. */
export function pictureOf(locator) {
  return locator.evaluate((canvas) => {
    const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
    let h = 2166136261;
    for (let i = 0; i < data.length; i += 3) h = Math.imul(h ^ data[i], 16777619);
    return h >>> 0;
  });
}

// Sizes as a person reads them, written a second time so that the page's own rounding is checked.
const UNITS = { B: [1, 0], KiB: [2 ** 10, 1], MiB: [2 ** 20, 1], GiB: [2 ** 30, 2] };
export function inUnit(bytes, unit, { plus = false } = {}) {
  if (bytes === 0) return '0';
  const [size, digits] = UNITS[unit];
  const text = (Math.abs(bytes) / size).toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  const sign = bytes < 0 ? '\u2212' : plus && bytes > 0 ? '+' : '';
  if (/[1-9]/.test(text)) return `${sign}${text}`;
  // What would read as zero is told in its own unit, which is then written.
  const own = Object.keys(UNITS).findLast((one) => Math.abs(bytes) >= UNITS[one][0]);
  return `${inUnit(bytes, own, { plus })} ${own}`;
}
const withUnit = (unit) => (bytes) => (bytes !== 0 && /^[^ ]+$/.test(inUnit(bytes, unit)) ? `${inUnit(bytes, unit)} ${unit}` : inUnit(bytes, unit));
export const mib = withUnit('MiB');
export const gib = withUnit('GiB');
export const exact = (bytes) => `${bytes.toLocaleString('en-US')} bytes`;
