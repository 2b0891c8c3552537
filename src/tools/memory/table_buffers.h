/* Tables of the buffers of a space: the rows, what each saves, the rows in every order, the groups.
 */
#ifndef XPROFD_SRC_TOOLS_MEMORY_TABLE_BUFFERS_H
#define XPROFD_SRC_TOOLS_MEMORY_TABLE_BUFFERS_H

#include "../tables/tools_tables.h"
#include "buffer_table.h"

struct xpd_all_rows {
    const struct xpd_buffer_row *row; /* in order of buffers */
    uint32_t count;
    int64_t bytes, unpadded_bytes;
};
const struct xpd_all_rows *xpd_table_rows(const struct xpd_tool_ctx *ctx, struct xpd_err *err);

/* By buffer of the module: xpd_saving_of in the space of ctx. */
struct xpd_savings {
    const int64_t *by_buffer;
};
const struct xpd_savings *xpd_table_savings(const struct xpd_tool_ctx *ctx, struct xpd_err *err);
/* The same when it is there already, else NULL: for answers that need few of them. */
const struct xpd_savings *xpd_table_savings_made(const struct xpd_tool_ctx *ctx);

/* Places in xpd_all_rows in the order of a key. */
struct xpd_row_order {
    const uint32_t *row;
    /* In the direction of the first click; the other one is made of this. */
    const uint64_t *begins; /* a bit by place: the key is not that of the row before; or NULL */
    uint32_t known_count;   /* those behind have no such number */
};
const struct xpd_row_order *xpd_table_order(const struct xpd_tool_ctx *ctx, enum xpd_buffer_key key,
                                            bool descending, struct xpd_err *err);

/* The group of each row, and the largest groups when nothing is filtered. */
struct xpd_row_groups {
    const uint32_t *name_of;    /* by place in xpd_all_rows: index into text */
    const struct xpd_str *text; /* of the groups, in order of their first row */
    uint32_t text_count;
    const struct xpd_buffer_group *group; /* `name` is an index into text */
    uint32_t group_count, left_out;
};
/* `by`: word number of the parameter, above 0. */
const struct xpd_row_groups *xpd_table_groups(const struct xpd_tool_ctx *ctx, uint32_t by,
                                              struct xpd_err *err);

#endif
