/* What heap files gained: since the one that is compared with, for a limit of CI; and over each
 * series, for Doctor. */
#ifndef XPROFD_TOOLS_HEAP_H
#define XPROFD_TOOLS_HEAP_H

#include "xprofd/doctor/doctor.h"
#include "xprofd/tools/tool.h"

struct xpd_heap_gain {
    struct xpd_str file, against;
    bool compared;                 /* there is a file to compare with */
    bool bytes;                    /* values are bytes */
    int64_t total;                 /* gained by all lines together; below 0: less */
    int64_t most;                  /* by the line that gained most */
    struct xpd_str line, function; /* that line; "" = none gained */
};
/* `ctx` has run, store and the parameters of heap/lines. Texts are in ctx->arena, or in the run and
 * valid as long as it is held. XPD_EINVAL, XPD_ENOTFOUND (no such file), XPD_EBUSY, XPD_ENOMEM. */
int xpd_tools_heap_gain(struct xpd_heap_gain *out, const struct xpd_tool_ctx *ctx,
                        struct xpd_err *err);

/* Every series of the run with the lines that grow, by the sums of heap/lines. `ctx` has run and
 * store; its parameters are not read. All texts are in ctx->arena. A file that cannot be read is
 * the reason of its series. XPD_EBUSY, XPD_ENOMEM. */
int xpd_tools_heap_growth(struct xpd_doctor_heap *out, const struct xpd_tool_ctx *ctx,
                          struct xpd_err *err);

#endif
