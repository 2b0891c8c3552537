// Sixteen people at once, each with what a page asks while it is clicked through: nothing is lost, memory stays, one person's heavy
// requests do not starve another. tests/bench/many.mjs does it with more people and at the pace of a person.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';

import { build, Server, temporary, testdata, until } from '../support/program.mjs';
import { metric, replay, session } from '../support/replay.mjs';

/** A sanitizer's allocator keeps what was freed, to find its later use, and grows for a long time: its memory is not the server's. */
const sanitized = /^XPD_SANITIZE:STRING=.+$/m.test(fs.readFileSync(path.join(build, 'CMakeCache.txt'), 'utf8'));
const PEOPLE = 16, ROUNDS = 4, SPEED = 40, SLOW = 200;

test('nothing is lost, and each question is answered once for all', async () => {
  const server = await Server.start(path.join(testdata, 'tpu_run/logdir'));
  const requests = await session(server), memory = [];
  assert.ok(requests.length > 50);
  for (let round = 0; round < ROUNDS; round++) {
    const answers = await replay(server, requests, PEOPLE, SPEED);
    assert.equal(answers.length, PEOPLE * requests.length);
    assert.deepEqual(answers.filter(({ status }) => status !== 200), []);
    memory.push(await metric(server, 'process_resident_memory_bytes'));
  }
  const asked = PEOPLE * ROUNDS * requests.length, made = await metric(server, 'xprofd_answers_made_total');
  assert.ok(made < asked / ROUNDS / 4, `${made} of ${asked} answers were computed`);
  // The first round fills caches; from then on it stays, whatever the allocator keeps of a busy moment.
  if (!sanitized) assert.ok(memory.at(-1) < memory[0] + 32e6, `${memory.map((bytes) => (bytes / 1e6).toFixed(1))} MB`);
  await server.stop();
});

test('one person with many slow requests leaves threads to the others', async () => {
  const file = path.join(temporary('many'), 'large.hlo_proto.pb');
  execFileSync(path.join(build, 'bin/gen_large'), [file, '400000', '400000', '0']);
  const server = await Server.start(file, '--log=json', '--verbose');
  await server.api('graph/critical');
  // Some 12 ms each: more than a second in all, while whoever asks for the metrics, on whatever busy machine, needs a tenth of it.
  server.agent.maxSockets = SLOW + 1;
  const slow = Array.from({ length: SLOW }, (_, i) => server.once(`/api/v1/graph/critical?another=${i}`)); // each is computed
  await until(async () => ({ text: '', waiting: await metric(server, 'xprofd_requests_in_flight') }), ({ waiting }) => waiting > SLOW / 2, 'they wait');
  assert.equal((await server.once('/api/v1/runs?quick', { 'X-Xprofd-Page': 'another' })).status, 200);
  assert.deepEqual([...new Set((await Promise.all(slow)).map(({ status }) => status))], [200]);
  await server.stop();
  const order = server.errors.trimEnd().split('\n').map((line) => JSON.parse(line).target).filter((target) => /another|quick/.test(target));
  assert.equal(order.length, SLOW + 1);
  assert.ok(order.indexOf('/api/v1/runs?quick') < SLOW / 2, `answered as number ${order.indexOf('/api/v1/runs?quick')}`);
});
