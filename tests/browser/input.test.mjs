// Input: the numbers of the page are the API's, a click, a drag and keys choose steps, tabs, rules and states.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before } from 'node:test';

import { putRun } from '../support/program.mjs';
import { becomes, download, eachLook, inAddress, isDrawn, makeLogdir, quit, read, serve, settled, testdata, until, withPage } from './lib.mjs';

const FILES = { alpha: 'cpu_tf/logdir/plugins/profile/train/vm.xplane.pb', beta: 'cpu_mlp_train/logdir/plugins/profile/run0/host0.xplane.pb' };

let server;
before(async () => {
  const runs = { tf: 'cpu_tf', jax: 'cpu_mlp_train', aot: 'tpu_padded_demo', gpu: 'gpu_tf' };
  const root = makeLogdir(Object.fromEntries(Object.entries(runs).map(([name, from]) => [name, join(testdata, from, 'logdir')])));
  for (const host of ['alpha', 'beta']) putRun(root, 'hosts', readFileSync(join(testdata, FILES[host])), `${host}.xplane.pb`);
  server = await serve(root);
});
after(async () => {
  await quit();
  await server?.stop();
});

const runOf = async (part) => (await server.api('runs', {})).id.find((id) => id.startsWith(part));
const hash = (view) => `#${new URLSearchParams({ tool: 'input', ...view })}`;
const chart = (page) => page.locator('.in-chart');
const rows = (page) => page.locator('.in-table .v-row, .in-table [role=row]');

async function withInput(look, view, body) {
  const run = await runOf(view.run);
  await withPage(server.url, { ...look, hash: hash({ ...view, run }) }, async (page, more) => {
    await chart(page).waitFor();
    await settled(page);
    await body(page, run, more);
  });
}

eachLook('an address with the table of steps has the chart, too', async (look) => {
  await withInput(look, { run: 'tf', tab: 'steps' }, async (page) => {
    await isDrawn(chart(page));
    await until('rows', async () => (await rows(page).count()) > 1);
  });
});

eachLook('headline, card and stages are the API’s', async (look) => {
  await withInput(look, { run: 'tf' }, async (page, run) => {
    const verdict = await server.api('input/verdict', { run });
    assert.equal(verdict.says, 'partly');
    assert.equal(await read(page.locator('.in-head h1')), verdict.headline);
    const head = await read(page.locator('.in-head p').first());
    assert.ok(head.startsWith(verdict.detail.slice(0, 20)), head);
    assert.ok((await read(page.locator('.in-card'))).includes(verdict.advice));
    await isDrawn(chart(page));
    await isDrawn(page.locator('.in-lane'));
    const stages = await server.api('input/stages', { run });
    const table = await read(page.locator('.in-table'));
    for (const name of stages.name.filter(Boolean)) assert.ok(table.includes(name), name);
    const inner = stages.parent.findIndex((parent) => parent !== null);
    if (inner >= 0) assert.ok(table.includes(`${Math.round((100 * stages.total_ps[inner]) / stages.total_ps[stages.parent[inner]])} % of it`), 'a call shows its share of its stage');
    assert.ok(table.includes('operations and copies'), 'what computing is');
  });
});

eachLook('without marks the steps are those of Overview, and both pages say how long one is', async (look) => {
  await withInput(look, { run: 'gpu', host: 'worker0' }, async (page, run) => {
    const said = await read(page.locator('.in-head'));
    const [, each] = said.match(/Steps are those of Overview, the 3 steps that the framework marked: ([\d.]+ ms) each/) ?? [];
    assert.ok(each, said);
    await page.evaluate((to) => location.assign(to), `#${new URLSearchParams({ tool: 'overview', run, host: 'worker0' })}`);
    await page.locator('.ov-head').waitFor();
    await settled(page);
    await until('the same step time on Overview', async () => (await read(page.locator('main'))).includes(`of ${each}`));
  });
});

eachLook('a click chooses a step, a drag a range, keys the next one; all of it in the address', async (look) => {
  await withInput(look, { run: 'tf' }, async (page, run) => {
    const steps = await server.api('input/steps', { run });
    const box = await chart(page).boundingBox();
    const at = (row) => ({ x: 92 + ((box.width - 92 - 14) / steps.n) * (row + 0.5), y: 60 });
    await chart(page).click({ position: at(1) });
    await inAddress(page, { step: String(steps.number[1]) });
    await becomes(() => page.locator('.in-lane').getAttribute('aria-label').then((label) => label.split(':')[0]), `step ${steps.number[1]}`);
    await page.keyboard.press('ArrowRight');
    await inAddress(page, { step: String(steps.number[2]) });
    const order = steps.number.map((_, k) => k).sort((x, y) => steps.duration_ps[x] - steps.duration_ps[y]);
    const faster = order[order.indexOf(2) - 1], slower = order[order.indexOf(2) + 1];
    const [key, to, back] = slower === undefined ? [']', faster, '['] : ['[', slower, ']'];
    await page.keyboard.press(key);
    await inAddress(page, { step: String(steps.number[to]) });
    await page.keyboard.press(back);
    await inAddress(page, { step: String(steps.number[2]) });
    await page.mouse.move(box.x + at(0).x, box.y + 60);
    await page.mouse.down();
    await page.mouse.move(box.x + at(2).x, box.y + 60);
    await page.mouse.up();
    await inAddress(page, { steps: `${steps.number[0]}-${steps.number[2]}` });
    const some = await server.api('input/verdict', { run, steps: `${steps.number[0]}-${steps.number[2]}` });
    assert.equal(some.steps, 3);
    await until('the numbers of the range', async () => (await read(page.locator('.in-head'))).includes('in 3 steps'));
    await page.keyboard.press('Escape');
    await inAddress(page, { steps: null });
    await page.keyboard.press('ArrowLeft');
    await inAddress(page, { step: String(steps.number[1]) });
    await page.keyboard.press('Enter');
    const times = (k) => ({ t0: String(steps.start_ps[k]), t1: String(steps.start_ps[k] + steps.duration_ps[k]) });
    await inAddress(page, { tool: 'trace', ...times(1) });
    await page.goBack();
    await chart(page).waitFor();
    await settled(page);
    await chart(page).dblclick({ position: at(2) });
    await inAddress(page, { tool: 'trace', ...times(2) });
  });
});

eachLook('tabs: threads, steps by T, tf.data; what is not there says why', async (look) => {
  await withInput(look, { run: 'jax' }, async (page, run) => {
    const threads = await server.api('input/threads', { run });
    await page.getByRole('tab', { name: 'Stages' }).focus();
    await page.keyboard.press('ArrowRight');
    await inAddress(page, { tab: 'threads' });
    await until('the program’s thread', async () => (await read(page.locator('.in-table'))).includes(threads.name[0]));
    await page.keyboard.press('t');
    await inAddress(page, { tab: 'steps' });
    await until('rows', async () => (await rows(page).count()) > 1);
    await page.getByRole('tab', { name: /tf.data/ }).click();
    await until('the reason', async () => (await read(page.locator('#in-tab'))).includes('no Iterator:: events'));
  });
});

eachLook('rules: listed in their order, one of the user moves time', async (look) => {
  await withInput(look, { run: 'tf' }, async (page, run) => {
    await page.getByRole('button', { name: 'Rules' }).click();
    const dialog = page.getByRole('dialog');
    const { rules } = await server.api('input/verdict', { run });
    const listed = await dialog.getByRole('region', { name: 'built-in rules' }).locator('tbody tr').allInnerTexts();
    assert.deepEqual(listed.map((row) => row.split('\t').map((cell) => cell.trim())), rules.class.map((kind, k) => [kind, rules.match[k], rules.text[k].trim()]));
    await dialog.getByRole('textbox').fill('transfer:IteratorGetNext');
    await dialog.getByRole('button', { name: 'Use' }).click();
    await inAddress(page, { rules: 'transfer:IteratorGetNext' });
    const moved = await server.api('input/verdict', { run, rules: 'transfer:IteratorGetNext' });
    assert.notEqual(moved.says, 'partly');
    await becomes(() => read(page.locator('.in-head h1')), moved.headline);
  });
});

eachLook('the address alone: rules, a range, a step, a tab; all numbers are of the range; its badge ends it; rows choose steps', async (look) => {
  const run = await runOf('tf'), all = await server.api('input/steps', { run });
  const [first, last] = [all.number[1], all.number.at(-1)];
  const of = { run, rules: 'transfer:IteratorGetNext', steps: `${first}-${last}` };
  await withInput(look, { rules: of.rules, steps: of.steps, step: last, tab: 'threads', run: 'tf' }, async (page) => {
    const [verdict, threads, stages] = [await server.api('input/verdict', of), await server.api('input/threads', of), await server.api('input/stages', of)];
    assert.equal(verdict.steps, all.n - 1);
    await becomes(() => read(page.locator('.in-head h1')), verdict.headline);
    assert.match(await page.locator('.in-lane').getAttribute('aria-label'), new RegExp(`^step ${last}:`));
    const open = async () => page.getByRole('tab', { selected: true }).innerText();
    assert.match(await open(), /Threads/);
    assert.ok((await rows(page).nth(1).innerText()).includes(threads.name[0]));
    await page.getByRole('tab', { name: 'Stages' }).click();
    const most = stages.most_step.findIndex((number) => number !== null);
    assert.ok(stages.most_step[most] >= first, 'of the range');
    await rows(page).nth(1 + most).click({ position: { x: 20, y: 8 } });
    await inAddress(page, { step: String(stages.most_step[most]) });
    await page.getByRole('tab', { name: /^Steps/ }).click();
    await becomes(() => page.locator('.in-table [role=grid]').getAttribute('aria-rowcount'), String(all.n), 'the steps of the range and the head');
    await rows(page).nth(1).click({ position: { x: 20, y: 8 } });
    await inAddress(page, { step: String(first) });
    await page.getByRole('button', { name: `steps ${first} – ${last}` }).click();
    await inAddress(page, { steps: null, rules: of.rules });
    await becomes(() => page.locator('.in-table [role=grid]').getAttribute('aria-rowcount'), String(all.n + 1), 'all steps');
  });
});

eachLook('a run without events says so', async (look) => {
  await withPage(server.url, { ...look, hash: hash({ run: await runOf('aot') }) }, async (page, { allow }) => {
    allow(/404: .*\/input\//); // asked beside the run itself, where the page comes before what the run holds
    await becomes(() => read(page.locator('.empty-state h1')), 'No data for Input in this run');
  });
});

eachLook('Cancel of the rules keeps what was; the stages as CSV and JSON', async (look) => {
  await withInput(look, { run: 'tf' }, async (page, run) => {
    await page.getByRole('button', { name: 'Rules' }).click();
    const dialog = page.getByRole('dialog', { name: 'Rules' });
    await dialog.getByLabel('your rules').fill('transfer:IteratorGetNext');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await becomes(() => dialog.count(), 0, 'closed');
    await inAddress(page, { rules: null });
    const stages = await server.api('input/stages', { run });
    const save = (form) => download(page, () => page.locator('main').getByText(form, { exact: true }).click());
    assert.equal((await save('CSV')).text.trimEnd().split('\n').length, stages.n + 1);
    const [json] = Object.values(JSON.parse((await save('JSON')).text));
    assert.deepEqual(json.map((row) => row.total_ps), stages.total_ps);
  });
});

eachLook('of several hosts the picker chooses whose input it is', async (look) => {
  await withInput(look, { run: 'hosts', host: 'alpha' }, async (page, run) => {
    const says = async (host) => (await server.api('input/verdict', { run, host })).headline;
    const title = () => read(page.locator('.in-head h1'));
    await becomes(title, await says('alpha'));
    await page.locator('.picker', { has: page.getByText('host', { exact: true }) }).locator('.picker-button').click();
    await page.getByRole('option', { name: /^beta/ }).click();
    await inAddress(page, { host: 'beta' });
    await becomes(title, await says('beta'));
    assert.notEqual(await says('alpha'), await says('beta'));
  });
});
