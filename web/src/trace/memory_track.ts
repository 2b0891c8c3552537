/**
 * Below the operations of a chip: what the compiler has live while they run. The server derives it for the window; here it
 * becomes one more row of each chip, with a number that no row of the file has.
 */
import { effect, signal } from '@preact/signals';
import { type ApiError, call, isAborted } from '../api/client';
import type { TraceMemory, TraceMemoryTrack } from '../api/types_trace';
import { setView } from '../app/router';
import { formatBytes, formatCount } from '../util/format';
import type { Counter, RowBoxes } from './boxes';
import { TRACK } from './layout';
import { all, boxesVersion, coarse, fine, paint, plot, rows, type Span, subject, windowNow } from './state';
import { type Track, valueAt, withTracks } from './tracks';

/** The answer for the whole trace, and for the window when that is a part of it. */
const whole = signal<TraceMemory | null>(null);
const part = signal<TraceMemory | null>(null);

export function memoryTracks(memory: TraceMemory): Track[] {
  return memory.tracks
    .filter((t) => t.reason === null)
    .map((t) => ({
      row: TRACK + t.row,
      process: t.process,
      caption: `Live bytes ${memory.spaces[Math.max(0, t.program.find((p) => p >= 0) ?? 0)] ?? ''}`.trim(),
      derived: true,
      how: memory.how,
      events: t.n,
    }));
}

export function counterOf(track: TraceMemoryTrack): Counter {
  return {
    at: Float64Array.from(track.at),
    value: Float64Array.from(track.most_here, (v) => v ?? 0),
    least: Float64Array.from(track.least, (v) => v ?? 0),
    most: track.most ?? 0,
    bytes: true,
  };
}

function put(memory: TraceMemory, into: Map<number, RowBoxes>): void {
  for (const track of memory.tracks) {
    if (track.reason !== null) continue;
    const row = TRACK + track.row;
    into.set(row, { row, from: memory.from, to: memory.to, cell: 1, q: 1, lanes: [], counter: counterOf(track) });
  }
  boxesVersion.value++;
  paint();
}

function ask(w: Span | null, into: typeof whole, boxes: Map<number, RowBoxes>): void {
  const asked = JSON.stringify(subject.peek());
  const span = w ?? all.peek();
  const px = Math.max(1, Math.min(16_384, Math.round(plot.width)));
  call<TraceMemory>('trace/memory', { ...subject.peek(), from: Math.floor(span.from), to: Math.ceil(span.to), px }, { key: w ? 'trace/memory/part' : 'trace/memory', quiet: true })
    .then((answer) => {
      if (asked !== JSON.stringify(subject.peek())) return;
      into.value = answer;
      put(answer, boxes);
    })
    .catch((error: unknown) => {
      // Without the track the picture is whole all the same.
      if (!isAborted(error)) console.warn((error as ApiError).message);
    });
}

/** Keeps the track in step with the rows and the window. */
export function startTracks(): () => void {
  let asked = '';
  const stops = [
    effect(() => {
      const r = rows.value;
      const key = JSON.stringify(subject.value);
      if (key !== asked && !r) whole.value = part.value = null;
      if (!r?.derived || key === asked || !r.processes.kind.includes('tpu')) return;
      asked = key;
      ask(null, whole, coarse);
    }),
    effect(() => {
      const r = rows.value;
      const memory = whole.value;
      if (!r?.derived || !memory || asked !== JSON.stringify(subject.value)) return;
      const next = withTracks(r, memoryTracks(memory));
      if (next !== r) rows.value = next;
    }),
    effect(() => {
      const w = windowNow.value;
      const memory = whole.value;
      const a = all.value;
      if (!memory?.tracks.some((t) => t.reason === null)) return;
      for (const t of memory.tracks) fine.delete(TRACK + t.row);
      part.value = null;
      if (w.from > a.from || w.to < a.to) ask({ from: Math.max(w.from, a.from), to: Math.min(w.to, a.to) }, part, fine);
    }),
  ];
  return () => {
    for (const stop of stops) stop();
    whole.value = part.value = null;
  };
}

export interface TrackPoint {
  bytes: number | null;
  least: number | null;
  module: string | null;
  step: number | null;
}

/** What the track of a row says at a time; null beside it. */
export function trackAt(row: number, time: number): TrackPoint | null {
  for (const memory of [part.peek(), whole.peek()]) {
    const track = memory?.tracks.find((t) => TRACK + t.row === row && t.reason === null);
    if (!memory || !track || time < memory.from || time > memory.to) continue;
    const low = Math.max(0, valueAt(track.at, time));
    return { bytes: track.most_here[low], least: track.least[low], module: memory.programs[track.program[low]] ?? null, step: track.step[low] };
  }
  return null;
}

export function trackWords(at: TrackPoint): { title: string; lines: string[] } {
  if (at.bytes === null) return { title: 'not known', lines: ['a program that is not in the file runs here'] };
  if (!at.module) return { title: 'nothing runs', lines: ['0 between the runs of programs'] };
  const lines = [at.module];
  if (at.least !== null && at.least < at.bytes) lines.push(`from ${formatBytes(at.least)} in this pixel`);
  lines.push(at.step === null ? 'click opens Memory' : `click opens Memory at step ${formatCount(at.step)}`);
  return { title: `${formatBytes(at.bytes)} live by the compiler`, lines };
}

/** Opens the Memory Viewer where the track has its value; false when it has none there. */
export function openTrack(row: number, time: number): boolean {
  const at = trackAt(row, time);
  if (!at?.module) return false;
  setView({ tool: 'memory', module: at.module, step: at.step }, { push: true });
  return true;
}
