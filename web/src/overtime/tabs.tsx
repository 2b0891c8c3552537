/** The lists of Over time: live at an instant, events, at the peak, by step, never freed. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type Change, hrefOf, setView, view } from '../app/router';
import { modules } from '../app/state';
import { copyText } from '../app/toast';
import { type Column, VirtualTable } from '../table/virtual';
import { SaveTable } from '../trace/save_table';
import { durationText, exactPs } from '../trace/time';
import { TabList } from '../ui/tab_list';
import { exactBytes, formatCount, plural } from '../util/format';
import {
  type AllocDiff,
  type AllocEvents,
  type AllocLive,
  a,
  atPeak,
  b,
  diff,
  events,
  listProblem,
  live,
  type LiveOf,
  liveOf,
  steps,
  type Tab,
  tab,
  tracks,
} from './state';
import { bytes, instant, signedBytes } from './words';

const NOT_SAID = <span class="soft">not recorded</span>;
const COLOURS: Record<string, string> = {
  output: 'ot-w-output',
  'from host': 'ot-w-host',
  'program code': 'ot-w-code',
  'tuple table': 'ot-w-table',
  launch: 'ot-w-launch',
};
const unit = (size: number | null) => <span title={exactBytes(size)}>{bytes(size)}</span>;

const traceChange = (event: number | null): Change => ({
  tool: 'trace',
  ev: event,
  mode: null,
  tab: null,
  from: null,
  to: null,
  a: null,
  b: null,
  al: null,
  sort: null,
});

/** A time that opens Trace at the event. */
function Moment({ ps, event }: { ps: number | null; event?: number | null }) {
  if (ps === null) return <span class="soft">not in the capture</span>;
  if (event === null || event === undefined) return <span title={exactPs(ps)}>{instant(ps)}</span>;
  return (
    <a href={hrefOf(traceChange(event))} title={`${exactPs(ps)}; opens Trace at the event`} onClick={(e) => e.stopPropagation()}>
      {instant(ps)}
    </a>
  );
}

function What({ word }: { word: string }) {
  return (
    <>
      <i class={`swatch ${COLOURS[word] ?? 'ot-w-other'}`} /> {word}
    </>
  );
}

/** A program opens Memory of it; an output also chooses the outputs of its shape. */
function Program({ name, shape }: { name: string; shape?: string }) {
  if (!name) return NOT_SAID;
  const known = modules.value?.name.includes(name);
  if (!known) return <span>{name}</span>;
  const bare = shape?.replace(/\{.*$/, '');
  return (
    <a
      class="mono"
      href={hrefOf({
        mode: null,
        module: name,
        tab: bare ? 'buffers' : null,
        class: bare ? 'output' : null,
        shape: bare || null,
        a: null,
        b: null,
        from: null,
        to: null,
        al: null,
        sort: null,
        at: null,
      })}
      onClick={(e) => e.stopPropagation()}
    >
      {name}
    </a>
  );
}

/** Where Python was when it was allocated, `train.py:41 step`: the place can be taken along. */
function Source({ text }: { text: string }) {
  if (!text) return NOT_SAID;
  const place = /^\S+:\d+/.exec(text)?.[0] ?? text;
  const copy = (event: Event) => {
    event.stopPropagation();
    void copyText(place, 'place');
  };
  return (
    <button type="button" class="link mono middle" title={`${text}; copies ${place}`} onClick={copy}>
      <span class="cut">{place.slice(0, -8)}</span>
      {place.slice(-8)}
    </button>
  );
}

/** TPU runtimes call every op "dummy": that names none. */
const isSaid = (op: string) => op !== '' && op !== 'dummy';

/* A column that nothing fills leaves its room to the others. */

const opColumn = (names: string[], op: number[]): Column<number>[] =>
  op.some((k) => isSaid(names[k]))
    ? [
        {
          id: 'op',
          title: 'op',
          width: 'minmax(100px, 1fr)',
          sort: 'op',
          cell: (k) => (isSaid(names[op[k]]) ? <span class="mono cut">{names[op[k]]}</span> : NOT_SAID),
          tip: (k) => names[op[k]],
        },
      ]
    : [];

const shapeColumn = (names: string[], shape: number[]): Column<number>[] =>
  shape.some((k) => names[k] !== '')
    ? [
        {
          id: 'shape',
          title: 'shape',
          width: 'minmax(120px, 1.5fr)',
          sort: 'shape',
          cell: (k) => (names[shape[k]] ? <span class="mono">{names[shape[k]]}</span> : NOT_SAID),
          tip: (k) => names[shape[k]],
        },
      ]
    : [];

/** Only the Python tracer tells it. */
const sourceColumn = (names: string[], source: number[]): Column<number>[] =>
  source.some((k) => names[k])
    ? [
        {
          id: 'source',
          title: 'source',
          width: 'minmax(130px, 1.6fr)',
          sort: 'source',
          cell: (k) => <Source text={names[source[k]]} />,
        },
      ]
    : [];

const sortProps = () => ({
  sort: view.value.sort,
  descending: view.value.desc !== '0',
  onSort: (sort: string) => setView({ sort, desc: view.peek().sort === sort && view.peek().desc !== '0' ? '0' : null }, { push: false }),
});

/* ---- live ---- */

type Rows = AllocLive | AllocDiff;
type AllocHeld = AllocLive['held'];

function closing(held: AllocHeld): { text: string; good: boolean } {
  const before = held.before_bytes[0];
  const parts = [`listed ${bytes(held.listed_bytes[0])}`];
  if (before !== null) parts.push(`+ still there from before the capture ${bytes(before)}`);
  if (held.without_address_bytes[0] !== 0) parts.push(`+ without an address ${bytes(held.without_address_bytes[0])}`);
  const by = held.closes_by_bytes[0];
  if (held.in_use_bytes[0] === null) return { text: 'unknown before the first event', good: true };
  if (by === null) return { text: `${parts.join(' ')}; the runtime reports no heap to compare with`, good: true };
  if (by === 0) return { text: `${parts.join(' ')} = heap ${bytes(held.heap_bytes[0])} (${exactBytes(held.heap_bytes[0])}) ✓`, good: true };
  return {
    text: `${parts.join(' ')}, but the heap is ${bytes(held.heap_bytes[0])}: ${exactBytes(Math.abs(by))} ${by > 0 ? 'more than' : 'less than'} listed`,
    good: false,
  };
}

function liveColumns(rows: Rows, withState: boolean): Column<number>[] {
  const name = (k: number) => rows.names[k];
  return [
    ...(withState
      ? [{ id: 'state', title: 'live', width: '70px', sort: 'state', cell: (k: number) => ({ both: 'both', only_a: 'A', only_b: 'B' })[rows.state[k]] }]
      : []),
    { id: 'size', title: 'size', width: '100px', number: true, sort: 'size_bytes', cell: (k) => <b>{unit(rows.size_bytes[k])}</b> },
    { id: 'count', title: '×', width: '56px', number: true, sort: 'count', cell: (k) => formatCount(rows.count[k]) },
    { id: 'what', title: 'purpose', width: '120px', sort: 'what', cell: (k) => <What word={name(rows.what[k])} /> },
    ...opColumn(rows.names, rows.op),
    ...shapeColumn(rows.names, rows.shape),
    ...(rows.data_type.some((k) => name(k) !== '')
      ? [{ id: 'type', title: 'type', width: '70px', sort: 'data_type', cell: (k: number) => name(rows.data_type[k]) || NOT_SAID }]
      : []),
    { id: 'asked', title: 'requested', width: '100px', number: true, sort: 'requested_bytes', cell: (k) => unit(rows.requested_bytes[k]) },
    {
      id: 'program',
      title: 'program',
      width: 'minmax(90px, 1fr)',
      sort: 'program',
      cell: (k) => <Program name={name(rows.program[k])} shape={name(rows.what[k]) === 'output' ? name(rows.shape[k]) : undefined} />,
    },
    ...sourceColumn(rows.names, rows.source),
    {
      id: 'since',
      title: 'since',
      width: '90px',
      number: true,
      sort: 'from_ps',
      cell: (k) => <Moment ps={rows.from_ps[k]} event={rows.event[k]} />,
      tip: (k) => (rows.count[k] > 1 ? `the last at ${instant(rows.last_from_ps[k])}` : undefined),
    },
    { id: 'freed', title: 'freed at', width: '90px', number: true, sort: 'to_ps', cell: (k) => <Moment ps={rows.to_ps[k]} /> },
    {
      id: 'address',
      title: 'address',
      width: '120px',
      sort: 'address',
      cell: (k) => (rows.count[k] > 1 ? <span class="soft">{formatCount(rows.count[k])} addresses</span> : <span class="mono">{rows.address[k]}</span>),
    },
  ];
}

function Closing({ held, letter }: { held: AllocHeld; letter: string }) {
  if (held.n === 0) return null;
  const line = closing(held);
  return (
    <p class={`ot-closing${line.good ? '' : ' bad'}`} role={line.good ? undefined : 'alert'}>
      <b>{letter}</b> {line.text}
      {held.reserved_bytes[0] ? `; stack ${bytes(held.reserved_bytes[0])}` : ''}
    </p>
  );
}

const cellsOf = (rows: Rows) => () =>
  rows.size_bytes.map((size, k) => [
    rows.state[k],
    size,
    rows.requested_bytes[k],
    rows.count[k],
    rows.names[rows.what[k]],
    rows.names[rows.op[k]],
    rows.names[rows.shape[k]],
    rows.names[rows.data_type[k]],
    rows.names[rows.program[k]],
    rows.names[rows.source[k]],
    rows.from_ps[k],
    rows.to_ps[k],
    rows.address[k],
  ]);
const CELLS = ['state', 'size_bytes', 'requested_bytes', 'count', 'what', 'op', 'shape', 'data_type', 'program', 'source', 'from_ps', 'to_ps', 'address'];

function LiveList({ rows, name, empty, children }: { rows: Rows | null; name: string; empty: string; children?: ComponentChildren }) {
  if (!rows) return <Waiting />;
  return (
    <>
      <div class="ot-listhead">
        {children}
        <span class="ot-save">
          {rows.left_out ? (
            <span class="soft">
              the first {formatCount(rows.n)} of {plural(rows.total, 'row')}
            </span>
          ) : null}
          <SaveTable name={name} head={CELLS} lines={cellsOf(rows)} />
        </span>
      </div>
      <VirtualTable
        label={name}
        columns={liveColumns(rows, 'between' in rows)}
        count={rows.n}
        rowAt={(k) => k}
        {...sortProps()}
        rowClass={() => ''}
        empty={empty}
      />
    </>
  );
}

function Waiting() {
  return listProblem.value ? (
    <p class="ot-note" role="alert">
      The list cannot be shown: {listProblem.value}
    </p>
  ) : (
    <p class="ot-note" aria-busy="true">
      reading the allocations …
    </p>
  );
}

/** Of A, of B, or what differs. */
export function nextLive(): void {
  const order: LiveOf[] = b.peek() === null ? ['a'] : ['a', 'b', 'diff'];
  const next = order[(order.indexOf(liveOf.peek()) + 1) % order.length];
  setView({ tab: 'live', at: next === 'a' ? null : next }, { push: false });
}

function LiveTab() {
  const of = liveOf.value;
  const rows = of === 'diff' ? diff.value : live.value;
  return (
    <LiveList rows={rows} name={of === 'diff' ? 'allocations_diff' : 'live_allocations'} empty="nothing is allocated at this instant">
      {b.value === null ? null : (
        <TabList
          class="ot-of"
          tabs={
            [
              ['a', 'A'],
              ['b', 'B'],
              ['diff', 'difference'],
            ] as const
          }
          open={of}
          choose={(id) => setView({ at: id === 'a' ? null : id }, { push: false })}
        />
      )}
      {!rows ? null : 'between' in rows ? (
        <>
          <Closing held={rows.at_a} letter="A" />
          <Closing held={rows.at_b} letter="B" />
        </>
      ) : (
        <Closing held={rows.held} letter={of === 'b' ? 'B' : 'A'} />
      )}
    </LiveList>
  );
}

/* ---- events ---- */

function Filter() {
  const [text, setText] = useState(view.value.filter ?? '');
  return (
    <input
      type="search"
      class="ot-filter"
      aria-label="filter of the events"
      placeholder="text or /expression/"
      value={text}
      onInput={(event) => {
        setText(event.currentTarget.value);
        setView({ filter: event.currentTarget.value || null }, { push: false });
      }}
    />
  );
}

function eventColumns(e: AllocEvents): Column<number>[] {
  const name = (k: number) => e.names[k];
  return [
    { id: 'at', title: 'time', width: '110px', number: true, sort: 'at_ps', cell: (k) => <Moment ps={e.at_ps[k]} event={e.event[k]} /> },
    { id: 'allocator', title: 'allocator', width: '90px', sort: 'allocator', cell: (k) => tracks.value[e.allocator[k]]?.title },
    { id: 'kind', title: 'event', width: '60px', sort: 'kind', cell: (k) => e.kind[k] },
    {
      id: 'size',
      title: 'bytes',
      width: '110px',
      number: true,
      sort: 'size_bytes',
      cell: (k) =>
        e.size_bytes[k] === null ? (
          NOT_SAID
        ) : (
          <span class={e.kind[k] === 'free' ? 'good' : 'bad'}>{signedBytes((e.kind[k] === 'free' ? -1 : 1) * (e.size_bytes[k] as number))}</span>
        ),
      tip: (k) => exactBytes(e.size_bytes[k]),
    },
    { id: 'asked', title: 'requested', width: '100px', number: true, sort: 'requested_bytes', cell: (k) => unit(e.requested_bytes[k]) },
    { id: 'what', title: 'purpose', width: '130px', sort: 'what', cell: (k) => <What word={name(e.what[k])} /> },
    ...opColumn(e.names, e.op),
    ...shapeColumn(e.names, e.shape),
    { id: 'program', title: 'program', width: 'minmax(90px, 1fr)', sort: 'program', cell: (k) => <Program name={name(e.program[k])} /> },
    ...sourceColumn(e.names, e.source),
    {
      id: 'life',
      title: 'life',
      width: '90px',
      number: true,
      sort: 'life_ps',
      cell: (k) => (e.life_ps[k] === null ? <span class="soft">not in the capture</span> : durationText(e.life_ps[k])),
    },
    { id: 'address', title: 'address', width: '120px', sort: 'address', cell: (k) => (e.address[k] ? <span class="mono">{e.address[k]}</span> : NOT_SAID) },
    { id: 'after', title: 'in use after', width: '100px', number: true, sort: 'in_use_bytes', cell: (k) => <b>{unit(e.in_use_bytes[k])}</b> },
  ];
}

const EVENT_CELLS = [
  'at_ps',
  'allocator',
  'kind',
  'size_bytes',
  'requested_bytes',
  'what',
  'op',
  'shape',
  'program',
  'source',
  'life_ps',
  'address',
  'in_use_bytes',
];
const eventCells = (e: AllocEvents) => () =>
  e.at_ps.map((at, k) => [
    at,
    tracks.value[e.allocator[k]]?.title ?? '',
    e.kind[k],
    e.size_bytes[k],
    e.requested_bytes[k],
    e.names[e.what[k]],
    e.names[e.op[k]],
    e.names[e.shape[k]],
    e.names[e.program[k]],
    e.names[e.source[k]],
    e.life_ps[k],
    e.address[k],
    e.in_use_bytes[k],
  ]);

function EventsTab() {
  const e = events.value;
  if (!e) return <Waiting />;
  return (
    <>
      <div class="ot-listhead">
        <Filter />
        {e.filter_note ? (
          <span class="warn" role="status">
            {e.filter_note}
          </span>
        ) : null}
        <span class="soft">
          {formatCount(e.allocated)} allocated, {formatCount(e.freed)} freed{view.value.from ? ' in the window' : ''}
          {e.left_out ? `; the first ${formatCount(e.n)} are listed` : ''}
        </span>
        <span class="ot-save">
          <SaveTable name="allocations" head={EVENT_CELLS} lines={eventCells(e)} />
        </span>
      </div>
      <VirtualTable
        label="events"
        columns={eventColumns(e)}
        count={e.n}
        rowAt={(k) => k}
        {...sortProps()}
        descending={view.value.sort ? view.value.desc !== '0' : false}
        onOpen={(k, _, event) => setView('ctrlKey' in event && (event as MouseEvent).ctrlKey ? { b: e.at_ps[k] } : { a: e.at_ps[k] }, { push: false })}
        rowClass={(k) => (e.at_ps[k] === a.value ? 'on' : '')}
        empty={view.value.filter ? 'no event matches the filter' : 'no events in this window'}
      />
    </>
  );
}

/* ---- steps, never freed ---- */

function StepsTab() {
  const s = steps.value;
  if (!s) return <Waiting />;
  const columns: Column<number>[] = [
    { id: 'number', title: { steps: 'step', runs: 'run', tenths: 'tenth' }[s.what], width: '80px', number: true, cell: (k) => String(s.number[k]) },
    { id: 'from', title: 'from', width: '110px', number: true, cell: (k) => <Moment ps={s.from_ps[k]} /> },
    { id: 'length', title: 'length', width: '100px', number: true, cell: (k) => durationText(s.to_ps[k] - s.from_ps[k]) },
    { id: 'least', title: 'lowest in use', width: '120px', number: true, cell: (k) => <b>{unit(s.least_bytes[k])}</b> },
    { id: 'most', title: 'highest', width: '110px', number: true, cell: (k) => unit(s.most_bytes[k]) },
    { id: 'allocated', title: 'allocated', width: '110px', number: true, cell: (k) => unit(s.allocated_bytes[k]) },
    { id: 'freed', title: 'freed', width: '110px', number: true, cell: (k) => unit(s.freed_bytes[k]) },
    { id: 'left', title: 'left at its end', width: '120px', number: true, cell: (k) => unit(s.left_bytes[k]) },
  ];
  const head = ['number', 'from_ps', 'to_ps', 'least_bytes', 'most_bytes', 'allocated_bytes', 'freed_bytes', 'left_bytes'];
  return (
    <>
      <div class="ot-listhead">
        <span class="soft">
          of {s.title}
          {s.left_out ? `; the first ${formatCount(s.n)} of ${formatCount(s.total)}` : ''}
        </span>
        <span class="ot-save">
          <SaveTable
            name="memory_steps"
            head={head}
            lines={() =>
              s.number.map((n, k) => [n, s.from_ps[k], s.to_ps[k], s.least_bytes[k], s.most_bytes[k], s.allocated_bytes[k], s.freed_bytes[k], s.left_bytes[k]])
            }
          />
        </span>
      </div>
      <VirtualTable
        label="steps"
        columns={columns}
        count={s.n}
        rowAt={(k) => k}
        onOpen={(k) => setView({ a: s.from_ps[k], b: s.to_ps[k] }, { push: false })}
        empty="no steps"
      />
    </>
  );
}

function NeverTab() {
  const s = steps.value;
  if (!s) return <Waiting />;
  const n = s.never;
  const columns: Column<number>[] = [
    { id: 'size', title: 'size', width: '100px', number: true, cell: (k) => <b>{unit(n.size_bytes[k])}</b> },
    { id: 'count', title: '×', width: '60px', number: true, cell: (k) => formatCount(n.count[k]) },
    { id: 'what', title: 'purpose', width: '120px', cell: (k) => <What word={n.what[k]} /> },
    { id: 'op', title: 'op', width: 'minmax(100px, 1fr)', cell: (k) => (n.op[k] ? <span class="mono cut">{n.op[k]}</span> : NOT_SAID), tip: (k) => n.op[k] },
    {
      id: 'shape',
      title: 'shape',
      width: 'minmax(120px, 1.4fr)',
      cell: (k) => (n.shape[k] ? <span class="mono">{n.shape[k]}</span> : NOT_SAID),
      tip: (k) => n.shape[k],
    },
    { id: 'type', title: 'type', width: '80px', cell: (k) => n.data_type[k] || NOT_SAID },
    { id: 'asked', title: 'requested', width: '100px', number: true, cell: (k) => unit(n.requested_bytes[k]) },
    { id: 'program', title: 'program', width: 'minmax(90px, 1fr)', cell: (k) => <Program name={n.program[k]} /> },
    ...(n.source.some(Boolean) ? [{ id: 'source', title: 'source', width: 'minmax(130px, 1.4fr)', cell: (k: number) => <Source text={n.source[k]} /> }] : []),
    { id: 'first', title: 'first', width: '100px', number: true, cell: (k) => <Moment ps={n.from_ps[k]} event={n.event[k]} /> },
    { id: 'last', title: 'last', width: '100px', number: true, cell: (k) => <Moment ps={n.last_from_ps[k]} /> },
  ];
  const head = ['size_bytes', 'count', 'what', 'op', 'shape', 'data_type', 'requested_bytes', 'program', 'source', 'from_ps', 'last_from_ps'];
  return (
    <>
      <div class="ot-listhead">
        <span class={s.cut ? 'warn' : 'soft'}>
          {s.cut ? 'The file is cut: the frees may come after the cut. ' : ''}made inside the steps of {s.title} and not freed in the capture;{' '}
          {formatCount(n.freed_in_step)} were freed in their step, {formatCount(n.freed_later)} later
        </span>
        <span class="ot-save">
          <SaveTable
            name="never_freed"
            head={head}
            lines={() =>
              n.op.map((op, k) => [
                n.size_bytes[k],
                n.count[k],
                n.what[k],
                op,
                n.shape[k],
                n.data_type[k],
                n.requested_bytes[k],
                n.program[k],
                n.source[k],
                n.from_ps[k],
                n.last_from_ps[k],
              ])
            }
          />
        </span>
      </div>
      <VirtualTable label="never freed" columns={columns} count={n.n} rowAt={(k) => k} empty="everything allocated inside the steps is freed in the capture" />
    </>
  );
}

function PeakTab() {
  const p = atPeak.value;
  return (
    <LiveList rows={p} name="allocations_at_the_peak" empty="nothing is listed at the peak">
      {p ? <Closing held={p.held} letter={`Peak, ${instant(p.at_ps)}:`} /> : null}
    </LiveList>
  );
}

export function Tabs() {
  const s = steps.value;
  const all = tracks.value.reduce((sum, t) => sum + t.events, 0);
  const of = liveOf.value;
  const count = (n: number | undefined) => (n === undefined ? null : <span class="count">{formatCount(n)}</span>);
  const titles: (readonly [Tab, ComponentChildren])[] = [
    ['live', of === 'diff' ? 'A against B' : of === 'b' ? 'Live at B' : 'Live at A'],
    ['events', <>Events {count(all)}</>],
    ['peak', 'At the peak'],
    ['steps', <>By step {count(s?.total)}</>],
    [
      'never',
      <>
        {s?.cut ? 'Not freed' : 'Never freed'} {count(s?.never.kept)}
      </>,
    ],
  ];
  return (
    <section class="m-tabs ot-tabs" aria-label="lists">
      <div class="m-tab-row">
        <TabList
          class="m-tab-list"
          tabs={titles}
          open={tab.value}
          choose={(id) => setView({ tab: id === 'live' ? null : id, sort: null, desc: null }, { push: false })}
        />
      </div>
      <div class="ot-list">
        {tab.value === 'live' ? (
          <LiveTab />
        ) : tab.value === 'events' ? (
          <EventsTab />
        ) : tab.value === 'peak' ? (
          <PeakTab />
        ) : tab.value === 'steps' ? (
          <StepsTab />
        ) : (
          <NeverTab />
        )}
      </div>
    </section>
  );
}
