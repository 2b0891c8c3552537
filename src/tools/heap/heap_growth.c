/* Lines that grow over each series of heap files. In: a run of such files. Out: plain numbers for
 * Doctor, by the same sums as heap/lines. */
#include "xprofd/tools/heap.h"

#include "heap_rows.h"

#include <stdlib.h>

static int steepest_first(const void *a, const void *b)
{
    const struct xpd_doctor_heap_line *x = a, *y = b;
    if (x->last_growth_bytes != y->last_growth_bytes)
        return x->last_growth_bytes < y->last_growth_bytes ? 1 : -1;
    return xpd_str_order(x->key, y->key);
}

static struct xpd_str kept(const struct xpd_tool_ctx *ctx, struct xpd_str text)
{
    return text.size > 0 ? xpd_arena_str(ctx->arena, text) : XPD_STR("");
}

static void fill_line(struct xpd_doctor_heap_line *out, const struct xpd_heap_lines *lines,
                      uint32_t index)
{
    const struct xpd_tool_ctx *ctx = lines->ask->ctx;
    struct xpd_heap_line_row row;
    xpd_heap_lines_row(lines, index, false, &row);
    *out = (struct xpd_doctor_heap_line){
        .key = kept(ctx, row.key),
        .label = kept(ctx, row.label),
        .function = kept(ctx, row.function),
        .file = kept(ctx, row.file),
        .line = row.line > 0 ? row.line : 0,
        .first_bytes = lines->groups.value[(size_t)index * lines->groups.member_count],
        .last_bytes = row.value,
        .last_growth_bytes = row.last_per_step,
    };
}

static int fill_lines(struct xpd_doctor_heap_series *out, const struct xpd_heap_lines *lines,
                      struct xpd_err *err)
{
    uint32_t rows = lines->groups.row_count;
    struct xpd_doctor_heap_line *line =
        XPD_NEW_ARRAY(lines->ask->ctx->arena, struct xpd_doctor_heap_line, rows);
    if (!line)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < rows; i++)
        if (xpd_heap_lines_growth(lines, i).verdict == XPD_HEAP_GROWS)
            fill_line(&line[out->line_count++], lines, i);
    qsort(line, out->line_count, sizeof *line, steepest_first);
    out->line = line;
    return XPD_OK;
}

#define FILES_MIN 3 /* of fewer nothing is said to grow (heap/groups.h) */

static const char *too_few(const struct xpd_tool_ctx *ctx, uint32_t files, struct xpd_str series)
{
    return xpd_arena_printf(ctx->arena,
                            "growth is told from three or more readable files of one series, such "
                            "as memory.step#.prof; %.*s has %" PRIu32,
                            (int)series.size, series.data, files);
}

/* Why the files that could be read do not tell what grows; NULL: they do. */
static const char *why_not(const struct xpd_heap_ask *ask)
{
    const struct xpd_heap_member *m = &ask->member[ask->shown];
    if (m->heap->type[m->type].kind != XPD_HEAP_BYTES)
        return xpd_arena_printf(ask->ctx->arena, "the values of %.*s are not bytes",
                                (int)ask->file[ask->at].name.size, ask->file[ask->at].name.data);
    return ask->series_count >= FILES_MIN
               ? NULL
               : too_few(ask->ctx, ask->series_count, ask->file[ask->at].series);
}

static int judge(struct xpd_doctor_heap_series *out, const struct xpd_heap_ask *ask,
                 struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = ask->ctx;
    struct xpd_heap_lines lines;
    out->files = ask->series_count;
    out->has_steps = ask->has_steps;
    out->last = kept(ctx, ask->file[ask->at].name);
    out->why_not = why_not(ask);
    if (out->why_not)
        return XPD_OK;
    out->first = kept(ctx, ask->file[ask->member_file[0]].name);
    int rc = xpd_heap_lines_make(&lines, ask, XPD_HEAP_BY_LINE, err);
    if (rc != XPD_OK)
        return rc;
    out->last_bytes = lines.groups.total[ask->shown];
    return fill_lines(out, &lines, err);
}

/* The series of `files` files that ends with `last`. */
static int examine(struct xpd_doctor_heap_series *out, const struct xpd_tool_ctx *ctx,
                   const struct xpd_heap_file *last, uint32_t files, struct xpd_err *err)
{
    struct xpd_param file = {XPD_STR("file"), last->name};
    struct xpd_tool_ctx own = *ctx;
    struct xpd_heap_ask ask;
    struct xpd_err why = {0};
    own.param = &file;
    own.param_count = 1;
    *out = (struct xpd_doctor_heap_series){.name = kept(ctx, last->series), .all_files = files};
    if (files < FILES_MIN) { /* none of them is read */
        out->why_not = too_few(ctx, files, last->series);
        return XPD_OK;
    }
    int rc = xpd_heap_ask_init(&ask, &own, &xpd_tool_heap_lines, &why);
    if (rc == XPD_OK)
        rc = judge(out, &ask, &why);
    xpd_heap_ask_fini(&ask);
    if (rc == XPD_OK || rc == XPD_ENOMEM || rc == XPD_EBUSY) {
        if (rc != XPD_OK && err)
            *err = why;
        return rc;
    }
    out->why_not = xpd_arena_printf(ctx->arena, "%s", why.text);
    return out->why_not ? XPD_OK : xpd_tools_no_memory(err);
}

int xpd_tools_heap_growth(struct xpd_doctor_heap *out, const struct xpd_tool_ctx *ctx,
                          struct xpd_err *err)
{
    struct xpd_heap_file *file;
    uint32_t count, first;
    *out = (struct xpd_doctor_heap){0};
    int rc = xpd_heap_list(ctx->run, ctx->arena, &file, &count, err);
    struct xpd_doctor_heap_series *series =
        rc == XPD_OK ? XPD_NEW_ARRAY(ctx->arena, struct xpd_doctor_heap_series, count) : NULL;
    if (rc == XPD_OK && !series)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; rc == XPD_OK && i < count;) {
        uint32_t n = xpd_heap_series_of(file, count, i, &first);
        rc = examine(&series[out->series_count++], ctx, &file[first + n - 1], n, err);
        i = first + n;
    }
    out->series = series;
    return rc;
}
