/**
 * What the runtime's allocators had in use, as one more row of each device (of the host, for memory of the host): measured,
 * where the profile has allocation events.
 */
import { effect, signal } from '@preact/signals';
import { type ApiError, call, isAborted } from '../api/client';
import type { TraceAllocators, TraceAllocatorTrack } from '../api/types_trace';
import { formatBytes, formatCount } from '../util/format';
import type { Counter, RowBoxes } from './boxes';
import { ALLOCATOR } from './layout';
import { all, boxesVersion, coarse, fine, paint, plot, rows, type Span, subject, windowNow } from './state';
import { type Track, valueAt, withTracks } from './tracks';

const whole = signal<TraceAllocators | null>(null);
const part = signal<TraceAllocators | null>(null);

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

export function allocatorCounter(t: TraceAllocatorTrack): Counter {
  return { at: Float64Array.from(t.at), value: Float64Array.from(t.most_here), least: Float64Array.from(t.least), most: t.most, bytes: true, capacity: t.capacity ?? undefined };
}

function put(answer: TraceAllocators, into: Map<number, RowBoxes>): void {
  answer.tracks.forEach((t, k) => {
    into.set(ALLOCATOR + k, { row: ALLOCATOR + k, from: answer.from, to: answer.to, cell: 1, q: 1, lanes: [], counter: allocatorCounter(t) });
  });
  boxesVersion.value++;
  paint();
}

function ask(w: Span | null): void {
  const asked = JSON.stringify(subject.peek());
  const span = w ?? all.peek();
  const px = Math.max(1, Math.min(16_384, Math.round(plot.width)));
  call<TraceAllocators>('trace/allocators', { ...subject.peek(), from: Math.floor(span.from), to: Math.ceil(span.to), px }, { key: w ? 'trace/allocators/part' : 'trace/allocators', quiet: true })
    .then((answer) => {
      if (asked !== JSON.stringify(subject.peek())) return;
      (w ? part : whole).value = answer;
      put(answer, w ? fine : coarse);
    })
    .catch((error: unknown) => {
      // Without these rows the picture is whole all the same.
      if (!isAborted(error)) console.warn((error as ApiError).message);
    });
}

/** Keeps the tracks in step with the rows and the window. */
export function startAllocators(): () => void {
  let asked = '';
  const stops = [
    effect(() => {
      const r = rows.value;
      const key = JSON.stringify(subject.value);
      if (key !== asked && !r) whole.value = part.value = null;
      if (!r?.derived || key === asked) return;
      asked = key;
      ask(null);
    }),
    effect(() => {
      const r = rows.value;
      const answer = whole.value;
      if (!r?.derived || !answer || asked !== JSON.stringify(subject.value)) return;
      const next = withTracks(r, allocatorTracks(answer));
      if (next !== r) rows.value = next;
    }),
    effect(() => {
      const w = windowNow.value;
      const a = all.value;
      if (!whole.value?.tracks.length) return;
      whole.value.tracks.forEach((_, k) => {
        fine.delete(ALLOCATOR + k);
      });
      part.value = null;
      if (w.from > a.from || w.to < a.to) ask({ from: Math.max(w.from, a.from), to: Math.min(w.to, a.to) });
    }),
  ];
  return () => {
    for (const stop of stops) stop();
    whole.value = part.value = null;
  };
}

/** What the track of a row says at a time; null where nothing is known. */
export function allocatorWords(row: number, time: number): { title: string; lines: string[] } | null {
  for (const answer of [part.peek(), whole.peek()]) {
    const t = answer?.tracks[row - ALLOCATOR];
    if (!answer || !t || time < answer.from || time > answer.to) continue;
    const k = valueAt(t.at, time);
    if (k < 0) return { title: 'not known', lines: [`nothing was reported before; ${formatCount(t.events)} events follow`] };
    const bytes = (name: string, size: number | null) => (size === null ? [] : [`${name} ${formatBytes(size)}`]);
    const lines = [[...bytes('reserved', t.reserved[k]), ...bytes('allocated', t.allocated[k]), ...bytes('free', t.available[k])].join(', ')];
    if (t.least[k] < t.most_here[k]) lines.push(`from ${formatBytes(t.least[k])} in this pixel`);
    lines.push(`allocator ${t.allocator}, most ${formatBytes(t.most)}${t.capacity === null ? '' : ` of ${formatBytes(t.capacity)}`}`);
    return { title: `${formatBytes(t.most_here[k])} in use by the runtime`, lines };
  }
  return null;
}
