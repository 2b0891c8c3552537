/* Two programs compared, as the route and as `xprofd diff` and `xprofd check` give it. The two may
 * lie in different stores. */
#ifndef XPROFD_TOOLS_COMPARE_H
#define XPROFD_TOOLS_COMPARE_H

#include "xprofd/tools/tool.h"

enum xpd_compare_format {
    XPD_COMPARE_JSON,
    XPD_COMPARE_TEXT,
    XPD_COMPARE_ASCII, /* text without block characters */
    XPD_COMPARE_MD
};

/* ctx[0] is before, ctx[1] after; both have run, module, hlo, mem and space set and share an arena.
 * Appends to `out`. XPD_ENOMEM. */
int xpd_compare_answer(const struct xpd_tool_ctx ctx[2], enum xpd_compare_format format,
                       struct xpd_strbuf *out, struct xpd_err *err);
/* The module of `before` that pairs with this one: the same name, and among several the one of the
 * same signature, or of the same key where signatures leave a choice. XPD_ENOTFOUND lists the
 * candidates. */
int xpd_compare_pair(struct xpd_store *store, const struct xpd_run *before,
                     const struct xpd_module *like, const struct xpd_hlo *after, uint32_t *module,
                     struct xpd_err *err);

/* Why the memory of the two cannot be compared, or NULL: without a buffer assignment nothing is
 * known of a program's memory, and two unknowns are not equal. */
const char *xpd_compare_nothing(const struct xpd_tool_ctx ctx[2]);

#endif
