// Options: exit codes, help, man page.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import test from 'node:test';

import { run, Server, source, temporary } from '../support/program.mjs';
import { demo, EXIT, fails, json } from './common.mjs';

test('exit codes are those of the header', () => {
  assert.deepEqual(EXIT, { OK: 0, BROKEN: 1, USAGE: 2, INPUT: 3, PORT: 3, UNJUDGED: 4, INTERNAL: 5 });
  const help = run(['--help']).text, man = fs.readFileSync(path.join(source, 'docs/xprofd.1'), 'utf8');
  for (const code of new Set(Object.values(EXIT))) {
    assert.match(help, new RegExp(`\\b${code} `), `--help names ${code}`);
    assert.match(man, new RegExp(`^\\.B ${code}$`, 'm'), `the man page names ${code}`);
  }
});

/** {word: code} of the man page: words in bold, then their code in brackets. */
function wordsOfMan() {
  const man = fs.readFileSync(path.join(source, 'docs/xprofd.1'), 'utf8');
  const part = /the answer has the code and a word[^]*?\.SH EXAMPLES/.exec(man)[0];
  const words = { ok: 0 };
  let open = [];
  for (const line of part.split('\n')) {
    const bold = /^\.BR? ([a-z_]+)/.exec(line), code = /^\((\d)\)/.exec(line);
    if (bold && !['exit', 'ok'].includes(bold[1])) open.push(bold[1]);
    if (code) for (const word of open.splice(0)) words[word] = Number(code[1]);
  }
  return words;
}

test('one word for each cause, the same in the JSON, the man page and the program', () => {
  const words = wordsOfMan();
  const own = [...fs.readFileSync(path.join(source, 'src/base/error.c'), 'utf8').matchAll(/^ +\[XPD_\w+\] = "(\w+)",$/gm)].map((match) => match[1]);
  assert.deepEqual(Object.keys(words).sort(), [...own, 'broken', 'not_judged'].sort());
  const text = path.join(temporary('words'), 'notes.xplane.pb');
  fs.writeFileSync(text, 'these are notes\n');
  const ROWS = [
    [['memory', demo], 'ok'], [['modules', demo], 'ok'], [['memory', '/no/such/path'], 'not_found'], [['modules', '/no/such/path'], 'not_found'],
    [['memory', demo, '--module=jit_else'], 'not_found'], [['memory', demo, '--space=77'], 'not_found'], [['memory', demo, '--run=monday'], 'not_found'],
    [['memory', text], 'bad_format'], [['modules', text], 'bad_format'],
    [['memory'], 'invalid_argument'], [['modules'], 'invalid_argument'], [['memory', demo, '--step=999999'], 'invalid_argument'],
    [['memory', demo, '--top=many'], 'invalid_argument'], [['memory', demo, '--nonsense'], 'invalid_argument'], [['memory', demo, demo], 'invalid_argument'],
  ];
  for (const [args, word] of ROWS) {
    const answer = json(args, words[word]);
    assert.equal(answer.exit.word, word, args.join(' '));
    const plain = run(args);
    assert.equal(plain.code, words[word], `${args.join(' ')} as text`);
    if (word !== 'ok') assert.equal(plain.text, '', 'nothing on stdout that is no answer');
  }
});

test('an option that a command does not take is refused, and so are two kinds of answer', () => {
  for (const [args, words] of [
    [['modules', demo, '--step=3'], /takes no --step/], [['modules', demo, '--module=jit_padded_step'], /takes no --module/],
    [['memory', demo, '--fail-on=error'], /takes no --fail-on/], [['doctor', demo, '--step=1'], /takes no --step/],
    [['memory', demo, '--json', '--csv'], /choose one/], [['modules', demo, '--csv', '--json'], /choose one/],
  ]) fails(args, EXIT.USAGE, words);
  assert.equal(run(['memory', demo, '--csv', '--csv']).code, EXIT.OK, 'twice the same is no contradiction');
});

test('help and version end with 0 and say nothing on stderr', () => {
  for (const args of [['--help'], ['-h'], ['--version'], ['serve', '--help'], ['memory', '--help'],
    ['modules', '--help']]) {
    const done = run(args);
    assert.equal(done.code, EXIT.OK, args.join(' '));
    assert.equal(done.errors, '');
    assert.ok(done.text.length > 5);
    for (const line of done.text.split('\n'))
      assert.ok(line.length <= 100, `fits a terminal: ${line}`);
  }
  // "xprofd 1.2.3 (5286ee34d1ab 2026-11-28, x86_64)": the commit is that of the tree the program was built from.
  assert.match(run(['--version']).text, /^xprofd \d+\.\d+\.\d+ \(([0-9a-f]{12} \d{4}-\d\d-\d\d(, with changes)?|unknown commit), [\w-]+(, static musl)?\)\n$/);
});

/** Names of the commands that read a profile. */
const COMMANDS = [...fs.readFileSync(path.join(source, 'src/cli/commands.def'), 'utf8').matchAll(/^COMMAND\(xpd_command_(\w+)\)/gm)]
  .map((match) => match[1]).filter((name) => name !== 'serve');

/** Long options that a text names. */
const options = (text) => new Set([...text.matchAll(/--([a-z][a-z-]+)/g)].map((match) => match[1]));

test('the man page and --help name the same options', () => {
  const man = options(fs.readFileSync(path.join(source, 'docs/xprofd.1'), 'utf8').replaceAll('\\-', '-'));
  const help = new Set();
  for (const args of [['--help'], ...COMMANDS.map((name) => [name, '--help'])])
    for (const option of options(run(args).text)) help.add(option);
  assert.deepEqual([...man].filter((name) => !help.has(name)).sort(), [], 'only in the man page');
  assert.deepEqual([...help].filter((name) => !man.has(name)).sort(), [], 'only in --help');
});

test('the man page and --help give the same template for source links', () => {
  const fields = (text) => [...new Set([...text.matchAll(/\{[a-z]+\}/g)].map((match) => match[0]))].sort();
  const man = fs.readFileSync(path.join(source, 'docs/xprofd.1'), 'utf8');
  assert.deepEqual(fields(man), fields(run(['--help']).text));
});

test('every option that --help names is taken', () => {
  const values = { top: '3', step: '1', space: '0', hbm: '16G', run: 'aot', module: 'jit_padded_step', host: 'host0', at: '1s', against: '2s' };
  const beside = { at: ['--over-time'], against: ['--over-time', '--at=1s'] };
  for (const command of ['memory', 'modules'])
    for (const name of options(run([command, '--help']).text)) {
      if (name === 'fail-on-leak') continue; // needs a run that recorded allocations: over_time.test.mjs
      const done = run([command, demo, ...(beside[name] ?? []), values[name] ? `--${name}=${values[name]}` : `--${name}`]);
      assert.equal(done.code, EXIT.OK, `${command} --${name}: ${done.errors}`);
    }
});

test('wrong usage ends with 2 and points to --help or says what is wrong', () => {
  fails(['memory'], EXIT.USAGE, /give a profile/);
  fails(['memory', demo, '--no-such'], EXIT.USAGE, /unknown option/);
  fails(['memory', demo, 'second'], EXIT.USAGE, /second/);
  fails(['memory', demo, '--top'], EXIT.USAGE, /value/);
  for (const [option, values] of [['--top', ['x', '-1', '1.5', '', '99999999999999999999']],
    ['--step', ['x', '-1', '']], ['--hbm', ['x', '-1', '16Q', '']]])
    for (const value of values) fails(['memory', demo, `${option}=${value}`], EXIT.USAGE, new RegExp(option));
  for (const value of ['x', '-1', '65536', '']) fails([`--port=${value}`, demo], EXIT.USAGE, /--port/);
  fails(['--no-such'], EXIT.USAGE, /unknown option --no-such/);
  fails(['--port'], EXIT.USAGE, /needs a value/);
  fails([demo, demo], EXIT.USAGE, /one path/);
  fails(['--memory-limit=1', demo], EXIT.USAGE, /--memory-limit/);
  fails(['--scan-depth=0', demo], EXIT.USAGE, /--scan-depth/);
  assert.equal(json(['memory', demo, '--top=x'], EXIT.USAGE).exit.word, 'invalid_argument');
  assert.equal(json(['memory'], EXIT.USAGE).error.where, 'PROFILE');
});

test('a path that is not there ends with 3 and is named', () => {
  fails(['/no/such/path', '--port=0'], EXIT.INPUT, /\/no\/such\/path does not exist/);
  for (const command of ['memory', 'modules']) {
    fails([command, '/no/such/path'], EXIT.INPUT, /\/no\/such\/path/);
    assert.equal(json([command, '/no/such/path'], EXIT.INPUT).exit.word, 'not_found');
  }
  const empty = temporary('empty');
  fails(['memory', empty], EXIT.INPUT, /no profile here: looked for/);
  assert.equal(json(['modules', empty], EXIT.INPUT).error.where, empty);
});

test('serve says that its port or address cannot be had', async () => {
  const taken = net.createServer();
  await new Promise((resolve) => { taken.listen(0, '127.0.0.1', resolve); });
  const { port } = taken.address();
  fails([demo, `--port=${port}`], EXIT.PORT, new RegExp(String(port)));
  taken.close();
  fails([demo, '--port=0', '--bind=203.0.113.1'], EXIT.PORT, /203\.0\.113\.1/);
  fails([demo, '--port=0', '--bind=nonsense'], EXIT.PORT, /nonsense/);
});

test('serve ends with 0 on SIGTERM', async () => {
  const server = await Server.start(demo);
  await server.stop();
});
