/** The graph's answers (docs/API.md), as TypeScript. Columns are arrays of equal length; unknown is null. */
import type { Answers, GraphHeaviestList } from '../api/answers';
import { type CallOptions, call, type Params } from '../api/client';

export type Around = Answers['graph/around'];
export type AroundNodes = Around['nodes'];
export type Overview = Answers['graph/overview'];

export type HeavyList = GraphHeaviestList;
export type TreeRows = Answers['graph/tree'];
export type Times = Answers['graph/times'];
export type Order = Answers['graph/order'];
export type ListRows = Answers['graph/list'];
export type PathAnswer = Answers['graph/path'];
export type SearchAnswer = Answers['graph/search'];

const route =
  <T>(name: string) =>
  (params: Params, options: CallOptions = {}) =>
    call<T>(`graph/${name}`, params, options);

export type NodeAnswer = Answers['graph/node'];

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
