/** Operations added up by a word that they share: which word, which group is open, and what each adds up to. */
import { computed } from '@preact/signals';
import { view } from '../app/router';
import { GROUP_WORDS } from '../memory/colours';
import { boundOf, type Look, type Sums, sumsOf } from './columns';
import { programName } from './state';

export const GROUPINGS = ['none', 'program', 'category', 'opcode', 'group', 'scope', 'source', 'shape', 'bound'] as const;
export type Grouping = (typeof GROUPINGS)[number];
export const GROUPING_WORDS: Partial<Record<Grouping, string>> = { group: 'op group', source: 'source line' };

export const grouping = computed<Grouping>(() => GROUPINGS.find((one) => one === view.value.ogroup) ?? 'none');
/** The group whose operations are listed; undefined: the groups are. */
export const openGroup = computed(() => (grouping.value === 'none' ? undefined : view.value.oin));

const NOTHING = 'none recorded';

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
