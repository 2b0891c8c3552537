/** The answer of graph/explain and explain (docs/API.md). Unknown numbers are null. */
import type { Peaks } from '../api/answers';

export type { Peaks };

export interface Neighbours {
  total: number;
  left_out?: number;
  id?: string[];
  name: string[];
  shape: string[];
  bytes: (number | null)[];
  space: string[];
  group?: string[];
  label?: string[];
}

export interface Layout {
  dims: number[];
  minor_to_major: number[];
  tiles: (number | null)[][];
  element_bits: number;
  unpadded_bytes: number;
  tiled_bytes: number;
  steps: { label: string; dims: number[]; words: string; bytes: number | null }[];
  cells: {
    rows: number[];
    columns: number[];
    row_size: number;
    column_size: number;
    row_extent: number;
    column_extent: number;
    offset: (number | null)[][];
  };
}

export interface Expected {
  flops: number | null;
  hbm_bytes: number | null;
  link_bytes: number | null;
  cycles: number | null;
  partial: boolean;
  collective: boolean;
  /** The vector units do the work: no matrix multiplication is in it. */
  vector: boolean;
  /** Of the unit that does the work, at the peaks as they were given. */
  work_peak_per_s: number | null;
  rule: string;
  traffic: { space: string[]; read_bytes: number[]; written_bytes: number[] };
  peaks: Peaks | null;
  chips: Peaks[];
}

export interface Contains {
  body: string | null;
  instructions: number | null;
  kinds: { opcode: string[]; count: number[]; others: number } | null;
  matmul: { name: string; is_convolution: boolean; batch: number; m: number; n: number; k: number; flops: number } | null;
  collective: { kind: string; hidden: boolean; name: string | null; words: string; groups: string | null; mesh: string | null } | null;
  note: string | null;
}

export interface Explanation {
  pasted: boolean;
  name: string;
  opcode: string;
  group: string;
  id?: string;
  line?: number | null;
  op_name?: string;
  computation?: string;
  module?: string;
  device_type?: string;
  text: {
    segments: { text: string[]; part: number[] };
    parts: { label: string[]; sentence: string[]; missing: boolean[] };
    left_out: number;
  };
  output: { shape: string; elements: number; bytes: number; unpadded_bytes: number | null; results: number; space: string };
  layout: Layout | null;
  expected: Expected;
  contains: Contains;
  /** Bytes of the kernel in its backend config; absent in pasted lines. */
  kernel_bytes?: number | null;
  sharding: { text: string; typed: boolean; words: string; global_dims: number[] | null; mesh: string | null } | null;
  operands: Neighbours;
  users?: Neighbours;
  repeats?: { total: number; left_out: number; id: string[]; name: string[]; cycles: (number | null)[] };
  source?: { file: string | null; line: number | null; frames: { file: string; line: number; function: string }[] };
}

/** graph/times, when the program ran under a trace. */
export interface Times {
  known: boolean;
  reason: string | null;
  ix?: number[];
  count?: number[];
  mean_ps?: (number | string)[];
  min_ps?: (number | string)[];
  max_ps?: (number | string)[];
  /** Of half an asynchronous pair: what the chip waits for it, at its done. */
  wait_mean_ps?: (number | null)[];
  done?: (string | null)[];
}
