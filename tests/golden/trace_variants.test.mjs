// Trace Viewer's routes over small profiles made for what captured ones seldom hold: planes and
// lines of every name, internal events, roots, steps of a device, streams of a GPU, links, counters,
// odd stats. XProf 2.24.2 answered each question once (trace_variants/ here); the whole trace,
// copies, windows, searches with arguments, single events and some answers of the older
// trace_viewer are compared. Prints "n of n equal".
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import zlib from 'node:zlib';

import { forAll, Server } from '../support/program.mjs';
import { parse, said } from './trace_said.mjs';

const dir = path.join(path.dirname(fileURLToPath(import.meta.url)), 'trace_variants');
const answers = parse(zlib.gunzipSync(fs.readFileSync(path.join(dir, 'xprof.json.gz'))).toString('utf8'));
const wanted = Object.entries(answers).flatMap(([run, list]) => list.map((one) => ({ run, ...one })));

/** The first things that only one of them says, for a person. */
function difference(want, got) {
  const a = said(want), b = said(got);
  if (a.join('\n') === b.join('\n')) return null;
  const missing = a.filter((line) => !b.includes(line)), extra = b.filter((line) => !a.includes(line));
  return `${missing.length} missing, ${extra.length} extra\n  XProf ${missing[0]?.slice(0, 300)}\n  here  ${extra[0]?.slice(0, 300)}`;
}

const server = await Server.start(dir);
const problems = [];
try {
  await forAll(wanted, 4, async ({ run, hosts, q, a, tool = 'trace_viewer@' }) => {
    const query = new URLSearchParams({ run, tag: tool, hosts: hosts.join(','), ...q });
    const answer = await server.get(`/data/plugin/profile/data?${query}`);
    const problem = answer.status === 200 ? difference(a, parse(answer.text)) : `HTTP ${answer.status} ${answer.text.slice(0, 100)}`;
    if (problem) problems.push(`${run} ${tool} ${JSON.stringify(q)}: ${problem}`);
  });
} finally {
  await server.stop();
}
for (const problem of problems.sort()) console.log(problem);
console.log(`${wanted.length - problems.length} of ${wanted.length} equal`);
process.exit(problems.length === 0 && wanted.length > 600 ? 0 : 1);
