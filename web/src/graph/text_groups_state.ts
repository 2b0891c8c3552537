/** Op groups of what stands beside the text: asked for when its line changes, unknown until the answer is there. */
import { signal } from '@preact/signals';
import { isAborted } from '../api/client';
import { graphApi } from './api';
import { subject } from './state';

/** By name; null: not known (yet). */
export const neighbourGroups = signal<Map<string, string> | null>(null);

export async function loadNeighbourGroups(node: string): Promise<void> {
  neighbourGroups.value = null;
  try {
    const { operands, users } = await graphApi.node({ ...subject(), node }, { key: 'graph/text/node', quiet: true });
    const groups = new Map<string, string>();
    for (const list of [operands, users]) for (const [k, name] of list.name.entries()) if (name !== null) groups.set(name, list.group[k] ?? 'none');
    neighbourGroups.value = groups;
  } catch (error) {
    // The lists say the same without colours.
    if (!isAborted(error)) neighbourGroups.value = null;
  }
}
