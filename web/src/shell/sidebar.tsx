import { changeTo, goToTool, openTool, selectedRun, standOf } from '../app/open_tool';
import { hrefOf, view } from '../app/router';
import { TOOLS, type ToolInfo } from '../app/tools';
import { warmEngine } from '../graph/engine';
import { Icon } from '../ui/icons';

export function Sidebar() {
  const here = openTool();
  return (
    <nav class="sidebar" aria-label="tools">
      {TOOLS.map((tool, i) => (
        <SidebarItem key={tool.id} tool={tool} here={here === tool.id} digit={i + 1} />
      ))}
    </nav>
  );
}

function SidebarItem({ tool, here, digit }: { tool: ToolInfo; here: boolean; digit: number }) {
  const stand = standOf(tool.id);
  const href = view.value.run ? hrefOf(changeTo(tool.id)) : hrefOf({ run: selectedRun.value?.id, tool: tool.id });
  const can = stand.open || Boolean(view.value.run);
  return (
    <a
      class={`sidebar-item${here ? ' here' : ''}${stand.open ? '' : ' off'}`}
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
