/** Lists of numbers as the address and the routes write them: "1,2,5-9". Pure. */
export function numbersText(numbers: Iterable<number>): string {
  const sorted = [...new Set(numbers)].sort((a, b) => a - b);
  const parts: string[] = [];
  for (let i = 0; i < sorted.length; ) {
    let end = i;
    while (sorted[end + 1] === sorted[end] + 1) end++;
    parts.push(end > i ? `${sorted[i]}-${sorted[end]}` : String(sorted[i]));
    i = end + 1;
  }
  return parts.join(',');
}

/** At most so many numbers are read from an address. */
const MOST = 100_000;

export function numbersOf(text: string | undefined): number[] {
  const out: number[] = [];
  for (const part of (text ?? '').split(',')) {
    const found = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(part);
    if (!found) continue;
    const from = Number(found[1]);
    const to = Number(found[2] ?? found[1]);
    for (let k = from; k <= to && out.length < MOST; k++) out.push(k);
  }
  return out;
}

/** Time that at least one of the spans covers. */
export function unionOf(spans: readonly { from: number; to: number }[]): number {
  let sum = 0;
  let covered = Number.NEGATIVE_INFINITY;
  for (const { from, to } of [...spans].sort((a, b) => a.from - b.from)) {
    sum += Math.max(0, to - Math.max(from, covered));
    covered = Math.max(covered, to);
  }
  return sum;
}
