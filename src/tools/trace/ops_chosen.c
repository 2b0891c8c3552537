/* The lines that an answer is about. In: lines, the parameters that choose. Out: those chosen, in
 * their order. */
#include "ops_chosen.h"
#include "ops_kernels.h"
#include "xprofd/ops/filter.h"

int xpd_ops_filter(struct xpd_ops_lines *lines, const struct xpd_ops_found *found,
                   const struct xpd_tool_ctx *ctx, const char **note, struct xpd_err *err)
{
    struct xpd_op_filter filter;
    uint32_t kept = 0;
    char room[XPD_MATCH_NOTE_MAX];
    int rc = xpd_op_filter_init(&filter, xpd_param_text(ctx, "filter"), &found->ops, found->program,
                                ctx->arena, err);
    for (uint32_t i = 0; rc == XPD_OK && i < lines->count; i++)
        if (xpd_op_filter_test(&filter, lines->at[i].row))
            lines->at[kept++] = lines->at[i];
    const char *left = xpd_filter_note(&filter.filter, room);
    *note = left[0] ? xpd_arena_strndup(ctx->arena, left, strlen(left)) : NULL;
    if (!xpd_op_filter_fini(&filter) && rc == XPD_OK)
        rc = xpd_tools_no_memory(err);
    lines->count = rc == XPD_OK ? kept : lines->count;
    return rc;
}

/* ---- what is in a box ---- */

static bool is_kernel_in(struct xpd_strbuf *flat, struct xpd_str kernel,
                         const struct xpd_op_row *row, struct xpd_str box)
{
    xpd_strbuf_clear(flat);
    xpd_strbuf_printf(flat, "%.*s/%.*s", (int)kernel.size, kernel.data, (int)row->name.size,
                      row->name.data);
    return xpd_ops_is_below((struct xpd_str){flat->data, flat->size}, box);
}

/* Rows that launched the kernel whose box it is, or the operation of that box. */
static int mark_kernels(bool *in, const struct xpd_ops_lines *lines,
                        const struct xpd_ops_found *found, struct xpd_str box,
                        const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    struct xpd_ops_kernel_times times;
    struct xpd_strbuf flat = {0};
    int rc = xpd_tools_ops_kernel_times(&times, lines, found, ctx, err);
    for (uint32_t i = 0; rc == XPD_OK && i < times.count; i++) {
        const struct xpd_op_row *row = times.at[i].row;
        in[row - found->ops.row] |= is_kernel_in(&flat, times.at[i].kernel, row, box);
    }
    for (uint32_t i = 0; rc == XPD_OK && i < lines->count; i++) {
        const struct xpd_op_row *row = lines->at[i].row;
        if (!found->program[row->program].kernels)
            in[row - found->ops.row] = is_kernel_in(&flat, XPD_STR(XPD_OPS_NO_KERNEL), row, box);
    }
    if (flat.failed)
        rc = xpd_tools_no_memory(err);
    xpd_strbuf_fini(&flat);
    return rc;
}

void xpd_ops_lines_paths(struct xpd_ops_paths *paths, const struct xpd_ops_lines *lines,
                         const struct xpd_ops_found *found, int by)
{
    xpd_ops_paths_init(paths, found->program, by);
    for (uint32_t i = 0; i < lines->count; i++)
        xpd_ops_paths_look(paths, lines->at[i].row);
}

static int mark(bool *in, const struct xpd_ops_lines *lines, const struct xpd_ops_found *found,
                struct xpd_str box, int by, struct xpd_err *err)
{
    struct xpd_ops_paths paths;
    xpd_ops_lines_paths(&paths, lines, found, by);
    for (uint32_t i = 0; i < lines->count; i++)
        in[lines->at[i].row - found->ops.row] = xpd_ops_path_below(&paths, lines->at[i].row, box);
    return xpd_ops_paths_fini(&paths) ? XPD_OK : xpd_tools_no_memory(err);
}

int xpd_ops_narrow(struct xpd_ops_lines *lines, const struct xpd_ops_found *found,
                   const struct xpd_tool_ctx *ctx, const struct xpd_tool *tool, struct xpd_err *err)
{
    struct xpd_str box = xpd_param_text(ctx, "in");
    int by = xpd_param_word(ctx, tool, "in_by");
    uint32_t kept = 0;
    if (box.size == 0)
        return XPD_OK;
    bool *in = XPD_NEW_ARRAY(ctx->arena, bool, (size_t)found->ops.count + 1);
    if (!in)
        return xpd_tools_no_memory(err);
    int rc = by == XPD_OPS_BY_KERNEL ? mark_kernels(in, lines, found, box, ctx, err)
                                     : mark(in, lines, found, box, by, err);
    for (uint32_t i = 0; rc == XPD_OK && i < lines->count; i++)
        if (in[lines->at[i].row - found->ops.row])
            lines->at[kept++] = lines->at[i];
    lines->count = rc == XPD_OK ? kept : lines->count;
    return rc;
}
