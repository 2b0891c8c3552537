/** Flows of the selected event: who started it, what it starts. */
import { type Item, isTrack } from './layout';
import { effect, signal } from '@preact/signals';
import type { EventAt, TraceFlows } from '../api/answers';
import { abortCalls, call, isAborted } from '../api/client';
import { flowsShown, layout, paint, picked, rows, subject, windowNow } from './state';
import { numbersText } from './ranges';
import { together } from '../util/listen';

export interface Flow {
  from: EventAt;
  to: EventAt;
  category: string;
}

export const flows = signal<Flow[]>([]);
/** Ends of the selected event's flows that are not drawn. */
export const flowsLeftOut = signal(0);

/** What led to an event and what it led to: the flows' ends on its other side. Others of the same flow are not arrows of it. */
function readFlows(raw: TraceFlows, event: number): Flow[] {
  const others = (list: EventAt[]) => list.filter((e) => e.event !== event);
  return (raw.flows ?? []).flatMap(({ category, ...f }) => {
    const [out, into] = [f.out.find((e) => e.event === event), f.in.find((e) => e.event === event)];
    return [
      ...(into ? others(f.out).map((from) => ({ from, to: into, category })) : []),
      ...(out ? others(f.in).map((to) => ({ from: out, to, category })) : []),
    ];
  });
}

function readArrows({ arrows: a }: TraceFlows): Flow[] {
  const out: Flow[] = [];
  for (let k = 0; a && k < a.n; k++) {
    const end = (side: 'from' | 'to'): EventAt => ({
      event: a[`${side}_event`][k],
      row: a[`${side}_row`][k],
      depth: a[`${side}_depth`][k],
      start_ps: a[`${side}_start_ps`][k],
      duration_ps: a[`${side}_duration_ps`][k],
      caption: '',
    });
    out.push({ from: end('from'), to: end('to'), category: a.category[k] });
  }
  return out;
}

/** All arrows of the window, and how many were more than the picture takes. */
export const arrows = signal<Flow[]>([]);
export const arrowsLeftOut = signal(0);
const MOST = 1000;

/** A folded process stands for all of its rows: an arrow into any of them ends at its line. */
function rowsBehind(item: Item): number[] {
  const known = rows.value?.rows;
  if (item.kind === 'process' && !item.open && known) return known.row.filter((row, k) => known.process[k] === item.process && !isTrack(row));
  return item.row >= 0 && !isTrack(item.row) ? [item.row] : [];
}

function askArrows(): void {
  const w = windowNow.value;
  const shown = layout.value ? [...layout.value.pinned, ...layout.value.items].flatMap(rowsBehind) : [];
  if (flowsShown.value !== 'all' || !shown.length) {
    arrows.value = [];
    return;
  }
  call<TraceFlows>(
    'trace/flows',
    { ...subject.value, from: Math.max(0, Math.round(w.from)), to: Math.round(w.to), rows: numbersText(shown), limit: MOST },
    { key: 'trace/arrows', quiet: true, part: 'the arrows of the window' },
  )
    .then((answer) => {
      arrows.value = readArrows(answer);
      arrowsLeftOut.value = answer.arrows?.left_out ?? 0;
      paint();
    })
    .catch((error: unknown) => {
      if (!isAborted(error)) arrows.value = [];
    });
}

/** The flows of the selection, while they are on their way. */
let coming: Promise<void> | null = null;

function askFlows(): void {
  const event = picked.value;
  const params = subject.value;
  flows.value = [];
  flowsLeftOut.value = 0;
  coming = null;
  abortCalls('trace/flows');
  if (event === null) return;
  const asked = call<TraceFlows>('trace/flows', { ...params, event }, { key: 'trace/flows', quiet: true, part: 'the flows of the event' })
    .then((answer) => {
      const found = readFlows(answer, event);
      flows.value = found.slice(0, MOST);
      flowsLeftOut.value = found.length - flows.value.length + (answer.flows ?? []).reduce((sum, f) => sum + f.left_out, 0);
      paint();
    })
    .catch((error: unknown) => {
      if (!isAborted(error)) flows.value = [];
    })
    .finally(() => {
      if (coming === asked) coming = null;
    });
  coming = asked;
}

export function startFlows(): () => void {
  return together([effect(askFlows), effect(askArrows)]);
}

/** Tells the other end of the selection's flow: back to what started it, on to what it starts. Flows on their way are waited for. */
export function followFlow(on: boolean, tell: (end: EventAt | undefined) => void): void {
  const here = picked.peek();
  const look = () => {
    if (picked.peek() !== here) return;
    // Asked anew meanwhile: the first answer was called off.
    if (coming) {
      void coming.then(look);
      return;
    }
    const list = flows.peek();
    tell(on ? list.find((f) => f.from.event === here)?.to : list.find((f) => f.to.event === here)?.from);
  };
  look();
}
