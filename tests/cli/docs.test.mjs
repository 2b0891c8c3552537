// Every command that the documents show on data of this repository: it runs, ends with the code they say, and prints
// what they say it prints. Tables of numbers are computed again.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';

import { binary, run, Server, shared, source, temporary, testdata } from '../support/program.mjs';
import { json, reportPage } from './common.mjs';

const text = (name) => fs.readFileSync(path.join(source, 'docs', name), 'utf8');
const plain = (words) => words.replace(/\s+/g, ' ').trim();

/** The budget that a document shows, as a file. */
function budgetOf(document) {
  const block = document.match(/```\n(#[^\n]*budget[\s\S]*?)```/)?.[1] ?? '';
  const file = path.join(temporary('docs'), 'xprofd.budget');
  fs.writeFileSync(file, block);
  return file;
}

/** Runs each `sh example` block; indented lines behind it must be among what it printed. `data`: the folder of other sets that are named. Returns how many commands ran. */
function runAll(name, data = null) {
  const written = temporary('docs');
  const place = (arg) => (/^[\w.]+\.html$/.test(arg) ? path.join(written, arg) : data && fs.existsSync(path.join(data, arg, 'logdir')) ? path.join(data, arg, 'logdir') : arg.replace(/^testdata/, testdata).replace('xprofd.budget', budget));
  const document = text(name), budget = budgetOf(document);
  let printed = '', commands = 0;
  for (const [, block, line] of document.matchAll(/```sh example\n([\s\S]*?)```|```[\s\S]*?```|^ {4}(\S.*)$/gm)) {
    if (!block && !line) continue; // another block
    if (line) {
      assert.ok(plain(printed).includes(plain(line)), `${name}: not printed: ${line}`);
      continue;
    }
    printed = '';
    for (const command of block.trim().split('\n')) {
      const [words, code] = command.split(/ +# exit /);
      const [program, ...args] = words.trim().split(/ +/);
      assert.equal(program, 'xprofd', command);
      const page = args[0] === 'report' ? [`--web-dir=${reportPage()}`] : []; // builds with a sanitizer have no page in them
      const done = run([...args.map(place), ...page]);
      assert.equal(done.code, Number(code ?? 0), `${command}\n${done.errors}`);
      printed += done.text;
      commands++;
    }
  }
  return commands;
}

test('docs/CI.md and docs/OOM.md: each command does what they say', () => {
  assert.ok(runAll('CI.md') >= 4);
  assert.ok(runAll('OOM.md') >= 11);
});

test('docs/CI.md: the job and the script do what they say, with what a job leaves behind', () => {
  const document = text('CI.md'), folder = temporary('job'), summary = path.join(folder, 'summary.md');
  fs.copyFileSync(budgetOf(document), path.join(folder, 'xprofd.budget'));
  fs.mkdirSync(path.join(folder, 'bin'));
  fs.writeFileSync(path.join(folder, 'bin/xprofd'), `#!/bin/sh\n[ "$1" != report ] || set -- "$@" --web-dir='${reportPage()}'\nexec '${path.resolve(binary)}' "$@"\n`, { mode: 0o755 });
  const shell = (script, env) => {
    const done = spawnSync('bash', ['-e', '-c', script], { cwd: folder, env: { ...process.env, PATH: `${path.join(folder, 'bin')}:${process.env.PATH}`, ...env } });
    return { code: done.status, text: done.stdout.toString(), errors: done.stderr.toString() };
  };
  const demo = path.join(testdata, 'tpu_padded_demo/logdir'), oom = path.join(testdata, 'tpu_padded_oom/xla_dump');
  fs.cpSync(demo, path.join(folder, 'base'), { recursive: true });
  fs.cpSync(demo, path.join(folder, 'dump'), { recursive: true });
  const job = /```yaml\n([\s\S]*?)```/.exec(document)[1];
  const [, check] = /run: \|\n +(xprofd .*)/.exec(job), [, report] = /run: (xprofd report .*)/.exec(job);
  assert.deepEqual(shell(check, { GITHUB_STEP_SUMMARY: summary }), { code: 0, text: '', errors: '' });
  assert.match(fs.readFileSync(summary, 'utf8'), /^\|/m);
  assert.equal(JSON.parse(fs.readFileSync(path.join(folder, 'memory.sarif'))).version, '2.1.0');
  assert.match(fs.readFileSync(path.join(folder, 'memory.xml'), 'utf8'), /<testsuite[ s]/);
  assert.equal(shell(report).code, 0);
  assert.ok(fs.statSync(path.join(folder, 'memory.html')).size > 100);
  // A program that is larger than the budget fails the job, and the page is made all the same.
  fs.rmSync(path.join(folder, 'dump'), { recursive: true });
  fs.cpSync(oom, path.join(folder, 'dump'), { recursive: true });
  assert.equal(shell(check, { GITHUB_STEP_SUMMARY: summary }).code, 1);
  assert.equal(shell(report).code, 0);
  // The script in a plain shell: each of its four answers.
  const script = /```sh\n([\s\S]*?)```/.exec(document)[1];
  const said = (profile, lines) => {
    fs.writeFileSync(path.join(folder, 'xprofd.budget'), lines);
    return shell(script, { PROFILE: profile });
  };
  assert.deepEqual([said(demo, '[*]\npeak_bytes <= 64GiB\n').text.endsWith('memory budget holds\n'), said(demo, '[*]\npeak_bytes <= 1MiB\n').code], [true, 1]);
  assert.match(said(demo, '[*]\npeak_bytes <= 1MiB\n').text, /memory budget broken\n(.*\n){3,40}$/);
  assert.match(said(demo, '[*]\ngrowth <= 1%\n').text, /memory budget not checked\n$/);
  assert.match(said(path.join(folder, 'nowhere'), '[*]\npeak_bytes <= 64GiB\n').text, /could not read the profile\n$/);
});

test('docs/LEAK.md: each command does what it says', () => {
  assert.ok(runAll('LEAK.md') >= 5);
});

test('docs/INPUT.md: each command does what it says', () => {
  assert.ok(runAll('INPUT.md') >= 7);
});

test('the guided tours SLOW, COMPARE and TPU-VM: each command does what they say', () => {
  assert.equal(runAll('SLOW.md'), 6);
  assert.equal(runAll('COMPARE.md'), 5);
  assert.equal(runAll('TPU-VM.md'), 4);
});

test('links between documents: the file is there, and so is the heading; the site has every document', () => {
  const names = fs.readdirSync(path.join(source, 'docs')).filter((name) => name.endsWith('.md'));
  const slugs = (file) => new Set([...fs.readFileSync(file, 'utf8').replace(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.*)$/gm)]
    .map(([, title]) => title.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-')));
  const broken = [];
  let checked = 0;
  for (const file of ['README.md', ...names.map((name) => `docs/${name}`)]) {
    const words = fs.readFileSync(path.join(source, file), 'utf8').replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '');
    for (const [, link] of words.matchAll(/(?:\]\(|<img src=")([^)"\s]+)[)"]/g)) {
      if (/^[a-z]+:/.test(link)) continue;
      const [name, anchor] = link.split('#'), to = name ? path.join(source, path.dirname(file), name) : path.join(source, file);
      if (!fs.existsSync(to) || (anchor && !slugs(to).has(anchor))) broken.push(`${file}: ${link}`);
      checked++;
    }
  }
  assert.deepEqual(broken, []);
  assert.ok(checked > 60, `${checked}`);
  const listed = [...text('index.md').matchAll(/^([\w-]+)$/gm)].map(([, name]) => `${name}.md`);
  assert.deepEqual(listed.sort(), names.filter((name) => name !== 'index.md').sort());
});

test('headings of documents: none skips a level, which the site warns of', () => {
  const skipped = [];
  for (const name of fs.readdirSync(path.join(source, 'docs')).filter((file) => file.endsWith('.md'))) {
    let level = 0;
    for (const [, marks, title] of text(name).replace(/^```[\s\S]*?^```/gm, '').matchAll(/^(#+) (.*)$/gm)) {
      if (marks.length > level + 1) skipped.push(`${name}: ${title}`);
      level = marks.length;
    }
  }
  assert.deepEqual(skipped, []);
});

test('docs/OPS.md: each command does what it says', { skip: !shared }, () => {
  assert.ok(runAll('OPS.md', path.join(shared, 'data')) >= 10);
});

test('docs/OOM.md: the message is that of the data, pictures are there, links open what they say', async () => {
  const document = text('OOM.md');
  assert.ok(document.includes(fs.readFileSync(path.join(testdata, 'tpu_padded_oom/error.txt'), 'utf8').trim()));
  for (const [, picture] of document.matchAll(/\]\((screenshots\/[^)]+)\)/g))
    assert.ok(fs.statSync(path.join(source, 'docs', picture)).size < 250000, picture);
  const links = [...document.matchAll(/`xprofd serve (\S+)`[^`]*`http:\/\/127\.0\.0\.1:6006\/#(\S+)`/g)];
  assert.ok(links.length >= 2);
  for (const [link, root, hash] of links) {
    const server = await Server.start(path.join(source, root));
    const view = Object.fromEntries(new URLSearchParams(hash));
    const summary = await server.api('memory/summary', { run: view.run, ...(view.hbm ? { hbm: view.hbm } : {}) });
    await server.stop();
    assert.equal(summary.status, 200, link);
    if (view.hbm) assert.equal(Number(view.hbm), 15.75 * 2 ** 30);
  }
});

const place = (name) => {
  const own = path.join(testdata, name);
  if (fs.existsSync(own)) return own;
  return shared && path.join(shared, 'data', name, 'logdir');
};
const mib = (bytes) => bytes / 2 ** 20;

test('docs/OOM.md: what a finding promised, and what the program without it has', () => {
  const rows = [...text('OOM.md').matchAll(/^\| `(\w+)` \| (D\d\d) \| ([\d.]+) \| `([\w/]+)` \| ([\d.]+) \|/gm)];
  assert.equal(rows.length, 3);
  let checked = 0;
  for (const [, before, id, promised, after, reached] of rows) {
    if (!place(before) || !place(after)) continue;
    const finding = json(['doctor', place(before)]).doctor.findings.find((one) => one.id === id);
    const peak = json(['doctor', place(after)]).doctor.peak_bytes;
    assert.equal(mib(finding.new_peak_bytes).toFixed(1), promised, `${before} ${id}`);
    assert.equal(mib(peak).toFixed(1), reached, after);
    assert.ok(peak <= finding.new_peak_bytes + 2 ** 13, 'the promise is kept, to 8 KiB of tables');
    assert.ok(!json(['doctor', place(after)]).doctor.findings.some((one) => one.id === id && one.saving_bytes > finding.saving_bytes));
    checked++;
  }
  assert.ok(checked >= 1);
});

test('docs/ARCHITECTURE.md: each file and folder it names is there', () => {
  const places = ['', 'src', 'src/tools', 'include/xprofd', 'tests/unit'];
  const named = [...text('ARCHITECTURE.md').matchAll(/`([\w./]+\/(?:\w+\.(?:c|h|def|ts|tsx|mjs|txt))?)`/g)].map(([, name]) => name);
  const missing = named.filter((name) => !places.some((place) => fs.existsSync(path.join(source, place, name))));
  assert.ok(named.length > 40, `${named.length}`);
  assert.deepEqual(missing, []);
});
