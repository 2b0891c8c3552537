/** What the address says about the drawing, and how a change is written into it. */
import { computed } from '@preact/signals';
import { roomy } from '../app/media';
import { type Change, setView, view } from '../app/router';
import { plainName } from './words';

export const COLOURS = ['group', 'time', 'bytes', 'flops', 'peak'] as const;
export type ColourBy = (typeof COLOURS)[number];
export const COLOUR_WORDS: Record<ColourBy, string> = { group: 'Op group', time: 'Time', bytes: 'Bytes', flops: 'FLOP/s', peak: 'Memory at peak' };

export const LIMIT = 300;
export const RADIUS_MAX = 10;

function number(text: string | undefined, least: number, most: number, fallback: number): number {
  const value = Number(text);
  return text !== undefined && Number.isInteger(value) && value >= least && value <= most ? value : fallback;
}

export const radius = computed(() => number(view.value.r, 0, RADIUS_MAX, roomy.value ? 3 : 1));
export const merge = computed(() => view.value.merge === '1');
export const everyOp = computed(() => view.value.all === '1');
export const limit = computed(() => number(view.value.lim, LIMIT, 5000, LIMIT));
export const colourBy = computed<ColourBy>(() => ((COLOURS as readonly string[]).includes(view.value.gc ?? '') ? (view.value.gc as ColourBy) : 'group'));
export const listShown = computed(() => view.value.table === '1');

export const picked = computed(() => plainName(view.value.op ?? ''));
/** The instruction in the middle: the selected one unless another was kept there. */
export const centre = computed(() => plainName(view.value.c ?? view.value.op ?? ''));
/** A whole computation in place of a neighbourhood. */
export const wholeComputation = computed(() => plainName(view.value.comp ?? ''));

const numbers = (text: string | undefined) =>
  (text ?? '')
    .split(',')
    .filter((part) => /^\d+$/.test(part))
    .map(Number);
/** Further selected instructions, by index. */
export const alsoPicked = computed(() => numbers(view.value.gsel));
/** Open fusions when they were chosen by hand; null: as the switch says. */
export const opened = computed(() => (view.value.x === undefined ? null : numbers(view.value.x)));

/** Keys that belong to one neighbourhood: another one starts without them. */
const LOCAL = { x: null, more: null, keep: null, lim: null, try: null, gsel: null, gv: null };

/** Another instruction in the middle. */
export function centreOn(name: string): void {
  setView({ op: `%${plainName(name)}`, c: null, comp: null, line: null, ...LOCAL }, { push: true });
}

/** Selects what is drawn; the middle stays. */
export function pick(name: string): void {
  const middle = centre.peek();
  setView(
    { op: `%${plainName(name)}`, c: wholeComputation.peek() || !middle || middle === plainName(name) ? null : `%${middle}`, line: null, gsel: null },
    { push: true },
  );
}

export function showComputation(name: string): void {
  setView({ comp: name, op: null, c: null, line: null, pathto: null, ...LOCAL }, { push: true });
}

export function setRadius(to: number): void {
  const next = Math.max(0, Math.min(RADIUS_MAX, to));
  if (next !== radius.peek()) change({ r: next, lim: null, try: null });
}

/** A change of the drawing: a step that "back" undoes. */
export function change(next: Change, push = true): void {
  setView(next, { push });
}
