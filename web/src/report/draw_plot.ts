/** Draws chosen buffers over program order: stacked by size, or as bands at their addresses. */
import { cssColor } from '../app/theme';
import { byteTicks } from '../canvas/axis';
import { fitText } from '../canvas/text';
import { stepToX } from '../canvas/view';
import { tickText } from '../memory/ticks';
import { byteAxis, chosenSteps, type Frame, hoverLine, yOf } from './draw_areas';
import { plotColour } from './plot_state';
import { addressRange, stackOf } from './plot_stack';
import type { Plot } from './types';

interface PlotInput extends Frame {
  plot: Plot;
  inHex: boolean;
}

function clipped(g: CanvasRenderingContext2D, i: PlotInput, work: () => void): void {
  g.save();
  g.beginPath();
  g.rect(i.scale.left, 0, i.scale.width, i.bottom);
  g.clip();
  work();
  hoverLine(g, i);
  g.restore();
  chosenSteps(g, i);
}

/** Highest sum of the chosen ones in the window, for the axis. */
export function topOf(plot: Plot, from: number, to: number): number {
  return stackOf(plot, from, to, 1).total[0];
}

export function drawBySize(g: CanvasRenderingContext2D, i: PlotInput): void {
  byteAxis(g, i);
  const { from, to } = i.scale.window;
  const columns = Math.max(1, Math.round(i.scale.width));
  const stack = stackOf(i.plot, from, to, columns);
  const x = (c: number) => stepToX(i.scale, from + ((to - from) * c) / columns);
  clipped(g, i, () => {
    const base = new Float64Array(columns);
    for (let k = 0; k < i.plot.rows.length; k++) {
      if (i.plot.rows[k].same_as !== null) continue;
      g.fillStyle = plotColour(k);
      g.beginPath();
      g.moveTo(x(0), yOf(i, base[0]));
      for (let c = 0; c < columns; c++) {
        const y = yOf(i, base[c] + stack.bytes[k][c]);
        g.lineTo(x(c), y);
        g.lineTo(x(c + 1), y);
      }
      for (let c = columns; c-- > 0; ) {
        const y = yOf(i, base[c]);
        g.lineTo(x(c + 1), y);
        g.lineTo(x(c), y);
      }
      g.fill();
      for (let c = 0; c < columns; c++) base[c] += stack.bytes[k][c];
    }
    g.strokeStyle = cssColor('--fg');
    g.lineWidth = 1.4;
    g.beginPath();
    for (let c = 0; c < columns; c++) {
      if (c === 0) g.moveTo(x(0), yOf(i, base[0]));
      else g.lineTo(x(c), yOf(i, base[c]));
      g.lineTo(x(c + 1), yOf(i, base[c]));
    }
    g.stroke();
  });
}

/** One band a piece, from its first to its last address; low addresses are below, as in the Viewer's map. */
export function drawByAddress(g: CanvasRenderingContext2D, i: PlotInput): void {
  const range = addressRange(i.plot);
  if (!range) return;
  const span = (range.high - range.low) * 1.04;
  const low = Math.max(0, range.low - (span - (range.high - range.low)) / 2);
  const y = (address: number) => i.bottom - ((address - low) / span) * (i.bottom - i.top);
  g.font = i.font;
  g.textBaseline = 'middle';
  g.textAlign = 'right';
  for (const tick of byteTicks(span, Math.max(2, Math.floor((i.bottom - i.top) / 34)))) {
    const unit = byteTicks(span, Math.max(2, Math.floor((i.bottom - i.top) / 34)))[1] ?? 1;
    const address = Math.ceil(low / unit) * unit + tick;
    if (address > low + span) continue;
    const at = Math.round(y(address)) + 0.5;
    g.strokeStyle = cssColor('--rule');
    g.beginPath();
    g.moveTo(i.scale.left, at);
    g.lineTo(i.scale.left + i.scale.width, at);
    g.stroke();
    g.fillStyle = cssColor('--fg-soft');
    g.fillText(i.inHex ? `0x${address.toString(16)}` : tickText(address), i.scale.left - 8, at);
  }
  clipped(g, i, () => {
    const { pieces, rows } = i.plot;
    for (let p = 0; p < pieces.n; p++) {
      const offset = pieces.offset_bytes[p];
      if (offset === null) continue;
      const left = stepToX(i.scale, pieces.from_step[p]);
      const width = Math.max(1, stepToX(i.scale, pieces.to_step[p]) - left);
      const top = y(offset + pieces.size_bytes[p]);
      const height = Math.max(1, y(offset) - top);
      g.fillStyle = plotColour(pieces.of[p]);
      g.fillRect(left, top, width, height);
      if (width < 40 || height < 12) continue;
      g.fillStyle = cssColor('--on-fill');
      g.textAlign = 'left';
      const text = fitText(g, [`${rows[pieces.of[p]].name} ${rows[pieces.of[p]].shape}`, rows[pieces.of[p]].name], width - 10);
      const inside = Math.max(left, i.scale.left);
      if (text) g.fillText(text, inside + 5, top + height / 2);
    }
  });
}

/** The chosen one under a pixel of the drawing by address, or null. */
export function hitByAddress(plot: Plot, i: Pick<PlotInput, 'top' | 'bottom'>, step: number, yPixel: number): number | null {
  const range = addressRange(plot);
  if (!range) return null;
  const span = (range.high - range.low) * 1.04;
  const low = Math.max(0, range.low - (span - (range.high - range.low)) / 2);
  const address = low + ((i.bottom - yPixel) / (i.bottom - i.top)) * span;
  const { pieces } = plot;
  for (let p = pieces.n; p-- > 0; ) {
    const offset = pieces.offset_bytes[p];
    if (offset !== null && pieces.from_step[p] <= step && step < pieces.to_step[p] && offset <= address && address < offset + pieces.size_bytes[p])
      return pieces.of[p];
  }
  return null;
}
