/* The text form of `xprofd memory`. */
#ifndef XPROFD_CLI_MEMORY_TEXT_H
#define XPROFD_CLI_MEMORY_TEXT_H

#include "xprofd/session/store.h"

void xpd_memory_text_head(const struct xpd_run *run, const struct xpd_module *module,
                          const struct xpd_hlo *hlo);
/* `step` XPD_NO_STEP means the peak; `top` rows of buffers, 0 = none. */
int xpd_memory_text_space(const struct xpd_run *run, const struct xpd_mem *mem,
                          const struct xpd_mem_space *space, uint32_t top, uint32_t step,
                          struct xpd_err *err);

#endif
