/* What only a module's bytes tell of single instructions: attributes and values as XLA prints them.
 * For answers that print a few of them; opening costs a walk over the module. */
#ifndef XPROFD_SRC_TOOLS_TABLES_MODULE_TEXT_H
#define XPROFD_SRC_TOOLS_TABLES_MODULE_TEXT_H

#include "../common/common.h"
#include "xprofd/hlo/print.h"

struct xpd_module_text { /* zeroed: not open */
    struct xpd_proto_bytes proto;
    struct xpd_hlo_printer *printer;
};
/* Of the module of ctx; nothing to do when it is open. */
int xpd_module_text_open(struct xpd_module_text *text, const struct xpd_tool_ctx *ctx,
                         struct xpd_err *err);
void xpd_module_text_close(struct xpd_module_text *text);

#endif
