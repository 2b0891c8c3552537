/** Boxes of a tree whose widths are an amount, one row for each depth. Pure. */

/** Nodes depth first, children after their parent, the largest first; node 0 is all. */
export interface IcicleTree {
  n: number;
  /** -1 of the first. */
  parent: number[];
  depth: number[];
  /** Of a node with all below it. */
  size: number[];
}

export interface IcicleBox {
  /** First and, for joined boxes, last node. */
  node: number;
  joined: number;
  x: number;
  width: number;
  depth: number;
  size: number;
}

/** Boxes narrower than this are joined with their neighbours. */
const LEAST = 3;

export function layoutIcicle(tree: IcicleTree, width: number): IcicleBox[] {
  if (tree.n === 0 || !(tree.size[0] > 0)) return [];
  const scale = width / tree.size[0];
  const left = new Float64Array(tree.n);
  const next = new Float64Array(tree.n);
  const boxes: IcicleBox[] = [];
  const open = new Map<number, IcicleBox>();
  for (let i = 0; i < tree.n; i++) {
    const parent = tree.parent[i];
    left[i] = parent >= 0 ? next[parent] : 0;
    next[i] = left[i];
    const w = tree.size[i] * scale;
    if (parent >= 0) next[parent] += w;
    if (w >= LEAST) {
      boxes.push({ node: i, joined: 1, x: left[i], width: w, depth: tree.depth[i], size: tree.size[i] });
      continue;
    }
    // Narrow neighbours of a row are one box, so that their sum stays visible.
    const last = open.get(tree.depth[i]);
    if (last && Math.abs(last.x + last.width - left[i]) < 0.01) {
      last.width += w;
      last.size += tree.size[i];
      last.joined++;
    } else {
      const box = { node: i, joined: 1, x: left[i], width: w, depth: tree.depth[i], size: tree.size[i] };
      open.set(box.depth, box);
      boxes.push(box);
    }
  }
  return boxes;
}

/** The box under a point; of neighbours that both reach it, the later. */
export function boxAt(boxes: readonly IcicleBox[], row: number, x: number): IcicleBox | null {
  let best: IcicleBox | null = null;
  for (const box of boxes) if (box.depth === row && x >= box.x - 1 && x <= box.x + Math.max(box.width, 2)) best = box;
  return best;
}
