/* hlo_bench: a large HloProto that looks like a training step, for measuring. */
#ifndef TESTS_SUPPORT_HLO_BENCH_H
#define TESTS_SUPPORT_HLO_BENCH_H

#include "pbw.h"

struct bench_size {
    int64_t instructions;
    int64_t buffers;
    int64_t events;
};

/*
 * Appends an HloProto of about this size to out and stores what it really has in size. The same
 * size gives the same bytes on every machine. Every traced buffer has two events, so there can be
 * no more than two events a buffer.
 *
 * What is in it: fusions with their computations, a while loop of a quarter of the schedule,
 * scalars to arrays of four dimensions with tiles, multi-output instructions, parameters (some
 * donated), outputs, one temp allocation with one heap trace in which no two live buffers overlap,
 * sharers, untraced members, stack frames, a schedule.
 */
void bench_build(struct pbw *out, struct bench_size *size);

#endif
