/** A canvas with a drawing in it: draws again when a signal that it reads changes, or its component renders. */
import { effect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { themeVersion } from '../app/theme';
import { type Draw, Surface } from '../canvas/surface';
import { pageUnit } from '../util/format';
import { registerPicture } from '../app/exports';

interface DrawingProps {
  class?: string;
  label: string;
  draw: Draw;
  /** Reads the signals that the drawing depends on. */
  watch?: () => void;
  /** Name under which it can be saved as PNG. */
  picture?: string;
  onMove?: (x: number, y: number, event: MouseEvent) => void;
  onLeave?: () => void;
  onClick?: (x: number, y: number, event: MouseEvent) => void;
  onDoubleClick?: (x: number, y: number, event: MouseEvent) => void;
  onResize?: (width: number, height: number) => void;
  tabIndex?: number;
}

export function Drawing(props: DrawingProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const surface = useRef<Surface | null>(null);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const made = new Surface(
      element,
      (g, width, height) => latest.current.draw(g, width, height),
      () => latest.current.onResize?.(element.clientWidth, element.clientHeight),
    );
    surface.current = made;
    const stop = effect(() => {
      void [themeVersion.value, pageUnit.value];
      latest.current.watch?.();
      made.dirty();
    });
    const name = props.picture;
    const forget = name ? registerPicture(name, () => element) : undefined;
    return () => {
      stop();
      forget?.();
      made.close();
      surface.current = null;
    };
  }, []);
  useEffect(() => surface.current?.dirty());
  const place = (work?: (x: number, y: number, event: MouseEvent) => void) =>
    work
      ? (event: MouseEvent) => {
          const box = (event.currentTarget as HTMLCanvasElement).getBoundingClientRect();
          work(event.clientX - box.left, event.clientY - box.top, event);
        }
      : undefined;
  return (
    <canvas
      ref={canvas}
      class={props.class}
      role="img"
      aria-label={props.label}
      tabIndex={props.tabIndex}
      onMouseMove={place(props.onMove)}
      onMouseLeave={props.onLeave}
      onClick={place(props.onClick)}
      onDblClick={place(props.onDoubleClick)}
    />
  );
}

/** Slanted lines inside a box: padding, in every picture. */
export function hatch(g: CanvasRenderingContext2D, x: number, y: number, width: number, height: number, colour: string, pitch = 5): void {
  if (width <= 0.5 || height <= 0.5) return;
  g.save();
  g.beginPath();
  g.rect(x, y, width, height);
  g.clip();
  g.strokeStyle = colour;
  g.lineWidth = 1.4;
  g.beginPath();
  for (let at = x - height; at < x + width; at += pitch) {
    g.moveTo(at, y + height);
    g.lineTo(at + height, y);
  }
  g.stroke();
  g.restore();
}
