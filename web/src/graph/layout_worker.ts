/** The worker: Graphviz in a thread and under a policy of its own. One question, one answer; to cancel one that has begun, end the worker. */
import { instance } from '@viz-js/viz';
import { type FlatItem, type LayoutInput, layOut } from './layout';
import { withViz } from './layout_viz';

/** A layout of everything there is: the browser translates the engine's functions when they are first called. */
const SAMPLE: FlatItem[] = [
  { width: 40, height: 20, top: [], bottom: [10] },
  { width: 40, height: 20, top: [10], bottom: [] },
  { width: 4, height: 4, top: [], bottom: [], rank: 'max' },
];

const ready = instance().then((viz) => {
  withViz(viz, SAMPLE, [
    { from: 0, to: 1, fromPort: 0, toPort: 0 },
    { from: 1, to: 2, fromPort: -1, toPort: -1 },
  ]);
  return viz;
});

/** The newest question: of those that came while the engine started, only that one is wanted. */
let newest = 0;

self.onmessage = async (event: MessageEvent<{ id: number; input?: LayoutInput }>) => {
  const { id, input } = event.data;
  newest = id;
  try {
    const viz = await ready;
    if (id !== newest || !input) return;
    self.postMessage({ id, begun: true });
    const start = performance.now();
    const result = layOut(
      input,
      (items, edges) => withViz(viz, items, edges),
      (done, all) => self.postMessage({ id, done, all }),
    );
    self.postMessage({ id, result, ms: performance.now() - start });
  } catch (error) {
    self.postMessage({ id, error: error instanceof Error ? error.message : String(error) });
  }
};
