/* The group of equal buffers that holds most of the peak, and what changing it would do. */
#ifndef XPROFD_SRC_TOOLS_MEMORY_LARGEST_H
#define XPROFD_SRC_TOOLS_MEMORY_LARGEST_H

#include "../common/common.h"
#include "xprofd/tools/held.h"

/* {...} or null: the value of "largest". `share`-less when the peak is 0. */
int xpd_largest_write(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx,
                      const struct xpd_held_list *peak, struct xpd_err *err);

#endif
