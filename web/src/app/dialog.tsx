import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { keysHeld } from './keys';

/** A sheet over the page: keeps the focus inside, gives it back, closes by Esc or a click beside it. */
export function Dialog(props: { label: string; class: string; close: () => void; children: ComponentChildren }) {
  const sheet = useRef<HTMLDivElement>(null);
  // Before the next key arrives: what is typed right after Ctrl+K must not be lost.
  useLayoutEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    keysHeld.value = true;
    const find = (what: string) => sheet.current?.querySelector<HTMLElement>(what);
    // A field before a button, whatever their order: a user who opens a sheet wants to type.
    (find('input, textarea') ?? find('button'))?.focus();
    return () => {
      keysHeld.value = false;
      before?.focus?.();
    };
  }, []);
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      event.preventDefault();
      event.stopPropagation();
      props.close();
    } else if (event.key === 'Tab' && !event.defaultPrevented) keepInside(event, sheet.current);
  };
  return (
    <div
      class="shade"
      onPointerDown={(event) => {
        if (event.target === event.currentTarget) props.close();
      }}
    >
      <div ref={sheet} class={`dialog fade-in ${props.class}`} role="dialog" aria-modal="true" aria-label={props.label} onKeyDown={onKey}>
        {props.children}
      </div>
    </div>
  );
}

function keepInside(event: KeyboardEvent, sheet: HTMLElement | null): void {
  const stops = [...(sheet?.querySelectorAll<HTMLElement>('input, textarea, button, a[href], [tabindex="0"]') ?? [])];
  if (!stops.length) return;
  const first = stops[0];
  const last = stops[stops.length - 1];
  const here = document.activeElement;
  if (event.shiftKey && (here === first || !sheet?.contains(here))) last.focus();
  else if (!event.shiftKey && here === last) first.focus();
  else return;
  event.preventDefault();
}
