// xprofd guide: every line runs on data of this repository and answers; no command is missing.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';

import { run, source, temporary } from '../support/program.mjs';
import { demo, EXIT, fails, json, layers, reportPage, train } from './common.mjs';

const { text, code } = run(['guide']);
const lines = [...text.matchAll(/^ {2}xprofd (\S.*?) +# (.*)$/gm)].map(([, command, answer]) => ({ command, answer }));
const dir = temporary('guide');
const budget = path.join(dir, 'budget');
fs.writeFileSync(budget, '[jit_*]\npeak_bytes <= 64GiB\n');
const stand = { PROFILE: demo, BEFORE: demo, AFTER: layers, TRACED: train, HEAP: path.join(source, 'testdata/device_memory'), FILE: budget, OUT: path.join(dir, 'out'),
  NAME: json(['query', demo, 'search', 'fusion']).answer.name[0] };

test('each line runs, ends with 0 and prints something; with --json too where it can', () => {
  assert.equal(code, EXIT.OK);
  assert.ok(lines.length >= 20);
  for (const { command } of lines) {
    const args = command.split(' ').map((word) => word.replace(/[A-Z]{3,}$/, (name) => {
      assert.ok(name in stand, `${command}: ${name} is explained nowhere`);
      return stand[name];
    }));
    if (args[0] === 'report') args.push(`--web-dir=${reportPage()}`);
    const done = run(args);
    assert.equal(done.code, EXIT.OK, `${command}: ${done.errors}`);
    assert.equal(done.errors.replace(/^xprofd report: not the same workload: .*\n/, ''), '', command); // BEFORE and AFTER are none
    const out = args.includes('-o') ? fs.readFileSync(stand.OUT) : done.stdout;
    assert.ok(out.length > 20, command);
    if (!/ (-o|--csv)|^(hlo|budget|explain) /.test(command)) assert.equal(json(args).schema, 1, command);
  }
});

test('no command is missing, and each answer is in words', () => {
  const commands = [...run(['--help']).text.split('Options of')[0].matchAll(/^ {2}(\w+) {2,}/gm)].map(([, name]) => name);
  const named = new Set(lines.map(({ command }) => command.split(' ')[0]));
  assert.deepEqual(commands.filter((name) => !named.has(name) && !['serve', 'guide', 'debug'].includes(name)), []);
  for (const { command, answer } of lines) assert.ok(answer.length >= 10, command);
});

test('it is one page, its words are defined, its fields exist', () => {
  const page = text.split('\n');
  assert.ok(page.length <= 75, `${page.length} lines`);
  assert.ok(page.every((line) => line.length <= 110), page.find((line) => line.length > 110));
  const { doctor } = json(['doctor', demo]);
  const { diff } = json(['diff', demo, layers]);
  for (const field of ['claim', 'advice', 'source', 'saving_bytes', 'new_peak_bytes']) {
    assert.ok(text.includes(field));
    assert.ok(doctor.findings.every((finding) => field in finding), field);
  }
  assert.ok('not_judged' in doctor && 'difference_bytes' in diff && 'groups' in diff);
  fails(['guide', 'me'], EXIT.USAGE, /no arguments/);
  assert.match(run(['guide', '--help']).text, /^usage: xprofd guide/);
});
