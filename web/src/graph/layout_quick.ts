/**
 * A layered layout of one flat graph in a few milliseconds: what is on screen until Graphviz' answer is there. Rows by
 * the longest way from a source, order within a row by the middle of the neighbours, places as near to them as the
 * boxes allow. An arrow over several rows gets a place in each of them, as a node without width. Pure.
 */
import type { FlatEdge, FlatItem, FlatResult } from './layout';

const NODE_GAP = 19;
const ROW_GAP = 28;
/** Beyond so many places for arrows, long ones are drawn straight: the answer has to come at once. */
const MOST_PLACES = 6000;
const SWEEPS = 4;

/** The order in which every arrow's start comes before its end; what lies on a cycle stands where it is met first. */
function inOrder(n: number, edges: readonly FlatEdge[]): number[] {
  const waits = new Array<number>(n).fill(0);
  const out: number[][] = Array.from({ length: n }, () => []);
  for (const { from, to } of edges) {
    if (from === to) continue;
    out[from].push(to);
    waits[to]++;
  }
  const order: number[] = [];
  const placed = new Array<boolean>(n).fill(false);
  const ready: number[] = [];
  for (let k = 0; k < n; k++) if (!waits[k]) ready.push(k);
  for (let next = 0, at = 0; order.length < n; ) {
    let k: number;
    if (at < ready.length) k = ready[at++];
    else {
      while (placed[next]) next++;
      k = next;
    }
    if (placed[k]) continue;
    placed[k] = true;
    order.push(k);
    for (const to of out[k]) if (--waits[to] === 0) ready.push(to);
  }
  return order;
}

/** Row of each item; arrows against the order (of a cycle) do not count. */
function rowsOf(items: readonly FlatItem[], edges: readonly FlatEdge[]): number[] {
  const order = inOrder(items.length, edges);
  const at = new Array<number>(items.length);
  order.forEach((k, i) => {
    at[k] = i;
  });
  const down = edges.filter(({ from, to }) => at[from] < at[to]);
  const into: number[][] = items.map(() => []);
  const out: number[][] = items.map(() => []);
  for (const { from, to } of down) {
    into[to].push(from);
    out[from].push(to);
  }
  const row = new Array<number>(items.length).fill(0);
  const first = items.some((item) => item.rank === 'min') ? 1 : 0;
  for (const k of order) row[k] = items[k].rank === 'min' ? 0 : Math.max(first, ...into[k].map((from) => row[from] + 1));
  // Sources, and nodes with more below than above, move down to what they feed.
  for (const k of [...order].reverse()) if (items[k].rank !== 'min' && out[k].length > into[k].length) row[k] = Math.min(...out[k].map((to) => row[to])) - 1;
  const last = Math.max(0, ...row.filter((_, k) => items[k].rank !== 'max')) + 1;
  items.forEach((item, k) => {
    if (item.rank === 'max') row[k] = last;
  });
  return row;
}

/** Items and, after them, the places of arrows in the rows that they pass. */
interface Plan {
  rows: number[][];
  width: number[];
  /** The items and places along each arrow, from its upper end. */
  chains: number[][];
}

function planOf(items: readonly FlatItem[], edges: readonly FlatEdge[], row: readonly number[]): Plan {
  const rows: number[][] = Array.from({ length: Math.max(0, ...row) + 1 }, () => []);
  row.forEach((r, k) => {
    rows[r].push(k);
  });
  const width = items.map((item) => item.width);
  let left = MOST_PLACES;
  const chains = edges.map(({ from, to }) => {
    const [top, low] = row[from] <= row[to] ? [from, to] : [to, from];
    const chain = [top];
    const long = row[low] - row[top] - 1;
    if (long > 0 && long <= left) {
      left -= long;
      for (let r = row[top] + 1; r < row[low]; r++) {
        chain.push(width.length);
        rows[r].push(width.length);
        width.push(0);
      }
    }
    chain.push(low);
    return chain;
  });
  return { rows, width, chains };
}

/** Neighbours in the row above (`up`) and below of each item and place. */
function neighbours({ width, chains }: Plan, up: boolean): number[][] {
  const out: number[][] = width.map(() => []);
  for (const chain of chains) for (let i = 1; i < chain.length; i++) out[chain[up ? i : i - 1]].push(chain[up ? i - 1 : i]);
  return out;
}

const mean = (values: readonly number[]) => values.reduce((sum, v) => sum + v, 0) / values.length;

function orderRows(plan: Plan): void {
  const at = new Array<number>(plan.width.length).fill(0);
  const number = (row: number[]) =>
    row.forEach((k, i) => {
      at[k] = i / Math.max(1, row.length - 1);
    });
  plan.rows.forEach(number);
  const sides = [neighbours(plan, true), neighbours(plan, false)];
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const near = sides[sweep % 2];
    for (const row of sweep % 2 ? [...plan.rows].reverse() : plan.rows) {
      const wish = new Map(row.map((k) => [k, near[k].length ? mean(near[k].map((other) => at[other])) : at[k]]));
      row.sort((a, b) => (wish.get(a) as number) - (wish.get(b) as number));
      number(row);
    }
  }
}

/** The places nearest to the wished ones (least squares) that keep the order and the distances: blocks that touch move as one. */
function nearest(wish: readonly number[], gap: readonly number[]): number[] {
  const offset: number[] = [];
  wish.forEach((_, i) => {
    offset.push(i ? offset[i - 1] + gap[i - 1] : 0);
  });
  const blocks: { total: number; count: number }[] = [];
  wish.forEach((x, i) => {
    let block = { total: x - offset[i], count: 1 };
    for (let last = blocks[blocks.length - 1]; last && last.total / last.count > block.total / block.count; last = blocks[blocks.length - 1]) {
      block = { total: last.total + block.total, count: last.count + block.count };
      blocks.pop();
    }
    blocks.push(block);
  });
  const out: number[] = [];
  for (const { total, count } of blocks) for (let i = 0; i < count; i++) out.push(total / count + offset[out.length]);
  return out;
}

function placesOf(plan: Plan): number[] {
  const x = new Array<number>(plan.width.length).fill(0);
  const gaps = plan.rows.map((row) => row.slice(1).map((k, i) => (plan.width[k] + plan.width[row[i]]) / 2 + NODE_GAP));
  const place = (r: number, wish: number[]) =>
    nearest(wish, gaps[r]).forEach((at, i) => {
      x[plan.rows[r][i]] = at;
    });
  plan.rows.forEach((row, r) => {
    place(
      r,
      row.map(() => 0),
    );
  });
  const sides = [neighbours(plan, true), neighbours(plan, false)];
  for (let sweep = 0; sweep < 2 * SWEEPS; sweep++) {
    const near = sides[sweep % 2];
    for (let i = 0; i < plan.rows.length; i++) {
      const r = sweep % 2 ? plan.rows.length - 1 - i : i;
      place(
        r,
        plan.rows[r].map((k) => (near[k].length ? mean(near[k].map((other) => x[other])) : x[k])),
      );
    }
  }
  const left = Math.min(...x.map((at, k) => at - plan.width[k] / 2));
  return x.map((at) => at - left);
}

/** A curve from point to point that leaves and arrives upright. */
function curve(path: number[], x: number, y: number): void {
  const [x0, y0] = path.slice(-2);
  path.push(x0, (y0 + y) / 2, x, (y0 + y) / 2, x, y);
}

export function quickLayout(items: FlatItem[], edges: FlatEdge[]): FlatResult {
  if (!items.length) return { width: 0, height: 0, x: [], y: [], paths: edges.map(() => []) };
  const row = rowsOf(items, edges);
  const plan = planOf(items, edges, row);
  orderRows(plan);
  const x = placesOf(plan);
  const tall = plan.rows.map((members) => Math.max(0, ...members.map((k) => items[k]?.height ?? 0)));
  const top: number[] = [];
  let height = 0;
  for (const size of tall) {
    top.push(height);
    height += size + ROW_GAP;
  }
  height -= ROW_GAP;
  const y = items.map((_, k) => top[row[k]] + tall[row[k]] / 2);
  const port = (k: number, at: number, below: boolean) => x[k] + (at < 0 ? 0 : (below ? items[k].bottom : items[k].top)[at] - items[k].width / 2);
  const paths = edges.map((edge, e) => {
    const { from, to, fromPort, toPort } = edge;
    const path = [port(from, fromPort, true), y[from] + items[from].height / 2];
    const way = plan.chains[e].slice(1, -1);
    if (row[from] > row[to]) way.reverse();
    const down = row[from] <= row[to];
    way.forEach((k, i) => {
      const r = row[from] + (down ? 1 + i : -1 - i);
      curve(path, x[k], down ? top[r] : top[r] + tall[r]);
      curve(path, x[k], down ? top[r] + tall[r] : top[r]);
    });
    curve(path, port(to, toPort, false), y[to] - items[to].height / 2);
    return path;
  });
  return { width: Math.max(...x.map((at, k) => at + plan.width[k] / 2)), height, x: x.slice(0, items.length), y, paths };
}
