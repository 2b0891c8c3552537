// The graph and the text of a program of 54,323 instructions in the page. Not a test: prints what it saw.
//
//   XPD_BINARY=BUILD/xprofd XPD_BUILD=BUILD XPD_SHARED=FOLDER XPD_PLAYWRIGHT=BUILD/browser/node_modules/playwright-core/index.mjs \
//   XPD_CHROMIUM=$(command -v chromium) node tests/bench/graph_page.mjs
import { quit, serve, settled, sharedLogdir, withPage } from '../browser/lib.mjs';
import { line } from './frames.mjs';

const server = await serve(sharedLogdir('tpu_big_transformer'));
const { heaviest } = await server.api('graph/overview', { run: 'aot' });

/** From a click on a link to pixels of the drawing, then to Graphviz' layout of it, in milliseconds. */
const drawTimes = (page, radius, name) => page.evaluate(([to, wanted]) => new Promise((resolve) => {
  const start = performance.now();
  let pixels = 0;
  location.hash = to;
  const look = () => {
    const there = document.querySelector('.g-canvas > canvas')?.dataset.drawn === wanted && document.querySelector('[aria-label="drawn ops"]')?.children.length;
    if (there && !pixels) pixels = performance.now() - start;
    if (there && !document.querySelector('.g-canvas.waiting')) requestAnimationFrame(() => resolve([pixels, performance.now() - start]));
    else requestAnimationFrame(look);
  };
  look();
}), [`#run=aot&tool=graph&op=%25${name}&${radius}`, name]);

const rounds = [];
for (let round = 0; round < 3; round++) {
  await withPage(server.url, { hash: '#run=aot&tool=files' }, async (page) => {
    await page.getByRole('link', { name: /Graph/ }).first().waitFor();
    await settled(page);
    rounds.push([...(await drawTimes(page, 'r=1', heaviest.name[1])), ...(await drawTimes(page, 'r=10&all=1', heaviest.name[2]))]);
  });
}
['first pixels', 'then Graphviz', 'hundreds: first pixels', 'hundreds: Graphviz'].forEach((what, k) => line(what, rounds.map((times) => times[k])));

await withPage(server.url, { hash: '#run=aot&tool=graph&gtab=text' }, async (page) => {
  const grid = page.getByRole('grid', { name: 'HLO text' });
  await grid.waitFor();
  await settled(page);
  line('frame while the text scrolls', await grid.evaluate((element) => new Promise((done) => {
    const times = [];
    let before = performance.now();
    const step = (now) => {
      times.push(now - before);
      before = now;
      element.scrollTop += 400;
      if (times.length < 90) requestAnimationFrame(step);
      else done(times.slice(5));
    };
    requestAnimationFrame(step);
  })));
});
await quit();
await server.stop();
