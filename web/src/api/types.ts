/**
 * The answers of the HTTP API (docs/API.md), as TypeScript. Columns are arrays of equal length `n`; a `Name` is an
 * index into the `names` table of the same answer; unknown is null. Integers beyond 2^53 arrive as decimal strings.
 */

export type Big = number | string;
/** Index into `names` of the same answer. */
export type Name = number;
type Maybe<T> = T | null;

export interface ErrorBody {
  error: { code: string; message: string; where?: Maybe<string>; offset?: Maybe<Big> };
}

/** Body of a 202: the run is being read. */
export interface Progress {
  state: 'loading';
  what: string;
  done_bytes: number;
  total_bytes: number;
  percent: Maybe<number>;
}

export type ToolId = 'memory' | 'trace' | 'graph' | 'ops' | 'profile' | 'roofline' | 'doctor';

export interface ToolState {
  id: ToolId;
  title: string;
  available: boolean;
  reason: Maybe<string>;
}

export interface Status {
  name: string;
  version: string;
  api: number;
  root: string;
  generation: number;
  store: {
    memory_bytes: number;
    memory_limit_bytes: number;
    runs_loaded: number;
    runs_held: number;
    loads: number;
    evictions: number;
  };
  tools: ToolState[];
}

export interface Found {
  name: string;
  what: string;
}

export interface LookedFor {
  pattern: string;
  count: number;
}

export interface Scan {
  ms: number;
  folders: number;
  files: number;
  links_skipped: number;
  unreadable_folders: number;
  /** Text that names the limit the scan stopped at, or null. */
  limit: Maybe<string>;
}

export type RunKind = 'profile' | 'dump' | 'file';

export interface Runs {
  generation: number;
  /** True when `since` was given and nothing changed; then only `generation` is there. */
  unchanged?: boolean;
  root: string;
  root_problem: Maybe<string>;
  scan: Scan;
  n: number;
  id: string[];
  folder: string[];
  name: string[];
  kind: RunKind[];
  mtime_ms: number[];
  size_bytes: number[];
  hosts: string[][];
  problem: Maybe<string>[];
  /** Runs beyond the list. */
  left_out?: number;
  found: Found[];
  looked_for: LookedFor[];
}

export interface PlaneLine {
  name: string;
  events: number;
  offset_bytes: Maybe<number>;
  size_bytes: Maybe<number>;
}

export interface Plane {
  name: string;
  lines: PlaneLine[];
  events: number;
  offset_bytes?: Maybe<number>;
  size_bytes?: Maybe<number>;
}

export interface Host {
  name: string;
  file: string;
  size_bytes: number;
  format: string;
  complete: boolean;
  read_until_bytes: Maybe<number>;
  whole_bytes: Maybe<number>;
  error: Maybe<string>;
  planes: Plane[];
  hostnames: string[];
  errors: string[];
  warnings: string[];
  /** What was noticed while the file was read. */
  reading?: Warning[];
  planes_left_out?: number;
}

export type Severity = 'error' | 'warning' | 'note';

export interface Warning {
  severity: string;
  code: string;
  text: string;
  offset: Maybe<Big>;
  count: number;
}

export interface Run {
  id: string;
  kind: RunKind;
  platform: Maybe<string>;
  device_type: Maybe<string>;
  device_count: Maybe<number>;
  capacity_bytes: Maybe<number>;
  capacity_from: Maybe<string>;
  hosts: Host[];
  tools: ToolState[];
  modules: {
    n: number;
    key: string[];
    name: string[];
    program_id: Maybe<Big>[];
    hosts: number[][];
    run_count: Maybe<number>[];
    proto_bytes: Maybe<number>[];
    failed_to_compile: boolean[];
  };
  error_text: Maybe<string>;
  warnings: Warning[];
}

export interface Split {
  argument_bytes: number;
  output_bytes: number;
  alias_bytes: number;
  constant_bytes: number;
  thread_local_bytes: number;
  temp_bytes: number;
  untraced_bytes: Maybe<number>;
  fragmentation_bytes: Maybe<number>;
  padding?: Maybe<{
    argument_bytes: Maybe<number>;
    output_bytes: Maybe<number>;
    constant_bytes: Maybe<number>;
    temp_bytes: Maybe<number>;
  }>;
}

export interface CardProblem {
  severity: string;
  text: string;
}

export interface Card {
  id: string;
  kind: RunKind;
  platform: Maybe<string>;
  device_type: Maybe<string>;
  device_count: Maybe<number>;
  hosts: string[];
  module: Maybe<string>;
  module_name: Maybe<string>;
  other_modules: number;
  peak_bytes: Maybe<number>;
  peak_space: Maybe<string | number>;
  capacity_bytes: Maybe<number>;
  capacity_from: Maybe<string>;
  split: Maybe<Split>;
  curve: Maybe<{ n: number; min: number[]; max: number[]; resident_bytes: number }>;
  steps: Maybe<number>;
  instructions: Maybe<number>;
  /** Per tool: null when the run holds what the tool needs, otherwise the reason why not. */
  holds: { memory: Maybe<string>; trace: Maybe<string>; graph: Maybe<string> };
  problem: Maybe<CardProblem>;
  problems: number;
  files: { name: string; size_bytes: number }[];
  files_left_out?: number;
}

export interface Modules {
  n: number;
  key: string[];
  name: string[];
  program_id: Maybe<Big>[];
  hosts: number[][];
  run_count: Maybe<number>[];
  instructions: Maybe<number>[];
  buffers: Maybe<number>[];
  peak_bytes: Maybe<number>[];
  peak_space: Maybe<string | number>[];
  argument_bytes: Maybe<number>[];
  output_bytes: Maybe<number>[];
  alias_bytes: Maybe<number>[];
  constant_bytes: Maybe<number>[];
  temp_bytes: Maybe<number>[];
  fragmentation_bytes: Maybe<number>[];
  failed_to_compile: boolean[];
  error: Maybe<string>[];
  spaces: {
    n: number;
    /** Index of the module in the columns above. */
    module: number[];
    color: number[];
    name: string[];
    peak_bytes: Maybe<number>[];
    reserved_bytes: Maybe<number>[];
    argument_bytes: Maybe<number>[];
    output_bytes: Maybe<number>[];
    temp_bytes: Maybe<number>[];
  };
  default_module: Maybe<string>;
  capacity_bytes: Maybe<number>;
}

export interface SpaceSummary {
  color: number;
  name: string;
  peak_bytes: number;
  reserved_bytes: Maybe<number>;
  argument_bytes: number;
  output_bytes: number;
  constant_bytes: number;
  temp_bytes: number;
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
  headroom_bytes: Maybe<number>;
  peak: {
    bytes: number;
    unpadded_bytes: Maybe<number>;
    step: Maybe<number>;
    instruction: Maybe<string>;
    instruction_id: Maybe<Big>;
    opcode: Maybe<string>;
    live_temp_bytes: Maybe<number>;
  };
  split: Split;
  resident_bytes: number;
  resident_unpadded_bytes: Maybe<number>;
  heap_bytes: number;
  reserved_bytes: Maybe<number>;
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
}

export interface Steps {
  from: number;
  n: number;
  /** 0 alloc, 1 free, 2 share. */
  kind: (0 | 1 | 2)[];
  running: Maybe<Name>[];
  buffer: number[];
  buffer_name: Name[];
  opcode: Maybe<Name>[];
  bytes: number[];
  /** Live after minus live before. */
  change: number[];
  /** Where it is freed or was allocated. */
  other_step: Maybe<number>[];
  names: string[];
}

export interface Scopes {
  source: 'op_name' | 'none';
  n: number;
  from: number[];
  to: number[];
  name: Name[];
  names: string[];
}

export interface MapBoxes {
  from: number;
  to: number;
  heap_bytes: number;
  heaps: { allocation: number; base_bytes: number; size_bytes: number }[];
  n: number;
  tenancy: number[];
  buffer: number[];
  start: number[];
  end: number[];
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
    start: number[];
    end: number[];
    offset_bytes: number[];
    size_bytes: number[];
    count: number[];
    group: Name[];
  };
  merged_count: number;
  limit: Maybe<number>;
}

export interface Live {
  step: number;
  count: number;
  bytes: number;
  total_unpadded_bytes: Maybe<number>;
  n: number;
  buffer: number[];
  tenancy: Maybe<number>[];
  name: Name[];
  shape: Name[];
  class: Name[];
  group: Name[];
  size_bytes: number[];
  unpadded_bytes: Maybe<number>[];
  saving_bytes: Maybe<number>[];
  start: Maybe<number>[];
  end: Maybe<number>[];
  offset_bytes: Maybe<number>[];
  names: string[];
  small: { count: number; bytes: number; unpadded_bytes: Maybe<number> };
  rest: { count: number; bytes: number };
}

export interface DiffSide {
  n: number;
  buffer: number[];
  name: Name[];
  shape: Name[];
  size_bytes: number[];
}

export interface Diff {
  a: number;
  b: number;
  bytes_a: number;
  bytes_b: number;
  only_a: DiffSide;
  only_b: DiffSide;
  names: string[];
  only_a_bytes: number;
  only_b_bytes: number;
  both_bytes: number;
  limit: Maybe<number>;
}

export interface Range {
  from: number;
  to: number;
  max_bytes: number;
  max_step: number;
  min_bytes: number;
  min_step: number;
  allocated: { count: number; bytes: number };
  freed: { count: number; bytes: number };
  largest: { n: number; buffer: number[]; name: Name[]; size_bytes: number[] };
  names: string[];
}

export interface Buffers {
  total: number;
  bytes: number;
  total_unpadded_bytes: Maybe<number>;
  matched: number;
  matched_bytes: number;
  folded: { count: number; bytes: number };
  offset: number;
  n: number;
  buffer: number[];
  id: Big[];
  name: Name[];
  shape: Name[];
  dtype: Maybe<Name>[];
  class: Name[];
  group: Name[];
  opcode: Maybe<Name>[];
  scope: Maybe<Name>[];
  op_name: Maybe<Name>[];
  source: Maybe<Name>[];
  size_bytes: number[];
  unpadded_bytes: Maybe<number>[];
  padding_bytes: Maybe<number>[];
  saving_bytes: Maybe<number>[];
  start: Maybe<number>[];
  end: Maybe<number>[];
  first_use: Maybe<number>[];
  last_use: Maybe<number>[];
  offset_bytes: Maybe<number>[];
  names: string[];
  groups?: {
    n: number;
    name: (Name | string)[];
    count: number[];
    bytes: number[];
    padding_bytes: Maybe<number>[];
    saving_bytes: Maybe<number>[];
  };
}

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

export interface Tree {
  step: number;
  total_bytes: number;
  n: number;
  name: Name[];
  parent: number[];
  depth: number[];
  bytes: number[];
  padding_bytes: Maybe<number>[];
  count: number[];
  group: (Name | string)[];
  names: string[];
  limit: Maybe<number>;
}

export interface WhatIf {
  saving_bytes: number;
  new_peak_bytes: number;
  new_step: Maybe<number>;
  count: number;
}

export interface Search {
  q: string;
  n: number;
  kind: ('buffer' | 'op' | 'module')[];
  name: string[];
  detail: Maybe<string>[];
  module: Maybe<string>[];
  buffer: Maybe<number>[];
  instruction_id: Maybe<Big>[];
  space: Maybe<number>[];
  step: Maybe<number>[];
  size_bytes: Maybe<number>[];
  total: number;
  /** Hits elsewhere: a count, or counts per space or module. */
  other_spaces: Maybe<number | { space: number; name?: string; count: number }[]>;
  other_modules: Maybe<number | { module: string; count: number }[]>;
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
