// A server that many share: behind a prefix, at a unix socket, with a token, watched by others, ended while it sends.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import test from 'node:test';

import { build, captured, putRun, Server, temporary, until } from '../support/program.mjs';
import { demo, demoFile, EXIT, fails } from './common.mjs';

const TOKEN = 'a-token-of-this-test', bearer = { Authorization: `Bearer ${TOKEN}` };
const text = (answer) => answer.body.toString('utf8');

/** Where a browser goes from here. */
const follow = (target, answer) => {
  const url = new URL(answer.headers.location, `http://localhost${target}`);
  return url.pathname + url.search;
};

test('below a prefix the page, the API, redirects and links hold', async () => {
  const server = await Server.start(demo, '--base-path=/people/profiles/');
  for (const from of ['/', '/people/profiles', '/people/profiles?x=1', '/people/profiles/a/deep/path']) {
    let target = from, answer = await server.once(target);
    for (let i = 0; i < 3 && answer.status === 302; i++) {
      target = follow(target, answer);
      answer = await server.once(target);
    }
    assert.equal(answer.status, 200, from);
    assert.match(target, /^\/people\/profiles\/(\?x=1)?$/);
    assert.match(answer.headers['content-security-policy'], /default-src 'none'/);
    assert.doesNotMatch(answer.headers['content-security-policy'], /unsafe/);
    const links = [...text(answer).matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]);
    assert.ok(links.length > 1, 'the page has files');
    for (const link of links) {
      const url = new URL(link, `http://localhost${target}`);
      assert.equal((await server.once(url.pathname)).status, 200, url.pathname);
    }
  }
  for (const [target, status] of [['/people/profiles/api/v1/runs', 200], ['/people/profiles/data/plugin/profile/version', 200],
    ['/people/profiles/runs', 200], ['/api/v1/runs', 404], ['/people/profilesX/', 404], ['/people', 404], ['/people/profiles/api/v1/nothing', 404]])
    assert.equal((await server.once(target)).status, status, target);
  await server.stop();
  assert.equal(server.errors, '');
  for (const value of ['people', '/a//b', '/a/../b', '/a b', '']) fails([demo, `--base-path=${value}`], EXIT.USAGE, /--base-path/);
});

test('what a proxy says is believed only with the option, and the Host check stays', async () => {
  const forwarded = { 'X-Forwarded-For': '10.1.2.3', 'X-Forwarded-Host': 'page.example', 'X-Forwarded-Proto': 'https' };
  for (const trust of [false, true]) {
    const server = await Server.start(demo, '--verbose', `--token=${TOKEN}`, ...(trust ? ['--trust-proxy', '--allow-host=page.example'] : []));
    const answer = await server.once(`/?token=${TOKEN}`, forwarded);
    assert.equal(answer.status, 302);
    assert.equal(/; Secure/.test(answer.headers['set-cookie'][0]), trust);
    assert.equal((await server.once('/api/v1/status', { ...bearer, 'X-Forwarded-Host': 'evil.example' })).status, trust ? 421 : 200);
    assert.equal((await server.once('/api/v1/status', { ...bearer, Host: 'evil.example', 'X-Forwarded-Host': 'localhost' })).status, 421);
    await server.stop();
    assert.match(server.errors, trust ? /10\.1\.2\.3 GET \/ 302/ : /127\.0\.0\.1 GET \/ 302/);
    assert.ok(!server.errors.includes(TOKEN), 'no token in the log');
  }
});

test('a unix socket: answers, is for owner and group, replaces a dead one and is gone at the end', async () => {
  const at = path.join(temporary('socket'), 'x.sock');
  const server = await Server.start(demo, `--socket=${at}`);
  assert.equal(server.socketPath, at);
  assert.equal((await server.get('/api/v1/memory/summary?run=aot')).status, 200);
  assert.equal((await server.once('/api/v1/status', { Host: 'evil.example' })).status, 421);
  assert.equal(fs.statSync(at).mode & 0o777, 0o660);
  fails([demo, `--socket=${at}`], EXIT.PORT, /another program listens/);
  server.child.ref();
  server.child.kill('SIGKILL');
  await server.exit;
  assert.ok(fs.existsSync(at), 'killed, it left its socket behind');
  const next = await Server.start(demo, `--socket=${at}`);
  assert.equal((await next.once('/healthz')).status, 200);
  await next.stop();
  assert.ok(!fs.existsSync(at));
  fs.writeFileSync(at, 'a file of somebody');
  fails([demo, `--socket=${at}`], EXIT.PORT, /is not a socket/);
  assert.equal(fs.readFileSync(at, 'utf8'), 'a file of somebody');
  fails([demo, `--socket=/tmp/${'x'.repeat(200)}`], EXIT.PORT, /path of a socket/);
});

test('a token: 401 in words, a header for programs, a cookie for the page', async () => {
  const file = path.join(temporary('token'), 'token');
  fs.writeFileSync(file, `${TOKEN}\n`);
  for (const option of [`--token=${TOKEN}`, `--token-file=${file}`]) {
    const server = await Server.start(demo, option);
    for (const target of ['/', '/api/v1/runs', '/metrics', '/data/plugin/profile/version', '/app.js']) {
      const answer = await server.once(target);
      assert.equal(answer.status, 401, target);
      assert.match(answer.headers['www-authenticate'], /^Bearer/);
      assert.match(JSON.parse(text(answer)).error.message, /needs a token/);
    }
    assert.equal((await server.once('/healthz')).status, 200, 'tells nothing, so it asks for nothing');
    const form = await server.once('/', { Accept: 'text/html' });
    assert.equal(form.status, 401);
    assert.match(text(form), /<form>[^]*name="token"/);
    assert.equal((await server.once('/api/v1/runs', bearer)).status, 200);
    assert.equal((await server.once('/api/v1/runs', { Authorization: `Bearer ${TOKEN}x` })).status, 401);
    assert.equal((await server.once(`/?token=${TOKEN}x`)).status, 401);

    const opened = await server.once(`/?a=b&token=${TOKEN}`);
    assert.equal(opened.status, 302);
    assert.equal(follow('/', opened), '/?a=b', 'the token does not stay in the URL');
    const cookie = opened.headers['set-cookie'][0];
    assert.match(cookie, /; HttpOnly; SameSite=Lax/);
    const headers = { Cookie: `other=1; ${cookie.split(';')[0]}` };
    assert.equal((await server.once('/?a=b', headers)).status, 200);
    assert.equal((await server.once('/api/v1/runs', headers)).status, 200);
    await server.stop();
  }
  fails([demo, '--token=short'], EXIT.USAGE, /16 to 256/);
  fails([demo, `--token=${'é'.repeat(20)}`], EXIT.USAGE, /16 to 256/);
  fails([demo, `--token=${TOKEN}`, `--token-file=${file}`], EXIT.USAGE, /not both/);
  fails([demo, `--token-file=${file}.none`], EXIT.INPUT, /token\.none/);
  fs.writeFileSync(file, '\n');
  fails([demo, `--token-file=${file}`], EXIT.USAGE, /16 to 256/);
});

/** {name or name{label="x"}: value} of a Prometheus text; every name has HELP and TYPE. */
function metrics(lines) {
  const values = {}, types = {};
  for (const line of lines.trimEnd().split('\n')) {
    const type = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(line);
    if (type) types[type[1]] = type[2];
    if (line.startsWith('#')) continue;
    const [, name, labels, value] = /^([a-z_]+)(\{[^}]*\})? (\S+)$/.exec(line);
    assert.ok(types[name] || types[name.replace(/_(bucket|sum|count)$/, '')] === 'histogram', `${name} has a type`);
    assert.ok(Number.isFinite(Number(value)), line);
    values[name + (labels ?? '')] = Number(value);
  }
  return values;
}

test('/metrics counts requests, seconds, bytes, runs and memory', async () => {
  const server = await Server.start(demo);
  const ask = async () => metrics(text(await server.once('/metrics')));
  const before = await ask();
  const page = await server.once('/');
  await server.get('/api/v1/memory/summary?run=aot');
  await server.once('/api/v1/nothing');
  const after = await until(async () => ({ text: '', m: await ask() }), ({ m }) => m['xprofd_requests_total{code="404"}'] === 1, 'the 404 is counted')
    .then(({ m }) => m);
  const sum = (m, pattern) => Object.entries(m).filter(([name]) => pattern.test(name)).reduce((all, [, value]) => all + value, 0);
  assert.equal(sum(after, /^xprofd_requests_total/), after.xprofd_request_seconds_count, 'each request is in the histogram');
  assert.equal(after['xprofd_request_seconds_bucket{le="+Inf"}'], after.xprofd_request_seconds_count);
  assert.ok(sum(after, /^xprofd_requests_total/) - sum(before, /^xprofd_requests_total/) >= 4);
  assert.ok(after.xprofd_sent_bytes_total - before.xprofd_sent_bytes_total > Number(page.headers['content-length']));
  assert.ok(after.xprofd_request_seconds_sum > before.xprofd_request_seconds_sum);
  assert.equal(after.xprofd_runs_loaded, 1);
  assert.equal(after.xprofd_run_loads_total, 1);
  assert.ok(after.xprofd_runs_bytes > 0 && after.xprofd_runs_bytes < after.xprofd_runs_limit_bytes);
  assert.ok(after.xprofd_answers_made_total >= 1 && after.process_resident_memory_bytes > 1e6);
  assert.equal(after.xprofd_requests_in_flight, 1, 'this one');
  await server.stop();
});

test('log lines as JSON: one object a line, whatever a request holds', async () => {
  const server = await Server.start(path.join(demo, '..'), '--verbose', '--log=json', '--bind=0.0.0.0');
  await server.once('/api/v1/run?run=%22%0a%0d"<x>');
  await server.once('/healthz');
  server.child.kill('SIGHUP');
  await until(async () => ({ text: server.errors }), () => /rescanned/.test(server.errors), 'SIGHUP looks again');
  await server.stop();
  const lines = server.errors.trimEnd().split('\n').map((line) => JSON.parse(line));
  for (const line of lines) {
    assert.match(line.time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.ok(['error', 'warning', 'info', 'debug'].includes(line.level) && line.message, JSON.stringify(line));
  }
  assert.match(lines.find((line) => line.level === 'warning').message, /without a password/);
  const [asked, health] = lines.filter((line) => line.message === 'request');
  assert.equal(asked.target, '/api/v1/run?run=%22%0a%0d"<x>');
  assert.deepEqual([asked.client, asked.method, asked.status, asked.whole], ['127.0.0.1', 'GET', 404, true]);
  assert.deepEqual([health.status, health.bytes], [200, 3]);
  assert.ok(asked.ms >= 0);
  fails([demo, '--log=xml'], EXIT.USAGE, /--log/);
});

test('SIGHUP finds a run at once', async () => {
  const logdir = temporary('hangup');
  putRun(logdir, 'first', fs.readFileSync(demoFile));
  const server = await Server.start(logdir, '--verbose');
  assert.deepEqual((await server.api('runs')).json.id, ['first']);
  putRun(logdir, 'second', fs.readFileSync(demoFile));
  server.child.kill('SIGHUP');
  await until(async () => ({ text: server.errors }), () => /rescanned .*: 2 runs/.test(server.errors), 'it looked');
  await server.stop();
});

/** A client that asks for all of a trace in one connection and reads when it is told to. */
function slowClient(server) {
  const socket = net.connect(server.port, '127.0.0.1');
  const client = { socket, bytes: 0, end: new Promise((resolve) => socket.on('close', resolve)), tail: '' };
  client.first = new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.once('data', () => { socket.pause(); resolve(); });
  });
  socket.on('data', (part) => {
    client.bytes += part.length;
    client.tail = (client.tail + part.toString('latin1')).slice(-64);
  });
  return client;
}

/** A server that sends more than sockets take to a client that reads no further, told to end: it takes no more connections. */
async function endsWhileItSends() {
  const file = path.join(temporary('large'), 'large.hlo_proto.pb');
  execFileSync(path.join(build, 'bin/gen_large'), [file, '150000', '60000', '0']);
  const server = await Server.start(file);
  const key = (await server.api('modules')).json.key[0];
  const client = slowClient(server);
  client.socket.write(`GET /data?tag=graph_viewer&type=long_txt&module_name=${encodeURIComponent(key)} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  await client.first;
  server.agent.destroy();
  server.child.ref();
  server.child.kill('SIGTERM');
  await until(() => new Promise((resolve) => {
    const more = net.connect(server.port, '127.0.0.1');
    more.on('connect', () => { more.destroy(); resolve({ text: 'still taken' }); });
    more.on('error', () => resolve({ text: '', refused: true }));
  }), (answer) => answer.refused, 'no more connections are taken');
  assert.equal(server.ended, undefined, 'it waits for the client');
  return { server, client };
}

test('SIGTERM finishes what is being sent, and takes no more', async () => {
  const { server, client } = await endsWhileItSends();
  client.socket.resume();
  await client.end;
  assert.ok(client.bytes > 12e6, `${client.bytes}`);
  assert.ok(client.tail.endsWith('0\r\n\r\n'), 'the last chunk came');
  assert.equal((await server.exit).code, 0);
});

test('a second signal ends it without the rest', async () => {
  const { server, client } = await endsWhileItSends();
  server.child.kill('SIGTERM');
  assert.equal((await server.exit).code, 0);
  client.socket.resume();
  await client.end;
  assert.ok(!client.tail.endsWith('0\r\n\r\n'), 'it was broken off, and looks so');
});

test('a run that grows or is replaced while it is served is read anew, one that goes says so', async () => {
  const logdir = temporary('grows'), file = putRun(logdir, 'one', fs.readFileSync(demoFile)), beside = path.join(path.dirname(file), 'host1.xplane.pb');
  const server = await Server.start(logdir);
  const peak = async () => (await server.api('memory/summary', { run: 'one' })).json.peak.held_bytes;
  const hosts = async () => (await server.api('run', { run: 'one' })).json.hosts.map(({ name }) => name);
  const first = await peak();
  assert.deepEqual(await hosts(), ['host0']);
  fs.copyFileSync(file, beside);
  await until(async () => ({ text: '', names: await hosts() }), ({ names }) => names.length === 2, 'the second host');
  fs.rmSync(beside);
  await until(async () => ({ text: '', names: await hosts() }), ({ names }) => names.length === 1, 'it is gone again');
  fs.writeFileSync(file, fs.readFileSync(captured('tpu_scan_layers'))); // in place, as a copy over it does
  await until(async () => ({ text: '', now: await peak() }), ({ now }) => now !== first, 'the other program');
  fs.renameSync(path.join(logdir, 'plugins'), path.join(logdir, '..', `${path.basename(logdir)}-aside`));
  const gone = await until(() => server.api('memory/summary', { run: 'one' }), ({ status }) => status === 404, 'it is gone');
  assert.match(gone.json.error.message, /was deleted or moved while xprofd was running/);
  fs.renameSync(path.join(logdir, '..', `${path.basename(logdir)}-aside`), path.join(logdir, 'plugins'));
  await until(() => server.api('memory/summary', { run: 'one' }), ({ status }) => status === 200, 'it is back');
  await server.stop();
});

test('a run that fills the memory of the server says that it is slower, and opens all the same', async () => {
  const file = path.join(temporary('little'), 'host0.xplane.pb');
  execFileSync(path.join(build, 'bin/gen_vectors'), ['--events', 'TPU host', '100000', file]);
  for (const [limit, said] of [['12M', true], ['1G', false]]) {
    const server = await Server.start(file, `--memory-limit=${limit}`);
    const { json } = await server.api('run');
    assert.equal(json.warnings.some(({ text: words }) => /may hold 12\.0 MiB for all runs[^]*read again/.test(words)), said, limit);
    for (const derived of [0, 1]) assert.equal((await server.api('trace/rows', { derived })).status, 200, limit);
    await server.stop();
  }
});
