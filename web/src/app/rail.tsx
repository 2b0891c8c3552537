import { effect } from '@preact/signals';
import { warmEngine } from '../graph/engine';
import { Icon } from '../ui/icons';
import { type Change, hrefOf, setView, view } from './router';
import { run, status } from './state';
import { TOOLS, type ToolInfo, toolStand } from './tools';
import { selectedRow } from '../start/model';
import { previewCard, previewTools } from '../start/select';
import { cards } from '../start/cards';

/** What an address may say of a run and of no tool; all else was written by Memory, in the days when it was the only first page. */
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

/** Whether a tool can be opened here: for the open run, or for the run selected on the start page. */
export function standOf(id: string) {
  const state = (view.value.run ? run.value?.tools : status.value?.tools)?.find((tool) => tool.id === id);
  const stand = toolStand(state);
  if (!stand.open || (view.value.run && run.value)) return stand;
  return view.value.run ? previewCard(id, cards.value.get(view.value.run)) : previewTools(id);
}

/** To a tool of the open run. The instruction that Graph or Trace shows is pinned in the Viewer; a mode of Memory that was left is come back to as it was. */
const changeTo = (id: string): Change => (id === 'memory' && view.value.mode ? { tool: id, op: null } : { tool: id });

export function goToTool(id: string): void {
  const selected = selectedRow.value?.id;
  if (view.value.run) setView(changeTo(id));
  else if (selected && standOf(id).open) setView({ run: selected, tool: id });
}

export function Rail() {
  const here = openTool();
  return (
    <nav class="rail" aria-label="tools">
      {TOOLS.map((tool, i) => (
        <RailItem key={tool.id} tool={tool} here={here === tool.id} digit={i + 1} />
      ))}
    </nav>
  );
}

function RailItem({ tool, here, digit }: { tool: ToolInfo; here: boolean; digit: number }) {
  const stand = standOf(tool.id);
  const href = view.value.run ? hrefOf(changeTo(tool.id)) : hrefOf({ run: selectedRow.value?.id, tool: tool.id });
  const can = stand.open || Boolean(view.value.run);
  return (
    <a
      class={`rail-item${here ? ' here' : ''}${stand.open ? '' : ' off'}`}
      href={can ? href : undefined}
      // Without a run there is nothing to open, but the reason stays readable by keyboard.
      tabIndex={0}
      aria-current={here ? 'page' : undefined}
      aria-disabled={!stand.open}
      onPointerEnter={tool.id === 'graph' && can ? warmEngine : undefined}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
        event.preventDefault();
        if (can) goToTool(tool.id);
      }}
    >
      <Icon name={tool.id} size={18} />
      {tool.title}
      <span class="tip" role="tooltip">
        {stand.open ? `${tool.title}: ${tool.shows}` : `${tool.title}: ${stand.reason}`} (Shift+{digit})
      </span>
    </a>
  );
}
