/** The names of an address that are known to be in the program: an address may name anything, and unknown names are not requested. */
import { around, failed, phase } from './graph_state';
import { failed as textFailed, loading, text } from './state';

/** The drawing or the text has an instruction of this name. */
export function isKnown(name: string): boolean {
  const a = phase.value.kind === 'asking' ? null : around.value;
  if (a?.center?.name === name || a?.nodes.name.includes(name) || a?.nodes.pair.includes(name)) return true;
  // Before the first text, and when there is none, the drawing has to do; a list has more than was drawn.
  return textFailed.value ? Boolean(a) : !loading.value && Boolean(text.value?.defined.has(name));
}

/** The question about the drawing has its answer, a drawing or why there is none. */
export function isAnswered(): boolean {
  return Boolean(failed.value) || (Boolean(around.value) && phase.value.kind !== 'asking');
}
