/* Memory of columns: large pieces straight from the system on huge pages, given back one by one;
 * small ones cut from chunks. Several threads take at the same time, each with a pen of its own. */
#ifndef XPD_TRACE_BLOCKS_H
#define XPD_TRACE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xpd_blocks;
struct xpd_pen { /* one thread's chunk; zeroed is empty */
    uint8_t *at;
    size_t left;
};

struct xpd_blocks *xpd_blocks_new(uint64_t budget_bytes); /* 0 = no limit */
void xpd_blocks_free(struct xpd_blocks *blocks);
/* Aligned for any type, not zeroed. NULL over budget or out of memory. */
void *xpd_blocks_take(struct xpd_blocks *blocks, struct xpd_pen *pen, size_t size);
/* A piece that may be given back. `size` as it was taken. */
#define XPD_LARGE_BYTES ((size_t)1 << 20)
void *xpd_blocks_take_large(struct xpd_blocks *blocks, size_t size);
void xpd_blocks_give_back(struct xpd_blocks *blocks, void *piece, size_t size);
uint64_t xpd_blocks_used(struct xpd_blocks *blocks);

#endif
