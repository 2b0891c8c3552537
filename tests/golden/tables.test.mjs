// XProf's tools of tables against what it was recorded to answer: /data?tag=TAG of each, their CSV, and /run_tools. Prints "n of n equal".
import { difference, sorted } from './answers.mjs';
import { compareAll } from './recorded.mjs';

/** Of several equal peaks XProf shows any one: what it says of that instant differs from run to run (the oracle's parity.py). */
function memoryProfile(answer) {
  for (const allocator of Object.values(answer.memoryProfilePerAllocator ?? {})) {
    for (const key of ['memoryProfileSnapshots', 'sampledTimelineSnapshots']) allocator[key] = allocator[key]?.length;
    for (const key of ['activeAllocations', 'specialAllocations']) {
      for (const item of allocator[key] ?? []) delete item.snapshotIndex;
      allocator[key] = sorted(allocator[key] ?? []);
    }
  }
  return answer;
}

const same = (answer) => answer;
const TABLES = {
  memory_profile: memoryProfile, perf_counters: same, utilization_viewer: same, megascale_stats: same, inference_profile: same,
  smart_suggestion: same, kernel_utilization: same, hlo_stats: same, op_profile: same, roofline_model: same, framework_op_stats: same,
  kernel_stats: same, pod_viewer: same, input_pipeline_analyzer: same, overview_page: same,
};
/** With several hosts XProf tells of one what it told of the host asked before. */
const OF_ALL = ['overview_page', 'input_pipeline_analyzer', 'pod_viewer'];
/** Own sets were recorded with all hosts first, and XProf's tools of operations then tell of each what they told of all. */
const OF_OPERATIONS = ['hlo_stats', 'op_profile', 'roofline_model', 'framework_op_stats', 'kernel_stats'];
const AFTER_ALL = ['worker0', 'worker1'];
const isAccident = (tag, query) => (OF_OPERATIONS.includes(tag) && AFTER_ALL.includes(query.get('host'))) || OF_ALL.includes(tag) && query.has('host') && query.get('host') !== 'ALL_HOSTS' && SEVERAL.has(query.get('run'));
const SEVERAL = new Set(['GPU-multi-worker']);

function kindOf({ url, status, text }) {
  const at = new URL(url, 'http://x'), what = at.pathname.split('/').pop(), tag = at.searchParams.get('tag');
  if (status !== 200 || isAccident(tag, at.searchParams)) return null;
  if (what === 'run_tools') return text() === '[]' ? null : 'run_tools';
  if (what === 'data' && tag in TABLES && !at.searchParams.has('tqx')) return /^[[{]/.test(text().trimStart()) ? tag : null;
  return null;
}

function compare(kind, want, got) {
  if (kind === 'run_tools') return difference(JSON.parse(want), JSON.parse(got));
  return difference(TABLES[kind](JSON.parse(want)), TABLES[kind](JSON.parse(got)));
}

const { equal, all, kinds, sets } = await compareAll(kindOf, compare);
console.log(`${equal} of ${all} equal (${sets} data sets: ${Object.entries(kinds).map(([kind, n]) => `${n} ${kind}`).join(', ')})`);
for (const kind of ['run_tools', ...Object.keys(TABLES)])
  if (!kinds[kind]) process.exitCode = 1; // each stands in every clone
