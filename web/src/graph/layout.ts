/**
 * Where the boxes and arrows of a drawing go. Each expanded computation is laid out by itself and then is one box of
 * the computation around it; an arrow that enters or leaves it goes through a port on its border. The layout of one
 * flat graph is Graphviz', handed in. Pixels, y down. Pure.
 */

interface LayoutNode {
  width: number;
  height: number;
  /** Index of the computation it is drawn in, -1: the outermost. */
  cluster: number;
}

interface LayoutCluster {
  parent: number;
  minWidth: number;
}

/** Ends are nodes, or ~k: computation k as a whole. */
interface LayoutEdge {
  from: number;
  to: number;
}

export interface LayoutInput {
  nodes: LayoutNode[];
  clusters: LayoutCluster[];
  edges: LayoutEdge[];
}

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface LayoutResult {
  width: number;
  height: number;
  nodes: Box[];
  clusters: Box[];
  /** Per edge: a start, then triples of control points (Bézier), as x, y, x, y, ... */
  edges: number[][];
}

/** One flat graph as the engine gets it and gives it back. */
export interface FlatItem {
  width: number;
  height: number;
  /** Offsets from the left edge where arrows may enter at the top, leave at the bottom. */
  top: number[];
  bottom: number[];
  /** Kept in the first or last row. */
  rank?: 'min' | 'max';
}
export interface FlatEdge {
  from: number;
  to: number;
  /** Index of a port of `from` (bottom) and `to` (top), -1: wherever it fits. */
  fromPort: number;
  toPort: number;
}
export interface FlatResult {
  width: number;
  height: number;
  /** Middles of the items. */
  x: number[];
  y: number[];
  paths: number[][];
}
type FlatLayout = (items: FlatItem[], edges: FlatEdge[]) => FlatResult;

export const HEADER = 23;
const PAD = 12;
const PORT = 4;

/** A part of an edge inside one computation. */
interface Segment {
  edge: number;
  /** Order along the edge. */
  at: number;
  from: number;
  to: number;
  fromPort: number;
  toPort: number;
}

interface Level {
  items: FlatItem[];
  /** Node index, or ~cluster index, or null for a port. */
  what: (number | null)[];
  segments: Segment[];
  itemOfNode: Map<number, number>;
  itemOfCluster: Map<number, number>;
  x: number;
  y: number;
  result: FlatResult | null;
}

function chainOf(clusters: readonly LayoutCluster[], cluster: number): number[] {
  const chain: number[] = [];
  for (let at = cluster; at >= 0 && chain.length <= clusters.length; at = clusters[at].parent) chain.push(at);
  return chain;
}

function makeLevels(input: LayoutInput): Level[] {
  // Level k holds what is drawn directly in computation k - 1.
  const levels: Level[] = Array.from({ length: input.clusters.length + 1 }, () => ({
    items: [],
    what: [],
    segments: [],
    itemOfNode: new Map(),
    itemOfCluster: new Map(),
    x: 0,
    y: 0,
    result: null,
  }));
  input.nodes.forEach((node, k) => {
    const level = levels[node.cluster + 1];
    level.itemOfNode.set(k, level.items.length);
    level.items.push({ width: node.width, height: node.height, top: [], bottom: [] });
    level.what.push(k);
  });
  input.clusters.forEach((cluster, k) => {
    const level = levels[cluster.parent + 1];
    level.itemOfCluster.set(k, level.items.length);
    level.items.push({ width: 0, height: 0, top: [], bottom: [] });
    level.what.push(~k);
  });
  return levels;
}

function addPort(level: Level, rank: 'min' | 'max'): number {
  level.items.push({ width: PORT, height: PORT, top: [], bottom: [], rank });
  level.what.push(null);
  return level.items.length - 1;
}

/** The computation that an end lies in. */
function insideOf(input: LayoutInput, end: number): number {
  return end >= 0 ? input.nodes[end].cluster : input.clusters[~end].parent;
}

function itemOf(input: LayoutInput, levels: Level[], end: number): number {
  const level = levels[insideOf(input, end) + 1];
  return (end >= 0 ? level.itemOfNode.get(end) : level.itemOfCluster.get(~end)) as number;
}

/** Cuts an edge at the borders of the computations it crosses. */
function cut(input: LayoutInput, levels: Level[], edge: number): void {
  const { from, to } = input.edges[edge];
  const up = chainOf(input.clusters, insideOf(input, from));
  const down = chainOf(input.clusters, insideOf(input, to));
  while (up.length && down.length && up[up.length - 1] === down[down.length - 1]) {
    up.pop();
    down.pop();
  }
  let at = 0;
  let item = itemOf(input, levels, from);
  let port = -1;
  for (const cluster of up) {
    const inner = levels[cluster + 1];
    const exit = addPort(inner, 'max');
    inner.segments.push({ edge, at: at++, from: item, to: exit, fromPort: port, toPort: -1 });
    const outer = levels[input.clusters[cluster].parent + 1];
    item = outer.itemOfCluster.get(cluster) as number;
    port = outer.items[item].bottom.push(exit) - 1;
  }
  const last = itemOf(input, levels, to);
  // From inside to outside in: the way down is found from its end.
  const entries: Segment[] = [];
  let toItem = last;
  let toPort = -1;
  for (const cluster of down) {
    const inner = levels[cluster + 1];
    const entry = addPort(inner, 'min');
    const segment = { edge, at: 0, from: entry, to: toItem, fromPort: -1, toPort };
    inner.segments.push(segment);
    entries.unshift(segment);
    const outer = levels[input.clusters[cluster].parent + 1];
    toItem = outer.itemOfCluster.get(cluster) as number;
    toPort = outer.items[toItem].top.push(entry) - 1;
  }
  const meet = up.length ? input.clusters[up[up.length - 1]].parent : down.length ? input.clusters[down[down.length - 1]].parent : insideOf(input, from);
  levels[meet + 1].segments.push({ edge, at: at++, from: item, to: toItem, fromPort: port, toPort });
  for (const segment of entries) segment.at = at++;
}

/** Computations, innermost first. */
function innermostFirst(clusters: readonly LayoutCluster[]): number[] {
  return clusters.map((_, k) => k).sort((a, b) => chainOf(clusters, b).length - chainOf(clusters, a).length);
}

export function layOut(input: LayoutInput, flat: FlatLayout, progress: (done: number, all: number) => void = () => {}): LayoutResult {
  const levels = makeLevels(input);
  for (let edge = 0; edge < input.edges.length; edge++) cut(input, levels, edge);
  const order = innermostFirst(input.clusters);
  order.forEach((cluster, done) => {
    const level = levels[cluster + 1];
    level.result = flat(level.items, level.segments);
    const { parent, minWidth } = input.clusters[cluster];
    const outer = levels[parent + 1];
    const box = outer.items[outer.itemOfCluster.get(cluster) as number];
    const width = Math.max(minWidth, level.result.width + 2 * PAD);
    const shift = (width - level.result.width) / 2;
    box.width = width;
    box.height = level.result.height + HEADER + PAD;
    const xOf = (item: number) => (level.result as FlatResult).x[item] + shift;
    box.top = box.top.map(xOf);
    box.bottom = box.bottom.map(xOf);
    level.x = shift;
    progress(done + 1, order.length + 1);
  });
  levels[0].result = flat(levels[0].items, levels[0].segments);
  progress(order.length + 1, order.length + 1);
  return assemble(input, levels);
}

function assemble(input: LayoutInput, levels: Level[]): LayoutResult {
  const nodes: Box[] = new Array(input.nodes.length);
  const clusters: Box[] = new Array(input.clusters.length);
  const pieces: { at: number; path: number[] }[][] = input.edges.map(() => []);
  const place = (at: number, x: number, y: number) => {
    const level = levels[at];
    const result = level.result as FlatResult;
    level.what.forEach((what, k) => {
      if (what === null) return;
      const { width, height } = level.items[k];
      const box = { x: x + result.x[k] - width / 2, y: y + result.y[k] - height / 2, width, height };
      if (what >= 0) nodes[what] = box;
      else {
        clusters[~what] = box;
        place(~what + 1, box.x + levels[~what + 1].x, box.y + HEADER);
      }
    });
    level.segments.forEach((segment, k) => {
      pieces[segment.edge].push({ at: segment.at, path: result.paths[k].map((v, i) => v + (i % 2 ? y : x)) });
    });
  };
  place(0, 0, 0);
  const edges = pieces.map((parts) => {
    parts.sort((a, b) => a.at - b.at);
    const path: number[] = [];
    for (const { path: next } of parts) {
      if (!next.length) continue;
      if (path.length) line(path, next[0], next[1]);
      path.push(...(path.length ? next.slice(2) : next));
    }
    return path;
  });
  const all = levels[0].result as FlatResult;
  return { width: all.width, height: all.height, nodes, clusters, edges };
}

/** A straight piece, written as a curve. */
function line(path: number[], x: number, y: number): void {
  const x0 = path[path.length - 2];
  const y0 = path[path.length - 1];
  path.push(x0 + (x - x0) / 3, y0 + (y - y0) / 3, x0 + ((x - x0) * 2) / 3, y0 + ((y - y0) * 2) / 3, x, y);
}
