/** The shortest way between two instructions: asked by name, drawn where its nodes are, listed step by step. */
import { computed, effect, signal, untracked } from '@preact/signals';
import { ApiError, abortCalls, isAborted } from '../api/client';
import { setView, view } from '../app/router';
import { graphApi, type PathAnswer } from './api';
import { drawing } from './graph_state';
import { picked } from './settings';
import { subject } from './state';
import { plainName } from './words';

export const pathEnd = computed(() => plainName(view.value.pathto ?? ''));
export const path = signal<PathAnswer | null>(null);
export const pathWhy = signal('');
/** The box that asks for the second end is open. */
export const pathAsked = signal(false);

export function pathTo(name: string): void {
  pathAsked.value = false;
  setView({ pathto: name ? `%${plainName(name)}` : null }, { push: true });
}

const NONE: ReadonlySet<number> = new Set();
export const pathNodes = computed<ReadonlySet<number>>(() => {
  const d = drawing.value;
  const p = path.value;
  if (!d || !p?.ix?.length) return NONE;
  return new Set(p.ix.map((ix) => d.scene.nodeOfIx.get(ix) ?? -1).filter((k) => k >= 0));
});

async function load(from: string, to: string): Promise<void> {
  try {
    const answer = await graphApi.path({ ...subject(), from, to }, { key: 'graph/path' });
    path.value = answer;
    pathWhy.value = answer.ix?.length ? '' : (answer.why ?? 'there is no path between them');
  } catch (error) {
    if (isAborted(error)) return;
    path.value = null;
    pathWhy.value = error instanceof ApiError ? error.message : String(error);
  }
}

/** A path is between the selected instruction and the second end, as they were when it was asked for. */
export function startPath(): () => void {
  return effect(() => {
    const to = pathEnd.value;
    const from = plainName(view.value.pathfrom ?? '') || picked.value;
    path.value = null;
    pathWhy.value = '';
    abortCalls('graph/path');
    if (!to || !from) return;
    untracked(() => void load(from, to));
  });
}
