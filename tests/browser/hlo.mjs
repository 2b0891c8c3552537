// Writes profiles by hand, byte by byte: for names that no compiler would write. Numbers of fields as in
// xplane.proto, hlo.proto and xla_data.proto.

function varint(value) {
  const out = [];
  let rest = BigInt(value);
  for (; rest > 127n; rest >>= 7n) out.push(Number(rest & 127n) | 128);
  out.push(Number(rest));
  return Buffer.from(out);
}

export const number = (field, value) => Buffer.concat([varint(field * 8), varint(value)]);

/** A field of bytes: a Buffer, a text, or a list of fields (a message). */
export function field(at, content) {
  const bytes = Array.isArray(content) ? Buffer.concat(content) : Buffer.from(content);
  return Buffer.concat([varint(at * 8 + 2), varint(bytes.length), bytes]);
}

const F32 = 11;
const shape = (at, elements) => field(at, [number(2, F32), field(3, varint(elements)), field(5, [field(1, varint(0))])]);

/**
 * A HloProto with one heap for each memory space: buffers are allocated in order and freed in order. Each buffer: {name,
 * opcode, opName, source, elements, color}; texts may be Buffers, so that they need not be UTF-8. Ids count from 0.
 */
export function hloProto(moduleName, buffers) {
  const size = (buffer) => buffer.elements * 4;
  const instructions = buffers.map((buffer, i) =>
    field(2, [
      field(1, buffer.name),
      field(2, buffer.opcode ?? 'add'),
      shape(3, buffer.elements),
      field(7, [field(2, buffer.opName ?? ''), field(3, buffer.source ?? ''), number(4, 7)]),
      number(35, i + 1),
    ]));
  const module = field(1, [
    field(1, moduleName),
    field(2, 'main'),
    field(3, [field(1, 'main'), ...instructions, number(5, 1), number(6, buffers.length)]),
    number(5, 1),
    number(6, 1),
  ]);
  const all = buffers.map((buffer, i) => ({ ...buffer, i, color: buffer.color ?? 0 }));
  const logical = all.map((buffer) => field(1, [number(1, buffer.i), number(2, size(buffer)), field(3, [number(4, buffer.i + 1)]), number(4, buffer.color)]));
  const event = (kind, { i, name }) => field(1, [number(1, kind), number(2, i), field(3, 'main'), field(4, name)]);
  const heaps = [...new Set(all.map((buffer) => buffer.color))].map((color, index) => {
    const here = all.filter((buffer) => buffer.color === color);
    let offset = 0;
    const assigned = here.map((buffer) => {
      const entry = field(9, [number(1, buffer.i), number(2, offset), number(3, size(buffer))]);
      offset += size(buffer);
      return entry;
    });
    const events = [...here.map((buffer) => event(0, buffer)), ...here.map((buffer) => event(1, buffer))];
    return Buffer.concat([field(3, [number(1, index), number(2, offset), ...assigned, number(8, color)]), field(4, [...events, number(2, 1)])]);
  });
  return Buffer.concat([module, field(3, [...logical, ...heaps])]);
}

/** A profile (XSpace) with these modules: {name, id, hlo}; and planes that only have a name. */
export function xspace(modules, planes = []) {
  const entries = modules.map(({ name, id, hlo }) =>
    field(4, [number(1, id), field(2, [number(1, id), field(2, Buffer.concat([Buffer.from(name), Buffer.from(`(${id})`)])), field(5, [number(1, 5), field(6, hlo)])])]));
  const metadata = field(1, [field(2, '/host:metadata'), ...entries, field(5, [number(1, 5), field(2, [number(1, 5), field(2, 'Hlo Proto')])])]);
  return Buffer.concat([metadata, ...planes.map((name) => field(1, [field(2, name)]))]);
}
