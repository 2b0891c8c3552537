/** A canvas as a picture that stands alone: what it is and of which program, the step axis below it, what its colours mean. */
import { moduleName, runTitle } from '../app/pickers';
import { cssColor } from '../app/theme';
import { pageUnit } from '../util/format';
import { hatch } from '../charts/drawing';
import { summary } from './state';

interface Frame {
  /** Element of the page that says what colours and lines mean. */
  keys: string;
  /** Its x is program order: the step axis of the page belongs below it. */
  axis?: boolean;
  /** Its numbers are bytes in the unit of the page. */
  bytes?: boolean;
}

const FRAMES: [RegExp, Frame][] = [
  [/^memory in program order/, { keys: '.m-charts .m-legend', axis: true, bytes: true }],
  [/^addresses/, { keys: '.m-keys', axis: true, bytes: true }],
  [/^(areas|chosen buffers) in program order/, { keys: '.r-legend-list', axis: true, bytes: true }],
  [/^heap at a step/, { keys: '.r-types' }],
  [/^(treemap|memory spaces)/, { keys: '.r-key, .r-legend-list', bytes: true }],
  [/^comparison/, { keys: '.m-legend', bytes: true }],
  [/^(trace|flame)/, { keys: '.t-legend' }],
  [/^graph/, { keys: '.g-legend' }],
  [/./, { keys: '.m-keys', bytes: true }],
];

const LINE = 18;
const EDGE = 8;
const SWATCH = 12;

interface Key {
  marks: HTMLElement[];
  text: string;
}

/** The words of an element, its parts apart; of two for two widths the one that is on screen. */
function wordsOf(element: HTMLElement): string {
  const seen = element.getClientRects().length > 0;
  const parts = [...element.childNodes].filter((node) => !(node instanceof HTMLElement) || !seen || node.getClientRects().length > 0);
  return parts
    .map((node) => (node.textContent ?? '').replace(/\s+/g, ' ').trim())
    .filter(Boolean)
    .join(' ');
}

/** Marks with the words beside them, of what is on: a group that is unticked is not in the picture. */
function keysOf(selector: string): Key[] {
  const root = document.querySelector<HTMLElement>(selector);
  if (!root) return [];
  const out = new Map<HTMLElement, Key>();
  for (const mark of root.querySelectorAll('i')) {
    const parent = mark.parentElement as HTMLElement;
    if (parent.querySelector<HTMLInputElement>('input[type=checkbox]')?.checked === false) continue;
    const key = out.get(parent) ?? { marks: [], text: wordsOf(parent) };
    key.marks.push(mark);
    out.set(parent, key);
  }
  return [...out.values()].filter((key) => key.text);
}

/** The mark as its style says: filled, hatched, a line, a ring. */
function drawMark(g: CanvasRenderingContext2D, mark: HTMLElement, x: number, middle: number): void {
  const style = getComputedStyle(mark);
  const round = style.borderTopLeftRadius.endsWith('%') || Number.parseFloat(style.borderTopLeftRadius) >= 4;
  const line = Number.parseFloat(style.borderTopWidth) || 0;
  g.save();
  g.globalAlpha = Number(style.opacity) || 1;
  g.fillStyle = style.backgroundColor;
  if (round) {
    g.beginPath();
    g.arc(x + SWATCH / 2, middle, 3.5, 0, 7);
    g.fill();
    g.strokeStyle = style.borderTopColor;
    if (line) g.stroke();
  } else if (line && mark.getBoundingClientRect().height <= line + 1) {
    g.strokeStyle = style.borderTopColor;
    g.lineWidth = line;
    g.setLineDash(style.borderTopStyle === 'dashed' ? [4, 3] : style.borderTopStyle === 'dotted' ? [1.5, 2] : []);
    g.beginPath();
    g.moveTo(x, middle);
    g.lineTo(x + SWATCH, middle);
    g.stroke();
  } else {
    const high = Math.min(10, Math.max(1, mark.getBoundingClientRect().height || 10));
    g.fillRect(x + 1, middle - high / 2, 10, high);
    if (style.backgroundImage !== 'none') {
      hatch(g, x + 1, middle - 5, 10, 10, style.outlineColor, 4);
      g.strokeStyle = style.outlineColor;
      g.strokeRect(x + 1.5, middle - 4.5, 9, 9);
    }
  }
  g.restore();
}

/** Puts the keys in lines as wide as the picture; without `draw` it only says how many lines there are. */
function layKeys(g: CanvasRenderingContext2D, keys: Key[], width: number, y: number, draw: boolean): number {
  let x = EDGE;
  let line = 0;
  for (const key of keys) {
    const wide = key.marks.length * (SWATCH + 2) + g.measureText(key.text).width + 18;
    if (x > EDGE && x + wide > width) {
      x = EDGE;
      line++;
    }
    const middle = y + line * LINE + LINE / 2;
    if (draw) {
      for (const [i, mark] of key.marks.entries()) drawMark(g, mark, x + i * (SWATCH + 2), middle);
      g.fillStyle = cssColor('--fg');
      g.fillText(key.text, x + key.marks.length * (SWATCH + 2) + 2, middle + 1);
    }
    x += wide;
  }
  return keys.length ? line + 1 : 0;
}

/** Of which program, in the words of the header. */
function placeText(name: string, frame: Frame): string {
  const module = /^(trace|flame)/.test(name) ? '' : moduleName();
  const space = frame.bytes ? summary.peek()?.space.name : '';
  return [runTitle(), module, space, frame.bytes ? pageUnit.peek() : ''].filter(Boolean).join(' · ');
}

function titleLine(g: CanvasRenderingContext2D, name: string, place: string, font: string): void {
  g.fillStyle = cssColor('--fg');
  g.font = `600 12px ${font}`;
  g.fillText(name, EDGE, LINE / 2 + 3);
  const x = EDGE + g.measureText(name).width + 10;
  g.font = `11px ${font}`;
  g.fillStyle = cssColor('--fg-soft');
  g.fillText(place, x, LINE / 2 + 3);
}

/** The step axis on screen, where it has the x of this picture. */
function axisUnder(width: number): HTMLCanvasElement | null {
  const axis = document.querySelector<HTMLCanvasElement>('.m-axis-canvas');
  return axis && axis.width === width ? axis : null;
}

export function framed(name: string, canvas: HTMLCanvasElement): HTMLCanvasElement | null {
  const out = document.createElement('canvas');
  const g = out.getContext('2d');
  if (!g) return null;
  const frame = FRAMES.find(([of]) => of.test(name))?.[1] as Frame;
  const ratio = window.devicePixelRatio || 1;
  const font = getComputedStyle(document.body).fontFamily;
  const width = canvas.width / ratio;
  const axis = frame.axis ? axisUnder(canvas.width) : null;
  const keys = keysOf(frame.keys);
  const head = LINE + 6;
  g.font = `11px ${font}`;
  const lines = layKeys(g, keys, width, 0, false);
  const below = head + (canvas.height + (axis?.height ?? 0)) / ratio;
  out.width = canvas.width;
  out.height = Math.ceil((below + (lines ? lines * LINE + EDGE : 0)) * ratio);
  g.fillStyle = cssColor('--bg');
  g.fillRect(0, 0, out.width, out.height);
  g.drawImage(canvas, 0, head * ratio);
  if (axis) g.drawImage(axis, 0, head * ratio + canvas.height);
  g.scale(ratio, ratio);
  g.textBaseline = 'middle';
  titleLine(g, name, placeText(name, frame), font);
  layKeys(g, keys, width, below + 4, true);
  return out;
}
