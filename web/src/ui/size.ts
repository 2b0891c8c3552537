/** Style by property, as the page's policy forbids style attributes: `ref={setStyle('width', '40%')}`. */
export function setStyle(name: 'width' | 'left' | 'height' | 'transform' | 'paddingLeft', value: string) {
  return (element: HTMLElement | null) => {
    if (element) element.style[name] = value;
  };
}

/** Width as a share of the parent, 0 to 1. */
export const shareWidth = (share: number) => setStyle('width', `${share * 100}%`);
