/** An error text cut at the byte offsets that the server understood. Pure. */

export interface TextPart {
  text: string;
  /** What the server took it for, or null between the matches. */
  what: string | null;
}

/** Offsets are bytes of UTF-8; overlapping and impossible ones are left out. */
export function cutParts(text: string, parts: readonly { offset: number; size: number; what: string }[]): TextPart[] {
  const bytes = new TextEncoder().encode(text);
  const decode = new TextDecoder();
  const out: TextPart[] = [];
  let at = 0;
  for (const part of [...parts].sort((a, b) => a.offset - b.offset)) {
    const end = part.offset + part.size;
    if (part.offset < at || part.size <= 0 || end > bytes.length) continue;
    if (part.offset > at) out.push({ text: decode.decode(bytes.subarray(at, part.offset)), what: null });
    out.push({ text: decode.decode(bytes.subarray(part.offset, end)), what: part.what });
    at = end;
  }
  if (at < bytes.length) out.push({ text: decode.decode(bytes.subarray(at)), what: null });
  return out;
}

/**
 * A long message shortened for the strip: the first lines, and later ones only around what was understood. The rest is
 * counted, not lost: the strip can be unfolded.
 */
export function shortParts(parts: readonly TextPart[], most = 420): { parts: TextPart[]; cut: number } {
  const out: TextPart[] = [];
  let room = most;
  let cut = 0;
  for (const part of parts) {
    if (part.text.length <= room) {
      out.push(part);
      room -= part.text.length;
    } else if (room > 0) {
      out.push({ text: `${part.text.slice(0, room)}…`, what: part.what });
      cut += part.text.length - room;
      room = 0;
    } else cut += part.text.length;
  }
  return { parts: out, cut };
}
