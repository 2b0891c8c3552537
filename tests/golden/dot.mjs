// XProf's graphs made comparable: the numbers of nodes are addresses, and their order is a hash's.

const ENTITIES = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" };
const plain = (label) => label.replace(/<[^>]*>/g, '|').replace(/&(amp|lt|gt|quot|#39);/g, (word) => ENTITIES[word]);
function count(list) {
  const all = new Map();
  for (const item of list) all.set(item, (all.get(item) ?? 0) + 1);
  return all;
}

/** Nodes (text and shape) and edges (by the text of their ends), each with how often it is there. */
export function parse(text) {
  const nodes = new Map();
  for (const [, id, label, shape] of text.matchAll(/^\s*"?(\w+)"? \[label=<(.*?)>, shape=(\w+)/gms))
    nodes.set(id, `${plain(label)} ${shape}`);
  const edges = [...text.matchAll(/^\s*"?(\w+)"? -> "?(\w+)"?/gm)]
    .map(([, from, to]) => `${nodes.get(from) ?? '?'} -> ${nodes.get(to) ?? '?'}`);
  return { nodes: count(nodes.values()), edges: count(edges) };
}

function lessCommon(a, b) {
  for (const [item, n] of a) if ((b.get(item) ?? 0) < n) return item;
  return null;
}

/** The first node or edge that only one of them has, null = none. */
export function difference(want, got) {
  for (const part of ['nodes', 'edges']) {
    const missing = lessCommon(want[part], got[part]), extra = lessCommon(got[part], want[part]);
    if (missing) return `${part}: missing ${missing.slice(0, 160)}`;
    if (extra) return `${part}: only ours ${extra.slice(0, 160)}`;
  }
  return null;
}
