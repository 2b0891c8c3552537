/** The keys of the graph, by the rows of the key table. */
import { registerKeys } from '../app/keys';
import { setView, view } from '../app/router';
import { fit, followEdge, openHere, panByKey, showAll, stepNode, stepRadius, zoomByKey } from './actions';
import { pathAsked, pathEnd, pathTo } from './path_state';
import { asked, stepHit } from './search_state';
import { alsoPicked, centre, change, listShown, picked } from './settings';
import { toggleText } from './sizes';
import { find, step } from './state';
import { together } from '../util/listen';

const WAYS = ['left', 'up', 'right', 'down'] as const;

/** Lists scroll and move by the same keys. */
const inList = (event: KeyboardEvent) => Boolean((event.target as HTMLElement | null)?.closest?.('.g-lines, .vt, .g-left, .g-card'));
const inText = () => Boolean(document.activeElement?.closest('.g-text-part'));

function clearOne(): boolean {
  if (pathAsked.peek()) pathAsked.value = false;
  else if (alsoPicked.peek().length) change({ gsel: null }, false);
  else if (pathEnd.peek()) pathTo('');
  else if (view.peek().line) setView({ line: null });
  else if (picked.peek() && centre.peek() !== picked.peek()) setView({ op: `%${centre.peek()}`, c: null });
  else return false;
  return true;
}

export function graphKeys(fields: { ops: () => void; text: () => void; card: () => void }): () => void {
  const match = (by: 1 | -1) => (inText() || !asked.peek() ? find.peek() && step(by) : stepHit(by)) || false;
  return together([
    registerKeys('everywhere', {
      search: () => (inText() ? fields.text() : fields.ops()),
      next_match: () => match(1),
      previous_match: () => match(-1),
      escape: clearOne,
      table_twin: () => change({ table: listShown.peek() ? null : '1' }, false),
      card: fields.card,
    }),
    registerKeys('charts', {
      zoom: (_event, stroke) => zoomByKey(stroke === 0, false),
      zoom_fast: (_event, stroke) => zoomByKey(stroke === 0, true),
      pan: (_event, stroke) => panByKey(stroke === 1, false),
      pan_fast: (_event, stroke) => panByKey(stroke === 1, true),
      fit: () => fit(),
      reset: () => showAll(),
    }),
    registerKeys('graph', {
      follow_edge: (_event, stroke) => followEdge(stroke === 1),
      node_step: (event, stroke) => !inList(event) && stepNode(WAYS[stroke]),
      radius: (_event, stroke) => stepRadius(stroke === 0 ? 1 : -1),
      open_fusion: () => openHere(),
      path: () => {
        pathAsked.value = true;
      },
      text_pane: toggleText,
    }),
  ]);
}
