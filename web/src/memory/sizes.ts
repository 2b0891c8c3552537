/** A size a person typed. Pure. */

const BINARY: Record<string, number> = { k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40 };
const DECIMAL: Record<string, number> = { k: 1e3, m: 1e6, g: 1e9, t: 1e12 };

/**
 * "16GiB", "15.75G", "17179869184" or "17,179,869,184" in bytes; null when it is none of these. XLA writes 15.75G for
 * GiB, so a bare letter is binary; "GB" is decimal.
 */
export function parseSize(text: string): number | null {
  const found = /^\s*([\d,]+(?:\.\d+)?)\s*(?:([kmgt])(i?b)?|bytes?|b)?\s*$/i.exec(text);
  if (!found) return null;
  const value = Number(found[1].replace(/,/g, ''));
  const letter = found[2]?.toLowerCase();
  const scale = !letter ? 1 : (found[3]?.toLowerCase() === 'b' ? DECIMAL : BINARY)[letter];
  const bytes = Math.round(value * scale);
  return Number.isSafeInteger(bytes) && bytes > 0 ? bytes : null;
}
