/* Memory of columns: large pieces straight from the system on huge pages, given back one by one;
 * small ones cut from chunks. Several threads take at the same time, each with a pen of its own. */
#ifndef XPD_TRACE_BLOCKS_H
#define XPD_TRACE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xpd_trace_blocks;
struct xpd_pen { /* one thread's chunk and scratch memory; zeroed is empty */
    uint8_t *at;
    size_t left;
    void *scratch;
    size_t scratch_bytes;
};

struct xpd_trace_blocks *xpd_blocks_new(uint64_t budget_bytes); /* 0 = no limit */
void xpd_blocks_free(struct xpd_trace_blocks *blocks);
/* Aligned for any type, not zeroed. NULL over budget or out of memory. */
void *xpd_blocks_take(struct xpd_trace_blocks *blocks, struct xpd_pen *pen, size_t size);
/* Memory for a while, the same piece each time: fresh pages cost more than most work in them. Not
 * zeroed; NULL out of memory. */
void *xpd_pen_scratch(struct xpd_pen *pen, size_t size);
/* Gives back the scratch and what is left of the chunk. */
void xpd_pen_close(struct xpd_trace_blocks *blocks, struct xpd_pen *pen);
/* A piece that may be given back. `size` as it was taken. */
#define XPD_LARGE_BYTES ((size_t)1 << 20)
void *xpd_blocks_take_large(struct xpd_trace_blocks *blocks, size_t size);
void xpd_blocks_give_back(struct xpd_trace_blocks *blocks, void *piece, size_t size);
uint64_t xpd_blocks_used(struct xpd_trace_blocks *blocks);

#endif
