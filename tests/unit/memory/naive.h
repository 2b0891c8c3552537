/* The plainest possible model of the replay: every step keeps the whole list of held storages. */
#ifndef TESTS_UNIT_MEMORY_NAIVE_H
#define TESTS_UNIT_MEMORY_NAIVE_H

#include <stdbool.h>
#include <stdint.h>

enum { NAIVE_VALUES = 24, NAIVE_STEPS = 160, NAIVE_BYTES = 256, NAIVE_SPACES = 2 };

struct naive_value {
    int64_t size, unpadded, offset; /* offset: address in its space */
    int space;                      /* 0 (summed) or 1 (union) */
};
struct naive_event {
    char kind; /* 'A', 'F', 'S' */
    int value, with;
};
struct naive_held { /* a storage at one step */
    int root, start;
    int64_t size, unpadded, offset;
};
struct naive_step {
    struct naive_held held[NAIVE_VALUES];
    int count;
};
struct naive {
    int values, events;
    struct naive_value value[NAIVE_VALUES];
    struct naive_event event[NAIVE_STEPS];
    int lane_starts; /* first event of the second trace */
    /* by space */
    int steps[NAIVE_SPACES];
    struct naive_step step[NAIVE_SPACES][NAIVE_STEPS];
    int lane_end[NAIVE_SPACES][NAIVE_STEPS]; /* by step: end of its lane */
    int root[NAIVE_VALUES];
};

void naive_make(struct naive *n, uint64_t seed, bool damage);
void naive_run(struct naive *n);
/* Live bytes of a step without the storages whose root is marked (gone may be NULL). */
int64_t naive_live(const struct naive *n, int space, int step, const bool *gone);
/* How long the storage that starts at `start` is held: first step without it. */
int naive_end(const struct naive *n, int space, int root, int start);

#endif
