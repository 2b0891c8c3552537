/** A canvas of the trace: drawn when the window moves, and when a signal that `watch` reads changes. */
import { effect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { themeVersion } from '../app/theme';
import { Surface } from '../canvas/surface';
import { onPaint } from './state';

interface Props {
  class: string;
  label: string;
  title?: string;
  draw: (g: CanvasRenderingContext2D, width: number, height: number, font: string) => void;
  watch: () => void;
  attach?: (canvas: HTMLCanvasElement) => () => void;
}

export function CanvasPart(props: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const font = `11px ${getComputedStyle(document.body).fontFamily}`;
    const surface = new Surface(element, (g, width, height) => latest.current.draw(g, width, height, font));
    const stops = [
      onPaint(() => surface.dirty()),
      effect(() => {
        void themeVersion.value;
        latest.current.watch();
        surface.dirty();
      }),
      props.attach?.(element) ?? (() => {}),
    ];
    return () => {
      for (const stop of stops) stop();
      surface.close();
    };
  }, []);
  return <canvas ref={canvas} class={props.class} role="img" aria-label={props.label} title={props.title} />;
}
