/* A random case twice: as the naive model, replayed, and as an HloProto, analysed. */
#ifndef TESTS_UNIT_MEMORY_NAIVE_CASE_H
#define TESTS_UNIT_MEMORY_NAIVE_CASE_H

#include "mem_test.h"
#include "naive.h"

/* The same seed gives the same case. One temp allocation a space; sizes may overlap in addresses in
 * both. mem_close() ends it. */
void naive_open(struct naive *n, struct mem_case *c, uint32_t seed, bool damage);

#endif
