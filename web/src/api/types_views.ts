/** Answers that the charts, tables and the card of a memory space draw, and the search. */
import type { Big, Maybe, Name } from './types_run';
import type { Answers } from './answers';

export interface Curve {
  from: number;
  to: number;
  steps: number;
  /** Each column is one step. */
  exact: boolean;
  n: number;
  step: number[];
  count: number[];
  min: number[];
  max: number[];
  min_unpadded: number[];
  max_unpadded: number[];
  max_step: number[];
  /** Highest held heap byte in the column. */
  top: number[];
  resident_bytes: number;
  resident_unpadded_bytes: Maybe<number>;
  reserved_bytes: Maybe<number>;
  peak_step: Maybe<number>;
  /** null: there is one; else why not. */
  axes: { instruction: Maybe<string>; time: Maybe<string> };
  /** Axis "time": what durations were measured with, instructions with a time, instructions in the schedule. */
  clock?: string;
  measured?: number;
  scheduled?: number;
  /** What x counts here. */
  axis: 'event' | 'instruction' | 'time';
  unit?: 'instruction' | 'ns';
  /** Places of the columns' first steps, and of the window's end. */
  x?: number[];
  x_end?: number;
  /** Steps whose instruction stands before that of the step before. */
  moved?: number;
}

export type Steps = Answers['memory/steps'];

export type Scopes = Answers['memory/scopes'];

export interface MapBoxes {
  from: number;
  to: number;
  heap_bytes: number;
  heaps: { allocation: number; base_bytes: number; size_bytes: number }[];
  n: number;
  tenancy: number[];
  buffer: number[];
  start_step: number[];
  end_step: number[];
  offset_bytes: number[];
  size_bytes: number[];
  name: Name[];
  shape: Name[];
  group: Name[];
  class: Name[];
  scope: Maybe<Name>[];
  dtype: Maybe<Name>[];
  flags: number[];
  names: string[];
  merged: {
    n: number;
    start_step: number[];
    end_step: number[];
    offset_bytes: number[];
    size_bytes: number[];
    count: number[];
    group: Name[];
    class: Name[];
    block: number[];
  };
  /** What the boxes are by shape and scope, as in Live. */
  block: number[];
  blocks: { n: number; shape: Name[]; scope: Name[] };
  merged_count: number;
  limit: Maybe<number>;
}

export type Live = Answers['memory/live'];

export type DiffSide = Diff['only_a'];

export type Diff = Answers['memory/diff'];

export type Range = Answers['memory/range'];

export type Buffers = Answers['memory/buffers'];

export interface Neighbour {
  buffer: number;
  name: string;
  start: number;
  end: number;
  more: number;
}

export interface BufferCard {
  buffer: number;
  id: Big;
  /** Colour of its memory space. */
  space: number;
  name: string;
  instruction: Maybe<string>;
  instruction_id: Maybe<Big>;
  opcode: Maybe<string>;
  shape_index: number[];
  shape: string;
  shape_words: string[];
  class: string;
  parameter_number: Maybe<number>;
  parameter_name: Maybe<string>;
  aliased_output: Maybe<string | number | number[]>;
  group: string;
  size_bytes: number;
  unpadded_bytes: Maybe<number>;
  padding_bytes: Maybe<number>;
  expansion: Maybe<number>;
  assigned_bytes: Maybe<number>;
  offset_bytes: Maybe<number>;
  allocation: Maybe<{ index: number; size_bytes: number; members: number }>;
  xprof: Maybe<{ unpadded_bytes: Maybe<number>; shape: Maybe<string> }>;
  saving_bytes: Maybe<number>;
  peak_without_bytes: Maybe<number>;
  peak_without_step: Maybe<number>;
  share_of_peak: Maybe<number>;
  equal: Maybe<{ count: number; buffers: number[]; saving_bytes: Maybe<number>; peak_without_bytes: Maybe<number> }>;
  padding: Maybe<{
    known: boolean;
    tiled_bytes: Maybe<number>;
    other_overhead_bytes: Maybe<number>;
    tile: Maybe<string>;
    dims: { dimension: number; size: number; padded_size: number; tile: number; cost_bytes: number; words: string }[];
    orders: { minor_to_major: number[]; tiled_bytes: number }[];
  }>;
  life: {
    start: Maybe<number>;
    end: Maybe<number>;
    steps: Maybe<number>;
    never_freed: boolean;
    untraced: boolean;
    tenancies: { start: number; end: number; offset_bytes: number; size_bytes: number }[];
  };
  uses: {
    first: Maybe<{ name: string; step: Maybe<number> }>;
    last: Maybe<{ name: string; step: Maybe<number> }>;
    count: number;
    ticks: number[];
    idle_from: Maybe<number>;
    idle_to: Maybe<number>;
    users: { name: string; opcode: string; step: Maybe<number>; shape: string }[];
    users_total: number;
  };
  before: Maybe<Neighbour>;
  after: Maybe<Neighbour>;
  shares: { buffer: number; name: string; shape: string }[];
  donated: Maybe<boolean>;
  alias: Maybe<boolean | string | { buffer: number; name: string }>;
  source: Maybe<{
    file: Maybe<string>;
    line: Maybe<number>;
    op_name: Maybe<string>;
    from: Maybe<string>;
    frames: { file: string; line: number; column: number; function: string }[];
    frames_cut: number;
    url: Maybe<string>;
  }>;
  links: { graph: Maybe<string | boolean>; trace: Maybe<string | boolean>; trace_reason: Maybe<string> };
}

export type Tree = Answers['memory/tree'];

export type WhatIf = Answers['memory/whatif'];

export interface Search {
  q: string;
  /** The operation that the text names, and what that is. */
  opcode: Maybe<string>;
  opcode_text: Maybe<string>;
  n: number;
  kind: ('buffer' | 'op' | 'module')[];
  name: string[];
  detail: Maybe<string>[];
  module: Maybe<string>[];
  /** Of an instruction: the largest it defines, or the one that its result lies in. */
  buffer: Maybe<number>[];
  /** Of an instruction without a buffer of its own: the name of that buffer. */
  held_by: Maybe<string>[];
  /** Of a buffer that was not found by its own name: the instruction that was. */
  holds: Maybe<string>[];
  instruction_id: Maybe<Big>[];
  space: Maybe<number>[];
  step: Maybe<number>[];
  size_bytes: Maybe<number>[];
  /** Of buffers: how far the peak of its space falls without it. */
  saving_bytes: Maybe<number>[];
  total: number;
  total_modules?: number;
  total_buffers?: number;
  total_ops?: number;
  /** Hits elsewhere: a count, or counts per space or module. */
  other_spaces: Maybe<number | { space: number; name?: string; count: number }[]>;
  other_modules: Maybe<number | { module: string; count: number }[]>;
}
