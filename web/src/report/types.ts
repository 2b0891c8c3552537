/** Answers of /api/v1/report/…, as docs/API.md states them. */
export interface AskedStep {
  from: number | null;
  to: number | null;
  step: number | null;
}

/** Bytes at the steps that were asked for, at the peak, and along the program. */
export interface Values {
  at: number[];
  peak: number;
  curve: number[];
}

interface Steps {
  steps: AskedStep[];
  peak_step: number | null;
  columns: number[];
}

export interface DetailRow extends Values {
  id: string;
  parent: string | null;
  label: string;
  what: string;
  opens: boolean;
}

export interface Details extends Steps {
  step_count: number;
  heap_bytes: number;
  rows: DetailRow[];
}

export interface AreaGroup extends Values {
  name: string;
  joined: number;
}

export interface Areas extends Steps {
  by: string;
  resident_bytes: number;
  reserved_bytes: number;
  peak_bytes: number;
  total: number[];
  overlap: number[];
  groups: AreaGroup[];
}

/** Measured times of the instructions of each group, where they were asked for. */
export interface Times {
  known: boolean;
  reason: string | null;
  host: string | null;
  clock: 'device' | 'host' | 'mixed' | null;
  total_ps: number;
}

export interface GroupRow extends Values {
  name: string;
  self_ps?: number;
  executions?: number;
  /** What chips waited for pairs with a half in the group. */
  wait_ps?: number;
  held: number[];
  instructions?: number;
  origin?: string;
  /** Lists of element types of what its instructions read and write, the most frequent first. */
  types?: { text: string; count: number }[];
  types_left_out?: number;
  /** Those of the instruction that defines a buffer. */
  operand_types?: string | null;
  /** First values of a constant; null: the profile does not hold them; absent: it is no constant. */
  literal?: { text: string; shown: number; count: number } | null;
  buffer?: number | null;
  tenancy?: number | null;
  offset_bytes?: number | null;
  start?: number | null;
  end?: number | null;
  instruction?: string | null;
  shape?: string;
  row?: string;
  fused?: number;
  /** Computation inside of the instruction. */
  body?: string | null;
}

export interface Groups extends Steps {
  times: Times | null;
  total: Values;
  live: number[];
  n: number;
  rows: GroupRow[];
  left_out: number;
  rest: Values;
}

interface HeapRows {
  n: number;
  tenancy: (number | null)[];
  buffer: (number | null)[];
  offset_bytes: number[];
  size_bytes: number[];
  unpadded_bytes: number[];
  start: number[];
  end: number[];
  name: number[];
  shape: number[];
  row: number[];
  left_out: number;
  left_out_bytes: number;
}

export interface Heap extends HeapRows {
  /** How many ever lie on some byte of the box, itself included. */
  tenants: number[];
  step: number | null;
  heap_bytes: number;
  live_bytes: number;
  resident_bytes: number;
  top_bytes: number;
  holes_bytes: number;
  above_bytes: number;
  idle_bytes: number;
  tenancies: number;
  holes: { n: number; offset_bytes: number[]; size_bytes: number[]; left_out: number; left_out_bytes: number; largest: { offset_bytes: number; size_bytes: number } | null };
  residents: HeapRows;
  names: string[];
}

export interface PlaceList {
  count: number;
  bytes: number;
  all: number[];
  n: number;
  tenancy: number[];
  buffer: number[];
  start: number[];
  end: number[];
  offset_bytes: number[];
  size_bytes: number[];
  name: number[];
  row: number[];
}

export interface Place {
  step: number | null;
  address: number;
  tenants: PlaceList;
  pinned: {
    tenancy: number;
    buffer: number;
    name: string;
    instruction: string | null;
    shape: string;
    row: string;
    offset_bytes: number;
    end_bytes: number;
    size_bytes: number;
    start: number;
    end: number;
    saving_bytes: number;
  } | null;
  conflicts: PlaceList | null;
  before: PlaceList | null;
  names: string[];
}

export interface TransferRow extends Values {
  name: string;
  self_ps?: number;
  executions?: number;
  /** What chips waited for pairs with a half in the group. */
  wait_ps?: number;
  kind: string;
  from: string;
  to: string;
  count: number;
  of_program: number;
  operand_bytes: number;
  result_bytes: number;
  each: { name: string; operand: string | null; shape: string; of_program: boolean; groups: string | null; groups_words: string | null }[];
}

export interface Transfers extends Steps {
  times: Times | null;
  n: number;
  rows: TransferRow[];
  left_out: number;
  /** Of all groups, listed or not. */
  total: Values & Pick<TransferRow, 'count' | 'of_program' | 'operand_bytes' | 'result_bytes'>;
}

export type ChosenStateId = 'live' | 'always' | 'no_events' | 'never' | 'elsewhere';

export interface PlotRow extends Values {
  buffer: number;
  name: string;
  instruction: string | null;
  shape: string;
  row: string;
  tenancy: number | null;
  state: ChosenStateId;
  /** Place of an earlier one with the same storage. */
  same_as: number | null;
  size_bytes: number;
  unpadded_bytes: number;
}

export interface Plot extends Steps {
  step_count: number;
  heap_bytes: number;
  peak_bytes: number;
  rows: PlotRow[];
  total: Values;
  pieces: { n: number; of: number[]; from: number[]; to: number[]; size_bytes: number[]; offset_bytes: (number | null)[]; left_out: number };
}
