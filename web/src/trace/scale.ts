/** The x scale that minimap, ruler and rows share. */
import { frame, plot } from './state';

export function labelWidth(): number {
  return innerWidth >= 1800 ? 230 : innerWidth < 1280 ? 160 : 190;
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
