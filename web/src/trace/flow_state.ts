/** Flows of the selected event: who started it, what it starts. */
import { effect, signal } from '@preact/signals';
import { call, isAborted } from '../api/client';
import { flowsShown, paint, picked, subject } from './state';

export interface FlowEnd {
  event: number;
  row: number;
  depth: number;
  start: number;
  duration: number;
  caption: string;
}
export interface Flow {
  from: FlowEnd;
  to: FlowEnd;
  category: string;
}

/** The flow answer: each flow with its ends, as lists of ends or as columns. */
interface RawFlows {
  flows?: { flow: string | number; category?: string | null; out: Partial<FlowEnd>[]; in: Partial<FlowEnd>[] }[];
}

export const flows = signal<Flow[]>([]);

export function readFlows(raw: RawFlows): Flow[] {
  const end = (e: Partial<FlowEnd>): FlowEnd => ({ event: e.event ?? 0, row: e.row ?? -1, depth: e.depth ?? 0, start: e.start ?? 0, duration: e.duration ?? 0, caption: e.caption ?? '' });
  return (raw.flows ?? []).flatMap((f) => f.out.flatMap((a) => f.in.map((b) => ({ from: end(a), to: end(b), category: f.category ?? '' }))));
}

export function startFlows(): () => void {
  return effect(() => {
    const event = picked.value;
    const params = subject.value;
    flows.value = [];
    if (event === null || flowsShown.value === 'off') return;
    call<RawFlows>('trace/flows', { ...params, event }, { key: 'trace/flows', quiet: true })
      .then((answer) => {
        flows.value = readFlows(answer).slice(0, 500);
        paint();
      })
      .catch((error: unknown) => {
        if (!isAborted(error)) flows.value = [];
      });
  });
}

/** The other end of the selection's flow: back to what started it, on to what it starts. */
export function followFlow(on: boolean): FlowEnd | null {
  const here = picked.peek();
  const list = flows.peek();
  const found = on ? list.find((f) => f.from.event === here)?.to : list.find((f) => f.to.event === here)?.from;
  return found ?? null;
}
