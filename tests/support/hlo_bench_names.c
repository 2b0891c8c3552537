#include "hlo_bench_names.h"

#include <stdio.h>
#include <stdlib.h>

enum { LAYERS = 96, N_OPS = 14, N_PASSES = 2, N_FILES = 5, N_FUNCTIONS = 40, N_LOCATIONS = 600 };

/* ---- shapes ---- */

#define SHAPE(t, r, ...)                                                                           \
    {                                                                                              \
        .type = (t), .rank = (r), .dims = __VA_ARGS__, .layout = HB_DESCENDING                     \
    }
#define TILED(t, r, ...)                                                                           \
    {                                                                                              \
        .type = (t), .rank = (r), .dims = __VA_ARGS__, .layout = HB_DESCENDING, .tiles = {         \
            {8, 128}                                                                               \
        }                                                                                          \
    }
#define TILED2(t, r, ...)                                                                          \
    {                                                                                              \
        .type = (t), .rank = (r), .dims = __VA_ARGS__, .layout = HB_DESCENDING, .tiles = {         \
            {8, 128},                                                                              \
            {2, 1}                                                                                 \
        }                                                                                          \
    }

/* clang-format off */
static const struct hb_shape shapes[BENCH_SHAPES] = {
    SHAPE(HB_F32, 0, {0}), SHAPE(HB_S32, 0, {0}), SHAPE(HB_PRED, 0, {0}),
    {.type = HB_F32, .rank = 1, .dims = {1000}, .layout = HB_DESCENDING, .tiles = {{1024}}},
    {.type = HB_F32, .rank = 1, .dims = {4096}, .layout = HB_DESCENDING, .tiles = {{1024}}},
    {.type = HB_BF16, .rank = 1, .dims = {3001}, .layout = HB_DESCENDING,
     .tiles = {{1024}, {128}, {2, 1}}},
    {.type = HB_S32, .rank = 1, .dims = {2048}, .layout = HB_DESCENDING, .tiles = {{1024}}},
    TILED(HB_F32, 2, {8, 128}), TILED(HB_F32, 2, {1, 1000}), TILED(HB_F32, 2, {100, 300}),
    TILED(HB_F32, 2, {512, 512}), TILED(HB_F32, 2, {1024, 513}), TILED(HB_S32, 2, {8, 1025}),
    TILED2(HB_BF16, 2, {512, 512}), TILED2(HB_BF16, 2, {1024, 1000}), TILED2(HB_BF16, 2, {7, 4096}),
    TILED2(HB_BF16, 2, {1024, 1024}), TILED2(HB_BF16, 2, {33, 3072}), TILED(HB_F32, 2, {256, 1}),
    TILED(HB_F32, 3, {4, 128, 65}), TILED(HB_F32, 3, {8, 16, 128}), TILED(HB_F32, 3, {2, 257, 129}),
    TILED2(HB_BF16, 3, {4, 512, 64}), TILED2(HB_BF16, 3, {8, 128, 256}),
    TILED2(HB_BF16, 3, {2, 1001, 128}),
    TILED(HB_PRED, 2, {512, 512}), TILED(HB_S32, 3, {4, 64, 128}), TILED(HB_U32, 2, {64, 128}),
    TILED(HB_F32, 4, {1, 8, 128, 128}), TILED(HB_F32, 4, {4, 8, 64, 64}),
    TILED2(HB_BF16, 4, {4, 16, 128, 64}), TILED2(HB_BF16, 4, {1, 8, 257, 128}),
    {.type = HB_BF16, .rank = 4, .dims = {2, 128, 8, 64}, .layout = HB_MINOR,
     .minor = {1, 3, 2, 0}, .tiles = {{8, 128}, {2, 1}}},
    {.type = HB_BF16, .rank = 2, .dims = {1000, 96}, .layout = HB_MINOR,
     .minor = {0, 1}, .tiles = {{8, 128}, {2, 1}}},
    {.type = HB_F32, .rank = 3, .dims = {16, 128, 8}, .layout = HB_MINOR,
     .minor = {1, 0, 2}, .tiles = {{8, 128}}},
    TILED2(HB_BF16, 3, {4, 1024, 1024}),
};
/* clang-format on */

const struct hb_shape *bench_shape(int64_t kind)
{
    return &shapes[kind];
}

static int64_t element_bytes(enum hb_type type)
{
    switch (type) {
    case HB_PRED: return 1;
    case HB_BF16: return 2;
    default: return 4;
    }
}

static int64_t round_up(int64_t n, int64_t to)
{
    return (n + to - 1) / to * to;
}

int64_t bench_shape_bytes(int64_t kind)
{
    const struct hb_shape *s = &shapes[kind];
    int tile_rank = 0;
    while (s->tiles[0][tile_rank] != 0) {
        tile_rank++;
    }
    int64_t n = 1;
    for (int i = 0; i < s->rank; i++) { /* i counts from the minor-most dimension */
        int64_t dim = s->dims[s->layout == HB_MINOR ? s->minor[i] : s->rank - 1 - i];
        n *= i < tile_rank ? round_up(dim, s->tiles[0][tile_rank - 1 - i]) : dim;
    }
    return round_up(n * element_bytes(s->type), 512);
}

/* ---- names ---- */

const char *bench_opcode(int64_t step)
{
    static const char *const opcodes[] = {"add",         "multiply",  "convert", "copy",
                                          "dot",         "broadcast", "reduce",  "select",
                                          "convolution", "transpose", "slice",   "exponential"};
    return opcodes[(uint64_t)step * 7 % (sizeof opcodes / sizeof *opcodes)];
}

const char *bench_op_name(struct bench_names *names, int64_t step, int64_t n_steps)
{
    static const char *const ops[N_OPS] = {
        "ln_1/reduce_sum",           "ln_1/mul",
        "attention/qkv/dot_general", "attention/split",
        "attention/rope/mul",        "attention/bhqk/dot_general",
        "attention/softmax/exp",     "attention/softmax/div",
        "attention/out/dot_general", "ln_2/rsqrt",
        "mlp/up/dot_general",        "mlp/gelu/tanh",
        "mlp/down/dot_general",      "residual/add"};
    static const char *const passes[N_PASSES] = {"jit(train_step)/jvp(transformer)",
                                                 "jit(train_step)/transpose(jvp(transformer))"};
    int pass = step * 2 >= n_steps;
    int64_t position = step * 2 % n_steps; /* from 0 to n_steps in each pass */
    int64_t layer = position * LAYERS / n_steps;
    int64_t op = position * LAYERS * N_OPS / n_steps % N_OPS;
    if (pass) {
        layer = LAYERS - 1 - layer;
        op = N_OPS - 1 - op;
    }
    char **slot = &names->op_names[(pass * LAYERS + layer) * N_OPS + op];
    if (!*slot) {
        enum { SIZE = 128 };
        *slot = malloc(SIZE);
        if (!*slot) {
            abort();
        }
        snprintf(*slot, SIZE, "%s/layer_%lld/%s", passes[pass], (long long)layer, ops[op]);
    }
    return *slot;
}

void bench_names_init(struct bench_names *names, struct hb *hb)
{
    static const char *const files[N_FILES] = {"train.py", "model/attention.py", "model/mlp.py",
                                               "model/transformer.py", "optim/adam.py"};
    names->op_names = calloc(N_PASSES * LAYERS * N_OPS, sizeof *names->op_names);
    if (!names->op_names) {
        abort();
    }
    for (int i = 0; i < N_FILES; i++) {
        hb_file(hb, files[i]);
    }
    for (int i = 0; i < N_FUNCTIONS; i++) {
        char name[32];
        snprintf(name, sizeof name, "Block%d.__call__", i);
        hb_function(hb, name);
    }
    for (int i = 0; i < N_LOCATIONS; i++) {
        hb_location(hb, 1 + i % N_FILES, 1 + i % N_FUNCTIONS, 10 + i * 3, 4 + i % 60);
    }
    /* A tree with eight children a frame: stacks of up to five frames. */
    for (int i = 0; i < BENCH_FRAMES; i++) {
        names->frames[i] = hb_frame(hb, 1 + i % N_LOCATIONS, i == 0 ? 0 : 1 + (i - 1) / 8);
    }
}

void bench_names_free(struct bench_names *names)
{
    for (int i = 0; i < N_PASSES * LAYERS * N_OPS; i++) {
        free(names->op_names[i]);
    }
    free(names->op_names);
}

int64_t bench_frame(const struct bench_names *names, int64_t step)
{
    return names->frames[step / 3 % BENCH_FRAMES];
}
