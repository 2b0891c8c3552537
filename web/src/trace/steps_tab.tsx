/** Steps of every chip, with what filled them: compute, communication (hidden or not), copies, idle. */
import { transport } from '../api/client';
import { type Column, VirtualTable } from '../table/virtual';
import { fixed, formatCount } from '../util/format';
import { setStyle } from '../ui/size';
import { fit, select } from './gestures';
import { processName } from './layout';
import { rowName } from './rows_view';
import { SaveTable } from './save_table';
import { change, rows } from './state';
import { type ChipSteps, clockWords, derivedSteps, laneName, listed, ownSteps, stepLane, stepLanes, type Steps, steps } from './steps_state';
import { isOff, type Lane, laneText } from './steps_rows';
import { durationText, momentText } from './time';

const PARTS: [keyof Steps, string][] = [
  ['compute_ps', 'Compute'],
  ['overlapped_comm_ps', 'Hidden comm.'],
  ['exposed_comm_ps', 'Exposed comm.'],
  ['overlapped_copy_ps', 'Hidden copies'],
  ['exposed_copy_ps', 'Exposed copies'],
  ['idle_ps', 'Idle'],
];

/** Nearest rank, as every percentile (NUMBERS.md). */
export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length / 2) - 1)] ?? 0;
}

/** Drift is told from this share of a step on. */
const DRIFT = 0.001;

/** How a host-aligned bar differs from what the chip measured. */
export function driftText(drift: number | null, clock: string): string | undefined {
  if (!drift) return undefined;
  const words = `${durationText(Math.abs(drift))} ${drift > 0 ? 'longer' : 'shorter'}`;
  return clock === 'device' ? `drawn ${words}, host-aligned: clock drift, not time the step took` : `${words} than the chip measured: clock drift`;
}

const HEAD = ['process', 'thread', 'step', 'clock', 'start_ps', 'end_ps', 'duration_ps', 'clock_drift_ps', ...PARTS.map(([id]) => id)];

/** Steps of all chips, as they are saved; null: not measured. */
function linesOf(s: Steps): (string | number | null)[][] {
  const r = rows.peek();
  return s.process.map((p, k) => [
    r ? processName(r, p) : p,
    s.row[k] === null ? '' : rowName(s.row[k] as number),
    s.number[k],
    s.clock_of[k],
    s.start_ps[k],
    s.end_ps[k],
    s.duration_ps[k],
    s.drift_ps[k],
    ...PARTS.map(([id]) => (s[id] as number[] | undefined)?.[k] ?? null),
  ]);
}

export function SaveSteps({ s }: { s: Steps }) {
  return <SaveTable name="steps" head={HEAD} lines={() => linesOf(s)} />;
}

/** Chips with a line of their own; the JSON has all. */
const CHIPS_MOST = 64;

/** Which chip holds the others up: one table, on the clock of the steps. */
function ChipsCompared({ c, clock }: { c: ChipSteps; clock: string }) {
  const r = rows.value;
  if (!r || c.n < 2) return null;
  const order = c.process.map((_, k) => k).sort((a, b) => c.work_ps[b] - c.work_ps[a]);
  const cells: [string, string, (k: number) => string][] = [
    ['Steps', 'of the steps that all chips have', (k) => durationText(c.duration_ps[k])],
    ['Own work', 'the steps without exposed communication and idle time: time not spent waiting for others', (k) => durationText(c.work_ps[k])],
    ['Compute', '', (k) => durationText(c.compute_ps[k])],
    ['Exposed copies', '', (k) => durationText(c.exposed_copy_ps[k])],
    ['Waits for others', 'communication that no compute hides', (k) => durationText(c.exposed_comm_ps[k])],
    ['Idle', '', (k) => durationText(c.idle_ps[k])],
    ['Most work', 'number of steps in which it had more own work than any other chip', (k) => formatCount(c.most_work[k])],
    ['Came last', 'number of steps in which it ended last, host-aligned', (k) => formatCount(c.came_last[k])],
    ['Skew', 'mean delay of its starts after the first chip\u2019s, host-aligned', (k) => durationText(c.skew_ps[k])],
  ];
  return (
    <details class="t-compared">
      <summary>
        {c.straggler === null ? 'No straggler' : <b class="warn">Straggler {processName(r, c.straggler)}</b>}: {c.why}
      </summary>
      <table>
        <caption class="soft">
          {formatCount(c.common)} steps on all {formatCount(c.n)} chips, {clockWords(clock)}; most own work first
        </caption>
        <thead>
          <tr>
            <th scope="col">Chip</th>
            {cells.map(([title, tip]) => (
              <th key={title} scope="col" title={tip}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {order.slice(0, CHIPS_MOST).map((k) => (
            <tr key={c.process[k]}>
              <th scope="row">{processName(r, c.process[k])}</th>
              {cells.map(([title, , text]) => (
                <td key={title} class="num">
                  {text(k)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {c.n > CHIPS_MOST ? <p class="soft">{formatCount(c.n - CHIPS_MOST)} more chips are in the JSON of /api/v1/trace/steps</p> : null}
    </details>
  );
}

/** Whose steps the table and the ruler show. */
function LaneChoice({ lane, lanes }: { lane: Lane; lanes: readonly Lane[] }) {
  if (lanes.length < 2) return <b>{laneName(lane)}</b>;
  return (
    <select class="btn-s" aria-label="steps of" value={laneText(lane)} onChange={(e) => change({ chipof: (e.currentTarget as HTMLSelectElement).value })}>
      {lanes.map((one) => (
        <option key={laneText(one)} value={laneText(one)}>
          {laneName(one)}, {formatCount(one.steps)} steps
        </option>
      ))}
    </select>
  );
}

/** How many of the lane's steps the table lists, and how many all lanes have. */
function listedText(s: Steps, own: number, lane: Lane, lanes: readonly Lane[]): string {
  const all = lanes.reduce((sum, one) => sum + one.steps, 0);
  const of = `${formatCount(own)} of ${formatCount(lane.steps)} steps`;
  const some = transport.inFile
    ? `the first ${of}: the other ${formatCount(lane.steps - own)} are not in this report; the ruler shows all as marks`
    : `${of}, ${s.left_out ? `the first ${formatCount(s.n)} ` : 'those '}around the window: zoom or pan to list others`;
  const words = own < lane.steps ? some : `${formatCount(own)} steps`;
  return lanes.length > 1
    ? `${words}; the table and the ruler show one of ${formatCount(lanes.length)} ${lane.row === null ? 'chips' : 'threads'} with ${formatCount(all)} steps`
    : words;
}

function NoSteps({ s, lane }: { s: Steps; lane: Lane }) {
  return (
    <p class="t-note">
      {s === steps.value
        ? 'Looking for steps \u2026'
        : transport.inFile && s.left_out
          ? `The ${formatCount(lane.steps)} steps of ${laneName(lane)} are not listed in this report; the ruler shows all as marks.`
          : `${laneName(lane)} has no step near this window.`}{' '}
      <LaneChoice lane={lane} lanes={stepLanes.value} />
    </p>
  );
}

/** Of the steps `own` of a lane, whose median is `usual`. */
function columnsOf(s: Steps, own: readonly number[], lane: Lane, usual: number, longest: number): Column<number>[] {
  const clock = s.clock_of[own[0]];
  const isDrift = (k: number) => Math.abs(s.drift_ps[k] ?? 0) > s.duration_ps[k] * DRIFT;
  const drift: Column<number> = {
    id: 'drift',
    title: 'Clock drift',
    width: '110px',
    number: true,
    cell: (k) => (isDrift(k) ? `${(s.drift_ps[k] ?? 0) > 0 ? '+' : ''}${durationText(s.drift_ps[k])}` : ''),
    tip: (k) => driftText(s.drift_ps[k], clock),
  };
  const part = (id: keyof Steps, title: string): Column<number> => ({
    id: String(id),
    title,
    width: '116px',
    number: true,
    cell: (k) => durationText((s[id] as (number | null)[] | undefined)?.[k]),
    tip: () => lane.unknown ?? undefined,
  });
  return [
    { id: 'step', title: 'Step', width: '80px', cell: (k) => `step ${s.number[k]}` },
    ...(lane.row === null ? [] : [{ id: 'thread', title: 'Thread', width: 'minmax(90px, 160px)', cell: () => laneName(lane) }]),
    { id: 'start', title: 'Start', width: '150px', number: true, cell: (k) => momentText(s.start_ps[k]) },
    {
      id: 'length',
      title: clock === 'device' ? 'Device clock' : 'Host-aligned',
      width: '190px',
      cell: (k) => (
        <span class="t-share">
          <i ref={setStyle('width', `${(s.duration_ps[k] / longest) * 80}px`)} />{' '}
          <span class={isOff(s.duration_ps[k], usual) ? 'warn' : ''}>{durationText(s.duration_ps[k])}</span>
        </span>
      ),
      tip: (k) => driftText(s.drift_ps[k], clock),
    },
    ...(own.some(isDrift) ? [drift] : []),
    ...PARTS.map(([id, title]) => part(id, title)),
  ];
}

export function StepsTab() {
  const s = listed.value;
  const r = rows.value;
  const own = ownSteps.value;
  const lane = stepLane.value;
  if (!s || !r) return <p class="t-note">Looking for steps …</p>;
  if (!lane) return <p class="t-note">No steps: {s.why_none}.</p>;
  if (!own.length) return <NoSteps s={s} lane={lane} />;
  const clock = s.clock_of[own[0]];
  const usual = median(own.map((k) => s.duration_ps[k]));
  const longest = own.reduce((most, k) => Math.max(most, s.duration_ps[k]), 1);
  return (
    <div class="t-fill">
      <p class="t-sum">
        <LaneChoice lane={lane} lanes={stepLanes.value} /> · {listedText(s, own.length, lane, stepLanes.value)}
        {derivedSteps.value ? ' (runs of the program: the profile has no line of steps)' : ''}, <span title={s.why_host ?? undefined}>{clockWords(clock)}</span>
        : median {durationText(usual)}, longest {durationText(longest)} ({fixed(longest / Math.max(usual, 1), 2)}× the median); amber: more than 5 % off
        {lane.unknown ? `. Compute, communication, copies and idle time are unknown: ${lane.unknown}` : ''} <SaveSteps s={s} />
      </p>
      {steps.value?.chips ? <ChipsCompared c={steps.value.chips} clock={s.clock} /> : null}
      <VirtualTable
        label="steps"
        columns={columnsOf(s, own, lane, usual, longest)}
        count={own.length}
        rowAt={(i) => own[i]}
        onOpen={(k) => {
          select({ from: s.start_ps[k], to: s.end_ps[k] }, true);
          fit(s.start_ps[k], s.end_ps[k]);
        }}
      />
    </div>
  );
}
