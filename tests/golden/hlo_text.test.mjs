// HLO text and neighbours against XProf's recorded answers: every short_txt and long_txt, with and
// without metadata, byte by byte, every adj_nodes, pbtxt and custom_call (kernels as MLIR). Prints "n of n equal".
//
// Left out: in pbtxt the groups of an older field, which XProf 2.24.2 does not know and does not print.
import { compareAll, textDifference } from './recorded.mjs';

const KINDS = ['short_txt', 'long_txt', 'adj_nodes', 'pbtxt', 'custom_call'];

/** Without the messages `iota_replica_group_list`. */
function withoutOldGroups(text) {
  return text.replace(/^( *)iota_replica_group_list \{\n(?:\1 .*\n)*\1\}\n/gm, '');
}

/** What is asked for, or null when the answer is not compared. */
function kindOf({ url, status }) {
  const query = new URL(url, 'http://x').searchParams, type = query.get('type');
  return status === 200 && query.get('tag') === 'graph_viewer' && KINDS.includes(type) ? type : null;
}

let lines = 0;
const { equal, all, kinds, sets } = await compareAll(kindOf,
  (kind, want, got) => textDifference(want, kind === 'pbtxt' ? withoutOldGroups(got) : got),
  (kind, want) => { lines += kind === 'adj_nodes' ? 0 : want.split('\n').length; });
console.log(`${equal} of ${all} equal (${sets} data sets, ${lines} lines: ${KINDS.map((kind) => `${kinds[kind] ?? 0} ${kind}`).join(', ')})`);
if (!KINDS.every((kind) => kinds[kind])) process.exitCode = 1; // each kind stands in every clone
