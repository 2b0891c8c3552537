/** Operations as trees whose widths are self time: by scope, program, source line, kind of work, layer. Pure. */
import type { IcicleTree } from '../canvas/icicle';
import { GROUP_WORDS } from '../memory/colours';
import type { OpColumns } from './state';

/** In the order of the key that goes from one to the next. */
export const HIERARCHIES = ['scope', 'program', 'source', 'layer', 'group'] as const;
export type Hierarchy = (typeof HIERARCHIES)[number];
export const HIERARCHY_WORDS: Record<Hierarchy, string> = { scope: 'name scope', program: 'program, category', source: 'source line', layer: 'layer', group: 'op group, opcode' };

export interface OpTree extends IcicleTree {
  name: string[];
  /** Operations in it. */
  ops: number[];
  /** Of 95 % of its time; '': of several. */
  group: string[];
  /** Of its size, what waits. */
  wait: number[];
  /** Row of the answer; -1: it is no single operation. */
  row: number[];
}

/** A box is one colour when so much of it is. */
const ONE_COLOUR = 0.95;

const PHASES: Record<string, string> = { forward: 'forward', backward: 'backward', recompute: 'recompute' };
/** Of a program that was differentiated: what is in none of its passes. */
const NO_PASS = 'no pass';
const OUTSIDE = 'outside of layers';

const scopesOf = (scope: string): string[] => scope.split('/').filter(Boolean);

/** "block_*" of "block_12"; null: it has no number. */
export const withoutNumber = (part: string): string | null => (/\d/.test(part) ? part.replace(/\d+/g, '*') : null);

/** Names from below the root down to the operation. */
function pathOf(c: OpColumns, k: number, by: Hierarchy, programs: Names | null, phases: boolean): string[] {
  const name = c.name[k];
  const program = programs ? [programs(c.module[k])] : [];
  const phase = phases ? [c.phase[k] ? PHASES[c.phase[k] as string] : NO_PASS] : [];
  switch (by) {
    case 'program':
      return [...program, c.category[k] || 'no category', name];
    case 'source': {
      const at = c.source[k].lastIndexOf(':');
      return c.source[k] ? [c.source[k].slice(0, at < 0 ? undefined : at), at < 0 ? 'no line' : `line ${c.source[k].slice(at + 1)}`, name] : ['no source recorded', name];
    }
    case 'group':
      return [GROUP_WORDS[c.group[k]] ?? c.group[k], c.opcode[k] || 'no opcode', name];
    case 'layer': {
      const parts = scopesOf(c.scope[k]);
      const at = parts.findIndex((part) => withoutNumber(part) !== null);
      return at < 0 ? [...program, OUTSIDE, ...parts, name] : [...program, [...parts.slice(0, at), withoutNumber(parts[at])].join('/'), parts[at], ...phase, ...parts.slice(at + 1), name];
    }
    default:
      return [...program, ...phase, ...scopesOf(c.scope[k]), name];
  }
}

interface Node {
  name: string;
  below: Map<string, Node>;
  size: number;
  wait: number;
  ops: number;
  byGroup: Map<string, number>;
  row: number;
}

const node = (name: string): Node => ({ name, below: new Map(), size: 0, wait: 0, ops: 0, byGroup: new Map(), row: -1 });

function grow(root: Node, c: OpColumns, k: number, path: readonly string[]): void {
  let at = root;
  const add = () => {
    at.size += c.self_ps[k];
    at.ops++;
    if (c.bound[k] === 'wait') at.wait += c.self_ps[k];
    at.byGroup.set(c.group[k], (at.byGroup.get(c.group[k]) ?? 0) + c.self_ps[k]);
  };
  add();
  path.forEach((part, depth) => {
    // An operation may be called as a scope is: they are two.
    const key = depth === path.length - 1 ? `${part} ${k}` : `${part}/`;
    const next = at.below.get(key) ?? node(part);
    at.below.set(key, next);
    at = next;
    add();
  });
  at.row = k;
}

/** A part that holds one other part alone is one box with it. */
function joined(one: Node): Node {
  let at = one;
  while (at.below.size === 1) {
    const [only] = at.below.values();
    if (only.row >= 0) break;
    at = { ...only, name: `${at.name}/${only.name}` };
  }
  return at;
}

function groupOf(one: Node): string {
  for (const [group, size] of one.byGroup) if (size >= ONE_COLOUR * one.size) return group;
  return '';
}

function write(tree: OpTree, one: Node, parent: number, depth: number): void {
  const at = tree.n++;
  tree.parent.push(parent);
  tree.depth.push(depth);
  tree.size.push(one.size);
  tree.name.push(one.name);
  tree.ops.push(one.ops);
  tree.group.push(groupOf(one));
  tree.wait.push(one.wait);
  tree.row.push(one.row);
  const below = [...one.below.values()].map((child) => (depth >= 0 ? joined(child) : child)).sort((a, b) => b.size - a.size);
  for (const child of below) if (child.size > 0) write(tree, child, at, depth + 1);
}

/** What a program is called, by its key. */
type Names = (module: string) => string;

/** `rows`: those that count. */
export function treeOf(c: OpColumns, rows: Iterable<number>, by: Hierarchy, called: Names = (module) => module): OpTree {
  const list = [...rows];
  const modules = new Set(list.map((k) => c.module[k]));
  const phases = list.some((k) => c.phase[k] !== null);
  const root = node(modules.size === 1 ? called([...modules][0]) : `all ${modules.size} programs`);
  for (const k of list) grow(root, c, k, pathOf(c, k, by, modules.size > 1 ? called : null, phases));
  const tree: OpTree = { n: 0, parent: [], depth: [], size: [], name: [], ops: [], group: [], wait: [], row: [] };
  write(tree, root, -1, 0);
  return tree;
}

/** Names from below the root to a node. */
export function pathTo(tree: OpTree, at: number): string[] {
  const path: string[] = [];
  for (let i = at; i > 0; i = tree.parent[i]) path.unshift(tree.name[i]);
  return path;
}

/** The node with this path; 0, all, where there is none. */
export function nodeAt(tree: OpTree, path: readonly string[]): number {
  let at = 0;
  for (const name of path) {
    const next = tree.parent.findIndex((parent, i) => i > 0 && parent === at && tree.name[i] === name);
    if (next < 0) return 0;
    at = next;
  }
  return at;
}

/** Where the nodes below a node end: they follow it. */
export function endOf(tree: OpTree, at: number): number {
  let end = at + 1;
  while (end < tree.n && tree.depth[end] > tree.depth[at]) end++;
  return end;
}

/** A node and what is below it, as a tree of its own. */
export function below(tree: OpTree, at: number): OpTree {
  if (at === 0) return tree;
  const end = endOf(tree, at);
  const cut = <T,>(values: T[]) => values.slice(at, end);
  return {
    n: end - at,
    parent: cut(tree.parent).map((parent, i) => (i === 0 ? -1 : parent - at)),
    depth: cut(tree.depth).map((depth) => depth - tree.depth[at]),
    size: cut(tree.size),
    name: cut(tree.name),
    ops: cut(tree.ops),
    group: cut(tree.group),
    wait: cut(tree.wait),
    row: cut(tree.row),
  };
}

/** Rows of the answer in a node. */
export function rowsIn(tree: OpTree, at: number): Set<number> {
  const rows = new Set<number>();
  for (let i = at; i < endOf(tree, at); i++) if (tree.row[i] >= 0) rows.add(tree.row[i]);
  return rows;
}
