// Colours of boxes by name, scope and step: the wheel, the steps' bisection, what lanes get and what the legend tells.
import assert from 'node:assert/strict';
import test from 'node:test';
import type { TraceWindow } from '../../src/api/types_trace';
import { decodeWindow, type Lane, type Names, type RowBoxes } from '../../src/trace/boxes';
import { Colouring, stepAt, type StepTable, wheelOf, wheelOfStep, WHEEL } from '../../src/trace/colour_by';
import { GROUPS, ON_DEVICE, ON_THREAD } from '../../src/trace/groups';
import { wheelColour } from '../../src/trace/palette';

function lane(boxes: [start: number, end: number, name: number][]): Lane {
  const n = boxes.length;
  const column = (k: 0 | 1 | 2) => boxes.map((b) => b[k]);
  return {
    n,
    start: Float64Array.from(column(0)),
    end: Float64Array.from(column(1)),
    busy: Float64Array.from(boxes, (b) => b[1] - b[0]),
    name: Uint32Array.from(column(2)),
    group: Uint8Array.from(boxes, (b) => b[2] % GROUPS.length),
    wait: new Uint8Array(n),
    event: Float64Array.from(boxes, (_, k) => k),
    count: new Uint32Array(n).fill(1),
    longest: Float64Array.from(boxes, (_, k) => k),
    waits: null,
  };
}
const boxesOf = (lanes: Lane[], q = 1): RowBoxes => ({ row: 1, from: 0, to: 100, cell: 1, q, lanes, counter: null });
const namesOf = (list: { caption: string; scope?: string }[]): Names => new Map(list.map((name, id) => [id, { id, group: 'elem', wait: false, ...name }]));
const CHIP = { process: 0, thread: false, kind: 'xla_ops' };
const THREAD = { process: 0, thread: true, kind: 'line' };
const NO_STEPS = new Map<number, StepTable>();
/** Colours in the palette, box by box. */
const drawn = (c: Colouring, boxes: RowBoxes, depth = 0, owner = CHIP) => {
  const shade = c.shade(boxes, depth, owner);
  return [...shade.key].map((key) => shade.colour[key]);
};

test('the wheel: by the FNV-1a hash of the text, never a colour of a category, grey for nothing', () => {
  // Published vectors: "a" e40c292c, "foobar" bf9cf968; folded (h ^ h >> 15) and taken by 12 they are 8 and 5.
  assert.equal(wheelOf('a'), GROUPS.length + 8);
  assert.equal(wheelOf('foobar'), GROUPS.length + 5);
  assert.equal(wheelOf(''), 0);
  const met = new Set(Array.from({ length: 500 }, (_, k) => wheelOf(`layer_${k}`)));
  assert.equal(met.size, WHEEL);
  assert.ok(Math.min(...met) === GROUPS.length);
});

test('steps: twelve in a row have twelve colours, negative numbers and large ones too', () => {
  for (const first of [0, -40, 4_000_000_000]) {
    assert.equal(new Set(Array.from({ length: WHEEL }, (_, k) => wheelOfStep(first + k))).size, WHEEL);
    assert.equal(wheelOfStep(first), wheelOfStep(first + WHEEL));
  }
});

test('the wheel has one lightness: twelve colours that differ, in light and in dark', () => {
  for (const dark of [false, true]) {
    const all = Array.from({ length: WHEEL }, (_, k) => wheelColour(k, dark));
    for (const [r, g, b] of all) for (const v of [r, g, b]) assert.ok(Number.isInteger(v) && v >= 0 && v <= 255);
    for (let k = 0; k < WHEEL; k++) {
      const next = all[(k + 1) % WHEEL];
      assert.ok(Math.hypot(...all[k].map((v, i) => v - next[i])) > 15, `${all[k]} and ${next}`);
    }
  }
});

test('a step by bisection agrees with a look at every step', () => {
  const steps = { start: [10, 20, 40, 60], end: [20, 35, 60, 60], number: [1, 2, 3, 4] };
  for (let t = 0; t < 70; t += 0.5) {
    let want = -1;
    steps.start.forEach((start, k) => {
      if (start <= t) want = steps.end[k] >= t ? k : -1;
    });
    assert.equal(stepAt(steps, t), want, String(t));
  }
  assert.equal(stepAt({ start: [], end: [], number: [] }, 5), -1);
});

test('by category a box has the colour of its group, that of threads on threads', () => {
  const boxes = boxesOf([
    lane([
      [0, 5, 1],
      [5, 9, 7],
    ]),
  ]);
  const c = new Colouring('category', namesOf([]), NO_STEPS);
  assert.deepEqual(drawn(c, boxes), [ON_DEVICE[1], ON_DEVICE[7]]);
  assert.deepEqual(drawn(c, boxes, 0, THREAD), [ON_THREAD[1], ON_THREAD[7]]);
});

test('by name: equal captions are equal colours, whatever number the name has; most time first in the legend', () => {
  const names = namesOf([{ caption: 'fusion.1' }, { caption: 'copy.2' }, { caption: 'fusion.1' }, { caption: '' }]);
  const boxes = boxesOf([
    lane([
      [0, 10, 0],
      [10, 40, 1],
      [40, 45, 2],
      [45, 46, 3],
      [60, 99, 0],
    ]),
  ]);
  const c = new Colouring('name', names, NO_STEPS);
  const [a, b] = [wheelOf('fusion.1'), wheelOf('copy.2')];
  assert.deepEqual(drawn(c, boxes), [a, b, a, 0, a]);
  // Of what lies in the window: 15 of fusion.1, 30 of copy.2, then what has no name.
  assert.deepEqual(c.met(boxes.lanes, 0, 50), [
    { text: 'copy.2', colour: b },
    { text: 'fusion.1', colour: a },
    { text: '', colour: 0 },
  ]);
  assert.deepEqual(c.met(boxes.lanes, 50, 100), [{ text: 'fusion.1', colour: a }]);
  assert.deepEqual(c.met([lane([[0, 1, 0]])], 0, 1), [], 'a lane that was not drawn');
});

test('by scope: operations by that of their name, bars of the row of scopes by the path above them', () => {
  const names = namesOf([
    { caption: 'dot', scope: 'f/attention' },
    { caption: 'add', scope: 'f/mlp' },
    { caption: 'x' },
    { caption: 'f' },
    { caption: 'attention' },
    { caption: 'mlp' },
  ]);
  const c = new Colouring('scope', names, NO_STEPS);
  const [attention, mlp] = [wheelOf('f/attention'), wheelOf('f/mlp')];
  assert.deepEqual(
    drawn(
      c,
      boxesOf([
        lane([
          [0, 10, 0],
          [10, 20, 1],
          [20, 30, 2],
        ]),
      ]),
    ),
    [attention, mlp, 0],
  );
  const scopes = boxesOf([
    lane([
      [0, 20, 3],
      [50, 70, 3],
    ]),
    lane([
      [0, 10, 4],
      [10, 20, 5],
      [60, 70, 5],
      [80, 90, 5],
    ]),
  ]);
  // The lower depth alone is asked for: the upper one is not in view.
  assert.deepEqual(drawn(c, scopes, 1, { ...CHIP, kind: 'name_scope' }), [attention, mlp, mlp, wheelOf('mlp')]);
  assert.deepEqual(drawn(c, scopes, 0, { ...CHIP, kind: 'name_scope' }), [wheelOf('f'), wheelOf('f')]);
});

test('by step: that in which an event begins, of its own process; threads have none; in order of number', () => {
  const steps = new Map([[0, { start: [0, 20], end: [20, 40], number: [11, 9] }]]);
  const c = new Colouring('step', namesOf([]), steps);
  const boxes = boxesOf([
    lane([
      [0, 10, 0],
      [15, 25, 0],
      [22, 30, 0],
      [41, 45, 0],
    ]),
  ]);
  assert.deepEqual(drawn(c, boxes), [wheelOfStep(11), wheelOfStep(11), wheelOfStep(9), 0]);
  assert.deepEqual(
    c.met(boxes.lanes, 0, 100).map((met) => met.text),
    ['step 9', 'step 11', ''],
  );
  for (const owner of [{ ...CHIP, process: 1 }, THREAD]) assert.deepEqual(drawn(c, boxesOf([lane([[0, 10, 0]])]), 0, owner), [0]);
  // Drawn starts are cut to whole quanta of 8: an operation that begins with its step at 20 is drawn from 16.
  assert.deepEqual(drawn(c, boxesOf([lane([[16, 24, 0]])], 8)), [wheelOfStep(9)]);
});

test('scopes come as a column of indexes when they were asked for', () => {
  const none = { n: 0, row: [], at: [], value: [] };
  const answer: TraceWindow = {
    base_ps: '0',
    from_ps: 0,
    to_ps: 10,
    cell_ps: 1,
    quantum_ps: 1,
    events_in_view: 2,
    coarser: false,
    depths: { n: 1, row: [4], depth: [0], first_event: [0], boxes: [2] },
    box: { n: 2, start: [0, 5], length: [2, 2], name: [0, 1] },
    merged: { n: 0, busy_q: 1, at: [], count: [], busy: [], longest: [] },
    counters: { n: 0, box: [], at: [], value: [], least: [], most: [] },
    held: none,
    waits: { n: 0, box: [], drawn: [], wait_ps: [], hidden: [] },
    exact: { n: 0, box: [], beyond_ps: [], duration_ps: [] },
    names: { n: 2, id: [70, 71], caption: ['a', 'b'], group: ['elem', 'elem'], wait: [0, 0], scope: null, names: null },
  };
  const names: Names = new Map();
  assert.equal(decodeWindow(answer, [4], names).get(4)?.scoped, false);
  assert.equal(names.get(70)?.scope, undefined);
  const scoped = decodeWindow({ ...answer, names: { ...answer.names, scope: [1, 0], names: ['', 'f/mlp'] } }, [4, 5], names);
  assert.deepEqual([names.get(70)?.scope, names.get(71)?.scope], ['f/mlp', '']);
  assert.deepEqual([scoped.get(4)?.scoped, scoped.get(5)?.scoped], [true, true]);
});
