// A program of as many instructions as a test needs, written byte by byte: layers of a fusion and three small ops, one
// value that every layer uses, and ops that use a value of the first layer from afar.
import { field, number } from './hlo.mjs';

const F32 = 11;
const shape = (at, elements) => field(at, [number(2, F32), field(3, Buffer.from(varint(elements))), field(5, [field(1, Buffer.from([0]))])]);
function varint(value) {
  const out = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return [...out, rest];
    out.push((rest % 128) + 128);
  }
}

const LAYER_OPS = 4;
const BODY_OPS = 4;
export const ELEMENTS = 1 << 20;

/** Instructions of the whole program. */
export const countOf = (layers) => 2 + layers * (LAYER_OPS + BODY_OPS) + Math.floor(layers / 100);

function instruction(id, name, opcode, operands, more = []) {
  return field(2, [field(1, name), field(2, opcode), shape(3, ELEMENTS), ...more, number(35, id), ...operands.map((operand) => number(36, operand))]);
}

/** HloProto: layer k is fusion.k (its body multiplies and adds), negate.k, exponential.k and add.k, which the next layer takes. */
export function layered(layers) {
  const op = (name, line) => field(7, [field(2, `jit(f)/layer_${name}`), field(3, '/src/model.py'), number(4, line)]);
  const cycles = (n) => field(43, `{"window_config":{"estimated_cycles":"${n}"}}`);
  const bodies = [];
  const entry = [instruction(1, 'x', 'parameter', [], [number(9, 0)]), instruction(2, 'w', 'parameter', [], [number(9, 1)])];
  let id = 3;
  let before = 1;
  let first = 0;
  for (let k = 0; k < layers; k++) {
    const body = 10 + k;
    const b = [id, id + 1, id + 2, id + 3];
    id += BODY_OPS;
    bodies.push(field(3, [
      field(1, `fused.${k}`), instruction(b[0], `p0.${k}`, 'parameter', [], [number(9, 0)]), instruction(b[1], `p1.${k}`, 'parameter', [], [number(9, 1)]),
      instruction(b[2], `multiply.${k}`, 'multiply', [b[0], b[1]], [op(`${k}/mul`, 10)]), instruction(b[3], `sum.${k}`, 'add', [b[2], b[0]], [op(`${k}/add`, 11)]),
      number(5, body), number(6, b[3]),
    ]));
    const [fusion, negate, exponential, add] = [id, id + 1, id + 2, id + 3];
    id += LAYER_OPS;
    if (k === 0) first = negate;
    entry.push(
      instruction(fusion, `fusion.${k}`, 'fusion', [before, 2], [field(11, 'kLoop'), number(38, body), op(`${k}/fused`, 20), cycles(1000 + k)]),
      instruction(negate, `negate.${k}`, 'negate', [fusion], [op(`${k}/neg`, 21), cycles(200)]),
      instruction(exponential, `exponential.${k}`, 'exponential', [fusion], [op(`${k}/exp`, 22), cycles(300)]),
      instruction(add, `add.${k}`, 'add', [negate, exponential], [op(`${k}/out`, 23), cycles(100)]),
    );
    before = add;
    if (k % 100 === 99) {
      entry.push(instruction(id, `far.${k}`, 'add', [before, first], [op(`${k}/far`, 30), cycles(50)]));
      before = id++;
    }
  }
  const main = field(3, [field(1, 'main'), ...entry, number(5, 1), number(6, before)]);
  const module = field(1, [field(1, 'layered'), field(2, 'main'), ...bodies, main, number(5, 77), number(6, 1)]);
  const size = ELEMENTS * 4;
  const assignment = field(3, [
    field(1, [number(1, 1), number(2, size), field(3, [number(4, 1)])]),
    field(3, [number(1, 0), number(2, size), field(9, [number(1, 1), number(2, 0), number(3, size)])]),
  ]);
  return Buffer.concat([module, assignment]);
}
