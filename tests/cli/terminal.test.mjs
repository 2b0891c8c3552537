// What depends on where an answer goes: colour on a terminal only, and an exit code when it cannot be written.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';

import { binary, run, temporary } from '../support/program.mjs';
import { demo, EXIT, layers } from './common.mjs';

const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`;
// Not everywhere: a bare root has no pseudo-terminals.
const canScript = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;

/** The command on a terminal of its own (util-linux's script). */
function onTerminal(args, env = {}) {
  const log = path.join(temporary('tty'), 'log');
  const done = spawnSync('script', ['-qec', [binary, ...args].map(quote).join(' '), log], { encoding: 'utf8', env: { PATH: process.env.PATH, TERM: 'xterm', ...env } });
  return { code: done.status, text: done.stdout.replaceAll('\r\n', '\n') };
}

test('colour: on a terminal the words of a verdict, nowhere else', { skip: !canScript }, () => {
  const budget = path.join(temporary('tty'), 'budget');
  fs.writeFileSync(budget, '[jit_padded_step]\npeak_bytes <= 1KiB\n');
  for (const args of [['doctor', demo], ['diff', demo, layers], ['check', demo, `--budget=${budget}`]]) {
    const plain = run(args).text, coloured = onTerminal(args).text;
    assert.ok(!plain.includes('\x1b'), 'a pipe gets none');
    assert.ok(coloured.includes('\x1b[3'), `${args[0]} has colour on a terminal`);
    assert.equal(coloured.replaceAll(/\x1b\[\d*m/g, ''), plain, 'but for the colour it is the same text');
    assert.equal(onTerminal(args, { NO_COLOR: '1' }).text, plain, 'NO_COLOR');
    assert.equal(onTerminal(args, { TERM: 'dumb' }).text, plain, 'a terminal that has none');
    assert.ok(onTerminal(args, { NO_COLOR: '' }).text.includes('\x1b[3'), 'an empty NO_COLOR is none');
  }
  assert.match(onTerminal(['doctor', demo]).text, /\x1b\[33mwarn \x1b\[0m/);
  assert.match(onTerminal(['check', demo, `--budget=${budget}`]).text, /\x1b\[31mBROKEN \x1b\[0m/);
});

test('exit 5: an answer that cannot be written, and no memory for one', { skip: !fs.existsSync('/dev/full') }, () => {
  const full = fs.openSync('/dev/full', 'w');
  const done = spawnSync(binary, ['memory', demo], { stdio: ['ignore', full, 'pipe'] });
  fs.closeSync(full);
  assert.equal(done.status, EXIT.INTERNAL);
});
