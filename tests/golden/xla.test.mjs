// XLA's own files against /api/v1/memory/summary: compiled.memory_analysis(), the buffer assignment
// as text, the memory usage report. Every number is compared exactly, for our captures in testdata/
// and, where it is there, for all of XPD_SHARED/data.
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';

import { Server, shared, testdata } from '../support/program.mjs';

let checked = 0;
const problems = [];

function same(what, ours, theirs) {
  checked++;
  if (ours !== theirs) problems.push(`${what}: ours ${ours}, XLA ${theirs}`);
}

const read = (file) => {
  const bytes = fs.readFileSync(file);
  return (file.endsWith('.gz') ? zlib.gunzipSync(bytes) : bytes).toString('utf8');
};

// ---- XLA's files ----

/** {color: {argument, output, alias, constant, threadLocal, temp}} of *.buffer-assignment.txt. */
function readAssignment(text) {
  const spaces = {};
  for (const line of text.split('\n')) {
    const allocation = /^allocation \d+: size (\d+), (.*):$/.exec(line);
    if (!allocation) continue;
    const [, size, words] = allocation, bytes = Number(size);
    const color = Number(/color (\d+),/.exec(words)?.[1] ?? 0);
    const space = spaces[color] ??= {
      argument: 0, output: 0, alias: 0, constant: 0, threadLocal: 0, temp: 0,
    };
    const parameter = /\bparameter \d+/.test(words), liveOut = words.includes('maybe-live-out');
    if (words.includes('thread-local')) space.threadLocal += bytes;
    else if (parameter) space.argument += bytes;
    else if (liveOut) space.output += bytes;
    else if (/\bconstant\b/.test(words)) space.constant += bytes;
    else space.temp += bytes;
    if (parameter && liveOut) space.alias += bytes;
  }
  return spaces;
}

/** {color: total bytes} of *.memory-usage-report.txt. */
function readReport(text) {
  const totals = {};
  for (const space of text.matchAll(/^Memory Space: .*\(color=(\d+)\)\nTotal bytes: (\d+)/gm))
    totals[space[1]] = Number(space[2]);
  return totals;
}

// ---- comparing ----

/** The summaries of all spaces of a module, by colour. */
async function summaries(server, run, module) {
  const ask = async (more) =>
    (await server.api('memory/summary', { run, module, ...more })).json;
  const first = await ask({});
  const all = {};
  for (const { color } of first.spaces ?? []) all[color] = await ask({ space: color });
  return all;
}

function compareAssignment(what, ours, spaces) {
  for (const [color, theirs] of Object.entries(spaces)) {
    const space = ours[color], where = `${what} space ${color}`;
    const sum = Object.entries(theirs).reduce((all, [key, n]) => all + (key === 'alias' ? 0 : n), 0);
    if (!space) {
      same(`${where} is missing`, 0, sum);
      continue;
    }
    const { split } = space;
    same(`${where} argument`, split.argument_bytes, theirs.argument);
    same(`${where} output`, split.output_bytes, theirs.output);
    same(`${where} alias`, split.alias_bytes, theirs.alias);
    same(`${where} constant`, split.constant_bytes, theirs.constant);
    same(`${where} thread local`, split.thread_local_bytes, theirs.threadLocal);
    same(`${where} heap`, space.heap_bytes, theirs.temp);
    same(`${where} resident`, space.resident_bytes, theirs.argument + theirs.output + theirs.constant);
    same(`${where} reserved`, space.reserved_bytes, space.resident_bytes + theirs.temp);
    same(`${where} peak`, space.peak.held_bytes, space.resident_bytes + (split.temp_bytes ?? 0));
    same(`${where} fragmentation`, split.fragmentation_bytes,
      space.steps || !theirs.temp ? theirs.temp - split.temp_bytes : null);
  }
}

function compareReport(what, ours, totals) {
  for (const [color, total] of Object.entries(totals))
    same(`${what} space ${color} total`, ours[color]?.xla_report.total_bytes ?? 0, total);
}

const JAX = {
  argument_bytes: 'argument_size_in_bytes', output_bytes: 'output_size_in_bytes',
  alias_bytes: 'alias_size_in_bytes', temp_bytes: 'temp_size_in_bytes',
  peak_bytes: 'peak_memory_in_bytes', host_argument_bytes: 'host_argument_size_in_bytes',
  host_output_bytes: 'host_output_size_in_bytes', host_alias_bytes: 'host_alias_size_in_bytes',
  host_temp_bytes: 'host_temp_size_in_bytes',
};

function compareJax(what, ours, analysis) {
  const { jax } = Object.values(ours)[0];
  for (const [key, theirs] of Object.entries(JAX)) same(`${what} ${key}`, jax[key], analysis[theirs]);
}

/** The texts that XLA left about a module, in the order of their files. */
function texts(dir) {
  const found = {};
  if (!fs.existsSync(dir)) return found;
  for (const file of fs.readdirSync(dir).sort()) {
    const dumped = /^module_\d+\.(.*)\.cl_\d+\.after_optimizations-(buffer-assignment|memory-usage-report)\.txt$/
      .exec(file);
    const kept = /^(.*)\.(buffer-assignment|memory-usage-report)\.txt(\.gz)?$/.exec(file);
    const match = dumped ?? kept;
    if (match) (found[match[1]] ??= {})[match[2]] = path.join(dir, file);
  }
  return found;
}

/** The module whose allocations are those of the text; several may have one name. */
async function findModule(server, run, keys, name, files) {
  const plain = name.replace(/_\d{4}$/, ''); // extracted_0003: the dump's number
  const candidates = keys.filter((key) => key.startsWith(`${plain}(`) || key.includes(`.${plain}.`));
  const spaces = Object.entries(readAssignment(read(files['buffer-assignment'])));
  for (const key of candidates) {
    const ours = await summaries(server, run, key);
    const equal = spaces.every(([color, theirs]) =>
      (ours[color]?.heap_bytes ?? 0) === theirs.temp
      && (ours[color]?.resident_bytes ?? 0) === theirs.argument + theirs.output + theirs.constant);
    if (equal || candidates.length === 1) return ours;
  }
  problems.push(`${name}: no module of the run has its allocations`);
  return null;
}

/** One data set: `logdir` is what is opened, the others are XLA's word about it. */
async function compareSet(what, logdir, xla, analyses, aot) {
  const server = await Server.start(logdir);
  try {
    const runs = (await server.api('runs')).json;
    const run = runs.id[0];
    const keys = (await server.api('run', { run })).json.modules.key;
    const named = texts(xla);
    for (const [name, files] of Object.entries(named)) {
      const ours = await findModule(server, run, keys, name, files);
      if (!ours) continue;
      compareAssignment(`${what} ${name}`, ours, readAssignment(read(files['buffer-assignment'])));
      if (files['memory-usage-report'])
        compareReport(`${what} ${name}`, ours, readReport(read(files['memory-usage-report'])));
      if (aot?.memory_analysis && name.startsWith('jit_'))
        compareJax(`${what} ${name}`, ours, aot.memory_analysis);
    }
    // NAME#2 is the second module of that name, in the order of program ids
    for (const [name, analysis] of Object.entries(analyses ?? {})) {
      const [plain, number = '1'] = name.split('#');
      const id = (key) => BigInt(/\((\d+)\)$/.exec(key)[1]);
      const key = keys.filter((one) => one.startsWith(`${plain}(`))
        .sort((a, b) => (id(a) < id(b) ? -1 : 1))[Number(number) - 1];
      if (!key) problems.push(`${what} ${name}: no such module`);
      else compareJax(`${what} ${name}`, await summaries(server, run, key), analysis);
    }
  } finally {
    await server.stop();
  }
}

/** A folder with one program, and what JAX said of it unless it did not fit. */
async function compareLone(what, dir) {
  const { memory_analysis: analysis } = json(path.join(dir, 'aot.json'));
  const server = await Server.start(dir);
  try {
    const run = (await server.api('runs')).json.id[0];
    const keys = (await server.api('run', { run })).json.modules.key;
    same(`${what} programs`, keys.length, 1);
    if (analysis) compareJax(what, await summaries(server, run, keys[0]), analysis);
  } finally {
    await server.stop();
  }
}

const json = (file) => (fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : null);

for (const name of fs.readdirSync(testdata).sort()) {
  const dir = path.join(testdata, name), dump = path.join(dir, 'xla_dump');
  if (!fs.statSync(dir).isDirectory()) continue;
  const isDump = fs.existsSync(dump);
  if (!isDump && !fs.existsSync(path.join(dir, 'logdir'))) {
    for (const one of fs.readdirSync(dir).sort())
      if (fs.existsSync(path.join(dir, one, 'aot.json'))) await compareLone(`${name}/${one}`, path.join(dir, one));
    continue;
  }
  await compareSet(name, isDump ? dump : path.join(dir, 'logdir'), isDump ? dump : path.join(dir, 'xla'),
    json(path.join(dir, 'memory_analysis.json')), json(path.join(dir, 'aot.json')));
}
const own = checked;
let sets = 0;
for (const name of shared ? fs.readdirSync(path.join(shared, 'data')).sort() : []) {
  const dir = path.join(shared, 'data', name), xla = path.join(dir, 'xla');
  if (!fs.existsSync(xla)) continue;
  sets++;
  await compareSet(`shared ${name}`, path.join(dir, 'logdir'), xla,
    json(path.join(xla, 'memory_analysis.json')), json(path.join(xla, 'aot.json')));
  if (fs.existsSync(path.join(xla, 'xla_dump')))
    await compareSet(`shared ${name} dump`, path.join(xla, 'xla_dump'), path.join(xla, 'xla_dump'), null, null);
}
for (const problem of problems) console.log(problem);
console.log(`${checked - problems.length} of ${checked} equal (${own} numbers about testdata, `
  + `${checked - own} about ${sets} shared data sets)`);
process.exit(problems.length === 0 && own > 0 ? 0 : 1);
