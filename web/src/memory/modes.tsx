/** The three modes of the memory tool, as a switch; beside it what the open mode needs. */
import { computed } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { hrefOf, setView, view } from '../app/router';

type ModeId = 'viewer' | 'report' | 'compare';

export const MODES: { id: ModeId; title: string; shows: string }[] = [
  { id: 'viewer', title: 'Viewer', shows: 'the peak, what is live there, for how long and why' },
  { id: 'report', title: 'Report', shows: 'memory by category, at the steps you choose' },
  { id: 'compare', title: 'Compare', shows: 'two programs: what makes their peaks differ' },
];

export const modeNow = computed<ModeId>(() => MODES.find(({ id }) => id === view.value.mode)?.id ?? 'viewer');

const inAddress = (id: ModeId) => (id === 'viewer' ? null : id);

export function openMode(id: ModeId): void {
  setView({ mode: inAddress(id) }, { push: true });
}

export function ModeBar({ children }: { children?: ComponentChildren }) {
  const open = modeNow.value;
  return (
    <div class="m-modes">
      <nav class="m-switch" aria-label="modes of Memory">
        {MODES.map(({ id, title, shows }, at) => (
          <a
            key={id}
            href={hrefOf({ mode: inAddress(id) })}
            aria-current={id === open ? 'page' : undefined}
            title={`${shows} (${at + 1})`}
            onClick={(event) => {
              if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
              event.preventDefault();
              openMode(id);
            }}
          >
            {title}
          </a>
        ))}
      </nav>
      {children}
    </div>
  );
}
