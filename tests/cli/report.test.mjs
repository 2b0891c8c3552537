// xprofd report: one file, the tools' answers in it, the same bytes twice, the limit, and where it may be written.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';

import { fingerprint, run, Server, temporary, testdata } from '../support/program.mjs';
import { demo, EXIT, fails, layers, openReport, reportPage, train } from './common.mjs';

const web = reportPage();
const page = `--web-dir=${web}`;
const LIMIT = 8 << 20;

function report(profile, ...more) {
  const to = path.join(temporary('report'), 'out.html');
  const done = run(['report', profile, '-o', to, page, ...more]);
  assert.equal(done.code, EXIT.OK, done.errors);
  assert.equal(done.text, '');
  const html = fs.readFileSync(to, 'utf8');
  return { html, errors: done.errors, ...openReport(html) };
}

test('the buffers of each category and op group that hold something at the peak are in it', () => {
  const { answers } = report(layers);
  const asked = (word) => new Set([...answers.keys()].map((question) => new URLSearchParams(question.slice(question.indexOf('?'))).get(word)));
  const rows = (question) => [...answers].filter(([key]) => question.test(key)).flatMap(([, { body }]) => body.rows);
  const within = asked('within');
  const ops = rows(/^report\/groups\?(?=.*\bby=op&)(?!.*within=)(?!.*times=)/).filter((row) => row.peak_bytes !== 0);
  const open = rows(/^report\/details\?/).filter((row) => row.opens && row.peak_bytes !== 0);
  assert.ok(ops.length > 3 && open.length > 3, `${ops.length} groups, ${open.length} categories`);
  for (const name of [...ops.map((row) => row.name), ...open.map((row) => row.id)]) assert.ok(within.has(name), name);
});

test('holds what the server answers, to the byte', async () => {
  const server = await Server.start(testdata);
  try {
    for (const [profile, id] of [[demo, 'tpu_padded_demo/logdir'], [train, 'cpu_mlp_train/logdir']]) {
      const { head, answers } = report(profile);
      const runs = (await server.get('/api/v1/runs')).json;
      const run = runs.id.find((name) => name.startsWith(id));
      let compared = 0;
      for (const [question, { kind, body }] of answers) {
        const [route, query] = question.split('?');
        if (['run', 'card'].includes(route)) continue; // hold the run's name, times of files
        const answer = await server.get(`/api/v1/${route}?run=${encodeURIComponent(run)}&${query}`);
        assert.equal(answer.status === 200, kind !== 2, question);
        const recorded = JSON.stringify(body).replaceAll(JSON.stringify(head.run), JSON.stringify(run));
        assert.equal(recorded, JSON.stringify(kind === 1 ? answer.text : answer.json), question);
        compared++;
      }
      assert.ok(compared > 100, `${compared} answers compared`);
      assert.equal(head.answers.n, answers.size, 'nothing twice');
    }
  } finally {
    await server.stop();
  }
});

test('the route of the page writes the same bytes, and says what it left out', async () => {
  const served = temporary('page'); // a server wants the page itself too
  fs.cpSync(web, served, { recursive: true });
  fs.writeFileSync(path.join(served, 'index.html'), '<!doctype html>');
  const server = await Server.start(testdata, `--web-dir=${served}`);
  try {
    for (const [id, query, ...more] of [
      ['tpu_padded_demo/logdir', ''],
      ['tpu_padded_demo/logdir', '&max_size=2M&hbm=20GiB', '--max-size=2M', '--hbm=20GiB'],
      ['cpu_mlp_train/logdir', ''],
    ]) {
      const runs = (await server.get('/api/v1/runs')).json;
      const one = runs.id.find((name) => name.startsWith(id.split('/')[0]));
      const answer = await server.get(`/api/v1/report_file?run=${encodeURIComponent(one)}${query}`);
      assert.equal(answer.status, 200, answer.text);
      const written = report(testdata, `--run=${one}`, ...more);
      assert.ok(answer.text === written.html, `${id} ${query}: not the same bytes`);
      assert.equal(Boolean(answer.headers['x-xprofd-note']), /left out/.test(written.errors));
      assert.equal(written.head.label, runs.label[runs.id.indexOf(one)]);
    }
    assert.equal((await server.get('/api/v1/report_file?run=no')).status, 404);
    const first = (await server.get('/api/v1/runs')).json.id[0];
    assert.equal((await server.get(`/api/v1/report_file?run=${encodeURIComponent(first)}&max_size=1G`)).status, 400);
    assert.equal((await server.get(`/api/v1/report_file?run=${encodeURIComponent(first)}&max_size=1000`)).status, 413);
  } finally {
    await server.stop();
  }
});

test('says what it is; twice the same bytes, also of a copy with other times', () => {
  const one = report(demo);
  assert.equal(one.head.schema, 1);
  assert.equal(one.head.version, run(['--version']).text.trim().split(' ')[1]);
  assert.deepEqual(one.head.files.map((file) => file.name), ['host0.xplane.pb']);
  assert.equal(one.head.limit_bytes, LIMIT);
  assert.equal(report(demo).html, one.html);
  const copy = path.join(temporary('copy'), 'logdir');
  fs.cpSync(demo, copy, { recursive: true });
  assert.equal(report(copy).html, one.html);
  assert.ok(!one.html.includes(testdata), 'no path of this machine');
  assert.ok(![...one.answers.values()].some(({ body }) => JSON.stringify(body).includes(path.dirname(testdata))));
});

test('the limit: what is left out is counted, on stderr and in the file', () => {
  const whole = report(layers);
  assert.equal(whole.errors, '', 'nothing to say');
  assert.ok(whole.head.held.every((part) => part.left_out === 0));
  const { html, head, errors } = report(layers, '--max-size=300K');
  assert.ok(html.length <= 300 << 10, `${html.length} bytes`);
  assert.equal(head.limit_bytes, 300 << 10);
  assert.match(errors, /left out \(--max-size is 307200 bytes\): \d+ of \d+ answers on /);
  const sum = (parts, key) => parts.reduce((all, part) => all + part[key], 0);
  assert.equal(sum(head.held, 'held'), head.answers.n);
  assert.equal(sum(head.held, 'held') + sum(head.held, 'left_out'), sum(whole.head.held, 'held'), 'all were asked');
  for (const part of head.held.filter(({ left_out }) => left_out > 0))
    assert.ok(errors.includes(`${part.left_out} of ${part.left_out + part.held} answers on ${part.what}`), part.what);
  // What the page opens with is there.
  for (const route of ['run', 'modules', 'memory/summary', 'memory/curve', 'memory/live', 'doctor'])
    assert.ok(head.answers.route.includes(route), route);
  fails(['report', demo, '-o', '-', page, '--max-size=9000'], EXIT.INPUT, /page alone is \d+ bytes/);
});

test('one program, one memory space; an error is an answer', () => {
  const { head } = report(train, '--module=jit_train_step(18)');
  assert.equal(head.module, 'jit_train_step(18)');
  assert.equal(head.one_module, true);
  const named = head.answers.query.map((query) => new URLSearchParams(query).get('module')).filter(Boolean);
  assert.deepEqual([...new Set(named)], ['jit_train_step(18)']);
  const spaces = report(demo, '--space=1').head.answers.query.map((query) => new URLSearchParams(query).get('space')).filter(Boolean);
  assert.deepEqual([...new Set(spaces)], ['1']);
});

test('is only written where -o says, and never over the profile', () => {
  const before = fingerprint(demo);
  const file = path.join(demo, fs.readdirSync(demo, { recursive: true }).find((name) => name.endsWith('.xplane.pb')));
  fails(['report', demo, page], EXIT.USAGE, /give an output file: -o/);
  fails(['report', demo, '-o', demo, page], EXIT.USAGE, /is a folder/);
  fails(['report', demo, '-o', file, page], EXIT.USAGE, /is a file of the profile/);
  assert.deepEqual(fingerprint(demo), before);
  fails(['report', demo, '-o', path.join(web, 'no/such/folder.html'), page], EXIT.INPUT, /cannot be written/);
  fails(['report', demo, '-o', '-', page, '--json'], EXIT.USAGE, /always an HTML file/);
  fails(['report', path.join(testdata, 'nothing'), '-o', '-', page], EXIT.INPUT, /nothing/);
  fails(['report', demo, '-o', '-', `--web-dir=${temporary('empty')}`], EXIT.INPUT, /no report\.html/);
  fails(['report', demo, '-o', '-', page, '--max-size=lots'], EXIT.USAGE, /--max-size takes a size/);
  fails(['memory', demo, '-o', 'x'], EXIT.USAGE, /unknown option/);
  const done = run(['report', demo, '-o', '-', page]);
  assert.equal(done.code, EXIT.OK);
  assert.equal(done.text, report(demo).html, '-o - is stdout');
});

test('more steps than one answer lists: marks of each thread over all of them, and how many are listed', () => {
  const number = (id, value) => {
    const bytes = [id << 3];
    for (let rest = BigInt(value); ; rest >>= 7n) {
      bytes.push(Number(rest & 127n) | (rest > 127n ? 128 : 0));
      if (rest <= 127n) return Buffer.from(bytes);
    }
  };
  const field = (id, parts) => {
    const inside = typeof parts === 'string' ? Buffer.from(parts) : Buffer.concat(parts);
    return Buffer.concat([Buffer.from([(id << 3) | 2]), number(0, inside.length).subarray(1), inside]);
  };
  const named = (id, key, name) => field(id, [number(1, key), field(2, [number(1, key), field(2, name)])]);
  const step = (at, n) => field(4, [number(1, 1), number(2, at * 1000), number(3, 500), field(4, [number(1, 1), number(4, 1)]), field(4, [number(1, 2), number(4, n)])]);
  const thread = (id) => field(3, [number(1, id), field(2, 'python'), ...Array.from({ length: 15000 }, (_, i) => step(i, i))]);
  const profile = path.join(temporary('steps'), 'host.xplane.pb');
  fs.writeFileSync(profile, field(1, [field(2, '/host:CPU'), thread(5), thread(6), named(4, 1, 'train'), named(5, 1, '_r'), named(5, 2, 'step_num')]));
  const { answers, head } = report(profile);
  const of = (query) => answers.get(`trace/steps?${query}`)?.body;
  assert.deepEqual([of('').n, of('').left_out], [20000, 10000]);
  for (const row of [0, 1]) {
    const { marks } = of(`process=0&row=${row}&px=16384`);
    assert.equal(marks.count.reduce((sum, n) => sum + n, 0), 15000, 'no step is left out of the marks');
    assert.equal(of(`process=0&row=${row}&limit=20000`).n, 15000);
  }
  assert.ok(head.routes['trace/steps'].any.includes('px'));
  const few = report(train);
  assert.ok(![...few.answers.keys()].some((question) => /^trace\/steps\?.*px=/.test(question)), 'a trace whose steps are all listed needs none');
});
