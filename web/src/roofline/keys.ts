/** The keys of Roofline, by the rows of the key table. */
import { registerKeys } from '../app/keys';
import { standOf } from '../app/open_tool';
import { setView, view } from '../app/router';
import { toast } from '../app/toast';
import type { ToolId } from '../api/types';
import { change, choose, closeCard, ops } from '../ops/state';
import { closeLens, fitPoint, lensToZoom, panBy, zoomBy } from './chart';
import { current, lost, points, programs, setRange, twin } from './state';
import { together } from '../util/listen';

/** Operations and the card are not on the page while the points are programs: their keys do nothing then. */
const ofOperations = (work: () => unknown) => (programs.peek() ? false : work());
const inTable = (event: KeyboardEvent) => Boolean((event.target as HTMLElement | null)?.closest?.('.vt'));

/** To the operation that loses the next most, or more. */
function stepLost(by: 1 | -1): boolean {
  const rows = lost.peek();
  const c = ops.peek()?.ops;
  if (!c || rows.length === 0) return false;
  const at = rows.indexOf(current.peek());
  const k = rows[at < 0 ? 0 : Math.min(Math.max(at + by, 0), rows.length - 1)];
  choose({ name: c.name[k], module: c.module[k] });
  return true;
}

function openIn(tool: ToolId): boolean {
  const c = ops.peek()?.ops;
  const k = current.peek();
  if (!c || k < 0) return false;
  const stand = standOf(tool);
  if (!stand.open) toast(stand.reason ?? '');
  else if (tool === 'ops') setView({ tool, osel: `${c.name[k]}:${c.module[k]}` });
  else setView({ module: c.module[k], tool, op: `%${c.name[k]}` });
  return true;
}

function leaveOne(): boolean {
  if (view.peek().osel === '-') return false;
  closeCard();
  return true;
}

function whole(): boolean {
  setRange(null);
  return true;
}

function toPeaks(): boolean {
  const box = document.querySelector<HTMLInputElement>('.x-peak input');
  box?.focus();
  box?.select();
  return Boolean(box);
}

export function rooflineKeys(field: { current: HTMLInputElement | null }): () => void {
  return together([
    registerKeys('everywhere', {
      search: () => (field.current ? field.current.focus() : false),
      escape: () => closeLens() || ofOperations(leaveOne),
      card: () => ofOperations(() => (view.peek().osel === '-' ? change({ osel: null }) : closeCard())),
      table_twin: () => change({ table: twin.peek() ? null : 1 }),
    }),
    registerKeys('charts', {
      zoom: (_, stroke) => zoomBy(stroke === 0 ? 0.8 : 1.25),
      zoom_fast: (_, stroke) => zoomBy(stroke === 0 ? 0.4 : 2.5),
      pan: (_, stroke) => panBy(stroke === 0 ? -0.1 : 0.1),
      pan_fast: (_, stroke) => panBy(stroke === 0 ? -0.4 : 0.4),
      fit: () => ofOperations(() => fitPoint(points.peek().find(({ k }) => k === current.peek()))),
      reset: (_, stroke) => (stroke === 1 && lensToZoom()) || whole(),
    }),
    registerKeys('roofline', {
      lost_step: (event, stroke) => !inTable(event) && ofOperations(() => stepLost(stroke % 2 === 0 ? -1 : 1)),
      in_ops: () => ofOperations(() => openIn('ops')),
      in_graph: () => ofOperations(() => openIn('graph')),
      in_trace: () => ofOperations(() => openIn('trace')),
      in_memory: () => ofOperations(() => openIn('memory')),
      peaks: toPeaks,
    }),
  ]);
}
