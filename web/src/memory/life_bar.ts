/** Where a life lies on a bar that stands for the whole program. Pure. */

export interface Span {
  /** Fractions of the width, 0 to 1. */
  left: number;
  width: number;
}

/** Steps [start, end); a life without a start was there before the program, one without an end outlives it. */
export function lifeSpan(start: number | null, end: number | null, steps: number): Span {
  if (!(steps > 0)) return { left: 0, width: 1 };
  const from = Math.min(Math.max(start ?? 0, 0), steps);
  const to = Math.min(Math.max(end ?? steps, from), steps);
  return { left: from / steps, width: (to - from) / steps };
}

/** Middle of a step as a fraction. */
export function stepShare(step: number | null, steps: number): number | null {
  return step === null || !(steps > 0) ? null : Math.min(1, Math.max(0, (step + 0.5) / steps));
}

/** Pixels of the ticks, each pixel once, in order. */
export function tickPixels(ticks: readonly number[], steps: number, width: number): number[] {
  if (!(steps > 0)) return [];
  const seen = new Set<number>();
  for (const tick of ticks) seen.add(Math.min(Math.floor(((tick + 0.5) / steps) * width), width - 1));
  return [...seen].sort((a, b) => a - b);
}

/** The longest stretch without a use has to be worth a word: both ends known and at least a tenth of the life. */
export function idleWords(from: number | null, to: number | null, peak: number | null): string | null {
  if (from === null || to === null || to <= from) return null;
  const across = peak !== null && peak >= from && peak <= to ? ', across the peak' : '';
  return `idle from step ${from.toLocaleString('en-US')} to ${to.toLocaleString('en-US')}${across}`;
}
