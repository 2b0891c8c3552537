/** A counter: areas of steps from zero, up and down, on a scale of round numbers that stands in the label column. */
import { textWidth } from '../canvas/text';
import { formatBytes } from '../util/format';
import type { Counter } from './boxes';
import { counterScale, type Scale, tickWords, ticksToName, valueText } from './counter';
import { groupIndex } from './groups';
import type { Palette } from './palette';

type G = CanvasRenderingContext2D;

/** Pixels above and below the scale. */
const TOP = 6;
const BOTTOM = 2;

interface Place {
  y: number;
  h: number;
  from: number;
  to: number;
  left: number;
  width: number;
}

const yOn = (s: Scale, y: number, h: number) => (value: number) =>
  y + h - BOTTOM - ((Math.min(s.high, Math.max(s.low, value)) - s.low) / (s.high - s.low)) * (h - TOP - BOTTOM);

/** Where the number of a tick stands: at the tick, but inside of the row. */
const wordAt = (s: Scale, y: number, h: number) => (value: number) => Math.min(y + h - 6, Math.max(y + 8, yOn(s, y, h)(value)));
const named = (s: Scale, y: number, h: number) => ticksToName(s, s.ticks.map(wordAt(s, y, h)), 12);

export function textOf(c: Counter, value: number): string {
  return c.bytes ? formatBytes(value, { unit: 'own' }) : valueText(value);
}

export function drawCounter(g: G, c: Counter, at: Place, p: Palette): void {
  if (!c.at.length) return;
  const scale = counterScale(c);
  const y = yOn(scale, at.y, at.h);
  const x = (t: number) => Math.min(at.width, Math.max(at.left, at.left + ((t - at.from) / (at.to - at.from)) * (at.width - at.left)));
  const ends = (k: number) => (k + 1 < c.at.length ? c.at[k + 1] : at.to);
  g.fillStyle = p.rule;
  for (const tick of [0, ...named(scale, at.y, at.h).map((k) => scale.ticks[k])]) g.fillRect(at.left, Math.round(y(tick)), at.width - at.left, 1);
  const trace = (values: Float64Array) => {
    g.beginPath();
    g.moveTo(x(c.at[0]), y(0));
    for (let k = 0; k < c.at.length; k++) {
      const level = y(values[k] || 0); // a sample without a number draws nothing
      g.lineTo(x(c.at[k]), level);
      g.lineTo(x(ends(k)), level);
    }
    g.lineTo(x(at.to), y(0));
  };
  g.fillStyle = p.fill[groupIndex('elem')];
  if (c.least) {
    // Between the lowest and the highest of a pixel: paler.
    trace(c.least);
    g.fill();
    g.globalAlpha = 0.4;
  }
  trace(c.value);
  g.fill();
  g.globalAlpha = 1;
  g.strokeStyle = p.strong[groupIndex('elem')];
  g.lineWidth = 1;
  g.stroke();
  writeLevels(g, c, at, p, x, y, ends);
}

/** Each level wide enough for it has its number, inside of its area; zero says the scale. */
function writeLevels(g: G, c: Counter, at: Place, p: Palette, x: (t: number) => number, y: (v: number) => number, ends: (k: number) => number): void {
  g.fillStyle = p.soft;
  g.textAlign = 'left';
  g.textBaseline = 'middle';
  const bottom = at.y + at.h - BOTTOM;
  for (let k = 0; k < c.at.length; k++) {
    const value = c.value[k];
    const x0 = x(c.at[k]);
    if (!value || x(ends(k)) - x0 < 24) continue;
    const text = textOf(c, value);
    if (x(ends(k)) - x0 <= textWidth(g, text) + 8) continue;
    g.fillText(text, x0 + 4, value > 0 ? Math.min(bottom - 6, y(value) + 8) : Math.max(at.y + TOP + 6, y(value) - 7));
  }
}

/** The numbers of the scale at the right edge of the label column; gives the pixels they take. */
export function drawScale(g: G, c: Counter, y: number, h: number, left: number, p: Palette): number {
  const scale = counterScale(c);
  const place = yOn(scale, y, h);
  const words = tickWords(scale, c.bytes);
  g.textAlign = 'right';
  g.textBaseline = 'middle';
  let wide = 0;
  for (const k of named(scale, y, h)) {
    g.fillStyle = p.ruleStrong;
    g.fillRect(left - 4, Math.round(place(scale.ticks[k])), 3, 1);
    g.fillStyle = p.soft;
    g.fillText(words[k], left - 7, wordAt(scale, y, h)(scale.ticks[k]));
    wide = Math.max(wide, textWidth(g, words[k]));
  }
  return wide + 8;
}
