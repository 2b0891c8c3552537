// How smooth zoom and pan are over a program of half a million steps. Not a timed test: prints what it saw.
//
//   XPD_BINARY=BUILD/xprofd XPD_BUILD=BUILD XPD_PLAYWRIGHT=BUILD/browser/node_modules/playwright-core/index.mjs \
//   XPD_CHROMIUM=$(command -v chromium) node tests/bench/smooth.mjs [axis] [WIDTHxHEIGHT]
//
// Half of the time the wheel zooms in and out at the pointer, half of the time it pans, 60 times a second. `frame` is
// the time between two animation frames, `script` what the page's own code took in one of them (handlers and drawing).
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { launch, quit, serve } from '../browser/lib.mjs';
import { chartOf, drawn } from '../browser/memory.mjs';
import { build, temporary } from '../support/program.mjs';
import { line, watchFrames } from './frames.mjs';

const SECONDS = 5;
const [axis = 'event', size = '1366x768'] = process.argv.slice(2);
const [width, height] = size.split('x').map(Number);

const root = temporary('smooth');
mkdirSync(root, { recursive: true });
console.log(execFileSync(join(build, 'bin/gen_vectors'), ['--bench', '200000', '250000', '500000', join(root, 'big.hlo_proto.pb')], { encoding: 'utf8' }).trim());

const server = await serve(root);
const context = await (await launch()).newContext({ viewport: { width, height } });
const page = await context.newPage();
await page.addInitScript(watchFrames);
const [run] = (await server.api('runs')).id;
await page.goto(`${server.url}#run=${encodeURIComponent(run)}${axis === 'event' ? '' : `&axis=${axis}`}`);
page.setDefaultTimeout(60_000);
await drawn(page);
await page.waitForTimeout(1500);

const box = await chartOf(page).boundingBox();
await page.mouse.move(box.x + box.width * 0.6, box.y + box.height / 2);
const client = await context.newCDPSession(page);
await client.send('Performance.enable');
const metrics = async () => Object.fromEntries((await client.send('Performance.getMetrics')).metrics.map((m) => [m.name, m.value]));
const before = await metrics();
await page.evaluate(() => { window.smooth.on = true; });
const start = Date.now();
for (let i = 0; Date.now() - start < SECONDS * 1000; i++) {
  const share = (Date.now() - start) / (SECONDS * 1000);
  const pan = share > 0.5;
  // in for a quarter of the time, out for another; then right and left
  const sign = Math.floor(share * 4) % 2 ? 1 : -1;
  const next = start + (i + 1) * (1000 / 60) - Date.now();
  void client.send('Input.dispatchMouseEvent', { type: 'mouseWheel', x: box.x + box.width * 0.6, y: box.y + box.height / 2, deltaX: pan ? sign * -12 : 0, deltaY: pan ? 0 : sign * 30 }).catch(() => {});
  if (next > 0) await new Promise((done) => setTimeout(done, next));
}
const seen = await page.evaluate(() => { window.smooth.on = false; return window.smooth; });
const after = await metrics();
console.log(`${axis}, ${size}: ${SECONDS} s of zoom and pan`);
line('frame', seen.frames);
line('script', seen.scripts);
console.log(`long tasks (above 50 ms): ${seen.long.length}, longest ${Math.max(0, ...seen.long).toFixed(0)} ms`);
console.log(`busy: script ${(after.ScriptDuration - before.ScriptDuration).toFixed(2)} s, layout ${(after.LayoutDuration + after.RecalcStyleDuration - before.LayoutDuration - before.RecalcStyleDuration).toFixed(2)} s, all ${(after.TaskDuration - before.TaskDuration).toFixed(2)} s of ${SECONDS}`);
await context.close();
await quit();
await server.stop();
process.exit(0);
