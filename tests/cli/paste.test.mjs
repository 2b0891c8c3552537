// POST /api/v1/paste: what is taken and what is refused, what is kept and for how long, and that nothing is written.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import test from 'node:test';

import { Server, temporary, testdata } from '../support/program.mjs';

const TYPE = { 'Content-Type': 'text/x-hlo' };
const LIMIT = 16 << 20;
const real = fs.readFileSync(path.join(testdata, 'cpu_text/jax_0.10.2/module_0008.jit_train.cpu_after_optimizations.txt'));
const tiny = (name) => Buffer.from(`HloModule ${name}, is_scheduled=true\n\nENTRY %main () -> f32[] {\n  ROOT %c = f32[] constant(1)\n}\n`);

/** {status, headers, json} of one request with a body. */
function send(server, body, headers = TYPE, { method = 'POST', target = '/api/v1/paste' } = {}) {
  return new Promise((resolve, reject) => {
    const ask = http.request({ host: '127.0.0.1', port: server.port, path: target, method, headers: { ...(headers['Transfer-Encoding'] ? {} : { 'Content-Length': body.length }), ...headers } }, (answer) => {
      const parts = [];
      answer.on('data', (part) => parts.push(part));
      answer.on('end', () => resolve({ status: answer.statusCode, headers: answer.headers, json: JSON.parse(Buffer.concat(parts).toString() || 'null') }));
    });
    ask.on('error', reject);
    ask.end(body);
  });
}

async function served(args, questions) {
  const root = temporary('paste');
  fs.writeFileSync(path.join(root, 'keep.hlo'), real);
  const listed = () => fs.readdirSync(root, { recursive: true, withFileTypes: true }).map((one) => [one.name, one.isFile() ? fs.statSync(path.join(root, one.name)).mtimeMs : 0]);
  const before = listed();
  const server = await Server.start(root, ...args);
  try {
    await questions(server);
  } finally {
    await server.stop();
  }
  assert.deepEqual(listed(), before, 'nothing is written');
}

const refused = async (server, status, words, ...how) => {
  const answer = await send(server, ...how);
  assert.equal(answer.status, status, JSON.stringify(answer.json));
  assert.match(answer.json.error.message, words);
  return answer;
};

test('a pasted program is a run: listed, its text, graph and sizes as from the file', async () => {
  await served([], async (server) => {
    const { generation } = (await server.api('runs')).json;
    const { status, json: { run } } = await send(server, real);
    assert.equal(status, 201);
    assert.match(run, /^pasted:jit_train-[0-9a-f]{8}$/);
    const list = (await server.api('runs', { since: generation })).json;
    assert.ok(list.generation > generation, 'a page that polls sees the new generation');
    const at = list.id.indexOf(run);
    assert.deepEqual([list.kind[at], list.size_bytes[at], list.label[at], list.problem[at]], ['file', real.length, run, null]);
    const modules = (await server.api('modules', { run })).json;
    assert.deepEqual([modules.name, modules.instructions], [['jit_train'], [140]]);
    const kept = list.id.find((id) => id !== run);
    for (const route of ['graph/text', 'graph/proto']) {
      const [pasted, file] = await Promise.all([run, kept].map((of) => server.get(`/api/v1/${route}?${new URLSearchParams({ run: of })}`)));
      assert.deepEqual([pasted.status, file.status], [200, 200], route);
      assert.ok(pasted.body.length > 1000 && pasted.body.equals(file.body), route);
    }
    const again = await send(server, real);
    assert.equal(again.json.run, run, 'the same text is the same run');
    assert.equal((await server.api('runs')).json.id.filter((id) => id.startsWith('pasted:')).length, 1);
  });
});

test('the last four are kept; the fifth takes the place of the oldest, and says so', async () => {
  await served([], async (server) => {
    const ids = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) ids.push((await send(server, tiny(`jit_${name}`))).json.run);
    assert.equal((await server.api('modules', { run: ids[0] })).status, 404);
    const gone = await server.api('modules', { run: ids[0] });
    assert.match(gone.json.error.message, /is no longer in memory: only the last 4 pasted programs are kept/);
    assert.deepEqual((await server.api('runs')).json.id.filter((id) => id.startsWith('pasted:')), ids.slice(1).reverse());
    for (const run of ids.slice(1)) assert.equal((await server.api('modules', { run })).json.n, 1, run);
    const kept = (await server.api('runs')).json.id.find((id) => !id.startsWith('pasted:'));
    assert.equal((await server.api('modules', { run: kept })).json.name[0], 'jit_train', 'runs of the folder stay');
  });
});

test('a loaded program that is replaced is gone, too', async () => {
  await served([], async (server) => {
    const { run } = (await send(server, tiny('jit_first'))).json;
    assert.equal((await server.api('modules', { run })).json.n, 1);
    for (const name of ['a', 'b', 'c', 'd']) await send(server, tiny(`jit_${name}`));
    await server.api('runs');
    assert.equal((await server.api('modules', { run })).status, 404);
  });
});

test('pages of other sites, other types, other methods and other texts are refused', async () => {
  await served([], async (server) => {
    const host = `127.0.0.1:${server.port}`;
    for (const origin of ['http://evil.example', 'null', `http://${host}.evil.example`, `http://127.0.0.1:${server.port + 1}`]) await refused(server, 403, /a page of another site/, real, { ...TYPE, Origin: origin });
    for (const site of ['cross-site', 'same-site']) await refused(server, 403, /a page of another site/, real, { ...TYPE, 'Sec-Fetch-Site': site });
    await refused(server, 421, /does not know/, real, { ...TYPE, Host: 'evil.example' });
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/x-hlo-not']) await refused(server, 415, /text\/x-hlo/, real, { 'Content-Type': type });
    await refused(server, 411, /Content-Length/, real, { ...TYPE, 'Transfer-Encoding': 'chunked' });
    for (const method of ['PUT', 'DELETE', 'OPTIONS', 'PATCH']) assert.equal((await refused(server, 405, /POST/, Buffer.alloc(0), TYPE, { method })).headers.allow, 'POST');
    assert.equal((await server.get('/api/v1/paste')).status, 405);
    const preflight = await send(server, Buffer.alloc(0), { Origin: 'http://evil.example', 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': 'content-type' }, { method: 'OPTIONS' });
    assert.deepEqual(Object.keys(preflight.headers).filter((name) => name.startsWith('access-control')), [], 'a browser hears no yes');
    for (const target of ['/api/v1/status', '/api/v1/paste/x', '/']) assert.equal((await refused(server, 405, /only GET and HEAD/, real, TYPE, { target })).headers.allow, 'GET, HEAD');
    for (const text of ['', 'HloModule', 'ENTRY %main () -> f32[] {', '\0HloModule a', 'RESOURCE_EXHAUSTED: Ran out of memory']) await refused(server, 400, /not an HLO module in text/, Buffer.from(text));
    assert.equal((await server.api('runs')).json.id.some((id) => id.startsWith('pasted:')), false, 'none of these is kept');
    for (const own of [{ Origin: `http://${host}` }, { Origin: `http://${host}`, 'Sec-Fetch-Site': 'same-origin' }, {}]) assert.equal((await send(server, real, { ...TYPE, ...own })).status, 201);
  });
});

test('too much is refused with the number, before it is read; the most that is taken is', async () => {
  await served([], async (server) => {
    const { error } = (await refused(server, 413, /the text has 16777217 bytes; the limit is 16777216 \(16 MiB\)/, Buffer.alloc(0), { ...TYPE, 'Content-Length': LIMIT + 1 })).json;
    assert.equal(error.code, 'limit');
    const head = tiny('jit_large');
    assert.equal((await send(server, Buffer.concat([head, Buffer.alloc(LIMIT - head.length, '\n')]))).status, 201);
    assert.ok(await server.answers());
  });
});

test('a client that breaks off leaves room for the next ones', async () => {
  await served([], async (server) => {
    const broken = [];
    for (let k = 0; k < 4; k++) {
      const ask = http.request({ host: '127.0.0.1', port: server.port, path: '/api/v1/paste', method: 'POST', headers: { ...TYPE, 'Content-Length': 1000 } });
      ask.on('error', () => {});
      ask.write('HloModule ');
      broken.push(ask);
    }
    // The four are there when a fifth hears so.
    for (;;) {
      const { status } = await send(server, real);
      if (status === 503) break;
      assert.equal(status, 201);
    }
    for (const ask of broken) ask.destroy();
    while ((await send(server, real)).status !== 201);
  });
});

test('where other machines can ask a token is needed', async () => {
  await served(['--bind=0.0.0.0'], async (server) => {
    await refused(server, 403, /a server that only this machine can reach, or a token/, real);
  });
  const token = 'a-token-of-twenty-letters';
  await served(['--bind=0.0.0.0', `--token=${token}`], async (server) => {
    await refused(server, 401, /token/, real);
    assert.equal((await send(server, real, { ...TYPE, Authorization: `Bearer ${token}` })).status, 201);
  });
});
