/** Answers of /api/v1/compare and /api/v1/compare/curve. */
import type { Maybe } from '../api/types';

export interface ComparedSide {
  run: string;
  module: string;
  peak_bytes: number;
  peak_step: Maybe<number>;
  peak_instruction: Maybe<string>;
  reserved_bytes: number;
  resident_bytes: number;
  heap_bytes: number;
  fragmentation_bytes: number;
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

export interface ComparedCurve {
  slots: number;
  from: number;
  to: number;
  exact: boolean;
  matched: number;
  only_before: number;
  only_after: number;
  whole: boolean;
  before_peak_slot: Maybe<number>;
  after_peak_slot: Maybe<number>;
  lowest: Maybe<{ slot: number; bytes: number }>;
  highest: Maybe<{ slot: number; bytes: number }>;
  columns: {
    n: number;
    first_slot: number[];
    before_step: Maybe<number>[];
    after_step: Maybe<number>[];
    both: number[];
    only_before: number[];
    only_after: number[];
    before_min: number[];
    before_max: number[];
    after_min: number[];
    after_max: number[];
    difference_min: number[];
    difference_max: number[];
  };
}
