// The tables about a run of the profiles of trace_variants against what XProf 2.24.2 answered about each. Prints
// "n of n equal".
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import zlib from 'node:zlib';

import { forAll, Server } from '../support/program.mjs';
import { difference } from './answers.mjs';

const dir = path.join(path.dirname(fileURLToPath(import.meta.url)), 'trace_variants');
const answers = JSON.parse(zlib.gunzipSync(fs.readFileSync(path.join(dir, 'xprof_tables.json.gz'))).toString('utf8'));

const server = await Server.start(dir);
const problems = [];
try {
  await forAll(answers, 4, async ({ url, body }) => {
    const got = await server.get(url);
    const problem = got.status === 200 ? difference(JSON.parse(body), JSON.parse(got.text)) : `HTTP ${got.status} ${got.text.slice(0, 100)}`;
    if (problem) problems.push(`${url}: ${problem}`);
  });
} finally {
  await server.stop();
}
for (const problem of problems.sort()) console.log(problem);
console.log(`${answers.length - problems.length} of ${answers.length} equal`);
process.exit(problems.length === 0 && answers.length > 1300 ? 0 : 1);
