/* XProf's tools that answer with tables, one file each in this folder, listed in tables.def. A tool
 * only makes the tables; data.c writes them as JSON or CSV. */
#ifndef XPROFD_COMPAT_TABLES_TABLES_H
#define XPROFD_COMPAT_TABLES_TABLES_H

#include "data_table.h"
#include "xprofd/tools/tool.h"

struct xpd_tables { /* everything in ctx->arena */
    const struct xpd_data_table *table;
    uint32_t count;      /* the first is the one of the CSV; 0 = there is nothing to make CSV of */
    bool alone;          /* JSON is the one table, not a list of tables */
    struct xpd_str json; /* JSON of tools whose answer is not a table; "" = made from the tables, */
    bool has_json;       /* but where this is set: the answer is empty */
};

struct xpd_table_tool {
    const char *tag;
    int (*make)(const struct xpd_tool_ctx *ctx, struct xpd_tables *out, struct xpd_err *err);
};

/* The answer is one table, copied into ctx->arena with the rows as they are; XPD_ENOMEM. */
static inline int xpd_tables_alone(struct xpd_tables *out, const struct xpd_tool_ctx *ctx,
                                   const struct xpd_data_table *table, struct xpd_err *err)
{
    out->table = XPD_COPY_ARRAY(ctx->arena, table, 1);
    out->count = 1;
    out->alone = true;
    if (!out->table || ctx->arena->failed)
        return xpd_no_memory(err, NULL, "for this answer");
    return XPD_OK;
}

/* NULL: no such tag. */
const struct xpd_table_tool *xpd_table_tool_find(struct xpd_str tag);

/* The answers of /data and /data_csv. */
int xpd_table_tool_json(const struct xpd_table_tool *tool, const struct xpd_tool_ctx *ctx,
                        struct xpd_tool_result *out, struct xpd_err *err);
int xpd_table_tool_csv(const struct xpd_table_tool *tool, const struct xpd_tool_ctx *ctx,
                       struct xpd_tool_result *out, struct xpd_err *err);

#endif
