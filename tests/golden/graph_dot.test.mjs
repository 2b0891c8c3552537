// The graph against XProf's recorded DOT: every neighbourhood, whole computation, merged and with
// configs. Compared are the nodes (their text and shape) and the edges (by the text of their ends).
// Prints "n of n equal". Skipped (77) without XPD_SHARED.
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';

import { forAll, Server, shared } from '../support/program.mjs';
import { difference, parse } from './dot.mjs';

if (!shared) {
  console.log('skipped: XPD_SHARED names no folder with recorded answers');
  process.exit(77);
}

// XProf 2.24 prints the groups of older profiles as {}: the true ones are right.
const GROUPS = /replica_groups=(\{\{.*?\}\}|\[[0-9,]*\]<=\[[0-9,]*\](T\([0-9,]*\))?)/g;

function isWanted(recorded) {
  const query = new URL(recorded.url, 'http://x').searchParams;
  return recorded.status === 200 && recorded.file && query.get('tag') === 'graph_viewer' && query.get('type') === 'graph'
    && query.get('format') === 'dot';
}

function readRecorded(dir, file) {
  const bytes = fs.readFileSync(path.join(dir, file));
  return (file.endsWith('.gz') ? zlib.gunzipSync(bytes) : bytes).toString('utf8');
}

async function compareSet(name) {
  const dir = path.join(shared, 'data', name, 'xprof');
  const { answers } = JSON.parse(fs.readFileSync(path.join(dir, 'index.json'), 'utf8'));
  const server = await Server.start(path.join(shared, 'data', name, 'logdir'));
  const result = { all: 0, equal: 0, nodes: 0, problems: [] };
  try {
    await forAll(answers.filter(isWanted), 3, async (recorded) => {
      const want = readRecorded(dir, recorded.file);
      const answer = await server.get(recorded.url);
      const text = want.includes('replica_groups={}') ? answer.text.replace(GROUPS, 'replica_groups={}') : answer.text;
      const theirs = parse(want);
      const problem = answer.status === 200 ? difference(theirs, parse(text)) : `HTTP ${answer.status} ${answer.text.slice(0, 100)}`;
      result.all++;
      result.nodes += theirs.nodes.size;
      if (problem) result.problems.push(`${name}/${recorded.file}: ${problem}`);
      else result.equal++;
    });
  } finally {
    await server.stop();
  }
  return result;
}

const sets = fs.readdirSync(path.join(shared, 'data')).sort()
  .filter((name) => fs.existsSync(path.join(shared, 'data', name, 'xprof/index.json')));
const total = { all: 0, equal: 0, nodes: 0 };
const problems = [];
await forAll(sets, 2, async (name) => {
  const result = await compareSet(name);
  for (const key of Object.keys(total)) total[key] += result[key];
  problems.push(...result.problems);
});
for (const problem of problems.sort()) console.log(problem);
console.log(`${total.equal} of ${total.all} equal (${sets.length} data sets, graphs with ${total.nodes} different nodes)`);
process.exit(total.equal === total.all && total.all > 0 ? 0 : 1);
