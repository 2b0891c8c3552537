/* Filters of operations: which rows an expression (match/filter.h) lets through. */
#ifndef XPROFD_OPS_FILTER_H
#define XPROFD_OPS_FILTER_H

#include "xprofd/match/filter.h"
#include "xprofd/ops/ops.h"

struct xpd_op_filter { /* owns its texts; of one thread */
    struct xpd_filter filter;
    const struct xpd_ops_program *program;
    const struct xpd_op_row *row; /* that is tried */
    int64_t self_ps;              /* of all rows */
    struct xpd_strbuf text;
};
/* `rows` made of `program`. Terms are kept in the arena. XPD_EINVAL: the expression is none. */
int xpd_op_filter_init(struct xpd_op_filter *filter, struct xpd_str typed,
                       const struct xpd_op_rows *rows, const struct xpd_ops_program *program,
                       struct xpd_arena *arena, struct xpd_err *err);
bool xpd_op_filter_test(struct xpd_op_filter *filter, const struct xpd_op_row *row);
/* False: there was not enough memory for some text, and the answers are wrong. */
bool xpd_op_filter_fini(struct xpd_op_filter *filter);

#endif
