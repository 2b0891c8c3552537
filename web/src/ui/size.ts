import { type Inputs, useLayoutEffect } from 'preact/hooks';

/** Style by property, as the page's policy forbids style attributes: `ref={setStyle('width', '40%')}`. */
export function setStyle(name: 'width' | 'left' | 'height' | 'transform' | 'paddingLeft', value: string) {
  return (element: HTMLElement | null) => {
    if (element) element.style[name] = value;
  };
}

/** Width as a share of the parent, 0 to 1. */
export const shareWidth = (share: number) => setStyle('width', `${share * 100}%`);

/** Calls `measure` when the element is drawn first, when its size changes, and when `inputs` do. */
export function useMeasure<E extends Element>(of: { readonly current: E | null }, measure: (element: E) => void, inputs: Inputs): void {
  useLayoutEffect(() => {
    const element = of.current;
    if (!element) return;
    const now = () => measure(element);
    const observer = new ResizeObserver(now);
    observer.observe(element);
    now();
    return () => observer.disconnect();
  }, inputs);
}
