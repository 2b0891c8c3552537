/** Operations added up by a word that they share: which word, which group is open; the sums are the server's. */
import { computed } from '@preact/signals';
import type { Params } from '../api/client';
import { follow } from '../api/follow';
import { perRun, view } from '../app/router';
import { GROUP_WORDS } from '../charts/colours';
import { traceApi } from '../trace/api';
import { boxQuestion } from './icicle_state';
import { type OpColumns, type Ops, programName, question } from './state';

export const GROUPINGS = ['none', 'program', 'category', 'opcode', 'group', 'scope', 'source', 'shape', 'bound'] as const;
export type Grouping = (typeof GROUPINGS)[number];
export const GROUPING_WORDS: Partial<Record<Grouping, string>> = { group: 'op group', source: 'source line' };

export const grouping = computed<Grouping>(() => GROUPINGS.find((one) => one === view.value.ogroup) ?? 'none');
/** The group whose operations are listed; undefined: the groups are. */
export const openGroup = computed(() => (grouping.value === 'none' ? undefined : view.value.oin));

/** What the server calls those that have no such word. */
const NONE = '-';

/** The word of a row that it is grouped by. */
export function keyOf(c: OpColumns, k: number, by: Exclude<Grouping, 'none'>): string {
  return String(c[by === 'program' ? 'module' : by][k] || NONE);
}

/** The same for people. */
export function groupName(key: string, by: Grouping): string {
  if (key === NONE || key === '') return 'none recorded';
  return by === 'group' ? (GROUP_WORDS[key] ?? key) : by === 'program' ? programName(key) : key;
}

/** What the table shows, as parameters of its answer: the box, the groups, or the operations of the open one. */
export const shownQuestion = computed<Params>(() => {
  const by = grouping.value;
  return { ...question.value, ...boxQuestion.value, ...(by === 'none' ? {} : { group: by === 'program' ? 'module' : by, of: openGroup.value }) };
});

/** A row for each group; null: not requested. */
export const groups = perRun<OpColumns | null>(null);

export function startGroups(): () => void {
  return follow<Params, Ops>({
    question: () => (grouping.value === 'none' || openGroup.value !== undefined || !question.value.run ? null : shownQuestion.value),
    ask: (params) => traceApi.ops(params, { key: 'trace/ops/groups', quiet: true }),
    take: (answer) => {
      groups.value = answer?.ops ?? null;
    },
    // What is wrong with the question is said beside the table of operations, which asks the same.
    fail: () => {},
    keep: true,
  });
}

/** The name of a row of groups as the next question has it. */
export const keyOfGroup = (c: OpColumns, k: number, by: Grouping): string => (by === 'program' ? c.module[k] : c.name[k]) || NONE;
