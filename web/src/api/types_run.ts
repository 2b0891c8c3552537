/** Answers about the list of runs, one run and its modules. */

import type { Maybe, ToolState } from './answers';

export type { Maybe, Name } from './answers';
export type Big = number | string;

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

export type ToolId = ToolState['id'];

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

export type RunKind = 'profile' | 'dump' | 'file' | 'heap';

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
  /** What it is called beside the others: the least of its id that no other has. */
  label: string[];
  /** Of a dump: the run of the same experiment that it stands below. */
  lead: Maybe<string>[];
  kind: RunKind[];
  mtime_ms: number[];
  size_bytes: number[];
  /** Another one when files of the run changed. */
  fingerprint: string[];
  hosts: string[][];
  problem: Maybe<string>[];
  /** Runs not listed. */
  left_out?: number;
  found: Found[];
  looked_for: LookedFor[];
  samples: Sample[];
}

/** A profile in the program itself; its id is taken as `run`, and it is in no list of runs. */
export interface Sample {
  id: string;
  title: string;
  shows: string;
  size_bytes: number;
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

export interface Warning {
  severity: string;
  code: string;
  text: string;
  offset: Maybe<Big>;
  count: number;
}

export interface Run {
  id: string;
  label: string;
  kind: RunKind;
  /** Of the files that were read. */
  fingerprint: string;
  platform: Maybe<string>;
  device_type: Maybe<string>;
  /** Of the compiler. */
  versions: Maybe<string>;
  device_count: Maybe<number>;
  capacity_bytes: Maybe<number>;
  capacity_from: Maybe<string>;
  capacity_unknown: Maybe<string>;
  hosts: Host[];
  /** Names of those that `only` left out. */
  hosts_left_out?: string[];
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
  /** Live at the peak; null where no heap event says what is. */
  temp_bytes: Maybe<number>;
  /** Reserved less live at the peak; null where that is unknown. */
  fragmentation_bytes: Maybe<number>;
  /** In the heap, without events: counted in fragmentation. */
  untraced_bytes: Maybe<number>;
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
  /** The compiler's or reader's own words, where the text is another. */
  detail?: Maybe<string>;
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
  capacity_unknown: Maybe<string>;
  /** Of a dump beside another run: whether both hold the same program; null when it is not known. */
  same_program: Maybe<boolean>;
  split: Maybe<Split>;
  curve: Maybe<{ n: number; min: number[]; max: number[]; resident_bytes: number }>;
  steps: Maybe<number>;
  instructions: Maybe<number>;
  events: number;
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
  heap_bytes: Maybe<number>[];
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
    alias_bytes: Maybe<number>[];
    constant_bytes: Maybe<number>[];
    heap_bytes: Maybe<number>[];
    /** Live at the peak: argument + output - alias + constant + this = peak. */
    temp_bytes: Maybe<number>[];
    /** peak + this = reserved. */
    fragmentation_bytes: Maybe<number>[];
    /** Outside of what is reserved. */
    thread_local_bytes: Maybe<number>[];
  };
  default_module: Maybe<string>;
  capacity_bytes: Maybe<number>;
}
