// Files that are no profiles, and profiles cut at many places: the run is listed, its problem names
// the file and what it is, other runs are not touched by it.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test, { after, before } from 'node:test';
import zlib from 'node:zlib';

import { brokenProfiles, captured, fingerprint, forAll, putRun, Server, shared, temporary }
  from '../support/program.mjs';
import { askAll, check } from './common.mjs';

const demo = fs.readFileSync(captured('tpu_padded_demo'));
const trace = '{"displayTimeUnit":"ns","traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":1,"name":"a"}]}';
const pprof = Buffer.from('0a040801100212060a01011201053200320373706c', 'hex');

/** Name of the run: [bytes, what has to be said about them, name of the file]. */
const wrong = {
  zero: [Buffer.alloc(0), /empty|0 bytes/i],
  html: [Buffer.from('<!DOCTYPE html>\n<html><head><title>404</title></head></html>'), /HTML/],
  text: [Buffer.from('step 1: loss 0.5\n'.repeat(20)), /text/i],
  pprof: [zlib.gzipSync(pprof), /pprof/],
  trace: [Buffer.from(trace), /trace|JSON/i],
  trace_gz: [zlib.gzipSync(trace), /trace|JSON/i, 'host0.xplane.pb.gz'],
  zeros: [Buffer.alloc(100000), /./],
  ones: [Buffer.alloc(100000, 0xff), /./],
};

let logdir, server, untouched, seed = 1;
const random = (limit) => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return Math.floor((seed / 2 ** 32) * limit);
};

before(async () => {
  logdir = temporary('files');
  putRun(logdir, 'whole', demo);
  for (const [run, [bytes, , file]] of Object.entries(wrong)) putRun(logdir, `wrong_${run}`, bytes, file);
  for (let i = 0; i < 12; i++)
    putRun(logdir, `noise_${i}`, Buffer.from(Array.from({ length: 50 << i % 8 }, () => random(256))));
  if (shared)
    putRun(logdir, 'wrong_mangled', fs.readFileSync(path.join(shared, 'data/broken/utf8-mangled.xplane.pb')));
  untouched = fingerprint(logdir);
  server = await Server.start(logdir);
});

after(async () => {
  await server.stop();
  assert.deepEqual(fingerprint(logdir), untouched, 'nothing was written');
});

test('files that are no profiles', async () => {
  const listed = (await server.api('runs')).json;
  const cases = { ...wrong };
  if (shared) cases.mangled = [null, /UTF-8|text/];
  await forAll(Object.entries(cases), 3, async ([name, [, words, file = 'host0.xplane.pb']]) => {
    const run = `wrong_${name}`;
    assert.ok(listed.id.includes(run), `${run} is listed`);
    const { json } = check(await server.api('run', { run }), run);
    const [host] = json.hosts;
    assert.equal(host.file, file);
    const why = JSON.stringify([host.error, json.warnings]);
    assert.match(why, words, run);
    // Nobody knows what a file held that could not be read: no tool may say that it never ran.
    for (const tool of json.tools.filter((one) => ['memory', 'trace', 'graph', 'doctor'].includes(one.id)))
      if (host.error) assert.match(tool.reason, /no file of this run could be read/, `${run} ${tool.id}`);
    const summary = check(await server.api('memory/summary', { run }), run);
    assert.ok([404, 422].includes(summary.status), run);
    const said = JSON.stringify(summary.json.error);
    assert.match(said, words, `${run}: ${said}`);
    assert.ok(said.includes(file), `${run} names the file: ${said}`);
    const { json: card } = check(await server.api('card', { run }), `${run} card`);
    assert.ok(card.error || card.problem, `${run}: the card says it too`);
    if (host.error && json.warnings.length === 1) assert.equal(card.problems, 1, `${run}: one file, one problem`);
  });
});

test('random bytes', async () => {
  await forAll(Array.from({ length: 12 }, (_, i) => `noise_${i}`), 3, (run) => askAll(server, run));
  assert.ok(await server.answers());
});

test('a good run among them is as it should be', async () => {
  const { summaries } = await askAll(server, 'whole');
  assert.equal(summaries[0].peak.held_bytes, 620361728);
});

/** Small profiles cut at all their places, larger ones at a sample of them. */
function cuts() {
  const flat = brokenProfiles('--flat'), list = [];
  const good = fs.readFileSync(path.join(flat, 'good.xplane.pb'));
  for (let at = 1; at < good.length; at += 3) list.push(['good', good, at]);
  for (const name of ['cyclic_calls', 'same_ids', 'odd_shares', 'no_device_planes']) {
    const bytes = fs.readFileSync(path.join(flat, `${name}.xplane.pb`));
    for (let i = 0; i < 12; i++) list.push([name, bytes, 1 + random(bytes.length - 1)]);
  }
  for (const name of ['tpu_padded_demo', 'cpu_mlp_train', 'cpu_sharded8']) {
    const bytes = fs.readFileSync(captured(name));
    for (let i = 0; i < 10; i++) list.push([name, bytes, 1 + random(bytes.length - 1)]);
  }
  return list;
}

test('profiles cut anywhere', async () => {
  const dir = temporary('cuts'), all = cuts();
  all.forEach(([name, bytes, at]) => putRun(dir, `${name}_${at}`, bytes.subarray(0, at)));
  const cutServer = await Server.start(dir);
  const largest = {};
  await forAll(all, 3, async ([name, bytes, at]) => {
    const run = `${name}_${at}`, what = `${name} cut at ${at} of ${bytes.length}`;
    const { json } = check(await cutServer.api('run', { run }), what);
    const [host] = json.hosts;
    if (!host.error) {
      const text = JSON.stringify(json.warnings);
      assert.ok(host.complete === false || name !== 'good', `${what}: complete`);
      if (!host.complete) {
        assert.ok(host.read_until_bytes <= at, what);
        assert.match(text, /host0\.xplane\.pb/, `${what}: names the file: ${text}`);
      }
    }
    const summary = check(await cutServer.api('memory/summary', { run }), what);
    check(await cutServer.api('modules', { run }), what);
    check(await cutServer.api('card', { run }), what);
    if (summary.status === 200) largest[name] = Math.max(largest[name] ?? 0, summary.json.peak.held_bytes);
    else assert.match(JSON.stringify(summary.json.error), /host0\.xplane\.pb|no buffer assignment/, what);
  });
  assert.ok(await cutServer.answers());
  await cutServer.stop();
});
