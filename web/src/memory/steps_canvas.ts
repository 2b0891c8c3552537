/** A canvas over the steps of the window, as chart and address map are: drawn anew when what it shows changes, with the
 *  mouse and the crosshair that all of them share. */
import { effect } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { registerPicture } from '../app/exports';
import { cssColor, themeVersion } from '../app/theme';
import { Surface } from '../canvas/surface';
import { type Scale, stepToX } from '../canvas/view';
import { pageUnit } from '../util/format';
import { attachGestures } from './gestures';
import { scaleOf } from './layout';
import { axisNow, hoverStep, inspected, plot, setWindow, windowNow } from './state';
import { together } from '../util/listen';

interface StepsDrawing {
  /** Name under which it can be saved. */
  picture: string;
  draw: (g: CanvasRenderingContext2D, width: number, height: number, scale: Scale) => void;
  resized: (width: number, height: number) => void;
  /** Reads the signals that the drawing depends on, besides window, axis, pointer, theme and unit. */
  watch: () => void;
  click: (event: MouseEvent, step: number) => void;
  /** No event: the pointer left. */
  hover: (event: MouseEvent | null, step: number) => void;
}

/** The canvas to give the reference to; `make` is called once, when it is there. */
export function useStepsCanvas(make: () => StepsDrawing): RefObject<HTMLCanvasElement | null> {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    if (!canvas.current) return;
    const { picture, draw, resized, watch, click, hover } = make();
    const surface: Surface = new Surface(canvas.current, (g, width, height) => draw(g, width, height, scaleOf(width, windowNow.peek())), resized);
    return together([
      effect(() => {
        watch();
        void [windowNow.value, axisNow.value, hoverStep.value, themeVersion.value, pageUnit.value];
        surface.dirty();
      }),
      attachGestures(canvas.current, { scale: () => scaleOf(surface.width, windowNow.peek()), click, doubleClick: zoomIn, hover }),
      registerPicture(picture, () => surface.canvas),
      () => surface.close(),
    ]);
  }, []);
  return canvas;
}

/** A quarter of the window, around a step. */
function zoomIn(step: number): void {
  const w = windowNow.peek();
  const span = (w.to - w.from) / 4;
  setWindow({ from: step - span / 2, to: step + span / 2 });
}

/** The charts are as wide as each other: one of them says how wide their columns may be. */
export function setPlotWidth(width: number): void {
  plot.value = { ...plot.peek(), width: scaleOf(width, windowNow.peek()).width };
}

/** The pointer is over a step. */
export function hoverAt(event: MouseEvent | null, step: number): void {
  hoverStep.value = event ? { step, x: event.clientX, y: event.clientY } : null;
}

/** Lines through the inspected step and through that under the pointer. */
export function crosshair(g: CanvasRenderingContext2D, scale: Scale, height: number): void {
  const line = (step: number, colour: string, dash: number[]) => {
    const x = Math.round(stepToX(scale, step + 0.5)) + 0.5;
    g.strokeStyle = cssColor(colour);
    g.setLineDash(dash);
    g.lineWidth = 1;
    g.beginPath();
    g.moveTo(x, 0);
    g.lineTo(x, height);
    g.stroke();
    g.setLineDash([]);
  };
  const step = inspected.value;
  if (step !== null && step >= scale.window.from && step < scale.window.to) line(step, '--cursor', [3, 3]);
  const hover = hoverStep.value;
  if (hover) line(hover.step, '--fg-faint', []);
}
