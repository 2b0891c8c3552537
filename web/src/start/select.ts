import type { Card } from '../api/types';
import type { ToolStand } from '../app/tools';
import { selectedRow } from './model';

/** What a run can show by its card, while the run itself is not read; unknown counts as open. */
export function previewCard(id: string, card: Card | undefined): ToolStand {
  const reason = card && (id === 'memory' || id === 'graph') ? card.holds[id] : card && id !== 'doctor' ? card.holds.trace : null;
  return { open: reason === null, reason };
}

/** What the run selected on the start page can show: the rail previews it. */
export function previewTools(id: string): ToolStand {
  const selected = selectedRow.value;
  return selected ? previewCard(id, selected.card) : { open: false, reason: 'no run is selected' };
}
