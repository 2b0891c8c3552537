// Files that a command writes: "-" is stdout, a file of the profile is never written over, a folder is no file.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';

import { captured, fingerprint, putRun, run, source, temporary } from '../support/program.mjs';
import { demo, EXIT, fails, train } from './common.mjs';

const budget = path.join(source, 'docs/example.budget');
/** A command that writes a file, with the option that names it. */
const WRITERS = [
  [['export', train], '-o'],
  [['doctor', demo], '--sarif'], [['doctor', demo], '--junit'],
  [['check', demo, `--budget=${budget}`], '--sarif'], [['check', demo, `--budget=${budget}`], '--junit'],
  [['diff', demo, demo, `--budget=${budget}`], '--sarif'], [['diff', demo, demo, `--budget=${budget}`], '--junit'],
];
const named = (option, file) => (option === '-o' ? ['-o', file] : [`${option}=${file}`]);

test('"-" is stdout: the same bytes as the file, alone, and no file is called "-"', () => {
  const cwd = temporary('dash');
  for (const [args, option] of WRITERS) {
    const what = `${args[0]} ${option}`, file = path.join(cwd, 'out');
    const written = run([...args, ...named(option, file)], { cwd });
    const piped = run([...args, ...named(option, '-')], { cwd });
    assert.equal(piped.code, written.code, what);
    assert.ok(piped.stdout.equals(fs.readFileSync(file)), `${what}: stdout is what the file has`);
    assert.deepEqual(fs.readdirSync(cwd), ['out'], what);
    fs.rmSync(file);
  }
});

test('two answers do not share stdout', () => {
  for (const args of [['doctor', demo, '--sarif=-', '--junit=-'], ['doctor', demo, '--sarif=-', '--json'], ['doctor', demo, '--md', '--junit=-'],
    ['check', demo, `--budget=${budget}`, '--junit=-', '--json']]) fails(args, EXIT.USAGE, /stdout/);
});

test('a file of the profile is not overwritten, a folder is no file', () => {
  const cwd = temporary('own');
  const traced = putRun(cwd, 'a', fs.readFileSync(captured('cpu_mlp_train')));
  const before = fingerprint(cwd);
  for (const [[command, , ...more], option] of WRITERS) {
    const args = command === 'diff' ? [command, traced, traced, ...more.slice(1)] : [command, traced, ...more];
    fails([...args, ...named(option, traced)], EXIT.USAGE, /is a file of the profile and will not be overwritten/);
    fails([...args, ...named(option, cwd)], EXIT.USAGE, /is a folder/);
  }
  assert.deepEqual(fingerprint(cwd), before, 'the profile is as it was');
});

test('files of a check without a check are refused, not left out in silence', () => {
  for (const option of ['--sarif', '--junit']) fails(['diff', demo, demo, `${option}=x`], EXIT.USAGE, /needs --budget/);
});
