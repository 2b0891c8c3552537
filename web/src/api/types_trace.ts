/** Answers of the routes below trace/. Times are picoseconds after `base_ps`, lengths picoseconds. */
import type { Big, Maybe } from './types_run';

export interface TraceRows {
  host: string;
  /** Of several hosts side by side: where each stands on the axis, and by what. */
  hosts: { name: string; has_events: boolean; error: Maybe<string>; shift?: number; placed?: 'clock' | 'no_clock' | 'apart'; clock_offset_ns?: Maybe<Big>; said?: string }[];
  base_ps: Big;
  first: number;
  end: number;
  event_count: number;
  hidden_count: number;
  profile_start_ns: Maybe<Big>;
  derived: boolean;
  /** Of the run's device, before any are typed in; see peaksInUse. */
  peaks: Maybe<Peaks>;
  device_type: string;
  processes: {
    n: number;
    name: string[];
    /** Index in hosts. */
    host: number[];
    kind: string[];
    device: number[];
    first_row: number[];
    row_count: number[];
    event_count: number[];
    computes: number[];
    /** Why not; null where it does. */
    compute_unknown: (string | null)[];
    peak_flops: Maybe<number>[];
    peak_bytes: Maybe<number>[];
  };
  rows: {
    n: number;
    row: number[];
    process: number[];
    host: number[];
    id: string[];
    caption: string[];
    kind: string[];
    derived: number[];
    how: Maybe<string>[];
    depths: number[];
    events: number[];
    first: number[];
    end: number[];
    busy: number[];
    device_busy: number[];
    device_clock: number[];
    overflow: number[];
    cut: number[];
    hidden: number[];
  };
  clock_steps: { n: number; left_out: number; row: number[]; event: number[]; at: number[]; extra: number[] };
  warnings: TraceWarning[];
  derived_warnings: TraceWarning[];
}

export type TraceWarning = string | { message?: string; text?: string; where?: Maybe<string> };

export interface TraceWindow {
  from: number;
  to: number;
  cell_ps: number;
  q: number;
  events_in_view: number;
  coarser: boolean;
  depths: { n: number; row: number[]; depth: number[]; first_event: number[]; boxes: number[] };
  box: { n: number; start: number[]; length: number[]; name: number[] };
  merged: { n: number; /** Picoseconds of one `busy`. */ busy_q: number; at: number[]; count: number[]; busy: number[]; longest: number[] };
  counters: { n: number; box: number[]; at: number[]; value: number[]; least: number[]; most: number[] };
  held: { n: number; row: number[]; at: number[]; value: number[] };
  waits: { n: number; box: number[]; drawn: number[]; wait: number[]; hidden: ('fully' | 'partly' | 'exposed')[] };
  exact: { n: number; box: number[]; beyond: number[]; duration: number[] };
  names: { n: number; id: number[]; caption: string[]; group: string[]; wait: (number | boolean)[]; scope?: number[]; names?: string[] };
}

export interface TraceStat {
  name: string;
  type: string;
  value: Maybe<string | number>;
  from: 'event' | 'metadata';
  internal: boolean;
  whole_size_bytes?: number;
}

/** What a chip can do; null: not known. */
export interface Peaks {
  device: string;
  flops_per_s: number | null;
  hbm_bytes_per_s: number | null;
  link_bytes_per_s: number | null;
  clock_hz: number | null;
  source: string | null;
  vector_flops_per_s: number | null;
  shared_bytes_per_s: number | null;
  vmem_read_bytes_per_s: number | null;
  vmem_write_bytes_per_s: number | null;
  cmem_read_bytes_per_s: number | null;
  cmem_write_bytes_per_s: number | null;
}

export interface TraceRoofline {
  flops: Maybe<number>;
  bytes: Maybe<number>;
  duration: number;
  achieved_flops_per_s: Maybe<number>;
  achieved_bytes_per_s: Maybe<number>;
  peak_flops_per_s: Maybe<number>;
  peak_bytes_per_s: Maybe<number>;
  bound: Maybe<string>;
  at_roofline: Maybe<number>;
  share: Maybe<number>;
  source: string;
}

export interface TraceRef {
  event: number;
  caption: string;
  start: number;
  duration: number;
}

export interface TraceEvent {
  event: number;
  row: number;
  process: number;
  depth: number;
  name_id: number;
  caption: string;
  name: string;
  group: string;
  wait: boolean;
  how: Maybe<string>;
  start: number;
  duration: number;
  device_start: Maybe<Big>;
  device_duration: Maybe<number>;
  self: Maybe<number>;
  device_self: Maybe<number>;
  parent: Maybe<{ event: number; caption: string; start: number; duration: number }>;
  module: Maybe<{ event: number; caption: string; start: number; duration: number }>;
  step: Maybe<{ number: number; name: string; event: number; start: number; duration: number }>;
  program: Maybe<string>;
  category: Maybe<string>;
  tf_op: Maybe<string>;
  source: Maybe<string>;
  stands_for: number[];
  async: Maybe<{ hidden: string; clock: string; wait: number; whole: number; compute: Maybe<number>; first: TraceRef; done: TraceRef }>;
  no_roofline: Maybe<string>;
  roofline: Maybe<TraceRoofline>;
  chips: Maybe<{ n: number; process: number[]; device: number[]; event: number[]; start: number[]; duration: number[]; device_duration: number[]; device_start: Maybe<string>[]; skew: Maybe<number>[] }>;
  /** The program; and its instruction, but null for a run of the whole program. */
  links: Maybe<{ module: string; instruction: Maybe<string> }>;
  stats: TraceStat[];
}

export interface TraceTotals {
  by: string;
  clock: 'device' | 'host';
  from: number;
  to: number;
  clip: boolean;
  of_rows: number[];
  n: number;
  all_n: number;
  left_out: number;
  rows: {
    key: string[];
    id: Maybe<number>[];
    program: string[];
    category: string[];
    group: string[];
    /** 1: it waits and does no work. */
    wait: number[];
    count: number[];
    total: number[];
    self: number[];
    mean: number[];
    min: number[];
    p50: number[];
    p99: number[];
    max: number[];
    exact: number[];
    host_total: number[];
    device_total: number[];
    device_count: number[];
    flops_per_s: Maybe<number>[];
    bytes_per_s: Maybe<number>[];
    first_event: number[];
  };
  all: { count: number; total: number; self: number; host_total: number; device_total: number; device_count: number; busy: number };
}

export interface TraceSearch {
  count: number;
  total: number;
  clock: string;
  offset: number;
  covered: string;
  problem: Maybe<string>;
  stopped: boolean;
  names: { n: number; left_out: number; id: number[]; caption: string[]; program: string[]; group: string[]; single: number[]; count: number[]; total: number[] };
  hits: { n: number; event: number[]; start: number[]; duration: number[]; row: number[]; id: number[]; caption: number[]; names: string[] };
  columns?: number[];
}
