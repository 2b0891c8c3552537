/** Finding in the text: what a person types, and the lines that hold it. Pure. */
import { type HloText, lineAt } from './text';

/** What a person types: text, or a regular expression between slashes. Null and a reason when that makes no sense. */
export function matcher(typed: string): { test: (line: string) => boolean } | { error: string } | null {
  if (!typed) return null;
  const regex = /^\/(.+)\/$/.exec(typed);
  if (!regex) {
    const wanted = typed.toLowerCase();
    return { test: (line) => line.toLowerCase().includes(wanted) };
  }
  try {
    const expression = new RegExp(regex[1]);
    return { test: (line) => expression.test(line) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

const lowered = new WeakMap<HloText, string>();

/** Lines with this text, upper and lower case alike; one pass over the body, however many lines. */
function linesWith(text: HloText, wanted: string): number[] | null {
  let lower = lowered.get(text);
  if (lower === undefined) {
    lower = text.body.toLowerCase();
    lowered.set(text, lower);
  }
  // A few letters change their length; offsets then mean nothing.
  if (lower.length !== text.body.length || wanted.includes('\n')) return null;
  const lines: number[] = [];
  for (let at = lower.indexOf(wanted); at >= 0; ) {
    const line = lineAt(text, at);
    lines.push(line);
    if (line + 1 >= text.starts.length) break;
    at = lower.indexOf(wanted, text.starts[line + 1]);
  }
  return lines;
}

export interface Found {
  lines: number[];
  error: string;
}

export function findLines(text: HloText, typed: string): Found {
  const wanted = matcher(typed);
  if (!wanted) return { lines: [], error: '' };
  if ('error' in wanted) return { lines: [], error: wanted.error };
  const quick = /^\/(.+)\/$/.test(typed) ? null : linesWith(text, typed.toLowerCase());
  if (quick) return { lines: quick, error: '' };
  const lines: number[] = [];
  text.lines.forEach((line, i) => {
    if (wanted.test(line)) lines.push(i);
  });
  return { lines, error: '' };
}

/** The first hit at or after a line, or before it, going round at the ends; -1 when there is none. */
export function hitFrom(lines: readonly number[], line: number, by: 1 | -1): number {
  if (!lines.length) return -1;
  if (by > 0) {
    const at = lines.findIndex((hit) => hit >= line);
    return at < 0 ? 0 : at;
  }
  for (let at = lines.length - 1; at >= 0; at--) if (lines[at] <= line) return at;
  return lines.length - 1;
}
