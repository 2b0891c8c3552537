/** The keys of Ops, by the rows of the key table. */
import { registerKeys } from '../app/keys';
import { setView, view } from '../app/router';
import { standOf } from '../app/open_tool';
import { toast } from '../app/toast';
import type { ToolId } from '../api/types';
import { comparing, startComparing, stopComparing } from './compare_state';
import { hasHlo, linkTo, one } from './card_state';
import { nextHierarchy, zoomOut } from './icicle_state';
import { nextWay, stepLayer } from './layers_state';
import { change, cardClosed, closeCard, layersShown, twin } from './state';
import { current, stepRow, table } from './table_state';
import { together } from '../util/listen';

/** The table moves its own row when it has the focus. */
const inTable = (event: KeyboardEvent) => Boolean((event.target as HTMLElement | null)?.closest?.('.vt'));

function openIn(tool: ToolId): boolean {
  const t = table.peek();
  const k = current.peek();
  if (!t || k < 0 || layersShown.peek()) return false;
  const stand = standOf(tool);
  if (!stand.open) toast(stand.reason ?? '');
  else {
    const { name, module } = t.look.c;
    const first = hasHlo(module[k]) || one.peek()?.op?.name !== name[k] ? null : one.peek()?.first;
    setView({ ...linkTo(tool, name[k], module[k]), ...(first ? { host: one.peek()?.host, opev: first.event } : {}) });
  }
  return true;
}

function leaveOne(): boolean {
  if (layersShown.peek()) {
    if (view.peek().lcell === '-') return false;
    change({ lcell: '-' });
  } else if (view.peek().ofilter) change({ ofilter: null });
  else if (view.peek().oin) change({ oin: null });
  else if (view.peek().obox) change({ obox: null });
  else if (view.peek().ozoom) change({ ozoom: null });
  else if (!cardClosed.peek()) closeCard();
  else return false;
  return true;
}

export function opsKeys(field: { current: HTMLInputElement | null }): () => void {
  return together([
    registerKeys('everywhere', {
      search: () => (field.current ? field.current.focus() : false),
      escape: leaveOne,
      table_twin: () => change({ table: twin.peek() ? null : 1 }),
      card: () => (layersShown.peek() ? change({ lcell: view.peek().lcell === '-' ? null : '-' }) : cardClosed.peek() ? change({ osel: null }) : closeCard()),
    }),
    registerKeys('ops', {
      op_step: (event, stroke) => !inTable(event) && !layersShown.peek() && stepRow(stroke === 0 ? -1 : 1),
      in_trace: () => openIn('trace'),
      in_graph: () => openIn('graph'),
      in_memory: () => openIn('memory'),
      hierarchy: () => (layersShown.peek() ? nextWay() : nextHierarchy()),
      layers: () => change({ oview: layersShown.peek() ? null : 'layers' }),
      baseline: () => (comparing.peek() ? stopComparing() : startComparing()),
      other_layer: (_event, stroke) => layersShown.peek() && stepLayer(stroke === 0 ? -1 : 1),
      zoom_out: zoomOut,
    }),
  ]);
}
