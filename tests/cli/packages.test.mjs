// What packages carry beside the program: completion, the manual, the unit, the launcher of the wheel, the version. That whole
// packages install and run is tested by packaging/test, which takes minutes.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';

import { binary, run, Server, source, temporary } from '../support/program.mjs';

const text = (name) => fs.readFileSync(path.join(source, name), 'utf8');
const VERSION = text('CMakeLists.txt').match(/^project\(xprofd VERSION ([0-9.]+)/m)[1];
const COMMANDS = [...run(['help']).text.matchAll(/^ {2}([a-z]+) {2,}\S/gm)].map((match) => match[1]);
const optionsOf = (words) => [...new Set([...words.matchAll(/(?<![a-z-])--[a-z][a-z-]*/g)].map((match) => match[0]))].sort();

/** What bash offers behind these words; the last one is being typed. */
function bash(...words) {
  const split = words.flatMap((word, i) => (i === words.length - 1 && word.includes('=') ? word.split(/(=)/) : [word])); // as readline does
  const done = spawnSync('bash', ['--norc', '-c', `. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _xprofd; printf '%s\\n' "\${COMPREPLY[@]}"`, 'bash',
    path.join(source, 'packaging/completions/xprofd.bash'), binary, ...split]);
  assert.equal(done.stderr.toString(), '');
  return done.stdout.toString().split('\n').filter(Boolean);
}

test('bash completes every command, every option that its help names, and values', () => {
  assert.ok(COMMANDS.length > 20 && COMMANDS.includes('doctor'));
  assert.deepEqual(bash('').sort(), [...COMMANDS, 'help'].sort());
  assert.deepEqual(bash('tr'), ['trace']);
  assert.deepEqual(bash('help', 'do'), ['doctor']);
  for (const command of COMMANDS)
    assert.deepEqual(bash(command, '--').map((word) => word.replace('=', '')).sort(), optionsOf(run(['help', command]).text), command);
  assert.deepEqual(bash('trace', '--by=na'), ['name']);
  assert.deepEqual(bash('trace', '--by=').sort(), ['category', 'chip', 'gap', 'module', 'name', 'row', 'step']);
  assert.deepEqual(bash('--logd'), ['--logdir=']);
  assert.deepEqual(bash('memory', 'some'), [], 'files are left to bash');
});

test('zsh and fish ask the same help as bash', () => {
  for (const name of ['_xprofd', 'xprofd.fish']) {
    const words = text(`packaging/completions/${name}`);
    for (const piece of ["'(^|[^a-z-])--[a-z][a-z-]*=?'", "'/^Commands:/,/^$/s/^  \\([a-z]\\{1,\\}\\)"]) {
      assert.ok(text('packaging/completions/xprofd.bash').includes(piece) && words.includes(piece), `${name}: ${piece}`);
    }
  }
});

test('the manual names every command, every option, and this version', () => {
  const manual = text('docs/xprofd.1').replaceAll('\\-', '-').replace(/\\f./g, '');
  assert.match(manual, new RegExp(`"xprofd ${VERSION.replaceAll('.', '\\.')}"`));
  for (const command of COMMANDS) {
    assert.match(manual, new RegExp(`\\b${command}\\b`));
    for (const option of optionsOf(run(['help', command]).text)) assert.ok(manual.includes(option), `${command} ${option}`);
  }
});

test('the unit starts the program with options that it has, and only the user starts the unit', () => {
  const unit = text('packaging/xprofd.service.in'), start = unit.match(/^ExecStart=@bin@\/xprofd (.*)$/m)[1];
  const known = optionsOf(run(['help', 'serve']).text);
  for (const option of optionsOf(start)) assert.ok(known.includes(option), option);
  const set = new Map([...unit.matchAll(/^(\w+)=(.*)$/gm)].map((match) => [match[1], match[2]]));
  for (const name of ['NoNewPrivileges', 'PrivateUsers', 'PrivateDevices', 'ProtectKernelTunables', 'MemoryDenyWriteExecute', 'RestrictNamespaces', 'LockPersonality'])
    assert.equal(set.get(name), 'yes', name);
  assert.equal(set.get('ProtectSystem'), 'strict');
  assert.equal(set.get('WantedBy'), 'default.target');
  assert.ok(!text('packaging/deb').match(/postinst|preinst|prerm|postrm|systemctl/), 'a package has no scripts');
});

/** A Python environment as pip leaves it: the package, its record, the program. */
function environment(program) {
  const root = temporary('wheel'), site = path.join(root, 'lib/site'), info = path.join(site, `xprofd-${VERSION}.dist-info`);
  fs.cpSync(path.join(source, 'packaging/python/xprofd'), path.join(site, 'xprofd'), { recursive: true });
  fs.mkdirSync(info);
  fs.mkdirSync(path.join(root, 'bin'));
  fs.writeFileSync(path.join(info, 'METADATA'), `Metadata-Version: 2.1\nName: xprofd\nVersion: ${VERSION}\n`);
  fs.writeFileSync(path.join(info, 'RECORD'), 'xprofd/__init__.py,,\nxprofd/__main__.py,,\n../../bin/xprofd,,\n');
  if (program) fs.copyFileSync(program, path.join(root, 'bin/xprofd'));
  return { root, site };
}

test('the launcher of the wheel runs the program beside it, and never another one', () => {
  const start = ({ site }, env = {}) => spawnSync('python3', ['-m', 'xprofd', '--version'], { env: { ...process.env, PYTHONPATH: site, PYTHONDONTWRITEBYTECODE: '1', ...env } });
  const whole = environment(binary);
  const done = start(whole);
  assert.equal(done.stderr.toString(), '');
  assert.equal(done.stdout.toString(), run(['--version']).text);
  // An xprofd that is on PATH is not ours.
  const other = temporary('path');
  fs.writeFileSync(path.join(other, 'xprofd'), '#!/bin/sh\necho other\n', { mode: 0o755 });
  const none = start(environment(null), { PATH: `${other}:${process.env.PATH}` });
  assert.notEqual(none.status, 0);
  assert.equal(none.stdout.toString(), '');
  assert.match(none.stderr.toString(), /the program of this package is not at/);
});

test('version and build are the same in --version, the API and the OpenAPI document', async () => {
  const server = await Server.start(path.join(source, 'testdata/tpu_padded_demo/logdir'));
  const status = (await server.get('/api/v1/status')).json, openapi = (await server.get('/api/v1/openapi.json')).json;
  await server.stop();
  assert.equal(run(['--version']).text, `xprofd ${VERSION} (${status.build})\n`);
  assert.deepEqual([status.version, openapi.info.version], [VERSION, VERSION]);
});
