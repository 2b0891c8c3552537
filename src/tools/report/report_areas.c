/* /api/v1/report/areas: what is held over the program, split into groups that add up to the total.
 * In: a grouping and a window. Out: a value of each group at the highest step of each column. */
#include "report_keys.h"

#define PX_DEFAULT 900
#define AREAS_MAX  11 /* and one for all the others */

struct area {
    uint32_t key;
    double weight; /* bytes times steps: decides who gets an area of its own */
};

static int by_weight(const void *a, const void *b)
{
    const struct area *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight < y->weight ? 1 : -1;
    return (x->key > y->key) - (x->key < y->key);
}

struct areas {
    const struct xpd_tool_ctx *ctx;
    const struct xpd_report *report;
    struct xpd_report_view view;
    struct xpd_names names;
    struct xpd_report_keys keys;
    struct area *area;      /* all keys, heaviest first */
    uint32_t count, joined; /* areas; keys in the last one, 0 = there is no such */
    int64_t *value;
};

static void weigh(struct areas *a)
{
    for (uint32_t i = 0; i < a->report->span_count; i++) {
        const struct xpd_report_span *span = &a->report->span[i];
        uint32_t to = span->to == XPD_NO_STEP ? a->ctx->space->step_count + 1 : span->to;
        a->area[a->keys.key[span->row]].weight += (double)span->bytes * (to - span->from);
    }
}

/* The heaviest groups keep an area; the rest is one. */
static int choose(struct areas *a, struct xpd_err *err)
{
    struct xpd_arena *arena = a->ctx->arena;
    uint32_t keys = a->keys.count;
    uint32_t *area_of = XPD_NEW_ARRAY(arena, uint32_t, keys);
    uint32_t *key = XPD_NEW_ARRAY(arena, uint32_t, a->report->row_count);
    a->area = XPD_NEW_ARRAY(arena, struct area, keys);
    if (!a->area || !area_of || !key)
        return xpd_tools_no_memory(err);
    for (uint32_t k = 0; k < keys; k++)
        a->area[k].key = k;
    weigh(a);
    if (keys > 1)
        qsort(a->area, keys, sizeof *a->area, by_weight);
    a->count = keys <= AREAS_MAX + 1 ? keys : AREAS_MAX + 1;
    a->joined = keys > a->count ? keys - AREAS_MAX : 0;
    for (uint32_t k = 0; k < keys; k++)
        area_of[a->area[k].key] = k < a->count ? k : a->count - 1;
    for (uint32_t i = 0; i < a->report->row_count; i++)
        key[i] = area_of[a->keys.key[i]];
    a->value = xpd_report_bytes(a->report, key, a->count, a->view.steps, arena);
    return a->value ? XPD_OK : xpd_tools_no_memory(err);
}

/* By how much the areas are more than the total: values at the same addresses. */
static int64_t overlap_at(const struct areas *a, uint32_t step)
{
    int64_t sum = -a->ctx->space->totals.resident - a->ctx->space->live_bytes[step];
    for (uint32_t i = 0; i < a->count; i++)
        sum += a->value[(size_t)i * a->view.steps.count + xpd_report_place(&a->view, step)];
    return sum;
}

static void write_totals(struct xpd_jsonw *w, const struct areas *a)
{
    const struct xpd_mem_space *space = a->ctx->space;
    uint32_t n = a->view.column_count;
    xpd_json_ki64(w, "resident_bytes", space->totals.resident);
    xpd_json_ki64(w, "reserved_bytes", space->totals.reserved);
    xpd_json_ki64(w, "peak_bytes", space->peak_bytes);
    XPD_COLUMN(w, "total", n,
               xpd_json_i64(w, space->totals.resident + space->live_bytes[a->view.column[row]]));
    XPD_COLUMN(w, "overlap", n, xpd_json_i64(w, overlap_at(a, a->view.column[row])));
}

static void write(struct xpd_jsonw *w, struct areas *a, struct xpd_str by)
{
    xpd_json_obj(w);
    xpd_json_kstr(w, "by", by.size ? by : XPD_STR("op"));
    xpd_report_view_write(w, &a->view);
    write_totals(w, a);
    xpd_json_key(w, "groups");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < a->count; i++) {
        bool last = a->joined > 0 && i + 1 == a->count;
        xpd_json_obj(w);
        if (last)
            xpd_json_ktext(w, "name", "");
        else
            xpd_json_kstr(w, "name", xpd_intern_get(&a->names.table, a->keys.name[a->area[i].key]));
        xpd_json_ku64(w, "joined", last ? a->joined : 0);
        xpd_report_values_write(w, &a->view, a->value + (size_t)i * a->view.steps.count);
        xpd_json_obj_end(w);
    }
    xpd_json_arr_end(w);
    xpd_json_obj_end(w);
}

static int areas(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    struct areas a = {.ctx = ctx, .report = xpd_table_report(ctx, err)};
    struct xpd_str by = xpd_param_text(ctx, "by");
    if (!a.report)
        return err->code;
    int rc = xpd_report_view_read(&a.view, ctx, &xpd_tool_report_areas, err);
    xpd_names_init(&a.names, ctx->arena);
    if (rc == XPD_OK)
        rc = xpd_report_keys_make(&a.keys, ctx, a.report, xpd_report_by_of(by),
                                  (uint32_t)xpd_param_int(ctx, &xpd_tool_report_areas, "level"),
                                  &a.names, err);
    if (rc == XPD_OK)
        rc = choose(&a, err);
    if (rc == XPD_OK) {
        struct xpd_jsonw w;
        xpd_jsonw_init(&w, &out->body);
        write(&w, &a, by);
    }
    xpd_names_fini(&a.names);
    return rc;
}

static const struct xpd_param_spec params[] = {
    {.name = "by",
     .type = XPD_PARAM_ENUM,
     .words = "op kind class dtype scope computation opcode",
     .help = "what the areas are, default op"},
    XPD_REPORT_LEVEL_PARAM,
    XPD_REPORT_VIEW_PARAMS(PX_DEFAULT),
    {.name = NULL},
};

const struct xpd_tool xpd_tool_report_areas = {
    .route = "/api/v1/report/areas",
    .title = "What is held over the program as stacked areas that add up to the total.",
    .needs = XPD_NEEDS_SPACE,
    .params = params,
    .run = areas,
};
