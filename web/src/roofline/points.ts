/** Which operations are points of the roofline, where and in what colour; what stands beside them. Pure. */
import type { OpColumns } from '../ops/state';
import { layerOf } from '../ops/scopes';
import { variableOf } from '../charts/colours';
import { groupVariable } from '../memory/group_colour';

/** Whose bytes x counts. */
export const MEMORIES = ['hbm', 'vmem_read', 'vmem_write', 'cmem_read', 'cmem_write'] as const;
export type Memory = (typeof MEMORIES)[number];
export const COLOURS = ['group', 'program', 'bound', 'scope', 'layer'] as const;
export type Colour = (typeof COLOURS)[number];
export const SIZES = ['self', 'lost', 'none'] as const;
export type Size = (typeof SIZES)[number];

export interface Point {
  /** Row of the answer; of a program its number. */
  k: number;
  name: string;
  module: string;
  /** FLOP a byte; infinite where it moves no byte of that memory. */
  x: number;
  y: number;
  weight: number;
  /** A CSS variable. */
  colour: string;
  /** Faster than its roof can be. */
  beyond: boolean;
}

export function bytesOf(c: OpColumns, k: number, memory: Memory): number | null {
  const rest = (all: number | null, read: number | null) => (all === null || read === null ? null : all - read);
  switch (memory) {
    case 'vmem_read':
      return c.vmem_read_bytes[k];
    case 'vmem_write':
      return rest(c.vmem_bytes[k], c.vmem_read_bytes[k]);
    case 'cmem_read':
      return c.cmem_read_bytes[k];
    case 'cmem_write':
      return rest(c.cmem_bytes[k], c.cmem_read_bytes[k]);
    default:
      return c.hbm_bytes[k];
  }
}

const BOUND_VARS: Record<string, string> = {
  compute: '--o-matmul',
  HBM: '--o-move',
  VMEM: '--o-reduce',
  CMEM: '--o-host',
  link: '--o-coll',
  latency: '--o-control',
};

export function colourOf(c: OpColumns, k: number, by: Colour): { variable: string; label: string } {
  if (by === 'group') return { variable: groupVariable(c.group[k]), label: c.group[k] };
  if (by === 'bound') return { variable: BOUND_VARS[c.bound[k]] ?? '--o-none', label: c.bound[k] };
  const name = by === 'program' ? c.module[k] : by === 'layer' ? layerOf(c.scope[k]) : c.scope[k].split('/')[0];
  return {
    variable: variableOf('scope', { group: '', class: '', scope: name, dtype: '', sizeShare: 0 }),
    label: name || (by === 'layer' ? 'outside of layers' : 'no scope'),
  };
}

/** More than its roof: published figures are rounded. */
const BEYOND = 1.01;

/** The points, those with most time first. */
export function pointsOf(c: OpColumns, memory: Memory, colour: Colour): Point[] {
  const out: Point[] = [];
  for (let k = 0; k < c.n; k++) {
    const rate = c.flops_per_s[k];
    if (c.place[k] !== 'point' || !rate) continue;
    const bytes = bytesOf(c, k, memory);
    if (bytes === null) continue;
    out.push({
      k,
      name: c.name[k],
      module: c.module[k],
      x: bytes > 0 ? (c.flops[k] as number) / bytes : Number.POSITIVE_INFINITY,
      y: rate,
      weight: c.self_ps[k],
      colour: colourOf(c, k, colour).variable,
      beyond: (c.roofline_share[k] ?? 0) > BEYOND,
    });
  }
  return out.sort((a, b) => b.weight - a.weight);
}

const MOST_RADIUS = 22;
const LEAST_RADIUS = 2.5;

/** Radius by area, the largest a fixed one; `weight` of the largest. */
export function radiusOf(weight: number, largest: number, size: Size): number {
  if (size === 'none') return 5;
  return largest > 0 ? Math.max(LEAST_RADIUS, MOST_RADIUS * Math.sqrt(Math.max(weight, 0) / largest)) : LEAST_RADIUS;
}

/** What has no place in the plane, longest first. */
interface Aside {
  k: number;
  why: 'unknown' | 'wait' | 'no_flops';
}

export function asidesOf(c: OpColumns): Aside[] {
  const out: Aside[] = [];
  for (let k = 0; k < c.n; k++) {
    const why = c.place[k];
    if (why === 'unknown' || why === 'wait' || why === 'no_flops') out.push({ k, why });
  }
  return out.sort((a, b) => c.self_ps[b.k] - c.self_ps[a.k]);
}

/** Operations with something to lose against a roof: above one first, as that cannot be, then by what they lose. */
export function lostRows(c: OpColumns): number[] {
  const rows: number[] = [];
  for (let k = 0; k < c.n; k++) if (c.lost_against[k] === 'roofline' || c.lost_against[k] === 'best') rows.push(k);
  const above = (k: number) => (c.lost_against[k] === 'roofline' && (c.roofline_share[k] ?? 0) > BEYOND ? (c.roofline_share[k] as number) : 0);
  return rows.sort((a, b) => above(b) - above(a) || (c.lost_ps[b] ?? 0) - (c.lost_ps[a] ?? 0) || a - b);
}
