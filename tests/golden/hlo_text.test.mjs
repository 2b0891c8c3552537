// HLO text and neighbours against XProf's recorded answers: every short_txt and long_txt, with and
// without metadata, byte by byte, every adj_nodes, pbtxt and custom_call (kernels as MLIR). Prints "n of n equal". Skipped (77) without
// XPD_SHARED.
//
// Left out: in pbtxt the groups of an older field, which XProf 2.24.2 does not know and does not print.
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';

import { forAll, Server, shared } from '../support/program.mjs';

if (!shared) {
  console.log('skipped: XPD_SHARED names no folder with recorded answers');
  process.exit(77);
}

function readRecorded(dir, file) {
  const bytes = fs.readFileSync(path.join(dir, file));
  return (file.endsWith('.gz') ? zlib.gunzipSync(bytes) : bytes).toString('utf8');
}

const KINDS = ['short_txt', 'long_txt', 'adj_nodes', 'pbtxt', 'custom_call'];

/** Without the messages `iota_replica_group_list`. */
function withoutOldGroups(text) {
  return text.replace(/^( *)iota_replica_group_list \{\n(?:\1 .*\n)*\1\}\n/gm, '');
}

/** What is asked for, or null when the answer is not compared. */
function kindOf(recorded) {
  const url = new URL(recorded.url, 'http://x');
  if (recorded.status !== 200 || !recorded.file || url.searchParams.get('tag') !== 'graph_viewer') return null;
  const type = url.searchParams.get('type');
  return KINDS.includes(type) ? type : null;
}

/** The first place where two texts differ, for a person. */
function difference(want, got) {
  if (want === got) return null;
  const a = want.split('\n'), b = got.split('\n');
  const at = a.findIndex((line, i) => line !== b[i]);
  if (at < 0) return `${b.length} lines, wanted ${a.length}`;
  return `line ${at + 1}: ${JSON.stringify(a[at].slice(0, 160))} != ${JSON.stringify((b[at] ?? '').slice(0, 160))}`;
}

async function compareSet(name) {
  const dir = path.join(shared, 'data', name, 'xprof');
  const { answers } = JSON.parse(fs.readFileSync(path.join(dir, 'index.json'), 'utf8'));
  const wanted = answers.map((answer) => [answer, kindOf(answer)]).filter((pair) => pair[1]);
  const server = await Server.start(path.join(shared, 'data', name, 'logdir'));
  const result = { equal: 0, lines: 0, problems: [] };
  for (const kind of KINDS) result[kind] = 0;
  try {
    await forAll(wanted, 3, async ([recorded, kind]) => {
      const want = readRecorded(dir, recorded.file);
      const answer = await server.get(recorded.url);
      const problem = answer.status === 200 ? difference(want, kind === 'pbtxt' ? withoutOldGroups(answer.text) : answer.text) : `HTTP ${answer.status} ${answer.text.slice(0, 100)}`;
      result[kind]++;
      result.lines += kind === 'adj_nodes' ? 0 : want.split('\n').length;
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
const total = { equal: 0, lines: 0 };
for (const kind of KINDS) total[kind] = 0;
const problems = [];
await forAll(sets, 2, async (name) => {
  const result = await compareSet(name);
  for (const key of Object.keys(total)) total[key] += result[key];
  problems.push(...result.problems);
});
for (const problem of problems.sort()) console.log(problem);
const all = KINDS.reduce((sum, kind) => sum + total[kind], 0);
console.log(`${total.equal} of ${all} equal (${sets.length} data sets, ${total.short_txt} short and ${total.long_txt} long texts `
  + `with ${total.lines} lines, ${total.adj_nodes} lists of neighbours, ${total.pbtxt} protobuf texts, ${total.custom_call} custom calls)`);
process.exit(total.equal === all && all > 0 ? 0 : 1);
