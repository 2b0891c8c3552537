/** Hands on the drawing: wheel, drags, clicks. */
import { followStub, pickArea, pickNode, pointer, showMore, toggleOpen } from './actions';
import { panBy, toPicture, zoomAt } from './camera_state';
import { type Target, targetAt } from './drawing';
import { drawing, hover, band } from './graph_state';
import { alsoPicked, centreOn, change } from './settings';
import { placeTip } from './graph_tip';
import { listen } from '../util/listen';

const DRAG_PIXELS = 4;

function under(x: number, y: number): Target | null {
  const d = drawing.peek();
  return d ? targetAt(d, ...toPicture(x, y)) : null;
}

function click(x: number, y: number, event: MouseEvent): void {
  const target = under(x, y);
  if (!target) {
    if (alsoPicked.peek().length) change({ gsel: null }, false);
    return;
  }
  if (target.kind === 'chip') showMore(target.node);
  else if (target.kind === 'fold') toggleOpen(target.node);
  else if (target.kind === 'stub') followStub(target.stub, event.shiftKey);
  else pickNode(target.node, event.ctrlKey || event.metaKey);
}

function wheel(event: WheelEvent, x: number, y: number): void {
  event.preventDefault();
  const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
  if (event.shiftKey || sideways) {
    if (sideways) panBy(event.deltaX, event.shiftKey ? 0 : event.deltaY);
    else panBy(0, event.deltaY);
  } else zoomAt(x, y, 1.0018 ** -Math.max(-600, Math.min(600, event.deltaY)));
}

const CURSOR: Record<Target['kind'], string> = { node: 'pointer', fold: 'pointer', stub: 'pointer', chip: 'pointer' };

/** The pointer without a button pressed: what is under it is lit, and has its tip. */
function point(element: HTMLCanvasElement, x: number, y: number, event: MouseEvent): void {
  const target = under(x, y);
  hover.value = target && (target.kind === 'node' || target.kind === 'fold') ? target.node : -1;
  element.style.cursor = target ? CURSOR[target.kind] : 'default';
  placeTip(event.clientX, event.clientY, target);
}

export function attachMouse(element: HTMLCanvasElement): () => void {
  let down: { x: number; y: number; lastX: number; lastY: number; pan: boolean; moved: boolean } | null = null;
  const at = (event: MouseEvent) => {
    const box = element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const press = (event: MouseEvent) => {
    if (event.button > 1) return;
    if (event.button === 1) event.preventDefault();
    const { x, y } = at(event);
    down = { x, y, lastX: x, lastY: y, pan: event.shiftKey || event.button === 1, moved: false };
  };
  const move = (event: MouseEvent) => {
    const { x, y } = at(event);
    const inside = event.target === element;
    pointer.x = inside ? x : -1;
    pointer.y = inside ? y : -1;
    if (!down) {
      if (inside) point(element, x, y, event);
      return;
    }
    if (!down.moved && Math.abs(x - down.x) < DRAG_PIXELS && Math.abs(y - down.y) < DRAG_PIXELS) return;
    down.moved = true;
    placeTip(0, 0, null);
    if (down.pan) panBy(down.lastX - x, down.lastY - y);
    else band.value = { x0: down.x, y0: down.y, x1: x, y1: y };
    down.lastX = x;
    down.lastY = y;
  };
  const release = (event: MouseEvent) => {
    if (!down) return;
    const was = down;
    const b = band.peek();
    down = null;
    band.value = null;
    if (!was.moved) {
      if (event.target === element && event.button === 0) click(was.x, was.y, event);
      return;
    }
    if (b && !was.pan) pickArea(...toPicture(b.x0, b.y0), ...toPicture(b.x1, b.y1));
  };
  const leave = () => {
    pointer.x = -1;
    hover.value = -1;
    placeTip(0, 0, null);
  };
  const double = (event: MouseEvent) => {
    const { x, y } = at(event);
    const target = under(x, y);
    const name = target?.kind === 'node' ? drawing.peek()?.scene.nodes[target.node].name : undefined;
    if (name) centreOn(name);
  };
  const roll = (event: WheelEvent) => {
    const { x, y } = at(event);
    wheel(event, x, y);
  };
  return listen(element, { mousedown: press, mouseleave: leave, dblclick: double, wheel: roll }, { mousemove: move, mouseup: release });
}
