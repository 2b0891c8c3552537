/**
 * What a filter of operations means: text or /expression/ in name, scope, source or shape; `bound:hbm`, `scope:block_*`; `roofline<50`, `self>1%`,
 * `avg>10us`. A space is and, | is or, - before a term is not. It is tried on the rows that the page has. Pure.
 */
import { GROUP_WORDS } from '../memory/colours';
import { boundOf, type Look, shareOf } from './columns';

export type Test = (l: Look, k: number) => boolean;
export interface Filter {
  test: Test;
  /** Why the text is none; '': it is one. */
  problem: string;
}

const WORDS: Record<string, (l: Look, k: number) => string[]> = {
  name: (l, k) => [l.c.name[k]],
  scope: (l, k) => [l.c.scope[k]],
  pass: (l, k) => [l.c.phase[k] ?? ''],
  src: (l, k) => [l.c.source[k]],
  program: (l, k) => [l.c.module[k]],
  opcode: (l, k) => [l.c.opcode[k]],
  group: (l, k) => [l.c.group[k], GROUP_WORDS[l.c.group[k]] ?? ''],
  category: (l, k) => [l.c.category[k]],
  shape: (l, k) => [l.c.shape[k]],
  bound: (l, k) => [boundOf(l, k)],
};
/** Times in picoseconds: compared with a unit, or as % of the self time of all operations. */
const TIMES: Record<string, (l: Look, k: number) => number | null> = {
  self: (l, k) => l.c.self_ps[k],
  total: (l, k) => l.c.total_ps[k],
  avg: (l, k) => l.c.mean_ps[k],
  p50: (l, k) => l.c.p50_ps[k],
  p99: (l, k) => l.c.p99_ps[k],
  min: (l, k) => l.c.min_ps[k],
  max: (l, k) => l.c.max_ps[k],
  win: (l, k) => l.c.lost_ps[k],
};
const NUMBERS: Record<string, (l: Look, k: number) => number | null> = {
  count: (l, k) => l.c.count[k],
  roofline: (l, k) => {
    const share = shareOf(l, k);
    return share === null ? null : share * 100;
  },
  intensity: (l, k) => l.c.intensity[k],
};
const UNITS: Record<string, number> = { ns: 1e3, us: 1e6, µs: 1e6, ms: 1e9, s: 1e12 };
/** A pattern that anybody would type is shorter. */
const LONGEST = 256;

/** Terms with their signs; an expression and a quoted text hold their spaces. */
const TERM = /-?(?:\/(?:\\.|[^/\\])*\/|"[^"]*"|[^\s|]+)|\|/g;

const fail = (problem: string): never => {
  throw new SyntaxError(problem);
};

/** Text as it is, or with * for anything; case does not matter. */
function matcher(text: string): (value: string) => boolean {
  const small = text.toLowerCase();
  if (!small.includes('*')) return (value) => value.toLowerCase().includes(small);
  const pattern = new RegExp(small.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*'));
  return (value) => pattern.test(value.toLowerCase());
}

function comparison(key: string, sign: string, text: string): Test {
  const [, digits, unit] = /^(\d+(?:\.\d+)?)(%|[a-zµ]*)$/.exec(text) ?? fail(`${text} is no number: ${key}${sign}10us, ${key}${sign}1%`);
  const compare = (value: number | null, bound: number) => value !== null && (sign === '<' ? value < bound : value > bound);
  if (key in NUMBERS) return (l, k) => compare(NUMBERS[key](l, k), Number(digits));
  if (!(key in TIMES)) fail(`${key} has no number; those that have: ${[...Object.keys(TIMES), ...Object.keys(NUMBERS)].join(', ')}`);
  if (unit === '%') return (l, k) => compare(TIMES[key](l, k), (Number(digits) / 100) * l.o.self_ps);
  if (!(unit in UNITS)) fail(`${key} is a time: write ${digits}us, ${digits}ms or ${digits}%`);
  return (l, k) => compare(TIMES[key](l, k), Number(digits) * UNITS[unit]);
}

const anywhere = (l: Look, k: number): string[] => [l.c.name[k], l.c.scope[k], l.c.source[k], l.c.shape[k]];

function term(text: string): Test {
  if (text.length > 1 && text.startsWith('-')) {
    const test = term(text.slice(1));
    return (l, k) => !test(l, k);
  }
  if (/^\/.+\/$/.test(text)) {
    const pattern = new RegExp(text.slice(1, -1), 'i');
    return (l, k) => anywhere(l, k).some((value) => pattern.test(value));
  }
  const [, key, sign, value] = /^([a-z]\w*)([:<>])(.+)$/i.exec(text) ?? [];
  if (key && sign !== ':') return comparison(key.toLowerCase(), sign, value.toLowerCase());
  const column = key ? key.toLowerCase() : '';
  if (column in WORDS) {
    const matches = matcher(value);
    return (l, k) => WORDS[column](l, k).some(matches);
  }
  // A file and its line have a colon too.
  const matches = matcher(text.replace(/^"|"$/g, ''));
  return (l, k) => anywhere(l, k).some(matches);
}

export function filterOf(text: string): Filter {
  const all: Test = () => true;
  if (!text.trim()) return { test: all, problem: '' };
  if (text.length > LONGEST) return { test: all, problem: `a filter has ${LONGEST} letters at the most` };
  try {
    const either: Test[][] = [[]];
    for (const part of text.match(TERM) ?? []) {
      if (part === '|') either.push([]);
      else either[either.length - 1].push(term(part));
    }
    if (either.some((every) => every.length === 0)) fail('there is nothing on one side of |');
    return { test: (l, k) => either.some((every) => every.every((test) => test(l, k))), problem: '' };
  } catch (error) {
    return { test: all, problem: error instanceof Error ? error.message : String(error) };
  }
}
