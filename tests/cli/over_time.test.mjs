// xprofd memory --over-time: a real leak that closes to the byte at every instant, what other runtimes write, budgets, exit codes; and one
// number on every route.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';

import { putRun, run, Server, shared, temporary, testdata } from '../support/program.mjs';
import { plane, reported, stacked, step } from '../support/space.mjs';
import { csv, EXIT, fails, json, train } from './common.mjs';

const MIB = 2 ** 20;
const leak = path.join(testdata, 'tf_leak/logdir');
const overTime = (dir, ...more) => json(['memory', dir, '--over-time', ...more]);

async function asked(dir, questions) {
  const server = await Server.start(dir);
  const id = (await server.api('runs')).json.id[0];
  const ask = async (route, query = {}) => {
    const got = await server.api(`trace/allocators${route}`, { run: id, ...query });
    assert.equal(got.status, 200, `${route} ${JSON.stringify(got.json)}`);
    return got.json;
  };
  try {
    await questions(ask, server, id);
  } finally {
    await server.stop();
  }
}

/* ---- the leak ---- */

test('a leak: verdict, what is kept, exit code', () => {
  const { over_time: a } = overTime(leak);
  assert.match(a.headline, /^\+2\.40 MiB a step .* 48 steps, R² 0\.99; peak 165\.5 MiB of 23\.54 GiB$/);
  assert.match(a.sentence, /^48 x Conv2D_2 \[96,10,10,64\] .* 118\.6 MiB, 2\.34 MiB requested for each\./);
  assert.deepEqual([a.growth.verdict, a.growth.steps, a.what], [['leak'], [48], 'steps']);
  const { never } = a;
  assert.deepEqual([never.made, never.freed_in_step, never.freed_later, never.kept], [336, 240, 45, 51]);
  assert.deepEqual([never.count[0], never.size_bytes[0]], [48, 124387328]);
  assert.equal(never.size_bytes.reduce((all, x) => all + x, 0), never.kept_bytes, 'groups add up');
  assert.equal(Math.round(a.growth.full_in_steps[0]), 10001);
  const done = run(['memory', leak, '--over-time', '--fail-on-leak']);
  assert.equal(done.code, EXIT.BROKEN);
  assert.ok(done.text.startsWith(`${a.headline}\n${a.sentence}\n`));
  assert.match(done.text, /mklcpu .* 10,001\n/, 'a number of five digits is written out');
});

test('a run without programs: memory says what shows its allocations', () => {
  fails(['memory', leak], EXIT.INPUT, /contains no compiled program.*`xprofd memory --over-time` shows the allocations/);
});

test('a leak: two instants in text, JSON, CSV', () => {
  const { diff } = overTime(leak, '--at=0.406s', '--against=1.602s');
  assert.deepEqual([diff.between.allocated, diff.between.freed], [238, 204]);
  const growth = diff.at_b.heap_bytes[0] - diff.at_a.heap_bytes[0];
  assert.equal(diff.only_b_bytes - diff.only_a_bytes, growth, 'the difference of the heaps is that of the rows');
  assert.match(run(['memory', leak, '--over-time', '--at=0.406s', '--against=1.602s']).text, /A 406\.0 ms, B 1\.602 s: .*\nbetween A and B 238 allocated, 204 freed/);
  const rows = csv(run(['memory', leak, '--over-time', '--at=1.602s', '--csv']).text);
  const { live } = overTime(leak, '--at=1.602s');
  assert.deepEqual(rows.map((row) => Number(row.size_bytes)), live.size_bytes);
  assert.equal(rows.reduce((all, row) => all + Number(row.size_bytes), 0), live.held.listed_bytes[0]);
  assert.deepEqual(rows.map((row) => [Number(row.count), row.op]), [[45, 'Conv2D_2'], [3, '']]);
});

test('every instant closes to the byte, and one number is the same on every route', async () => {
  await asked(leak, async (ask, server, id) => {
    const events = await ask('/events', { limit: 20000 });
    const { tracks: [track] } = await ask('', { px: 4000 });
    assert.deepEqual([events.all, events.total, track.events, events.freed, track.frees], [623, 623, 623, 287, 287]);
    for (const at of events.at_ps.filter((_, i) => i % 7 === 0)) {
      const live = await ask('/live', { at });
      assert.equal(live.held.closes_by_bytes[0], 0, `at ${at}`);
      assert.equal(live.all_bytes, live.held.listed_bytes[0]);
      const each = await ask('/live', { at, fold: 0, limit: 20000 });
      assert.equal(each.size_bytes.reduce((all, x) => all + x, 0), live.held.listed_bytes[0], 'unfolded rows add up too');
    }
    assert.equal(track.before_bytes, 16777216);
    assert.equal(Math.max(...events.in_use_bytes), track.most_bytes);
    assert.equal(events.most_bytes, track.most_bytes);
    const steps = await ask('/steps');
    assert.equal(steps.total, 48);
    const { json: real } = await server.api('trace/steps', { run: id, overlap: 0 });
    const own = real.number.map((n, i) => [n, real.start_ps[i], real.end_ps[i], real.row[i]]).filter(([, , , row]) => row === steps.row);
    assert.deepEqual(steps.number.map((n, i) => [n, steps.from_ps[i], steps.to_ps[i], steps.row]), own, 'steps are those of trace/steps');
    const i = events.in_use_bytes.indexOf(track.most_bytes);
    assert.equal(events.at_ps[i], track.most_at_ps, 'the earliest of the highest');
  });
});

test('XProf\'s memory_profile has the same counts and peak', async () => {
  await asked(leak, async (ask, server, id) => {
    const { tracks: [track] } = await ask('', { px: 10 });
    const got = await server.get(`/data/plugin/profile/data?${new URLSearchParams({ run: id, tag: 'memory_profile', host: 'vm' })}`);
    assert.equal(got.status, 200);
    const of = JSON.parse(got.body).memoryProfilePerAllocator[track.allocator];
    assert.deepEqual([Number(of.profileSummary.peakStats.peakBytesInUse), Number(of.profileSummary.memoryCapacity)], [track.most_bytes, track.capacity_bytes]);
    assert.equal(of.sampledTimelineSnapshots.length, track.events);
  });
});

test('the threads that asked for memory: all allocations of the window, in columns, most first', async () => {
  await asked(leak, async (ask) => {
    assert.deepEqual((await ask('', { px: 10 })).asked_by, [], 'only of the one that is named');
    const { asked_by: by, askers_left_out: out } = await ask('', { px: 100, allocator: 0 });
    assert.deepEqual([by.map((one) => one.count), out], [[149, 139, 24, 24], 0]);
    assert.ok(by[0].thread.startsWith('tf_Compute/'), by[0].thread);
    for (const one of by) {
      assert.equal(one.asked.reduce((a, b) => a + b, 0), one.count, 'the columns add up');
      assert.ok(one.n <= 101 && one.at_ps.every((at, i) => i === 0 || at > one.at_ps[i - 1]));
    }
    const window = { from: 4e11, to: 8e11 };
    const { asked_by: part } = await ask('', { px: 100, allocator: 0, ...window });
    const events = await ask('/events', { ...window, limit: 20000 });
    assert.equal(part.reduce((all, one) => all + one.count, 0), events.allocated, 'those of the window');
  });
});

test('events: filter, order, window, pages', async () => {
  await asked(leak, async (ask) => {
    const conv = await ask('/events', { filter: 'Conv2D_2', limit: 20000 });
    assert.deepEqual([conv.total, conv.allocated, conv.freed], [48, 48, 0]);
    assert.equal((await ask('/events', { filter: '/^Conv2D_2$/' })).total, 48);
    assert.match((await ask('/events', { filter: '/(/' })).filter_note, /expression|text/);
    const largest = await ask('/events', { sort: 'size_bytes', limit: 3 });
    assert.deepEqual(largest.size_bytes, [...largest.size_bytes].sort((a, b) => b - a));
    assert.equal(largest.left_out, 620);
    const next = await ask('/events', { sort: 'size_bytes', limit: 3, offset: 3 });
    assert.ok(next.size_bytes[0] <= largest.size_bytes[2]);
    const freed = await ask('/events', { sort: 'kind', order: 'desc', limit: 1 });
    assert.equal(freed.kind[0], 'free');
    assert.ok((await ask('/events', { from: 1e12 })).total < 623);
  });
});

/* ---- what others write ---- */

/** threads: lists of [at in ns, frees, stats]. */
function profile(threads, more = []) {
  const lines = threads.map((events) => ({ events: events.map(([at, frees, stats]) => reported(at * 1000, frees, stats)) }));
  lines.push({ events: [{ name: 'work', ps: 100_000 }] });
  const dir = temporary('over_time');
  putRun(dir, 'run', Buffer.concat([plane('/host:CPU', lines), ...more]));
  return dir;
}
const gpu = { allocator_name: 'GPU_0_bfc' }, host = { allocator_name: 'gpu_host_bfc' };

test('a GPU: two pools, two threads, frees of what was made before the capture, no free memory', async () => {
  const dir = profile([
    [[10, false, { ...gpu, bytes_allocated: 300, bytes_available: 0, allocation_bytes: 100, requested_bytes: 90, addr: 64, fragmentation: NaN, tf_op: 'dot', region_type: 'temp', shape: 'f32[25]' }],
      [40, true, { ...gpu, bytes_allocated: 150, bytes_available: 150, addr: 64 }],
      [50, true, { ...gpu, bytes_allocated: 100, bytes_available: 200, addr: 999, allocation_bytes: 50 }]],
    [[20, false, { ...gpu, bytes_allocated: 350, bytes_available: 50, allocation_bytes: 50, addr: 128 }],
      [30, true, { ...gpu, bytes_allocated: 250, bytes_available: 50, addr: 256 }], // says no size: the fall of the heap
      [15, false, { ...host, bytes_allocated: 4096, allocation_bytes: 4096 }]],
  ]);
  await asked(dir, async (ask) => {
    const { tracks } = await ask('', { px: 100 });
    assert.deepEqual(tracks.map((t) => [t.title, t.events, t.capacity_bytes, t.unknown_frees, t.without_address]),
      [['GPU_0_bfc', 5, 400, 2, 0], ['gpu_host_bfc', 1, null, 0, 1]]);
    assert.equal(tracks[0].fragmentation[0], null, 'NaN is a gap');
    const { at_ps } = await ask('/events', { allocator: 0 });
    for (const at of at_ps) {
      const live = await ask('/live', { at });
      assert.equal(live.held.closes_by_bytes[0], 0);
    }
    const live = await ask('/live', { at: at_ps[0], allocator: 0 });
    assert.deepEqual([live.names[live.what[0]], live.names[live.region[0]], live.names[live.op[0]]], ['temp', 'temp', 'dot']);
    const end = await ask('/live', { at: at_ps.at(-1) });
    assert.deepEqual([end.held.before_bytes[0], end.held.listed_bytes[0], end.held.without_address_bytes[1], end.held.closes_by_bytes[1]], [50, 50, 4096, 0]);
    const steps = await ask('/steps');
    assert.equal(steps.what, 'tenths', 'nothing marks steps, and it says so');
    await assert.rejects(ask('/live', { allocator: 7 }), /2 allocators/);
  });
});

test('the highest stack, beside what was compiled for the program that ran then', () => {
  const stackOf = (reserved) => {
    const dir = temporary('over_time_stack');
    putRun(dir, 'run', stacked(reserved));
    return [overTime(dir).over_time.stack, json(['memory', dir]).spaces[0].summary.spaces.find(({ name }) => name === 'HBM').heap_bytes];
  };
  const [stack, compiled] = stackOf(400 * MIB);
  assert.deepEqual([stack.program, stack.measured_bytes, stack.compiled_bytes, stack.beyond_bytes], ['jit_padded_step', 400 * MIB, compiled, 400 * MIB - compiled]);
  assert.equal(stackOf(8 * MIB)[0], null, 'nothing ran at the highest');
});

test('a step before the first allocation has no value, and the sentence says so', () => {
  const MS = 1e9, dir = temporary('over_time_few');
  const steps = [0, 10, 20].map((at, i) => step(i, at * MS, 8 * MS));
  putRun(dir, 'run', plane('/host:CPU', [{ name: 'python', events: [...steps, reported(12 * MS, false, { allocator_name: 'bfc', bytes_allocated: MIB, addr: 64 })] }]));
  const { text } = run(['memory', dir, '--over-time']);
  assert.match(text, /Only 2 of 3 steps have a known value, from the first allocation on: too few to tell whether it grows\./);
  assert.match(text, /bfc: 1 allocated in the steps; 0 freed in the same step, 0 in a later one, 1 never:\n/, 'a colon stands before a table');
});

test('the line of Python that allocated, where the tracer recorded it', async () => {
  const MS = 1e9, dir = temporary('over_time_source');
  const frames = [['$train.py:80 main', 0, 40], ['$train.py:41 step', 5, 20], ['$array.py:7 ones', 10, 4], ['PjitFunction(f)', 5, 10]];
  const made = (at, addr) => reported(at * MS, false, { allocator_name: 'bfc', bytes_allocated: addr, allocation_bytes: 64, addr });
  putRun(dir, 'run', plane('/host:CPU', [
    { name: 'python', events: [...frames.map(([name, at, ms]) => ({ name, at: at * MS, ps: ms * MS })), made(8, 64), made(12, 128), made(30, 192), reported(35 * MS, true, { allocator_name: 'bfc', bytes_allocated: 128, addr: 64 })] },
    { name: 'worker', events: [made(13, 256)] },
  ]));
  await asked(dir, async (ask) => {
    const live = await ask('/live', { at: 34 * MS, sort: 'from_ps' });
    const source = live.source.map((k) => live.names[k]);
    assert.deepEqual(source, ['train.py:41 step', 'array.py:7 ones', '', 'train.py:80 main'], 'the innermost frame on its thread; equal ones elsewhere are other rows');
    const events = await ask('/events', { filter: 'train.py:41' });
    assert.deepEqual(events.kind, ['alloc', 'free'], 'a free has that of its allocation, and the filter finds both');
    const sorted = await ask('/events', { sort: 'source' });
    assert.deepEqual(sorted.source.map((k) => sorted.names[k]), ['', 'array.py:7 ones', 'train.py:41 step', 'train.py:41 step', 'train.py:80 main']);
  });
  assert.match(run(['memory', dir, '--over-time', '--at=34ms']).text, /train\.py:41 step/);
  assert.doesNotMatch(run(['memory', leak, '--over-time']).text, / source /, 'no column where nothing was recorded');
});

test('a leak says the line that makes what is kept', () => {
  const MS = 1e9, dir = temporary('over_time_leak_source'), n = 12;
  const list = Array.from({ length: n }, (_, i) => i * 10 * MS);
  putRun(dir, 'run', plane('/host:CPU', [{ name: 'python', events: list.flatMap((at, i) => [
    step(i, at, 9 * MS), { name: '$train.py:41 step', at: at + MS, ps: 6 * MS },
    reported(at + 2 * MS, false, { allocator_name: 'bfc', bytes_allocated: (i + 1) * 4 * MIB, allocation_bytes: 4 * MIB, addr: 4096 * (i + 1) }),
  ]) }]));
  const { over_time: a } = overTime(dir);
  assert.match(a.sentence, /12 x no name allocated in 12 steps, first by train\.py:41 step and not freed: 48\.0 MiB/);
  assert.deepEqual(a.never.source, ['train.py:41 step']);
});

test('a file that is cut: what has no free is not called leaked', () => {
  const whole = fs.readFileSync(path.join(leak, 'plugins/profile/leak/vm.xplane.pb'));
  const dir = temporary('over_time_cut');
  putRun(dir, 'run', whole.subarray(0, Math.floor(whole.length * 0.9)));
  const done = run(['memory', dir, '--over-time']);
  assert.equal(done.code, 0, done.errors);
  if (/allocat/.test(done.text)) assert.doesNotMatch(done.text, /Something in the program keeps them/);
});

test('nothing was recorded', () => {
  const done = run(['memory', train, '--over-time']);
  assert.match(done.text, /^No allocations were recorded\nThe runtime recorded no allocations\. They need host tracer level 2/);
  fails(['memory', train, '--over-time', '--fail-on-leak'], EXIT.INPUT, /recorded no allocations/);
  fails(['memory', train, '--at=1s'], EXIT.USAGE, /need --over-time/);
  fails(['memory', leak, '--over-time', '--against=1s'], EXIT.USAGE, /give the first with --at/);
  fails(['memory', leak, '--over-time', '--at=soon'], EXIT.USAGE, /--at takes a time/);
});

test('budgets: the measured peak and growth, of a run without programs', () => {
  const file = path.join(temporary('over_time_budget'), 'b.budget');
  const check = (text) => {
    fs.writeFileSync(file, text);
    return run(['check', leak, `--budget=${file}`, '--json']);
  };
  const good = check('[*]\nmeasured_peak <= 165.6MiB\ngrowth_per_step <= 2.5MiB\n');
  assert.equal(good.code, EXIT.OK, good.errors + good.text);
  const bad = check('[*]\nmeasured_peak <= 165MiB\ngrowth_per_step <= 2.3MiB\n');
  assert.equal(bad.code, EXIT.BROKEN);
  const rows = JSON.stringify(JSON.parse(bad.text));
  assert.ok(rows.includes('173539328'), 'the peak is that of every route');
  const few = profile([[[1, false, { ...gpu, bytes_allocated: MIB, addr: 1, allocation_bytes: MIB }]]]);
  fs.writeFileSync(file, '[*]\nmeasured_peak <= 2MiB\n');
  assert.equal(run(['check', few, `--budget=${file}`]).code, EXIT.OK);
});

/* ---- four chips, published by others ---- */

const tpu = shared && path.join(shared, 'data/tpu-v6e-offload/logdir');
test('four chips: instants close, stack against the compiler, no growth', { skip: !tpu || !fs.existsSync(tpu) }, async () => {
  await asked(tpu, async (ask) => {
    const steps = await ask('/steps');
    assert.deepEqual(steps.growth.verdict, ['no_growth', 'no_growth', 'no_growth', 'no_growth']);
    assert.match(steps.headline, /^Peak 20\.02 GiB of 31\.25 GiB, on TPU:1 at 15\.181 s; the 4 devices differ by 99\.5 KiB$/);
    assert.deepEqual([steps.stack.measured_bytes, steps.stack.compiled_bytes], [21491712000, 21474934784]);
    const { at_ps } = await ask('/events', { limit: 20000 });
    for (const at of at_ps.filter((_, i) => i % 20 === 0))
      for (const by of (await ask('/live', { at })).held.closes_by_bytes) assert.ok(by === 0 || by === null, `${at}: ${by}`);
    const live = await ask('/live', { at: 6478000000000, allocator: 0 });
    assert.deepEqual(live.what.slice(0, 3).map((i) => live.names[i]), ['output', 'from host', 'output']);
    assert.deepEqual(live.program.slice(0, 3).map((i) => live.names[i]), ['jit_broadcast_in_dim', 'jit__psum', 'jit__psum']);
    const diff = await ask('/diff', { a: 6478000000000, b: 19100000000000, allocator: 0 });
    assert.deepEqual([diff.between.allocated, diff.between.freed, diff.between.freed_of_first], [39, 11, 6]);
  });
});
