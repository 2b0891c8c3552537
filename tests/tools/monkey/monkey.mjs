// Random use of the page, by hand: node tests/tools/monkey/monkey.mjs BINARY LOGDIR '#hash' SEED SECONDS [W H theme]. See README.md.
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

const [binary, logdir, hash = '#', seed = '1', seconds = '60', width = '1366', height = '768', theme = 'light'] = process.argv.slice(2);
if (!logdir || !process.env.XPD_PLAYWRIGHT || !process.env.XPD_CHROMIUM) {
  console.error("usage: XPD_PLAYWRIGHT=… XPD_CHROMIUM=… node monkey.mjs BINARY LOGDIR '#hash' SEED SECONDS [W H light|dark]");
  process.exit(2);
}
process.env.XPD_BINARY = resolve(binary);
const { Server } = await import('../../support/program.mjs');
const { monkey } = await import('./run.mjs');
const { whatIsThere } = await import('./known.mjs');
const { chromium } = await import(process.env.XPD_PLAYWRIGHT);

const temper = Object.fromEntries((process.env.XPD_MONKEY ?? 'wild').split(',').map((name) => [name, true]));
const web = process.env.XPD_WEB_DIR ? [`--web-dir=${process.env.XPD_WEB_DIR}`] : [];
const server = await Server.start(logdir, ...web);
const base = `http://127.0.0.1:${server.port}/`;
const browser = await chromium.launch({ executablePath: process.env.XPD_CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
const known = await whatIsThere(server, hash);
const folder = process.env.XPD_SCREENSHOTS;
const shoot = async (page, n) => {
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `monkey-${seed}-${n}.png`) }).catch(() => {});
};
const say = process.env.XPD_MONKEY_SAYS ? (text) => console.log(text) : () => {};
const done = await monkey(browser, {
  seed, ms: Number(seconds) * 1000, size: { width: Number(width), height: Number(height) }, theme, hash, known, temper, base, say, shoot,
  actions: process.env.XPD_MONKEY_ACTIONS ? Number(process.env.XPD_MONKEY_ACTIONS) : undefined,
});
await browser.close();
const alive = await server.answers().catch(() => false);
const errors = server.errors.trim();
await server.stop().catch((error) => console.log(`FAULT the server: ${error.message}`));
for (const { text, hash: at, after } of done.faults) console.log(`FAULT ${text}\n   at ${at.slice(0, 600)}\n   after\n     ${after.join('\n     ')}`);
if (!alive) console.log('FAULT the server has ended');
if (errors) console.log(`the server said: ${errors.slice(0, 2000)}`);
for (const [said, times] of done.refused) console.log(`refused ${times}: ${said}`);
console.log(`${done.actions} actions, ${done.faults.length} faults (seed ${seed}, ${logdir} ${hash}, ${width} x ${height} ${theme}, ${Object.keys(temper)})`);
process.exit(done.faults.length || !alive ? 1 : 0);
