/** A canvas over program order: the shared window, gestures and chosen steps. What is drawn in it is the caller's. */
import { effect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { themeVersion } from '../app/theme';
import { Surface } from '../canvas/surface';
import type { Scale } from '../canvas/view';
import { registerPicture } from '../app/exports';
import { attachGestures } from '../memory/gestures';
import { scaleOf } from '../memory/layout';
import { axisNow, curve, hoverStep, plot, setWindow, windowNow } from '../memory/state';
import { pageUnit } from '../util/format';
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
  const canvas = useRef<HTMLCanvasElement>(null);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const scale = () => scaleOf(surface.width, windowNow.peek());
    const surface: Surface = new Surface(
      element,
      (g, width, height) => latest.current.draw(g, width, height, scaleOf(width, windowNow.peek()), `11px ${getComputedStyle(element).fontFamily}`),
      (width) => {
        plot.value = { ...plot.peek(), width: scaleOf(width, windowNow.peek()).width };
      },
    );
    const stops = [
      effect(() => {
        latest.current.watch();
        void [windowNow.value, axisNow.value, chosen.value, hoverStep.value, themeVersion.value, pageUnit.value, curve.value];
        surface.dirty();
      }),
      attachGestures(element, {
        scale,
        click: (event, step) => chooseStep(step, event.ctrlKey || event.metaKey),
        doubleClick: (step) => {
          const w = windowNow.peek();
          const span = (w.to - w.from) / 4;
          setWindow({ from: step - span / 2, to: step + span / 2 });
        },
        hover: (event, step) => {
          if (event) {
            const box = element.getBoundingClientRect();
            latest.current.onMove?.(event.clientX - box.left, event.clientY - box.top);
          }
          hoverStep.value = event ? { step, x: event.clientX, y: event.clientY } : null;
        },
      }),
      registerPicture(props.picture, () => element),
    ];
    plot.value = { ...plot.peek(), width: scale().width };
    return () => {
      for (const stop of stops) stop();
      surface.close();
      hoverStep.value = null;
    };
  }, []);
  return <canvas ref={canvas} class="m-chart-canvas" tabIndex={0} role="application" aria-label={props.label} />;
}
