/** The worker: Graphviz in a thread and under a policy of its own. One question, one answer; to cancel, end the worker. */
import { instance } from '@viz-js/viz';
import { type LayoutInput, layOut } from './layout';
import { withViz } from './layout_viz';

const ready = instance();

self.onmessage = async (event: MessageEvent<{ id: number; input: LayoutInput }>) => {
  const { id, input } = event.data;
  try {
    const viz = await ready;
    self.postMessage({ id, begun: true });
    const start = performance.now();
    const result = layOut(input, (items, edges) => withViz(viz, items, edges), (done, all) => self.postMessage({ id, done, all }));
    self.postMessage({ id, result, ms: performance.now() - start });
  } catch (error) {
    self.postMessage({ id, error: error instanceof Error ? error.message : String(error) });
  }
};
