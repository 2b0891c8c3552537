/** Parts of the scopes of the model's code. Pure. */

/** With a number at its end, closing brackets aside: conv2d is not a layer. The server's rule (xpd_scope_fold). */
const isNumbered = (part: string): boolean => /\d\)*$/.test(part);

/** The scope up to its first part with a number: "decoder/block_3" of "decoder/block_3/mlp/up"; '': it is in no layer. */
export function layerOf(scope: string): string {
  const parts = scope.split('/').filter(Boolean);
  const at = parts.findIndex(isNumbered);
  return at < 0 ? '' : parts.slice(0, at + 1).join('/');
}
