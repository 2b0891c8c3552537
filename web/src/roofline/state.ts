/** Roofline: what the address says, and the answers it is drawn from. The operations are those of Ops: one question, one selection. */
import { computed } from '@preact/signals';
import type { Answers } from '../api/answers';
import { ApiError, call } from '../api/client';
import { follow } from '../api/follow';
import { perRun, view } from '../app/router';
import type { ViewKey } from '../app/view_keys';
import { baseName } from '../app/links';
import { change, chosen, ops, question } from '../ops/state';
import { formatRange, parseRange, type Range2, ridgeOf, wholeRange, type Weighted } from './plane';
import type { Diamond } from './scene';
import { asidesOf, COLOURS, type Colour, lostRows, MEMORIES, type Memory, type Point, pointsOf, SIZES, type Size } from './points';

export type Roofline = Answers['roofline'];

export const roofline = perRun<Roofline | null>(null);
export const rooflineError = perRun<ApiError | null>(null);

export function startRoofline(): () => void {
  return follow({
    question: () => {
      const { limit: _limit, ...asked } = question.value;
      return asked.run ? asked : null;
    },
    ask: (params) => call<Roofline>('roofline', params, { key: 'roofline' }),
    take: (answer) => {
      roofline.value = answer;
      rooflineError.value = null;
    },
    fail: (error) => {
      rooflineError.value = error instanceof ApiError ? error : new ApiError('internal', String(error), 0);
    },
    keep: true,
  });
}

function oneOf<T extends string>(key: ViewKey, all: readonly T[]): T {
  const said = view.value[key] as T | undefined;
  return said && all.includes(said) ? said : all[0];
}

export const programs = computed(() => view.value.rkind === 'programs');
/** Of programs only the bytes of the main memory are known. */
export const memory = computed<Memory>(() => (programs.value ? 'hbm' : oneOf('rmem', MEMORIES)));
export const colour = computed<Colour>(() => oneOf('rcolour', COLOURS));
export const size = computed<Size>(() => (programs.value ? 'self' : oneOf('rsize', SIZES)));
export const twin = computed(() => view.value.table === '1');

/** FLOP/s of the matrix units and bytes a second of the memory that x counts; without peaks the best that was seen. */
interface Roofs {
  flops: number | null;
  bytes: number | null;
  /** They are what the run reached, no peaks. */
  best: boolean;
}

const LIMIT_OF: Record<Memory, string> = {
  hbm: 'bandwidth',
  vmem_read: 'vmem_read',
  vmem_write: 'vmem_write',
  cmem_read: 'cmem_read',
  cmem_write: 'cmem_write',
};
export const limitOf = (of: Memory): string => LIMIT_OF[of];
export const memoryOf = (limit: string): Memory | null => MEMORIES.find((one) => LIMIT_OF[one] === limit) ?? null;

export const roofs = computed<Roofs>(() => {
  const r = roofline.value;
  if (!r) return { flops: null, bytes: null, best: false };
  if (!r.peaks) return { flops: r.best_flops_per_s, bytes: memory.value === 'hbm' ? r.best_hbm_bytes_per_s : null, best: true };
  const peakOf = (limit: string) => r.roofs.peak_per_s[(r.roofs.limit as string[]).indexOf(limit)] ?? null;
  return { flops: peakOf('flops'), bytes: peakOf(limitOf(memory.value)), best: false };
});

function programPoints(r: Roofline): Point[] {
  const p = r.programs;
  return p.module
    .map((module, k) => ({ k, name: module, module, x: p.intensity[k] ?? 0, y: p.flops_per_s[k] ?? 0, weight: p.work_ps[k], colour: '--fg', beyond: false }))
    .filter(({ x, y }) => x > 0 && y > 0)
    .sort((a, b) => b.weight - a.weight);
}

/** Time of a point is its size; to win where that was chosen. */
function weighed(points: Point[]): Point[] {
  const o = ops.value;
  if (size.value !== 'lost' || !o || programs.value) return points;
  return points.map((point) => ({ ...point, weight: o.ops.lost_ps[point.k] ?? 0 })).sort((a, b) => b.weight - a.weight);
}

export const points = computed<Point[]>(() => {
  if (programs.value) return roofline.value ? programPoints(roofline.value) : [];
  return ops.value ? weighed(pointsOf(ops.value.ops, memory.value, colour.value)) : [];
});
export const asides = computed(() => (ops.value ? asidesOf(ops.value.ops) : []));
export const lost = computed(() => (ops.value ? lostRows(ops.value.ops) : []));

/** The chosen operation, else the one that loses most; -1: none. */
export const current = computed(() => {
  const o = ops.value;
  if (!o || view.value.osel === '-') return -1;
  const want = chosen.value;
  if (!want) return lost.value[0] ?? -1;
  for (let k = 0; k < o.ops.n; k++) if (o.ops.name[k] === want.name && (!want.module || o.ops.module[k] === want.module)) return k;
  return -1;
});

const DIAMONDS = 3;
/** Waits of a program are worth a second point when they slow it by so much. */
const SLOWED = 0.95;

function diamondsOf(r: Roofline): Diamond[] {
  const p = r.programs;
  const order = p.module.map((_, k) => k).sort((a, b) => p.self_ps[b] - p.self_ps[a]);
  return order.slice(0, DIAMONDS).flatMap((k) => {
    const [x, y, all] = [p.intensity[k], p.flops_per_s[k], p.all_flops_per_s[k]];
    if (!x || !y) return [];
    const name = p.n === 1 ? 'program' : baseName(p.module[k]).replace(/\(\d+\)$/, '');
    const slow = all !== null && all < y * SLOWED;
    return [{ x, y, text: slow ? `${name}, known work` : name }, ...(slow ? [{ x, y: all as number, text: `${name}, all its time` }] : [])];
  });
}

/** Programs among operations, by the bytes of the main memory. */
export const diamonds = computed<Diamond[]>(() => (roofline.value && !programs.value && memory.value === 'hbm' ? diamondsOf(roofline.value) : []));

const corners = computed(() => {
  const { flops, bytes } = roofs.value;
  return flops && bytes ? [{ x: ridgeOf(flops, bytes), y: flops }] : [];
});
const known = (point: Weighted): boolean => Number.isFinite(point.x) && point.x > 0 && point.y > 0;
export const whole = computed<Range2>(() => wholeRange(points.value.filter(known), [...corners.value, ...diamonds.value]));

export const range = computed<Range2>(() => {
  const [x, y] = [parseRange(view.value.rx), parseRange(view.value.ry)];
  const all = whole.value;
  return { x0: x?.[0] ?? all.x0, x1: x?.[1] ?? all.x1, y0: y?.[0] ?? all.y0, y1: y?.[1] ?? all.y1 };
});

export function setRange(next: Range2 | null): void {
  change({ rx: next && formatRange(next.x0, next.x1), ry: next && formatRange(next.y0, next.y1) });
}
