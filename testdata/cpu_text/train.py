"""Small programs for dumps: a training step, a loop, a switch, donation."""
import jax
import jax.numpy as jnp


def loss(params, x):
    for w, b in params:
        x = jnp.tanh(x @ w + b)
    return jnp.mean(x ** 2)


@jax.jit
def train(params, x):
    grads = jax.grad(loss)(params, x)
    return jax.tree_util.tree_map(lambda p, g: p - 0.1 * g, params, grads)


@jax.jit
def loop(x):
    def body(carry, _):
        return jnp.sin(carry @ carry) * 0.5, jnp.sum(carry)

    return jax.lax.scan(body, x, None, length=7)


@jax.jit
def choose(index, x):
    return jax.lax.switch(index, [lambda v: v @ v, lambda v: jnp.sort(v, axis=0), lambda v: v.T + 1.0], x)


def donate(x, y):
    return x + y, x @ y


params = [(jnp.ones((256, 256)), jnp.zeros(256)) for _ in range(3)]
train(params, jnp.ones((64, 256)))
loop(jnp.ones((96, 96)))
choose(1, jnp.ones((50, 50)))
jax.jit(donate, donate_argnums=0)(jnp.ones((200, 200)), jnp.ones((200, 200)))
