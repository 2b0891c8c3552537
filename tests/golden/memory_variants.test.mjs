// memory_viewer over 160 small buffer assignments made for what captured programs seldom hold:
// traces of thread-local and of several allocations, sharers, tuples, odd shapes and names, scoped
// memory, buffers that do not exist. XProf 2.24.2 answered each once for four memory spaces
// (memory_variants). Prints "n of n equal".
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import zlib from 'node:zlib';

import { forAll, Server } from '../support/program.mjs';
import { difference, memory } from './answers.mjs';

const dir = path.join(path.dirname(fileURLToPath(import.meta.url)), 'memory_variants');
const answers = JSON.parse(zlib.gunzipSync(fs.readFileSync(path.join(dir, 'xprof.json.gz'))).toString('utf8'));

const server = await Server.start(dir);
const problems = [];
try {
  await forAll(answers, 4, async ({ module, space, answer }) => {
    const query = new URLSearchParams({ run: 'run0', tag: 'memory_viewer', host: 'host0', module_name: module, memory_space: space });
    const got = await server.get(`/data/plugin/profile/data?${query}`);
    const problem = got.status === 200 ? difference(memory(JSON.stringify(answer)), memory(got.text)) : `HTTP ${got.status} ${got.text.slice(0, 100)}`;
    if (problem) problems.push(`${module} ${space}: ${problem}`);
  });
} finally {
  await server.stop();
}
for (const problem of problems.sort()) console.log(problem);
console.log(`${answers.length - problems.length} of ${answers.length} equal`);
process.exit(problems.length === 0 && answers.length > 500 ? 0 : 1);
