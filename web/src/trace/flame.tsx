/** The merged call tree of the range (or the window) as a flame graph: width is time, children below their parent. */
import { effect, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { themeVersion } from '../app/theme';
import { Surface } from '../canvas/surface';
import { textWidth } from '../canvas/text';
import { registerPicture } from '../app/exports';
import { formatCount, formatPercent, timesText } from '../util/format';
import { type FlameBox, flameBoxes } from './flame_boxes';
import { FLAME_HEAD, flameLines, openPath, problem, root, startFlame, tree } from './flame_state';
import { cutName, shortName, withoutNamespace } from './label_text';
import { LANE } from './layout';
import { groupOn } from './groups';
import { palette } from './palette_now';
import { SaveTable } from './save_table';
import { openEvent } from './selection';
import { change } from './state';
import { isThread } from './swatch';
import { durationText, spanText, summedOver } from './time';
import { view } from '../app/router';
import { listen, together } from '../util/listen';

const said = signal('');

type Tree = NonNullable<typeof tree.value>;

function drawBox(g: CanvasRenderingContext2D, width: number, t: Tree, b: FlameBox, isOfThread: boolean): void {
  const p = palette();
  const x = b.x0 * width;
  const w = (b.x1 - b.x0) * width;
  const y = b.depth * (LANE + 2);
  const colour = groupOn(t.group[b.node], isOfThread);
  g.fillStyle = p.fill[colour];
  g.fillRect(x, y, Math.max(1, w - 1), LANE + 1);
  g.fillStyle = p.strong[colour];
  g.fillRect(x, y, 1, LANE + 1);
  const name = shortName(t.name[b.node]) || 'no metadata';
  const most = Math.floor((w - 8) / 6);
  const text = cutName(name.length > most ? withoutNamespace(name) : name, most);
  if (!text) return;
  g.fillStyle = p.fg;
  g.fillText(text, x + 4, y + LANE / 2 + 1);
  const time = durationText(t.total_ps[b.node]);
  const wide = textWidth(g, text);
  if (w - wide - 16 < time.length * 6.5) return;
  g.fillStyle = p.soft;
  g.fillText(time, x + wide + 10, y + LANE / 2 + 1);
}

function wordsOf(t: Tree, node: number): string {
  const share = formatPercent(t.total_ps[node] / Math.max(t.total_all_ps, 1), 1);
  return `${t.name[node] || 'no metadata'}: ${durationText(t.total_ps[node])}, ${share} of all, self ${durationText(t.self_ps[node])}, ${timesText(t.count[node])}`;
}

/** Draws the tree in the canvas, and follows its mouse, until the answer is called. */
function attachFlame(element: HTMLCanvasElement): () => void {
  let boxes: FlameBox[] = [];
  const font = `11px ${getComputedStyle(document.body).fontFamily}`;
  const surface = new Surface(element, (g, width, height) => {
    const t = tree.peek();
    g.fillStyle = palette().bg;
    g.fillRect(0, 0, width, height);
    if (!t) return;
    g.font = font;
    g.textBaseline = 'middle';
    const isOfThread = t.of_rows.every(isThread);
    boxes = flameBoxes(t, root.peek());
    for (const b of boxes) if ((b.x1 - b.x0) * width >= 0.4 && b.depth * (LANE + 2) <= height) drawBox(g, width, t, b, isOfThread);
  });
  const at = (e: MouseEvent) => {
    const box = element.getBoundingClientRect();
    const x = (e.clientX - box.left) / box.width;
    const depth = Math.floor((e.clientY - box.top) / (LANE + 2));
    return boxes.find((b) => b.depth === depth && b.x0 <= x && x < b.x1) ?? null;
  };
  const mousemove = (e: MouseEvent) => {
    const t = tree.peek();
    const b = at(e);
    said.value = t && b ? wordsOf(t, b.node) : '';
  };
  const click = (e: MouseEvent) => openPath(at(e)?.node ?? -1);
  return together([
    listen(element, { mousemove, click }),
    effect(() => {
      void [tree.value, root.value, themeVersion.value];
      surface.dirty();
    }),
    registerPicture('flame graph', () => element),
    () => surface.close(),
  ]);
}

/** What the tree adds up, and the ways to others. */
function FlameLine() {
  const t = tree.value;
  return (
    <p class="t-sum">
      {t ? (
        <>
          <b>{spanText(t.from_ps, t.to_ps)}</b> {durationText(t.total_all_ps)} in {formatCount(t.n)} paths, host-aligned
          {summedOver(t.of_rows.length)}
          {t.folded ? ` · ${formatCount(t.folded)} small paths left out` : ''}
          {t.lost ? ` · ${formatCount(t.lost)} events are left out: too many paths` : ''}{' '}
        </>
      ) : (
        problem.value || 'Building the call tree …'
      )}
      <button type="button" class="link" onClick={() => change({ tof: view.value.tof === 'host' ? null : 'host' })}>
        {view.value.tof === 'host' ? 'show device ops' : 'show host threads'}
      </button>
      {t && root.value >= 0 ? (
        <>
          {' '}
          <button type="button" class="link" onClick={() => openPath(-1)}>
            all again
          </button>{' '}
          <button type="button" class="link" title={`the first of ${formatCount(t.count[root.value])}`} onClick={() => openEvent(t.first_event[root.value])}>
            first of {cutName(shortName(t.name[root.value]), 30) || 'no metadata'}
          </button>
        </>
      ) : null}{' '}
      {t?.n ? <SaveTable name="flame" head={FLAME_HEAD} lines={() => flameLines(t)} /> : null} <span role="status">{said.value}</span>
    </p>
  );
}

export function FlameTab() {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(startFlame, []);
  useEffect(() => (canvas.current ? attachFlame(canvas.current) : undefined), []);
  const t = tree.value;
  const deepest = t ? Math.max(0, ...flameBoxes(t, root.value).map((b) => b.depth)) + 1 : 1;
  return (
    <div class="t-fill t-flame">
      <FlameLine />
      <div class="t-flame-scroll">
        <canvas
          ref={(e) => {
            canvas.current = e;
            if (e) e.style.height = `${deepest * (LANE + 2) + 4}px`;
          }}
          class="t-flame-canvas"
          role="img"
          aria-label={t ? `Call tree of ${formatCount(t.n)} paths` : 'Call tree'}
        />
      </div>
    </div>
  );
}
