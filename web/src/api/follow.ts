import { effect } from '@preact/signals';
import { isAborted } from './client';

interface Following<Q, A> {
  /** What to ask; null: nothing. */
  question: () => Q | null;
  ask: (question: Q) => Promise<A>;
  /** Gets the answer, and null when there is none, or none yet. */
  take: (answer: A | null) => void;
  fail: (error: unknown) => void;
  /** The answer to the last question stays until the next one is there. */
  keep?: boolean;
}

/** Asks when the question changes, and forgets the answer to another one at once; one that comes too late, or after the end, is dropped. */
export function follow<Q, A>({ question, ask, take, fail, keep }: Following<Q, A>): () => void {
  let asked: string | undefined;
  const stop = effect(() => {
    const wanted = question();
    const key = JSON.stringify(wanted);
    if (key === asked) return;
    asked = key;
    if (wanted === null || !keep) take(null);
    if (wanted === null) return;
    ask(wanted).then(
      (answer) => {
        if (key === asked) take(answer);
      },
      (error: unknown) => {
        if (key === asked && !isAborted(error)) fail(error);
      },
    );
  });
  return () => {
    asked = '';
    stop();
  };
}
