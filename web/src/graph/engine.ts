/**
 * The worker that lays graphs out: the one part of the page that is there before the graph's own code, so that it can start before the graph opens. Starting takes longer than most layouts.
 */
let worker: Worker | null = null;
let unused: ReturnType<typeof setTimeout> | undefined;

/** An unused engine is ended. */
const UNUSED_MS = 30_000;

/** The running worker, else a new one. Throws if the browser has no workers. */
export function takeEngine(): Worker {
  clearTimeout(unused);
  if (!worker) {
    const name = document.querySelector<HTMLMetaElement>('meta[name=layout-js]')?.content ?? 'layout.js';
    worker = new Worker(name);
  }
  return worker;
}

export function endEngine(): void {
  clearTimeout(unused);
  worker?.terminate();
  worker = null;
}

/** A guess that it will be needed. */
export function warmEngine(): void {
  if (worker) return;
  try {
    takeEngine();
    unused = setTimeout(endEngine, UNUSED_MS);
  } catch {
    // The question that needs it will say why.
  }
}
