/* A sum of operations as a row of an answer. */
#ifndef XPROFD_SRC_TOOLS_TRACE_OPS_SUM_H
#define XPROFD_SRC_TOOLS_TRACE_OPS_SUM_H

#include "ops_shown.h"
#include "xprofd/ops/sum.h"

void xpd_ops_sum_show(struct xpd_ops_row *to, const struct xpd_ops_sum *sum,
                      const struct xpd_ops_found *found);

#endif
