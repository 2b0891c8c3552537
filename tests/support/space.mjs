// Profiles (XSpace) by hand, plane by plane: threads with events and their stats. Numbers of fields as in xplane.proto.
import fs from 'node:fs';
import path from 'node:path';

import { field, number } from '../browser/hlo.mjs';
import { testdata } from './program.mjs';

function double(at, value) {
  const bits = Buffer.alloc(9);
  bits[0] = at * 8 + 1;
  bits.writeDoubleLE(value, 1);
  return bits;
}

/** Stats that collectors write as doubles, whatever their value. */
const DOUBLES = new Set(['fragmentation']);

/**
 * A plane (a field of an XSpace). Lines: {name, at_ns, events}; events: {name, at, ps, stats}, `at` in ps from the line's
 * start. Names and stats get their ids in the order of their first use.
 */
export function plane(name, lines, { stats = {} } = {}) {
  const events = new Map(), keys = new Map();
  const idIn = (map, key) => map.get(key) ?? map.set(key, map.size + 1).get(key);
  const stat = (at) => ([key, value]) => field(at, [number(1, idIn(keys, key)),
    typeof value === 'string' ? field(5, value) : DOUBLES.has(key) ? double(2, value) : number(4, value)]);
  const event = ({ name: of, at = 0, ps = 0, stats: said = {} }) =>
    field(4, [number(1, idIn(events, of)), number(2, at), number(3, ps), ...Object.entries(said).map(stat(4))]);
  const body = lines.map(({ name: of = '', at_ns = 0, events: list }, k) =>
    field(3, [number(1, k + 1), ...(of ? [field(2, of)] : []), number(3, at_ns), ...list.map(event)]));
  const own = Object.entries(stats).map(stat(6));
  const names = (at, map) => [...map].map(([text, id]) => field(at, [number(1, id), field(2, [number(1, id), field(2, text)])]));
  return field(1, [field(2, name), ...body, ...names(4, events), ...names(5, keys), ...own]);
}

/** What an allocator reports at a time of its thread: stats as the runtime writes them. */
export const reported = (at, frees, stats) => ({ name: frees ? 'MemoryDeallocation' : 'MemoryAllocation', at, stats });

/** When the capture began, as a profiler writes it: what places a host on the common axis. */
export const startPlane = (start_ns) => plane('Task Environment', [], { stats: { profile_start_time: start_ns } });

/** The mark of a step around what its thread does. */
export const step = (n, at, ps, name = 'train') => ({ name, at, ps, stats: { _r: 1, step_num: n } });

/** The program of tpu_padded_demo, which runs on a chip whose runtime keeps this much stack for it, and 9 MiB later, when nothing runs. */
export function stacked(reserved) {
  const program = fs.readFileSync(path.join(testdata, 'tpu_padded_demo/logdir/plugins/profile/aot/host0.xplane.pb'));
  const MS = 1e9, MIB = 2 ** 20;
  const said = ([at, bytes]) => reported(at * MS, false, { allocator_name: 'TPU_0', bytes_reserved: bytes, bytes_allocated: 16 * MIB, bytes_available: 100 * MIB, addr: 4096 * at });
  const ran = (name, event) => ({ name, events: [{ name: event, at: 2 * MS, ps: 8 * MS }] });
  return Buffer.concat([
    program,
    plane('/host:CPU', [{ name: 'python', events: [[1, 0], [5, reserved], [15, 9 * MIB]].map(said) }]),
    plane('/device:TPU:0', [ran('XLA Modules', 'jit_padded_step(7506317489879146938)'), ran('XLA Ops', 'fusion.1')]),
  ]);
}
