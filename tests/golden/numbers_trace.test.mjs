// One number asked of two routes, on every profile there is: testdata, then the shared sets. What docs/NUMBERS.md promises of
// Trace. Prints "n of n equal".
import fs from 'node:fs';
import path from 'node:path';

import { run as program, Server, shared, testdata } from '../support/program.mjs';

let equal = 0;
let compared = 0;
const same = (what, ours, other) => {
  compared++;
  if (ours === other) equal++;
  else console.log(`${what}: ${ours} and ${other}`);
};
const holds = (what, fact) => same(what, fact, true);
const sum = (list) => list.reduce((all, x) => all + x, 0);
const times = (list) => [...list.keys()];

/** Folders of runs: [{name, root}]. */
function sets() {
  const out = [];
  for (const data of [testdata, shared && path.join(shared, 'data')])
    for (const name of data ? fs.readdirSync(data).sort() : []) {
      const root = path.join(data, name, 'logdir');
      if (fs.existsSync(root)) out.push({ name, root });
    }
  return out;
}

/** Asks about one run, in one window. */
class Window {
  constructor(server, where, run, range) {
    Object.assign(this, { server, where, run, range });
  }

  async ask(route, more = {}) {
    const { status, json } = await this.server.api(`trace/${route}`, { run: this.run, ...this.range, ...more });
    if (status !== 200) throw new Error(`${this.where} ${route}: HTTP ${status}`);
    return json;
  }
}

/** Gaps of a chip are what overlap calls idle; those of rows are the window less what is busy. */
async function gaps(w) {
  const overlap = await w.ask('overlap');
  const chips = await w.ask('gaps', { by: 'chip', limit: 10000 });
  for (const k of times(chips.of.process)) {
    const at = overlap.process.indexOf(chips.of.process[k]);
    same(`${w.where} idle of chip ${chips.of.process[k]}`, chips.of.idle[k], overlap.idle[at]);
  }
  if (chips.left_out === 0) same(`${w.where} gaps of chips`, sum(chips.duration), sum(chips.of.idle));
  const rows = await w.ask('gaps', { by: 'row' });
  const busy = (await w.ask('totals', { by: 'row', limit: 1 })).all.busy;
  same(`${w.where} gaps of rows`, sum(rows.of.idle), rows.of.n * (rows.to - rows.from) - busy);
  holds(`${w.where} longest first`, rows.duration.every((d, k) => k === 0 || d <= rows.duration[k - 1]));
  holds(`${w.where} gaps in the window`, rows.start.every((s, k) => s >= rows.from && s + rows.duration[k] <= rows.to));
  const { gap, self } = rows.meanwhile;
  holds(`${w.where} meanwhile`, self.every((ps, k) => ps > 0 && gap[k] < rows.n));
}

async function ofWindow(w) {
  await gaps(w);
}

async function ofRun(server, where, run) {
  const { status, json: rows } = await server.api('trace/rows', { run });
  if (status === 404) return; // no events
  const length = rows.end - rows.first;
  const part = (from, to) => ({ from: Math.floor(length * from), to: Math.floor(length * to) });
  const windows = [{}, part(0.1, 0.9), part(0.4, 0.401), part(0.5, 0.6)];
  for (const [k, range] of windows.entries()) await ofWindow(new Window(server, `${where} window ${k}`, run, range));
}

const list = sets();
for (const { name, root } of list) {
  const server = await Server.start(root);
  try {
    for (const run of (await server.api('runs')).json.id) await ofRun(server, `${name}/${run}`, run);
  } finally {
    await server.stop();
  }
}
console.log(`${equal} of ${compared} equal, ${list.length} sets`);
process.exit(equal === compared && compared > 0 ? 0 : 1);
