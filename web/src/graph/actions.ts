/** What keys, clicks and buttons do to the drawing. */
import { announce, toast } from '../app/toast';
import { view } from '../app/router';
import { camera, fitAll, fitBox, reveal, screen, zoomAt, panBy } from './camera_state';
import { type Drawing, nearestThatWay, nodesIn } from './drawing';
import { drawing, mainNode, nodeIn, hover } from './graph_state';
import { alsoPicked, centreOn, change, opened, pick, picked, radius, setRadius } from './settings';

/** Where the pointer is over the canvas, in its pixels; -1: not over it. */
export const pointer = { x: -1, y: -1 };

/** Fusions and other computations that are drawn open, by the index of their caller. */
function openNow(d: Drawing): number[] {
  return d.scene.clusters.flatMap((cluster) => (cluster.owner >= 0 ? [d.scene.nodes[cluster.owner].ix] : []));
}

export function toggleOpen(k: number): boolean {
  const d = drawing.peek();
  const node = d?.scene.nodes[k];
  if (!d || !node) return false;
  const open = opened.peek() ?? openNow(d);
  if (node.body >= 0) change({ x: open.filter((ix) => ix !== node.ix).join(',') || 'none' });
  else if (node.canExpand) change({ x: [...open, node.ix].join(',') });
  else {
    toast(`${node.name} calls nothing that can be opened`);
    return false;
  }
  return true;
}

/** 16 more users or operands of a node. */
export function showMore(k: number): void {
  const d = drawing.peek();
  const a = d?.scene.around;
  const node = d?.scene.nodes[k];
  if (!node || !a) return;
  const list = (view.peek().more ?? '').split(',').filter(Boolean);
  const rest = list.filter((entry) => !entry.startsWith(`${node.ix}:`));
  const now = Number(list.find((entry) => entry.startsWith(`${node.ix}:`))?.split(':')[1] ?? 0);
  const far = (a.nodes.distance?.[k] ?? 0) >= radius.peek();
  // At the outer ring nothing of it is followed: it has to be in the middle first.
  if (far && node.cluster < 0) centreOn(node.name);
  else change({ more: [...rest, `${node.ix}:${Math.max(16, now) + 16}`].join(',') });
}

export function followStub(s: number, draw: boolean): void {
  const d = drawing.peek();
  const stub = d?.scene.stubs[s];
  if (!d || !stub) return;
  if (!draw) {
    centreOn(stub.name);
    return;
  }
  const node = d.scene.nodes[stub.node].ix;
  const pair = stub.isUser ? `${node}:${stub.ix}` : `${stub.ix}:${node}`;
  const kept = (view.peek().keep ?? '').split(',').filter(Boolean);
  change({ keep: [...kept, pair].join(',') });
}

export function pickNode(k: number, add: boolean): void {
  const d = drawing.peek();
  const node = d?.scene.nodes[k];
  if (!node) return;
  if (!add || !picked.peek()) {
    pick(node.name);
    announce(`${node.name} ${node.shape}`);
    return;
  }
  const also = alsoPicked.peek();
  change({ gsel: (also.includes(node.ix) ? also.filter((ix) => ix !== node.ix) : [...also, node.ix]).join(',') || null }, false);
}

export function pickArea(x0: number, y0: number, x1: number, y1: number): void {
  const d = drawing.peek();
  if (!d) return;
  const found = nodesIn(d, x0, y0, x1, y1);
  if (!found.length) return;
  change({ gsel: found.map((k) => d.scene.nodes[k].ix).join(',') }, false);
}

/** The selected node in the drawing, which is of the scene before while the list shows the next. */
const drawnMain = () => nodeIn(drawing.peek()?.scene ?? null, picked.peek());

let followed = { from: -1, up: false, at: -1 };

/** To an operand or a user of the selected node; the same key again: the next one. */
export function followEdge(users: boolean): boolean {
  const d = drawing.peek();
  const from = drawnMain();
  if (!d || from < 0) return false;
  // What was reached by this key is one of several: the next of the same node.
  const again = followed.up === users && followed.at === from;
  const origin = again ? followed.from : from;
  const ends = neighbours(d, origin, users);
  if (!ends.length) {
    toast(users ? 'nothing in the drawing uses it' : 'none of its operands are drawn');
    return true;
  }
  const next = again ? ends[(ends.indexOf(from) + 1) % ends.length] : ends[0];
  followed = { from: origin, up: users, at: next };
  pickNode(next, false);
  reveal(d.boxes[next]);
  return true;
}

/** Whether a node is `k` or inside of it, where it is open: the arrows of an open fusion end at the nodes in it. */
function isIn(d: Drawing, node: number, k: number): boolean {
  const { nodes, clusters } = d.scene;
  for (let at = nodes[node].cluster; node !== k && at >= 0; at = clusters[at].parent) if (clusters[at].owner === k) return true;
  return node === k;
}

/** Nodes at the other ends of its arrows, in operand order. */
export function neighbours(d: Drawing, k: number, users: boolean): number[] {
  const ends = d.scene.edges
    .filter((edge) => edge.stub < 0)
    .sort((a, b) => a.operand - b.operand)
    .map((edge) => (users ? [edge.from, edge.to] : [edge.to, edge.from]))
    .filter(([near, far]) => isIn(d, near, k) && !isIn(d, far, k))
    .map(([, far]) => far);
  return [...new Set(ends)];
}

export function stepNode(way: 'left' | 'up' | 'right' | 'down'): boolean {
  const d = drawing.peek();
  if (!d?.boxes.length) return false;
  const from = drawnMain();
  const next = from < 0 ? 0 : nearestThatWay(d, from, way);
  if (next >= 0) {
    pickNode(next, false);
    reveal(d.boxes[next]);
  }
  return true;
}

export function fit(): boolean {
  const d = drawing.peek();
  if (!d) return false;
  const also = alsoPicked
    .peek()
    .map((ix) => d.scene.nodeOfIx.get(ix) ?? -1)
    .filter((k) => k >= 0);
  const main = drawnMain();
  const all = main >= 0 ? [main, ...also] : also;
  if (!all.length) fitAll(d);
  else {
    const boxes = all.map((k) => d.boxes[k]);
    const x = Math.min(...boxes.map((box) => box.x));
    const y = Math.min(...boxes.map((box) => box.y));
    fitBox({ x, y, width: Math.max(...boxes.map((box) => box.x + box.width)) - x, height: Math.max(...boxes.map((box) => box.y + box.height)) - y });
  }
  return true;
}

export function showAll(): boolean {
  const d = drawing.peek();
  if (d) fitAll(d, 1.5);
  return Boolean(d);
}

export function zoomByKey(closer: boolean, fast: boolean): void {
  const over = pointer.x >= 0;
  zoomAt(over ? pointer.x : screen.width / 2, over ? pointer.y : screen.height / 2, (closer ? 1.25 : 0.8) ** (fast ? 4 : 1));
}

export function panByKey(right: boolean, fast: boolean): void {
  panBy((right ? 1 : -1) * screen.width * (fast ? 0.6 : 0.15), 0);
}

export function stepRadius(by: number): void {
  setRadius(radius.peek() + by);
}

/** The selected node, or the one under the pointer, is opened or folded. */
export function openHere(): boolean {
  const k = hover.peek() >= 0 ? hover.peek() : mainNode.peek();
  return k >= 0 && toggleOpen(k);
}

/** The drawing follows a selection made elsewhere. */
export function revealPicked(name: string): void {
  const d = drawing.peek();
  const k = d ? nodeIn(d.scene, name) : -1;
  if (d && k >= 0 && camera.zoom > 0) reveal(d.boxes[k]);
}
