/** Squarified treemap of a tree whose children add up to their parent. Pure. */
interface TreeLike {
  n: number;
  parent: number[];
  size_bytes: number[];
}

export interface TreeBox {
  node: number;
  x: number;
  y: number;
  width: number;
  height: number;
  depth: number;
  /** Something of it is drawn inside. */
  opened: boolean;
}

export const HEAD = 16;
const LEAST_WIDTH = 34;
const LEAST_HEIGHT = HEAD + 10;
const DEEPEST = 12;

/** Places of children by parent, largest first as the answer has them. */
export function childrenOf(tree: TreeLike): number[][] {
  const out: number[][] = Array.from({ length: tree.n }, () => []);
  for (let i = 0; i < tree.n; i++) if (tree.parent[i] >= 0) out[tree.parent[i]].push(i);
  for (const list of out) list.sort((a, b) => tree.size_bytes[b] - tree.size_bytes[a] || a - b);
  return out;
}

/** The worst ratio of sides in a row of areas laid along a side. */
function worst(sum: number, least: number, most: number, side: number): number {
  return Math.max((side * side * most) / (sum * sum), (sum * sum) / (side * side * least));
}

/** Rectangles for values, largest first; their areas are the values' shares, together they fill the box. */
export function squarify(
  values: readonly number[],
  box: { x: number; y: number; width: number; height: number },
): { x: number; y: number; width: number; height: number }[] {
  const total = values.reduce((sum, value) => sum + value, 0);
  const out: { x: number; y: number; width: number; height: number }[] = [];
  let { x, y, width, height } = box;
  if (!(total > 0) || width <= 0 || height <= 0) return values.map(() => ({ x, y, width: 0, height: 0 }));
  const scale = (width * height) / total;
  for (let from = 0; from < values.length; ) {
    const side = Math.min(width, height);
    let to = from;
    let sum = 0;
    let ratio = Infinity;
    while (to < values.length) {
      const area = values[to] * scale;
      const next = area > 0 && side > 0 ? worst(sum + area, area, values[from] * scale, side) : Infinity;
      if (to > from && next > ratio) break;
      sum += area;
      ratio = next;
      to++;
    }
    const thick = side > 0 ? sum / side : 0;
    let at = 0;
    for (let k = from; k < to; k++) {
      const long = sum > 0 ? (values[k] * scale * side) / sum : 0;
      out.push(width >= height ? { x, y: y + at, width: thick, height: long } : { x: x + at, y, width: long, height: thick });
      at += long;
    }
    if (width >= height) {
      x += thick;
      width -= thick;
    } else {
      y += thick;
      height -= thick;
    }
    from = to;
  }
  return out;
}

/** Boxes of a node and what is in it, outer ones first; a box is opened where a head and something below it have room. */
export function layoutTreemap(tree: TreeLike, root: number, width: number, height: number): TreeBox[] {
  const children = childrenOf(tree);
  const boxes: TreeBox[] = [];
  const open: TreeBox[] = [{ node: root, x: 0, y: 0, width, height, depth: 0, opened: false }];
  while (open.length > 0) {
    const box = open.shift() as TreeBox;
    boxes.push(box);
    const inside = children[box.node].filter((node) => tree.size_bytes[node] > 0);
    if (inside.length === 0 || box.depth >= DEEPEST || box.width < LEAST_WIDTH || box.height < LEAST_HEIGHT) continue;
    box.opened = true;
    const inner = { x: box.x + 1, y: box.y + HEAD, width: box.width - 2, height: box.height - HEAD - 1 };
    squarify(
      inside.map((node) => tree.size_bytes[node]),
      inner,
    ).forEach((place, k) => {
      open.push({ node: inside[k], ...place, depth: box.depth + 1, opened: false });
    });
  }
  return boxes;
}

/** The innermost box under a point. */
export function boxAt(boxes: readonly TreeBox[], x: number, y: number): TreeBox | null {
  let found: TreeBox | null = null;
  for (const box of boxes) if (x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height && (!found || box.depth >= found.depth)) found = box;
  return found;
}
