/** The hierarchy above the table: which one, which of its boxes fills the width, which one narrows the table. */
import { computed } from '@preact/signals';
import { view } from '../app/router';
import { change, ops, programName } from './state';
import { below, HIERARCHIES, type Hierarchy, nodeAt, pathTo, rowsIn, treeOf } from './tree';

const SEPARATOR = '|';
const pathIn = (text: string | undefined): string[] => (text ? text.split(SEPARATOR) : []);

/** By scope where there are scopes, else by category. */
export const hierarchy = computed<Hierarchy>(() => {
  const asked = HIERARCHIES.find((one) => one === view.value.oby);
  return asked ?? (ops.value?.ops.scope.some(Boolean) ? 'scope' : 'program');
});

export function setHierarchy(by: Hierarchy): void {
  change({ oby: by, ozoom: null, obox: null });
}

export function nextHierarchy(): void {
  setHierarchy(HIERARCHIES[(HIERARCHIES.indexOf(hierarchy.peek()) + 1) % HIERARCHIES.length]);
}

const whole = computed(() => {
  const c = ops.value?.ops;
  return c ? treeOf(c, c.self_ps.keys(), hierarchy.value, programName) : null;
});
const zoomed = computed(() => (whole.value ? nodeAt(whole.value, pathIn(view.value.ozoom)) : 0));
/** What is drawn. */
export const shownTree = computed(() => (whole.value ? below(whole.value, zoomed.value) : null));
/** Names from the root to what is drawn. */
export const zoomPath = computed(() => (whole.value && zoomed.value > 0 ? pathTo(whole.value, zoomed.value) : []));

/** The box that narrows the table, as a node of the whole tree; 0: none. */
const box = computed(() => (whole.value ? nodeAt(whole.value, pathIn(view.value.obox)) : 0));
export const boxName = computed(() => (whole.value && box.value > 0 ? whole.value.name[box.value] : ''));
/** Rows that the table has; null: all. */
export const boxRows = computed(() => (whole.value && box.value > 0 ? rowsIn(whole.value, box.value) : null));
/** The same box among what is drawn, -1. */
export const shownBox = computed(() => (box.value > 0 && box.value >= zoomed.value ? box.value - zoomed.value : -1));

/** A node of what is drawn, as a path of the whole tree. */
const textOf = (node: number): string => (whole.peek() ? pathTo(whole.peek() as never, node + zoomed.peek()).join(SEPARATOR) : '');

export function narrowTo(node: number): void {
  const path = textOf(node);
  change({ obox: path === view.peek().obox ? null : path });
}

export function zoomTo(node: number): void {
  change({ ozoom: textOf(node) });
}

/** One box up; false where all is drawn. */
export function zoomOut(): boolean {
  if (!view.peek().ozoom) return false;
  change({ ozoom: pathIn(view.peek().ozoom).slice(0, -1).join(SEPARATOR) });
  return true;
}
