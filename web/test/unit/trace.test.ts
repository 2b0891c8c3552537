// The pure parts of the Trace Viewer: times, boxes, pixels, layout, names, the flame graph.
import type { SearchNames, TraceRows } from '../../src/api/answers';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { allocatorCounter, allocatorTracks } from '../../src/trace/allocator_track';
import { counterOf, memoryTracks } from '../../src/trace/memory_track';
import { withTracks } from '../../src/trace/tracks';
import type { TraceWindow } from '../../src/api/types_trace';
import { decodeWindow, firstEndingAfter, firstStartingFrom, hitLane, inView, isRough, type Lane, type Names } from '../../src/trace/boxes';
import { axisOf, type Collective, momentsOf, waitEnd } from '../../src/trace/collective_state';
import { NORMAL, resized, sizeOf, sizesOf, sizesText } from '../../src/trace/heights';
import { gapParams, idleText, meanwhileTexts, windowFor } from '../../src/trace/gaps_tab';
import { parseColour, type Rgb } from '../../src/trace/palette';
import { type Lane as StepLane, laneAt, laneText, type Mark, marksToDraw, matrixRows } from '../../src/trace/steps_rows';
import { scaleOf, ticksToName, tickWords, valueText } from '../../src/trace/counter';
import { cutName, eventName, shortName, withoutNamespace } from '../../src/trace/label_text';
import {
  ALLOCATOR,
  HEAD,
  type Item,
  depthAt,
  itemAt,
  LANE,
  laneNames,
  mainRow,
  makeLayout,
  processName,
  processOrder,
  processTitle,
  rowTitle,
  type Settings,
  stickyHead,
  STRIP,
  THREADS,
  threadCount,
  threadWords,
  TRACK,
  usableRows,
} from '../../src/trace/layout';
import { placeAmong, placeOnPage, sameNames } from '../../src/trace/search_state';
import { believable, peakText } from '../../src/trace/selection';
import { jsonText } from '../../src/trace/save_table';
import { words } from '../../src/trace/sentence';
import { numbersOf, numbersText, unionOf } from '../../src/trace/ranges';
import { copyLane, type Paint, rasterLane, StripScratch, type Wide } from '../../src/trace/strip';
import { durationText, momentText, readStep, roughText, spanText, tickText, timeTicks } from '../../src/trace/time';
import { legendGroups } from '../../src/trace/draw_rows';
import { GROUPS } from '../../src/trace/groups';
import { widthOf } from '../../src/table/virtual';
import { chipTimes } from '../../src/trace/chips';
import { flameBoxes, pathsOf } from '../../src/trace/flame_boxes';
import { paintHits } from '../../src/trace/hit_ticks';
import { placeText, placeTop } from '../../src/trace/scroll_place';
import { laneOf, rowsOf } from './trace_rows';
import { lastAtOrBelow } from '../../src/util/bisect';

test('durations in the unit that suits them', () => {
  assert.equal(durationText(0), '0');
  assert.equal(durationText(12), '12 ps');
  assert.equal(durationText(1250), '1.25 ns');
  assert.equal(durationText(680_000), '680 ns');
  assert.equal(durationText(22_930_000), '22.93 \u00b5s');
  assert.equal(durationText(553_500_000), '553.5 \u00b5s');
  // What rounds to a thousand is one of the next unit.
  assert.equal(durationText(999_990_000), '1.000 ms');
  assert.equal(durationText(-999_990_000), '-1.000 ms'.replace('-', durationText(-1e9)[0]));
  assert.equal(durationText(999_900_000), '999.9 \u00b5s');
  assert.equal(durationText(999_999_999_999), '1.000 s');
  assert.equal(durationText(189_173_000_000), '189.173 ms');
  assert.equal(durationText(97_620_000_000_000), '97.620 s');
  assert.equal(durationText(null), 'unknown');
});

test('moments in groups of three', () => {
  assert.equal(momentText(19_891_786_709_000), '19.891 786 709 s');
  assert.equal(momentText(0), '0.000 000 000 s');
});

test('windows with as many digits as tell their edges apart', () => {
  assert.equal(spanText(19_470_000_000_000, 20_430_000_000_000), '19.470 \u2013 20.430 s');
  assert.equal(spanText(0, 31_026_000_000), '0.0 \u2013 31.0 ms');
});

test('ticks: 1, 2 or 5; absolute until a millisecond, then from a base', () => {
  const wide = timeTicks(0, 97.6e12, 8);
  assert.equal(wide.step, 20e12);
  assert.deepEqual(wide.at, [0, 20e12, 40e12, 60e12, 80e12]);
  assert.equal(tickText(wide, 20e12), '20 s');
  const close = timeTicks(19.49996e12, 19.50068e12, 8);
  assert.equal(close.step, 100e6);
  assert.equal(close.base, 19.5e12);
  assert.equal(tickText(close, 19.5e12), '19.500 s');
  assert.equal(tickText(close, 19.5001e12), '+100 \u00b5s');
});

const WINDOW: TraceWindow = {
  base_ps: '0',
  from_ps: 1000,
  to_ps: 9000,
  cell_ps: 400,
  quantum_ps: 100,
  events_in_view: 8,
  coarser: false,
  depths: { n: 3, row: [4, 4, 7], depth: [0, 1, 0], first_event: [10, 20, 30], boxes: [3, 1, 2] },
  // Starts count from the box before; the first of a depth from the window's start and may lie before it.
  box: { n: 6, start: [-5, 20, 30, 2, 0, 10], length: [10, 5, 10, 3, 1, 60], name: [0, 1, 0, 1, 0, 1] },
  merged: { n: 2, busy_q: 100, at: [1, 3], count: [3, 2], busy: [2, 1], longest: [2, 1] },
  counters: { n: 0, box: [], at: [], value: [], least: [], most: [] },
  held: { n: 0, row: [], at: [], value: [] },
  waits: { n: 2, box: [2, 4], drawn: [4, 1], wait_ps: [412, 90], hidden: ['partly', 'fully'] },
  exact: { n: 1, box: [5], beyond_ps: [37], duration_ps: [5990] },
  names: { n: 2, id: [70, 71], caption: ['add', 'copy-done'], group: ['elem', 'move'], wait: [0, 1], scope: null, names: null },
};

test('columns of a window become boxes of rows and depths', () => {
  const names: Names = new Map();
  const rows = decodeWindow(WINDOW, [4, 7, 9], names);
  assert.deepEqual([...rows.keys()].sort(), [4, 7, 9]);
  assert.equal(rows.get(9)?.lanes.length, 0);
  const [outer, inner] = rows.get(4)?.lanes ?? [];
  assert.deepEqual([...outer.start], [500, 2500, 5500]);
  assert.deepEqual([...outer.end], [1500, 3000, 6500]);
  // The event after a box is its own plus its count.
  assert.deepEqual([...outer.event], [10, 11, 14]);
  assert.deepEqual([...outer.count], [1, 3, 1]);
  assert.deepEqual([...outer.busy], [1000, 200, 1000]);
  assert.equal(outer.longest[1], 13);
  assert.deepEqual([...inner.start], [1200]);
  assert.deepEqual([[...inner.group], [...inner.wait]], [[4], [1]]);
  const second = rows.get(7)?.lanes[0];
  assert.deepEqual([...(second?.event ?? [])], [30, 32]);
  assert.equal(second?.longest[0], 31);
  // A wide box has its own times; the one before it those of the picture.
  assert.deepEqual(
    [[...(second?.start ?? [])], [...(second?.end ?? [])]],
    [
      [1000, 2037],
      [1100, 8027],
    ],
  );
  assert.equal(second?.busy[1], 5990);
  assert.deepEqual([isRough(rows.get(7), 100), isRough(rows.get(7), 5990)], [true, false]);
  // Waits find the boxes they are of, counted over the whole answer.
  assert.deepEqual([...(outer.waits ?? [])], [[2, { drawn: 400, wait: 412, hidden: 'partly' }]]);
  assert.equal(inner.waits, null);
  assert.deepEqual([...(second?.waits ?? [])], [[0, { drawn: 100, wait: 90, hidden: 'fully' }]]);
  assert.deepEqual(names.get(71), { id: 71, caption: 'copy-done', group: 'move', wait: true });
  assert.deepEqual(inView(rows.get(4), 1000, 5000), { events: 5, busy: 700, depths: 2, readable: 2 });
  assert.deepEqual(inView(rows.get(4), 7000, 8000), { events: 0, busy: 0, depths: 0, readable: 0 });
});

test('counters: what held before the window, signed samples, and of several in a box the extremes and what the last one left', () => {
  const rows = decodeWindow(
    {
      ...WINDOW,
      depths: { n: 2, row: [4, 7], depth: [0, 0], first_event: [0, 9], boxes: [2, 1] },
      box: { n: 3, start: [0, 20, 5], length: [0, 3, 0], name: [0, 0, 0] },
      merged: { n: 1, busy_q: 100, at: [1], count: [3], busy: [0], longest: [0] },
      counters: { n: 3, box: [0, 1, 2], at: [1003, 2999, 1512], value: [10, -5, 1], least: [10, -30, 1], most: [10, 20, 1] },
      held: { n: 2, row: [7, 9], at: [-400, -700], value: [-2, 6] },
      waits: { n: 0, box: [], drawn: [], wait_ps: [], hidden: [] },
      exact: { n: 0, box: [], beyond_ps: [], duration_ps: [] },
    },
    [4, 7, 9],
    new Map(),
  );
  const said = (row: number) => {
    const c = rows.get(row)?.counter;
    return c && { at: [...c.at], most: [...c.value], least: [...(c.least ?? [])], ends: [c.lowest, c.most] };
  };
  // The box of three begins at 2,999 and lasts 300; -5 is what holds behind it.
  assert.deepEqual(said(4), { at: [1003, 2999, 3299], most: [10, 20, -5], least: [10, -30, -5], ends: [-30, 20] });
  assert.deepEqual(said(7), { at: [-400, 1512], most: [-2, 1], least: [-2, 1], ends: [-2, 1] });
  assert.deepEqual(said(9), { at: [-700], most: [6], least: [6], ends: [0, 6] });
});

test('the scale of a counter: 1, 2 or 5, zero on it, below zero too; bytes in binary units', () => {
  const ticks = (least: number, most: number, parts: number, bytes = false) => scaleOf(least, most, parts, bytes).ticks;
  assert.deepEqual(ticks(0, 40, 2), [0, 20, 40]);
  assert.deepEqual(ticks(0, 41, 2), [0, 50]);
  assert.deepEqual(ticks(-30, 20, 2), [-50, 0, 50]);
  assert.deepEqual(ticks(-3, -1, 3), [-3, -2, -1, 0]);
  assert.deepEqual(ticks(0, 0.35, 2), [0, 0.2, 0.4]);
  assert.deepEqual(ticks(0, 0, 2), [0, 1]);
  assert.deepEqual(ticks(Number.NaN, Number.POSITIVE_INFINITY, 2), [0, 1]);
  const gib = 2 ** 30;
  assert.deepEqual(ticks(0, 17.3 * gib, 2, true), [0, 10 * gib, 20 * gib]);
  assert.deepEqual(ticks(0, 1.5 * gib, 2, true), [0, gib, 2 * gib]);
  assert.deepEqual(ticks(0, 3, 6, true), [0, 1, 2, 3]);
  const words = (least: number, most: number, parts: number, bytes = false) => tickWords(scaleOf(least, most, parts, bytes), bytes);
  assert.deepEqual(words(0, 17.3 * gib, 2, true), ['0', '10', '20 GiB']);
  assert.deepEqual(words(0, 100 * 1024, 1, true), ['0', '100 KiB']);
  assert.deepEqual(words(-30, 20, 2), ['\u221250', '0', '50']);
  assert.deepEqual(words(0, 0.35, 2), ['0', '0.2', '0.4']);
  assert.deepEqual(words(0, 3.2e9, 2), ['0', '2 G', '4 G']);
  // Ends and zero are named first; what would stand too near is not.
  const named = (least: number, most: number, high: number) => {
    const s = scaleOf(least, most, 5);
    return ticksToName(
      s,
      s.ticks.map((v) => high - ((v - s.low) / (s.high - s.low)) * high),
      12,
    ).map((k) => s.ticks[k]);
  };
  assert.deepEqual([named(0, 20.5, 26), named(0, 20.5, 60), named(-30, 20, 26), named(0, 1, 4)], [[0, 25], [0, 5, 10, 15, 20, 25], [-30, 20], [1]]);
  // Every scale holds what it is of, with few enough lines.
  for (const most of [1e-5, 0.07, 1, 9.99, 123, 1000, 65_537, 3e8, 5e13]) {
    for (const least of [0, -most / 3, -most * 7]) {
      for (const bytes of [false, true]) {
        const s = scaleOf(least, most, 3, bytes);
        assert.ok(s.low <= least && s.high >= most && s.ticks.includes(0), `${least} ${most} ${bytes}`);
        assert.ok(s.ticks.length >= 2 && s.ticks.length <= 6, `${s.ticks} of ${least} ${most} ${bytes}`);
      }
    }
  }
});

test('values of counters: four digits, fractions, signs', () => {
  assert.deepEqual([40, 0.35, -12.5, 1_234_567, 0, 7.65432, 2.5e17].map(valueText), ['40', '0.35', '\u221212.5', '1,234,567', '0', '7.654', '2.50e17']);
});

test('names that are the same on several chips are one, those of other programs are not; most time first', () => {
  const names = {
    n: 4,
    left_out: 0,
    id: [1, 2, 3, 4],
    caption: ['dot', 'add', 'dot', 'dot'],
    program: ['f', 'f', 'f', 'g'],
    group: ['matmul', 'elem', 'matmul', 'matmul'] as SearchNames['group'],
    single: [false, false, false, false],
    count: [5, 9, 6, 1],
    total_ps: [50, 70, 60, 3],
  };
  assert.deepEqual(
    sameNames(names).map((n) => [n.caption, n.program, n.count, n.total]),
    [
      ['dot', 'f', 11, 110],
      ['add', 'f', 9, 70],
      ['dot', 'g', 1, 3],
    ],
  );
});

test('the share of a peak: of the one that binds first; beyond it says so; nothing without rates or peaks', () => {
  const peaks = { flops: 918e12, bytes: 1638e9 };
  assert.deepEqual(
    [
      peakText(0.165e12, 1316.8e9, peaks),
      peakText(459e12, 1e9, peaks),
      peakText(null, 888.6e15, peaks),
      peakText(null, null, peaks),
      peakText(1e12, 1e9, { flops: 0, bytes: 0 }),
    ],
    ['80.4 % HBM', '50.0 % FLOP', '\u2013', '', ''],
  );
});

test('a rate above the peak is none', () => {
  assert.deepEqual(
    [believable(891e15, 1638e9), believable(1316.8e9, 1638e9), believable(891e15, 0), believable(null, 1638e9)],
    ['\u2013', '1.32 T', '891.0 P', ''],
  );
});

/** Rows of a device and of a host's threads: [caption, id, kind, more]. */
function titled(list: [string, string, { kind?: string; derived?: number; hidden?: number; events?: number; device?: boolean }?][]): TraceRows {
  return {
    hosts: [{ name: 'a' }],
    processes: { n: 2, name: ['/host:CPU', '/device:TPU:0'], kind: ['host', 'tpu'], host: [0, 0] },
    rows: {
      n: list.length,
      row: list.map((_, k) => k),
      process: list.map(([, , more]) => (more?.device ? 1 : 0)),
      caption: list.map(([caption]) => caption),
      id: list.map(([, id]) => id),
      kind: list.map(([, , more]) => more?.kind ?? 'line'),
      derived: list.map(([, , more]) => more?.derived ?? 0),
      hidden: list.map(([, , more]) => more?.hidden ?? 0),
      events: list.map(([, , more]) => more?.events ?? 1),
    },
  } as unknown as TraceRows;
}

test('threads have their real number beside the name; a long one its end, as long as it tells it from the others', () => {
  const r = titled([
    ['python', '3117377'],
    ['python', '3117378'],
    ['main/3116817', '3116817'],
    ['', '-8590000000000001234'],
    ['tf_XLAEigen/-6593916966153897657', '-6593916966153897657'],
    ['tf_XLAEigen/-6593916966153897657: regions', '-6593916966153897657', { derived: 1 }],
    ['XLA Ops', '3', { kind: 'xla_ops', device: true }],
    ['', '7', { device: true }],
  ]);
  assert.deepEqual(
    r.rows.row.map((at) => rowTitle(r, at)),
    [
      ['python', '3117377'],
      ['python', '3117378'],
      ['main', '3116817'],
      ['thread', '\u20261234'],
      ['tf_XLAEigen', '\u20267657'],
      ['tf_XLAEigen: regions', '\u20267657'],
      ['XLA Ops', ''],
      ['line', '7'],
    ],
  );
  const alike = titled([
    ['a', '-1111111111111112345'],
    ['b', '2222222222222222345'],
  ]);
  assert.deepEqual([rowTitle(alike, 0)[1], rowTitle(alike, 1)[1]], ['\u202612345', '\u202622345']);
  assert.equal(threadWords(r, 4), 'thread id -6593916966153897657 (XProf shows 2449062215)');
  assert.equal(threadWords(r, 0), 'thread id 3117377');
  assert.equal(threadWords(r, 6), '');
});

test('one count of rows: those with events that are not hidden; a thread counts once', () => {
  const r = titled([
    ['main/1', '1'],
    ['main/1', '1', { hidden: 1 }],
    ['main/1: regions', '1', { derived: 1 }],
    ['idle', '2', { events: 0 }],
    ['XLA Ops', '3', { device: true }],
  ]);
  assert.deepEqual([usableRows(r, false), usableRows(r, true), usableRows(r, false, 0), threadCount(r, 0)], [3, 4, 2, 2]);
});

test('names beside the lanes of the whole trace fit beside the words on their left', () => {
  const r = {
    ...titled([]),
    hosts: [{ name: 'tpu-vm-worker-0017' }, { name: 'tpu-vm-worker-0018' }],
    processes: { n: 4, name: ['/device:TPU:0', '/host:CPU', '/device:TPU:0', '/host:CPU'], kind: ['tpu', 'host', 'tpu', 'host'], host: [0, 0, 1, 1] },
  } as unknown as TraceRows;
  const names = laneNames(r, [0, 1, 2, 3], true, 14);
  assert.ok(
    names.every((name) => name.length <= 14),
    names.join(),
  );
  assert.equal(new Set(names).size, 4);
  assert.deepEqual(laneNames(r, [0, 1, 2, 3], true, 40)[2], 'tpu-vm-worker-0018 TPU:0');
  assert.deepEqual(laneNames(r, [0, 1, 2, 3], true, 4), ['TPU:0', 'Host', 'TPU:0', 'Host']);
});

test('the legend names those groups first that cover most pixels', () => {
  const cover = new Float64Array(GROUPS.length);
  cover[GROUPS.indexOf('host')] = 950;
  cover[GROUPS.indexOf('elem')] = 30;
  cover[GROUPS.indexOf('none')] = 1e-6;
  assert.deepEqual(legendGroups(cover), ['host', 'elem', 'none']);
});

test('columns of numbers are as wide as their longest text', () => {
  assert.ok(Number.parseInt(widthOf(['1', '133,000,123'], 'Count'), 10) >= 11 * 7);
  assert.equal(widthOf([], 'Count'), widthOf(['1'], 'Count'));
});

test('what is under the pointer is read to a quarter of a pixel, with no more digits', () => {
  assert.deepEqual([0.3, 1, 4.9, 7, 21_800_000_000, 250_000].map(readStep), [1, 1, 2, 5, 2e10, 200_000]);
  assert.equal(momentText(19_891_786_709_000, readStep(87e9 / 4)), '19.90 s');
  assert.equal(momentText(19_891_786_709_000, 5e9), '19.890 s');
  assert.equal(momentText(1_234, 1), '0.000 000 001 234 s');
  assert.equal(momentText(19_891_786_709_000, 5e12), '20 s');
  assert.equal(roughText(26_214_400_000, 5e9), 'about 25 ms');
  assert.equal(roughText(1e9, 5e9), 'below 5 ms');
  assert.equal(roughText(1_620_000_000_000, 2e10), 'about 1.62 s');
});

test('gaps: what is asked, what ran meanwhile, the window that shows one', () => {
  assert.deepEqual(['', 'rows', 'p3', 'r12'].map(gapParams), [{}, { by: 'row' }, { process: '3' }, { rows: '12', by: 'row' }]);
  const meanwhile = { n: 2, unknown: 1, gap: [0, 0], row: [1, 1], event: [5, 6], name: ['read', ''], group: ['host', 'host'], self_ps: [2e9, 1e9] };
  assert.deepEqual(meanwhileTexts(meanwhile, 3), ['read 2.000 ms, event 6, no metadata 1.000 ms', 'nothing', 'not searched']);
  assert.equal(
    idleText({ by: 'chip', of: { n: 2, process: [0, 1], row: [null, null], gaps: [1, 1], idle_ps: [1e12, 2e12] } }),
    'idle 3.000 s, summed over 2 chips',
  );
  assert.equal(idleText({ by: 'row', of: { n: 1, process: [0], row: [4], gaps: [1], idle_ps: [1e12] } }), 'idle 1.000 s');
  // Wide enough and in the window: it stays. Else the gap is in its middle.
  assert.equal(windowFor({ from: 100, to: 200 }, { from: 0, to: 1000 }, 1), null);
  assert.deepEqual(windowFor({ from: 100, to: 104 }, { from: 0, to: 1000 }, 1), { from: 97, to: 107 });
  assert.deepEqual(windowFor({ from: 900, to: 1100 }, { from: 0, to: 1000 }, 1), { from: 750, to: 1250 });
});

test('argument and output are told apart from every group of operations, in both themes', () => {
  const css = readFileSync('src/styles/tokens.css', 'utf8');
  const [light, dark] = [css.slice(0, css.indexOf('[data-theme="dark"]')), css.slice(css.indexOf('[data-theme="dark"]'))];
  for (const theme of [light, dark]) {
    const colour = (name: string) => parseColour(new RegExp(`${name}: (#[0-9a-f]{6})`).exec(theme)?.[1] ?? '');
    for (const own of ['--m-param', '--m-output'])
      for (const group of ['matmul', 'elem', 'reduce', 'move', 'coll', 'control', 'host', 'custom', 'none'])
        assert.ok(apart(colour(own), colour(`--o-${group}`)) > 0.09, `${own} and ${group}`);
    assert.ok(apart(colour('--m-param'), colour('--m-output')) > 0.09);
  }
});

/** How far apart two colours are to the eye: the distance in OKLab. */
function apart(a: Rgb, b: Rgb): number {
  const lab = (c: Rgb) => {
    const [r, g, bl] = c.map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    const [l, m, s] = [
      0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * bl,
      0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * bl,
      0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * bl,
    ].map(Math.cbrt);
    return [
      0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
      1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
      0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
    ];
  };
  const [x, y] = [lab(a), lab(b)];
  return Math.hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
}

test('a SparseCore stands behind its chip, on its own host', () => {
  const name = [
    '/device:TPU:2',
    '/device:TPU:10',
    '/device:TPU:2 SparseCore 1',
    '/device:TPU:3 SparseCore 0',
    '/host:CPU',
    '/device:TPU:2',
    '/device:TPU:10',
    '/device:TPU:2 SparseCore 0',
    '/host:CPU',
  ];
  const host = [0, 0, 0, 0, 0, 1, 1, 1, 1];
  assert.deepEqual(processOrder({ processes: { n: name.length, name, host } } as unknown as TraceRows), [0, 2, 1, 3, 4, 5, 7, 6, 8]);
});

test('an event without a name is told by its number', () => {
  assert.equal(eventName('', 17), 'event 17, no metadata');
  assert.equal(eventName('jit_f(12190760917235803885)', 17), 'jit_f');
});

function lane(boxes: [number, number][], busy?: number[], count?: number[]): Lane {
  const n = boxes.length;
  return {
    n,
    start: Float64Array.from(boxes, (b) => b[0]),
    end: Float64Array.from(boxes, (b) => b[1]),
    busy: Float64Array.from(boxes, (b, k) => busy?.[k] ?? b[1] - b[0]),
    name: new Uint32Array(n),
    group: new Uint8Array(n),
    wait: new Uint8Array(n),
    event: Float64Array.from(boxes, (_, k) => k),
    count: Uint32Array.from(boxes, (_, k) => count?.[k] ?? 1),
    longest: Float64Array.from(boxes, (_, k) => k),
    waits: null,
  };
}

test('searches in a depth agree with a look at every box', () => {
  let seed = 7;
  const random = (most: number) => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return (seed >>> 8) % most;
  };
  for (let round = 0; round < 200; round++) {
    const boxes: [number, number][] = [];
    let at = random(5);
    for (let k = random(30); k > 0; k--) {
      const length = random(6);
      boxes.push([at, at + length]);
      at += length + random(4) + (length === 0 ? 1 : 0);
    }
    const l = lane(boxes);
    for (let t = -1; t < at + 3; t++) {
      const after = boxes.findIndex(([a, b]) => b > t || (a === b && a >= t));
      assert.equal(firstEndingAfter(l, t), after < 0 ? boxes.length : after);
      const from = boxes.findIndex(([a]) => a >= t);
      assert.equal(firstStartingFrom(l, t), from < 0 ? boxes.length : from);
    }
  }
});

test('a hit is the box that covers the time, else all of the pixel', () => {
  const l = lane(
    [
      [0, 100],
      [100, 101],
      [102, 103],
      [104, 300],
    ],
    undefined,
    [1, 4, 1, 1],
  );
  assert.equal(hitLane(l, 50, 45, 55)?.index, 0);
  const merged = hitLane(l, 102, 100, 104);
  assert.equal(merged?.events, 5);
  assert.equal(merged?.busy, 2);
  assert.equal(hitLane(l, 400, 395, 405), null);
});

const SAME = Uint8Array.of(0, 1);
const PAINT: Paint = { fill: Uint32Array.of(1, 2), edge: Uint32Array.of(11, 12), strong: Uint32Array.of(21, 22), hit: 9 };

test('hits on boxes without a mark of their own: by name, and by the number of an event inside of a box', () => {
  // 10 time units a pixel; events 0, 1 to 4 (in one box), 5, 6.
  const l = lane(
    [
      [0, 1],
      [52, 58],
      [71, 72],
      [100, 130],
    ],
    undefined,
    [1, 4, 1, 1],
  );
  l.event.set([0, 1, 5, 6]);
  l.name[3] = 8;
  const ticks = (names: number[], events: number[]) => {
    const image = new Uint32Array(20 * 4);
    paintHits(l, 0, 200, { names: new Set(names), events: Float64Array.from(events) }, 9, image, 20, 1, 3);
    assert.ok([0, 3].every((y) => image.subarray(y * 20, y * 20 + 20).every((word) => word === 0)));
    assert.deepEqual([...image.subarray(20, 40)], [...image.subarray(40, 60)]);
    return [...image.subarray(20, 40).keys()].filter((x) => image[20 + x] === 9);
  };
  assert.deepEqual(ticks([], []), []);
  assert.deepEqual(ticks([], [3]), [5]);
  assert.deepEqual(ticks([], [5]), [7]);
  assert.deepEqual(ticks([], [7, 900]), []);
  assert.deepEqual(ticks([8], []), [10, 11, 12]);
  assert.deepEqual(ticks([8], [0]), [0, 10, 11, 12]);
});

test('pixels: wide boxes are themselves, narrow ones a column as high as their share', () => {
  // 10 time units a pixel.
  const l = lane(
    [
      [0, 50],
      [60, 63],
      [65, 67],
      [100, 200],
    ],
    undefined,
  );
  l.group[3] = 1;
  const scratch = new StripScratch(20);
  const wide: Wide[] = [];
  rasterLane(l, 0, 200, scratch, PAINT, { key: l.group, colour: SAME }, 4, wide, new Float64Array(2));
  assert.deepEqual([...scratch.line.slice(0, 6)], [11, 1, 1, 1, 1, 0]);
  assert.deepEqual([...scratch.line.slice(10, 13)], [12, 2, 2]);
  assert.deepEqual(wide, [
    { index: 0, x0: 0, x1: 5 },
    { index: 3, x0: 10, x1: 20 },
  ]);
  assert.ok(Math.abs(scratch.share[6] - 0.5) < 1e-6);
  const image = new Uint32Array(20 * 10);
  copyLane(scratch, PAINT, image, 20, 0, 10, 2);
  const column = (x: number) => Array.from({ length: 10 }, (_, y) => image[y * 20 + x]);
  assert.deepEqual(column(0), Array(10).fill(11));
  assert.deepEqual(column(6), [0, 0, 0, 0, 0, 21, 21, 21, 21, 21]);
  assert.deepEqual(column(8), Array(10).fill(0));
});

test('no false gap: every box leaves a pixel', () => {
  const boxes: [number, number][] = Array.from({ length: 1000 }, (_, k) => [k * 1000, k * 1000 + 1]);
  const scratch = new StripScratch(1000);
  const l = lane(boxes);
  rasterLane(l, 0, 1_000_000, scratch, PAINT, { key: l.group, colour: SAME }, 4, [], new Float64Array(2));
  const image = new Uint32Array(1000 * 13);
  copyLane(scratch, PAINT, image, 1000, 0, 13, 2);
  for (let x = 0; x < 1000; x++) assert.equal(image[12 * 1000 + x], 21, `column ${x}`);
});

const PLAIN: Settings = { open: new Set([0, 1]), others: new Set(), pinned: [], hidden: new Set(), filter: '', order: 'file', internal: false };

test('a folded chip is shown by what it ran: of a GPU its busiest stream', () => {
  const r = rowsOf(3);
  r.rows.kind = ['steps', 'stream', 'stream', 'stream', 'line'];
  r.rows.busy_ps = [90, 5, 30, 7, 99];
  assert.equal(mainRow(r, [0, 1, 2, 3, 4]), 2);
  r.rows.kind[3] = 'xla_ops';
  assert.equal(mainRow(r, [0, 1, 2, 3, 4]), 3);
  assert.equal(mainRow(r, [0, 4]), 0);
});

test('layout: modules above operations, the busiest threads, the others behind one line', () => {
  const r = rowsOf(20);
  const views = new Map(r.rows.row.map((row, k) => [row, { events: k === 5 ? 0 : k, busy: 0, depths: 1, readable: 1 }]));
  const l = makeLayout(r, PLAIN, views);
  assert.deepEqual(
    l.items.slice(0, 3).map((i) => [i.kind, i.row]),
    [
      ['process', 100],
      ['row', 101],
      ['row', 100],
    ],
  );
  const threads = l.items.filter((i) => i.kind === 'row' && i.process === 1);
  assert.equal(threads.length, THREADS);
  const others = l.items.find((i) => i.kind === 'others');
  assert.deepEqual([others?.more, others?.idle], [20 - THREADS - 1, 1]);
  assert.equal(l.items[0].h, HEAD);
  assert.equal(l.items[1].h, LANE + 4);
  for (let k = 1; k < l.items.length; k++) assert.equal(l.items[k].y, l.items[k - 1].y + l.items[k - 1].h);
  // The row of the selected event stays, in its place, while something of it is in view.
  const kept = (s: Partial<Settings>) =>
    makeLayout(r, { ...PLAIN, ...s }, views)
      .items.filter((i) => i.kind === 'row' && i.process === 1)
      .map((i) => i.row);
  assert.deepEqual(kept({ kept: 103 }), [103, ...threads.map((i) => i.row)]);
  assert.deepEqual(
    kept({ kept: 105 }),
    threads.map((i) => i.row),
  );
  assert.deepEqual(kept({ kept: 103, others: new Set([1]) }), kept({ others: new Set([1]) }));
  const open = makeLayout(r, { ...PLAIN, others: new Set([1]) }, views);
  assert.equal(open.items.filter((i) => i.kind === 'row' && i.process === 1).length, 19);
});

test('a row of sixteen depths: what is only dots shares a strip below the lanes, and no dot is lost', () => {
  // Seven depths with a box of 40 pixels, one whose dots touch, eight with dots apart.
  const dots = laneOf([100, 101], [400, 402], [900, 901]);
  const lanes = [...Array.from({ length: 7 }, () => laneOf([0, 400])), laneOf([10, 20], [20, 30], [35, 60]), ...Array.from({ length: 8 }, () => dots)];
  const boxes = { row: 102, from: 0, to: 1000, cell: 1, q: 1, lanes, counter: null };
  const view = inView(boxes, 0, 1000, 10);
  assert.deepEqual([view.depths, view.readable], [16, 8]);
  assert.equal(inView(boxes, 390, 410, 0.2).readable, 16, 'nearer, dots are boxes');
  const r = rowsOf(1);
  r.rows.depths[2] = 16;
  const row = (s: Partial<Settings>, v: typeof view = view) =>
    makeLayout(r, { ...PLAIN, ...s }, new Map([[102, v]])).items.find((i) => i.row === 102 && i.kind === 'row') as Item;
  assert.deepEqual([row({}).lanes, row({}).deeper, row({}).h], [8, 8, 8 * LANE + 4 + STRIP]);
  assert.deepEqual(depthAt(row({}), 7, 100), { y: 102 + 7 * LANE, h: LANE - 1 });
  for (const depth of [8, 15]) assert.deepEqual(depthAt(row({}), depth, 100), { y: 102 + 8 * LANE, h: STRIP - 2 });
  assert.deepEqual([row({ sizes: new Map([[102, 2]]) }).lanes, row({ sizes: new Map([[102, 2]]) }).deeper], [16, 0], 'higher rows have a lane for each');
  assert.deepEqual([row({ kept: 102, keptDepth: 11 }).lanes, row({ kept: 102, keptDepth: 11 }).deeper], [12, 4], 'the selected event has a lane');
  assert.deepEqual(
    [row({}, { ...view, depths: 4, readable: 1 }).lanes, row({}, { ...view, depths: 4, readable: 1 }).deeper],
    [4, 0],
    'few lanes are as they are',
  );
  r.rows.depths[2] = 60;
  assert.deepEqual([row({}, { ...view, depths: 60, readable: 60 }).lanes, row({}, { ...view, depths: 60, readable: 60 }).deeper], [24, 36], 'at most 24 lanes');
});

test('the same operation on all chips: skew by both clocks, and none by clocks of different origins', () => {
  const c = {
    n: 3,
    process: [1, 0, 2],
    device: [1, 0, 2],
    event: [5, 6, 7],
    start_ps: [1000, 1400, 900],
    duration_ps: [10, 500, 20],
    device_duration_ps: [8, 8, 9],
    device_start_ps: ['9007199254741000', '9007199254741004', '9007199254740998'],
    skew_ps: [0, 400, -100] as (number | null)[],
  };
  const t = chipTimes(c);
  assert.deepEqual([t.skew, t.deviceSkew, t.device, t.own], [500, 6, [1000, 1004, 998], 1000]);
  assert.deepEqual([t.from, t.to], [900, 1900]);
  const apart = chipTimes({ ...c, device_start_ps: ['100', '90000', '5'] });
  assert.deepEqual([apart.skew, apart.deviceSkew, apart.device], [500, null, null]);
  assert.equal(chipTimes({ ...c, device_start_ps: ['100', null, '104'] }).device, null);
  // On a host that is not placed by its clock: how long it took, not when.
  const hosts = chipTimes({ ...c, skew_ps: [0, 400, null] });
  assert.deepEqual([hosts.skew, hosts.device, hosts.from, hosts.to], [400, null, 1000, 1900]);
});

test('what is on top of the rows as text, and back', () => {
  const { items } = makeLayout(rowsOf(6), PLAIN, new Map());
  assert.equal(placeText(items, 0), '');
  for (const top of [HEAD, items[2].y + 5, items[items.length - 1].y]) assert.equal(placeTop(items, placeText(items, top)), top);
  assert.equal(placeText(items, items[1].y + 3), `r${items[1].row}.3`);
  assert.equal(placeText(items, 4), 'p0.4');
  assert.deepEqual(
    ['', 'r999.1', 'x', `r${items[1].row}.9999`].map((t) => placeTop(items, t)),
    [0, null, null, items[1].y + items[1].h],
  );
});

/** A chip on each of two hosts. */
function twoHosts(): TraceRows {
  const r = rowsOf(2);
  const name = ['/device:TPU:0', '/device:TPU:0'];
  return {
    ...r,
    hosts: ['a', 'b'].map((host, k) => ({
      name: host,
      has_events: true,
      error: null,
      shift_ps: k * 1000,
      placed: 'clock' as const,
      clock_offset_ns: null,
      said: `+${k} ns by the profile's clock`,
    })),
    processes: { ...r.processes, name, host: [0, 1], kind: ['tpu', 'tpu'], device: [0, 0] },
    rows: { ...r.rows, process: [0, 0, 1, 1], host: [0, 0, 1, 1], kind: ['xla_ops', 'xla_modules', 'xla_ops', 'xla_modules'] },
  };
}

test('layout: each of several hosts has a head that folds what is below; one host has none', () => {
  const r = twoHosts();
  const kinds = (s: Settings) => makeLayout(r, s, new Map()).items.map((i) => `${i.kind}${i.process}`);
  assert.deepEqual(kinds(PLAIN), ['host0', 'process0', 'row0', 'row0', 'host1', 'process1', 'row1', 'row1']);
  assert.deepEqual(kinds({ ...PLAIN, folded: new Set([0]) }), ['host0', 'host1', 'process1', 'row1', 'row1']);
  assert.deepEqual(kinds({ ...PLAIN, folded: new Set([0]), filter: 'b TPU' }), ['host1', 'process1', 'row1', 'row1']);
  assert.equal(
    makeLayout(rowsOf(2), PLAIN, new Map()).items.some((i) => i.kind === 'host'),
    false,
  );
  const { items } = makeLayout(r, PLAIN, new Map());
  assert.equal(stickyHead(items, items[4].y + 2), null);
  assert.equal(stickyHead(items, items[2].y + 5)?.item.process, 0);
  assert.equal(stickyHead(items, items[4].y - 5)?.shift, 5 - HEAD);
  assert.deepEqual([processName(r, 0), processName(r, 1), processName(rowsOf(2), 0)], ['a TPU:0', 'b TPU:0', 'TPU:0']);
});

test('layout: folded, pinned, hidden and filtered rows', () => {
  const r = rowsOf(3);
  const folded = makeLayout(r, { ...PLAIN, open: new Set([1]) }, new Map());
  assert.deepEqual(
    folded.items.slice(0, 2).map((i) => [i.kind, i.row, i.open]),
    [
      ['process', 100, false],
      ['process', 102, true],
    ],
  );
  const pinned = makeLayout(r, { ...PLAIN, pinned: [103, 100], hidden: new Set([102]) }, new Map());
  assert.deepEqual(
    pinned.pinned.map((i) => i.row),
    [103, 100],
  );
  assert.equal(pinned.pinnedHeight, 2 * (2 * LANE + 4));
  assert.ok(!pinned.items.some((i) => i.kind === 'row' && [102, 103, 100].includes(i.row)));
  const none = makeLayout(r, { ...PLAIN, filter: 'nothing' }, new Map());
  assert.equal(none.items.length, 0);
  assert.equal(none.filtered, 5);
  assert.equal(makeLayout(r, { ...PLAIN, filter: 'modules' }, new Map()).shown, 1);
});

test('layout: the row at a height, and heads that stick', () => {
  const l = makeLayout(rowsOf(3), PLAIN, new Map());
  for (const item of l.items) assert.equal(itemAt(l.items, item.y + 1), item);
  assert.equal(itemAt(l.items, l.height + 5), null);
  assert.equal(stickyHead(l.items, 0), null);
  assert.equal(stickyHead(l.items, l.items[1].y + 2)?.item, l.items[0]);
  const host = l.items.find((i) => i.kind === 'process' && i.process === 1);
  assert.ok(host);
  // Pushed up by the next head.
  assert.equal(stickyHead(l.items, host.y - 5)?.shift, 5 - HEAD);
});

test('names', () => {
  assert.equal(processTitle('/device:TPU:1'), 'TPU:1');
  assert.equal(processTitle('/host:CPU'), 'Host');
  assert.equal(withoutNamespace('TfrtTpuLoadedExecutable::ExecuteLaunch'), '::ExecuteLaunch');
  assert.equal(cutName('broadcast_add_fusion.1', 40), 'broadcast_add_fusion.1');
  const cut = cutName('broadcast_add_fusion.1', 16);
  assert.match(cut, /^broad.*\u2026.*fusion\.1$|^broad.*\u2026.*\.1$/);
  assert.ok(cut.length <= 16);
  assert.equal(cutName('PjitFunction', 2), '');
  assert.equal(shortName('jit_f(12190760917235803885)'), 'jit_f');
  assert.equal(shortName('PjitFunction(f)'), 'PjitFunction(f)');
});

test('lists of numbers', () => {
  assert.equal(numbersText([3, 1, 2, 9, 7, 8, 2]), '1-3,7-9');
  assert.deepEqual(numbersOf('1-3,7-9,x,,4'), [1, 2, 3, 7, 8, 9, 4]);
  assert.deepEqual(numbersOf(undefined), []);
  assert.ok(numbersOf('0-999999999').length <= 100_000);
});

test('time that at least one of several spans covers', () => {
  assert.equal(unionOf([]), 0);
  assert.equal(
    unionOf([
      { from: 5, to: 9 },
      { from: 0, to: 4 },
      { from: 3, to: 6 },
      { from: 20, to: 20 },
    ]),
    9,
  );
  assert.equal(
    unionOf([
      { from: 0, to: 10 },
      { from: 2, to: 3 },
    ]),
    10,
  );
});

test('flame graph: children beside each other under their parent', () => {
  const t = { n: 5, parent: [null, 0, 0, null, 1], total_ps: [60, 30, 20, 40, 10] };
  assert.deepEqual(flameBoxes(t), [
    { node: 0, depth: 0, x0: 0, x1: 0.6 },
    { node: 1, depth: 1, x0: 0, x1: 0.3 },
    { node: 2, depth: 1, x0: 0.3, x1: 0.5 },
    { node: 3, depth: 0, x0: 0.6, x1: 1 },
    { node: 4, depth: 2, x0: 0, x1: 0.1 },
  ]);
  assert.deepEqual(
    flameBoxes(t, 1).map((b) => [b.node, b.x0, b.x1]),
    [
      [1, 0, 1],
      [4, 0, 1 / 3],
    ],
  );
});

test('flame graph: paths as it is saved', () => {
  const t = { n: 4, parent: [null, 0, 1, null], name: ['main', 'a;b', '', 'other'] };
  assert.deepEqual(pathsOf(t), [
    { path: 'main', depth: 0 },
    { path: 'main;a,b', depth: 1 },
    { path: 'main;a,b;no metadata', depth: 2 },
    { path: 'other', depth: 0 },
  ]);
});

test('the line above the rows names its clock, and what adds up by it', () => {
  const o = { clock: 'host', n: 2, process: [0, 3], compute_ps: [3e9, 0], exposed_comm_ps: [0, 2e9], exposed_copy_ps: [1e9, 0], idle_ps: [0, 8e9] };
  assert.equal(words(o, 0, 0), 'in view, host-aligned: computes 3.000 ms, exposed copies 1.000 ms, idle 0');
  assert.equal(words(o, 1, 5e8), 'in view, host-aligned: computes 0, exposed comm. 2.000 ms, idle 8.000 ms; 500.0 \u00b5s of this is clock drift');
  assert.match(words({ ...o, clock: 'device' }, 0, 0), /^in view, device clock: /);
});

test('steps by chip: a line for each number that touches the window, in the order of time', () => {
  const s = {
    n: 5,
    process: [3, 3, 4, 4, 9],
    row: [null, null, null, null, null],
    number: [0, 1, 1, 0, 0],
    start_ps: [0, 100, 110, 20, 0],
    end_ps: [90, 200, 190, 95, 500],
  };
  const chips = (...list: number[]): StepLane[] => list.map((process) => ({ process, row: null, steps: 2, unknown: null }));
  const lines = matrixRows(s, chips(3, 4), 0, 1000);
  assert.deepEqual(lines, [
    { number: 0, start: 0, end: 95, at: [0, 3] },
    { number: 1, start: 100, end: 200, at: [1, 2] },
  ]);
  assert.deepEqual(
    matrixRows(s, chips(3, 4), 96, 1000).map((line) => line.number),
    [1],
  );
  assert.deepEqual(
    matrixRows(s, chips(3, 4), 0, 100).map((line) => line.number),
    [0],
  );
  assert.deepEqual(matrixRows(s, chips(4, 7), 0, 1000)[0].at, [3, -1]);
  // Two threads of one process are columns of their own.
  const threads = { ...s, process: [3, 3, 3, 3, 9], row: [5, 5, 6, 6, 5] };
  assert.deepEqual(
    matrixRows(
      threads,
      [
        { process: 3, row: 5, steps: 2, unknown: null },
        { process: 3, row: 6, steps: 2, unknown: null },
      ],
      0,
      1000,
    ).map((line) => line.at),
    [
      [0, 3],
      [1, 2],
    ],
  );
});

test('whose steps are shown is in the address: a device, a thread, of a process its first, else the first of all', () => {
  const lanes: StepLane[] = [
    { process: 0, row: null, steps: 3, unknown: null },
    { process: 2, row: 7, steps: 1, unknown: null },
    { process: 2, row: 9, steps: 8, unknown: null },
  ];
  for (const lane of lanes) assert.equal(laneAt(lanes, laneText(lane)), lane);
  assert.equal(laneText(lanes[2]), '2.9');
  assert.equal(laneAt(lanes, '2'), lanes[1]);
  assert.equal(laneAt(lanes, '2.8'), lanes[0]);
  assert.equal(laneAt([], '2'), null);
});

test('steps on the ruler: what fills a pixel stands alone, the rest is one mark that counts them', () => {
  const mark = (start: number, end: number, number: number, count = 1): Mark => ({
    start,
    end,
    count,
    number,
    last: number + count - 1,
    name: '',
    event: number,
    duration: end - start,
  });
  const list = [mark(0, 1, 0), mark(2, 3, 1, 40), mark(5, 6, 41), mark(100, 180, 42), mark(181, 182, 43), mark(230, 231, 44)];
  const drawn = marksToDraw(list, 0, 300, 10);
  assert.deepEqual(
    drawn.map((m) => [m.start, m.end, m.count, m.number, m.last]),
    [
      [0, 6, 42, 0, 41],
      [100, 180, 1, 42, 42],
      [181, 182, 1, 43, 43],
      [230, 231, 1, 44, 44],
    ],
  );
  for (const pixel of [0.5, 1, 10, 1000])
    assert.equal(
      marksToDraw(list, 0, 300, pixel).reduce((n, m) => n + m.count, 0),
      45,
      String(pixel),
    );
  assert.deepEqual(
    marksToDraw(list, 90, 200, 1).map((m) => m.number),
    [42, 43],
  );
  assert.equal(list[0].count, 1); // what came from the server stays
});

test('memory tracks: one row below the operations that have one, none twice, none without a reason to be', () => {
  const columns = ['process', 'depths', 'events', 'first_ps', 'end_ps', 'busy_ps', 'device_busy_ps', 'device_clock', 'overflow', 'cut', 'hidden', 'derived'];
  const rows = Object.fromEntries(columns.map((key) => [key, [0, 0]]));
  const all = {
    first_ps: 0,
    end_ps: 90,
    rows: { n: 2, row: [3, 4], id: ['1', '2'], caption: ['XLA Modules', 'XLA Ops'], kind: ['xla_modules', 'xla_ops'], how: [null, null], ...rows },
  } as unknown as TraceRows;
  const track = {
    row: 4,
    process: 0,
    reason: null,
    most_bytes: 50,
    n: 2,
    at_ps: [0, 40],
    last_bytes: [50, null],
    least_bytes: [10, null],
    most_here_bytes: [50, null],
    program: [0, null],
    step: [7, null],
  };
  const memory = {
    base_ps: '0',
    from_ps: 0,
    to_ps: 90,
    how: 'by hand',
    programs: ['f(1)'],
    spaces: ['HBM'],
    tracks: [track, { ...track, row: 3, reason: 'none', n: 0 }],
  };
  const made = withTracks(all, memoryTracks(memory));
  assert.equal(made.rows.n, 3);
  assert.deepEqual(made.rows.row, [3, 4, TRACK + 4]);
  assert.equal(made.rows.caption[2], 'Live bytes HBM');
  assert.equal(made.rows.how[2], 'by hand');
  for (const column of Object.values(made.rows)) if (Array.isArray(column)) assert.equal(column.length, 3);
  assert.equal(withTracks(made, memoryTracks(memory)), made);
  assert.equal(withTracks(all, memoryTracks({ ...memory, tracks: [memory.tracks[1]] })), all);
  const counter = counterOf(track);
  assert.deepEqual([...counter.value], [50, 0]);
  assert.deepEqual([...(counter.least ?? [])], [10, 0]);
  assert.equal(counter.most, 50);
});

const collectiveOf = (start: number[], end: number[]): Collective => {
  const last = Math.max(...start);
  const n = start.length;
  const each = Array.from({ length: n }, (_, k) => k);
  return {
    chips: {
      n,
      process: each,
      device: each,
      event: each,
      row: each,
      depth: each.map(() => 0),
      start_ps: start,
      end_ps: end,
      wait_ps: start.map((s) => last - s),
    },
    skew_start_ps: last - Math.min(...start),
    skew_end_ps: Math.max(...end) - Math.min(...end),
    straggler: start.indexOf(last),
    hosts_clock: null,
    apart: 0,
    clock: 'host',
    base_ps: '0',
  };
};

test('a collective: waits end as the last chip joins; a short skew beside a long operation is drawn wide, in order', () => {
  const short = collectiveOf([1000, 1400, 1200], [1_000_400, 1_000_000, 1_000_600]);
  assert.deepEqual(
    [0, 1, 2].map((k) => waitEnd(short, k)),
    [1400, 1400, 1400],
  );
  const axis = axisOf(momentsOf(short));
  assert.ok(axis.broken);
  const near = (got: number, want: number) => assert.ok(Math.abs(got - want) < 1e-9, `${got}, not ${want}`);
  near(axis.at(1000), 0);
  near(axis.at(1200), 0.175);
  near(axis.at(1400), 0.35);
  near(axis.at(1_000_000), 0.65);
  near(axis.at(1_000_600), 1);
  // Half of the time is waiting: as it is.
  const long = axisOf(momentsOf(collectiveOf([0, 500], [1000, 1000])));
  assert.ok(!long.broken);
  near(long.at(500), 0.5);
});

test('a collective on clocks that are apart: no wait is longer than its bar, and the axis still runs forward', () => {
  const apart = collectiveOf([0, 900], [300, 1200]);
  assert.equal(waitEnd(apart, 0), 300);
  const axis = axisOf(momentsOf(apart));
  assert.ok(!axis.broken);
  assert.ok(axis.at(0) < axis.at(300) && axis.at(300) < axis.at(900));
});

test('allocators become rows of their device or host, named by what tells them apart; measured', () => {
  const track = (allocator: string, process: number | null, events = 2) => ({
    allocator,
    process,
    host: 0,
    events,
    frees: 0,
    capacity_bytes: 100,
    most_bytes: 70,
    most_at_ps: 5,
    n: 2,
    at_ps: [5, 9],
    last_bytes: [70, 3],
    least_bytes: [1, 3],
    most_here_bytes: [70, 3],
    reserved_bytes: [60, null],
    allocated_bytes: [10, 3],
    available_bytes: [30, null],
    fragmentation: [0.5, null],
    title: allocator,
    first_at_ps: 5,
    last_at_ps: 9,
    heap_most_bytes: 10,
    heap_most_at_ps: 5,
    heap_near_bytes: null,
    heap_near_at_ps: null,
    near_peak_ps: 4,
    peak_ever_bytes: null,
    before_bytes: 0,
    unknown_frees: 0,
    replaced: 0,
    without_address: 0,
  });
  const answer = {
    base_ps: '0',
    from_ps: 0,
    to_ps: 20,
    how: 'by hand',
    dropped: 0,
    cut: false,
    asked_by: [],
    askers_left_out: 0,
    tracks: [track('0', 0), track('GPU_0_bfc', 0), track('host_pool', 1), track('lost', null), track('none', 1, 0)],
  };
  const rows = { n: 1, row: [0], process: [0], caption: ['XLA Ops'], kind: ['xla_ops'], id: ['1'], derived: [false], how: [null], events: [4] };
  const made = withTracks({ first_ps: 0, end_ps: 20, rows } as unknown as TraceRows, allocatorTracks(answer));
  assert.deepEqual(made.rows.caption, ['XLA Ops', 'Runtime', 'Runtime GPU_0_bfc', 'Runtime host_pool']);
  assert.deepEqual(made.rows.row, [0, ALLOCATOR, ALLOCATOR + 1, ALLOCATOR + 2]);
  assert.deepEqual(made.rows.process, [0, 0, 0, 1]);
  assert.deepEqual(made.rows.derived, [false, false, false, false]);
  const counter = allocatorCounter(answer.tracks[0]);
  assert.deepEqual([[...counter.at], [...counter.value], [...(counter.least ?? [])], counter.most, counter.capacity], [[5, 9], [70, 3], [1, 3], 70, 100]);
});

test('the value that holds at a time: none before the first', () => {
  assert.deepEqual(
    [4, 5, 8, 9, 100].map((time) => lastAtOrBelow([5, 9], time)),
    [-1, 0, 0, 1, 1],
  );
  assert.equal(lastAtOrBelow([], 3), -1);
});

test('a track of the host is not folded away with the idle threads, nor does it keep them open', () => {
  const n = 30;
  const each = <T>(work: (k: number) => T) => Array.from({ length: n }, (_, k) => work(k));
  const rows = {
    n,
    row: each((k) => (k === n - 1 ? ALLOCATOR : k)),
    process: each(() => 0),
    id: each(String),
    caption: each((k) => `t/${k}`),
    kind: each((k) => (k === n - 1 ? 'memory' : 'line')),
    derived: each(() => 0),
    how: each(() => null),
    depths: each(() => 1),
    events: each(() => 5),
    busy_ps: each(() => 1),
    hidden: each(() => 0),
  };
  const r = { first_ps: 0, end_ps: 10, processes: { n: 1, name: ['/host:CPU'], host: [0], kind: ['host'] }, rows } as unknown as TraceRows;
  const settings: Settings = { open: new Set([0]), others: new Set(), pinned: [], hidden: new Set(), filter: '', order: 'file', internal: false };
  const none = new Map(rows.row.map((row, k) => [row, { events: k < 3 ? 1 : 0, busy: 0, depths: 1, readable: 1 }]));
  const l = makeLayout(r, settings, none);
  assert.deepEqual(
    l.items.map((i) => i.kind),
    ['process', 'row', 'row', 'row', 'row', 'others'],
  );
  assert.equal(l.items[1].row, ALLOCATOR, 'memory comes first');
  assert.equal(l.items[5].idle, n - 4);
  // Of more threads with events than have room, a counter is none.
  const busy = makeLayout(r, settings, new Map());
  assert.equal(busy.items.filter((i) => i.kind === 'row').length, THREADS + 1);
  assert.equal(busy.items.at(-1)?.more, n - 1 - THREADS);
});

test('sizes of rows come from the address and go back to it; what is no size is left out', () => {
  assert.deepEqual(
    [...sizesOf('12.3,40.0,200000000.2')],
    [
      [12, 3],
      [40, 0],
      [200_000_000, 2],
    ],
  );
  assert.deepEqual([...sizesOf('1.9,x.2,3,-4.1,5.')], []);
  assert.equal(
    sizesText(
      new Map([
        [40, 0],
        [12, 3],
      ]),
    ),
    '12.3,40.0',
  );
  assert.deepEqual([sizeOf('3'), sizeOf('9'), sizeOf(''), sizeOf('1e3')], [3, NORMAL, NORMAL, NORMAL]);
  const one = resized(new Map(), NORMAL, 7, 1);
  assert.deepEqual([...(one ?? [])], [[7, 2]]);
  assert.deepEqual([...(resized(one ?? new Map(), NORMAL, 7, -1) ?? [])], [], 'the size of all is not told again');
  assert.equal(resized(new Map([[7, 4]]), NORMAL, 7, 1), null);
  assert.equal(resized(new Map([[7, 0]]), NORMAL, 7, -1), null);
});

test('a row of another size is as high as its lanes; the rows below move, hits follow', () => {
  const rows = {
    n: 3,
    row: [0, 1, 2],
    process: [0, 0, 0],
    id: ['1', '2', '3'],
    caption: ['Steps', 'XLA Ops', 'mine'],
    kind: ['steps', 'xla_ops', 'counter'],
    derived: [0, 0, 0],
    how: [null, null, null],
    depths: [1, 3, 1],
    events: [5, 5, 5],
    busy_ps: [1, 1, 1],
    hidden: [0, 0, 0],
  };
  const r = { first_ps: 0, end_ps: 10, processes: { n: 1, name: ['/device:TPU:0'], host: [0], kind: ['tpu'] }, rows } as unknown as TraceRows;
  const settings: Settings = { open: new Set([0]), others: new Set(), pinned: [], hidden: new Set(), filter: '', order: 'file', internal: false };
  const high = (more: Partial<Settings>) =>
    makeLayout(r, { ...settings, ...more }, new Map())
      .items.slice(1)
      .map((i) => [i.lane, i.h]);
  assert.deepEqual(high({}), [
    [14, 18],
    [14, 46],
    [14, 34],
  ]);
  assert.deepEqual(high({ sizes: new Map([[1, 3]]) }), [
    [14, 18],
    [34, 106],
    [14, 34],
  ]);
  assert.deepEqual(high({ size: 0, sizes: new Map([[2, 4]]) }), [
    [8, 12],
    [8, 28],
    [56, 136],
  ]);
  const { items } = makeLayout(r, { ...settings, sizes: new Map([[0, 4]]) }, new Map());
  assert.equal(itemAt(items, HEAD + 59)?.row, 0);
  assert.equal(itemAt(items, HEAD + 60)?.row, 1);
});

test('tracks stand in the same order whichever answer came first', () => {
  const rows = {
    n: 3,
    row: [0, ALLOCATOR, TRACK],
    process: [0, 0, 0],
    id: ['1', '', ''],
    caption: ['XLA Ops', 'Runtime', 'Live bytes'],
    kind: ['xla_ops', 'memory', 'memory'],
    derived: [0, 0, 1],
    how: [null, null, null],
    depths: [1, 1, 1],
    events: [5, 5, 5],
    busy_ps: [1, 0, 0],
    hidden: [0, 0, 0],
  };
  const r = { first_ps: 0, end_ps: 10, processes: { n: 1, name: ['/device:TPU:0'], host: [0], kind: ['tpu'] }, rows } as unknown as TraceRows;
  const settings: Settings = { open: new Set([0]), others: new Set(), pinned: [], hidden: new Set(), filter: '', order: 'file', internal: false };
  assert.deepEqual(
    makeLayout(r, settings, new Map())
      .items.slice(1)
      .map((i) => i.row),
    [0, TRACK, ALLOCATOR],
  );
});

test('a table as JSON: one object a line, numbers as they are', () => {
  assert.deepEqual(
    JSON.parse(
      jsonText(
        'steps',
        ['step', 'start_ps', 'device_ps'],
        [
          [1, 97_619_626_463_001, null],
          [2, 0, 5],
        ],
      ),
    ),
    {
      steps: [
        { step: 1, start_ps: 97_619_626_463_001, device_ps: null },
        { step: 2, start_ps: 0, device_ps: 5 },
      ],
    },
  );
});

test('the hit after a window: on the page that is listed, or by what ends behind it', () => {
  // Starts of all hits; the second lasts until 95, the others are short.
  const all = [0, 5, 10, 20, 30, 40, 50, 60, 70, 80];
  const end = (start: number) => (start === 5 ? 95 : start + 1);
  for (let size = 1; size <= all.length; size++) {
    for (let offset = 0; offset < all.length; offset += size) {
      for (let from = -5; from < 90; from += 2.5) {
        const want = all.filter((t) => t < from).length;
        const start = all.slice(offset, offset + size);
        const here = placeOnPage({ count: all.length, offset, hits: { n: start.length, start_ps: start } }, from);
        if (here !== null) assert.equal(here, want, `${size} ${offset} ${from}`);
        else assert.ok(want <= offset || want >= offset + size, `${size} ${offset} ${from} is on this page`);
        const behind = all.filter((t) => t >= from || end(t) > from);
        assert.equal(placeAmong(all.length, { count: behind.length, hits: { n: behind.length, start_ps: behind } }, from), want);
      }
    }
  }
});
