// XProf's Trace Viewer route over a profile of more than 500,000 events, where it shows a part: which
// one follows from its 13 stores and the rule of what is visible. XProf 2.24.2 answered each question
// once; trace_large.json holds how many things each answer says, and the hash of all of them.
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { forAll, Server, temporary } from '../support/program.mjs';
import { writeLarge } from './trace_large.mjs';
import { parse, said } from './trace_said.mjs';

const file = path.join(path.dirname(fileURLToPath(import.meta.url)), 'trace_large.json');
const recorded = JSON.parse(fs.readFileSync(file, 'utf8'));
const hash = (content) => crypto.createHash('sha256').update(content).digest('hex');

const dir = temporary('large');
if (hash(writeLarge(dir)) !== recorded.profile) throw new Error('this is not the profile that XProf was asked about');
const server = await Server.start(dir);
const problems = [];
try {
  await forAll(recorded.answers, 2, async ({ q, things, sha256 }) => {
    const query = new URLSearchParams({ run: 'large', tag: 'trace_viewer@', host: 'host0', ...q });
    const answer = await server.get(`/data/plugin/profile/data?${query}`);
    if (answer.status !== 200) {
      problems.push(`${JSON.stringify(q)}: HTTP ${answer.status} ${answer.text.slice(0, 100)}`);
      return;
    }
    const lines = said(parse(answer.text));
    if (hash(lines.join('\n')) !== sha256) problems.push(`${JSON.stringify(q)}: ${lines.length} things, XProf says ${things}${lines.length === things ? ', others' : ''}`);
  });
} finally {
  await server.stop();
}
for (const problem of problems.sort()) console.log(problem);
console.log(`${recorded.answers.length - problems.length} of ${recorded.answers.length} equal`);
process.exit(problems.length === 0 && recorded.answers.length >= 30 ? 0 : 1);
