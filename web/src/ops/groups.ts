/** Operations added up by a word that they share: which word, which group is open, and what each adds up to. */
import { computed } from '@preact/signals';
import { view } from '../app/router';
import { GROUP_WORDS } from '../memory/colours';
import { boundOf, type Look, type Sums, sumsOf } from './columns';
import { moduleOf, programName } from './state';

export const GROUPINGS = ['none', 'program', 'category', 'opcode', 'group', 'scope', 'source', 'shape', 'bound'] as const;
export type Grouping = (typeof GROUPINGS)[number];
export const GROUPING_WORDS: Partial<Record<Grouping, string>> = { group: 'op group', source: 'source line' };

export const grouping = computed<Grouping>(() => GROUPINGS.find((one) => one === view.value.ogroup) ?? 'none');
/** The group whose operations are listed; undefined: the groups are. */
export const openGroup = computed(() => (grouping.value === 'none' ? undefined : view.value.oin));

const NOTHING = 'none recorded';

/** What the server calls each in `group` and in a filter. */
const WORD_OF: Record<Exclude<Grouping, 'none'>, { group: string; key: string }> = {
  program: { group: 'module', key: 'module' },
  category: { group: 'category', key: 'cat' },
  opcode: { group: 'opcode', key: 'op' },
  group: { group: 'group', key: 'group' },
  scope: { group: 'scope', key: 'scope' },
  source: { group: 'source', key: 'src' },
  shape: { group: 'shape', key: 'shape' },
  bound: { group: 'bound', key: 'bound' },
};

/** A term of a filter that only rows with exactly this word pass. */
export function exactTerm(key: string, word: string): string {
  return word === NOTHING || word === '' ? `-${key}:/./` : `${key}:/^${word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}$/`;
}

/** What the table shows as parameters of its CSV and JSON: groups, or the rows of the open one. A filter with alternatives cannot be narrowed further: then all rows that it lets through. */
export function exported(filter: string): { group?: string; filter: string; whole: boolean } {
  const by = grouping.value;
  const open = openGroup.value;
  if (by === 'none') return { filter, whole: true };
  if (open === undefined) return { group: WORD_OF[by].group, filter, whole: true };
  if (filter.includes('|')) return { filter, whole: false };
  const word = by === 'group' ? (Object.keys(GROUP_WORDS).find((id) => GROUP_WORDS[id] === open) ?? open) : by === 'program' ? (moduleOf(open) ?? open) : open;
  return { filter: [filter, exactTerm(WORD_OF[by].key, word)].filter(Boolean).join(' '), whole: true };
}

/** The word of a row that it is grouped by. */
export function keyOf(l: Look, k: number, by: Grouping): string {
  const { c } = l;
  const word = {
    none: '',
    program: programName(c.module[k]),
    category: c.category[k],
    opcode: c.opcode[k],
    group: GROUP_WORDS[c.group[k]] ?? c.group[k],
    scope: c.scope[k],
    source: c.source[k],
    shape: c.shape[k],
    bound: boundOf(l, k),
  }[by];
  return word || NOTHING;
}

export interface Group {
  key: string;
  sums: Sums;
}

/** Most time first; the sums of all groups are those of the rows. */
export function groupsOf(l: Look, rows: Iterable<number>, by: Grouping): Group[] {
  const members = new Map<string, number[]>();
  for (const k of rows) {
    const key = keyOf(l, k, by);
    const list = members.get(key);
    if (list) list.push(k);
    else members.set(key, [k]);
  }
  return [...members].map(([key, list]) => ({ key, sums: sumsOf(l, list) })).sort((a, b) => b.sums.self_ps - a.sums.self_ps || (a.key < b.key ? -1 : 1));
}
