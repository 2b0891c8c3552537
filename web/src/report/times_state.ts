/** Measured times of groups and transfers. They are asked for apart from the bytes, since a trace may have to be read first. */
import { type ComponentChildren, h } from 'preact';
import { computed, effect, signal } from '@preact/signals';
import { call, type Params } from '../api/client';
import { settled, subject } from '../memory/state';
import { durationText } from '../trace/time';
import { formatCount } from '../util/format';
import { baseSubject, followBase } from './base_state';
import { transferKey } from './base_join';
import { countCell } from './lines';
import { inner, level, opsBy, reportTab } from './state';
import type { GroupRow, Groups, Times, TransferRow, Transfers } from './types';
import { together } from '../util/listen';

interface Measured extends Times {
  rows: Map<string, { self_ps: number; executions: number; wait_ps: number }>;
}
/** null: not known, or not yet. */
export const groupTimes = signal<Measured | null>(null);
export const transferTimes = signal<Measured | null>(null);

function measured<Row extends GroupRow | TransferRow>(times: Times | null, rows: readonly Row[], key: (row: Row) => string): Measured | null {
  if (!times?.known) return null;
  return { ...times, rows: new Map(rows.map((row) => [key(row), { self_ps: row.self_ps ?? 0, executions: row.executions ?? 0, wait_ps: row.wait_ps ?? 0 }])) };
}

/** Of the pinned baseline, in the same tables; null: none is pinned, or it was not measured. */
const baseGroupAnswer = signal<Groups | null>(null);
const baseTransferAnswer = signal<Transfers | null>(null);
export const baseGroupTimes = computed(() => measured(baseGroupAnswer.value?.times ?? null, baseGroupAnswer.value?.rows ?? [], (row) => row.name));
export const baseTransferTimes = computed(() => measured(baseTransferAnswer.value?.times ?? null, baseTransferAnswer.value?.rows ?? [], transferKey));

/** Times are of instructions; other groupings are of buffers. */
function timedBy(): string {
  const by = reportTab.value === 'ops' ? opsBy.value : reportTab.value === 'kinds' ? 'signature' : '';
  return ['op', 'computation', 'opcode', 'signature'].includes(by) && inner.value === '' ? by : '';
}

let serial = 0;
function ask<T>(route: string, params: Params, put: (answer: T) => void): void {
  const mine = ++serial;
  call<T>(route, { ...params, times: 1, limit: 5000 }, { key: 'report/times', quiet: true, part: 'the times' })
    .then((answer) => {
      if (mine === serial) put(answer);
    })
    // The bytes are there all the same: the column is not.
    .catch(() => {});
}

/** The head of the column of times. */
function timesHead(times: Measured): { title: string; hint: string; width: number } {
  return {
    title: 'time',
    hint: `self time of the instructions, all executions on all devices${times.host ? ` of ${times.host}` : ''} added up, by the clock of the ${times.clock === 'mixed' ? 'device where recorded, else the host' : times.clock}; work inside a loop counts for the instruction in the loop`,
    width: 92,
  };
}

/** Columns of measured times: what ran and, where chips waited for asynchronous pairs, how long. */
export function timeColumns(times: Measured | null): { title: string; hint: string; width: number }[] {
  if (!times) return [];
  if (!hasWaits(times)) return [timesHead(times)];
  return [
    timesHead(times),
    {
      title: 'waits',
      hint: 'how long chips waited at the done of asynchronous pairs, shown for both halves; already part of the time of the done, so not summed',
      width: 92,
    },
  ];
}

const hasWaits = (times: Measured) => [...times.rows.values()].some((row) => row.wait_ps > 0);

/** The cells of a row in these columns. */
export function timeCells(times: Measured | null, base: Measured | null, key: string): ComponentChildren[] {
  if (!times) return [];
  const waits = (of: Measured) => of.rows.get(key)?.wait_ps ?? 0;
  const wait = waits(times) > 0 || (base && waits(base) > 0) ? timeText(waits(times), base && waits(base)) : '';
  const cells = [timeCell(times, base, key), ...(hasWaits(times) ? [wait] : [])];
  return cells.map((cell) => h('span', { title: timeHint(times, base, key) }, cell));
}

/** Those of a sum: a wait stands at both halves of a pair and is not added up. */
export function sumCells(times: Measured | null, ps: number, before: number | null | undefined): ComponentChildren[] {
  return times ? [timeText(ps, before), ...(hasWaits(times) ? [''] : [])] : [];
}

const selfOf = (times: Measured, key: string) => times.rows.get(key)?.self_ps ?? 0;

/** "1.204 ms", with the difference to the baseline's: both are of all executions that were recorded, which the hover counts. */
function timeText(ps: number, before: number | null | undefined): ComponentChildren {
  return countCell(ps, before, durationText);
}

/** Of a row; what ran in neither program has none. */
function timeCell(times: Measured, base: Measured | null, key: string): ComponentChildren {
  const ran = (of: Measured | null) => (of?.rows.get(key)?.executions ?? 0) > 0;
  return ran(times) || ran(base) ? timeText(selfOf(times, key), base && selfOf(base, key)) : '';
}

/** "in 12 executions" for the hover. */
function timeHint(times: Measured, base: Measured | null, key: string): string {
  const words = (of: Measured) => {
    const row = of.rows.get(key);
    return row && row.executions > 0
      ? `${durationText(row.self_ps)} in ${formatCount(row.executions)} executions${row.wait_ps > 0 ? `, waits ${durationText(row.wait_ps)} for asynchronous pairs` : ''}`
      : row && row.wait_ps > 0
        ? `waits ${durationText(row.wait_ps)} for asynchronous pairs`
        : 'not measured';
  };
  return base ? `${words(times)}; before: ${words(base)}` : words(times);
}

export function startTimes(): () => void {
  return together([
    effect(() => {
      const by = timedBy();
      groupTimes.value = null;
      serial++;
      if (!settled.value || !by) return;
      ask<Groups>('report/groups', { ...subject.value, by, level: level.value }, (answer) => {
        groupTimes.value = measured(answer.times, answer.rows, (row) => row.name);
      });
    }),
    effect(() => {
      transferTimes.value = null;
      if (!settled.value || reportTab.value !== 'transfers') return;
      ask<Transfers>('report/transfers', { ...subject.value }, (answer) => {
        transferTimes.value = measured(answer.times, answer.rows, transferKey);
      });
    }),
    followBase(
      () =>
        baseSubject.value && groupTimes.value && timedBy()
          ? { route: 'report/groups', params: { ...baseSubject.value, by: timedBy(), level: level.value, times: 1, limit: 5000 } }
          : null,
      baseGroupAnswer,
      'times/',
    ),
    followBase(
      () => (baseSubject.value && transferTimes.value ? { route: 'report/transfers', params: { ...baseSubject.value, times: 1, limit: 5000 } } : null),
      baseTransferAnswer,
      'times/',
    ),
  ]);
}
