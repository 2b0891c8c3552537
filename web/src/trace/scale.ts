/** The x scale that minimap, ruler and rows share. */
import { frame, plot } from './state';

// Asking for innerWidth makes the browser lay out: once per change of size is enough.
const labels = { width: 0 };
function measureLabels(): void {
  labels.width = innerWidth >= 1800 ? 230 : innerWidth < 1280 ? 160 : 190;
}

export function labelWidth(): number {
  if (labels.width === 0) {
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
