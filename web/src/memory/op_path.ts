/** Parts of an op name; a slash inside brackets does not divide. Pure. */

interface PathPart {
  name: string;
  /** The op name up to and with this part: a filter. */
  prefix: string;
}

export function scopeParts(opName: string): PathPart[] {
  const parts: PathPart[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i <= opName.length; i++) {
    const sign = opName[i];
    if (sign === '(' || sign === '[' || sign === '{') depth++;
    else if ((sign === ')' || sign === ']' || sign === '}') && depth > 0) depth--;
    if (i < opName.length && (sign !== '/' || depth > 0)) continue;
    if (i > start) parts.push({ name: opName.slice(start, i), prefix: opName.slice(0, i) });
    start = i + 1;
  }
  return parts;
}
