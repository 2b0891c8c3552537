// A server only reads: every route, ours and XProf's, is asked of a profile and of a dump of the compiler, and no file or
// folder of theirs is made, removed or changed; nor where it may not be.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';

import { asNobody, fingerprint, Server, source, temporary } from '../support/program.mjs';
import { dump, train } from './common.mjs';

const error = fs.readFileSync(path.join(dump, '../error.txt'), 'utf8');
const HLO = '%add.1 = f32[8,128]{1,0} add(f32[8,128]{1,0} %a, f32[8,128]{1,0} %b)';

/** What a route needs beside the run and the module. */
const NEEDS = {
  'memory/diff': { a: 0, b: 1 },
  'memory/buffer': { buffer: 0 },
  'memory/whatif': { plan: '0:drop' },
  'memory/whatif/held': { plan: '0:drop', steps: 0 },
  'report/place': { address: 0 },
  'trace/allocators/diff': { a: 0, b: 1 },
  'input/lanes': { step: 0 },
  'graph/search': { q: 'a' },
  explain: { text: HLO },
  search: { q: 'a' },
  oom: { text: error.slice(0, 8000) },
};
/** Routes that have nothing to give of these two, and what they say then. */
const NOTHING = {
  'graph/kernel': [404, /config not found/],
  'trace/collective': [404, /collective/],
  'heap/files': [404, /no heap file/],
  'heap/lines': [404, /no heap file/],
  'heap/summary': [404, /no heap file/],
  'heap/tree': [404, /no heap file/],
  '/capture_profile': [501, /only reads/],
  // A program built without its page (as those under sanitizers are) has none to put answers into.
  ...(fs.existsSync(path.join(process.env.XPD_WEB_DIST, 'report.html')) ? {} : { report_file: [404, /no file report.html/] }),
};

/** The sections of docs/API.md: a test compares them with the program's list. */
const ours = [...fs.readFileSync(path.join(source, 'docs/API.md'), 'utf8').matchAll(/^## \/api\/v1\/(\S+)$/gm)].map((found) => found[1]);
/** Each of routes.def by the path that its definition has. */
const xprof = (() => {
  const folder = path.join(source, 'src/compat');
  const text = fs.readdirSync(folder).filter((name) => name.endsWith('.c')).map((name) => fs.readFileSync(path.join(folder, name), 'utf8')).join('\n');
  const symbols = [...fs.readFileSync(path.join(folder, 'routes.def'), 'utf8').matchAll(/^ROUTE\((\w+)\)/gm)];
  return symbols.map(([, symbol]) => text.match(new RegExp(`${symbol} = \\{\\s*\\.route = "([^"]+)"`))[1]);
})();

/** XProf's questions of one route. */
function questionsOf(route, run, module) {
  const of = (more) => `/data/plugin/profile${route}?${new URLSearchParams({ run, ...more })}`;
  if (route === '/hosts') return ['memory_viewer', 'trace_viewer@', 'graph_viewer'].map((tag) => of({ tag }));
  if (route === '/data_csv') return [of({ tag: 'memory_viewer', module_name: module })];
  if (route !== '/data') return [of({}), route];
  return [
    of({ tag: 'memory_viewer', module_name: module }),
    of({ tag: 'memory_viewer', module_name: module, view_memory_allocation_timeline: 'true' }),
    of({ tag: 'trace_viewer@' }),
    of({ tag: 'trace_viewer' }),
    of({ tag: 'graph_viewer', type: 'short_txt', module_name: module }),
    of({ tag: 'graph_viewer', type: 'graph', module_name: module, node_name: 'main' }),
  ];
}

async function askRun(server, run, answered) {
  const { json } = await server.api('run', { run });
  const module = json.modules.key[0];
  const [hit] = (await server.api('trace/search', { run, q: 'a', limit: 1 })).json.hits?.event ?? [];
  const node = (await server.api('graph/search', { run, module, q: '' })).json.name[0];
  const note = (route, answer) => {
    assert.ok(answer.status < 500 || route === '/capture_profile', `${route}: ${answer.status} ${answer.text.slice(0, 200)}`);
    answered.set(route, [...(answered.get(route) ?? []), answer]);
  };
  for (const route of ours) {
    const asked = { run, module, ...(route.startsWith('trace/') ? { event: hit ?? 0, q: 'a' } : { node }), ...(route === 'graph/path' ? { from: node, to: node } : {}), ...NEEDS[route] };
    if (/^(status|runs|explain)$/.test(route)) delete asked.run;
    if (route === 'trace/ops/one') asked.name = (await server.api('trace/ops', { run, module, limit: 1 })).json.ops?.name?.[0] ?? 'none';
    note(route, await server.api(route, asked));
  }
  for (const route of xprof) for (const question of questionsOf(route, run, module)) note(route, await server.get(question));
}

/** Asks everything and compares; each route must have answered with what it is for. */
async function untouched(dir, options) {
  const before = fingerprint(dir), server = await Server.start(dir, options), answered = new Map();
  assert.ok(before.length > 8);
  const { json } = await server.api('runs');
  assert.deepEqual([...json.kind].sort(), ['dump', 'profile']);
  for (const run of json.id) await askRun(server, run, answered);
  await server.stop();
  assert.deepEqual(fingerprint(dir), before, 'as it was');
  assert.deepEqual([...answered.keys()], [...ours, ...xprof]);
  const silent = [];
  for (const [route, answers] of answered) {
    const [status, says] = NOTHING[route] ?? [200, /./];
    if (answers.some((answer) => answer.status === status && says.test(answer.text))) continue;
    silent.push([route, ...answers.map(({ status: got, text }) => `${got} ${text.slice(0, 200)}`)]);
  }
  assert.deepEqual(silent, [], 'routes that did not answer');
}

function copies(name) {
  const dir = temporary(name);
  fs.cpSync(train, path.join(dir, 'train'), { recursive: true });
  fs.cpSync(dump, path.join(dir, 'dump'), { recursive: true });
  return dir;
}

test('every route leaves the folders as they were', async () => {
  assert.ok(ours.length >= 70 && xprof.length >= 9);
  await untouched(copies('untouched'), {});
});

test('every route answers of folders that may not be written', async (t) => {
  const dir = copies('forbidden'), options = asNobody(dir);
  spawnSync('chmod', ['-R', 'a-w', dir]);
  try {
    const write = spawnSync('touch', [path.join(dir, 'train/new')], options);
    if (write.error) throw write.error;
    assert.notEqual(write.status, 0, 'the folder cannot be written');
    await untouched(dir, options);
  } catch (error_) {
    if (!/EACCES|EPERM/.test(error_.code ?? '')) throw error_;
    t.skip('nobody may not start the program');
  } finally {
    spawnSync('chmod', ['-R', 'u+w', dir]);
  }
});
