/* /api/v1/report/groups: what is held at one to eight steps, by a grouping; also what is in one row
 * of another. In: steps, a grouping, perhaps a row. Out: groups, largest first, that add up. */
#include "report_keys.h"

#define LIMIT_DEFAULT 200
#define LIMIT_MAX     5000

struct group {
    uint32_t key;
    int64_t first, most; /* bytes at the first step asked for, and at the fullest of all of them */
};

static int by_bytes(const void *a, const void *b)
{
    const struct group *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? 1 : -1;
    if (x->most != y->most)
        return x->most < y->most ? 1 : -1;
    return (x->key > y->key) - (x->key < y->key);
}

struct groups {
    const struct xpd_tool_ctx *ctx;
    const struct xpd_report *report;
    struct xpd_report_view view;
    struct xpd_names names;
    struct xpd_report_keys keys;
    enum xpd_report_by by;
    int64_t *bytes, *count; /* by key and place */
    int64_t *rest, *total;  /* by place: groups over the limit; all of them */
    struct group *group;
    uint32_t group_count, written;
    uint32_t *row_of; /* by key, of XPD_BY_BUFFER */
    uint32_t filtered_rows;
};

/* Rows outside of `within`, or without `inner` inside, are in no group. */
static int filter(struct groups *g, struct xpd_err *err)
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

static bool measure(struct groups *g)
{
    struct xpd_arena *arena = g->ctx->arena;
    uint32_t n = g->view.steps.count;
    g->bytes = xpd_report_bytes(g->report, g->keys.key, g->keys.count, g->view.steps, arena);
    g->count = xpd_report_counts(g->report, g->keys.key, g->keys.count, g->view.steps, arena);
    g->group = XPD_NEW_ARRAY(arena, struct group, g->keys.count);
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
        struct group group = {.key = k, .first = g->bytes[(size_t)k * n + first]};
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

static void cut(struct groups *g, uint32_t limit)
{
    uint32_t n = g->view.steps.count;
    g->written = g->group_count < limit ? g->group_count : limit;
    for (uint32_t i = g->written; i < g->group_count; i++)
        for (uint32_t p = 0; p < n; p++)
            g->rest[p] += g->bytes[(size_t)g->group[i].key * n + p];
}

static uint32_t fused_count(const struct xpd_hlo *hlo, uint32_t instruction)
{
    const struct xpd_hlo_instructions *all = &hlo->instructions;
    uint32_t count = 0;
    for (uint32_t i = all->called_first[instruction]; i < all->called_first[instruction + 1]; i++)
        if (all->called[i] != XPD_NO_INDEX)
            count += hlo->computations.instruction_count[all->called[i]];
    return count;
}

static void write_buffer(struct xpd_jsonw *w, struct groups *g, uint32_t key)
{
    const struct xpd_mem *mem = g->ctx->mem;
    const struct xpd_report_row *row = &g->report->row[g->row_of[key]];
    uint32_t instruction = xpd_tools_instruction(mem, row->buffer);
    struct xpd_strbuf text = {0};
    char leaf[48];
    xpd_tools_buffer_name(&text, mem, row->buffer);
    xpd_json_kstr(w, "name", (struct xpd_str){text.data, text.size});
    xpd_tools_kindex(w, "buffer", row->buffer);
    xpd_tools_kindex(w, "tenancy", row->tenancy);
    xpd_tools_kstr(w, "instruction", xpd_tools_instruction_name(mem->hlo, instruction));
    xpd_strbuf_clear(&text);
    if (row->buffer != XPD_NO_INDEX)
        xpd_shape_text(&text, mem->buffer[row->buffer].shape, false);
    xpd_json_kstr(w, "shape", (struct xpd_str){text.data, text.size});
    xpd_report_leaf(leaf, row);
    xpd_json_ktext(w, "row", leaf);
    xpd_json_ku64(w, "fused", instruction == XPD_NO_INDEX ? 0 : fused_count(mem->hlo, instruction));
    xpd_tools_kstr(w, "body", xpd_report_body(mem->hlo, instruction));
    xpd_strbuf_fini(&text);
}

/* Whose code it is, by the target of a custom call. */
static const char *origin_of(const struct xpd_hlo *hlo, uint32_t instruction)
{
    static const struct {
        const char *part, *origin;
    } targets[] = {{"callback", "host callback"},
                   {"tpu_custom_call", "Pallas-Mosaic"},
                   {"mosaic", "Pallas-Mosaic"},
                   {"triton", "Triton"},
                   {"__cudnn", "cuDNN"},
                   {"__cublas", "cuBLAS"},
                   {"cutlass", "CUTLASS"},
                   {"cub", "CUB"},
                   {"cusolver", "cuSOLVER"},
                   {"cufft", "cuFFT"},
                   {"lapack", "LAPACK"},
                   {"eigen", "Eigen"},
                   {"ducc", "DUCC"},
                   {"onednn", "oneDNN"},
                   {"ffi", "FFI"}};
    struct xpd_str target = xpd_hlo_text(hlo, hlo->instructions.call_target[instruction]);
    if (target.size == 0)
        return "compiler";
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        if (xpd_str_find(target, xpd_str_of(targets[i].part), true) != SIZE_MAX)
            return targets[i].origin;
    return "custom call";
}

static void write_group(struct xpd_jsonw *w, struct groups *g, uint32_t key)
{
    uint32_t n = g->view.steps.count;
    xpd_json_obj(w);
    if (g->by == XPD_BY_BUFFER)
        write_buffer(w, g, key);
    else
        xpd_json_kstr(w, "name", xpd_intern_get(&g->names.table, g->keys.name[key]));
    xpd_report_values_write(w, &g->view, g->bytes + (size_t)key * n);
    xpd_report_at_write(w, "held", &g->view, g->count + (size_t)key * n);
    if (g->keys.instructions)
        xpd_json_ki64(w, "instructions", g->keys.instructions[key]);
    if (g->by == XPD_BY_SIGNATURE && g->keys.example[key] != XPD_NO_INDEX)
        xpd_json_ktext(w, "origin", origin_of(g->ctx->hlo, g->keys.example[key]));
    xpd_json_obj_end(w);
}

static void write(struct xpd_jsonw *w, struct groups *g)
{
    const struct xpd_mem_space *space = g->ctx->space;
    xpd_json_obj(w);
    xpd_report_view_write(w, &g->view);
    xpd_json_key(w, "total");
    xpd_json_obj(w);
    xpd_report_values_write(w, &g->view, g->total);
    xpd_json_obj_end(w);
    XPD_COLUMN(
        w, "live", g->view.asked_count,
        xpd_json_i64(w, space->totals.resident +
                            (space->step_count ? space->live_bytes[g->view.asked[row].step] : 0)));
    xpd_json_ku64(w, "n", g->group_count);
    xpd_json_key(w, "rows");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < g->written; i++)
        write_group(w, g, g->group[i].key);
    xpd_json_arr_end(w);
    xpd_json_ku64(w, "left_out", g->group_count - g->written);
    xpd_json_key(w, "rest");
    xpd_json_obj(w);
    xpd_report_values_write(w, &g->view, g->rest);
    xpd_json_obj_end(w);
    xpd_json_obj_end(w);
}

static void write_csv(struct xpd_tool_result *out, struct groups *g)
{
    struct xpd_csv csv;
    struct xpd_strbuf text = {0};
    char head[48];
    uint32_t n = g->view.steps.count;
    xpd_tools_start_csv(out, &csv, "report_groups.csv");
    xpd_csv_text(&csv, "name");
    for (uint32_t i = 0; i < g->view.asked_count; i++) {
        snprintf(head, sizeof head, "step_%" PRIu32 "_bytes", g->view.asked[i].step);
        xpd_csv_text(&csv, head);
    }
    xpd_csv_text(&csv, "peak_bytes");
    xpd_csv_end_row(&csv);
    for (uint32_t i = 0; i <= g->written; i++) {
        bool rest = i == g->written;
        uint32_t key = rest ? 0 : g->group[i].key;
        const int64_t *value = rest ? g->rest : g->bytes + (size_t)key * n;
        if (rest && g->written == g->group_count)
            break;
        xpd_strbuf_clear(&text);
        if (!rest && g->by == XPD_BY_BUFFER)
            xpd_tools_buffer_name(&text, g->ctx->mem, g->report->row[g->row_of[key]].buffer);
        if (rest)
            xpd_csv_text(&csv, "(rest)");
        else if (g->by == XPD_BY_BUFFER)
            xpd_csv_str(&csv, (struct xpd_str){text.data, text.size});
        else
            xpd_csv_str(&csv, xpd_intern_get(&g->names.table, g->keys.name[key]));
        for (uint32_t s = 0; s < g->view.asked_count; s++)
            xpd_csv_i64(&csv, value[xpd_report_place(&g->view, g->view.asked[s].step)]);
        xpd_csv_i64(&csv, value[xpd_report_place(&g->view, g->view.peak_step)]);
        xpd_csv_end_row(&csv);
    }
    xpd_strbuf_fini(&text);
}

static int groups(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    const struct xpd_tool *tool = &xpd_tool_report_groups;
    struct groups g = {.ctx = ctx,
                       .report = xpd_table_report(ctx, err),
                       .by = xpd_report_by_of(xpd_param_text(ctx, "by"))};
    if (!g.report)
        return err->code;
    int rc = xpd_report_view_read(&g.view, ctx, tool, err);
    xpd_names_init(&g.names, ctx->arena);
    if (rc == XPD_OK)
        rc = xpd_report_keys_make(&g.keys, ctx, g.report, g.by,
                                  (uint32_t)xpd_param_int(ctx, tool, "level"), &g.names, err);
    if (rc == XPD_OK)
        rc = filter(&g, err);
    if (rc == XPD_OK && !measure(&g))
        rc = xpd_tools_no_memory(err);
    if (rc == XPD_OK) {
        cut(&g, (uint32_t)xpd_param_int(ctx, tool, "limit"));
        if (xpd_tools_csv(ctx)) {
            write_csv(out, &g);
        } else {
            struct xpd_jsonw w;
            xpd_jsonw_init(&w, &out->body);
            write(&w, &g);
        }
    }
    xpd_names_fini(&g.names);
    return rc;
}

static const struct xpd_param_spec params[] = {
    {.name = "by", .type = XPD_PARAM_ENUM, .words = XPD_REPORT_BY_WORDS, .help = "default op"},
    {.name = "level",
     .type = XPD_PARAM_INT,
     .min = 1,
     .max = XPD_SCOPE_PARTS,
     .fallback = 2,
     .help = "parts of a scope"},
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
    {.name = "limit",
     .type = XPD_PARAM_INT,
     .min = 1,
     .max = LIMIT_MAX,
     .fallback = LIMIT_DEFAULT,
     .help = "groups; what is over is summed up in `rest`"},
    {.name = "format", .type = XPD_PARAM_ENUM, .words = "json csv", .help = "json or csv"},
    {.name = NULL},
};

const struct xpd_tool xpd_tool_report_groups = {
    .route = "/api/v1/report/groups",
    .title = "What is held at one to eight steps by op, kind, scope or another grouping.",
    .needs = XPD_NEEDS_SPACE,
    .params = params,
    .run = groups,
};
