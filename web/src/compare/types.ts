/** Answers of /api/v1/compare and /api/v1/compare/curve. */
import type { Maybe } from '../api/types';

export interface ComparedSide {
  run: string;
  module: string;
  /** Of the compiler; null: the profile does not say it. */
  versions: Maybe<string>;
  peak_bytes: number;
  peak_step: Maybe<number>;
  peak_instruction: Maybe<string>;
  reserved_bytes: number;
  resident_bytes: number;
  heap_bytes: number;
  fragmentation_bytes: number | null;
  padding_bytes: number;
  sum_bytes: number;
  steps: number;
  instructions: number;
  instructions_outside_fusions: number;
  flops: Maybe<number>;
  bytes_accessed: Maybe<number>;
  capacity_bytes: Maybe<number>;
}

export type GroupState = 'same' | 'changed' | 'only_before' | 'only_after' | 'left_the_peak' | 'into_the_peak';

export interface ComparedGroups {
  n: number;
  state: GroupState[];
  class: Maybe<string>[];
  group: Maybe<string>[];
  shape: number[];
  opcode: number[];
  scope: number[];
  source: number[];
  name: number[];
  before_buffer: Maybe<number>[];
  after_buffer: Maybe<number>[];
  before_count: number[];
  after_count: number[];
  before_bytes: number[];
  after_bytes: number[];
  difference_bytes: number[];
}

export interface FindingChange {
  state: 'new' | 'gone' | 'stays';
  id: string;
  severity: string;
  claim: string;
  before_saving_bytes: Maybe<number>;
  after_saving_bytes: Maybe<number>;
}

export interface Comparison {
  before: ComparedSide;
  after: ComparedSide;
  space: number;
  space_name: string;
  difference_bytes: number;
  closes: boolean;
  groups_total: number;
  groups_different: number;
  same_workload: boolean;
  mismatches: string[];
  groups: ComparedGroups;
  names: string[];
  rest: { count: number; before_bytes: number; after_bytes: number };
  opcodes: { n: number; opcode: string[]; before: number[]; after: number[] };
  opcodes_left_out: number;
  opcodes_same: number;
  recomputed: { n: number; scope: string[]; before_fusions: number[]; after_fusions: number[] };
  recomputed_left_out: number;
  findings: FindingChange[];
}

/** Of /api/v1/compare/buffers. */
export interface ComparedBuffers {
  total: number;
  offset: number;
  left_out: number;
  states: Record<GroupState, number>;
  before_bytes: number;
  after_bytes: number;
  difference_bytes: number;
  rest_before_bytes: number;
  rest_after_bytes: number;
  buffers: {
    n: number;
    state: GroupState[];
    class: Maybe<string>[];
    group: Maybe<string>[];
    opcode: number[];
    scope: number[];
    source: number[];
    before_buffer: Maybe<number>[];
    after_buffer: Maybe<number>[];
    before_name: number[];
    after_name: number[];
    before_shape: number[];
    after_shape: number[];
    before_bytes: Maybe<number>[];
    after_bytes: Maybe<number>[];
    before_padding_bytes: Maybe<number>[];
    after_padding_bytes: Maybe<number>[];
  };
  names: string[];
}

export type LineState = 'same' | 'renumbered' | 'changed' | 'only_before' | 'only_after' | 'folded';

/** Of /api/v1/compare/text. */
export interface ComparedText {
  before_lines: number;
  after_lines: number;
  before_lines_left_out: number;
  after_lines_left_out: number;
  whole: boolean;
  same: number;
  renumbered: number;
  changed: number;
  only_before: number;
  only_after: number;
  total: number;
  offset: number;
  rows: {
    n: number;
    state: LineState[];
    side: ('both' | 'before' | 'after')[];
    count: number[];
    cut: number[];
    before_line: Maybe<number>[];
    after_line: Maybe<number>[];
    before_name: Maybe<string>[];
    after_name: Maybe<string>[];
    text: Maybe<string>[];
  };
}
