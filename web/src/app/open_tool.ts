/** Which tool the page shows, which can be opened, and the way to one. */
import { effect, signal } from '@preact/signals';
import type { Card } from '../api/types';
import { cards } from './cards';
import { type Change, setView, view } from './router';
import { run, status } from './state';
import { type ToolStand, toolStand } from './tools';

/** Keys of an address with a run and no tool; other keys come from links of old versions, whose first page was Memory. */
const OF_THE_RUN = ['run', 'only', 'host', 'unit', 'config', 'peaks', 'xs', 'gw'];

/** The tool that the page shows: 'start' without a run, '' until it is known what the run holds. */
export function openTool(): string {
  const { run: id, tool, ...more } = view.value;
  if (!id) return 'start';
  if (tool) return tool;
  if (Object.keys(more).some((key) => !OF_THE_RUN.includes(key))) return 'memory';
  if (!run.value && !cards.value.has(id)) return '';
  return standOf('overview').open ? 'overview' : 'memory';
}

/** Of a measured run the address names its tool: what is written into it later must not choose another. */
export function nameTool(): () => void {
  return effect(() => {
    const tool = openTool();
    if (view.value.run && run.value && !view.value.tool && standOf('overview').open) setView({ tool }, { push: false });
  });
}

/** The run that the start page has selected, which the tools' icons preview; null where none is. The start page sets it. */
export const selectedRun = signal<{ id: string; card: Card | undefined } | null>(null);

/** What a run can show by its card, while the run itself is not read; unknown counts as open. */
function previewCard(id: string, card: Card | undefined): ToolStand {
  const reason = card && (id === 'memory' || id === 'graph') ? card.holds[id] : card && id !== 'doctor' ? card.holds.trace : null;
  return { open: reason === null, reason };
}

function previewTools(id: string): ToolStand {
  const selected = selectedRun.value;
  return selected ? previewCard(id, selected.card) : { open: false, reason: 'no run is selected' };
}

/** Whether a tool can be opened here: for the open run, or for the run selected on the start page. */
export function standOf(id: string): ToolStand {
  const state = (view.value.run ? run.value?.tools : status.value?.tools)?.find((tool) => tool.id === id);
  const stand = toolStand(state);
  if (!stand.open || (view.value.run && run.value)) return stand;
  return view.value.run ? previewCard(id, cards.value.get(view.value.run)) : previewTools(id);
}

/** To a tool of the open run. The instruction that Graph or Trace shows is pinned in the Viewer; a mode of Memory that was left is come back to as it was. */
export const changeTo = (id: string): Change => (id === 'memory' && view.value.mode ? { tool: id, op: null } : { tool: id });

export function goToTool(id: string): void {
  const selected = selectedRun.value?.id;
  if (view.value.run) setView(changeTo(id));
  else if (selected && standOf(id).open) setView({ run: selected, tool: id });
}
