// Profiles that are wrong inside (tests/support/broken_*.c), one server for all of them: every
// question gets an answer, the answer says what is wrong, the server goes on.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test, { after, before } from 'node:test';

import { brokenProfiles, fingerprint, forAll, Server } from '../support/program.mjs';
import { askAll, check } from './common.mjs';

let logdir, server, untouched;
const answers = {};

before(async () => {
  logdir = brokenProfiles();
  untouched = fingerprint(logdir);
  server = await Server.start(logdir);
});

after(async () => {
  await server.stop();
  assert.deepEqual(fingerprint(logdir), untouched, 'the logdir is left byte by byte as it was');
});

const names = () => fs.readdirSync(path.join(logdir, 'plugins/profile')).sort();

test('every question about every broken profile is answered', async () => {
  const listed = (await server.api('runs')).json;
  assert.deepEqual([...listed.id].sort(), names());
  await forAll(names(), 3, async (name) => {
    answers[name] = await askAll(server, name);
  });
  assert.ok(await server.answers());
});

const codes = (warnings) => warnings.map((warning) => warning.code);

/** Warnings of a run, and of all the summaries of it. */
function told(name) {
  const { run, summaries } = answers[name];
  return new Set([...codes(run.warnings ?? []), ...summaries.flatMap((one) => codes(one.warnings))]);
}

test('what is wrong in a heap trace is told by name', () => {
  for (const [name, code] of Object.entries({
    double_free: 'double_free', free_before_alloc: 'free_before_alloc', alloc_twice: 'alloc_twice',
    unknown_buffers: 'unknown_buffer', odd_shares: 'unknown_canonical', event_kinds: 'unknown_event_kind',
    sizes_overflow: 'overflow', sizes_negative: 'negative_size', ids_negative: 'negative_offset',
    ids_missing: 'unknown_member', ids_twice: 'two_allocations', outside_heap: 'outside_allocation',
  })) assert.ok(told(name).has(code), `${name}: ${[...told(name)]}`);
  assert.deepEqual([...told('good')], []);
});

test('two allocations in one trace add up', () => {
  const [summary] = answers.two_allocations.summaries;
  assert.equal(summary.peak.held_bytes, 150 * 1024);
  assert.equal(summary.heap_bytes, 150 * 1024);
});

test('the rest of a damaged trace still counts', () => {
  for (const name of ['double_free', 'never_freed', 'good', 'huge_length', 'no_device_planes', 'odd_lines'])
    assert.equal(answers[name].summaries[0].peak.held_bytes, 150 * 1024, name);
  assert.equal(answers.unknown_buffers.summaries[0].peak.held_bytes, 100 * 1024);
});

test('what is held adds up to what the summary says', () => {
  for (const [name, { summaries }] of Object.entries(answers))
    for (const { live, peak } of summaries)
      if (live && Number.isSafeInteger(peak.held_bytes) && live.step === peak.step)
        assert.equal(live.live_bytes, peak.held_bytes, name);
});

test('no program, no assignment: a sentence instead of numbers', async () => {
  for (const name of ['no_hlo', 'no_planes', 'empty_plane', 'wrong_stats']) {
    const { status, json } = await server.api('memory/summary', { run: name });
    assert.ok(status === 404 || status === 422, name);
    assert.match(json.error.message, /program|HloProto|HLO|profiler/, name);
  }
  const { status, json } = await server.api('memory/summary', { run: 'no_assignment' });
  assert.equal(status, 404);
  assert.match(json.error.message, /no buffer assignment/);
  const { json: modules } = await server.api('modules', { run: 'no_assignment' });
  assert.deepEqual(modules.peak_bytes, [null]);
});

test('a profile that goes wrong in the middle says where', () => {
  for (const name of ['huge_length', 'long_varint', 'unknown_fields']) {
    const [host] = answers[name].run.hosts, whole = fs.statSync(
      path.join(logdir, 'plugins/profile', name, 'host0.xplane.pb')).size;
    assert.equal(host.complete, false, name);
    assert.ok(host.read_until_bytes > 0 && host.read_until_bytes < whole, name);
    const warning = answers[name].run.warnings.find((one) => one.offset !== null);
    assert.ok(warning, `${name}: a warning with the byte`);
    assert.match(`${warning.text} ${warning.where ?? ''}`, /host0/, `${name}: names the file`);
  }
});

test('names are kept, escaped', () => {
  const { modules } = answers.name_markup.run;
  assert.match(modules.name[0], /^<img src=x onerror=alert\(1\)>/);
  assert.equal(answers.name_long.summaries.length, 1);
  assert.match(answers.name_path.run.modules.key[0], /^\.\.\/\.\.\/\.\.\/\.\.\/etc\/passwd\(7\)$/);
});

test('a module that is called like a path is only a name', async () => {
  for (const module of ['../../../../etc/passwd(7)', '../../../../etc/passwd', '/etc/passwd', '..%2f..']) {
    const answer = check(await server.api('memory/summary', { run: 'good', module }), module);
    assert.equal(answer.status, 404);
  }
  for (const run of ['../../etc', '/etc', '..', 'good/..', 'good/host0.xplane.pb', 'good\0', '']) {
    const answer = check(await server.api('run', { run }), run);
    assert.ok(answer.status === 404 || answer.status === 400, run);
    assert.doesNotMatch(answer.text, /root:/);
  }
});

test('questions that make no sense', async () => {
  const wrong = [['buffer', { buffer: -1 }], ['buffer', { buffer: '9223372036854775808' }], ['buffer', { id: 'x' }],
    ['buffer', {}], ['live', { step: 4 }], ['live', { step: -1 }], ['curve', { px: 0 }], ['curve', { px: 8193 }],
    ['curve', { from: 3, to: 1 }], ['summary', { space: 99 }], ['summary', { hbm: 0 }], ['buffers', { sort: 'x' }],
    ['buffers', { limit: 4294967296 }], ['tree', { by: '<script>' }], ['whatif', { buffers: 'a,b' }], ['diff', { a: 99 }]];
  for (const [route, more] of wrong) {
    const answer = check(await server.api(`memory/${route}`, { run: 'good', ...more }), `${route} ${JSON.stringify(more)}`);
    assert.ok(answer.status === 400 || answer.status === 404, `${route} ${JSON.stringify(more)}: ${answer.status}`);
  }
});

test('patterns that cost too much are refused in time', async () => {
  const patterns = [`/a${'+'.repeat(100)}b/`, '/((((((((a+)+)+)+)+)+)+)+)+$/', '/a{255}{255}/', '/(x+x+)+y/', '/[[:/', '/\\/'];
  for (const filter of patterns) {
    const start = server.processorMs();
    check(await server.api('memory/buffers', { run: 'deep_operands', filter }), filter);
    check(await server.api('search', { run: 'deep_operands', q: filter }), filter);
    assert.ok(server.processorMs() - start < 10000, filter);
  }
});
