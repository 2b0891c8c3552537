/** Names cut so that they still say what they name. Pure. */

/** Namespaces go first: "TfrtTpuLoadedExecutable::ExecuteLaunch" is "::ExecuteLaunch". */
export function withoutNamespace(name: string): string {
  const at = name.lastIndexOf('::');
  return at > 0 && at + 2 < name.length ? name.slice(at) : name;
}

/** At most `most` signs: in the middle where the end tells apart ("broadcast_ad…fusion.1"), else at the end; '' below 3. */
export function cutName(name: string, most: number): string {
  if (name.length <= most) return name;
  if (most < 3) return '';
  const number = /[\w-]*\.\d+$/.exec(name);
  if (number && most >= 9) {
    const tail = Math.min(Math.floor(most / 2), Math.max(name.length - name.lastIndexOf('.') + 3, Math.floor(most * 0.4)));
    return `${name.slice(0, most - tail - 1)}\u2026${name.slice(name.length - tail)}`;
  }
  return `${name.slice(0, most - 1)}\u2026`;
}

/** An event as it is written: by its name, one that the file has no name for by its number. */
export function eventName(caption: string, event: number): string {
  return shortName(caption) || `event ${event}, no metadata`;
}

/** The program's name without its number: "jit_f" of "jit_f(12190760917235803885)". */
export function shortName(caption: string): string {
  return caption.replace(/\(\d{4,}\)$/, '');
}
