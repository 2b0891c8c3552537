/** The selected collective on all chips: who came last, who waited how long. */
import { effect, signal } from '@preact/signals';
import type { Answers } from '../api/answers';
import { call, isAborted } from '../api/client';
import { paint, rows, selected, subject } from './state';

export type Collective = Answers['trace/collective'];

export const collective = signal<Collective | null>(null);

/** Between these the chips came, and left. */
interface Moments {
  firstStart: number;
  lastStart: number;
  firstEnd: number;
  lastEnd: number;
}

export function momentsOf({ chips }: Collective): Moments {
  const least = (list: number[]) => list.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const most = (list: number[]) => list.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  return { firstStart: least(chips.start_ps), lastStart: most(chips.start_ps), firstEnd: least(chips.end_ps), lastEnd: most(chips.end_ps) };
}

/** Where the wait of a chip ends: as the last one joins, or where its own bar ends when the clocks put that before it. */
export function waitEnd(c: Collective, k: number): number {
  return Math.min(c.chips.end_ps[k], c.chips.start_ps[k] + c.chips.wait_ps[k]);
}

/** Parts of the axis that coming and leaving get when both are short beside the whole. */
const EDGE = 0.35;

export interface Axis {
  /** Time to a share of the width. */
  at: (time: number) => number;
  /** The middle, in which all take part, is drawn shorter than it is. */
  broken: boolean;
}

/**
 * The axis of the bars. A skew of microseconds in an operation of milliseconds would be no pixel wide: then coming and leaving
 * fill a third each, every one to its own scale, and what lies between is drawn short.
 */
export function axisOf(m: Moments): Axis {
  const whole = Math.max(m.lastEnd - m.firstStart, 1);
  const skew = m.lastStart - m.firstStart + (m.lastEnd - m.firstEnd);
  if (m.lastStart >= m.firstEnd || skew > whole * 0.3) return { at: (t) => (t - m.firstStart) / whole, broken: false };
  const part = (t: number, from: number, to: number) => (to > from ? (t - from) / (to - from) : 0);
  return {
    at: (t) => {
      if (t < m.lastStart) return EDGE * part(t, m.firstStart, m.lastStart);
      if (t <= m.firstEnd) return EDGE + (1 - 2 * EDGE) * part(t, m.lastStart, m.firstEnd);
      return 1 - EDGE + EDGE * part(t, m.firstEnd, m.lastEnd);
    },
    broken: true,
  };
}

/** Asks for the chips of the selected event whenever that is a collective. */
export function startCollective(): () => void {
  return effect(() => {
    const e = selected.value;
    collective.value = null;
    // On threads of a CPU there are no chips to compare: the server has no answer.
    if (e?.group !== 'coll' || rows.peek()?.processes.kind[e.process] === 'host') return;
    call<Collective>(
      'trace/collective',
      { ...subject.peek(), event: e.event },
      { key: 'trace/collective', quiet: true, part: 'the collective on the other chips' },
    )
      .then((answer) => {
        if (selected.peek() !== e) return;
        collective.value = answer;
        paint();
      })
      .catch((error: unknown) => {
        if (!isAborted(error)) collective.value = null;
      });
  });
}
