/** A scene whose layout is known: boxes in the picture's pixels, and what lies under a point. Pure. */
import type { Box, LayoutResult } from './layout';
import { CHIP_HEIGHT, CHIP_OVER, type Chip, headerHeight, type Scene } from './scene';

export interface Drawing {
  scene: Scene;
  width: number;
  height: number;
  /** Box of each node; that of a drawn computation is its whole frame. */
  boxes: Box[];
  clusters: Box[];
  stubs: Box[];
  paths: number[][];
  /** Milliseconds that the layout took. */
  ms: number;
  /** Laid out by rows: Graphviz' layout takes its place when it is there. */
  quick?: boolean;
}

export type Target =
  | { kind: 'node'; node: number }
  | { kind: 'fold'; node: number }
  | { kind: 'stub'; stub: number }
  | { kind: 'chip'; node: number; chip: Chip };

export function makeDrawing(scene: Scene, result: LayoutResult, ms: number): Drawing {
  const boxes = scene.nodes.map((node, k): Box => {
    if (node.body >= 0) return result.clusters[node.body];
    const box = result.nodes[scene.layoutOf[k]];
    const above = node.top ? CHIP_HEIGHT - CHIP_OVER : 0;
    return { x: box.x, y: box.y + above, width: node.width, height: node.height };
  });
  return {
    scene,
    width: result.width,
    height: result.height,
    boxes,
    ms,
    clusters: result.clusters,
    stubs: scene.stubs.map((_, s) => result.nodes[scene.stubAt[s]]),
    paths: result.edges,
  };
}

export function chipBox(box: Box, chip: Chip, top: boolean): Box {
  return {
    x: box.x + box.width / 2 - chip.width / 2,
    y: top ? box.y - CHIP_HEIGHT + CHIP_OVER : box.y + box.height - CHIP_OVER,
    width: chip.width,
    height: CHIP_HEIGHT,
  };
}

const holds = (box: Box, x: number, y: number) => x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height;

/** What lies under a point: chips before nodes, inner before outer. */
export function targetAt(d: Drawing, x: number, y: number): Target | null {
  const { nodes } = d.scene;
  for (let k = 0; k < nodes.length; k++) {
    const { top, bottom } = nodes[k];
    if (top && holds(chipBox(d.boxes[k], top, true), x, y)) return { kind: 'chip', node: k, chip: top };
    if (bottom && holds(chipBox(d.boxes[k], bottom, false), x, y)) return { kind: 'chip', node: k, chip: bottom };
  }
  for (let s = 0; s < d.stubs.length; s++) if (holds(d.stubs[s], x, y)) return { kind: 'stub', stub: s };
  for (let k = 0; k < nodes.length; k++) if (nodes[k].body < 0 && holds(d.boxes[k], x, y)) return { kind: 'node', node: k };
  // Of nested computations the innermost whose header, or whose ground, it is.
  let best = -1;
  for (let k = 0; k < nodes.length; k++) {
    const box = d.boxes[k];
    if (nodes[k].body >= 0 && holds(box, x, y) && (best < 0 || box.width * box.height < d.boxes[best].width * d.boxes[best].height)) best = k;
  }
  if (best < 0) return null;
  const box = d.boxes[best];
  if (y <= box.y + headerHeight && x <= box.x + 26) return { kind: 'fold', node: best };
  return { kind: 'node', node: best };
}

/** Nodes whose box touches a rectangle. */
export function nodesIn(d: Drawing, x0: number, y0: number, x1: number, y1: number): number[] {
  const out: number[] = [];
  d.boxes.forEach((box, k) => {
    if (
      d.scene.nodes[k].body < 0 &&
      box.x <= Math.max(x0, x1) &&
      box.x + box.width >= Math.min(x0, x1) &&
      box.y <= Math.max(y0, y1) &&
      box.y + box.height >= Math.min(y0, y1)
    )
      out.push(k);
  });
  return out;
}

const inside = (a: Box, b: Box) => a.x >= b.x && a.y >= b.y && a.x + a.width <= b.x + b.width && a.y + a.height <= b.y + b.height;

/** The nearest node in a direction: how far along it, and three times how far aside. */
export function nearestThatWay(d: Drawing, from: number, way: 'left' | 'up' | 'right' | 'down'): number {
  const middle = (box: Box) => [box.x + box.width / 2, box.y + box.height / 2];
  const [x, y] = middle(d.boxes[from]);
  let best = -1;
  let least = Number.POSITIVE_INFINITY;
  d.boxes.forEach((box, k) => {
    // A frame around it is not a neighbour.
    if (k === from || inside(d.boxes[from], box)) return;
    const [bx, by] = middle(box);
    const along = way === 'left' ? x - bx : way === 'right' ? bx - x : way === 'up' ? y - by : by - y;
    const aside = Math.abs(way === 'left' || way === 'right' ? by - y : bx - x);
    if (along <= 1) return;
    // Rows lie one below the other: the next row first, and in it the nearest; sideways it is the row that counts.
    const cost = along + (way === 'up' || way === 'down' ? 0.5 : 3) * aside;
    if (cost < least) {
      least = cost;
      best = k;
    }
  });
  return best;
}

/** A place along a path of curves: near its start or its end. */
export function pointOn(path: readonly number[], atEnd: boolean, distance: number): [number, number] {
  const n = path.length;
  if (n < 4) return [path[0] ?? 0, path[1] ?? 0];
  const [x0, y0, x1, y1] = atEnd ? [path[n - 2], path[n - 1], path[n - 4], path[n - 3]] : [path[0], path[1], path[2], path[3]];
  // Control points may coincide; the next ones then give the direction.
  const dx = x1 - x0;
  const dy = y1 - y0;
  const length = Math.hypot(dx, dy);
  if (length < 0.5) return [x0, y0 + (atEnd ? -distance : distance)];
  return [x0 + (dx / length) * distance, y0 + (dy / length) * distance];
}
