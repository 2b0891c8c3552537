// What a client of the running server waits for. Not a timed test: prints what it saw.
//
//   XPD_BINARY=BUILD/xprofd XPD_BUILD=BUILD XPD_SHARED=FOLDER node tests/bench/http.mjs [WORDS]
//
// Each question is asked several times over one connection, each time a little different, so that the result cache does
// not help. `wait` is the least time at the client, `processor` the least that the server's threads took (from /proc, so
// Linux only; neighbours on the machine change it little). Text comes without compression and is counted, not kept.
// WORDS: only questions that hold them. BUILD/bin/gen_vectors makes the modules.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { build, Server, shared, temporary } from '../support/program.mjs';

const ROUNDS = 5, TEXT_ROUNDS = 20, QUIET_MS = 1500;
const words = process.argv[2] ?? '';
const REAL = 'data/tpu_big_transformer/logdir/plugins/profile/aot/host0.xplane.pb';

/** Nanoseconds that the threads of a process have run; those that have ended are missed. */
function threadsNs(pid) {
  let sum = 0;
  for (const thread of fs.readdirSync(`/proc/${pid}/task`)) {
    try {
      sum += Number(fs.readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
    } catch { /* it has just ended */ }
  }
  return sum;
}

/** Milliseconds that a process has run, threads that have ended too, in ticks of 10 ms. */
function processMs(pid) {
  const fields = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Bytes of a body that nobody keeps, and the milliseconds until the last one. */
function stream(server, target) {
  const start = performance.now();
  return new Promise((resolve, reject) => {
    http.get({ host: '127.0.0.1', port: server.port, path: target, agent: server.agent, headers: { 'Accept-Encoding': 'identity' } }, (answer) => {
      let bytes = 0;
      answer.on('data', (part) => { bytes += part.length; });
      answer.on('error', reject);
      answer.on('end', () => resolve({ bytes, status: answer.statusCode, ms: performance.now() - start }));
    }).on('error', reject);
  });
}

/** The first answer starts a thread that makes tables; when the processor rests, it is done. */
async function rest(server) {
  for (let before = -1, now = 0; now - before > 2e7; ) {
    before = threadsNs(server.child.pid);
    await new Promise((resolve) => { setTimeout(resolve, QUIET_MS); });
    now = threadsNs(server.child.pid);
  }
}

/** A text is written by a thread of its own, which ends: the processor time is the mean of all rounds. */
async function askText(server, what, target, wanted) {
  const before = processMs(server.child.pid);
  let wait = Infinity, bytes = 0;
  for (let round = 0; round < TEXT_ROUNDS; round++) {
    const answer = await stream(server, `${target}&x=${round}`);
    wait = Math.min(wait, answer.ms);
    bytes = answer.status === 200 ? answer.bytes : 0;
  }
  const processor = (processMs(server.child.pid) - before) / TEXT_ROUNDS;
  console.log(`  ${what.padEnd(36)} ${(bytes / 1e6).toFixed(1)} MB: ${(bytes / 1e3 / wait).toFixed(0)} MB/s at the client, `
    + `${(bytes / 1e3 / processor).toFixed(0)} of processor time of the server; target ${wanted}`);
}

async function ask(server, [what, target, targetMs]) {
  if (!what.includes(words)) return;
  if (target[0] === '/') {
    await askText(server, what, target, targetMs);
    return;
  }
  let wait = Infinity, processor = Infinity, last;
  for (let round = 0; round < ROUNDS; round++) {
    const before = threadsNs(server.child.pid);
    last = await stream(server, `/api/v1/${target.replaceAll('{}', String(round * 37 + 5))}`);
    const took = threadsNs(server.child.pid) - before;
    if (took > 0) processor = Math.min(processor, took / 1e6);
    wait = Math.min(wait, last.ms);
  }
  console.log(`  ${what.padEnd(36)} ${wait.toFixed(2).padStart(9)} ms wait ${processor.toFixed(2).padStart(8)} ms processor, ${(last.bytes / 1e3).toFixed(1)} KB; target ${targetMs} ms${last.status === 200 ? '' : `; STATUS ${last.status}`}`);
}

async function measure(name, file, questions) {
  const server = await Server.start(file);
  const first = performance.now();
  const answer = await server.api('modules');
  const key = encodeURIComponent(answer.json.key[0]);
  await server.api('memory/summary');
  console.log(`${name}: first memory answer ${(performance.now() - first).toFixed(0)} ms after the ready line`);
  await rest(server);
  const entry = (await server.api('graph/tree')).json.key[0];
  for (const question of questions(key, entry)) await ask(server, question);
  await server.stop();
}

const text = (key) => ['text, long', `/data?tag=graph_viewer&type=long_txt&module_name=${key}`, '200 MB/s'];
const program = (key, entry) => [
  text(key),
  ['opcode totals', 'graph/opcodes?x={}', 200], ['call tree', 'graph/calls?x={}', 200],
  ['critical path', 'graph/critical?x={}', 200], ['layout changes', 'graph/layouts?x={}', 200],
  ['search by name', 'graph/search?q=fusion.{}', 20], ['overview', 'graph/overview?x={}', 200],
  ['level of the tree, top', 'graph/tree?x={}', 2], ['level of the tree, entry', `graph/tree?parent=${entry}&x={}`, 2],
];
const memory = () => [
  ['report, first answer', 'report/details?px=150&x={}', 100], ['findings', 'doctor?hbm=9{}000000000', 300],
  ['comparison with itself', 'compare?format=json&x={}', 200],
  ['what if, a plan of four', 'memory/whatif?columns=1200&plan={}:drop,100:halve,200:offload,300:recompute', 5],
  ['what if, rows, tries and a menu', 'memory/whatif?columns=1200&plan={}:drop,100-140:halve&try=200-260:offload,300-330:recompute&menu=5', 5],
  ['map, whole program', 'memory/map?px=1800&py=400&from={}', 2], ['filter by expression', 'memory/buffers?filter=/%5Cw{}/', 2],
];

const folder = temporary('http');
fs.mkdirSync(folder, { recursive: true });
function generated(instructions, buffers, events) {
  const file = path.join(folder, `${instructions}.hlo_proto.pb`);
  execFileSync(path.join(build, 'bin/gen_vectors'), ['--bench', instructions, buffers, events, file].map(String));
  return file;
}
if (shared) await measure('tpu_big_transformer, 54,323 instructions', path.join(shared, REAL), (...at) => [...program(...at), ...memory()]);
else console.log('XPD_SHARED is not set: no real program measured');
await measure('generated, 130,000 instructions', generated(130000, 100, 200), program);
await measure('generated, 250,000 buffers, 500,000 events', generated(200000, 250000, 500000), memory);
