/** Steps as columns: what each was made of; a lens below for how far the chips are apart. */
import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { setView, view } from '../app/router';
import { type Column, VirtualTable } from '../table/virtual';
import { CanvasPart } from '../trace/canvas_part';
import { palette } from '../trace/palette_now';
import { SaveTable } from '../trace/save_table';
import { durationText } from '../trace/time';
import { fixed, formatCount, plural } from '../util/format';
import { listen } from '../util/listen';
import { meansOf, type Part, PARTS, partOf } from './columns';
import { columnAt, drawSteps, frameOf, type Scene } from './draw_steps';
import { openTrace } from './links';
import { inUnit, shareText, type TimeUnit, unitOf } from './numbers';
import { Change } from './change';
import { base, choice, chosen, overview, pixels, selectRow, split, splitProblem, twin } from './state';
import type { Overview, OverviewLoss, Stepsplit } from '../api/answers';
import { placeWord, stepWord, stepsWord } from './words';

/** Row under the pointer. */
const hover = signal<{ row: number; x: number; y: number } | null>(null);

const unitHere = (): TimeUnit => unitOf(overview.value?.step?.mean_ps ?? 1);
/** A loss and the part of a step that it is have one name. */
function titleOfPart(part: Part): string {
  const losses = overview.value?.losses;
  const at = losses && part.kind !== 'compute' ? losses.kind.indexOf(part.key.slice(0, -3) as OverviewLoss['kind']) : -1;
  return losses && at >= 0 ? losses.label[at] : part.title;
}
const hasLens = (s: Stepsplit) => s.chips.length > 1 && s.total > 1;

function sceneOf(s: Stepsplit, font: string): Scene {
  return {
    rows: s.steps,
    means: meansOf(s),
    p50: s.p50_ps ?? 0,
    unit: unitHere(),
    word: overview.value ? stepWord(overview.value) : 'step',
    titles: PARTS.map(titleOfPart),
    lens: hasLens(s),
    spread: s.total > 1,
    selected: chosen.peek(),
    hover: hover.peek()?.row ?? null,
    font,
  };
}

export function StepsPart({ a }: { a: Overview }) {
  const s = split.value;
  const what = stepsWord(a);
  return (
    <section class="ov-steps" aria-label={what}>
      <header class="ov-title">
        <h2>{what}</h2>
        {s?.known ? (
          <span class="soft" title={s.why_host ?? undefined}>
            {titleOf(a, s)}
          </span>
        ) : null}
        {s?.known ? (
          <span class="ov-right">
            <Legend s={s} />
            <ProgramMenu />
            <ChipMenu s={s} />
          </span>
        ) : null}
      </header>
      {splitProblem.value ? (
        <p class="ov-note" role="alert">
          The steps cannot be shown: {splitProblem.value}
        </p>
      ) : !s ? (
        <p class="ov-note" aria-busy="true">
          reading the steps …
        </p>
      ) : !s.known ? (
        <p class="ov-note">No steps: {s.reason}.</p>
      ) : twin.value ? (
        <Twin s={s} />
      ) : (
        <Chart a={a} s={s} />
      )}
      {s?.known ? <Foot a={a} s={s} /> : null}
    </section>
  );
}

function titleOf(a: Overview, s: Stepsplit): string {
  const chip = placeWord(s.chips);
  const of = choice.value === 'mean' ? `mean of ${chip}s` : choice.value === 'slowest' ? `slowest ${chip}` : chipName(s, Number(choice.value)) || choice.value;
  const windows = a.step?.what === 'windows' && a.step.mean_ps ? ` of ${durationText(a.step.mean_ps)}` : '';
  const count = `${plural(s.total, stepWord(a))}${windows}${s.chips.length > 1 ? ` × ${plural(s.chips.length, chip)}` : s.chips.length ? ` on ${s.chips[0].name}` : ''}`;
  return [count, s.chips.length > 1 ? of : '', unitHere().word, `${s.clock} clock`, s.side_by_side ? 'union of intervals' : ''].filter(Boolean).join(', ');
}

/** Of several hosts with the host. */
function chipName(s: Stepsplit, at: number): string {
  const chip = s.chips[at];
  if (!chip) return '';
  return chip.host === chip.name || s.chips.every((other) => other.host === chip.host) ? chip.name : `${chip.host} ${chip.name}`;
}

/** What occurs with its colour; what is looked for and does not occur, as 0. */
function Legend({ s }: { s: Stepsplit }) {
  const means = meansOf(s);
  const there = PARTS.filter((part, k) => means[k] > 0 && part.kind !== 'idle');
  const words = new Map<string, Part[]>();
  for (const part of there) words.set(`${part.kind} ${part.group}`, [...(words.get(`${part.kind} ${part.group}`) ?? []), part]);
  const none = (['idle_ps', 'collectives_ps', 'infeed_ps'] as const).filter((key) => !PARTS.some((part, k) => part.key === key && means[k] > 0));
  // Copies in and out have one colour.
  const title = (same: Part[]) => (same.length > 1 ? 'waits for host copies' : titleOfPart(same[0]));
  return (
    <span class="ov-legend">
      {[...words.values()].map((same) => (
        <span key={same[0].key}>
          <i class={`swatch ov-g-${same[0].group}${same[0].kind === 'wait' ? ' ov-hatch' : ''}`} /> {title(same)}
        </span>
      ))}
      {none.length < 3 && means[PARTS.length - 1] > 0 ? (
        <span>
          <i class="swatch ov-white" /> idle
        </span>
      ) : null}
      {none.length ? (
        <span class="soft">{none.map((key) => `${{ idle_ps: 'idle', collectives_ps: 'collectives', infeed_ps: 'infeed' }[key]} 0`).join(' · ')}</span>
      ) : null}
    </span>
  );
}

/** Runs of one program in place of the run's own steps, where several ran. */
function ProgramMenu() {
  const p = overview.value?.programs;
  const chosen = view.value.program ?? '';
  const held = p ? p.module.map((_, k) => k).filter((k) => p.held[k] && p.executions[k] > 0) : [];
  if (!p || (held.length < 2 && !chosen)) return null;
  return (
    <select
      class="ov-menu"
      aria-label="program shown"
      value={chosen}
      onChange={(event) => setView({ program: event.currentTarget.value || null, step: null }, { push: true })}
    >
      <option value="">all programs</option>
      {chosen && !held.some((k) => p.module[k] === chosen) ? <option value={chosen}>runs of {chosen}</option> : null}
      {held.map((k) => (
        <option key={p.module[k]} value={p.module[k]}>
          runs of {p.name[k]}
        </option>
      ))}
    </select>
  );
}

function ChipMenu({ s }: { s: Stepsplit }) {
  if (s.chips.length < 2) return null;
  const hosts = new Set(s.chips.map((chip) => chip.host)).size > 1;
  return (
    <select
      class="ov-menu"
      aria-label="chips shown"
      value={choice.value}
      onChange={(event) => setView({ chip: event.currentTarget.value === 'mean' ? null : event.currentTarget.value })}
    >
      <option value="mean">mean of {placeWord(s.chips)}s</option>
      <option value="slowest">slowest {placeWord(s.chips)}</option>
      {s.chips.map((chip, k) => (
        <option key={k} value={String(k)}>
          {hosts && chip.host !== chip.name ? `${chip.host} ${chip.name}` : chip.name}
        </option>
      ))}
    </select>
  );
}

function attach(canvas: HTMLCanvasElement): () => void {
  const rowAt = (event: MouseEvent): number | null => {
    const s = split.peek();
    const box = canvas.getBoundingClientRect();
    const row = s ? columnAt(frameOf(box.width, box.height, hasLens(s)), s.steps.n, event.clientX - box.left) : -1;
    return row < 0 ? null : row;
  };
  const measure = new ResizeObserver(() => {
    const f = frameOf(canvas.clientWidth, canvas.clientHeight, true);
    if (canvas.clientWidth) pixels.value = Math.max(1, Math.floor(f.right - f.left));
  });
  measure.observe(canvas);
  const stop = listen(canvas, {
    mousemove: (event) => {
      const row = rowAt(event);
      hover.value = row === null ? null : { row, x: event.clientX, y: event.clientY };
    },
    mouseleave: () => {
      hover.value = null;
    },
    // The second click of a double click opens Trace: it does not choose again.
    click: (event) => {
      if (event.detail < 2) selectRow(rowAt(event));
    },
    dblclick: (event) => {
      const row = rowAt(event);
      if (row !== null) openTrace(row);
    },
  });
  return () => {
    measure.disconnect();
    stop();
    hover.value = null;
  };
}

function Chart({ a, s }: { a: Overview; s: Stepsplit }) {
  return (
    <>
      <CanvasPart
        class="ov-chart"
        label={`${titleOf(a, s)}: mean ${durationText(a.step?.mean_ps)}, from ${durationText(a.step?.min_ps)} to ${durationText(a.step?.max_ps)}. The table (key T) has the numbers.`}
        attach={attach}
        watch={() => void [overview.value, split.value, chosen.value, hover.value]}
        draw={(g, width, height, font) => {
          const now = split.peek();
          if (now) drawSteps(g, width, height, sceneOf(now, font), palette());
        }}
      />
      <Tip s={s} />
    </>
  );
}

/** What the column under the pointer is made of. */
function Tip({ s }: { s: Stepsplit }) {
  const at = hover.value;
  if (!at || at.row >= s.steps.n) return null;
  const { row } = at;
  const place = (element: HTMLElement | null) => {
    if (!element) return;
    element.style.left = `${Math.max(4, Math.min(at.x + 14, innerWidth - 290))}px`;
    element.style.top = `${Math.min(at.y + 14, innerHeight - 180)}px`;
  };
  return (
    <div class="ov-tip" role="tooltip" ref={place}>
      <b>
        {stepWord(overview.value ?? { step: null })} {s.steps.number[row]} <span class="num">{durationText(s.steps.duration_ps[row])}</span>
      </b>
      {s.steps.steps[row] > 1 ? (
        <span class="soft">
          the longest of {formatCount(s.steps.steps[row])} {stepWord(overview.value ?? { step: null })}s
        </span>
      ) : null}
      {PARTS.filter((part) => partOf(s, part, row) > 0).map((part) => (
        <span key={part.key}>
          {titleOfPart(part)} <span class="num">{durationText(partOf(s, part, row))}</span>
        </span>
      ))}
      {hasLens(s) ? (
        <span class="soft">
          {chipName(s, s.steps.fastest[row])} {durationText(s.steps.fastest_ps[row])} to {chipName(s, s.steps.slowest[row])}{' '}
          {durationText(s.steps.slowest_ps[row])}
        </span>
      ) : null}
    </div>
  );
}

/** Least, middle, most; how many steps a column stands for; which steps are off. */
function Foot({ a, s }: { a: Overview; s: Stepsplit }) {
  const step = a.step;
  if (!step) return null;
  const unit = unitHere();
  const what = stepWord(a);
  const of = placeWord(s.chips);
  const spread = s.total > 1 ? (['min', 'p50', 'p99', 'max'] as const).filter((key) => step[`${key}_ps`] !== null) : [];
  const words = [
    ...(s.a_column > 1 ? [`${formatCount(s.a_column)} ${what}s a column, which shows the longest`] : []),
    ...(s.left_out ? [`the first ${formatCount(s.steps.n)} of ${formatCount(s.total)} ${what}s`] : []),
    ...(hasLens(s) && !twin.value ? [`dots: slowest ${of} minus p50, bar: fastest to slowest ${of}`] : []),
  ];
  return (
    <p class="ov-foot">
      <span>
        {words.join(' · ')}
        {spread.map((key, k) => (
          <span key={key}>
            {words.length + k > 0 ? ' · ' : ''}
            {key} {inUnit(step[`${key}_ps`] ?? 0, unit)}
            <Change before={base.value?.step?.[`${key}_ps`]} after={step[`${key}_ps`]} unit={unit} />
          </span>
        ))}
        {spread.length ? ` ${unit.word}` : ''}
        {step.no_spread ? `${words.length + spread.length > 0 ? ' · ' : ''}${step.no_spread}` : ''}
      </span>
      {s.total > 1 ? <Outliers s={s} /> : null}
    </p>
  );
}

const SHOWN = 6;

function Outliers({ s }: { s: Stepsplit }) {
  const [all, setAll] = useState(false);
  if (!s.outliers) return <span>outliers (p50 ± 5 %): none</span>;
  const rows = s.steps.outlier.flatMap((is, row) => (is ? [row] : []));
  const shown = rows.slice(0, all ? 100 : SHOWN);
  const hidden = s.outliers - shown.length;
  return (
    <span class="warn ov-outliers">
      <b>outliers (p50 ± 5 %):</b>
      {shown.map((row) => (
        <button type="button" key={row} class="link" aria-pressed={chosen.value === row} onClick={() => selectRow(row)}>
          {s.steps.number[row]}, {fixed(s.steps.duration_ps[row] / (s.p50_ps || 1), 2)}x
        </button>
      ))}
      {hidden > 0 && !all && rows.length > SHOWN ? (
        <button type="button" class="link" onClick={() => setAll(true)}>
          {formatCount(hidden)} more
        </button>
      ) : hidden > 0 ? (
        <span>{formatCount(hidden)} more in the table (T)</span>
      ) : null}
    </span>
  );
}

/** The same as a table. */
function Twin({ s }: { s: Stepsplit }) {
  const unit = unitHere();
  const { steps } = s;
  const means = meansOf(s);
  const there = PARTS.filter((_, k) => means[k] > 0);
  const part = (one: Part): Column<number> => ({
    id: one.key,
    title: titleOfPart(one),
    width: 'minmax(110px, 1fr)',
    number: true,
    cell: (row) => inUnit(partOf(s, one, row), unit),
    tip: (row) =>
      `${durationText(partOf(s, one, row))}, ${shareText(partOf(s, one, row) / steps.duration_ps[row])} of the ${stepWord(overview.value ?? { step: null })}`,
  });
  const columns: Column<number>[] = [
    { id: 'step', title: stepWord(overview.value ?? { step: null }), width: '72px', cell: (row) => String(steps.number[row]) },
    {
      id: 'time',
      title: unit.word,
      width: '110px',
      number: true,
      cell: (row) => <span class={steps.outlier[row] ? 'warn' : ''}>{inUnit(steps.duration_ps[row], unit)}</span>,
      tip: (row) => durationText(steps.duration_ps[row]),
    },
    ...there.map(part),
    { id: 'fastest', title: `fastest ${placeWord(s.chips)}`, width: '110px', number: true, cell: (row) => inUnit(steps.fastest_ps[row], unit) },
    { id: 'slowest', title: `slowest ${placeWord(s.chips)}`, width: '110px', number: true, cell: (row) => inUnit(steps.slowest_ps[row], unit) },
  ];
  const head = ['step', 'duration_ps', ...there.map((one) => one.key), 'fastest_ps', 'slowest_ps'];
  return (
    <>
      <div class="ov-twin">
        <VirtualTable
          label="steps"
          columns={columns}
          count={steps.n}
          rowAt={(row) => row}
          onOpen={(row) => selectRow(row)}
          rowClass={(row) => (row === chosen.value ? 'on' : '')}
          empty="no steps"
        />
      </div>
      <SaveTable
        name="steps"
        head={head}
        lines={() =>
          steps.number.map((number, row) => [
            number,
            steps.duration_ps[row],
            ...there.map((one) => partOf(s, one, row)),
            steps.fastest_ps[row],
            steps.slowest_ps[row],
          ])
        }
      />
    </>
  );
}
