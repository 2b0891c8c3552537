// HLO text of 2346 small programs that hold what captured programs seldom do: every literal type,
// layouts, shardings, replica groups, windows, async pairs, odd names, protos with fields missing.
// XProf 2.24.2 answered each once (testdata/hlo_variants); long_txt of all and short_txt of every
// third, with metadata, are compared byte by byte. Prints "n of n equal".
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';

import { forAll, Server, testdata } from '../support/program.mjs';

const dir = path.join(testdata, 'hlo_variants');
const { answers } = JSON.parse(zlib.gunzipSync(fs.readFileSync(path.join(dir, 'xprof.json.gz'))).toString('utf8'));
const wanted = Object.entries(answers).flatMap(([name, { module, short, long }]) =>
  [{ name, module, type: 'long_txt', text: long }, ...(short ? [{ name, module, type: 'short_txt', text: short }] : [])]);

/** The first line that differs, for a person. */
function difference(want, got) {
  if (want === got) return null;
  const a = want.split('\n'), b = got.split('\n');
  const at = a.findIndex((line, i) => line !== b[i]);
  return at < 0 ? `${b.length} lines, wanted ${a.length}`
    : `\n  wanted ${JSON.stringify(a[at].slice(0, 300))}\n  got    ${JSON.stringify((b[at] ?? '').slice(0, 300))}`;
}

const server = await Server.start(dir);
const problems = [];
try {
  await forAll(wanted, 4, async ({ name, module, type, text }) => {
    const query = new URLSearchParams({ run: 'run0', tag: 'graph_viewer', host: 'host0', type, module_name: module, show_metadata: 'true' });
    const answer = await server.get(`/data/plugin/profile/data?${query}`);
    const problem = answer.status === 200 ? difference(text, answer.text) : `HTTP ${answer.status} ${answer.text.slice(0, 100)}`;
    if (problem) problems.push(`${name} ${type}: ${problem}`);
  });
} finally {
  await server.stop();
}
for (const problem of problems.sort()) console.log(problem);
console.log(`${wanted.length - problems.length} of ${wanted.length} equal`);
process.exit(problems.length === 0 && wanted.length > 3000 ? 0 : 1);
