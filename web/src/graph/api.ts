/** The graph's answers (docs/API.md), as TypeScript. Columns are arrays of equal length; unknown is null. */
import type { Answers, GraphHeaviestList } from '../api/answers';
import { type CallOptions, call, type Params } from '../api/client';
import type { Peaks } from '../explain/types';

export interface AroundNodes {
  ix: number[];
  id: string[];
  name: string[];
  label: string[];
  opcode: string[];
  kind: string[];
  op_name: string[];
  shape: string[];
  bytes: (number | null)[];
  space: string[];
  group: string[];
  scheme: string[];
  /** Null: the text folds it. */
  line: (number | null)[];
  cluster: number[];
  state: string[];
  operands: number[];
  operands_hidden: number[];
  users: number[];
  users_hidden: number[];
  pair: string[];
  times: number[];
  is_root: (boolean | number)[];
  collective: string[];
  elements: (number | null)[];
  cycles: (number | null)[];
  flops: (number | null)[];
  moved_bytes: (number | null)[];
  matmul: string[];
  can_expand: (boolean | number)[];
  note: string[];
  lines: string[][];
  body?: number[];
  distance?: number[];
  pair_ix: (number | null)[];
}

export interface Around {
  title: string;
  computation: string;
  center: { ix: number; id: string; name: string; node?: number | null } | null;
  nodes: AroundNodes;
  clusters: { computation: string[]; caller_ix: (number | null)[]; parent: number[]; is_fusion: (boolean | number)[]; title: string[] };
  edges: {
    from: number[];
    to: number[];
    operand: number[];
    kind: string[];
    bytes: (number | null)[];
    is_small: (boolean | number)[];
    tuple: number[];
    distance: number[];
  };
  stubs: { node: number[]; is_user: (boolean | number)[]; ix: number[]; id: string[]; name: string[]; line: (number | null)[]; bytes: (number | null)[] };
  counts: {
    shown: number;
    /** Nodes of bodies, which `of` does not count. */
    shown_in_bodies?: number;
    of: number;
    of_is_least?: boolean;
    cut_edges: number;
    left_out: number;
    bodies_left_out?: number;
    limit: number;
  };
  notes: string[];
}

export interface Overview {
  module: string;
  program_id: string;
  instructions: number;
  computations: number;
  entry: { name: string; id: string; ops: number; first_line: number } | null;
  ticks_total: number | null;
  device_type: string;
  peaks: Peaks | null;
  kinds: Record<string, number>;
  heaviest: HeavyList;
}

export type HeavyList = GraphHeaviestList;
export type TreeRows = Answers['graph/tree'];
export type Times = Answers['graph/times'];
export type Order = Answers['graph/order'];
export type ListRows = Answers['graph/list'];
export type PathAnswer = Answers['graph/path'];
export type SearchAnswer = Answers['graph/search'];

const route = <T>(name: string) => (params: Params, options: CallOptions = {}) => call<T>(`graph/${name}`, params, options);

/** A neighbour may be named by the file and not be in it: then it has no group. */
interface NamedGroups {
  name: (string | null)[];
  group: (string | null)[];
}

export interface NodeAnswer {
  operands: NamedGroups;
  users: NamedGroups;
}

export const graphApi = {
  around: route<Around>('around'),
  overview: route<Overview>('overview'),
  tree: route<TreeRows>('tree'),
  order: route<Order>('order'),
  list: route<ListRows>('list'),
  node: route<NodeAnswer>('node'),
  path: route<PathAnswer>('path'),
  search: route<SearchAnswer>('search'),
  times: route<Times>('times'),
};
