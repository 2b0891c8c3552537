import { batch, type Signal, signal } from '@preact/signals';
import { Delayed } from '../util/rest';
import type { Change, View, ViewKey } from './view_keys';

export type { Change } from './view_keys';

/** Order in the URL; keys that are not named here follow by name. */
const ORDER: string[] = ['run', 'only', 'tool', 'mode', 'host', 'module', 'space', 'hbm', 'unit', 'from', 'to', 'step', 'pin', 'b', 'tab'];
/** A change of one of these is a step that "back" undoes. */
const PUSHED: ViewKey[] = ['run', 'only', 'tool', 'mode', 'module', 'pin'];
/** How a program is looked at, and against what: open sections of Explain, sizes of the graph's columns, the baseline. */
const LOOK: ViewKey[] = ['xs', 'gw', 'base', 'base_module', 'base_host', 'base_space'];
/** How operations are looked at, of whichever program. */
const OPS: ViewKey[] = ['oview', 'oby', 'ofilter', 'ogroup', 'osort', 'odesc', 'ocols', 'peaks'];
/** Where the user is, and how tables and charts are looked at. */
const PLACE: ViewKey[] = ['run', 'only', 'tool', 'mode', 'config', 'host', 'hbm', 'unit', 'tab', 'sort', 'desc', 'by', 'fold', 'colour', 'axis', 'table'];
/** What survives a change of the key: everything else that hangs on it is dropped. */
const SURVIVES: Record<'run' | 'module' | 'space', readonly ViewKey[]> = {
  run: ['run', 'tool', 'unit', 'config', ...LOOK],
  module: [...LOOK, ...PLACE, 'module', ...OPS],
  space: [...LOOK, ...PLACE, 'module', 'space'],
};

/** Tools whose `step` is one of the run; that of Memory is a place in its chart. */
const ofRunSteps = (tool: string | undefined) => ['overview', 'ops', 'roofline', 'input'].includes(tool ?? '');

/** Defaults of absent keys; set when the page starts. */
export const meant = { module: (): string | null | undefined => undefined };

/**
 * The one place where view state lives: `view` is read by every page and mirrors the URL fragment
 * (`#run=…&tool=memory&module=…`). A fragment never reaches the server, so links work below any proxy path.
 */
export const view = signal<View>({});

/** The start page as it was left, for "back to the runs". */
let startView: View = {};
const ofRun: (() => void)[] = [];

/** State of one run that is not in the address: the chosen tool, an open drawer, the answers on screen. It is not kept for another run. */
export function perRun<T>(start: T): Signal<T> {
  const state = signal(start);
  ofRun.push(() => {
    state.value = start;
  });
  return state;
}

function show(next: View): void {
  const before = view.peek();
  batch(() => {
    if (before.run !== next.run || before.only !== next.only) for (const reset of ofRun) reset();
    if (!before.run && next.run) startView = before;
    view.value = next;
  });
}

/** Encodes a value, leaving characters readable that a fragment may hold. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/%(2F|3A|2C|40|5B|5D|7B|7D|3B)/g, (hex) => decodeURIComponent(hex));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replace(/\+/g, ' '));
  } catch {
    return text;
  }
}

export function parseView(fragment: string): View {
  const out: Record<string, string> = {};
  for (const part of fragment.replace(/^#/, '').split('&')) {
    const at = part.indexOf('=');
    if (at <= 0) continue;
    const key = decode(part.slice(0, at));
    // Only plain names: a link cannot reach into the prototype.
    if (!/^[a-z][a-z0-9_.]*$/i.test(key) || key in Object.prototype) continue;
    const value = decode(part.slice(at + 1));
    if (value !== '') out[key] = value;
  }
  return out;
}

export function formatView(state: View): string {
  const rank = (key: string) => {
    const at = ORDER.indexOf(key);
    return at < 0 ? ORDER.length : at;
  };
  return Object.keys(state)
    .filter((key) => state[key as ViewKey])
    .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
    .map((key) => `${encode(key)}=${encode(state[key as ViewKey] as string)}`)
    .join('&');
}

/** The view after a change: null, undefined, false and '' remove a key; a new run, module or space drops what hung on the old. */
export function applyChange(state: View, change: Change): View {
  let next: View = { ...state };
  for (const key of ['run', 'module', 'space'] as const) {
    if (!(key in change)) continue;
    const value = text(change[key]);
    if (value === state[key] || (key === 'module' && (value ?? meant.module()) === (state[key] ?? meant.module()))) continue;
    const kept: View = {};
    for (const name of SURVIVES[key]) if (next[name] !== undefined) kept[name] = next[name];
    next = kept;
  }
  if ('tool' in change && ofRunSteps(state.tool) !== ofRunSteps(text(change.tool))) delete next.step;
  for (const key of Object.keys(change) as ViewKey[]) {
    const value = text(change[key]);
    if (value === undefined) delete next[key];
    else next[key] = value;
  }
  return next;
}

function text(value: Change[ViewKey]): string | undefined {
  if (value === undefined || value === null || value === false || value === '') return undefined;
  return value === true ? '1' : String(value);
}

export function isPush(before: View, after: View): boolean {
  return PUSHED.some((key) => before[key] !== after[key]);
}

// Browsers refuse more than about 100 history calls in 30 s.
const REPLACE_MS = 320;
const pending = new Delayed();
let lastWrite = 0;
/** The fragment as it was last read or written. */
let known = '';

function write(push: boolean): void {
  pending.cancel();
  if (!push && arrived()) return;
  lastWrite = Date.now();
  // The path is named as well: an empty fragment alone would leave the old one in place.
  const url = `${location.pathname}${location.search}#${formatView(view.peek())}`;
  if (push) history.pushState(null, '', url);
  else history.replaceState(null, '', url);
  known = location.hash;
}

/** Takes the view that the address holds. */
function read(): void {
  pending.cancel();
  known = location.hash;
  const next = parseView(known);
  if (formatView(next) === formatView(view.value)) return;
  batch(() => {
    arrivals.value++;
    show(next);
  });
}

/** Takes the view of a link that was followed, or of an address that was typed, if its event is still on its way. */
function arrived(): boolean {
  if (typeof location === 'undefined' || location.hash === known) return false;
  read();
  return true;
}

const leaving = new Set<() => void>();

/** Called before the address is copied and before its history entry is left: writes what changes too often to be in the view at once. */
export function beforeLeaving(save: () => void): () => void {
  leaving.add(save);
  return () => leaving.delete(save);
}

/** Writes what is waiting, so that the address bar is exact. */
export function flushView(): void {
  for (const save of leaving) save();
  if (pending.waits) write(false);
}

/** Counts the views that came with the address: opened, or by back and forward. What the page chose itself is not counted. */
export const arrivals = signal(0);

export function setView(change: Change, options: { push?: boolean } = {}): void {
  arrived();
  let before = view.peek();
  let after = applyChange(before, change);
  if (formatView(before) === formatView(after)) return;
  const push = options.push ?? isPush(before, after);
  // The entry being left must hold its last state before a new one is made.
  if (push) {
    flushView();
    before = view.peek();
    after = applyChange(before, change);
  }
  show(after);
  if (typeof history === 'undefined') return;
  if (push) write(true);
  else if (!pending.waits) pending.ask(Math.max(0, lastWrite + REPLACE_MS - Date.now()), () => write(false));
}

/** Link to a changed view, for `href`: ctrl+click and "copy link address" then work. */
export function hrefOf(change: Change): string {
  return `#${formatView(applyChange(view.value, change))}`;
}

/** Back to the runs, as the start page was left. */
export function toRuns(): void {
  arrived();
  flushView();
  const { run } = view.peek();
  show({ ...startView, ...(run ? { sel: run } : {}) });
  write(true);
}

export function startRouter(): void {
  read();
  addEventListener('popstate', read);
  addEventListener('hashchange', read);
  addEventListener('pagehide', flushView);
}
