// packaging/needs: what it finds missing, what it leaves alone, what it says where it cannot help. It runs in a folder of stand-ins
// for the commands it asks: nothing is installed.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';

import { source, temporary } from '../support/program.mjs';

const ALL = { cc: 'cat >/dev/null', cmake: '', make: '', 'pkg-config': '', 'protoc-c': '', node: 'echo v18.19.0', npm: '', python3: '', 'chromium-headless-shell': '', ninja: '', id: 'echo 0' };
/** apt-get writes what it was told; apt-cache offers Node 18 and no Chromium. */
const APT = {
  'apt-get': `echo "apt-get $*" >>"$LOG"
[ -z "$REFUSES" ] || exit 100
case "$*" in install*nodejs*) brought="node $BRINGS";; esac
for name in $brought; do printf '#!/bin/sh\necho v18.19.0\n' >"$BIN/$name"; chmod +x "$BIN/$name"; done`,
  'apt-cache': 'case "$2" in nodejs) echo "  Candidate: ${OFFERED:-18.19.0}+dfsg";; esac',
};

/** Runs it with only these commands; what it said, how it ended, what apt-get was told to install. */
function needs(commands, args, env = {}) {
  const bin = temporary('needs'), log = path.join(bin, 'log');
  for (const name of ['sh', 'sed', 'env', 'cat', 'chmod']) fs.symlinkSync(spawnSync('sh', ['-c', `command -v ${name}`]).stdout.toString().trim(), path.join(bin, name));
  for (const [name, body] of Object.entries(commands)) fs.writeFileSync(path.join(bin, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  const done = spawnSync(path.join(bin, 'sh'), [path.join(source, 'packaging/needs'), ...args], { env: { PATH: bin, LOG: log, BIN: bin, ...env } });
  const told = fs.existsSync(log) ? fs.readFileSync(log, 'utf8').trim().split('\n') : [];
  const installed = told.filter((line) => line.includes(' install ')).map((line) => line.replace(/.*--no-remove /, ''));
  return { code: done.status, said: done.stdout.toString() + done.stderr.toString(), told, installed };
}
const without = (...names) => Object.fromEntries(Object.entries({ ...ALL, ...APT }).filter(([name]) => !names.includes(name)));

test('where everything is installed, no package manager is asked', () => {
  const { code, said, told } = needs(without(), ['build', 'tests']);
  assert.deepEqual([code, said, told], [0, '', []]);
});

test('only what is missing is installed, and nothing is removed for it', () => {
  const { code, told, installed } = needs(without('cmake', 'protoc-c'), ['build']);
  assert.equal(code, 0);
  assert.deepEqual(installed, ['cmake protobuf-c-compiler']);
  assert.ok(told.at(-1).includes('--no-remove'));
});

test('a compiler that cannot link a fuzzer lacks its run-time library', () => {
  const clang = { 'clang-format': '', 'clang-tidy': '' };
  assert.deepEqual(needs({ ...without(), ...clang, clang: '' }, ['fuzz']).installed, []);
  assert.deepEqual(needs({ ...without(), ...clang, clang: 'exit 1' }, ['fuzz']).installed, ['libclang-rt-dev']);
  assert.deepEqual(needs({ ...without(), ...clang, clang: 'exit 1' }, ['checks']).installed, []);
});

test('npm is asked for after Node, since some packages of Node bring it and refuse the other', () => {
  assert.deepEqual(needs(without('node', 'npm'), ['build']).installed, ['nodejs', 'npm']);
  assert.deepEqual(needs(without('npm'), ['build']).installed, ['npm']);
  assert.deepEqual(needs(without('node', 'npm'), ['build'], { BRINGS: 'npm' }).installed, ['nodejs']);
});

test('a Node too old is said, with what to do, before anything is installed', () => {
  const old = needs({ ...without('cmake'), node: 'echo v12.22.9' }, ['build']);
  assert.deepEqual([old.code, old.told], [1, []]);
  assert.match(old.said, /node is Node v12\.22\.9\.\n.*needs Node 18 or later.*nodejs\.org/);
  const offered = needs(without('node'), ['build'], { OFFERED: '12.22.9' });
  assert.deepEqual([offered.code, offered.installed], [1, []]);
  assert.match(offered.said, /apt-get offers Node 12\.22\.9.*\n.*nodejs\.org/);
});

test('without apt-get, without sudo, and where apt-get refuses: what is missing is named, and it ends', () => {
  const none = needs(without('apt-get', 'cmake', 'npm'), ['build']);
  assert.equal(none.code, 1);
  assert.match(none.said, /Missing, by Debian's names: cmake npm\n.*no apt-get here/s);
  const plain = needs({ ...without('cmake'), id: 'echo 1000' }, ['build']);
  assert.equal(plain.code, 1);
  assert.match(plain.said, /no sudo here\. As root: apt-get update/);
  const sudo = needs({ ...without('cmake'), id: 'echo 1000', sudo: 'echo "sudo $1" >>"$LOG"; exec "$@"' }, ['build']);
  assert.deepEqual([sudo.code, sudo.installed, sudo.told.filter((line) => line.startsWith('sudo')).length], [0, ['cmake'], 2]);
  const refused = needs(without('cmake'), ['build'], { REFUSES: 'yes' });
  assert.equal(refused.code, 1);
  assert.match(refused.said, /could not install: cmake/);
});

test('tests need a Chromium, the one without windows first; where none is offered they are skipped, and that is said', () => {
  assert.deepEqual(needs({ ...without('chromium-headless-shell'), chromium: '' }, ['tests']).told, []);
  const none = needs(without('chromium-headless-shell'), ['tests']);
  assert.deepEqual([none.code, none.installed], [0, []]);
  assert.match(none.said, /offers no Chromium: tests in a browser are skipped/);
  const offered = { ...without('chromium-headless-shell'), 'apt-cache': 'echo "  Candidate: 150.0"' };
  assert.deepEqual(needs(offered, ['tests']).installed, ['chromium-headless-shell']);
});

test('--say names what is missing and installs nothing', () => {
  const { code, said, told } = needs(without('make'), ['--say', 'build']);
  assert.deepEqual([code, told], [0, []]);
  assert.match(said, /^Missing, by Debian's names: make$/m);
});
