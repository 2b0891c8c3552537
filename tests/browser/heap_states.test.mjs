// Heap file: what the page says of files that hold less than most, or other things, and of a run beside them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { gzipSync } from 'node:zlib';

import { putRun } from '../support/program.mjs';
import { becomes, coloured, eachLook, inAddress, makeLogdir, matches, putFile, quit, read, serve, settled, testdata, until, viewOf, withPage } from './lib.mjs';

/* ---- a pprof file by hand ---- */

const varint = (value) => {
  const bytes = [];
  for (let rest = BigInt(value); ; rest >>= 7n) {
    if (rest < 128n) return Buffer.from([...bytes, Number(rest)]);
    bytes.push(Number(rest & 127n) | 128);
  }
};
const number = (at, value) => Buffer.concat([varint(at * 8), varint(value)]);
const message = (at, ...parts) => {
  const body = Buffer.concat(parts);
  return Buffer.concat([varint(at * 8 + 2), varint(body.length), body]);
};

/** Samples as [line of train.py or null, device or null for an executable, bytes, count]. */
function profileOf(samples, source = '/home/me/train.py') {
  const texts = ['', 'allocations', 'count', 'space', 'bytes', 'kind', 'buffer', 'executable', 'device', 'step', source];
  const lines = [...new Set(samples.map(([line]) => line).filter(Boolean))];
  const text = (one) => {
    if (!texts.includes(one)) texts.push(one);
    return texts.indexOf(one);
  };
  const label = (key, value) => message(3, number(1, text(key)), number(2, text(value)));
  const sample = ([line, device, bytes, count]) =>
    message(2, message(1, line ? varint(line) : Buffer.alloc(0)), message(2, varint(count), varint(bytes)),
      label('kind', device ? 'buffer' : 'executable'), ...(device ? [label('device', device)] : []));
  return gzipSync(Buffer.concat([
    message(1, number(1, 1), number(2, 2)), message(1, number(1, 3), number(2, 4)), ...samples.map(sample),
    ...lines.map((line) => message(4, number(1, line), message(4, number(1, 1), number(2, line)))),
    message(5, number(1, 1), number(2, 9), number(4, 10), number(5, 3)), ...texts.map((one) => message(6, Buffer.from(one))),
  ]));
}

const MIB = 2 ** 20;
const HEAP = 2 ** 31; // what each chip of tpu_run's first host held at its peak
let states, measured;
before(async () => {
  const root = makeLogdir({});
  const put = (name, samples, source) => putFile(root, `${name}.prof`, profileOf(samples, source));
  put('one/memory', [[41, 'tpu:0', 3 * MIB, 3], [7, 'tpu:1', MIB, 1]]);
  put('stackless/memory', [[null, 'tpu:0', 2 * MIB, 2], [null, 'tpu:1', 2 * MIB, 2]]);
  put('programs/memory', [[41, 'tpu:0', 4 * MIB, 2], [60, null, MIB, 5]]);
  put('two/a.1', [[41, 'tpu:0', 4 * MIB, 2]]);
  put('two/a.2', [[52, 'tpu:0', 6 * MIB, 2]], '/home/me/other.py');
  const whole = profileOf([[41, 'tpu:0', 4 * MIB, 2], [42, 'tpu:0', 4 * MIB, 2]]);
  putFile(root, 'cut/memory.prof', whole.subarray(0, whole.length - 20));
  states = await serve(root);
  const beside = makeLogdir({});
  const capture = readFileSync(join(testdata, 'tpu_run/logdir/plugins/profile/train/tpu-host-0.xplane.pb'));
  for (const [folder, share] of [['same', 1.005], ['else', 3]]) {
    putRun(join(beside, folder), 'train', capture);
    putFile(beside, `${folder}/memory.prof`, profileOf([[41, 'tpu:0', HEAP, 1], [42, 'tpu:1', Math.round(HEAP * share), 1]].slice(share > 2 ? 1 : 0)));
  }
  measured = await serve(beside);
});
after(async () => {
  await quit();
  await states?.stop();
  await measured?.stop();
});

async function withHeap(look, run, body, { of = states, ...view } = {}) {
  const id = (await of.api('runs', {})).id.find((one) => one === run);
  await withPage(of.url, { ...look, hash: `#${new URLSearchParams({ run: id, tool: 'memory', mode: 'heap', ...view })}` }, async (page) => {
    await page.locator('.hp-head h1').waitFor();
    await settled(page);
    await body(page);
  });
}
const head = (page) => read(page.locator('.hp-head'));
const columns = (page) => page.locator('.hp-table [role="columnheader"]').allInnerTexts();

eachLook('one file: no columns of change, how to save a second one; uneven devices are said', async (look) => {
  await withHeap(look, 'one', async (page) => {
    assert.match(await head(page), /^4\.0 MiB live 4 buffers on 2 devices .*Save a second one later in the run to see what grows: jax\.profiler\.save_device_memory_profile/);
    assert.ok(!(await columns(page)).some((title) => /since|a step|a file/.test(title)));
    const own = await page.locator('.hp-legend .hp-own').evaluate((swatch) => getComputedStyle(swatch).backgroundColor);
    const boxes = page.locator('.hp-icicle .m-icicle-canvas'), box = await boxes.boundingBox();
    assert.ok((await coloured(boxes, own, Math.round(box.width * 0.5))).length > 20, 'a box of one colour, without the lines of growth');
    assert.equal(await page.getByRole('button', { name: 'Growth' }).count(), 0);
    assert.match(await read(page.locator('.hp-parts')), /uneven: the fullest holds 3\.00 times as much as the emptiest/);
    assert.equal(await page.locator('.hp-uneven').count(), 1);
    // A box of own code opens its line: three quarters are line 41, the rest line 7.
    for (const [share, line] of [[0.9, 7], [0.3, 41]]) {
      await boxes.click({ position: { x: box.width * share, y: 26 * 1.5 } });
      await inAddress(page, { hline: `/home/me/train.py:${line}` });
      await becomes(() => read(page.locator('.hp-card h2')), `train.py:${line}`);
    }
  });
});

eachLook('no stacks: what is known is said, and devices, kinds and sizes stay', async (look) => {
  await withHeap(look, 'stackless', async (page) => {
    assert.match(await read(page.locator('.hp-icicle')), /The process recorded no stacks: what is known is the device, the kind and the size of each buffer/);
    assert.match(await read(page.locator('.hp-parts')), /tpu:0 2\.0 MiB tpu:1 2\.0 MiB/);
    await page.getByRole('tab', { name: 'Sizes' }).click();
    await inAddress(page, { htab: 'sizes' });
    await matches(() => read(page.locator('.hp-table')), /1\.0 MiB/, 'the size of one');
  });
});

eachLook('programs with bytes have a row of their own; a kind alone', async (look) => {
  await withHeap(look, 'programs', async (page) => {
    const rows = await read(page.locator('.hp-table'));
    assert.match(rows, /train\.py:41 step 4\.0 MiB/);
    assert.match(rows, /executables compiled programs 1\.0 MiB/);
    // The boxes: arrays are one's own code, compiled programs grey; the legend has both.
    const legend = page.locator('.hp-legend');
    assert.match(await read(legend), /your code library, folded compiled programs/);
    const fill = await legend.locator('.hp-exec').evaluate((swatch) => getComputedStyle(swatch).backgroundColor);
    const boxes = page.locator('.hp-icicle .m-icicle-canvas');
    const box = await boxes.boundingBox();
    const at = async (share) => (await coloured(boxes, fill, Math.round(box.width * share))).filter((y) => y > 28).length;
    assert.deepEqual([(await at(0.4)) === 0, (await at(0.95)) > 10], [true, true], 'the fifth at the right');
    await boxes.hover({ position: { x: box.width * 0.9, y: 26 * 1.5 } });
    await matches(() => read(page.locator('.m-hover, .tip, [role=tooltip]').last()), /including 1\.0 MiB of compiled programs/, 'the tip');
    await page.locator('.hp-table .vt-row', { hasText: 'compiled programs' }).click();
    await inAddress(page, { hline: '(executables)' });
    await matches(() => read(page.locator('.hp-card')), /Stack outermost first train\.py:60 step/, 'with their stack');
    assert.doesNotMatch(await read(page.locator('.hp-parts')), /no size for compiled programs/);
    await page.getByRole('button', { name: /^executable / }).click();
    await inAddress(page, { hkind: 'executable' });
    await matches(() => head(page), /^1\.0 MiB live/, 'programs alone');
  });
});

eachLook('two programs: said, and what is new and gone listed', async (look) => {
  await withHeap(look, 'two', async (page) => {
    assert.match(await head(page), /Not the same program: less than half of the lines are in both files/);
    await page.getByRole('tab', { name: 'New and gone' }).click();
    await inAddress(page, { htab: 'changed' });
    await matches(() => read(page.locator('.hp-table')), /other\.py:52.*train\.py:41/, 'both lines');
    await page.getByRole('button', { name: /swap/ }).click();
    await inAddress(page, { heap: 'a.1.prof', against: 'a.2.prof' });
    await matches(() => head(page), /^4\.0 MiB live/, 'swapped');
    await page.keyboard.press(']');
    await inAddress(page, { heap: 'a.2.prof' });
    await matches(() => head(page), /^6\.0 MiB live/, 'the file after'); // which has a file before
    await page.keyboard.press('[');
    await inAddress(page, { heap: 'a.1.prof' });
  });
});

eachLook('a file that is cut: what is whole is shown, with the byte', async (look) => {
  await withHeap(look, 'cut', async (page) => {
    assert.match(await head(page), /^8\.0 MiB live/);
    assert.match(await read(page.locator('.hp-head .hp-warn')), /the gzip ends early.*\(byte \d+\)/);
  });
});

eachLook('which code is one’s own is in the address; a file of another run is compared with', async (look) => {
  await withHeap(look, 'one', async (page) => {
    assert.match(await head(page), /since memory\.prof \(\+?\d+ %\)|since memory\.prof/);
    assert.equal(viewOf(page).hbase, 'programs');
    assert.doesNotMatch(await read(page.locator('.m-modes')), /swap/, 'a file of another run stays where it is');
    await page.getByRole('button', { name: 'Growth' }).click();
    await inAddress(page, { hby: 'grown' });
    assert.match(await read(page.locator('.hp-legend')), /grown since/);
  }, { hbase: 'programs', against: 'memory.prof', hown: 'nothing-is-own' });
});

eachLook('a run whose allocators held as much: the details open it there; nothing where none did', async (look) => {
  const { tracks } = await measured.api('trace/allocators', { run: 'same/train', px: 1, heap: HEAP });
  assert.equal(tracks[1].heap_near_bytes, HEAP);
  await withHeap(look, 'same', async (page) => {
    const beside = page.getByRole('region', { name: 'beside a run' });
    await beside.waitFor();
    const text = await read(beside);
    assert.match(text, /tpu:0 holds 2,048\.0 MiB here\. The allocator TPU:0 of same\/train held as much at/);
    assert.match(text, /tpu:1 holds 2,058\.2 MiB here\. The allocator TPU:1 of same\/train held 2,048\.0 MiB at/);
    assert.match(text, /the file records no time/);
    await page.getByRole('button', { name: 'tpu:1' }).click();
    await becomes(() => beside.count(), 0, 'of a part nothing is said');
    await page.getByRole('button', { name: 'tpu:1' }).click();
    await beside.getByRole('link', { name: 'TPU:1 of same/train' }).click();
    await inAddress(page, { mode: 'time', run: 'same/train', al: '1', a: String(tracks[1].heap_near_at_ps), hline: null });
    await matches(() => read(page.locator('.ot-card')), /Heap 2\.00|In use/, 'that instant');
  }, { of: measured });
  await withHeap(look, 'else', async (page) => {
    assert.equal(await page.getByRole('region', { name: 'beside a run' }).count(), 0);
  }, { of: measured });
});

eachLook('boxes: a click opens the library, a double click fills the width, Escape goes back; another value of the samples', async (look) => {
  const series = await serve(join(testdata, 'device_memory'));
  await withHeap(look, 'device_memory', async (page) => {
    const boxes = page.locator('.hp-icicle .m-icicle-canvas');
    await page.keyboard.press('t');
    const rows = page.locator('.hp-icicle .vt-row');
    await rows.filter({ hasText: 'tree.py:156' }).first().click();
    await until('the opened run in the address', () => viewOf(page).hopen);
    await page.getByRole('link', { name: 'fold again' }).click();
    await inAddress(page, { hopen: null });
    await settled(page); // a link changes the address first, and what is shown with the event that follows
    await page.keyboard.press('t');
    await boxes.waitFor();
    await settled(page);
    const box = await boxes.boundingBox();
    await boxes.dblclick({ position: { x: box.width * 0.65, y: 26 * 2.5 } });
    const zoomed = await until('the box in the address', () => viewOf(page).hzoom);
    const { nodes } = await series.api('heap/tree', { zoom: zoomed });
    assert.ok(nodes.key.includes(zoomed));
    await page.getByRole('link', { name: 'show all' }).waitFor();
    await page.keyboard.press('Escape');
    await inAddress(page, { hzoom: null });
  }, { of: series });
  await series.stop();
  const go = await serve(join(testdata, 'pprof'));
  await withHeap(look, 'pprof', async (page) => {
    const type = (await go.api('heap/summary', { file: 'heap.2.prof', type: 'alloc_space' })).value;
    assert.ok(type > 0);
    assert.match(await head(page), /allocated/);
    await page.getByRole('button', { name: /^value/ }).click();
    await page.getByRole('option', { name: /inuse_space/ }).click();
    await inAddress(page, { htype: 'inuse_space' });
    await matches(() => head(page), /live/, 'what is in use');
  }, { of: go, heap: 'heap.2.prof', htype: 'alloc_space' });
  await go.stop();
});
