/** Steps by chip, on one clock; amber where a step is far from the middle of its chip. */
import { cssColor } from '../app/theme';
import { type Column, VirtualTable } from '../table/virtual';
import { setStyle } from '../ui/size';
import { fixed, formatCount } from '../util/format';
import { view } from '../app/router';
import { fit, select } from './gestures';
import { change, rows, windowNow } from './state';
import { isOf, isOff, laneText, type Lane, type MatrixRow, matrixRows } from './steps_rows';
import { clockWords, laneName, stepLanes, steps } from './steps_state';
import { driftText, median, SaveSteps } from './steps_tab';
import { durationText } from './time';

const MOST_CHIPS = 8;
const BAR = 48;

const ms = (ps: number) => fixed(ps / 1e9, 1);

export function StepsMatrix() {
  const s = steps.value;
  const r = rows.value;
  const chips = stepLanes.value.slice(0, MOST_CHIPS);
  if (!s || !r) return <p class="t-note">Looking for steps …</p>;
  if (!chips.length) return <p class="t-note">No steps: {s.why_none}.</p>;
  const all = view.value.allsteps === '1';
  const w = windowNow.value;
  const lines = matrixRows(s, chips, all ? Number.NEGATIVE_INFINITY : w.from, all ? Number.POSITIVE_INFINITY : w.to);
  const usual = chips.map((lane) => median(s.duration_ps.filter((_, k) => isOf(s, k, lane))));
  const longest = lines.reduce((most, line) => line.at.reduce((m, k) => Math.max(m, k < 0 ? 0 : s.duration_ps[k]), most), 1);
  const chip = (lane: Lane, c: number): Column<MatrixRow> => ({
    id: `chip${laneText(lane)}`,
    title: laneName(lane),
    width: 'minmax(96px, 1fr)',
    number: true,
    cell: ({ at }) => (at[c] < 0 ? '–' : <Cell length={s.duration_ps[at[c]]} usual={usual[c]} longest={longest} />),
    tip: ({ at }) =>
      at[c] < 0
        ? undefined
        : [
            `${durationText(s.duration_ps[at[c]])}, ${clockWords(s.clock_of[at[c]])}; median of this chip ${durationText(usual[c])}`,
            driftText(s.drift_ps[at[c]], s.clock_of[at[c]]),
          ]
            .filter(Boolean)
            .join('; '),
  });
  const columns: Column<MatrixRow>[] = [
    { id: 'step', title: 'Step', width: '72px', cell: ({ number }) => `step ${number}` },
    ...chips.map(chip),
    { id: 'span', title: 'least to most', width: '124px', number: true, cell: ({ at }) => spread(at.filter((k) => k >= 0).map((k) => s.duration_ps[k])) },
  ];
  const total = new Set(s.number).size;
  return (
    <div class="t-fill">
      <p class="t-sum">
        <b>Steps</b> ms, {clockWords(s.clock_of[s.process.indexOf(chips[0].process)])}; amber: more than 5 % from the median
        {stepLanes.value.length > MOST_CHIPS
          ? `; the first ${MOST_CHIPS} of ${formatCount(stepLanes.value.length)} ${chips[0].row === null ? 'chips' : 'threads'}`
          : ''}
        {s.left_out ? `; the first ${formatCount(s.n)} of ${formatCount(s.total)} steps, all of one chip or thread are in Steps` : ''}{' '}
        <button type="button" class={`btn-s${all ? ' on' : ''}`} aria-pressed={all} onClick={() => change({ allsteps: all ? null : 1 })}>
          all {formatCount(total)}
        </button>{' '}
        <SaveSteps s={s} />
      </p>
      <VirtualTable
        label="steps by chip"
        columns={columns}
        count={lines.length}
        rowAt={(k) => lines[k]}
        onOpen={({ start, end }) => {
          select({ from: start, to: end }, true);
          fit(start, end);
        }}
        empty="no step in this window"
      />
    </div>
  );
}

function spread(lengths: number[]): string {
  if (!lengths.length) return '–';
  const least = ms(Math.min(...lengths));
  const most = ms(Math.max(...lengths));
  return least === most ? least : `${least} – ${most}`;
}

function Cell({ length, usual, longest }: { length: number; usual: number; longest: number }) {
  const off = isOff(length, usual);
  return (
    <span class="t-step">
      <span class={off ? 'warn' : ''}>{ms(length)}</span>
      <span class="t-step-bar" ref={setStyle('width', `${BAR}px`)}>
        <i
          ref={(x) => {
            setStyle('width', `${(length / longest) * BAR}px`)(x);
            if (x) x.style.background = cssColor('--o-none');
          }}
        />
      </span>
    </span>
  );
}
