/** The tree of an answer in the order that an icicle is drawn in: depth first, the largest child first. Pure. */
import type { IcicleTree } from '../canvas/icicle';
import type { Metric, Tree } from './state';

export interface HeapTree extends IcicleTree {
  /** Index into the nodes of the answer. */
  at: number[];
}

export function shapeOf(nodes: Tree['nodes'], metric: Metric, zoom: string | undefined): HeapTree {
  const sizeOf = (i: number) => Math.max(0, nodes[metric][i]);
  const children: number[][] = Array.from({ length: nodes.n }, () => []);
  for (let i = 0; i < nodes.n; i++) {
    const parent = nodes.parent[i];
    if (parent !== null) children[parent].push(i);
  }
  for (const list of children) list.sort((a, b) => sizeOf(b) - sizeOf(a) || a - b);
  const out: HeapTree = { n: 0, parent: [], depth: [], size: [], at: [] };
  const root = Math.max(0, zoom ? nodes.key.indexOf(zoom) : 0);
  const stack: [number, number, number][] = nodes.n ? [[root, -1, 0]] : [];
  for (let top = stack.pop(); top; top = stack.pop()) {
    const [i, parent, depth] = top;
    if (sizeOf(i) <= 0 && depth > 0) continue;
    const place = out.n++;
    out.parent.push(parent);
    out.depth.push(depth);
    out.size.push(sizeOf(i));
    out.at.push(i);
    for (let k = children[i].length; k-- > 0; ) stack.push([children[i][k], place, depth + 1]);
  }
  // Where some values are below 0, children are wider than their parent: they are drawn to scale within it.
  for (let i = 0; i < out.n; i++) {
    let sum = 0;
    const mine: number[] = [];
    for (let k = i + 1; k < out.n && out.depth[k] > out.depth[i]; k++)
      if (out.parent[k] === i) {
        sum += out.size[k];
        mine.push(k);
      }
    if (sum > out.size[i]) for (const k of mine) out.size[k] *= sum > 0 ? out.size[i] / sum : 0;
  }
  return out;
}

/** Share of a node that it gained since the file it is compared with. */
export function grownShare(nodes: Tree['nodes'], i: number, metric: Metric): number {
  if (metric === 'grown') return 0;
  const [now, before] = metric === 'count' ? [nodes.count[i], nodes.base_count[i]] : [nodes.value[i], nodes.base_value[i]];
  return now > 0 && now > before ? Math.min(1, (now - Math.max(0, before)) / now) : 0;
}
