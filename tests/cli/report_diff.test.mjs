// xprofd report --diff: one file that holds both profiles and their comparison, both ways round; what cannot be compared is said.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';

import { fingerprint, run, shared, temporary, testdata } from '../support/program.mjs';
import { demo, dump, EXIT, fails, json, layers, openReport, reportPage, train } from './common.mjs';

const page = `--web-dir=${reportPage()}`;
const packed = path.join(testdata, 'tpu_findings/padded_packed');
const transposed = path.join(testdata, 'tpu_findings/padded_transposed');

function makeReport(before, after, ...more) {
  const to = path.join(temporary('report'), 'out.html');
  const done = run(['report', after, `--diff=${before}`, '-o', to, page, ...more]);
  assert.equal(done.code, EXIT.OK, done.errors);
  assert.equal(done.text, '');
  const html = fs.readFileSync(to, 'utf8');
  return { html, errors: done.errors, ...openReport(html) };
}

/** A report that is only read: made once. */
const made = new Map();
function report(...pair) {
  const key = pair.join('\n');
  if (!made.has(key)) made.set(key, makeReport(...pair));
  return made.get(key);
}

/** The answers to a route, with their parameters. */
const asked = (answers, wanted) =>
  [...answers].map(([question, { kind, body }]) => {
    const [route, query] = question.split('?');
    return { route, params: Object.fromEntries(new URLSearchParams(query)), kind, body };
  }).filter(({ route }) => route === wanted);

const of = (answers, route, params) =>
  asked(answers, route).filter((one) => Object.entries(params).every(([name, value]) => one.params[name] === value));

/** Without what has its place in the file only: names of runs. */
const plain = (comparison) => JSON.stringify(comparison, (key, value) => (key === 'run' ? undefined : value));

const PAIRS = [[dump, packed], [transposed, packed], [layers, layers]];
if (shared)
  for (const [before, after] of [['noremat', 'remat'], ['nodonate', 'noremat']]) {
    const pair = [before, after].map((name) => path.join(shared, `data/tpu_transformer_${name}/logdir`));
    if (pair.every((one) => fs.existsSync(one))) PAIRS.push(pair);
  }

test('holds the comparison that `xprofd diff` gives; its groups add up to the difference of the two peaks; the other way every sign changes', () => {
  for (const [before, after] of PAIRS) {
    const { head, answers } = report(before, after);
    const { diff } = json(['diff', before, after]);
    const [{ body: forth, params }] = of(answers, 'compare', { base_run: head.base.run, space: '0' });
    assert.equal(plain(forth), plain(diff), after);
    // Closure, from the columns of the file alone and against what each profile says by itself.
    const sum = (list) => list.reduce((all, value) => all + value, 0);
    const peaks = [before, after].map((profile) => json(['memory', profile, '--space=0', '--top=1']).spaces[0].summary.peak.held_bytes);
    assert.deepEqual([forth.before.peak_bytes, forth.after.peak_bytes], peaks);
    assert.equal(sum(forth.groups.difference_bytes) + forth.rest.after_bytes - forth.rest.before_bytes, peaks[1] - peaks[0]);
    assert.equal(params.module, head.module);
    assert.equal(params.base_module, head.base.module);
    const [{ body: back }] = of(answers, 'compare', { run: head.base.run, base_run: head.run, space: '0' });
    assert.equal(back.difference_bytes + forth.difference_bytes, 0);
    assert.deepEqual([back.before.peak_bytes, back.after.peak_bytes], [peaks[1], peaks[0]]);
    // The baseline's own summary, which the differences of the Viewer are taken from.
    const [{ body: base }] = of(answers, 'memory/summary', { run: head.base.run, space: '0' });
    assert.equal(base.peak.held_bytes, peaks[0]);
    assert.equal(asked(answers, 'compare').filter(({ params: p, body }) => p.format === 'md' && typeof body === 'string').length, asked(answers, 'compare').filter(({ params: p }) => !p.format).length);
  }
});

test('every row of the tables and every line of the texts is there, page by page', () => {
  const { head, answers } = report(dump, packed);
  const { diff } = json(['diff', dump, packed]);
  const whole = (route, params, unwanted) => of(answers, route, params).filter((one) => unwanted.every((name) => !(name in one.params)));
  const buffers = whole('compare/buffers', { base_run: head.base.run, space: '0', limit: '5000' }, []);
  assert.equal(buffers.reduce((n, { body }) => n + body.buffers.n, 0), buffers[0].body.total);
  assert.equal(buffers[0].body.difference_bytes, diff.difference_bytes);
  for (const [params, unwanted] of [[{}, ['context', 'inside']], [{ context: '-1' }, ['inside']], [{ inside: '1' }, ['context']], [{ context: '-1', inside: '1' }, []]]) {
    const pages = whole('compare/text', { base_run: head.base.run, limit: '500', ...params }, unwanted);
    const { total, before_lines: beforeLines } = pages[0].body;
    assert.deepEqual(pages.map((one) => Number(one.params.offset)), Array.from({ length: Math.ceil(total / 500) }, (_, i) => i * 500));
    assert.equal(pages.reduce((n, { body }) => n + body.rows.n, 0), total);
    if (!params.context) continue;
    const lines = pages.flatMap(({ body }) => body.rows.before_line.filter((line, i) => line !== null && body.rows.side[i] !== 'after'));
    assert.equal(new Set(lines).size, beforeLines, 'all lines of the text before');
  }
  const [{ body: curve }] = of(answers, 'compare/curve', { base_run: head.base.run, space: '0' });
  assert.equal(Math.max(...curve.columns.before_max_bytes), diff.before.peak_bytes);
  assert.equal(Math.max(...curve.columns.after_max_bytes), diff.after.peak_bytes);
});

test('says what it is; the same bytes twice; no path; a report without --diff does not mention it', () => {
  const one = report(dump, packed);
  assert.equal(one.head.run, 'padded_packed');
  assert.equal(one.head.base.run, 'base:xla_dump');
  assert.deepEqual(one.head.base.files.map(({ name }) => name).filter((name) => !name.endsWith('.txt')).length > 0, true);
  assert.equal(one.head.base.opens, one.head.module);
  assert.equal(one.head.base.alone, '');
  assert.equal(makeReport(dump, packed).html, one.html);
  assert.ok(!JSON.stringify(one.head).includes(path.dirname(testdata)));
  assert.ok(![...one.answers.values()].some(({ body }) => JSON.stringify(body).includes(path.dirname(testdata))));
  const to = path.join(temporary('report'), 'out.html');
  assert.equal(run(['report', packed, '-o', to, page]).code, EXIT.OK);
  const { head } = openReport(fs.readFileSync(to, 'utf8'));
  assert.equal(head.base, null);
  assert.deepEqual(Object.keys(head.routes).filter((route) => route.startsWith('compare')), []);
  assert.ok(!head.held.some(({ what }) => /baseline|pair/.test(what)));
});

test('what is compared is said: nothing differs, another workload, dumps without buffers', () => {
  assert.match(report(layers, layers).errors, /^xprofd report: no difference: all \d+ groups of jit_train_step\(2262259544789394019\) are equal\n$/);
  const { head, answers } = report(layers, layers);
  assert.notEqual(head.run, head.base.run, 'two names for the same');
  const [{ body }] = of(answers, 'compare', { base_run: head.base.run, space: '0' });
  assert.equal(body.difference_bytes, 0);
  assert.equal(body.groups_different, 0);
  assert.equal(body.findings.filter(({ state }) => state !== 'stays').length, 0);
  // A profile and a dump are two kinds of input, and both have programs.
  assert.match(report(dump, demo).errors, /^xprofd report: not the same workload: arguments or results have different types or shapes/);
  assert.equal(report(dump, demo).head.base.run, 'base:xla_dump');
});

test('several programs: each with its partner, the rest is named; two by hand', () => {
  const { head, answers, errors } = report(train, train);
  const modules = JSON.parse(run(['modules', train, '--json']).text).modules.key;
  const pairs = new Map(asked(answers, 'compare').filter(({ params, kind }) => !params.run && kind === 0).map(({ params }) => [params.module, params.base_module]));
  assert.ok(pairs.size > 1);
  for (const [module, partner] of pairs) assert.equal(partner.replace(/\(.*/, ''), module.replace(/\(.*/, ''));
  assert.equal(pairs.get('jit_train_step(18)'), 'jit_train_step(18)');
  const alone = modules.filter((key) => !pairs.has(key));
  if (alone.length > 0) assert.ok(errors.includes(`no match before: ${alone[0]}`) && head.base.alone.includes(alone[0]), errors);
  // One whose partner is not there: asked all the same, so that the page can say why.
  for (const key of alone) assert.equal(of(answers, 'compare', { module: key })[0].kind, 2, key);

  const two = report(train, train, '--module=jit_train_step(18)', '--base-module=jit_stage(16)');
  assert.equal(two.head.base.module, 'jit_stage(16)');
  assert.equal(two.head.base.opens, 'jit_train_step(18)');
  assert.deepEqual([...new Set(asked(two.answers, 'memory/summary').filter(({ params }) => params.run).map(({ params }) => params.module))], ['jit_stage(16)']);
  const [{ body }] = of(two.answers, 'compare', { base_run: two.head.base.run });
  assert.equal(plain(body), plain(json(['diff', train, train, '--module=jit_train_step(18)', '--base-module=jit_stage(16)']).diff));

  // Of several runs, the one called as --run.
  const root = temporary('runs');
  for (const name of ['one', 'two']) fs.cpSync(packed, path.join(root, name), { recursive: true });
  assert.equal(report(root, root, '--run=two').head.base.run, 'base:two');
  fails(['report', packed, `--diff=${root}`, '-o', '-', page], EXIT.USAGE, /BEFORE has 2 runs; give the folder of one of them: two, one/);
});

test('the limit holds for both, and what is left out is counted', () => {
  const { html, head, errors } = report(dump, packed, '--max-size=110K');
  assert.ok(html.length <= 110 << 10, `${html.length} bytes`);
  assert.match(errors, /left out \(--max-size is 112640 bytes\): \d+ of \d+ answers on /);
  for (const route of ['compare', 'compare/curve', 'compare/buffers', 'memory/summary']) assert.ok(head.answers.route.includes(route), `${route} comes first`);
});

test('what cannot be compared ends with its code and writes nothing', () => {
  const before = fingerprint(packed);
  const to = path.join(temporary('nothing'), 'out.html');
  const wrong = (args, code, words) => {
    fails(['report', ...args, '-o', to, page], code, words);
    assert.ok(!fs.existsSync(to), args.join(' '));
  };
  wrong([packed, `--diff=${path.join(testdata, 'nowhere')}`], EXIT.INPUT, /nowhere: This path does not exist/);
  wrong([packed, `--diff=${temporary('empty')}`], EXIT.INPUT, /no profile here to compare with/);
  wrong([packed, `--diff=${path.join(testdata, 'README.md')}`], EXIT.INPUT, /README\.md: /);
  wrong([packed, '--diff='], EXIT.USAGE, /--diff takes the profile to compare with/);
  fails(['report', packed, '-o', to, page, '--diff'], EXIT.USAGE, /--diff needs a value/);
  wrong([packed, '--base-module=x'], EXIT.USAGE, /it needs --diff=BEFORE/);
  wrong([packed, `--diff=${dump}`, '--base-module=x'], EXIT.INPUT, /no module|There is no/i);
  wrong([demo, `--diff=${train}`], EXIT.INPUT, /jit_padded_step: 0 modules before have that name; they are jit_/);
  fails(['memory', packed, `--diff=${dump}`], EXIT.USAGE, /--diff is for xprofd report/);
  // A file of the baseline is none to write over.
  const file = path.join(packed, fs.readdirSync(packed).find((name) => name.endsWith('.pb')));
  fails(['report', dump, `--diff=${packed}`, '-o', file, page], EXIT.USAGE, /is a file of the profile/);
  assert.deepEqual(fingerprint(packed), before);
});
