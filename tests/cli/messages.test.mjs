// What is said to somebody who mistyped: the option, command, run, host or node by its name, and what there is instead.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';

import { binary, captured, putRun, run, source, temporary, testdata } from '../support/program.mjs';
import { demo, EXIT, fails, json, layers, train } from './common.mjs';

const COMMANDS = [...fs.readFileSync(path.join(source, 'src/cli/commands.def'), 'utf8').matchAll(/^COMMAND\(xpd_command_(\w+)\)/gm)]
  .map((match) => match[1]).filter((name) => name !== 'serve' && name !== 'guide');

test('every command names the option that it does not have, and the one that lacks its value', () => {
  for (const command of COMMANDS) {
    fails([command, demo, '--bogus=3'], EXIT.USAGE, /unknown option: --bogus;/);
    fails([command, demo, '-z'], EXIT.USAGE, /unknown option: -z/);
    fails([command, demo, '--run'], EXIT.USAGE, /--run needs a value/);
    fails([command, demo, '--json=1'], EXIT.USAGE, /--json takes no value/);
  }
  fails(['memory', demo, '--tpo=5'], EXIT.USAGE, /unknown option: --tpo; did you mean --top\?/);
  fails(['trace', train, '--cloc'], EXIT.USAGE, /--cloc needs a value/);
});

test('an option of another command is refused by all, not taken in silence', () => {
  const OTHERS = { fsck: ['--module=x', '--top=3', '--host=x'], ops: ['--from=1ms', '-o'], diff: ['--top=3', '--host=x'], query: ['--space=1'],
    trace: ['--derived', '-o'], overlap: ['--sort=self', '--derived'], overview: ['--top=3'], steps: ['--step=1', '--device=x'], export: ['--sort=self', '--top=3'], report: ['--top=3'] };
  for (const [command, options] of Object.entries(OTHERS))
    for (const option of options) {
      const more = command === 'diff' ? [demo] : command === 'query' ? ['opcodes'] : [];
      const value = option === '-o' ? ['x'] : [];
      fails([command, train, ...more, option, ...value], EXIT.USAGE, /takes no --|unknown option: -o/);
    }
});

test('two forms of an answer are refused by the commands about time, too', () => {
  for (const command of ['trace', 'ops', 'overlap', 'overview', 'steps']) fails([command, train, '--json', '--csv'], EXIT.USAGE, /choose one/);
});

test('help of a command, by -h and by xprofd help', () => {
  for (const command of COMMANDS) {
    const text = run([command, '--help']).text;
    assert.equal(run([command, '-h']).text, text, command);
    assert.equal(run(['help', command]).text, text, command);
  }
  assert.equal(run(['help']).text, run(['--help']).text);
  fails(['help', 'nothing'], EXIT.USAGE, /unknown command "nothing"/);
});

test('a command that is mistyped is no path', () => {
  fails(['memroy', demo], EXIT.USAGE, /unknown command "memroy"; did you mean memory/);
  fails(['nonsense', demo], EXIT.USAGE, /only one path is allowed: both "nonsense" and .* and the first is not a command/);
  fails(['doctro'], EXIT.INPUT, /doctro does not exist, and it is not a command; did you mean doctor\?/);
});

test('a run, a host, a node that is not there: what there is is named', () => {
  const root = temporary('runs');
  for (const name of ['monday', 'tuesday']) putRun(root, name, fs.readFileSync(captured('tpu_padded_demo')));
  fails(['memory', root, '--run=sunday'], EXIT.INPUT, /There is no run "sunday"; 2 runs were found under .*: (monday, tuesday|tuesday, monday)\./);
  fails(['memory', root, '--run=tues'], EXIT.INPUT, /: tuesday, monday\.$/m);
  fails(['memory', root, '--run=MON'], EXIT.INPUT, /: monday, tuesday\.$/m);
  fails(['memory', demo, '--run=sunday'], EXIT.INPUT, /1 run was found under .*: aot\./);
  for (const command of ['memory', 'doctor', 'trace', 'overlap', 'overview', 'steps', 'export'])
    fails([command, train, '--host=nowhere'], EXIT.INPUT, /has no host "nowhere"; it has host0/);
  assert.equal(run(['memory', train, '--host=host0']).text, run(['memory', train]).text);
  for (const args of [['hlo', demo, '--node=pad.3'], ['explain', demo, '--node=pad.3'], ['query', demo, 'around', 'pad.3']])
    fails(args, EXIT.INPUT, /No op named pad\.3 in jit_padded_step\. Nearest: (.*, )?pad\.2/);
  fails(['explain', demo, '--node=pad.2', '--device=GPU'], EXIT.USAGE, /--device takes one of .*TPU v5e.*, not "GPU"/);
  for (const command of ['ops', 'roofline', 'overview', 'doctor'])
    fails([command, path.join(testdata, 'tpu_run/logdir'), '--device=TPU v99'], EXIT.USAGE, /--device takes one of TPU v2, [^M]*, not "TPU v99"/);
});

test('a range beyond the trace is told from one that ends before it begins', () => {
  fails(['trace', train, '--from=99s'], EXIT.USAGE, /the trace ends before that: from is 99000000000000, the end \d+ ps/);
  fails(['trace', train, '--from=2ms', '--to=1ms'], EXIT.USAGE, /the range ends before it begins/);
});

test('a file that cannot be read ends with 3, whatever is asked', () => {
  const root = temporary('mangled');
  const bytes = Buffer.from(fs.readFileSync(captured('cpu_mlp_train')).toString('utf8'), 'utf8'); // a text conversion
  putRun(root, 'r', bytes);
  for (const command of ['memory', 'modules', 'doctor', 'trace', 'ops', 'overlap', 'overview', 'steps', 'export'])
    fails([command, root], EXIT.INPUT, /went through a text conversion/);
  const done = run(['fsck', root]);
  assert.equal(done.code, EXIT.INPUT);
  assert.match(done.text, /error +The file went through a text conversion/);
  assert.equal(JSON.parse(run(['fsck', root, '--json']).text).exit.word, 'bad_format');
});

test('a pipe that is closed ends a command in silence', () => {
  for (const command of ['hlo', 'buffers', 'memory']) {
    const done = spawnSync('bash', ['-c', `"$0" ${command} "$1" --run=aot | true; echo "\${PIPESTATUS[0]}"`, binary, layers], { encoding: 'utf8' });
    assert.equal(done.stderr, '', command);
    assert.match(done.stdout, /^(141|0)\n$/, command);
  }
});

test('an answer that cannot be written says why', { skip: !fs.existsSync('/dev/full') }, () => {
  const full = fs.openSync('/dev/full', 'w');
  const done = spawnSync(binary, ['modules', demo], { stdio: ['ignore', full, 'pipe'], encoding: 'utf8' });
  fs.closeSync(full);
  assert.equal(done.status, EXIT.INTERNAL);
  assert.match(done.stderr, /^xprofd: the answer cannot be written: No space left on device\n$/);
  assert.ok(json(['modules', demo]));
});

test('one is not "1 operations" or "1 chips"; what is not zero does not read as zero; equal chips have no straggler', () => {
  const of = (name) => path.join(testdata, name, 'logdir');
  assert.match(run(['ops', of('cpu_tf')]).text, /^1 operation;/);
  assert.match(run(['doctor', of('gpu_jax')]).text, /peak 809\.5 KiB of 79\.20 GiB \(memory_size of the GPU\), 79\.20 GiB left/);
  const budget = path.join(temporary('budget'), 'limits');
  fs.writeFileSync(budget, '[*]\nfragmentation <= 0%\nexposed_ms <= 1\n');
  const check = (name) => run(['check', of(name), `--budget=${budget}`]).text;
  assert.match(check('cpu_mlp_train'), /BROKEN +jit_train_step fragmentation 0\.003 %, limit <= 0%/);
  assert.match(check('cpu_torch'), /ok +SyncTensorsGraph\.173 fragmentation 0\.0 %/);
  assert.match(check('cpu_torch'), /the recording has 4 steps on the CPU; times of steps need at least 5 on each/);
  const logdir = temporary('equal'), bytes = fs.readFileSync(captured('cpu_mlp_train'));
  for (const host of ['a', 'b']) putRun(logdir, 'run', bytes, `${host}.xplane.pb`);
  const { chips } = json(['overlap', logdir, '--by=step', '--host=ALL']).steps;
  assert.deepEqual([chips.straggler, chips.why], [null, 'all chips work equally long']);
});
