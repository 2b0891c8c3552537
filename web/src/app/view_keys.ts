/** Every key of the address, by the page that reads it. Values are strings; an absent key means the default. The
 *  compiler refuses a key that is not here. */
export interface View {
  run?: string;
  host?: string;
  /** Hosts of the run that are read, with commas between; absent: all. Every answer then covers these alone. */
  only?: string;
  /** A tool of the sidebar, or 'files' for the state of the run's files. Absent: see openTool. */
  tool?: string;
  module?: string;
  space?: string;
  /** Capacity in bytes that overrides what is known. */
  hbm?: string;
  /** Peaks of the chip that were typed: flops, bandwidth, link, clock. */
  peaks?: string;
  /** Thresholds and muted rules of findings, as the lines of docs/CI.md. */
  config?: string;
  /** 'mib' keeps MiB above 10 GiB. */
  unit?: string;
  /** Overview: the steps are the runs of this program. */
  program?: string;
  /** Instruction that a link from another tool means, e.g. '%fusion.21'. */
  op?: string;
  /** For a link to Trace to one execution: the number of its event. */
  opev?: string;
  /** '1' shows the table twin in place of the picture. */
  table?: string;

  /** Start page: filter text, folder, chip (Overview: the chip that alone is shown, or 'slowest'), order, selected and marked run, kinds of runs not shown. */
  q?: string;
  folder?: string;
  chip?: string;
  order?: string;
  sel?: string;
  mark?: string;
  /** Also Report: parts of the sum, and Trace: rows, that are not shown. */
  hide?: string;

  /** Memory: viewer (absent), report, compare or time; the run and program that is the baseline. */
  mode?: string;
  base?: string;
  base_module?: string;
  base_host?: string;
  base_space?: string;
  /** Memory: window in steps, inspected step (of Overview, Ops and Roofline: a step of the run), pinned buffer, second step of a comparison. */
  from?: string;
  to?: string;
  step?: string;
  pin?: string;
  b?: string;
  tab?: string;
  sort?: string;
  desc?: string;
  filter?: string;
  by?: string;
  fold?: string;
  colour?: string;
  axis?: string;
  /** Buffers: at a step, at the peak or 'all'; of a class, type, group, shape, scope or source line. */
  at?: string;
  class?: string;
  dtype?: string;
  group?: string;
  opcode?: string;
  shape?: string;
  scope?: string;
  source?: string;
  /** Tree: by scope, source or class; 'each' opens numbered layers. */
  treeby?: string;
  layers?: string;
  /** What if: the changes; '1' opens the drawer. */
  w?: string;
  whatif?: string;

  /** Over time: allocators that are drawn, with commas between, the one in focus first; the instant A in ps (B is b, the window from and to, which list is at). */
  al?: string;
  a?: string;

  /** Input: rules before the built-in ones, 'wait:get_batch,load:my_read'. */
  rules?: string;

  /** Report: the steps side by side (of Input: the range of steps that the numbers are of), what is drawn, its tab. */
  steps?: string;
  graph?: string;
  rtab?: string;
  plot?: string;
  plotby?: string;
  split?: string;
  total?: string;
  level?: string;
  diffs?: string;
  tshape?: string;
  troot?: string;
  /** Report, groups: by what, filters by name, inner operation and origin. */
  rby?: string;
  rname?: string;
  rfilter?: string;
  origin?: string;
  /** Report, buffers: addresses, colour, full window, hidden classes, live or all, pinned one with its address, search, row size, scale, table. */
  raddr?: string;
  rcol?: string;
  rfull?: string;
  rhide?: string;
  rmode?: string;
  rpin?: string;
  rat?: string;
  rq?: string;
  rrow?: string;
  rscale?: string;
  rview?: string;
  /** Report, map of the modules: of modules or devices, quantity, shape, space, chosen ones, scale. */
  mapof?: string;
  mapq?: string;
  mapshape?: string;
  mapspace?: string;
  mods?: string;
  scale?: string;

  /** Compare: window in aligned steps; text with fusion bodies, all lines; equal groups too; only buffers of a state. */
  from_slot?: string;
  to_slot?: string;
  inside?: string;
  lines?: string;
  same?: string;
  state?: string;

  /** Explain: open sections, mesh, sharding. */
  xs?: string;
  mesh?: string;
  shard?: string;

  /** Graph: centre (by name or index), computation, radius, opened fusions, far edges drawn, limit of nodes, tried anyway. */
  c?: string;
  comp?: string;
  r?: string;
  x?: string;
  more?: string;
  lim?: string;
  try?: string;
  all?: string;
  merge?: string;
  keep?: string;
  gsel?: string;
  /** Graph: colour, badge, open rows of the tree, camera, sizes of columns, minimap. */
  gc?: string;
  gb?: string;
  gt?: string;
  gv?: string;
  gw?: string;
  mini?: string;
  /** Graph: search text, field, expression; path from and to. */
  gq?: string;
  gqf?: string;
  gqre?: string;
  pathfrom?: string;
  pathto?: string;
  /** HLO text: short form, metadata open, line, first line shown, search, its hit, folded parts. */
  form?: string;
  meta?: string;
  line?: string;
  tl?: string;
  tfind?: string;
  tn?: string;
  tf?: string;

  /** Trace: window, selected range, event, further ones, an event to look for, scroll place. */
  t0?: string;
  t1?: string;
  r0?: string;
  r1?: string;
  ev?: string;
  also?: string;
  place?: string;
  y?: string;
  /** Trace: panel, its tab and side; open, folded and other processes; rows by filter, order, height, pinned to the top. */
  panel?: string;
  tt?: string;
  side?: string;
  open?: string;
  folded?: string;
  others?: string;
  rows?: string;
  rowsby?: string;
  internal?: string;
  high?: string;
  h?: string;
  top?: string;
  /** Trace: colours, flows, marks, clock, clipping. */
  colours?: string;
  flows?: string;
  marks?: string;
  clk?: string;
  clip?: string;
  /** Trace, selection and steps: by what, order, rows of the selection, lane of the steps, all steps. */
  tby?: string;
  tsort?: string;
  trows?: string;
  chipof?: string;
  allsteps?: string;
  /** Trace, search: text, letters as typed, expression, in this window, arguments. */
  find?: string;
  case?: string;
  re?: string;
  in?: string;
  args?: string;
  /** Trace, flame: path, from threads of the host. Gaps: of what, in view only, more of them. */
  path?: string;
  tof?: string;
  gof?: string;
  gin?: string;
  gmany?: string;

  /** Ops: hierarchy, the box that fills its width, the box that narrows the table (names from the root, with | between). */
  oby?: string;
  /** Ops, A against B: the column that rows are sorted by, '0' ascending; absent: the largest change first. */
  csort?: string;
  cdesc?: string;
  ozoom?: string;
  obox?: string;
  /** Ops: 'layers' or 'compare' in place of the table; steps that count, '100-102,105', those of the other side of a comparison, what its rows are. */
  oview?: string;
  osteps?: string;
  asteps?: string;
  cby?: string;
  /** Ops, layers: the repeat, 'together' when parts hold all passes, parts that are turned open or shut, the chosen cell as part.layer, '-' for none. */
  lby?: string;
  lpass?: string;
  lopen?: string;
  lcell?: string;
  /** Ops: filter of the table. */
  ofilter?: string;
  /** Ops: the word that rows are grouped by, the group that is open. */
  ogroup?: string;
  oin?: string;
  /** Ops: order of the table, its columns; the chosen operation as name:program, '-' for none. */
  osort?: string;
  odesc?: string;
  ocols?: string;
  osel?: string;

  /** Heap file: its name, the file it is compared with ('none') and its run, which value of the samples, one device, one kind, what is own code. */
  heap?: string;
  against?: string;
  hbase?: string;
  htype?: string;
  hdev?: string;
  hkind?: string;
  hown?: string;
  /** Heap file, boxes: width by 'count' or 'grown', 'callees' on top, '0' all library frames, opened runs of them, the box that fills the width, two that are compared. */
  hby?: string;
  horder?: string;
  hfold?: string;
  hopen?: string;
  hzoom?: string;
  hpair?: string;
  /** Heap file: tab, order and filter of its table, the line on the card ('-': none). */
  htab?: string;
  hsort?: string;
  hdesc?: string;
  hfilter?: string;
  hline?: string;

  /** Roofline: 'programs' (absent: operations); window as powers of ten, 'from,to'; memory that x counts; colour and size of points; lens: '-' closed, or its place as shares of the chart. */
  rkind?: string;
  rx?: string;
  ry?: string;
  rmem?: string;
  rcolour?: string;
  rsize?: string;
  rlens?: string;
}

export type ViewKey = keyof View;
/** null, undefined, false and '' remove a key. */
export type Change = { [K in ViewKey]?: string | number | boolean | null | undefined };
