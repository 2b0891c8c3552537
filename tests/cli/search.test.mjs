// Sizes in the answers of the search: a buffer's own, and of an instruction what its result takes, whoever holds it.
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, test } from 'node:test';

import { query, Server, testdata } from '../support/program.mjs';

const servers = [];
after(() => Promise.all(servers.map((server) => server.stop())));
async function searchIn(folder, q) {
  const server = await Server.start(path.join(testdata, folder));
  servers.push(server);
  const { json: runs } = await server.get('/api/v1/runs');
  const { status, json } = await server.get(`/api/v1/search?${query({ run: runs.id[0], q, limit: '500' })}`);
  assert.equal(status, 200);
  return json.kind.map((kind, i) => ({ kind, name: json.name[i], detail: json.detail[i], size: json.size_bytes[i] }));
}

const ITEM = { pred: 1, s8: 1, u8: 1, s32: 4, u32: 4, f32: 4, s64: 8, u64: 8, f64: 8 };

test('without tiles: elements times bytes of one', async () => {
  const ops = (await searchIn('cpu_mlp_train/logdir', 'a')).filter(({ kind }) => kind === 'op');
  let compared = 0;
  for (const { name, detail, size } of ops) {
    const shape = /^\S+ ([a-z]+\d*)\[([\d,]*)\]/.exec(detail);
    if (!shape || !(shape[1] in ITEM)) continue;
    const elements = shape[2] === '' ? 1 : shape[2].split(',').reduce((product, dim) => product * Number(dim), 1);
    assert.equal(size, elements * ITEM[shape[1]], `${name}: ${detail}`);
    compared++;
  }
  assert.ok(compared > 50, `${compared} of ${ops.length}`);
});

test('with tiles: the padding too; a program has no size here', async () => {
  // f32[8,1,16000512]{0,2,1:T(8,128)}: 8 elements stored as 128.
  const found = await searchIn('tpu_padded_oom', 'pad.2');
  const op = found.find(({ kind, name }) => kind === 'op' && name === 'pad.2');
  assert.equal(op.size, 16000512 * 128 * 4);
  const modules = (await searchIn('tpu_padded_oom', 'jit')).filter(({ kind }) => kind === 'module');
  assert.deepEqual(modules.map(({ size }) => size), [null]);
});
