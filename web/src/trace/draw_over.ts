/** Above the rows: edges of the range, marks, the pointer's line, the hovered and the selected boxes. */
import { textWidth } from '../canvas/text';
import { hovers, pointer } from './gestures';
import { placeAt, boxPlace } from './hits';
import { depthAt } from './layout';
import { palette } from './palette_now';
import { labelWidth, timeToX } from './scale';
import { drawCollective } from './draw_collective';
import { drawFlows } from './draw_flows';
import { place, rowIndex, rows, selected } from './state';
import { cutName, eventName } from './label_text';

function vertical(g: CanvasRenderingContext2D, x: number, height: number, colour: string, dash: number[]): void {
  if (x < labelWidth()) return;
  g.strokeStyle = colour;
  g.setLineDash(dash);
  g.lineWidth = 1;
  g.beginPath();
  g.moveTo(Math.round(x) + 0.5, 0);
  g.lineTo(Math.round(x) + 0.5, height);
  g.stroke();
  g.setLineDash([]);
}

function drawSelected(g: CanvasRenderingContext2D, width: number, font: string): void {
  const s = selected.peek();
  if (!s || !rowIndex.peek().has(s.row)) return;
  const p = palette();
  const box = boxPlace(s.row, s.depth);
  if (!box) return;
  const left = labelWidth();
  const x0 = timeToX(s.start_ps);
  const x1 = Math.max(timeToX(s.start_ps + s.duration_ps), x0 + 3);
  if (x1 < left || x0 > width) return;
  g.strokeStyle = p.accent;
  g.lineWidth = 2;
  const from = Math.max(left - 4, x0);
  g.strokeRect(from, box.y, Math.min(width + 4, x1) - from, box.h);
  const aside = asideOf(g, width, font);
  if (!aside) return;
  g.textBaseline = 'middle';
  g.fillStyle = p.bg;
  g.fillRect(aside.x0, box.y, aside.x1 - aside.x0, box.h);
  g.fillStyle = p.accent;
  g.textAlign = 'left';
  g.fillText(aside.text, aside.x0 + 4, box.y + box.h / 2 + 0.5);
}

/** A place picked on a track: its height in the colour of what is selected. */
function drawPlace(g: CanvasRenderingContext2D): void {
  const at = place.peek();
  const where = at && boxPlace(at.row, 0);
  if (!at || !where) return;
  g.fillStyle = palette().accent;
  g.fillRect(Math.round(timeToX(at.time)) - 1, where.y - 1, 2, where.item.h - 3);
}

/** Of a box this wide the name is cut to fit rather than written beside it, where another box may be. */
const ROOM_INSIDE = 72;

/** Where the name of the selected event stands when its box is too narrow for it: cut, inside, or whole beside the box. */
export function asideOf(g: CanvasRenderingContext2D, width: number, font: string): { row: number; depth: number; x0: number; x1: number; text: string } | null {
  const s = selected.peek();
  if (!s) return null;
  const left = labelWidth();
  const x0 = timeToX(s.start_ps);
  const x1 = Math.max(timeToX(s.start_ps + s.duration_ps), x0 + 3);
  if (x1 < left || x0 > width) return null;
  g.font = font;
  const text = eventName(s.caption, s.event);
  const wide = textWidth(g, text) + 9;
  const [row, depth] = [s.row, s.depth];
  const from = Math.max(x0, left);
  const room = Math.min(x1, width) - from;
  // Where the clocks part, the end of the box is dotted: no name stands there but this.
  const dots = s.device_duration_ps !== null && s.duration_ps - s.device_duration_ps >= 1e9;
  if ((dots ? Math.min(room, timeToX(s.start_ps + (s.device_duration_ps ?? 0)) - from) : room) >= wide) return null;
  if (room >= ROOM_INSIDE) {
    const cut = cutName(text, Math.floor(((room - 12) * text.length) / (wide - 9)));
    return { row, depth, x0: from + 1, x1: from + 1 + Math.min(room - 2, textWidth(g, cut) + 9), text: cut };
  }
  if (x1 + wide + 4 < width) return { row, depth, x0: x1 + 2, x1: x1 + 2 + wide, text };
  return x0 - wide - 2 < left ? null : { row, depth, x0: x0 - wide - 2, x1: x0 - 2, text };
}

function drawHover(g: CanvasRenderingContext2D, height: number, font: string): void {
  if (!hovers()) return;
  const p = palette();
  const under = placeAt(pointer.x, pointer.y);
  if (under.label) {
    if (under.item?.kind === 'row') buttons(g, under.y, font);
    return;
  }
  vertical(g, pointer.x, height, p.faint, []);
  const { hit, item } = under;
  if (!hit || !item) return;
  const x0 = Math.max(labelWidth(), timeToX(hit.lane.start[hit.index]));
  const x1 = Math.max(timeToX(hit.lane.end[hit.index]), x0 + 1);
  g.strokeStyle = p.fg;
  g.lineWidth = 1;
  const folded = item.kind === 'process';
  const lane = depthAt(item, under.depth, under.y);
  g.strokeRect(Math.round(x0) + 0.5, (folded ? under.y + 3 : lane.y) + 0.5, Math.max(1, Math.round(x1 - x0) - 1), folded ? 14 : lane.h - 1);
}

/** Lower, higher, pin and hide in the label column; labelClick has the same places. */
function buttons(g: CanvasRenderingContext2D, y: number, font: string): void {
  const p = palette();
  const left = labelWidth();
  g.font = font;
  g.textBaseline = 'middle';
  g.textAlign = 'center';
  g.fillStyle = p.sunk;
  g.fillRect(left - 102, y + 1, 100, 16);
  g.fillStyle = p.accent;
  g.fillText('\u2212', left - 92, y + 9);
  g.fillText('+', left - 75, y + 9);
  g.fillText('pin', left - 50, y + 9);
  g.fillText('hide', left - 18, y + 9);
}

export function drawOver(g: CanvasRenderingContext2D, width: number, height: number, font: string): void {
  if (!rows.peek()) return;
  g.save();
  g.beginPath();
  g.rect(labelWidth(), 0, width, height);
  g.clip();
  drawCollective(g, width, font);
  drawFlows(g, font);
  drawSelected(g, width, font);
  drawPlace(g);
  g.restore();
  drawHover(g, height, font);
}
