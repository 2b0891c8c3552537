/* What hlo_bench takes its shapes, opcodes, op names and stack frames from. */
#ifndef TESTS_SUPPORT_HLO_BENCH_NAMES_H
#define TESTS_SUPPORT_HLO_BENCH_NAMES_H

#include "hlo_builder.h"

enum { BENCH_SHAPES = 36, BENCH_FRAMES = 1200 };

struct bench_names {
    char **op_names; /* filled when first asked for */
    int64_t frames[BENCH_FRAMES];
};

/* Adds the stack frame index to hb. */
void bench_names_init(struct bench_names *names, struct hb *hb);
void bench_names_free(struct bench_names *names);

const struct hb_shape *bench_shape(int64_t kind);

/* The padded size, rounded up to 512 bytes. */
int64_t bench_shape_bytes(int64_t kind);

const char *bench_opcode(int64_t step);

/* The name belongs to names. Neighbouring steps have the same name or the same layer. */
const char *bench_op_name(struct bench_names *names, int64_t step, int64_t n_steps);
int64_t bench_frame(const struct bench_names *names, int64_t step);

#endif
