/** The call tree of the range (or the window) as it was asked for; the path one looks at is in the address. */
import { computed, effect, signal, untracked } from '@preact/signals';
import type { TraceFlame } from '../api/answers';
import { call, isAborted, type Params } from '../api/client';
import { view } from '../app/router';
import type { Cell } from '../app/exports';
import { messageOf } from './api';
import { pathsOf } from './flame_boxes';
import { numbersText } from './ranges';
import { change, range, rows, settings, subject, windowNow } from './state';

export const tree = signal<TraceFlame | null>(null);
export const problem = signal('');
/** The path that fills the width, a number of the tree; -1: all of it. */
export const root = computed(() => {
  const asked = view.value.path ?? '';
  return /^\d{1,6}$/.test(asked) && Number(asked) < (tree.value?.n ?? 0) ? Number(asked) : -1;
});

export function openPath(node: number): void {
  change({ path: node >= 0 && node !== root.peek() ? node : null });
}

/** Threads of the host where these are asked for; null: the operations of devices. */
function ofRows(): string | null {
  const r = rows.value;
  if (!r || view.value.tof !== 'host') return null;
  const own: number[] = [];
  for (let k = 0; k < r.rows.n; k++)
    if (!r.rows.derived[k] && !r.rows.hidden[k] && r.processes.kind[r.rows.process[k]] === 'host' && !settings.value.hidden.has(r.rows.row[k]))
      own.push(r.rows.row[k]);
  return own.length ? numbersText(own) : null;
}

/** As text: the address changes with every path that is opened, what is asked does not. */
const asked = computed(() => {
  const w = range.value ?? windowNow.value;
  return JSON.stringify({ ...subject.value, from: Math.max(0, Math.round(w.from)), to: Math.max(1, Math.round(w.to)), rows: ofRows() });
});

/** Asks whenever the range or the window is another; the answer stops it. */
export function startFlame(): () => void {
  let before = '';
  return effect(() => {
    if (!rows.value) return;
    const params = asked.value;
    // Numbers of paths are those of one answer.
    if (before && before !== params) untracked(() => change({ path: null }));
    before = params;
    call<TraceFlame>('trace/flame', JSON.parse(params) as Params, { key: 'trace/flame', quiet: true })
      .then((answer) => {
        tree.value = answer;
        problem.value = '';
      })
      .catch((error: unknown) => {
        if (isAborted(error)) return;
        tree.value = null;
        problem.value = messageOf(error);
      });
  });
}

/** The tree as it is saved: the path as other tools that draw flame graphs take it. */
export const FLAME_HEAD = ['path', 'depth', 'total_ps', 'self_ps', 'count', 'category', 'first_event'];
export function flameLines(t: TraceFlame): Cell[][] {
  return pathsOf(t).map(({ path, depth }, k) => [path, depth, t.total_ps[k], t.self_ps[k], t.count[k], t.group[k], t.first_event[k]]);
}
