// What the tests of bad input share: asking everything there is about a run.
import assert from 'node:assert/strict';
/** Statuses of docs/API.md that bad input may have. 500 is that of `io` too: no permission. */
const ALLOWED = new Set([200, 400, 404, 409, 413, 422]);

/** Checks one answer: its status, that it is whole JSON (or CSV), that an error says something. */
export function check(answer, what) {
  const io = answer.status === 500 && answer.json?.error?.code === 'io';
  assert.ok(io || ALLOWED.has(answer.status), `${what}: ${answer.status} ${answer.text.slice(0, 300)}`);
  const type = answer.headers['content-type'];
  if (!type.startsWith('application/json')) return answer;
  assert.ok(answer.json !== null || answer.text === '', `${what}: no JSON: ${answer.text.slice(0, 200)}`);
  assert.doesNotMatch(answer.text, /[<>]/, `${what}: markup is escaped`);
  // eslint-disable-next-line no-control-regex
  assert.doesNotMatch(answer.text, /[\x00-\x08\x0b-\x1f\x7f]/, `${what}: control characters are escaped`);
  if (answer.status === 200) return answer;
  const { error } = answer.json;
  assert.deepEqual(Object.keys(error), ['code', 'message', 'where', 'offset'], what);
  assert.ok(error.message.length > 10, `${what}: ${error.message}`);
  return answer;
}

/** Every question about one module and memory space, as the page asks them. */
async function askSpace(server, common, steps) {
  const ask = async (route, more) => check(
    await server.api(route, { ...common, ...more }), `${common.run} ${route} ${JSON.stringify(more)}`).json;
  const last = Math.max(0, steps - 1);
  await ask('memory/curve', { px: 200 });
  await ask('memory/curve', { format: 'csv' });
  await ask('memory/steps', { from: 0, to: Math.min(steps, 4096) });
  await ask('memory/scopes', { px: 300 });
  await ask('memory/map', { px: 300, py: 100 });
  await ask('memory/range', { from: 0, to: steps });
  await ask('memory/diff', { a: 0, b: last });
  const live = await ask('memory/live', { fold_bytes: 0 });
  await ask('memory/live', { step: last, order: 'padding', format: 'csv' });
  const table = await ask('memory/buffers', { sort: 'padding', limit: 50 });
  for (const by of ['scope', 'source', 'opcode', 'dtype', 'class', 'group', 'shape'])
    await ask('memory/buffers', { by, limit: 3 });
  await ask('memory/buffers', { filter: '/a|b/', at: last, format: 'csv' });
  for (const by of ['scope', 'source', 'class']) await ask('memory/tree', { by });
  await ask('report/details', { steps: `0, ${last}` });
  await ask('report/heap', { at: last });
  for (const by of ['op', 'scope', 'opcode']) await ask('report/areas', { by, px: 200 });
  for (const by of ['op', 'signature', 'buffer']) await ask('report/groups', { by, steps: `0-${last}` });
  await ask('report/transfers', { format: 'csv' });
  const some = [...new Set([...(live?.buffer ?? []), ...(table?.buffer ?? [])])].slice(0, 4);
  for (const buffer of some) await ask('memory/buffer', { buffer });
  if (some.length > 0) await ask('memory/whatif', { buffers: some.join() });
  return { live, table };
}

/** Asks everything about a run. Returns its /run and the summaries that were given. */
export async function askAll(server, run) {
  const ask = async (route, more = {}) =>
    check(await server.api(route, { run, ...more }), `${run} ${route} ${JSON.stringify(more)}`);
  const whole = await ask('run');
  await ask('card');
  await ask('modules');
  await ask('modules', { format: 'csv' });
  await ask('search', { q: 'a' });
  const plugin = (what) => server.get(`/data/plugin/profile/${what}run=${encodeURIComponent(run)}`);
  check(await plugin('run_tools?'), `${run} run_tools`);
  check(await plugin('hosts?tag=memory_viewer&'), `${run} hosts`);
  check(await plugin('module_list?'), `${run} module_list`);
  const summaries = [];
  for (const module of (whole.json.modules?.key ?? []).slice(0, 3)) {
    const first = await ask('memory/summary', { module });
    check(await plugin(`data?tag=memory_viewer&module_name=${encodeURIComponent(module)}&`), `${run} viewer`);
    check(await plugin(`data_csv?tag=memory_viewer&module_name=${encodeURIComponent(module)}&`), `${run} csv`);
    for (const { color, steps } of (first.json.spaces ?? []).slice(0, 3)) {
      const common = { run, module, space: color };
      const { json } = await ask('memory/summary', { module, space: color });
      const { live } = await askSpace(server, common, steps);
      summaries.push({ ...json, live });
    }
  }
  await ask('memory/summary');
  return { run: whole.json, summaries };
}
