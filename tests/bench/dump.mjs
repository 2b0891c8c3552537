// A dump folder of 2,000 programs in text: how long until it is listed, until its programs are, until all are read, and one is.
//
//   XPD_BINARY=build/xprofd XPD_BUILD=build node tests/bench/dump.mjs
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Server, temporary, testdata } from '../support/program.mjs';

const PROGRAMS = 2000;
const from = join(testdata, 'cpu_text/jax_0.10.2/module_0008.jit_train.cpu_after_optimizations');
const root = temporary('dump');
mkdirSync(join(root, 'dump'));
let bytes = 0;
for (const end of ['.txt', '-buffer-assignment.txt', '-live-range.txt', '-memory-usage-report.txt']) {
  const text = readFileSync(`${from}${end}`, 'utf8');
  for (let k = 0; k < PROGRAMS; k++) {
    const own = text.replace('HloModule jit_train,', `HloModule jit_train_${k},`);
    writeFileSync(join(root, 'dump', `module_${String(k).padStart(4, '0')}.jit_train_${k}.cpu_after_optimizations${end}`), own);
    bytes += own.length;
  }
}
const server = await Server.start(root);
async function timed(what, ask) {
  const [clock, cpu] = [performance.now(), server.processorMs()];
  const answer = await ask();
  console.log(`${what}: ${(performance.now() - clock).toFixed(0)} ms, ${server.processorMs() - cpu} ms of processor time`);
  return answer;
}
console.log(`${PROGRAMS} programs, ${(bytes / 1e6).toFixed(1)} MB of text`);
const { json: runs } = await timed('listed', () => server.api('runs'));
const run = runs.id[0];
const { json: opened } = await timed('opened, with its programs by name', () => server.api('run', { run }));
const { json: one } = await timed('one program read', () => server.api('memory/summary', { run, module: opened.modules?.key?.[1000] ?? 'jit_train_1000' }));
const { json: all } = await timed('all of them, with their peaks', () => server.api('modules', { run, limit: PROGRAMS }));
if (all.n !== PROGRAMS || !one.module) throw new Error(`${all.n} programs`);
await server.stop();
