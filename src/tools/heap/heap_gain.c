/* What a heap file gained, by the same sums as heap/lines. */
#include "xprofd/tools/heap.h"

#include "heap_rows.h"

int xpd_tools_heap_gain(struct xpd_heap_gain *out, const struct xpd_tool_ctx *ctx,
                        struct xpd_err *err)
{
    struct xpd_heap_ask ask;
    struct xpd_heap_lines lines;
    uint32_t most = XPD_NO_INDEX;
    *out = (struct xpd_heap_gain){.line = XPD_STR(""), .function = XPD_STR("")};
    int rc = xpd_heap_ask_init(&ask, ctx, &xpd_tool_heap_lines, err);
    if (rc == XPD_OK)
        rc = xpd_heap_lines_make(&lines, &ask, XPD_HEAP_BY_LINE, err);
    for (uint32_t i = 0; rc == XPD_OK && i < lines.groups.row_count; i++) {
        int64_t change = xpd_heap_lines_change(&lines, i);
        xpd_grow_i64(&out->total, change);
        if (change > out->most) {
            out->most = change;
            most = i;
        }
    }
    if (rc == XPD_OK) {
        struct xpd_heap_line_row row;
        out->file = ask.file[ask.at].name;
        out->against = ask.base ? xpd_arena_str(ctx->arena, ask.base->name) : XPD_STR("");
        out->compared = ask.compared != XPD_NO_INDEX;
        out->bytes = xpd_heap_unit_of(&ask) == XPD_HEAP_BYTES;
        if (most != XPD_NO_INDEX) {
            xpd_heap_lines_row(&lines, most, false, &row);
            out->line = xpd_arena_str(ctx->arena, row.label);
            out->function = xpd_arena_str(ctx->arena, row.function);
        }
    }
    xpd_heap_ask_fini(&ask);
    return rc;
}
