/* The text form of `xprofd memory`. */
#ifndef XPROFD_CLI_MEMORY_TEXT_H
#define XPROFD_CLI_MEMORY_TEXT_H

#include "xprofd/tools/tool.h"

void xpd_memory_text_head(const struct xpd_run *run, const struct xpd_module *module,
                          const struct xpd_hlo *hlo);
/* XPD_EINVAL when the space has no such step; XPD_NO_STEP (the peak) is always right. */
int xpd_memory_text_check_step(const struct xpd_mem_space *space, uint32_t step,
                               struct xpd_err *err);

struct xpd_memory_text {
    uint32_t top;                   /* rows of buffers, 0 = none */
    uint32_t step;                  /* XPD_NO_STEP = the peak */
    const struct xpd_tool_ctx *ctx; /* knows the capacity */
};
int xpd_memory_text_space(const struct xpd_run *run, const struct xpd_mem *mem,
                          const struct xpd_mem_space *space, const struct xpd_memory_text *what,
                          struct xpd_err *err);

#endif
