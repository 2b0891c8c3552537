/* Allocations as rows of an answer: those that are live at one instant or at either of two, those
 * that are equal in what they were for as one row. */
#ifndef XPROFD_SRC_TOOLS_TRACE_ALLOC_ROWS_H
#define XPROFD_SRC_TOOLS_TRACE_ALLOC_ROWS_H

#include "alloc_lanes.h"

#define XPD_ALLOC_ROW_FIELDS(FIELD)                                                                \
    FIELD(WORD("both only_a only_b"), state, "at which of the instants it is live")                \
    FIELD(INDEX, allocator, "index in the tracks of trace/allocators")                             \
    FIELD(MAYBE(INT), size_bytes, "size of all allocations in the row; null: not recorded")        \
    FIELD(MAYBE(INT), requested_bytes, "requested size")                                           \
    FIELD(COUNT, count, "number of allocations in the row")                                        \
    FIELD(NAME, what,                                                                              \
          "purpose: program code, from host, output, tuple table, launch, else the region that "   \
          "the runtime names, else other")                                                         \
    FIELD(NAME, op, "as the runtime reports; \"\" not recorded")                                   \
    FIELD(NAME, shape, "likewise")                                                                 \
    FIELD(NAME, data_type, "likewise")                                                             \
    FIELD(NAME, region, "likewise")                                                                \
    FIELD(NAME, program, "program that requested it, \"\" not recorded")                           \
    FIELD(NAME, source,                                                                            \
          "innermost Python frame around it on its thread, file and line: a library's where one "  \
          "called another; \"\" not recorded (Python tracer off, or a thread of the runtime)")     \
    FIELD(SIGNED, from_ps, "time of the first allocation")                                         \
    FIELD(SIGNED, last_from_ps, "time of the last allocation")                                     \
    FIELD(MAYBE(SIGNED), to_ps, "time of the last free; null: a free is not in the capture")       \
    FIELD(TEXT, address, "of the first, hexadecimal; \"\" not said")                               \
    FIELD(MAYBE(INT), event, "of the trace, of the first")
XPD_RECORD_TYPE(xpd_alloc_row, XPD_ALLOC_ROW_FIELDS)

/* What an allocator holds at an instant, and whether the rows tell all of it. */
#define XPD_ALLOC_HELD_FIELDS(FIELD)                                                               \
    FIELD(INDEX, allocator, "index in the tracks of trace/allocators")                             \
    FIELD(TEXT, title, "display name: TPU:0, mklcpu")                                              \
    FIELD(MAYBE(INT), in_use_bytes, "reserved + allocated; null: before the first event")          \
    FIELD(MAYBE(INT), reserved_bytes, "stack; null: not recorded")                                 \
    FIELD(MAYBE(INT), heap_bytes, "allocated, as the runtime reports")                             \
    FIELD(MAYBE(INT), available_bytes, "free")                                                     \
    FIELD(MAYBE(REAL), fragmentation, "1 - largest free block / free; null: not recorded")         \
    FIELD(MAYBE(INT), largest_free_bytes, "free x (1 - fragmentation)")                            \
    FIELD(INT, listed_bytes, "bytes of the listed rows live at this instant")                      \
    FIELD(INT, listed_count, "number of allocations in the listed rows")                           \
    FIELD(INT, unsized_count, "of these, allocations of unknown size")                             \
    FIELD(MAYBE(SIGNED), before_bytes, "bytes held since before the capture")                      \
    FIELD(SIGNED, without_address_bytes, "allocated less freed without an address")                \
    FIELD(MAYBE(SIGNED), closes_by_bytes,                                                          \
          "heap - listed - before - without address; 0: the rows explain the whole heap")
XPD_RECORD_TYPE(xpd_alloc_held, XPD_ALLOC_HELD_FIELDS)

struct xpd_alloc_rows {
    struct xpd_alloc_row *row; /* sorted as asked for */
    uint32_t count;
};
/* Times of the answer. With `two`, what is live at b alone or too. `first` to `end` of the lanes.
 */
struct xpd_alloc_ask {
    const struct xpd_trace_call *call;
    const struct xpd_alloc_lanes *lanes;
    uint32_t first, end;
    int64_t a_ps, b_ps;
    bool two;
    bool fold;           /* equal ones are one row */
    struct xpd_str sort; /* a key of the row; "" = size_bytes */
    int order;           /* -1 = as the key has it, 0 descending, 1 ascending */
};
int xpd_tools_alloc_rows(struct xpd_alloc_rows *out, const struct xpd_alloc_ask *ask,
                         struct xpd_err *err);
/* Of each lane from `first` to `end`; NULL: *err says why. */
struct xpd_alloc_held *xpd_tools_alloc_held(const struct xpd_alloc_ask *ask, int64_t at_ps,
                                            struct xpd_err *err);

#endif
