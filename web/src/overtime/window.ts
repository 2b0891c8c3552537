/** Windows of time and values of curves. Pure. */
import type { AllocatorTrack, TraceAllocators, TraceRows } from '../api/answers';
import { lastAtOrBelow } from '../util/bisect';

export interface Window {
  from: number;
  to: number;
}

/** "0,2,1": whole numbers, each once. */
export function numbersOf(text: string | undefined): number[] {
  return [
    ...new Set(
      (text ?? '')
        .split(',')
        .filter((part) => /^\d{1,6}$/.test(part))
        .map(Number),
    ),
  ];
}

export const boundsOf = (answer: TraceAllocators | null): Window =>
  answer && answer.to_ps > answer.from_ps ? { from: answer.from_ps, to: answer.to_ps } : { from: 0, to: 1 };

/** Within the bounds, at least a nanosecond wide. */
export function clampWindow(w: Window, bounds: Window): Window {
  const length = Math.min(Math.max(w.to - w.from, 1000), bounds.to - bounds.from);
  const from = Math.min(Math.max(w.from, bounds.from), bounds.to - length);
  return { from, to: from + length };
}

export function zoomed(w: Window, factor: number, at: number): Window {
  return { from: at - (at - w.from) * factor, to: at + (w.to - at) * factor };
}

interface HostNote {
  name: string;
  note: string;
  /** It has strips. */
  strip: boolean;
}

/** Of several hosts those without a strip, with the reason, and those whose clock does not place them. */
export function hostNotes(rows: Pick<TraceRows, 'host' | 'hosts'> | null, tracks: readonly Pick<AllocatorTrack, 'host'>[]): HostNote[] {
  if (!rows || rows.hosts.length < 2 || rows.host !== 'ALL') return [];
  const drawn = new Set(tracks.map((t) => t.host));
  return rows.hosts.flatMap((host, k): HostNote[] => {
    if (!drawn.has(k)) return [{ name: host.name, note: host.error ?? 'the runtime recorded no allocations on this host', strip: false }];
    return host.placed === 'no_clock' || host.placed === 'apart' ? [{ name: host.name, note: host.said ?? 'the file has no clock', strip: true }] : [];
  });
}

/** What a strip's scale ends at: the capacity where it is near, else what was in use at most. */
export function topOf(track: AllocatorTrack): number {
  const { capacity_bytes: capacity, most_bytes: most } = track;
  return Math.max(1, capacity !== null && most > capacity / 4 ? capacity : most * 1.08);
}

/** Whether free memory and its end are in the strip. */
export const showsCapacity = (track: AllocatorTrack, top: number) => track.capacity_bytes !== null && track.capacity_bytes <= top * 1.001;

/** The next point behind (1) or before (-1) a time at which use changes, by `share` of the most at least. */
export function nextChange(track: AllocatorTrack, time: number, by: 1 | -1, share: number): number | null {
  const least = track.most_bytes * share;
  const from = lastAtOrBelow(track.at_ps, time);
  for (let k = by > 0 ? from + 1 : track.at_ps[from] === time ? from - 1 : from; k >= 0 && k < track.n; k += by) {
    const before = k > 0 ? track.last_bytes[k - 1] : 0;
    if (track.at_ps[k] !== time && Math.abs(track.most_here_bytes[k] - before) >= least) return track.at_ps[k];
  }
  return null;
}
