// One contract for the numbers of memory (docs/NUMBERS.md, "Memory"): every route and command is asked for
// the same quantity, and must say the same. On testdata/ and, where it is there, on all of XPD_SHARED/data.
// Prints "n of n equal".
import path from 'node:path';

import { run as runProgram, Server, shared, testdata } from '../support/program.mjs';

let equal = 0, compared = 0;
function same(where, quantity, said) {
  const [first] = Object.entries(said);
  for (const [who, value] of Object.entries(said).slice(1)) {
    compared++;
    if (value === first[1]) equal++;
    else console.log(`${where}: ${quantity} is ${first[1]} in ${first[0]}, ${value} in ${who}`);
  }
}

const row = (details, id) => details.rows.find((one) => one.id === id)?.peak_bytes ?? 0;
/** null + n = null: what is unknown stays unknown. */
const plus = (...parts) => (parts.includes(null) ? null : parts.reduce((all, part) => all + part, 0));

/** The columns of a table of the server as one object a row. */
const rows = ({ n, ...columns }) => Array.from({ length: n }, (_, i) =>
  Object.fromEntries(Object.entries(columns).filter(([, c]) => Array.isArray(c)).map(([key, c]) => [key, c[i]])));

async function compareSpace(server, at, key, space) {
  const where = `${at.run} ${key} ${space.name}`, subject = { run: at.run, module: key, space: space.color };
  const ask = async (route, more) => {
    const { status, json } = await server.api(route, { ...subject, ...more });
    if (status !== 200) throw new Error(`${where}: ${route} answers ${status}: ${JSON.stringify(json)}`);
    return json;
  };
  const s = await ask('memory/summary'), own = s.spaces.find(({ color }) => color === space.color);
  const [details, areas, heap, twin] = [await ask('report/details', { px: 0 }), await ask('report/areas', { px: 0 }),
    await ask('report/heap'), await ask('compare', { base_run: at.run, base_module: key })];
  const { before, after } = twin;
  same(where, 'reserved', { viewer: s.reserved_bytes, spaces: own.reserved_bytes, modules: space.reserved_bytes,
    report: row(details, 'reserved'), areas: areas.reserved_bytes, before: before.reserved_bytes, after: after.reserved_bytes,
    'resident and heap': s.resident_bytes + s.heap_bytes });
  same(where, 'live at the peak', { viewer: s.peak.held_bytes, spaces: own.peak_bytes, modules: space.peak_bytes,
    report: row(details, 'live'), areas: areas.peak_bytes, before: before.peak_bytes, after: after.peak_bytes });
  same(where, 'heap', { viewer: s.heap_bytes, spaces: own.heap_bytes, modules: space.heap_bytes,
    report: details.heap_bytes, map: heap.heap_bytes, before: before.heap_bytes });
  same(where, 'fragmentation', { viewer: s.split.fragmentation_bytes, spaces: own.fragmentation_bytes,
    modules: space.fragmentation_bytes, before: before.fragmentation_bytes, after: after.fragmentation_bytes });
  same(where, 'temporaries', { viewer: s.split.temp_bytes, spaces: own.temp_bytes, modules: space.temp_bytes });
  same(where, 'thread local', { viewer: s.split.thread_local_bytes, spaces: own.thread_local_bytes,
    modules: space.thread_local_bytes, report: row(details, 'thread_local') });
  same(where, 'holes', { report: row(details, 'holes'), map: heap.holes_bytes });
  if (s.split.fragmentation_bytes !== null) {
    same(where, 'reserved', { viewer: s.reserved_bytes, sum: s.peak.held_bytes + s.split.fragmentation_bytes });
    same(where, 'fragmentation', { viewer: s.split.fragmentation_bytes, report: row(details, 'fragmentation'),
      map: heap.holes_bytes + heap.above_bytes + heap.idle_bytes, 'heap less live': s.heap_bytes - heap.live_bytes });
    same(where, 'temporaries', { viewer: s.split.temp_bytes, report: row(details, 'temporaries'), map: heap.live_bytes });
  } else same(where, 'heap events without which nothing is known', { events: s.steps === 0 && s.heap_bytes > 0, needed: true });
  same(where, 'peak', { viewer: s.peak.held_bytes,
    classes: plus(s.split.argument_bytes, s.split.output_bytes, s.split.constant_bytes, s.split.temp_bytes ?? 0) });
  return s;
}

/** What the findings of the open space say of the same quantities. */
async function compareDoctor(server, at, key, s) {
  const { json } = await server.api('doctor', { run: at.run, module: key });
  for (const finding of json.findings ?? []) {
    const said = Object.fromEntries(finding.numbers.map(({ name, value }) => [name, value]));
    const where = `${at.run} ${key} ${finding.id}`;
    if (finding.id === 'D05') {
      same(where, 'fragmentation', { viewer: s.split.fragmentation_bytes, doctor: said.fragmentation_bytes });
      same(where, 'temporaries', { viewer: s.split.temp_bytes, doctor: said.live_bytes });
      same(where, 'heap', { viewer: s.heap_bytes, doctor: said.heap_bytes });
    }
    if (finding.id === 'D01')
      same(where, 'peak and reserved', { viewer: s.peak.held_bytes + s.reserved_bytes, doctor: said.peak_bytes + said.reserved_bytes });
  }
}

const UNITS = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };
/** A size as the command line writes it, for what it must stand for: its own rounding is allowed. */
function reads(text, bytes) {
  const [, number, unit] = /([\d,.]+) (B|KiB|MiB|GiB)$/.exec(text?.trim() ?? '') ?? [];
  if (number === undefined) return text?.trim() === 'unknown' && bytes === null;
  const said = Number(number.replace(/,/g, ''));
  const half = unit === 'B' ? 0 : 0.5 / 10 ** (number.split('.')[1]?.length ?? 0);
  return bytes !== null && Math.abs(said - bytes / UNITS[unit]) <= half * 1.0001 && (said !== 0) === (bytes !== 0);
}

/** The text of `xprofd memory` and `xprofd modules` of the program that a run opens with. */
function compareCommands(at, folder, s, key) {
  const memory = runProgram(['memory', folder, `--run=${at.run}`, `--module=${key}`, '--top=0']).text;
  const section = memory.split('\n\n').find((part) => part.includes(`(memory space ${s.space.color})`)) ?? '';
  const line = (word) => new RegExp(`^  ${word} +([\\d,.]+ \\w+|unknown)`, 'm').exec(section)?.[1];
  const wanted = { peak: s.peak.held_bytes, reserved: s.reserved_bytes, temporaries: s.split.temp_bytes,
    fragmentation: s.split.fragmentation_bytes, arguments: s.split.argument_bytes };
  for (const [word, bytes] of Object.entries(wanted))
    same(`${at.run} ${key}`, `${word}, ${bytes} as "${line(word)}"`, { wanted: true, 'xprofd memory': reads(line(word), bytes) });
  const list = runProgram(['modules', folder, `--run=${at.run}`]).text.split('\n').find((one) => one.includes(`  ${key}`)) ?? '';
  const cells = [...list.matchAll(/([\d,.]+ (?:B|KiB|MiB|GiB)|unknown)/g)].map((m) => m[1]);
  for (const [i, word] of ['peak', 'arguments', 'temporaries', 'fragmentation'].entries())
    same(`${at.run} ${key}`, `${word}, ${wanted[word]} as "${cells[i]}"`, { wanted: true, 'xprofd modules': reads(cells[i], wanted[word]) });
}

async function compareRun(server, folder, at) {
  const modules = (await server.api('modules', { run: at.run })).json;
  const table = rows(modules), card = (await server.api('card', { run: at.run })).json;
  for (const space of modules.spaces ? rows(modules.spaces) : []) {
    const of = table[space.module], s = await compareSpace(server, at, of.key, space);
    if (of.peak_space !== space.color) continue;
    same(`${at.run} ${of.key}`, 'of the main space', { modules: [of.peak_bytes, of.heap_bytes, of.temp_bytes, of.fragmentation_bytes].join(),
      viewer: [s.peak.held_bytes, s.heap_bytes, s.split.temp_bytes, s.split.fragmentation_bytes].join() });
    await compareDoctor(server, at, of.key, s);
    if (of.key !== card.module || card.peak_space !== space.color) continue;
    const { padding, ...split } = s.split;
    for (const [name, bytes] of Object.entries(split)) same(at.run, name, { viewer: bytes, card: card.split[name] });
    compareCommands(at, folder, s, of.key);
  }
}

for (const folder of [testdata, ...(shared ? [path.join(shared, 'data')] : [])]) {
  const server = await Server.start(folder);
  try {
    for (const run of (await server.api('runs')).json.id) await compareRun(server, folder, { run });
  } finally {
    await server.stop();
  }
}
console.log(`${equal} of ${compared} equal`);
process.exit(equal === compared && compared > 500 ? 0 : 1);
