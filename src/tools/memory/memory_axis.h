/* The x axis of a memory curve: heap events, instructions, or their measured time. */
#ifndef XPROFD_SRC_TOOLS_MEMORY_MEMORY_AXIS_H
#define XPROFD_SRC_TOOLS_MEMORY_MEMORY_AXIS_H

#include "../common/common.h"
#include "../tables/measured.h"
#include "xprofd/memory/axis.h"

struct xpd_tools_axis {
    const char *word; /* "instruction", "time"; NULL: heap events, nothing is computed */
    const char *unit; /* of the places: "instruction", "ns" */
    struct xpd_axis axis;
    const char *no_time; /* why there is no measured time; NULL = there is, as far as is known */
    const char *clock;   /* "time": what the durations were measured with */
    uint32_t measured_count; /* "time": instructions of the module with a time */
};

/* By the parameter `axis`; heap events for one that this module does not have. */
int xpd_tools_axis(struct xpd_tools_axis *out, const struct xpd_tool_ctx *ctx, struct xpd_err *err);

#endif
