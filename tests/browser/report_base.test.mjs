// Report while a baseline is pinned: every number of its tables carries the difference to the baseline's, at the step that meets it.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test, { after, before } from 'node:test';

import { becomes, csv, download, eachLook, exact, inAddress, makeLogdir, quit, read, serve, testdata, until, withPage } from './lib.mjs';
import { cell } from './memory.mjs';

let server;
const HERE = { run: 'layers/aot' };
const BASE = { run: 'demo/aot' };
before(async () => {
  server = await serve(makeLogdir({ layers: join(testdata, 'tpu_scan_layers/logdir'), demo: join(testdata, 'tpu_padded_demo/logdir'), mlp: join(testdata, 'cpu_mlp_train/logdir'), sharded: join(testdata, 'cpu_sharded8/logdir') }));
});
after(async () => {
  await quit();
  await server?.stop();
});

const hash = (view) => `#${new URLSearchParams({ ...HERE, base: BASE.run, unit: 'mib', mode: 'report', ...view })}`;
const row = (page, id) => page.locator(`[data-row="${id}"]`);
const toBase = (page, id) => row(page, id).locator('.r-to-base');
const signed = (bytes) => (bytes === 0 ? '0' : `${bytes > 0 ? '+' : '\u2212'}${cell(Math.abs(bytes))}`);
const value = (of, s) => (of ? (s === 'peak' ? of.peak_bytes : of.at_bytes[s]) : 0);

/** Every row of both answers: what the page prints beside its numbers. */
async function everyRow(page, ours, theirs, id, places) {
  const before = new Map(theirs.rows.map((one) => [one[id], one]));
  const here = new Map(ours.rows.map((one) => [one[id], one]));
  for (const name of new Set([...here.keys(), ...before.keys()])) {
    const wanted = places.map((s) => signed(value(here.get(name), s) - value(before.get(name), s)));
    await becomes(() => toBase(page, name).allInnerTexts(), wanted, name);
    const what = await row(page, name).locator('.r-what').innerText();
    assert.equal(/^only after/.test(what), !before.has(name), `${name}: ${what}`);
    assert.equal(/^only before/.test(what), !here.has(name), `${name}: ${what}`);
  }
}

eachLook('Details: peak against peak, and another step against the one it meets; rows of one program only; colours say the sign', async (look) => {
  const summary = await server.api('memory/summary', HERE);
  const middle = Math.floor(summary.steps / 2);
  assert.notEqual(middle, summary.peak.step);
  const steps = `${summary.peak.step},${middle}`;
  const pair = await server.api('compare/steps', { ...HERE, base_run: BASE.run, steps });
  const ours = await server.api('report/details', { ...HERE, steps });
  const theirs = await server.api('report/details', { ...BASE, steps: pair.steps.map(({ before: step }) => step).join(',') });
  await withPage(server.url, { ...look, hash: hash({ steps }) }, async (page) => {
    await until('the differences', async () => (await toBase(page, 'live').count()) === 3);
    await everyRow(page, ours, theirs, 'id', [0, 1, 'peak']);
    const find = (answer, id) => answer.rows.find((one) => one.id === id);
    const by = find(ours, 'live').peak_bytes - find(theirs, 'live').peak_bytes;
    const last = toBase(page, 'live').last();
    assert.equal(await last.getAttribute('title'), `before ${exact(find(theirs, 'live').peak_bytes)}, now ${exact(find(ours, 'live').peak_bytes)}, peak vs peak`);
    assert.match(await last.getAttribute('class'), by > 0 ? /r-grow/ : /r-shrink/);
    const heads = page.locator('.r-line-head').getByText('vs before');
    assert.match(await heads.nth(0).getAttribute('title'), /^compared with the peak before, step \d+/);
    assert.match(await heads.nth(1).getAttribute('title'), new RegExp(`the (same event before|nearest preceding step of the “before” program), (step )?${pair.steps[1].before};`));
    // Unpinned, nothing of it is left.
    await page.evaluate(() => {
      const view = new URLSearchParams(location.hash.slice(1));
      view.delete('base');
      location.hash = `#${view}`;
    });
    await becomes(() => page.locator('.r-to-base').count(), 0);
  });
});

eachLook('Ops, Kinds and Transfers: groups of both, counts too; the sum is the difference of all', async (look) => {
  const answers = async (route, more) => Promise.all([server.api(route, { ...HERE, ...more }), server.api(route, { ...BASE, ...more })]);
  await withPage(server.url, { ...look, hash: hash({ rtab: 'kinds' }) }, async (page) => {
    const [g, h] = await answers('report/groups', { by: 'signature', limit: 500 });
    await until('the differences', async () => (await toBase(page, '(sum)').count()) === 2);
    await everyRow(page, { rows: g.rows.slice(0, 12) }, { rows: h.rows.filter((one) => g.rows.slice(0, 12).some(({ name }) => name === one.name)) }, 'name', [0, 'peak']);
    const lone = h.rows.find((one) => !g.rows.some(({ name }) => name === one.name));
    assert.match(await row(page, lone.name).locator('.r-what').innerText(), /^only before/);
    const both = g.rows.find((one) => h.rows.some(({ name, instructions }) => name === one.name && instructions !== one.instructions));
    const change = both.instructions - h.rows.find(({ name }) => name === both.name).instructions;
    assert.ok((await read(row(page, both.name))).includes(`${change > 0 ? '+' : '\u2212'}${Math.abs(change)}`), both.name);
    assert.deepEqual(await toBase(page, '(sum)').allInnerTexts(), [0, 'peak'].map((s) => signed(value(g.total, s) - value(h.total, s))));
    await page.getByRole('tab', { name: 'Ops' }).click();
    await inAddress(page, { rtab: 'ops' });
    const [o, p] = await answers('report/groups', { by: 'op', limit: 500 });
    await until('the differences', async () => (await toBase(page, o.rows[0].name).count()) === 2);
    await everyRow(page, o, p, 'name', [0, 'peak']);
    await page.getByRole('tab', { name: 'Transfers' }).click();
    const [t, u] = await answers('report/transfers', {});
    await until('the differences', async () => (await toBase(page, '(sum)').count()) === 2);
    assert.deepEqual(await toBase(page, '(sum)').allInnerTexts(), [0, 'peak'].map((s) => signed(value(t.total, s) - value(u.total, s))));
  });
});

eachLook('opened groups: each buffer against its partner, those of one program only, and a rest, add up to the group', async (look) => {
  const summary = await server.api('memory/summary', HERE);
  const base = await server.api('memory/summary', BASE);
  const compared = await server.api('compare/buffers', { ...HERE, base_run: BASE.run, of: 'program', limit: 20000 });
  const partner = new Map(compared.buffers.after_buffer.map((buffer, i) => [buffer, compared.buffers.before_buffer[i]]));
  const ask = { by: 'buffer', within: 'arguments', limit: 5000 };
  const [ours, theirs] = [await server.api('report/groups', { ...HERE, ...ask, steps: summary.peak.step }), await server.api('report/groups', { ...BASE, ...ask, steps: base.peak.step })];
  await withPage(server.url, { ...look, hash: hash({}) }, async (page) => {
    await until('the tree', async () => (await toBase(page, 'arguments').count()) === 2);
    await page.getByRole('button', { name: 'open Arguments' }).click();
    await row(page, 'arguments/0').waitFor();
    const shown = ours.rows.filter((one) => one.peak_bytes > 0).slice(0, 12);
    for (const [k, one] of shown.slice(0, 5).entries()) {
      const was = theirs.rows.find(({ buffer }) => buffer === partner.get(one.buffer));
      await becomes(() => toBase(page, `arguments/${k}`).allInnerTexts(), [signed(one.at_bytes[0] - value(was, 0)), signed(one.peak_bytes - value(was, 'peak'))], one.name);
      assert.equal(/only after/.test(await row(page, `arguments/${k}`).locator('.r-what').innerText()), partner.get(one.buffer) === null, one.name);
    }
    const lone = theirs.rows.filter(({ buffer, peak_bytes }) => peak_bytes > 0 && compared.buffers.after_buffer[compared.buffers.before_buffer.indexOf(buffer)] === null);
    assert.ok(lone.length > 0);
    await becomes(() => toBase(page, `arguments/${shown.length}`).allInnerTexts(), [signed(-lone[0].at_bytes[0]), signed(-lone[0].peak_bytes)], lone[0].name);
    assert.match(await row(page, `arguments/${shown.length}`).locator('.r-what').innerText(), /only before/);
    // Exact bytes are in the tips: buffers and the rest are the group.
    const bytes = (title) => { const [, was, is] = /before ([-\d,]+) bytes?, now ([-\d,]+) bytes?/.exec(title) ?? []; return Number(is.replaceAll(',', '')) - Number(was.replaceAll(',', '')); };
    const parts = await page.locator('[data-row^="arguments/"]').evaluateAll((rows) => rows.map((one) => one.querySelectorAll('.r-to-base')[1].title));
    assert.equal(parts.reduce((all, title) => all + bytes(title), 0), ours.total.peak_bytes - theirs.total.peak_bytes);
  });
});

eachLook('Buffers: the heap beside that of the pinned run: head, types, table with what only one holds; spaces too', async (look) => {
  const [summary, base] = [await server.api('memory/summary', HERE), await server.api('memory/summary', BASE)];
  const [now, was] = [await server.api('report/heap', { ...HERE, at: summary.peak.step }), await server.api('report/heap', { ...BASE, at: base.peak.step })];
  await withPage(server.url, { ...look, hash: hash({ rtab: 'buffers', rview: 'table', split: 'space' }) }, async (page) => {
    const change = (by) => `${by > 0 ? '+' : '\u2212'}${cell(Math.abs(by))}`;
    await becomes(async () => (await read(page.locator('.r-line-text'))).includes(change(now.live_bytes - was.live_bytes)), true, 'live bytes');

    await until('the column', async () => (await page.locator('.vt-head').innerText()).includes('vs before'));
    await page.locator('.vt-head').getByText('size', { exact: true }).click();
    const compared = await server.api('compare/buffers', { ...HERE, base_run: BASE.run, of: 'program', limit: 20000 });
    const partner = new Map(compared.buffers.after_buffer.map((buffer, i) => [buffer, compared.buffers.before_buffer[i]]));
    const largest = now.size_bytes.indexOf(Math.max(...now.size_bytes));
    const k = was.buffer.indexOf(partner.get(now.buffer[largest]));
    const line = page.locator('.vt-row').filter({ hasText: now.names[now.name[largest]] }).first();
    await becomes(() => line.locator('.r-to-base').innerText(), signed(now.size_bytes[largest] - (k < 0 ? 0 : was.size_bytes[k])), now.names[now.name[largest]]);
    await until('those before', async () => /only before|held before/.test(await page.locator('.r-buffers').innerText()));
    const spaces = await page.getByRole('img', { name: /memory spaces?:/ }).getAttribute('aria-label');
    for (const space of summary.spaces.filter(({ peak_bytes: peak }) => peak > 0)) {
      const by = space.peak_bytes - (base.spaces.find(({ color }) => color === space.color)?.peak_bytes ?? 0);
      assert.ok(spaces.includes(`(${signed(by)} vs before)`), `${space.name}: ${spaces}`);
    }

  });
});

test('addresses are in the unit of the page, and named so: GiB of a program of that size', async () => {
  const large = await serve(join(testdata, 'tpu_padded_oom/xla_dump'));
  try {
    const { id: [run] } = await large.api('runs', {});
    for (const [unit, word] of [['', 'GiB'], ['&unit=mib', 'MiB']])
      await withPage(large.url, { hash: `#run=${encodeURIComponent(run)}&mode=report&rtab=buffers${unit}` }, async (page) => {
        await becomes(() => page.getByLabel('addresses').locator('option').first().innerText(), word);
      });
  } finally {
    await large.stop();
  }
});

test('measured times carry their difference too: of groups in both, in one only, and of all', async () => {
  const UNIT = { ps: 1, ns: 1e3, '\u00b5s': 1e6, ms: 1e9, s: 1e12 };
  /** What a row says of its time: the time and its difference, in ps. */
  const timesIn = (text) => [...text.matchAll(/([+\u2212\u00b1]?)([\d,.]+) (ps|ns|\u00b5s|ms|s)\b/g)].map(([, sign, digits, unit]) => (sign === '\u2212' ? -1 : 1) * Number(digits.replaceAll(',', '')) * UNIT[unit]);
  const near = (shown, wanted) => Math.abs(shown - wanted) <= Math.max(1e4, Math.abs(wanted) * 0.01);
  const [here, base] = [{ run: 'mlp/run0' }, { run: 'sharded/run0' }];
  const { module } = await server.api('memory/summary', base); // another name: it is no pair by itself
  const [a, b] = await Promise.all([here, base].map((of) => server.api('report/groups', { ...of, by: 'opcode', times: 1, limit: 5000 })));
  assert.ok(a.times.known && b.times.known);
  const self = (answer, name) => answer.rows.find((one) => one.name === name)?.self_ps ?? 0;
  const both = a.rows.filter((one) => one.self_ps > 0 && self(b, one.name) > 0 && one.self_ps !== self(b, one.name)).sort((x, y) => y.self_ps - x.self_ps)[0];
  assert.ok(both, 'a group that ran in both programs');
  await withPage(server.url, { hash: `#${new URLSearchParams({ ...here, base: base.run, base_module: module.key, mode: 'report', rtab: 'ops', rby: 'opcode' })}` }, async (page) => {
    const said = async (id) => timesIn((await row(page, id).innerText()).replaceAll('\n', ' '));
    const is = async (id, mine, theirs) => {
      await until(`the time of ${id}`, async () => {
        const [time, by] = await said(id);
        return near(time, mine) && near(by, mine - theirs);
      });
    };
    await is(both.name, both.self_ps, self(b, both.name));
    await is('(sum)', a.times.total_ps, b.times.total_ps);
    assert.match(await row(page, both.name).locator('[title*="executions; before: "]').getAttribute('title'), /in [\d,]+ executions; before: .* in [\d,]+ executions/);
    await page.getByRole('tab', { name: 'Kinds' }).click();
    await is('(sum)', a.times.total_ps, b.times.total_ps);
  });
});

/** Of a saved table: in each line the third of three columns is the first less the second. */
function closes(lines, groups) {
  for (const line of lines)
    for (const [is, was, by] of groups) {
      for (const one of [is, was, by]) assert.ok(one in line, `${one} in ${Object.keys(line)}`);
      if (line[was] === '') assert.equal(line[by], '', JSON.stringify(line));
      else assert.equal(Number(line[is]) - Number(line[was]), Number(line[by]), JSON.stringify(line));
    }
}
const column = (lines, name) => lines.reduce((all, line) => all + Number(line[name]), 0);

test('CSV and JSON carry the pinned run and the difference: line by line, the numbers of both programs, and sums that close', async () => {
  const summary = await server.api('memory/summary', HERE);
  const first = Math.floor(summary.steps / 2);
  const steps = `${first},${summary.peak.step}`;
  const pair = await server.api('compare/steps', { ...HERE, base_run: BASE.run, steps });
  const places = pair.steps.map(({ before: step }) => step);
  const groups = [...pair.steps.map(({ after: is, before: was }) => [`step_${is}_bytes`, `baseline_step_${was}_bytes`, `step_${is}_bytes_difference`]), ['peak_bytes', 'baseline_peak_bytes', 'peak_bytes_difference']];
  const both = (route, more) => Promise.all([server.api(route, { ...HERE, steps, ...more }), server.api(route, { ...BASE, steps: places.join(','), ...more })]);
  await withPage(server.url, { hash: hash({ steps }) }, async (page) => {
    const saved = (kind) => download(page, () => page.locator('.m-exports').getByText(kind, { exact: true }).click());
    const open = async (tab, rtab) => {
      await page.getByRole('tab', { name: tab }).click();
      await inAddress(page, { rtab });
    };
    /** Every column of the server's own file, in its order, with its values. */
    const asServer = async (lines, route, more) => {
      const own = csv(await (await fetch(`${server.url}api/v1/${route}?${new URLSearchParams({ ...HERE, steps, ...more, format: 'csv' })}`)).text());
      const heads = Object.keys(own[0]);
      assert.deepEqual(Object.keys(lines[0]).filter((name) => heads.includes(name)), heads);
      for (const [k, line] of own.entries()) assert.deepEqual(heads.map((name) => lines[k][name]), heads.map((name) => line[name]), `${route} ${k}`);
    };
    /** Numbers of a line are those of the answers; a line that one program lacks is 0 there. */
    const areTheirs = (lines, key, [ours, theirs], held = groups) => {
      const names = new Set([...ours, ...theirs].map((one) => one[key]));
      assert.deepEqual(new Set(lines.map((line) => line[key])), names);
      for (const line of lines) {
        const [mine, was] = [ours, theirs].map((rows) => rows.find((one) => one[key] === line[key]));
        assert.equal(line.side, mine && was ? '' : mine ? 'only after' : 'only before', line[key]);
        held.forEach(([is, base], s) => {
          const place = is === 'peak_bytes' ? 'peak' : s;
          assert.deepEqual([Number(line[is]), Number(line[base])], [value(mine, place), value(was, place)], `${line[key]} ${is}`);
        });
      }
    };
    await until('the differences', async () => (await toBase(page, 'live').count()) === 3);
    const details = await saved('CSV');
    assert.match(details.name, /report\.details\.to_baseline\.csv$/);
    const tree = csv(details.text);
    closes(tree, groups);
    const [d, e] = await both('report/details', {});
    areTheirs(tree, 'id', [d.rows, e.rows]);
    for (const parent of ['live', 'always', 'temporaries'])
      for (const name of groups.flat()) assert.equal(column(tree.filter((line) => line.parent === parent), name), Number(tree.find(({ id }) => id === parent)[name]), `${parent} ${name}`);
    const json = JSON.parse((await saved('JSON')).text);
    assert.deepEqual(json.baseline.at, pair.steps);
    assert.equal(json.rows.length, tree.length);
    for (const [k, one] of json.rows.entries()) {
      assert.deepEqual([one.id, ...one.at_bytes, one.peak_bytes, ...one.baseline.at, one.baseline.peak, ...one.difference.at, one.difference.peak].map(String), [tree[k].id, ...[0, 1, 2].flatMap((part) => groups.map((names) => tree[k][names[part]]))], one.id);
    }

    await open('Ops', 'ops');
    await until('the differences', async () => (await toBase(page, '(sum)').count()) === 3);
    const ops = csv((await saved('CSV')).text);
    closes(ops, groups);
    const [g, h] = await both('report/groups', { by: 'op', limit: 5000 });
    areTheirs(ops, 'name', [g.rows, h.rows]);
    for (const [answer, part] of [[g, 0], [h, 1]]) assert.deepEqual(groups.map((names) => column(ops, names[part])), [...answer.total.at_bytes, answer.total.peak_bytes]);

    await asServer(ops, 'report/groups', { by: 'op' });
    // How many buffers and instructions, of both.
    assert.ok(ops.some((line) => Number(line.instructions) > 0));
    const counts3 = [...pair.steps.map(({ after: is, before: was }) => [`step_${is}_buffers`, `baseline_step_${was}_buffers`, `step_${is}_buffers_difference`]), ['instructions', 'baseline_instructions', 'instructions_difference']];
    closes(ops, counts3);
    for (const line of ops) {
      const [mine, was] = [g.rows, h.rows].map((rows) => rows.find(({ name }) => name === line.name));
      assert.deepEqual(counts3.flatMap(([is, base]) => [line[is], line[base]]).map(Number), [0, 1, 'instructions'].flatMap((s) => [mine, was].map((one) => (one ? (s === 'instructions' ? one.instructions : one.held[s]) : 0))), line.name);
    }
    const opsJson = JSON.parse((await saved('JSON')).text);
    for (const [k, one] of opsJson.rows.entries())
      assert.deepEqual([...one.baseline.held, one.baseline.instructions, ...one.difference.held, one.difference.instructions].map(String), [1, 2].flatMap((part) => counts3.map((names) => ops[k][names[part]])), one.name);

    await open('Transfers', 'transfers');
    await until('the differences', async () => (await toBase(page, '(sum)').count()) === 3);
    const moved = csv((await saved('CSV')).text);
    const counts = ['count', 'operand_bytes', 'result_bytes'].map((name) => [name, `baseline_${name}`, `${name}_difference`]);
    await asServer(moved, 'report/transfers', {});
    closes(moved, [...counts, ...groups.slice(0, 2).map((names) => names.map((name) => name.replace('step_', 'held_at_step_')))]);
    const [t, u] = await both('report/transfers', {});
    for (const [answer, part] of [[t, 0], [u, 1]]) assert.deepEqual(counts.map((names) => column(moved, names[part])), ['count', 'operand_bytes', 'result_bytes'].map((name) => answer.rows.reduce((all, one) => all + one[name], 0)));
    assert.ok(moved.some((line) => line.side === 'only after') && moved.every((line) => t.rows.concat(u.rows).some((one) => one.kind === line.kind && one.name === line.name && one.from === line.from && one.to === line.to)));

    await open('Buffers', 'buffers');
    await page.locator('.r-map').waitFor();
    const buffers = csv((await saved('CSV')).text);
    closes(buffers, groups);
    const [b, c] = await both('report/groups', { by: 'buffer', limit: 5000 });
    const { buffers: pairs } = await server.api('compare/buffers', { ...HERE, base_run: BASE.run, of: 'program', limit: 20000 });
    for (const [k, one] of b.rows.entries()) {
      const was = pairs.before_buffer[pairs.after_buffer.indexOf(one.buffer)];
      const there = c.rows.find(({ buffer }) => buffer === was);
      assert.deepEqual(groups.flatMap(([is, base]) => [buffers[k][is], buffers[k][base]]).map(Number), [0, 1, 'peak'].flatMap((s) => [value(one, s), value(there, s)]), one.name);
    }
    await asServer(buffers, 'report/groups', { by: 'buffer' });
    closes(buffers.filter((line) => line.offset_bytes !== ''), [['offset_bytes', 'baseline_offset_bytes', 'offset_bytes_difference'], ['start_step', 'baseline_start_step', 'start_step_difference']]);
    const met = b.rows.map((one) => c.rows.find(({ buffer }) => buffer === pairs.before_buffer[pairs.after_buffer.indexOf(one.buffer)]));
    assert.ok(met.some((was) => was && was.shape !== ''));
    for (const [k, was] of met.entries())
      assert.deepEqual([buffers[k].baseline_name, buffers[k].baseline_shape, buffers[k].baseline_category, buffers[k].baseline_start_step].map(String), was ? [was.name, was.shape, was.row, was.start_step ?? ''].map(String) : ['', '', '', ''], b.rows[k].name);
    const first_ = JSON.parse((await saved('JSON')).text).rows[met.findIndex(Boolean)];
    assert.deepEqual([first_.baseline.name, first_.baseline.shape], [met.find(Boolean).name, met.find(Boolean).shape]);
    for (const line of buffers.filter(({ side }) => side === 'only before')) assert.deepEqual([line.shape, line.baseline_name], ['', line.name]);
    assert.ok(buffers.slice(b.rows.length).every((line) => line.side === 'only before' || line.name === '(rest)'));
    for (const [answer, part] of [[b, 0], [c, 1]]) assert.deepEqual(groups.map((names) => column(buffers, names[part])), [...answer.total.at_bytes, answer.total.peak_bytes]);

    // Without a baseline it is the server's file.
    await page.evaluate(() => {
      const view = new URLSearchParams(location.hash.slice(1));
      view.delete('base');
      location.hash = `#${view}`;
    });
    await page.locator('.m-exports').getByRole('link', { name: 'CSV' }).waitFor();
    assert.deepEqual(Object.keys(csv((await saved('CSV')).text)[0]), ['name', ...pair.steps.map(({ after: is }) => `step_${is}_bytes`), 'peak_bytes', 'shape', 'category', 'offset_bytes', 'start_step', 'end_step']);
  });
});
