/** Findings of a program (/api/v1/doctor). */
import type { Maybe } from './types_run';

export interface Finding {
  id: string;
  name: string;
  severity: 'error' | 'warn' | 'info';
  confidence: 'fact' | 'likely' | 'hint';
  space: Maybe<number>;
  space_name: Maybe<string>;
  claim: string;
  advice: string;
  wrong_when: Maybe<string>;
  place: Maybe<string>;
  instruction: Maybe<string>;
  op_name: Maybe<string>;
  source: Maybe<{ file: string; line: Maybe<number> }>;
  bytes: number;
  /** How far the peak falls when `action` is done to the buffers. */
  saving_bytes: Maybe<number>;
  action: Maybe<string>;
  new_peak_bytes: Maybe<number>;
  new_step: Maybe<number>;
  fits_then: Maybe<boolean>;
  kind: 'memory' | 'time';
  /** What findings are ranked by: the saving as a share of `share_of`. */
  share: Maybe<number>;
  share_of: Maybe<string>;
  /** Of time: what a run or step that takes `of_ps` would win at most. */
  saving_ps: Maybe<number>;
  of_ps: Maybe<number>;
  /** Why the saving is not all that the finding is about. */
  saving_note: Maybe<string>;
  /** Findings (places in the list) that change the same buffers: savings do not add up. */
  overlaps: number[];
  buffer_count: number;
  buffers: number[];
  buffers_left_out: number;
  /** What to show a reader: the buffers, or the arguments that should be donated; at most 60. */
  listed: { what: 'buffer' | 'argument'; count: number; buffer: number[]; name: string[] };
  largest: Maybe<string>;
  largest_shape: Maybe<string>;
  silenced: Maybe<string>;
}

/** A threshold that is not as docs/CI.md lists it. */
export interface Setting {
  name: string;
  value: number;
  default: number;
  unit: 'share' | 'bytes' | 'count';
  help: string;
}

export interface Doctor {
  schema: 1;
  capacity_bytes: Maybe<number>;
  capacity_from: Maybe<string>;
  capacity_unknown: Maybe<string>;
  space: Maybe<number>;
  peak_bytes: Maybe<number>;
  peak_step: Maybe<number>;
  rules_checked: number;
  not_judged: Maybe<string>;
  time: { known: boolean; reason: Maybe<string>; not_judged: Maybe<string> };
  found: number;
  silenced: number;
  /** How many a page shows before it folds. */
  shown: number;
  settings: Setting[];
  findings: Finding[];
}
