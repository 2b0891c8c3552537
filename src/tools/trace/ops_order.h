/* Rows of an answer about operations: which of them, and in which order. */
#ifndef XPROFD_SRC_TOOLS_TRACE_OPS_ORDER_H
#define XPROFD_SRC_TOOLS_TRACE_OPS_ORDER_H

#include "ops_shown.h"

struct xpd_ops_line {
    struct xpd_ops_row shown; /* its texts once they are asked for */
    const struct xpd_op_row *row;
};
struct xpd_ops_lines {
    struct xpd_ops_line *at;
    uint32_t count;
    bool has_texts;
};

/* A line for each row. */
int xpd_ops_lines_make(struct xpd_ops_lines *lines, const struct xpd_ops_found *found,
                       struct xpd_arena *arena, struct xpd_err *err);
/* The parameters `sort` (a key of the row, or "time", "lost", "flops", "bytes" of all executions)
 * and `order`: the largest or, of texts, the first; unknown is last in any case. XPD_EINVAL for a
 * key that is none. */
int xpd_ops_sort(struct xpd_ops_lines *lines, const struct xpd_ops_found *found,
                 const struct xpd_tool_ctx *ctx, struct xpd_err *err);
#define XPD_OPS_SORT_PARAMS                                                                        \
    {.name = "sort",                                                                               \
     .type = XPD_PARAM_TEXT,                                                                       \
     .help = "`time` (self time, the default), `lost`, `flops` or `bytes` of all executions, or "  \
             "a key of the rows"},                                                                 \
    {                                                                                              \
        .name = "order", .type = XPD_PARAM_ENUM, .words = "desc asc",                              \
        .help = "default: numbers from the largest, texts from the first; unknown is last"         \
    }
/* Texts of some lines, where they are not there yet. */
void xpd_ops_lines_texts(struct xpd_ops_lines *lines, const struct xpd_ops_found *found,
                         uint32_t first, uint32_t count, struct xpd_arena *arena);

#endif
