/** Scope strip: landmarks on the shared axis, because program order is not time. */
import { effect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { cssColor, themeVersion } from '../app/theme';
import { Surface } from '../canvas/surface';
import { fitText } from '../canvas/text';
import { stepToX, xToStep } from '../canvas/view';
import { scaleOf } from './layout';
import { axisNow, scopes, setWindow, windowNow } from './state';
import { listen, together } from '../util/listen';

function drawScopes(g: CanvasRenderingContext2D, width: number, height: number): void {
  const s = scopes.peek();
  const scale = scaleOf(width, windowNow.peek());
  const style = getComputedStyle(g.canvas);
  g.font = `10px ${style.fontFamily}`;
  g.textBaseline = 'middle';
  g.fillStyle = cssColor('--fg-soft');
  g.textAlign = 'right';
  g.fillText('scope', scale.left - 8, height / 2);
  g.fillStyle = cssColor('--bg-sunk');
  g.fillRect(scale.left, 0, scale.width, height);
  g.save();
  g.beginPath();
  g.rect(scale.left, 0, scale.width, height);
  g.clip();
  g.textAlign = 'center';
  if (!s || s.source === 'none' || s.n === 0) {
    g.fillStyle = cssColor('--fg-faint');
    g.fillText('no scope recorded', scale.left + scale.width / 2, height / 2 + 0.5);
  } else {
    for (let k = 0; k < s.n; k++) {
      const x0 = Math.max(scale.left, stepToX(scale, s.from[k]));
      const x1 = Math.min(scale.left + scale.width, stepToX(scale, s.to[k]));
      if (x1 <= x0) continue;
      g.strokeStyle = cssColor('--rule-strong');
      g.lineWidth = 1;
      g.strokeRect(Math.round(x0) + 0.5, 0.5, Math.round(x1 - x0), height - 1);
      const label = fitText(g, [s.names[s.name[k]] || 'none'], x1 - x0 - 6);
      g.fillStyle = cssColor('--fg-soft');
      if (label) g.fillText(label, (x0 + x1) / 2, height / 2 + 0.5);
    }
  }
  g.restore();
}

function attach(canvas: HTMLCanvasElement): () => void {
  const surface: Surface = new Surface(canvas, drawScopes);
  const zoomTo = (e: MouseEvent) => {
    const s = scopes.peek();
    if (!s) return;
    const box = canvas.getBoundingClientRect();
    const step = xToStep(scaleOf(box.width, windowNow.peek()), e.clientX - box.left);
    for (let k = 0; k < s.n; k++) if (step >= s.from[k] && step < s.to[k]) setWindow({ from: s.from[k], to: s.to[k] });
  };
  return together([
    effect(() => {
      void [scopes.value, windowNow.value, axisNow.value, themeVersion.value];
      surface.dirty();
    }),
    listen(canvas, { dblclick: zoomTo }),
    () => surface.close(),
  ]);
}

export function ScopeStrip() {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => (canvas.current ? attach(canvas.current) : undefined), []);
  const s = scopes.value;
  const words = s && s.n > 0 ? Array.from({ length: Math.min(s.n, 12) }, (_, k) => s.names[s.name[k]]).join(', ') : 'no scope recorded';
  return (
    <canvas
      ref={canvas}
      class="m-strip-canvas"
      role="img"
      aria-label={`Scopes in view: ${words}`}
      title="scopes of the operations in program order; double click zooms"
    />
  );
}
