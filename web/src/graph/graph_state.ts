/** From the address to a drawing: the question, the scene, the layout with its budget, what is shown meanwhile. */
import { batch, computed, effect, signal, untracked } from '@preact/signals';
import { ApiError, apiUrl, isAborted } from '../api/client';
import { perRun, setView, view } from '../app/router';
import { type Around, graphApi } from './api';
import { fontOf } from './draw';
import { type Drawing, makeDrawing } from './drawing';
import { layOut } from './layout';
import { BUDGET_MS, closeLayout, layoutNow, stopLayout, warmLayout } from './layouter';
import { quickLayout } from './layout_quick';
import { type Badge, makeScene, type Measure, type Scene } from './scene';
import { centre, everyOp, LIMIT, limit, listShown, merge, opened, picked, radius, wholeComputation } from './settings';
import { effectHere, subject } from './state';
import { badgeBy, measured, overview, saidOf, times } from './times_state';

export const around = perRun<Around | null>(null);
export const scene = perRun<Scene | null>(null);
export const drawing = perRun<Drawing | null>(null);
export const failed = perRun<ApiError | null>(null);
/** The node under the pointer, -1. */
export const hover = signal(-1);
/** The rectangle that is being dragged, in the canvas' pixels. */
export const band = signal<{ x0: number; y0: number; x1: number; y1: number } | null>(null);

type Phase =
  | { kind: 'asking'; since: number }
  | { kind: 'laying'; since: number; nodes: number; done: number; all: number }
  | { kind: 'drawn' }
  /** The list in place of the drawing: why, and a radius that would fit. */
  | { kind: 'list'; why: string; fits: { radius: number; nodes: number } | null }
  | { kind: 'empty' };
export const phase = signal<Phase>({ kind: 'empty' });

/** The list is on screen: asked for, or in place of a drawing until the next one is there. */
export const listMode = signal(false);
effect(() => {
  const { kind } = phase.value;
  if (kind === 'list' || listShown.value) listMode.value = true;
  else if (kind === 'drawn' || kind === 'empty') listMode.value = false;
});

/* ---- question and layout ---- */

let pen: CanvasRenderingContext2D | null = null;
const widths = new Map<string, number>();
const measure: Measure = (face, text) => {
  pen ??= document.createElement('canvas').getContext('2d');
  const key = `${face} ${text}`;
  let width = widths.get(key);
  if (width === undefined) {
    if (!pen) return text.length * 7;
    pen.font = fontOf(face);
    width = pen.measureText(text).width;
    if (widths.size > 20_000) widths.clear();
    widths.set(key, width);
  }
  return width;
};

function question(): Record<string, string | number | undefined> | null {
  const whole = wholeComputation.value;
  const middle = centre.value;
  if (!whole && !middle) return null;
  // In XProf's own drawing every fusion within the radius is open; here it is the one in the middle.
  const expand = opened.value?.join(',') ?? (everyOp.value || merge.value || whole ? undefined : 'center');
  const { more, keep } = view.value;
  return {
    ...subject(),
    ...(whole ? { computation: whole } : { node: middle, radius: radius.value }),
    merge: !everyOp.value || merge.value || opened.value ? 1 : 0,
    all: everyOp.value ? 1 : undefined,
    expand: expand || undefined,
    more,
    keep,
    limit: limit.value,
  };
}

/** Questions and layouts have numbers of their own: laying the old answer out anew must not drop the answer under way. */
let questionSerial = 0;
let layoutSerial = 0;
/** A question is under way: the answer on screen is not laid out again, the next one will be. */
let waiting = false;
/** The question that was asked last, so that none is asked twice. */
let asked = '';

const keyOf = (params: Record<string, string | number | undefined>) =>
  apiUrl('around', Object.fromEntries(Object.entries(params).sort(([a], [b]) => (a < b ? -1 : 1))));

async function ask(params: Record<string, string | number | undefined>): Promise<void> {
  const mine = ++questionSerial;
  layoutSerial++;
  waiting = true;
  stopLayout();
  warmLayout();
  phase.value = { kind: 'asking', since: performance.now() };
  try {
    const answer = await graphApi.around(params, { key: 'graph/around' });
    if (mine !== questionSerial) return;
    waiting = false;
    batch(() => {
      failed.value = null;
      around.value = answer;
    });
  } catch (error) {
    if (mine !== questionSerial) return;
    waiting = false;
    if (isAborted(error)) return;
    batch(() => {
      failed.value = error instanceof ApiError ? error : new ApiError('internal', String(error), 0);
      around.value = null;
      drawing.value = null;
      phase.value = { kind: 'empty' };
    });
  }
}

/** The old drawing stays for so long; then, and at once where there is none, a quick layout is shown until Graphviz' is there. */
const PATIENCE_MS = 150;

function drawMeanwhile(made: Scene, wanted: () => boolean): ReturnType<typeof setTimeout> | undefined {
  const draw = () => {
    if (!listMode.peek() && wanted()) drawing.value = { ...makeDrawing(made, layOut(made.input, quickLayout), 0), quick: true };
  };
  if (drawing.peek()) return setTimeout(draw, PATIENCE_MS);
  draw();
}

async function lay(made: Scene): Promise<void> {
  const mine = ++layoutSerial;
  const nodes = made.input.nodes.length;
  const tried = view.peek().try === '1';
  if (listShown.peek()) {
    phase.value = { kind: 'list', why: '', fits: null };
    return;
  }
  if (made.nodes.length > LIMIT && !tried) return tooMany(mine, `${made.nodes.length.toLocaleString('en-US')} nodes: too many to lay out.`);
  // The first 300 of a whole computation would be its parameters: no picture of it.
  const { counts, center } = made.around;
  if (!center && counts.left_out > 0 && !tried)
    return tooMany(mine, `${counts.of.toLocaleString('en-US')}${counts.of_is_least ? '+' : ''} nodes: too many to lay out.`);
  phase.value = { kind: 'laying', since: performance.now(), nodes, done: 0, all: 1 };
  const meanwhile = drawMeanwhile(made, () => mine === layoutSerial && phase.peek().kind === 'laying');
  const outcome = await layoutNow(made.input, tried ? 10 * BUDGET_MS : BUDGET_MS, (done, all) => {
    const now = phase.peek();
    if (mine === layoutSerial && now.kind === 'laying') phase.value = { ...now, done, all };
  });
  clearTimeout(meanwhile);
  if (mine !== layoutSerial) return;
  if (outcome.kind === 'done') {
    batch(() => {
      drawing.value = makeDrawing(made, outcome.result, outcome.ms);
      phase.value = { kind: 'drawn' };
    });
  } else if (outcome.kind === 'cancelled') void tooMany(mine, 'Layout cancelled.');
  else if (outcome.kind === 'late')
    void tooMany(mine, `${nodes.toLocaleString('en-US')} nodes: the layout took longer than ${((tried ? 10 : 1) * BUDGET_MS) / 1000} s.`);
  else void tooMany(mine, `The layout failed: ${outcome.why}.`);
}

/** The list takes over; a smaller radius that would do is looked for. */
async function tooMany(mine: number, why: string): Promise<void> {
  phase.value = { kind: 'list', why: `${why} Showing program order`, fits: null };
  const params = untracked(question);
  if (!params || params.computation) return;
  for (let r = radius.peek() - 1; r >= 0; r--) {
    try {
      const { counts } = await graphApi.around({ ...params, radius: r, limit: LIMIT }, { key: 'graph/fits', quiet: true });
      if (mine !== layoutSerial) return;
      if (counts.left_out > 0) continue;
      phase.value = { kind: 'list', why: `${why} Showing program order`, fits: { radius: r, nodes: counts.shown } };
    } catch {
      // The offer is a courtesy; without it the list is still there.
    }
    return;
  }
}

/** Lays out what the list stands for, however many nodes it has, with more time. */
export function tryAnyway(): void {
  setView({ try: 1 }, { push: false });
  const made = scene.peek();
  if (made) void lay(made);
}

export function cancelLayout(): void {
  stopLayout();
}

const overviewHere = signal(false);

/** Nothing is named in the address of this page. */
const isUnchosen = () => {
  const { op, c, comp, tool } = view.value;
  return tool === 'graph' && !op && !c && !comp;
};
/** The program whose overview there is. */
let overviewOf = '';

async function loadOverview(params: Record<string, string | undefined>): Promise<void> {
  overviewHere.value = false;
  try {
    const answer = await graphApi.overview(params, { key: 'graph/overview' });
    overviewOf = apiUrl('', params);
    batch(() => {
      overview.value = answer;
      overviewHere.value = true;
    });
  } catch (error) {
    if (isAborted(error)) return;
    batch(() => {
      overview.value = null;
      overviewHere.value = true;
      if (untracked(isUnchosen)) failed.value = error instanceof ApiError ? error : new ApiError('internal', String(error), 0);
    });
  }
}

/**
 * Without a name in the address the drawing begins where the time is: at what takes the longest. A program that can be drawn whole is, unless
 * that is one of several alike.
 */
function chooseFirst(): void {
  const o = overview.value;
  // Another page or program may have been opened meanwhile: the address is its own.
  if (!o || !isUnchosen() || apiUrl('', subject()) !== overviewOf) return;
  const { name, last } = o.heaviest;
  const isWhole = view.value.line || !name.length || (o.entry && o.entry.ops <= LIMIT && !last?.[0]);
  untracked(() => {
    if (!isWhole) setView({ op: `%${name[0]}` }, { push: false });
    else if (o.entry) setView({ comp: o.entry.name }, { push: false });
  });
}

/** Asks again what failed. */
export function retryGraph(): void {
  failed.value = null;
  if (!overview.peek()) void loadOverview(untracked(subject));
  const params = untracked(question);
  if (params) void ask(params);
}

/** What the trace measured, when the program ran: the badge then says that. */
async function loadTimes(params: Record<string, string | undefined>): Promise<void> {
  try {
    times.value = await graphApi.times(params, { key: 'graph/times', quiet: true });
  } catch {
    // Estimates are shown; the choice of the badge says that nothing was measured.
  }
}

/** A new answer, or other words on the boxes: the boxes have other sizes. */
function makeBoxes(): void {
  const a = around.value;
  const badge: Badge = (k) => saidOf(a?.nodes.ix[k] ?? -1, a?.nodes.cycles[k] ?? null, a?.nodes.pair_ix[k] ?? null);
  void [measured.value, badgeBy.value, listShown.value];
  // The clock is in the overview: without waiting for it every box would be measured twice.
  if (!a || !overviewHere.value || waiting) return;
  const made = makeScene(a, badge, measure);
  untracked(() => {
    scene.value = made;
    void lay(made);
  });
}

/** What is selected elsewhere and not drawn moves to the middle. */
function followPicked(): void {
  const a = around.value;
  const name = picked.value;
  if (!a || !name || !(view.value.c || wholeComputation.value)) return;
  if (a.nodes.name.includes(name) || a.nodes.pair.includes(name) || (wholeComputation.value && phase.peek().kind === 'list')) return;
  untracked(() => setView({ c: null, comp: null, x: null, more: null, keep: null, lim: null, try: null, gsel: null }, { push: false }));
}

/** Follows the address; the answer stops it. */
export function startGraph(): () => void {
  let askedOverview = '';
  asked = '';
  const ends = [
    effectHere(() => {
      const params = subject();
      const key = apiUrl('', params);
      if (key === askedOverview) return;
      askedOverview = key;
      untracked(() => {
        overview.value = null;
        times.value = null;
        void loadOverview(params);
        void loadTimes(params);
      });
    }),
    effectHere(() => {
      const params = question();
      if (!params) return;
      const key = keyOf(params);
      // A failed request is repeated when the user returns to it.
      if (key === asked && !failed.peek()) return;
      asked = key;
      untracked(() => void ask(params));
    }),
    effect(chooseFirst),
    effect(makeBoxes),
    effect(followPicked),
  ];
  warmLayout();
  return () => {
    for (const end of ends) end();
    questionSerial++;
    layoutSerial++;
    waiting = false;
    closeLayout();
    batch(() => {
      around.value = null;
      scene.value = null;
      drawing.value = null;
      overview.value = null;
      failed.value = null;
      phase.value = { kind: 'empty' };
    });
  };
}

/** Node of the selected instruction in the drawing, -1 when it is not there. */
export const mainNode = computed(() => nodeOf(picked.value));

/** The scene on screen: the old one while the next is laid out. Indexes of nodes mean this one. */
const shownScene = computed(() => (listMode.value ? scene.value : (drawing.value?.scene ?? scene.value)));
export const shown = computed(() => shownScene.value?.around ?? null);

/** Place of an op in a scene; -1: it is not there. */
export function nodeIn(made: Scene | null, name: string): number {
  if (!made || !name) return -1;
  const at = made.nodeOfName.get(name);
  return at ?? made.around.nodes.pair.indexOf(name);
}

export const nodeOf = (name: string) => nodeIn(shownScene.value, name);
