/** The text of the steps box: "94, 167, 340-350". Pure. */
const MOST_STEPS = 8;

/** Parts of the text, or the sentence that says what is wrong with it. */
export function readSteps(text: string, count: number): { parts: string[] } | { wrong: string } {
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter((part, k, all) => part !== '' || all.length > 1 || k > 0);
  if (parts.length === 0) return { parts: [] };
  if (parts.length > MOST_STEPS) return { wrong: `at most ${MOST_STEPS} steps at a time` };
  const read: string[] = [];
  for (const part of parts) {
    const found = /^(\d+)(?:\s*-\s*(\d+))?$/.exec(part);
    if (!found) return { wrong: `"${part}" is not a step: use numbers and ranges such as 94, 167, 340-350` };
    const from = Number(found[1]);
    const to = found[2] === undefined ? from : Number(found[2]);
    if (to < from) return { wrong: `the range ${from}-${to} ends before it begins` };
    if (to >= count) return { wrong: `there is no step ${to}; the last is ${Math.max(0, count - 1)}` };
    read.push(from === to ? String(from) : `${from}-${to}`);
  }
  return { parts: read };
}

export function letterOf(index: number): string {
  return String.fromCharCode(65 + index);
}

/** What a click on the chart makes of the steps: A is replaced; with Ctrl one more, or one less when it is there. */
export function clickStep(parts: readonly string[], step: number, add: boolean): string[] {
  const at = String(step);
  if (!add) return [at, ...parts.slice(1).filter((part) => part !== at)];
  if (parts.includes(at)) return parts.length > 1 ? parts.filter((part) => part !== at) : [...parts];
  return [...parts, at].slice(-MOST_STEPS);
}
