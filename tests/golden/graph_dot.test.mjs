// The graph against XProf's recorded DOT: every neighbourhood, whole computation, merged and with
// configs. Compared are the nodes (their text and shape) and the edges (by the text of their ends).
// Prints "n of n equal".
import { difference, parse } from './dot.mjs';
import { compareAll } from './recorded.mjs';

// XProf 2.24 prints the groups of older profiles as {}: the true ones are right.
const GROUPS = /replica_groups=(\{\{.*?\}\}|\[[0-9,]*\]<=\[[0-9,]*\](T\([0-9,]*\))?)/g;

function kindOf({ url, status }) {
  const query = new URL(url, 'http://x').searchParams;
  return status === 200 && query.get('tag') === 'graph_viewer' && query.get('type') === 'graph'
    && query.get('format') === 'dot' ? 'dot' : null;
}

let nodes = 0;
const compare = (_, want, got) => {
  const text = want.includes('replica_groups={}') ? got.replace(GROUPS, 'replica_groups={}') : got;
  return difference(parse(want), parse(text));
};
const { equal, all, sets } = await compareAll(kindOf, compare, (_, want) => { nodes += parse(want).nodes.size; });
console.log(`${equal} of ${all} equal (${sets} data sets, graphs with ${nodes} different nodes)`);
