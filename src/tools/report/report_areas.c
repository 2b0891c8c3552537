/* /api/v1/report/areas: what is held over the program, split into groups that add up to the total.
 * In: a grouping and a window. Out: a value of each group at the highest step of each column. */
#include "report_keys.h"

#define PX_DEFAULT 900
#define AREAS_MAX  11 /* and one for all the others */

#define BY_WORDS "op kind class dtype scope computation opcode"
static const char *const by_word[] = {"op",    "kind",        "class", "dtype",
                                      "scope", "computation", "opcode"};

#define XPD_REPORT_AREA_FIELDS(FIELD)                                                              \
    FIELD(TEXT, name, "name of the group; \"\": all other groups")                                 \
    FIELD(COUNT, joined, "number of groups in \"all others\"; else 0")                             \
    XPD_REPORT_VALUES_FIELDS(FIELD)
XPD_RECORD(xpd_report_area, XPD_REPORT_AREA_FIELDS)

#define XPD_REPORT_AREAS_FIELDS(FIELD)                                                             \
    FIELD(WORD(BY_WORDS), by, "grouping of the areas")                                             \
    XPD_REPORT_VIEW_FIELDS(FIELD)                                                                  \
    FIELD(INT, resident_bytes, "held from the first to the last step")                             \
    FIELD(INT, reserved_bytes, "bytes that the compiler reserves")                                 \
    FIELD(INT, peak_bytes, "maximum of the curve")                                                 \
    FIELD(VALUES(INT), total_bytes, "held, at each of `columns`")                                  \
    FIELD(VALUES(SIGNED), overlap_bytes,                                                           \
          "sum of the areas minus the total: several values at the same addresses")                \
    FIELD(LIST(xpd_report_area), groups, "the heaviest first, at most 12")
XPD_RECORD(xpd_report_areas, XPD_REPORT_AREAS_FIELDS)

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
    struct xpd_report_areas out;
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

static int put(struct areas *a, struct xpd_err *err)
{
    const struct xpd_mem_space *space = a->ctx->space;
    struct xpd_arena *arena = a->ctx->arena;
    uint32_t n = a->view.column_count;
    int by = xpd_param_word(a->ctx, &xpd_tool_report_areas, "by");
    int64_t *total = XPD_NEW_ARRAY(arena, int64_t, n), *overlap = XPD_NEW_ARRAY(arena, int64_t, n);
    struct xpd_report_area *to = XPD_NEW_ARRAY(arena, struct xpd_report_area, a->count);
    for (uint32_t i = 0; total && overlap && i < n; i++) {
        total[i] = space->totals.resident + space->live_bytes[a->view.column[i]];
        overlap[i] = overlap_at(a, a->view.column[i]);
    }
    for (uint32_t i = 0; to && i < a->count; i++) {
        bool last = a->joined > 0 && i + 1 == a->count;
        struct xpd_report_values values =
            xpd_report_values_of(&a->view, a->value + (size_t)i * a->view.steps.count, arena);
        to[i] = (struct xpd_report_area){
            .name =
                last ? XPD_STR("") : xpd_intern_get(&a->names.table, a->keys.name[a->area[i].key]),
            .joined = last ? a->joined : 0,
            XPD_REPORT_VALUES_OF(values),
        };
    }
    a->out = (struct xpd_report_areas){
        .by = by_word[by < 0 ? 0 : by],
        XPD_REPORT_VIEW_OF(&a->view),
        .resident_bytes = space->totals.resident,
        .reserved_bytes = space->totals.reserved,
        .peak_bytes = space->peak_bytes,
        .total_bytes = {total, n},
        .overlap_bytes = {overlap, n},
        .groups = {to, a->count},
    };
    return arena->failed ? xpd_tools_no_memory(err) : XPD_OK;
}

static int areas(const struct xpd_tool_ctx *ctx, const void **to, struct xpd_err *err)
{
    struct areas *a = XPD_NEW(ctx->arena, struct areas);
    if (!a)
        return xpd_tools_no_memory(err);
    *a = (struct areas){.ctx = ctx, .report = xpd_table_report(ctx, err)};
    if (!a->report)
        return err->code;
    int rc = xpd_report_view_read(&a->view, ctx, &xpd_tool_report_areas, err);
    xpd_names_init(&a->names, ctx->arena);
    if (rc == XPD_OK)
        rc = xpd_report_keys_make(
            &a->keys, ctx, a->report, xpd_report_by_of(xpd_param_text(ctx, "by")),
            (uint32_t)xpd_param_int(ctx, &xpd_tool_report_areas, "level"), &a->names, err);
    if (rc == XPD_OK)
        rc = choose(a, err);
    if (rc == XPD_OK)
        rc = put(a, err);
    xpd_names_fini(&a->names);
    *to = &a->out;
    return rc;
}

static const struct xpd_param_spec params[] = {
    {.name = "by",
     .type = XPD_PARAM_ENUM,
     .words = BY_WORDS,
     .help = "grouping of the areas, default op"},
    XPD_REPORT_LEVEL_PARAM,
    XPD_REPORT_VIEW_PARAMS(PX_DEFAULT),
    {.name = NULL},
};

const struct xpd_tool xpd_tool_report_areas = {
    .route = "/api/v1/report/areas",
    .title = "The bytes held over the program, as stacked areas that add up to the total.",
    .needs = XPD_NEEDS_SPACE,
    .params = params,
    .about =
        "`overlap_bytes` is 0 except in spaces whose live bytes are a union of addresses. Groups "
        "are ordered by bytes times steps; beyond 12 the last one is the sum of all others.",
    .answer = xpd_report_areas_record,
    .make = areas,
    XPD_IN_REPORT(
        "px", {245, XPD_EACH_SPACE,
               "by=op|kind|class|dtype|scope|computation|opcode&level=2&from=0&to={steps}&px=1024",
               "the areas of each whole program"}),
};
