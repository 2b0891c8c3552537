/** Which part of the picture is on screen. Not signals: pictures only. */
import { signal } from '@preact/signals';
import type { Drawing } from './drawing';
import type { Box } from './layout';

export const camera = { x: 0, y: 0, zoom: 1 };
export const screen = { width: 800, height: 400 };
/** Counts up when the camera moved. */
export const moved = signal(0);

const LEAST = 0.02;
const MOST = 4;
const EDGE = 22;

function tell(): void {
  moved.value = moved.peek() + 1;
}

export function toPicture(x: number, y: number): [number, number] {
  return [camera.x + x / camera.zoom, camera.y + y / camera.zoom];
}

export function toScreen(x: number, y: number): [number, number] {
  return [(x - camera.x) * camera.zoom, (y - camera.y) * camera.zoom];
}

export function onScreen(): Box {
  return { x: camera.x, y: camera.y, width: screen.width / camera.zoom, height: screen.height / camera.zoom };
}

export function zoomAt(x: number, y: number, factor: number): void {
  const [px, py] = toPicture(x, y);
  camera.zoom = Math.min(MOST, Math.max(LEAST, camera.zoom * factor));
  camera.x = px - x / camera.zoom;
  camera.y = py - y / camera.zoom;
  tell();
}

export function panBy(dx: number, dy: number): void {
  camera.x += dx / camera.zoom;
  camera.y += dy / camera.zoom;
  tell();
}

export function centreAt(x: number, y: number): void {
  camera.x = x - screen.width / 2 / camera.zoom;
  camera.y = y - screen.height / 2 / camera.zoom;
  tell();
}

/** A place of the picture in the middle of the screen. */
export function lookAt(x: number, y: number, zoom: number): void {
  camera.zoom = Math.min(MOST, Math.max(LEAST, zoom));
  centreAt(x, y);
}

/** By pixels of the picture. */
export function shiftBy(dx: number, dy: number): void {
  camera.x += dx;
  camera.y += dy;
  tell();
}

function show(box: Box, most: number): void {
  camera.zoom = Math.min(
    most,
    Math.max(LEAST, Math.min((screen.width - 2 * EDGE) / Math.max(box.width, 1), (screen.height - 2 * EDGE) / Math.max(box.height, 1))),
  );
  centreAt(box.x + box.width / 2, box.y + box.height / 2);
}

export function fitAll(d: Drawing, most = 1): void {
  show({ x: 0, y: 0, width: d.width, height: d.height }, most);
}

export function fitBox(box: Box): void {
  show({ x: box.x - 30, y: box.y - 30, width: box.width + 60, height: box.height + 60 }, 1.5);
}

const holds = (view: Box, box: Box): boolean =>
  box.x >= view.x && box.y >= view.y && box.x + box.width <= view.x + view.width && box.y + box.height <= view.y + view.height;

/** The first view of a drawing: all of it if readable, else its main box, else its corner, or the highest box where the corner is empty. */
export function firstLook(d: Drawing, main: number): void {
  fitAll(d);
  if (camera.zoom >= 0.5) return;
  camera.zoom = 0.75;
  let at = main;
  if (main < 0) {
    centreAt(screen.width / 2 / camera.zoom - EDGE, screen.height / 2 / camera.zoom - EDGE);
    const view = onScreen();
    if (d.boxes.length === 0 || d.boxes.some((box) => holds(view, box))) return;
    at = d.boxes.reduce((best, box, i) => (box.y < d.boxes[best].y || (box.y === d.boxes[best].y && box.x < d.boxes[best].x) ? i : best), 0);
  }
  const box = d.boxes[at];
  centreAt(box.x + box.width / 2, box.y + Math.min(box.height / 2, screen.height / 2 / camera.zoom - 40));
}

/** Brings a box on screen, moving as little as possible. */
export function reveal(box: Box): void {
  const view = onScreen();
  const edge = EDGE / camera.zoom;
  const by = (from: number, size: number, at: number, room: number) =>
    from - edge < at
      ? from - edge - at
      : from + Math.min(size, room - 2 * edge) + edge > at + room
        ? from + Math.min(size, room - 2 * edge) + edge - at - room
        : 0;
  const dx = by(box.x, box.width, view.x, view.width);
  const dy = by(box.y, box.height, view.y, view.height);
  if (!dx && !dy) return;
  camera.x += dx;
  camera.y += dy;
  tell();
}
