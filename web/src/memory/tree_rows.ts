import type { Tree } from '../api/types';
import { GROUP_WORDS } from '../charts/colours';
import { treeGroup, treeName } from './icicle';

/** Rows of the tree, for the table twin and the CSV. */
export function treeRows(t: Tree): (string | number | null)[][] {
  return Array.from({ length: t.n }, (_, k) => [
    k === 0 ? 'all' : `${'\u2003'.repeat(t.depth[k] - 1)}${treeName(t, k)}`,
    t.size_bytes[k],
    t.padding_bytes[k],
    t.count[k],
    GROUP_WORDS[treeGroup(t, k)] ?? (treeGroup(t, k) || 'several'),
  ]);
}
