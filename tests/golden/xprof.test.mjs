// XProf's recorded answers against ours: every memory_viewer answer of every module and memory
// space, every trace_viewer@ answer (windows, searches, single events with their arguments), the old
// trace_viewer, /runs and /module_list. Prints "n of n equal". Skipped (77) without XPD_SHARED.
//
// What carries no meaning is left out, as in the oracle's parity.py: the order among equal sizes,
// the order of hash maps, block colours, the DOT timeline, ids of flows, windows that mean nothing.
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';

import { forAll, Server, shared } from '../support/program.mjs';
import { canonical, difference, memory } from './answers.mjs';

if (!shared) {
  console.log('skipped: XPD_SHARED names no folder with recorded answers');
  process.exit(77);
}

// ---- comparing ----

/** How often each text occurs. */
function counted(texts) {
  const counts = {};
  for (const text of texts) counts[text] = (counts[text] ?? 0) + 1;
  return counts;
}

const ps = (us) => Math.round((us ?? 0) * 1e6);

/** Every event with its process, its row, its time to the picosecond and its group. */
function trace(text) {
  const answer = JSON.parse(text), process = {}, thread = {};
  for (const { ph, name, pid, tid, args } of answer.traceEvents) {
    if (ph === 'M' && name === 'process_name') process[pid] = args.name;
    if (ph === 'M' && name === 'thread_name') thread[`${pid} ${tid}`] = args.name;
  }
  const events = answer.traceEvents.filter((event) => event.ph && event.ph !== 'M')
    .map((event) => JSON.stringify([process[event.pid], thread[`${event.pid} ${event.tid}`], event.name,
      event.ph, ps(event.ts), ps(event.dur), event.args?.group_id, event.z, event.cat ?? '',
      !!event.flow_in, !!event.flow_out, event.entries?.length]));
  return {
    events: counted(events), rows: counted([...Object.values(process), ...Object.values(thread)]),
    size: answer.returnedEventsSize, span: answer.fullTimespan, details: answer.details,
  };
}

/** Events with their arguments; a stack frame by its text. */
function details(text) {
  const answer = JSON.parse(text);
  return counted(answer.traceEvents.filter((event) => event.ph && event.ph !== 'M')
    .map((event) => JSON.stringify([event.name, ps(event.ts), ps(event.dur), event.pid, event.tid,
      canonical(event.args ?? {}), answer.stackFrames?.[event.sf]?.name])));
}

/** The older viewer: arguments are texts; the ids of flows are left out. */
function oldTrace(text) {
  const events = JSON.parse(text).traceEvents.filter((event) => event.ph && event.ph !== 'M')
    .map(({ args: { flow, ...args } = {}, ...event }) => canonical({
      ...event, ts: ps(event.ts), dur: ps(event.dur), args,
    }));
  return counted(events);
}

/** A window that is reversed, empty, or begins before the trace or behind it: XProf's accidents. */
function isOdd(file, query) {
  const from = Number(query.get('start_time_ms') ?? 0), to = Number(query.get('end_time_ms') ?? Infinity);
  return from < 0 || to <= from || file.includes('past_end');
}

function traceComparison(file, query) {
  if (query.get('tag') === 'trace_viewer') return oldTrace;
  if (query.get('tag') !== 'trace_viewer@' || query.get('format') === 'pb') return null;
  if (query.has('event_name') || query.get('search_metadata') === 'true') return details;
  return query.has('search_prefix') || !isOdd(file, query) ? trace : null;
}

const list = (text) => (/^[[{]/.test(text) ? JSON.parse(text) : text.split(',')).sort();

/** How the answer to this request is compared, or null when it is not. */
function comparison(recorded) {
  const url = new URL(recorded.url, 'http://x'), what = url.pathname.split('/').pop();
  if (recorded.status !== 200 || !recorded.file) return null;
  if (what === 'data' && url.searchParams.get('tag').startsWith('trace_viewer'))
    return traceComparison(recorded.file, url.searchParams);
  if (what === 'data')
    return url.searchParams.get('tag') === 'memory_viewer'
      && !url.searchParams.has('view_memory_allocation_timeline') ? memory : null;
  return (what === 'runs' || what === 'module_list') && recorded.size > 0 ? list : null;
}

function readRecorded(dir, file) {
  const bytes = fs.readFileSync(path.join(dir, file));
  return (file.endsWith('.gz') ? zlib.gunzipSync(bytes) : bytes).toString('utf8');
}

async function compareSet(name) {
  const dir = path.join(shared, 'data', name, 'xprof');
  const index = JSON.parse(fs.readFileSync(path.join(dir, 'index.json'), 'utf8'));
  const wanted = index.answers.map((answer) => [answer, comparison(answer)]).filter((pair) => pair[1]);
  const server = await Server.start(path.join(shared, 'data', name, 'logdir'));
  const result = { memory: 0, trace: 0, lists: 0, equal: 0, problems: [] };
  try {
    await forAll(wanted, 3, async ([recorded, normal]) => {
      result[normal === memory ? 'memory' : normal === list ? 'lists' : 'trace']++;
      const answer = await server.get(recorded.url);
      const problem = answer.status === 200
        ? difference(normal(readRecorded(dir, recorded.file)), normal(answer.text))
        : `HTTP ${answer.status} ${answer.text.slice(0, 100)}`;
      if (problem) result.problems.push(`${name}/${recorded.file}: ${problem}`);
      else result.equal++;
    });
  } finally {
    await server.stop();
  }
  return result;
}

const sets = fs.readdirSync(path.join(shared, 'data')).sort()
  .filter((name) => fs.existsSync(path.join(shared, 'data', name, 'xprof/index.json')));
const total = { memory: 0, trace: 0, lists: 0, equal: 0 };
const problems = [];
await forAll(sets, 2, async (name) => {
  const result = await compareSet(name);
  for (const key of Object.keys(total)) total[key] += result[key];
  problems.push(...result.problems);
});
for (const problem of problems.sort()) console.log(problem);
const all = total.memory + total.trace + total.lists;
console.log(`${total.equal} of ${all} equal (${sets.length} data sets, ${total.memory} memory_viewer answers, `
  + `${total.trace} trace_viewer answers, ${total.lists} lists)`);
process.exit(total.equal === all && total.memory > 0 ? 0 : 1);
