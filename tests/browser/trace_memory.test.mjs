// The derived track of live bytes below the operations of a chip, on a real run of four chips.
import assert from 'node:assert/strict';
import test, { after } from 'node:test';

import { mib, quit, read, serve, sharedLogdir, until, viewOf, withPage } from './lib.mjs';
import { drawn, overCanvas, pointAt, rowsCanvas, tipOf, xOf, yOfPinned } from './trace.mjs';

const TRACK = 1e8;
const ALLOCATOR = 2e8;
const tpu = sharedLogdir('tpu-v6e-offload');
after(quit);

test('live bytes below XLA Ops: drawn, in the details, with a link to Memory at that step', { skip: !tpu }, async () => {
  const own = await serve(tpu);
  try {
    const run = (await own.api('runs')).id[0];
    const rows = await own.api('trace/rows', { run });
    const ops = rows.rows.row[rows.rows.kind.indexOf('xla_ops')];
    const hits = (await own.api('trace/search', { run, q: 'copy-done.4', rows: ops, limit: 10 })).hits;
    const window = { from: hits.start_ps[5] - 1e11, to: hits.start_ps[5] + 4e11 };
    const module = 'jit_f(12190760917235803885)';
    const peak = (await own.api('memory/summary', { run, module })).peak;
    for (const theme of ['light', 'dark']) {
      const hash = `#${new URLSearchParams({ run, tool: 'trace', top: TRACK + ops, t0: window.from, t1: window.to })}`;
      await withPage(own.url, { theme, hash }, async (page) => {
        await drawn(page);
        const memory = await own.api('trace/memory', { run, from: window.from, to: window.to, px: 1100 });
        const track = memory.tracks.find((t) => t.row === ops);
        assert.equal(track.most_bytes, peak.held_bytes);
        // Where the value holds longest: a place that is surely inside.
        const ends = [...track.at_ps.slice(1), window.to];
        const long = track.at_ps.map((at, k) => [ends[k] - at, k]).filter(([, k]) => track.program[k] !== null).sort((a, b) => b[0] - a[0])[0][1];
        const x = await xOf(page, (track.at_ps[long] + ends[long]) / 2, window);
        await until('the track', async () => {
          await pointAt(page, x, yOfPinned());
          return (await tipOf(page).count()) > 0 && /live by the compiler/.test(await read(tipOf(page)));
        });
        const said = await read(tipOf(page));
        assert.ok(said.startsWith(`${mib(track.most_here_bytes[long])} live by the compiler`), said);
        assert.ok(said.includes(module));
        assert.ok(said.includes(`step ${track.step[long]} of the program's memory`), said);
        // Its name says that it is derived, and how.
        await pointAt(page, 60, yOfPinned());
        await until('the words of the row', async () => /derived: the compiler's live bytes, not measured/.test(await read(tipOf(page))));
        await pointAt(page, x, yOfPinned());
        const box = await overCanvas(page).boundingBox();
        assert.ok((await rowsCanvas(page).boundingBox()).width > 1000);
        await page.mouse.click(box.x + x, box.y + yOfPinned());
        // Told in the panel; the page is left by a link that says so.
        const card = page.locator('.t-details .t-identity');
        await until('the place', async () => (await card.count()) > 0 && /live by the compiler/.test(await read(card)));
        assert.equal(viewOf(page).tool, 'trace');
        assert.equal(viewOf(page).place?.split('@')[0], String(TRACK + ops));
        await page.getByRole('link', { name: `open Memory at step ${track.step[long]}` }).click();
        await until('Memory', async () => viewOf(page).tool === 'memory');
        assert.equal(viewOf(page).module, module);
        assert.equal(viewOf(page).step, String(track.step[long]));
        await page.goBack();
        await until('the trace again', async () => viewOf(page).tool === 'trace' && viewOf(page).t0 === String(window.from));
      });
    }
  } finally {
    await own.stop();
  }
});

test('bytes of the runtime\'s allocators below each chip: measured, of the capacity, what held at a time', { skip: !tpu }, async () => {
  const own = await serve(tpu);
  try {
    const run = (await own.api('runs')).id[0];
    const window = { from: 0, to: 30_000_000_000_000 };
    const { tracks } = await own.api('trace/allocators', { run, ...window, px: 1100 });
    assert.equal(tracks.length, 4);
    const hash = `#${new URLSearchParams({ run, tool: 'trace', top: ALLOCATOR, t0: window.from, t1: window.to })}`;
    await withPage(own.url, { hash }, async (page) => {
      await drawn(page);
      const tip = async (time, pattern) => {
        const x = await xOf(page, time, window);
        await until(`${pattern} at ${time}`, async () => {
          await pointAt(page, x, yOfPinned());
          return (await tipOf(page).count()) > 0 && pattern.test(await read(tipOf(page)));
        });
        return read(tipOf(page));
      };
      const said = await tip(25_000_000_000_000, /in use by the runtime/);
      const k = tracks[0].at_ps.findLastIndex((at) => at <= 25_000_000_000_000);
      assert.ok(said.startsWith(`${mib(tracks[0].most_here_bytes[k])} in use by the runtime`), said);
      assert.match(said, /reserved .* allocated .* free/);
      // The row beside live bytes does the same on a click.
      const at = await overCanvas(page).boundingBox();
      await page.mouse.click(at.x + (await xOf(page, 25_000_000_000_000, window)), at.y + yOfPinned());
      const card = page.locator('.t-details .t-identity');
      await until('the place', async () => (await card.count()) > 0 && /in use by the runtime/.test(await read(card)));
      assert.ok(said.includes(`allocator 0, most ${mib(21_492_569_216)} of ${mib(33_550_237_696)}`), said);
      await pointAt(page, 60, yOfPinned());
      await until('measured', async () => /measured: as the runtime's allocator reported it/.test(await read(tipOf(page))));
      // Before the first report at 3.27 s nothing is known and nothing drawn; then there is an area.
      await tip(1_000_000_000_000, /^not known nothing was reported before; 234 events follow/);
      await page.mouse.move(5, 5);
      const pixel = (x) => rowsCanvas(page).evaluate((canvas, at) => {
        const ratio = canvas.width / canvas.clientWidth;
        return [...canvas.getContext('2d').getImageData(Math.round(at * ratio), Math.round(26 * ratio), 1, 1).data].join();
      }, x);
      const [before, after] = [await xOf(page, 1_100_000_000_000, window), await xOf(page, 25_100_000_000_000, window)];
      await until('the area', async () => (await pixel(before)) !== (await pixel(after)));
    });
  } finally {
    await own.stop();
  }
});
