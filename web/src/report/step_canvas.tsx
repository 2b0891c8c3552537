/** A canvas over program order: the shared window, gestures and chosen steps. What is drawn in it is the caller's. */
import { useEffect, useRef } from 'preact/hooks';
import type { Scale } from '../canvas/view';
import { curve, hoverStep } from '../memory/state';
import { hoverAt, setPlotWidth, useStepsCanvas } from '../memory/steps_canvas';
import { chooseStep, chosen } from './state';

interface StepCanvasProps {
  label: string;
  /** Name under which it can be saved. */
  picture: string;
  /** Reads the signals that the drawing depends on, besides window, steps and pointer. */
  watch: () => void;
  draw: (g: CanvasRenderingContext2D, width: number, height: number, scale: Scale, font: string) => void;
  onMove?: (x: number, y: number) => void;
}

export function StepCanvas(props: StepCanvasProps) {
  const latest = useRef(props);
  latest.current = props;
  const canvas = useStepsCanvas(() => ({
    picture: props.picture,
    draw: (g, width, height, scale) => latest.current.draw(g, width, height, scale, `11px ${getComputedStyle(g.canvas).fontFamily}`),
    resized: setPlotWidth,
    watch: () => {
      latest.current.watch();
      void [chosen.value, curve.value];
    },
    click: (event, step) => chooseStep(step, event.ctrlKey || event.metaKey),
    hover: (event, step) => {
      const box = canvas.current?.getBoundingClientRect();
      if (event && box) latest.current.onMove?.(event.clientX - box.left, event.clientY - box.top);
      hoverAt(event, step);
    },
  }));
  useEffect(
    () => () => {
      hoverStep.value = null;
    },
    [],
  );
  return <canvas ref={canvas} class="m-chart-canvas" tabIndex={0} role="application" aria-label={props.label} />;
}
