/** The modes of the memory tool, as a switch; beside it what the open mode needs. */
import { computed } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { type Change, hrefOf, setView, view } from '../app/router';
import { run } from '../app/state';

type ModeId = 'viewer' | 'report' | 'compare' | 'time';

export const MODES: { id: ModeId; title: string; shows: string }[] = [
  { id: 'viewer', title: 'Viewer', shows: 'the peak, what is live there, for how long and why' },
  { id: 'report', title: 'Report', shows: 'memory by category, at the steps you choose' },
  { id: 'compare', title: 'Compare', shows: 'two programs: what makes their peaks differ' },
  { id: 'time', title: 'Over time', shows: 'what the runtime had in use along the run' },
];

/** A profile without programs has nothing but what its allocators reported. */
const usual = computed<ModeId>(() => (run.value?.kind === 'profile' && run.value.modules.n === 0 ? 'time' : 'viewer'));

export const modeNow = computed<ModeId>(() => MODES.find(({ id }) => id === view.value.mode)?.id ?? usual.value);

const inAddress = (id: ModeId) => (id === usual.value ? null : id);

/** Over time and the others have keys of one name for other things: those do not go along. */
function change(id: ModeId): Change {
  const same = (id === 'time') === (modeNow.value === 'time');
  return same
    ? { mode: inAddress(id) }
    : {
        mode: inAddress(id),
        from: null,
        to: null,
        tab: null,
        sort: null,
        desc: null,
        filter: null,
        at: null,
        a: null,
        b: null,
        al: null,
        scale: null,
        table: null,
      };
}

export function openMode(id: ModeId): void {
  setView(change(id), { push: true });
}

export function ModeBar({ children }: { children?: ComponentChildren }) {
  const open = modeNow.value;
  return (
    <div class="m-modes">
      <nav class="m-switch" aria-label="modes of Memory">
        {MODES.map(({ id, title, shows }, at) => (
          <a
            key={id}
            href={hrefOf(change(id))}
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
