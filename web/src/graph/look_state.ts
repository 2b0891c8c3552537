/**
 * Zoom and place of the drawing in the address: `gv=x,y,zoom,middle`, where the middle of the screen lies from the
 * corner of the node in the middle, in the picture's pixels. So a link shows the same thing on a screen of another size,
 * and after the neighbourhood has grown. Without `gv`: the first look, which the drawing itself decides.
 */
import { effect, untracked } from '@preact/signals';
import { arrivals, beforeLeaving, setView, view } from '../app/router';
import { camera, firstLook, lookAt, moved, screen, shiftBy } from './camera_state';
import type { Drawing } from './drawing';
import { drawing, phase } from './graph_state';

/** Frames of a zoom or a drag are not states; what is left after it is. */
const SAVE_MS = 200;

/** The node that stays where it is, -1: the corner of the drawing. */
function anchorOf(d: Drawing): number {
  const { center } = d.scene.around;
  return center ? (d.scene.nodeOfIx.get(center.ix) ?? -1) : -1;
}

function cornerOf(d: Drawing): [number, number] {
  const box = d.boxes[anchorOf(d)];
  return box ? [box.x, box.y] : [0, 0];
}

const middleOf = (d: Drawing) => String(d.scene.around.center?.ix ?? 'all');

function wordsOf(d: Drawing): string {
  const [x, y] = cornerOf(d);
  const at = [camera.x + screen.width / 2 / camera.zoom - x, camera.y + screen.height / 2 / camera.zoom - y];
  return [...at.map(Math.round), Number(camera.zoom.toPrecision(4)), middleOf(d)].join(',');
}

/** What the first look at the drawing says: it is not written. */
let plain = '';

function show(d: Drawing, words: string): boolean {
  const [x, y, zoom, middle] = words.split(',');
  const numbers = [x, y, zoom].map(Number);
  if (middle !== middleOf(d) || !numbers.every(Number.isFinite) || numbers[2] <= 0) return false;
  const [left, top] = cornerOf(d);
  lookAt(left + numbers[0], top + numbers[1], numbers[2]);
  return true;
}

function start(d: Drawing): void {
  const k = anchorOf(d);
  firstLook(d, k);
  plain = wordsOf(d);
}

let last: { middle: string; x: number; y: number; quick: boolean; camera: string } | null = null;
const cameraText = () => [camera.x, camera.y, camera.zoom].join();
/** The arrival that the look on screen belongs to. */
let arrived = -1;

/**
 * After a new drawing: what the address says, else the same middle stays where it was, else another one is looked at
 * from the start. `fresh`: on a canvas that has shown nothing yet.
 */
export function settle(fresh: boolean): void {
  const d = drawing.peek();
  if (!d) return;
  const came = fresh || arrived !== arrivals.peek();
  arrived = arrivals.peek();
  // A quick drawing that has not been moved yet does not count as a view of its own.
  const untouched = last?.quick && last.camera === cameraText();
  const before = !came && !untouched && anchorOf(d) >= 0 && last?.middle === middleOf(d) ? last : null;
  const [x, y] = cornerOf(d);
  const { gv } = view.peek();
  if (gv && show(d, gv)) plain = '';
  else if (before) {
    plain = '';
    shiftBy(x - before.x, y - before.y);
  } else start(d);
  last = { middle: middleOf(d), x, y, quick: Boolean(d.quick), camera: cameraText() };
}

/** Writes the look into the address, and follows the address back and forward; the answer stops it. */
export function startLook(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const save = () => {
    clearTimeout(timer);
    const d = drawing.peek();
    if (!d || d.quick || phase.peek().kind !== 'drawn' || arrived !== arrivals.peek()) return;
    const words = wordsOf(d);
    setView({ gv: words === plain ? null : words }, { push: false });
  };
  const follow = () => {
    const d = drawing.peek();
    // Another drawing is on its way: it will settle by itself.
    if (!d || phase.peek().kind !== 'drawn' || arrived === arrivals.peek()) return;
    arrived = arrivals.peek();
    const { gv } = view.peek();
    if (!(gv && show(d, gv))) start(d);
  };
  const ends = [
    beforeLeaving(save),
    effect(() => {
      void [moved.value, drawing.value];
      clearTimeout(timer);
      timer = setTimeout(() => untracked(save), SAVE_MS);
    }),
    // Back to an entry of the same drawing: nothing is laid out anew, only looked at elsewhere. Who asks for another
    // drawing has done so after this turn.
    effect(() => {
      void arrivals.value;
      setTimeout(() => untracked(follow));
    }),
  ];
  return () => {
    clearTimeout(timer);
    for (const end of ends) end();
    last = null;
  };
}
