import type { ComponentChildren } from 'preact';
import { tabKeys } from './arrows';

interface Props<Id extends string> {
  class: string;
  /** In order: what a tab opens, and its title. */
  tabs: readonly (readonly [Id, ComponentChildren])[];
  /** null: all are folded. */
  open: Id | null;
  choose: (id: Id) => void;
}

/** A row of tabs: one stop of the Tab key, the open one or else the first; the arrow keys go on from there. */
export function TabList<Id extends string>({ class: className, tabs, open, choose }: Props<Id>) {
  const stop = tabs.some(([id]) => id === open) ? open : tabs[0][0];
  return (
    <div class={className} role="tablist" {...tabKeys}>
      {tabs.map(([id, title]) => (
        <button
          key={id}
          type="button"
          role="tab"
          class={id === open ? 'on' : ''}
          aria-selected={id === open}
          tabIndex={id === stop ? 0 : -1}
          onClick={() => choose(id)}
        >
          {title}
        </button>
      ))}
    </div>
  );
}
