import type { ToolId, ToolState } from '../api/types';

export interface ToolInfo {
  id: ToolId;
  title: string;
  /** What the page shows, for tools that are not there yet. */
  shows: string;
  /** What a run must hold for it. */
  needs: string;
  /** What tells the same today. */
  meanwhile?: string;
}

/** In the order of the rail. */
export const TOOLS: ToolInfo[] = [
  {
    id: 'memory',
    title: 'Memory',
    shows: 'what a program uses memory for: the peak, what is live there, for how long and why',
    needs: 'a compiled program with its buffer assignment',
  },
  {
    id: 'trace',
    title: 'Trace',
    shows: 'what ran when, on every host thread and device, on one time axis',
    needs: 'events: a profile of a program that ran',
  },
  {
    id: 'graph',
    title: 'Graph',
    shows: 'the instructions around one instruction, with operands, users and shapes',
    needs: 'a compiled program',
  },
  {
    id: 'ops',
    title: 'Ops',
    shows: 'time, calls, bytes and operations of every instruction, as a table',
    needs: 'events of a device, or of the CPU backend',
    meanwhile: 'xprofd ops',
  },
  {
    id: 'profile',
    title: 'Profile',
    shows: 'time by name scope and category, as a tree',
    needs: 'events with operation names',
  },
  {
    id: 'roofline',
    title: 'Roofline',
    shows: 'operations per second and per byte of every instruction, under the limits of the device',
    needs: 'events of a device whose peak rates are known',
  },
  {
    id: 'doctor',
    title: 'Doctor',
    shows: 'what is slow or large in this run, why, what to change, and how much it saves',
    needs: 'any readable run',
  },
];

export function toolInfo(id: string | undefined): ToolInfo | undefined {
  return TOOLS.find((tool) => tool.id === id);
}

/** Tools whose page is part of this build. */
export const BUILT: ReadonlySet<string> = new Set<string>(['memory', 'trace', 'graph', 'doctor']);

export interface ToolStand {
  open: boolean;
  /** Why it is greyed; null when open. */
  reason: string | null;
}

/** Whether a tool can be opened, and why not; `state` is the server's word when it has spoken. */
export function toolStand(id: string, state: ToolState | undefined): ToolStand {
  if (!BUILT.has(id)) return { open: false, reason: 'not built yet' };
  if (state && !state.available) return { open: false, reason: state.reason ?? 'no data for it in this run' };
  return { open: true, reason: null };
}
