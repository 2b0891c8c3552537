import type { ToolStand } from '../app/tools';
import { selectedRow } from './model';

/** What the run selected on the start page can show: the rail previews it. */
export function previewTools(id: string): ToolStand {
  const selected = selectedRow.value;
  if (!selected) return { open: false, reason: 'no run is selected' };
  const card = selected.card;
  if (!card) return { open: true, reason: null };
  const reason = id === 'memory' || id === 'trace' || id === 'graph' ? card.holds[id] : null;
  return { open: reason === null, reason };
}
