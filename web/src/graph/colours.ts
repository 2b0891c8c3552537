/** Colour of a node's stripe: its group, or a scale. */
import { computed, signal, untracked } from '@preact/signals';
import type { Look } from './draw';
import { api } from '../api/client';
import { cssColor } from '../app/theme';
import { formatCount } from '../util/format';
import { css, mix, parseColour, variableOfGroup } from '../trace/palette';
import type { Around } from './api';
import { shown, drawing, hover, mainNode } from './graph_state';
import { type ColourBy, colourBy, alsoPicked } from './settings';
import { effectHere, subject } from './state';
import { bytesText, flopText, timeText } from './words';
import { badgeBy, clockHz, peaks, saidOf } from './times_state';
import { camera, onScreen } from './camera_state';
import { pathNodes } from './path_state';
import { foundNodes } from './search_state';

/** Bytes at the peak by the name of the instruction that made them; null: not known (yet). */
const atPeak = signal<Map<string, number> | null>(null);
const peakWhy = signal('');

async function loadPeak(): Promise<void> {
  atPeak.value = null;
  peakWhy.value = 'reading what is live at the peak';
  try {
    const live = await api.live({ ...subject(), fold_bytes: 1, limit: 16_384 }, { key: 'graph/live', quiet: true });
    const bytes = new Map<string, number>();
    live.name.forEach((name, k) => {
      const of = live.names[name].replace(/\{[\d,]*\}$/, '');
      bytes.set(of, (bytes.get(of) ?? 0) + live.size_bytes[k]);
    });
    atPeak.value = bytes;
    peakWhy.value = '';
  } catch {
    peakWhy.value = 'this program has no memory data';
  }
}

/** Asks for the peak when its colour is chosen; the answer stops it. */
export function startColours(): () => void {
  let askedFor = '';
  return effectHere(() => {
    if (colourBy.value !== 'peak') return;
    const key = JSON.stringify(subject());
    if (key === askedFor) return;
    askedFor = key;
    untracked(() => void loadPeak());
  });
}

function numberOf(a: Around, k: number): number | null {
  const n = a.nodes;
  switch (colourBy.value) {
    case 'time':
      return saidOf(n.ix[k], n.cycles[k], n.pair_ix[k]).amount;
    case 'bytes':
      return n.size_bytes[k];
    case 'flops': {
      const { ps } = saidOf(n.ix[k], n.cycles[k], n.pair_ix[k]);
      return n.flops[k] === null || !ps ? null : (n.flops[k] as number) / (ps / 1e12);
    }
    case 'peak':
      return atPeak.value ? (atPeak.value.get(n.name[k]) ?? 0) : null;
    default:
      return null;
  }
}

export interface Scale {
  most: number;
  text: string;
  /** Why there is no scale. */
  why: string;
}

/** Value of the full colour: the peak of the chip for FLOP/s, else the highest in view. */
function full(by: ColourBy, highest: number): { most: number; text: string } {
  if (by === 'bytes' || by === 'peak') return { most: highest, text: bytesText(highest) };
  if (by === 'time') return { most: highest, text: badgeBy.value === 'measured' || clockHz.value ? timeText(highest) : `${formatCount(highest)} cycles` };
  const peak = peaks.value?.values.flops_per_s;
  if (!peak) return { most: highest, text: `${flopText(highest, 'FLOP/s')}, the highest in view; the peak is unknown, enter it in Explain` };
  return {
    most: peak,
    text: `${flopText(peak, 'FLOP/s')}, peak ${peaks.value?.edited ? 'entered in Explain' : `of ${peaks.value?.name || 'the device'}`}; highest in view ${percent(highest / peak)}`,
  };
}

const percent = (share: number) => `${Number((100 * share).toPrecision(2))} %`;

function whyNone(by: ColourBy): string {
  if (by === 'peak') return peakWhy.value || 'nothing here is live at the peak';
  if (by === 'time') return 'no times known for these';
  if (by !== 'flops') return '';
  return badgeBy.value === 'estimate' && !clockHz.value ? 'the device is unknown: enter its clock and peak in Explain' : 'no work or no times known for these';
}

export const scale = computed<Scale>(() => {
  const a = shown.value;
  const by = colourBy.value;
  const values = a ? a.nodes.ix.map((_, k) => numberOf(a, k)).filter((v): v is number => v !== null) : [];
  const highest = Math.max(0, ...values);
  return { ...full(by, highest), why: highest > 0 ? '' : whyNone(by) };
});

/** A colour between "nothing" and "most". */
export function shade(share: number): string {
  return css(mix(parseColour(cssColor('--rule')), parseColour(cssColor('--o-coll')), Math.sqrt(Math.min(1, Math.max(0, share)))));
}

function stripeOf(k: number): string {
  const a = shown.peek();
  if (!a || k < 0) return cssColor('--o-none');
  if (colourBy.peek() === 'group') return a.nodes.note[k] && !a.nodes.group[k] ? cssColor('--o-none') : cssColor(variableOfGroup(a.nodes.group[k]));
  const value = numberOf(a, k);
  const { most } = scale.peek();
  return value === null || most <= 0 ? cssColor('--rule') : shade(value / most);
}

/** How the drawing looks now: what is on screen, chosen, found and under the pointer. */
export function lookNow(): Look {
  const d = drawing.peek();
  const also = alsoPicked.peek().map((ix) => d?.scene.nodeOfIx.get(ix) ?? -1);
  return {
    zoom: camera.zoom,
    view: onScreen(),
    selected: new Set(also),
    main: mainNode.peek(),
    hover: hover.peek(),
    found: foundNodes.peek(),
    path: pathNodes.peek(),
    stripe: stripeOf,
  };
}
