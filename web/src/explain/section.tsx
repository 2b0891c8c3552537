/** A section that folds; closed, its header keeps the answer. What is open is remembered per browser. */
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

const STORE = 'xprofd.explain.open';
const DEFAULT = ['text', 'expected', 'shape', 'mesh'];
/** Where there is room everything is open until somebody folds it. */
const ALL = [...DEFAULT, 'contains', 'operands', 'users', 'repeats', 'source'];

const atFirst = () => (typeof matchMedia === 'function' && matchMedia('(min-width: 1800px)').matches ? ALL : DEFAULT);

function stored(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(STORE) ?? 'null');
    return Array.isArray(kept) ? kept.filter((item): item is string => typeof item === 'string') : atFirst();
  } catch {
    return atFirst();
  }
}

const open = signal<ReadonlySet<string>>(new Set(stored()));

function toggle(id: string): void {
  const next = new Set(open.peek());
  if (!next.delete(id)) next.add(id);
  open.value = next;
  try {
    localStorage.setItem(STORE, JSON.stringify([...next]));
  } catch {
    // Storage may be blocked; it then lasts for this page.
  }
}

interface Props {
  id: string;
  title: string;
  /** Shown beside the title. */
  answer?: ComponentChildren;
  /** The answer only stands for the body: it goes when the section is open. */
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
          <i class="x-arrow" aria-hidden="true">{shown ? '▾' : '▸'}</i>
          <b>{title}</b>
          <span class="x-answer cut">{shown && onlyClosed ? null : answer}</span>
        </button>
        {shown ? side : null}
      </h3>
      {shown ? <div class="x-body">{children}</div> : null}
    </section>
  );
}
