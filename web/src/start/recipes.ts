/** How to make a profile, with the logdir filled in. A line is a list of [class, text]; the class '' is plain. */
export interface Recipe {
  title: string;
  detail: string;
  text: string;
}

/** A path as a Python or shell string; names on disk may hold quotes. */
function quoted(path: string): string {
  return `"${path.replace(/(["\\$`])/g, '\\$1')}"`;
}

export function recipes(logdir: string): Recipe[] {
  const path = quoted(logdir);
  return [
    {
      title: 'JAX',
      detail: 'trace, memory and graph',
      text: `import jax
with jax.profiler.trace(${path}):
    for i in range(3):                # 3 steps are enough
        with jax.profiler.StepTraceAnnotation("train", step_num=i):
            state = train_step(state, batch)
    jax.block_until_ready(state)`,
    },
    {
      title: 'PyTorch/XLA',
      detail: 'from a second process',
      text: `import torch_xla.debug.profiler as xp
server = xp.start_server(9012)        # once, in the training process
xp.trace("localhost:9012", ${path}, duration_ms=3000)`,
    },
    {
      title: 'A program that fails to compile',
      detail: 'out of memory: there is no run to profile',
      text: `XLA_FLAGS="--xla_dump_to=${logdir.replace(/\/$/, '')}/dump --xla_dump_hlo_as_proto \\
  --xla_dump_hlo_as_text" python train.py`,
    },
  ];
}

const WORDS = /(#[^\n]*)|("(?:[^"\\\n]|\\.)*")|\b(import|with|as|for|in)\b/g;

/** Words of a recipe with their kind, for colour: comment, string, keyword or plain. */
export function coloured(text: string): [kind: string, text: string][] {
  const out: [string, string][] = [];
  let at = 0;
  for (const match of text.matchAll(WORDS)) {
    if (match.index > at) out.push(['', text.slice(at, match.index)]);
    out.push([match[1] ? 'comment' : match[2] ? 'string' : 'keyword', match[0]]);
    at = match.index + match[0].length;
  }
  if (at < text.length) out.push(['', text.slice(at)]);
  return out;
}
