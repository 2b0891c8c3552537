/** Measured times of groups and transfers. They are asked for apart from the bytes, since a trace may have to be read first. */
import { effect, signal } from '@preact/signals';
import { call, isAborted, type Params } from '../api/client';
import { settled, subject } from '../memory/state';
import { durationText } from '../trace/time';
import { formatCount } from '../util/format';
import { inner, level, opsBy, reportTab } from './state';
import type { GroupRow, Groups, Times, TransferRow, Transfers } from './types';

interface Measured extends Times {
  rows: Map<string, { self_ps: number; executions: number }>;
}
/** null: not known, or not yet. */
export const groupTimes = signal<Measured | null>(null);
export const transferTimes = signal<Measured | null>(null);

export const transferKey = (row: TransferRow) => [row.kind, row.name, row.from, row.to].join('\n');

function measured<Row extends GroupRow | TransferRow>(times: Times | null, rows: readonly Row[], key: (row: Row) => string): Measured | null {
  if (!times?.known) return null;
  return { ...times, rows: new Map(rows.map((row) => [key(row), { self_ps: row.self_ps ?? 0, executions: row.executions ?? 0 }])) };
}

let serial = 0;
function ask<T>(route: string, params: Params, put: (answer: T) => void): void {
  const mine = ++serial;
  call<T>(route, { ...params, times: 1, limit: 5000 }, { key: 'report/times', quiet: true })
    .then((answer) => {
      if (mine === serial) put(answer);
    })
    // The bytes are there all the same: the column is not.
    .catch((error: unknown) => {
      if (!isAborted(error)) console.warn((error as Error).message);
    });
}

/** The head of the column of times. */
export function timesHead(times: Measured): { title: string; hint: string; width: number } {
  return { title: 'time', hint: `self time of the instructions, all executions on all devices of ${times.host ?? 'the host'} added up, by the clock of the ${times.clock === 'mixed' ? 'device where it tells, else the host' : times.clock}; what runs inside a loop counts there`, width: 92 };
}

/** "1.204 ms" of a row; what never ran has none. */
export function timeCell(times: Measured, key: string): string {
  const row = times.rows.get(key);
  return row && row.executions > 0 ? durationText(row.self_ps) : '';
}

/** "in 12 executions" for the hover. */
export function timeHint(times: Measured, key: string): string {
  const row = times.rows.get(key);
  return row && row.executions > 0 ? `${durationText(row.self_ps)} in ${formatCount(row.executions)} executions` : 'not measured';
}

export function startTimes(): () => void {
  const stops = [
    effect(() => {
      const by = reportTab.value === 'ops' ? opsBy.value : reportTab.value === 'kinds' ? 'signature' : '';
      groupTimes.value = null;
      serial++;
      // Times are of instructions; these group buffers.
      if (!settled.value || !['op', 'computation', 'opcode', 'signature'].includes(by) || inner.value !== '') return;
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
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
