import { view } from '../app/router';
import type { ToolStand } from '../app/tools';
import { cards } from './cards';

/** What the run selected on the start page can show: the rail previews it. */
export function previewTools(id: string): ToolStand {
  const selected = view.value.sel;
  if (!selected) return { open: false, reason: 'no run is selected' };
  const card = cards.value.get(selected);
  if (!card) return { open: true, reason: null };
  const reason = id === 'memory' || id === 'trace' || id === 'graph' ? card.holds[id] : null;
  return { open: reason === null, reason };
}
