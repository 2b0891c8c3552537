import { signal } from '@preact/signals';

/** Open text of the palette, or null while it is shut. */
export const paletteText = signal<string | null>(null);
/** Enter was pressed before there was a list: its first entry is taken when it comes, unless something else is typed. */
export const enterWaits = signal(false);
/** It was opened to look in all programs of the run, not in the open one. */
export const paletteWide = signal(false);
/** The palette shows the box for an error message instead of the search. */
export const oomOpen = signal(false);
/** The box that explains a pasted HLO line. */
export const explainOpen = signal(false);

export function openPalette(text: string, wide = false): void {
  oomOpen.value = false;
  paletteWide.value = wide;
  paletteText.value = text;
}

export function openOom(): void {
  oomOpen.value = true;
  paletteText.value = '';
}

export function closePalette(): void {
  paletteText.value = null;
  enterWaits.value = false;
  oomOpen.value = false;
}

export function openExplain(): void {
  closePalette();
  explainOpen.value = true;
}
