// One profile that has what each control of the Graph, Text, Trace and Memory pages can be used on, at a size that is
// claimed (5,000 instructions and more): layers that ran on a device, with buffers in a heap; a fusion that holds a matmul, a
// while loop, a collective in groups of devices, a sharding, a kernel, source stacks. Written byte by byte.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { field, hloProto, number } from './hlo.mjs';
import { putFile, serve, temporary } from './lib.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const S32 = 4;
const F32 = 11;
const BF16 = 16;
const PRED = 1;
const TUPLE = 13;
const SIDE = 1024;
export const BYTES = SIDE * SIDE * 4;
export const MODULE = 'everything(77)';
/** What serveWhole() serves: a run of a program of so many layers, 5,143 instructions. */
export const RUN = 'whole/1';
export const LAYERS = 640;
/** Start of the first run, and how long one of them takes, in picoseconds. */
const RUNS = [1e9, 4e9];
const SOURCE = '/home/user/model.py';

const packed = (values) => Buffer.concat(values.map((value) => number(0, value).subarray(1)));
const tile = field(6, [field(1, packed([8, 128]))]);
const shape = (type, dims) => [number(2, type), field(3, packed(dims)), field(5, [field(1, packed(dims.map((_, k) => dims.length - 1 - k))), ...(dims.length > 1 ? [tile] : [])])];
const ARRAY = shape(F32, [SIDE, SIDE]);
const HALF = shape(BF16, [SIDE, SIDE]);
const tupleOf = (...parts) => [number(2, TUPLE), ...parts.map((part) => field(4, part))];

/** Stack of a line of the model: called by train, called by main. Frames are numbered from 1. */
const LINES = [10, 11, 20, 21, 22, 23, 30, 31, 32, 33, 34];
const stacks = () => {
  const location = (file, fn, line) => field(3, [number(1, file), number(2, fn), number(3, line)]);
  const frame = (place, parent) => field(4, [number(1, place), ...(parent ? [number(2, parent)] : [])]);
  return field(17, [
    field(1, '/home/user/train.py'), field(1, SOURCE), field(2, 'main'), field(2, 'train'), field(2, 'layer'),
    location(1, 1, 90), location(1, 2, 40), ...LINES.map((line) => location(2, 3, line)),
    frame(1, 0), frame(2, 1), ...LINES.map((_, k) => frame(3 + k, 2)),
  ]);
};
const meta = (name, line) => field(7, [field(2, `jit(step)/${name}`), field(3, SOURCE), number(4, line), number(15, 3 + LINES.indexOf(line))]);
const cycles = (n) => field(43, `{"window_config":{"estimated_cycles":"${n}"}}`);

/** Instructions of a computation, numbered as they come. */
class Program {
  next = 1;
  bodies = [];
  entry = [];
  op(name, opcode, operands, { type = ARRAY, more = [] } = {}) {
    const one = { id: this.next++, name, opcode, operands: operands.map((operand) => operand.id), takes: operands, type };
    one.bytes = field(2, [field(1, name), field(2, opcode), field(3, type), ...more, number(35, one.id), ...one.operands.map((id) => number(36, id))]);
    return one;
  }
  /** A computation of what `make` returns; the last is its result. */
  body(name, make) {
    const ops = make();
    const id = 1000 + this.bodies.length;
    this.bodies.push({ name, bytes: field(3, [field(1, name), ...ops.map((op) => op.bytes), number(5, id), number(6, ops.at(-1).id)]), count: ops.length });
    return id;
  }
  add(...args) {
    const one = this.op(...args);
    this.entry.push(one);
    return one;
  }
}

function layer(p, k, before, w) {
  const body = p.body(`fused.${k}`, () => {
    const a = p.op(`p0.${k}`, 'parameter', [], { more: [number(9, 0)] });
    const b = p.op(`p1.${k}`, 'parameter', [], { more: [number(9, 1)] });
    const multiply = p.op(`multiply.${k}`, 'multiply', [a, b], { more: [meta(`layer_${k}/mul`, 10)] });
    return [a, b, multiply, p.op(`sum.${k}`, 'add', [multiply, a], { more: [meta(`layer_${k}/add`, 11)] })];
  });
  const fusion = p.add(`fusion.${k}`, 'fusion', [before, w], { more: [field(11, 'kLoop'), number(38, body), meta(`layer_${k}/fused`, 20), cycles(1000 + k)] });
  const negate = p.add(`negate.${k}`, 'negate', [fusion], { more: [meta(`layer_${k}/neg`, 21), cycles(200)] });
  p.first ??= negate;
  const exponential = p.add(`exponential.${k}`, 'exponential', [fusion], { more: [meta(`layer_${k}/exp`, 22), cycles(300)] });
  return p.add(`add.${k}`, 'add', [negate, exponential], { more: [meta(`layer_${k}/out`, 23), cycles(100)] });
}

/** A matmul in a fusion, summed over pairs of devices; a loop; a kernel; a use of a value of the first layer. */
function tail(p, before, w) {
  const dot = p.body('fused.matmul', () => {
    const a = p.op('lhs', 'parameter', [], { more: [number(9, 0)] });
    const b = p.op('rhs', 'parameter', [], { more: [number(9, 1)] });
    return [a, b, p.op('dot.1', 'dot', [a, b], { type: HALF, more: [field(30, [field(1, packed([1])), field(2, packed([0]))]), meta('head/dot_general', 30)] })];
  });
  const matmul = p.add('matmul_fusion', 'fusion', [before, w], { type: HALF, more: [field(11, 'kOutput'), number(38, dot), meta('head/dot_general', 30), cycles(90_000)] });
  const sum = p.body('region_sum', () => {
    const scalar = { type: shape(BF16, []) };
    const a = p.op('left', 'parameter', [], { ...scalar, more: [number(9, 0)] });
    const b = p.op('right', 'parameter', [], { ...scalar, more: [number(9, 1)] });
    return [a, b, p.op('plus', 'add', [a, b], scalar)];
  });
  const groups = [[0, 1], [2, 3]].map((ids) => field(49, [field(1, packed(ids))]));
  const reduced = p.add('all-reduce.1', 'all-reduce', [matmul], { type: HALF, more: [number(38, sum), ...groups, number(26, 5), meta('head/psum', 31), cycles(40_000)] });
  const state = tupleOf(HALF);
  const round = p.body('while_body', () => {
    const carried = p.op('carried', 'parameter', [], { type: state, more: [number(9, 0)] });
    const value = p.op('value', 'get-tuple-element', [carried], { type: HALF });
    const turned = p.op('turned', 'tanh', [value], { type: HALF, more: [meta('loop/tanh', 32)] });
    return [carried, value, turned, p.op('next_state', 'tuple', [turned], { type: state })];
  });
  const again = p.body('while_condition', () => {
    const carried = p.op('asked', 'parameter', [], { type: state, more: [number(9, 0)] });
    return [carried, p.op('go_on', 'custom-call', [carried], { type: shape(PRED, []), more: [field(28, 'NotYet')] })];
  });
  const first = p.add('state', 'tuple', [reduced], { type: state });
  const loop = p.add('while.1', 'while', [first], { type: state, more: [number(38, round), number(38, again), meta('loop/while', 32)] });
  const out = p.add('out_of_loop', 'get-tuple-element', [loop], { type: HALF });
  const far = p.add('far', 'add', [out, p.first], { more: [meta('out/far', 34), cycles(100)] });
  const kernel = readFileSync(join(here, '../fuzz/corpus/kernel/pallas_mlp')).toString('base64');
  const call = p.add('kernel_call', 'custom-call', [far, w], {
    type: HALF, more: [field(28, 'tpu_custom_call'), meta('kernel/pallas_call', 33), field(43, `{"custom_call_config":{"body":"${kernel}"}}`)],
  });
  return p.add('result', 'add', [call, reduced], { type: HALF, more: [meta('out/add', 34), cycles(700)] });
}

function build(layers) {
  const p = new Program();
  const x = p.add('x', 'parameter', [], { more: [number(9, 0)] });
  // Cut over four devices by its first dimension.
  const sharding = field(40, [number(1, 3), field(3, packed([4, 1])), field(4, packed([0, 1, 2, 3]))]);
  const w = p.add('w', 'parameter', [], { more: [number(9, 1), sharding] });
  // Of its four values one is there.
  p.add('short', 'constant', [], { type: shape(S32, [4]), more: [field(8, [field(4, packed([7]))])] });
  let before = x;
  for (let k = 0; k < layers; k++) before = layer(p, k, before, w);
  const root = tail(p, before, w);
  return { p, root };
}

export const countOf = (layers) => {
  const { p } = build(layers);
  return p.entry.length + p.bodies.reduce((sum, body) => sum + body.count, 0);
};

/** Buffers of arrays in one heap, each as long as something takes it: places are used again. */
function assignment({ p }) {
  const arrays = p.entry.filter((op) => !['tuple', 'while', 'get-tuple-element', 'constant'].includes(op.opcode));
  const sizeOf = (op) => (op.type === ARRAY ? BYTES : BYTES / 2);
  const logical = arrays.map((op) => field(1, [number(1, op.id), number(2, sizeOf(op)), field(3, [number(4, op.id)])]));
  const heap = new Set(arrays.filter((op) => op.opcode !== 'parameter'));
  const kept = new Set(p.entry.filter((op) => op.opcode === 'tuple').flatMap((op) => op.takes));
  const last = new Map();
  p.entry.forEach((op, at) => {
    for (const taken of op.takes) last.set(taken, at);
  });
  const free = [];
  let places = 0;
  const assigned = [];
  const events = [];
  const event = (kind, op) => events.push(field(1, [number(1, kind), number(2, op.id), field(3, 'main'), field(4, op.name)]));
  const placed = new Map();
  p.entry.forEach((op, at) => {
    if (heap.has(op)) {
      const place = free.pop() ?? places++;
      placed.set(op, place);
      assigned.push(field(9, [number(1, op.id), number(2, place * BYTES), number(3, sizeOf(op))]));
      event(0, op);
    }
    for (const taken of new Set(op.takes)) {
      if (last.get(taken) !== at || !placed.has(taken) || kept.has(taken)) continue;
      event(1, taken);
      free.push(placed.get(taken));
    }
  });
  for (const op of heap) if (!last.has(op) || kept.has(op)) event(1, op);
  const parameters = arrays.filter((op) => op.opcode === 'parameter').map((op, k) =>
    field(3, [number(1, k), number(2, BYTES), number(5, 1), number(6, k), field(9, [number(1, op.id), number(2, 0), number(3, BYTES)])]));
  return field(3, [...logical, ...parameters, field(3, [number(1, parameters.length), number(2, places * BYTES), ...assigned]), field(4, [...events, number(2, 1), number(3, parameters.length)])]);
}

/** Events of a chip: each run of the program, and in it each instruction that takes time, one after the other. */
function device(p) {
  const ran = p.entry.filter((op) => !['parameter', 'tuple', 'get-tuple-element', 'while', 'constant'].includes(op.opcode));
  const length = (op) => (op.opcode === 'fusion' ? 1_000_000 : 300_000);
  const text = (op) => `%${op.name} = ${op.opcode}()`;
  const events = RUNS.flatMap((start) => {
    let at = start;
    return ran.map((op) => {
      const one = field(4, [number(1, op.id), number(2, at), number(3, length(op))]);
      at += length(op);
      return one;
    });
  });
  const whole = ran.reduce((sum, op) => sum + length(op), 0);
  const PROGRAM = 1;
  const named = (id, name, display) =>
    field(4, [number(1, id), field(2, [number(1, id), field(2, name), ...(display ? [field(4, display)] : []), field(5, [number(1, PROGRAM), number(3, 77)])])]);
  const RUN_NAME = 1_000_000;
  return field(1, [
    field(2, '/device:TPU:0'),
    field(3, [number(1, 2), field(2, 'XLA Modules'), ...RUNS.map((start) => field(4, [number(1, RUN_NAME), number(2, start), number(3, whole)]))]),
    field(3, [number(1, 3), field(2, 'XLA Ops'), ...events]),
    ...ran.map((op) => named(op.id, text(op), op.name)),
    named(RUN_NAME, MODULE),
    field(5, [number(1, PROGRAM), field(2, [number(1, PROGRAM), field(2, 'program_id')])]),
  ]);
}

/** An XSpace of the program and of what it did. */
function whole(layers) {
  const made = build(layers);
  const { p, root } = made;
  const main = field(3, [field(1, 'main'), ...p.entry.map((op) => op.bytes), number(5, 1), number(6, root.id)]);
  const module = field(1, [field(1, 'everything'), field(2, 'main'), ...p.bodies.map((body) => body.bytes), main, number(5, 77), number(6, 1), stacks()]);
  const hlo = Buffer.concat([module, assignment(made)]);
  // A second program, so that there is one to go to.
  const other = hloProto('other', [{ name: 'elsewhere.1', elements: 1 << 20 }]);
  const entry = (id, name, bytes) => field(4, [number(1, id), field(2, [number(1, id), field(2, name), field(5, [number(1, 5), field(6, bytes)])])]);
  const metadata = field(1, [
    field(2, '/host:metadata'),
    entry(77, MODULE, hlo),
    entry(78, 'other(78)', other),
    field(5, [number(1, 5), field(2, [number(1, 5), field(2, 'Hlo Proto')])]),
  ]);
  return Buffer.concat([metadata, device(p)]);
}

/** A server of that profile, for the tests of a file. */
export function serveWhole() {
  const root = temporary('browser');
  putFile(root, 'whole/plugins/profile/1/host0.xplane.pb', whole(LAYERS));
  return serve(root);
}
