// Input that is wrong, for the commands about memory: each row ends with its code and says what is wrong and where.
// (Mistakes in budgets and thresholds with line and column: check.test.mjs, doctor.test.mjs; files: input.test.mjs.)
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';

import { run, Server, temporary, testdata } from '../support/program.mjs';
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

test('over HTTP a baseline without buffers is refused with its reason', async () => {
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
