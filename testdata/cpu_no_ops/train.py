import jax, jax.numpy as jnp, numpy as np, time
def loss(p, b):
    for w in p: b = jnp.tanh(b @ w)
    return (b ** 2).mean()
@jax.jit
def step(p, b):
    l, g = jax.value_and_grad(loss)(p, b)
    return [w - 0.1 * d for w, d in zip(p, g)], l
p = [jax.random.normal(jax.random.PRNGKey(i), (256, 256)) for i in range(3)]
def load(): return np.random.rand(64, 256).astype(np.float32)
p, l = step(p, load())
l.block_until_ready()
jax.profiler.start_trace('log')
for i in range(6):
    with jax.profiler.StepTraceAnnotation('train', step_num=i):
        with jax.profiler.TraceAnnotation('load'): b = load(); time.sleep(0.002)
        p, l = step(p, b)
        l.block_until_ready()
jax.profiler.stop_trace()
