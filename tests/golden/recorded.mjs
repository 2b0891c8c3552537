// What XProf was once recorded to answer: the sets of testdata/ (NAME/logdir and NAME/xprof*.json.gz), which every clone has, and
// the shared ones (NAME/logdir and NAME/xprof/) where they are.
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';

import { forAll, Server, shared, testdata } from '../support/program.mjs';

function ownAnswers(file) {
  const { answers } = JSON.parse(zlib.gunzipSync(fs.readFileSync(file)).toString('utf8'));
  return answers.map(({ url, status, body }) => ({ url, status, name: url, text: () => body }));
}

function sharedAnswers(dir) {
  const { answers } = JSON.parse(fs.readFileSync(path.join(dir, 'index.json'), 'utf8'));
  return answers.filter(({ file }) => file).map(({ url, status, file }) => ({
    url, status, name: file, text: () => {
      const bytes = fs.readFileSync(path.join(dir, file));
      return (file.endsWith('.gz') ? zlib.gunzipSync(bytes) : bytes).toString('utf8');
    },
  }));
}

/** XProf invents a program of this name for a profile without any. */
const isOfNothing = ({ url }) => new URL(url, 'http://x').searchParams.get('module_name') === 'NO_MODULE';

/** [{name, logdir, answers: [{url, status, name, text()}]}] */
export function recordedSets() {
  const own = fs.readdirSync(testdata).sort().map((name) => [name, path.join(testdata, name)])
    .filter(([, dir]) => fs.existsSync(path.join(dir, 'logdir')) && fs.existsSync(path.join(dir, 'xprof.json.gz')))
    .map(([name, dir]) => ({
      name, logdir: path.join(dir, 'logdir'), answers: ['xprof.json.gz', 'xprof_tables.json.gz'].map((file) => path.join(dir, file))
        .filter((file) => fs.existsSync(file)).flatMap(ownAnswers),
    }));
  const others = !shared ? [] : fs.readdirSync(path.join(shared, 'data')).sort()
    .map((name) => [`shared ${name}`, path.join(shared, 'data', name)])
    .filter(([, dir]) => fs.existsSync(path.join(dir, 'xprof/index.json')))
    .map(([name, dir]) => ({ name, logdir: path.join(dir, 'logdir'), answers: sharedAnswers(path.join(dir, 'xprof')) }));
  return [...own, ...others].map((set) => ({ ...set, answers: set.answers.filter((answer) => !isOfNothing(answer)) }));
}

/** The first line that differs, for a person; null = none. */
export function textDifference(want, got) {
  if (want === got) return null;
  const a = want.split('\n'), b = got.split('\n');
  const at = a.findIndex((line, i) => line !== b[i]);
  if (at < 0) return `${b.length} lines, wanted ${a.length}`;
  return `line ${at + 1}: ${JSON.stringify(a[at].slice(0, 160))} != ${JSON.stringify((b[at] ?? '').slice(0, 160))}`;
}

/** Asks a server for each answer of all sets that `kindOf(answer)` gives a kind; `compare(kind, want, got)` says what is wrong or
 * null. Prints the problems; ends the process when there are any, or nothing was compared. `count(kind, want)` sees every text. */
export async function compareAll(kindOf, compare, count = () => {}) {
  const kinds = {}, problems = [], sets = recordedSets();
  let equal = 0, all = 0;
  await forAll(sets, 2, async ({ name, logdir, answers }) => {
    const server = await Server.start(logdir);
    try {
      await forAll(answers.map((answer) => [answer, kindOf(answer)]).filter(([, kind]) => kind), 3, async ([recorded, kind]) => {
        const answer = await server.once(recorded.url), want = recorded.text(), got = answer.body.toString('utf8');
        const problem = answer.status === 200 ? compare(kind, want, got) : `HTTP ${answer.status} ${got.slice(0, 100)}`;
        kinds[kind] = (kinds[kind] ?? 0) + 1;
        all++;
        count(kind, want);
        if (problem) problems.push(`${name}/${recorded.name}: ${problem}`);
        else equal++;
      });
    } finally {
      await server.stop();
    }
  });
  for (const problem of problems.sort()) console.log(problem);
  process.exitCode = problems.length === 0 && all > 0 ? 0 : 1;
  return { equal, all, kinds, sets: sets.length };
}
