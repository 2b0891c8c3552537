import { effect } from '@preact/signals';
import { isAborted } from './client';

interface Following<Q, A> {
  /** What to ask; null: nothing. */
  question: () => Q | null;
  ask: (question: Q) => Promise<A>;
  /** Called with the answer, or with null if there is none, or none yet. */
  take: (answer: A | null) => void;
  fail: (error: unknown) => void;
  /** The last answer stays until the next one arrives. */
  keep?: boolean;
}

/** Requests when the question changes and forgets the old answer at once; a late answer, or one after the end, is dropped. */
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
