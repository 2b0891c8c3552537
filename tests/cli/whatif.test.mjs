// What is held in a changed program: its rows add up to its curve, at every peak that is left.
import assert from 'node:assert/strict';
import path from 'node:path';
import test from 'node:test';

import { Server, shared } from '../support/program.mjs';
import { layers } from './common.mjs';

const sets = [layers, ...(shared ? ['tpu_transformer_nodonate', 'tpu_transformer_noremat', 'tpu_big_transformer'].map((name) => path.join(shared, 'data', name, 'logdir')) : [])];

const sum = (column) => column.reduce((all, value) => all + value, 0);

/** The list and the trees at a step of the changed program hold its bytes and the sizes of memory/whatif/held, without what is gone. */
async function listsOf(ask, asked, { step, held_bytes: bytes, buffers }) {
  const live = await ask('memory/live', { ...asked, step, fold_bytes: 0, limit: 16384 });
  assert.equal(live.live_bytes, bytes);
  assert.equal(live.rest.count, 0, 'every row is there');
  assert.equal(sum(live.size_bytes), bytes);
  assert.equal(sum(live.unpadded_bytes), live.total_unpadded_bytes);
  assert.ok(live.size_bytes.every((size, i) => size >= live.unpadded_bytes[i] && live.unpadded_bytes[i] >= 0));
  if (asked.plan) assert.ok(live.saving_bytes.every((saving) => saving === null), 'what is saved on top is another question');
  const sizes = new Map(live.buffer.map((buffer, i) => [buffer, live.size_bytes[i]]));
  buffers.buffer.forEach((buffer, i) => assert.equal(sizes.get(buffer) ?? 0, buffers.size_bytes[i], `buffer ${buffer} at step ${step}`));
  if (/^\d+:unpad(,\d+:unpad)*$/.test(asked.plan))
    for (const buffer of buffers.buffer) assert.equal(live.unpadded_bytes[live.buffer.indexOf(buffer)], sizes.get(buffer), 'no padding is left');
  for (const by of ['scope', 'source', 'class']) {
    const tree = await ask('memory/tree', { ...asked, at: step, by, limit: 20000 });
    assert.equal(tree.total_bytes, bytes);
    assert.equal(tree.size_bytes[0], bytes);
    assert.equal(tree.padding_bytes[0], bytes - live.total_unpadded_bytes);
    assert.equal(tree.count[0], live.n);
  }
}

for (const at of sets)
  test(`rows of the changed program add up to its curve: ${path.basename(path.dirname(at))}`, async () => {
    const server = await Server.start(at);
    const ask = async (route, parameters) => {
      const done = await server.api(route, parameters);
      assert.equal(done.status ?? 200, 200, JSON.stringify(done.json));
      return done.json;
    };
    const run = (await ask('runs', {})).id[0];
    const step = (await ask('memory/summary', { run })).peak.step;
    const { buffer } = await ask('memory/live', { run, step, order: 'size', fold_bytes: 0, limit: 60 });
    const known = buffer.filter((one) => one !== null);
    const actions = ['drop', 'halve', 'unpad', 'offload', 'recompute', 'shard:3', 'donate'];
    const plans = [
      '',
      ...actions.map((action) => known.slice(0, 24).map((one) => `${one}:${action}`).join(',')),
      known.map((one, i) => `${one}:${actions[i % actions.length]}`).join(','),
    ];
    for (const plan of plans) {
      const { peaks, new_peak_bytes } = await ask('memory/whatif', { run, plan, try: '' });
      const steps = peaks.slice(0, 16).map((peak) => peak.step);
      const held = await ask('memory/whatif/held', { run, plan, steps: steps.join(','), groups: 16, buffers: 1 });
      assert.deepEqual(held.steps.map((one) => [one.step, one.now_bytes, one.held_bytes]), peaks.slice(0, 16).map((peak) => [peak.step, peak.now_bytes, peak.new_bytes]), plan.slice(0, 60));
      assert.equal(held.steps[0].held_bytes, new_peak_bytes);
      for (const one of held.steps) {
        const changed = one.buffers.size_bytes.reduce((sum, bytes, i) => sum + bytes - one.buffers.now_bytes[i], 0);
        assert.equal(changed, one.held_bytes - one.now_bytes, 'the rows that change are the difference');
        if (one.groups_total <= 16) assert.equal(one.groups.reduce((sum, group) => sum + group.size_bytes, 0), one.held_bytes);
        assert.ok(one.groups.every((group, i, all) => i === 0 || all[i - 1].size_bytes >= group.size_bytes));
      }
      for (const one of held.steps.slice(0, 3)) await listsOf(ask, { run, plan }, one);
    }
    for (const steps of ['x', '-1', '99999999', Array(17).fill(0).join(',')]) assert.equal((await server.api('memory/whatif/held', { run, plan: '', steps })).status, 400, steps);
    await server.stop();
  });
