/** Answer of /api/v1/memory/whatif with a plan. */
import type { Maybe } from '../api/types';

export interface Tried {
  n: number;
  buffer: number[];
  count: number[];
  changed: number[];
  action: string[];
  impossible: Maybe<string>[];
  adds_bytes: number[];
  alone_bytes: number[];
  bytes: number[];
  moved_bytes: number[];
  recomputed_bytes: number[];
  flops: Maybe<number>[];
}

export interface Plan {
  saving_bytes: number;
  new_peak_bytes: number;
  new_step: Maybe<number>;
  count: number;
  resident_bytes: number;
  heap_at_least_bytes: number;
  moved_bytes: number;
  program_flops: Maybe<number>;
  rows: Tried;
  try: Tried;
  menu?: Tried;
  peaks_total: number;
  peaks: { step: number; bytes: number; now_bytes: number; instruction: Maybe<string> }[];
  curve: Maybe<{ n: number; first_step: number[]; min_bytes: number[]; max_bytes: number[] }>;
}

/** Of /api/v1/memory/whatif/held. */
export interface ChangedSteps {
  steps: {
    step: number;
    now_bytes: number;
    bytes: number;
    groups_total?: number;
    groups?: { shape: string; class: string; group: Maybe<string>; buffer: number; count: number; bytes: number }[];
    buffers?: { n: number; left_out: number; buffer: number[]; now_bytes: number[]; bytes: number[] };
  }[];
}
