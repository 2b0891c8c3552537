import type { ToolState } from '../api/answers';
import type { ToolId } from '../api/types';
import type { ViewPart } from '../ui/later';

export interface ToolInfo {
  id: ToolId;
  title: string;
  shows: string;
  /** Its view among the parts that are loaded later; absent: it comes with the first view. */
  part?: ViewPart;
}

/** The one list of tools, in the order of the sidebar: sidebar, keys, palette and page read it. */
export const TOOLS: ToolInfo[] = [
  { id: 'overview', title: 'Overview', shows: 'where a step goes, and what to change first', part: 'OverviewView' },
  { id: 'memory', title: 'Memory', shows: 'the peak of a program, what is live there and why' },
  { id: 'trace', title: 'Trace', shows: 'what ran when, on every thread and device', part: 'TraceView' },
  { id: 'graph', title: 'Graph', shows: 'the instructions around one, with operands and users', part: 'GraphView' },
  { id: 'ops', title: 'Ops', shows: 'time, work and bound of every operation', part: 'OpsView' },
  { id: 'roofline', title: 'Roofline', shows: 'operations under the limits of their device', part: 'RooflineView' },
  { id: 'input', title: 'Input', shows: 'what each step waits for, and its loaders', part: 'InputView' },
  { id: 'doctor', title: 'Doctor', shows: 'what is slow or large, and what to change', part: 'DoctorView' },
];

export function toolInfo(id: string | undefined): ToolInfo | undefined {
  return TOOLS.find((tool) => tool.id === id);
}

export interface ToolStand {
  open: boolean;
  /** Why it is greyed; null when open. */
  reason: string | null;
}

/** Whether a tool can be opened, and why not; `state` is the server's word when it has spoken. */
export function toolStand(state: ToolState | undefined): ToolStand {
  if (state && !state.available) return { open: false, reason: state.reason ?? 'no data for it in this run' };
  return { open: true, reason: null };
}
