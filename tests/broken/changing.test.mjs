// Files and folders that change, cannot be read, or lead elsewhere, while the server runs.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';

import { asNobody, brokenProfiles, captured, fingerprint, putRun, Server, temporary, until } from '../support/program.mjs';
import { askAll, check } from './common.mjs';

const flat = brokenProfiles('--flat');
const small = fs.readFileSync(path.join(flat, 'good.xplane.pb')); // peak 150 KiB
const demo = fs.readFileSync(captured('tpu_padded_demo'));
const PEAKS = new Set([150 * 1024, 620361728]);
const sleep = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

const peak = (answer) => answer.json?.peak?.held_bytes;

test('a file that is replaced is read again', async () => {
  const dir = temporary('replaced'), file = putRun(dir, 'r', small), server = await Server.start(dir);
  const ask = () => server.api('memory/summary', { run: 'r' });
  assert.equal(peak(await ask()), 150 * 1024);
  fs.writeFileSync(`${file}.new`, demo);
  fs.renameSync(`${file}.new`, file);
  await until(ask, (answer) => peak(answer) === 620361728, 'the new file is seen');
  fs.writeFileSync(file, small); // in place
  await until(ask, (answer) => peak(answer) === 150 * 1024, 'and the old one again');
  await server.stop();
});

test('a file that grows is read again', async () => {
  const dir = temporary('grows'), file = putRun(dir, 'r', demo.subarray(0, 10)), server = await Server.start(dir);
  const ask = () => server.api('memory/summary', { run: 'r' });
  for (let at = 10; at < demo.length; at += 5000) {
    check(await ask(), `${at} bytes`);
    check(await server.api('run', { run: 'r' }), `${at} bytes`);
    fs.appendFileSync(file, demo.subarray(at, at + 5000));
  }
  await until(ask, (answer) => peak(answer) === 620361728, 'the whole file');
  await server.stop();
});

test('files that change while they are read never give a mix', async () => {
  const dir = temporary('race'), file = putRun(dir, 'r', small), server = await Server.start(dir);
  let writing = true, seen = 0;
  const change = async () => {
    for (let i = 0; i < 150; i++) {
      const bytes = i % 2 ? demo : small;
      if (i % 5 === 4) fs.truncateSync(file, 30);
      if (i % 11 === 10) fs.unlinkSync(file);
      if (i % 3 === 0) fs.writeFileSync(file, bytes);
      else {
        fs.writeFileSync(`${file}.new`, bytes);
        fs.renameSync(`${file}.new`, file);
      }
      await sleep(i % 7);
    }
    fs.writeFileSync(file, demo);
  };
  const writer = change().finally(() => { writing = false; });
  const reader = async () => {
    while (writing) {
      const answer = check(await server.api('memory/summary', { run: 'r' }), 'while it changes');
      if (answer.status !== 200) continue;
      seen++;
      assert.ok(PEAKS.has(peak(answer)), `peak ${peak(answer)}`);
      const name = answer.json.module.name;
      assert.equal(peak(answer), name === 'jit_good' ? 150 * 1024 : 620361728, 'numbers belong to the name');
    }
  };
  await Promise.all([writer, reader(), reader(), reader()]);
  assert.ok(seen > 0);
  await until(() => server.api('memory/summary', { run: 'r' }), (answer) => peak(answer) === 620361728, 'the last one');
  await server.stop();
});

test('runs that come and go', async () => {
  const dir = temporary('come'), server = await Server.start(dir);
  assert.equal((await server.api('runs')).json.n, 0);
  putRun(dir, 'late', small);
  await until(() => server.api('runs'), ({ json }) => json.id.includes('late'), 'it is listed');
  assert.equal(peak(await server.api('memory/summary', { run: 'late' })), 150 * 1024);
  fs.rmSync(path.join(dir, 'plugins'), { recursive: true });
  await until(() => server.api('runs'), ({ json }) => json.n === 0, 'it is gone');
  await until(() => server.api('memory/summary', { run: 'late' }), ({ status }) => status === 404, 'its data too');
  fs.rmSync(dir, { recursive: true });
  const gone = await until(() => server.api('runs'), ({ json }) => json.root_problem, 'the root is gone');
  assert.match(gone.json.root_problem, /exist|nothing/i);
  fs.mkdirSync(dir);
  putRun(dir, 'back', small);
  await until(() => server.api('runs'), ({ json }) => json.id.includes('back'), 'and back');
  await server.stop();
});

test('links: inside is followed or not, outside never, dangling ones are told', async () => {
  const dir = temporary('links'), outside = temporary('outside');
  fs.writeFileSync(path.join(outside, 'secret.xplane.pb'), demo);
  putRun(dir, 'real', small);
  const runs = path.join(dir, 'plugins/profile');
  for (const run of ['dangling', 'loop', 'away', 'pipe']) fs.mkdirSync(path.join(runs, run));
  fs.symlinkSync('nowhere', path.join(runs, 'dangling/host0.xplane.pb'));
  fs.symlinkSync('host0.xplane.pb', path.join(runs, 'loop/host0.xplane.pb'));
  fs.symlinkSync('..', path.join(runs, 'loop/up'));
  fs.symlinkSync(path.join(outside, 'secret.xplane.pb'), path.join(runs, 'away/host0.xplane.pb'));
  fs.symlinkSync(outside, path.join(runs, 'elsewhere'));
  fs.symlinkSync('/etc', path.join(dir, 'etc'));
  execFileSync('mkfifo', [path.join(runs, 'pipe/host0.xplane.pb')]); // would block whoever opens it
  const before = fingerprint(dir), server = await Server.start(dir);
  const { json } = await server.api('runs');
  assert.ok(json.id.includes('real'));
  assert.ok(json.scan.links_skipped >= 3, `links_skipped ${json.scan.links_skipped}`);
  for (const run of json.id) {
    const answer = check(await server.api('memory/summary', { run }), run);
    assert.notEqual(peak(answer), 620361728, `${run}: nothing from outside of the root`);
    assert.equal(answer.status === 200, run === 'real', run);
  }
  for (const run of ['dangling', 'loop', 'pipe', 'away'])
    check(await server.api('run', { run }), run);
  await askAll(server, 'real');
  await server.stop();
  assert.deepEqual(fingerprint(dir), before);
});

test('folders and files without permission', async (t) => {
  const dir = temporary('forbidden'), options = asNobody(dir);
  putRun(dir, 'fine', small);
  const file = putRun(dir, 'file', small), folder = path.dirname(putRun(dir, 'folder', small));
  fs.chmodSync(file, 0);
  fs.chmodSync(folder, 0);
  let server;
  try {
    server = await Server.start(dir, options);
  } catch (error) {
    if (!/EACCES/.test(error.code ?? '')) throw error;
    t.skip('nobody may not start the program');
    return;
  }
  const { json } = await server.api('runs');
  assert.equal(json.scan.unreadable_folders, 1);
  assert.equal(peak(await server.api('memory/summary', { run: 'fine' })), 150 * 1024);
  const refused = check(await server.api('memory/summary', { run: 'file' }), 'file');
  assert.notEqual(refused.status, 200);
  assert.match(JSON.stringify(refused.json), /permission/i);
  assert.match(JSON.stringify(refused.json), /host0\.xplane\.pb/);
  fs.chmodSync(file, 0o644);
  await until(() => server.api('memory/summary', { run: 'file' }), (answer) => peak(answer) === 150 * 1024, 'now it may');
  fs.chmodSync(folder, 0o755);
  await until(() => server.api('runs'), (answer) => answer.json.id.includes('folder'), 'and the folder');
  await server.stop();
});

test('a root that cannot be read is served, and says so', async (t) => {
  const dir = temporary('root'), options = asNobody(dir);
  putRun(dir, 'r', small);
  fs.chmodSync(dir, 0);
  let server;
  try {
    server = await Server.start(dir, options);
  } catch (error) {
    if (!/EACCES/.test(error.code ?? '')) throw error;
    t.skip('nobody may not start the program');
    return;
  }
  const { json } = await server.api('runs');
  assert.match(json.root_problem, /permission/i);
  assert.equal(json.n, 0);
  await server.stop();
  fs.chmodSync(dir, 0o755);
});

test('a read-only logdir is read, and left byte by byte as it was', async () => {
  const dir = temporary('readonly'), options = asNobody(dir);
  const file = putRun(dir, 'r', demo);
  putRun(dir, 's', small);
  for (const one of [file, path.dirname(file), path.join(dir, 'plugins/profile/s'),
    path.join(dir, 'plugins/profile'), path.join(dir, 'plugins'), dir])
    fs.chmodSync(one, fs.statSync(one).isDirectory() ? 0o555 : 0o444);
  const before = fingerprint(dir), server = await Server.start(dir, options);
  for (const run of ['r', 's']) await askAll(server, run);
  await server.stop();
  assert.deepEqual(fingerprint(dir), before);
  for (const one of [dir, path.join(dir, 'plugins'), path.join(dir, 'plugins/profile'), path.dirname(file)])
    fs.chmodSync(one, 0o755);
});

test('names of files and folders may be anything', async () => {
  const dir = temporary('names');
  const odd = ['a b', 'a&b=c', 'ü', '<b>x<b>', 'a\nb', 'x\x1b[31m', '%2e%2e', '#1', "it's", '"q"', '-rf', '.hidden', 'a\\b'];
  for (const run of odd) putRun(dir, run, small);
  fs.mkdirSync(Buffer.concat([Buffer.from(`${dir}/plugins/profile/`), Buffer.from([0xff, 0xfe])]));
  fs.writeFileSync(Buffer.concat([Buffer.from(`${dir}/plugins/profile/`), Buffer.from([0xff, 0xfe]),
    Buffer.from('/host0.xplane.pb')]), small);
  const server = await Server.start(dir);
  const { json } = check(await server.api('runs'), 'runs');
  for (const run of odd.filter((name) => !name.startsWith('.'))) {
    assert.ok(json.id.includes(run), JSON.stringify(run));
    assert.equal(peak(await server.api('memory/summary', { run })), 150 * 1024, JSON.stringify(run));
  }
  for (const run of json.id) check(await server.api('card', { run }), run);
  await server.stop();
});

test('a huge empty file and a huge gzip are refused at once', async () => {
  const dir = temporary('huge'), file = putRun(dir, 'sparse', Buffer.alloc(0));
  fs.truncateSync(file, 64 * 2 ** 30);
  const server = await Server.start(dir), start = server.processorMs();
  const answer = check(await server.api('memory/summary', { run: 'sparse' }), 'sparse');
  assert.notEqual(answer.status, 200);
  assert.ok(server.processorMs() - start < 5000);
  await server.stop();
});
