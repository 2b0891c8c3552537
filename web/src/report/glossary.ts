/** Names that come again and again in XLA's programs, a sentence each. Pure. */
const TERMS: [pattern: RegExp, meaning: string][] = [
  [/\.remat\d*(\.|$|\{)/, 'computed a second time: the compiler or jax.checkpoint threw the first result away to save memory'],
  [/^get-tuple-element/, 'one part of a tuple: no bytes of its own, it points into what made the tuple'],
  [/^tuple/, 'a table of pointers to several arrays: a few bytes for each of them'],
  [/^copy-start/, 'an asynchronous copy begins: the copy runs beside the computation until its copy-done'],
  [/^copy-done/, 'an asynchronous copy is complete: its bytes are those of the copy-start'],
  [/^copy/, 'a copy that the compiler put in: to another order of dimensions, another memory space, or because the old bytes are written over'],
  [/^(slice-start|slice-done|async-(start|update|done))/, 'work that runs beside the computation, from its start to its done'],
  [/^all-gather/, 'every device gets the parts of all others: the result is as large as all parts together'],
  [/^all-reduce/, 'all devices add up their arrays: each has the whole sum'],
  [/^reduce-scatter/, 'all devices add up their arrays: each keeps its part of the sum'],
  [/^(collective-permute|all-to-all|send|recv)/, 'values are passed from device to device'],
  [/^(infeed|outfeed)/, 'values come from the host, or go to it, while the program runs'],
  [/^while/, 'a loop: what it carries from turn to turn stays held all the time'],
  [/^xor_convert_fusion|^rng-bit-generator/, 'random bits, made from a key by shifts and exclusive ors'],
  [/^(cutlass|__cutlass)/, 'a matrix product by a kernel of the CUTLASS library'],
  [/^(cublas|__cublas)/, 'a matrix product by the cuBLAS library'],
  [/^(cudnn|__cudnn)/, 'a kernel of the cuDNN library, with scratch memory of its own'],
  [/^tpu_custom_call/, 'a kernel written by hand (Pallas, Mosaic)'],
  [/^(Arg_|param|parameter)/, 'an argument of the program: there from the first to the last step; in a loop or call, what it is given'],
  [/^bitcast/, 'the same bytes read as another shape: none of its own'],
  [/^broadcast/, 'one value repeated along a dimension'],
  [/^(dynamic-update-slice|.*dynamic-update-slice.*fusion)/, 'writes a part into a larger array, in place where the compiler can'],
  [/^constant/, 'a value that the compiler knows'],
  [/^small\b/, 'buffers below the size that the charts fold away, together'],
  [/fusion/, 'several operations in one pass over memory: only what leaves the fusion has bytes'],
];

/** What a name of a buffer or instruction stands for; '' where it is nothing special. */
export function meaningOf(name: string): string {
  const plain = name.replace(/^%/, '');
  return TERMS.find(([pattern]) => pattern.test(plain))?.[1] ?? '';
}

/** The name with its meaning below, for hovering. */
export function withMeaning(text: string, name = text): string {
  const meaning = meaningOf(name);
  return meaning ? `${text}\n${meaning}` : text;
}
