/** Draws a scene of the roofline. Colours are those of the page; nothing is computed here. */
import { cssColor } from '../app/theme';
import { decimal } from '../explain/numbers';
import { densityCells } from './dense';
import type { Box } from './labels';
import { logTicks, type Plane, toX, toY } from './plane';
import { boxOf, type DrawnRoof, type Lens, notePlace, type PlacedDot, ridgeText, type Scene, slopeMiddle } from './scene';

export interface Selected {
  k: number;
  /** FLOP/s of its roof; null: it has none. */
  roof: number | null;
  text: string;
}

interface Look {
  font: string;
  mono: string;
  selected: Selected | null;
}

type G = CanvasRenderingContext2D;

export const tickText = (value: number): string =>
  decimal(value)
    .join('')
    .replace(/(\.\d*?)0+(?=[A-Zk]|$)/, '$1')
    .replace(/\.(?=[A-Zk]|$)/, '');
/** 0.1, 10, 1,000. */
export const plainText = (value: number): string => (value >= 1000 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toPrecision(3))));

function clip(g: G, box: Box, work: () => void): void {
  g.save();
  g.beginPath();
  g.rect(box.left, box.top, box.right - box.left, box.bottom - box.top);
  g.clip();
  work();
  g.restore();
}

function lineTo(g: G, x0: number, y0: number, x1: number, y1: number): void {
  g.beginPath();
  g.moveTo(x0, y0);
  g.lineTo(x1, y1);
  g.stroke();
}

/** Text that stays legible on lines: the ground shines around it. */
function words(g: G, text: string, x: number, y: number, colour: string): void {
  g.lineWidth = 3;
  g.strokeStyle = cssColor('--bg');
  g.strokeText(text, x, y);
  g.fillStyle = colour;
  g.fillText(text, x, y);
}

function axes(g: G, p: Plane, look: Look): void {
  g.font = `11px ${look.font}`;
  g.strokeStyle = cssColor('--rule');
  g.lineWidth = 1;
  g.fillStyle = cssColor('--fg-soft');
  g.textAlign = 'center';
  g.textBaseline = 'top';
  for (const value of logTicks(p.x0, p.x1, p.width / 60)) {
    const x = Math.round(toX(p, value)) + 0.5;
    lineTo(g, x, p.top, x, p.top + p.height);
    g.fillText(plainText(value), x, p.top + p.height + 6);
  }
  g.textAlign = 'right';
  g.textBaseline = 'middle';
  for (const value of logTicks(p.y0, p.y1, p.height / 34)) {
    const y = Math.round(toY(p, value)) + 0.5;
    lineTo(g, p.left, y, p.left + p.width, y);
    g.fillText(tickText(value), p.left - 6, y);
  }
}

function axisTitles(g: G, p: Plane, look: Look, title: string): void {
  g.font = `11px ${look.font}`;
  g.fillStyle = cssColor('--fg-soft');
  g.textAlign = 'right';
  g.textBaseline = 'top';
  g.fillText(title, p.left + p.width, p.top + p.height + 21);
  g.textBaseline = 'bottom';
  g.fillText('FLOP/s', p.left - 6, p.top - 3);
}

function roofLine(g: G, roof: DrawnRoof): void {
  g.strokeStyle = cssColor(roof.colour);
  g.lineWidth = roof.main ? 1.8 : 1.2;
  g.setLineDash(roof.used ? [] : [5, 4]);
  lineTo(g, roof.line.x0, roof.line.y0, roof.line.x1, roof.line.y1);
  g.setLineDash([]);
}

/** Named along its slope; a level above its right end. */
function roofName(g: G, roof: DrawnRoof, look: Look, k: number): void {
  const { x0, y0, x1, y1 } = roof.line;
  g.font = `${roof.main ? 600 : 400} 11px ${look.font}`;
  g.save();
  if (roof.unit) {
    g.textAlign = 'right';
    g.textBaseline = 'bottom';
    words(g, roof.text, x1 - 6, y0 - 3, cssColor(roof.main ? '--fg' : '--fg-soft'));
  } else {
    const middle = slopeMiddle(roof.line, k, g.measureText(roof.text).width);
    g.translate(x0 + (x1 - x0) * middle, y0 + (y1 - y0) * middle);
    g.rotate(Math.atan2(y1 - y0, x1 - x0));
    g.textAlign = 'center';
    g.textBaseline = 'bottom';
    words(g, roof.text, 0, -4, cssColor(roof.colour));
  }
  g.restore();
}

function ridges(g: G, p: Plane, roofs: readonly DrawnRoof[], look: Look): void {
  const bottom = p.top + p.height;
  let row = 0;
  for (const roof of roofs) {
    if (!roof.ridge) continue;
    const { x, y, value } = roof.ridge;
    const colour = cssColor(roof.colour);
    g.strokeStyle = colour;
    g.lineWidth = 1;
    g.setLineDash([1.5, 2.5]);
    lineTo(g, x, y, x, bottom);
    g.setLineDash([]);
    g.beginPath();
    g.arc(x, y, 3, 0, 7);
    g.fillStyle = cssColor('--bg');
    g.fill();
    g.lineWidth = 1.4;
    g.stroke();
    g.font = `11px ${look.font}`;
    g.textAlign = x > p.left + p.width - 80 ? 'right' : 'left';
    g.textBaseline = 'bottom';
    words(g, `ridge ${ridgeText(value)}`, x + (g.textAlign === 'right' ? -5 : 5), bottom - 4 - row * 15, colour);
    row++;
  }
}

function dot(g: G, { x, y, r, point }: PlacedDot): void {
  const colour = cssColor(point.beyond ? '--bad' : point.colour);
  g.beginPath();
  g.arc(x, y, r, 0, 7);
  g.globalAlpha = 0.38;
  g.fillStyle = colour;
  g.fill();
  g.globalAlpha = 1;
  g.lineWidth = point.beyond ? 2 : 1;
  g.strokeStyle = colour;
  g.stroke();
}

/** Largest first, so that none hides a smaller one. */
function dots(g: G, all: readonly PlacedDot[], look: Look): void {
  for (const one of all) dot(g, one);
  const chosen = look.selected && all.find(({ point }) => point.k === look.selected?.k);
  if (!chosen) return;
  g.strokeStyle = cssColor('--accent');
  g.lineWidth = 2;
  g.beginPath();
  g.arc(chosen.x, chosen.y, chosen.r + 3, 0, 7);
  g.stroke();
}

function names(g: G, all: readonly PlacedDot[], labels: readonly (Box | null)[], look: Look): void {
  g.font = `11px ${look.mono}`;
  g.textAlign = 'left';
  g.textBaseline = 'middle';
  for (const [k, box] of labels.entries())
    if (box) words(g, all[k].point.name, box.left, (box.top + box.bottom) / 2 + 1, cssColor(all[k].point.k === look.selected?.k ? '--accent' : '--fg'));
}

/** A line up to the roof of the chosen operation, and how far it is. */
function toRoof(g: G, scene: Scene, look: Look): void {
  const chosen = look.selected && scene.dots.find(({ point }) => point.k === look.selected?.k);
  if (!chosen || !look.selected?.roof) return;
  const y = toY(scene.plane, look.selected.roof);
  g.strokeStyle = cssColor('--accent');
  g.lineWidth = 1.5;
  g.setLineDash([2, 2]);
  lineTo(g, chosen.x, chosen.y, chosen.x, y);
  g.setLineDash([]);
  g.beginPath();
  g.arc(chosen.x, y, 3.5, 0, 7);
  g.fillStyle = cssColor('--accent');
  g.fill();
  g.font = `600 11px ${look.font}`;
  g.textAlign = 'left';
  g.textBaseline = 'middle';
  const box = notePlace(scene, chosen, y, g.measureText(look.selected.text).width);
  words(g, look.selected.text, box.left, (box.top + box.bottom) / 2, cssColor('--accent'));
}

function diamonds(g: G, scene: Scene, look: Look): void {
  g.font = `600 11px ${look.font}`;
  g.textBaseline = 'middle';
  for (const { px, py, text, box } of scene.diamonds) {
    g.beginPath();
    g.moveTo(px, py - 6);
    g.lineTo(px + 6, py);
    g.lineTo(px, py + 6);
    g.lineTo(px - 6, py);
    g.closePath();
    g.fillStyle = cssColor('--fg');
    g.fill();
    g.textAlign = 'left';
    if (box) words(g, text, box.left, (box.top + box.bottom) / 2 + 1, cssColor('--fg'));
  }
}

const TURN = { left: Math.PI, right: 0, above: -Math.PI / 2, below: Math.PI / 2 };

/** What lies beyond an edge: a triangle on it that points there. */
function triangles(g: G, scene: Scene): void {
  for (const { x, y, side, point } of scene.off) {
    g.save();
    g.translate(x, y);
    g.rotate(TURN[side]);
    g.beginPath();
    g.moveTo(0, 0);
    g.lineTo(-6, 4);
    g.lineTo(-6, -4);
    g.closePath();
    g.fillStyle = cssColor(point.colour);
    g.fill();
    g.restore();
  }
}

function density(g: G, all: readonly PlacedDot[]): void {
  const cells = densityCells(all);
  const most = cells.reduce((top, { count }) => Math.max(top, count), 1);
  g.fillStyle = cssColor('--fg-faint');
  for (const { x, y, size, count } of cells) {
    g.globalAlpha = 0.15 + 0.6 * Math.sqrt(count / most);
    g.fillRect(x, y, size, size);
  }
  g.globalAlpha = 1;
}

function lensPart(g: G, lens: Lens, scene: Scene, look: Look): void {
  const { box, source, plane } = lens;
  g.strokeStyle = cssColor('--fg-soft');
  g.lineWidth = 1;
  g.strokeRect(source.left + 0.5, source.top + 0.5, source.right - source.left, source.bottom - source.top);
  g.setLineDash([2, 3]);
  const below = box.top > source.bottom;
  lineTo(g, source.left, below ? source.bottom : source.top, box.left, below ? box.top : box.bottom);
  lineTo(g, source.right, below ? source.bottom : source.top, box.right, below ? box.top : box.bottom);
  g.setLineDash([]);
  g.fillStyle = cssColor('--bg');
  g.fillRect(box.left, box.top, box.right - box.left, box.bottom - box.top);
  g.strokeRect(box.left + 0.5, box.top + 0.5, box.right - box.left, box.bottom - box.top);
  g.font = `600 11px ${look.font}`;
  g.textAlign = 'left';
  g.textBaseline = 'middle';
  g.fillStyle = cssColor('--fg');
  g.fillText(`lens: ${lens.dots.length} operations close together`, box.left + 8, box.top + 11);
  clip(g, boxOf(plane), () => {
    g.font = `11px ${look.font}`;
    g.textAlign = 'right';
    g.strokeStyle = cssColor('--rule');
    for (const value of logTicks(plane.y0, plane.y1, plane.height / 50)) {
      const y = Math.round(toY(plane, value)) + 0.5;
      lineTo(g, plane.left, y, plane.left + plane.width, y);
      words(g, tickText(value), plane.left + plane.width - 4, y, cssColor('--fg-soft'));
    }
    for (const { unit, per_s, colour, used } of scene.roofs) {
      g.strokeStyle = cssColor(colour);
      g.lineWidth = 1.2;
      g.setLineDash(used ? [] : [5, 4]);
      if (unit) lineTo(g, plane.left, toY(plane, per_s), plane.left + plane.width, toY(plane, per_s));
      else lineTo(g, plane.left, toY(plane, 10 ** plane.x0 * per_s), plane.left + plane.width, toY(plane, 10 ** plane.x1 * per_s));
      g.setLineDash([]);
    }
    dots(g, lens.dots, look);
    names(g, lens.dots, lens.labels, look);
  });
  g.strokeStyle = cssColor('--fg-soft');
  g.lineWidth = 1.4;
  lineTo(g, box.right - 9, box.bottom - 3, box.right - 3, box.bottom - 9);
  lineTo(g, box.right - 5, box.bottom - 3, box.right - 3, box.bottom - 5);
}

export function drawScene(g: G, scene: Scene, look: Look, title: string): void {
  const { plane: p } = scene;
  axes(g, p, look);
  axisTitles(g, p, look, title);
  clip(g, boxOf(p), () => {
    if (scene.density.length) density(g, scene.density);
    ridges(g, p, scene.roofs, look);
    for (const roof of scene.roofs) roofLine(g, roof);
    for (const [k, roof] of scene.roofs.filter(({ unit }) => !unit).entries()) roofName(g, roof, look, k);
    dots(g, scene.dots, look);
    toRoof(g, scene, look);
    diamonds(g, scene, look);
    triangles(g, scene);
    for (const roof of scene.roofs) if (roof.unit) roofName(g, roof, look, 0);
    names(g, scene.dots, scene.labels, look);
  });
  if (scene.lens) lensPart(g, scene.lens, scene, look);
}
