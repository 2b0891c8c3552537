// The tables about a run of the profiles of trace_variants and table_variants against what XProf 2.24.2 answered about each.
// Prints "n of n equal".
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import zlib from 'node:zlib';

import { forAll, Server } from '../support/program.mjs';
import { difference } from './answers.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
/** Profiles and what was asked of them; at least so many answers. */
const sets = [
  { dir: 'trace_variants', file: 'xprof_tables.json.gz', least: 1300 },
  { dir: 'table_variants', file: 'xprof.json.gz', least: 630 },
];

/** XProf lists transfers in the order of a hash table. */
function parsed(url, text) {
  const answer = JSON.parse(text);
  const key = (row) => row.c[0].v;
  if (url.includes('tag=megascale_stats')) answer[0].rows.sort((x, y) => (key(x) < key(y) ? -1 : 1));
  return answer;
}

async function compare({ dir, file, least }) {
  const answers = JSON.parse(zlib.gunzipSync(fs.readFileSync(path.join(here, dir, file))).toString('utf8'));
  const server = await Server.start(path.join(here, dir));
  const problems = [];
  try {
    await forAll(answers, 4, async ({ url, body, refused }) => {
      const got = await server.get(url);
      if (refused) { // what XProf's answer says in a sentence of its own, ours says in the refusal
        if (got.status !== 400 || !got.text.includes(refused)) problems.push(`${url}: not refused ${refused}: ${got.status} ${got.text.slice(0, 200)}`);
        return;
      }
      const problem = got.status === 200 ? difference(parsed(url, body), parsed(url, got.text)) : `HTTP ${got.status} ${got.text.slice(0, 100)}`;
      if (problem) problems.push(`${url}: ${problem}`);
    });
  } finally {
    await server.stop();
  }
  for (const problem of problems.sort()) console.log(problem);
  console.log(`${answers.length - problems.length} of ${answers.length} equal (${dir})`);
  return problems.length === 0 && answers.length >= least;
}

let equal = true;
for (const set of sets) equal = await compare(set) && equal;
process.exit(equal ? 0 : 1);
