/** Steps of every chip, with what filled them: compute, communication (hidden or not), copies, idle. */
import { type Column, VirtualTable } from '../table/virtual';
import { fixed, formatCount } from '../util/format';
import { setStyle } from '../ui/size';
import { fit, select } from './gestures';
import { processName } from './layout';
import { SaveTable } from './save_table';
import { rows } from './state';
import { derivedSteps, ownSteps, nextChip, stepProcess, type Steps, stepProcesses, steps } from './steps_state';
import { durationText, momentText } from './time';

const PARTS: [keyof Steps, string][] = [
  ['compute', 'Compute'],
  ['overlapped_comm', 'Hidden comm.'],
  ['exposed_comm', 'Exposed comm.'],
  ['overlapped_copy', 'Hidden copies'],
  ['exposed_copy', 'Exposed copies'],
  ['idle', 'Idle'],
];

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length === 0 ? 0 : sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

const HEAD = ['process', 'step', 'start_ps', 'end_ps', 'device_ps', ...PARTS.map(([id]) => `${id}_ps`)];

/** Steps of all chips, as they are saved; null: not measured. */
function linesOf(s: Steps): (string | number | null)[][] {
  const r = rows.peek();
  return s.process.map((p, k) => [r ? processName(r, p) : p, s.number[k], s.start[k], s.end[k], s.device[k] < 0 ? null : s.device[k], ...PARTS.map(([id]) => (s[id] as number[] | undefined)?.[k] ?? null)]);
}

export function SaveSteps({ s }: { s: Steps }) {
  return <SaveTable name="steps" head={HEAD} lines={() => linesOf(s)} />;
}

export function StepsTab() {
  const s = steps.value;
  const r = rows.value;
  const own = ownSteps.value;
  if (!s || !r) return <p class="t-note">Looking for steps …</p>;
  if (!own.length) return <p class="t-note">No steps: the profile has neither a line of steps nor runs of a program on a device.</p>;
  const usual = median(own.map((k) => s.end[k] - s.start[k]));
  const usualDevice = median(own.map((k) => s.device[k]).filter((d) => d >= 0));
  const longest = Math.max(...own.map((k) => s.end[k] - s.start[k]), 1);
  const part = (id: keyof Steps, title: string): Column<number> => ({ id: String(id), title, width: '116px', number: true, cell: (k) => { const v = (s[id] as number[] | undefined)?.[k]; return v === undefined || v < 0 ? '–' : durationText(v); } });
  const columns: Column<number>[] = [
    { id: 'step', title: 'Step', width: '80px', cell: (k) => `step ${s.number[k]}` },
    { id: 'start', title: 'Start', width: '150px', number: true, cell: (k) => momentText(s.start[k]) },
    {
      id: 'length',
      title: 'Host-aligned',
      width: '190px',
      cell: (k) => {
        const length = s.end[k] - s.start[k];
        return (
          <span class="t-share">
            <i ref={setStyle('width', `${(length / longest) * 80}px`)} /> <span class={Math.abs(length / usual - 1) > 0.05 ? 'warn' : ''}>{durationText(length)}</span>
          </span>
        );
      },
    },
    { id: 'device', title: 'Device', width: '100px', number: true, cell: (k) => (s.device[k] < 0 ? '–' : <span class={usualDevice > 0 && Math.abs(s.device[k] / usualDevice - 1) > 0.05 ? 'warn' : ''}>{durationText(s.device[k])}</span>) },
    ...PARTS.map(([id, title]) => part(id, title)),
  ];
  return (
    <div class="t-fill">
      <p class="t-sum">
        <b>{processName(r, stepProcess.value)}</b>
        {stepProcesses.value.length > 1 ? (
          <>
            {' '}
            <button type="button" class="link" onClick={nextChip}>
              next chip
            </button>
          </>
        ) : null}{' '}
        · {formatCount(own.length)} steps{derivedSteps.value ? ' (runs of the program: the profile has no line of steps)' : ''}, median {durationText(usual)} host-aligned{usualDevice > 0 ? `, ${durationText(usualDevice)} device` : ''}, longest {durationText(longest)} ({fixed(longest / Math.max(usual, 1), 2)}× the median); amber: more than 5 % off
        {s.left_out ? ` · ${formatCount(s.left_out)} steps beyond the limit` : ''}{' '}
        <SaveSteps s={s} />
      </p>
      <VirtualTable
        label="steps"
        columns={columns}
        count={own.length}
        rowAt={(i) => own[i]}
        onOpen={(k) => {
          select({ from: s.start[k], to: s.end[k] }, true);
          fit(s.start[k], s.end[k]);
        }}
      />
    </div>
  );
}
