// One program, seen from its profile and from its dump: every page, route and command must tell the same capacity
// and the same verdict for both (docs/NUMBERS.md, "capacity"), and a dump of another program beside a profile must
// change nothing. Prints "n of n equal".
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { putRun, run as runProgram, Server, temporary, testdata, until } from '../support/program.mjs';

const OOM = path.join(testdata, 'tpu_padded_oom'), PROGRAM = 'module_0000.jit_padded_step.cl_1003875606.after_optimizations.hlo.pb';
const LIMIT = 16911433728; // "exceeds available HBM (15.75G)" of error.txt

const varint = (n) => { const out = []; for (; n > 127; n = Math.floor(n / 128)) out.push((n % 128) | 128); return Buffer.from([...out, n]); };
const number = (field, n) => Buffer.concat([varint(field * 8), varint(n)]);
const bytes = (field, content) => Buffer.concat([varint(field * 8 + 2), varint(Buffer.byteLength(content)), Buffer.from(content)]);
const message = (field, ...parts) => bytes(field, Buffer.concat(parts));

/** A profile that holds the program, and a chip if it is to have one. */
function profile(proto, chip) {
  const stat = (id, name) => message(5, number(1, id), message(2, number(1, id), bytes(2, name)));
  const programs = message(1, bytes(2, '/host:metadata'),
    message(4, number(1, 77), message(2, number(1, 77), bytes(2, 'jit_padded_step(77)'), message(5, number(1, 5), bytes(6, proto)))), stat(5, 'Hlo Proto'));
  const device = message(1, number(1, 1), bytes(2, '/device:TPU:0'), stat(1, 'device_type_string'),
    message(6, number(1, 1), bytes(5, chip ?? '')));
  return chip ? Buffer.concat([programs, device]) : programs;
}

function putDump(folder, error) {
  fs.mkdirSync(path.join(folder, 'xla_dump'), { recursive: true });
  fs.copyFileSync(path.join(OOM, 'xla_dump', PROGRAM), path.join(folder, 'xla_dump', PROGRAM));
  if (error) fs.copyFileSync(path.join(OOM, 'error.txt'), path.join(folder, 'error.txt'));
}

/** An HloProto without its buffer assignment: its first field, the module. */
function bare(proto_) {
  let size = 0, at = 1, shift = 1;
  for (; ; at++, shift *= 128) {
    size += (proto_[at] & 127) * shift;
    if (proto_[at] < 128) break;
  }
  assert.equal(proto_[0], 10);
  return proto_.subarray(0, at + 1 + size);
}

let equal = 0, compared = 0;
function same(where, got, wanted) {
  compared++;
  if (JSON.stringify(got) === JSON.stringify(wanted)) equal++;
  else console.log(`${where}: ${JSON.stringify(got)}, and not ${JSON.stringify(wanted)}`);
}

/** What each route and command says of a run: [capacity, peak], as far as it says both. */
async function verdicts(server, root, run) {
  const ask = async (route, more = {}) => {
    const { status, json, text } = await server.api(route, { run, ...more });
    assert.equal(status, 200, `${route}: ${text.slice(0, 300)}`);
    return json;
  };
  const said = {}, [card, summary, doctor] = [await ask('card'), await ask('memory/summary'), await ask('doctor')];
  const [modules, compare, info] = [await ask('modules'), await ask('compare', { base_run: run }), await ask('run')];
  const line = (text) => {
    const [, number = '0', unit] = /^ +capacity +([\d,.]+) ([MG])iB/m.exec(text) ?? [];
    return Math.round(Number(number.replaceAll(',', '')) * (unit === 'G' ? 1024 : 1));
  };
  const command = (...args) => runProgram([args[0], root, `--run=${run}`, ...args.slice(1)]);
  said.card = [card.capacity_bytes, card.peak_bytes];
  said.summary = [summary.capacity_bytes, summary.peak.held_bytes];
  said.doctor = [doctor.capacity_bytes, doctor.peak_bytes];
  said.modules = [modules.capacity_bytes, modules.peak_bytes[0]];
  said.before = [compare.before.capacity_bytes, compare.before.peak_bytes];
  said.after = [compare.after.capacity_bytes, compare.after.peak_bytes];
  said.run = [info.capacity_bytes, card.peak_bytes];
  const json = JSON.parse(command('doctor', '--json').text).doctor;
  said['xprofd doctor --json'] = [json.capacity_bytes, json.peak_bytes];
  const sarif = JSON.parse(command('doctor', '--sarif=-').text).runs[0].results ?? [];
  const fits = { headroom: summary.headroom_bytes, d01: doctor.findings.filter((f) => f.id === 'D01').map((f) => f.claim),
    sarif: sarif.filter((r) => r.ruleId === 'D01').map((r) => r.message.text.split('\n')[0]).length,
    text: command('doctor').text.split('\n').filter((l) => /^ *error +D01/.test(l)).length,
    memory: line(command('memory', '--top=0').text), reasons: doctor.findings.map((f) => f.id) };
  const from = [card, summary, doctor, modules, info, compare.before, compare.after].map((one) => one.capacity_from);
  const why = [card, summary, doctor, modules, info, compare.before, compare.after].map((one) => one.capacity_unknown);
  return { said, fits, from, why, card };
}

async function check(server, root, run, capacity, from) {
  const v = await verdicts(server, root, run);
  for (const [who, [bytes_]] of Object.entries(v.said)) same(`${run}: capacity in ${who}`, bytes_, capacity);
  for (const [who, [, peak]] of Object.entries(v.said)) same(`${run}: peak in ${who}`, peak, v.said.card[1]);
  for (const one of v.from) same(`${run}: where from`, one !== null && from.test(one), capacity !== null);
  for (const one of v.why) same(`${run}: why not`, typeof one === 'string' && one.length > 20, capacity === null);
  const over = capacity !== null && v.said.card[1] > capacity ? 1 : 0;
  same(`${run}: headroom`, v.fits.headroom, capacity === null ? null : capacity - v.said.card[1]);
  same(`${run}: D01, D01 of the command, of SARIF`, [v.fits.d01.length, v.fits.text, v.fits.sarif], [over, over, over]);
  same(`${run}: xprofd memory`, v.fits.memory, Math.round((capacity ?? 0) / 2 ** 20));
  return v;
}

const root = temporary('verdict'), proto = fs.readFileSync(path.join(OOM, 'xla_dump', PROGRAM));
const put = (name, ...of) => putRun(path.join(root, name, 'logdir'), 'aot', profile(...of));
put('plain', proto); // the profile says no chip, the dump has the compiler's message
putDump(path.join(root, 'plain/xla'), true);
put('chip', proto, 'TPU v5p'); // the profile says its chip, the dump has no message
putDump(path.join(root, 'chip/xla'), false);
put('both', proto, 'TPU v5p'); // the message outranks the table
putDump(path.join(root, 'both/xla'), true);
put('none', proto); // unknown
putDump(path.join(root, 'none/xla'), false);
const demo = path.join(testdata, 'tpu_padded_demo/logdir/plugins/profile/aot/host0.xplane.pb');
putRun(path.join(root, 'strange/logdir'), 'aot', fs.readFileSync(demo)); // a program of the same name
putDump(path.join(root, 'strange/xla'), true);

put('bare', proto); // a dump with unknown memory: its instructions decide
putDump(path.join(root, 'bare/xla'), false);
fs.writeFileSync(path.join(root, 'bare/xla/xla_dump', PROGRAM), bare(proto));

const server = await Server.start(root);
try {
  const { json: runs } = await server.api('runs');
  assert.equal(runs.id.length, 12);
  for (const [name, capacity, from] of [['plain', LIMIT, /error text/], ['chip', 95 * 2 ** 30, /TPU v5p/], ['both', LIMIT, /error text/], ['none', null, /^$/]]) {
    const profile_ = await check(server, root, `${name}/logdir/aot`, capacity, from);
    const dump = await check(server, root, `${name}/xla/xla_dump`, capacity, from);
    same(`${name}: verdict of both`, dump.fits.d01, profile_.fits.d01);
    same(`${name}: findings of both`, dump.fits.reasons, profile_.fits.reasons);
    same(`${name}: one program`, [profile_.card.same_program, dump.card.same_program], [null, true]);
  }
  await check(server, root, 'strange/logdir/aot', null, /^$/);
  const dump = await check(server, root, 'strange/xla/xla_dump', LIMIT, /error text/);
  same('strange: two programs', dump.card.same_program, false);

  const { json: without } = await server.api('card', { run: 'bare/xla/xla_dump' });
  same('bare: one program, its peak unknown', [without.same_program, without.peak_bytes], [true, null]);

  // The message arrives while it is served: once the list of runs has it, the profile's answers follow.
  fs.copyFileSync(path.join(OOM, 'error.txt'), path.join(root, 'none/xla/error.txt'));
  const later = await until(async () => {
    await server.api('runs');
    return server.api('memory/summary', { run: 'none/logdir/aot' });
  }, (answer) => answer.json.capacity_bytes !== null, 'the message is seen');
  same('a message that came later', later.json.capacity_bytes, LIMIT);
} finally {
  await server.stop();
}
console.log(`${equal} of ${compared} equal`);
process.exit(equal === compared && compared > 200 ? 0 : 1);
