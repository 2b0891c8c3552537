/* /api/v1/report/groups: what is held at one to eight steps, by a grouping; also what is in one row
 * of another. In: steps, a grouping, perhaps a row. Out: groups, largest first, that add up. */
#include "report_groups.h"

#define LIMIT_DEFAULT 200

static int by_bytes(const void *a, const void *b)
{
    const struct xpd_report_group *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? 1 : -1;
    if (x->most != y->most)
        return x->most < y->most ? 1 : -1;
    return (x->key > y->key) - (x->key < y->key);
}

/* Rows outside of `within`, or without `inner` inside, are in no group. */
static int filter(struct xpd_report_groups *g, struct xpd_err *err)
{
    struct xpd_str within = xpd_param_text(g->ctx, "within");
    struct xpd_str inner = xpd_param_text(g->ctx, "inner");
    struct xpd_report_keys other;
    if (inner.size > 0) {
        int failed =
            xpd_report_keep_inner(g->ctx, g->report, inner, g->keys.key, &g->filtered_rows, err);
        if (failed != XPD_OK)
            return failed;
        g->keys.instructions = NULL;
    }
    if (!xpd_param_has(g->ctx, "within"))
        return XPD_OK;
    enum xpd_report_by by = xpd_param_has(g->ctx, "within_by")
                                ? xpd_report_by_of(xpd_param_text(g->ctx, "within_by"))
                                : XPD_BY_ROW;
    int rc = xpd_report_keys_make(&other, g->ctx, g->report, by,
                                  (uint32_t)xpd_param_int(g->ctx, &xpd_tool_report_groups, "level"),
                                  &g->names, err);
    for (uint32_t i = 0; rc == XPD_OK && i < g->report->row_count; i++) {
        struct xpd_str name = xpd_intern_get(&g->names.table, other.name[other.key[i]]);
        if (!xpd_str_eq(name, within)) {
            g->keys.key[i] = XPD_NO_INDEX;
            g->filtered_rows++;
        }
    }
    if (g->filtered_rows > 0)
        g->keys.instructions = NULL; /* of the whole program: not of what is left */
    return rc;
}

static bool measure(struct xpd_report_groups *g)
{
    struct xpd_arena *arena = g->ctx->arena;
    uint32_t n = g->view.steps.count;
    g->bytes = xpd_report_bytes(g->report, g->keys.key, g->keys.count, g->view.steps, arena);
    g->count = xpd_report_counts(g->report, g->keys.key, g->keys.count, g->view.steps, arena);
    g->group = XPD_NEW_ARRAY(arena, struct xpd_report_group, g->keys.count);
    g->rest = XPD_NEW_ARRAY(arena, int64_t, n);
    g->total = XPD_NEW_ARRAY(arena, int64_t, n);
    g->row_of = XPD_NEW_ARRAY(arena, uint32_t, g->keys.count);
    if (!g->bytes || !g->count || !g->group || !g->rest || !g->total || !g->row_of)
        return false;
    bool *any = XPD_NEW_ARRAY(arena, bool, g->keys.count);
    if (!any)
        return false;
    for (uint32_t i = 0; i < g->report->row_count; i++)
        if (g->keys.key[i] != XPD_NO_INDEX) {
            any[g->keys.key[i]] = true;
            g->row_of[g->keys.key[i]] = i;
        }
    uint32_t first = xpd_report_place(&g->view, g->view.asked[0].step);
    for (uint32_t k = 0; k < g->keys.count; k++) {
        struct xpd_report_group group = {.key = k, .first = g->bytes[(size_t)k * n + first]};
        for (uint32_t p = 0; p < n; p++) {
            int64_t value = g->bytes[(size_t)k * n + p];
            group.most = value > group.most ? value : group.most;
            g->total[p] += value;
        }
        if (any[k] || g->keys.instructions)
            g->group[g->group_count++] = group;
    }
    if (g->group_count > 1)
        qsort(g->group, g->group_count, sizeof *g->group, by_bytes);
    return true;
}

static void cut(struct xpd_report_groups *g, uint32_t limit)
{
    uint32_t n = g->view.steps.count;
    g->written = g->group_count < limit ? g->group_count : limit;
    for (uint32_t i = g->written; i < g->group_count; i++)
        for (uint32_t p = 0; p < n; p++)
            g->rest[p] += g->bytes[(size_t)g->group[i].key * n + p];
}

/* Values of constants are not kept when a module is loaded: they are read from its bytes. */
static int open_text(struct xpd_report_groups *g, struct xpd_err *err)
{
    for (uint32_t i = 0; g->by == XPD_BY_BUFFER && i < g->written; i++)
        if (xpd_report_is_constant(g, g->group[i].key))
            return xpd_module_text_open(&g->text, g->ctx, err);
    return XPD_OK;
}

static int answer(struct xpd_report_groups *g, struct xpd_err *err)
{
    /* A page is a part of the list; a table that is saved is the whole one. */
    cut(g, xpd_tools_csv(g->ctx) && !xpd_param_has(g->ctx, "limit")
               ? XPD_ROWS_ALL
               : (uint32_t)xpd_param_int(g->ctx, &xpd_tool_report_groups, "limit"));
    int rc = open_text(g, err);
    return rc == XPD_OK ? xpd_report_groups_put(g, err) : rc;
}

static int make(struct xpd_report_groups *g, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = g->ctx;
    const struct xpd_tool *tool = &xpd_tool_report_groups;
    int rc = xpd_report_view_read(&g->view, ctx, tool, err);
    if (rc == XPD_OK)
        rc = xpd_report_keys_make(&g->keys, ctx, g->report, g->by,
                                  (uint32_t)xpd_param_int(ctx, tool, "level"), &g->names, err);
    if (rc == XPD_OK)
        rc = filter(g, err);
    if (rc == XPD_OK && xpd_param_int(ctx, tool, "times"))
        rc = xpd_report_times_make(&g->times, ctx,
                                   g->keys.instructions ? g->keys.of_instruction : NULL,
                                   g->keys.count, err);
    bool typed = g->by == XPD_BY_SIGNATURE || g->by == XPD_BY_OPCODE;
    if (rc == XPD_OK && typed && g->keys.instructions)
        rc = xpd_report_types_make(&g->types, ctx, g->keys.of_instruction, g->keys.count, err);
    if (rc == XPD_OK && !measure(g))
        rc = xpd_tools_no_memory(err);
    return rc == XPD_OK ? answer(g, err) : rc;
}

static int groups(const struct xpd_tool_ctx *ctx, const void **to, struct xpd_err *err)
{
    struct xpd_report_groups *g = XPD_NEW(ctx->arena, struct xpd_report_groups);
    if (!g)
        return xpd_tools_no_memory(err);
    *g = (struct xpd_report_groups){.ctx = ctx,
                                    .report = xpd_table_report(ctx, err),
                                    .by = xpd_report_by_of(xpd_param_text(ctx, "by"))};
    if (!g->report)
        return err->code;
    xpd_names_init(&g->names, ctx->arena);
    int rc = make(g, err);
    xpd_module_text_close(&g->text);
    xpd_names_fini(&g->names);
    *to = &g->out;
    return rc;
}

static const struct xpd_param_spec params[] = {
    {.name = "by", .type = XPD_PARAM_ENUM, .words = XPD_REPORT_BY_WORDS, .help = "default op"},
    XPD_REPORT_LEVEL_PARAM,
    {.name = "within",
     .type = XPD_PARAM_TEXT,
     .help = "only what is in this group of another grouping"},
    {.name = "within_by",
     .type = XPD_PARAM_ENUM,
     .words = XPD_REPORT_BY_WORDS,
     .help = "that other grouping, default row"},
    {.name = "inner",
     .type = XPD_PARAM_TEXT,
     .help = "only what an instruction with such an opcode or name inside defines"},
    XPD_REPORT_VIEW_PARAMS(0),
    XPD_REPORT_TIMES_PARAM,
    XPD_PARAM_LIMIT(LIMIT_DEFAULT, XPD_ROWS_ALL, "groups; what is over is summed up in `rest`"),
    XPD_REPORT_FORMAT_PARAM,
    {.name = NULL},
};

const struct xpd_tool xpd_tool_report_groups = {
    .route = "/api/v1/report/groups",
    .title = "What is held at one to eight steps by op, kind, scope or another grouping.",
    .needs = XPD_NEEDS_SPACE,
    .params = params,
    .about = "Rows and `rest` add up to `total`. Times are known by `op`, `computation`, `opcode` "
             "and `signature`; a pair counts once in each group that has a half of it. `origin` is "
             "the compiler, or whose kernel a custom call is, by its target. A CSV has a column "
             "for each step, and all groups unless `limit` is given.",
    .answer = xpd_report_groups_answer_record,
    .make = groups,
    .csv = xpd_report_groups_csv,
    .file_name = "report_groups.csv",
};
