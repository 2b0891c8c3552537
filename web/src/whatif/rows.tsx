/** The changed program row by row: the column of the table of buffers, and the largest groups at the next peaks. */
import { effect, signal } from '@preact/signals';
import { call, type Params } from '../api/client';
import { follow } from '../api/follow';
import type { Column } from '../table/virtual';
import { exactBytes } from '../util/format';
import type { BufferRow } from '../memory/buffers_state';
import { cellText } from '../memory/bytes';
import { inspected, settled, subject, summary } from '../memory/state';
import { whatIfColumn, whatIfPlan } from '../memory/what_if_state';
import { plan, planText, tickedRows, groupsAt } from './state';
import type { ChangedSteps } from './types';

/** Sizes at the inspected step that the changes make others. */
const sizes = signal<{ step: number; after: Map<number, number>; leftOut: number } | null>(null);

const COLUMN: Column<BufferRow> = {
  id: 'whatif',
  title: 'what if',
  width: '84px',
  number: true,
  hint: 'its size at the inspected step with the changes; other columns are without them',
  cell: (row) => {
    const then = row.buffer === null ? undefined : sizes.value?.after.get(row.buffer);
    if (then === undefined) return <span class="faint">same</span>;
    return <b class={then < row.size ? 'good' : 'bad'}>{then === 0 ? 'gone' : cellText(then)}</b>;
  },
  tip: (row) => {
    const then = row.buffer === null ? undefined : sizes.value?.after.get(row.buffer);
    return then === undefined ? 'unchanged at this step' : `${exactBytes(row.size)} now, ${exactBytes(then)} with the changes`;
  },
};

const followSteps = (key: string, question: () => Params | null, take: (answer: ChangedSteps | null) => void) =>
  follow({ question, ask: (params) => call<ChangedSteps>('memory/whatif/held', params, { key, quiet: true }), take, fail: () => take(null), keep: true });

/** Rows add up to the curve only where bytes are not a union of addresses. */
const can = () => settled.value && tickedRows.value.length > 0 && summary.value?.live_is_union !== true;

export function startRows(): () => void {
  const stops = [
    effect(() => {
      whatIfPlan.value = can() && plan.value ? planText.value : null;
    }),
    followSteps(
      'whatif/rows',
      () => (can() && inspected.value !== null ? { ...subject.value, plan: planText.value, steps: inspected.value, groups: 0, buffers: 1 } : null),
      (answer) => {
        const at = answer?.steps[0];
        const b = at?.buffers;
        sizes.value = at && b ? { step: at.step, after: new Map(b.buffer.map((buffer, i) => [buffer, b.size_bytes[i]])), leftOut: b.left_out } : null;
        whatIfColumn.value = sizes.value ? COLUMN : null;
      },
    ),
  ];
  return () => {
    for (const stop of stops) stop();
    whatIfColumn.value = null;
    whatIfPlan.value = null;
  };
}

export function startGroups(): () => void {
  return followSteps(
    'whatif/groups',
    () => {
      const steps = plan.value?.peaks.slice(0, 16).map((peak) => peak.step) ?? [];
      return can() && steps.length > 0 ? { ...subject.value, plan: planText.value, steps: steps.join(','), groups: 2 } : null;
    },
    (answer) => {
      groupsAt.value = new Map(answer?.steps.map((at) => [at.step, at.groups ?? []]) ?? []);
    },
  );
}
