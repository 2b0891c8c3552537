// What a device did in the window, said above its rows: the server's exact sums, the same in a narrow window and in a wide one.
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';

import { becomes, quit, serve, sharedLogdir, visit, withPage } from './lib.mjs';

let server;
const tpu = sharedLogdir('tpu-v6e-offload');
before(async () => {
  if (tpu) server = await serve(tpu);
});
after(async () => {
  await quit();
  await server?.stop();
});

const seconds = (ps) => `${(ps / 1e12).toFixed(3)} s`;
const part = (ps) => (ps >= 1e12 ? seconds(ps) : ps >= 1e9 ? `${(ps / 1e9).toFixed(3)} ms` : `${(ps / 1e6).toFixed(2)} µs`);

/** Texts that canvases drew since the last call. */
const watchText = (context) =>
  context.addInitScript(() => {
    globalThis.drawn = new Set();
    const plain = CanvasRenderingContext2D.prototype.fillText;
    CanvasRenderingContext2D.prototype.fillText = function (text, ...at) {
      globalThis.drawn.add(text);
      return plain.call(this, text, ...at);
    };
  });

for (const width of [1024, 1366])
  test(`compute, copies, communication and idle of a device in view are those of the server, ${width} pixels wide`, { skip: !tpu }, async () => {
    const run = '2025_03_11_19_41_39';
    for (const range of [{}, { from: 30e12, to: 31e12 }]) {
      const all = await server.api('trace/overlap', { run, ...range });
      const at = all.devices.name.indexOf('/device:TPU:0');
      const wanted = ['compute_ps', 'exposed_copy_ps', 'exposed_comm_ps', 'idle_ps'].map((key) => all.devices[key][at]);
      await withPage(server.url, { size: { width, height: 768 } }, async (page, { context }) => {
        await watchText(context);
        await visit(page, `${server.url}#run=${run}&tool=trace${range.from === undefined ? '' : `&t0=${range.from}&t1=${range.to}`}`);
        const words = ['computes', 'exposed copies', wanted[1] > 0 ? 'comm.' : 'exposed comm.', 'idle'].map((word, k) => (wanted[k] > 0 || k === 0 || k === 3 ? `${word} ${part(wanted[k])}` : '')).filter(Boolean);
        const read = () => page.evaluate(() => [...globalThis.drawn].filter((text) => text.startsWith('in view, host-aligned: '))[0] ?? '');
        await becomes(async () => (await read()).replace(/; .*/, ''), `in view, host-aligned: ${words.join(', ')}`);
        assert.equal(wanted.reduce((sum, ps) => sum + ps, 0), all.to_ps - all.from_ps, 'they add up to the window');
      });
    }
  });
