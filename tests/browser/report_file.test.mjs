// `xprofd report`: the file opens from disk, makes no request, and shows what the served page shows.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import test, { after, before } from 'node:test';

import { build, run } from '../support/program.mjs';
import { hloProto, xspace } from './hlo.mjs';
import { becomes, eachLook, inAddress, inUnit, isDrawn, makeLogdir, mib, putFile, quit, read, serve, settled, temporary, testdata, until, viewOf, withPage } from './lib.mjs';
import { chartOf, drawn, mapOf, peakLine } from './memory.mjs';
import { drawn as traceDrawn } from './trace.mjs';

const web = process.env.XPD_WEB_DIR ? [`--web-dir=${process.env.XPD_WEB_DIR}`] : [];
const folder = temporary('report');
/** Programs of any size, from the tests' own build. */
const generator = join(build, 'bin/gen_large');
let serial = 0;
/** Writes a report of a profile; its address. */
function report(profile, ...more) {
  const to = join(folder, `report ${serial++}.html`);
  const done = run(['report', profile, '-o', to, ...web, ...more]);
  assert.equal(done.code, 0, done.errors);
  return pathToFileURL(to).href;
}
const hash = (view) => `#${new URLSearchParams(view)}`;
const OFFLINE = { offline: true };
const missed = (page) => page.locator('.r-missed').allInnerTexts();
/** What a person reads on the page below its header. */
const words = async (page) => (await page.locator('.shell > .main').innerText()).replace(/\s+/g, ' ');

let server, root;
before(async () => {
  root = makeLogdir({ demo: join(testdata, 'tpu_padded_demo/logdir'), layers: join(testdata, 'tpu_scan_layers/logdir'), mlp: join(testdata, 'cpu_mlp_train/logdir') });
  server = await serve(root);
});
after(async () => {
  await quit();
  await server?.stop();
});
const runOf = async (part) => (await server.api('runs', {})).id.find((id) => id.includes(part));

/** Goes to a view and waits until nothing is under way; what the page says then. */
async function wordsOf(page, at) {
  await page.evaluate((to) => { location.hash = to; }, at);
  await settled(page);
  return words(page);
}

eachLook('the tabs, the details, Doctor and the files are those of the served page', async (look) => {
  const id = await runOf('demo');
  const file = report(root, `--run=${id}`);
  const { peak } = await server.api('memory/summary', { run: id });
  const { buffer: [largest] } = await server.api('memory/live', { run: id, order: 'size' });
  // Both stay open, and go from view to view side by side.
  await withPage(server.url, { ...look, hash: hash({ run: id }) }, (served) => withPage(file, { ...look, hash: hash({ run: id }), context: OFFLINE }, async (page) => {
    // As much room for the page as the served one has: a table shows the rows that fit.
    await page.locator('.r-note').waitFor();
    await page.evaluate(() => { document.getElementById('note').hidden = true; });
    const seen = new Set();
    for (const view of [{}, { tab: 'buffers' }, ...['scope', 'source', 'opcode', 'dtype', 'class', 'group', 'shape'].map((by) => ({ tab: 'buffers', by })), { tab: 'scope' }, { tab: 'modules' }, { tab: 'findings' }, { tool: 'doctor' }, { pin: largest }, { table: 1 }, { axis: 'instruction' }, { mode: 'report' }, { mode: 'report', rtab: 'ops' }, { mode: 'report', rtab: 'kinds' }, { mode: 'report', rtab: 'transfers' }, { mode: 'report', rtab: 'buffers' }, { mode: 'report', graph: 'plot' }, { mode: 'report', graph: 'plot', plot: largest }]) {
      const at = hash({ run: id, ...view });
      const [wanted, text] = [await wordsOf(served, at), await wordsOf(page, at)];
      assert.equal(text, wanted, JSON.stringify(view));
      assert.deepEqual(await missed(page), [], JSON.stringify(view));
      seen.add(text);
      if (view.tool || view.mode) continue;
      assert.ok(text.includes(`Peak ${mib(peak.held_bytes)}`), text.slice(0, 200));
      assert.ok(text.includes(`without padding ${inUnit(peak.unpadded_bytes, 'MiB')} always there`), 'of the step, however few columns there are');
    }
    assert.ok(seen.size >= 12, `${seen.size} views that differ`);
  }));
});

eachLook('opens on its run; says what it is; zoom, steps and tabs by hand; what it lacks is said in words', async (look) => {
  const id = await runOf('layers');
  const list = await server.api('runs');
  const label = list.label[list.id.indexOf(id)];
  const file = report(root, `--run=${id}`);
  await withPage(file, { ...look, context: OFFLINE }, async (page) => {
    await inAddress(page, { run: id });
    await drawn(page);
    assert.match(await read(page.locator('.r-note')), new RegExp(`^Report by xprofd [\\d.]+ of ${label} · jit_\\w+ \\(host0\\.xplane\\.pb, `));
    await until('the picture', () => isDrawn(chartOf(page)));
    await until('the picture', () => isDrawn(mapOf(page)));
    // A step that is no peak: what is held there, as the server has it.
    const { near_peaks: near, peak } = await server.api('memory/summary', { run: id });
    const other = near.find(({ step }) => step !== peak.step)?.step ?? Math.max(0, peak.step - 5);
    const live = await server.api('memory/live', { run: id, step: other });
    await page.evaluate((step) => { location.hash += `&step=${step}`; }, other);
    await until('the other step', async () => (await words(page)).includes(`${live.count} buffers`));
    assert.deepEqual(await missed(page), []);
    // Zoomed in: the recorded window is wide enough.
    await page.evaluate(() => { location.hash += '&from=10&to=60'; });
    await until('the window', async () => viewOf(page).to === '60');
    await settled(page);
    await until('the picture', () => isDrawn(chartOf(page)));
    assert.deepEqual(await missed(page), []);
    // A file that the server would make.
    await page.getByRole('link', { name: 'CSV' }).first().click();
    await until('a word about the CSV', async () => (await missed(page)).some((text) => /^Not in this report: it holds .*; open the profile with xprofd to see it\.$/.test(text)));
    // Gone with the view.
    await page.keyboard.press('Shift+Digit8');
    await inAddress(page, { tool: 'doctor' });
    await becomes(() => missed(page), []);
  });
});

eachLook('mode Report: categories open to buffers, a buffer of the heap to its neighbours; several chosen buffers are not in it, and that is said', async (look) => {
  const id = await runOf('layers');
  const file = report(root, `--run=${id}`);
  const { peak } = await server.api('memory/summary', { run: id });
  const details = await server.api('report/details', { run: id });
  const leaf = details.rows.find((row) => row.opens && row.id.startsWith('compute.'));
  const buffers = await server.api('report/groups', { run: id, by: 'buffer', within: leaf.id, limit: 12 });
  const heap = await server.api('report/heap', { run: id, at: peak.step });
  const k = heap.size_bytes.indexOf(Math.max(...heap.size_bytes));
  const place = await server.api('report/place', { run: id, tenancy: heap.tenancy[k], at: peak.step });
  await withPage(file, { ...look, hash: hash({ run: id, mode: 'report' }), context: OFFLINE }, async (page) => {
    const line = (key) => page.locator(`[data-row="${key}"]`);
    await line(leaf.id).getByRole('button').click();
    await until('its buffers', async () => (await line(`${leaf.id}/0`).innerText()).includes(buffers.rows[0].name));
    await page.evaluate((tenancy) => { location.hash += `&rtab=buffers&rpin=${tenancy}`; }, heap.tenancy[k]);
    await until('its neighbours', async () => (await page.locator('.r-place').innerText()).includes(`${place.conflicts.count} buffer`));
    assert.deepEqual(await missed(page), []);
    const two = heap.buffer.slice(0, 2).join(',');
    await page.evaluate((chosen) => { location.hash = location.hash.replace('&rtab=buffers', '') + `&graph=plot&plot=${chosen}`; }, two);
    await until('a word about several', async () => (await missed(page)).some((text) => /^Not in this report: it holds each of the 200 largest buffers at the peak over the program, one at a time; open the profile/.test(text)));
  });
});

eachLook('the graph is laid out and the trace drawn, without a server', async (look) => {
  const demo = await runOf('demo'), mlp = await runOf('mlp');
  await withPage(report(root, `--run=${demo}`), { ...look, hash: hash({ run: demo, tool: 'graph' }), context: OFFLINE }, async (page) => {
    await until('the layout', async () => /laid out in/.test(await words(page)), 15_000);
    await until('the text', async () => /HloModule jit_padded_step/.test(await words(page)));
    assert.deepEqual(await missed(page), []);
  });
  await withPage(report(root, `--run=${mlp}`), { ...look, hash: hash({ run: mlp, tool: 'trace' }), context: OFFLINE }, async (page) => {
    await traceDrawn(page);
    await becomes(() => read(page.getByRole('tab', { name: /^Steps/ })), 'Steps6');
    assert.deepEqual(await missed(page), []);
  });
});

eachLook('a measured run opens on its Overview, and its other pages say what the served ones say', async (look) => {
  const id = await runOf('mlp');
  const file = report(root, `--run=${id}`);
  await withPage(server.url, { ...look, hash: hash({ run: id, tool: 'overview' }) }, (served) => withPage(file, { ...look, context: OFFLINE }, async (page) => {
    await inAddress(page, { run: id, tool: 'overview' });
    await page.locator('.r-note').waitFor();
    await page.evaluate(() => { document.getElementById('note').hidden = true; });
    for (const view of [{ tool: 'overview' }, { tool: 'ops' }, { tool: 'ops', ogroup: 'category' }, { tool: 'ops', oby: 'program' }, { tool: 'ops', oview: 'layers' }, { tool: 'roofline' }, { tool: 'input' }, { tool: 'input', tab: 'threads' }]) {
      const at = hash({ run: id, ...view });
      // A report holds one run: there is no other to compare with.
      assert.equal(await wordsOf(page, at), (await wordsOf(served, at)).replace(' another run ', ' '), at);
      assert.deepEqual(await missed(page), [], at);
    }
  }));
});

eachLook('memory over time and heap files are in a report', async (look) => {
  const file = report(join(testdata, 'tf_leak/logdir'));
  await withPage(file, { ...look, context: OFFLINE }, async (page) => {
    const id = await until('the run in the address', () => viewOf(page).run);
    for (const tab of ['live', 'events', 'peak', 'steps', 'never']) {
      await wordsOf(page, hash({ run: id, tool: 'memory', mode: 'overtime', tab }));
      assert.deepEqual(await missed(page), [], tab);
    }
    assert.match(await words(page), /a step/);
  });
  await withPage(report(join(testdata, 'device_memory')), { ...look, context: OFFLINE }, async (page) => {
    await page.locator('.hp-row, .vt-row').first().waitFor();
    const view = viewOf(page);
    for (const htab of ['functions', 'stacks', 'sizes', 'files', 'changed', 'lines']) {
      await wordsOf(page, hash({ ...view, htab }));
      assert.deepEqual(await missed(page), [], htab);
    }
    assert.match(await words(page), /train\.py:41/);
  });
});

eachLook('what cannot be in a report says so where it would stand: Compare, free search', async (look) => {
  const id = await runOf('layers');
  const file = report(root, `--run=${id}`);
  await withPage(file, { ...look, hash: hash({ run: id, mode: 'compare' }), context: OFFLINE }, async (page) => {
    await becomes(() => read(page.locator('.cp-none h1')), 'Compare is not in this report');
    assert.match(await read(page.locator('.cp-none')), /This report holds one run; Compare needs both profiles. xprofd report AFTER --diff=BEFORE -o FILE writes a report of both, xprofd diff BEFORE AFTER/);
    assert.deepEqual(await missed(page), []);
    await page.evaluate(() => { location.hash += '&base=other'; });
    await becomes(() => read(page.locator('.cp-none h1')), 'This comparison is not in the report');
    assert.match(await read(page.locator('.cp-none')), /not in this report: it only holds the run .*|not in this report: a comparison needs both profiles/);
    await page.evaluate((run) => { location.hash = `#run=${run}`; }, id);
    await drawn(page);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('fusion.2');
    await becomes(() => read(page.locator('.palette-none')), 'not in this report: free search needs the whole program; open the profile with xprofd to see it');
  });
});

test('a program of 130,000 instructions: the file keeps to its size, says what it lacks, and opens', { skip: !existsSync(generator) }, async () => {
  const profile = join(temporary('large'), 'large.hlo_proto.pb');
  execFileSync(generator, [profile, '130000', '60000', '120000']);
  const to = join(folder, 'large.html');
  const done = run(['report', profile, '-o', to, ...web]);
  assert.equal(done.code, 0, done.errors);
  assert.ok(statSync(to).size <= 8 << 20, String(statSync(to).size));
  assert.match(done.errors, /left out \(--max-size is 8388608 bytes\): \d+ of \d+ answers on /);
  const told = JSON.parse(run(['memory', profile, '--json', '--top=1']).text);
  await withPage(pathToFileURL(to).href, { theme: 'light', width: 1366, height: 768, context: OFFLINE }, async (page) => {
    await drawn(page);
    assert.ok((await read(peakLine(page))).includes(mib(told.spaces[0].summary.peak.held_bytes)));
    await until('the picture', () => isDrawn(mapOf(page)));
    assert.deepEqual(await missed(page), []);
    await page.getByRole('button', { name: 'what was left out' }).click();
    await page.locator('.r-left li').first().waitFor();
    // A step that was not recorded says so.
    await settled(page);
    await page.evaluate(() => { location.hash += '&step=1234'; });
    await until('a word about the step', async () => (await missed(page)).some((text) => /^Not in this report: it holds .*buffers at the peaks/.test(text)));
  });
});

test('hostile names are text, and break out of nothing', async () => {
  const IMG = '<img src=x onerror="window.hacked=1">';
  const SCRIPT = '</script><script>window.hacked=2</script>';
  const COMMENT = '<!--<script>--><!--xprofd:answers-->';
  const logdir = temporary('hostile-report');
  const hlo = hloProto(SCRIPT, [IMG, SCRIPT, COMMENT].map((name, i) => ({ name, opName: `jit(f)/${name}`, source: `${name}.py`, elements: (4 - i) << 20 })));
  putFile(logdir, `plugins/profile/${COMMENT.replaceAll('/', '')}/${SCRIPT.replaceAll('/', '')}.xplane.pb`, xspace([{ name: SCRIPT, id: 7, hlo }]));
  const file = report(logdir);
  const html = readFileSync(new URL(file), 'utf8');
  assert.ok(!html.includes('hacked'), 'no byte of a name stands in the file as it is');
  await withPage(file, { context: OFFLINE }, async (page) => {
    await becomes(() => read(peakLine(page)), 'Peak 36.0 MiB');
    assert.ok((await page.locator('.r-note').innerText()).includes(`(${SCRIPT.replaceAll('/', '')}.xplane.pb`));
    for (const tab of ['Buffers', 'By scope', 'Findings'].map((name) => page.getByRole('tab', { name: new RegExp(`^${name}`) })))
      if (await tab.count()) await tab.click();
    const made = await page.evaluate(() => ({
      hacked: window.hacked ?? null,
      elements: document.querySelectorAll('img, iframe, #app script, #note script').length,
    }));
    assert.deepEqual(made, { hacked: null, elements: 0 });
  });
});

test('a small limit leaves things out, and says which', async () => {
  const id = await runOf('layers');
  const whole = readFileSync(new URL(report(root, `--run=${id}`))).length;
  const limit = whole - 150_000;
  const file = report(root, `--run=${id}`, `--max-size=${limit}`);
  assert.ok(readFileSync(new URL(file)).length <= limit);
  await withPage(file, { context: OFFLINE }, async (page) => {
    await drawn(page);
    await page.getByRole('button', { name: 'what was left out' }).click();
    const lines = await page.locator('.r-left li').allInnerTexts();
    assert.ok(lines.length > 0 && lines.every((line) => /^[\d,]+ of [\d,]+ answers on \w/.test(line)), lines.join());
    await until('the picture', () => isDrawn(chartOf(page)));
  });
});

test('the policy in the file allows its own script and nothing of the network', async () => {
  const html = readFileSync(new URL(report(join(testdata, 'tpu_padded_demo/logdir'))), 'utf8');
  const policy = /<meta http-equiv="Content-Security-Policy" content="([^"]+)">/.exec(html)[1];
  const rules = Object.fromEntries(policy.split('; ').map((rule) => [rule.split(' ')[0], rule.split(' ').slice(1).join(' ')]));
  assert.equal(rules['default-src'], "'none'");
  assert.ok(!('connect-src' in rules), 'no address may be asked');
  assert.match(rules['script-src'], /^'sha256-[A-Za-z0-9+/]{43}=' 'wasm-unsafe-eval'$/);
  assert.match(rules['style-src'], /^'sha256-[A-Za-z0-9+/]{43}='$/);
  assert.ok(html.indexOf(policy) < html.indexOf('<style>') && html.indexOf(policy) < html.indexOf('<script'), 'it holds for everything');
  await withPage(report(join(testdata, 'tpu_padded_demo/logdir')), { context: OFFLINE }, async (page, { forgive }) => {
    await peakLine(page).waitFor();
    await page.evaluate(() => { const s = document.createElement('script'); s.textContent = 'window.hacked = 1'; document.body.append(s); });
    assert.equal(await page.evaluate(() => window.hacked ?? null), null);
    forgive(/script-src|Content Security Policy/i);
  });
});
