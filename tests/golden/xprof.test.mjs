// XProf's recorded answers against ours: every memory_viewer answer of every module and memory
// space, every trace_viewer@ answer (windows, searches, single events with their arguments), the old
// trace_viewer, /runs and /module_list. Prints "n of n equal".
//
// What carries no meaning is left out, as in the oracle's parity.py: the order among equal sizes,
// the order of hash maps, block colours, the DOT timeline, ids of flows, windows that mean nothing.
import { canonical, difference, memory } from './answers.mjs';
import { compareAll } from './recorded.mjs';

// ---- comparing ----

/** How often each text occurs. */
function counted(texts) {
  const counts = new Map(); // keys of an object would be looked up in a table of all texts: twice the time
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
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
    .map((event) => [process[event.pid], thread[`${event.pid} ${event.tid}`], event.name,
      event.ph, ps(event.ts), ps(event.dur), event.args?.group_id, event.z, event.cat,
      !!event.flow_in, !!event.flow_out, event.entries?.length].join('\t'));
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
function comparison({ url, status, name }) {
  const at = new URL(url, 'http://x'), what = at.pathname.split('/').pop(), tag = at.searchParams.get('tag');
  if (status !== 200) return null;
  if (what === 'data' && tag.startsWith('trace_viewer')) return traceComparison(name, at.searchParams);
  if (what === 'data') return tag === 'memory_viewer' && !at.searchParams.has('view_memory_allocation_timeline') ? memory : null;
  return what === 'runs' || what === 'module_list' ? list : null;
}

/** An answer of nothing is XProf's for a file that it could not read. */
const kindOf = (answer) => {
  const kind = comparison(answer);
  return kind === list && answer.text() === '' ? null : kind;
};

const ROUTES = [[memory, 'memory_viewer answers'], [trace, 'traces'], [details, 'traces with arguments'], [oldTrace, 'answers of the older trace_viewer'], [list, 'lists']];
const kindNames = new Map(ROUTES.map(([kind, name]) => [kind, name]));
const { equal, all, kinds, sets } = await compareAll((answer) => kindNames.get(kindOf(answer)), (name, want, got) => {
  const normal = ROUTES.find((route) => route[1] === name)[0];
  return difference(normal(want), normal(got));
});
console.log(`${equal} of ${all} equal (${sets} data sets: ${ROUTES.map(([, name]) => `${kinds[name] ?? 0} ${name}`).join(', ')})`);
if (!ROUTES.every(([, name]) => kinds[name])) process.exitCode = 1; // each route stands in every clone
