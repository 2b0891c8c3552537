import { useEffect, useRef } from 'preact/hooks';
import { cssColor, themeVersion } from '../app/theme';
import type { Card } from '../api/types';

type CardCurve = NonNullable<Card['curve']>;

/** Highest and lowest total of a curve; its columns hold temporaries only. */
function top(curve: CardCurve): number {
  let best = 0;
  for (let i = 0; i < curve.n; i++) best = Math.max(best, curve.max_bytes[i]);
  return best + curve.resident_bytes;
}

interface Frame {
  width: number;
  height: number;
  scale: number;
}

function trace(context: CanvasRenderingContext2D, curve: CardCurve, frame: Frame): void {
  context.beginPath();
  const y = (bytes: number) => frame.height - bytes * frame.scale;
  for (let i = 0; i < curve.n; i++) {
    const left = (i / curve.n) * frame.width;
    const right = ((i + 1) / curve.n) * frame.width;
    // A column stands for several steps: its highest is drawn, so that no peak is lost.
    const high = y(curve.max_bytes[i] + curve.resident_bytes);
    if (i === 0) context.moveTo(left, high);
    context.lineTo(left, high);
    context.lineTo(right, high);
  }
}

function draw(canvas: HTMLCanvasElement, now: CardCurve, before: CardCurve | null): void {
  const context = canvas.getContext('2d');
  if (!context) return;
  const ratio = devicePixelRatio || 1;
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  context.scale(ratio, ratio);
  context.clearRect(0, 0, width, height);
  const most = Math.max(top(now), before ? top(before) : 0, 1);
  const frame = { width, height, scale: (height - 8) / most };
  const resident = now.resident_bytes * frame.scale;
  context.globalAlpha = 0.3;
  context.fillStyle = cssColor('--m-param');
  context.fillRect(0, height - resident, width, resident);
  context.globalAlpha = 1;
  context.lineJoin = 'miter';
  if (before) {
    context.setLineDash([3, 2]);
    context.strokeStyle = cssColor('--base');
    context.lineWidth = 1;
    trace(context, before, frame);
    context.stroke();
    context.setLineDash([]);
  }
  context.strokeStyle = cssColor('--fg');
  context.lineWidth = 1.25;
  trace(context, now, frame);
  context.stroke();
  const peak = now.max_bytes.indexOf(Math.max(...now.max_bytes));
  context.fillStyle = cssColor('--peak');
  context.beginPath();
  context.arc(((peak + 0.5) / now.n) * width, height - (now.max_bytes[peak] + now.resident_bytes) * frame.scale, 3, 0, 7);
  context.fill();
}

/** The live curve over the dashed curve of the run before, both from first to last step. */
export function CurvePair({ now, before, label }: { now: CardCurve; before: CardCurve | null; label: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const version = themeVersion.value;
  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const redraw = () => draw(element, now, before);
    const observer = new ResizeObserver(redraw);
    observer.observe(element);
    redraw();
    return () => observer.disconnect();
  }, [now, before, version]);
  return <canvas ref={canvas} class="curve" role="img" aria-label={label} />;
}
