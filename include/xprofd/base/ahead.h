/* Prefetching for several columns that are read from front to back at once. The processor
 * prefetches too little of them, and a loop that does little with each number waits for the next
 * cache line. `xprofd_bench trace totals` measures the gain. */
#ifndef XPROFD_BASE_AHEAD_H
#define XPROFD_BASE_AHEAD_H

#include <stdint.h>

/* Prefetches a cache line a little after `at`. The address may be past the end of the column:
 * nothing is read. */
static inline __attribute__((always_inline)) void xpd_read_ahead(const void *at)
{
    enum { BYTES = 2048 };
    __builtin_prefetch((const void *)((uintptr_t)at + BYTES));
}

#endif
