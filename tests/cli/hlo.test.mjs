// xprofd hlo: the text of a program, its parts, its bytes. Whole texts are compared with XProf's in
// tests/golden/hlo_text.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import zlib from 'node:zlib';

import { run, temporary, testdata } from '../support/program.mjs';
import { demo, EXIT, fails, layers, train } from './common.mjs';

const lines = (args) => {
  const done = run(['hlo', ...args]);
  assert.equal(done.code, EXIT.OK, done.errors);
  return done.text.split('\n');
};

/** Names of the entry computation's instructions, in the order of a long text. */
function entryNames(text) {
  const from = text.findIndex((line) => line.startsWith('ENTRY '));
  const body = text.slice(from + 1, text.indexOf('}', from));
  return body.map((line) => line.trim().replace(/^ROOT /, '').split(' = ')[0]);
}

test("the entry computation has the instructions of the compiler's own dump, in its order", () => {
  for (const [profile, file] of [[demo, 'tpu_padded_demo/xla/jit_padded_step.after_codegen.txt.gz'],
    [layers, 'tpu_scan_layers/xla/jit_train_step.after_codegen.txt.gz']]) {
    const dump = zlib.gunzipSync(fs.readFileSync(path.join(testdata, file))).toString('utf8').split('\n');
    assert.deepEqual(entryNames(lines([profile, '--format=long'])), entryNames(dump));
  }
});

test('short and long differ in what the help says', () => {
  const short = lines([train, '--module=jit_train_step']), long = lines([train, '--module=jit_train_step', '--format=long']);
  assert.match(short[0], /^HloModule jit_train_step, is_scheduled=true/);
  assert.equal(short[0], long[0]);
  assert.ok(short.every((line) => !/^ *(ROOT )?%/.test(line)));
  assert.ok(long.some((line) => /^ENTRY %\S+ \(.*\) -> .* \{$/.test(line)));
});

test('metadata is there when asked for', () => {
  assert.ok(lines([train, '--module=jit_train_step']).every((line) => !line.includes('metadata={')));
  const text = lines([train, '--module=jit_train_step', '--metadata']).join('\n');
  assert.match(text, /metadata=\{op_name="jit\(train_step\)/);
  assert.match(text, /\nFileNames\n1 "/);
});

test('one computation, one instruction', () => {
  const entry = lines([demo, '--format=long']).find((line) => line.startsWith('ENTRY ')).split(' ')[1];
  const body = lines([demo, `--node=${entry}`, '--format=long']);
  assert.match(body[0], /^ENTRY /);
  assert.equal(body.at(-2), '}');
  const root = body.find((line) => line.startsWith('  ROOT ')).split(' ')[3];
  const one = lines([demo, `--node=${root}`]);
  assert.equal(one.length, 2);
  assert.ok(one[0].startsWith(`${root} = `));
  assert.match(one[0], /\((\(|\w+\[)/, 'operands carry their shapes');
});

test('the proto is the bytes that the profile holds', () => {
  const done = run(['hlo', demo, '--format=pb']);
  assert.equal(done.code, EXIT.OK);
  const again = path.join(temporary('hlo'), 'again.hlo_proto.pb');
  fs.writeFileSync(again, done.stdout);
  assert.deepEqual(lines([again, '--format=long']), lines([demo, '--format=long']));
});

test('the proto as protobuf text and as JSON names the same instructions', () => {
  const text = run(['hlo', demo, '--format=pbtxt']);
  const json = run(['hlo', demo, '--format=json']);
  assert.equal(text.code, EXIT.OK);
  assert.equal(json.code, EXIT.OK);
  const inText = text.stdout.toString().split('\n').filter((line) => /^      opcode: /.test(line)).map((line) => JSON.parse(line.slice(14)));
  const inJson = JSON.parse(json.stdout).hlo_module.computations.flatMap((one) => one.instructions.map((each) => each.opcode));
  assert.ok(inText.length > 100);
  assert.deepEqual(inJson, inText);
});

test('dot draws around a node, wider with a larger width', () => {
  const entry = lines([demo, '--format=long']).find((line) => line.startsWith('ENTRY ')).split(' ')[1];
  const root = lines([demo, `--node=${entry}`, '--format=long']).find((line) => line.startsWith('  ROOT ')).split(' ')[3];
  const nodes = (width) => lines([demo, '--format=dot', `--node=${root}`, `--width=${width}`]).filter((line) => /^\d+ \[label=</.test(line));
  assert.equal(nodes(0).length, 1);
  assert.match(nodes(0)[0], /shape=diamond/);
  assert.ok(nodes(1).length > 1);
  assert.ok(nodes(2).length >= nodes(1).length);
});

test('what cannot be is said', () => {
  fails(['hlo', demo, '--format=dot'], EXIT.USAGE, /needs --node/);
  fails(['hlo', demo, '--format=pdf'], EXIT.USAGE, /--format takes short, long, dot, pb, pbtxt or json, not "pdf"/);
  fails(['hlo', demo, '--node=%nothing'], EXIT.INPUT, /No op named nothing in jit_padded_step\. Nearest: /);
  fails(['hlo', demo, '--module=nothing'], EXIT.INPUT, /nothing/);
});
