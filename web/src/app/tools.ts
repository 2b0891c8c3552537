import type { ToolState } from '../api/answers';
import { SIDEBAR } from '../api/sidebar';
import type { ToolId } from '../api/types';
import type { ViewPart } from '../ui/later';

export interface ToolInfo {
  id: ToolId;
  title: string;
  /** What it shows, in a few words. */
  shows: string;
  /** Its view among the parts that are loaded later; absent: it comes with the first view. */
  part?: ViewPart;
}

/** The tools in the order of the sidebar. */
export const TOOLS: readonly ToolInfo[] = SIDEBAR;

export function toolInfo(id: string | undefined): ToolInfo | undefined {
  return TOOLS.find((tool) => tool.id === id);
}

export interface ToolStand {
  open: boolean;
  /** Why it is greyed; null when open. */
  reason: string | null;
}

/** Whether a tool can be opened, and why not; `state` is what the server answered, if it has. */
export function toolStand(state: ToolState | undefined): ToolStand {
  if (state && !state.available) return { open: false, reason: state.reason ?? 'no data for it in this run' };
  return { open: true, reason: null };
}
