// xprofd overview and steps: the forms agree with each other and with the routes, and say why when they cannot tell.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';

import { putRun, run, Server, shared, temporary, testdata, withoutOperations } from '../support/program.mjs';
import { csv, demo, EXIT, fails, json, recordedBetween, tpuRun, train } from './common.mjs';

const chips = path.join(testdata, 'tpu_run/logdir');
const cut = path.join(testdata, 'cut/logdir');
const sum = (list) => list.reduce((all, x) => all + x, 0);

test('overview: text, JSON and CSV say what the route says', async () => {
  const { overview } = json(['overview', train]);
  assert.equal(overview.known, true);
  assert.equal(sum(overview.losses.total_ps), overview.step.total_ps);
  const { text } = run(['overview', train]);
  for (const words of [overview.headline, overview.verdict, overview.detail, ...overview.verdicts.map((verdict) => verdict.text)])
    assert.ok(text.includes(words), `${words} in\n${text}`);
  assert.match(text, /the rows add up to it/);
  const rows = csv(run(['overview', train, '--csv']).text);
  assert.deepEqual(rows.map((row) => [row.kind, Number(row.total_ps)]), overview.losses.kind.map((kind, i) => [kind, overview.losses.total_ps[i]]));
  const server = await Server.start(train);
  const id = (await server.api('runs')).json.id[0];
  assert.deepEqual((await server.api('overview', { run: id })).json, overview);
  await server.stop();
});

test('overview: a program that marks steps is not said to mark none, nor to need marks, where its devices have no steps', () => {
  const of = (logdir) => json(['overview', logdir]).overview;
  const gpu = of(path.join(testdata, 'gpu_jax/logdir'));
  assert.match(gpu.detail, /Runs: the 5 runs of jit_train_step, no steps of a device recorded/);
  assert.match(gpu.steps_apart, /what the program marked/);
  assert.ok(!gpu.capture.missing.some(({ what }) => what === 'markers of steps'));
  if (!shared) return;
  const unmarked = of(path.join(shared, 'data/many_modules/logdir'));
  assert.match(unmarked.detail, /no markers recorded/);
  assert.ok(unmarked.capture.missing.some(({ what }) => what === 'markers of steps'));
});

test('overview --chip, --step: shortest, median and longest are of the steps that are counted', () => {
  const stepOf = (...args) => json(['overview', chips, ...args]).overview.step;
  const of = ({ steps: s }) => s.duration_ps;
  const each = json(['steps', chips, '--chip=TPU:1']).steps;
  const one = stepOf('--chip=TPU:1'), sorted = [...of(each)].sort((a, b) => a - b);
  assert.equal(one.count, sorted.length);
  assert.deepEqual([one.min_ps, one.p50_ps, one.max_ps], [sorted[0], sorted[Math.ceil(sorted.length / 2) - 1], sorted.at(-1)]);
  assert.ok(one.min_ps <= one.mean_ps && one.mean_ps <= one.max_ps);
  assert.equal(one.no_spread, `${one.count} steps are too few for p99`);
  const all = stepOf();
  assert.ok(one.max_ps < all.max_ps || one.min_ps > all.min_ps, 'the chips differ');
  const chosen = stepOf(`--step=${each.steps.number[1]}`);
  assert.ok(chosen.min_ps <= chosen.mean_ps && chosen.mean_ps <= chosen.max_ps);
  assert.deepEqual([chosen.no_spread, chosen.outliers], ['one step: no spread', 0]);
});

test('overview --host: the runs of a program are those of that host, as its executions are', () => {
  const ofHost = (...host) => json(['overview', path.join(testdata, 'tpu_run/logdir'), ...host]).overview.programs;
  const all = ofHost();
  for (const key of ['runs', 'executions'])
    assert.equal(all[key][0], ofHost('--host=tpu-host-0')[key][0] + ofHost('--host=tpu-host-1')[key][0], key);
  assert.equal(ofHost('--host=tpu-host-0').runs[0], all.runs[0] / 2);
});

test('overview: a step that takes more than half of the time of all steps is named; of other runs, and of one step, nothing is said', () => {
  const seen = new Set();
  for (const set of ['cpu_scan_while', 'cpu_mlp_train', 'tpu_run', 'cpu_sharded8', 'gpu_jax']) {
    const logdir = path.join(testdata, set, 'logdir');
    const { overview } = json(['overview', logdir]);
    const { number, duration_ps: ps } = json(['steps', logdir, '--top=1000']).steps.steps;
    const longest = ps.indexOf(Math.max(...ps));
    const alone = ps.length >= 3 && ps[longest] > sum(ps) / 2;
    const said = /([SR])(?:tep|un) (-?\d+) alone takes /.exec(overview.detail);
    assert.equal(said?.[2], alone ? String(number[longest]) : undefined, `${set}: ${overview.detail}`);
    assert.doesNotMatch(json(['overview', logdir, `--step=${number[longest]}`]).overview.detail, /alone takes/, set);
    seen.add(alone);
  }
  assert.equal(seen.size, 2);
});

test('overview: what was computed in none of the steps is told; with that in them it is all that the devices computed', () => {
  const seen = new Set();
  for (const set of ['cpu_torch', 'cpu_mlp_train', 'cpu_scan_while', 'cpu_sharded8', 'gpu_jax', 'tpu_run']) {
    const logdir = path.join(testdata, set, 'logdir');
    const { overview } = json(['overview', logdir]);
    const { compute_ps: all, outside_ps: outside } = overview.capture;
    assert.equal(all, sum(json(['overlap', logdir]).overlap.devices.compute_ps), set);
    const { kind, total_ps: ps } = overview.losses;
    const inside = sum(ps.filter((_, k) => !['idle', 'copies', 'collectives'].includes(kind[k])));
    if (set.startsWith('cpu_')) assert.equal(inside + outside, all, `${set}: ${kind}`);
    const { busy_ps: busy, chips } = json(['ops', logdir]).ops;
    if (set.startsWith('cpu_') && chips === 1) assert.equal(busy, all, `${set}: Ops says the same, a loop's turns included`);
    const said = /(\d+) % of the compute \(.*\) ran outside of these (step|run)s/.exec(overview.detail);
    assert.equal(said?.[1], outside > 0.05 * all ? ((outside / all) * 100).toFixed(0) : undefined, `${set}: ${overview.detail}`);
    assert.doesNotMatch(json(['overview', logdir, `--step=${json(['steps', logdir]).steps.steps.number[0]}`]).overview.detail, /outside/, set);
    seen.add(said !== null);
  }
  assert.equal(seen.size, 2);
});

test('overview: the runs of one program and what was computed outside of them are all that was computed', () => {
  const logdir = path.join(testdata, 'cpu_scan_while/logdir');
  const ran = json(['modules', logdir]).modules.key.map((key) => json(['overview', logdir, `--program=${key}`]).overview).filter(({ known }) => known);
  assert.equal(ran.length, 5);
  for (const { capture, losses } of ran) {
    const inside = sum(losses.total_ps.filter((_, k) => !['idle', 'copies', 'collectives'].includes(losses.kind[k])));
    assert.equal(inside + capture.outside_ps, capture.compute_ps);
    assert.ok(inside > 0 && capture.outside_ps > 0);
  }
});

test('overview: one step and one chip are parts of all', () => {
  const { overview: all } = json(['overview', train]);
  const { steps } = json(['steps', train]).steps;
  const { overview: one } = json(['overview', train, `--step=${steps.number[2]}`]);
  assert.deepEqual([one.step.selected, one.step.count, one.step.total_ps], [steps.number[2], 1, steps.duration_ps[2]]);
  assert.equal(one.adds_up, true);
  assert.equal(sum(one.losses.total_ps), steps.duration_ps[2]);
  const name = all.chips[0].name;
  assert.equal(json(['overview', train, `--chip=${name}`]).overview.step.total_ps, all.step.total_ps, 'there is one');
  fails(['overview', train, '--step=77'], EXIT.INPUT, /there is no step 77; they are \d+ to \d+/);
  fails(['overview', train, '--chip=TPU:9'], EXIT.INPUT, /no chip "TPU:9" has steps; there are 1/);
});

test('overview, steps: --program: the steps are the runs of that program, and what ran in them belongs to that program', async () => {
  const loops = path.join(testdata, 'cpu_scan_while/logdir');
  const server = await Server.start(loops);
  const id = (await server.api('runs')).json.id[0];
  const { overview: all } = json(['overview', loops]);
  assert.equal(all.step.what, 'markers');
  assert.equal(all.programs.n, 5);
  for (const [k, module] of all.programs.module.entries()) {
    const { overview: one } = json(['overview', loops, `--program=${module}`]);
    const { steps } = json(['steps', loops, `--program=${module}`]);
    assert.deepEqual([one.step.what, one.step.steps, one.clock], ['runs', 3, 'host'], module);
    assert.equal(one.step.sentence, `the 3 runs of ${all.programs.name[k]}`);
    assert.equal(sum(one.losses.total_ps), one.step.total_ps);
    assert.deepEqual([steps.steps.number, sum(steps.steps.duration_ps)], [[0, 1, 2], one.step.total_ps]);
    assert.deepEqual([...new Set(one.wins.module)], [module], 'operations of that program only');
    assert.equal(sum(one.wins.count), all.programs.executions[k], 'and all of them');
    const stepsplit = (await server.api('trace/stepsplit', { run: id, program: module })).json;
    assert.deepEqual(stepsplit.steps.duration_ps, steps.steps.duration_ps);
    if (k > 0) assert.ok(steps.steps.gap_ps.every((ps) => ps === null), 'between its runs are those of others');
  }
  await server.stop();
  // Chips have a row of programs, and their own clock: the runs of the only one are what the framework marked.
  const marked = json(['steps', chips]).steps, own = json(['steps', chips, '--program=jit_collectives']).steps;
  assert.deepEqual([marked.what, own.what, own.clock, own.total], ['markers', 'runs', 'device', 6]);
  assert.deepEqual(own.steps.collectives_ps, marked.steps.collectives_ps);
  const byHost = json(['steps', chips, '--program=jit_collectives', '--clock=host']).steps;
  assert.deepEqual([byHost.clock, byHost.why_host, byHost.total, byHost.chips.length], ['host', 'asked for', own.total, own.chips.length], 'the same runs, by the other clock');
  fails(['overview', loops, '--program=nix'], EXIT.INPUT, /There is no module "nix"/);
  if (!shared) return;
  // 3 runs of all-reduce of 121.7 ms on each chip, as the reference has them; the program with most time is what a step is without a choice.
  const offload = path.join(shared, 'data/tpu-v6e-offload/logdir');
  const psum = json(['overview', offload, '--program=jit__psum']).overview;
  assert.deepEqual([psum.clock, psum.step.steps, Math.round(psum.step.mean_ps / 1e8)], ['device', 3, 1217]);
  const [main, chosen] = [[], ['--program=jit_f']].map((more) => json(['overview', offload, ...more]).overview);
  assert.deepEqual([chosen.losses, chosen.wins, chosen.verdicts], [main.losses, main.wins, main.verdicts]);
});

test('overview: typed peaks give bounds to operations without them', () => {
  const { overview } = json(['overview', train]);
  const of = (answer, kind) => answer.losses.total_ps[answer.losses.kind.indexOf(kind)] ?? 0;
  assert.equal(overview.peaks, null);
  assert.equal(overview.losses.why[overview.losses.kind.indexOf('not_judged')], 'the peaks of this device are unknown; set them');
  assert.equal(of(overview, 'roofline'), 0);
  assert.deepEqual(overview.verdicts.filter((verdict) => verdict.says === 'unknown').map((verdict) => verdict.kind), ['memory', 'compute', 'input']);
  const judged = json(['overview', train, '--peak-flops=1e11', '--peak-bandwidth=2e10']).overview;
  assert.ok(of(judged, 'roofline') > 0 && of(judged, 'not_judged') < of(overview, 'not_judged'));
  assert.equal(of(judged, 'idle'), of(overview, 'idle'), 'idle needs no peaks');
  assert.equal(sum(judged.losses.total_ps), judged.step.total_ps);
});

test('overview: peaks of zero are no peaks: what needs them cannot be told, with the reason; waits and idle need none', () => {
  const of = (answer) => Object.fromEntries(answer.losses.kind.map((kind, i) => [kind, answer.losses.total_ps[i]]));
  const says = (answer) => Object.fromEntries(answer.verdicts.map(({ kind, says: word, text }) => [kind, [word, text]]));
  const [whole, zero] = [{}, { zero: true }].map((how) => json(['overview', tpuRun(how)]).overview);
  assert.ok(whole.peaks.flops_per_s > 0);
  assert.equal(zero.peaks, null);
  const { memory, compute, communication, host } = says(zero);
  assert.deepEqual([memory, compute], [['unknown', 'peaks not known'], ['unknown', 'peaks not known']]);
  assert.deepEqual([communication, host], [says(whole).communication, says(whole).host]);
  assert.equal(zero.losses.why[zero.losses.kind.indexOf('not_judged')], 'the peaks of this device are unknown; set them');
  for (const kind of ['idle', 'collectives', 'copies_in', 'copies_out']) assert.equal(of(zero)[kind], of(whole)[kind], kind);
  assert.equal(of(zero).roofline, 0);
  assert.equal(sum(zero.losses.total_ps), zero.step.total_ps);
  assert.ok(zero.utilisation.length > 0 && zero.utilisation.every(({ share, unknown }) => share === null && unknown === 'peak unknown'));
});

test('tables say µs as the page does, and each heading ends where its numbers end', () => {
  const [, table] = run(['overview', chips]).text.split(/Where a mean step goes.*\n/);
  const [head, ...rows] = table.split('\n').slice(0, 10);
  assert.match(head, /^ *mean µs /);
  const end = head.indexOf('µs') + 2;
  for (const row of rows) assert.match(row.slice(0, end), /^ *\d+\.\d{3}$/, row);
});

test('overview: what was not run, and what is cut, says so', () => {
  const { overview } = json(['overview', demo]);
  assert.deepEqual([overview.known, overview.reason, overview.step, overview.losses.n], [false, 'this run has no events: the program did not run during the capture. Capture a step with jax.profiler.trace to fill this page', null, 0]);
  assert.ok(overview.verdicts.every((verdict) => verdict.says === 'unknown' && verdict.text));
  assert.ok(overview.memory.peak_bytes > 0, 'memory is known all the same');
  assert.match(run(['overview', demo]).text, /the program did not run during the capture/);
  assert.match(run(['steps', demo]).text, /^No steps: this run has no events/);
  const part = JSON.parse(run(['overview', cut, '--run=tpu', '--json']).text).overview;
  assert.equal(part.capture.complete, false);
  assert.match(part.capture.damage, /cut|ends/);
  const { text } = run(['overview', cut, '--run=tpu']);
  assert.match(text, /of what is there; no sum: the file is not complete:\n[^]*not complete: .*(cut|ends)/);
  assert.doesNotMatch(text, /add up to it/);
});

test('steps: the mean of chips, the slowest, each; parts add up', () => {
  const { steps: mean } = json(['steps', chips]);
  const { steps: each } = json(['steps', chips, '--chip=all']);
  const { steps: slowest } = json(['steps', chips, '--chip=slowest']);
  assert.equal(each.steps.n, sum(each.chips.map((chip) => chip.steps)));
  for (let i = 0; i < mean.steps.n; i++) {
    const of = each.steps.duration_ps.filter((ps, k) => each.steps.number[k] === mean.steps.number[i]);
    assert.equal(mean.steps.duration_ps[i], Math.floor(sum(of) / of.length));
    assert.equal(slowest.steps.duration_ps[i], Math.max(...of));
    assert.equal(mean.steps.fastest_ps[i], Math.min(...of));
  }
  const rows = csv(run(['steps', chips, '--csv']).text);
  assert.deepEqual(rows.map((row) => Number(row.duration_ps)), mean.steps.duration_ps);
  assert.match(run(['steps', chips, '--top=2']).text, new RegExp(`${mean.total - 2} more`));
  fails(['steps', chips, '--chip=TPU:99'], EXIT.USAGE, /chip takes mean, slowest, all, a number below \d+ or a name such as TPU:0/);
});

test('steps: more of them than pixels are the longest of each column', async () => {
  const server = await Server.start(train);
  const id = (await server.api('runs')).json.id[0];
  const { json: all } = await server.api('trace/stepsplit', { run: id });
  const { json: few } = await server.api('trace/stepsplit', { run: id, px: 2 });
  assert.equal(few.a_column, Math.ceil(all.total / 2));
  assert.equal(few.steps.n, Math.ceil(all.total / few.a_column));
  assert.equal(sum(few.steps.steps), all.total);
  assert.equal(Math.max(...few.steps.duration_ps), Math.max(...all.steps.duration_ps));
  await server.stop();
});

test('overview: what is not there is told in few words, and nothing is called by another name', () => {
  const of = (set, ...args) => json(['overview', path.join(testdata, set, 'logdir'), ...args]).overview;
  const none = of('tpu_padded_demo');
  assert.deepEqual(none.verdicts.map(({ text, host }) => [text, host]), Array(5).fill(['no events', null]));
  const tf = json(['overview', withoutOperations()]).overview;
  assert.equal(tf.capture.sentence, 'no step of a device was recorded');
  assert.deepEqual(tf.verdicts.map(({ text }) => text), [...Array(4).fill('no operations were recorded'), '7.5 % of a step']);
  assert.equal(of('cpu_no_ops').environment.find(({ what }) => what === 'recorded').value, '2026-11-29 22:42 UTC', 'known without steps of a device too');
  assert.match(of('cpu_no_ops').capture.missing.find(({ what }) => what === 'operations of programs').how, /^JAX 0\.7\.2 or later on a CPU/, 'a CPU has no tracer of its own');
  // A CPU has no HBM and no chips; what a GPU is follows from its plane.
  const cpu = of('cpu_mlp_train');
  assert.deepEqual([cpu.device, cpu.environment[0].value], ['CPU', 'CPU']);
  assert.ok(cpu.utilisation.some(({ label }) => label === 'Memory, whole step'));
  assert.ok(!JSON.stringify(cpu.utilisation).includes('HBM') && !JSON.stringify(cpu.losses).includes('HBM'));
  assert.ok(cpu.verdicts.filter(({ says }) => says === 'unknown').every(({ text }) => text.length <= 35), 'a verdict is short');
  const gpu = of('gpu_jax');
  assert.match(gpu.environment[0].value, /^.+, 4 chips$/);
  assert.equal(gpu.verdicts[3].text, '1.1 ms idle between runs, 1.4 times a run');
  assert.ok(of('tpu_run').utilisation.some(({ label }) => label === 'HBM, whole step'));
  assert.equal(of('cpu_sharded8').capture.sentence, 'begins with the first step');
});

test('overview, ops: a run whose only file has no bytes was not "compiled and not run"', async () => {
  const root = temporary('empty');
  putRun(root, 'none', '');
  fails(['overview', root], EXIT.INPUT, /The file has 0 bytes: the profiler writes one when saving fails/);
  const server = await Server.start(root);
  try {
    const { json: runs } = await server.api('runs');
    assert.match(runs.problem[0], /^The file has 0 bytes/);
    for (const route of ['overview', 'trace/ops'])
      assert.match((await server.api(route, { run: runs.id[0] })).json.reason, /^no file of this run could be read/, route);
  } finally {
    await server.stop();
  }
});

test('overview: a program is called by its name, where that tells it from the others by its key', () => {
  const { programs, environment } = json(['overview', path.join(testdata, 'tpu_run/logdir')]).overview;
  assert.deepEqual(programs.name, ['jit_collectives']);
  assert.match(programs.module[0], /^jit_collectives\(\d+\)$/);
  assert.equal(environment.find(({ what }) => what === 'programs run').value, '1, jit_collectives 100.0 % of the time of operations');
  const part = JSON.parse(run(['overview', cut, '--run=tpu', '--json']).text).overview;
  assert.deepEqual(part.programs.name, ['jit_collectives(2547258679391418489)']);
  assert.deepEqual(part.programs.runs, [12], 'counted in the rows of its chips: its HLO was cut off');
});

test('overview: chips that take equally long have no slowest', () => {
  const { chips, chips_sentence: sentence } = JSON.parse(run(['overview', path.join(testdata, 'gpu_ops/logdir'), '--run=kernels', '--json']).text).overview;
  assert.equal(new Set(chips.map((chip) => chip.mean_ps)).size, 1);
  assert.equal(sentence, 'all take equally long');
  assert.ok(chips.every((chip) => !chip.slowest));
});

/** The run of two hosts; the operations of these lose their times on the chips' own clock. */
function withoutDeviceTimes(...lose) {
  const logdir = temporary('clocks'), from = path.join(chips, 'plugins/profile/train');
  for (const host of ['tpu-host-0', 'tpu-host-1']) {
    const file = fs.readFileSync(path.join(from, `${host}.xplane.pb`)), named = Buffer.from('device_duration_ps');
    for (let at = lose.includes(host) ? file.indexOf(named) : -1; at >= 0; at = file.indexOf(named, at + 1)) file.write('another_duration__', at);
    putRun(logdir, 'run', file, `${host}.xplane.pb`);
  }
  return logdir;
}

test('steps, ops: where the chips of one host have no times on their own clock, those of all hosts are by the host\'s', async () => {
  const logdir = withoutDeviceTimes('tpu-host-0');
  const lengths = (...args) => json(['steps', logdir, '--chip=all', ...args]).steps;
  const all = lengths(), alone = lengths('--host=tpu-host-1'), byHost = json(['overview', logdir]).overview;
  assert.deepEqual([all.clock, alone.clock, byHost.clock], ['host', 'device', 'host']);
  assert.match(all.why_host, /not all steps and work of the chips have times/);
  const server = await Server.start(logdir);
  const { duration_ps: ofTrace } = (await server.api('trace/steps', { run: (await server.api('runs')).json.id[0] })).json;
  await server.stop();
  const shown = new Set(ofTrace);
  assert.ok(all.steps.n > alone.steps.n && alone.steps.duration_ps.some((ps) => !shown.has(ps)), 'the clocks differ');
  assert.deepEqual(all.steps.duration_ps.filter((ps) => !shown.has(ps)), [], 'Overview and Trace have the same steps');
  // Sums, percentiles and executions of the operations.
  const [one, none, both] = [logdir, withoutDeviceTimes('tpu-host-0', 'tpu-host-1'), chips].map((at) => json(['ops', at]).ops);
  assert.deepEqual([one.clock, none.clock, both.clock], ['host', 'host', 'device']);
  assert.deepEqual(one.ops, none.ops);
  assert.notDeepEqual(one.ops.self_ps, both.ops.self_ps);
});

test('steps: what is recorded of a run only in part is no step, and the other runs are as in the whole recording', () => {
  for (const [set, name, planes, ...program] of [['gpu_jax', 'train/gpu-host.xplane.pb', /^\/device:GPU/], ['cpu_mlp_train', 'run0/host0.xplane.pb', /^\/host:CPU$/, '--program=jit_train_step']]) {
    const file = path.join(testdata, set, 'logdir/plugins/profile', name), { steps: whole } = json(['steps', file, ...program]).steps;
    const within = (step, share) => whole.start_ps[step] + share * (whole.end_ps[step] - whole.start_ps[step]), last = whole.n - 1;
    // Begun early in a run and ended late in one, so that some operations ran more often than there are whole runs; and the other way.
    for (const [from, to, left, begun] of [[within(1, 0.2), within(last - 1, 0.6), [2, last - 2], 1], [within(0, 0.8), within(last, 0.3), [1, last - 1], 1], [0, within(2, 0.5), [0, 1], 0]]) {
      const logdir = temporary('part');
      putRun(logdir, 'part', recordedBetween(fs.readFileSync(file), planes, from, to));
      const { steps: part, sentence } = json(['steps', logdir, ...program]).steps, where = `${set} from ${from} to ${to}: ${sentence}`;
      const wanted = (column) => whole[column].slice(left[0], left[1] + 1);
      assert.deepEqual(part.duration_ps, wanted('duration_ps'), where);
      assert.deepEqual(part.idle_ps, wanted('idle_ps'), where);
      assert.deepEqual(part.number, wanted('number').map((_, i) => i + begun), where);
      assert.match(sentence, begun ? /; 2 more are left out, because the recording has only a part of them$/ : /; 1 more is left out, because the recording has only a part of it$/);
    }
  }
});

test('steps: hosts that begin to record in different runs of a program have the same numbers for what runs together', () => {
  const file = path.join(testdata, 'gpu_jax/logdir/plugins/profile/train/gpu-host.xplane.pb'), bytes = fs.readFileSync(file);
  const { steps: whole, chips: each } = json(['steps', file]).steps;
  // Later than the other host by a run, and in the middle of one: its part of that is left out.
  for (const [first, second, wanted, left] of [
    [0, whole.end_ps[0] + 1, [1, 2, 2, 2, 2], ''],
    [whole.end_ps[0] + 1, 0, [1, 2, 2, 2, 2], ''],
    [0, (whole.start_ps[1] + whole.end_ps[1]) / 2, [1, 1, 2, 2, 2], '; 1 more is left out, because the recording has only a part of it'],
    [(whole.start_ps[0] + whole.end_ps[0]) / 2, whole.end_ps[0] + 1, [2, 2, 2, 2], '; 1 more is left out, because the recording has only a part of it'],
  ]) {
    const logdir = temporary('hosts');
    putRun(logdir, 'run', recordedBetween(bytes, /^\/device:GPU/, first, Infinity), 'a.xplane.pb');
    putRun(logdir, 'run', recordedBetween(bytes, /^\/device:GPU/, second, Infinity), 'b.xplane.pb');
    const { steps, sentence } = json(['steps', logdir]).steps, where = `${first} ${second}: ${sentence}`;
    const { number } = json(['steps', logdir, '--chip=all']).steps.steps;
    assert.deepEqual(steps.number.map((one) => number.filter((other) => other === one).length), wanted.map((hosts) => hosts * each.length), where);
    assert.deepEqual(steps.duration_ps, whole.duration_ps.slice(5 - wanted.length), where);
    assert.equal(sentence, `the ${wanted.length} runs of jit_train_step, no steps of a device recorded${left}`);
  }
});

test('steps --chip=all and overlap --by=step: each row names its chip, if there are several', () => {
  const { steps } = json(['steps', chips, '--chip=all']).steps;
  assert.deepEqual([...new Set(steps.chip_name)], ['tpu-host-0 TPU:0', 'tpu-host-0 TPU:1', 'tpu-host-1 TPU:0', 'tpu-host-1 TPU:1']);
  const { text } = run(['steps', chips, '--chip=all', '--top=100']);
  for (const name of new Set(steps.chip_name)) assert.equal(text.split(name).length - 1, 6, name);
  assert.doesNotMatch(run(['steps', chips]).text, /chip name/);
  const host = ['overlap', chips, '--by=step', '--host=tpu-host-1'];
  assert.deepEqual([...new Set(json(host).steps.device)].slice(0, 2), ['/device:TPU:0', '/device:TPU:1']);
  assert.match(run(host).text, /^device/);
  assert.equal(csv(run([...host, '--csv']).text).length, json(host).steps.n);
});
