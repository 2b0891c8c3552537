/* What ran in each step on the TensorCores of TPUs, added up as one program. Rules: XProf's
 * xplane_to_step_events.cc, step_events_to_steps_db.cc. */
#ifndef XPROFD_COMPAT_OPSTATS_STEP_OPS_H
#define XPROFD_COMPAT_OPSTATS_STEP_OPS_H

#include "opstats_metrics.h"
#include "xprofd/tools/tool.h"

struct xpd_ops_step {
    uint32_t number;
    struct xpd_ops_db ops; /* two operations: those that wait for the host, and all others that
                              hold none; empty on GPUs, where XProf does not count them by step */
};
struct xpd_ops_steps {
    struct xpd_ops_step *at;
    uint32_t count;
    struct xpd_ops_db all; /* of the steps together */
    const char *warning;   /* XProf's sentence where there are none */
};

/* Of the hosts selected by host=; everything is in ctx->arena. */
int xpd_ops_steps_of(const struct xpd_tool_ctx *ctx, struct xpd_ops_steps *out,
                     struct xpd_err *err);

#endif
