// Bad input, clause by clause: each row says what is wrong, which words have to be said about it (naming the file or the
// place in it), and what is shown nevertheless. Below, for clauses that are no single file, the tests that hold them.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test, { after, before } from 'node:test';
import zlib from 'node:zlib';

import { brokenProfiles, captured, fingerprint, putRun, Server, shared, source, temporary } from '../support/program.mjs';
import { testsExist } from '../support/named.mjs';
import { askAll, check } from './common.mjs';

const KIB = 1024;
const GOOD = 150 * KIB; // two buffers of 100 and 50 KiB, held together
const broken = brokenProfiles();
const made = (name) => fs.readFileSync(path.join(broken, 'plugins/profile', name, 'host0.xplane.pb'));
const TRACE = '{"displayTimeUnit":"ns","traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":1,"name":"a"}]}';
const PPROF = Buffer.from('0a040801100212060a01011201053200320373706c', 'hex');

let seed = 7;
const noise = (size) => Buffer.from(Array.from({ length: size }, () => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed >>> 24;
}));

/**
 * [clause, bytes, words that are said (all of them), peak that is shown or null, name of the file]. A file that is no
 * profile is named with what it is; damage in a program names the event, buffer, id or byte.
 */
const CLAUSES = [
  ['0-byte file: XProf leaves one above 2 GB', Buffer.alloc(0), [/0 bytes|empty/, /2 GB/, /host0\.xplane\.pb/], null],
  ['random bytes', noise(5000), [/host0\.xplane\.pb/], null],
  ['text', Buffer.from('step 1: loss 0.5\n'.repeat(20)), [/text/, /host0\.xplane\.pb/], null],
  ['HTML', Buffer.from('<!DOCTYPE html>\n<html><head><title>404</title></head></html>'), [/HTML/, /host0\.xplane\.pb/], null],
  ['a pprof by mistake', zlib.gzipSync(PPROF), [/pprof/, /host0\.xplane\.pb/], null],
  ['a .trace.json.gz by mistake', zlib.gzipSync(TRACE), [/trace|JSON/i, /host0\.xplane\.pb\.gz/], null, 'host0.xplane.pb.gz'],
  ['a trace.json by mistake', Buffer.from(TRACE), [/trace|JSON/i, /host0\.xplane\.pb/], null],
  ['UTF-8 mangled', shared && fs.readFileSync(path.join(shared, 'data/broken/utf8-mangled.xplane.pb')), [/UTF-8|text/, /host0\.xplane\.pb/], null],
  ['cut off', made('good').subarray(0, made('good').length - 9), [/cut short|cut off/, /host0\.xplane\.pb/, /byte \d+/], undefined],
  ['XSpace without HLO', made('no_hlo'), [/no compiled program/, /host0\.xplane\.pb/], null],
  ['XSpace without device planes', made('no_device_planes'), [], GOOD],
  ['XSpace with no planes', made('no_planes'), [/no compiled program/, /host0\.xplane\.pb/], null],
  ['HloProto without buffer assignment', made('no_assignment'), [/no buffer assignment/, /jit_no_assignment/], null],
  ['HloProto without heap trace', made('no_trace'), [/no heap trace/, /between 0 and 262144 bytes/], 0],
  ['ids that do not exist', made('ids_missing'), [/which does not exist/, /id 77/, /byte|offset/], 8 * KIB],
  ['a heap event of a buffer that does not exist', made('unknown_buffers'), [/event 0, buffer 99: there is no such buffer/], 100 * KIB],
  ['ids twice', made('ids_twice'), [/two buffers have the id 1/, /two instructions have the id 1/], undefined],
  ['ids negative', made('ids_negative'), [/Buffer -2 has a negative offset/], undefined],
  ['sizes that overflow', made('sizes_overflow'), [/would not fit in 64 bits/, /Buffer 1 reaches beyond/], undefined],
  ['sizes that are negative', made('sizes_negative'), [/negative size \(-4096 bytes\)/], 0],
  ['a buffer outside of its allocation', made('outside_heap'), [/Buffer 1 reaches beyond its allocation 0 of 4096 bytes/], GOOD],
  ['cyclic stack frames', made('cyclic_frames'), [/stack frame \d is among its own callers/], 64 * KIB],
  ['cyclic calls', made('cyclic_calls'), [/computation %\S+ calls itself/], 192 * KIB],
  ['100,000 calls below each other', made('deep_calls'), [/computation with the id 100001, which does not exist/], 64 * KIB],
  ['100,000 nested messages', made('deep_messages'), [/host0\.xplane\.pb/], null],
  ['a shape of 100,000 levels', made('deep_shape'), [/nests more than 64 levels/], GOOD],
  ['double free', made('double_free'), [/event 3, buffer 1: freed again/], GOOD],
  ['free before alloc', made('free_before_alloc'), [/event 0, buffer 1: freed before it is allocated/], GOOD],
  ['allocated twice', made('alloc_twice'), [/event 1, buffer 1: allocated while it is held; it counts once/], GOOD],
  ['two allocations in one trace', made('two_allocations'), [/single buffer allocation/], GOOD],
  ['an event of no known kind', made('event_kinds'), [/event 1, buffer 1: the event is of no known kind/], 100 * KIB],
  ['names with markup', made('name_markup'), [/script/], 64 * KIB],
  ['names with control characters', made('name_control'), [], 64 * KIB],
  ['names that are not UTF-8', made('name_invalid_utf8'), [/\ufffd/], 64 * KIB],
  ['names 1 MB long', made('name_long'), [/abcdefghij/], 64 * KIB],
  ['a length beyond the end', made('huge_length'), [/bytes at byte 371/, /host0\.xplane\.pb/], GOOD],
  ['a varint without an end', made('long_varint'), [/bytes at byte 371/, /host0\.xplane\.pb/], GOOD],
];

const CHANGING = 'tests/broken/changing.test.mjs';
const FILES = 'tests/broken/files.test.mjs';
const PROFILES = 'tests/broken/profiles.test.mjs';
const HOSTILE = 'tests/browser/hostile.test.mjs';
const START = 'tests/browser/start.test.mjs';
/** Clauses of folders, of change, of many places: not one file at rest. */
const ELSEWHERE = {
  'cut at any byte': [[FILES, 'profiles cut anywhere'], ['tests/unit/profile/test_cut.c', 'test_cut_at_every_byte'], ['tests/unit/hlo/test_hostile.c', 'cut_files_keep_what_was_read'], [START, 'a cut file: what is missing, what still works, and healing']],
  'random bytes, many of them': [[FILES, 'random bytes'], ['tests/unit/hlo/test_hostile.c', 'random_bytes_are_refused_or_survived']],
  '100,000 nested messages in protobuf-c': [['tests/unit/wire/test_guard.c', 'hundred_thousand_deep'], ['tests/unit/hlo/test_hostile.c', 'deep_shapes_stop']],
  'names are text in the page': [[HOSTILE, 'every view shows hostile names as text'], [HOSTILE, 'an address cannot inject either']],
  'names of files and folders': [[CHANGING, 'names of files and folders may be anything']],
  'directory without permission': [[CHANGING, 'folders and files without permission'], [CHANGING, 'a root that cannot be read is served, and says so']],
  'dangling links, and links that lead out': [[CHANGING, 'links: inside is followed or not, outside never, dangling ones are told']],
  'a file that grows': [[CHANGING, 'a file that grows is read again']],
  'a file that is replaced': [[CHANGING, 'a file that is replaced is read again'], ['tests/unit/session/test_store.c', 'test_changed']],
  'while it is read': [[CHANGING, 'files that change while they are read never give a mix'], ['tests/unit/session/test_threads.c', 'test_changing_files'], ['tests/unit/wire/test_source.c', 'file_that_shrinks'], ['tests/unit/wire/test_source.c', 'file_that_changes']],
  'the commands say the same': [['tests/cli/input.test.mjs', 'a file that is no profile is named, and so is what it is'], ['tests/cli/input.test.mjs', 'every broken profile ends with 0 or 3, quickly, and CSV agrees with JSON']],
  'the server goes on': [[PROFILES, 'every question about every broken profile is answered'], [FILES, 'a good run among them is as it should be']],
};

const rows = CLAUSES.filter(([, bytes]) => bytes);
let logdir, server, untouched;

before(async () => {
  logdir = temporary('clauses');
  rows.forEach(([, bytes, , , file], i) => putRun(logdir, `case_${i}`, bytes, file));
  putRun(logdir, 'whole', fs.readFileSync(captured('tpu_padded_demo')));
  untouched = fingerprint(logdir);
  server = await Server.start(logdir);
});

after(async () => {
  await server.stop();
  assert.deepEqual(fingerprint(logdir), untouched, 'nothing was written');
});

/** All that the server says about a run: problems of its files, warnings of run and program, the error. */
function saidOf(run, summary) {
  const warning = ({ text, where, offset }) => `${text} ${where ?? ''} ${offset === null ? '' : `byte ${offset}`}`;
  return [
    ...run.hosts.map((host) => JSON.stringify(host.error ?? '')),
    ...(run.warnings ?? []).map(warning),
    ...(summary.warnings ?? []).map(warning),
    summary.xprof?.error ? `XProf fails with: ${summary.xprof.error}` : '',
    summary.error ? `${summary.error.message} ${summary.error.where ?? ''} ${summary.error.offset === null ? '' : `byte ${summary.error.offset}`}` : '',
  ].join('\n');
}

for (const [i, [clause, , words, peak]] of rows.entries()) {
  test(`${clause}: said, and what can be shown is`, async () => {
    const run = `case_${i}`;
    const whole = check(await server.api('run', { run }), clause).json;
    const summary = check(await server.api('memory/summary', { run }), clause);
    const said = saidOf(whole, summary.json);
    for (const word of words) assert.match(said, word);
    if (peak === null) assert.ok([404, 422].includes(summary.status), `${clause}: ${summary.status}`);
    else if (peak !== undefined) assert.equal(summary.json.peak?.held_bytes, peak, said);
    await askAll(server, run);
    assert.equal((await server.api('memory/summary', { run: 'whole' })).json.peak.held_bytes, 620361728, 'the others are not touched');
    assert.ok(await server.answers());
  });
}

test('names of 1 MB are bounded where they are repeated in a sentence', async () => {
  const run = `case_${rows.findIndex(([clause]) => clause === 'names 1 MB long')}`;
  const { json } = await server.api('memory/summary', { run });
  for (const { text } of json.warnings) assert.ok(text.length < 2000, `${text.length} characters`);
  assert.equal((await server.api('memory/buffers', { run, at: 'all' })).json.total, 1);
});

test('clauses that are held elsewhere name tests that exist', () => testsExist(ELSEWHERE));

test('fuzz targets: cursor, XSpace, HloProto with its analysis, HTTP parameters; each with a corpus that is replayed', () => {
  const cmake = fs.readFileSync(path.join(source, 'tests/fuzz/CMakeLists.txt'), 'utf8');
  for (const target of ['cursor', 'xspace', 'hlo_memory', 'http_params']) {
    assert.ok(fs.existsSync(path.join(source, `tests/fuzz/fuzz_${target}.c`)), target);
    assert.ok(fs.readdirSync(path.join(source, 'tests/fuzz/corpus', target)).length > 5, `corpus of ${target}`);
  }
  assert.match(cmake, /replay/);
});
