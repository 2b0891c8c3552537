/** The icicle of trace/ops/tree as the page draws it: boxes with names for people, and the rows of the table that are in them. Pure. */
import type { Answers } from '../api/answers';
import type { IcicleTree } from '../canvas/icicle';
import { GROUP_WORDS } from '../charts/colours';
import type { OpColumns } from './state';

export type TreeAnswer = Answers['trace/ops/tree'];
export type Hierarchy = TreeAnswer['by'];

/** In the order of the key that goes from one to the next. */
export const HIERARCHIES: readonly Hierarchy[] = ['scope', 'program', 'source', 'layer', 'group', 'kernel'];
export const HIERARCHY_WORDS: Record<Hierarchy, string> = {
  scope: 'name scope',
  program: 'program, category',
  source: 'source line',
  layer: 'layer',
  group: 'op group, opcode',
  kernel: 'GPU kernel',
};

export interface OpTree extends IcicleTree {
  /** As the server calls it, which a link and an export have. */
  label: string[];
  name: string[];
  /** Operations in it. */
  ops: number[];
  /** Of 95 % of its time; '': of several. */
  group: string[];
  /** Of its size, what waits. */
  wait: number[];
  /** Row of the table; -1: it is not a single operation. */
  row: number[];
}

/** What a program is called, by its key. */
type Names = (module: string) => string;

/** The first part of a label for people: an op group in words, a program without the compiler's number. */
function nameOf(label: string, by: Hierarchy, depth: number, called: Names): string {
  if (depth !== 1) return label;
  const end = label.indexOf('/');
  const first = end < 0 ? label : label.slice(0, end);
  const rest = end < 0 ? '' : label.slice(end);
  return `${by === 'group' ? (GROUP_WORDS[first] ?? first) : by === 'source' || by === 'kernel' ? first : called(first)}${rest}`;
}

/** The end of a TensorFlow operation's path; its scopes stand beside it. A kernel's name, "void f<a/b>", is not a path. */
export const lastOf = (name: string): string => name.replace(/^[^\s<(]*\//, '');

export function treeOf(a: TreeAnswer, c: OpColumns, called: Names = (module) => module): OpTree {
  const rows = new Map<string, number>();
  for (let k = 0; k < c.n; k++) rows.set(`${c.module[k]} ${c.name[k]}`, k);
  const modules = new Set(a.module.filter(Boolean));
  const root = modules.size === 1 ? called([...modules][0]) : 'all operations';
  return {
    n: a.n,
    parent: a.parent.map((parent) => parent ?? -1),
    depth: a.depth,
    size: a.self_ps,
    label: a.label,
    name: a.label.map((label, i) => (i === 0 ? root : a.is_op[i] ? lastOf(label) : nameOf(label, a.by, a.depth[i], called))),
    ops: a.operations,
    group: a.group.map((group, i) => (group === 'none' && !a.is_op[i] ? '' : group)),
    wait: a.wait_ps,
    row: a.is_op.map((is, i) => (is ? (rows.get(`${a.module[i]} ${a.label[i]}`) ?? -1) : -1)),
  };
}

/** From below the root to a node. */
export function pathTo(tree: OpTree, at: number): number[] {
  const path: number[] = [];
  for (let i = at; i > 0; i = tree.parent[i]) path.unshift(i);
  return path;
}

/** As the server takes it: labels with / between. */
export const textOf = (tree: OpTree, at: number): string =>
  pathTo(tree, at)
    .map((i) => tree.label[i])
    .join('/');

/** The node of this text; 0, all, where there is none. */
export function nodeAt(tree: OpTree, text: string): number {
  const below = (at: number, rest: string): number => {
    const end = endOf(tree, at);
    for (let i = at + 1; i < end; i = endOf(tree, i)) {
      const { label } = tree;
      if (label[i] === rest) return i;
      const found = label[i] && rest.startsWith(`${label[i]}/`) ? below(i, rest.slice(label[i].length + 1)) : 0;
      if (found) return found;
    }
    return 0;
  };
  return text ? below(0, text) : 0;
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
  const cut = <T>(values: T[]) => values.slice(at, end);
  return {
    n: end - at,
    parent: cut(tree.parent).map((parent, i) => (i === 0 ? -1 : parent - at)),
    depth: cut(tree.depth).map((depth) => depth - tree.depth[at]),
    size: cut(tree.size),
    label: cut(tree.label),
    name: cut(tree.name),
    ops: cut(tree.ops),
    group: cut(tree.group),
    wait: cut(tree.wait),
    row: cut(tree.row),
  };
}

/** Rows of the table in a node. */
export function rowsIn(tree: OpTree, at: number): Set<number> {
  const rows = new Set<number>();
  for (let i = at; i < endOf(tree, at); i++) if (tree.row[i] >= 0) rows.add(tree.row[i]);
  return rows;
}
