/**
 * Below the operations of a chip: what the compiler has live while they run. The server derives it for the window; here it
 * becomes one more row of each chip, with a number that no row of the file has.
 */
import type { TraceMemory, TraceMemoryTrack } from '../api/answers';
import { run } from '../app/state';
import { formatBytes, formatCount } from '../util/format';
import type { Counter } from './boxes';
import { TRACK } from './layout';
import { type Track, TrackSource } from './tracks';
import { lastAtOrBelow } from '../util/bisect';

const known = (memory: TraceMemory) => memory.tracks.filter((t) => t.reason === null);

export function memoryTracks(memory: TraceMemory): Track[] {
  return known(memory).map((t) => ({
    row: TRACK + t.row,
    process: t.process,
    caption: `Live bytes ${memory.spaces[Math.max(0, t.program.find((p) => p !== null) ?? 0)] ?? ''}`.trim(),
    derived: true,
    how: memory.how,
    events: t.n,
  }));
}

export function counterOf(track: TraceMemoryTrack, capacity?: number | null): Counter {
  return {
    at: Float64Array.from(track.at_ps),
    value: Float64Array.from(track.most_here_bytes, (v) => v ?? 0),
    least: Float64Array.from(track.least_bytes, (v) => v ?? 0),
    most: track.most_bytes ?? 0,
    bytes: true,
    capacity: capacity ?? undefined,
  };
}

export const liveBytes = new TrackSource<TraceMemory>({
  route: 'trace/memory',
  wanted: (r) => r.processes.kind.includes('tpu'),
  tracks: memoryTracks,
  counters: (memory) => new Map(known(memory).map((t) => [TRACK + t.row, counterOf(t, run.peek()?.capacity_bytes)])),
});

interface TrackPoint {
  bytes: number | null;
  least: number | null;
  module: string | null;
  step: number | null;
}

/** What the track of a row says at a time; null beside it. */
export function trackAt(row: number, time: number): TrackPoint | null {
  return liveBytes.at(time, (memory) => {
    const track = known(memory).find((t) => TRACK + t.row === row);
    if (!track) return null;
    const low = Math.max(0, lastAtOrBelow(track.at_ps, time));
    return {
      bytes: track.most_here_bytes[low],
      least: track.least_bytes[low],
      module: memory.programs[track.program[low] ?? -1] ?? null,
      step: track.step[low],
    };
  });
}

export function trackWords(at: TrackPoint): { title: string; lines: string[] } {
  if (at.bytes === null) return { title: 'not known', lines: ['a program that is not in the file runs here'] };
  if (!at.module) return { title: 'nothing runs', lines: ['0 between the runs of programs'] };
  const lines = [at.module];
  if (at.least !== null && at.least < at.bytes) lines.push(`from ${formatBytes(at.least)} in this pixel`);
  if (at.step !== null) lines.push(`step ${formatCount(at.step)} of the program's memory`);
  return { title: `${formatBytes(at.bytes)} live by the compiler`, lines };
}

/** Where the Memory Viewer shows what the track says at a time; null where no program of the file runs. */
export function memoryOf(row: number, time: number): { module: string; step: number | null } | null {
  const at = trackAt(row, time);
  return at?.module ? { module: at.module, step: at.step } : null;
}
