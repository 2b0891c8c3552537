// Input that is wrong, for the commands about memory: each row ends with its code and says what is wrong and where.
// (Mistakes in budgets and thresholds with line and column: check.test.mjs, doctor.test.mjs; files: input.test.mjs.)
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';

import { captured, run, Server, temporary, testdata, until } from '../support/program.mjs';
import { demo, dump, EXIT, fails, json } from './common.mjs';

const bare = path.join(dump, fs.readdirSync(dump).find((name) => name.endsWith('.before_optimizations.hlo.pb')));
const dir = temporary('bad');
const file = (name, text) => {
  fs.writeFileSync(path.join(dir, name), text);
  return path.join(dir, name);
};
const budget = file('budget', '[jit_padded_step]\npeak_bytes <= 1GiB\n');
const text = file('notes.xplane.pb', 'these are notes\n');
const { USAGE, INPUT } = EXIT;

const ROWS = [
  // unknown ids
  [['doctor', demo, '--module=jit_else'], INPUT, /jit_else/], [['doctor', demo, '--run=monday'], INPUT, /monday/],
  [['memory', demo, '--space=99'], INPUT, /99/], [['memory', demo, '--step=999999'], USAGE, /999999/],
  [['explain', demo, '--node=%nothing.7'], INPUT, /nothing\.7/], [['hlo', demo, '--node=nothing.7'], INPUT, /nothing\.7/],
  [['query', demo, 'around', 'nothing.7'], INPUT, /nothing\.7/], [['query', demo, 'weather'], USAGE, /QUESTION/],
  [['diff', demo, demo, '--module=jit_else'], INPUT, /jit_else/], [['diff', demo, demo, '--space=42'], INPUT, /42/],
  [['buffers', demo, '--space=12'], INPUT, /12/], [['check', demo, `--budget=${budget}`, '--run=monday'], INPUT, /monday/],
  // inputs of other kinds
  [['diff', demo, text], INPUT, /notes/], [['diff', text, demo], INPUT, /notes/], [['doctor', budget], INPUT, /budget/],
  [['doctor', text], INPUT, /notes/], [['check', demo, `--budget=${demo}`], INPUT, /read|directory/i],
  [['check', budget, `--budget=${budget}`], INPUT, /budget/], [['diff', demo], USAGE, /two profiles/],
  // nonsense as capacity
  ...['0', '-1', 'lots', '16GB!', '1e3', 'NaN', '99999999999999999999', '16 GiB GiB', ''].flatMap((size) =>
    ['doctor', 'memory', 'check'].map((command) => [[command, demo, `--hbm=${size}`, ...(command === 'check' ? [`--budget=${budget}`] : [])],
      USAGE, /hbm|size/])),
  // options that do not hold together
  [['doctor', demo, '--fail-on=maybe'], USAGE, /error, warn or info/], [['check', demo], USAGE, /--budget/],
  [['budget', demo, `--budget=${budget}`, '--slack=-5%'], USAGE, /percentage/],
  [['doctor', demo, '--sarif=/no/such/dir/x'], INPUT, /no\/such/], [['doctor', demo, '--junit=/no/such/dir/x'], INPUT, /no\/such/],
];

test('each row ends with its code and names what is wrong', () => {
  for (const [args, code, words] of ROWS) fails(args, code, words);
  assert.ok(ROWS.length > 45);
});

test('a module without buffers or heap trace: D30 says what is missing, nothing else is claimed', () => {
  const { doctor } = json(['doctor', bare]);
  assert.deepEqual(doctor.findings.map((finding) => finding.id), ['D30']);
  assert.match(doctor.findings[0].claim, /without its buffer assignment/);
  assert.match(doctor.findings[0].advice, /xla_dump_to/);
  assert.equal(doctor.peak_bytes, null);
  assert.equal(doctor.capacity_bytes, null);
  const diff = run(['diff', bare, demo]);
  assert.equal(diff.code, EXIT.UNJUDGED);
  assert.match(diff.text, /unknown -> .*nothing to compare/s);
});

test('the same over HTTP: unknown buffers, modules, runs, spaces; plans of nonsense', async () => {
  const server = await Server.start(path.join(testdata, 'tpu_padded_demo/logdir'));
  const run = (await server.api('runs')).json.id[0];
  for (const [route, query, status] of [
    ['doctor', { run: 'monday' }, 404], ['doctor', { run, module: 'jit_else' }, 404], ['doctor', { run, space: 77 }, 404],
    ['doctor', { run, config: 'x'.repeat(17000) }, 400], ['doctor', { run, hbm: 'lots' }, 400], ['doctor', { run, format: 'pdf' }, 400],
    ['compare', { run, base_run: 'monday' }, 404], ['compare', { run, base_module: 'jit_else' }, 404],
    ['memory/whatif', { run, buffers: '99999999' }, 404], ['memory/whatif', { run, buffers: 'x' }, 400],
    ['memory/buffer', { run, buffer: 99999999 }, 404], ['oom', {}, 400],
  ]) {
    const answer = await server.api(route, query);
    assert.ok([status, 400, 404].includes(answer.status) && answer.status >= 400, `${route} ${JSON.stringify(query)}: ${answer.status}`);
    assert.ok(answer.json.error.message.length > 10, route);
  }
  assert.ok(await server.answers());
  await server.stop();
});

test('over HTTP a run without buffers to compare with is refused with its reason', async () => {
  const root = temporary('bases');
  fs.cpSync(demo, path.join(root, 'demo'), { recursive: true });
  fs.cpSync(bare, path.join(root, 'bare/step.hlo.pb'));
  const server = await Server.start(root);
  const ids = (await server.api('runs')).json.id;
  const answer = await server.api('compare', { run: ids.find((id) => id.startsWith('demo')), base_run: 'bare', base_module: 'step' });
  assert.equal(answer.status, 404);
  assert.match(answer.json.error.message, /module step of the program before has no buffer assignment, so its memory is unknown and cannot be compared/);
  await server.stop();
});

test('a comparison is of the files as they are now, also of the run before', async () => {
  const root = temporary('replaced');
  fs.cpSync(demo, path.join(root, 'a'), { recursive: true });
  const put = (name) => fs.cpSync(captured(name), path.join(root, 'b/plugins/profile/run/host0.xplane.pb'));
  put('tpu_padded_demo');
  const server = await Server.start(root);
  const run = (await server.api('runs')).json.id.find((id) => id.startsWith('a'));
  const base = (await server.api('runs')).json.id.find((id) => id.startsWith('b'));
  const ask = () => server.api('compare', { run, base_run: base });
  const first = await ask();
  assert.equal(first.status, 200);
  put('tpu_scan_layers');
  server.child.kill('SIGHUP'); // looks for files at once
  await until(ask, (answer) => answer.text !== first.text, 'the new file');
  await server.stop();
});

test('the name of a program in a text dump may have dots', () => {
  const text = fs.readFileSync(path.join(testdata, 'cpu_text/jax_0.10.2/module_0008.jit_train.cpu_after_optimizations.txt'));
  const dir = temporary('dots');
  for (const number of [1, 2]) fs.writeFileSync(path.join(dir, `module_000${number}.Sync.${number}23.sm_8.0_gpu_after_optimizations.txt`), text);
  assert.deepEqual(json(['modules', dir]).modules.name.sort(), ['Sync.123', 'Sync.223']);
});

/* ---- text that is wrong: what is whole is shown, and a sentence says where the rest is ---- */

const dumps = path.join(testdata, 'cpu_text');
const JIT_TRAIN = 'module_0008.jit_train.cpu_after_optimizations';
const found = (target) => run(['fsck', target]).text;

test('a million lines in one computation; one of them edited by hand; the file cut', () => {
  const lines = ['HloModule m, is_scheduled=true', '', 'ENTRY %e {', '  %i0 = f32[4]{0} parameter(0)'];
  for (let i = 1; i < 1_000_000; i++) lines.push(`  ${i === 999_999 ? 'ROOT ' : ''}%i${i} = f32[4]{0} add(%i${i - 1}, %i${i >> 1})`);
  lines.push('}', '');
  const program = (said) => /program \S+ +(\d+) instructions/.exec(said)?.[1];
  const start = lines.slice(0, 2000).join('\n');
  lines[500_003] = '  %i500000 = f32[4]{0} frobnicate(%nosuch, %i250000), zork={1}';
  const edited = found(file('edited.hlo', lines.join('\n')));
  assert.equal(program(edited), '1000000', 'the line stays');
  assert.match(edited, /edited\.hlo, line 500004, column 36: its computation has no instruction "nosuch" \(byte \d+\)/);
  assert.match(edited, /edited\.hlo, line 500004, column 55: the attribute "zork" is not known and left out/);
  assert.match(edited, /the instruction "i500000" has the opcode "frobnicate", which XLA's list does not have/);
  const cut = found(file('cut.hlo', start.slice(0, start.indexOf('%i1990 =') + 12)));
  assert.equal(program(cut), '1990', 'what stands before');
  assert.match(cut, /cut\.hlo, line 1994, column \d+: computation "e" has no end here: it has the 1990 instructions that stand before/);
});

test('dumps of two compilations in one folder: the program is shown, and what does not belong to it is counted', () => {
  const folder = path.join(dir, 'mixed');
  fs.mkdirSync(folder);
  const of = (version, part) => path.join(dumps, version, part);
  const older = fs.readdirSync(path.join(dumps, 'jax_0.4.30')).find((name) => /jit_train.*buffer-assignment/.test(name));
  fs.copyFileSync(of('jax_0.10.2', `${JIT_TRAIN}.txt`), path.join(folder, `${JIT_TRAIN}.txt`));
  fs.copyFileSync(of('jax_0.4.30', older), path.join(folder, `${JIT_TRAIN}-buffer-assignment.txt`));
  assert.match(found(folder), /assignment_text_mixed +4\d of the 43 values in \S+-buffer-assignment\.txt do not fit the program, the first in line \d+: \S+ (is no instruction of the program|has the dimensions \[[0-9,]*\] there alone)\. The files are of different compilations, or one was edited/);
  const { code, text: said } = run(['memory', folder]);
  assert.equal(code, 0);
  assert.match(said, /140 instructions/);
  assert.match(said, /^warning  4\d of the 43 values in \S+ do not fit the program, the first in line \d+: /m, 'beside the numbers that it makes doubtful');
  assert.doesNotMatch(run(['memory', of('jax_0.10.2', '.')]).text, /^warning/m, 'the dump of one compilation');
});

test('the reports of the same program with another batch: names are alike, the dimensions tell', () => {
  const folder = path.join(dir, 'batch'), from = path.join(dumps, 'jax_0.10.2');
  fs.mkdirSync(folder);
  for (const name of fs.readdirSync(from).filter((one) => one.startsWith(JIT_TRAIN))) fs.copyFileSync(path.join(from, name), path.join(folder, name));
  const report = path.join(folder, `${JIT_TRAIN}-buffer-assignment.txt`), whole = fs.readFileSync(report, 'utf8');
  const line = whole.split('\n').findIndex((one) => /^ value: .*f32\[64,/.test(one)) + 1;
  fs.writeFileSync(report, whole.replace(/f32\[64,/g, 'f32[32,'));
  assert.match(found(folder), new RegExp(`assignment_text_mixed +\\d+ of the 40 values in \\S+ do not fit the program, the first in line ${line}: \\S+ has the dimensions \\[32,\\d+\\] there alone\\.`));
});

test('live ranges of another compilation are counted, and the first is named', () => {
  const folder = path.join(dir, 'ranges'), from = path.join(dumps, 'jax_0.10.2');
  fs.mkdirSync(folder);
  for (const name of fs.readdirSync(from).filter((one) => one.startsWith(JIT_TRAIN))) fs.copyFileSync(path.join(from, name), path.join(folder, name));
  fs.copyFileSync(path.join(from, 'module_0012.jit_loop.cpu_after_optimizations-live-range.txt'), path.join(folder, `${JIT_TRAIN}-live-range.txt`));
  assert.match(found(folder), /live_ranges_mixed +\d+ live ranges in \S+-live-range\.txt are of instructions that the program does not have, the first in line \d+: \S+\. The files are of different compilations/);
});

test('a report of the buffer assignment that is cut: the line and column, and the buffers before', () => {
  const folder = path.join(dir, 'cut-report');
  const from = path.join(dumps, 'jax_0.10.2'), report = `${JIT_TRAIN}-buffer-assignment.txt`;
  fs.mkdirSync(folder);
  fs.copyFileSync(path.join(from, `${JIT_TRAIN}.txt`), path.join(folder, `${JIT_TRAIN}.txt`));
  const whole = fs.readFileSync(path.join(from, report), 'utf8');
  const end = whole.indexOf('\nUsed values:') + 400;
  const cut = whole.slice(0, whole[end - 1] === '\n' ? end + 5 : end);
  fs.writeFileSync(path.join(folder, report), cut);
  const said = found(folder);
  const [line, column] = [cut.split('\n').length, cut.length - cut.lastIndexOf('\n')];
  assert.ok(said.includes(`${report}, line ${line}, column ${column}: the report ends in the middle of a line`), said);
  assert.match(said, /no_live_ranges/);
  assert.doesNotMatch(said, / 0 buffers/);
});

test('a text that repeats a name, and one that names itself: the line and column are said', () => {
  const twice = found(file('twice.hlo', 'HloModule m\n\nENTRY %e {\n  %a = f32[] parameter(0)\n  %a = f32[] negate(%a)\n  ROOT %b = f32[] add(%a, %b)\n}\n'));
  assert.match(twice, /twice\.hlo, line 5, column \d+: .*"a"/);
  assert.match(twice, /3 instructions/);
});
