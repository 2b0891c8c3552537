/** The drawing on its canvas: hands, the box beside the pointer, overview in the corner, what is said meanwhile. */
import { effect, untracked } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { cssColor, themeVersion } from '../app/theme';
import { Surface } from '../canvas/surface';
import { registerPicture } from '../app/exports';
import { followStub, neighbours, pickNode } from './actions';
import { camera, moved, screen } from './camera_state';
import { scale, lookNow } from './colours';
import { drawOutlines, drawScene } from './draw';
import { attachMouse } from './gestures';
import { around, drawing, mainNode, phase, scene, hover, band } from './graph_state';
import { GraphTip } from './graph_tip';
import { Minimap } from './minimap';
import { settle, startLook } from './look_state';
import { pathNodes } from './path_state';
import { foundNodes } from './search_state';
import { alsoPicked, colourBy } from './settings';
import { Progress } from './states';
import { together } from '../util/listen';

function paint(g: CanvasRenderingContext2D, width: number): void {
  const d = drawing.peek();
  const ratio = g.getTransform().a;
  if (!d) {
    const made = scene.peek();
    if (made && phase.peek().kind === 'laying') drawOutlines(g, made.nodes.filter((node) => node.body < 0).slice(0, 200), width);
    return;
  }
  // The old drawing stays, paler, while the next one is laid out; a quick one of the next is not an old one.
  const waiting = phase.peek().kind === 'asking' || (phase.peek().kind === 'laying' && !d.quick);
  g.globalAlpha = waiting ? 0.6 : 1;
  g.setTransform(ratio * camera.zoom, 0, 0, ratio * camera.zoom, -camera.x * camera.zoom * ratio, -camera.y * camera.zoom * ratio);
  drawScene(g, d, lookNow());
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.globalAlpha = 1;
  const b = band.peek();
  if (!b) return;
  g.fillStyle = cssColor('--accent');
  g.globalAlpha = 0.12;
  g.fillRect(Math.min(b.x0, b.x1), Math.min(b.y0, b.y1), Math.abs(b.x1 - b.x0), Math.abs(b.y1 - b.y0));
  g.globalAlpha = 1;
  g.strokeStyle = cssColor('--accent');
  g.lineWidth = 1;
  g.strokeRect(Math.min(b.x0, b.x1) + 0.5, Math.min(b.y0, b.y1) + 0.5, Math.abs(b.x1 - b.x0), Math.abs(b.y1 - b.y0));
}

/** The same drawing as a list, for screen readers: each op with its operands and users. */
function Twin() {
  const d = drawing.value;
  if (!d) return null;
  const main = mainNode.value;
  return (
    <ul class="off-screen" aria-label="drawn ops">
      {d.scene.nodes.map((node, k) => {
        const box = d.boxes[k];
        const to = neighbours(d, k, true).map((user) => d.scene.nodes[user].name);
        return (
          <li key={node.ix}>
            <button
              type="button"
              tabIndex={-1}
              aria-current={k === main}
              data-box={[box.x, box.y, box.width, box.height].map(Math.round).join(' ')}
              onClick={() => pickNode(k, false)}
            >
              {[
                node.title,
                node.sub,
                node.shape,
                node.size,
                node.time,
                node.root ? 'ROOT' : '',
                node.body >= 0 ? 'opened' : '',
                node.collective,
                ...node.lines,
                node.top?.text,
                node.bottom?.text,
                to.length ? `to ${to.join(' ')}` : '',
              ]
                .filter(Boolean)
                .join(', ')}
            </button>
          </li>
        );
      })}
      {d.scene.stubs.map((stub, s) => (
        <li key={`s${s}`}>
          <button
            type="button"
            tabIndex={-1}
            data-box={[d.stubs[s].x, d.stubs[s].y, d.stubs[s].width, d.stubs[s].height].map(Math.round).join(' ')}
            onClick={() => followStub(s, false)}
          >
            {stub.text}, line {stub.line ?? 'not printed'}, far {stub.isUser ? 'user' : 'operand'} of {d.scene.nodes[stub.node].name}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Draws the graph and hears the mouse, until the answer is called. */
function attach(element: HTMLCanvasElement): () => void {
  let first = true;
  const surface = new Surface(
    element,
    (g, width) => {
      paint(g, width);
      element.dataset.camera = `${camera.x} ${camera.y} ${camera.zoom}`;
    },
    (width, height) => {
      const before = { width: screen.width, height: screen.height };
      screen.width = width;
      screen.height = height;
      if (first) settle(true);
      else {
        camera.x += (before.width - width) / 2 / camera.zoom;
        camera.y += (before.height - height) / 2 / camera.zoom;
      }
      first = false;
    },
  );
  const stops = [
    effect(() => {
      if (drawing.value && !first) untracked(() => settle(false));
      surface.dirty();
    }),
    effect(() => {
      void [
        moved.value,
        hover.value,
        mainNode.value,
        alsoPicked.value,
        phase.value,
        scene.value,
        foundNodes.value,
        pathNodes.value,
        colourBy.value,
        scale.value,
        themeVersion.value,
        band.value,
      ];
      surface.dirty();
    }),
    attachMouse(element),
    startLook(),
    registerPicture('graph', () => element),
    () => surface.close(),
  ];
  // A font that arrives later has other widths.
  void document.fonts?.ready.then(() => surface.dirty());
  return together(stops);
}

export function GraphCanvas() {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => (canvas.current ? attach(canvas.current) : undefined), []);
  const d = drawing.value;
  const kind = phase.value.kind;
  const said = d ? `${around.value?.title ?? 'graph'}: ${d.scene.nodes.length} nodes, ${d.scene.edges.length} edges` : 'graph';
  return (
    <div class={`g-canvas${kind === 'laying' || kind === 'asking' ? ' waiting' : ''}`}>
      <canvas
        ref={canvas}
        tabIndex={0}
        role="application"
        aria-label={said}
        data-drawn={d ? (d.scene.around.center?.name ?? d.scene.around.computation) : ''}
      />
      <Progress />
      <Twin />
      {d ? <Minimap /> : null}
      <GraphTip />
    </div>
  );
}
