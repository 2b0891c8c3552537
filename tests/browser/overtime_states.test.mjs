// Memory, Over time: many allocators, what allocators leave out, files that are cut, runs without steps, several hosts; and the window by
// wheel, keys and minimap. The runs are written by hand, so that each state is there.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before } from 'node:test';

import { putRun } from '../support/program.mjs';
import { plane, reported, startPlane, step } from '../support/space.mjs';
import { becomes, coloured, eachLook, inAddress, makeLogdir, matches, quit, read, serve, settled, testdata, until, viewOf, withPage } from './lib.mjs';

const MIB = 2 ** 20;
const MS = 1_000_000_000;
const START_NS = 1_795_230_414_168_421_774; // a unix time: the clock of a host
const MANY = 40;

/** The host's plane: a thread that reports, and one that works until `end`. */
const host = (events, end, more = []) => plane('/host:CPU', [{ name: 'python', events }, { name: 'worker', events: [{ name: 'work', at: 0, ps: end }] }, ...more]);

/** Bytes kept at each of `count` times, 10 ms apart. */
const growing = (name, count, more = {}) => Array.from({ length: count }, (_, i) =>
  reported(i * 10 * MS + MS, false, { allocator_name: name, bytes_allocated: (i + 1) * 4 * MIB, allocation_bytes: 4 * MIB, addr: 4096 * (i + 1), ...more }));

const RUNS = {
  many: () => host(Array.from({ length: MANY }, (_, k) =>
    reported(k * MS, false, { allocator_name: `pool_${k}`, bytes_allocated: (((k * 7) % MANY) + 1) * MIB, addr: 1, allocation_bytes: MIB })), 20 * MS),
  gap: () => host([[0, 50, 0.5], [10, 100, Number.NaN], [20, 60, 0.25]].map(([at, used, fragmentation]) =>
    reported(at * MS, false, { allocator_name: 'GPU_0_bfc', bytes_allocated: used * MIB, bytes_available: (100 - used) * MIB, fragmentation })), 30 * MS),
  /** Ten runs of jit_f on a GPU and one of jit_g, each keeping 4 MiB; no marks of steps, no free memory said. */
  programs: () => Buffer.concat([
    host(growing('GPU_0_bfc', 10), 100 * MS),
    plane('/device:GPU:0', [
      { name: 'XLA Modules', events: [...Array.from({ length: 10 }, (_, i) => ({ name: 'jit_f(7)', at: i * 10 * MS, ps: 9 * MS })), { name: 'jit_g(8)', at: 99 * MS, ps: MS / 2 }] },
      { name: 'XLA Ops', events: Array.from({ length: 10 }, (_, i) => ({ name: 'fusion.1', at: i * 10 * MS, ps: 8 * MS })) },
    ]),
  ]),
  tenths: () => host(growing('mkl', 20), 200 * MS),
  /** A fifth of 100 MiB is stack; of the rest 30 MiB are used, and then all. */
  parts: () => host([[0, 30], [20, 80]].map(([at, used]) =>
    reported(at * MS, false, { allocator_name: 'GPU_0_bfc', bytes_reserved: 20 * MIB, bytes_allocated: used * MIB, bytes_available: (80 - used) * MIB })), 40 * MS),
  /** Five steps, each of which keeps 4 MiB: a line through so few says nothing. */
  few: () => plane('/host:CPU', [{ name: 'python', events: [...Array.from({ length: 5 }, (_, i) => step(i, i * 10 * MS, 9 * MS)), ...growing('mkl', 5)].sort((a, b) => a.at - b.at) }]),
  /** The whole plane of a leak, and another one that ends in its middle. */
  cut: () => {
    const steps = Array.from({ length: 10 }, (_, i) => step(i, i * 10 * MS, 9 * MS));
    const more = plane('/host:other', [{ name: 'lost', events: Array.from({ length: 50 }, (_, i) => ({ name: 'x', at: i, ps: 1 })) }]);
    return Buffer.concat([plane('/host:CPU', [{ name: 'python', events: [...steps, ...growing('mkl', 10)].sort((a, b) => a.at - b.at) }]), more.subarray(0, more.length / 2)]);
  },
};

let server;
before(async () => {
  const root = makeLogdir({ leak: join(testdata, 'tf_leak/logdir') });
  for (const [name, make] of Object.entries(RUNS)) putRun(root, name, make());
  putRun(root, 'hosts', Buffer.concat([host(growing('mkl', 3), 100 * MS), startPlane(START_NS)]), 'alpha.xplane.pb');
  putRun(root, 'hosts', Buffer.concat([host([], 100 * MS), startPlane(START_NS)]), 'beta.xplane.pb');
  putRun(root, 'hosts', host(growing('mkl', 3), 100 * MS), 'gamma.xplane.pb');
  server = await serve(root);
});
after(async () => {
  await quit();
  await server?.stop();
});

const canvas = (page) => page.locator('.ot-canvas');
const legend = (page) => read(page.locator('.ot-legend'));

async function withTime(look, part, view, body) {
  const run = (await server.api('runs', {})).id.find((id) => id.split('/').at(-1) === part);
  await withPage(server.url, { ...look, hash: `#${new URLSearchParams({ run, tool: 'memory', mode: 'time', ...view })}` }, async (page) => {
    await page.locator('.ot-head p').waitFor();
    await page.locator('.ot-card section').first().waitFor();
    await settled(page);
    await body(page, run);
  });
}

/** Columns of a canvas in which a colour is, in CSS pixels. */
const columnsWith = (locator, variable) => locator.evaluate((element, name) => {
  const probe = document.createElement('canvas').getContext('2d');
  probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  probe.fillRect(0, 0, 1, 1);
  const want = probe.getImageData(0, 0, 1, 1).data;
  const { data, width, height } = element.getContext('2d').getImageData(0, 0, element.width, element.height);
  const found = [];
  for (let x = 0; x < width; x++)
    for (let y = 0; y < height; y++) {
      const at = (y * width + x) * 4;
      if ([0, 1, 2].every((k) => Math.abs(data[at + k] - want[k]) < 12)) {
        found.push((x * element.clientWidth) / width);
        break;
      }
    }
  return found;
}, variable);

eachLook('more than 8 allocators: the highest peaks first, 12 of them, and a button shows all', async (look) => {
  await withTime(look, 'many', {}, async (page, run) => {
    const { tracks } = await server.api('trace/allocators', { run, px: 64 });
    assert.equal(tracks.length, MANY);
    const order = [...tracks].sort((a, b) => b.most_bytes - a.most_bytes).map((t) => t.title);
    const listed = async () => [...(await canvas(page).getAttribute('aria-label')).matchAll(/(pool_\d+): at most/g)].map(([, name]) => name);
    await becomes(listed, order.slice(0, 8), 'in words, the highest first');
    const more = page.getByRole('button', { name: `${MANY - 12} more` });
    await more.click();
    await becomes(() => viewOf(page).al?.split(',').map(Number).sort((a, b) => a - b), tracks.map((_, k) => k), 'all of them');
    await becomes(() => more.count(), 0);
    await settled(page);
    assert.ok((await canvas(page).boundingBox()).height > MANY * 24, 'a strip of 24 px for each: the charts scroll');
    await page.keyboard.press('t');
    await becomes(() => page.locator('.ot-twin tbody th').allInnerTexts(), order);
    await inAddress(page, { table: '1' });
  });
});

eachLook('nothing free: the line of fragmentation has a gap; the capacity is a red line', async (look) => {
  await withTime(look, 'gap', {}, async (page, run) => {
    const { tracks: [track] } = await server.api('trace/allocators', { run, px: 1000 });
    assert.deepEqual(track.fragmentation, [0.5, null, 0.25]);
    const columns = await columnsWith(canvas(page), '--m-pad');
    const widest = columns.slice(1).map((x, k) => x - columns[k]).sort((a, b) => b - a);
    const third = (columns.at(-1) - columns[0]) / 3;
    assert.ok(Math.abs(widest[0] - third) < 8, `a third of ${third * 3} is missing: ${widest[0]}`);
    assert.ok(widest[1] < 6, 'and nothing else, but for the dashes');
    assert.match(await legend(page), /capacity 100\.0 MiB .*fragmentation, right scale/);
    assert.equal((await coloured(canvas(page), '--bad', 400)).length > 0, true, 'the capacity');
  });
});

eachLook('runs of a program in place of steps; a capacity that is not said is unknown, and drawn nowhere', async (look) => {
  await withTime(look, 'programs', {}, async (page, run) => {
    const steps = await server.api('trace/allocators/steps', { run });
    assert.deepEqual([steps.what, steps.growth.verdict[0], steps.total], ['runs', 'leak', 10]);
    assert.match(await read(page.locator('.ot-head h1')), /^\+3\.78 MiB a run in use at the lowest point of each of 10 runs/);
    const card = await read(page.locator('.ot-card'));
    assert.match(card, /Growth over runs lowest of 10 runs of jit_f/);
    assert.match(card, /Capacity unknown, so when it fills up is unknown/);
    assert.match(await legend(page), /capacity unknown/);
    assert.doesNotMatch(await legend(page), /free/);
    await page.getByRole('tab', { name: /By step/ }).click();
    await page.locator('.ot-list [role="columnheader"]', { hasText: /^run$/ }).waitFor();
    await settled(page);
    await page.keyboard.press('t');
    await becomes(() => read(page.locator('.ot-twin td').nth(2)), 'unknown');
  });
});

eachLook('neither steps nor runs: tenths of the time, and the page says so', async (look) => {
  await withTime(look, 'tenths', {}, async (page) => {
    assert.match(await read(page.locator('.ot-head h1')), /a tenth of the time in use at the lowest point of each of 10 tenths of the time/);
    const card = await read(page.locator('.ot-card'));
    assert.match(card, /Growth over tenths of the time lowest of 10 tenths of the time/);
    assert.match(card, /No step markers and no program runs are known: time is divided into ten equal parts/);
    // No leak and no capacity: nothing red is in the strip but the growth line.
    assert.match(await legend(page), /capacity unknown/);
  });
});

eachLook('a file that is cut: said above all, and what has no free is not called leaked', async (look) => {
  await withTime(look, 'cut', {}, async (page, run) => {
    const steps = await server.api('trace/allocators/steps', { run });
    assert.deepEqual([steps.cut, steps.never.kept, steps.growth.verdict[0]], [true, 10, 'leak']);
    assert.match(await read(page.locator('.cp-amber')), /^A file is cut: events after the cut are missing\. An allocation without a free may have been freed there/);
    assert.match(await read(page.locator('.ot-head p')), /The file is cut: their frees may not be in the capture\.$/);
    assert.match(await read(page.locator('.ot-card')), /Not freed in the capture 10 of 10 made in steps/);
    await page.getByRole('tab', { name: /^Not freed/ }).click();
    await matches(() => read(page.locator('.ot-listhead')), /^The file is cut: the frees may come after the cut\./, 'over the list');
    await page.getByRole('tab', { name: /^Events/ }).click();
    await matches(() => read(page.locator('.ot-list')), /not in the capture/, 'a life without an end');
    assert.doesNotMatch(await read(page.locator('.ot-page')), /leaked|[Nn]ever freed/);
  });
});

eachLook('of several hosts one without allocations has its reason, one without a clock says so', async (look) => {
  await withTime(look, 'hosts', {}, async (page, run) => {
    const { tracks } = await server.api('trace/allocators', { run, px: 64 });
    assert.deepEqual(tracks.map((t) => t.title), ['alpha mkl', 'gamma mkl']);
    await becomes(() => page.locator('.ot-nohost').allInnerTexts().then((all) => all.map((one) => one.replace(/\s+/g, ' '))), ['beta the runtime recorded no allocations on this host']);
    await matches(() => read(page.locator('.ot-range:not(.ot-nohost)')), /^gamma its file has no start time: starts aligned/, 'no clock');
  });
});

const windowOf = (page) => ['from', 'to'].map((key) => (viewOf(page)[key] === undefined ? null : Number(viewOf(page)[key])));
const zoomed = async (page, what, check) => becomes(() => check(...windowOf(page)), true, what);

eachLook('wheel, drag and keys move the window; a double click and 0 show the whole', async (look) => {
  await withTime(look, 'leak', {}, async (page, run) => {
    const { from_ps: start, to_ps: end } = await server.api('trace/allocators', { run, px: 64 });
    const whole = end - start;
    const box = await canvas(page).boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + 60);
    await page.mouse.wheel(0, -100);
    await zoomed(page, 'the wheel comes nearer', (from, to) => from > start && to < end);
    await page.mouse.wheel(0, 100);
    await inAddress(page, { from: null, to: null });
    await page.keyboard.press('w');
    await zoomed(page, 'W', (f, t) => Math.abs((t - f) / whole - 0.7) < 0.01);
    await page.keyboard.press('d');
    const [wide, after] = [0.7 * whole, windowOf(page)[0]];
    await zoomed(page, 'D goes right', (f, t) => f > after && Math.abs(t - f - wide) < whole / 100);
    const right = windowOf(page)[0];
    await page.keyboard.press('a');
    await zoomed(page, 'A goes back', (f) => f < right);
    await page.keyboard.press('s');
    await inAddress(page, { from: null, to: null });
    await page.keyboard.press('Shift+W');
    await zoomed(page, 'four times as fast', (f, t) => Math.abs((t - f) / whole - 0.24) < 0.01);
    const near = windowOf(page)[0];
    await page.keyboard.down('Shift');
    await page.mouse.move(box.x + box.width * 0.6, box.y + 60);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.5, box.y + 60); // one step: the first move is the last
    await page.mouse.up();
    await page.keyboard.up('Shift');
    await zoomed(page, 'Shift and a drag pan', (f) => f > near);
    const [dragged, dragEnd] = windowOf(page);
    await page.keyboard.down('Shift');
    await page.mouse.wheel(0, -100);
    await zoomed(page, 'Shift and the wheel pan by a tenth', (f, t) => Math.abs((dragged - f) / (dragEnd - dragged) - 0.1) < 0.01 && Math.abs(t - f - dragEnd + dragged) < 2);
    await page.mouse.wheel(0, 100);
    await zoomed(page, 'and back', (f, t) => Math.abs(f - dragged) < 2 && Math.abs(t - dragEnd) < 2);
    await page.keyboard.up('Shift');
    await page.keyboard.press('0');
    await inAddress(page, { from: null, to: null });
    await page.keyboard.press('w');
    await zoomed(page, 'nearer again', (f) => f !== null);
    await page.mouse.dblclick(box.x + box.width / 2, box.y + 60);
    await inAddress(page, { from: null, to: null });
  });
});

eachLook('minimap: a drag is the window, a click puts it there, a double click shows the whole', async (look) => {
  await withTime(look, 'leak', {}, async (page, run) => {
    const { from_ps: start, to_ps: end } = await server.api('trace/allocators', { run, px: 64 });
    const box = await page.locator('.ot-mini').boundingBox();
    const y = box.y + box.height / 2;
    const x = (share) => box.x + box.width * share;
    await page.mouse.move(x(0.4), y);
    await page.mouse.down();
    await page.mouse.move(x(0.5), y, { steps: 3 });
    await page.mouse.up();
    // The plot is narrower than the canvas, so that a tenth of it is a little more of the time.
    const share = (from, to) => (to - from) / (end - start);
    await zoomed(page, 'what was dragged over', (from, to) => from !== null && share(from, to) > 0.1 && share(from, to) < 0.13);
    const [from, to] = windowOf(page);
    await page.mouse.click(x(0.8), y);
    await zoomed(page, 'a click moves it', (f, t) => f > to && Math.abs(t - f - (to - from)) < 2);
    await page.mouse.dblclick(x(0.8), y);
    await inAddress(page, { from: null, to: null });
  });
});

eachLook('too few steps: no verdict', async (look) => {
  await withTime(look, 'few', {}, async (page, run) => {
    const steps = await server.api('trace/allocators/steps', { run });
    assert.deepEqual([steps.what, steps.total, steps.growth.verdict[0]], ['steps', 5, 'too_few_steps']);
    await matches(() => read(page.locator('.ot-card')), /Growth over steps lowest of 5 steps Too few steps to tell/, 'the card');
    assert.doesNotMatch(await read(page.locator('.ot-head h1')), /a step/);
  });
});

/** Where a colour is, its middle. */
const middle = async (page, variable) => {
  const columns = await columnsWith(canvas(page), variable);
  return columns.length ? (columns[0] + columns.at(-1)) / 2 : Number.NaN;
};

eachLook('stack, heap and free on top of each other; A and B where they were set; the tip has the numbers of the place', async (look) => {
  await withTime(look, 'parts', {}, async (page) => {
    const box = await canvas(page).boundingBox();
    const [early, late] = [0.3, 0.8].map((share) => box.width * share);
    const stack = await coloured(canvas(page), '--m-temp', early), free = await coloured(canvas(page), '--m-free', early);
    const whole = stack.at(-1) - free[0];
    assert.ok(Math.abs(stack.length / whole - 0.2) < 0.03, `a fifth is stack: ${stack.length} of ${whole}`);
    assert.ok(Math.abs(free.length / whole - 0.5) < 0.06, `half is free: ${free.length} of ${whole}`);
    assert.ok(Math.abs((stack[0] - free.at(-1)) / whole - 0.3) < 0.03, 'the heap between them');
    assert.ok(Math.abs((await coloured(canvas(page), '--m-temp', late)).length - stack.length) < 3, 'as much stack');
    assert.ok((await coloured(canvas(page), '--m-free', late)).filter((y) => y < stack.at(-1)).length < 4, 'and nothing free');
    const tip = () => page.locator('.ot-tip').innerText().then((text) => text.replace(/\s+/g, ' '));
    await canvas(page).hover({ position: { x: early, y: 40 } });
    await matches(tip, /^GPU_0_bfc .* in use 50\.0 MiB stack 20\.0 MiB heap 30\.0 MiB free 50\.0 MiB/, 'early');
    await canvas(page).hover({ position: { x: late, y: 40 } });
    await matches(tip, /in use 100\.0 MiB stack 20\.0 MiB heap 80\.0 MiB free 0/, 'late');
    await canvas(page).click({ position: { x: box.width * 0.3, y: 40 } });
    await canvas(page).click({ position: { x: box.width * 0.7, y: 40 }, modifiers: ['Control'] });
    await until('both in the address', () => viewOf(page).a && viewOf(page).b);
    await page.mouse.move(2, 2);
    await settled(page);
    for (const [colour, share] of [['--accent', 0.3], ['--m-output', 0.7]])
      assert.ok(Math.abs((await middle(page, colour)) - box.width * share) < 4, `${colour} is at ${await middle(page, colour)} of ${box.width}`);
  });
});

eachLook('a range: F takes it as the window, Escape and clear forget it; Z shows the whole; with Shift A and D go four times as far; an arrow goes on', async (look) => {
  await withTime(look, 'leak', {}, async (page, run) => {
    const { from_ps: start, to_ps: end } = await server.api('trace/allocators', { run, px: 64 });
    const box = await canvas(page).boundingBox(), range = page.locator('.ot-range[role=status]');
    const drag = async () => {
      await page.mouse.move(box.x + box.width * 0.4, box.y + 60);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * 0.6, box.y + 60, { steps: 3 });
      await page.mouse.up();
      await range.waitFor();
    };
    await drag();
    await page.keyboard.press('Escape');
    await becomes(() => range.count(), 0, 'Escape');
    await drag();
    await range.getByRole('button', { name: 'clear' }).click();
    await becomes(() => range.count(), 0, 'clear');
    assert.deepEqual(windowOf(page), [null, null]);
    await drag();
    await page.keyboard.press('f');
    await becomes(() => range.count(), 0, 'F');
    // A fifth of the canvas, of which the strips have three quarters or more.
    await zoomed(page, 'what was dragged over', (f, t) => f > start && t < end && (t - f) / (end - start) > 0.19 && (t - f) / (end - start) < 0.29);
    const [from, to] = windowOf(page), far = (to - from) * 0.4;
    await page.keyboard.press('Shift+D');
    await zoomed(page, 'far right', (f) => Math.abs(f - from - far) < 3);
    await page.keyboard.press('Shift+A');
    await zoomed(page, 'and back', (f) => Math.abs(f - from) < 3);
    await page.keyboard.press('z');
    await inAddress(page, { from: null, to: null });
    await page.keyboard.press('p');
    await until('the peak', () => viewOf(page).a);
    await page.keyboard.press('ArrowLeft');
    const before = await until('the event before', () => Number(viewOf(page).a) < 1715374325000 && Number(viewOf(page).a));
    await page.keyboard.press('ArrowRight');
    await becomes(() => Number(viewOf(page).a) > before, true, 'the event after');
  });
});

eachLook('what leaks has the line of its growth, which rises along the strip', async (look) => {
  await withTime(look, 'leak', {}, async (page) => {
    const box = await canvas(page).boundingBox();
    const height = async (share) => (await coloured(canvas(page), '--bad', 200 + (box.width - 260) * share)).reduce((least, y) => Math.min(least, y), Infinity);
    const heights = [await height(0.3), await height(0.6), await height(0.9)];
    assert.ok(heights.every(Number.isFinite), `drawn at ${heights}`);
    assert.ok(heights[0] - heights[1] > 10 && heights[1] - heights[2] > 10, `it rises: ${heights}`);
  });
});

eachLook('the address alone: one host of several, as a table', async (look) => {
  await withTime(look, 'hosts', { host: 'gamma', table: 1 }, async (page) => {
    await becomes(() => page.locator('.ot-twin tbody th').allInnerTexts(), ['mkl']);
    assert.equal(await page.locator('.ot-nohost').count(), 0, 'nothing of the others');
    await page.locator('.picker', { hasText: 'host' }).last().locator('.picker-button').click();
    await page.getByRole('option', { name: /^alpha/ }).click();
    await inAddress(page, { host: 'alpha' });
    await becomes(() => page.locator('.ot-twin tbody th').allInnerTexts(), ['mkl']);
  });
});

eachLook('on the strips: levels by name, what is in use at A', async (look) => {
  await withTime(look, 'parts', {}, async (page) => {
    await page.evaluate(() => {
      globalThis.drawn = [];
      const write = CanvasRenderingContext2D.prototype.fillText;
      CanvasRenderingContext2D.prototype.fillText = function (text, ...more) {
        globalThis.drawn.push(text);
        return write.call(this, text, ...more);
      };
    });
    const box = await canvas(page).boundingBox();
    await canvas(page).click({ position: { x: box.width * 0.8, y: 40 } });
    await until('A in the address', () => viewOf(page).a);
    await settled(page);
    const drawn = () => page.evaluate(() => globalThis.drawn);
    await becomes(async () => (await drawn()).filter((text) => text === '100.0 MiB').length > 1, true, 'the level, and the size at A');
    assert.ok((await drawn()).some((text) => text.startsWith('A ')), 'the letter with its time');
  });
});

eachLook('before the first event nothing is known: hatched', async (look) => {
  await withTime(look, 'tenths', { from: 0, to: 2 * MS }, async (page) => {
    const box = await canvas(page).boundingBox();
    const lines = async (share) => {
      let found = 0;
      for (let k = 0; k < 12; k++) found += (await coloured(canvas(page), '--rule-strong', 140 + (box.width - 190) * share + k)).length;
      return found;
    };
    // The steps below have the colour too, all along.
    const [before, after] = [await lines(0.2), await lines(0.8)];
    assert.ok(before > after + 200, `${before} points of it before the first event, ${after} after`);
  });
});
