// Report against a pinned baseline: the steps of compare/steps, and differences that add up: children to their parent, groups to
// the total, the live bytes at the peaks to what Compare says. Every ordered pair of the programs of testdata, and of data/ where it is.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test, { after, before } from 'node:test';

import { query, Server, shared, temporary, testdata } from '../support/program.mjs';

let server;
const sets = []; // {run, module, space, steps, peak}

function filesBelow(root) {
  const runs = path.join(root, 'logdir/plugins/profile');
  if (!fs.existsSync(runs)) return [];
  const folder = path.join(runs, fs.readdirSync(runs)[0]);
  return fs.readdirSync(folder).filter((name) => name.endsWith('.xplane.pb')).map((name) => path.join(folder, name));
}

before(async () => {
  const logdir = temporary('pairs');
  const roots = [testdata, ...(shared ? [path.join(shared, 'data')] : [])].flatMap((root) => fs.readdirSync(root).map((name) => [name, path.join(root, name)]));
  const names = new Set();
  for (const [name, root] of roots) {
    const [file] = filesBelow(root);
    if (!file || names.has(name)) continue;
    names.add(name);
    fs.mkdirSync(path.join(logdir, 'plugins/profile', name), { recursive: true });
    fs.copyFileSync(file, path.join(logdir, 'plugins/profile', name, 'host0.xplane.pb'));
  }
  server = await Server.start(logdir);
  for (const run of names) {
    const s = await ask('memory/summary', { run }).catch(() => null);
    if (s) sets.push({ run, module: s.module.key, space: s.space.color, steps: s.steps, peak: s.peak });
  }
});
after(() => server?.stop());

const answers = new Map();
async function ask(route, params) {
  const target = `/api/v1/${route}?${query(params)}`;
  if (!answers.has(target)) {
    const got = await server.get(target);
    assert.equal(got.status, 200, `${target}: ${got.text.slice(0, 300)}`);
    answers.set(target, got.json);
  }
  return answers.get(target);
}
const subject = ({ run, module, space }) => ({ run, module, space });
const baseline = (b) => ({ base_run: b.run, base_module: b.module, base_space: b.space });
const at = (rows, key) => new Map(rows.map((row) => [row[key], row]));

/** For each id of either side: after less before, at place `s`; what one side lacks is 0 there. */
function differences(a, b, key, s, pick) {
  const here = at(a, key), there = at(b, key);
  return new Map([...new Set([...here.keys(), ...there.keys()])].map((id) => [id, pick(here.get(id), s) - pick(there.get(id), s)]));
}
const value = (row, s) => (row ? (s === 'peak' ? row.peak_bytes : row.at_bytes[s]) : 0);

/** Our steps for a pair: the peak, and one of the middle that is not it. */
function stepsOf(one) {
  if (one.steps < 3) return undefined;
  const middle = Math.floor(one.steps / 2);
  return `${one.peak.step},${middle === one.peak.step ? middle - 1 : middle}`;
}

test('each step has the partner that the common order of both programs gives it', async () => {
  assert.ok(sets.length >= 3, `${sets.length} programs`);
  for (const one of sets)
    for (const base of sets.filter((other) => other !== one && one.steps + other.steps < 8192)) {
      const what = `${one.run} against ${base.run}`;
      const answer = await ask('compare/steps', { ...subject(one), ...baseline(base), ...(stepsOf(one) ? { steps: stepsOf(one) } : {}) });
      assert.deepEqual([answer.before.run, answer.before.module, answer.after.run, answer.before.peak_step, answer.after.peak_step], [base.run, base.module, one.run, base.peak.step, one.peak.step], what);
      assert.deepEqual(answer.steps[0], { after: one.peak.step, before: base.peak.step, how: 'peak' }, what);
      if (!stepsOf(one)) continue;
      const { columns } = await ask('compare/curve', { ...subject(one), ...baseline(base), px: 8192 });
      const [, { after: step, before: partner, how }] = answer.steps;
      const slot = columns.after_step.indexOf(step);
      assert.equal(partner, columns.before_step[slot], `${what}, step ${step}`);
      assert.equal(how, columns.both[slot] ? 'same' : partner === null ? null : 'last_before', `${what}, step ${step}`);
    }
});

test('differences add up on every pair: children to their parent, groups to the total, live bytes to the difference of the peaks', async () => {
  let checked = 0;
  for (const one of sets)
    for (const base of sets.filter((other) => other !== one)) {
      const what = `${one.run} against ${base.run}`;
      const steps = stepsOf(one);
      const pair = await ask('compare/steps', { ...subject(one), ...baseline(base), ...(steps ? { steps } : {}) });
      const partners = pair.steps.map(({ before: step }) => step).filter((step) => step !== null);
      const whole = partners.length === pair.steps.length;
      const ours = { ...subject(one), ...(steps && whole ? { steps } : {}) };
      const theirs = { ...subject(base), ...(partners.length > 0 && whole ? { steps: partners.join(',') } : {}) };
      const places = ['peak', ...Array.from({ length: whole && steps ? pair.steps.length : 1 }, (_, s) => s)];
      const [a, b] = [await ask('report/details', ours), await ask('report/details', theirs)];
      const parents = new Map([...b.rows, ...a.rows].map((row) => [row.id, row.parent]));
      for (const s of places) {
        const by = differences(a.rows, b.rows, 'id', s, value);
        for (const parent of new Set(parents.values())) {
          if (parent === null) continue;
          const children = [...parents].filter(([, of]) => of === parent).reduce((sum, [id]) => sum + by.get(id), 0);
          assert.equal(children, by.get(parent), `${what}, ${parent} at ${s}`);
          checked++;
        }
        if (s === 'peak') assert.equal(by.get('live'), one.peak.held_bytes - base.peak.held_bytes, what);
      }
      for (const group of ['class', 'op', 'kind', 'dtype', 'signature']) {
        const [g, h] = [await ask('report/groups', { ...ours, by: group, limit: 5000 }), await ask('report/groups', { ...theirs, by: group, limit: 5000 })];
        for (const s of places) {
          const sum = [...differences(g.rows, h.rows, 'name', s, value).values()].reduce((all, by) => all + by, 0);
          assert.equal(sum + value(g.rest, s) - value(h.rest, s), value(g.total, s) - value(h.total, s), `${what}, ${group} at ${s}`);
          checked++;
        }
      }
    }
  assert.ok(checked > 100, `${checked} sums`);
});

test('invalid steps, and an invalid run to compare with, are refused with a sentence', async () => {
  const [one, base] = sets;
  for (const [more, status, words] of [[{ steps: '99999999' }, 400, /there is no step 99999999/], [{ steps: 'x' }, 400, /steps are numbers and ranges/], [{ base_module: 'nobody' }, 404, /nobody/]]) {
    const got = await server.get(`/api/v1/compare/steps?${query({ ...subject(one), ...baseline(base), ...more })}`);
    assert.equal(got.status, status, JSON.stringify(more));
    assert.match(got.text, words);
  }
});
