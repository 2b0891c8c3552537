/** The selected event: identity and times, rates, the same execution on other chips, all runs of the operation, stats. */
import type { EventAt, TraceEvent, TraceSame } from '../api/answers';
import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { hrefOf } from '../app/router';
import { copyText } from '../app/toast';
import { atPeaks } from '../explain/peaks';
import { ExplainToggle } from '../explain/toggle';
import { standOf } from '../app/open_tool';
import { shareWidth } from '../ui/size';
import { fixed, formatCount, formatPercent } from '../util/format';
import { traceApi } from './api';
import { allocatorWords } from './allocator_track';
import { ChipsCard } from './chips_card';
import { CollectiveCard } from './collective_card';
import { collective } from './collective_state';
import { Row } from './detail_row';
import { type Flow, flows, flowsLeftOut } from './flow_state';
import { Histogram } from './histogram';
import { memoryOf, trackAt, trackWords } from './memory_track';
import { Operands } from './operands';
import { rowName } from './rows_view';
import { SaveTable } from './save_table';
import { fit } from './gestures';
import { askFor } from './search_state';
import { TopCard } from './top_card';
import { boxesVersion, eventFailed, jumpTo, peaksOfRun, picked, place, rowIndex, rows, selected, subject } from './state';
import { isThread, Swatch } from './swatch';
import { durationText, exactPs, momentText } from './time';
import { eventName, shortName } from './label_text';
import { processName, severalHosts } from './layout';

const same = signal<TraceSame | null>(null);
function loadMore(e: TraceEvent | null): void {
  same.value = null;
  if (!e) return;
  const params = { ...subject.peek(), event: e.event };
  traceApi
    .same(params, { key: 'trace/same', quiet: true, part: 'the other runs of the operation' })
    .then((answer) => {
      same.value = answer;
    })
    // The strip above says it.
    .catch(() => {});
}

export function Details() {
  const e = selected.value;
  useEffect(() => loadMore(e), [e]);
  if (!e) {
    if (place.value) return <PlaceCard />;
    if (picked.value !== null) return <p class="t-note">{eventFailed.value || 'Reading the event …'}</p>;
    return (
      <div class="t-details">
        <TopCard />
        <p class="t-note">Click an event for its details. Drag across the rows to total a range of time.</p>
      </div>
    );
  }
  return (
    <div class="t-details">
      <Identity e={e} />
      <div class="t-column">
        {e.roofline || (e.no_roofline && rows.value?.processes.kind[e.process] !== 'host') ? <Roofline e={e} /> : null}
        <Operands e={e} />
        {e.links?.instruction ? (
          <div class="t-card">
            <ExplainToggle {...subject.value} module={e.links.module} node={e.links.instruction} />
          </div>
        ) : null}
      </div>
      {collective.value ? <CollectiveCard c={collective.value} /> : e.chips && e.chips.n > 1 ? <ChipsCard e={e} c={e.chips} /> : null}
      {flows.value.length ? <FlowList /> : null}
      {same.value && same.value.count > 1 ? <Histogram s={same.value} /> : null}
      <Stats e={e} />
    </div>
  );
}

/** What a track says where it was clicked: the page is left by a link that says so. */
function PlaceCard() {
  const r = rows.value;
  const at = place.value;
  // Answers of the tracks come later than the rows.
  void boxesVersion.value;
  if (!r || !at) return null;
  const { row, time } = at;
  const index = rowIndex.value.get(row);
  const point = trackAt(row, time);
  const words = point ? trackWords(point) : allocatorWords(row, time);
  const memory = memoryOf(row, time);
  const stand = standOf('memory');
  return (
    <div class="t-details">
      <section class="t-card t-identity">
        <h2>{words?.title ?? 'nothing known here'}</h2>
        <p class="soft">
          {index === undefined
            ? ''
            : `${r.rows.caption[index]} \u00b7 ${processName(r, r.rows.process[index])} \u00b7 ${r.rows.derived[index] ? 'derived' : 'measured'}`}
        </p>
        {memory && stand.open ? (
          <p class="t-links">
            <a class="btn-s" href={hrefOf({ tool: 'memory', module: memory.module, step: memory.step })}>
              open Memory{memory.step === null ? '' : ` at step ${formatCount(memory.step)}`}
            </a>
          </p>
        ) : null}
        <dl>
          <Row name="Time" title={exactPs(time)}>
            {momentText(time)}
          </Row>
        </dl>
        {(words?.lines ?? []).filter(Boolean).map((line) => (
          <p key={line}>{line}</p>
        ))}
      </section>
    </div>
  );
}

function IdentityHead({ e }: { e: TraceEvent }) {
  const copy = () =>
    void copyText(
      `${e.name}\nstart ${e.start_ps} ps\nduration ${e.duration_ps} ps${e.device_duration_ps === null ? '' : `\non the device ${e.device_duration_ps} ps`}`,
      'event',
    );
  return (
    <h2 title={e.name}>
      <Swatch group={e.group} thread={isThread(e.row)} />
      <span class="cut">{eventName(e.caption, e.event)}</span>
      <button type="button" class="link small" title="copy name and times" onClick={copy}>
        copy
      </button>
      <button type="button" class="link small" title="fit this event (F)" onClick={() => fit(e.start_ps, e.start_ps + e.duration_ps)}>
        fit
      </button>
      {e.caption ? (
        <button type="button" class="link small" title="all events of this name" onClick={() => askFor(e.caption)}>
          find all
        </button>
      ) : null}
    </h2>
  );
}

/** When, how long, and inside of what. */
function TimeRows({ e }: { e: TraceEvent }) {
  return (
    <dl>
      <Row name="Start" title={exactPs(e.start_ps)}>
        {momentText(e.start_ps)}
      </Row>
      <Row name="Duration" title={exactPs(e.duration_ps)}>
        {durationText(e.duration_ps)}
        {e.device_duration_ps === null ? null : (
          <>
            {' '}
            <span class="soft">host-aligned</span> <b title={exactPs(e.device_duration_ps)}>{durationText(e.device_duration_ps)}</b>{' '}
            <span class="soft">device</span>
          </>
        )}
      </Row>
      {e.self_ps !== null || e.device_self_ps !== null ? (
        <Row name="Self time">
          {durationText(e.device_self_ps ?? e.self_ps)}
          <span class="soft">
            {e.device_self_ps !== null ? ' device' : ''}
            {(e.device_self_ps ?? e.self_ps) === (e.device_duration_ps ?? e.duration_ps) ? ', no children' : ''}
          </span>
        </Row>
      ) : null}
      {e.parent ? (
        <Row name="Inside">
          <button type="button" class="link" onClick={() => e.parent && jumpTo(e.parent.event, e.parent.start_ps, e.parent.duration_ps, e.row)}>
            {eventName(e.parent.caption, e.parent.event)}
          </button>
        </Row>
      ) : null}
      {e.async ? <AsyncRows a={e.async} row={e.row} /> : null}
    </dl>
  );
}

function Identity({ e }: { e: TraceEvent }) {
  const r = rows.value;
  const differ = e.device_duration_ps !== null && e.device_duration_ps > 0 ? e.duration_ps / e.device_duration_ps : 1;
  const words = [
    e.category,
    rowName(e.row),
    r && (r.processes.kind[e.process] !== 'host' || severalHosts(r)) ? processName(r, e.process) : null,
    e.program ? shortName(e.program) : null,
    e.step ? `step ${e.step.number}` : null,
  ];
  return (
    <section class="t-card t-identity">
      <IdentityHead e={e} />
      <p class="soft">{words.filter(Boolean).join(' · ')}</p>
      <p class="t-links">
        <ToolLink tool="graph" title="Graph" e={e} />
        <ToolLink tool="memory" title="Memory" e={e} />
        <ToolLink tool="ops" title="Ops" e={e} />
        {e.source ? (
          <button type="button" class="btn-s cut" title={`${e.source}: click copies it`} onClick={() => void copyText(e.source ?? '', 'source line')}>
            {e.source.replace(/^.*\//, '')}
          </button>
        ) : null}
      </p>
      {e.name || e.caption ? null : <p class="soft">The file has no name for this event: its metadata is missing or empty.</p>}
      <TimeRows e={e} />
      {differ > 1.05 || differ < 0.95 ? (
        <p class="t-warn">
          <b>Clocks differ {fixed(differ, 1)}×.</b> The host-aligned clock jumps in this event; rates and totals use the device clock.
        </p>
      ) : null}
      <dl>
        {e.tf_op ? (
          <Row name="Op" title={e.tf_op}>
            {e.tf_op}
          </Row>
        ) : null}
        {e.how ? <Row name="Derived">{e.how}</Row> : null}
      </dl>
    </section>
  );
}

/** An asynchronous operation: what of it the core waited for, what it computed meanwhile, and its two halves. */
function AsyncRows({ a, row }: { a: NonNullable<TraceEvent['async']>; row: number }) {
  const words = { fully: 'fully hidden', partly: 'partly hidden', exposed: 'exposed' }[a.hidden] ?? a.hidden;
  const half = (r: EventAt) => (
    <button type="button" class="link" onClick={() => jumpTo(r.event, r.start_ps, r.duration_ps, row)}>
      {eventName(r.caption, r.event)}
    </button>
  );
  return (
    <>
      <Row name="Core waits" title={exactPs(a.wait_ps)}>
        {durationText(a.wait_ps)}{' '}
        <span class="soft">
          of {durationText(a.whole_ps)} {a.clock}:
        </span>{' '}
        <b>{words}</b>
      </Row>
      {a.compute_ps !== null ? (
        <Row name="Computes">
          {durationText(a.compute_ps)} <span class="soft">meanwhile</span>
        </Row>
      ) : null}
      <Row name="From, to">
        {half(a.first)} → {half(a.done)}
      </Row>
    </>
  );
}

function ToolLink({ tool, title, e }: { tool: string; title: string; e: TraceEvent }) {
  if (!e.links) return null;
  const stand = standOf(tool);
  if (!stand.open)
    return (
      <span class="btn-s off" title={stand.reason ?? ''}>
        {title}
      </span>
    );
  return (
    <a
      class="btn-s"
      href={hrefOf({ module: e.links.module, tool, op: e.links.instruction ? `%${e.links.instruction}` : null })}
      title={`${e.links.instruction ?? 'this program'} in ${title}`}
    >
      {title}
    </a>
  );
}

/** "1,316.8 of 1,638.0 GB/s": both in the unit of the peak. */
const rate = (value: number, peak: number | null, unit: string) => {
  const steps: [number, string][] = [
    [1e14, 'T'],
    [1e9, 'G'],
    [1e6, 'M'],
    [1, ''],
  ];
  const [least, prefix] = steps.find(([s]) => (peak ?? value) >= s) ?? [1, ''];
  const size = least === 1e14 ? 1e12 : least;
  const text = (v: number) => fixed(v / size, v / size < 10 ? 3 : 1);
  return `${text(value)}${peak ? ` of ${text(peak)}` : ''} ${prefix}${unit}`;
};

function Roofline({ e }: { e: TraceEvent }) {
  const use = peaksOfRun();
  const f = e.roofline ? atPeaks(e.roofline, use) : null;
  if (!f || (f.peak_flops_per_s === null && f.peak_bytes_per_s === null)) {
    return (
      <section class="t-card t-roofline">
        <h3>Roofline</h3>
        <p class="soft">{e.no_roofline}</p>
      </section>
    );
  }
  const share = Math.min(1, Math.max(0, f.share ?? 0));
  return (
    <section class="t-card t-roofline">
      <h3>
        Roofline{' '}
        <span
          class="soft small"
          title={`Work and bytes: ${f.source}. Peaks: ${[use.name, use.source].filter(Boolean).join(', ') || 'unknown'}. To rate against others, enter them in Explain (in Graph), or give xprofd ops --peak-flops and --peak-bandwidth.`}
        >
          {f.source}
          {use.edited ? ', peaks entered by hand' : ''}
        </span>
      </h3>
      {f.share !== null ? (
        <div class="t-roof">
          <i ref={shareWidth(share)} />
          <b>{formatPercent(f.share, 1)}</b>
          <span>{f.bound === 'memory' ? 'HBM' : 'compute'}</span>
        </div>
      ) : null}
      {(f.share ?? 0) > 1.05 ? <p class="t-warn">Above the roofline: the event does not include the work in the estimate.</p> : null}
      <dl class="t-right">
        {f.achieved_bytes_per_s !== null ? <Row name="HBM">{rate(f.achieved_bytes_per_s, f.peak_bytes_per_s, 'B/s')}</Row> : null}
        {f.achieved_flops_per_s !== null ? <Row name="Compute">{rate(f.achieved_flops_per_s, f.peak_flops_per_s, 'FLOP/s')}</Row> : null}
        {f.hbm_bytes && f.flops !== null ? <Row name="Intensity">{fixed(f.flops / f.hbm_bytes, 3)} FLOP/B</Row> : null}
        {f.at_roofline_ps !== null ? <Row name="At roofline">{durationText(f.at_roofline_ps)}</Row> : null}
      </dl>
    </section>
  );
}

function flowLine(f: Flow, here: number | null): (string | number)[] {
  const back = f.to.event === here;
  const end = back ? f.from : f.to;
  return [back ? 'from' : 'to', end.event, end.caption, rowName(end.row), end.start_ps, end.duration_ps, f.category];
}

function FlowList() {
  const here = picked.value;
  return (
    <section class="t-card">
      <h3>
        Flows{' '}
        <SaveTable
          name="flows"
          head={['direction', 'event', 'name', 'row', 'start_ps', 'duration_ps', 'category']}
          lines={() => flows.value.map((f) => flowLine(f, here))}
        />
      </h3>
      <ul class="t-flow">
        {flows.value.slice(0, 20).map((f, k) => {
          const back = f.to.event === here;
          const end = back ? f.from : f.to;
          return (
            <li key={`${k} ${end.event}`}>
              {back ? 'from ' : 'to '}
              <button type="button" class="link" onClick={() => jumpTo(end.event, end.start_ps, end.duration_ps, end.row)}>
                {eventName(end.caption, end.event)}
              </button>
              <span class="soft">
                {' '}
                {durationText(f.to.start_ps - f.from.start_ps - f.from.duration_ps)}
                {f.category ? `, ${f.category}` : ''}
              </span>
            </li>
          );
        })}
      </ul>
      {flows.value.length > 20 || flowsLeftOut.value ? <p class="soft">{formatCount(Math.max(0, flows.value.length - 20) + flowsLeftOut.value)} more</p> : null}
    </section>
  );
}

const FEW = 9;

function Stats({ e }: { e: TraceEvent }) {
  const [open, setOpen] = useState(false);
  useEffect(() => setOpen(false), [e]);
  const shown = open ? e.stats : e.stats.filter((s) => !s.internal).slice(0, FEW);
  const hlo = e.name !== e.caption ? e.name : null;
  if (!e.stats.length && !hlo) return null;
  return (
    <section class="t-card t-stats">
      <h3>
        Stats{' '}
        <span class="soft small row">
          {formatCount(e.stats.length)}{' '}
          <SaveTable
            name="stats"
            head={['name', 'value', 'type', 'from']}
            lines={() => e.stats.map((s) => [s.name, s.value === null ? null : String(s.value), s.type, s.from])}
          />
        </span>
      </h3>
      <dl class="t-right">
        {shown.map((s) => (
          <Row
            key={`${s.from} ${s.name}`}
            name={s.name}
            title={`${s.value ?? ''} (${s.type}, of the ${s.from}${s.internal ? ', XProf does not show it' : ''})`}
          >
            {s.value === null ? 'none' : s.type === 'int' || s.type === 'uint' ? formatCount(s.value) : String(s.value)}
            {s.whole_size_bytes ? ` … (${formatCount(s.whole_size_bytes)} bytes)` : ''}
          </Row>
        ))}
      </dl>
      {open && hlo ? <pre class="code-block t-hlo">{hlo}</pre> : null}
      {open || e.stats.length > shown.length || hlo ? (
        <button type="button" class="link" onClick={() => setOpen(!open)}>
          {open ? 'fewer' : [e.stats.length > shown.length ? `${e.stats.length - shown.length} more` : '', hlo ? 'HLO text' : ''].filter(Boolean).join(', ')} ›
        </button>
      ) : null}
    </section>
  );
}
