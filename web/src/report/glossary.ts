/** Names that come again and again in XLA's programs, a sentence each. Pure. */
const TERMS: [pattern: RegExp, meaning: string][] = [
  [/\.remat\d*(\.|$|\{)/, 'recomputed: the compiler or jax.checkpoint discarded the first result to save memory'],
  [/^get-tuple-element/, 'one element of a tuple: no bytes of its own, it points into the tuple’s source'],
  [/^tuple/, 'a table of pointers to several arrays: a few bytes each'],
  [/^copy-start/, 'starts an asynchronous copy, which runs alongside computation until its copy-done'],
  [/^copy-done/, 'ends an asynchronous copy: its bytes are those of the copy-start'],
  [/^copy/, 'a copy inserted by the compiler: for another dimension order or memory space, or because the old bytes are overwritten'],
  [/^(slice-start|slice-done|async-(start|update|done))/, 'work that runs alongside computation, from its start to its done'],
  [/^all-gather/, 'every device gets the parts of all others: the result is as large as all parts together'],
  [/^all-reduce/, 'devices add up their arrays: each gets the whole sum'],
  [/^reduce-scatter/, 'devices add up their arrays: each keeps its part of the sum'],
  [/^(collective-permute|all-to-all|send|recv)/, 'values move from device to device'],
  [/^(infeed|outfeed)/, 'values move to or from the host while the program runs'],
  [/^while/, 'a loop: the values it carries stay live throughout'],
  [/^xor_convert_fusion|^rng-bit-generator/, 'random bits, made from a key by shifts and exclusive ors'],
  [/^(cutlass|__cutlass)/, 'a matrix product by a CUTLASS kernel'],
  [/^(cublas|__cublas)/, 'a matrix product by cuBLAS'],
  [/^(cudnn|__cudnn)/, 'a cuDNN kernel, with its own scratch memory'],
  [/^tpu_custom_call/, 'a kernel written by hand (Pallas, Mosaic)'],
  [/^(Arg_|param|parameter)/, 'an argument of the program, live from the first to the last step; of a loop or call, the value passed in'],
  [/^bitcast/, 'the same bytes under another shape: no bytes of its own'],
  [/^broadcast/, 'one value repeated along a dimension'],
  [/^(dynamic-update-slice|.*dynamic-update-slice.*fusion)/, 'writes a part into a larger array, in place where the compiler can'],
  [/^constant/, 'a value that the compiler knows'],
  [/^small\b/, 'all buffers below the fold size together'],
  [/fusion/, 'several operations in one pass over memory: only results of the fusion have bytes'],
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
