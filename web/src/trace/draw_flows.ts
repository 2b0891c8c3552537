/** Flows of the selected event, as curves from end to start. */
import { textWidth } from '../canvas/text';
import { boxPlace } from './hits';
import { arrows, type Flow, flows } from './flow_state';
import { palette } from './palette_now';
import { timeToX } from './scale';
import { flowsShown } from './state';
import { durationText } from './time';

/** Of the selection in the accent colour with their time, all others thin and grey below. */
export function drawFlows(g: CanvasRenderingContext2D, font: string): void {
  g.font = font;
  g.textBaseline = 'middle';
  const p = palette();
  g.strokeStyle = g.fillStyle = p.faint;
  g.lineWidth = 0.8;
  for (const flow of arrows.peek()) arrow(g, flow, false);
  g.strokeStyle = g.fillStyle = p.accent;
  g.lineWidth = 1.3;
  if (flowsShown.peek() !== 'off') for (const flow of flows.peek()) arrow(g, flow, true);
}

function arrow(g: CanvasRenderingContext2D, flow: Flow, told: boolean): void {
  const a = boxPlace(flow.from.row, flow.from.depth);
  const b = boxPlace(flow.to.row, flow.to.depth);
  if (!a || !b) return;
  const x0 = timeToX(flow.from.start_ps + flow.from.duration_ps);
  const x1 = timeToX(flow.to.start_ps);
  const y0 = a.y + a.h / 2;
  const y1 = b.y + b.h / 2;
  const bend = Math.max(14, Math.abs(x1 - x0) / 2);
  g.beginPath();
  g.moveTo(x0, y0);
  g.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1, y1);
  g.stroke();
  g.beginPath();
  g.arc(x0, y0, told ? 2.4 : 1.5, 0, Math.PI * 2);
  g.fill();
  g.beginPath();
  g.moveTo(x1, y1);
  g.lineTo(x1 - 6, y1 - 3);
  g.lineTo(x1 - 6, y1 + 3);
  g.fill();
  if (!told || (Math.abs(x1 - x0) <= 50 && Math.abs(y1 - y0) <= 40)) return;
  const text = durationText(flow.to.start_ps - flow.from.start_ps - flow.from.duration_ps);
  const [x, y, wide] = [(x0 + x1) / 2 + 18, (y0 + y1) / 2, textWidth(g, text) + 8];
  g.fillStyle = palette().bg;
  g.fillRect(x - wide / 2, y - 7, wide, 14);
  g.fillStyle = g.strokeStyle;
  g.textAlign = 'center';
  g.fillText(text, x, y + 0.5);
}
