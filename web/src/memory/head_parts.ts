/** The numbers of the headline's bar and its words. Pure. */
import type { SentencePart, Split, Summary } from '../api/types';
import { formatBytes } from '../util/format';

export interface Segment {
  id: 'param' | 'output' | 'const' | 'temp' | 'untraced' | 'frag' | 'free';
  title: string;
  bytes: number;
  padding: number;
  /** Fractions of the bar. */
  left: number;
  width: number;
  /** Part of the segment that is padding, 0 to 1. */
  padded: number;
}

interface HeadBar {
  segments: Segment[];
  /** Bytes of the whole bar. */
  scale: number;
  /** Where capacity ends when the program is larger, as a fraction of the bar; null when it fits. */
  limit: number | null;
}

type Facts = Pick<Summary, 'capacity_bytes' | 'reserved_bytes' | 'peak'> & { split: Split };

/** Classes in the order of the bar; those without bytes stay, with a width of 0. */
export function headBar(s: Facts): HeadBar {
  const { split } = s;
  const pad = split.padding;
  const parts: [Segment['id'], string, number, number][] = [
    ['param', 'Arguments', split.argument_bytes, pad?.argument_bytes ?? 0],
    ['output', 'Outputs', split.output_bytes, pad?.output_bytes ?? 0],
    ['const', 'Constants', split.constant_bytes, pad?.constant_bytes ?? 0],
    ['temp', 'Temporaries', split.temp_bytes ?? 0, pad?.temp_bytes ?? 0],
  ];
  // Without heap events it is unknown which bytes of the heap are live, so the heap is one part with that name.
  const heap = s.reserved_bytes === null ? 0 : Math.max(0, s.reserved_bytes - s.peak.held_bytes);
  if (split.fragmentation_bytes === null) parts.push(['untraced', 'Without heap events', heap, 0]);
  parts.push(['frag', 'Fragmentation', split.fragmentation_bytes ?? 0, 0]);
  const capacity = s.capacity_bytes;
  const used = parts.reduce((sum, part) => sum + part[2], 0);
  const scale = Math.max(capacity ?? 0, s.peak.held_bytes, used, 1);
  if (capacity !== null) parts.push(['free', 'Free', Math.max(0, capacity - used), 0]);
  let at = 0;
  const segments = parts.map(([id, title, bytes, padding]) => {
    const segment = {
      id,
      title,
      bytes,
      padding,
      left: at / scale,
      width: bytes / scale,
      padded: bytes > 0 ? Math.min(1, padding / bytes) : 0,
    };
    at += bytes;
    return segment;
  });
  return { segments, scale, limit: capacity !== null && capacity < scale ? capacity / scale : null };
}

/** Longest of the labels that fits; a pixel count per character is enough for a bar. */
export function fittingLabel(labels: readonly string[], pixels: number): string {
  return labels.find((label) => label.length * 6.7 + 12 <= pixels) ?? '';
}

/** The sentence as parts, advice behind it, with one full stop between them. */
export function sentenceParts(sentence: readonly SentencePart[], advice: string | null): SentencePart[] {
  const parts = [...sentence];
  const last = parts[parts.length - 1];
  if (!last) return advice ? [{ kind: 'text', text: advice }] : [];
  const stop = /[.!?]$/.test(last.text) ? '' : '.';
  parts.push({ kind: 'text', text: advice ? `${stop} ${advice}` : stop });
  return parts.filter((part) => part.text !== '');
}

/** The same as one text, for tooltips and readers. */
export function sentenceText(parts: readonly SentencePart[]): string {
  return parts.map((part) => part.text).join('');
}

export interface Fit {
  fits: boolean | null;
  /** Bytes above capacity, or 0. */
  over: number;
  /** Peak as a fraction of capacity. */
  share: number | null;
}

export function fitOf(peak: number, capacity: number | null): Fit {
  if (capacity === null || capacity <= 0) return { fits: null, over: 0, share: null };
  return { fits: peak <= capacity, over: Math.max(0, peak - capacity), share: peak / capacity };
}

/** What XProf shows for it, where that is another number. */
export function xprofNote(s: Summary, what: string): string {
  const found = s.xprof.differs.find((item) => item.what === what);
  return found ? `\nXProf shows ${formatBytes(found.xprof)}: ${found.reason}` : '';
}
