/** State of the Memory Viewer: what the URL says, what the server answered, what the pointer is on.
 *  The URL is the one source of the view; answers follow it; hover never goes through the URL. */
import type { ColourBy } from '../charts/colours';
import { batch, computed, effect, signal, type Signal } from '@preact/signals';
import { api, isAborted, type ApiError, type CallOptions, type Params } from '../api/client';
import { follow } from '../api/follow';
import type { BufferCard, Curve, Live, MapBoxes, Modules, Scopes, Steps, Summary } from '../api/types';
import { type Change, perRun, setView, view } from '../app/router';
import type { ViewKey } from '../app/view_keys';
import { clampWindow, type Window1 } from '../canvas/view';
import { type AxisId, axisFrom } from './axis';
import { isCrowded } from './live_rows';
import { whatIfPeak, whatIfPlan } from './what_if_state';
import { together } from '../util/listen';

const TABS = ['step', 'buffers', 'scope', 'modules', 'findings', 'peaks'] as const;
export type TabId = (typeof TABS)[number];

export const summary = perRun<Summary | null>(null);
export const failure = signal<ApiError | null>(null);
export const curve = signal<Curve | null>(null);
/** The whole program at low resolution, for the minimap. */
export const overview = signal<Curve | null>(null);
export const scopes = signal<Scopes | null>(null);
export const map = signal<MapBoxes | null>(null);
export const live = signal<Live | null>(null);
export const card = signal<BufferCard | null>(null);
/** Why the pinned buffer has no details, in the server's words; '' while they load or are shown. */
export const cardFailure = signal('');
/** The buffer under a resting pointer, for the card while nothing is pinned. */
export const preview = signal<BufferCard | null>(null);
export const modules = signal<Modules | null>(null);
export const steps = signal<Steps | null>(null);

/** Under the pointer: a buffer (marked everywhere), a step (thin line in both charts), where the box goes. */
export const hoverBuffer = signal<number | null>(null);
export const hoverStep = signal<{ step: number; x: number; y: number } | null>(null);
/** Dragged range of steps, or null. */
/** What a plain drag does. */
export const dragMode = perRun<'select' | 'pan' | 'zoom'>('select');
/** The map is folded to its title (Shift+M). */
export const mapFolded = signal(false);
export const mapFull = signal(false);
export const range = signal<{ from: number; to: number } | null>(null);
/** Width of the plot in pixels, for the resolution of answers. */
export const plot = signal({ width: 900, mapHeight: 140 });
/** Window while a gesture is under way; the URL follows when it rests. */
export const gesture = signal<Window1 | null>(null);

function text(key: ViewKey): string {
  return view.value[key] ?? '';
}
function int(key: ViewKey): number | null {
  const t = text(key);
  return /^\d+$/.test(t) ? Number(t) : null;
}

/** What names the picture: run, host, module, space. */
export const subject = computed<Params>(() => ({
  run: text('run'),
  only: text('only'),
  host: text('host'),
  module: text('module'),
  space: text('space'),
  hbm: text('hbm'),
}));
const subjectKey = computed(() => JSON.stringify(subject.value));

/** What the summary was asked for; set right before it. */
let summaryKey = '';
/** The summary belongs to what the URL names: while another one is on its way, its steps mean nothing here. */
export const settled = computed(() => summary.value !== null && summaryKey === subjectKey.value);

export const stepCount = computed(() => summary.value?.steps ?? 0);
export const windowNow = computed<Window1>(() => {
  if (gesture.value) return gesture.value;
  const from = int('from');
  const to = int('to');
  return clampWindow({ from: from ?? 0, to: to ?? Math.max(stepCount.value, 1) }, Math.max(stepCount.value, 1));
});
/** What x counts, by the URL; and its places once they are here (null: heap events). */
export const axisAsked = computed<AxisId>(() => (['instruction', 'time'].includes(text('axis')) ? (text('axis') as AxisId) : 'event'));
export const axisNow = computed(() => axisFrom(overview.value, curve.value, axisAsked.value));
/** The last step where the address names one that the program does not have. */
export const inspected = computed<number | null>(() => {
  const asked = int('step');
  if (asked === null) return whatIfPeak.value ?? summary.value?.peak.step ?? null;
  if (!settled.value) return asked;
  return stepCount.value > 0 ? Math.max(0, Math.min(asked, stepCount.value - 1)) : null;
});
export const pinned = computed<number | null>(() => int('pin'));
export const tab = computed<TabId>(() => TABS.find((id) => id === text('tab')) ?? 'step');
/** Unless one is chosen: blocks, where most of what is held is too small to be told apart. */
export const usualColour = computed<ColourBy>(() => (live.value && isCrowded(live.value) ? 'block' : 'group'));
export const colourBy = computed<ColourBy>(() => (text('colour') as ColourBy) || usualColour.value);
/** Smaller buffers are summed up; 0: none. A link's own value stands. */
export const foldBytes = computed(() => int('fold') ?? summary.value?.fold_bytes ?? 0);
export const scopeFilter = computed(() => text('scope'));

export function change(next: Change, push = false): void {
  setView(next, { push });
}
export function inspect(step: number | null): void {
  change({ step, tab: 'step' });
}
export function pin(buffer: number | null): void {
  change({ pin: buffer }, true);
}
export function openTab(id: TabId): void {
  change({ tab: id === 'step' ? null : id });
}

let rest = 0;
let settle = 0;
/** Zoom or pan: draws at once, asks the server and writes the URL when the hand rests. */
export function setWindow(next: Window1): void {
  const clamped = clampWindow(next, Math.max(stepCount.value, 1));
  gesture.value = clamped;
  clearTimeout(rest);
  rest = window.setTimeout(() => {
    // whole steps; the width is rounded by itself, so that panning does not make the window grow
    const from = Math.round(clamped.from);
    const to = Math.min(stepCount.value, from + Math.max(1, Math.round(clamped.to - clamped.from)));
    const all = from <= 0 && to >= stepCount.value;
    batch(() => {
      change({ from: all ? null : from, to: all ? null : to });
      gesture.value = null;
    });
  }, 180);
}

/** `onError`: who shows that it failed, or what the view lacks then, in words. */
function load<T>(
  into: Signal<T | null>,
  ask: (p: Params, o: CallOptions) => Promise<T>,
  params: Params,
  key: string,
  onError: ((e: ApiError) => void) | string,
): void {
  const part = typeof onError === 'string' ? onError : undefined;
  ask(params, { key: `memory/${key}`, part })
    .then((answer) => {
      into.value = answer;
    })
    .catch((error: unknown) => {
      if (!isAborted(error) && typeof onError !== 'string') onError(error as ApiError);
    });
}

/** The window that is asked about, once the layout has settled; null: none yet. */
interface AskedWindow {
  range: Params & { from: number; to: number };
  py: number;
  axis: string | null;
}
const asked = signal<AskedWindow | null>(null);

function reset(): void {
  // What was about to be asked or written was of the program before.
  clearTimeout(rest);
  clearTimeout(settle);
  batch(() => {
    asked.value = null;
    gesture.value = null;
    curve.value = overview.value = null;
    scopes.value = null;
    map.value = null;
    live.value = null;
    card.value = preview.value = hoverBuffer.value = hoverStep.value = null;
    steps.value = null;
    range.value = null;
    failure.value = null;
  });
}

function axisParam(): string | null {
  return axisAsked.value === 'event' ? null : axisAsked.value;
}

/** What a new height or axis does not touch is not asked again. */
function ofWindow<T>(
  into: Signal<T | null>,
  ask: (p: Params, o: CallOptions) => Promise<T>,
  key: string,
  part: string,
  question: (of: AskedWindow) => Params | null,
) {
  return follow<Params, T>({
    question: () => asked.value && question(asked.value),
    ask: (params) => ask(params, { key: `memory/${key}`, part }),
    take: (answer) => {
      into.value = answer;
    },
    fail: () => {}, // the strip names the part
    keep: true,
  });
}

function loadSummary(params: Params, key: string): void {
  const ask: typeof api.summary = (p, o) =>
    api.summary(p, o).then((answer) => {
      summaryKey = key;
      return answer;
    });
  load(summary, ask, params, 'summary', (e) => {
    summary.value = null;
    failure.value = e;
  });
}

function loadCard(buffer: number | null): void {
  cardFailure.value = '';
  if (buffer === null) card.value = null;
  else
    load(card, api.buffer, { ...subject.value, buffer }, 'card', (e) => {
      card.value = null;
      cardFailure.value = e.message;
    });
}

/** Starts the effects that keep the answers in step with the URL; returns the function that stops them. */
export function start(): () => void {
  let last = '';
  // Of this start: each begins with nothing.
  let overviewKey = '';
  return together([
    effect(() => {
      const params = subject.value;
      if (!params.run || subjectKey.value === last) return;
      last = subjectKey.value;
      reset();
      loadSummary(params, last);
    }),
    effect(() => {
      const params = subject.value;
      const axis = axisParam();
      const key = `${subjectKey.value} ${axis}`;
      if (!params.run || key === overviewKey) return;
      overviewKey = key;
      load(overview, api.curve, { ...params, px: 600, axis }, 'overview', 'curves');
    }),
    effect(() => {
      if (!settled.value || stepCount.value === 0) return;
      const w = windowNow.value;
      void axisAsked.value;
      const range = { ...subject.value, from: Math.floor(w.from), to: Math.ceil(w.to), px: Math.round(plot.value.width) };
      const py = Math.round(plot.value.mapHeight);
      // layout settles over a few frames; one question for all of them
      clearTimeout(settle);
      settle = window.setTimeout(() => {
        asked.value = { range, py, axis: axisParam() };
      }, 25);
    }),
    ofWindow(curve, api.curve, 'curve', 'curves', ({ range, axis }) => ({ ...range, axis })),
    ofWindow(scopes, api.scopes, 'scopes', 'scopes', ({ range }) => range),
    ofWindow(map, api.map, 'map', 'addresses', ({ range, py }) => ({ ...range, py })),
    ofWindow(steps, api.steps, 'steps', 'steps', ({ range }) => (range.to - range.from <= 4096 ? { ...range, px: undefined } : null)),
    effect(() => {
      if (!settled.value) return;
      load(
        live,
        api.live,
        { ...subject.value, step: inspected.value, fold_bytes: foldBytes.value, plan: whatIfPlan.value },
        'live',
        'what is live at the step',
      );
    }),
    effect(() => {
      if (settled.value) loadCard(pinned.value);
    }),
    effect(() => {
      if (tab.value === 'modules' && subject.value.run) load(modules, api.modules, { run: subject.value.run, hbm: subject.value.hbm }, 'modules', 'modules');
    }),
  ]);
}
