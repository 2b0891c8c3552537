/*
 * The first half of hlo_bench: what instructions and buffers there are, who lives when and where.
 * Only hlo_bench.c uses it.
 */
#ifndef TESTS_SUPPORT_HLO_BENCH_PLAN_H
#define TESTS_SUPPORT_HLO_BENCH_PLAN_H

#include "hlo_bench.h"
#include "hlo_bench_names.h"
#include "hlo_builder.h"

/*
 * The schedule is a list of steps, numbered over the whole module in the order in which the heap
 * simulator runs them: entry up to the loop, condition, body, the while itself, rest of the entry.
 * Every step has one instruction and some buffers. Fused computations have no steps.
 */
enum part { PART_ENTRY, PART_COND, PART_BODY, N_PARTS };
enum { PER_FUSION = 5, COND_STEPS = 4, N_TIED = 40, MAX_OUT = 8, NONE = -1 };

enum buffer_kind { BUF_TEMP, BUF_SHARER, BUF_UNTRACED, BUF_PARAM, BUF_OUTPUT };

struct buffer {
    int64_t step;
    int64_t offset;
    int64_t root;  /* a sharer's first holder of the storage, otherwise the buffer itself */
    int64_t next;  /* in the list of its death's step, or in the free list of its kind */
    int64_t death; /* step */
    int users;     /* of the storage; counted at the root */
    unsigned char shape;
    unsigned char kind;
};

struct bench {
    struct hb hb;
    struct bench_size size;
    struct bench_names names;
    uint64_t random;
    int64_t n_fused; /* fused computations */
    int64_t n_steps;
    int64_t n_params;
    int64_t n_outputs;
    int64_t loop_at, body_at, loop_end; /* steps: condition, body, while */
    struct buffer *buffers;
    int64_t *first_buffer; /* of a step; n_steps + 1 entries */
    int64_t *dying;        /* first buffer of the list of a step */
    int64_t heap_size;
};

extern const char *const bench_part_name[N_PARTS];

/* A random number from 0 to limit - 1. */
int64_t bench_below(struct bench *b, int64_t limit);

enum part bench_part_of(const struct bench *b, int64_t step);
int64_t bench_step_id(const struct bench *b, int64_t step);
void bench_step_name(const struct bench *b, int64_t step, char *out, size_t size);

/* The number of the step's fused computation, or NONE. */
int64_t bench_fusion_of(const struct bench *b, int64_t step);

/* The three stages, in this order; buffers, first_buffer and dying are allocated after the first.
 */
void bench_plan_steps(struct bench *b);
void bench_plan_buffers(struct bench *b);
void bench_run_heap(struct bench *b); /* writes the trace */

#endif
