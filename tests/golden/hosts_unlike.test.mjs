// A run whose hosts have unlike chips and programs: what is said of one of them is what its file alone says.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { Server, temporary, testdata } from '../support/program.mjs';

const files = {
  amd: 'gpu_ops/logdir/plugins/profile/kernels/h.xplane.pb',
  jax: 'gpu_jax/logdir/plugins/profile/train/gpu-host.xplane.pb',
  tf: 'gpu_tf/logdir/plugins/profile/train/worker0.xplane.pb',
};
const root = temporary('hosts');
/** A run of the files by host, in this order. */
function run(name, hosts) {
  const dir = path.join(root, 'plugins/profile', name);
  fs.mkdirSync(dir, { recursive: true });
  for (const [host, file] of Object.entries(hosts)) fs.copyFileSync(path.join(testdata, files[file]), path.join(dir, `${host}.xplane.pb`));
}
/** What only the whole run can say, or what its name is part of. */
const ofTheRun = new Set(['other_hosts', 'device_count', 'chips_sentence', 'run', 'event', 'row', 'process', 'url']);
function facts(value) {
  if (Array.isArray(value)) return value.map(facts);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !ofTheRun.has(key)).map(([key, one]) => [key, facts(one)]));
}
const routes = ['trace/ops', 'roofline', 'overview', 'trace/layers', 'trace/overlap'];

for (const file of Object.keys(files)) {
  run(`${file}-alone`, { b: file });
  for (const other of Object.keys(files)) if (other !== file) run(`${file}-behind-${other}`, { a: other, b: file });
}
const server = await Server.start(root);
let compared = 0;
for (const file of Object.keys(files))
  for (const route of routes) {
    const ask = async (name) => facts((await server.api(route, { run: name, host: 'b' })).json);
    const alone = await ask(`${file}-alone`);
    for (const other of Object.keys(files)) {
      if (other === file) continue;
      assert.deepEqual(await ask(`${file}-behind-${other}`), alone, `${route} of ${file} behind ${other}`);
      compared++;
    }
  }
const memory = async (name) => (await server.api('memory/summary', { run: name, host: 'b' })).json.capacity_bytes;
assert.equal(await memory('jax-behind-amd'), await memory('jax-alone'), 'memory of the chip');
// Without host= one chip stands for all of them, and the run says so.
const chips = async (name) => (await server.api('run', { run: name })).json.warnings.filter((one) => one.code === 'unlike_chips');
assert.deepEqual(await chips('jax-alone'), []);
const [said] = await chips('jax-behind-tf');
assert.match(said.text, /^The hosts have unlike chips: host a has .+ \(.+ TFLOP\/s, .+ TB\/s\), host b has .+ TB\/s\)\. Where no host is chosen/);
await server.stop();
console.log(`${compared} of ${compared} equal`);
