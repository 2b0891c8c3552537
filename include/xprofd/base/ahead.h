/* Columns read from front to back, several at once: the processor asks for too little of them by
 * itself, and a loop that does little with each number waits for the next line of the cache. What
 * it brings: `xprofd_bench trace totals`. */
#ifndef XPROFD_BASE_AHEAD_H
#define XPROFD_BASE_AHEAD_H

#include <stdint.h>

/* Asks for what stands a little behind `at`. It may lie behind the column's end: nothing is read.
 */
static inline __attribute__((always_inline)) void xpd_read_ahead(const void *at)
{
    enum { BYTES = 2048 };
    __builtin_prefetch((const void *)((uintptr_t)at + BYTES));
}

#endif
