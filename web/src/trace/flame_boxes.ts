/** Places of a call tree's boxes. Pure. */
export interface FlameBox {
  node: number;
  depth: number;
  /** Shares of the whole width. */
  x0: number;
  x1: number;
}

/** Boxes of a tree whose parents come before their children; below `root` when one is given. Pure. */
export function flameBoxes(t: { n: number; parent: (number | null)[]; total_ps: number[] }, root = -1): FlameBox[] {
  const depth = new Int32Array(t.n);
  const start = new Float64Array(t.n);
  const used = new Float64Array(t.n);
  const inside = new Uint8Array(t.n);
  let outer = 0;
  const whole = root < 0 ? t.parent.reduce<number>((sum, p, k) => sum + (p === null ? t.total_ps[k] : 0), 0) : t.total_ps[root];
  const out: FlameBox[] = [];
  if (!(whole > 0)) return out;
  for (let k = 0; k < t.n; k++) {
    const p = t.parent[k];
    if (root >= 0 ? k === root : p === null) {
      start[k] = outer;
      outer += t.total_ps[k];
      inside[k] = 1;
    } else if (p !== null && inside[p]) {
      start[k] = start[p] + used[p];
      used[p] += t.total_ps[k];
      depth[k] = depth[p] + 1;
      inside[k] = 1;
    } else continue;
    out.push({ node: k, depth: depth[k], x0: start[k] / whole, x1: (start[k] + t.total_ps[k]) / whole });
  }
  return out;
}

/** Of each node the names from the outermost to its own, and how deep it lies. Pure. */
export function pathsOf(t: { n: number; parent: (number | null)[]; name: string[] }): { path: string; depth: number }[] {
  const out: { path: string; depth: number }[] = [];
  for (let k = 0; k < t.n; k++) {
    const parent = t.parent[k];
    const above = parent === null ? null : out[parent];
    const name = (t.name[k] || 'no metadata').replaceAll(';', ',');
    out.push({ path: above ? `${above.path};${name}` : name, depth: above ? above.depth + 1 : 0 });
  }
  return out;
}
