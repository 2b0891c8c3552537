/** Handlers of events, by their name. */
type Handlers = { [K in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[K]) => void };

function add(target: EventTarget, handlers: Handlers, capture: boolean): () => void {
  const all = Object.entries(handlers) as [string, EventListener][];
  // Not passive: a wheel that zooms must not scroll the page too.
  for (const [type, heard] of all) target.addEventListener(type, heard, { passive: false, capture });
  return () => {
    for (const [type, heard] of all) target.removeEventListener(type, heard, capture);
  };
}

/** Ends all that was started together. */
export const together = (stops: readonly (() => void)[]) => () => {
  for (const stop of stops) stop();
};

/** Listens to a target, and to the whole window (where a drag goes on that began on the target), until the answer is called. */
export const listen = (target: EventTarget, handlers: Handlers, anywhere: Handlers = {}): (() => void) =>
  together([add(target, handlers, false), add(window, anywhere, false)]);

/** The same on the way down, before anything inside the target hears it. */
export const listenFirst = (target: EventTarget, handlers: Handlers): (() => void) => add(target, handlers, true);
