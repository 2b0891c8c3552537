// What a reader behind a slow line waits for: 1 Mbit/s, 20 ms each way, nothing cached. Not a timed test: prints what it saw.
//
//   XPD_BINARY=BUILD/xprofd XPD_BUILD=BUILD XPD_PLAYWRIGHT=BUILD/browser/node_modules/playwright-core/index.mjs \
//   XPD_CHROMIUM=$(command -v chromium) node tests/bench/throttled.mjs [FOLDER [TIMES]]
//
// `shell` is when header and sidebar are painted, `view` when the main part stands in place of "loading"; median of TIMES loads (3),
// in ms from the start of the navigation. `kB` and requests are those until then. FOLDER: runs to open; default testdata/.
import { launch, quit, serve } from '../browser/lib.mjs';
import { testdata } from '../support/program.mjs';

const BITS = 1_000_000, LATENCY_MS = 20, PATIENCE_MS = 30_000;
const [folder = testdata, times = '3'] = process.argv.slice(2);

/** Runs in the page: notes the first frame in which each part is there. */
function watch() {
  window.seen = {};
  const look = () => {
    const now = performance.now();
    if (document.querySelector('header') && document.querySelector('nav')) window.seen.shell ??= now;
    const main = document.querySelector('main');
    if (main && !main.matches('.opening, .opening *') && main.innerText.trim().length > 20) window.seen.view ??= now;
    if (!window.seen.view) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

const median = (all) => all.sort((a, b) => a - b)[all.length >> 1];
const server = await serve(folder);
const runs = await server.api('runs');
const withEvents = runs.id.find((id) => /cpu_mlp_train|mlp_train|v6e/.test(id)) ?? runs.id[0];
const run = runs.id.find((id) => /tpu_(padded_demo|transformer_noremat)/.test(id)) ?? runs.id[0];
const other = runs.id.find((id) => id !== run && /tpu_/.test(id)) ?? run;
const pages = [
  ['start', {}], ['Memory', { run }], ['What if', { run, whatif: 1 }], ['Report', { run, mode: 'report' }], ['Compare', { run, mode: 'compare', base: other }],
  ['Doctor', { run, tool: 'doctor' }], ['Graph', { run, tool: 'graph' }], ['Trace', { run: withEvents, tool: 'trace' }], ['Files', { run, tool: 'files' }],
];
for (const [name, view] of pages) {
  const shell = [], seen = [];
  let bytes = 0, requests = 0;
  for (let k = 0; k < Number(times); k++) {
    const context = await (await launch()).newContext({ viewport: { width: 1366, height: 768 } });
    const page = await context.newPage();
    const client = await context.newCDPSession(page);
    await client.send('Network.enable');
    await client.send('Network.emulateNetworkConditions', { offline: false, latency: LATENCY_MS, downloadThroughput: BITS / 8, uploadThroughput: BITS / 8 });
    bytes = requests = 0;
    client.on('Network.loadingFinished', ({ encodedDataLength }) => { bytes += encodedDataLength; requests++; });
    await page.addInitScript(watch);
    await page.goto(`${server.url}#${new URLSearchParams(view)}`, { waitUntil: 'commit' });
    await page.waitForFunction(() => window.seen?.view, null, { timeout: PATIENCE_MS });
    const at = await page.evaluate(() => window.seen);
    shell.push(at.shell);
    seen.push(at.view);
    await context.close();
  }
  console.log(`${name.padEnd(8)} shell ${median(shell).toFixed(0).padStart(5)} ms, view ${median(seen).toFixed(0).padStart(5)} ms, ${(bytes / 1000).toFixed(0).padStart(4)} kB in ${requests} requests`);
}
await server.stop();
await quit();
