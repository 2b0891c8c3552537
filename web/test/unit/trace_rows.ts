import type { TraceRows } from '../../src/api/answers';
import type { Lane } from '../../src/trace/boxes';

/** A chip with a row of operations (100) and one of modules (101), and the threads of its host (from 102 on). */
export function rowsOf(threads: number): TraceRows {
  const n = 2 + threads;
  const list = <T>(make: (k: number) => T) => Array.from({ length: n }, (_, k) => make(k));
  return {
    host: 'h',
    hosts: [],
    base_ps: '0',
    first_ps: 0,
    end_ps: 1000,
    event_count: 10 * n,
    hidden_count: 0,
    profile_start_ns: null,
    derived: true,
    peaks: null,
    device_type: '',
    processes: {
      n: 2,
      name: ['/device:TPU:0', '/host:CPU'],
      host: [0, 0],
      kind: ['tpu', 'host'],
      device: [0, null],
      first_row: [0, 2],
      row_count: [2, threads],
      event_count: [20, 10 * threads],
      computes: [true, false],
      compute_unknown: [null, 'launches'],
      peak_flops_per_s: [1, null],
      peak_bytes_per_s: [1, null],
    },
    rows: {
      n,
      row: list((k) => k + 100),
      process: list((k) => (k < 2 ? 0 : 1)),
      host: list(() => 0),
      id: list((k) => String(k)),
      caption: list((k) => (k === 0 ? 'XLA Ops' : k === 1 ? 'XLA Modules' : `worker/${k}`)),
      kind: list((k) => (k === 0 ? 'xla_ops' : k === 1 ? 'xla_modules' : 'line')),
      derived: list(() => false),
      how: list(() => null),
      depths: list(() => 2),
      events: list(() => 10),
      first_ps: list(() => 0),
      end_ps: list(() => 1000),
      busy_ps: list((k) => k),
      device_busy_ps: list(() => null),
      device_clock: list(() => false),
      overflow: list(() => 0),
      cut: list(() => false),
      hidden: list(() => false),
    },
    clock_steps: { n: 0, left_out: 0, row: [], event: [], at_ps: [], extra_ps: [] },
    warnings: [],
    derived_warnings: [],
  };
}

/** Boxes of one event each, from and to in picoseconds. */
export const laneOf = (...spans: [number, number][]): Lane => ({
  n: spans.length,
  start: Float64Array.from(spans, ([at]) => at),
  end: Float64Array.from(spans, ([, to]) => to),
  busy: Float64Array.from(spans, ([at, to]) => to - at),
  name: new Uint32Array(spans.length),
  group: new Uint8Array(spans.length),
  wait: new Uint8Array(spans.length),
  event: Float64Array.from(spans, (_, k) => k),
  count: new Uint32Array(spans.length).fill(1),
  longest: new Float64Array(spans.length),
  waits: null,
});
