// What the browser tests share: the server on a free port, a page that fails on console errors, CSP violations and
// requests to any other origin, and small helpers that do what a person does.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const { chromium } = await import(process.env.XPD_PLAYWRIGHT);
export const source = process.env.XPD_SOURCE;
export const shared = process.env.XPD_SHARED ?? '';
export const testdata = join(source, 'testdata');

export const SIZES = [
  { width: 1366, height: 768 },
  { width: 2560, height: 1440 },
];
export const THEMES = ['light', 'dark'];

/** Starts xprofd on a free port; the answer has its address and a stop function. */
export async function serve(path, ...more) {
  const child = spawn(process.env.XPD_BINARY, ['--port=0', path, ...more], { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  child.stderr.on('data', () => {});
  const url = await new Promise((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      text += chunk;
      const found = /at (http:\S+)/.exec(text);
      if (found) resolve(found[1]);
    });
    child.on('exit', (code) => reject(new Error(`xprofd ended with ${code} before it served: ${text}`)));
  });
  return {
    url,
    stop: () =>
      new Promise((resolve) => {
        child.removeAllListeners('exit');
        child.on('exit', resolve);
        child.kill('SIGTERM');
      }),
  };
}

/** A logdir of copies of captures: {folder: path below testdata or an absolute logdir}. */
export function makeLogdir(entries) {
  const root = mkdtempSync(join(tmpdir(), 'xprofd-browser-'));
  for (const [folder, from] of Object.entries(entries)) {
    mkdirSync(join(root, folder), { recursive: true });
    cpSync(from, join(root, folder), { recursive: true });
  }
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) };
}

/** A data set that is only there where ../shared is; null with a sentence when it is not. */
export function sharedLogdir(name) {
  const path = join(shared, 'data', name, 'logdir');
  if (shared && existsSync(path)) return path;
  console.log(`# ${name} is not here (XPD_SHARED): the part of this test that needs it does not run`);
  return null;
}

let browser = null;
export async function launch() {
  browser ??= await chromium.launch({ executablePath: process.env.XPD_CHROMIUM, args: ['--no-sandbox'] });
  return browser;
}
export async function quit() {
  await browser?.close();
  browser = null;
}

/** Opens a page on the server. `close()` asserts that nothing went wrong behind the scenes. */
export async function open(url, { size = SIZES[0], theme = 'light', hash = '' } = {}) {
  const context = await (await launch()).newContext({ viewport: size, colorScheme: theme, acceptDownloads: true });
  const page = await context.newPage();
  const wrong = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') wrong.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => wrong.push(`exception: ${error.message}`));
  page.on('request', (request) => {
    const at = request.url();
    if (!at.startsWith(url) && !/^(data|blob):/.test(at)) wrong.push(`request to another origin: ${at}`);
  });
  await page.addInitScript(() => {
    addEventListener('securitypolicyviolation', (e) => console.error(`CSP: ${e.violatedDirective} ${e.blockedURI}`));
  });
  await page.goto(url + hash);
  return {
    page,
    close: async () => {
      await context.close();
      assert.deepEqual(wrong, []);
    },
    /** Errors the test expects (a 404 it provokes, say) are taken out here. */
    forgive: (pattern) => {
      for (let i = wrong.length - 1; i >= 0; i--) if (pattern.test(wrong[i])) wrong.splice(i, 1);
    },
  };
}

/** Colour of a pixel of a canvas, as [r, g, b, a]. x and y are shares of its size. */
export async function pixel(page, selector, x, y) {
  return page.$eval(
    selector,
    (canvas, [sx, sy]) => {
      const g = canvas.getContext('2d');
      return [...g.getImageData(Math.floor(canvas.width * sx), Math.floor(canvas.height * sy), 1, 1).data];
    },
    [x, y],
  );
}

/** True when the canvas shows more than one colour. */
export async function isDrawn(page, selector) {
  return page.$eval(selector, (canvas) => {
    const data = new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer);
    return new Set(data.filter((_, i) => i % 7 === 0)).size > 3;
  });
}

export async function until(what, check, ms = 8000) {
  const end = Date.now() + ms;
  for (;;) {
    if (await check()) return;
    if (Date.now() > end) throw new Error(`waited ${ms} ms for: ${what}`);
    await new Promise((r) => setTimeout(r, 40));
  }
}
