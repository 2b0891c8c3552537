/** The x scale that minimap, ruler and rows share. */
import { frame, plot } from './state';

const WIDTH_KEY = 'xprofd.trace.labels';
const LEAST = 110;
// Asking for innerWidth makes the browser lay out: once per change of size is enough.
const labels = { width: 0, chosen: Number.NaN };

function stored(): number {
  try {
    return Number(localStorage.getItem(WIDTH_KEY) ?? Number.NaN);
  } catch {
    // storage may be blocked; the width is then the usual one
    return Number.NaN;
  }
}

function measureLabels(): void {
  const usual = innerWidth >= 1800 ? 230 : innerWidth < 1280 ? 160 : 190;
  labels.width = labels.chosen >= LEAST ? Math.min(labels.chosen, Math.floor(innerWidth / 2)) : usual;
}

/** The label column gets so many pixels, kept per browser; null: as many as usual. The plot has the rest. */
export function setLabelWidth(px: number | null): void {
  const before = labelWidth();
  labels.chosen = px === null ? Number.NaN : Math.max(LEAST, Math.round(px));
  measureLabels();
  plot.width = Math.max(1, plot.width + before - labels.width);
  try {
    if (px === null) localStorage.removeItem(WIDTH_KEY);
    else localStorage.setItem(WIDTH_KEY, String(labels.width));
  } catch {
    // as above: it lasts until the page is left
  }
}

/** Whether this is the edge between names and plot: there a drag makes the column wider. */
export function atLabelEdge(x: number): boolean {
  return Math.abs(x - labelWidth()) < 4;
}

export function labelWidth(): number {
  if (labels.width === 0) {
    labels.chosen = stored();
    measureLabels();
    addEventListener('resize', measureLabels);
  }
  return labels.width;
}

export function timeToX(time: number): number {
  return labelWidth() + ((time - frame.from) / (frame.to - frame.from)) * plot.width;
}

export function xToTime(x: number): number {
  return frame.from + ((x - labelWidth()) / plot.width) * (frame.to - frame.from);
}

export function pixelTime(): number {
  return (frame.to - frame.from) / plot.width;
}
