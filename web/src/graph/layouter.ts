/** Asks the worker for a layout. A newer question, a cancel or the end of the time budget ends a worker that has begun. */
import { endEngine, takeEngine } from './engine';
import type { LayoutInput, LayoutResult } from './layout';

type Outcome = { kind: 'done'; result: LayoutResult; ms: number } | { kind: 'late' } | { kind: 'cancelled' } | { kind: 'failed'; why: string };

/** What a layout may take before the list takes over. */
export const BUDGET_MS = 2000;
/** Starting the engine is not counted, but has an end as well: a slow network, a page that another policy holds back. */
const START_MS = 15_000;

let serial = 0;
let end: ((outcome: Outcome) => void) | null = null;
/** The engine has begun with the question: only ending it stops it. */
let busy = false;

/** Loads the engine ahead of time. */
export function warmLayout(): void {
  try {
    takeEngine();
  } catch {
    // The question that needs it will say why.
  }
}

/** Cancels the layout under way. An engine that does nothing, or still starts, stays: starting one takes longer than most layouts. */
export function stopLayout(): void {
  if (!end) return;
  if (busy) endEngine();
  else takeEngine().postMessage({ id: ++serial });
  end({ kind: 'cancelled' });
}

/** Ends the engine: no graph is shown. */
export function closeLayout(): void {
  stopLayout();
  endEngine();
}

export function layoutNow(input: LayoutInput, budgetMs: number, progress: (done: number, all: number) => void): Promise<Outcome> {
  stopLayout();
  return new Promise((resolve) => {
    const id = ++serial;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let begun = () => {};
    const finish = (outcome: Outcome) => {
      clearTimeout(timer);
      busy = false;
      if (end === finish) end = null;
      resolve(outcome);
    };
    const late = () => {
      end = null;
      endEngine();
      finish({ kind: 'late' });
    };
    end = finish;
    let used: Worker;
    try {
      used = takeEngine();
    } catch (error) {
      finish({ kind: 'failed', why: error instanceof Error ? error.message : String(error) });
      return;
    }
    used.onmessage = ({ data }) => {
      if (data.id !== id) return;
      if (data.begun) begun();
      else if (data.done !== undefined) progress(data.done, data.all);
      else if (data.error !== undefined) finish({ kind: 'failed', why: data.error });
      else finish({ kind: 'done', result: data.result, ms: data.ms });
    };
    used.onerror = (event) => {
      endEngine();
      finish({ kind: 'failed', why: event.message || 'the layout engine did not start' });
    };
    // The engine says when it begins; only then the budget runs.
    timer = setTimeout(late, START_MS);
    begun = () => {
      busy = true;
      clearTimeout(timer);
      timer = setTimeout(late, budgetMs);
    };
    used.postMessage({ id, input });
  });
}
