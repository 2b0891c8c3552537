import { signal } from '@preact/signals';

/** Text of an error that a person pasted, or null: the strip above the headline shows it. The palette's box sets it. */
export const pastedError = signal<string | null>(null);
/** Capacity that it names, as far as it was understood. */
export const pastedCapacity = signal<number | null>(null);
