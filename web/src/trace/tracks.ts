/**
 * Rows that the page adds to those of the file: what they hold comes from routes of their own. A source asks its route for
 * the whole trace, and again for the window when that is a part of it, puts its rows behind those of the file and its
 * curves among the boxes.
 */
import { effect, signal } from '@preact/signals';
import { call } from '../api/client';
import type { TraceRows } from '../api/answers';
import type { Counter, RowBoxes } from './boxes';
import { isTrack } from './layout';
import { all, boxesVersion, coarse, fine, paint, plot, rows, type Span, subject, windowNow } from './state';

export interface Track {
  row: number;
  /** null: of none, and it is not shown. */
  process: number | null;
  caption: string;
  derived: boolean;
  how: string;
  /** Values that there are: more than none, or the row is not shown. */
  events: number;
}

/** The rows with these behind them; those that are there already stay as they are. */
export function withTracks(r: TraceRows, tracks: readonly Track[]): TraceRows {
  const known = new Set(r.rows.row.filter(isTrack));
  const next = tracks.filter((t) => !known.has(t.row) && t.events > 0 && t.process !== null);
  if (!next.length) return r;
  const columns = { ...r.rows } as unknown as Record<string, unknown[]>;
  const values: Record<string, (t: Track) => unknown> = {
    row: (t) => t.row,
    process: (t) => t.process,
    host: (t) => r.processes.host[t.process ?? 0] ?? 0,
    caption: (t) => t.caption,
    kind: () => 'memory',
    derived: (t) => t.derived,
    how: (t) => t.how,
    depths: () => 1,
    events: (t) => t.events,
    end_ps: () => r.end_ps,
    first_ps: () => r.first_ps,
    device_busy_ps: () => null,
    device_clock: () => false,
    cut: () => false,
    hidden: () => false,
    id: () => '',
  };
  for (const key of Object.keys(columns))
    if (Array.isArray(columns[key])) columns[key] = [...columns[key], ...next.map((t) => (key in values ? values[key](t) : 0))];
  return { ...r, rows: { ...(columns as unknown as TraceRows['rows']), n: r.rows.n + next.length } };
}

/** What tells one kind of tracks from another. */
interface TrackKind<T> {
  /** The route that answers with them, for a window and a width. */
  route: string;
  /** Whether a trace can have some: else nothing is asked. */
  wanted: (r: TraceRows) => boolean;
  tracks: (answer: T) => Track[];
  /** Curves by row. */
  counters: (answer: T) => Map<number, Counter>;
}

export class TrackSource<T extends { from_ps: number; to_ps: number }> {
  /** The answer for the whole trace, and for the window when that is a part of it. */
  private readonly whole = signal<T | null>(null);
  private readonly part = signal<T | null>(null);
  /** Numbers of its rows. */
  private own: number[] = [];

  constructor(private readonly kind: TrackKind<T>) {}

  /** The finest answer that covers a time and has something to say of it. */
  at<V>(time: number, say: (answer: T) => V | null): V | null {
    for (const answer of [this.part.peek(), this.whole.peek()]) {
      const said = answer && time >= answer.from_ps && time <= answer.to_ps ? say(answer) : null;
      if (said !== null) return said;
    }
    return null;
  }

  private ask(w: Span | null): void {
    const asked = JSON.stringify(subject.peek());
    const span = w ?? all.peek();
    const px = Math.max(1, Math.min(16_384, Math.round(plot.width)));
    const { route } = this.kind;
    call<T>(
      route,
      { ...subject.peek(), from: Math.floor(span.from), to: Math.ceil(span.to), px },
      { key: w ? `${route}/part` : route, quiet: true, part: 'rows of memory' },
    )
      .then((answer) => {
        if (asked !== JSON.stringify(subject.peek())) return;
        this.put(answer, w ? fine : coarse);
        (w ? this.part : this.whole).value = answer;
      })
      // Without these rows the picture is whole all the same.
      .catch(() => {});
  }

  private put(answer: T, into: Map<number, RowBoxes>): void {
    const counters = this.kind.counters(answer);
    this.own = [...counters.keys()];
    for (const [row, counter] of counters) into.set(row, { row, from: answer.from_ps, to: answer.to_ps, cell: 1, q: 1, lanes: [], counter });
    boxesVersion.value++;
    paint();
  }

  /** Keeps the tracks in step with the rows and the window; the answer stops it. */
  start(): () => void {
    let asked = '';
    const stops = [
      effect(() => {
        const r = rows.value;
        const key = JSON.stringify(subject.value);
        if (key !== asked && !r) this.whole.value = this.part.value = null;
        if (!r?.derived || key === asked || !this.kind.wanted(r)) return;
        asked = key;
        this.ask(null);
      }),
      effect(() => {
        const r = rows.value;
        const answer = this.whole.value;
        if (!r?.derived || !answer || asked !== JSON.stringify(subject.value)) return;
        const next = withTracks(r, this.kind.tracks(answer));
        if (next !== r) rows.value = next;
      }),
      effect(() => {
        const w = windowNow.value;
        const a = all.value;
        if (!this.whole.value || !this.own.length) return;
        for (const row of this.own) fine.delete(row);
        this.part.value = null;
        if (w.from > a.from || w.to < a.to) this.ask({ from: Math.max(w.from, a.from), to: Math.min(w.to, a.to) });
      }),
    ];
    return () => {
      for (const stop of stops) stop();
      this.whole.value = this.part.value = null;
    };
  }
}
