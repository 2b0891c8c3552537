/** What of an answer is drawn: boxes with their texts and sizes, arrows, stubs, chips; and what the layout is asked. Pure. */
import { plural } from '../util/format';
import type { Around } from './api';
import { HEADER, type LayoutInput } from './layout';
import { bytesText, opTail, pairName, shapeText } from './words';

export interface Chip {
  text: string;
  /** What a click does: more users, or the operands. */
  kind: 'users' | 'operands';
  width: number;
}

export interface SceneNode {
  ix: number;
  id: string;
  name: string;
  /** First line: name and time. */
  title: string;
  time: string;
  /** Second line, "" when there is nothing to say. */
  sub: string;
  shape: string;
  size: string;
  /** Operands that are lines of the box. */
  lines: string[];
  group: string;
  root: boolean;
  collective: string;
  unknown: boolean;
  canExpand: boolean;
  /** The computation drawn in its place, -1 none. */
  body: number;
  cluster: number;
  width: number;
  height: number;
  top: Chip | null;
  bottom: Chip | null;
  /** Share of the longest time in view, 0 to 1. */
  share: number;
}

interface SceneCluster {
  owner: number;
  parent: number;
  title: string;
  words: string;
  side: string;
  fusion: boolean;
  minWidth: number;
}

export interface SceneEdge {
  from: number;
  to: number;
  kind: string;
  operand: number;
  tuple: number;
  /** 0 under 1 MiB, 1 under 32 MiB, 2 more. */
  weight: 0 | 1 | 2;
  small: boolean;
  /** Index of a stub at one of its ends, -1: both ends are nodes. */
  stub: number;
}

interface SceneStub {
  node: number;
  isUser: boolean;
  ix: number;
  name: string;
  line: number | null;
  text: string;
  width: number;
}

export interface Scene {
  around: Around;
  nodes: SceneNode[];
  clusters: SceneCluster[];
  edges: SceneEdge[];
  stubs: SceneStub[];
  nodeOfIx: Map<number, number>;
  nodeOfName: Map<string, number>;
  /** Layout node of a scene node, -1 when a computation stands in its place. Stubs follow the nodes. */
  layoutOf: number[];
  stubAt: number[];
  input: LayoutInput;
}

export type Face = 'name' | 'bold' | 'text' | 'mono' | 'chip';
/** Width of a text in one of the faces, in pixels. */
export type Measure = (face: Face, text: string) => number;
/** Text of an instruction's badge, and the value of its bar. */
export type Badge = (k: number) => { text: string; amount: number | null };

export const LINE = 15;
const PAD_X = 11;
const MAX_WIDTH = 290;
const STUB_HEIGHT = 20;
export const CHIP_HEIGHT = 15;
/** Pixels by which a chip lies over its box. */
export const CHIP_OVER = 4;

const MIB = 2 ** 20;

function clip(text: string, face: Face, room: number, measure: Measure): string {
  if (measure(face, text) <= room) return text;
  let low = 1;
  let high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (measure(face, `${text.slice(0, middle)}…`) <= room) low = middle;
    else high = middle - 1;
  }
  return `${text.slice(0, low)}…`;
}

function subOf(a: Around, k: number): string {
  const n = a.nodes;
  if (n.label[k]) return '';
  if (n.matmul[k] && !n.kind[k]) return `matmul ${n.matmul[k]} · ${/^\(?([a-z]\w*)\[/.exec(n.shape[k])?.[1] ?? ''}`;
  const inner = n.cluster[k] >= 0;
  const tail = opTail(n.op_name[k]);
  const what = n.kind[k] ? `${n.opcode[k]} ${n.kind[k]}` : n.opcode[k];
  if (inner && n.kind[k]) return tail ? `${what} · ${tail}` : what;
  if (tail) return tail;
  if (n.opcode[k] === 'parameter' || n.name[k].startsWith(n.opcode[k])) return '';
  return what;
}

function chipsOf(a: Around, k: number, measure: Measure): { top: Chip | null; bottom: Chip | null } {
  const n = a.nodes;
  const make = (kind: Chip['kind'], text: string): Chip => ({ kind, text, width: measure('chip', text) + 14 });
  const hiddenIn = n.operands_hidden[k];
  const hiddenOut = n.users_hidden[k];
  const top = !hiddenIn
    ? null
    : make('operands', hiddenIn === n.operands[k] ? `${plural(hiddenIn, 'operand')} hidden` : `${hiddenIn} of ${plural(n.operands[k], 'operand')} hidden`);
  const bottom = !hiddenOut
    ? null
    : make('users', hiddenOut === n.users[k] ? `+${plural(hiddenOut, 'user')}` : `${plural(n.users[k], 'user')}, showing ${n.users[k] - hiddenOut}`);
  return { top, bottom };
}

function makeNode(a: Around, k: number, badge: Badge, measure: Measure): SceneNode {
  const n = a.nodes;
  const said = badge(k);
  const times = n.times[k] > 1 ? ` ×${n.times[k]}` : '';
  const bytes = n.size_bytes[k];
  const node: SceneNode = {
    ix: n.ix[k],
    id: n.id[k],
    name: n.name[k],
    title: `${n.label[k] || pairName(n.name[k], n.pair[k])}${times}`,
    time: n.opcode[k] === 'parameter' || n.opcode[k] === 'constant' ? '' : said.text,
    sub: subOf(a, k),
    shape: shapeText(n.shape[k]),
    size: bytes === null ? '' : `${bytesText(bytes)}${n.cluster[k] < 0 && n.space[k] ? ` ${n.space[k]}` : ''}`,
    lines: n.lines[k] ?? [],
    group: n.group[k],
    root: Boolean(n.is_root[k]) && n.cluster[k] >= 0,
    collective: n.collective[k],
    unknown: Boolean(n.note[k]),
    canExpand: Boolean(n.can_expand[k]),
    body: -1,
    cluster: n.cluster[k],
    width: 0,
    height: 0,
    share: said.amount ?? 0,
    ...chipsOf(a, k, measure),
  };
  const room = MAX_WIDTH - 2 * PAD_X;
  const side = node.root ? 'ROOT' : node.collective ? node.collective : '';
  const sideWidth = (side ? measure('chip', side) + 14 : 0) + (node.time ? measure('bold', node.time) + 14 : 0);
  node.title = clip(node.title, 'name', Math.max(80, room - sideWidth), measure);
  node.sub = clip(node.sub, 'text', room, measure);
  node.shape = clip(node.shape, 'mono', Math.max(60, room - measure('text', node.size) - 14), measure);
  node.lines = node.lines.slice(0, 4).map((line) => clip(line, 'mono', room, measure));
  const widths = [
    measure('name', node.title) + sideWidth,
    measure('text', node.sub),
    measure('mono', node.shape) + (node.size ? measure('text', node.size) + 14 : 0),
    ...node.lines.map((line) => measure('mono', line)),
  ];
  node.width = Math.ceil(Math.max(96, ...widths, (node.top?.width ?? 0) - 12, (node.bottom?.width ?? 0) - 12) + 2 * PAD_X);
  node.height = 9 + LINE * (2 + (node.sub ? 1 : 0) + node.lines.length);
  return node;
}

function weightOf(bytes: number | null): 0 | 1 | 2 {
  return bytes === null || bytes < MIB ? 0 : bytes < 32 * MIB ? 1 : 2;
}

export function makeScene(a: Around, badge: Badge, measure: Measure): Scene {
  const nodes = a.nodes.ix.map((_, k) => makeNode(a, k, badge, measure));
  const longest = Math.max(...nodes.map((node) => node.share), 0);
  for (const node of nodes) node.share = longest > 0 ? node.share / longest : 0;
  const nodeOfIx = new Map(nodes.map((node, k) => [node.ix, k]));
  const clusters = makeClusters(a, nodes, nodeOfIx, measure);
  const stubs = makeStubs(a, measure);
  const edges = makeEdges(a, stubs).filter((edge) => !(edge.from >= 0 && edge.to >= 0 && within(clusters, nodes, edge.from, edge.to)));
  const parts = { around: a, nodes, clusters, edges, stubs, nodeOfIx, nodeOfName: new Map(nodes.map((node, k) => [node.name, k])) };
  return { ...parts, ...layoutQuestion(parts) };
}

/** The computations' frames; a computation that is drawn in place of its caller is noted as that node's body. */
function makeClusters(a: Around, nodes: readonly SceneNode[], nodeOfIx: ReadonlyMap<number, number>, measure: Measure): SceneCluster[] {
  const bodiesOf = new Array<number>(nodes.length).fill(0);
  for (const caller of a.clusters.caller_ix) if (caller !== null && nodeOfIx.has(caller)) bodiesOf[nodeOfIx.get(caller) as number]++;
  return a.clusters.computation.map((computation, c): SceneCluster => {
    const caller = a.clusters.caller_ix[c];
    const owner = caller === null || caller < 0 ? -1 : (nodeOfIx.get(caller) ?? -1);
    const node = nodes[owner];
    // Of several bodies (while, conditional) the instruction is a box beside them; of one it is the head.
    if (node && a.nodes.body?.[owner] === c && bodiesOf[owner] === 1) node.body = c;
    const kind = owner >= 0 ? a.nodes.kind[owner] || a.nodes.opcode[owner] : '';
    const title = node?.body === c ? node.title : a.clusters.title[c] || computation;
    const words = node?.body === c ? [kind, node.shape].filter(Boolean).join(' · ') : '';
    const side = node?.body === c ? [node.time, node.size].filter(Boolean).join(' · ') : '';
    return {
      owner,
      parent: a.clusters.parent[c],
      title,
      words,
      side,
      fusion: Boolean(a.clusters.is_fusion[c]),
      minWidth: measure('name', title) + measure('mono', words) + measure('bold', side) + 70,
    };
  });
}

function makeStubs({ stubs }: Around, measure: Measure): SceneStub[] {
  return stubs.node.map((node, s): SceneStub => {
    const isUser = Boolean(stubs.is_user[s]);
    const text = clip(`${isUser ? '→' : '←'} ${stubs.name[s]}`, 'mono', 200, measure);
    return {
      node,
      isUser,
      ix: stubs.ix[s],
      name: stubs.name[s],
      line: stubs.line[s],
      text,
      width: Math.ceil(measure('mono', text) + measure('text', `line ${stubs.line[s] ?? '?'}`) + 32),
    };
  });
}

/** The arrows between nodes, then one to or from each stub. */
function makeEdges(a: Around, stubs: readonly SceneStub[]): SceneEdge[] {
  const edges = a.edges.from.map(
    (from, e): SceneEdge => ({
      from,
      to: a.edges.to[e],
      kind: a.edges.kind[e],
      operand: a.edges.operand[e],
      tuple: a.edges.tuple[e],
      weight: weightOf(a.edges.size_bytes[e]),
      small: Boolean(a.edges.is_small[e]),
      stub: -1,
    }),
  );
  const toStubs = stubs.map(
    (stub, s): SceneEdge => ({
      from: stub.isUser ? stub.node : -1,
      to: stub.isUser ? -1 : stub.node,
      kind: 'stub',
      operand: -1,
      tuple: -1,
      weight: weightOf(a.stubs.size_bytes[s]),
      small: false,
      stub: s,
    }),
  );
  return [...edges, ...toStubs];
}

/** What the layout is asked, and the place that each node and stub has in the question. */
function layoutQuestion({ nodes, clusters, edges, stubs }: Pick<Scene, 'nodes' | 'clusters' | 'edges' | 'stubs'>) {
  const drawn = nodes.map((_, k) => k).filter((k) => nodes[k].body < 0);
  const layoutOf = new Array<number>(nodes.length).fill(-1);
  drawn.forEach((k, at) => {
    layoutOf[k] = at;
  });
  const stubAt = stubs.map((_, s) => drawn.length + s);
  // A drawn computation replaces the instruction that calls it; arrows of the call end at its border.
  const endOf = (k: number, stub: number) => (k < 0 ? stubAt[stub] : nodes[k].body >= 0 ? ~nodes[k].body : layoutOf[k]);
  const input: LayoutInput = {
    nodes: [
      ...drawn.map((k) => ({ width: nodes[k].width, height: nodes[k].height + chipRoom(nodes[k]), cluster: nodes[k].cluster })),
      ...stubs.map((stub) => ({ width: stub.width, height: STUB_HEIGHT, cluster: stubCluster(clusters, nodes, stub.node) })),
    ],
    clusters: clusters.map(({ parent, minWidth }) => ({ parent, minWidth })),
    edges: edges.map((edge) => ({ from: endOf(edge.from, edge.stub), to: endOf(edge.to, edge.stub) })),
  };
  return { layoutOf, stubAt, input };
}

/** Room that the chips on the border take above and below a box. */
function chipRoom(node: SceneNode): number {
  return (node.top ? CHIP_HEIGHT - CHIP_OVER : 0) + (node.bottom ? CHIP_HEIGHT - CHIP_OVER : 0);
}

/** A stub stands outside of the fusion that its node lies in. */
function stubCluster(clusters: readonly SceneCluster[], nodes: readonly SceneNode[], k: number): number {
  let at = nodes[k]?.cluster ?? -1;
  while (at >= 0 && clusters[at].fusion) at = clusters[at].parent;
  return at;
}

/** An arrow between a computation and something inside it: drawn by the box itself. */
function within(clusters: readonly SceneCluster[], nodes: readonly SceneNode[], a: number, b: number): boolean {
  const inside = (inner: number, outer: number) => {
    const body = nodes[outer].body;
    for (let at = nodes[inner].cluster; body >= 0 && at >= 0; at = clusters[at].parent) if (at === body) return true;
    return false;
  };
  return inside(a, b) || inside(b, a);
}

export const headerHeight = HEADER;
