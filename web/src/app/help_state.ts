import { signal } from '@preact/signals';
import { pressedRow } from './keys';

/** Whether the overlay with the keys is shown. */
export const helpShown = signal(false);

export function openHelp(): void {
  pressedRow.value = null;
  helpShown.value = true;
}
