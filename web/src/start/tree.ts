import { namesMoment, type RunRow } from './rows';

/** Folders as they are on disk, for the tree at the left. */
export interface Folder {
  path: string;
  name: string;
  depth: number;
  count: number;
  /** Names a commit or a time: written in mono. */
  moment: boolean;
  hasChildren: boolean;
  /** Holds a run that came after the page was opened. */
  fresh: boolean;
  /** Its place among the rows beside it, from 1, and how many those are; "All runs" is the first of the first level. */
  place: number;
  among: number;
}

interface Node {
  count: number;
  fresh: boolean;
  children: Map<string, Node>;
}

const node = (): Node => ({ count: 0, fresh: false, children: new Map() });

export function treeOf(rows: RunRow[], fresh: ReadonlySet<string>): Node {
  const root = node();
  for (const row of rows) {
    let at = root;
    at.count++;
    for (const part of row.folder.split('/').filter(Boolean)) {
      let next = at.children.get(part);
      if (!next) {
        next = node();
        at.children.set(part, next);
      }
      next.count++;
      next.fresh ||= fresh.has(row.id);
      at = next;
    }
  }
  return root;
}

/** The rows of the tree: all folders that are open, and the first level. */
export function foldersOf(root: Node, open: ReadonlySet<string>): Folder[] {
  const out: Folder[] = [];
  const walk = (at: Node, path: string, depth: number) => {
    const extra = path ? 0 : 1;
    for (const [k, [name, child]] of [...at.children].sort(([a], [b]) => (a < b ? -1 : 1)).entries()) {
      const here = path ? `${path}/${name}` : name;
      const { count, fresh } = child;
      out.push({
        path: here,
        name,
        depth,
        count,
        fresh,
        moment: namesMoment(name),
        hasChildren: child.children.size > 0,
        place: k + 1 + extra,
        among: at.children.size + extra,
      });
      if (open.has(here)) walk(child, here, depth + 1);
    }
  };
  walk(root, '', 0);
  return out;
}

/** All folders above a path, and itself. */
export function ancestors(path: string): string[] {
  const parts = path.split('/').filter(Boolean);
  return parts.map((_, i) => parts.slice(0, i + 1).join('/'));
}
