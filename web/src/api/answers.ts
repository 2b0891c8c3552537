// Made from the declarations of the tools (src/tools): XPD_UPDATE=1 ctest -R unit_tools_api_doc writes it anew.

export type Maybe<T> = T | null;
/** An index into `names` of the same answer; 0 is "". */
export type Name = number;
/** A table: a column of `n` values for each field of a row. */
export type Columns<Row> = { n: number } & { [Key in keyof Row]: Row[Key][] };

export interface StatusStore {
  /** that runs take */
  memory_bytes: number;
  /** limit of that memory */
  memory_limit_bytes: number;
  runs_loaded: number;
  /** number of these in use now */
  runs_held: number;
  /** loads since the start */
  loads: number;
  /** runs removed for others */
  evictions: number;
}

export interface ToolState {
  id: 'overview' | 'memory' | 'trace' | 'graph' | 'ops' | 'roofline' | 'input' | 'doctor';
  /** title on the page */
  title: string;
  available: boolean;
  /** why not */
  reason: Maybe<string>;
}

export interface Status {
  /** xprofd */
  name: string;
  version: string;
  /** commit, processor, kind of link */
  build: string;
  /** version of the API */
  api: number;
  /** folder served */
  root: string;
  /** generation of the list of runs */
  generation: number;
  store: StatusStore;
  /** of the page */
  tools: ToolState[];
}

export interface RunsScan {
  /** how long the scan took */
  took_ms: number;
  /** folders read */
  folders: number;
  /** files seen */
  files: number;
  /** symbolic links that lead back or out of the root */
  links_skipped: number;
  unreadable_folders: number;
  /** the limit that the scan stopped at, and the option that raises it */
  limit: Maybe<string>;
}

export interface RunsRow {
  /** the parameter `run` of other routes */
  id: string;
  /** `id` without its last part; "" at the top */
  folder: string;
  /** the last part of `id` */
  name: string;
  /** the shortest suffix of `id` that is unique */
  label: string;
  /** of a dump: `id` of the profile of the same experiment */
  lead: Maybe<string>;
  kind: 'profile' | 'dump' | 'file' | 'heap';
  /** time of the newest file, since 1970 */
  mtime_ms: number;
  /** of all files */
  size_bytes: number;
  /** 16 hexadecimal digits; changes when a file of the run does */
  fingerprint: string;
  /** names of the hosts */
  hosts: string[];
  /** why a file cannot be opened */
  problem: Maybe<string>;
}

export interface FoundFile {
  /** path below the root */
  name: string;
  /** kind of file, and why it does not open */
  what: string;
}

export interface LookedFor {
  /** of file names */
  pattern: string;
  /** inputs it matched */
  count: number;
}

export interface SampleRow {
  /** value for `run` */
  id: string;
  title: string;
  /** one sentence */
  shows: string;
  size_bytes: number;
}

export interface Runs extends Columns<RunsRow> {
  /** of the list; the parameter `since` */
  generation: number;
  /** `since` equals `generation`, so the lists below are empty */
  unchanged: boolean;
  /** the scanned folder, as given on the command line */
  root: string;
  /** why it cannot be read */
  root_problem: Maybe<string>;
  scan: RunsScan;
  /** runs beyond the first 20,000 */
  left_out: number;
  /** files similar to a profile that do not open, at most 100 */
  found: FoundFile[];
  /** file patterns that the scan accepts */
  looked_for: LookedFor[];
  /** profiles built into the program; not in the list of runs */
  samples: SampleRow[];
}

export interface LineShown {
  name: string;
  /** how many */
  events: number;
  /** offset in the file */
  offset_bytes: number;
  size_bytes: number;
}

export interface PlaneShown {
  name: string;
  /** at most 512 */
  lines: LineShown[];
  lines_left_out: number;
  /** how many */
  events: number;
  /** offset in the file */
  offset_bytes: number;
  size_bytes: number;
}

export interface WarningRow {
  severity: 'note' | 'warning' | 'error';
  /** one word for the kind */
  code: string;
  /** one sentence */
  text: string;
  /** byte in the file */
  offset: Maybe<number>;
  /** number of occurrences; `text` is from the first */
  count: number;
}

export interface HostShown {
  /** "" for a dump */
  name: string;
  file: string;
  size_bytes: number;
  /** of the file, since 1970; null in a report file */
  mtime_ms: Maybe<number>;
  format: 'xplane' | 'hlo_proto' | 'pprof' | 'hlo_text' | 'error_text';
  /** the file was read to its end without damage */
  complete: boolean;
  /** of a profile: offset where reading ended */
  read_until_bytes: Maybe<number>;
  /** of a profile: the size that its length fields promise */
  whole_bytes: Maybe<number>;
  /** why it could not be read */
  error: Maybe<string>;
  /** at most 256 */
  planes: PlaneShown[];
  planes_left_out: number;
  /** in the profile, at most 64 */
  hostnames: string[];
  /** errors recorded by the profiler, at most 64 */
  errors: string[];
  /** errors recorded by the profiler, at most 64 */
  warnings: string[];
  /** warnings from reading the file */
  reading: WarningRow[];
}

export interface RunModule {
  /** the parameter `module` */
  key: string;
  name: string;
  program_id: string;
  /** indexes in `hosts` */
  hosts: number[];
  /** how often it ran */
  run_count: Maybe<number>;
  /** events name it, also where they do not tell how often it ran */
  ran: boolean;
  /** size of its HLO */
  proto_bytes: number;
  failed_to_compile: boolean;
}

export interface RunShown {
  id: string;
  /** the shortest suffix of `id` that is unique */
  label: string;
  kind: 'profile' | 'dump' | 'file' | 'heap';
  /** changes when a file does; null in a report file */
  fingerprint: Maybe<string>;
  /** `tpu`, `gpu`, `cpu` */
  platform: Maybe<string>;
  /** `TPU v6 Lite`, ... */
  device_type: Maybe<string>;
  /** of the compiler */
  versions: Maybe<string>;
  device_count: number;
  /** of the memory space, on one device */
  capacity_bytes: Maybe<number>;
  /** where the value comes from */
  capacity_from: Maybe<string>;
  /** why it is unknown */
  capacity_unknown: Maybe<string>;
  /** one for each file */
  hosts: HostShown[];
  /** hosts that `only` leaves out */
  hosts_left_out: string[];
  /** availability of each tool */
  tools: ToolState[];
  /** by key */
  modules: Columns<RunModule>;
  /** of a dump that did not compile, the first 8,000 bytes */
  error_text: Maybe<string>;
  /** of the whole run */
  warnings: WarningRow[];
}

export interface OverviewStep {
  /** what a step is here: marked by the framework, a run of a program, an equal part of the trace */
  what: 'markers' | 'runs' | 'windows';
  /** what one is called, here and on the page */
  unit: 'step' | 'run' | 'window';
  /** the same in words */
  sentence: string;
  /** different numbers of steps */
  steps: number;
  /** steps of all chips together that this is about, the basis of means */
  count: number;
  /** of all of them */
  total_ps: number;
  mean_ps: number;
  /** of the `count` steps, as are the next three */
  min_ps: number;
  /** nearest rank, as is p99 */
  p50_ps: number;
  /** null below 100 steps */
  p99_ps: Maybe<number>;
  max_ps: number;
  /** why there is no p99, or no spread at all; null: both exist */
  no_spread: Maybe<string>;
  /** steps that are 5 % longer or shorter than p50, by the mean of chips; 0 of one step */
  outliers: number;
  /** the values of both clocks if they differ by more than 5 % in some step; null: they agree */
  clocks: Maybe<string>;
  /** steps of one chip overlap: how many; null: they do not */
  overlap: Maybe<string>;
  /** mean from the end of a step to the start of the next on the same chip */
  gap_ps: Maybe<number>;
  /** part of the gap in which the chip is idle; other programs may run between steps */
  gap_idle_ps: Maybe<number>;
  /** the one step of all numbers below; null: all steps */
  selected: Maybe<number>;
  /** the one process of all numbers below; null: all */
  chip: Maybe<number>;
}

export interface OverviewVerdict {
  /** what may bind a step */
  kind: 'communication' | 'memory' | 'compute' | 'host' | 'input';
  says: 'yes' | 'no' | 'partly' | 'unknown';
  /** of a mean step; for an unknown one a lower bound */
  share: Maybe<number>;
  /** share from which the verdict is yes */
  limit: number;
  /** the same as a time */
  mean_ps: Maybe<number>;
  /** the number in words, or what is missing */
  text: string;
  /** for input: host of the threads; null: another verdict */
  host: Maybe<string>;
}

export interface OverviewLoss {
  kind: 'idle' | 'copies_in' | 'copies_out' | 'copies' | 'collectives' | 'infeed' | 'waits' | 'compute_loss' | 'memory_loss' | 'latency' | 'not_judged' | 'roofline';
  /** text beside the bar */
  label: string;
  /** of all steps; all rows add up to the time of the steps */
  total_ps: number;
  mean_ps: number;
  /** of a step */
  share: number;
  /** operations in it */
  ops: number;
  /** why there is no known roofline; for a loss: why it is wrong */
  why: Maybe<string>;
}

export interface OverviewWin {
  /** of the operation */
  name: string;
  /** key of its program; null: not in the profile */
  module: Maybe<string>;
  /** kind of work, which sets the colour */
  group: string;
  /** the chip waits in it */
  wait: boolean;
  /** executions in the steps */
  count: number;
  /** self time in a mean step */
  mean_ps: number;
  /** saving of a mean step; null: its roofline is unknown */
  win_ps: Maybe<number>;
  /** win_ps is the whole wait, an upper bound */
  at_most: boolean;
  /** what sets its roofline, wait, or latency; null: unknown */
  bound: Maybe<string>;
  /** share of its roofline reached */
  roofline_share: Maybe<number>;
  /** bytes of a transfer divided by the time the chip waits for it; null below 10 µs */
  moved_bytes_per_s: Maybe<number>;
}

export interface OverviewChip {
  /** of trace/rows, for the same hosts */
  process: number;
  /** TPU:0; of a host that computes itself its name */
  name: string;
  host: string;
  steps: number;
  /** of its steps; null: it has none */
  mean_ps: Maybe<number>;
  /** per mean step, as are the next two */
  compute_ps: Maybe<number>;
  waits_ps: Maybe<number>;
  idle_ps: Maybe<number>;
  /** mean step beyond that of the fastest chip */
  behind_ps: Maybe<number>;
  slowest: boolean;
}

export interface Peaks {
  /** its name */
  device: string;
  /** of its matrix units */
  flops_per_s: Maybe<number>;
  /** of its main memory */
  hbm_bytes_per_s: Maybe<number>;
  /** one way, over one link to a neighbour */
  link_bytes_per_s: Maybe<number>;
  /** of its cores */
  clock_hz: Maybe<number>;
  /** where the value comes from */
  source: Maybe<string>;
  /** of its vector units, fp32 */
  vector_flops_per_s: Maybe<number>;
  /** of a GPU's shared memory (LDS) */
  shared_bytes_per_s: Maybe<number>;
  /** of a TPU's vector memory */
  vmem_read_bytes_per_s: Maybe<number>;
  /** likewise */
  vmem_write_bytes_per_s: Maybe<number>;
  /** of a TPU's common memory */
  cmem_read_bytes_per_s: Maybe<number>;
  /** likewise */
  cmem_write_bytes_per_s: Maybe<number>;
}

export interface OverviewRate {
  what: 'flops' | 'flops_judged' | 'hbm' | 'hbm_computing' | 'host_link';
  label: string;
  /** FLOP/s or B/s of a chip */
  per_s: Maybe<number>;
  peak_per_s: Maybe<number>;
  /** of the peak */
  share: Maybe<number>;
  /** lower bound: some operations have unknown work */
  at_least: boolean;
  /** why the rate or share is missing */
  unknown: Maybe<string>;
}

export interface OverviewMemory {
  /** key of the program with the largest peak among those that ran */
  module: string;
  /** HBM */
  space: string;
  peak_bytes: number;
  capacity_bytes: Maybe<number>;
  /** where the value comes from */
  capacity_from: Maybe<string>;
  /** why not */
  capacity_unknown: Maybe<string>;
  /** of the capacity */
  share: Maybe<number>;
  /** the program's peak in host memory; 0: none */
  host_bytes: number;
  /** that runs at the peak; "" unknown */
  instruction: string;
}

export interface OverviewMark {
  /** after the start of the recording */
  start_ps: number;
  end_ps: number;
  name: string;
}

export interface OverviewMissing {
  /** data missing in the profile */
  what: string;
  /** how to record it */
  how: string;
}

export interface OverviewCapture {
  /** the whole recording, on the host-aligned clock */
  span_ps: number;
  /** start of the first step after that of the recording */
  first_ps: Maybe<number>;
  /** end of the last step */
  last_ps: Maybe<number>;
  /** executions of programs on chips before the first step of their chip */
  before: number;
  /** of them, of the program of that step */
  before_own: number;
  /** the first 20 of these */
  marks: OverviewMark[];
  /** time before the first step */
  sentence: string;
  /** of all chips in the whole recording */
  compute_ps: Maybe<number>;
  /** of it, what ran in none of the steps */
  outside_ps: Maybe<number>;
  /** no file is cut, and no profiler says that it dropped events */
  complete: boolean;
  /** what is incomplete */
  damage: Maybe<string>;
  /** executions of a program that a GPU's host started and the GPUs did not record, from a tenth on */
  lost: Maybe<string>;
  /** data that would tell more */
  missing: OverviewMissing[];
}

export interface OverviewFact {
  what: string;
  /** null: not recorded */
  value: Maybe<string>;
}

export interface OverviewProgram {
  /** key; the name if its HLO is not in the profile */
  module: string;
  /** its name if unique in the run, else its key */
  name: string;
  /** its HLO is in the profile */
  held: boolean;
  /** true: kernels or copies that belong to no program */
  of_none: boolean;
  /** on all chips; null: unknown from the trace */
  runs: Maybe<number>;
  /** of its operations, in the whole recording */
  self_ps: number;
  /** share of the time of all programs */
  share: number;
  /** of its operations */
  executions: number;
  /** in the device's memory */
  peak_bytes: Maybe<number>;
}

export interface Overview {
  /** the parts of a step were measured */
  known: boolean;
  /** why not */
  reason: Maybe<string>;
  /** clock of steps and their parts */
  clock: Maybe<'device' | 'host'>;
  /** why the clock is the host's */
  why_host: Maybe<string>;
  /** operations run in parallel (streams, threads): times are unions of intervals, a moment counts once */
  side_by_side: boolean;
  /** its kind, or "" */
  device: string;
  /** whose events these are */
  hosts: string[];
  /** what takes most of the time, in a sentence */
  headline: string;
  /** the same as a time, and the definition of a step */
  detail: string;
  /** one to four words for a badge */
  verdict: string;
  /** null: none */
  step: Maybe<OverviewStep>;
  /** Input's mean step and that of this answer, where they differ by 5 %, or this has none */
  steps_apart: Maybe<string>;
  /** always all five */
  verdicts: OverviewVerdict[];
  /** parts of a mean step, from idle to the roofline */
  losses: Columns<OverviewLoss>;
  /** time of all steps that is not in a row */
  rest_ps: number;
  /** the rest is at most 1 ppm */
  adds_up: boolean;
  /** operations, by the largest possible saving of a step */
  wins: Columns<OverviewWin>;
  /** operations that ran in the steps, listed or not */
  ops: number;
  /** per mean step: saving of all operations with a bound and of all waits */
  wins_ps: number;
  chips: OverviewChip[];
  /** the slowest chip, and by how much */
  chips_sentence: string;
  /** of a chip */
  peaks: Maybe<Peaks>;
  utilisation: OverviewRate[];
  memory: Maybe<OverviewMemory>;
  /** why it is unknown */
  no_memory: Maybe<string>;
  /** null: no events */
  capture: Maybe<OverviewCapture>;
  environment: OverviewFact[];
  /** programs that ran, most time first, at most 100 */
  programs: Columns<OverviewProgram>;
  programs_left_out: number;
}

export interface LoadingFile {
  name: string;
  /** "" unknown */
  host: string;
  /** on the disk */
  size_bytes: number;
  /** bytes read to find its contents */
  done_bytes: number;
  state: 'waits' | 'reading' | 'read' | 'unreadable' | 'left_out';
  /** counted so far */
  events: Maybe<number>;
  /** likewise */
  modules: Maybe<number>;
  /** read for its events */
  events_done_bytes: number;
  /** to be read for its events; 0: not requested */
  events_total_bytes: number;
  events_read: boolean;
}

export interface LoadingFiles extends Columns<LoadingFile> {
  /** files not listed */
  left_out: number;
}

export interface Loading {
  /** of the run */
  state: 'not_loaded' | 'waits' | 'loading' | 'loaded';
  /** what is being read */
  what: Maybe<string>;
  /** that runs take */
  memory_bytes: number;
  /** limit of that memory */
  memory_limit_bytes: number;
  /** resident memory of the process */
  resident_bytes: Maybe<number>;
  files: LoadingFiles;
}

export interface SplitPadding {
  argument_bytes: number;
  output_bytes: number;
  constant_bytes: number;
  temp_bytes: number;
}

export interface SummarySplit {
  /** arguments */
  argument_bytes: number;
  /** outputs that are not written into arguments */
  output_bytes: number;
  /** outputs written into arguments: in `argument_bytes` */
  alias_bytes: number;
  /** constants */
  constant_bytes: number;
  /** not included in reserved */
  thread_local_bytes: number;
  /** temporaries live at the peak; null without a heap trace */
  temp_bytes: Maybe<number>;
  /** in the heap without events: in `fragmentation_bytes` */
  untraced_bytes: number;
  /** reserved minus the peak */
  fragmentation_bytes: Maybe<number>;
  /** padding in each part */
  padding: SplitPadding;
}

export interface CardColumn {
  /** temporaries, the minimum of each column */
  min_bytes: number;
  /** the maximum */
  max_bytes: number;
}

export interface CardCurve extends Columns<CardColumn> {
  /** resident bytes, below the columns */
  resident_bytes: number;
}

export interface CardHolds {
  /** null: it has the data that Memory needs; else the reason */
  memory: Maybe<string>;
  trace: Maybe<string>;
  graph: Maybe<string>;
}

export interface RunProblem {
  severity: 'note' | 'warning' | 'error';
  /** one sentence, with numbers where they are known */
  text: string;
  /** the original message of the file or compiler, if it differs from `text` */
  detail: Maybe<string>;
}

export interface CardFile {
  name: string;
  size_bytes: number;
}

export interface RunCard {
  id: string;
  kind: 'profile' | 'dump' | 'file' | 'heap';
  /** `tpu`, `gpu`, `cpu` */
  platform: Maybe<string>;
  /** `TPU v6 Lite`, ... */
  device_type: Maybe<string>;
  device_count: number;
  /** names */
  hosts: string[];
  /** key of the default module; null: none can be read */
  module: Maybe<string>;
  module_name: Maybe<string>;
  /** number of other modules */
  other_modules: number;
  /** peak of its main memory space */
  peak_bytes: Maybe<number>;
  /** color of that space */
  peak_space: Maybe<number>;
  /** of the memory space, on one device */
  capacity_bytes: Maybe<number>;
  /** where the value comes from */
  capacity_from: Maybe<string>;
  /** why it is unknown */
  capacity_unknown: Maybe<string>;
  /** for a dump beside a profile: whether both have the same program; null: unknown */
  same_program: Maybe<boolean>;
  /** of the peak */
  split: Maybe<SummarySplit>;
  curve: Maybe<CardCurve>;
  /** of the memory space */
  steps: Maybe<number>;
  /** of the module */
  instructions: Maybe<number>;
  /** of the run */
  events: number;
  holds: CardHolds;
  /** the most severe problem */
  problem: Maybe<RunProblem>;
  /** how many */
  problems: number;
  /** at most 200 */
  files: CardFile[];
  files_left_out: number;
}

export interface ModulesRow {
  /** the parameter `module` */
  key: string;
  name: string;
  program_id: string;
  /** indexes in `hosts` of `run` */
  hosts: number[];
  /** how often it ran */
  run_count: Maybe<number>;
  /** null: it could not be read; see `error` */
  instructions: Maybe<number>;
  /** null: it could not be read */
  buffers: Maybe<number>;
  /** color of the memory space of the next fields */
  peak_space: Maybe<number>;
  /** null: no buffer assignment */
  peak_bytes: Maybe<number>;
  argument_bytes: Maybe<number>;
  output_bytes: Maybe<number>;
  /** outputs written into arguments, counted in both */
  alias_bytes: Maybe<number>;
  constant_bytes: Maybe<number>;
  /** reserved for temporaries */
  heap_bytes: Maybe<number>;
  /** live at the peak: argument + output - alias + constant + this */
  temp_bytes: Maybe<number>;
  /** reserved minus the peak */
  fragmentation_bytes: Maybe<number>;
  failed_to_compile: boolean;
  /** why it has no memory numbers */
  error: Maybe<string>;
}

export interface ModulesSpace {
  /** row of `rows` */
  module: number;
  color: number;
  name: string;
  peak_bytes: number;
  reserved_bytes: number;
  argument_bytes: number;
  output_bytes: number;
  /** outputs written into arguments, counted in both */
  alias_bytes: number;
  constant_bytes: number;
  /** reserved for temporaries */
  heap_bytes: number;
  /** live at the peak: argument + output - alias + constant + this */
  temp_bytes: Maybe<number>;
  /** reserved minus the peak */
  fragmentation_bytes: Maybe<number>;
  /** not included in reserved */
  thread_local_bytes: number;
}

export interface Modules extends Columns<ModulesRow> {
  /** modules beyond 5,000 */
  left_out: number;
  /** memory spaces of each */
  spaces: Columns<ModulesSpace>;
  /** key of the default, for routes without `module` */
  default_module: Maybe<string>;
  /** of the memory space, on one device */
  capacity_bytes: Maybe<number>;
  /** where the value comes from */
  capacity_from: Maybe<string>;
  /** why it is unknown */
  capacity_unknown: Maybe<string>;
}

export interface HeapFileRow {
  name: string;
  /** of the file */
  size_bytes: number;
  /** file name with # for the number; files of one series come from one program */
  series: string;
  /** number in the file name; null: none, or the only file of its series */
  step: Maybe<number>;
  /** value of its samples; null: the file cannot be read */
  type: Maybe<string>;
  /** of value and change */
  unit: Maybe<'bytes' | 'ns' | 'count' | 'other'>;
  /** of all its samples */
  value: Maybe<number>;
  /** allocations; null: not counted */
  count: Maybe<number>;
  /** change since the previous file of the series */
  change: Maybe<number>;
  /** the file is truncated */
  cut: boolean;
  /** why it cannot be read */
  problem: Maybe<string>;
}

export interface HeapFiles {
  /** files, listed or not */
  total: number;
  /** at most 2,000 */
  files: Columns<HeapFileRow>;
}

export interface HeapPart {
  name: string;
  value: number;
  count: number;
  /** in the file compared with */
  base_value: Maybe<number>;
}

export interface HeapTypeRow {
  /** value for the parameter `type` */
  name: string;
  /** as in the file */
  unit: string;
}

export interface HeapFrameRow {
  /** train.py:41; of code without symbols libfoo.so+0x3f20 */
  label: string;
  /** "": not said */
  function: string;
  /** with its path; null: not recorded */
  file: Maybe<string>;
  /** null: not said */
  line: Maybe<number>;
  /** of the function */
  start_line: Maybe<number>;
  /** your code, not that of a library */
  own: boolean;
}

export interface HeapLineRow {
  /** value for the parameter `line`, where rows are lines */
  key: string;
  /** train.py:41, or a substitute */
  label: string;
  function: Maybe<string>;
  /** with its path */
  file: Maybe<string>;
  line: Maybe<number>;
  /** your code */
  own: boolean;
  /** compiled programs, not arrays */
  executables: boolean;
  /** in the unit of the answer */
  value: number;
  /** of the sum of all rows */
  share: number;
  /** in the file compared with; null: none */
  base_value: Maybe<number>;
  /** value less base_value */
  change: Maybe<number>;
  /** allocations */
  count: number;
  base_count: Maybe<number>;
  /** value / count, in the unit of the answer; null: nothing is counted */
  mean: Maybe<number>;
  /** of one allocation, where rows are sizes */
  size_bytes: Maybe<number>;
  /** grows: in three or more files of the series, each has more than the one before */
  growth: 'unknown' | 'steady' | 'grew' | 'grows' | 'shrank';
  /** change since the previous file / steps between; null: no previous file */
  last_per_step: Maybe<number>;
  /** least squares over the files of the series */
  per_step: Maybe<number>;
  /** of that */
  r2: Maybe<number>;
  /** by file of the series */
  values: number[];
  /** by device of the answer; empty: more than 64, or none */
  devices: number[];
  /** innermost first: the stack itself, else the largest stack of the row */
  stack: HeapFrameRow[];
}

export interface HeapMappingRow {
  file: string;
  build_id: string;
  /** of the first byte */
  start_address: string;
  /** after the last byte */
  end_address: string;
  /** where it begins in the file */
  file_offset_bytes: string;
}

export interface HeapSummary {
  /** the file shown */
  file: string;
  /** of the file */
  size_bytes: number;
  /** file to compare with */
  against: Maybe<string>;
  /** its run, if it is another run */
  against_run: Maybe<string>;
  /** the names of the series tell steps */
  steps: boolean;
  /** of the file, from its name */
  step: Maybe<number>;
  /** likewise */
  base_step: Maybe<number>;
  /** files of the series */
  series_files: number;
  /** the file before in the series */
  previous: Maybe<string>;
  /** the next file in the series */
  next: Maybe<string>;
  /** jax: a device memory profile; heap: bytes; time: a CPU or wait profile */
  format: 'jax' | 'heap' | 'time' | 'other';
  /** which value of the samples */
  type: string;
  /** of all values here */
  unit: 'bytes' | 'ns' | 'count' | 'other';
  /** as in the file */
  unit_text: string;
  /** with their buffers */
  devices: Columns<HeapPart>;
  /** values that a sample has */
  types: Columns<HeapTypeRow>;
  /** of all samples that the filters let through */
  value: number;
  base_value: Maybe<number>;
  change: Maybe<number>;
  /** allocations */
  count: number;
  /** samples without executables */
  buffers: number;
  base_buffers: Maybe<number>;
  /** samples in the file */
  samples: number;
  /** different ones */
  stacks: number;
  /** at least one sample has frames */
  has_stacks: boolean;
  /** at least one frame has a source line */
  has_lines: boolean;
  /** rows of heap/lines */
  lines: number;
  /** their sum; equal to `value` unless samples were lost */
  lines_value: number;
  /** the largest line */
  top: HeapLineRow[];
  /** lines that grow, in each of three or more files */
  growing_total: number;
  /** at most 20, the steepest first */
  growing: HeapLineRow[];
  /** at least half of the lines of the smaller file are in the other, or no file is compared */
  same_program: boolean;
  /** largest / smallest value of the devices; null: at most one device */
  uneven: Maybe<number>;
  kinds: Columns<HeapPart>;
  /** time of the recording, since 1970; null: not recorded */
  time_ns: Maybe<number>;
  /** of the recording */
  duration_ns: Maybe<number>;
  /** between two samples, in `period_unit` */
  period: Maybe<number>;
  period_unit: string;
  /** files of code, where the file names them */
  mappings: Columns<HeapMappingRow>;
  /** of the writer */
  comments: string[];
  /** the file is truncated */
  cut: boolean;
  /** what was left out because of a limit */
  note: Maybe<string>;
  /** of reading the file */
  warnings: Columns<WarningRow>;
}

export interface HeapNodeRow {
  /** of its path, for `open` and `zoom` */
  key: string;
  /** earlier in the list; null: the root */
  parent: Maybe<number>;
  /** train.py:41; of a folded run that of its outermost frame */
  label: string;
  function: Name;
  /** with its path */
  file: Name;
  line: Maybe<number>;
  /** of a folded run: its innermost frame */
  last_label: Maybe<string>;
  /** likewise */
  last_function: Name;
  /** 0: your code; for a folded run, the largest number of frames */
  library_frames: number;
  /** a run of library frames; `open` takes its key */
  folded: boolean;
  /** including everything below it */
  value: number;
  /** likewise */
  count: number;
  /** of stacks that end here */
  self: number;
  /** of value: compiled programs, not arrays */
  executables: number;
  /** in the file compared with; 0: none */
  base_value: number;
  base_count: number;
  /** sum of the growth of the paths below that grew */
  grown: number;
  /** children not listed */
  left_out: number;
}

export interface HeapTreeAnswer {
  /** the file shown */
  file: string;
  /** file to compare with */
  against: Maybe<string>;
  /** which value of the samples */
  type: string;
  /** of value, self, base_value and grown */
  unit: 'bytes' | 'ns' | 'count' | 'other';
  /** nodes, listed or not */
  all: number;
  /** levels below the root */
  deepest: number;
  /** no node has the key `zoom`, so the whole tree is shown */
  zoom_missing: boolean;
  /** what was left out because of a limit */
  note: Maybe<string>;
  /** the largest, parents before children */
  nodes: Columns<HeapNodeRow>;
}

export interface HeapSeriesRow {
  name: string;
  /** from its name; null: files are counted */
  step: Maybe<number>;
  /** of the samples that the filters let through */
  value: number;
}

export interface HeapLinesAnswer {
  /** the file shown */
  file: string;
  /** file to compare with */
  against: Maybe<string>;
  /** what a row is */
  by: 'line' | 'function' | 'file' | 'stack' | 'size' | 'device' | 'kind';
  /** which value of the samples */
  type: string;
  /** of all values here */
  unit: 'bytes' | 'ns' | 'count' | 'other';
  /** true: file names have step numbers; false: a step is a file */
  steps: boolean;
  /** devices of the values in `devices` of a row */
  devices: string[];
  /** sum over all rows */
  value: number;
  count: number;
  base_value: Maybe<number>;
  change: Maybe<number>;
  /** what was left out because of a limit */
  note: Maybe<string>;
  /** rows, listed or not */
  total: number;
  /** of the first row listed */
  offset: number;
  /** of the rows not listed */
  rest_value: number;
  rows: Columns<HeapLineRow>;
  /** files of the series, oldest first */
  series: Columns<HeapSeriesRow>;
}

export interface SummaryModule {
  key: string;
  name: string;
  program_id: string;
  /** hosts whose profile has it */
  hosts: string[];
  /** how often it ran */
  run_count: Maybe<number>;
  instructions: number;
  buffers: number;
  /** of its heap traces */
  events: number;
  /** size of its HLO */
  proto_bytes: number;
  failed_to_compile: boolean;
}

export interface SummarySpace {
  /** the parameter `space` */
  color: number;
  name: string;
}

export interface SpaceSummary {
  /** the parameter `space` */
  color: number;
  name: string;
  peak_bytes: number;
  reserved_bytes: number;
  argument_bytes: number;
  /** that is not written into arguments */
  output_bytes: number;
  constant_bytes: number;
  /** reserved for temporaries */
  heap_bytes: number;
  /** temporaries live at the peak */
  temp_bytes: Maybe<number>;
  /** reserved minus the peak */
  fragmentation_bytes: Maybe<number>;
  /** not included in reserved */
  thread_local_bytes: number;
  steps: number;
}

export interface SummaryPeak {
  held_bytes: number;
  unpadded_bytes: number;
  /** null without a heap trace */
  step: Maybe<number>;
  /** instruction that runs at this step */
  instruction: Maybe<string>;
  instruction_id: Maybe<number>;
  opcode: Maybe<string>;
}

export interface SummaryScoped {
  size_bytes: number;
  /** the kernel */
  instruction: string;
}

export interface SummaryLane {
  first_step: number;
  steps: number;
  /** belongs to the module, not to one computation */
  whole_module: boolean;
}

export interface SentencePart {
  text: string;
  kind: 'text' | 'number' | 'code' | 'source';
}

export interface Largest {
  /** number of equal buffers */
  count: number;
  /** sum of their sizes */
  size_bytes: number;
  /** of the peak; 0 when the peak is 0 */
  share: number;
  /** null: their sizes differ */
  each_bytes: Maybe<number>;
  shape: string;
  class: 'parameter' | 'output' | 'thread_local' | 'constant' | 'temporary';
  /** kind of work that produces them */
  group: 'none' | 'matmul' | 'elem' | 'reduce' | 'move' | 'coll' | 'control' | 'host' | 'custom';
  /** of the first */
  op_name: Maybe<string>;
  /** of the first */
  file: Maybe<string>;
  /** of the first */
  line: Maybe<number>;
  /** of `size_bytes` */
  padding_bytes: number;
  /** at most 64 */
  buffers: number[];
  /** the same in words */
  sentence: SentencePart[];
  /** only if the effect is known exactly */
  advice: Maybe<string>;
}

export interface NearPeakRow {
  step: number;
  held_bytes: number;
}

export interface SavingRow {
  buffer: number;
  name: string;
  shape: string;
  size_bytes: number;
  /** how far the peak falls without it */
  saving_bytes: number;
}

export interface DiffersRow {
  /** key of the number in `xprof` */
  what: string;
  /** bytes */
  ours: number;
  /** bytes */
  xprof: number;
  /** why they differ */
  reason: string;
}

export interface SummaryXprof {
  peak_bytes: number;
  total_bytes: number;
  unpadded_peak_bytes: number;
  argument_bytes: number;
  temp_bytes: number;
  temp_with_fragmentation_bytes: number;
  fragmentation_percent: number;
  /** in its list of steps */
  peak_position: number;
  /** its message if it fails */
  error: Maybe<string>;
  /** numbers that differ from ours */
  differs: DiffersRow[];
}

export interface SummaryJax {
  argument_bytes: number;
  output_bytes: number;
  alias_bytes: number;
  temp_bytes: number;
  peak_bytes: number;
  host_argument_bytes: number;
  host_output_bytes: number;
  host_alias_bytes: number;
  host_temp_bytes: number;
}

export interface XlaReport {
  /** with thread-local allocations */
  total_bytes: number;
}

export interface OomPartRow {
  /** in `text` */
  offset_bytes: number;
  size_bytes: number;
  /** `needed`, `capacity`, `exceeded`, `module`, `space`, `size`, `shape`, `op` */
  what: string;
}

export interface OomItemRow {
  /** as printed, rounded */
  size_bytes: Maybe<number>;
  unpadded_bytes: Maybe<number>;
  shape: Maybe<string>;
  op_name: Maybe<string>;
  instruction: Maybe<string>;
  tag: Maybe<string>;
  /** programs that the message may be about, at most 16 */
  buffers: number[];
}

export interface OomMatchRow {
  /** key; null: not in the run */
  module: Maybe<string>;
  /** color */
  space: Maybe<number>;
  /** its numbers equal those of the text; null: unknown */
  matches: Maybe<boolean>;
  /** the same in words */
  sentence: string;
}

export interface Oom {
  /** false: only `text` is known */
  understood: boolean;
  /** kind of message: `tpu_hbm_e1000`, `gpu`, ... */
  form: Maybe<string>;
  /** module named in the text */
  module: Maybe<string>;
  /** that the text names: `hbm`, `vmem`, ... */
  space: Maybe<string>;
  /** of that space */
  color: Maybe<number>;
  /** as printed, rounded */
  needed_bytes: Maybe<number>;
  capacity_bytes: Maybe<number>;
  exceeded_bytes: Maybe<number>;
  /** at most 8,000 bytes */
  text: string;
  /** lines of the text that were recognised, at most 256 */
  parts: OomPartRow[];
  /** allocations listed in the text, at most 200 */
  items: OomItemRow[];
  items_left_out: number;
  /** program of the run; null without a run */
  match: Maybe<OomMatchRow>;
}

export interface Summary {
  /** id */
  run: string;
  module: SummaryModule;
  /** `tpu`, `gpu`, `cpu` */
  platform: Maybe<string>;
  /** `TPU v6 Lite`, ... */
  device_type: Maybe<string>;
  device_count: number;
  /** that the answer is about */
  space: SummarySpace;
  /** all memory spaces of the module */
  spaces: SpaceSummary[];
  /** of the memory space, on one device */
  capacity_bytes: Maybe<number>;
  /** where the value comes from */
  capacity_from: Maybe<string>;
  /** why it is unknown */
  capacity_unknown: Maybe<string>;
  /** capacity minus peak; below 0: the program does not fit */
  headroom_bytes: Maybe<number>;
  peak: SummaryPeak;
  /** parts of the peak */
  split: SummarySplit;
  /** held at every step */
  resident_bytes: number;
  resident_unpadded_bytes: number;
  /** reserved for temporaries */
  heap_bytes: number;
  /** all of the memory space */
  reserved_bytes: number;
  /** lists show buffers below this size as one sum, by default */
  fold_bytes: number;
  /** heap slices overlap: bytes held twice count once */
  live_is_union: boolean;
  /** scratch memory of a kernel */
  scoped: Maybe<SummaryScoped>;
  steps: number;
  /** heap traces, one after the other, at most 256 */
  lanes: SummaryLane[];
  lanes_left_out: number;
  /** groups of equal buffers that hold most of the peak */
  largest: Maybe<Largest>;
  /** maxima within 10 % of the peak, at most 16 */
  near_peaks: NearPeakRow[];
  /** buffers without which the peak falls most, at most 5 */
  savings: SavingRow[];
  /** the same memory as XProf counts it */
  xprof: SummaryXprof;
  /** as `compiled.memory_analysis()` counts it */
  jax: SummaryJax;
  /** as XLA's memory usage report counts it */
  xla_report: XlaReport;
  /** the error text of a dump that did not compile */
  oom: Maybe<Oom>;
  /** of reading the module, and of its analysis */
  warnings: WarningRow[];
  warnings_left_out: number;
}

export interface CurveRow {
  /** its first */
  step: number;
  /** steps in it */
  count: number;
  /** live temporaries: the minimum over its steps */
  min_bytes: number;
  /** the maximum */
  max_bytes: number;
  /** the same without padding */
  min_unpadded_bytes: number;
  max_unpadded_bytes: number;
  /** the step with `max_bytes` */
  max_step: number;
  /** the highest byte held in the heap */
  top_bytes: number;
}

export interface CurveAxes {
  /** null: this axis is available; else the reason */
  instruction: Maybe<string>;
  time: Maybe<string>;
}

export interface CurveAnswer extends Columns<CurveRow> {
  /** first step of the window */
  from: number;
  /** step after the last */
  to: number;
  /** of the memory space */
  steps: number;
  /** each column is one step */
  exact: boolean;
  /** arguments, outputs, constants: held at every step, below the curve */
  resident_bytes: number;
  resident_unpadded_bytes: number;
  /** of the memory space */
  reserved_bytes: number;
  peak_step: Maybe<number>;
  /** other axes that are available */
  axes: CurveAxes;
  /** what x counts here */
  axis: 'event' | 'instruction' | 'time';
  /** of `x`: `instruction`, `ns`; null for heap events */
  unit: Maybe<string>;
  /** position of the first step of each column on the axis */
  x: Maybe<number[]>;
  /** end of the window */
  x_end: Maybe<number>;
  /** steps whose instruction runs before that of the step before */
  moved: Maybe<number>;
  /** axis `time`: clock of the durations, `device` or `host` */
  clock: Maybe<string>;
  /** axis `time`: instructions with a time */
  measured: Maybe<number>;
  /** axis `time`: instructions in the schedule */
  scheduled: Maybe<number>;
}

export interface MemoryStepsRow {
  /** 0 allocates, 1 frees, 2 shares a storage; others as in the file */
  kind: number;
  /** instruction that runs; for a free, the last one that allocated */
  running: Name;
  /** buffer that is allocated, freed or shared */
  buffer: Maybe<number>;
  buffer_name: Name;
  /** of the running instruction */
  opcode: Name;
  /** of the buffer */
  size_bytes: Maybe<number>;
  /** live after minus live before */
  change_bytes: number;
  /** step at which this value is freed, or was allocated or shared; null: none */
  other_step: Maybe<number>;
}

export interface MemorySteps extends Columns<MemoryStepsRow> {
  /** first step */
  from: number;
  /** step after the last one */
  to: number;
}

export interface MemoryScopesRow {
  /** first step */
  from: number;
  /** step after the last one */
  to: number;
  /** forward, backward or the first named scope; in a narrow window the inner scopes */
  name: Name;
}

export interface MemoryScopes extends Columns<MemoryScopesRow> {
  /** none: no op names were recorded, so there are no parts */
  source: 'op_name' | 'none';
}

export interface MapHeap {
  /** of the compiler */
  allocation: number;
  /** its start on the axis of addresses */
  base_bytes: number;
  size_bytes: number;
}

export interface MapBox {
  /** number of the lifetime */
  tenancy: number;
  buffer: number;
  start_step: number;
  /** first step without it */
  end_step: number;
  /** on the axis of addresses */
  offset_bytes: number;
  size_bytes: number;
  name: Name;
  shape: Name;
  /** kind of work */
  group: Name;
  class: Name;
  /** path in the model's code */
  scope: Name;
  dtype: Name;
  /** bits: 1 untraced, 2 never freed, 4 shared, 8 took over a freed storage */
  flags: number;
  /** row of `blocks` */
  block: number;
}

export interface MapMerged {
  start_step: number;
  end_step: number;
  offset_bytes: number;
  size_bytes: number;
  /** lifetimes in it */
  count: number;
  /** of the largest */
  group: Name;
  /** of the largest, row of `blocks` */
  block: number;
  /** of the largest */
  class: Name;
}

export interface MapBlock {
  shape: Name;
  scope: Name;
}

export interface Map extends Columns<MapBox> {
  /** first step of the window */
  from: number;
  /** step after the last */
  to: number;
  /** height of the picture */
  heap_bytes: number;
  /** at most 1,024 */
  heaps: MapHeap[];
  heaps_left_out: number;
  /** smaller lifetimes, merged by position */
  merged: Columns<MapMerged>;
  /** blocks of the boxes, by shape and scope */
  blocks: Columns<MapBlock>;
  /** lifetimes that were merged */
  merged_count: number;
  /** maximum of boxes; beyond it smaller ones are merged */
  limit: number;
}

export interface BytesSum {
  /** how many */
  count: number;
  /** sum of their sizes */
  size_bytes: number;
}

export interface MemoryLiveRow {
  /** of the buffer */
  name: Name;
  /** without layout */
  shape: Name;
  /** parameter, output, thread_local, constant, temporary */
  class: Name;
  /** kind of the operation that produces it */
  group: Name;
  /** held at this step */
  size_bytes: number;
  /** without padding; with `plan`: halves and shares of what is left */
  unpadded_bytes: number;
  /** how far the peak falls without it; null with `plan` */
  saving_bytes: Maybe<number>;
  /** held from here on */
  start_step: Maybe<number>;
  /** up to, not including, this one */
  end_step: Maybe<number>;
  /** address in the heap; null for residents */
  offset_bytes: Maybe<number>;
  /** null: an allocation without a logical buffer */
  buffer: Maybe<number>;
  /** null for residents */
  tenancy: Maybe<number>;
  /** place in `blocks`; null beyond those listed */
  block: Maybe<number>;
}

export interface MemoryLiveSum {
  /** how many */
  count: number;
  /** sum of their sizes */
  size_bytes: number;
  /** without padding */
  unpadded_bytes: number;
}

export interface HeldBlocksRow {
  /** without layout */
  shape: Name;
  /** op name without jit(..) and the operation, numbers of layers as *; "" without one */
  scope: Name;
  /** of its largest buffer */
  class: Name;
  /** of its largest buffer */
  group: Name;
  /** of its largest buffer */
  largest_bytes: number;
  /** buffers */
  count: number;
  /** of all of them */
  size_bytes: number;
  /** without a row */
  unlisted_count: number;
  /** without a row */
  unlisted_bytes: number;
  /** without a row, without padding */
  unlisted_unpadded_bytes: number;
}

export interface HeldBlocksRest {
  /** how many */
  blocks: number;
  /** buffers */
  count: number;
  /** of all of them */
  size_bytes: number;
  /** without a row */
  unlisted_count: number;
  /** without a row */
  unlisted_bytes: number;
  /** without a row, without padding */
  unlisted_unpadded_bytes: number;
}

export interface HeldBlocksList extends Columns<HeldBlocksRow> {
  /** blocks not listed */
  left_out: HeldBlocksRest;
}

export interface MemoryLive extends Columns<MemoryLiveRow> {
  /** null without a heap trace: residents only */
  step: Maybe<number>;
  /** rows of everything held */
  count: number;
  /** the value of the curve; with `plan` that of the changed program */
  live_bytes: number;
  /** of all, without padding */
  total_unpadded_bytes: number;
  /** bytes held by several rows at once; only in spaces whose bytes are a union (VMEM, CMEM) */
  overlap_bytes: number;
  /** smaller rows are in `small` */
  fold_bytes: number;
  /** buffers in the heap without events; in no row and not in `live_bytes` */
  untraced: BytesSum;
  /** sum of rows smaller than `fold_bytes` */
  small: MemoryLiveSum;
  /** sum of rows beyond `limit` */
  rest: MemoryLiveSum;
  /** everything held, folded or not, by shape and scope, the largest first */
  blocks: HeldBlocksList;
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

export interface MemoryDiffSide extends Columns<MemoryDiffRow> {
  /** rows not listed */
  rest: BytesSum;
}

export interface MemoryDiff {
  /** a step */
  a: number;
  /** the other step */
  b: number;
  /** held after a */
  a_bytes: number;
  /** held after b */
  b_bytes: number;
  /** held at a and not at b */
  only_a: MemoryDiffSide;
  /** held at b and not at a */
  only_b: MemoryDiffSide;
  /** of all, listed or not */
  only_a_bytes: number;
  /** likewise */
  only_b_bytes: number;
  /** held at both, as large as at a, residents included */
  both_bytes: number;
  /** growth of storages held at both, by larger values that joined them */
  both_grown_bytes: number;
  /** held by several rows at once, as in memory/live */
  overlap_a_bytes: number;
  /** likewise */
  overlap_b_bytes: number;
  /** rows of a side, 1,000 */
  limit: number;
}

export interface MemoryRangeRow {
  /** the value that began the lifetime */
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
  /** maximum held after a step, residents included */
  max_bytes: number;
  /** first step with that value */
  max_step: number;
  /** minimum, residents included */
  min_bytes: number;
  /** first step with that value */
  min_step: number;
  /** lifetimes that begin in the range, at their full size */
  allocated: BytesSum;
  /** lifetimes that end in the range */
  freed: BytesSum;
  /** the largest that begin in the range, at most 12 */
  largest: Columns<MemoryRangeRow>;
}

export interface MemoryBuffersRow {
  /** instruction{shape index} */
  name: Name;
  /** the compiler's */
  id: Maybe<string>;
  /** without layout */
  shape: Name;
  /** element type */
  dtype: Name;
  /** parameter, output, thread_local, constant, temporary */
  class: Name;
  /** kind of the operation that produces it */
  group: Name;
  /** opcode of the operation that produces it */
  opcode: Name;
  /** op name of that instruction, else of the value it forwards */
  op_name: Name;
  /** file:line, the path as recorded */
  source: Name;
  /** for `all` its own size, at a step the bytes held */
  size_bytes: number;
  /** without padding */
  unpadded_bytes: number;
  /** of the size */
  padding_bytes: number;
  /** how far the peak falls without it */
  saving_bytes: number;
  /** for `all` the start of the value, at a step the start of its storage; null: no heap event names it */
  start_step: Maybe<number>;
  /** likewise; not included */
  end_step: Maybe<number>;
  /** step */
  first_use: Maybe<number>;
  /** step */
  last_use: Maybe<number>;
  /** address in the heap */
  offset_bytes: Maybe<number>;
  /** op name without jit(..) */
  scope: Name;
  /** null: an allocation without a logical buffer */
  buffer: Maybe<number>;
}

export interface MemoryBuffersGroup {
  /** the value that the buffers share */
  name: Name;
  /** rows */
  count: number;
  /** of all of them */
  size_bytes: number;
  /** of all of them */
  padding_bytes: number;
  /** of the whole group; null: not computed. It is computed for the largest 200 groups, fewer in programs of more than 100,000 steps */
  saving_bytes: Maybe<number>;
}

export interface MemoryBuffersGroups extends Columns<MemoryBuffersGroup> {
  /** groups beyond these */
  left_out: number;
}

export interface MemoryBuffers extends Columns<MemoryBuffersRow> {
  /** rows before filtering */
  total: number;
  /** of them */
  total_bytes: number;
  /** of them, without padding */
  total_unpadded_bytes: number;
  /** as in memory/live; 0 for `all` */
  overlap_bytes: number;
  /** rows that match, whether listed, folded or neither */
  matched: number;
  /** of them */
  matched_bytes: number;
  /** why the filter was read as plain text, or how many texts were not fully checked */
  filter_note: Maybe<string>;
  /** rows that match but are smaller than `fold_bytes`, and are not listed */
  folded: BytesSum;
  /** of the first row that is listed */
  offset: number;
  /** groups of all matching rows; null without `by` */
  groups: Maybe<MemoryBuffersGroups>;
}

export interface BufferAllocation {
  /** of the compiler's allocation */
  index: number;
  size_bytes: number;
  /** number of buffers in it */
  members: number;
}

export interface BufferXprof {
  unpadded_bytes: number;
  shape: string;
}

export interface BufferEqual {
  /** equal buffers, including this one */
  count: number;
  /** at most 256 */
  buffers: number[];
  /** how far the peak falls without them; null beyond 4,096 */
  saving_bytes: Maybe<number>;
  /** the peak without them */
  peak_without_bytes: Maybe<number>;
}

export interface BufferDim {
  dimension: number;
  /** elements of the array in this dimension */
  elements: number;
  /** with padding */
  padded_elements: number;
  /** elements of a tile in this dimension */
  tile: number;
  /** bytes of padding */
  cost_bytes: number;
  /** the same in words */
  words: string;
}

export interface BufferOrder {
  /** order of dimensions */
  minor_to_major: number[];
  /** size in this order */
  tiled_bytes: number;
}

export interface BufferPadding {
  /** the layout defines its tiles */
  known: boolean;
  /** size by its tiles */
  tiled_bytes: Maybe<number>;
  /** `size_bytes` minus `tiled_bytes` */
  other_overhead_bytes: Maybe<number>;
  /** `8x128` */
  tile: Maybe<string>;
  /** minor dimension first */
  dims: BufferDim[];
  /** other orders of the dimensions, the cheapest first */
  orders: BufferOrder[];
}

export interface BufferStay {
  start_step: number;
  /** first step without it */
  end_step: number;
  /** in the heap */
  offset_bytes: number;
  size_bytes: number;
}

export interface CardLifetime {
  /** null: no heap event names it */
  start_step: Maybe<number>;
  /** first step without it */
  end_step: Maybe<number>;
  /** how many */
  steps: Maybe<number>;
  never_freed: boolean;
  /** in the heap without events */
  untraced: boolean;
  /** its lifetimes, at most 64 */
  tenancies: BufferStay[];
  tenancies_left_out: number;
}

export interface BufferUse {
  /** instruction */
  name: string;
  step: Maybe<number>;
}

export interface BufferUser {
  /** instruction */
  name: string;
  opcode: string;
  /** its first */
  step: Maybe<number>;
  /** of its result */
  shape: string;
}

export interface BufferUses {
  /** null: no user */
  first: Maybe<BufferUse>;
  last: Maybe<BufferUse>;
  /** uses */
  count: number;
  /** steps of the users below, each once */
  ticks: number[];
  /** the longest stretch of steps between two uses */
  idle_from: Maybe<number>;
  /** its end */
  idle_to: Maybe<number>;
  /** at most 256 */
  users: BufferUser[];
  users_total: number;
}

export interface BufferNeighbour {
  buffer: number;
  name: string;
  start_step: number;
  /** first step without it */
  end_step: number;
  /** number of others */
  more: number;
}

export interface BufferShare {
  buffer: number;
  name: string;
  shape: string;
}

export interface BufferFrame {
  file: string;
  line: number;
  column: number;
  function: string;
}

export interface BufferSource {
  file: Maybe<string>;
  line: Maybe<number>;
  /** path in the model's code */
  op_name: Maybe<string>;
  /** the instruction that defines it, if not the buffer's own */
  from: Maybe<string>;
  /** innermost first */
  frames: BufferFrame[];
  /** number of frames that follow; null: unlimited */
  frames_cut: Maybe<number>;
  /** with the option `--source-url` */
  url: Maybe<string>;
}

export interface BufferLinks {
  /** instruction to show in Graph */
  graph: Maybe<string>;
  /** instruction to show in Graph */
  trace: Maybe<string>;
  /** why Trace cannot show it */
  trace_reason: Maybe<string>;
}

export interface BufferAnswer {
  /** index in the buffer assignment */
  buffer: number;
  /** the compiler's */
  id: number;
  /** color of its memory space */
  space: number;
  name: string;
  /** that defines it */
  instruction: Maybe<string>;
  instruction_id: Maybe<number>;
  opcode: Maybe<string>;
  /** part of that instruction's result */
  shape_index: number[];
  /** with layout */
  shape: string;
  /** the same in words */
  shape_words: string[];
  class: 'parameter' | 'output' | 'thread_local' | 'constant' | 'temporary';
  /** null: not a parameter */
  parameter_number: Maybe<number>;
  /** path in the caller's program */
  parameter_name: Maybe<string>;
  /** index of the output written into it */
  aliased_output: Maybe<number[]>;
  /** for a parameter: its memory may be written */
  donated: Maybe<boolean>;
  /** an output is written into it */
  alias: boolean;
  /** kind of work */
  group: 'none' | 'matmul' | 'elem' | 'reduce' | 'move' | 'coll' | 'control' | 'host' | 'custom';
  size_bytes: number;
  unpadded_bytes: number;
  /** `size_bytes` less `unpadded_bytes` */
  padding_bytes: number;
  /** `size_bytes` over `unpadded_bytes` */
  expansion: Maybe<number>;
  /** in its allocation; null: it has none */
  assigned_bytes: Maybe<number>;
  /** in its allocation */
  offset_bytes: Maybe<number>;
  allocation: Maybe<BufferAllocation>;
  /** XProf's value, where it differs */
  xprof: Maybe<BufferXprof>;
  /** how far the peak falls without it */
  saving_bytes: number;
  /** the peak without it */
  peak_without_bytes: number;
  /** the step of that peak */
  peak_without_step: Maybe<number>;
  /** its share of the bytes at the peak */
  share_of_peak: number;
  /** equal buffers */
  equal: BufferEqual;
  padding: BufferPadding;
  /** its lifetime */
  life: CardLifetime;
  uses: BufferUses;
  /** the last buffer at its address before it */
  before: Maybe<BufferNeighbour>;
  /** the first buffer at its address after it */
  after: Maybe<BufferNeighbour>;
  /** buffers in the same storage, at most 64 */
  shares: BufferShare[];
  shares_left_out: number;
  source: BufferSource;
  links: BufferLinks;
}

export interface MemoryTreeRow {
  /** "" is the root; "[self]": buffers directly at the parent; "[n smaller]": merged nodes */
  name: Name;
  /** row; -1 of the root, which is row 0 */
  parent: number;
  /** 0 is the root */
  depth: number;
  /** held */
  size_bytes: number;
  /** of that */
  padding_bytes: number;
  /** rows of memory/live */
  count: number;
  /** the group of at least 95 % of it, else ""; arguments, outputs and constants have none */
  group: Name;
  /** number of names folded into this one, else 1 */
  repeats: number;
}

export interface MemoryTree extends Columns<MemoryTreeRow> {
  /** null without a heap trace */
  step: Maybe<number>;
  /** of the root */
  total_bytes: number;
  /** as in memory/live; `total_bytes` minus this is the value of the curve */
  overlap_bytes: number;
  /** the one asked for */
  limit: number;
  /** nodes before merging */
  nodes: number;
}

export interface WhatifRow {
  /** the first of the buffers */
  buffer: number;
  /** buffers */
  count: number;
  /** number of buffers that could be changed */
  changed: number;
  action: 'drop' | 'halve' | 'unpad' | 'donate' | 'offload' | 'recompute' | 'shard';
  /** why none could be changed */
  impossible: Maybe<string>;
  /** how far the peak falls in addition to the changes before it; for `try` and `menu`, in addition to the whole plan */
  adds_bytes: number;
  /** how far the peak falls by this change alone */
  alone_bytes: number;
  /** of the buffers */
  size_bytes: number;
  /** offloads, out and back */
  moved_bytes: number;
  /** of the recomputed instructions */
  recomputed_bytes: number;
  /** cycles to recompute them; null: unknown or not requested */
  flops: Maybe<number>;
}

export interface WhatifPeak {
  step: number;
  /** of the changed program */
  new_bytes: number;
  /** of the present program */
  now_bytes: number;
  /** instruction that runs there */
  instruction: Maybe<string>;
}

export interface WhatifColumn {
  /** of the column */
  first_step: number;
  /** lowest in it */
  min_bytes: number;
  /** highest in it */
  max_bytes: number;
}

export interface Whatif {
  /** negative if the plan needs more memory */
  saving_bytes: number;
  /** exact for live bytes */
  new_peak_bytes: number;
  /** step of the new peak */
  new_step: Maybe<number>;
  /** number of different buffers changed */
  count: number;
  /** always there after the changes */
  resident_bytes: number;
  /** lower bound of the heap for any packing */
  heap_at_least_bytes: number;
  /** offloads, out and back */
  moved_bytes: number;
  /** of the recomputed instructions */
  recomputed_bytes: number;
  /** of the entry computation; null when unknown or without plan */
  program_flops: Maybe<number>;
  /** changes of the plan; the column `adds_bytes` adds up to the saving; null without plan */
  rows: Maybe<Columns<WhatifRow>>;
  /** the further changes; null without plan */
  try: Maybe<Columns<WhatifRow>>;
  /** the seven actions on the item of `menu`, on top of the plan without it; null: not requested */
  menu: Maybe<Columns<WhatifRow>>;
  /** peaks, listed or not */
  peaks_total: number;
  /** at most 16; a valley of 1.5 % between two */
  peaks: WhatifPeak[];
  /** of the changed program; null: not requested */
  curve: Maybe<Columns<WhatifColumn>>;
}

export interface WhatifGroup {
  shape: string;
  class: 'parameter' | 'output' | 'thread_local' | 'constant' | 'temporary';
  /** kind of work; null: no instruction defines it */
  group: Maybe<'none' | 'matmul' | 'elem' | 'reduce' | 'move' | 'coll' | 'control' | 'host' | 'custom'>;
  /** one of them */
  buffer: number;
  /** how many */
  count: number;
  /** sum of their sizes */
  size_bytes: number;
}

export interface WhatifBuffer {
  buffer: number;
  /** bytes without the plan */
  now_bytes: number;
  /** bytes with the plan */
  size_bytes: number;
}

export interface WhatifBuffers extends Columns<WhatifBuffer> {
  /** beyond 20,000 */
  left_out: number;
}

export interface WhatifStep {
  step: number;
  /** held without the plan */
  now_bytes: number;
  /** bytes with the plan */
  held_bytes: number;
  /** groups of equal buffers; 0 with `groups=0` */
  groups_total: number;
  /** the largest */
  groups: WhatifGroup[];
  /** buffers changed by the plan; with `buffers=1` */
  buffers: Maybe<WhatifBuffers>;
}

export interface WhatifHeld {
  /** in the order asked for */
  steps: WhatifStep[];
}

export interface ReportAsked {
  /** first step of the range; null: no heap trace */
  from: Maybe<number>;
  /** last step of the range */
  to: Maybe<number>;
  /** the step, or the highest one of the range */
  step: Maybe<number>;
}

export interface ReportDetail {
  id: string;
  /** its id; null: a root */
  parent: Maybe<string>;
  /** label for display */
  label: string;
  /** explanation */
  what: string;
  /** its buffers can be listed: `report/groups` with `within` */
  opens: boolean;
  /** at each of `steps` */
  at_bytes: number[];
  /** at the peak */
  peak_bytes: number;
  /** at each of `columns` */
  curve_bytes: number[];
}

export interface ReportDetails {
  /** the requested steps */
  steps: ReportAsked[];
  /** null: no heap trace */
  peak_step: Maybe<number>;
  /** the highest step of each column of curves */
  columns: number[];
  /** of the memory space */
  step_count: number;
  /** own + shared + unused */
  heap_bytes: number;
  /** bytes of addresses used by one buffer throughout */
  own_bytes: number;
  /** bytes of addresses used by several buffers in turn */
  shared_bytes: number;
  /** bytes of addresses never used by a buffer */
  unused_bytes: number;
  /** sum of the sizes of the buffers at shared addresses */
  shared_tenant_bytes: number;
  /** parents before children; children add up to their parent */
  rows: ReportDetail[];
}

export interface ReportArea {
  /** name of the group; "": all other groups */
  name: string;
  /** number of groups in "all others"; else 0 */
  joined: number;
  /** at each of `steps` */
  at_bytes: number[];
  /** at the peak */
  peak_bytes: number;
  /** at each of `columns` */
  curve_bytes: number[];
}

export interface ReportAreas {
  /** grouping of the areas */
  by: 'op' | 'kind' | 'class' | 'dtype' | 'scope' | 'computation' | 'opcode';
  /** the requested steps */
  steps: ReportAsked[];
  /** null: no heap trace */
  peak_step: Maybe<number>;
  /** the highest step of each column of curves */
  columns: number[];
  /** held from the first to the last step */
  resident_bytes: number;
  /** bytes that the compiler reserves */
  reserved_bytes: number;
  /** maximum of the curve */
  peak_bytes: number;
  /** held, at each of `columns` */
  total_bytes: number[];
  /** sum of the areas minus the total: several values at the same addresses */
  overlap_bytes: number[];
  /** the heaviest first, at most 12 */
  groups: ReportArea[];
}

export interface ReportTimed {
  known: boolean;
  /** why there are no times */
  reason: Maybe<string>;
  /** host of the events; null: all hosts together */
  host: Maybe<string>;
  /** clock of the times */
  clock: Maybe<'device' | 'host' | 'mixed'>;
  /** of all instructions in a group */
  total_ps: number;
}

export interface ReportValues {
  /** at each of `steps` */
  at_bytes: number[];
  /** at the peak */
  peak_bytes: number;
  /** at each of `columns` */
  curve_bytes: number[];
}

export interface ReportTypesRow {
  /** "(bf16, f32) -> bf16" */
  text: string;
  /** instructions */
  count: number;
}

export interface ReportLiteral {
  /** the first values */
  text: string;
  /** number of these */
  shown: number;
  /** number of all values */
  count: number;
}

export interface ReportGroupsRow {
  /** of the group, or of the buffer */
  name: string;
  /** at each of `steps` */
  at_bytes: number[];
  /** at the peak */
  peak_bytes: number;
  /** at each of `columns` */
  curve_bytes: number[];
  /** buffers at each of `steps` */
  held: number[];
  /** of the whole program; null: the grouping is of buffers, or filtered */
  instructions: Maybe<number>;
  /** with `times`: over all executions and devices */
  self_ps: Maybe<number>;
  /** over all executions and devices: events */
  executions: Maybe<number>;
  /** over all executions and devices: waits of chips for pairs with a half in the group */
  wait_ps: Maybe<number>;
  /** `by=opcode` and `signature`: types of operands and result, the most frequent four */
  types: Maybe<ReportTypesRow[]>;
  types_left_out: Maybe<number>;
  /** `by=signature`: origin of the code */
  origin: Maybe<string>;
  /** this and the fields below: for `by=buffer`, else null */
  buffer: Maybe<number>;
  /** null: always there */
  tenancy: Maybe<number>;
  /** address in the heap; null: always there */
  offset_bytes: Maybe<number>;
  /** held from here on; null: always there */
  start_step: Maybe<number>;
  /** up to, not including, this one */
  end_step: Maybe<number>;
  /** that defines it */
  instruction: Maybe<string>;
  /** without layout */
  shape: Maybe<string>;
  /** of `report/details` */
  row: Maybe<string>;
  /** instructions inside */
  fused: Maybe<number>;
  /** computation inside a fusion */
  body: Maybe<string>;
  /** of the instruction */
  operand_types: Maybe<string>;
  is_constant: boolean;
  /** values of a constant; null: not in the profile */
  literal: Maybe<ReportLiteral>;
}

export interface ReportGroupsAnswer {
  /** the requested steps */
  steps: ReportAsked[];
  /** null: no heap trace */
  peak_step: Maybe<number>;
  /** the highest step of each column of curves */
  columns: number[];
  /** null: not requested */
  times: Maybe<ReportTimed>;
  /** of all groups */
  total: ReportValues;
  /** held, at each of `steps` */
  live_bytes: number[];
  /** groups */
  n: number;
  /** the largest at the first step first */
  rows: ReportGroupsRow[];
  /** groups beyond `limit` */
  left_out: number;
  /** of these */
  rest: ReportValues;
}

export interface ReportBox {
  name: Name;
  /** without layout */
  shape: Name;
  /** null: always there */
  tenancy: Maybe<number>;
  /** null: an allocation without a logical buffer */
  buffer: Maybe<number>;
  /** address */
  offset_bytes: number;
  /** with padding */
  size_bytes: number;
  unpadded_bytes: number;
  /** held from here on */
  start_step: number;
  /** up to, not including, this one */
  end_step: number;
  /** of `report/details` */
  row: Name;
  /** number of buffers that use any of its bytes at any time, including itself */
  tenants: number;
}

export interface ReportHoleRow {
  /** address */
  offset_bytes: number;
  size_bytes: number;
}

export interface ReportHoles extends Columns<ReportHoleRow> {
  left_out: number;
  left_out_bytes: number;
  /** null: there is none */
  largest: Maybe<ReportHoleRow>;
}

export interface ReportResidentRow {
  name: Name;
  /** without layout */
  shape: Name;
  /** null: always there */
  tenancy: Maybe<number>;
  /** null: an allocation without a logical buffer */
  buffer: Maybe<number>;
  /** address */
  offset_bytes: number;
  /** with padding */
  size_bytes: number;
  unpadded_bytes: number;
  /** held from here on */
  start_step: number;
  /** up to, not including, this one */
  end_step: number;
  /** of `report/details` */
  row: Name;
}

export interface ReportResidents extends Columns<ReportResidentRow> {
  left_out: number;
  left_out_bytes: number;
}

export interface ReportHeap extends Columns<ReportBox> {
  /** null without a heap trace */
  step: Maybe<number>;
  /** live + holes + above + idle */
  heap_bytes: number;
  /** in the heap, at the step */
  live_bytes: number;
  /** held from the first to the last step */
  resident_bytes: number;
  /** highest held byte */
  top_bytes: number;
  /** free below a live buffer */
  holes_bytes: number;
  /** free above the highest held byte */
  above_bytes: number;
  /** bytes set aside, not live */
  idle_bytes: number;
  /** lifetimes of the program that have heap events */
  tenancies: number;
  /** boxes */
  left_out: number;
  left_out_bytes: number;
  holes: ReportHoles;
  /** buffers that are always there */
  residents: ReportResidents;
}

export interface ReportTenant {
  tenancy: number;
  buffer: number;
  /** held from here on */
  start_step: number;
  /** up to, not including, this one */
  end_step: number;
  /** address */
  offset_bytes: number;
  size_bytes: number;
  name: Name;
  /** of `report/details` */
  row: Name;
}

export interface ReportPlaceList extends Columns<ReportTenant> {
  /** of all */
  count: number;
  /** of all */
  total_bytes: number;
  /** indexes of lifetimes by first step, at most 65,536 */
  all: number[];
  all_left_out: number;
}

export interface ReportPinned {
  tenancy: number;
  buffer: number;
  name: string;
  /** that defines it */
  instruction: Maybe<string>;
  /** with layout */
  shape: string;
  /** of `report/details` */
  row: string;
  /** address */
  offset_bytes: number;
  /** first byte after it */
  end_bytes: number;
  size_bytes: number;
  /** held from here on */
  start_step: number;
  /** up to, not including, this one */
  end_step: number;
  /** how far the peak falls without it */
  saving_bytes: number;
}

export interface ReportPlace {
  /** null without a heap trace */
  step: Maybe<number>;
  /** the address */
  offset_bytes: number;
  /** all buffers ever at the address */
  tenants: ReportPlaceList;
  /** the requested buffer, else the one at the address at the step; null: free at this step */
  pinned: Maybe<ReportPinned>;
  /** buffers held at the same time as the pinned one, the largest first */
  conflicts: Maybe<ReportPlaceList>;
  /** buffers at its address before it */
  before: Maybe<ReportPlaceList>;
}

export interface ReportPlotted {
  buffer: number;
  name: string;
  /** that defines it */
  instruction: Maybe<string>;
  /** without layout */
  shape: string;
  /** of `report/details`; "": none */
  row: string;
  /** null: no lifetime of its own */
  tenancy: Maybe<number>;
  /** how it is held */
  state: 'live' | 'always' | 'no_events' | 'never' | 'elsewhere';
  /** index of an earlier row with the same storage */
  same_as: Maybe<number>;
  /** with padding */
  size_bytes: number;
  unpadded_bytes: number;
  /** at each of `steps` */
  at_bytes: number[];
  /** at the peak */
  peak_bytes: number;
  /** at each of `columns` */
  curve_bytes: number[];
}

export interface ReportHeldPiece {
  /** index in `rows` */
  of: number;
  /** held from here on */
  from_step: number;
  /** up to, not including, this one */
  to_step: number;
  size_bytes: number;
  /** address in the heap; null: always there */
  offset_bytes: Maybe<number>;
}

export interface ReportPlot {
  /** the requested steps */
  steps: ReportAsked[];
  /** null: no heap trace */
  peak_step: Maybe<number>;
  /** the highest step of each column of curves */
  columns: number[];
  /** of the memory space */
  step_count: number;
  heap_bytes: number;
  peak_bytes: number;
  /** in the requested order */
  rows: ReportPlotted[];
  /** of all rows, storage counted once */
  total: ReportValues;
  /** ranges of steps, at most 16,384 */
  pieces: Columns<ReportHeldPiece>;
  pieces_left_out: number;
}

export interface TransferOne {
  /** of the instruction */
  name: string;
  /** the array that it moves */
  operand: Maybe<string>;
  /** shape of the result, without layout */
  shape: string;
  /** true: it has an op name; false: added by the compiler */
  of_program: boolean;
  /** which devices communicate; null: not recorded */
  groups: Maybe<string>;
  /** the groups in words */
  groups_words: Maybe<string>;
}

export interface TransferRow {
  /** of the instructions, without their number */
  name: string;
  /** opcode */
  kind: string;
  /** memory space */
  from: string;
  /** memory space */
  to: string;
  /** transfers */
  count: number;
  /** number with an op name; the rest was added by the compiler */
  of_program: number;
  /** of the operands, without padding */
  operand_bytes: number;
  /** of the results, without padding */
  result_bytes: number;
  /** with `times`: over all executions and devices */
  self_ps: Maybe<number>;
  /** over all executions and devices: events */
  executions: Maybe<number>;
  /** over all executions and devices: waits of chips for pairs with a half in the group */
  wait_ps: Maybe<number>;
  /** at each of `steps` */
  at_bytes: number[];
  /** at the peak */
  peak_bytes: number;
  /** at each of `columns` */
  curve_bytes: number[];
  /** at most 20 */
  each: TransferOne[];
}

export interface TransferTotal {
  /** transfers */
  count: number;
  /** number with an op name; the rest was added by the compiler */
  of_program: number;
  /** of the operands, without padding */
  operand_bytes: number;
  /** of the results, without padding */
  result_bytes: number;
  /** at each of `steps` */
  at_bytes: number[];
  /** at the peak */
  peak_bytes: number;
  /** at each of `columns` */
  curve_bytes: number[];
}

export interface TransfersAnswer {
  /** the requested steps */
  steps: ReportAsked[];
  /** null: no heap trace */
  peak_step: Maybe<number>;
  /** the highest step of each column of curves */
  columns: number[];
  /** null: not requested */
  times: Maybe<ReportTimed>;
  /** groups */
  n: number;
  /** largest moved bytes first; values: bytes held */
  rows: TransferRow[];
  /** groups beyond `limit` */
  left_out: number;
  /** of all groups, listed or not */
  total: TransferTotal;
}

export interface OverviewEntry {
  name: string;
  id: string;
  /** instructions */
  ops: number;
  /** in `graph/text?format=long&metadata=1` */
  first_line: number;
}

export interface OverviewKinds {
  /** of while, call, conditional */
  called_computations: number;
  fusion_bodies: number;
  /** of reduce, sort, all-reduce, ... */
  called_regions: number;
  async_wrappers: number;
  other_computations: number;
}

export interface GraphHeavy {
  /** index of the instruction in the module */
  ix: number;
  /** of the instruction */
  id: string;
  /** name of the first of equal operations in repeated layers */
  name: string;
  opcode: string;
  /** kind of work */
  group: 'none' | 'matmul' | 'elem' | 'reduce' | 'move' | 'coll' | 'control' | 'host' | 'custom';
  /** `m×n×k`, with `batch·` in front when there is one; "": it holds none */
  matmul: string;
  /** from 1, in `graph/text?format=long&metadata=1`; null when the text folds it */
  line: Maybe<number>;
  /** name of the last of equal operations; "": only one */
  last: string;
  /** number of equal operations */
  repeat: number;
  /** by time: self time of the operations of the row */
  self_ps: Maybe<number>;
  /** the compiler's estimates, sum over all */
  cycles: Maybe<number>;
  /** of all of them */
  flops: Maybe<number>;
  /** read and written by all of them */
  moved_bytes: Maybe<number>;
  /** the last two parts of op_name */
  label: string;
}

export interface GraphHeaviestList extends Columns<GraphHeavy> {
  /** what they are heaviest by; bytes: moved */
  by: 'time' | 'cycles' | 'bytes';
  /** rows at most */
  limit: number;
}

export interface GraphOverview {
  /** key */
  module: string;
  name: string;
  program_id: string;
  instructions: number;
  computations: number;
  /** of `graph/text?format=long&metadata=1` */
  lines: number;
  /** the entry computation */
  entry: Maybe<OverviewEntry>;
  /** the compiler's estimate for the entry and everything that it calls */
  cycles: Maybe<number>;
  /** device that ran it, or that it was compiled for; "": unknown */
  device_type: string;
  /** of that device */
  peaks: Maybe<Peaks>;
  /** computations other than the entry */
  kinds: OverviewKinds;
  /** the most expensive operations */
  heaviest: GraphHeaviestList;
  /** of reading the module */
  warnings: WarningRow[];
  warnings_left_out: number;
}

export interface GraphTreeRow {
  /** for `parent` */
  key: string;
  label: string;
  kind: 'computation' | 'scope' | 'fold' | 'op' | 'group';
  /** number of occurrences of a fold: numbered scopes, equal operations, or a scope of which three quarters of the operations occur a multiple of that number */
  repeat: number;
  /** operations, including called computations below */
  ops: number;
  /** operations of one occurrence; null if they differ */
  ops_each: Maybe<number>;
  /** the compiler's estimates */
  cycles: Maybe<number>;
  /** read and written */
  moved_bytes: Maybe<number>;
  /** null: unknown; FLOPs of fusion bodies and other called regions count at their callers */
  flops: Maybe<number>;
  /** index of the only or first instruction */
  ix: Maybe<number>;
  /** of that instruction, or "" */
  id: string;
  /** of the first operation, or of the computation, in `graph/text?format=long&metadata=1` */
  line: Maybe<number>;
  /** kind of work with most time */
  group: 'none' | 'matmul' | 'elem' | 'reduce' | 'move' | 'coll' | 'control' | 'host' | 'custom';
  has_children: boolean;
}

export interface GraphLevel extends Columns<GraphTreeRow> {
  /** the parameter `parent` */
  parent: string;
  /** rows merged into the last one, which has no children */
  left_out: number;
  /** rows at most */
  limit: number;
}

export interface AroundCenter {
  ix: number;
  id: string;
  name: string;
  /** row of `nodes` */
  node: Maybe<number>;
}

export interface AroundNode {
  /** index of the instruction in the module */
  ix: number;
  /** of the instruction */
  id: string;
  /** of the instruction */
  name: string;
  /** path of an entry parameter in the caller's program, `params.blocks[0].up`; else "" */
  label: string;
  opcode: string;
  /** of a fusion, else "" */
  kind: string;
  /** path in the model's code; of a fusion without one, of what is inside */
  op_name: string;
  /** kind of work */
  group: 'none' | 'matmul' | 'elem' | 'reduce' | 'move' | 'coll' | 'control' | 'host' | 'custom';
  /** XProf's colour */
  scheme: 'white' | 'yellow' | 'green' | 'dark_blue' | 'purple' | 'gray' | 'brown' | 'dark_green' | 'orange' | 'dark_orange';
  /** from 1, in `graph/text?format=long&metadata=1`; null when the text folds it */
  line: Maybe<number>;
  /** of its computation */
  is_root: boolean;
  /** opcode of the collective that it is or contains, or "" */
  collective: string;
  /** of one execution */
  flops: Maybe<number>;
  /** read and written */
  moved_bytes: Maybe<number>;
  /** `m×n×k`, with `batch·` in front when there is one; "": it holds none */
  matmul: string;
  /** with layout */
  shape: string;
  /** of the result, with padding */
  size_bytes: number;
  /** of the result */
  elements: number;
  /** memory of the largest array of the result: HBM, VMEM, S(6); "" without one */
  space: string;
  /** the compiler's estimate */
  cycles: Maybe<number>;
  /** row of the cluster that contains it; -1: none */
  cluster: number;
  /** row of `clusters` that shows its body; -1: none */
  body: number;
  /** steps from the center */
  distance: number;
  state: 'hidden' | 'normal' | 'highlight' | 'some_operands' | 'no_operands' | 'some_users';
  /** how many */
  operands: number;
  /** number not drawn */
  operands_hidden: number;
  /** how many */
  users: number;
  /** number not drawn */
  users_hidden: number;
  /** for a start: name of its done; shape, bytes and space are those of the done */
  pair: string;
  /** its index; -1: none */
  pair_ix: number;
  /** its line */
  pair_line: Maybe<number>;
  /** number of equal instructions in this node */
  times: number;
  /** it has a body that can be shown */
  can_expand: boolean;
  /** what there is to know of it, or "" */
  note: string;
  /** text lines of the box, at most 32 and `...` */
  lines: string[];
}

export interface AroundCluster {
  /** its name */
  computation: string;
  /** index of the instruction that calls it */
  caller_ix: number;
  /** row of the cluster that contains it; -1: none */
  parent: number;
  is_fusion: boolean;
  /** `caller: computation` */
  title: string;
}

export interface AroundEdge {
  /** row of `nodes` */
  from: number;
  /** row of `nodes` */
  to: number;
  /** its number, from 0 */
  operand: number;
  kind: 'operand' | 'control' | 'body';
  /** of the value; null for control */
  size_bytes: Maybe<number>;
  /** fewer than 4,096 elements */
  is_small: boolean;
  /** element of a tuple; -1: the whole value */
  tuple: number;
  /** lines of the text between the two */
  distance: number;
}

export interface AroundStub {
  /** row of `nodes` */
  node: number;
  /** the other end uses the node; else the node uses it */
  is_user: boolean;
  /** of the other end */
  ix: number;
  /** of the other end */
  id: string;
  /** of the other end */
  name: string;
  /** of the other end */
  line: Maybe<number>;
  /** of the value */
  size_bytes: number;
}

export interface AroundCounts {
  /** nodes */
  shown: number;
  /** nodes of bodies, which are not in `of` */
  shown_in_bodies: number;
  /** nodes in reach */
  of: number;
  /** `of` is a lower bound */
  of_is_least: boolean;
  /** nodes in reach beyond `limit` */
  left_out: number;
  /** edges that became stubs */
  cut_edges: number;
  parallel_edges_left_out: number;
  bodies_left_out: number;
  /** the parameter */
  limit: number;
  /** the parameter `users` */
  users_limit: number;
  /** maximum of operands followed at one instruction */
  operands_limit: number;
  /** the parameter `far` */
  far_lines: number;
}

export interface Around {
  /** what is shown, in words */
  title: string;
  /** name */
  computation: string;
  /** null for a whole computation */
  center: Maybe<AroundCenter>;
  nodes: Columns<AroundNode>;
  /** bodies shown */
  clusters: Columns<AroundCluster>;
  edges: Columns<AroundEdge>;
  /** edges to nodes not drawn */
  stubs: Columns<AroundStub>;
  counts: AroundCounts;
  notes: string[];
}

export interface GraphPixel {
  /** kind of work with most of the pixel */
  group: 'none' | 'matmul' | 'elem' | 'reduce' | 'move' | 'coll' | 'control' | 'host' | 'custom';
  /** first instruction of the pixel */
  first_ix: Maybe<number>;
  /** its name, or "" */
  first_name: string;
  /** last instruction of the pixel */
  last_ix: Maybe<number>;
  /** cycles in the pixel; null by lines */
  cycles: Maybe<number>;
}

export interface GraphMarks {
  /** index of the instruction in the module */
  ix: number;
  /** pixel where it begins; null: not below this computation */
  px: Maybe<number>;
  /** in this computation or called from it */
  operands_ix: number[];
  /** pixels of these */
  operands_px: number[];
  /** likewise */
  users_ix: number[];
  /** pixels of these */
  users_px: number[];
  /** total number */
  operands: number;
  /** total number */
  users: number;
  /** of the lists */
  limit: number;
}

export interface GraphStrip extends Columns<GraphPixel> {
  /** its name */
  computation: string;
  /** what the width of an instruction is */
  by: 'cycles' | 'lines';
  /** cycles or instructions */
  total: number;
  /** position of the instruction `node`; null without `node` */
  node: Maybe<GraphMarks>;
}

export interface GraphListRow {
  /** index of the instruction in the module */
  ix: number;
  /** of the instruction */
  id: string;
  /** of the instruction */
  name: string;
  opcode: string;
  /** of a fusion, else "" */
  kind: string;
  /** path in the model's code; of a fusion without one, of what is inside */
  op_name: string;
  /** path of an entry parameter in the caller's program, `params.blocks[0].up`; else "" */
  label: string;
  /** with layout */
  shape: string;
  /** of the result, with padding */
  size_bytes: number;
  /** memory of the largest array of the result: HBM, VMEM, S(6); "" without one */
  space: string;
  /** kind of work */
  group: 'none' | 'matmul' | 'elem' | 'reduce' | 'move' | 'coll' | 'control' | 'host' | 'custom';
  /** the compiler's estimate */
  cycles: Maybe<number>;
  /** from 1, in `graph/text?format=long&metadata=1`; null when the text folds it */
  line: Maybe<number>;
  /** of its computation */
  is_root: boolean;
  /** opcode of the collective that it is or contains, or "" */
  collective: string;
  /** how many */
  operands: number;
  /** how many */
  users: number;
  /** rows of this computation, at most `rows_limit` */
  operand_rows: number[];
  /** rows of this computation, at most `rows_limit` */
  user_rows: number[];
}

export interface GraphList extends Columns<GraphListRow> {
  /** its name */
  computation: string;
  /** rows of the computation */
  total: number;
  /** number of the first row here */
  from: number;
  /** of `operand_rows` and `user_rows` */
  rows_limit: number;
}

export interface GraphPathRow {
  /** index of the instruction in the module */
  ix: number;
  /** of the instruction */
  id: string;
  /** of the instruction */
  name: string;
  opcode: string;
  /** with layout */
  shape: string;
  /** of the result, with padding */
  size_bytes: number;
  /** kind of work */
  group: 'none' | 'matmul' | 'elem' | 'reduce' | 'move' | 'coll' | 'control' | 'host' | 'custom';
  /** from 1, in `graph/text?format=long&metadata=1`; null when the text folds it */
  line: Maybe<number>;
  /** computation that contains it */
  computation: string;
  /** the compiler's estimate */
  cycles: Maybe<number>;
  /** operand that the previous row is; null: through a body's root, or the first row */
  operand: Maybe<number>;
}

export interface GraphWay extends Columns<GraphPathRow> {
  found: boolean;
  /** the value flows from `to` to `from`, as do the rows */
  reversed: boolean;
  /** a sentence when none was found, else "" */
  why: string;
}

export interface GraphFound {
  /** index of the instruction in the module */
  ix: number;
  /** of the instruction */
  id: string;
  /** of the instruction */
  name: string;
  opcode: string;
  /** path in the model's code; of a fusion without one, of what is inside */
  op_name: string;
  /** with layout */
  shape: string;
  /** of the result, with padding */
  size_bytes: number;
  /** from 1, in `graph/text?format=long&metadata=1`; null when the text folds it */
  line: Maybe<number>;
  /** the compiler's estimate */
  cycles: Maybe<number>;
  /** kind of work */
  group: 'none' | 'matmul' | 'elem' | 'reduce' | 'move' | 'coll' | 'control' | 'host' | 'custom';
  /** computation that contains it */
  computation: string;
}

export interface GraphSearch extends Columns<GraphFound> {
  /** matches, listed or not */
  total: number;
  took_ms: number;
  /** why a pattern is taken as plain text, or which limit it reached and how many texts were not checked; else "" */
  problem: string;
}

export interface NodeOp {
  /** index of the instruction in the module */
  ix: number;
  /** of the instruction */
  id: string;
  /** of the instruction */
  name: string;
  /** path of an entry parameter in the caller's program, `params.blocks[0].up`; else "" */
  label: string;
  opcode: string;
  /** of a fusion, else "" */
  kind: string;
  /** path in the model's code; of a fusion without one, of what is inside */
  op_name: string;
  /** with layout */
  shape: string;
  /** of the result, with padding */
  size_bytes: number;
  /** of the result */
  elements: number;
  /** memory of the largest array of the result: HBM, VMEM, S(6); "" without one */
  space: string;
  /** kind of work */
  group: 'none' | 'matmul' | 'elem' | 'reduce' | 'move' | 'coll' | 'control' | 'host' | 'custom';
  /** XProf's colour */
  scheme: 'white' | 'yellow' | 'green' | 'dark_blue' | 'purple' | 'gray' | 'brown' | 'dark_green' | 'orange' | 'dark_orange';
  /** from 1, in `graph/text?format=long&metadata=1`; null when the text folds it */
  line: Maybe<number>;
  /** of its computation */
  is_root: boolean;
  /** opcode of the collective that it is or contains, or "" */
  collective: string;
  /** the compiler's estimate */
  cycles: Maybe<number>;
  /** of one execution */
  flops: Maybe<number>;
  /** read and written */
  moved_bytes: Maybe<number>;
  /** `m×n×k`, with `batch·` in front when there is one; "": it holds none */
  matmul: string;
}

export interface NodeHome {
  name: string;
  is_entry: boolean;
  is_fusion: boolean;
  /** instructions */
  ops: number;
  /** in `graph/text?format=long&metadata=1`; null when it is folded */
  line: Maybe<number>;
}

export interface NearOp {
  /** index of the instruction in the module */
  ix: number;
  /** of the instruction */
  id: string;
  /** of the instruction */
  name: string;
  opcode: string;
  /** with layout */
  shape: string;
  /** of the result, with padding */
  size_bytes: number;
  /** memory of the largest array of the result: HBM, VMEM, S(6); "" without one */
  space: string;
  /** from 1, in `graph/text?format=long&metadata=1`; null when the text folds it */
  line: Maybe<number>;
  /** kind of work */
  group: 'none' | 'matmul' | 'elem' | 'reduce' | 'move' | 'coll' | 'control' | 'host' | 'custom';
}

export interface NearOps extends Columns<NearOp> {
  /** number of them; at most `rows_limit` are listed */
  total: number;
}

export interface OperandOp {
  /** its number, from 0 */
  operand: number;
  /** index of the instruction in the module */
  ix: number;
  /** of the instruction */
  id: string;
  /** of the instruction */
  name: string;
  opcode: string;
  /** with layout */
  shape: string;
  /** of the result, with padding */
  size_bytes: number;
  /** memory of the largest array of the result: HBM, VMEM, S(6); "" without one */
  space: string;
  /** from 1, in `graph/text?format=long&metadata=1`; null when the text folds it */
  line: Maybe<number>;
  /** kind of work */
  group: 'none' | 'matmul' | 'elem' | 'reduce' | 'move' | 'coll' | 'control' | 'host' | 'custom';
  /** path of an entry parameter in the caller's program, `params.blocks[0].up`; else "" */
  label: string;
}

export interface OperandOps extends Columns<OperandOp> {
  /** number of them; at most `rows_limit` are listed */
  total: number;
  /** operands that the module does not have */
  missing: number;
}

export interface NodeCall {
  /** "": the module does not have it */
  computation: string;
  /** instructions */
  ops: number;
  /** in `graph/text?format=long&metadata=1`; null when it is folded */
  line: Maybe<number>;
  /** what a trivial one does (`add`, `max`); else "" */
  does: string;
}

export interface NodeCalls extends Columns<NodeCall> {
  /** number of them; at most `rows_limit` are listed */
  total: number;
}

export interface NodeFrame {
  file: string;
  function: string;
  line: number;
}

export interface NodeSource {
  file: Maybe<string>;
  line: Maybe<number>;
  /** innermost first */
  stack: NodeFrame[];
  /** the stack continues */
  stack_cut: boolean;
  /** true: taken from an instruction inside */
  inside_fusion: boolean;
}

export interface NodeAnswer {
  /** one row */
  node: Columns<NodeOp>;
  /** computation that contains it */
  computation: NodeHome;
  /** instruction that calls this computation; null for the entry */
  caller: NearOps;
  operands: OperandOps;
  users: NearOps;
  /** instructions that must run before it */
  control: NearOps;
  /** the done of a start, the start of a done */
  pair: NearOps;
  /** computations that it calls */
  calls: NodeCalls;
  /** in the user's program */
  source: NodeSource;
  rows_limit: number;
}

export interface GraphOpcode {
  opcode: string;
  /** instructions */
  count: number;
  /** the compiler's estimates */
  cycles: Maybe<number>;
  /** FLOPs of the instructions themselves, without called computations */
  flops: Maybe<number>;
  /** read and written */
  moved_bytes: Maybe<number>;
  /** of all results */
  result_bytes: number;
  /** name of one */
  first: string;
}

export interface GraphOpcodes extends Columns<GraphOpcode> {
  /** summed over */
  computations: number;
  /** of all opcodes */
  instructions: number;
  /** operands, one for each use */
  edges: number;
  fusions: number;
}

export interface GraphCall {
  /** calls from the top */
  depth: number;
  /** its name */
  computation: string;
  /** instructions in it */
  ops: number;
  /** number of instructions that call it */
  callers: number;
  /** name of the first, "": none */
  caller: string;
  /** of the first caller */
  opcode: string;
  /** of its head, in `graph/text?format=long&metadata=1` */
  line: Maybe<number>;
}

export interface GraphCallTree extends Columns<GraphCall> {
  /** computations beyond `count` */
  left_out: number;
}

export interface GraphCriticalRow {
  /** index of the instruction in the module */
  ix: number;
  /** of the instruction */
  id: string;
  /** of the instruction */
  name: string;
  opcode: string;
  /** path in the model's code; of a fusion without one, of what is inside */
  op_name: string;
  /** with layout */
  shape: string;
  /** of the result, with padding */
  size_bytes: number;
  /** kind of work */
  group: 'none' | 'matmul' | 'elem' | 'reduce' | 'move' | 'coll' | 'control' | 'host' | 'custom';
  /** from 1, in `graph/text?format=long&metadata=1`; null when the text folds it */
  line: Maybe<number>;
  /** cycles or operations that it adds; for a loop or call, the chain inside, once */
  own: number;
}

export interface GraphCriticalChain extends Columns<GraphCriticalRow> {
  /** what `length` and `own` count */
  by: 'cycles' | 'ops';
  /** of the chain */
  length: number;
  /** operations of the chain */
  total: number;
  /** operations not listed at the beginning; the last 5,000 are listed */
  left_out: number;
}

export interface GraphLayoutRow {
  /** index of the instruction in the module */
  ix: number;
  /** of the instruction */
  id: string;
  /** of the instruction */
  name: string;
  opcode: string;
  /** read and written */
  moved_bytes: Maybe<number>;
  /** the compiler's estimate */
  cycles: Maybe<number>;
  /** from 1, in `graph/text?format=long&metadata=1`; null when the text folds it */
  line: Maybe<number>;
  /** path in the model's code; of a fusion without one, of what is inside */
  op_name: string;
  /** with layout */
  shape: string;
  /** name of the operand */
  from: string;
  /** of the operand, with layout */
  from_shape: string;
}

export interface GraphLayouts extends Columns<GraphLayoutRow> {
  /** operations that change a layout, listed or not */
  total: number;
  /** read and written by all of them */
  total_moved_bytes: number;
}

export interface GraphNearRow {
  /** steps from `node` */
  distance: number;
  /** index of the instruction in the module */
  ix: number;
  /** of the instruction */
  id: string;
  /** of the instruction */
  name: string;
  opcode: string;
  /** with layout */
  shape: string;
  /** of the result, with padding */
  size_bytes: number;
  /** the compiler's estimate */
  cycles: Maybe<number>;
  /** from 1, in `graph/text?format=long&metadata=1`; null when the text folds it */
  line: Maybe<number>;
  /** path in the model's code; of a fusion without one, of what is inside */
  op_name: string;
  /** computation that contains it */
  computation: string;
}

export interface GraphNear extends Columns<GraphNearRow> {
  /** found and not listed */
  left_out: number;
}

export interface GraphTime {
  /** index of the instruction in the module */
  ix: number;
  /** of the instruction */
  id: string;
  /** of the instruction */
  name: string;
  /** events: an execution on a GPU can be several kernels */
  count: number;
  /** of all executions */
  total_ps: number;
  /** without the operations nested in it, such as the body of a loop */
  self_ps: number;
  /** of the total */
  mean_ps: number;
  min_ps: number;
  max_ps: number;
  /** for each half of an asynchronous pair: the time the chip waited, which is the time of the done; null: not a half, or the done was not measured */
  wait_total_ps: Maybe<number>;
  /** likewise */
  wait_mean_ps: Maybe<number>;
  /** name of the done */
  done: Maybe<string>;
  /** number of devices that ran it */
  devices: number;
  fastest_device_mean_ps: number;
  slowest_device_mean_ps: number;
}

export interface GraphTimesDevice {
  /** of the trace */
  process: number;
  name: string;
  /** -1: none */
  number: number;
}

export interface GraphTimesShare {
  /** of the instructions */
  row: number;
  /** row of `device` */
  device: number;
  /** events */
  count: number;
  total_ps: number;
  self_ps: number;
  min_ps: number;
  max_ps: number;
}

export interface GraphTimes extends Columns<GraphTime> {
  /** the times are known; false: the rows and the fields below are empty */
  known: boolean;
  /** why not */
  reason: Maybe<string>;
  /** host of the events; null: all hosts together */
  host: Maybe<string>;
  /** other hosts that ran the program; their times are not in this answer, ask with `host` */
  other_hosts: string[];
  /** executions of the program on all hosts */
  runs: Maybe<number>;
  /** device: all durations are the device's own; host: aligned with the host's clock */
  clock: Maybe<'device' | 'host' | 'mixed'>;
  /** instructions with times */
  joined: number;
  /** operations of the trace that name no instruction */
  not_joined: number;
  /** events whose nesting was not checked */
  nesting_unchecked: number;
  /** that ran the program */
  device: Columns<GraphTimesDevice>;
  /** with `shares`: an entry for each instruction and device that ran it */
  shares: Maybe<Columns<GraphTimesShare>>;
  /** of all operations; not with `instruction` */
  all_self_ps: Maybe<number>;
  /** as in `graph/overview`, by time; not with `instruction` */
  heaviest: Maybe<GraphHeaviestList>;
}

export interface InputRuleRow {
  class: string;
  /** how `text` is compared with the name of an event */
  match: string;
  text: string;
  /** of the parameter `rules` */
  own: boolean;
}

export interface InputVerdictAnswer {
  /** host of these threads */
  host: string;
  /** marks of the program; periods from the end of one mark to the next; those of overview with the time before each; launches of the program */
  steps_are: 'marks' | 'periods' | 'launches' | 'overview' | 'none';
  /** what a step is, in words; null: a mark, or no steps */
  step_is: Maybe<string>;
  /** Overview's mean step and that of this answer, where they differ by 5 % */
  steps_apart: Maybe<string>;
  /** why there are no steps; null: there are steps */
  why_none: Maybe<string>;
  /** steps that the numbers cover */
  steps: number;
  /** no: below 5 %; partly: up to 20 %; yes: above; unknown: unknown time could change the verdict */
  says: 'no' | 'partly' | 'yes' | 'unknown';
  /** share of the steps in which the program, or a chip in infeed, waits for input */
  share: Maybe<number>;
  /** including all unexplained time */
  most_share: Maybe<number>;
  headline: string;
  detail: string;
  sentence: string;
  /** what would help, or what to record */
  advice: string;
  /** why the program waits */
  side: Maybe<'asks_late' | 'slow' | 'loader_waits' | 'itself' | 'infeed'>;
  /** all steps */
  length_ps: number;
  /** input time of the steps */
  wait_ps: number;
  /** mean */
  step_ps: number;
  /** mean of a step without its input time */
  without_input_ps: number;
  /** step / without input */
  faster: Maybe<number>;
  /** threads that load or preprocess */
  loaders: number;
  /** work of all loaders per step, mean */
  batch_ps: Maybe<number>;
  /** time of batch_ps spent loading */
  load_ps: Maybe<number>;
  /** number of loaders needed: batch / without input, rounded up */
  needed: Maybe<number>;
  /** of the host, as tf.data reports; null: not in the file */
  cores: Maybe<number>;
  /** share of the loaders' time spent waiting for room in the queue */
  full_share: Maybe<number>;
  /** time in which some device of the host works; null: none was recorded */
  busy_ps: Maybe<number>;
  /** all devices idle while the program waits for input */
  idle_input_ps: Maybe<number>;
  /** all devices idle while the program transfers */
  idle_transfer_ps: Maybe<number>;
  /** other idle time; the four add up to the steps */
  idle_other_ps: Maybe<number>;
  /** chips wait in infeed, mean of the chips, all steps */
  infeed_ps: number;
  /** calls of Python were recorded in the steps */
  python: boolean;
  /** threads of tf.data's map functions work for a step, mean */
  map_ps: Maybe<number>;
  /** stages of tf.data */
  tf_stages: number;
  /** in order; the first that applies decides */
  rules: Columns<InputRuleRow>;
}

export interface InputStepRow {
  /** of the step; with `bars` of the slowest in the bar */
  number: number;
  /** number of steps in the bar: 1 without `bars` */
  steps: number;
  /** host-aligned */
  start_ps: number;
  /** sum of the parts up to `other_ps` */
  duration_ps: number;
  /** for a batch */
  wait_ps: number;
  /** by the program itself */
  load_ps: number;
  /** likewise */
  preprocess_ps: number;
  /** to the device */
  transfer_ps: number;
  launch_ps: number;
  /** fetches a result, and waits for it */
  result_ps: number;
  /** no event with a class, while a device works */
  compute_ps: number;
  /** none of these: unknown */
  other_ps: number;
  /** by all loaders together, during the step */
  loader_load_ps: number;
  /** likewise */
  loader_preprocess_ps: number;
  /** loaders wait for room in their queue */
  loader_full_ps: number;
  /** load and preprocess of the busiest loader */
  loader_most_ps: number;
  /** time in which some device works; null: none was recorded */
  busy_ps: Maybe<number>;
  /** all devices idle while the program waits for input */
  idle_input_ps: Maybe<number>;
  /** chips wait in infeed, mean */
  infeed_ps: number;
}

export interface InputStepsAnswer extends Columns<InputStepRow> {
  /** start of the trace, since 1970; other times count from here */
  base_ps: string;
  /** host of these threads */
  host: string;
  /** as in input/verdict */
  steps_are: 'marks' | 'periods' | 'launches' | 'overview' | 'none';
  /** why there are no steps; null: there are steps */
  why_none: Maybe<string>;
  /** steps requested */
  total: number;
  /** threads that load or preprocess */
  loaders: number;
  /** of the first row */
  offset: number;
  /** rows not listed */
  left_out: number;
}

export interface InputLaneRow {
  name: string;
  role: 'program' | 'loader' | 'device' | 'runtime';
  /** of trace/rows; null: all devices */
  row: Maybe<number>;
}

export interface InputPieceRow {
  lane: number;
  class: 'wait' | 'load' | 'preprocess' | 'transfer' | 'launch' | 'result' | 'compute' | 'other' | 'full' | 'rest';
  /** host-aligned */
  start_ps: number;
  duration_ps: number;
}

export interface InputLanesAnswer {
  /** start of the trace, since 1970; other times count from here */
  base_ps: string;
  /** of the first step */
  from_ps: number;
  /** of the last step */
  to_ps: number;
  /** the step and its neighbours */
  steps: Columns<InputStepRow>;
  /** the program, loaders, then the devices */
  lanes: InputLaneRow[];
  /** by lane, then time; a piece narrower than a pixel is part of the wider one before it */
  pieces: Columns<InputPieceRow>;
}

export interface InputStageRow {
  class: 'wait' | 'load' | 'preprocess' | 'transfer' | 'launch' | 'result' | 'compute' | 'other' | 'full' | 'rest';
  /** the first thread of its pool; `devices`: all of them */
  thread: string;
  /** of the thread */
  role: 'program' | 'loader' | 'device' | 'runtime';
  /** of the thread in trace/rows */
  row: Maybe<number>;
  /** the stage that contains this call; null: this is a stage */
  parent: Maybe<number>;
  /** the event that decided the class, or the inner call; null: no event */
  name: Maybe<string>;
  /** file and line, for a Python frame */
  source: Maybe<string>;
  /** number of these events that touch the steps */
  count: number;
  /** in all steps; parallel threads add up */
  total_ps: number;
  /** a step */
  mean_ps: number;
  /** of the steps */
  share: number;
  /** of a step; null for inner calls */
  p50_ps: Maybe<number>;
  /** in one step */
  most_ps: Maybe<number>;
  /** which */
  most_step: Maybe<number>;
}

export interface InputStagesAnswer extends Columns<InputStageRow> {
  /** host of these threads */
  host: string;
  /** why there are no steps; null: there are steps */
  why_none: Maybe<string>;
  steps: number;
  /** all steps */
  length_ps: number;
}

export interface InputThreadRow {
  /** of an unnamed thread, its longest call */
  name: string;
  role: 'program' | 'loader' | 'device' | 'runtime';
  /** of trace/rows */
  row: number;
  /** under any event, in the steps */
  busy_ps: number;
  /** of the steps */
  busy_share: number;
  /** waits for a batch; null from here on: neither program nor loader */
  wait_ps: Maybe<number>;
  load_ps: Maybe<number>;
  preprocess_ps: Maybe<number>;
  transfer_ps: Maybe<number>;
  /** waits for room in its queue */
  full_ps: Maybe<number>;
  /** other waits, or passing data on */
  rest_ps: Maybe<number>;
}

export interface InputThreadsAnswer extends Columns<InputThreadRow> {
  /** host of these threads */
  host: string;
  /** why there are no steps; null: there are steps */
  why_none: Maybe<string>;
  /** all steps */
  length_ps: number;
}

export interface InputTfRow {
  /** last part of its path */
  stage: string;
  /** from the end of the pipeline; the iterators of a stage are one */
  path: string;
  /** the stage that calls it; null: the last of a pipeline */
  parent: Maybe<number>;
  depth: number;
  dataset: Maybe<string>;
  /** that begin in the steps */
  calls: number;
  /** time in calls, including waiting and the stages below on the same thread */
  total_ps: number;
  /** the same without the stages below */
  self_ps: number;
  /** a call */
  mean_ps: Maybe<number>;
  /** threads that call it */
  threads: number;
  /** as tf.data reports; null here and below: not reported */
  parallelism: Maybe<number>;
  /** elements in its buffer, at the last call */
  buffered: Maybe<number>;
  /** capacity of the buffer in elements */
  buffer_size: Maybe<number>;
  batch_size: Maybe<number>;
  autotune: Maybe<string>;
  /** of an element */
  shapes: Maybe<string>;
  types: Maybe<string>;
}

export interface InputTfdataAnswer extends Columns<InputTfRow> {
  /** host of these threads */
  host: string;
  /** why there are no stages; null: there are stages */
  why_none: Maybe<string>;
  /** all steps */
  length_ps: number;
  steps: number;
  /** stage with the most self time */
  bounds: Maybe<number>;
  /** time in which some thread of the map functions works, in all steps */
  map_busy_ps: Maybe<number>;
  /** operation with the most time on these threads */
  map_operation: Maybe<string>;
  map_operation_ps: Maybe<number>;
  /** cores that tf.data plans with */
  cpu_budget: Maybe<number>;
  /** memory that tf.data plans with */
  ram_budget_bytes: Maybe<number>;
}

export interface SearchRow {
  kind: 'module' | 'buffer' | 'op';
  name: string;
  /** key of a module, shape of a buffer, opcode and shape of an instruction */
  detail: string;
  /** key */
  module: string;
  /** buffer of the row, or of the result of an instruction */
  buffer: Maybe<number>;
  /** for an instruction: name of that buffer, if it differs */
  held_by: Maybe<string>;
  /** for a buffer found by the name of an instruction in it: the name */
  holds: Maybe<string>;
  instruction_id: Maybe<number>;
  /** color of the buffer's memory space */
  space: Maybe<number>;
  /** first step of the buffer */
  step: Maybe<number>;
  /** of a buffer, or of an instruction's result */
  size_bytes: Maybe<number>;
  /** how far the peak falls without the buffer */
  saving_bytes: Maybe<number>;
}

export interface SearchAnswer extends Columns<SearchRow> {
  /** the parameter `parent` */
  q: string;
  /** what the search could not check */
  note: Maybe<string>;
  /** the operation that `q` names */
  opcode: Maybe<string>;
  /** description of that operation */
  opcode_text: Maybe<string>;
  /** rows found, listed or not */
  total: number;
  total_modules: number;
  total_buffers: number;
  total_ops: number;
  /** buffers in memory spaces other than `space` */
  other_spaces: number;
  /** rows in modules other than `module` */
  other_modules: number;
}

export interface DoctorHeapRow {
  /** file name with # for the number */
  series: string;
  /** of the series */
  files: number;
  /** those that growth is told from; 0: growth is unknown */
  judged: number;
  /** the first of those */
  first: Maybe<string>;
  /** and the last */
  last: Maybe<string>;
  /** all that the last file holds */
  last_bytes: Maybe<number>;
  /** lines that grow; null: unknown */
  growing: Maybe<number>;
  /** why growth is unknown */
  reason: Maybe<string>;
}

export interface DoctorMeasured {
  /** events were recorded, and rules of time checked */
  known: boolean;
  /** why not */
  reason: Maybe<string>;
  /** whose times these are */
  host: Maybe<string>;
  /** other hosts with events, which are not in these numbers */
  other_hosts: number;
  /** of the operations */
  clock: Maybe<'device' | 'host' | 'mixed'>;
  /** chips that ran the program; without a program, chips with steps */
  chips: number;
  /** executions of the program on all chips; null: unknown */
  runs: Maybe<number>;
  /** self time of its operations in all these runs */
  operations_ps: number;
  /** over all chips; 0: none was recorded */
  steps: number;
  /** program whose runs are the steps, if not `module`; null: it is, or they are marked */
  steps_of: Maybe<string>;
  /** of the steps */
  steps_clock: Maybe<'device' | 'host'>;
  /** rules of time that could not be checked, and why */
  not_judged: Maybe<string>;
}

export interface DoctorSetting {
  name: string;
  value: number;
  /** the default in docs/CI.md */
  default_value: number;
  unit: 'share' | 'bytes' | 'count' | 'us';
  help: string;
}

export interface FindingSourceLine {
  file: string;
  line: Maybe<number>;
}

export interface FindingNumber {
  name: string;
  value: number;
  /** of the value */
  unit: 'bytes' | 'count' | 'step' | 'permille' | 'ps';
}

export interface FindingOpRow {
  /** of the instruction */
  name: string;
  /** in one execution of the program; trace/ops has the sum over all executions */
  self_ps: number;
  /** the largest possible saving of an execution */
  saving_ps: number;
}

export interface FindingListedRow {
  buffer: number;
  /** path of an argument as the program calls it, else `%` and the instruction */
  name: string;
}

export interface FindingList extends Columns<FindingListedRow> {
  what: 'buffer' | 'argument';
  /** listed or not */
  count: number;
}

export interface FindingRow {
  /** of the rule: D01 to D30 of memory, T01 to T13 of time, H01 of heap files */
  id: string;
  /** of the rule */
  name: string;
  kind: 'memory' | 'time' | 'heap';
  severity: 'error' | 'warn' | 'info';
  /** fact: follows from the file; likely: matched by names and shapes; hint: worth a look */
  confidence: 'fact' | 'likely' | 'hint';
  /** memory space; null: of time, of heap files, or of no space */
  space: Maybe<number>;
  space_name: Maybe<string>;
  /** one or two sentences with the numbers */
  claim: string;
  /** what to try */
  advice: string;
  /** when it may be wrong */
  wrong_when: Maybe<string>;
  /** text that patterns of muted rules are matched against */
  place: Maybe<string>;
  /** the main instruction of the finding */
  instruction: Maybe<string>;
  /** of that instruction */
  op_name: Maybe<string>;
  /** of that instruction, or of the line of a heap file */
  source: Maybe<FindingSourceLine>;
  /** of heap files: key of the line's row in heap/lines */
  line: Maybe<string>;
  /** the numbers of the claim, machine-readable */
  numbers: FindingNumber[];
  /** rank of the finding: the saving as a share of `share_of`; null: no saving is computed */
  share: Maybe<number>;
  /** for time a run or a step; for bytes the device's memory, or the peak if its size is unknown; for heap files what the last file holds */
  share_of: Maybe<string>;
  /** for time: the largest possible saving of the run or step */
  saving_ps: Maybe<number>;
  /** for time: its length */
  of_ps: Maybe<number>;
  /** for time: largest saving first, at most 1,000 */
  operations: Columns<FindingOpRow>;
  /** beyond these */
  operations_left_out: number;
  /** size of the buffers of the finding; of heap files the growth */
  size_bytes: number;
  /** how far the peak falls when `action` is applied to the buffers */
  saving_bytes: Maybe<number>;
  /** drop, unpad, halve, ...: the change that the saving assumes */
  action: Maybe<string>;
  /** after it */
  new_peak_bytes: Maybe<number>;
  /** where that peak is */
  new_step: Maybe<number>;
  /** whether the program then fits into the main memory; null: unknown, or another space */
  fits_then: Maybe<'yes' | 'no'>;
  /** why the saving is less than the size of the finding */
  saving_note: Maybe<string>;
  /** indices in `findings` of findings that change the same buffers; their savings do not add up */
  overlaps: number[];
  buffer_count: number;
  /** largest first, at most 1,000 */
  buffers: number[];
  /** beyond these */
  buffers_left_out: number;
  /** name of the largest buffer */
  largest: Maybe<string>;
  /** with its layout */
  largest_shape: Maybe<string>;
  /** what to show: the buffers, or the arguments that should be donated */
  listed: FindingList;
  /** why it is muted; null: not muted */
  silenced: Maybe<string>;
}

export interface DoctorAnswer {
  /** 1 */
  schema: number;
  run: string;
  /** key; null: the profile holds no program */
  module: Maybe<string>;
  /** series of heap files; empty: the run has none */
  heap: DoctorHeapRow[];
  /** of the main memory */
  capacity_bytes: Maybe<number>;
  /** where the value comes from */
  capacity_from: Maybe<string>;
  /** why it is unknown */
  capacity_unknown: Maybe<string>;
  /** number of the main memory; null: the program has none */
  space: Maybe<number>;
  /** of the main memory */
  peak_bytes: Maybe<number>;
  peak_step: Maybe<number>;
  /** of memory, of time, of heap files */
  rules_checked: number;
  /** rules of these not checked, because data is missing */
  rules_not_judged: number;
  /** rules of memory or heap files that could not be checked, and why */
  not_judged: Maybe<string>;
  /** times, where events were recorded */
  measured: DoctorMeasured;
  /** thresholds that differ from docs/CI.md */
  settings: DoctorSetting[];
  /** findings that are not muted */
  found: number;
  /** findings that are muted */
  silenced: number;
  /** number that a page shows before it folds */
  shown: number;
  /** `does-not-fit` first, then by share, muted ones last */
  findings: FindingRow[];
}

export interface ComparedSide {
  /** its id */
  run: string;
  /** key of the program */
  module: string;
  /** of the compiler; null: not in the profile */
  versions: Maybe<string>;
  /** this and the next seven: null without a buffer assignment */
  peak_bytes: Maybe<number>;
  /** bytes that the compiler reserves */
  reserved_bytes: Maybe<number>;
  /** bytes reserved but not live at the peak */
  fragmentation_bytes: Maybe<number>;
  /** at the peak */
  padding_bytes: Maybe<number>;
  /** of all groups */
  sum_bytes: Maybe<number>;
  /** held from the first to the last step */
  resident_bytes: Maybe<number>;
  /** size of the heaps */
  heap_bytes: Maybe<number>;
  /** of the memory space */
  steps: Maybe<number>;
  /** null: no heap trace */
  peak_step: Maybe<number>;
  /** instruction that runs at the peak */
  peak_instruction: Maybe<string>;
  /** of the program */
  instructions: number;
  instructions_outside_fusions: number;
  /** of one execution of the entry computation, loops once */
  flops: Maybe<number>;
  /** likewise */
  accessed_bytes: Maybe<number>;
  /** of the memory space, on one device */
  capacity_bytes: Maybe<number>;
  /** where the value comes from */
  capacity_from: Maybe<string>;
  /** why it is unknown */
  capacity_unknown: Maybe<string>;
}

export interface ComparedGroup {
  state: 'same' | 'changed' | 'only_before' | 'only_after' | 'left_the_peak' | 'into_the_peak';
  /** null: overlapping bytes */
  class: Maybe<'parameter' | 'output' | 'thread_local' | 'constant' | 'temporary'>;
  /** kind of the operation that produces it */
  group: Maybe<'none' | 'matmul' | 'elem' | 'reduce' | 'move' | 'coll' | 'control' | 'host' | 'custom'>;
  opcode: Name;
  scope: Name;
  /** file and line */
  source: Name;
  /** without layout */
  shape: Name;
  /** of one of its buffers */
  name: Name;
  /** one of its buffers; null: none */
  before_buffer: Maybe<number>;
  /** likewise */
  after_buffer: Maybe<number>;
  /** at the peak */
  before_count: number;
  /** likewise */
  after_count: number;
  /** at the peak */
  before_bytes: number;
  /** likewise */
  after_bytes: number;
  /** after minus before */
  difference_bytes: number;
}

export interface ComparedRest {
  /** groups that are not listed */
  count: number;
  before_bytes: number;
  after_bytes: number;
}

export interface ComparedOpcode {
  opcode: string;
  /** instructions outside of fusions */
  before: number;
  /** likewise */
  after: number;
}

export interface ComparedAgain {
  scope: string;
  /** fusions that recompute */
  before_fusions: number;
  /** likewise */
  after_fusions: number;
}

export interface ComparedFinding {
  state: 'new' | 'gone' | 'stays';
  /** of the rule */
  id: string;
  severity: 'error' | 'warn' | 'info';
  /** claim of the finding after, else of the one before */
  claim: string;
  /** null: not found before */
  before_saving_bytes: Maybe<number>;
  /** null: not found after */
  after_saving_bytes: Maybe<number>;
}

export interface Compared {
  /** 1; another number when a key changes its meaning */
  schema: number;
  before: ComparedSide;
  after: ComparedSide;
  /** colour of the memory space after */
  space: number;
  space_name: string;
  /** of the peaks, after less before */
  difference_bytes: Maybe<number>;
  /** the groups add up to the peaks */
  closes: boolean;
  groups_total: number;
  groups_different: number;
  /** why the memory cannot be compared */
  nothing_to_compare: Maybe<string>;
  /** false: see `mismatches` */
  same_workload: boolean;
  /** sentences */
  mismatches: string[];
  /** the largest difference first */
  groups: Columns<ComparedGroup>;
  /** groups beyond the first 2,000 */
  rest: ComparedRest;
  /** those whose count differs, at most 100 */
  opcodes: Columns<ComparedOpcode>;
  opcodes_left_out: number;
  opcodes_same: number;
  /** scopes with rematted_computation whose number of fusions differs, at most 100 */
  recomputed: Columns<ComparedAgain>;
  recomputed_left_out: number;
  /** new, gone, stays */
  findings: ComparedFinding[];
}

export interface ComparedExtreme {
  slot: number;
  /** after minus before */
  difference_bytes: number;
}

export interface ComparedColumn {
  first_slot: number;
  /** step at the first slot */
  before_step: Maybe<number>;
  /** likewise */
  after_step: Maybe<number>;
  /** slots in which both programs have a step */
  both: number;
  only_before: number;
  only_after: number;
  before_min_bytes: number;
  before_max_bytes: number;
  after_min_bytes: number;
  after_max_bytes: number;
  /** after minus before */
  difference_min_bytes: number;
  /** likewise */
  difference_max_bytes: number;
}

export interface ComparedCurve {
  /** places in the common order */
  slots: number;
  /** first slot of the window */
  from: number;
  /** slot after the last one */
  to: number;
  /** a column is one slot */
  exact: boolean;
  /** slots in which both programs have a step */
  matched: number;
  only_before: number;
  only_after: number;
  /** false: the programs were too long to align step by step */
  whole: boolean;
  before_peak_slot: Maybe<number>;
  after_peak_slot: Maybe<number>;
  /** of the difference, over all slots */
  lowest: Maybe<ComparedExtreme>;
  /** likewise */
  highest: Maybe<ComparedExtreme>;
  columns: Columns<ComparedColumn>;
}

export interface ComparedStepsSide {
  /** its id */
  run: string;
  /** key of the program */
  module: string;
  /** memory space */
  space: number;
  /** of that space */
  steps: number;
  /** null: no heap trace */
  peak_step: Maybe<number>;
  peak_bytes: number;
}

export interface ComparedStep {
  /** the requested step; null: the peak without a heap trace */
  after: Maybe<number>;
  /** the matching step; null: none */
  before: Maybe<number>;
  /** both are the peak; the same place in the order; the last step before that place */
  how: Maybe<'peak' | 'same' | 'last_before'>;
}

export interface ComparedSteps {
  before: ComparedStepsSide;
  after: ComparedStepsSide;
  /** false: the programs were too long to align step by step */
  whole: boolean;
  /** the requested steps */
  steps: ComparedStep[];
}

export interface ComparedStates {
  /** equal bytes */
  same: number;
  /** in both, with different bytes */
  changed: number;
  only_before: number;
  only_after: number;
  /** in both programs, at the peak only before */
  left_the_peak: number;
  /** in both programs, at the peak only after */
  into_the_peak: number;
}

export interface ComparedPair {
  state: 'same' | 'changed' | 'only_before' | 'only_after' | 'left_the_peak' | 'into_the_peak';
  /** null: overlapping bytes */
  class: Maybe<'parameter' | 'output' | 'thread_local' | 'constant' | 'temporary'>;
  /** kind of the operation that produces it */
  group: Maybe<'none' | 'matmul' | 'elem' | 'reduce' | 'move' | 'coll' | 'control' | 'host' | 'custom'>;
  opcode: Name;
  scope: Name;
  /** file and line */
  source: Name;
  /** null: none, or an allocation without a logical buffer */
  before_buffer: Maybe<number>;
  before_name: Name;
  /** without layout */
  before_shape: Name;
  /** null: absent before */
  before_bytes: Maybe<number>;
  /** likewise */
  before_padding_bytes: Maybe<number>;
  /** as before */
  after_buffer: Maybe<number>;
  after_name: Name;
  /** without layout */
  after_shape: Name;
  /** null: absent after */
  after_bytes: Maybe<number>;
  /** likewise */
  after_padding_bytes: Maybe<number>;
}

export interface ComparedBuffers {
  /** pairs, including equal ones */
  total: number;
  /** first row */
  offset: number;
  /** rows after these */
  left_out: number;
  /** number of rows of each state; they add up to `total` */
  states: ComparedStates;
  /** of all pairs */
  before_bytes: number;
  /** likewise */
  after_bytes: number;
  /** after minus before */
  difference_bytes: number;
  /** of the pairs after these rows */
  rest_before_bytes: number;
  /** likewise */
  rest_after_bytes: number;
  /** the largest difference first */
  buffers: Columns<ComparedPair>;
}

export interface ComparedLine {
  /** `renumbered`: equal except for numbers that the compiler assigns */
  state: 'same' | 'renumbered' | 'changed' | 'only_before' | 'only_after' | 'folded';
  /** whose text it is; a changed line is two rows */
  side: 'both' | 'before' | 'after';
  /** equal lines in a folded row */
  count: number;
  /** bytes of the text not sent: those beyond 2,000 */
  cut_bytes: number;
  /** counted from 0 */
  before_line: Maybe<number>;
  /** of the instruction; null: none, or folded */
  before_name: Maybe<string>;
  /** counted from 0 */
  after_line: Maybe<number>;
  /** as before */
  after_name: Maybe<string>;
  /** null: folded */
  text: Maybe<string>;
}

export interface ComparedText {
  /** of the program before */
  before_lines: number;
  /** lines beyond the limit of the comparison */
  before_lines_left_out: number;
  /** of the program after */
  after_lines: number;
  /** likewise */
  after_lines_left_out: number;
  /** false: the programs were too long to align line by line */
  whole: boolean;
  /** lines */
  same: number;
  /** pairs of lines */
  renumbered: number;
  /** pairs of lines */
  changed: number;
  /** lines */
  only_before: number;
  /** lines */
  only_after: number;
  /** rows, counting a folded stretch as one */
  total: number;
  /** first row */
  offset: number;
  rows: Columns<ComparedLine>;
}

export interface TraceOfHost {
  name: string;
  has_events: boolean;
  /** why the file cannot be read */
  error: Maybe<string>;
  /** shift on the common axis */
  shift_ps: Maybe<number>;
  /** by its clock; its file has none; its clock does not overlap the others */
  placed: Maybe<'clock' | 'no_clock' | 'apart'>;
  /** by its own clock */
  clock_offset_ns: Maybe<string>;
  /** both as a sentence */
  said: Maybe<string>;
}

export interface TraceRowRow {
  /** its number */
  row: number;
  /** place in `processes` */
  process: number;
  /** place in `hosts` */
  host: number;
  /** of its line in the file */
  id: string;
  caption: string;
  kind: 'line' | 'steps' | 'xla_modules' | 'xla_ops' | 'async_ops' | 'trace_me' | 'stream' | 'internal' | 'counter' | 'name_scope' | 'framework_ops' | 'source' | 'offload' | 'launch_stats' | 'command_buffers';
  /** made from other rows */
  derived: boolean;
  /** source of a derived row; null: measured */
  how: Maybe<string>;
  depths: number;
  events: number;
  /** start of its first event */
  first_ps: number;
  /** end of its last event */
  end_ps: number;
  /** union of its events, host-aligned */
  busy_ps: number;
  /** sum of its outermost events; null: some have no such time */
  device_busy_ps: Maybe<number>;
  /** events have durations of the device's clock */
  device_clock: boolean;
  /** events without a depth, because too many overlap */
  overflow: number;
  /** the file ends inside one of its lines */
  cut: boolean;
  /** XProf hides it: internal events, planes of no known kind */
  hidden: boolean;
}

export interface TraceProcessRow {
  /** of its plane */
  name: string;
  /** place in `hosts` */
  host: number;
  kind: 'tpu' | 'sparse_core' | 'gpu' | 'custom' | 'host' | 'other';
  /** its number; null: it has none */
  device: Maybe<number>;
  first_row: number;
  /** measured ones */
  row_count: number;
  /** measured ones */
  event_count: number;
  /** its events name the operations */
  computes: boolean;
  /** why its compute is unknown; null: known */
  compute_unknown: Maybe<string>;
  /** from its plane */
  peak_flops_per_s: Maybe<number>;
  /** likewise, of its memory */
  peak_bytes_per_s: Maybe<number>;
}

export interface ClockStep {
  row: number;
  /** event during which the host-aligned clock jumps */
  event: number;
  /** its end */
  at_ps: number;
  /** host-aligned duration minus that of the device's clock */
  extra_ps: number;
}

export interface ClockSteps extends Columns<ClockStep> {
  /** jumps not listed */
  left_out: number;
}

export interface TraceRows {
  /** host of the events; ALL: several hosts */
  host: string;
  /** of the run */
  hosts: TraceOfHost[];
  /** start of the trace, since 1970; other times count from here */
  base_ps: string;
  /** start of the first event */
  first_ps: number;
  /** end of the last event */
  end_ps: number;
  /** measured ones */
  event_count: number;
  /** of these, on hidden rows */
  hidden_count: number;
  /** when the profile began, since 1970 */
  profile_start_ns: Maybe<string>;
  /** derived rows are among `rows` */
  derived: boolean;
  /** peak rates of the chip */
  peaks: Maybe<Peaks>;
  /** as the profile names it */
  device_type: Maybe<string>;
  /** measured ones first */
  rows: Columns<TraceRowRow>;
  /** hosts and devices */
  processes: Columns<TraceProcessRow>;
  /** events during which the host-aligned clock jumps */
  clock_steps: ClockSteps;
  /** of the file */
  warnings: WarningRow[];
  /** warnings of derived rows */
  derived_warnings: WarningRow[];
}

export interface WindowDepth {
  /** of trace/rows */
  row: number;
  /** of the row */
  depth: number;
  /** number of its first event in this answer */
  first_event: number;
  /** number of boxes in `box` */
  boxes: number;
}

export interface WindowBox {
  /** in `quantum_ps`, after the box before it of this depth */
  start: number;
  /** in `quantum_ps` */
  length: number;
  /** row of `names` */
  name: number;
}

export interface WindowMerged {
  /** boxes after the merged one before it */
  at: number;
  /** events in it */
  count: number;
  /** in `busy_q`: the union of its events */
  busy: number;
  /** offset of its longest event */
  longest: number;
}

export interface WindowMergeds extends Columns<WindowMerged> {
  /** picoseconds of one unit of `busy` */
  busy_q: number;
}

export interface WindowCounter {
  box: number;
  /** picoseconds after `base_ps`: the first sample */
  at: number;
  /** the last sample; null: it has no number */
  value: Maybe<number>;
  /** of those with a number; null: none has */
  least: Maybe<number>;
  /** likewise */
  most: Maybe<number>;
}

export interface WindowHeld {
  /** of a counter */
  row: number;
  /** picoseconds after `base_ps`: the last sample before the window */
  at: number;
  /** null: that sample has no number */
  value: Maybe<number>;
}

export interface WindowWait {
  /** an asynchronous operation */
  box: number;
  /** in `quantum_ps`: length of its end drawn as waiting */
  drawn: number;
  /** wait of the core for it */
  wait_ps: number;
  /** by other work */
  hidden: 'fully' | 'partly' | 'exposed';
}

export interface WindowExact {
  /** wide enough to show its time */
  box: number;
  /** its start, from the drawn one */
  beyond_ps: number;
  duration_ps: number;
}

export interface WindowNames {
  /** rows */
  n: number;
  /** of the name in the trace */
  id: number[];
  caption: string[];
  /** kind of work */
  group: string[];
  /** 1: events of this name wait */
  wait: number[];
  /** with `scope=1`: index into `names` of this object */
  scope: Maybe<number[]>;
  /** with `scope=1`: the scopes */
  names: Maybe<string[]>;
}

export interface PictureWindow {
  /** origin of times */
  base_ps: string;
  /** after `base_ps` */
  from_ps: number;
  /** after `base_ps` */
  to_ps: number;
  /** width of a cell; shorter events of a cell are one box */
  cell_ps: number;
  /** the unit of starts and lengths, a power of two */
  quantum_ps: number;
  events_in_view: number;
  /** the cells are wider than requested */
  coarser: boolean;
  depths: Columns<WindowDepth>;
  /** boxes, depth by depth */
  box: Columns<WindowBox>;
  merged: WindowMergeds;
  /** boxes of counters */
  counters: Columns<WindowCounter>;
  /** values of the counters at the start of the window */
  held: Columns<WindowHeld>;
  waits: Columns<WindowWait>;
  exact: Columns<WindowExact>;
  names: WindowNames;
}

export interface EventAt {
  /** its number */
  event: number;
  /** of trace/rows */
  row: number;
  /** depth in its row */
  depth: number;
  /** host-aligned */
  start_ps: number;
  /** host-aligned */
  duration_ps: number;
  caption: string;
}

export interface EventStep {
  number: number;
  name: string;
  /** the event of the step */
  event: number;
  /** host-aligned */
  start_ps: number;
  /** host-aligned */
  duration_ps: number;
}

export interface EventAsync {
  /** how much the core did not wait for */
  hidden: 'fully' | 'partly' | 'exposed';
  /** of the two times that follow */
  clock: 'device' | 'host';
  /** time that the core waits */
  wait_ps: number;
  /** from its start to its done */
  whole_ps: number;
  /** compute of the chip meanwhile */
  compute_ps: Maybe<number>;
  /** its start */
  first: EventAt;
  /** its done */
  done: EventAt;
}

export interface EventRoofline {
  /** of one execution */
  flops: Maybe<number>;
  /** of one execution, to and from the main memory */
  hbm_bytes: Maybe<number>;
  /** by the device's clock if it has one */
  duration_ps: number;
  achieved_flops_per_s: Maybe<number>;
  achieved_bytes_per_s: Maybe<number>;
  /** of the chip */
  peak_flops_per_s: Maybe<number>;
  /** of its main memory */
  peak_bytes_per_s: Maybe<number>;
  /** what sets the roofline */
  bound: Maybe<'compute' | 'memory'>;
  /** minimum time at these peaks */
  at_roofline_ps: Maybe<number>;
  /** at_roofline_ps over duration_ps */
  share: Maybe<number>;
  /** source of FLOPs and bytes */
  source: string;
}

export interface EventChip {
  /** of trace/rows */
  process: number;
  /** its number */
  device: Maybe<number>;
  event: number;
  /** host-aligned */
  start_ps: number;
  /** host-aligned */
  duration_ps: number;
  /** by the device's clock */
  device_duration_ps: Maybe<number>;
  /** on the device's clock, which has another origin */
  device_start_ps: Maybe<string>;
  /** start minus that of the event; null: clocks that cannot be compared */
  skew_ps: Maybe<number>;
}

export interface EventLinks {
  /** key of the program */
  module: string;
  /** null: an execution of the whole program */
  instruction: Maybe<string>;
}

export interface EventStat {
  name: string;
  type: 'double' | 'uint' | 'int' | 'text' | 'bytes' | 'none';
  /** numbers in decimals, bytes in hex; null: none */
  value: Maybe<string>;
  /** its position in the file */
  from: 'metadata' | 'event';
  /** XProf hides it */
  internal: boolean;
  /** full size of a text or of bytes that are cut in `value` */
  whole_size_bytes: Maybe<number>;
}

export interface TraceEvent {
  /** start of the trace, since 1970; other times count from here */
  base_ps: string;
  /** its number */
  event: number;
  /** of trace/rows */
  row: number;
  /** of trace/rows */
  process: number;
  host: string;
  /** depth in its row */
  depth: number;
  /** number of its name */
  name_id: number;
  caption: string;
  /** of an operation its HLO text */
  name: string;
  /** kind of work */
  group: 'none' | 'matmul' | 'elem' | 'reduce' | 'move' | 'coll' | 'control' | 'host' | 'custom';
  /** a wait, without work */
  wait: boolean;
  /** source of a derived event; null: measured */
  how: Maybe<string>;
  /** host-aligned */
  start_ps: number;
  /** host-aligned */
  duration_ps: number;
  /** on the device's clock, which has another origin */
  device_start_ps: Maybe<string>;
  /** by the device's clock */
  device_duration_ps: Maybe<number>;
  /** duration minus nested time, host-aligned */
  self_ps: number;
  /** the same by the device's clock */
  device_self_ps: Maybe<number>;
  /** the event it is nested in */
  parent: Maybe<EventAt>;
  /** the execution of a program it is part of */
  module: Maybe<EventAt>;
  /** the step it is part of */
  step: Maybe<EventStep>;
  /** from its name */
  program: Maybe<string>;
  /** likewise */
  category: Maybe<string>;
  /** the framework's operation */
  tf_op: Maybe<string>;
  /** file and line of the model's code, likewise */
  source: Maybe<string>;
  /** for a derived event: the first and last measured event in it */
  stands_for: number[];
  /** the asynchronous operation as one bar */
  async: Maybe<EventAsync>;
  /** why there is no roofline */
  no_roofline: Maybe<string>;
  roofline: Maybe<EventRoofline>;
  /** the same execution on every chip */
  chips: Columns<EventChip>;
  /** null: its program is not in this run */
  links: Maybe<EventLinks>;
  /** why its stats cannot be read */
  stats_damaged: Maybe<string>;
  /** stats of the metadata first */
  stats: EventStat[];
}

export interface TraceMemoryPoint {
  /** start of the column, or of the only interval that begins in it */
  at_ps: number;
  /** at the end of the column; null: no known program runs */
  last_bytes: Maybe<number>;
  /** in it */
  least_bytes: Maybe<number>;
  /** in it */
  most_here_bytes: Maybe<number>;
  /** index in `programs` of that maximum */
  program: Maybe<number>;
  /** step of that maximum, in its program */
  step: Maybe<number>;
}

export interface TraceMemoryTrack extends Columns<TraceMemoryPoint> {
  /** row of the chip's operations, in trace/rows */
  row: number;
  /** of trace/rows */
  process: number;
  /** why nothing is known; null: known */
  reason: Maybe<string>;
  /** in the whole trace */
  most_bytes: Maybe<number>;
}

export interface TraceMemory {
  /** start of the trace, since 1970; other times count from here */
  base_ps: string;
  /** of the window */
  from_ps: number;
  /** of the window */
  to_ps: number;
  /** source of the bytes */
  how: string;
  /** their keys */
  programs: string[];
  /** the memory space of each */
  spaces: string[];
  /** one for each chip */
  tracks: TraceMemoryTrack[];
}

export interface AllocatorPoint {
  /** start of the value */
  at_ps: number;
  /** in use at the end of its column */
  last_bytes: number;
  /** in use in the column */
  least_bytes: number;
  /** in use in the column */
  most_here_bytes: number;
  /** as reported by the event of that maximum */
  reserved_bytes: Maybe<number>;
  /** likewise */
  allocated_bytes: Maybe<number>;
  /** likewise: free */
  available_bytes: Maybe<number>;
  /** 1 - largest free block / free, as reported by the last event of the column */
  fragmentation: Maybe<number>;
}

export interface AllocatorTrack extends Columns<AllocatorPoint> {
  /** its name */
  allocator: string;
  /** display name: TPU:0, mklcpu; with the host if there are several */
  title: string;
  /** place in the run's hosts */
  host: number;
  /** device whose memory it allocates, in trace/rows */
  process: Maybe<number>;
  /** in the whole trace */
  events: number;
  /** of these */
  frees: number;
  /** time of its first event; unknown before */
  first_at_ps: number;
  /** of its last event */
  last_at_ps: number;
  /** maximum of reserved + allocated + free */
  capacity_bytes: Maybe<number>;
  /** in use in the whole trace */
  most_bytes: number;
  /** when */
  most_at_ps: number;
  /** maximum of allocated, without reserved */
  heap_most_bytes: Maybe<number>;
  /** when */
  heap_most_at_ps: Maybe<number>;
  /** with `heap`: the allocated bytes closest to it; null: not asked, or not recorded */
  heap_near_bytes: Maybe<number>;
  /** when, the first time */
  heap_near_at_ps: Maybe<number>;
  /** with at least 99 % of the most in use */
  near_peak_ps: number;
  /** maximum since the process began, as the runtime reports */
  peak_ever_bytes: Maybe<number>;
  /** allocated before the first event */
  before_bytes: Maybe<number>;
  /** of arrays allocated before the capture */
  unknown_frees: number;
  /** allocations whose address was allocated again without a free */
  replaced: number;
  /** events without an address: the end of these allocations is unknown */
  without_address: number;
}

export interface AllocAsked {
  /** of the first allocation of its column */
  at_ps: number;
  /** allocations in the column */
  asked: number;
}

export interface AllocAsker extends Columns<AllocAsked> {
  /** of trace/rows; null: events whose thread is not in the trace */
  row: Maybe<number>;
  /** its name */
  thread: string;
  /** allocations in the window */
  count: number;
}

export interface TraceAllocators {
  /** start of the trace, since 1970; other times count from here */
  base_ps: string;
  /** of the window */
  from_ps: number;
  /** of the window */
  to_ps: number;
  /** source of the bytes */
  how: string;
  /** allocation events without the required stats */
  dropped: number;
  /** a file is truncated, and has fewer events */
  cut: boolean;
  /** one for each allocator */
  tracks: AllocatorTrack[];
  /** with `allocator`: the threads that requested memory from it in the window, most first, at most 64 */
  asked_by: AllocAsker[];
  /** threads beyond these */
  askers_left_out: number;
}

export interface AllocRow {
  /** at which of the instants it is live */
  state: 'both' | 'only_a' | 'only_b';
  /** index in the tracks of trace/allocators */
  allocator: number;
  /** size of all allocations in the row; null: not recorded */
  size_bytes: Maybe<number>;
  /** requested size */
  requested_bytes: Maybe<number>;
  /** number of allocations in the row */
  count: number;
  /** purpose: program code, from host, output, tuple table, launch, else the region that the runtime names, else other */
  what: Name;
  /** as the runtime reports; "" not recorded */
  op: Name;
  /** likewise */
  shape: Name;
  /** likewise */
  data_type: Name;
  /** likewise */
  region: Name;
  /** program that requested it, "" not recorded */
  program: Name;
  /** innermost Python frame around it on its thread, file and line: a library's where one called another; "" not recorded (Python tracer off, or a thread of the runtime) */
  source: Name;
  /** time of the first allocation */
  from_ps: number;
  /** time of the last allocation */
  last_from_ps: number;
  /** time of the last free; null: a free is not in the capture */
  to_ps: Maybe<number>;
  /** of the first, hexadecimal; "" not said */
  address: string;
  /** of the trace, of the first */
  event: Maybe<number>;
}

export interface AllocHeld {
  /** index in the tracks of trace/allocators */
  allocator: number;
  /** display name: TPU:0, mklcpu */
  title: string;
  /** reserved + allocated; null: before the first event */
  in_use_bytes: Maybe<number>;
  /** stack; null: not recorded */
  reserved_bytes: Maybe<number>;
  /** allocated, as the runtime reports */
  heap_bytes: Maybe<number>;
  /** free */
  available_bytes: Maybe<number>;
  /** 1 - largest free block / free; null: not recorded */
  fragmentation: Maybe<number>;
  /** free x (1 - fragmentation) */
  largest_free_bytes: Maybe<number>;
  /** bytes of the listed rows live at this instant */
  listed_bytes: number;
  /** number of allocations in the listed rows */
  listed_count: number;
  /** of these, allocations of unknown size */
  unsized_count: number;
  /** bytes held since before the capture */
  before_bytes: Maybe<number>;
  /** allocated less freed without an address */
  without_address_bytes: number;
  /** heap - listed - before - without address; 0: the rows explain the whole heap */
  closes_by_bytes: Maybe<number>;
}

export interface AllocLive extends Columns<AllocRow> {
  /** start of the trace, since 1970; other times count from here */
  base_ps: string;
  /** the instant */
  at_ps: number;
  /** a file is truncated, and has fewer events */
  cut: boolean;
  /** allocation events without the required stats */
  dropped: number;
  /** total number of rows */
  total: number;
  /** of the first row listed */
  offset: number;
  /** rows not listed */
  left_out: number;
  /** of all rows, listed or not */
  all_bytes: number;
  /** number of allocations in the listed rows */
  all_count: number;
  /** bytes held by each allocator, and how many of them the rows account for */
  held: Columns<AllocHeld>;
}

export interface AllocBetween {
  /** allocations after the earlier instant, up to the later one */
  allocated: number;
  /** their bytes */
  allocated_bytes: number;
  /** frees in that time */
  freed: number;
  /** their bytes */
  freed_bytes: number;
  /** frees of allocations live at the earlier instant */
  freed_of_first: number;
}

export interface AllocDiff extends Columns<AllocRow> {
  /** start of the trace, since 1970; other times count from here */
  base_ps: string;
  /** one instant */
  a_ps: number;
  /** the other; it may be the earlier */
  b_ps: number;
  /** a file is truncated, and has fewer events */
  cut: boolean;
  /** live only at a */
  only_a_bytes: number;
  /** live only at b; b - a is `only_b_bytes` - `only_a_bytes` */
  only_b_bytes: number;
  /** live at both */
  both_bytes: number;
  /** total number of rows */
  total: number;
  /** of the first row listed */
  offset: number;
  /** rows not listed */
  left_out: number;
  /** what each allocator holds at a */
  at_a: Columns<AllocHeld>;
  /** what each allocator holds at b */
  at_b: Columns<AllocHeld>;
  /** what happened between them */
  between: AllocBetween;
}

export interface AllocEvent {
  /** when */
  at_ps: number;
  /** index in the tracks of trace/allocators */
  allocator: number;
  kind: 'alloc' | 'free';
  /** allocated or freed; null: unknown */
  size_bytes: Maybe<number>;
  /** requested size; for a free, that of its allocation */
  requested_bytes: Maybe<number>;
  /** purpose, as in trace/allocators/live; a free has that of its allocation */
  what: Name;
  /** as the runtime reports; "" not recorded */
  op: Name;
  /** likewise */
  shape: Name;
  /** likewise */
  data_type: Name;
  /** likewise */
  region: Name;
  /** program that requested it; "" not recorded */
  program: Name;
  /** as in trace/allocators/live; a free has that of its allocation */
  source: Name;
  /** hexadecimal; "" not said */
  address: string;
  /** from its allocation to its free; null: one is not recorded */
  life_ps: Maybe<number>;
  /** reserved + allocated after it */
  in_use_bytes: number;
  /** its thread, of trace/rows */
  row: Maybe<number>;
  /** its number in the trace */
  event: Maybe<number>;
}

export interface AllocEvents extends Columns<AllocEvent> {
  /** start of the trace, since 1970; other times count from here */
  base_ps: string;
  /** events of these allocators, in the window or not */
  all: number;
  /** events in the window that match */
  total: number;
  /** of these */
  allocated: number;
  /** their bytes */
  allocated_bytes: number;
  /** of these */
  freed: number;
  /** their bytes */
  freed_bytes: number;
  /** in use after one of them */
  most_bytes: Maybe<number>;
  /** of the first row listed */
  offset: number;
  /** events that are not listed */
  left_out: number;
  /** what is wrong with the filter, or what was not checked */
  filter_note: Maybe<string>;
}

export interface AllocStepRow {
  /** of the step */
  number: number;
  /** start */
  from_ps: number;
  /** end */
  to_ps: number;
  /** minimum in use; null: before the first event */
  least_bytes: Maybe<number>;
  /** maximum in use */
  most_bytes: Maybe<number>;
  /** allocated in the step */
  allocated_bytes: number;
  /** freed in the step */
  freed_bytes: number;
  /** allocated in the step and still live at its end */
  left_bytes: number;
}

export interface AllocTrend {
  /** index in the tracks of trace/allocators */
  allocator: number;
  /** display name: TPU:0, mklcpu */
  title: string;
  /** steps with a known value */
  steps: number;
  /** steps of trace/steps, executions of a program, or tenths of the time */
  what: 'steps' | 'runs' | 'tenths';
  /** bytes a step: slope of the line through the lowest in use; null: below 2 steps */
  slope_bytes: number;
  /** R² of that line; null: all values are equal */
  r2: number;
  /** value of that line at step 0 */
  intercept_bytes: number;
  /** in use in any step */
  lowest_bytes: Maybe<number>;
  /** leak: slope above 0, R² >= 0.9, and over all steps at least 1 MiB and 1 % of the lowest; below 8 steps: too few */
  verdict: 'leak' | 'no_growth' | 'too_few_steps';
  /** for a leak: steps until the capacity is in use */
  full_in_steps: Maybe<number>;
}

export interface AllocNeverRow {
  /** as the runtime reports; "" not recorded */
  op: string;
  /** likewise */
  shape: string;
  /** of the first */
  data_type: string;
  /** purpose of the first */
  what: string;
  /** of the first */
  program: string;
  /** of the first, as in trace/allocators/live */
  source: string;
  /** allocations */
  count: number;
  /** of all of them */
  size_bytes: Maybe<number>;
  /** requested size */
  requested_bytes: Maybe<number>;
  /** time of the first */
  from_ps: number;
  /** time of the last */
  last_from_ps: number;
  /** of the trace, of the first */
  event: Maybe<number>;
}

export interface AllocNeverRows extends Columns<AllocNeverRow> {
  /** allocations made inside the steps */
  made: number;
  /** freed in the step that allocated them */
  freed_in_step: number;
  /** freed in a later step */
  freed_later: number;
  /** never freed in the capture; the three add up to `made` */
  kept: number;
  /** their bytes */
  kept_bytes: number;
  /** groups with equal op and shape */
  groups: number;
}

export interface AllocStack {
  /** program that runs when the stack is highest */
  program: string;
  /** of the run */
  module: number;
  /** maximum of reserved */
  measured_bytes: number;
  /** the program's temporaries, as in memory/summary */
  compiled_bytes: number;
  /** reserved minus these */
  beyond_bytes: number;
  /** when */
  at_ps: number;
}

export interface AllocStepsAnswer extends Columns<AllocStepRow> {
  /** start of the trace, since 1970; other times count from here */
  base_ps: string;
  /** allocator of these steps: the requested one, else the one that leaks, else the one with most in use */
  allocator: Maybe<number>;
  /** its name */
  title: string;
  /** the main result, in a few words */
  headline: string;
  /** the same with its largest part */
  sentence: string;
  /** a file is truncated: the free of an allocation may be in the missing part */
  cut: boolean;
  /** definition of a step */
  what: 'steps' | 'runs' | 'tenths';
  /** with executions: their program */
  program: string;
  /** process of the steps, in trace/rows */
  process: Maybe<number>;
  /** the thread that marked the steps */
  row: Maybe<number>;
  /** total number of steps */
  total: number;
  /** steps not listed */
  left_out: number;
  /** of each allocator */
  growth: Columns<AllocTrend>;
  /** allocations made inside the steps and never freed */
  never: AllocNeverRows;
  /** the stack compared with the compiled size; null: no stack, or no such program */
  stack: Maybe<AllocStack>;
}

export interface TraceNear {
  /** start of the trace, since 1970; other times count from here */
  base_ps: string;
  /** null: none on that side */
  found: Maybe<EventAt>;
}

export interface SameBin {
  /** shortest duration in the bin */
  from_ps: number;
  /** first duration above the bin; for the last bin the longest */
  to_ps: number;
  /** runs */
  count: number;
}

export interface SameBins extends Columns<SameBin> {
  /** bins widen by a constant factor; else all are equally wide */
  log: boolean;
}

export interface SameSlow {
  event: number;
  /** of trace/rows */
  row: number;
  /** host-aligned */
  start_ps: number;
  /** host-aligned */
  duration_ps: number;
  /** by `clock` */
  clock_duration_ps: number;
}

export interface SameOfChip {
  /** of trace/rows */
  process: number;
  /** its number; null: it has none */
  device: Maybe<number>;
  /** runs */
  count: number;
  total_ps: number;
  mean_ps: number;
  min_ps: number;
  max_ps: number;
}

export interface TraceSame {
  /** start of the trace, since 1970; other times count from here */
  base_ps: string;
  /** the requested event */
  event: number;
  caption: string;
  /** of all durations but `slowest.duration_ps` */
  clock: 'device' | 'host';
  /** of the requested event */
  duration_ps: number;
  /** executions of the operation */
  count: number;
  /** of all of them */
  total_ps: number;
  mean_ps: number;
  min_ps: number;
  p50_ps: number;
  p99_ps: number;
  max_ps: number;
  /** the percentiles are exact; else within 1 % */
  exact: boolean;
  /** histogram of durations */
  bins: SameBins;
  /** the longest first */
  slowest: Columns<SameSlow>;
  /** the same operation on every chip */
  by_chip: Columns<SameOfChip>;
}

export interface SearchHit {
  event: number;
  /** host-aligned */
  start_ps: number;
  /** host-aligned */
  duration_ps: number;
  /** of trace/rows */
  row: number;
  /** number of its name */
  id: number;
  caption: Name;
}

export interface SearchName {
  /** number of the name */
  id: number;
  caption: string;
  /** "" none */
  program: string;
  /** kind of work */
  group: 'none' | 'matmul' | 'elem' | 'reduce' | 'move' | 'coll' | 'control' | 'host' | 'custom';
  /** only args of single events of this name match */
  single: boolean;
  /** events that match */
  count: number;
  /** of these */
  total_ps: number;
}

export interface SearchNames extends Columns<SearchName> {
  /** names not listed */
  left_out: number;
}

export interface TraceSearch {
  /** start of the trace, since 1970; other times count from here */
  base_ps: string;
  /** events that match */
  count: number;
  /** of these */
  total_ps: number;
  /** of all times */
  clock: 'host';
  /** of the first hit listed */
  offset: number;
  /** scope of the search, in words */
  covered: string;
  /** what is wrong with the expression, or what was not checked */
  problem: Maybe<string>;
  /** a limit was reached, so there may be more hits */
  stopped: boolean;
  /** by time */
  hits: Columns<SearchHit>;
  /** the 200 names with most time */
  by_name: SearchNames;
  /** with `px`: the column has a hit */
  columns: Maybe<boolean[]>;
}

export interface TraceTotal {
  /** name of the group, "": events in no group */
  key: string;
  /** number of the name, step, process or row */
  id: Maybe<number>;
  /** by name: its module, "" none */
  program: string;
  /** by name: "" none */
  category: string;
  /** by name, category: kind of work */
  group: Maybe<'none' | 'matmul' | 'elem' | 'reduce' | 'move' | 'coll' | 'control' | 'host' | 'custom'>;
  /** by name: a wait, without work */
  wait: boolean;
  /** events */
  count: number;
  /** of the row's times */
  clock: 'device' | 'host';
  total_ps: number;
  /** total minus nested time */
  self_ps: number;
  /** total of one event */
  mean_ps: number;
  min_ps: number;
  p50_ps: number;
  p99_ps: number;
  max_ps: number;
  /** the percentiles are exact; else within `percentile_error` */
  exact: boolean;
  /** host-aligned */
  host_total_ps: number;
  /** by the device's clock; null: no event has a device time */
  device_total_ps: Maybe<number>;
  /** number of events with a device time */
  device_count: number;
  flops_per_s: Maybe<number>;
  bytes_per_s: Maybe<number>;
  first_event: number;
}

export interface TraceTotalsAll {
  /** events */
  count: number;
  total_ps: number;
  self_ps: number;
  /** host-aligned */
  host_total_ps: number;
  /** by the device's clock; null: no event has a device time */
  device_total_ps: Maybe<number>;
  /** number of events with a device time */
  device_count: number;
  /** union of the events of each row, host-aligned, added up */
  busy_ps: number;
}

export interface TraceTotals {
  by: 'name' | 'category' | 'module' | 'step' | 'chip' | 'row';
  /** of all times except those marked with another */
  clock: 'device' | 'host';
  /** host of the events; ALL: several hosts */
  host: string;
  /** of the run */
  hosts: TraceOfHost[];
  /** start of the trace, since 1970; other times count from here */
  base_ps: string;
  /** of the range */
  from_ps: number;
  /** of the range */
  to_ps: number;
  /** events are cut at its edges */
  clip: boolean;
  /** rows of trace/rows that were added up */
  of_rows: number[];
  /** groups */
  all_n: number;
  /** groups that are not listed */
  left_out: number;
  /** of percentiles that are not exact, at most */
  percentile_error: number;
  /** events nested too deep to be checked */
  nesting_unchecked: number;
  /** the groups */
  rows: Columns<TraceTotal>;
  /** of all groups, listed or not */
  all: TraceTotalsAll;
}

export interface StepsLane {
  /** of trace/rows */
  process: number;
  /** the thread that marked the steps; null: steps of a device */
  row: Maybe<number>;
  /** in the whole trace */
  steps: number;
  /** why their compute time is unknown */
  compute_unknown: Maybe<string>;
}

export interface StepsRow {
  /** of trace/rows */
  process: number;
  /** its name, or that of a host: "/device:TPU:0" */
  device: string;
  /** the thread that marked it; null: a step of a device */
  row: Maybe<number>;
  /** the same step has the same number on every chip of every host */
  number: number;
  name: string;
  /** the event of the step */
  event: number;
  /** host-aligned start, for drawing */
  start_ps: number;
  /** likewise */
  end_ps: number;
  /** clock of its duration: `clock`; for a host, host */
  clock_of: 'device' | 'host';
  /** by that clock */
  duration_ps: number;
  /** duration by the device's clock, from the step's event or from its first to its last operation */
  device_ps: Maybe<number>;
  /** host-aligned duration minus `device_ps`: clock drift, not time of the program */
  drift_ps: Maybe<number>;
  /** operations other than collectives, copies, waits and wrappers */
  compute_ps: Maybe<number>;
  /** collectives, from start to done, during compute */
  overlapped_comm_ps: Maybe<number>;
  /** collectives outside compute */
  exposed_comm_ps: Maybe<number>;
  /** copies to and from host memory during compute or communication */
  overlapped_copy_ps: Maybe<number>;
  /** copies outside both */
  exposed_copy_ps: Maybe<number>;
  /** none of these; compute + exposed + idle is the span */
  idle_ps: Maybe<number>;
}

export interface StepsChip {
  /** of trace/rows */
  process: number;
  /** all its steps */
  steps: number;
  /** sum over the common steps, as are the next six */
  duration_ps: number;
  /** duration without exposed communication and idle time: time not spent waiting for others */
  work_ps: number;
  compute_ps: number;
  exposed_comm_ps: number;
  exposed_copy_ps: number;
  idle_ps: number;
  /** steps in which this chip had the most work */
  most_work: number;
  /** steps in which this chip ended last */
  came_last: number;
  /** mean delay of its starts after the first chip's, host-aligned */
  skew_ps: number;
}

export interface StepsChips extends Columns<StepsChip> {
  /** steps that every chip has once, listed or not, the basis of the sums */
  common: number;
  /** process that works at least 1 % longer than the median chip, and longest in more than half of at least 5 steps; null: none does */
  straggler: Maybe<number>;
  /** one sentence, with or without a straggler */
  why: string;
}

export interface StepsMark {
  /** number of steps in the mark; a step that fills a cell is its own mark */
  count: number;
  /** number of the first step */
  number: number;
  /** number of the last step */
  last: number;
  /** of the first */
  name: string;
  /** of the first */
  event: number;
  /** of the first */
  start_ps: number;
  /** end of the last step */
  end_ps: number;
  /** of one step, by its clock; null for several */
  duration_ps: Maybe<number>;
}

export interface StepsMarks extends Columns<StepsMark> {
  /** time of a pixel */
  cell_ps: number;
  /** of the window */
  from_ps: number;
  /** of the window */
  to_ps: number;
  /** process of the lane: the first requested one */
  process: Maybe<number>;
  /** its thread */
  row: Maybe<number>;
}

export interface StepsAnswer extends Columns<StepsRow> {
  /** start of the trace, since 1970; other times count from here */
  base_ps: string;
  /** of durations and their parts, of all chips */
  clock: 'device' | 'host';
  /** why the clock is the host's; null: it is the device's */
  why_host: Maybe<string>;
  /** steps requested */
  total: number;
  /** why the trace has no steps; null: it has */
  why_none: Maybe<string>;
  /** devices and threads with steps */
  lanes: Columns<StepsLane>;
  /** of the first step listed */
  offset: number;
  /** steps not listed */
  left_out: number;
  /** comparison of the chips, by `clock`; null with `px` and with overlap=0 */
  chips: Maybe<StepsChips>;
  /** with `px`: marks for that many pixels */
  marks: Maybe<StepsMarks>;
}

export interface StepsplitChip {
  /** TPU:0; of a host that computes itself its name */
  name: string;
  host: string;
  /** of trace/rows, for the same hosts */
  process: number;
  steps: number;
}

export interface StepsplitRow {
  /** of the step */
  number: number;
  /** index in `chips`; null: the mean of all chips with the step */
  chip: Maybe<number>;
  /** its name, of several hosts with that of its host */
  chip_name: Maybe<string>;
  /** steps in this row; if more than 1, the row shows the longest */
  steps: number;
  /** host-aligned start for drawing, on the first chip that has the step */
  start_ps: number;
  /** likewise */
  end_ps: number;
  /** by `clock`; sum of all parts below except the gap */
  duration_ps: number;
  /** idle time */
  idle_ps: number;
  /** waits for copies from host memory */
  copies_in_ps: number;
  /** waits for copies to host memory */
  copies_out_ps: number;
  /** waits for copies that stay on the chip, or whose direction is unknown */
  copies_ps: number;
  /** waits for collectives, and synchronous collectives */
  collectives_ps: number;
  /** infeed, outfeed, transfers to and from the host */
  infeed_ps: number;
  /** other waits: semaphores, barriers */
  waits_ps: number;
  /** compute without a known group; the next fields are compute by group */
  none_ps: number;
  matmul_ps: number;
  elem_ps: number;
  reduce_ps: number;
  move_ps: number;
  control_ps: number;
  host_ps: number;
  custom_ps: number;
  /** from its end to the start of the next step on the same chip; null: it is the last, they overlap, or the chip lacks a step in between */
  gap_ps: Maybe<number>;
  /** index in `chips` of the slowest chip */
  slowest: number;
  /** time of the slowest chip */
  slowest_ps: number;
  fastest: number;
  fastest_ps: number;
  /** its mean differs from p50 by more than 5 % */
  outlier: boolean;
}

export interface Stepsplit {
  /** the trace has steps, executions of a program, or at least a duration */
  known: boolean;
  /** why not */
  reason: Maybe<string>;
  /** clock of durations and parts */
  clock: Maybe<'device' | 'host'>;
  /** why the clock is the host's; null: it is the device's */
  why_host: Maybe<string>;
  /** parts are unions of intervals: a moment counts once */
  side_by_side: boolean;
  /** definition of a step */
  what: Maybe<'markers' | 'runs' | 'windows'>;
  /** the same in words */
  sentence: Maybe<string>;
  /** what a row is: the mean of chips, the slowest, the chip that was asked for, or each chip by itself */
  of: 'mean' | 'slowest' | 'one' | 'all';
  /** different steps */
  total: number;
  /** largest number of steps in a row */
  a_column: number;
  /** rows beyond the limit */
  left_out: number;
  /** of all steps of all chips, nearest rank */
  p50_ps: Maybe<number>;
  /** steps whose mean differs from p50 by more than 5 % */
  outliers: number;
  chips: StepsplitChip[];
  steps: Columns<StepsplitRow>;
}

export interface OverlapRow {
  /** of trace/rows */
  process: number;
  /** of the process */
  name: string;
  /** its number */
  device: number;
  /** operations other than collectives, copies, waits and wrappers */
  compute_ps: number;
  /** collectives, from start to done, during compute */
  overlapped_comm_ps: number;
  /** collectives outside compute */
  exposed_comm_ps: number;
  /** copies to and from host memory during compute or communication */
  overlapped_copy_ps: number;
  /** copies outside both */
  exposed_copy_ps: number;
  /** none of these; compute + exposed + idle is the span */
  idle_ps: number;
  /** of all communication; null: none */
  exposed_comm_share: Maybe<number>;
  /** of all copies; null: none */
  exposed_copy_share: Maybe<number>;
}

export interface OverlapOp {
  /** of trace/rows */
  process: number;
  /** name of the operation; for an asynchronous one, its start */
  name: string;
  /** its number */
  device: number;
  /** executions, each from start to done, cut at the range */
  count: number;
  /** of all executions */
  total_ps: number;
  /** the part that the device's compute does not overlap */
  exposed_ps: number;
  /** of its total */
  exposed_share: Maybe<number>;
  /** in the worst execution */
  most_exposed_ps: number;
}

export interface OverlapAnswer {
  /** start of the trace, since 1970; other times count from here */
  base_ps: string;
  /** of all times */
  clock: 'host';
  /** start of the range */
  from_ps: number;
  /** its end */
  to_ps: number;
  /** host of the trace */
  host: string;
  /** why nothing is listed; null: compute is known */
  compute_unknown: Maybe<string>;
  /** the devices, and hosts whose threads ran the operations; null by collective */
  devices: Maybe<Columns<OverlapRow>>;
  /** starts and dones of collectives in the whole trace without their other half */
  lone_halves: number;
  /** rows beyond the limit */
  left_out: number;
  /** each collective of each device, most exposed first; null by device */
  collectives: Maybe<Columns<OverlapOp>>;
}

export interface GapsRow {
  /** of trace/rows */
  process: number;
  process_name: string;
  /** null: the chip */
  row: Maybe<number>;
  /** "": the chip */
  row_name: string;
  /** in the window */
  start_ps: number;
  /** in the window */
  duration_ps: number;
  /** from the end of `before` to the start of `after`; null where the trace begins or ends */
  whole_ps: Maybe<number>;
  /** event on the row, or of the chip, before the gap, also outside of the window; null: none */
  before: Maybe<number>;
  /** "": none */
  before_name: string;
  /** event after the gap */
  after: Maybe<number>;
  /** "": none */
  after_name: string;
  /** the largest of `meanwhile`; "": none */
  meanwhile_name: string;
  /** its self time inside of the gap */
  meanwhile_self_ps: Maybe<number>;
}

export interface GapsOfRow {
  /** of trace/rows */
  process: number;
  /** null: the chip */
  row: Maybe<number>;
  /** number of gaps, listed or not */
  gaps: number;
  /** sum of all gaps: for a row the window minus `busy`, for a chip its `idle_ps` in trace/overlap */
  idle_ps: number;
}

export interface GapsMeanwhileRow {
  /** index of the gap */
  gap: number;
  /** another row of the host: a thread, or operations of another device; a chip's own waits do not count */
  row: number;
  /** of that row */
  process_name: string;
  row_name: string;
  /** the longest */
  event: number;
  /** of the event */
  name: string;
  /** its group */
  group: string;
  /** inside of the gap */
  self_ps: number;
}

export interface GapsMeanwhile extends Columns<GapsMeanwhileRow> {
  /** gaps at the end of the list that were not examined; one answer reads at most 20,000,000 events for them */
  unknown: number;
}

export interface GapsAnswer extends Columns<GapsRow> {
  /** start of the trace, since 1970; other times count from here */
  base_ps: string;
  /** of all times */
  clock: 'host';
  /** start of the part of the trace in the window */
  from_ps: number;
  /** its end */
  to_ps: number;
  /** host of the trace */
  host: string;
  /** whose gaps these are */
  by: 'chip' | 'row';
  /** the requested parameter `of` */
  of: Columns<GapsOfRow>;
  /** gaps beyond the limit */
  left_out: number;
  /** the largest three names on other rows of the host by self time inside of each gap */
  meanwhile: GapsMeanwhile;
}

export interface OpsRow {
  /** name of the instruction; for a group, the shared value */
  name: string;
  /** key of its program, or its name in the events; "" several */
  module: string;
  /** "" unknown, or several */
  opcode: string;
  /** XProf's category; "" unknown, or several */
  category: string;
  /** kind of work, which sets the colour */
  group: 'none' | 'matmul' | 'elem' | 'reduce' | 'move' | 'coll' | 'control' | 'host' | 'custom';
  /** scope in the model's code, without jit(...), pass markers and the operation; "" unknown */
  scope: string;
  /** pass, from JAX's markers; null: no markers */
  phase: Maybe<'forward' | 'backward' | 'recompute'>;
  /** of the result, without layout; "" unknown */
  shape: string;
  /** file and line of the model's code, "" unknown */
  source: string;
  /** 1; for a group, the number of rows in it */
  operations: number;
  /** events: on a GPU one execution can be several kernels */
  count: number;
  executions: number;
  /** of all executions */
  total_ps: number;
  /** total minus nested time */
  self_ps: number;
  /** share of the self time of all operations */
  self_share: number;
  /** total of one execution; null of a group */
  mean_ps: Maybe<number>;
  /** median of the executions on all chips; with `percentiles` */
  p50_ps: Maybe<number>;
  /** with fewer than 20 executions, the longest */
  p99_ps: Maybe<number>;
  /** the shortest execution */
  min_ps: Maybe<number>;
  /** the longest one */
  max_ps: Maybe<number>;
  /** the total by the other clock: host-aligned where total_ps is the device's */
  other_total_ps: Maybe<number>;
  /** waits of the chips for the asynchronous pair that it belongs to */
  wait_total_ps: Maybe<number>;
  /** number of devices that ran it, SparseCores included */
  chips: number;
  /** mean on the slowest chip divided by the mean on the fastest; SparseCores are compared with each other, if no main core ran it */
  chip_spread: Maybe<number>;
  /** host with the longest mean execution; null: one host ran it, or was requested */
  slowest_host: Maybe<string>;
  /** mean on the slowest host divided by the mean on the fastest */
  host_spread: Maybe<number>;
  /** of one execution, as graph/explain computes it */
  flops: Maybe<number>;
  /** number type that the matrix unit multiplies, else type of the result; "" unknown */
  dtype: string;
  /** of one execution, read and written in all memories */
  moved_bytes: Maybe<number>;
  /** part of these in HBM */
  hbm_bytes: Maybe<number>;
  /** in a TPU's vector memory */
  vmem_bytes: Maybe<number>;
  /** part of these that is read; the rest is written */
  vmem_read_bytes: Maybe<number>;
  /** in its common memory */
  cmem_bytes: Maybe<number>;
  /** part of these that is read; the rest is written */
  cmem_read_bytes: Maybe<number>;
  /** in all others */
  other_bytes: Maybe<number>;
  /** of the total time */
  flops_per_s: Maybe<number>;
  /** peak to compare flops_per_s with: that of the unit that does the work, for its number type; null: no FLOPs, or the peak is unknown */
  flops_peak_per_s: Maybe<number>;
  hbm_bytes_per_s: Maybe<number>;
  vmem_bytes_per_s: Maybe<number>;
  /** FLOPs a byte of HBM */
  intensity: Maybe<number>;
  /** position in Roofline: a point, or outside the chart for one of four reasons; none: its called or started operations are listed separately; null for a group */
  place: Maybe<'point' | 'no_flops' | 'unknown' | 'wait' | 'none'>;
  /** what limits its time; latency: shorter than 10 us and below 5 % of its roofline; wait: for other chips, for asynchronous work it started, or for a GPU's memory copy */
  bound: 'unknown' | 'compute' | 'HBM' | 'VMEM' | 'CMEM' | 'link' | 'latency' | 'wait';
  /** why that is unknown */
  bound_reason: Maybe<string>;
  /** what sets its roofline */
  roof: Maybe<'compute' | 'HBM' | 'VMEM' | 'CMEM' | 'link'>;
  /** expected time of one execution at the peaks; null for loops, calls, collectives and asynchronous halves */
  roofline_ps: Maybe<number>;
  /** roofline over mean */
  roofline_share: Maybe<number>;
  /** largest possible saving in all executions */
  lost_ps: Maybe<number>;
  /** what lost_ps is measured against: the roofline of all executions; the best rates of this run, which rank rows but are not a limit; nothing: at most the whole wait is lost; several: of a group that has more than one of these */
  lost_against: Maybe<'roofline' | 'best' | 'nothing' | 'several'>;
  /** of one execution, as the compiler estimates */
  cycles: Maybe<number>;
}

export interface Ops {
  /** times of at least one program are known */
  known: boolean;
  /** why not */
  reason: Maybe<string>;
  /** of all times; mixed: only of several hosts, where those of one lack the chips' clocks */
  clock: Maybe<'device' | 'host' | 'mixed'>;
  /** host of the times; null: all hosts of the run together */
  host: Maybe<string>;
  /** hosts whose operations are in the sums */
  hosts: string[];
  /** requested hosts whose events have no operation of these programs */
  quiet_hosts: string[];
  /** that ran them, or devices of a host that computes itself: sums are over all of these */
  chips: number;
  /** these are devices of hosts that compute themselves, not chips */
  on_cpu: boolean;
  /** other hosts that ran one of the programs; their times are not in this answer */
  other_hosts: string[];
  /** of the device */
  peaks: Maybe<Peaks>;
  /** operations faster than a peak: by how much, the value in the table of chips, and how to set the right one */
  peaks_problem: Maybe<string>;
  /** programs with times; kernels and copies that belong to no program are not included */
  programs: number;
  /** of all operations */
  self_ps: number;
  /** part of self_ps: operations with a known bound */
  judged_share: number;
  /** time in which any operation ran, equal to self_ps - side_by_side_ps; with `percentiles`, of all programs and steps, by the host's clock; null by another clock */
  busy_ps: Maybe<number>;
  /** part of self_ps: in parallel with other operations of the same chip */
  side_by_side_ps: Maybe<number>;
  /** sum over all operations whose loss is known, waits included */
  lost_ps: Maybe<number>;
  /** self time of waits */
  wait_ps: number;
  /** highest rate of an operation of 50 us or more */
  best_flops_per_s: Maybe<number>;
  /** likewise */
  best_hbm_bytes_per_s: Maybe<number>;
  /** operations, including those that the filter leaves out */
  all_operations: number;
  /** self time of operations that pass `filter` and `in` */
  matched_self_ps: number;
  /** what was not checked because of the limits of an expression */
  filter_note: Maybe<string>;
  /** chosen steps that ran; null: no choice */
  steps: Maybe<number>;
  /** rows, listed or not: operations, or groups of them */
  total: number;
  /** of the first row listed */
  offset: number;
  /** the operations */
  ops: Columns<OpsRow>;
}

export interface OpsBox {
  /** row of this table; null: the top */
  parent: Maybe<number>;
  /** 0: the top, which is everything that matched */
  depth: number;
  /** "": merged boxes; a part with a single child is one box with it, a/b */
  label: string;
  /** of an operation, else "" */
  module: string;
  /** an operation, which has no children */
  is_op: boolean;
  /** position in the top, the largest first */
  start_ps: number;
  /** of all operations in it */
  self_ps: number;
  /** time of self_ps spent waiting */
  wait_ps: number;
  /** in it */
  operations: number;
  /** 0: a single box; else the number of boxes below a pixel merged here */
  joined: number;
  /** the group of 95 % of its time; none: several */
  group: 'none' | 'matmul' | 'elem' | 'reduce' | 'move' | 'coll' | 'control' | 'host' | 'custom';
  /** likewise */
  phase: Maybe<'forward' | 'backward' | 'recompute'>;
}

export interface OpsTree extends Columns<OpsBox> {
  /** times of at least one program are known */
  known: boolean;
  /** why not */
  reason: Maybe<string>;
  /** hierarchy; default: scope if there are scopes, else program */
  by: 'program' | 'scope' | 'source' | 'layer' | 'group' | 'kernel';
  /** operations ran as kernels of a GPU, which by=kernel lists */
  kernels: boolean;
  /** of all that matched */
  all_self_ps: number;
  /** what was not checked because of the limits of an expression */
  filter_note: Maybe<string>;
  /** boxes beyond 20,000, including their children */
  left_out: number;
}

export interface OpsRun {
  /** from the start of the host's trace, host-aligned */
  start_ps: number;
  duration_ps: number;
  /** row of `chips` */
  chip: number;
  /** its number in the trace of `host`; of several kernels the first */
  event: Maybe<number>;
}

export interface OpsBin {
  /** shortest duration in the bin */
  from_ps: number;
  /** longest duration in the bin; for the last bin the maximum */
  to_ps: number;
  /** executions */
  count: number;
}

export interface OpsChip {
  /** name of its process in the trace */
  name: string;
  /** -1: none */
  number: number;
  /** executions */
  count: number;
  total_ps: number;
  mean_ps: number;
  min_ps: number;
  max_ps: number;
}

export interface OpsKernelRow {
  /** of the kernel */
  name: string;
  /** events */
  count: number;
  /** of them */
  total_ps: number;
  mean_ps: number;
  min_ps: number;
  max_ps: number;
  /** blocks in x, y and z, as the profiler wrote them; "" not recorded */
  grid: string;
  /** threads of a block in x, y and z, as the profiler wrote them; "" not recorded */
  block: string;
  /** registers of a thread; null: not recorded */
  registers: Maybe<number>;
  /** shared memory (LDS) of a block; null: not recorded */
  shared_bytes: Maybe<number>;
  /** theoretical; null: not recorded */
  occupancy_share: Maybe<number>;
}

export interface OpsAlike {
  name: string;
  scope: string;
  executions: number;
  self_ps: number;
  mean_ps: number;
}

export interface OpsOne {
  /** it was measured */
  known: boolean;
  /** why not */
  reason: Maybe<string>;
  /** as in trace/ops, with percentiles */
  op: Maybe<OpsRow>;
  /** host of the executions */
  host: Maybe<string>;
  /** executions */
  all_runs: number;
  /** up to 12 executions by start; if there are more, the 12 longest, the longest first */
  runs: Columns<OpsRun>;
  /** the execution that began first */
  first: Maybe<OpsRun>;
  /** for more than 12 executions: 31 bins of equal width up to the 99th percentile, and one for longer ones */
  histogram: Maybe<Columns<OpsBin>>;
  /** number of devices that ran it */
  chips: Columns<OpsChip>;
  /** on a GPU: the kernels of its executions, equal ones added up, most time first */
  kernels: Columns<OpsKernelRow>;
  /** number of events of these kernels; of all steps, at most the first 2,000 of each device */
  kernel_events: number;
  /** operations of its program with the same opcode, shape, work, and scope except for numbers, including itself */
  all_alike: number;
  /** at most 200 of these, in program order */
  alike: Columns<OpsAlike>;
}

export interface LayersRow {
  /** the whole layer; a pass of it; a scope; operations of one name in a scope */
  kind: 'layer' | 'phase' | 'part' | 'op';
  /** "" the layer */
  name: string;
  /** null: the pass is unknown */
  phase: Maybe<'forward' | 'backward' | 'recompute'>;
  /** the part that contains it, an earlier row; null: the layer */
  parent: Maybe<number>;
  /** 0: the layer */
  depth: number;
  /** kind of work that takes most of its time */
  group: 'none' | 'matmul' | 'elem' | 'reduce' | 'move' | 'coll' | 'control' | 'host' | 'custom';
  /** that have it */
  layers: number;
  /** smallest number of operations, of the layers that have it */
  min_ops: number;
  /** in the layer with most */
  max_ops: number;
  /** of all layers and spans */
  self_ps: number;
  /** of one layer that has it, in one span */
  mean_ps: number;
  /** likewise */
  median_ps: number;
  /** of the fastest layer */
  min_ps: number;
  /** of the slowest layer */
  max_ps: number;
  /** slowest over fastest; null: one layer has it, or it took no time */
  ratio: Maybe<number>;
  /** of the step */
  share: number;
  /** for its operations with a roofline: expected time divided by measured time, as in roofline; null: none has one */
  roofline_share: Maybe<number>;
}

export interface LayersWay {
  /** scope: scopes that differ only by a number; loop: iterations of a while; sequence: equal runs of operations (opcode, shape) back to back */
  kind: 'scope' | 'loop' | 'sequence';
  /** "block_*", the name of a while, the first operation of a sequence */
  name: string;
  layers: number;
  /** of its operations in the whole trace */
  self_ps: number;
}

export interface LayersLayer {
  /** "block_1"; of a loop or a sequence its number, from 0 */
  name: string;
  /** operations that ran in it */
  ops: number;
  /** of all spans */
  self_ps: number;
  /** of one span */
  mean_ps: number;
  /** in the step with the minimum, mean of devices; null: one step */
  min_ps: Maybe<number>;
  /** in the step with the maximum */
  max_ps: Maybe<number>;
}

export interface LayersValue {
  part: number;
  layer: number;
  /** operations that ran */
  ops: number;
  /** of all spans */
  self_ps: number;
}

export interface LayersStrip {
  layer: number;
  phase: Maybe<'forward' | 'backward' | 'recompute'>;
  /** kind of work */
  group: 'none' | 'matmul' | 'elem' | 'reduce' | 'move' | 'coll' | 'control' | 'host' | 'custom';
  /** of all spans */
  self_ps: number;
}

export interface LayersTick {
  layer: number;
  /** in `steps` */
  step: number;
  /** on all devices */
  self_ps: number;
}

export interface LayersTotal {
  /** operations that ran */
  ops: number;
  /** of all spans */
  self_ps: number;
  /** of one span */
  mean_ps: number;
  /** in the step with the minimum, mean of devices; null: one step */
  min_ps: Maybe<number>;
  /** in the step with the maximum */
  max_ps: Maybe<number>;
  /** as for a part */
  roofline_share: Maybe<number>;
}

export interface LayersLargest {
  /** of the operation */
  name: string;
  /** kind of work */
  group: 'none' | 'matmul' | 'elem' | 'reduce' | 'move' | 'coll' | 'control' | 'host' | 'custom';
  /** executions */
  count: number;
  /** of all spans */
  self_ps: number;
  /** of one span */
  mean_ps: number;
}

export interface LayersChosen {
  part: number;
  layer: number;
  /** by step, on all devices */
  step_ps: number[];
  /** as for a part; null also where the iterations of a loop are the layers, because their operations are the same */
  roofline_share: Maybe<number>;
  /** operations that ran */
  ops: number;
  /** the first 50 of them, most time first */
  largest: Columns<LayersLargest>;
}

export interface LayersAnswer {
  /** there are layers */
  known: boolean;
  /** why not */
  reason: Maybe<string>;
  /** key of the program; null: no times are known */
  module: Maybe<string>;
  /** host of the events; null: all hosts together */
  host: Maybe<string>;
  /** of all times */
  clock: Maybe<'device' | 'host' | 'mixed'>;
  /** steps of all devices together, the basis of means */
  spans: number;
  /** numbers of the steps that count */
  steps: number[];
  /** why there are no steps; the whole trace is then one span for each device */
  no_steps: Maybe<string>;
  /** a part before those in it */
  parts: Columns<LayersRow>;
  /** ways to divide the program into layers, the best first */
  ways: Columns<LayersWay>;
  /** the way shown */
  way: Maybe<number>;
  /** by their numbers */
  layers: Columns<LayersLayer>;
  /** time by part and layer; a layer that lacks a part has no cell there */
  cells: Columns<LayersValue>;
  /** the parts of a layer, in the order of the passes */
  bars: Columns<LayersStrip>;
  /** time by layer and step */
  ticks: Columns<LayersTick>;
  /** all layers */
  inside: Maybe<LayersTotal>;
  /** operations of no layer */
  outside: Maybe<LayersTotal>;
  /** its scopes with most time */
  outside_names: string;
  /** all operations of the program: inside + outside, to the picosecond */
  step: Maybe<LayersTotal>;
  /** the cell of `part` and `layer` */
  chosen: Maybe<LayersChosen>;
}

export interface RoofShown {
  /** name of the unit, memory or link; the parameter peak_<limit> sets it */
  limit: 'flops' | 'vector' | 'bandwidth' | 'shared' | 'vmem_read' | 'vmem_write' | 'cmem_read' | 'cmem_write' | 'link';
  /** name on the pages */
  name: string;
  /** for units: the number type with most time; "" none */
  dtype: string;
  /** FLOP/s of a unit; else bytes */
  unit: boolean;
  /** peak rate, in FLOP or bytes */
  peak_per_s: Maybe<number>;
  /** derived: clock, cores or bandwidth of the profile, times XProf's table of its chip */
  source: Maybe<'profile' | 'derived' | 'table' | 'typed'>;
  /** before the user entered another */
  said_per_s: Maybe<number>;
  said_source: Maybe<'profile' | 'derived' | 'table' | 'typed'>;
  /** operations with work or bytes for it */
  operations: number;
  /** of them */
  self_ps: number;
  /** largest share of peak_per_s that an operation reached */
  reached_share: Maybe<number>;
  /** name of that operation; "" none */
  reached_by: string;
  /** operations faster than peak_per_s by more than 1 % */
  beyond: number;
  /** operations faster than said_per_s, which therefore cannot be right */
  said_beyond: number;
  /** smallest share of said_per_s that these reached */
  said_least_share: Maybe<number>;
  /** likewise */
  said_most_share: Maybe<number>;
  /** FLOP a byte at which it meets the matrix units */
  ridge: Maybe<number>;
  /** FLOP a byte at which it meets the vector units */
  vector_ridge: Maybe<number>;
}

export interface RoofPlace {
  /** as in trace/ops */
  place: 'point' | 'no_flops' | 'unknown' | 'wait' | 'none';
  operations: number;
  self_ps: number;
}

export interface RoofProgram {
  /** key of the program, or its name in the events */
  module: string;
  /** of all executions of operations with known work; null: none */
  total_flops: Maybe<number>;
  /** likewise */
  total_hbm_bytes: Maybe<number>;
  /** self time of these operations */
  work_ps: number;
  /** of its operations, waits included; without loops, calls and starts: `places` has the time of these */
  self_ps: number;
  /** FLOP a byte of HBM */
  intensity: Maybe<number>;
  /** during known work */
  flops_per_s: Maybe<number>;
  /** over self_ps */
  all_flops_per_s: Maybe<number>;
}

export interface RooflineAnswer {
  /** times of at least one program are known */
  known: boolean;
  /** why not */
  reason: Maybe<string>;
  /** of all times */
  clock: Maybe<'device' | 'host' | 'mixed'>;
  /** host of the times; null: all hosts of the run together */
  host: Maybe<string>;
  /** hosts whose operations are in the sums */
  hosts: string[];
  /** requested hosts whose events have no operation of these programs */
  quiet_hosts: string[];
  /** that ran them, or devices of a host that computes itself: sums are over all of these */
  chips: number;
  /** these are devices of hosts that compute themselves, not chips */
  on_cpu: boolean;
  /** other hosts that ran one of the programs; their times are not in this answer */
  other_hosts: string[];
  /** in use */
  peaks: Maybe<Peaks>;
  /** before the user entered any */
  said_peaks: Maybe<Peaks>;
  /** matrix units, one row for each rate, the one with most time first; then the other limits */
  roofs: Columns<RoofShown>;
  /** peaks that cannot be right, and how to enter the right ones */
  proof: Maybe<string>;
  /** of all operations, without the filter */
  all_self_ps: number;
  /** likewise */
  all_operations: number;
  /** what was not checked because of the limits of an expression */
  filter_note: Maybe<string>;
  /** operations that match the filter; all fields below cover these, but the roofs do not */
  operations: number;
  /** self time of these: the sum over places */
  self_ps: number;
  /** during known work, as of `programs`: without waits */
  flops_per_s: Maybe<number>;
  /** likewise */
  hbm_bytes_per_s: Maybe<number>;
  /** for operations with a roofline: expected time at the peaks divided by measured time */
  roofline_share: Maybe<number>;
  /** the operations as points */
  places: Columns<RoofPlace>;
  /** operations with a roofline, or a loss against the best rates */
  judged: number;
  /** self time of them */
  judged_ps: number;
  /** loss of these, sum */
  lost_ps: number;
  /** highest rate of an operation of 50 us or more */
  best_flops_per_s: Maybe<number>;
  /** name of that operation; "" none */
  best_flops_by: string;
  /** likewise */
  best_hbm_bytes_per_s: Maybe<number>;
  best_hbm_by: string;
  /** shorter operations that were faster */
  above_best: number;
  /** self time of them */
  above_best_ps: number;
  /** with times */
  programs: Columns<RoofProgram>;
}

export interface OpsSide {
  run: string;
  /** key of the program */
  module: string;
  /** host of the events; null: all hosts together */
  host: Maybe<string>;
  /** of its times */
  clock: 'device' | 'host' | 'mixed';
  /** steps of all devices together, the basis of means */
  spans: number;
  /** numbers of the steps that count */
  steps: number[];
  /** no steps are marked: the whole trace is one span for each device */
  whole: boolean;
  /** operations that ran */
  ops: number;
  /** operations without a pair */
  unpaired: number;
  /** of one step on one device: the sum of the rows */
  self_ps: number;
}

export interface OpsChange {
  /** gone: did not run after; new: did not run before */
  state: 'both' | 'gone' | 'new';
  /** without marks; of a group and of by=scope without numbers, "" unknown */
  scope: string;
  /** of a group and of an operation; null: none */
  phase: Maybe<'forward' | 'backward' | 'recompute'>;
  /** likewise; without HLO, its name without the number */
  opcode: string;
  /** likewise; of the result, without layout */
  shape: string;
  /** file and line; of by=source and by=operation, "" unknown */
  source: string;
  /** of an operation; null: no pair, or another `by` */
  name_before: Maybe<string>;
  /** likewise */
  name_after: Maybe<string>;
  /** operations that ran */
  ops_before: number;
  ops_after: number;
  /** self time of one step on one device; null: nothing ran */
  before_ps: Maybe<number>;
  /** likewise */
  after_ps: Maybe<number>;
  /** after minus before, where null counts as 0 */
  change_ps: number;
}

export interface OpsLone {
  /** that has it */
  side: 'before' | 'after';
  name: string;
  /** without numbers */
  scope: string;
  opcode: string;
  shape: string;
  /** of one step on one device */
  self_ps: number;
}

export interface OpsKind {
  /** kind of work */
  group: 'none' | 'matmul' | 'elem' | 'reduce' | 'move' | 'coll' | 'control' | 'host' | 'custom';
  /** self time of one step on one device */
  before_ps: number;
  /** likewise */
  after_ps: number;
}

export interface OpsCompare {
  /** both sides have times */
  known: boolean;
  /** why not */
  reason: Maybe<string>;
  /** what a row is */
  by: 'group' | 'scope' | 'operation' | 'source';
  /** the side of base_* */
  before: Maybe<OpsSide>;
  /** the side of the other parameters */
  after: Maybe<OpsSide>;
  /** after minus before; the sum of the changes of all rows */
  change_ps: number;
  /** differences that make the two hard to compare */
  notes: string[];
  /** rows, listed or not */
  total: number;
  /** of the first row listed */
  offset: number;
  /** changes of the rows not listed */
  rest_ps: number;
  /** the largest change first */
  rows: Columns<OpsChange>;
  /** operations without a pair */
  unpaired_total: number;
  /** the first of these, most time first; `limit` also applies here */
  unpaired: Columns<OpsLone>;
  /** both sides by op group, most time before or after first; each column adds up to its side */
  kinds: Columns<OpsKind>;
}

export interface CollectiveChip {
  /** of trace/rows */
  process: number;
  /** its number */
  device: number;
  /** its event */
  event: number;
  /** row of the event */
  row: number;
  /** likewise */
  depth: number;
  /** of the event */
  start_ps: number;
  /** likewise */
  end_ps: number;
  /** wait for the last chip to begin; more than the event's own time where the clocks of two chips differ */
  wait_ps: number;
}

export interface CollectiveAnswer {
  /** start of the trace, since 1970; other times count from here */
  base_ps: string;
  /** of all times */
  clock: 'host';
  /** clock by which chips of several hosts are compared; null: one host */
  hosts_clock: Maybe<'profile'>;
  /** number of chips left out, on hosts whose times cannot be compared */
  apart: number;
  /** the chips that took part */
  chips: Columns<CollectiveChip>;
  /** between the first and the last to begin */
  skew_start_ps: number;
  /** between the first and the last to end */
  skew_end_ps: number;
  /** process that began last; null with one chip */
  straggler: Maybe<number>;
}

export interface FlowOfEvent {
  /** its id */
  flow: string;
  /** what kind of call it is, "" unknown */
  category: string;
  /** events that it comes from; the requested event first */
  out: EventAt[];
  /** events it reaches; likewise */
  in: EventAt[];
  /** events of both sides not listed */
  left_out: number;
}

export interface FlowArrow {
  /** its id */
  flow: string;
  /** what kind of call it is, "" unknown */
  category: string;
  from_event: number;
  /** of trace/rows */
  from_row: number;
  /** depth in its row */
  from_depth: number;
  /** host-aligned */
  from_start_ps: number;
  /** host-aligned */
  from_duration_ps: number;
  to_event: number;
  /** of trace/rows */
  to_row: number;
  /** depth in its row */
  to_depth: number;
  /** host-aligned */
  to_start_ps: number;
  /** host-aligned */
  to_duration_ps: number;
}

export interface FlowArrows extends Columns<FlowArrow> {
  /** arrows beyond the limit */
  left_out: number;
}

export interface TraceFlows {
  /** start of the trace, since 1970; other times count from here */
  base_ps: string;
  /** flows of the trace with events on both sides */
  matched: number;
  /** flows with events on one side only */
  open: number;
  /** with `event`: its flows */
  flows: Maybe<FlowOfEvent[]>;
  /** with `event`: its flows that are not listed */
  left_out: Maybe<number>;
  /** without `event`: those of the window */
  arrows: Maybe<FlowArrows>;
}

export interface TraceLane {
  /** of trace/rows */
  process: number;
  /** number of rows merged */
  rows: number;
  /** by column: 0 idle to 255 busy all the time */
  level: number[];
  /** by column: index in `groups` of the group with most time */
  group: number[];
}

export interface TraceOverview {
  /** start of the trace, since 1970; other times count from here */
  base_ps: string;
  /** of the window */
  from_ps: number;
  /** of the window */
  to_ps: number;
  columns: number;
  /** width of a column */
  column_ps: number;
  /** kinds of work */
  groups: string[];
  /** one for each process with events */
  lanes: TraceLane[];
}

export interface TraceFlameNode {
  name: string;
  /** index in the list; null: none */
  parent: Maybe<number>;
  total_ps: number;
  /** total minus the nodes below, listed or not */
  self_ps: number;
  /** events */
  count: number;
  /** kind of work */
  group: 'none' | 'matmul' | 'elem' | 'reduce' | 'move' | 'coll' | 'control' | 'host' | 'custom';
  first_event: number;
}

export interface TraceFlame extends Columns<TraceFlameNode> {
  /** start of the trace, since 1970; other times count from here */
  base_ps: string;
  /** of all times */
  clock: 'host';
  /** of the range */
  from_ps: number;
  /** of the range */
  to_ps: number;
  /** rows of trace/rows that were merged */
  of_rows: number[];
  /** of all outermost nodes, listed or not */
  total_all_ps: number;
  /** nodes not listed */
  folded: number;
  /** events without a node: too many paths */
  lost: number;
}

export interface ExplainSegment {
  /** the next stretch of the instruction's text */
  text: string;
  /** row of `parts` */
  part: number;
}

export interface ExplainPart {
  label: string;
  sentence: string;
  /** not in the text */
  missing: boolean;
}

export interface ExplainText {
  segments: Columns<ExplainSegment>;
  parts: Columns<ExplainPart>;
  /** attributes without a part */
  left_out: number;
}

export interface ExplainOutput {
  /** with layout */
  shape: string;
  elements: number;
  /** with padding */
  size_bytes: number;
  unpadded_bytes: Maybe<number>;
  /** elements of a tuple; else 1 */
  results: number;
  /** memory of the largest array; "": none */
  space: string;
}

export interface ExplainTile {
  /** -1: the whole dimension (`*`) */
  dims: number[];
}

export interface ExplainStep {
  /** `logical`, a tile, or another order of dimensions */
  label: string;
  /** the array after this step of tiling */
  dims: number[];
  words: string;
  /** where the size is final */
  size_bytes: Maybe<number>;
}

export interface ExplainCellRow {
  /** offset of the element in each column; -1: none */
  elements: number[];
}

export interface ExplainCells {
  /** indexes in the second minor dimension that are shown */
  rows: number[];
  /** indexes in the minor dimension */
  columns: number[];
  /** elements in the second minor dimension */
  row_size: number;
  /** elements in the minor dimension */
  column_size: number;
  /** drawn: of one tile, or of the array with padding */
  row_extent: number;
  /** likewise */
  column_extent: number;
  /** a row for each of `rows` */
  offset: ExplainCellRow[];
}

export interface ExplainLayout {
  dims: number[];
  minor_to_major: number[];
  /** outermost first */
  tiles: ExplainTile[];
  element_bits: number;
  unpadded_bytes: number;
  tiled_bytes: number;
  /** tiling first, then the size with other dimension orders */
  steps: ExplainStep[];
  /** where elements lie */
  cells: ExplainCells;
}

export interface ExplainTraffic {
  /** memory */
  space: string;
  read_bytes: number;
  written_bytes: number;
}

export interface ExplainExpected {
  flops: Maybe<number>;
  /** read and written */
  hbm_bytes: Maybe<number>;
  /** sent to other devices */
  link_bytes: Maybe<number>;
  /** the compiler's estimate */
  cycles: Maybe<number>;
  /** a part of the work is unknown */
  partial: boolean;
  collective: boolean;
  /** vector units do the work: it has no matrix multiplication */
  vector: boolean;
  /** where the amounts come from */
  rule: string;
  /** by memory */
  traffic: Columns<ExplainTraffic>;
  /** the peaks that the times assume */
  peaks: Maybe<Peaks>;
  /** chips with known peaks */
  chips: Peaks[];
  /** FLOP/s of the units that do the work */
  work_peak_per_s: Maybe<number>;
  /** at these peaks */
  compute_s: Maybe<number>;
  hbm_s: Maybe<number>;
  vmem_s: Maybe<number>;
  cmem_s: Maybe<number>;
  link_s: Maybe<number>;
  cycles_s: Maybe<number>;
  /** the longest of the times at peaks */
  roofline_s: Maybe<number>;
  /** which of them sets it */
  bound: Maybe<string>;
  /** in words */
  verdict: string;
}

export interface ExplainKind {
  opcode: string;
  count: number;
}

export interface ExplainKinds extends Columns<ExplainKind> {
  /** instructions of other opcodes */
  others: number;
}

export interface ExplainMatmul {
  /** instruction */
  name: string;
  is_convolution: boolean;
  batch: number;
  m: number;
  n: number;
  k: number;
  flops: number;
}

export interface ExplainCollective {
  /** opcode */
  kind: string;
  /** inside the operation */
  hidden: boolean;
  /** instruction; null in a pasted line */
  name: Maybe<string>;
  /** what it does */
  words: string;
  /** its replica groups, as the text writes them */
  groups: Maybe<string>;
  /** the groups along the axes of the parameter `mesh` */
  mesh: Maybe<string>;
}

export interface ExplainContains {
  /** computation that it calls */
  body: Maybe<string>;
  /** of the body */
  instructions: Maybe<number>;
  /** the body by opcode */
  kinds: Maybe<ExplainKinds>;
  matmul: Maybe<ExplainMatmul>;
  collective: Maybe<ExplainCollective>;
  /** why something is unknown */
  note: Maybe<string>;
}

export interface ExplainSharding {
  /** as HLO writes it */
  text: string;
  /** taken from the parameter `sharding` */
  typed: boolean;
  words: string;
  /** of the whole array */
  global_dims: Maybe<number[]>;
  /** the sharding along the axes of the parameter `mesh` */
  mesh: Maybe<string>;
}

export interface ExplainNear {
  /** index of the instruction in the module */
  ix: Maybe<number>;
  /** of the instruction */
  id: Maybe<string>;
  name: string;
  /** "": the text does not have it */
  shape: string;
  /** of its result, with padding */
  size_bytes: Maybe<number>;
  /** memory of the largest array; "": none */
  space: string;
  /** kind of work */
  group: Maybe<'none' | 'matmul' | 'elem' | 'reduce' | 'move' | 'coll' | 'control' | 'host' | 'custom'>;
  /** in `graph/text?format=long&metadata=1` */
  line: Maybe<number>;
  /** path of an entry parameter in the caller's program; else "" */
  label: string;
}

export interface ExplainNears extends Columns<ExplainNear> {
  total: number;
  /** beyond 200 */
  left_out: number;
}

export interface ExplainRepeat {
  /** index of the instruction in the module */
  ix: number;
  /** of the instruction */
  id: string;
  name: string;
  cycles: Maybe<number>;
  flops: Maybe<number>;
  line: Maybe<number>;
}

export interface ExplainRepeats extends Columns<ExplainRepeat> {
  total: number;
  /** beyond 40 */
  left_out: number;
}

export interface ExplainFrame {
  file: string;
  line: number;
  function: string;
}

export interface ExplainSource {
  file: Maybe<string>;
  line: Maybe<number>;
  /** innermost first */
  frames: ExplainFrame[];
}

export interface Explanation {
  /** from a line of text; what only a module knows is null */
  pasted: boolean;
  name: string;
  opcode: string;
  /** kind of work */
  group: 'none' | 'matmul' | 'elem' | 'reduce' | 'move' | 'coll' | 'control' | 'host' | 'custom';
  /** of the instruction */
  id: Maybe<string>;
  /** index of the instruction in the module */
  ix: Maybe<number>;
  /** in `graph/text?format=long&metadata=1` */
  line: Maybe<number>;
  /** path in the model's code */
  op_name: Maybe<string>;
  /** computation that contains it */
  computation: Maybe<string>;
  /** key */
  module: Maybe<string>;
  /** "": unknown */
  device_type: Maybe<string>;
  /** its text, part by part */
  text: ExplainText;
  /** its result */
  output: ExplainOutput;
  /** of an array; null for a tuple */
  layout: Maybe<ExplainLayout>;
  /** expected time */
  expected: ExplainExpected;
  contains: ExplainContains;
  sharding: Maybe<ExplainSharding>;
  operands: ExplainNears;
  /** the nearest first */
  users: Maybe<ExplainNears>;
  /** the same operation in other layers */
  repeats: Maybe<ExplainRepeats>;
  /** in the user's program */
  source: Maybe<ExplainSource>;
  /** size of the kernel in its backend config; null: none */
  kernel_bytes: Maybe<number>;
}

/** The answer of each route below /api/v1/. */
export interface Answers {
  'status': Status;
  'runs': Runs;
  'run': RunShown;
  'overview': Overview;
  'loading': Loading;
  'card': RunCard;
  'modules': Modules;
  'heap/files': HeapFiles;
  'heap/summary': HeapSummary;
  'heap/tree': HeapTreeAnswer & { names: string[] };
  'heap/lines': HeapLinesAnswer;
  'memory/summary': Summary;
  'memory/curve': CurveAnswer;
  'memory/steps': MemorySteps & { names: string[] };
  'memory/scopes': MemoryScopes & { names: string[] };
  'memory/map': Map & { names: string[] };
  'memory/live': MemoryLive & { names: string[] };
  'memory/diff': MemoryDiff & { names: string[] };
  'memory/range': MemoryRange & { names: string[] };
  'memory/buffers': MemoryBuffers & { names: string[] };
  'memory/buffer': BufferAnswer;
  'memory/tree': MemoryTree & { names: string[] };
  'memory/whatif': Whatif;
  'memory/whatif/held': WhatifHeld;
  'report/details': ReportDetails;
  'report/areas': ReportAreas;
  'report/groups': ReportGroupsAnswer;
  'report/heap': ReportHeap & { names: string[] };
  'report/place': ReportPlace & { names: string[] };
  'report/plot': ReportPlot;
  'report/transfers': TransfersAnswer;
  'graph/overview': GraphOverview;
  'graph/tree': GraphLevel;
  'graph/around': Around;
  'graph/order': GraphStrip;
  'graph/list': GraphList;
  'graph/path': GraphWay;
  'graph/search': GraphSearch;
  'graph/node': NodeAnswer;
  'graph/opcodes': GraphOpcodes;
  'graph/calls': GraphCallTree;
  'graph/critical': GraphCriticalChain;
  'graph/layouts': GraphLayouts;
  'graph/near': GraphNear;
  'graph/times': GraphTimes;
  'input/verdict': InputVerdictAnswer;
  'input/steps': InputStepsAnswer;
  'input/lanes': InputLanesAnswer;
  'input/stages': InputStagesAnswer;
  'input/threads': InputThreadsAnswer;
  'input/tfdata': InputTfdataAnswer;
  'search': SearchAnswer;
  'oom': Oom;
  'doctor': DoctorAnswer;
  'compare': Compared & { names: string[] };
  'compare/curve': ComparedCurve;
  'compare/steps': ComparedSteps;
  'compare/buffers': ComparedBuffers & { names: string[] };
  'compare/text': ComparedText;
  'trace/rows': TraceRows;
  'trace/window': PictureWindow;
  'trace/event': TraceEvent;
  'trace/memory': TraceMemory;
  'trace/allocators': TraceAllocators;
  'trace/allocators/live': AllocLive & { names: string[] };
  'trace/allocators/diff': AllocDiff & { names: string[] };
  'trace/allocators/events': AllocEvents & { names: string[] };
  'trace/allocators/steps': AllocStepsAnswer;
  'trace/near': TraceNear;
  'trace/same': TraceSame;
  'trace/search': TraceSearch & { names: string[] };
  'trace/totals': TraceTotals;
  'trace/steps': StepsAnswer;
  'trace/stepsplit': Stepsplit;
  'trace/overlap': OverlapAnswer;
  'trace/gaps': GapsAnswer;
  'trace/ops': Ops;
  'trace/ops/tree': OpsTree;
  'trace/ops/one': OpsOne;
  'trace/layers': LayersAnswer;
  'roofline': RooflineAnswer;
  'trace/ops/compare': OpsCompare;
  'trace/collective': CollectiveAnswer;
  'trace/flows': TraceFlows;
  'trace/overview': TraceOverview;
  'trace/flame': TraceFlame;
  'graph/explain': Explanation;
  'explain': Explanation;
}
