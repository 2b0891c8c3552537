/** Boxes of a tree whose widths are bytes, one row for each depth. Pure. */
import type { Tree } from '../api/types';

export interface IcicleBox {
  /** First and, for joined boxes, last node. */
  node: number;
  joined: number;
  x: number;
  width: number;
  depth: number;
  bytes: number;
}

/** Boxes narrower than this are joined with their neighbours. */
const LEAST = 3;

export function treeName(tree: Tree, node: number): string {
  const name = tree.names[tree.name[node]] ?? '';
  // "[self]" is the server's mark for what hangs on the parent itself.
  if (name === '[self]') return 'itself';
  const repeats = tree.repeats[node];
  return repeats > 1 ? `${name} \u00d7 ${repeats.toLocaleString('en-US')}` : name;
}

export function treeGroup(tree: Tree, node: number): string {
  const group = tree.group[node];
  return typeof group === 'number' ? (tree.names[group] ?? '') : (group ?? '');
}

/** Nodes come depth first, children after their parent and by size. */
export function layoutIcicle(tree: Tree, width: number): IcicleBox[] {
  if (tree.n === 0 || !(tree.size_bytes[0] > 0)) return [];
  const scale = width / tree.size_bytes[0];
  const left = new Float64Array(tree.n);
  const next = new Float64Array(tree.n);
  const boxes: IcicleBox[] = [];
  const open = new Map<number, IcicleBox>();
  for (let i = 0; i < tree.n; i++) {
    const parent = tree.parent[i];
    left[i] = parent >= 0 ? next[parent] : 0;
    next[i] = left[i];
    const w = tree.size_bytes[i] * scale;
    if (parent >= 0) next[parent] += w;
    if (w >= LEAST) {
      boxes.push({ node: i, joined: 1, x: left[i], width: w, depth: tree.depth[i], bytes: tree.size_bytes[i] });
      continue;
    }
    // Narrow ones of one row that touch stand as one box, so that their sum stays visible.
    const last = open.get(tree.depth[i]);
    if (last && Math.abs(last.x + last.width - left[i]) < 0.01) {
      last.width += w;
      last.bytes += tree.size_bytes[i];
      last.joined++;
    } else {
      const box = { node: i, joined: 1, x: left[i], width: w, depth: tree.depth[i], bytes: tree.size_bytes[i] };
      open.set(box.depth, box);
      boxes.push(box);
    }
  }
  return boxes;
}

/** Names from below the root to a node. */
export function pathOf(tree: Tree, node: number): string[] {
  const path: string[] = [];
  for (let i = node; i > 0; i = tree.parent[i]) path.unshift(tree.names[tree.name[i]] ?? '');
  return path;
}

/** Filters that a click on a node means, by the kind of the tree; nothing for the root. */
export function filterOf(by: string, path: readonly string[]): Record<string, string | null> {
  // Joined nodes and "[self]" mean their parent.
  const plain = path.filter((part) => !/^\[(self|\d+ smaller)\]$/.test(part));
  const none = { scope: null, source: null, class: null, group: null, opcode: null, shape: null };
  if (plain.length === 0) return none;
  if (by === 'source')
    return plain[0] === '[no source]' ? { ...none, class: plain[1] ?? null } : { ...none, source: plain[0] + (plain[1] ?? ''), opcode: plain[2] ?? null };
  if (by === 'class') return { ...none, class: plain[0], group: plain[1] ?? null, shape: plain[2] ?? null };
  return { ...none, scope: plain.join('/') };
}

/** Whether a path has a scope's whole parts at its start; "*" stands for a number on either side. */
function begins(path: string, scope: string): boolean {
  if (`${path}/`.startsWith(`${scope}/`)) return true;
  if (!path.includes('*') && !scope.includes('*')) return false;
  const parts = path.split('/');
  const pattern = (part: string) => part.replace(/\d+/g, '*');
  return scope.split('/').every((part, k) => {
    const other = parts[k] ?? '';
    return part === other || ((part + other).includes('*') && pattern(part) === pattern(other));
  });
}

/** Nodes on the way to a scope and below it; null when no node is that scope (a filter by plain op name). */
export function insideScope(tree: Tree, scope: string): boolean[] | null {
  if (!scope) return null;
  const paths: string[] = [];
  const inside: boolean[] = [];
  let found = false;
  for (let i = 0; i < tree.n; i++) {
    const parent = tree.parent[i];
    const name = tree.names[tree.name[i]] ?? '';
    paths[i] = parent < 0 ? '' : paths[parent] ? `${paths[parent]}/${name}` : name;
    inside[i] = i === 0 || begins(paths[i], scope) || begins(scope, paths[i]);
    found ||= i > 0 && begins(paths[i], scope);
  }
  return found ? inside : null;
}
