import { type Signal, signal } from '@preact/signals';

function watch(query: string): Signal<boolean> {
  const list = typeof matchMedia === 'function' ? matchMedia(query) : null;
  const state = signal(list?.matches ?? false);
  list?.addEventListener('change', () => {
    state.value = list.matches;
  });
  return state;
}

/** Below 640: of the list of runs what a phone has room for. */
export const phone = watch('(max-width: 639px)');
/** Below 900, also a window at twice the size of letters. */
export const small = watch('(max-width: 899px)');
/** Below 1024: pickers fold, columns hide. */
export const narrow = watch('(max-width: 1023px)');
/** Below 1280: the card goes, or is a drawer. */
export const compact = watch('(max-width: 1279px)');
/** From 1800: room for more of the neighbourhood. */
export const roomy = watch('(min-width: 1800px)');
/** From 1920: Memory's lower half splits in two, its card is wider. */
export const broad = watch('(min-width: 1920px)');
/** From 2200: panes side by side. */
export const wide = watch('(min-width: 2200px)');
