/* An error text read and held against a run's programs. */
#ifndef XPROFD_SRC_TOOLS_MEMORY_OOM_H
#define XPROFD_SRC_TOOLS_MEMORY_OOM_H

#include "../common/common.h"

#include "xprofd/memory/oom_text.h"

/* Writes the answer of /api/v1/oom as one object. `ctx->run` may be NULL: then match is null. */
int xpd_oom_write(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx, struct xpd_str text,
                  struct xpd_err *err);

#endif
