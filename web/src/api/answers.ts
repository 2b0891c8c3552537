// Made from the declarations of the tools (src/tools): XPD_UPDATE=1 ctest -R unit_tools_api_doc writes it anew.

export type Maybe<T> = T | null;
/** An index into `names` of the same answer; 0 is "". */
export type Name = number;
/** A table: a column of `n` values for each field of a row. */
export type Columns<Row> = { n: number } & { [Key in keyof Row]: Row[Key][] };

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
  'trace/ops': Ops;
}
