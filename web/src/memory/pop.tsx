/** A button that opens a box beside it. The box closes by Escape, by a click elsewhere, and keeps inside the page. */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { listenFirst } from '../util/listen';

interface PopProps {
  label: ComponentChildren;
  title?: string;
  class?: string;
  boxClass?: string;
  children: (close: () => void) => ComponentChildren;
}

export function Pop(props: PopProps) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const close = () => setOpen(false);
  // Before the next frame: an Escape right after the click closes it as well.
  useLayoutEffect(() => {
    if (!open) return;
    const outside = (event: Event) => {
      const target = event.target as Node;
      if (!box.current?.contains(target) && !button.current?.contains(target)) close();
    };
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      close();
      button.current?.focus();
    };
    // Opened to type in, or to read: the keys belong to the box.
    (box.current?.querySelector<HTMLElement>('input, button') ?? box.current)?.focus();
    return listenFirst(document, { pointerdown: outside, keydown: onKey });
  }, [open]);
  useLayoutEffect(() => {
    if (!open || !box.current || !button.current) return;
    const at = button.current.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = box.current;
    const below = at.bottom + 4 + height <= innerHeight || at.top < height;
    box.current.style.left = `${Math.max(8, Math.min(at.left, innerWidth - width - 8))}px`;
    box.current.style.top = `${Math.max(8, below ? at.bottom + 4 : at.top - height - 4)}px`;
  });
  return (
    <>
      <button ref={button} type="button" class={props.class ?? 'btn-s'} title={props.title} aria-expanded={open} onClick={() => setOpen(!open)}>
        {props.label}
      </button>
      {open ? (
        <div ref={box} class={`m-pop ${props.boxClass ?? ''}`} role="dialog" tabIndex={-1} aria-label={props.title}>
          {props.children(close)}
        </div>
      ) : null}
    </>
  );
}
