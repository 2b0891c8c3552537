/** Groups of operations as small numbers: what boxes carry and colours are looked up by. Pure. */

/** 'thread': what a host thread does that moves no data and computes nothing. */
export const GROUPS = ['none', 'matmul', 'elem', 'reduce', 'move', 'coll', 'control', 'host', 'custom', 'thread'] as const;
export type Group = (typeof GROUPS)[number];
const INDEX = new Map<string, number>(GROUPS.map((g, k) => [g, k]));

export function isGroup(group: string): boolean {
  return INDEX.has(group);
}

export function groupIndex(group: string): number {
  return INDEX.get(group) ?? 0;
}

/** On threads of a host "host" says nothing; there it is grey, as programs are. */
export function groupOn(group: string, thread: boolean): number {
  return groupIndex(thread && (group === 'host' || group === 'none') ? 'thread' : group);
}

/** Colour by group, on devices and on threads. */
export const ON_DEVICE = Uint8Array.from(GROUPS, (g) => groupOn(g, false));
export const ON_THREAD = Uint8Array.from(GROUPS, (g) => groupOn(g, true));
