// The monkey of tests/tools/monkey, short and always the same: seeds and numbers of actions are fixed. Found something? Each fault is
// printed with the actions that led to it; longer runs with other seeds are by hand (tests/tools/monkey/README.md).
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test, { after } from 'node:test';

import { launch, quit, testdata } from './lib.mjs';
import { Server } from '../support/program.mjs';
import { whatIsThere } from '../tools/monkey/known.mjs';
import { monkey } from '../tools/monkey/run.mjs';

after(quit);

const ACTIONS = 45;
/** Of a busy machine, not of the page: said, and no failure. By hand they count. */
const OF_TIME = /^(no frame within|an action took|\d+ requests in|still loading|the action failed)/;

for (const [profile, hash, seed, theme] of [
  ['cpu_mlp_train/logdir', '#', 1, 'light'], // ran: with a trace, several programs
  ['tpu_scan_layers/logdir', '#mode=report', 2, 'dark'], // compiled only: memory, graph, a loop
  ['tpu_padded_oom', '#', 3, 'light'], // a dump of a program that did not fit
]) {
  test(`${ACTIONS} random actions on ${profile} from ${hash}, seed ${seed}: no exception, no console error, no refused or failed answer, no empty view`, async (t) => {
    const web = process.env.XPD_WEB_DIR ? [`--web-dir=${process.env.XPD_WEB_DIR}`] : [];
    const server = await Server.start(join(testdata, profile), ...web);
    try {
      const known = await whatIsThere(server, hash);
      const done = await monkey(await launch(), { seed, actions: ACTIONS, size: { width: 1366, height: 768 }, theme, hash, known, temper: { calm: true }, base: `http://127.0.0.1:${server.port}/` });
      assert.equal(done.actions, ACTIONS);
      const said = done.faults.map(({ text, hash: at, after: actions }) => `${text}\n   at ${at.slice(0, 600)}\n   after\n     ${actions.join('\n     ')}`);
      const [slow, wrong] = [said.filter((text) => OF_TIME.test(text)), said.filter((text) => !OF_TIME.test(text))];
      for (const text of slow) t.diagnostic(text);
      assert.deepEqual(wrong, []);
      assert.ok(await server.answers().catch(() => false), 'the server is there');
      assert.equal(server.errors.trim(), '', 'what the server said');
    } finally {
      await server.stop();
    }
  });
}
