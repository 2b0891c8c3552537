import type { ComponentChildren } from 'preact';
import { SIDEBAR } from '../api/sidebar';
import type { ToolId } from '../api/types';

export type IconName =
  | ToolId
  | 'search'
  | 'link'
  | 'theme'
  | 'help'
  | 'copy'
  | 'save'
  | 'path'
  | 'fit'
  | 'pin'
  | 'close'
  | 'down'
  | 'right'
  | 'error'
  | 'warning'
  | 'note'
  | 'check'
  | 'runs'
  | 'buffer'
  | 'filter'
  | 'module'
  | 'step'
  | 'action';

/** Outlines on a 16 x 16 grid, drawn in the colour of the text. Those of tools come from their list. */
const SHAPES: Record<Exclude<IconName, ToolId>, ComponentChildren> = {
  search: <path d="M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.4 10.4l3.6 3.6" />,
  link: <path d="M6.5 9.5l3-3M7.3 4.6l1.5-1.5a2.9 2.9 0 0 1 4.1 4.1l-1.5 1.5M8.7 11.4l-1.5 1.5a2.9 2.9 0 0 1-4.1-4.1l1.5-1.5" />,
  theme: (
    <>
      <circle cx="8" cy="8" r="5.8" />
      <path d="M8 2.2a5.8 5.8 0 0 1 0 11.6z" fill="currentColor" />
    </>
  ),
  help: (
    <>
      <circle cx="8" cy="8" r="5.8" />
      <path d="M6.2 6.4a1.8 1.8 0 1 1 2.6 1.7c-.6.3-.8.6-.8 1.2M8 11.2v.3" />
    </>
  ),
  copy: <path d="M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3" />,
  save: <path d="M8 2.5v7M5 7l3 3 3-3M2.5 11v2.5h11V11" />,
  path: <path d="M3.5 12.5a1.5 1.5 0 1 0 0-.1M12.5 3.5a1.5 1.5 0 1 0 0 .1M5 12h4.5a2 2 0 0 0 0-4h-3a2 2 0 0 1 0-4H11" />,
  fit: <path d="M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10" />,
  pin: <path d="M5.5 2.5h5M6.5 2.5v4L4.5 9h7l-2-2.5v-4M8 9v5" />,
  close: <path d="M3.5 3.5l9 9M12.5 3.5l-9 9" />,
  down: <path d="M4 6l4 4 4-4" />,
  right: <path d="M6 4l4 4-4 4" />,
  error: <path d="M8 2.2L13.8 8 8 13.8 2.2 8z" fill="currentColor" />,
  warning: <path d="M8 2.5l6 11H2z" fill="currentColor" stroke-linejoin="round" />,
  note: (
    <>
      <circle cx="8" cy="8" r="5.8" />
      <path d="M8 7.2v4M8 4.8v.3" />
    </>
  ),
  check: <path d="M2.8 8.6l3.4 3.4 7-7.6" stroke-width="1.8" />,
  runs: <path d="M3 2h10v12H3zM5.5 5h5M5.5 8h5M5.5 11h3" />,
  buffer: <path d="M2 5h12v6H2zM5 5v6" />,
  filter: <path d="M2 3h12L9.5 8.5V13l-3-1.5v-3z" />,
  module: <path d="M3.5 2.5h9v11h-9zM6 5.5h4M6 8h4M6 10.5h2.5" />,
  step: <path d="M2 12h3V9h3V6h3V3h3" />,
  action: <path d="M3 4l4 4-4 4M8.5 12H13" />,
};

function shapeOf(name: IconName): ComponentChildren {
  const tool = SIDEBAR.find(({ id }) => id === name);
  return tool ? <path d={tool.icon} stroke-width={tool.stroke} /> : SHAPES[name as keyof typeof SHAPES];
}

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.3" aria-hidden="true" focusable="false">
      {shapeOf(name)}
    </svg>
  );
}

/** Error, warning or note: a shape and, for readers, the word. */
export function SeverityIcon({ severity, size = 12 }: { severity: string; size?: number }) {
  const name = severity === 'error' ? 'error' : severity === 'warning' ? 'warning' : 'note';
  return (
    <span class={name === 'error' ? 'bad' : name === 'warning' ? 'warn' : 'faint'} role="img" aria-label={severity}>
      <Icon name={name} size={size} />
    </span>
  );
}
