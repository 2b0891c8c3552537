/** The curve of the changed program over that of now: what is saved in green, the next peaks numbered. */
import { effect } from '@preact/signals';
import { cssColor } from '../app/theme';
import { stepToX } from '../canvas/view';
import { formatBytes } from '../util/format';
import { type ChartInput, yOf } from '../memory/draw_chart';
import { overlay } from '../memory/what_if_state';
import { plan, tickedRows } from './state';
import type { Plan } from './types';
import { lastAtOrBelow } from '../util/bisect';

/** Column of the new curve that holds a step. */
const columnOf = (first: number[], step: number) => Math.max(0, lastAtOrBelow(first, step));

function saved(g: CanvasRenderingContext2D, i: ChartInput, p: Plan): void {
  const { curve } = i;
  const next = p.curve;
  if (!next) return;
  for (let k = 0; k < curve.n; k++) {
    const from = curve.step[k] ?? 0;
    const x = Math.round(stepToX(i.scale, from));
    const end = Math.round(stepToX(i.scale, from + (curve.count[k] ?? 1)));
    const now = yOf(i, (curve.max_bytes[k] ?? 0) + curve.resident_bytes);
    const then = yOf(i, next.max_bytes[columnOf(next.first_step, from)] ?? 0);
    g.fillStyle = cssColor(then >= now ? '--shrink-soft' : '--grow-soft');
    g.fillRect(x, Math.min(now, then), Math.max(1, end - x), Math.abs(then - now));
  }
}

function line(g: CanvasRenderingContext2D, i: ChartInput, p: Plan): void {
  const next = p.curve;
  if (!next) return;
  const end = Math.max(i.scale.window.to, 1);
  g.beginPath();
  for (let k = 0; k < next.n; k++) {
    const y = yOf(i, next.max_bytes[k]);
    const x = stepToX(i.scale, next.first_step[k]);
    if (k === 0) g.moveTo(x, y);
    else g.lineTo(x, y);
    g.lineTo(stepToX(i.scale, k + 1 < next.n ? next.first_step[k + 1] : end), y);
  }
  g.strokeStyle = cssColor('--fg');
  g.lineWidth = 1.8;
  g.stroke();
}

/** Labels nearer than this lie on one another. */
const LABEL_PX = 16;

/** Peaks whose numbers have room: the highest first; one that would lie on a higher one's is left to the list. Pure. */
export function roomyPeaks<T extends { x: number; y: number }>(peaks: readonly T[]): T[] {
  const out: T[] = [];
  for (const peak of peaks) if (!out.some((other) => Math.abs(other.x - peak.x) < LABEL_PX && Math.abs(other.y - peak.y) < LABEL_PX)) out.push(peak);
  return out;
}

function newPeak(g: CanvasRenderingContext2D, i: ChartInput, bytes: number, x: number, y: number): void {
  g.fillStyle = cssColor('--peak');
  g.beginPath();
  g.arc(x, y, 3.5, 0, Math.PI * 2);
  g.fill();
  g.font = `600 ${i.font}`;
  const right = x - i.scale.left > 150;
  g.textAlign = right ? 'right' : 'left';
  const text = `new peak ${formatBytes(bytes, { withUnit: false })}`;
  g.lineWidth = 4;
  g.strokeStyle = cssColor('--bg');
  const tx = right ? x - 8 : x + 8;
  // the old peak's words are at its height: then these stand below their dot
  const ty = Math.abs(y - 10 - yOf(i, i.peakBytes)) < LABEL_PX ? y + 12 : y - 10;
  g.strokeText(text, tx, ty);
  g.fillText(text, tx, ty);
}

function numbers(g: CanvasRenderingContext2D, i: ChartInput, p: Plan): void {
  const { from, to } = i.scale.window;
  g.textBaseline = 'middle';
  const inView = p.peaks
    .slice(0, 9)
    .map((peak, at) => ({ at, step: peak.step, bytes: peak.new_bytes, x: stepToX(i.scale, peak.step + 0.5), y: yOf(i, peak.new_bytes) }))
    .filter((peak) => peak.step >= from && peak.step < to);
  // The first is drawn last: its words lie over the numbers of the others.
  for (const { at, bytes, x, y } of roomyPeaks(inView).reverse()) {
    if (at === 0) {
      newPeak(g, i, bytes, x, y);
      continue;
    }
    g.beginPath();
    g.arc(x, y - 11, 7.5, 0, Math.PI * 2);
    g.fillStyle = cssColor('--bg');
    g.fill();
    g.strokeStyle = cssColor('--fg');
    g.lineWidth = 1;
    g.stroke();
    g.fillStyle = cssColor('--fg');
    g.font = i.font;
    g.textAlign = 'center';
    g.fillText(String(at + 1), x, y - 10.5);
  }
}

export function startOverlay(): () => void {
  const stop = effect(() => {
    const p = plan.value;
    overlay.value =
      p?.curve && tickedRows.value.length > 0
        ? (g, i) => {
            g.save();
            g.beginPath();
            g.rect(i.scale.left, i.top - 14, i.scale.width, i.bottom - i.top + 14);
            g.clip();
            saved(g, i, p);
            line(g, i, p);
            numbers(g, i, p);
            g.restore();
          }
        : null;
  });
  return () => {
    stop();
    overlay.value = null;
  };
}
