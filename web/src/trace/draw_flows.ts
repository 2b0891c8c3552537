/** Flows of the selected event, as curves from end to start. */
import { boxPlace } from './draw_over';
import { flows } from './flow_state';
import { palette } from './palette_now';
import { timeToX } from './scale';
import { durationText } from './time';

export function drawFlows(g: CanvasRenderingContext2D, font: string): void {
  const list = flows.peek();
  if (!list.length) return;
  const p = palette();
  g.font = font;
  g.strokeStyle = g.fillStyle = p.accent;
  g.lineWidth = 1.3;
  g.textBaseline = 'middle';
  for (const flow of list) {
    const a = boxPlace(flow.from.row, flow.from.depth);
    const b = boxPlace(flow.to.row, flow.to.depth);
    if (!a || !b) continue;
    const x0 = timeToX(flow.from.start + flow.from.duration);
    const x1 = timeToX(flow.to.start);
    const y0 = a.y + a.h / 2;
    const y1 = b.y + b.h / 2;
    const bend = Math.max(14, Math.abs(x1 - x0) / 2);
    g.beginPath();
    g.moveTo(x0, y0);
    g.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1, y1);
    g.stroke();
    g.beginPath();
    g.arc(x0, y0, 2.4, 0, Math.PI * 2);
    g.fill();
    g.beginPath();
    g.moveTo(x1, y1);
    g.lineTo(x1 - 6, y1 - 3);
    g.lineTo(x1 - 6, y1 + 3);
    g.fill();
    const text = durationText(flow.to.start - flow.from.start - flow.from.duration);
    g.textAlign = 'center';
    if (Math.abs(x1 - x0) > 50 || Math.abs(y1 - y0) > 40) g.fillText(text, (x0 + x1) / 2 + 18, (y0 + y1) / 2);
  }
}
