// The pictures of README.md and docs/OOM.md, as the page is now; 1366 x 768, at most 250 kB each. Run by hand:
//
//   XPD_BINARY=BUILD/xprofd XPD_BUILD=BUILD XPD_SHARED=... XPD_PLAYWRIGHT=BUILD/browser/node_modules/playwright-core/index.mjs \
//   XPD_CHROMIUM=$(command -v chromium) node tests/tools/pictures.mjs [NAME...]
//
// Profiles come from XPD_SHARED (those of others are not in the repository) and testdata/. 256 colours, where Python has Pillow: a third of the size.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { launch, makeOld, quit, serve, settled } from '../browser/lib.mjs';
import { shared, source, temporary, testdata } from '../support/program.mjs';

const MOST_BYTES = 250_000;
const data = (name, part = 'logdir') => join(shared, 'data', name, part);
/** Folder of the logdir: [where it is copied from, minutes old]. */
const RUNS = {
  'models/transformer_remat': [data('tpu_transformer_remat'), 16], 'models/transformer_noremat': [data('tpu_transformer_noremat'), 30],
  'models/transformer_nodonate': [data('tpu_transformer_nodonate'), 58], 'padded/demo': [data('tpu_padded_demo'), 64], tpu_padded_oom: [join(testdata, 'tpu_padded_oom'), 180],
  gpu_mi300: [data('gpu_mi300'), 420], gpu_te: [data('gpu_te_fused_attn'), 500], v6e: [data('tpu-v6e-offload'), 840], 'nightly/two_hosts': [data('mlp_train_two_hosts'), 1440],
  'nightly/transformer_train': [data('transformer_train'), 2880], 'models/sharded_lm': [data('tpu_sharded_lm'), 5760], 'models/decode_kvcache': [data('tpu_decode_kvcache'), 12960],
  'models/big_transformer': [data('tpu_big_transformer'), 27360], 'tpu_findings/padded_packed': [join(testdata, 'tpu_findings/padded_packed'), 34560],
};
const root = join(temporary('pictures'), 'xprof');
for (const [folder, [from, age]] of Object.entries(RUNS)) {
  mkdirSync(join(root, folder), { recursive: true });
  cpSync(from, join(root, folder), { recursive: true });
  makeOld(root, folder, age);
}
const server = await serve(root);
const ids = (await server.api('runs')).id;
const run = (part) => ids.find((id) => id.startsWith(part)) ?? ids.find((id) => id.includes(part));
const noremat = { run: run('models/transformer_noremat') }, v6e = { run: run('v6e'), tool: 'trace' }, oom = { run: run('tpu_padded_oom') };
const buffers = await server.api('memory/buffers', { run: noremat.run, filter: 'fusion.761', limit: 1 });
const MS = 1e9;

const hits = (await server.api('trace/search', { run: v6e.run, q: 'copy-done.2', from: 19214 * MS, to: 19215 * MS, limit: 20 })).hits;
const event = hits.event.find((_, k) => hits.duration_ps[k] > 298e9 && hits.duration_ps[k] < 299e9) ?? hits.event[0];

/** name: [what is open, what is done there, how long the page may draw]. */
const PICTURES = {
  overview: [{ run: v6e.run, tool: 'overview' }],
  ops: [{ run: run('gpu_te'), tool: 'ops' }],
  roofline: [{ run: v6e.run, tool: 'roofline' }],
  memory: [{ ...noremat, pin: buffers.buffer?.[0] }],
  report: [{ ...noremat, mode: 'report', steps: '94,167' }],
  compare: [{ run: run('models/transformer_remat'), mode: 'compare', base: noremat.run }],
  whatif: [{ ...noremat, w: 'D09:recompute,D21:drop' }],
  doctor: [{ ...oom, tool: 'doctor' }],
  'memory-oom': [oom],
  'oom-doctor': [{ ...oom, tool: 'doctor' }],
  'oom-memory': [oom],
  'oom-fixed': [{ run: run('tpu_findings/padded_packed'), hbm: 15.75 * 2 ** 30 }],
  graph: [{ ...noremat, tool: 'graph', op: '%fusion.396', r: 1 }],
  start: [{}],
  trace: [{ ...v6e, t0: 18987 * MS, t1: 19947 * MS, ev: event }],
  'trace-whole': [v6e],
  'trace-deep': [{ ...v6e, t0: 19220 * MS, t1: 19221 * MS }],
};

const context = await (await launch()).newContext({ viewport: { width: 1366, height: 768 } });
for (const name of process.argv.length > 2 ? process.argv.slice(2) : Object.keys(PICTURES)) {
  const page = await context.newPage();
  const view = Object.fromEntries(Object.entries(PICTURES[name][0]).filter(([, value]) => value !== undefined));
  await page.goto(`${server.url}${Object.keys(view).length ? `#${new URLSearchParams(view)}` : ''}`);
  await page.waitForLoadState('networkidle');
  await settled(page);
  const file = join(source, 'docs/screenshots', `${name}.png`);
  await page.screenshot({ path: file });
  try {
    execFileSync('python3', ['-c', 'import sys; from PIL import Image; f = sys.argv[1]; Image.open(f).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(f, optimize=True)', file], { stdio: 'ignore' });
  } catch {} // no Pillow: the file stays as it is
  const { size } = statSync(file);
  console.log(`${name}: ${(size / 1000).toFixed(0)} kB${size > MOST_BYTES ? ', too large' : ''}`);
  await page.close();
}
await server.stop();
await quit();
