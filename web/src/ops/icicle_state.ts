/** The hierarchy above the table: which one, which of its boxes fills the width, which one narrows the table. */
import { computed } from '@preact/signals';
import type { Params } from '../api/client';
import { follow } from '../api/follow';
import { perRun, view } from '../app/router';
import { traceApi } from '../trace/api';
import { change, ops, programName, question } from './state';
import { below, HIERARCHIES, type Hierarchy, nodeAt, pathTo, rowsIn, textOf, type TreeAnswer, treeOf } from './tree';

const answer = perRun<TreeAnswer | null>(null);

const asked = computed(() => HIERARCHIES.find((one) => one === view.value.oby));

export function startTree(): () => void {
  return follow<Params, TreeAnswer>({
    question: () => {
      const { limit: _limit, ...rest } = question.value;
      return rest.run ? { ...rest, by: asked.value, px: 0 } : null;
    },
    ask: (params) => traceApi.opsTree(params, { key: 'trace/ops/tree', quiet: true }),
    take: (tree) => {
      answer.value = tree;
    },
    // What is wrong with the question is said beside the table, which asks the same.
    fail: () => {},
    keep: true,
  });
}

/** By scope where there are scopes, else by program and category. */
export const hierarchy = computed<Hierarchy>(() => asked.value ?? answer.value?.by ?? 'scope');
/** Those that say something about this run. */
export const hierarchies = computed(() => HIERARCHIES.filter((one) => one !== 'kernel' || one === asked.value || answer.value?.kernels));

export function setHierarchy(by: Hierarchy): void {
  change({ oby: by, ozoom: null, obox: null });
}

export function nextHierarchy(): void {
  const all = hierarchies.peek();
  setHierarchy(all[(all.indexOf(hierarchy.peek()) + 1) % all.length]);
}

const whole = computed(() => (answer.value && ops.value ? treeOf(answer.value, ops.value.ops, programName) : null));
const zoomed = computed(() => (whole.value ? nodeAt(whole.value, view.value.ozoom ?? '') : 0));
/** What is drawn. */
export const shownTree = computed(() => (whole.value ? below(whole.value, zoomed.value) : null));
/** Names from the root to what is drawn. */
export const zoomPath = computed(() => {
  const tree = whole.value;
  return tree ? pathTo(tree, zoomed.value).map((i) => tree.name[i]) : [];
});

/** The box that narrows the table, as a node of the whole tree; 0: none. */
const box = computed(() => (whole.value ? nodeAt(whole.value, view.value.obox ?? '') : 0));
export const boxName = computed(() => (whole.value && box.value > 0 ? whole.value.name[box.value] : ''));
/** Rows that the table has; null: all. */
export const boxRows = computed(() => (whole.value && box.value > 0 ? rowsIn(whole.value, box.value) : null));
/** The same for the server. */
export const boxQuestion = computed<Params>(() => (box.value > 0 && whole.value ? { in_by: hierarchy.value, in: textOf(whole.value, box.value) } : {}));
/** The same box among what is drawn, -1. */
export const shownBox = computed(() => (box.value > 0 && box.value >= zoomed.value ? box.value - zoomed.value : -1));

/** A node of what is drawn, as a path of the whole tree. */
const pathOf = (node: number): string => (whole.peek() ? textOf(whole.peek() as never, node + zoomed.peek()) : '');

export function narrowTo(node: number): void {
  const path = pathOf(node);
  change({ obox: path === view.peek().obox ? null : path });
}

export function zoomTo(node: number): void {
  change({ ozoom: pathOf(node) });
}

/** One box up; false where all is drawn. */
export function zoomOut(): boolean {
  const tree = whole.peek();
  if (!view.peek().ozoom || !tree) return false;
  change({ ozoom: textOf(tree, tree.parent[zoomed.peek()] ?? 0) });
  return true;
}
