/* What operations took on the other hosts of a run, beside the one whose times a table has. */
#ifndef XPROFD_SRC_TOOLS_TRACE_OPS_HOSTS_H
#define XPROFD_SRC_TOOLS_TRACE_OPS_HOSTS_H

#include "ops_rows.h"

struct xpd_ops_hosts {             /* of one row, all executions on hosts that ran it */
    uint32_t count;                /* hosts */
    uint32_t slowest;              /* in run->host */
    int64_t self_ps;               /* on all of them */
    double slowest_ps, fastest_ps; /* means of an execution */
};
/* By the parameter `hosts`: fills found->hosts, for which the events of all hosts that ran the
 * programs are read. XPD_EBUSY meanwhile. */
int xpd_tools_ops_hosts(struct xpd_ops_found *found, const struct xpd_tool_ctx *ctx,
                        const struct xpd_tool *tool, struct xpd_err *err);
#define XPD_OPS_HOSTS_PARAM                                                                        \
    {                                                                                              \
        .name = "hosts", .type = XPD_PARAM_INT, .max = 1,                                          \
        .help = "1: also the times of each operation on the other hosts that ran it, for all "     \
                "steps; reads their events"                                                        \
    }

#endif
