/* Labels of the strip under the chart: which part of the user's program an operation belongs to.
 *
 * A label is "forward", "backward" or the first named scope; with the depth the named scopes inside
 * follow. */
#ifndef XPROFD_SRC_TOOLS_MEMORY_STRIP_LABELS_H
#define XPROFD_SRC_TOOLS_MEMORY_STRIP_LABELS_H

#include "../tables/tools_tables.h"
#include "xprofd/base/map64.h"
#include "xprofd/base/vec.h"

#define XPD_STRIP_DEPTH_MAX 6

struct xpd_strip_label { /* by depth: its text; 0 = "" */
    uint32_t text[XPD_STRIP_DEPTH_MAX + 1];
};

/* Labels of op names, each taken apart once. */
struct xpd_strip_labels {
    struct xpd_intern text;
    XPD_VEC(struct xpd_strip_label) label; /* number 0 is that of no op name */
    struct xpd_map64 of_op_name;           /* number by address: texts of one module */
    struct xpd_map64 of_text;              /* the last number with that text at the deepest */
    struct xpd_strbuf scratch;
};
void xpd_strip_labels_init(struct xpd_strip_labels *labels, struct xpd_arena *arena);
void xpd_strip_labels_fini(struct xpd_strip_labels *labels);
/* The number of an op name's label; 0 for "". The op name is to stay where it is. */
uint32_t xpd_strip_label_of(struct xpd_strip_labels *labels, struct xpd_str op_name);
bool xpd_strip_labels_failed(const struct xpd_strip_labels *labels);

/* The same of what runs at each step of a space, made once. */
struct xpd_strip_table {
    const uint32_t *of_step; /* number of a label */
    const struct xpd_strip_label *label;
    const struct xpd_str *text;
};
const struct xpd_strip_table *xpd_table_strip(const struct xpd_tool_ctx *ctx, struct xpd_err *err);
/* When it is made already, else NULL: one strip asks for few steps. */
const struct xpd_strip_table *xpd_table_strip_made(const struct xpd_tool_ctx *ctx);

#endif
