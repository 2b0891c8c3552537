/** The columns of the table of operations: what each is, how it is written, what it sorts by and what stands in the sum. */
import type { ComponentChildren } from 'preact';
import { NameCut } from '../ui/name_cut';
import { setStyle, shareWidth } from '../ui/size';
import { formatCount, formatFactor, formatPercent, UNKNOWN } from '../util/format';
import { groupVariable } from '../memory/group_colour';
import { GROUP_WORDS } from '../charts/colours';
import { baseName } from '../app/links';
import { durationText, exactPs } from '../trace/time';
import { inUnit, OUTLIER, rateText, rateUnitOf, runUnit, standsOut, sumUnit, threeText, timeIn, type Unit } from './numbers';
import { hasPercentiles, type OpColumns, type Ops, programName } from './state';
import { lastOf } from './tree';

/** One answer, and the units that its columns are written in. */
export interface Look {
  o: Ops;
  c: OpColumns;
  sum: Unit;
  one: Unit;
  flops: Unit;
  bytes: Unit;
  /** The longest self time: the length of its bar. */
  longest: number;
  /** No peaks are known: shares and what there is to win are against the best rates of this run. */
  best: boolean;
  /** Of the rows that the table has. */
  rows: Sums;
  /** Self time of the rows before a row and its own, by row, in the order of the table. */
  before: Float64Array;
}

const most = (values: readonly (number | null)[]): number => values.reduce<number>((a, b) => Math.max(a, b ?? 0), 0);

export function lookOf(o: Ops): Look {
  const c = o.ops;
  const judged = c.lost_against.map((against) => against !== null);
  return {
    o,
    c,
    sum: sumUnit(o.self_ps),
    one: runUnit(most(c.mean_ps)),
    flops: rateUnitOf(c.flops_per_s, judged, 'FLOP/s'),
    bytes: rateUnitOf(c.hbm_bytes_per_s, judged, 'B/s'),
    longest: most(c.self_ps),
    best: c.lost_against.includes('best'),
    rows: NO_SUMS,
    before: new Float64Array(c.n),
  };
}

/** "≤ 307,236.1": with waits in it a sum is an upper bound. */
export const lostSum = (rows: Sums, unit: Unit): string => `${rows.waits ? '≤ ' : ''}${timeIn(rows.lost_ps, unit)}`;

/** What rows add up to. */
export interface Sums {
  rows: number;
  count: number;
  self_ps: number;
  /** Of operations whose bound is known. */
  judged_ps: number;
  /** Time to win, as the rows say it, waits included. */
  lost_ps: number;
  /** Waits are in it, so the sum is an upper bound. */
  waits: boolean;
}
const NO_SUMS: Sums = { rows: 0, count: 0, self_ps: 0, judged_ps: 0, lost_ps: 0, waits: false };

export function sumsOf({ c }: Look, rows: Iterable<number>): Sums {
  const sums = { ...NO_SUMS };
  for (const k of rows) {
    sums.rows++;
    sums.count += c.count[k];
    sums.self_ps += c.self_ps[k];
    if (c.bound[k] !== 'unknown') sums.judged_ps += c.self_ps[k];
    sums.lost_ps += c.lost_ps[k] ?? 0;
    sums.waits ||= c.lost_against[k] === 'nothing';
  }
  return sums;
}

export interface OpColumn {
  id: string;
  /** Its name in the menu. */
  title: string;
  /** The heading, where it differs from the name. */
  head?: (l: Look) => string;
  hint: string;
  width: string;
  number?: boolean;
  /** A word that is aligned right and never cut, like a number. */
  right?: boolean;
  /** Shown unless columns are chosen, on windows of this width at least. */
  from?: number;
  /** What it sorts by; null: unknown, always last. */
  value: (l: Look, k: number) => number | string | null;
  /** The text of a cell; what a copy of the row has. */
  text: (l: Look, k: number) => string;
  cell?: (l: Look, k: number, index: number) => ComponentChildren;
  tip?: (l: Look, k: number) => string | undefined;
  sum?: (l: Look) => ComponentChildren;
}

const soft = (text: string): ComponentChildren => (text === UNKNOWN ? <span class="op-unknown">{text}</span> : text);

/** A word of the row. */
function word(id: keyof OpColumns, title: string, width: string, hint: string, more: Partial<OpColumn> = {}): OpColumn {
  const text = (l: Look, k: number) => String((l.c[id] as (string | null)[])[k] ?? '');
  return { id, title, width, hint, value: text, text, cell: (l, k) => <span class="cut">{text(l, k)}</span>, tip: (l, k) => text(l, k) || undefined, ...more };
}

/** A number of the row. */
function amount(
  id: string,
  title: string,
  width: string,
  hint: string,
  value: (l: Look, k: number) => number | null,
  text: (l: Look, value: number | null) => string,
  more: Partial<OpColumn> = {},
): OpColumn {
  return { id, title, width, hint, number: true, value, text: (l, k) => text(l, value(l, k)), cell: (l, k) => soft(text(l, value(l, k))), ...more };
}

const time = (id: keyof OpColumns & `${string}_ps`, title: string, hint: string, unit: 'sum' | 'one', more: Partial<OpColumn> = {}): OpColumn => {
  const value = (l: Look, k: number) => (l.c[id] as (number | null)[])[k];
  return amount(id.slice(0, -3), title, '62px', hint, value, (l, ps) => timeIn(ps, l[unit]), {
    tip: (l, k) => {
      const ps = value(l, k);
      return ps === null ? undefined : exactPs(ps);
    },
    ...more,
  });
};

/** What the self times add up to: elapsed time, plus what ran in parallel. */
function Beside({ l }: { l: Look }) {
  const { busy_ps: busy, side_by_side_ps: beside } = l.o;
  if (beside === null || l.rows.rows < l.o.all_operations) return null;
  const closes = busy !== null && busy + beside === l.rows.self_ps;
  return (
    <span
      class="cut op-beside"
      title={`${durationText(busy)} with any operation running; ${durationText(beside)} of self time in parallel with other operations of the same chip`}
    >
      {closes ? <span class="good">✓ </span> : null}
      {beside === 0 ? 'nothing in parallel' : `${durationText(beside)} side by side`}
    </span>
  );
}

/** A value that loads after names and times. */
function LaterCell({ l, ps }: { l: Look; ps: number | null }) {
  return <>{ps === null && !hasPercentiles.value ? <span class="faint">…</span> : soft(timeIn(ps, l.one))}</>;
}

/** A longest execution that stands out from the median is amber, in words as well. */
function MaxCell({ l, k }: { l: Look; k: number }) {
  const text = timeIn(l.c.max_ps[k], l.one);
  return standsOut(l.c.max_ps[k], l.c.p50_ps[k]) ? <b class="warn">{text}</b> : soft(text);
}

/** With fewer executions the 99th percentile is the longest. */
export const P99_LEAST = 20;

function sourceText(source: string): string {
  return baseName(source);
}

/** In the order of the table; the choice of the address keeps it. */
export const COLUMNS: OpColumn[] = [
  {
    id: 'rank',
    title: '#',
    width: '34px',
    hint: 'place in this order',
    number: true,
    from: 0,
    value: (l, k) => l.c.self_ps[k],
    text: () => '',
    cell: (_l, _k, index) => <span class="faint">{formatCount(index + 1)}</span>,
    sum: () => '',
  },
  word('name', 'operation', 'minmax(150px, 2fr)', 'name of the instruction', {
    from: 0,
    cell: (l, k) => (
      <span class="m-name">
        <i class="swatch" style={{ background: `var(${groupVariable(l.c.group[k] ?? '')})` }} title={GROUP_WORDS[l.c.group[k] ?? ''] ?? 'no group'} />
        <NameCut name={lastOf(l.c.name[k])} css="mono op-name" />
      </span>
    ),
  }),
  word('module', 'program', 'minmax(80px, 1fr)', 'the program it belongs to', {
    from: 2200,
    cell: (l, k) => <span class="cut">{programName(l.c.module[k])}</span>,
  }),
  word('category', 'category', '110px', 'the category that XProf shows'),
  word('opcode', 'opcode', '90px', 'of the instruction', { from: 2200 }),
  {
    ...word('group', 'op group', '110px', 'kind of work; it sets the colour'),
    text: (l, k) => GROUP_WORDS[l.c.group[k] ?? ''] ?? '',
    cell: (l, k) => <span class="cut">{GROUP_WORDS[l.c.group[k] ?? ''] ?? ''}</span>,
  },
  word('scope', 'scope', 'minmax(90px, 1.6fr)', 'named scopes of the model, without markers of differentiation', {
    from: 0,
    text: (l, k) => scopeText(l, k),
    cell: (l, k) => <span class="cut">{scopeText(l, k)}</span>,
    tip: (l, k) => scopeText(l, k) || 'no scope recorded',
    sum: (l) => <Beside l={l} />,
  }),
  word('source', 'source', 'minmax(80px, 1fr)', 'file and line of the model’s code', {
    from: 2200,
    cell: (l, k) => <code class="cut">{sourceText(l.c.source[k])}</code>,
    tip: (l, k) => l.c.source[k] || 'no source recorded',
  }),
  word('shape', 'shape', 'minmax(110px, 1.4fr)', 'shape of the result', { cell: (l, k) => <code class="cut">{l.c.shape[k]}</code> }),
  amount(
    'count',
    'count',
    '56px',
    'executions; on a GPU, kernels (one execution may launch several)',
    (l, k) => l.c.count[k],
    (_l, n) => formatCount(n),
    { from: 0, sum: (l) => formatCount(l.rows.count) },
  ),
  time('total_ps', 'total', 'all executions, including what ran nested in them', 'sum', { from: 2200, head: (l) => `total, ${l.sum.word}` }),
  time('self_ps', 'self', 'total without what ran nested in it; self times add up', 'sum', {
    from: 0,
    width: '120px',
    cell: (l, k) => (
      <span class="op-self">
        <i class="op-bar" aria-hidden="true">
          <i style={{ background: `var(${groupVariable(l.c.group[k] ?? '')})` }} ref={shareWidth(l.longest > 0 ? l.c.self_ps[k] / l.longest : 0)} />
        </i>
        {timeIn(l.c.self_ps[k], l.sum)}
      </span>
    ),
    sum: (l) => `${inUnit(l.rows.self_ps, l.sum)} ${l.sum.word}`,
  }),
  time('mean_ps', 'avg', 'total time of one execution', 'one', { from: 0, head: (l) => `avg, ${l.one.word}` }),
  time('p50_ps', 'p50', 'half of the executions took no longer', 'one', { from: 0, cell: (l, k) => <LaterCell l={l} ps={l.c.p50_ps[k]} /> }),
  time('p99_ps', 'p99', '99 of 100 executions took no longer; with fewer than 20 executions, the longest', 'one', {
    head: (l) => (l.c.executions.every((n) => n < P99_LEAST) ? 'p99 (max)' : 'p99'),
    cell: (l, k) => <LaterCell l={l} ps={l.c.p99_ps[k]} />,
  }),
  time('min_ps', 'min', 'the shortest execution', 'one', { from: 2200 }),
  time('max_ps', 'max', 'the longest execution; amber at 1.3 times the median or more', 'one', {
    from: 0,
    cell: (l, k) => <MaxCell l={l} k={k} />,
    tip: (l, k) => (standsOut(l.c.max_ps[k], l.c.p50_ps[k]) ? `${((l.c.max_ps[k] as number) / (l.c.p50_ps[k] as number)).toFixed(2)} × the median` : undefined),
  }),
  amount(
    'self_share',
    '% of time',
    '74px',
    'share of the self time of all operations',
    (l, k) => l.c.self_share[k],
    (_l, share) => formatPercent(share, 2),
    { from: 2200, sum: (l) => formatPercent(l.o.self_ps > 0 ? l.rows.self_ps / l.o.self_ps : null, 1) },
  ),
  amount(
    'cumulative',
    'cumulative %',
    '92px',
    'share of this row and all rows above it',
    (l, k) => l.before[k],
    (l, ps) => formatPercent(l.o.self_ps > 0 ? (ps ?? 0) / l.o.self_ps : null, 2),
  ),
  amount(
    'flops_per_s',
    'FLOP/s',
    '66px',
    'work of one execution divided by its mean time',
    (l, k) => l.c.flops_per_s[k],
    (l, rate) => rateText(rate, l.flops),
    { from: 0, head: (l) => l.flops.word },
  ),
  amount(
    'hbm_bytes_per_s',
    'Memory B/s',
    '62px',
    'main memory bytes of one execution divided by its mean time',
    (l, k) => l.c.hbm_bytes_per_s[k],
    (l, rate) => rateText(rate, l.bytes),
    { from: 0, head: (l) => l.bytes.word },
  ),
  amount(
    'vmem_bytes_per_s',
    'VMEM B/s',
    '84px',
    'on-chip memory bytes of one execution divided by its mean time',
    (l, k) => l.c.vmem_bytes_per_s[k],
    (l, rate) => rateText(rate, l.bytes),
    { head: (l) => `VMEM ${l.bytes.word}` },
  ),
  amount(
    'intensity',
    'FLOP/B',
    '66px',
    'FLOPs for each byte of main memory',
    (l, k) => l.c.intensity[k],
    (_l, value) => threeText(value),
    { from: 2200 },
  ),
  word('bound', 'bound', '66px', 'what limits it; if no peaks are known, which of this run’s best rates it is closer to', {
    from: 0,
    right: true,
    head: (l) => (l.best ? 'nearer' : 'bound'),
    value: boundOf,
    text: boundOf,
    cell: (l, k) => soft(boundOf(l, k)),
    tip: (l, k) => l.c.bound_reason[k] ?? undefined,
  }),
  time('roofline_ps', 'roofline', 'what one execution would take at the peaks', 'one'),
  amount(
    'roofline_share',
    'of roofline',
    '104px',
    'roofline time divided by the mean time; if no peaks are known, the time at this run’s best rates instead',
    shareOf,
    (_l, share) => formatPercent(share, 1),
    {
      from: 0,
      head: (l) => (l.best ? 'of best seen' : 'of roofline'),
      cell: (l, k) => <RoofCell share={shareOf(l, k)} group={l.c.group[k]} />,
      sum: (l) =>
        l.best || l.rows.rows === 0 ? '' : <span class="soft">{formatPercent(l.rows.self_ps > 0 ? l.rows.judged_ps / l.rows.self_ps : null)} judged</span>,
    },
  ),
  time('lost_ps', 'to win', 'self time above the roofline, all executions; ≤ marks an upper bound, not a roofline', 'sum', {
    from: 0,
    head: (l) => (l.best ? 'to win ≤' : 'to win'),
    cell: (l, k) => <LostCell l={l} k={k} />,
    sum: (l) => lostSum(l.rows, l.sum),
  }),
  amount(
    'cycles',
    'cycles',
    '80px',
    'the compiler’s estimate of one execution',
    (l, k) => l.c.cycles[k],
    (_l, n) => formatCount(n),
  ),
  time('wait_total_ps', 'DMA wait', 'waits of the chips for the asynchronous transfer that it belongs to', 'sum'),
  time('other_total_ps', 'other clock', 'the total by the other clock: host-aligned where total is the device’s own', 'sum'),
  amount(
    'chip_spread',
    'over chips',
    '80px',
    'mean on the slowest chip over that on the fastest',
    (l, k) => l.c.chip_spread[k],
    (_l, factor) => formatFactor(factor),
  ),
];

/** Of several hosts together. */
export const HOST_COLUMNS: OpColumn[] = [
  {
    ...word('slowest_host', 'slowest host', '112px', 'host with the longest mean, and its ratio to the fastest host', { from: 0 }),
    value: (l, k) => l.c.host_spread[k],
    text: slowestHost,
    cell: (l, k) => <span class={`cut${(l.c.host_spread[k] ?? 0) >= OUTLIER ? ' warn strong' : ''}`}>{slowestHost(l, k)}</span>,
    tip: slowestHost,
  },
];

/** "host1 1.12x". */
function slowestHost(l: Look, k: number): string {
  const host = l.c.slowest_host[k];
  return host === null ? 'one host' : `${host} ${formatFactor(l.c.host_spread[k])}`;
}

/** Where nothing says what the chip can do: against the best rates that an operation of some length reached. */
export function boundOf(l: Look, k: number): string {
  const { bound, lost_against, flops_per_s, hbm_bytes_per_s } = l.c;
  if (bound[k] !== 'unknown' || lost_against[k] !== 'best') return bound[k];
  const near = (rate: number | null, best: number | null) => (rate !== null && best ? rate / best : 0);
  return near(flops_per_s[k], l.o.best_flops_per_s) > near(hbm_bytes_per_s[k], l.o.best_hbm_bytes_per_s) ? 'compute' : 'memory';
}

export function shareOf(l: Look, k: number): number | null {
  const { roofline_share, lost_against, lost_ps, self_ps } = l.c;
  const lost = lost_ps[k];
  return lost_against[k] === 'best' && lost !== null && self_ps[k] > 0 ? 1 - lost / self_ps[k] : roofline_share[k];
}

function LostCell({ l, k }: { l: Look; k: number }) {
  const text = timeIn(l.c.lost_ps[k], l.sum);
  if (text === UNKNOWN) return <>{soft(text)}</>;
  return l.c.lost_against[k] === 'nothing' ? (
    <span class="op-unknown" title="a wait: at most its whole time can be saved">
      ≤ {text}
    </span>
  ) : (
    <b>{text}</b>
  );
}

function scopeText(l: Look, k: number): string {
  const phase = l.c.phase[k];
  const short = phase === 'forward' ? 'fwd ' : phase === 'backward' ? 'bwd ' : phase === 'recompute' ? 'redo ' : '';
  return `${short}${l.c.scope[k]}`;
}

function RoofCell({ share, group }: { share: number | null; group: string }) {
  if (share === null) return soft(UNKNOWN) as preact.JSX.Element;
  return (
    <span class="op-roof">
      <i class="op-bar" aria-hidden="true">
        <i style={{ background: `var(${groupVariable(group)})` }} ref={setStyle('width', `${Math.min(100, share * 100)}%`)} />
      </i>
      {formatPercent(share, 1)}
    </span>
  );
}
