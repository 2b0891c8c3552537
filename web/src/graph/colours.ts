/** Colour of a node's stripe: its group, or a scale. */
import { computed, effect, signal, untracked } from '@preact/signals';
import { api } from '../api/client';
import { cssColor } from '../app/theme';
import { css, mix, parseColour, variableOfGroup } from '../trace/palette';
import type { Around } from './api';
import { estimatePs, overview, saidOf, shown } from './graph_state';
import { colourBy } from './settings';
import { subject } from './state';
import { bytesText, flopText, timeText } from './words';

/** Bytes at the peak by the name of the instruction that made them; null: not known (yet). */
const atPeak = signal<Map<string, number> | null>(null);
const peakWhy = signal('');

async function loadPeak(): Promise<void> {
  atPeak.value = null;
  peakWhy.value = 'reading what is held at the peak';
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
    peakWhy.value = 'what is held at the peak is not known for this program';
  }
}

/** Asks for the peak when its colour is chosen; the answer stops it. */
export function startColours(): () => void {
  let askedFor = '';
  return effect(() => {
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
      return saidOf(n.ix[k], n.cycles[k]).ps;
    case 'bytes':
      return n.bytes[k];
    case 'flops': {
      const ps = estimatePs(n.cycles[k]);
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

export const scale = computed<Scale>(() => {
  const a = shown.value;
  void overview.value;
  const by = colourBy.value;
  const values = a ? a.nodes.ix.map((_, k) => numberOf(a, k)).filter((v): v is number => v !== null) : [];
  const most = Math.max(0, ...values);
  const text = by === 'time' ? timeText(most) : by === 'flops' ? flopText(most, 'FLOP/s') : bytesText(most);
  const why = values.length && most > 0 ? '' : by === 'peak' ? peakWhy.value || 'nothing of this is held at the peak' : by === 'time' ? 'no times are known for these' : by === 'flops' ? 'no work or no times are known for these' : '';
  return { most, text, why };
});

/** A colour between "nothing" and "most". */
export function shade(share: number): string {
  return css(mix(parseColour(cssColor('--rule')), parseColour(cssColor('--o-coll')), Math.sqrt(Math.min(1, Math.max(0, share)))));
}

export function stripeOf(k: number): string {
  const a = shown.peek();
  if (!a || k < 0) return cssColor('--o-none');
  if (colourBy.peek() === 'group') return a.nodes.note[k] && !a.nodes.group[k] ? cssColor('--o-none') : cssColor(variableOfGroup(a.nodes.group[k]));
  const value = numberOf(a, k);
  const { most } = scale.peek();
  return value === null || most <= 0 ? cssColor('--rule') : shade(value / most);
}
