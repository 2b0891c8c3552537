// How smooth the Trace Viewer is. Not a timed test: prints what it saw.
//
//   XPD_BINARY=BUILD/xprofd XPD_BUILD=BUILD XPD_PLAYWRIGHT=BUILD/browser/node_modules/playwright-core/index.mjs \
//   XPD_CHROMIUM=$(command -v chromium) node tests/bench/smooth_trace.mjs 'TPU host' 1000000 [WIDTHxHEIGHT]
//
// The first two are a shape and a number of events as gen_vectors --events takes them. The wheel zooms in and out at the pointer, pans, then rows are scrolled, 60 times a second. `frame` is the time between two
// animation frames, `script` what the page's own code took in one of them (handlers and drawing).
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { launch, quit, serve } from '../browser/lib.mjs';
import { build, temporary } from '../support/program.mjs';
import { line, watchFrames } from './frames.mjs';

const SECONDS = 6;
const [shape = 'TPU host', events = '1000000', size = '1366x768'] = process.argv.slice(2);
const [width, height] = size.split('x').map(Number);

const logdir = temporary('smooth');
const folder = join(logdir, 'plugins/profile/run');
mkdirSync(folder, { recursive: true });
execFileSync(join(build, 'bin/gen_vectors'), ['--events', shape, events, join(folder, 'host.xplane.pb')]);
const server = await serve(logdir);
const context = await (await launch()).newContext({ viewport: { width, height } });
const page = await context.newPage();
await page.addInitScript(watchFrames);
const run = (await server.api('runs')).id[0];
const rows = await server.api('trace/rows', { run, derived: 0 });
const asked = Date.now();
await page.goto(`${server.url}#${new URLSearchParams({ run, tool: 'trace' })}`);
page.setDefaultTimeout(120_000);
await page.locator('.trace .t-over').waitFor();
await page.waitForFunction(() => {
  const c = document.querySelector('.t-canvas');
  return c?.width && new Set(new Uint32Array(c.getContext('2d').getImageData(200, 0, c.width - 200, c.height).data.buffer)).size > 12;
});
console.log(`${rows.event_count.toLocaleString('en-US')} events, ${rows.rows.n} rows, ${size}; first boxes after ${Date.now() - asked} ms`);
await page.waitForTimeout(2500);

const box = await page.locator('.t-over').boundingBox();
const client = await context.newCDPSession(page);
async function roll(name, delta, x) {
  await page.mouse.move(box.x + x, box.y + box.height / 2);
  await page.evaluate(() => Object.assign(window.smooth, { on: true, frames: [], scripts: [] }));
  const start = Date.now();
  for (let i = 0; Date.now() - start < SECONDS * 1000; i++) {
    const sign = Math.floor(((Date.now() - start) / (SECONDS * 1000)) * 2) % 2 ? 1 : -1;
    const next = start + (i + 1) * (1000 / 60) - Date.now();
    const [deltaX, deltaY] = delta(sign);
    void client.send('Input.dispatchMouseEvent', { type: 'mouseWheel', x: box.x + x, y: box.y + box.height / 2, deltaX, deltaY }).catch(() => {});
    if (next > 0) await new Promise((done) => setTimeout(done, next));
  }
  const seen = await page.evaluate(() => {
    window.smooth.on = false;
    return window.smooth;
  });
  console.log(name);
  line('frame', seen.frames);
  line('script', seen.scripts);
}
await roll('zoom', (sign) => [0, sign * 22], box.width * 0.6);
await roll('pan', (sign) => [sign * 14, 0], box.width * 0.6);
// Every row of every process, to have something to scroll.
await page.evaluate((n) => {
  location.hash += `&open=0-${n}&others=0-${n}`;
}, rows.processes.n - 1);
await page.waitForTimeout(3000);
const scrolled = () => page.evaluate(() => document.querySelector('.t-rows').scrollHeight);
console.log(`${await scrolled()} pixels of rows`);
await roll('scroll rows', (sign) => [0, sign * -60], 60);
await context.close();
await quit();
await server.stop();
process.exit(0);
