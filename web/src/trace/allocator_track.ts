/**
 * What the runtime's allocators had in use, as one more row of each device (of the host, for memory of the host): measured,
 * where the profile has allocation events.
 */
import type { AllocatorTrack, TraceAllocators } from '../api/answers';
import { formatBytes, formatCount } from '../util/format';
import type { Counter } from './boxes';
import { ALLOCATOR } from './layout';
import { type Track, TrackSource } from './tracks';
import { lastAtOrBelow } from '../util/bisect';

export function allocatorTracks(answer: TraceAllocators): Track[] {
  return answer.tracks.map((t, k) => ({
    row: ALLOCATOR + k,
    process: t.process,
    caption: /^\d+$/.test(t.allocator) ? 'Runtime' : `Runtime ${t.allocator}`,
    derived: false,
    how: answer.how,
    events: t.events,
  }));
}

export function allocatorCounter(t: AllocatorTrack): Counter {
  return {
    at: Float64Array.from(t.at_ps),
    value: Float64Array.from(t.most_here_bytes),
    least: Float64Array.from(t.least_bytes),
    most: t.most_bytes,
    bytes: true,
    capacity: t.capacity_bytes ?? undefined,
  };
}

export const allocators = new TrackSource<TraceAllocators>({
  route: 'trace/allocators',
  wanted: () => true,
  tracks: allocatorTracks,
  counters: (answer) => new Map(answer.tracks.map((t, k) => [ALLOCATOR + k, allocatorCounter(t)])),
});

/** What the track of a row says at a time; null where nothing is known. */
export function allocatorWords(row: number, time: number): { title: string; lines: string[] } | null {
  return allocators.at(time, (answer) => {
    const t = answer.tracks[row - ALLOCATOR];
    if (!t) return null;
    const k = lastAtOrBelow(t.at_ps, time);
    if (k < 0) return { title: 'not known', lines: [`nothing was reported before; ${formatCount(t.events)} events follow`] };
    const bytes = (name: string, size: number | null) => (size === null ? [] : [`${name} ${formatBytes(size)}`]);
    const lines = [[...bytes('reserved', t.reserved_bytes[k]), ...bytes('allocated', t.allocated_bytes[k]), ...bytes('free', t.available_bytes[k])].join(', ')];
    if (t.least_bytes[k] < t.most_here_bytes[k]) lines.push(`from ${formatBytes(t.least_bytes[k])} in this pixel`);
    lines.push(`allocator ${t.allocator}, most ${formatBytes(t.most_bytes)}${t.capacity_bytes === null ? '' : ` of ${formatBytes(t.capacity_bytes)}`}`);
    return { title: `${formatBytes(t.most_here_bytes[k])} in use by the runtime`, lines };
  });
}
