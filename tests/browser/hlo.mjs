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
 * A HloProto with one heap: buffers are allocated in order and freed in order. Each buffer: {name, opcode, opName,
 * source, elements}; texts may be Buffers, so that they need not be UTF-8.
 */
export function hloProto(moduleName, buffers) {
  const size = (buffer) => buffer.elements * 4;
  const total = buffers.reduce((sum, buffer) => sum + size(buffer), 0);
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
  let offset = 0;
  const logical = buffers.map((buffer, i) => field(1, [number(1, i + 1), number(2, size(buffer)), field(3, [number(4, i + 1)])]));
  const assigned = buffers.map((buffer, i) => {
    const entry = field(9, [number(1, i + 1), number(2, offset), number(3, size(buffer))]);
    offset += size(buffer);
    return entry;
  });
  const event = (kind, i) => field(1, [number(1, kind), number(2, i + 1), field(3, 'main'), field(4, buffers[i].name)]);
  const events = [...buffers.map((_, i) => event(0, i)), ...buffers.map((_, i) => event(1, i))];
  const assignment = field(3, [...logical, field(3, [number(1, 0), number(2, total), ...assigned]), field(4, [...events, number(2, 1)])]);
  return Buffer.concat([module, assignment]);
}

/** A profile (XSpace) with these modules: {name, id, hlo}. */
export function xspace(modules) {
  const entries = modules.map(({ name, id, hlo }) =>
    field(4, [number(1, id), field(2, [number(1, id), field(2, Buffer.concat([Buffer.from(name), Buffer.from(`(${id})`)])), field(5, [number(1, 5), field(6, hlo)])])]));
  return field(1, [field(2, '/host:metadata'), ...entries, field(5, [number(1, 5), field(2, [number(1, 5), field(2, 'Hlo Proto')])])]);
}
