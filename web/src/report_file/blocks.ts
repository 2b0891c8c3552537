/** What stands in the file: elements with gzip in base64. */

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** The text of an element, or null when there is none of that id. */
export async function unpack(id: string): Promise<string | null> {
  const packed = document.getElementById(id)?.textContent;
  if (!packed) return null;
  const stream = new Blob([bytesOf(packed)]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).text();
}

const kept = new Map<number, Promise<string[]>>();

/** Lines of a block of answers; each is unpacked once. */
export function lines(block: number): Promise<string[]> {
  let found = kept.get(block);
  if (!found) {
    found = unpack(`block-${block}`).then((text) => (text ?? '').split('\n'));
    kept.set(block, found);
  }
  return found;
}
