import type { Progress } from '../api/types';

/** How fast a file is read: bytes per second since it was first seen, and seconds left at that rate. */
interface Pace {
  perSecond: number;
  secondsLeft: number;
}

interface Seen {
  what: string;
  total: number;
  at: number;
  done: number;
}

let first: Seen | null = null;

/** Takes one report of progress; null until a second of it has been seen, or where nothing moves. */
export function paceOf(now: Progress, at: number): Pace | null {
  if (!first || first.what !== now.what || first.total !== now.total_bytes || now.done_bytes < first.done) {
    first = { what: now.what, total: now.total_bytes, at, done: now.done_bytes };
  }
  const seconds = (at - first.at) / 1000;
  const bytes = now.done_bytes - first.done;
  if (seconds < 1 || bytes <= 0) return null;
  const perSecond = bytes / seconds;
  return { perSecond, secondsLeft: Math.max(0, (now.total_bytes - now.done_bytes) / perSecond) };
}

/** "about 6 s left", "about 3 min left": no more digits than are known. */
export function leftWords(seconds: number): string {
  return seconds < 90 ? `about ${Math.max(1, Math.round(seconds))} s left` : `about ${Math.round(seconds / 60)} min left`;
}
