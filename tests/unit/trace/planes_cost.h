/* Whether the cost of what is done with the planes of a file grows as their number does. */
#ifndef TESTS_UNIT_TRACE_PLANES_COST_H
#define TESTS_UNIT_TRACE_PLANES_COST_H

#include "derive_space.h"

struct planes_cost {
    uint32_t planes;
    int rounds; /* at most; fewer where the machine is not busy */
    void (*add)(struct dspace *d, const char *name, uint32_t number);
    void (*work)(const struct dspace *d);
};

/* Twice as many planes take at most 2.2 times as long; what compares each with all others takes
 * four times. Their names come in no order. */
void assert_grows_with_planes(const struct planes_cost *cost);

#endif
