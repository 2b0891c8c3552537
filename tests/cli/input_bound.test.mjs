// The input of a run: parts add up, and routes and commands say the same.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';

import { putRun, run, Server, shared, temporary, testdata } from '../support/program.mjs';
import { plane, step } from '../support/space.mjs';

const parts = ['wait_ps', 'load_ps', 'preprocess_ps', 'transfer_ps', 'launch_ps', 'result_ps', 'compute_ps', 'other_ps'];
const ask = (logdir, ...args) => {
  const done = run(['input', logdir, ...args, '--json']);
  assert.equal(done.code, 0, done.errors);
  return JSON.parse(done.text);
};
const sum = (list) => list.reduce((all, one) => all + one, 0);

const sets = ['cpu_tf', 'cpu_mlp_train', 'gpu_jax', 'gpu_tf', 'tpu_run'];

for (const set of sets)
  test(`${set}: each step is the sum of its parts, and the verdict that of its steps`, () => {
    const logdir = path.join(testdata, set, 'logdir');
    const { steps } = ask(logdir, '--by=step'), { verdict } = ask(logdir);
    assert.ok(steps.n > 0 && steps.n === verdict.steps, steps.why_none);
    for (let row = 0; row < steps.n; row++) assert.equal(sum(parts.map((key) => steps[key][row])), steps.duration_ps[row], `step ${steps.number[row]}`);
    assert.equal(sum(steps.duration_ps), verdict.length_ps);
    const input = sum(['wait_ps', 'load_ps', 'preprocess_ps'].map((key) => sum(steps[key]))), infeed = sum(steps.infeed_ps);
    assert.equal(verdict.wait_ps, Math.max(input, infeed));
    assert.equal(verdict.share, verdict.wait_ps / verdict.length_ps);
    if (verdict.busy_ps !== null) assert.equal(verdict.busy_ps + verdict.idle_input_ps + verdict.idle_transfer_ps + verdict.idle_other_ps, verdict.length_ps);
    const { stages } = ask(logdir, '--by=stage');
    const program = stages.class.flatMap((kind, row) => (stages.parent[row] === null && stages.role[row] === 'program' && kind === 'wait' ? [stages.total_ps[row]] : []));
    assert.equal(sum(program), steps.row === undefined && program.length === 0 ? 0 : sum(steps.wait_ps));
  });

test('device busy is what trace/overlap counts in each step, and the rest is Overview\'s idle', async () => {
  for (const set of ['cpu_mlp_train', 'cpu_scan_while']) {
    const logdir = path.join(testdata, set, 'logdir');
    const { verdict } = ask(logdir);
    const server = await Server.start(logdir);
    try {
      const id = (await server.api('runs')).json.id[0];
      const get = async (route, query) => (await server.api(route, { run: id, ...query })).json;
      const steps = await get('input/steps', { limit: 100 });
      assert.ok(steps.n > 0, set);
      for (let row = 0; row < steps.n; row++) {
        const { devices: d } = await get('trace/overlap', { from: steps.start_ps[row], to: steps.start_ps[row] + steps.duration_ps[row] });
        assert.equal(d.n, 1, 'one device: nothing to join');
        const parts = ['compute_ps', 'exposed_comm_ps', 'exposed_copy_ps'].map((key) => d[key][0]);
        assert.equal(steps.busy_ps[row], sum(parts), `${set}: step ${steps.number[row]}`);
      }
      assert.equal(sum(steps.busy_ps), verdict.busy_ps);
    } finally {
      await server.stop();
    }
    const { losses } = JSON.parse(run(['overview', logdir, '--json']).text).overview;
    if (verdict.steps_are === 'marks') assert.equal(losses.total_ps[losses.kind.indexOf('idle')], verdict.length_ps - verdict.busy_ps, set);
  }
});

/** Runs of a folder of sets: [logdir]. */
const logdirsOf = (root) => (root ? fs.readdirSync(root).map((set) => path.join(root, set, 'logdir')).filter((dir) => fs.existsSync(dir)) : []);

test('where no thread marks steps, those of Input are those of Overview: as many, as long, one after the other', () => {
  let checked = 0;
  for (const logdir of [...logdirsOf(testdata), ...logdirsOf(shared && path.join(shared, 'data'))]) {
    const done = run(['input', logdir, '--json']);
    if (done.code !== 0 || JSON.parse(done.text).verdict.steps_are !== 'overview') continue;
    const { verdict } = JSON.parse(done.text);
    const host = `--host=${verdict.host}`, { steps } = ask(logdir, '--by=step', host);
    const { total, steps: of, clock, chips } = JSON.parse(run(['steps', logdir, '--json', '--top=100000', host]).text).steps;
    const { step } = JSON.parse(run(['overview', logdir, '--json', host]).text).overview;
    assert.equal(total, steps.total, logdir);
    for (let row = 0; row < steps.n; row++) {
      const what = `${logdir}: step ${of.number[row]}`;
      assert.equal(steps.number[row], of.number[row], logdir);
      // Of several chips by the host's clock a step ends where the last of them ends; else lengths and gaps are means.
      if (clock === 'device' || chips.n === 1) assert.equal(steps.duration_ps[row], of.duration_ps[row] + (row > 0 ? of.gap_ps[row - 1] : 0), what);
      if (row > 0) assert.equal(steps.start_ps[row], steps.start_ps[row - 1] + steps.duration_ps[row - 1], what);
      if (of.idle_ps[row] < of.duration_ps[row]) assert.ok(steps.busy_ps[row] > 0, `${what}: a device was busy in it`);
    }
    const between = (step.gap_ps ?? 0) * (step.steps - 1) / step.steps; // of the first step none was recorded
    if (clock === 'device' || chips.n === 1) assert.ok(Math.abs(verdict.step_ps - step.mean_ps - between) <= 2, `${logdir}: ${verdict.step_ps} and ${step.mean_ps} with ${between}`);
    assert.match(verdict.step_is, new RegExp(`^Steps are those of Overview, ${step.sentence.replace(/[.()]/g, '.')}: `), logdir);
    checked++;
  }
  assert.ok(checked >= (shared ? 5 : 1), `${checked} runs without marks`);
});

test('Overview says what Input says', () => {
  for (const set of sets) {
    const logdir = path.join(testdata, set, 'logdir');
    const done = run(['overview', logdir, '--json']);
    const of = JSON.parse(done.text).overview.verdicts.find((one) => one.kind === 'input');
    const { verdict } = ask(logdir);
    assert.equal(of.says, verdict.says, set);
    if (verdict.says !== 'unknown') assert.ok(Math.abs(of.share - verdict.share) < 1e-12, set);
  }
});

test('where a step of Input and one of Overview differ by 5 %, both pages say what each is; else neither', () => {
  const seen = new Set();
  for (const logdir of logdirsOf(testdata)) {
    const done = run(['input', logdir, '--json']);
    if (done.code !== 0) continue;
    const { verdict } = JSON.parse(done.text);
    const { overview } = JSON.parse(run(['overview', logdir, '--json', `--host=${verdict.host}`]).text);
    if (verdict.steps === 0 || !overview.step || overview.step.what === 'windows') continue;
    const lengths = [verdict.step_ps, overview.step.mean_ps];
    const apart = Math.max(...lengths) - Math.min(...lengths) > 0.05 * Math.min(...lengths);
    seen.add(apart);
    assert.deepEqual([verdict.steps_apart !== null, overview.steps_apart !== null], [apart, apart], `${logdir}: ${lengths}`);
    if (!apart) continue;
    const times = (sentence) => [...sentence.matchAll(/takes ([\d.]+ \S+?)[:. ]/g)].map((one) => one[1]);
    assert.deepEqual(times(verdict.steps_apart), times(overview.steps_apart).reverse(), `${verdict.steps_apart} / ${overview.steps_apart}`);
  }
  assert.equal(seen.size, 2);
});

test('where no operation was recorded Overview names the steps that Input has, and its verdict is the headline', () => {
  const seen = new Set();
  for (const logdir of [...logdirsOf(testdata), ...logdirsOf(shared && path.join(shared, 'data'))]) {
    const done = run(['input', logdir, '--json']);
    if (done.code !== 0) continue;
    const { verdict } = JSON.parse(done.text);
    const { overview } = JSON.parse(run(['overview', logdir, '--json', `--host=${verdict.host}`]).text);
    if (overview.step) continue;
    seen.add(verdict.says);
    if (verdict.steps === 0) assert.equal(overview.steps_apart, null, logdir);
    else assert.match(overview.steps_apart, new RegExp(`^Input has ${verdict.steps} steps? of \\S+ \\S+ on average: `), logdir);
    if (verdict.says === 'yes') assert.match(`${overview.headline} [${overview.verdict}]`, new RegExp(`^${Math.round(verdict.share * 100)} % of a step goes into input.* \\[input bound\\]$`), logdir);
  }
  assert.ok(seen.has('yes'), [...seen].join());
});

test('of several hosts Overview says what Input says of the one that waits most, and of one host that one', () => {
  const logdir = temporary('hosts');
  const file = (set, name) => fs.readFileSync(path.join(testdata, set, 'logdir/plugins/profile', name));
  putRun(logdir, 'both', file('cpu_tf', 'train/vm.xplane.pb'), 'waits.xplane.pb');
  putRun(logdir, 'both', file('cpu_sharded8', 'run0/host0.xplane.pb'), 'alone.xplane.pb');
  const of = (...args) => JSON.parse(run(['overview', logdir, ...args, '--json']).text).overview.verdicts.find((one) => one.kind === 'input');
  const hosts = Object.fromEntries(['waits', 'alone'].map((host) => [host, ask(logdir, `--host=${host}`).verdict]));
  assert.notEqual(hosts.waits.says, hosts.alone.says);
  for (const [host, verdict] of Object.entries(hosts)) {
    const one = of(`--host=${host}`);
    assert.deepEqual([one.says, one.share, one.host], [verdict.says, verdict.share, host]);
  }
  const all = of();
  assert.deepEqual([all.says, all.share, all.host], [hosts.waits.says, hosts.waits.share, 'waits']);
  assert.equal(all.text, '7.5 % of a step, waits');
});

test('--fail-wait: 1 above it, 0 below, 2 for what is no share', () => {
  const logdir = path.join(testdata, 'cpu_tf', 'logdir');
  assert.equal(run(['input', logdir, '--fail-wait=5%']).code, 1);
  assert.equal(run(['input', logdir, '--fail-wait=20%']).code, 0);
  assert.equal(run(['input', logdir, '--fail-wait=often']).code, 2);
  assert.equal(run(['input', logdir, '--rules=pause:x']).code, 2);
});

test('a rule moves time from one class to another, and the sum stays', () => {
  const logdir = path.join(testdata, 'cpu_tf', 'logdir');
  const before = ask(logdir, '--by=step').steps, after = ask(logdir, '--by=step', '--rules=transfer:IteratorGetNext').steps;
  assert.equal(sum(after.wait_ps), 0);
  assert.equal(sum(after.transfer_ps), sum(before.wait_ps));
  assert.deepEqual(after.duration_ps, before.duration_ps);
});

const known = (name) => shared && fs.existsSync(path.join(shared, 'data', name));
test('the run that waits 82 % and the one that waits 0.6 %: yes and no, where XProf says the same of both', { skip: !known('input_bound_jax') }, () => {
  const slow = ask(path.join(shared, 'data', 'input_bound_jax', 'logdir')).verdict;
  assert.deepEqual([slow.says, slow.side, slow.steps, slow.needed, slow.loaders], ['yes', 'slow', 40, 6, 1]);
  assert.equal((slow.wait_ps / 1e9).toFixed(1), '3028.8');
  assert.equal((slow.length_ps / 1e9).toFixed(1), '3689.9');
  const fine = ask(path.join(shared, 'data', 'tf_data_leak', 'logdir')).verdict;
  assert.deepEqual([fine.says, fine.steps, fine.cores, fine.tf_stages], ['no', 48, 2, 10]);
  assert.equal((fine.wait_ps / 1e9).toFixed(1), '9.6');
  const { tfdata } = ask(path.join(shared, 'data', 'tf_data_leak', 'logdir'), '--by=tfdata');
  assert.equal(tfdata.stage[tfdata.bounds], 'MapAndBatch');
  assert.deepEqual([tfdata.calls[0], tfdata.depth[0], tfdata.depth.at(-1)], [48, 0, 6]);
});

/** Ten steps of 1 ms: the program waits that many microseconds for its batch, and the CPU computes for 100. */
function waits(us) {
  const US = 1e6, of = (name, i, from, to, stats = {}) => ({ name, at: (i * 1000 + from) * US, ps: (to - from) * US, stats });
  const times = (make) => Array.from({ length: 10 }, (_, i) => make(i)).flat();
  const op = { hlo_op: 'dot.1', hlo_module: 'jit_f', program_id: 7, device_ordinal: 0 };
  return plane('/host:CPU', [
    { name: 'python', events: times((i) => [step(i, i * 1000 * US, 1000 * US), of('$loader.py:49 next', i, 10, 10 + us), of('$queue.py:154 get', i, 15, 5 + us)]) },
    { name: 'tf_XLAEigen/1', events: times((i) => of('dot.1', i, 900, 1000, op)) },
  ]);
}

test('a step of which nothing runs for nine tenths is input bound where the input is most of that, else host bound', () => {
  for (const [us, badge] of [[300, 'host bound'], [700, 'input bound']]) {
    const logdir = temporary('badge');
    putRun(logdir, 'run', waits(us));
    const { overview } = JSON.parse(run(['overview', logdir, '--json']).text);
    const of = (kind) => overview.verdicts.find((one) => one.kind === kind);
    assert.deepEqual([of('host').says, of('input').says], ['yes', 'yes']);
    assert.ok(Math.abs(of('host').share - 0.9) < 0.001 && Math.abs(of('input').share - us / 1000) < 0.001, `${of('host').share} ${of('input').share}`);
    assert.equal(overview.verdict, badge);
  }
});
