// xprofd export --format=chrome against the Trace Event Format, event by event, by a strict reader of its own: Perfetto's trace
// processor brings no binary here (PyPI's `perfetto` fetches it when it runs). The reader is held against wrong files as well.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';

import { run, shared } from '../support/program.mjs';
import { EXIT, train } from './common.mjs';

const TIME = /^-?\d+\.\d{6}$/;
const isInt = (value) => Number.isSafeInteger(value);
const isText = (value) => typeof value === 'string';
const isTime = (value, raw) => typeof value === 'number' && TIME.test(raw);
const isLength = (value, raw) => isTime(value, raw) && value >= 0;
const isArgs = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);
const place = { pid: isInt, tid: isInt, ts: isTime, name: isText, cat: isText, args: isArgs };

/** Members of an event by phase: all of them, and no others. */
const MEMBERS = {
  X: { ...place, dur: isLength },
  b: { ...place, id: isText },
  e: { ...place, id: isText },
  s: { ...place, id: isText },
  f: { ...place, id: isText, bp: (value) => value === 'e' },
  C: { ...place },
};
const METADATA = {
  process_name: { thread: false, args: { name: isText } },
  process_sort_index: { thread: false, args: { sort_index: isInt } },
  thread_name: { thread: true, args: { name: isText } },
  thread_sort_index: { thread: true, args: { sort_index: isInt } },
};

/** Names of the members of an object as written, so that one given twice is seen; and the text of its numbers. */
function membersOf(line) {
  const names = [];
  const raw = {};
  let depth = 0;
  for (const token of line.matchAll(/"((?:[^"\\]|\\.)*)"(\s*:\s*(-?[\d.eE+-]+)?)?|[{}[\]]/g)) {
    if (token[0] === '{' || token[0] === '[') depth++;
    else if (token[0] === '}' || token[0] === ']') depth--;
    else if (token[2] !== undefined && depth === 1) {
      names.push(token[1]);
      if (token[3] !== undefined) raw[token[1]] = token[3];
    }
  }
  return { names, raw };
}

const same = (found, wanted, what) => assert.deepEqual([...found].sort(), [...wanted].sort(), what);

function checkEvent(line) {
  const event = JSON.parse(line);
  const { names, raw } = membersOf(line);
  if (event.ph === 'M') {
    const kind = METADATA[event.name];
    assert.ok(kind, `metadata ${event.name}`);
    same(names, ['ph', 'name', 'pid', ...(kind.thread ? ['tid'] : []), 'args'], line);
    assert.ok(isInt(event.pid) && (!kind.thread || isInt(event.tid)), line);
    same(Object.keys(event.args), Object.keys(kind.args), line);
    for (const [key, is] of Object.entries(kind.args)) assert.ok(is(event.args[key]), `${key}: ${line}`);
    return event;
  }
  const members = MEMBERS[event.ph];
  assert.ok(members, `phase ${event.ph}`);
  same(names, ['ph', ...Object.keys(members)], line);
  for (const [key, is] of Object.entries(members)) assert.ok(is(event[key], raw[key]), `${key}: ${line.slice(0, 300)}`);
  if (event.ph === 'C') {
    assert.ok(Object.keys(event.args).length > 0, line);
    for (const value of Object.values(event.args)) assert.equal(typeof value, 'number', line);
  }
  return event;
}

/** Ends of a kind by their identity: each once. */
function byId(events, key) {
  const out = new Map();
  for (const event of events) {
    assert.ok(!out.has(key(event)), `twice: ${key(event)}`);
    out.set(key(event), event);
  }
  return out;
}

function checkPairs(first, second, key, what) {
  const [a, b] = [byId(first, key), byId(second, key)];
  same(b.keys(), a.keys(), `${what}: both ends`);
  for (const [id, begin] of a) assert.ok(b.get(id).ts >= begin.ts, `${what} ${id} ends before it begins`);
}

/** Reads a whole export; throws at the first thing that the format does not allow. The events come back. */
export function strict(text) {
  const whole = JSON.parse(text);
  same(Object.keys(whole), ['displayTimeUnit', 'otherData', 'traceEvents'], 'members of the file');
  assert.equal(whole.displayTimeUnit, 'ns');
  const lines = text.split('\n').filter((line) => line.startsWith('{"ph"') || line.startsWith(',{"ph"'));
  assert.equal(lines.length, whole.traceEvents.length, 'one event a line');
  const events = lines.map((line) => checkEvent(line.replace(/^,|,$/g, '')));
  const of = (...phases) => events.filter((event) => phases.includes(event.ph));
  const thread = (event) => `${event.pid} ${event.tid}`;
  const named = byId(of('M').filter((event) => event.name === 'thread_name'), thread);
  const processes = byId(of('M').filter((event) => event.name === 'process_name'), (event) => event.pid);
  for (const event of events) assert.ok(processes.has(event.pid), `process ${event.pid} has no name`);
  for (const event of of('X', 'b', 'e', 's', 'f')) assert.ok(named.has(thread(event)), `thread ${thread(event)} has no name`);
  checkPairs(of('b'), of('e'), (event) => `${event.pid} ${event.cat} ${event.id} ${event.name}`, 'asynchronous');
  checkPairs(of('s'), of('f'), (event) => `${event.cat} ${event.id} ${event.name}`, 'flow');
  return events;
}

const exported = (...args) => {
  const done = run(['export', ...args, '--format=chrome']);
  assert.equal(done.code, EXIT.OK);
  return done.text;
};

for (const more of [[], ['--derived'], ['--no-args'], ['--from=1ms', '--to=2ms'], ['--rows=1']]) {
  test(`a run on the CPU, ${more.join(' ') || 'all of it'}: as the format wants it`, () => {
    const events = strict(exported(train, ...more));
    assert.ok(events.some((event) => event.ph === 'X'));
  });
}

const tpu = shared && path.join(shared, 'data/tpu-v6e-offload/logdir');
test('a real run of four chips: as the format wants it, every event, every picosecond', { skip: !tpu || !fs.existsSync(tpu) }, () => {
  const events = strict(exported(tpu));
  const begun = events.filter((event) => event.ph === 'X' || event.ph === 'b').length;
  // As an independent reader of the file counts them, without the internal ones (shared/oracle/trace/ref.py).
  assert.equal(begun, 25_817);
});

test('the reader refuses what the format does not allow', () => {
  const text = exported(train);
  const lines = text.split('\n');
  const at = (ph, more = '') => lines.findIndex((line) => line.includes(`"ph":"${ph}"`) && line.includes(more));
  const wrong = (index, from, to) => {
    assert.ok(lines[index].match(from), `nothing to change in ${lines[index].slice(0, 200)}`);
    return lines.map((line, k) => (k === index ? line.replace(from, to) : line)).join('\n'); // Node 18 has no Array.with
  };
  const cases = [
    ['a phase of no kind', wrong(at('X'), '"ph":"X"', '"ph":"Q"')],
    ['a time as text', wrong(at('X'), /"ts":(-?[\d.]+)/, '"ts":"$1"')],
    ['five decimals', wrong(at('X'), /("ts":-?\d+\.\d{5})\d/, '$1')],
    ['a negative duration', wrong(at('X'), /"dur":/, '"dur":-1')],
    ['no duration', wrong(at('X'), /"dur":[\d.]+,/, '')],
    ['a member twice', wrong(at('X'), /"pid":(\d+)/, '"pid":$1,"pid":$1')],
    ['a member of no kind', wrong(at('X'), /"pid":/, '"pdi":1,"pid":')],
    ['a thread without a name', wrong(at('M', 'thread_name'), '"tid":', '"tid":99')],
    ['a process without a name', wrong(at('M', 'process_name'), '"pid":', '"pid":99')],
    ['an asynchronous end that is missing', wrong(at('e'), /"id":"/, '"id":"9')],
    ['an arrow back in time', wrong(at('f'), /"ts":/, '"ts":-')],
    ['an arrow bound elsewhere', wrong(at('f'), '"bp":"e"', '"bp":"x"')],
  ];
  for (const [what, changed] of cases) assert.throws(() => strict(changed), assert.AssertionError, what);
  strict(text);
});
