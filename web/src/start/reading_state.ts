import { effect, signal } from '@preact/signals';
import type { Loading } from '../api/answers';
import { call, isAborted, progress } from '../api/client';
import { view } from '../app/router';
import { run } from '../app/state';

export interface FileRow {
  host: string;
  name: string;
  sizeBytes: number;
  /** 0 to 1. */
  share: number;
  events: number | null;
  modules: number | null;
  state: string;
  /** What there is of it can be used now. */
  whole: boolean;
  active: boolean;
}

export const loading = signal<Loading | null>(null);
const POLL_MS = 500;

/** Asks twice a second while something is being read; ends with the component that shows it. */
export function followLoading(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let over = false;
  const ask = async () => {
    const id = view.peek().run;
    try {
      if (id && progress.peek()) loading.value = await call<Loading>('loading', { run: id }, { key: 'loading', quiet: true });
    } catch (error) {
      if (!isAborted(error)) loading.value = null; // the strip itself says what is wrong
    }
    if (!over) timer = setTimeout(() => void ask(), POLL_MS);
  };
  void ask();
  // Another run, or another choice of its hosts: the rows are of the old one.
  const forget = effect(() => {
    void [view.value.run, view.value.only];
    loading.value = null;
  });
  return () => {
    over = true;
    clearTimeout(timer);
    forget();
  };
}

/** Directories first; once they are there, what is read are the events. */
export function rowsOf(now: Loading): FileRow[] {
  const f = now.files;
  const events = now.state === 'loaded';
  return f.name.map((name, i) => {
    const asked = f.events_total_bytes[i] > 0;
    const share = events
      ? f.events_read[i]
        ? 1
        : asked
          ? f.events_done_bytes[i] / f.events_total_bytes[i]
          : 0
      : f.size_bytes[i] > 0
        ? f.done_bytes[i] / f.size_bytes[i]
        : 1;
    const usable = f.state[i] === 'read';
    let state: string = { waits: 'waits', reading: 'being read', read: 'read', unreadable: 'not readable', left_out: 'left out' }[f.state[i]];
    if (events && usable) {
      if (!f.events[i]) state = 'no events';
      else state = f.events_read[i] ? 'events read' : asked && f.events_done_bytes[i] > 0 ? 'events being read' : 'events wait';
    }
    return {
      host: f.host[i],
      name,
      sizeBytes: f.size_bytes[i],
      share: Math.min(1, share),
      events: f.events[i],
      modules: f.modules[i],
      state,
      whole: usable && (!events || f.events_read[i]),
      active: state.endsWith('being read'),
    };
  });
}

/** Hosts that can be had without the others: profiles, no dumps. */
export function hostsOf(rows: readonly FileRow[]): FileRow[] {
  return rows.filter((row) => row.host && row.state !== 'left out' && row.state !== 'not readable');
}

/** Is it the run that is waited for, or the events of a run that is there? */
export const readingEvents = () => run.value !== null && loading.value?.state === 'loaded';
