// Makes the seeds of tests/fuzz/corpus/ again: node tests/fuzz/make_corpus.mjs BUILD_DIR
//
// The same build makes the same files. Findings of the fuzzers (corpus/*/found-*) and the seeds of
// `request` are written by hand and left alone.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import zlib from 'node:zlib';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const testdata = path.join(here, '../../testdata');
const bin = path.join(process.argv[2] ?? 'build', 'bin');
const work = fs.mkdtempSync(path.join(os.tmpdir(), 'corpus-'));
const LIMIT = 20000;

// ---- deterministic damage ----

function random(seed) {
  let state = seed >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

function cut(bytes, next) {
  return bytes.subarray(0, 1 + next(bytes.length - 1));
}

/** A few bytes changed, or a stretch taken out, doubled, or set to 0xff (long integers). */
function damage(bytes, next) {
  const out = Buffer.from(bytes);
  const at = next(out.length), size = 1 + next(Math.min(40, out.length - at));
  switch (next(4)) {
    case 0:
      for (let i = 0; i < 4; i++) out[next(out.length)] = next(256);
      return out;
    case 1: return Buffer.concat([out.subarray(0, at), out.subarray(at + size)]);
    case 2: return Buffer.concat([out.subarray(0, at + size), out.subarray(at)]);
    default: return out.fill(0xff, at, at + size);
  }
}

// ---- a little of the wire format ----

function* fields(bytes) {
  let at = 0;
  const varint = () => {
    let value = 0, factor = 1;
    for (;;) {
      const byte = bytes[at++];
      value += (byte & 127) * factor;
      if (!(byte & 128)) return value;
      factor *= 128;
    }
  };
  while (at < bytes.length) {
    const tag = varint(), number = Math.floor(tag / 8);
    if (tag % 8 === 0) varint();
    else if (tag % 8 === 1) at += 8;
    else if (tag % 8 === 5) at += 4;
    else {
      const size = varint();
      yield { number, bytes: bytes.subarray(at, at + size) };
      at += size;
    }
  }
}

function* inside(bytes, ...numbers) {
  if (numbers.length === 0) {
    yield bytes;
    return;
  }
  for (const field of fields(bytes))
    if (field.number === numbers[0]) yield* inside(field.bytes, ...numbers.slice(1));
}

/** The HloProtos of an XSpace: planes, event metadata (a map), its stats, their bytes. */
function hloProtos(bytes) {
  return [...inside(bytes, 1, 4, 2, 5, 6)];
}

// ---- the folders ----

const written = {};

function folder(what) {
  const dir = path.join(here, 'corpus', what);
  fs.mkdirSync(dir, { recursive: true });
  for (const name of fs.readdirSync(dir))
    if (!name.startsWith('found-')) fs.unlinkSync(path.join(dir, name));
  return (name, bytes) => {
    fs.writeFileSync(path.join(dir, name), bytes);
    const sum = (written[what] ??= { files: 0, bytes: 0 });
    sum.files++;
    sum.bytes += bytes.length;
  };
}

function read(dir, ending) {
  return fs.readdirSync(dir).filter((name) => name.endsWith(ending)).sort()
    .map((name) => [name.slice(0, -ending.length), fs.readFileSync(path.join(dir, name))]);
}

execFileSync(path.join(bin, 'gen_vectors'), ['--xspace', work]);
execFileSync(path.join(bin, 'gen_broken'), ['--flat', work]);
const vectors = read(work, '.hlo_proto.pb');
const spaces = read(work, '.xplane.pb').filter(([, bytes]) => bytes.length <= LIMIT);
const captured = ['cpu_mlp_train/logdir/plugins/profile/run0', 'cpu_sharded8/logdir/plugins/profile/run0',
  'tpu_padded_demo/logdir/plugins/profile/aot'].map((dir) =>
  fs.readFileSync(path.join(testdata, dir, 'host0.xplane.pb')));

const put = { memory: folder('hlo_memory'), space: folder('xspace'), cursor: folder('cursor') };
for (const [name, bytes] of vectors) put.memory(name, bytes);
for (const [name, bytes] of spaces)
  hloProtos(bytes).slice(0, 1).forEach((hlo) => put.memory(`broken-${name}`, hlo));
const seen = new Set();
for (const hlo of captured.flatMap(hloProtos)) {
  const wanted = hlo.length <= LIMIT || hlo.length > 30000 && hlo.length < 50000; // the TPU one
  if (!wanted || seen.has(hlo.length)) continue;
  seen.add(hlo.length);
  put.memory(`captured-${seen.size}`, hlo);
}
vectors.forEach(([name, bytes], i) => {
  const next = random(i + 1);
  put.memory(`cut-${name}`, cut(bytes, next));
  for (let k = 0; k < 2; k++) put.memory(`damaged-${name}-${k}`, damage(bytes, next));
});

for (const [name, bytes] of spaces) {
  const next = random(bytes.length);
  put.space(name, bytes);
  if (bytes.length > 8000) continue;
  put.space(`cut-${name}`, cut(bytes, next));
  put.space(`damaged-${name}`, damage(bytes, next));
}
captured.forEach((bytes, i) => put.space(`captured-${i}-start`, bytes.subarray(0, LIMIT)));
put.space('text', Buffer.from('run: train\nhost: host0\n'));
put.space('html', Buffer.from('<!DOCTYPE html><html><body>404 Not Found</body></html>'));
put.space('trace-json', Buffer.from('{"traceEvents":[{"ph":"X","pid":1,"ts":0,"dur":1,"name":"a"}]}'));
put.space('pprof', Buffer.from([0x0a, 4, 8, 1, 0x10, 2, 0x12, 6, 0x0a, 1, 1, 0x12, 1, 5, 0x32, 0]));
put.space('mangled', Buffer.from(captured[0].subarray(0, 6000).toString('utf8')));

for (const [name, bytes] of vectors.slice(0, 12)) put.cursor(name, bytes);
for (const [name, bytes] of spaces.slice(0, 8)) put.cursor(name, bytes.subarray(0, 3000));
for (const [name, hex] of [
  ['varints', '08ff01107f18ffffffffffffffffff01'], ['too-long', '08ffffffffffffffffffff01'],
  ['fixed', '0901020304050607080d01020304'], ['packed', '0a05017f80ff01'], ['packed-cut', '0a0301ff80'],
  ['group', '0b08010c'], ['group-end', '0c'], ['type-6', '0e'], ['type-7', '0f'], ['number-0', '00'],
  ['number-big', 'f8ffffff0f01'], ['number-too-big', 'f8ffffff1f01'], ['past-end', '0a7f00'],
  ['length-huge', '0affffffffffffffffff01'], ['cut-tag', '88'], ['nested', '0a0a0a080a060a040a020a00'],
]) put.cursor(name, Buffer.from(hex, 'hex'));

// ---- small profiles with events: what rows, steps and flows are derived from ----

function varint(value) {
  const out = [];
  for (let rest = BigInt.asUintN(64, BigInt(value)); ; rest >>= 7n) {
    if (rest < 128n) return Buffer.from([...out, Number(rest)]);
    out.push(Number(rest & 127n) | 128);
  }
}
const int = (field, value) => Buffer.concat([varint(field * 8), varint(value)]);
const part = (field, ...bytes) => {
  const all = Buffer.concat(bytes);
  return Buffer.concat([varint(field * 8 + 2), varint(all.length), all]);
};
const real = (field, value) => {
  const bits = Buffer.alloc(8);
  bits.writeDoubleLE(value);
  return Buffer.concat([varint(field * 8 + 1), bits]);
};
const string = (field, text) => part(field, Buffer.from(text));
const entry = (field, id, ...value) => part(field, int(1, id), part(2, int(1, id), ...value));

/** {name, id, lines: {name: [[event, start, duration, {stat: value}], ...]}, ops: {event: {stat: value}}} */
function plane({ name, id = 0, lines, ops = {} }) {
  const stats = [], names = [];
  const number = (list, text) => (list.includes(text) ? 0 : list.push(text), list.indexOf(text) + 1);
  const stat = (field, all = {}) => Object.entries(all).map(([key, value]) =>
    part(field, int(1, number(stats, key)), typeof value === 'string' ? string(5, value) : Number.isInteger(value) ? int(4, value) : real(2, value)));
  const rows = Object.entries(lines).map(([line, events], i) => part(3, int(1, i + 2), string(2, line),
    ...events.map(([event, start, duration, own]) => part(4, int(1, number(names, event)), int(2, start),
      int(3, duration), ...stat(4, own)))));
  const table = names.map((text, i) => entry(4, i + 1, string(2, `%${text} = f32[8]{0:S(5)}`), string(4, text),
    ...stat(5, ops[text])));
  return part(1, int(1, id), string(2, name), ...rows, ...table, ...stats.map((text, i) => entry(5, i + 1, string(2, text))));
}

const op = (tf_op) => ({ tf_op, source: 'a.py:1', hlo_category: 'fusion', flops: 8, program_id: 7 });
const chip = (id) => plane({
  name: `/device:TPU:${id}`, id: 2 + 8 * id,
  lines: {
    'XLA Modules': [['jit_f(1)', 0, 100000, { run_id: 1, queue_id: 0 }], ['jit_f(1)', 200000, 100000, { run_id: 2, queue_id: 0 }]],
    'XLA Ops': [['add', 0, 10000, { device_offset_ps: 5, device_duration_ps: 10000 }], ['copy-start', 10000, 5],
      ['mul', 10000, 10000], ['copy-done', 30000, 0], ['copy-done', 30000, 0], ['copy-start.1', 200000, 5], ['copy-done.1', 250000, 9]],
    'Async XLA Ops': [['async-copy', 10000, 20000, { flow: 616168039, _a: 1 }]],
    ...(id ? { Steps: [['4', 0, 150000], ['5', 150000, 150000]] } : {}),
  },
  ops: { add: op('jit(f)/jit(main)/add:'), mul: op('model/dense/MatMul:MatMul') },
});
const host = plane({
  name: '/host:CPU',
  lines: {
    main: [['train', 0, 1000, { _r: 1, step_num: 3 }], ['call', 10, 20, { _pt: 15, _p: 5 }], ['train', 40, 10, { _r: 1, step_num: 4 }],
      ['DoEnqueueProgram', 500, 9, { run_id: 1, queue_id: 0, device_ordinal: 0 }], ['MemoryAllocation', 600, 0]],
    pool: [['ThreadpoolListener::StartRegion', 2000, 0, { _ct: 15, _c: 5 }], ['ThreadpoolListener::StopRegion', 2500, 0],
      ['CompleteCallbacks', 900, 5, { run_id: 1, queue_id: 0, device_ordinal: 0 }]],
    _counters_: [['power', 0, 0, { watts: 9 }], ['power', 100, 0, { watts: 12 }]],
  },
});
const crowd = (makes, uses) => plane({
  name: '/host:CPU',
  lines: {
    root: [['train', 0, 10, { _r: 1, _pt: 1, _p: 0 }]],
    ring: Array.from({ length: 40 }, (_, i) => ['ring', 100 + 10 * i, 5, { _ct: 1, _c: uses(i), _pt: 1, _p: makes(i) }]),
  },
});
const gpu = plane({
  name: '/device:GPU:0', id: 1,
  lines: {
    'Stream #14(Compute)': [1, 2, 3].map((id) => ['kernel', 1000 * id, 900, {
      kernel_details: 'regs:8', hlo_module: 'jit_f', hlo_op: 'fusion::add', program_id: 9, tf_op: 'jit(f)/mul:', source: 'a.py:2',
      correlation_id: id,
    }]),
  },
});
const launches = plane({
  name: '/host:CPU',
  lines: { main: [['train', 0, 100, { _r: 1, step_num: 3 }], ['launch', 1, 1, { correlation_id: 1 }], ['launch', 2, 1, { correlation_id: 2 }]] },
});
const derived = folder('trace_derived');
Object.entries({
  chips: [chip(0), chip(1), host], host: [host], chip: [chip(0)], steps: [chip(1)],
  gpu: [gpu, launches], ring: [crowd((i) => (i + 1) % 40, (i) => i)], crowd: [crowd(() => 7, () => 7)],
}).forEach(([name, planes], i) => {
  const bytes = Buffer.concat(planes), next = random(i + 99);
  derived(name, bytes);
  derived(`cut-${name}`, cut(bytes, next));
  for (let k = 0; k < 4; k++) derived(`damaged-${name}-${k}`, damage(bytes, next));
});

// Rows that are hard to place: deep, all at one instant, in random order, times out of range, many rows, many samples.
const times = (list) => plane({ name: '/device:TPU:0', lines: { 'XLA Ops': list.map(([start, duration], i) => [`op${i % 5}`, start, duration]) } });
const list = (count, make) => Array.from({ length: count }, (_, i) => make(i));
const anyhow = random(4711);
const events = folder('trace');
Object.entries({
  deep: [times(list(120, (i) => [i, 500 - 2 * i]))],
  instant: [times(list(100, () => [50, 10]))],
  instants: [times(list(300, () => [50, 0]))],
  order: [times(list(400, () => [anyhow(100000), anyhow(300)]))],
  dense: [times(list(700, (i) => [i * 10 + anyhow(3), 5 + (i % 90 === 0 ? 4000000 : 0)]))],
  limits: [times([[2 ** 52, 2 ** 52], [2 ** 53, 1], [1, 2 ** 53], [0, 0], [0, 2 ** 40], [7, 7]])],
  rows: [plane({ name: '/host:CPU', lines: Object.fromEntries(list(80, (i) => [`t${i}`, [['e', i, 1], ['MemoryAllocation', i, 0]]])) })],
  steps: [plane({ name: '/host:CPU', lines: { main: list(30, (i) => ['train', i * 10, 9, { step_name: `train ${i % 7}` }]) } })],
  clocks: [plane({
    name: '/device:TPU:1',
    lines: { 'XLA Ops': list(60, (i) => ['op', i * 2 ** 34, 2 ** 33, i % 3 ? { device_duration_ps: i % 2 ? 5 : 2 ** 33 - 9 } : {}]) },
  })],
  samples: [plane({ name: '/host:CPU', lines: { _counters_: list(90, (i) => [`c${i % 9}`, 90 - i, 3, { step_name: 'x', v: i }]) } })],
}).forEach(([name, planes], i) => {
  const bytes = Buffer.concat(planes), next = random(i + 512);
  events(name, bytes);
  events(`cut-${name}`, cut(bytes, next));
  for (let k = 0; k < 3; k++) events(`damaged-${name}-${k}`, damage(bytes, next));
});

// What allocators report: two devices and a pool, in and out of order, sizes that are none.
const memory = (i) => ({
  ...(i % 3 ? { index_on_host: i % 4 } : { allocator_name: 'GPU_0_bfc' }),
  bytes_reserved: i % 5 ? i * 1000 : -1, bytes_allocated: i === 7 ? 2 ** 52 : i * 17, bytes_available: 5000 - i, requested_bytes: i,
  allocation_bytes: i + 8, addr: 4096 * i, fragmentation: i % 2 ? 0.25 + i / 100 : -0.5,
});
const allocations = folder('allocations');
Object.entries({
  order: list(24, (i) => [i % 3 === 2 ? 'MemoryDeallocation' : 'MemoryAllocation', i * 10, 0, memory(i)]),
  anyhow: list(24, (i) => ['MemoryAllocation', anyhow(100), 0, memory(anyhow(20))]),
  bare: list(8, (i) => [i % 2 ? 'MemoryAllocation' : 'other', i, 0]),
}).forEach(([name, rows], i) => {
  const bytes = plane({ name: '/host:CPU', lines: { main: rows, pool: rows.slice(0, 5) } }), next = random(i + 4096);
  allocations(name, bytes);
  allocations(`cut-${name}`, cut(bytes, next));
  for (let k = 0; k < 4; k++) allocations(`damaged-${name}-${k}`, damage(bytes, next));
});

// ---- requests: one for each route, and odd ones ----

const params = folder('http_params');
const api = '/api/v1/', mem = `${api}memory/`;
[
  `${api}status?`, `${api}runs?since=0`, `${api}run?run=run0`, `${api}card?run=run0`,
  `${api}modules?run=run0&format=csv`, `${mem}summary?module=V7(1)&space=0&hbm=17179869184`,
  `${mem}curve?module=V16&from=0&to=4&px=2`, `${mem}curve?format=csv`, `${mem}steps?from=0&to=4`,
  `${mem}scopes?from=0&to=4&px=800`, `${mem}map?from=0&to=4&px=100&py=100`,
  `${mem}live?step=1&order=size&fold_bytes=0&limit=5`, `${mem}live?format=csv&order=padding`,
  `${mem}diff?a=0&b=2`, `${mem}range?from=0&to=3`,
  `${mem}buffers?filter=/op.[0-9]+/&sort=padding&desc=0&by=scope&at=1`,
  `${mem}buffers?class=temporary&dtype=u8&opcode=fusion&scope=jit&source=a.py:1&offset=1&limit=1&by=shape`,
  `${mem}buffer?buffer=1`, `${mem}buffer?id=2&module=V7`, `${mem}tree?by=class&depth=3&limit=10`,
  `${mem}tree?by=source&at=0`, `${mem}whatif?buffers=0,1,1,2`, `${api}search?q=op&limit=3`,
  `${api}search?q=/(a|b)*c{3,4}/&module=V15`, `${api}oom?text=RESOURCE_EXHAUSTED&run=run0`,
  '/runs?', '/run_tools?run=run0', '/hosts?run=run0&tag=memory_viewer', '/module_list?run=run0',
  '/data?run=run0&tag=memory_viewer&host=host0&module_name=V15(3)&memory_space=1',
  '/data?run=run0&tag=memory_viewer&module_name=V7(1)&view_memory_allocation_timeline=true',
  '/data?run=run0&tag=trace_viewer@&start_time_ms=0&end_time_ms=1e300&resolution=0.001&full_dma=true',
  '/data?run=run0&tag=trace_viewer@&event_name=a&start_time_ms=1&duration_ms=nan&unique_id=-1&hosts=a,,host0,ALL_HOSTS',
  '/data?run=run0&tag=trace_viewer&search_prefix=%00&search_metadata=true&format=pb', '/data?run=run0&tag=trace_viewer@&format=pb',
  '/data_csv?run=run0&tag=memory_viewer&module_name=V7(1)', '/version?', '/config?', '/capture_profile?a=b',
  `${mem}buffer?buffer=-1`, `${mem}buffer?buffer=9223372036854775808`, `${mem}curve?from=4&to=1`,
  `${mem}curve?px=0`, `${mem}live?step=99999999999999999999`, `${mem}buffers?filter=/((((((a*)*)*)*)*)*b/`,
  `${mem}buffers?filter=/a{255}{255}/`, `${mem}buffers?filter=/[[:alpha:/`, `${mem}whatif?buffers=,,-1,x`,
  `${mem}summary?space=-9223372036854775808&hbm=0`, `${mem}summary?run=..%2f..%2fetc&module=%00`,
  `${mem}summary?%zz=1&a=%4`, `${mem}live?order=%3Cscript%3E`, `${'a=b&'.repeat(70)}`,
].forEach((text, i) => params(`ask-${String(i).padStart(2, '0')}`, Buffer.from(text)));
const error = fs.readFileSync(path.join(testdata, 'tpu_padded_oom/error.txt'));
const texts = folder('oom');
params('oom-tpu', error);
texts('tpu', error);
[
  'RESOURCE_EXHAUSTED: XLA:TPU compile permanent error. Ran out of memory in memory space hbm. Used 22.90G of 15.75G ' +
    'hbm. Exceeded hbm capacity by 7.15G.\n\nTotal hbm usage >= 23.16G:\n    reserved        263.00M \n    program ' +
    '          22.90G \n\nLargest program allocations in hbm:\n\n  1. Size: 7.63G\n     Operator: op_name="jit(f)/mul"\n' +
    '     Shape: f32[16000480,8]{1,0:T(8,128)}\n     Unpadded size: 488.30M\n     Extra memory due to padding: 7.15G ' +
    '(16.0x expansion)\n     XLA label: fusion\n     Allocation type: HLO temp\n',
  'RESOURCE_EXHAUSTED: Out of memory while trying to allocate 1073741824 bytes.',
  'Ran out of memory in memory space vmem. It should not be possible to run out of vmem - please file a bug against ' +
    'XLA.\n\nLargest program allocations in vmem:\n  XLA label: custom-call\n  Size: 999999999999999999999G',
].forEach((text, i) => {
  params(`oom-${i}`, Buffer.from(text));
  texts(String(i), Buffer.from(text));
});

const pprofs = folder('pprof');
for (const [i, name] of ['device_memory/memory.step20', 'pprof/heap.1', 'pprof/cpu'].entries()) {
  const bytes = zlib.gunzipSync(fs.readFileSync(path.join(testdata, `${name}.prof`))), next = random(900 + i), short = path.basename(name);
  pprofs(short, bytes);
  pprofs(`cut-${short}`, cut(bytes, next));
  for (let k = 0; k < 2; k++) pprofs(`damaged-${k}-${short}`, damage(bytes, next));
}

// ---- HLO text: starts of what XLA wrote, and a line of each kind (those of the unit test) ----

const hloText = folder('hlo_text'), pairs = path.join(testdata, 'hlo_text_pairs');
fs.readdirSync(pairs).filter((name) => name.endsWith('.txt.gz')).sort().forEach((name, i) => {
  const next = random(i + 8192), bytes = zlib.gunzipSync(fs.readFileSync(path.join(pairs, name)));
  const start = bytes.subarray(0, LIMIT / 2), end = bytes.subarray(bytes.lastIndexOf('\n\n', bytes.length - LIMIT / 4));
  const stem = name.replace(/\.txt\.gz$/, '');
  hloText(stem, start);
  hloText(`end-${stem}`, end.subarray(0, LIMIT / 2));
  for (let k = 0; k < 3; k++) hloText(`damaged-${stem}-${k}`, damage(start, next));
});
const unit = fs.readFileSync(path.join(here, '../unit/hlo/test_parse.c'), 'utf8');
[...unit.matchAll(/lines\[\] = \{(.*?)\};/gs)].forEach(([, list], i) => {
  const lines = list.split(/",\n/).map((line, k) => [...line.matchAll(/"((?:[^"\\]|\\.)*)("|$)/g)].map((text) => text[1]).join('')
    .replace(/\\(["\\])/g, '$1').replace('%r', `%r${k}`));
  hloText(`lines-${i}`, Buffer.from(`HloModule m, is_scheduled=true\n\n%add {\n  ROOT %z = f32[] parameter(0)\n}\n\nENTRY %e {\n` +
    `  %a = f32[4]{0} parameter(0)\n  %b = f32[4]{0} parameter(1)\n${lines.map((line) => `  ${line}\n`).join('')}}\n`));
});

fs.rmSync(work, { recursive: true });
let total = 0;
for (const [what, sum] of Object.entries(written)) {
  console.log(`${what}: ${sum.files} files, ${sum.bytes} bytes`);
  total += sum.bytes;
}
console.log(`${total} bytes in all`);
