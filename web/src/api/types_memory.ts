/** Answers of the headline of a memory space, and of an out-of-memory message. */
import type { Big, Maybe, Split, Warning } from './types_run';

export interface SpaceSummary {
  color: number;
  name: string;
  peak_bytes: number;
  reserved_bytes: Maybe<number>;
  argument_bytes: number;
  output_bytes: number;
  constant_bytes: number;
  heap_bytes: number;
  temp_bytes: Maybe<number>;
  fragmentation_bytes: Maybe<number>;
  thread_local_bytes: number;
  steps: number;
}

export interface SentencePart {
  text: string;
  kind: 'text' | 'number' | 'code' | 'source';
}

export interface Largest {
  count: number;
  bytes: number;
  share: number;
  each_bytes: number;
  shape: string;
  class: string;
  group: string;
  op_name: Maybe<string>;
  file: Maybe<string>;
  line: Maybe<number>;
  buffers: number[];
  sentence: SentencePart[];
  advice: Maybe<string>;
}

export interface Summary {
  run: string;
  module: {
    key: string;
    name: string;
    program_id: Maybe<Big>;
    hosts: string[];
    run_count: Maybe<number>;
    instructions: number;
    buffers: number;
    events: number;
    proto_bytes: Maybe<number>;
    failed_to_compile: boolean;
  };
  platform: Maybe<string>;
  device_type: Maybe<string>;
  device_count: Maybe<number>;
  space: { color: number; name: string };
  spaces: SpaceSummary[];
  capacity_bytes: Maybe<number>;
  capacity_from: Maybe<string>;
  capacity_unknown: Maybe<string>;
  headroom_bytes: Maybe<number>;
  peak: {
    bytes: number;
    unpadded_bytes: Maybe<number>;
    step: Maybe<number>;
    instruction: Maybe<string>;
    instruction_id: Maybe<Big>;
    opcode: Maybe<string>;
  };
  split: Split;
  resident_bytes: number;
  resident_unpadded_bytes: Maybe<number>;
  heap_bytes: number;
  reserved_bytes: Maybe<number>;
  /** What lists and bars sum up below, unless something else is asked for. */
  fold_bytes: number;
  live_is_union: boolean;
  scoped: Maybe<{ bytes: number; instruction: string }>;
  steps: number;
  lanes: { first_step: number; steps: number; whole_module: boolean }[];
  largest: Maybe<Largest>;
  near_peaks: { step: number; bytes: number }[];
  savings: { buffer: number; name: string; shape: string; size_bytes: number; saving_bytes: number }[];
  xprof: {
    peak_bytes: Maybe<number>;
    total_bytes: Maybe<number>;
    unpadded_peak_bytes: Maybe<number>;
    argument_bytes: Maybe<number>;
    temp_bytes: Maybe<number>;
    temp_with_fragmentation_bytes: Maybe<number>;
    fragmentation_percent: Maybe<number>;
    peak_position: Maybe<number>;
    error: Maybe<string>;
    differs: { what: string; ours: Maybe<number>; xprof: Maybe<number>; reason: string }[];
  };
  jax: {
    argument_bytes: Maybe<number>;
    output_bytes: Maybe<number>;
    alias_bytes: Maybe<number>;
    temp_bytes: Maybe<number>;
    peak_bytes: Maybe<number>;
    host_argument_bytes: Maybe<number>;
    host_output_bytes: Maybe<number>;
    host_alias_bytes: Maybe<number>;
    host_temp_bytes: Maybe<number>;
  };
  xla_report: Maybe<{ total_bytes: Maybe<number> }>;
  oom: Maybe<Oom>;
  warnings: Warning[];
}

export interface OomItem {
  size_bytes: number;
  shape: Maybe<string>;
  op_name: Maybe<string>;
  instruction: Maybe<string>;
  tag: Maybe<string>;
  buffers: number[];
}

export interface Oom {
  understood: boolean;
  form: Maybe<string>;
  module: Maybe<string>;
  space: Maybe<string>;
  color: Maybe<number>;
  needed_bytes: Maybe<number>;
  capacity_bytes: Maybe<number>;
  exceeded_bytes: Maybe<number>;
  parts: { offset: number; size: number; what: string }[];
  items: OomItem[];
  match: Maybe<{
    module: Maybe<string>;
    space: Maybe<number | string>;
    matches: Maybe<boolean>;
    sentence: Maybe<string>;
  }>;
}
