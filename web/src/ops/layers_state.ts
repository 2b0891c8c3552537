/** Layers: the parts of a program that repeat, side by side; which rows are open, and the chosen cell. */
import { computed } from '@preact/signals';
import type { Answers } from '../api/answers';
import { ApiError, type Params } from '../api/client';
import { follow } from '../api/follow';
import { perRun, view } from '../app/router';
import { traceApi } from '../trace/api';
import { change, subject, typedPeaks } from './state';
import { toggled } from '../util/toggled';

export type Layers = Answers['trace/layers'];

export const layers = perRun<Layers | null>(null);
export const layersFailure = perRun<ApiError | null>(null);
/** Contents of the chosen cell. */
export const cellAnswer = perRun<Layers | null>(null);

/** A cell of the table: a part of a layer. */
export interface Cell {
  part: number;
  layer: number;
}

export const layersQuestion = computed<Params>(() => ({
  ...subject.value,
  ...typedPeaks.value,
  by: view.value.lby,
  passes: view.value.lpass,
  steps: view.value.osteps,
}));

/** What the address names where it fits the answer, else the slowest layer as a whole. */
export const cell = computed<Cell | null>(() => {
  const a = layers.value;
  if (!a?.known || a.layers.n === 0) return null;
  const [part, layer] = (view.value.lcell ?? '').split('.').map(Number);
  if (part < a.parts.n && layer < a.layers.n) return { part, layer };
  return { part: 0, layer: a.layers.mean_ps.indexOf(Math.max(...a.layers.mean_ps)) };
});
export const cellClosed = computed(() => view.value.lcell === '-');

export const chooseCell = ({ part, layer }: Cell): void => change({ lcell: `${part}.${layer}` });

/** To the same part of the layer before or after. */
export function stepLayer(by: 1 | -1): boolean {
  const at = cell.peek();
  const a = layers.peek();
  if (!at || !a) return false;
  const layer = at.layer + by;
  if (layer < 0 || layer >= a.layers.n) return false;
  chooseCell({ part: at.part, layer });
  return true;
}

export function nextWay(): void {
  const a = layers.peek();
  if (!a || a.ways.n < 2) return;
  change({ lby: a.ways.name[((a.way ?? 0) + 1) % a.ways.n], lcell: null, lopen: null });
}

function asking(cellAlone: boolean): () => void {
  return follow<Params, Layers>({
    question: () => {
      if (!view.value.run) return null;
      if (!cellAlone) return layersQuestion.value;
      const at = cell.value;
      return at && !cellClosed.value ? { ...layersQuestion.value, ...at } : null;
    },
    ask: (params) => traceApi.layers(params, { key: cellAlone ? 'trace/layers/cell' : 'trace/layers', quiet: cellAlone }),
    take: (answer) => {
      (cellAlone ? cellAnswer : layers).value = answer;
      if (answer) layersFailure.value = null;
    },
    fail: (error) => {
      layersFailure.value = error instanceof ApiError ? error : new ApiError('internal', String(error), 0);
    },
    keep: true,
  });
}

export function startLayers(): () => void {
  const stops = [asking(false), asking(true)];
  return () => {
    for (const stop of stops) stop();
    layers.value = null;
    cellAnswer.value = null;
  };
}

/** Parts whose inside is not as it usually is: the layer and its passes are open, the rest is closed. */
const turned = computed(() => new Set((view.value.lopen ?? '').split('.').filter(Boolean).map(Number)));
export const isOpen = (a: Layers, part: number): boolean => a.parts.depth[part] < 2 !== turned.value.has(part);

export function turn(part: number): void {
  change({ lopen: [...toggled(turned.peek(), part)].sort((x, y) => x - y).join('.') });
}

/** Parts that hold others. */
export function holders(a: Layers): Set<number> {
  return new Set(a.parts.parent.filter((parent): parent is number => parent !== null));
}

/** Parts that are listed: those whose parents are all open. Pure but for what is open. */
export function listed(a: Layers, open: (part: number) => boolean): number[] {
  const shown: boolean[] = [];
  const out: number[] = [];
  for (let part = 0; part < a.parts.n; part++) {
    const parent = a.parts.parent[part];
    shown[part] = parent === null || (shown[parent] && open(parent));
    if (shown[part]) out.push(part);
  }
  return out;
}

/** Time of a cell in one span, by part and layer; a layer that lacks a part has none. */
export function cellTimes(a: Layers): Map<string, { mean_ps: number; ops: number }> {
  const out = new Map<string, { mean_ps: number; ops: number }>();
  for (let k = 0; k < a.cells.n; k++) out.set(`${a.cells.part[k]}.${a.cells.layer[k]}`, { mean_ps: a.cells.self_ps[k] / a.spans, ops: a.cells.ops[k] });
  return out;
}

/** How far a cell is from the median of its row: -1 to 1, where 1 is twice as long or more. */
export function heat(value: number, median: number): number {
  if (!(median > 0)) return 0;
  return Math.max(-1, Math.min(1, value / median - 1));
}

export function partName(a: Layers, part: number): string {
  const { kind, name } = a.parts;
  return kind[part] === 'layer' ? `One layer, ${a.layers.n} found` : name[part] || 'the layer itself';
}
