/** The tree of what is held: names, groups, and the filters that a click means. Pure. */
import type { Tree } from '../api/types';

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
