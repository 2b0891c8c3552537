/** A comparison in words. Pure. */
import type { Comparison, GroupState } from '../memory/compare_types';

export const STATE_WORDS: Record<GroupState, string> = {
  same: 'same',
  changed: 'changed',
  only_before: 'only before',
  only_after: 'only after',
  left_the_peak: 'no longer at peak',
  into_the_peak: 'new at peak',
};

export const STATE_TIPS: Record<GroupState, string> = {
  same: 'equal bytes at both peaks',
  changed: 'at both peaks, with different bytes',
  only_before: 'not in the “after” program',
  only_after: 'not in the “before” program',
  left_the_peak: 'in both programs, but only at the “before” peak',
  into_the_peak: 'in both programs, but only at the “after” peak',
};

/** Class of a difference: growth is bad, shrinkage good, unless the direction says nothing. */
export function signOf(by: number, plain = false): string {
  return by === 0 || plain ? 'soft' : by > 0 ? 'bad' : 'good';
}

/** "5 of 6", "all 5", "3 more": what became of the buffers of the largest group. */
export function largestChange(a: Comparison): { what: string; shape: string; verb: string; by: number } {
  const g = a.groups;
  const [before, after] = [g.before_count[0], g.after_count[0]];
  const shape = a.names[g.shape[0]] ?? '';
  const by = g.difference_bytes[0];
  if (g.class[0] === null) return { what: 'Overlapping bytes', shape, verb: 'differ', by };
  if (before > after)
    return {
      what: after > 0 ? `${before - after} of ${before}` : before === 1 ? 'The one' : `All ${before}`,
      shape,
      verb: g.state[0] === 'only_before' ? (before === 1 ? 'is gone' : 'are gone') : before === 1 ? 'is no longer at the peak' : 'are no longer at the peak',
      by,
    };
  const there = g.state[0] === 'only_after' && g.shape.some((other, i) => i > 0 && other === g.shape[0] && g.class[i] === g.class[0] && g.before_count[i] > 0);
  if (there) return { what: `${after} more`, shape, verb: 'are at the peak', by };
  if (after > before)
    return {
      what: before > 0 ? `${after - before} more` : after === 1 ? 'One' : `${after}`,
      shape,
      verb: g.state[0] === 'only_after' ? (after === 1 ? 'is new' : 'are new') : after === 1 ? 'is new at the peak' : 'are new at the peak',
      by,
    };
  return { what: `${after}`, shape, verb: by > 0 ? 'became larger' : 'became smaller', by };
}

/** Operation and scope of a group, as one line. */
export function groupPlace(a: Comparison, i: number): string {
  const g = a.groups;
  if (g.class[i] === null) return a.names[g.name[i]] ?? '';
  const scope = a.names[g.scope[i]] || (g.class[i] === 'parameter' ? a.names[g.name[i]] : '');
  return [a.names[g.opcode[i]], scope].filter(Boolean).join(', ');
}

/** The part of a text that another one has differently: [from, to). Whole words, so that a number is marked as one. */
export function changedPart(text: string, other: string): [number, number] {
  const inWord = (at: number) => /[\w.-]/.test(text[at] ?? '');
  const most = Math.min(text.length, other.length);
  let from = 0;
  while (from < most && text[from] === other[from]) from++;
  let end = 0;
  while (end < most - from && text[text.length - 1 - end] === other[other.length - 1 - end]) end++;
  let to = text.length - end;
  while (from > 0 && inWord(from) && inWord(from - 1)) from--;
  while (to < text.length && to > 0 && inWord(to) && inWord(to - 1)) to++;
  return [from, to];
}
