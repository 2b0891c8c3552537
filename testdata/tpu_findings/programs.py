#!/usr/bin/env python3
"""Small TPU programs for findings of the doctor, compiled for a chip that is not there.

    python programs.py NAME OUTDIR

Writes OUTDIR/<module>.hlo_proto.pb (module and buffer assignment, as XLA dumps them), aot.json, and error.txt when
it does not compile.
Needs jax and libtpu (made with jax 0.10.2, libtpu 0.0.51), no TPU; about 20 s each.
"""
import glob, importlib.metadata, json, os, shutil, sys, tempfile

os.environ.update(JAX_PLATFORMS="cpu", TPU_SKIP_MDS_QUERY="1", TPU_WORKER_HOSTNAMES="localhost",
                  TPU_ACCELERATOR_TYPE="v5litepod-4", TPU_LOG_DIR="disabled", ALLOW_MULTIPLE_LIBTPU_LOAD="true")


def gathered_weights(dev):
    """D13: weights lie in four pieces, and all of them are gathered before the first layer runs."""
    import jax, jax.numpy as jnp, numpy as np
    from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
    mesh = Mesh(np.array(dev), ("data",))

    def forward(weights, x):
        full = [jax.lax.all_gather(w, "data", axis=0, tiled=True) for w in weights]
        full, x = jax.lax.optimization_barrier((full, x))
        for w in full:
            x = jnp.tanh(x @ w)
        return x

    def step(weights, x):
        return jax.shard_map(forward, mesh=mesh, in_specs=(P("data"), P("data")), out_specs=P("data"), check_vma=False)(weights, x)

    at = NamedSharding(mesh, P("data"))
    w = jax.ShapeDtypeStruct((4096, 4096), jnp.bfloat16, sharding=at)
    return jax.jit(step).lower([w] * 8, jax.ShapeDtypeStruct((1024, 4096), jnp.bfloat16, sharding=at))


def offload_kept(dev):
    """D27: an array is copied to the host, but it is read again at the end on the device, so that its copy
    there stays over the peak between."""
    import jax, jax.numpy as jnp, numpy as np
    from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
    mesh = Mesh(np.array(dev[:1]), ("x",))
    hbm, host = NamedSharding(mesh, P()), NamedSharding(mesh, P(), memory_kind="pinned_host")

    def step(a):
        h = jnp.tanh(a @ a)
        saved, y = jax.lax.optimization_barrier((jax.device_put(h, host), jnp.sin(h @ a)))
        for _ in range(4):
            y = jnp.sin(y @ a)
        wide = jnp.sort(jnp.concatenate([y, y * 2, y * 3, y * 4], axis=1), axis=1)[:, : a.shape[0]]
        for _ in range(4):
            wide = jnp.cos(wide @ a)
        return saved, wide + h

    return jax.jit(step, out_shardings=(host, hbm)).lower(jax.ShapeDtypeStruct((4096, 4096), jnp.float32, sharding=hbm))


def padded(dev, packed):
    """The program of testdata/tpu_padded_oom, changed as docs/OOM.md tells: its state [N, 8] with the long
    dimension last, [8, N]; and packed, [N / 16, 128], sixteen rows of eight in each."""
    import jax, jax.numpy as jnp
    from jax.experimental.layout import Format, Layout
    from jax.sharding import SingleDeviceSharding
    one = SingleDeviceSharding(dev[0])
    row = lambda nd: Format(Layout(major_to_minor=tuple(range(nd))), one)
    n = 100003 * 160

    def padded_step(a, b, c, mask, state, seed):
        y = a @ a.T.astype(a.dtype)
        z = jnp.where(mask, b, 0.0) + c.astype(jnp.float32)
        with jax.named_scope("outer_product"):
            k = jnp.arange(seed.shape[0], dtype=jnp.uint32)
            mix = (seed[:, None] * k[None, :509]) ^ (seed[:, None] >> 7)
            order = jnp.sort(mix, axis=1)
        noise = order[:, :8].astype(jnp.float32) / 4294967296.0
        if packed:
            rows = jnp.pad(noise, ((0, -noise.shape[0] % 16), (0, 0))).reshape(-1, 128)
            new = state + jnp.pad(rows, ((0, state.shape[0] - rows.shape[0]), (0, 0)))
            left = n - (16 * jax.lax.broadcasted_iota(jnp.int32, new.shape, 0) +
                        jax.lax.broadcasted_iota(jnp.int32, new.shape, 1) // 8)  # the sum of the running sums
            total = (jnp.sin(new) * jnp.cos(new) * left).sum()
        else:
            new = state + jnp.pad(noise.T, ((0, 0), (0, state.shape[1] - noise.shape[0])))
            total = jnp.cumsum(jnp.sin(new) * jnp.cos(new), axis=1).sum()
        return new, y, z, total, (z > 0), (z * 16).astype(jnp.int8), mix.sum()

    args = [((1001, 129), jnp.bfloat16), ((1001, 129), jnp.float32), ((1001, 129), jnp.int8), ((1001, 129), jnp.bool_),
            ((n // 16, 128) if packed else (8, n), jnp.float32), ((n // 8,), jnp.uint32)]
    f = jax.jit(padded_step, donate_argnums=(4,), in_shardings=(row(2), row(2), row(2), row(2), row(2), row(1)),
                out_shardings=(row(2), row(2), row(2), None, row(2), row(2), None))
    return f.lower(*[jax.ShapeDtypeStruct(shape, kind) for shape, kind in args])


PROGRAMS = {"gathered_weights": ("v5e:2x2", gathered_weights), "offload_kept": ("v5e:1x1", offload_kept),
            "padded_transposed": ("v5e:1x1", lambda dev: padded(dev, False)),
            "padded_packed": ("v5e:1x1", lambda dev: padded(dev, True))}


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in PROGRAMS:
        sys.exit(__doc__)
    (topology, build), out = PROGRAMS[sys.argv[1]], sys.argv[2]
    dump = tempfile.mkdtemp()
    os.environ["XLA_FLAGS"] = f"--xla_dump_to={dump} --xla_dump_hlo_as_proto"
    import jax
    from jax.experimental import topologies
    jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")  # names of files, not where they lie
    devices = topologies.get_topology_desc(platform="tpu", topology_name=topology).devices
    os.makedirs(out, exist_ok=True)
    compiled = None
    try:
        compiled = build(devices).compile()
    except jax.errors.JaxRuntimeError as error:  # the dump is complete all the same
        with open(os.path.join(out, "error.txt"), "w") as file:
            file.write(f"{error}\n")
    for proto in glob.glob(os.path.join(dump, "*.after_optimizations.hlo.pb")):
        shutil.copyfile(proto, os.path.join(out, os.path.basename(proto).split(".")[1] + ".hlo_proto.pb"))
    memory = compiled and compiled.memory_analysis()
    with open(os.path.join(out, "aot.json"), "w") as file:
        json.dump({"program": sys.argv[1], "topology": topology, "device_kind": devices[0].device_kind, "jax": jax.__version__,
                   "libtpu": importlib.metadata.version("libtpu"),
                   "memory_analysis": memory and {name: getattr(memory, name) for name in sorted(dir(memory))
                                       if isinstance(getattr(memory, name), int) and not name.startswith("_")}}, file, indent=1)
        file.write("\n")
    shutil.rmtree(dump)


if __name__ == "__main__":
    main()
