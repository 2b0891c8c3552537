/** Colours of the picture: one per op group and the wheel behind them, as tint, left edge and strong, for canvas and for pixels. */
import { cssColor } from '../app/theme';
import { GROUP_WORDS } from '../charts/colours';
import { WHEEL } from './colour_by';
import { GROUPS, isGroup } from './groups';
import type { Paint } from './strip';

export const WORDS: Record<string, string> = { ...GROUP_WORDS, none: 'program', thread: 'program, host' };

export function variableOfGroup(group: string): string {
  return group === 'thread' ? '--o-none' : isGroup(group) ? `--o-${group}` : '--o-none';
}

export type Rgb = [number, number, number];

export function parseColour(text: string): Rgb {
  const hex = /^#([0-9a-f]{6})$/i.exec(text);
  if (hex) return [0, 2, 4].map((k) => Number.parseInt(hex[1].slice(k, k + 2), 16)) as Rgb;
  const parts = /^rgba?\(\s*([\d.]+)[\s,]+([\d.]+)[\s,]+([\d.]+)/.exec(text);
  return parts ? [Number(parts[1]), Number(parts[2]), Number(parts[3])] : [128, 128, 128];
}

export function mix(a: Rgb, b: Rgb, share: number): Rgb {
  return [0, 1, 2].map((k) => Math.round(a[k] + (b[k] - a[k]) * share)) as Rgb;
}

export const css = ([r, g, b]: Rgb) => `rgb(${r} ${g} ${b})`;
/** The pixel as an ImageData holds it, on little-endian machines (all that run a browser). */
export const word = ([r, g, b]: Rgb) => ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;

/** Hue k of the wheel, all of one lightness and chroma: OKLCH to sRGB as in CSS Color 4. */
export function wheelColour(k: number, dark: boolean): Rgb {
  const light = dark ? 0.72 : 0.62;
  const angle = (2 * Math.PI * (k + 0.5)) / WHEEL;
  const a = 0.13 * Math.cos(angle);
  const b = 0.13 * Math.sin(angle);
  const l = (light + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (light - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (light - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const linear = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  return linear.map((v) => {
    const cut = Math.min(1, Math.max(0, v));
    return Math.round(255 * (cut <= 0.0031308 ? 12.92 * cut : 1.055 * cut ** (1 / 2.4) - 0.055));
  }) as Rgb;
}

export interface Palette {
  paint: Paint;
  fill: string[];
  strong: string[];
  bg: string;
  sunk: string;
  fg: string;
  soft: string;
  faint: string;
  rule: string;
  ruleStrong: string;
  accent: string;
  accentSoft: string;
  hit: string;
  mark: string;
  warn: string;
}

export function makePalette(): Palette {
  const bg = parseColour(cssColor('--bg'));
  const dark = bg[0] + bg[1] + bg[2] < 384;
  const wheel = Array.from({ length: WHEEL }, (_, k) => wheelColour(k, dark));
  const colours = [...GROUPS.map((g) => parseColour(cssColor(variableOfGroup(g)))), ...wheel];
  const fill = colours.map((c) => mix(bg, c, dark ? 0.4 : 0.5));
  const strong = colours.map((c) => mix(bg, c, dark ? 0.72 : 0.8));
  const edge = colours.map((c) => mix(bg, c, dark ? 0.8 : 0.95));
  const words = (list: Rgb[]) => Uint32Array.from(list, word);
  return {
    paint: { fill: words(fill), strong: words(strong), edge: words(edge), hit: word(parseColour(cssColor('--hit'))) },
    fill: fill.map(css),
    strong: strong.map(css),
    bg: cssColor('--bg'),
    sunk: cssColor('--bg-sunk'),
    fg: cssColor('--fg'),
    soft: cssColor('--fg-soft'),
    faint: cssColor('--fg-faint'),
    rule: cssColor('--rule'),
    ruleStrong: cssColor('--rule-strong'),
    accent: cssColor('--accent'),
    accentSoft: cssColor('--accent-soft'),
    hit: cssColor('--hit'),
    mark: cssColor('--mark'),
    warn: cssColor('--warn'),
  };
}

/** Slanted lines and dots as patterns, by colour; made once per theme and pixel ratio. */
const patterns = new Map<string, CanvasPattern | null>();
export function forgetPatterns(): void {
  patterns.clear();
}
export function pattern(g: CanvasRenderingContext2D, kind: 'hatch' | 'dots', back: string, front: string, ratio: number): CanvasPattern | string {
  const key = `${kind} ${back} ${front} ${ratio}`;
  let found = patterns.get(key);
  if (found === undefined) {
    const size = Math.round((kind === 'hatch' ? 6 : 4) * ratio);
    const tile = document.createElement('canvas');
    tile.width = tile.height = size;
    const t = tile.getContext('2d');
    if (!t) return back;
    t.fillStyle = back;
    t.fillRect(0, 0, size, size);
    t.strokeStyle = t.fillStyle = front;
    t.lineWidth = 1.1 * ratio;
    t.beginPath();
    if (kind === 'hatch') {
      for (const at of [-size, 0, size]) {
        t.moveTo(at, size);
        t.lineTo(at + size, 0);
      }
      t.stroke();
    } else t.fillRect(size / 4, size / 4, Math.max(1, ratio), Math.max(1, ratio));
    found = g.createPattern(tile, 'repeat');
    patterns.set(key, found);
  }
  return found ?? back;
}
