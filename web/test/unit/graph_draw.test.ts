// Layout with the real Graphviz and by rows, the scene made of an answer, what lies under a point, the words, the SVG.
import assert from 'node:assert/strict';
import test from 'node:test';
import { instance } from '@viz-js/viz';
import type { Around, AroundNodes } from '../../src/graph/api';
import { chipBox, type Drawing, makeDrawing, nearestThatWay, nodesIn, targetAt } from '../../src/graph/drawing';
import { type Box, type LayoutInput, type LayoutResult, layOut } from '../../src/graph/layout';
import { quickLayout } from '../../src/graph/layout_quick';
import { withViz } from '../../src/graph/layout_viz';
import { SvgPen } from '../../src/graph/pen';
import { makeScene } from '../../src/graph/scene';
import { bytesText, flopText, measuredWords, opTail, pairName, shapeText, timeText } from '../../src/graph/words';

const viz = await instance();
const lay = (input: LayoutInput) => layOut(input, (items, edges) => withViz(viz, items, edges));
const quick = (input: LayoutInput) => layOut(input, quickLayout);
/** Both keep the same rules. */
const layouts = [lay, quick];

const inside = (inner: Box, outer: Box) =>
  inner.x >= outer.x - 0.5 &&
  inner.y >= outer.y - 0.5 &&
  inner.x + inner.width <= outer.x + outer.width + 0.5 &&
  inner.y + inner.height <= outer.y + outer.height + 0.5;
const apart = (a: Box, b: Box) => a.x + a.width <= b.x + 0.5 || b.x + b.width <= a.x + 0.5 || a.y + a.height <= b.y + 0.5 || b.y + b.height <= a.y + 0.5;

/** What any layout must keep: sizes, nesting, nothing on top of another, arrows that end at their boxes. */
function check(input: LayoutInput, result: LayoutResult): void {
  const whole = { x: 0, y: 0, width: result.width, height: result.height };
  input.nodes.forEach((node, k) => {
    const box = result.nodes[k];
    assert.deepEqual([box.width, box.height], [node.width, node.height]);
    assert.ok(inside(box, node.cluster >= 0 ? result.clusters[node.cluster] : whole), `node ${k} is inside`);
  });
  input.clusters.forEach((cluster, c) => {
    assert.ok(result.clusters[c].width >= cluster.minWidth);
    assert.ok(inside(result.clusters[c], cluster.parent >= 0 ? result.clusters[cluster.parent] : whole));
  });
  for (let level = -1; level < input.clusters.length; level++) {
    const boxes = [...result.nodes.filter((_, k) => input.nodes[k].cluster === level), ...result.clusters.filter((_, c) => input.clusters[c].parent === level)];
    boxes.forEach((a, i) => {
      for (const b of boxes.slice(i + 1)) assert.ok(apart(a, b), 'boxes do not overlap');
    });
  }
  input.edges.forEach((edge, e) => {
    const path = result.edges[e];
    assert.equal(path.length % 6, 2, 'a start and triples of points');
    assert.ok(path.every(Number.isFinite));
    const near = (x: number, y: number, end: number) => {
      const box = end >= 0 ? result.nodes[end] : result.clusters[~end];
      return x >= box.x - 8 && x <= box.x + box.width + 8 && y >= box.y - 8 && y <= box.y + box.height + 8;
    };
    assert.ok(near(path[0], path[1], edge.from), `edge ${e} begins at its node`);
    assert.ok(near(path[path.length - 2], path[path.length - 1], edge.to), `edge ${e} ends at its node`);
  });
}

const node = (cluster = -1, width = 120, height = 50) => ({ width, height, cluster });

test('flat, nested twice, out of and into computations, to computations as a whole', () => {
  const flat = {
    nodes: [node(), node(), node()],
    clusters: [],
    edges: [
      { from: 0, to: 1 },
      { from: 0, to: 1 },
      { from: 1, to: 2 },
      { from: 0, to: 2 },
    ],
  };
  for (const one of layouts) {
    const result = one(flat);
    check(flat, result);
    assert.ok(result.nodes[0].y < result.nodes[1].y && result.nodes[1].y < result.nodes[2].y, 'from the top down');
  }
  const nested = {
    nodes: [node(), node(0), node(1), node(1, 90, 20), node(0), node(), node(2)],
    clusters: [
      { parent: -1, minWidth: 500 },
      { parent: 0, minWidth: 20 },
      { parent: -1, minWidth: 20 },
    ],
    edges: [
      { from: 0, to: 1 },
      { from: 0, to: 2 },
      { from: 2, to: 3 },
      { from: 3, to: 4 },
      { from: 1, to: 4 },
      { from: 4, to: 5 },
      { from: 3, to: 6 },
      { from: 0, to: ~2 },
      { from: ~0, to: 5 },
      { from: ~1, to: 4 },
    ],
  };
  for (const one of layouts) check(nested, one(nested));
  const empty = { nodes: [], clusters: [], edges: [] };
  for (const one of layouts) assert.deepEqual(one(empty), { width: 0, height: 0, nodes: [], clusters: [], edges: [] });
});

test('cycles, an arrow to itself, many arrows into one computation', () => {
  const cycle = {
    nodes: [node(), node()],
    clusters: [],
    edges: [
      { from: 0, to: 1 },
      { from: 1, to: 0 },
      { from: 0, to: 0 },
    ],
  };
  for (const one of layouts) check(cycle, one(cycle));
  const many = {
    nodes: [...Array.from({ length: 30 }, () => node()), ...Array.from({ length: 5 }, () => node(0))],
    clusters: [{ parent: -1, minWidth: 100 }],
    edges: Array.from({ length: 30 }, (_, k) => ({ from: k, to: 30 + (k % 5) })),
  };
  for (const one of layouts) check(many, one(many));
});

test('pseudo-random graphs keep the same rules', () => {
  let seed = 7;
  const random = (n: number) => {
    seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
    return seed % n;
  };
  for (let round = 0; round < 12; round++) {
    const clusters = Array.from({ length: random(5) }, (_, c) => ({ parent: c ? random(c + 1) - 1 : -1, minWidth: 60 + random(200) }));
    const nodes = Array.from({ length: 4 + random(40) }, () => node(random(clusters.length + 1) - 1, 60 + random(150), 24 + random(50)));
    // A box without anything in it is no computation.
    for (let c = 0; c < clusters.length; c++) nodes.push(node(c));
    const edges = Array.from({ length: random(70) }, () => {
      const a = random(nodes.length),
        b = random(nodes.length);
      return { from: Math.min(a, b), to: Math.max(a, b) };
    }).filter((edge) => edge.from !== edge.to);
    const input = { nodes, clusters, edges };
    for (const one of layouts) check(input, one(input));
  }
});

test('by rows: straight down where nothing is in the way, sources close to what they feed, hundreds too', () => {
  const line = {
    nodes: [node(), node(), node(), node()],
    clusters: [],
    edges: [
      { from: 0, to: 1 },
      { from: 1, to: 2 },
      { from: 3, to: 2 },
    ],
  };
  const { nodes } = quick(line);
  assert.equal(nodes[3].y, nodes[1].y, 'a source is in the row above its user');
  assert.equal(nodes[0].x, nodes[1].x);
  const wide = {
    nodes: Array.from({ length: 300 }, () => node()),
    clusters: [],
    edges: Array.from({ length: 900 }, (_, k) => ({ from: k % 299, to: (k % 299) + 1 + ((k * 7) % (299 - (k % 299))) })),
  };
  check(wide, quick(wide));
});

function columns(rows: Partial<Record<keyof AroundNodes, unknown>>[]): AroundNodes {
  const usual: Record<string, unknown> = {
    id: '1',
    name: 'x',
    label: '',
    opcode: 'fusion',
    kind: '',
    op_name: '',
    shape: 'f32[8]{0}',
    size_bytes: 32,
    space: 'HBM',
    group: 'elem',
    scheme: '',
    line: 1,
    cluster: -1,
    body: -1,
    distance: 0,
    state: 'normal',
    operands: 0,
    operands_hidden: 0,
    users: 0,
    users_hidden: 0,
    pair: '',
    pair_ix: -1,
    times: 1,
    is_root: false,
    collective: '',
    elements: 8,
    cycles: null,
    flops: null,
    moved_bytes: null,
    matmul: '',
    can_expand: false,
    note: '',
    lines: [],
  };
  const out: Record<string, unknown[]> = { ix: rows.map((row, k) => row.ix ?? k) };
  for (const key of Object.keys(usual)) out[key] = rows.map((row) => row[key as keyof AroundNodes] ?? usual[key]);
  return out as unknown as AroundNodes;
}

const answer: Around = {
  title: 'around f',
  computation: 'main',
  center: { ix: 11, id: '11', name: 'f', node: 1 },
  nodes: columns([
    { ix: 10, name: 'p.1', label: 'params.w', opcode: 'parameter', op_name: "params['w']", users: 20, users_hidden: 4 },
    { ix: 11, name: 'f', kind: 'kLoop', body: 0, cycles: 1000, operands: 1, users: 1 },
    { ix: 12, name: 'mul', opcode: 'multiply', op_name: 'jit(f)/a/b/mul', cluster: 0 },
    { ix: 13, name: 'sum', opcode: 'reduce', cluster: 0, is_root: true, lines: ['operand 1 = f32[] 0'] },
    { ix: 14, name: 'g <&>', opcode: 'odd', note: 'an opcode that is not known', operands: 3, operands_hidden: 3, cycles: 500 },
  ]),
  clusters: { n: 1, computation: ['fused'], caller_ix: [11], parent: [-1], is_fusion: [true], title: ['f: fused'] },
  edges: {
    n: 3,
    from: [0, 2, 3],
    to: [2, 3, 4],
    operand: [0, 0, 1],
    kind: ['operand', 'operand', 'operand'],
    size_bytes: [32, 40 * 2 ** 20, null],
    is_small: [true, false, false],
    tuple: [-1, -1, 2],
    distance: [1, 1, 1],
  },
  stubs: {
    n: 2,
    node: [1, 4],
    is_user: [true, false],
    ix: [99, 98],
    id: ['99', '98'],
    name: ['far.user', 'far.operand'],
    line: [900, null],
    size_bytes: [1, 1],
  },
  counts: {
    shown: 5,
    shown_in_bodies: 0,
    of: 5,
    of_is_least: false,
    cut_edges: 1,
    parallel_edges_left_out: 0,
    bodies_left_out: 0,
    left_out: 0,
    limit: 300,
    users_limit: 16,
    operands_limit: 64,
    far_lines: 300,
  },
  notes: [],
};
const measure = (_: string, text: string) => text.length * 7;
const badge = (k: number) => ({ text: answer.nodes.cycles[k] === null ? '' : `${answer.nodes.cycles[k]} c`, amount: answer.nodes.cycles[k] });

function drawn(): Drawing {
  const scene = makeScene(answer, badge, measure);
  check(scene.input, lay(scene.input));
  return makeDrawing(scene, lay(scene.input), 1);
}

test('a scene: titles, the opened fusion as a frame, chips, widths of arrows, stubs', () => {
  const { scene } = drawn();
  assert.equal(scene.nodes[0].title, 'params.w');
  assert.equal(scene.nodes[0].sub, '');
  assert.equal(scene.nodes[1].body, 0);
  assert.equal(scene.nodes[2].sub, 'b/mul');
  assert.equal(scene.nodes[3].root, true);
  assert.equal(scene.nodes[4].unknown, true);
  assert.deepEqual(
    scene.nodes.map((item) => [item.top?.text ?? '', item.bottom?.text ?? '']),
    [
      ['', '20 users, showing 16'],
      ['', ''],
      ['', ''],
      ['', ''],
      ['3 operands hidden', ''],
    ],
  );
  assert.deepEqual(
    scene.nodes.map((item) => item.share),
    [0, 1, 0, 0, 0.5],
  );
  assert.deepEqual(
    scene.edges.filter((edge) => edge.stub < 0).map((edge) => edge.weight),
    [0, 2, 0],
  );
  // The opened fusion is no box of its own; two stubs are.
  assert.equal(scene.input.nodes.length, 4 + 2);
  assert.deepEqual(scene.input.edges.slice(-2), [
    { from: ~0, to: 4 },
    { from: 5, to: 3 },
  ]);
});

test('the box at a point, the boxes in a rectangle, the nearest in a direction', () => {
  const d = drawn();
  const middle = (box: Box): [number, number] => [box.x + box.width / 2, box.y + box.height / 2];
  assert.deepEqual(targetAt(d, ...middle(d.boxes[2])), { kind: 'node', node: 2 });
  assert.deepEqual(targetAt(d, d.boxes[1].x + 5, d.boxes[1].y + 5), { kind: 'fold', node: 1 });
  assert.deepEqual(targetAt(d, d.boxes[1].x + 60, d.boxes[1].y + 5), { kind: 'node', node: 1 });
  assert.deepEqual(targetAt(d, ...middle(d.stubs[0])), { kind: 'stub', stub: 0 });
  const chip = d.scene.nodes[0].bottom;
  assert.ok(chip);
  assert.deepEqual(targetAt(d, ...middle(chipBox(d.boxes[0], chip, false))), { kind: 'chip', node: 0, chip });
  assert.equal(targetAt(d, -50, -50), null);
  assert.deepEqual(nodesIn(d, 0, 0, d.width, d.height), [0, 2, 3, 4]);
  assert.deepEqual(nodesIn(d, ...middle(d.boxes[3]), ...middle(d.boxes[3])), [3]);
  assert.equal(nearestThatWay(d, 2, 'down'), 3);
  assert.equal(nearestThatWay(d, 3, 'up'), 2);
});

test('numbers and names as the design writes them', () => {
  assert.deepEqual([16 * 2 ** 20, 16 * 2 ** 20 + 32 * 1024, 512, 0, 4096, 6.6e9].map(bytesText), ['16 MiB', '16.0 MiB', '512 B', '0 B', '4 KiB', '6.15 GiB']);
  assert.deepEqual([393e6, 94.2e6, 1.3e6, 0.05e6, 14.6e9, 97e9, 0, null].map(timeText), [
    '393 µs',
    '94.2 µs',
    '1.3 µs',
    '< 0.1 µs',
    '14.6 ms',
    '97.0 ms',
    '0',
    '–',
  ]);
  assert.deepEqual(
    [68719476736, 1500, 12, null].map((v) => flopText(v)),
    ['68.7 GFLOP', '1.50 kFLOP', '12 FLOP', 'unknown'],
  );
  assert.equal(opTail('jit(train_step)/jvp(a/b)/mlp/dot_general'), 'mlp/dot_general');
  assert.equal(opTail('one'), 'one');
  assert.equal(opTail('x/jvp(a/b)/c'), 'jvp(a/b)/c');
  assert.equal(shapeText('bf16[8,1024]{1,0:T(8,128)(2,1)S(1)}'), 'bf16[8,1024]');
  assert.equal(shapeText('(f32[4]{0}, /*index=1*/bf16[8,1024,1024]{2,1,0})'), '(2) bf16[8,1024,1024]');
  assert.equal(shapeText('token[]'), 'token[]');
  assert.equal(shapeText('()'), '(0)');
  assert.equal(pairName('copy-start.137', 'copy-done.137'), 'copy-start/done.137');
  assert.equal(pairName('copy-start.1', 'copy-done.2'), 'copy-start/done.1/.2');
  assert.equal(pairName('a', ''), 'a');
});

test('SVG holds texts from files as text only', () => {
  const pen = new SvgPen();
  pen.beginPath();
  pen.moveTo(0, 0);
  pen.bezierCurveTo(1, 1, 2, 2, 3.456, 3);
  pen.stroke();
  pen.fillText('</text><script>alert(1)</script>" onload=\u0000"x', 1, 2);
  const svg = pen.svg(0, 0, 10, 10, '#fff', '<a>&');
  assert.ok(!/<script|onload="|<a>/.test(svg) && !svg.includes(String.fromCharCode(0)));
  assert.ok(svg.includes('&#60;script&#62;') && svg.includes('M0 0C1 1 2 2 3.46 3'));
});

test('half of an asynchronous pair says what the chip waits for it; a box of both has the time of both', () => {
  const times = { mean_ps: [5_000, 194e9, 8e9], wait_mean_ps: [194e9, 194e9, null], count: [400, 400, 400] };
  assert.deepEqual(measuredWords(times, 0, undefined), { text: 'waits 194 ms ×400', ps: 5_000, amount: 5_000 });
  assert.deepEqual(measuredWords(times, 1, undefined), { text: 'waits 194 ms ×400', ps: 194e9, amount: 194e9 });
  assert.deepEqual(measuredWords(times, 0, 1), { text: 'waits 194 ms ×400', ps: 194e9 + 5_000, amount: 194e9 + 5_000 });
  // The start was not recorded by itself.
  assert.deepEqual(measuredWords(times, undefined, 1), { text: 'waits 194 ms ×400', ps: 194e9, amount: 194e9 });
  assert.equal(measuredWords(times, 2, undefined).text, '8.00 ms ×400');
  assert.equal(measuredWords(times, undefined, undefined).text, '');
});
