/* XProf 2.24's memory_viewer numbers, including its errors.
 *
 * For the compatible routes, and for the note "XProf shows ..." beside ours. Allocations by
 * ascending index, ties to the first. Never fails because of content: error_text has XProf's own
 * error, and the rest is computed. Out of memory: XPD_ENOMEM, or XPD_ELIMIT where the arena has a
 * budget. */
#ifndef XPROFD_MEMORY_XPROF_H
#define XPROFD_MEMORY_XPROF_H

#include "xprofd/memory/memory.h"

#define XPD_XPROF_SMALL_BYTES 16384

struct xpd_xprof_bar { /* HeapObject */
    uint32_t buffer;   /* XPD_NO_INDEX = the box of small ones */
    int64_t size_bytes, unpadded_bytes;
};
struct xpd_xprof_span {
    uint32_t buffer;
    int32_t start, limit;
};
struct xpd_xprof_block { /* BufferBlockProto; buffer XPD_NO_INDEX = container */
    uint32_t buffer;
    uint32_t allocation;
    int64_t offset_bytes, size_bytes;
    int32_t start_step, end_step;
};

struct xpd_xprof_memory {
    const char *error_text; /* XProf's message (2.6), NULL = none; in the arena */
    uint32_t trace;         /* XPD_NO_INDEX = none */
    uint32_t point_count;   /* N + 1, 0 without a trace */
    int64_t *heap_bytes, *unpadded_heap_bytes; /* before each event, without indefinite bytes */
    xpd_name_id *instruction_name;             /* point_count entries, last "" (id 0) */
    int64_t indefinite_bytes;                  /* what raises the timeline (2.7) */
    int64_t peak_bytes, peak_unpadded_bytes;   /* without indefinite bytes */
    int64_t peak_position;
    int64_t total_bytes, indefinite_total_bytes, parameter_bytes, non_reusable_bytes,
        live_out_bytes;
    int64_t scoped_bytes;
    uint32_t scoped_instruction;
    uint32_t bar_count, span_count, block_count, indefinite_count;
    struct xpd_xprof_bar *bar; /* max heap, program order */
    uint32_t *by_size;         /* bar indexes, GNU introsort order */
    struct xpd_xprof_span *span;
    struct xpd_xprof_block *block;
    uint32_t *indefinite; /* allocations of indefiniteLifetimes */
};

/* Buffers below `small_bytes` form one bar (XProf: XPD_XPROF_SMALL_BYTES). Results are in the
 * arena. XPD_ENOMEM; XPD_ELIMIT over the budget of the arena. */
int xpd_xprof_memory(struct xpd_xprof_memory *out, const struct xpd_mem *mem, int64_t color,
                     int64_t small_bytes, struct xpd_arena *arena, struct xpd_err *err);

#endif
