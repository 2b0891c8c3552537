/** Words of Over time that several parts use. */
import type { AllocatorTrack, AllocStepsAnswer } from '../api/answers';
import { sizeText } from '../memory/bytes';
import { fixed, formatCount, UNKNOWN } from '../util/format';
import { MS, S } from '../trace/time';

/** An instant: "15.181 s", "406.0 ms". */
export function instant(ps: number | null | undefined): string {
  if (ps === null || ps === undefined) return UNKNOWN;
  return Math.abs(ps) >= 0.1 * S ? `${fixed(ps / S, 3)} s` : `${fixed(ps / MS, 3)} ms`;
}

/** In the page's unit, which is that of the highest of the strips: "5.01 GiB" beside "20.02 GiB", small ones in their own. */
export const bytes = (size: number | null | undefined): string => sizeText(size ?? null);
export const signedBytes = (size: number): string => (size > 0 ? `+${bytes(size)}` : bytes(size));

/** A slope in bytes: two digits, as the headline has it. */
export function slopeText(slope: number | null): string {
  if (slope === null) return UNKNOWN;
  const size = Math.abs(slope);
  const sign = slope > 0 ? '+' : slope < 0 ? '\u2212' : '';
  if (size >= 2 ** 30) return `${sign}${fixed(size / 2 ** 30, 2)} GiB`;
  if (size >= 2 ** 20) return `${sign}${fixed(size / 2 ** 20, 2)} MiB`;
  return size >= 1024 ? `${sign}${fixed(size / 1024, 2)} KiB` : `${sign}${fixed(size, 0)} B`;
}

/** "+1.20 MiB a step, R² 0.31"; what is not known is left out. */
export function fitText(slope: number | null, word: string, r2: number | null, digits: number): string {
  return [...(slope === null ? [] : [`${slopeText(slope)}${word ? ` a ${word}` : ''}`]), ...(r2 === null ? [] : [`R² ${fixed(r2, digits)}`])].join(', ');
}

/** On the strip of what leaks: "lowest of each step grows by 2.40 MiB a step, R² 0.99". */
export const growthLine = (answer: AllocStepsAnswer, at: number): string =>
  `lowest of each ${STEP_WORDS[answer.what]} grows by ${slopeText(answer.growth.slope_bytes[at]).slice(1)} a ${STEP_WORDS[answer.what]}, R² ${fixed(answer.growth.r2[at] ?? 0, 2)}`;

export const VERDICTS = { leak: 'leak', no_growth: 'no growth', too_few_steps: 'too few steps' } as const;
export const STEP_WORDS = { steps: 'step', runs: 'run', tenths: 'tenth of the time' } as const;
export const STEPS_WORDS = { steps: 'steps', runs: 'runs', tenths: 'tenths of the time' } as const;

export const percent = (share: number | null): string => (share === null ? UNKNOWN : `${fixed(share * 100, 1)} %`);

/** Ends of hosts of fewer letters say nothing. */
const LEAST_HOST = 4;

/** The title of an allocator, then shorter ones: where its host has no room, the allocator is first and the host keeps its end, "GPU_6_bfc …179_6003". */
export function shorterTitles(title: string): string[] {
  const at = title.lastIndexOf(' ');
  if (at < 0) return [title];
  const [host, allocator] = [title.slice(0, at), title.slice(at + 1)];
  const ends = Array.from({ length: Math.max(0, host.length - LEAST_HOST) }, (_, k) => `${allocator} …${host.slice(k + 1)}`);
  return [title, ...ends, allocator];
}

/** Under a strip's name. */
export const peakLine = (track: AllocatorTrack): string => `peak ${bytes(track.most_bytes)}`;

export const eventsWord = (count: number): string => `measured by the runtime, ${formatCount(count)} events`;
