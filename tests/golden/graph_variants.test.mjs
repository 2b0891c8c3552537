// XProf's graphs of the 2272 small programs of testdata/hlo_variants whose names XLA would write: what lies up to three steps
// (nine in run1, whose calls hand on values of every kind) around the root, as XProf 2.24.2 drew it once. Prints "n of n equal".
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';

import { forAll, Server, testdata } from '../support/program.mjs';
import { difference, parse } from './dot.mjs';

const dir = path.join(testdata, 'hlo_variants');
const { answers } = JSON.parse(zlib.gunzipSync(fs.readFileSync(path.join(dir, 'xprof_dot.json.gz'))).toString('utf8'));
const wanted = Object.entries(answers);

const server = await Server.start(dir);
const problems = [];
try {
  await forAll(wanted, 4, async ([name, { run = 'run0', width = '3', module, node, dot }]) => {
    const query = new URLSearchParams({ run, tag: 'graph_viewer', host: 'host0', type: 'graph', format: 'dot', graph_width: width, module_name: module, node_name: node });
    const answer = await server.get(`/data/plugin/profile/data?${query}`);
    const problem = answer.status === 200 ? difference(parse(dot), parse(answer.text)) : `HTTP ${answer.status} ${answer.text.slice(0, 100)}`;
    if (problem) problems.push(`${name}: ${problem}`);
  });
} finally {
  await server.stop();
}
for (const problem of problems.sort()) console.log(problem);
console.log(`${wanted.length - problems.length} of ${wanted.length} equal`);
process.exit(problems.length === 0 && wanted.length > 2000 ? 0 : 1);
