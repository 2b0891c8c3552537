// What the tests of the command line share.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';

import { captured, putRun, run, source, temporary, testdata } from '../support/program.mjs';

/** enum xpd_exit as the header has it: {OK: 0, USAGE: 2, ...}. */
export const EXIT = Object.fromEntries(
  [...fs.readFileSync(path.join(source, 'include/xprofd/cli/exit_codes.h'), 'utf8')
    .matchAll(/XPD_EXIT_([A-Z]+)\s*=\s*(\d+)/g)].map((match) => [match[1], Number(match[2])]));

export const demo = path.join(testdata, 'tpu_padded_demo/logdir');
export const train = path.join(testdata, 'cpu_mlp_train/logdir');
export const layers = path.join(testdata, 'tpu_scan_layers/logdir');
export const dump = path.join(testdata, 'tpu_padded_oom/xla_dump');
export const demoFile = captured('tpu_padded_demo');

/** Runs the command with --json and checks what holds of every answer. Returns the parsed answer. */
export function json(args, expected = EXIT.OK) {
  const done = run([...args, '--json']);
  assert.equal(done.code, expected, `${args.join(' ')}: ${done.errors}`);
  const answer = JSON.parse(done.text);
  assert.equal(answer.schema, 1);
  assert.equal(answer.command, args[0]);
  assert.equal(answer.exit.code, done.code, 'the JSON and the process agree');
  assert.equal(answer.exit.word === 'ok', done.code === 0);
  if (done.code === 0) {
    assert.equal(done.errors, '');
  } else {
    assert.deepEqual(Object.keys(answer.error), ['code', 'message', 'where', 'offset']);
    assert.equal(answer.error.code, answer.exit.word);
    assert.ok(done.errors.startsWith(`xprofd ${args[0]}: `), done.errors);
    assert.ok(done.errors.includes(answer.error.message), 'stderr says the same');
  }
  return answer;
}

/** Runs the command; it must end with this code and say something that matches on stderr. */
export function fails(args, code, words) {
  const done = run(args);
  assert.equal(done.signal, null);
  assert.equal(done.code, code, `${args.join(' ')}: ${done.errors}`);
  assert.match(done.errors, words);
  assert.match(done.errors, /^xprofd/);
  return done;
}

/** Rows of RFC 4180 text, the first one being the names. */
export function csv(text) {
  const rows = [];
  let row = [], cell = '', quoted = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (quoted && c === '"' && text[i + 1] === '"') {
      cell += c;
      i++;
    } else if (c === '"') quoted = !quoted;
    else if (!quoted && (c === ',' || c === '\r')) {
      row.push(cell);
      cell = '';
    } else if (!quoted && c === '\n') {
      rows.push(row);
      row = [];
    } else cell += c;
  }
  const [names, ...rest] = rows;
  return rest.map((cells) => Object.fromEntries(names.map((name, i) => [name, cells[i]])));
}

export const sum = (list) => list.reduce((all, value) => all + Number(value), 0);

/** A folder with the page of a report, for --web-dir: the program may have been built without one. */
export function reportPage() {
  const web = temporary('page');
  fs.writeFileSync(path.join(web, 'report.html'), '<!doctype html><!--xprofd:file layout.1.js--><!--xprofd:answers-->end');
  fs.writeFileSync(path.join(web, 'layout.1.js'), 'worker');
  return web;
}

const element = (html, id) => {
  const found = new RegExp(`<script type="application/gzip" id="${id}">([A-Za-z0-9+/=]*)</script>`).exec(html);
  return found && zlib.gunzipSync(Buffer.from(found[1], 'base64')).toString('utf8');
};

/** The head of a report in one file, and its answers by route and query. */
export function openReport(html) {
  const head = JSON.parse(element(html, 'report-head'));
  const { n, route, query, block, line, kind } = head.answers;
  const blocks = [...new Set(block)].map((b) => element(html, `block-${b}`).split('\n'));
  const answers = new Map();
  for (let i = 0; i < n; i++) answers.set(`${route[i]}?${query[i]}`, { kind: kind[i], body: JSON.parse(blocks[block[i]][line[i]]) });
  return { head, answers };
}

/** The fields of a protocol buffer's message: [field, wire type, bytes with the tag, content]. */
function* fields(bytes) {
  for (let at = 0; at < bytes.length;) {
    const from = at;
    const varint = () => {
      let value = 0, scale = 1, byte;
      do {
        byte = bytes[at++];
        value += (byte & 127) * scale;
        scale *= 128;
      } while (byte & 128);
      return value;
    };
    const tag = varint(), type = tag % 8;
    let content = at;
    if (type === 2) {
      const size = varint();
      content = at;
      at += size;
    } else if (type === 0) varint();
    else at += type === 1 ? 8 : 4;
    yield [Math.floor(tag / 8), type, bytes.subarray(from, at), bytes.subarray(content, at)];
  }
}
const sized = (field, content) => {
  const varint = (n) => (n > 127 ? [(n % 128) | 128, ...varint(Math.floor(n / 128))] : [n]);
  return Buffer.concat([Buffer.from([field * 8 + 2, ...varint(content.length)]), content]);
};
const nameOf = (message) => {
  for (const [field, , , content] of fields(message)) if (field === 2) return content.toString();
  return '';
};

/** An .xplane.pb of a recording that began and ended at these picoseconds after its first event: others of the planes of this name are left out. */
export function recordedBetween(space, name, fromPs, toPs) {
  const number = (bytes) => bytes.reduce((value, byte, i) => value + (byte & 127) * 2 ** (7 * i), 0);
  const of = (message, wanted) => [...fields(message)].filter(([field]) => field === wanted).map(([, , , content]) => content);
  const baseOf = (line) => number(of(line, 3)[0] ?? []) * 1000;
  const startOf = (event) => number(of(event, 2)[0] ?? []);
  const lines = of(space, 1).flatMap((plane) => of(plane, 3));
  const first = Math.min(...lines.flatMap((line) => of(line, 4).map((event) => baseOf(line) + startOf(event))));
  const isKept = (at) => at - first >= fromPs && at - first < toPs;
  const line = (bytes) => Buffer.concat([...fields(bytes)].map(([field, , whole, content]) => (field === 4 && !isKept(baseOf(bytes) + startOf(content)) ? Buffer.alloc(0) : whole)));
  const plane = (bytes) => Buffer.concat([...fields(bytes)].map(([field, , whole, content]) => (field === 3 ? sized(3, line(content)) : whole)));
  return Buffer.concat([...fields(space)].map(([field, , whole, content]) => (field === 1 && name.test(nameOf(content)) ? sized(1, plane(content)) : whole)));
}

/** An .xplane.pb without the planes and the lines of these names; `zero`: what planes say with a fraction, such as peaks, becomes 0, and their texts, such as the type of a chip, name nothing known. */
export function rewritten(space, { planes = [], lines = [], zero = false }) {
  const stat = (bytes) => Buffer.concat([...fields(bytes)].map(([field, type, whole]) => (type === 1 ? Buffer.concat([whole.subarray(0, 1), Buffer.alloc(8)]) : field === 5 ? sized(5, Buffer.from('no known chip')) : whole)));
  const plane = (bytes) => Buffer.concat([...fields(bytes)].map(([field, , whole, content]) =>
    field === 3 && lines.includes(nameOf(content)) ? Buffer.alloc(0) : field === 6 && zero ? sized(6, stat(content)) : whole));
  return Buffer.concat([...fields(space)].map(([field, , whole, content]) =>
    field !== 1 ? whole : planes.includes(nameOf(content)) ? Buffer.alloc(0) : sized(1, plane(content))));
}

/** The run of testdata/tpu_run, two hosts, rewritten so. Returns the logdir. */
export function tpuRun(how) {
  const logdir = temporary('rewritten'), from = path.join(testdata, 'tpu_run/logdir/plugins/profile/train');
  for (const file of fs.readdirSync(from)) putRun(logdir, 'train', rewritten(fs.readFileSync(path.join(from, file)), how), file);
  return logdir;
}
