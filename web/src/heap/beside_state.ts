/** Whether an allocator of a run beside the heap file once held what a device holds in it: then the two may be of one process. */
import { signal } from '@preact/signals';
import type { Answers } from '../api/answers';
import { call } from '../api/client';
import { follow } from '../api/follow';
import { view } from '../app/router';
import { type Summary, summary } from './state';
import { beside, noAnswer, RUNS_MAX } from './traced_state';

type Tracks = Pick<Answers['trace/allocators']['tracks'][number], 'title' | 'heap_near_bytes' | 'heap_near_at_ps'>[];

export interface Held {
  device: string;
  bytes: number;
  run: string;
  /** Of the run's allocators: its place in trace/allocators and its title. */
  allocator: number;
  title: string;
  /** The heap closest to `bytes`, and the first time it was so. */
  heap: number;
  at_ps: number;
}

export const held = signal<readonly Held[]>([]);

const NEAR = 0.01; // of the bytes of the device

/** "cuda:0", "TPU_0(process=0,(0,0,0,0))": the number of a device; of an allocator "TPU:0", "host1 GPU:0", its last one. */
const deviceNumber = (name: string) => /^[a-z_]+?[:_](\d+)/i.exec(name)?.[1];
const allocatorNumber = (title: string) => /(\d+)\D*$/.exec(title)?.[1];
const isHost = (name: string) => /cpu/i.test(name);

/** The allocator of a device, where its heap was once within 1 % of `bytes`. With two of that number the device's is unknown. Pure. */
export function heldBy(device: string, bytes: number, tracks: Readonly<Tracks>): Omit<Held, 'run'> | null {
  const number = deviceNumber(device);
  const own = tracks.flatMap((t, i) => (number !== undefined && allocatorNumber(t.title) === number && isHost(t.title) === isHost(device) ? [i] : []));
  if (own.length !== 1 || bytes <= 0) return null;
  const { title, heap_near_bytes: heap, heap_near_at_ps: at_ps } = tracks[own[0]];
  if (heap === null || at_ps === null || Math.abs(heap - bytes) > bytes * NEAR) return null;
  return { device, bytes, allocator: own[0], title, heap, at_ps };
}

async function ask(devices: Summary['devices'], run: string): Promise<Held[]> {
  const found: Held[] = [];
  for (const [i, device] of devices.name.entries()) {
    const params = { run, px: 1, heap: devices.value[i] };
    const answer = await call<Answers['trace/allocators']>('trace/allocators', params, { key: 'heap/beside', quiet: true }).catch(noAnswer);
    if (!answer?.tracks.length) break;
    const one = heldBy(device, devices.value[i], answer.tracks);
    if (one) found.push({ ...one, run });
  }
  return found;
}

export function followBeside(): () => void {
  const end = follow({
    question: () => {
      const s = summary.value;
      const { hdev, hkind } = view.value; // of a part nothing can be said
      return s?.format === 'jax' && s.devices.n && !hdev && !hkind ? { devices: s.devices, among: beside.value.slice(0, RUNS_MAX) } : null;
    },
    ask: async ({ devices, among }) => {
      for (const run of among) {
        const found = await ask(devices, run);
        if (found.length) return found;
      }
      return [];
    },
    take: (answer) => {
      held.value = answer ?? [];
    },
    fail: () => {
      held.value = [];
    },
  });
  return () => {
    end();
    held.value = [];
  };
}
