// Overview, the page a measured run opens on: each region has the numbers of the API and of Trace, keys and address do what they
// say, and what is not known is said with its reason.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';

import { withoutOperations } from '../support/program.mjs';
import { plane } from '../support/space.mjs';
import { becomes, download, eachLook, inAddress, isDrawn, makeLogdir, putFile, quit, read, serve, settled, sharedLogdir, testdata, until, viewOf, visit, withPage } from './lib.mjs';

/** A thread that starts the program of gpu_jax so often: each of its four GPUs recorded five executions. */
const launches = (count) => plane('/host:CPU', [{ name: 'python', events: Array.from({ length: count }, (_, k) => ({ name: 'jit_train_step:XLA GPU module', at: k * 1e6, ps: 1e5 })) }]);

let server;
before(async () => {
  const runs = { tpu: 'tpu_run', cpu: 'cpu_mlp_train', gpu: 'gpu_jax', ops: 'gpu_ops', cut: 'cut', scan: 'cpu_scan_while', aot: 'tpu_padded_demo', marks: 'cpu_no_ops' };
  const from = Object.fromEntries(Object.entries(runs).map(([name, set]) => [name, join(testdata, set, 'logdir')]));
  const root = makeLogdir({ ...from, tf: withoutOperations() });
  const file = 'plugins/profile/train/gpu-host.xplane.pb';
  putFile(root, `lost/${file}`, Buffer.concat([readFileSync(join(from.gpu, file)), launches(100)]));
  server = await serve(root);
});
after(async () => {
  await quit();
  await server?.stop();
});

const runOf = async (part) => (await server.api('runs', {})).id.find((id) => id.includes(part));
const hash = (view) => `#${new URLSearchParams({ tool: 'overview', ...view })}`;
const region = (page, name) => page.getByRole('region', { name, exact: true });
const chart = (page) => page.locator('.ov-chart');
const cellsOf = (table) => table.locator('tr').evaluateAll((all) => all.map((tr) => [...tr.cells].map((cell) => cell.textContent.trim())));

const UNITS = [[1e12, 's', 3], [1e9, 'ms', 3], [1e6, 'µs', 3], [1e3, 'ns', 1], [1, 'ps', 0]];
const unitOf = (ps) => UNITS.find(([per]) => ps >= per);
/** A time in the unit of a step, as the page writes it; what would read 0 is left to the unit tests. */
function inUnit(ps, [per, , digits]) {
  if (ps === 0) return '0';
  return (ps / per).toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits }).replace('-', '−');
}
const shows = (text, ps, unit) => text === inUnit(ps, unit) || (Math.abs(ps / unit[0]) < 0.001 && /[1-9]/.test(text));

/** Opens the Overview of a run and waits for its regions. */
async function withOverview(look, part, view, body) {
  const run = await runOf(part);
  await withPage(server.url, { ...look, hash: hash({ run, ...view }) }, async (page, more) => {
    await page.locator('.ov-head h1').waitFor();
    await settled(page);
    await body(page, run, more);
  });
}

eachLook('a measured run opens on Overview, one that was only compiled on Memory; an address of Memory without a tool stays one of Memory', async (look) => {
  const [run, aot] = [await runOf('tpu/'), await runOf('aot/')];
  await withPage(server.url, { ...look, hash: `#run=${run}` }, async (page) => {
    await page.locator('.ov-head h1').waitFor();
    await inAddress(page, { run, tool: 'overview' });
    assert.equal(await page.locator('.sidebar-item.here').innerText().then((text) => text.split('\n')[0].trim()), 'Overview');
    await page.goto(`${server.url}#run=${aot}`);
    await page.locator('.m-peak-big').waitFor();
    await inAddress(page, { run: aot, tool: null });
    await page.keyboard.press('Shift+Digit1');
    await becomes(() => read(page.locator('.empty-state h1')), 'No data for Overview in this run');
    assert.match(await read(page.locator('.empty-state')), /This run has no events: the program did not run during the capture/);
    const { default_module: module } = await server.api('modules', { run });
    for (const old of [{ module }, { module, step: 3, tab: 'step' }, { mode: 'report' }, { pin: 1 }]) {
      await page.goto(`${server.url}#${new URLSearchParams({ run, ...old })}`);
      await page.locator('.m-tool').waitFor();
      await inAddress(page, { tool: 'memory' });
    }
  });
});

eachLook('headline, badge and five verdicts are the API’s; each verdict leads to what is behind it', async (look) => {
  await withOverview(look, 'tpu/', {}, async (page, run) => {
    const a = await server.api('overview', { run });
    assert.equal(await read(page.locator('.ov-head h1')), `${a.headline} ${a.verdict}`);
    assert.ok((await read(page.locator('.ov-head > p').first())).startsWith(a.detail));
    assert.match(a.steps_apart, /^A step of Input takes /);
    assert.ok((await read(page.locator('.ov-head > p.soft'))).startsWith(a.steps_apart));
    const said = { yes: 'yes', no: 'no', unknown: 'cannot tell' };
    const verdicts = page.getByRole('navigation', { name: 'what bounds a step' }).getByRole('link');
    assert.deepEqual(await verdicts.locator('b').allInnerTexts(), a.verdicts.map(({ says }) => said[says]));
    for (const [k, verdict] of a.verdicts.entries()) assert.ok((await read(verdicts.nth(k))).endsWith(verdict.text), verdict.kind);
    await verdicts.nth(1).click();
    await inAddress(page, { tool: 'ops', ofilter: 'bound:hbm' });
    await page.goBack();
    await page.locator('.ov-verdicts').waitFor();
    for (const [digit, wanted] of [[1, { tool: 'ops', ofilter: 'bound:wait' }], [2, { tool: 'ops', ofilter: 'bound:hbm' }], [3, { tool: 'ops', ofilter: 'bound:compute' }], [4, { tool: 'trace', tt: 'gaps' }], [5, { tool: 'input' }]]) {
      await settled(page); // its keys work from then on
      await page.keyboard.press(`Digit${digit}`);
      await inAddress(page, wanted);
      await page.goBack();
      await page.locator('.ov-verdicts').waitFor();
    }
  });
});

eachLook('steps: drawn, with the API’s least, middle and most; a click takes one step, arrows the next, Shift the next that is off, Enter opens Trace', async (look) => {
  await withOverview(look, 'tpu/', {}, async (page, run) => {
    const s = await server.api('trace/stepsplit', { run });
    const a = await server.api('overview', { run });
    const unit = unitOf(a.step.mean_ps);
    await until('the chart', () => isDrawn(chart(page)));
    const title = await read(region(page, 'Steps').locator('.ov-title'));
    assert.ok(title.startsWith(`Steps ${s.total} steps × ${s.chips.length} chips, mean of chips, ${unit[1]}, ${s.clock} clock`), title);
    const foot = await read(page.locator('.ov-foot'));
    for (const [word, ps] of [['min', a.step.min_ps], ['p50', a.step.p50_ps], ['max', a.step.max_ps]]) assert.ok(foot.includes(`${word} ${inUnit(ps, unit)}`), `${word} in ${foot}`);
    const outliers = s.steps.number.filter((_, k) => s.steps.outlier[k]);
    assert.deepEqual((await page.locator('.ov-outliers button').allInnerTexts()).map((text) => Number(text.split(',')[0])), outliers);
    // By the place of its column: 44 pixels are the axis, 14 the margin.
    const box = await chart(page).boundingBox();
    const xOf = (k) => box.x + 44 + ((k + 0.5) / s.steps.n) * (box.width - 58);
    await page.mouse.move(xOf(2), box.y + 80);
    await becomes(() => page.getByRole('tooltip').filter({ hasText: `step ${s.steps.number[2]} ` }).count(), 1);
    await page.mouse.click(xOf(2), box.y + 80);
    await inAddress(page, { step: String(s.steps.number[2]) });
    const one = await server.api('overview', { run, step: s.steps.number[2] });
    assert.equal(one.step.selected, s.steps.number[2]);
    // All regions are of that step then.
    await becomes(() => read(region(page, 'where the step goes').locator('.ov-sum').first()), `Step ${s.steps.number[2]} ${inUnit(one.step.mean_ps, unitOf(one.step.mean_ps))} 100.0 %`);
    await page.keyboard.press('ArrowRight');
    await inAddress(page, { step: String(s.steps.number[3]) });
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await inAddress(page, { step: String(s.steps.number[1]) });
    const next = s.steps.number.findIndex((_, k) => k > 1 && s.steps.outlier[k]);
    await page.keyboard.press('Shift+ArrowRight');
    await inAddress(page, { step: String(s.steps.number[next]) });
    await page.keyboard.press('Enter');
    await inAddress(page, { tool: 'trace', step: null, t0: String(s.steps.start_ps[next]), t1: String(s.steps.end_ps[next]) });
    await page.goBack();
    await page.locator('.ov-chart').waitFor();
    await settled(page); // its keys and its place are there
    await page.keyboard.press('Escape');
    await inAddress(page, { step: null });
    await settled(page);
    await page.mouse.dblclick(xOf(0), box.y + 80);
    await inAddress(page, { tool: 'trace', t0: String(s.steps.start_ps[0]), t1: String(s.steps.end_ps[0]) });
  });
});

eachLook('steps are those of Trace > Steps; the menu takes the slowest chip and one chip; T shows the same as a table that can be saved', async (look) => {
  await withOverview(look, 'tpu/', { table: 1 }, async (page, run) => {
    const steps = await server.api('trace/steps', { run, host: 'tpu-host-0' });
    const all = await server.api('trace/stepsplit', { run, chip: 'all' });
    const first = all.chips.findIndex((chip) => chip.host === 'tpu-host-0');
    const own = all.steps.number.flatMap((number, k) => (all.steps.chip[k] === first ? [[number, all.steps.duration_ps[k]]] : []));
    assert.deepEqual(own, steps.number.flatMap((number, k) => (steps.process[k] === all.chips[first].process && steps.row[k] === null ? [[number, steps.duration_ps[k]]] : [])));
    const rows = page.locator('.ov-twin .vt-row');
    const unit = unitOf((await server.api('overview', { run })).step.mean_ps);
    const shown = () => rows.evaluateAll((all) => all.map((row) => [...row.querySelectorAll('.vt-cell')].slice(0, 2).map((cell) => cell.textContent)));
    for (const [choice, parameters] of [['mean', {}], ['slowest', { chip: 'slowest' }], ['1', { chip: 1 }]]) {
      await page.getByLabel('chips shown').selectOption(choice);
      await inAddress(page, { chip: choice === 'mean' ? null : choice });
      const s = await server.api('trace/stepsplit', { run, ...parameters });
      await becomes(shown, s.steps.number.map((number, k) => [String(number), inUnit(s.steps.duration_ps[k], unit)]));
    }
    const { name, text } = await download(page, () => region(page, 'Steps').getByRole('button', { name: 'CSV' }).click());
    assert.match(name, /steps.*\.csv$/);
    const one = await server.api('trace/stepsplit', { run, chip: 1 });
    assert.equal(text.trim().split('\n').length, one.steps.n + 1);
    assert.ok(text.includes(`${one.steps.number[0]},${one.steps.duration_ps[0]},`));
    await page.keyboard.press('t');
    await inAddress(page, { table: null });
    await until('the chart', () => isDrawn(chart(page)));
  });
});

eachLook('where the step goes: the rows are the API’s and add up to the step; each leads to the operations behind it', async (look) => {
  await withOverview(look, 'tpu/', {}, async (page, run) => {
    const a = await server.api('overview', { run });
    const unit = unitOf(a.step.mean_ps);
    const part = region(page, 'where the step goes');
    assert.match(await read(part.locator('.ov-adds')), /adds up$/);
    const rows = await cellsOf(part);
    assert.equal(rows.length, a.losses.n + 1);
    assert.equal(rows[0][2], inUnit(a.step.mean_ps, unit));
    for (let k = 0; k < a.losses.n; k++) {
      // A peak that an operation exceeds makes the loss against it doubtful; why is in the tip.
      const doubt = a.losses.why[k] !== null && a.losses.kind[k] !== 'not_judged' && a.losses.mean_ps[k] > 0;
      assert.equal(rows[k + 1][0], `${a.losses.label[k]}${doubt ? ' ?' : ''}`);
      if (a.losses.why[k]) assert.equal(await part.locator('tr').nth(k + 1).getAttribute('title'), a.losses.why[k]);
      const ps = a.losses.mean_ps[k] * (a.losses.kind[k] === 'roofline' ? 1 : -1);
      assert.ok(shows(rows[k + 1][2], ps, unit), `${a.losses.label[k]}: ${rows[k + 1][2]}`);
    }
    assert.equal(a.losses.total_ps.reduce((sum, ps) => sum + ps, 0), a.step.total_ps);
    const k = a.losses.mean_ps.findIndex((ps, at) => ps > 0 && a.losses.kind[at] === 'memory_loss');
    if (k >= 0) {
      await part.locator('tr').nth(k + 1).getByRole('link').click();
      await inAddress(page, { tool: 'ops', ofilter: 'bound:hbm' });
    }
  });
  // The tick is computed: rows that are not the whole step are told.
  await withOverview(look, 'cpu/', {}, async (page) => {
    await page.route(/\/api\/v1\/overview\?/, async (route) => {
      const answer = await (await route.fetch()).json();
      answer.losses.total_ps[0] += 5_000_000_000;
      await route.fulfill({ json: answer });
    });
    await page.reload();
    await becomes(() => page.locator('.ov-adds').allInnerTexts(), ['does not add up: −5.000 ms of all steps is in no row']);
  });
});

eachLook('time to win, chips, utilisation, memory, capture, environment: the API’s numbers', async (look) => {
  await withOverview(look, 'gpu/', {}, async (page, run) => {
    const a = await server.api('overview', { run });
    const unit = unitOf(a.step.mean_ps);
    const wins = await cellsOf(region(page, 'time to win'));
    const shown = Math.min(7, a.wins.n);
    for (let k = 0; k < shown; k++) {
      const [name, , self, win] = wins[k + 1];
      assert.equal(name, a.wins.name[k]);
      assert.ok(shows(self, a.wins.mean_ps[k], unit), self);
      if (a.wins.win_ps[k] === null) assert.equal(win, 'unknown');
      else assert.ok(shows(win.replace('≤ ', ''), a.wins.win_ps[k], unit), win);
      assert.equal(win.startsWith('≤'), a.wins.at_most[k]);
    }
    const chips = await cellsOf(region(page, 'chips'));
    assert.deepEqual(chips.slice(1).map((cells) => [cells[0], cells[2]]), a.chips.map((chip) => (chip.mean_ps === null ? [chip.name, undefined] : [chip.name, inUnit(chip.mean_ps, unit)])));
    assert.deepEqual(await region(page, 'utilisation').locator('.ov-rate > span:first-child').allInnerTexts(), a.utilisation.map((rate) => `${rate.label}${rate.at_least ? ', ≥' : ''}`));
    if (a.memory) assert.match(await read(region(page, 'memory')), /peak/);
    else assert.ok((await read(region(page, 'memory'))).includes(a.no_memory));
    assert.ok((await read(region(page, 'capture'))).includes(a.capture.sentence));
    for (const missing of a.capture.missing) assert.ok((await read(region(page, 'capture'))).includes(missing.what), missing.what);
    const facts = await region(page, 'environment').locator('dl > div').evaluateAll((all) => all.map((div) => [...div.children].map((one) => one.textContent)));
    assert.deepEqual(facts, a.environment.map(({ what, value }) => [what, value ?? 'not recorded']));
    if (look.size.width >= 1920) assert.deepEqual((await cellsOf(region(page, 'programs'))).slice(1, -1).map(([name]) => name), a.programs.name);
    // An operation leads to Ops.
    await region(page, 'time to win').getByRole('link', { name: a.wins.name[0], exact: true }).first().click();
    await inAddress(page, { tool: 'ops' });
    assert.equal(viewOf(page).osel, `${a.wins.name[0]}:${a.wins.module[0]}`);
  });
});

eachLook('what to do next: Doctor’s findings in its order, at most eight, with the way to the others', async (look) => {
  await withOverview(look, 'cpu/', {}, async (page, run) => {
    const { findings } = await server.api('doctor', { run });
    const open = findings.filter((finding) => finding.silenced === null);
    assert.ok(open.length > 0);
    const rows = page.locator('.ov-finding');
    // What is claimed is bold, the numbers behind it are not; then what to try.
    const shown = open.slice(0, 8);
    await becomes(() => rows.locator('.ov-claim').allTextContents(), shown.map((finding) => `${finding.claim} ${finding.advice}`));
    for (const bold of await rows.locator('.ov-claim > b').allTextContents()) assert.ok(shown.some(({ claim }) => claim.startsWith(bold)) && bold.length > 15, bold);
    if (open.length > 8) assert.equal(await page.locator('.ov-next .ov-note a').innerText(), `${open.length - 8} more`);
    await region(page, 'what to do next').getByRole('link', { name: 'Doctor', exact: true }).click();
    await inAddress(page, { tool: 'doctor' });
  });
});

eachLook('evidence: operations in Ops, each by its name; the source; what is no operation where it is seen', async (look) => {
  await withOverview(look, 'tpu/', {}, async (page, run) => {
    const { findings } = await server.api('doctor', { run });
    const row = (id) => page.locator('.ov-finding').filter({ has: page.getByRole('link', { name: id, exact: true }) });
    const of = findings.find(({ kind, operations }) => kind === 'time' && operations.n > 1);
    assert.ok(of, 'a finding with several operations');
    await row(of.id).getByRole('link', { name: `${of.operations.n} ops` }).click();
    await inAddress(page, { tool: 'ops' });
    const { ops } = await server.api('trace/ops', { run, filter: viewOf(page).ofilter });
    assert.deepEqual([...new Set(ops.name)].sort(), [...new Set(of.operations.name)].sort());
    await page.goBack();
    await row('T02').getByRole('link', { name: 'gaps' }).click();
    await inAddress(page, { tool: 'trace', tt: 'gaps' });
  });
  await withOverview(look, 'scan/', {}, async (page, run) => {
    const { findings } = await server.api('doctor', { run });
    const of = findings.slice(0, 8).find(({ kind, source }) => kind === 'memory' && source);
    const name = `${of.source.file.split('/').at(-1)}:${of.source.line}`;
    await page.locator('.ov-finding').getByRole('link', { name, exact: true }).first().click();
    await inAddress(page, { tool: 'memory', tab: 'buffers', source: `${of.source.file}:${of.source.line}` });
  });
});

eachLook('several hosts: the slowest first, its chips when it is opened', async (look) => {
  await withOverview(look, 'tpu/', {}, async (page, run) => {
    const a = await server.api('overview', { run });
    const hosts = [...new Set(a.chips.map((chip) => chip.host))];
    assert.equal(hosts.length, 2);
    const { measured } = await server.api('doctor', { run });
    await until('whose times the findings have', async () => (await read(region(page, 'what to do next'))).includes(`ranked by share; times are of host ${measured.host}`));
    const slowest = a.chips.reduce((most, chip) => (chip.mean_ps > most.mean_ps ? chip : most)).host;
    const part = region(page, 'chips');
    const names = () => part.locator('tbody th').allInnerTexts();
    await becomes(names, [slowest, ...hosts.filter((host) => host !== slowest)]);
    await part.getByRole('button', { name: slowest }).click();
    await becomes(names, [slowest, ...a.chips.filter((chip) => chip.host === slowest).map((chip) => chip.name), ...hosts.filter((host) => host !== slowest)]);
  });
  await withOverview(look, 'tpu/', { host: 'tpu-host-1' }, async (page, run) => {
    const a = await server.api('overview', { run, host: 'tpu-host-1' });
    assert.deepEqual(await region(page, 'chips').locator('tbody th').allInnerTexts(), a.chips.map((chip) => chip.name));
    await until('whose times the findings have', async () => (await read(region(page, 'what to do next'))).includes('ranked by share; times are of host tpu-host-1'));
  });
});

eachLook('peaks: not known on a CPU, typed ones stand in the address and judge', async (look) => {
  await withOverview(look, 'cpu/', {}, async (page, run) => {
    const part = region(page, 'utilisation');
    assert.match(await read(part), /peaks of this device .* are not known: set them/);
    assert.equal(await part.getByRole('button', { name: 'set them' }).getAttribute('aria-expanded'), 'true');
    assert.match(await read(page.locator('.ov-verdicts')), /memory( bound\?)? cannot tell peaks not known/);
    // Waits and idle need none.
    assert.match(await read(region(page, 'where the step goes')), /nothing running −\d/);
    await part.getByLabel('matrix units, TFLOP/s').fill('2');
    await part.getByLabel('matrix units, TFLOP/s').press('Enter');
    await inAddress(page, { peaks: '2,,,' });
    await part.getByRole('button', { name: 'change' }).click();
    await part.getByLabel('main memory, GB/s').fill('50');
    await part.getByLabel('main memory, GB/s').press('Enter');
    await inAddress(page, { peaks: '2,50,,' });
    const a = await server.api('overview', { run, peak_flops: 2e12, peak_bandwidth: 50e9 });
    await becomes(() => read(page.locator('.ov-head h1')), `${a.headline} ${a.verdict}`);
    assert.match(await read(part), /of 2\.00 TFLOP\/s and 50\.0 GB\/s, entered by hand/);
    await part.getByRole('button', { name: /as the profile says/ }).click();
    await inAddress(page, { peaks: null });
  });
});

eachLook('states: one step, windows, no HLO, a cut file, nothing that ran, an address that names no step', async (look) => {
  await withOverview(look, 'ops/ops', {}, async (page, run) => {
    const a = await server.api('overview', { run });
    assert.equal(a.step.steps, 1);
    assert.ok((await read(page.locator('.ov-foot'))).includes(a.step.no_spread));
    assert.equal(await page.locator('.ov-foot').getByText('outliers').count(), 0, 'one step has no outliers');
  });
  await withOverview(look, 'ops/kernels', {}, async (page, run) => {
    const a = await server.api('overview', { run });
    assert.equal(a.step.what, 'windows');
    assert.match(await read(region(page, 'Windows').locator('.ov-title')), /^Windows 100 windows of [\d.]+ [mµn]?s × 3 chips/);
    assert.ok((await read(region(page, 'memory'))).includes('no HLO'));
    assert.match(await read(region(page, 'what to do next')), /No findings: \d+ rules checked this run/);
  });
  await withOverview(look, 'cut/', { run: await runOf('cut/tpu') }, async (page) => {
    assert.match(await read(region(page, 'capture')), /The file is cut short/);
    assert.match(await read(region(page, 'environment')), /file not complete/);
    assert.equal(await read(page.locator('.ov-adds')), 'no total: the file is incomplete');
  });
  await withOverview(look, 'lost/', {}, async (page, run) => {
    const lost = 'the host started jit_train_step 100 times over all GPUs, and at most 20 of these executions are in the profile';
    assert.ok((await read(region(page, 'capture'))).includes(lost));
    const doctor = await server.api('doctor', { run, module: 'jit_train_step(7)' });
    assert.ok(JSON.stringify(doctor).includes(lost), 'a finding says the same');
  });
  await withOverview(look, 'tf/', {}, async (page, run) => {
    const a = await server.api('overview', { run });
    assert.equal(a.known, false);
    assert.equal(a.detail, `${a.reason[0].toUpperCase()}${a.reason.slice(1)}.`);
    assert.ok((await read(page.locator('.ov-head'))).includes(a.detail));
    assert.equal(await page.locator('.ov-steps, .ov-losses').count(), 0);
  });
  await withOverview(look, 'marks/', {}, async (page, run) => {
    const a = await server.api('overview', { run });
    assert.equal(a.step, null);
    assert.equal(await read(page.locator('.ov-head > p.soft')), `${a.steps_apart} Input`);
    await page.locator('.ov-head').getByRole('link', { name: 'Input' }).click();
    await inAddress(page, { tool: 'input' });
    await until('Input', async () => (await page.locator('.in-head h1').count()) > 0);
    assert.equal(parseInt(await read(page.locator('.in-head h1'))), parseInt(a.headline), 'the same share on both pages');
  });
  const run = await runOf('tpu/');
  await withPage(server.url, { ...look, hash: hash({ run, step: 999 }) }, async (page, { forgive }) => {
    await page.locator('.ov-head h1').waitFor();
    await inAddress(page, { step: null });
    forgive(/answer 404: .*overview/);
  });
});

eachLook('a run as “before”: each number has its difference', async (look) => {
  const [run, before] = [await runOf('gpu/'), await runOf('tpu/')];
  await withOverview(look, 'gpu/', {}, async (page) => {
    await page.getByRole('button', { name: 'Compare …' }).click();
    await page.getByRole('dialog').locator(`button[title="${before}"]`).click();
    await inAddress(page, { run, base: before });
    const [a, b] = [await server.api('overview', { run }), await server.api('overview', { run: before })];
    const unit = unitOf(a.step.mean_ps);
    const sign = (by, text) => (by === 0 ? '±0' : `${by > 0 ? '+' : ''}${text}`);
    const time = (to, from) => sign(to - from, inUnit(to - from, unit));
    const share = (to, from) => sign(to - from, `${(to * 100 - from * 100).toFixed(1).replace('-', '−')} %`);
    const changes = (part) => part.locator('.ov-change').allInnerTexts();
    await becomes(() => region(page, 'where the run goes').locator('.ov-sum .ov-change').first().innerText(), time(a.step.mean_ps, b.step.mean_ps));
    assert.equal((await changes(region(page, 'where the run goes'))).length, a.losses.n + 1, 'each loss');
    assert.deepEqual(await changes(page.locator('.ov-verdicts')), a.verdicts.flatMap((verdict, k) => (verdict.share === null || b.verdicts[k].share === null ? [] : [share(verdict.share, b.verdicts[k].share)])));
    assert.deepEqual(await changes(page.locator('.ov-foot')), ['min', 'p50', 'p99', 'max'].flatMap((key) => (a.step[`${key}_ps`] === null || b.step[`${key}_ps`] === null ? [] : [time(a.step[`${key}_ps`], b.step[`${key}_ps`])])));
    assert.equal((await changes(region(page, 'utilisation'))).length, a.utilisation.filter((rate) => rate.share !== null && (b.utilisation.find((other) => other.what === rate.what)?.share ?? null) !== null).length);
    assert.equal((await changes(region(page, 'memory'))).length, 1);
    // None is cut off.
    const cut = await page.locator('.ov-change').evaluateAll((all) => all.filter((one) => one.closest('a') && one.getBoundingClientRect().right > one.closest('a').getBoundingClientRect().right).length);
    assert.equal(cut, 0);
    assert.deepEqual((await changes(region(page, 'time to win'))).slice(-1), [time(a.wins_ps, b.wins_ps)]);
    assert.match(await read(page.locator('.ov-actions')), /before: /);
    await page.keyboard.press('b');
    await inAddress(page, { base: run });
    await becomes(() => page.locator('.ov-change').count(), 0);
    await page.keyboard.press('b');
    await inAddress(page, { base: null });
  });
  // The same run before: nothing has changed, in any of its numbers.
  const other = await runOf('ops/ops');
  await withOverview(look, 'ops/ops', { base: await runOf('ops/kernels') }, async (page) => {
    await until('a difference', () => page.locator('.ov-change').count());
    await page.getByRole('button', { name: 'Compare …' }).click();
    await page.getByRole('button', { name: 'compare with nothing' }).click();
    await inAddress(page, { run: other, base: null });
    await becomes(() => page.locator('.ov-change').count(), 0);
  });
});

const loadingBody = (percent) => ({ status: 202, contentType: 'application/json', body: JSON.stringify({ state: 'loading', what: 'reading the events', done_bytes: percent, total_bytes: 100, percent }) });

eachLook('loading: the peak first, then the hosts that are read, and no verdict before all are', async (look) => {
  const run = await runOf('tpu/');
  const whole = await server.api('overview', { run });
  const part = await server.api('overview', { run, only: 'tpu-host-1' });
  const files = await server.api('loading', { run });
  let percent = 30;
  let read = 0;
  const prepare = async (page) => {
    await page.route(/\/api\/v1\/(overview|trace\/stepsplit)\?(?!.*only=)/, (route) => (percent < 100 ? route.fulfill(loadingBody(percent)) : route.continue()));
    await page.route(/\/api\/v1\/loading\?/, (route) => route.fulfill({ json: { ...files, state: 'loaded', files: { ...files.files, events_read: files.files.host.map((host) => read > 0 && host === 'tpu-host-1'), state: files.files.host.map(() => 'read') } } }));
  };
  await withPage(server.url, { ...look, hash: hash({ run }), prepare }, async (page) => {
    const title = page.locator('.ov-head h1');
    await becomes(() => title.innerText().then((text) => text.replace(/\s+/g, ' ')), 'Reading what ran so far: 30 % read');
    await until('the peak', async () => /needs .*(MiB|GiB|KiB)/.test(await page.locator('.ov-head').innerText()));
    assert.equal(await page.locator('.ov-verdicts').count(), 0);
    [percent, read] = [60, 1];
    await becomes(() => title.innerText().then((text) => text.replace(/\s+/g, ' ')), `${part.headline} so far: 1 of 2 hosts, 60 % read`);
    assert.deepEqual(await page.locator('.ov-verdicts b').allInnerTexts(), Array(5).fill('so far'));
    await becomes(() => region(page, 'chips').locator('tbody th').allInnerTexts(), part.chips.map((chip) => chip.name));
    percent = 100;
    await becomes(() => title.innerText().then((text) => text.replace(/\s+/g, ' ')), `${whole.headline} ${whole.verdict}`);
    assert.ok((await page.locator('.ov-verdicts b').allInnerTexts()).every((text) => text !== 'so far'));
  });
});

eachLook('a run of several programs: the menu takes the runs of one as the steps; it stands in the address, and an unknown one goes', async (look) => {
  await withOverview(look, 'scan/', {}, async (page, run, { forgive }) => {
    const all = await server.api('overview', { run });
    const menu = page.getByRole('combobox', { name: 'program shown' });
    await menu.selectOption({ label: `runs of ${all.programs.name[2]}` });
    await inAddress(page, { program: all.programs.module[2], step: null });
    const one = await server.api('overview', { run, program: all.programs.module[2] });
    await becomes(() => read(page.locator('.ov-head p').first()), one.detail);
    await becomes(async () => (await read(region(page, 'where the run goes').locator('.ov-sum').first())).includes(`mean of ${one.step.steps}`), true);
    const findings = await server.api('doctor', { run, program: all.programs.module[2] });
    assert.equal(findings.module, all.programs.module[2]);
    const next = region(page, 'what to do next');
    await becomes(() => next.locator('.ov-claim b').count(), findings.findings.filter((one) => one.silenced === null).length, 'findings of the program');
    assert.notEqual(findings.found, (await server.api('doctor', { run })).found);
    assert.match(await next.getByRole('link', { name: 'Doctor' }).getAttribute('href'), new RegExp(`module=${all.programs.name[2]}`));
    await menu.selectOption('');
    await inAddress(page, { program: null });
    await visit(page, `${server.url}${hash({ run, program: 'of another run' })}`);
    await inAddress(page, { program: null });
    await becomes(() => read(page.locator('.ov-head p').first()), all.detail);
    forgive(/answer 404/);
  });
});

eachLook('a CPU has hosts and no chips; clocks that differ are told; what has no operation leads to Trace', async (look) => {
  await withOverview(look, 'cpu/', {}, async (page) => {
    assert.match(await read(region(page, 'chips')), /^Host 1 host, .* host step, from 0 mean, ms waits/);
    assert.ok(!(await read(region(page, 'utilisation'))).includes('HBM'));
    await page.route(/\/api\/v1\/overview\?/, async (route) => {
      const answer = await (await route.fetch()).json();
      answer.step.clocks = 'the host-aligned clock jumps: it shows steps of 1 ms to 9 ms, the chips’ own clocks 3 ms to 3 ms';
      await route.fulfill({ json: answer });
    });
    await page.reload();
    await becomes(async () => (await read(region(page, 'capture'))).includes('the host-aligned clock jumps'), true);
  });
  await withOverview(look, 'ops/kernels', {}, async (page, run) => {
    const a = await server.api('overview', { run });
    const at = a.losses.kind.indexOf('not_judged');
    assert.equal(a.losses.ops[at], 128, 'kernels of no program are operations');
    const row = region(page, 'where the window goes').locator('tr').nth(at + 1);
    await row.getByRole('link', { name: '128 ops' }).waitFor();
    await page.route(/\/api\/v1\/overview\?/, async (route) => {
      const answer = await (await route.fetch()).json();
      answer.losses.ops[at] = 0;
      await route.fulfill({ json: answer });
    });
    await page.reload();
    await row.getByRole('link', { name: 'Trace' }).click();
    await inAddress(page, { tool: 'trace' });
  });
});

test('390 wide: nothing is wider than the screen, with long names and with differences', async () => {
  for (const [part, base] of [['gpu/', null], ['gpu/', 'tpu/'], ['ops/ops', null], ['cut/tpu', null]]) {
    const look = { size: { width: 390, height: 844 }, theme: 'light' };
    await withOverview(look, part, base ? { base: await runOf(base) } : {}, async (page) => {
      if (base) await until('a difference', () => page.locator('.ov-change').count());
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, `${part} ${base}`);
    });
  }
});

eachLook('O and R open Ops and Roofline; the palette has them; a failed answer says why and leaves the page', async (look) => {
  await withOverview(look, 'cpu/', {}, async (page, run, { forgive }) => {
    await page.keyboard.press('o');
    await inAddress(page, { tool: 'ops' });
    await page.goBack();
    await page.locator('.ov-verdicts').waitFor();
    await settled(page); // its keys work from then on
    await page.keyboard.press('r');
    await inAddress(page, { tool: 'roofline' });
    await page.goBack();
    await page.locator('.ov-verdicts').waitFor();
    await settled(page); // its keys work from then on
    await page.route(/\/api\/v1\/overview\?/, (route) => route.fulfill({ status: 500, json: { error: { code: 'internal', message: 'it broke' } } }));
    await Promise.all([page.waitForResponse(/\/api\/v1\/overview\?/), page.reload()]);
    await until('the reason', async () => (await page.locator('.empty-state [role=alert]').allInnerTexts()).join().includes('it broke'));
    assert.ok(await page.locator('.sidebar-item').count() > 1);
    forgive(/answer 500/);
  });
});

eachLook('the real run on four chips of the picture: 97 % waits for host copies, and the numbers of the picture', async (look, first, t) => {
  const root = first && sharedLogdir('tpu-v6e-offload');
  if (!root) return t.skip('no shared data, or another look has it');
  const real = await serve(root);
  const { id: [run] } = await real.api('runs');
  await withPage(real.url, { ...look, hash: `#run=${run}` }, async (page) => {
    await becomes(() => read(page.locator('.ov-head h1')), '97 % of a step waits for host copies communication bound');
    await until('the chart', () => isDrawn(chart(page)));
    const rows = await cellsOf(region(page, 'where the step goes'));
    assert.deepEqual(rows.filter(([label]) => /^(Step|waits, h|waits, H|memory|At)/.test(label)).map(([label, , ms]) => [label, ms]), [
      ['Step, mean of 400', '784.133'], ['waits, host → HBM', '−577.718'], ['waits, HBM → host', '−182.365'], ['memory-bound loss', '−4.384'], ['At the roofline', '19.666'],
    ]);
    assert.match(await read(page.locator('.ov-foot')), /min 783\.756 · p50 784\.131 · p99 784\.373 · max 784\.386 ms/);
  });
  await real.stop();
});
