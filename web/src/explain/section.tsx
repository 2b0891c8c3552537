/**
 * A section that folds; closed, its header keeps the answer. What is open is in the address as `xs` (ids with "." between them, "-" for none), so
 * that a link and Back show the same. Without the key, the sections that this browser had open when the page was loaded.
 */
import { computed } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { setView, view } from '../app/router';
import { toggled } from '../util/toggled';

const STORE = 'xprofd.explain.open';
const DEFAULT = ['text', 'expected', 'shape', 'mesh', 'kernel'];
/** In the order of the panel. Where there is room everything is open until the user folds it. */
const ALL = ['text', 'expected', 'contains', 'kernel', 'mesh', 'operands', 'users', 'shape', 'repeats', 'whole', 'source'];

const atFirst = () => (typeof matchMedia === 'function' && matchMedia('(min-width: 1800px)').matches ? ALL : DEFAULT);

function stored(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(STORE) ?? 'null');
    return Array.isArray(kept) ? kept.filter((item): item is string => typeof item === 'string') : atFirst();
  } catch {
    return atFirst();
  }
}

const own = stored();
const open = computed(() => {
  const said = view.value.xs;
  return new Set(said === undefined ? own : said.split('.'));
});

/** The open sections are in the address if they differ from the default. */
export function sayOpen(): void {
  const usual = atFirst();
  if (view.peek().xs === undefined && (own.length !== usual.length || own.some((id) => !usual.includes(id))))
    setView({ xs: own.join('.') || '-' }, { push: false });
}

export const isOpen = (id: string) => open.value.has(id);

/** Opens a section for a link that leads to it. */
export function showSection(id: string): void {
  if (!open.peek().has(id)) toggle(id);
}

function toggle(id: string): void {
  const next = toggled(open.peek(), id);
  const ids = ALL.filter((item) => next.has(item));
  setView({ xs: ids.join('.') || '-' }, { push: false });
  try {
    localStorage.setItem(STORE, JSON.stringify(ids));
  } catch {
    // Storage may be blocked; it then lasts for this page.
  }
}

interface Props {
  id: string;
  title: string;
  /** Shown beside the title. */
  answer?: ComponentChildren;
  /** The answer replaces the body, and is hidden while the section is open. */
  onlyClosed?: boolean;
  side?: ComponentChildren;
  children: ComponentChildren;
}

export function Section({ id, title, answer, onlyClosed, side, children }: Props) {
  const shown = open.value.has(id);
  return (
    <section class="x-sec" data-section={id}>
      <h3 class="x-head">
        <button type="button" class="x-fold" aria-expanded={shown} onClick={() => toggle(id)}>
          <i class="x-arrow" aria-hidden="true">
            {shown ? '▾' : '▸'}
          </i>
          <b>{title}</b>
          <span class="x-answer cut">{shown && onlyClosed ? null : answer}</span>
        </button>
        {shown ? side : null}
      </h3>
      {shown ? <div class="x-body">{children}</div> : null}
    </section>
  );
}
