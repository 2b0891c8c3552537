// Made from the declarations of the tools (src/tools): XPD_UPDATE=1 ctest -R unit_tools_api_doc writes it anew.

export type Maybe<T> = T | null;
/** An index into `names` of the same answer; 0 is "". */
export type Name = number;
/** A table: a column of `n` values for each field of a row. */
export type Columns<Row> = { n: number } & { [Key in keyof Row]: Row[Key][] };

export interface MemoryStepsRow {
  /** 0 allocates, 1 frees, 2 shares a storage; others as in the file */
  kind: number;
  /** instruction that runs; for a free the last that allocated */
  running: Name;
  /** that is allocated, freed or shared */
  buffer: Maybe<number>;
  buffer_name: Name;
  /** of the running instruction */
  opcode: Name;
  /** of the buffer */
  size_bytes: Maybe<number>;
  /** live after minus live before */
  change_bytes: number;
  /** where this value is freed, or was allocated or shared; null: it is not */
  other_step: Maybe<number>;
}

export interface MemorySteps extends Columns<MemoryStepsRow> {
  /** first step */
  from: number;
  /** step after the last one */
  to: number;
}

export interface MemoryDiffRow {
  buffer: Maybe<number>;
  /** of the buffer */
  name: Name;
  /** without layout */
  shape: Name;
  /** held at that step */
  size_bytes: number;
}

export interface BytesSum {
  /** how many */
  count: number;
  /** their sizes added up */
  size_bytes: number;
}

export interface MemoryDiffSide extends Columns<MemoryDiffRow> {
  /** those not listed */
  rest: BytesSum;
}

export interface MemoryDiff {
  /** a step */
  a: number;
  /** the other one */
  b: number;
  /** held after a */
  a_bytes: number;
  /** held after b */
  b_bytes: number;
  /** held at a and not at b */
  only_a: MemoryDiffSide;
  /** held at b and not at a */
  only_b: MemoryDiffSide;
  /** of all of them, listed or not */
  only_a_bytes: number;
  /** likewise */
  only_b_bytes: number;
  /** held at both, as large as at a, residents included */
  both_bytes: number;
  /** what storages held at both took in between, by larger values that joined them */
  both_grown_bytes: number;
  /** held by several rows at once, as in memory/live */
  overlap_a_bytes: number;
  /** likewise */
  overlap_b_bytes: number;
  /** rows of a side, 1,000 */
  limit: number;
}

export interface MemoryRangeRow {
  /** the value that began it */
  buffer: number;
  /** of the buffer */
  name: Name;
  size_bytes: number;
}

export interface MemoryRange {
  /** first step */
  from: number;
  /** step after the last one */
  to: number;
  /** most that is held after one of its steps, residents included */
  max_bytes: number;
  /** first step with it */
  max_step: number;
  /** least, residents included */
  min_bytes: number;
  /** first step with it */
  min_step: number;
  /** lifetimes that begin in it, at their full size */
  allocated: BytesSum;
  /** lifetimes that end in it, likewise */
  freed: BytesSum;
  /** of those that begin in it, at most 12 */
  largest: Columns<MemoryRangeRow>;
}

export interface Peaks {
  /** its name */
  device: string;
  /** of its matrix units */
  flops_per_s: Maybe<number>;
  /** of its main memory */
  hbm_bytes_per_s: Maybe<number>;
  /** of all its links together */
  link_bytes_per_s: Maybe<number>;
  /** of its cores */
  clock_hz: Maybe<number>;
  /** who says so */
  source: Maybe<string>;
}

export interface OpsRow {
  /** of the instruction */
  name: string;
  /** key of its program */
  module: string;
  opcode: string;
  /** executions */
  count: number;
  /** of all executions */
  total_ps: number;
  /** total less what ran nested in it */
  self_ps: number;
  /** of the self time of all operations */
  self_share: number;
  /** self time of one execution */
  mean_ps: number;
  /** what the chips waited for the asynchronous pair that it is half of */
  wait_total_ps: Maybe<number>;
  /** of one execution, as graph/explain computes it */
  flops: Maybe<number>;
  /** of one execution, likewise */
  hbm_bytes: Maybe<number>;
  /** what one execution should take at the peaks; null for loops, calls, collectives and asynchronous halves */
  roofline_ps: Maybe<number>;
  /** roofline over mean */
  roofline_share: Maybe<number>;
  /** self time beyond the roofline of all executions */
  lost_ps: Maybe<number>;
  /** what sets its roofline */
  bound: Maybe<'compute' | 'HBM' | 'link'>;
  /** file and line of the model's code, "" unknown */
  source: string;
}

export interface Ops {
  /** times are known of one program at least */
  known: boolean;
  /** why not */
  reason: Maybe<string>;
  /** of all times */
  clock: Maybe<'device' | 'host' | 'mixed'>;
  /** whose times these are; null: those of several programs, each of its first host */
  host: Maybe<string>;
  /** that ran one of the programs too: their times are not in this answer */
  other_hosts: string[];
  /** of the device */
  peaks: Maybe<Peaks>;
  /** operations are faster than a peak: by how much, what the table of chips says, and how to give the right one */
  peaks_problem: Maybe<string>;
  /** with times */
  programs: number;
  /** of all operations */
  self_ps: number;
  /** operations, listed or not */
  total: number;
  /** of the first that is listed */
  offset: number;
  /** the operations */
  ops: Columns<OpsRow>;
}

/** The answer of each route below /api/v1/. */
export interface Answers {
  'memory/steps': MemorySteps & { names: string[] };
  'memory/diff': MemoryDiff & { names: string[] };
  'memory/range': MemoryRange & { names: string[] };
  'trace/ops': Ops;
}
