/** The card of what the pointer rests on, while nothing is pinned. */
import { effect } from '@preact/signals';
import { compact } from '../app/media';
import { api, isAborted } from '../api/client';
import { hoverBuffer, pinned, preview, subject } from './state';
import { cardOpen } from './lower_state';

/** Milliseconds that a pointer rests on a buffer before its card is asked for: less than a reader waits, more than a
 *  sweep over a map of thousands of boxes leaves on each. */
const REST_MS = 90;

/** Follows the pointer until it is stopped. What is hovered in the card itself must not take the card away. */
export function followPointer(inCard: () => boolean): () => void {
  let waiting = 0;
  const stop = effect(() => {
    const buffer = hoverBuffer.value;
    clearTimeout(waiting);
    if (pinned.value !== null || buffer === null || !cardOpen.value || compact.value) {
      preview.value = null;
      return;
    }
    if (inCard()) return;
    waiting = window.setTimeout(() => {
      api
        .buffer({ ...subject.peek(), buffer }, { key: 'memory/preview', quiet: true })
        .then((answer) => {
          if (hoverBuffer.peek() === buffer && pinned.peek() === null) preview.value = answer;
        })
        .catch((error: unknown) => {
          // What is hovered stays marked in the charts; the card then shows the largest savings.
          if (!isAborted(error)) preview.value = null;
        });
    }, REST_MS);
  });
  return () => {
    clearTimeout(waiting);
    preview.value = null;
    stop();
  };
}
