/* The allocators that a question about memory over time is about: those of one host, or of all
 * hosts side by side, each on the axis of the answer. */
#ifndef XPROFD_SRC_TOOLS_TRACE_ALLOC_LANES_H
#define XPROFD_SRC_TOOLS_TRACE_ALLOC_LANES_H

#include "../tables/tools_tables.h"
#include "allocators.h"
#include "trace_common.h"
#include "xprofd/base/time_text.h"

struct xpd_alloc_lane {
    uint32_t host, index; /* in run->host; in the allocators of that host */
    const struct xpd_allocations *all;
    const struct xpd_allocator *of;
    const struct xpd_alloc_lives *lives;
    const struct xpd_trace *trace; /* of its host alone */
    uint32_t own_process, process; /* whose memory: of that trace, of the view; XPD_NO_INDEX */
    uint32_t first_row;            /* of the view, of its host's rows */
    uint64_t first_event;
    int64_t shift_ps;     /* a time of the events and this is one of the view */
    struct xpd_str title; /* "TPU:0", "mklcpu"; of several hosts with the host in front */
};
struct xpd_alloc_lanes {
    struct xpd_alloc_lane *at; /* host by host, in order of names: `allocator` of the answers */
    uint32_t count;
    int64_t dropped;
    bool cut;
};
int xpd_tools_alloc_lanes(struct xpd_alloc_lanes *out, const struct xpd_trace_call *call,
                          struct xpd_err *err);
/* The parameter `allocator`; *first and *end are all of them without it. XPD_ENOTFOUND. */
int xpd_tools_alloc_choice(const struct xpd_alloc_lanes *lanes, const struct xpd_tool_ctx *ctx,
                           uint32_t *first, uint32_t *end, struct xpd_err *err);
/* By event of the lane; NULL: *err says why. */
const struct xpd_alloc_purpose *xpd_tools_alloc_purposes(const struct xpd_trace_call *call,
                                                         const struct xpd_alloc_lane *lane,
                                                         struct xpd_err *err);
/* A time of the lane's events relative to the base of the answer, and back. */
int64_t xpd_tools_alloc_at(const struct xpd_trace_call *call, const struct xpd_alloc_lane *lane,
                           int64_t ps);
int64_t xpd_tools_alloc_own(const struct xpd_trace_call *call, const struct xpd_alloc_lane *lane,
                            int64_t at_ps);
/* Text number `id` of its events. */
struct xpd_str xpd_tools_alloc_text(const struct xpd_alloc_lane *lane, xpd_name_id id);
/* "output": what an allocation was for; its region where that is all that is said. */
struct xpd_str xpd_tools_alloc_what(const struct xpd_alloc_lane *lane,
                                    const struct xpd_alloc_purpose *purpose,
                                    const struct xpd_allocation *event);
/* The program that is next on its device when an event is reported; "" = not said. */
struct xpd_str xpd_tools_alloc_running(const struct xpd_alloc_lane *lane, uint32_t event);
/* "0x68fbef800"; an empty text when it is not said. */
struct xpd_str xpd_tools_alloc_address(const struct xpd_allocation *event, struct xpd_arena *arena);

/* "15.181 s": an instant, from a second on with three digits; below as a span of time. */
const char *xpd_tools_alloc_time(char out[XPD_TIME_TEXT_BYTES], int64_t at_ps);

#define XPD_PARAM_ALLOCATOR                                                                        \
    {                                                                                              \
        .name = "allocator", .type = XPD_PARAM_INT, .max = UINT32_MAX,                             \
        .help = "index of a track of trace/allocators; default: all"                               \
    }

#endif
