/** An error text cut at the byte offsets that the server understood. Pure. */

export interface TextPart {
  text: string;
  /** What the server took it for, or null between the matches. */
  what: string | null;
}

/** Offsets are bytes of UTF-8; overlapping and impossible ones are left out. */
export function cutParts(text: string, parts: readonly { offset_bytes: number; size_bytes: number; what: string }[]): TextPart[] {
  const bytes = new TextEncoder().encode(text);
  const decode = new TextDecoder();
  const out: TextPart[] = [];
  let at = 0;
  for (const part of [...parts].sort((a, b) => a.offset_bytes - b.offset_bytes)) {
    const start = part.offset_bytes;
    const end = start + part.size_bytes;
    if (start < at || part.size_bytes <= 0 || end > bytes.length) continue;
    if (start > at) out.push({ text: decode.decode(bytes.subarray(at, start)), what: null });
    out.push({ text: decode.decode(bytes.subarray(start, end)), what: part.what });
    at = end;
  }
  if (at < bytes.length) out.push({ text: decode.decode(bytes.subarray(at)), what: null });
  return out;
}

/** Index at which a text passes a number of lines, or its length. */
function lineEnd(text: string, lines: number): number {
  let at = -1;
  for (let k = 0; k < lines; k++) {
    at = text.indexOf('\n', at + 1);
    if (at < 0) return text.length;
  }
  return at;
}

/** A long message shortened for the strip to its first lines; what is left out is counted, and can be unfolded. */
export function shortParts(parts: readonly TextPart[], most = 420, lines = 3): { parts: TextPart[]; cut: number } {
  const whole = parts.map((part) => part.text).join('');
  let room = Math.min(most, lineEnd(whole, lines));
  const out: TextPart[] = [];
  const cut = whole.slice(room).trim() === '' ? 0 : whole.length - room;
  for (const part of parts) {
    if (room <= 0) break;
    const text = part.text.slice(0, room);
    room -= text.length;
    out.push({ text: room === 0 && cut > 0 ? `${text.trimEnd()} … ` : text, what: part.what });
  }
  return { parts: out, cut };
}
