/* Side tables: what the tools derive from a module once and look up in every answer after that.
 *
 * They live beside the module in the store, or beside the run when ctx->module is XPD_NO_INDEX.
 * When it has no room for one, the table is made for this answer alone, so a tool sees no
 * difference but in time. */
#ifndef XPROFD_SRC_TOOLS_TABLES_TABLES_H
#define XPROFD_SRC_TOOLS_TABLES_TABLES_H

#include "../common/common.h"

enum xpd_table_kind {
    XPD_TABLE_FACTS,  /* by space */
    XPD_TABLE_ROWS,   /* by space */
    XPD_TABLE_ORDER,  /* by space, key and direction */
    XPD_TABLE_SAVING, /* by space */
    XPD_TABLE_GROUPS, /* by space and `by` */
    XPD_TABLE_WORDS,
    XPD_TABLE_EQUAL,
    XPD_TABLE_COSTS,
    XPD_TABLE_GRAPH,
    XPD_TABLE_TREE,
    XPD_TABLE_ALLOCATIONS,    /* of the run, by host */
    XPD_TABLE_REPORT,         /* by space */
    XPD_TABLE_REUSE,          /* by space */
    XPD_TABLE_LEVELS,         /* of the run, by host */
    XPD_TABLE_OVERLAP,        /* of the run, by host */
    XPD_TABLE_OVERLAP_ROLES,  /* of the run, by host */
    XPD_TABLE_OVERLAP_DEVICE, /* of the run, by host */
    XPD_TABLE_STEPS,          /* of the run, by host and clock */
    XPD_TABLE_SPLIT,          /* of the run, by program, host and clock */
    XPD_TABLE_INPUT,          /* of the run, by host */
    XPD_TABLE_USES,           /* by space */
    XPD_TABLE_TOPS,           /* by space */
    XPD_TABLE_FLOW,           /* by space */
    XPD_TABLE_STRIP,          /* by space */
    XPD_TABLE_HOLDERS,
    XPD_TABLE_BLOCKS,
    XPD_TABLE_ALLOC_LIVES,   /* of the run, by host */
    XPD_TABLE_ALLOC_PURPOSES /* of the run, by host and allocator */
};

/* Fills *table; what it keeps lives in `arena`, what it needs meanwhile in ctx->arena or its own.
 */
typedef int xpd_table_make(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                           uint32_t detail, struct xpd_err *err);
/* The table of that kind for the module of ctx; `detail` (below 2^24) tells those of a kind apart,
 * `by_space` those of the module's spaces. NULL only without memory for the answer. */
const void *xpd_table(const struct xpd_tool_ctx *ctx, enum xpd_table_kind kind, uint32_t detail,
                      bool by_space, size_t size, xpd_table_make *make, struct xpd_err *err);
/* What to return for it. */
static inline int xpd_table_status(const void *table, const struct xpd_err *err)
{
    if (table)
        return XPD_OK;
    return err && err->code != XPD_OK ? err->code : XPD_ENOMEM;
}
/* The same when it is made already, else NULL. */
const void *xpd_table_made(const struct xpd_tool_ctx *ctx, enum xpd_table_kind kind,
                           uint32_t detail, bool by_space);
/* Has a thread make the tables that the tools ask for most. */
void xpd_tables_ahead(const struct xpd_tool_ctx *ctx);

#endif
