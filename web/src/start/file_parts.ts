import { plural } from '../util/format';
import type { Host } from '../api/types';

/** A piece of a file on its byte scale, for the bar of the files page. */
export interface FilePart {
  from: number;
  to: number;
  kind: 'metadata' | 'lines' | 'other' | 'unread' | 'missing';
  title: string;
  detail: string;
}

/** Bytes a file has, or should have. */
export function wholeOf(host: Host): number {
  return Math.max(host.size_bytes, host.whole_bytes ?? 0, host.read_until_bytes ?? 0);
}

/** Pieces of the file in file order: metadata, lines with events, what was not read, what is missing. */
export function partsOf(host: Host): FilePart[] {
  const out: FilePart[] = [];
  for (const plane of host.planes) {
    const from = plane.offset_bytes ?? null;
    const size = plane.size_bytes ?? null;
    if (from === null || size === null) continue;
    const end = Math.min(from + size, host.size_bytes);
    const lines = plane.lines.filter((line) => line.offset_bytes !== null && line.size_bytes !== null);
    if (!lines.length) {
      const metadata = plane.name.includes('metadata');
      const detail = metadata ? 'modules with their memory plan' : 'names and numbers';
      out.push({ from, to: end, kind: metadata ? 'metadata' : 'other', title: plane.name, detail });
      continue;
    }
    for (const line of lines) {
      const start = line.offset_bytes as number;
      const to = Math.min(start + (line.size_bytes as number), host.size_bytes);
      out.push({ from: start, to, kind: 'lines', title: line.name || plane.name, detail: plural(line.events, 'event') });
    }
  }
  out.sort((a, b) => a.from - b.from);
  return withGaps(out, host);
}

/** What the bytes between known parts are. */
function restOf(format: Host['format']): Pick<FilePart, 'kind' | 'title' | 'detail'> {
  if (format === 'xplane') return { kind: 'other', title: 'names', detail: 'of events and planes' };
  if (format === 'pprof') return { kind: 'metadata', title: 'heap file', detail: 'what a process held, by line of its source' };
  return { kind: 'metadata', title: 'one program', detail: 'its instructions, and its memory plan if the dump has one' };
}

function withGaps(parts: FilePart[], host: Host): FilePart[] {
  const out: FilePart[] = [];
  let at = 0;
  const readTo = host.read_until_bytes ?? (host.error ? 0 : host.size_bytes);
  const fill = (to: number) => {
    if (to > at) out.push({ from: at, to, ...restOf(host.format) });
    at = Math.max(at, to);
  };
  for (const part of parts) {
    // The few bytes before a part are its own tag and length.
    if (part.from - at > 64) fill(part.from);
    if (part.to <= at) continue;
    out.push({ ...part, from: at });
    at = part.to;
  }
  fill(Math.min(readTo, host.size_bytes));
  if (at < host.size_bytes) out.push({ from: at, to: host.size_bytes, kind: 'unread', title: 'not read', detail: '' });
  const whole = wholeOf(host);
  if (whole > host.size_bytes) {
    out.push({ from: host.size_bytes, to: whole, kind: 'missing', title: 'missing', detail: '' });
  }
  return out;
}

/** Pieces under a share of the bar become one, with their count, so that nothing is cut and nothing is a hairline. */
export function foldParts(parts: FilePart[], whole: number, share = 0.012): FilePart[] {
  const out: (FilePart & { count: number })[] = [];
  for (const part of parts) {
    const small = part.to - part.from < whole * share && part.kind !== 'missing' && part.kind !== 'unread';
    const last = out[out.length - 1];
    if (small && last && last.count > 0) {
      last.to = part.to;
      last.count++;
      last.title = `${last.count} small`;
      last.detail = '';
      if (last.kind !== part.kind) last.kind = 'other';
    } else out.push({ ...part, count: small ? 1 : 0 });
  }
  return out;
}
