// xprofd query: vectors of the real TPU run, and answers against the program's own text read here.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';

import { run, source } from '../support/program.mjs';
import { EXIT, fails, json, layers, train } from './common.mjs';

const shared = process.env.XPD_SHARED ?? '';
const real = path.join(shared || source, 'data/tpu-v6e-offload/logdir');
const skip = !fs.existsSync(real) && 'no shared data here';
const ask = (profile, ...words) => json(['query', profile, ...words]).answer;

/** Instructions of a program out of its text: name, opcode, operands, computation. */
function program(profile, module) {
  const done = run(['hlo', profile, '--format=long', ...(module ? [`--module=${module}`] : [])]);
  const all = new Map();
  let computation = '';
  for (const line of done.text.split('\n')) {
    const head = /^(ENTRY )?%(\S+) \(/.exec(line);
    if (head) computation = head[2];
    const one = /^ {2}(?:ROOT )?%(\S+) = (.*)$/.exec(line);
    if (!one) continue;
    let rest = one[2], depth = 0, at = 0; // behind the shape, which may be a tuple
    for (; at < rest.length && (depth > 0 || rest[at] !== ' '); at++)
      depth += rest[at] === '(' || rest[at] === '{' || rest[at] === '[' ? 1 : rest[at] === ')' || rest[at] === '}' || rest[at] === ']' ? -1 : 0;
    rest = rest.slice(at + 1);
    const open = rest.indexOf('(');
    let end = open;
    for (depth = 0; end < rest.length; end++) {
      depth += rest[end] === '(' ? 1 : rest[end] === ')' ? -1 : 0;
      if (depth === 0) break;
    }
    const operands = [...rest.slice(open, end).matchAll(/%([^,\s)]+)/g)].map((m) => m[1]);
    all.set(one[1], { opcode: rest.slice(0, open), operands, computation });
  }
  return all;
}

test('the vectors of the real run: opcodes and what is around copy-done.4', { skip }, () => {
  const totals = ask(real, 'opcodes', '--module=jit_f');
  assert.equal(totals.computations, 4);
  assert.equal(totals.instructions, 31);
  assert.equal(totals.edges, 27);
  assert.equal(totals.fusions, 3);
  const around = ask(real, 'around', 'copy-done.4', '--width=2', '--module=jit_f');
  assert.deepEqual(around.distance, [0, 1, 1, 2, 2]);
  assert.equal(around.name[0], 'copy-done.4');
});

for (const [profile, module] of [[train, 'jit_train_step'], [layers, 'jit_train_step']])
  test(`opcodes, steps and paths of ${path.basename(path.dirname(profile))} are those of its text`, () => {
    const text = program(profile, module), flag = `--module=${module}`;
    const totals = ask(profile, 'opcodes', flag);
    const count = {};
    // The text folds wrappers of asynchronous operations away: those are not in `text`.
    for (const op of text.values()) count[op.opcode] = (count[op.opcode] ?? 0) + 1;
    totals.opcode.forEach((opcode, k) => {
      if (!opcode.startsWith('async-') && count[opcode]) assert.ok(totals.count[k] >= count[opcode], opcode);
    });
    assert.equal(totals.count.reduce((a, b) => a + b), totals.instructions);
    assert.ok(totals.instructions >= text.size);

    const critical = ask(profile, 'critical', flag);
    assert.equal(critical.own.reduce((a, b) => a + b), critical.length);
    for (let k = 1; k < critical.n; k++) // each waits for the one before it
      assert.ok(text.get(critical.name[k]).operands.includes(critical.name[k - 1]), critical.name[k]);

    const from = critical.name[0], to = critical.name[critical.n - 1];
    const way = ask(profile, 'path', from, to, flag);
    assert.ok(way.found && !way.reversed);
    assert.ok(way.n <= critical.n);
    for (let k = 1; k < way.n; k++)
      if (way.operand[k] !== null && way.computation[k] === way.computation[k - 1])
        assert.equal(text.get(way.name[k]).operands[way.operand[k]], way.name[k - 1]);

    const near = ask(profile, 'around', to, '--width=1', flag);
    const steps = new Set([to, ...text.get(to).operands]);
    for (const [name, op] of text) if (op.operands.includes(to)) steps.add(name);
    assert.deepEqual(new Set(near.name), steps);
  });

test('calls: each computation once, callers before callees', () => {
  const calls = ask(layers, 'calls', '--module=jit_train_step', '--top=4000');
  assert.equal(new Set(calls.computation).size, calls.n);
  assert.equal(calls.depth[0], 0);
  for (let k = 1; k < calls.n; k++) assert.ok(calls.depth[k] <= calls.depth[k - 1] + 1);
  assert.equal(ask(layers, 'opcodes', '--module=jit_train_step').computations, calls.n + calls.left_out);
});

test('search and layout changes as tables', () => {
  const found = ask(layers, 'search', 'fusion', '--module=jit_train_step');
  assert.ok(found.total > 0);
  const table = run(['query', layers, 'search', 'fusion', '--module=jit_train_step', '--top=3']);
  assert.equal(table.code, EXIT.OK);
  const rows = table.text.trimEnd().split('\n');
  assert.equal(rows.length, 1 + 1 + 3, 'the total, the titles, three rows');
  assert.match(rows[1], /^name +opcode +shape +line +op name$/);
  const layouts = ask(layers, 'layout-changes', '--module=jit_train_step');
  for (let k = 1; k < layouts.n; k++) assert.ok(layouts.moved_bytes[k - 1] >= layouts.moved_bytes[k]);
  for (let k = 0; k < layouts.n; k++)
    assert.notEqual(layouts.shape[k].replace(/S\(\d+\)/, ''), layouts.from_shape[k].replace(/S\(\d+\)/, ''));
});

test('what is not a question is told', () => {
  fails(['query', layers], EXIT.USAGE, /ask for opcodes, calls, path/);
  fails(['query', layers, 'nothing'], EXIT.USAGE, /ask for opcodes/);
  fails(['query', layers, 'path', 'a'], EXIT.USAGE, /path takes two words after it: xprofd query PROFILE path FROM TO/);
  fails(['query', layers, 'path', 'a', 'b', 'c'], EXIT.USAGE, /unexpected "/);
  fails(['query', layers, 'opcodes', 'a'], EXIT.USAGE, /opcodes takes nothing after it/);
  fails(['query', layers, 'around', 'nonsense'], EXIT.INPUT, /No op named nonsense .*Nearest: /);
});
