// A profile of more events than XProf shows one by one, the same bytes on every machine: threads with
// nested events, flows between them, counters, a device whose operations follow each other without a
// gap. `node trace_large.mjs FOLDER` writes it as a run for XProf.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const THREADS = 5, THREAD_EVENTS = 60000, OPERATIONS = 240000, SAMPLES = 30000;

function varint(n) {
  const bytes = [];
  while (n > 127) {
    bytes.push((n % 128) | 128);
    n = Math.floor(n / 128);
  }
  bytes.push(n);
  return bytes;
}
const number = (field, n) => [...varint(field * 8), ...varint(n)];
const bytes = (field, b) => [...varint(field * 8 + 2), ...varint(b.length), ...b];
const text = (field, t) => bytes(field, [...Buffer.from(t)]);
const stat = (id, n) => bytes(4, [...number(1, id), ...number(3, n)]);

/** Numbers that follow from a seed: 31 bits each, integers only. */
function random(seed) {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return state >>> 8;
  };
  return { upTo: (n) => next() % n, pick: (list) => list[next() % list.length] };
}

class Line {
  constructor(id, name) {
    this.events = [];
    this.head = [...number(1, id), ...text(2, name)];
  }

  add(metadata, start, duration, stats = []) {
    this.events.push({ start, duration, b: [...number(1, metadata), ...number(2, start), ...number(3, duration), ...stats] });
  }

  field() {
    this.events.sort((a, b) => a.start - b.start || b.duration - a.duration);
    const parts = [Buffer.from(this.head), ...this.events.map((event) => Buffer.from(bytes(4, event.b)))];
    const body = Buffer.concat(parts);
    return Buffer.concat([Buffer.from([26, ...varint(body.length)]), body]);
  }
}

function plane(id, name, lines, metadata, stats) {
  const table = (field, names) => names.flatMap((at, i) => bytes(field, [...number(1, i + 1), ...bytes(2, [...number(1, i + 1), ...text(2, at)])]));
  const body = Buffer.concat([Buffer.from([...number(1, id), ...text(2, name)]), ...lines.map((line) => line.field()),
    Buffer.from([...table(4, metadata), ...table(5, stats)])]);
  return Buffer.concat([Buffer.from([10, ...varint(body.length)]), body]);
}

function host() {
  const r = random(1), lines = [], spans = [0, 1, 1000, 100000, 1000000, 3000000];
  for (let t = 0; t < THREADS; t++) {
    const line = new Line(100 + t, `thread${t}`);
    for (let at = r.upTo(1000000), made = 0; made < THREAD_EVENTS; made += 2) {
      const length = 2 + r.pick(spans) + r.upTo(1000);
      const flow = r.upTo(8) === 0 ? stat(1, (1 + r.upTo(4000)) * 4 + 1 + r.upTo(3)) : [];
      line.add(1 + r.upTo(30), at, length, flow);
      line.add(1 + r.upTo(30), at + r.upTo(length), Math.floor(length / 3));
      at += length + r.pick(spans) + (r.upTo(2000) === 0 ? 2000000000 : 0);
    }
    lines.push(line);
  }
  const counters = new Line(200, '_counters_');
  for (let i = 0, at = 0; i < SAMPLES; i++) {
    counters.add(31 + r.upTo(3), at, 0, stat(2, i));
    at += 1000 + r.upTo(10000000);
  }
  lines.push(counters);
  const names = [...Array(30).keys()].map((i) => `call${i}`);
  return plane(1, '/host:CPU', lines, [...names, 'a', 'b', 'c'], ['flow', 'value']);
}

function device() {
  const r = random(2), ops = new Line(3, 'XLA Ops'), modules = new Line(2, 'XLA Modules'), copies = new Line(4, 'Async XLA Ops');
  for (let at = 5000000, made = 0; made < OPERATIONS;) {
    const begin = at, count = 3 + r.upTo(40);
    for (let i = 0; i < count; i++, made++) {
      const length = 1000 + r.upTo(r.pick([1000, 100000, 3000000]));
      ops.add(1 + r.upTo(40), at, length);
      if (r.upTo(16) === 0) copies.add(42, at, 3 * length, [...stat(1, (1 + made) * 4 + 3), ...stat(2, 1)]);
      at += length + r.pick([0, 0, 1, 1000, 50000]);
    }
    ops.add(41, begin, at - begin);
    modules.add(43, begin, at - begin);
    at += 1000 + r.upTo(20000000);
  }
  const names = [...Array(40).keys()].map((i) => `fusion.${i}`);
  return plane(2, '/device:TPU:0', [modules, ops, copies], [...names, 'while.1', 'copy-start', 'jit_f(7)'], ['flow', '_a']);
}

/** The bytes of the profile. */
export const largeProfile = () => Buffer.concat([host(), device()]);

/** Writes it into a log directory as run "large". */
export function writeLarge(logdir) {
  const dir = path.join(logdir, 'plugins/profile/large'), file = path.join(dir, 'host0.xplane.pb'), content = largeProfile();
  fs.mkdirSync(dir, { recursive: true });
  fs.writeFileSync(file, content);
  return content;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeLarge(process.argv[2]);
