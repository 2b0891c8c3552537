/** Overview: what a step of the run spends its time on, what bounds it, and what to change first. */
import { effect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { registerKeys } from '../app/keys';
import { hrefOf, setView, view } from '../app/router';
import { EmptyState } from '../app/empty_states';
import { labelOf, needRuns, run, runs } from '../app/state';
import { pinBaseline, turnBaseline, unpinBaseline } from '../memory/baseline_state';
import { Pop } from '../memory/pop';
import { Unread } from '../ui/unread';
import { formatBytes, pageUnit, plural, unitFor } from '../util/format';
import { durationText } from '../trace/time';
import { CardPart } from './card';
import { Change, ShareChange } from './change';
import { nextRow } from './columns';
import { inTrace, openTrace, verdictChange } from './links';
import { LossesPart } from './losses';
import { NextPart } from './next';
import { unitOf } from './numbers';
import { ProgramsPart } from './programs';
import { base, baseProblem, chosen, early, failure, overview, selectRow, soFar, split, startOverview, twin } from './state';
import { StepsPart } from './steps_part';
import type { Overview, OverviewVerdict } from '../api/answers';
import { WinsPart } from './wins';
import { stepWord, stepsWord } from './words';
import { together } from '../util/listen';

const KINDS = ['communication', 'memory', 'compute', 'host', 'input'] as const;

function moveBy(by: 1 | -1, outliers: boolean): boolean {
  const s = split.peek();
  const row = s ? nextRow(s, chosen.peek(), by, outliers) : -1;
  if (row >= 0) selectRow(row);
  return row >= 0;
}

function overviewKeys(): () => void {
  return registerKeys('overview', {
    // Before the answer is there as well: only whose input it is, is not known then.
    verdict: (_, digit) => setView(verdictChange(overview.peek()?.verdicts[digit] ?? { kind: KINDS[digit], host: null })),
    step: (_, stroke) => moveBy(stroke === 0 ? -1 : 1, false),
    outlier: (_, stroke) => moveBy(stroke === 0 ? -1 : 1, true),
    step_in_trace: () => openTrace(chosen.peek()),
    ops: () => setView({ tool: 'ops' }),
    roofline: () => setView({ tool: 'roofline' }),
    base: turnBaseline,
  });
}

function pageKeys(): () => void {
  return registerKeys('everywhere', {
    table_twin: () => setView({ table: twin.peek() ? null : 1 }),
    escape: () => {
      if (view.peek().step === undefined) return false;
      setView({ step: null });
    },
  });
}

export function OverviewView() {
  useEffect(
    () =>
      together([
        startOverview(),
        overviewKeys(),
        pageKeys(),
        effect(() => {
          pageUnit.value = unitFor(overview.value?.memory?.peak_bytes, view.value.unit === 'mib');
        }),
      ]),
    [],
  );
  const a = overview.value;
  if (failure.value)
    return (
      <EmptyState title="The overview cannot be shown">
        <p role="alert">{failure.value}</p>
      </EmptyState>
    );
  if (!a) return <Loading />;
  return (
    <main class="main ov-main">
      <Head a={a} />
      <Verdicts a={a} />
      <div class="ov-body">
        <div class="ov-left">
          {a.step ? <StepsPart a={a} /> : null}
          <div class="ov-pair">
            <LossesPart a={a} />
            <WinsPart a={a} />
          </div>
          <div class="ov-pair ov-ends-pair">
            <NextPart />
            <ProgramsPart a={a} />
          </div>
        </div>
        <CardPart a={a} />
      </div>
    </main>
  );
}

/** What is known before the events: the program's peak. */
function Loading() {
  const s = early.value;
  return (
    <main class="main ov-main memory-loading">
      {soFar.value ? (
        <header class="ov-head">
          <h1>
            Reading what ran <span class="m-badge ov-amber">{soFarText()}</span>
          </h1>
          {s ? (
            <p>
              <a href={hrefOf({ tool: 'memory' })}>
                {s.module.name} needs {formatBytes(s.peak.held_bytes)}
                {s.capacity_bytes === null ? '' : ` of ${formatBytes(s.capacity_bytes, { unit: 'own' })}`}
              </a>{' '}
              of {s.space.name}. Memory is read before the events.
            </p>
          ) : null}
        </header>
      ) : null}
      <div class="ov-unread">
        <Unread what="what bounds a step, the steps, where they go and what to change" />
      </div>
    </main>
  );
}

/** "so far: 1 of 2 hosts, 43 % read" */
function soFarText(): string {
  const now = soFar.value;
  if (!now) return '';
  const parts = [now.hosts.length ? `${now.hosts.length} of ${plural(now.of, 'host')}` : '', now.percent === null ? '' : `${now.percent} % read`].filter(
    Boolean,
  );
  return `so far: ${parts.join(', ') || 'nothing'}`;
}

function Head({ a }: { a: Overview }) {
  const yes = a.verdicts.some((verdict) => verdict.says === 'yes');
  const unknown = !yes && a.verdicts.some((verdict) => verdict.says === 'unknown');
  return (
    <header class="ov-head">
      <h1>
        {a.headline}{' '}
        {soFar.value ? (
          <span class="m-badge ov-amber">{soFarText()}</span>
        ) : (
          <span class={`m-badge ${yes ? 'bad' : unknown ? 'ov-amber' : ''}`}>{a.verdict}</span>
        )}
      </h1>
      <div class="ov-actions">
        <Baseline />
        {run.value?.modules.n ? (
          <a class="btn" href={hrefOf({ tool: 'memory', mode: 'report' })}>
            Report
          </a>
        ) : null}
        {a.clock ? (
          <span class="m-badge" title={a.why_host ?? 'durations as the chips measured them'}>
            measured, {a.clock} clock
          </span>
        ) : null}
        {a.device ? <span class="m-badge">{a.chips.length > 1 ? `${a.device} ×${a.chips.length}` : a.device}</span> : null}
      </div>
      <p>
        {a.detail}
        {a.step && base.value?.step ? (
          <>
            {' '}
            {stepsWord(a).slice(0, -1)} {durationText(a.step.mean_ps)}
            <Change before={base.value.step.mean_ps} after={a.step.mean_ps} unit={unitOf(a.step.mean_ps)} />
          </>
        ) : null}
        {a.step?.selected === null || !a.step ? null : (
          <>
            {' '}
            Only {stepWord(a)} {a.step.selected}.{' '}
            <button type="button" class="link" onClick={() => setView({ step: null })}>
              all {stepWord(a)}s
            </button>{' '}
            <a href={hrefOf(inTrace(chosen.value))}>in Trace</a>
          </>
        )}
      </p>
      {a.steps_apart ? (
        <p class="soft">
          {a.steps_apart} <a href={hrefOf({ tool: 'input', step: null })}>Input</a>
        </p>
      ) : null}
    </header>
  );
}

/** The run that numbers are compared with: chosen here, or with B before another run is opened. */
function Baseline() {
  const { base: pinned, run: open } = view.value;
  return (
    <>
      {pinned && pinned !== open ? (
        <span class={`m-badge${baseProblem.value ? ' bad' : ''}`} title={baseProblem.value || pinned}>
          {baseProblem.value ? 'nothing to compare with' : `before: ${labelOf(pinned)}`}
        </span>
      ) : null}
      <Pop
        label={pinned !== undefined && pinned === open ? 'this is “before”' : 'Compare …'}
        title="compare with another run (B)"
        class="btn"
        boxClass="ov-runs"
      >
        {(close) => <Runs close={close} />}
      </Pop>
    </>
  );
}

/** Runs that may be “before”; this one is it for the next that is opened. */
function Runs({ close }: { close: () => void }) {
  useEffect(needRuns, []);
  const { base: pinned, run: open } = view.value;
  const list = runs.value;
  const others = list ? list.id.filter((id) => id !== open) : [];
  const pick = (set: () => void) => () => {
    set();
    close();
  };
  return (
    <>
      <p class="soft">Each number then shows its difference from the run that is “before”.</p>
      <button type="button" class="link" aria-pressed={pinned === open} onClick={pick(turnBaseline)}>
        {pinned === open ? 'this run is no longer “before”' : 'this run is “before”: now open another'} <kbd>B</kbd>
      </button>
      {pinned !== undefined && pinned !== open ? (
        <button type="button" class="link" onClick={pick(unpinBaseline)}>
          compare with nothing
        </button>
      ) : null}
      {others.map((id) => (
        <button type="button" class="link cut" key={id} title={id} aria-pressed={pinned === id} onClick={pick(() => pinBaseline(id))}>
          {labelOf(id)}
        </button>
      ))}
      {list && others.length === 0 ? <p class="soft">There is no other run.</p> : null}
    </>
  );
}

const WORDS = { yes: 'yes', no: 'no', partly: 'partly', unknown: 'cannot tell' } as const;
const TONES = { yes: 'bad', no: '', partly: 'warn', unknown: 'warn' } as const;

/** Always all five, each with its number or what is missing. */
function Verdicts({ a }: { a: Overview }) {
  return (
    <nav class="ov-verdicts" aria-label={`what bounds a ${stepWord(a)}`}>
      {a.verdicts.map((verdict, k) => (
        <a key={verdict.kind} href={hrefOf(verdictChange(verdict))} title={`${verdict.text}; ${limitText(a, verdict, k)}`}>
          <span class="ov-kind">
            {verdict.kind}
            <span class="ov-long"> bound?</span>
          </span>{' '}
          <b class={soFar.value ? 'warn' : TONES[verdict.says]}>{soFar.value ? 'so far' : WORDS[verdict.says]}</b>{' '}
          <span class={verdict.says === 'unknown' ? 'soft' : ''}>{verdict.text}</span>
          <ShareChange before={base.value?.verdicts[k]?.share} after={verdict.share} />
        </a>
      ))}
    </nav>
  );
}

const limitText = (a: Overview, verdict: OverviewVerdict, k: number) =>
  `yes at ${Math.round(verdict.limit * 100)} % of a ${stepWord(a)} or more; opens the rows behind it (${k + 1})`;
