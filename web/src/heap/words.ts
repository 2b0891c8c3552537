/** Values of a heap file in the unit that the file names. */
import { durationText } from '../trace/time';
import { exactBytes, formatBytes, formatCount } from '../util/format';
import type { Summary } from './state';

type Unit = Summary['unit'];

export function valueText(value: number | null, unit: Unit): string {
  if (value === null) return '';
  if (unit === 'bytes') return formatBytes(value, { unit: 'own' });
  if (unit === 'ns') return value < 0 ? `\u2212${durationText(-value * 1000)}` : durationText(value * 1000);
  return formatCount(value);
}

export function changeText(value: number | null, unit: Unit): string {
  if (value === null) return '';
  return value > 0 ? `+${valueText(value, unit)}` : valueText(value, unit);
}

export const exactText = (value: number, unit: Unit): string => (unit === 'bytes' ? exactBytes(value) : `${formatCount(value)}${unit === 'ns' ? ' ns' : ''}`);

/** What a count of this file counts. */
export const counted = (s: Pick<Summary, 'format'>): string => (s.format === 'jax' ? 'buffer' : s.format === 'heap' ? 'allocation' : 'sample');

/** Of bytes "live", of those that Go and C++ count when they are allocated, freed since or not, "allocated"; "in all" of anything else. */
export const whole = (s: Pick<Summary, 'unit' | 'type'>): string => (s.unit !== 'bytes' ? 'in all' : s.type.startsWith('alloc_') ? 'allocated' : 'live');

export const perWord = (s: { steps: boolean }): string => (s.steps ? 'a step' : 'a file');

/** Of boxes below a pixel, which are drawn as one: for its label, and where it has no room. */
export const joinedWords = (boxes: number): string[] => [`${formatCount(boxes)} more`, '…'];
