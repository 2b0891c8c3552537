// xprofd doctor and diff: text, JSON, Markdown, SARIF and JUnit say the same; exit codes; silences.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';

import { run, Server, shared, temporary, testdata, withoutOperations } from '../support/program.mjs';
import { demo, EXIT, fails, json, layers } from './common.mjs';

const oom = path.join(testdata, 'tpu_padded_oom'); // with its error text beside the dump
const file = (name, text) => {
  const to = path.join(temporary('doctor'), name);
  fs.writeFileSync(to, text);
  return to;
};

test('a program that did not fit: why, what to change, and that it fits then', () => {
  const { doctor } = json(['doctor', oom]);
  assert.equal(doctor.schema, 1);
  assert.equal(doctor.capacity_from, 'the error text');
  assert.equal(doctor.capacity_bytes, 15.75 * 2 ** 30);
  assert.equal(doctor.findings[0].id, 'D01');
  assert.equal(doctor.findings[0].severity, 'error');
  const padded = doctor.findings.find((finding) => finding.id === 'D04');
  assert.equal(padded.buffer_count, 3);
  assert.equal(padded.fits_then, 'yes');
  assert.equal(padded.new_peak_bytes, doctor.peak_bytes - padded.saving_bytes);
  assert.equal(doctor.rules_checked, 30);
  assert.ok(doctor.not_judged.includes('D29'), 'what was not recorded is said');
  for (const finding of doctor.findings)
    for (const key of ['id', 'severity', 'confidence', 'claim', 'advice', 'size_bytes', 'saving_bytes', 'buffers'])
      assert.ok(key in finding, key);
  assert.deepEqual(doctor.findings.slice(1).map((f) => f.saving_bytes),
    doctor.findings.slice(1).map((f) => f.saving_bytes).sort((a, b) => (b ?? -1) - (a ?? -1)), 'by saving');
});

test('the dump alone, without the error text one folder up: said, with what to do; not where it is there', () => {
  const alone = json(['doctor', path.join(oom, 'xla_dump')]).doctor;
  assert.match(alone.not_judged, /D30: this dump has no error text\. .*error\.txt in the dump folder or the one above/);
  assert.match(run(['doctor', path.join(oom, 'xla_dump')]).text, /^not checked: .*D30: this dump has no error text/m);
  assert.doesNotMatch(json(['doctor', oom]).doctor.not_judged, /D30/);
  // It says nothing of the program, so it is no finding: not a new one beside a dump that has its message, none that --fail-on counts.
  assert.ok(!alone.findings.some(({ id }) => id === 'D30'));
  assert.doesNotMatch(run(['diff', oom, path.join(testdata, 'tpu_findings/padded_packed')]).text, /D30/);
});

const offload = shared && path.join(shared, 'data/tpu-v6e-offload/logdir');
test('a run that waits for its copies: that is the first finding, in all forms, with what it is a share of', { skip: !offload }, () => {
  const { doctor } = json(['doctor', offload]);
  const first = doctor.findings[0];
  assert.deepEqual([first.id, first.kind, first.instruction, first.saving_bytes], ['T01', 'time', 'copy-done.4', null]);
  assert.equal(first.share_of, 'a run');
  assert.ok(Math.abs(first.share - 304.033 / 313.653) < 1e-4, `${first.share}`);
  assert.ok(Math.abs(first.saving_ps / first.of_ps - first.share) < 1e-9);
  assert.deepEqual([doctor.measured.known, doctor.measured.clock, doctor.measured.chips, doctor.measured.runs], [true, 'device', 4, 400]);
  // Of the operations that `xprofd ops` lists, to the picosecond.
  const { ops } = json(['ops', offload, '--module=jit_f']).ops;
  const sum = (keep) => ops.name.reduce((all, name, k) => all + (keep(name) ? ops.self_ps[k] : 0), 0);
  const number = (name) => first.numbers.find((one) => one.name === name).value;
  assert.equal(number('waited_ps'), sum((name) => name.startsWith('copy-done')));
  assert.equal(number('operations_ps'), sum(() => true));
  // Memory keeps its numbers; shares are of what the device has, and savings of the same buffers say so.
  const [, d12, d14] = doctor.findings;
  assert.deepEqual([d12.id, d12.saving_bytes, d14.id, d14.saving_bytes], ['D12', 5 * 2 ** 30, 'D14', 5 * 2 ** 30]);
  assert.deepEqual([d12.overlaps, d14.overlaps], [[2], [1]]);
  assert.equal(d12.share, d12.saving_bytes / doctor.capacity_bytes);
  assert.match(d12.saving_note, /less than the full 20\.00 GiB: 16-bit types save half of it; the peak then moves to step 7/);
  const text = run(['doctor', offload]).text;
  assert.match(text, /saves at most 760\.1 ms of the 784\.1 ms \(96\.9 % of a run\)/);
  assert.match(text, /overlaps with D14: they change the same buffers/);
  assert.match(run(['doctor', offload, '--sarif=-']).text, /"savingPs":\s?76008/);
  assert.match(run(['doctor', demo]).text, /no findings of time: nothing was measured/);
});

const data = (set) => path.join(shared, 'data', set, 'logdir');
const timed = (set, ...more) => json(['doctor', data(set), '--time', ...more]).doctor;
const found = (doctor, id) => doctor.findings.find((finding) => finding.id === id);

test('steps that are runs of another program name it; runs of the program of the header do not', { skip: !shared }, () => {
  const timeOf = (...args) => run(['doctor', ...args, '--time']).text.split('\n').find((line) => line.startsWith('time '));
  const many = data('many_modules');
  assert.match(timeOf(many), /1 run of jit_same_name\(74\) on the CPU, 47\.6 ms each/);
  assert.equal(timed('many_modules').measured.steps_of, 'jit_same_name(74)');
  assert.equal(timed('many_modules').module, 'jit_same_name(86)');
  assert.match(timeOf(many, '--program=jit_same_name(86)'), /1 run on the CPU, 1\.0 ms each/);
  assert.match(timeOf(offload), /400 runs on 4 chips/);
  assert.equal(timed('tpu-v6e-offload').measured.steps_of, null);
});

test('findings of time of real runs: copies, memory, clocks; matrix products at the right peak; layout copies; input', { skip: !shared }, () => {
  const tpu = timed('tpu-v6e-offload');
  assert.deepEqual(tpu.findings.map(({ id }) => id), ['T01', 'T05', 'T10']);
  assert.match(found(tpu, 'T01').claim, /Starting them earlier does not help/);
  assert.match(found(tpu, 'T10').claim, /551\.1 ms to 982\.1 ms, the device 783\.8 ms to 784\.4 ms/);
  // What a run would win is what `xprofd ops` says is lost.
  const { ops } = json(['ops', data('tpu-v6e-offload'), '--module=jit_f']).ops;
  const fusions = found(tpu, 'T05');
  assert.deepEqual([...fusions.operations.name].sort(), ops.name.filter((name) => name.startsWith('broadcast_add_fusion')).sort());
  fusions.operations.name.forEach((name, at) => assert.equal(fusions.operations.saving_ps[at], Math.floor(ops.lost_ps[ops.name.indexOf(name)] / 400)));
  assert.ok(Math.abs(fusions.saving_ps / 1e9 - 4.384) < 0.001);

  const wrong = timed('gpu_te_fused_attn', '--peak-bandwidth=4.096e12'), right = timed('gpu_te_fused_attn');
  assert.ok(found(wrong, 'T13') && !found(wrong, 'T05') && !found(right, 'T13'));
  assert.match(wrong.measured.not_judged, /T05: an operation is faster than the peak/);
  assert.match(found(right, 'T06').claim, /^10 matrix products reach 6 to 42 %/);
  assert.match(found(timed('gpu_mi300', '--run=conv'), 'T07').claim, /%input_transpose_fusion 358\.6 µs/);

  const cpu = timed('input_bound_jax');
  assert.match(found(cpu, 'T12').claim, /82 %.*\$loader\.py:49 next/);
  const idle = found(cpu, 'T02').numbers.find(({ name }) => name === 'idle_ps').value + found(cpu, 'T02').numbers.find(({ name }) => name === 'between_steps_ps').value;
  assert.ok(Math.abs((found(cpu, 'T02').saving_ps + found(cpu, 'T12').saving_ps) * 40 - idle) < 100, 'each idle moment is in one finding');
  // Worker threads that compute are no wait for input.
  assert.ok(!found(timed('transformer_train'), 'T12'));
});

test('findings of time without a program: what needs none is judged, the rest says why not', { skip: !shared }, () => {
  const gpu = timed('gpu_tf_multi_worker');
  assert.deepEqual([gpu.module, gpu.peak_bytes, gpu.measured.known], [null, null, true]);
  assert.equal(gpu.findings[0].id, 'T04');
  assert.match(gpu.measured.not_judged, /T05, T06, T07, T08, T09: the profile holds no program \(no HLO\)/);
  const cpu = timed('tf_data_leak'); // TensorFlow's operations tell what the threads computed
  assert.deepEqual(cpu.findings.map(({ id }) => id), ['T02']);
  assert.equal(cpu.measured.not_judged, 'T05, T06, T07, T08: the profile holds no program (no HLO)');
});

test('where no event is an operation, what the threads computed is unknown, and so is what waits', () => {
  const { doctor } = json(['doctor', withoutOperations(), '--time']);
  assert.equal(doctor.found, 0);
  assert.match(doctor.measured.not_judged, /T12: no event is an operation/);
});

test('--program: the findings are of this program, and its runs are the steps', () => {
  const logdir = path.join(testdata, 'cpu_scan_while/logdir');
  const [program] = json(['overview', logdir]).overview.programs.module.filter((one) => one.startsWith('jit_branches'));
  const of = (option) => json(['doctor', logdir, `--${option}=${program}`]).doctor;
  const { step } = json(['overview', logdir, `--program=${program}`]).overview;
  assert.deepEqual([of('program').module, of('program').measured.steps], [program, step.count]);
  // The steps of the run stand still in between; the runs of this program do not.
  assert.deepEqual([of('module'), of('program')].map(({ findings }) => findings.some(({ id }) => id === 'T02')), [true, false]);
  fails(['doctor', logdir, '--program=of_another_run'], EXIT.INPUT, /of_another_run/);
});

test('text, Markdown, SARIF and JUnit have the findings of the JSON, twice the same bytes', () => {
  const sarif = path.join(temporary('doctor'), 'out.sarif'), junit = path.join(temporary('doctor'), 'out.xml');
  const { doctor } = json(['doctor', demo, `--sarif=${sarif}`, `--junit=${junit}`]);
  const text = run(['doctor', demo]).text, md = run(['doctor', demo, '--md']).text;
  assert.equal(run(['doctor', demo]).text, text);
  assert.ok(md.split('\n').length <= 25, 'fits a comment');
  for (const { id, claim } of doctor.findings) {
    assert.ok(text.includes(`${id}  ${claim}`), id);
    assert.match(md, new RegExp(`\\| \\w+ ${id} \\|`));
  }
  const results = JSON.parse(fs.readFileSync(sarif, 'utf8')).runs[0].results;
  assert.deepEqual(results.map((result) => result.ruleId), doctor.findings.map((finding) => finding.id));
  const xml = fs.readFileSync(junit, 'utf8');
  assert.match(xml, /tests="44"/);
  assert.equal(xml.match(/<testcase /g).length, 44);
  assert.equal(xml.match(/<failure /g).length, doctor.findings.filter((f) => f.severity !== 'info').length);
});

test('--fail-on, muted rules with a reason, thresholds; mistakes with line and column', () => {
  assert.equal(run(['doctor', oom, '--fail-on=error']).code, EXIT.BROKEN);
  assert.equal(run(['doctor', demo, '--fail-on=error']).code, EXIT.OK);
  assert.equal(run(['doctor', demo, '--fail-on=warn']).code, EXIT.BROKEN);
  const ids = [...new Set(json(['doctor', demo]).doctor.findings.map((finding) => finding.id))];
  const all = file('all', ids.map((id) => `silence ${id} looked at in review 12`).join('\n'));
  const { doctor } = json(['doctor', demo, '--fail-on=info', `--config=${all}`]);
  assert.equal(doctor.found, 0);
  assert.equal(doctor.silenced, doctor.findings.length);
  assert.equal(doctor.findings[0].silenced, 'looked at in review 12');
  assert.ok(!json(['doctor', demo, `--config=${file('t', 'giant_share = 99%')}`]).doctor.findings.some((f) => f.id === 'D02'));
  fails(['doctor', demo, `--config=${file('bad', '\ngiant_share = lots')}`], EXIT.USAGE, /2:15/);
  fails(['doctor', demo, '--fail-on=never'], EXIT.USAGE, /error, warn or info/);
  fails(['doctor', demo, '--config=/no/such/file'], EXIT.INPUT, /no\/such/);
  fails(['doctor', demo, '--hbm=plenty'], EXIT.USAGE, /plenty/);
});

test('serve --config: thresholds and muted rules for all answers; lines of a question come on top; a mistake starts nothing', async () => {
  const config = file('serve', 'giant_share = 99%\nsilence D12 we train in f32\n');
  const server = await Server.start(oom, `--config=${config}`);
  const ask = async (more = {}) => (await server.api('doctor', { run: 'xla_dump', ...more })).json;
  const answer = await ask(), over = await ask({ config: 'giant_share = 25%' });
  assert.deepEqual(answer.settings, [{ name: 'giant_share', value: 0.99, default_value: 0.25, unit: 'share', help: 'D02: one buffer, of the peak' }]);
  assert.ok(!answer.findings.some((f) => f.id === 'D02'));
  assert.equal(answer.findings.find((f) => f.id === 'D12').silenced, 'we train in f32');
  assert.deepEqual(over.settings, []);
  assert.ok(over.findings.some((f) => f.id === 'D02') && over.silenced === 1);
  const wrong = (await server.api('doctor', { run: 'xla_dump', config: '\nnope' })).json;
  assert.equal(wrong.error.where, 'config:2:1');
  await server.stop();
  fails(['serve', oom, '--port=0', `--config=${file('mistake', 'giant_share = 30%\n  full_share = much\n')}`], EXIT.USAGE, /mistake:2:16/);
  fails(['serve', oom, '--port=0', '--config=/no/such/file'], EXIT.INPUT, /no\/such/);
  assert.deepEqual(json(['doctor', oom]).doctor.settings, []);
});

test('capacity: an option, else unknown and nothing is claimed', () => {
  assert.equal(json(['doctor', demo]).doctor.capacity_bytes, null);
  const small = json(['doctor', demo, '--hbm=500MiB']).doctor;
  assert.equal(small.findings[0].id, 'D01');
  assert.equal(small.findings[0].size_bytes, small.peak_bytes - 500 * 2 ** 20);
  assert.ok(!json(['doctor', demo, '--hbm=16GiB']).doctor.findings.some((finding) => finding.id === 'D01'));
});

test('diff: the same program is equal; the other way round every sign changes; groups add up', () => {
  const same = json(['diff', demo, demo]).diff;
  assert.equal(same.groups_different, 0);
  assert.equal(same.difference_bytes, 0);
  assert.match(run(['diff', demo, demo]).text, /no difference/);
  const there = json(['diff', demo, layers]).diff, back = json(['diff', layers, demo]).diff;
  assert.equal(there.difference_bytes, -back.difference_bytes);
  const total = there.groups.difference_bytes.reduce((a, b) => a + b, 0) + there.rest.after_bytes - there.rest.before_bytes;
  assert.equal(total, there.after.peak_bytes - there.before.peak_bytes);
  assert.ok(there.closes && back.closes);
  assert.equal(there.same_workload, false, 'another program');
  assert.match(run(['diff', demo, layers]).text, /= change of the peak/);
  assert.match(run(['diff', demo, layers]).text, /not the same workload/);
  assert.match(run(['diff', demo, layers, '--md']).text, /= change of the peak/);
});

test('diff: two curves of 64 columns on one scale, peaks marked; heights from the answer of memory/curve', async () => {
  const PLAIN = [' ', '.', ':', '#'], LEVELS = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
  const heights = async (root) => {
    const server = await Server.start(root);
    const run = (await server.api('runs')).json.id[0];
    const curve = (await server.api('memory/curve', { run, px: 64 })).json;
    await server.stop();
    const max = curve.max_bytes.map(Number), resident = Number(curve.resident_bytes);
    return { max, resident, peak: Math.max(...max) + resident };
  };
  const sides = [await heights(demo), await heights(layers)];
  const top = Math.max(...sides.map(({ peak }) => peak));
  for (const [option, alphabet] of [[[], LEVELS], [['--ascii'], PLAIN]]) {
    const { text } = run(['diff', demo, layers, ...option]);
    const rows = [...text.matchAll(/^(.{9})[│|](.{64})[│|] ?(.*)$/gmu)];
    assert.equal(rows.length, 4, text);
    assert.deepEqual(rows.map(([, name]) => name.trim()), ['', 'before', '', 'after']);
    assert.equal(text.match(/[▲^] step \d+/g).length, 2);
    assert.equal(option.length > 0, !/[^\x00-\x7f]/.test(text), 'block characters unless --ascii');
    const per = alphabet.length - 1;
    for (const s of [0, 1])
      for (let c = 0; c < 64; c++) {
        const drawn = [0, 1].reduce((sum, row) => sum + alphabet.indexOf(rows[2 * s + row][2][c]), 0);
        const { max, resident } = sides[s];
        const share = (max[Math.floor((c * max.length) / 64)] + resident) / top;
        assert.equal(drawn, Math.max(share > 0 ? 1 : 0, Math.round(share * 2 * per)), `side ${s}, column ${c}`);
      }
  }
  assert.ok(run(['diff', demo, layers]).text.split('\n').length <= 40);
});

test('diff: wrong usage and inputs', () => {
  fails(['diff', demo], EXIT.USAGE, /two profiles/);
  fails(['diff', demo, demo, demo], EXIT.USAGE, /unexpected "/);
  fails(['diff', demo, '/no/such/place'], EXIT.INPUT, /no/);
  fails(['diff', demo, demo, '--module=other'], EXIT.INPUT, /other/);
  fails(['diff', demo, demo, '--space=77'], EXIT.INPUT, /77/);
});

test('what made the compiler give up comes first, though nothing is saved on it', { skip: !shared }, () => {
  const { doctor } = json(['doctor', path.join(shared, 'data/tpu_vmem_oom/xla'), '--run=xla_dump']);
  assert.deepEqual([doctor.findings[0].id, doctor.findings[0].severity], ['D26', 'error']);
  const savings = doctor.findings.slice(1).map((finding) => finding.saving_bytes ?? -1);
  assert.deepEqual(savings, [...savings].sort((a, b) => b - a));
});

test('as a stranger reads it: no 0.0 %, no finding named twice, nothing is "less than" the same number', () => {
  const programs = [demo, layers, oom, ...['cpu_mlp_train', 'cpu_scan_while', 'tpu_collectives', 'tpu_pallas_matmul'].map((name) => path.join(testdata, name, 'logdir'))];
  for (const program of programs)
    for (const more of [[], ['--hbm=4TiB']]) {
      const { text } = run(['doctor', program, ...more]);
      assert.doesNotMatch(text, /\(0\.0 %/, program);
      assert.doesNotMatch(text, /saves ([\d.,]+ \wi?B?),.*\n *saving: less than the \1 /, program);
      for (const [, ids] of text.matchAll(/overlaps with ([^:]+):/g))
        assert.equal(new Set(ids.split(', ')).size, ids.split(', ').length, `${program}: ${ids}`);
    }
  assert.match(run(['doctor', path.join(testdata, 'cpu_mlp_train/logdir')]).text, /the CPU is idle for .* steps on the CPU, host-aligned clock/);
  assert.match(run(['doctor', demo]).text, /device memory is unknown \(set it with --hbm=16GiB\): neither the profile nor an error text/);
  assert.match(run(['doctor', demo]).text, /^sure +fact = .*; likely = .*; hint = /m);
  assert.match(run(['doctor', demo, '--hbm=4TiB']).text, /\(< 0\.1 % of the device's memory\)/);
});

test('a host that was only measured, beside one that has programs: the findings of its time', () => {
  const root = temporary('hosts'), dir = path.join(root, 'plugins/profile/mixed');
  fs.mkdirSync(dir, { recursive: true });
  const source = { a: 'cpu_mlp_train/logdir', b: 'tf_leak/logdir' };
  for (const [host, logdir] of Object.entries(source)) {
    const of = fs.readdirSync(path.join(testdata, logdir), { recursive: true }).find((name) => name.endsWith('.xplane.pb'));
    fs.copyFileSync(path.join(testdata, logdir, of), path.join(dir, `${host}.xplane.pb`));
  }
  const { doctor } = json(['doctor', root, '--host=b']), alone = json(['doctor', path.join(testdata, source.b)]).doctor;
  assert.equal(doctor.module, null);
  assert.equal(doctor.measured.host, 'b');
  assert.deepEqual(doctor.findings.map(({ id, claim }) => [id, claim]), alone.findings.map(({ id, claim }) => [id, claim]));
  assert.match(json(['doctor', root, '--host=a']).doctor.module, /^jit_train_step/);
  fails(['doctor', root, '--host=b', '--module=jit_train_step'], EXIT.INPUT, /host b does not have module/);
  fails(['doctor', path.join(testdata, source.b), '--host=b'], EXIT.INPUT, /has no host "b"/);
});
