// xprofd heap: files of JAX and Go, their sums on every route, limits of CI, damage. The figures are those of
// docs/HEAP.md.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';
import zlib from 'node:zlib';

import { run, Server, shared, source, temporary, testdata } from '../support/program.mjs';
import { csv, EXIT, fails, json } from './common.mjs';

const MIB = 1 << 20;
const series = path.join(testdata, 'device_memory');
const file = (step) => path.join(series, `memory.step${step}.prof`);
const go = (name) => path.join(testdata, 'pprof', name);
const sum = (list) => list.reduce((a, b) => a + b, 0);
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'heap-'));
test.after(() => fs.rmSync(scratch, { recursive: true }));

test('heap: the leak of the series, line by line', () => {
  const { summary, lines, exit } = json(['heap', series]);
  assert.equal(exit.code, 0);
  assert.deepEqual([summary.file, summary.against, summary.step, summary.base_step], ['memory.step80.prof', 'memory.step20.prof', 80, 20]);
  assert.deepEqual([summary.value, summary.base_value, summary.change], [739943696, 479609168, 260334528]);
  assert.deepEqual([summary.buffers, summary.samples, summary.format, summary.unit], [2376, 176, 'jax', 'bytes']);
  assert.equal(summary.lines_value, summary.value);
  assert.equal(sum(summary.devices.value), summary.value);
  assert.equal(sum(summary.kinds.value), summary.value);
  assert.deepEqual(summary.growing.map((row) => [row.label, row.function, Math.round(row.last_per_step / MIB * 100) / 100]), [['train.py:41', 'step', 2], ['train.py:48', 'evaluate', 0.8]]);
  assert.deepEqual(lines.series.step, [20, 40, 60, 80]);
  assert.equal(sum(lines.rows.value), lines.value);
  assert.equal(sum(lines.rows.change), lines.change);
  assert.equal(sum(lines.rows.count), lines.count);
  lines.rows.label.forEach((label, i) => {
    assert.equal(lines.rows.values[i].at(-1), lines.rows.value[i], label);
    assert.equal(sum(lines.rows.devices[i]), lines.rows.executables[i] ? 0 : lines.rows.value[i], label);
  });
  lines.series.value.forEach((value, k) => assert.equal(sum(lines.rows.values.map((of) => of[k])), value));
});

test('doctor: the lines that grow are findings, with the numbers of heap/lines', () => {
  const { summary, lines } = json(['heap', series]);
  const { doctor } = json(['doctor', series]);
  assert.deepEqual([doctor.module, doctor.rules_checked, doctor.rules_not_judged, doctor.found], [null, 1, 0, summary.growing_total]);
  assert.deepEqual(doctor.heap, [{ series: 'memory.step#.prof', files: 4, judged: 4, first: 'memory.step20.prof', last: 'memory.step80.prof', last_bytes: summary.value, growing: summary.growing_total, reason: null }]);
  for (const finding of doctor.findings) {
    const row = lines.rows.key.indexOf(finding.line);
    const number = Object.fromEntries(finding.numbers.map(({ name, value }) => [name, value]));
    assert.deepEqual([finding.id, finding.kind, finding.saving_bytes], ['H01', 'heap', null]);
    assert.equal(finding.size_bytes, lines.rows.change[row]);
    assert.deepEqual(number, { growth_bytes: lines.rows.change[row], last_bytes: lines.rows.value[row], last_growth_bytes: lines.rows.last_per_step[row], files: 4 });
    assert.equal(finding.share, finding.size_bytes / summary.value);
    assert.equal(`${finding.source.file.split('/').at(-1)}:${finding.source.line}`, lines.rows.label[row]);
  }
  assert.equal(run(['doctor', series, '--fail-on=warn']).code, EXIT.BROKEN);
  assert.equal(run(['doctor', series, '--fail-on=error']).code, EXIT.OK);
  assert.match(run(['doctor', series, '--md']).text, /^### Heap files of device\\_memory\n\n\| \| finding \| grew by \| where \|[^]*\| 120\.0 MiB \| \/home\/me\/train\/train\.py:41 \|$/m);
  assert.match(run(['doctor', series, '--sarif=-']).text, /"ruleId":"H01"[^]*"artifactLocation":\{"uri":"[^"]*train\.py"/);
});

test('doctor: files that do not tell what grows say why', () => {
  assert.match(run(['doctor', file(20)]).text, /^not checked: H01: growth is told from three or more readable files of one series, such as memory\.step#\.prof; memory\.step20\.prof has 1$/m);
  assert.match(run(['doctor', path.join(testdata, 'pprof')]).text, /; heap\.#\.prof has 2$/m);
  const values = path.join(scratch, 'cpu');
  fs.mkdirSync(values);
  for (const at of [1, 2, 3]) fs.copyFileSync(go('cpu.prof'), path.join(values, `cpu.${at}.prof`));
  assert.match(run(['doctor', values]).text, /^not checked: H01: the values of cpu\.3\.prof are not bytes$/m);
  fs.writeFileSync(path.join(values, 'cpu.3.prof'), fs.readFileSync(go('cpu.prof')).subarray(0, 12));
  assert.match(run(['doctor', values]).text, /^not checked: H01: /m);
  fails(['doctor', series, '--time'], EXIT.INPUT, /A heap file holds what a process kept/);
});

test('heap: text, CSV and every --by have the same sum', () => {
  const text = run(['heap', series]).text;
  assert.match(text, /^memory\.step80\.prof: 705\.7 MiB live in 2,376 buffers on 4 devices, \+248\.3 MiB since memory\.step20\.prof$/m);
  assert.match(text, /^grows: train\.py:41 \(step\): 400\.8 MiB made there, \+2\.0 MiB a step$/m);
  for (const by of ['line', 'function', 'file', 'stack', 'size', 'device', 'kind']) {
    const rows = csv(run(['heap', series, `--by=${by}`, '--csv']).text);
    assert.equal(sum(rows.map((row) => Number(row.value))), 739943696, by);
  }
  assert.match(run(['heap', series, '--by=size', '--line=/home/me/train/train.py:41']).text, /160\.0 MiB .* 320 /, '320 buffers of 512 KiB');
});

test('heap: one file, two files, and a file of the folder by its name', () => {
  const one = json(['heap', file(80)]);
  assert.deepEqual([one.summary.against, one.summary.change, one.lines.rows.change[0]], [null, null, null]);
  const two = json(['heap', file(80), `--against=${file(20)}`]);
  assert.equal(two.summary.change, 260334528);
  assert.equal(json(['heap', series, '--file=memory.step60.prof', '--against=memory.step40.prof']).summary.change, 681223120 - 622502544);
  assert.equal(json(['heap', series, '--against=none']).summary.change, null);
  fails(['heap', series, '--file=nothing.prof'], EXIT.INPUT, /no heap file "nothing\.prof".*memory\.step20\.prof/);
});

test('heap: --fail-on-growth names the line', () => {
  const broken = run(['heap', series, '--fail-on-growth=64MiB']);
  assert.equal(broken.code, EXIT.BROKEN);
  assert.match(broken.errors, /train\.py:41 gained 120\.0 MiB since memory\.step20\.prof, more than 64\.0 MiB/);
  assert.equal(run(['heap', series, '--fail-on-growth=1GiB']).code, 0);
  assert.match(run(['heap', series, '--fail-on-growth=200MiB']).errors, /all lines of memory\.step80\.prof gained 248\.3 MiB/);
  fails(['heap', file(80), '--fail-on-growth=1MiB'], EXIT.USAGE, /needs two files/);
  fails(['heap', go('cpu.prof'), `--against=${go('cpu.prof')}`, '--fail-on-growth=1MiB'], EXIT.USAGE, /about bytes/);
  fails(['heap', series, '--fail-on-growth=much'], EXIT.USAGE, /takes a size/);
});

test('heap: a Go profile under the name that its tool saves it by, or that a browser has inflated', () => {
  const named = (name, bytes) => {
    const file = path.join(temporary('heap_go'), name);
    fs.writeFileSync(file, bytes);
    return json(['heap', file]).summary.value;
  };
  for (const from of ['heap.2.prof', 'cpu.prof']) {
    const packed = fs.readFileSync(go(from)), { value } = json(['heap', go(from)]).summary;
    const plain = zlib.gunzipSync(packed);
    for (const [name, bytes] of [['pprof.leaky.001.pb.gz', packed], ['heap', packed], ['heap.pb', plain], ['heap.pb.gz', plain], ['heap.prof', plain]])
      assert.equal(named(name, bytes), value, `${from} as ${name}`);
  }
});

test('heap: Go heap and CPU profiles in their own units', () => {
  const heap = json(['heap', go('heap.2.prof'), `--against=${go('heap.1.prof')}`]);
  assert.deepEqual([heap.summary.type, heap.summary.unit, heap.summary.format], ['inuse_space', 'bytes', 'heap']);
  assert.deepEqual(heap.summary.types.name, ['alloc_objects', 'alloc_space', 'inuse_objects', 'inuse_space']);
  const at = heap.lines.rows.function.findIndex((name, i) => name === 'main.(*cache).fill' && heap.lines.rows.line[i] === 15);
  assert.ok(heap.lines.rows.value[at] >= 16 * 65536 && heap.lines.rows.change[at] >= 8 * 65536, 'eight of 64 KiB a round');
  assert.ok(heap.lines.rows.own[at] && !heap.lines.rows.own[heap.lines.rows.function.indexOf('runtime.systemstack')]);
  assert.ok(heap.summary.mappings.build_id[0] && heap.summary.time_ns > 0);
  const all = json(['heap', go('heap.2.prof'), '--type=alloc_space']);
  assert.ok(all.summary.value >= heap.summary.value);
  const cpu = json(['heap', go('cpu.prof')]);
  assert.deepEqual([cpu.summary.unit, cpu.summary.format, cpu.summary.type], ['ns', 'time', 'cpu']);
  assert.match(run(['heap', go('cpu.prof')]).text, / s in all$| ms in all$/m);
  fails(['heap', go('cpu.prof'), '--type=space'], EXIT.INPUT, /no value "space".*samples, cpu/);
});

test('heap: every route says the same of a file', async () => {
  const server = await Server.start(series);
  const ask = async (what) => (await fetch(`http://127.0.0.1:${server.port}/api/v1/heap/${what}`)).json();
  const [files, summary, tree] = [await ask('files'), await ask('summary'), await ask('tree?limit=5000')];
  const at = files.files.name.indexOf(summary.file);
  assert.deepEqual([files.files.value[at], files.files.count[at]], [summary.value, summary.count]);
  assert.deepEqual([tree.nodes.value[0], tree.nodes.base_value[0], tree.nodes.count[0]], [summary.value, summary.base_value, summary.count]);
  assert.equal(sum(tree.nodes.self), summary.value);
  for (const group of ['line', 'stack', 'size', 'device']) assert.equal((await ask(`lines?group=${group}`)).value, summary.value);
  const device = await ask('lines?device=cpu:1');
  assert.equal(device.value, summary.devices.value[summary.devices.name.indexOf('cpu:1')]);
  assert.equal((await ask('tree?device=cpu:1')).nodes.value[0], device.value);
  for (const [bad, words] of [['summary?file=../x', /no heap file/], ['tree?zoom=x', /takes the key/], ['tree?open=1,,2', /keys of nodes/], ['lines?group=colour', /group/], ['summary?type=cpu', /no value "cpu"/]]) {
    const answer = await fetch(`http://127.0.0.1:${server.port}/api/v1/heap/${bad}`);
    assert.ok(answer.status >= 400 && answer.status < 500, bad);
    assert.match((await answer.json()).error.message, words, bad);
  }
  const runs = await (await fetch(`http://127.0.0.1:${server.port}/api/v1/runs`)).json();
  assert.deepEqual([runs.kind, runs.n], [['heap'], 1]);
  assert.deepEqual(await (await fetch(`http://127.0.0.1:${server.port}/runs`)).json(), [], 'XProf has no tool for it');
  await server.stop();
});

test('heap: whose code is one\'s own is asked for, and the sum stays; boxes beyond a limit are counted', async () => {
  const server = await Server.start(series);
  const ask = async (what) => (await fetch(`http://127.0.0.1:${server.port}/api/v1/heap/${what}`)).json();
  const mine = await ask('lines?own=state.py&limit=1000');
  mine.rows.file.forEach((name, i) => assert.equal(mine.rows.own[i], name !== null && name.endsWith('/state.py'), name));
  assert.ok(mine.rows.own.includes(true));
  assert.deepEqual([sum(mine.rows.value), mine.value], [739943696, 739943696]);
  const few = await ask('tree?limit=5'), all = await ask('tree?limit=5000');
  assert.deepEqual([few.nodes.n, few.all, few.nodes.value[0]], [5, all.nodes.n, all.nodes.value[0]]);
  assert.ok(sum(few.nodes.left_out) > 0 && sum(all.nodes.left_out) === 0);
  await server.stop();
});

test('heap: damage is told by its byte, and what is whole is shown', () => {
  const plain = zlib.gunzipSync(fs.readFileSync(file(80))), packed = fs.readFileSync(file(80));
  const write = (name, bytes) => {
    fs.writeFileSync(path.join(scratch, name), bytes);
    return path.join(scratch, name);
  };
  assert.equal(json(['heap', write('plain.prof', plain)]).summary.value, 739943696, 'not gzipped');
  const cut = json(['heap', write('cut.prof', packed.subarray(0, 3000))]).summary;
  assert.ok(cut.cut && cut.value > 0 && cut.warnings.code.includes('cut_gzip') && cut.warnings.offset[0] > 0);
  const half = json(['heap', write('half.prof', plain.subarray(0, 4000))]).summary;
  assert.ok(half.cut && half.value > 0);
  assert.match(run(['heap', path.join(scratch, 'half.prof')]).text, /^error: .*\(byte \d+\)/m);
  assert.ok(half.warnings.code.includes('missing_string') && half.warnings.code.includes('missing_location'));
  fails(['heap', write('empty.prof', '')], EXIT.INPUT, /0 bytes/);
  fails(['heap', write('text.prof', 'heap profile: 1: 2 [3: 4] @ heap_v2/524288\n')], EXIT.INPUT, /gperftools|text/);
  const words = (size) => Buffer.concat([0, 3, 0, 10_000, 0, 1, 1, 0x401000].map((word) => { const at = Buffer.alloc(size); at.writeUInt32LE(word); return at; }));
  for (const size of [4, 8]) fails(['heap', write('cpu.prof', words(size))], EXIT.INPUT, /CPU profile of gperftools.*pprof -proto/);
  fails(['heap', write('nothing.prof', zlib.gzipSync(Buffer.from('3200', 'hex')))], EXIT.INPUT, /no sample/);
});

/* ---- files that no writer should write ---- */

const varint = (n) => {
  let rest = BigInt.asUintN(64, BigInt(n));
  const out = [];
  for (; rest > 127n; rest >>= 7n) out.push(Number(rest & 127n) | 128);
  return Buffer.from([...out, Number(rest)]);
};
const number = (at, n) => Buffer.concat([varint(at * 8), varint(n)]);
const bytes = (at, ...parts) => {
  const all = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return Buffer.concat([varint(at * 8 + 2), varint(all.length), all]);
};
const TEXTS = ['', 'allocations', 'count', 'space', 'bytes', 'kind', 'buffer', 'device', 'cpu:0', 'f', 'train.py'];
const LABELS = [bytes(3, number(1, 5), number(2, 6)), bytes(3, number(1, 7), number(2, 8))];
const sampleOf = (locations, values) => bytes(2, bytes(1, ...locations.map(varint)), bytes(2, ...values.map(varint)), ...LABELS);
/** As JAX writes one: samples, 300 locations on lines 1 to 300 of train.py, texts. */
const profile = (samples, texts = TEXTS) => Buffer.concat([
  bytes(1, number(1, 1), number(2, 2)), bytes(1, number(1, 3), number(2, 4)), ...samples,
  ...Array.from({ length: 300 }, (_, i) => bytes(4, number(1, i + 1), bytes(4, number(1, 1), number(2, i + 1)))),
  bytes(5, number(1, 1), number(2, 9), number(4, 10), number(5, 1)), ...texts.map((one) => bytes(6, one)),
]);
const put = (name, content) => {
  fs.writeFileSync(path.join(scratch, name), content);
  return path.join(scratch, name);
};

test('heap: negative values count as they are, and are named with their byte', () => {
  const { summary, lines } = json(['heap', put('negative.prof', profile([sampleOf([1], [1, 1000]), sampleOf([2], [-3, -500]), sampleOf([3], [1, 0])]))]);
  assert.deepEqual([summary.value, summary.lines_value, summary.count], [500, 500, -1]);
  assert.deepEqual(lines.rows.value, [1000, 0, -500].slice(0, lines.rows.n));
  const at = summary.warnings.code.findIndex((code) => /negative/.test(code));
  assert.match(summary.warnings.text[at], /a sample has the value -3: the file is a difference of two files, or damaged/);
  assert.ok(summary.warnings.offset[at] > 0);
});

test('heap: locations that call each other in a circle end at a limit that is said', () => {
  const { summary, lines } = json(['heap', put('circle.prof', profile([sampleOf(Array.from({ length: 120_000 }, (_, i) => 1 + (i % 2)), [1, 4096])]))]);
  assert.deepEqual([summary.value, lines.rows.n], [4096, 1]);
  assert.match(summary.warnings.text.join(), /more than 100000 frames; its outermost ones are left out/);
});

test('heap: texts that are not there leave nameless rows with their bytes', () => {
  const { summary } = json(['heap', put('texts.prof', profile([sampleOf([1], [1, 100]), sampleOf([2], [2, 200])], TEXTS.slice(0, 9)))]);
  assert.deepEqual([summary.value, summary.lines_value], [300, 300]);
  assert.match(summary.warnings.text.join(), /the string table has 9 entries and entry 9 is asked for/);
});

test('heap: a million samples add up (PERFORMANCE.md has the figures of ten million)', () => {
  const thousand = Array.from({ length: 1000 }, (_, i) => sampleOf([1 + (i % 300), 300], [1, i]));
  const { summary, lines } = json(['heap', put('million.prof', profile(Array(1000).fill(Buffer.concat(thousand)))), '--top=300']);
  assert.deepEqual([summary.buffers, summary.value], [1_000_000, 499_500_000]);
  assert.equal(sum(lines.rows.value), summary.value);
  assert.match(run(['heap', file(80), '--device=cpu:0']).text, / buffers on 1 device/);
  assert.match(run(['heap', put('one.prof', profile([sampleOf([1], [1, 100])]))]).text, /100 B live in 1 buffer on 1 device$/m);
});

test('docs/HEAP.md: each command does what it says', () => {
  const document = fs.readFileSync(path.join(source, 'docs/HEAP.md'), 'utf8'), plain = (words) => words.replace(/\s+/g, ' ').trim();
  let printed = '', commands = 0;
  for (const [, block, line] of document.matchAll(/```sh example\n([\s\S]*?)```|```[\s\S]*?```|^ {4}(\S.*)$/gm)) {
    if (line) assert.ok(plain(printed).includes(plain(line)), `not printed: ${line}\n${printed}`);
    if (!block) continue;
    printed = '';
    for (const command of block.trim().split('\n')) {
      const [words, code] = command.split(/ +# exit /), [program, ...args] = words.trim().split(/ +/);
      assert.equal(program, 'xprofd');
      const done = run(args.map((arg) => arg.replace(/(^|=)testdata/, `$1${testdata}`)));
      assert.equal(done.code, Number(code ?? 0), `${command}\n${done.errors}`);
      printed += done.text;
      commands++;
    }
  }
  assert.ok(commands >= 7);
});

test('heap: published files open, with executables of their own size', { skip: !shared }, () => {
  const { summary, lines } = json(['heap', path.join(shared, 'data/device_memory/jaxdips.memory.prof')]);
  const at = lines.rows.executables.indexOf(true);
  assert.ok(lines.rows.value[at] > 2e9 && sum(lines.rows.value) === summary.value);
  const leak = (name) => path.join(shared, 'data/device_memory', name);
  const two = json(['heap', leak('memory_after_leak.prof'), `--against=${leak('memory.prof')}`]);
  const row = two.lines.rows.function.indexOf('leak');
  assert.deepEqual([two.summary.change, two.lines.rows.change[row], two.lines.rows.count[row]], [8 * MIB, 8 * MIB, 8]);
});
