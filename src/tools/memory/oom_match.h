/* Which program of a run an error text is about. */
#ifndef XPROFD_SRC_TOOLS_MEMORY_OOM_MATCH_H
#define XPROFD_SRC_TOOLS_MEMORY_OOM_MATCH_H

#include "oom.h"

struct xpd_oom_match {
    uint32_t module; /* XPD_NO_INDEX = none of this run */
    const struct xpd_mem *mem;
    const struct xpd_mem_space *space; /* or NULL */
    int matches;                       /* 1, 0, -1 = cannot be told */
    char sentence[320];
};
void xpd_oom_match(struct xpd_oom_match *out, const struct xpd_tool_ctx *ctx,
                   const struct xpd_oom_text *text);

#endif
