/** Totals of the dragged range (or of the window), or of the events picked one by one. */
import type { ComponentChildren } from 'preact';
import { apiUrl, csvUrl } from '../api/client';
import type { TraceTotals } from '../api/answers';
import { view } from '../app/router';
import { fileName } from '../app/exports';
import { type Column, VirtualTable, widthOf } from '../table/virtual';
import { setStyle } from '../ui/size';
import { fixed, formatCount, formatPercent } from '../util/format';
import { tellFailure, traceApi } from './api';
import { unionOf } from './ranges';
import { rowName } from './rows_view';
import { alsoPicked, change, clock, jumpTo, peaksOfRun, range, rowIndex, rows, subject } from './state';
import { isThread, Swatch } from './swatch';
import { durationText, exactPs, spanText, summedOver } from './time';
import { steps } from './steps_state';
import { processName } from './layout';
import { eventName, shortName } from './label_text';
import { totalsQuestion, groupedBy, GROUPINGS, pickedEvents, pickedSpan, problem, totals } from './selection_state';

function Choice({ value, all, onPick, label }: { value: string; all: [string, string][]; onPick: (id: string) => void; label: string }) {
  return (
    <span class="t-choice" role="group" aria-label={label}>
      {all.map(([id, words]) => (
        <button key={id} type="button" class={id === value ? 'on' : ''} aria-pressed={id === value} onClick={() => onPick(id)}>
          {words}
        </button>
      ))}
    </span>
  );
}

export function SelectionLine() {
  const params = totalsQuestion();
  return (
    <span class="row t-line">
      <Choice label="group by" value={groupedBy()} all={GROUPINGS.map((b) => [b, b])} onPick={(id) => change({ tby: id === 'name' ? null : id })} />
      <Choice
        label="of"
        value={view.value.tof === 'host' ? 'host' : 'device'}
        all={[
          ['device', 'device ops'],
          ['host', 'threads'],
        ]}
        onPick={(id) => change({ tof: id === 'host' ? 'host' : null })}
      />
      <Choice
        label="clock"
        // Where an event lacks a time on the device's clock, the answer is by the other one.
        value={totals.value && totals.value.clock !== 'device' ? 'host' : clock.value}
        all={[
          ['device', 'device clock'],
          ['host', 'host-aligned'],
        ]}
        onPick={(id) => change({ clk: id === 'host' ? 'host' : null })}
      />
      <button
        type="button"
        class={`btn-s${view.value.clip === '0' ? '' : ' on'}`}
        aria-pressed={view.value.clip !== '0'}
        title="count only the part of an event inside the range; off: count the full time of each event that touches the range"
        onClick={() => change({ clip: view.value.clip === '0' ? null : 0 })}
      >
        clip
      </button>
      <a class="btn-s" href={csvUrl('trace/totals', { ...params, limit: 100_000 })} download={fileName('totals', 'csv')}>
        CSV
      </a>
      <a class="btn-s" href={apiUrl('trace/totals', { ...params, limit: 100_000 })} download={fileName('totals', 'json')}>
        JSON
      </a>
    </span>
  );
}

function Picked() {
  const list = pickedEvents.value;
  if (list.length < 2) return null;
  const device = list.every((e) => e.device_duration_ps !== null);
  const lengths = list.map((e) => (device ? (e.device_duration_ps as number) : e.duration_ps));
  const sum = lengths.reduce((a, b) => a + b, 0);
  const span = pickedSpan();
  const busy = unionOf(list.map((e) => ({ from: e.start_ps, to: e.start_ps + e.duration_ps })));
  const beyond = alsoPicked.value.length + 1 - list.length;
  return (
    <div class="t-picked">
      <b>{formatCount(list.length)} events picked</b>: sum {durationText(sum)}, mean {durationText(sum / list.length)}, min {durationText(Math.min(...lengths))}
      , max {durationText(Math.max(...lengths))}
      {device ? ' (device clock)' : ''}; from first start to last end {durationText(span ? span.to - span.from : 0)}, with at least one running for{' '}
      {durationText(busy)}. {beyond > 0 ? <b class="warn">These sums leave out {formatCount(beyond)} more picked events: drag a range instead. </b> : null}
      {list.slice(0, 12).map((e) => (
        <button type="button" key={e.event} class="link" onClick={() => jumpTo(e.event, e.start_ps, e.duration_ps, e.row)}>
          {eventName(e.caption, e.event)}{' '}
        </button>
      ))}
    </div>
  );
}

interface Line {
  at: number;
}

function titleOf(t: TraceTotals, at: number): string {
  const r = rows.value;
  const { key, id } = t.rows;
  if (t.by === 'chip' && id[at] !== null && r) return (id[at] as number) < r.processes.n ? processName(r, id[at] as number) : key[at];
  if (t.by === 'row' && id[at] !== null && r) {
    const index = rowIndex.value.get(id[at] as number) ?? -1;
    return index < 0 ? key[at] : `${processName(r, r.rows.process[index])}, ${rowName(id[at] as number)}`;
  }
  if (key[at] !== '') return t.by === 'step' && /^-?\d/.test(key[at]) ? `step ${key[at]}` : shortName(key[at]);
  return t.by === 'step' ? 'outside all steps' : `no ${t.by}`;
}

/** "27.6 G", "1.35 T": per second. */
export function rateText(value: number | null): string {
  if (value === null || value <= 0) return '';
  const steps: [number, string][] = [
    [1e15, 'P'],
    [1e12, 'T'],
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'k'],
    [1, ''],
  ];
  const [size, prefix] = steps.find(([s]) => value >= s) ?? [1, ''];
  return `${fixed(value / size, value / size < 10 ? 2 : 1)} ${prefix}`;
}

/** Above the peak by so much: the events do not hold the work that is counted, so the rate is none. */
const ABOVE = 1.05;

/** The share of the peak that binds first: "80.4 % HBM". */
export function peakText(flops: number | null, bytes: number | null, peaks: { flops: number; bytes: number }): string {
  const of = (rate: number | null, peak: number) => (rate !== null && rate > 0 && peak > 0 ? rate / peak : 0);
  const [compute, memory] = [of(flops, peaks.flops), of(bytes, peaks.bytes)];
  const share = Math.max(compute, memory);
  return share > ABOVE ? UNKNOWN_CELL : share > 0 ? `${formatPercent(share, 1)} ${memory >= compute ? 'HBM' : 'FLOP'}` : '';
}

const UNKNOWN_CELL = '\u2013';

/** A rate as it is written: "–" where a chip cannot be that fast, as of starts of asynchronous copies. */
export function believable(rate: number | null, peak: number): string {
  return rate !== null && peak > 0 && rate > peak * ABOVE ? UNKNOWN_CELL : rateText(rate);
}

function rateTip(rate: number | null, peak: number): string | undefined {
  if (rate === null || rate <= 0) return undefined;
  if (believable(rate, peak) !== UNKNOWN_CELL) return 'by the estimate of the compiler';
  return `${rateText(rate)} per second would be more than the ${rateText(peak)} of the chip: the estimate counts work outside of these events`;
}

/** Those that the roofline of an event is against: 0 = not known. */
function peaksNow(): { flops: number; bytes: number } {
  const { values } = peaksOfRun();
  return { flops: values.flops_per_s ?? 0, bytes: values.hbm_bytes_per_s ?? 0 };
}

/** What the last line says in a column: the sum over all lines, those beyond the first too. */
function sumCells(t: TraceTotals): Record<string, ComponentChildren> {
  const a = t.all;
  return {
    name: 'Total',
    count: formatCount(a.count),
    total: durationText(a.total_ps),
    self: durationText(a.self_ps),
    share: formatPercent(1, 0),
  };
}

/** The columns of the lines, with the sum as the line behind the last. */
function columnsWithSum(t: TraceTotals): Column<Line>[] {
  const sums = sumCells(t);
  const exact: Record<string, number> = { total: t.all.total_ps, self: t.all.self_ps };
  return columns(t).map((column) => ({
    ...column,
    cell: (line, index) => (line.at < t.rows.n ? column.cell(line, index) : (sums[column.id] ?? null)),
    tip: (line) => (line.at < t.rows.n ? column.tip?.(line) : column.id in exact ? exactPs(exact[column.id]) : undefined),
  }));
}

/** A column of numbers: as wide as the longest of them; not there when it would be empty. */
const numbers = (id: string, title: string, texts: string[], more: Partial<Column<Line>>, sum = ''): Column<Line>[] =>
  texts.some(Boolean) ? [{ id, title, width: widthOf([...texts, sum], title), number: true, cell: ({ at }) => texts[at], ...more }] : [];

function nameColumns(t: TraceTotals): Column<Line>[] {
  const c = t.rows;
  const thread = t.of_rows.every(isThread);
  const name: Column<Line> = {
    id: 'name',
    title: t.by[0].toUpperCase() + t.by.slice(1),
    width: 'minmax(150px, 3fr)',
    cell: ({ at }) => (
      <>
        {c.wait[at] ? <i class="swatch t-hatch" title="waits, does no work" /> : <Swatch group={c.group[at] ?? 'none'} thread={thread} />} {titleOf(t, at)}
        {c.wait[at] ? <span class="soft"> waits</span> : null}
      </>
    ),
    tip: ({ at }) => [c.key[at], c.program[at]].filter(Boolean).join(' in '),
  };
  if (!c.category.some(Boolean)) return [name];
  return [name, { id: 'category', title: 'Category', width: 'minmax(70px, 1fr)', cell: ({ at }) => c.category[at], tip: ({ at }) => c.category[at] }];
}

function rateColumns({ rows: c }: TraceTotals): Column<Line>[] {
  const peaks = peaksNow();
  const rate = (id: 'flops' | 'bytes', title: string, per_s: readonly (number | null)[]) =>
    numbers(
      id,
      title,
      per_s.map((value) => believable(value, peaks[id])),
      { sort: id, tip: ({ at }) => rateTip(per_s[at], peaks[id]) },
    );
  const peak = c.key.map((_, at) => peakText(c.flops_per_s[at], c.bytes_per_s[at], peaks));
  return [
    ...rate('flops', 'FLOP/s', c.flops_per_s),
    ...rate('bytes', 'B/s', c.bytes_per_s),
    ...numbers('peak', 'Of peak', peak, {
      tip: ({ at }) =>
        peak[at] === UNKNOWN_CELL
          ? 'more than the peak of this chip: either the estimate counts work outside of these events, or the peak is wrong; enter the right one in Explain'
          : 'from the compiler’s estimate, as a share of the peak that is reached first',
    }),
  ];
}

function columns(t: TraceTotals): Column<Line>[] {
  const c = t.rows;
  const all = Math.max(t.all.self_ps, 1);
  const time = (name: 'total' | 'self' | 'min' | 'p50' | 'p99' | 'max', title: string, sum = 0): Column<Line>[] =>
    numbers(name, title, c[`${name}_ps`].map(durationText), { sort: name, tip: ({ at }) => exactPs(c[`${name}_ps`][at]) }, durationText(sum));
  return [
    ...nameColumns(t),
    ...numbers('count', 'Count', c.count.map(formatCount), { sort: 'count' }, formatCount(t.all.count)),
    ...time('total', 'Total', t.all.total_ps),
    ...time('self', 'Self', t.all.self_ps),
    {
      id: 'share',
      title: 'Share of self',
      width: '112px',
      cell: ({ at }) => (
        <span class="t-share">
          <i ref={setStyle('width', `${(c.self_ps[at] / all) * 50}px`)} /> {formatPercent(c.self_ps[at] / all, 1)}
        </span>
      ),
    },
    ...time('min', 'Min'),
    ...time('p50', 'p50'),
    ...time('p99', 'p99'),
    ...time('max', 'Max'),
    ...rateColumns(t),
  ];
}

/** Goes to an event of which only the number is known. */
export function openEvent(event: number): void {
  traceApi
    .event({ ...subject.peek(), event }, { key: 'trace/first', quiet: true })
    .then((e) => jumpTo(e.event, e.start_ps, e.duration_ps, e.row))
    .catch(tellFailure);
}

/** Goes to the first event of a line. */
export function openFirst(t: TraceTotals, at: number): void {
  openEvent(t.rows.first_event[at]);
}

/** Steps and chips stand in the order of their numbers: sums do not rank them. */
const inTheirOrder = (t: TraceTotals) => t.by === 'step' || t.by === 'chip';

/** The straggler is found once, from all steps. Sums over a range include waits, so they cannot tell. */
function Verdict() {
  const c = steps.value?.chips;
  const r = rows.value;
  if (!c || !r || c.n < 2) return null;
  return (
    <>
      {' '}
      · {c.straggler === null ? 'No straggler' : <b class="warn">Straggler {processName(r, c.straggler)}</b>}: {c.why} (of all steps){' '}
      <button type="button" class="link" onClick={() => change({ tt: 'steps' })}>
        compare chips
      </button>
    </>
  );
}

export function SelectionTab() {
  const t = totals.value;
  const r = range.value;
  if (!t) return <p class="t-note">{problem.value || 'Adding up …'}</p>;
  return (
    <div class="t-fill">
      <Picked />
      <p class="t-sum">
        <b>{spanText(t.from_ps, t.to_ps)}</b> {durationText(t.to_ps - t.from_ps)} · {r ? 'selected' : 'in view'} · {formatCount(t.all.count)} events
        {t.clip ? '' : ' that touch it, counted whole'}, self <b>{durationText(t.all.self_ps)}</b> by the{' '}
        {t.clock === 'device' ? 'device clock' : 'host-aligned clock'}, busy {durationText(t.all.busy_ps)} host-aligned{summedOver(t.of_rows.length)}
        {t.left_out ? ` · ${formatCount(t.left_out)} lines beyond the first ${formatCount(t.rows.n)} are in the CSV` : ''}
        {t.by === 'chip' ? <Verdict /> : null}
        {r ? (
          <>
            {' '}
            <button type="button" class="link" onClick={() => change({ r0: null, r1: null })}>
              clear
            </button>
          </>
        ) : null}
      </p>
      <VirtualTable
        label={`totals, ${t.clock === 'device' ? 'device clock' : 'host-aligned'}`}
        columns={columnsWithSum(t)}
        count={t.rows.n ? t.rows.n + 1 : 0}
        rowAt={(at) => ({ at })}
        sort={view.value.tsort ?? (inTheirOrder(t) ? '' : 'self')}
        descending
        onSort={(sort) => change({ tsort: sort === 'self' && !inTheirOrder(t) ? null : sort })}
        onOpen={({ at }) => at < t.rows.n && openFirst(t, at)}
        rowClass={({ at }) => (at < t.rows.n ? '' : 't-total')}
        empty="no events of these rows in this range"
      />
    </div>
  );
}
